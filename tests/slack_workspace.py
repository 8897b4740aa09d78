"""A Slack workspace on loopback: it takes answers, and opens a socket through which it sends what people do."""

import base64
import hashlib
import json
import queue
import struct
import threading

from servers import HttpServer, answer, body_of

_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_TEXT, _CLOSE, _PING, _PONG = 1, 8, 9, 10


class Workspace(HttpServer):
    """``answers`` are what came to the response URL; ``acknowledged`` the envelopes that the bot took."""

    protocol = "HTTP/1.1"

    def __init__(self):
        super().__init__()
        self.answers: list[dict] = []
        self.answered = queue.Queue()
        self.acknowledged = queue.Queue()
        self.connected = threading.Event()
        self.tokens: list[str] = []
        self._socket = None
        self.api_url = f"http://{self.host}/api"
        self.response_url = f"http://{self.host}/actions/T1/2/x"

    def send(self, kind: str, payload: dict, envelope: str = "e1") -> None:
        """Send what somebody did through the socket."""
        message = {"type": kind, "envelope_id": envelope, "payload": payload, "accepts_response_payload": True}
        self._socket.sendall(_frame(_TEXT, json.dumps(message).encode()))

    def post(self, request):
        body = body_of(request)
        if request.path == "/api/apps.connections.open":
            self.tokens.append(request.headers["Authorization"])
            said = json.dumps({"ok": True, "url": f"ws://{self.host}/link"}).encode()
        else:
            self.answers.append(json.loads(body))
            self.answered.put(self.answers[-1])
            said = b"ok"
        answer(request, said, Content_Type="application/json")

    def get(self, request):
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
