r"""Make LaTeX in titles and abstracts readable: ``Pok\'emon`` is Pokémon, ``$\epsilon$`` is ε.

An abstract is prose with some LaTeX: ``5%`` starts no comment, ``AT&T`` no table cell, and ``$5 million`` no formula.
The prose is escaped before pylatexenc parses it.
"""

from __future__ import annotations

import functools
import re
import unicodedata

from bot.model import limits
from bot.model.wording import visible
from bot.text.latex_macros import BLANK, SUBSCRIPTS, SUPERSCRIPTS, Walker, converter

_MAY_BE_LATEX = re.compile(r"[\\$]|``")
# TeX's dashes in text without other LaTeX. "--quiet" is an option.
_DASH = re.compile(r"(?<=\w)---?(?=\w)|(?<=\s)---?(?=\s)")
# Possessive quantifiers prevent backtracking on long runs of brackets.
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
# TeX's own "\ " follows a word.
_ESCAPED = {"backslash": r"\textbackslash{}", "approximately": r"\textasciitilde{}", "option": "{-}{-}"}
_BETWEEN_DOLLARS = re.compile(r"((?:\\.|[^\\$])++)\$(\d?)", re.DOTALL)
# An amount of money, and words after it.
_PRICE = re.compile(
    r"\d[\d.,]*[^\\^_=<>+$]{0,200}\b(?:a|and|are|as|at|bn|but|by|each|for|from|in|is|million|billion|thousand|of|on|or|per|than|"
    r"the|to|vs|was|while|with)\b"
)
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

# MathSciNet writes 2\sp{m} for 2^{m}. The library would write 2m.
_SCRIPT_COMMAND = re.compile(r"\\s([pb])(?![a-zA-Z])\s*")
# The library would write "360^∘".
_DEGREE = re.compile(r"\^\{?\\(?:circ|degr?|degrees?)(?![a-zA-Z])\s*\}?")
_PRIMES = re.compile(r"\^(?:\{\s*((?:\\prime\s*){1,3})\}|\\prime(?![a-zA-Z]))")
# The library would show a full stop.
_NO_BRACKET = re.compile(r"\\(?:left|right)\s*\.")
# The library drops blanks in formulas: r"\alpha \leq \beta" would become "α≤β".
_RELATION = re.compile(
    r"(?<=[\w)}\]|])\s*\\(leq?|geq?|neq?|lt|gt|approx|sim|simeq|equiv|propto|pm|times|cdot|in|to|rightarrow|subseteq|ll|gg|"
    r"l[at]|g[at]|[lg]sim|lesssim|gtrsim|leqslant|geqslant|bmod)(?![a-zA-Z])\s*(?=[^\s}$,.;)])"
)
# Unicode has complete scripts only for digits and signs.
_DIGIT_SCRIPT = re.compile(r"([_^])(?:\{([-+]?\d+)\}|(\d))")
# The library loses the "not" of "\not\equiv".
_NOT = re.compile(r"\\not\s*(?:\\ \s*)?(\\[A-Za-z]+|[=<>|])")
_BLANKS = re.compile(rf"(?<! ) *{BLANK}[ {BLANK}]*")
_BARE_PERCENT = re.compile(r"(?<!\\)%")
# Many fonts lack letters such as "𝒪".
_MATH_LETTERS = re.compile("[\U0001d400-\U0001d7ff]+")

# TeX's single quotes. A Markdown code span ends with a backtick.
_QUOTED = re.compile(r"(?<![\w`\\])`(?=[^\s`'])([^`\n]{1,200}?)(?<=\S)'(?![\w'])")


def readable(text: str) -> str:
    """Return the text in plain Unicode, with LaTeX converted. Never raises.

    Text longer than an abstract's limit is never shown and stays as it is.
    """
    text = visible(text)
    if len(text) > limits.ABSTRACT:
        return text
    text = _QUOTED.sub(r"‘\1’", text)
    if not _MAY_BE_LATEX.search(text):
        return _DASH.sub(lambda dash: "–" if dash[0] == "--" else "—", text)
    return _converted(text)


@functools.lru_cache(maxsize=1_000)
def _converted(text: str) -> str:
    to_text, macros = converter()
    try:
        walker = Walker(_escaped(text), latex_context=macros)
        converted = to_text.nodelist_to_text(walker.get_latex_nodes()[0])
    except Exception:
        # pylatexenc documents no exceptions, and r"\unicode{no number}" raises ValueError below.
        return text
    converted = _BLANKS.sub(" ", converted)
    # NFKC on the whole text would turn "10²" into "102".
    unstyled = _MATH_LETTERS.sub(lambda letters: unicodedata.normalize("NFKC", letters[0]), converted)
    return visible(unicodedata.normalize("NFC", unstyled))


def _escaped(text: str) -> str:
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
            case "special":
                parts.append(rf"\{token[0]}")
            case kind:
                parts.append(_ESCAPED.get(kind or "", token[0]))
    return "".join([*parts, text[end:]])


def _is_formula(content: str, *, is_before_digit: bool) -> bool:
    r"""Return whether dollar signs enclose a formula, by pandoc's rule (tex_math_dollars) or its looks.

    Pandoc wants no blank inside the dollars and no digit after them, but astronomers write ``$\sim$100``.
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
    """Put blanks around relations and use Unicode digits as scripts."""
    formula = _NO_BRACKET.sub("", formula.strip())
    formula = _SCRIPT_COMMAND.sub(lambda script: "^" if script[1] == "p" else "_", formula)
    formula = _PRIMES.sub(lambda primes: " ′″‴"[primes[0].count("prime")], _DEGREE.sub("°", formula))
    formula = _NOT.sub("\\1\u0338", _RELATION.sub(r"\\ \\\1\\ ", formula))
    formula = _DIGIT_SCRIPT.sub(
        lambda script: (script[2] or script[3]).translate(SUPERSCRIPTS if script[1] == "^" else SUBSCRIPTS), formula
    )
    return r"\(" + _BARE_PERCENT.sub(r"\\%", formula) + r"\)"
