"""Settings: ``paperbot.toml`` of the home directory, each key overridden by ``PAPERBOT_SECTION__KEY``."""

from __future__ import annotations

import re
from datetime import timedelta
from email.headerregistry import Address
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import SplitResult, urlsplit

from pydantic import AfterValidator, Field, SecretStr, StringConstraints, ValidationError, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, SettingsError

from bot.config.environment import explain_variable, refuse_unknown
from bot.config.profiles import Email, Timezone, mail_address
from bot.config.toml import MisplacedError, Section, explain, parse_toml, read_toml, write_whole
from bot.errors import ConfigError
from bot.loopback import is_loopback

FILE = "paperbot.toml"
_SENDER = re.compile(r'(?P<name>[^<>"\\]*|"[^<>"\\]*"\s*)<(?P<boxed>[^<>]+)>|(?P<bare>[^<>\s]+)')
_SECRETS = (
    ("email", "password"),
    ("slack", "token"),
    ("slack", "signing_secret"),
    ("slack", "app_token"),
    ("summaries", "key"),
    ("web", "operator_token"),
)


def _web_url(value: str) -> str:
    if _parts_of(value) is None:
        raise ValueError(
            f"{_without_login(value)} is no web address; write it like https://papers.example.org"
        )
    return value.rstrip("/")


def _fetch_url(value: str) -> str:
    parts = _parts_of(value)
    if parts is None:
        raise ValueError(
            f"{_without_login(value)} is no web address; write it like https://example.org/feed.xml"
        )
    if parts.username or parts.password:
        raise ValueError("passwords don't belong in addresses; take it out")
    try:
        has_port = parts.port != 0
    except ValueError:  # outside 0 to 65535
        has_port = False
    if not has_port:
        raise ValueError(f"{value!r} has no port between 1 and 65535; correct it, or leave it out")
    return value


def _parts_of(value: str) -> SplitResult | None:
    """The parts of a web address; None where it is none."""
    try:
        parts = urlsplit(value)
        _ = parts.port  # raises where it is no number, or too large
    except ValueError:
        return None
    return parts if parts.scheme in ("http", "https") and parts.hostname else None


def _without_login(value: str) -> str:
    """An address as a message may show it: what stands before an @ may be a password."""
    return "what is set there" if "@" in value else repr(value)


def _sender(value: str) -> str:
    """A bare address, or ``Name <address>``, in the form that mails carry; raises ValueError."""
    parts = _SENDER.fullmatch(value)
    if parts is None or not value.isprintable() or "=?" in value:
        raise ValueError(f"{value[:80]!r} is no sender; write it like Paperbot <papers@example.org>")
    address = mail_address(parts["boxed"] or parts["bare"])
    return str(Address((parts["name"] or "").strip().strip('"').strip(), addr_spec=address))


def _network(value: str) -> str:
    try:
        return str(ip_network(value))
    except ValueError:
        raise ValueError(
            f"{value!r} is no address or network; write it like 127.0.0.1 or 10.0.0.0/8"
        ) from None


Network = Annotated[str, AfterValidator(_network)]
FetchUrl = Annotated[str, AfterValidator(_fetch_url)]
WebUrl = Annotated[str, AfterValidator(_web_url)]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")]


class BotSection(Section):
    """The bot as a whole."""

    public_url: WebUrl = "http://localhost:8000"
    timezone: Timezone = "UTC"
    operator: Email | None = None
    ingest_minutes: int = Field(15, ge=1, le=1440)
    wait_minutes: int = Field(60, ge=0, le=1440)


class StoreSection(Section):
    """Where papers, readers and editions are kept."""

    url: str = "sqlite:///state/paperbot.db"


# The keys that a kind of source needs, and those that it may have.
_SOURCE_KEYS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "folder": (("path",), ("samples",)),
    "feed": (("url",), ("every",)),
    "arxiv": (("query",), ("url", "every")),
    "huggingface": ((), ("url", "every")),
    "mailbox": (("host", "username", "sender"), ("port", "security", "folder", "moved_to", "every")),
}


_MINUTES = {
    "folder": 0,
    "feed": 60,
    "arxiv": 60,
    "huggingface": 120,
    "mailbox": 15,
}  # where every is not given


class SourceSection(Section):
    """Where digests come from; which keys it has depends on its kind."""

    name: Name
    kind: Literal["folder", "feed", "arxiv", "huggingface", "mailbox"]
    path: str = ""
    samples: bool = False
    url: FetchUrl = ""
    query: Annotated[str, StringConstraints(max_length=2_000)] = ""
    every: int | None = Field(None, ge=1, le=10_080)
    host: str = ""
    port: int = Field(993, ge=1, le=65535)
    security: Literal["tls", "starttls", "none"] = "tls"
    username: str = ""
    sender: str = ""
    folder: str = "INBOX"
    moved_to: str = ""

    @property
    def interval(self) -> timedelta:
        """How often the source is asked at most."""
        return timedelta(minutes=self.every or _MINUTES[self.kind])

    @model_validator(mode="after")
    def _keys_of_its_kind(self) -> SourceSection:
        needed, possible = _SOURCE_KEYS[self.kind]
        if missing := next((key for key in needed if not getattr(self, key)), None):
            raise ValueError(f'a source of kind "{self.kind}" needs {missing}; add {missing} = ...')
        known = {"name", "kind", *needed, *possible}
        if strange := next(iter(sorted(self.model_fields_set - known)), None):
            raise ValueError(
                f'a source of kind "{self.kind}" has no {strange}; known: {", ".join(sorted(known))}'
            )
        return self

    @model_validator(mode="after")
    def _encrypted(self) -> SourceSection:
        if self.security == "none" and not is_loopback(self.host):
            raise ValueError('security = "none" sends the password readably; use "tls" or "starttls"')
        return self


class FetchSection(Section):
    """How feeds and lists are fetched."""

    timeout: float = Field(30.0, ge=1.0, le=600.0)
    proxy: FetchUrl = ""
    private_hosts: tuple[str, ...] = ()


class LinksSection(Section):
    """Links that digests don't give."""

    resolve: bool = False


class EmailSection(Section):
    """The mail server; without a host, messages are files in ``state/outbox/``."""

    host: str = ""
    port: int = Field(587, ge=1, le=65535)
    security: Literal["starttls", "tls", "none"] = "starttls"
    username: str = ""
    password: SecretStr | None = None
    sender: Annotated[str, Field(max_length=300), AfterValidator(_sender)] = "Paperbot <paperbot@localhost>"
    connections: int = Field(4, ge=1, le=20)

    @model_validator(mode="after")
    def _encrypted(self) -> EmailSection:
        if self.security == "none" and self.host and not is_loopback(self.host):
            raise ValueError('security = "none" sends passwords and mail readably; use "starttls" or "tls"')
        return self


class SlackSection(Section):
    """The Slack workspace; without a token, messages are files in ``state/outbox/``."""

    api_url: WebUrl = "https://slack.com/api"
    token: SecretStr | None = None
    signing_secret: SecretStr | None = None
    app_token: SecretStr | None = None


class WebSection(Section):
    """The pages of ``paperbot serve``."""

    operator_token: Annotated[SecretStr, Field(min_length=16)] | None = None
    trusted_proxies: tuple[Network, ...] = ()
    connections: int = Field(100, ge=8, le=10_000)
    client_seconds: float = Field(20.0, ge=1.0, le=600.0)


class SummariesSection(Section):
    """A language model that writes TL;DRs; without an endpoint, summaries are the abstracts' own sentences."""

    endpoint: Annotated[str, AfterValidator(lambda value: value and _web_url(value))] = ""
    model: str = ""
    key: SecretStr | None = None
    daily_budget: int = Field(100, ge=0)
    timeout: float = Field(20, gt=0, le=300)

    @model_validator(mode="after")
    def _complete(self) -> SummariesSection:
        if self.endpoint and not self.model:
            raise ValueError("endpoint needs a model beside it")
        parts = _parts_of(self.endpoint)
        host = parts.hostname or "" if parts else ""
        if self.key and self.endpoint.startswith("http://") and not is_loopback(host):
            raise ValueError("http:// sends the key readably; use https://")
        return self


class Settings(BaseSettings):
    """Every setting, with its default."""

    model_config = SettingsConfigDict(
        env_prefix="PAPERBOT_",
        env_nested_delimiter="__",
        frozen=True,
        extra="forbid",
        env_parse_none_str="null",
    )

    bot: BotSection = BotSection()
    store: StoreSection = StoreSection()
    sources: tuple[SourceSection, ...] = ()
    passwords: dict[str, SecretStr] = {}
    fetch: FetchSection = FetchSection()
    links: LinksSection = LinksSection()
    email: EmailSection = EmailSection()
    slack: SlackSection = SlackSection()
    summaries: SummariesSection = SummariesSection()
    web: WebSection = WebSection()

    @model_validator(mode="after")
    def _sources_differ(self) -> Settings:
        names = [source.name for source in self.sources]
        for position, name in enumerate(names):
            if name in names[:position]:
                problem = f"two sources are called {name!r}; give each a name of its own"
                raise MisplacedError(("sources", position, "name"), problem)
        return self

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003 - pydantic-settings' signature
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The environment wins over the file."""
        return env_settings, init_settings


def load_settings(home: Path) -> Settings:
    """The settings of a home; raises ConfigError."""
    path = home / FILE
    if not path.is_file():
        raise ConfigError(
            FILE, "", f"not found in {home}; make a home with `paperbot init DIR`, or name one with --home"
        )
    return _settings(*read_toml(path))


def add_to_settings(home: Path, tables: str) -> None:
    """Adds tables at the end of a home's settings file; ConfigError, and nothing done, if they don't fit there."""
    path = home / FILE
    text, _ = read_toml(path)
    longer = f"{text.rstrip()}\n{tables}"
    _settings(longer, parse_toml(longer, FILE))
    write_whole(path, longer)


def _settings(text: str, values: dict[str, Any]) -> Settings:
    _refuse_secrets(values)
    refuse_unknown(Settings)
    try:
        return Settings(**values)
    except ValidationError as error:
        raise explain_variable(error, Settings, _SECRETS) or explain(error, Settings, FILE, text) from None
    except SettingsError as error:
        section = (re.findall(r'field "(\w+)"', str(error)) or ["..."])[0].upper()
        raise ConfigError(
            "environment",
            f"PAPERBOT_{section}",
            f"holds no valid JSON; set PAPERBOT_{section}__KEY for each key instead",
        ) from None
    except RecursionError:
        raise ConfigError(
            "environment",
            "PAPERBOT_...",
            "a variable holds JSON that is nested too deeply; take the brackets away",
        ) from None


def _refuse_secrets(values: dict[str, Any]) -> None:
    if "passwords" in values:
        raise ConfigError(
            FILE,
            "passwords",
            "secrets don't belong in files; set PAPERBOT_PASSWORDS__NAME, by the source's name",
        )
    for section, key in _SECRETS:
        table = values.get(section)
        if isinstance(table, dict) and key in table:
            variable = f"PAPERBOT_{section}__{key}".upper()
            raise ConfigError(
                FILE, f"{section}.{key}", f"secrets don't belong in files; set {variable} instead"
            )
