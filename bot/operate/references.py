"""Look up at OpenAlex what papers near readers' thresholds cite.

A day (UTC) has at most ``A_DAY`` papers, each looked up once by DOI or arXiv id. After a failure, look-ups wait like a
source.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from http import HTTPStatus
from itertools import chain
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from bot.editions.composer import Context
from bot.editions.due import with_profiles
from bot.formats import Parser
from bot.model import Entry, Fact, FactKind, Paper, PaperId, Problem, RawDigest, SourceState
from bot.model.errors import DigestError, PaperbotError, SourceError, in_one_line
from bot.model.papers import citation, is_cited, keys
from bot.sources import HttpError, after_failure, after_success, is_due
from bot.sources.openalex import URL
from bot.store import Store

if TYPE_CHECKING:  # httpx2 takes long to import
    from bot.sources.http import Fetcher

NAME = "links.references"  # no source's name has a full stop
A_DAY = 10
_ORIGIN = "OpenAlex"
_MOST_READERS = 20
_LAST = 5_000  # newest votes and library papers
_NEAR = 1.5  # log-odds
_LEAST_THRESHOLD = 0.04  # for editions without a threshold
_MOST_REFERENCES = 100
_FIELDS = "id,doi,title,type,primary_location,best_oa_location"
_WORK = re.compile(rb'"https?://openalex\.org/(W\d{1,12})"')
_UNKNOWN = (HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_FOUND, HTTPStatus.GONE)


def failing(store: Store) -> list[Problem]:
    """Return a problem if the last look-up failed."""
    state = store.sources.states().get(NAME)
    return [Problem(NAME, f"failing: {state.problem}")] if state and state.failures else []


@dataclass(frozen=True, slots=True)
class References:
    """Stores citations that readers may know."""

    context: Context
    fetcher: Fetcher
    parser: Parser
    url: str = URL

    def look_up(self, now: datetime) -> list[Problem]:
        """Look up new papers within the day's budget, and return problems."""
        with self.context.store.exclusively(NAME) as has_lock:
            try:
                return self._look_up(now) if has_lock else []
            except PaperbotError:
                raise
            except Exception as error:
                # A failed look-up must not cost anybody an edition.
                return [Problem(NAME, in_one_line(error, NAME))]

    def _look_up(self, now: datetime) -> list[Problem]:
        store = self.context.store
        state = store.sources.states().get(NAME) or SourceState(NAME)
        day, newest = now.date().isoformat(), str(store.papers.newest_id())
        asked = int(state.memory.get("asked", "0")) if state.memory.get("day") == day else 0
        is_waiting = state.failures > 0 and not is_due(timedelta(days=1), state, now)
        if asked >= A_DAY or is_waiting or (state.memory.get("newest") == newest and not state.failures):
            return []
        problems: list[Problem] = []
        for paper in self._near_threshold(now)[: A_DAY - asked]:
            asked += 1
            try:
                cited = self._cited(paper)
            except DigestError as error:
                problems.append(Problem(NAME, f"{paper.ref}: {error}"))
                cited = []
            except SourceError as error:
                problem = Problem(NAME, f"looking references up: {error}")
                failed = after_failure(state, problem, error.retry_after, now)
                memory = {**state.memory, "day": day, "asked": str(asked)}
                store.sources.record(replace(failed, memory=memory))
                return [*problems, problem]
            identity_keys = [key for entry in cited for key in keys(entry)]
            known = [*store.papers.with_keys(identity_keys), *store.library.any_with_keys(identity_keys)]
            facts = [
                citation(entry, _ORIGIN)
                for entry in cited
                if any(is_cited(entry, known_paper) for known_paper in known)
            ]
            # The first fact marks the paper as looked up.
            store.papers.add_facts(paper.id, [Fact(FactKind.REFERENCES, str(len(cited)), _ORIGIN), *facts])
        store.sources.record(after_success(state, {"day": day, "asked": str(asked), "newest": newest}, now))
        return problems

    def _near_threshold(self, now: datetime) -> list[Paper]:
        """Return papers new to readers near their thresholds, the nearest first."""
        store = self.context.store
        distances: dict[PaperId, float] = {}
        voters, _ = store.feedback.last_voters(_LAST)
        ids = list(dict.fromkeys(chain(store.library.last_owners(_LAST), voters)))[:_MOST_READERS]
        readers = [reader for reader in map(store.readers.by_id, ids) if reader and not reader.stopped]
        for reader, profile in with_profiles(store, self.context.profiles, readers):
            new = self.context.composer.candidates(reader, profile)
            ranked = self.context.composer.ranked(reader, profile, new.ids, now)
            least = max(profile.edition.fills_from, _LEAST_THRESHOLD)
            threshold = math.log(least / (1 - least)) if least < 1 else math.inf
            for score in ranked.scores if ranked else ():
                distance = abs(score.log_odds - threshold)
                if distance <= _NEAR and not (score.muted or score.missing_terms):
                    distances[score.paper] = min(distance, distances.get(score.paper, distance))
        papers = store.papers.get(sorted(distances, key=lambda paper: (distances[paper], -paper)))
        return [
            paper
            for paper in papers.values()
            if _doi(paper) and all(fact.kind is not FactKind.REFERENCES for fact in paper.facts)
        ]

    def _cited(self, paper: Paper) -> list[Entry]:
        """Return cited papers. Raises SourceError and DigestError."""
        try:
            work = self.fetcher.fetch(f"{self.url}/doi:{quote(_doi(paper))}?select=referenced_works").content or b""
        except HttpError as error:
            if error.status in _UNKNOWN:
                return []
            raise
        ids = list(dict.fromkeys(found.decode() for found in _WORK.findall(work)))[:_MOST_REFERENCES]
        if not ids:
            return []
        query = {"filter": f"openalex_id:{'|'.join(ids)}", "per_page": _MOST_REFERENCES, "select": _FIELDS}
        page = self.fetcher.fetch(f"{self.url}?{urlencode(query)}").content or b""
        return [entry for digest in self.parser.parse(RawDigest(NAME, "", page)) for entry in digest.entries]


def _doi(paper: Paper) -> str:
    """Return a paper's DOI, also arXiv's own, or an empty string."""
    return paper.doi or (f"10.48550/arxiv.{paper.arxiv_id}" if paper.arxiv_id else "")
