"""The Jinja2 environment of the message templates, and the check that every one of them works.

A template is given ``edition`` and ``links`` (one reader's own), the filters below, ``Role`` and ``Vote``.
"""

from __future__ import annotations

import difflib
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePath

from jinja2 import (
    ChoiceLoader,
    Environment,
    FileSystemLoader,
    StrictUndefined,
    TemplateError,
    TemplateNotFound,
    TemplateSyntaxError,
    meta,
    select_autoescape,
)

from bot.domain import Edition, Role, Vote
from bot.errors import TemplateProblem
from bot.rendering import phrases, sample
from bot.rendering.emphasis import paragraphs, pieces
from bot.rendering.latex import readable
from bot.rendering.paper_links import Links, path, title_link
from bot.rendering.text import oneline, shorten, wrap

_FILTERS: Mapping[str, Callable[..., object]] = {
    "authors": phrases.authors,
    "credits": phrases.credits_of,
    "day": phrases.day,
    "guess": phrases.guess,
    "label": phrases.label,
    "link": title_link,
    "match": phrases.match,
    "oneline": oneline,
    "paragraphs": paragraphs,
    "path": path,
    "percent": phrases.percent,
    "pieces": pieces,
    "preheader": phrases.preheader,
    "quiet": phrases.quiet,
    "readable": readable,
    "reasons": phrases.reasons,
    "seen": phrases.seen,
    "shorten": shorten,
    "subject": phrases.subject,
    "tally": phrases.tally,
    "title_text": phrases.title,
    "wrap": wrap,
}


def environment(shipped: Path, home: Path | None = None) -> Environment:
    """The environment over the shipped templates; a file of the same name in ``home`` goes first."""
    folders = [home, shipped] if home else [shipped]
    env = Environment(
        loader=ChoiceLoader([FileSystemLoader(folder) for folder in folders]),
        autoescape=select_autoescape(("html", "html.j2")),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.filters.update(_FILTERS)
    env.globals["Role"], env.globals["Vote"] = Role, Vote
    return env


def render(env: Environment, name: str, edition: Edition, links: Links) -> str:
    """One template rendered; raises TemplateProblem with the file and line of a mistake in it."""
    with _mistakes(name):
        return env.get_template(name).render(edition=edition, links=links)


def render_confirmation_part(env: Environment, name: str, **context: object) -> str:
    """One template of a letter rendered; raises TemplateProblem with the file and line of a mistake in it."""
    with _mistakes(name):
        return env.get_template(name).render(**context)


def check_templates(env: Environment) -> None:
    """Compile every ``*.j2`` template, and render the messages with sample editions.

    What is named ``_*`` or stands in a folder is no message (but a part, or a web page) and only compiled.
    Raises TemplateProblem for the first mistake found.
    """
    for name in env.list_templates(extensions=["j2"]):
        with _mistakes(name):
            env.get_template(name)
        if "/" not in name and not name.startswith("_"):
            render(env, name, sample.edition(), sample.SampleLinks())
            render(env, name, sample.quiet_edition(), sample.SampleLinks())


def check_names(env: Environment, shipped: Path, home: Path) -> None:
    """Each file in ``home`` replaces one of ``shipped``, or another template there names it; else TemplateProblem."""
    names = {path.relative_to(shipped).as_posix() for path in shipped.rglob("*.j2")}
    own = {path.relative_to(home).as_posix() for path in home.rglob("*") if path.is_file()}
    named: set[str | None] = set()
    for name in own & set(env.list_templates(extensions=["j2"])):
        with _mistakes(name):
            named.update(meta.find_referenced_templates(env.parse((home / name).read_text("utf-8"), name)))
    for name in sorted(own - names - {other for other in named if other}):
        if PurePath(name).name.startswith("."):
            continue
        near = difflib.get_close_matches(name, sorted(names), n=1)
        remedy = f"did you mean {near[0]}?" if near else f"there are: {', '.join(sorted(names))}"
        raise TemplateProblem(f"{home / name}: nothing uses a template of this name; {remedy}")


@contextmanager
def _mistakes(name: str) -> Iterator[None]:
    """Whatever goes wrong in a template as a TemplateProblem that says where."""
    try:
        yield
    except TemplateSyntaxError as error:
        raise TemplateProblem(f"{error.filename or name}:{error.lineno}: {error.message}") from error
    except Exception as error:  # a template is its owner's program: it may raise anything
        raise TemplateProblem(f"{_place(error, name)}: {_explanation(error)}") from error


def _place(error: Exception, name: str) -> str:
    """File and line of the innermost template that the error came through."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.endswith(".j2")]
    return f"{frames[-1].filename}:{frames[-1].lineno}" if frames else name


def _explanation(error: Exception) -> str:
    if isinstance(error, TemplateNotFound):
        return f"there is no template named {error.name}"
    return str(error) if isinstance(error, TemplateError) else f"{type(error).__name__}: {error}"
