"""The route for each kind of address: a server if one is configured, otherwise files in a folder."""

from __future__ import annotations

from collections.abc import Callable
from email.utils import parseaddr
from pathlib import Path

from bot.config.settings import EmailSection, Settings, SlackSection
from bot.delivery import Route
from bot.domain import Delivery, Kind, SendLimit


def make_routes(settings: Settings, files: Path, tag: Callable[[int, int], str]) -> dict[Kind, Route]:
    """Make the route for each kind of address; ``files`` is the folder for messages that have no server.

    ``tag`` makes what identifies a message to a reader, by both ids, in the envelope sender.
    """

    def bounce_tag(delivery: Delivery) -> str:
        return tag(delivery.reader.id, delivery.id)

    return {
        Kind.EMAIL: mail_route(settings.email, files, bounce_tag),
        Kind.SLACK: slack_route(settings.slack, files),
        # A route of its own: an open circuit breaker for the readers' mails doesn't hold back the notice of it.
        Kind.OPERATOR: mail_route(settings.email.model_copy(update={"connections": 1}), files),
    }


def send_limits(settings: Settings) -> dict[Kind, SendLimit]:
    """Return how fast messages may go out; files need no limit."""
    email = settings.email
    return {Kind.EMAIL: SendLimit(email.per_second, email.per_day)} if email.host else {}


def kinds_without_server(settings: Settings) -> set[Kind]:
    """Return the kinds of address that have no server configured, so that messages to them are files."""
    servers = {Kind.EMAIL: settings.email.host, Kind.SLACK: settings.slack.token}
    return {kind for kind, server in servers.items() if not server}


def describe_route(kind: Kind, settings: Settings, files: Path) -> str:
    """Return what happens to messages of a kind, as a predicate: ``go by smtp.example.org:587 ...``."""
    if kind is Kind.EMAIL:
        return describe_mail_route(settings.email, files)
    return describe_slack_route(settings.slack, files)


def mail_route(
    email: EmailSection, files: Path, bounce_tag: Callable[[Delivery], str] | None = None
) -> Route:
    """Several connections to the mail server, used side by side."""
    if not email.host:
        from bot.delivery.files import FilesChannel

        return Route([FilesChannel(files, ".eml")])
    from bot.delivery.smtp import SmtpChannel

    # The envelope sender (RFC 5321) is the bare address, to which bounces go; the From header has the name too.
    return Route(
        [
            SmtpChannel(
                email.host,
                email.port,
                email.security,
                envelope_sender=email.bounce_address or parseaddr(email.sender)[1],
                bounce_tag=bounce_tag if email.bounce_address else None,
                username=email.username,
                password=email.password.get_secret_value() if email.password else None,
            )
            for _ in range(email.connections)
        ]
    )


def slack_route(slack: SlackSection, files: Path) -> Route:
    """One connection: Slack takes about one message a second, so a second connection would only wait."""
    if not slack.token:
        from bot.delivery.files import FilesChannel

        return Route([FilesChannel(files, ".json")])
    from bot.delivery.slack import SPACING, SlackChannel

    return Route([SlackChannel(slack.token.get_secret_value(), slack.api_url)], SPACING)


def describe_mail_route(email: EmailSection, files: Path) -> str:
    """What happens to mails, as a predicate."""
    if not email.host:
        return f"become files in {files}, as no mail server is set (email.host)"
    login = f"logged in as {email.username}" if email.username else "without a login"
    security = "unencrypted" if email.security == "none" else email.security
    return f"go by {email.host}:{email.port} ({security}, {login}) as {email.sender}"


def describe_slack_route(slack: SlackSection, files: Path) -> str:
    """What happens to messages for Slack, as a predicate."""
    if not slack.token:
        return f"become files in {files}, as no Slack token is set (PAPERBOT_SLACK__TOKEN)"
    return f"go by {slack.api_url}"
