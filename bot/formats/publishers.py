"""What publishers write around titles and abstracts in their feeds: a table with a row for each.

    title ------------titles----> title, authors
    title of a feed --journals--> the journal
    description ------blocks----> venue, authors, day, DOI, and what is left: the abstract

A row's patterns apply to every feed: an aggregator's has papers of many publishers, and many journals are printed by
the same software. What no row knows, but reads like a citation, is no abstract either.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from bot.formats.format import author_names, date_in, without_affiliations
from bot.formats.markup import ABSTRACT
from bot.model import limits


@dataclass(frozen=True, slots=True)
class Publisher:
    r"""A publisher's habits, as regular expressions; ``.`` and ``[^\n]`` stay in their block.

    Named groups say what a match states: venue, authors, published, doi.
    """

    name: str
    title: str = ""  # what is cut from a title
    journal: str = ""  # the whole title of a feed; its group ``venue`` is the journal
    blocks: tuple[str, ...] = ()  # what is cut from the beginning of a block
    end: str = ""  # what is cut from the end of a description
    version: str = ""  # a DOI with a version; the first group is it without


_DOI = r"(?P<doi>10\.\d{4,9}/\S{1,300}?)"
_YEAR = r"(?:19|20)\d\d"
_DATE = rf"(?:\d{{1,2}} )?(?:[A-Z][\w/–-]{{2,24}} )?(?:\d{{1,2}}, )?{_YEAR}"

PUBLISHERS = (
    Publisher(
        "ACM, Royal Society, SAGE, Science, Taylor & Francis, Wiley",  # all by Atypon
        journal=r"(?:[^:]{2,60}: )?(?P<venue>.{2,150}): (?:Table of Contents|Latest Articles?|Most Recent Articles)",
        blocks=(
            # A year alone does not show an issue: "We read the papers of ACL, 2023. ..."
            rf"(?P<venue>[^;\n]{{2,200}}?), (?:Ahead of Print|Early ?View|Accepted Article|Volume [^.;\n]{{1,80}}?, {_DATE})\.",
            rf"(?:Volume [\w-]{{1,9}}, Issue [^,\n]{{1,20}}, {_DATE}(?:, Pages? [\w-]{{1,30}})?|Ahead of Print)\.?",
        ),
    ),
    Publisher("American Economic Association", title=r" \(#\d{1,4}\)(?: \((?P<authors>[^()]{3,2000})\))?$", end=r"\(JEL [^()]{1,80}\)$"),
    Publisher("American Chemical Society", title=r"^\[ASAP\]\s?", journal=r"(?P<venue>.{2,150}): Latest Articles \(ACS Publications\)",
              blocks=(rf"(?P<venue>[^\n\d]{{2,80}})\nDOI: {_DOI}$",)),
    Publisher("American Physical Society", journal=r"Recent Articles in (?P<venue>.{2,150})",
              end=r"\[(?P<venue>[^\]\d]{3,60}?) \w{1,6}, \w{1,12}\]\s?Published (?P<published>.{8,30})$"),
    Publisher("arXiv until 2024, and its listings", title=r"^\[\d{4}\.\d{4,5}\] |\.? \(arXiv:\S{9,30} \[[\w.-]{2,20}\](?: \w+)?\)$"),
    Publisher("bioRxiv, medRxiv", version=r"^(10\.(?:1101|64898)/.{6,60}\d)v\d{1,3}$"),
    Publisher("ChemRxiv", version=r"^(10\.26434/.{6,60})[/-]v\d{1,3}$"),
    Publisher(
        "Copernicus",
        journal=r"(?P<venue>.{2,150}?) - (?:combined list of )?(?:recent|latest) papers",
        blocks=(
            rf"(?P<authors>[^\n]{{3,9000}}+)\n(?P<venue>[^\n]{{2,80}}?),(?: [\w–-]{{1,12}},){{0,3}} (?:doi:|https?://doi\.org/){_DOI}, {_YEAR}$",
            r"(?:Preprint|Manuscript|Revised manuscript) (?:under|accepted|not).{0,200}$",
        ),
    ),
    Publisher("De Gruyter", blocks=(
        r"(?:Article|Review|Editorial) .{1,600} was published on (?P<published>.{6,30}) in the journal (?P<venue>.{2,150}?)(?: \(.{1,80}\))?\.?$",)),
    Publisher(
        "Elsevier",
        journal=r"ScienceDirect Publication: (?P<venue>.{2,150})",
        blocks=(
            r"Publication date:\s?(?:Available online )?(?P<published>[^\n\d]{0,30}\d[^\n]{3,20}?)\s?(?=Source:|$)",
            r"Source:\s?(?P<venue>.{2,200}?)(?:, (?:Volumes?|Issues?|Part) .{1,80}?)?\s?(?=Author\(s\):|$)",
        ),
    ),
    Publisher("Cambridge", journal=r"(?P<venue>.{2,150}?) [-–] (?:FirstView|Latest issue|Latest articles)"),
    Publisher("Europe PMC", blocks=(
        rf"(?P<authors>[^\n]{{3,9000}}+)\n(?P<venue>[^\n]{{2,150}}?)\. {_YEAR}[^\n]{{0,60}}?\. doi: {_DOI}\.?$",)),
    Publisher("F1000", title=r" \[version \d{1,2}; .{1,200}\]$"),
    Publisher("Frontiers", journal=r"(?P<venue>Frontiers in .{2,100}?) \| .{1,60}"),
    Publisher("HAL", title=r"^\[[a-z]{3,12}-\d{5,9}\] "),
    Publisher("IEEE", journal=r"(?P<venue>.{2,150}) - new TOC"),
    Publisher("IOP", journal=r"(?P<venue>.{2,150}) - latest papers"),
    Publisher("J-STAGE", blocks=(r"(?:Published|Released): .{0,200}$", rf"(?:(?P<authors>[^\n]{{3,2000}})\n)?(?P<venue>[^\n,]{{2,150}}), {_YEAR} Volume .{{1,80}}$")),
    Publisher(
        "MDPI",
        title=r"^[^:]{2,150}, Vol\. \d{1,4}, Pages? [\w-]{1,20}: ",
        blocks=(r"[^\n]{2,150}, Vol\. \d{1,4}, Pages? [\w-]{1,20}: .{0,2000}$", rf"(?P<venue>[^\n;:\d]{{2,150}}) doi: ?{_DOI}$"),
    ),
    Publisher("Nature", blocks=(rf"(?P<venue>[^;\n]{{2,200}}?), Published online: (?P<published>[^;\n]{{4,30}}); ?doi:\s?{_DOI}(?=\s|$)",)),
    Publisher("NBER", title=r" -- by (?P<authors>.{3,2000})$", journal=r"(?P<venue>National Bureau of Economic Research Working Papers)"),
    Publisher("Optica", end=rf"\[(?P<venue>[^\]\d]{{3,60}}?),? \w{{1,6}}(?:\(\d{{1,3}}\))?, [\w-]{{1,20}} \({_YEAR}\)\]$"),
    Publisher("Oxford, AIP, JAMA, and others by Silverchair", blocks=(r"Abstract(?=[A-Z][a-z])",),
              journal=r"(?P<venue>.{2,150}?)(?: -)? (?:Current Issue|Advance (?:Access|Articles?)|Open Issues|Recent Issues|Online First)"),
    Publisher(
        "Pensoft",
        journal=r"Latest Articles from (?P<venue>.{2,150})",
        blocks=(r"(?P<venue>[A-Z][^\n:.]{1,100}?) \d{1,5}(?:\(\d{1,4}\))?: (?:e?\d{1,9}(?:[-–]\d{1,9})?)$", r"(?:HTML|XML|PDF)$"),
    ),
    Publisher("Project Euclid", blocks=(r"(?P<authors>[^\n]{3,2000}?)\. ?\n(?P<venue>[^\n,]{2,150}), Volume [\w-]{1,9}, Number [\w-]{1,9}, .{1,40}$",)),
    Publisher("PLOS", journal=r"(?P<venue>PLOS .{2,60}?)(?:: New Articles)?", blocks=(r"by (?P<authors>[A-Z][^\n]{3,9000})$",)),
    Publisher("JournalTOCs", journal=r"JournalTOCs API - (?P<venue>.{2,150}) \(\d{1,4} articles?\)", blocks=(r"Citation: .{0,1000}$",)),
    Publisher("INFORMS", end=r"This paper (?:was|has been) accepted by .{1,380}$"),
    Publisher("Science, Oxford until 2017", title=r" \[(?:[A-Z][A-Z &/-]{4,40}|[A-Z][a-z]{3,20}/[A-Za-z/ ]{3,40})\]$", end=r"(?<=[.!?] )Authors?: (?P<authors>[^\n:]{3,380})$"),
    Publisher("PNAS", blocks=(r"Significance(?=[A-Z][a-z])",)),
    Publisher("PubMed", blocks=(
        r"(?P<venue>[^\n]{2,150}?)\. " + _YEAR + r" ?[^\n.]{0,60}\. doi: \S{4,300}(?: (?:Online|eCollection|Epub)[^\n]{0,60})?$",
        r"(?:NO ABSTRACT|ABSTRACT)$", r"PMID:[^\n]{0,400}$")),
    Publisher("RePEc", blocks=(r"By: ?(?P<authors>.{3,2000})$", r"(?:JEL|Keywords?|URL|Date)(?: [Cc]\w{1,20}){0,2}: .{0,1000}$")),
    Publisher(
        "Royal Society of Chemistry",
        journal=r"RSC - (?P<venue>.{2,100}) latest articles",
        blocks=(
            rf"(?P<venue>[^\n]{{2,100}}?), {_YEAR}, ?(?:Advance Article|Accepted Manuscript|[\w,() –-]{{1,40}})$",
            rf"(?:DOI: {_DOI}, [A-Z][\w -]{{2,40}}|Open Access|This article is licensed under .{{0,200}})(?:\n(?P<authors>[^\n]{{3,2000}})| ?)$",
            rf"(?:DOI: {_DOI}, [A-Z][\w -]{{2,40}}|Open Access|This article is licensed under .{{0,200}})$",
            r"(?:To cite this article before|The content of this RSS Feed) .{0,200}$",
        ),
    ),
    Publisher("Springer", journal=r"Latest Results for (?P<venue>.{2,150})"),
    Publisher("WordPress", blocks=(r"The post .{1,600} (?:appeared first|first appeared) on .{1,200}$",)),
    Publisher(
        "any",
        journal=r"(?P<venue>(?:[\w&][\w&.,-]{0,20} ){0,4}(?:Journal|Annals|Archives|Letters|Reviews?|Transactions|Proceedings|Bulletin|Acta|Revista|Revue|Zeitschrift)\b[^:|\n]{0,100})",
        title=r"^\[[A-Z][A-Za-z,&:/' -]{2,50}\]\s(?=[A-Z\"“‘'¿])",  # the section: "[Articles] Owls by night"
        blocks=(
            r"(?:Author(?:s|\(s\))?|Authors? names?): ?(?P<authors>[^\n]{3,9000}?)\s?(?:(?<=[a-z]{3})\.)?$",
            rf"(?i:doi): ?(?:https?://(?:dx\.)?doi\.org/)?{_DOI}\.?$",
            r"(?:ABSTRACT|Abstract|Summary|SUMMARY)(?:[:.] ?| (?=[A-Z][a-z]{0,12} [a-z]))",
            r"(?:Keywords?|Key words): .{0,1000}$",
            r"(?:No abstract.{0,30}|Abstract not available|Read more|Continue reading|View full text|TOC Graphic|n/a)\W{0,5}$",
        ),
    ),
)  # fmt: skip

# What publishers list beside the papers of an issue, and corrections of papers.
_NO_PAPER = re.compile(
    r"(?:issue|journal) information|(?:.{1,80} )?(?:publication|society) information(?: for authors)?|(?:.{1,80} )?(?:information|instructions) for authors"
    r"|call for papers.*|(?:author|subject) index.*|list of reviewers.*|(?:issue )?(?:editorial )?masthead|editorial board|subscription page"
    r"|(?:table of )?contents(?: list)?|in (?:this issue|other journals|science journals)|blank page|department of error"
    r"|subscription (?:and|&) copyright information|(?:issue )?highlights(?: (?:from|in|of) this issue)?"
    r"|news at a glance|spotlights? on our sister journals?|outstanding reviewers for .{1,100}"
    r"|(?:.{1,60} )?cover (?:and|&) (?:front|back) ?matter|cover"
    r"|.{1,600} [-–—] (?:addendum|corrigendum|erratum|correction|retraction|expression of concern)"
    r"|(?:(?:outside|inside) )?(?:front |back )?cover(?: (?:image|picture|feature|art|story|profile))(?:\s?[:,(].*)?"
    r"|(?:(?:outside|inside) )?(?:front |back |inside )cover(?:\s?[:,(].*)?|(?:front|back|end) ?matter(?:\s?[:,(].*)?"
    r"|(?:frontispiece|graphical (?:abstract|content)s?)(?:\s?[:,(].*)?"
    r"|\[?(?:correction|retraction|addendum)s?\]?(?: (?:notice|note|statement))?"
    r"(?:\s?[\]:.(—–].*| (?:to|for)\s?(?::.*|[\"“‘'«].*|the (?:article|paper|report|original)\b.*|.{1,80} et al\b.*))?"
    r"|(?:amendments?: )?\[?(?:corrigend(?:um|a)|errat(?:um|a)|(?:author|publisher) correction"
    r"|(?:editorial )?expression of concern|notice of (?:retraction|withdrawal|correction)|publisher[’']s note:)(?!\w).*"
    r"|(?:error|omission|incorrect \w{4,12})s? in (?:the )?(?:figure|table|byline|author|abstract|text|result|title|affiliation|fund|data|end)\w{0,4}\b.{0,60}"
    r"|\[?(?:retracted|withdrawn)(?: (?:article|paper|chapter))?\s?[\]:.].*",
    re.IGNORECASE,
)

# A citation has one of these, and few words in small letters but these.
_CITED = re.compile(
    r"\b(?:Vol(?:ume|s?\.)|Issue|EarlyView|Ahead of Print|Online First|Advance Article|Accepted|doi|DOI|pp?\.|Pages? \w?\d"
    r"|Published|In Press|ISSN)(?!\w)|\b\d{1,4} ?\(\d{1,3}\)|;\d{1,4}[(:]|\b(?:19|20)\d\d\b"
)
_SMALL = frozenset(
    "of the and in for on de la der und für et al doi pp no vol issue volume page pages article ahead print online"
    " published first epub early access version record accepted manuscript advance press view suppl part by date".split()
)
_ADDRESS = re.compile(r"https?://\S{1,300}|\b10\.\d{4,9}/\S{1,300}")
_IDEOGRAPHS = re.compile("[\u3040-\u9fff\uac00-\ud7af]{8}")
_LONGEST_CITATION = 400  # characters
_NO_NAME = re.compile(r"Open Access|licensed|[?!]$|[a-z]{3}\.$")
_LONGEST_BLURB = 1_500  # what stands above the heading of an abstract
_MOST_CUTS = 20  # of one description


def _compiled(attribute: str, flags: int = 0) -> tuple[re.Pattern[str], ...]:
    rows = (getattr(row, attribute) for row in PUBLISHERS)
    patterns = (pattern for value in rows for pattern in ([value] if isinstance(value, str) else value) if pattern)
    return tuple(re.compile(pattern, flags) for pattern in patterns)


_TITLES = _compiled("title")
_JOURNALS = _compiled("journal", re.IGNORECASE)
_BLOCKS = _compiled("blocks", re.MULTILINE)
# A pattern that begins with anything is slow, and its match has one of these words.
_SIGNS = ("Volume", "Vol.", "doi", "DOI", "View", "Ahead of Print", "Accepted", "Advance", "Published online")
_LITERAL_BLOCKS = tuple(
    pattern
    for pattern in _BLOCKS
    if not pattern.pattern.startswith(("[^", "(?P<venue>", "(?P<authors>", "(?:(?P<authors>"))
)
_ENDS = _compiled("end")
_VERSIONS = _compiled("version")
_BEHIND_DOI = re.compile(r"(?:[?&]|(?<!;2-)#|/(?:full|abs(?:tract)?|e?pdf|html|meta|summary)\b|%3F).*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Description:
    """A description in its parts; a part that it doesn't have is empty."""

    abstract: str
    venue: str = ""
    authors: tuple[str, ...] = ()
    published: date | None = None
    doi: str = ""


def read_description(text: str, title: str = "") -> Description:
    r"""Return the parts of a description, of which each block is a line; what no row knows is the abstract.

    >>> read_description("Owl Letters, Volume 12, Issue 3, Page 4-5, March 2026. Owls see by night.")
    Description(abstract='Owls see by night.', venue='Owl Letters', authors=(), published=None, doi='')
    >>> read_description("Owls hear\nAda Lovelace, Grace Hopper\nOwl Lett., 12, 4-5, https://doi.org/10.5555/1, 2026", "Owls hear")
    Description(abstract='', venue='Owl Lett.', authors=('Ada Lovelace', 'Grace Hopper'), published=None, doi='10.5555/1')
    """
    if text.startswith("Type\n"):  # Zotero's table: a block for the name of a field, and one for its value
        rows = list(zip(text.split("\n")[::2], text.split("\n")[1::2], strict=False))
        row = dict(rows)
        authors = tuple(value for name, value in rows if name == "Author")
        day = date_in(row.get("Date", ""))
        return Description(row.get("Abstract", ""), row.get("Publication", ""), authors, day, row.get("DOI", ""))
    stated: dict[str, str] = {}
    authors = ()
    # What is above the heading is a citation, or an advertisement.
    above, heading, below = f"\n{text}".partition(f"\n{ABSTRACT}\n")
    if heading and len(above) <= _LONGEST_BLURB:
        text = below
        cited = read_description(above, title)
        stated = {"venue": cited.venue, "doi": cited.doi}
        authors = cited.authors
    for pattern in _ENDS:
        if match := pattern.search(text, max(len(text) - _LONGEST_CITATION, 0)):
            stated |= {name: value for name, value in match.groupdict().items() if value}
            text = text[: match.start()]
    kept: list[str] = []
    begin = cuts = 0
    while begin < len(text):
        if cuts < _MOST_CUTS and (match := _boilerplate(text, begin)):
            stated = {name: value for name, value in match.groupdict().items() if value} | stated
            begin = match.end()
            cuts += 1
        else:
            end = text.find("\n", begin)
            block = text[begin : end if end >= 0 else len(text)].strip()
            begin = end if end >= 0 else len(text)
            is_noise = len(block) <= _LONGEST_CITATION + len(title) and (
                _letters(block) in ("", _letters(title)) or is_citation(block, title)
            )
            if not is_noise:
                kept.append(block)
        while text[begin : begin + 1].isspace():
            begin += 1
    if "authors" in stated:
        authors = author_names(without_affiliations(stated["authors"]))
    published = date_in(stated.get("published", ""))
    return Description(" ".join(kept), stated.get("venue", ""), authors, published, stated.get("doi", ""))


def _boilerplate(text: str, begin: int) -> re.Match[str] | None:
    head = text[begin : begin + _LONGEST_CITATION]
    for pattern in _BLOCKS if any(sign in head for sign in _SIGNS) else _LITERAL_BLOCKS:
        match = pattern.match(text, begin)
        if match and match.end() > begin and _are_names(match.groupdict().get("authors") or "Ada Lovelace"):
            return match
    return None


def _are_names(text: str) -> bool:
    """Whether a block lists people: its first names are short and have hardly a word in small letters."""
    names = re.split(r"[,;]| and ", text[:_LONGEST_CITATION])[:3]
    return not _NO_NAME.search(text) and all(
        sum(map(str.islower, name.split())) <= 3 and len(name) <= 60 for name in names
    )


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text[: limits.TITLE]))


def is_citation(text: str, title: str = "") -> bool:
    """Whether a block says where a paper is, and not what is in it.

    >>> is_citation("J Owls. 2026 Jan 20;12(3):4-5. doi: 10.1234/owls.5. Epub ahead of print.")
    True
    >>> is_citation("In the archive, volume 3, we look for owls.")
    False
    """
    if len(text) > _LONGEST_CITATION + len(title) or _IDEOGRAPHS.search(text):
        return False
    rest = _ADDRESS.sub("doi", text.replace(title, " ") if title else text)
    words = (word.strip(".,;:()[]") for word in rest.split())
    return bool(_CITED.search(rest)) and sum(word.islower() and word not in _SMALL for word in words) <= 1


def read_title(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a title without what its publisher adds, and the authors if they are among that.

    >>> read_title("The Price of Silence -- by Ada Lovelace, Grace Hopper")
    ('The Price of Silence', ('Ada Lovelace', 'Grace Hopper'))
    """
    authors: tuple[str, ...] = ()
    for pattern in _TITLES:
        if match := pattern.search(text):
            authors = author_names(match.groupdict().get("authors") or "") or authors
            text = f"{text[: match.start()]}{text[match.end() :]}".strip()
    return text, authors


def is_no_paper(title: str) -> bool:
    """Whether a title is that of a cover, a list of contents, or a correction of a paper.

    >>> is_no_paper("Author Correction: How owls see"), is_no_paper("Correction of motion in images of owls")
    (True, False)
    """
    return bool(_NO_PAPER.fullmatch(title.rstrip(" .:*")))


def journal_of(feed_title: str) -> str:
    """Return the journal that the title of a publisher's feed names; empty if it has another form.

    >>> journal_of("Wiley: Owl Letters: Table of Contents"), journal_of("Ada's blog")
    ('Owl Letters', '')
    """
    venue = next((match["venue"] for match in (pattern.fullmatch(feed_title) for pattern in _JOURNALS) if match), "")
    name, _, series = venue.partition(", IEEE ")
    return f"IEEE {series} {name}" if series else venue


def plain_doi(doi: str) -> str:
    """Return a DOI without the query of its address and without the version of a preprint.

    >>> plain_doi("10.26434/chemrxiv-2025-ab123/v3"), plain_doi("10.1099/ijo.0.005019?TRACK=RSS")
    ('10.26434/chemrxiv-2025-ab123', '10.1099/ijo.0.005019')
    """
    doi = _BEHIND_DOI.sub("", doi[: limits.URL])
    for pattern in _VERSIONS:
        doi = pattern.sub(r"\1", doi)
    return doi
