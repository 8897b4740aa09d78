"""``paperbot import``: a reader's library as first feedback."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Any, Literal

import click

from bot.cli.options import app_of, json_option, now_option
from bot.cli.output import print_json, print_problems, problems_json
from bot.wording import plural

if TYPE_CHECKING:
    from datetime import datetime

    from bot.feedback.library import ImportReport


_ZOTERO: Literal["zotero"] = "zotero"


class LibraryFile(click.File):
    """A file that is opened, or the word ``zotero`` for the library that the reader has connected."""

    def __init__(self) -> None:
        super().__init__("rb")

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the open file, or the word."""
        return value if value == _ZOTERO else super().convert(value, param, ctx)


@click.command("import", short_help="Import READER's library, as first feedback.")
@click.argument("reader")
@click.argument("file", type=LibraryFile(), required=False)
@click.option("--remove", is_flag=True, help="Remove the reader's library instead, all of it.")
@now_option
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    *,
    reader: str,
    file: IO[bytes] | Literal["zotero"] | None,
    remove: bool,
    now: datetime,
    as_json: bool,
) -> int:
    """Import FILE, a library in BibTeX or RIS, as first feedback of READER; - reads standard input.

    With "zotero" for FILE, what has changed in the library that `paperbot zotero connect` connected is read at once.

    Zotero, Mendeley, EndNote, JabRef, Google Scholar and Semantic Scholar export these formats. Each paper counts like
    one that the reader liked on the day when it was added; all of them together count as 20 votes at most, and
    as 100 in the mean of liked papers. Papers of a library are shown to nobody, and are not news to their reader.

    \b
    Examples:
      paperbot import reward-models library.bib
      paperbot import reward-models/ada@example.org zotero.ris --json
      paperbot import reward-models zotero
      paperbot import reward-models --remove
    """
    from bot.feedback.library import import_file
    from bot.library import MAX_BYTES
    from bot.lookup import find_stored_reader, stored_reader

    app = app_of(ctx)
    if remove:
        if file:
            raise click.UsageError("--remove removes the whole library; leave FILE out")
        owner = find_stored_reader(app.store, app.profiles, reader)
        removed = app.store.library.remove(owner.id)
        if as_json:
            print_json({"reader": owner.name, "removed": removed})
        else:
            click.echo(f"{owner.name}: {plural(removed, 'paper')} removed")
        return 0
    if file is None:
        raise click.UsageError("Missing FILE: a library in BibTeX (.bib) or RIS (.ris)")
    owner, _ = stored_reader(app.store, app.profiles, reader, now)
    if file == _ZOTERO:
        report = app.zotero.import_now(owner, now)
    else:
        name = getattr(file, "name", "<stdin>").replace("<stdin>", "standard input")
        # One byte more than is allowed, so that the parser sees that it is too much.
        content = file.read(MAX_BYTES + 1)
        report = import_file(app.store, app.parser, owner, name=name, content=content, now=now)
    if as_json:
        print_json(
            {
                "reader": owner.name,
                "read": report.read,
                "matched": report.matched,
                "new": report.new,
                "skipped": sum(report.skipped.values()),
                "problems": problems_json(report.problems),
            }
        )
    else:
        print_report(owner.name, report)
    return 1 if report.problems else 0


def print_report(reader: str, report: ImportReport) -> None:
    """Print what was imported, and why the rest was not."""
    added = report.matched + report.new
    click.echo(
        f"{reader}: {plural(report.read, 'reference')} read, {plural(added, 'paper')} added,"
        f" {report.matched:,} of them known from digests"
    )
    for reason, count in report.skipped.items():
        click.echo(f"  {count:,} skipped: {reason}")
    print_problems(report.problems)
