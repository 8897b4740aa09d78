"""A mailbox on loopback that speaks enough IMAP4rev1 (RFC 3501) for reading, marking and moving mails."""

import re
import socketserver
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from servers import OnLoopback


@dataclass
class Mail:
    """One message in a folder."""

    content: bytes
    flags: set[str] = field(default_factory=set)


class ImapServer(OnLoopback):
    """Folders of mails by UID. ``said`` holds the commands that came; ``refuse`` names one that fails.

    ``answers`` stand in the place of what would be answered to a command, or to ``FETCH`` of an item; ``search`` in
    that of looking for the sender.
    """

    def __init__(
        self, *, can_move: bool = True, refuse: str = "", answers: Mapping[str, Callable[[str], bytes]] | None = None
    ) -> None:
        self.folders: dict[str, dict[int, Mail]] = {"INBOX": {}, "Read": {}}
        self.said: list[str] = []
        self.uid_validity = 1
        self.can_move, self.refuse, self.answers = can_move, refuse, answers or {}
        self.search: Callable[[Mapping[int, Mail]], list[int]] | None = None
        server = self

        class Handler(socketserver.StreamRequestHandler):
            disable_nagle_algorithm = True  # a response is several writes; each would wait 40 ms for the delayed ACK

            def handle(self) -> None:
                _Session(server, self).run()

        socketserver.ThreadingTCPServer.daemon_threads = True
        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]

    def put(self, *contents: bytes, folder: str = "INBOX") -> None:
        for content in contents:
            uid = max((uid for mails in self.folders.values() for uid in mails), default=0) + 1
            self.folders[folder][uid] = Mail(content)


class _Session:
    """One connection."""

    def __init__(self, server: ImapServer, stream: socketserver.StreamRequestHandler) -> None:
        self._server, self._stream = server, stream
        self._mails: dict[int, Mail] = {}

    def run(self) -> None:
        self._say(b"* OK ready")
        while line := self._stream.rfile.readline().decode().strip():
            tag, _, command = line.partition(" ")
            self._server.said.append(command)
            name = command.upper().removeprefix("UID ").partition(" ")[0]
            if name == self._server.refuse:
                self._say(f"{tag} NO refused".encode())
                continue
            answer = self._server.answers.get(f"{name} {command.split(' ', 3)[-1]}", self._server.answers.get(name))
            if answer:
                try:
                    self._stream.wfile.write(answer(command))
                except OSError:  # the client has had enough
                    return
            else:
                getattr(self, f"_{name.lower()}", self._nothing)(command)
            self._say(f"{tag} OK {name} done".encode())
            if name == "LOGOUT":
                return

    def _say(self, line: bytes) -> None:
        self._stream.wfile.write(line + b"\r\n")

    def _nothing(self, _: str) -> None:
        pass

    def _capability(self, _: str) -> None:
        self._say(b"* CAPABILITY IMAP4rev1" + (b" MOVE" if self._server.can_move else b""))

    def _select(self, command: str) -> None:
        self._mails = self._server.folders[command.split(" ", 1)[1].strip('"')]
        self._say(f"* {len(self._mails)} EXISTS".encode())
        self._say(f"* OK [UIDVALIDITY {self._server.uid_validity}] UIDs valid".encode())

    def _search(self, command: str) -> None:
        if self._server.search:
            return self._say(f"* SEARCH {' '.join(map(str, self._server.search(self._mails)))}".encode())
        field = re.search(r'(?:FROM|SUBJECT) "([^"]*)"', command)
        searched = field[1].encode() if field else b""
        uids = [
            str(uid)
            for uid, mail in self._mails.items()
            if "\\Seen" not in mail.flags and searched in mail.content.partition(b"\r\n\r\n")[0]
        ]
        return self._say(f"* SEARCH {' '.join(uids)}".encode())

    def _fetch(self, command: str) -> None:
        uid = int(command.split(" ")[2])
        content = self._mails[uid].content
        if "RFC822.SIZE" in command:
            self._say(f"* 1 FETCH (UID {uid} RFC822.SIZE {len(content)})".encode())
        elif header := re.search(r"HEADER\.FIELDS \(([A-Z -]+)\)", command):
            names = tuple(f"{name}:".lower().encode() for name in header[1].split())
            head = re.sub(rb"\r\n(?=[ \t])", b"", content.partition(b"\r\n\r\n")[0])
            lines = head.split(b"\r\n")
            fields = [line + b"\r\n" for line in lines if line.lower().startswith(names)]
            field = (b"".join(fields) + b"\r\n")[: int(command.rpartition("<0.")[2].partition(">")[0])]
            start = f"* 1 FETCH (UID {uid} BODY[{header[0]}]<0> {{{len(field)}}}\r\n"
            self._say(start.encode() + field + b")")
        else:
            assert "BODY.PEEK[]" in command
            self._say(f"* 1 FETCH (UID {uid} BODY[] {{{len(content)}}}".encode() + b"\r\n" + content + b")")

    def _store(self, command: str) -> None:
        self._mails[int(command.split(" ")[2])].flags |= set(re.findall(r"\\\w+", command))

    def _move(self, command: str) -> None:
        _, _, uid, folder = command.split(" ", 3)
        self._server.folders[folder.strip('"')][int(uid)] = self._mails.pop(int(uid))
