"""The additions of publishers to titles and abstracts in their feeds, by the rows of ``publishers.toml``.

    title ------------title----> title, authors
    title of a feed --journal--> the journal
    description ------blocks---> venue, authors, day, DOI, and the rest: the abstract

Every row's patterns apply to every feed: aggregators have papers of many publishers, and many journals share software.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from functools import cache
from typing import NamedTuple

from bot.formats.credits import names_in
from bot.formats.format import date_in
from bot.formats.markup import ABSTRACT
from bot.formats.names import author_names, first_name_first, without_affiliations
from bot.formats.tables import pattern, table, words
from bot.model import limits

_YEAR = r"(?:19|20)\d\d"
_PARTS = {
    "«doi»": r"(?P<doi>10\.\d{4,9}/\S{1,300}?)",
    "«year»": _YEAR,
    "«date»": rf"(?:\d{{1,2}} )?(?:[A-Z][\w/–-]{{2,24}} )?(?:\d{{1,2}}, )?{_YEAR}",
}
# The marks of a citation. It has few words in small letters but those of the table.
_CITED = re.compile(
    r"\b(?:Vol(?:ume|s?\.)|Issue|EarlyView|Ahead of Print|Online First|Advance Article|Accepted|doi|DOI|pp?\.|Pages? \w?\d"
    r"|Published|In Press|ISSN)(?!\w)|\b\d{1,4} ?\(\d{1,3}\)|;\d{1,4}[(:]|\b(?:19|20)\d\d\b"
)
_ADDRESS = re.compile(r"https?://\S{1,300}|\b10\.\d{4,9}/\S{1,300}")
_IDEOGRAPHS = re.compile("[\u3040-\u9fff\uac00-\ud7af]{8}")
_LONGEST_CITATION = 400
_BETWEEN_NAMES = re.compile(r"\b(?:and|By)\b|&")
# In a list, what subjects rarely have: "Ada K.", "Guo-Wei", "Zoë".
_PERSON = re.compile(r"\b[A-Z]\. |[A-Z][a-z]+-[A-Z][a-z]+|[a-z][à-ÿ]|[à-ÿ][a-z]")
_NO_NAME = re.compile(r"Open Access|licensed|[?!]$|[a-z]{3}\.$")
_BEHIND_DOI = re.compile(r"(?:[?&]|(?<!;2-)#|/(?:full|abs(?:tract)?|e?pdf|html|meta|summary)\b|%3F).*", re.IGNORECASE)
# Patterns that begin with anything are slow. They are tried only where one of these words is.
_SIGNS = (
    *("Volume", "Vol.", "doi", "DOI", "View", "Ahead of Print", "Accepted", "Advance", "Published online"),
    *("Proceedings", "Findings", "Transactions", "Linguistics", ")] ", ";\n", "), p. "),
)
_SLOW = ("[^", "(?P<venue>", "(?P<authors>", "(?:(?P<authors>")


@cache
def _patterns(key: str, flags: int = 0, *, are_literal: bool = False) -> Sequence[re.Pattern[str]]:
    """Return the patterns of all rows, or only those that begin with a literal."""
    values = [row[key] for row in table("publishers")["publisher"] if key in row]
    texts = [text for value in values for text in ([value] if isinstance(value, str) else value)]
    for name, part in _PARTS.items():
        texts = [text.replace(name, part) for text in texts]
    return [re.compile(text, flags) for text in texts if not (are_literal and text.startswith(_SLOW))]


class Description(NamedTuple):
    """The parts of a description. Missing ones are empty."""

    abstract: str
    venue: str = ""
    authors: tuple[str, ...] = ()
    published: date | None = None
    doi: str = ""


def read_description(text: str, title: str = "", byline: str = "", *, has_names_first: bool = False) -> Description:
    r"""Return the parts of a description, a block a line.

    The abstract has all blocks but citations, rows' matches, and the known title and byline. With ``has_names_first``
    the first block may be a list of names without a label.

    >>> read_description("Owl Letters, Volume 12, Issue 3, Page 4-5, March 2026. Owls see by night.")
    Description(abstract='Owls see by night.', venue='Owl Letters', authors=(), published=None, doi='')
    >>> read_description("Owls hear\nAda Lovelace, Grace Hopper\nOwl Lett., 12, 4-5, https://doi.org/10.5555/1, 2026", "Owls hear")
    Description(abstract='', venue='Owl Lett.', authors=('Ada Lovelace', 'Grace Hopper'), published=None, doi='10.5555/1')
    """
    if text.startswith("Type\n"):
        return _of_zotero(text)
    stated: dict[str, str] = {}
    authors: tuple[str, ...] = ()
    # A citation or an advertisement stands above the heading.
    above, heading, below = f"\n{text}".partition(f"\n{ABSTRACT}\n")
    if heading and len(above) <= 1_500:  # characters above the heading of an abstract
        text = below
        cited = read_description(above, title, byline)
        stated = {"venue": cited.venue, "doi": cited.doi}
        authors = cited.authors
    for regex in _patterns("end"):
        if match := regex.search(text, max(len(text) - _LONGEST_CITATION, 0)):
            stated |= {name: value for name, value in match.groupdict().items() if value}
            text = text[: match.start()]
    kept, facts = _without_boilerplate(text.lstrip("\n").removeprefix(f"{title}: "), title, byline)
    stated = facts | stated
    if "authors" in stated:
        authors = _labelled(stated["authors"])
    elif has_names_first and not authors and kept:
        authors = _unlabelled(kept[0])
        kept = kept[bool(authors) :]
    published = date_in(stated.get("published", ""))
    return Description(" ".join(kept), stated.get("venue", ""), authors, published, stated.get("doi", ""))


def _without_boilerplate(text: str, title: str, byline: str) -> tuple[list[str], dict[str, str]]:
    """Return the blocks of the abstract, and the facts in the matches of rows."""
    kept: list[str] = []
    facts: dict[str, str] = {}
    names = _letters(_BETWEEN_NAMES.sub("", byline))
    begin = cuts = 0
    while begin < len(text):
        if cuts < 20 and (match := _boilerplate(text, begin)):
            facts = {name: value for name, value in match.groupdict().items() if value} | facts
            begin = match.end()
            cuts += 1
        else:
            end = text.find("\n", begin)
            block = text[begin : end if end >= 0 else len(text)].strip()
            begin = end if end >= 0 else len(text)
            is_noise = len(block) <= _LONGEST_CITATION + len(title) and (
                _letters(block) in ("", _letters(title)) or is_citation(block, title)
            )
            is_byline = names and len(block) < 2 * len(byline) and _letters(_BETWEEN_NAMES.sub("", block)) == names
            if not is_noise and not is_byline:
                kept.append(block)
        while text[begin : begin + 1].isspace():
            begin += 1
    return kept, facts


def _of_zotero(text: str) -> Description:
    """Return the parts of Zotero's table. Each name and each value is a block."""
    blocks = text.split("\n")
    row = dict(zip(blocks[::2], blocks[1::2], strict=False))
    authors = tuple(value for name, value in zip(blocks[::2], blocks[1::2], strict=False) if name == "Author")
    day = date_in(row.get("Date", ""))
    return Description(row.get("Abstract", ""), row.get("Publication", ""), authors, day, row.get("DOI", ""))


def _boilerplate(text: str, begin: int) -> re.Match[str] | None:
    """Return the first match of a row. Its authors are short names with few words in small letters."""
    head = text[begin : begin + _LONGEST_CITATION]
    for regex in _patterns("blocks", re.MULTILINE, are_literal=not any(sign in head for sign in _SIGNS)):
        match = regex.match(text, begin)
        if match and match.end() > begin:
            people = match.groupdict().get("authors") or ""
            names = re.split(r"[,;]| and ", people[:_LONGEST_CITATION])[:3]
            if not _NO_NAME.search(people) and all(
                sum(map(str.islower, name.split())) <= 3 and len(name) <= 60 for name in names
            ):
                return match
    return None


def begin_with_names(descriptions: Sequence[str]) -> bool:
    """Return whether descriptions of a feed begin with a list of authors.

    >>> begin_with_names(["Ada K. Lovelace, Grace Hopper", "Rosa van der Berg"]), begin_with_names(["Barn Owls, Swarm Robotics"])
    (True, False)
    """
    lists = [text for text in descriptions if _PERSON.search(text) and ", " in text and _unlabelled(text)]
    return len(lists) * 3 > len(descriptions)


def _labelled(text: str) -> tuple[str, ...]:
    text = without_affiliations(text)
    listed = author_names(text)
    if len(listed) == 2 and not any(" " in name for name in listed):  # "Lovelace, Ada"
        listed = (first_name_first(text),)
    return tuple(filter(None, (name.strip(" *†‡§¶#") for name in listed)))


def _unlabelled(text: str) -> tuple[str, ...]:
    return () if pattern("subject", "publishers").search(text) else names_in(text)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text[: limits.TITLE]))


def is_citation(text: str, title: str = "") -> bool:
    """Return whether a block is a paper's citation.

    >>> is_citation("J Owls. 2026 Jan 20;12(3):4-5. doi: 10.1234/owls.5. Epub ahead of print.")
    True
    >>> is_citation("In the archive, volume 3, we look for owls.")
    False
    """
    if len(text) > _LONGEST_CITATION + len(title) or _IDEOGRAPHS.search(text):
        return False
    rest = _ADDRESS.sub("doi", text.replace(title, " ") if title else text)
    parts = (word.strip(".,;:()[]") for word in rest.split())
    return (
        bool(_CITED.search(rest))
        and sum(word.islower() and word not in words("small", "publishers") for word in parts) <= 1
    )


def read_title(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a title without its publisher's additions, and the authors among them.

    >>> read_title("The Price of Silence -- by Ada Lovelace, Grace Hopper")
    ('The Price of Silence', ('Ada Lovelace', 'Grace Hopper'))
    """
    authors: tuple[str, ...] = ()
    for regex in _patterns("title"):
        if match := regex.search(text):
            authors = author_names(match.groupdict().get("authors") or "") or authors
            text = f"{text[: match.start()]}{text[match.end() :]}".strip()
    return text, authors


def is_no_paper(title: str, address: str = "") -> bool:
    """Return whether title or address are of a cover, contents, a correction or news.

    >>> is_no_paper("Author Correction: How owls see"), is_no_paper("Correction of motion in images of owls")
    (True, False)
    """
    is_news = any(regex.search(address) for regex in _patterns("news"))
    return is_news or bool(pattern("no_paper", "publishers").fullmatch(title.rstrip(" .:*")))


def journal_of(feed_title: str) -> str:
    """Return the journal in the title of a publisher's feed.

    >>> journal_of("Wiley: Owl Letters: Table of Contents"), journal_of("Ada's blog")
    ('Owl Letters', '')
    """
    matches = (regex.fullmatch(feed_title) for regex in _patterns("journal", re.IGNORECASE))
    name, _, series = next((match["venue"] for match in matches if match), "").partition(", IEEE ")
    return f"IEEE {series} {name}" if series else name


def plain_doi(doi: str) -> str:
    """Return a DOI without its address's query and a preprint's version.

    >>> plain_doi("10.26434/chemrxiv-2025-ab123/v3"), plain_doi("10.1099/ijo.0.005019?TRACK=RSS")
    ('10.26434/chemrxiv-2025-ab123', '10.1099/ijo.0.005019')
    """
    doi = _BEHIND_DOI.sub("", doi[: limits.URL])
    for regex in _patterns("version"):
        doi = regex.sub(r"\1", doi)
    return doi
