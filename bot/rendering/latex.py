r"""LaTeX in titles and abstracts made readable: ``Pok\'emon`` is Pokémon, ``$\epsilon$`` is ε.

pylatexenc reads LaTeX source, but abstracts are prose with some LaTeX in it: there ``5%`` starts no comment,
``AT&T`` no table cell and ``$5 million`` no formula. So what is prose is escaped first, and the library does
the rest.
"""

from __future__ import annotations

import functools
import re
import unicodedata

from pylatexenc import latex2text, latexwalker
from pylatexenc.latex2text import LatexNodes2Text, MacroTextSpec, SpecialsTextSpec
from pylatexenc.latexwalker import LatexMacroNode
from pylatexenc.macrospec import LatexContextDb, MacroSpec

from bot import limits
from bot.rendering.text import visible

_TRIGGER = re.compile(r"[\\$]|``")
# A dollar opens a formula only where pandoc thinks so too: no blank inside it, no digit after its end.
_PIECE = re.compile(
    r"""(?P<url>https?://[^\s{}$]+)
      | (?P<formula>\$\$[^$]+\$\$ | \$(?=\S)(?:\\.|[^\\$])+(?<=\S)\$(?!\d)
                   | \\\((?:[^$\\]|\\[^$()]){1,999}+\\\) | \\\[(?:[^$\\]|\\[^$\[\]]){1,999}+\\\])
      | (?P<command>\\.)
      | (?P<special>[%&\#$])
      | (?P<about>(?<![\w.,;:)}\]])~)
      | (?P<option>(?<!\S)--(?=\w))""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPED_IN_URL = re.compile(r"\\([_%#&~])")
_LITERAL = str.maketrans(
    {c: rf"\{c}" for c in "%&#$_"}
    | {c: f"{{{c}}}" for c in "-'`^"}
    | {"~": r"\textasciitilde{}", "\\": r"\textbackslash{}"}
)

_DEGREE = re.compile(r"\^\{?\\circ(?![a-zA-Z])\}?")
_RELATION = re.compile(
    r"(?<=[\w)}\]|])\s*\\(leq?|geq?|neq?|approx|sim|simeq|equiv|propto|pm|times|cdot|in|to|rightarrow|subseteq|ll|gg)"
    r"(?![a-zA-Z])\s*(?=[^\s}$,.;)])"
)
_SCRIPT = re.compile(r"([_^])(?:\{([-+]?\d+)\}|(\d))")
_COMPOUND_SCRIPT = re.compile(r"([_^])\{([^{}\\]{0,40}[^{}\\\s][-+*/=,<>][^{}\\]{0,40})\}")
_COMPOUND = re.compile(r"\S\s*[-+*/=,<>]")
_BARE_PERCENT = re.compile(r"(?<!\\)%")
_RAISED = str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")
_LOWERED = str.maketrans("0123456789+-", "₀₁₂₃₄₅₆₇₈₉₊₋")
_MATH_LETTERS = re.compile("[\U0001d400-\U0001d7ff]+")  # styled letters, which many fonts lack

_REPLACEMENTS = {
    "epsilon": "ε", "sim": "~", "neg": "¬", "|": "‖", "url": "%(1)s",
    **dict.fromkeys(("cite", "citep", "citet", "ref"), "[…]"),
}  # fmt: skip
_SILENT = (
    "bf", "bfseries", "cal", "centering", "color", "em", "it", "itshape", "rm", "sc", "sf", "sl", "small",
    "tt", "big", "Big", "bigg", "Bigg", "left", "right", "inst", "label", "newcommand", "renewcommand",
)  # fmt: skip


def readable(text: str) -> str:
    """The text as people read it, in plain Unicode; text without LaTeX is returned as it is. Never raises.

    Text longer than an abstract may be is returned as it is, too: nothing that long is shown.
    """
    text = visible(text)
    if not _TRIGGER.search(text) or len(text) > limits.ABSTRACT:
        return text
    converter, words = _library()
    try:
        converted = converter.latex_to_text(_PIECE.sub(_prepare, text), latex_context=words)
    except Exception:  # the library makes no promise about what broken LaTeX may raise
        return text
    plain = _MATH_LETTERS.sub(lambda letters: unicodedata.normalize("NFKC", letters[0]), converted)
    return visible(unicodedata.normalize("NFC", plain))


def _prepare(piece: re.Match[str]) -> str:
    """A piece of prose as the LaTeX that means it."""
    match piece.lastgroup:
        case "url":
            return _ESCAPED_IN_URL.sub(r"\1", piece[0]).translate(_LITERAL)
        case "formula":
            return _formula(piece[0])
        case "special":
            return rf"\{piece[0]}"
        case "about":
            return r"\textasciitilde{}"
        case "option":
            return "{-}{-}"
    return piece[0]


def _formula(source: str) -> str:
    """A formula, inline, with blanks around its relations and with small figures where Unicode has them."""
    delimiter = 2 if source.startswith(("$$", "\\")) else 1
    inner = source[delimiter:-delimiter].strip()
    spaced = _RELATION.sub(r"\\ \\\1\\ ", _DEGREE.sub("°", inner))
    small = _SCRIPT.sub(_small_figures, spaced)
    grouped = _COMPOUND_SCRIPT.sub(r"\1(\2)", small)
    return r"\(" + _BARE_PERCENT.sub(r"\\%", grouped) + r"\)"


def _small_figures(script: re.Match[str]) -> str:
    return (script[2] or script[3]).translate(_RAISED if script[1] == "^" else _LOWERED)


@functools.cache
def _library() -> tuple[LatexNodes2Text, LatexContextDb]:
    """The library's converter and vocabulary, with our words for what it drops, marks or doesn't know."""
    texts = latex2text.get_default_latex_context_db()
    texts.add_context_category(
        "paperbot",
        prepend=True,
        macros=[
            *(MacroTextSpec(name, replacement) for name, replacement in _REPLACEMENTS.items()),
            *(MacroTextSpec(name, "") for name in _SILENT),
            MacroTextSpec("eg", lambda node: "e.g." + node.macro_post_space),
            MacroTextSpec("ie", lambda node: "i.e." + node.macro_post_space),
            MacroTextSpec("frac", _fraction),
            MacroTextSpec("href", _hyperlink),
            MacroTextSpec("unicode", _code_point),
            MacroTextSpec("verb", lambda node: node.nodeargd.verbatim_text),
        ],
        specials=[SpecialsTextSpec("~", " ")],
    )
    texts.set_unknown_macro_spec(MacroTextSpec("", _unknown))
    words = latexwalker.get_default_latex_context_db()
    with_arguments = [MacroSpec("href", "{{"), MacroSpec("unicode", "{")]
    words.add_context_category("paperbot", prepend=True, macros=with_arguments)
    return LatexNodes2Text(latex_context=texts, math_mode="text"), words


def _fraction(node: LatexMacroNode, l2tobj: LatexNodes2Text) -> str:
    r"""``\frac{1}{n+1}`` as ``1/(n+1)``."""
    parts = (l2tobj.nodelist_to_text([argument]) for argument in node.nodeargs)
    numerator, denominator = (f"({part})" if _COMPOUND.search(part) else part for part in parts)
    return f"{numerator}/{denominator}"


def _hyperlink(node: LatexMacroNode, l2tobj: LatexNodes2Text) -> str:
    r"""``\href{address}{label}``: the label, and the address where the label is not one already."""
    address, label = (l2tobj.nodelist_to_text([argument]) for argument in node.nodeargs)
    return label if label in address or address in label else f"{label} ({address})"


def _code_point(node: LatexMacroNode, l2tobj: LatexNodes2Text) -> str:
    r"""MathJax's ``\unicode{x2014}``."""
    return chr(int(l2tobj.nodelist_to_text(node.nodeargs).removeprefix("x"), 16))


def _unknown(node: LatexMacroNode, l2tobj: LatexNodes2Text) -> str:
    r"""An author's own macro: ``\hl{text}`` stands for its argument, ``\ours{}`` for a name."""
    if node.nodeargs:
        return str(l2tobj.nodelist_to_text(node.nodeargs[-1:]))
    source, end = node.parsing_state.s, node.pos + node.len
    has_argument = source.startswith("{", end) and not source.startswith("{}", end)
    return "" if has_argument else f"{node.macroname}{node.macro_post_space}"
