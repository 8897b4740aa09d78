"""Disks that are nearly full, and which disk a folder is on."""

import shutil

from bot.config.files import DiskSpace


def test_a_disk_with_free_space_is_not_a_problem(tmp_path):
    assert DiskSpace([tmp_path], least=1).problems() == []
    assert DiskSpace([]).problems() == []


def test_a_nearly_full_disk_is_reported_once_by_the_folder_that_exists_with_its_remedy(tmp_path):
    more = shutil.disk_usage(tmp_path).total + 1
    (problem,) = DiskSpace([tmp_path / "not" / "there" / "yet", tmp_path], least=more).problems()
    assert problem.source == str(tmp_path)
    assert " MB are free" in problem.problem
    assert "free some space, and the next run makes up for it" in problem.problem
