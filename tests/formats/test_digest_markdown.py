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


def test_a_paper_with_an_empty_or_too_long_heading_is_rejected_alone() -> None:
    (digest,) = read(PAPER.replace("Owls at Night", "[](x)") + PAPER)
    assert (digest.entries, digest.rejected) == ((OWLS,), ("line 1: a paper without a title",))


@pytest.mark.parametrize(
    "text",
    [
        "# Title\n\nText with **bold** words.\n\n# Another\n\n**Note**: this.",
        "# OwlNet\n\n[![arXiv](a.svg)](https://arxiv.org/abs/2605.00001)\n\n## Installation\n\n    pip install owlnet",
        "# OwlNet\n\n| Name | Description |\n|---|---|\n| `--owls` | how many |\n\n| Name | Link |\n|--|--|\n| a | https://a.org |",
        "---\ntitle: A post\nauthor: Ada\nsource: here\nsummary: Owls.\n---\n\nI saw owls.",
        "# Papers to read.\n#\n# One link per line.\n\nhttps://arxiv.org/abs/2605.00001\nhttps://arxiv.org/abs/2605.00002",
        "---\ntitle: Agents\ntags: [wiki]\npapers: [https://arxiv.org/abs/2605.00001, https://arxiv.org/abs/2605.00002]\n---\n\nI read.",
        "- See our [paper](https://owls.example.org/1.pdf)\n- Read the original [paper](https://owls.example.org/2.pdf)",
        "# 읽기\n\n- **공식 근거:** 공식 페이지가 있다. [공식 페이지](https://aclanthology.org/2024.acl-long.1/).",
    ],
)
def test_other_markdown_is_refused(text: str) -> None:
    with pytest.raises(DigestError, match="no papers in a format"):
        read(text)


@pytest.mark.parametrize(
    ("heads", "topic", "day"),
    [
        ("## Updated on 2026.05.11\n\n## Owls", "Owls", date(2026, 5, 11)),
        (
            "# Personalized Daily Arxiv Papers 05/11/2026\nTotal: 1",
            "Personalized Daily Arxiv Papers 05/11/2026",
            date(2026, 5, 11),
        ),
        ("# Owls\n\n**Last update:** 2026-5-11", "Owls", date(2026, 5, 11)),
        ("# 每日论文（2026年5月11日）", "每日论文（2026年5月11日）", date(2026, 5, 11)),
        ("---\ntitle: Owls\ndate: 2026-05-11\n---", "Owls", date(2026, 5, 11)),
        ("<!-- 2026-05-12\n# Bees -->\n# Owls [[Back]](#toc)", "Owls", None),
    ],
)
def test_topic_and_day_stand_above_the_first_paper(heads: str, topic: str, day: date | None) -> None:
    (digest,) = read(f"{heads}\n\n{PAPER}", "README.md")
    assert (digest.topic, digest.date, digest.entries) == (topic, day, (OWLS,))


def test_each_heading_with_a_day_begins_a_digest() -> None:
    first, second = read(f"# Owls\n\n## 2026-05-11\n\n{PAPER}\n## 2026-05-10\n\n{PAPER.replace('Owls', 'Cats')}")
    assert (first.date, [entry.title for entry in first.entries]) == (date(2026, 5, 11), ["Owls at Night"])
    assert (second.date, [entry.title for entry in second.entries]) == (date(2026, 5, 10), ["Cats at Night"])


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("1. Owls", "Owls"),
        ("[12] Owls", "Owls"),
        ("#3 [Owls](https://example.org) [PDF] [Copy]", "Owls"),
        ("Paper 4: Owls", "Owls"),
        ("🔥 **Owls** 🔥", "Owls"),
        ("[2605.00001] Owls", "Owls"),
        ("3D owls in 2.0: a study (2026)", "3D owls in 2.0: a study (2026)"),
        ("1.58-bit owls", "1.58-bit owls"),
        ("A* search, $a*b*c$ and \\_x\\_ with `code`", "A* search, $a*b*c$ and _x_ with code"),
        ("Owls [[PDF]](https://example.org/1.pdf)", "Owls"),
    ],
)
def test_marks_numbers_and_links_stay_out_of_a_title(heading: str, title: str) -> None:
    (digest,) = read(PAPER.replace("Owls at Night", heading))
    assert [entry.title for entry in digest.entries] == [title]


def test_a_title_in_a_table_may_have_its_summary_behind_it() -> None:
    (digest,) = read(
        "# Top Papers\n\n| **Paper** | **Links** |\n| --- | --- |\n"
        "| 1) **Owls at Night** - They see. <br> They hear. | [Paper](https://arxiv.org/abs/2505.02693) |\n"
    )
    (owls,) = digest.entries
    assert (owls.title, owls.abstract, owls.arxiv_id) == ("Owls at Night", "They see. They hear.", "2505.02693")


@pytest.mark.parametrize(
    "text",
    [
        "# Report\n\nWe read [a paper](https://arxiv.org/abs/2605.00009) today.\n\n| Model | Score |\n|---|---|\n| A | 1 |",
        "# Digests\n\n| from | how |\n|---|---|\n| arXiv | feed: `https://rss.arxiv.org/rss/cs.AI` |",
        "# Install\n\n1. Run it.\n2. Read [the docs](https://example.org/docs).\n\n**Note**: this.",
    ],
)
def test_other_lists_and_tables_are_refused(text: str) -> None:
    with pytest.raises(DigestError, match="no papers in a format"):
        read(text)


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
