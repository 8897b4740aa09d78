"""Messages to Slack by ``chat.postMessage``.

Slack knows no idempotency key, and its client would post again after a lost answer and sleep when told to
slow down: both are switched off, the outbox decides. The delivery's key goes along as metadata, so that it can
be found out later whether a message of unknown fate arrived.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, time, timedelta
from http.client import HTTPException
from itertools import islice
from typing import Any
from urllib.error import URLError
from urllib.parse import urlsplit

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from bot.domain import Delivery
from bot.errors import ConfigError, DeliveryError, FailureScope
from bot.loopback import is_loopback

# Slack's words for what went wrong, by what they should stop; a word that is not listed is our fault.
_WORKSPACE = frozenset(
    {
        "access_denied",
        "account_inactive",
        "ekm_access_denied",
        "enterprise_is_restricted",
        "invalid_auth",
        "missing_scope",
        "no_permission",
        "not_allowed_token_type",
        "not_authed",
        "org_login_required",
        "team_access_not_granted",
        "token_expired",
        "token_revoked",
        "two_factor_setup_required",
    }
)
_DESTINATION = frozenset(
    {
        "cannot_dm_bot",
        "channel_not_found",
        "is_archived",
        "messages_tab_disabled",
        "not_in_channel",
        "restricted_action",
        "restricted_action_read_only_channel",
        "restricted_action_thread_only_channel",
        "user_disabled",
        "user_not_found",
    }
)
_LATER = frozenset({"rate_limited", "ratelimited", "request_timeout", "team_added_to_org"})
SPACING = timedelta(seconds=1)  # Slack takes about one message a second for one channel
_EARLIEST = timedelta(days=1)  # an edition's date is its reader's, its messages are Slack's
_PAGE, _PAGES = 200, 20  # messages a call, and calls, to look through for one of unknown fate
_USER = re.compile(r"[UW][A-Z0-9]+")  # an id; messages to it are in a channel of another id
_MAYBE_POSTED = frozenset({"fatal_error", "internal_error", "service_unavailable"})


class SlackChannel:
    """Posts as the app that a bot token belongs to.

    ``api_url`` is where the API's methods are. Raises ``ConfigError`` for a token that can't be one, and
    where it would go over a network in plain text.
    """

    def __init__(self, token: str, api_url: str, *, timeout_seconds: int = 30) -> None:
        if not re.fullmatch(r"[!-~]+", token):
            raise ConfigError(
                "environment", "PAPERBOT_SLACK__TOKEN", "not a token: copy it again, in one piece"
            )
        url = urlsplit(api_url)
        if url.scheme != "https" and not (url.scheme == "http" and is_loopback(url.hostname or "")):
            problem = "must begin with https://, for the token goes there"
            raise ConfigError("paperbot.toml", "slack.api_url", problem)
        self._client = WebClient(
            token,
            base_url=api_url.rstrip("/") + "/",
            timeout=timeout_seconds,
            retry_handlers=[],
            # The client logs failures that are raised as well, and what it sends: nobody should hear it.
            logger=logging.Logger("slack_sdk, silenced", level=logging.CRITICAL),
        )

    def send(self, delivery: Delivery, start_data: Callable[[], None]) -> str:
        """Post one message, a JSON object of ``chat.postMessage`` arguments; the receipt is its ``ts``."""
        arguments = _arguments(delivery)
        start_data()
        with _translated():
            return str(self._client.chat_postMessage(**arguments)["ts"])

    def found(self, delivery: Delivery) -> str | None:
        """The ``ts`` of the message with this delivery's key among the newest of its channel.

        None too where Slack doesn't show them: the app lacks ``channels:history`` (for a user's ``im:history``
        and ``im:write``) or is not in the channel.
        """
        since = datetime.combine(delivery.date, time(), UTC) - _EARLIEST
        with suppress(DeliveryError), _translated():
            pages = self._client.conversations_history(
                channel=self._conversation(delivery.reader.address),
                include_all_metadata=True,
                oldest=str(since.timestamp()),
                limit=_PAGE,
            )
            for page in islice(pages, _PAGES):
                for message in page["messages"]:
                    if _key(message) == str(delivery.key):
                        return str(message["ts"])
        return None

    def _conversation(self, address: str) -> str:
        """Where messages to an address are: its channel, or the direct messages with its user."""
        if not _USER.fullmatch(address):
            return address
        return str(self._client.conversations_open(users=address)["channel"]["id"])

    def check(self) -> None:
        """Ask Slack whether the token is good."""
        with _translated():
            self._client.auth_test()

    def close(self) -> None:
        """Nothing is held open: each call has a connection of its own."""


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except (SlackApiError, OSError, HTTPException, ValueError) as error:
        raise _translate(error) from error


def _key(message: dict[str, Any]) -> object:
    metadata: dict[str, Any] = message.get("metadata") or {}
    return metadata.get("event_payload", {}).get("key")


def _arguments(delivery: Delivery) -> dict[str, Any]:
    return {
        "unfurl_links": False,
        "unfurl_media": False,
        **json.loads(delivery.body),
        "channel": delivery.reader.address,
        "metadata": {"event_type": "paperbot_delivery", "event_payload": {"key": str(delivery.key)}},
    }


def _translate(error: Exception) -> DeliveryError:
    """What a failed call means. No other place knows ``slack_sdk``'s exceptions."""
    if isinstance(error, SlackApiError):
        return _refusal(error)
    if isinstance(error, URLError):  # raised while connecting or writing: Slack never had the whole request
        message = f"can't reach Slack: {error.reason}"
        return DeliveryError(message, permanent=False, blame=FailureScope.CHANNEL, code="no connection")
    return _unknown(f"no answer from Slack: {type(error).__name__}: {error}", "no answer")


def _refusal(error: SlackApiError) -> DeliveryError:
    status = error.response.status_code
    word = str(error.response.get("error") or "")
    if status == 429 or word in _LATER:
        message, after = f"Slack asks to wait: {word or status}", _seconds(error.response.headers)
        return DeliveryError(message, permanent=False, retry_after=after, code=word or str(status))
    if status >= 500 or word in _MAYBE_POSTED:
        return _unknown(f"Slack failed: {status} {word}", word or str(status))
    if re.fullmatch(r"[a-z][a-z0-9_]*", word):
        return _told(word)
    if status >= 400:
        message = f"no Slack API answers there: {status}; check slack.api_url"
        return DeliveryError(message, permanent=True, blame=FailureScope.CHANNEL, code=str(status))
    return _unknown("Slack's answer makes no sense", "no answer")


def _told(word: str) -> DeliveryError:
    """The refusal in Slack's own word, as a rule one of a documented list."""
    if word in _WORKSPACE:
        message = f"Slack refuses the app: {word}; check PAPERBOT_SLACK__TOKEN and the app's scopes"
        return DeliveryError(message, permanent=True, blame=FailureScope.CHANNEL, code=word)
    if word in _DESTINATION:
        message = f"Slack refuses the destination: {word}; invite the app there, or correct the id"
        return DeliveryError(message, permanent=True, blame=FailureScope.READER, code=word)
    return DeliveryError(f"Slack refuses the message: {word}", permanent=True, code=word)


def _unknown(message: str, code: str) -> DeliveryError:
    return DeliveryError(message, permanent=False, unknown=True, code=code)


def _seconds(headers: dict[str, str]) -> float | None:
    values = (value.strip() for name, value in headers.items() if name.lower() == "retry-after")
    return next((float(value) for value in values if re.fullmatch(r"[0-9]{1,9}", value)), None)
