"""Alerts that come as HTML: Google Scholar, PubMed, journals; and mails that hold no paper."""

import pytest
from alert_mails import OWLS, journal, mail, scholar

from bot.formats.registry import parse
from bot.model import ParsedDigest, RawDigest
from bot.model.errors import DigestError

OPAQUE = "https://links.owls.example.org/f/a/Xy7kQw2LmN8pRtVbZc3dFg~~/AAQxQQA~/Rg"


def read(content: bytes) -> ParsedDigest:
    (digest,) = parse(RawDigest("alerts", "1.eml", content))
    assert digest.rejected == ()
    return digest


@pytest.mark.parametrize(
    ("subject", "alert"),
    [
        ("Ada Lovelace - new related research", "Ada Lovelace (new related research)"),
        ("Fwd: Ada Lovelace - neue Zitate", "Ada Lovelace (neue Zitate)"),
        ("\u201cowl vision\u201d - nouveaux résultats", "“owl vision” (nouveaux résultats)"),
        ("Ada Lovelace - 新引用", "Ada Lovelace (新引用)"),
        ("Recommended articles", "Recommended articles"),
    ],
)
def test_the_subject_names_the_alert_in_any_language(subject: str, alert: str) -> None:
    assert read(scholar(OWLS, subject=subject)).entries[0].alert == alert


def row(url: str, title: str, below: str = "Ada Lovelace, Grace Hopper &amp; Rosa Roe") -> str:
    return (
        f'<tr><td><table><tr><td><a href="{url}">{title}</a></td></tr><tr><td><i>{below}</i></td></tr>'
        f'<tr><td><a href="{url}?pdf=1">Read the full article</a> <a href="https://twitter.com/intent/tweet?url={url}">'
        "Share this article now</a></td></tr></table></td></tr>"
    )


@pytest.mark.parametrize(
    ("url", "entry_url", "doi"),
    [
        ("https://www.nature.com/articles/s41586-026-01234-5?WT.ec_id=N", None, "10.1038/s41586-026-01234-5"),
        (
            "https://www.science.org/doi/full/10.1126/science.abc1234?et_cid=9",
            None,
            "10.1126/science.abc1234",
        ),
        ("https://dl.acm.org/doi/10.1145/3712345.3712346", None, "10.1145/3712345.3712346"),
        (
            "https://click.example.org/CL0/https:%2F%2Fieeexplore.ieee.org%2Fdocument%2F10812345/1/0-1/x=4",
            "https://ieeexplore.ieee.org/document/10812345",
            None,
        ),
        (
            "https://urldefense.com/v3/__https://www.sciencedirect.com/science/article/pii/S0004370226000012?dgcid=x__;!!a!b$",
            "https://www.sciencedirect.com/science/article/pii/S0004370226000012",
            None,
        ),
        (
            "https://eur03.safelinks.protection.outlook.com/?url=https%3A%2F%2Fdoi.org%2F10.1002%2Fowl.12&data=05",
            None,
            "10.1002/owl.12",
        ),
    ],
)
def test_a_journals_table_of_contents_gives_its_articles_only(url: str, entry_url: str | None, doi: str | None) -> None:
    news = row("https://www.nature.com/articles/d41586-026-00001-2", "Why owls are in the news again", "Jane Doe")
    digest = read(journal(row(url, "How owls see by night, measured") + news))
    (entry,) = digest.entries
    assert (digest.topic, entry.title) == ("Owls, issue 3", "How owls see by night, measured")
    assert entry.authors == ("Ada Lovelace", "Grace Hopper", "Rosa Roe")
    assert entry.doi == doi
    assert entry_url is None or entry.url == entry_url


def test_a_tracking_link_without_an_address_needs_a_doi_or_names_and_siblings() -> None:
    by_doi = row(f"{OPAQUE}1", "How owls see by night, measured", "doi:10.1234/owls.5")
    (entry,) = read(journal(by_doi)).entries
    assert (entry.doi, entry.title) == ("10.1234/owls.5", "How owls see by night, measured")

    siblings = row(f"{OPAQUE}2", "What owls hear by day, measured") + row(f"{OPAQUE}3", "Where owls sleep in winter")
    assert [entry.title for entry in read(journal(siblings)).entries] == [
        "What owls hear by day, measured",
        "Where owls sleep in winter",
    ]

    with pytest.raises(DigestError, match="certainly a paper"):
        read(journal(row(f"{OPAQUE}4", "A letter from the editor of this journal", "Jane Doe")))


@pytest.mark.parametrize(
    "rows",
    [
        "",
        row("https://shop.example.com/owls/12345", "Owls of porcelain, hand-made in Sussex"),
        row("https://www.nature.com/articles/d41586-026-00001-2", "Why owls are in the news again"),
        row("https://www.science.org/content/article/owls-are-news", "Why owls are in the news again"),
        row("https://www.science.org/doi/10.1126/science.zabc123", "Why owls are in the news again"),
        row("https://www.sciencedirect.com/science/article/pii/S0004370226000013", "Editorial Board"),
        row(
            "https://ieeexplore.ieee.org/document/10812346",
            "IEEE Transactions on Owls Publication Information",
        ),
        row(f"{OPAQUE}5", "Explore our journals in the life sciences", "Biology, Medicine, Chemistry")
        + row(f"{OPAQUE}6", "Explore our journals in the physical sciences", "Physics, Optics, Chemistry"),
        row("https://dl.acm.org/toc/10.1145/tog/2026/45/1", "The whole issue of the Transactions on Owls"),
    ],
)
def test_a_mail_without_papers_names_its_sender_and_what_was_seen(rows: str) -> None:
    with pytest.raises(DigestError) as refusal:
        read(journal(rows))
    message = str(refusal.value)
    assert message.startswith('a mail from alerts@owls.example.org, "Owls, issue 3", has nothing in its HTML')
    assert "links, the first line " in message
    assert "\n" not in message


def test_a_mail_of_plain_text_that_is_not_a_digest_names_its_sender() -> None:
    content = b"From: Shop <shop@example.com>\nMessage-ID: <1@x>\nSubject: Cheap owls\n\nDear friend, buy owls.\n"
    with pytest.raises(
        DigestError,
        match=r'a mail from shop@example\.com, "Cheap owls", has nothing in its plain text that is',
    ):
        read(content)


def test_a_mail_without_any_text_names_its_sender() -> None:
    with pytest.raises(DigestError, match=r"a mail from a@example\.com, .* has no text"):
        read(mail("<html><img src='http://example.com/x.png'></html>", sender="a@example.com", subject="Owls"))
