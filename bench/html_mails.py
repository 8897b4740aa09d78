"""What HTML mails cost: a thousand tables of contents of 100 KB, and hostile ones, in seconds of processor time.

    python bench/html_mails.py

The mails are of our own making (``tests/alert_mails.py``, ``tests/hostile_mails.py``). They are parsed in this process,
so that the figures have neither the start of the parser process nor what it copies; the limits are 30 s and 2 s.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from alert_mails import journal
from hostile_mails import HOSTILE_MAILS

from bot.formats.registry import parse
from bot.model import RawDigest
from bot.model.errors import DigestError

MAILS, BYTES = 1_000, 100_000
ROW = (
    '<tr><td style="padding:0 24px;font-family:Arial,sans-serif"><table role="presentation" width="100%"><tr><td>'
    '<a href="https://click.example.org/CL0/https:%2F%2Fwww.owls.example.org%2Fdoi%2F10.1234%2Fowls.{number}/1/01-02/x=4"'
    ' style="color:#007dbc;text-decoration:none">How owls of kind {number} see by night</a></td></tr>'
    "<tr><td><i>Ada Lovelace, Grace Hopper, Rosa Roe</i></td></tr>"
    '<tr><td><a href="https://click.example.org/f/a/{number}">PDF</a> <a href="https://twitter.com/x">Share</a></td></tr>'
    "</table></td></tr>"
)


def mail(number: int) -> bytes:
    """Return a table of contents of ``BYTES`` bytes, unlike those of other numbers."""
    rows = BYTES // len(ROW)
    return journal("".join(ROW.format(number=number * rows + row) for row in range(rows)))


def processor_seconds(content: bytes) -> tuple[float, str]:
    """Return what parsing a mail takes, and what comes of it."""
    begin = time.process_time()
    try:
        (digest,) = parse(RawDigest("bench", "1.eml", content))
        outcome = f"{len(digest.entries)} papers"
    except DigestError as error:
        outcome = str(error)
    return time.process_time() - begin, outcome


def main() -> None:
    """Print one line a figure."""
    processor_seconds(mail(0))  # imports lxml
    contents = [mail(number) for number in range(MAILS)]
    results = [processor_seconds(content) for content in contents]
    size = sum(map(len, contents)) / MAILS
    print(f"{MAILS:,} mails of {size / 1000:.0f} KB: {sum(seconds for seconds, _ in results):.1f} s")
    print(f"    each: {results[0][1]}")
    for name, make in HOSTILE_MAILS.items():
        content = make()
        seconds, outcome = processor_seconds(content)
        print(f"{name}, {len(content) / 1e6:.1f} MB: {seconds:.2f} s; {outcome[:120]}")


if __name__ == "__main__":
    main()
