"""Small files as databases and reference managers export them, each beside what it holds."""

import json
from pathlib import Path

import pytest

from bot.formats.library import clean_text, is_library, parse
from bot.model import FactKind, RawDigest
from bot.model.errors import DigestError
from bot.text.latex import readable

MADE = Path(__file__).parent / "made"
EXPECTED = {
    path.name.removesuffix(".expected.json"): expected
    for path in sorted(MADE.glob("*.expected.json"))
    if (expected := json.loads(path.read_text()))["kind"] == "library"
}


def shown(content: bytes) -> dict:
    """Return a library as ``paperbot inspect --json`` shows it, without empty fields."""
    parsed = parse(RawDigest("", "library", content))
    papers = []
    for item in parsed.entries:
        entry = item.entry
        fields = {
            "title": readable(entry.title),
            "authors": [readable(author) for author in entry.authors],
            "abstract": readable(entry.abstract),
            "date": entry.published and entry.published.isoformat(),
            "arxiv": entry.arxiv_id,
            "doi": entry.doi,
            "url": entry.url,
            "venue": next((fact.value for fact in entry.facts if fact.kind is FactKind.VENUE), None),
            "added": item.added and item.added.isoformat(),
        }
        papers.append({name: value for name, value in fields.items() if value})
    rejected = [dict(zip(("entry", "problem"), problem.split(": ", 1), strict=True)) for problem in parsed.problems]
    return {"kind": "library", "format": parsed.format, "date": None, "papers": papers, "rejected": rejected}


@pytest.mark.parametrize("name", EXPECTED)
def test_each_export_gives_its_papers(name):
    content = (MADE / name).read_bytes()
    assert shown(content) == EXPECTED[name]
    assert is_library(clean_text(content, "library"))
    assert EXPECTED[name]["papers"]


@pytest.mark.parametrize(
    "text",
    [
        "# Owls - 2025-05-06\n\n**Authors**: Ada Lovelace\n\n```\n@article{a, title = {Owls}}\n```\n",
        "Owls - 2025-05-06\n\nOwls by Night\n\nAuthors: Ada Lovelace\n\nSee.\n\nTY  - JOUR\nTI  - Owls\nER  - \n",
        "From: ada@example.org\nSubject: Owls\n\n@article{a, title = {Owls}}\n",
        "title,abstract,authors,date,start,room\nOwls,x,A,2025-05-06,09:00,Hall 1\n",
        '[{"paper": {"id": "2606.00467", "title": "Owls"}}]',
        '{"status": "ok", "message": {"items": [{"type": "journal-article", "title": ["Owls"], "author": []}]}}',
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="u"><channel/></rdf:RDF>',
        "PMID numbers are explained here.\n",
        "",
    ],
)
def test_digests_mails_programmes_and_feeds_are_no_libraries(text):
    assert not is_library(text)


@pytest.mark.parametrize(
    "before",
    [
        "\ufeff\n\n",
        "% Encoding: UTF-8\n\n",
        "Scopus\nEXPORT DATE: 12 March 2024\n\n",
        "@comment{x}\n@string{a = {b}}\n",
    ],
)
def test_what_programs_write_before_the_first_entry_is_no_obstacle(before):
    assert is_library(f"{before}@article{{a, title = {{Owls}}}}\n")


def test_an_entity_in_xml_is_neither_expanded_nor_fetched():
    records = "<xml><records><record><titles><title>Owls &a; by night</title></titles></record></records></xml>"
    bomb = f'<!DOCTYPE xml [<!ENTITY a "owl">]>{records}'
    with pytest.raises(DigestError):
        parse(RawDigest("", "x", bomb.encode()))
    parsed = parse(RawDigest("", "x", records.encode()))
    assert [item.entry.title for item in parsed.entries] == ["Owls &a; by night"]


def test_a_broken_record_costs_itself_alone():
    xml = "<xml><records><record><titles><title>Owls</title></titles></record><record><titles><title>Bees"
    parsed = parse(RawDigest("", "x", xml.encode()))
    assert [item.entry.title for item in parsed.entries][:1] == ["Owls"]
    assert parsed.problems[0].startswith("line 1: broken XML")
    rows = b"Title,Authors,Year\nOwls,A,2020\n" + b'"' + b"x" * 200_000 + b'",A,2020\nBees,B,2021\n'
    parsed = parse(RawDigest("", "x", rows))
    assert [item.entry.title for item in parsed.entries] == ["Owls", "Bees"]
    assert parsed.problems[0].startswith("line 3: ")


@pytest.mark.parametrize(
    ("dates", "published"),
    [
        ("DA  - SEP 22\nPY  - 2010", "2010-09-22"),
        ("PY  - 2019///", "2019-01-01"),
        ("Y1  - 2019/03//Mar2019", "2019-03-01"),
        ("DA  - 20190304", "2019-03-04"),
        ("PY  - 2019\nDA  - 2021/05/06", "2019-01-01"),
        ("DA  - 12 Mar 2019", "2019-03-12"),
        ("DA  - March 12, 2019", "2019-03-12"),
        ("DA  - 03/2019", "2019-03-01"),
        ("DA  - 2019 Jan-Feb", "2019-01-01"),
        ("PY  - 2019\nDA  - Spring", "2019-01-01"),
        ("DA  - 2019-02-31", "2019-01-01"),
        ("PY  - in press", None),
    ],
)
def test_dates_are_read_as_products_write_them(dates, published):
    parsed = parse(RawDigest("", "x", f"TY  - JOUR\nTI  - Owls\n{dates}\nY2  - 2024/01/02\nER  - \n".encode()))
    (item,) = parsed.entries
    assert (item.entry.published and item.entry.published.isoformat(), item.added) == (published, None)
