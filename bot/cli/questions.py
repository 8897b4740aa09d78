"""The questions of ``init`` and ``profiles add``. Each answer is an option that was not given.

NewUser --questions (skip or go back)--> NewUser
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bot.cli.output import echo, wrapped
from bot.cli.time_zones import local_timezone, time_zone
from bot.config.files import shipped
from bot.model.addresses import is_loopback, own_mail_address, pages_url
from bot.model.errors import DeliveryError, SourceError
from bot.model.wording import oneline, plural

if TYPE_CHECKING:
    from bot.config.home import NewUser
    from bot.operate.proposals import Proposal


ZOTERO = "zotero"
PASSWORD = "PAPERBOT_EMAIL__PASSWORD"  # noqa: S105 - the name of a variable
HOST = "PAPERBOT_EMAIL__HOST"
_SCHOLAR = "scholaralerts-noreply@google.com"
_BACK = ("back", "<")
_SEARCHED = {"openalex": "OpenAlex", "pubmed": "PubMed"}
_REFUSALS = range(400, 429)  # of a query; 429 asks to wait
_NO = ("no", "none", "nothing", "skip", "-")
_COUNT_SECONDS = 10.0  # for each source's number of papers


class Back(Exception):  # noqa: N818 - an answer, not an error
    """The user typed "back"."""


@dataclass
class Questions:
    """Questions to a user. An empty answer keeps the default, and "no" means none."""

    user: NewUser
    samples: bool
    usual_time: str = "08:00"

    def ask(self, names: Sequence[str] = ()) -> NewUser:
        """Ask the open questions, all or only ``names``, and return the answers."""
        echo('Press Enter to keep the answer in brackets, or type "back". You can change all answers later.\n')
        questions = self._questions()
        names = names or list(questions)
        asked: list[tuple[int, NewUser]] = []  # with the answers before
        number = 0
        while number < len(names):
            name = names[number]
            try:
                if self._is_open(name):
                    answer = questions[name]()
                    asked.append((number, self.user))
                    self.user = replace(self.user, **{name: answer})
                number += 1
            except Back:
                if asked:
                    number, self.user = asked.pop()
                else:
                    echo("This is the first question.")
        return self.user

    def _questions(self) -> dict[str, Callable[[], Any]]:
        topic = f"the samples' topic: {sample_interests()}" if self.samples else "none yet: an example for you to edit"
        local = local_timezone()
        return {
            "interests": lambda: prompt("What do you want to read about, in your own words?", topic),
            "sources": self._sources,
            "library": lambda: prompt(
                "A library to learn from: a file such as .bib, .ris, .nbib or .csv, or zotero?", "none", _library
            ),
            "email": lambda: prompt("Your mail address?", "none yet", own_mail_address),
            "at": lambda: (
                prompt("When should editions come, Monday to Friday?", self.usual_time, time_of_day) or self.usual_time
            ),
            "timezone": lambda: prompt("In which time zone (a large city, or a country)?", local, _zone) or local,
            "mail_host": lambda: prompt("Your mail server, such as smtp.example.org?", "none: mails are files"),
            "mail_port": lambda: prompt("Its port?", "587", _port) or 587,
            "mail_username": self._mail_username,
            "public_url": self._public_url,
            "replies": self._replies,
        }

    def _is_open(self, name: str) -> bool:
        user = self.user
        if getattr(user, name):
            return False
        has_server = bool(user.mail_host or os.environ.get(HOST))
        if name == "mail_host" and has_server:
            echo(f"Mails go by {os.environ[HOST]}, as {HOST} says.")
            return False
        if name in ("mail_port", "mail_username"):
            return bool(user.mail_host) and (name == "mail_port" or wants_login(user))
        if name == "public_url":  # without a mail server, mails are files of this computer
            return has_server and not user.replies
        has_mailbox = any(table["kind"] == "mailbox" for table in user.sources)
        return name != "replies" or (has_server and not user.public_url and not has_mailbox)

    def _mail_username(self) -> str | None:
        login = prompt("Your login there?", self.user.email or "none")
        return self.user.email if login is None else str(login)

    def _public_url(self) -> str:
        echo(
            "\nBelow each paper are two thumbs, from which Paperbot learns. On your phone they open a page, if the "
            "phone reaches this computer at an address. Else they open a mail to Paperbot, which you only send."
        )
        return prompt("The address, such as https://papers.example.org?", "none: thumbs are mails", pages_url) or ""

    def _replies(self) -> str:
        host = self.user.mail_host or os.environ.get(HOST, "")
        imap = re.sub(r"^(?:smtp|mail)\.", "imap.", host)
        server = prompt("The IMAP server of the mailbox that gets these mails, or no?", imap)
        usual = self.user.mail_username or self.user.email
        login = None if server == "" else prompt("Your login there?", usual or "none") or usual
        if login is None:
            echo("Then thumbs work on this computer only, while `paperbot serve` runs.")
            return ""
        return f"{login}@{server or imap}"

    def _sources(self) -> tuple[Mapping[str, Any], ...]:
        """Propose sources until the user chooses. A new search joins the list."""
        from bot.operate.proposals import Proposal, proposed_sources

        proposals = with_counts(proposed_sources(self.user.interests or ""))
        while True:
            if proposals:
                echo("\nThese sources fit your interests, best first. An x marks the nearest:")
            for number, proposal in enumerate(proposals, 1):
                echo(f"  {number:2}. [{'x' if proposal.is_ticked else ' '}] {proposal.about}")
            echo(
                "Type numbers, categories of arXiv (cs.LG), addresses of feeds, or mail for alerts you get by mail. "
                "openalex=WORDS or pubmed=WORDS is another search."
            )
            default = "the ones with x; or none" if proposals else "none: the digests that you copy into seeds/"
            chosen = prompt("Which do you want?", default, partial(_chosen, proposals=proposals))
            if isinstance(chosen, Proposal):
                others = [proposal for proposal in proposals if proposal.table["kind"] != chosen.table["kind"]]
                proposals = [*others, *with_counts([chosen])]
                continue
            if chosen is None:
                chosen = [proposal.table for proposal in proposals if proposal.is_ticked]
            with suppress(Back):  # back to the list, not to the question before it
                return tuple(_mailbox() if table is _MAIL else table for table in chosen)


def sample_interests() -> str:
    """Return the interests of the shipped profile, on one line."""
    from bot.config.home import SAMPLE_PROFILE

    text = (shipped("profiles") / f"{SAMPLE_PROFILE}.toml").read_text("utf-8")
    return oneline(tomllib.loads(text)["interests"]).rstrip(".")


_MAIL: Mapping[str, Any] = {}  # stands for a mailbox to ask for


def with_counts(proposals: Sequence[Proposal]) -> list[Proposal]:
    """Return the proposals, and for each query how many papers it gave last week, if its server answers."""
    from bot.app import homeless_fetcher
    from bot.operate.proposals import papers_last_week
    from bot.sources import HttpError

    fetcher = homeless_fetcher(_COUNT_SECONDS)
    counted = []
    for proposal in proposals:
        try:
            count = papers_last_week(proposal.table, fetcher, datetime.now(UTC).date())
            about = proposal.about if count is None else f"{proposal.about}: {plural(count, 'paper')} last week"
        except SourceError as error:
            why = "refuses it" if isinstance(error, HttpError) and error.status in _REFUSALS else "can't be reached"
            server = proposal.about.partition(":")[0]
            about = f"{proposal.about} (how many papers it gave last week is unknown: {server} {why})"
        counted.append(replace(proposal, about=about))
    return counted


def _chosen(answer: str, proposals: Sequence[Proposal]) -> list[Mapping[str, Any]] | Proposal:
    """Return the tables of an answer, or the proposal of another search. Raises ValueError."""
    from bot.operate.proposals import Proposal, source_table

    kind, is_search, words = answer.partition("=")
    if is_search and kind.strip() in _SEARCHED and words.strip():
        about = f"{_SEARCHED[kind.strip()]}: {words.strip()}"
        return Proposal(about, source_table(kind.strip(), words.strip()), is_ticked=True)
    chosen: list[Mapping[str, Any]] = []
    for word in re.split(r"[\s,;]+", answer):
        if word.isdecimal():
            if not 0 < int(word) <= len(proposals):
                raise ValueError(f"there is no number {word} in the list")
            chosen.append(proposals[int(word) - 1].table)
        elif word.casefold() == "mail":
            chosen.append(_MAIL)
        elif word:
            chosen.append(source_table("feed" if "://" in word else "arxiv", word))
    return chosen


def _mailbox() -> Mapping[str, Any]:
    from bot.operate.proposals import source_table

    host = prompt("The IMAP server of that mailbox?", "imap.example.org") or "imap.example.org"
    login = prompt("Your login there?", "ada@example.org") or "ada@example.org"
    sender = prompt("The sender of the alerts?", _SCHOLAR, own_mail_address) or _SCHOLAR
    table = source_table("mailbox", f"{login}@{host} {sender}")
    echo(f"Its password is read from {_password_variable(table)}.")
    return table


def _library(text: str) -> str:
    if text.casefold() == ZOTERO:
        return ZOTERO
    path = Path(text).expanduser()
    if not path.is_file():
        raise ValueError(f"{text!r} is no file; export one from your library, such as .bib, .ris, .nbib or .csv")
    return str(path)


def _zone(text: str) -> str:
    zone = time_zone(text)
    if zone.casefold() != text.casefold():
        all_year = ", without summer time" if zone.startswith("Etc/") else ""
        echo(f"That is {zone}{all_year}.")
    return zone


def _port(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 65536:
        raise ValueError(f"{text!r} is not a port; write a number from 1 to 65535")
    return int(text)


def wants_login(user: NewUser) -> bool:
    """Return whether the mail server offers logins, or is remote if it can't be reached."""
    from bot.channels.email.smtp import SmtpChannel

    host = user.mail_host or ""
    security = user.mail_security or "starttls"
    server = SmtpChannel(host, user.mail_port or 587, security, envelope_sender=user.email or "", timeout_seconds=10)
    try:
        return server.takes_logins()
    except DeliveryError as error:
        echo(f"! {error}", fg="yellow", err=True)
        return not is_loopback(host)
    finally:
        server.close()


def time_of_day(text: str) -> str:
    """Return a time as people say it. Raises ValueError.

    >>> [time_of_day(said) for said in ("7am", "7:30 pm", "19 h", "8", "12 am", "0730", "noon", "18.45 Uhr")]
    ['07:00', '19:30', '19:00', '08:00', '00:00', '07:30', '12:00', '18:45']
    """
    said = {"noon": "12:00", "midday": "12:00", "midnight": "0:00"}.get(text.strip().casefold(), text)
    match = re.fullmatch(
        r"(?:at )?(\d{1,2})(?:[:.h ]?([0-5]\d)(?::\d\d)?)? ?(?:h|hrs?|hours|uhr|o'clock)?\.? ?(?:([ap])\.?m\.?)?",
        said.strip().casefold(),
    )
    hour = int(match[1]) if match else 24
    if match and match[3]:
        hour = hour % 12 + (12 if match[3] == "p" else 0) if 0 < hour <= 12 else 24
    if not match or hour > 23:
        raise ValueError(f"{text!r} is not a time of day; write it like 08:00 or 8 am")
    return f"{hour:02}:{match[2] or '00'}"


def passwords_of(user: NewUser) -> dict[str, str]:
    """Return the variables of passwords, each with its server or mailbox."""
    passwords = {PASSWORD: f"the mail server {user.mail_host}"} if user.mail_username else {}
    for table in user.all_sources:
        if table["kind"] == "mailbox":
            passwords[_password_variable(table)] = f"the mailbox {table['username']} at {table['host']}"
    return passwords


def _password_variable(source: Mapping[str, Any]) -> str:
    return f"PAPERBOT_PASSWORDS__{source['name'].replace('-', '_').upper()}"


def prompt(question: str, default: str, convert: Callable[[str], Any] = str, *, has_no: bool = True) -> Any:
    """Return the converted answer, None if it is empty, or "" for no. Raises Back."""
    while True:
        answer = click.prompt(wrapped(f"{question} [{default}]"), default="", show_default=False).strip()
        if answer.casefold() in _BACK:
            raise Back
        if not answer:
            return None
        if has_no and answer.casefold() in _NO:
            return ""
        try:
            return convert(answer)
        except ValueError as error:
            echo(f"Error: {error}")
