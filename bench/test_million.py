"""The arithmetic of ``million.py``, on invented figures."""

from __future__ import annotations

import json

import pytest
from million import FIGURES, CostLine, Plan, Resource, cost_line, resources, show

LIMITS = {
    "commits_per_second": 1_000,
    "log_bytes_per_second": 20e6,
    "messages_per_second": 500,
    "connections": 100,
}


def run(readers, **changes):
    """Figures of a run in which each reader costs the same."""
    figures = {
        "readers": readers,
        "processor_seconds": {"workers": readers * 0.014, "postgres": readers * 0.002},
        "commits": readers * 2,
        "wal": readers * 20_000,
        "messages": readers * 0.03,
        "mails": readers,
        "bytes": {
            "picks": readers * 2_000,
            "outbox_bodies": readers * 6_000,
            "reader_models": readers * 9_000,
        },
        "idle_tick_seconds": readers * 1e-5,
        "connections_of_a_worker": 3,
    }
    return figures | changes


def named(found, name):
    (resource,) = (resource for resource in found if resource.name.startswith(name))
    return resource


def test_a_cost_that_doubles_with_ten_times_the_readers_doubles_again():
    line = cost_line([run(10_000), run(100_000)], lambda run: run["readers"] * {10_000: 1, 100_000: 2}[run["readers"]])
    assert line.at(10_000) == pytest.approx(1)
    assert line.at(100_000) == pytest.approx(2)
    assert line.at(1_000_000) == pytest.approx(4)


def test_a_cost_that_fell_is_not_taken_to_fall_further():
    line = cost_line([run(10_000), run(100_000)], lambda _: 5 * 10_000)
    assert line.at(1_000_000) == pytest.approx(0.5)


def test_a_cost_that_one_run_did_not_measure_follows_the_other():
    line = cost_line([run(10_000), run(100_000)], lambda run: 70 if run["readers"] == 10_000 else 0)
    assert line == CostLine(10_000, 0.007)


def test_runs_in_which_starting_up_weighs_count_only_where_there_is_no_other():
    figures = [run(1_000), run(10_000), run(100_000)]
    assert cost_line(figures, lambda run: 7_000 if run["readers"] == 1_000 else run["readers"]).at(
        1e6
    ) == pytest.approx(1)
    assert cost_line(figures, lambda run: 7_000 if run["readers"] == 1_000 else 0).at(1e6) == 7


def test_what_readers_need_is_spread_over_the_morning():
    found = resources([run(10_000), run(100_000)], LIMITS, Plan(machines=10, cores=4, hours=2))
    workers = named(found, "processors of the workers")
    assert workers.need(1_000_000) == pytest.approx(14_000 / 7_200)
    assert workers.use(1_000_000) == pytest.approx(14_000 / 7_200 / 40)
    assert workers.gives_out_at() == pytest.approx(1_000_000 * 40 * 7_200 / 14_000, rel=0.01)
    assert named(found, "commits").need(1_000_000) == pytest.approx(2_000_000 / 7_200)
    assert named(found, "mails").gives_out_at() == pytest.approx(200 * 7_200, rel=0.01)


def test_bodies_and_models_are_not_kept_for_each_edition():
    disk = named(resources([run(100_000)], LIMITS, Plan()), "disk")
    assert disk.need(1_000) == pytest.approx(1_000 * 2_000 * 400)


def test_connections_are_of_processes_and_not_of_readers():
    found = resources([run(100_000)], LIMITS, Plan(machines=10, cores=4))
    connections = named(found, "connections")
    assert (connections.need(1), connections.need(1e6)) == (120, 120)
    assert connections.use(1) == pytest.approx(1.2)


def test_a_need_that_grows_faster_gives_out_where_the_line_says():
    resource = Resource("x", "", 100, lambda readers: readers**2)
    assert resource.gives_out_at() == pytest.approx(10, rel=0.01)
    assert Resource("y", "", 100, lambda _: 99).gives_out_at() == float("inf")


def test_the_first_to_give_out_is_named(capsys):
    found = resources([run(10_000), run(100_000)], LIMITS, Plan(machines=2))
    show(found, 1_000_000)
    # Editions of 2 KB that are kept for 400 days fill a terabyte at 1.25 million readers.
    assert "The first to give out: disk of the database, 400 days (is enough for 1,000,000 readers)." in (
        capsys.readouterr().out
    )
    show(resources([run(100_000)], LIMITS, Plan(machines=10)), 1_000_000)
    assert "The first to give out: connections to the database (is not enough" in capsys.readouterr().out


def test_the_stored_figures_can_be_reckoned_with():
    stored = json.loads(FIGURES.read_text())
    assert all(run["lost"] == run["twice"] == 0 for run in stored["runs"])
    assert all(resource.need(1_000_000) > 0 for resource in resources(stored["runs"], stored["limits"], Plan()))
