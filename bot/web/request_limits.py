"""What every request passes: a cap on its size, its form read, and the headers that keep a page to itself."""

from __future__ import annotations

from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES = 1_000_000  # of a request's body; a Slack message that a button stands in comes along whole
MOST_FIELDS = 50
_LONGEST_NUMBER = 20  # digits; Python refuses to read thousands
_FORM = "application/x-www-form-urlencoded"

_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "X-Robots-Tag": "noindex",
}

Form = dict[str, list[str]]


class Guard:
    """Middleware: hands the application a whole body as ``state.body`` and its fields as ``state.form``.

    A body that is too large, or has too many fields, gives ``state.excess`` instead, and is not kept.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI has it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        state = scope.setdefault("state", {})
        try:
            body = await _body(Headers(scope=scope), receive)
        except ClientDisconnect:
            return  # what came is not what was meant, and nobody waits for an answer
        form = None if body is None else _form(Headers(scope=scope).get("content-type", ""), body)
        state["excess"] = form is None
        state["body"], state["form"] = body or b"", form or {}

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        await self._app(scope, receive, with_headers)


async def _body(headers: Headers, receive: Receive) -> bytes | None:
    """The whole body; None as soon as it is seen to be too large. Raises ClientDisconnect where it is cut off."""
    announced = headers.get("content-length", "")
    if announced.isdecimal() and (len(announced) > _LONGEST_NUMBER or int(announced) > MOST_BYTES):
        return None
    body = b""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        part: bytes = message.get("body", b"")
        body += part
        if len(body) > MOST_BYTES:
            return None
        if not message.get("more_body", False):
            return body


def _form(content_type: str, body: bytes) -> Form | None:
    """The fields of a form as browsers send it, none of any other body; None where there are too many."""
    if content_type.partition(";")[0].strip().lower() != _FORM:
        return {}
    try:
        text = body.decode("utf-8", "replace").replace("\0", "")
        return parse_qs(text, keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError:
        return None
