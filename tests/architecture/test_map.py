"""The map in CONTRIBUTING.md is complete: it names each package and module, and none that does not exist."""

import re

import pytest
from support import ROOT

BOT = ROOT / "bot"
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text()
MAP = CONTRIBUTING.partition("## The map\n")[2].partition("### Where do I change ...\n")[0]
LAYERS, MODULES = MAP.partition("The modules of each package")[::2]
PACKAGES = sorted(path.name for path in BOT.iterdir() if (path / "__init__.py").exists())


def test_every_package_and_top_level_module_has_a_place_in_the_layers():
    top_level = {path.name for path in BOT.glob("*.py")} - {"__init__.py", "__main__.py"}
    first_column = "".join(re.findall(r"(?m)^\|(.*?)\|", LAYERS))
    named = re.findall(r"`([a-z_]+(?:/|\.py))`", first_column)
    assert sorted(named) == sorted(top_level | {f"{package}/" for package in PACKAGES})


@pytest.mark.parametrize("package", PACKAGES)
def test_every_module_of_a_package_is_in_its_row(package):
    (row,) = re.findall(rf"(?m)^\| `{package}/` \| (.*) \|$", MODULES)
    modules = sorted(path.stem for path in (BOT / package).glob("*.py") if path.stem != "__init__")
    assert sorted(re.findall(r"`([a-z_]+)`", row)) == modules


@pytest.mark.parametrize(
    "path", sorted(set(re.findall(r"`((?:bot|tests|templates)/[\w./*-]+)`", CONTRIBUTING)))
)
def test_every_path_that_is_named_exists(path):
    assert list(ROOT.glob(path))
