"""The domain model: one frozen dataclass for each stage from digest to delivery.

    RawDigest --parse--> ParsedDigest of Entry --identify, merge--> Paper with Sighting
    Paper --rank for a Reader--> Score --select, compose--> Edition of Pick with Reasons
    Edition --render--> Message --outbox--> Delivery
    Reader --vote on a Paper--> RecordedVote --> the next Score
    ParsedLibrary of LibraryEntry --import for a Reader--> LibraryPaper --> the next Score

No stage writes onto the type before it: a score on a Paper would leak to other readers.
"""

from __future__ import annotations

from bot.model.editions import GOOD as GOOD
from bot.model.editions import POSSIBLE as POSSIBLE
from bot.model.editions import STRONG as STRONG
from bot.model.editions import Bonus as Bonus
from bot.model.editions import BonusKind as BonusKind
from bot.model.editions import CatchUp as CatchUp
from bot.model.editions import Edition as Edition
from bot.model.editions import EditionId as EditionId
from bot.model.editions import EditionKind as EditionKind
from bot.model.editions import FollowUp as FollowUp
from bot.model.editions import FollowUpKind as FollowUpKind
from bot.model.editions import GroupLike as GroupLike
from bot.model.editions import LearnedPhrase as LearnedPhrase
from bot.model.editions import LeavingInterest as LeavingInterest
from bot.model.editions import Letter as Letter
from bot.model.editions import Match as Match
from bot.model.editions import MatchRecord as MatchRecord
from bot.model.editions import Pick as Pick
from bot.model.editions import PickKind as PickKind
from bot.model.editions import Quiet as Quiet
from bot.model.editions import QuietReason as QuietReason
from bot.model.editions import Reason as Reason
from bot.model.editions import ReasonKind as ReasonKind
from bot.model.editions import Role as Role
from bot.model.editions import Score as Score
from bot.model.editions import Sentence as Sentence
from bot.model.editions import TopicGroup as TopicGroup
from bot.model.errors import Problem as Problem
from bot.model.papers import SAMPLES as SAMPLES
from bot.model.papers import Entry as Entry
from bot.model.papers import Fact as Fact
from bot.model.papers import FactKind as FactKind
from bot.model.papers import LibraryEntry as LibraryEntry
from bot.model.papers import LibraryPaper as LibraryPaper
from bot.model.papers import Paper as Paper
from bot.model.papers import PaperId as PaperId
from bot.model.papers import ParsedDigest as ParsedDigest
from bot.model.papers import ParsedLibrary as ParsedLibrary
from bot.model.papers import RankedText as RankedText
from bot.model.papers import RawDigest as RawDigest
from bot.model.papers import Sighting as Sighting
from bot.model.papers import SourceState as SourceState
from bot.model.papers import VotedPaper as VotedPaper
from bot.model.papers import is_library_paper as is_library_paper
from bot.model.papers import parse_ref as parse_ref
from bot.model.papers import ranked_text as ranked_text
from bot.model.readers import NOT_STORED as NOT_STORED
from bot.model.readers import OPERATOR_KIND as OPERATOR_KIND
from bot.model.readers import OPERATOR_PROFILE as OPERATOR_PROFILE
from bot.model.readers import STOPPED_BY_READER as STOPPED_BY_READER
from bot.model.readers import TAG as TAG
from bot.model.readers import BounceKind as BounceKind
from bot.model.readers import BounceReport as BounceReport
from bot.model.readers import Delivery as Delivery
from bot.model.readers import Kind as Kind
from bot.model.readers import Message as Message
from bot.model.readers import Origin as Origin
from bot.model.readers import OutboxKey as OutboxKey
from bot.model.readers import Override as Override
from bot.model.readers import Reader as Reader
from bot.model.readers import ReaderId as ReaderId
from bot.model.readers import RecordedVote as RecordedVote
from bot.model.readers import SendGrant as SendGrant
from bot.model.readers import SendLimit as SendLimit
from bot.model.readers import SendRateUse as SendRateUse
from bot.model.readers import State as State
from bot.model.readers import StopReason as StopReason
from bot.model.readers import Vote as Vote
from bot.model.readers import ZoteroAccess as ZoteroAccess
from bot.model.readers import ZoteroChanges as ZoteroChanges
from bot.model.readers import ZoteroConnection as ZoteroConnection
from bot.model.readers import ZoteroSave as ZoteroSave
