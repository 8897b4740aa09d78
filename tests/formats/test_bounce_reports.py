"""What a report says: failures, complaints, delays, and mails that are no reports."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.config.keys import Signer
from bot.formats import ParseLimits, Parser
from bot.formats.mail import MAX_REPORT_BYTES, parse_report
from bot.model import BounceKind, BounceReport, RawDigest
from bot.model.errors import DigestError, LimitError

TAG = Signer([b"k" * 32]).tag(17, 4)


def dsn(action="failed", status="5.1.1", to="bounces@example.org", message_id="<1@example.org>"):
    """Return a delivery status notification as Postfix writes it."""
    return f"""From: MAILER-DAEMON@mx.example.net
To: {to}
Subject: Undelivered Mail Returned to Sender
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="AAA"

--AAA
Content-Type: text/plain

I'm sorry to have to inform you.

--AAA
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.net

Final-Recipient: rfc822; ada@example.org
Action: {action}
Status: {status}
Diagnostic-Code: smtp; 550 5.1.1 no such user

--AAA
Content-Type: text/rfc822-headers

Message-ID: {message_id}
Subject: Papers

--AAA--
""".encode()


def arf(feedback="abuse", mail_from="bounces@example.org", message_id="<1@example.org>"):
    """Return a feedback report, as in the example of RFC 5965."""
    return f"""From: <abusedesk@example.com>
To: <abuse@example.net>
Subject: FW: Papers
MIME-Version: 1.0
Content-Type: multipart/report; report-type=feedback-report; boundary="BBB"

--BBB
Content-Type: text/plain

This is an email abuse report.

--BBB
Content-Type: message/feedback-report

Feedback-Type: {feedback}
User-Agent: SomeGenerator/1.0
Version: 1
Original-Mail-From: <{mail_from}>

--BBB
Content-Type: message/rfc822

From: Paperbot <paperbot@example.org>
To: ada@example.org
Message-ID: {message_id}
Subject: Papers

Owls.

--BBB--
""".encode()


def report(content: bytes) -> BounceReport:
    return parse_report(RawDigest("bounces", "INBOX/1", content))


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (dsn(), BounceKind.FAILURE),
        (dsn("delayed", "4.4.1"), BounceKind.TRANSIENT),
        (dsn("failed", "4.2.2"), BounceKind.TRANSIENT),
        (dsn("delivered", "2.0.0"), BounceKind.OTHER),
        (arf(), BounceKind.COMPLAINT),
        (arf("fraud"), BounceKind.COMPLAINT),
        (arf("not-spam"), BounceKind.OTHER),
        (b"From: ada@example.org\nSubject: On holiday\n\nBack in June.\n", BounceKind.OTHER),
    ],
)
def test_the_kind_of_a_report(content, kind):
    assert report(content).kind is kind


@pytest.mark.parametrize(
    "content",
    [
        dsn(to=f"bounces+{TAG}@example.org"),
        dsn(to=f"<Bounces+{TAG.upper()}@EXAMPLE.ORG>"),
        dsn(message_id=f"<2025-05-07.{TAG}@example.org>"),
        arf(mail_from=f"bounces+{TAG}@example.org"),
        arf(message_id=f"<2025-05-07#2.{TAG}@example.org>"),
    ],
)
def test_the_tag_is_read_from_the_address_and_from_the_message_id(content):
    assert report(content).tags == (TAG,)


def test_the_tag_of_the_reports_own_address_comes_first():
    other = Signer([b"k" * 32]).tag(18)
    content = dsn(to=f"bounces+{TAG}@example.org", message_id=f"<2025-05-07.{other}@example.org>")
    assert report(content).tags == (TAG, other)


def test_the_reason_is_in_the_words_of_the_server():
    assert report(dsn()).reason == "smtp; 550 5.1.1 no such user"
    assert report(arf()).reason == "abuse"


@given(st.binary(max_size=2_000))
def test_any_bytes_are_a_report_or_refused(content):
    with suppress(DigestError):
        assert len(report(content).tags) <= 20


@given(st.integers(0, len(dsn()) - 1), st.binary(max_size=20))
def test_a_damaged_report_is_a_report_or_refused(position, noise):
    content = dsn()
    with suppress(DigestError):
        report(content[:position] + noise + content[position + len(noise) :])


def test_a_report_that_is_too_large_is_refused():
    with pytest.raises(DigestError, match="more than the 10 MB"):
        report(b"x" * (MAX_REPORT_BYTES + 1))


@pytest.mark.parametrize(
    "content",
    [
        b"".join(b"Content-Type: multipart/mixed; boundary=%d\n\n--%d\n" % (n, n) for n in range(20_000)),
        b"Content-Type: message/rfc822\n\n" * 50_000,
        b"Content-Type: multipart/report; boundary=a\n\n" + b"--a\nContent-Type: text/plain\n\nx\n" * 100_000,
        b"To: " + b"0-" * 2_000_000 + b"\n\n",
        b"To: " + b"1-1-" + b"a" * 4_000_000 + b"\n\n",
    ],
    ids=["nested parts", "nested mails", "many parts", "half tags", "long tag"],
)
@pytest.mark.slow
def test_a_hostile_report_costs_bounded_time_in_the_parser_process(content):
    with Parser(ParseLimits(seconds=60)) as parser:
        try:
            assert parser.parse_bounce(RawDigest("bounces", "1", content)).kind is not BounceKind.FAILURE
        except LimitError:
            raise
        except DigestError:
            pass
        assert parser.parse_bounce(RawDigest("bounces", "2", dsn())).kind is BounceKind.FAILURE
