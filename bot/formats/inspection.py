"""Any file that Paperbot reads, whatever it holds: which kind it is, and everything in it.

bytes --is_feed_list--> feeds
      --is_programme--> programme
      --is_library----> library
      --otherwise-----> digests

A mail is a digest whatever it quotes, so mails are recognised first.
"""

from __future__ import annotations

from bot.formats import feed_list, library, programme, registry
from bot.formats.format import decode
from bot.formats.mail import is_mail
from bot.model import RawDigest
from bot.model.papers import InspectedKind, Inspection

_BEGINNING = 20_000  # characters


def parse(raw: RawDigest) -> Inspection:
    """Return what the bytes hold; raises DigestError if nothing that Paperbot reads."""
    text = decode(raw.content, library.MAX_BYTES, "file").lstrip("\ufeff \t\r\n")
    if is_mail(text[:_BEGINNING]):
        return Inspection(InspectedKind.DIGEST, registry.parse(raw))
    if feed_list.is_feed_list(text):
        return Inspection(InspectedKind.FEEDS, (feed_list.parse(raw),))
    if programme.is_programme(text):
        return Inspection(InspectedKind.PROGRAMME, (programme.parse(raw),))
    if library.is_library(text):
        return Inspection(InspectedKind.LIBRARY, (library.parse(raw),))
    return Inspection(InspectedKind.DIGEST, registry.parse(raw))
