"""How long `paperbot import` takes for a large library, by step.

    python bench/library_import.py [ENTRIES]

The library is made here: BibTeX as Zotero writes it, with accents, protected capitals, formulas, abstracts of 200
words, a file field, a duplicated key in a hundred, a note or book in twenty; and the same papers as RIS. The store has
2,000 papers, of which the library has half. Prints wall-clock and processor seconds of the whole command, and of
reading it again, when nothing is new.
"""

from __future__ import annotations

import random
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

from bot.cli.main import invoke
from bot.model import Entry, ParsedDigest
from bot.store import open_store

WORDS = (
    "learning network graph model reward policy protein galaxy neural sparse bound kernel robust latent causal "
    "retrieval of the in with a for we show that results on"
).split()
NAMES = (
    'M{\\"u}ller, J{\\"o}rg',
    "Lovelace, Ada",
    r"Erd{\H{o}}s, P{\'a}l",
    "{Barnes and Noble}",
    "Hopper, Grace",
)
STORED = 2_000


def titles(count: int) -> list[str]:
    rng = random.Random(0)
    return [f"{' '.join(rng.choices(WORDS, k=8)).capitalize()} {number}" for number in range(count)]


def bibtex(count: int) -> Iterator[str]:
    rng = random.Random(1)
    for number, title in enumerate(titles(count)):
        kind = "book" if number % 40 == 7 else "misc" if number % 40 == 8 else "article"
        key = number - 1 if number % 100 == 9 else number
        abstract = " ".join(rng.choices(WORDS, k=200))
        yield (
            f"@{kind}{{key{key},\n  title = {{{title.replace('protein', '{Protein}')}}},\n"
            f"  author = {{{' and '.join(rng.sample(NAMES, 3))}}},\n  year = {{{rng.randint(2014, 2025)}}},\n"
            f"  journal = {{Journal of {{Owls}}}},\n"
            + (
                f"  doi = {{10.1000/x\\_{number}}},\n  urldate = {{2023-0{number % 9 + 1}-11}},\n"
                rf"  abstract = {{{abstract}: 5\% of $\alpha_{{i}}$, {{\textless}}1 na{{\"i}}ve}}," + "\n" + "\n"
                if kind == "article"
                else ""
            )
            + "  file = {Full Text:files/1/a.pdf:application/pdf},\n}\n"
        )


def ris(count: int) -> Iterator[str]:
    rng = random.Random(1)
    for number, title in enumerate(titles(count)):
        abstract = " ".join(rng.choices(WORDS, k=200))
        fields = f"TI  - {title}\nAU  - Lovelace, Ada\nAB  - {abstract}\nPY  - 2020\nDO  - 10.1000/x_{number}"
        yield f"TY  - JOUR\n{fields}\nER  - \n\n"


def main(count: int) -> None:
    """Import both files into a new home each, twice."""
    for name, entries in (("library.bib", bibtex(count)), ("formats.ris", ris(count))):
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder) / "home"
            invoke(["init", str(home), "--email", "ada@example.org", "--timezone", "Europe/Berlin"])
            file = home / name
            file.write_text("\n".join(entries))
            with open_store(f"sqlite:///{home}/state/paperbot.db") as store:
                stored_papers = tuple(Entry(title) for title in titles(STORED // 2))
                other = tuple(Entry(f"Other {number}") for number in range(STORED // 2))
                digest = ParsedDigest("markdown", "", date(2025, 5, 6), stored_papers + other)
                store.papers.add_digests("own", "x", "x", [digest], now=datetime(2025, 5, 6, tzinfo=UTC))
            for attempt in ("imported", "again"):
                begin, used = time.perf_counter(), cpu()
                invoke(["--home", str(home), "import", "reward-models", str(file)])
                print(
                    f"{name}, {count:,} entries, {file.stat().st_size / 1e6:.0f} MB, {attempt}: "
                    f"{time.perf_counter() - begin:.1f} s, {cpu() - used:.1f} s of processor time",
                    flush=True,
                )


def cpu() -> float:
    """Return the processor time of this process and its children."""
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5_000)
