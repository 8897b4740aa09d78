"""What is new in a pick, on one line of the list at the top of an edition."""

from __future__ import annotations

import re

from bot.domain import Pick, Role
from bot.rendering import phrases
from bot.rendering.latex import readable
from bot.rendering.text import oneline

# Characters, three lines on a telephone. A longer finding is not cut, as its end often holds the figure.
_LONGEST_FINDING = 150
# A sentence that begins so says nothing without the one before it.
_REFERS_BACK = re.compile(
    r"(it|its|they|their|this|these|those|that|such|both|here|there|the (former|latter|resulting)|however|moreover|"
    r"furthermore|in addition|additionally|also|as a result|thus|therefore|hence|consequently|finally|in contrast|"
    r"instead|further|for (example|instance))\b",
    re.IGNORECASE,
)


def news(pick: Pick) -> str:
    """Return the pick's finding as a whole if there is one that stands by itself, else the paper's title."""
    finding = next((sentence.text for sentence in pick.summary if sentence.role is Role.RESULT), "")
    text = oneline(readable(finding))
    stands_alone = text and not _REFERS_BACK.match(text) and not text.endswith("…")
    return text if stands_alone and len(text) <= _LONGEST_FINDING else phrases.title(pick.paper)
