"""Digests in Markdown, and what a file's name says of them."""

from __future__ import annotations

import contextlib
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.formats.format import date_in, topic_in
from bot.formats.registry import parse
from bot.model import Entry, ParsedDigest, RawDigest
from bot.model.errors import DigestError

PAPER = """# Owls at Night

**Authors**: Ada Lovelace, Grace Hopper

**Link**: [PDF](https://arxiv.org/pdf/2505.02693v2)

**Abstract**: Owls see \\textbf{well}.
They also hear.

---
"""
OWLS = Entry(
    title="Owls at Night",
    abstract="Owls see \\textbf{well}. They also hear.",
    authors=("Ada Lovelace", "Grace Hopper"),
    arxiv_id="2505.02693",
    version=2,
)
OTHER = """- not a paper

## [Bees by Day](https://example.org/bees)

- **Published:** May 5, 2025
- **Author:** Alan Turing
- **Categories:** `cs.BE`, cs.AI
- **Summary:** Bees count.

### Notes

Nothing of this belongs to it.
"""
BEES = Entry(
    title="Bees by Day",
    abstract="Bees count.",
    authors=("Alan Turing",),
    published=date(2025, 5, 5),
    url="https://example.org/bees",
    categories=("cs.BE", "cs.AI"),
)


def read(text: str, name: str = "x.md") -> tuple[ParsedDigest, ...]:
    return parse(RawDigest("test", name, text.encode()))


def test_papers_are_read_and_the_file_name_supplies_day_and_topic() -> None:
    (digest,) = read(PAPER + PAPER.replace("Owls", "Cats"), "6-May-2025_topic_RAG_related_papers.md")
    assert (digest.format, digest.topic, digest.date) == ("markdown", "RAG", date(2025, 5, 6))
    assert digest.entries[0] == OWLS
    assert [entry.title for entry in digest.entries] == ["Owls at Night", "Cats at Night"]


def test_day_and_topic_of_the_heading_win_over_the_file_name() -> None:
    (digest,) = read(f"# Birds - 2025-05-07\n\n{PAPER}", "2024-01-01.md")
    assert (digest.topic, digest.date, digest.entries) == ("Birds - 2025-05-07", date(2025, 5, 7), (OWLS,))


def test_fields_in_lists_linked_headings_and_other_headings_are_read() -> None:
    (digest,) = read(OTHER + PAPER)
    assert digest.entries == (BEES, OWLS)


def test_a_paper_with_an_empty_or_too_long_heading_is_rejected_alone() -> None:
    (digest,) = read(PAPER.replace("Owls at Night", "[](x)") + PAPER)
    assert (digest.entries, digest.rejected) == ((OWLS,), ("line 1: a paper without a title",))


def test_other_markdown_is_refused() -> None:
    with pytest.raises(DigestError, match="Markdown digest"):
        read("# Title\n\nText with **bold** words.\n\n# Another\n\n**Note**: this.")


@pytest.mark.parametrize(
    ("name", "day", "topic"),
    [
        ("6-May-2025_IR_README.md", date(2025, 5, 6), "IR"),
        ("https://example.org/owls-2025-05-06.xml?x=1", date(2025, 5, 6), "owls"),
        ("20250506.md", date(2025, 5, 6), ""),
        ("May 6, 2025.md", date(2025, 5, 6), ""),
        ("2025-02-31.md", None, ""),
        ("31 Feb 2025 owls", None, "owls"),
        ("2505.02693.md", None, "2505.02693"),
    ],
)
def test_day_and_topic_are_read_from_file_names(name: str, day: date | None, topic: str) -> None:
    assert (date_in(name), topic_in(name)) == (day, topic)


@given(st.lists(st.sampled_from((PAPER + OTHER).splitlines()) | st.text(max_size=20), max_size=40), st.text())
def test_lines_in_any_order_are_read_or_refused(lines: list[str], name: str) -> None:
    with contextlib.suppress(DigestError):
        read("\n".join(lines), name)
