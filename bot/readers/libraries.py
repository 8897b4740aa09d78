"""Readers' own libraries, whose papers count as liked and not as new.

file --parse, in the parser process--> entries --match--> the reader's library --> the next ranking
Zotero, when due --changes since the last version-------> the reader's library --> the next ranking
votes up since the connection --> outbox --> the collection "Paperbot"; votes withdrawn --> the trash
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from bot.channels.zotero import ZOTERO, new_key, removal_body, save_body
from bot.channels.zotero.api import ZoteroApi, changes, collection_keys
from bot.config.keys import Sealer
from bot.config.profiles import Profile
from bot.formats import Parser
from bot.model import (
    Message,
    OutboxKey,
    PaperId,
    ParsedLibrary,
    Problem,
    RawDigest,
    Reader,
    ReaderId,
    Vote,
    ZoteroAccess,
    ZoteroChanges,
    ZoteroConnection,
    ZoteroSave,
)
from bot.model.errors import DeletedError, DigestError, PaperbotError, SourceError, UsageError, in_one_line
from bot.model.wording import oneline
from bot.sources import after_failure, after_success, is_due
from bot.store import Store
from bot.store.libraries import Additions

ORIGIN = "zotero"
INTERVAL = timedelta(hours=6)
_KEYS_PAGE = "https://www.zotero.org/settings/keys"
_LIBRARY = re.compile(r"(users|groups)/[1-9][0-9]{0,14}")
KNOWN = "there already"


@dataclass(frozen=True, slots=True)
class ImportReport:
    """The numbers of entries by outcome."""

    read: int
    matched: int  # with stored papers
    new: int
    skipped: Mapping[str, int]  # by reason
    problems: tuple[Problem, ...]

    @classmethod
    def of(cls, name: str, parsed: ParsedLibrary | ZoteroChanges, added: Additions) -> ImportReport:
        """Build the report. ``name`` is the file or service in problems."""
        read = len(parsed.entries) + sum(parsed.skipped.values())
        skipped = {**parsed.skipped, **({KNOWN: added.known} if added.known else {})}
        return cls(read, added.matched, added.new, skipped, tuple(Problem(name, text) for text in parsed.problems))


def import_file(
    store: Store, parser: Parser, reader: Reader, *, name: str, content: bytes, now: datetime
) -> ImportReport:
    """Import an exported library. Raises UsageError if the file is none."""
    try:
        parsed = parser.parse_library(RawDigest("library", name, content))
    except DigestError as error:
        raise UsageError(f"{name}: {error}") from None
    added = store.library.add(reader.id, parsed.entries, parsed.format, now)
    return ImportReport.of(name, parsed, added)


@dataclass(frozen=True, slots=True)
class ZoteroLibraries:
    """The connections of all readers to the API at ``url``."""

    store: Store
    sealer: Sealer
    parser: Parser
    url: str

    def connect(
        self, reader: Reader, key: str, *, library: str | None, collections: Collection[str], now: datetime
    ) -> ZoteroConnection:
        """Connect a reader to ``users/123`` or ``groups/45``, by default the key's own library.

        Replaces an earlier connection with its papers. A group's library gets no papers, because all its members would
        see them. Raises UsageError.
        """
        if not re.fullmatch(r"[!-~]{1,200}", key):
            raise UsageError(f"this is no Zotero API key; make one at {_KEYS_PAGE}")
        try:
            with ZoteroApi(self.url, ZoteroAccess(library or "users/0", key)) as api:
                rights = api.key_rights(library)
            if not (_LIBRARY.fullmatch(rights.library) and rights.may_read):
                raise UsageError(f"the key gives no access to {rights.library}; allow it at {_KEYS_PAGE}")
            with ZoteroApi(self.url, ZoteroAccess(rights.library, key)) as api:
                collection_keys(api, collections)
        except SourceError as error:
            raise UsageError(str(error)) from None
        connection = ZoteroConnection(
            reader=reader.id,
            library=rights.library,
            collections=tuple(collections),
            sealed_key=self.sealer.seal(key),
            saves=rights.may_save,
            connected_at=now,
        )
        self.store.library.remove(reader.id, ORIGIN)
        self.store.zotero.connect(connection)
        return connection

    def disconnect(self, reader: Reader) -> bool:
        self.store.library.remove(reader.id, ORIGIN)
        return self.store.zotero.disconnect(reader.id)

    def import_now(self, reader: Reader, now: datetime) -> ImportReport:
        """Read a library's changes now. Raises UsageError without a connection."""
        connection = self.store.zotero.get(reader.id)
        if connection is None:
            raise UsageError(f"{reader.name} is not connected; run `paperbot zotero connect {reader.name}` first")
        try:
            return self._poll(connection, now)
        except (SourceError, DigestError) as error:
            return ImportReport(0, 0, 0, {}, (Problem(ORIGIN, str(error)),))

    def follow(self, now: datetime) -> Iterator[Problem]:
        """Poll the connections that are due, and yield new problems."""
        connections = self.store.zotero.all()
        if not connections:
            return
        with self.store.exclusively("zotero") as has_lock:
            for connection in connections if has_lock else ():
                if not is_due(INTERVAL, connection.poll, now):
                    continue
                try:
                    self._poll(connection, now)
                except DeletedError:
                    continue  # the reader was forgotten meanwhile
                except Exception as error:
                    subject = f"zotero of reader {connection.reader}"
                    if str(error) != connection.poll.problem:
                        yield Problem(subject, in_one_line(error, subject))

    def queue_saves(self, profiles: Mapping[str, Profile], now: datetime) -> list[Problem]:
        """Queue new and withdrawn likes, and return problems."""
        problems = []
        for connection in self.store.zotero.all():
            reader = self.store.readers.by_id(connection.reader)
            if not (connection.saves and reader):
                continue
            try:
                self._queue_saves_of(reader, connection, profiles.get(reader.profile), now)
            except DeletedError:
                continue  # the reader was forgotten meanwhile
            except Exception as error:
                problems.append(Problem(reader.name, f"saving in Zotero: {in_one_line(error)}"))
        return problems

    def _queue_saves_of(
        self, reader: Reader, connection: ZoteroConnection, profile: Profile | None, now: datetime
    ) -> None:
        from bot.text.latex import readable

        votes = self.store.feedback.current(reader.id).values()
        liked = {vote.paper for vote in votes if vote.vote is Vote.UP and vote.at >= connection.connected_at}
        saves = {save.paper: save for save in self.store.zotero.saves(reader.id)}
        for paper in self.store.papers.get(liked - saves.keys()).values():
            plain = replace(
                paper,
                title=oneline(readable(paper.title)),
                abstract=oneline(readable(paper.abstract)),
                authors=tuple(oneline(readable(author)) for author in paper.authors),
            )
            text = f"{plain.title} {plain.abstract}".lower()
            words = [word for word in profile.keywords if word.lower() in text] if profile else []
            tags = [profile.title, *words] if profile else []
            key = _outbox_key("save", reader.id, paper.id, now)
            save = ZoteroSave(paper.id, new_key(), str(key))
            message = Message(save_body(plain, tags, save.item_key), plain.title)
            self.store.zotero.put_save(reader.id, save, message, key, now)
        for paper_id in saves.keys() - liked:
            save = saves[paper_id]
            message = Message(removal_body(save.item_key, save.outbox_key), "Paper removed")
            key = _outbox_key("trash", reader.id, paper_id, now)
            self.store.zotero.undo_save(reader.id, save, message, key, now)

    def open_to_save(self, reader: ReaderId) -> ZoteroApi | None:
        connection = self.store.zotero.get(reader)
        return self._open(connection) if connection and connection.saves else None

    def _poll(self, connection: ZoteroConnection, now: datetime) -> ImportReport:
        try:
            with self._open(connection) as api:
                changed = changes(api, connection.collections, connection.version, self.parser.parse_library)
        except PaperbotError as error:
            wait = error.retry_after if isinstance(error, SourceError) else None
            failed = after_failure(connection.poll, Problem(ORIGIN, str(error)), wait, now)
            self.store.zotero.record_poll(connection, failed, connection.version)
            raise
        changed = changed or ZoteroChanges(connection.version, frozenset(), (), {})
        added = self.store.library.add(connection.reader, changed.entries, ORIGIN, now, gone=changed.gone)
        # Last, so the changes are read again after a crash.
        self.store.zotero.record_poll(connection, after_success(connection.poll, {}, now), changed.version)
        return ImportReport.of(ORIGIN, changed, added)

    def _open(self, connection: ZoteroConnection) -> ZoteroApi:
        access = ZoteroAccess(connection.library, self.sealer.unseal(connection.sealed_key))
        return ZoteroApi(self.url, access)


def _outbox_key(act: str, reader: ReaderId, paper: PaperId, now: datetime) -> OutboxKey:
    return OutboxKey(f"zotero-{act}-{paper}-{now:%Y%m%dT%H%M%S%f}", reader, ZOTERO.name)
