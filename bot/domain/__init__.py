"""The domain model: one frozen dataclass for each stage from digest to delivery.

    RawDigest --parse--> ParsedDigest of Entry --identify, merge--> Paper with Sighting
    Paper --rank for a Reader--> Score --select, compose--> Edition of Pick with Reasons
    Edition --render--> Message --outbox--> Delivery
    Reader --vote on a Paper--> RecordedVote --> the next Score
    ParsedLibrary of LibraryEntry --import for a Reader--> LibraryPaper --> the next Score

Each stage has a type of its own and never writes onto the type of the stage before: a Paper is the same for all
readers, so a score on it would be one reader's score shown to another.

Each module here has the types of one concept; they are imported from ``bot.domain``.
"""

from __future__ import annotations

from bot.domain.bounces import TAG, BounceKind, BounceReport
from bot.domain.delivery import Delivery, Message, OutboxKey, SendGrant, SendLimit, SendRateUse, State
from bot.domain.digests import Entry, ParsedDigest, RawDigest, SourceState
from bot.domain.editions import Edition, EditionKind, Pick, PickKind, Quiet, QuietReason, Role, Sentence
from bot.domain.facts import Fact, FactKind
from bot.domain.letters import Letter, MatchRecord
from bot.domain.library import LibraryEntry, LibraryPaper, ParsedLibrary
from bot.domain.papers import (
    Paper,
    PaperId,
    RankedText,
    Sighting,
    VotedPaper,
    is_library_paper,
    parse_ref,
    ranked_text,
)
from bot.domain.problem import Problem
from bot.domain.readers import (
    NOT_STORED,
    OPERATOR_KIND,
    OPERATOR_PROFILE,
    STOPPED_BY_READER,
    Kind,
    Origin,
    Override,
    Reader,
    ReaderId,
    StopReason,
)
from bot.domain.reasons import Reason, ReasonKind
from bot.domain.scores import Bonus, BonusKind, Match, Score
from bot.domain.votes import RecordedVote, Vote
from bot.domain.zotero import ZoteroAccess, ZoteroChanges, ZoteroConnection, ZoteroSave

__all__ = [
    "NOT_STORED",
    "OPERATOR_KIND",
    "OPERATOR_PROFILE",
    "STOPPED_BY_READER",
    "TAG",
    "Bonus",
    "BonusKind",
    "BounceKind",
    "BounceReport",
    "Delivery",
    "Edition",
    "EditionKind",
    "Entry",
    "Fact",
    "FactKind",
    "Kind",
    "Letter",
    "LibraryEntry",
    "LibraryPaper",
    "Match",
    "MatchRecord",
    "Message",
    "Origin",
    "OutboxKey",
    "Override",
    "Paper",
    "PaperId",
    "ParsedDigest",
    "ParsedLibrary",
    "Pick",
    "PickKind",
    "Problem",
    "Quiet",
    "QuietReason",
    "RankedText",
    "RawDigest",
    "Reader",
    "ReaderId",
    "Reason",
    "ReasonKind",
    "RecordedVote",
    "Role",
    "Score",
    "SendGrant",
    "SendLimit",
    "SendRateUse",
    "Sentence",
    "Sighting",
    "SourceState",
    "State",
    "StopReason",
    "Vote",
    "VotedPaper",
    "ZoteroAccess",
    "ZoteroChanges",
    "ZoteroConnection",
    "ZoteroSave",
    "is_library_paper",
    "parse_ref",
    "ranked_text",
]
