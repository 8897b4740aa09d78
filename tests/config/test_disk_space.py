"""Disks that are nearly full, and which disk a folder is on."""

import shutil
from pathlib import Path

from bot.config.files import DiskSpace


def test_a_disk_with_free_space_is_not_a_problem(tmp_path):
    assert DiskSpace([tmp_path], least=1).problems() == []
    assert DiskSpace([]).problems() == []


def test_a_nearly_full_disk_is_reported_once_with_its_free_space_and_the_remedy(tmp_path):
    more = shutil.disk_usage(tmp_path).total + 1
    (problem,) = DiskSpace([tmp_path, tmp_path / "not" / "there" / "yet"], least=more).problems()
    assert problem.source == str(tmp_path)
    assert " MB are free" in problem.problem
    assert "free some space, and the next run makes up for it" in problem.problem


def test_the_disk_of_a_folder_that_does_not_exist_yet_is_its_parents(tmp_path):
    more = shutil.disk_usage(tmp_path).total + 1
    (problem,) = DiskSpace([tmp_path / "state" / "outbox"], least=more).problems()
    assert Path(problem.source) == tmp_path
