"""The tables as of 0.2.0, with the full-text index over papers and the triggers that maintain it.

The tables are as Alembic rendered them from the metadata of that time: later migrations begin from these, however
``schema.py`` changes. Ten earlier revisions led to the same tables, in stores that were made before 0.2.0.
"""

from __future__ import annotations

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = None

_SQLITE_VALUES = (
    "{0}.id, {0}.title, (SELECT group_concat(value, ' ') FROM json_each({0}.authors)), {0}.abstract"
)
_SQLITE_INSERT = "INSERT INTO papers_search (rowid, title, authors, abstract)"
_SQLITE = (
    "CREATE VIRTUAL TABLE papers_search USING fts5 "
    "(title, authors, abstract, tokenize = 'porter unicode61 remove_diacritics 2')",
    "CREATE TRIGGER papers_search_new AFTER INSERT ON papers BEGIN "
    f"{_SQLITE_INSERT} SELECT {_SQLITE_VALUES.format('new')}; END",
    "CREATE TRIGGER papers_search_changed AFTER UPDATE ON papers BEGIN "
    "DELETE FROM papers_search WHERE rowid = old.id; "
    f"{_SQLITE_INSERT} SELECT {_SQLITE_VALUES.format('new')}; END",
    "CREATE TRIGGER papers_search_gone AFTER DELETE ON papers BEGIN "
    "DELETE FROM papers_search WHERE rowid = old.id; END",
)

# PostgreSQL limits a tsvector to 1 MB, so long fields are cut; an abstract is found by its first 100,000 characters.
_POSTGRESQL_WORDS = (
    "setweight(to_tsvector('english', left({0}.title, 10000)), 'A') || "
    "setweight(to_tsvector('english', left(coalesce((SELECT string_agg(name, ' ') "
    "FROM json_array_elements_text({0}.authors) AS name), ''), 100000)), 'B') || "
    "to_tsvector('english', left({0}.abstract, 100000))"
)
_POSTGRESQL = (
    "CREATE TABLE papers_search "
    "(paper_id bigint PRIMARY KEY REFERENCES papers (id) ON DELETE CASCADE, words tsvector NOT NULL)",
    "CREATE INDEX papers_search_words ON papers_search USING gin (words)",
    "CREATE FUNCTION papers_search_keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
    f"INSERT INTO papers_search VALUES (NEW.id, {_POSTGRESQL_WORDS.format('NEW')}) "
    "ON CONFLICT (paper_id) DO UPDATE SET words = excluded.words; RETURN NEW; END $$",
    "CREATE TRIGGER papers_search_keep AFTER INSERT OR UPDATE ON papers "
    "FOR EACH ROW EXECUTE FUNCTION papers_search_keep()",
)


def upgrade() -> None:
    """Create the tables, the only row of ``salts``, and the search index."""
    op.create_table('bounce_counts',
        sa.Column('outcome', sa.Text(), nullable=False),
        sa.Column('count', sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint('outcome', name=op.f('pk_bounce_counts'))
    )
    op.create_table('circuit_breakers',
        sa.Column('kind', sa.String(length=16), nullable=False),
        sa.Column('since', sa.DateTime(timezone=True), nullable=False),
        sa.Column('until', sa.DateTime(timezone=True), nullable=False),
        sa.Column('times', sa.Integer(), nullable=False),
        sa.Column('why', sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint('kind', name=op.f('pk_circuit_breakers'))
    )
    op.create_table('corpora',
        sa.Column('version', sa.Integer(), autoincrement=False, nullable=False),
        sa.Column('content', sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint('version', name=op.f('pk_corpora'))
    )
    op.create_table('digests',
        sa.Column('id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=False),
        sa.Column('source', sa.Text(), nullable=False),
        sa.Column('name', sa.Text(), nullable=False),
        sa.Column('format', sa.Text(), nullable=False),
        sa.Column('topic', sa.Text(), nullable=False),
        sa.Column('date', sa.Date(), nullable=True),
        sa.Column('content_hash', sa.Text(), nullable=False),
        sa.Column('part', sa.Integer(), nullable=False),
        sa.Column('received_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('papers', sa.Integer(), nullable=False),
        sa.Column('rejected', sa.JSON(), nullable=False),
        sa.Column('fresh', sa.Integer(), server_default='0', nullable=False),
        sa.Column('highest_id', sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_digests')),
        sa.UniqueConstraint('content_hash', 'part', name=op.f('uq_digests_content_hash_part')),
        sqlite_autoincrement=True
    )
    op.create_index(op.f('ix_digests_source'), 'digests', ['source'], unique=False)
    op.create_table('forgotten',
        sa.Column('key', sa.Text(), nullable=False),
        sa.Column('at', sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint('key', name=op.f('pk_forgotten'))
    )
    op.create_table('papers',
        sa.Column('id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=False),
        sa.Column('title', sa.Text(), nullable=False),
        sa.Column('title_start', sa.Text().with_variant(sa.Text(collation='C'), 'postgresql'), nullable=False),
        sa.Column('abstract', sa.Text(), nullable=False),
        sa.Column('authors', sa.JSON(), nullable=False),
        sa.Column('author_count', sa.Integer(), nullable=True),
        sa.Column('published', sa.Date(), nullable=True),
        sa.Column('arxiv_id', sa.Text(), nullable=True),
        sa.Column('doi', sa.Text(), nullable=True),
        sa.Column('url', sa.Text(), nullable=True),
        sa.Column('upvotes', sa.Integer(), nullable=True),
        sa.Column('organisation', sa.Text(), nullable=True),
        sa.Column('first_seen', sa.DateTime(timezone=True), nullable=False),
        sa.Column('version', sa.Integer(), nullable=True),
        sa.Column('categories', sa.JSON(), server_default='[]', nullable=False),
        sa.Column('facts', sa.JSON(), server_default='[]', nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_papers')),
        sqlite_autoincrement=True
    )
    op.create_index(op.f('ix_papers_title_start'), 'papers', ['title_start'], unique=False)
    op.create_table('parse_attempts',
        sa.Column('content_hash', sa.Text(), nullable=False),
        sa.Column('attempts', sa.Integer(), nullable=False),
        sa.Column('problem', sa.Text(), nullable=False),
        sa.Column('at', sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint('content_hash', name=op.f('pk_parse_attempts'))
    )
    op.create_table('published_profiles',
        sa.Column('slug', sa.Text(), nullable=False),
        sa.Column('version', sa.BigInteger(), nullable=False),
        sa.Column('content', sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint('slug', name=op.f('pk_published_profiles'))
    )
    op.create_index(op.f('ix_published_profiles_version'), 'published_profiles', ['version'], unique=False)
    op.create_table('rate_limits',
        sa.Column('key', sa.Text(), nullable=False),
        sa.Column('began_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('count', sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint('key', name=op.f('pk_rate_limits'))
    )
    op.create_index(op.f('ix_rate_limits_began_at'), 'rate_limits', ['began_at'], unique=False)
    op.create_table('reader_lists',
        sa.Column('profile', sa.Text(), nullable=False),
        sa.Column('key', sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint('profile', name=op.f('pk_reader_lists'))
    )
    op.create_table('readers',
        sa.Column('id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=False),
        sa.Column('profile', sa.Text(), nullable=False),
        sa.Column('kind', sa.String(length=16), nullable=False),
        sa.Column('address', sa.Text(), nullable=False),
        sa.Column('stopped', sa.String(length=16), nullable=True),
        sa.Column('stop_detail', sa.Text(), server_default='', nullable=False),
        sa.Column('since', sa.DateTime(timezone=True), nullable=False),
        sa.Column('origin', sa.String(length=16), server_default='file', nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_readers')),
        sa.UniqueConstraint('profile', 'address', name=op.f('uq_readers_profile_address')),
        sqlite_autoincrement=True
    )
    op.create_index('ix_readers_active', 'readers', ['profile', 'id'], unique=False, sqlite_where=sa.text('stopped IS NULL'), postgresql_where=sa.text('stopped IS NULL'))
    op.create_index('ix_readers_awaiting', 'readers', ['since'], unique=False, sqlite_where=sa.text("stopped = 'awaiting'"), postgresql_where=sa.text("stopped = 'awaiting'"))
    op.create_table('send_rates',
        sa.Column('kind', sa.String(length=16), nullable=False),
        sa.Column('at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('tokens', sa.Float(), nullable=False),
        sa.Column('share', sa.Float(), nullable=False),
        sa.Column('slowed_at', sa.DateTime(timezone=True), nullable=True),
        sa.Column('day', sa.Date(), nullable=False),
        sa.Column('used', sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint('kind', name=op.f('pk_send_rates'))
    )
    op.create_table('source_states',
        sa.Column('name', sa.Text(), nullable=False),
        sa.Column('checked_at', sa.DateTime(timezone=True), nullable=True),
        sa.Column('succeeded_at', sa.DateTime(timezone=True), nullable=True),
        sa.Column('failures', sa.Integer(), nullable=False),
        sa.Column('problem', sa.Text(), nullable=False),
        sa.Column('not_before', sa.DateTime(timezone=True), nullable=True),
        sa.Column('warned', sa.Text(), nullable=False),
        sa.Column('memory', sa.JSON(), nullable=False),
        sa.Column('failing_since', sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint('name', name=op.f('pk_source_states'))
    )
    op.create_table('alert_marks',
        sa.Column('reader_id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), autoincrement=False, nullable=False),
        sa.Column('watermark', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=False),
        sa.ForeignKeyConstraint(['reader_id'], ['readers.id'], name=op.f('fk_alert_marks_reader_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('reader_id', name=op.f('pk_alert_marks'))
    )
    op.create_table('edition_waits',
        sa.Column('reader_id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), autoincrement=False, nullable=False),
        sa.Column('slot', sa.Text(), nullable=False),
        sa.Column('since', sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(['reader_id'], ['readers.id'], name=op.f('fk_edition_waits_reader_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('reader_id', name=op.f('pk_edition_waits'))
    )
    op.create_table('editions',
        sa.Column('id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=False),
        sa.Column('reader_id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=False),
        sa.Column('slot', sa.Text(), nullable=False),
        sa.Column('date', sa.Date(), nullable=False),
        sa.Column('composed_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('considered', sa.Integer(), nullable=False),
        sa.Column('watermark', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=False),
        sa.Column('quiet', sa.Text(), nullable=True),
        sa.Column('quiet_reason', sa.String(length=16), nullable=True),
        sa.Column('kind', sa.String(length=16), nullable=False),
        sa.Column('missing', sa.JSON(), server_default='[]', nullable=False),
        sa.Column('closest', sa.JSON(), server_default='[]', nullable=False),
        sa.Column('follow_ups', sa.JSON(), server_default='[]', nullable=False),
        sa.UniqueConstraint('reader_id', 'slot', name=op.f('uq_editions_reader_id_slot')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_editions')),
        sa.ForeignKeyConstraint(['reader_id'], ['readers.id'], name=op.f('fk_editions_reader_id'), ondelete='CASCADE'),
        sqlite_autoincrement=True
    )
    op.create_index(op.f('ix_editions_reader_id_composed_at'), 'editions', ['reader_id', 'composed_at'], unique=False)
    op.create_index(op.f('ix_editions_reader_id_id_watermark'), 'editions', ['reader_id', 'id', 'watermark'], unique=False)
    op.create_table('library',
        sa.Column('id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=False),
        sa.Column('reader_id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=False),
        sa.Column('origin', sa.Text(), nullable=False),
        sa.Column('added_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('title', sa.Text(), nullable=False),
        sa.Column('abstract', sa.Text(), nullable=False),
        sa.Column('authors', sa.JSON(), nullable=False),
        sa.Column('published', sa.Date(), nullable=True),
        sa.Column('arxiv_id', sa.Text(), nullable=True),
        sa.Column('doi', sa.Text(), nullable=True),
        sa.Column('url', sa.Text(), nullable=True),
        sa.Column('source_key', sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(['reader_id'], ['readers.id'], name=op.f('fk_library_reader_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_library')),
        sqlite_autoincrement=True
    )
    op.create_index(op.f('ix_library_reader_id_added_at'), 'library', ['reader_id', 'added_at'], unique=False)
    op.create_table('lookups',
        sa.Column('paper_id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), autoincrement=False, nullable=False),
        sa.Column('at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('arxiv_id', sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(['paper_id'], ['papers.id'], name=op.f('fk_lookups_paper_id')),
        sa.PrimaryKeyConstraint('paper_id', name=op.f('pk_lookups'))
    )
    op.create_table('mixtures',
        sa.Column('id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=False),
        sa.Column('reader_id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=True),
        sa.Column('fitted_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('votes', sa.Integer(), nullable=False),
        sa.Column('weights', sa.JSON(), nullable=False),
        sa.Column('offset', sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(['reader_id'], ['readers.id'], name=op.f('fk_mixtures_reader_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_mixtures')),
        sqlite_autoincrement=True
    )
    op.create_index(op.f('ix_mixtures_reader_id_id'), 'mixtures', ['reader_id', 'id'], unique=False)
    op.create_table('overrides',
        sa.Column('reader_id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), autoincrement=False, nullable=False),
        sa.Column('size', sa.Integer(), nullable=True),
        sa.Column('at', sa.Time(), nullable=True),
        sa.Column('days', sa.JSON(none_as_null=True), nullable=True),
        sa.Column('ignored', sa.JSON(), nullable=False),
        sa.Column('timezone', sa.Text(), nullable=True),
        sa.Column('interests', sa.Text(), nullable=True),
        sa.Column('keywords', sa.JSON(none_as_null=True), nullable=True),
        sa.Column('authors', sa.JSON(none_as_null=True), nullable=True),
        sa.Column('mute', sa.JSON(none_as_null=True), nullable=True),
        sa.Column('language', sa.Text(), nullable=True),
        sa.Column('title', sa.Text(), nullable=True),
        sa.Column('shown_as', sa.Text(), nullable=True),
        sa.Column('catch_up', sa.Boolean(), nullable=True),
        sa.ForeignKeyConstraint(['reader_id'], ['readers.id'], name=op.f('fk_overrides_reader_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('reader_id', name=op.f('pk_overrides'))
    )
    op.create_table('paper_keys',
        sa.Column('key', sa.Text(), nullable=False),
        sa.Column('paper_id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=False),
        sa.ForeignKeyConstraint(['paper_id'], ['papers.id'], name=op.f('fk_paper_keys_paper_id')),
        sa.PrimaryKeyConstraint('key', 'paper_id', name=op.f('pk_paper_keys'))
    )
    op.create_table('reader_models',
        sa.Column('reader_id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), autoincrement=False, nullable=False),
        sa.Column('signature', sa.Text(), nullable=False),
        sa.Column('vocabulary', sa.BigInteger(), nullable=False),
        sa.Column('fitted_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('arrays', sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(['reader_id'], ['readers.id'], name=op.f('fk_reader_models_reader_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('reader_id', name=op.f('pk_reader_models'))
    )
    op.create_table('revisions',
        sa.Column('paper_id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), autoincrement=False, nullable=False),
        sa.Column('version', sa.Integer(), autoincrement=False, nullable=False),
        sa.Column('at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('before', sa.Text(), server_default='', nullable=False),
        sa.ForeignKeyConstraint(['paper_id'], ['papers.id'], name=op.f('fk_revisions_paper_id')),
        sa.PrimaryKeyConstraint('paper_id', 'version', name=op.f('pk_revisions'))
    )
    op.create_index(op.f('ix_revisions_at'), 'revisions', ['at'], unique=False)
    op.create_table('sightings',
        sa.Column('digest_id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=False),
        sa.Column('paper_id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=False),
        sa.Column('position', sa.Integer(), nullable=False),
        sa.Column('alert', sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(['digest_id'], ['digests.id'], name=op.f('fk_sightings_digest_id')),
        sa.ForeignKeyConstraint(['paper_id'], ['papers.id'], name=op.f('fk_sightings_paper_id')),
        sa.PrimaryKeyConstraint('digest_id', 'paper_id', name=op.f('pk_sightings'))
    )
    op.create_index(op.f('ix_sightings_paper_id'), 'sightings', ['paper_id'], unique=False)
    op.create_table('summaries',
        sa.Column('id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=False),
        sa.Column('paper_id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=False),
        sa.Column('digest', sa.Text(), nullable=False),
        sa.Column('sentences', sa.JSON(), nullable=False),
        sa.Column('line', sa.Text(), server_default='', nullable=False),
        sa.UniqueConstraint('digest', 'paper_id', name=op.f('uq_summaries_digest_paper_id')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_summaries')),
        sa.ForeignKeyConstraint(['paper_id'], ['papers.id'], name=op.f('fk_summaries_paper_id'))
    )
    op.create_table('tldrs',
        sa.Column('id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=False),
        sa.Column('paper_id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=False),
        sa.Column('model', sa.Text(), nullable=False),
        sa.Column('text', sa.Text(), nullable=True),
        sa.Column('asked_at', sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(['paper_id'], ['papers.id'], name=op.f('fk_tldrs_paper_id')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_tldrs')),
        sqlite_autoincrement=True
    )
    op.create_index(op.f('ix_tldrs_asked_at'), 'tldrs', ['asked_at'], unique=False)
    op.create_index(op.f('ix_tldrs_paper_id_model'), 'tldrs', ['paper_id', 'model'], unique=False)
    op.create_table('votes',
        sa.Column('id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=False),
        sa.Column('reader_id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=False),
        sa.Column('paper_id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=False),
        sa.Column('vote', sa.String(length=16), nullable=False),
        sa.Column('at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('via', sa.Text(), nullable=False),
        sa.Column('voter', sa.Text(), server_default='', nullable=False),
        sa.ForeignKeyConstraint(['reader_id'], ['readers.id'], name=op.f('fk_votes_reader_id'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['paper_id'], ['papers.id'], name=op.f('fk_votes_paper_id')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_votes')),
        sqlite_autoincrement=True
    )
    op.create_index(op.f('ix_votes_reader_id_paper_id_id'), 'votes', ['reader_id', 'paper_id', 'id'], unique=False)
    op.create_table('zotero_connections',
        sa.Column('reader_id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), autoincrement=False, nullable=False),
        sa.Column('library', sa.Text(), nullable=False),
        sa.Column('collections', sa.JSON(), nullable=False),
        sa.Column('sealed_key', sa.Text(), nullable=False),
        sa.Column('saves', sa.Boolean(), nullable=False),
        sa.Column('connected_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('version', sa.BigInteger(), nullable=False),
        sa.Column('checked_at', sa.DateTime(timezone=True), nullable=True),
        sa.Column('failures', sa.Integer(), nullable=False),
        sa.Column('problem', sa.Text(), nullable=False),
        sa.Column('not_before', sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(['reader_id'], ['readers.id'], name=op.f('fk_zotero_connections_reader_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('reader_id', name=op.f('pk_zotero_connections'))
    )
    op.create_table('zotero_saves',
        sa.Column('reader_id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), autoincrement=False, nullable=False),
        sa.Column('paper_id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), autoincrement=False, nullable=False),
        sa.Column('item_key', sa.Text(), nullable=False),
        sa.Column('outbox_key', sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(['reader_id'], ['readers.id'], name=op.f('fk_zotero_saves_reader_id'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['paper_id'], ['papers.id'], name=op.f('fk_zotero_saves_paper_id')),
        sa.PrimaryKeyConstraint('reader_id', 'paper_id', name=op.f('pk_zotero_saves'))
    )
    op.create_table('library_keys',
        sa.Column('library_id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), autoincrement=False, nullable=False),
        sa.Column('key', sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(['library_id'], ['library.id'], name=op.f('fk_library_keys_library_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('library_id', 'key', name=op.f('pk_library_keys'))
    )
    op.create_index(op.f('ix_library_keys_key'), 'library_keys', ['key'], unique=False)
    op.create_table('outbox',
        sa.Column('id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=False),
        sa.Column('key', sa.Text(), nullable=False),
        sa.Column('edition_id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=True),
        sa.Column('reader_id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=False),
        sa.Column('kind', sa.String(length=16), nullable=False),
        sa.Column('part', sa.Integer(), nullable=False),
        sa.Column('subject', sa.Text(), nullable=False),
        sa.Column('date', sa.Date(), nullable=False),
        sa.Column('state', sa.String(length=16), nullable=False),
        sa.Column('token', sa.Text(), nullable=True),
        sa.Column('lease_until', sa.DateTime(timezone=True), nullable=True),
        sa.Column('not_before', sa.DateTime(timezone=True), nullable=True),
        sa.Column('attempts', sa.Integer(), nullable=False),
        sa.Column('code', sa.Text(), nullable=False),
        sa.Column('detail', sa.Text(), nullable=False),
        sa.Column('thread', sa.Text(), server_default='', nullable=False),
        sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('updated_at', sa.DateTime(timezone=True), nullable=False),
        sa.UniqueConstraint('key', name=op.f('uq_outbox_key')),
        sa.ForeignKeyConstraint(['edition_id'], ['editions.id'], name=op.f('fk_outbox_edition_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_outbox')),
        sa.ForeignKeyConstraint(['reader_id'], ['readers.id'], name=op.f('fk_outbox_reader_id'), ondelete='CASCADE'),
        sqlite_autoincrement=True
    )
    op.create_index(op.f('ix_outbox_edition_id_part'), 'outbox', ['edition_id', 'part'], unique=False)
    op.create_index(op.f('ix_outbox_reader_id'), 'outbox', ['reader_id'], unique=False)
    op.create_index(op.f('ix_outbox_state_kind_id'), 'outbox', ['state', 'kind', 'id'], unique=False)
    op.create_table('picks',
        sa.Column('edition_id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=False),
        sa.Column('position', sa.Integer(), autoincrement=False, nullable=False),
        sa.Column('paper_id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=False),
        sa.Column('kind', sa.String(length=16), nullable=False),
        sa.Column('probability', sa.Float(), nullable=False),
        sa.Column('reasons', sa.JSON(), nullable=False),
        sa.Column('summary_id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=True),
        sa.Column('marks', sa.JSON(), server_default='[]', nullable=False),
        sa.Column('predictions', sa.JSON(), server_default='[]', nullable=False),
        sa.ForeignKeyConstraint(['edition_id'], ['editions.id'], name=op.f('fk_picks_edition_id'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['paper_id'], ['papers.id'], name=op.f('fk_picks_paper_id')),
        sa.ForeignKeyConstraint(['summary_id'], ['summaries.id'], name=op.f('fk_picks_summary_id')),
        sa.PrimaryKeyConstraint('edition_id', 'position', name=op.f('pk_picks')),
        sqlite_with_rowid=False
    )
    op.create_table('outbox_bodies',
        sa.Column('outbox_id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), autoincrement=False, nullable=False),
        sa.Column('body', sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(['outbox_id'], ['outbox.id'], name=op.f('fk_outbox_bodies_outbox_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('outbox_id', name=op.f('pk_outbox_bodies'))
    )
    op.create_table('publications',
        sa.Column('paper_id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), autoincrement=False, nullable=False),
        sa.Column('at', sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(['paper_id'], ['papers.id'], name=op.f('fk_publications_paper_id')),
        sa.PrimaryKeyConstraint('paper_id', name=op.f('pk_publications'))
    )
    op.create_index(op.f('ix_publications_at'), 'publications', ['at'], unique=False)
    op.create_table('leading_authors',
        sa.Column('name', sa.Text(), nullable=False),
        sa.Column('paper_id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=False),
        sa.ForeignKeyConstraint(['paper_id'], ['papers.id'], name=op.f('fk_leading_authors_paper_id')),
        sa.PrimaryKeyConstraint('name', 'paper_id', name=op.f('pk_leading_authors'))
    )
    op.create_index(op.f('ix_leading_authors_paper_id'), 'leading_authors', ['paper_id'], unique=False)
    op.create_table('catch_ups',
        sa.Column('edition_id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), autoincrement=False, nullable=False),
        sa.Column('reader_id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=False),
        sa.Column('since', sa.Date(), nullable=False),
        sa.Column('until', sa.Date(), nullable=False),
        sa.Column('arrived', sa.Integer(), nullable=False),
        sa.Column('good', sa.Integer(), nullable=False),
        sa.Column('upto', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=False),
        sa.Column('topics', sa.JSON(), nullable=False),
        sa.Column('skipped', sa.JSON(), nullable=False),
        sa.Column('is_automatic', sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(['edition_id'], ['editions.id'], name=op.f('fk_catch_ups_edition_id'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['reader_id'], ['readers.id'], name=op.f('fk_catch_ups_reader_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('edition_id', name=op.f('pk_catch_ups'))
    )
    op.create_index(op.f('ix_catch_ups_reader_id'), 'catch_ups', ['reader_id'], unique=False)
    op.create_table('visits',
        sa.Column('reader_id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), autoincrement=False, nullable=False),
        sa.Column('day', sa.Date(), nullable=False),
        sa.ForeignKeyConstraint(['reader_id'], ['readers.id'], name=op.f('fk_visits_reader_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('reader_id', name=op.f('pk_visits'))
    )
    salts = op.create_table('salts', sa.Column('salt', sa.Text(), nullable=False), sa.PrimaryKeyConstraint('salt', name=op.f('pk_salts')))
    op.bulk_insert(salts, [{'salt': secrets.token_hex(32)}])
    for statement in _POSTGRESQL if op.get_bind().dialect.name == "postgresql" else _SQLITE:
        op.execute(sa.text(statement))
