"""Clauses: whether words are one, and what of one can be left out where the rest stays grammatical and true.

    words --has_verb, is_sentence--> by lists of what findings say, and by verbs that were learned
    clause --versions--> in fewer words: "compared to large language models" is "compared to LLMs"
           --cuts--> without its last phrases, further predicates and list items

``words.json`` is learned by ``bench/line_words.py`` from where punctuation stands; ``docs/decisions/summaries.md`` has
what was measured.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from bot.summaries.claims import NUMBER

_LEAST_WORDS = 4


class LearnedWords(NamedTuple):
    """What ``words.json`` has; all words are in lower case."""

    open: frozenset[str]  # end no clause
    modifiers: frozenset[str]  # stand before a noun: end no noun phrase
    wants: dict[str, frozenset[str]]  # the prepositions that a word wants after it
    verbs: frozenset[str]


@cache
def learned_words() -> LearnedWords:
    """Read ``words.json``, once."""
    table = json.loads(Path(__file__).with_name("words.json").read_text())
    return LearnedWords(
        open=frozenset(table["open"]),
        modifiers=frozenset(table["modifiers"]),
        wants={word: frozenset(wanted.split()) for word, wanted in table["wants"].items()},
        verbs=frozenset(table["verbs"]),
    )


# Stems of verbs that say what something does, in no form a common noun.
DOES = (
    "abolish|accelerat|account|achiev|acquir|activat|adapt|address|adjust|adopt|affect|aggravat|agre|align|alleviat|"
    "allow|alter|ameliorat|amplif|antagoni[sz]|appear|assess|assign|attain|attenuat|augment|avoid|balanc|beat|becom|"
    "believ|benefit|boost|break|bridg|captur|caus|chang|choos|collaps|combin|compet|comprehend|compress|compris|"
    "comput|concentrat|confus|consist|constitut|constrain|construct|contain|continu|contribut|converg|convert|"
    "correct|correlat|cover|creat|decompos|decreas|defin|degrad|deliver|demonstrat|depend|depress|deriv|detect|"
    "deteriorat|determin|deviat|differ|diminish|disagre|discover|distort|diverg|dominat|doubl|driv|elevat|elicit|"
    "eliminat|emerg|emit|employ|enabl|encod|encompass|encounter|encourag|engag|enhanc|ensur|establish|estimat|"
    "evaluat|evok|evolv|exacerbat|exceed|excel|exhibit|exist|expand|explain|exploit|express|extend|extract|facilitat|"
    "fail|favou?r|filter|follow|forget|gain|generali[sz]|generat|guarantee|guid|hallucinat|halv|handl|harm|harness|"
    "help|hinder|identif|impair|impl|implement|improv|inactivat|includ|incorporat|increas|incur|indicat|induc|inflat|"
    "influenc|inherit|inhibit|integrat|interact|introduc|involv|jeopardi[sz]|lack|lag|lead|learn|leverag|limit|"
    "locali[sz]|lower|maintain|manipulat|match|measur|mediat|memori[sz]|mimic|minimi[sz]|mirror|misinterpret|mislead|"
    "misremember|mitigat|modif|modulat|narrow|navigat|neglect|obtain|occurr?|offer|operat|optimi[sz]|orchestrat|outpac|"
    "outperform|outscor|outweigh|overcom|overestimat|overfit|overlook|overtak|peak|perform|persist|plateau|pos|"
    "possess|potentiat|predict|prefer|present|preserv|prevent|prioriti[sz]|produc|prolong|promot|protect|prov|provid|"
    "prun|quadrupl|quantif|rais|rang|reach|recall|receiv|recogni[sz]|recover|reduc|refin|reflect|refus|reinforc|"
    "remain|replac|report|represent|reproduc|requir|resist|resolv|respond|restor|restrict|result|retain|retriev|"
    "reveal|rival|rout|run|saturat|sav|scal|score|seem|segment|select|separat|serv|shape|shift|shrink|simulat|slow|"
    "solv|span|speed|split|spread|stabili[sz]|stay|stem|stimulat|struggl|subvert|succeed|suffer|suffic|suggest|"
    "support|suppress|surpass|sustain|synthesi[sz]|tackl|tend|think|threaten|track|trail|transfer|transform|translat|"
    "treat|trigger|triple|turn|underestimat|undermin|underperform|unif|unlock|us|utili[sz]|validat|vanish|var|view|"
    "weaken|win|work|worsen|yield"
)
_AUXILIARIES = "is|are|was|were|has|have|had|can|cannot|could|do|does|did|may|might|must|will|would|should"
FINITE = re.compile(
    rf"(?<![\w-])(?:{_AUXILIARIES}|(?:{DOES})(?:i?e[sd]|y|s|e|ed)?|gives?|gave|grows?|grew|shows?|showed|experienced?|"
    r"secures|strikes|marks|rose|rises?|fell|falls?|drops?|dropped|cuts?|sees?|makes?|made|keeps?|kept|goes|went|found|"
    r"led|ran|got|gets?|takes?|took|brings?|brought|leaves?|hurts?|costs?|needs?|holds?|held|lies?|behaves?|begins?|"
    r"begun|comes?|came|saw|won|sped|chose|knows?|knew|loses?|lost|spends?|thought|"
    r"approximat(?:es|ed)|averag(?:es|ed)|became|block(?:s|ed)|blunt(?:s|ed)|bound|complet(?:es|ed)|declin(?:es|ed)|"
    r"delay(?:s|ed)|develop(?:s|ed)|died|eradicat(?:es|ed)|dilat(?:es|ed)|display(?:s|ed)|exert(?:s|ed)|"
    r"lengthen(?:s|ed)|lessen(?:s|ed)|lifts|met|normali[sz](?:es|ed)|rank(?:s|ed)|regulat(?:es|ed)|"
    r"resolved|returned|revers(?:es|ed)|shorten(?:s|ed)|spent|surviv(?:es|ed)|underwent|(?:carr|appl|rel)(?:y|ies|ied))"
    r"\b(?!-)",
    re.IGNORECASE,
)
# Forms that are surely no participles, nor, unless they are often nouns, plurals.
_STATES = re.compile(
    rf"(?<![\w-])(?:is|are|was|were|do not|does not|did not|may|can|cannot|(?:{DOES})(?:ie|e)?s|prolongs|inhibits|"
    r"affects|amplifies|gives|makes|keeps|depresses|stimulates|blocks|activates|modulates|abolishes|reverses|binds|"
    r"regulates|potentiates|antagoni[sz]es|ameliorates|elevates|exhibit|remain|fail|require|do)\b(?!-)",
    re.IGNORECASE,
)
# Verbs that need no object: "improved in patients" is no participle.
_WITHOUT_OBJECT = re.compile(
    r"(?:account|appear|averag|chang|continu|correlat|declin|decreas|differ|drop|emerg|exist|fail|improv|increas|occur|"
    r"persist|rang|reduc|remain|respond|result|return|seem|serv|surviv|tend|var)"
)
_BEFORE_ADJECTIVE = re.compile(r"\b(?:an?|the|of|in|with|by|for|and|or|its|their|all|most|than|on) $", re.IGNORECASE)
_AFTER_PARTICIPLE = re.compile(r" (?:by|at|on|in|from|to|as|with|for|according|within|among)\b")

# Forms that are as often nouns: "the minimum cost", "an increase". As verbs they have an object or an adverb behind,
# and without an "s" a plural before them.
_OFTEN_NOUN = re.compile(
    r"(?:attempt|balanc|beat|benefit|block|captur|caus|chang|complement|cost|cut|decreas|delay|deliver|discover|drop|extract|fall|gain|"
    r"guid|harm|help|hold|impact|increas|influenc|lead|limit|link|lower|match|measur|need|outlook|peak|rang|rank|recover|"
    r"report|represent|result|ris|run|sav|scal|scor|shape|shift|show|spread|support|track|transfer|turn|us|view|work)"
    r"(?:e?s?|y)"
)
_NO_OBJECT = re.compile(
    r"(?: (?:of|in|on|for|and|or|with(?! (?:age|higher|increasing|lower|more|time))|by|as|to|"
    r"from|among|between|versus|case|data|showcasing)\b|[,;]|$)"
)
_BEFORE_PLURAL_VERB = re.compile(r"(?:s|ly|ren|men|people|mice|data|and \S+|also|then) $")

# "Patients who received care", "in farms, where owls have nets": the verb is that of a relative clause.
_RELATIVE = re.compile(r"\b(?:who|that|which) (?:\w+ly |also )?$|, where [^,]*$")


def is_often_noun(form: str) -> bool:
    """Return whether a verb's form is as often a noun: "increase"."""
    return _OFTEN_NOUN.fullmatch(form.lower()) is not None


def _is_noun(verb: re.Match[str]) -> bool:
    """Return whether what looks like a verb is a noun."""
    form, clause = verb[0].lower(), verb.string
    if not is_often_noun(form):
        return False
    if form.endswith("s"):
        return form not in ("results", "leads") and _NO_OBJECT.match(clause, verb.end()) is not None
    return not _BEFORE_PLURAL_VERB.search(clause[: verb.start()])


def has_verb(clause: str) -> bool:
    """Return whether a clause has a verb after its first word that isn't a participle: "patients treated with it"."""
    for verb in FINITE.finditer(clause, max(clause.find(" "), 0)):
        if _is_noun(verb) or _RELATIVE.search(clause, 0, verb.start()):
            continue
        is_participle = (
            verb[0].lower().endswith("ed")
            and verb[0].lower() != "led"
            and (
                _BEFORE_ADJECTIVE.search(clause, 0, verb.start())
                or (not _WITHOUT_OBJECT.match(verb[0].lower()) and _AFTER_PARTICIPLE.match(clause, verb.end()))
            )
        )
        if not is_participle:
            return True
    return any(word in learned_words().verbs and before != "to" for before, word in pairwise(clause.split(" ")))


_SUBORDINATES = re.compile(
    r"\b(?:who|whom|whose|that|which|when|where|whether|while|if|how|what|why|because|as|using)\b", re.I
)


def is_sentence(title: str) -> bool:
    """Return whether a title is a sentence.

    >>> is_sentence("Ramipril prolongs life"), is_sentence("Ramipril when life is at risk")
    (True, False)
    """
    verbs = (verb for verb in _STATES.finditer(title, title.find(" ") + 1) if not is_often_noun(verb[0]))
    verb = next(verbs, None)
    return verb is not None and not _SUBORDINATES.search(title, 0, verb.start())


# Forms that are no noun and no participle: in a part that is cut off they may be the verb of what stays.
SURELY_FINITE = re.compile(
    r"\b(?:is|are|was|were|has|have|can|cannot|could|does|do|may|might|will|would|should|shows?|"
    r"(?:achiev|outperform|surpass|exceed|improv|reduc|fail|exhibit|yield|enabl|remain|requir|provid|produc|reach|attain|"
    r"perform|becom|reveal|demonstrat|lead|depend|suffer|struggl|tend|retain|preserv|maintain|lack|increas|decreas|"
    r"contain|suggest|indicat|emerg|degrad|underperform|match|predict|generali[sz])e?s?)\b(?!-)"
)


class Shortened(NamedTuple):
    """What is left of a clause; ``left_out`` names the kinds of parts that are not in it."""

    text: str
    left_out: frozenset[str]


def shortened(clause: str, most: int, forms: Mapping[str, str]) -> Iterator[Shortened]:
    """Yield a clause of at most ``most`` words whole, then what is left of it without some parts; no text twice.

    ``forms`` are the abstract's short forms, by the words that they stand for.
    """
    seen: set[str] = set()
    for version in versions(clause, most, forms):
        for each in _cuts(version, most):
            if each.text not in seen:
                seen.add(each.text)
                yield each


def versions(clause: str, most: int, forms: Mapping[str, str]) -> Iterator[Shortened]:
    """Yield a clause, and as long as it has more than ``most`` words, in fewer words and without parts inside it."""
    steps: tuple[tuple[str, Callable[[str], str]], ...] = (
        ("brief", lambda text: _with_articles(_said_briefly(text, forms))),
        ("article", lambda text: _ARTICLE.sub("", text) if len(text.split()) == most + 1 else text),
        ("modifier", lambda text: text if NEGATED.search(text) else _with_articles(_MODIFIERS.sub("", text))),
        ("adverb", lambda text: text if NEGATED.search(text) else _ADVERBS.sub("", text)),
        ("insert", _without_inserts),
        ("who", _without_who),
        ("articles", lambda text: _ARTICLES.sub("", text)),
    )
    version = Shortened(clause, frozenset())
    yield version
    for kind, step in steps:
        if len(version.text.split()) <= most:
            return
        text = step(version.text)
        if text != version.text:
            version = Shortened(text, version.left_out | {kind})
            yield version


_ARTICLE = re.compile(r"^(?:an?|the) (?=\S)", re.IGNORECASE)  # is left out where it would be the thirteenth word

_DOSE = (
    r"\d[\d.,/]*(?:(?: ?- ?| or | to | and )\d[\d.]*)* ?(?:mg|micrograms?|microg|mcg|ml|g|IU|units?|mmol|mumol)\b"
    r"(?:[/.-]\w+)*(?: (?:(?:once|twice|three times) )?(?:daily|a day|per day|b\.?i\.?d\b\.?|t\.?i\.?d\b\.?))?"
)
# The same in fewer words.
_BRIEF = [
    (re.compile(pattern, re.IGNORECASE), brief)
    for pattern, brief in (
        (r"\s?(?:\+/-|±)\s?\d[\d.]*", ""),
        (rf"(?<!by)(?<!from)(?<!to)(?<!was)(?<!were)(?<!than)(?<!and)(?<!of)(?: at)? {_DOSE}", ""),
        (r"\bin order to\b", "to"),
        (r"\b(?:is|are) able to\b", "can"),
        (r"\b(?:was|were) able to\b", "could"),
        (r"\ban? (?:(?:wide|broad|large|diverse|rich) )?(?:range|variety|array|set|number|spectrum) of (?=\w+ )", ""),
        (r"\bthe (?:use|presence|application) of\s", ""),
        (r"\bin terms of\b", "in"),
        (r"\bthe (?:vast )?majority of\b", "most"),
        (r"\b(?:when compared|in comparison|as compared) (?:to|with)\b", "compared with"),
        (r"\b(was|were|is|are) (?:\w+ly )?(?:found|shown|observed|seen|demonstrated|noted) to be\b", r"\1"),
        (r"\bstatistically (?=significant)", ""),
        (r"\bapproximately\b", "about"),
        (r"\bthe (?=(?:incidence|prevalence|rate|use|risk|effects?|performance|accuracy|quality|number) of\b)", ""),
        (r"(?<!about )(?<!just )(?<!perform )(?<!performs )(?<!performed )\bas well as\b", "and"),
        (r"\b(?:current|the) state-of-the-art\b", "state-of-the-art"),
        (r" (?:percent|per cent)\b", "%"),
    )
]
# Adjectives without which a claim is a little wider; "no significant effect" stays.
_MODIFIERS = re.compile(
    r"(?<!\bor )(?<!\band )(?<!\byet )(?<!\bbut )(?<!ly )\b(?:various|diverse|several|"
    r"multiple(?= \w+[^si]s\b)|existing|"
    r"traditional|conventional|popular|widely[- ]used|publicly available|well-known|well-established|challenging|"
    r"leading|representative|careful|entire|simple|novel|respective|corresponding|crucial|competitive|sophisticated|"
    r"powerful|rich|"
    r"extensive|comprehensive|important|necessary|notable|considerable|substantial|significant|remarkable|marked|"
    r"consistent)\s+(?=[a-z]|[A-Z]{2})(?!(?:and|or|but|to|as|for|in|than|of|with)\b)"
)
_ADVERBS = re.compile(
    r"(?<!\band )(?<!\bor )\b(?:accurately|adaptively|appropriately|carefully|clearly|considerably|consistently|"
    r"critically|directly|"
    r"dramatically|dynamically|effectively|efficiently|explicitly|greatly|highly|increasingly|markedly|naturally|notably|"
    r"progressively|reliably|remarkably|robustly|seamlessly|significantly|simultaneously|strongly|substantially|"
    r"successfully|systematically|very|widely)\s+(?=[a-z])(?!(?:and|or|but)\b)"
)
# "An existing model" without "existing".
_AN = re.compile(r"\b([Aa])n? (?=(\w+))")
_VOWEL = re.compile(r"(?!(?:one|once|eu|uni|use|usu|uti))[aeiou]|(?-i:[FHLMNRSX][A-Z]+s?\b)", re.IGNORECASE)


def _with_articles(text: str) -> str:
    return _AN.sub(lambda match: f"{match[1]}{'n' if _VOWEL.match(match[2]) else ''} ", text)


def _said_briefly(text: str, forms: Mapping[str, str]) -> str:
    """Return a clause in fewer words that say the same, with short forms for what they stand for."""
    lower = text.lower()
    for long, short in forms.items():
        if long not in lower:
            continue
        singular = short.removesuffix("s") if short[:-1].isupper() else short
        text = re.sub(rf"(?<![\w-]){re.escape(long)}s(?![\w-])", f"{singular}s", text, flags=re.IGNORECASE)
        text = re.sub(rf"(?<![\w-]){re.escape(long)}(?![\w-])", short, text, flags=re.IGNORECASE)
    for pattern, brief in _BRIEF:
        text = pattern.sub(brief, text)
    return text


# Between commas, without a verb of its own: "X, including A and B, reduces C".
_INSERTS = re.compile(
    r",\s+(?:including|such as|like|especially|particularly|even|for example|for instance|along with|which|who|where|"
    r"as|at|in (?:contrast|addition|turn|particular)|on average|without|unlike|despite|an?|the|one of|when|if|given|"
    rf"primarily|mainly|mostly|but not|\w+ed|\w+ing)\b[^;:()]{{0,100}}?,\s+(?=(?:\w+ly )?(?:{_AUXILIARIES}|"
    rf"(?:{DOES})(?:i?e[sd]|s|ed|e)?|shows?|gives?|makes?|cuts?|drops?|rises?|fell|rose)\b)"
)
_ARTICLES = re.compile(r"(?:\b(?:an?|the)|^(?:An?|The)) (?=[\w-]+(?: |$))")  # but not "group A had"

# "The nocturnal bird, owl, eats" is "Owl eats".
_NAMED_LATE = re.compile(
    rf"^(?:The|An?) [^,;:]{{8,90}}, (?P<name>(?!however|therefore|though|too|also)[\w-]{{4,}}(?<!ly)(?<!ed)(?<!ing)), "
    rf"(?=(?:{_AUXILIARIES}|(?:{DOES})(?:i?e[sd]|s|ed))\b)"
)
_LAST_ITEM = re.compile(rf", and [^,;]*\b(?:{_AUXILIARIES})\b")


def _without_inserts(text: str) -> str:
    if late := _NAMED_LATE.match(text):
        return f"{late['name']} {text[late.end() :]}"
    insert = _INSERTS.search(text)
    # Items of lists: "are disorders, including grief, anxiety, and ...", "low pressure, raised nets, and shade were".
    is_item = insert is not None and (has_verb(text[: insert.start()]) or _LAST_ITEM.search(text, insert.end()))
    return text if insert is None or is_item else _INSERTS.sub(" ", text)


_PEOPLE = (
    r"(?:patients?|subjects|adults|children|adolescents|infants|women|men|rats|mice|animals|dogs|volunteers|participants|"
    r"individuals|people|persons|students|users|populations?)"
)
# Between a subject and its verb: "in patients with heart failure after infarction".
_WHO_IN_SUBJECT = re.compile(
    rf"(?<=\w) (?:in|to|of|among|for) (?:(?!(?:in|to|of|for|with|by)\b)[\w-]+ ){{0,3}}{_PEOPLE}"
    r"(?: (?:with|undergoing|receiving|aged|having|suffering|treated|after|at|on)\b"
    r"(?:(?! (?:and|or|who|that|which)\b)[^,;:]){0,80}?)?"
    rf"(?= (?:{_AUXILIARIES}|results?|resulted|leads?|led|"
    r"reduces?|improves?|increases?|decreases?|prevents?|provides?|produces?)\b)"
)

# "... is the same as that for women" compares those whom a sentence is about.
_COMPARES_WHOM = re.compile(rf"\b(?:{_PEOPLE}|groups?|those|that (?:for|in|of)|than|controls?)\b")


def _without_who(text: str) -> str:
    who = _WHO_IN_SUBJECT.search(text)
    if who is None or FINITE.search(text, text.find(" "), who.start()) or _COMPARES_WHOM.search(text, who.end()):
        return text
    return text[: who.start()] + text[who.end() :]


# Where a clause may end earlier: before a further clause, or before a phrase on where, on what, or beside what.
_CLAUSE_CUT = re.compile(
    r",\s+(?=(?:\w+ly\s+)?(?:\w+ing|based|while|whilst|whereas|with|without|and|but|which|where|whose|who|even|especially|particularly|in|thus|"
    r"thereby|as|on|at|by|for|compared|including|such|despite|though|although|yet|up|rather|regardless|due|because|when|"
    r"across|over|under|so|from|followed|together|along|all|an?|the|one|not|often|far|only|respectively|consistent|comparable|or)\b)|"
    r"\s+(?=(?:while|whilst|whereas|thereby|thus|although|though|despite|because|due to|even when|even though|"
    r"regardless of|particularly|especially|including|such as|like (?=[A-Z])|without (?:\w+ )?\w+ing|by \w+ing|"
    r"as well as|so that|and that|and (?:thus|therefore|hence|its|their)|making|"
    r"allowing|enabling|suggesting|indicating|demonstrating|highlighting)\b)|"
    rf"\s+(?=and (?:\w+ly |also )?(?:is|are|was|were|has|have|can|may|did|does|(?:{DOES})(?:i?e[sd]|s|ed))\b)|"
    r"\s+(?=but\b)|[;:]\s+"
)
_PHRASE_CUT = re.compile(
    r"\s+(?=(?:on|across|over|compared (?:to|with)|relative to|in comparison|against|during|among|amongst|within|"
    r"in(?! only)|at|after|for|with|via|through|using|throughout|as measured|"
    r"than (?:in|with|after|among|during|for|those|that)|"
    r"from (?:\w+ )?(?:\d+|one|two|three|four|six)[ -](?:days?|weeks?|months?|years?|hours?)|from \w+ to)\b)"
)

# Of a list or pair what comes first.
_LIST_CUT = re.compile(r",\s+(?=[^,;:]{1,40}(?:,\s[^,;:]{1,40}){0,4},?\s(?:and|or)\s)|\s(?=(?:and|or)\s)")
# What a list's first item alone doesn't say.
_JOINT = re.compile(
    r"\b(?:between|both|among|trade-?offs?|balanc\w+|relation\w*|correlat\w+|interact\w+|interplay|differ\w*|"
    r"compar\w+|combin\w+|integrat\w+|agree\w*|gaps?|similar\w*|mutual\w*|joint\w*|together|align\w+|mix\w*|"
    r"hybrid|versus|from|two|three|four|five|six|all|each|respectively|pairs?|either|neither|unif\w+)\b",
    re.IGNORECASE,
)
_BOTH = re.compile(r"^both [^,]*? and ", re.IGNORECASE)  # a subject that is whole
_KINDS_OF = re.compile(r"\b\w+s of (?:[\w-]+ ){0,2}[\w-]+$")
_HAS_VERB = re.compile(rf"\b(?:\w+ing|\w+ed|(?:{DOES})(?:e?s)?|is|are|was|were|can|that|which|than)\b")


def _cuts(version: Shortened, most: int) -> Iterator[Shortened]:
    """Yield a clause of at most ``most`` words whole, then without what follows its object, the longest first."""
    clause = version.text
    if len(clause.split()) <= most:
        yield version
    kinds = {
        cut.start(): kind
        for kind, pattern in (("list", _LIST_CUT), ("phrase", _PHRASE_CUT), ("clause", _CLAUSE_CUT))
        for cut in pattern.finditer(clause)
    }
    clause_ends = sorted([*(end for end, kind in kinds.items() if kind == "clause"), len(clause)])
    for end in sorted(kinds, reverse=True):
        part = clause[:end].rstrip(" ,;:")
        rest = clause[end : next(later for later in clause_ends if later > end)]
        if len(part.split()) < _LEAST_WORDS:
            continue
        if kinds[end] == "phrase":
            for between, tail in _tails(part, rest):
                is_short = len((joined := f"{part}{tail}").split()) <= most
                if is_short and _is_complete(part, between, "phrase"):
                    yield Shortened(joined, version.left_out | {"middle"})
        if len(part.split()) <= most and _is_complete(part, rest, kinds[end]):
            yield Shortened(part, version.left_out | {kinds[end]})


_LATER_PHRASE = re.compile(r"\s+(?=(?:by|from|to|in|at|on|with|over|during|after|among|than|compared with)\b)")
# Other phrases may belong to the noun that is left out: "in owls with nets".
_OF_VERB = re.compile(r" (?:by|during|after|among|(?<!less )(?<!more )(?<!greater )(?<!fewer )than|compared with)\b")
_NEXT_PHRASE = re.compile(r" (?:and|or) (?:by|from|in|on|than|to|with)\b")  # "with nets and by 28%"


def _tails(part: str, rest: str) -> Iterator[tuple[str, str]]:
    """Yield later phrases of a clause, whole and up to the phrase after, with what is before.

    "By 40%" of "on two forests by 40%", "than bats" of "in old animals of the north than bats".
    """
    starts = [later.start() for later in _LATER_PHRASE.finditer(rest, 1)]
    for at, start in enumerate(starts):
        before = rest[:start]
        if before.endswith((" and", " or", " but", ",")) or NUMBER.search(before.lower()) or _HAS_VERB.search(before):
            return
        for end in [*starts[at + 1 :], len(rest)]:
            tail = rest[start:end].rstrip(" ,;:")
            # "In men than in women" compares what would be left out.
            is_needed = tail.startswith((" than", " compared")) and (
                not _CHANGED.search(part) or before.split()[0] in tail.split() or _COMPARES_WHOM.search(tail[6:])
            )
            is_loose = not (_OF_VERB.match(tail) or NUMBER.search(tail.lower())) or _NEXT_PHRASE.search(tail)
            if not (is_needed or is_loose or is_open(tail) or wants_preposition(tail, rest[end:])):
                yield before, tail


def is_open(part: str) -> bool:
    """Return whether something must follow a part of a clause."""
    last = part.rpartition(" ")[2]
    return (not last[-1:].isalnum() and last[-1:] not in '"”%)') or last.lower() in learned_words().open


def wants_preposition(part: str, rest: str) -> bool:
    """Return whether the last word of a part wants the preposition that ``rest`` begins with: "relies", "on"."""
    last = part.rpartition(" ")[2].lower()
    if last == "results" and rest.startswith(" in ") and not re.search(r"\b(?:the|of|\w+ed|\w+art) results$", part):
        return True
    wanted = learned_words().wants.get(last, frozenset())
    return rest.strip().partition(" ")[0].lower() in wanted


# A verb whose object was left out: "can detect", "that appeared".
_BARE_VERB = re.compile(
    r"\b(?:that|which|who) \w+$|\b(?:accounted|appear(?:s|ed)?|averaged|became|exist(?:s|ed)?|occurr?(?:s|ed)|"
    r"ranged|remain(?:s|ed)?|seem(?:s|ed)?|tend(?:s|ed)?|underwent)$|"
    r"\b(?:can|could|may|might|will|would|not) (?:\w+ly )?(?!be\b)[a-z]+$|"
    rf"\bto (?:\w+ly )?(?:{DOES})[ey]?$"
)
# Pairs, of which a cut may leave one half.
PAIRED = re.compile(
    r"\b(?:between|both)\b(?!.*\band\b)|\b(?:either|whether)\b(?!.*\bor\b)|\bneither\b(?!.*\bnor\b)|"
    r"\bnot (?:only|just)\b|"
    # "Requires not larger models" but what.
    r"\b(?!(?:is|are|was|were|do|does|did|has|have|had|can|could|may|might|will|would|should|and|but|or)\b)\w+ not\b"
    r"(?!.*\bbut\b)",
    re.IGNORECASE,
)
# A denial of one case is not one of all: "no effects were noticed" on what?
NEGATED = re.compile(
    r"\b(?:no|not|none|neither|never|without|only(?! \d)|cannot|fails?|failed|lacks?|little|few)\b|n't\b", re.IGNORECASE
)
# Whom and when a denial is about, without which it says as much.
_WHO_OR_WHEN = re.compile(
    rf" (?:in|among|during|after|for|over|throughout) (?:[\w-]+ ){{0,4}}(?:{_PEOPLE}|groups?|weeks?|months?|years?|"
    r"days?|hours?|follow-up)\b"
)
# What has all that it denies: "no effect of nets on sleep", but not "no effect of nets", "no difference between nets".
_DENIED_RELATION = re.compile(
    r"\bnot (?:[\w-]+ )?(?:inferior|superior|different|associated|related|linked|correlated|dependent) "
    r"(?:to|with|from|on) \S|"
    r"\b(?:do|does|did) not (?:\w+ly )?(?:affect|alter|change|influence|modify) \S|"
    r"\b[Nn]o (?:[\w-]+ ){0,2}(?:(?:differences?|changes?|increase|decrease|reduction|improvement) in \S|"
    r"(?:effects?|influence|impact) (?:of [^,]{1,40} )?on \S|"
    r"(?:associations?|correlations?|relationship) (?:between [^,]{1,40} and|of [^,]{1,40} with|with) \S)"
)
_COMPARES = re.compile(r"\b(?:than|versus|vs|rather)\b")
# "15.4 versus 22.1" is of what?
_COMPARED_FIGURE = re.compile(r"\b(?:versus|vs|than|compared (?:to|with)) [\d.]+%?$")
# "A1c was 7.0% in one group" needs "compared with" what, "A1c fell" doesn't.
_COMPARED = re.compile(r"[,\s]*(?:compared|relative|in comparison)\b")
_CHANGED = re.compile(
    r"\b(?:better|higher|lower|faster|fewer|less|greater|more|outperform|\w*(?:creas|reduc|improv|drop|gain)\w*)\b"
)
# "Was lower in owls" and "a lower rate" say as much without "than in bats".
_COMPARATIVE_OF = re.compile(
    r"\b(?:better|higher|lower|faster|fewer|less|greater|longer|shorter|larger|smaller|worse|more)"
    r"(?:(?: [\w-]+)? (?:in|with|after|among|during|for|at|under|on|when) |(?<!less)(?<!more)(?: [\w-]+){1,3}$)"
)
# "4% in the treated group and 9%" ends within a pair of like phrases.
_LIKE_PHRASES = re.compile(r"\b(in|for|on|at|with|after|from) (?:the |an? )?[^,]* and [^,]*$")
_RELATIVE_CLAUSE = re.compile(r"\b(?:which|who|whose)\b")
_CLOSES_LIST = re.compile(
    r"(?:and|or|including|such as|with|by|in|on|for|even|especially|particularly|up|\w+ly|\w+ing)\b"
)

# "...; instead" and "..., and, at best" before the next comma.
_LINKING_END = re.compile(
    r"[;:,] [\w-]+$|\b(?:and|or|but), [^,]*$|"
    # "Suppressed, in all of the owls," and then what.
    r"\b(?:was|were|\w+ly|\w+ed), (?:in|at|by|on|with|for|after|within)\b[^,]*$|"
    r"\b(?:when|if|while) [\w-]+$"
)
# What is compared in it isn't compared with the clause before.
_FURTHER_CLAUSE = re.compile(r",? (?:although|and|but|though|whereas|while|whilst)\b")
# "A fell, and B, which rose" is cut before "which".
_SECOND_SUBJECT = re.compile(r", and (?P<subject>[^,]*)$")
_PAIRS = (("(", ")"), ("[", "]"), ("“", "”"))


def _is_complete(part: str, rest: str, kind: str) -> bool:
    """Return whether the first part of a clause says the same, only less; ``rest`` goes up to its next clause.

    ``kind`` is that of what is left out: a further "clause", a "phrase", or items of a "list".
    """
    if (
        is_open(part)
        or _BARE_VERB.search(part)
        or wants_preposition(part, rest)
        or PAIRED.search(part)
        or not has_verb(part)
    ):
        return False
    if kind == "list" and not _is_item(part):
        return False
    if kind != "clause":
        # "No effect on A or B" says "no effect on A".
        is_denied = NEGATED.search(part) and not (
            (kind == "list" and rest.startswith(" or "))
            or _WHO_OR_WHEN.match(rest)
            or (_DENIED_RELATION.search(part) and not rest.startswith(" at "))
        )
        like = _LIKE_PHRASES.search(part)
        is_half = like is not None and rest.split()[:1] == [like[1]]
        # The verb of "in owls, which are" isn't that of the part.
        if part.count(", ") > 1 or is_denied or is_half or SURELY_FINITE.search(_RELATIVE_CLAUSE.split(rest)[0]):
            return False
    is_unbalanced = part.count('"') % 2 or any(part.count(left) != part.count(right) for left, right in _PAIRS)
    is_uncompared = (
        not (rest.startswith(" than") and _COMPARATIVE_OF.search(part))
        and not (rest[0] in ";:" or (kind == "clause" and _FURTHER_CLAUSE.match(rest)))
        and (_COMPARES.search(rest) or (_COMPARED.match(rest) and not _CHANGED.search(part)))
    )
    return not (
        is_unbalanced
        or is_uncompared
        or _COMPARED_FIGURE.search(part)
        or re.fullmatch(r", \w+ing", rest)  # an item: "with nets and headache, sweating, and ..."
        or ": " in part
        or _LINKING_END.search(part)
        or (rest.startswith(",") and (second := _SECOND_SUBJECT.search(part)) and not has_verb(second["subject"]))
        or _is_open_list(part)
    )


def _is_item(part: str) -> bool:
    """Return whether a part ends with the first item of a list, and says the same of it alone."""
    last = part.rpartition(" ")[2].lower()
    is_joint = _JOINT.search(_BOTH.sub("", part)) or _KINDS_OF.search(part) or _LIKE_PHRASES.search(part)
    return not (is_joint or last in learned_words().modifiers or last[-1:].isdigit() or last.endswith("%"))


def _is_open_list(part: str) -> bool:
    """Return whether a part ends within an enumeration."""
    before, comma, last = part.rpartition(", ")
    if not comma or not FINITE.search(before):
        return False
    is_item = not FINITE.search(last) and not _CLOSES_LIST.match(last)
    return is_item or FINITE.match(last) is not None or " " not in last


def short_forms(abstract: str) -> dict[str, str]:
    """Return the short forms that an abstract introduces in parentheses, by what they stand for in lower case.

    A short form's characters are found from the end of the words before it, the first at the beginning of a word
    (Schwartz and Hearst 2003).

    >>> short_forms("We use Retrieval-Augmented Generation (RAG).")
    {'retrieval-augmented generation': 'RAG'}
    """
    found = {}
    for match in _DEFINES.finditer(abstract):
        short, words = match[1], abstract[: match.start()].split(" ")
        before = " ".join(words[-min(len(short) + 5, 2 * len(short)) :])
        start = _start_of_long_form(before, short.removesuffix("s") if short[:-1].isupper() else short)
        if start is not None and (long := before[start:]).count(" ") and "," not in long and "(" not in long:
            found[long.lower()] = short
    return found


_DEFINES = re.compile(r"\s\(([A-Z](?=[\w-]*[A-Z])[\w-]{1,9})\)")


def _start_of_long_form(before: str, short: str) -> int | None:
    at = len(before)
    for place, character in reversed(list(enumerate(short.lower()))):
        if not character.isalnum():
            continue
        at -= 1
        while at >= 0 and (
            before[at].lower() != character or (place == 0 and before[at - 1 : at] not in ("", " ", "-"))
        ):
            at -= 1
        if at < 0:
            return None
    return at
