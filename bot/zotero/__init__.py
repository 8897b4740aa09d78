"""Zotero's web API, version 3: follow a reader's library, and save papers in it.

    library --items/top?since=VERSION--> pages --> ``ZoteroChanges``        ``following``
    liked paper --> item --outbox--> ``ZoteroChannel`` --> library          ``items`` ``saving``

``api`` sends the requests and knows what Zotero's statuses and headers mean.
"""
