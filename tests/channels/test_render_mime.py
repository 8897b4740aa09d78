"""The finished mail has exactly the intended headers, whatever a paper's title holds."""

from datetime import UTC, datetime
from email import policy
from email.message import EmailMessage
from typing import Any

import pytest
from hypothesis import example, given, reject
from hypothesis import strategies as st
from support import parsed

from bot.channels.email import rendering
from bot.channels.email.rendering import MailParts, mail_bytes
from bot.model.errors import DeliveryError, FailureScope
from bot.model.wording import oneline, visible

HEADERS = [
    "Subject",
    "From",
    "To",
    "Date",
    "Message-ID",
    "List-Id",
    "List-Unsubscribe",
    "List-Unsubscribe-Post",
    "Auto-Submitted",
    "MIME-Version",
    "Content-Type",
]
LONG_URL = "https://papers.example.org/unsubscribe/" + "WzEsMTdd." * 20
PARTS = MailParts("A subject", "<p>Grüße</p>", "Grüße\nFrom here on")


def compose(parts: MailParts = PARTS, **changes: Any) -> bytes:
    defaults = {
        "sender": "Paperbot <paperbot@example.org>",
        "recipient": "ada@example.org",
        "unsubscribe_url": LONG_URL,
        "list_id": "Reward models <reward-models.example.org>",
        "message_id": "<7.3.mail.1@example.org>",
        "date": datetime(2025, 5, 6, 6, tzinfo=UTC),
    }
    return mail_bytes(parts, **(defaults | changes))


def defects(mail: EmailMessage) -> list[object]:
    in_headers = [defect for part in mail.walk() for value in part.values() for defect in value.defects]
    return in_headers + [defect for part in mail.walk() for defect in part.defects]


def test_a_mail_has_exactly_these_headers_and_no_defect():
    mail = parsed(compose())
    assert mail.keys() == HEADERS
    assert defects(mail) == []
    assert mail["Auto-Submitted"] == "auto-generated"
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert mail["Message-ID"] == "<7.3.mail.1@example.org>"
    assert mail["Date"].datetime == datetime(2025, 5, 6, 6, tzinfo=UTC)


def test_the_text_part_comes_first_and_both_parts_are_7_bit():
    content = compose()
    mail = parsed(content)
    assert content.isascii()
    assert [part.get_content_type() for part in mail.walk()] == ["multipart/alternative", "text/plain", "text/html"]
    text, html = mail.iter_parts()
    assert text.get_content().splitlines() == ["Grüße", "From here on"]
    assert html.get_content().strip() == "<p>Grüße</p>"
    assert max(len(line) for line in content.splitlines()) <= 998


def test_a_long_unsubscribe_url_is_written_on_one_line_unencoded():
    assert f"\r\nList-Unsubscribe: <{LONG_URL}>\r\n".encode() in compose()


@pytest.mark.parametrize(
    ("title", "line"),
    [
        ("Reward models", b'List-Id: "Reward models" <reward-models.example.org>'),
        ('A "quoted\\" one', b'List-Id: "A quoted one" <reward-models.example.org>'),
        ("Grüße", b"List-Id: =?utf-8?b?R3LDvMOfZQ==?= <reward-models.example.org>"),
    ],
)
def test_the_list_id_keeps_its_identifier_whatever_the_title(title, line):
    assert line in compose(list_id=f"{title} <reward-models.example.org>").splitlines()


def test_a_long_title_is_split_into_encoded_words_of_legal_length():
    line = next(line for line in compose(list_id=f"{'größer ' * 30}<a.b>").splitlines() if line.startswith(b"List-Id"))
    *words, identifier = line.split()[1:]
    assert identifier == b"<a.b>"
    assert len(words) > 1
    assert all(word.startswith(b"=?utf-8?") and len(word) <= 75 for word in words)


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        ("=?utf-8?q?a=0d=0aBcc:_x@y?=", "=\u200b?utf-8?q?a=0d=0aBcc:_x@y?="),
        ("a\r\nBcc: x@y\r\n\r\nbody", "a Bcc: x@y body"),
        ("a\u2028Bcc: x@y\x00", "a Bcc: x@y"),
        ("\u202egnp.exe", "gnp.exe"),
        ("lone \ud800", "lone ?"),
        ("x" * 300, "x" * 300),
        ("", ""),
    ],
)
def test_a_hostile_subject_injects_no_header(subject, expected):
    mail = parsed(compose(MailParts(subject, "<p>", "text")))
    assert mail["Subject"] == expected
    assert mail.keys() == HEADERS
    assert defects(mail) == []


@given(st.lists(st.text(st.sampled_from("ab…ä北😀.,:=?_ "), max_size=40), max_size=6).map(" ".join))
@example("CUMS-exposed animals exhibited behavioral alteration like anxiety…")
@example("Glur1 double phosphomutant mice spent significantly more time + 4 more")
def test_a_subject_arrives_as_it_is(subject):
    expected = oneline(subject).replace("=?", "=\u200b?")
    assert parsed(compose(MailParts(subject, "<p>", "text")))["Subject"] == expected


def test_a_hostile_display_name_injects_no_header():
    mail = parsed(compose(sender='"=?utf-8?q?a=0d=0aBcc:_x@y?=" <paperbot@example.org>'))
    assert mail.keys() == HEADERS
    assert mail["From"].addresses[0].addr_spec == "paperbot@example.org"


@given(st.text(st.characters(exclude_categories=()), max_size=200))
def test_any_text_gives_a_mail_with_the_same_headers(text):
    mail = parsed(compose(MailParts(text, text, text)))
    assert mail.keys() == HEADERS
    assert [part.get_content_type() for part in mail.walk()] == ["multipart/alternative", "text/plain", "text/html"]


@pytest.mark.parametrize(
    "recipient",
    [
        "",
        "ada",
        "a@x.org,b@x.org",
        "Ada <a@x.org>",
        "a@x.org\r\nBcc: b@x.org",
        "ä@x.org",
        "a@x.org b@x.org",
        "\ud800@x",
    ],
)
def test_a_malformed_recipient_is_a_permanent_failure_of_the_reader(recipient):
    with pytest.raises(DeliveryError) as caught:
        compose(recipient=recipient)
    assert caught.value.permanent
    assert caught.value.scope is FailureScope.READER


@pytest.mark.parametrize(
    "changes",
    [
        {"unsubscribe_url": "https://example.org/\r\nBcc: x@y"},
        {"unsubscribe_url": "https://example.org/ü"},
        {"unsubscribe_url": "https://example.org/" + "u" * 1000},
        {"message_id": "<a\n@b>"},
        {"list_id": "Title <slug.hoßt>"},
    ],
)
def test_a_value_that_cannot_be_a_header_is_refused(changes):
    with pytest.raises(DeliveryError) as caught:
        compose(**changes)
    assert caught.value.permanent
    assert caught.value.scope is FailureScope.MESSAGE


@pytest.mark.parametrize(
    "line",
    [
        "Subject: a\r\nBcc: x@y",
        "Subject: a\r\n\r\nbody",
        "Subject: a\r\n \r\nBcc: x@y",
        "Subject: a\nBcc: x@y",
        "Subject: a\rBcc: x@y",
        "Subject: \x00",
        "Subject: ü",
        "Subject: " + "x" * 999,
        "Bcc: x@y",
        "",
    ],
)
def test_a_folded_header_that_holds_anything_else_is_refused(line):
    with pytest.raises(DeliveryError) as caught:
        rendering._verify_header("Subject", line)
    assert caught.value.permanent
    assert caught.value.scope is FailureScope.MESSAGE


@pytest.mark.parametrize("line", ["Subject: a", "Subject: a\r\n b", "Subject:", "Subject: "])
def test_a_folded_header_on_its_own_is_accepted(line):
    rendering._verify_header("Subject", line)


LINES = st.text(st.sampled_from("a=-_. \tü€\r\n"), max_size=200) | st.text(max_size=200)


@given(text=LINES, html=LINES)
@example(text=".\n..\nFrom x\n--=_\n", html="--=_0123456789abcdef\r\n--\n")
@example(text="x" * 2_000, html=" \n\t\n= \n")
def test_any_text_arrives_as_it_is_in_short_lines(text, html):
    content = compose(MailParts("s", html, text))
    assert content.isascii()
    assert max(len(line) for line in content.partition(b"\r\n\r\n")[2].split(b"\r\n")) <= 76
    assert b"\r" not in content.replace(b"\r\n", b"")
    assert b"\n" not in content.replace(b"\r\n", b"")
    mail = parsed(content)
    assert defects(mail) == []
    for part, sent in zip(mail.iter_parts(), (text, html), strict=True):
        lines = visible(sent).encode().splitlines()
        assert part.get_payload(decode=True).splitlines() == lines


@given(st.text(max_size=100), st.sampled_from(["Subject", "From"]))
def test_a_header_is_folded_as_the_email_package_folds_it(value, name):
    """Compared with the package's own mail, which is slower by far."""
    mail = EmailMessage(policy=policy.SMTP)
    try:
        mail[name] = oneline(value).replace("=?", "=\u200b?")
        expected = mail.as_bytes().removesuffix(b"\r\n\r\n").decode()
    except Exception:
        reject()
    try:
        folded = rendering._folded(name, value)
    except DeliveryError:
        assert name == "From"  # the package breaks some lists of names within a word; such a header is refused
        return
    assert folded == expected


def test_an_operator_notice_is_plain_text_without_injected_headers():
    content = rendering.notice_bytes(
        "Paperbot needs you: =?utf-8?q?a=0d=0aBcc:_x@y?=",
        "email: 535 größer\n",
        sender="Paperbot <bot@example.org>",
        recipient="op@example.org",
        message_id="<notice-1@example.org>",
        date=datetime(2025, 5, 6, 8, tzinfo=UTC),
    )
    mail = parsed(content)
    assert mail["To"] == "op@example.org"
    assert mail["Bcc"] is None
    assert mail.get_content() == "email: 535 größer\r\n"
    assert not mail.defects
