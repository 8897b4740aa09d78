"""Middleware for every request: a cap on its size, its form parsed, and security headers on the response."""

from __future__ import annotations

from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BYTES = 1_000_000  # of a body; Slack sends the whole message along in which a button was pressed
MAX_FIELDS = 50
_MAX_DIGITS = 20  # of Content-Length; int() raises ValueError beyond 4,300

# Pages work without scripts, so that the policy can forbid all of them (the start page allows our own); nothing is
# loaded from elsewhere.
POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
# Tokens are in the addresses of pages: no-referrer keeps them from the sites that papers link to, noindex from search
# engines.
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "X-Robots-Tag": "noindex",
}


class RequestLimits:
    """Hands the application the body as ``state.body`` and its fields as ``state.form``.

    A body that is too large, or has too many fields, sets ``state.excess`` instead, and is not kept in memory.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Implement ASGI."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            body = await _read_body(scope, receive)
        except ClientDisconnect:
            return  # half a form must not be acted on, and nobody waits for a response
        form = None if body is None else _parse_form(scope, body)
        state = scope.setdefault("state", {})
        state["excess"] = form is None
        state["body"] = body or b""
        state["form"] = form or {}

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        await self._app(scope, receive, send_with_headers)


async def _read_body(scope: Scope, receive: Receive) -> bytes | None:
    """Return the whole body, or None as soon as it is too large; raises ClientDisconnect if it is cut off."""
    announced = Headers(scope=scope).get("content-length", "")
    if announced.isdecimal() and (len(announced) > _MAX_DIGITS or int(announced) > MAX_BYTES):
        return None
    body = b""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        chunk: bytes = message.get("body", b"")
        body += chunk
        # Content-Length may be absent (chunked encoding) or wrong, so that what arrives is counted too.
        if len(body) > MAX_BYTES:
            return None
        if not message.get("more_body", False):
            return body


def _parse_form(scope: Scope, body: bytes) -> dict[str, list[str]] | None:
    """Return the fields of a URL-encoded form, none for other content types; None if there are too many."""
    content_type = Headers(scope=scope).get("content-type", "").partition(";")[0].strip().lower()
    if content_type != "application/x-www-form-urlencoded":
        return {}
    try:
        # PostgreSQL refuses the null character in any text.
        text = body.decode("utf-8", "replace").replace("\0", "")
        # Starlette's own form parser has no limit on the number of URL-encoded fields.
        return parse_qs(text, keep_blank_values=True, max_num_fields=MAX_FIELDS)
    except ValueError:
        return None
