"""Alert mails of our own making, in the layouts of those that readers get."""

from email.message import EmailMessage
from urllib.parse import quote


def mail(html: str, *, sender: str, subject: str, subtype: str = "html") -> bytes:
    """Return a mail without a plain text part."""
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = sender, "me@example.org", subject
    message["Date"], message["Message-ID"] = "Thu, 22 Jan 2026 08:00:00 +0000", "<1@example.org>"
    message["MIME-Version"] = "1.0"
    message.set_content(html, subtype=subtype)
    return message.as_bytes()


def scholar_item(title: str, url: str, byline: str, snippet: str, kind: str = "", below: str = "") -> str:
    """Return one result of a Google Scholar alert."""
    redirect = f"https://scholar.google.de/scholar_url?url={quote(url, safe=':/')}&amp;hl=de&amp;sa=X&amp;d=17"
    share = f"https://scholar.google.de/scholar_share?hl=de&amp;url={url}&amp;rt={quote(title)}"
    return (
        f'<h3><span>{kind}</span> <a href="{redirect}" class="gse_alrt_title">{title}</a></h3>'
        f'<div style="color:#006621">{byline}</div><div class="gse_alrt_sni">{snippet}</div>{below}'
        f'<div><table><tr><td><a href="{share}"><img alt="Twitter" src="x.png"></a></td></tr></table></div><br>'
    )


def scholar(*items: str, subject: str = "Ada Lovelace - new citations", subtype: str = "html") -> bytes:
    """Return a Google Scholar alert."""
    links = (
        '<a href="https://scholar.google.de/scholar_alerts?view_op=list_alerts">List my alerts</a>'
        '<a href="https://scholar.google.de/scholar_alerts?view_op=cancel_alert_options&amp;alert_id=9">Cancel alert</a>'
    )
    style = "<style>.gse_alrt_title{text-decoration:none}</style>"
    html = f"<!doctype html><html><head>{style}</head><body><div>{''.join(items)}<div>{links}</div></div></body></html>"
    return mail(
        html, sender="Google Scholar Alerts <scholaralerts-noreply@google.com>", subject=subject, subtype=subtype
    )


OWLS = scholar_item(
    "Owls that see by night",
    "https://arxiv.org/pdf/2601.15305",
    "A Lovelace, G Hopper\u00a0- arXiv preprint arXiv:2601.15305, 2026",
    "We study how owls see by night, and find that the eyes of state-of-the-<br>art owls gather "
    "more light than <br>those of other birds\u00a0\u2026",
    kind="[PDF]",
)
BEES = scholar_item(
    "Bees that count to four, and what a small brain tells us about the numbers that large language models \u2026",
    "https://dl.acm.org/doi/abs/10.1145/1234567.1234568",
    "R Roe, J Doe\u2026\u00a0- Proceedings of the Conference on Bees, 2026",
    "Bees count to four in every condition that we tested \u2026",
    kind="[HTML]",
    below="<div>Cites: \u202aNumbers in nature\u202c</div>",
)

UNSUBSCRIBE = '<td><a href="https://example.org/unsubscribe?id=1">Unsubscribe from this mailing list today</a></td>'


def journal(
    rows: str, *, sender: str = "Journal of Owls <alerts@owls.example.org>", subject: str = "Owls, issue 3"
) -> bytes:
    """Return a table of contents between a menu, an advertisement and a footer."""
    menu = "".join(
        f'<td><a href="https://owls.example.org/{page}">{page} of the journal now</a></td>'
        for page in ("current-issue", "about", "submit-manuscript")
    )
    advertisement = (
        '<tr><td><a href="https://ads.example.com/click?id=8812&u=https%3A%2F%2Fbinoculars.example.com%2Fsale">'
        "Binoculars for every lover of owls, now at half price</a></td></tr>"
    )
    html = (
        "<html><head><title>Owls</title></head><body><div style='display:none'>In this issue: many owls</div>"
        f"<table><tr>{menu}</tr></table><table>{advertisement}{rows}</table><table><tr>{UNSUBSCRIBE}</tr></table></body></html>"
    )
    return mail(html, sender=sender, subject=subject)
