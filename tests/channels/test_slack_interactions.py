"""Answers go to Slack's own addresses only."""

import pytest

from bot.channels.slack.transport import SlackInteractions


@pytest.mark.parametrize(
    "url", ["https://[x", "https://", "http://hooks.slack.com/x", "https://hooks.slack.com.example.org/x", ""]
)
def test_an_address_that_is_not_slacks_is_sent_nothing(url, caplog):
    SlackInteractions("secret", None, "https://slack.com/api").answer(url, {"text": "hello"})
    assert "its address is not one of Slack's" in caplog.text
