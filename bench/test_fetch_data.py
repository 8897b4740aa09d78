"""``fetch_data.py`` rebuilds each data set from its public form, from files and from servers on loopback."""

from __future__ import annotations

import gzip
import json
import zipfile
from pathlib import Path
from typing import Any

import fetch_data
import pytest
from servers import Page, Web
from summary_weights import read_jsonl


def record(identifier: str, categories: str, created: str) -> dict[str, Any]:
    """Return a paper as arXiv's metadata has it."""
    return {
        "id": identifier,
        "title": f"Owls,\n  part {identifier}",
        "abstract": f"  Owls see at\nnight {identifier}.\n",
        "categories": categories,
        "versions": [
            {"version": "v1", "created": created},
            {"version": "v2", "created": "Sat, 1 Aug 2026 10:00:00 GMT"},
        ],
        "authors_parsed": [["Lovelace", "Ada", ""], ["Owl Study Group", "", ""]],
    }


SNAPSHOT = [
    record("2502.20399", "cs.IR", "Thu, 27 Feb 2025 10:00:00 GMT"),  # of arxiv_papers.txt, and drawn
    record("2508.21802", "cs.CL cs.LG", "Fri, 29 Aug 2025 10:00:00 GMT"),
    record("2503.99999", "math.AG", "Mon, 3 Mar 2025 10:00:00 GMT"),
    record("1105.00001", "cs.AI", "Sun, 1 May 2011 10:00:00 GMT"),
]


@pytest.mark.parametrize("form", ["file", "gz at an address", "zip"])
def test_arxivs_metadata_become_the_three_sets(tmp_path: Path, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    labelled = {row["id"] for row in fetch_data._rows(fetch_data.HERE / "findings_labels.jsonl")}
    later = max(identifier for identifier in labelled if identifier.startswith("2510."))
    content = "".join(json.dumps(row) + "\n" for row in [*SNAPSHOT, {**SNAPSHOT[2], "id": later}]).encode()
    with Web().running() as web:
        name = str(tmp_path / "snapshot.json")
        if form == "file":
            Path(name).write_bytes(content)
        elif form == "zip":
            name = str(tmp_path / "archive.zip")
            with zipfile.ZipFile(name, "w") as archive:
                archive.writestr("arxiv-metadata-oai-snapshot.json", content)
        else:
            web.pages["/snapshot.json.gz"] = Page(gzip.compress(content))
            name = f"{web.url}/snapshot.json.gz"
        fetch_data.arxiv(name, tmp_path)
    (listed,) = read_jsonl(tmp_path / "arxiv-papers.jsonl.gz")
    assert listed == {
        "day": "2025-02-27",
        "id": "2502.20399",
        "title": "Owls, part 2502.20399",
        "abstract": "Owls see at night 2502.20399.",
        "authors": ["Ada Lovelace", "Owl Study Group"],
    }
    assert [paper["id"] for paper in read_jsonl(tmp_path / "stream" / "papers.jsonl.gz")] == [later]
    drawn = {paper["id"] for paper in read_jsonl(tmp_path / "abstracts.jsonl.gz")}
    assert drawn == {"2502.20399", "2508.21802"}
    assert "arxiv-papers.jsonl.gz: 1 of 9,107\n" in capsys.readouterr().out


def test_reviews_keep_the_numbers_of_their_rows_and_pubmed_fills_in_abstracts(tmp_path: Path) -> None:
    rows = ["pmid,title,abstract,label_included", "11,Owls,,1", "12,Bees,,0", ",Mice,Mice squeak.,0", ",Rats,,1"]
    (tmp_path / "ACEInhibitors.csv").write_text("\n".join(rows))
    found = """<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID Version="1">11</PMID><Article>
        <ArticleTitle>Owls.</ArticleTitle><Abstract><AbstractText Label="AIM">To see.</AbstractText></Abstract>
        </Article></MedlineCitation></PubmedArticle></PubmedArticleSet>"""
    with Web().running() as web:
        web.pages["/efetch.fcgi"] = Page(found.encode())
        fetch_data.screening([tmp_path / "ACEInhibitors.csv"], tmp_path, web.url, ["127.0.0.1"])
        assert "id=11%2C12" in web.requests[0].path
    assert read_jsonl(tmp_path / "screening.jsonl.gz") == [
        {
            "review": "ACEInhibitors",
            "id": "ACEInhibitors-0",
            "title": "Owls",
            "abstract": "AIM: To see.",
            "included": 1,
        },
        {
            "review": "ACEInhibitors",
            "id": "ACEInhibitors-2",
            "title": "Mice",
            "abstract": "Mice squeak.",
            "included": 0,
        },
    ]


def test_published_sets_get_the_names_that_scripts_expect(tmp_path: Path) -> None:
    labelled = {"abstract_id": 7, "sentences": ["Owls see."], "labels": ["result"], "confs": [1.0]}
    gist = {"source": ["Owls see."], "source_labels": [1], "paper_id": "x1", "target": ["Owls."]}
    for name, row in (("train", labelled), ("dev", labelled), ("gist", gist)):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row) + "\n")
    fetch_data.csabstruct(tmp_path / "train.jsonl", tmp_path / "dev.jsonl", tmp_path)
    fetch_data.scitldr(tmp_path / "gist.jsonl", tmp_path)
    kinds = read_jsonl(tmp_path / "abstracts" / "csabstruct.jsonl.gz")
    assert [(row["id"], row["sentences"], row["labels"]) for row in kinds] == [
        ("train-0", ["Owls see."], ["result"]),
        ("dev-0", ["Owls see."], ["result"]),
    ]
    assert read_jsonl(tmp_path / "abstracts" / "scitldr-dev.jsonl") == [
        {"id": "x1", "title": "", "sentences": ["Owls see."], "targets": ["Owls."]}
    ]
