"""What holds for every test: nothing is read from or written to the home of whoever runs it."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Generator, Iterator
from pathlib import Path
from weakref import WeakSet

import pytest
import pytest_randomly

from tests.helpers.effort import register_profiles
from tests.helpers.fork_server import warm
from tests.helpers.layers import is_slow
from tests.helpers.postgresql_server import PostgresqlServer
from tests.plugins.embedders.endpoint_server import KEY, FakeEndpoint, serving
from tui_annotate.storage.sqlite_database import SqliteDatabase

register_profiles()

# What spaCy brings would seed PyTorch too: it loads it into every worker, and fails where a test
# takes it away.
pytest_randomly.entrypoint_reseeds = []

KEPT = {"TUI_ANNOTATE_SHARED", "TUI_ANNOTATE_TORTURE"}


def pytest_itemcollected(item: pytest.Item) -> None:
    """Give a test of the slow layer its marker."""
    if is_slow(item.nodeid):
        item.add_marker("slow")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Spare the garbage collector modules and thousands of tests, which stay to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Slow tests begin first, so that no core waits at the end; the others stay shuffled."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgresqlServer]:
    """A server of PostgreSQL, started for the first test of a process that needs one."""
    server = PostgresqlServer()
    yield server
    server.stop()


@pytest.fixture(autouse=True)
def restored_environment() -> Iterator[None]:
    """What a command sets for its own process, `--no-color` for one, ends with its test."""
    before = dict(os.environ)
    yield
    if os.environ != before:
        os.environ.clear()
        os.environ.update(before)


@pytest.fixture(autouse=True)
def isolated_home(
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Settings, remembered names and the login name of a person who exists in no system."""
    home = tmp_path_factory.mktemp("home")
    for name in [each for each in os.environ if each.startswith("TUI_ANNOTATE_")]:
        if name not in KEPT:
            monkeypatch.delenv(name)
    for name in ("COLUMNS", "LINES"):  # as set, they would be the size of pipes and terminals
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TUI_ANNOTATE_CONFIG", str(home / "config.toml"))
    monkeypatch.setenv("TUI_ANNOTATE_STATE", str(home))
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("LOGNAME", "reader")
    Path(home, "config.toml").touch()
    # Where no embedder is named, the static one is taken: alike on all machines, and quick.
    monkeypatch.setenv("TUI_ANNOTATE_EMBEDDER", "static")
    monkeypatch.setattr("tui_annotate.plugins.registry.best_embedder", lambda: "static")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


@pytest.fixture(autouse=True)
def no_settling_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test's user has seen a frame as soon as it is drawn, also inside a developer's tmux."""
    monkeypatch.setattr("tui_annotate.tui.frame_guard.SETTLING_TIME", 0.0)
    monkeypatch.setattr("tui_annotate.tui.frame_guard.UNREPORTED_TIME", 0.0)


@pytest.fixture
def earlier_names_allowed() -> None:
    """A test with this fixture may use earlier names of commands and options."""


@pytest.fixture(autouse=True)
def present_names(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command line of a test has the present names of commands and options."""
    if "earlier_names_allowed" not in request.fixturenames:

        def refuse(earlier: str, present: str) -> None:
            pytest.fail(f"{earlier} is an earlier name; use {present}")

        monkeypatch.setattr("tui_annotate.cli.earlier_names._print_note", refuse)


@pytest.fixture
def interruptible() -> Iterator[None]:
    """What a script starts in the background is deaf to Ctrl-C, and so is all that it starts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(autouse=True)
def closed_stores(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A worker runs thousands of tests; what they leave open would add up to its limit of files.

    A store that is closed opens again where it is used, so one that several tests share is safe.
    """
    made: WeakSet[SqliteDatabase] = WeakSet()
    init = SqliteDatabase.__init__

    def remembered(self: SqliteDatabase, path: Path) -> None:
        made.add(self)
        init(self, path)

    monkeypatch.setattr(SqliteDatabase, "__init__", remembered)
    yield
    for each in made:
        each.close()


@pytest.fixture(autouse=True)
def fast_stores(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Create stores without Alembic (0.1 s each), and let commits not wait for the disk.

    Tests of stores themselves, and of what survives a crash, have stores as users have them.
    """
    if not {"storage", "reliability"}.intersection(request.path.parts):
        from tests.helpers import stores

        monkeypatch.setattr(
            "tui_annotate.storage.sqlite_database._create_tables", stores.create_schema
        )
        monkeypatch.setattr(
            "tui_annotate.storage.sqlite_database._connect", stores.connect_unsynced
        )


@pytest.fixture(scope="session", autouse=True)
def shared_statements() -> Iterator[None]:
    """SQLAlchemy compiles a statement once in each process, not once for each open store."""
    from tests.helpers.stores import sharing_engines

    create_engine = sharing_engines()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("tui_annotate.storage.sqlite_database.create_engine", create_engine)
        yield


@pytest.fixture(scope="session")
def warm_folder() -> Iterator[Path]:
    """A folder for PATH, in which `tui-annotate` starts at once; as `warm` says."""
    with warm() as folder:
        yield folder


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeEndpoint]:
    """An endpoint that wants no key, and `KEY` for it in the environment."""
    monkeypatch.setenv("TUI_ANNOTATE_API_KEY", KEY)
    with serving() as fake:
        yield fake
