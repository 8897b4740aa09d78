"""Subscriptions, votes, libraries and personal data of readers, and look-ups by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from bot.config.profiles import Profile, with_override
from bot.model import NOT_STORED, Origin, Paper, Reader, parse_ref
from bot.model.errors import UsageError
from bot.model.wording import storable
from bot.store import Store

_MAX_TITLES = 3


def find_reader(store: Store, profiles: Mapping[str, Profile], name: str) -> tuple[Reader, Profile]:
    """Return the reader ``slug/address``, the only one of ``slug`` or at ``address``, with the effective profile.

    Writes nothing: a reader in the file but not in the store has the id ``NOT_STORED``. Raises UsageError.
    """
    slug, _, address = full_name(store, profiles, name).partition("/")
    if slug not in profiles:
        raise unknown_profile(slug, profiles)
    profile = profiles[slug]

    stored = {reader.address: reader for reader in store.readers.of_profile(slug)}
    readers = [
        stored.get(address_in_file) or Reader(NOT_STORED, slug, kind, address_in_file)
        for kind, address_in_file in profile.addresses
        # A forgotten address may still be in a file that can't be edited.
        if address_in_file in stored or not store.readers.forgotten(slug, address_in_file)
    ]
    readers += [r for r in stored.values() if r.origin is Origin.WEB and r not in readers]

    matches = [reader for reader in readers if not address or reader.address.lower() == address.lower()]
    if len(matches) == 1:
        return matches[0], with_override(profile, store.overrides.get(matches[0].id))
    names = ", ".join(reader.name for reader in readers)
    if not names:
        raise UsageError(f"profile {slug!r} has no readers; add [[readers]] to profiles/{slug}.toml")
    raise UsageError(f"{name!r} is {'not a reader' if address else 'more than one reader'}; name one of: {names}")


def full_name(store: Store, profiles: Mapping[str, Profile], name: str) -> str:
    """Return ``slug/address`` for a bare address, and another name as it is. Raises UsageError."""
    if "/" in name or name in profiles:
        return name
    in_files = [(slug, address) for slug, profile in profiles.items() for _, address in profile.addresses]
    names = [f"{slug}/{address}" for slug, address in in_files if address.lower() == name.lower()]
    names = list(dict.fromkeys([*names, *(reader.name for reader in store.readers.at_address(name))]))
    if len(names) > 1:
        raise UsageError(f"{name} reads {len(names)} profiles; name one of: {', '.join(names)}")
    if not names and "@" in name:
        raise UsageError(f"{name} is no reader's address; known profiles: {', '.join(profiles) or 'none'}")
    return names[0] if names else name


def unknown_profile(slug: str, profiles: Iterable[str]) -> UsageError:
    return UsageError(
        f"no profile {slug!r}; known profiles: {', '.join(profiles) or 'none'} (`paperbot check` shows the mistakes in "
        "others)"
    )


def stored_reader(store: Store, profiles: Mapping[str, Profile], name: str, now: datetime) -> tuple[Reader, Profile]:
    """Return the result of ``find_reader``, and store a reader who isn't stored."""
    reader, profile = find_reader(store, profiles, name)
    if reader.id == NOT_STORED:
        store.readers.sync(reader.profile, profile.addresses, now)
        return find_reader(store, profiles, reader.name)
    return reader, profile


def find_stored_reader(store: Store, profiles: Mapping[str, Profile], name: str) -> Reader:
    """Return a stored reader, even of a deleted profile. Raises UsageError."""
    name = full_name(store, profiles, name)
    slug, _, address = name.partition("/")
    for reader in store.readers.of_profile(slug):
        if reader.address.lower() == address.lower():
            return reader
    return find_reader(store, profiles, name)[0]


def find_paper(store: Store, text: str) -> Paper:
    """Return the paper with this id (``p17``) or unique beginning of a title. Raises UsageError."""
    text = storable(text)
    if (paper_id := parse_ref(text)) is not None and (paper := store.papers.get([paper_id]).get(paper_id)):
        return paper
    papers = store.papers.find(text)
    if len(papers) == 1:
        return papers[0]
    if not papers:
        raise UsageError(f"no paper {text!r}; give its id, like p17, or the beginning of its title")
    # A whole title may begin a longer one: "Owls" and "Owls at Night".
    exact = [paper for paper in papers if paper.title.casefold() == text.strip().casefold()]
    if len(exact) == 1:
        return exact[0]
    titles = "; ".join(f"{paper.ref} {paper.title}" for paper in papers[:_MAX_TITLES])
    raise UsageError(f"{len(papers)} papers begin with {text!r}; type more of the title, or an id: {titles}")
