"""Send messages to Slack by ``chat.postMessage``, and receive interactions (buttons, slash commands).

Slack has no idempotency key, so delivery is at most once, or marked ``unknown``. Messages carry the delivery's key as
metadata, so ``conversations.history`` can show whether one of unknown outcome arrived.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, time, timedelta
from http.client import HTTPException
from itertools import islice
from typing import TYPE_CHECKING, Any
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, HTTPSHandler, Request, build_opener

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError
from slack_sdk.signature import SignatureVerifier

from bot.channels import Channel
from bot.model import Delivery
from bot.model.addresses import is_loopback
from bot.model.errors import ConfigError, DeliveryError, FailureScope

if TYPE_CHECKING:
    from slack_sdk.socket_mode.client import BaseSocketModeClient
    from slack_sdk.socket_mode.request import SocketModeRequest

# slack_sdk logs the token at DEBUG.
_SILENT = logging.Logger("slack_sdk, silenced", level=logging.CRITICAL)
log = logging.getLogger("paperbot")

# Slack's error codes by scope. Others concern the message.
_WORKSPACE_ERRORS = frozenset(
    """
    access_denied account_inactive ekm_access_denied enterprise_is_restricted invalid_auth missing_scope no_permission
    not_allowed_token_type not_authed org_login_required team_access_not_granted token_expired token_revoked
    two_factor_setup_required
    """.split()
)
_DESTINATION_ERRORS = frozenset(
    """
    cannot_dm_bot channel_not_found is_archived messages_tab_disabled not_in_channel restricted_action
    restricted_action_read_only_channel restricted_action_thread_only_channel user_disabled user_not_found
    """.split()
)
_TEMPORARY_ERRORS = frozenset({"rate_limited", "ratelimited", "request_timeout", "team_added_to_org"})
_TS = re.compile(r"\d{1,12}\.\d{1,9}")
# After other statuses the message may have been posted.
_REFUSED_STATUSES = frozenset({400, 401, 403, 404, 405, 406, 407, 410, 411, 413, 414, 415, 417, 421, 426, 431, 451})
_AMBIGUOUS_ERRORS = frozenset({"fatal_error", "internal_error", "service_unavailable"})
SPACING = timedelta(seconds=1)  # Slack's limit for one channel
# An edition's date is local, Slack's timestamps are UTC.
_DATE_TOLERANCE = timedelta(days=1)
# At most 4,000 messages, because a busy channel has no end.
_PAGE_SIZE = 200
_MAX_PAGES = 20
_USER_ID = re.compile(r"[UW][A-Z0-9]+")


class _NoRedirects(HTTPRedirectHandler):
    """urllib would send the token to any host, and post the message as a GET."""

    def redirect_request(self, *_: object) -> None:
        """Return None, for which urllib raises an HTTPError."""


class _Client(WebClient):
    """slack_sdk's client without redirects.

    Overrides a private method. A test fails if a release renames it.
    """

    def _perform_urllib_http_request_internal(self, url: str, req: Request) -> dict[str, Any]:  # noqa: ARG002
        with build_opener(_NoRedirects, HTTPSHandler(context=self.ssl)).open(req, timeout=self.timeout) as response:
            body = response.read().decode(response.headers.get_content_charset() or "utf-8")
            return {"status": response.status, "headers": response.headers, "body": body}


class SlackChannel(Channel):
    """Posts as the app of a bot token.

    Raises ``ConfigError`` for an invalid token, and if ``api_url`` would send it over a network in plain text.
    """

    def __init__(self, token: str, api_url: str, *, timeout_seconds: int = 30) -> None:
        if not re.fullmatch(r"[!-~]+", token):
            raise ConfigError("environment", "PAPERBOT_SLACK__TOKEN", "not a token: copy it again, in one piece")
        url = urlsplit(api_url)
        if url.scheme != "https" and not (url.scheme == "http" and is_loopback(url.hostname or "")):
            problem = "must begin with https://, because the token is sent there"
            raise ConfigError("paperbot.toml", "slack.api_url", problem)
        self._client = _Client(
            token,
            base_url=api_url.rstrip("/") + "/",
            timeout=timeout_seconds,
            # slack_sdk would post again after a dropped response, and sleep when rate-limited.
            retry_handlers=[],
            logger=_SILENT,
        )

    def send(self, delivery: Delivery, start_data: Callable[[], None]) -> str:
        """Post a JSON object of ``chat.postMessage`` arguments. The receipt is its ``ts``."""
        arguments = {
            "unfurl_links": False,
            "unfurl_media": False,
            **json.loads(delivery.body),
            "channel": delivery.reader.address,
            "metadata": {"event_type": "paperbot_delivery", "event_payload": {"key": str(delivery.key)}},
        }
        if delivery.thread:
            arguments["thread_ts"] = delivery.thread
        start_data()
        with _translated():
            ts = str(self._client.chat_postMessage(**arguments).get("ts"))
        if not _TS.fullmatch(ts):
            raise _unknown("Slack's answer names no message", "no answer")
        return ts

    def find_receipt(self, delivery: Delivery) -> str | None:
        """Return the ``ts`` of the message with this delivery's key.

        None also if the app lacks ``channels:history`` (for a user ``im:history`` and ``im:write``) or isn't in the
        channel.
        """
        since = datetime.combine(delivery.date, time(), UTC) - _DATE_TOLERANCE
        conversation = delivery.reader.address
        with suppress(DeliveryError), _translated():
            if _USER_ID.fullmatch(conversation):
                # Messages to a user are in a channel with its own id.
                conversation = str(self._client.conversations_open(users=conversation)["channel"]["id"])
            arguments: dict[str, Any] = {
                "channel": conversation,
                "include_all_metadata": True,
                "oldest": str(since.timestamp()),
                "limit": _PAGE_SIZE,
            }
            pages = (
                self._client.conversations_replies(ts=delivery.thread, **arguments)
                if delivery.thread
                else self._client.conversations_history(**arguments)
            )
            for page in islice(pages, _MAX_PAGES):
                for message in page.get("messages") or []:
                    metadata: dict[str, Any] = message.get("metadata") or {}
                    if metadata.get("event_payload", {}).get("key") == str(delivery.key):
                        return str(message["ts"])
        return None

    def check(self) -> None:
        with _translated():
            self._client.auth_test()


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except SlackApiError as error:
        raise _translate_refusal(error) from error
    except URLError as error:
        # urllib raises it only before Slack has the whole request.
        message = f"can't reach Slack: {error.reason}; check slack.api_url and this machine's network"
        raise DeliveryError(message, permanent=False, scope=FailureScope.CHANNEL, code="no connection") from error
    # AttributeError: JSON that is no object.
    except (OSError, HTTPException, ValueError, AttributeError) as error:
        raise _unknown(f"no answer from Slack: {type(error).__name__}: {error}", "no answer") from error


def _translate_refusal(error: SlackApiError) -> DeliveryError:
    status = error.response.status_code
    code = str(error.response.get("error") or "")
    if status == 429 or code in _TEMPORARY_ERRORS:
        message = f"Slack asks to wait: {code or status}"
        headers = error.response.headers.items()
        waits = (value.strip() for name, value in headers if name.lower() == "retry-after")
        wait = next((float(value) for value in waits if re.fullmatch(r"[0-9]{1,9}", value)), None)
        return DeliveryError(message, permanent=False, retry_after=wait, code=code or str(status))
    if status >= 500 or code in _AMBIGUOUS_ERRORS:
        return _unknown(f"Slack failed: {status} {code}", code or str(status))

    if code in _WORKSPACE_ERRORS:
        scope = FailureScope.CHANNEL
        message = f"Slack refuses the app: {code}; check PAPERBOT_SLACK__TOKEN and the app's scopes"
    elif code in _DESTINATION_ERRORS:
        scope = FailureScope.READER
        message = f"Slack refuses the destination: {code}; invite the app there, or correct the id"
    elif re.fullmatch(r"[a-z][a-z0-9_]*", code):
        scope = FailureScope.MESSAGE
        message = f"Slack refuses the message: {code}"
    elif status in _REFUSED_STATUSES:
        scope = FailureScope.CHANNEL
        code = str(status)
        message = f"no Slack API answers there: {status}; check slack.api_url"
    else:
        return _unknown(f"Slack's answer makes no sense: {status}", "no answer")
    return DeliveryError(message, permanent=True, scope=scope, code=code)


def _unknown(message: str, code: str) -> DeliveryError:
    return DeliveryError(message, permanent=False, unknown=True, code=code)


_RESPONSE_HOST = "hooks.slack.com"
_TIMEOUT = 10  # seconds


class SlackInteractions:
    """Verifies requests, listens to the socket, and answers the person who acted."""

    def __init__(self, signing_secret: str | None, app_token: str | None, api_url: str) -> None:
        """``signing_secret`` is for HTTP, ``app_token`` for Socket Mode. Either may be None."""
        self._signing_secret = signing_secret
        self._app_token = app_token
        self._api_url = api_url

    def is_genuine(self, body: bytes, headers: Mapping[str, str]) -> bool:
        """Return whether Slack signed this body within five minutes (HMAC-SHA256 with a timestamp)."""
        if not self._signing_secret:
            return False
        try:
            return SignatureVerifier(self._signing_secret).is_valid_request(body, dict(headers))
        except (ValueError, TypeError, OverflowError):
            return False  # a malformed timestamp, signature or body

    def answer(self, response_url: str, message: Mapping[str, Any]) -> None:
        """Send an ephemeral message to the person who acted. Never raises."""
        # A forged request could name any address (SSRF).
        try:
            target, api = urlsplit(response_url), urlsplit(self._api_url)
        except ValueError:  # such as https://[x
            target = api = urlsplit("")
        is_hook = (target.scheme, target.hostname) == ("https", _RESPONSE_HOST)
        if not (is_hook or (target.netloc and target[:2] == api[:2])):
            log.warning("no answer to Slack: its address is not one of Slack's")
            return
        body = json.dumps({"response_type": "ephemeral", "replace_original": False, **message}).encode()
        request = Request(response_url, body, {"Content-Type": "application/json;charset=utf-8"})  # noqa: S310 - checked
        try:
            build_opener(_NoRedirects).open(request, timeout=_TIMEOUT).close()
        except Exception as error:  # the action itself is recorded
            log.warning("no answer to Slack: %s", type(error).__name__)

    def listen(self, handle: Callable[[dict[str, Any]], None]) -> Callable[[], None]:
        """Open Socket Mode if there is a token, and return the function that closes it."""
        if not self._app_token:
            return lambda: None
        from slack_sdk.socket_mode import SocketModeClient
        from slack_sdk.socket_mode.response import SocketModeResponse

        def on_request(client: BaseSocketModeClient, request: SocketModeRequest) -> None:
            # Acknowledge first: Slack repeats the request after three seconds.
            client.send_socket_mode_response(SocketModeResponse(envelope_id=request.envelope_id))
            if request.type in ("interactive", "slash_commands") and isinstance(request.payload, dict):
                handle(request.payload)

        web = _Client(base_url=self._api_url.rstrip("/") + "/", timeout=_TIMEOUT, logger=_SILENT)
        client = SocketModeClient(self._app_token, web_client=web, logger=_SILENT)
        client.socket_mode_request_listeners.append(on_request)
        client.connect()
        return client.close
