"""Templates: a home's override the shipped ones, and mistakes are reported with file and line."""

from pathlib import Path

import pytest
from jinja2 import Environment

from bot.channels.templates import environment, render, sample_edition, template_mistakes

SHIPPED = Path(__file__).parents[2] / "templates"


def home_with(folder: Path, name: str, content: str) -> Environment:
    (folder / name).write_text(content, encoding="utf-8")
    return environment(SHIPPED, folder)


def test_the_shipped_templates_work(templates):
    assert template_mistakes(templates) == []


def test_a_home_without_templates_uses_the_shipped_ones(tmp_path):
    assert template_mistakes(environment(SHIPPED, tmp_path / "absent")) == []


def test_a_homes_template_overrides_the_shipped_one(tmp_path, links):
    env = home_with(tmp_path, "mail.txt.j2", "{{ edition.profile_title }} {{ edition.date | day }}")
    assert render(env, "mail.txt.j2", sample_edition(), links) == "Sample 6 May 2025"


def test_html_is_escaped_and_text_is_not(tmp_path, links):
    for name, expected in (("a.html.j2", "&lt;b&gt;"), ("a.txt.j2", "<b>")):
        assert render(home_with(tmp_path, name, "{{ '<b>' }}"), name, sample_edition(), links) == expected


@pytest.mark.parametrize(
    ("content", "line", "problem"),
    [
        ("fine\n{% if %}", 2, "Expected an expression"),
        ("fine\nfine\n{{ edition.titel }}", 3, "has no attribute 'titel'"),
        ("{{ editions }}", 1, "'editions' is undefined"),
        ("fine\n{{ 1 / 0 }}", 2, "ZeroDivisionError"),
        ("fine\n{% include 'gone.j2' %}", 2, "there is no template named gone.j2"),
        ("{{ edition | nofilter }}", 1, "No filter named 'nofilter'"),
    ],
)
def test_a_mistake_is_reported_with_file_and_line(tmp_path, content, line, problem):
    env = home_with(tmp_path, "mail.txt.j2", content)
    (mistake,) = template_mistakes(env)
    assert mistake.startswith(f"{tmp_path / 'mail.txt.j2'}:{line}: ")
    assert problem in mistake


def test_a_mistake_in_an_included_part_is_reported_there(tmp_path):
    (tmp_path / "_part.j2").write_text("\n\n{{ nothing }}")
    (tmp_path / "alert.txt.j2").write_text("{% include '_part.j2' %}{{ nothing }}")
    (mistake,) = template_mistakes(home_with(tmp_path, "mail.txt.j2", "{% include '_part.j2' %}"))
    assert "_part.j2:3: 'nothing' is undefined" in mistake


def test_an_unused_part_is_compiled_and_other_mistakes_are_found_too(tmp_path):
    (tmp_path / "mail.txt.j2").write_text("{{ nothing }}")
    part, mail = template_mistakes(home_with(tmp_path, "_part.j2", "{{ }"))
    assert ("_part.j2:1: " in part, "mail.txt.j2:1: " in mail) == (True, True)


def test_a_page_has_other_variables_and_is_only_compiled(tmp_path):
    (tmp_path / "pages").mkdir()
    assert not template_mistakes(home_with(tmp_path, "pages/mine.html.j2", "{{ whatever_the_page_is_given }}"))
    (mistake,) = template_mistakes(home_with(tmp_path, "pages/mine.html.j2", "fine\n{% if %}"))
    assert "mine.html.j2:2: " in mistake


def test_a_template_that_is_not_utf8_is_named(tmp_path):
    (tmp_path / "mail.txt.j2").write_bytes(b"\xff\xfe")
    (mistake,) = template_mistakes(environment(SHIPPED, tmp_path))
    assert "mail.txt.j2: UnicodeDecodeError" in mistake
