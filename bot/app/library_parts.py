"""The parts that read libraries: the parser process, and readers' connections to Zotero."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from bot.app.home_parts import HomeParts

if TYPE_CHECKING:
    from threading import Event

    from bot.feedback.zotero import ZoteroLibraries
    from bot.parsing import Parser


class LibraryParts(HomeParts):
    """Parsing, and Zotero."""

    def __init__(self, home: Path, stop: Event | None = None, parser: Parser | None = None) -> None:
        """Read the settings; raises ConfigError.

        ``stop``, once set, ends deliveries early. ``parser`` is one that outlives this container: ``serve`` makes
        a container for each tick, and starting a parser process for each takes a fifth of a second.
        """
        super().__init__(home, stop)
        self._shared_parser = parser

    @cached_property
    def parser(self) -> Parser:
        """Parses digests and libraries in a process of its own, started with the first of them."""
        from bot.parsing import Parser

        return self._shared_parser or self._resources.enter_context(Parser())

    @cached_property
    def zotero(self) -> ZoteroLibraries:
        """Readers' connections to Zotero."""
        from bot.channels.zotero.api import ZoteroApi
        from bot.feedback.zotero import ZoteroLibraries

        url = self.home.settings.zotero.api_url
        return ZoteroLibraries(
            self.store,
            self.sealer,
            open_api=lambda access: ZoteroApi(url, access),
            parse=self.parser.parse_library,
        )
