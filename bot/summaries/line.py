"""A paper in one line of at most twelve words: its name, and what was found or made, in words of title and abstract.

    findings --clauses, cuts--> "PAHQ: circuit discovery is 80% faster"            the surest that stands by itself
    proposals --noun phrase, cuts--> "SEM: a tokenizer that keeps cells apart"     where no finding does
    title --> without its subtitle                                                 where neither does

A sentence is shortened by steps that keep it grammatical and true: words on who found it and where are left out before
the clause, and parts after its object. What remains has its verb, and refers to nothing outside the line.
``docs/decisions/lines.md`` has what was measured.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from bot.model.wording import oneline
from bot.summaries.claims import NUMBER, is_finding_form
from bot.summaries.references import without_head
from bot.summaries.roles import KINDS
from bot.summaries.sentences import sentences
from bot.summaries.summary import Read, read_abstract
from bot.summaries.verbs import DOES, FINITE, SURELY_FINITE, has_verb, is_sentence, learned_words
from bot.text.latex import readable

MAX_WORDS = 12
_LEAST_WORDS = 4


def line_of(title: str, abstract: str) -> str:
    """Return a paper's line; a title without a subtitle may be longer than twelve words.

    >>> line_of("PAHQ: Fast circuits", "We find circuits. Tests show that PAHQ is 80% faster than patching.")
    'PAHQ is 80% faster than patching'
    """
    plain = oneline(readable(title)).rstrip(".")
    # MEDLINE has translated titles in brackets.
    return _line(plain[1:-1] if plain.startswith("[") and plain.endswith("]") else plain, abstract)


@lru_cache(maxsize=5_000)  # many readers get the same papers on the same day
def _line(title: str, abstract: str) -> str:
    paper = read_abstract(abstract)
    name = name_of(title, oneline(readable(abstract)))
    found = max(_found(paper, name), default=(0.0, ""), key=lambda line: line[0])
    made = max(_made(paper, name), default=(0.0, ""), key=lambda line: line[0])
    stated = (_TITLE_WORTH, _statement(without_subtitle(title)))
    line = max(found, made, stated if stated[1] else made, key=lambda line: line[0])[1] or _titled(title, name)
    is_plain = line.split(" ")[0].islower() and not (name and line.startswith(name))
    return line[:1].upper() + line[1:] if is_plain else line


# "Is mediated" by what?
_PASSIVE_END = re.compile(r"\b(?:is|are|was|were) (?:\w+ly )?\w+(?:ed|en)$")
# Of a title that states a finding: more than that of any line of the abstract, as its authors chose it.
_TITLE_WORTH = 4.0
_SHORT_WORD = 3  # characters
_LONGEST_NAME = 3  # words
_SUBTITLE = re.compile(r"(?<=\?)\s|:\s|\s[–—-]\s|(?<=[a-z]{3})\.\s(?=[A-Z])")


def without_subtitle(title: str) -> str:
    """Return a title up to its colon, question mark or dash; whole if only a name comes before.

    >>> without_subtitle("Why some owls fail: a study"), without_subtitle("OWL: a study")
    ('Why some owls fail', 'OWL: a study')
    """
    head = _SUBTITLE.split(title)[0]
    return head if len(head.split()) > _LONGEST_NAME else title


def _titled(title: str, name: str) -> str:
    """Return a title's first part, with the name of what was made before it where both fit and it lacks the name."""
    head = without_subtitle(title)
    named = f"{name}: {head[:1].lower() + head[1:] if head.split(' ')[0].istitle() else head}"
    return named if name and head[0].isalnum() and not _names(title, name) and len(named.split()) <= MAX_WORDS else head


# The name of what was made: a word with a capital or digit beyond its first letter ("GPT-4o", "PAHQ", "U2A").
_CODED = r"[A-Za-z0-9][\w.+-]*[A-Z0-9][\w+-]*(?<![.])"
_MAKES = (
    r"(?i:\b(?:introduc|present|propos|develop|releas|build|built|design|creat|describ|construct|devis|contribut|conduct|"
    r"curat|compil|formulat|implement|provid|offer)(?:es|ed|s|e|ing)?\s+)"
)
_INTRODUCED = re.compile(
    rf"{_MAKES}(?:the\s+)?({_CODED})(?=[,.:;]|\s\(|\s(?:that|which|to|for|as|with|an?)\b)|"
    rf"{_MAKES}(?:an?\s+|the\s+)?(?:(?!for|to|in|with|on|that|which|using)[\w,/-]+\s+){{0,8}}[A-Z][\w-]*\s+"
    rf"\(({_CODED})\)(?=[\s,.:;])|"
    rf"{_MAKES}(?:the\s+)?((?:[A-Z][\w-]+\s+){{0,2}}[A-Z][\w-]+)"
    r"(?=(?:,|:|\s[–—-])\s(?:an?|the first)\s|,?\s(?:which|that)\s)|"
    rf"{_MAKES}(?:an?|the)\s[^,.;]{{3,60}},\s+({_CODED})(?=[,.])|"
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
    if colon and words <= _LONGEST_NAME and not _NO_NAME.match(head):
        occurs = re.search(rf"(?<!\w){re.escape(head)}(?!\w)", abstract)
        if occurs or re.fullmatch(_CODED, head):
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


def _names(text: str, name: str) -> bool:
    return bool(name) and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _statement(title: str) -> str:
    """Return a title that is a sentence, shortened where that leaves one; empty for any other.

    >>> _statement("Ramipril prolongs life and spares costs"), _statement("Ramipril when life is at risk")
    ('Ramipril prolongs life and spares costs', '')
    """
    # In Title Case most sentences are plays on words: "The Devil Is in the Details".
    is_capital = [word[0].isupper() for word in title.split()[1:] if len(word) > _SHORT_WORD]
    if (
        sum(is_capital) > len(is_capital) / 2
        or not is_sentence(title)
        or not (_stands(title, "") and _is_outcome(title))
    ):
        return ""
    return next(
        (part for part, _ in _finding_lines(title, "") if part == title or not _PASSIVE_END.search(part)), title
    )


# Where a clause may end earlier: before a further clause, or before a phrase on where, on what, or beside what.
_CLAUSE_CUT = re.compile(
    r",\s+(?=(?:\w+ly\s+)?(?:\w+ing|based|while|whereas|with|without|and|but|which|where|even|especially|particularly|in|thus|"
    r"thereby|as|on|at|by|for|compared|including|such|despite|though|although|yet|up|rather|regardless|due|because|when|"
    r"across|over|under|so|from|followed|all|an?|the|one|not|often|far|only|respectively|or)\b)|"
    r"\s+(?=(?:while|whereas|thereby|thus|although|though|despite|because|due to|even when|even though|regardless of|"
    r"particularly|especially|including|such as|without (?:\w+ )?\w+ing|by \w+ing|but|as well as|so that|"
    r"and that|making|"
    r"allowing|enabling|suggesting|indicating|demonstrating|highlighting)\b)|"
    rf"\s+(?=and (?:\w+ly |also )?(?:is|are|was|were|has|have|can|(?:{DOES})(?:i?e[sd]|s|ed))\b)|[;:]\s+"
)
_PHRASE_CUT = re.compile(
    r"\s+(?=(?:on|across|over|compared (?:to|with)|relative to|in comparison|against|during|among|amongst|within|"
    r"in(?! only)|at|after|for|via|through|using|throughout|as measured|"
    r"from (?:\w+ )?(?:\d+|one|two|three|four|six)[ -](?:days?|weeks?|months?|years?|hours?))\b)"
)


def _is_open(part: str) -> bool:
    """Return whether something must follow a part of a clause."""
    last = part.rpartition(" ")[2]
    return (not last[-1:].isalnum() and last[-1:] not in '"”%)') or last.lower() in learned_words()[0]


def _wants(part: str, rest: str) -> bool:
    """Return whether the last word of a part wants the preposition that ``rest`` begins with: "relies", "on"."""
    last = part.rpartition(" ")[2].lower()
    if last == "results" and rest.startswith(" in ") and not re.search(r"\b(?:the|of|\w+ed|\w+art) results$", part):
        return True
    wanted = learned_words()[1].get(last, frozenset())
    return rest.strip().partition(" ")[0].lower() in wanted


# A verb whose object was left out: "can detect".
_BARE_VERB = re.compile(r"\b(?:can|could|may|might|will|would|to|not) (?:\w+ly )?(?!be\b)[a-z]+$")
# Pairs, of which a cut may leave one half.
_PAIRED = re.compile(
    r"\b(?:between|both)\b(?!.*\band\b)|\b(?:either|whether)\b(?!.*\bor\b)|\bneither\b(?!.*\bnor\b)|"
    r"\bnot (?:only|just)\b",
    re.IGNORECASE,
)
# A denial of one case is not one of all: "no effects were noticed" on what?
_NEGATED = re.compile(
    r"\b(?:no|not|none|neither|never|without|only|cannot|fails?|failed|lacks?|little|few)\b|n't\b", re.IGNORECASE
)
_COMPARES = re.compile(r"\b(?:than|versus|vs|rather)\b")
# "A1c was 7.0% in one group" needs "compared with" what, "A1c fell" doesn't.
_COMPARED = re.compile(r"[,\s]*(?:compared|relative|in comparison)\b")
_CHANGED = re.compile(
    r"\b(?:better|higher|lower|faster|fewer|less|greater|more|outperform|\w*(?:creas|reduc|improv|drop|gain)\w*)\b"
)
# "4% in the treated group and 9%" ends within a pair of like phrases.
_LIKE_PHRASES = re.compile(r"\b(in|for|on|at|with|after|from) (?:the |an? )?[^,]* and [^,]*$")
_CLOSES_LIST = re.compile(
    r"(?:and|or|including|such as|with|by|in|on|for|even|especially|particularly|up|\w+ly|\w+ing)\b"
)


def _cuts(clause: str, most: int) -> Iterator[tuple[str, bool]]:
    """Yield a clause of at most ``most`` words whole, then without what follows its object, the longest first.

    Beside each stands whether a phrase of the clause was left out, and not only a further clause.
    """
    if len(clause.split()) <= most:
        yield clause, False
    is_clause_end = {cut.start(): False for cut in _PHRASE_CUT.finditer(clause)}
    is_clause_end |= {cut.start(): True for cut in _CLAUSE_CUT.finditer(clause)}
    clause_ends = sorted([*(end for end, is_clause in is_clause_end.items() if is_clause), len(clause)])
    for end in sorted(is_clause_end, reverse=True):
        part = clause[:end].rstrip(" ,;:")
        rest = clause[end : next(later for later in clause_ends if later > end)]
        if _LEAST_WORDS <= len(part.split()) <= most and _is_complete(part, rest, is_phrase=not is_clause_end[end]):
            yield part, not is_clause_end[end]


def _is_complete(part: str, rest: str, *, is_phrase: bool) -> bool:
    """Return whether the first part of a clause says the same, only less; ``rest`` goes up to its next clause."""
    if _is_open(part) or _BARE_VERB.search(part) or _wants(part, rest) or _PAIRED.search(part) or not has_verb(part):
        return False
    if is_phrase and (part.count(", ") > 1 or _NEGATED.search(part) or SURELY_FINITE.search(rest)):
        return False
    has_open_quote = part.count('"') % 2 or part.count("“") != part.count("”") or part.count("(") != part.count(")")
    is_uncompared = _COMPARED.match(rest) and not _CHANGED.search(part)
    like = _LIKE_PHRASES.search(part) if is_phrase else None
    is_half = like is not None and rest.split()[:1] == [like[1]]
    return not (
        _COMPARES.search(rest) or is_uncompared or is_half or has_open_quote or ": " in part or _is_open_list(part)
    )


def _is_open_list(part: str) -> bool:
    """Return whether a part ends within an enumeration."""
    before, comma, last = part.rpartition(", ")
    if not comma or not FINITE.search(before):
        return False
    is_item = not FINITE.search(last) and not _CLOSES_LIST.match(last)
    return is_item or FINITE.match(last) is not None or " " not in last


# Words before the clause that says what was found: "Extensive experiments on three tasks show that".
_REPORTING = re.compile(
    r"[^;:]{0,140}?\b(?:we|i|it|authors|results?|experiments?|experimentation|evaluations?|analys[ei]s|findings?|"
    r"stud(?:y|ies)|paper|work|tests?|simulations?|ablations?|investigations?|assessments?|evidence|data|comparisons?|"
    r"theory|observations?|benchmark|benchmarking|survey|review|meta-analysis|research)\b[^;:]{0,120}?\b"
    r"(?:(?:show|find|reveal|demonstrat|indicat|observ|suggest|prov|confirm|discover|conclud|establish|uncover|report|argu|"
    r"note|verif|identif|highlight|illustrat)(?:i?e[sd]?|s|n|ed|y|ing)?|see|found)(?:\s+\w+ly)?(?:,[^,]{0,40},)?"
    r"\s+that,?\s+(?=\S)|"
    r"[^:;,]{0,60}\b(?:finding|result|conclusion|insight|show|find)s?\b[^:;,]{0,20}:\s+(?=\S)",
    re.IGNORECASE,
)
# A phrase on where something was tried, or a concession: the clause after it is true without it.
_LEAD = re.compile(
    r"(?:In|On|Across|Over|Among|Through|Using|Evaluated|Tested|Based on|Despite|Although|Though|While|Whereas|"
    r"Remarkably|Notably|Empirically|Theoretically|Experimentally|At|By|With|Via|Leveraging|Building on|Applied|Beyond|"
    r"After|Compared (?:to|with)|Relative to|Averaged)\b[^;:]{0,150}?,\s+(?=(?:our|the|an?|we|it|both|all|most|many|"
    r"some|no|only|[A-Z][\w-]*|[a-z-]+s|even)\b)",
    re.IGNORECASE,
)
_PARENTHESES = re.compile(r"\s*\((?:[^()]|\([^()]*\))*\)|\s*\[[\d,\s–-]+\]")
_DASH = re.compile(r"(?<=[a-z])–(?=[a-z])|\s+[–-]+\s+|\s*---?\s*|\s*—\s*")
_OWN_RESULTS = re.compile(
    r"^(?:our|the|these) (?:\w+ )?(results|findings|experiments|analys[ei]s|evaluations?)\b", re.I
)
# Without a name, "our ML model" is "ML model".
_OUR_KIND = re.compile(
    r"^(?:our|the proposed) (?:proposed |novel |new )*"
    r"(?=(?!best|final|main|own)[\w/-]+ (?:[\w/-]+ ){0,3}(?:methods?|approach|models?|framework|system|"
    r"algorithm|network|"
    r"pipeline|architecture|classifier|agents?|policy|estimator)\b)",
    re.IGNORECASE,
)
_NOT_ONLY = re.compile(r"\bnot only (.*?),? but\b.*")


# Words without which a clause says the same.
_FILLERS = re.compile(
    r"(?:(?<=\w )|^)(?:also|further|consistently|effectively|successfully|notably|respectively|extremely|"
    r"(?:statistically )?significantly (?=outperform|improv|reduc|increas|decreas|enhanc|surpass|boost|higher|lower)|"
    r"substantially|remarkably|highly (?=effective)|in fact|indeed|however,?|thus|therefore|generally)\s+(?!and\b)",
    re.IGNORECASE,
)


def _clauses(sentence: str, name: str) -> Iterator[str]:
    """Yield what a sentence says, the longest first, without words on who found it, where, and beside what."""
    text = _FILLERS.sub("", without_head(_PARENTHESES.sub("", oneline(readable(sentence))).rstrip(" .!")))
    reporting = _REPORTING.match(text)
    text = _DASH.split(text[reporting.end() :] if reporting else text)[0]
    text = _with_name(_NOT_ONLY.sub(r"\1", text), name)
    before, colon, rest = text.partition(": ")
    if colon and len(before.split()) < MAX_WORDS and FINITE.search(rest):
        yield _with_name(rest, name)
    text = _OWN_RESULTS.sub(lambda own: own[1].capitalize(), text if name else _OUR_KIND.sub("", text))
    yield text
    while lead := _LEAD.match(text):
        text = _with_name(text[lead.end() :], name)
        yield text


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


def _with_name(text: str, name: str) -> str:
    """Return a clause with the paper's name in place of "our method", "it" and "we"; as it is without a name."""
    if not name:
        return text
    if _names(text, name):
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


# What refers to something outside the line.
_UNRESOLVED = re.compile(
    r"\b(?:we|our|ours|us|i|my|this|these|those|such|here|above|aforementioned|former|latter|it|they|the (?:proposed|"
    r"resulting|presented|same|two|three|other|method|approach|framework|system|algorithm|technique|pipeline|models?|"
    r"agent|tool|benchmark|dataset|strategy|architecture|network|scheme|recipe|procedure|effect|tasks?|second|third|"
    r"corresponding|following|paper|study|work|authors|results?))\b|"
    r"\b(?:helped|allowed|enabled|lets?) them\b|"
    r"^(?:whereas|its|their|both|similar|instead|also|moreover|however|and|but|or|thus|therefore|that|there|then|another|"
    r"similarly|conversely|nor|so|yet|as|if|because|since|when|while|to|together)\b|"
    r"(?:^|, )(?:while|although|though|when|if)\b[^,]*$|^(?:despite|in spite|without|after|by|with|via|using)\b[^,]*$|"
    r"\?|http|^\W",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"\d+[.)] ")
# Samples, praise, what was done or has to be done: in a line without saying what came out.
_NO_OUTCOME = re.compile(
    r"\bat baseline\b|\bmean baseline\b|\b(?:mean|median|average|total) (?:\w+ )?(?:age|dose|duration|follow|period)|"
    r"\bcoefficients? of variation\b|"
    r"\bend ?points?\b|\bpatients (?:were|received)\b|\b(?:provid|offer)\w* (?:an?|opportunit\w+)\b|\badvantages?\b|"
    r"\bneed(?:s|ed)? to\b|\bneeded$|\bmore must\b|\bcan be (?:applied|used|extended|integrated)\b|\bdeferred\b|"
    r"\bremains? to be\b|\bcould be \w+ed\b|"
    r"\b(?:more|less) time$|"
    r"\b(?:is|are) (?:also )?(?:needed|warranted)\b|\bare required\b|"
    r"^(?:experiment\w*|evaluations?)(?: results)? (?:show|demonstrat|reveal|indicat)\w* (?!.*\d)|"
    r"\bfindings? (?:was|were|are)\b|^challenges remain|"
    r"\b(?:remarkable|notable|excellent|impressive|considerable) (?:[\w-]+ )?\w+$|"
    r"^(?:findings|results) (?:provid|establish|offer|support|highlight|contribut)|"
    r"\b(?:was|were|is|are|been|being) (?:\w+ly )?(?:us|giv|inject|repeat|employ|consider|analy[sz]|stress|discuss|"
    r"perform|conduct|administer|assess|evaluat|studi|compar|examin|investigat|describ|present|review|propos|"
    r"hypothesi[sz]|includ|enroll|recruit|treat|collect|record|monitor|calculat|test|explor|issu|randomi[sz]|divid|"
    r"follow|introduc|confirm|validat|demonstrat|verif|screen|select|underscor|highlight)(?:i?ed|en)\b|"
    r"\b(?:promise|potential|effectiveness|importance|feasibility|superiority) of\b|"
    r"\b(?:high|strong|superior|competitive|promising|robust|improved|consistent|top|state-of-the-art|the) "
    r"(?:[\w-]+ ){0,2}(?:performance|results|robustness)$",
    re.IGNORECASE,
)
# Of a finding; a line has lower demands than bold type, as it is shortened to what is said.
_FINDING_FROM = 0.3
# From this probability on, a sentence is a result or conclusion.
_OUTCOME_FROM = 0.5
_CONCLUSION_WORTH = 0.8
_FIGURE_WORTH, _LOST_FIGURE_COST = 0.3, 0.1
_CUT_COST = 0.15  # of a phrase that is left out
_FULL_WORTH = 0.3  # of a line that uses all its words
_RESULT, _CONCLUSION = KINDS.index("result"), KINDS.index("conclusion")
_ENUMERATES = re.compile(r"\((?:1|i|a)\)")


def _found(paper: Read, name: str) -> Iterator[tuple[float, str]]:
    """Yield the lines of each sentence that reports a finding or conclusion, each with its worth of 1 or more."""
    for sentence, reading, is_known in zip(paper.sentences, paper.readings, paper.background, strict=True):
        is_outcome = reading.kinds[_RESULT] + reading.conclusion >= _OUTCOME_FROM
        is_claim = reading.finding >= _FINDING_FROM or is_outcome
        if is_known or not is_claim or _ENUMERATES.search(sentence):
            continue
        had_figure = NUMBER.search(sentence.lower())
        for clause in _clauses(sentence, name):
            for line, is_phrase in _finding_lines(clause, name):
                worth = 1 + reading.finding + _CONCLUSION_WORTH * reading.conclusion - _CUT_COST * is_phrase
                worth += _FIGURE_WORTH if NUMBER.search(line.lower()) else -_LOST_FIGURE_COST if had_figure else 0.0
                worth += _FULL_WORTH * len(line.split()) / MAX_WORDS
                yield worth, line if _names(line, name) or not name else f"{name}: {_uncapitalised(line, paper)}"


def _finding_lines(clause: str, name: str) -> Iterator[tuple[str, bool]]:
    """Yield the parts of a clause that are a finding by themselves, and whether a phrase was left out."""
    most = MAX_WORDS if _names(clause, name) else MAX_WORDS - len(name.split())
    for part, is_phrase in _cuts(_ARTICLE.sub("", clause) if len(clause.split()) == most + 1 else clause, most):
        if _stands(part, name) and _is_outcome(part):
            yield part, is_phrase


def _stands(line: str, name: str) -> bool:
    """Return whether a line has its subject, and nothing that it refers to is outside it."""
    return not (
        _is_open(line)
        or FINITE.match(line)
        or _NUMBERED.match(line)
        or _UNRESOLVED.search(line.replace(name, "X") if name else line)
    )


def _is_outcome(line: str) -> bool:
    return has_verb(line) and is_finding_form(line) and not _NO_OUTCOME.search(line)


def _uncapitalised(line: str, paper: Read) -> str:
    """Return a line without the capital of a sentence's first word, unless the word has one inside sentences too."""
    first = line.split(" ", maxsplit=1)[0]
    is_name = any(re.search(rf"[a-z,] {re.escape(first)}(?!\w)", text) for text in paper.sentences)
    return line if is_name or not first.istitle() else first.lower() + line[len(first) :]


# What is made, in a noun phrase.
_AN = r"(?:an?|the first|the)\s+"
_WE_MAKE = re.compile(
    rf"(?i:\b(?:we|paper|work|study|article|authors)\s+(?:(?:\w+ly|then|also|first|further|therefore|thus)\s+){{0,2}}"
    rf"{_MAKES}|\bby (?:introducing|proposing|presenting|developing)\s+)(?=(?:an?|the first)\s)"
)
_IS_MADE = re.compile(
    r"^(?:In this (?:paper|work|study|article), )?(an? .{10,120}?),? (?:is|was|has been) "
    r"(?:proposed|introduced|presented|developed|described)\b",
    re.IGNORECASE,
)
_PRESENTS = re.compile(r"propos|introduc|present", re.IGNORECASE)


def _made(paper: Read, name: str) -> Iterator[tuple[float, str]]:
    """Yield a line for each sentence on what was made, with its worth: sentences that define the name come first."""
    most = MAX_WORDS - len(name.split())
    for sentence in (text for text, known in zip(paper.sentences, paper.background, strict=True) if not known):
        text = oneline(readable(sentence)).rstrip(" .")
        if name:
            marked = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", _NAME, text)
            yield from ((worth, line.replace(_NAME, name)) for worth, line in _named(marked, most))
        text = without_head(_PARENTHESES.sub("", text))
        if (passive := _IS_MADE.match(text)) and (phrase := _noun_phrase(passive[1], most)):
            yield 0.4, f"{name}: {phrase}" if name else phrase
        made = _WE_MAKE.search(text)
        # With a name, what else was made must be what the paper presents.
        if made and (not name or _PRESENTS.search(made[0])) and (phrase := _noun_phrase(text[made.end() :], most)):
            yield 0.5, f"{name}: {phrase}" if name else phrase


# Stands for the name in a sentence: patterns with the name itself would be compiled for each paper, 90 % of the time.
_NAME = "\ue000"
# "We propose Optimism Correction (SOC)" proposes SOC.
_LONG_NAME = re.compile(rf"({_MAKES})(?:the |an? |our )?[^.;()]{{0,90}}?\({_NAME}[^()]*\)")
_APPOSITION = re.compile(
    rf"{_MAKES}(?:the )?[^,.;]{{0,80}}{_NAME}(?:,|:|\s[–—-]+|)\s+(?:which is )?(?={_AN})|"
    rf"^[^,]{{0,40}}{_NAME} is\s+(?={_AN})"
)
_CALLED = re.compile(
    rf"{_MAKES}({_AN}[^,.;]{{5,90}}?),?\s+(?:called|named|termed|dubbed|coined|namely)?\s*[\"“]?{_NAME}"
)
_NAME_DOES = re.compile(rf"{_NAME}(?:,?\s+(?:which|that))?\s+(?=(?:\w+ly )?(?:(?:{DOES})\w*s|does not|can)\b)")


def _named(sentence: str, most: int) -> Iterator[tuple[float, str]]:
    """Yield lines of a sentence that says what the name, for which ``_NAME`` stands, is or does."""
    text = without_head(_PARENTHESES.sub("", _LONG_NAME.sub(rf"\g<1>{_NAME}", sentence)))
    apposition = _APPOSITION.search(text)
    if apposition and (phrase := _noun_phrase(text[apposition.end() :], most)):
        yield 1.0, f"{_NAME}: {phrase}"
    called = _CALLED.search(text)
    if called and (phrase := _noun_phrase(called[1], most)):
        yield 0.9, f"{_NAME}: {phrase}"
    if does := _NAME_DOES.search(text):
        parts = [part for part, _ in _cuts(f"{_NAME} {text[does.end() :]}", MAX_WORDS)]
        yield from [(0.7, line) for line in parts[:1] if _stands(line, _NAME)]


_PHRASE_END = re.compile(
    r",\s+|\s+(?=(?:that|which|to|for|in|on|with|via|through|using|by|based|designed|where|capable|trained|from|across|"
    r"under|consisting|comprising|leveraging|while|wherein|built|as|such|including)\b)|[;:]\s+"
)
# Before the next verb of the sentence: "a dataset of 5,000 posts and evaluate".
_NEXT_VERB = re.compile(
    r",? (?:and|which we|then) (?:then |also |\w+ly )?(?:\w+ed|design|propose|evaluate|release|introduce|develop|"
    r"demonstrate|suggests?|try|show|build|present|use|apply|conduct|provide|compare|construct|investigate|analy[sz]e|study|explore|find|"
    r"prove|train|test|we)\b"
)
_ADJECTIVES = re.compile(
    r"\b(?:novel|new|simple (?:yet|but|and) effective|innovative|comprehensive|(?<=an )first|(?<=a )first)\s+(?=\w)",
    re.I,
)
_ARTICLE = re.compile(r"^(?:an?|the) (?=\S)", re.IGNORECASE)  # is left out where it would be the thirteenth word
# "An hour" is rare here; "an LLM", whose letters are spelled, is not.
_BEFORE_VOWEL = re.compile(
    r"(?:^[Aa]|\ba)n?(?=\s+((?!(?i:one|once|eu))(?i:[aeio])|[Uu]n(?!i)|[FHLMNRSX][BCDFGHJKLMNPQRSTVWXZ]+(?:s|\b))?)"
)
# Verbs whose second part is missing ("combines graphs", "enables agents"), and other endings that want more.
_PHRASE_OPEN = re.compile(
    r":|\bas well$|"
    r"\b(?:that|which) (?:\w+ly )?(?:formulat|treat|view|fram|cast|model|regard)\w*\b(?!.* (?:as|into) )[^,]*$|"
    r",[^,]* (?:mechanism|approach|framework|method)$|,\s+[\w-]+(?: [\w-]+)?$|itself$|\b\w{3,}ed$|"
    r"\b(?:pairs|combin\w+|integrat\w+|joins|maps|converts|transforms|turns)\b(?!.* (?:with|into|and|to) )[^,]*$|"
    r"(?:\b(?:that|which) (?:\w+ly )?\w+|\b(?:aims?|each|aiming)|"
    r"\b(?:without|by) \w+ing|\band [\w-]+ed|\b(?:enables?|allows?|helps?|lets?) [^,]*|\b\w+ly|"
    r"\bto (?:\w+ly )?\w+)$|\b\w+ing that\b"
)
# What was done is not what was made: "a randomised trial in 10 regions".
_DESIGN = re.compile(r"^(?:[\w/-]+ ){0,5}?(?:trial|questionnaire|interview|audit|field experiment)s?\b", re.IGNORECASE)
_GENERIC = re.compile(
    r"(?:an?|the|novel|new|simple|yet|effective|efficient|framework|method|approach|model|system|first|unified|general|"
    r"comprehensive|overview|survey|review|study|dataset|benchmark|pipeline|algorithm|technique|based|that|for|to|and|of|in|with|robust|scalable|"
    r"lightweight|flexible|practical)$",
    re.IGNORECASE,
)
_LEAST_SPECIFIC = 3  # words


def _noun_phrase(text: str, most: int) -> str:
    """Return the longest noun phrase at the beginning of a text that says what something is; empty if none does."""
    text = _ADJECTIVES.sub("", _NEXT_VERB.split(_DASH.split(text)[0])[0])
    text = _BEFORE_VOWEL.sub(lambda match: "an" if match[1] else "a", text)
    if len(text.split()) == most + 1:
        text = _ARTICLE.sub("", text)
    if _LEAST_WORDS <= len(text.split()) <= most and _says_what(text):
        return text
    parts = (text[: end.start()] for end in reversed(list(_PHRASE_END.finditer(text))))
    complete = (part for part in parts if not (_PAIRED.search(part) or _PHRASE_OPEN.search(part)))
    return next((part for part in complete if _LEAST_WORDS <= len(part.split()) <= most and _says_what(part)), "")


def _says_what(phrase: str) -> bool:
    specific = sum(not _GENERIC.match(word) for word in phrase.split())
    is_unclear = _is_open(phrase) or _UNRESOLVED.search(phrase) or _DESIGN.search(phrase)
    return not is_unclear and specific >= _LEAST_SPECIFIC
