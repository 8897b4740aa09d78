"""How often a host is asked: the least time between two requests to it, over all sources of a process.

This is the rate within one run. How often a source is polled is ``every`` under ``[[sources]]`` (the defaults for
each kind stand in ``bot/config/settings.py``), and ``bot/ingestion/polling.py`` decides when a poll is due.
"""

from __future__ import annotations

SECONDS_BETWEEN_REQUESTS = 1.0
# arXiv's terms for its API: at most one request every three seconds (https://info.arxiv.org/help/api/tou.html).
# The same interval is kept for its feeds.
ARXIV_SECONDS_BETWEEN_REQUESTS = 3.0


def seconds_between_requests(host: str) -> float:
    """Return the least number of seconds between two requests to a host.

    >>> seconds_between_requests("export.arxiv.org"), seconds_between_requests("notarxiv.org")
    (3.0, 1.0)
    """
    is_arxiv = f".{host}".endswith(".arxiv.org")
    return ARXIV_SECONDS_BETWEEN_REQUESTS if is_arxiv else SECONDS_BETWEEN_REQUESTS
