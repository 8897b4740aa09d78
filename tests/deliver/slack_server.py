"""Slack's Web API on loopback: records what is posted and answers as it is told."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

DROP = None


class SlackServer:
    """Answers every method alike. Set ``body`` (a dict, bytes, or ``DROP``), ``status``, ``headers``."""

    def __init__(self):
        self.status = 200
        self.headers: dict[str, str] = {}
        self.body: dict | bytes | None = {"ok": True, "ts": "1700000000.000100"}
        self.posts: list[dict] = []
        self.paths: list[str] = []
        self.authorizations: list[str] = []
        fake = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                fake._answer(self)

            do_GET = do_POST  # noqa: N815 - http.server's name

            def log_message(self, *_):
                """Stay quiet."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/api"

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

    def refuse(self, error, status=200, **headers):
        self.body = {"ok": False, "error": error}
        self.status = status
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}

    def _answer(self, request):
        length = int(request.headers.get("Content-Length", 0))
        if length and "json" in request.headers["Content-Type"]:
            self.posts.append(json.loads(request.rfile.read(length)))
        self.paths.append(request.path.partition("?")[0])
        self.authorizations.append(request.headers["Authorization"])
        if self.body is DROP:
            return
        body = self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()
        request.send_response(self.status)
        for name, value in {"Content-Type": "application/json", **self.headers}.items():
            request.send_header(name, value)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)
