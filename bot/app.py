"""The composition root: from a home directory and its settings to live objects.

Each part is made, and its libraries imported, when it is first asked for: a command pays only for what it uses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from email.utils import parseaddr
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from bot.config.profiles import Profile, load_profiles
from bot.config.settings import Settings, load_settings
from bot.domain import Kind, Problem, Reader
from bot.errors import UsageError
from bot.links import ReaderLinks
from bot.resources import shipped
from bot.tokens import Signer, load_keys

if TYPE_CHECKING:
    from jinja2 import Environment
    from pydantic import SecretStr

    from bot.deliver import Channel
    from bot.deliver.dispatch import Dispatcher
    from bot.deliver.slack_front import SlackFront
    from bot.pipeline.editing import Editor
    from bot.pipeline.rendering import Renderer
    from bot.pipeline.running import Pipeline
    from bot.pipeline.subscribing import Subscribing
    from bot.ranking import Ranker
    from bot.sources import Source
    from bot.store import Store

# The vocabulary is learned from this many of the newest papers; older ones add little but time.
_CORPUS_PAPERS = 20_000


class App:
    """One home directory, alive. Close it when done (it is a context manager)."""

    def __init__(self, home: Path) -> None:
        """Reads the settings; raises ConfigError."""
        self.home = home
        self._settings: Settings = load_settings(home)
        self._profiles_seen: dict[Path, int] = {}
        self._ranker_upto = 0

    def __enter__(self) -> App:
        return self

    def __exit__(self, *exc: object) -> None:
        if "channels" in vars(self):
            for channel in self.channels.values():
                channel.close()
        if "store" in vars(self):
            self.store.close()

    @property
    def public_url(self) -> str:
        """Where links in messages lead."""
        return self._settings.bot.public_url

    @property
    def writes_files(self) -> bool:
        """Whether a channel has no server to talk to, so that its messages are files."""
        return not (self._settings.email.host and self._settings.slack.token)

    @property
    def outbox_folder(self) -> Path:
        """Where messages go without a mail server or a Slack token."""
        return self.home / "state" / "outbox"

    @cached_property
    def _profiles(self) -> tuple[dict[str, Profile], list[Problem]]:
        self._profiles_seen = self._profile_files()
        return load_profiles(self.home / "profiles", self._settings.bot.timezone)

    def refresh(self) -> None:
        """Let go of what has changed outside since it was read: profiles, and papers the ranker doesn't know."""
        if "_profiles" in vars(self) and self._profiles_seen != self._profile_files():
            del vars(self)["_profiles"]
        if "ranker" in vars(self) and self._ranker_upto != self.store.papers.newest_id():
            del vars(self)["ranker"]

    def _profile_files(self) -> dict[Path, int]:
        folder = self.home / "profiles"
        return {path: path.stat().st_mtime_ns for path in folder.glob("*.toml")}

    @property
    def profiles(self) -> dict[str, Profile]:
        """The sound profiles by slug."""
        return self._profiles[0]

    @property
    def profile_problems(self) -> list[Problem]:
        """One for each profile that is not sound."""
        return self._profiles[1]

    @cached_property
    def store(self) -> Store:
        """The database, made or upgraded where needed; raises StoreError."""
        from bot.store import open_store

        return open_store(_absolute(self._settings.store.url, self.home))

    @cached_property
    def sources(self) -> Sequence[Source]:
        """Where the settings say that digests come from."""
        from bot.sources.folder import FolderSource

        return [FolderSource(source.name, self.home / source.path) for source in self._settings.sources]

    @cached_property
    def ranker(self) -> Ranker:
        """One vocabulary for all readers, learned from the papers at hand."""
        from bot.ranking import Ranker

        self._ranker_upto = self.store.papers.newest_id()
        return Ranker(self.store.papers.recent_texts(_CORPUS_PAPERS))

    @cached_property
    def editor(self) -> Editor:
        """Makes editions."""
        from bot.pipeline.editing import Editor

        return Editor(self.store, lambda: self.ranker)

    @cached_property
    def templates(self) -> Environment:
        """The shipped templates, and the home's own over them."""
        from bot.render.environment import environment

        return environment(shipped("templates"), self.home / "templates")

    @cached_property
    def signer(self) -> Signer:
        """Signs the links in messages."""
        return Signer(load_keys(self.home / "state" / "secret.key"))

    def links(self, reader: Reader) -> ReaderLinks:
        """The links that messages to a reader carry."""
        return ReaderLinks(self.public_url, self.signer, reader)

    @cached_property
    def renderer(self) -> Renderer:
        """Makes messages of editions."""
        from bot.pipeline.rendering import Renderer

        return Renderer(self.templates, self._settings.email.sender, self.links)

    @cached_property
    def pipeline(self) -> Pipeline:
        """All of it in its order."""
        from bot.pipeline.running import Pipeline

        return Pipeline(self.sources, self.store, self.profiles, self.editor, self.renderer, self.dispatcher)

    @cached_property
    def subscribing(self) -> Subscribing:
        """The door for new readers."""
        from bot.pipeline.subscribing import Subscribing

        return Subscribing(self.store, self.templates, self._settings.email.sender, self.links)

    def forget(self, reader: Reader, now: datetime) -> None:
        """Remove all that is kept of a reader: in the store, and where messages are files."""
        from bot.deliver.files import FilesChannel

        self.store.readers.forget(reader, now)
        FilesChannel(self.outbox_folder, ".eml" if reader.kind is Kind.EMAIL else ".json").forget(reader)

    @property
    def operator_token(self) -> str | None:
        """What opens the operators' pages; None: they stay shut."""
        return _plain(self._settings.web.operator_token)

    @cached_property
    def slack_front(self) -> SlackFront | None:
        """Reads and answers what people do in Slack; None where it isn't set up."""
        slack = self._settings.slack
        if not (slack.signing_secret or slack.app_token):
            return None
        from bot.deliver.slack_front import SlackFront

        return SlackFront(_plain(slack.signing_secret), _plain(slack.app_token), slack.api_url)

    @cached_property
    def dispatcher(self) -> Dispatcher:
        """Sends what the outbox holds."""
        from bot.deliver.dispatch import Dispatcher

        return Dispatcher(self.store.outbox, self.channels, self.store.readers)

    @cached_property
    def channels(self) -> Mapping[Kind, Channel]:
        """The way out for each kind of address."""
        return {Kind.EMAIL: self._mail_channel(), Kind.SLACK: self._slack_channel()}

    def _mail_channel(self) -> Channel:
        email = self._settings.email
        if not email.host:
            from bot.deliver.files import FilesChannel

            return FilesChannel(self.outbox_folder, ".eml")
        from bot.deliver.smtp import SmtpChannel

        return SmtpChannel(
            email.host,
            email.port,
            email.security,
            envelope_sender=parseaddr(email.sender)[1],
            username=email.username,
            password=email.password.get_secret_value() if email.password else None,
        )

    def _slack_channel(self) -> Channel:
        slack = self._settings.slack
        if not slack.token:
            from bot.deliver.files import FilesChannel

            return FilesChannel(self.outbox_folder, ".json")
        from bot.deliver.slack import SlackChannel

        return SlackChannel(slack.token.get_secret_value(), slack.api_url)


def _plain(secret: SecretStr | None) -> str | None:
    return secret.get_secret_value() if secret else None


def _absolute(url: str, home: Path) -> str:
    """A store URL whose SQLite file is looked for from the home, wherever the command was called."""
    prefix = "sqlite:///"
    if not url.startswith(prefix):
        return url
    return prefix + str(home.resolve() / url.removeprefix(prefix))


def open_app(home: Path) -> App:
    """The home at a path; raises UsageError where there is none."""
    if not home.is_dir():
        raise UsageError(f"{home}: no such directory; make a home with `paperbot init {home}`")
    return App(home)
