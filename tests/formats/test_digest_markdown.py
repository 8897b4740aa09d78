"""Digests in Markdown, and what a file's name says of them."""

from __future__ import annotations

import contextlib
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.formats.format import date_in, topic_in
from bot.formats.registry import parse
from bot.model import Entry, Fact, FactKind, ParsedDigest, RawDigest
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


# As other bots write them: text, what is read of it.
OTHERS = {
    "the table of cv-arxiv-daily and its forks": (
        """---
layout: default
---

[![Contributors][contributors-shield]][contributors-url]

## Updated on 2026.05.11
> Usage instructions: [here](./docs/README.md#usage)

<details>
  <summary>Table of Contents</summary>
  <ol>
    <li><a href=#slam>SLAM</a></li>
  </ol>
</details>

## SLAM

| Publish Date | Title | Authors | PDF | Code |
|:---------|:-----------------------|:---------|:------|:------|
|**2026-05-10**|**Owls with $|x|$ and $a*b*c$**|Ada Lovelace et.al.|[2605.00001v2](http://arxiv.org/abs/2605.00001v2)|**[link](https://github.com/ada/owls)**|

<p align=right>(<a href=#updated-on-20260511>back to top</a>)</p>

## Bees

|Publish Date|Title|Authors|PDF|Code|
|---|---|---|---|---|
|**2026-05-09**|**Bees by day**|Alan Turing et.al.|[2605.00002](http://arxiv.org/abs/2605.00002)|null|
""",
        [
            Entry(
                "Owls with $|x|$ and $a*b*c$",
                authors=("Ada Lovelace",),
                published=date(2026, 5, 10),
                arxiv_id="2605.00001",
                version=2,
                facts=(Fact(FactKind.CODE, "https://github.com/ada/owls", "Markdown"),),
            ),
            Entry("Bees by day", authors=("Alan Turing",), published=date(2026, 5, 9), arxiv_id="2605.00002"),
        ],
    ),
    "its list": (
        "## Updated on 2026.05.11\n\n## SLAM\n\n- 2026-05-10, **Owls: by night**, Ada Lovelace et.al., Paper: "
        "[http://arxiv.org/abs/2605.00001](http://arxiv.org/abs/2605.00001), Code: **[https://github.com/ada/owls]"
        "(https://github.com/ada/owls)**\n",
        [
            Entry(
                "Owls: by night",
                authors=("Ada Lovelace",),
                published=date(2026, 5, 10),
                arxiv_id="2605.00001",
                facts=(Fact(FactKind.CODE, "https://github.com/ada/owls", "Markdown"),),
            )
        ],
    ),
    "the table of DailyArXiv": (
        "# Daily Papers\nThe project fetches papers.\n\nLast update: 2026-05-11\n\n## Owls\n"
        "| **Title** | **Date** | **Abstract** | **Comment** |\n| --- | --- | --- | --- |\n"
        "| **[Owls by night](https://arxiv.org/abs/2605.00001v1)** | 2026-05-10 | <details><summary>Show</summary>"
        "<p>If $x<y$ then $|y|>0$.</p></details> | <details><summary>Accep...</summary><p>Accepted</p></details> |\n",
        [
            Entry(
                "Owls by night",
                "If $x<y$ then $|y|>0$.",
                published=date(2026, 5, 10),
                arxiv_id="2605.00001",
                version=1,
            )
        ],
    ),
    "daily-arXiv-ai-enhanced": (
        "<div id=toc></div>\n\n# Table of Contents\n\n- [cs.CV](#cs.CV) [Total: 2]\n\n<div id='cs.CV'></div>\n\n"
        "# cs.CV [[Back]](#toc)\n\n### [1] [Owls by night](https://arxiv.org/abs/2605.00001)\n*Ada Lovelace,Grace Hopper*"
        "\n\nMain category: cs.CV\n\nTL;DR: Owls see.\n\n\n<details>\n  <summary>Details</summary>\nMotivation: why.\n\n"
        "Method: how.\n\nAbstract: Owls see\nand hear.\n\n</details>\n\n\n### [2] [Bees](https://arxiv.org/abs/2605.00002)"
        "\n*Alan Turing*\n\nMain category: cs.CV\n\nTL;DR: Bees count.\n\n<details>\n<summary>Details</summary>\n"
        "Motivation: why.\n</details>\n",
        [
            Entry(
                "Owls by night",
                "Owls see and hear.",
                authors=("Ada Lovelace", "Grace Hopper"),
                arxiv_id="2605.00001",
                categories=("cs.CV",),
            ),
            Entry("Bees", "Bees count.", authors=("Alan Turing",), arxiv_id="2605.00002", categories=("cs.CV",)),
        ],
    ),
    "gpt_paper_assistant": (
        "# Personalized Daily Arxiv Papers 05/11/2026\nTotal relevant papers: 1\n\nTable of contents with paper titles:\n\n"
        "0. [Owls by night](#link0)\n**Authors:** Ada Lovelace, Grace Hopper\n\n---\n"
        '## 0. [Owls by night](https://arxiv.org/abs/2605.00001) <a id="link0"></a>\n**ArXiv ID:** 2605.00001\n'
        "**Authors:** Ada Lovelace, Grace Hopper\n\n**Abstract:** Owls see.\n\n**Comment:** Matches.\n**Relevance:** 9\n\n"
        "---\n\n## Paper selection prompt\n 1. New methods\n    - Relevant: papers such as [owls](https://arxiv.org/abs/1.2)\n",
        [Entry("Owls by night", "Owls see.", authors=("Ada Lovelace", "Grace Hopper"), arxiv_id="2605.00001")],
    ),
    "fields in Chinese and Japanese": (
        "# 每日论文（2026年5月11日）\n\n## 1. 夜间的猫头鹰\n\n**英文标题**：Owls by night\n**作者**：Ada Lovelace、Grace Hopper 等"
        "\n**发布日期**：2026年5月10日\n**链接**：[arXiv](https://arxiv.org/abs/2605.00001)\n**关键词**：owls\n**摘要**：猫头鹰。"
        "\n**评分**：9\n\n---\n\n### 2、Bees by day\n\n- 👥 **作者**: Alan Turing\n- 📖 **摘要**: Bees count.\n- 🏷️ **关键词**: b"
        "\n\n## 3. Cats\n**著者**：Grace Hopper\n**リンク**：https://arxiv.org/abs/2605.00003\n**要旨**：Cats sleep.\n",
        [
            Entry(
                "Owls by night",
                "猫头鹰。",
                authors=("Ada Lovelace", "Grace Hopper"),
                published=date(2026, 5, 10),
                arxiv_id="2605.00001",
            ),
            Entry("Bees by day", "Bees count.", authors=("Alan Turing",)),
            Entry("Cats", "Cats sleep.", authors=("Grace Hopper",), arxiv_id="2605.00003"),
        ],
    ),
    "the page of papers.cool": (
        "## #1 [Owls by night](https://papers.cool/arxiv/2605.00001) [PDF(12)] [Copy] [Kimi(20)] [REL]\n\n**Authors**: "
        "[Ada Lovelace](https://arxiv.org/search/?query=Ada), [Grace Hopper](https://arxiv.org/search/?query=Grace)\n\n"
        "Owls see by night, and they do so for reasons that nobody has shown before in any paper.\n\n"
        "**Subject**: Computer Vision and Pattern Recognition\n\n**Publish**: 2026-05-10 17:59:59 UTC\n",
        [
            Entry(
                "Owls by night",
                "Owls see by night, and they do so for reasons that nobody has shown before in any paper.",
                authors=("Ada Lovelace", "Grace Hopper"),
                published=date(2026, 5, 10),
                arxiv_id="2605.00001",
                categories=("Computer Vision and Pattern Recognition",),
            )
        ],
    ),
    "a list of links": (
        "# Awesome Owls [![Awesome](https://awesome.re/badge.svg)](https://awesome.re)\n\n- [Papers](#papers)\n\n## Papers\n"
        "- [Owls by night: a survey](https://arxiv.org/abs/2605.00001) - Ada Lovelace, Grace Hopper - *ICLR 2026*\n"
        "- **Bees by day.** Ada Lovelace, Alan Turing. *ICML*. [[paper](https://arxiv.org/abs/2605.00002)]\n"
        '- "Dogs at dusk", Ada Lovelace et al., CVPR 2026 [[Paper](https://arxiv.org/abs/2605.00004)]\n'
        "- (*ICML 2026*) Foxes at dawn [[pdf](https://arxiv.org/pdf/2605.00005.pdf)]\n"
        "- **OwlNet**: Owls for all [[Paper](https://openreview.net/forum?id=abc)]\n"
        "- **[2605.00006](https://arxiv.org/abs/2605.00006)** Hens at home *Ada Lovelace et al.*\n\n"
        "## Tools\n- [owltool](https://github.com/a/owltool) - a tool.\n",
        [
            Entry("Owls by night: a survey", authors=("Ada Lovelace", "Grace Hopper"), arxiv_id="2605.00001"),
            Entry("Bees by day", authors=("Ada Lovelace", "Alan Turing"), arxiv_id="2605.00002"),
            Entry("Dogs at dusk", authors=("Ada Lovelace",), arxiv_id="2605.00004"),
            Entry("Foxes at dawn", arxiv_id="2605.00005"),
            Entry("OwlNet: Owls for all", url="https://openreview.net/forum?id=abc"),
            Entry("Hens at home", authors=("Ada Lovelace",), arxiv_id="2605.00006"),
        ],
    ),
    "a table with pictures and authors in the title's cell": (
        "| Title & Authors | Introduction | Links |\n|:--|  :----: | :---:|\n"
        "|[![Star](https://img.shields.io/a.svg)](https://github.com/a/b)<br>[**Owls by night**](https://arxiv.org/abs/2605.00001)"
        ' <br> Ada Lovelace, Grace Hopper |<img width="9" src="https://x.png"> |[Paper](https://arxiv.org/abs/2605.00001)|\n',
        [Entry("Owls by night", authors=("Ada Lovelace", "Grace Hopper"), arxiv_id="2605.00001")],
    ),
    "hidden details with HTML": (
        '<details>\n<summary>\n<b>Owls by night</b>\n<a href="https://arxiv.org/abs/2605.00001">arxiv:2605.00001</a>\n'
        "&#x1F4C8; 5 <br>\n<p>Ada Lovelace, Grace Hopper</p></summary>\n<p>\n\n**Abstract:** Owls see &amp; hear.\n\n</p>\n"
        "</details>\n",
        [Entry("Owls by night", "Owls see & hear.", authors=("Ada Lovelace", "Grace Hopper"), arxiv_id="2605.00001")],
    ),
    "fields in list items, in one line, and without the paper's name among them": (
        "# Weekly report\n\n## 🏆 Top papers\n\n### 1. Owls by night ⭐⭐\n\n- **📅 Published:** 2026-05-10\n"
        "- **👥 Authors:** Ada Lovelace¹, Grace Hopper² et al. (12 authors)\n- **🔗 Links:** [📄 Paper]"
        "(https://arxiv.org/abs/2605.00001) | [PDF](https://arxiv.org/pdf/2605.00001)\n- **⭐ Score:** 8\n\n**Abstract:**\n\n"
        "> Owls see *by night*, and `they` do so \\_well\\_.\n>\n> They **hear**, too.\n\n**Key contributions:**\n- It shows owls.\n\n"
        "### 2. Bees by day\n**Authors:** Alan Turing | **Published:** 2026-05-09 | **arXiv:** "
        "[2605.00002](https://arxiv.org/abs/2605.00002)\n\n<details>\n<summary><b>Abstract</b></summary>\n\nBees count.\n\n"
        "</details>\n\n**Why it matters:** because.\n",
        [
            Entry(
                "Owls by night",
                "Owls see by night, and they do so _well_. They hear, too.",
                authors=("Ada Lovelace", "Grace Hopper"),
                published=date(2026, 5, 10),
                arxiv_id="2605.00001",
            ),
            Entry(
                "Bees by day",
                "Bees count.",
                authors=("Alan Turing",),
                published=date(2026, 5, 9),
                arxiv_id="2605.00002",
            ),
        ],
    ),
    "headings within a paper": (
        "# 2026-05-11\n\n## Owls by night\n\n**arXiv ID:** 2605.00001 | **Published:** 2026-05-10 | **Score:** 8/10\n\n"
        "**Authors:** Ada Lovelace, Grace Hopper\n\n### Summary\n\nIn short.\n\n### Key points\n\n- One\n\n### Abstract\n\n"
        "Owls see.\n\n[arXiv](https://arxiv.org/abs/2605.00001) | [PDF](https://arxiv.org/pdf/2605.00001)\n\n---\n\n"
        "## Bees by day\n\n**Authors:** Alan Turing\n",
        [
            Entry(
                "Owls by night",
                "Owls see.",
                authors=("Ada Lovelace", "Grace Hopper"),
                published=date(2026, 5, 10),
                arxiv_id="2605.00001",
            ),
            Entry("Bees by day", authors=("Alan Turing",)),
        ],
    ),
    "keywords with and without papers": (
        "## Keyword: owls\n### Owls by night\n - **Authors:** Ada Lovelace\n - **Subjects:** Machine Learning (cs.LG); hep (hep.th)"
        "\n - **Arxiv link:** https://arxiv.org/abs/2605.00001\n - **Abstract**\n Owls see $a_1^*$ and $b_2^*$.\n"
        "## Keyword: bees\nThere is no result\n",
        [
            Entry(
                "Owls by night",
                "Owls see $a_1^*$ and $b_2^*$.",
                authors=("Ada Lovelace",),
                arxiv_id="2605.00001",
                categories=("cs.LG", "hep.th"),
            )
        ],
    ),
    "abstracts in two languages, and names apart": (
        "| No. | Title | Authors | Homepage |\n|---|---|---|---|\n"
        "| 1 | Owls by night<br>:star:code | Ada Lovelace<br>Grace Hopper | http://arxiv.org/abs/2605.00001 |\n\n"
        "### Bees\n- **中文标题**: 蜜蜂\n- **作者**: Alan Turing, ... 等12人\n- **摘要（中文）**: 蜜蜂。\n- **摘要（英文）**: Bees count.\n",
        [
            Entry("Owls by night", authors=("Ada Lovelace", "Grace Hopper"), arxiv_id="2605.00001"),
            Entry("Bees", "Bees count.", authors=("Alan Turing",)),
        ],
    ),
    "titles as fields": (
        "**Title:** Owls by night\n**Authors:** Lovelace, Ada; Hopper, Grace\n**arXiv:** 2605.00001v2\n**Abstract:** **Background:** "
        "Owls. **Methods:** We count.\n\n**Title:** Bees\n**Authors:** Alan Turing\n**DOI:** 10.1000/bees.1\n**Keywords:** bees\n",
        [
            Entry(
                "Owls by night",
                "Background: Owls. Methods: We count.",
                authors=("Ada Lovelace", "Grace Hopper"),
                arxiv_id="2605.00001",
                version=2,
            ),
            Entry("Bees", authors=("Alan Turing",), doi="10.1000/bees.1"),
        ],
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_digests_of_other_bots_are_read(name: str) -> None:
    text, expected = OTHERS[name]
    (digest,) = read(text)
    assert list(digest.entries) == expected
    assert digest.rejected == ()


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


@pytest.mark.parametrize(
    "text",
    [
        "# Report\n\nWe read [a paper](https://arxiv.org/abs/2605.00009) today.\n\n| Model | Score |\n|---|---|\n| A | 1 |",
        "# Install\n\n1. Run it.\n2. Read [the docs](https://example.org/docs).\n\n**Note**: this.",
    ],
)
def test_other_lists_and_tables_are_refused(text: str) -> None:
    with pytest.raises(DigestError, match="Markdown digest"):
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
