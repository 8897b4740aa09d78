"""Throws changed digests, mails, texts and forms at what reads them: make fuzz SECONDS=60

    python tests/fuzz/fuzz.py SECONDS [TARGET...]

The seconds are shared by the targets. What was learned is kept in ``.fuzz/`` and used the next time. Where atheris is
installed it looks for new ways through the code; where it isn't (it has no wheels for the newest Pythons), hypothesis
changes the seeds without looking. An input that fails is written to ``.fuzz/``, and the exit code is 1.
"""

import hashlib
import importlib.util
import os
import re
import subprocess
import sys
import time
import traceback
from pathlib import Path

ROOT = Path(__file__).parents[2]
CORPUS = ROOT / ".fuzz"
LONGEST, MEGABYTES = 20_000, 2_000
# By the clock, as libFuzzer knows no processor time: on a busy machine 10 s ended an input that needs 0.3 s of it.
SECONDS_FOR_ONE = 60


def main(seconds: float, names: list[str]) -> int:
    sys.path[:0] = [str(ROOT / "tests" / folder) for folder in ("", "fuzz", "formats")]
    from targets import TARGETS, seeds

    failed = []
    has_atheris = importlib.util.find_spec("atheris") is not None
    fuzz = _with_atheris if has_atheris else _with_hypothesis
    for name in names or TARGETS:
        folder = CORPUS / name
        folder.mkdir(parents=True, exist_ok=True)
        for seed in seeds(name):
            path = folder / hashlib.sha1(seed, usedforsecurity=False).hexdigest()
            if not path.exists():
                path.write_bytes(seed)
        share = max(1, round(seconds / len(names or TARGETS)))
        print(f"{name}: {share} s by {'atheris' if has_atheris else 'hypothesis'}", flush=True)
        executions, passed = fuzz(name, share, folder)
        print(f"{name}: {executions:,} executions, {'nothing found' if passed else 'FAILED'}", flush=True)
        if not passed or not executions:
            failed.append(name)
    print(f"failed: {', '.join(failed)}" if failed else "nothing found")
    return bool(failed)


def _with_atheris(name: str, seconds: int, folder: Path) -> tuple[int, bool]:
    """Fuzz in a process of its own, as libFuzzer ends the process; return the executions and whether all passed."""
    arguments = [
        f"-max_total_time={seconds}",
        f"-max_len={LONGEST}",
        f"-timeout={SECONDS_FOR_ONE}",
        f"-rss_limit_mb={MEGABYTES}",
        f"-artifact_prefix={CORPUS}/{name}-",
        "-verbosity=0",
        "-print_final_stats=1",
        str(folder),
    ]
    command = [sys.executable, __file__, "--atheris", name, *arguments]
    ran = subprocess.run(command, cwd=ROOT, check=False, stderr=subprocess.PIPE, text=True, errors="replace")
    if ran.returncode:
        print(ran.stderr[-5_000:], flush=True)
    executed = re.search(r"stat::number_of_executed_units: (\d+)", ran.stderr)
    return int(executed[1]) if executed else 0, not ran.returncode


def _atheris(name: str, arguments: list[str]) -> None:
    import atheris

    sys.path[:0] = [str(ROOT), *(str(ROOT / "tests" / folder) for folder in ("", "fuzz", "formats"))]
    with atheris.instrument_imports(include=["bot", "feedparser", "pylatexenc", "email"]):
        from targets import TARGETS
    target = TARGETS[name]
    target(b"")  # what is opened once is no part of an input's time
    atheris.Setup([sys.argv[0], *arguments], target)
    atheris.Fuzz()


def _with_hypothesis(name: str, seconds: int, folder: Path) -> tuple[int, bool]:
    """Try seeds with a piece cut out and another put in; return the executions and whether all passed."""
    from hypothesis import HealthCheck, given, settings
    from hypothesis import strategies as st
    from targets import TARGETS

    corpus = [path.read_bytes()[:LONGEST] for path in sorted(folder.iterdir())]
    changed = st.builds(
        lambda seed, at, length, piece: seed[: at % (len(seed) + 1)] + piece + seed[at % (len(seed) + 1) + length :],
        st.sampled_from(corpus),
        st.integers(0, LONGEST),
        st.integers(0, 200),
        st.one_of(st.binary(max_size=50), st.sampled_from(corpus)),
    )
    last = b""
    executions = 0

    @settings(max_examples=200, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(changed)
    def examples(data: bytes) -> None:
        nonlocal last, executions
        last = data
        executions += 1
        TARGETS[name](data)

    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            examples()
        except Exception:
            traceback.print_exc()
            (CORPUS / f"{name}-crash-{hashlib.sha1(last, usedforsecurity=False).hexdigest()}").write_bytes(last)
            return executions, False
    return executions, True


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    if sys.argv[1] == "--atheris":
        _atheris(sys.argv[2], sys.argv[3:])
    else:
        sys.exit(main(float(sys.argv[1]), sys.argv[2:]))
