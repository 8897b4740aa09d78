"""Mails of journals, PubMed and Google Scholar in many layouts: their papers are read, and nothing else is."""

from base64 import urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote

from alert_mails import mail, scholar_item
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.formats.registry import parse
from bot.model import Entry, RawDigest
from bot.model.errors import DigestError

TITLES = (
    "How owls see by night, measured in forty birds",
    "Bees that count to four: evidence from a maze",
    "A map of every nest in the north of Sussex",
    "Do crows plan ahead? A replication with 200 crows",
    "Learning to sing from recordings alone",
    "View-invariant faces in the brain of the macaque",
)
NAMES = ("Ada Lovelace", "Grace Hopper", "Rosa M. van der Berg", "Çağla Öz", "Li Wei", "José García-López")


@dataclass(frozen=True)
class Paper:
    number: int
    title: str
    names: tuple[str, ...]

    @property
    def doi(self) -> str:
        return f"10.1234/owls.{self.number}"


def token(number: int) -> str:
    return f"Xy7kQw2LmN8pRtVbZc3dFg{number}~~"


def article(paper: Paper) -> str:
    return f"https://www.owls.example.org/doi/full/{paper.doi}?utm_campaign=toc"


# Ways to an article; the last two need the DOI or the names beside the title.
TRACKERS: dict[str, Callable[[Paper], str]] = {
    "direct": article,
    "Amazon": lambda paper: f"https://click.example.org/CL0/{quote(article(paper), safe='')}/1/0100-000000/x=4",
    "Outlook": lambda paper: (
        f"https://eur03.safelinks.protection.outlook.com/?url={quote(article(paper), safe='')}&amp;data=05"
    ),
    "Proofpoint": lambda paper: f"https://urldefense.com/v3/__{article(paper)}__;!!a!b$",
    "Google": lambda paper: f"https://www.google.com/url?q={quote(article(paper), safe='')}&amp;sa=D",
    "base64": lambda paper: (
        "https://links.example.org/?_X_="
        + urlsafe_b64encode(f"c=1&target={quote(article(paper), safe='')}".encode()).decode().rstrip("=")
    ),
    "opaque, with a DOI": lambda paper: f"https://links.example.org/f/a/{token(paper.number)}/Rg",
    "opaque, with names": lambda paper: f"https://click.example.org/?qs={'0a1b2c3d' * 5}{paper.number}",
}
TITLE_MARKUP = (
    '<a href="{url}">{title}</a>',
    '<a href="{url}" style="mso-hide:all"><span style="font-size:18px"><b>{title}</b></span></a>',
    '<h2 class="x"><a href="{url}">{title}</a></h2>',
    '<a href="{url}"><h3>{title}</h3></a>',
    '<a href="{url}"><img src="cover.png" alt=""></a><p><a href="{url}">{title}</a></p>',
    '<strong>1.</strong> <a href="{url}">{title}</a>',
    '<a href="{url}">{first}<br>{rest}</a>',
)
BETWEEN = ("", "<p>Research Article</p>", "<div>20 January 2026</div>", "<p><i>Journal of Owls</i>, Volume 12</p>")
LABELS = (
    "",
    '<p><a href="{url}">Abstract</a> | <a href="{url}">PDF</a></p>',
    '<a href="{url}">Read the full article</a> <a href="https://twitter.com/intent/tweet?url=x">Tweet</a>',
    '<a href="{url}">View this article on the publisher\'s site</a>',
    "<!--[if mso]><v:roundrect href='{url}'>Read the paper that everybody talks about</v:roundrect><![endif]-->",
)
LAYOUTS = (
    "<tr><td>{title}</td></tr><tr><td>{between}<i>{names}</i>{doi}{labels}</td></tr>",
    "<div class='item'>{title}<div>{between}</div><div>{names}</div>{doi}{labels}</div>",
    "<li>{title}<br>{names}<br>{between}{doi}{labels}</li>",
    "<table><tr><td><table><tr><td>{title}</td></tr></table></td></tr><tr><td><p>{names}</p>{between}{doi}{labels}</td></tr></table>",
    "<p>{title}</p><p>{names}</p>{between}{doi}{labels}<hr>",
    "<!--[if mso]><table><tr><td width='600'><![endif]--><div>{title}<p>By {names}</p>{doi}{between}{labels}</div><!--[if mso]></td></tr></table><![endif]-->",
)
WRAPPERS = (
    "{body}",
    "<center><table width='600'><tbody><tr><td>{body}</td></tr></tbody></table></center>",
    "<div class='gmail_quote'>---------- Forwarded message ---------<br>{body}</div>",
    "<![if !mso]><div>{body}</div><![endif]>",
    "<table role='presentation'><tr><td style='font-size:0px'><div style='font-size:13px'>{body}</div></td></tr></table>",
)
NOISE = (
    '<div style="display:none;max-height:0">In this issue: <a href="https://doi.org/10.1234/hidden">a paper that is hidden from all</a></div>',
    '<div hidden><a href="https://doi.org/10.1234/hidden">A paper that is hidden from all readers</a></div>',
    '<table><tr><td><a href="https://owls.example.org/current">See the current issue of the journal</a></td>'
    '<td><a href="https://owls.example.org/about">About this journal and its editors</a></td></tr></table>',
    '<div><a href="https://ads.example.com/click?u=https%3A%2F%2Fshop.example.com%2Fsale">Binoculars for every lover of owls, now at half price</a></div>',
    f'<table><tr><td><a href="https://links.example.org/f/a/{token(90)}/Rg">A grant for young researchers in ornithology</a></td></tr></table>',
    "<div>Upcoming webinars</div>"
    + "".join(
        f'<p><a href="https://links.example.org/f/a/{token(number)}/Rg">{title}</a></p><p>Jane Doe, John Roe</p><p>Register now</p>'
        for number, title in ((91, "How to publish in our journals, live"), (92, "Ask our editors anything today"))
    ),
    '<h2><a href="https://www.nature.com/articles/d41586-026-00001-2">Why owls are in the news again this week</a></h2><p>Jane Doe, John Roe</p>',
    '<p><a href="https://www.science.org/content/article/owls-are-news">Owls are back in town, and here is why</a></p>',
    '<p><a href="https://news.example.org/2026/01/20/why-owls-are-in-the-news-again-2026">Why owls are in the news again</a></p><p>Jane Doe, John Roe</p>'
    '<p><a href="https://news.example.org/2026/01/21/what-bees-did-next-in-spring-2026">What bees did next in spring</a></p><p>Jane Doe, John Roe</p>',
    '<p><a href="https://twitter.com/intent/tweet?url=https%3A%2F%2Fdoi.org%2F10.1234%2Fowls.1">Share this exciting issue on Twitter</a></p>',
    '<p><a href="https://owls.example.org/toc/owls/12/3">The whole issue of the Journal of Owls</a> '
    '<a href="mailto:editor@owls.example.org">editor@owls.example.org</a></p>',
    '<p>You get this mail because you asked for it. <a href="https://example.org/u?id=0a1b2c3d0a1b2c3d0a1b">Unsubscribe from this list</a></p>',
)

papers = st.lists(
    st.tuples(st.sampled_from(TITLES), st.lists(st.sampled_from(NAMES), min_size=2, max_size=4, unique=True)),
    min_size=2,
    max_size=4,
    unique_by=lambda paper: paper[0],
).map(lambda drawn: [Paper(n, title, tuple(names)) for n, (title, names) in enumerate(drawn, 1)])
noise = st.lists(st.sampled_from(NOISE), max_size=4)


def read(html: str) -> tuple[Entry, ...]:
    content = mail(html, sender="alerts@owls.example.org", subject="Owls, issue 3")
    (digest,) = parse(RawDigest("alerts", "1.eml", content))
    assert digest.rejected == ()
    return digest.entries


@dataclass(frozen=True)
class Surroundings:
    """What a mail has around its papers."""

    wrapper: str
    before: list[str]
    after: list[str]

    def read(self, papers: str) -> tuple[Entry, ...]:
        return read("".join(self.before) + self.wrapper.format(body=papers) + "".join(self.after))


surroundings = st.builds(Surroundings, st.sampled_from(WRAPPERS), noise, noise)


@given(
    papers,
    st.sampled_from(sorted(TRACKERS)),
    *(st.sampled_from(choices) for choices in (TITLE_MARKUP, BETWEEN, LABELS, LAYOUTS)),
    surroundings,
)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_journals_papers_are_read_in_every_layout_and_nothing_else_is(
    papers: list[Paper], tracker: str, title: str, between: str, labels: str, layout: str, around: Surroundings
) -> None:
    items = []
    for paper in papers:
        url = TRACKERS[tracker](paper)
        first, _, rest = paper.title.partition(" ")
        items.append(
            layout.format(
                title=title.format(url=url, title=paper.title, first=first, rest=rest),
                between=between,
                names=", ".join(paper.names),
                doi=f"<p>doi:{paper.doi}</p>" if tracker == "opaque, with a DOI" else "",
                labels=labels.format(url=url),
            )
        )
    entries = around.read(f"<table>{''.join(items)}</table>" if layout.startswith("<tr>") else "".join(items))
    assert [(entry.title, entry.authors) for entry in entries] == [(paper.title, paper.names) for paper in papers]
    if tracker != "opaque, with names":
        assert [entry.doi for entry in entries] == [paper.doi for paper in papers]


@given(
    papers,
    st.sampled_from(sorted(TRACKERS)[:-2]),
    st.sampled_from(["Abstract", "Read More", "Full Text"]),
    surroundings,
)
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_title_without_a_link_is_read_where_a_label_below_its_authors_leads_to_the_article(
    papers: list[Paper], tracker: str, label: str, around: Surroundings
) -> None:
    items = "".join(
        f"<p><b>{paper.title}</b></p><p>By {', '.join(paper.names)}</p><p>20 January 2026</p>"
        f'<p><a href="{TRACKERS[tracker](paper)}">{label}</a></p>'
        for paper in papers
    )
    entries = around.read(items)
    facts = [(paper.title, paper.names, paper.doi) for paper in papers]
    assert [(entry.title, entry.authors, entry.doi) for entry in entries] == facts


@given(st.lists(st.sampled_from(NOISE), min_size=1, unique=True), st.sampled_from(WRAPPERS))
@settings(max_examples=50, deadline=None)
def test_menus_news_and_advertisements_alone_are_not_a_digest(blocks: list[str], wrapper: str) -> None:
    try:
        entries = read(wrapper.format(body="".join(blocks)))
    except DigestError:
        return
    raise AssertionError(f"read as papers: {[entry.title for entry in entries]}")


@given(papers, st.sampled_from(["", "x_", "m_-4711"]), surroundings)
@settings(max_examples=50, deadline=None)
def test_pubmeds_articles_are_read_in_forwarded_mails_too(
    papers: list[Paper], prefix: str, around: Surroundings
) -> None:
    items = "".join(
        f'<table><tr><td>{paper.number}.</td><td><a class="{prefix}docsum-title" ref="article_id=4100000{paper.number}"'
        f' href="https://pubmed.ncbi.nlm.nih.gov/4100000{paper.number}/?utm_source=x">{paper.title}.</a><br>'
        f'<span class="{prefix}docsum-authors full-authors">{", ".join(paper.names)}.</span><br>'
        f'<span class="{prefix}docsum-journal-citation">J Owls. 2026 Jan 20:12(3):4-5. doi: {paper.doi}.</span> '
        f"<span>PMID: 4100000{paper.number}</span></td></tr></table>"
        for paper in papers
    )
    entries = around.read(items)
    assert [(entry.title, entry.doi) for entry in entries] == [(paper.title, paper.doi) for paper in papers]


@given(
    papers,
    st.sampled_from(["gse_alrt_title", "x_gse_alrt_title", "m_-4711gse_alrt_title", ""]),
    st.sampled_from(["", "[PDF]", "[HTML][B]", "[KITAP]"]),
    surroundings,
)
@settings(max_examples=50, deadline=None)
def test_google_scholars_papers_are_read_in_forwarded_mails_too(
    papers: list[Paper], css_class: str, kind: str, around: Surroundings
) -> None:
    items = "".join(
        scholar_item(
            paper.title,
            f"https://doi.org/{paper.doi}",
            f"{', '.join(paper.names)} - Journal of Owls, 2026",
            "Owls see by night, we find, and <br>not by day …",
            kind,
        ).replace("gse_alrt_title", css_class)
        for paper in papers
    )
    entries = around.read(items)
    facts = [(paper.title, paper.names, paper.doi) for paper in papers]
    assert [(entry.title, entry.authors, entry.doi) for entry in entries] == facts
