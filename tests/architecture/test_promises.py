"""The documents name every setting, key, command and option, and none that does not exist; their links work."""

import re
import tomllib
from pathlib import Path

import click
import pytest
from support import ROOT

from bot.channels import reader_channels
from bot.cli.main import paperbot
from bot.config.profiles import Profile
from bot.config.settings import Settings
from bot.config.tables import Section
from bot.sources import source_models

DOCS = ROOT / "docs"
COMMANDS, SETTINGS, PROFILES = ((DOCS / name).read_text() for name in ("commands.md", "settings.md", "profiles.md"))
GENERATED = DOCS / "reference.md"  # by `make docs`, and not in the repository
DOCUMENTS = sorted({*ROOT.glob("*.md"), *DOCS.rglob("*.md"), ROOT / "bench" / "README.md"} - {GENERATED})


def keys_of(model, prefix: str = "") -> set[str]:
    keys = set()
    for name, field in model.model_fields.items():
        section = next(
            (a for a in (field.annotation, *getattr(field.annotation, "__args__", ())) if is_section(a)), None
        )
        many = "tuple" in str(field.annotation)
        keys |= keys_of(section, f"{prefix}{name}{'[]' if many else ''}.") if section else {prefix + name}
    return keys


def setting_keys() -> set[str]:
    """Return the keys of all settings, with those of every kind of source."""
    return keys_of(Settings).union(*(keys_of(options, "sources[].") for options in source_models().values()))


def is_section(annotation) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, Section)


# A reader's table has one key, the name of a channel.
PROFILE_KEYS = {key for key in keys_of(Profile) if not key.startswith("readers[]")}
# A text, or tables.
PROFILE_KEYS |= {"interests"}
PROFILE_KEYS |= {f"readers[].{channel.name}" for channel in reader_channels()}


@pytest.mark.parametrize(
    ("page", "keys"), [(SETTINGS, setting_keys()), (PROFILES, PROFILE_KEYS)], ids=["settings", "profiles"]
)
def test_each_setting_and_profile_key_has_one_row_and_no_other_key_has(page, keys):
    rows = re.findall(r"(?m)^\| `([a-z_\[\].]+)` \|", page)
    assert sorted(rows) == sorted(keys)


@pytest.mark.parametrize("kind", source_models())
def test_every_kind_of_source_is_in_the_row_of_kinds(kind):
    (row,) = re.findall(r"(?m)^\| `sources\[\].kind` .*", SETTINGS)
    assert f"`{kind}`" in row


def test_the_commands_that_have_a_row_are_those_that_exist():
    assert set(re.findall(r"(?m)^\| `paperbot ([\w-]+)", COMMANDS)) == set(paperbot.commands)


def test_every_option_of_a_command_is_in_its_row_and_no_other():
    for name in paperbot.commands:
        command = paperbot.resolve_command(click.Context(paperbot), [name])[1]
        usages = re.findall(rf"(?m)^\| (`paperbot {name}\b.*?) \| ", COMMANDS)
        named = set(re.findall(r"--[a-z-]+", " ".join(usages)))
        options = options_of(command)
        assert {option[0] for option in options if option[0] not in UNNAMED} <= named, name
        assert named <= {form for option in options for form in option}, name


UNNAMED = {"--home", "--now", "--verbose", "--help"}  # described once for all commands, or in `--help` only


def options_of(command) -> list[list[str]]:
    """Return the forms of each option of a command and its subcommands: ``["--samples", "--no-samples"]``."""
    own = [[*option.opts, *option.secondary_opts] for option in command.params if option.opts[0].startswith("--")]
    return own + [forms for inner in getattr(command, "commands", {}).values() for forms in options_of(inner)]


def pinned(file: Path) -> list[str]:
    """Return the entries of a file of requirements and of those it includes, each with its hashes."""
    entries = []
    for line in file.read_text().replace("\\\n", "").splitlines():
        entries += pinned(file.parent / line.removeprefix("-r ")) if line.startswith("-r ") else [line]
    return entries


def test_requirements_have_hashes_name_no_registry_and_are_pinned_once():
    everything = pinned(ROOT / ".ci" / "requirements" / "fuzz.txt")  # which includes all others
    assert {line for file in (ROOT / ".ci" / "requirements").iterdir() for line in pinned(file)} <= set(everything)
    assert [
        line for line in everything if not re.fullmatch(r"[\w.-]+==[^:@]+( +--hash=sha256:[0-9a-f]{64})+", line)
    ] == []
    pins = [line.partition(" --hash")[0].strip() for line in everything]
    assert len(pins) == len(set(pins))


@pytest.mark.parametrize(("name", "parts"), [("run", ()), ("queue", ("postgres", "queue"))])
def test_what_pyproject_names_is_pinned(name, parts):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"]
    named = [
        *project["project"]["dependencies"],
        *project["dependency-groups"]["build"],
        *(requirement for part in parts for requirement in extras[part]),
    ]
    names = {re.match(r"[\w-]+", requirement)[0] for requirement in named} - {project["project"]["name"]}
    assert names <= {entry.partition("==")[0] for entry in pinned(ROOT / ".ci" / "requirements" / f"{name}.txt")}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_to_files_and_sections_that_exist(document):
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(document)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, section = target.partition("#")
        file = (document.parent / path).resolve() if path else document
        assert file.exists(), target
        if section:
            assert section in map(anchor, re.findall(r"(?m)^#+ (.+)$", prose(file))), target


def prose(document: Path) -> str:
    """Return the document without its blocks of code, where ``#`` is a comment."""
    return re.sub(r"(?m)^    .*$", "", document.read_text())


def anchor(heading: str) -> str:
    """Return the anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_every_page_is_in_the_site_s_navigation():
    named = set(re.findall(r'"([\w/.-]+\.md)"', (ROOT / "zensical.toml").read_text()))
    assert named == {"reference.md"} | {str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md")}


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_what_a_newcomer_reads_stays_short(name):
    assert len((ROOT / name).read_text().splitlines()) <= 150
