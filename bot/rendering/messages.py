"""Render an edition as the messages of its reader's channel."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from bot.domain import Edition, Kind, Message, Reader, ReaderId
from bot.rendering.mail import MailRenderer
from bot.rendering.mime import mail_bytes, sender_domain
from bot.rendering.paper_links import Links
from bot.rendering.slack import render_slack

if TYPE_CHECKING:
    from jinja2 import Environment


class MessageRenderer:
    """Holds what a message needs beside its edition: templates, sender, and each reader's links."""

    def __init__(
        self,
        environment: Environment,
        sender: str,
        links: Callable[[Reader], Links],
        *,
        tag: Callable[[ReaderId], str],
        slack_buttons: bool = True,
    ) -> None:
        """``tag`` makes what proves a Message-ID to be ours, should a bounce name it.

        ``slack_buttons`` must be false if nothing receives Slack's interactions: a click would show an error.
        """
        self._mail = MailRenderer(environment)
        self._sender = sender
        self._domain = sender_domain(sender)
        self._links = links
        self._tag = tag
        self._slack_buttons = slack_buttons

    def messages(self, edition: Edition, slot: str) -> list[Message]:
        """Return the messages to send, in order; ``slot`` distinguishes the reader's editions in the Message-ID."""
        if edition.reader.kind is not Kind.EMAIL:
            bodies = self._slack_bodies(edition)
            return [Message(body, edition.profile_title, part) for part, body in enumerate(bodies, 1)]
        links = self._links(edition.reader)
        parts = self._mail.render(edition, links)
        body = mail_bytes(
            parts,
            sender=self._sender,
            recipient=edition.reader.address,
            unsubscribe_url=links.unsubscribe(),
            list_id=f"{edition.profile_title} <{edition.reader.profile}.{self._domain}>",
            # Derived, not random: rendering the edition again gives the same Message-ID.
            message_id=f"<{slot}.{self._tag(edition.reader.id)}@{self._domain}>",
            date=edition.composed_at,
        )
        return [Message(body, parts.subject)]

    def html(self, edition: Edition) -> str:
        """Return the HTML part of the edition's mail."""
        return self._mail.render(edition, self._links(edition.reader)).html

    def text(self, edition: Edition) -> str:
        """Return the plain text part of the edition's mail."""
        return self._mail.render(edition, self._links(edition.reader)).text

    def slack(self, edition: Edition) -> str:
        """Return the edition as Slack's Block Kit in JSON, one line per message."""
        return "\n".join(body.decode() for body in self._slack_bodies(edition))

    def _slack_bodies(self, edition: Edition) -> list[bytes]:
        return render_slack(
            edition,
            self._links(edition.reader),
            channel=edition.reader.address,
            buttons=self._slack_buttons,
        )
