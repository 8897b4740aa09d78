"""Sentences: word for word, without headings, and not too long."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.summaries.sentences import CUT, MAX_WORDS, sentences, shortened, split


@pytest.mark.parametrize(
    "abstract",
    [
        "BACKGROUND: Weeds grow. METHODS: We asked 3 robots. RESULTS: They fell. CONCLUSIONS: Pull by hand.",
        "Background\nWeeds grow.\nMethods\nWe asked 3 robots.\nResults\nThey fell.\nConclusion\nPull by hand.",
        "Background. Weeds grow. Methods. We asked 3 robots. Results. They fell. Conclusions. Pull by hand.",
        "Introduction Weeds grow. Methods We asked 3 robots. Results They fell. Conclusions Pull by hand.",
        "BackgroundWeeds grow. MethodsWe asked 3 robots. ResultsThey fell. ConclusionsPull by hand.",
        "CONTEXT - Weeds grow. MATERIALS AND METHODS - We asked 3 robots. RESULTS - They fell. DISCUSSION - "
        "Pull by hand.",
        "Hintergrund: Weeds grow. Material und Methoden: We asked 3 robots. Ergebnisse: They fell. "
        "Schlussfolgerungen: Pull by hand.",
        "Contexte : Weeds grow. Patients et méthodes : We asked 3 robots. Résultats : They fell. Conclusion "
        ": Pull by hand.",
        "Antecedentes: Weeds grow. Métodos: We asked 3 robots. Resultados: They fell. Conclusiones: Pull by hand.",
        "Contesto: Weeds grow. Metodi: We asked 3 robots. Risultati: They fell. Conclusioni: Pull by hand.",
    ],
)
def test_headings_stand_in_no_sentence_and_say_what_the_sentences_below_them_do(abstract):
    texts, kinds = zip(*split(abstract), strict=True)
    assert texts == ("Weeds grow.", "We asked 3 robots.", "They fell.", "Pull by hand.")
    assert kinds == ({"background", "objective"}, {"method"}, {"result"}, {"conclusion"})


def test_a_heading_is_known_beside_others_and_a_name_is_none():
    assert [text for text, _ in split("METHODS: We dig. RISK OF WEEDS: High. RESULTS: It won.")] == [
        "We dig.",
        "High.",
        "It won.",
    ]
    for text in ("FIGHT: a trial of weeds.", "Results show that Methods Matter wins.", "Methods Matter wins prizes."):
        assert split(text) == [(text, frozenset())]


def test_below_a_last_heading_that_promises_no_result_the_kind_is_open():
    kinds = [kinds for _, kinds in split("AIM: To weed. Methods.-We asked 3 robots. They fell.")]
    assert kinds == [{"objective"}, frozenset(), frozenset()]
    assert [kinds for _, kinds in split("Weeds grow. CONCLUSIONS: Pull by hand.")] == [frozenset(), {"conclusion"}]


def test_a_heading_without_a_kind_leaves_the_kind_open():
    assert split("Abstract:\r\nWeeds grow. They fall.") == [("Weeds grow.", frozenset()), ("They fall.", frozenset())]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We read What's In My Garden? (WIMG), a book. It is long.", ["We read What's In My Garden? (WIMG), a book."]),
        ("We take part in WeedThat! Task 2. We win.", ["We take part in WeedThat! Task 2."]),
        ("We ask: Can Robots Weed? We answer.", ["We ask: Can Robots Weed?"]),
        ("Are weeds bad? (2) Are they good?", ["Are weeds bad?"]),
        ("Roots won (P <. 001). We go.", ["Roots won (P <. 001)."]),
        ("Roots won (P = 0. 001). We go.", ["Roots won (P = 0. 001)."]),
        ("It took up to 12 h. Robots fell.", ["It took up to 12 h."]),
        ("Roots won.[3] We go.", ["Roots won.[3]"]),
        ("Roots won [3]. We go.", ["Roots won [3]."]),
        ("Code is at this https URL We go.", ["Code is at this https URL"]),
        ("They need more internal this http URL show it.", ["They need more internal this http URL"]),
        ("See this https URL and that.", ["See this https URL and that."]),
    ],
)
def test_a_sentence_ends_where_a_reader_would_end_it(text, expected):
    assert sentences(text)[:1] == expected


LONG = (
    "We propose WeedNet, a robot for gardens of all kinds that looks at each leaf from three sides by "
    "day and by night, "
    "which allows gardeners to sleep, to travel, to read, and to think of other plants while it pulls the weeds out of "
    "the wet beds and carries them away one by one"
)


def test_a_long_sentence_is_cut_where_a_clause_ends():
    cut = shortened(f"{LONG}.")
    assert cut.endswith(f"by night{CUT}")
    assert len(cut.split()) <= MAX_WORDS + 1


@pytest.mark.parametrize("contrast", ["but also allows", "while it forbids", "whereas it forbids"])
def test_a_long_sentence_keeps_both_sides_of_a_contrast(contrast):
    text = f"{LONG.replace('which allows', contrast)}."
    assert shortened(text) == text


@pytest.mark.parametrize("text", ["We propose WeedNet, which weeds.", f"{LONG}, and wins by 95%.", "roots and " * 40])
def test_a_sentence_stays_whole_if_it_is_short_or_would_lose_its_figure_or_has_no_clause(text):
    assert shortened(text) == text


@given(st.text(alphabet='aB1 .?!:;,\n()[]—"', max_size=80))
def test_a_shortened_sentence_and_every_part_stand_in_the_text(text):
    assert text.startswith(shortened(text).removesuffix(CUT))
    assert all(sentence in text for sentence, _ in split(text))


@pytest.mark.parametrize(
    "text", ["Methods and " * 10_000, "main key " * 10_000, "A" * 100_000, ". Results " * 10_000, "R? " * 30_000]
)
def test_long_hostile_text_is_split(text):
    assert len(split(text)) <= len(text)


def test_the_numbers_of_paragraphs_are_not_part_of_their_sentences():
    text = "1. Owls call. They do so 2 times. 2. Nets fail. 3 Moonlight helps."
    assert [each for each, _ in split(text)] == [
        "Owls call.",
        "They do so 2 times.",
        "Nets fail.",
        "Moonlight helps.",
    ]
    assert [each for each, _ in split("We count. 3 Owls call. 5 Bats do.")][1:] == ["3 Owls call.", "5 Bats do."]
