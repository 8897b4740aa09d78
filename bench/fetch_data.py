"""Rebuilds the data that teaches the shipped weights, from public files, into a folder as scripts expect it.

    python bench/fetch_data.py arxiv SNAPSHOT FOLDER          arXiv's metadata: a file or address, also .gz or .zip
    python bench/fetch_data.py screening REVIEW.csv... FOLDER  reviews, abstracts from PubMed where the CSV has none
    python bench/fetch_data.py csabstruct TRAIN.jsonl DEV.jsonl FOLDER
    python bench/fetch_data.py scitldr DEV.jsonl FOLDER

``bench/README.md`` says where these files are. The repository has ids and labels: ``arxiv_papers.txt``,
``findings_labels.jsonl``, ``answers_labels.jsonl``, ``chosen_labels.jsonl``, and checksums of abstracts in
``findings_read.jsonl``. Each command prints how much of them was found. An abstract that its authors revised since has
another checksum.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import json
import re
import zipfile
from collections.abc import Iterable, Iterator
from datetime import date
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from bot.formats.registry import parse
from bot.model import RawDigest
from bot.sources.http import Fetcher
from bot.sources.pubmed import BATCH, URL, PubmedOptions, PubmedSource

HERE = Path(__file__).parent
# How abstracts.jsonl.gz was drawn: what arXiv listed on these days in these categories.
CATEGORIES = {"cs.AI", "cs.CL", "cs.IR"}
FIRST, LAST = date(2024, 12, 18), date(2025, 8, 29)
ABSTRACTS = 40_303
_ARTICLE = re.compile(rb"<PubmedArticle>.*?</PubmedArticle>", re.DOTALL)
_PMID = re.compile(rb"<PMID[^>]*>(\d+)<")


def arxiv(snapshot: str, folder: Path) -> None:
    """Write ``arxiv-papers``, ``stream/papers`` and ``abstracts`` from arXiv's metadata, a JSON object on each line."""
    months = re.findall(r"(\d{4}):([^:]+?)(?=\s\d{4}:|\Z)", (HERE / "arxiv_papers.txt").read_text())
    listed = {f"{month}.{number}" for month, numbers in months for number in numbers.split()}
    labelled = {row["id"] for name in ("findings", "answers", "chosen") for row in _rows(HERE / f"{name}_labels.jsonl")}
    later = {identifier for identifier in labelled - listed if re.fullmatch(r"\d{4}\.\d{5}", identifier)}
    wanted = listed | later
    read = {row["abstract"] for row in _rows(HERE / "findings_read.jsonl")}
    papers: dict[str, dict[str, Any]] = {}
    drawn: list[tuple[bool, str, dict[str, Any]]] = []
    for row in _snapshot(snapshot):
        paper = {
            "day": str(parsedate_to_datetime(row["versions"][0]["created"]).date()),
            "id": row["id"],
            "title": " ".join(row["title"].split()),
            "abstract": " ".join(row["abstract"].split()),
            "authors": [" ".join(f"{first} {last}".split()) for last, first, *_ in row["authors_parsed"]],
        }
        checksum = hashlib.sha256(paper["abstract"].encode()).hexdigest()
        is_read = checksum[:10] in read
        if row["id"] in wanted or (is_read and paper["day"] > str(LAST)):
            papers[row["id"]] = paper
        if str(FIRST) <= paper["day"] <= str(LAST) and CATEGORIES.intersection(row["categories"].split()):
            drawn.append((not is_read, checksum, paper))
    # Those that the encoder read, then others by chance.
    drawn.sort(key=lambda each: each[:2])
    _write(folder / "arxiv-papers.jsonl.gz", [papers[i] for i in sorted(listed & papers.keys())], len(listed))
    print(f"labels: of {len(later & papers.keys()):,} of {len(later):,} papers after {LAST}")
    _write(folder / "stream" / "papers.jsonl.gz", [papers[i] for i in sorted(papers.keys() - listed)], 5_600)
    _write(folder / "abstracts.jsonl.gz", [paper for *_, paper in drawn[:ABSTRACTS]], ABSTRACTS)


def _snapshot(name: str) -> Iterator[dict[str, Any]]:
    if name.endswith(".zip"):
        with zipfile.ZipFile(name) as archive, archive.open(archive.namelist()[0]) as lines:
            yield from map(json.loads, lines)
        return
    with urlopen(name if re.match("https?://", name) else Path(name).resolve().as_uri()) as stream:
        yield from map(json.loads, gzip.GzipFile(fileobj=stream) if name.endswith(".gz") else stream)


def screening(reviews: Iterable[Path], folder: Path, url: str = URL, hosts: Iterable[str] = ()) -> None:
    """Write ``screening`` from CSV files, each named after its review; ids are the numbers of their rows, from 0.

    A row has ``title``, ``abstract`` and ``label_included`` or ``included``, or ``pmid`` instead of an abstract.
    """
    pubmed = PubmedSource(
        PubmedOptions(name="bench", kind="pubmed", query="-", url=url), Fetcher(private_hosts=[*hosts])
    )
    papers = []
    for path in reviews:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = list(csv.DictReader(file))
        missing = [row["pmid"].strip() for row in rows if row.get("pmid") and not row.get("abstract")]
        fetched: dict[str, tuple[str, str]] = {}
        for start in range(0, len(missing), BATCH):
            for article in _ARTICLE.findall(pubmed.articles(missing[start : start + BATCH])):
                (digest,) = parse(RawDigest("bench", "", b"<PubmedArticleSet>" + article + b"</PubmedArticleSet>"))
                if digest.entries and (pmid := _PMID.search(article)):
                    fetched[pmid[1].decode()] = (digest.entries[0].title, digest.entries[0].abstract)
        for number, row in enumerate(rows):
            title, abstract = fetched.get((row.get("pmid") or "").strip(), (row.get("title"), row.get("abstract")))
            included = int(float(row.get("label_included") or row.get("included") or 0))
            paper = {"review": path.stem, "id": f"{path.stem}-{number}", "title": title, "abstract": abstract}
            papers += [{**paper, "included": included}] if title and abstract else []
    named = {row["id"] for name in ("findings", "answers", "chosen") for row in _rows(HERE / f"{name}_labels.jsonl")}
    reviewed = {identifier for identifier in named if not re.match(r"\d{4}\.|train-|dev-", identifier)}
    print(f"labels: of {len(reviewed & {paper['id'] for paper in papers}):,} of {len(reviewed):,} papers")
    _write(folder / "screening.jsonl.gz", papers, 10_726)


def csabstruct(train: Path, dev: Path, folder: Path) -> None:
    rows = [
        {"id": f"{part}-{number}", **{key: row[key] for key in ("sentences", "labels", "confs") if key in row}}
        for part, path in (("train", train), ("dev", dev))
        for number, row in enumerate(_rows(path))
    ]
    _write(folder / "abstracts" / "csabstruct.jsonl.gz", rows, 1_963)


def scitldr(dev: Path, folder: Path) -> None:
    rows = [
        {"id": row["paper_id"], "title": row.get("title", ""), "sentences": row["source"], "targets": row["target"]}
        for row in _rows(dev)
    ]
    _write(folder / "abstracts" / "scitldr-dev.jsonl", rows, 619)


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def _write(path: Path, rows: list[dict[str, Any]], expected: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(row) + "\n" for row in rows).encode()
    path.write_bytes(gzip.compress(text, mtime=0) if path.suffix == ".gz" else text)
    print(f"{path}: {len(rows):,} of {expected:,}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", choices=("arxiv", "screening", "csabstruct", "scitldr"))
    parser.add_argument("files", nargs="+", help="the files or the address")
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    if given.data == "arxiv":
        arxiv(*given.files, given.folder)
    elif given.data == "screening":
        screening(map(Path, given.files), given.folder)
    else:
        {"csabstruct": csabstruct, "scitldr": scitldr}[given.data](*map(Path, given.files), given.folder)


if __name__ == "__main__":
    main()
