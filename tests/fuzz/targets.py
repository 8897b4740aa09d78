"""What is fuzzed: each target takes any bytes, and may raise nothing but the errors that its callers expect."""

import contextlib
import functools
import io
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from hostile.library_shapes import BIB, ITEM, RIS
from hostile.shapes import (
    ARXIV,
    ARXIV_PAPER,
    ATOM,
    CRASHES,
    DAILY,
    HTML_MAIL,
    JSON,
    KEYWORD,
    MAIL,
    MARKDOWN,
    OPENALEX,
    RSS,
    SCHOLAR,
    SHAPES,
)

from bot.formats import feed, journal_mail, library, mail
from bot.formats.format import decode, split_lines
from bot.formats.html import html_lines
from bot.formats.registry import DOCUMENTS, FORMATS, parse
from bot.model import Entry, RawDigest
from bot.model.errors import DigestError
from bot.model.papers import arxiv_id_in, keys, normalised_title
from bot.model.wording import shorten
from bot.sources import arxiv
from bot.summaries.sentences import sentences
from bot.text.latex import readable
from bot.text.tokens import stem_terms

SMALL = 3_000  # bytes of a seed made of a hostile shape
NOW = "2025-05-07T09:00:00+02:00"
# What of a form's bytes decides where they are posted.
FORMS = ("thumb", "unsubscribe", "me", "confirm", "open")


def digest(data: bytes) -> None:
    """Any digest: what is read is clean, and can be worked with."""
    with contextlib.suppress(DigestError):
        for parsed in parse(RawDigest("fuzz", "fuzz.txt", data)):
            json.dumps(parsed.rejected).encode()
            for entry in parsed.entries:
                check(entry)


def check(entry: Entry) -> None:
    """That a paper can be kept, compared and shown."""
    assert entry.title
    texts = (entry.title, entry.abstract, entry.organisation or "", *entry.authors, *entry.categories)
    for text in texts:
        assert not set("\x00\ufffe\uffff") & set(text)
        text.encode()
    keys(entry)
    ET.fromstring(f"<a>{''.join('' if c in '<>&' else c for c in entry.title)}</a>")


def each_line_format(data: bytes) -> None:
    """Each format of lines, where its own digests begin."""
    with contextlib.suppress(DigestError):
        text = split_lines(decode(data))
        for form in FORMATS:
            for start in list(form.starts(text))[:3]:
                form.parse(text[start:])


def each_document(data: bytes) -> None:
    """Each format of whole files, whether the file looks like it or not."""
    for document in DOCUMENTS:
        with contextlib.suppress(DigestError):
            for entry in document.parse(data).entries:
                check(entry)


def mails(data: bytes) -> None:
    """The reader of mails."""
    with contextlib.suppress(DigestError):
        mail.is_mail(decode(data)[:20_000])
        mail.read_mail(data)


def latex(data: bytes) -> None:
    """LaTeX made readable, and cut."""
    shorten(readable(data.decode(errors="surrogateescape")), 300).encode()


def texts(data: bytes) -> None:
    """What ranking, identity and summaries make of a text."""
    text = data.decode(errors="replace")
    stem_terms(text)
    normalised_title(text)
    arxiv_id_in(text)
    assert all(sentence in text for sentence in sentences(text))


def opml(data: bytes) -> None:
    """A list of feeds."""
    with contextlib.suppress(DigestError):
        feed.parse_list(RawDigest("", "feeds", data))


def arxiv_answer(data: bytes) -> None:
    """A page of arXiv's API, as its source looks at it."""
    arxiv._submission_times(data)
    for pattern in (arxiv._TOTAL, arxiv._SUMMARY, arxiv._ENTRY):
        pattern.search(data)


def forms(data: bytes) -> None:
    """The pages' forms: the first byte chooses the form, a NUL parts its query from its body."""
    post, addresses = _pages()
    if data:
        query, _, body = data[1:].partition(b"\0")
        address = addresses[data[0] % len(addresses)]
        letters = "".join(c for c in query.decode("latin-1") if c.isprintable() and c not in "#?")
        answer = post(f"{address}&{letters}" if "?" in address else f"{address}?{letters}", body)
        assert answer.status_code < 500, (address, answer.status_code)


@functools.cache
def _pages() -> tuple[Callable[[str, bytes], Any], list[str]]:
    """How a form is posted, and where there are forms: the pages of a home that has sent one edition."""
    from starlette.testclient import TestClient

    from bot.app import open_app
    from bot.cli.main import invoke
    from bot.model import Vote
    from bot.web.application import make_web

    home = Path(tempfile.mkdtemp(prefix="paperbot-fuzz-"))
    exits = contextlib.ExitStack()
    exits.callback(shutil.rmtree, home, ignore_errors=True)
    import atexit

    atexit.register(exits.close)
    with contextlib.redirect_stdout(io.StringIO()):
        assert invoke(["init", str(home / "papers"), "--email", "ada@example.org", "--timezone", "Europe/Berlin"]) == 0
    profile = home / "papers" / "profiles" / "reward-models.toml"
    profile.write_text(profile.read_text().replace("\n[edition]", "\nopen = true\n\n[edition]", 1))
    with contextlib.redirect_stdout(io.StringIO()):
        assert invoke(["--home", str(home / "papers"), "run", "--now", NOW]) == 0
    os.chdir(home / "papers")
    app = exits.enter_context(open_app(home / "papers"))
    links = app.links(app.store.readers.get("reward-models", "ada@example.org"))
    client = TestClient(make_web(app), base_url="http://localhost:8000")
    addresses = [
        links.thumb(app.store.papers.find("TTRL")[0], Vote.UP),
        links.unsubscribe(),
        links.me(),
        links.confirm(),
        "http://localhost:8000/open/reward-models",
        "http://localhost:8000/open/reward-models/subscribe",
        "http://localhost:8000/thumb/x",
        "http://localhost:8000/me/x",
    ]
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    return lambda address, body: client.post(address, content=body, headers=headers), addresses


def html_mails(data: bytes) -> None:
    """Every reader of HTML mails, whether it recognises the mail or not."""
    html = data.decode(errors="replace")
    message = mail.Mail("a@example.org", "A", "Owls", None, "", html)
    with contextlib.suppress(DigestError):
        lines = html_lines(html)
        for reader in (journal_mail.parse_scholar, journal_mail.parse):
            parsed = reader(message, lines)
            for entry in parsed.entries if parsed else ():
                check(entry)


def libraries(data: bytes) -> None:
    """A library of a reference manager, or items of Zotero."""
    with contextlib.suppress(DigestError):
        parsed = library.parse(RawDigest("fuzz", "fuzz.bib", data))
        json.dumps(parsed.problems).encode()
        for item in parsed.entries:
            check(item.entry)


TARGETS: dict[str, Callable[[bytes], None]] = {
    "digest": digest,
    "lines": each_line_format,
    "documents": each_document,
    "mails": mails,
    "html": html_mails,
    "latex": latex,
    "texts": texts,
    "opml": opml,
    "arxiv": arxiv_answer,
    "libraries": libraries,
    "forms": forms,
}


def seeds(target: str) -> Iterable[bytes]:
    """What a target's corpus begins with."""
    if target == "forms":
        for place in range(8):
            for body in (
                b"vote=up",
                b"do=resubscribe",
                b"do=ignore&word=reward",
                b"do=size&size=3",
                b"address=a@example.org",
            ):
                yield bytes([place]) + b"vote=down\0" + body
        return
    if target == "libraries":
        yield from (BIB, RIS, b"[" + ITEM + b"]", b'@string{a = "b"}\n' + BIB.replace(b"{Owls", rb"{\"{O}wls $x$"))
    yield from (
        KEYWORD,
        MARKDOWN,
        ARXIV + ARXIV_PAPER,
        DAILY,
        JSON + b"]",
        OPENALEX + b'"abstract_inverted_index": {"Owls": [0, 2], "see": [1]}}]}',
        MAIL + b"\n" + KEYWORD,
        HTML_MAIL + SCHOLAR,
        SCHOLAR,
    )
    yield from (
        RSS + b"<item><title>A</title></item></channel></rss>",
        ATOM + b"<entry><title>A</title></entry></feed>",
    )
    yield b'<opml><body><outline xmlUrl="http://[x"/><outline xmlUrl="http://example.org/"/></body></opml>'
    yield rb"$\alpha$ \textbf{a} \foo{x} \(a\) \[b\] $$c$$ \href{a}{b} \frac{1}{n} \unicode{x41} \verb|a| ~ -- 5% AT&T"
    yield from CRASHES.values()
    yield from (
        shape.content(max(SMALL, len(shape.head) + len(shape.tail) + 100))
        for shape in SHAPES.values()
        if len(shape.head) < SMALL
    )
