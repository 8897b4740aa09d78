r"""LaTeX in titles and abstracts made readable: ``Pok\'emon`` is Pokémon, ``$\epsilon$`` is ε.

pylatexenc parses LaTeX source, but an abstract is prose with some LaTeX in it, where ``5%`` starts no comment,
``AT&T`` no table cell and ``$5 million`` no formula. Therefore the prose is escaped first; the library does the rest.
"""

from __future__ import annotations

import functools
import re
import unicodedata

from pylatexenc.latex2text import LatexNodes2Text
from pylatexenc.macrospec import LatexContextDb

from bot.model import limits
from bot.model.wording import visible
from bot.text.latex_macros import BLANK, SUBSCRIPTS, SUPERSCRIPTS, Walker, converter

# Text without LaTeX, the usual case, skips the parser.
_MAY_BE_LATEX = re.compile(r"[\\$]|``")
# 6 % of abstracts have TeX's dashes and no other LaTeX. "--quiet" is an option.
_DASH = re.compile(r"(?<=\w)---?(?=\w)|(?<=\s)---?(?=\s)")
# Possessive quantifiers prevent backtracking on a long run of brackets.
_TOKEN = re.compile(
    r"""(?P<url>https?://[^\s{}$]+)
      | (?P<formula>\$\$[^$]+\$\$ | \\\((?:[^$\\]|\\[^$()]){1,999}+\\\) | \\\[(?:[^$\\]|\\[^$\[\]]){1,999}+\\\])
      | (?P<dollar>\$)
      | (?P<backslash>(?<!\S)\\(?=\s))
      | (?P<command>\\.)
      | (?P<special>[%&\#])
      | (?P<approximately>(?<![\w.,;:)}\]])~)
      | (?P<option>(?<!\S)--(?=\w))""",
    re.VERBOSE | re.DOTALL,
)
# What stands between two dollar signs; the first one that is not escaped ends it.
_BETWEEN_DOLLARS = re.compile(r"((?:\\.|[^\\$])++)\$(\d?)", re.DOTALL)
# "$5 per paper and $": an amount of money, and the words behind it.
_PRICE = re.compile(
    r"\d[\d.,]*[^\\^_=<>+$]{0,200}\b(?:a|and|are|as|at|bn|but|by|each|for|from|in|is|million|billion|thousand|of|on|or|per|than|"
    r"the|to|vs|was|while|with)\b"
)
# A formula by its looks: a command, a script, signs alone, a letter, or a sign at its end.
_LOOKS_LIKE_FORMULA = re.compile(
    r".*?\\[A-Za-z,;:!|{}]|.*?[\^_]|\s*(?:[^\w\s]{1,3}|[^\W\d_])\s*$|.*[=<>~]\s*$", re.DOTALL
)
_SINGLE_SIGN = re.compile(r"\s*(?:\\[A-Za-z]+|[^\w\s])\s*")
_COMMAND = re.compile(r"\\[A-Za-z]+")
_TWO_WORDS = re.compile(r"\b[A-Za-z]{2,}[,;.]?\s+[a-z]{2,}")
_ESCAPED_IN_URL = re.compile(r"\\([_%#&~])")
_LITERAL = str.maketrans(
    {c: rf"\{c}" for c in "%&#$_"}
    | {c: f"{{{c}}}" for c in "-'`^"}
    | {"~": r"\textasciitilde{}", "\\": r"\textbackslash{}"}
)

# A circle as superscript means degrees, which the library would write as "360^∘".
_DEGREE = re.compile(r"\^\{?\\(?:circ|degr?|degrees?)(?![a-zA-Z])\s*\}?")
_PRIMES = re.compile(r"\^(?:\{\s*((?:\\prime\s*){1,3})\}|\\prime(?![a-zA-Z]))")
# An invisible bracket, which the library would show as a full stop.
_NO_BRACKET = re.compile(r"\\(?:left|right)\s*\.")
# In math mode the library drops the blanks of the source: r"\alpha \leq \beta" would become "α≤β".
_RELATION = re.compile(
    r"(?<=[\w)}\]|])\s*\\(leq?|geq?|neq?|lt|gt|approx|sim|simeq|equiv|propto|pm|times|cdot|in|to|rightarrow|subseteq|ll|gg|"
    r"l[at]|g[at]|[lg]sim|lesssim|gtrsim|leqslant|geqslant|bmod)(?![a-zA-Z])\s*(?=[^\s}$,.;)])"
)
# Of all scripts only digits and signs have a complete set in Unicode; the others keep their "_" or "^".
_DIGIT_SCRIPT = re.compile(r"([_^])(?:\{([-+]?\d+)\}|(\d))")
# The library loses the "not" of "\not\equiv".
_NOT = re.compile(r"\\not\s*(?:\\ \s*)?(\\[A-Za-z]+|[=<>|])")
_BLANKS = re.compile(rf"(?<! ) *{BLANK}[ {BLANK}]*")
_BARE_PERCENT = re.compile(r"(?<!\\)%")
# Mathematical alphanumeric symbols such as "𝒪", which many fonts lack.
_MATH_LETTERS = re.compile("[\U0001d400-\U0001d7ff]+")

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
    to_text, macros = _converter()
    try:
        walker = Walker(_escaped(text), latex_context=macros)
        converted = to_text.nodelist_to_text(walker.get_latex_nodes()[0])
    except Exception:
        # pylatexenc lists no exceptions for broken LaTeX, and r"\unicode{no number}" raises ValueError below.
        return text
    converted = _BLANKS.sub(" ", converted)
    # NFKC for these letters alone: applied to the whole text it would turn "10²" into "102".
    unstyled = _MATH_LETTERS.sub(lambda letters: unicodedata.normalize("NFKC", letters[0]), converted)
    return visible(unicodedata.normalize("NFC", unstyled))


def _escaped(text: str) -> str:
    """Return LaTeX source that stands for a text as prose means it."""
    parts = []
    end = 0
    while token := _TOKEN.search(text, end):
        parts.append(text[end : token.start()])
        end = token.end()
        match token.lastgroup:
            case "url":
                parts.append(_ESCAPED_IN_URL.sub(r"\1", token[0]).translate(_LITERAL))
            case "formula":
                parts.append(_formula(token[0][2:-2]))
            case "dollar":
                content = _BETWEEN_DOLLARS.match(text, end)
                if content and _is_formula(content[1], is_before_digit=bool(content[2])):
                    parts.append(_formula(content[1]))
                    end = content.end(1) + 1
                else:
                    parts.append(r"\$")
            case "backslash":  # between blanks; TeX's own "\ " stands behind a word
                parts.append(r"\textbackslash{}")
            case "special":
                parts.append(rf"\{token[0]}")
            case "approximately":
                parts.append(r"\textasciitilde{}")
            case "option":
                # "--quiet" is a command's option; between words "--" stays the dash that LaTeX makes of it.
                parts.append("{-}{-}")
            case _:
                parts.append(token[0])
    return "".join([*parts, text[end:]])


def _is_formula(content: str, *, is_before_digit: bool) -> bool:
    r"""Whether dollar signs enclose a formula, by pandoc's rule (extension tex_math_dollars) or by what it looks like.

    Pandoc wants no blank directly inside the dollars and no digit after the closing one. But astronomers write
    ``$\sim$100``, and others ``$ x_1 $``.
    """
    if _PRICE.match(content):
        return False
    is_tight = not content[0].isspace() and not content[-1].isspace()
    if is_tight and not is_before_digit:
        return True
    if is_tight or _SINGLE_SIGN.fullmatch(content):
        return bool(_LOOKS_LIKE_FORMULA.match(content))
    words = _COMMAND.sub("", content)
    is_prose = is_before_digit or content.lstrip()[:1].isdigit() or _TWO_WORDS.search(words)
    return not is_prose and bool(_LOOKS_LIKE_FORMULA.match(content))


def _formula(formula: str) -> str:
    """Return the source of inline math, with blanks around relations and digits of scripts in Unicode."""
    formula = _NO_BRACKET.sub("", formula.strip())
    formula = _PRIMES.sub(lambda primes: " ′″‴"[primes[0].count("prime")], _DEGREE.sub("°", formula))
    formula = _NOT.sub("\\1\u0338", _RELATION.sub(r"\\ \\\1\\ ", formula))
    formula = _DIGIT_SCRIPT.sub(
        lambda script: (script[2] or script[3]).translate(SUPERSCRIPTS if script[1] == "^" else SUBSCRIPTS), formula
    )
    return r"\(" + _BARE_PERCENT.sub(r"\\%", formula) + r"\)"


@functools.cache
def _converter() -> tuple[LatexNodes2Text, LatexContextDb]:
    return converter()
