"""HTTP fetching: conditional requests, caps and deadlines, SSRF protection, Retry-After."""

import errno
import gzip
import socket
import threading
from itertools import chain, count, repeat

import pytest
from servers import FakeTime, Page, Web, speaking

from bot.model.errors import SourceError
from bot.sources import HttpError
from bot.sources.http import MAX_BYTES, Fetcher, Response, user_agent


def refusal(fetcher: Fetcher, url: str) -> str:
    with pytest.raises(SourceError) as error:
        fetcher.fetch(url)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_validators_make_the_next_request_conditional(web: Web, fetcher: Fetcher) -> None:
    web.pages["/feed"] = Page(b"owls", headers={"ETag": '"1"', "Last-Modified": "Wed, 20 Aug 2025 00:00:00 GMT"})
    answer = fetcher.fetch(f"{web.url}/feed")
    assert answer == Response(b"owls", '"1"', "Wed, 20 Aug 2025 00:00:00 GMT")
    web.pages["/feed"] = Page(status=304, headers={"ETag": '"1"'})
    again = fetcher.fetch(f"{web.url}/feed", etag=answer.etag, last_modified=answer.last_modified)
    assert again == Response(None, '"1"', "")
    first, second = web.requests
    assert (first.headers["user-agent"], first.headers["accept-encoding"]) == (user_agent(), "identity")
    assert "if-none-match" not in first.headers
    assert second.headers["if-none-match"] == '"1"'
    assert second.headers["if-modified-since"] == "Wed, 20 Aug 2025 00:00:00 GMT"


def test_compressed_content_is_refused_unread(web: Web, fetcher: Fetcher) -> None:
    web.pages["/"] = Page(gzip.compress(b"x" * 1_000_000), headers={"Content-Encoding": "gzip"})
    assert "sends 'gzip' although uncompressed content was requested" in refusal(fetcher, web.url)


def test_content_above_the_cap_is_refused(web: Web, fetcher: Fetcher) -> None:
    web.pages["/"] = Page(b"x" * (MAX_BYTES + 1))
    assert refusal(fetcher, web.url).endswith("more than the 10 MB that a digest may have")
    web.pages["/"] = Page(b"x" * MAX_BYTES)
    assert len(fetcher.fetch(web.url).content or b"") == MAX_BYTES


def test_an_endless_body_is_cut_off_at_the_cap(fetcher: Fetcher) -> None:
    def pour(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            connection.sendall(b"x" * 1_000_000)

    with speaking(pour) as url:
        assert refusal(fetcher, url).endswith("more than the 10 MB that a digest may have")


@pytest.mark.parametrize("sent_first", [b"HTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.1 200 OK\r\nX: "])
def test_a_body_or_header_sent_byte_by_byte_meets_the_deadline(sent_first: bytes) -> None:
    """Each byte moves the clock by a second: no single read is slow, all of them together are."""
    ticks = count()
    fetcher = Fetcher(private_hosts=["127.0.0.1"], clock=lambda: next(ticks) / 10, seconds=5)

    def drip(connection: socket.socket) -> None:
        connection.sendall(sent_first)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # Fewer than h11 takes for one header: a client that is late reads many bytes at once.
        for _ in range(50_000):
            connection.sendall(b"x")
        connection.recv(1)

    with speaking(drip) as url:
        assert refusal(fetcher, url).endswith("no answer in time")


def test_a_silent_server_meets_the_deadline() -> None:
    """The clock stands a millisecond before the deadline as soon as the fetch has begun."""
    test_ended = threading.Event()
    times = chain([0.0], repeat(29.999))
    fetcher = Fetcher(private_hosts=["127.0.0.1"], clock=lambda: next(times), seconds=30)
    with speaking(lambda _: test_ended.wait() and None) as url:
        try:
            assert refusal(fetcher, url).endswith("no answer in time")
        finally:
            test_ended.set()


@pytest.mark.parametrize(
    "answer",
    [b"", b"owls\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nowls", b"HTTP/1.1 999999999 ?\r\n\r\n"],
)
def test_invalid_or_truncated_responses_are_refused(fetcher: Fetcher, answer: bytes) -> None:
    with speaking(lambda connection: connection.sendall(answer)) as url:
        assert refusal(fetcher, url).startswith(url)


def test_at_most_three_redirects_are_followed(web: Web, fetcher: Fetcher) -> None:
    for n in range(5):
        web.pages[f"/{n}"] = Page(status=302, headers={"Location": f"{n + 1}"})
    web.pages["/5"] = Page(b"owls")
    assert fetcher.fetch(f"{web.url}/2").content == b"owls"
    assert "more than 3 redirects" in refusal(fetcher, f"{web.url}/1")
    web.pages["/loop"] = Page(status=301, headers={"Location": "/loop"})
    assert "more than 3 redirects" in refusal(fetcher, f"{web.url}/loop")


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://127.0.0.1/x", "javascript:1", "http://[::"])
def test_only_http_and_https_are_fetched(web: Web, fetcher: Fetcher, target: str) -> None:
    web.pages["/"] = Page(status=302, headers={"Location": target})
    for url in (web.url, target):
        assert any(reason in refusal(fetcher, url) for reason in ("neither http nor https", "not a web address"))


PRIVATE = """
    127.0.0.1 localhost 2130706433 0177.0.0.1 0x7f.1 0.0.0.0 [::1] [::ffff:127.0.0.1] 10.1.2.3 169.254.169.254
    100.64.0.1 224.0.0.1 [fe80::1] ①②⑦.⓪.⓪.① [64:ff9b::7f00:1] [64:ff9b::8.8.8.8] [2002:7f00:1::1] [::8.8.8.8]
    [::127.0.0.1] [::ffff:0:8.8.8.8] [fec0::1] 192.88.99.1 192.0.0.8 [3fff::1] [3fff:fff:ffff::1] [5f00::1]"""


@pytest.mark.parametrize("host", PRIVATE.split())
@pytest.mark.parametrize("proxy", ["", "http://127.0.0.1:1"])
def test_private_addresses_are_refused_in_every_notation(host: str, proxy: str) -> None:
    message = refusal(Fetcher(proxy=proxy, sleep=lambda _: None), f"http://{host}:1/x")
    assert "not a public address" in message or "not a web address" in message


@pytest.mark.parametrize("host", ["127.0.0.1.", "0x7f.1.", "[fe80::1%25eth0]"])
def test_a_proxy_is_not_asked_for_a_number_with_a_dot_or_a_zone(host: str) -> None:
    fetcher = Fetcher(proxy="http://127.0.0.1:1", sleep=lambda _: None)
    assert "not a public address" in refusal(fetcher, f"http://{host}:1/x")


def test_an_address_is_named_once() -> None:
    assert refusal(Fetcher(), "http://127.0.0.1:1/x").startswith("127.0.0.1 is not a public address; ")


def test_a_name_with_one_private_address_among_others_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def resolve(*_: object, **__: object) -> list[object]:
        return [(2, 1, 6, "", ("93.184.215.14", 80)), (2, 1, 6, "", ("192.168.0.1", 80))]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    message = refusal(Fetcher(), "http://feeds.example.org/")
    assert message == (
        "feeds.example.org is at 192.168.0.1, which is not a public address; "
        "to allow it, name the host in private_hosts under [fetch]"
    )


def test_a_redirect_does_not_reach_another_private_host_even_an_allowed_one(web: Web, time: FakeTime) -> None:
    fetcher = Fetcher(private_hosts=["127.0.0.1", "localhost"], clock=time.clock, sleep=time.sleep)
    web.pages["/"] = Page(status=302, headers={"Location": web.url.replace("127.0.0.1", "localhost") + "/owls"})
    web.pages["/owls"] = Page(b"owls")
    assert "not a public address" in refusal(fetcher, web.url)
    assert fetcher.fetch(web.url.replace("127.0.0.1", "localhost") + "/owls").content == b"owls"


def test_a_closed_port_is_reported_on_one_line(fetcher: Fetcher) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert "refused" in refusal(fetcher, f"http://127.0.0.1:{port}/").lower()


@pytest.mark.parametrize("is_offline", [True, False])
def test_a_machine_without_a_network_is_told_apart_from_an_unknown_host(
    fetcher: Fetcher, monkeypatch: pytest.MonkeyPatch, is_offline: bool
) -> None:
    asked: list[object] = []

    def resolve(host: object, *_: object, **__: object) -> list[object]:
        asked.append(host)
        if host == "example.com" and not is_offline:
            return ["an address"]
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    reason = refusal(fetcher, "http://paperbot.invalid/")
    assert ("this machine has no network" in reason) is is_offline
    assert ("is not known" in reason) is ("correct the source's url" in reason) is not is_offline
    assert set(asked) == {"paperbot.invalid", "example.com"}, "nothing else is looked up"


def test_a_machine_without_a_route_has_no_network(fetcher: Fetcher, monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(*_: object, **__: object) -> None:
        raise OSError(errno.ENETUNREACH, "Network is unreachable")

    monkeypatch.setattr(socket, "create_connection", unreachable)
    assert "this machine has no network" in refusal(fetcher, "http://192.0.1.1/")


def test_an_error_names_status_and_url(web: Web, fetcher: Fetcher) -> None:
    with pytest.raises(HttpError) as error:
        fetcher.fetch(f"{web.url}/gone")
    assert str(error.value) == f"{web.url}/gone: 404 Not Found"
    assert (error.value.status, error.value.body, error.value.retry_after) == (404, b"nothing here", None)


def test_a_short_retry_after_is_waited_for_once_and_a_long_one_not_at_all(
    web: Web, fetcher: Fetcher, time: FakeTime
) -> None:
    answers = iter([Page(status=429, headers={"Retry-After": "7"}), Page(b"owls")])
    web.pages["/"] = lambda _: next(answers)
    assert fetcher.fetch(web.url).content == b"owls"
    assert time.slept == [7]
    web.pages["/"] = Page(status=503, headers={"Retry-After": "3600"})
    with pytest.raises(HttpError) as error:
        fetcher.fetch(web.url)
    assert error.value.retry_after == 3600
    assert str(error.value).endswith("503 Service Unavailable; asks to wait 3600 s")


@pytest.mark.parametrize(
    ("value", "date", "seconds"),
    [
        ("Wed, 20 Aug 2025 01:00:00 GMT", "Wed, 20 Aug 2025 00:00:00 GMT", 3600),
        ("Tue, 19 Aug 2025 00:00:00 GMT", "Wed, 20 Aug 2025 00:00:00 GMT", 1),
        ("Fri, 31 Dec 9999 23:59:59 GMT", "Wed, 20 Aug 2025 00:00:00 GMT", 86_400),
        ("Wed, 20 Aug 99999999999 00:00:00 GMT", "Wed, 20 Aug 2025 00:00:00 GMT", 600),
        ("Wed, 20 Aug 2025 00:00:00 GMT", "Wed, 20 Aug 99999999999 00:00:00 GMT", 600),
        ("soon", "", 600),
        ("9" * 5_000, "", 86_400),
    ],
)
def test_retry_after_is_read_in_every_form(fetcher: Fetcher, value: str, date: str, seconds: float) -> None:
    answer = f"HTTP/1.1 429 X\r\nDate: {date}\r\nRetry-After: {value}\r\n\r\n".encode()
    with speaking(lambda connection: connection.sendall(answer)) as url, pytest.raises(HttpError) as error:
        fetcher.fetch(url)
    assert error.value.retry_after == seconds


def test_requests_to_one_host_are_a_second_apart_and_to_arxiv_three(
    time: FakeTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [(2, 1, 6, "", ("127.0.0.1", 1))])
    fetcher = Fetcher(clock=time.clock, sleep=time.sleep)
    for host in ("example.org", "export.arxiv.org", "example.org", "export.arxiv.org", "example.com"):
        refusal(fetcher, f"http://{host}/")
    assert time.slept == [1, 2]


def test_a_configured_proxy_is_used(web: Web, time: FakeTime) -> None:
    fetcher = Fetcher(proxy=web.url, clock=time.clock, sleep=time.sleep)
    web.pages["http://feeds.example.org/owls"] = Page(b"owls")
    assert fetcher.fetch("http://feeds.example.org/owls").content == b"owls"
    assert web.requests[0].headers["host"] == "feeds.example.org"


def test_a_password_in_a_url_is_neither_sent_nor_shown(web: Web, fetcher: Fetcher) -> None:
    url = web.url.replace("//", "//ada:secret@") + "/gone"
    assert "secret" not in refusal(fetcher, url)
    assert "authorization" not in web.requests[0].headers


# --- hostile headers and addresses ----------------------------------------


@pytest.mark.parametrize("value", ["é" * 3, "\x7f", "x" * 501])
def test_validators_that_can_not_be_sent_back_are_dropped(web: Web, fetcher: Fetcher, value: str) -> None:
    web.pages["/"] = Page(b"owls", headers={"ETag": value, "Last-Modified": value})
    assert fetcher.fetch(web.url) == Response(b"owls", "", "")
    assert fetcher.fetch(web.url, etag=value, last_modified=value).content == b"owls"
    assert not {"if-none-match", "if-modified-since"} & web.requests[-1].headers.keys()


INVALID = (
    "http://[ http://127.0.0.1:99999/ http://127.0.0.1:-1/ http://127.0.0.1:0/ http://a..b/ http://%5b/ http://-a/"
)


@pytest.mark.parametrize("target", [*INVALID.split(), "http://a b/", f"http://{'a' * 64}/", f"http://{'a.' * 127}a/"])
def test_invalid_hosts_and_ports_never_reach_the_resolver(web: Web, fetcher: Fetcher, monkeypatch, target: str) -> None:
    web.pages["/"] = Page(status=302, headers={"Location": target})
    real = socket.getaddrinfo
    resolved: list[str] = []

    def getaddrinfo(host: str, *rest, **named):
        resolved.append(host)
        return real(host, *rest, **named)

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    for url in (web.url, target):
        assert "not a web address" in refusal(fetcher, url)
    assert set(resolved) <= {"127.0.0.1"}
