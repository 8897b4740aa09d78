"""The README documents every setting, key, command and option, and names none that does not exist."""

import re
from pathlib import Path

import pytest
from support import ROOT

from bot.channels.registry import reader_channels
from bot.cli.main import paperbot
from bot.config.profiles import Profile
from bot.config.settings import Settings
from bot.config.toml import Section

README = (ROOT / "README.md").read_text()


def keys_of(model, prefix: str = "") -> set[str]:
    keys = set()
    for name, field in model.model_fields.items():
        section = next(
            (a for a in (field.annotation, *getattr(field.annotation, "__args__", ())) if is_section(a)), None
        )
        many = "tuple" in str(field.annotation)
        keys |= keys_of(section, f"{prefix}{name}{'[]' if many else ''}.") if section else {prefix + name}
    return keys


def is_section(annotation) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, Section)


# A reader's table has one key, the name of a channel.
KEYS = keys_of(Settings) | {key for key in keys_of(Profile) if not key.startswith("readers[]")}
KEYS |= {f"readers[].{channel.name}" for channel in reader_channels()}


@pytest.mark.parametrize("key", sorted(KEYS))
def test_every_setting_and_profile_key_has_a_row_in_the_readme(key):
    assert f"\n| `{key}` |" in README


@pytest.mark.parametrize("name", paperbot.commands)
def test_every_command_has_a_row_in_the_readme(name):
    assert re.search(rf"\n\| `paperbot {name}\b", README)


def test_every_option_of_a_command_is_in_its_row():
    for name, command in paperbot.commands.items():
        row = "".join(re.findall(rf"\n\| `paperbot {name}\b.*", README))
        for option in command.params:
            if option.name not in ("home", "now", "verbose") and option.opts[0].startswith("--"):
                assert option.opts[0] in row, f"{option.opts[0]} of {name}"


def test_the_readme_names_existing_keys_and_commands_only():
    tables = set(re.findall(r"\n\| `([a-z_\[\].]+)` \|", README))
    assert tables <= KEYS
    assert set(re.findall(r"\n\| `paperbot ([\w-]+)", README)) == set(paperbot.commands)


def test_constraints_name_no_local_path_and_no_registry():
    text = (ROOT / "constraints.txt").read_text()
    assert "://" not in text
    assert not re.search(r"(?m)^-", text)


@pytest.mark.parametrize("link", re.findall(r"\]\(([^)#:]+)\)", README))
def test_files_that_the_readme_links_to_exist(link):
    assert (ROOT / Path(link)).exists()
