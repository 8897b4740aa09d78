"""Subscriptions and preferences, for the command line, pages and Slack.

    start page: request --> AWAITING --confirm, a button behind the mailed link--> active     double opt-in
    Slack:      subscribe_authenticated --> active               Slack has authenticated the user
                confirm, subscribe_authenticated --> APPROVAL    for an address that ``allow`` doesn't name
    operator:   add --> active                                   the operator vouches for the address
    reader:     pause, unsubscribe --> PAUSED, UNSUBSCRIBED --resume, end of the pause--> active
    operator:   remove --> REMOVED, OPERATOR                     only ``add`` starts these readers again

Old links never undo a stop by the operator or by a mail server.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from ipaddress import IPv6Network
from pathlib import Path
from typing import Any

from bot.channels import MessageRenderer, address_checks
from bot.channels.email import EMAIL
from bot.channels.papers import ReaderLinks
from bot.config.profiles import (
    DAYS,
    Profile,
    add_profile,
    add_reader,
    known_timezone,
    load_profile,
    profile_files,
    remove_reader,
    with_override,
)
from bot.model import STOPPED_BY_READER, Kind, OutboxKey, Override, Problem, Reader, StopReason
from bot.model.addresses import mailbox_of
from bot.model.clock import local_date, moment
from bot.model.errors import DeletedError, PaperbotError, UsageError
from bot.model.wording import known_language, long_date, oneline, shorten
from bot.store import Store
from bot.store.sending import RateLimit
from bot.text.topics import read_interests

# Bounds on what a reader can store.
MAX_IGNORED_WORDS = 200
MAX_WORD_LENGTH = 200  # characters
MAX_PAPERS = 100
MAX_TERMS = 100
MAX_INTERESTS = 5_000  # characters
MAX_NAME = 80  # characters
MAX_PROFILES = 20  # of a home, where pages add them
_TITLE_WIDTH = 60  # characters of a title made of topics
_SENTENCE_END = re.compile(r"[.!?;](?:\s|$)|\n")
_CLAUSE_END = re.compile(r", | and |: ")
_LINE_ENDS = re.compile(r"\r\n?")  # forms are sent with CRLF
# Strangers type addresses. Without caps, the form would allow mail bombing.
PER_MAILBOX_A_DAY = 1
PER_CLIENT_AN_HOUR = 5
PER_NETWORK_AN_HOUR = 20
IN_ALL_AN_HOUR = 200
_HOUR = timedelta(hours=1)
_LONGEST_PAUSE = timedelta(days=365)


class TooManyRequestsError(PaperbotError):
    """The hour's limit of confirmation mails to strangers is reached."""


class NotStoppedByReaderError(PaperbotError):
    """The operator or the mail server stopped the reader."""

    def __init__(self) -> None:
        super().__init__("the reader was stopped by somebody else")


def _in_all() -> RateLimit:
    return RateLimit("confirmations", "in all", IN_ALL_AN_HOUR, _HOUR)


def reached_cap(store: Store, now: datetime) -> list[Problem]:
    until = store.rate_limits.reached_until(_in_all(), now)
    if until is None:
        return []
    words = f"strangers requested {IN_ALL_AN_HOUR} confirmation mails within an hour, the most that are sent"
    return [Problem("subscriptions", f"{words}; further requests are refused until {until:%H:%M} UTC")]


@dataclass(frozen=True, slots=True)
class SubscriptionService:
    """Changes who receives a profile."""

    store: Store
    renderer: MessageRenderer
    links: Callable[[Reader], ReaderLinks]
    profile_folder: Path

    def request(
        self,
        slug: str,
        profile: Profile,
        address: str,
        client: str,
        now: datetime,
        *,
        interests: str = "",
        kind: Kind = EMAIL.name,
    ) -> bool:
        """Queue a confirmation mail, unless the address had one in the last day.

        ``client`` identifies the sender. Give the same answer for either result: a difference would reveal subscribers.
        Raises TooManyRequestsError.
        """
        of_mailbox = RateLimit("confirmations to", mailbox_of(address), PER_MAILBOX_A_DAY, timedelta(days=1))
        of_client = RateLimit("confirmations by client", client, PER_CLIENT_AN_HOUR, _HOUR)
        # A site has one /48 with up to 65,536 /64 clients.
        network = str(IPv6Network(client).supernet(new_prefix=48)) if client.endswith("::/64") else client
        of_network = RateLimit("confirmations by network", network, PER_NETWORK_AN_HOUR, _HOUR)
        # A refused request counts nowhere, so it can't use up other mails.
        reached = self.store.rate_limits.reached([of_mailbox, of_client, of_network, _in_all()], now)
        if any(limit is not of_mailbox for limit in reached):
            raise TooManyRequestsError(
                "Too many subscriptions were requested in this hour, and no mail was sent to you."
            )
        if reached:
            return False
        reader = self.store.readers.request_subscription(slug, kind, address, now)
        if not may_confirm(reader):
            return False  # the button in the mail would do nothing
        key = OutboxKey(f"confirmation-{now:%Y%m%dT%H%M%S}", reader.id, reader.kind)
        # By the profile's title: a stranger could put their own words into the reader's.
        message = self.renderer.of_kind(kind).confirmation(reader, profile.title, key, self.links(reader), now)
        if message is None:
            raise UsageError(f"the channel {kind!r} confirms no subscriptions")
        try:
            # Only before the confirmation: a stranger must not change a subscriber's settings.
            if interests:
                override = _own_interests(interests[:MAX_INTERESTS].strip(), profile)
                self.store.overrides.change(reader.id, lambda _: override, of_stopped=StopReason.AWAITING)
            self.store.outbox.put_without_edition(message, key, now)
        except DeletedError:  # the reader was forgotten meanwhile
            return False
        return True

    def confirm(self, reader: Reader, profile: Profile, now: datetime) -> bool:
        """Start a reader's editions, or return False if they await approval. Raises NotStoppedByReaderError."""
        needs_approval = profile.needs_approval(reader)
        if reader.stopped is StopReason.APPROVAL:
            if not needs_approval:  # ``allow`` has the domain by now
                self.store.readers.resume(reader.id)
            return not needs_approval
        if not self.store.readers.confirm(reader.id, now, needs_approval=needs_approval):
            raise NotStoppedByReaderError
        return not (needs_approval and reader.stopped is StopReason.AWAITING)

    def subscribe_authenticated(self, slug: str, profile: Profile, kind: Kind, address: str, now: datetime) -> bool:
        """Subscribe a person whom the channel has authenticated (single opt-in). Returns and raises as ``confirm``."""
        reader = self.store.readers.request_subscription(slug, kind, address, now)
        return self.confirm(reader, profile, now)

    def pause(self, readers: Sequence[Reader], now: datetime, until: date | None = None, timezone: str = "UTC") -> None:
        """Pause active readers until a day begins in a time zone, or until they resume. Raises ValueError."""
        today = local_date(now, timezone)
        if until and not today < until <= today + _LONGEST_PAUSE:
            raise ValueError("A pause ends tomorrow at the earliest, and within a year.")
        detail = f"until {long_date(until)}" if until else ""
        end = moment(until, time(), timezone) if until else None
        for reader in readers:
            if reader.stopped is None:
                self.store.readers.leave(reader.id, StopReason.PAUSED, detail, until=end)

    def unsubscribe(self, reader: Reader) -> None:
        """Stop the editions, and keep the votes. Succeeds for any reader, as RFC 8058 demands."""
        self.store.readers.leave(reader.id, StopReason.UNSUBSCRIBED)

    def add_interest(self, reader: Reader, profile: Profile, title: str, interests: str, now: datetime) -> Reader:
        """Write a profile of another interest for a reader, at the same times, and return its reader.

        Raises ValueError with a message for the reader, and ConfigError.
        """
        title, interests = _name(title), _interests(interests)
        if not title or not interests:
            raise ValueError("Give the new interest a name, and say what to look for.")
        if len(profile_files(self.profile_folder)) >= MAX_PROFILES:
            raise ValueError(f"There are {MAX_PROFILES} profiles here already; remove one of their files first.")
        schedule = profile.schedule
        slug = add_profile(
            self.profile_folder,
            title,
            interests,
            (reader.kind, reader.address),
            address_checks(),
            schedule={"at": f"{schedule.at:%H:%M}", "days": list(schedule.days), "timezone": schedule.timezone},
            sources=profile.sources,
        )
        self._sync_readers(slug, now)
        return self.store.readers.request_subscription(slug, reader.kind, reader.address, now)

    def resume(self, readers: Sequence[Reader], now: datetime) -> None:
        """Resume the readers who may. Raises NotStoppedByReaderError if none may."""
        resumed = [self.store.readers.resubscribe(reader.id, now) for reader in readers]
        if not any(resumed):
            raise NotStoppedByReaderError

    def add(self, slug: str, kind: Kind, address: str, now: datetime) -> tuple[Reader, bool]:
        """Add an address to a profile's file and start its editions, whatever stopped it.

        Returns the reader, and whether the file listed the address before. Raises ConfigError if the file can't be
        edited.
        """
        is_new = add_reader(self._profile_file(slug), kind, address, address_checks())
        self.store.readers.remember(slug, address)
        self._sync_readers(slug, now)
        reader = self.store.readers.request_subscription(slug, kind, address, now)
        self.store.readers.resume(reader.id)
        return reader, not is_new

    def remove(self, reader: Reader, now: datetime) -> None:
        """Remove a reader from the file, and stop the editions. Raises ConfigError."""
        was_listed = remove_reader(self._profile_file(reader.profile), reader.address, address_checks())
        self._sync_readers(reader.profile, now)
        self.store.readers.stop(reader.id, StopReason.REMOVED if was_listed else StopReason.OPERATOR)

    def _profile_file(self, slug: str) -> Path:
        return self.profile_folder / f"{slug}.toml"

    def _sync_readers(self, slug: str, now: datetime) -> None:
        profile = load_profile(self._profile_file(slug), "UTC", address_checks())
        self.store.readers.sync(slug, profile.addresses, now)


def may_confirm(reader: Reader) -> bool:
    return reader.stopped in (None, StopReason.AWAITING, *STOPPED_BY_READER)


def may_resume(reader: Reader) -> bool:
    return reader.stopped in STOPPED_BY_READER


def ignore_word(store: Store, reader: Reader, word: str) -> None:
    """Exclude a word from a reader's ranking. Raises ValueError for an unusable word."""

    def ignoring(current: Override) -> Override:
        if not word or len(word) > MAX_WORD_LENGTH or len(current.ignored) >= MAX_IGNORED_WORDS:
            raise ValueError("This word can't be removed.")
        return replace(current, ignored=tuple(dict.fromkeys((*current.ignored, word))))

    store.overrides.change(reader.id, ignoring)


def restore_word(store: Store, reader: Reader, word: str) -> None:
    def using(current: Override) -> Override:
        return replace(current, ignored=tuple(other for other in current.ignored if other != word))

    store.overrides.change(reader.id, using)


def set_preferences(store: Store, reader: Reader, profile: Profile, chosen: Override, now: datetime) -> None:
    """Store how a reader's preferences differ from ``profile``, which is as in its file.

    None in ``chosen`` keeps a preference, and an empty title asks for one made of the topics. Raises ValueError with a
    message for the reader.
    """
    is_size = chosen.size is None or 1 <= chosen.size <= MAX_PAPERS
    is_days = chosen.days is None or any(day in DAYS for day in chosen.days)
    if not (is_size and is_days) or (chosen.at and chosen.at.tzinfo):
        raise ValueError("Choose 1 to 100 papers, and at least one day a week.")

    def changed(current: Override) -> Override:
        # The form showed the day in the reader's own time zone.
        in_own_zone = with_override(profile, Override(timezone=current.timezone))
        in_file = {
            "title": profile.title,
            "size": profile.edition.size,
            "at": profile.schedule.at,
            "days": _days(profile.schedule.days),
            "timezone": profile.schedule.timezone,
            "interests": in_own_zone.interests_at(now).strip(),
            "keywords": profile.keywords,
            "authors": profile.authors,
            "mute": profile.mute,
            "language": profile.language,
            "catch_up": profile.catch_up,
            "weekly": profile.weekly,
        }
        stated = {name: value for name in in_file if (value := getattr(chosen, name)) is not None}
        new = replace(current, **{name: _NORMALISED.get(name, lambda v: v)(value) for name, value in stated.items()})
        as_in_file: dict[str, Any] = {name: None for name, value in in_file.items() if getattr(new, name) == value}
        new = replace(new, **as_in_file)
        own = with_override(profile, new)
        if not (own.interests_at(now).strip() or own.keywords or own.authors):
            raise ValueError("Say what to look for: interests, keywords or authors.")
        if new.title == "":
            title = _title_by_topics(profile, new)
            new = replace(new, title=title if title != profile.title else None)
        return new

    store.overrides.change(reader.id, changed)


def _days(days: Collection[str]) -> tuple[str, ...]:
    return tuple(day for day in DAYS if day in days)


def _interests(text: str) -> str:
    interests = _LINE_ENDS.sub("\n", text).strip()
    if len(interests) > MAX_INTERESTS:
        raise ValueError(f"Interests have at most {MAX_INTERESTS:,} characters.")
    return interests


def _terms(words: Sequence[str]) -> tuple[str, ...]:
    terms = tuple(dict.fromkeys(word.strip() for word in words if word.strip()))
    if len(terms) > MAX_TERMS or any(len(term) > MAX_WORD_LENGTH for term in terms):
        raise ValueError(f"A list has at most {MAX_TERMS} lines, of at most {MAX_WORD_LENGTH} characters each.")
    return terms


def _name(text: str) -> str:
    name = oneline(text)
    if len(name) > MAX_NAME:
        raise ValueError(f"A name has at most {MAX_NAME} characters.")
    return name


_NORMALISED: Mapping[str, Callable[[Any], Any]] = {
    "title": _name,
    "at": lambda at: at.replace(second=0, microsecond=0),
    "days": _days,
    "timezone": known_timezone,
    "interests": _interests,
    "keywords": _terms,
    "authors": _terms,
    "mute": _terms,
    "language": known_language,
}


def _title_by_topics(profile: Profile, override: Override) -> str:
    if override.interests is None:
        return profile.title
    own = with_override(profile, override)
    return title_of(override.interests, ", ".join(own.keywords or own.authors))


def title_of(interests: str, otherwise: str = "") -> str:
    """Return a title of the first sentence with topics, else the first topic, ``otherwise``, or the text.

    >>> title_of("I'm a student. My thesis: owls; bats"), title_of("Barn owls, not bats"), title_of("No bats", "x")
    ('Owls', 'Barn owls', 'X')
    """
    title = next(filter(None, map(_wanted_in, _SENTENCE_END.split(interests))), "")
    title = (
        title or next((topic.text for topic in read_interests(interests).wanted), "") or otherwise or oneline(interests)
    )
    if len(title) > _TITLE_WIDTH:
        end = max((match.start() for match in _CLAUSE_END.finditer(title, 0, _TITLE_WIDTH + 1)), default=0)
        title = title[:end] if end >= _TITLE_WIDTH // 3 else shorten(title, _TITLE_WIDTH)
    return title[:1].upper() + title[1:]


def _wanted_in(sentence: str) -> str:
    """Return a sentence's topic without its introduction, or an empty string."""
    read = read_interests(sentence)
    if not read.wanted or read.refused:
        return ""
    text = oneline(sentence)
    for unread in read.unread:
        text = text.removeprefix(unread).lstrip(" ,:")
    return text


def show_likes(store: Store, reader: Reader, name: str) -> str:
    """Show a reader's likes to the group under this name, or hide them if it is empty.

    Returns the name on one line. Raises ValueError if it is too long.
    """
    name = _name(name)
    store.overrides.change(reader.id, lambda current: replace(current, shown_as=name or None))
    return name


def with_own_interests(profile: Profile, interests: str) -> Profile:
    return with_override(profile, _own_interests(interests, profile))


def _own_interests(interests: str, profile: Profile) -> Override:
    # The profile's keywords and authors would raise unrelated papers.
    override = Override(interests=interests, keywords=(), authors=())
    return replace(override, title=_title_by_topics(profile, override))


def reset_preferences(store: Store, reader: Reader) -> None:
    store.overrides.change(reader.id, lambda current: Override(ignored=current.ignored, shown_as=current.shown_as))
