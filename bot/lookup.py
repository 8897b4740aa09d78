"""What people type for a reader or a paper, and what they mean by it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime

from bot.config.overrides import with_override
from bot.config.profiles import Profile
from bot.domain import NOT_STORED, Origin, Paper, Reader
from bot.errors import UsageError
from bot.store import Store

_REF = re.compile(r"p(\d{1,18})")


def find_reader(store: Store, profiles: Mapping[str, Profile], name: str) -> tuple[Reader, Profile]:
    """The reader called ``slug/address``, or the only one of profile ``slug``, and the profile as they have it.

    Nothing is written: one whom the profile's file names and the store does not have yet has the id
    ``NOT_STORED``, see ``stored_reader``. Raises UsageError.
    """
    slug, _, address = name.partition("/")
    if slug not in profiles:
        raise UsageError(f"no profile {slug!r}; there are: {', '.join(profiles) or 'none in profiles/'}")
    profile = profiles[slug]
    readers = _readers(store, slug, profile)
    fitting = [reader for reader in readers if not address or reader.address.lower() == address.lower()]
    if len(fitting) == 1:
        return fitting[0], with_override(profile, store.overrides.get(fitting[0].id))
    names = ", ".join(reader.name for reader in readers)
    if not names:
        raise UsageError(f"profile {slug!r} has no readers; add [[readers]] to profiles/{slug}.toml")
    raise UsageError(
        f"{name!r} is {'no reader' if address else 'more than one reader'}; name one of: {names}"
    )


def stored_reader(
    store: Store, profiles: Mapping[str, Profile], name: str, now: datetime
) -> tuple[Reader, Profile]:
    """The same for a command that keeps something of the reader: a new one is stored first, as come ``now``."""
    reader, profile = find_reader(store, profiles, name)
    if reader.id == NOT_STORED:
        store.readers.sync(reader.profile, profile.addresses, now)
        return find_reader(store, profiles, reader.name)
    return reader, profile


def find_stored_reader(store: Store, profiles: Mapping[str, Profile], name: str) -> Reader:
    """The reader of this name of whom something is kept, in a profile or not any more; raises UsageError."""
    slug, _, address = name.partition("/")
    kept = [r for r in store.readers.of_profile(slug) if r.address.lower() == address.lower()]
    return kept[0] if kept else find_reader(store, profiles, name)[0]


def _readers(store: Store, slug: str, profile: Profile) -> list[Reader]:
    """The profile's readers: those its file names, in its order, and those who came by web."""
    known = {reader.address: reader for reader in store.readers.of_profile(slug)}
    named = [
        known.get(address) or Reader(NOT_STORED, slug, kind, address)
        for kind, address in profile.addresses
        if address in known or not store.readers.forgotten(slug, address)
    ]
    return [*named, *(r for r in known.values() if r.origin is Origin.WEB and r not in named)]


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
