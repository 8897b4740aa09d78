"""Split an abstract into sentences, word for word, each with the kinds that the heading above it allows.

    text --headings--> sections --sentences--> sentences, none with a heading inside

Headings, such as "Results" on a line of its own or "Schlussfolgerung:", name the kinds (as in ``roles.KINDS``).
"""

from __future__ import annotations

import re
from operator import attrgetter
from typing import NamedTuple

# The words of headings by kinds: a background often ends with the objective.
_HEADINGS = {
    "background objective": """
        background introduction context rationale importance problem hintergrund einleitung contexte contexto
        antecedentes fundamento fundamentos introducción introdução introduzione contesto premessa achtergrond
        inleiding justificación justificativa""",
    "objective": """
        aim aims goal goals hypotheses hypothesis objective objectives purpose purposes question questions ziel ziele
        zielsetzung fragestellung objectif objectifs objetivo objetivos obiettivo obiettivi scopo doel doelstelling""",
    "method": """
        acquisition analyses analysis approach collection criteria design designs extraction intervention interventions
        material materials measure measurement measurements measures method methodology methods outcome outcomes
        participants patients population procedure procedures sample samples search selection setting settings sources
        strategy subjects treatment variables methode methoden methodik matériel matériels méthode méthodes método
        métodos metodología metodologia materiais pacientes metodi materiali metodo""",
    "result": """
        findings finding result results synthesis ergebnis ergebnisse resultate befunde résultat résultats resultado
        resultados risultati risultato resultaten bevindingen""",
    "conclusion": """
        answer conclusion conclusions discussion implication implications interpretation interpretations relevance
        significance schlussfolgerung schlussfolgerungen diskussion fazit conclusión conclusiones conclusão conclusões
        discusión discussão conclusioni conclusione conclusie conclusies""",
    "other": "abbreviations copyright disclosures dissemination ethics funding keywords limitation limitations "
    "registration schlüsselwörter",
    "": "abstract resumen resumo riassunto résumé samenvatting summary unlabelled zusammenfassung",
}
_KINDS = {word: frozenset(kinds.split()) for kinds, words in _HEADINGS.items() for word in words.split()}
# Words that stand beside those ("MAIN OUTCOME MEASURES"), and between them ("Patients et méthodes").
_BESIDE = """
    main key primary secondary principal recent study data research review clinical practical practice public health
    number evidence level trial systematic statistical overall arbeit
""".split()
_BETWEEN = "and or of the for in to on our und et y e en ed de der die das la le les du".split()
_LAST = rf"(?:{'|'.join(sorted((*_KINDS, *_BESIDE), key=len, reverse=True))})(?![^\W\d_])(?:\(s\))?"
_NEXT = rf"(?:{_LAST}|(?:{'|'.join(_BETWEEN)})(?![^\W\d_]))[ /,&-]{{1,3}}"
_WORDS = rf"(?=[^\Wa-z\d_])(?i:(?:{_LAST}[ /,&-]{{1,3}}(?:{_NEXT}){{0,5}})?{_LAST})"
_START = r"(?:^|\n|(?<=[.!?;])|(?<=[.!?][)\]\"”’]))\s*"
# Surely a heading: with a colon, a dash, or on a line of its own.
_SURE = re.compile(
    rf"{_START}(?P<words>{_WORDS}|[A-Z][A-Z /,&()-]{{2,50}}(?=:))"
    r"(?:[^\S\n]*:|\.?[^\S\n]*(?=\n|$)|\.(?=\s)|[^\S\n][–—-](?=\s)|\.\s?[–—-]{1,2}\s?(?=[A-Z]))"
)
# "Methods We asked", "ResultsWe asked": a heading if there is another.
_LIKELY = re.compile(
    rf"{_START}(?P<words>(?:{_WORDS}(?=\s)|"
    r"(?:Background|Introduction|Objectives?|Aims?|Purpose|Methods?|Results|Findings|Conclusions?)(?=[A-Z][a-z ])))"
    r"(?=\s*[^\W_a-z][^\W_]*\s)"
)


class Section(NamedTuple):
    """A part of an abstract, or its heading. The heading allows ``kinds``, none without one."""

    start: int
    end: int
    kinds: frozenset[str]


def sections(text: str) -> list[Section]:
    """Return the parts of an abstract between its headings, in order.

    >>> text = "AIM: To weed. Results We did."
    >>> [(text[start:end].strip(), *kinds) for start, end, kinds in sections(text)]
    [('To weed.', 'objective'), ('We did.', 'result')]
    """
    sure = list(map(_heading, _SURE.finditer(text)))
    likely = list(map(_heading, _LIKELY.finditer(text)))
    named = [each for each in sure if each.kinds != _UNKNOWN]
    likely = [
        each
        for each in likely
        if each.kinds and each.kinds != _UNKNOWN and not any(a.start < each.end and each.start < a.end for a in sure)
    ]
    if len({each.kinds for each in (*named, *likely)}) < 2:
        likely = []
    # "FIGHT: a trial" alone has a name, "TRIAL DESIGN: ..." beside other headings is one.
    headings = sorted([*(sure if len(named) > 1 else named), *likely], key=attrgetter("start"))
    if not headings:
        return [Section(0, len(text), frozenset())]
    ends = [start for start, _, _ in headings[1:]] + [len(text)]
    before = [Section(0, headings[0].start, frozenset())] if text[: headings[0].start].strip() else []
    parts = [Section(each.end, end, each.kinds - _UNKNOWN) for each, end in zip(headings, ends, strict=True)]
    # The results follow, but their heading got lost.
    if parts[-1].kinds <= _NOT_LAST:
        parts[-1] = parts[-1]._replace(kinds=frozenset())
    return before + parts


_NOT_LAST = frozenset({"background", "objective", "method"})
_UNKNOWN = frozenset({"unknown"})  # a heading without a word of the list


def _heading(match: re.Match[str]) -> Section:
    words = [word for word in re.findall(r"[^\W\d_]+", match["words"].lower()) if word in _KINDS]
    kinds = frozenset().union(*(_KINDS[word] for word in words)) if words else _UNKNOWN
    return Section(match.start("words"), match.end(), kinds)


# Abbreviations: a full stop after them never ends a sentence.
_NEVER_LAST = frozenset("e.g i.e eg ie et.al al cf vs viz resp approx ca esp incl dr prof mr ms mrs st tabl".split())
# After these a full stop doesn't end a sentence if a number follows ("Fig. 2").
_BEFORE_NUMBERS = frozenset(
    "alg app appx art ch chap def eq eqn eqs fig figs lem no nos nr pp prop ref refs sec sect secs tab thm vol".split()
)
# Words that begin sentences, and hardly ever follow an initial or an abbreviation.
_OPENER = (
    r"(?:We|Our|This|These|The|It|Its|In|To|For|From|On|At|As|By|An?|However|Moreover|Furthermore|Additionally|Finally|"
    r"Here|Specifically|Experiments?|Extensive|Results?|Code|While|Although|With|Using|Through|Thus|Therefore)"
)
# An end mark with closing brackets, quotes, LaTeX or a citation, then the start of a sentence or an opener. A blank
# line ends a sentence too, and so does arXiv's sign for an address, where it stands for "weeds.Robots".
_END = re.compile(
    r"[.!?][)\]}\"'”’$]*(?:\[\d[\d, –-]{0,20}\])?(?=\s+(?:[^\sa-z]|[a-z]+[A-Z]))"
    rf"|[.!?](?<=[a-z]{{3}}.)(?={_OPENER}\s)"
    r"|\n(?=[^\S\n]*\n)"
    rf"|this https? URL(?=\s+(?:{_OPENER}\s|[a-z]))"
)
_NUMBER = re.compile(r"(\d{1,2})\.? (?=[A-Z])")  # of a paragraph
_LOOK_BACK = 60  # characters; no abbreviation is longer
_OPENS = re.compile(rf"\s*{_OPENER}\b")
_ACTIVITY_OPENS = re.compile(r"\s+[A-Z][a-z]+ing\s+[a-z\d]")
_NUMBER_FOLLOWS = re.compile(r"\s*\d")
_PERCENT_FOLLOWS = re.compile(r"\s\d{1,2}\s?\\?%")
_NUMBER_BEFORE = re.compile(r"\d\s$")
_LAST_WORD = re.compile(r"[\w.]+$")
_DOTTED = re.compile(r"(?:[a-z]\.)*[a-z]")
_LIST_MARK = re.compile(r"(?:^|[:;,])\s*(?:\d{1,2}|[ivx]{1,4})$")
_NAMED_ADDRESS = re.compile(
    r"(?:\b(?:at|in|on|from|via|here|see|is|are|and|or|under|of|to|with|through|by|page)|[:(,])\s*$", re.I
)
# A name that ends in a question mark: "What's In My Human Feedback? (WIMHF)", "CheckThat! 2025".
_NAME_GOES_ON = re.compile(r"\s+\([A-Z][\w-]*[A-Z]\w*\)")
_NAME_BEFORE = re.compile(r"\b[A-Z][a-z]+[A-Z]\w*$|[a-z][\w’',:-]* (?:[A-Z][\w’'-]* ){2,}[A-Z][\w’'-]*$")


class Sentence(NamedTuple):
    """A sentence, and the kinds that the heading above it allows, if any."""

    text: str
    kinds: frozenset[str]


# What stands for a heading at the beginning of a sentence.
_CONCLUDES = re.compile(
    r"(?:in conclusion|to conclude|in summary|to summari[sz]e|taken together|"
    r"(?:we|it is|it was) (?:therefore )?concluded?)\b",
    re.IGNORECASE,
)
_CONCLUSION = frozenset({"conclusion"})


def split(text: str) -> list[Sentence]:
    """Return the sentences of an abstract, in order, without its headings.

    >>> [text for text, _ in split("RESULTS: We gain 3.5 points, e.g. on MATH. See Fig. 2 there! CONCLUSIONS: Done")]
    ['We gain 3.5 points, e.g. on MATH.', 'See Fig. 2 there!', 'Done']
    """
    return [
        Sentence(sentence, kinds or (_CONCLUSION if _CONCLUDES.match(sentence) else kinds))
        for start, end, kinds in sections(text)
        for sentence in sentences(text[start:end])
    ]


def sentences(text: str) -> list[str]:
    """Return the sentences of a text without headings."""
    parts = []
    start = 0
    for end in _END.finditer(text):
        before = text[max(start, end.start() - _LOOK_BACK) : end.start()]
        if _ends_here(before, end.group(), text, end.end()):
            parts.append(text[start : end.end()].strip())
            start = end.end()
    parts.append(text[start:].strip())
    parts = [sentence for sentence in parts if sentence]
    # Leave out the numbers of an abstract's paragraphs, 1 to at least 3 in order.
    numbered = {place: number for place, part in enumerate(parts) if (number := _NUMBER.match(part))}
    if len(numbered) < 3 or [int(each[1]) for each in numbered.values()] != [*range(1, len(numbered) + 1)]:
        return parts
    return [part[numbered[place].end() :] if place in numbered else part for place, part in enumerate(parts)]


def _ends_here(before: str, mark: str, text: str, after: int) -> bool:
    """Return if the mark after ``before`` ends a sentence, not a name, an abbreviation or a list number."""
    if mark.startswith("this"):
        return bool(_OPENS.match(text, after)) or not _NAMED_ADDRESS.search(before)
    if mark[0] in "!?":
        is_name = _NAME_BEFORE.search(before) and not _OPENS.match(text, after)
        return not (is_name or _NAME_GOES_ON.match(text, after))
    return mark[0] != "." or _full_stop_ends(before, text, after)


def _full_stop_ends(before: str, text: str, after: int) -> bool:
    word = _LAST_WORD.search(before)
    if not word:  # P <. 001
        return not (before.rstrip().endswith(("<", ">", "=", "≤", "≥")) and _NUMBER_FOLLOWS.match(text, after))
    if _LIST_MARK.search(before):
        return False
    last = word.group().lower()
    is_decimal = last.isdigit() and len(last) < 4 and _PERCENT_FOLLOWS.match(text, after)  # 64. 36%
    if last in _NEVER_LAST or is_decimal or (last == "0" and _NUMBER_FOLLOWS.match(text, after)):  # p = 0. 001
        return False
    if last in _BEFORE_NUMBERS:
        return not _NUMBER_FOLLOWS.match(text, after)
    stands_alone = not before[: word.start()].strip() or before[word.start() - 1].isspace()
    is_unit = _NUMBER_BEFORE.search(before, 0, word.start())  # up to 12 h.
    if stands_alone and not is_unit and _DOTTED.fullmatch(last):  # J. Doe, U.S. Government
        # Not behind an initial: J. Harding and others.
        return bool(_OPENS.match(text, after) or ("." in last and _ACTIVITY_OPENS.match(text, after)))
    return True


# Words of a sentence that is read with ease; a longer one is cut where a clause ends.
MAX_WORDS = 45
_LEAST_WORDS = 15
CUT = " …"
_FIGURE = re.compile(r"\d\s?(?:\\?%|[x×]\b)|\d\.\d")
# What may be left out behind a complete clause.
_CLAUSE_ENDS = re.compile(
    r"(?:;|,) (?=(?:which|where|whose|thereby|thus|so that|and (?:we|it|they|the|this|"
    r"a)\b|we|it|they|"
    r"\w+ing (?:the|a|an|its|their|that|our|new|us|both|more|it)\b|making|such as|including|especially|"
    r"even|with the)\b)|"
    r"; (?=\S)|: (?=\S)| (?:—|–|--+) (?=\S)"
)


def shortened(sentence: str) -> str:
    """Return a long sentence up to the last clause that ends within ``MAX_WORDS``, with ``CUT`` behind it.

    A sentence stays whole without such a clause, or if all its figures are in the rest.
    """
    if len(sentence.split()) <= MAX_WORDS:
        return sentence
    for end in reversed(list(_CLAUSE_ENDS.finditer(sentence))):
        clause = sentence[: end.start()]
        is_fitting = _LEAST_WORDS <= len(clause.split()) <= MAX_WORDS
        # No bracket, quotation or formula is left open.
        is_balanced = all(clause.count(a) == clause.count(b) for a, b in ("()", "[]", "{}", "“”")) and not (
            clause.count("$") % 2 or clause.count('"') % 2
        )
        if is_fitting and is_balanced and (_FIGURE.search(clause) or not _FIGURE.search(sentence, end.end())):
            return clause + CUT
    return sentence
