"""What a paper may have at most, in whatever format it comes."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from bot.formats.format import within_limits
from bot.formats.mail import read_mail
from bot.formats.names import author_names, without_affiliations
from bot.formats.registry import parse
from bot.model import Entry, ParsedDigest, RawDigest, limits
from bot.model.errors import DigestError

MAIL = b"From: a@example.org\nReceived: x\nMIME-Version: 1.0\n"
KEYWORD = b"Owls - 2025-05-06\n\nOwls by Night\n\nAuthors: Ada Lovelace\nDate: 2025-05-05\n\nOwls see.\n"


def read(content: bytes) -> ParsedDigest:
    (digest,) = parse(RawDigest("test", "x", content))
    return digest


# An arXiv id has a pattern of its own.
TEXTS = [field.name for field in fields(Entry) if field.type == "str | None" and field.name != "arxiv_id"]


@pytest.mark.parametrize("name", TEXTS)
def test_no_text_of_a_paper_is_unlimited(name: str) -> None:
    entry = within_limits(replace(Entry("Owls"), **{name: "x" * 1_000_000}))
    assert isinstance(entry, Entry)
    assert len(getattr(entry, name) or "") <= limits.URL


def test_names_are_cut_and_addresses_that_are_too_long_are_left_out() -> None:
    long = "https://example.org/" + "a" * limits.URL
    entry = within_limits(
        Entry(title="Owls", authors=("a" * 300,), url=long, doi=f"10.1000/{'a' * 300}", organisation="o" * 300)
    )
    assert isinstance(entry, Entry)
    assert (entry.authors, entry.url, entry.doi) == (("a" * limits.AUTHOR,), None, None)
    assert entry.organisation == "o" * limits.ORGANISATION
    short = Entry(title="Owls", authors=("Ada",), url="https://example.org/", doi="10.1000/x", categories=("cs.AI",))
    assert within_limits(short) == short


def test_a_paper_with_too_many_authors_is_refused_with_the_reason() -> None:
    listed = b", ".join(b"A%d" % n for n in range(limits.AUTHORS + 1))
    digest = read(KEYWORD.replace(b"Ada Lovelace", listed))
    assert digest.rejected == ('"Owls by Night" has more than the 5,000 authors that a paper may have',)
    fitting = read(KEYWORD.replace(b"Ada Lovelace", listed.rpartition(b",")[0]))
    assert len(fitting.entries[0].authors) == limits.AUTHORS


def test_the_first_problems_are_listed_and_the_others_counted() -> None:
    items = b"<item><title></title><description>Owls.</description></item>" * (limits.REJECTED + 5)
    digest = read(b"<rss version='2.0'><channel>" + items + b"</channel></rss>")
    assert len(digest.rejected) == limits.REJECTED + 1
    assert digest.rejected[-1] == "5 more like these"


@pytest.mark.parametrize(
    ("authors", "plain"),
    [
        ("A (1 and 2), B ((1) Lab (2) There), C", "A , B , C"),
        ("A ((b), C", "A (, C"),
        ("A), B (c", "A), B (c"),
        ("(((a)))", ""),
    ],
)
def test_affiliations_are_removed_with_nested_parentheses(authors: str, plain: str) -> None:
    assert without_affiliations(authors) == plain


def test_names_stop_at_one_more_than_a_paper_may_have() -> None:
    assert len(author_names("a," * 20_000)) == limits.AUTHORS + 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"Content-Type: multipart/mixed; boundary=a\n\n" + b"--a\n\nx\n" * 101 + b"--a--\n", "more than 100 parts"),
        (
            b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(30)),
            "more than 20 parts that have parts",
        ),
        (b"\n" + b"x\n" * 200_001, "more than 200,000 lines"),
    ],
)
def test_mails_of_too_many_parts_are_refused_with_the_reason(content: bytes, message: str) -> None:
    with pytest.raises(DigestError, match=message):
        parse(RawDigest("test", "x", MAIL + content))


def test_a_mail_of_many_parts_is_read() -> None:
    body = b"--a\n\n" + KEYWORD + b"--a\nContent-Type: text/html\n\nx\n" * 97 + b"--a--\n"
    assert read(MAIL + b"Content-Type: multipart/mixed; boundary=a\n\n" + body).entries[0].title == "Owls by Night"


@pytest.mark.parametrize(
    "charset",
    [
        *(b"punycode", b"idna", b"undefined", b"rot13", b"x" * 100),
        *(b"unicode_escape", b"raw-unicode-escape", b"Unicode-Escape", b"charmap", b"palmos"),
    ],
)
def test_a_mail_without_a_valid_character_set_is_read_by_detection(charset: bytes) -> None:
    mail = MAIL + b"Content-Type: text/plain; charset=" + charset + b"\n\n" + KEYWORD
    assert read(mail).entries[0].title == "Owls by Night"


def test_the_subject_of_a_mail_is_decoded_by_character_sets_alone() -> None:
    def subject(encoded: bytes) -> str:
        return read_mail(b"From: a@example.org\nSubject: " + encoded + b"\n\n" + KEYWORD)[0].subject

    assert subject(b"=?iso-8859-1?q?K=E4uze?=") == "Käuze"
    assert subject(rb"=?unicode_escape?q?=5Cu004fwls?=") == "=?unicode_escape?q?=5Cu004fwls?="
