"""What people do in Slack, as it comes in: over HTTP with a verified signature, or through Socket Mode.

This is the only place beside the channel that knows ``slack_sdk``.
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

_SILENT = logging.Logger("slack_sdk, silenced", level=logging.CRITICAL)  # it logs what it sends
_HOOKS = "hooks.slack.com"
_TIMEOUT = 10  # seconds

log = logging.getLogger("paperbot")


class SlackInteractions:
    """Knows whether a request is Slack's, listens to its socket, and answers the person."""

    def __init__(self, signing_secret: str | None, app_token: str | None, api_url: str) -> None:
        """``signing_secret`` for HTTP, ``app_token`` for Socket Mode; either may be None."""
        self._signing_secret = signing_secret
        self._app_token = app_token
        self._api_url = api_url

    def is_genuine(self, body: bytes, headers: Mapping[str, str]) -> bool:
        """Whether Slack signed this body within the last five minutes."""
        if not self._signing_secret:
            return False
        try:
            # What can't be read as text or number makes the verifier raise.
            return SignatureVerifier(self._signing_secret).is_valid_request(body, dict(headers))
        except (ValueError, TypeError, OverflowError):
            return False

    def answer(self, response_url: str, message: Mapping[str, Any]) -> None:
        """Say something to the one person who acted; an address that isn't Slack's hears nothing."""
        if not self._is_slack(response_url):
            log.warning("no answer to Slack: its address is not one of Slack's")
            return
        client = WebhookClient(response_url, timeout=_TIMEOUT, retry_handlers=[], logger=_SILENT)
        try:
            client.send_dict({"response_type": "ephemeral", "replace_original": False, **message})
        except Exception as error:  # whatever it is, what was asked for is done
            log.warning("no answer to Slack: %s", type(error).__name__)

    def listen(self, handle: Handler) -> Callable[[], None]:
        """Open Socket Mode, where there is a token for it; returns what closes it.

        Each request is acknowledged before it is handled.
        """
        if not self._app_token:
            return _nothing
        from slack_sdk.socket_mode import SocketModeClient
        from slack_sdk.socket_mode.response import SocketModeResponse

        def on_request(client: BaseSocketModeClient, request: SocketModeRequest) -> None:
            client.send_socket_mode_response(SocketModeResponse(envelope_id=request.envelope_id))
            if request.type in ("interactive", "slash_commands") and isinstance(request.payload, dict):
                handle(request.payload)

        web = WebClient(base_url=self._api_url.rstrip("/") + "/", timeout=_TIMEOUT, logger=_SILENT)
        client = SocketModeClient(self._app_token, web_client=web, logger=_SILENT)
        client.socket_mode_request_listeners.append(on_request)
        client.connect()
        return client.close

    def _is_slack(self, url: str) -> bool:
        try:
            there, ours = urlsplit(url), urlsplit(self._api_url)
        except ValueError:  # such as https://[x
            return False
        if there.scheme == "https" and there.hostname == _HOOKS:
            return True
        return (there.scheme, there.netloc) == (ours.scheme, ours.netloc)


def _nothing() -> None:
    """There is nothing to close."""
