"""``paperbot summarize``: a file of papers in, a file of summaries out, no home needed."""

import json
import subprocess
import sys

import pytest

ABSTRACT = (
    "Weeds are a problem. We propose WeedNet, which pulls weeds by their roots. It is trained on two beds. "
    "Squirrels are seen. Experiments show that it removes 95% of weeds."
)


@pytest.fixture
def summarize(tmp_path, paperbot, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def call(*lines, options=()):
        (tmp_path / "papers.jsonl").write_text("\n".join(lines))
        answer = paperbot("summarize", "--papers", "papers.jsonl", "--output", "out.jsonl", *options)
        rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
        return answer, {row["id"]: row["sentences"] for row in rows}

    return call


def paper(number, abstract):
    return json.dumps({"id": number, "title": "", "abstract": abstract})


def test_each_paper_gets_sentences_of_its_abstract_word_for_word(summarize):
    answer, summaries = summarize(paper("a", ABSTRACT), paper(2, ""), "", paper("c", None), '{"id": "d"}')
    assert answer.code == 1
    assert "3 papers without an abstract, so without a summary" in answer.err
    assert list(summaries) == ["a", 2, "c", "d"]
    assert len(summaries["a"]) == 3
    assert all(sentence in ABSTRACT for sentence in summaries["a"])
    assert "Experiments show that it removes 95% of weeds." in summaries["a"]
    assert summaries[2] == summaries["c"] == summaries["d"] == []


@pytest.mark.parametrize("sentences", [0, 1, 2, 9])
def test_there_are_no_more_sentences_than_wanted(summarize, sentences):
    _, summaries = summarize(paper("a", ABSTRACT), options=("--sentences", sentences))
    assert len(summaries["a"]) == min(sentences, 5)


def test_interests_decide_between_sentences_of_like_use(summarize):
    abstract = ABSTRACT.replace("It is trained on two beds.", "It reads red leaves. It reads blue stones.")
    options = ("--sentences", 4)
    _, plain = summarize(paper("a", abstract), options=options)
    _, leaning = summarize(paper("a", abstract), options=(*options, "--interests", "stones"))
    assert set(leaning["a"]) - set(plain["a"]) == {"It reads blue stones."}
    assert set(plain["a"]) & set(leaning["a"]) >= {ABSTRACT.split(". ")[1] + "."}


@pytest.mark.parametrize("line", ["{", "[1]", '{"abstract": "x"}', '{"id": 1, "abstract": 2}', "[" * 100_000, "\x00"])
def test_a_line_that_is_not_a_paper_is_named_and_the_rest_goes_on(summarize, line):
    answer, summaries = summarize(paper("a", "One."), line, paper("b", "Two."))
    assert answer.code == 1
    assert "papers.jsonl:2: not " in answer.err
    assert summaries == {"a": ["One."], "b": ["Two."]}


def test_a_lone_surrogate_is_written_as_it_came(summarize):
    _, summaries = summarize(r'{"id": "a", "abstract": "Broken \ud800 text."}')
    assert summaries == {"a": ["Broken \ud800 text."]}


def test_the_papers_are_never_written_over(tmp_path, paperbot):
    file = tmp_path / "papers.jsonl"
    file.write_text(paper("a", "One."))
    answer = paperbot("summarize", "--papers", file, "--output", file)
    assert (answer.code, file.read_text()) == (2, paper("a", "One."))
    assert "name another --output" in answer.err


def test_an_output_that_cant_be_written_is_named(tmp_path, paperbot):
    (tmp_path / "papers.jsonl").write_text("")
    answer = paperbot("summarize", "--papers", tmp_path / "papers.jsonl", "--output", tmp_path / "no" / "out.jsonl")
    assert answer.code == 2
    assert "out.jsonl: No such file or directory; name an --output that can be written" in answer.err


def test_no_heavy_library_is_imported():
    script = (
        "import sys; from bot.cli.main import paperbot; import bot.summaries.summary as s; s.summarise('A. B.', 1, {});"
        "print({'numpy', 'sklearn', 'scipy', 'sqlalchemy', 'pydantic', 'rich', 'httpx2'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout == "set()\n"


def test_the_finding_is_the_sentence_that_is_set_in_bold_or_null(tmp_path, paperbot):
    source, output = tmp_path / "papers.jsonl", tmp_path / "out.jsonl"
    source.write_text(f"{paper('a', ABSTRACT)}\n{paper('b', 'Weeds are a problem. We hope to pull them.')}\n")
    paperbot("summarize", "--papers", source, "--output", output)
    rows = [json.loads(line) for line in output.read_text().splitlines()]
    assert [row["finding"] for row in rows] == ["Experiments show that it removes 95% of weeds.", None]
    assert rows[0]["finding"] in rows[0]["sentences"]
