"""The endpoint returns one sentence, or raises a TldrError that names the cause."""

import pytest
from summaries.model_server import completion

from bot.model.errors import TldrError
from bot.summaries.tldr import Endpoint


@pytest.fixture
def endpoint(model):
    return Endpoint(model.url, "small-1", key="sesame", timeout=5)


def test_the_sentence_is_on_one_line_without_quotation_marks(model, endpoint):
    model.answer = completion(' "It weeds\n beds." ')
    assert endpoint.tldr("Weeds", "We weed.") == "It weeds beds."


def test_only_model_title_and_abstract_are_sent(model, endpoint):
    endpoint.tldr("Weeds", "We weed.")
    ((path, authorization, body),) = model.received
    assert (path, authorization) == ("/v1/chat/completions", "Bearer sesame")
    assert body.keys() == {"model", "messages"}
    assert body["model"] == "small-1"
    assert body["messages"][-1] == {"role": "user", "content": "Title: Weeds\n\nAbstract: We weed."}


def test_without_a_key_no_authorization_is_sent(model):
    Endpoint(model.url, "small-1", key=None, timeout=5).tldr("Weeds", "We weed.")
    assert model.received[0][1] is None


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"no json",
        b"{}",
        b'{"choices": []}',
        b"[1]",
        b"[" * 60_000,
        completion(None),
        completion(" "),
        completion("x" * 401),
        completion("We weed, see https://weeds.example/claim."),
        completion("We weed, as weeds.com shows."),
        completion("We weed; write to ada@weeds.example."),
    ],
)
def test_an_answer_that_is_not_one_sentence_is_an_error(model, endpoint, answer):
    model.answer = answer
    with pytest.raises(TldrError, match=r"127.0.0.1:\d+/v1/chat/completions: answered"):
        endpoint.tldr("Weeds", "We weed.")


@pytest.mark.parametrize("status", [301, 401, 429, 500])
def test_any_status_other_than_200_is_an_error_that_names_it(model, endpoint, status):
    model.status = status
    with pytest.raises(TldrError, match=f"answered {status}; see \\[summaries\\]"):
        endpoint.tldr("Weeds", "We weed.")


def test_an_endless_answer_is_aborted(model, endpoint):
    model.endless = True
    with pytest.raises(TldrError, match="too long"):
        endpoint.tldr("Weeds", "We weed.")


@pytest.mark.parametrize("url", ["http://127.0.0.1:9", "http://[::1", "ftp://127.0.0.1"])
def test_an_unreachable_endpoint_is_an_error(url):
    with pytest.raises(TldrError):
        Endpoint(url, "small-1", key=None, timeout=5).tldr("Weeds", "We weed.")
