r"""Papers for reference managers: BibTeX, and RIS (the form of EndNote, Zotero, Mendeley and others)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from bot.domain import Paper
from bot.render.latex import readable
from bot.render.links import title_link
from bot.render.text import oneline

_TEX = {
    **{c: f"\\{c}" for c in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}
_TEX_TABLE = str.maketrans(_TEX)
_KEY = re.compile(r"[^a-z0-9]+")


def bibtex(papers: Iterable[Paper]) -> str:
    """One ``@misc`` entry a paper, in UTF-8; keys are unique, as they end in the paper's number."""
    return "\n".join(_bibtex(paper) for paper in papers)


def ris(papers: Iterable[Paper]) -> str:
    """One reference a paper, in UTF-8, with the line ends that the form asks for."""
    return "".join(_ris(paper) for paper in papers)


def _bibtex(paper: Paper) -> str:
    fields = {
        "title": "{" + _tex(paper.title) + "}",  # doubled braces keep capitals
        "author": " and ".join(_name(author) for author in _authors(paper)),
        "year": str(paper.published.year) if paper.published else "",
        "month": f"{paper.published:%b}".lower() if paper.published else "",
        "eprint": paper.arxiv_id or "",
        "archiveprefix": "arXiv" if paper.arxiv_id else "",
        "doi": _tex(paper.doi or ""),
        "url": _url(paper),
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@misc{{{_key(paper)},", *lines, "}\n"])


def _ris(paper: Paper) -> str:
    lines = [
        ("TY", "UNPB"),
        ("TI", oneline(readable(paper.title))),
        *(("AU", author) for author in _authors(paper)),
        ("PY", str(paper.published.year) if paper.published else ""),
        ("DA", f"{paper.published:%Y/%m/%d}" if paper.published else ""),
        ("DO", oneline(paper.doi or "")),
        ("M1", f"arXiv:{paper.arxiv_id}" if paper.arxiv_id else ""),
        ("UR", _url(paper)),
        ("AB", oneline(readable(paper.abstract))),
    ]
    return "".join(f"{tag}  - {value}\r\n" for tag, value in lines if value) + "ER  - \r\n\r\n"


def _key(paper: Paper) -> str:
    authors = _authors(paper)
    last = authors[0].split()[-1] if authors else "anonymous"
    year = paper.published.year if paper.published else ""
    ascii_name = unicodedata.normalize("NFKD", last).encode("ascii", "ignore").decode().lower()
    return f"{_KEY.sub('', ascii_name) or 'paper'}{year}{paper.ref}"


def _authors(paper: Paper) -> Sequence[str]:
    return [name for author in paper.authors if (name := oneline(readable(author)))]


def _name(author: str) -> str:
    """A name for BibTeX; in braces where it holds the word that parts names."""
    return "{" + _tex(author) + "}" if " and " in author.lower() or "," in author else _tex(author)


def _url(paper: Paper) -> str:
    """The paper's address, if one is known: a search for it is none. Already percent-encoded where it must be."""
    link = title_link(paper)
    return "" if link.is_search else link.url


def _tex(text: str) -> str:
    return oneline(readable(text)).translate(_TEX_TABLE)
