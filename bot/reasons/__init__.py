"""Why a paper was picked, as a person would say it.

    profile and votes --> Evidence                         once per reader
    title and abstract --> PaperText                       once per paper, for all readers
    Score, PaperText, Evidence --choose--> Reasons         once per pick
    Reasons of an edition's picks --without_repetition-->   once per edition
    Score, PaperText --breakdown--> rows of phrases  for ``why``: their weights sum to the score

Only phrases that the reader wrote, or that papers with votes have, are named; general academic vocabulary never is.
How a reason is worded: ``bot/rendering/reasons.py``.
"""

from bot.reasons.breakdown import Row, breakdown
from bot.reasons.choosing import choose
from bot.reasons.evidence import Evidence, VotedPapers
from bot.reasons.paper_text import PaperText
from bot.reasons.phrases import Phrase
from bot.reasons.repetition import without_repetition
from bot.reasons.whole_phrases import whole_phrases

__all__ = [
    "Evidence",
    "PaperText",
    "Phrase",
    "Row",
    "VotedPapers",
    "breakdown",
    "choose",
    "whole_phrases",
    "without_repetition",
]
