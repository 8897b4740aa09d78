"""The reader's words and the result are emphasised, and nothing in a paper's text can imitate that."""

import json

import pytest

from bot.channels.email.rendering import render_mail
from bot.channels.papers import Piece, paragraphs, pieces, shortened
from bot.channels.slack.rendering import render_slack
from bot.model import Role, Sentence

from .made_editions import make_edition, make_pick

SUMMARY = (
    Sentence("We weed beds.", None, ("beds",)),
    Sentence("It <works> in 9 of 10 beds & more.", Role.RESULT, ("9 of 10",)),
    Sentence("More follows."),
)


@pytest.mark.parametrize(
    ("text", "marks", "expected"),
    [
        ("Red beds, red beds.", ("beds",), ["Red ", ("beds",), ", red beds."]),
        ("Red beds.", ("red", "Red"), [("Red",), " beds."]),
        ("Bedstead and bed", ("bed",), ["Bedstead and ", ("bed",)]),
        ("HALT-RAG is RAG", ("RAG",), ["HALT-RAG is ", ("RAG",)]),
        ("LLM-based", ("LLM",), [("LLM",), "-based"]),
        ("reward model-free", ("reward model",), ["reward model-free"]),
        ("a b c", ("b c", "a b"), ["a ", ("b c",)]),
        ("Pok\\'emon wins", ("Pok\\'emon",), [("Pokémon",), " wins"]),
        ("Nothing", ("",), ["Nothing"]),
        ("", ("x",), []),
    ],
)
def test_marks_are_whole_words_marked_once_and_converted(text, marks, expected):
    assert pieces(Sentence(text, None, marks)) == tuple(
        Piece(piece) if isinstance(piece, str) else Piece(piece[0], marked=True) for piece in expected
    )


def test_in_plain_text_the_result_has_an_arrow_and_its_own_paragraph():
    assert paragraphs(SUMMARY) == ["We weed *beds*.", "→ It <works> in *9 of 10* beds & more.", "More follows."]
    assert paragraphs((Sentence("All.", Role.TLDR),)) == ["TL;DR: All."]
    assert paragraphs(()) == []


def test_an_ellipsis_shows_an_omission(links, templates):
    summary = (Sentence("We weed."), Sentence("it works in 9 beds.", Role.RESULT, after_gap=True))
    assert paragraphs(summary) == ["We weed.", "→ … it works in 9 beds."]
    edition = make_edition(make_pick(summary=summary))
    (message,) = render_slack(edition, links)
    texts = [block["text"]["text"] for block in json.loads(message)["blocks"] if block["type"] == "section"]
    assert "We weed. … *it works in 9 beds.*" in texts
    html = render_mail(templates, edition, links).html
    between = html[html.index("We weed.") : html.index("it works")]
    assert between.count("…") == 1


def test_a_summary_is_shortened_sentence_by_sentence():
    assert shortened(SUMMARY, 900) == SUMMARY
    fitting = shortened(SUMMARY, 30)
    assert [sentence.text for sentence in fitting] == ["We weed beds.", "It <works> in 9…"]
    assert fitting[1].role is Role.RESULT
    assert shortened(SUMMARY, 0) == ()


def test_no_fragment_of_a_further_sentence_is_left():
    assert [sentence.text for sentence in shortened(SUMMARY, 20)] == ["We weed beds."]


def test_the_mail_makes_the_result_strong_and_marks_words(links, templates):
    html = render_mail(templates, make_edition(make_pick(summary=SUMMARY)), links).html
    strong = html.partition('<strong class="result"')[2].partition("</strong>")[0]
    assert 'It &lt;works&gt; in <span class="word"' in strong
    assert html.count('<strong class="result"') == 1
    assert html.count('<span class="word"') == 2
    assert "TL;DR" not in html


def test_a_tldr_is_labelled_as_written_by_a_language_model(links, templates):
    pick = make_pick(summary=(Sentence("<b>All</b> of it.", Role.TLDR),))
    html = render_mail(templates, make_edition(pick), links).html
    assert 'title="Written by a language model, not by the authors"' in html
    assert "&lt;b&gt;All&lt;/b&gt; of it." in html
    (message,) = render_slack(make_edition(pick), links)
    assert "TL;DR: &lt;b&gt;All&lt;/b&gt; of it." in message.decode()


def test_slack_has_the_result_bold_and_marked_words_in_italics(links):
    hostile = Sentence("Say *loud* _words_ <!here>.", Role.RESULT, ("loud",))
    (message,) = render_slack(make_edition(make_pick(summary=(*SUMMARY, hostile))), links)
    texts = [block["text"]["text"] for block in json.loads(message)["blocks"] if block["type"] == "section"]
    assert texts[1].startswith(
        "We weed _beds_. *It &lt;works&gt; in _9 of 10_ beds &amp; more.* More follows. *Say \u200b*"
    )
    assert "_loud_" in texts[1]
    assert "<!here>" not in texts[1]


def test_a_summary_beyond_slacks_limit_is_plain_and_cut(links):
    long = Sentence("&" * 400 + " end.", Role.RESULT)
    empty = make_pick(summary=(Sentence("\\label{x}", Role.RESULT),))
    message = b"".join(render_slack(make_edition(make_pick(summary=(long,)), empty), links)).decode()
    assert "*&amp;" not in message
    assert "**" not in message
