"""arXiv's mail, as text, as a mail, and as it may be mangled on the way."""

from __future__ import annotations

import contextlib
from email.message import EmailMessage
from html import escape
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.formats.registry import parse
from bot.model import ParsedDigest, RawDigest, limits
from bot.model.errors import DigestError

MAIL = Path(__file__).with_name("made").joinpath("arxiv-mail.txt").read_text()
(DIGEST,) = parse(RawDigest("test", "x", MAIL.encode()))
PAPERS = DIGEST.entries


def read(content: bytes | str) -> tuple[ParsedDigest, ...]:
    return parse(RawDigest("test", "x", content.encode() if isinstance(content, str) else content))


def as_mail(text: str, **how: str) -> EmailMessage:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "no-reply@arxiv.org", "me@example.org", "cs daily"
    mail["Message-ID"] = "<1@arxiv.org>"
    mail.set_content(text, **how)
    return mail


@pytest.mark.parametrize("cte", ["base64", "quoted-printable", "8bit"])
def test_a_mail_is_read_however_it_is_encoded(cte: str) -> None:
    assert read(as_mail(MAIL, cte=cte).as_bytes()) == (DIGEST,)


def test_the_plain_part_is_read_and_html_and_attachments_are_ignored() -> None:
    mail = as_mail(MAIL)
    mail.add_alternative("<p>Owls", subtype="html")
    mail.add_attachment(MAIL.encode(), maintype="text", subtype="plain", filename="again.txt")
    assert read(mail.as_bytes()) == (DIGEST,)


def test_an_unknown_or_wrong_charset_is_detected() -> None:
    header = b"From: a@b\r\nMessage-ID: <1@b>\r\nContent-Type: text/plain; charset=%s\r\n\r\n"
    for charset in (b"owl-8", b"us-ascii"):
        (digest,) = read(header % charset + MAIL.replace("Ethan", "Zoë").encode())
        assert digest.entries[1].authors == ("Zoë Frome",)


def test_a_mail_of_html_only_is_read_as_text() -> None:
    html = EmailMessage()
    html["From"], html["Message-ID"] = "a@b", "<1@b>"
    html.set_content(f"<html><body><pre>{escape(MAIL)}</pre></body></html>", subtype="html")
    assert read(html.as_bytes()) == (DIGEST,)


def test_a_mail_of_too_many_parts_is_refused() -> None:
    flood = as_mail("x")
    for _ in range(limits.PARTS + 1):
        flood.add_attachment(b"x", maintype="text", subtype="plain", filename="x")
    with pytest.raises(DigestError, match="a mail of more than 100 parts"):
        read(flood.as_bytes())


def test_papers_without_a_header_above_them_are_read_too() -> None:
    (digest,) = read(MAIL[MAIL.index("\\\\") :])
    assert digest == ParsedDigest("arxiv-mail", "arXiv", None, PAPERS)


def test_two_mails_in_one_file_are_two_digests() -> None:
    assert read(MAIL + MAIL) == (DIGEST, DIGEST)


def test_a_truncated_mail_gives_the_papers_before_the_cut() -> None:
    (digest,) = read(MAIL[: MAIL.index("count.")])
    assert [entry.abstract for entry in digest.entries] == ["Owls see well, they say.", "Bees"]


def test_a_block_without_a_title_is_rejected_alone() -> None:
    (digest,) = read(MAIL.replace("Title: Bees by Day", "Titel: Bees by Day"))
    assert [entry.title for entry in digest.entries] == [PAPERS[0].title, "Cats"]
    assert digest.rejected == ("line 28: a paper without a title",)


@given(st.data())
def test_a_damaged_mail_is_read_or_refused(data: st.DataObject) -> None:
    content = as_mail(MAIL).as_bytes()
    cut, at = data.draw(st.integers(0, len(content))), data.draw(st.integers(0, len(content)))
    with contextlib.suppress(DigestError):
        read(content[:cut] + data.draw(st.binary(max_size=30)) + content[at:])


@given(st.lists(st.sampled_from(MAIL.splitlines()), max_size=40))
def test_lines_in_any_order_are_read_or_refused(lines: list[str]) -> None:
    with contextlib.suppress(DigestError):
        read("\n".join(lines))
