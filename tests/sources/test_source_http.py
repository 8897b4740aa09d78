"""Fetching, from servers of every kind."""

from __future__ import annotations

import gzip
import socket
import threading
from itertools import count

import pytest
from servers import FakeTime, Page, Web, speaking

from bot.errors import SourceError
from bot.sources.http import MAX_BYTES, USER_AGENT, Answer, Fetcher, HttpError


def refusal(fetcher: Fetcher, url: str) -> str:
    with pytest.raises(SourceError) as refused:
        fetcher.fetch(url)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_a_page_comes_with_what_makes_the_next_request_conditional(web: Web, fetcher: Fetcher) -> None:
    web.pages["/feed"] = Page(
        b"owls", headers={"ETag": '"1"', "Last-Modified": "Wed, 20 Aug 2025 00:00:00 GMT"}
    )
    answer = fetcher.fetch(f"{web.url}/feed")
    assert answer == Answer(b"owls", '"1"', "Wed, 20 Aug 2025 00:00:00 GMT")
    web.pages["/feed"] = Page(status=304, headers={"ETag": '"1"'})
    again = fetcher.fetch(f"{web.url}/feed", etag=answer.etag, last_modified=answer.last_modified)
    assert again == Answer(None, '"1"', "")
    first, second = web.requests
    assert (first.headers["user-agent"], first.headers["accept-encoding"]) == (USER_AGENT, "identity")
    assert "if-none-match" not in first.headers
    assert second.headers["if-none-match"] == '"1"'
    assert second.headers["if-modified-since"] == "Wed, 20 Aug 2025 00:00:00 GMT"


def test_content_that_was_packed_although_nobody_asked_is_refused_unread(web: Web, fetcher: Fetcher) -> None:
    web.pages["/"] = Page(gzip.compress(b"x" * 1_000_000), headers={"Content-Encoding": "gzip"})
    assert "sends 'gzip' although it was asked for plain bytes" in refusal(fetcher, web.url)


def test_more_than_the_cap_is_refused_whether_announced_or_not(web: Web, fetcher: Fetcher) -> None:
    web.pages["/"] = Page(b"x" * (MAX_BYTES + 1))
    assert refusal(fetcher, web.url).endswith("more than the 10 MB that a digest may have")
    web.pages["/"] = Page(b"x" * MAX_BYTES)
    assert len(fetcher.fetch(web.url).content or b"") == MAX_BYTES


def test_a_body_that_never_ends_is_cut_off_at_the_cap(fetcher: Fetcher) -> None:
    def pour(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            connection.sendall(b"x" * 1_000_000)

    with speaking(pour) as url:
        assert refusal(fetcher, url).endswith("more than the 10 MB that a digest may have")


@pytest.mark.parametrize("sent_first", [b"HTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.1 200 OK\r\nX: "])
def test_a_slow_drip_of_body_or_header_meets_the_deadline(sent_first: bytes) -> None:
    """Each byte moves the clock by a second: no single read is slow, all of them together are."""
    ticks = count()
    fetcher = Fetcher(private_hosts=["127.0.0.1"], clock=lambda: next(ticks) / 10, seconds=5)

    def drip(connection: socket.socket) -> None:
        connection.sendall(sent_first)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while True:
            connection.sendall(b"x")

    with speaking(drip) as url:
        assert refusal(fetcher, url).endswith("no answer in time")


def test_a_server_that_says_nothing_meets_the_deadline() -> None:
    silent = threading.Event()
    with speaking(lambda _: silent.wait(5) and None) as url:
        fetcher = Fetcher(private_hosts=["127.0.0.1"], seconds=0.2)
        assert refusal(fetcher, url).endswith("no answer in time")
        silent.set()


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"owls\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nowls",
        b"HTTP/1.1 999999999 ?\r\n\r\n",
    ],
)
def test_answers_that_are_no_http_or_break_off_are_refused(fetcher: Fetcher, answer: bytes) -> None:
    with speaking(lambda connection: connection.sendall(answer)) as url:
        assert refusal(fetcher, url).startswith(url)


def test_redirects_are_followed_three_times_and_no_more(web: Web, fetcher: Fetcher) -> None:
    for n in range(5):
        web.pages[f"/{n}"] = Page(status=302, headers={"Location": f"{n + 1}"})
    web.pages["/5"] = Page(b"owls")
    assert fetcher.fetch(f"{web.url}/2").content == b"owls"
    assert "more than 3 redirects" in refusal(fetcher, f"{web.url}/1")
    web.pages["/loop"] = Page(status=301, headers={"Location": "/loop"})
    assert "more than 3 redirects" in refusal(fetcher, f"{web.url}/loop")


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://127.0.0.1/x", "javascript:1", "http://[::"])
def test_redirects_and_addresses_lead_to_the_web_only(web: Web, fetcher: Fetcher, target: str) -> None:
    web.pages["/"] = Page(status=302, headers={"Location": target})
    for url in (web.url, target):
        assert any(said in refusal(fetcher, url) for said in ("neither http nor https", "no web address"))


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "localhost",
        "2130706433",
        "0177.0.0.1",
        "0x7f.1",
        "0.0.0.0",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::1]",
        "10.1.2.3",
        "169.254.169.254",
        "100.64.0.1",
        "224.0.0.1",
        "[fe80::1]",
    ],
)
@pytest.mark.parametrize("proxy", ["", "http://127.0.0.1:1"])
def test_addresses_that_are_not_public_are_refused_however_they_are_written(host: str, proxy: str) -> None:
    said = refusal(Fetcher(proxy=proxy, sleep=lambda _: None), f"http://{host}:1/x")
    assert "no public address" in said or "no web address" in said


def test_circled_digits_are_no_way_around(time: FakeTime) -> None:
    said = refusal(Fetcher(clock=time.clock, sleep=time.sleep), "http://①②⑦.⓪.⓪.①:1/")
    assert "no public address" in said or "no web address" in said


def test_a_name_with_one_private_address_among_others_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def resolve(*_: object, **__: object) -> list[object]:
        return [(2, 1, 6, "", ("93.184.215.14", 80)), (2, 1, 6, "", ("192.168.0.1", 80))]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    said = refusal(Fetcher(), "http://feeds.example.org/")
    assert said == (
        "feeds.example.org is at 192.168.0.1, which is no public address; "
        "if that is meant, name the host in private_hosts under [fetch]"
    )


def test_a_page_may_not_lead_to_a_host_that_is_allowed_for_itself_only(web: Web, time: FakeTime) -> None:
    fetcher = Fetcher(private_hosts=["127.0.0.1", "localhost"], clock=time.clock, sleep=time.sleep)
    web.pages["/"] = Page(
        status=302, headers={"Location": web.url.replace("127.0.0.1", "localhost") + "/owls"}
    )
    web.pages["/owls"] = Page(b"owls")
    assert "no public address" in refusal(fetcher, web.url)
    assert fetcher.fetch(web.url.replace("127.0.0.1", "localhost") + "/owls").content == b"owls"


def test_unknown_hosts_and_closed_ports_are_one_line(fetcher: Fetcher) -> None:
    assert "is not known" in refusal(fetcher, "http://paperbot.invalid/")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert "refused" in refusal(fetcher, f"http://127.0.0.1:{port}/").lower()


def test_a_refusal_says_status_and_address(web: Web, fetcher: Fetcher) -> None:
    with pytest.raises(HttpError) as refused:
        fetcher.fetch(f"{web.url}/gone")
    assert str(refused.value) == f"{web.url}/gone: 404 Not Found"
    assert (refused.value.status, refused.value.body, refused.value.retry_after) == (
        404,
        b"nothing here",
        None,
    )


def test_a_short_wait_is_waited_once_and_a_long_one_is_left_to_a_later_run(
    web: Web, fetcher: Fetcher, time: FakeTime
) -> None:
    answers = iter([Page(status=429, headers={"Retry-After": "7"}), Page(b"owls")])
    web.pages["/"] = lambda _: next(answers)
    assert fetcher.fetch(web.url).content == b"owls"
    assert time.slept == [7]
    web.pages["/"] = Page(status=503, headers={"Retry-After": "3600"})
    with pytest.raises(HttpError) as refused:
        fetcher.fetch(web.url)
    assert refused.value.retry_after == 3600
    assert str(refused.value).endswith("503 Service Unavailable; asks to wait 3600 s")


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("Wed, 20 Aug 2025 01:00:00 GMT", 3600),
        ("soon", 600),
        ("99999999999999", 86_400),
        ("Tue, 19 Aug 2025 00:00:00 GMT", 1),
    ],
)
def test_waits_are_read_in_every_form(fetcher: Fetcher, time: FakeTime, value: str, seconds: float) -> None:
    answer = f"HTTP/1.1 429 X\r\nDate: Wed, 20 Aug 2025 00:00:00 GMT\r\nRetry-After: {value}\r\n\r\n".encode()
    with speaking(lambda connection: connection.sendall(answer)) as url, pytest.raises(HttpError) as refused:
        fetcher.fetch(url)
    assert refused.value.retry_after == seconds


def test_a_host_gets_its_pause_and_arxiv_a_longer_one(
    time: FakeTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [(2, 1, 6, "", ("127.0.0.1", 1))])
    fetcher = Fetcher(clock=time.clock, sleep=time.sleep)
    for host in ("example.org", "export.arxiv.org", "example.org", "export.arxiv.org", "example.com"):
        refusal(fetcher, f"http://{host}/")
    assert time.slept == [1, 2]


def test_a_proxy_is_asked_where_one_is_set(web: Web, time: FakeTime) -> None:
    fetcher = Fetcher(proxy=web.url, clock=time.clock, sleep=time.sleep)
    web.pages["http://feeds.example.org/owls"] = Page(b"owls")
    assert fetcher.fetch("http://feeds.example.org/owls").content == b"owls"
    assert web.requests[0].headers["host"] == "feeds.example.org"


def test_a_password_in_an_address_is_neither_sent_nor_shown(web: Web, fetcher: Fetcher) -> None:
    url = web.url.replace("//", "//ada:secret@") + "/gone"
    assert "secret" not in refusal(fetcher, url)
    assert "authorization" not in web.requests[0].headers


# --- headers and addresses that no honest server sends ----------------------------------------


@pytest.mark.parametrize("value", ["é" * 3, "\x7f", "x" * 501])
def test_what_can_not_be_sent_back_is_not_remembered_nor_sent(web: Web, fetcher: Fetcher, value: str) -> None:
    web.pages["/"] = Page(b"owls", headers={"ETag": value, "Last-Modified": value})
    assert fetcher.fetch(web.url) == Answer(b"owls", "", "")
    assert fetcher.fetch(web.url, etag=value, last_modified=value).content == b"owls"
    assert not {"if-none-match", "if-modified-since"} & web.requests[-1].headers.keys()


@pytest.mark.parametrize(
    "target",
    [
        *(
            "http://[",
            "http://127.0.0.1:99999/",
            "http://127.0.0.1:-1/",
            "http://127.0.0.1:0/",
            "http://a b/",
        ),
        *(
            "http://a..b/",
            "http://%5b/",
            "http://-a/",
            "http://" + "a" * 64 + "/",
            "http://" + "a." * 127 + "a/",
        ),
    ],
)
def test_what_can_be_no_host_or_port_never_reaches_the_resolver(
    web: Web, fetcher: Fetcher, monkeypatch, target: str
) -> None:
    web.pages["/"] = Page(status=302, headers={"Location": target})
    real, asked = socket.getaddrinfo, []

    def getaddrinfo(host: str, *rest, **named):
        asked.append(host)
        return real(host, *rest, **named)

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    for url in (web.url, target):
        assert "no web address" in refusal(fetcher, url)
    assert set(asked) <= {"127.0.0.1"}


@pytest.mark.parametrize(
    "headers",
    [
        {"Retry-After": "Wed, 20 Aug 99999999999 00:00:00 GMT"},
        {"Retry-After": "Wed, 20 Aug 2025 00:00:00 GMT", "Date": "Wed, 20 Aug 99999999999 00:00:00 GMT"},
        {"Retry-After": "9" * 5_000},
        {"Retry-After": "Fri, 31 Dec 9999 23:59:59 GMT", "Date": "Wed, 20 Aug 2025 00:00:00 GMT"},
    ],
)
def test_a_wait_beyond_all_years_is_a_wait(web: Web, fetcher: Fetcher, headers: dict[str, str]) -> None:
    web.pages["/"] = Page(status=503, headers=headers)
    with pytest.raises(HttpError) as refused:
        fetcher.fetch(web.url)
    assert 0 < (refused.value.retry_after or 0) <= 86_400


@pytest.mark.parametrize(
    "address", ["fec0::1", "::8.8.8.8", "::ffff:0:8.8.8.8", "::127.0.0.1", "64:ff9b::8.8.8.8"]
)
def test_addresses_that_lead_elsewhere_are_not_public(address: str) -> None:
    with pytest.raises(SourceError, match="no public address"):
        Fetcher().fetch(f"http://[{address}]/")
