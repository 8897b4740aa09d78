"""An OpenAI-compatible endpoint on loopback: records what it is asked, answers as it is told."""

from __future__ import annotations

import json
from contextlib import suppress

from servers import HttpServer, body_of


class ModelServer(HttpServer):
    """Set ``answer`` (bytes) and ``status``; with ``endless`` it goes on with white space until it is left."""

    def __init__(self):
        super().__init__()
        self.status, self.answer, self.endless = 200, completion("In one sentence."), False
        self.asked: list[tuple[str, str | None, dict]] = []
        self.url = f"http://{self.host}/v1"

    def post(self, request):
        self.asked.append((request.path, request.headers["Authorization"], json.loads(body_of(request))))
        request.send_response(self.status)
        request.end_headers()
        request.wfile.write(self.answer)
        with suppress(OSError):  # the client has had enough
            while self.endless:
                request.wfile.write(b" " * 4096)


def completion(text) -> bytes:
    return json.dumps({"choices": [{"message": {"role": "assistant", "content": text}}]}).encode()
