"""Full-text search over the papers, by the database itself: FTS5 on SQLite, tsvector on PostgreSQL.

The index ``papers_search`` is kept by triggers (see migration 0005), so it is right whoever writes a paper.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlalchemy import text

from bot.domain import Paper
from bot.store.engine import Database
from bot.store.papers import load_papers

_WORD = re.compile(r"\w+")
_MOST_WORDS = 20

# Title, authors, abstract: a word in the title says most.
_SQLITE = text(
    "SELECT rowid FROM papers_search WHERE papers_search MATCH :words "
    "ORDER BY bm25(papers_search, 10.0, 4.0, 1.0), rowid DESC LIMIT :limit"
)
_POSTGRESQL = text(
    "SELECT paper_id FROM papers_search, plainto_tsquery('english', :words) AS wanted WHERE words @@ wanted "
    "ORDER BY ts_rank(words, wanted) DESC, paper_id DESC LIMIT :limit"
)


class Search:
    """Finds papers by words of their titles, authors and abstracts."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def papers(self, words: str, limit: int = 30) -> list[Paper]:
        """Return the papers that have all the words, in whatever grammatical form, best first.

        Nothing in ``words`` is syntax. Without a word there is nothing to find.
        """
        wanted = _WORD.findall(words)[:_MOST_WORDS]
        if not wanted:
            return []
        with self._database.reading() as connection:
            on_server = connection.dialect.name == "postgresql"
            query, spoken = (_POSTGRESQL, " ".join(wanted)) if on_server else (_SQLITE, _phrases(wanted))
            found = connection.scalars(query, {"words": spoken, "limit": limit})
            return list(load_papers(connection, list(found)).values())


def _phrases(words: Sequence[str]) -> str:
    """Each word as a string of FTS5's query language, where ``AND`` and the like mean themselves."""
    return " ".join(f'"{word}"' for word in words)
