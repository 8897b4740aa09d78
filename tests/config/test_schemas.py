"""The schemas by which editors check settings and profiles: what they accept and what they refuse."""

import json
import re
import tomllib
from functools import cache

import pytest
from reference import schema_texts
from support import ROOT

SCHEMAS = ROOT / "docs" / "schemas"
SAMPLES = sorted((ROOT / "profiles").glob("*.toml"))
ALL_KEYS = """
[email]
host = "smtp.example.org"
[[sources]]
name = "reward-models"
kind = "arxiv"
query = "cat:cs.LG"
[[sources]]
name = "scholar"
kind = "mailbox"
host = "imap.example.org"
username = "ada@example.org"
sender = "example.com"
"""


@cache
def validator(name: str):
    # Imported here: it builds grammars for a second, in each process of the tests.
    from jsonschema import Draft202012Validator

    schema = json.loads((SCHEMAS / name).read_text())
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def errors(name: str, text: str) -> list[str]:
    return [error.message for error in validator(name).iter_errors(tomllib.loads(text))]


def test_the_schemas_are_those_of_the_code_and_the_documents():
    """If not: `make schemas`."""
    assert {path.name: path.read_text() for path in SCHEMAS.iterdir()} == schema_texts()


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
def test_a_sample_profile_is_accepted_and_a_misspelt_key_of_it_is_not(sample):
    text = sample.read_text()
    assert errors("profile.json", text) == []
    for key in re.findall(r"(?m)^(\w+) = ", text):
        misspelt = re.sub(rf"(?m)^{key} = ", f"{key}x = ", text, count=1)
        assert any(f"'{key}x' was unexpected" in error for error in errors("profile.json", misspelt)), key


@pytest.mark.parametrize(
    ("key", "value"),
    [('"smtp.example.org"', "5"), ("query", "url_of"), ("sender", "sendr"), ("[email]", "[mail]"), ("arxiv", "arxivs")],
)
def test_settings_with_a_mistake_are_refused(key, value):
    assert errors("settings.json", ALL_KEYS) == []
    assert errors("settings.json", ALL_KEYS.replace(key, value))


def test_secrets_of_the_environment_are_not_in_the_schema():
    assert errors("settings.json", (ROOT / "paperbot.toml").read_text()) == []
    assert errors("settings.json", '[email]\npassword = "secret"')
    assert errors("settings.json", '[passwords]\nscholar = "secret"')


def test_a_new_home_names_its_schemas_and_gets_those_of_a_new_version(paperbot, tmp_path):
    home = tmp_path / "papers"
    paperbot("init", str(home))
    for file, name in ((home / "paperbot.toml", "settings"), (home / "profiles" / "reward-models.toml", "profile")):
        target = re.match(r"#:schema (\S+)\n", file.read_text())[1]
        schema = (file.parent / target).read_text()
        assert schema == paperbot("config" if name == "settings" else "profiles", "--schema").out
        assert errors(f"{name}.json", file.read_text()) == []
    old = home / "state" / "schemas" / "profile.json"
    old.write_text("{}")
    assert "wrote the schemas" in paperbot("--home", str(home), "check", "--fix").out
    assert old.read_text() == schema
    assert "wrote the schemas" not in paperbot("--home", str(home), "check", "--fix").out
