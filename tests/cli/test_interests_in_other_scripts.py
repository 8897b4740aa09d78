"""Interests in Chinese match papers in Chinese. Interests that find no paper, or aren't in English, are named."""

import pytest
from support import digest


@pytest.mark.parametrize("interests", ["脳", "the of and", "🦉"])
def test_init_and_check_say_which_interests_match_nothing(paperbot, tmp_path, interests):
    home = tmp_path / "papers"
    answer = paperbot("init", home, "--yes", "--no-samples", "--interests", interests)
    assert f"note: no paper can be matched with “{interests}”" in answer.err
    checked = paperbot("--home", home, "check", "--json")
    assert any(f"my-papers.toml: no paper can be matched with “{interests}”" in note for note in checked.json["notes"])


def test_init_and_check_ask_for_english(paperbot, tmp_path):
    home = tmp_path / "papers"
    says = "“Eulen und Mäuse, keine Falken” looks like German: write it in English"
    answer = paperbot("init", home, "--yes", "--no-samples", "--interests", "Owls\n\nEulen und Mäuse, keine Falken")
    assert answer.err.startswith(f"note: {says}")
    assert any(says in note for note in paperbot("--home", home, "check", "--json").json["notes"])


def test_an_interest_in_chinese_is_read_and_ranks_the_papers_of_a_digest_in_chinese(paperbot, tmp_path):
    home = tmp_path / "papers"
    init = paperbot(
        "init", home, "--yes", "--no-samples", "--interests", "我研究强化学习", "--email", "ada@example.org"
    )
    assert "You want: 强化学习." in init.out
    (tmp_path / "day.txt").write_text(digest("强化学习的新方法", "蛋白质结构预测"))
    assert paperbot("--home", home, "ingest", tmp_path / "day.txt").code == 0
    fitting, other = (
        paperbot("--home", home, "why", "my-papers", title, "--json").json for title in ("强化学习", "蛋白质")
    )
    assert fitting["score"] > 3 * other["score"]
    assert "强化学习" in fitting["why"]
    assert "强化学习" not in (other["why"] or "")
