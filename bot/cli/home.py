"""The commands that make or describe a home: ``init``, ``demo``, ``config`` and ``completion``."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import get_completion_class
from tzlocal import get_localzone_name

from bot.channels.papers import known_category
from bot.channels.registry import address_checks, reader_channels
from bot.cli.output import console, home_of, json_option, plain, print_edition, print_json, table, why
from bot.config.files import shipped
from bot.model import Edition, Match, PaperId, Vote
from bot.model.addresses import is_loopback, mail_address
from bot.model.errors import PaperbotError, UsageError
from bot.model.wording import plural

if TYPE_CHECKING:
    from bot.app import App
    from bot.config.new_home import NewUser


_PASSWORD = "PAPERBOT_EMAIL__PASSWORD"  # noqa: S105 - the name of a variable
DEFAULT_HOME = Path("state/demo")
# An empty file by which an earlier demo is recognised: only such a directory is deleted.
_MARKER = ".demo"
_LEARNING_PROFILE = "reward-models"
# A reader who, of reward models, wants those of preferences rather than of reasoning.
_VOTES = (
    (Vote.UP, "Energy-Based Reward Models"),
    (Vote.UP, "LoRe: Personalizing LLMs"),
    (Vote.UP, "SALMON: Self-Alignment"),
    (Vote.UP, "A Unified Pairwise Framework for RLHF"),
    (Vote.DOWN, "RM-R1"),
    (Vote.DOWN, "Stop Summation: Min-Form Credit Assignment"),
    (Vote.DOWN, "VLM-R1"),
    (Vote.DOWN, "J1: Incentivizing Thinking"),
)
_SHELLS = ("bash", "zsh", "fish")
_SETTINGS = "paperbot.toml"


@click.command("init", short_help="Make a new home.")
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--samples/--no-samples",
    default=True,
    show_default=True,
    help="Sample digests, used until a source of your own has brought papers.",
)
@click.option("--interests", help="What you want to read about, in your own words.")
@click.option("--arxiv", help="Categories of arXiv whose feeds are read, such as cs.LG,q-bio.NC.", metavar="CATEGORIES")
@click.option("--email", help="The address that editions go to.")
@click.option("--at", help="The time of day of editions, such as 08:00.")
@click.option("--timezone", help="The time zone of that time, such as Europe/Berlin.")
@click.option("--mail-host", help="Your mail server; without one, mails are files.")
@click.option("--mail-port", type=click.IntRange(1, 65535), help="Its port  [default: 587]")
@click.option("--mail-username", help="The login at the mail server.")
@click.option("--yes", is_flag=True, help="Ask nothing, even on a terminal.")
def init(directory: Path, samples: bool, yes: bool, arxiv: str | None, **options: Any) -> None:
    """Make a new home: settings, a profile, sample digests in samples/, and seeds/ for digests of your own.

    On a terminal it asks for what no option says, tries the mail server, and sends a test mail. In a pipe, or with
    --yes, it asks nothing.

    The samples are a source of their own: as soon as any other source has brought papers, editions have none from
    the samples. Titles and authors are those of real papers; the abstracts are rewritten, not the authors'.

    \b
    Examples:
      paperbot init ~/papers
      paperbot init ~/papers --yes --email ada@example.org --interests "Reward models for reasoning"
      paperbot init ~/papers --arxiv cs.LG,q-bio.NC
      paperbot init ~/papers --no-samples
    """
    from bot.channels.phrases import understood
    from bot.config.new_home import SAMPLES, NewUser, make_home, refuse_existing
    from bot.sources.registry import source_models

    refuse_existing(directory)
    try:
        user = NewUser(**options, arxiv=arxiv_categories(arxiv or ""))
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--arxiv") from None
    is_asked = not yes and sys.stdin.isatty() and sys.stdout.isatty()
    if is_asked:
        user = ask(user)
    make_home(directory, source_models(), address_checks(), user=user, samples=samples)
    click.echo(f"{directory} is ready.")
    if user.interests:
        click.echo(understood(user.interests))
    if samples:
        click.echo(
            f"{directory / SAMPLES} has sample digests of real papers; their abstracts are "
            "rewritten, not the authors'.\nThey are used until a source of your own has brought papers."
        )
    if is_asked and user.mail_host:
        try_mail_server(directory, user)
    profile = directory / "profiles" / f"{user.profile}.toml"
    is_complete = user.interests and user.email
    steps = {
        f"edit {profile}": "everything else about your profile"
        if is_complete
        else "your interests, and where to send them",
        f"copy digests into {directory / 'seeds'}": f"or name {'more' if user.arxiv else 'other'} sources in "
        f"{directory / _SETTINGS}",
        f"paperbot --home {directory} run --force": "your first edition, now; "
        + ("by mail" if user.mail_host else "a file until a mail server is set"),
        f"paperbot --home {directory} send-test {profile.stem}": "the same again as a test"
        + ("" if user.mail_host else ", once a mail server is set"),
        f"paperbot --home {directory} serve": "an edition whenever one is due, and the pages",
    }
    if user.mail_username:
        variable = "export PAPERBOT_EMAIL__PASSWORD=..."
        steps = {variable: "the password of the mail server; no file has it"} | steps
    click.echo("Next:")
    for step, purpose in steps.items():
        click.echo(f"  {step}\n      {purpose}")


def ask(user: NewUser) -> NewUser:
    """Ask for what the user hasn't said by an option; return all of it. Empty answers keep the default."""
    from bot.config.profiles import clock_time, known_timezone

    click.echo("Press Enter to keep what stands in brackets. Everything can be changed later in two files.\n")
    interests = user.interests or _ask("What do you want to read about, in your own words?", "the sample's topic")
    arxiv = user.arxiv or arxiv_categories(
        _ask(
            "Which of arXiv's categories do you read, such as cs.LG, q-bio.NC?",
            "none: sample digests, and those that you copy into seeds/",
            _checked(arxiv_categories),
        )
        or ""
    )
    email = user.email or _ask("Your mail address?", "none yet", _checked(mail_address))
    at = user.at or _ask("When should editions come, Monday to Friday?", "08:00", _checked(clock_time), keep=True)
    timezone = user.timezone or _ask("In which time zone?", local_timezone(), _checked(known_timezone), keep=True)
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
    from bot.config.profiles import known_timezone

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


def _ask(question: str, default: str, convert: Callable[[str], str] | None = None, *, keep: bool = False) -> str | None:
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


@click.command("demo", short_help="Show how it works, on the sample digests.")
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False), default=DEFAULT_HOME)
def demo(directory: Path) -> int:
    """Make a home in DIRECTORY (state/demo), run the sample digests through it, and show what it learns.

    It can be run repeatedly: each time the directory is made again.
    """
    click.echo(f"Making a home in {directory}: settings, three profiles, five sample digests.")
    if directory.exists():
        if not (directory / _MARKER).exists():
            raise UsageError(f"{directory} was not made by an earlier demo; name another directory")
        shutil.rmtree(directory)
    from bot.config.new_home import make_home
    from bot.sources.registry import source_models

    profiles = [path.stem for path in sorted(shipped("profiles").glob("*.toml"))]
    make_home(directory, source_models(), address_checks(), profiles)
    (directory / _MARKER).touch()
    from bot.app import open_app

    with open_app(directory) as app:
        return run_demo(app)


def run_demo(app: App) -> int:
    now = datetime.now(UTC)
    editions: list[Edition] = []
    steps: set[str] = set()

    def print_step(step: str, _done: int, _total: int) -> None:
        # A line for each step instead of a progress bar, so that `make demo` in a CI log shows them too.
        if step not in steps:
            steps.add(step)
            click.echo(f"{step.capitalize()} ...")

    report = app.daily_job.run(now, force=True, progress=print_step, show=editions.append)
    papers = sum(digest.new for digest in report.digests)
    click.echo(f"{plural(len(report.digests), 'digest')}, {plural(papers, 'paper')}. The editions, with reasons:")
    for edition in editions:
        print_edition(edition)
    show_learning(app, next(edition for edition in editions if edition.reader.profile == _LEARNING_PROFILE), now)

    for channel in reader_channels():
        if paths := sorted(app.home.outbox_folder.rglob(f"*{channel.suffix}")):
            click.echo(f"{channel.messages} {app.route_description(channel.name)}:")
            for path in paths:
                click.echo(f"  {path}")
    # As it was called, so that the line can be copied: `make demo` calls .venv/bin/paperbot.
    program = sys.argv[0] if sys.argv[0].endswith("paperbot") else "paperbot"
    home = app.home.path
    click.echo(f"\nMore: {program} --home {home} why {_LEARNING_PROFILE} p1      (or preview, status, thumb, ...)")
    return 0 if report.complete else 1


def show_learning(app: App, edition: Edition, now: datetime) -> None:
    from bot.editions.due import Candidates
    from bot.readers import find_paper
    from bot.readers.votes import record
    from bot.text.latex import readable

    reader = edition.reader
    profile = app.profiles[reader.profile]
    click.echo(f"\nNow {reader.name} votes:")
    voted = [(vote, find_paper(app.store, title)) for vote, title in _VOTES]
    voted_ids = {paper.id for _, paper in voted}
    # The picks were sent, so they are no longer new to the reader; they are ranked again all the same.
    ids = [*app.store.papers.new_to(reader.id), *(pick.paper.id for pick in edition.picks)]
    candidates = Candidates([paper_id for paper_id in ids if paper_id not in voted_ids], edition.watermark)

    def places() -> dict[PaperId, int]:
        ranked = app.composer.ranked(reader, profile, candidates.ids, now)
        return {score.paper: place for place, score in enumerate(ranked.scores if ranked else (), 1)}

    before = places()
    for vote, paper in voted:
        click.echo(f"  {'👍' if vote is Vote.UP else '👎'} {readable(paper.title)}")
        record(app.store, reader, paper, vote, now=now, via="cli")
    after = places()
    click.echo("\nThe same day, composed again without these papers. Ranks before and after the votes:")
    moves = table("match", ">before", ">after", "", "paper", "why")
    for pick in app.composer.edition(reader, profile, edition.date, now, candidates).picks:
        old_place = before[pick.paper.id]
        new_place = after[pick.paper.id]
        arrow = "↑" if old_place > new_place else "↓" if old_place < new_place else "="
        match = Match.for_probability(pick.probability)
        title = plain(readable(pick.paper.title))
        moves.add_row(match, f"#{old_place}", f"#{new_place}", arrow, title, plain(why(pick)))
    console().print(moves)


@click.command("config", short_help="Show every setting in force, and where it comes from.")
@json_option
@click.pass_context
def config(ctx: click.Context, as_json: bool) -> None:
    """Show every setting in force, and where it comes from: the environment, paperbot.toml or the default.

    Secrets and passwords are masked. The home is not opened: nothing is created or changed.

    \b
    Examples:
      paperbot config
      paperbot config --json
    """
    from bot.config.home import SettingOrigin, effective_settings
    from bot.sources.registry import source_models

    home = home_of(ctx)
    settings = effective_settings(home, source_models())
    if as_json:
        print_json({"home": str(home.resolve()), "settings": [asdict(setting) for setting in settings]})
        return
    click.echo(f"home {home.resolve()}")
    rows = table("setting", "value", "from", unbroken=["setting"])
    for setting in settings:
        # As it would be written in the file: texts in quotes; a setting without a value has a dash.
        value = "-" if setting.value is None else json.dumps(setting.value, ensure_ascii=False)
        is_default = setting.origin is SettingOrigin.DEFAULT
        rows.add_row(setting.key, plain(value), setting.variable or setting.origin, style="dim" if is_default else None)
    console().print(rows)


@click.command("completion", short_help="Print the completion script of a shell.")
@click.argument("shell", type=click.Choice(_SHELLS))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the script by which SHELL completes the commands and options of paperbot.

    \b
    Examples:
      paperbot completion bash >> ~/.bashrc
      paperbot completion zsh >> ~/.zshrc
      paperbot completion fish > ~/.config/fish/completions/paperbot.fish
    """
    completion = get_completion_class(shell)
    assert completion is not None  # noqa: S101 - click has a class for each name in _SHELLS
    if shell == "zsh":
        # Without compinit there is no compdef; oh-my-zsh and others have called it, a .zshrc of its own may not.
        click.echo("(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }")
    click.echo(completion(ctx.find_root().command, {}, "paperbot", "_PAPERBOT_COMPLETE").source())
