"""The door for new readers: someone types an address, a letter goes there, and a button in it opens.

Whoever asks gets the same answer, whether the address is known, new, or has had its letter today: nobody can
find out here who reads what, nor have letters poured over somebody.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from email.utils import parseaddr
from typing import TYPE_CHECKING

from bot.domain import STOPPED_BY_READER, Kind, Message, OutboxKey, Reader, StopReason
from bot.reader_links import ReaderLinks
from bot.rendering.confirmation_mail import render_confirmation
from bot.rendering.mime import mail_bytes
from bot.store import Store

if TYPE_CHECKING:
    from jinja2 import Environment

_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)
# So many letters go out at most: to one address, asked for by one client, and in all.
PER_ADDRESS_A_DAY, PER_CLIENT_AN_HOUR, IN_ALL_AN_HOUR = 1, 5, 200


class SubscriptionService:
    """Asks people at new addresses whether it is they who want to subscribe."""

    def __init__(
        self, store: Store, environment: Environment, sender: str, links: Callable[[Reader], ReaderLinks]
    ) -> None:
        self._store = store
        self._environment = environment
        self._sender = sender
        self._links = links

    def ask(self, profile: str, title: str, address: str, client: str, now: datetime) -> bool:
        """Put a letter into the outbox, if the caps allow; whether they did is for tests and nobody else.

        ``address`` is a valid mail address, ``client`` where the request came from.
        """
        allow = self._store.rate_limits.allow
        # The address comes last: who is refused for other reasons must not use up its one letter.
        allowed = (
            allow("letters by client", client, PER_CLIENT_AN_HOUR, _HOUR, now)
            and allow("letters", "in all", IN_ALL_AN_HOUR, _HOUR, now)
            and allow("letters to", address.lower(), PER_ADDRESS_A_DAY, _DAY, now)
        )
        if allowed:
            reader = self._store.readers.ask(profile, Kind.EMAIL, address, now)
            if reader.stopped not in (None, StopReason.AWAITING, *STOPPED_BY_READER):
                return False  # somebody else stopped them, so their button would do nothing
            key = OutboxKey(f"confirmation-{now:%Y%m%dT%H%M%S}", reader.id, reader.kind)
            self._store.outbox.put_confirmation(reader.id, self._letter(reader, title, key, now), key, now)
        return allowed

    def _letter(self, reader: Reader, title: str, key: OutboxKey, now: datetime) -> Message:
        """Without a word of what the one who asked has typed."""
        links = self._links(reader)
        known = reader.stopped is None
        parts = render_confirmation(
            "subscribe", self._environment, links=links, title=title, known=known, public_url=links.public_url
        )
        domain = parseaddr(self._sender)[1].rpartition("@")[2] or "localhost"
        body = mail_bytes(
            parts,
            sender=self._sender,
            recipient=reader.address,
            unsubscribe_url=links.unsubscribe(),
            list_id=f"{title} <{reader.profile}.{domain}>",
            message_id=f"<{str(key).replace(':', '.')}@{domain}>",
            date=now,
        )
        return Message(body, parts.subject)
