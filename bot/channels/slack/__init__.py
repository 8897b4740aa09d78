"""Slack: editions as Block Kit messages by its Web API, or as ``.json`` files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from bot.channels import FilesChannel, ReaderChannelKind, Renderer, RenderingParts, Route, TransportParts

if TYPE_CHECKING:
    from pydantic import SecretStr


_ADDRESS = re.compile(r"[CDGUW][A-Z0-9]{5,20}")


class SlackSettings(Protocol):
    """The section ``[slack]``."""

    api_url: str
    token: SecretStr | None
    signing_secret: SecretStr | None
    app_token: SecretStr | None


class SlackKind(ReaderChannelKind):
    """Messages in channels (public C, private G) and to people in Slack."""

    name = section = "slack"
    noun = "Slack"
    messages = "Messages for Slack"
    example = "C0123ABC"
    pattern = re.compile("[^@:/]*")
    suffix = ".json"
    forms = ("slack",)
    is_exclusive = True  # one message a second in a channel, over all processes

    def check_address(self, address: str) -> str:
        if not _ADDRESS.fullmatch(address):
            remedy = "copy it from the channel's details, like C0123ABC"
            raise ValueError(f"{address!r} is not a Slack id; {remedy} (a mail address has an @)")
        return address

    def is_shared(self, address: str) -> bool:
        return address.startswith(("C", "G"))

    def has_server(self, settings: SlackSettings) -> bool:
        return bool(settings.token)

    def has_buttons(self, settings: SlackSettings) -> bool:
        return bool(settings.app_token or settings.signing_secret)

    def describe(self, settings: SlackSettings, files: Path) -> str:
        if not settings.token:
            return f"become files in {files}, as no Slack token is set (PAPERBOT_SLACK__TOKEN)"
        return f"go by {settings.api_url}"

    def notes(self, settings: SlackSettings) -> Iterator[str]:
        if not self.has_buttons(settings):
            yield (
                "messages for Slack go without buttons, as nothing receives them; "
                "set PAPERBOT_SLACK__APP_TOKEN or PAPERBOT_SLACK__SIGNING_SECRET"
            )

    def route(self, settings: SlackSettings, parts: TransportParts) -> Route:
        if not settings.token:
            return Route([FilesChannel(parts.files, self.suffix)])
        from bot.channels.slack.transport import SPACING, SlackChannel

        return Route([SlackChannel(settings.token.get_secret_value(), settings.api_url)], SPACING)

    def renderer(self, settings: SlackSettings, parts: RenderingParts) -> Renderer:
        from bot.channels.slack.rendering import SlackRenderer

        return SlackRenderer(parts.links, has_buttons=parts.has_votes and self.has_buttons(settings))


SLACK = SlackKind()
