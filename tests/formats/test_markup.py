"""Inline markup made plain text: HTML, JATS, MathML, references, and what bioRxiv's API has."""

import pytest

from bot.formats.format import prose
from bot.formats.markup import blocks, plain

MATH = '<math xmlns="http://www.w3.org/1998/Math/MathML">'


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        # HTML and JATS
        ("CO<sub>2</sub> and H<inf>2</inf>O", "CO2 and H2O"),
        ("CO <sub>2</sub> falls", "CO2 falls"),
        ("<i>Strix abyssi</i>, a species", "Strix abyssi, a species"),
        ("<scp>d</scp>-serine, <jats:italic>in vivo</jats:italic>", "d-serine, in vivo"),
        ("10<sup>-3</sup> and 10<sup>&minus;12</sup>, Ca<sup>2+</sup>", "10⁻³ and 10⁻¹², Ca²⁺"),
        ("5<sup>th</sup>, 10<sup>n</sup>, x<sup>i+1</sup>, R<sup>*</sup>", "5th, 10^n, x^(i+1), R*"),
        ("<p>Owls see.</p><p>They hear.</p>", "Owls see. They hear."),
        ("Owls<br/>see<ul><li>mice</li><li>voles</li></ul>", "Owls see mice voles"),
        ('<a href="https://example.org/?a=1">Owls</a> see', "Owls see"),
        ("<jats:p>Owls breathe CO\n   <jats:sub>2</jats:sub>\n   , too</jats:p>", "Owls breathe CO2, too"),
        ('TGF-<IMG SRC="/math/beta.gif" ALT="{beta}" BORDER="0">1', "TGF-β1"),
        ("Owls <!-- not yet --> see", "Owls see"),
        # references
        ("&alpha; &amp;alpha; R&D; AT&T ?a=1&copy=2", "α α R&D; AT&T ?a=1&copy=2"),
        ("CO&lt;sub&gt;2&lt;/sub&gt; and N&amp;lt;sub&amp;gt;2&amp;lt;/sub&amp;gt;", "CO2 and N2"),
        # Web of Science and INSPEC
        ("Schr & ouml;dinger at 25 & DEG;C, a & lt; 5 and R & amp;D", "Schrödinger at 25 °C, a < 5 and R&D"),
        ("IFN- & gamma;, TNF & alpha;, an & Aring;ngstrom, it & rsquo;s", "IFN-γ, TNF α, an Ångstrom, it’s"),
        ("male & female; age, and AT & T;", "male & female; age, and AT & T;"),
        ("BaB/sub 2/O/sub 4/ and/or a/sub-group/b", "BaB2O4 and/or a/sub-group/b"),
        # comparisons
        ("n<N and m>M", "n<N and m>M"),
        ("if a<b and c>d, x<y", "if a<b and c>d, x<y"),
        ("a<b>c", "a<b>c"),
        ("<p>if a&lt;i and b&gt;c</p>", "if a<i and b>c"),
        # MathML
        (f"{MATH}<msub><mi>Sr</mi><mn>2</mn></msub><msub><mi>RuO</mi><mn>4</mn></msub></math>", "Sr2RuO4"),
        (
            "<mml:math><mml:msup><mml:mn>10</mml:mn><mml:mrow><mml:mo>-</mml:mo><mml:mn>3</mml:mn></mml:mrow></mml:msup></mml:math>",
            "10⁻³",
        ),
        (f"{MATH}<mo>∼</mo><mn>100</mn></math> owls", "~100 owls"),
        (f"{MATH}<msub><mi>T</mi><mi>c</mi></msub><mo>&lt;</mo><mn>5</mn><mtext> K</mtext></math>", "T_c < 5 K"),
        (f"{MATH}<mfrac><mrow><mi>a</mi><mo>+</mo><mn>1</mn></mrow><mi>b</mi></mfrac></math>", "(a+1)/b"),
        (f"{MATH}<mover><mi>x</mi><mo>¯</mo></mover><mo>=</mo><msqrt><mn>2</mn></msqrt></math>", "x̄ = √2"),
        (f"{MATH}<mmultiscripts><mi>C</mi><mprescripts/><none/><mn>13</mn></mmultiscripts></math>", "¹³C"),
        (f"{MATH}<semantics><mi>x</mi><annotation encoding='tex'>x_1</annotation></semantics></math>", "x"),
        (
            "<jats:inline-formula><jats:alternatives><jats:tex-math>$x$</jats:tex-math><mml:math><mml:mi>x</mml:mi>"
            "</mml:math></jats:alternatives></jats:inline-formula>",
            "x",
        ),
        (
            r"<tex-math>\documentclass[12pt]{minimal} \begin{document}$$\alpha$$\end{document}</tex-math>",
            r"$\alpha$",
        ),
        # bioRxiv
        ("TGF{beta}, [~]10 and P [&le;] 0.05", "TGFβ, ~10 and P ≤ 0.05"),
        ("O_SCPLOWDC_SCPLOW-serine O_FIG O_LINKSMALLFIG SRC=1.gif>View C_FIG", "D-serine"),
        (r"$\mathrm{beta}_{eta}$ {beta}, [xi], [12] and […]", r"$\mathrm{beta}_{eta}$ {beta}, [xi], [12] and […]"),
        ("[xi] [12] […] [3H]", "[xi] [12] […] [3H]"),
    ],
)
def test_markup_becomes_what_a_reader_sees(markup: str, text: str) -> None:
    assert plain(markup) == text
    assert prose(markup, 1_000) == text


@pytest.mark.parametrize(
    "abstract",
    [
        "O_ST_ABSBackgroundC_ST_ABSOwls hear.\n\nO_ST_ABSResultsC_ST_ABSMice don't.",
        "BackgroundOwls hear.\n\nResultsMice don't.",
        "BackgroundOwls hear. ResultsMice don't.",
        "<h3>Abstract</h3><h4>Background</h4><p>Owls hear.</p><h4>Results</h4><p>Mice don't.</p>",
        "<jats:title>Abstract</jats:title><jats:sec><jats:title>Background</jats:title><jats:p>Owls hear.</jats:p>"
        "</jats:sec><jats:sec><jats:title>Results</jats:title><jats:p>Mice don't.</jats:p></jats:sec>",
        "<sec><st>Background</st><p>Owls hear.</p></sec><sec><st>Results</st><p>Mice don't.</p></sec>",
        "<p><b>Background</b><br/>Owls hear.</p><p><strong>Results:</strong> Mice don't.</p>",
    ],
)
def test_the_headings_of_an_abstract_stand_apart(abstract: str) -> None:
    assert plain(abstract) == "Background: Owls hear. Results: Mice don't."


def test_items_are_apart_from_each_other_and_belong_to_their_heading() -> None:
    assert blocks("Owls.\n\nKey messagesO_LIOwls hear.\nC_LIO_LIMice don't.\nC_LI") == [
        "Owls.",
        "Key messages: Owls hear.",
        "Mice don't.",
    ]


def test_a_name_that_begins_like_a_heading_stays_whole() -> None:
    assert plain("SummaryMixing: Results in linear time") == "SummaryMixing: Results in linear time"


def test_an_element_that_is_not_closed_costs_no_text() -> None:
    assert plain("x<sup>2 owls<p>and mice</p>") == "x^2 owls and mice"
    assert plain("<math><mrow><mi>x</mi> and owls") == "x and owls"
