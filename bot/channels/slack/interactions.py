"""What people do in Slack (buttons, slash commands), over HTTP with a verified signature or through Socket Mode.

Beside ``transport``, this is the only module that knows ``slack_sdk``.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from slack_sdk import WebClient
from slack_sdk.signature import SignatureVerifier
from slack_sdk.webhook import WebhookClient

if TYPE_CHECKING:
    from slack_sdk.socket_mode.client import BaseSocketModeClient
    from slack_sdk.socket_mode.request import SocketModeRequest

Handler = Callable[[dict[str, Any]], None]

_SILENT = logging.Logger("slack_sdk, silenced", level=logging.CRITICAL)  # slack_sdk logs what it sends
_RESPONSE_HOST = "hooks.slack.com"
_TIMEOUT = 10  # seconds

log = logging.getLogger("paperbot")


class SlackInteractions:
    """Verifies requests, listens to the socket, and answers the person who acted."""

    def __init__(self, signing_secret: str | None, app_token: str | None, api_url: str) -> None:
        """``signing_secret`` is for HTTP, ``app_token`` for Socket Mode; either may be None."""
        self._signing_secret = signing_secret
        self._app_token = app_token
        self._api_url = api_url

    def is_genuine(self, body: bytes, headers: Mapping[str, str]) -> bool:
        """Whether Slack signed this body within the last five minutes (HMAC-SHA256 with a timestamp)."""
        if not self._signing_secret:
            return False
        try:
            return SignatureVerifier(self._signing_secret).is_valid_request(body, dict(headers))
        except (ValueError, TypeError, OverflowError):
            # The verifier raises on a non-numeric timestamp, a non-ASCII signature and a body that is not UTF-8.
            return False

    def answer(self, response_url: str, message: Mapping[str, Any]) -> None:
        """Send an ephemeral message to the person who acted; never raises."""
        # The URL is part of the request. Only Slack's hosts are connected to, or a forged payload could make this
        # process request any address (SSRF).
        if not self._is_slack_url(response_url):
            log.warning("no answer to Slack: its address is not one of Slack's")
            return
        client = WebhookClient(response_url, timeout=_TIMEOUT, retry_handlers=[], logger=_SILENT)
        try:
            client.send_dict({"response_type": "ephemeral", "replace_original": False, **message})
        except Exception as error:  # the action itself is recorded, so a lost answer is not worth an error
            log.warning("no answer to Slack: %s", type(error).__name__)

    def listen(self, handle: Handler) -> Callable[[], None]:
        """Open Socket Mode if there is a token for it; return the function that closes it."""
        if not self._app_token:
            return lambda: None
        from slack_sdk.socket_mode import SocketModeClient
        from slack_sdk.socket_mode.response import SocketModeResponse

        def on_request(client: BaseSocketModeClient, request: SocketModeRequest) -> None:
            # Acknowledged before it is handled: Slack sends it again after three seconds.
            client.send_socket_mode_response(SocketModeResponse(envelope_id=request.envelope_id))
            if request.type in ("interactive", "slash_commands") and isinstance(request.payload, dict):
                handle(request.payload)

        web = WebClient(base_url=self._api_url.rstrip("/") + "/", timeout=_TIMEOUT, logger=_SILENT)
        client = SocketModeClient(self._app_token, web_client=web, logger=_SILENT)
        client.socket_mode_request_listeners.append(on_request)
        client.connect()
        return client.close

    def _is_slack_url(self, url: str) -> bool:
        """Whether a response goes to Slack, or to the host of the configured API."""
        try:
            target = urlsplit(url)
            api = urlsplit(self._api_url)
        except ValueError:  # such as https://[x
            return False
        if target.scheme == "https" and target.hostname == _RESPONSE_HOST:
            return True
        return (target.scheme, target.netloc) == (api.scheme, api.netloc)
