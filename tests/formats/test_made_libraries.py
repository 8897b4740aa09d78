"""What is a library and what is none, and what broken records and dates of all kinds become."""

import json
from pathlib import Path

import pytest

from bot.formats.library import clean_text, is_library, parse
from bot.model import RawDigest
from bot.model.errors import DigestError

MADE = Path(__file__).parent / "made"
LIBRARIES = [
    path.name.removesuffix(".expected.json")
    for path in sorted(MADE.glob("*.expected.json"))
    if json.loads(path.read_text())["kind"] == "library"
]


@pytest.mark.parametrize("name", LIBRARIES)
def test_each_export_is_known_by_its_beginning(name):
    assert is_library(clean_text((MADE / name).read_bytes(), "library")[:2_000])


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
    blocks = b'"TITLE","Owls that see by night"\n"ABSTRACT","x"\n"NOTE","' + b"x" * 200_000
    parsed = parse(RawDigest("", "x", blocks))
    assert [item.entry.title for item in parsed.entries] == ["Owls that see by night"]
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
