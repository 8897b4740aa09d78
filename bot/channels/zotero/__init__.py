"""Zotero: liked papers are saved in readers' libraries, by its web API, version 3; and libraries are followed.

    library --items/top?since=VERSION--> pages --> ``ZoteroChanges``        ``following``
    liked paper --> item --outbox--> ``ZoteroChannel`` --> library            ``items`` ``saving``

``api`` sends the requests and knows what Zotero's statuses and headers mean. A kind of the outbox without addresses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.channels.kind import ChannelKind, TransportParts

if TYPE_CHECKING:
    from bot.channels import Route


class ZoteroKind(ChannelKind):
    """What is saved in libraries; a row's reader is the library's owner."""

    name = "zotero"

    def route(self, _settings: object, parts: TransportParts) -> Route:
        """Return one connection, which opens the library of each row's reader."""
        from bot.channels import Route
        from bot.channels.zotero.saving import ZoteroChannel

        return Route([ZoteroChannel(parts.open_library, parts.outcome)])


ZOTERO = ZoteroKind()
