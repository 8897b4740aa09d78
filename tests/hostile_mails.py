"""HTML mails that are made to cost time; each is one problem, or its papers."""

from collections.abc import Callable

from alert_mails import mail

LINK = '<a href="https://links.example.org/f/a/Xy7kQw2LmN8pRtVbZc3dFg{n}">Owls that see by night, part {n}</a> '


def hostile(html: str) -> bytes:
    """Return a mail of a stranger."""
    return mail(html, sender="stranger@example.com", subject="Owls")


def links(size: int, separator: str = "") -> str:
    """Return links of so many bytes."""
    return "".join(LINK.format(n=n) + separator for n in range(size // len(LINK)))


# Made when they are used: they are large, and each process of the tests imports this.
HOSTILE_MAILS: dict[str, Callable[[], bytes]] = {
    "tables nested 10,000 deep": lambda: hostile("<table><tr><td>" * 10_000 + "Owls" + "</td></tr></table>" * 10_000),
    "tables nested 10,000 deep, with links": lambda: hostile(
        "".join(f"<table><tr><td>{LINK.format(n=n)}" for n in range(10_000))
    ),
    "5 MB of links": lambda: hostile(links(5_000_000)),
    "5 MB of links, each with names": lambda: hostile(links(5_000_000, "<p>Ada Lovelace, Grace Hopper</p>")),
    "5 MB in 90,000 tags": lambda: hostile(
        "".join(
            f'<p><a href="https://example.org/{"x" * 149}?url=http%3A%2F%2Fb.example.org%2F{n}">Owls {n} sleep</a></p>'
            for n in range(20_000)
        )
    ),
    "a link of 5 MB": lambda: hostile(f'<a href="https://example.org/?{"u=http://a&" * 500_000}">Owls by night</a>'),
    "addresses in base64": lambda: hostile(
        "".join(f'<p><a href="https://example.org/{"aHR0c" * 350}/{n}">Owls {n} by night</a></p>' for n in range(2_500))
    ),
    "titles above labels": lambda: hostile(
        "".join(
            f'<p>How owls see by night {n}</p><p>Ada Lovelace, Grace Hopper</p><p><a href="https://doi.org/10.1234/{n}">PDF</a></p>'
            for n in range(5_000)
        )
    ),
    "broken encodings": lambda: mail("<p>Owls</p>", sender="stranger@example.com", subject="Owls").replace(
        b"<p>Owls</p>", b"\xff\xfe&#x110000;\xed\xb2\x80<p>\x00\xc3" * 250_000
    ),
    "accents": lambda: hostile("<p>e" + "\u0301\u0327" * 500_000 + "</p>"),
    "comments without ends": lambda: hostile("<!--[if mso]>" * 90_000),
    "attributes without ends": lambda: hostile('<a href="' * 90_000),
}
