"""The start page with its form, the confirmation, unsubscribing, and resuming."""

from __future__ import annotations

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from bot.config.keys import Purpose
from bot.config.profiles import describe_days
from bot.model import Reader
from bot.model.addresses import mail_address
from bot.readers.subscriptions import NotStoppedByReaderError, may_confirm, may_resume
from bot.web.editions import OpenEditions
from bot.web.site import POLICY, PageError, Site, client_key, field, require_personal

# A honeypot field: hidden from people, filled in by programs that fill in every field.
_HONEYPOT = "homepage"


class SubscriptionPages:
    """``/``, ``/subscribe``, ``/confirm/{token}``, ``/unsubscribe/{token}``."""

    def __init__(self, site: Site, open_editions: OpenEditions, publish_soon: Callable[[], None]) -> None:
        self._site = site
        self._publish_soon = publish_soon
        self._open_editions = open_editions
        self._subscriptions = site.app.subscriptions

    def start(self, request: Request) -> Response:
        """Show the open profiles with today's picks of each, and the form."""
        return self._start_page(chosen=request.query_params.get("profile", ""))

    def request_subscription(self, request: Request) -> Response:
        """Send a confirmation mail if the caps allow it; the answer is the same for every valid address."""
        slug = field(request, "profile")
        typed = field(request, "email").strip()
        profile = self._open_editions.profiles().get(slug)
        if profile is None:
            raise PageError(400, "Please choose one of the profiles on the start page.")
        try:
            address = mail_address(typed)
        except ValueError:
            problem = "Please enter a valid email address, like ada@example.org."
            return self._start_page(status=400, chosen=slug, typed=typed[:200], problem=problem)
        # No mail for a program, but the same page: an error would tell its author which field to leave empty.
        if not field(request, _HONEYPOT):
            client = client_key(request)
            interests = field(request, "interests").strip()
            now = self._site.now
            if self._subscriptions.request(slug, profile.title, address, client, now, interests=interests):
                self._publish_soon()
        return self._site.page("check_inbox.html.j2")

    def redirect_to_start(self, _request: Request) -> Response:
        """Redirect a reload of the form's address to the form."""
        # 303 and not 302, so that the browser asks with GET whatever the method was (RFC 9110, 15.4.4).
        return RedirectResponse("/", 303)

    def show_confirmation(self, request: Request) -> Response:
        """Show what the button will do."""
        reader = self._site.reader(request, Purpose.CONFIRM)
        if not may_confirm(reader):
            raise NotStoppedByReaderError
        return self._confirmation_page(reader, confirmed=reader.stopped is None)

    def confirm(self, request: Request) -> Response:
        """Start the editions."""
        reader = self._site.reader(request, Purpose.CONFIRM)
        self._subscriptions.confirm(reader)
        # Not again for a button that is pressed twice.
        if reader.stopped is not None:
            self._publish_soon()
        return self._confirmation_page(reader, confirmed=True)

    def show_unsubscribe(self, request: Request) -> Response:
        """Show what will stop, with a button."""
        reader = require_personal(self._site.reader(request, Purpose.UNSUBSCRIBE))
        return self._unsubscribe_page(reader, unsubscribed=reader.stopped is not None)

    def unsubscribe(self, request: Request) -> Response:
        """Stop the editions, or resume them if the form says so.

        Mail programs' one-click POST comes here too (RFC 8058): without cookies, in either form encoding, and
        answered with 200 however often it is repeated.
        """
        reader = require_personal(self._site.reader(request, Purpose.UNSUBSCRIBE))
        resumed = field(request, "do") == "resubscribe"
        if resumed:
            self._subscriptions.resume(reader)
        else:
            self._subscriptions.unsubscribe(reader)
        return self._unsubscribe_page(reader, unsubscribed=not resumed, resumed=resumed)

    def _start_page(self, status: int = 200, **form: str) -> Response:
        editions = self._open_editions.editions()
        return self._site.page(
            "start.html.j2",
            status,
            editions=editions,
            titles={edition.reader.profile: edition.profile_title for edition in editions},
            honeypot=_HONEYPOT,
            form=form,
            headers={"Content-Security-Policy": f"{POLICY}; script-src 'self'; connect-src 'self'"},
        )

    def _confirmation_page(self, reader: Reader, *, confirmed: bool) -> Response:
        profile = self._site.profile_of(reader)
        return self._site.page(
            "confirm.html.j2",
            reader=reader,
            profile=profile,
            days=describe_days(profile.schedule.days),
            confirmed=confirmed,
            # Only after the confirmation: the link in the mail must not open the preferences of an address that
            # has confirmed nothing.
            me=self._site.me(reader) if confirmed else "",
        )

    def _unsubscribe_page(self, reader: Reader, *, unsubscribed: bool, resumed: bool = False) -> Response:
        profile = self._site.profiles().get(reader.profile)
        return self._site.page(
            "unsubscribe.html.j2",
            reader=reader,
            # Unsubscribing works even if the profile's file is gone or invalid.
            title=profile.title if profile else reader.profile,
            unsubscribed=unsubscribed,
            resumed=resumed,
            may_resume=reader.stopped is None or may_resume(reader),
        )
