"""Record votes from links, buttons, pages, commands, files and mails."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice

from bot.config.keys import Purpose, Signer, TokenError
from bot.config.profiles import Profile
from bot.editions.choices import choices_of
from bot.editions.composer import EditionComposer
from bot.model import Paper, Problem, Reader, ReaderId, RecordedVote, StopReason, Vote, parse_ref
from bot.model.errors import DeletedError, UsageError
from bot.ranking.phrases import whole_phrases
from bot.readers import find_paper, stored_reader
from bot.store import Store

_COMPARED_PAPERS = 5
# A new reader of an old store has 100,000.
_MAX_CANDIDATES = 500
_MAX_PHRASES = 8
_MIN_CHANGE = 0.01
# Tolerance for clocks ahead of ours.
_CLOCK_SKEW = timedelta(minutes=5)
_SURROGATE = re.compile("[\ud800-\udfff]")
_FORM = 'write {"reader": "slug/address", "paper": "p17", "vote": "up"}'
_VOTES = tuple(vote.value for vote in Vote)
# Lines in a transaction, which bound memory and waits for the disk.
_BATCH = 1_000
BY_REPLY = "reply"
REPLY_SUBJECT = re.compile(r"Paperbot (?:vote (?P<vote>up|down|save)|unsubscribe) (?P<token>\S+)")


@dataclass(frozen=True, slots=True)
class VoteEffect:
    """A vote's effect on the first papers of the next edition, equally many before and after it."""

    before: Sequence[Paper]
    after: Sequence[Paper]
    rise: bool  # the vote raised the paper's score
    phrases: Sequence[str]  # of the voted paper, that gained weight, or lost it without ``rise``


def vote_with_effect(
    composer: EditionComposer,
    reader: Reader,
    profile: Profile,
    *,
    paper: Paper,
    vote: Vote,
    now: datetime,
    via: str,
    voter: str = "",
) -> VoteEffect:
    """Rank the next candidates, record a vote, rank again, and return the difference.

    ``voter`` is the member of a shared Slack channel.
    """
    store = composer.store
    # Chosen before the vote, which excludes its paper. Both rankings need the same papers.
    new = composer.candidates(reader, profile)
    hidden = {paper.id, *new.sent_elsewhere}
    fresh, earlier = (sorted({*ids} - hidden)[-_MAX_CANDIDATES:] for ids in (new.ids, new.waiting))
    ids = [*fresh, *earlier, paper.id]
    before = composer.ranked(reader, profile, ids, now)
    store.feedback.add(reader.id, paper.id, vote, now, via, voter=voter)
    after = composer.ranked(reader, profile, ids, now)
    if not (before and after):
        return VoteEffect([], [], rise=vote is Vote.UP, phrases=[])
    old_score, new_score = before.explained(paper.id), after.explained(paper.id)
    rise = not (old_score and new_score) or new_score.log_odds >= old_score.log_odds
    sign = 1 if rise else -1
    # Of the votes alone: with each vote the text counts less, so its words lose weight.
    old_terms, new_terms = before.ranking.learned(paper.id), after.ranking.learned(paper.id)
    changes = {
        term: sign * (new_terms.get(term, 0.0) - old_terms.get(term, 0.0)) for term in {**old_terms, **new_terms}
    }
    text = after.text(paper)
    gained = {
        phrase: change
        for phrase in text.phrases
        if (change := phrase.weight(changes)) >= _MIN_CHANGE
        and phrase.is_whole
        and not phrase.is_adjective
        and (phrase.in_title or min([text.counts[stem] for stem in phrase.stems]) > 1)
        and text.own_name.isdisjoint(phrase.stems)
    }
    first_before, first_after = (
        [
            ranked.papers[choice.score.paper]
            for choice in choices_of(profile, ranked.without({paper.id}), frozenset(earlier))[:_COMPARED_PAPERS]
        ]
        for ranked in (before, after)
    )
    phrases = [phrase.text for phrase in whole_phrases(gained, (), _MAX_PHRASES)]
    most = min(len(first_before), len(first_after))
    return VoteEffect(first_before[:most], first_after[:most], rise, phrases)


@dataclass(frozen=True, slots=True)
class VoteLine:
    """A line of a file of votes. The paper is an id such as ``p17``, or the beginning of a title."""

    reader: str
    paper: str
    vote: Vote
    at: datetime


def _parse_line(line: bytes, now: datetime) -> VoteLine:
    """Parse a line, whose time is ``now`` by default. Raises ValueError."""
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):  # nested 100,000 deep
        raise ValueError(f"not JSON; {_FORM}") from None
    if not isinstance(fields, dict):
        raise ValueError(f"not an object; {_FORM}")
    for key in ("reader", "paper", "vote"):
        value = fields.get(key)
        if not isinstance(value, str):
            raise ValueError(f"{key} is {'not a text' if key in fields else 'missing'}; {_FORM}")
        if "\0" in value or _SURROGATE.search(value):
            raise ValueError(f"{key} has an invalid character (NUL or half a surrogate pair); {_FORM}")
    if fields["vote"] not in _VOTES:
        raise ValueError(f"vote is {fields['vote']!r:.40}; write one of: {', '.join(_VOTES)}")
    at: datetime | None = now
    if (text := fields.get("at")) is not None:
        try:
            at = datetime.fromisoformat(text) if isinstance(text, str) else None
            at = at and (at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC))
        except (ValueError, OverflowError):  # year 1 in a zone east of UTC has no UTC time
            at = None
    if at is None:
        raise ValueError(f"at is {text!r:.40}; write it like 2025-05-06T08:00+02:00, or leave it out")
    if at > now + _CLOCK_SKEW:
        raise ValueError(f"at is {text}, which is in the future; correct it, or leave it out")
    return VoteLine(fields["reader"], fields["paper"], Vote(fields["vote"]), min(at, now))


def record_file(
    store: Store, profiles: Mapping[str, Profile], name: str, lines: Iterable[bytes], now: datetime
) -> tuple[int, list[Problem]]:
    """Record a file's votes, and return their number with a problem for each unusable line.

    Each line is ``{"reader", "paper", "vote", "at"}``. A time without a zone is in UTC.
    """
    reader_id_of = _cached(lambda reader: stored_reader(store, profiles, reader, now)[0].id)
    find_paper_id = _cached(lambda title: find_paper(store, title).id)
    problems: list[Problem] = []
    recorded = 0
    numbered = enumerate(lines, 1)
    while batch := list(islice(numbered, _BATCH)):
        parsed: dict[int, VoteLine] = {}
        unusable: dict[int, str] = {}
        rows: dict[int, tuple[ReaderId, RecordedVote]] = {}
        for number, line in batch:
            try:
                if line.strip():
                    parsed[number] = _parse_line(line, now)
            except ValueError as error:
                unusable[number] = str(error)

        # One query for all ids of a batch. Titles are rare.
        refs = [parse_ref(line.paper) for line in parsed.values()]
        existing = store.papers.existing([paper_id for paper_id in refs if paper_id is not None])
        for (number, vote), ref in zip(parsed.items(), refs, strict=True):
            try:
                # A title may look like an unknown id.
                paper_id = ref if ref is not None and ref in existing else find_paper_id(vote.paper)
                rows[number] = (reader_id_of(vote.reader), RecordedVote(paper_id, vote.vote, vote.at, "cli"))
            except UsageError as error:
                unusable[number] = str(error)
        try:
            store.feedback.add_many(list(rows.values()))
            recorded += len(rows)
        except DeletedError:
            # A reader or paper was deleted meanwhile: only its own votes are lost.
            for number, row in rows.items():
                try:
                    store.feedback.add_many([row])
                    recorded += 1
                except DeletedError as error:
                    unusable[number] = str(error)
        problems += [Problem(f"{name}:{number}", unusable[number]) for number in sorted(unusable)]
    return recorded, problems


def _cached(look_up: Callable[[str], int]) -> Callable[[str], int]:
    """Cache a look-up with its errors, which ``functools.cache`` would repeat for each line."""
    results: dict[str, int | UsageError] = {}

    def cached(text: str) -> int:
        if text not in results:
            try:
                results[text] = look_up(text)
            except UsageError as error:
                results[text] = error
        result = results[text]
        if isinstance(result, UsageError):
            raise result
        return result

    return cached


def record_reply(store: Store, signer: Signer, sender: str, subject: str, now: datetime) -> bool:
    """Record the request in a mail with a signed subject, which a button opens.

        Paperbot vote up 5.11.68195100.IrfwteEjh4OzMKiOQG2Tig
        Paperbot unsubscribe 5.68195100.kQxVb1Pq0s3rE7bR2yTn4w

    Returns False without a valid signature. A vote also needs the reader's ``sender``, because editions are forwarded.
    Nothing answers these mails, so no mail loop begins.
    """
    match = REPLY_SUBJECT.fullmatch(subject)
    if not match:
        return False
    try:
        reader_id, *paper_ids = signer.read(Purpose.REPLY if match["vote"] else Purpose.UNSUBSCRIBE, match["token"])
    except TokenError:
        return False
    reader = store.readers.by_id(reader_id)
    if reader is None:
        return False
    if not match["vote"]:
        store.readers.leave(reader.id, StopReason.UNSUBSCRIBED)
        return True
    papers = store.papers.get(paper_ids) if sender.lower() == reader.address.lower() else ()
    votes = [(reader.id, RecordedVote(paper_id, Vote(match["vote"]), now, BY_REPLY)) for paper_id in papers]
    try:
        store.feedback.add_many(votes)
    except DeletedError:  # the reader was forgotten meanwhile
        return False
    return bool(votes)
