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


def test_a_tracking_link_without_an_address_needs_a_doi_or_names_and_siblings() -> None:
    by_doi = row(f"{OPAQUE}1", "How owls see by night, measured", "doi:10.1234/owls.5")
    (entry,) = read(journal(by_doi)).entries
    assert (entry.doi, entry.title) == ("10.1234/owls.5", "How owls see by night, measured")

    titles = ["What owls hear by day, measured", "Where owls sleep in winter"]
    siblings = "".join(row(f"{OPAQUE}{number}", title) for number, title in enumerate(titles, 2))
    assert [entry.title for entry in read(journal(siblings)).entries] == titles

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
        row("https://ieeexplore.ieee.org/document/10812346", "IEEE Transactions on Owls Publication Information"),
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


def test_a_mail_without_any_text_names_its_sender() -> None:
    with pytest.raises(DigestError, match=r"a mail from a@example\.com, .* has no text"):
        read(mail("<html><img src='http://example.com/x.png'></html>", sender="a@example.com", subject="Owls"))
