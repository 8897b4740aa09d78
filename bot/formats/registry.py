"""The formats of digests, an entry each, and the choice between them.

    bytes --decode--> text --Document.beginning--> Document.parse(bytes)
                        |
                        +--lines --Format.starts--> Format.parse(lines) for each digest
                        |
                        +--mail: its plain text part, else its HTML: Google Scholar's, lines, journal_mail

A file may hold several digests, even of several formats. The content alone decides: where two formats begin on the same
line, the higher ``specificity`` wins, and no two documents recognise the same file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from bot.formats import journal_mail, library
from bot.formats.feed import FEED, is_feed_list, parse_list
from bot.formats.format import (
    LONGEST_TITLE,
    Document,
    Format,
    Line,
    build_digest,
    date_in,
    decode,
    quoted,
    split_lines,
    topic_in,
)
from bot.formats.html import HtmlLine, html_lines
from bot.formats.json_lists import JSON_LIST
from bot.formats.mail import Mail, is_mail, read_mail, split_mbox
from bot.formats.markdown import MARKDOWN
from bot.formats.preprint_mails import ARXIV, BIORXIV
from bot.formats.pubmed import PUBMED
from bot.formats.record_mails import RECORDS
from bot.formats.ssrn_mails import SSRN
from bot.formats.tables import table
from bot.formats.text_digests import DAILY_PAPERS_PAGE, KEYWORD
from bot.model import ParsedDigest, RawDigest
from bot.model.errors import DigestError
from bot.model.papers import InspectedKind, Inspection
from bot.model.wording import plural

FORMATS: tuple[Format, ...] = (KEYWORD, DAILY_PAPERS_PAGE, ARXIV, BIORXIV, SSRN, RECORDS, MARKDOWN)
DOCUMENTS: tuple[Document, ...] = (PUBMED, FEED, JSON_LIST)

_HTML = re.compile(
    r"(?:<\?xml[^<>]{0,300}>\s*|<!--[^<>]{0,2000}-->\s*){0,5}<(?:!doctype html|html|head|body)\b", re.IGNORECASE
)
_COMMENTS = re.compile(  # above Markdown, and not above XML
    r"\A(?:<!--(?:[^-]|-(?!->))*-->\s*)+(?=[^<\s]|<(?:a|br|center|details|div|h[1-6]|img|p|table)\b)"
)
_BEGINNING = 20_000  # characters; a mail's header has some thousand
_SHORT_PAGE = 8_000  # characters; long pages have more words in forms and scripts


def parse(raw: RawDigest) -> tuple[ParsedDigest, ...]:
    """Return the digests in the bytes, at least one. Raises DigestError if no format recognises them."""
    text = decode(raw.content)
    beginning = _COMMENTS.sub("", text[:_BEGINNING].lstrip("\ufeff \t\r\n"))
    if _HTML.match(beginning):
        is_short = len(beginning) < _SHORT_PAGE
        for page in table("pages")["page"]:
            if re.search(page["anywhere"], beginning, re.IGNORECASE) or (
                is_short and re.search(page["if_short"], beginning, re.IGNORECASE)
            ):
                raise DigestError(page["words"].strip())
    if document := next((document for document in DOCUMENTS if document.beginning.match(beginning)), None):
        digests: Sequence[ParsedDigest] = (document.parse(raw.content),)
    elif is_mail(beginning):
        digests = _parse_mails(raw.content)  # each part of a mail has a charset of its own
    elif library.is_library(text):
        # PubMed's and publishers' "Save" give a search's results in these.
        exported = library.parse(raw)
        if exported.format not in ("medline", "ris"):
            raise DigestError("a library, not a digest; add it with `paperbot import READER FILE`")
        papers = [each.entry for each in exported.entries]
        digests = (build_digest(exported.format, "", None, [*papers, *exported.problems]),)
    else:
        digests = _parse_lines(split_lines(text))
    # Many Markdown digests have day and topic only in the file name.
    return tuple(
        replace(digest, date=digest.date or date_in(raw.name), topic=digest.topic or topic_in(raw.name))
        for digest in digests
    )


def inspect(raw: RawDigest) -> Inspection:
    """Return everything in a file of any kind. Raises DigestError."""
    from bot.formats import programme

    text = decode(raw.content, library.MAX_BYTES, "file").lstrip("\ufeff \t\r\n")
    if not is_mail(text[:_BEGINNING]):  # a mail is a digest, whatever it quotes
        if is_feed_list(text):
            return Inspection(InspectedKind.FEEDS, (parse_list(raw),))
        if programme.is_programme(text):
            return Inspection(InspectedKind.PROGRAMME, (programme.parse(raw),))
        if library.is_library(text):
            return Inspection(InspectedKind.LIBRARY, (library.parse(raw),))
    return Inspection(InspectedKind.DIGEST, parse(raw))


def _parse_mails(content: bytes) -> Sequence[ParsedDigest]:
    """Return the digests in a mail, its attached mails or a mailbox. The first one lists the unreadable mails."""
    digests: list[ParsedDigest] = []
    problems: list[str] = []
    for number, each in enumerate(split_mbox(content), 1):
        try:
            mails = read_mail(each)
        except DigestError as error:
            problems.append(f"mail {number}: {error}")
            continue
        for mail in mails:
            try:
                digests += _parse_mail(mail)
            except DigestError as error:
                # A mail that forwards others as attachments needs no papers of its own.
                if mail is not mails[0] or len(mails) == 1:
                    problems.append(f"mail {number}: {error}")
    if not digests:
        first = problems[0].partition(": ")[2] if problems else "an empty mail"
        raise DigestError(first if len(problems) < 2 else f"{len(problems)} mails without a digest; the first: {first}")
    first_digest, *others = digests
    return replace(first_digest, rejected=first_digest.rejected + tuple(problems)), *others


def _parse_mail(mail: Mail) -> Sequence[ParsedDigest]:
    """Return the digests in a mail, at least one. The most certain reading counts.

    That is the plain text by a format, then the HTML as an alert or as text, last the structure of either.
    """
    plain = split_lines(mail.plain) if mail.plain.strip() else []
    digests: Sequence[ParsedDigest]
    # Senders turn their HTML into Markdown, with tracking links.
    starts = any(form is not MARKDOWN or not mail.html for form in _starts(plain).values())
    if plain and (starts or (not mail.html and RECORDS.is_rest(plain))):
        digests = _parse_lines(plain)
    else:
        lines = html_lines(mail.html) if mail.html else journal_mail.text_lines(plain)
        if not any(line.text for line in lines):
            raise DigestError(_explain_mail(mail, lines))
        text = split_lines("\n".join(line.text for line in lines))
        if alert := journal_mail.parse_scholar(mail, lines):
            digests = [alert]
        elif _starts(text):
            digests = []
        else:
            records = RECORDS.parse(text) if RECORDS.is_rest(text) else None
            readings = filter(None, (journal_mail.parse(mail, lines), records))
            digests = sorted(readings, key=lambda digest: -len(digest.entries))[:1]
        try:
            digests = digests or _parse_lines(text if _starts(text) else plain or text)
        except DigestError:
            raise DigestError(_explain_mail(mail, lines)) from None
    return [replace(digest, date=digest.date or mail.date, topic=digest.topic or mail.subject) for digest in digests]


def _starts(lines: Sequence[Line]) -> dict[int, Format]:
    ascending = sorted(FORMATS, key=lambda form: form.specificity)
    return {start: form for form in ascending for start in form.starts(lines)}


def _parse_lines(lines: Sequence[Line]) -> Sequence[ParsedDigest]:
    formats = _starts(lines)
    if not formats:
        # The copy may lack the first lines.
        rest = next((form for form in FORMATS if form.is_rest(lines)), None)
        if rest is None:
            beginning = next(line.text for line in lines if line.text)
            if beginning.startswith("{\\rtf"):
                raise DigestError("an RTF document; save it as text")
            remedy = "move it elsewhere if it is no digest, or save it in a format of docs/formats.md"
            raise DigestError(
                f"no papers in a format that Paperbot reads (the first line is {quoted(beginning)}); {remedy}"
            )
        formats = {0: rest}
    edges = pairwise([*sorted(formats), len(lines)])
    first, *others = (formats[start].parse(lines[start:end]) for start, end in edges)
    # A greeting or a menu above the first digest is not worth a message.
    ignored = [line for line in lines[: min(formats)] if len(line.text) > LONGEST_TITLE]
    problems = tuple(f"line {line.number}: of no known format: {quoted(line.text)}" for line in ignored[:1])
    return replace(first, rejected=problems + first.rejected), *others


def _explain_mail(mail: Mail, lines: Sequence[HtmlLine]) -> str:
    sender = mail.sender or "an unnamed sender"
    about = f"a mail from {sender}" + (f", {quoted(mail.subject)}," if mail.subject else "")
    first = next((line.text for line in lines if line.text), "")
    if not first:
        return f"{about} has no text"
    links = sum(len(line.links) for line in lines)
    seen = f"{plural(links, 'link')}, the first line {quoted(first)}"
    kind, other = ("HTML", "plain text") if mail.html else ("plain text", "HTML")
    remedy = f"if it lists papers, ask its sender for {other}"
    return f"{about} has nothing in its {kind} that is certainly a paper ({seen}); {remedy}"
