"""From an edition to messages, in the form of its reader's channel."""

from __future__ import annotations

from collections.abc import Callable
from email.utils import parseaddr
from typing import TYPE_CHECKING

from bot.domain import Edition, Kind, Message, Reader
from bot.rendering.mail import render_mail
from bot.rendering.mime import mail_bytes
from bot.rendering.paper_links import Links
from bot.rendering.slack import render_slack

if TYPE_CHECKING:
    from jinja2 import Environment


class MessageRenderer:
    """Knows what a message needs beside its edition: templates, sender, and each reader's links."""

    def __init__(
        self,
        environment: Environment,
        sender: str,
        links: Callable[[Reader], Links],
        *,
        slack_buttons: bool = True,
    ) -> None:
        """``slack_buttons``: whether somebody receives what is pressed in Slack; else there is nothing to press."""
        self._slack_buttons = slack_buttons
        self._environment = environment
        self._sender = sender
        self._domain = parseaddr(sender)[1].rpartition("@")[2] or "localhost"
        self._links = links

    def messages(self, edition: Edition, slot: str) -> list[Message]:
        """What to send; ``slot`` tells this edition from the reader's others."""
        if edition.reader.kind is Kind.EMAIL:
            return [self._mail(edition, slot)]
        bodies = self._slack(edition)
        return [Message(body, edition.profile_title, part) for part, body in enumerate(bodies, 1)]

    def html(self, edition: Edition) -> str:
        """The edition as a mail's HTML."""
        return render_mail(edition, self._links(edition.reader), self._environment).html

    def text(self, edition: Edition) -> str:
        """The edition as a mail's plain text."""
        return render_mail(edition, self._links(edition.reader), self._environment).text

    def slack(self, edition: Edition) -> str:
        """The edition as Slack's Block Kit in JSON, one line a message."""
        return "\n".join(body.decode() for body in self._slack(edition))

    def _slack(self, edition: Edition) -> list[bytes]:
        return render_slack(
            edition,
            self._links(edition.reader),
            channel=edition.reader.address,
            buttons=self._slack_buttons,
        )

    def _mail(self, edition: Edition, slot: str) -> Message:
        links = self._links(edition.reader)
        parts = render_mail(edition, links, self._environment)
        body = mail_bytes(
            parts,
            sender=self._sender,
            recipient=edition.reader.address,
            unsubscribe_url=links.unsubscribe(),
            list_id=f"{edition.profile_title} <{edition.reader.profile}.{self._domain}>",
            message_id=f"<{slot}.{edition.reader.id}.{edition.reader.profile}@{self._domain}>",
            date=edition.composed_at,
        )
        return Message(body, parts.subject)
