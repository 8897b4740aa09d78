"""``paperbot sources``, and the settings of sources."""

import tomllib
from pathlib import Path
from xml.sax.saxutils import unescape

import pytest
from servers import Page, Web
from support import digest

OPML = """<?xml version="1.0"?><opml version="2.0"><head><title>Mine</title></head><body>
<outline text="Birds"><outline type="rss" text="Owls &amp; Co" xmlUrl="https://owls.example.org/feed"/>
<outline type="rss" text="Owls &amp; Co" xmlUrl="https://owls.example.org/other?a=1&amp;b=2"/></outline>
<outline type="rss" xmlUrl="http://bees.example.org/feed"/><outline text="x" xmlUrl="javascript:alert(1)"/>
</body></opml>"""


@pytest.fixture
def settings(home: Path) -> Path:
    for path in home.glob("samples/*"):
        path.unlink()
    return home / "paperbot.toml"


def test_sources_are_listed_with_their_health(settings: Path, web: Web, paperbot) -> None:
    settings.write_text(
        f'[[sources]]\nname = "blog"\nkind = "feed"\nurl = "{web.url}/gone"\n'
        '[[sources]]\nname = "seeds"\nkind = "folder"\npath = "seeds"\n[fetch]\nprivate_hosts = ["127.0.0.1"]\n'
    )
    (settings.parent / "seeds" / "day.txt").write_text(digest("Owls"))
    ingest = paperbot("ingest", "--json")
    assert ingest.code == 1
    assert ingest.json["problems"] == [{"source": "blog", "problem": f"{web.url}/gone: 404 Not Found"}]
    listed = paperbot("sources", "--json")
    assert listed.code == 1
    blog, seeds = listed.json["sources"]
    assert (blog["kind"], blog["health"], blog["detail"]) == ("feed", "failing", f"{web.url}/gone: 404 Not Found")
    assert (seeds["kind"], seeds["health"], seeds["papers"]) == ("folder", "ok", 1)
    assert "failing" in paperbot("sources").out
    assert "blog: failing: " in paperbot("status").err


def test_an_address_that_is_not_public_is_refused_unless_allowed(settings: Path, web: Web, paperbot) -> None:
    settings.write_text(f'[[sources]]\nname = "blog"\nkind = "feed"\nurl = "{web.url}/feed"\n')
    (problem,) = paperbot("ingest", "--json").json["problems"]
    assert "not a public address" in problem["problem"]
    assert web.requests == []


def test_a_source_is_tested_without_storing_anything(settings: Path, web: Web, paperbot) -> None:
    items = "".join(f"<item><title>Owl {n}</title></item>" for n in range(7)) + "<item/>"
    web.pages["/feed"] = Page(f"<rss version='2.0'><channel><title>Owls</title>{items}</channel></rss>".encode())
    web.pages["/page"] = Page(b"<html>Welcome")
    settings.write_text(
        "".join(
            f'[[sources]]\nname = "{name}"\nkind = "feed"\nurl = "{web.url}/{name}"\n'
            for name in ("feed", "page", "gone")
        )
        + '[fetch]\nprivate_hosts = ["127.0.0.1"]\n'
    )
    tried = paperbot("sources", "test", "feed")
    assert tried.code == 0
    assert "feed, Owls, no date\n  7 papers, 1 rejected" in tried.out
    assert "- Owl 4 (no link)\n  ... and 2 more" in tried.out
    assert "item 8: a paper without a title" in tried.err
    assert paperbot("status", "--json").json["papers"] == 0
    assert "an HTML page" in paperbot("sources", "test", "page").err
    assert "404 Not Found" in paperbot("sources", "test", "gone").err
    assert paperbot("check").code == 0
    checked = paperbot("check", "--connect")
    assert "gone: 404 Not Found" in checked.err.replace(web.url, "").replace("/", "")
    unknown = paperbot("sources", "test", "nobody")
    assert (unknown.code, "no source 'nobody'; known sources: feed, page, gone" in unknown.err) == (2, True)


def test_the_feeds_of_a_feed_reader_are_added_once(settings: Path, paperbot) -> None:
    before = settings.read_text()
    opml = settings.parent / "feeds.opml"
    opml.write_text(OPML)
    added = paperbot("sources", "import", opml)
    assert added.out.splitlines()[:3] == ["added owls-co", "added owls-co-2", "added bees-example-org"]
    assert settings.read_text().startswith(before.rstrip())
    assert 'url = "https://owls.example.org/other?a=1&b=2"' in settings.read_text()
    names = [source["name"] for source in paperbot("sources", "--json").json["sources"]]
    assert names == ["seeds", "owls-co", "owls-co-2", "bees-example-org", "samples"]
    assert paperbot("sources", "import", opml).out.startswith("0 feeds added")


def test_a_feed_with_a_password_costs_itself_alone(settings: Path, paperbot) -> None:
    opml = settings.parent / "feeds.opml"
    outlines = ("https://a.example/x", "https://ada:secret@b.example/y", "feed://c.example/z")
    lines = "\n".join(f'<outline text="Feed {n}" xmlUrl="{url}"/>' for n, url in enumerate(outlines, 1))
    opml.write_text(f'<opml version="2.0"><body>\n{lines}\n</body></opml>')
    added = paperbot("sources", "import", opml)
    assert (added.code, added.out.splitlines()[:2]) == (1, ["added feed-1", "added feed-3"])
    assert 'feeds.opml: line 3: "Feed 2": passwords don\'t belong in addresses' in added.err
    assert "secret" not in added.err + settings.read_text()
    assert 'url = "https://c.example/z"' in settings.read_text()


def test_the_settings_file_keeps_its_mode_and_its_line_ends(settings: Path, paperbot) -> None:
    settings.write_bytes(settings.read_bytes().replace(b"\n", b"\r\n"))
    settings.chmod(0o600)
    before = settings.read_bytes()
    (settings.parent / "feeds.opml").write_text(OPML)
    imported = paperbot("sources", "import", settings.parent / "feeds.opml")
    assert (imported.code, imported.err.count("feeds.opml: line 4")) == (1, 1)  # an address that is none of the web
    after = settings.read_bytes()
    assert settings.stat().st_mode & 0o777 == 0o600
    assert after.startswith(before.rstrip())
    assert after.count(b"\n") == after.count(b"\r\n") > before.count(b"\r\n")
    assert sorted(path.name for path in settings.parent.iterdir() if path.name.startswith(".")) == []


@pytest.mark.parametrize("name", ["🦉", "o\u0085wl", "o\u007fwl", "o'w\\l", "&quot;owl&quot;"])
def test_a_feed_url_of_any_characters_is_valid_toml(settings: Path, paperbot, name: str) -> None:
    opml = settings.parent / "feeds.opml"
    opml.write_text(f'<opml><outline xmlUrl="https://owls.example.org/{name}.xml" text="Owls"/></opml>')
    assert paperbot("sources", "import", opml).out.startswith("added owls\n")
    sources = tomllib.loads(settings.read_text())["sources"]
    assert sources[-1]["url"] == f"https://owls.example.org/{unescape(name, {'&quot;': chr(34)})}.xml"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "not OPML"),
        ("owls", "not OPML"),
        ("<opml/>", "0 feeds in it"),
        ("<!DOCTYPE opml [<!ENTITY a 'b'>]><opml>&a;</opml>", "document type declaration"),
        ('<opml><outline xmlUrl="https://ada:x@example.org/"/></opml>', "passwords don't belong in addresses"),
    ],
)
def test_an_invalid_opml_file_changes_nothing(settings: Path, paperbot, content: str, said: str) -> None:
    before = settings.read_text()
    (settings.parent / "feeds.opml").write_text(content)
    refused = paperbot("sources", "import", settings.parent / "feeds.opml")
    assert (refused.code, said in refused.err) == (2, True)
    assert settings.read_text() == before


def test_a_settings_file_that_cannot_be_extended_is_not_changed(settings: Path, paperbot) -> None:
    settings.write_text('sources = [{name = "seeds", kind = "folder", path = "seeds"}]\n')
    (settings.parent / "feeds.opml").write_text(OPML)
    refused = paperbot("sources", "import", settings.parent / "feeds.opml")
    assert (refused.code, "not valid TOML" in refused.err) == (2, True)
    assert settings.read_text().count("\n") == 1


def test_passwords_are_refused_in_the_file_and_taken_from_the_environment(settings, paperbot, monkeypatch) -> None:
    from bot.app import open_app

    mailbox = '[[sources]]\nname = "arxiv-mail"\nkind = "mailbox"\nhost = "h"\nusername = "u"\nsender = "s"\n'
    settings.write_text(mailbox + '[passwords]\narxiv-mail = "hush-hush"\n')
    refused = paperbot("ingest")
    assert (refused.code, "set PAPERBOT_PASSWORDS__NAME" in refused.err) == (2, True)
    settings.write_text(mailbox)
    monkeypatch.setenv("PAPERBOT_PASSWORDS__ARXIV_MAIL", "hush-hush")
    with open_app(settings.parent) as app:
        (source,) = app.sources
        assert source.password == "hush-hush"
        assert "hush-hush" not in repr(app.home.settings)


def test_links_are_resolved_if_the_setting_is_on(settings: Path, web: Web, paperbot, monkeypatch) -> None:
    from bot.operate import ingest as resolving

    monkeypatch.setattr(resolving.LinkResolver.__init__, "__defaults__", (f"{web.url}/api", web.url))
    (settings.parent / "seeds" / "day.txt").write_text(digest("Owls"))
    settings.write_text(
        '[[sources]]\nname = "seeds"\nkind = "folder"\npath = "seeds"\n'
        '[fetch]\nprivate_hosts = ["127.0.0.1"]\n[links]\nresolve = true\n'
    )
    web.pages["/api"] = Page(
        b"<feed xmlns='http://www.w3.org/2005/Atom'><title>A</title><entry><id>http://arxiv.org/abs/2606.00001v1</id>"
        b"<title>Owls</title><author><name>Ada Lovelace</name></author></entry></feed>"
    )
    assert paperbot("ingest").code == 0
    assert len(web.requests) == 1
    assert paperbot("run", "--force").code == 0
    assert len(web.requests) == 1
