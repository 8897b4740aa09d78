r"""Plain text for LaTeX's macros and their arguments: ``\tfrac{1}{2}`` is 1/2.

A wrong number is worse than raw LaTeX. A blank separates two numbers (``2\frac12`` is 2 1/2), and an unknown macro of
several arguments stays raw.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import Any

from pylatexenc import latex2text, latexwalker
from pylatexenc.latex2text import LatexNodes2Text, MacroTextSpec, SpecialsTextSpec
from pylatexenc.latexwalker import LatexMacroNode, LatexWalker, LatexWalkerParseError, ParsingState
from pylatexenc.macrospec import LatexContextDb, MacroSpec, MacroStandardArgsParser, ParsedMacroArgs

# A blank that survives the library's stripping. The caller replaces it.
BLANK = "\ue000"
SUPERSCRIPTS = str.maketrans("0123456789+-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")
SUBSCRIPTS = str.maketrans("0123456789+-−", "₀₁₂₃₄₅₆₇₈₉₊₋₋")
# "x_{i+1}" would read as x_i + 1.
COMPOUND = re.compile(r"\S\s*[-+*/=,<>×·]")

# Some replace the library's choice: ϵ for epsilon, "∼" for sim, "<cit.>" for a citation.
_CONSTANTS = {
    ">": " ", "epsilon": "ε", "sim": "~", "neg": "¬", "|": "‖", "lt": "<", "gt": ">",
    "eg": "e.g.", "ie": "i.e.", "over": " over ", "choose": " choose ",
    "degr": "°", "degree": "°", "degrees": "°",
    "celsius": "°C", "angstrom": "Å", "Angstrom": "Å", "micron": "μm", "microns": "μm", "um": "μm",
    "arcmin": "′", "arcsec": "″", "farcs": "″.", "farcm": "′.", "fdg": "°.", "fs": "ˢ.", "kms": "km/s",
    "Msun": "M_⊙", "msun": "M_⊙", "Lsun": "L_⊙", "lsun": "L_⊙", "Rsun": "R_⊙", "rsun": "R_⊙",
    "Zsun": "Z_⊙", "zsun": "Z_⊙",
    **dict.fromkeys(("la", "lsim", "lta", "apprle"), "≲"), **dict.fromkeys(("ga", "gsim", "gta", "apprge"), "≳"),
    # LaTeX's own signs for text, which pylatexenc 2.11 lacks. citation-js 0.9.0 writes them in BibTeX.
    "textless": "<", "textgreater": ">", "textminus": "−", "textbar": "|", "textbardbl": "‖", "textunderscore": "_",
    "textbraceleft": "{", "textbraceright": "}", "textquotedbl": '"',
    "leqslant": "≤", "geqslant": "≥", "bmod": "mod", "eqsim": "≂", "coloneqq": "≔", "llbracket": "⟦", "rrbracket": "⟧",
}  # fmt: skip
# Their names mean nothing to a reader.
_DROPPED = """
    bf bfseries cal centering color em it itshape rm sc sf sl small tt big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr
    Biggl Biggr left right middle inst label newcommand renewcommand displaystyle textstyle scriptstyle limits nolimits
    scriptscriptstyle boldmath unboldmath upshape normalfont protect relax xspace noindent allowbreak nonumber phantom
    hphantom vphantom hskip vskip Bbb germ frak scr Cal
""".split()
# Rare in abstracts (2 of 60,000 have siunitx), and wrong without their own rules. The parser needs their arguments.
_RAW = {
    **dict.fromkeys(("binom", "tbinom", "dbinom", "stackrel", "overset", "underset"), "{{"),
    **dict.fromkeys(("SI", "qty"), "[{[{"), **dict.fromkeys(("ang", "num", "si", "unit", "numlist"), "[{"), "pmod": "{",
    **dict.fromkeys(("xrightarrow", "xleftarrow"), "[{"), "numrange": "[{{", "SIrange": "[{{{", "qtyrange": "[{{{",
}  # fmt: skip
_CITATIONS = ("cite", "citep", "citet", "ref")
_FRACTIONS = ("frac", "tfrac", "dfrac", "cfrac", "sfrac", "nicefrac", "xfrac")
_ROOTS = {"": "√", "3": "∛", "4": "∜"}
_TEXT_SCRIPTS = {
    **dict.fromkeys(("textsuperscript", "sp"), ("^", SUPERSCRIPTS)),
    **dict.fromkeys(("textsubscript", "sb"), ("_", SUBSCRIPTS)),
}
# A line over the 3 of 0.3 makes it 1/3.
_ACCENTS = {"overline": "\u0305", "widehat": "\u0302", "widetilde": "\u0303", "overrightarrow": "\u20d7"}

# The library drops a formula's blanks and keeps prose's.
_NUMBER_AROUND = [
    (re.compile(rf"\d(?:\\[()]|[{{}}]{blanks})*$"), re.compile(rf"(?:\\[()]|[{{}}]{blanks})*\.?\d"))
    for blanks in ("", r"|\s")
]
# A fraction would absorb these into its numerator or denominator.
_FACTOR_BEFORE = re.compile(r"[\w})]\s*$")
_FACTOR_BEHIND = re.compile(r"\s*(?:\w|\\[A-Za-z])")


def _apart(node: LatexMacroNode, text: str) -> str:
    """Add a blank where a macro's text would continue a number."""
    source, end = node.parsing_state.s, node.pos + node.len
    before, behind = _NUMBER_AROUND[bool(node.parsing_state.in_math_mode)]
    is_behind = text[:1].isalnum() and before.search(source[max(node.pos - 12, 0) : node.pos])
    is_before = text[-1:].isdecimal() and not node.macro_post_space and behind.match(source[end : end + 12])
    return f"{BLANK if is_behind else ''}{text}{BLANK if is_before else ''}"


_PRODUCT = re.compile(r"(?<!∂) |\d[^\W\d_]")


def _fraction(node: LatexMacroNode, parts: Sequence[str]) -> str:
    stripped = [part.strip(f" {BLANK}") for part in parts]
    numerator, denominator = (f"({part})" if COMPOUND.search(part) else part for part in stripped)
    # "1/2n" and "1/α² β" would read as products.
    is_product = _PRODUCT.search(denominator) and not denominator.startswith("(")
    fraction = f"{numerator}/({denominator})" if is_product else f"{numerator}/{denominator}"
    source, end = node.parsing_state.s, node.pos + node.len
    if source[max(node.pos - 1, 0) : node.pos] in {"^", "_"}:
        return f"({fraction})"
    if not node.parsing_state.in_math_mode:
        return _apart(node, fraction)
    leading = BLANK if _FACTOR_BEFORE.search(source[max(node.pos - 3, 0) : node.pos]) else ""
    trailing = BLANK if _FACTOR_BEHIND.match(source[end : end + 3]) else ""
    return _apart(node, f"{leading}{fraction}{trailing}")


def _constant(node: LatexMacroNode) -> str:
    text = _CONSTANTS[node.macroname]
    # Authors reuse these names: "\gt{ground truth}".
    is_own = re.match(r"\{[^}]", node.parsing_state.s[node.pos + node.len :][:2]) and text in {"<", ">", " "}
    return "" if is_own else _apart(node, text)


# Macros that the parser's own table lacks.
_WITH_ARGUMENTS = {
    **dict.fromkeys(_FRACTIONS, "[{{"), **dict.fromkeys(("frac", "tfrac", "dfrac", "ion", "href"), "{{"),
    **dict.fromkeys((*_ACCENTS, *_TEXT_SCRIPTS, "unicode", "phantom", "hphantom", "vphantom"), "{"),
    "sqrt": "[{", "operatorname": "*{",
}  # fmt: skip


# The library passes arguments by parameter name: ``node`` and ``l2tobj``.
def _with_arguments(node: LatexMacroNode, l2tobj: LatexNodes2Text) -> str:
    r"""Return the text of a macro with arguments. Raises ValueError for ``\unicode{no number}``."""
    name = node.macroname
    arguments = node.nodeargd.argnlist if node.nodeargd else []
    texts = [l2tobj.nodelist_to_text([argument]) if argument else "" for argument in arguments]
    if name != "href":
        texts = [text.strip() for text in texts]
    text = texts[-1] if texts else ""
    if name in _FRACTIONS:
        text = _fraction(node, texts[-2:])
    elif name in _ACCENTS:
        text = "".join(f"{c}{_ACCENTS[name]}" if c.isalpha() or c.isdecimal() else c for c in text)
    elif name in _TEXT_SCRIPTS:
        sign, digits = _TEXT_SCRIPTS[name]
        if text and not text.strip("0123456789+-− "):
            text = text.replace(" ", "").translate(digits)
        elif text[:1].isalnum() and not text.isalpha():  # in "19th" and "R*", they follow as they are
            text = sign + (f"({text})" if COMPOUND.search(text) or " " in text else text)
    elif name == "sqrt":
        text = f"{_ROOTS[texts[0]]}({text})" if texts[0] in _ROOTS else f"({text})^(1/{texts[0]})"
    elif name == "ion":
        text = f"{texts[0]} {text.upper()}"
    elif name == "href":  # the label, with the address unless the label shows it
        text = text if text in texts[0] or texts[0] in text else f"{text} ({texts[0]})"
    elif name == "unicode":  # MathJax's character, such as x2014
        text = chr(int(text.removeprefix("x"), 16))
    elif name == "deg":  # a sign after a number, as astronomers write, else the function
        before = node.parsing_state.s[max(node.pos - 12, 0) : node.pos]
        text = "°" if re.search(r"\d(?:\\[()]|[\s^{])*$", before) else "deg"
    elif name == "braket":
        text = f"⟨{'|'.join(texts)}⟩"
    return text


class Walker(LatexWalker):  # type: ignore[misc]  # pylatexenc ships no types
    r"""A parser that reads each group once.

    After a missing argument, the library reads the other arguments again as text: ``\frac{`` repeated 17 times took 6
    s, and each further one doubles that.
    """

    def __init__(self, source: str, *, latex_context: LatexContextDb) -> None:
        super().__init__(source, latex_context=latex_context)
        self._groups: dict[tuple[object, ...], Any] = {}

    def get_latex_braced_group(self, pos: int, brace_type: str = "{", parsing_state: ParsingState | None = None) -> Any:
        """Raises LatexWalkerParseError."""
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


class _AllGroups(MacroStandardArgsParser):  # type: ignore[misc]
    """The arguments of an unknown macro: all groups directly after it."""

    def parse_args(self, w: Walker, pos: int, parsing_state: ParsingState | None = None) -> tuple[Any, int, int]:
        groups: list[Any] = []
        end = pos
        while w.s.startswith(("{", "["), end):
            try:
                group, start, length = w.get_latex_braced_group(end, w.s[end], parsing_state=parsing_state)
            except LatexWalkerParseError:
                break
            groups.append(group)
            end = start + length
        # "\Pr[X=1]" has none: brackets are an argument only before a group.
        while groups and groups[-1].delimiters[0] == "[":
            end = groups.pop().pos
        return ParsedMacroArgs(argnlist=groups, argspec="{" * len(groups)), pos, end - pos


def _unknown(node: LatexMacroNode, l2tobj: LatexNodes2Text) -> str:
    r"""Return the text of an authors' macro: ``\hl{text}`` gives its argument, ``\ours{}`` its name.

    Several arguments with a number may be a fraction or a range, so they stay raw.
    """
    texts = [l2tobj.nodelist_to_text([argument]) for argument in node.nodeargd.argnlist] if node.nodeargd else []
    texts = [text for text in texts if text.strip()]
    if len(texts) > 1 and any(character.isdigit() for text in texts for character in text):
        return str(node.latex_verbatim())
    if texts:
        return _apart(node, re.sub(r"(?<=\s)\s+", "", " ".join(texts)))
    sign = l2tobj.latex_context.get_macro_spec(node.macroname.removeprefix("text"))  # \textalpha
    is_sign = isinstance(sign.simplify_repl, str) and "%" not in sign.simplify_repl
    return _apart(node, sign.simplify_repl if is_sign else node.macroname)


class Converter(LatexNodes2Text):  # type: ignore[misc]
    """The library's conversion, with more blanks and parentheses."""

    def __init__(self, known: frozenset[str], **options: Any) -> None:
        """``known`` are the macros of the library and of the tables above."""
        super().__init__(**options)
        self.known = known

    def nodelist_to_text(self, nodelist: Sequence[Any]) -> str:
        """Return the text with the blank after a word's macro, which TeX swallows."""
        parts = []
        for node, following in pairwise([*nodelist, None]):
            parts.append(str(self.node_to_text(node)))
            if not (node and node.isNodeType(latexwalker.LatexMacroNode)) or node.nodeargs or not parts[-1]:
                continue
            is_word = node.macroname in _CONSTANTS or node.macroname not in self.known
            is_before_text = following and following.isNodeType(latexwalker.LatexCharsNode)
            if is_word or (is_before_text and node.parsing_state.in_math_mode):
                parts.append(node.macro_post_space)
        return "".join(parts)

    def group_node_to_text(self, node: Any) -> str:
        text = str(super().group_node_to_text(node))
        source = node.parsing_state.s
        if source[max(node.pos - 1, 0) : node.pos] not in {"^", "_"}:
            return text
        text = text.strip(f" {BLANK}")
        continues = source[node.pos + node.len :][:1].isdecimal() and text[-1:].isalnum()
        return f"({text})" if continues or COMPOUND.search(text) else text

    def math_node_to_text(self, node: Any) -> str:
        return re.sub(r" {2,}", " ", str(super().math_node_to_text(node)))


@cache
def converter() -> tuple[Converter, LatexContextDb]:
    texts = latex2text.get_default_latex_context_db()
    texts.add_context_category(
        "paperbot",
        prepend=True,
        macros=[
            *(MacroTextSpec(name, "") for name in _DROPPED),
            *(MacroTextSpec(name, lambda node: str(node.latex_verbatim())) for name in _RAW),
            *(MacroTextSpec(name, "[…]") for name in _CITATIONS),
            *(MacroTextSpec(name, _constant) for name in _CONSTANTS),
            *(MacroTextSpec(name, "" if name.endswith("phantom") else _with_arguments) for name in _WITH_ARGUMENTS),
            *(MacroTextSpec(name, _with_arguments) for name in ("braket", "deg")),
            MacroTextSpec("url", "%(1)s"),
            MacroTextSpec("verb", lambda node: node.nodeargd.verbatim_text),
        ],
        specials=[SpecialsTextSpec("~", " ")],
    )
    texts.set_unknown_macro_spec(MacroTextSpec("", _unknown))
    macros = latexwalker.get_default_latex_context_db()
    # The library wants two groups, and takes the end of a formula for the second.
    with_arguments = [MacroSpec("braket", args_parser=_AllGroups())]
    with_arguments += [MacroSpec(name, arguments) for name, arguments in _RAW.items()]
    with_arguments += [MacroSpec(name, arguments) for name, arguments in _WITH_ARGUMENTS.items()]
    macros.add_context_category("paperbot", prepend=True, macros=with_arguments)
    known = {spec.macroname for spec in macros.iter_macro_specs()}
    # The parser takes no group after these: "\,{III}".
    signs = [MacroSpec(spec.macroname, "") for spec in texts.iter_macro_specs() if spec.macroname not in known]
    macros.add_context_category("signs", macros=signs)
    macros.set_unknown_macro_spec(MacroSpec("", args_parser=_AllGroups()))
    names = frozenset(spec.macroname for spec in texts.iter_macro_specs())
    return Converter(names, latex_context=texts, math_mode="text"), macros
