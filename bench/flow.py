"""How many modules and functions a digest runs through to its mail: ``python bench/flow.py [--list]``.

Counts the distinct modules and functions of ``bot`` that are entered during one ``paperbot run --force`` in this
process, in all threads, with one shipped digest, one profile and one reader, on a home whose database was made before:
migrations run once in a home. A module counts if a function of it is entered. Functions have a name: lambdas,
comprehensions, and the bodies of modules and classes, which are run by imports, are counted beside them. The parser
process runs modules of its own, so the digest is parsed here once more.
"""

from __future__ import annotations

import argparse
import contextlib
import inspect
import io
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path
from types import CodeType, FrameType

ROOT = Path(__file__).resolve().parents[1]
BOT = ROOT / "bot"
DIGEST = ROOT / "seeds" / "llm-rl-2025-05-06.txt"
PROFILE = ROOT / "profiles" / "reward-models.toml"


def run(home: Path) -> set[CodeType]:
    """Return the functions that are entered while the digest goes to its mail."""
    from bot.cli.main import invoke
    from bot.formats.registry import parse
    from bot.model import RawDigest

    codes: set[CodeType] = set()

    def enter(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call":
            codes.add(frame.f_code)

    threading.setprofile(enter)
    sys.setprofile(enter)
    try:
        with contextlib.redirect_stdout(io.StringIO()) as output:
            code = invoke(["run", "--home", str(home), "--force", "--json"])
            parse(RawDigest("seeds", DIGEST.name, DIGEST.read_bytes()))
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    if code or not list((home / "state" / "outbox").rglob("*.eml")):
        raise SystemExit(f"no mail was made: {output.getvalue()}")
    return {code for code in codes if code.co_filename.startswith(f"{BOT}{os.sep}")}


def main() -> None:
    """Print the numbers, and with ``--list`` how many functions are entered of each module."""
    arguments = argparse.ArgumentParser(description="Count the modules and functions from a digest to its mail.")
    arguments.add_argument("--list", action="store_true", help="the number of functions of each module as well")
    options = arguments.parse_args()
    sys.path.insert(0, str(ROOT))
    os.environ.pop("PAPERBOT_HOME", None)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        for name in ("profiles", "seeds"):
            (home / name).mkdir()
        (home / "paperbot.toml").write_text('[[sources]]\nname = "seeds"\nkind = "folder"\npath = "seeds"\n')
        shutil.copy(PROFILE, home / "profiles")
        # In a process of its own, as this one would remember what it read.
        making = [sys.executable, "-m", "bot", "ingest", "--home", str(home)]
        subprocess.run(making, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        shutil.copy(DIGEST, home / "seeds")
        codes = run(home)
    named = {code for code in codes if code.co_flags & inspect.CO_NEWLOCALS and not code.co_name.startswith("<")}
    modules = Counter(str(Path(code.co_filename).relative_to(ROOT)) for code in named)
    if options.list:
        for module, count in sorted(modules.items()):
            print(f"{count:4} {module}")
    imported = {code.co_filename for code in codes}
    print(f"{len(modules)} modules, {len(named)} functions")
    print(f"with what only imports run: {len(imported)} modules; with lambdas and bodies: {len(codes)} code objects")


if __name__ == "__main__":
    main()
