"""The tables as of the first release, with the full-text index over papers and the triggers that maintain it.

The tables, in ``bot/store/migrations/initial/``, are a frozen copy of ``schema.py``: later migrations begin from these,
however the schema changes.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

# Each adds its tables to ``tables``.
from bot.store.migrations.initial import editions, papers, readers  # noqa: F401
from bot.store.migrations.initial.columns import tables

revision = "0001"
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
    """Create the tables and the search index."""
    connection = op.get_bind()
    tables.create_all(connection, checkfirst=False)
    for statement in _POSTGRESQL if connection.dialect.name == "postgresql" else _SQLITE:
        op.execute(sa.text(statement))
