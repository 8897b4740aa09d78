"""LaTeX is converted to Unicode, and prose stays unchanged."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pylatexenc.latexwalker import LatexWalker

from bot.model import limits
from bot.text.latex import readable


@pytest.mark.parametrize(
    ("latex", "plain"),
    [
        (r"\textbf{SIM-RAG} learns", "SIM-RAG learns"),
        (r"Pok\'emon", "Pokémon"),
        (r"Erd\~os", "Erdõs"),
        (r"Erd\H{o}s and G\"odel", "Erdős and Gödel"),
        (r"$\epsilon$-greedy", "ε-greedy"),
        (r"$V_{0.5}$", "V_0.5"),
        (r"$\pi_{\theta}$ and $R^2$ and $10^{-3}$", "π_θ and R² and 10⁻³"),
        (r"$x_{i+1}$ and $n^{2/3}$", "x_(i+1) and n^(2/3)"),
        (r"$6,573\pm 147.43$", "6,573 ± 147.43"),
        (r"2$\times$ and $\alpha\leq\beta$", "2× and α ≤ β"),
        (r"$\frac{1}{2}$ and $\frac{a+b}{n-1}$", "1/2 and (a+b)/(n-1)"),
        (r"$360^{\circ}$ views", "360° views"),
        (r"$\mathcal{O}(n \log n)$", "O(n log n)"),
        (r"\(k\) and \[k\] and $$k$$", "k and k and k"),
        (r"$x<y$ and z>1", "x<y and z>1"),
        (r"63\%", "63%"),
        (r"$63\%$ and $63%$", "63% and 63%"),
        (r"{\em so} and {\bf so}", "so and so"),
        (r"\unknowncmd{x}", "x"),
        (r"\ours{} beats \model, says \eg us", "ours beats model, says e.g. us"),
        (r"\texttt{code}", "code"),
        (r"\verb|a_b|", "a_b"),
        (r"as shown~\cite{someone2024}", "as shown […]"),
        (r"Fig.~5 costs \$5", "Fig. 5 costs $5"),
        (r"~5 \emph{or} (~6)", "~5 or (~6)"),
        (r"one--two --- ``three''", "one–two — “three”"),
        (r"the \emph{--verbose} option and --quiet", "the –verbose option and --quiet"),
        ("An `Agent' of `what owls' eyes aren't', `x` and 'y'", "An ‘Agent’ of ‘what owls’ eyes aren't', `x` and 'y'"),
        (r"`Agent' of $k$", "‘Agent’ of k"),
        ("Human--AI work --- mostly --- with --quiet", "Human–AI work — mostly — with --quiet"),
        (r"a\unicode{x2014}b", "a—b"),
        (r"AT\&T, AT&T, #1 \#2", "AT&T, AT&T, #1 #2"),
        (r"\href{https://example.org/a_b%20c}{code}", "code (https://example.org/a_b%20c)"),
        (r"\href{https://example.org/a}{https://example.org/a}", "https://example.org/a"),
        (r"\url{https://example.org/~a--b#c}", "https://example.org/~a--b#c"),
        (r"at https://example.org/a\_b_c%d~e\f?g&h", r"at https://example.org/a_b_c%d~e\f?g&h"),
    ],
)
def test_latex_becomes_unicode(latex: str, plain: str) -> None:
    assert readable(latex) == plain


@pytest.mark.parametrize(
    "text",
    [
        "We win by 5% on all of them",
        "a lone $5 million grant",
        "from $5 million to $10 million, or US$5-$6",
        "{braces} and ~5 and a-b and AT&T",
        "x<y and z>1",
        "https://example.org/a_b%20c",
        "two\n\nparagraphs   and blanks",
    ],
)
def test_prose_stays_unchanged(text: str) -> None:
    assert readable(text) == text


def test_a_percent_sign_starts_no_comment_beside_latex() -> None:
    assert readable(r"\textbf{A} wins by 5% on B") == "A wins by 5% on B"


@pytest.mark.parametrize(
    ("broken", "plain"),
    [
        (r"un{matched \emph{x", "unmatched x"),
        (r"}\emph{x}", "x"),
        ("ends with \\", "ends with"),
        (r"\unicode{no number}", r"\unicode{no number}"),
        (r"\href{alone}", r"\href{alone}"),
        (r"\frac{1}", r"\frac{1}"),
    ],
)
def test_broken_latex_still_gives_a_text(broken: str, plain: str) -> None:
    assert readable(broken) == plain


def test_input_macros_read_no_file() -> None:
    assert readable(r"before \input{/etc/passwd} after") == "before  after"


@given(st.lists(st.sampled_from([*r"\${}[]()_^%&#~`'-a1 ", r"\frac", r"\emph", r"\begin{a}", r"\href", "http://"])))
def test_no_text_raises_and_the_result_can_be_sent(pieces: list[str]) -> None:
    readable("".join(pieces)).encode()


@given(st.text(st.characters(exclude_categories=("Cc", "Cf", "Cs", "Zl", "Zp"), exclude_characters="\\$`\ufeff")))
def test_text_without_latex_is_returned_unchanged(text: str) -> None:
    assert readable(text) == text


@pytest.mark.parametrize("piece", ["{", "$", r"\(", "$x", r"\textbf{", "$a_{,", "--~"])
def test_a_long_repetition_is_converted(piece: str) -> None:
    assert isinstance(readable(piece * 3000 + r"\alpha"), str)


def test_a_text_beyond_the_limit_stays_unchanged_and_a_formula_ends_where_another_begins() -> None:
    assert readable(r"\textbf{a}" + "b" * limits.ABSTRACT).startswith(r"\textbf{a}b")
    assert readable(r"\(a \(b\) c").endswith("b c")


@pytest.mark.parametrize("opened", [r"\frac{", r"\href{", r"\sqrt[", r"\footnote[", r"\newcommand{"])
def test_an_argument_without_an_end_is_read_once(opened: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted by the tokens that the library reads: it read the arguments of each level twice, 2^n times in all."""
    get_token = LatexWalker.get_token
    tokens = 0

    def count(*arguments, **options):
        nonlocal tokens
        tokens += 1
        return get_token(*arguments, **options)

    monkeypatch.setattr(LatexWalker, "get_token", count)
    numbers = []
    for levels in (6, 12):
        tokens = 0
        readable(opened * levels + "owls")
        numbers.append(tokens)
    assert 0 < numbers[1] < 5 * numbers[0]
