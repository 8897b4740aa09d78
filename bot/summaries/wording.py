"""Signals in a sentence's wording: numbers, comparisons, verbs of finding, hopes, praise.

Every pattern is a list of alternatives without nested repetition, so that matching takes time in proportion to the
text. Patterns are in lower case and match the lower-cased sentence: ignoring case takes twice the time.
"""

from __future__ import annotations

import re
from functools import lru_cache

NUMBER = re.compile(
    r"\d\s?(?:\\?%|percent|per cent|points?\b|pp\b|[x×]\b|\\?\$?\\times)|\d-?(?:fold|times|x)\b|\b\d+\.\d+|"
    r"\b(?:twice|half|doubl(?:e|es|ed|ing)|orders? of magnitude)\b"
)
DIGIT = re.compile(r"(?<![a-z0-9.-])\d")
_COMPARISON = re.compile(
    r"\b(?:than|compared (?:to|with)|outperform\w*|surpass\w*|exceed\w*|versus|relative to|on par|comparable|"
    r"better|worse|higher|lower|fewer|faster|slower|larger|smaller|reduc(?:e|es|ed|ing|tion)|increas(?:e|es|"
    r"ed|ing)|"
    r"improv(?:e|es|ed|ing|ements?)|gains?|degrad\w+|drops?|correlat\w+)\b"
)
STRICT_COMPARISON = re.compile(
    r"\b(?:(?<!rather )than|outperform\w*|surpass\w*|exceed\w*|on par|comparable (?:to|with))\b"
)
_SHOWS_THAT = re.compile(
    r"\b(?:show|shows|showed|shown|find|finds|found|findings?|reveal|reveals|revealed|demonstrate|demonstrates|"
    r"demonstrated|indicate|indicates|indicated|observe|observed|suggest|suggests|prove|proved|confirm|confirms|"
    r"discover|discovered|conclude|concluded|is|are)\b[^.;]{0,60}\bthat\b"
)
_HOPE = re.compile(
    r"\b(?:could|hope\w*|may|might|pav(?:e|es|ed|ing)|potential(?:ly)?|promising|promise|future|further research|"
    r"opens? (?:up|new)|opening (?:up|new)|foundations?|opportunit(?:y|ies)|inspir\w+|envision\w*|expect)\b"
)
_IMPORTANCE = re.compile(
    r"\b(?:underscor\w+|highlight(?:s|ed|ing)?|emphasi[sz]\w+|importance|insights?|sheds? light|implications?|"
    r"need for|guidance|challeng\w+|contribut\w+|bridg\w+)\b"
)
_PRAISE = re.compile(
    r"\b(?:effective(?:ly|ness)?|efficacy|efficien(?:t|tly|cy)|superior(?:ity)?|versatil\w+|strong|"
    r"robust(?:ly|ness)?|"
    r"competitive|excellent|remarkabl[ey]|impressive|state-of-the-art|sota|feasib\w+|generaliz\w+|scalab\w+|"
    r"advantages?|benefits?|usefulness|validity|practical\w*)\b"
)
_OWN_ACTION = re.compile(
    r"\b(?:we|paper|study|work|article|survey|review)\s+(?:\w+ly\s+)?(?:also\s+|then\s+|further\s+|"
    r"finally\s+|first\s+|"
    r"next\s+)?(?:propos|introduc|present|evaluat|conduct|releas|provid|discuss|develop|design|analy[sz]|"
    r"stud(?:y|ies)|"
    r"investigat|explor|examin|aim|us(?:e|es|ed)\b|construct|creat|build|formal|describ|compar|benchmark|validat|"
    r"tr(?:y|ain)|appl(?:y|ies)|consider|collect|argu|offer|review|address|perform)"
)
_CONCLUDES = re.compile(
    r"^(?:this|our|the) (?:work|paper|study|research|framework|approach|method|findings?|results?|review|survey)\b"
)
_MECHANISM = re.compile(
    r"\b(?:ensur\w+|captur\w+|provid\w+|incorporat\w+|enabl\w+|allow\w*|offer\w*|support\w*|facilitat\w+|"
    r"integrat\w+|"
    r"establish\w*|leverag\w+|by (?:\w+ing))\b"
)
_LARGE = re.compile(r"\b(?:significant(?:ly)?|substantial(?:ly)?|consistent(?:ly)?|dramatic(?:ally)?)\b")
_CONTRAST = re.compile(r"\b(?:while|whereas|although|but|despite|only|without|even|however|not|no|fail\w*)\b")
_VAGUE_PLURAL = re.compile(
    r"\b(?:several|various|interesting|different|diverse|multiple|many) (?:\w+ )?(?:findings|insights|"
    r"patterns|settings|"
    r"tasks|datasets|benchmarks|domains|scenarios)\b"
)
_MEASURED = re.compile(
    r"\b(?:accuracy|precision|recall|f1|auc|bleu|rouge|score|scores|latency|speed\w*|throughput|memory|cost|costs|"
    r"success rate|win rate|error|rate|time|parameters|tokens|loss)\b"
)
_PROVES = re.compile(
    r"\b(?:we|also|then|further) (?:formally |theoretically |rigorously )?(?:prove|show|establish|derive) that\b|"
    r"\b(?:upper|lower) bound|np-hard|undecidab\w+|converge\w*|\bo\("
)
_RESULTS_SHOW = re.compile(
    r"\b(?:results?|experiments?|experimentation|evaluations?|analys[ei]s|findings?|stud(?:y|ies)|tests?|simulations?|"
    r"ablations?|investigations?|assessments?|we) (?:\w+ ){0,3}"
    r"(?:show|find|found|reveal|observe|demonstrate|indicate|identif(?:y|ies)|uncover)(?:s|d|ed)?\b"
)
# Names a means, and not what came of it: "provides a robust strategy for", "this framework enables", "we evaluate".
_OFFERS = re.compile(
    r"\b(?:provid|offer|present|serv|yield|ensur|establish|represent|deliver|enabl)\w*\s(?:as )?(?:[\w-]+,? ){0,7}"
    r"(?:strateg(?:y|ies)|solutions?|mechanisms?|frameworks?|approach|tools?|means|method|alternative|foundation|"
    r"basis|platform|pathway|way|resource|baseline|direction)\b"
)
_SUBJECT_OFFERS = re.compile(
    r"^(?:[^,]{0,60}, )?(?:our|this|the|these|[a-z][\w-]+)\b[^,.;]{0,60}\b(?:ensures?|captures?|provides?|"
    r"incorporates?|enables?|allows?|supports?|facilitates?|offers?|leverages?|integrates?|eliminates?|addresses|introduces)\b"
)
_BEGINS_WITH_ACTION = re.compile(
    r"^(?:finally, |further(?:more)?, |moreover, |additionally, |in addition, |then, )?we "
    r"(?:also |then |further |additionally |finally )?(?:propose|introduce|present|evaluate|conduct|utilize|use|"
    r"develop|design|build|provide|perform|apply|train|compare|explore|investigate|analy[sz]e|study|examine|describe|discuss|"
    r"employ|construct|validate|test|supplement|complement|support)\b"
)
FIGURE = "number"  # the name of the signal of an amount
_SIGNALS = {
    FIGURE: NUMBER,
    "digit": DIGIT,
    "comparison": _COMPARISON,
    "strict comparison": STRICT_COMPARISON,
    "shows that": _SHOWS_THAT,
    "hope": _HOPE,
    "importance": _IMPORTANCE,
    "praise": _PRAISE,
    "own action": _OWN_ACTION,
    "concludes": _CONCLUDES,
    "mechanism": _MECHANISM,
    "large": _LARGE,
    "contrast": _CONTRAST,
    "vague plural": _VAGUE_PLURAL,
    "measured": _MEASURED,
    "proves": _PROVES,
    "results show": _RESULTS_SHOW,
    "offers": _OFFERS,
    "subject offers": _SUBJECT_OFFERS,
    "begins with action": _BEGINS_WITH_ACTION,
}
# Weak wording counts against a finding only where nothing is measured.
_WEAK = ("hope", "praise", "offers", "subject offers", "begins with action")
# The names of all signals.
SIGNALS = (*_SIGNALS, "number and comparison", *(f"bare {name}" for name in _WEAK))


@lru_cache(maxsize=1_000)  # a sentence's kind and its finding are both read from it
def wording(sentence: str) -> tuple[str, ...]:
    """Return the names of the signals in a sentence's wording."""
    lower = sentence.lower()
    names = [name for name, pattern in _SIGNALS.items() if pattern.search(lower)]
    measures = {FIGURE, "comparison"} & set(names)
    if not measures:
        return (*names, *(f"bare {name}" for name in _WEAK if name in names))
    return (*names, "number and comparison") if len(measures) > 1 else tuple(names)
