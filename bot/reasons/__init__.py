"""Why a paper was picked, as a person would say it.

    what the reader wrote and voted --> Evidence                                once a reader
    title and abstract --> PaperText                                            once a paper
    exact contributions, PaperText, Evidence --choose--> Reason, the best first once a pick
    Reasons --sentence--> one plain sentence, the same in mail, text, Slack, page and ``why``
    exact contributions, PaperText --breakdown--> rows of whole phrases for ``why``; their sum stays what it is

Only terms that the reader wrote or that papers with votes have are named; general academic vocabulary never is.
"""

from bot.reasons.breakdown import Row, breakdown
from bot.reasons.choosing import Claims, Conjunction, choose
from bot.reasons.evidence import Evidence, JudgedPaper
from bot.reasons.phrasing import PaperText
from bot.reasons.reason import Reason, ReasonKind
from bot.reasons.wording import clause, sentence

__all__ = [
    "Claims",
    "Conjunction",
    "Evidence",
    "JudgedPaper",
    "PaperText",
    "Reason",
    "ReasonKind",
    "Row",
    "breakdown",
    "choose",
    "clause",
    "sentence",
]
