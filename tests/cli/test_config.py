"""``paperbot config`` shows the settings in force, and where they come from."""

import os
import shutil
import subprocess
import sys

import pytest

from bot.config.settings import Settings
from bot.config.tables import Section


def setting(answer, key):
    (match,) = [row for row in answer.json["settings"] if row["key"] == key]
    return match["value"], match["origin"], match["variable"]


def test_each_setting_has_its_value_and_origin(home, paperbot, monkeypatch):
    before = sorted(home.rglob("*"))
    text = (home / "paperbot.toml").read_text()
    (home / "paperbot.toml").write_text(text.replace("# port = 587", "port = 2525"))
    monkeypatch.setenv("PAPERBOT_BOT__TIMEZONE", "Europe/Berlin")
    monkeypatch.setenv("PAPERBOT_FETCH", '{"timeout": 12}')
    answer = paperbot("config", "--json")
    assert answer.json["home"] == str(home)
    assert setting(answer, "email.port") == (2525, "paperbot.toml", None)
    assert setting(answer, "bot.timezone") == ("Europe/Berlin", "environment", "PAPERBOT_BOT__TIMEZONE")
    assert setting(answer, "fetch.timeout") == (12.0, "environment", "PAPERBOT_FETCH")
    assert setting(answer, "fetch.proxy") == ("", "default", None)
    assert setting(answer, "sources[1].path") == ("seeds", "paperbot.toml", None)
    assert sorted(home.rglob("*")) == before, "nothing is created"


def test_no_setting_is_left_out(home, paperbot):
    keys = {row["key"] for row in paperbot("config", "--json").json["settings"]}
    for section, field in Settings.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, Section):
            assert {f"{section}.{key}" for key in field.annotation.model_fields} <= keys


@pytest.mark.parametrize("arguments", [(), ("--json",)])
def test_secrets_are_masked(home, paperbot, monkeypatch, arguments):
    for name, value in {
        "EMAIL__PASSWORD": "hunter2",
        "SLACK__TOKEN": "xoxb-hunter2",
        "PASSWORDS__SCHOLAR": "hunter2",
        "WEB__OPERATOR_TOKEN": "hunter2" * 4,
        "STORE__URL": "postgresql://paperbot:hun/ter2@127.0.0.1/paperbot".replace("/ter2", "@ter2"),
    }.items():
        monkeypatch.setenv(f"PAPERBOT_{name}", value)
    answer = paperbot("config", *arguments)
    assert answer.code == 0
    assert "hun" not in answer.out
    assert "ter2" not in answer.out
    assert "postgresql://paperbot:********@127.0.0.1/paperbot" in answer.out
    for name in ("password", "sslpassword", "api_key", "token", "key"):
        url = f"postgresql://paperbot@127.0.0.1/paperbot?{name}=hunter2&sslmode=require"
        monkeypatch.setenv("PAPERBOT_STORE__URL", url)
        assert "hunter2" not in paperbot("config", *arguments).out
        shown = {row["key"]: row["value"] for row in paperbot("config", "--json").json["settings"]}
        assert shown["store.url"] == url.replace("hunter2", "********")
    assert "PAPERBOT_PASSWORDS__SCHOLAR" in answer.out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_script_of_each_shell_calls_paperbot(paperbot, shell):
    script = paperbot("completion", shell).out
    assert "_PAPERBOT_COMPLETE" in script
    assert paperbot("completion", "tcsh").code == 2


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
def test_zsh_needs_nothing_else_for_the_script(paperbot, tmp_path):
    (tmp_path / "script").write_text(paperbot("completion", "zsh").out)
    command = "source ./script; print $_comps[paperbot]"
    # -f: without any start-up file, as for a new user.
    completed = subprocess.run(
        ["zsh", "-f", "-c", command],
        cwd=tmp_path,
        env=os.environ | {"HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (completed.stdout.strip(), completed.stderr) == ("_paperbot_completion", "")


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("paperbot sub", ["plain,subscribe"]),
        ("paperbot preview rew", ["plain,reward-models/ada@example.org"]),
        ("paperbot thumb up rew", ["plain,reward-models/ada@example.org"]),
        ("paperbot --home /nowhere preview rew", []),
        ("paperbot nothing rew", []),
    ],
)
def test_bash_completes_commands_and_readers(home, words, completed):
    answer = subprocess.run(
        [sys.executable, "-m", "bot"],
        env=os.environ
        | {
            "_PAPERBOT_COMPLETE": "bash_complete",
            "PAPERBOT_HOME": str(home),
            "COMP_WORDS": words,
            "COMP_CWORD": str(len(words.split()) - 1),
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert (answer.stdout.split(), answer.stderr) == (completed, "")
