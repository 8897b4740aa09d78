"""The search index of SQLite reads papers instead of a copy, and tables of keys are stored once.

``papers_search`` gets an external content (sqlite.org/fts5.html, section 4.4.3): a view, because authors are JSON.
Triggers write what changed. FTS5 prepares its reading without virtual tables, so the view can't use ``json_each``.
"""

from __future__ import annotations

from alembic import op

revision = "0014"
down_revision = "0013"

# One string of the names, unescaped by ``json_extract``. JSON writes a comma between quotes only there, and where a name
# is a comma: then the JSON itself is indexed.
_JOINED = """replace(replace({0}.authors, '", "', ' '), '","', ' ')"""
_AUTHORS = f"CASE WHEN json_valid({_JOINED}) THEN json_extract({_JOINED}, '$[0]') ELSE {{0}}.authors END"
_VALUES = f"{{0}}.id, {{0}}.title, {_AUTHORS}, {{0}}.abstract"
_FORGET = (
    "INSERT INTO papers_search (papers_search, rowid, title, authors, abstract) "
    f"VALUES ('delete', {_VALUES.format('old')}); "
)
_INDEX = f"INSERT INTO papers_search (rowid, title, authors, abstract) VALUES ({_VALUES.format('new')}); "
_SQLITE = (
    "DROP TRIGGER papers_search_new",
    "DROP TRIGGER papers_search_changed",
    "DROP TRIGGER papers_search_gone",
    "DROP TABLE papers_search",
    f"CREATE VIEW papers_search_text AS SELECT id, title, {_AUTHORS.format('papers')} AS authors, abstract FROM papers",
    "CREATE VIRTUAL TABLE papers_search USING fts5 (title, authors, abstract, content = 'papers_search_text', "
    "content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2')",
    f"CREATE TRIGGER papers_search_new AFTER INSERT ON papers BEGIN {_INDEX}END",
    "CREATE TRIGGER papers_search_changed AFTER UPDATE OF title, authors, abstract ON papers "
    "WHEN old.title <> new.title OR old.authors <> new.authors OR old.abstract <> new.abstract "
    f"BEGIN {_FORGET}{_INDEX}END",
    f"CREATE TRIGGER papers_search_gone AFTER DELETE ON papers BEGIN {_FORGET}END",
    "INSERT INTO papers_search (papers_search) VALUES ('rebuild')",
)
# Without a rowid, a table is its primary key, which would be a copy of it otherwise.
_KEYS = (
    ("paper_keys", "key"),
    ("leading_authors", "name"),
)


def upgrade() -> None:
    """Change SQLite only: PostgreSQL's index holds no text."""
    if op.get_bind().dialect.name != "sqlite":
        return
    for statement in _SQLITE:
        op.execute(statement)
    for name, key in _KEYS:
        op.execute(
            f"CREATE TABLE {name}_new ({key} TEXT NOT NULL, paper_id INTEGER NOT NULL, "
            f"CONSTRAINT pk_{name} PRIMARY KEY ({key}, paper_id), "
            f"CONSTRAINT fk_{name}_paper_id FOREIGN KEY(paper_id) REFERENCES papers (id)) WITHOUT ROWID"
        )
        op.execute(f"INSERT INTO {name}_new SELECT {key}, paper_id FROM {name}")
        op.execute(f"DROP TABLE {name}")
        op.execute(f"ALTER TABLE {name}_new RENAME TO {name}")
    op.execute("CREATE INDEX ix_leading_authors_paper_id ON leading_authors (paper_id)")
