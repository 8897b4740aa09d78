"""The words of digests in Markdown: titles, names, days and addresses, without marks, numbers and pictures."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date

from bot.formats.addresses import Article, article_at
from bot.formats.format import date_in, numeric_days
from bot.formats.markup import plain
from bot.formats.names import author_names, without_affiliations
from bot.formats.tables import pattern, table, words
from bot.model import limits

# Neither part may reach past the "[" of another link: with ".*?", a line of "[](" took n^2 steps.
LINK = re.compile(r"\[([^\[\]]*)\]\(<?([^\s)\[]*)[^()\[\]]{0,200}\)")
IMAGE = re.compile(r"!\[[^\[\]]{0,500}\](?:\([^()\s\[]{0,2000}[^()\[\]]{0,200}\)|\[[^\[\]]{0,100}\])")
_BADGE = re.compile(r"\[\s*\](?:\([^()\[\]]{0,2000}\)|\[[^\[\]]{0,100}\])")  # a link without its picture
# [Best Paper] and (2605.00001), which may be remarks
_BRACKETS = re.compile(r"\[([^\[\]]{0,40})\](?!\()|[(（]([^()（）]{0,40})[)）]")
_BARE_ADDRESS = re.compile(r"(?<![(<])https?://")
ADDRESS = re.compile(r"https?://[^\s()<>\"\[\]|*]+")
_IDENTIFIER = re.compile(
    r"(?:arxiv:? ?)?\d{4}\.\d{4,5}(?:v\d+)?|https?://\S+|[\w-]+(?:\.[\w-]+){1,4}/\S+|[\d/., -]{0,12}", re.IGNORECASE
)
NUMBER = re.compile(
    r"\A(?:\[\d{1,4}\]|(?:\d\ufe0f?\u20e3){1,3}|#?\d{1,3}[.)、:：](?!\d)|#\d{1,4} |\(\d{1,4}\)"
    r"|(?:no\.|paper|论文) ?#?\d{1,4}[.:：]"
    r"|\[?(?:arxiv:)?\d{4}\.\d{4,5}(?:v\d+)?\]?[:\s-]+)\s*",
    re.IGNORECASE,
)
ANCHOR = re.compile(r"<a\s[^<>]{0,100}?href=[\"']?([^\"'\s<>]{1,2000})[^<>]{0,200}>([^<>]{0,500})</a>", re.IGNORECASE)
BLOCK_TAG = re.compile(
    r"</?(?:a|article|big|button|center|details|div|font|h[1-6]|hr|img|kbd|li|nav|ol|p|picture|section|small|source|span"
    r"|summary|table|tbody|td|th|tr|ul)"
    r"(?:\s[^<>]{0,500})?/?>",
    re.IGNORECASE,
)
BOLD_TAG = re.compile(r"</?(?:b|strong)>", re.IGNORECASE)
_FORMULA = re.compile(r"(\$\$[^$]{1,2000}\$\$|(?<!\\)\$[^$]{1,500}\$)")
_WORD = re.compile(r"[A-Za-z]{2}|%")
_MARKS: Sequence[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]] = (
    (re.compile(r"(`{1,3})([^`]{1,500})\1"), r"\2"),
    (re.compile(r"(?<![A-Za-z0-9\\*])\*{2,}|(?<!\\)\*{2,}(?![A-Za-z0-9])|~~"), ""),
    (re.compile(r"(?<![\w*\\])\*(?=[^\s*])([^*]{1,500}?)(?<=\S)\*(?![\w*])"), r"\1"),
    (re.compile(r"(?<![\w\\])(__?)(?=[^\s_])([^_]{1,500}?)(?<=\S)\1(?!\w)"), r"\2"),
    (re.compile(r"\\([*_#+\-!|<>\[\]])|(?<=\d)\\(?=[.)])"), r"\1"),
    # Escaped parentheses have words in them, and formulas don't.
    (re.compile(r"\\\(([^\\$^_={}()]{1,400})\\\)"), lambda text: f"({text[1]})" if _WORD.search(text[1]) else text[0]),
)
_ET_AL, _MORE, _ORGANISATION, _NO_NAME, _BEFORE_TITLE, _AFTER_TITLE_WORDS = (
    pattern(name, "markdown")
    for name in ("and_others", "more_authors", "organisation", "no_name", "before_title", "after_title")
)
_NOTES = re.compile(
    r"^\s{0,9}authors?: |<sup>[^<>]{0,50}</sup>|[\u00b9\u00b2\u00b3\u2070-\u209c\u2020\u2021]", re.IGNORECASE
)
_PEOPLE = re.compile("[\U0001f464\U0001f465\u270d]\ufe0f? ?([^|\u00b7\u2022\\[\\]:\uff1a]{3,1000})")  # pictures of them
_NAME = re.compile(r"(?=[^a-z\W])[^\d@:/()\[\]=$\\]{2,50}")
_EMPHASIS = re.compile(
    r"\*\*[^*]{1,1000}\*\*|__[^_]{1,1000}__|(?<!!)\[[^\[\]]{1,1000}\]\([^\s)\[]{0,2000}[^()\[\]]{0,200}\)"
)
BULLET = re.compile(r"(?:[-*+•●◦▪] |\d{1,4}[.)] (?=[*_\[]))?(?:\[[ xX]\] )?")
_SIGNS = r"\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d\U0001f300-\U0001faff "
PICTURES = re.compile(rf"\A[{_SIGNS}]{{1,50}}|[{_SIGNS}]{{1,20}}\Z")
_TITLE_ENDS = re.compile(rf"\A[{_SIGNS}|,;·-]{{1,50}}|[{_SIGNS}|,;·-]{{1,20}}\Z")
_MIRROR = re.compile(r"https?://(?:papers\.cool/arxiv|(?:www\.)?ar5iv\.(?:org|labs\.arxiv\.org)/\w+|arxiv\.cool/abs)/")
# A title in another language behind it, and what stays of "(PMID: [40000001](...))".
_CJK = r"\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3"
_TITLE_REST = re.compile(rf"(?<=[A-Za-z)?!.]) ?/(?: ?[{_CJK}].*| ?$)| ?\((?:arxiv|doi|pmid)?[: ]*\)", re.IGNORECASE)
# Week 3: Tuesday, May 12th
_MEETING = re.compile(
    r"(?:[\W\d]|(?<=\d)(?:st|nd|rd|th)\b|\b(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?|week|session"
    r"|meeting|may|(?:jan|feb|mar|apr|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6})\b){1,40}",
    re.IGNORECASE,
)
_VENUE_END = re.compile(r"\s?\([^()]{0,60}\)$|\. (?:19|20)\d\d\b.*")
_VENUE_ALONE = re.compile(r"[A-Z][^()\[\].:]{1,30}(?:['’ ]\d\d|20\d\d)")
# A name with the page of its author.
_PROFILED = re.compile(
    r"\[([^\]\n]{2,100})\]\(https?://(?:openalex\.org/[Aa]\d|orcid\.org/|www\.semanticscholar\.org/author/"
    r"|scholar\.google\.[a-z.]{2,6}/citations\?)[^)\s]{0,200}\)"
)
_CLOCK = re.compile(r"(?<=[A-Z][a-z]{2} \d\d) \d\d:\d\d:\d\d(?= \d{4})")  # "Thu Nov 28 01:26:21 2024"
# Owls by Night (CVPR 2026) | , CVPR 26 | - CVPR 2026 | in *CVPR*, 2026
_VENUE_AFTER = re.compile(
    r"\s?[(\[（]([A-Z][\w/& .-]{1,25}?(?:[ -]?20\d\d|[’']\d\d))(?:,? [\w ,]{3,40})?[)\]）]$"
    r"|(?:,|\s[–—-]{1,2})\s((?!COVID)[A-Z]\w{0,9}[A-Z][\w/-]{0,9}[ ’']{0,2}(?:20)?\d\d)$"
    r"|\sin ([A-Z][\w ]{1,40}),? (?:19|20)\d\d$"
)
# Ada Lovelace and Grace Hopper (2026). Owls by Night. Journal of Owls.
_CITATION = re.compile(r"([^()\[\]*:]{4,600}?),? \((?:[^()]{2,40}[\s’'])?(?:19|20)?\d\d[a-z]?\)[\s.,:—–-]{1,4}(?=\S)")
_NAME_PART = re.compile(r"[^\W\d_a-z][^\W\d_]*(?:[ -][^\W\d_a-z][^\W\d_]*)?")
_BIBTEX_END = re.compile(r",? and [^\s,]{2,30}, [^,]{2,30}$")  # , and Hopper, Grace
_AFTER_OTHERS = re.compile(r"\s?\bet al\.?,? [^,;]{3,80}(?:19|20)\d\d$")  # a venue
# What may follow the last semicolon of a list of authors.
_NO_AUTHORS = re.compile(rf"{_ORGANISATION.pattern}|\b(?:Proceedings|Conference|Journal)\b|\b(?:19|20)\d\d\b")
# Lovelace, A.; Hopper, G. *Owls by Night*. | LOVELACE, Ada et al. Owls by Night.
_CITED = re.compile(
    r"([^*\"“()\[\]:]{4,400}?(?:;|\b[A-Z]\.)[^*\"“()\[\]:]{0,100}?)\s(?=[*\"“][A-Z])"
    r"|([^()\[\]*:]{3,200}? et al\.)\s(?=[A-Z])"
)
_CAPITALS_FIRST = re.compile(r"\A([^\W\d_a-z]{2,30}), ([^\W\d_][^,;]{1,30})(?= et al\.\Z)")  # LOVELACE, Ada et al.
_AFTER_REMARK = re.compile(rf"\)(?:\s+(?!et\b|and\b)[a-z]|\s*[{_CJK}])")  # (MIT) is here
_AUTHORS_BEFORE = re.compile(r",|&|\b(?:and|et al)\b")
ACCESSED = re.compile(
    r",?\s(?:accessed|retrieved|visited|acesso em)(?: on)?:? (?:[a-z]{3,9}\.? \d{1,2},|\d{1,2}\.? [a-z]{3,9}\.?) \d{4}",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(.{10,400}?(?:[.](?!\d)|\?))[*_]{0,2}(?:\s|$)")
CJK_SIGN = re.compile("[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]")
_PAPER_LABELS = frozenset(table("markdown")["titles"]["papers"])
_CITED_JOURNAL = re.compile(r"[\s.,]{0,5}\*[^*]{2,150}\*[,.]? ?(?:\(?\d|vol\b|no\b|pp\b)", re.IGNORECASE)
_REMARK = re.compile(r"\([^()]{0,40}\)|（[^（）]{0,40}）")
_AFTER_TITLE = re.compile(r"\s[*_]|\[|\s[-|\u2013\u2014]\s")
_CATEGORY = re.compile(r"[a-z-]{2,10}(?:\.[A-Za-z-]{2,20})?")
_VENUE_BEFORE = re.compile(r"^[(\[][A-Z][^()\[\]]{1,40}(?:['’ ]\d\d|20\d\d)[^()\[\]]{0,20}[)\]]\s*")
_NO_REMARK = re.compile(
    rf"\s*(?:(?:arxiv:)?\d{{4}}\.\d{{4,5}}(?:v\d{{1,2}})?|[{_SIGNS}]{{1,9}}\d{{0,6}})?\s*", re.IGNORECASE
)
LEAST_WORDS = 3
LONGEST_ITEM = 4_000  # characters of a line in which a title is looked for


_FIELDS: Mapping[str, Sequence[str]] = table("markdown")["fields"]
# The kinds of fields by their names. Nothing reads those without a kind.
KINDS = {name: "" if kind == "nothing" else kind for kind, names in _FIELDS.items() for name in names}
_LABELS = frozenset(table("markdown")["titles"]["labels"])
TITLE_SECTIONS = frozenset(table("markdown")["titles"]["sections"])
SECTIONS = frozenset(table("markdown")["abstracts"]["sections"])


def field_key(name: str) -> str:
    """Return a field's name in lower case, without pictures and unknown remarks in parentheses."""
    name = PICTURES.sub("", name.strip(" *_`#:：■◆●")).strip(" *_`#:：").lower()
    return name if name in KINDS else _REMARK.sub("", name).strip()


def headline(text: str) -> tuple[str, str]:
    """Return an item's title, in a link, bold, quoted or first, and the text behind it."""
    bare = IMAGE.sub("", text[:LONGEST_ITEM])
    text = _BADGE.sub("", bare)
    title, rest = _emphasised(text) or _quoted_or_linked(text)
    badge = None if title else _BADGE.match(bare)
    if not badge:
        return title, rest
    return _quoted_or_linked(f"[PDF]{badge[0].partition(']')[2]}{text}")


def _emphasised(text: str, *, is_rest: bool = False) -> tuple[str, str] | None:
    for match in _EMPHASIS.finditer(text):
        title = clean_title(match[0])
        before, rest = text[: match.start()], text[match.end() :]
        if len(re.findall(r"[^\W\d_]{2,}", before)) >= LEAST_WORDS:
            # Lists name who wrote it first, and prose goes on behind a link.
            is_last = len(title.split()) > LEAST_WORDS and not re.search(r"\w", clean_title(rest))
            return (title, f"{before} {rest}") if match[0].startswith("[") and is_last and not is_label(title) else None
        if not title or is_label(title) or re.fullmatch(r"\[.*\]", title):
            continue
        if _VENUE_ALONE.fullmatch(title) and (linked := LINK.search(rest)) and not is_label(linked[1]):
            continue
        if not is_rest and (title.endswith(":") or rest.lstrip().startswith(":")):
            return _named(title.rstrip(":"), rest.lstrip().removeprefix(":").strip()) or (title.rstrip(":,."), rest)
        return title.rstrip(":,."), rest
    return None


def _named(name: str, rest: str) -> tuple[str, str] | None:
    """Return the title in "**OwlNet**: Owls by night". A name in Chinese, Japanese or Korean is a field's."""
    following, after = _emphasised(rest, is_rest=True) or _quoted_or_linked(rest)
    if CJK_SIGN.search(name):
        return (following, after) if rest.startswith("[") else ("", rest)
    if not following and "](" not in rest and _is_capitalised(rest):
        following, after = clean_title(rest), ""
    if not following or (byline(following) and " " in name):
        return None
    return following if following.startswith(f"{name}:") else f"{name}: {following}", after


def _quoted_or_linked(text: str) -> tuple[str, str]:
    quotation = re.search(r"[\"\u201c]([^\"\u201c\u201d]{10,300})[\"\u201d]", text)
    if quotation:
        return clean_title(quotation[1]).rstrip(",."), text[quotation.end() :]
    if (label := LINK.match(text.lstrip(" *"))) and is_label(label[1]):
        behind = label.string[label.end() :].lstrip(" *:-")
        if behind.startswith((".", ",", ";")):  # a sentence
            return "", text
        first, *others = _AFTER_TITLE.split(behind, maxsplit=1)
        return clean_title(first), "".join(others)
    address = _BARE_ADDRESS.search(text)
    link = next((match.start() for match in LINK.finditer(text) if is_label(match[1])), address and address.start())
    if not link:
        return "", text
    title, rest = text[:link].rstrip(" [(|*-\u2013\u2014"), text[link:]
    before, _, after = title.partition(". ")
    if after and byline(after):
        title, rest = before, f"{after} {rest}"
    return clean_title(title).rstrip(".,:"), rest


def _is_capitalised(text: str) -> bool:
    """Return whether a text without links reads like a title: Group Relative Owls."""
    long = [word for word in text.split() if len(word) > LEAST_WORDS]
    return LEAST_WORDS <= len(text.split()) <= 25 and sum(word[0].isupper() for word in long) >= 0.6 * len(long)


def has_paper_link(text: str) -> bool:
    """Return whether links in a text say that they lead to a paper, as "[Paper]" does."""
    return any(match[2].startswith("http") and _label(match[1]) in _PAPER_LABELS for match in LINK.finditer(text))


def citation(text: str) -> tuple[str, str, str]:
    """Return the title of a citation, the text behind it, and the names before it.

    >>> citation("Lovelace, A., & Hopper, G. (2026). Owls by night. J Owls, 12.")
    ('Owls by night', 'J Owls, 12.', 'Lovelace, A., & Hopper, G.')
    """
    bare = NUMBER.sub("", text[:LONGEST_ITEM], count=1)
    match = _CITATION.match(bare) or _CITED.match(bare)
    cited = next(filter(None, match.groups())) if match else ""
    cited = _CAPITALS_FIRST.sub(lambda name: f"{name[2]} {name[1].title()}", cited)
    if not match or not _AUTHORS_BEFORE.search(cited):
        return "", text, ""
    names = [name for name in author_names(_ET_AL.sub("", cited.replace(" & ", ", "))) if name]
    if not names or not all(_NAME.fullmatch(name) and len(name.split()) <= 5 for name in names):
        return "", text, ""
    behind = match.string[match.end() :].lstrip(" *_")
    if (linked := LINK.match(behind)) and not is_label(linked[1]):
        return clean_title(linked[1]), f"{linked[0]} {linked.string[linked.end() :]}", cited
    address = _BARE_ADDRESS.search(behind)
    sentence = _SENTENCE.match(behind[: address.start()] if address else behind)
    title = clean_title(sentence[1] if sentence else behind[: address.start()] if address else "")
    return title.rstrip(".*_"), behind[sentence.end() :] if sentence else behind, cited


def journal_of(venue: str) -> str:
    """Return a venue without pictures and the year behind it, or nothing for a database.

    >>> journal_of("Journal of Owls (2026)"), journal_of("PubMed"), journal_of("arXiv preprint")
    ('Journal of Owls', '', '')
    """
    venue = _VENUE_END.sub("", plain_text(IMAGE.sub(" ", venue[: limits.FACT]))).strip(" -|,.")
    return "" if pattern("no_journal", "publishers").search(venue) else venue


def title_below(day: str, text: str) -> str:
    """Return the title in a link to an article below the day of a meeting. Any other heading stays.

    >>> title_below("Feb 10", "[Owls by Night](https://arxiv.org/abs/2602.00001) (NeurIPS 2025)")
    'Owls by Night'
    >>> title_below("Mayflies", "[Owls by Night](https://arxiv.org/abs/2602.00001)")
    'Mayflies'
    """
    link = LINK.match(text[:LONGEST_ITEM]) if _MEETING.fullmatch(day) else None
    title = clean_title(link[1]) if link and article_at(link[2]) and not is_label(link[1]) else ""
    return title if len(title.split()) >= LEAST_WORDS else day


def split_venue(title: str) -> tuple[str, str]:
    """Return a title without the venue behind it, and the venue.

    >>> split_venue("Owls by Night (CVPR 2026)"), split_venue("Owls by Night, NeurIPS 26")
    (('Owls by Night', 'CVPR 2026'), ('Owls by Night', 'NeurIPS 26'))
    """
    match = _VENUE_AFTER.search(title[:LONGEST_ITEM])
    before = title[: match.start()].rstrip(" ,") if match else ""
    return (before, next(filter(None, match.groups()))) if match and len(before) > 2 else (title, "")


def byline(text: str) -> str:
    """Return the authors at the start of a line, or an empty string.

    >>> byline("Ada K. Lovelace, G. Hopper. Owls see"), byline("[Ada Lovelace](https://orcid.org/0), Grace Hopper")
    ('Ada K. Lovelace, G. Hopper', 'Ada Lovelace, Grace Hopper')
    """
    if _CITED_JOURNAL.match(text[: limits.BYLINE]):
        return ""
    profiled = list(_PROFILED.finditer(text[: limits.BYLINE]))
    end = profiled[-1].end() if profiled else 0
    are_all = not text.startswith(",", end) or re.search(
        r"[\d\]]", text[end : end + limits.TITLE]
    )  # a citation follows
    if profiled and are_all and len(author_names(plain_text(text[:end]))) == len(profiled):
        return ", ".join(match[1] for match in profiled)
    people = _PEOPLE.search(text[: limits.BYLINE])
    text = people[1] if people else text
    text = plain_text(_without_labels(text[: limits.BYLINE])).replace(" et. al.", " et al.")
    text = PICTURES.sub("", re.sub(r"^[\s\-|,.:;()*_\u2013\u2014]{1,10}", "", text))
    if _AFTER_REMARK.search(text):
        return ""
    text = re.split(
        r"\s[-|\u2013\u2014\u00b7]\s|\[|\*|\(|(?<!\b[A-Z])\. |\bPaper:|\bCode:|(?<=al\.),", text, maxsplit=1
    )[0]
    is_short = bool(_ET_AL.search(text))  # "Lovelace et al."
    names: list[str] = []
    for name in _paired(text) or author_names(_ET_AL.sub("", text)):
        parts = name.split()
        is_capital = all(not part[0].islower() or part.lower() in words("particles") for part in parts)
        is_name = is_capital and len(parts) <= 5 and _NAME.fullmatch(name)
        is_alone = not names and len(parts) < 2 and not is_short
        if not is_name or is_alone or _ORGANISATION.search(name) or _NO_NAME.search(name):
            break
        names.append(name)
    is_list = len(names) > 1 or is_short or len(text) <= 40
    return ", ".join(names) if names and is_list else ""


def names_before(text: str) -> str:
    """Return the names before a title in quotation marks, in either order."""
    before, quotation, _ = text[: limits.BYLINE].partition('"')
    if before.lstrip().startswith(("**", "[")):  # a title of its own
        return ""
    return (", ".join(_pairs(before)) or byline(before)) if quotation else ""


def _pairs(text: str) -> list[str]:
    """Return the names in "Lovelace, Ada M, Hopper, Grace", first names first."""
    parts = [part.strip(" .`*_") for part in re.split(r",(?: and)?|(?<=\w) and ", text)]
    parts = parts if parts[-1] else parts[:-1]
    if len(parts) % 2 or not all(map(_NAME_PART.fullmatch, parts)):
        return []
    return [f"{first} {last}" for last, first in zip(parts[::2], parts[1::2], strict=True)]


def _paired(text: str) -> list[str]:
    """Return the names in a list of BibTeX: "Lovelace, Ada, and Hopper, Grace"."""
    return _pairs(text) if _BIBTEX_END.search(text) else []


def names_in(text: str) -> tuple[str, ...]:
    text = re.sub(r"^[-*+•] |(?<=[a-z]{3})\.$", "", _NOTES.sub("", text[: limits.BYLINE]))
    *before, last = re.split("([;；])", text) if re.search("[;；]", text) else [text]
    text = "".join(before[:-1]) if before and _NO_AUTHORS.search(last[: limits.URL]) else text
    text = _AFTER_OTHERS.sub(" et al.", text)
    text = _ET_AL.sub("", plain_text(without_affiliations(LINK.sub(r"\1", text))).replace(" et al.,", ","))
    names = author_names(text if ";" in text else re.sub(r"[、，；|·]|\s&\s", ", ", text))
    bare = [_ET_AL.sub("", name).strip(" *_.`" if name.endswith("..") else " *_`") for name in names]
    return tuple(name for name in bare if name and not _MORE.fullmatch(name))


def categories_in(text: str) -> tuple[str, ...]:
    codes = re.findall(r"\(([a-z-]{2,10}\.[A-Za-z-]{2,20})\)", text)  # "Machine Learning (cs.LG)"
    tokens = codes or [token for token in re.split(r"[,;|\s`()\[\]]+", text) if token]
    if not all(_CATEGORY.fullmatch(token) for token in tokens):
        tokens = [token.strip(" `*") for token in re.split(r"[,;|]", text)]
    return tuple(dict.fromkeys(filter(None, tokens)))


def clean_title(text: str) -> str:
    """Return a title without number, marks, anchors, pictures, and links such as "PDF"."""
    text = BLOCK_TAG.sub(" ", _BADGE.sub("", IMAGE.sub("", BOLD_TAG.sub("**", text[:LONGEST_ITEM]))))
    text = _without_labels(ANCHOR.sub(r"[\2](\1)", text))
    text = _BRACKETS.sub(
        lambda words: "" if (is_label(words[1]) if words[1] else _NO_REMARK.fullmatch(words[2] or "")) else words[0],
        text,
    ).replace("``", "")
    text = PICTURES.sub("", BULLET.sub("", _TITLE_REST.sub("", plain_text(text)), count=1))
    text = _VENUE_BEFORE.sub("", NUMBER.sub("", _BEFORE_TITLE.sub("", text, count=1), count=1))
    for _ in range(2):
        text = _AFTER_TITLE_WORDS.sub("", text, count=1).rstrip()
    return _TITLE_ENDS.sub("", text) if re.search(r"\w", ADDRESS.sub("", text)) else ""


def _without_labels(text: str) -> str:
    """Return a text with links as their texts, and without those that are labels."""
    return LINK.sub(lambda link: "" if is_label(link[1]) else link[1], text)


def is_label(text: str) -> bool:
    """Return whether a link's text is a word such as "PDF", an identifier, an address or a date."""
    return bool(_IDENTIFIER.fullmatch(PICTURES.sub("", plain_text(text)).strip(" []():"))) or _label(text) in _LABELS


def width(text: str) -> int:
    """Return the length of a text, in which signs of East Asia count twice."""
    return len(text) + len(CJK_SIGN.findall(text))


def _label(text: str) -> str:
    return re.sub(r"[^\w\s-]|\d", "", PICTURES.sub("", plain_text(text)).strip(" []():")).strip().lower()


def plain_text(text: str) -> str:
    """Return a text without marks of Markdown and HTML, except in formulas."""
    parts = _FORMULA.split(LINK.sub(r"\1", text[: limits.MARKUP]))
    for i in range(0, len(parts), 2):
        for mark, replacement in _MARKS:
            parts[i] = mark.sub(replacement, parts[i])
    return " ".join(plain(BLOCK_TAG.sub(" ", "".join(parts))).split())


def day_in(text: str) -> date | None:
    """Return the first day in a text. Bots mean May 11 by "05/11/2026"."""
    text = _CLOCK.sub("", text[:LONGEST_ITEM])
    return date_in(text) or next(iter(numeric_days(text)), None)


def articles_in(text: str) -> list[Article]:
    if "http" not in text:
        return []
    urls = (address[: limits.URL].rstrip(".,;") for address in ADDRESS.findall(text[:LONGEST_ITEM]))
    return list(filter(None, (article_at(_MIRROR.sub("https://arxiv.org/abs/", url)) for url in urls)))
