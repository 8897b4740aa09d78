r"""Papers for reference managers: BibTeX, and RIS (the form of EndNote, Zotero, Mendeley and others)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from bot.domain import Paper
from bot.rendering.latex import readable
from bot.rendering.paper_links import title_link
from bot.rendering.text import oneline
from bot.terms import terms

_TEX = {
    **{c: f"\\{c}" for c in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}
_TEX_TABLE = str.maketrans(_TEX)
_KEY = re.compile(r"[^a-z0-9]+")
# Of a paper whose address no digest gave.
_SEARCH = "The address searches arXiv for the title"


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
        "url": title_link(paper).url,
        "note": _SEARCH if title_link(paper).is_search else "",
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
        ("UR", title_link(paper).url),
        ("N1", _SEARCH if title_link(paper).is_search else ""),
        ("AB", oneline(readable(paper.abstract))),
    ]
    return "".join(f"{tag}  - {value}\r\n" for tag, value in lines if value) + "ER  - \r\n\r\n"


def _key(paper: Paper) -> str:
    """The first author's last name, or else the title's first word that means something; year; number."""
    words = [author.split()[-1] for author in _authors(paper)[:1]] or terms(readable(paper.title))
    ascii_words = (unicodedata.normalize("NFKD", word).encode("ascii", "ignore").decode() for word in words)
    name = next((key for word in ascii_words if (key := _KEY.sub("", word.lower()))), "paper")
    return f"{name}{paper.published.year if paper.published else ''}{paper.ref}"


def _authors(paper: Paper) -> Sequence[str]:
    return [name for author in paper.authors if (name := oneline(readable(author)))]


def _name(author: str) -> str:
    """A name for BibTeX; in braces where it holds the word that parts names."""
    return "{" + _tex(author) + "}" if " and " in author.lower() or "," in author else _tex(author)


def _tex(text: str) -> str:
    return oneline(readable(text)).translate(_TEX_TABLE)
