"""Render an edition as the messages of its reader's channel."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from bot.domain import Edition, Kind, Letter, Message, Reader, ReaderId
from bot.rendering import letter_phrases
from bot.rendering.letter import render_letter_mail, render_letter_slack
from bot.rendering.mail import MailParts, render_mail
from bot.rendering.mime import mail_bytes, sender_domain
from bot.rendering.paper_links import Links
from bot.rendering.slack import render_slack, render_thread

if TYPE_CHECKING:
    from jinja2 import Environment

_THREAD_IN_PREVIEW = "the ts of the first message"


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
        self._environment = environment
        self._sender = sender
        self._domain = sender_domain(sender)
        self._links = links
        self._tag = tag
        self._slack_buttons = slack_buttons

    def messages(self, edition: Edition, slot: str) -> list[Message]:
        """Return the messages to send, in order; ``slot`` distinguishes the reader's editions in the Message-ID."""
        if edition.reader.kind is not Kind.EMAIL:
            # The subject is what ``status`` shows of a message.
            return [
                Message(body, edition.profile_title, part, in_thread=part > 1)
                for part, body in enumerate(self._thread(edition), 1)
            ]
        links = self._links(edition.reader)
        return [self._message(render_mail(self._environment, edition, links), edition, slot, links)]

    def letter(self, letter: Letter, slot: str) -> list[Message]:
        """Return the message of a weekly letter."""
        edition = letter.edition
        if edition.reader.kind is Kind.EMAIL:
            return [self._message(self.letter_mail(letter), edition, slot, self._links(edition.reader))]
        return [Message(self.letter_slack(letter).encode(), letter_phrases.subject(letter))]

    def letter_mail(self, letter: Letter) -> MailParts:
        """Return the mail of a weekly letter."""
        return render_letter_mail(self._environment, letter, self._links(letter.edition.reader))

    def letter_slack(self, letter: Letter) -> str:
        """Return a weekly letter as Slack's Block Kit in JSON."""
        reader = letter.edition.reader
        links = self._links(reader)
        return render_letter_slack(
            letter, links, channel=reader.address, buttons=self._slack_buttons
        ).decode()

    def _message(self, parts: MailParts, edition: Edition, slot: str, links: Links) -> Message:
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
        return Message(body, parts.subject)

    def html(self, edition: Edition) -> str:
        """Return the HTML part of the edition's mail."""
        return render_mail(self._environment, edition, self._links(edition.reader)).html

    def text(self, edition: Edition) -> str:
        """Return the plain text part of the edition's mail."""
        return render_mail(self._environment, edition, self._links(edition.reader)).text

    def slack(self, edition: Edition) -> str:
        """Return the edition as Slack's Block Kit in JSON, one line per message; replies have a ``thread_ts``."""
        first, *replies = (json.loads(body) for body in self._thread(edition))
        # Slack gives the timestamp when it accepts the first message.
        messages = [first, *(reply | {"thread_ts": _THREAD_IN_PREVIEW} for reply in replies)]
        return "\n".join(json.dumps(message, ensure_ascii=False) for message in messages)

    def slack_answers(self, edition: Edition) -> list[dict[str, Any]]:
        """Return the edition as answers to a Slack command, which can't have a thread: whole, one after the other."""
        links = self._links(edition.reader)
        channel = edition.reader.address
        messages = render_slack(edition, links, channel=channel, buttons=self._slack_buttons)
        return [{name: json.loads(body)[name] for name in ("text", "blocks")} for body in messages]

    def _thread(self, edition: Edition) -> list[bytes]:
        links = self._links(edition.reader)
        channel = edition.reader.address
        return render_thread(edition, links, channel=channel, buttons=self._slack_buttons)
