"""Hostile digests: each a head, a unit that is repeated up to the size asked for, and a tail.

They are generated, so that growth with size can be measured; none is kept as a file. ``CRASHES`` are small, and each once
raised an unexpected exception.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Literal

KEYWORD = b"Owls - 2025-05-06\n\nOwls by Night\n\nAuthors: Ada Lovelace\nDate: 2025-05-05\n\nOwls see.\n\n"
RSS = b'<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>Owls</title>'
GOOD_ITEM = b"<item><title>Owls by Night</title><description>Owls see.</description></item>"
ATOM = b'<feed xmlns="http://www.w3.org/2005/Atom"><title>Owls</title>'
MAIL = b"From: a@example.org\nReceived: x\nMIME-Version: 1.0\n"
HTML_MAIL = MAIL + b"Subject: Owls\nContent-Type: text/html; charset=utf-8\n\n<html><body>"
SCHOLAR = b'<h3><a class="gse_alrt_title" href="https://scholar.google.com/scholar_url?url=https://example.org/1">Owls by Night</a></h3><div>A Lovelace - 2026</div>'
ARXIV = b"Submissions to:\nOwls\n"
ARXIV_PAPER = b"\\\\\narXiv:2601.15305\nDate: Mon, 12 Jan 2026 20:33:39 GMT\n\nTitle: Owls by Night\nAuthors: Ada Lovelace\n\\\\\n  Owls see.\n\\\\ ( x )\n"
MARKDOWN = b"# Owls by Night\n\n**Authors**: Ada Lovelace\n\n**Abstract**: Owls see.\n\n"
TABLE = b"|Title|Authors|PDF|\n|---|---|---|\n"
DAILY = b"Daily Papers\nbyAK and the research community\nApr 17\n\n"
DAILY_PAPER = "Owls by Night\n\nOwls see.\n\n• 8 authors\n·\nApr 16\n".encode()
JSON = b'[{"paper": {"id": "2606.00467", "title": "Owls by Night", "summary": "Owls see."}}'

PUBMED = b"<PubmedArticleSet><PubmedArticle><MedlineCitation><Article><ArticleTitle>Owls by Night</ArticleTitle>"
PUBMED_END = b"</Article></MedlineCitation></PubmedArticle></PubmedArticleSet>"
OPENALEX = b'{"meta": {"count": 1}, "results": [{"title": "Owls by Night", '


EACH = "each"  # one paper for each repeated unit


@dataclass(frozen=True)
class Shape:
    """``papers``: how many papers are read unless the whole file is refused, at every size.

    None if the number depends on which limit the size meets; the reason stands beside it.
    """

    head: bytes
    unit: bytes | Callable[[int], bytes]
    tail: bytes = b""
    papers: int | Literal["each"] | None = None

    def content(self, size: int) -> bytes:
        return self.head + b"".join(self._units(size)) + self.tail

    def expected_papers(self, size: int) -> int | None:
        return len(self._units(size)) if self.papers == EACH else self.papers

    def _units(self, size: int) -> list[bytes]:
        remaining = size - len(self.head) - len(self.tail)
        units: list[bytes] = []
        for number in count():
            unit = self.unit if isinstance(self.unit, bytes) else self.unit(number)
            remaining -= len(unit)
            if remaining < 0:
                break
            units.append(unit)
        return units


def in_item(before: bytes, unit: bytes | Callable[[int], bytes], after: bytes, papers: int | None = 1) -> Shape:
    """Return a feed of a good item and a hostile one."""
    head = RSS + GOOD_ITEM + b"<item><title>Bees</title>"
    return Shape(head + before, unit, after + b"</item></channel></rss>", papers)


def number(n: int) -> bytes:
    return str(n).encode()


SHAPES: dict[str, Shape] = {
    # letters where an arXiv id is looked for
    "atom id of letters": Shape(ATOM + b"<entry><title>A</title><id>http://arxiv.org/abs/", b"a", b"</id></entry></feed>", papers=1),
    "atom id of letters and points": Shape(
        ATOM + b"<entry><title>A</title><id>http://arxiv.org/abs/", b"a.AB/", b"</id></entry></feed>", papers=1),
    "items with ids of letters": Shape(
        RSS, lambda n: b"<item><title>A%d</title><guid>http://arxiv.org/abs/%s</guid></item>" % (n, b"a" * 2500), b"</channel></rss>", papers=EACH),
    "json id of letters": Shape(JSON + b', {"paper": {"title": "Bees", "id": "', b"a", b'"}}]', 2),
    "markdown link of letters": Shape(b"# Bees\n**Link**: https://arxiv.org/abs/", b"a-", b"\n**Abstract**: Bees.\n", 1),
    "arxiv mail id of letters": Shape(ARXIV + ARXIV_PAPER + b"\\\\\narXiv:", b"a", b"\nTitle: Bees\n\\\\\n", 2),
    # markdown
    "links without ends": Shape(b"# ", b"[](", b"\n**Authors**: A\n", papers=0),
    "links without ends in authors": Shape(MARKDOWN + b"# Bees\n**Authors**: ", b"[](", b"\n", 2),
    "headings of links without ends": Shape(b"", b"# " + b"[](" * 300 + b"\n**Authors**: A\n", papers=0),
    "brackets": Shape(b"# ", b"[", b"\n**Authors**: A\n", papers=0),
    "a line of dashes": Shape(MARKDOWN, b"-", b"x\n", papers=1),
    "a line of dashes and blanks": Shape(MARKDOWN, b"- ", b"\n", 1),
    "heading signs": Shape(b"# ", b" #", b"x\n**Authors**: A\n", papers=0),
    "headings": Shape(MARKDOWN, b"# x\n", papers=1),
    "stars": Shape(MARKDOWN, b"**a", b"\n", papers=0),
    "fields": Shape(MARKDOWN, b"**Link**: https://arxiv.org/abs/x\n", papers=1),
    "categories": Shape(MARKDOWN + b"**Categories**: ", b"a,", b"\n", 1),
    "cells": Shape(TABLE + b"|A", b"|a", b"|\n", papers=0),
    "heads of tables": Shape(b"", b"|Title|Authors|\n|---|---|\n", b"|A|b|\n", papers=1),
    "columns": Shape(b"|Title|Authors", b"|a", b"|\n|---|---|\n|A|b|\n", papers=1),
    "dashes below a table's head": Shape(TABLE, b"-|", b"x\n", papers=1),
    "rows": Shape(TABLE, b"|**Owls**|Ada Lovelace|[x](http://arxiv.org/abs/2605.00001)|\n", papers=EACH),
    "items": Shape(b"# Owls\n", b"- [Owls](https://arxiv.org/abs/2605.00001) - Ada Lovelace - *ICLR*\n", papers=EACH),
    "an item of names": Shape(b"- **Owls** [pdf](https://arxiv.org/abs/2605.00001)\n- **Bees:**", b" **a:**", b" https://arxiv.org/abs/2605.00002\n", 1),
    "an item of stars": Shape(b"- [Owls](https://arxiv.org/abs/2605.00001)\n- ", b"**", b"x https://arxiv.org/abs/2605.00002\n", papers=None),  # a second one while the stars are as short as a title
    "marks": Shape(MARKDOWN + b"# Bees\n**Authors**: A\n**Abstract**: ", b"*a _b `c ", b"\n", papers=None),  # 2 until the abstract is too long
    "formulas and links": Shape(MARKDOWN + b"# Bees\n**Authors**: A\n**Abstract**: ", b"$a[b](c \\*", b"\n", papers=None),  # as above
    "open markdown comments": Shape(MARKDOWN, b"<!--", b"\n", papers=1),
    "anchors": Shape(MARKDOWN, b"<a href=x ", b"\n", papers=0),
    "summaries": Shape(MARKDOWN, b"<summary><summary", b">\n", papers=0),
    "fields in a line": Shape(MARKDOWN, b"a **b:** ", b"\n", papers=1),
    "candidates": Shape(b"", b"**a**\n\n", MARKDOWN, papers=1),
    "days": Shape(b"", b"# 2026-05-11\n[Owls](https://arxiv.org/abs/2605.00001)\n", papers=EACH),
    "pictures": Shape(MARKDOWN + b"# Bees\n", "🦉".encode(), b"x\n", papers=None),  # 1, or 2 while they may be a title
    "an address": Shape(MARKDOWN + b"**Link**: http://example.org/", b"a", b"\n", 1),
    # keyword digests
    "keyword headers": Shape(KEYWORD, b"Owls - 2025-05-06\n", papers=1),
    "keyword bylines": Shape(KEYWORD, b"Date: x\n", papers=0),
    "commas at ends of lines": Shape(KEYWORD + b"Bees\n\nAuthors: A,\n", b"b,\n", b"\n", papers=1),
    "authors of commas": Shape(KEYWORD + b"Bees\n\nAuthors: ", b",", b"\n\nBees hum.\n", papers=2),
    "authors": Shape(KEYWORD + b"Bees\n\nAuthors: ", b"a,", b"\n\nBees hum.\n", 1),
    "one author": Shape(KEYWORD + b"Bees\n\nAuthors: ", b"a", b"\n\nBees hum.\n", 2),
    "empty lines": Shape(KEYWORD + b"Bees\n\nAuthors: A\n", b"\n", b"Bees hum.\n", papers=2),
    "bylines and blank lines": Shape(KEYWORD, b"Date: x\n\n\n\n", papers=0),
    "one line": Shape(KEYWORD, b"x", b"\n", papers=0),
    "many words": Shape(KEYWORD, b"x ", b"\n", papers=0),
    "points": Shape(KEYWORD, b".", b"\n", papers=0),
    # abstracts of just the length that is allowed
    "abstracts of commas": Shape(b"", lambda n: KEYWORD.replace(b"see.", b"see" + b"," * 19_000 + number(n)), papers=EACH),
    "abstracts of accents": Shape(
        b"", lambda n: KEYWORD.replace(b"see.", b"e" + "\u0301\u0327".encode() * 9_000 + number(n)), papers=EACH),
    "abstracts of macros": Shape(b"", lambda n: KEYWORD.replace(b"see.", rb"\foo{x}" * 2_500 + number(n)), papers=EACH),
    "abstracts of formulas": Shape(b"", lambda n: KEYWORD.replace(b"see.", rb"\(" * 9_000 + number(n)), papers=EACH),
    "abstracts of braces": Shape(b"", lambda n: KEYWORD.replace(b"see.", rb"\a{" * 6_000 + number(n)), papers=EACH),
    "abstracts of fractions": Shape(b"", lambda n: KEYWORD.replace(b"see.", rb"\frac{" * 30 + number(n)), papers=EACH),
    "abstracts of dollars": Shape(b"", lambda n: KEYWORD.replace(b"see.", b"$a\\$" * 4_000 + number(n)), papers=EACH),
    "abstracts of ends": Shape(b"", lambda n: KEYWORD.replace(b"see.", b".)" * 9_000 + number(n)), papers=EACH),
    "abstracts of figures": Shape(b"", lambda n: KEYWORD.replace(b"see.", b"fig. " * 3_900 + number(n)), papers=EACH),
    # arXiv's mails
    "filler, then papers": Shape(ARXIV + b"filler\n" * 10_000, lambda n: ARXIV_PAPER.replace(b"15305", b"%05d" % (n % 100000)), papers=EACH),
    "nested parentheses": Shape(ARXIV + ARXIV_PAPER + b"\\\\\narXiv:2601.15306\nTitle: Bees\nAuthors: ", b"(", b"\n\\\\\n", 2),
    "nested pairs of parentheses": Shape(
        ARXIV + ARXIV_PAPER + b"\\\\\narXiv:2601.15306\nTitle: Bees\nAuthors: A " + b"(" * 400_000, b"x)", b"\n\\\\\n", 2
    ),
    "a field of many lines": Shape(ARXIV + ARXIV_PAPER + b"\\\\\narXiv:2601.15306\nTitle: Bees\nComments: x\n", b"y" * 60 + b"\n", b"\\\\\n", 2),
    "headers of arxiv mails": Shape(ARXIV + ARXIV_PAPER, b"Submissions to:\n", b"", papers=1),
    "received from": Shape(b"Submissions to:\nreceived from ", b" to Mon 12 Jan 2", b"\n" + ARXIV_PAPER, 1),
    # pages of Hugging Face
    "daily papers": Shape(DAILY, b"Daily Papers\nApr 17\n", DAILY_PAPER, papers=1),
    "names of the page": Shape(DAILY, b"Daily Papers\n", papers=0),
    "authors and dots": Shape(DAILY, "• 8 authors\n·\nApr 17\n".encode(), papers=0),
    "lines above": Shape(b"", b"Subscribe\n", DAILY + DAILY_PAPER, papers=1),
    "dots of the page": Shape(DAILY + DAILY_PAPER, "·\n".encode(), papers=1),
    "rows of the page": Shape(DAILY + DAILY_PAPER, b"a\n", papers=1),
    # JSON
    "json lists": Shape(b"[", b"[],", b"[]]", papers=0),
    "json names": Shape(b'{"version": "https://jsonfeed.org/version/1", "items": [{"title": "A", "authors": [{"name": "', b"a, ", b'"}]}]}', 1),
    "json sections": Shape(b'{"message": {"items": [{"title": "A", "abstract": "', b"<jats:title>", b'"}]}}', papers=1),
    "json pages": Shape(b'{"version": "https://jsonfeed.org/version/1", "items": [{"title": "A", "content_html": "', b"<p><b>", b'"}]}', papers=None),  # 1 until the tags are too many
    "json days": Shape(b'{"message": {"items": [{"title": "A", "issued": {"date-parts": [', b"[2026],", b"[2026, 5]]}}]}}", papers=1),
    "json lines": Shape(b"", b'{"id": "2605.16001", "title": "A", "summary": "Owls."}\n', b"", papers=EACH),
    "markdown escaped parentheses": Shape(MARKDOWN, rb"\(owls and ", papers=1),
    "markdown file links": Shape(MARKDOWN, b"](owls.md/", papers=1),
    "markdown abstract tags": Shape(MARKDOWN, b'<div class="abstract', papers=1),
    "markdown facts in tables": Shape(MARKDOWN, b"| Date | 2026 |\n", papers=1),
    "markdown names before titles": Shape(b"1. ", b"Lovelace, Ada, ", b'"Owls by Night" https://arxiv.org/abs/2605.00001', papers=None),
    "markdown slashes": Shape(b"# Owls ", b"a/ (: ", b"\n\n**Authors**: Ada Lovelace\n", papers=None),
    "markdown front matter": Shape(b"---\ntitle: Owls\narxiv: 2605.00001\nauthors: ", b'"Ada", ', b"\n---\n", papers=None),
    "markdown citations": Shape(MARKDOWN + b"- ", b"Lovelace, A., & ", b"(2026). Owls by night. https://arxiv.org/abs/2605.00001\n", papers=None),
    "markdown years": Shape(MARKDOWN + b"- Lovelace, A. (2026). Owls ", b"(2026). a ", b"\n", papers=None),
    "markdown names with semicolons": Shape(MARKDOWN + b"- ", b"Hopper, G.; ", b"x\n", papers=None),
    "markdown names with years": Shape(MARKDOWN + b"# Bees\n**Link**: https://arxiv.org/abs/2605.00009\n", b"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n", papers=None),
    "markdown remarks": Shape(b"# Bees\n", b"# a\n#\n", papers=None),
    "markdown wrapped titles": Shape(b"", b"1. Owls\nhttps://arxiv.org/abs/2605.00001\n2. Bees\nby\nday\n\n", papers=None),
    "markdown shortcodes": Shape(MARKDOWN, b"{{< a ", b"\n", papers=1),
    "markdown thoughts": Shape(MARKDOWN + b"# Bees\n**Authors**: A\n**Abstract**: ", b"<think> ", b"\n", papers=None),
    "markdown delimiters": Shape(MARKDOWN, b"| Paper | Idea |\n|---|---|\n", papers=1),
    "markdown titles with venues": Shape(MARKDOWN + b"# Bees ", b"(Bees 2026", b"\n**Authors**: A\n", papers=None),
    "markdown linked names": Shape(MARKDOWN, b"[Ada Lovelace](https://a.example.org), \n", papers=1),
    "markdown repeated titles": Shape(b"# Owls by Night\n", b"**Title:** Owls by Night\n", papers=None),
    "markdown announcements": Shape(MARKDOWN, b"arXiv:2605.00001v1 Announce Type: new ", papers=1),
    "json found papers": Shape(b'{"a": [{}', b',{"title": "A", "abstract": "Owls."}', b"]}", papers=EACH),
    "json found dates": Shape(b'{"a": [{}', b',{"date": "2026-05-10", "b": {"c": {}}}', b"]}", papers=0),
    "json found objects": Shape(b"", b'{"a":', b"", papers=0),
    "json found rows": Shape(b'{"a": ["- https://x.org"', b',"|2026-05-10|Owls|Ada et.al.|[2605.00001](http://arxiv.org/abs/2605.00001)|"', b"]}", papers=EACH),
    "json found marks": Shape(b'{"a": "', b"| ", b'"}', papers=0),
    "json nested": Shape(b"", b"[", papers=0),
    "json objects": Shape(JSON, b",{}", b"]", papers=0),
    "json authors": Shape(b'[{"paper": {"id": "2606.00467", "title": "A", "authors": [{}', b',{"name":"a"}', b"]}}]", papers=0),
    "json digits": Shape(b'[{"paper": {"title": "A", "upvotes": ', b"9", b"}}]", papers=0),
    "openalex positions": Shape(OPENALEX + b'"abstract_inverted_index": {"' + b"x" * 1000 + b'": [1', b",999999999", b"]}}]}", papers=1),
    "openalex words": Shape(OPENALEX + b'"abstract_inverted_index": {', lambda n: b'"%d": [%d], ' % (n, 9**15 - n), b'"x": []}}]}', papers=1),
    "openalex addresses": Shape(OPENALEX + b'"best_oa_location": {"landing_page_url": "https://arxiv.org/abs/', b"10.1/full", b'"}}]}', papers=1),
    "pubmed sections": Shape(PUBMED + b"<Abstract>", b'<AbstractText Label="A">Owls &lt;i see.</AbstractText>', b"</Abstract>" + PUBMED_END, papers=None),  # an abstract that is too long
    "pubmed articles": Shape(b"<PubmedArticleSet>", lambda n: b"<PubmedArticle><MedlineCitation><Article><ArticleTitle>Owls %d</ArticleTitle></Article></MedlineCitation></PubmedArticle>" % n, b"</PubmedArticleSet>", papers=EACH),
    "pubmed identifiers": Shape(PUBMED, b"<ELocationID EIdType='doi'>arxiv 10.1/1234.</ELocationID>", PUBMED_END, papers=1),
    "pubmed open tags": Shape(PUBMED, b"<Abstract>", papers=None),  # deeper than 256, the article is incomplete
    "pubmed doctypes": Shape(b"<?xml version='1.0'?>", b"<!DOCTYPE PubmedArticleSet>", b"<PubmedArticleSet/>", papers=0),
    "openalex tags": Shape(OPENALEX + b'"abstract_inverted_index": {"', b"<i ", b'": [0]}}]}', papers=1),
    "json fraction": Shape(b'[{"paper": {"title": "A", "upvotes": 1.', b"9", b"}}]", 1),
    "json accents": Shape(b'[{"paper": {"title": "A", "summary": "e', rb"\u0301\u0327", b'"}}]', papers=1),
    # feeds
    "an author's address": in_item(b"<author>", b"a", b"@</author>", 2),
    "an author's host": in_item(b"<author>a@", b"a.", b"</author>", 2),
    "short addresses": in_item(b"<author>", b"a@", b"</author>", 2),
    "authors in elements": in_item(b"", b"<dc:creator>a@b.c.</dc:creator>", b"", None),  # 2; 1 from the size on at which the item has more than 5,000 authors
    "one author many times": in_item(b"<author>" + b"a" * 90_000 + b"@</author>", b"<author></author>", b"", papers=2),
    "categories in elements": in_item(b"", lambda n: b"<category>c%d</category>" % n, b"", papers=2),
    "broken attributes": Shape(RSS + GOOD_ITEM + b"<item><title>Bees</title><a ", b'b="c"', b"></a></item>", 2),
    "quotes in tags": Shape(RSS + GOOD_ITEM, b'<a " ', b"", papers=1),
    "open tags": Shape(RSS + GOOD_ITEM + b"<item>", b"<a>", b"", papers=1),
    "signs that open tags": Shape(RSS + GOOD_ITEM + b"<item><title>Bees</title>", b"< ", b"", papers=2),
    "ampersands": Shape(RSS + GOOD_ITEM + b"<item><title>Bees</title><description>", b"& ", b"</description></item>", papers=1),
    "verbatim": Shape(RSS + GOOD_ITEM + b"<item><title>Bees</title>", b"<![CDATA[", b"", papers=2),
    "comments": Shape(b"", b"<!-- x -->", RSS + GOOD_ITEM, papers=1),
    "open comments": Shape(b"", b"<!--", RSS + GOOD_ITEM, papers=0),
    "declarations": Shape(b"<?xml version='1.0'?><!DOCTYPE rss [", b"<!ENTITY a 'b'>", b"]>" + RSS + GOOD_ITEM + b"</channel></rss>", papers=1),
    "blank lines before": Shape(b"<?xml version='1.0'?>", b"\n", RSS + GOOD_ITEM + b"</channel></rss>", 1),
    "encodings": Shape(b"<?xml version='1.0' ", b"encoding='", RSS + GOOD_ITEM, papers=0),
    "encodings in one line": Shape(RSS + GOOD_ITEM + b"<item><title>Bees</title><description>", b"encoding=' ?", b"</description></item></channel></rss>", 1),
    "punycode": Shape(b"<?xml version='1.0' encoding='punycode'?>" + RSS + GOOD_ITEM + b"</channel></rss>", b"-9zz", b"", 1),
    "a date": in_item(b"<pubDate>", b"1 ", b"</pubDate>", 2),
    "a date of digits": in_item(b"<pubDate>", b"1", b"</pubDate>", 2),
    "dates": in_item(b"", b"<pubDate>Wed, 99 Foo 2025</pubDate>", b"", papers=2),
    "a link": in_item(b"<link>http://example.org/", b"a", b"</link>", 2),
    "a doi": in_item(b"<guid>10.1000/", b"a", b"</guid>", 2),
    "dois": in_item(b"<guid>", b"10.1000/ ", b"</guid>", 2),
    "tags in a summary": in_item(b"<description>", b"&lt;a ", b"</description>", papers=1),
    "references": in_item(b"<description>&lt;p&gt;", b"&amp;#9", b"</description>", papers=2),
    "a long reference": in_item(b"<description>&lt;p&gt;&amp;#", b"9", b"</description>", 2),
    "prefixes": Shape(RSS + GOOD_ITEM, lambda n: b"<p%d:x/>" % n, b"", papers=1),
    "prefixes in an item": in_item(b"<b>&</b>", lambda n: b"<p%d:x/>" % n, b"", papers=2),
    "attributes of one element": in_item(b"<b ", lambda n: b'a%d="" ' % n, b"/>", papers=0),
    "attributes of one element that is not closed": in_item(b"<b ", lambda n: b'a%d="" ' % n, b">", papers=0),
    "attributes of the root": Shape(b"<rss ", lambda n: b'a%d="" ' % n, b">" + GOOD_ITEM + b"</rss>", papers=0),
    "elements with many attributes": in_item(b"", b"<b " + b"".join(b'a%d="" ' % n for n in range(99)) + b"/>", b"", papers=2),
    "prefixes of attributes": in_item(b"<b ", lambda n: b'p%d:x="" ' % n, b"/>", papers=2),
    "namespaces": Shape(RSS + GOOD_ITEM, lambda n: b'<a xmlns:p%d="u%d"/>' % (n, n), b"</channel></rss>", papers=1),
    "headings of an abstract": in_item(b"<description>", b"ABSTRACT ", b"PMID: 1 | DOI: 10.1/1</description>", papers=1),
    "ends of an abstract": in_item(b"<description>J Owls. ABSTRACT ", b"PMID: 1 | DOI: 10.1/1 ", b"x</description>", papers=1),
    "issues before an abstract": in_item(b"<description>", b"Volume 1, 2026, ", b"</description>", papers=1),
    "an author list of a publisher": in_item(b"<description>Publication date: May 2026 Source: Owls Author(s): ", b"Ada Lovelace, ", b"</description>", 1),
    "comparisons in a summary": in_item(b"<description>", b"&lt;b c=d ", b"</description>", papers=1),
    "attributes in a summary": in_item(b"<description>", b"&lt;a b='c\" ", b"</description>", papers=1),
    "nested scripts": in_item(b"<description>", b"&lt;sup&gt;x", b"</description>", papers=None),  # 2; 1 if the abstract is too long
    "nested formulas": in_item(b"<description>", b"&lt;msup&gt;&lt;mi&gt;x&lt;/mi&gt;", b"</description>", papers=None),  # 2; 1 if the abstract is too long
    "ends of formulas": in_item(b"<description>", b"&lt;/msup&gt;", b"</description>", papers=2),
    "figures without ends": in_item(b"<description>", b"O_FIG ", b"C_TBL</description>", papers=2),
    "comments in a summary": in_item(b"<description>", b"&lt;!--", b"--</description>", papers=1),
    "documents of LaTeX": in_item(b"<description>", rb"\documentclass ", b"</description>", papers=1),
    "glued headings": in_item(b"<description>", b"MethodsOwls. ResultsMice. ", b"</description>", papers=1),
    "signs of bioRxiv": in_item(b"<description>", b"{beta", b"</description>", papers=1),
    "blocks of citations": in_item(b"<description>", b"Owl Letters, EarlyView.&lt;br/&gt;", b"</description>", papers=None),  # 2; 1 if what is left is too long for an abstract
    "a citation without an end": in_item(b"<description>", b"Volume 1, DOI ", b"</description>", papers=1),
    "pairs of names": in_item(b"<author>", b"Lovelace, A., ", b"</author>", papers=None),  # 2; 1 if it has too many authors
    "a title of corrections": in_item(b"<subtitle>x</subtitle><title>", b"Correction to ", b"</title>", papers=2),
    "contents": in_item(b"", b"<content:encoded xmlns:content='http://purl.org/rss/1.0/modules/content/'>a</content:encoded>", b"", papers=2),
    "nested contents": Shape(ATOM + b"<entry><title>A</title>", b"<content type='xhtml'>", b"", None),  # 1, or 0 if the markup of the nested elements is too long for an abstract
    "nested xhtml": Shape(ATOM + b"<entry><title>A</title><content type='xhtml'>", b"<div>", b"", papers=1),
    # mails
    "quoted semicolons": Shape(MAIL + b'Content-Type: text/plain; x="', b';"', b"\n\n" + KEYWORD, 1),
    "parameters": Shape(MAIL + b"Content-Type: text/plain", b";a", b"\n\n" + KEYWORD, 1),
    "parameters in parts": Shape(MAIL + b"Content-Type: text/plain", lambda n: b";a*%d=x" % n, b"\n\n" + KEYWORD, papers=1),
    "mail in punycode": Shape(MAIL + b"Content-Type: text/plain; charset=punycode\n\n" + KEYWORD, b"-9zz", b"", papers=0),
    "mail in idna": Shape(MAIL + b"Content-Type: text/plain; charset=idna\n\n" + KEYWORD, b"xn--a", b"", papers=0),
    "many parts": Shape(MAIL + b"Content-Type: multipart/mixed; boundary=a\n\n", b"--a\n", papers=0),
    "nested parts": Shape(MAIL, lambda n: b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n), papers=0),
    "nested parts with lines": Shape(
        MAIL + b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(19)) + b"\n" + KEYWORD,
        b"x" * 60 + b"\n", b"", papers=0),
    "mails in mails": Shape(MAIL, b"Content-Type: message/rfc822\n\n", papers=0),
    "fields of a header": Shape(MAIL, b"Subject: x\n", b"\n" + KEYWORD, papers=1),
    "a field": Shape(MAIL + b"Subject: x", b"a", b"\n\n" + KEYWORD, 1),
    "a folded field": Shape(MAIL + b"Subject: x\n", b" a\n", b"\n" + KEYWORD, papers=1),
    "uuencoded": Shape(MAIL + b"Content-Transfer-Encoding: uuencode\n\nbegin 644 a\n", b"M$a\n", papers=0),
    "blanks behind a boundary": Shape(MAIL + b"Content-Type: multipart/mixed; boundary=a\n\n--a", b" ", b"x\n", papers=0),
    # HTML mails
    "tables in tables": Shape(HTML_MAIL + SCHOLAR, b"<table><tr><td>", papers=1),
    "elements in elements": Shape(HTML_MAIL + SCHOLAR, b"<div>", papers=1),
    "formatting without ends": Shape(HTML_MAIL + SCHOLAR, lambda n: b"<font color=%d><p>x" % n, papers=1),
    "html links": Shape(HTML_MAIL, lambda n: b'<a href="http://example.org/%d">Owls that see by night</a> ' % n, papers=0),
    "tracking links": Shape(
        HTML_MAIL, b'<p><a href="https://l.example.org/f/a/Ab3dEf9hIjKl2nOpQr">https://l.example.org/f/a/Ab3dEf9hIjKl2nOpQr</a></p>', papers=0),
    "articles": Shape(
        HTML_MAIL, lambda n: b'<p><a href="https://doi.org/10.1234/owls.%d">Owls that see by night</a></p>' % n, papers=EACH),
    "titles of an alert": Shape(HTML_MAIL, lambda n: SCHOLAR.replace(b"/1", b"/%d" % n), papers=EACH),
    "one long title": Shape(HTML_MAIL + SCHOLAR + b'<a href="https://doi.org/10.1234/owls.1">', b"Owls ", b"</a>", papers=1),
    "one long address": Shape(HTML_MAIL + SCHOLAR + b'<a href="https://example.org/?', b"u=http://a&", b'">Owls at night</a>', papers=1),
    "ends without beginnings": Shape(HTML_MAIL + SCHOLAR + b"<div>" * 2_000, b"</x></span>", papers=1),
    "attributes": Shape(HTML_MAIL + SCHOLAR + b"<a ", lambda n: b"a%d=1 " % n, b">x</a>", papers=1),
    "comments without ends": Shape(HTML_MAIL + SCHOLAR, b"<!--", papers=1),
    "broken encodings": Shape(HTML_MAIL + SCHOLAR, b"\xff\xfe&#x110000;\xed\xb2\x80<p>\x00", papers=1),
    "names below a title": Shape(
        HTML_MAIL + b'<p><a href="https://doi.org/10.1234/owls.1">Owls that see by night</a></p><p>', b"Ada Lovelace, ", b"</p>", papers=1),
    "one long citation": Shape(
        HTML_MAIL + b'<a class="docsum-title" href="https://pubmed.ncbi.nlm.nih.gov/12345678/">Owls by night</a><div>',
        b"Lovelace A, ", b"</div>", papers=1),
    "additions to a doi": Shape(
        HTML_MAIL, lambda n: b'<p><a href="https://example.org/10.1234/owls' + b".full" * 380 + b'/%d">Owls that see by night</a></p>' % n, papers=0),
    "addresses like articles": Shape(
        HTML_MAIL, lambda n: b'<p><a href="https://www' + b".cell.com/pdf/S" * 120 + b'%d">Owls that see by night</a></p>' % n, papers=0),
    "mails of a mailbox": Shape(b"", b"From - Mon May 11 10:00:00 2026\n" + MAIL + b"\n" + KEYWORD + b"\n", papers=None),  # up to 1,000 mails
    "separators of a mailbox": Shape(b"From - Mon May 11 10:00:00 2026\n" + MAIL + b"\n" + KEYWORD, b"\nFrom 1:11:111:1111", papers=None),  # likewise
    "a separator of a mailbox": Shape(b"From - Mon May 11 10:00:00 2026\n" + MAIL + b"\n" + KEYWORD + b"\nFrom ", b"1:11", b"\n", papers=2),
    "attached mails": Shape(
        MAIL + b"Content-Type: multipart/mixed; boundary=a\n\n", b"--a\nContent-Type: message/rfc822\n\n" + MAIL + b"\n" + KEYWORD + b"\n", papers=None),  # up to 100 parts
    "records of NEP": Shape(
        MAIL + b"\nNEP: New Economics Papers\nOwls\n\n", lambda n: b"%d. Owls %d\nBy: Ada Lovelace (University)\nOwls pay.\nJEL: D81\n" % (n % 9999, n), papers=EACH),
    "numbers of records": Shape(MAIL + b"\nNEP: New Economics Papers\n", b"1. Owls\n", b"By: Ada Lovelace\nJEL: D81\n", papers=1),
    "authors of a record": Shape(MAIL + b"\nNEP: New Economics Papers\n1. Owls\nBy: ", b"Ada Lovelace (University); ", b"\nJEL: D81\n", papers=None),  # up to 5,000 authors
    "authors of a record on rows": Shape(MAIL + b"\nNEP: New Economics Papers\n1. Owls\nBy: A\n", b"Ada Lovelace\n", b"JEL: D81\n", papers=None),  # up to 5,000 authors
    "an affiliation without an end": Shape(MAIL + b"\nNEP: New Economics Papers\n1. Owls\nBy: Ada Lovelace (\n", b"Owls\n", b"JEL: D81\n", papers=1),
    "plain rows that go on": Shape(MAIL + b"\nOwls that see by night,\n", b"Ada Lovelace,\n", b"\n", papers=0),
    "plain rows of full length": Shape(MAIL + b"\nOwls that see by night\n", b"owls that see by night and by day and at dusk and at dawn, in snow\n", b"\n", papers=0),
    "stated DOIs": Shape(
        MAIL + b"\n", lambda n: b"How owls see by night %d\nAda Lovelace, Grace Hopper\ndoi:10.1234/owls.%d\n\n" % (n, n), papers=EACH),
    "names and years": Shape(
        HTML_MAIL + b'<p><a href="https://doi.org/10.1234/owls.1">Owls that see by night</a></p><p>', b"Ada Lovelace. Hopper 2026 ", b"</p>", papers=1),
    "affiliations": Shape(
        HTML_MAIL + b'<p><a href="https://doi.org/10.1234/owls.1">Owls that see by night</a></p><p>', b"Ada Lovelace, University of Owls<br>", b"</p>", papers=None),  # up to 5,000 authors
    "separated names": Shape(
        HTML_MAIL + b'<p><a href="https://doi.org/10.1234/owls.1">Owls that see by night</a></p><p>', b"Ada Lovelace &bull; ", b"</p>", papers=None),  # up to 5,000 authors
    # bytes
    "no text": Shape(b"", b"\xff\xfe\x00", papers=0),
    "eight bits": Shape(KEYWORD, b"\xff", b"\n", papers=0),
    "joiners": Shape(KEYWORD, "\u200d".encode(), b"\n", papers=0),
    "line ends": Shape(KEYWORD, b"\r", b"\n", papers=1),
}  # fmt: skip

CRASHES: dict[str, bytes] = {
    "two formats begin on one line": b"# RAG - 2025-05-06\n\n# T\n**Authors**: A\nDate: 2025-05-05\n**Abstract**: x.\n",
    "a digest begins between an arXiv header and its papers": (
        b"Submissions to:\nOwls\nRAG - 2025-05-06\n\nDate: 2025-05-05\n" + ARXIV_PAPER
    ),
    "a digest begins between a heading and its field": (
        b"# Topic\n# Bees\nRAG - 2025-05-06\nDate: 2025-05-05\n**Authors**: A\n**Abstract**: x.\n"
    ),
    "elements that have feedparser's names": (
        RSS + b"<updated_parsed>1</updated_parsed><item><title>Owls</title><authors>A;B</authors><tags>c</tags>"
        b"<published_parsed>1</published_parsed><arxiv_primary_category>c</arxiv_primary_category></item></channel></rss>"
    ),
    "items without texts": (
        ATOM + b"<entry><id/><link/><title/></entry><entry><title>A</title><link/><id/><author/><content/></entry></feed>"
    ),
    "a reference of 5,000 digits": RSS + b"<item><title>A</title><description>&lt;p&gt;&amp;#" + b"9" * 5000 + b";</description></item></channel></rss>",
    "title that XML can't hold": JSON + ', {"paper": {"title": "A\\uffff\ufffe"}}]'.encode(),
    "a feed without a title's text": RSS.replace(b"Owls", b"") + GOOD_ITEM + b"</channel></rss>",
}  # fmt: skip
