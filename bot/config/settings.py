"""Settings: ``paperbot.toml``, with each key overridden by ``PAPERBOT_SECTION__KEY``."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, PlainValidator, SecretStr, ValidationError, create_model, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, SettingsError

from bot.config.profiles import Email, Timezone
from bot.config.tables import (
    FetchUrl,
    MisplacedError,
    Name,
    Section,
    SourceModels,
    SourceOptions,
    details_of,
    edit_text,
    explain,
    explain_variable,
    line_of,
    mistakes_of,
    parse_toml,
    read_toml,
    unknown_variables,
    validate_source,
    variables,
    without_conflicts,
)
from bot.model import Problem
from bot.model.addresses import is_loopback, mail_sender, network, pages_url, queue_url, taggable_address, web_url
from bot.model.errors import ConfigError

Days = Annotated[int, Field(ge=0, le=36_500)]


class RetentionSection(Section):
    """Days to keep each kind of stored data. 0 keeps it for ever."""

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
# Only the environment may set these, because homes are copied and committed.
SECRETS = (
    ("email", "password"),
    ("slack", "token"),
    ("slack", "signing_secret"),
    ("slack", "app_token"),
    ("summaries", "key"),
    ("web", "operator_token"),
)

PagesUrl = Annotated[str, AfterValidator(pages_url)]
WebUrl = Annotated[str, AfterValidator(web_url)]


class BotSection(Section):
    """Paperbot as a whole."""

    public_url: PagesUrl = "http://localhost:8000"
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
    """The mail server. Without a host, messages are files in ``state/outbox/``."""

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
    """The broker that shares out work to ``paperbot worker``. Without one, a single process does everything."""

    url: Annotated[str, AfterValidator(queue_url)] = ""
    name: Name = "paperbot"


class SlackSection(Section):
    """The Slack workspace. Without a token, messages are files in ``state/outbox/``."""

    api_url: WebUrl = "https://slack.com/api"
    token: SecretStr | None = None
    signing_secret: SecretStr | None = None
    app_token: SecretStr | None = None


class ZoteroSection(Section):
    """Zotero's web API. Readers' keys are stored encrypted."""

    api_url: WebUrl = "https://api.zotero.org"


class WebSection(Section):
    """The pages of ``paperbot serve``."""

    operator_token: Annotated[SecretStr, Field(min_length=16)] | None = None
    trusted_proxies: tuple[Annotated[str, AfterValidator(network)], ...] = ()
    connections: int = Field(100, ge=8, le=10_000)
    client_seconds: float = Field(20.0, ge=1.0, le=600.0)


class SummariesSection(Section):
    """A language model that writes TL;DRs. Without an endpoint, summaries are the abstracts' own sentences."""

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
    def _replies_are_read(self) -> Settings:
        if self.email.replies and all(source.votes_login is None for source in self.sources):
            problem = 'votes by mail are read from a mailbox; add a source of kind "mailbox"'
            raise MisplacedError(("email", "replies"), problem)
        return self

    @model_validator(mode="wrap")
    @classmethod
    def _without_conflicts(cls, values: Any, validate: Callable[[Any], Self]) -> Self:
        return without_conflicts(values, validate, _conflicts(values))

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003 - pydantic-settings' signature
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Prefer the environment to the file, and read no .env file or secrets folder."""
        return env_settings, init_settings


def _conflicts(values: Mapping[str, Any]) -> Iterator[MisplacedError]:
    names: set[str] = set()
    for position, table in enumerate(_tables(values)):
        name = table.get("name")
        if isinstance(name, str) and name.strip() in names:
            problem = f"two sources have the name {name.strip()!r}; give each its own"
            yield MisplacedError(("sources", position, "name"), problem)
        names.add(str(name).strip())
    sections = (values.get(section) for section in ("queue", "store"))
    queue, store = (table if isinstance(table, Mapping) else {} for table in sections)
    if queue.get("url") and str(store.get("url", "sqlite")).startswith("sqlite"):
        yield MisplacedError(("queue", "url"), "workers share a store on PostgreSQL; set store.url to postgresql://...")


def _tables(values: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    tables = values.get("sources")
    return [table if isinstance(table, Mapping) else {} for table in (tables if isinstance(tables, list) else ())]


def load_settings(home: Path, source_models: SourceModels) -> Settings:
    """Return the settings of a home. Raises ConfigError."""
    path = home / FILE
    if not path.is_file():
        remedy = f"make a home with `paperbot init {home}`, or name one with --home"
        raise ConfigError(FILE, "", f"not found in {home}; {remedy}")
    return check_settings(read_toml(path)[0], source_models)


def add_to_settings(home: Path, tables: str, source_models: SourceModels) -> None:
    """Append tables to the settings file. Raises ConfigError for an invalid result."""

    def extend(text: str) -> str:
        extended = f"{text.rstrip()}\n{tables}"
        check_settings(extended, source_models)
        return extended

    edit_text(home / FILE, extend)


@cache
def _model_of(kinds: tuple[tuple[str, type[SourceOptions]], ...]) -> type[Settings]:
    # pydantic-settings passes no validation context, so each set of kinds needs a model.
    validator = PlainValidator(partial(validate_source, dict(kinds)))
    return create_model("Settings", __base__=Settings, sources=(tuple[Annotated[SourceOptions, validator], ...], ()))


def check_settings(text: str, source_models: SourceModels) -> Settings:
    """Return the settings of a text, with those of the environment. Raises ConfigError."""
    values = parse_toml(text, FILE)
    model = _model_of(tuple(source_models.items()))
    mistakes = [*_secrets_in(values, text), *unknown_variables(Settings)]
    try:
        settings = model(**values)
    except ValidationError as error:
        details = details_of(error)
        by_variable = [explain_variable(detail, Settings, SECRETS) for detail in details]
        # Variables first, because they override the file. Unknown ones were named above.
        named = {mistake.key for mistake in mistakes}
        mistakes += [mistake for mistake in by_variable if mistake and mistake.key not in named]
        of_file = [detail for detail, variable in zip(details, by_variable, strict=True) if variable is None]
        mistakes += explain(of_file, Settings, FILE, text)
    except SettingsError as error:
        # pydantic-settings names the section in its message only.
        match = re.search(r'field "(\w+)"', str(error))
        variable = f"PAPERBOT_{match[1].upper() if match else '...'}"
        problem = f"is not valid JSON; set {variable}__KEY for each key instead"
        mistakes.append(ConfigError("environment", variable, problem))
    except RecursionError:
        problem = "a variable has JSON that is nested too deeply; remove the brackets"
        mistakes.append(ConfigError("environment", "PAPERBOT_...", problem))
    if mistakes:
        raise ConfigError.first_of(mistakes)
    return settings


def _secrets_in(values: Mapping[str, Any], text: str) -> Iterator[ConfigError]:
    if "passwords" in values:
        problem = "secrets don't belong in files; set PAPERBOT_PASSWORDS__NAME, by the source's name"
        yield ConfigError(FILE, "passwords", problem, line=line_of(text, ("passwords",)))
    for section, key in SECRETS:
        table = values.get(section)
        if isinstance(table, dict) and key in table:
            variable = f"PAPERBOT_{section}__{key}".upper()
            problem = f"secrets don't belong in files; set {variable} instead"
            yield ConfigError(FILE, f"{section}.{key}", problem, line=line_of(text, (section, key)))


def written_sources(home: Path, source_models: SourceModels) -> tuple[list[str], list[Problem]]:
    """Return the names of sources, and problems with valid ones that find nothing. Raises ConfigError."""
    text, values = read_toml(home / FILE)
    file = FILE
    if in_environment := variables().get("PAPERBOT_SOURCES"):
        with suppress(ValueError, RecursionError):
            text, values, file = "", {"sources": json.loads(in_environment)}, "environment"
    names: list[str] = []
    problems: list[Problem] = []
    for position, table in enumerate(_tables(values)):
        names.append(str(table.get("name", "")).strip())
        for key, problem in mistakes_of(source_models, table):
            line = line_of(text, ("sources", position, key))
            problems += ConfigError(file, f"sources[{position + 1}].{key}", problem, line=line).problems
    return [name for name in dict.fromkeys(names) if name], problems
