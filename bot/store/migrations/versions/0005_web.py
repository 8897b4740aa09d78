"""What the web pages need: readers who came by them, members' thumbs, letters, overrides, limits, search."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
Moment = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Add columns and tables; fill the search index with the papers there are."""
    op.add_column("readers", sa.Column("origin", sa.String(16), nullable=False, server_default="file"))
    op.add_column("thumbs", sa.Column("voter", sa.Text(), nullable=False, server_default=""))
    with op.batch_alter_table("outbox", table_kwargs={"sqlite_autoincrement": True}) as table:
        table.alter_column("edition_id", existing_type=Id, nullable=True)
    _overrides()
    _forgotten()
    _rate_limits()
    for statement in _POSTGRESQL if op.get_bind().dialect.name == "postgresql" else _SQLITE:
        op.execute(sa.text(statement))


def _overrides() -> None:
    op.create_table(
        "overrides",
        sa.Column("reader_id", Id, nullable=False, autoincrement=False),
        sa.Column("size", sa.Integer()),
        sa.Column("at", sa.Time()),
        sa.Column("days", sa.JSON()),
        sa.Column("ignored", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["reader_id"], ["readers.id"], name="fk_overrides_reader_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("reader_id", name="pk_overrides"),
    )


def _forgotten() -> None:
    op.create_table(
        "forgotten",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("at", Moment, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_forgotten"),
    )


def _rate_limits() -> None:
    op.create_table(
        "rate_limits",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("began_at", Moment, nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_rate_limits"),
    )
    op.create_index("ix_rate_limits_began_at", "rate_limits", ["began_at"])


_SQLITE_VALUES = (
    "{0}.id, {0}.title, (SELECT group_concat(value, ' ') FROM json_each({0}.authors)), {0}.abstract"
)
_SQLITE_INSERT = "INSERT INTO papers_search (rowid, title, authors, abstract)"
_SQLITE = (
    "CREATE VIRTUAL TABLE papers_search USING fts5 "
    "(title, authors, abstract, tokenize = 'porter unicode61 remove_diacritics 2')",
    f"{_SQLITE_INSERT} SELECT {_SQLITE_VALUES.format('papers')} FROM papers",
    "CREATE TRIGGER papers_search_new AFTER INSERT ON papers BEGIN "
    f"{_SQLITE_INSERT} SELECT {_SQLITE_VALUES.format('new')}; END",
    "CREATE TRIGGER papers_search_changed AFTER UPDATE ON papers BEGIN "
    "DELETE FROM papers_search WHERE rowid = old.id; "
    f"{_SQLITE_INSERT} SELECT {_SQLITE_VALUES.format('new')}; END",
    "CREATE TRIGGER papers_search_gone AFTER DELETE ON papers BEGIN "
    "DELETE FROM papers_search WHERE rowid = old.id; END",
)

# A tsvector holds a megabyte at most: an abstract's first 100,000 characters are enough to be found by.
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
    f"INSERT INTO papers_search SELECT papers.id, {_POSTGRESQL_WORDS.format('papers')} FROM papers",
    "CREATE FUNCTION papers_search_keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
    f"INSERT INTO papers_search VALUES (NEW.id, {_POSTGRESQL_WORDS.format('NEW')}) "
    "ON CONFLICT (paper_id) DO UPDATE SET words = excluded.words; RETURN NEW; END $$",
    "CREATE TRIGGER papers_search_keep AFTER INSERT OR UPDATE ON papers "
    "FOR EACH ROW EXECUTE FUNCTION papers_search_keep()",
)
