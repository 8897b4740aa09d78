"""The domain model: one frozen dataclass for each stage from digest to delivery.

    RawDigest --parse--> ParsedDigest of Entry --identify, merge--> Paper with Sighting
    Paper --rank for a Reader--> Score --select, compose--> Edition of Pick with Reasons
    Edition --render--> Message --outbox--> Delivery
    Reader --vote on a Paper--> RecordedVote --> the next Score
    ParsedLibrary of LibraryEntry --import for a Reader--> LibraryPaper --> the next Score

Each stage has a type of its own and never writes onto the type of the stage before: a Paper is the same for all
readers, so a score on it would be one reader's score shown to another. All types are imported from ``bot.model``.
"""

from __future__ import annotations

from bot.model.delivery import (
    TAG,
    BounceKind,
    BounceReport,
    Delivery,
    Message,
    OutboxKey,
    SendGrant,
    SendLimit,
    SendRateUse,
    State,
)
from bot.model.editions import (
    GOOD,
    STRONG,
    Bonus,
    BonusKind,
    Edition,
    EditionId,
    EditionKind,
    LearnedPhrase,
    Letter,
    Match,
    MatchRecord,
    Pick,
    PickKind,
    Quiet,
    QuietReason,
    Reason,
    ReasonKind,
    Role,
    Score,
    Sentence,
)
from bot.model.errors import Problem
from bot.model.papers import (
    Entry,
    Fact,
    FactKind,
    LibraryEntry,
    LibraryPaper,
    Paper,
    PaperId,
    ParsedDigest,
    ParsedLibrary,
    RankedText,
    RawDigest,
    Sighting,
    SourceState,
    VotedPaper,
    is_library_paper,
    parse_ref,
    ranked_text,
)
from bot.model.readers import (
    NOT_STORED,
    OPERATOR_KIND,
    OPERATOR_PROFILE,
    STOPPED_BY_READER,
    Kind,
    Origin,
    Override,
    Reader,
    ReaderId,
    RecordedVote,
    StopReason,
    Vote,
    ZoteroAccess,
    ZoteroChanges,
    ZoteroConnection,
    ZoteroSave,
)
