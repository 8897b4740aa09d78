"""The formats of digests, one entry each, and which of them reads the bytes that a source delivered.

    bytes --decode--> text --Document.beginning--> Document.parse(bytes)
                        |
                        +--lines --Format.starts--> Format.parse(lines) for each digest
                        |
                        +--mail: its plain text part, else its HTML: scholar_mail, lines, journal_mail

A file may hold several digests, of one format or of several: each begins where its format says so and ends where the
next one begins. The content alone decides. The order of entries is that of messages, and decides nothing: of line-based
formats that begin on the same line the one of higher ``specificity`` reads it, and no two documents recognise the same
file.

A format of lines (``Format``) gets clean ones: encodings, line ends and control characters are dealt with. One that
needs a whole file, such as XML, is a ``Document`` and gets the bytes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from bot.formats import journal_mail, library, scholar_mail
from bot.formats.daily_papers import DAILY_PAPERS_PAGE
from bot.formats.feed import FEED
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
from bot.formats.keyword import KEYWORD
from bot.formats.mail import Mail, is_mail, read_mail, split_mbox
from bot.formats.markdown import MARKDOWN
from bot.formats.preprint_mails import ARXIV, BIORXIV
from bot.formats.pubmed import PUBMED
from bot.formats.record_mails import RECORDS
from bot.model import ParsedDigest, RawDigest
from bot.model.errors import DigestError
from bot.model.wording import plural

FORMATS: tuple[Format, ...] = (KEYWORD, DAILY_PAPERS_PAGE, ARXIV, BIORXIV, RECORDS, MARKDOWN)
DOCUMENTS: tuple[Document, ...] = (PUBMED, FEED, JSON_LIST)

_COMMENTS = re.compile(r"\A(?:<!--(?:[^-]|-(?!->))*-->\s*)+(?=[^<\s])")  # above Markdown, and not above XML
_BEGINNING = 20_000  # characters; the header of a mail has some thousand


def parse(raw: RawDigest) -> tuple[ParsedDigest, ...]:
    """Return the digests in the bytes, in their order, at least one.

    Raises DigestError if no format recognises them. Its message says what the bytes look like instead, and leaves the
    source to the caller.
    """
    text = decode(raw.content)
    beginning = _COMMENTS.sub("", text[:_BEGINNING].lstrip("\ufeff \t\r\n"))
    if _HTML.match(beginning):
        raise DigestError(_explain_page(beginning))
    document = next((document for document in DOCUMENTS if document.beginning.match(beginning)), None)
    if document:
        digests: Sequence[ParsedDigest] = (document.parse(raw.content),)
    elif is_mail(beginning):
        # A mail is taken apart from its bytes: each part names a charset of its own.
        digests = _parse_mails(raw.content)
    elif library.is_library(text):
        # PubMed's and publishers' "Save" give a search's results in these.
        exported = library.parse(raw)
        if exported.format not in ("medline", "ris"):
            raise DigestError("a library, not a digest; add it with `paperbot import READER FILE`")
        papers = [each.entry for each in exported.entries]
        digests = (build_digest(exported.format, "", None, [*papers, *exported.problems]),)
    else:
        digests = _parse_lines(split_lines(text))
    # A file name supplies what the text leaves open: Markdown digests name neither day nor topic.
    return tuple(
        replace(digest, date=digest.date or date_in(raw.name), topic=digest.topic or topic_in(raw.name))
        for digest in digests
    )


def _parse_mails(content: bytes) -> Sequence[ParsedDigest]:
    """Return the digests in a mail, in those attached to it, or in a mailbox file; raises DigestError if none.

    A mail that can't be read costs itself: the first digest says so.
    """
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
    """Return the digests in a mail, at least one; raises DigestError if it has none that is recognised.

    The plain text part counts if a format recognises it. Otherwise the HTML is read: as an alert, as text, and last by
    its structure, which is the least certain. Where there is no HTML, the plain text is read by its structure, too.
    """
    plain = split_lines(mail.plain) if mail.plain.strip() else []
    digests: Sequence[ParsedDigest]
    # Senders make Markdown of their HTML, with its tracking links.
    starts = any(form is not MARKDOWN or not mail.html for form in _starts(plain).values())
    if plain and (starts or (not mail.html and RECORDS.is_rest(plain))):
        digests = _parse_lines(plain)
    else:
        lines = html_lines(mail.html) if mail.html else journal_mail.text_lines(plain)
        if not any(line.text for line in lines):
            raise DigestError(_explain_mail(mail, lines))
        text = split_lines("\n".join(line.text for line in lines))
        digests = _by_structure(mail, lines, text)
        try:
            digests = digests or _parse_lines(text if _starts(text) else plain or text)
        except DigestError:
            raise DigestError(_explain_mail(mail, lines)) from None
    return [replace(digest, date=digest.date or mail.date, topic=digest.topic or mail.subject) for digest in digests]


def _by_structure(mail: Mail, lines: Sequence[HtmlLine], text: Sequence[Line]) -> Sequence[ParsedDigest]:
    """Return the digest that the structure of a mail tells; of two readings the one with more papers."""
    if alert := scholar_mail.parse(mail, lines):
        return (alert,)
    if _starts(text):
        return ()
    records = RECORDS.parse(text) if RECORDS.is_rest(text) else None
    readings = filter(None, (journal_mail.parse(mail, lines), records))
    return sorted(readings, key=lambda digest: -len(digest.entries))[:1]


def _starts(lines: Sequence[Line]) -> dict[int, Format]:
    ascending = sorted(FORMATS, key=lambda form: form.specificity)
    return {start: form for form in ascending for start in form.starts(lines)}


def _parse_lines(lines: Sequence[Line]) -> Sequence[ParsedDigest]:
    formats = _starts(lines)
    if not formats:
        # The first lines of a digest may not have been copied.
        rest = next((form for form in FORMATS if form.is_rest(lines)), None)
        if rest is None:
            raise DigestError(_explain(lines))
        formats = {0: rest}
    edges = pairwise([*sorted(formats), len(lines)])
    first, *others = (formats[start].parse(lines[start:end]) for start, end in edges)
    # Text above the first digest is reported only if it is long: a greeting or a page's menu is not worth a message.
    ignored = [line for line in lines[: min(formats)] if len(line.text) > LONGEST_TITLE]
    problems = tuple(f"line {line.number}: of no known format: {quoted(line.text)}" for line in ignored[:1])
    return replace(first, rejected=problems + first.rejected), *others


_HTML = re.compile(
    r"(?:<\?xml[^<>]{0,300}>\s*|<!--[^<>]{0,2000}-->\s*){0,5}<(?:!doctype html|html|head|body)\b", re.IGNORECASE
)
_SHORT = 8_000  # characters; whole pages are longer, and may have the words of the short ones in forms and scripts
_IN_TITLE = r"<title[^<>]{0,200}>[^<>]{0,100}?"
# What sites send instead of a page: by words on any page, by words on a short page, and what it is.
_PAGES = (
    (
        re.compile(
            _IN_TITLE
            + r"(?:just a moment|one moment|attention required|access (?:to this page has been )?denied|ddos-guard"
            r"|(?:client|security) (?:challenge|check|verification)|human verification|robot check|validate user"
            r"|pardon our interruption|not a (?:ro)?bot\b|are you (?:a )?(?:ro)?bot\b|bot verification|captcha)"
            r"|checking (?:your browser|if the site connection)|_cf_chl_opt|incapsula incident|errors\.edgesuite\.net"
            r"|(?:verify(?:ing)?|confirm) (?:that )?you(?: are|'re|\u2019re) (?:a )?human|captcha-delivery\.com"
            r"|unusual traffic from|enable javascript and cookies to continue",
            re.IGNORECASE,
        ),
        re.compile(r"captcha|incapsula|datadome|perimeterx|radware|(?<!name=[\"'])\brobots?\b", re.IGNORECASE),
        "a page that checks for robots, not a digest; open its address in a browser and save what comes then, or use "
        "the publisher's feed or alert mail",
    ),
    (
        re.compile(
            _IN_TITLE + r"(?:\b(?:log|sign)[ -]?(?:in|on)\b|authenticat|anmelde|connexion|登录|ログイン)", re.IGNORECASE
        ),
        re.compile(r"\btype=[\"']?password|samlrequest", re.IGNORECASE),
        "a login page, not a digest; Paperbot can't sign in: use a feed or an alert mail that needs no password, or "
        "save the page when you are signed in",
    ),
)
_PAGE = (
    "an HTML page, not a feed or digest; look on it for the address of its RSS or Atom feed or for alerts by mail, or "
    "copy its papers into a text file"
)


def _explain_page(page: str) -> str:
    for anywhere, if_short, words in _PAGES:
        if anywhere.search(page) or (len(page) < _SHORT and if_short.search(page)):
            return words
    return _PAGE


_LOOKALIKES = ((re.compile(r"\{\\rtf"), "an RTF document; save it as text"),)


def _explain(lines: Sequence[Line]) -> str:
    """Return one sentence: the formats that are supported, and what the text looks like or how a digest begins."""
    beginning = next(line.text for line in lines if line.text)
    titles = ", ".join([form.title for form in FORMATS] + [document.title for document in DOCUMENTS])
    hints = "; one begins with " + ", or with ".join(form.hint for form in FORMATS)
    lookalike = next((f", but {kind}" for pattern, kind in _LOOKALIKES if pattern.match(beginning)), hints)
    return f"no digest that Paperbot knows (known: {titles}){lookalike}"


def _explain_mail(mail: Mail, lines: Sequence[HtmlLine]) -> str:
    """Return the beginning of a sentence, or a sentence: whose mail no reader understands, and what is in it."""
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
