"""What people type for a reader or a paper, and what they mean by it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime

from bot.config.profiles import Profile
from bot.domain import Paper, Reader
from bot.errors import UsageError
from bot.store import Store

_REF = re.compile(r"p(\d{1,18})")


def find_reader(
    store: Store, profiles: Mapping[str, Profile], name: str, now: datetime
) -> tuple[Reader, Profile]:
    """The reader called ``slug/address``, or the only one of profile ``slug``; raises UsageError."""
    slug, _, address = name.partition("/")
    if slug not in profiles:
        raise UsageError(f"no profile {slug!r}; there are: {', '.join(profiles) or 'none in profiles/'}")
    profile = profiles[slug]
    known = (store.readers.get(slug, address) for _, address in profile.addresses)
    readers = [reader for reader in known if reader]
    if len(readers) < len(profile.addresses):
        readers = store.readers.sync(slug, profile.addresses, now)
    fitting = [reader for reader in readers if not address or reader.address.lower() == address.lower()]
    if len(fitting) == 1:
        return fitting[0], profile
    names = ", ".join(reader.name for reader in readers)
    if not names:
        raise UsageError(f"profile {slug!r} has no readers; add [[readers]] to profiles/{slug}.toml")
    raise UsageError(
        f"{name!r} is {'no reader' if address else 'more than one reader'}; name one of: {names}"
    )


def find_paper(store: Store, text: str) -> Paper:
    """The paper with this id (``p17``), or the only one whose title begins so; raises UsageError."""
    if ref := _REF.fullmatch(text.strip()):
        paper = store.papers.get([int(ref[1])]).get(int(ref[1]))
        if paper:
            return paper
    found = store.papers.find(text)
    if len(found) == 1:
        return found[0]
    if not found:
        raise UsageError(f"no paper {text!r}; give its id, like p17, or the beginning of its title")
    exact = [paper for paper in found if paper.title.casefold() == text.strip().casefold()]
    if len(exact) == 1:
        return exact[0]
    titles = "; ".join(f"{paper.ref} {paper.title}" for paper in found[:3])
    raise UsageError(f"{len(found)} papers begin with {text!r}; type more of the title, or an id: {titles}")
