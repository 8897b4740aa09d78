"""Digests in Markdown, as bots for arXiv and lists on GitHub have them, and lists made by hand.

    ## 1. [The Title](https://arxiv.org/abs/2505.02693)        a heading for each paper, and fields below it

    **Authors**: Ada Lovelace, Grace Hopper                    in any order, in list items, in bold, italics or plain,
    **Abstract**: In one or more paragraphs.                   with the colon inside the stars or outside, in English,
                                                               Chinese or Japanese
    - **The Title**                                            an item for each paper, fields below it or
      - Authors: Ada Lovelace                                  authors behind the title
    - [The Title](https://arxiv.org/abs/2505.02693) - Ada Lovelace - *ICLR*

    |Publish Date|Title|Authors|PDF|                           a row for each paper
    |---|---|---|---|
    |2026-05-10|**The Title**|Ada Lovelace et.al.|[2605.00001](http://arxiv.org/abs/2605.00001)|

Headings that are no paper's are topics. One with a date begins another digest; those above the first paper name the
digest's topic and day. Fields of other names end the field above them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date
from typing import NamedTuple

from bot.formats.addresses import Article, article_at
from bot.formats.format import (
    LONGEST_TITLE,
    MONTHS,
    Format,
    Line,
    author_names,
    build_digest,
    calendar_day,
    date_in,
    plausible_date,
    quoted,
    reject_reason,
    without_affiliations,
    without_tags,
)
from bot.model import Entry, Fact, FactKind, ParsedDigest, limits
from bot.model.papers import arxiv_id_in, arxiv_version_in, doi_in

# A real Markdown parser would not help. It takes formulas for emphasis ("$a*b*c$") and stray tags for markup, both of
# which bots leave as they are, and where a field begins and ends would still be decided here. markdown-it-py 4.3.0
# also takes 0.7 s for a table of 16 KB that names 200 columns.

# Field names, of bold fields and columns, by what they hold. Names in "" hold nothing that is read.
_FIELDS = {
    "title": "title, paper title, 标题, 论文标题, 题目, 论文题目, 文章标题, タイトル, 論文タイトル, 題名, 제목",
    "original": "original title, english title, 原标题, 英文标题, 原文标题, 英文题目, 原題, 英語タイトル, 원제",
    "authors": "author, authors, author list, all authors, by, 作者, 论文作者, 全部作者, 著者, 저자",
    "abstract": "abstract, abs, original abstract, english abstract, 英文摘要, 原文摘要, 英語要旨",
    "translation": "摘要, 论文摘要, 中文摘要, 要旨, 概要, アブストラクト, 초록",
    "summary": "summary, snippet, description, ai summary, introduction, 简介, 总结, 内容, 要約, 요약",
    "tldr": "tl;dr, tldr, tl; dr, one-sentence summary, one-line summary, 一句话总结, 一句话概括",
    "link": "link, links, url, pdf, arxiv, arxiv link, arxiv id, arxiv url, paper link, paper url, paper, doi, html, id, "
    "paper id, pdf link, pdf url, arxiv pdf, source url, read, 链接, 论文链接, 地址, 论文地址, 原文链接, 原文, リンク, "
    "論文リンク, 論文, 링크, 论文, paper & link",
    "date": "date, published, publish date, published date, publication date, published on, published at, publish, posted, "
    "submitted, submitted on, submission date, submitted date, date published, 日期, 发布日期, 发布时间, 发表日期, "
    "发表时间, 提交日期, 公開日, 投稿日, 日付, 公開, 발행일, 날짜",
    "categories": "category, categories, main category, primary category, arxiv category, subject, subjects, 分类, 类别, "
    "主要类别, カテゴリ, カテゴリー",
    "code": "code, github, repo, repository, code link, code url, 代码, 代码链接, コード, codes, 开源代码",
    "project": "project, project page, website, homepage, project website, 项目主页, 项目, プロジェクト",
    "venue": "venue, journal, conference, source, published in, journal ref, journal reference, publication, 期刊, 会议, "
    "来源, 掲載誌, ジャーナル, 学会",
    "": "motivation, method, methods, result, results, conclusion, conclusions, comment, comments, keyword, keywords, tags, "
    "score, relevance, novelty, relevance score, details, affiliation, affiliations, institution, institutions, 关键词, "
    "评分, 机构, 单位, キーワード, スコア, 所属, 动机, 方法, 结果, 结论, upvotes, citations, stars, updated, reason, topic",
}
_KINDS = {name: kind for kind, names in _FIELDS.items() for name in names.split(", ")}
_PROOF = {"authors", "abstract", "translation", "link"}  # what makes the heading or item above it a paper's
_NEAR = 6  # lines with text below a heading, within which a field makes it a paper's
_LONG = {"abstract", "translation", "summary", "tldr"}  # fields that go on after an empty line
_ABSTRACTS = ("abstract", "translation", "summary", "text", "tldr")  # the best first
# Sections of a structured abstract.
_SECTIONS = set(
    "background, objective, objectives, aim, aims, purpose, introduction, method, methods, results, findings, conclusion, "
    "conclusions, significance, materials and methods, design, setting, interpretation".split(", ")
)
# Links and words in brackets that are no part of a title.
_LABELS = set(
    "pdf, arxiv, paper, papers, code, link, html, abs, abstract, back, github, project, project page, website, page, web, "
    "homepage, doi, openreview, hf, huggingface, hugging face, video, slides, poster, demo, dataset, data, model, models, "
    "blog, copy, kimi, rel, related, toc, top, back to top, here, read more, supp, supplementary, bibtex, bib, "
    "semantic scholar, alphaxiv, translate, read, ar5iv, view paper, full text, scholar, url, new, official code, "
    "code link, paper link, pdf link, arxiv link, read paper, papers cool, view, details, show, pytorch, tensorflow, "
    "链接, 论文, 代码, 原文, 链接地址, 主页".split(", ")
)

_HEADING = re.compile(r"#{1,6} (.*?)(?: #+)?")
_ITEM = re.compile(r"(?:[-*+•●◦▪] |(?:\*\*)?\d{1,4}[.)、] ?(?=\D))\s*(.*)")
_BOLD_FIELD = re.compile(r"(\*{1,3}|__?)([^*_:：|<>]{1,40}?) ?([:：]?) ?\1 ?([:：]?) ?(.*)")
_PLAIN_FIELD = re.compile(r"([^\W\d_][^:：|\[\]*]{0,30}?) ?[:：] ?(.*)")
# A bold field in the middle of a line.
_NEXT_FIELD = re.compile(
    r"(?:(?<=[^\W\d_][.:!?])|(?<=[\w,;)\]`])) (?:[|·•] )?(?=(?:\*\*|__)[^*_:：|<>]{1,40}(?:[:：] ?(?:\*\*|__)|(?:\*\*|__) ?[:：]))"
)
# Neither part may reach past the "[" at which another link may begin: with ".*?", a line of "[](" took n^2 steps.
_LINK = re.compile(r"\[([^\[\]]*)\]\(<?([^\s)\[]*)[^()\[\]]{0,200}\)")
_IMAGE = re.compile(r"!\[[^\[\]]{0,500}\](?:\([^()\s\[]{0,2000}[^()\[\]]{0,200}\)|\[[^\[\]]{0,100}\])")
_BADGE = re.compile(r"\[\s*\](?:\([^()\[\]]{0,2000}\)|\[[^\[\]]{0,100}\])")  # what a picture in a link leaves
_BRACKETS = re.compile(r"\[([^\[\]]{0,40})\](?!\()|[(（]([^()（）]{0,40})[)）]")
_BARE_ADDRESS = re.compile(r"(?<![(<])https?://")
_ADDRESS = re.compile(r"https?://[^\s()<>\"\[\]|*]+")
_IDENTIFIER = re.compile(r"(?:arxiv:? ?)?\d{4}\.\d{4,5}(?:v\d+)?|https?://\S+|[\d/., -]{0,12}", re.IGNORECASE)
_ARXIV_ID = re.compile(r"(?:arxiv:? ?)?\d{4}\.\d{4,5}", re.IGNORECASE)
_NUMBER = re.compile(
    r"\A(?:\[\d{1,4}\]|#?\d{1,3}[.)、:：](?!\d)|#\d{1,4} |\(\d{1,4}\)|(?:no\.|paper|论文) ?#?\d{1,4}[.:：]"
    r"|\[?(?:arxiv:)?\d{4}\.\d{4,5}(?:v\d+)?\]?[:\s-]+)\s*",
    re.IGNORECASE,
)
_ANCHOR = re.compile(r"<a\s[^<>]{0,100}?href=[\"']?([^\"'\s<>]{1,2000})[^<>]{0,200}>([^<>]{0,500})</a>", re.IGNORECASE)
_BLOCK_TAG = re.compile(
    r"</?(?:a|img|div|p|span|details|ul|ol|li|center|h[1-6]|hr|font|kbd|tbody|table|tr|td|th|picture|source|small|big)"
    r"(?:\s[^<>]{0,500})?/?>",
    re.IGNORECASE,
)
_BOLD_TAG = re.compile(r"</?(?:b|strong)>", re.IGNORECASE)
_SUMMARY = re.compile(r"<summary[^<>]{0,100}>(.{0,1000}?)</summary>", re.IGNORECASE)
_BREAK = re.compile(r"<br\s?/?>", re.IGNORECASE)
_DELIMITER = re.compile(r"\|?(?: ?:?-+:? ?\|)+(?: ?:?-+:? ?)?\|?")
_PIPE = re.compile(r"(?<!\\)\|")
_FORMULA = re.compile(r"(\$\$[^$]{1,2000}\$\$|(?<!\\)\$[^$]{1,500}\$)")
_MARKS = (
    (re.compile(r"(`{1,3})([^`]{1,500})\1"), r"\2"),
    (re.compile(r"(?<![A-Za-z0-9\\*])\*{2,3}|(?<!\\)\*{2,3}(?![A-Za-z0-9])|~~"), ""),
    (re.compile(r"(?<![\w*\\])\*(?=[^\s*])([^*]{1,500}?)(?<=\S)\*(?![\w*])"), r"\1"),
    (re.compile(r"(?<![\w\\])(__?)(?=[^\s_])([^_]{1,500}?)(?<=\S)\1(?!\w)"), r"\2"),
    (re.compile(r"\\([*_#+\-!|<>\[\].])"), r"\1"),
)
_ET_AL = re.compile(
    r"[,;，、]?\s*(?:\band\s)?(?:\bet\.?\s?al\b\.?,?|\b(?:and )?others\b|等\d*人?|ほか|他\d*名?)\s*$", re.IGNORECASE
)
_MORE = re.compile(
    r"\(?(?:\+|and |… ?)?\s?\d+ (?:more|others|authors?)\b.*|\.\.\.|…|n/?a|null|none|unknown|未知", re.IGNORECASE
)
_PARTICLES = frozenset("van von der den de del della di da do dos du la le el al bin ibn ben ten ter y e af zu".split())
_NAME = re.compile(r"(?=[^a-z\W])[^\d@:/()\[\]=$\\]{2,50}")
_DAY = re.compile(r"((?:19|20)\d\d) ?[-/.年] ?(\d{1,2}) ?[-/.月] ?(\d{1,2})(?!\d)")
_AMERICAN = re.compile(r"(?<!\d)(\d{1,2})/(\d{1,2})/((?:19|20)\d\d)(?!\d)")
_REPOSITORY = re.compile(r"https?://(?:www\.)?(?:github|gitlab)\.com/", re.IGNORECASE)
_NOT_VENUE = re.compile(r"https?:|^arxiv|^null$|^[-–n/a]*$", re.IGNORECASE)
_EMPHASIS = re.compile(
    r"\*\*[^*]{1,1000}\*\*|__[^_]{1,1000}__|(?<!!)\[[^\[\]]{1,1000}\]\([^\s)\[]{0,2000}[^()\[\]]{0,200}\)"
)
_BULLET = re.compile(r"(?:[-*+•●◦▪] |\d{1,4}[.)] (?=[*_\[]))?(?:\[[ xX]\] )?")
_SIGNS = r"\u2600-\u27bf\u2b50\u2b55\ufe0f\u200d\U0001f300-\U0001faff "
_PICTURES = re.compile(rf"\A[{_SIGNS}]{{1,50}}|[{_SIGNS}]{{1,20}}\Z")
_TITLE_ENDS = re.compile(rf"\A[{_SIGNS}|,;·-]{{1,50}}|[{_SIGNS}|,;·-]{{1,20}}\Z")
_MIRROR = re.compile(r"https?://(?:papers\.cool/arxiv|(?:www\.)?ar5iv\.(?:org|labs\.arxiv\.org)/\w+|arxiv\.cool/abs)/")
_REMARK = re.compile(r"\([^()]{0,40}\)|（[^（）]{0,40}）")
_GENERIC = re.compile(r"(?:paper|论文|article|entry|論文) ?#?\d*", re.IGNORECASE)
_CATEGORY = re.compile(r"[a-z-]{2,10}(?:\.[A-Za-z-]{2,20})?")
_DOI_SITE = re.compile(r"https?://(?:dx\.)?doi\.org/", re.IGNORECASE)
_VENUE_BEFORE = re.compile(r"^[(\[][^()\[\]]{1,40}\d[^()\[\]]{0,20}[)\]]\s*")
_VENUE_END = re.compile(r"\s?\([^()]{0,60}\)$")
_NO_TOPIC = re.compile(r"(?:last )?updat|更新|table of contents?$|contents?$|目录|[\W\d]*$", re.IGNORECASE)
_UPDATED = re.compile(
    r"\W{0,6}(?:(?:last |latest )?updated?|generated|date|更新|日期|生成|最終更新)[^.]{0,80}$", re.IGNORECASE
)
_TITLE_COLUMNS = ("title", "paper", "论文", "标题", "論文", "name")
_HEADED_FIELDS = {"authors", "abstract", "translation", "summary", "tldr"}
_RULE_CHARACTERS = "-*_"
_END = "</details>"
_LIST_MARKERS = ("- ", "* ", "+ ", "• ")
_FRONT_MATTER = 40  # lines
_LEAST_WORDS = 3
_LEAST_PARAGRAPH = 80  # characters
_LONGEST_SUMMARY = 25
_LONGEST_DATE_LINE = 80
_LONGEST_NAME = 40
_MOST_NAME_WORDS = 5
_LONGEST_ITEM = 4_000  # characters of a line in which a title is looked for


class _Text(NamedTuple):
    """A piece of a line, without tags and quotation signs: the line's index and number, and the piece."""

    at: int
    number: int
    text: str


class _Begin(NamedTuple):
    """Where a paper begins among the texts, and how: by a heading, item or title, or as a row of a table."""

    at: int
    kind: str
    columns: tuple[str, ...] = ()
    head: int = -1  # the head of a row's table


class _Field(NamedTuple):
    """A field: what it holds, empty if that is not read; its name in lower case; its first line."""

    kind: str
    name: str
    is_bold: bool
    value: str


def _starts(lines: Sequence[Line]) -> Iterator[int]:
    """Yield the topmost heading above the first paper, and each later one that names another day."""
    texts = _texts(lines)
    begins = _begins(texts)
    if not begins:
        return
    papers = {begin.at for begin in begins}
    first = begins[0].at
    above = (k for k in range(first) if _is_head(texts[k].text))
    yield texts[next(above, begins[0].head if begins[0].head >= 0 else first)].at
    has_papers = False  # since the last start
    for k in range(first, begins[-1].at):
        if k in papers:
            has_papers = True
        elif has_papers and texts[k].text.startswith("#") and _is_head(texts[k].text) and _day(texts[k].text):
            yield texts[k].at
            has_papers = False


def _parse(lines: Sequence[Line]) -> ParsedDigest:
    texts = _texts(lines)
    begins = _begins(texts)
    if not begins:
        no_papers = f"line {lines[0].number}: no papers follow {quoted(lines[0].text)}; another digest begins below it"
        return build_digest("markdown", "", None, [no_papers])
    papers = {begin.at for begin in begins}
    first, last = begins[0].at, begins[-1].at
    above = [text.text[: limits.TOPIC] for text in texts[:first]]
    heads = list(filter(_is_head, above))
    day = next(filter(None, map(_day, [*heads, *(text for text in above if len(text) <= _LONGEST_DATE_LINE)])), None)
    topics = [topic for text in heads if text.startswith("#") and (topic := _title(text.lstrip("#")))]
    # The heading right above the first paper is a section's if another section follows.
    if any(_is_head(texts[k].text) for k in range(first, last) if k not in papers):
        topics = topics[:-1]
    topic = next((topic for topic in topics if not _NO_TOPIC.match(topic)), "")
    results = (
        _paper(texts[begin.at : end], begin, day)
        for begin, end in zip(begins, [*sorted(papers)[1:], None], strict=True)
    )
    return build_digest("markdown", topic, day, results)


def _is_head(text: str) -> bool:
    return bool(_HEADING.fullmatch(text[:_LONGEST_ITEM]) or _UPDATED.match(text))


def _texts(lines: Sequence[Line]) -> list[_Text]:
    """Return the pieces of the lines: without comments, tags and quotation signs, and parted before each field."""
    texts: list[_Text] = []
    is_comment = False
    first = next((i for i, line in enumerate(lines) if line.text), 0)
    block = [line.text for line in lines[first : first + _FRONT_MATTER]]
    front = first + block.index("---", 1) if block[:1] == ["---"] and "---" in block[1:] else -1
    for at, (number, text) in enumerate(lines):
        if at <= front:
            name, _, value = text.partition(":")
            heads = {"title": "# {}", "date": "**Updated:** {}"}
            texts.append(_Text(at, number, heads.get(name.lower(), "").format(value.strip(" \"'"))))
            continue
        if is_comment or text.startswith("<!--"):
            parts = f"<!--{text}".split("<!--") if is_comment else text.split("<!--")
            text = "".join(part.partition("-->")[2] for part in parts)
            is_comment = "-->" not in parts[-1]
        if text.startswith((">", "```")):
            text = text.lstrip("> ") if text.startswith(">") else ""
        if text.startswith("|"):
            texts.append(_Text(at, number, text))
            continue
        if "<" in text:
            text = _SUMMARY.sub(_heading_of_details, _BOLD_TAG.sub("**", _ANCHOR.sub(r"[\2](\1)", text)))
            text = _BREAK.sub("\n", text.replace(_END, f"\n{_END}\n"))
            text = "\n".join(part if part == _END else _BLOCK_TAG.sub(" ", part).strip() for part in text.split("\n"))
        pieces = [piece for part in text.split("\n") for piece in _NEXT_FIELD.split(part)]
        for piece in pieces:
            parts = piece[:_LONGEST_ITEM].split(" | ")
            parts = parts if len(parts) > 1 and all(map(_field, parts)) else [piece]
            texts += (_Text(at, number, part.strip()) for part in parts)
    return texts


def _heading_of_details(match: re.Match[str]) -> str:
    """Return a summary of hidden details as a field, or as a title in bold; most only say "Details"."""
    text = match[1].strip().strip("*").strip()
    if _KINDS.get(_key(text)):
        return f"**{text}**: \n"
    return f"**{text}**\n" if len(text) > _LONGEST_SUMMARY or "](http" in text else ""


def _key(name: str) -> str:
    """Return a field's name in lower case, without pictures and what is in parentheses."""
    return _PICTURES.sub("", _REMARK.sub("", name).strip(" *_`#:：")).strip(" *_`#:：").lower()


def _field(text: str) -> _Field | None:
    """Return the field that a text opens. One in bold with a colon may have any name, others only known ones."""
    if heading := _HEADING.fullmatch(text[: limits.TOPIC]):
        kind = _KINDS.get(_key(heading[1]), "")
        return _Field(kind, _key(heading[1]), True, "") if kind in _HEADED_FIELDS else None
    body = _PICTURES.sub("", _BULLET.sub("", text, count=1))
    if match := _BOLD_FIELD.fullmatch(body):
        name = _key(match[2])
        kind = _KINDS.get(name)
        if kind is None and not (match[3] or match[4]):
            return None
        return _Field(kind or "", name, True, match[5])
    match = _PLAIN_FIELD.fullmatch(body)
    kind = _KINDS.get(_key(match[1])) if match else None
    return _Field(kind, _key(match[1]), False, match[2]) if match and kind is not None else None


def _begins(texts: Sequence[_Text]) -> list[_Begin]:
    """Return where papers begin, in their order."""
    begins: list[_Begin] = []
    columns: tuple[str, ...] = ()
    head = -1
    is_headed = False  # in a paper with a heading, whose items are no papers
    for k, (_, _, whole) in enumerate(texts):
        text = whole[:_LONGEST_ITEM]
        is_row = "|" in text
        if columns and is_row:
            if not _DELIMITER.fullmatch(text):
                begins.append(_Begin(k, "row", columns, head))
            continue
        columns = ()
        if is_row and k + 1 < len(texts) and _DELIMITER.fullmatch(texts[k + 1].text[:_LONGEST_ITEM]):
            columns, head = _columns(text), k
            is_headed = is_headed and not columns
            continue
        if not text:
            continue
        field = _field(text)
        item = _ITEM.fullmatch(text)
        body = item[1] if item else text
        if heading := _HEADING.fullmatch(text):
            if field and is_headed:
                continue
            is_headed = bool(_articles(text) and _title(heading[1])) or _has_proof(texts, k)
            if is_headed:
                begins.append(_Begin(k, "heading"))
        elif _is_rule(text):
            is_headed = False
        elif is_headed or "](#" in text:
            continue
        elif field and field.kind == "title" and (field.is_bold or text.startswith(_LIST_MARKERS)):
            begins.append(_Begin(k, "title"))
        elif field and (field.kind or not item or len(_title(field.value).split()) < _LEAST_WORDS):
            continue
        elif _is_candidate(text) or item:
            has_article = _articles(text) and bool(_headline(body)[0])
            if has_article or (_is_candidate(text) and _has_proof(texts, k)):
                begins.append(_Begin(k, "item"))
    return begins


def _columns(text: str) -> tuple[str, ...]:
    """Return what the columns of a table hold, by the cells of its head; empty if it isn't one of papers."""
    names = [_key(_title(cell)) for cell in _cells(text)]
    kinds = [_KINDS.get(name, "") for name in names]
    if "title" not in kinds:
        titles = (i for i, name in enumerate(names) if name.startswith(_TITLE_COLUMNS))
        at = next(titles, None)
        if at is None:
            return ()
        kinds[at] = "title"
    return tuple(kinds) if len(set(filter(None, kinds))) > 1 else ()


def _cells(text: str) -> list[str]:
    return _PIPE.split(text.removeprefix("|").removesuffix("|"))


def _is_rule(text: str) -> bool:
    return text[0] in _RULE_CHARACTERS and not text.strip(f"{_RULE_CHARACTERS} ") and len(text.replace(" ", "")) >= 3


def _is_candidate(text: str) -> bool:
    """Whether a text may be a title below which the fields of a paper stand: numbered, in bold, or a link."""
    body = _PICTURES.sub("", _BULLET.sub("", text, count=1))
    return bool(_NUMBER.match(body)) or (body.startswith(("**", "__", "[")) and not _field(text))


def _articles(text: str) -> list[Article]:
    """Return the articles that addresses in a text lead to."""
    if "http" not in text:
        return []
    articles = []
    for address in _ADDRESS.findall(text[:_LONGEST_ITEM]):
        url = address[: limits.URL].rstrip(".,;")
        if article := article_at(_MIRROR.sub("https://arxiv.org/abs/", url)):
            articles.append(article)
    return articles


def _has_proof(texts: Sequence[_Text], at: int) -> bool:
    """Whether fields below a heading or item make it a paper's."""
    seen = fields = 0
    for k in range(at + 1, len(texts)):
        text = texts[k].text[:_LONGEST_ITEM]
        if not text:
            continue
        seen += 1
        if seen > _NEAR:
            break
        if field := _field(text):
            if field.kind == "title":
                heading = texts[at].text.lstrip("# ")
                return bool(_NUMBER.match(heading) and _title(heading))
            if field.kind in _PROOF:
                # A plain "Authors:" below other text is a keyword digest's.
                return field.is_bold or seen == fields + 1
            fields += 1
        elif not _title(text) and _articles(text):  # only links such as [PDF](...)
            return True
        elif (
            text.startswith("|")
            or _HEADING.fullmatch(text)
            or _is_candidate(text)
            or _is_rule(text)
            or len(text) > LONGEST_TITLE
        ):
            return False
    return False


def _paper(texts: Sequence[_Text], begin: _Begin, day: date | None) -> Entry | str:
    _, number, whole = texts[0]
    first = whole[: limits.LINE if begin.kind == "row" else _LONGEST_ITEM]
    fields: defaultdict[str, list[str]] = defaultdict(list)
    body = [text.text for text in texts[1:]]
    field = _field(first)
    if begin.kind == "row":
        cells = _cells(first)
        # A "|" in a formula or an abstract makes a cell too many.
        if (surplus := len(cells) - len(begin.columns)) > 0:
            at = begin.columns.index("abstract" if "abstract" in begin.columns else "title")
            cells[at : at + surplus + 1] = ["|".join(cells[at : at + surplus + 1])]
        for kind, cell in zip(begin.columns, cells, strict=False):
            fields[kind].append(_BREAK.sub(" ", _SUMMARY.sub("", cell)))
        pieces = _BREAK.split(cells[begin.columns.index("title")] if len(cells) > begin.columns.index("title") else "")
        title, *body = [piece for piece in pieces if _title(piece)] or [""]
        title = _title(title)
    elif begin.kind == "heading":
        title = _title(first.lstrip("#"))
        # Behind a linked title may be a score or category.
        if (link := _LINK.search(_IMAGE.sub("", first))) and not _is_label(link[1]) and _articles(link[2]):
            before, after = (
                _title(part) for part in (link.string[: link.start()].lstrip("#"), link.string[link.end() :])
            )
            title = _title(link[1]) if not before and len(after.split()) < _LEAST_WORDS else title
    elif begin.kind == "title" and field:
        title = _title(field.value)
    else:
        item = _ITEM.fullmatch(first)
        title, rest = _headline(item[1] if item else first)
        body = [rest, *body]
        fields["date"].append(_ADDRESS.sub("", first))
    _read_fields(body, fields)
    values = {kind: " ".join(filter(None, parts)) for kind, parts in fields.items()}

    has_words = bool(re.search(r"[^\W\d_]{4}", title)) and not _GENERIC.fullmatch(title)
    title = _title(values.get("original", "")) or (title if has_words else _title(values.get("title", "")) or title)
    abstract = next(filter(None, (_inline(values.get(kind, "")) for kind in _ABSTRACTS)), "")
    if problem := reject_reason(f"line {number}", title, abstract):
        return problem
    links = f"{values.get('link', '')[:_LONGEST_ITEM]} {first[:_LONGEST_ITEM]} {values.get('rest', '')[:_LONGEST_ITEM]}"
    addresses = _ADDRESS.findall(links)
    articles = _articles(links)
    arxiv = next((article for article in articles if article.arxiv_id), None)
    identifier = arxiv.url if arxiv else values.get("link", "").strip("` [")[: limits.ID]
    is_arxiv = arxiv or _ARXIV_ID.match(identifier)
    doi = next((article.doi for article in articles if article.doi), None) or doi_in(
        values.get("link", "")[: limits.URL]
    )
    pages = [address for address in addresses if not _REPOSITORY.match(address) and not _DOI_SITE.match(address)]
    codes = _ADDRESS.findall(f"{values.get('code', '')} {values.get('rest', '')}"[:_LONGEST_ITEM])
    venue = _VENUE_END.sub("", _inline(values.get("venue", "")[: limits.FACT])).strip(" -|,.")
    projects = _ADDRESS.findall(values.get("project", "")[: limits.URL])
    facts = {
        FactKind.VENUE: "" if _NOT_VENUE.search(venue) or len(venue) > limits.TOPIC else venue,
        FactKind.CODE: next(filter(_REPOSITORY.match, codes), ""),
        FactKind.PROJECT: next(iter(projects), ""),
    }
    dates = f"{values.get('date', '')[: limits.TOPIC]} {values.get('venue', '')[: limits.TOPIC]}"
    return Entry(
        title=title,
        abstract=abstract,
        authors=_authors(values.get("authors", "")),
        published=plausible_date(_day(dates), day),
        arxiv_id=arxiv_id_in(identifier) if is_arxiv else None,
        doi=doi,
        url=next(iter(pages), None) if not is_arxiv else None,
        version=arxiv_version_in(identifier) if is_arxiv else None,
        categories=_categories(values.get("categories", "")[: limits.URL]),
        facts=tuple(Fact(kind, value, "Markdown") for kind, value in facts.items() if value),
    )


def _read_fields(body: Sequence[str], fields: defaultdict[str, list[str]]) -> None:
    """Add what the lines below a title hold, by kind: "rest" has lines of links, "text" has paragraphs without a name."""
    name: str | None = None
    for text in body:
        if not text:
            name = name if name in _LONG or (name and not any(fields[name])) else None
        elif text == _END:
            name = None
        elif field := _field(text):
            is_section = not field.kind and (
                not field.is_bold or (field.name in _SECTIONS and _is_structured(fields[name or ""]))
            )
            if name in _LONG and is_section:
                fields[name].append(text)
            else:
                name = field.kind
                fields[name].append(field.value)
        elif _HEADING.fullmatch(text[: limits.TITLE]) or _is_rule(text):
            # A heading that begins no paper ends one.
            break
        elif "](" in text and not _title(text):
            fields["link" if name == "link" else "rest"].append(text)
        elif name in _LONG or (name is not None and (not any(fields[name]) or text.startswith(_LIST_MARKERS))):
            is_list = name == "authors" and any(fields[name])
            fields[name or ""].append(f", {text[2:]}" if is_list else text)
        elif name is not None and fields[name][-1].endswith(","):
            fields[name].append(text)
        elif not fields["authors"] and (names := _byline(text)):
            fields["authors"].append(names)
            fields["rest"].append(text)
        elif len(text) >= _LEAST_PARAGRAPH:
            fields["text"].append(text)
        else:
            fields["rest"].append(text)


def _is_structured(parts: Sequence[str]) -> bool:
    """Whether an abstract has nothing so far, or begins with a section's heading."""
    text = " ".join(parts).strip()
    return not text or _key(re.split(r"[:：]", text[: limits.TOPIC].lstrip("*_"), maxsplit=1)[0]) in _SECTIONS


def _headline(text: str) -> tuple[str, str]:
    """Return an item's title and what follows it: the first link or words in bold, or a quotation, or the first words."""
    text = _BADGE.sub("", _IMAGE.sub("", text[:_LONGEST_ITEM]))
    for match in _EMPHASIS.finditer(text[:_LONGEST_ITEM]):
        if len(re.findall(r"[^\W\d_]{2,}", text[: match.start()])) >= _LEAST_WORDS:
            break
        title = _title(match[0])
        if not title or _is_label(title) or re.fullmatch(r"\[.*\]", title):
            continue
        rest = text[match.end() :]
        if title.endswith(":") or rest.startswith(":"):  # **OwlNet**: Owls by night
            following, after = _headline(rest.removeprefix(":").strip())
            if following and not _byline(following):
                return f"{title.rstrip(':')}: {following}", after
        return title.rstrip(":,."), rest
    quotation = re.search(r"[\"\u201c]([^\"\u201c\u201d]{10,300})[\"\u201d]", text)
    if quotation:
        return _title(quotation[1]).rstrip(",."), text[quotation.end() :]
    address = _BARE_ADDRESS.search(text)
    link = next((match.start() for match in _LINK.finditer(text) if _is_label(match[1])), address and address.start())
    if not link:
        return "", text
    words, rest = text[:link].rstrip(" [(|-*"), text[link:]
    before, _, after = words.partition(". ")
    if after and _byline(after):
        words, rest = before, f"{after} {rest}"
    return _title(_VENUE_BEFORE.sub("", words)).rstrip(".,"), rest


def _byline(text: str) -> str:
    """Return the authors that a text without a name lists first; empty if it lists none."""
    text = re.sub(r"^[\s\-|,.:;()*_\u2013\u2014]{1,10}", "", text[: limits.BYLINE])
    text = re.split(r"\s[-|\u2013\u2014\u00b7]\s|\[|\*|\(|\. |\bPaper:|\bCode:|(?<=al\.),", text, maxsplit=1)[0]
    names = []
    for name in author_names(_ET_AL.sub("", text)):
        words = name.split()
        capital = all(not word[0].islower() or word.lower() in _PARTICLES for word in words)
        if not capital or not _NAME.fullmatch(name) or len(words) > _MOST_NAME_WORDS or (not names and len(words) < 2):
            break
        names.append(name)
    is_name = len(names) > 1 or bool(_ET_AL.search(text)) or len(text) <= _LONGEST_NAME
    return ", ".join(names) if names and is_name else ""


def _authors(text: str) -> tuple[str, ...]:
    """Return the names in a field or column of authors, each without its marks and affiliation."""
    text = re.sub(r"<sup>[^<>]{0,50}</sup>|[\u00b9\u00b2\u00b3\u2070-\u209c\u2020\u2021]", "", text[: limits.BYLINE])
    text = _ET_AL.sub("", _inline(without_affiliations(_LINK.sub(r"\1", text))).replace(" et al.,", ","))
    if ";" in text:  # "Lovelace, Ada; Hopper, Grace"
        parts = (name.partition(",") for name in text.split(";", limits.AUTHORS + 1))
        names: Sequence[str] = [f"{first.strip()} {last.strip()}" for last, _, first in parts]
    else:
        names = author_names(re.sub(r"[、，；|·]|\s&\s", ", ", text))
    names = [_ET_AL.sub("", name).strip(" *_.`" if name.endswith("..") else " *_`") for name in names]
    return tuple(name for name in names if name and not _MORE.fullmatch(name))


def _categories(text: str) -> tuple[str, ...]:
    tokens = [token for token in re.split(r"[,;|\s`()\[\]]+", text) if token]
    if not all(_CATEGORY.fullmatch(token) for token in tokens):
        tokens = [token.strip(" `*") for token in re.split(r"[,;|]", text)]
    return tuple(dict.fromkeys(filter(None, tokens)))


def _title(text: str) -> str:
    """Return a title without number, marks, anchors, pictures, and links that only say "PDF"."""
    text = _BLOCK_TAG.sub(" ", _BADGE.sub("", _IMAGE.sub("", _BOLD_TAG.sub("**", text[:_LONGEST_ITEM]))))
    text = _LINK.sub(lambda link: "" if _is_label(link[1]) else link[1], _ANCHOR.sub(r"[\2](\1)", text))
    text = _BRACKETS.sub(
        lambda words: "" if (_is_label(words[1]) if words[1] else not (words[2] or "").strip()) else words[0], text
    )
    text = _PICTURES.sub("", _BULLET.sub("", _inline(text), count=1))
    text = _NUMBER.sub("", text, count=1)
    return _TITLE_ENDS.sub("", text)


def _is_label(text: str) -> bool:
    """Whether the text of a link is a word such as "PDF", an identifier, an address or a date."""
    text = _PICTURES.sub("", _inline(text)).strip(" []():")
    return bool(_IDENTIFIER.fullmatch(text)) or re.sub(r"[^\w\s-]|\d", "", text).strip().lower() in _LABELS


def _inline(text: str) -> str:
    """Return a text without the marks of Markdown and HTML; formulas keep theirs."""
    parts = _FORMULA.split(_LINK.sub(r"\1", text[: limits.MARKUP]))
    for i in range(0, len(parts), 2):
        for pattern, replacement in _MARKS:
            parts[i] = pattern.sub(replacement, parts[i])
    return " ".join(without_tags(_BLOCK_TAG.sub(" ", "".join(parts))).split())


def _day(text: str) -> date | None:
    """Return the day that a text names; "05/11/2026" is May 11, as the bots that write so mean it."""
    text = text[:_LONGEST_ITEM]
    if match := _DAY.search(text):
        return calendar_day(match[3], MONTHS[int(match[2]) - 1] if 1 <= int(match[2]) <= 12 else "", match[1])
    if match := _AMERICAN.search(text):
        first, second = int(match[1]), int(match[2])
        month, day = (first, match[2]) if first <= 12 else (second, match[1])
        return calendar_day(day, MONTHS[month - 1] if 1 <= month <= 12 else "", match[3])
    return date_in(text)


MARKDOWN = Format(
    title="Markdown digest",
    hint='a heading such as "# A Title" with "**Authors**: ..." below it',
    starts=_starts,
    parse=_parse,
    specificity=5,
)
