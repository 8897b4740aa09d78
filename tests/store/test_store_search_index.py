"""SQLite's index of words has no copy of the papers, so it must stay in step with them."""

import re
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import timedelta

import pytest

from bot.model import Entry
from bot.store.database import KeepDays
from bot.store.engine import parse_url

_KILLED = """
import os, signal, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
connection.execute("PRAGMA cache_spill = 1")
connection.execute("UPDATE papers SET title = 'Walrus ' || id || hex(randomblob(4000))")
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def store_url(empty_store, tmp_path):
    return f"sqlite:///{shutil.copy(empty_store, tmp_path)}"


@pytest.fixture
def file(store_url):
    return parse_url(store_url).database


def test_papers_that_came_changed_and_went_leave_nothing_behind(samples, store, now):
    samples.ingest("Owls", Entry(title="Bees", arxiv_id="2604.00001", abstract="Honey."), "Cats")
    samples.ingest(Entry(title="Bees", arxiv_id="2604.00001", version=2, abstract="About wax.", replacement=True))
    assert [paper.title for paper in store.search.papers("wax")] == ["Bees"]
    assert store.search.papers("honey") == []
    assert store.retention.purge(KeepDays(papers=1), now + timedelta(days=3)) == 2  # the newest stays
    assert store.search.papers("owls") == []
    assert store.faults() == []


@pytest.mark.parametrize(
    "authors",
    [("José Núñez", "Ø. Æsir"), ("王伟", "Ann"), ('Ann "the owl" Li', "B\\", '","'), (",", "Ann"), ("", "Ann", ""), ()],
)
def test_authors_are_found_however_their_names_look_in_json(samples, store, authors):
    samples.ingest(Entry(title="Owls", authors=authors))
    for word in re.findall(r"\w+", " ".join(authors)):
        assert [paper.title for paper in store.search.papers(word)] == ["Owls"]
    assert store.faults() == []


def test_a_write_that_was_killed_leaves_papers_and_index_as_they_were(samples, store, file):
    samples.papers(300)
    assert subprocess.run([sys.executable, "-c", _KILLED, file], check=False).returncode < 0
    assert store.search.papers("walrus") == []
    assert len(store.search.papers("sample", 400)) == 300
    assert store.faults() == []


def test_check_names_an_index_that_is_out_of_step_and_the_command_that_makes_it_again(samples, store, file):
    samples.ingest("Owls", "Bees")
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("DROP TRIGGER papers_search_changed")
        connection.execute("UPDATE papers SET title = 'Walruses' WHERE title = 'Owls'")
        (fault,) = store.faults()
        assert fault.startswith(f"its search index differs from its papers; make it again: sqlite3 {file} ")
        connection.execute(re.search(r'"(.*)"$', fault)[1])
    assert store.faults() == []
    assert [paper.title for paper in store.search.papers("walruses")] == ["Walruses"]
