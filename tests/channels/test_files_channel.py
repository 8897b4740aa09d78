"""Messages as files."""

import json
import resource
import stat
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from bot.channels import Cancelled, FilesChannel
from bot.model.errors import DeliveryError, FailureScope


@pytest.fixture
def channel(tmp_path):
    return FilesChannel(tmp_path, ".eml")


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_a_message_becomes_a_file_named_by_date_profile_and_address(channel, delivery, started, tmp_path):
    receipt = channel.send(delivery, started)
    channel.close()
    assert receipt == str(tmp_path / "2025-05-06" / "rewards--ada@example.org.eml")
    assert files(tmp_path) == ["2025-05-06/rewards--ada@example.org.eml"]
    assert (tmp_path / "2025-05-06" / "rewards--ada@example.org.eml").read_bytes() == delivery.body
    assert started.calls == 1


def test_later_parts_are_numbered_even_when_the_first_is_missing(channel, make_delivery, started, tmp_path):
    channel.send(make_delivery(b"two", part=2), started)
    assert files(tmp_path) == ["2025-05-06/rewards--ada@example.org--2.eml"]


def test_a_second_edition_of_the_day_never_overwrites_the_first(channel, make_delivery, started, tmp_path):
    for body in (b"first", b"second", b"third"):
        channel.send(make_delivery(body), started)
    folder = tmp_path / "2025-05-06"
    assert (folder / "rewards--ada@example.org.eml").read_bytes() == b"first"
    assert (folder / "rewards--ada@example.org--2.eml").read_bytes() == b"second"
    assert (folder / "rewards--ada@example.org--3.eml").read_bytes() == b"third"


def test_the_same_message_again_keeps_its_file(channel, make_delivery, started, tmp_path):
    for body in (b"first", b"second", b"first", b"second"):
        channel.send(make_delivery(body), started)
    assert len(files(tmp_path)) == 2


def test_slack_payloads_are_laid_out_to_be_read(make_delivery, started, tmp_path):
    delivery = make_delivery('{"text":"Čau","n":[1]}'.encode(), kind="slack", address="C0123ABC")
    FilesChannel(tmp_path, ".json").send(delivery, started)
    text = (tmp_path / "2025-05-06" / "rewards--C0123ABC.json").read_text("utf-8")
    assert text == '{\n  "text": "Čau",\n  "n": [\n    1\n  ]\n}\n'


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.characters(codec=None)))
def test_any_payload_means_the_same_in_its_file(text, make_delivery, started, tmp_path):
    path = FilesChannel(tmp_path, ".json").send(make_delivery(json.dumps({"text": text}).encode()), started)
    assert json.loads(Path(path).read_bytes()) == {"text": text}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(address=st.text(st.characters(codec=None), max_size=300))
@example(address="../../etc/passwd")
@example(address="/etc/passwd")
@example(address="..\\..\\x")
@example(address="a\0b")
@example(address="x" * 400)
def test_no_address_leads_out_of_the_folder(address, make_delivery, started, tmp_path):
    path = Path(FilesChannel(tmp_path, ".eml").send(make_delivery(address=address), started))
    assert path.resolve().parent == (tmp_path / "2025-05-06").resolve()
    assert path.name.startswith("rewards--")
    assert not set(path.name) & set("/\\\0")
    assert path.is_file()


def test_long_addresses_with_one_beginning_have_different_files(channel, make_delivery, started, tmp_path):
    for end in "ab":
        channel.send(make_delivery(address="x" * 400 + end), started)
    first, second = files(tmp_path)
    assert not first.endswith("--2.eml")
    assert not second.endswith("--2.eml")


def test_a_cancelled_message_leaves_no_file(channel, delivery, make_started, tmp_path):
    with pytest.raises(Cancelled):
        channel.send(delivery, make_started(Cancelled()))
    assert files(tmp_path) == []


def test_a_full_disk_leaves_no_half_file_and_can_be_tried_again(channel, make_delivery, started, tmp_path):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(DeliveryError) as caught:
            channel.send(make_delivery(b"x" * 5000), started)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    error = caught.value
    assert (error.permanent, error.unknown, error.scope, error.code) == (False, False, FailureScope.CHANNEL, "EFBIG")
    assert (started.calls, files(tmp_path)) == (0, [])


def test_a_folder_that_is_a_file_is_the_channels_fault(delivery, started, tmp_path):
    (tmp_path / "outbox").write_text("")
    with pytest.raises(DeliveryError, match="can't write the message") as caught:
        FilesChannel(tmp_path / "outbox", ".eml").send(delivery, started)
    assert caught.value.scope is FailureScope.CHANNEL
    assert started.calls == 0
    with pytest.raises(DeliveryError):
        FilesChannel(tmp_path / "outbox", ".eml").check()


def test_messages_are_for_their_owner_only(channel, delivery, started):
    """They hold links that act in the reader's name."""
    assert stat.S_IMODE(Path(channel.send(delivery, started)).stat().st_mode) == 0o600


def test_a_check_makes_the_folder_and_leaves_nothing_in_it(tmp_path):
    FilesChannel(tmp_path / "outbox", ".eml").check()
    assert list((tmp_path / "outbox").iterdir()) == []
