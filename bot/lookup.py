"""What people type for a reader or a paper, and what they mean by it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime

from bot.config.personal import personal
from bot.config.profiles import Profile
from bot.domain import Origin, Paper, Reader
from bot.errors import UsageError
from bot.store import Store

_REF = re.compile(r"p(\d{1,18})")


def find_reader(
    store: Store, profiles: Mapping[str, Profile], name: str, now: datetime
) -> tuple[Reader, Profile]:
    """The reader called ``slug/address``, or the only one of profile ``slug``, and the profile as they have it.

    Raises UsageError.
    """
    slug, _, address = name.partition("/")
    if slug not in profiles:
        raise UsageError(f"no profile {slug!r}; there are: {', '.join(profiles) or 'none in profiles/'}")
    profile = profiles[slug]
    readers = _readers(store, slug, profile, now)
    fitting = [reader for reader in readers if not address or reader.address.lower() == address.lower()]
    if len(fitting) == 1:
        return fitting[0], personal(profile, store.overrides.get(fitting[0].id))
    names = ", ".join(reader.name for reader in readers)
    if not names:
        raise UsageError(f"profile {slug!r} has no readers; add [[readers]] to profiles/{slug}.toml")
    raise UsageError(
        f"{name!r} is {'no reader' if address else 'more than one reader'}; name one of: {names}"
    )


def find_kept(store: Store, profiles: Mapping[str, Profile], name: str, now: datetime) -> Reader:
    """The reader of this name of whom something is kept, in a profile or not any more; raises UsageError."""
    slug, _, address = name.partition("/")
    kept = [r for r in store.readers.of_profile(slug) if r.address.lower() == address.lower()]
    return kept[0] if kept else find_reader(store, profiles, name, now)[0]


def _readers(store: Store, slug: str, profile: Profile, now: datetime) -> list[Reader]:
    """The profile's readers: those its file names, in its order, and those who came by web.

    The store is written to only where it doesn't know a reader yet.
    """
    known = {reader.address: reader for reader in store.readers.of_profile(slug)}
    addresses = [address for _, address in profile.addresses]
    if not known.keys() >= set(addresses):
        return store.readers.sync(slug, profile.addresses, now)
    named = [known[address] for address in addresses]
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
