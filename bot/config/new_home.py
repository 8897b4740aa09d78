"""Making a home: the shipped settings and profiles, with a new user's own values in them."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Literal

import tomlkit

from bot.config.files import shipped, write_atomically
from bot.config.keys import load_keys
from bot.config.profiles import AddressChecks, Profile
from bot.config.settings import FILE, check_settings
from bot.config.sources import SourceModels
from bot.config.toml import parse_toml, validated
from bot.model import SAMPLES
from bot.model.addresses import is_loopback
from bot.model.errors import UsageError

SAMPLE_PROFILE = "reward-models"
OWN_PROFILE = "my-papers"
# For editors, beside the store; `check --fix` brings them up to date after an upgrade.
_SCHEMAS = "state/schemas"
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
    """A new user's answers; None keeps the shipped value."""

    interests: str | None = None
    email: str | None = None
    at: str | None = None
    timezone: str | None = None
    mail_host: str | None = None
    mail_port: int | None = None
    mail_username: str | None = None
    library: str | None = None  # a file, or zotero
    sources: tuple[Mapping[str, str], ...] = ()  # tables of the settings, beside the shipped ones

    @property
    def profile(self) -> str:
        """The slug of their profile: one of their own, or the sample if they gave no interests."""
        return OWN_PROFILE if self.interests else SAMPLE_PROFILE

    @property
    def mail_security(self) -> Literal["none", "tls"] | None:
        """How the connection to the mail server is encrypted, by its port and address."""
        if is_loopback(self.mail_host or ""):
            return "none"
        return "tls" if self.mail_port == _IMPLICIT_TLS else None

    @property
    def mail_sender(self) -> str | None:
        """The sender of mails: the account at the mail server, as most providers refuse any other."""
        account = self.mail_username if "@" in (self.mail_username or "") else self.email
        return f"Paperbot <{account}>" if self.mail_host and account else None


def refuse_existing(directory: Path) -> None:
    """Raise UsageError if there is a home in the directory already."""
    settings = directory / FILE
    if settings.exists():
        raise UsageError(f"{settings} exists already; choose another directory, or edit that file")


def make_home(
    directory: Path,
    source_models: SourceModels,
    address_checks: AddressChecks,
    profiles: Sequence[str] = (),
    user: NewUser | None = None,
    *,
    samples: bool = True,
) -> None:
    """Make a home with the profile of a new user, or with several of the shipped profiles, by their slugs.

    Raises UsageError if there is a home already or the folder can't be written to, and ConfigError for a value that
    is not valid; nothing is created then.
    """
    refuse_existing(directory)
    # Composed before anything is written, so that an invalid value leaves no incomplete home behind.
    texts = {f"profiles/{user.profile}.toml": profile_text(user, address_checks)} if user else {}
    for slug in profiles:
        texts[f"profiles/{slug}.toml"] = (shipped("profiles") / f"{slug}.toml").read_text("utf-8")
    text_of_settings = settings_text(user or NewUser(), source_models) + (_SAMPLE_SOURCE if samples else "")
    try:
        (directory / "profiles").mkdir(parents=True, exist_ok=True)
        # Addresses, keys and messages will be in it.
        (directory / "state").mkdir(mode=0o700, exist_ok=True)
        for name, text in texts.items():
            write_atomically(directory / name, f"#:schema ../{_SCHEMAS}/profile.json\n{text}".encode())
        write_schemas(directory)
        (directory / "seeds").mkdir(exist_ok=True)
        # Made now, so that a backup of a new home has the key by which links in messages stay valid.
        load_keys(directory / "state" / "secret.key")
        if samples:
            shutil.copytree(shipped("seeds"), directory / SAMPLES, dirs_exist_ok=True)
        # Last: a directory with settings is a home, so a failure before this can be repeated.
        write_atomically(directory / FILE, f"#:schema {_SCHEMAS}/settings.json\n{text_of_settings}".encode())
    except OSError as error:
        raise UsageError(
            f"{error.filename or directory}: {error.strerror}; choose a directory you may write to"
        ) from None


def write_schemas(home: Path) -> bool:
    """Write the schemas by which editors check the files of a home; return whether any was missing or differed."""
    folder = home / _SCHEMAS
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
    """Return the text of the sample profile with the user's values in it; raises ConfigError."""
    text = (shipped("profiles") / f"{SAMPLE_PROFILE}.toml").read_text("utf-8")
    if user.interests:
        text = text.replace(
            f"The file's name is its id: {SAMPLE_PROFILE}.", f"The file's name is its id: {OWN_PROFILE}."
        )
        text = _assign(text, "title", "My papers")
        block = tomlkit.string(f"\n{user.interests.strip()}\n", multiline=True).as_string()
        text = re.sub(r'(?ms)^interests = """.*?"""', lambda _: f"interests = {block}", text)
        # The sample's rules are about its own topic.
        for key in ("keywords", "authors", "mute"):
            text = _assign(text, key, [])
    for key, value in {"email": user.email, "at": user.at, "timezone": user.timezone}.items():
        if value is not None:
            text = _assign(text, key, value)
    if user.email is None:  # an invented address would be somebody's
        before, header, readers = text.partition("[[readers]]\n")
        text = before + "".join(f"# {line}\n" for line in (header + readers).splitlines())
    file = f"{user.profile}.toml"
    validated(Profile, parse_toml(text, file), file, text, address_checks)
    return text


def settings_text(user: NewUser, source_models: SourceModels) -> str:
    """Return the text of the shipped settings with the user's values in it; raises ConfigError."""
    text = shipped(FILE).read_text("utf-8")
    before, header, email = text.partition("[email]\n")
    names: set[str] = set()
    for table in user.sources:
        name = next(name for n in count(1) if (name := table["name"] + (f"-{n}" if n > 1 else "")) not in names)
        names.add(name)
        rows = "".join(f"{key} = {tomlkit.item(value).as_string()}\n" for key, value in {**table, "name": name}.items())
        before += f"[[sources]]\n{rows}\n"
    for key, value in {
        "host": user.mail_host,
        "port": user.mail_port,
        "security": user.mail_security,
        "username": user.mail_username,
        "sender": user.mail_sender,
    }.items():
        if value:
            email = _assign(email, key, value)
    text = before + header + email
    check_settings(text, source_models)
    return text


def _assign(text: str, key: str, value: object) -> str:
    """Set the first assignment of a key, which may be commented out, and keep the comment behind it.

    >>> _assign('# port = 587    # of the server', "port", 25)
    'port = 25    # of the server'
    """
    # tomlkit would put a new key below the comments, where the shipped text has it as the comment of its default.
    assigned = f"{key} = {tomlkit.item(value).as_string()}"
    result, count = re.subn(rf"(?m)^(# )?{key} = (\"[^\"\n]*\"|[^#\n]*[^#\s])", lambda _: assigned, text, count=1)
    if not count:
        raise LookupError(f"the shipped file has no {key}")
    return result
