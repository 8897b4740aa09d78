"""Each third-party library is known in one room only, so that it can be changed for another in one place."""

import ast
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest
from support import ROOT

BOT = ROOT / "bot"


def room(path: Path) -> str:
    return path.relative_to(BOT).parts[0].removesuffix(".py")


def imported(path: Path) -> set[str]:
    """Top-level names of what a module imports at run time, at its top or inside functions."""
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


# Libraries that two rooms need, each for a thing of its own.
SHARED = {
    "httpx2": {"sources", "tldr"}
}  # one fetches what anybody may have written, one posts to the owner's endpoint


def test_each_third_party_library_is_imported_in_one_room():
    rooms = defaultdict(set)
    for path in BOT.rglob("*.py"):
        for name in imported(path):
            rooms[name].add(room(path))
    assert len(rooms) >= 15
    assert {name: found for name, found in rooms.items() if len(found) > 1} == SHARED


@pytest.mark.parametrize("module", ["bot.cli.main", "bot.web"])
def test_what_takes_a_second_to_import_is_imported_when_it_is_used(module):
    heavy = "{'sklearn', 'scipy'}"
    check = f"import sys, {module}; print(sorted({heavy} & sys.modules.keys()))"
    ran = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, cwd=ROOT, check=True)
    assert ran.stdout.strip() == "[]"
