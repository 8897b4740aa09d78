"""The name of what a paper makes: where it is introduced, and in place of "our method" and "it"."""

from __future__ import annotations

import re

from bot.summaries.sentences import sentences

LONGEST_NAME = 3  # words
# The name of what was made: a word with a capital or digit beyond its first letter ("GPT-4o", "PAHQ", "U2A").
_CODED = r"(?=[\w.+-]*[A-Za-z])[A-Za-z0-9][\w.+-]*[A-Z0-9][\w+-]*(?<![.])"
MAKES = (
    r"(?i:\b(?:introduc|present|propos|develop|releas|build|built|design|creat|describ|construct|devis|contribut|conduct|"
    r"curat|compil|formulat|implement|provid|offer)(?:es|ed|s|e|ing)?\s+)"
)
_INTRODUCED = re.compile(
    rf"{MAKES}(?:the\s+)?({_CODED})(?=[,.:;]|\s\(|\s(?:that|which|to|for|as|with|an?)\b)|"
    rf"{MAKES}(?:an?\s+|the\s+)?(?:(?!for|to|in|with|on|that|which|using)[\w,/-]+\s+){{0,8}}[A-Z][\w-]*\s+"
    rf"\(({_CODED})\)(?=[\s,.:;])|"
    rf"{MAKES}(?:the\s+)?((?:[A-Z][\w-]+\s+){{0,2}}[A-Z][\w-]+)"
    r"(?=(?:,|:|\s[–—-])\s(?:an?|the first)\s|,?\s(?:which|that)\s)|"
    rf"{MAKES}(?:an?|the)\s[^.;()]{{3,90}}?,\s+({_CODED})(?=[,.])|"
    rf"\b(?:call|called|named|termed|dubbed|coined|namely)\s+[\"“]?({_CODED}|[A-Z]\w+)\b"
)
_NO_NAME = re.compile(
    r"(?:\w+ing|position|survey|tutorial|perspective|commentary|technical report|an?|the|on|from|beyond|towards?|can|"
    r"do|does|is|are|how|what|why|when|who|to)\b",
    re.IGNORECASE,
)
_SHORTEST_NAME = 3  # characters
_OWN_VOICE = re.compile(r"\b(?:we|our|paper|work|study|article|report)\b", re.IGNORECASE)


def name_of(title: str, abstract: str) -> str:
    """Return the name of what a paper makes, from its title before a colon or where it is introduced; else empty.

    >>> name_of("PAHQ: Accelerating circuit discovery", "...")
    'PAHQ'
    >>> name_of("Correcting optimism", "We propose Supervised Optimism Correction (SOC), which corrects.")
    'SOC'
    """
    head, colon, _ = title.partition(": ")
    words = len(head.split())
    if colon and words <= LONGEST_NAME:
        is_quoted = re.search(rf"[\"“]{re.escape(head)}[\"”,]", abstract, re.IGNORECASE)
        if is_quoted or (not _NO_NAME.match(head) and (has_name(abstract, head) or re.fullmatch(_CODED, head))):
            return head
    for sentence in sentences(abstract):
        match = _OWN_VOICE.search(sentence) and _INTRODUCED.search(sentence)
        if match:
            name: str = next(filter(None, match.groups()))
            # What occurs before is of others ("a large language model (LLM)"), and so are plurals ("LLMs").
            before = abstract[: abstract.index(sentence)] + sentence[: match.start()]
            is_plural = name.endswith("s") and name[:-1].isupper()
            is_known = re.search(rf"(?<!\w){re.escape(name)}", before) is not None
            return "" if is_known or is_plural or len(name) < _SHORTEST_NAME else name
    return ""


def has_name(text: str, name: str) -> bool:
    """Return whether a text has the name, spelled so; False without a name."""
    return bool(name) and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def spelled(text: str, name: str) -> str:
    """Return a text with the name as the title spells it, and without quotes around it.

    >>> spelled("HArnESS can harness owls.", "HARNESS"), spelled("We propose “owling”.", "Owling")
    ('HARNESS can harness owls.', 'We propose Owling.')
    """

    def respelled(match: re.Match[str]) -> str:
        is_quoted = not match[0][0].isalnum()
        return name if is_quoted or not match[0].islower() else match[0]

    word = rf"(?<![\w-]){re.escape(name)}(?![\w-])"
    return (
        re.sub(rf"[\"“]{re.escape(name)}(?:[\"”]|(?=,[\"”]))|{word}", respelled, text, flags=re.IGNORECASE)
        if name
        else text
    )


_GAINS = "achiev|outperform|improv|reduc|surpass|yield|attain|reach|exceed|cut|match|deliver|increas|maintain|retain"
_OURS = re.compile(
    r"\b(?:our|the (?:proposed|resulting|presented|new|developed|introduced)|this)\s+(?:[\w/-]+\s+){0,4}?(?:methods?|"
    r"approach|models?|framework|systems?|algorithm|technique|pipeline|strategy|architecture|network|sampler|solution|"
    r"scheme|agent|tool|policy|dataset|benchmark|estimator|protocol|procedure|paradigm|mechanism|attack|defen[cs]e|"
    r"decoder|encoder|optimi[sz]er|workflow|platform)(?![\w-]|\s+(?:models?|architecture|network|size|performance|accuracy))|"
    r"\b(?:the|this) (?:method|approach|framework|system|algorithm|technique|pipeline|model)"
    rf"(?=\s+(?:\w+ly )?(?:{_GAINS})\w*)|"
    rf"^It(?=\s+(?:also\s+|\w+ly\s+)?(?:{_GAINS})e?s\b)",
    re.IGNORECASE,
)
_WE_GAIN = re.compile(
    r"we (?:also |further |then |\w+ly )?(achieve|obtain|reduce|improve|outperform|attain|reach|surpass|exceed|cut|"
    r"increase|match|recover|save|boost|identify|detect|solve|retain|maintain)\b",
    re.IGNORECASE,
)


def with_name(text: str, name: str) -> str:
    """Return a clause with the paper's name in place of "our method", "it" and "we"; as it is without a name."""
    if not name:
        return text
    if has_name(text, name):
        return re.sub(rf"\b(?:our|the proposed)\s+(?:[\w-]+\s+){{0,2}}(?={re.escape(name)}\b)", "", text, flags=re.I)
    if we := _WE_GAIN.match(text):
        return f"{name} {_third_person(we[1].lower())}{text[we.end() :]}"
    return _OURS.sub(lambda ours: f"{name} {_noun(ours[0])}".rstrip(), text, count=1)


def _noun(ours: str) -> str:
    """Return the noun of "our models", as its verb is in the plural; empty for "our model"."""
    noun = ours.rpartition(" ")[2]
    return noun if noun.endswith("s") else ""


def _third_person(verb: str) -> str:
    if verb.endswith("fy"):
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith(("ch", "ss")) else f"{verb}s"
