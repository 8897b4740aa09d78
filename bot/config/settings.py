"""Settings: ``paperbot.toml`` of the home directory, each key overridden by ``PAPERBOT_SECTION__KEY``."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, PlainValidator, SecretStr, ValidationError, create_model, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, SettingsError

from bot.config.profiles import Email, Timezone
from bot.config.sources import FetchUrl, Name, SourceModels, SourceOptions, validate_source
from bot.config.toml import (
    MisplacedError,
    Section,
    explain,
    explain_variable,
    parse_toml,
    read_toml,
    refuse_unknown,
    replace_text,
)
from bot.model.addresses import is_loopback, mail_sender, network, queue_url, taggable_address, web_url
from bot.model.errors import ConfigError

Days = Annotated[int, Field(ge=0, le=36_500)]


class RetentionSection(Section):
    """For how many days what is stored is kept; 0: forever."""

    bodies_days: Days = 30
    editions_days: Days = 400
    picks_days: Days = 400
    thumbs_days: Days = 0
    papers_days: Days = 0

    @model_validator(mode="after")
    def _papers_outlast_digests(self) -> RetentionSection:
        if 0 < self.papers_days < 60:
            raise ValueError("papers_days is 0 or at least 60: a feed that repeats an older one would bring it as new")
        return self


FILE = "paperbot.toml"
# The keys that only the environment may set, as a home is easily copied, shared or committed.
_SECRETS = (
    ("email", "password"),
    ("slack", "token"),
    ("slack", "signing_secret"),
    ("slack", "app_token"),
    ("summaries", "key"),
    ("web", "operator_token"),
)


Network = Annotated[str, AfterValidator(network)]
WebUrl = Annotated[str, AfterValidator(web_url)]


class BotSection(Section):
    """Paperbot as a whole."""

    public_url: WebUrl = "http://localhost:8000"
    timezone: Timezone = "UTC"
    operator: Email | None = None
    ingest_minutes: int = Field(15, ge=1, le=1440)
    wait_minutes: int = Field(60, ge=0, le=1440)


class StoreSection(Section):
    """The database of papers, readers and editions."""

    url: str = "sqlite:///state/paperbot.db"


class FetchSection(Section):
    """How feeds and lists are fetched over HTTP."""

    timeout: float = Field(30.0, ge=1.0, le=600.0)
    proxy: FetchUrl = ""
    private_hosts: tuple[str, ...] = ()
    contact: Email | None = None


class LinksSection(Section):
    """Links that digests don't have."""

    resolve: bool = False


class EmailSection(Section):
    """The mail server; without a host, messages are files in ``state/outbox/``."""

    host: str = ""
    port: int = Field(587, ge=1, le=65535)
    security: Literal["starttls", "tls", "none"] = "starttls"
    username: str = ""
    password: SecretStr | None = None
    sender: Annotated[str, Field(max_length=300), AfterValidator(mail_sender)] = "Paperbot <paperbot@localhost>"
    replies: bool = False
    bounce_address: Annotated[str, AfterValidator(taggable_address)] = ""
    connections: int = Field(4, ge=1, le=20)
    per_second: float = Field(0.0, ge=0.0, le=100_000.0)
    per_day: int = Field(0, ge=0, le=1_000_000_000)

    @model_validator(mode="after")
    def _encrypted(self) -> EmailSection:
        if self.security == "none" and self.host and not is_loopback(self.host):
            raise ValueError('security = "none" sends passwords and mail unencrypted; use "starttls" or "tls"')
        return self


class QueueSection(Section):
    """The broker that shares out work to ``paperbot worker``; without one, a single process does everything."""

    url: Annotated[str, AfterValidator(queue_url)] = ""
    name: Name = "paperbot"


class SlackSection(Section):
    """The Slack workspace; without a token, messages are files in ``state/outbox/``."""

    api_url: WebUrl = "https://slack.com/api"
    token: SecretStr | None = None
    signing_secret: SecretStr | None = None
    app_token: SecretStr | None = None


class ZoteroSection(Section):
    """Zotero's web API; readers' keys are stored with their connections, encrypted."""

    api_url: WebUrl = "https://api.zotero.org"


class WebSection(Section):
    """The pages of ``paperbot serve``."""

    operator_token: Annotated[SecretStr, Field(min_length=16)] | None = None
    trusted_proxies: tuple[Network, ...] = ()
    connections: int = Field(100, ge=8, le=10_000)
    client_seconds: float = Field(20.0, ge=1.0, le=600.0)


class SummariesSection(Section):
    """A language model that writes TL;DRs; without an endpoint, summaries are the abstracts' own sentences."""

    endpoint: Annotated[str, AfterValidator(lambda value: value and web_url(value))] = ""
    model: str = ""
    key: SecretStr | None = None
    daily_budget: int = Field(100, ge=0)
    timeout: float = Field(20, gt=0, le=300)

    @model_validator(mode="after")
    def _complete(self) -> SummariesSection:
        if self.endpoint and not self.model:
            raise ValueError("endpoint needs a model too")
        host = urlsplit(self.endpoint).hostname or ""
        if self.key and self.endpoint.startswith("http://") and not is_loopback(host):
            raise ValueError("http:// sends the key unencrypted; use https://")
        return self


class Settings(BaseSettings):
    """Every setting, with its default."""

    model_config = SettingsConfigDict(
        env_prefix="PAPERBOT_", env_nested_delimiter="__", frozen=True, extra="forbid", env_parse_none_str="null"
    )

    bot: BotSection = BotSection()
    store: StoreSection = StoreSection()
    sources: tuple[SourceOptions, ...] = ()
    passwords: dict[str, SecretStr] = {}
    fetch: FetchSection = FetchSection()
    links: LinksSection = LinksSection()
    email: EmailSection = EmailSection()
    slack: SlackSection = SlackSection()
    queue: QueueSection = QueueSection()
    retention: RetentionSection = RetentionSection()
    summaries: SummariesSection = SummariesSection()
    web: WebSection = WebSection()
    zotero: ZoteroSection = ZoteroSection()

    @model_validator(mode="after")
    def _queue_has_a_server(self) -> Settings:
        if self.queue.url and self.store.url.startswith("sqlite"):
            problem = "workers share a store on PostgreSQL; set store.url to postgresql://..."
            raise MisplacedError(("queue", "url"), problem)
        return self

    @model_validator(mode="after")
    def _replies_are_read(self) -> Settings:
        if self.email.replies and all(source.votes_login is None for source in self.sources):
            problem = 'votes by mail are read from a mailbox; add a source of kind "mailbox"'
            raise MisplacedError(("email", "replies"), problem)
        return self

    @model_validator(mode="after")
    def _names_differ(self) -> Settings:
        names: set[str] = set()
        for position, source in enumerate(self.sources):
            if source.name in names:
                problem = f"two sources have the name {source.name!r}; give each its own"
                raise MisplacedError(("sources", position, "name"), problem)
            names.add(source.name)
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
        """Let the environment take precedence over the file, and read no .env file or secrets folder."""
        return env_settings, init_settings


def load_settings(home: Path, source_models: SourceModels) -> Settings:
    """Return the settings of a home, its sources validated by these models; raises ConfigError."""
    path = home / FILE
    if not path.is_file():
        raise ConfigError(
            FILE, "", f"not found in {home}; make a home with `paperbot init {home}`, or name one with --home"
        )
    text, values = read_toml(path)
    return _settings(text, values, source_models)


def check_settings(text: str, source_models: SourceModels) -> None:
    """Raise ConfigError if the text of a settings file is not valid."""
    _settings(text, parse_toml(text, FILE), source_models)


def add_to_settings(home: Path, tables: str, source_models: SourceModels) -> None:
    """Append tables to a home's settings file; raises ConfigError, and changes nothing, if the result is not valid."""
    path = home / FILE
    text, _ = read_toml(path)
    extended = f"{text.rstrip()}\n{tables}"
    check_settings(extended, source_models)
    replace_text(path, extended)


def _settings(text: str, values: dict[str, Any], source_models: SourceModels) -> Settings:
    # A model for these kinds: pydantic-settings passes no validation context, by which one model could know them.
    validator = PlainValidator(partial(validate_source, source_models))
    model = create_model("Settings", __base__=Settings, sources=(tuple[Annotated[SourceOptions, validator], ...], ()))
    _refuse_secrets(values)
    refuse_unknown(Settings)
    try:
        return model(**values)
    except ValidationError as error:
        # A variable that caused the error is named first: the file's line would be the wrong place to look.
        raise explain_variable(error, Settings, _SECRETS) or explain(error, Settings, FILE, text) from None
    except SettingsError as error:
        # pydantic-settings names the section in its message only.
        match = re.search(r'field "(\w+)"', str(error))
        variable = f"PAPERBOT_{match[1].upper() if match else '...'}"
        problem = f"is not valid JSON; set {variable}__KEY for each key instead"
        raise ConfigError("environment", variable, problem) from None
    except RecursionError:
        problem = "a variable has JSON that is nested too deeply; remove the brackets"
        raise ConfigError("environment", "PAPERBOT_...", problem) from None


def _refuse_secrets(values: dict[str, Any]) -> None:
    if "passwords" in values:
        problem = "secrets don't belong in files; set PAPERBOT_PASSWORDS__NAME, by the source's name"
        raise ConfigError(FILE, "passwords", problem)
    for section, key in _SECRETS:
        table = values.get(section)
        if isinstance(table, dict) and key in table:
            variable = f"PAPERBOT_{section}__{key}".upper()
            problem = f"secrets don't belong in files; set {variable} instead"
            raise ConfigError(FILE, f"{section}.{key}", problem)
