import stat

import pytest

from bot.config.files import write_atomically


def mode_of(path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_file_is_readable_by_its_owner_only(tmp_path):
    write_atomically(tmp_path / "state.json", b"{}")
    assert (tmp_path / "state.json").read_bytes() == b"{}"
    assert mode_of(tmp_path / "state.json") == 0o600


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664])
def test_an_existing_file_keeps_its_permissions(tmp_path, mode):
    path = tmp_path / "settings.toml"
    path.write_bytes(b"old")
    path.chmod(mode)
    write_atomically(path, b"new", durable=True)
    assert path.read_bytes() == b"new"
    assert mode_of(path) == mode


def test_content_can_be_written_piece_by_piece(tmp_path):
    write_atomically(tmp_path / "parts", lambda file: file.writelines([b"one ", b"two"]))
    assert (tmp_path / "parts").read_bytes() == b"one two"


def test_a_failure_leaves_the_old_file_and_no_temporary_one(tmp_path):
    path = tmp_path / "settings.toml"
    path.write_bytes(b"old")

    def abandon() -> None:
        raise RuntimeError("not now")

    with pytest.raises(RuntimeError):
        write_atomically(path, b"new", before_rename=abandon)
    assert path.read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir()] == ["settings.toml"]
