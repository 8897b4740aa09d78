"""Full-text search over the papers, by the database itself: FTS5 on SQLite, tsvector on PostgreSQL.

Triggers maintain the index ``papers_search`` (see the first migration), so every write to a paper reaches it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlalchemy import TextClause, text

from bot.domain import Paper
from bot.store.engine import Aggregate
from bot.store.paper_rows import load_papers

_WORD = re.compile(r"\w+")
_MAX_WORDS = 20

# BM25 with weights for title, authors and abstract; FTS5's scores are negative, the best the lowest.
_SQLITE = text(
    "SELECT rowid FROM papers_search WHERE papers_search MATCH :words "
    "ORDER BY bm25(papers_search, 10.0, 4.0, 1.0), rowid DESC LIMIT :limit"
)
_POSTGRESQL = text(
    "SELECT paper_id FROM papers_search, plainto_tsquery('english', :words) AS query WHERE words @@ query "
    "ORDER BY ts_rank(words, query) DESC, paper_id DESC LIMIT :limit"
)
# websearch_to_tsquery never raises for what it can't read, and knows "or".
_POSTGRESQL_ANY = text(_POSTGRESQL.text.replace("plainto_tsquery", "websearch_to_tsquery"))


class Search(Aggregate):
    """Search for papers by words of their titles, authors and abstracts."""

    def papers(self, words: str, limit: int = 30) -> list[Paper]:
        """Return the papers that contain all the words, in any grammatical form, best match first.

        Nothing in ``words`` is query syntax. Without a word the result is empty.
        """
        return self._best(_WORD.findall(words)[:_MAX_WORDS], " ", limit, _POSTGRESQL)

    def with_any(self, words: Sequence[str], limit: int) -> list[Paper]:
        """Return the papers that contain any of the words, best match first."""
        terms = [term for word in words for term in _WORD.findall(word)]
        return self._best(terms[:_MAX_WORDS], " OR ", limit, _POSTGRESQL_ANY)

    def _best(self, terms: Sequence[str], joiner: str, limit: int, postgresql: TextClause) -> list[Paper]:
        if not terms:
            return []
        # Quoted, so that AND, OR, NOT and NEAR are words and not operators of FTS5.
        quoted = joiner.join(f'"{term}"' for term in terms)
        with self._database.reading() as connection:
            statement = postgresql if connection.dialect.name == "postgresql" else _SQLITE
            rows = connection.scalars(statement, {"words": quoted, "limit": limit})
            return list(load_papers(connection, rows.all()).values())
