"""Verbs: whether words are a clause, as far as forms tell; in English a form is often a noun or a participle, too.

Lists by hand of what findings say, and verbs that ``bench/line_words.py`` learned from where they stand.
"""

from __future__ import annotations

import json
import re
from functools import cache
from itertools import pairwise
from pathlib import Path


@cache
def learned_words() -> tuple[frozenset[str], dict[str, frozenset[str]], frozenset[str]]:
    """Return the words that end no clause, the prepositions that others want after them, and verbs."""
    table = json.loads(Path(__file__).with_name("words.json").read_text())
    return (
        frozenset(table["open"]),
        {word: frozenset(wanted.split()) for word, wanted in table["wants"].items()},
        frozenset(table["verbs"]),
    )


# Stems of verbs that say what something does, in no form a common noun.
DOES = (
    "accelerat|account|achiev|acquir|adapt|address|adjust|adopt|affect|agre|align|allow|alter|amplif|appear|assess|"
    "assign|attain|attenuat|augment|avoid|balanc|beat|becom|believ|benefit|boost|break|bridg|captur|caus|chang|choos|"
    "collaps|combin|compet|comprehend|compress|compris|comput|concentrat|confus|consist|constitut|constrain|"
    "construct|contain|continu|contribut|converg|convert|correct|correlat|cover|creat|decompos|decreas|defin|degrad|"
    "deliver|demonstrat|depend|deriv|detect|deteriorat|determin|deviat|differ|diminish|disagre|discover|distort|"
    "diverg|dominat|doubl|driv|elicit|eliminat|emerg|emit|employ|enabl|encod|encompass|encounter|encourag|engag|"
    "enhanc|ensur|establish|estimat|evaluat|evok|evolv|exacerbat|exceed|excel|exhibit|exist|expand|explain|exploit|"
    "express|extend|extract|facilitat|fail|favou?r|filter|follow|forget|gain|generali[sz]|generat|guarantee|guid|"
    "hallucinat|halv|handl|harm|harness|help|hinder|identif|impl|implement|improv|includ|incorporat|increas|incur|"
    "indicat|induc|inflat|influenc|inherit|inhibit|integrat|interact|introduc|involv|jeopardi[sz]|lack|lag|lead|"
    "learn|leverag|limit|locali[sz]|lower|maintain|manipulat|match|measur|mediat|memori[sz]|mimic|minimi[sz]|mirror|"
    "misinterpret|mislead|misremember|mitigat|narrow|navigat|neglect|obtain|occur|offer|operat|optimi[sz]|orchestrat|"
    "outpac|outperform|outscor|outweigh|overcom|overestimat|overfit|overlook|overtak|peak|perform|persist|plateau|"
    "pos|possess|predict|prefer|present|preserv|prevent|prioriti[sz]|produc|prolong|promot|protect|prov|provid|prun|"
    "quadrupl|quantif|rais|rang|reach|recall|receiv|recogni[sz]|recover|reduc|refin|reflect|refus|reinforc|remain|"
    "replac|report|represent|reproduc|requir|resist|resolv|respond|restor|restrict|result|retain|retriev|reveal|"
    "rival|rout|run|saturat|sav|scal|score|seem|segment|select|separat|serv|shape|shift|shrink|simulat|slow|solv|"
    "span|speed|split|spread|stabili[sz]|stay|stem|struggl|subvert|succeed|suffer|suffic|suggest|support|suppress|"
    "surpass|sustain|synthesi[sz]|tackl|tend|think|threaten|track|trail|transfer|transform|translat|treat|trigger|"
    "triple|turn|underestimat|undermin|underperform|unif|unlock|us|utili[sz]|validat|vanish|var|view|weaken|win|work|"
    "worsen|yield"
)
_AUXILIARIES = "is|are|was|were|has|have|had|can|cannot|could|do|does|did|may|might|must|will|would|should"
FINITE = re.compile(
    rf"(?<![\w-])(?:{_AUXILIARIES}|(?:{DOES})(?:i?e[sd]|y|s|e|ed)?|gives?|gave|grows?|grew|shows?|showed|experienced?|"
    r"secures|strikes|marks|rose|rises?|fell|falls?|"
    r"drops?|dropped|cuts?|sees?|makes?|made|keeps?|kept|goes|went|found|led|ran|got|gets?|takes?|took|brings?|brought|"
    r"leaves?|left|hurts?|costs?|needs?|holds?|held|lies?|behaves?|begins?|begun|comes?|came|saw|won|sped|chose|"
    r"knows?|knew|loses?|lost|spends?|thought|"
    r"carr(?:y|ies|ied)|appl(?:y|ies|ied)|rel(?:y|ies|ied))\b(?!-)",
    re.IGNORECASE,
)
# Forms that are surely no participles, nor, unless they are often nouns, plurals.
_STATES = re.compile(
    rf"(?<![\w-])(?:is|are|was|were|do not|does not|did not|may|can|cannot|(?:{DOES})(?:ie|e)?s|prolongs|inhibits|"
    r"affects|amplifies|gives|makes|keeps|depresses|stimulates|blocks|activates|modulates|abolishes|reverses|binds|"
    r"regulates|potentiates|antagoni[sz]es|ameliorates|elevates|exhibit|remain|fail|require|do)\b(?!-)",
    re.IGNORECASE,
)
# Verbs that say how much without an object: "fell", "improved in patients".
_CHANGES = re.compile(r"(?:increas|decreas|improv|declin|drop|reduc|differ|chang|remain|rang)")
_BEFORE_ADJECTIVE = re.compile(r"\b(?:an?|the|of|in|with|by|for|and|or|its|their|all|most|than|on) $", re.IGNORECASE)
_AFTER_PARTICIPLE = re.compile(r" (?:by|at|on|in|from|to|as|with|for|according|within|among)\b")


# Forms that are as often nouns: "the minimum cost", "an increase". As verbs they have an object or an adverb behind,
# and without an "s" a plural before them.
_OFTEN_NOUN = re.compile(
    r"(?:attempt|balanc|beat|benefit|captur|caus|chang|complement|cost|cut|decreas|deliver|discover|drop|extract|fall|gain|"
    r"guid|harm|help|hold|impact|increas|influenc|lead|limit|link|lower|match|measur|need|outlook|peak|rang|recover|"
    r"report|represent|result|ris|run|sav|scal|scor|shape|shift|show|spread|support|track|transfer|turn|us|view|work)"
    r"(?:e?s?|y)"
)
_NO_OBJECT = re.compile(
    r"(?: (?:of|in|on|for|and|or|with|by|as|to|from|among|between|versus|case|data|showcasing)\b|[,;]|$)"
)
_BEFORE_PLURAL_VERB = re.compile(r"(?:s|ly|ren|men|people|mice|data|and \S+|also|then) $")


# "Patients who received care": the verb is that of a relative clause.
_RELATIVE = re.compile(r"\b(?:who|that|which) (?:\w+ly |also )?$")


def _is_often_noun(form: str) -> bool:
    return _OFTEN_NOUN.fullmatch(form.lower()) is not None


def _is_noun(verb: re.Match[str]) -> bool:
    """Return whether what looks like a verb is a noun."""
    form, clause = verb[0].lower(), verb.string
    if not _is_often_noun(form):
        return False
    if form.endswith("s"):
        return form != "results" and _NO_OBJECT.match(clause, verb.end()) is not None
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
                or (not _CHANGES.match(verb[0].lower()) and _AFTER_PARTICIPLE.match(clause, verb.end()))
            )
        )
        if not is_participle:
            return True
    return any(word in learned_words()[2] and before != "to" for before, word in pairwise(clause.split(" ")))


_SUBORDINATES = re.compile(
    r"\b(?:who|whom|whose|that|which|when|where|whether|while|if|how|what|why|because|as|using)\b", re.I
)


def is_sentence(title: str) -> bool:
    """Return whether a title is a sentence.

    >>> is_sentence("Ramipril prolongs life"), is_sentence("Ramipril when life is at risk")
    (True, False)
    """
    verbs = (verb for verb in _STATES.finditer(title, title.find(" ") + 1) if not _is_often_noun(verb[0]))
    verb = next(verbs, None)
    return verb is not None and not _SUBORDINATES.search(title, 0, verb.start())


# Forms that are no noun and no participle: in a part that is cut off they may be the verb of what stays.
SURELY_FINITE = re.compile(
    r"\b(?:is|are|was|were|has|have|can|cannot|could|does|do|may|might|will|would|should|shows?|"
    r"(?:achiev|outperform|surpass|exceed|improv|reduc|fail|exhibit|yield|enabl|remain|requir|provid|produc|reach|attain|"
    r"perform|becom|reveal|demonstrat|lead|depend|suffer|struggl|tend|retain|preserv|maintain|lack|increas|decreas|"
    r"contain|suggest|indicat|emerg|degrad|underperform|match|predict|generali[sz])e?s?)\b(?!-)"
)
