"""What is new in a pick, on one line of the list at the top of an edition."""

from __future__ import annotations

import re
from functools import lru_cache

from bot.domain import Pick, Role, Sentence
from bot.rendering import phrases
from bot.rendering.latex import readable
from bot.rendering.text import oneline

# Characters, three lines on a telephone. A longer finding is not cut, as its end often holds the figure.
_LONGEST_FINDING = 150
# A sentence that has one of these among its first words says nothing without the one before it: "On several datasets
# it gains 3%" as little as "It gains 3%".
_REFERS_BACK = re.compile(
    r"(\S+\s+){0,8}?(it|its|they|their|them|this|these|those|such|both|the (former|latter|resulting)|however|moreover|"
    r"furthermore|in addition|additionally|also|as a result|thus|therefore|hence|consequently|finally|in contrast|"
    r"instead|further|for (example|instance))\b|(that|here|there)\b",
    re.IGNORECASE,
)
# Nor does it say whose result this is, while the title does. Of 600 abstracts 62 have a finding short enough for the
# list; 4 refer back, and 13 others speak of a method without a name.
_WITHOUT_NAME = re.compile(
    r"\b(our|the|the proposed) ([\w-]+ ){0,2}(method|approach|model|framework|system|algorithm|technique|pipeline|"
    r"strategy|architecture|network|sampler|solution|scheme|agent|tool)\b",
    re.IGNORECASE,
)


def news(pick: Pick) -> str:
    """Return the pick's finding as a whole if there is one that stands by itself, else the paper's title."""
    return _finding(pick.summary) or phrases.title(pick.paper)


# Readers of a paper have few different summaries.
@lru_cache(maxsize=10_000)
def _finding(summary: tuple[Sentence, ...]) -> str:
    """Return the finding that stands by itself, empty without one."""
    result = next((sentence.text for sentence in summary if sentence.role is Role.RESULT), "")
    text = oneline(readable(result))
    if not text or len(text) > _LONGEST_FINDING or text.endswith("…"):
        return ""
    if _REFERS_BACK.match(text) or _WITHOUT_NAME.search(text):
        return ""
    return text[0].upper() + text[1:]
