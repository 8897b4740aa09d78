"""``paperbot thumb --from``: many votes from JSON Lines; an invalid line does not stop the others."""

import io
import json
import sys

import pytest

NOW = "2025-05-07T18:00:00+00:00"
ADA = "reward-models/ada@example.org"


def vote(**fields):
    return {"reader": "reward-models", "paper": "p1", "vote": "up"} | fields


def write(home, *lines):
    path = home / "votes.jsonl"
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines))
    return path.name


def history(paperbot):
    return [(t["paper"], t["thumb"], t["at"]) for t in paperbot("export", ADA).json["history"]]


def test_votes_are_recorded_in_order_with_their_times(papers, paperbot):
    file = write(
        papers,
        vote(at="2025-05-01T10:00:00+02:00"),
        vote(reader=ADA, paper="Cats", vote="down", at="2025-05-02T10:00"),
        "",
        vote(paper="dogs AT w", at=None),
        vote(paper="p3", vote="clear", at="2025-05-03"),
    )
    answer = paperbot("thumb", "--from", file, "--now", NOW, "--json")
    assert (answer.code, answer.json) == (0, {"votes": 4, "problems": []})
    assert history(paperbot) == [
        ("p1", "up", "2025-05-01T08:00:00+00:00"),
        ("p1", "down", "2025-05-02T10:00:00+00:00"),
        ("p2", "up", NOW),
        ("p3", "clear", "2025-05-03T00:00:00+00:00"),
    ]
    counting = {t["paper"]: t["thumb"] for t in paperbot("export", ADA).json["thumbs"]}
    assert counting == {"p1": "down", "p2": "up"}


BROKEN = [
    ("{", "not JSON; write"),
    ("[]", "not an object; write"),
    ("[" * 100_000, "not JSON; write"),
    ({"paper": "p1", "vote": "up"}, "reader is missing; write"),
    (vote(paper=1), "paper is not a text; write"),
    (vote(vote="maybe"), "vote is 'maybe'; write one of: up, down, clear"),
    (vote(reader="nobody"), "no profile 'nobody'; known profiles: reward-models"),
    (vote(reader="reward-models/eve@example.org"), "is not a reader; name one of: "),
    (vote(paper="p99"), "no paper 'p99'"),
    (vote(paper="p999999999999999999"), "no paper 'p999999999999999999'"),
    (vote(paper="Dogs"), "2 papers begin with 'Dogs'; type more of the title"),
    (vote(paper="\ud800"), "paper has an invalid character"),
    (vote(paper="\0"), "paper has an invalid character"),
    (vote(at="yesterday"), "at is 'yesterday'; write it like 2025-05-06T08:00+02:00"),
    (vote(at=1746), "at is 1746; write it like"),
    (vote(at="0001-01-01T00:00+02:00"), "at is '0001-01-01T00:00+02:00'; write it like"),
    (vote(at="2025-05-08T00:00+00:00"), "which is in the future; correct it, or leave it out"),
]


def test_an_invalid_line_is_a_problem_and_the_other_votes_are_recorded(papers, paperbot):
    lines = [line for broken, _ in BROKEN for line in (broken, vote(paper="p2"))]
    file = write(papers, *lines)
    answer = paperbot("thumb", "--from", file, "--now", NOW, "--json")
    assert answer.code == 1
    assert answer.json["votes"] == len(BROKEN)
    problems = answer.json["problems"]
    assert [p["source"] for p in problems] == [f"{file}:{2 * n + 1}" for n in range(len(BROKEN))]
    for problem, (_, says) in zip(problems, BROKEN, strict=True):
        assert says in problem["problem"]
        assert len(problem["problem"]) < 300
    assert len(history(paperbot)) == len(BROKEN)


def test_a_dash_reads_standard_input(papers, paperbot, monkeypatch):
    lines = json.dumps(vote()).encode() + b'\n{"reader": "\xff"}\n'
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines)))
    answer = paperbot("thumb", "--from", "-")
    assert answer.code == 1
    assert "1 vote recorded" in answer.out
    assert "! standard input:2: not JSON" in answer.err
    assert paperbot("thumb", "up", "reward-models", "p1", "--json").json == {"votes": 1, "problems": []}


def test_many_votes_are_a_few_transactions(papers, paperbot, monkeypatch):
    from bot.store.engine import Database

    writing = Database.writing
    writes = []
    monkeypatch.setattr(Database, "writing", lambda self, *a, **k: writes.append(1) or writing(self, *a, **k))
    paperbot("thumb", "clear", "reward-models", "p1")
    writes.clear()
    file = write(papers, *[vote(paper=f"p{n % 3 + 1}") for n in range(2_500)])
    assert paperbot("thumb", "--from", file, "--json").json["votes"] == 2_500
    assert len(writes) == 3


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "Missing VOTE, READER or PAPER; or name a file of votes with --from"),
        (("up", "reward-models"), "Missing VOTE, READER or PAPER"),
        (("up", "reward-models", "p1", "--from", "votes.jsonl"), "leave VOTE, READER and PAPER out"),
        (("--from", "absent.jsonl"), "No such file"),
    ],
)
def test_conflicting_arguments_are_usage_errors(papers, paperbot, arguments, says):
    write(papers, vote())
    answer = paperbot("thumb", *arguments)
    assert (answer.code, answer.err.count("\n")) == (2, 1)
    assert says in answer.err
