"""Articles of PubMed by query, through NCBI's E-utilities: esearch lists identifiers, efetch has the records.

Types and MeSH terms come days after the record, so each poll looks back some weeks by the date of entry. It
fetches only what earlier polls did not. NCBI allows three requests a second.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Annotated

from pydantic import StringConstraints

from bot.config.tables import FetchUrl, Minutes, PolledOptions
from bot.model import Problem, RawDigest
from bot.model.errors import SourceError
from bot.sources import FetchedSource, HttpError, SourceKind, Visit, in_search, without_key

URL = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils"
BATCH = 100  # articles. 100 have some 2 MB, with their references
MAX_ARTICLES = 2_000  # of one poll
MAX_FOUND = 9_999  # esearch lists no more of PubMed
FIRST_LOOK_BACK = timedelta(days=7)
_LATE = timedelta(days=30)  # how long after its entry an article may get its types and MeSH terms
_COUNT = re.compile(rb"<Count>\s*(\d{1,9})\s*<")
_ID = re.compile(rb"<Id>\s*(\d{1,9})\s*<")
# E-utilities answer errors with status 200, too.
_ERROR = re.compile(rb"<ERROR>([^<]{1,300})<|\A\s*\{[^}]{0,300}?\"(?i:error)\"\s*:\s*\"([^\"]{1,300})\"")
_NOT_FOUND = re.compile(rb"<(?:Phrase|Field|QuotedPhrase)NotFound>([^<]{1,300})<")


class PubmedOptions(PolledOptions):
    """The query, such as ``asthma[MeSH Terms]``, and the publication types, or all."""

    query: Annotated[str, StringConstraints(max_length=2_000)]
    types: tuple[Annotated[str, StringConstraints(pattern=r'^[^"\[\]]{1,100}$')], ...] = ()
    url: FetchUrl = URL
    every: Minutes = 360

    def mistakes(self) -> Iterator[tuple[str, str]]:
        yield from (("query", problem) for problem in in_search(self.query))


class PubmedSource(FetchedSource[PubmedOptions]):
    """The articles of a query, the newest first."""

    def retrieve(self, visit: Visit) -> Iterator[RawDigest | Problem]:
        today = visit.now.date()
        query = self.options.query
        if self.options.types:
            types = " OR ".join(f'"{name}"[Publication Type]' for name in self.options.types)
            query = f"({query}) AND ({types})"
        memory = visit.memory_of("query", query)
        first = date.fromisoformat(memory["first"]) if "first" in memory else today - FIRST_LOOK_BACK
        period = {"datetype": "edat", "mindate": f"{max(first, today - _LATE):%Y/%m/%d}", "maxdate": "3000"}
        found = self._ask("esearch", {"term": query, "retmax": MAX_FOUND, **period}, b"</eSearchResult>")
        identifiers = sorted({int(identifier) for identifier in _ID.findall(found)}, reverse=True)
        if phrases := dict.fromkeys(phrase.decode(errors="replace").strip() for phrase in _NOT_FOUND.findall(found)):
            unknown = f"PubMed doesn't know {', '.join(phrases)[:300]}; correct its query or types"
            if not identifiers:
                raise SourceError(unknown)
            if not memory:
                # Once: PubMed goes on without the phrase, and may be right.
                visit.lasting.update({"query": query, "first": first.isoformat()})
                yield Problem(self.name, unknown)
        known = set(memory.get("fetched", "").split())
        new = [identifier for identifier in map(str, identifiers) if identifier not in known]
        for start in range(0, min(len(new), MAX_ARTICLES), BATCH):
            name = f"{today} {self.options.query} from {start + 1}"
            yield RawDigest(self.name, name, self.articles(new[start : start + BATCH]))
        count = _COUNT.search(found)
        if len(new) > MAX_ARTICLES or (count and int(count[1]) > MAX_FOUND):
            yield Problem(self.name, f"more than {MAX_ARTICLES:,} new articles; make its query narrower")
        fetched = " ".join(map(str, identifiers))
        visit.memory.update({"query": query, "first": first.isoformat(), "fetched": fetched})

    def articles(self, identifiers: Sequence[str]) -> bytes:
        return self._ask("efetch", {"id": ",".join(identifiers), "retmode": "xml"}, b"</PubmedArticleSet>")

    def _ask(self, utility: str, parameters: Mapping[str, object], end: bytes) -> bytes:
        """Return the answer of a utility. Raises SourceError if it lacks this ``end``, never with the key in it."""
        # NCBI's guidelines ask for both (https://www.ncbi.nlm.nih.gov/books/NBK25497/).
        sender = {"tool": "paperbot", "email": self.fetcher.contact, "api_key": self.key}
        address = self.options.url.rstrip("/")
        try:
            answer = self.get(f"{address}/{utility}.fcgi", {"db": "pubmed", **parameters, **sender})
        except SourceError as error:
            message = _stated(error.body) if isinstance(error, HttpError) else ""
            raise SourceError(without_key(message or str(error), self.key), retry_after=error.retry_after) from None
        if problem := _stated(answer):
            raise SourceError(without_key(problem, self.key))
        if not answer.rstrip().endswith(end):
            raise SourceError(f"PubMed's answer to {utility} is not complete; it is polled again later")
        return answer


def _stated(answer: bytes) -> str:
    """Return the error that an answer states, and its remedy, or an empty string."""
    error = _ERROR.search(answer)
    if error is None:
        return ""
    text = next(filter(None, error.groups())).decode(errors="replace").strip()
    is_key = "api key" in text.lower()
    return f"PubMed answers: {text}; {'correct the key' if is_key else 'wait, or correct its query'}"


PUBMED = SourceKind("pubmed", PubmedOptions, PubmedSource.make)
