"""Disks that are nearly full, and which disk a folder is on."""

from __future__ import annotations

import shutil
from pathlib import Path

from bot.disk_space import DiskSpace


def test_a_disk_with_room_is_no_problem(tmp_path):
    assert DiskSpace([tmp_path], least=1).problems() == []
    assert DiskSpace([]).problems() == []


def test_a_nearly_full_disk_is_named_once_with_what_is_free_and_what_to_do(tmp_path):
    more = shutil.disk_usage(tmp_path).total + 1
    (problem,) = DiskSpace([tmp_path, tmp_path / "not" / "there" / "yet"], least=more).problems()
    assert problem.source == str(tmp_path)
    assert " MB are free" in problem.problem
    assert "free some space, and the next run makes up for it" in problem.problem


def test_a_folder_that_is_not_there_is_asked_after_where_it_will_be(tmp_path):
    more = shutil.disk_usage(tmp_path).total + 1
    (problem,) = DiskSpace([tmp_path / "state" / "outbox"], least=more).problems()
    assert Path(problem.source) == tmp_path
