"""A home directory: its files, profiles, repairs and effective settings, and how to make one."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import stat
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import tomlkit
from pydantic import BaseModel, SecretStr

from bot.config.files import make_private, shipped, write_atomically
from bot.config.keys import load_keys
from bot.config.profiles import SCHEMAS, AddressChecks, Profile, load_profiles, profile_files, slug_of
from bot.config.settings import FILE, Settings, add_to_settings, check_settings, load_settings, written_sources
from bot.config.tables import PREFIX, SourceModels, parse_toml, read_toml, validated, variables
from bot.model import SAMPLES, Problem, Reader
from bot.model.addresses import is_loopback
from bot.model.errors import ConfigError, PaperbotError, UsageError

_SQLITE = "sqlite:///"
_CREATION_SECONDS = 1.0  # at most, from the creation of a store's file to its first page
_MASK = "********"
# As in postgresql://user:password@host. Passwords may contain an @.
_PASSWORD = re.compile(r"(://[^:/@]*:)[^/]*@")
# As in postgresql://user@host/papers?password=..., or the key in a feed's address.
_SECRET_OPTION = re.compile(
    r"([?&](?:[\w.-]{0,50}(?:pass|passw(?:or)?d|pwd|secret|token|signature)|(?:[\w.-]{0,50}[_.-])?(?:api)?key|auth)=)[^&#]*",
    re.IGNORECASE,
)


class Home:
    """The files under one directory. Opening it restricts permissions."""

    def __init__(self, path: Path, source_models: SourceModels, address_checks: AddressChecks) -> None:
        """Open the home at ``path``. Raises ConfigError."""
        self.path = path
        self.settings_file = path / FILE
        self.profiles_folder = path / "profiles"
        self.templates = path / "templates"  # replace the shipped ones
        self.state = path / "state"  # everything that Paperbot writes
        self.key_file = self.state / "secret.key"  # sign links in messages
        self.outbox_folder = self.state / "outbox"  # messages without a mail server or Slack token
        self._source_models = source_models
        self._address_checks = address_checks
        self.settings: Settings = load_settings(path, source_models)
        self._loaded: tuple[dict[str, Profile], list[Problem]] | None = None
        self._modified_at: dict[Path, int] = {}
        state = path.resolve() / "state"
        private = [state, *state.glob("*")]
        if database := self.database_file:
            private += [database.with_name(database.name + suffix) for suffix in ("", "-wal", "-shm")]
        exposed, self._still_exposed = make_private(list(dict.fromkeys(private)))
        self.repaired = [file for file in exposed if file not in self._still_exposed]

    def profile_file(self, slug: str) -> Path:
        return self.profiles_folder / f"{slug}.toml"

    @property
    def first_edition_file(self) -> Path:
        """The page that ``init`` shows."""
        return self.state / "first-edition.html"

    def chart_file(self, reader: Reader | None) -> Path:
        return self.state / "evaluation" / f"{reader.file_stem if reader else 'all-readers'}.svg"

    @property
    def store_url(self) -> str:
        file = self.database_file
        return f"{_SQLITE}{file}" if file else self.settings.store.url

    @property
    def database_file(self) -> Path | None:
        """The absolute path of an SQLite store, or None for a server."""
        url = self.settings.store.url
        return self.path.resolve() / url.removeprefix(_SQLITE) if url.startswith(_SQLITE) else None

    def refuse_lost_store(self) -> None:
        """Raise PaperbotError if an SQLite store is lost, because papers would be sent twice."""
        file = self.database_file
        signs = [sign for sign in (self.outbox_folder, self.key_file) if sign.is_file() or any(sign.glob("*"))]
        # `init` makes the key, and the first run makes the store.
        if file is None or not signs or not (file.exists() or self.outbox_folder in signs):
            return
        deadline = time.monotonic() + _CREATION_SECONDS
        while not (file.exists() and file.stat().st_size):
            if time.monotonic() > deadline:
                found = " and ".join(map(str, signs))
                raise PaperbotError(
                    f"{file}: {'is empty' if file.exists() else 'is missing'}, though there is {found}; restore it "
                    "from a backup. To begin anew, without votes and with papers sent again, move these files elsewhere"
                )
            time.sleep(_CREATION_SECONDS / 20)

    def permission_problems(self) -> list[Problem]:
        return [
            Problem(
                str(file),
                "other users of this machine can read it, and it belongs to another user; ask them for `chmod go=`",
            )
            for file in self._still_exposed
        ]

    def open_files(self) -> list[Path]:
        if not self.path.resolve().stat().st_mode & stat.S_IXOTH:
            return []
        files = [self.settings_file, *profile_files(self.profiles_folder)]
        return [file for file in files if file.exists() and file.stat().st_mode & stat.S_IROTH]

    @property
    def profiles(self) -> dict[str, Profile]:
        return self._load_profiles()[0]

    @property
    def profile_problems(self) -> list[Problem]:
        return self._load_profiles()[1]

    @property
    def source_problems(self) -> list[Problem]:
        return written_sources(self.path, self._source_models)[1]

    def refresh(self) -> None:
        """Forget the profiles if a file has changed."""
        if self._modified_at != self._modification_times():
            self._loaded = None

    def _load_profiles(self) -> tuple[dict[str, Profile], list[Problem]]:
        if self._loaded is None:
            # Before reading: an edit in between is read twice.
            self._modified_at = self._modification_times()
            names = [source.name for source in self.settings.sources]
            timezone = self.settings.bot.timezone
            self._loaded = load_profiles(self.profiles_folder, timezone, self._address_checks, names)
        return self._loaded

    def _modification_times(self) -> dict[Path, int]:
        times: dict[Path, int] = {}
        for file in profile_files(self.profiles_folder):
            try:
                times[file] = file.stat().st_mtime_ns
            except OSError:  # a dangling link or a deleted file; reading the profile reports it
                times[file] = 0
        return times

    @property
    def sample_sources(self) -> list[str]:
        return [source.name for source in self.settings.sources if source.is_sample]

    def add_feeds(self, feeds: Mapping[str, str]) -> list[str]:
        """Add new feeds (address to title), as ``add_sources`` does."""
        # A source of any kind may poll this address already.
        configured = {getattr(source, "url", "") for source in self.settings.sources}
        return self.add_sources(
            [
                {"name": slug_of(title or urlsplit(url).hostname or "", "feed"), "kind": "feed", "url": url}
                for url, title in feeds.items()
                if url not in configured
            ]
        )

    def add_sources(self, tables: Sequence[Mapping[str, Any]]) -> list[str]:
        """Add sources that the settings file lacks, and return their names. Raises ConfigError."""
        configured: list[dict[str, Any]] = read_toml(self.settings_file)[1].get("sources", [])
        known = [{**source, "name": ""} for source in configured]
        new = [table for table in tables if {**table, "name": ""} not in known]
        named = with_names(new, [str(source.get("name")) for source in configured])
        add_to_settings(self.path, "".join(f"\n{_source_text(table)}" for table in named), self._source_models)
        return [str(table["name"]) for table in named]


def with_names(tables: Iterable[Mapping[str, Any]], used: Iterable[str] = ()) -> list[Mapping[str, Any]]:
    """Return the tables of sources with names of their own: the second ``pubmed`` is ``pubmed-2``."""
    names = set(used)
    named: list[Mapping[str, Any]] = []
    for table in tables:
        candidates = (f"{table['name']}-{n}" if n > 1 else str(table["name"]) for n in count(1))
        name = next(name for name in candidates if name not in names)
        names.add(name)
        named.append({**table, "name": name})
    return named


def _source_text(table: Mapping[str, Any]) -> str:
    return "[[sources]]\n" + "".join(f"{key} = {tomlkit.item(value).as_string()}\n" for key, value in table.items())


def problems_beside_settings(path: Path, source_models: SourceModels, address_checks: AddressChecks) -> list[Problem]:
    try:
        names, problems = written_sources(path, source_models)
    except ConfigError:  # unreadable settings were reported
        names, problems = None, []
    return problems + load_profiles(path / "profiles", "UTC", address_checks, names)[1]


def repair(home: Home) -> Iterator[str]:
    """Repair the home, and yield a sentence for each repair. Raises PaperbotError."""
    sources = [home.path / s.local_folder for s in home.settings.sources if s.local_folder]
    for folder in (home.profiles_folder, home.state, *sources):
        if folder.exists() and not folder.is_dir():
            raise PaperbotError(f"{folder}: is not a folder; move it elsewhere, and try again")
        # A folder elsewhere may be on an unmounted disk.
        if folder.exists() or not folder.resolve().is_relative_to(home.path.resolve()):
            continue
        try:
            folder.mkdir(mode=0o700 if folder == home.state else 0o777, parents=True)
        except OSError as error:
            raise PaperbotError(f"{folder}: can't be created ({error.strerror})") from None
        yield f"created {folder}"
    is_missing = not home.key_file.exists()
    try:
        load_keys(home.key_file)
        if is_missing:
            yield f"created new signing keys in {home.key_file}. Links in messages that were sent before don't work"
    except PaperbotError as error:
        if not os.access(home.key_file, os.R_OK):
            raise  # it belongs to another user, and may hold good keys
        # Renamed to the first free name, so nothing is lost.
        names = (home.key_file.with_name(f"{home.key_file.name}.damaged-{number}") for number in count(1))
        damaged = next(name for name in names if not name.exists())
        try:
            home.key_file.rename(damaged)
        except OSError as refused:
            raise PaperbotError(f"{home.key_file}: can't be renamed ({refused.strerror})") from None
        load_keys(home.key_file)
        yield (
            f"created new signing keys, as {str(error).partition(';')[0]}; the former file is {damaged}. "
            "Links in messages that were sent before no longer work"
        )


class SettingOrigin(StrEnum):
    """Where the value of a setting comes from."""

    DEFAULT = "default"
    FILE = FILE
    ENVIRONMENT = "environment"


@dataclass(frozen=True, slots=True)
class EffectiveSetting:
    """A setting with its key as in ``docs/settings.md`` and its value as in JSON. Secrets are masked."""

    key: str
    value: Any
    origin: SettingOrigin
    variable: str | None = None


def effective_settings(home: Path, source_models: SourceModels) -> list[EffectiveSetting]:
    """Return every setting of a home. Raises ConfigError."""
    settings = load_settings(home, source_models)
    _, in_file = read_toml(home / FILE)
    environment = variables()
    rows: list[EffectiveSetting] = []
    for section in type(settings).model_fields:
        value = getattr(settings, section)
        section_variable = f"{PREFIX}{section}".upper()  # the whole section as JSON
        if isinstance(value, BaseModel):
            in_json = json.loads(environment.get(section_variable, "{}"))
            for name in type(value).model_fields:
                variable: str | None = f"{section_variable}__{name}".upper()
                if variable not in environment:
                    variable = section_variable if name in in_json else None
                origin = SettingOrigin.FILE if name in in_file.get(section, {}) else SettingOrigin.DEFAULT
                origin = SettingOrigin.ENVIRONMENT if variable else origin
                rows.append(EffectiveSetting(f"{section}.{name}", _masked(getattr(value, name)), origin, variable))
        elif isinstance(value, Mapping):  # passwords of sources: free keys, from the environment only
            for name in value:
                variable = f"{section_variable}__{name}".upper()
                rows.append(EffectiveSetting(f"{section}.{name}", _MASK, SettingOrigin.ENVIRONMENT, variable))
        else:
            variable = section_variable if section_variable in environment else None
            origin = SettingOrigin.ENVIRONMENT if variable else SettingOrigin.FILE
            rows += [
                # Only keys that were set, because each kind has its own.
                EffectiveSetting(f"{section}[{number}].{name}", _masked(getattr(source, name)), origin, variable)
                for number, source in enumerate(value, 1)
                for name in sorted(source.model_fields_set)
            ]
    return rows


def _masked(value: Any) -> Any:
    if isinstance(value, SecretStr):
        return _MASK
    if isinstance(value, str):
        return _SECRET_OPTION.sub(rf"\1{_MASK}", _PASSWORD.sub(rf"\1{_MASK}@", value))
    return list(value) if isinstance(value, tuple) else value


# Making a home: the shipped settings and profiles with a new user's values.
SAMPLE_PROFILE = "reward-models"
OWN_PROFILE = "my-papers"
_IMPLICIT_TLS = 465  # RFC 8314, 7.3
_SAMPLE_SOURCE = f"""
[[sources]]
name = "{SAMPLES}"                         # real papers, but rewritten abstracts
kind = "folder"
path = "{SAMPLES}"
samples = true                           # only until another source has brought papers
"""


@dataclass(frozen=True, slots=True)
class NewUser:
    """A new user's answers. None keeps the shipped value."""

    interests: str | None = None
    title: str | None = None  # of the editions
    email: str | None = None
    at: str | None = None
    timezone: str | None = None
    mail_host: str | None = None
    mail_port: int | None = None
    mail_username: str | None = None
    public_url: str | None = None  # where telephones reach the pages
    replies: str | None = None  # LOGIN@HOST of the mailbox for thumbs
    library: str | None = None  # a file, or zotero
    sources: tuple[Mapping[str, Any], ...] = ()  # tables of the settings, beside the shipped ones
    passwords: Mapping[str, str] = field(default_factory=dict, repr=False)  # by variable, for this process
    edition: bool | None = None  # fetch papers, and show the first edition
    test_mail: bool | None = None

    @property
    def profile(self) -> str:
        """The slug of their own profile, or of the sample without interests."""
        return OWN_PROFILE if self.interests else SAMPLE_PROFILE

    @property
    def all_sources(self) -> list[Mapping[str, Any]]:
        """The tables, with the mailbox for thumbs and each under a name of its own."""
        return with_names([*self.sources, *([mailbox_table(self.replies)] if self.replies else [])])


def command_in(directory: Path, program: str = "paperbot") -> str:
    """Return ``paperbot --home DIR`` for a shell."""
    return f"{program} --home {shlex.quote(str(directory))}"


def refuse_existing(directory: Path) -> None:
    """Raise UsageError if the directory is a home already."""
    settings = directory / FILE
    if settings.exists():
        home = command_in(directory)
        remedy = f"`{home} sources add proposed` adds sources that fit, `{home} profiles add` another profile"
        raise UsageError(f"{settings} exists already; choose another directory, or edit that file. {remedy}")


def make_home(
    directory: Path,
    source_models: SourceModels,
    address_checks: AddressChecks,
    profiles: Sequence[str] = (),
    user: NewUser | None = None,
    *,
    samples: bool = True,
) -> None:
    """Make a home with a new user's profile, or with shipped ones.

    Raises UsageError for an existing home or an unwritable folder, and ConfigError for an invalid value.
    """
    refuse_existing(directory)
    # First, so an invalid value leaves nothing behind.
    texts = {f"profiles/{user.profile}.toml": profile_text(user, address_checks)} if user else {}
    for slug in profiles:
        texts[f"profiles/{slug}.toml"] = (shipped("profiles") / f"{slug}.toml").read_text("utf-8")
    text_of_settings = settings_text(user or NewUser(), source_models) + (_SAMPLE_SOURCE if samples else "")
    try:
        (directory / "profiles").mkdir(parents=True, exist_ok=True)
        (directory / "state").mkdir(mode=0o700, exist_ok=True)
        for name, text in texts.items():
            write_atomically(directory / name, f"#:schema ../{SCHEMAS}/profile.json\n{text}".encode())
        write_schemas(directory)
        (directory / "seeds").mkdir(exist_ok=True)
        # Made now, so a backup of a new home has the key of its links.
        load_keys(directory / "state" / "secret.key")
        if samples:
            shutil.copytree(shipped("seeds"), directory / SAMPLES, dirs_exist_ok=True)
        # Last, because settings make a directory a home.
        write_atomically(directory / FILE, f"#:schema {SCHEMAS}/settings.json\n{text_of_settings}".encode())
    except OSError as error:
        raise UsageError(
            f"{error.filename or directory}: {error.strerror}; choose a directory you may write to"
        ) from None


def write_schemas(home: Path) -> bool:
    folder = home / SCHEMAS
    folder.mkdir(mode=0o700, exist_ok=True)
    changed = False
    for path in sorted(shipped("docs/schemas").glob("*.json")):
        content = path.read_bytes()
        target = folder / path.name
        if not target.exists() or target.read_bytes() != content:
            write_atomically(target, content)
            changed = True
    return changed


def profile_text(user: NewUser, address_checks: AddressChecks) -> str:
    """Return the sample profile with the user's values. Raises ConfigError."""
    text = (shipped("profiles") / f"{SAMPLE_PROFILE}.toml").read_text("utf-8")
    if user.interests:
        text = text.replace(
            f"The file's name is its id: {SAMPLE_PROFILE}.", f"The file's name is its id: {OWN_PROFILE}."
        )
        text = _assign(text, "title", user.title or "My papers")
        quotes, block = '"""', tomlkit.string(f"{user.interests.strip()}\n", multiline=True).as_string()
        text = re.sub(
            r'(?ms)^interests = """.*?"""', lambda _: f"interests = {quotes}\n{block.removeprefix(quotes)}", text
        )
        # The sample's rules fit its own topic only.
        for key in ("keywords", "authors", "mute"):
            text = _assign(text, key, [])
    for key, value in {"email": user.email, "at": user.at, "timezone": user.timezone}.items():
        if value is not None:
            text = _assign(text, key, value)
    if user.email is None:  # an invented address might be real
        before, header, readers = text.partition("[[readers]]\n")
        text = before + "".join(f"# {line}\n" for line in (header + readers).splitlines())
    file = f"{user.profile}.toml"
    validated(Profile, parse_toml(text, file), file, text, address_checks)
    return text


def settings_text(user: NewUser, source_models: SourceModels) -> str:
    """Return the shipped settings with the user's values. Raises ConfigError."""
    text = shipped(FILE).read_text("utf-8")
    before, header, email = text.partition("[email]\n")
    if user.public_url or user.replies:  # links to pages of this computer would be dead on a telephone
        before = _assign(before, "public_url", user.public_url or "")
    if user.timezone:
        before = _assign(before, "timezone", user.timezone)
    for table in user.all_sources:
        before += f"{_source_text(table)}\n"
    # Most providers refuse other senders than the account.
    account = user.mail_username if "@" in (user.mail_username or "") else user.email
    security = "tls" if user.mail_port == _IMPLICIT_TLS else None
    if is_loopback(user.mail_host or ""):
        security = "none"
    for key, value in {
        "host": user.mail_host,
        "port": user.mail_port,
        "security": security,
        "username": user.mail_username,
        "sender": f"Paperbot <{account}>" if user.mail_host and account else None,
    }.items():
        if value:
            email = _assign(email, key, value)
    text = before + header + email
    check_settings(text, source_models)
    return text


def mailbox_table(account: str, sender: str = "") -> dict[str, Any]:
    """Return the settings of a mailbox ``LOGIN@HOST``, for thumbs only if it has no sender. Raises ValueError."""
    login, _, server = account.strip().rpartition("@")
    host, _, port = server.partition(":")
    if not (login and host) or (port and not port.isdecimal()):
        raise ValueError(f"{account!r} is no mailbox; write LOGIN@HOST, such as ada@example.org@imap.example.org")
    table: dict[str, Any] = {"name": "replies", "kind": "mailbox", "host": host, "username": login}
    if sender:
        table |= {"name": f"mail-{sender.partition('@')[0]}", "sender": sender}
    if port:
        table["port"] = int(port)
    return table | ({"security": "none"} if is_loopback(host) else {})


def _assign(text: str, key: str, value: object) -> str:
    """Set the first assignment of a key, even a commented one.

    >>> _assign('# port = 587    # of the server', "port", 25)
    'port = 25    # of the server'
    """
    # tomlkit would put a new key below the comments.
    assigned = f"{key} = {tomlkit.item(value).as_string()}"
    result, count = re.subn(rf"(?m)^(# )?{key} = (\"[^\"\n]*\"|[^#\n]*[^#\s])", lambda _: assigned, text, count=1)
    if not count:
        raise LookupError(f"the shipped file has no {key}")
    return result
