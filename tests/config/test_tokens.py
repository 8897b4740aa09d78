"""Tokens are valid for their purpose and key only; key files are created atomically."""

import hmac
import logging
import stat
import subprocess
import sys
from base64 import urlsafe_b64encode
from datetime import UTC, datetime

import pytest
import time_machine
from hypothesis import given
from hypothesis import strategies as st

from bot.channels.papers import ReaderLinks
from bot.config.keys import Purpose, Redactor, Signer, TokenError, load_keys
from bot.model import Entry, Reader, Vote
from bot.model.errors import PaperbotError
from bot.model.papers import new_paper

KEY, OTHER = b"k" * 32, b"o" * 32


TOKEN = Signer([KEY]).sign(Purpose.UNSUBSCRIBE, [3])


@pytest.mark.parametrize(
    "token",
    [
        Signer([KEY]).sign(Purpose.THUMB, [3]),
        Signer([OTHER]).sign(Purpose.UNSUBSCRIBE, [3]),
        TOKEN[:-1],
        TOKEN[:-23],
        TOKEN + "a" * 5_000_000,
    ],
    ids=["another purpose", "another key", "cut", "without signature", "too long"],
)
def test_a_token_that_was_not_made_for_this_is_refused(token):
    with pytest.raises(TokenError, match="not one of ours"):
        Signer([KEY]).read(Purpose.UNSUBSCRIBE, token)


def test_after_key_rotation_old_tokens_are_valid_and_new_ones_use_the_new_key():
    rotated = Signer([KEY, OTHER])
    assert rotated.read(Purpose.THUMB, Signer([KEY]).sign(Purpose.THUMB, [1])) == [1]
    assert Signer([OTHER]).read(Purpose.THUMB, rotated.sign(Purpose.THUMB, [1])) == [1]


def test_a_thumb_link_expires_and_an_unsubscribe_link_never_does():
    signer = Signer([KEY])
    with time_machine.travel(datetime(2025, 5, 6, tzinfo=UTC)):
        thumb = signer.sign(Purpose.THUMB, [1])
        unsubscribe = signer.sign(Purpose.UNSUBSCRIBE, [1])
    with time_machine.travel(datetime(2026, 5, 6, tzinfo=UTC)):
        assert signer.read(Purpose.THUMB, thumb) == [1]
    with time_machine.travel(datetime(2026, 7, 6, tzinfo=UTC)):
        assert signer.read(Purpose.UNSUBSCRIBE, unsubscribe) == [1]
        with pytest.raises(TokenError, match="expired") as caught:
            signer.read(Purpose.THUMB, thumb)
    assert caught.value.expired


def test_a_token_with_any_character_changed_is_refused():
    signer = Signer([KEY])
    token = signer.sign(Purpose.THUMB, [3, 17])
    for position, character in enumerate(token):
        for other in "0A.-":
            changed = token[:position] + other + token[position + 1 :]
            if other != character:
                with pytest.raises(TokenError, match="not one of ours"):
                    signer.read(Purpose.THUMB, changed)


def test_a_signature_is_hmac_sha256_over_purpose_payload_and_time():
    """Written down, so that a change of the format, which breaks all links in mails, is noticed."""
    with time_machine.travel(datetime(2025, 5, 6, tzinfo=UTC), tick=False):
        token = Signer([KEY]).sign(Purpose.THUMB, [5, 17])
    mac = hmac.digest(KEY, b"thumb.v1:5.11.68195100", "sha256")[:16]
    assert token == "5.11.68195100." + urlsafe_b64encode(mac).decode().rstrip("=")


@given(st.lists(st.integers(-(2**63), 2**63), max_size=4))
def test_any_numbers_are_returned(payload):
    signer = Signer([KEY])
    assert signer.read(Purpose.EDITION, signer.sign(Purpose.EDITION, payload)) == payload


@given(st.text(max_size=200))
def test_unsigned_text_is_refused(text):
    with pytest.raises(TokenError):
        Signer([KEY]).read(Purpose.THUMB, text)


@pytest.mark.parametrize("keys", [[], [b""], [KEY, b"short"]])
def test_weak_keys_are_refused(keys):
    with pytest.raises(ValueError, match="at least 32 bytes"):
        Signer(keys)


def test_a_key_is_created_once_and_for_its_owner_only(tmp_path):
    path = tmp_path / "state" / "secret.key"
    keys = load_keys(path)
    assert load_keys(path) == keys
    assert len(keys[0]) == 32
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "is empty"),
        ("not hexadecimal", "hexadecimal"),
        ("\n \n", "is empty"),
        ("ab" * 31, "less than 64 digits"),
        ("ü", "hexadecimal"),
    ],
)
def test_a_weak_or_empty_key_file_is_reported(tmp_path, content, problem):
    (tmp_path / "secret.key").write_text(content)
    with pytest.raises(PaperbotError, match=rf"secret\.key: .*{problem}.*restore it from a backup"):
        load_keys(tmp_path / "secret.key")


def test_an_unreadable_key_file_is_reported(tmp_path):
    (tmp_path / "secret.key").mkdir()
    with pytest.raises(PaperbotError, match=r"secret\.key: the signing keys can't be read"):
        load_keys(tmp_path / "secret.key")


def test_a_key_file_never_exists_without_its_key(tmp_path, monkeypatch):
    """A process that dies while it creates the key leaves no empty file, on which all later ones would fail."""

    def dies(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("bot.config.keys.os.fsync", dies)
    with pytest.raises(KeyboardInterrupt):
        load_keys(tmp_path / "secret.key")
    monkeypatch.undo()
    assert len(load_keys(tmp_path / "secret.key")) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["secret.key"]


def test_processes_that_create_the_key_concurrently_agree_on_it(tmp_path):
    code = "import sys; from pathlib import Path; from bot.config.files import load_keys; sys.stdin.readline(); "
    code += "print(load_keys(Path(sys.argv[1]))[0].hex())"
    command = [sys.executable, "-c", code, str(tmp_path / "state" / "secret.key")]
    pipe = subprocess.PIPE
    processes = [subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) for _ in range(4)]
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    assert len({process.communicate()[0] for process in processes}) == 1


def test_tokens_are_redacted_from_tracebacks():
    try:
        raise ValueError("GET /me/WzEsMV0.aXY.x failed")
    except ValueError:
        record = logging.LogRecord("x", logging.ERROR, "", 0, "wrong", (), sys.exc_info())
    Redactor().filter(record)
    assert "WzEsMV0" not in logging.Formatter().format(record)
    assert "GET /me/… failed" in logging.Formatter().format(record)


def test_links_hold_ids_and_no_address():
    reader = Reader(5, "rewards", "email", "ada@example.org")
    signer = Signer([KEY])
    links = ReaderLinks("https://papers.example.org", signer, reader)
    paper = new_paper(Entry("Title"), 17, datetime(2025, 5, 6, tzinfo=UTC))
    thumb = links.thumb(paper, Vote.DOWN)
    assert thumb.startswith("https://papers.example.org/thumb/")
    assert thumb.endswith("?vote=down")
    token = thumb.removeprefix("https://papers.example.org/thumb/").removesuffix("?vote=down")
    assert signer.read(Purpose.THUMB, token) == [5, 17]
    assert "ada" not in thumb + links.unsubscribe()
