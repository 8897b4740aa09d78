"""The way out for each kind of address: a server where one is set up, else files in a folder."""

from __future__ import annotations

from email.utils import parseaddr
from pathlib import Path
from typing import Literal

from bot.config.settings import EmailSection, SlackSection
from bot.delivery import Channel, Route


def mail_route(email: EmailSection, files: Path) -> Route:
    """A few connections to the mail server."""
    if not email.host:
        return _to_files(files, ".eml")
    return Route([_smtp_channel(email) for _ in range(email.connections)])


def slack_route(slack: SlackSection, files: Path) -> Route:
    """One connection, which keeps Slack's pace."""
    if not slack.token:
        return _to_files(files, ".json")
    from bot.delivery.slack import SPACING, SlackChannel

    return Route([SlackChannel(slack.token.get_secret_value(), slack.api_url)], SPACING)


def mail_way(email: EmailSection, files: Path) -> str:
    """What happens to mails, in words."""
    if not email.host:
        return f"become files in {files}, as no mail server is set (email.host)"
    login = f"logged in as {email.username}" if email.username else "without a login"
    security = "unencrypted" if email.security == "none" else email.security
    return f"go by {email.host}:{email.port} ({security}, {login}) as {email.sender}"


def slack_way(slack: SlackSection, files: Path) -> str:
    """What happens to messages for Slack, in words."""
    if not slack.token:
        return f"become files in {files}, as no Slack token is set (PAPERBOT_SLACK__TOKEN)"
    return f"go by {slack.api_url}"


def _smtp_channel(email: EmailSection) -> Channel:
    from bot.delivery.smtp import SmtpChannel

    return SmtpChannel(
        email.host,
        email.port,
        email.security,
        envelope_sender=parseaddr(email.sender)[1],
        username=email.username,
        password=email.password.get_secret_value() if email.password else None,
    )


def _to_files(folder: Path, suffix: Literal[".eml", ".json"]) -> Route:
    from bot.delivery.files import FilesChannel

    return Route([FilesChannel(folder, suffix)])
