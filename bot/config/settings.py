"""Settings: ``paperbot.toml`` of the home directory, each key overridden by ``PAPERBOT_SECTION__KEY``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, SecretStr, StringConstraints, ValidationError, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from bot.config.profiles import Timezone
from bot.config.toml import Section, explain, read_toml
from bot.errors import ConfigError
from bot.loopback import is_loopback

FILE = "paperbot.toml"
_SECRETS = (
    ("email", "password"),
    ("slack", "token"),
    ("slack", "signing_secret"),
    ("slack", "app_token"),
    ("web", "operator_token"),
)


def _web_url(value: str) -> str:
    if not value.startswith(("http://", "https://")):
        raise ValueError(f"{value!r} is no web address; write it like https://papers.example.org")
    return value.rstrip("/")


WebUrl = Annotated[str, AfterValidator(_web_url)]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")]


class BotSection(Section):
    """The bot as a whole."""

    public_url: WebUrl = "http://localhost:8000"
    timezone: Timezone = "UTC"


class StoreSection(Section):
    """Where papers, readers and editions are kept."""

    url: str = "sqlite:///state/paperbot.db"


class SourceSection(Section):
    """Where digests come from."""

    name: Name
    kind: Literal["folder"]
    path: str


class EmailSection(Section):
    """The mail server; without a host, messages are files in ``state/outbox/``."""

    host: str = ""
    port: int = Field(587, ge=1, le=65535)
    security: Literal["starttls", "tls", "none"] = "starttls"
    username: str = ""
    password: SecretStr | None = None
    sender: str = "Paperbot <paperbot@localhost>"

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
    email: EmailSection = EmailSection()
    slack: SlackSection = SlackSection()
    web: WebSection = WebSection()

    @model_validator(mode="after")
    def _sources_differ(self) -> Settings:
        names = [source.name for source in self.sources]
        twice = next((n for n in names if names.count(n) > 1), None)
        if twice:
            raise ValueError(f"two sources are called {twice!r}; give each a name of its own")
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
    text, values = read_toml(path)
    _refuse_secrets(values)
    try:
        return Settings(**values)
    except ValidationError as error:
        raise explain(error, Settings, FILE, text) from None


def _refuse_secrets(values: dict[str, Any]) -> None:
    for section, key in _SECRETS:
        table = values.get(section)
        if isinstance(table, dict) and key in table:
            variable = f"PAPERBOT_{section}__{key}".upper()
            raise ConfigError(
                FILE, f"{section}.{key}", f"secrets don't belong in files; set {variable} instead"
            )
