"""What a title gives for a paper's line: the whole or a part of it, and words on what a statement is about.

    "Why some owls fail: a study" --without_subtitle--> "Why some owls fail"
    "Ramipril prolongs life" --sentence_of_title--> itself                     if it is one
    "Effects of nets on owls" --labels--> "Nets", "Owls"                       before "sleep became shorter"

A part is taken as it is, or with the paper's name before it; only a sentence is shortened.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from typing import NamedTuple

from bot.summaries.claims import says_nothing
from bot.summaries.clauses import has_verb, is_sentence, shortened, versions
from bot.summaries.noun_phrases import noun_phrase
from bot.summaries.references import LONGEST_NAME, has_name, stands_alone
from bot.summaries.worth import MAX_WORDS, NO_OUTCOME
from bot.text.tokens import names_topic, stem_terms

# "Is mediated" by what?
_PASSIVE_END = re.compile(r"\b(?:is|are|was|were) (?:\w+ly )?\w+(?:ed|en)$")
_SHORT_WORD = 3  # characters
_SUBTITLE = re.compile(r"(?<=\?)\s|:\s|\s[–—-]\s|(?<=[a-z]{3})\.\s(?=[A-Z])")


def without_subtitle(title: str) -> str:
    """Return a title up to its colon, question mark or dash; whole if only a name comes before.

    >>> without_subtitle("Why some owls fail: a study"), without_subtitle("OWL: a study")
    ('Why some owls fail', 'OWL: a study')
    """
    head = _SUBTITLE.split(title)[0]
    return head if len(head.split()) > LONGEST_NAME else title


def parts_of_title(title: str, name: str, forms: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield lines of a title and what each is: its first part, the whole, and the subtitle.

    The name of what was made stands before a part that lacks it, where it fits.
    """
    head = without_subtitle(title)
    missing = "" if not name or has_name(title, name) else name
    is_sentence_case = head.split(" ")[0].istitle() and not _is_title_case(head)
    plain = head[:1].lower() + head[1:] if is_sentence_case else head
    is_named = missing and head[0].isalnum() and ": " not in head and len(f"{name}: {plain}".split()) <= MAX_WORDS
    if head != title and not title.startswith(". ", len(head)):  # MEDLINE's names of study groups
        rest = title[len(head) :].lstrip(" :–—-")
        subtitle = noun_phrase(rest, MAX_WORDS - len(missing.split()), forms)
        if subtitle:
            yield f"{missing}: {subtitle}" if missing else subtitle, "subtitle"
        if subtitle or KIND_OF_PAPER.search(rest):
            # With the abstract's short forms, but no word left out.
            whole = (each for each in versions(title, MAX_WORDS, forms) if each.left_out <= {"brief"})
            yield from ((each.text, "whole") for each in whole if len(each.text.split()) <= MAX_WORDS)
    yield f"{name}: {plain}" if is_named else head, "head"


KIND_OF_PAPER = re.compile(r"\b(?:survey|review|tutorial|benchmark|dataset|corpus|taxonomy|toolkit)\b", re.IGNORECASE)


def sentence_of_title(title: str) -> str:
    """Return a title that is a sentence, shortened where that leaves one; empty for any other.

    >>> sentence_of_title("Ramipril prolongs life and spares costs"), sentence_of_title("Ramipril when life is at risk")
    ('Ramipril prolongs life and spares costs', '')
    """
    # In Title Case most sentences are plays on words: "The Devil Is in the Details".
    if _is_title_case(title) or not (is_sentence(title) and stands_alone(title, "") and _is_outcome(title)):
        return ""
    parts = (part for part, _ in shortened(title, MAX_WORDS, {}) if stands_alone(part, "") and _is_outcome(part))
    return next((part for part in parts if part == title or not _PASSIVE_END.search(part)), title)


def _is_title_case(title: str) -> bool:
    is_capital = [word[0].isupper() for word in title.split()[1:] if len(word) > _SHORT_WORD]
    return sum(is_capital) > len(is_capital) / 2


def _is_outcome(line: str) -> bool:
    return has_verb(line) and not (line.endswith(("?", ":")) or says_nothing(line) or NO_OUTCOME.search(line))


class Label(NamedTuple):
    """What a statement is about, to stand before it with a colon; empty for none."""

    text: str
    stems: frozenset[str] = frozenset()  # of which a statement has none


# What stands between the phrases of a title.
_BETWEEN_PHRASES = re.compile(
    r"[:;,.?!()\[\]“”\"]|\s[–—-]\s|--|\b(?:about|across|after|against|among|and|are|as|at|based|be|been|before|between|"
    r"beyond|by|can|compared|do|does|due|during|following|for|from|how|in|induced by|into|is|its|it|not|of|on|or|our|"
    r"per|receiving|than|that|the|their|through|throughout|to|towards?|treated|under|undergoing|upon|using|versus|via|vs|was|"
    r"were|what|when|which|who|why|with|within|without|your|over|an?)\b(?!-)",
    re.IGNORECASE,
)
# How something was studied is no topic.
_OF_STUDIES = re.compile(
    r"^(?:new|patients?|safety)\b|\b(?:comparison|evaluation|group|stud(?:y|ies)|trials?)$|"
    r"^(?:care|effects?|efficacy|management|outcomes?|prevention|risks?|role|therapy|treatments?|use)$",
    re.IGNORECASE,
)
_LONGEST_LABEL = 4  # words
_MOST_LABELS = 5


def labels(title: str, known: Container[str]) -> list[Label]:
    """Return the first phrases of a title that name a topic of which each stem is known; with a capital at the start.

    >>> known = {"lofexidin", "sleep", "dementia"}
    >>> [label.text for label in labels("Effects of lofexidine on sleep in older people with dementia", known)]
    ['Lofexidine', 'Sleep', 'Dementia']
    """
    found: dict[str, Label] = {}
    for phrase in _BETWEEN_PHRASES.split(title):
        text = phrase.strip(" -–—'’")
        stems = [term for term in stem_terms(text) if " " not in term]
        is_short = text[:1].isalpha() and len(text.split()) <= _LONGEST_LABEL
        is_topic = is_short and names_topic(stems) and not _OF_STUDIES.search(text)
        if is_topic and all(stem in known for stem in stems):
            found.setdefault(text.lower(), Label(text[:1].upper() + text[1:], frozenset(stems)))
    return list(found.values())[:_MOST_LABELS]
