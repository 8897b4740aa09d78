"""Feeds in the form of PubMed's, of journals' and of OpenReview's venues, of our own making."""

from datetime import date

import pytest

from bot.digests import parse
from bot.domain import Entry, RawDigest

PUBMED = """<?xml version="1.0" encoding="utf-8"?>
<rss xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/" version="2.0">
<channel><title>owls vision</title><link>https://pubmed.ncbi.nlm.nih.gov/rss-feed/</link>
<item><title>How owls see by night</title>
<link>https://pubmed.ncbi.nlm.nih.gov/41000001/?utm_source=x</link>
<description>J Owls. 2026 Jan 20.</description>
<content:encoded><![CDATA[<div><p><b>ABSTRACT</b></p>
<p>Owls see by night. We measured how.</p></div>]]></content:encoded>
<guid isPermaLink="false">pubmed:41000001</guid><pubDate>Tue, 20 Jan 2026 06:00:00 -0500</pubDate>
<dc:creator>Ada Lovelace</dc:creator><dc:creator>Grace Hopper</dc:creator><dc:date>2026-01-20</dc:date>
<dc:identifier>pmid:41000001</dc:identifier><dc:identifier>doi:10.1234/owls.5</dc:identifier></item></channel></rss>"""

JOURNAL = """<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/"
xmlns:prism="http://prismstandard.org/namespaces/basic/2.0/">
<channel rdf:about="https://owls.example.org"><title>Journal of Owls</title><link>https://owls.example.org</link></channel>
<item rdf:about="https://owls.example.org/articles/5"><title>How owls see by night</title>
<link>https://owls.example.org/articles/5</link><description>Owls see by night. We measured how.</description>
<dc:creator>Ada Lovelace</dc:creator><dc:creator>Grace Hopper</dc:creator>
<dc:identifier>doi:10.1234/owls.5</dc:identifier><dc:date>2026-01-20</dc:date><prism:doi>10.1234/owls.5</prism:doi></item></rdf:RDF>"""

OPENREVIEW = """<?xml version="1.0" encoding="utf-8"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Owls 2026</title>
<id>https://openreview.net/group?id=Owls.org/2026</id><updated>2026-01-20T00:00:00Z</updated>
<entry><title>How owls see by night</title><id>https://openreview.net/forum?id=abcDEF1234</id>
<link href="https://openreview.net/forum?id=abcDEF1234"/><published>2026-01-20T00:00:00Z</published>
<author><name>Ada Lovelace</name></author><author><name>Grace Hopper</name></author>
<summary>Owls see by night. We measured how.</summary></entry></feed>"""


@pytest.mark.parametrize(
    ("feed", "topic", "url", "doi"),
    [
        (PUBMED, "owls vision", "https://pubmed.ncbi.nlm.nih.gov/41000001/?utm_source=x", "10.1234/owls.5"),
        (JOURNAL, "Journal of Owls", "https://owls.example.org/articles/5", "10.1234/owls.5"),
        (OPENREVIEW, "Owls 2026", "https://openreview.net/forum?id=abcDEF1234", None),
    ],
)
def test_a_publishers_feed_gives_whole_papers(feed: str, topic: str, url: str, doi: str | None) -> None:
    (digest,) = parse(RawDigest("feed", "x", feed.encode()))
    (entry,) = digest.entries
    assert (digest.topic, digest.rejected) == (topic, ())
    assert entry.abstract.endswith("Owls see by night. We measured how.")
    assert entry == Entry(
        title="How owls see by night",
        abstract=entry.abstract,
        authors=("Ada Lovelace", "Grace Hopper"),
        published=date(2026, 1, 20),
        doi=doi,
        url=url,
    )
