"""``paperbot check --fix`` mends a home, and loses nothing."""

import shutil
import stat

import pytest


def test_missing_folders_are_created(home, paperbot):
    for folder in ("seeds", "profiles", "state"):
        shutil.rmtree(home / folder)
    assert paperbot("check").code == 2
    mended = paperbot("check", "--fix")
    assert mended.code == 0
    for folder in ("seeds", "profiles"):
        assert f"ok  created {folder}" in mended.out
    assert stat.S_IMODE((home / "state").stat().st_mode) == 0o700
    assert "created" not in paperbot("check", "--fix").out


@pytest.mark.parametrize("content", ["", "not hexadecimal", "abcd"])
def test_keys_that_cannot_be_used_are_replaced_and_kept(home, paperbot, content):
    (home / "state" / "secret.key").write_text(content)
    mended = paperbot("check", "--fix")
    assert mended.code == 0
    assert "Links in messages that were sent before no longer work" in mended.out
    assert "`paperbot check --fix`" not in mended.out
    assert (home / "state" / "secret.key.damaged-1").read_text() == content
    (home / "state" / "secret.key").write_text("damaged again")
    assert paperbot("check", "--fix").code == 0
    assert (home / "state" / "secret.key.damaged-2").read_text() == "damaged again"


@pytest.mark.parametrize("name", ["state", "profiles"])
def test_a_file_where_a_folder_belongs_is_left_to_the_operator(home, paperbot, name):
    shutil.rmtree(home / name)
    (home / name).write_text("a file")
    answer = paperbot("check", "--fix")
    assert answer.code == 2
    assert f"{name}: is not a folder; move it elsewhere, and try again" in answer.err
    assert (home / name).read_text() == "a file"


def test_good_keys_are_left_alone(home, paperbot):
    before = (home / "state" / "secret.key").read_bytes()
    assert paperbot("check", "--fix").code == 0
    assert (home / "state" / "secret.key").read_bytes() == before


def test_a_source_outside_of_the_home_is_not_created(home, paperbot, tmp_path):
    elsewhere = tmp_path / "disk" / "digests"
    with (home / "paperbot.toml").open("a") as settings:
        settings.write(f'[[sources]]\nname = "disk"\nkind = "folder"\npath = "{elsewhere}"\n')
    answer = paperbot("check", "--fix")
    assert answer.code == 2
    assert f"disk: no folder {elsewhere}" in answer.err
    assert not elsewhere.exists()
