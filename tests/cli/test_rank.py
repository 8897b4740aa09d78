"""``paperbot rank``: files in, the best of each profile out."""

import json

import pytest

HISTORY = [
    {"id": "h1", "title": "Reward models", "abstract": "Verifiable rewards train reasoning"},
    {"id": "h2", "title": "Robot arms", "abstract": "Grasping by tactile sensing"},
]
CANDIDATES = [
    {"id": "c1", "title": "More robot arms", "abstract": "Tactile grasping"},
    {"id": "c2", "title": "More rewards", "abstract": "Reasoning by verifiable rewards"},
]
PROFILES = [{"profile": "a", "interests": "verifiable rewards"}, {"profile": "b", "interests": ""}]
FEEDBACK = [{"profile": "b", "paper": "h2", "thumb": 1}, {"profile": "b", "paper": "h1", "thumb": -1}]


@pytest.fixture
def rank(paperbot, tmp_path):
    def call(top=2, **lines):
        files = {"history": HISTORY, "candidates": CANDIDATES, "profiles": PROFILES, "feedback": FEEDBACK}
        arguments = []
        for name, rows in (files | lines).items():
            path = tmp_path / f"{name}.jsonl"
            path.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows))
            arguments += [f"--{name}", path]
        out = tmp_path / "out.jsonl"
        answer = paperbot("rank", *arguments, "--top", top, "--output", out)
        rows = [json.loads(line) for line in out.read_text().splitlines()] if answer.code == 0 else []
        return answer, rows

    return call


def test_interests_and_thumbs_rank_the_candidates_without_a_home(rank):
    _, rows = rank()
    assert [(row["profile"], row["paper"]) for row in rows] == [("a", "c2"), ("a", "c1"), ("b", "c1"), ("b", "c2")]
    assert all(0 < row["score"] < 1 for row in rows)
    assert [row["paper"] for row in rank(top=1)[1]] == ["c2", "c1"]
    answer, rows = rank(candidates=[])
    assert (answer.code, rows) == (0, [])


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ({"history": ["{"]}, "history.jsonl, line 1: not JSON; write one object on each line"),
        ({"history": ["[]"]}, "history.jsonl, line 1: not a JSON object"),
        ({"candidates": [{"id": 1}]}, 'candidates.jsonl, line 1: "id" must be a text, not 1'),
        ({"feedback": [{"profile": "a", "paper": "x", "thumb": 1}]}, "no paper 'x'"),
        ({"feedback": [{"profile": "z", "paper": "h1", "thumb": 1}]}, "no profile 'z'"),
        ({"feedback": [{"profile": "a", "paper": "h1", "thumb": 2}]}, '"thumb" must be 1 or -1'),
    ],
)
def test_a_mistake_in_a_file_names_file_and_line(rank, lines, says):
    answer, _ = rank(**lines)
    assert answer.code == 2
    assert says in answer.err


def test_an_output_that_cannot_be_written_is_reported(rank, tmp_path):
    (tmp_path / "out.jsonl").mkdir()
    assert rank()[0].code == 2
