"""Inline markup of titles and abstracts made plain text: HTML, JATS, MathML, references, and bioRxiv's own.

    markup --references resolved, bioRxiv's marks--> tags and text --stack of open elements--> blocks --> one line

Publishers send the same title as ``CO<sub>2</sub>``, ``CO<jats:sub>2</jats:sub>``, ``CO&amp;lt;sub&amp;gt;2...`` or
``<mml:msub>...``. A block element ends a word, an inline element never does. ``x<y and z>1`` is a comparison.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from html import unescape
from html.entities import html5
from itertools import cycle

from bot.formats.tables import table

_TABLES = table("markup")
_INLINE, _BLOCKS, _HEADINGS, _MATH = (
    frozenset(_TABLES["elements"][kind].split()) for kind in ("inline", "blocks", "headings", "math")
)
_SILENT = {"annotation", "annotation-xml", "mphantom", "style", "svg"}  # without text for readers
_SCRIPTS = {"inf": "_", "sb": "_", "sub": "_", "sp": "^", "sup": "^"}
_FORMULAS = {"alternatives", "inline-formula", "disp-formula"}
# Elements that change their text.
_FRAMES = {*_MATH, *_SILENT, *_SCRIPTS, *_FORMULAS, "tex-math"}
_IS_HEADING = {**dict.fromkeys(_BLOCKS, False), **dict.fromkeys(_HEADINGS, True)}
_NAMES = {*_INLINE, *_IS_HEADING, *_FRAMES}

# A name, and attributes as HTML has them. A comparison such as "a<b and c>d" has no "=" behind its words.
_TAG = re.compile(
    r"<(?P<end>/?)(?:[a-z][a-z0-9]{0,9}:)?(?P<name>[a-z][a-z0-9-]{0,19})"
    r"(?P<attributes>(?:\s{1,20}[\w:.-]{1,60}\s?=\s?(?:\"[^\"]{0,2000}\"|'[^']{0,2000}'|[^\s\"'<>]{1,2000})){0,20})"
    r"\s{0,9}(?P<empty>/?)>",
    re.IGNORECASE,
)
_LETTERS = frozenset("abipqsu")  # elements with the name of a variable
# A name needs its semicolon: "?a=1&copy=2" is no reference to a sign.
_REFERENCE = re.compile(r"&(?:[a-z][a-z0-9]{1,31};|#\d{1,7}(?!\d);?|#x[\da-f]{1,6}(?![\da-f]);?)", re.IGNORECASE)
# No character of Unicode. `html.unescape` raises on more than 4,300 digits.
_INVALID_REFERENCE = re.compile(r"&#x?[\da-f]{8,};?", re.IGNORECASE)
# Web of Science puts a blank on both sides of the ampersand: "Schr & ouml;dinger", "p & lt; 0.05", "25 & DEG;C".
_SPACED_REFERENCE = re.compile(r"(?<=(\S)) & ([a-zA-Z]{2,9};)(?=(\s?))")
_SPACED_SIGNS = frozenset("&<>\"'\u00a0°±²³µ·×–—‘’“”…≤≥")
# INSPEC: BaB/sub 2/O/sub 4/
_INSPEC = re.compile(r"/(su[bp])\s([^/<>]{1,20})/")
_ALT = re.compile(r"\balt\s?=\s?[\"'](\{[\w +/-]{1,30}\}|[^\x00-\x7f])[\"']", re.IGNORECASE)
_AFTER_LINE_BREAK = re.compile(r"\s*[\n\v]\s*[,.;:)\]]")
_MAX_DEPTH = 40  # each level copies its text once more
_HEADING_END = "\x02"  # control characters, which no text has
_PRESCRIPTS = "\x03"
_SIGNS_OF_MARKUP = re.compile(r"[<&{\[\n]|[OC]_[A-Z]|[a-z][A-Z]|/su[bp]")
ABSTRACT = "Abstract"  # the heading, as a block of its own


def plain(markup: str) -> str:
    """Return the text of markup as one line, without the heading of an abstract.

    >>> plain("<p>H<inf>2</inf>O &lt; 5, if x < y > z.</p><p>10<sup>&minus;3</sup></p>")
    'H2O < 5, if x < y > z. 10⁻³'
    """
    if len(markup) < 100 and not _SIGNS_OF_MARKUP.search(markup):  # characters: most names and titles, and no abstract
        return " ".join(markup.split())
    texts = blocks(markup)
    return " ".join(texts[1:] if len(texts) > 1 and texts[0] == ABSTRACT else texts)


def blocks(markup: str) -> list[str]:
    """Return the text of each block of markup, or of each line of a plain text.

    A heading begins the block below it. The heading of the whole abstract is a block, ``ABSTRACT``.

    >>> blocks("<h2>Abstract</h2><h3>Background</h3><p>Owls see.</p><ul><li>By night</li></ul>")
    ['Abstract', 'Background: Owls see.', 'By night']
    """
    text = markup
    if " & " in text:
        text = _SPACED_REFERENCE.sub(_unspaced, text)
    for _ in range(2 if "&" in markup else 0):  # "&amp;lt;"
        text = _REFERENCE.sub(lambda reference: unescape(reference[0]), _INVALID_REFERENCE.sub("", text))
    text = _without_marks(text)
    if "<" in text:
        text = _without(text, "<!--", "-->").replace("<![CDATA[", "").replace("]]>", "").replace("<正>", "")  # CNKI's
        text = _without_tags(_BOLD_HEADING.sub(rf"<br/>\1{_HEADING_END}<br/>", text))
    results: list[str] = []
    heading = ""
    for part in text.split("\n"):
        line = " ".join(part.split())
        is_heading = line.endswith(_HEADING_END) or (_HEADING.fullmatch(line) and line[0].isupper())
        if is_heading:
            line = line.rstrip(f"{_HEADING_END} :.")
        if is_heading and line.lower() == "abstract":
            results.append(ABSTRACT)
        elif is_heading:
            heading = f"{heading} {line}".strip()
        elif line:
            results.append(f"{heading}: {line}" if heading else line)
            heading = ""
    return [*results, heading] if heading else results


def _unspaced(match: re.Match[str]) -> str:
    before, name, behind = match.groups()
    sign = html5.get(name) or html5.get(name.lower(), "")
    is_latin = "À" <= sign < "ɐ"
    if not (is_latin or "Α" <= sign <= "ϵ" or sign in _SPACED_SIGNS):  # "male & female;"
        return match[0]
    is_joined = before in "-(/" or sign == "’" or (sign == "&" and not behind) or (is_latin and before.isalpha())
    return sign if is_joined and not (is_latin and sign.isupper()) else f" {sign}"


def _without(text: str, begin: str, end: str) -> str:
    # A regular expression would search the whole text from each beginning without an end.
    first, *others = text.split(begin)
    return first + "".join(other.partition(end)[2] if end in other else begin + other for other in others)


_TITLES = "|".join(_TABLES["headings"]["names"])
_HEADING = re.compile(_TITLES, re.IGNORECASE)
# medRxiv's API glues a heading to its text: "BackgroundDiets threaten".
_GLUED = re.compile(rf"(?:{_TITLES})(?=[A-Z](?:[a-z]|[\s-])|\d)")
_BOLD_HEADING = re.compile(
    rf"<(?:b|strong|bold)>\s?({_TITLES})[:.]?\s?</(?:b|strong|bold)>\s?[:.]?(?=\s{{0,9}}(?-i:[A-Z<]|$))", re.IGNORECASE
)

# The marks of bioRxiv and medRxiv: O_ST_ABS...C_ST_ABS around a heading, O_LI...C_LI around an item, O_FIG...C_FIG
# around the address of a figure, {beta} or [beta] for a character of another font.
_MARKS = re.compile(r"([OCM])_(ST_ABS|LI|SCPLOW|SCPCAP|INLINEFIG|LINKSMALLFIG|TEXTBOX|CAPTION|FIG|TBL|QD|UL|OL)")
_MARKED = {"OST_ABS": "", "CST_ABS": _HEADING_END, "OLI": "", "CLI": ""}
_SIGNS = {
    **{name[:-1]: sign for name, sign in html5.items() if name.endswith(";") and "Α" <= sign <= "ϵ"},
    **_TABLES["signs"],
    **{sign: sign for sign in "~≤≥±×°→≈≠<>·∼≅≡∝∞√−µ"},
}
_SIGN = re.compile(r"(?<![_^}])(?:\{([A-Za-z+][A-Za-z /-]{0,14})\}|\[([^\s\[\]\d]{1,7})\])")


def _sign(match: re.Match[str]) -> str:
    # A list may have the number [xi].
    return match[0] if match[0] == "[xi]" else _SIGNS.get(match[1] or match[2], match[0])


def _without_marks(text: str) -> str:
    """Remove the marks of bioRxiv's API, and what is around the formulas of LaTeX documents."""
    if "/su" in text:
        text = _INSPEC.sub(r"<\1>\2</\1>", text)
    line_break = "<br/>" if "<" in text else "\n"
    if ("C_" in text or "O_" in text) and _MARKS.search(text):
        for kind in ("FIG", "TBL"):
            text = _without(text, f"O_{kind} ", f"C_{kind}")
        text = _MARKS.sub(
            lambda mark: f"{_MARKED[key]}{line_break}" if (key := mark[1] + mark[2]) in _MARKED else "", text
        )
    if "{" in text or "[" in text:  # in LaTeX a brace holds an argument
        text = _SIGN.sub(lambda sign: sign[0] if sign[1] and "\\" in text else _sign(sign), text)
    if "\\documentclass" in text:
        text = _without(text, "\\documentclass", "\\begin{document}").replace("\\end{document}", "")
        text = text.replace("$$", "$")
    if not any(heading in text for heading in _TABLES["headings"]["usual"]):
        return text

    def is_heading(match: re.Match[str]) -> bool:
        return match.string[max(match.start() - 2, 0) : match.start()].rstrip(" \n")[-1:] in ("", *".?!)>")

    # SummaryMixing is a name.
    if len({heading[0] for heading in _GLUED.finditer(text) if is_heading(heading)}) > 1:
        end = f"{_HEADING_END}{line_break}"
        text = _GLUED.sub(lambda match: f"{line_break}{match[0]}{end}" if is_heading(match) else match[0], text)
    return text


def _without_tags(text: str) -> str:  # noqa: PLR0912 - one pass over the tags reads straight down
    tags = [(tag, name) for tag in _TAG.finditer(text) if (name := tag["name"].lower()) in _NAMES]
    if any(name in _IS_HEADING for _, name in tags):
        text = text.replace("\n", "\v")  # white space, and no end of a block
    closed = {name for tag, name in tags if tag["end"]}
    # The open elements, each with the elements and texts in it.
    stack: list[tuple[str, list[tuple[str, str]]]] = [("", [])]
    begin = 0
    is_behind_inline = False

    def close() -> None:
        name, parts = stack.pop()
        stack[-1][1].append((name, _rendered(name, parts, stack[-1][1])))

    for tag, name in tags:
        (start, end), (is_end, _, attributes, is_empty) = tag.span(), tag.groups()
        if name in _LETTERS and name not in closed and not attributes:
            around = text[start - 1 : start], text[end : end + 1]
            if around[0].isalnum() and around[1].strip():
                continue  # a comparison, as in "a<b>c"
        between = text[begin:start]
        begin = end
        opened, parts = stack[-1]
        if opened in _MATH and opened not in {"mtext", "ms"}:
            between = between.strip()
        elif is_behind_inline and _AFTER_LINE_BREAK.match(between):
            between = between.lstrip()  # indented JATS has a line break behind each tag
        if between:
            parts.append(("", between))
        is_behind_inline = bool(is_end) and name not in _IS_HEADING
        if name in _IS_HEADING:
            while stack[-1][0] in _SCRIPTS:  # one that was never closed
                close()
            stack[-1][1].append(("", f"{_HEADING_END}\n" if is_end and _IS_HEADING[name] else "\n"))
        elif name == "img" and (alternative := _ALT.search(attributes)):
            parts.append(("", _SIGN.sub(_sign, alternative[1])))
        if name not in _FRAMES:
            continue
        if not is_end and len(stack) < _MAX_DEPTH:
            stack.append((name, []))
        if (is_end or is_empty) and any(name == opened for opened, _ in stack):
            while stack[-1][0] != name:
                close()
            close()
    rest = text[begin:]
    stack[-1][1].append(("", rest.lstrip() if is_behind_inline and _AFTER_LINE_BREAK.match(rest) else rest))
    while len(stack) > 1:
        close()
    return "".join(piece for _, piece in stack[0][1])


_SUPERSCRIPTS = str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")
_SUBSCRIPTS = str.maketrans("0123456789+-", "₀₁₂₃₄₅₆₇₈₉₊₋")
_INVISIBLE = str.maketrans({"\u2061": "", "\u2062": "", "\u2063": "", "\u2064": "", "∼": "~"})
_RELATIONS = frozenset("=<>≤≥≈~≃≅≡∝→←↔≠≪≫∈⊂⊆≲≳×±")
_ACCENTS: dict[str, str] = _TABLES["accents"]
_COMPOUND = re.compile(r"\S\s*[-+−*/=,<>]")


def _rendered(name: str, parts: list[tuple[str, str]], before: list[tuple[str, str]]) -> str:
    """Return the text of an element. ``before`` has the parts of its parent so far."""
    if name in _SILENT:
        return ""
    if name in _FORMULAS and any(kind in {"math", "alternatives"} and text.strip() for kind, text in parts):
        parts = [part for part in parts if part[0] != "tex-math"]  # the same formula again
    texts = [text for _, text in parts]
    if render := _ELEMENTS.get(name):
        return render(texts)
    joined = "".join(texts)
    if name not in _SCRIPTS or not before:
        return _script("^", joined, "") if _SCRIPTS.get(name) == "^" else joined
    kind, base = before[-1]
    # A line break parts a subscript: "CO <sub>2</sub>".
    if base[-1:].isspace() and (_SCRIPTS[name] == "_" or base[-1] != " " or "\v" in base[-40:] or joined[:1] in "-−"):
        base = base.rstrip()
        before[-1] = (kind, base)
    return joined if _SCRIPTS[name] == "_" and not _COMPOUND.search(joined) else _script(_SCRIPTS[name], joined, base)


def _script(sign: str, text: str, base: str) -> str:
    """Return a superscript (``^``) or subscript (``_``) in Unicode, or behind its sign."""
    text = text.strip()
    digits = text.replace("−", "-").replace("–", "-").replace(" ", "")
    if not digits or len(text) > 40:  # characters; a longer one is an unclosed element
        return text
    if sign == "_" and digits.isdigit() and base[-1:].isalpha():
        return digits  # Sr2RuO4, as chemists write it in plain text
    if not digits.strip("0123456789+-"):
        return digits.translate(_SUPERSCRIPTS if sign == "^" else _SUBSCRIPTS)
    if sign == "^" and (not text[0].isalnum() or base[-1:] in " ,.;:" or (len(text) > 1 and text.isalpha())):
        return "°" if text in "∘○" else text  # R*, a footnote, 5th
    return f"{sign}({text})" if _COMPOUND.search(text) else f"{sign}{text}"


def _grouped(text: str) -> str:
    return f"({text.strip()})" if _COMPOUND.search(text) else text.strip()


def _with_scripts(signs: str, texts: Sequence[str]) -> str:
    base = "".join(texts[:1]).strip()
    return base + "".join(_script(sign, text, base) for sign, text in zip(signs, texts[1:], strict=False))


def _multiscripts(texts: Sequence[str]) -> str:
    base, *scripts = texts or [""]
    cut = scripts.index(_PRESCRIPTS) if _PRESCRIPTS in scripts else len(scripts)
    before, after = (
        "".join(_script(sign, text, "") for sign, text in zip(cycle("_^"), side, strict=False))
        for side in (scripts[cut + 1 :], scripts[:cut])
    )
    return before + base + after


def _over(texts: Sequence[str]) -> str:
    base, above = "".join(texts[:1]).strip(), "".join(texts[1:]).strip()
    return base + _ACCENTS[above] if above in _ACCENTS and len(base) == 1 else base + _script("^", above, base)


def _formula(texts: Sequence[str]) -> str:
    text = " ".join("".join(texts).split())
    return text.replace(" ", "", 1) if text[:1] in _RELATIONS else text  # "~100"


_ELEMENTS: dict[str, Callable[[Sequence[str]], str]] = {
    "math": _formula,
    "semantics": lambda texts: "".join(texts[:1]),
    "mo": lambda texts: f" {sign} " if (sign := "".join(texts).translate(_INVISIBLE)) in _RELATIONS else sign,
    "msup": partial(_with_scripts, "^"),
    "msub": partial(_with_scripts, "_"),
    "munder": partial(_with_scripts, "_"),
    "msubsup": partial(_with_scripts, "_^"),
    "munderover": partial(_with_scripts, "_^"),
    "mover": _over,
    "mmultiscripts": _multiscripts,
    "mprescripts": lambda _: _PRESCRIPTS,
    "mspace": lambda _: " ",
    "mfrac": lambda texts: "/".join(map(_grouped, texts)),
    "msqrt": lambda texts: f"√{_grouped(''.join(texts))}",
    "mroot": lambda texts: f"{''.join(texts[1:])}√{_grouped(''.join(texts[:1]))}",
    "mfenced": lambda texts: f"({', '.join(texts)})",
    "mtr": lambda texts: f"{' '.join(texts)} ",
}
