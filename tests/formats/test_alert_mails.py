"""Mailbox files, forwarded mails, mails that are no alerts, and what an address may tell readers."""

from email import message_from_bytes, policy
from email.message import EmailMessage

import pytest
from alert_mails import BEES, OWLS, journal, mail, scholar

from bot.formats.addresses import destination
from bot.formats.registry import parse
from bot.model import ParsedDigest, RawDigest
from bot.model.errors import DigestError

TOKEN = "0a1b2c3d4e5f60718293a4b5c6d7e8f9"
TITLE = "How owls see by night, measured"
PAPER = f'<tr><td><a href="https://doi.org/10.1234/owls.1">{TITLE}</a></td></tr><tr><td>Ada Lovelace</td></tr>'
SHOP = mail("<p>Dear friend, buy owls.</p>", sender="shop@example.com", subject="Cheap owls")
SEPARATOR = b"From - Mon May 11 10:00:00 2026\nX-Mozilla-Status: 0001\nX-Mozilla-Status2: 00000000\n"


def read(content: bytes) -> tuple[ParsedDigest, ...]:
    return parse(RawDigest("alerts", "alerts.mbox", content))


def titles(digests: tuple[ParsedDigest, ...]) -> list[list[str]]:
    return [[entry.title for entry in digest.entries] for digest in digests]


@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
def test_every_mail_of_a_mailbox_file_is_a_digest_and_a_bad_one_costs_itself(line_end: bytes) -> None:
    content = b"\n\n".join(SEPARATOR + each for each in (scholar(OWLS), SHOP, journal(PAPER)))
    digests = read(content.replace(b"\n", line_end))
    assert titles(digests) == [["Owls that see by night"], [TITLE]]
    (problem,) = digests[0].rejected
    assert problem.startswith('mail 2: a mail from shop@example.com, "Cheap owls", has nothing in its HTML')


def test_a_mailbox_file_without_digests_says_how_many_mails_it_has() -> None:
    with pytest.raises(DigestError, match=r"^2 mails without a digest; the first: a mail from shop@example\.com, "):
        read(SEPARATOR + SHOP + b"\n\n" + SEPARATOR + SHOP)


def test_a_mailbox_file_of_too_many_mails_is_refused() -> None:
    with pytest.raises(DigestError, match="a mailbox of more than 1,000 mails; split it"):
        read((SEPARATOR + SHOP + b"\n\n") * 1_002)


@pytest.mark.parametrize("beginning", [b">From ada@example.org Mon May 11 10:00:00 2026\n", b"\n\n", b"\xef\xbb\xbf"])
def test_what_stands_above_the_header_of_a_saved_mail_is_skipped(beginning: bytes) -> None:
    assert titles(read(beginning + scholar(OWLS))) == [["Owls that see by night"]]


def test_a_line_of_a_mail_that_begins_with_from_separates_nothing() -> None:
    letter = journal(PAPER + "<tr><td>\n\nFrom 10:00 to 11:00\nNote: owls sleep.\n\n</td></tr>")
    assert titles(read(letter)) == [[TITLE]]
    assert titles(read(SEPARATOR + letter.replace(b"From 10:00 to 11:00\n", b"From here on\n"))) == [[TITLE]]


def forwarded(*contents: bytes) -> bytes:
    """Return a mail with others attached."""
    message = EmailMessage()
    message["From"], message["Message-ID"], message["Subject"] = "ada@example.org", "<2@example.org>", "Fwd: alerts"
    message.set_content("Please read these.\n")
    for content in contents:
        message.add_attachment(message_from_bytes(content, policy=policy.default))
    return message.as_bytes()


def test_mails_that_are_attached_to_a_mail_are_read_each_by_itself() -> None:
    digests = read(forwarded(scholar(OWLS, BEES), SHOP, journal(PAPER)))
    assert [len(digest.entries) for digest in digests] == [2, 1]
    assert digests[0].rejected[0].startswith('mail 1: a mail from shop@example.com, "Cheap owls", has nothing')


LINK = f'<p><a href="https://click.example.com/?qs={TOKEN}%d">%s</a></p>'
NAMES = "<p>Ada Lovelace, Grace Hopper</p>"


@pytest.mark.parametrize(
    "content",
    [
        LINK % (1, "Owls of porcelain, hand-made in Sussex") + LINK % (2, "Binoculars for every lover of owls"),
        f"<h2>Events</h2>{LINK}{NAMES}{LINK}{NAMES}"
        % (1, "The autumn lecture on owls and what they see", 2, "The spring lecture on barn owls and mice"),
        f"{LINK}<p>Keynotes: Ada Lovelace, Grace Hopper</p>{LINK}{NAMES}"
        % (1, "Register for the annual meeting of the society", 2, "Meet the new board of the society"),
        "<p>1. Ten ways to see an owl</p><p>By: Jane Doe</p><p>2. Where owls sleep</p><p>By: Jane Doe</p>",
        '<a href="https://www.nature.com/articles/s41586-026-01234-5">Author Correction: Owls see by night</a>' + NAMES,
    ],
)
def test_advertisements_events_news_and_corrections_are_no_papers(content: str) -> None:
    with pytest.raises(DigestError, match="has nothing in its HTML that is certainly a paper"):
        read(mail(content, sender="news@example.com", subject="News"))


@pytest.mark.parametrize(
    "text",
    [
        "Dear Ada,\n\nsee https://doi.org/10.1234/owls.5 for the figures.\n\nBest wishes,\nGrace Hopper\n",
        "Title: How owls see by night\nSpeaker: Ada Lovelace\nDate: 14 May 2026, 14:00\nAbstract: Owls see.\n",
        "Dear friend, buy owls.\n",
    ],
)
def test_a_letter_in_plain_text_is_refused_with_its_first_line(text: str) -> None:
    message = r'^a mail from a@example\.com, "Owls", has nothing in its plain text .*, ask its sender for HTML$'
    with pytest.raises(DigestError, match=message):
        read(mail(text, sender="a@example.com", subject="Owls", subtype="plain"))


def test_the_address_of_a_tracking_link_never_reaches_a_reader() -> None:
    rows = "".join(
        f'<tr><td><a href="{link}{number}">{title}</a></td></tr><tr><td>Ada Lovelace, Grace Hopper</td></tr>'
        for number, (title, link) in enumerate(
            [
                ("How owls see by night, measured", f"https://click.example.com/?qs={TOKEN}"),
                ("What owls hear by day, measured", f"https://u1.ct.sendgrid.net/ls/click?upn=u001.{TOKEN}"),
                ("Where barn owls sleep in winter", f"https://x.list-manage.com/track/click?u={TOKEN}&e={TOKEN}"),
                ("Why tawny owls turn their heads", f"https://links.example.com/f/a/{TOKEN}~~/AAQ~/Rg"),
            ]
        )
    )
    (digest,) = read(journal(rows))
    assert [entry.url for entry in digest.entries] == [None] * 4


# What a mail links to, and what of the target stays.
ADDRESSES = """
https://www.researchgate.net/publication/40_Owls            ?_sg=abc&_tp=eyJ
https://www.scopus.com/inward/record.uri?eid=2-s2.0-85      &origin=AlertEmail&md5=TOKEN
https://papers.ssrn.com/sol3/papers.cfm?abstract_id=40      &dgcid=ejournal
https://journals.plos.org/plosone/article?id=10.1371/journal.pone.0300001   &utm_source=x
https://openreview.net/forum?id=aBcDeFgHiJ                  &referrer=%5Bx%5D
https://www.tandfonline.com/doi/full/10.1080/1.2            ?ai=TOKEN&ui=x
https://www.nature.com/articles/s41586-026-01234-5          ?WT.ec_id=N
https://www.science.org/doi/full/10.1126/science.abc1234    ?et_cid=9
https://dl.acm.org/doi/10.1145/3712345.3712346              ?utm_source=x
https://ieeexplore.ieee.org/document/10812345               ?utm_source=x
https://www.sciencedirect.com/science/article/pii/S0004370226000012         ?dgcid=x
"""
WRAPPED = {
    "http://gateway.webofknowledge.com/gateway/Gateway.cgi?SrcAuth=Alerting&DestLinkType=FullRecord;KeyUT=000100000100001":
        "https://www.webofscience.com/wos/woscc/full-record/WOS:000100000100001",
    f"https://www.scholar-inbox.com/login?sha_key={TOKEN}&redirect=https%3A%2F%2Farxiv.org%2Fabs%2F2605.00002":
        "https://arxiv.org/abs/2605.00002",
    "https://click.example.org/CL0/https:%2F%2Fieeexplore.ieee.org%2Fdocument%2F10812345/1/0-1/x=4":
        "https://ieeexplore.ieee.org/document/10812345",
}  # fmt: skip
LINKS = {
    f"{address}{rest.replace('TOKEN', TOKEN)}": address for address, rest in map(str.split, ADDRESSES.split("\n")[1:-1])
}


@pytest.mark.parametrize(("link", "address"), [*LINKS.items(), *WRAPPED.items()])
def test_an_articles_address_keeps_only_what_identifies_the_article(link: str, address: str) -> None:
    article = destination(link).article
    assert article
    assert article.url == address
    assert destination(link).public_address == address


def test_personal_parameters_of_other_addresses_are_cut() -> None:
    link = f"https://repo.example.org/item?id=12&user_id=7&session={TOKEN}"
    assert destination(link).address == "https://repo.example.org/item?id=12"
