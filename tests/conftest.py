"""Fixtures for all tests: a home, the command ``paperbot``, a web server, and a browser."""

from __future__ import annotations

import gc
import json
import os
import shutil
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import httpx2
import jinja2
import pytest
from hypothesis import settings
from jinja2.bccache import Bucket, BytecodeCache
from servers import Clock, FakeTime, Web
from sqlalchemy import URL, Connection, create_engine, make_url, text
from sqlalchemy.exc import OperationalError
from support import ROOT, digest, edit

from bot.app import App
from bot.cli.main import invoke
from bot.formats import Parser
from bot.sources.http import Fetcher
from bot.store import open_store
from bot.store.schema import metadata
from bot.text import tokens

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# The duration of an example depends on the machine more than on the code.
settings.register_profile("thorough", deadline=None, max_examples=40)
settings.register_profile("quick", deadline=None, max_examples=25)  # make test
settings.load_profile("thorough")

_TESTS = Path(__file__).parent
# What only `make test-all` runs, as `@pytest.mark.slow` on each test would say it: what starts processes and lets them
# fail, and what needs a server or a browser of the machine.
_SLOW_FOLDERS = tuple(f"{_TESTS / folder}{os.sep}" for folder in ("deployment", "faults", "formats/hostile", "worker"))
_SLOW_FIXTURES = ("broker", "browser", "postgres")

_POSTGRES = "postgresql://postgres@127.0.0.1:5432/test"
_BROWSER_OPTIONS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep what is imported and collected from being searched for garbage: each search took as long as many a test."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


@pytest.hookimpl(tryfirst=True)  # before `-m` selects
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as slow what stands in the folders or asks for the fixtures above."""
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        values = item.callspec.params.values() if hasattr(item, "callspec") else ()
        if (
            str(item.path).startswith(_SLOW_FOLDERS)
            or any(fixture in fixtures for fixture in _SLOW_FIXTURES)
            or "postgresql" in values
        ):
            item.add_marker(pytest.mark.slow)


@dataclass(frozen=True)
class Answer:
    """The exit code and the output of a command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert self.out, self.err
        return json.loads(self.out)


Paperbot = Callable[..., Answer]


@pytest.fixture(scope="session", autouse=True)
def shared_parser() -> Iterator[Parser]:
    """Let all containers of this process share a parser, as those of ``paperbot serve`` do.

    To start a parser process takes a quarter of a second of processor time, and hundreds of tests ingest. Commands
    that tests run as processes, and the tests of the parser, start their own.
    """
    create = App.__init__
    with Parser() as shared, pytest.MonkeyPatch.context() as patch:

        def create_with_parser(app: App, home: Path, stop: Event | None = None, parser: Parser | None = None) -> None:
            create(app, home, stop, parser or shared)

        patch.setattr(App, "__init__", create_with_parser)
        yield shared


class _CompiledTemplates(BytecodeCache):
    """Compiled templates in memory; Jinja2 compares the source, so that a home's own template counts.

    Not those of an environment's overlay: it may have other filters, which Jinja2 calls on constants as it compiles.
    """

    def __init__(self) -> None:
        self._compiled: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if bucket.key in self._compiled and not bucket.environment.overlayed:
            bucket.bytecode_from_string(self._compiled[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        if not bucket.environment.overlayed:
            self._compiled[bucket.key] = bucket.bytecode_to_string()


class _CompiledStatements(dict[tuple[Any, ...], object]):
    """Compiled SQL of all engines: SQLAlchemy keeps it by the engine's dialect, which begins each key."""

    def get(self, key: tuple[Any, ...], default: object = None) -> object:
        return super().get((key[0].name, *key[1:]), default)

    def __setitem__(self, key: tuple[Any, ...], compiled: object) -> None:
        super().__setitem__((key[0].name, *key[1:]), compiled)


@pytest.fixture(scope="session", autouse=True)
def made_once() -> Iterator[None]:
    """Compile templates and SQL, read certificates and stem texts once in this process, not in each home."""
    statements = {"compiled_cache": _CompiledStatements()}
    stems = tokens._stems
    stems_of_text = lru_cache(1_000)(lambda text: tuple(stems(text)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bot.store.engine.create_engine", partial(create_engine, execution_options=statements))
        patch.setattr(
            "bot.channels.templates.Environment", partial(jinja2.Environment, bytecode_cache=_CompiledTemplates())
        )
        patch.setattr(httpx2, "create_ssl_context", cache(httpx2.create_ssl_context))
        patch.setattr(tokens, "_stems", lambda text: stems_of_text(text) if len(text) < 5_000 else stems(text))
        yield


@pytest.fixture
def paperbot(capsys, monkeypatch) -> Paperbot:
    """Call the command in this process, without the home of the environment."""
    monkeypatch.delenv("PAPERBOT_HOME", raising=False)

    def call(*arguments: object) -> Answer:
        capsys.readouterr()
        code = invoke([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return Answer(code, out, err)

    return call


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of an empty store, to be copied: to make its tables takes longer than many a test."""
    path = tmp_path_factory.mktemp("store") / "paperbot.db"
    open_store(f"sqlite:///{path}").close()
    return path


@pytest.fixture(scope="session")
def prepared_home(empty_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home as ``paperbot init`` makes it, with an empty store; to be copied."""
    path = tmp_path_factory.mktemp("prepared") / "papers"
    assert invoke(["init", str(path), "--email", "ada@example.org", "--timezone", "Europe/Berlin"]) == 0
    shutil.copy(empty_store, path / "state")
    return path


@pytest.fixture
def home(prepared_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the prepared home; it is also the current directory."""
    monkeypatch.delenv("PAPERBOT_HOME", raising=False)
    path = tmp_path / "papers"
    shutil.copytree(prepared_home, path)
    monkeypatch.chdir(path)
    return path


@pytest.fixture
def bare(home: Path) -> Path:
    """The home without samples and profiles."""
    for path in (*home.glob("samples/*"), *home.glob("profiles/*")):
        path.unlink()
    return home


@pytest.fixture(scope="session")
def fill_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path, Callable[[], object]], None]:
    """Fill a home by a function, or with what the function made of the first home; paths in it are of that one."""
    filled: dict[str, Path] = {}

    def fill(home: Path, make: Callable[[], object]) -> None:
        name = f"{make.__module__}.{make.__qualname__}"
        if name in filled:
            shutil.copytree(filled[name], home, dirs_exist_ok=True)
            return
        make()
        copy = tmp_path_factory.mktemp("filled") / "papers"
        filled[name] = shutil.copytree(home, copy)

    return fill


@pytest.fixture(scope="session")
def prepared_papers(prepared_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of a prepared home, with the papers of the samples."""
    path = tmp_path_factory.mktemp("ingested") / "papers"
    shutil.copytree(prepared_home, path)
    assert invoke(["--home", str(path), "ingest"]) == 0
    return path / "state"


@pytest.fixture
def ingested(home: Path, prepared_papers: Path) -> Path:
    """The home, with the papers of the samples in its store."""
    shutil.copytree(prepared_papers, home / "state", dirs_exist_ok=True)
    return home


@pytest.fixture
def few_papers(home: Path) -> None:
    """One digest in the home for the samples, and all of it is sent: for tests of what is done with an edition."""
    for path in home.glob("samples/*"):
        path.unlink()
    (home / "seeds" / "own.txt").write_text(digest("Reward models for dogs", "Reward models for owls"))
    edit(home / "profiles/reward-models.toml", "# threshold = 0.15", "threshold = 0  #")


@pytest.fixture
def original_seeds() -> Path:
    """The digests that the samples were made from, if they are beside the checkout."""
    folder = ROOT.parent / "shared" / "seeds"
    if not folder.is_dir():
        pytest.skip("the original digests are not beside this checkout")
    return folder


@pytest.fixture
def web() -> Iterator[Web]:
    """A web server for one test."""
    with Web().running() as web:
        yield web


@pytest.fixture
def time() -> FakeTime:
    """A clock that advances by sleeping only."""
    return FakeTime()


@pytest.fixture
def clock() -> Clock:
    """A dispatcher's timer and stop signal."""
    return Clock()


@pytest.fixture
def fetcher(time: FakeTime) -> Fetcher:
    """A fetcher that may connect to loopback."""
    return Fetcher(private_hosts=["127.0.0.1"], clock=time.clock, sleep=time.sleep)


@pytest.fixture(scope="session")
def postgres() -> URL:
    """The test server's address; without a server the test is skipped, or fails in CI."""
    url = make_url(os.environ.get("PAPERBOT_TEST_POSTGRES", _POSTGRES)).set(drivername="postgresql+psycopg")
    engine = create_engine(url, connect_args={"connect_timeout": 5})
    try:
        engine.connect().close()
    except OperationalError as error:
        reason = f"no PostgreSQL at {url.render_as_string()}: {' '.join(str(error.orig).split())}"
        if os.environ.get("CI") == "true":
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason)
    finally:
        engine.dispose()
    return url


@contextmanager
def _new_schema(postgres: URL) -> Iterator[tuple[Connection, str, str]]:
    """Yield a connection, the name of a new schema, and its URL, with a time zone far from UTC."""
    schema = f"test_{uuid4().hex}"
    engine = create_engine(postgres, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE SCHEMA {schema}"))
        options = {"options": f"-c search_path={schema} -c timezone=Asia/Tokyo"}
        url = postgres.set(drivername="postgres").update_query_dict(options)
        yield connection, schema, url.render_as_string(hide_password=False)
        # With the copies from before upgrades.
        names = text("SELECT nspname FROM pg_namespace WHERE starts_with(nspname, :schema)")
        for name in connection.scalars(names, {"schema": schema}).all():
            connection.execute(text(f"DROP SCHEMA {name} CASCADE"))
    engine.dispose()


@pytest.fixture(scope="session")
def new_schema(postgres: URL) -> Callable[[], AbstractContextManager[tuple[Connection, str, str]]]:
    """Make a PostgreSQL schema: a connection, its name, and its URL."""
    return partial(_new_schema, postgres)


@pytest.fixture
def schema_url(postgres: URL) -> Iterator[str]:
    """A new PostgreSQL schema."""
    with _new_schema(postgres) as (_, _, url):
        yield url


class _EmptySchema:
    """A schema with the tables of an empty store: to make them takes the server as long as many a test."""

    def __init__(self, connection: Connection, schema: str, url: str) -> None:
        self.url = url
        self._connection, self._schema = connection, schema
        open_store(url).close()
        self._relations = self._list_relations()
        of_schema = [table.name for table in reversed(metadata.sorted_tables)]
        others = [name for name, kind, _ in self._relations if kind == "r" and name not in of_schema]
        tables = [name for name in (*others, *of_schema) if name not in ("alembic_version", "salts")]
        sequences = [name for name, kind, _ in self._relations if kind == "S"]
        self._clearing = "".join(
            [
                *(f"DELETE FROM {schema}.{name};" for name in tables),
                *(f"SELECT setval('{schema}.{name}', 1, false);" for name in sequences),
            ]
        )

    def clear(self) -> None:
        """Delete all rows, and number the next ones from 1."""
        self._connection.exec_driver_sql(self._clearing)
        assert self._list_relations() == self._relations, "a test that changes tables takes `schema_url`"

    def _list_relations(self) -> list[tuple[str, str, int]]:
        """Return the tables, indexes and sequences, each with its kind and number of columns."""
        select = "SELECT relname, relkind, relnatts FROM pg_class WHERE relnamespace = to_regnamespace(:schema)"
        rows = self._connection.execute(text(f"{select} ORDER BY 1"), {"schema": self._schema})
        return [(name, kind, columns) for name, kind, columns in rows]


@pytest.fixture(scope="session")
def _empty_schema(postgres: URL) -> Iterator[_EmptySchema]:
    with _new_schema(postgres) as parts:
        yield _EmptySchema(*parts)


@pytest.fixture
def empty_schema_url(_empty_schema: _EmptySchema) -> Iterator[str]:
    """A PostgreSQL schema with an empty store, for tests that change rows only."""
    yield _empty_schema.url
    _empty_schema.clear()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    chromium = shutil.which("chromium")
    if not chromium and os.environ.get("CI") == "true":
        pytest.fail("chromium is not installed, and a CI run has to look at mails and pages")
    if not chromium:
        pytest.skip("chromium is not installed")
    # Imported here, so that tests without a browser run without Playwright.
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chrome = playwright.chromium.launch(executable_path=chromium, args=_BROWSER_OPTIONS)
        yield chrome
        chrome.close()
