"""Coming and going: the start page's form, the confirmation, unsubscribing, and coming back."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from bot.config.profiles import mail_address
from bot.domain import STOPPED_BY_READER, Reader, StopReason
from bot.tokens import Purpose
from bot.web.open_editions import OpenEditions
from bot.web.site import Refused, Site, assert_changed, assert_own, client_of, field

# Looks like a field to programs that fill in every field; people never see it.
_HONEYPOT = "homepage"


class SubscriptionPages:
    """``/``, ``/subscribe``, ``/confirm/{token}``, ``/unsubscribe/{token}``."""

    def __init__(self, site: Site, open_editions: OpenEditions) -> None:
        self._site = site
        self._open = open_editions

    def start(self, request: Request) -> Response:
        """The open profiles with today's picks of each, and the form."""
        return self._start(chosen=request.query_params.get("profile", ""))

    def subscribe(self, request: Request) -> Response:
        """The same answer to every address that could be one; a letter goes out where it may."""
        slug, typed = field(request, "profile"), field(request, "email").strip()
        if slug not in self._open.profiles():
            raise Refused(400, "Please choose one of the profiles on the start page.")
        try:
            address = mail_address(typed)
        except ValueError:
            problem = "That is no complete mail address; it looks like ada@example.org."
            return self._start(status=400, chosen=slug, typed=typed[:200], problem=problem)
        if not field(request, _HONEYPOT):
            title = self._open.profiles()[slug].title
            self._site.app.subscribing.ask(slug, title, address, client_of(request), self._site.now)
        return self._site.page("check_inbox.html.j2")

    def to_start(self, _request: Request) -> Response:
        """Whoever opens or reloads the form's address wants the form."""
        return RedirectResponse("/", 303)

    def ask_to_confirm(self, request: Request) -> Response:
        """What the button will do."""
        reader = self._site.reader(request, Purpose.CONFIRM)
        assert_changed(reader.stopped in (None, StopReason.AWAITING, *STOPPED_BY_READER))
        return self._confirm_page(reader, done=reader.stopped is None)

    def confirm(self, request: Request) -> Response:
        """The reader is one from now on."""
        reader = self._site.reader(request, Purpose.CONFIRM)
        assert_changed(self._site.app.store.readers.confirm(reader.id))
        return self._confirm_page(reader, done=True)

    def ask_to_unsubscribe(self, request: Request) -> Response:
        """What will stop, with a button."""
        reader = assert_own(self._site.reader(request, Purpose.UNSUBSCRIBE))
        return self._goodbye(reader, done=reader.stopped is not None)

    def unsubscribe(self, request: Request) -> Response:
        """Stops the editions, or takes that back where the form says so.

        One click in a mail program comes the same way (RFC 8058), without cookies, in either encoding, and is
        answered with 200 however often it comes.
        """
        reader = assert_own(self._site.reader(request, Purpose.UNSUBSCRIBE))
        back = field(request, "do") == "resubscribe"
        readers = self._site.app.store.readers
        if back:
            assert_changed(readers.come_back(reader.id))
        elif reader.stopped in (None, StopReason.PAUSED):
            readers.leave(reader.id, StopReason.UNSUBSCRIBED)
        return self._goodbye(reader, done=not back, back=back)

    def _start(self, status: int = 200, **form: str) -> Response:
        editions = self._open.editions()
        return self._site.page("start.html.j2", status, editions=editions, honeypot=_HONEYPOT, form=form)

    def _confirm_page(self, reader: Reader, *, done: bool) -> Response:
        links = self._site.app.links(reader)
        profile = self._site.profile_of(reader)
        return self._site.page(
            "confirm.html.j2", reader=reader, profile=profile, done=done, me=links.me() if done else ""
        )

    def _goodbye(self, reader: Reader, *, done: bool, back: bool = False) -> Response:
        return self._site.page(
            "unsubscribe.html.j2",
            reader=reader,
            title=self._title(reader),
            done=done,
            back=back,
            may_come_back=reader.stopped is None or reader.stopped in STOPPED_BY_READER,
        )

    def _title(self, reader: Reader) -> str:
        """What the editions are called; one can leave those of a profile that is gone, too."""
        profile = self._site.profiles().get(reader.profile)
        return profile.title if profile else reader.profile
