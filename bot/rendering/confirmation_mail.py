"""Render a confirmation mail (double opt-in): the mail that asks an address to confirm its subscription."""

from __future__ import annotations

from jinja2 import Environment

from bot.rendering.mail import MailParts, inlined
from bot.rendering.templates import render_part
from bot.rendering.text import oneline, visible


def render_confirmation(name: str, environment: Environment, **context: object) -> MailParts:
    """Render ``confirmation/<name>.txt.j2``, whose first line is the subject, and ``confirmation/<name>.html.j2``.

    Raises TemplateProblem if a template has a mistake.
    """
    text = visible(render_part(environment, f"confirmation/{name}.txt.j2", **context))
    subject, _, body = text.lstrip().partition("\n")
    html = inlined(render_part(environment, f"confirmation/{name}.html.j2", **context))
    return MailParts(oneline(subject), html, body.lstrip())
