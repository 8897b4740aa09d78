"""Mail servers on loopback: a real one with replies to override, and one that follows a script."""

import socketserver
import ssl
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult
from servers import OnLoopback

from bot.model.errors import DeliveryError

SENDER = "paperbot@example.org"


@dataclass
class Mail:
    """One message as it arrived; ``peer`` tells connections apart."""

    sender: str
    recipients: list[str]
    content: bytes
    peer: tuple[str, int]


class _OnAnyPort(Controller):
    def _trigger_server(self):
        self.port = self.server.sockets[0].getsockname()[1]
        super()._trigger_server()


class MailServer:
    """A real SMTP server. ``replies`` overrides what it says to MAIL, RCPT, DATA, or to one address."""

    def __init__(self, *, context=None, implicit=False, login=None):
        self.mails: list[Mail] = []
        self.replies: dict[str, str] = {}
        self.logins: list[tuple[bytes, bytes]] = []
        self._login = login
        tls = {"ssl_context": context} if implicit else {"tls_context": context}
        self._controller = _OnAnyPort(
            self,
            hostname="127.0.0.1",
            port=0,
            require_starttls=context is not None and not implicit,
            auth_required=login is not None,
            auth_require_tls=not implicit,  # it knows only of STARTTLS
            authenticator=self._authenticate,
            decode_data=False,
            **tls,
        )

    @contextmanager
    def running(self):
        self._controller.start()
        try:
            yield self
        finally:
            self._controller.stop()

    @property
    def port(self) -> int:
        return self._controller.port

    def _authenticate(self, server, session, envelope, mechanism, data):
        self.logins.append((data.login, data.password))
        return AuthResult(success=(data.login, data.password) == self._login, handled=False)

    async def handle_MAIL(self, server, session, envelope, address, options):  # noqa: N802 - aiosmtpd's name
        if "MAIL" in self.replies:
            return self.replies["MAIL"]
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(self, server, session, envelope, address, options):  # noqa: N802 - aiosmtpd's name
        if refusal := self.replies.get(address) or self.replies.get("RCPT"):
            return refusal
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):  # noqa: N802 - aiosmtpd's name
        if "DATA" in self.replies:
            return self.replies["DATA"]
        self.mails.append(Mail(envelope.mail_from, envelope.rcpt_tos, envelope.original_content, session.peer))
        return f"250 queued as {len(self.mails)}"


DROP = None
SCRIPT = {
    "greeting": b"220 here\r\n",
    "EHLO": b"250 here\r\n",
    "RSET": b"250 OK\r\n",
    "MAIL": b"250 OK\r\n",
    "RCPT": b"250 OK\r\n",
    "DATA": b"354 go\r\n",
    ".": b"250 queued\r\n",
    "QUIT": b"221 bye\r\n",
}


class ScriptedServer(OnLoopback):
    """Answers each command with bytes as given: ``DROP`` hangs up, ``b""`` is silence, a list goes by turns.

    ``bodies`` are the messages that ended with a final dot, as on the wire; ``heard`` are
    the lines of all, unfinished ones too; ``commands`` is what was said between them.
    With ``"BODY": DROP`` it hangs up before it has read the body.
    """

    def __init__(self, script):
        self._script = SCRIPT | script
        self.bodies: list[bytes] = []
        self.heard: list[bytes] = []
        self.commands: list[str] = []
        self.connections = 0
        fake = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self):
                fake._talk(self.rfile, self.wfile)

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]

    def _talk(self, incoming, outgoing):
        self.connections += 1
        try:
            if self._say("greeting", outgoing) is not DROP:
                while line := incoming.readline():
                    if not self._answer(line, incoming, outgoing):
                        return
        except OSError:
            return

    def _answer(self, line, incoming, outgoing):
        verb = line.split()[0].decode().upper()
        self.commands.append(line.decode().strip())
        reply = self._say(verb, outgoing)
        if reply and b"354" in reply:
            return self._read_body(incoming, outgoing)
        return reply is not DROP

    def _read_body(self, incoming, outgoing):
        if "BODY" in self._script:
            return False
        lines = []
        while (line := incoming.readline()) != b".\r\n":
            if not line:
                return False
            self.heard.append(line)
            lines.append(line)
        self.bodies.append(b"".join(lines))
        return self._say(".", outgoing) is not DROP

    def _say(self, verb, outgoing):
        reply = self._script[verb]
        if isinstance(reply, list):
            reply = reply.pop(0) if len(reply) > 1 else reply[0]
        if reply is not DROP:
            outgoing.write(reply)
        return reply


def server_context(certificate) -> ssl.SSLContext:
    """TLS as a server offers it, with a certificate and its key in one file."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


def refusal(channel, delivery, started=lambda: None):
    with pytest.raises(DeliveryError) as caught:
        channel.send(delivery, started)
    return caught.value
