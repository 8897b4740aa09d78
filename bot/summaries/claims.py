"""Tell findings from other claims by the wording of a sentence.

A finding reports an outcome: a measured amount, a comparison with something named, a fact discovered or proved. Hopes,
the place of the code, and praise without a measure ("experiments show its effectiveness") report none.

Every pattern is a list of alternatives without nested repetition, so matching takes linear time. Patterns match the
lower-cased sentence, because ignoring case takes twice the time.
"""

from __future__ import annotations

import re
from functools import lru_cache

NUMBER = re.compile(
    r"\d\s?(?:\\?%|percent|per cent|points?\b|pp\b|[x×]\b|\\?\$?\\times)|\d-?(?:fold|times|x)\b|\b\d+\.\d+|"
    r"\b(?:(?:two|three|four|five|ten)-?fold|twice|half|doubl(?:e|es|ed|ing)|orders? of magnitude)\b"
)
DIGIT = re.compile(r"(?<![a-z0-9.-])\d")
STRICT_COMPARISON = re.compile(
    r"\b(?:(?<!rather )than|outperform\w*|surpass\w*|exceed\w*|on par|comparable (?:to|with))\b"
)
# Names of signals.
_FIGURE = "number"
REPORT = "reports"
_SIGNALS = {
    _FIGURE: NUMBER,
    "digit": DIGIT,
    "comparison": re.compile(
        r"\b(?:than|compared (?:to|with)|outperform\w*|surpass\w*|exceed\w*|versus|relative to|on par|comparable|"
        r"better|worse|higher|lower|fewer|faster|slower|larger|smaller|reduc(?:e|es|ed|ing|tion)|increas(?:e|es|ed|"
        r"ing)|improv(?:e|es|ed|ing|ements?)|gains?|degrad\w+|drops?|correlat\w+)\b"
    ),
    "strict comparison": STRICT_COMPARISON,
    "shows that": re.compile(
        r"\b(?:show|shows|showed|shown|find|finds|found|findings?|reveal|reveals|revealed|demonstrate|demonstrates|"
        r"demonstrated|indicate|indicates|indicated|observe|observed|suggest|suggests|prove|proved|confirm|confirms|"
        r"discover|discovered|conclude|concluded|is|are)\b[^.;]{0,60}\bthat\b"
    ),
    REPORT: re.compile(
        r"\b(?:we|our|results?|analys[ei]s|experiments?|experimentation|evaluations?|findings?|stud(?:y|ies)|data|tests?|"
        r"simulations?|ablations?|evidence|work|it (?:is|was))\b[^.;,]{0,60}\b(?:show|find|found|observe|demonstrate|"
        r"reveal|prove|establish|confirm|discover|conclude|indicate|suggest|uncover)(?:s|d|n|ed)?\b[^.;]{0,30}\bthat\b|"
        r"\bwe (?:\w+ly )?(?:prove|discover|uncover|reveal)\b"
    ),
    "hope": re.compile(
        r"\b(?:could|hope\w*|may|might|pav(?:e|es|ed|ing)|potential(?:ly)?|promising|promise|future|further research|"
        r"opens? (?:up|new)|opening (?:up|new)|foundations?|opportunit(?:y|ies)|inspir\w+|envision\w*|expect)\b"
    ),
    "importance": re.compile(
        r"\b(?:underscor\w+|highlight(?:s|ed|ing)?|emphasi[sz]\w+|importance|insights?|sheds? light|implications?|"
        r"need for|guidance|challeng\w+|contribut\w+|bridg\w+)\b"
    ),
    "praise": re.compile(
        r"\b(?:effective(?:ly|ness)?|efficacy|efficien(?:t|tly|cy)|superior(?:ity)?|versatil\w+|strong|robust(?:ly|"
        r"ness)?|competitive|excellent|remarkabl[ey]|impressive|state-of-the-art|sota|feasib\w+|generaliz\w+|scalab\w+|"
        r"advantages?|benefits?|usefulness|validity|practical\w*)\b"
    ),
    "own action": re.compile(
        r"\b(?:we|paper|study|work|article|survey|review)\s+(?:\w+ly\s+)?(?:also\s+|then\s+|further\s+|finally\s+|"
        r"first\s+|next\s+)?(?:propos|introduc|present|evaluat|conduct|releas|provid|discuss|develop|design|analy[sz]|"
        r"stud(?:y|ies)|investigat|explor|examin|aim|us(?:e|es|ed)\b|construct|creat|build|formal|describ|compar|"
        r"benchmark|validat|tr(?:y|ain)|appl(?:y|ies)|consider|collect|argu|offer|review|address|perform)"
    ),
    "concludes": re.compile(
        r"^(?:this|our|the) (?:work|paper|study|research|framework|approach|method|findings?|results?|review|survey)\b"
    ),
    "mechanism": re.compile(
        r"\b(?:ensur\w+|captur\w+|provid\w+|incorporat\w+|enabl\w+|allow\w*|offer\w*|support\w*|facilitat\w+|"
        r"integrat\w+|establish\w*|leverag\w+|by (?:\w+ing))\b"
    ),
    "large": re.compile(r"\b(?:significant(?:ly)?|substantial(?:ly)?|consistent(?:ly)?|dramatic(?:ally)?)\b"),
    "contrast": re.compile(r"\b(?:while|whereas|although|but|despite|only|without|even|however|not|no|fail\w*)\b"),
    "vague plural": re.compile(
        r"\b(?:several|various|interesting|different|diverse|multiple|many) (?:\w+ )?(?:findings|insights|patterns|"
        r"settings|tasks|datasets|benchmarks|domains|scenarios)\b"
    ),
    "measured": re.compile(
        r"\b(?:accuracy|precision|recall|f1|auc|bleu|rouge|score|scores|latency|speed\w*|throughput|memory|cost|costs|"
        r"success rate|win rate|error|rate|time|parameters|tokens|loss)\b"
    ),
    "proves": re.compile(
        r"\b(?:we|also|then|further) (?:formally |theoretically |rigorously )?(?:prove|show|establish|derive) that\b|"
        r"\b(?:upper|lower) bound|np-hard|undecidab\w+|converge\w*|\bo\("
    ),
    "results show": re.compile(
        r"\b(?:results?|experiments?|experimentation|evaluations?|analys[ei]s|findings?|stud(?:y|ies)|tests?|"
        r"simulations?|ablations?|investigations?|assessments?|we) (?:\w+ ){0,3}(?:show|find|found|reveal|observe|"
        r"demonstrate|indicate|identif(?:y|ies)|uncover)(?:s|d|ed)?\b"
    ),
    # A means without its outcome: "provides a robust strategy for", "this framework enables", "we evaluate".
    "offers": re.compile(
        r"\b(?:provid|offer|present|serv|yield|ensur|establish|represent|deliver|enabl)\w*\s(?:as )?(?:[\w-]+,? ){0,7}"
        r"(?:strateg(?:y|ies)|solutions?|mechanisms?|frameworks?|approach|tools?|means|method|alternative|foundation|"
        r"basis|platform|pathway|way|resource|baseline|direction)\b"
    ),
    "subject offers": re.compile(
        r"^(?:[^,]{0,60}, )?(?:our|this|the|these|[a-z][\w-]+)\b[^,.;]{0,60}\b(?:ensures?|captures?|provides?|"
        r"incorporates?|enables?|allows?|supports?|facilitates?|offers?|leverages?|integrates?|eliminates?|addresses|"
        r"introduces)\b"
    ),
    "begins with action": re.compile(
        r"^(?:finally, |further(?:more)?, |moreover, |additionally, |in addition, |then, )?we (?:also |then |further |"
        r"additionally |finally )?(?:propose|introduce|present|evaluate|conduct|utilize|use|develop|design|build|"
        r"provide|perform|apply|train|compare|explore|investigate|analy[sz]e|study|examine|describe|discuss|employ|"
        r"construct|validate|test|supplement|complement|support)\b"
    ),
}
# Weak wording counts against a finding only where nothing is measured.
_WEAK = ("hope", "praise", "offers", "subject offers", "begins with action")
SIGNALS = (*_SIGNALS, "number and comparison", *(f"bare {name}" for name in _WEAK))


@lru_cache(maxsize=1_000)
def wording(sentence: str) -> tuple[str, ...]:
    """Return the ``SIGNALS`` in a sentence's wording."""
    lower = sentence.lower()
    names = [name for name, pattern in _SIGNALS.items() if pattern.search(lower)]
    measures = {_FIGURE, "comparison"} & set(names)
    if not measures:
        return (*names, *(f"bare {name}" for name in _WEAK if name in names))
    return (*names, "number and comparison") if len(measures) > 1 else tuple(names)


# arXiv's sign for an address, where it took two words without a blank for one: "weeds.Robots".
_SWALLOWED = re.compile(r"(?<!at )(?<!in )(?<!on )(?<!from )(?<!see )(?<!via )(?<!: )(?<![({])this http url")
_ASIDE = re.compile(r"\([^()]{0,80}(?:https?:|https? url)[^()]{0,200}\)")
_ADDRESS = re.compile(r"https?:|\bhttps? url\b|\bthis url\b|\bgithub\b")
_AVAILABLE = re.compile(
    r"\b(?:code|codes|website|implementation|demos?|software|toolkit|source)\b[^.;]{0,80}\b(?:available|released|"
    r"open-?\s?sourced?|accessible|provided|found|public)\b|\b(?:data|datasets?|models?|benchmark|resources|"
    r"results|videos?)\b[^.;]{0,60}\b(?:(?:publicly) available|available (?:at|on|for|from)|"
    r"(?:are) (?:publicly )?released|open-?\s?sourced)\b|\blicen[sc]ed under\b|\b(?:we|"
    r"will)\s+(?:\w+ly\s+|also\s+)?(?:release|open-?\s?source|share|make [^.;]{0,60}\b(?:available)\b)"
)
# Additions of collections.
_IMPRINT = re.compile(r"\b(?:copyright|doi|all rights reserved)\b|^key\s?words\b|©")
# A check for the start of a word in each alternative would take twelve times as long.
_OUTLOOK = re.compile(
    r"\b(?:(?:demonstrates?|shows?) (?:\w+ ){0,2}potentials? (?:in|for|of)\b|to (?:foster|facilitate further)\b|"
    r"^(?:our|this) (?:work|study|research) (?:advances|contributes|bridges)\b|implications? for\b|"
    r"next[- ]generation\b|leads? the way\b|research gaps?\b|represents? (?:a) (?:\w+ ){0,2}(?:advancements?|steps?)\b|"
    r"(?:takes?|is) (?:a) (?:\w+ ){0,2}(?:step) (?:toward)|position(?:ing)? (?:\w+ ){1,3}as\b|^(?:our|this|these|"
    r"the) (?:work|study|research|findings?|results?|approach)\b[^.;]{0,200}\b(?:offering|providing|advancing|"
    r"marking|contributing) (?:a|an|the)\b|future (?:research|work|studies|study|directions?|developments?|"
    r"advancements?|improvements?)\b|we (?:\w+ )?(?:hope|believe|anticipate|envision|plan)\b|we expect (?:that|"
    r"this|our|these)\b|pav(?:e|es|ed|ing) the way|further research\b|future experiments\b|"
    r"(?:experiments|investigations?|research|studies|trials|work)\b[^.;]{0,80}\b(?:is|are) (?:\w+ly )?(?:needed|"
    r"required|warranted|necessary)\b|(?:lay|lays|laying|provid\w+|establish\w*|"
    r"offer\w*|present\w*) (?:a|the) (?:\w+ (?:and \w+ )?)?(?:foundation|groundwork)\b|open(?:s|"
    r"ing)? (?:up )?(?:new|the door)|shed(?:s|ding)? (?:new )?light\b|"
    r"offers? an? (?:[\w-]+ ){0,3}path(?:way)? to(?:wards?)?\b|starting points? for\b|"
    r"open (?:research )?(?:challenges|problems|questions|issues)\b|(?:establish\w*) a new (?:paradigm|standard)\b|"
    r"(?:results?|findings?|work|study|approach)\b[^.;]{0,160}\bpromising (?:\w+ ){0,2}(?:directions?|"
    r"approach(?:es)?)\b|serves? as (?:both )?(?:a|an) (?:\w+ ){0,4}(?:guide|foundation|resource|benchmark)\b|"
    r"(?:provid|offer|giv|yield)\w* (?:\w+ ){0,3}(?:insights?|guidance|roadmap)\b|(?:highlight|underscor|"
    r"emphasi[sz])\w* (?:\w+ ){0,4}(?:potential|promise|importance|need|significance|necessity|contributions?|"
    r"value)\b|(?:our|this|these)\b[^.;]{0,60}\b(?:have|demonstrates?|shows?|holds?) (?:\w+ ){0,2}(?:potential|"
    r"promise)\b|contribut(?:e|es|ing) to (?:the|a|an) (?:\w+ )?(?:advancement|development)\b|(?:new) avenues\b)"
)
_DISCUSSES = re.compile(
    r"\b(?:we|paper|article|chapter)\s+(?:\w+ly\s+|also\s+|then\s+|further\s+)?(?:discuss(?:es)?|conclud(?:e|"
    r"es) (?:by|with))\b|\b(?:(?:are|is) (?:also )?(?:discussed|outlined|highlighted)|"
    r"will (?:also )?be (?:addressed|discussed|outlined|highlighted))\b[^.]{0,20}\.?$"
)
_EFFECTIVENESS = re.compile(
    r"\b(?:demonstrat|show|verif|validat|confirm|prov(?:en)\b|illustrat|highlight|support|underscor|evidenc|"
    r"establish)\w*[^.;:]{0,60}\b(?:effectiveness|efficacy|superiority|advantages?|benefits?|validity|versatility|"
    r"feasibility|usefulness|utility|applicability|practicality)\b|\b(?:effectiveness|superiority|efficacy|"
    r"efficiency|performance)\b[^.;]{0,60}\b(?:is|are|was|were) (?:\w+ )?(?:demonstrated|validated|shown|"
    r"evaluated)\b"
)
_LINK_LENGTH = 220  # a longer sentence tells more than where to find the code
_PRAISE_WORDS = 25  # more words tell something else beside praise
_TELLS_MORE = re.compile(r"\b(?:state-of-the-art|sota|improvements?|which|while|requir\w+|over|compar\w+)\b")
# The sample, and decisions beforehand: "the mean age was 50.1", "P < .05 was considered significant".
_SAMPLE = re.compile(
    r"\bpre-?intervention\b|\b(?:mean|median|average) (?:\(\w+\) )?age\b|"
    r"\bbaseline (?:[a-z]+ )?characteristics\b|\b(?:patients|subjects|"
    r"participants|adults|children|women|volunteers|respondents|studies|trials|articles|papers|physicians|"
    r"practices|rats|mice|interviews)\b[^.;:]{0,60}?\b(?:were|was) (?:\w+ly )?(?:enrolled|recruited|randomi[sz]ed|"
    r"included|assigned|allocated|selected|studied|screened|eligible|divided|identified|reviewed|used|conducted|"
    r"invited|analy[sz]ed|interviewed|challenged|classified|followed)\b|\b(?:datasets?|samples?) (?:includ|compris|"
    r"contain)\w*\b|\bresponse rates?\b|\b(?:completed|participated in|remained in) (?:the|a) (?:\w+ )?(?:study|"
    r"survey|trial)\b|\bat (?:baseline|enrol?lment|the (?:beginning|start) of the (?:study|trial))\b|"
    r"\b(?:groups|data|variables|means) were (?:compared|analy[sz]ed|tested) "
    r"(?:by|using|with)\b"
)
_NUMBER_WORD = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w{3,5}teen|twenty|thirty|forty|fifty|sixty|"
    r"seventy|eighty|ninety|hundred|thousand)"
)
# "57 patients", "one hundred and twenty-six women with asthma", "8 randomised trials".
_COUNTED = re.compile(
    rf"\b(?:\d[\d,]*|{_NUMBER_WORD}(?:(?:-| and | ){_NUMBER_WORD}){{0,4}}) (?:(?!and\b)[a-z()/-]+,? ){{0,5}}?"
    r"(?:adolescents|adults|articles|boys|cases|children|controls|families|females|girls|hospitals|individuals|infants|"
    r"males|men|mice|nurses|participants|patients|people|persons|physicians|practices|practitioners|rats|residents|"
    r"respondents|students|studies|subjects|trials|volunteers|women)\b"
)
# An outcome beside a description of the sample.
_BESIDE_SAMPLE = re.compile(
    r"\b(?:than|compared (?:to|with)|versus|vs|correlat\w+|associat\w+|predict\w*|reduc\w+|increase[sd]?|decreas\w+|"
    r"improv\w+|achiev\w+|outperform\w*|surpass\w*|conclu\w+|suggest\w*)\b"
)
# The figure of all trials, and the figure of the best part.
_OVERALL = re.compile(
    r"\b(?:overall|average|averaged|mean|across (?:the)?|all (?:\w+ ){0,2}(?:datasets|tasks|models|settings)|"
    r"in total|consistently|both|main)\b"
)
_SUBSET = re.compile(
    r"\b(?:up to|as (?:high|much) as|at best|especially|particularly|in particular|for (?:example|instance)|"
    r"in some|subset|subgroup|in one|on one|in certain|secondary)\b"
)


@lru_cache(maxsize=1_000)
def says_nothing(sentence: str) -> bool:
    """Return if a sentence has only outlooks, hopes, addresses or bare praise, or has lost its words.

    >>> says_nothing("Extensive experiments demonstrate the effectiveness of our method.")
    True
    >>> says_nothing("Experiments demonstrate the effectiveness of our method, which needs 30% fewer tokens.")
    False
    """
    lower = _ASIDE.sub("", sentence.lower())
    if _SWALLOWED.search(lower):
        return True
    if len(sentence) < _LINK_LENGTH and any(pattern.search(lower) for pattern in (_ADDRESS, _AVAILABLE, _IMPRINT)):
        return True
    if NUMBER.search(lower) or STRICT_COMPARISON.search(lower):
        return False
    if _DISCUSSES.search(lower) or _OUTLOOK.search(lower):
        return True
    is_bare = len(sentence.split()) <= _PRAISE_WORDS and not _TELLS_MORE.search(lower)
    return is_bare and bool(_EFFECTIVENESS.search(lower))


def describes_sample(sentence: str) -> bool:
    """Return if a sentence describes the sample without an outcome.

    >>> describes_sample("The mean age was 50.1."), describes_sample("The mean age was higher than before.")
    (True, False)
    """
    lower = sentence.lower()
    return _SAMPLE.search(lower) is not None and not _BESIDE_SAMPLE.search(lower)


def counts_sample(sentence: str) -> bool:
    """Return if a sentence counts the sample.

    >>> counts_sample("Forty-two men with asthma took it."), counts_sample("Men took 42 mg.")
    (True, False)
    """
    return _COUNTED.search(sentence.lower()) is not None


def scope(sentence: str) -> int:
    """Return 1 for a sentence on all trials, -1 for one on the best part alone, else 0.

    >>> scope("It gains 58% overall."), scope("It gains up to 75%."), scope("It gains 58% on average and up to 75%.")
    (1, -1, 1)
    """
    lower = sentence.lower()
    return 1 if _OVERALL.search(lower) else -1 if _SUBSET.search(lower) else 0


# A win or a change, with or without a figure.
_WIN = re.compile(
    r"\b(?:outperform|surpass|exceed)(?:e?s|ed|ing)?\b|\bcompar(?:es?|ed|ing) favou?rably\b|"
    r"\b(?:superior|comparable|competitive)(?: \w+){0,2} (?:to|with)\b|\bsuperiority (?:[^\s.;]+ ){0,4}over\b|"
    r"\b(?:achiev|attain|deliver|demonstrat|establish|obtain|reach|set|show|yield)\w* (?:an? |the )?(?:new )?"
    r"(?:competitive|sota|state-of-the-art|superior)\b|"
    r"\b(?:boost|decreas|enhanc|improv|increas|mitigat|reduc)\w*(?: \w+){1,8} (?:across|compared|over|than|while)\b|"
    r"\b(?:better|fewer|faster|higher|less|lower|more|superior)"
    r"(?:(?: \w+){0,4} than|\b[^.;]{0,80} compared (?:to|with))\b|"
    r"\b(?:evaluations?|experiments?|findings|results?|simulations?|study|tests|we)\b[^.;]{0,90}?"
    r"\b(?:confirm|demonstrate|find|found|indicate|observe|prove|reveal|show)(?:s|d|ed)?(?: \w+)? that "
    r"(?![^.;]{0,100}\b(?:could|may|might|potential\w*)\b)[^.;]{0,120}?"
    r"\b(?:boosts?|decreases?|degrades?|enhances?|fails?|improve(?:s|ments?)?|increases?|lowers?|mitigates?|reduces?|"
    r"worse)\b|\b(?:demonstrat|show|yield)\w* (?:\w+ ){0,2}improvements\b"
)
# Harm by its name, too.
_SAFETY = re.compile(
    r"^[^,;]{0,80}\b(?:adverse|complications?|cough|deaths?|discontinu\w+|dizziness|drop-?outs?|ed?ema|"
    r"hepatotoxicity|hypoglyc?aemia|headache|nausea|rash|safe|safety|sedation|side[ -]effects?|somnolence|tolerab\w+|"
    r"tolerance|tolerated|toxicity|vomiting|weight gain|withdr\w+)\b"
)
_EFFECT = re.compile(r"\b(?:effective\w*|efficacy|efficacious|reduc\w+|improv\w+|lower\w*)\b")


def claims_win(sentence: str) -> bool:
    """Return if a sentence claims a win or a change.

    >>> claims_win("Experiments show that it outperforms all others."), claims_win("Experiments show its value.")
    (True, False)
    """
    return _WIN.search(sentence.lower()) is not None


def on_safety(sentence: str) -> bool:
    """Return if a sentence is on harm alone, without a benefit.

    >>> on_safety("Adverse events were rare."), on_safety("It was effective and well tolerated.")
    (True, False)
    """
    lower = sentence.lower()
    return _SAFETY.search(lower) is not None and not _EFFECT.search(lower)
