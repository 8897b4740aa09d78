"""Each third-party library is imported in one package only, so that it can be replaced in one place."""

import ast
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest
from support import ROOT

BOT = ROOT / "bot"


def package(path: Path) -> str:
    return path.relative_to(BOT).parts[0].removesuffix(".py")


def imported(path: Path) -> set[str]:
    """Return the top-level names that a module imports at run time, at its top or inside functions."""
    tree = ast.parse(path.read_text())
    for_types = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    names = set()
    for node in ast.walk(tree):
        if id(node) in for_types:
            continue
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    return names - set(sys.stdlib_module_names) - {"bot", "__future__"}


# Libraries that several packages need for different purposes: sources fetches untrusted URLs, summaries posts to the
# owner's endpoint, channels writes in Zotero libraries. A kind of source declares its settings where it stands.
# What programs may ask for is described to them by pydantic, too. Calendars are read in the parser process, and plans
# written as calendars outside of it.
SHARED = {
    "httpx2": {"channels", "sources", "summaries"},
    "icalendar": {"cli", "formats"},
    "pydantic": {"cli", "config", "sources"},
}


def test_each_third_party_library_is_imported_in_one_package():
    packages = defaultdict(set)
    for path in BOT.rglob("*.py"):
        for name in imported(path):
            packages[name].add(package(path))
    # Fewer would mean that the search itself is broken.
    assert len(packages) >= 15
    assert {name: importers for name, importers in packages.items() if len(importers) > 1} == SHARED


@pytest.mark.parametrize("module", ["bot.cli.main", "bot.web.application"])
def test_heavy_libraries_are_imported_when_they_are_used(module):
    heavy = "{'sklearn', 'scipy'}"
    check = f"import sys, {module}; print(sorted({heavy} & sys.modules.keys()))"
    ran = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, cwd=ROOT, check=True)
    assert ran.stdout.strip() == "[]"
