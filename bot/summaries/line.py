"""A paper in one line of at most twelve words: its name, and what was found or made, in words of title and abstract.

    sentences --clauses--> "PAHQ: circuit discovery is 80% faster"                 what stands by itself
    sentences --noun phrases--> "SEM: a tokenizer that keeps cells apart"           what is made or was observed
    title --noun phrases--> "Owls first: a survey of calls", "A survey of calls"    whole, and its subtitle alone
    candidates --worth--> the one that most probably says what was found or made; else the title without its subtitle

A sentence is shortened by steps that keep it grammatical and true: words on who found it and where are left out before
the clause, and parts after its object. What remains has its verb, and refers to nothing outside the line. The weights
of the candidates' features are learned by ``bench/line_weights.py``; ``docs/decisions/lines.md`` has what was measured.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from bot.model.wording import oneline
from bot.summaries.claims import CONFIRMS, says_nothing
from bot.summaries.clauses import (
    DOES,
    FINITE,
    PAIRED,
    Shortened,
    has_verb,
    is_open,
    is_sentence,
    learned_words,
    short_forms,
    shortened,
    versions,
    wants_preposition,
)
from bot.summaries.references import (
    LONGEST_NAME,
    MAKES,
    has_name,
    name_of,
    refers_outside,
    spelled,
    stands_alone,
    with_name,
    without_head,
)
from bot.summaries.summary import read_abstract
from bot.summaries.worth import MAX_WORDS, NO_OUTCOME, Features, of_cut, of_line, of_sentence, probability, topic_of
from bot.text.latex import readable

_LEAST_WORDS = 4


def line_of(title: str, abstract: str) -> str:
    """Return a paper's line; a title without a subtitle may be longer than twelve words.

    >>> line_of("PAHQ: Fast circuits", "We find circuits. Tests show that PAHQ is 80% faster than patching.")
    'PAHQ is 80% faster than patching'
    """
    plain = _UNSPACED.sub(": ", oneline(readable(title)).rstrip("."))
    # MEDLINE has translated titles in brackets.
    return _line(plain[1:-1] if plain.startswith("[") and plain.endswith("]") else plain, abstract)


# "GAZE:Governance-aware annotation"
_UNSPACED = re.compile(r"(?<=[A-Za-z]):(?=[A-Z])")


@lru_cache(maxsize=5_000)  # many readers get the same papers on the same day
def _line(title: str, abstract: str) -> str:
    name = name_of(title, _plain_sentences(abstract))
    line = _statement(without_subtitle(title)) or max(candidates(title, abstract), key=_worth).line
    is_plain = line.split(" ")[0].islower() and not (name and line.startswith(name))
    return line[:1].upper() + line[1:] if is_plain else line


def _worth(candidate: Candidate) -> float:
    return worth_of(probability(candidate.features), candidate.features)


# A title stands above the summary too, its first part often says only the topic, and a finding tells more than what was
# made.
_SHARES = {"title": 0.4, "title: head": 0.6, "made": 0.8}
# Where no line is likely to say it, the title's first part is taken: it is whole at least.
_TITLE_BONUS = 0.04


def worth_of(probable: float, features: Features) -> float:
    """Return what a line with this probability and these features is worth: that of highest worth is taken."""
    worth = probable * math.prod(share for name, share in _SHARES.items() if name in features)
    return worth + _TITLE_BONUS if "title: head" in features else worth


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


def _titles(title: str, name: str, forms: Mapping[str, str]) -> Iterator[tuple[str, str]]:
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
        subtitle = _noun_phrase(rest, MAX_WORDS - len(missing.split()), forms)
        if subtitle:
            yield f"{missing}: {subtitle}" if missing else subtitle, "subtitle"
        if subtitle or _KIND_OF_PAPER.search(rest):
            # With the abstract's short forms, but no word left out.
            whole = (each for each in versions(title, MAX_WORDS, forms) if each.left_out <= {"brief"})
            yield from ((each.text, "whole") for each in whole if len(each.text.split()) <= MAX_WORDS)
    yield f"{name}: {plain}" if is_named else head, "head"


_KIND_OF_PAPER = re.compile(r"\b(?:survey|review|tutorial|benchmark|dataset|corpus|taxonomy|toolkit)\b", re.IGNORECASE)


def _statement(title: str) -> str:
    """Return a title that is a sentence, shortened where that leaves one; empty for any other.

    >>> _statement("Ramipril prolongs life and spares costs"), _statement("Ramipril when life is at risk")
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


# Words before the clause that says what was found: "Extensive experiments on three tasks show that".
_REPORTING = re.compile(
    r"(?:(?! that )[^;:]){0,140}?\b(?:provid|giv|offer|present|add|support|is|are|consistent)\w* [^;:,]{0,60}?\b"
    r"(?:evidence|view|idea|notion|concept|hypothesis|conclusion|suggestion|proof) that\s+(?=\S)|"
    r"[^;:]{0,140}?\b(?:we|i|it|authors|results?|experiments?|experimentation|evaluations?|analys[ei]s|findings?|"
    r"stud(?:y|ies)|paper|work|tests?|simulations?|ablations?|investigations?|assessments?|evidence|data|comparisons?|"
    r"theory|observations?|benchmark|benchmarking|survey|review|meta-analysis|research)\b(?:(?! that )[^;:]){0,120}?\b"
    r"(?:(?:show|find|reveal|demonstrat|indicat|observ|suggest|prov|confirm|discover|conclud|establish|uncover|report|argu|"
    r"note|verif|identif|highlight|illustrat)(?:i?e[sd]?|s|n|ed|y|ing)?|see|found)(?:\s+\w+ly)?"
    r"(?:,[^,]{0,40},|\s(?:in|for|by|through|via|with|using)\s[^,;:]{1,30}?)?"
    r"\s+that,?\s+(?=\S)|"
    # "Experiments show STRIX improves".
    r"[^;:]{0,140}?\b(?:experiments?|results?|evaluations?|we) (?:[\w-]+ )*?(?:show|find|reveal|demonstrate)s? "
    r"(?=(?-i:[A-Z][a-z]*[A-Z0-9])[\w-]* (?:\w+ly )?"
    r"(?:achieves|outperforms|improves|reduces|surpasses|exceeds|is|can)\b)|"
    r"[^;:,]{0,60}\bwe (?:\w+ )?(?:take|adopt) the (?:position|view) that\s+(?=\S)|"
    r"[^;:,]{3,140}\b(?:shows?|indicates?|suggests?|demonstrates?|reveals?|showed|indicated|suggested|demonstrated|revealed)"
    r" that\s+(?=\S)|"
    r"[^:;,]{0,60}\b(?:finding|result|conclusion|insight|show|find)s?\b[^:;,]{0,20}:\s+(?=\S)",
    re.IGNORECASE,
)
# "To confirm that owls sleep, more nets are needed" confirms nothing.
_ONLY_WANTED = re.compile(
    r"\b(?:should|must|needs?|needed|required?|aim\w*|hypothesi\w+|whether|remains? to|tests? that|assum\w+|future)\b|"
    r"(?<!able )\bto (?:confirm|show|determine|establish|prove|verify|demonstrate)\b|\bif\b",
    re.IGNORECASE,
)
# "There is no evidence that owls sleep" reports that nothing shows it: "no evidence that owls sleep".
_NOT_REPORTED = re.compile(
    r"\b(?:not|nor|never|neither|cannot|fail\w*|unclear|against|contradict\w*|refut\w*|reject\w*|question\w*|"
    r"(?P<none>no|little|insufficient|limited|weak))\b(?: [\w-]+){0,5} that,?\s+$",
    re.IGNORECASE,
)
# A phrase on where something was tried, or a concession: the clause after it is true without it.
_LEAD = re.compile(
    r"(?:In|On|Across|Over|Among(?:st)?|Through|Using|Evaluated|Tested|Based on|Despite|Although|Though|While|Whereas|"
    r"Akin to|Unlike|Like|Similar to|Consistent with|As expected|Given|Without|Under|During|For|Within|When|Since|"
    r"Remarkably|Notably|Empirically|Theoretically|Experimentally|Of (?:our|the|these|all)|At|By|"
    r"With|Via|Following|Leveraging|Building on|Applied|Beyond|After|Compared (?:to|with)|Relative to|Averaged)"
    r"\b[^;:]{0,150}?,\s+(?=(?:our|the|an?|we|it|both|all|most|many|"
    r"some|no|only|over|about|nearly|half|even|(?-i:[A-Z])[\w-]*|"
    r"(?!(?:across|as|includes|its|this|thus|whereas)\b)[a-z-]+s|"
    # "In patients with asthma, cetirizine use promoted sleep".
    r"(?!\w+ly\b)[a-z]\w+(?:(?: [\w-]+){0,4} (?:is|are|was|were|has|had|can|did|does)|(?: [\w-]+)? [a-z]{3,}ed))\b)",
    re.IGNORECASE,
)
_PARENTHESES = re.compile(r"\s*\((?:[^()]|\([^()]*\))*\)|\s*\[[\d,\s–-]+\]")
_DASH = re.compile(r"(?<=[a-z])–(?=[a-z])|\s+[–-]+\s+|\s*---?\s*|\s*—\s*")
_OWN_RESULTS = re.compile(
    r"^(?:our|the|these) (?:\w+ )?(results|findings|experiments|analys[ei]s|evaluations?)\b", re.I
)
# Without a name, "our ML model" is "ML model", and "our method" is "method".
_OUR_KIND = re.compile(
    r"^(?:our|the proposed) (?:proposed |novel |new )*"
    r"(?=(?!best|final|main|own)(?:[\w/-]+ ){0,4}(?:methods?|approach|models?|framework|system|"
    r"algorithms?|networks?|solutions?|techniques?|strateg(?:y|ies)|schemes?|tools?|"
    r"pipeline|architecture|classifier|agents?|policy|estimator)\b)",
    re.IGNORECASE,
)
# "The three methods" without the sentence that names them.
_COUNTED = re.compile(r"^the (?=(?:two|three|four|five|six|seven) )", re.IGNORECASE)
_NOT_ONLY = re.compile(r"\bnot only (.*?),? but\b.*")


# Words without which a clause says the same.
_FILLERS = re.compile(
    r"(?:(?<=\w )(?<!\bno )(?<!\bas )(?<!\band )|^)(?:also|further|consistently|effectively|successfully|notably|"
    r"respectively|extremely|"
    r"(?:statistically )?significantly (?=outperform|improv|reduc|increas|decreas|enhanc|surpass|boost|higher|lower|"
    r"less|greater|longer|shorter|more)|"
    r"substantially|remarkably|highly (?=effective)|in fact|indeed|however,?|thus|therefore|generally)\s+(?!and\b)|"
    r",\s+(?:however|therefore|thus|moreover|furthermore|in turn|on the other hand|then|too),(?=\s)",
    re.IGNORECASE,
)


_LONGEST_ANNOUNCEMENT = 20  # words before a colon


def _clauses(sentence: str, name: str) -> Iterator[str]:
    """Yield what a sentence says, the longest first, without words on who found it, where, and beside what."""
    text = _FILLERS.sub("", CONFIRMS.sub("", without_head(_PARENTHESES.sub("", sentence))))
    reporting = _REPORTING.match(text)
    if reporting and (denial := _NOT_REPORTED.search(reporting[0])):
        text = text[denial.start("none") :] if denial["none"] else text
    elif reporting and not _ONLY_WANTED.search(reporting[0]):
        text = text[reporting.end() :]
    text = _DASH.split(text)[0]
    text = _COUNTED.sub("", with_name(_NOT_ONLY.sub(r"\1", text), name))
    before, colon, rest = text.partition(": ")
    if colon and len(before.split()) < _LONGEST_ANNOUNCEMENT and FINITE.search(rest):
        yield with_name(rest, name)
    text = _OWN_RESULTS.sub(lambda own: own[1].capitalize(), text if name else _OUR_KIND.sub("", text))
    yield text
    if outcome := _OUTCOME.search(text):
        verb = _THIRD_PERSON[outcome["verb"]]
        subject = _subject(text)
        if name and (text.startswith(name) or _BY_US.match(text)):
            yield f"{name} {verb} {text[outcome.end() :]}"
        elif subject:
            yield f"{subject} {_plural(verb) if subject.endswith('s') else verb} {text[outcome.end() :]}"
    first, *further = _FURTHER.split(text)
    for clause in further:
        if has_verb(first) and has_verb(clause) and not (FINITE.match(clause) or _NO_SUBJECT.match(clause)):
            yield with_name(clause, name)
    while lead := _LEAD.match(text):
        text = with_name(text[lead.end() :], name)
        # "Across six models, A, B and C, ..." goes on with a list.
        if FINITE.search(text.partition(", ")[0]):
            yield text


# Where a further clause begins, which says something else.
_FURTHER = re.compile(r"; (?:and |but |however, |in contrast, )?(?:that )?|,? and that |, (?:and|but|while|whereas) ")
_NO_SUBJECT = re.compile(
    r"(?:\w+ly|\w+ing|\w+ed|in|on|at|by|for|with|not|then|thus|also|its|their|this|these|it|they)\b", re.I
)
# "We propose STRIX, cutting latency by 40%": STRIX cuts it.
_THIRD_PERSON = {
    "achieving": "achieves",
    "attaining": "attains",
    "boosting": "boosts",
    "cutting": "cuts",
    "delivering": "delivers",
    "exceeding": "exceeds",
    "halving": "halves",
    "improving": "improves",
    "increasing": "increases",
    "lowering": "lowers",
    "outperforming": "outperforms",
    "raising": "raises",
    "reaching": "reaches",
    "reducing": "reduces",
    "surpassing": "surpasses",
    "yielding": "yields",
}
_LONGEST_SUBJECT = 6  # words


def _subject(clause: str) -> str:
    """Return the words before a clause's first verb; empty if they are many, or refer to something else."""
    verb = FINITE.search(clause, clause.find(" "))
    subject = clause[: verb.start()].strip() if verb else ""
    is_short = len(subject.split()) <= _LONGEST_SUBJECT and "," not in subject
    return "" if not is_short or is_open(subject) or refers_outside(subject) else subject


def _plural(verb: str) -> str:
    return verb.removesuffix("es") if verb.endswith("ches") else verb.removesuffix("s")


_OUTCOME = re.compile(rf", (?:thereby |thus |and )?(?:\w+ly )?(?P<verb>{'|'.join(_THIRD_PERSON)}) ")
_BY_US = re.compile(r"(?:we|our)\b", re.IGNORECASE)


def _plain_sentences(abstract: str) -> list[str]:
    return [oneline(readable(sentence)) for sentence in read_abstract(abstract).sentences]


# Instead of what the line doesn't say.
_INSTEAD = re.compile(r"(?<=\w) instead(?=,|$| (?!of\b))")
# "Achieves (1) 23% more success and (2) 91% lower costs": what stands before the second.
_ENUMERATES = re.compile(r"\((?:2|ii|b)\)")


class Candidate(NamedTuple):
    """A line that could be taken, with its features; those of the title have the feature "title"."""

    line: str
    features: Features


def candidates(title: str, abstract: str) -> Iterator[Candidate]:
    """Yield the lines that could be taken for a paper, no line of a sentence twice; the last are the title's."""
    paper = read_abstract(abstract)
    sentences = _plain_sentences(abstract)
    name = name_of(title, sentences)
    forms = {long: short for long, short in short_forms(" ".join(sentences)).items() if short != name}
    topic = topic_of(title, sentences)
    seen: set[str] = set()
    for place, (sentence, reading) in enumerate(zip(sentences, paper.readings, strict=True)):
        if paper.background[place] or paper.empty[place]:
            continue
        plain = _INSTEAD.sub("", spelled(sentence.rstrip(" .!"), name))
        features = of_sentence(reading, place / len(sentences))
        reported = float(_REPORTING.match(plain) is not None)
        for line, own in (
            *((line, {"reported": reported, **own}) for line, own in _found(plain, name, forms, sentences)),
            *((line, {"reported": reported, "noted": 1.0}) for line in _noted(plain, name, forms)),
            *((line, {"made": 1.0, **own}) for line, own in _made(plain, name, forms)),
        ):
            if line not in seen:
                seen.add(line)
                yield Candidate(line, {**features, **own, **of_line(line, topic), **of_cut(line, plain)})
    for text, kind in _titles(title, name, forms):
        of_title = {
            "named": float(bool(name)),
            "colon": float(": " in text),
            "kind": float(_KIND_OF_PAPER.search(text) is not None),
            "article": float(text.startswith(("A ", "An ", "a ", "an "))),
            kind: 1.0,
        }
        own = {f"title: {key}": value for key, value in {**of_title, **of_line(text, topic)}.items()}
        yield Candidate(text, {"title": 1.0, **own})


def _found(
    sentence: str, name: str, forms: Mapping[str, str], sentences: Sequence[str]
) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield the clauses of a sentence that stand by themselves, with what was left out of each."""
    if second := _ENUMERATES.search(sentence):
        sentence = sentence[: second.start()].rstrip(" ,;").removesuffix(" and")
    for clause in _clauses(sentence, name):
        if _POINTS_BACK.match(clause):
            continue
        most = MAX_WORDS if has_name(clause, name) else MAX_WORDS - len(name.split())
        if there := _THERE.match(clause):
            most += len(there[0].split())
        parts = (
            part
            for part in shortened(clause, most, forms)
            if len(part.text.split()) >= _LEAST_WORDS and stands_alone(part.text, name) and has_verb(part.text)
        )
        for text, left_out in _distinct(parts):
            line = text if has_name(text, name) or not name else f"{name}: {_uncapitalised(text, sentences)}"
            yield _THERE.sub("", line), dict.fromkeys(left_out, 1.0)


# "The gains are largest in winter", which articles left out would hide.
_POINTS_BACK = re.compile(
    r"the (?:enhancements?|improvements?|gains?|benefits?|changes|reductions?|drug|compound|agent|patient|child)\b"
    rf"(?! (?:in|of|between|from|on|for|due|with)\b)|"
    rf"(?:some|others|most|many|each|all|one|two|three|four|five) (?={FINITE.pattern})",
    re.IGNORECASE,
)


_MOST_PARTS = 5  # of one clause


def _distinct(parts: Iterator[Shortened]) -> Iterator[Shortened]:
    """Yield the first parts that differ in more than their articles."""
    seen: set[str] = set()
    for part in parts:
        words = _ARTICLES.sub("", part.text.lower())
        if words not in seen:
            seen.add(words)
            yield part
        if len(seen) == _MOST_PARTS:
            return


_ARTICLES = re.compile(r"\b(?:an?|the) ")


# "There was no difference in X": "No difference in X".
_THERE = re.compile(r"^there (?:is|was|are|were) (?=no\b|an?\b|significant|strong|some|evidence)", re.IGNORECASE)
# "We observe a strong correlation between A and B", but not "we observe that A grows".
_NOTES = re.compile(
    r"\b(?:we|i|authors|data|results?|analys[ei]s|experiments?|evaluations?|findings?|study) (?:\w+ly |also |further )?"
    r"(?:(?:identif)(?:y|ies|ied)|(?:observe|report|uncover|reveal|discover|detect|demonstrate?|indicate?)(?:s|d|ed)?|"
    r"suggest(?:s|ed)?(?= no\b)|"
    r"finds?|found|shows?|showed) (?!that\b|to\b|how\b)",
    re.IGNORECASE,
)


def _noted(sentence: str, name: str, forms: Mapping[str, str]) -> Iterator[str]:
    """Yield what a sentence says that was observed, where that is a noun phrase."""
    text = _PARENTHESES.sub("", sentence)
    notes = _NOTES.search(text)
    if notes and (phrase := _noun_phrase(text[notes.end() :], MAX_WORDS - len(name.split()), forms)):
        yield f"{name}: {phrase}" if name else phrase


def _is_outcome(line: str) -> bool:
    return has_verb(line) and not (line.endswith(("?", ":")) or says_nothing(line) or NO_OUTCOME.search(line))


def _uncapitalised(line: str, sentences: Sequence[str]) -> str:
    """Return a line without the capital of a sentence's first word, unless the word has one inside sentences too."""
    first = line.split(" ", maxsplit=1)[0]
    is_name = any(re.search(rf"[a-z,] {re.escape(first)}(?!\w)", text) for text in sentences)
    return line if is_name or not first.istitle() else first.lower() + line[len(first) :]


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


def _made(sentence: str, name: str, forms: Mapping[str, str]) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield lines on what a sentence says that was made."""
    most = MAX_WORDS - len(name.split())
    if name:
        marked = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", _NAME, sentence)
        yield from ((line.replace(_NAME, name), own) for line, own in _named(marked, most, forms))
    text = without_head(_PARENTHESES.sub("", sentence))
    if name:  # will stand before the line
        called = r",? (?:(?:called|named|termed|dubbed|namely) )?"
        text = re.sub(rf"{called}{re.escape(name)}(?!\w)(?:,(?= (?:that|which)\b))?", "", text)
    passive, active = _IS_MADE.match(text), _WE_MAKE.search(text)
    if passive and (phrase := _noun_phrase(passive[1], most, forms)):
        yield f"{name}: {phrase}" if name else phrase, {}
    # With a name, what else was made must be what the paper presents.
    presents = active is not None and (not name or _PRESENTS.search(active[0]))
    if active and presents and (phrase := _noun_phrase(text[active.end() :], most, forms)):
        yield f"{name}: {phrase}" if name else phrase, {}


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
    text = without_head(_PARENTHESES.sub("", _LONG_NAME.sub(rf"\g<1>{_NAME}", sentence)))
    apposition = _APPOSITION.search(text)
    if apposition and (phrase := _noun_phrase(text[apposition.end() :], most, forms)):
        yield f"{_NAME}: {phrase}", {"appositive": 1.0}
    called = _CALLED.search(text)
    if called and (phrase := _noun_phrase(called[1], most, forms)):
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


_NO_NOUN = re.compile(r"(?:on|in|of|for|with|by|from|at|as|to|whether|if|how|why|what|where)\b", re.IGNORECASE)


def _noun_phrase(text: str, most: int, forms: Mapping[str, str]) -> str:
    """Return the longest noun phrase at the beginning of a text that says what something is; empty if none does.

    One in which words inside were left out is taken if it has three words more.
    """
    if _NO_NOUN.match(text):
        return ""
    text = _ADJECTIVES.sub("", _NEXT_VERB.split(_DASH.split(text)[0])[0])
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
