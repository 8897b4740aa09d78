r"""LaTeX in titles and abstracts made readable: ``Pok\'emon`` is Pokémon, ``$\epsilon$`` is ε.

pylatexenc parses LaTeX source, but an abstract is prose with some LaTeX in it, where ``5%`` starts no comment,
``AT&T`` no table cell and ``$5 million`` no formula. Therefore the prose is escaped first; the library does the rest.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from typing import Any

from pylatexenc import latex2text, latexwalker
from pylatexenc.latex2text import LatexNodes2Text, MacroTextSpec, SpecialsTextSpec
from pylatexenc.latexwalker import LatexMacroNode, LatexWalker, LatexWalkerParseError, ParsingState
from pylatexenc.macrospec import LatexContextDb, MacroSpec

from bot.model import limits
from bot.model.wording import visible

# Text without LaTeX, the usual case, skips the parser.
_MAY_BE_LATEX = re.compile(r"[\\$]|``")
# 6 % of abstracts have TeX's dashes and no other LaTeX. "--quiet" is an option.
_DASH = re.compile(r"(?<=\w)---?(?=\w)|(?<=\s)---?(?=\s)")
# A dollar sign opens a formula by pandoc's rule (extension tex_math_dollars): no blank directly inside the dollars and
# no digit after the closing one. Possessive quantifiers prevent backtracking on a long run of brackets.
_TOKEN = re.compile(
    r"""(?P<url>https?://[^\s{}$]+)
      | (?P<formula>\$\$[^$]+\$\$ | \$(?=\S)(?:\\.|[^\\$])+(?<=\S)\$(?!\d)
                   | \\\((?:[^$\\]|\\[^$()]){1,999}+\\\) | \\\[(?:[^$\\]|\\[^$\[\]]){1,999}+\\\])
      | (?P<command>\\.)
      | (?P<special>[%&\#$])
      | (?P<approximately>(?<![\w.,;:)}\]])~)
      | (?P<option>(?<!\S)--(?=\w))""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPED_IN_URL = re.compile(r"\\([_%#&~])")
_LITERAL = str.maketrans(
    {c: rf"\{c}" for c in "%&#$_"}
    | {c: f"{{{c}}}" for c in "-'`^"}
    | {"~": r"\textasciitilde{}", "\\": r"\textbackslash{}"}
)

# A circle as superscript means degrees, which the library would write as "360^∘".
_DEGREE = re.compile(r"\^\{?\\circ(?![a-zA-Z])\}?")
# In math mode the library drops the blanks of the source: r"\alpha \leq \beta" would become "α≤β".
_RELATION = re.compile(
    r"(?<=[\w)}\]|])\s*\\(leq?|geq?|neq?|approx|sim|simeq|equiv|propto|pm|times|cdot|in|to|rightarrow|subseteq|ll|gg)"
    r"(?![a-zA-Z])\s*(?=[^\s}$,.;)])"
)
# Of all scripts only digits and signs have a complete set in Unicode; the others keep their "_" or "^".
_DIGIT_SCRIPT = re.compile(r"([_^])(?:\{([-+]?\d+)\}|(\d))")
# "x_{i+1}" without its braces would read as x_i + 1: a script or fraction with an operator gets parentheses.
_COMPOUND_SCRIPT = re.compile(r"([_^])\{([^{}\\]{0,40}[^{}\\\s][-+*/=,<>][^{}\\]{0,40})\}")
_COMPOUND = re.compile(r"\S\s*[-+*/=,<>]")
_BARE_PERCENT = re.compile(r"(?<!\\)%")
_SUPERSCRIPTS = str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")
_SUBSCRIPTS = str.maketrans("0123456789+-", "₀₁₂₃₄₅₆₇₈₉₊₋")
# Mathematical alphanumeric symbols such as "𝒪", which many fonts lack.
_MATH_LETTERS = re.compile("[\U0001d400-\U0001d7ff]+")

# The library's own choices read worse in prose: ϵ for epsilon, "∼" for sim, "<cit.>" for a citation.
_REPLACEMENTS = {
    "epsilon": "ε", "sim": "~", "neg": "¬", "|": "‖", "url": "%(1)s",
    **dict.fromkeys(("cite", "citep", "citet", "ref"), "[…]"),
}  # fmt: skip
# Declarations and sizes: unlike a macro of the authors' own, their names say nothing to a reader.
_DROPPED_MACROS = (
    "bf", "bfseries", "cal", "centering", "color", "em", "it", "itshape", "rm", "sc", "sf", "sl", "small",
    "tt", "big", "Big", "bigg", "Bigg", "left", "right", "inst", "label", "newcommand", "renewcommand",
)  # fmt: skip


# TeX's single quotes; a Markdown code span ends with a backtick.
_QUOTED = re.compile(r"(?<![\w`\\])`(?=[^\s`'])([^`\n]{1,200}?)(?<=\S)'(?![\w'])")


def readable(text: str) -> str:
    """Return the text in plain Unicode, with LaTeX converted; never raises.

    Text without LaTeX is returned unchanged but for its dashes; text longer than an abstract may be, which is never
    shown, is returned as it is.
    """
    text = visible(text)
    if len(text) > limits.ABSTRACT:
        return text
    text = _QUOTED.sub(r"‘\1’", text)
    if not _MAY_BE_LATEX.search(text):
        return _DASH.sub(lambda dash: "–" if dash[0] == "--" else "—", text)
    return _converted(text)


# A sentence of a summary is asked for by each part of a mail, and with each reader's marks.
@functools.lru_cache(maxsize=1_000)
def _converted(text: str) -> str:
    """Return the text in plain Unicode; if it can't be parsed, as it is."""
    converter, macros = _converter()
    try:
        walker = _Walker(_TOKEN.sub(_escape_prose, text), latex_context=macros)
        converted = converter.nodelist_to_text(walker.get_latex_nodes()[0])
    except Exception:
        # pylatexenc lists no exceptions for broken LaTeX, and r"\unicode{no number}" raises ValueError below.
        return text
    # NFKC for these letters alone: applied to the whole text it would turn "10²" into "102".
    unstyled = _MATH_LETTERS.sub(lambda letters: unicodedata.normalize("NFKC", letters[0]), converted)
    return visible(unicodedata.normalize("NFC", unstyled))


class _Walker(LatexWalker):  # type: ignore[misc]  # pylatexenc ships no types
    r"""A parser that reads each group once.

    Where an argument is missing, the library takes a macro to have none, and reads the others again as text:
    ``\frac{`` 17 times, 102 characters, took 6 s, and each further one twice as long.
    """

    def __init__(self, source: str, *, latex_context: LatexContextDb) -> None:
        super().__init__(source, latex_context=latex_context)
        self._groups: dict[tuple[object, ...], Any] = {}

    def get_latex_braced_group(self, pos: int, brace_type: str = "{", parsing_state: ParsingState | None = None) -> Any:
        """Return the group that begins at a position; raises LatexWalkerParseError."""
        key = (pos, brace_type, parsing_state and parsing_state.in_math_mode)
        if key not in self._groups:
            try:
                self._groups[key] = super().get_latex_braced_group(pos, brace_type, parsing_state)
            except LatexWalkerParseError as error:
                self._groups[key] = error
        group = self._groups[key]
        if isinstance(group, LatexWalkerParseError):
            raise group
        return group


def _escape_prose(token: re.Match[str]) -> str:
    """Return LaTeX source that stands for the token as prose means it."""
    match token.lastgroup:
        case "url":
            return _ESCAPED_IN_URL.sub(r"\1", token[0]).translate(_LITERAL)
        case "formula":
            # Inline math, with blanks around relations and digits of scripts in Unicode.
            delimiter = 2 if token[0].startswith(("$$", "\\")) else 1
            formula = token[0][delimiter:-delimiter].strip()
            formula = _RELATION.sub(r"\\ \\\1\\ ", _DEGREE.sub("°", formula))
            formula = _DIGIT_SCRIPT.sub(
                lambda script: (script[2] or script[3]).translate(_SUPERSCRIPTS if script[1] == "^" else _SUBSCRIPTS),
                formula,
            )
            formula = _COMPOUND_SCRIPT.sub(r"\1(\2)", formula)
            return r"\(" + _BARE_PERCENT.sub(r"\\%", formula) + r"\)"
        case "special":
            return rf"\{token[0]}"
        case "approximately":
            return r"\textasciitilde{}"
        case "option":
            # "--quiet" is a command's option; between words "--" stays the dash that LaTeX makes of it.
            return "{-}{-}"
    return token[0]


@functools.cache
def _converter() -> tuple[LatexNodes2Text, LatexContextDb]:
    """Return the converter and the macros that the parser knows, both with our additions."""
    texts = latex2text.get_default_latex_context_db()
    texts.add_context_category(
        "paperbot",
        prepend=True,
        macros=[
            *(MacroTextSpec(name, replacement) for name, replacement in _REPLACEMENTS.items()),
            *(MacroTextSpec(name, "") for name in _DROPPED_MACROS),
            MacroTextSpec("eg", lambda node: "e.g." + node.macro_post_space),
            MacroTextSpec("ie", lambda node: "i.e." + node.macro_post_space),
            MacroTextSpec("frac", _fraction),
            MacroTextSpec("href", _hyperlink),
            # MathJax's \unicode{x2014}
            MacroTextSpec(
                "unicode", lambda node, l2tobj: chr(int(l2tobj.nodelist_to_text(node.nodeargs).removeprefix("x"), 16))
            ),
            MacroTextSpec("verb", lambda node: node.nodeargd.verbatim_text),
        ],
        specials=[SpecialsTextSpec("~", " ")],
    )
    texts.set_unknown_macro_spec(MacroTextSpec("", _unknown_macro))
    # The parser has to know how many arguments a macro takes; its own database lacks these two.
    macros = latexwalker.get_default_latex_context_db()
    with_arguments = [MacroSpec("href", "{{"), MacroSpec("unicode", "{")]
    macros.add_context_category("paperbot", prepend=True, macros=with_arguments)
    return LatexNodes2Text(latex_context=texts, math_mode="text"), macros


def _fraction(node: LatexMacroNode, l2tobj: LatexNodes2Text) -> str:
    r"""Return ``\frac{1}{n+1}`` as ``1/(n+1)``."""
    parts = (l2tobj.nodelist_to_text([argument]) for argument in node.nodeargs)
    numerator, denominator = (f"({part})" if _COMPOUND.search(part) else part for part in parts)
    return f"{numerator}/{denominator}"


def _hyperlink(node: LatexMacroNode, l2tobj: LatexNodes2Text) -> str:
    r"""Return the label of ``\href{address}{label}``, with the address unless the label shows it."""
    address, label = (l2tobj.nodelist_to_text([argument]) for argument in node.nodeargs)
    return label if label in address or address in label else f"{label} ({address})"


def _unknown_macro(node: LatexMacroNode, l2tobj: LatexNodes2Text) -> str:
    r"""Return the text of a macro of the authors' own: ``\hl{text}`` gives its argument, ``\ours{}`` its name."""
    if node.nodeargs:
        return str(l2tobj.nodelist_to_text(node.nodeargs[-1:]))
    # The parser takes no arguments for a macro it doesn't know; a group that follows is converted as text of its own.
    source = node.parsing_state.s
    end = node.pos + node.len
    has_argument = source.startswith("{", end) and not source.startswith("{}", end)
    return "" if has_argument else f"{node.macroname}{node.macro_post_space}"
