"""The first edition of a new home: its library, papers to judge, and the proof that mails and thumbs arrive."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import click

from bot.app import App, open_app
from bot.cli.output import echo, open_in_browser, print_edition, print_problems, progress_bar, wrapped
from bot.cli.questions import ZOTERO, Back, has_password, one_of, prompt
from bot.cli.readers import ask_zotero_key, print_import
from bot.config.files import write_atomically
from bot.config.home import NewUser
from bot.config.profiles import Profile
from bot.editions.due import JUDGED
from bot.editions.models import refit
from bot.model import Paper, PaperId, Problem, Reader, Vote
from bot.model.errors import PaperbotError
from bot.model.wording import plural, shorten
from bot.operate.ingest import retrieved
from bot.readers import stored_reader
from bot.readers.libraries import import_file
from bot.sources import Source, Visit
from bot.text.latex import readable

_TO_JUDGE = 10
_ABSTRACT_WIDTH = 600  # characters


def first_papers(home: Path, user: NewUser, *, is_asked: bool) -> None:
    """Import the library, fetch papers, let the user judge some, and show an edition."""
    if not user.email:
        echo("A library, votes and editions belong to a reader. First add your address to the profile.")
        return
    now = datetime.now(UTC)
    with open_app(home) as app:
        reader, profile = stored_reader(app.store, app.profiles, f"{user.profile}/{user.email}", now)
        try:
            if user.library:
                if user.library == ZOTERO:
                    app.zotero.connect(reader, ask_zotero_key(), library=None, collections=(), now=now)
                    read = app.zotero.import_now(reader, now)
                else:
                    name, content = Path(user.library).name, Path(user.library).read_bytes()
                    read = import_file(app.store, app.parser, reader, name=name, content=content, now=now)
                print_import(reader, read)
            if not user.edition:
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
    ranked = app.composer.ranked(reader, profile, app.composer.candidates(reader, profile).ids, now)
    if not ranked:
        return
    best = papers_to_judge([ranked.papers[score.paper] for score in ranked.scores if not score.muted])
    echo(
        "\nWhich of these would you read? Your answers teach the ranking. Your first edition has the papers with y. "
        "Type y, n, a for the abstract, back or done. Press Enter for the next paper."
    )
    answers = {"y": Vote.UP, "yes": Vote.UP, "n": Vote.DOWN, "no": Vote.DOWN, "done": "done"}
    answers |= dict.fromkeys(("a", "abstract", "?"), "abstract")
    judgement = one_of(answers, "or press Enter, or type a, back or done")
    typed: dict[PaperId, str] = {}
    place = 0
    while place < len(best):
        paper = best[place]
        echo(f"\n{place + 1:2}/{len(best)}  {readable(paper.title)}", bold=True)
        try:
            while (
                answer := prompt("Would you read it?", typed.get(paper.id, "next"), judgement, has_no=False)
            ) == "abstract":
                echo(shorten(readable(paper.abstract), _ABSTRACT_WIDTH) or "It came without an abstract.")
        except Back:
            place = max(0, place - 1)
            continue
        except click.Abort:
            echo(
                f"\nYour {plural(len(typed), 'answer')} so far {'is' if len(typed) == 1 else 'are'} kept."
                if typed
                else ""
            )
            raise
        if answer == "done":
            break
        if answer:
            app.store.feedback.add(reader.id, paper.id, answer, now, JUDGED)
            typed[paper.id] = "y" if answer is Vote.UP else "n"
        place += 1
    refit(app.store, app.ranker, [(reader, profile)], now)


def papers_to_judge(best: Sequence[Paper]) -> list[Paper]:
    """Return ten of the best papers: of the days before the newest one, which keeps its own, if these have ten."""
    days = [max([s.date for s in paper.sightings if s.date], default=paper.published) for paper in best]
    newest = max(filter(None, days), default=None)
    earlier = [paper for paper, day in zip(best, days, strict=True) if day and day != newest]
    return list(earlier if len(earlier) >= _TO_JUDGE else best)[:_TO_JUDGE]


def show_edition(app: App, reader: Reader, profile: Profile, now: datetime) -> None:
    """Write the first edition as a page, and open it in a browser. Nothing is stored or sent."""
    edition = app.composer.edition(reader, profile, profile.schedule.day_of(now), now)
    if edition.quiet:
        echo(f"There is no first edition yet. {edition.quiet}")
        return
    print_edition(edition)
    page = app.home.first_edition_file
    write_atomically(page, app.renderer.of_kind("email").preview(edition, "html").encode())
    echo(f"Your first edition, as it will look: {page}")
    open_in_browser(page)


def try_mail_server(home: Path, user: NewUser) -> None:
    """Log in to the mail server, and offer a test mail. Passwords stay in this process."""
    if user.mail_username and not has_password(user):
        echo("The mail server wasn't tried, as its password is missing. `paperbot check --connect` tries it later.")
        return
    now = datetime.now(UTC)
    with open_app(home) as app:
        try:
            app.routes["email"].channels[0].check()
            echo(f"ok  {user.mail_host} {'lets you log in' if user.mail_username else 'accepts mail'}.")
            mailbox = next((source for source in app.sources if source.kind == "mailbox"), None)
            if mailbox:
                # peek: mark nothing as read.
                next(retrieved(mailbox, Visit(now, peek=True)), None)
                echo("ok  The mailbox for thumbs can be read.")
            if not user.test_mail:
                return
            reader, profile = stored_reader(app.store, app.profiles, user.profile, now)
            sent = app.channel_tests.send(reader, profile, now)
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
