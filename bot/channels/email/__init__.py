"""Email: editions as mails over SMTP, or as ``.eml`` files."""

from __future__ import annotations

import re
from email.utils import parseaddr
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, Protocol

from bot.channels import ChannelKind, FilesChannel, ReaderChannelKind, Renderer, RenderingParts, Route, TransportParts
from bot.model import OPERATOR_KIND, ReaderId, SendLimit
from bot.model.addresses import mail_address
from bot.model.errors import FailureScope

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic import SecretStr


class MailSettings(Protocol):
    """The section ``[email]``."""

    host: str
    port: int
    security: Literal["starttls", "tls", "none"]
    username: str
    password: SecretStr | None
    sender: str
    bounce_address: str
    connections: int
    per_second: float
    per_day: int


class EmailKind(ReaderChannelKind):
    """Mails to readers."""

    name = section = "email"
    noun = "mail"
    messages = "Mails"
    example = "ada@example.org"
    pattern = re.compile(".*@.*", re.DOTALL)
    suffix = ".eml"
    forms = ("text", "html")
    remedies: ClassVar = {FailureScope.POLICY: "check email.sender, and what the mail server lets this login send"}

    def check_address(self, address: str) -> str:
        return mail_address(address)

    def has_server(self, settings: MailSettings) -> bool:
        return bool(settings.host)

    def describe(self, settings: MailSettings, files: Path) -> str:
        if not settings.host:
            return f"become files in {files}, as no mail server is set (email.host)"
        login = f"logged in as {settings.username}" if settings.username else "without a login"
        security = "unencrypted" if settings.security == "none" else settings.security
        return f"go by {settings.host}:{settings.port} ({security}, {login}) as {settings.sender}"

    def route(self, settings: MailSettings, parts: TransportParts) -> Route:
        return _mail_route(settings, parts.files, settings.connections, parts.tag)

    def send_limit(self, settings: MailSettings) -> SendLimit:
        return SendLimit(settings.per_second, settings.per_day) if settings.host else SendLimit()

    def renderer(self, settings: MailSettings, parts: RenderingParts) -> Renderer:
        from bot.channels.email.rendering import MailRenderer

        return MailRenderer(settings.sender, parts)


class OperatorKind(ChannelKind):
    """Notices to the operator's mail address.

    Its own circuit breaker lets a notice pass when the readers' breaker is open.
    """

    name = OPERATOR_KIND
    section = "email"
    is_queued = False  # the process that makes a notice sends it

    def route(self, settings: MailSettings, parts: TransportParts) -> Route:
        return _mail_route(settings, parts.files, 1, None)


def _mail_route(
    settings: MailSettings, files: Path, connections: int, bounce_tag: Callable[[ReaderId, int], str] | None
) -> Route:
    if not settings.host:
        return Route([FilesChannel(files, EmailKind.suffix)])
    from bot.channels.email.smtp import SmtpChannel

    return Route(
        [
            SmtpChannel(
                settings.host,
                settings.port,
                settings.security,
                envelope_sender=settings.bounce_address or parseaddr(settings.sender)[1],
                bounce_tag=bounce_tag if settings.bounce_address else None,
                username=settings.username,
                password=settings.password.get_secret_value() if settings.password else None,
            )
            for _ in range(connections)
        ]
    )


EMAIL = EmailKind()
OPERATOR = OperatorKind()
