"""What all pages share: the open home, tokens read, readers found, and templates filled in."""

from __future__ import annotations

import re
import threading
import traceback
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, date, datetime
from ipaddress import IPv6Address, ip_address, ip_network
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from bot.config.overrides import with_override
from bot.config.profiles import Profile
from bot.domain import Paper, Reader, Vote
from bot.rendering.text import visible
from bot.tokens import Purpose, TokenError

if TYPE_CHECKING:
    from bot.app import App
    from bot.editions.composer import EditionComposer

VIEWS_A_MINUTE = 30  # of pages that cost some 60 ms of one core each
_REF = re.compile(r"p?(\d{1,18})")


class Refused(Exception):  # noqa: N818 - not an error: it becomes a page
    """A request that leads nowhere; becomes a friendly page."""

    def __init__(self, status: int, message: str) -> None:
        self.status, self.message = status, message


class Views:
    """How often pages were asked for in this minute, by whom; in memory, as looking at a page writes nothing."""

    def __init__(self) -> None:
        self._minute = 0
        self._counts: Counter[object] = Counter()
        self._counting = threading.Lock()

    def count(self, who: object, most: int, now: datetime) -> None:
        """Count one more; raises Refused beyond ``most`` a minute."""
        minute = int(now.timestamp()) // 60
        with self._counting:
            if minute != self._minute:
                self._minute = minute
                self._counts.clear()
            self._counts[who] += 1
            if self._counts[who] > most:
                raise Refused(429, "That was very much at once; please wait a minute.")


class Site:
    """One open home, as the pages see it. Threads share it."""

    def __init__(self, app: App) -> None:
        self.app = app
        self.views = Views()
        self._ranking = threading.Lock()
        self._refreshing = threading.Lock()

    @property
    def now(self) -> datetime:
        """The clock."""
        return datetime.now(UTC)

    def count_view(self, viewer: Reader | str) -> None:
        """Count one more page for a reader, or for a client's address; raises Refused where they are too many."""
        who = viewer.id if isinstance(viewer, Reader) else viewer
        self.views.count(who, VIEWS_A_MINUTE, self.now)

    @contextmanager
    def editor(self) -> Iterator[EditionComposer]:
        """The editor, over the papers of this moment; one request has it at a time, as it is heavy work."""
        with self._ranking:
            self._refresh()
            yield self.app.editor

    def profiles(self) -> dict[str, Profile]:
        """The sound profiles of this moment."""
        self._refresh()
        return self.app.profiles

    def profile_of(self, reader: Reader) -> Profile:
        """A reader's profile as the reader has it; raises Refused where its file is gone."""
        return with_override(self.profile_in_file(reader), self.app.store.overrides.get(reader.id))

    def profile_in_file(self, reader: Reader) -> Profile:
        """A reader's profile as its file has it; raises Refused where that is gone."""
        profile = self.profiles().get(reader.profile)
        if profile is None:
            raise Refused(410, "The profile that this was for is no longer there.")
        return profile

    def reader(self, request: Request, purpose: Purpose) -> Reader:
        """The reader whom a link of this purpose was made for; raises Refused."""
        return self.reader_with(self.payload(request, purpose)[0])

    def reader_with(self, reader_id: int) -> Reader:
        """The reader with this id; raises Refused."""
        reader = self.app.store.readers.by_id(reader_id)
        if reader is None:
            raise Refused(410, "That subscription no longer exists, and nothing is kept of it.")
        return reader

    def paper(self, paper_id: int) -> Paper:
        """The paper with this id; raises Refused."""
        paper = self.app.store.papers.get([paper_id]).get(paper_id)
        if paper is None:
            raise Refused(404, "That paper is no longer here.")
        return paper

    def payload(self, request: Request, purpose: Purpose) -> list[int]:
        """What the token in a request's path says; raises Refused."""
        try:
            return self.app.signer.read(purpose, request.path_params["token"])
        except TokenError as error:
            raise Refused(410 if error.expired else 404, f"Sorry, {error}.") from None

    def _refresh(self) -> None:
        with self._refreshing:
            self.app.refresh()

    def page(
        self, template: str, status: int = 200, *, headers: Mapping[str, str] | None = None, **context: object
    ) -> Response:
        """A template filled in."""
        page = self.app.templates.get_template(f"pages/{template}").render(**context)
        return HTMLResponse(visible(page), status, headers)


def assert_own(reader: Reader) -> Reader:
    """A page that all members of a channel can open does nothing that one may not do to the others."""
    if reader.is_shared:
        raise Refused(403, "This page is a whole channel's; that is for the operator of Paperbot to do.")
    return reader


def assert_changed(changed: bool) -> None:
    """Raises Refused where a reader's wish was not carried out, as it was somebody else who stopped them."""
    if not changed:
        raise Refused(
            403,
            "It was not you who stopped these editions, so only the operator of Paperbot can start them again.",
        )


def field(request: Request, name: str) -> str:
    """The first value of a form's field; empty where there is none."""
    form: dict[str, list[str]] = request.state.form
    return form.get(name, [""])[0]


def fields(request: Request, name: str) -> list[str]:
    """All values of a form's field."""
    form: dict[str, list[str]] = request.state.form
    return form.get(name, [])


def vote_of(text: str) -> Vote:
    """A vote as links and forms name it; raises Refused."""
    try:
        return Vote(text)
    except ValueError:
        raise Refused(400, "That link is not whole; please open it from the mail again.") from None


def paper_id_of(text: str) -> int:
    """The number of ``p17`` or ``17``; raises Refused."""
    if found := _REF.fullmatch(text):
        return int(found[1])
    raise Refused(400, "That is no paper.")


def client_of(request: Request) -> str:
    """Where a request comes from, for counting: an address, or the network that one household has (IPv6)."""
    host = request.client.host if request.client else ""
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if isinstance(address, IPv6Address):
        return str(address.ipv4_mapped or ip_network((int(address), 64), strict=False))
    return str(address)


def day_of(ordinal: int) -> date:
    """The day with this number; raises Refused."""
    try:
        return date.fromordinal(ordinal)
    except (ValueError, OverflowError):
        raise Refused(404, "There is no such day.") from None


def place(error: Exception) -> str:
    """Where an error came from, without the values it came with: these may be a reader's."""
    frames = traceback.extract_tb(error.__traceback__)
    return " > ".join(f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames)
