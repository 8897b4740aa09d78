"""The command ``init``: ask for interests, sources and times, and make a home.

options --questions (skip or go back)--> NewUser --make_home--> a home
"""

from __future__ import annotations

import os
import re
import sys
import webbrowser
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click
from tzlocal import get_localzone_name

from bot.channels import address_checks, channel_of
from bot.cli.output import app_of, echo, has_browser, print_edition, print_problems, progress_bar, wrapped
from bot.cli.readers import ask_zotero_key, profiles
from bot.config.files import write_atomically
from bot.model import SAMPLES, Paper, Problem, Reader, Vote
from bot.model.addresses import is_loopback, own_mail_address, pages_url
from bot.model.categories import known_category
from bot.model.clock import local_date
from bot.model.errors import DeliveryError, PaperbotError, SourceError, UsageError
from bot.model.wording import listed, plural, shorten

if TYPE_CHECKING:
    from bot.app import App
    from bot.config.home import NewUser
    from bot.config.profiles import Profile
    from bot.operate.proposals import Proposal
    from bot.sources import Source


_ZOTERO = "zotero"
_PASSWORD = "PAPERBOT_EMAIL__PASSWORD"  # noqa: S105 - the name of a variable
_HOST = "PAPERBOT_EMAIL__HOST"
_SETTINGS = "paperbot.toml"
_SCHOLAR = "scholaralerts-noreply@google.com"
_BACK = ("back", "<")
_KINDS = ("arxiv", "biorxiv", "medrxiv", "openalex", "pubmed", "feed", "mailbox")
_SEARCHED = {"openalex": "OpenAlex", "pubmed": "PubMed"}
_REFUSALS = range(400, 429)  # of a query; 429 asks to wait
_NO = ("no", "none", "nothing", "skip", "-")
_COUNT_SECONDS = 10.0  # for each source's number of papers
_TO_JUDGE = 10
_TITLE_WIDTH = 60  # characters
_ABSTRACT_WIDTH = 600  # characters
_FIRST_EDITION = "first-edition.html"  # in state/


def _valid(check: Callable[[str], Any]) -> Callable[[click.Context, click.Parameter, str | None], Any]:
    """Return the callback of an option whose value ``check`` accepts."""

    def convert(_ctx: click.Context, _option: click.Parameter, value: str | None) -> Any:
        if value is None:
            return None
        try:
            return check(value)
        except ValueError as error:
            raise click.BadParameter(str(error)) from None

    return convert


def arxiv_categories(text: str) -> tuple[str, ...]:
    """Return the categories in a text, separated by spaces or commas. Raises ValueError."""
    return tuple(dict.fromkeys(known_category(word) for word in re.split(r"[\s,;]+", text) if word))


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


def _timezone(text: str) -> str:
    from bot.config.profiles import known_timezone

    return known_timezone(text)


def _mailbox_account(text: str) -> str:
    from bot.config.home import mailbox_table

    mailbox_table(text)
    return text


at_option = click.option(
    "--at", callback=_valid(time_of_day), help="The time of day of editions, such as 08:00 or 7pm."
)


@click.command("init", short_help="Make a new home.")
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--samples/--no-samples",
    default=None,
    help="Sample digests, used until your own sources bring papers  [default: if they fit your interests]",
)
@click.option("--interests", help="What you want to read about, in your own words.")
@click.option(
    "--arxiv",
    callback=_valid(arxiv_categories),
    help="Categories of arXiv whose feeds are read, such as cs.LG,q-bio.NC.",
    metavar="CATEGORIES",
)
@click.option(
    "--source",
    "sources",
    multiple=True,
    metavar="KIND=VALUE",
    help="A source: arxiv=cs.LG, biorxiv=genetics, medrxiv=nursing, openalex=SEARCH, pubmed=QUERY, feed=URL or "
    "mailbox='LOGIN@HOST SENDER'; repeatable. `proposed` adds the sources that fit your interests.",
)
@click.option("--library", metavar="FILE", help="A library (.bib, .ris, .nbib, .csv ...) to learn from, or zotero.")
@click.option("--edition/--no-edition", default=None, help="Fetch papers now, and show the first edition.")
@click.option("--email", callback=_valid(own_mail_address), help="The address that editions go to.")
@at_option
@click.option(
    "--timezone",
    callback=_valid(_timezone),
    help="The time zone of that time, such as Europe/Berlin or Berlin  [default: this machine's]",
)
@click.option("--mail-host", help="Your mail server; without one, mails are files.")
@click.option("--mail-port", type=click.IntRange(1, 65535), help="Its port  [default: 587]")
@click.option("--mail-username", help="The login at the mail server.")
@click.option(
    "--public-url", callback=_valid(pages_url), help="Where telephones reach the pages of `serve`: thumbs open them."
)
@click.option(
    "--replies",
    metavar="LOGIN@HOST",
    callback=_valid(_mailbox_account),
    help="A mailbox (IMAP) that thumbs are mailed to, where no telephone reaches the pages.",
)
@click.option("--yes", is_flag=True, help="Ask nothing, even on a terminal.")
def init(
    directory: Path,
    *,
    samples: bool | None,
    yes: bool,
    arxiv: tuple[str, ...] | None,
    sources: tuple[str, ...],
    edition: bool | None,
    **options: Any,
) -> None:
    """Make a new home: settings, a profile, sample digests in samples/, and seeds/ for your own digests.

    On a terminal, it asks for everything that you don't give as an option. It proposes sources that fit your interests,
    shows ten papers to judge and the first edition, tries the mail server, and sends a test mail that asks for one
    thumb. Press Enter to skip a question, or type "back" to return to the one before. In a pipe, or with --yes, it
    asks nothing.

    The samples are a source of their own. Once another source has delivered papers, editions leave the samples out.
    Their titles and authors are real. The abstracts are rewritten, not the authors'.

    \b
    Examples:
      paperbot init ~/papers
      paperbot init ~/papers --yes --email ada@example.org --interests "Reward models for reasoning"
      paperbot init ~/papers --arxiv cs.LG,q-bio.NC
      paperbot init ~/papers --yes --interests "Protein language models" --source proposed --library library.bib
      paperbot init ~/papers --no-samples
    """
    from bot.config.home import NewUser, make_home, refuse_existing
    from bot.sources import source_models
    from bot.wording import understood, unmatched

    refuse_existing(directory)
    named = named_sources([*(f"arxiv={category}" for category in arxiv or ()), *sources], options["interests"])
    user = NewUser(**options, sources=named)
    if is_asked := not yes and _is_terminal():
        user = Questions(user, samples is not False).ask()
    user = replace(user, timezone=user.timezone or local_timezone())
    if samples is None:
        samples = samples_are_for(user)
    make_home(directory, source_models(), address_checks(), user=user, samples=samples)
    echo(f"{directory} is ready.")
    if user.interests:
        if text := understood(user.interests):
            echo(text)
        for reason in unmatched(user.interests):
            echo(f"? {reason}", fg="yellow", err=True)
    if samples:
        echo(
            f"{directory / SAMPLES} has sample digests of real papers. Their abstracts are rewritten, not the "
            "authors'.\nEditions use them until your own sources bring papers."
        )
    if is_asked:
        ask_passwords(user)
    if user.library or edition or is_asked:
        first_papers(directory, user, is_asked=is_asked, edition=edition)
    if is_asked and user.mail_host:
        try_mail_server(directory, user)
    echo("Next:")
    for step, purpose in next_steps(directory, user).items():
        echo(f"  {step}\n      {purpose}")


@profiles.command("add", short_help="Add a profile: another interest of a reader.")
@click.option("--interests", help="What you want to read about, in your own words.")
@click.option("--title", help="The title of its editions  [default: the beginning of your interests]")
@click.option("--reader", "address", help="Who gets it: a mail address or Slack channel  [default: the first reader]")
@at_option
@click.option(
    "--timezone", callback=_valid(_timezone), help="The time zone of that time  [default: as the first profile]"
)
@click.option("--source", "sources", multiple=True, metavar="KIND=VALUE", help="A source, as for `init`; repeatable.")
@click.option("--yes", is_flag=True, help="Ask nothing, even on a terminal.")
@click.pass_context
def add(
    ctx: click.Context,
    *,
    interests: str | None,
    title: str | None,
    address: str | None,
    at: str | None,
    timezone: str | None,
    sources: tuple[str, ...],
    yes: bool,
) -> None:
    """Write another profile into this home, and add the sources that it needs.

    On a terminal, it asks what `init` asks. A source that the home has already is not added again.

    \b
    Examples:
      paperbot profiles add
      paperbot profiles add --yes --interests "Barn owls and their prey" --source proposed
    """
    from bot.config.home import NewUser
    from bot.config.profiles import add_profile
    from bot.wording import understood

    app = app_of(ctx)
    first = next(iter(app.profiles.values()), None)
    usual = f"{first.schedule.at:%H:%M}" if first else "08:00"
    user = NewUser(interests=interests, at=at, sources=named_sources(sources, interests))
    if not yes and _is_terminal():
        names = ("interests", "sources", "at")
        user = Questions(user, samples=False, usual_time=usual).ask(names)
        title = title or _prompt("What are its editions called?", _title(user.interests)) if user.interests else None
    if not user.interests:
        raise UsageError('a profile needs interests; name them, as with --interests "Barn owls and their prey"')
    address = address or next((known for profile in app.profiles.values() for _, known in profile.addresses), None)
    if not address:
        raise UsageError("a profile needs a reader; name one, as with --reader ada@example.org")
    try:
        channel = channel_of(address)
        reader = (channel.name, channel.check_address(address))
    except ValueError as error:
        raise UsageError(str(error)) from None
    timezone = timezone or (first.schedule.timezone if first else local_timezone())
    added = app.home.add_sources(user.all_sources)
    slug = add_profile(
        app.home.profiles_folder,
        title or _title(user.interests),
        user.interests,
        reader,
        address_checks(),
        schedule={"at": user.at or usual, "timezone": timezone},
    )
    echo(f"{app.home.profile_file(slug)} is ready; its reader is {address}.")
    if text := understood(user.interests):
        echo(text)
    if added:
        echo(f"{listed(added)} added to {app.home.settings_file}.")
    echo(f"`paperbot preview {slug}` shows its next edition, once papers were fetched with `paperbot ingest`.")


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _title(interests: str | None) -> str:
    return shorten(re.split(r"[.;:\n]", (interests or "").strip())[0], _TITLE_WIDTH)


def named_sources(names: Sequence[str], interests: str | None) -> tuple[Mapping[str, str], ...]:
    from bot.operate.proposals import proposed_sources, source_table

    tables: list[Mapping[str, str]] = []
    for name in names:
        kind, _, value = name.partition("=")
        if name == "proposed":
            tables += [proposal.table for proposal in proposed_sources(interests or "") if proposal.is_ticked]
        elif kind not in _KINDS or not value:
            raise click.BadParameter(f"{name!r} is no source; write one of {', '.join(_KINDS)}, = and its value")
        else:
            try:
                tables.append(source_table(kind, value))
            except ValueError as error:
                raise click.BadParameter(str(error), param_hint="--source") from None
    return tuple(tables)


def samples_are_for(user: NewUser) -> bool:
    """Return whether the samples fit the user's field, or print that they don't."""
    from bot.operate.proposals import samples_fit

    if not user.interests or samples_fit(user.interests):
        return True
    echo("The sample digests are about reinforcement learning and language models, not your field. None is used.")
    if not user.sources:
        echo("Papers need a source. Add --source proposed, see docs/sources.md, or copy digests into seeds/.")
    return False


def next_steps(directory: Path, user: NewUser) -> dict[str, str]:
    """Return commands and edits, each with its purpose."""
    profile = directory / "profiles" / f"{user.profile}.toml"
    has_server = user.mail_host or _HOST in os.environ
    pages = urlsplit(user.public_url or "")
    # At an http address, no proxy stands before the pages.
    is_direct = pages.scheme == "http" and not is_loopback(pages.hostname or "")
    serve = "serve" + (f" --host 0.0.0.0 --port {pages.port or 80}" if is_direct else "")
    if user.public_url:
        thumbs = f"thumbs open {user.public_url}"
    elif user.replies:
        thumbs = "thumbs are mails, which it reads"
    else:
        thumbs = "thumbs work on this computer, while it runs"
    is_complete = user.interests and user.email
    about = "everything else about your profile" if is_complete else "your interests, and where to send them"
    way = "by mail" if has_server else "a file until you set a mail server"
    return {
        **{f"export {name}=...": f"the password of {of}; no file has it" for name, of in passwords_of(user).items()},
        f"edit {profile}": about,
        f"copy digests into {directory / 'seeds'}": (
            f"or name {'more' if user.sources else 'other'} sources in {directory / _SETTINGS}"
        ),
        f"paperbot --home {directory} run --force": f"your first edition, now; {way}",
        f"paperbot --home {directory} send-test {profile.stem}": (
            "the same again as a test" + ("" if has_server else ", once you have set a mail server")
        ),
        f"paperbot --home {directory} {serve}": f"an edition whenever one is due, and the pages; {thumbs}",
    }


def passwords_of(user: NewUser) -> dict[str, str]:
    """Return the variables of passwords, each with its server or mailbox."""
    passwords = {_PASSWORD: f"the mail server {user.mail_host}"} if user.mail_username else {}
    for table in user.all_sources:
        if table["kind"] == "mailbox":
            passwords[_password_variable(table)] = f"the mailbox {table['username']} at {table['host']}"
    return passwords


def _password_variable(source: Mapping[str, Any]) -> str:
    return f"PAPERBOT_PASSWORDS__{source['name'].replace('-', '_').upper()}"


def ask_passwords(user: NewUser) -> None:
    """Set the variables of passwords for this process."""
    last = ""
    for variable, of in passwords_of(user).items():
        if variable not in os.environ:
            entered = f"Enter: {'the same' if last else 'later'}"
            question = f"The password of {of} (used now, and not stored; {entered})?"
            last = click.prompt(wrapped(question), default=last, hide_input=True, show_default=False)
            if last:
                os.environ[variable] = last


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
        topic = "the samples' topic" if self.samples else "none yet: an example for you to edit"
        local = local_timezone()
        return {
            "interests": lambda: _prompt("What do you want to read about, in your own words?", topic),
            "sources": self._sources,
            "library": lambda: _prompt(
                "A library to learn from: a file such as .bib, .ris, .nbib or .csv, or zotero?", "none", _library
            ),
            "email": lambda: _prompt("Your mail address?", "none yet", own_mail_address),
            "at": lambda: (
                _prompt("When should editions come, Monday to Friday?", self.usual_time, time_of_day) or self.usual_time
            ),
            "timezone": lambda: _prompt("In which time zone, or a large city of it?", local, _timezone) or local,
            "mail_host": lambda: _prompt("Your mail server, such as smtp.example.org?", "none: mails are files"),
            "mail_port": lambda: _prompt("Its port?", "587", _port) or 587,
            "mail_username": self._mail_username,
            "public_url": self._public_url,
            "replies": self._replies,
        }

    def _is_open(self, name: str) -> bool:
        user = self.user
        if getattr(user, name):
            return False
        has_server = bool(user.mail_host or os.environ.get(_HOST))
        if name == "mail_host" and has_server:
            echo(f"Mails go by {os.environ[_HOST]}, as {_HOST} says.")
            return False
        if name in ("mail_port", "mail_username"):
            return bool(user.mail_host) and (name == "mail_port" or wants_login(user))
        if name == "public_url":  # without a mail server, mails are files of this computer
            return has_server and not user.replies
        has_mailbox = any(table["kind"] == "mailbox" for table in user.sources)
        return name != "replies" or (has_server and not user.public_url and not has_mailbox)

    def _mail_username(self) -> str | None:
        login = _prompt("Your login there?", self.user.email or "none")
        return self.user.email if login is None else str(login)

    def _public_url(self) -> str:
        echo(
            "\nBelow each paper are two thumbs, from which Paperbot learns. On your phone they open a page, if the "
            "phone reaches this computer at an address. Else they open a mail to Paperbot, which you only send."
        )
        return _prompt("The address, such as https://papers.example.org?", "none: thumbs are mails", pages_url) or ""

    def _replies(self) -> str:
        host = self.user.mail_host or os.environ.get(_HOST, "")
        imap = re.sub(r"^(?:smtp|mail)\.", "imap.", host)
        server = _prompt("The IMAP server of the mailbox that gets these mails, or no?", imap)
        usual = self.user.mail_username or self.user.email
        login = None if server == "" else _prompt("Your login there?", usual or "none") or usual
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
            chosen = _prompt("Which do you want?", default, partial(_chosen, proposals=proposals))
            if isinstance(chosen, Proposal):
                others = [proposal for proposal in proposals if proposal.table["kind"] != chosen.table["kind"]]
                proposals = [*others, *with_counts([chosen])]
                continue
            if chosen is None:
                chosen = [proposal.table for proposal in proposals if proposal.is_ticked]
            with suppress(Back):  # back to the list, not to the question before it
                return tuple(_mailbox() if table is _MAIL else table for table in chosen)


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

    host = _prompt("The IMAP server of that mailbox?", "imap.example.org") or "imap.example.org"
    login = _prompt("Your login there?", "ada@example.org") or "ada@example.org"
    sender = _prompt("The sender of the alerts?", _SCHOLAR, own_mail_address) or _SCHOLAR
    table = source_table("mailbox", f"{login}@{host} {sender}")
    echo(f"Its password is read from {_password_variable(table)}.")
    return table


def _library(text: str) -> str:
    if text.casefold() == _ZOTERO:
        return _ZOTERO
    path = Path(text).expanduser()
    if not path.is_file():
        raise ValueError(f"{text!r} is no file; export one from your library, such as .bib, .ris, .nbib or .csv")
    return str(path)


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


def local_timezone() -> str:
    """Return this machine's time zone, or UTC if it has no usable name."""
    # tzlocal raises several errors if /etc/localtime and TZ conflict or are invalid.
    try:
        return _timezone(get_localzone_name())
    except (ValueError, LookupError, OSError):
        return "UTC"


def first_papers(home: Path, user: NewUser, *, is_asked: bool, edition: bool | None) -> None:
    """Import the library, fetch papers, let the user judge some, and show an edition."""
    from bot.app import open_app
    from bot.readers import stored_reader
    from bot.readers.libraries import import_file

    if not user.email:
        echo("A library, votes and editions belong to a reader. First add your address to the profile.")
        return
    now = datetime.now(UTC)
    with open_app(home) as app:
        reader, profile = stored_reader(app.store, app.profiles, f"{user.profile}/{user.email}", now)
        try:
            if user.library:
                if user.library == _ZOTERO:
                    app.zotero.connect(reader, ask_zotero_key(), library=None, collections=(), now=now)
                    read = app.zotero.import_now(reader, now)
                else:
                    path = Path(user.library)
                    read = import_file(
                        app.store, app.parser, reader, name=path.name, content=path.read_bytes(), now=now
                    )
                echo(f"ok  {plural(read.read, 'paper')} of your library read; each counts as liked.")
                print_problems(read.problems)
            if edition is None and is_asked:
                edition = click.confirm("Fetch papers now, and show your first edition?", default=True)
            if not edition:
                return
            with progress_bar() as progress:
                report = app.ingestion.ingest(app.sources, now, at_once=True, progress=progress)
            print_problems(report.problems)
            if is_asked:
                judge(app, reader, profile, now)
            show_edition(app, reader, profile, now)
        except PaperbotError as error:
            print_problems([Problem("init", str(error))])


def judge(app: App, reader: Reader, profile: Profile, now: datetime) -> None:
    from bot.editions.due import JUDGED
    from bot.editions.models import refit
    from bot.readers.votes import record
    from bot.text.latex import readable

    ranked = app.composer.ranked(reader, profile, app.composer.candidates(reader, profile).ids, now)
    if not ranked:
        return
    best = papers_to_judge([ranked.papers[score.paper] for score in ranked.scores if not score.muted])
    echo(
        "\nWhich of these would you read? Your answers teach the ranking. Your first edition has the papers with y. "
        "Type y, n, a for the abstract, back or done. Press Enter for the next paper."
    )
    place = 0
    while place < len(best):
        paper = best[place]
        echo(f"\n{place + 1:2}/{len(best)}  {readable(paper.title)}", bold=True)
        try:
            while (answer := _prompt("Would you read it?", "next", _judgement, has_no=False)) == "abstract":
                echo(shorten(readable(paper.abstract), _ABSTRACT_WIDTH) or "It came without an abstract.")
        except Back:
            place = max(0, place - 1)
            continue
        if answer == "done":
            break
        if answer:
            record(app.store, reader, paper, answer, now=now, via=JUDGED)
        place += 1
    refit(app.store, app.ranker, [(reader, profile)], now)


def papers_to_judge(best: Sequence[Paper]) -> list[Paper]:
    """Return ten of the best papers: of the days before the newest one, which keeps its own, if these have ten."""
    days = [max([s.date for s in paper.sightings if s.date], default=paper.published) for paper in best]
    newest = max(filter(None, days), default=None)
    earlier = [paper for paper, day in zip(best, days, strict=True) if day and day != newest]
    return list(earlier if len(earlier) >= _TO_JUDGE else best)[:_TO_JUDGE]


def _judgement(text: str) -> Vote | str:
    words: dict[str, Vote | str] = {"y": Vote.UP, "yes": Vote.UP, "n": Vote.DOWN, "no": Vote.DOWN, "done": "done"}
    words |= dict.fromkeys(("a", "abstract", "?"), "abstract")
    if text.casefold() not in words:
        raise ValueError(f"{text!r} is neither y nor n; or press Enter, or type a, back or done")
    return words[text.casefold()]


def show_edition(app: App, reader: Reader, profile: Profile, now: datetime) -> None:
    """Write the first edition as a page, and open it in a browser. Nothing is stored or sent."""
    edition = app.composer.edition(reader, profile, local_date(now, profile.schedule.timezone), now)
    if edition.quiet:
        echo(f"There is no first edition yet. {edition.quiet}")
        return
    print_edition(edition)
    page = app.home.state / _FIRST_EDITION
    write_atomically(page, app.renderer.of_kind("email").preview(edition, "html").encode())
    echo(f"Your first edition, as it will look: {page}")
    if has_browser():
        webbrowser.open(page.resolve().as_uri())


def try_mail_server(home: Path, user: NewUser) -> None:
    """Log in to the mail server, and offer a test mail. Passwords stay in this process."""
    from bot.app import open_app
    from bot.operate.ingest import retrieved
    from bot.readers import stored_reader
    from bot.sources import Visit

    if user.mail_username and _PASSWORD not in os.environ:
        echo("The mail server wasn't tried, as its password is missing. `paperbot check --connect` tries it later.")
        return
    with open_app(home) as app:
        try:
            app.routes["email"].channels[0].check()
            echo(f"ok  {user.mail_host} {'lets you log in' if user.mail_username else 'accepts mail'}.")
            mailbox = next((source for source in app.sources if source.kind == "mailbox"), None)
            if mailbox:
                # peek: mark nothing as read.
                for _ in retrieved(mailbox, Visit(datetime.now(UTC), peek=True)):
                    break
                echo("ok  The mailbox for thumbs can be read.")
            if not user.email or not click.confirm(f"Send a test mail to {user.email}?", default=True):
                return
            reader, profile = stored_reader(app.store, app.profiles, user.profile, datetime.now(UTC))
            sent = app.channel_tests.send(reader, profile, datetime.now(UTC))
            echo(f"ok  A test mail is on its way to {user.email}.")
            if mailbox and sent.edition.request:
                wait_for_thumb(app, reader, mailbox)
            elif sent.edition.request:
                echo("Its thumbs open pages: start `paperbot serve`, then press one.")
        except PaperbotError as error:
            echo(f"! {error}", fg="red", err=True)
            echo(f"Correct it in {app.home.settings_file}, then try `paperbot check --connect`.")


def wait_for_thumb(app: App, reader: Reader, mailbox: Source) -> None:
    """Read the mailbox each time the user presses Enter, until a vote arrives."""
    from bot.text.latex import readable

    question = wrapped("Press a thumb in it, send the mail that opens, then press Enter (or type skip)")
    before = app.store.feedback.current(reader.id)
    while not click.prompt(question, default="", show_default=False):
        print_problems(app.ingestion.ingest([mailbox], datetime.now(UTC), at_once=True).problems)
        votes = app.store.feedback.current(reader.id)
        if new := next((paper for paper, vote in votes.items() if before.get(paper) != vote), None):
            title = readable(app.store.papers.get([new])[new].title)
            echo(f"ok  Your thumb {votes[new].vote} arrived: {title}")
            return
        echo("No thumb has arrived yet. Mails may take a minute.")


def _prompt(question: str, default: str, convert: Callable[[str], Any] = str, *, has_no: bool = True) -> Any:
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
