"""Which sentences say nothing to a reader, and how sure it is that a sentence reports a finding.

A finding says what came out: a measured amount, a comparison with something named, a fact discovered or proved. Hopes,
outlooks, where the code is, and praise without measure ("experiments show its effectiveness") are none, even where
readers of abstracts label them results. Every pattern is a list of alternatives without nested repetition, so that
matching takes time in proportion to the text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from math import exp, log

_LEAST = 1e-4
# A sentence that less probably tells what came out reports what others had found before.
_RESULT_FROM = 0.1
_FLAGS = re.IGNORECASE

_NUMBER = re.compile(
    r"\d\s?(?:\\?%|percent|per cent|points?\b|pp\b|[x×]\b|\\?\$?\\times)|\d-?(?:fold|times|x)\b|\b\d+\.\d+|"
    r"\b(?:twice|half|doubl(?:e|es|ed|ing)|orders? of magnitude)\b",
    _FLAGS,
)
_DIGIT = re.compile(r"(?<![A-Za-z0-9.-])\d")
_COMPARISON = re.compile(
    r"\b(?:than|compared (?:to|with)|outperform\w*|surpass\w*|exceed\w*|versus|relative to|on par|comparable|"
    r"better|worse|higher|lower|fewer|faster|slower|larger|smaller|reduc(?:e|es|ed|ing|tion)|increas(?:e|es|"
    r"ed|ing)|"
    r"improv(?:e|es|ed|ing|ements?)|gains?|degrad\w+|drops?|correlat\w+)\b",
    _FLAGS,
)
_STRICT_COMPARISON = re.compile(
    r"\b(?:than|outperform\w*|surpass\w*|exceed\w*|on par|comparable (?:to|with))\b", _FLAGS
)
_SHOWS_THAT = re.compile(
    r"\b(?:show|shows|showed|shown|find|finds|found|findings?|reveal|reveals|revealed|demonstrate|demonstrates|"
    r"demonstrated|indicate|indicates|indicated|observe|observed|suggest|suggests|prove|proved|confirm|confirms|"
    r"discover|discovered|conclude|concluded|is|are)\b[^.;]{0,60}\bthat\b",
    _FLAGS,
)
_HOPE = re.compile(
    r"\b(?:could|hope\w*|may|might|pav(?:e|es|ed|ing)|potential(?:ly)?|promising|promise|future|further research|"
    r"opens? (?:up|new)|opening (?:up|new)|foundations?|opportunit(?:y|ies)|inspir\w+|envision\w*|expect)\b",
    _FLAGS,
)
_IMPORTANCE = re.compile(
    r"\b(?:underscor\w+|highlight(?:s|ed|ing)?|emphasi[sz]\w+|importance|insights?|sheds? light|implications?|"
    r"need for|guidance|challeng\w+|contribut\w+|bridg\w+)\b",
    _FLAGS,
)
_PRAISE = re.compile(
    r"\b(?:effective(?:ly|ness)?|efficacy|efficien(?:t|tly|cy)|superior(?:ity)?|versatil\w+|strong|"
    r"robust(?:ly|ness)?|"
    r"competitive|excellent|remarkabl[ey]|impressive|state-of-the-art|SOTA|feasib\w+|generaliz\w+|scalab\w+|"
    r"advantages?|benefits?|usefulness|validity|practical\w*)\b",
    _FLAGS,
)
_OWN_ACTION = re.compile(
    r"\b(?:we|paper|study|work|article|survey|review)\s+(?:\w+ly\s+)?(?:also\s+|then\s+|further\s+|"
    r"finally\s+|first\s+|"
    r"next\s+)?(?:propos|introduc|present|evaluat|conduct|releas|provid|discuss|develop|design|analy[sz]|"
    r"stud(?:y|ies)|"
    r"investigat|explor|examin|aim|us(?:e|es|ed)\b|construct|creat|build|formal|describ|compar|benchmark|validat|"
    r"tr(?:y|ain)|appl(?:y|ies)|consider|collect|argu|offer|review|address|perform)",
    _FLAGS,
)
_BARE_WIN = re.compile(
    r"\b(?:outperform|surpass|exceed|superior|improv)\w*\s[^.;:]{0,60}\b(?:baselines?|methods?|approaches|models?|"
    r"techniques|algorithms|competitors|counterparts|state-of-the-art|state of the art|benchmarks?|"
    r"performance|results|"
    r"tasks?|settings|scenarios|environments|datasets?|improvements?)\b|\b(?:substantial|significant|"
    r"superior|strong|better)"
    r" (?:improvements?|performance|results|gains)\b|\b(?:insights?|interesting)\b",
    _FLAGS,
)
# What makes a win more than bare: a measure, or in what and beside what.
_NAMED_WIN = re.compile(
    r"\b(?:in (?:both|terms of)|both|while|fewer|less|than|only|without|especially|particularly|up to|by a|"
    r"accuracy|"
    r"speed|latency|cost|costs|memory|efficiency|stability|robustness|faster|including|such as)\b|"
    r"[A-Z]\w*[A-Z0-9]\w*",
    re.NOFLAG,
)
_CONCLUDES = re.compile(
    r"^(?:this|our|the) (?:work|paper|study|research|framework|approach|method|findings?|results?|review|survey)\b",
    _FLAGS,
)
_MECHANISM = re.compile(
    r"\b(?:ensur\w+|captur\w+|provid\w+|incorporat\w+|enabl\w+|allow\w*|offer\w*|support\w*|facilitat\w+|"
    r"integrat\w+|"
    r"establish\w*|leverag\w+|by (?:\w+ing))\b",
    _FLAGS,
)
_LARGE = re.compile(
    r"\b(?:significant(?:ly)?|substantial(?:ly)?|consistent(?:ly)?|dramatic(?:ally)?)\b", _FLAGS
)
_CONTRAST = re.compile(
    r"\b(?:while|whereas|although|but|despite|only|without|even|however|not|no|fail\w*)\b", _FLAGS
)
_VAGUE_PLURAL = re.compile(
    r"\b(?:several|various|interesting|different|diverse|multiple|many) (?:\w+ )?(?:findings|insights|"
    r"patterns|settings|"
    r"tasks|datasets|benchmarks|domains|scenarios)\b",
    _FLAGS,
)
_MEASURED = re.compile(
    r"\b(?:accuracy|precision|recall|F1|AUC|BLEU|ROUGE|score|scores|latency|speed\w*|throughput|memory|cost|costs|"
    r"success rate|win rate|error|rate|time|parameters|tokens|loss)\b",
    _FLAGS,
)
_PROVES = re.compile(
    r"\b(?:we|also|then|further) (?:formally |theoretically |rigorously )?(?:prove|show|establish|derive) that\b|"
    r"\b(?:upper|lower) bound|NP-hard|undecidab\w+|converge\w*|\bO\(",
    _FLAGS,
)
_SIGNALS = {
    "number": _NUMBER,
    "digit": _DIGIT,
    "comparison": _COMPARISON,
    "strict comparison": _STRICT_COMPARISON,
    "shows that": _SHOWS_THAT,
    "hope": _HOPE,
    "importance": _IMPORTANCE,
    "praise": _PRAISE,
    "own action": _OWN_ACTION,
    "bare win": _BARE_WIN,
    "concludes": _CONCLUDES,
    "mechanism": _MECHANISM,
    "large": _LARGE,
    "contrast": _CONTRAST,
    "vague plural": _VAGUE_PLURAL,
    "measured": _MEASURED,
    "proves": _PROVES,
}
# The names of all signals; those that a sentence lacks are 0.
SIGNALS = ("intercept", "result", "number and comparison", *_SIGNALS)

_ADDRESS = re.compile(r"https?:|\bhttps? URL\b|\bthis URL\b|\bgithub\b", _FLAGS)
_AVAILABLE = re.compile(
    r"\b(?:code|codes|codebase|website|project page|implementation|demos?|software|toolkit|source|"
    r"library)\b[^.;]{0,80}"
    r"\b(?:available|released|open-?\s?sourced?|accessible|provided|found|public)\b|"
    r"\b(?:data|datasets?|models?|weights|checkpoints?|benchmark|resources|results|annotations|"
    r"videos?)\b[^.;]{0,60}"
    r"\b(?:(?:publicly|freely|openly|made) available|available (?:at|on|here|online|under|for|upon|via|from)|"
    r"(?:be|are|is) (?:publicly )?released|open-?\s?sourced|found at|made public)\b|"
    r"\b(?:we|will)\s+(?:\w+ly\s+|also\s+)?(?:release|open-?\s?source|share|"
    r"make [^.;]{0,60}\b(?:available|public(?:ly)?|open)\b)",
    _FLAGS,
)
_OUTLOOK = re.compile(
    r"\bfuture (?:research|work|works|studies|study|directions?|developments?|investigations?|advancements?|"
    r"improvements?)\b|"
    r"\bwe (?:\w+ )?(?:hope|believe|anticipate|envision|plan)\b|\bwe expect (?:that|this|our|these)\b|"
    r"\bpav(?:e|es|ed|ing) the way|\bfurther research\b|"
    r"\b(?:lay|lays|laying|provid\w+|sets?) (?:a|the) (?:\w+ )?(?:foundation|groundwork|roadmap|blueprint)\b|"
    r"\bopen(?:s|ing)? (?:up )?(?:new|the door|promising|exciting)|\bsheds? light\b|"
    r"\bopen (?:challenges|problems|questions|issues)\b|"
    r"\b(?:provid|offer|giv|yield)\w* (?:\w+ ){0,3}(?:insights?|guidance|roadmap|implications?)\b|"
    r"\b(?:highlight|underscor|emphasi[sz])\w* (?:\w+ ){0,4}(?:potential|promise|importance|need|"
    r"significance|necessity|"
    r"value)\b|"
    r"\b(?:our|this|these|the proposed)\b[^.;]{0,60}\b(?:has|have|demonstrates?|shows?|holds?) (?:\w+ ){0,2}"
    r"(?:potential|promise)\b|"
    r"\bcontribut(?:e|es|ing|ion) to (?:the|a|an) (?:\w+ )?(?:field|understanding|literature|advancement|"
    r"development|"
    r"growing)\b|\b(?:open(?:ing)?|new) avenues\b",
    _FLAGS,
)
_DISCUSSES = re.compile(
    r"\b(?:we|paper|study|work|article|survey|review|chapter)\s+(?:\w+ly\s+|also\s+|then\s+|further\s+)?"
    r"(?:discuss(?:es)?|conclud(?:e|es) (?:by|with)|outlines? (?:\w+ )?(?:challenges|directions|"
    r"opportunities|limitations))\b|"
    r"\b(?:are|is) (?:also |further |then |finally )?(?:discussed|outlined|highlighted)\b[^.]{0,20}\.?$",
    _FLAGS,
)
_EFFECTIVENESS = re.compile(
    r"\b(?:demonstrat|show|verif|validat|confirm|prov(?:e|es|ed|en|ing)\b|illustrat|highlight|support|"
    r"underscor|evidenc|"
    r"establish|corroborat|attest)\w*[^.;:]{0,60}\b(?:effectiveness|efficacy|superiority|advantages?|"
    r"benefits?|validity|"
    r"versatility|generality|feasibility|usefulness|utility|applicability|practicality)\b|"
    r"\b(?:effectiveness|superiority|efficacy|efficiency|performance)\b[^.;]{0,60}\b(?:is|are|was|were) (?:\w+ )?"
    r"(?:demonstrated|validated|verified|shown|confirmed|evaluated|proven)\b",
    _FLAGS,
)
# Beside bare praise a sentence of more than so many words tells something else.
_PRAISE_WORDS = 25
_TELLS_MORE = re.compile(
    r"\b(?:state-of-the-art|SOTA|improvements?|which|while|requir\w+|over|compar\w+)\b", _FLAGS
)


def says_nothing(sentence: str) -> bool:
    """Whether a sentence tells a reader nothing about the paper: outlooks, hopes, where the code is, bare praise.

    >>> says_nothing("Extensive experiments demonstrate the effectiveness of our method.")
    True
    >>> says_nothing("Experiments demonstrate the effectiveness of our method, which needs 30% fewer tokens.")
    False
    """
    is_short = len(sentence) < 220
    if is_short and (_ADDRESS.search(sentence) or _AVAILABLE.search(sentence)):
        return True
    if _NUMBER.search(sentence) or _STRICT_COMPARISON.search(sentence):
        return False
    if _DISCUSSES.search(sentence):
        return True
    if _OUTLOOK.search(sentence):
        return True
    is_bare = len(sentence.split()) <= _PRAISE_WORDS and not _TELLS_MORE.search(sentence)
    return is_bare and bool(_EFFECTIVENESS.search(sentence))


@lru_cache(maxsize=1_000)  # a sentence's kind and its finding are both read from it
def wording(sentence: str) -> tuple[str, ...]:
    """The names of the signals in a sentence's wording."""
    names = tuple(name for name, pattern in _SIGNALS.items() if pattern.search(sentence))
    return (*names, "number and comparison") if {"number", "comparison"} <= set(names) else names


def signals(sentence: str, result: float) -> dict[str, float]:
    """What tells a finding from a claim; ``result`` is the probability that the sentence tells what came out."""
    least = min(max(result, _LEAST), 1 - _LEAST)
    return {"intercept": 1.0, "result": log(least / (1 - least)), **dict.fromkeys(wording(sentence), 1.0)}


def finding_probability(sentence: str, result: float, weights: Mapping[str, float]) -> float:
    """The probability that a sentence reports a finding; 0 where it is hardly a result, a link, or says nothing."""
    if result < _RESULT_FROM or _is_bare_win(sentence):
        return 0.0
    if says_nothing(sentence) or _ADDRESS.search(sentence) or sentence.rstrip().endswith(("?", ":")):
        return 0.0
    log_odds = sum(weights[name] * value for name, value in signals(sentence, result).items())
    return 1 / (1 + exp(-log_odds))


def _is_bare_win(sentence: str) -> bool:
    """Whether a sentence claims to be better without saying by how much, in what, or than what by name."""
    if _DIGIT.search(sentence) or not (win := _BARE_WIN.search(sentence)):
        return False
    return not _NAMED_WIN.search(sentence, win.start())
