"""Votes by mail: a button of an edition opens a mail to the bot's mailbox, whose subject is signed.

    Paperbot vote up 5.11.68195100.IrfwteEjh4OzMKiOQG2Tig

So a computer that no telephone can reach gets votes. Nothing answers such a mail, so that no loop of answers begins.
"""

from __future__ import annotations

import re
from datetime import datetime

from bot.domain import Vote
from bot.feedback.service import record
from bot.store import Store
from bot.tokens import Purpose, Signer, TokenError

_SUBJECT = re.compile(r"Paperbot vote (?P<vote>up|down) (?P<token>\S+)")


class ReplyVotes:
    """Records the votes that mails to the bot's mailbox bring."""

    def __init__(self, store: Store, signer: Signer) -> None:
        self._store = store
        self._signer = signer

    def record(self, sender: str, subject: str, now: datetime) -> bool:
        """Record the vote of a mail; False, and nothing is recorded, unless its signature and its sender are right.

        ``sender`` is the address of the From field. It can be forged, so that it only restricts what the signature
        allows: whoever was forwarded an edition can't vote for its reader by accident.
        """
        match = _SUBJECT.fullmatch(subject)
        if not match:
            return False
        try:
            reader_id, paper_id = self._signer.read(Purpose.REPLY, match["token"])
        except TokenError:
            return False
        reader = self._store.readers.by_id(reader_id)
        paper = self._store.papers.get([paper_id]).get(paper_id)
        if reader is None or paper is None or sender.lower() != reader.address.lower():
            return False
        record(self._store, reader, paper, Vote(match["vote"]), now=now, via="reply")
        return True
