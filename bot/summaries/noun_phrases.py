"""Noun phrases on what a paper made or observed, out of its sentences.

    "We propose SEM, a tokenizer that keeps cells apart, and ..." --made--> "SEM: a tokenizer that keeps cells apart"
    "We observe a strong correlation between A and B" --noted--> "a strong correlation between A and B"

Each is the longest that fits, ends where a noun phrase may end, and refers to nothing outside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice

from bot.summaries.clauses import DOES, FINITE, PAIRED, is_open, learned_words, shortened, versions, wants_preposition
from bot.summaries.references import MAKES, refers_outside, stands_alone, without_head
from bot.summaries.worth import MAX_WORDS

PARENTHESES = re.compile(r"\s*\((?:[^()]|\([^()]*\))*\)|\s*\[[\d,\s–-]+\]")
DASH = re.compile(r"(?<=[a-z])–(?=[a-z])|\s+[–-]+\s+|\s*---?\s*|\s*—\s*")
# "We observe a strong correlation between A and B", but not "we observe that A grows".
_NOTES = re.compile(
    r"\b(?:we|i|authors|data|results?|analys[ei]s|experiments?|evaluations?|findings?|study) (?:\w+ly |also |further )?"
    r"(?:(?:identif)(?:y|ies|ied)|(?:observe|report|uncover|reveal|discover|detect|demonstrate?|indicate?)(?:s|d|ed)?|"
    r"suggest(?:s|ed)?(?= no\b)|"
    r"finds?|found|shows?|showed) (?!that\b|to\b|how\b)",
    re.IGNORECASE,
)


def noted(sentence: str, most: int, forms: Mapping[str, str]) -> Iterator[str]:
    """Yield what a sentence says that was observed, where that is a noun phrase of at most ``most`` words."""
    text = PARENTHESES.sub("", sentence)
    notes = _NOTES.search(text)
    if notes and (phrase := noun_phrase(text[notes.end() :], most, forms)):
        yield phrase


# What is made, in a noun phrase.
_AN = r"(?:an?|the first|the)\s+"
_WE_MAKE = re.compile(
    rf"(?i:\b(?:we|paper|work|study|article|authors)\s+(?:(?:\w+ly|then|also|first|further|therefore|thus)\s+){{0,2}}"
    rf"(?:{MAKES}(?:and (?:\w+ly )?[a-z]+ )?"
    r"(?:the (?:design|development|creation|construction|implementation)(?:,? and [a-z]+)? of )?|"
    r"(?:establish(?:es|ed)?|derive[sd]?)\s+)|"
    r"\bby (?:introducing|proposing|presenting|developing)\s+)(?=(?:an?|the first|two|three|four|five)\s)"
)
_IS_MADE = re.compile(
    r"^(?:In this (?:paper|work|study|article), )?(an? .{10,120}?),? (?:is|was|has been) "
    r"(?:proposed|introduced|presented|developed|described)\b",
    re.IGNORECASE,
)
_PRESENTS = re.compile(r"propos|introduc|present", re.IGNORECASE)


def made(sentence: str, name: str, most: int, forms: Mapping[str, str]) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield what a sentence says that was made, in at most ``most`` words beside the name, with features of each.

    What has no name in it is of what the name stands for.
    """
    if name:
        marked = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", _NAME, sentence)
        yield from ((line.replace(_NAME, name), own) for line, own in _named(marked, most, forms))
    text = without_head(PARENTHESES.sub("", sentence))
    if name:  # will stand before the line
        called = r",? (?:(?:called|named|termed|dubbed|namely) )?"
        text = re.sub(rf"{called}{re.escape(name)}(?!\w)(?:,(?= (?:that|which)\b))?", "", text)
    passive, active = _IS_MADE.match(text), _WE_MAKE.search(text)
    if passive and (phrase := noun_phrase(passive[1], most, forms)):
        yield phrase, {}
    # With a name, what else was made must be what the paper presents.
    presents = active is not None and (not name or _PRESENTS.search(active[0]))
    if active and presents and (phrase := noun_phrase(text[active.end() :], most, forms)):
        yield phrase, {}


# Stands for the name in a sentence: patterns with the name itself would be compiled for each paper, 90 % of the time.
_NAME = "\ue000"
# "We propose Optimism Correction (SOC)" proposes SOC.
_LONG_NAME = re.compile(rf"({MAKES})(?:the |an? |our )?[^.;()]{{0,90}}?\({_NAME}[^()]*\)")
_APPOSITION = re.compile(
    rf"{MAKES}(?:the )?[^,.;]{{0,80}}{_NAME}(?:,|:|\s[–—-]+|)\s+(?:which is )?(?={_AN})|"
    rf"^[^,]{{0,40}}{_NAME} is\s+(?={_AN})"
)
_CALLED = re.compile(rf"{MAKES}({_AN}[^.;]{{5,90}}?),?\s+(?:called|named|termed|dubbed|coined|namely)?\s*[\"“]?{_NAME}")
_NAME_DOES = re.compile(
    rf"{_NAME}(?:,?\s+(?:which|that))?\s+(?=(?:\w+ly )?(?:(?:{DOES})\w*s|does not|can)\b)|"
    rf"{_NAME},?\s+(?:which|that)\s+(?=(?!(?:is|was|has)\b)\w+s\b)"
)


def _named(sentence: str, most: int, forms: Mapping[str, str]) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield lines of a sentence that says what the name, for which ``_NAME`` stands, is or does."""
    text = without_head(PARENTHESES.sub("", _LONG_NAME.sub(rf"\g<1>{_NAME}", sentence)))
    apposition = _APPOSITION.search(text)
    if apposition and (phrase := noun_phrase(text[apposition.end() :], most, forms)):
        yield f"{_NAME}: {phrase}", {"appositive": 1.0}
    called = _CALLED.search(text)
    if called and (phrase := noun_phrase(called[1], most, forms)):
        yield f"{_NAME}: {phrase}", {}
    if does := _NAME_DOES.search(text):
        parts = islice(shortened(f"{_NAME} {text[does.end() :]}", MAX_WORDS, forms), 3)
        yield from ((part.text, {}) for part in parts if stands_alone(part.text, _NAME))


_PHRASE_END = re.compile(
    r",\s+|\s+(?=(?:\w+ed (?:by|in|on|from|to|with|at|of)|that|which|to|for|in|on|with|via|through|using|by|based|at|"
    r"and no|designed|called|named|termed|dubbed|where|capable|trained|from|across|"
    r"under|consisting|comprising|leveraging|while|wherein|built|as|such|including)\b)|[;:]\s+"
)
# Before the next verb of the sentence: "a dataset of 5,000 posts and evaluate".
_NEXT_VERB = re.compile(
    r",? (?:and|which we|then) (?:then |also |\w+ly )?"
    r"(?:\w+s(?= (?:the|these|this|an?|its|them|it)\b)|"
    r"\w+ed(?= (?:the|an?|its?|them|our|their|\d|on|with|by|that|how)\b)|"
    r"design|propose|evaluate|release|introduce|develop|"
    r"demonstrate|suggests?|try|show|build|present|use|apply|conduct|provide|compare|construct|investigate|analy[sz]e|study|explore|find|"
    r"prove|derive|train|test|we)\b"
)
_ADJECTIVES = re.compile(
    r"\b(?<!most )(?:novel|new|simple (?:yet|but|and) effective|innovative|comprehensive|(?<=an )first|(?<=a )first)"
    r",?\s+(?=(?!and\b|yet\b)\w)"  # but not the "New" of "New Zealand"
)
# "An hour" is rare here; "an LLM", whose letters are spelled, is not.
_BEFORE_VOWEL = re.compile(
    r"(?:^[Aa]|\ba)n?(?=\s+((?!(?i:one|once|eu))(?i:[aeio])|[Uu]n(?!i)|[FHLMNRSX][BCDFGHJKLMNPQRSTVWXZ]+(?:s|\b))?)"
)
# Verbs whose second part is missing ("combines graphs", "enables agents"), and other endings that want more.
_PHRASE_OPEN = re.compile(
    rf":|\b1\)|\b(?:where|whose|in which)\b(?!.* {FINITE.pattern})|"
    r"\bas well$|\b(?:that|which) (?:\w+ly )?\w+ \w+$|"
    r"\b(?:that|which) (?:\w+ly )?(?:formulat|treat|view|(?:re)?fram|cast|model|regard)\w*\b(?!.* (?:as|into) )[^,]*$|"
    r",[^,]* (?:mechanism|approach|framework|method|layer|module|component)$|,\s+[\w-]+(?: [\w-]+)?$|itself$|"
    r"\b\w{3,}ed$|"
    r"\b(?:pairs|combin\w+|integrat\w+|fuses|joins|maps|converts|transforms|turns|unites|shifts)\b"
    r"(?!.* (?:with(?:in)?|into|and|to) )[^,]*$|"
    r"(?:\b(?:that|which) (?:\w+ly )?\w+|\b(?:aims?|each|aiming)|"
    r"\b(?:without|by) \w+ing|\band [\w-]+ed|\b(?:enables?|allows?|helps?|lets?) [^,]*|\b\w+ly|"
    r"\bto (?:\w+ly )?\w+)$|\b\w+ing that\b"
)
# What was done is not what was made: "a randomised trial in 10 regions".
_DESIGN = re.compile(
    r"^(?:[\w/-]+ ){0,5}?(?:(?:trial|questionnaire|interview|audit|field experiment)s?\b|study to\b)", re.IGNORECASE
)
_GENERIC = re.compile(
    r"(?:an?|the|novel|new|simple|yet|effective|efficient|framework|method|approach|model|system|first|unified|general|"
    r"comprehensive|overview|survey|review|study|dataset|benchmark|pipeline|algorithm|technique|based|that|for|to|and|of|in|with|robust|scalable|"
    r"lightweight|flexible|practical)$",
    re.IGNORECASE,
)
_LEAST_SPECIFIC = 3  # words
_LEAST_WORDS = 4


_NO_NOUN = re.compile(r"(?:on|in|of|for|with|by|from|at|as|to|whether|if|how|why|what|where)\b", re.IGNORECASE)


def noun_phrase(text: str, most: int, forms: Mapping[str, str]) -> str:
    """Return the longest noun phrase at the beginning of a text that says what something is; empty if none does.

    One in which words inside were left out is taken if it has three words more.
    """
    if _NO_NOUN.match(text):
        return ""
    text = _ADJECTIVES.sub("", _NEXT_VERB.split(DASH.split(text)[0])[0])
    text = _BEFORE_VOWEL.sub(lambda match: "an" if match[1] else "a", text).rstrip(" ,;")
    best = ""
    for version in versions(text, most, forms):
        phrase = _first_phrase(version.text, most)
        if len(phrase.split()) > len(best.split()) + 2:
            best = phrase
    return best


def _first_phrase(text: str, most: int) -> str:
    parts = [text]
    for end in reversed(list(_PHRASE_END.finditer(text))):
        part = text[: end.start()]
        # "In realistic, long settings", "features relevant to": a noun follows; "from A" goes on with "to B".
        is_modifier = part.rpartition(" ")[2].lower() in learned_words().modifiers
        is_half = is_modifier and (end[0].startswith(",") or wants_preposition(part, text[end.start() :]))
        is_half |= text.startswith("to ", end.end()) and re.search(r"\bfrom [^,]*$", part) is not None
        if not (is_half or PAIRED.search(part) or _PHRASE_OPEN.search(part)):
            parts.append(part)
    return next((part for part in parts if _LEAST_WORDS <= len(part.split()) <= most and _says_what(part)), "")


_OPENING_QUOTE = re.compile(r"(?<!\w)['‘](?=\w)")
_CLOSING_QUOTE = re.compile(r"(?<=\w)['’](?!\w)")


def _says_what(phrase: str) -> bool:
    specific = sum(not _GENERIC.match(word) for word in phrase.split())
    # "We found renal insufficiency to be associated with ..." is no noun phrase.
    is_unclear = is_open(phrase) or " to be " in phrase or refers_outside(phrase) or _DESIGN.search(phrase)
    is_in_quotes = len(_OPENING_QUOTE.findall(phrase)) > len(_CLOSING_QUOTE.findall(phrase))
    return not (is_unclear or is_in_quotes) and specific >= _LEAST_SPECIFIC
