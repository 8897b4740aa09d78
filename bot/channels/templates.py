"""The Jinja2 environment of the message templates, a check of each, and samples.

Message templates have ``edition``, ``links``, ``language``, ``Role`` and ``Vote``. Their filters are the public
functions of ``papers`` and ``bot.wording``, and the functions below.
"""

from __future__ import annotations

import difflib
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path, PurePath
from typing import Any

from jinja2 import (
    ChoiceLoader,
    Environment,
    FileSystemLoader,
    StrictUndefined,
    TemplateError,
    TemplateNotFound,
    TemplateSyntaxError,
    meta,
    pass_context,
    select_autoescape,
)
from jinja2.runtime import Context

from bot import wording
from bot.channels import papers
from bot.channels.papers import Links, SampleLinks
from bot.model import (
    Edition,
    EditionKind,
    Fact,
    FactKind,
    FollowUp,
    FollowUpKind,
    GroupLike,
    LearnedPhrase,
    LeavingInterest,
    Letter,
    MatchRecord,
    Paper,
    Pick,
    PickKind,
    Quiet,
    QuietReason,
    Reader,
    Reason,
    ReasonKind,
    Role,
    Sentence,
    Sighting,
    Vote,
)
from bot.model.errors import TemplateProblem
from bot.model.wording import DEFAULT_LANGUAGE, long_date, oneline, plural, short_date, shorten, wrap
from bot.text.latex import readable
from bot.wording import messages, picks

_REMEDY = "Correct the file, or delete it: the shipped template is used then."


def _localised(function: Callable[[Any, str], object]) -> Callable[..., object]:
    """Return a filter that calls the function with the language of the message or page."""

    @pass_context
    def in_language(context: Context, value: object, language: str = "") -> object:
        return function(value, language or context.get("language", DEFAULT_LANGUAGE))

    return in_language


_FILTERS: dict[str, Callable[..., object]] = {
    "credits": wording.credits_of,
    "day": _localised(long_date),
    "link": papers.title_link,
    "oneline": oneline,
    "papers_count": lambda number: plural(number, "paper"),
    "readable": readable,
    "reasons": wording.sentence,
    "seen": _localised(wording.seen),
    "short_day": _localised(short_date),
    "shorten": shorten,
    "title_text": wording.title,
    "wrap": wrap,
}


def environment(shipped: Path, home: Path | None = None) -> Environment:
    """Return the environment of the templates. Files in ``home`` override shipped ones."""
    folders = [home, shipped] if home else [shipped]
    env = Environment(
        loader=ChoiceLoader([FileSystemLoader(folder) for folder in folders]),
        autoescape=select_autoescape(("html", "html.j2", "svg.j2", "atom.j2")),
        # Jinja's default renders a misspelt name as nothing.
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    functions = {
        name: value
        for module in (papers, picks, messages)
        for name, value in vars(module).items()
        if callable(value) and not isinstance(value, type)
        if value.__module__ == module.__name__ and not name.startswith("_")
    }
    env.filters = functions | env.filters | _FILTERS
    env.globals |= {
        "Role": Role,
        "Vote": Vote,
        "FOLLOW_UPS": wording.FOLLOW_UPS,
        "LETTER_MISSED": wording.LETTER_MISSED,
        "LIKED_ELSEWHERE": wording.LIKED_ELSEWHERE,
        "LEAVING": wording.LEAVING,
        "MORE_LATER": wording.MORE_LATER,
    }
    return env


def render(env: Environment, name: str, edition: Edition, links: Links) -> str:
    return render_part(env, name, edition=edition, links=links, language=edition.language)


def render_part(env: Environment, name: str, **context: object) -> str:
    """Raises TemplateProblem."""
    with _template_problems(name):
        return env.get_template(name).render(**context)


def template_mistakes(env: Environment) -> list[str]:
    """Compile each ``*.j2`` template, render message templates and letters with samples, and return mistakes.

    Parts (``_*``) and other folders have other variables.
    """
    mistakes: list[str] = []
    for name in env.list_templates(extensions=["j2"]):
        try:
            with _template_problems(name):
                env.get_template(name)
            if "/" not in name and not name.startswith("_"):
                render(env, name, sample_edition(), _SAMPLE_LINKS)
                render(env, name, sample_quiet_edition(), _SAMPLE_LINKS)
            elif PurePath(name).parent.name == "letter":
                for letter in sample_letters():
                    render_part(env, name, letter=letter, links=_SAMPLE_LINKS)
        except TemplateProblem as error:
            mistakes.append(str(error))
    return list(dict.fromkeys(mistakes))  # templates share a part's mistakes


def unused_templates(env: Environment, shipped: Path, home: Path) -> Iterator[str]:
    """Yield a sentence for each file in ``home`` that no template uses."""
    names = {path.relative_to(shipped).as_posix() for path in shipped.rglob("*.j2")}
    overrides = {path.relative_to(home).as_posix() for path in home.rglob("*") if path.is_file()}
    referenced: set[str | None] = set()
    for name in overrides & set(env.list_templates(extensions=["j2"])):
        with suppress(TemplateSyntaxError, OSError, ValueError):
            referenced.update(meta.find_referenced_templates(env.parse((home / name).read_text("utf-8"), name)))
    for name in sorted(overrides - names - referenced):
        if PurePath(name).name.startswith("."):
            continue
        near = difflib.get_close_matches(name, sorted(names), n=1)
        remedy = f"did you mean {near[0]}?" if near else f"known templates: {', '.join(sorted(names))}"
        yield f"{home / name}: nothing uses a template of this name; {remedy}"


@contextmanager
def _template_problems(name: str) -> Iterator[None]:
    try:
        yield
    except TemplateSyntaxError as error:
        raise TemplateProblem(f"{error.filename or name}:{error.lineno}: {error.message} {_REMEDY}") from error
    except Exception as error:
        # Jinja maps tracebacks to template lines.
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.endswith(".j2")]
        location = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else name
        if isinstance(error, TemplateNotFound):
            explanation = f"there is no template named {error.name}"
        elif isinstance(error, TemplateError):
            explanation = str(error)
        else:
            explanation = f"{type(error).__name__}: {error}"
        raise TemplateProblem(f"{location}: {explanation}. {_REMEDY}") from error


# Samples use each feature of the templates. The domain is reserved (RFC 2606).
_SAMPLE_LINKS = SampleLinks("https://paperbot.example.org")
_DAY = date(2025, 5, 6)
_MORNING = datetime(2025, 5, 6, 8, tzinfo=UTC)
_READER = Reader(1, "sample", "email", "ada@example.org")


def sample_edition() -> Edition:
    title = r"A made-up paper with \textbf{markup} & an $\epsilon$"
    full = _pick(
        _paper(1, title, ("Ada Lovelace", "Mary Somerville"), "https://example.org/1"),
        Reason(ReasonKind.KEYWORD, "GRPO"),
        Reason(ReasonKind.WROTE, "known", 1.5),
        Reason(ReasonKind.LEARNED, "emphasis", 0.5),
        Reason(ReasonKind.LIKED, "An older paper"),
        summary=(
            Sentence("First, what a paper is about, with known words marked.", None, ("known",)),
            Sentence("Then its idea."),
            Sentence("Last comes a result, such as 63\\% fewer papers to read.", Role.RESULT),
        ),
    )
    followed = _pick(
        _paper(2, "A paper by an author whom you follow", ("Mary Somerville",)),
        Reason(ReasonKind.AUTHOR, "Mary Somerville"),
        kind=PickKind.FOLLOW,
        summary=(Sentence("A language model may say all of it in one sentence.", Role.TLDR),),
    )
    near = Reason(ReasonKind.NEAR, "graphs", near="networks")
    explored = _pick(_paper(3, "An exploratory pick"), near, kind=PickKind.EXPLORE)
    liked = _paper(5, "A paper that Mary liked", url="https://example.org/5")
    return replace(
        _edition((full, followed, explored)),
        more=3,
        group_likes=(GroupLike(full.paper, ("Mary",)), GroupLike(liked, ("Mary",))),
        follow_ups=(
            FollowUp(FollowUpKind.CONTINUED, full.paper, "Ada Lovelace", paper=liked),
            FollowUp(FollowUpKind.REVISED, liked, "It gains 5 points.", "It gains 3 points."),
        ),
    )


SAMPLE_TITLE = "What the buttons do: more like this, less like this"


def welcome_edition(words: str, first: datetime, page: str) -> Edition:
    """Return an edition that shows a new reader the layout, and ``words`` on their interests."""
    when = f"{long_date(first.date())} at {first:%H:%M}"
    texts = {
        f"Your first edition comes on {when}": (
            words or "Write your interests into the profile: Paperbot chooses papers by them.",
            "Each paper has its title, its authors, why it was chosen, and what its abstract says, as here.",
        ),
        SAMPLE_TITLE: (
            "Each press is a vote that changes the next edition, and can be taken back.",
            "This paper is made up, as are the two others. Their buttons, if any, lead to a page that tells you so.",
        ),
        "Do all characters arrive? é ø ß ł ε ≤ ∑ ✓ Ω 北京 “quotes” & <brackets>": (
            "Where the line above has boxes or question marks, the mail server or program changes mails.",
            "An exploratory pick has this label: a paper beside your topics. Your vote on it teaches most.",
        ),
    }
    picks = []
    for number, (title, sentences) in enumerate(texts.items(), 1):
        paper = replace(_paper(-number, title, (), page), published=None, sightings=(), categories=(), facts=())
        kind = PickKind.EXPLORE if number == len(texts) else PickKind.MATCH
        picks.append(_pick(paper, kind=kind, summary=tuple(map(Sentence, sentences))))
    return replace(_edition(tuple(picks)), considered=len(picks))


def sample_quiet_edition() -> Edition:
    quiet = Quiet(QuietReason.BELOW, "30 new papers came in, and none comes close enough to what you want.")
    return replace(_edition((), quiet), closest=(_paper(4, "The closest paper", url="https://example.org/4"),))


def sample_letters() -> list[Letter]:
    pick = sample_edition().picks[0]
    week = replace(_edition((pick,)), kind=EditionKind.LETTER)
    raised = (
        LearnedPhrase("owls", 0.5, 1.0, ("An older paper", "Another")),
        LearnedPhrase("bats", 0.2, 0.4, ("Mine",), True),
    )
    lowered = (LearnedPhrase("agents", -0.1, 0.2, ("A third",)),)
    leaving = (LeavingInterest("Bats at night", _DAY),)
    full = Letter(week, (pick.paper,), 2, raised, lowered, MatchRecord(12, 9), leaving, (pick.paper,))
    return [full, Letter(replace(week, picks=()), (), 1)]


def _edition(picks: tuple[Pick, ...], quiet: Quiet | None = None) -> Edition:
    return Edition(_READER, "Sample", _DAY, _MORNING, picks, considered=30, watermark=30, quiet=quiet)


def _pick(paper: Paper, *reasons: Reason, kind: PickKind = PickKind.MATCH, summary: tuple[Sentence, ...] = ()) -> Pick:
    probability = {PickKind.FOLLOW: 0.4, PickKind.EXPLORE: 0.5}.get(kind, 0.92)
    return Pick(paper, kind, probability, reasons, summary)


def _paper(number: int, title: str, authors: tuple[str, ...] = (), url: str | None = None) -> Paper:
    return Paper(
        id=number,
        title=title,
        abstract="",
        authors=authors,
        author_count=None,
        published=_DAY,
        arxiv_id=None,
        doi=None,
        url=url,
        upvotes=None,
        organisation=None,
        first_seen=_MORNING,
        sightings=(Sighting("seeds", "Sample topic", _DAY, "An alert"), Sighting("seeds", "Daily Papers", None)),
        categories=("cs.LG",),
        facts=(Fact(FactKind.CODE, "https://example.org/code", "Sample"), Fact(FactKind.VENUE, "A venue", "Sample")),
    )
