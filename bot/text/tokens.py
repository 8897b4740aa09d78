"""Split a text into tokens with stems and positions, grouped into phrases.

A phrase ends at a function word, a number, and any sign except a space or a hyphen. Bigrams stay within a phrase, so a
reason shows words that stand side by side in the paper.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import accumulate, groupby, pairwise
from operator import attrgetter
from pathlib import Path
from sys import intern
from typing import NamedTuple, Self

import snowballstemmer

from bot.text.spaceless import SPACELESS, pairs

FUNCTION_WORDS = frozenset(
    """
    a about above after again against all almost along already also although always am among an and another
    any are around as at be became because become becomes been before behind being below between both but by
    can cannot could did do does doing done down due during each either else enough even ever every few
    first for from further had has have having he hence her here him his how however i if in indeed into is
    it its itself just last least less like made make makes many may me might more moreover most much must
    my namely near neither never nevertheless next no nor not nothing now of off offs often on once one only onto
    or other others otherwise our ours out over own per perhaps quite rather really same second seem seems
    several shall she should since so some still such than that the their theirs them then there thereby
    therefore these they this those though three through throughout thus to together too toward towards two
    under until up upon us use used uses using very via was we well were what when where whereas whether
    which while who whom whose why will with within without would yet you your
    """.split()
)


_VOWEL = re.compile(r"[aeiouy]")
_BRITISH_OUR = re.compile(r"^(behavi|col|fav|flav|hum|lab|neighb|tum)our")
_BRITISH_LL = re.compile(r"^(cance|channe|fue|labe|leve|mode|paralle|signa|tota|trave|tunne)ll(?=ing|ed|er)")
# -ise is British for -ize after these letters only: "precise", "noise".
_BRITISH_ISE = re.compile(r"(?<=al|el|il|im|om|or|er|ar|in|on|an|at|et|it|ot|id)is(?=(?:e|ed|es|er|ers|ing|ations?)$)")
_NO_BRITISH_ISE = ("promis", "aris")
_SAME = {
    "analys": "analysi",
    "evolutionari": "evolut",
    "financi": "financ",
    "hypothes": "hypothesi",
    "mathemat": "math",
    "matric": "matrix",
    "molecul": "molecular",
    "theoret": "theori",
    "vertic": "vertex",
}


@cache
def words_apart() -> Mapping[str, str]:
    """Return stems for words that Snowball merges with words of another meaning.

    ``bench/vectors.py`` makes ``apart.json``: "computer" is not "compute".
    """
    groups = json.loads(Path(__file__).with_name("apart.json").read_text())
    return {word: intern(stem) for stem, words in groups.items() for word in words}


# The words of about 20,000 papers. Snowball takes 50 microseconds a word.
@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return the stem of a word, by Snowball's English stemmer (Porter 2001), in lower case without accents.

    Words with a digit, a hyphen or "@" only lose their case, and vowelless plurals ("LLMs") their s.

    >>> [stem(word) for word in ("Modeling", "models", "robotics", "LLMs", "GPT-4o", "behaviour", "optimisation")]
    ['model', 'model', 'robot', 'llm', 'gpt-4o', 'behavior', 'optim']
    >>> stem("computation"), stem("computers")
    ('comput', 'computer')
    """
    word = word.lower()
    if not word.isascii():
        word = "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))
    if not word.isalpha():
        return word
    if word.endswith("s") and len(word) > 3 and not _VOWEL.search(word):
        return word[:-1]
    word = american(word)
    return words_apart().get(word) or snowball_stem(word)


def american(word: str) -> str:
    word = _BRITISH_LL.sub(r"\1l", _BRITISH_OUR.sub(r"\1or", word))
    return word if word.startswith(_NO_BRITISH_ISE) else _BRITISH_ISE.sub("iz", word)


def snowball_stem(word: str) -> str:
    # Stemmers aren't thread-safe.
    stemmed = str(snowballstemmer.stemmer("english").stemWord(word))
    return intern(_SAME.get(stemmed, stemmed))


# Each pattern is linear: neighbouring parts never match the same character.
_WORD = re.compile(r"(?:\d{1,3}(?:,\d{3})+|\w)[\w\u0300-\u036f@+-]*(?:[./]\d+)*")
_AMOUNT = re.compile(r"[\d.,_/@+-]+(?:x|k|m|b|t|s|ms|st|nd|rd|th|gb|mb|hz|kg|km|cm|mm)?")
_LATEX = re.compile(r"\\[a-zA-Z]+|\\[^a-zA-Z\s]|[{}$~]")
_POSSESSIVE = re.compile(r"'s\b")
_DASHES = re.compile(r"-{2,}")  # LaTeX's dashes
_RUN = re.compile(r"\S+")
_LINK = re.compile(r"://|www\.|@[\w-]+\.\w|\w\.(?:com|org|io|net|edu|gov)(?:[/).,;]|$)|\w\.(?:co|ai|dev)/")
_LINK_SIGNS = ("://", "www.", "@", ".com", ".org", ".io", ".net", ".edu", ".gov", ".co", ".ai", ".dev")
_ARXIV_LINK = re.compile(r"this https? URL")  # arXiv's substitute for a link
_TYPOGRAPHY = str.maketrans({"\u2010": "-", "\u2011": "-", "\u2013": "-", "\u2019": "'", "\u00a0": " "})
# "Tool use" is one word, "we use" is none.
_NOUN_USE = re.compile(
    r"\b(agent|alcohol|antibiotic|cannabis|computer|data|drug|energy|health|internet|land|language|media|medication|nicotine"
    r"|opioid|phone|resource|screen|service|smartphone|substance|technology|tobacco|tool|water) use\b",
    re.IGNORECASE,
)
# "pre-training" equals "pretraining".
_PREFIXES = frozenset(
    "anti bi co fine hyper inter intra micro multi non over post pre re semi sub super un under".split()
)
# Longer words are encodings or attacks.
_MAX_WORD = 60
_BREAKING = (
    FUNCTION_WORDS | (_PREFIXES - {"fine"}) | frozenset("al based eg et etc ie trade-off trade-offs versus vs".split())
)


class Token(NamedTuple):
    """A word that may be part of a topic, ``text[start:end]``, with the number of its phrase."""

    stem: str
    spelling: str
    start: int
    end: int
    phrase: int


def tokens(text: str) -> list[Token]:
    r"""Return the tokens of a text, without function words, bare numbers, links and LaTeX commands.

    Compounds of whole words are split at hyphens. Compounds with a function word, letter, digit or prefix
    ("state-of-the-art", "k-means", "GPT-4", "pre-training") are one token.

    >>> [(t.stem, t.spelling, t.phrase) for t in tokens(r"\textit{Reward} modeling of multi-hop QA")]
    [('reward', 'Reward', 0), ('model', 'modeling', 0), ('multihop', 'multi-hop', 1), ('qa', 'QA', 1)]
    """
    plain_text = _without_markup(text)
    listed: list[Token] = []
    previous_end = -1
    phrase = -1
    for start, end, stemmed in _stems(plain_text):
        if stemmed:
            phrase += previous_end < 0 or not _joins(plain_text, previous_end, start)
            listed.append(Token(stemmed, text[start:end], start, end, phrase))
        previous_end = end if stemmed else -1
    return listed


def phrases(text: str) -> list[list[Token]]:
    return [list(group) for _, group in groupby(tokens(text), key=attrgetter("phrase"))]


# Positions added for punctuation.
PUNCTUATION = 10


class StemSequence(NamedTuple):
    """The stems of a text without function words, and their ``positions`` among all words.

    The first ``title`` stems are from the first line.
    """

    stems: Sequence[str]
    positions: Sequence[int]
    title: int

    def terms(self) -> list[str]:
        terms: list[str] = []
        previous, place = "", -PUNCTUATION
        for stemmed, position in zip(self.stems, self.positions, strict=True):
            terms.append(stemmed)
            if position == place + 1:
                terms.append(intern(f"{previous} {stemmed}"))
            previous, place = stemmed, position
        return terms


def stem_sequence(text: str) -> StemSequence:
    """Return the stems of a text with their positions.

    >>> stem_sequence("Reward models, and verifiable rewards")
    StemSequence(stems=['reward', 'model', 'verifi', 'reward'], positions=[0, 1, 13, 14], title=4)
    """
    # Token objects would take two fifths of the time.
    plain_text = _without_markup(text)
    end_of_title = text.find("\n") if "\n" in text else len(text)
    stems: list[str] = []
    positions: list[int] = []
    previous_end = 0
    position = -1
    title = 0
    for start, end, stemmed in _stems(plain_text):
        position += 1 if _joins(plain_text, previous_end, start) or position < 0 else 1 + PUNCTUATION
        previous_end = end
        if stemmed:
            stems.append(stemmed)
            positions.append(position)
            title += end <= end_of_title
    return StemSequence(stems, positions, title)


def stem_terms(text: str) -> list[str]:
    """Return stems and bigrams within phrases, in text order with repetitions.

    >>> stem_terms("Reward models, and the verifiable rewards of R1 in 2025")
    ['reward', 'model', 'reward model', 'verifi', 'reward', 'verifi reward', 'r1']
    """
    return stem_sequence(text).terms()


def _stems(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and stem of every word, with an empty stem outside topics."""
    for match in _words(text):
        if match.re is SPACELESS:
            yield from ((start, end, intern(text[start:end])) for start, end in pairs(text, *match.span()))
            continue
        word = match.group().rstrip("-")
        for offset, part in _compound_parts(word) if "-" in word else [(0, word)]:
            lower = part.lower()
            start = match.start() + offset
            end = start + len(part)
            is_amount = lower[0].isdigit() and _AMOUNT.fullmatch(lower)
            # "Trading off privacy" is not about trading.
            is_phrasal = text.startswith(" off ", end)
            stemmed = ""
            if 1 < len(lower) <= _MAX_WORD and lower not in _BREAKING and not is_amount and not is_phrasal:
                has_prefix = "-" in lower and lower.partition("-")[0] in _PREFIXES
                stemmed = stem(lower.replace("-", "") if has_prefix else lower)
            yield start, end, stemmed


def _words(text: str) -> Iterator[re.Match[str]]:
    end = 0
    if not text.isascii():
        for run in SPACELESS.finditer(text):
            yield from _WORD.finditer(text, end, run.start())
            yield run
            end = run.end()
    yield from _WORD.finditer(text, end)


def _compound_parts(compound: str) -> list[tuple[int, str]]:
    parts = compound.split("-")
    words = [part.lower() for part in parts]
    if not all(w in _PREFIXES or (len(w) > 1 and w.isalpha() and w not in FUNCTION_WORDS) for w in words):
        return [(0, compound)]
    offsets = [0, *accumulate(len(part) + 1 for part in parts)]
    starts = [i for i in range(len(parts)) if not i or words[i - 1] not in _PREFIXES]
    return [(offsets[a], compound[offsets[a] : offsets[b] - 1]) for a, b in pairwise([*starts, len(parts)])]


def _joins(text: str, end: int, start: int) -> bool:
    if start < end:  # pairs of characters
        return True
    between = text[end:start]
    return between in {" ", "-"} or (between.isspace() and "\n" not in between)


def _without_markup(text: str) -> str:
    """Replace LaTeX and possessive endings by spaces, links by full stops. Positions stay."""
    if "\\" in text or "$" in text or "{" in text or "~" in text:
        text = _LATEX.sub(lambda command: " " * len(command[0]), text)
    if any(sign in text for sign in _LINK_SIGNS):
        text = _RUN.sub(lambda run: "." * len(run[0]) if _LINK.search(run[0]) else run[0], text)
    if " use" in text:
        text = _NOUN_USE.sub(r"\1-use", text)
    if "--" in text:
        text = _DASHES.sub(lambda dashes: "," * len(dashes[0]), text)
    if "this http" in text:
        text = _ARXIV_LINK.sub(lambda link: "." * len(link[0]), text)
    if not text.isascii():
        text = text.translate(_TYPOGRAPHY)
    return _POSSESSIVE.sub("  ", text) if "'s" in text else text


# ``bench/vocabulary.py`` makes ``vocabulary.json``. "Breaking" words ("show") end a phrase, "filler" ("performance")
# names a topic only in listed phrases ("test time"), and "general" words ("model") need another word.


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Classes of stems. ``filler`` includes ``breaking``, and ``phrases`` are topical bigrams."""

    breaking: frozenset[str]
    filler: frozenset[str]
    general: frozenset[str]
    phrases: frozenset[str]

    def split(self, phrase: Sequence[Token], separators: AbstractSet[str]) -> list[list[Token]]:
        """Cut a phrase on both sides of each separator, except within listed phrases."""
        runs = [[token] for token in phrase[:1]]
        for before, token in pairwise(phrase):
            separated = before.stem in separators or token.stem in separators
            if separated and f"{before.stem} {token.stem}" not in self.phrases:
                runs.append([token])
            else:
                runs[-1].append(token)
        return runs


@cache
def shipped_vocabulary() -> Vocabulary:
    lists = json.loads(Path(__file__).with_name("vocabulary.json").read_text())
    breaking = frozenset(lists["breaking"].split())
    return Vocabulary(
        breaking=breaking,
        filler=breaking | frozenset(lists["filler"].split()),
        general=frozenset(lists["general"].split()),
        phrases=frozenset(lists["phrases"]),
    )


def is_general(stem: str) -> bool:
    vocabulary = shipped_vocabulary()
    return stem in vocabulary.filler or stem in vocabulary.general


def is_filler(stems: Sequence[str]) -> bool:
    return all(stem in shipped_vocabulary().filler for stem in stems)


def names_topic(stems: Sequence[str]) -> bool:
    """Return whether adjacent stems name a topic.

    >>> [names_topic(s.split()) for s in ("reward model", "languag model", "strong perform", "model", "robot")]
    [True, True, False, False, True]
    """
    listed = shipped_vocabulary().phrases
    return not all(map(is_general, stems)) or any(f"{a} {b}" in listed for a, b in pairwise(stems))


@lru_cache(maxsize=10_000)
def topical_terms(phrase: str) -> tuple[str, ...]:
    """Return a phrase's bigrams and topical stems, or all its stems if it has neither.

    >>> topical_terms("reward models"), topical_terms("language models"), topical_terms("agent")
    (('reward', 'reward model'), ('languag model',), ('agent',))
    """
    terms = stem_terms(phrase)
    return tuple([term for term in terms if " " in term or not is_general(term)] or terms)


def topical_phrases(phrases: Iterable[Sequence[Token]]) -> list[list[Token]]:
    """Return the longest topical runs of tokens in a text's phrases, in text order.

    >>> from bot.text.tokens import phrases
    >>> text = "We show strong performance of process reward models on the task of robot manipulation"
    >>> [" ".join(token.spelling for token in run) for run in topical_phrases(phrases(text))]
    ['process reward models', 'robot manipulation']
    """
    vocabulary = shipped_vocabulary()
    return [
        run
        for phrase in phrases
        for run in vocabulary.split(phrase, vocabulary.filler)
        if names_topic([token.stem for token in run])
    ]


_SPELT_WORD = re.compile(r"(?<![^\W\d_]['’])[^\W\d_][\w-]*")
# Sentences begin with a capital.
_INSIDE_SENTENCE = re.compile(r"(?<=[\w,;)] )[^\W\d_]\w*")
# Other words from titles are names. These aren't: "Curiosity", "Credit Assignment".
_COMMON_NOUN_ENDINGS = ("tion", "sion", "ment", "ness", "ity", "ance", "ence", "ing")


class Spellings:
    """The usual capitals of words: "LoRA", "Bayesian", but "reward" even where a title has "Reward".

    >>> spellings = Spellings.learn(["We train LoRA by Bayesian rules. Reward hacking is rare, reward is not."])
    >>> spellings.usual("Reward Hacking of Lora, Bayesian")
    'reward hacking of LoRA, Bayesian'
    """

    def __init__(self, text: str = "") -> None:
        """``text`` has a spelling on each line. The last one of a word counts."""
        self.text = text

    @classmethod
    def learn(cls, abstracts: Iterable[str]) -> Self:
        """Count the words of abstracts. Most words in titles have capitals."""
        counts: Counter[str] = Counter()
        for abstract in abstracts:
            counts.update(_INSIDE_SENTENCE.findall(abstract))
        return cls("\n".join(word for word, _ in reversed(counts.most_common())))

    def usual(self, phrase: str) -> str:
        return _SPELT_WORD.sub(self._usual_word, phrase)

    def _usual_word(self, word: re.Match[str]) -> str:
        parts: list[str] = []
        for part in word[0].split("-"):
            lower = part.lower()
            # "Layer-wise", where the home has "WISE" as a name.
            if any(map(str.isupper, part[1:])) or (parts and part == lower):
                parts.append(part)
                continue
            # As in titles: "Low-Bitrate", but not "Bradley-Terry".
            is_common = bool(parts and parts[-1].islower()) or lower.endswith(_COMMON_NOUN_ENDINGS)
            parts.append(self.by_word.get(lower, lower if is_common else part))
        return "-".join(parts)

    @cached_property
    def by_word(self) -> dict[str, str]:
        """Usual spellings by lower case."""
        return {word.lower(): word for word in self.text.split("\n")}
