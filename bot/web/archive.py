"""Editions in the browser: open profiles, a reader's days, the archive, and feeds and exports."""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from datetime import date
from itertools import groupby
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from bot.channels import is_shared
from bot.channels.email import EMAIL
from bot.channels.papers import category_in_words, facts, path, title_link
from bot.config.keys import Purpose
from bot.config.profiles import Profile, dump_profile
from bot.editions.catch_up import CatchUpRequest, gaps, put_catch_up, skipped_papers
from bot.editions.connections import GroupLikes
from bot.editions.due import FIRST_LOOK_BACK, superseded
from bot.model import NOT_STORED, Edition, EditionKind, Paper, QuietReason, Reader
from bot.model.wording import oneline, plural
from bot.store.editions import StoredEdition
from bot.text.latex import readable
from bot.text.tokens import tokens
from bot.web.site import Site, field, own_path, page_number, page_of, parse_day, require_personal
from bot.wording import catch_up_days

if TYPE_CHECKING:
    from jinja2 import Environment


_DAYS_A_PAGE = 20
_SKIPPED_A_PAGE = 30
_MORE_SHOWN = 30
_CATCH_UPS_A_MINUTE = 5
_MOST_CACHED = 100  # editions


def public_part(paper: Paper) -> Paper:
    """Return the paper without readers' alerts, which reveal their interests."""
    return replace(paper, sightings=tuple(replace(sighting, alert=None) for sighting in paper.sightings))


def public_edition(edition: Edition, *, is_open: bool) -> Edition:
    """Return an edition for strangers.

    Reasons, marks and topics quote the reader's words and likes, or those of an open profile, which are public.
    """
    picks = [replace(pick, paper=public_part(pick.paper)) for pick in edition.picks]
    catch_up = edition.catch_up
    if not is_open:
        unmarked = [tuple(replace(sentence, marks=()) for sentence in pick.summary) for pick in picks]
        picks = [replace(pick, reasons=(), summary=summary) for pick, summary in zip(picks, unmarked, strict=True)]
        catch_up = catch_up and replace(catch_up, groups=())
    quiet = edition.quiet
    if quiet and quiet.reason in (QuietReason.BELOW, QuietReason.MUTED, QuietReason.LACKING):
        papers = plural(edition.considered, "new paper")
        quiet = replace(quiet, words=f"{papers} came in, and none comes close enough to this list.")
    closest = tuple(map(public_part, edition.closest))
    return replace(
        edition, picks=tuple(picks), catch_up=catch_up, quiet=quiet, closest=closest, follow_ups=(), group_likes=()
    )


class EditionCache:
    """Editions by profile and newest paper. A change of either composes an edition again."""

    def __init__(self, site: Site) -> None:
        self._papers = site.store.papers
        self._cache: dict[Hashable, Edition] = {}
        self._lock = threading.Lock()

    def get(self, name: Hashable, profile: Profile, compose: Callable[[], Edition]) -> Edition:
        with self._lock:
            key = name, dump_profile(profile), self._papers.newest_id()
            if key not in self._cache:
                if len(self._cache) >= _MOST_CACHED:
                    self._cache.clear()
                self._cache[key] = compose()
            return self._cache[key]


class OpenEditions:
    """The latest edition of each open profile."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._cache = EditionCache(site)

    def editions(self) -> list[Edition]:
        return [self.edition(slug) for slug in self._site.open_profiles()]

    def profile(self, slug: str) -> Profile:
        """Return an open profile. Raises HTTPException."""
        profile = self._site.open_profiles().get(slug)
        if profile is None:
            raise HTTPException(404, "There is no open profile of this name.")
        return profile

    def edition(self, slug: str) -> Edition:
        profile = self.profile(slug)
        return self._cache.get(slug, profile, lambda: self.compose(slug, profile))

    def compose(self, slug: str, profile: Profile) -> Edition:
        """Compose the edition of a reader without votes. Stores nothing."""
        # By the newest paper, so the feed of the same papers stays the same.
        now = self._site.store.papers.newest_first_seen() or self._site.now
        # Without votes, exploration teaches nothing.
        section = profile.edition.model_copy(update={"explore": 0})
        without_exploration = profile.model_copy(update={"edition": section})
        reader = Reader(NOT_STORED, slug, EMAIL.name, "")
        with self._site.composer() as composer:
            edition = composer.edition(reader, without_exploration, profile.schedule.day_of(now), now)
        return public_edition(edition, is_open=True)

    def show(self, request: Request) -> Response:
        edition = self.edition(request.path_params["slug"])
        return self._site.page("open.html.j2", language=edition.language, edition=edition, slug=edition.reader.profile)

    def feed(self, request: Request) -> Response:
        edition = self.edition(request.path_params["slug"])
        text = atom(self._site.app.templates, edition, self._site.app.public_url)
        return Response(text, media_type="application/atom+xml")

    def papers(self, request: Request) -> list[Paper]:
        return [pick.paper for pick in self.edition(request.path_params["slug"]).picks]


def papers_file(papers: Sequence[Paper], extension: str) -> Response:
    if extension == "bib":
        return attachment(bibtex(papers), "application/x-bibtex; charset=utf-8", "papers.bib")
    return attachment(ris(papers), "application/x-research-info-systems; charset=utf-8", "papers.ris")


def attachment(text: str, media_type: str, filename: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{filename}"'}
    return Response(text, media_type=media_type, headers=headers)


class EditionPages:
    """``/edition/{token}`` for sharing, and a reader's own editions and archive below ``/me``."""

    def __init__(self, site: Site, publish_soon: Callable[[], None]) -> None:
        self._site = site
        self._publish_soon = publish_soon

    def show_shared(self, request: Request) -> Response:
        return self._page(self._of_link(request))

    def show_own(self, request: Request) -> Response:
        reader = self._site.reader(request, Purpose.ME)
        try:
            day = date.fromisoformat(request.path_params["day"])
        except ValueError:
            raise HTTPException(404, "Not a valid date.") from None
        return self._page(self._of_day(request, reader, day), own_path(request))

    def papers(self, request: Request) -> list[Paper]:
        return [pick.paper for edition in self._of_link(request) for pick in edition.picks]

    def _page(self, editions: Sequence[Edition], me: str = "") -> Response:
        reader, day = editions[0].reader, editions[0].date
        if not me:
            in_file = self._site.profiles().get(reader.profile)
            # The reader's own title may be made of their interests.
            title = in_file.title if in_file else reader.profile
            editions = [replace(public_edition(e, is_open=False), profile_title=title) for e in editions]
        elif reader.profile in self._site.profiles():
            profiles = {reader.profile: self._site.profile_in_file(reader)}
            likes = GroupLikes(self._site.store, profiles, self._site.now)
            editions = [
                replace(edition, group_likes=likes.of_papers(reader, [pick.paper for pick in edition.picks]))
                for edition in editions
            ]
        last = self._latest(reader)
        shown = [pick.paper for edition in editions for pick in edition.picks]
        shown += [paper for edition in editions for paper in edition.closest]
        return self._site.page(
            "edition.html.j2",
            me=me,
            language=editions[0].language,
            editions=editions,
            is_latest=bool(me and last and last.date == day),
            shared=path(self._site.app.links(reader).edition(day)),
            **self._site.own(reader if me else None, shown, f"{me}/edition/{day}"),
        )

    def redirect_to_today(self, request: Request) -> Response:
        reader = self._site.reader(request, Purpose.ME)
        last = self._latest(reader)
        page = f"edition/{last.date}" if last else "archive"
        return RedirectResponse(f"{own_path(request)}/{page}", 303)

    def _latest(self, reader: Reader) -> StoredEdition | None:
        """Return the last edition with papers, or else the last quiet one."""
        editions = self._site.store.editions
        return editions.last_with_picks(reader.id) or editions.last(reader.id)

    def archive(self, request: Request) -> Response:
        return self._archive(request, self._site.viewer(request, Purpose.ME))

    def catch_up(self, request: Request) -> Response:
        """Compose and send the catch-up edition of a gap, and show it."""
        reader = require_personal(self._site.viewer(request, Purpose.ME))
        profile = self._site.profile_of(reader)
        if reader.stopped:
            raise HTTPException(403, "You get no editions at present. Your preferences tell you why.")
        self._site.limit_rate("catch-ups", str(reader.id), _CATCH_UPS_A_MINUTE)
        site, now = self._site, self._site.now
        with site.composer() as composer:
            found = gaps(site.store, reader, profile, now)
            gap = next((gap for gap in found if gap.since.isoformat() == field(request, "since")), None)
            if gap is None:
                return RedirectResponse(f"{own_path(request)}/archive", 303)
            until = gap.until if gap.is_past else None
            edition, _ = put_catch_up(
                replace(site.app.context(site.profiles()), composer=composer),
                CatchUpRequest(reader, profile, gap.since, until),
                now,
                site.app.tldr_writer,
            )
        if not edition.picks:
            papers = plural(gap.papers, "paper")
            words = f"Nothing to catch up on: of {papers}, no unseen one comes close enough to what you want."
            return self._archive(request, reader, words)
        self._publish_soon()
        return RedirectResponse(f"{own_path(request)}/edition/{edition.date}", 303)

    def more(self, request: Request) -> Response:
        """Show a day's strong and good matches that its edition had no place for."""
        reader = self._site.viewer(request, Purpose.ME)
        profile, day = self._site.profile_of(reader), request.path_params["day"]
        store = self._site.store
        stored = store.editions.of_reader(reader.id)
        of_day = [n for n, edition in enumerate(stored) if str(edition.date) == day]
        if not of_day:
            raise HTTPException(404, "There is no edition of this day.")
        last, before = stored[of_day[0]], stored[of_day[-1] + 1 :]
        if before:
            after = before[0].watermark
        else:
            newest = store.papers.get([last.watermark]).get(last.watermark)
            after = store.papers.last_before(newest.first_seen - FIRST_LOOK_BACK) if newest else 0
        voted = {vote.paper for vote in (*store.feedback.votes(reader.id), *store.feedback.saved(reader.id))}
        voted -= store.editions.shown(reader.id).keys()
        hidden = superseded(store, self._site.app.composer.samples)
        ids = {*store.papers.new_to(reader.id, after, profile.sources), *voted} - hidden
        of_day = sorted(paper_id for paper_id in ids if after < paper_id <= last.watermark)
        with self._site.composer() as composer:
            ranked = composer.ranked(reader, profile, of_day, self._site.now)
            best = ranked.good(profile)[:_MORE_SHOWN] if ranked else []
            picks = ranked.picks_of(best, profile.edition.summary_sentences) if ranked else []
        papers = [pick.paper for pick in picks]
        return self._site.list_page(request, "more.html.j2", reader, papers, day=last.date, picks=picks)

    def skipped(self, request: Request) -> Response:
        reader = self._site.viewer(request, Purpose.ME)
        of_reader = self._site.store.catch_ups.of_reader(reader.id)
        found = next((catch_up for _, day, catch_up in of_reader if str(day) == request.path_params["day"]), None)
        if found is None:
            raise HTTPException(404, "No edition of this day catches up.")
        first = (page_number(request) - 1) * _SKIPPED_A_PAGE
        papers = skipped_papers(self._site.store, found, first, _SKIPPED_A_PAGE)
        return self._site.list_page(
            request,
            "skipped.html.j2",
            reader,
            [paper for paper, _ in papers],
            day=request.path_params["day"],
            days=catch_up_days(found, self._site.language_of(reader)),
            catch_up=found,
            skipped=papers,
            page=page_number(request),
            more=len(found.skipped) > first + _SKIPPED_A_PAGE,
        )

    def _archive(self, request: Request, reader: Reader, message: str = "") -> Response:
        store = self._site.store
        may_catch_up = reader.profile in self._site.profiles() and not (reader.stopped or is_shared(reader))
        found = gaps(store, reader, self._site.profile_of(reader), self._site.now) if may_catch_up else []
        stored = store.editions.of_reader(reader.id)
        days = [(day, list(editions)) for day, editions in groupby(stored, lambda edition: edition.date)]
        on_page, paging = page_of(request, days, _DAYS_A_PAGE)
        shown = [
            (day, [pick.paper for edition in editions for pick in store.editions.picks_of(edition.id)])
            for day, editions in on_page
        ]
        return self._site.list_page(
            request,
            "archive.html.j2",
            reader,
            [paper for _, papers in shown for paper in papers],
            days=shown,
            gaps=found if paging["page"] == 1 else [],
            message=message,
            **paging,
        )

    def _of_link(self, request: Request) -> list[Edition]:
        reader_id, ordinal = self._site.payload(request, Purpose.EDITION)
        reader = self._site.reader_with(reader_id)
        self._site.note_visit(reader)
        return self._of_day(request, reader, parse_day(ordinal))

    def _of_day(self, request: Request, reader: Reader, day: date) -> list[Edition]:
        self._site.count_view(request, reader)
        stored = [e for e in self._site.store.editions.of_reader(reader.id) if e.date == day]
        if not stored:
            raise HTTPException(404, "There is no edition of this day.")
        return [load_edition(self._site, reader, edition) for edition in reversed(stored)]


def load_edition(site: Site, reader: Reader, stored: StoredEdition) -> Edition:
    profile = site.profiles().get(reader.profile)
    return Edition(
        reader=reader,
        profile_title=site.title_of(reader),
        date=stored.date,
        composed_at=stored.composed_at,
        picks=site.store.editions.picks_of(stored.id),
        considered=stored.considered,
        watermark=stored.watermark,
        quiet=stored.quiet,
        kind=stored.kind,
        catch_up=site.store.catch_ups.get(stored.id) if stored.kind is EditionKind.CATCH_UP else None,
        missing=stored.missing,
        closest=tuple(site.store.papers.get(stored.closest).values()),
        more=stored.more,
        follow_ups=site.store.editions.follow_ups_of(stored.id),
        language=site.language_of(reader),
        is_weekly=bool(profile and profile.schedule.is_weekly),
    )


def atom(templates: Environment, edition: Edition, public_url: str) -> str:
    page = f"{public_url}/open/{edition.reader.profile}"
    return templates.get_template("pages/feed.atom.j2").render(edition=edition, page=page)


# BibTeX and RIS for EndNote, Zotero and Mendeley.
_TEX = {
    **{c: f"\\{c}" for c in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}
_TEX_TABLE = str.maketrans(_TEX)
_NOT_IN_KEY = re.compile(r"[^a-z0-9]+")


def bibtex(papers: Iterable[Paper]) -> str:
    entries = []
    for paper in papers:
        published = paper.published
        fields = {
            # Without braces, styles change a title to lower case.
            "title": "{" + _tex(paper.title) + "}",
            # " and " separates authors, and "," their names. Institutions with either need braces.
            "author": " and ".join(
                "{" + _tex(author) + "}" if " and " in author.lower() or "," in author else _tex(author)
                for author in _authors(paper)
            ),
            "year": str(published.year) if published else "",
            "month": f"{published:%b}".lower() if published else "",
            "eprint": paper.arxiv_id or "",
            "archiveprefix": "arXiv" if paper.arxiv_id else "",
            "primaryclass": _tex(paper.categories[0]) if paper.arxiv_id and paper.categories else "",
            "doi": _tex(paper.doi or ""),
            "url": title_link(paper).url,
            "note": _tex(_note(paper)),
        }
        lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
        entries.append("\n".join([f"@misc{{{_citation_key(paper)},", *lines, "}\n"]))
    return "\n".join(entries)


def ris(papers: Iterable[Paper]) -> str:
    references = []
    for paper in papers:
        published = paper.published
        fields = [
            # UNPB, unpublished work: RIS has no type for preprints.
            ("TY", "UNPB"),
            ("TI", oneline(readable(paper.title))),
            *(("AU", author) for author in _authors(paper)),
            ("PY", str(published.year) if published else ""),
            ("DA", f"{published:%Y/%m/%d}" if published else ""),
            ("DO", oneline(paper.doi or "")),
            ("M1", f"arXiv:{paper.arxiv_id}" if paper.arxiv_id else ""),
            ("UR", title_link(paper).url),
            ("N1", oneline(_note(paper))),
            ("AB", oneline(readable(paper.abstract))),
        ]
        lines = [f"{tag}  - {value}\r\n" for tag, value in fields if value]
        references.append("".join([*lines, "ER  - \r\n\r\n"]))
    return "".join(references)


def _note(paper: Paper) -> str:
    words = category_in_words(paper.categories[0]) if paper.categories else ""
    noted = [fact for fact in facts(paper, beside_seen=False) if fact.text not in (words, "PDF")]
    parts = [f"{fact.text}: {fact.url}" if fact.url else fact.text for fact in noted]
    return "; ".join(
        [*parts, *([f"The address searches {site} for the title"] if (site := title_link(paper).site) else [])]
    )


def _citation_key(paper: Paper) -> str:
    """Return ``lovelace2025p17``: the author's last name or a word of the title, year, id."""
    # BibTeX keys are ASCII.
    words = [author.split()[-1] for author in _authors(paper)[:1]] or [
        token.spelling for token in tokens(readable(paper.title))
    ]
    ascii_words = (unicodedata.normalize("NFKD", word).encode("ascii", "ignore").decode() for word in words)
    name = next((key for word in ascii_words if (key := _NOT_IN_KEY.sub("", word.lower()))), "paper")
    return f"{name}{paper.published.year if paper.published else ''}{paper.ref}"


def _authors(paper: Paper) -> Sequence[str]:
    return [name for author in paper.authors if (name := oneline(readable(author)))]


def _tex(text: str) -> str:
    return oneline(readable(text)).translate(_TEX_TABLE)
