"""Slack's Web API on loopback: records what is posted and answers as it is told."""

import json
from urllib.parse import parse_qs, urlsplit

from servers import HttpServer, answer, body_of

DROP = None


class SlackServer(HttpServer):
    """Answers every method alike, but for those in ``methods``: a dict, or a function of what was asked.

    Set ``body`` (a dict, bytes, or ``DROP``), ``status``, ``headers``.
    """

    def __init__(self):
        super().__init__()
        self.status = 200
        self.headers: dict[str, str] = {}
        self.body: dict | bytes | None = {"ok": True, "ts": "1700000000.000100"}
        self.methods: dict[str, object] = {}
        self.posts: list[dict] = []
        self.paths: list[str] = []
        self.authorizations: list[str] = []
        self.url = f"http://{self.host}/api"

    def refuse(self, error, status=200, **headers):
        self.body = {"ok": False, "error": error}
        self.status = status
        self.headers = headers

    def post(self, request):
        content = body_of(request)
        if content and "json" in request.headers["Content-Type"]:
            self.posts.append(json.loads(content))
        url = urlsplit(request.path)
        self.paths.append(url.path)
        self.authorizations.append(request.headers["Authorization"])
        arguments = {name: values[0] for name, values in parse_qs(f"{url.query}&{content.decode()}").items()}
        body = self.methods.get(url.path.removeprefix("/api/"), self.body)
        body = body(arguments) if callable(body) else body
        if body is not DROP:
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            answer(request, content, self.status, **{"Content_Type": "application/json", **self.headers})

    get = post
