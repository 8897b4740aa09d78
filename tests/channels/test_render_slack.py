"""Slack messages stay within Slack's limits and show a paper's text as text."""

import html
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.channels.papers import Links
from bot.channels.slack.rendering import escape, render_slack, render_thread
from bot.model import Edition, PickKind, Quiet, QuietReason, Reader, Reason, ReasonKind, Sighting

from .made_editions import make_edition, make_paper, make_pick

HOSTILE = "<!channel> *free* <https://evil.example|click> & _more_ `x` ~y~ | \n@here"


def send(edition: Edition, links: Links) -> list[dict[str, Any]]:
    return [json.loads(body) for body in render_slack(edition, links)]


def objects(blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return all text objects of the blocks."""
    texts = [block["text"] for block in blocks if "text" in block]
    for block in blocks:
        texts += [element.get("text", element) for element in block.get("elements", [])]
    return [text if isinstance(text, dict) else {"text": text, "type": "mrkdwn"} for text in texts]


def displayed_text(blocks: list[dict[str, Any]]) -> str:
    """Return the text as Slack shows it, without the zero-width spaces."""
    return html.unescape("\n".join(text["text"] for text in objects(blocks))).replace("\u200b", "")


def assert_within_limits(messages: list[dict[str, Any]]) -> None:
    for message in messages:
        assert len(json.dumps(message, ensure_ascii=False)) <= 9_000
        assert len(message["blocks"]) <= 45
        assert message["text"]
        for block in message["blocks"]:
            limit = {"header": 150, "section": 3_000}.get(block["type"])
            assert limit is None or 0 < len(block["text"]["text"]) <= limit
            assert len(block.get("elements", [])) <= 10
            assert len(block.get("block_id", "")) <= 255
        assert all(text["text"] for text in objects(message["blocks"]))
        identifiers = [block["block_id"] for block in message["blocks"] if "block_id" in block]
        assert len(identifiers) == len(set(identifiers))


def test_a_message_holds_the_arguments_of_chat_post_message(links):
    reader = Reader(3, "reward-models", "slack", "C0123ABC")
    (message,) = send(make_edition(make_pick(), reader=reader), links)
    assert message["channel"] == "C0123ABC"
    assert message["text"] == "Reward models, 1 paper: A paper"
    assert message["unfurl_links"] is False
    assert message["unfurl_media"] is False
    assert "link_names" not in message
    assert_within_limits([message])


def test_a_pick_shows_title_credits_summary_and_reasons(links):
    pick = make_pick(
        make_paper(title=r"\textbf{SIM} \& co", url=None),
        kind=PickKind.EXPLORE,
        reasons=(Reason(ReasonKind.WROTE, "reward model", 1.0),),
    )
    (message,) = send(make_edition(pick), links)
    address = "https://arxiv.org/search/?query=SIM+co&amp;searchtype=title"
    title = message["blocks"][3]["text"]["text"].splitlines()[0]
    assert title == f"1. *SIM &amp; co*  <{address}|Search arXiv>"
    text = displayed_text(message["blocks"])
    for phrase in (
        "Reward models",
        "6 May 2025 · 1 paper; 143 new papers came in",
        "Ada Lovelace · LLM-RL · 5 May 2025",
        "We did it. It worked.",
        "●●● Exploratory pick: strong match",
        "It names your “reward model”.",
        f"<{links.me()}|Your preferences>",
        f"<{links.unsubscribe()}|Unsubscribe>",
    ):
        assert phrase in text


def test_thumbs_are_buttons_that_name_the_paper(links):
    (message,) = send(make_edition(make_pick()), links)
    (actions,) = [block for block in message["blocks"] if block["type"] == "actions"]
    assert actions["block_id"] == "thumbs-p17"
    assert [(b["action_id"], b["value"]) for b in actions["elements"]] == [
        ("thumb_up", "p17"),
        ("thumb_down", "p17"),
        ("thumb_save", "p17"),
    ]
    assert all(len(button["text"]["text"]) <= 75 for button in actions["elements"])


def test_a_hostile_paper_is_shown_as_literal_text(links):
    paper = make_paper(
        title=HOSTILE, authors=(HOSTILE, "\ud800"), url="javascript:alert(1)", sightings=(Sighting("s", HOSTILE, None),)
    )
    pick = make_pick(
        paper, summary=(HOSTILE,), reasons=tuple(Reason(kind, HOSTILE, near=HOSTILE) for kind in ReasonKind)
    )
    (message,) = send(make_edition(pick), links)
    raw = json.dumps([o["text"] for o in objects(message["blocks"]) if o["type"] == "mrkdwn"]) + message["text"]
    assert "<!" not in raw
    assert "<https://evil" not in raw
    assert "*free*" not in raw, "bold"
    assert "javascript" not in raw
    title = message["blocks"][3]["text"]["text"].splitlines()[0]
    assert title.startswith("1. *")
    assert "<!channel> *free* <https://evil.example¦click> & _more_ `x` ~y~ ¦ @here" in displayed_text(
        message["blocks"]
    )


@pytest.mark.parametrize("text", ["snake_case and 2*3", "x~y"])
def test_formatting_characters_within_words_stay_unescaped(text):
    assert escape(text, 100) == text


@given(st.text(max_size=200))
def test_escaped_text_has_no_markup(text):
    assert not set(escape(text, 300)) & set("<>\n")
    assert len(escape(text, 50)) <= 50


def test_text_is_never_cut_inside_an_entity():
    assert escape("&" * 30, 21) == "&amp;" * 4 + "…"
    assert escape("&" * 30, 23) == "&amp;" * 4 + "…"


def test_a_paper_without_an_abstract_has_no_empty_section(links):
    messages = send(make_edition(make_pick(summary=())), links)
    assert [block["type"] for block in messages[0]["blocks"]].count("section") == 1
    assert_within_limits(messages)


def test_a_url_beyond_the_limit_is_not_linked(links):
    (message,) = send(make_edition(make_pick(make_paper(url="https://example.org/" + "&" * 900))), links)
    assert message["blocks"][3]["text"]["text"].startswith("1. *A paper*\n")


def test_the_first_message_lists_what_is_new_and_the_notification_says_it(links):
    picks = [make_pick(make_paper(1), line="Owls & bees gain 63%"), make_pick(make_paper(2, "Owls"))]
    messages = send(make_edition(*picks), links)
    listed = messages[0]["blocks"][2]["text"]["text"]
    link = "<https://example.org/paper|"
    first = f"1. {link}Owls &amp; bees gain 63%>  ●●●"
    assert listed == f"*In thirty seconds*\n{first}\n2. {link}Owls>  ●●●"
    expected = "Reward models, 2 papers: Owls &amp; bees gain 63%; Owls"
    assert {message["text"] for message in messages} == {expected}


def test_a_list_beyond_the_limit_counts_the_rest(links):
    picks = [make_pick(make_paper(n, "&" * 250), summary=()) for n in range(1, 13)]
    messages = send(make_edition(*picks), links)
    assert_within_limits(messages)
    lines = messages[0]["blocks"][2]["text"]["text"].splitlines()
    assert lines[-1] == f"and {12 - (len(lines) - 2)} more"


def thread(edition: Edition, links: Links, buttons: bool = True) -> list[dict[str, Any]]:
    return [json.loads(body) for body in render_thread(edition, links, buttons=buttons)]


def test_a_thread_begins_with_the_list_and_has_a_reply_for_each_pick(links):
    picks = [make_pick(make_paper(n, f"Title {n}")) for n in (1, 2, 3)]
    first, *replies = thread(make_edition(*picks), links)
    assert_within_limits([first, *replies])
    assert first["text"] == "Reward models, 3 papers: Title 1; Title 2; Title 3"
    assert [block["type"] for block in first["blocks"]] == ["header", "context", "section", "context", "context"]
    text = displayed_text(first["blocks"])
    for phrase in (
        "6 May 2025 · 3 papers; 143 new papers came in",
        "2. <https://example.org/paper|Title 2>  ●●●",
        "Each paper has a reply in this message's thread: why it is here, its summary, and the buttons to vote.",
        f"<{links.unsubscribe()}|Unsubscribe>",
    ):
        assert phrase in text
    assert [reply["text"] for reply in replies] == ["1. Title 1", "2. Title 2", "3. Title 3"]
    for number, reply in enumerate(replies, 1):
        assert [block["type"] for block in reply["blocks"]] == ["section", "context", "section", "actions"]
        assert reply["blocks"][0]["text"]["text"].startswith(f"{number}. *<https://example.org/paper|Title")
        assert {button["value"] for button in reply["blocks"][3]["elements"]} == {f"p{number}"}


def test_a_thread_without_a_receiver_for_buttons_has_none(links):
    messages = thread(make_edition(make_pick(make_paper(1)), make_pick(make_paper(2))), links, buttons=False)
    assert "actions" not in [block["type"] for message in messages for block in message["blocks"]]
    assert "buttons" not in displayed_text(messages[0]["blocks"])


def test_one_pick_or_none_is_one_message(links):
    for edition in (make_edition(make_pick()), make_edition(quiet=Quiet(QuietReason.BELOW, "Too far off."))):
        assert thread(edition, links) == send(edition, links)


@pytest.mark.parametrize("title", ["T", "&" * 900, "A title of the usual length, with | and <b>" * 3])
def test_the_list_of_the_longest_edition_stays_within_the_limits(links, title):
    picks = [make_pick(make_paper(n, title, url=f"https://example.org/{'a' * 900}")) for n in range(1, 101)]
    messages = thread(make_edition(*picks, profile_title="&" * 1000), links)
    assert_within_limits(messages)
    assert len(messages) == 101
    lines = messages[0]["blocks"][-3]["text"]["text"].splitlines()
    assert lines[-1].endswith(" more")


def test_a_long_edition_is_split_between_papers(links):
    picks = [make_pick(make_paper(n, f"Title {n}."), summary=("word " * 200,)) for n in range(12)]
    messages = send(make_edition(*picks), links)
    assert_within_limits(messages)
    assert len(messages) > 1
    values = [e["value"] for m in messages for b in m["blocks"] if b["type"] == "actions" for e in b["elements"]]
    assert values == [f"p{n}" for n in range(12) for _ in ("up", "down", "save")]
    assert [m["blocks"][0]["type"] for m in messages] == ["header"] + ["section"] * (len(messages) - 1)
    assert all(m["blocks"][-1]["type"] in ("divider", "context") for m in messages)


def test_many_short_papers_are_split_by_blocks(links):
    messages = send(make_edition(*(make_pick(make_paper(n, "T"), summary=("S",)) for n in range(30))), links)
    assert_within_limits(messages)


def test_the_longest_possible_paper_stays_within_the_limits(links):
    paper = make_paper(
        title="&" * 5000,
        authors=("*" * 500,) * 3,
        url="https://example.org/" + "a" * 900,
        sightings=tuple(Sighting("s", "&" * 500 + str(n), None) for n in range(5)),
    )
    pick = make_pick(
        paper, summary=("<" * 5000,), reasons=tuple(Reason(kind, "&" * 3000, near="&" * 500) for kind in ReasonKind)
    )
    messages = send(make_edition(pick, profile_title="&" * 1000), links)
    assert_within_limits(messages)


def test_a_quiet_edition_gives_its_reason(links):
    (message,) = send(make_edition(quiet=Quiet(QuietReason.BELOW, "None reached your threshold.")), links)
    assert "None reached your threshold." in displayed_text(message["blocks"])
    assert not [block for block in message["blocks"] if block["type"] == "actions"]
    assert_within_limits([message])
