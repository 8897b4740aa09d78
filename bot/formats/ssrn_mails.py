r"""The plain text of SSRN's eJournals, as the body of a mail or as text.

    ______________________________
    "A Title That
    Goes On"
      Contact:  ADA LOVELACE                         one for each author, with the institution below
                  University of Owls
        Email:  ada@owls.example
    Auth-Page:  https://ssrn.com/author=1?dgcid=ejournal_email_x
    Full Text:  https://ssrn.com/abstract=4000001?dgcid=ejournal_email_x
    ABSTRACT: Text that
    goes on

The table of contents above has the title, the authors and the address alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise, takewhile

from bot.formats.addresses import article_at
from bot.formats.format import Format, Line, build_digest, reject_reason
from bot.model import Entry, ParsedDigest

_PAPER = re.compile(r"https?://(?:papers\.)?ssrn\.com/(?:abstract=|sol3/papers\.cfm\?abstract_id=)\d{4,9}")
_LABELLED = re.compile(rf"Full[ -]Text: +{_PAPER.pattern}\S*", re.IGNORECASE)
_AUTHOR = re.compile(r"(?:Contact|(?:Co-?)?Author): +(?P<name>\S.{1,100})", re.IGNORECASE)
_ABSTRACT = re.compile(r"ABSTRACT: ?.*")
_RULE = re.compile(r"_{10,}")
_LONGEST_TITLE = 6  # rows


def _starts(lines: Sequence[Line]) -> Iterator[int]:
    if any(_LABELLED.fullmatch(line.text) for line in lines) and any(_is_title(at, lines) for at in range(len(lines))):
        yield next(i for i, line in enumerate(lines) if line.text)


def _is_title(at: int, lines: Sequence[Line]) -> bool:
    """Return whether a quoted title begins on a line, below a rule or an empty line."""
    if not lines[at].text.startswith('"') or (at and lines[at - 1].text and not _RULE.fullmatch(lines[at - 1].text)):
        return False
    return any(line.text.endswith('"') and len(line.text) > 1 for line in lines[at : at + _LONGEST_TITLE])


def _parse(lines: Sequence[Line]) -> ParsedDigest:
    begins = [at for at in range(len(lines)) if _is_title(at, lines)]
    papers: dict[str, Entry | str] = {}
    for begin, end in pairwise([*begins, len(lines)]):
        block = [line.text for line in lines[begin:end]]
        if not (address := next(filter(None, map(_PAPER.search, block)), None)):
            continue
        url = address[0]
        paper, known = _paper(lines[begin].number, block, url), papers.get(url)
        # The table of contents may list authors that the record leaves out.
        if isinstance(known, Entry) and isinstance(paper, Entry):
            paper = replace(paper, abstract=paper.abstract or known.abstract, authors=paper.authors or known.authors)
        papers[url] = paper
    return build_digest("ssrn-mail", "", None, papers.values())


def _paper(number: int, block: Sequence[str], url: str) -> Entry | str:
    rows = next((at for at, text in enumerate(block) if text.endswith('"') and len(text) > 1), 0) + 1
    title = " ".join(block[:rows]).strip('"').strip()
    rest = block[rows:]
    names = [author["name"] for author in map(_AUTHOR.fullmatch, rest) if author]
    if not any(map(_LABELLED.fullmatch, rest)):  # of the table of contents: "ADA LOVELACE, University of Owls"
        names = [text.partition(",")[0] for text in takewhile(lambda text: text and not _PAPER.search(text), rest)]
    begin = next((at for at, text in enumerate(rest) if _ABSTRACT.fullmatch(text)), len(rest))
    # Below a rule or two empty lines is the next part of the mail.
    text = "\n".join(takewhile(lambda text: not _RULE.fullmatch(text), rest[begin:])).partition("\n\n\n")[0]
    abstract = " ".join(text.split()).removeprefix("ABSTRACT:").strip()
    article = article_at(url)
    entry = Entry(
        title=title,
        abstract=abstract,
        authors=tuple(dict.fromkeys(name.title() if name.isupper() else name for name in names)),
        url=article.url if article else url,
    )
    return reject_reason(f"line {number}", title, abstract) or entry


SSRN = Format("SSRN's eJournal", _starts, _parse, specificity=7)
