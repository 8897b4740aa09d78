"""The questions of ``init`` and ``profiles add``. Each answer is an option that was not given.

NewUser --questions (skip or go back)--> NewUser
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from bot.app import homeless_fetcher
from bot.cli.output import echo, print_note, wrapped
from bot.cli.time_zones import local_timezone, time_zone
from bot.config.files import shipped
from bot.config.home import SAMPLE_PROFILE, NewUser
from bot.config.tables import mistakes_of
from bot.model.addresses import is_loopback, own_mail_address, pages_url
from bot.model.categories import known_category
from bot.model.errors import SourceError
from bot.model.wording import oneline, plural
from bot.readers.subscriptions import title_of
from bot.sources import HttpError, source_models
from bot.wording import interest_warnings, understood

if TYPE_CHECKING:  # takes long to import
    from bot.operate.proposals import Proposal


ZOTERO = "zotero"
PASSWORD = "PAPERBOT_EMAIL__PASSWORD"  # noqa: S105 - the name of a variable
HOST = "PAPERBOT_EMAIL__HOST"
_SCHOLAR = "scholaralerts-noreply@google.com"
_BACK = ("back", "<")
_NO = ("no", "none", "nothing", "skip", "-")
SOURCE_KINDS = ("arxiv", "biorxiv", "medrxiv", "openalex", "pubmed", "feed", "folder", "mailbox")
_BETWEEN = r"[\s,;]+"  # sources
_NAMED = re.compile(rf"(?<![^\s,;])({'|'.join(SOURCE_KINDS)})\s*=\s*")
_OF_WORDS = ("biorxiv", "medrxiv", "folder", "mailbox")  # up to a comma or semicolon
_SEARCHED = {"openalex": "OpenAlex", "pubmed": "PubMed"}
_REFUSALS = range(400, 429)  # of a query; 429 asks to wait
_COUNT_SECONDS = 10.0  # for each source's number of papers


class Back(Exception):  # noqa: N818 - an answer, not an error
    """The user typed "back"."""


@dataclass
class Questions:
    """Questions to a user. An empty answer keeps the default or what was typed before "back". "no" means none."""

    user: NewUser
    samples: bool
    usual_time: str = "08:00"
    _name: str = field(default="", init=False)  # of the open question
    _typed: dict[tuple[str, str], str] = field(default_factory=dict, init=False, repr=False)  # by name and question
    _proposals: dict[str, list[Proposal]] = field(default_factory=dict, init=False)  # by interests

    def ask(self, names: Sequence[str] = ()) -> NewUser:
        """Ask the open questions, those of ``init`` or only ``names``, and return the answers."""
        echo('Press Enter to keep the answer in brackets, or type "back". You can change all answers later.\n')
        questions = self._questions()
        names = names or [name for name in questions if name != "title"]
        asked: list[tuple[int, NewUser]] = []  # with the answers before
        number = 0
        while number < len(names):
            self._name = name = names[number]
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
            "interests": lambda: self._prompt(
                "What do you want to read about, in your own words?", topic, with_reading
            ),
            "sources": self._sources,
            "library": lambda: self._prompt(
                "A library to learn from: a file such as .bib, .ris, .nbib or .csv, or zotero?", "none", library
            ),
            "email": lambda: self._prompt("Your mail address?", "none yet", own_mail_address),
            "at": lambda: (
                self._prompt("When should editions come, Monday to Friday?", self.usual_time, time_of_day)
                or self.usual_time
            ),
            "title": lambda: self._prompt("What are its editions called?", title_of(self.user.interests or "")),
            "timezone": lambda: self._prompt("In which time zone (a large city, or a country)?", local, zone) or local,
            "mail_host": lambda: self._prompt("Your mail server, such as smtp.example.org?", "none: mails are files"),
            "mail_port": lambda: self._prompt("Its port?", "587", port) or 587,
            "mail_username": self._mail_username,
            "public_url": self._public_url,
            "replies": self._replies,
            "passwords": self._passwords,
            "edition": lambda: self._yes_or_no("Fetch papers now, and show your first edition?"),
            "test_mail": lambda: self._yes_or_no(f"Send a test mail to {self.user.email}?"),
        }

    def _is_open(self, name: str) -> bool:
        user = self.user
        answer = getattr(user, name)
        if answer or answer is False:
            return False
        has_server = bool(user.mail_host or os.environ.get(HOST))
        has_mailbox = any(table["kind"] == "mailbox" for table in user.sources)
        if name == "mail_host" and has_server:
            echo(f"Mails go by {os.environ[HOST]}, as {HOST} says.")
        return {
            "title": bool(user.interests),
            "mail_host": not has_server,
            "mail_port": bool(user.mail_host),
            "mail_username": bool(user.mail_host),
            # Without a mail server, mails are files of this computer.
            "public_url": has_server and not user.replies,
            "replies": has_server and not user.public_url and not has_mailbox,
            "passwords": any(variable not in os.environ for variable in passwords_of(user)),
            "edition": bool(user.email),
            "test_mail": bool(user.mail_host and user.email and (not user.mail_username or has_password(user))),
        }.get(name, True)

    def _mail_username(self) -> str | None:
        # Most servers of one's own machine take no login.
        usual = None if is_loopback(self.user.mail_host or "") else self.user.email
        login = self._prompt("Your login there?", usual or "none")
        return usual if login is None else str(login)

    def _public_url(self) -> str:
        echo(
            "\nBelow each paper are two thumbs, from which Paperbot learns. On your phone they open a page, if the "
            "phone reaches this computer at an address. Else they open a mail to Paperbot, which you only send."
        )
        return (
            self._prompt("The address, such as https://papers.example.org?", "none: thumbs are mails", phone_url) or ""
        )

    def _replies(self) -> str:
        host = self.user.mail_host or os.environ.get(HOST, "")
        imap = re.sub(r"^(?:smtp|mail)\.", "imap.", host)
        server = self._prompt("The IMAP server of the mailbox that gets these mails, or no?", imap)
        usual = self.user.mail_username or self.user.email
        login = None if server == "" else self._prompt("Your login there?", usual or "none") or usual
        if login is None:
            echo("Then thumbs work on this computer only, while `paperbot serve` runs.")
            return ""
        return f"{login}@{server or imap}"

    def _passwords(self) -> dict[str, str]:
        """Return the passwords by variable, for this process."""
        passwords: dict[str, str] = {}
        last = ""
        for variable, of in passwords_of(self.user).items():
            if variable not in os.environ:
                question = f"The password of {of} (used now, and not stored)?"
                last = self._prompt(question, "the same" if last else "later", has_no=False, hidden=True) or last
                if last:
                    passwords[variable] = last
        return passwords

    def _sources(self) -> tuple[Mapping[str, Any], ...]:
        """Propose sources until the user chooses. A new search joins the list."""
        from bot.operate.proposals import Proposal, proposed_sources

        question, interests = "Which do you want?", self.user.interests or ""
        if interests not in self._proposals:
            self._proposals = {interests: with_counts(proposed_sources(interests))}
            if any(word.isdecimal() for word in re.split(_BETWEEN, self._typed.get((self._name, question), ""))):
                del self._typed[self._name, question]  # the numbers are those of another list
        while True:
            proposals = self._proposals[interests]
            if proposals:
                echo("\nThese sources fit your interests, best first. An x marks the nearest:")
            for number, proposal in enumerate(proposals, 1):
                echo(f"  {number:2}. [{'x' if proposal.is_ticked else ' '}] {proposal.about}")
            echo(
                "Type numbers, categories of arXiv (cs.LG), addresses of feeds, or mail for alerts you get by mail. "
                "openalex=WORDS or pubmed=WORDS is another search. All that --source takes works, too."
            )
            default = "the ones with x; or none" if proposals else "none: the digests that you copy into seeds/"
            answer = self._prompt(question, default, partial(chosen_sources, proposals=proposals))
            if isinstance(answer, Proposal):
                others = [proposal for proposal in proposals if proposal.table["kind"] != answer.table["kind"]]
                self._proposals[interests] = [*others, *with_counts([answer])]
                self._typed.pop((self._name, question), None)
                continue
            if answer is None:
                answer = [proposal.table for proposal in proposals if proposal.is_ticked]
            with suppress(Back):  # back to the list, not to the question before it
                return tuple(self._alerts_mailbox() if table is _MAIL else table for table in answer)

    def _alerts_mailbox(self) -> Mapping[str, Any]:
        from bot.operate.proposals import source_table

        host = self._prompt("The IMAP server of that mailbox?", "imap.example.org") or "imap.example.org"
        login = self._prompt("Your login there?", "ada@example.org") or "ada@example.org"
        sender = self._prompt("The sender of the alerts?", _SCHOLAR, own_mail_address) or _SCHOLAR
        table = source_table("mailbox", f"{login}@{host} {sender}")
        echo(f"Its password is read from {password_variable(table)}.")
        return table

    def _yes_or_no(self, question: str) -> bool:
        """Return the answer to a question, yes if it is empty. Raises Back."""
        answers = {"y": True, "yes": True, "n": False, **dict.fromkeys(_NO, False)}
        return self._prompt(question, "yes", one_of(answers, "type y, n or back"), has_no=False) is not False

    def _prompt(
        self,
        question: str,
        default: str,
        convert: Callable[[str], Any] = str,
        *,
        has_no: bool = True,
        hidden: bool = False,
    ) -> Any:
        """Ask as ``prompt`` does. An empty answer keeps what was typed before "back"."""
        key = (self._name, question)
        before = self._typed.get(key)

        def remember(text: str) -> Any:
            answer = "" if has_no and text.casefold() in _NO else convert(text)
            self._typed[key] = text
            return answer

        return prompt(question, default, remember, has_no=False, hidden=hidden, before=before)


def with_reading(interests: str) -> str:
    """Return interests. Print how they were understood, while "back" is near."""
    if text := understood(interests):
        echo(text)
    for warning in interest_warnings(interests):
        print_note(warning)
    return interests


def sample_interests() -> str:
    """Return the interests of the shipped profile, on one line."""
    text = (shipped("profiles") / f"{SAMPLE_PROFILE}.toml").read_text("utf-8")
    return oneline(tomllib.loads(text)["interests"]).rstrip(".")


_MAIL: Mapping[str, Any] = {}  # stands for a mailbox to ask for


def with_counts(proposals: Sequence[Proposal]) -> list[Proposal]:
    """Return the proposals, and for each query how many papers it gave last week, if its server answers."""
    from bot.operate.proposals import papers_last_week

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


def chosen_sources(answer: str, proposals: Sequence[Proposal]) -> list[Mapping[str, Any]] | Proposal:
    """Return the tables of an answer, or the proposal of another search. Raises ValueError."""
    from bot.operate.proposals import Proposal, source_table

    # What stands before the first KIND=, then each kind and what follows it.
    others, *named = _NAMED.split(answer.strip())
    if len(named) == 2 and not others and named[0] in _SEARCHED and named[1]:
        kind, words = named
        return Proposal(f"{_SEARCHED[kind]}: {words}", source_table(kind, words), is_ticked=True)
    chosen: list[Mapping[str, Any]] = []
    for kind, text in zip(named[::2], named[1::2], strict=True):
        value, rest = text.rstrip(" ,;"), ""
        if kind not in _SEARCHED:
            value, rest = [*re.split(r"\s*[,;]\s*" if kind in _OF_WORDS else _BETWEEN, value, maxsplit=1), ""][:2]
        chosen.append(named_source(f"{kind}={value}"))
        others += f" {rest}"
    for word in filter(None, re.split(_BETWEEN, others)):
        if word.isdecimal():
            if not 0 < int(word) <= len(proposals):
                raise ValueError(f"there is no number {word} in the list")
            chosen.append(proposals[int(word) - 1].table)
        elif word.casefold() == "mail":
            chosen.append(_MAIL)
        elif word.casefold() == "proposed":
            chosen += [proposal.table for proposal in proposals if proposal.is_ticked]
        elif "=" in word and "://" not in word:
            chosen.append(named_source(word))  # refuses it
        else:
            chosen.append(source_table("feed" if "://" in word else "arxiv", word))
    return chosen


def named_source(name: str) -> Mapping[str, Any]:
    """Return the table of KIND=VALUE or of a feed's address. Raises ValueError with the nearest one."""
    from bot.operate.proposals import source_table

    kind, _, value = name.partition("=")
    if "://" in kind:  # an address with a query
        kind, value = "feed", name
    if kind not in SOURCE_KINDS or not value:
        nearest = nearest_source(name)
        remedy = f"did you mean {nearest}?" if nearest else f"write one of {', '.join(SOURCE_KINDS)}, = and its value"
        raise ValueError(f"{name!r} is no source; {remedy}")
    table = source_table(kind, value)
    for _, problem in mistakes_of(source_models(), table):
        raise ValueError(problem)
    return table


def nearest_source(name: str) -> str:
    """Return what a mistaken KIND=VALUE may mean, or an empty string.

    >>> [nearest_source(name) for name in ("arxv=cs.LG", "/usr/lib", "cs.lg", "proposd", "owls")]
    ['arxiv=cs.LG', 'folder=/usr/lib', 'arxiv=cs.LG', 'proposed', '']
    """
    kind, _, value = name.partition("=")
    if Path(name).expanduser().is_dir():
        return f"folder={name}"
    near = get_close_matches(kind.strip().casefold(), (*SOURCE_KINDS, "proposed"), n=1)
    if near:
        return "proposed" if near == ["proposed"] else f"{near[0]}={value.strip() or '...'}"
    try:
        return f"arxiv={known_category(name)}"
    except ValueError:
        return ""


def library(text: str) -> str:
    if text.casefold() == ZOTERO:
        return ZOTERO
    path = Path(text).expanduser()
    if not path.is_file():
        raise ValueError(f"{text!r} is no file; export one from your library, such as .bib, .ris, .nbib or .csv")
    return str(path)


def zone(text: str) -> str:
    name = time_zone(text)
    if name.casefold() != text.casefold():
        all_year = ", without summer time" if name.startswith("Etc/") else ""
        echo(f"That is {name}{all_year}.")
    return name


def port(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 65536:
        raise ValueError(f"{text!r} is not a port; write a number from 1 to 65535")
    return int(text)


def phone_url(text: str) -> str:
    """Return the address of the pages, and warn if no phone reaches it. Raises ValueError."""
    url = pages_url(text)
    if url and is_loopback(urlsplit(url).hostname or ""):
        remedy = "name an address of your network or a proxy, or leave it out and have thumbs mailed"
        print_note(f"{url} opens on this computer only, so thumbs don't work on phones; {remedy}")
    return url


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
            passwords[password_variable(table)] = f"the mailbox {table['username']} at {table['host']}"
    return passwords


def has_password(user: NewUser) -> bool:
    """Return whether the mail server's password is known."""
    return PASSWORD in os.environ or PASSWORD in user.passwords


def password_variable(source: Mapping[str, Any]) -> str:
    return f"PAPERBOT_PASSWORDS__{source['name'].replace('-', '_').upper()}"


def one_of(answers: Mapping[str, Any], remedy: str) -> Callable[[str], Any]:
    """Return a function that looks up an answer, or raises ValueError."""

    def convert(text: str) -> Any:
        if text.casefold() not in answers:
            raise ValueError(f"{text!r} is neither y nor n; {remedy}")
        return answers[text.casefold()]

    return convert


def prompt(
    question: str,
    default: str,
    convert: Callable[[str], Any] = str,
    *,
    has_no: bool = True,
    hidden: bool = False,
    before: str | None = None,
) -> Any:
    """Return the converted answer, None if it is empty, or "" for no. Raises Back.

    With an answer ``before``, an empty one repeats it.
    """
    if before:
        default = "as before" if hidden else oneline(before)
    while True:
        text = wrapped(f"{question} [{default}]")
        answer = click.prompt(text, default="", show_default=False, hide_input=hidden)
        answer = answer if hidden else answer.strip()
        if answer.casefold() in _BACK:
            raise Back
        answer = answer or before or ""
        if not answer:
            return None
        if has_no and answer.casefold() in _NO:
            return ""
        try:
            return convert(answer)
        except ValueError as error:
            echo(f"Error: {error}")
