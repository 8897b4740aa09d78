"""A Slack workspace on loopback: it takes answers, and opens a socket through which it sends what people do."""

from __future__ import annotations

import base64
import hashlib
import json
import queue
import struct
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_TEXT, _CLOSE, _PING, _PONG = 1, 8, 9, 10


class Workspace:
    """``answers`` are what came to the response URL; ``acknowledged`` the envelopes that the bot took."""

    def __init__(self):
        self.answers: list[dict] = []
        self.answered = queue.Queue()
        self.acknowledged = queue.Queue()
        self.connected = threading.Event()
        self.tokens: list[str] = []
        self._socket = None
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                fake._post(self)

            def do_GET(self):
                fake._open_socket(self)

            def log_message(self, *_):
                """Stay quiet."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._host = f"127.0.0.1:{self._server.server_address[1]}"
        self.api_url = f"http://{self._host}/api"
        self.response_url = f"http://{self._host}/actions/T1/2/x"

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

    def send(self, kind: str, payload: dict, envelope: str = "e1") -> None:
        """Send what somebody did through the socket."""
        message = {
            "type": kind,
            "envelope_id": envelope,
            "payload": payload,
            "accepts_response_payload": True,
        }
        self._socket.sendall(_frame(_TEXT, json.dumps(message).encode()))

    def _post(self, request):
        body = request.rfile.read(int(request.headers.get("Content-Length", 0)))
        if request.path == "/api/apps.connections.open":
            self.tokens.append(request.headers["Authorization"])
            answer = json.dumps({"ok": True, "url": f"ws://{self._host}/link"}).encode()
        else:
            self.answers.append(json.loads(body))
            self.answered.put(self.answers[-1])
            answer = b"ok"
        request.send_response(200)
        request.send_header("Content-Type", "application/json")
        request.send_header("Content-Length", str(len(answer)))
        request.end_headers()
        request.wfile.write(answer)

    def _open_socket(self, request):
        """The server's side of RFC 6455, as far as it is needed."""
        key = request.headers["Sec-WebSocket-Key"] + _GUID
        accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
        lines = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade"]
        request.connection.sendall("\r\n".join([*lines, f"Sec-WebSocket-Accept: {accept}", "", ""]).encode())
        self._socket = request.connection
        self._socket.sendall(_frame(_TEXT, b'{"type": "hello"}'))
        self.connected.set()
        request.close_connection = True
        while (received := _read(request.rfile)) and received[0] != _CLOSE:
            kind, content = received
            if kind == _PING:
                self._socket.sendall(_frame(_PONG, content))
            if kind == _TEXT:
                self.acknowledged.put(json.loads(content)["envelope_id"])


def _frame(kind: int, content: bytes) -> bytes:
    length = len(content)
    if length < 126:
        return bytes([0x80 | kind, length]) + content
    return bytes([0x80 | kind, 126]) + struct.pack(">H", length) + content


def _read(stream):
    head = stream.read(2)
    if len(head) < 2:
        return None
    length = head[1] & 0x7F
    if length == 126:
        (length,) = struct.unpack(">H", stream.read(2))
    mask = stream.read(4)
    content = stream.read(length)
    return head[0] & 0x0F, bytes(byte ^ mask[i % 4] for i, byte in enumerate(content))
