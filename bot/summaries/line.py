"""Write a paper in one line: its title, or the finding that a title only asks for.

    "Counting owls at night: a pilot study" --> "Counting owls at night"
    "Effects of larger nets on owls" --> "Larger nets catch 31% more owls", if the abstract finds so

A finding has to be short, share words with the title, and refer to nothing outside itself. In doubt the title stays:
readers prefer it to all other lines (``docs/decisions/summaries.md``).
"""

from __future__ import annotations

import re
from functools import lru_cache

from bot.model.wording import oneline
from bot.summaries.references import without_head
from bot.text.latex import readable
from bot.text.tokens import is_general, stem_terms

_LEAST_WORDS, _MOST_WORDS = 5, 22
# The stems of a title that its answer has to have.
_LEAST_SHARE, _LEAST_COMMON = 0.35, 2

# "GAZE:Governance-aware annotation"
_UNSPACED = re.compile(r"(?<=[A-Za-z]{3}):(?=[A-Z])")
# Only the method of the study, and its authors.
_STUDY = re.compile(
    r"(?::|\.|\s[–—-])\s+(?:(?:an?|the|results (?:of|from) (?:an?|the)) )?(?:(?!of\b|on\b|for\b|in\b)[\w/-]+,? ){0,6}"
    r"(?:(?:case|pilot|cohort|observational|prospective|retrospective|randomi[sz]ed|cross-?over|cross-sectional|"
    r"qualitative|multi-?cent(?:er|re)|double-blind|controlled|clinical|empirical|preliminary|feasibility),? )"
    r"(?:[\w-]+,? ){0,3}(?:study|trial|report|analysis|results|findings)$|"
    r"(?::|\s[–—-])\s+an? (?:study|(?:systematic )?review(?: and meta-analysis)?|meta-analysis|case study)$|"
    r"\.\s(?:[\w()'’-]+ ){1,12}(?:Group|Investigators)$",
    re.IGNORECASE,
)
# A title that asks, or announces a comparison, without its outcome. "Estimating effects" announces a method.
_ASKS = re.compile(
    r"\?|^(?!(?!contrasting|differing|opposing)[a-z]+ing )(?:the |an? )?(?:[\w-]+,? ){0,3}"
    r"(?:effects?|impact|influence|role|comparison|evaluation|assessment|investigation|association|relationship|"
    r"efficacy|effectiveness|safety|usefulness|use|study|trial) "
    r"(?:and \w+ )?(?:of|on|between|in)\b|"
    r"^(?:exploring|evaluating|assessing|comparing|investigating|understanding|examining|measuring|revisiting|does|do|"
    r"is|are|can|how|what|why)\b|"
    r"\b(?:versus|vs|randomi[sz]ed)\b",
    re.IGNORECASE,
)
# Words before the clause with the finding: "Extensive experiments on three tasks show that".
_REPORTS = re.compile(
    r"(?:(?! that )[^:;]){0,160}?\b(?:we|i|authors|results?|experiments?|evaluations?|analys[ei]s|findings?|"
    r"stud(?:y|ies)|paper|work|tests?|simulations?|data|evidence|observations?|review|trial|it)\b"
    r"(?:(?! that )[^:;]){0,80}?"
    r"\b(?:show|find|found|reveal|demonstrat|indicat|observ|suggest|prov|confirm|discover|conclud|establish|report)\w*"
    r"(?: \w+ly)?,? that,? ",
    re.IGNORECASE,
)
# "No evidence shows that", "we aimed to show that": the rest isn't reported.
_NOT_REPORTED = re.compile(
    r"\b(?:not|no|never|little|whether|if|aim\w*|hypothes\w+|should|to (?:show|test|prove))\b", re.I
)
_LINKS = re.compile(r"^(?:In conclusion|Therefore|Thus) ")
_PARENTHESES = re.compile(r"\s?[(\[][^()\[\]]{0,200}[)\]]")
# References to something outside the line, hopes and questions.
_OPEN = re.compile(
    r"\b(?:we|our|ours|us|my|this|these|those|such|here|above|they|them|he|she|his|her|aforementioned|former|latter|"
    r"respectively|another|groups?|arms?|second|third|may|might|could|baseline|"
    r"the (?:(?-i:[A-Z])\w+ )?(?:proposed|resulting|same|two|three|four|method|approach|framework|system|algorithm|"
    r"technique|pipeline|models?|agent|tool|benchmark|dataset|strategy|study|paper|work|authors|results?|drugs?|"
    r"treatments?|patients?|intervention|combination|control|placebo|difference))\b|"
    r"^(?:it|its|their|both|also|however|but|and|if|as|at|all (?:three|four)|other|(?:after |with )?placebo)\b|"
    r"[?:;…$]|http",
    re.IGNORECASE,
)


@lru_cache(maxsize=5_000)
def line_of(title: str, finding: str | None) -> str:
    """Return the line of a paper; ``finding`` is the main finding of its abstract, if any.

    >>> line_of("Counting owls: a pilot study", "We counted nine owls."), line_of("Can owls count?", None)
    ('Counting owls', 'Can owls count?')
    >>> line_of("Can owls outrun hens?", "Our results show that owls outrun hens by night.")
    'Owls outrun hens by night'
    """
    plain = _UNSPACED.sub(": ", oneline(readable(title)).rstrip("."))
    # MEDLINE has translated titles in brackets.
    plain = plain[1:-1].rstrip(".") if plain.startswith("[") and plain.endswith("]") else plain
    short = _STUDY.sub("", plain)
    if not finding or not _ASKS.search(short):
        return short
    # Twice, as an expansion in brackets may stand in parentheses.
    statement = _PARENTHESES.sub("", _PARENTHESES.sub("", oneline(readable(finding))))
    statement = _LINKS.sub("", without_head(statement).rstrip(" ."))
    if report := _REPORTS.match(statement):
        statement = "" if _NOT_REPORTED.search(report[0]) else statement[report.end() :]
    asked, told = _content(short), _content(statement)
    is_short = _LEAST_WORDS <= len(statement.split()) <= _MOST_WORDS
    is_answer = len(asked & told) >= max(_LEAST_COMMON, _LEAST_SHARE * len(asked))
    if not (is_short and is_answer) or _OPEN.search(statement):
        return short
    return statement[0].upper() + statement[1:]


def _content(text: str) -> set[str]:
    return {stem for stem in stem_terms(text) if " " not in stem and not is_general(stem)}
