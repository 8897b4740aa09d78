"""Settings come from paperbot.toml, the environment wins, and secrets come from there alone."""

from pathlib import Path

import pytest

from bot.config.settings import load_settings
from bot.errors import ConfigError


def settings_of(home: Path, text: str):
    (home / "paperbot.toml").write_text(text)
    return load_settings(home)


def test_an_empty_file_gives_the_defaults(tmp_path):
    settings = settings_of(tmp_path, "")
    assert settings.bot.public_url == "http://localhost:8000"
    assert settings.store.url == "sqlite:///state/paperbot.db"
    assert (settings.email.host, settings.email.port, settings.email.security) == ("", 587, "starttls")
    assert settings.sources == ()


def test_the_environment_wins_over_the_file(tmp_path, monkeypatch):
    monkeypatch.setenv("PAPERBOT_EMAIL__PORT", "2525")
    monkeypatch.setenv("PAPERBOT_BOT__TIMEZONE", "Asia/Tokyo")
    settings = settings_of(tmp_path, '[email]\nport = 25\nhost = "mail.example.org"\n[bot]\ntimezone = "UTC"')
    assert (settings.email.port, settings.email.host) == (2525, "mail.example.org")
    assert settings.bot.timezone == "Asia/Tokyo"


def test_secrets_come_from_the_environment_and_are_not_shown(tmp_path, monkeypatch):
    monkeypatch.setenv("PAPERBOT_EMAIL__PASSWORD", "hush-hush-1")
    monkeypatch.setenv("PAPERBOT_SLACK__TOKEN", "xoxb-hush-hush")
    settings = settings_of(tmp_path, "")
    assert settings.email.password.get_secret_value() == "hush-hush-1"
    assert "hush-hush" not in repr(settings)


def test_a_key_goes_over_http_to_this_machine_only(tmp_path, monkeypatch):
    monkeypatch.setenv("PAPERBOT_SUMMARIES__KEY", "sesame")
    text = '[summaries]\nendpoint = "http://{}/v1"\nmodel = "m"'
    assert settings_of(tmp_path, text.format("localhost:11434")).summaries.key.get_secret_value() == "sesame"
    with pytest.raises(ConfigError, match="sends the key readably"):
        settings_of(tmp_path, text.format("api.example.org"))


MISTAKES = {
    "secret in the file": (
        '[email]\npassword = "x"',
        "email.password: secrets don't belong in files; set PAPERBOT_EMAIL__PASSWORD",
    ),
    "token in the file": ('[slack]\ntoken = "x"', "slack.token: secrets don't belong in files"),
    "key in the file": ('[summaries]\nkey = "x"', "set PAPERBOT_SUMMARIES__KEY"),
    "endpoint without a model": (
        '[summaries]\nendpoint = "https://api.example.org/v1"',
        "endpoint needs a model",
    ),
    "endpoint that is none": ('[summaries]\nendpoint = "api.example.org"\nmodel = "m"', "summaries.endpoint"),
    "port that is none": (
        '[[sources]]\nname = "blog"\nkind = "feed"\nurl = "http://example.org:99999/"',
        "has no port between 1 and 65535",
    ),
    "negative port": (
        '[[sources]]\nname = "blog"\nkind = "feed"\nurl = "http://example.org:-1/"',
        "has no port between 1 and 65535",
    ),
    "unknown table": ("[emial]\n", ":1: emial: unknown key; did you mean 'email'?"),
    "unknown key": ("[email]\nhots = 1", ":2: email.hots: unknown key; did you mean 'host'?"),
    "readable mail": ('[email]\nhost = "mail.example.org"\nsecurity = "none"', 'use "starttls" or "tls"'),
    "port": ("[email]\nport = 99999", "email.port: 99999 won't do"),
    "kind of source": (
        '[[sources]]\nname = "a"\nkind = "fodler"\npath = "x"',
        ":3: sources[1].kind: 'fodler' won't do",
    ),
    "two of a name": ('[[sources]]\nname="a"\nkind="folder"\npath="x"\n' * 2, "two sources are called 'a'"),
    "address": (
        '[bot]\npublic_url = "papers.example.org"',
        "bot.public_url: 'papers.example.org' is no web address",
    ),
    "time zone": ('[bot]\ntimezone = "Nowhere"', "unknown time zone 'Nowhere'"),
    "a table that is none": ("email = 3", "email: 3 won't do; it should be a table of its own"),
}


@pytest.mark.parametrize(("text", "says"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_told_in_one_line_with_its_place_and_remedy(tmp_path, text, says):
    with pytest.raises(ConfigError) as caught:
        settings_of(tmp_path, text)
    assert str(caught.value).startswith("paperbot.toml")
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_mistake_in_the_environment_names_the_key(tmp_path, monkeypatch):
    monkeypatch.setenv("PAPERBOT_EMAIL__PORT", "many")
    with pytest.raises(ConfigError, match=r"email\.port: 'many' won't do"):
        settings_of(tmp_path, "")


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]", "127.8.8.8"])
def test_mail_to_this_very_machine_may_be_readable(tmp_path, host):
    assert settings_of(tmp_path, f'[email]\nhost = "{host}"\nsecurity = "none"').email.security == "none"


def test_a_directory_without_settings_is_no_home(tmp_path):
    with pytest.raises(ConfigError, match="paperbot init"):
        load_settings(tmp_path)
