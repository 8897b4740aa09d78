"""Letters: mails that are no edition, such as the question whether one wants to subscribe."""

from __future__ import annotations

from css_inline import CSSInliner
from jinja2 import Environment

from bot.rendering.mail import MailParts
from bot.rendering.templates import render_confirmation_part
from bot.rendering.text import oneline, visible


def render_confirmation(name: str, environment: Environment, **context: object) -> MailParts:
    """The letter of ``confirmation/<name>.html.j2`` and ``.txt.j2``; the text's first line is the subject.

    Raises TemplateProblem where a template has a mistake.
    """
    text = visible(render_confirmation_part(environment, f"confirmation/{name}.txt.j2", **context))
    subject, _, body = text.lstrip().partition("\n")
    html = visible(render_confirmation_part(environment, f"confirmation/{name}.html.j2", **context))
    inliner = CSSInliner(keep_at_rules=True, load_remote_stylesheets=False)
    return MailParts(subject=oneline(subject), preheader="", html=inliner.inline(html), text=body.lstrip())
