"""Settings: paperbot.toml, the precedence of the environment, and secrets."""

from pathlib import Path

import pytest

from bot.config.settings import load_settings
from bot.model.errors import ConfigError
from bot.sources import source_models


def settings_of(home: Path, text: str):
    (home / "paperbot.toml").write_text(text)
    return load_settings(home, source_models())


def test_the_environment_takes_precedence_over_the_file(tmp_path, monkeypatch):
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


def test_a_key_is_sent_over_http_to_loopback_only(tmp_path, monkeypatch):
    monkeypatch.setenv("PAPERBOT_SUMMARIES__KEY", "sesame")
    text = '[summaries]\nendpoint = "http://{}/v1"\nmodel = "m"'
    assert settings_of(tmp_path, text.format("localhost:11434")).summaries.key.get_secret_value() == "sesame"
    with pytest.raises(ConfigError, match="sends the key unencrypted"):
        settings_of(tmp_path, text.format("api.example.org"))


MISTAKES = {
    "token in the file": ('[slack]\ntoken = "x"', "slack.token: secrets don't belong in files"),
    "key in the file": ('[summaries]\nkey = "x"', "set PAPERBOT_SUMMARIES__KEY"),
    "endpoint without a model": ('[summaries]\nendpoint = "https://api.example.org/v1"', "endpoint needs a model"),
    "invalid endpoint": ('[summaries]\nendpoint = "api.example.org"\nmodel = "m"', "summaries.endpoint"),
    "port out of range": (
        '[[sources]]\nname = "blog"\nkind = "feed"\nurl = "http://example.org:99999/"',
        "has no port between 1 and 65535",
    ),
    "negative port": (
        '[[sources]]\nname = "blog"\nkind = "feed"\nurl = "http://example.org:-1/"',
        "has no port between 1 and 65535",
    ),
    "unknown table": ("[emial]\n", ":1: emial: unknown key; did you mean 'email'?"),
    "unencrypted mail": ('[email]\nhost = "mail.example.org"\nsecurity = "none"', 'use "starttls" or "tls"'),
    "port": ("[email]\nport = 99999", "email.port: 99999 is not valid"),
    "password in a source's address": (
        '[[sources]]\nname = "x"\nkind = "feed"\nurl = "http://a:b@x"',
        "passwords don't belong in addresses",
    ),
    "unencrypted mailbox": (
        '[[sources]]\nname = "x"\nkind = "mailbox"\nhost = "imap.example.org"\nusername = "a"\nsender = "b"\n'
        'security = "none"',
        'security = "none" sends the password unencrypted',
    ),
    "operator": ('[bot]\noperator = "nobody"', ":2: bot.operator: "),
    "kind of source": (
        '[[sources]]\nname = "a"\nkind = "fodler"\npath = "x"',
        ":3: sources[1].kind: 'fodler' is not valid",
    ),
    "address": (
        '[bot]\npublic_url = "papers.example.org"',
        "bot.public_url: 'papers.example.org' is not a web address",
    ),
    "a number for a table": ("email = 3", "email: what is set there is not valid; it should be a table of its own"),
}


@pytest.mark.parametrize(("text", "says"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_reported_in_one_line_with_place_and_remedy(tmp_path, text, says):
    with pytest.raises(ConfigError) as caught:
        settings_of(tmp_path, text)
    assert str(caught.value).startswith("paperbot.toml")
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]", "127.8.8.8"])
def test_mail_to_loopback_may_be_unencrypted(tmp_path, host):
    assert settings_of(tmp_path, f'[email]\nhost = "{host}"\nsecurity = "none"').email.security == "none"


def test_a_directory_without_settings_is_not_a_home(tmp_path):
    with pytest.raises(ConfigError, match="paperbot init"):
        load_settings(tmp_path, source_models())


SECRET = "hush-hush-1"
WRONG_SHAPES = {
    "PAPERBOT_EMAIL": [
        SECRET,
        f'"{SECRET}"',
        f'["{SECRET}"]',
        f'{{"password": "{SECRET}',
        f'{{"password": ["{SECRET}"]}}',
        f'{{"passwort": "{SECRET}"}}',
    ],
    "PAPERBOT_EMAIL__PASSWORD__X": [SECRET],
    "PAPERBOT_SLACK": [f'{{"token": {{"a": "{SECRET}"}}}}', f'"{SECRET}"'],
    "PAPERBOT_PASSWORDS": [SECRET, f'["{SECRET}"]', f'"{SECRET}"'],
    "PAPERBOT_PASSWORDS__LISTS__X": [SECRET],
    "PAPERBOT_WEB__OPERATOR_TOKEN": [SECRET],
    "PAPERBOT_STORE": [f'"postgresql://ada:{SECRET}@db/papers"'],
    "PAPERBOT_STORE__URL__X": [f"postgresql://ada:{SECRET}@db/papers"],
    "PAPERBOT_FETCH__PROXY": [f"htp://ada:{SECRET}@proxy", f"http://ada:{SECRET}@proxy"],
    "PAPERBOT_SUMMARIES__ENDPOINT": [f"htp://ada:{SECRET}@api"],
    "PAPERBOT_SOURCES": [f'[{{"name": "a", "kind": "folder", "path": "x", "password": "{SECRET}"}}]', SECRET],
}


@pytest.mark.parametrize(("variable", "value"), [(k, v) for k, values in WRONG_SHAPES.items() for v in values])
def test_a_secret_in_the_wrong_shape_or_place_is_refused_and_not_shown(tmp_path, monkeypatch, variable, value):
    monkeypatch.setenv(variable, value)
    with pytest.raises(ConfigError) as caught:
        settings_of(tmp_path, "")
    assert SECRET not in str(caught.value)


def test_invalid_json_in_a_variable_is_reported_with_its_name(home, paperbot, monkeypatch):
    for value in ("{", "[" * 100_000):
        monkeypatch.setenv("PAPERBOT_EMAIL", value)
        answer = paperbot("check")
        assert answer.code == 2
        assert answer.err.startswith("! environment: PAPERBOT_")
        assert "mistake in Paperbot" not in answer.err


@pytest.mark.parametrize("text", ["x = " + "[" * 100_000, "x = " + "{a=" * 50_000, "x = " + "9" * 5_000])
@pytest.mark.parametrize("file", ["paperbot.toml", "profiles/deep.toml"])
def test_toml_beyond_pythons_limits_is_reported_with_the_file(home, paperbot, file, text):
    (home / file).write_text(text)
    answer = paperbot("check")
    assert answer.code == 2
    assert "mistake in Paperbot" not in answer.err
    assert f"{file}: " in answer.out + answer.err


@pytest.mark.parametrize(
    ("sender", "becomes"),
    [
        ("papers@example.org", "papers@example.org"),
        ("Paperbot <papers@example.org>", "Paperbot <papers@example.org>"),
        ('"Doe, Jane" <papers@example.org>', '"Doe, Jane" <papers@example.org>'),
        ("Doe, Jane (papers) <papers@example.org>", '"Doe, Jane (papers)" <papers@example.org>'),
        ("Zoë <papers@bücher.example>", "Zoë <papers@xn--bcher-kva.example>"),
    ],
)
def test_senders_are_normalised_for_the_from_header(tmp_path, sender, becomes):
    assert settings_of(tmp_path, f"[email]\nsender = '{sender}'").email.sender == becomes


INVALID_SENDERS = ["", "a b", "@", "<>", "((((", "a@", "a@b, c@d", "A <a@[x>", "a@b@c", "<a@b.c", "A <a@b.c> x",
              "=?utf-8?q?a=0d=0aBcc:_x@y?= <a@b.c>", "A\u202e <a@b.c>", "x" * 400 + " <a@b.c>",
              'A" <a@b.c>']  # fmt: skip


@pytest.mark.parametrize("sender", INVALID_SENDERS)
def test_an_invalid_sender_is_refused_before_anything_is_sent(home, paperbot, monkeypatch, sender):
    monkeypatch.setenv("PAPERBOT_EMAIL__SENDER", sender)
    answer = paperbot("run")
    assert answer.code == 2
    assert answer.err.startswith("paperbot: environment: PAPERBOT_EMAIL__SENDER: ")


def test_proxies_are_named_by_address_or_network(tmp_path):
    text = "[web]\ntrusted_proxies = {}"
    settings = settings_of(tmp_path, text.format('["127.0.0.1", "10.0.0.0/8"]'))
    assert settings.web.trusted_proxies == ("127.0.0.1/32", "10.0.0.0/8")
    with pytest.raises(ConfigError, match=r"'proxy' is not an address or network; write it like 127\.0\.0\.1"):
        settings_of(tmp_path, text.format('["proxy"]'))


def test_invalid_urls_are_reported_with_their_key(tmp_path):
    for key in ("bot.public_url", "fetch.proxy", "summaries.endpoint"):
        section, name = key.split(".")
        for url in ("http://[", "http://", "https://x:99999", "https://x:-1", "javascript:x"):
            with pytest.raises(ConfigError, match=rf"{key}: .* (is not a web address|has no port)"):
                settings_of(tmp_path, f'[{section}]\n{name} = "{url}"\n')
        # `check` prints addresses.
        with pytest.raises(ConfigError, match=rf"{key}: passwords don't belong in addresses") as refused:
            settings_of(tmp_path, f'[{section}]\n{name} = "https://ada:{SECRET}@example.org"\n')
        assert SECRET not in str(refused.value)


@pytest.mark.parametrize(
    ("variable", "value", "says"),
    [
        ("PAPERBOT_WEB__OPERATOR_TOKEN", "hunter2", "is too short; use 16 characters or more"),
        ("PAPERBOT_EMAIL__PASWORD", "hunter2", "there is no such setting; did you mean PAPERBOT_EMAIL__PASSWORD?"),
        ("PAPERBOT_EMIAL__PASSWORD", "hunter2", "there is no such setting; did you mean PAPERBOT_EMAIL__PASSWORD?"),
        ("PAPERBOT_EMAIL_PASSWORD", "hunter2", "there is no such setting; did you mean PAPERBOT_EMAIL__PASSWORD?"),
        ("PAPERBOT_WEATHER__TODAY", "hunter2", "there is no such setting; docs/settings.md lists the settings"),
        ("PAPERBOT_EMAIL__PORT", "many", "'many' is not valid"),
    ],
)
def test_a_mistake_in_the_environment_names_the_variable_and_shows_no_secret(
    tmp_path, monkeypatch, variable, value, says
):
    monkeypatch.setenv(variable, value)
    with pytest.raises(ConfigError) as caught:
        settings_of(tmp_path, "")
    assert str(caught.value).startswith(f"environment: {variable}: {says}")
    assert "hunter2" not in str(caught.value)
    assert "paperbot.toml" not in str(caught.value)


@pytest.mark.parametrize("variable", ["PAPERBOT_HOME", "PAPERBOT_DEBUG", "PAPERBOT_TEST_POSTGRES"])
def test_variables_of_other_programs_are_ignored(tmp_path, monkeypatch, variable):
    monkeypatch.setenv(variable, "1")
    settings_of(tmp_path, "")
