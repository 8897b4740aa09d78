"""Digest formats: from the bytes that a source delivered to papers.

How to add a format: write one file here that ends in a ``Format`` (see ``format.py``), and add one line to
``FORMATS`` below. A format gets clean lines (see ``text.py``: encodings, line ends and control characters are
dealt with) and returns what it read, with a sentence for each block that it could not read. It opens nothing,
and it recognises its digests by what stands in them, never by a file's name; a name only says day and topic
where the text says neither. What takes a whole file, such as XML, is a ``Document`` and gets the bytes.

A file may hold several digests, of one format or of several: each begins where its format says so and ends
where the next one begins. Where two formats begin on one line, it is the one further down in ``FORMATS``, which go
from those that ask for little to those that ask for more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from bot.digests import arxiv_mail, daily_papers, feed, huggingface, keyword, markdown
from bot.digests.filename import day_in, topic_in
from bot.digests.format import Document, Format
from bot.digests.mail import is_mail, text_of
from bot.digests.text import Line, decode, lines_of
from bot.digests.unknown import explain
from bot.digests.wording import LONGEST_TITLE, quoted
from bot.domain import ParsedDigest, RawDigest
from bot.errors import DigestError

FORMATS: tuple[Format, ...] = (
    keyword.FORMAT,
    daily_papers.FORMAT,
    arxiv_mail.FORMAT,
    markdown.FORMAT,
)
DOCUMENTS: tuple[Document, ...] = (
    feed.FORMAT,
    huggingface.FORMAT,
)
_BEGINNING = 20_000  # characters; a mail's header has some thousand


def parse(raw: RawDigest) -> tuple[ParsedDigest, ...]:
    """The digests in the bytes, in their order, at least one.

    Raises DigestError, which says what the bytes look like instead (it does not name the source: the caller
    knows it), where no format recognises them.
    """
    return tuple(_named(digest, raw.name) for digest in _digests(raw.content))


def _digests(content: bytes) -> Sequence[ParsedDigest]:
    text = decode(content)
    beginning = text[:_BEGINNING].lstrip("\ufeff \t\r\n")
    if document := next((document for document in DOCUMENTS if document.recognises(beginning)), None):
        return (document.parse(content),)
    return _in_lines(lines_of(text_of(content) if is_mail(beginning) else text))


def _in_lines(text: Sequence[Line]) -> Sequence[ParsedDigest]:
    forms = {start: form for form in FORMATS for start in form.starts(text)}
    if not forms:  # the first lines of a digest may not have been copied
        forms = dict([(0, form) for form in FORMATS if form.is_rest(text)][:1])
    if not forms:
        raise DigestError(explain(text, FORMATS, DOCUMENTS))
    edges = pairwise([*sorted(forms), len(text)])
    first, *others = (forms[start].parse(text[start:end]) for start, end in edges)
    unread = _unread(text[: min(forms)])
    return replace(first, rejected=unread + first.rejected), *others


def _named(digest: ParsedDigest, name: str) -> ParsedDigest:
    """The digest with the day and the topic that its name says, where it says neither itself."""
    return replace(digest, date=digest.date or day_in(name), topic=digest.topic or topic_in(name))


def _unread(above: Sequence[Line]) -> tuple[str, ...]:
    """A sentence if something of substance stands above the first digest; a greeting or a menu is none."""
    long = [line for line in above if len(line.text) > LONGEST_TITLE]
    return tuple(f"line {line.number}: of no known format: {quoted(line.text)}" for line in long[:1])


__all__ = ["DOCUMENTS", "FORMATS", "Document", "Format", "parse"]
