"""An OpenAI-compatible endpoint on loopback: records what it is asked, answers as it is told."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class ModelServer:
    """Set ``answer`` (bytes) and ``status``; with ``endless`` it goes on with white space until it is left."""

    def __init__(self):
        self.status, self.answer, self.endless = 200, completion("In one sentence."), False
        self.asked: list[tuple[str, str | None, dict]] = []
        fake = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                fake._answer(self)

            def log_message(self, *_):
                """Stay quiet."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @contextmanager
    def running(self):
        thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            thread.join()
            self._server.server_close()

    def _answer(self, request):
        body = json.loads(request.rfile.read(int(request.headers["Content-Length"])))
        self.asked.append((request.path, request.headers["Authorization"], body))
        request.send_response(self.status)
        request.end_headers()
        request.wfile.write(self.answer)
        try:
            while self.endless:
                request.wfile.write(b" " * 4096)
        except OSError:
            pass  # the client has had enough


def completion(text) -> bytes:
    return json.dumps({"choices": [{"message": {"role": "assistant", "content": text}}]}).encode()
