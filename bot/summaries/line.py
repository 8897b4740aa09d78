"""A paper in one line of at most twelve words: its name, and what was found or made, in words of title and abstract.

    sentences --clauses--> "PAHQ: circuit discovery is 80% faster"                 what stands by itself
    sentences --noun phrases--> "SEM: a tokenizer that keeps cells apart"           what is made or was observed
    title, sentences --labels--> "Stable angina: diltiazem is effective"            with what it is about before it
    title --noun phrases--> "Owls first: a survey of calls", "A survey of calls"    whole, and its subtitle alone
    candidates --worth--> the one that most probably says what was found or made; else the title without its subtitle

A sentence is shortened by steps that keep it grammatical and true: words on who found it and where are left out before
the clause, and parts after its object. What remains has its verb, and refers to nothing outside the line. The weights
of the candidates' features are learned by ``bench/line_weights.py``; ``docs/decisions/summaries.md`` has what was
measured.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from bot.model.wording import oneline
from bot.summaries.claims import CONFIRMS
from bot.summaries.clauses import FINITE, Shortened, has_verb, is_open, short_forms, shortened
from bot.summaries.noun_phrases import DASH, PARENTHESES, made, noted
from bot.summaries.references import has_name, name_of, refers_outside, spelled, stands_alone, with_name, without_head
from bot.summaries.summary import read_abstract
from bot.summaries.titles import KIND_OF_PAPER, Label, labels, parts_of_title, sentence_of_title, without_subtitle
from bot.summaries.worth import MAX_WORDS, STUDIED, Features, kept, of_line, of_sentence, probability, topic_of
from bot.text.latex import readable
from bot.text.tokens import stem_terms

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
    line = sentence_of_title(without_subtitle(title))
    if not line:
        of_paper = candidates(title, abstract)
        line = max(of_paper, key=lambda each: worth_of(probability(each.features), each.features)).line
    is_plain = line.split(" ")[0].islower() and not (name and line.startswith(name))
    return line[:1].upper() + line[1:] if is_plain else line


# A title is whole at least, and of lines that are less probable most say nothing; but it stands above the summary too.
_TITLE_WORTH = 0.2
_TITLE_SHARE = 0.3
_MADE_SHARE = 0.8  # a finding tells more than what was made


def worth_of(probable: float, features: Features) -> float:
    """Return what a line with this probability and these features is worth: that of highest worth is taken."""
    if "title" in features:
        return _TITLE_WORTH + _TITLE_SHARE * probable
    return _MADE_SHARE * probable if "made" in features else probable


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
    r"\b(?:should|must|needs?|needed|required?|aim\w*|hypothesi\w+|whether|remains? to|tests? that|"
    r"assum\w+|conjectur\w+|posit(?:ed|s)?|speculat\w+|future)\b|"
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
    r"\b(?:(?!\b(?:exclud|omit))[^;:]){0,150}?,\s+(?=(?:our|the|an?|we|it|both|all|most|many|"
    r"some|no|only|over|about|nearly|half|even|(?-i:[A-Z])[\w-]*|"
    r"(?!(?:across|as|includes|its|this|thus|whereas)\b)[a-z-]+s|"
    # "In patients with asthma, cetirizine use promoted sleep".
    r"(?!\w+ly\b)[a-z]\w+(?:(?: [\w-]+){0,4} (?:is|are|was|were|has|had|can|did|does)|(?: [\w-]+)? [a-z]{3,}ed))\b)",
    re.IGNORECASE,
)
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
    text = _FILLERS.sub("", CONFIRMS.sub("", without_head(PARENTHESES.sub("", sentence))))
    reporting = _REPORTING.match(text)
    if reporting and (denial := _NOT_REPORTED.search(reporting[0])):
        text = text[denial.start("none") :] if denial["none"] else text
    elif reporting and not _ONLY_WANTED.search(reporting[0]):
        text = text[reporting.end() :]
    text = DASH.split(text)[0]
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
            if subject.endswith("s"):
                verb = verb.removesuffix("es") if verb.endswith("ches") else verb.removesuffix("s")
            yield f"{subject} {verb} {text[outcome.end() :]}"
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
    """Yield the lines that could be taken for a paper, no line of a sentence twice; the last are the title's.

    Before what a sentence says stands the paper's name, where it lacks it, or without a name a topic of the title that
    the abstract has, too.
    """
    paper = read_abstract(abstract)
    sentences = _plain_sentences(abstract)
    name = name_of(title, sentences)
    forms = {long: short for long, short in short_forms(" ".join(sentences)).items() if short != name}
    topic = topic_of(title, sentences)
    about = [Label(name)] if name else [Label(""), *labels(title, topic.counts)]
    seen: set[str] = set()
    for place, (sentence, reading) in enumerate(zip(sentences, paper.readings, strict=True)):
        if paper.background[place] or paper.empty[place]:
            continue
        plain = _INSTEAD.sub("", spelled(sentence.rstrip(" .!"), name))
        features = of_sentence(reading, place / len(sentences))
        for label, statement, own in _statements_about(about, plain, name, forms):
            line = statement
            if label.text and not has_name(statement, name):
                line = f"{label.text}: {_uncapitalised(statement, sentences)}"
            if line not in seen:
                seen.add(line)
                of_words = {**of_line(line, topic), "kept": kept(statement, plain)}
                of_label = {"topic": 1.0, "topic words": _words(label) / MAX_WORDS} if label.stems else {}
                yield Candidate(line, {**features, **own, **of_words, **of_label})
    for text, kind in parts_of_title(title, name, forms):
        of_title = {
            "named": float(bool(name)),
            "colon": float(": " in text),
            "kind": float(KIND_OF_PAPER.search(text) is not None),
            "article": float(text.startswith(("A ", "An ", "a ", "an "))),
            kind: 1.0,
        }
        own = {f"title: {key}": value for key, value in {**of_title, **of_line(text, topic)}.items()}
        yield Candidate(text, {"title": 1.0, **own})


def _statements_about(
    about: Sequence[Label], sentence: str, name: str, forms: Mapping[str, str]
) -> Iterator[tuple[Label, str, Features]]:
    """Yield what a sentence says with each label of which it says it, and features of the statement."""
    for words, group in groupby(sorted(about, key=_words), key=_words):
        fitting = list(group)
        for statement, own in _statements(sentence, name, MAX_WORDS - words, forms):
            stems = stem_terms(statement)
            yield from ((label, statement, own) for label in fitting if label.stems.isdisjoint(stems))


def _words(label: Label) -> int:
    return len(label.text.split())


def _statements(sentence: str, name: str, most: int, forms: Mapping[str, str]) -> Iterator[tuple[str, Features]]:
    """Yield what a sentence says, in at most ``most`` words beside the name, with features of each statement."""
    reported = {"reported": float(_REPORTING.match(sentence) is not None)}
    for statement, left_out in _found(sentence, name, most, forms):
        yield statement, {**reported, **dict.fromkeys(left_out, 1.0)}
    for statement in noted(sentence, most, forms):
        yield statement, {**reported, "noted": 1.0}
    for statement, own in made(sentence, name, most, forms):
        yield statement, {**reported, "made": 1.0, **own}


def _found(sentence: str, name: str, most: int, forms: Mapping[str, str]) -> Iterator[Shortened]:
    """Yield the clauses of a sentence that stand by themselves."""
    if second := _ENUMERATES.search(sentence):
        sentence = sentence[: second.start()].rstrip(" ,;").removesuffix(" and")
    for clause in _clauses(sentence, name):
        if _POINTS_BACK.match(clause):
            continue
        room = MAX_WORDS if has_name(clause, name) else most
        if there := _THERE.match(clause):
            room += len(there[0].split())
        parts = (
            part
            for part in shortened(clause, room, forms)
            if len(part.text.split()) >= _LEAST_WORDS
            and stands_alone(part.text, name)
            and has_verb(part.text)
            and not _WITHOUT_RESULT.search(part.text)
        )
        yield from (Shortened(_THERE.sub("", part.text), part.left_out) for part in _distinct(parts))


# What was done to see what comes out, and "boosts the performance", of which "by 4%" was left out.
_WITHOUT_RESULT = re.compile(
    rf"\b(?:was|were) (?:(?:then|also|\w+ly) )*(?:{STUDIED}|allocated|applied|assayed|assigned|carried|classified|"
    r"converted|determined|entered|grouped|measured|planned|searched|subjected|submitted)\b|"
    r"\b(?:boost|enhanc|improv|increas)\w* (?:the |their )?(?:overall )?"
    r"(?:effectiveness|efficiency|performance|quality|results)$",
    re.IGNORECASE,
)
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


def _uncapitalised(line: str, sentences: Sequence[str]) -> str:
    """Return a line without the capital of a sentence's first word, unless the word has one inside sentences too."""
    first = line.split(" ", maxsplit=1)[0]
    is_name = any(re.search(rf"[a-z,] {re.escape(first)}(?!\w)", text) for text in sentences)
    is_plain = first[:1].isupper() and first[1:].islower() and not is_name
    return first.lower() + line[len(first) :] if is_plain else line
