"""The command ``init``: ask for interests, sources and times, and make a home.

options --questions, each of which can be skipped or gone back from--> NewUser --make_home--> a home
"""

from __future__ import annotations

import os
import re
import sys
import webbrowser
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from tzlocal import get_localzone_name

from bot.channels import address_checks
from bot.cli.output import has_browser, print_edition, print_problems, progress_bar
from bot.cli.readers import ask_zotero_key
from bot.config.files import write_atomically
from bot.model import SAMPLES, Problem, Reader, Vote
from bot.model.addresses import is_loopback, own_mail_address
from bot.model.categories import known_category
from bot.model.clock import local_date
from bot.model.errors import DeliveryError, PaperbotError
from bot.model.wording import plural

if TYPE_CHECKING:
    from bot.app import App
    from bot.config.home import NewUser
    from bot.config.profiles import Profile
    from bot.operate.proposals import Proposal


_ZOTERO = "zotero"
_PASSWORD = "PAPERBOT_EMAIL__PASSWORD"  # noqa: S105 - the name of a variable
_HOST = "PAPERBOT_EMAIL__HOST"
_SETTINGS = "paperbot.toml"
_BACK = ("back", "<")
_KINDS = ("arxiv", "biorxiv", "medrxiv", "openalex", "feed", "mailbox")
_TO_JUDGE = 10
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


def _timezone(text: str) -> str:
    from bot.config.profiles import known_timezone

    return known_timezone(text)


@click.command("init", short_help="Make a new home.")
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--samples/--no-samples",
    default=None,
    help="Sample digests, used until a source of your own has brought papers  [default: if your interests are theirs]",
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
    help="A source: arxiv=cs.LG, biorxiv=genetics, medrxiv=nursing, openalex=SEARCH, feed=URL or "
    "mailbox='LOGIN@HOST SENDER'; repeatable. proposed: those that fit your interests.",
)
@click.option("--library", metavar="FILE", help="A library (.bib, .ris, .nbib, .csv ...) to learn from, or zotero.")
@click.option("--edition/--no-edition", default=None, help="Fetch papers now, and show the first edition.")
@click.option("--email", callback=_valid(own_mail_address), help="The address that editions go to.")
@click.option("--at", help="The time of day of editions, such as 08:00.")
@click.option(
    "--timezone",
    callback=_valid(_timezone),
    help="The time zone of that time, such as Europe/Berlin  [default: this machine's]",
)
@click.option("--mail-host", help="Your mail server; without one, mails are files.")
@click.option("--mail-port", type=click.IntRange(1, 65535), help="Its port  [default: 587]")
@click.option("--mail-username", help="The login at the mail server.")
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
    shows ten papers to judge and the first edition, tries the mail server, and sends a test mail. Press Enter to skip a
    question, or type "back" to return to the one before. In a pipe, or with --yes, it asks nothing.

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
    is_asked = not yes and sys.stdin.isatty() and sys.stdout.isatty()
    if is_asked:
        user = Questions(user, samples is not False).ask()
    user = replace(user, timezone=user.timezone or local_timezone())
    if samples is None:
        samples = samples_are_for(user)
    make_home(directory, source_models(), address_checks(), user=user, samples=samples)
    click.echo(f"{directory} is ready.")
    if user.interests:
        if text := understood(user.interests):
            click.echo(text)
        for reason in unmatched(user.interests):
            click.secho(f"? {reason}", fg="yellow", err=True)
    if samples:
        click.echo(
            f"{directory / SAMPLES} has sample digests of real papers; their abstracts are "
            "rewritten, not the authors'.\nThey are used until a source of your own has brought papers."
        )
    if user.library or edition or is_asked:
        first_papers(directory, user, is_asked=is_asked, edition=edition)
    if is_asked and user.mail_host:
        try_mail_server(directory, user)
    click.echo("Next:")
    for step, purpose in next_steps(directory, user).items():
        click.echo(f"  {step}\n      {purpose}")


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
    click.echo("The sample digests are about reinforcement learning and language models, not your field: none is used.")
    if not user.sources:
        click.echo("Papers need a source: --source proposed, or docs/sources.md; or copy digests into seeds/.")
    return False


def next_steps(directory: Path, user: NewUser) -> dict[str, str]:
    profile = directory / "profiles" / f"{user.profile}.toml"
    is_complete = user.interests and user.email
    has_server = user.mail_host or _HOST in os.environ
    steps = {
        f"edit {profile}": "everything else about your profile"
        if is_complete
        else "your interests, and where to send them",
        f"copy digests into {directory / 'seeds'}": f"or name {'more' if user.sources else 'other'} sources in "
        f"{directory / _SETTINGS}",
        f"paperbot --home {directory} run --force": "your first edition, now; "
        + ("by mail" if has_server else "a file until a mail server is set"),
        f"paperbot --home {directory} send-test {profile.stem}": "the same again as a test"
        + ("" if has_server else ", once a mail server is set"),
        f"paperbot --home {directory} serve": "an edition whenever one is due, and the pages",
    }
    if user.mail_username:
        return {f"export {_PASSWORD}=...": "the password of the mail server; no file has it"} | steps
    return steps


class Back(Exception):  # noqa: N818 - an answer, not an error
    """The user typed "back"."""


@dataclass
class Questions:
    """The questions to a new user. An empty answer keeps the default."""

    user: NewUser
    samples: bool

    def ask(self) -> NewUser:
        click.echo('Enter keeps what stands in brackets, "back" goes back. All can be changed later in two files.\n')
        questions = self._questions()
        names = list(questions)
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
                    click.echo("This is the first question.")
        return self.user

    def _questions(self) -> dict[str, Callable[[], Any]]:
        from bot.config.profiles import clock_time

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
                f"{_prompt('When should editions come, Monday to Friday?', '08:00', clock_time) or time(8):%H:%M}"
            ),
            "timezone": lambda: _prompt("In which time zone?", local, _timezone) or local,
            "mail_host": lambda: _prompt("Your mail server, such as smtp.example.org?", "none: mails are files"),
            "mail_port": lambda: _prompt("Its port?", "587", _port) or 587,
            "mail_username": lambda: _prompt("Your login there?", self.user.email or "none") or self.user.email,
        }

    def _is_open(self, name: str) -> bool:
        if getattr(self.user, name):
            return False
        if name == "mail_host" and (host := os.environ.get(_HOST)):
            click.echo(f"Mails go by {host}, as {_HOST} says.")
            return False
        if name in ("mail_port", "mail_username") and not self.user.mail_host:
            return False
        return name != "mail_username" or wants_login(self.user)

    def _sources(self) -> tuple[Mapping[str, str], ...]:
        from bot.operate.proposals import proposed_sources, pubmed_page

        proposals = proposed_sources(self.user.interests or "")
        if proposals:
            click.echo("\nThese sources fit, best first; those with x are the nearest:")
        for number, proposal in enumerate(proposals, 1):
            click.echo(f"  {number:2} [{'x' if proposal.is_ticked else ' '}] {proposal.about}")
        if any(proposal.table["kind"] == "biorxiv" for proposal in proposals):
            page = pubmed_page(self.user.interests or "")
            click.echo(f'PubMed makes the address of a feed by "Create RSS" below the search field of {page}')
        click.echo("Type numbers, categories of arXiv (cs.LG), addresses of feeds, or mail for alerts you get by mail.")
        default = "those with x; or none" if proposals else "none: what you copy into seeds/"
        chosen = _prompt("Which do you want?", default, lambda answer: _chosen(answer, proposals))
        if chosen is None:
            chosen = [proposal.table for proposal in proposals if proposal.is_ticked]
        try:
            return tuple(_mailbox() if table is _MAIL else table for table in chosen)
        except Back:  # back to the list, not to the question before it
            return self._sources()


_MAIL: Mapping[str, str] = {}  # stands for a mailbox to ask for


def _chosen(answer: str, proposals: Sequence[Proposal]) -> list[Mapping[str, str]]:
    from bot.operate.proposals import source_table

    chosen: list[Mapping[str, str]] = []
    for word in re.split(r"[\s,;]+", answer):
        if word.isdecimal():
            if not 0 < int(word) <= len(proposals):
                raise ValueError(f"there is no number {word} in the list")
            chosen.append(proposals[int(word) - 1].table)
        elif word.casefold() == "mail":
            chosen.append(_MAIL)
        elif word and word.casefold() != "none":
            chosen.append(source_table("feed" if "://" in word else "arxiv", word))
    return chosen


def _mailbox() -> Mapping[str, str]:
    from bot.operate.proposals import source_table

    host = _prompt("The IMAP server of that mailbox?", "imap.example.org") or "imap.example.org"
    login = _prompt("Your login there?", "ada@example.org") or "ada@example.org"
    sender = _prompt("The sender of the alerts?", "scholaralerts-noreply@google.com", own_mail_address)
    table = source_table("mailbox", f"{login}@{host} {sender or 'scholaralerts-noreply@google.com'}")
    click.echo(f"Its password is read from PAPERBOT_PASSWORDS__{table['name'].replace('-', '_').upper()}.")
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
        click.secho(f"! {error}", fg="yellow", err=True)
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
    from bot.app import open_app
    from bot.readers import stored_reader

    if not user.email:
        click.echo("A library, votes and editions belong to a reader: first add your address to the profile.")
        return
    now = datetime.now(UTC)
    with open_app(home) as app:
        reader, profile = stored_reader(app.store, app.profiles, user.profile, now)
        try:
            if user.library:
                _import(app, reader, user.library, now)
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


def _import(app: App, reader: Reader, library: str, now: datetime) -> None:
    from bot.readers.libraries import import_file

    if library == _ZOTERO:
        app.zotero.connect(reader, ask_zotero_key(), library=None, collections=(), now=now)
        report = app.zotero.import_now(reader, now)
    else:
        path = Path(library)
        report = import_file(app.store, app.parser, reader, name=path.name, content=path.read_bytes(), now=now)
    click.echo(f"ok  {plural(report.read, 'paper')} of your library read; each counts as liked.")
    print_problems(report.problems)


def judge(app: App, reader: Reader, profile: Profile, now: datetime) -> None:
    from bot.editions.models import refit
    from bot.readers.votes import record
    from bot.text.latex import readable

    ranked = app.composer.ranked(reader, profile, app.composer.candidates(reader, profile).ids, now)
    best = [score.paper for score in ranked.scores if not score.muted][:_TO_JUDGE] if ranked else []
    if not ranked or not best:
        return
    click.echo("\nWhich of these would you read? y or n, Enter for the next, back, or done:")
    place = 0
    while place < len(best):
        paper = ranked.papers[best[place]]
        click.echo(f"\n{place + 1:2}/{len(best)}  " + click.style(readable(paper.title), bold=True))
        try:
            answer = _prompt("Would you read it?", "next", _judgement)
        except Back:
            place = max(0, place - 1)
            continue
        if answer == "done":
            break
        if answer:
            record(app.store, reader, paper, answer, now=now, via="cli")
        place += 1
    refit(app.store, app.ranker, [(reader, profile)], now)


def _judgement(text: str) -> Vote | str:
    words = {"y": Vote.UP, "yes": Vote.UP, "n": Vote.DOWN, "no": Vote.DOWN, "done": "done"}
    if text.casefold() not in words:
        raise ValueError(f"{text!r} is neither y nor n; or press Enter, or type back or done")
    return words[text.casefold()]


def show_edition(app: App, reader: Reader, profile: Profile, now: datetime) -> None:
    """Write the first edition as a page, and open it in a browser. Nothing is stored or sent."""
    edition = app.composer.edition(reader, profile, local_date(now, profile.schedule.timezone), now)
    print_edition(edition)
    page = app.home.state / _FIRST_EDITION
    write_atomically(page, app.renderer.of_kind("email").preview(edition, "html").encode())
    click.echo(f"Your first edition, as it will look: {page}")
    if has_browser():
        webbrowser.open(page.resolve().as_uri())


def try_mail_server(home: Path, user: NewUser) -> None:
    """Log in to the mail server, and offer a test mail. The password stays in this process."""
    from bot.app import open_app
    from bot.readers import find_reader

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


def _prompt(question: str, default: str, convert: Callable[[str], Any] = str) -> Any:
    """Return the converted answer, or None if it is empty. Raises Back."""
    while True:
        answer = click.prompt(f"{question} [{default}]", default="", show_default=False).strip()
        if answer.casefold() in _BACK:
            raise Back
        if not answer:
            return None
        try:
            return convert(answer)
        except ValueError as error:
            click.echo(f"Error: {error}")
