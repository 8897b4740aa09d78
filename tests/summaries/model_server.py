"""An OpenAI-compatible endpoint on loopback that records requests and answers as configured."""

from __future__ import annotations

import json
from contextlib import suppress

from servers import HttpServer, body_of


class ModelServer(HttpServer):
    """Set ``answer`` (bytes), ``answers``, ``status``; if ``endless``, it sends blanks until the client disconnects."""

    def __init__(self):
        super().__init__()
        self.status = 200
        self.answer = completion("In one sentence.")
        self.answers: list[bytes] = []  # the first ones, before ``answer``
        self.endless = False
        self.received: list[tuple[str, str | None, dict]] = []
        self.url = f"http://{self.host}/v1"

    def post(self, request):
        self.received.append((request.path, request.headers["Authorization"], json.loads(body_of(request))))
        request.send_response(self.status)
        request.end_headers()
        request.wfile.write(self.answers.pop(0) if self.answers else self.answer)
        with suppress(OSError):  # the client disconnects
            while self.endless:
                request.wfile.write(b" " * 4096)


def completion(text) -> bytes:
    return json.dumps({"choices": [{"message": {"role": "assistant", "content": text}}]}).encode()
