"""What ``paperbot init`` asks on a terminal, and the test of the mail server."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
from tzlocal import get_localzone_name

from bot.config.new_home import NewUser
from bot.config.profiles import clock_time, known_timezone
from bot.errors import PaperbotError
from bot.loopback import is_loopback
from bot.mail_address import mail_address
from bot.rendering.categories import known_category

_PASSWORD = "PAPERBOT_EMAIL__PASSWORD"  # noqa: S105 - the name of a variable


def ask(user: NewUser) -> NewUser:
    """Ask for what the user hasn't said by an option; return all of it. Empty answers keep the default."""
    click.echo("Press Enter to keep what stands in brackets. Everything can be changed later in two files.\n")
    interests = user.interests or _ask(
        "What do you want to read about, in your own words?", "the sample's topic"
    )
    arxiv = user.arxiv or arxiv_categories(
        _ask(
            "Which of arXiv's categories do you read, such as cs.LG, q-bio.NC?",
            "none: sample digests, and those that you copy into seeds/",
            _checked(arxiv_categories),
        )
        or ""
    )
    email = user.email or _ask("Your mail address?", "none yet", _checked(mail_address))
    at = user.at or _ask(
        "When should editions come, Monday to Friday?", "08:00", _checked(clock_time), keep=True
    )
    timezone = user.timezone or _ask(
        "In which time zone?", local_timezone(), _checked(known_timezone), keep=True
    )
    answers = replace(user, interests=interests, arxiv=arxiv, email=email, at=at, timezone=timezone)
    host = user.mail_host or _ask("Your mail server, such as smtp.example.org?", "none: mails are files")
    if not host:
        return answers
    port = user.mail_port or click.prompt("Its port?", 587, type=click.IntRange(1, 65535))
    username = user.mail_username
    if not username and not is_loopback(host):  # a relay on this machine has no logins
        username = _ask("Your login there?", email or "none") or email
    return replace(answers, mail_host=host, mail_port=port, mail_username=username)


def arxiv_categories(text: str) -> tuple[str, ...]:
    """Return the categories that a text names, separated by spaces or commas; raises ValueError."""
    return tuple(dict.fromkeys(known_category(word) for word in re.split(r"[\s,;]+", text) if word))


def local_timezone() -> str:
    """Return the name of this machine's time zone; UTC if it has none that others would know."""
    try:
        return known_timezone(get_localzone_name())
    # tzlocal raises several kinds of error, where /etc/localtime and TZ contradict each other or name nothing.
    except (ValueError, LookupError, OSError):
        return "UTC"


def try_mail_server(home: Path, user: NewUser) -> None:
    """Log in to the mail server, and send a test mail if the user wants one.

    The password is kept for this process only. A failure is reported with its remedy; the home is not changed.
    """
    from bot.app import open_app
    from bot.lookup import find_reader

    if user.mail_username and _PASSWORD not in os.environ:
        password = click.prompt(
            "Its password (used now, and not stored)?", default="", hide_input=True, show_default=False
        )
        if not password:
            click.echo("Without it the mail server wasn't tried; `paperbot check --connect` does it later.")
            return
        os.environ[_PASSWORD] = password
    with open_app(home) as app:
        try:
            app.routes["email"].channels[0].check()
            click.echo(f"ok  {user.mail_host} {'lets you log in' if user.mail_username else 'accepts mail'}.")
            if user.email and click.confirm(f"Send a test mail to {user.email}?", default=True):
                reader, profile = find_reader(app.store, app.profiles, user.profile)
                app.channel_tests.send(reader, profile, datetime.now(UTC))
                click.echo(f"ok  A test mail is on its way to {user.email}.")
        except PaperbotError as error:
            click.secho(f"! {error}", fg="red", err=True)
            click.echo(f"Correct it in {app.home.settings_file}, then try `paperbot check --connect`.")


def _ask(
    question: str, default: str, convert: Callable[[str], str] | None = None, *, keep: bool = False
) -> str | None:
    """Return the answer, asked for until it is valid; if it is empty, the default with ``keep``, else None."""
    answer: str = click.prompt(
        f"{question} [{default}]", default=default if keep else "", show_default=False, value_proc=convert
    )
    return answer.strip() or None


def _checked(check: Callable[[str], Any]) -> Callable[[str], str]:
    """Return a conversion for click that accepts an empty answer and what ``check`` accepts, as it was typed."""

    def convert(answer: str) -> str:
        if answer.strip():
            try:
                check(answer.strip())
            except ValueError as error:
                raise click.UsageError(str(error)) from None
        return answer.strip()

    return convert
