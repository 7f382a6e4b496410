"""What a sample costs to open, and an annotation to save, in SQLite and in PostgreSQL.

The same workspace is measured as a file, then after its store was moved to a server on a local
socket, then through a proxy that adds 5 ms to each exchange. Runs of the three take turns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from uuid import uuid4

from benchmarks.bench_open import filled, seconds
from benchmarks.report import Row
from tests.helpers.postgresql_server import DATABASE, USER, PostgresqlServer
from tests.helpers.socket_proxy import SocketProxy
from tests.helpers.stores import claim
from tui_annotate.domain.samples import SampleKey
from tui_annotate.services.annotate import AnnotationService
from tui_annotate.settings import Settings
from tui_annotate.storage.postgresql_database import PostgresqlDatabase
from tui_annotate.workspace import Workspace

SAMPLES = 1000
RUNS = 100
DELAY = 0.0025
"""Seconds that the proxy adds in each direction."""


def rows() -> Iterator[Row]:
    """Medians in milliseconds, and the round trips that the added delay accounts for."""
    with TemporaryDirectory() as temporary, ExitStack() as closing:
        server = PostgresqlServer()
        closing.callback(server.stop)
        proxy = closing.enter_context(SocketProxy(server.folder))
        spaces = [
            closing.enter_context(space) for space in _open_all(Path(temporary), server.url, proxy)
        ]
        proxy.delay = DELAY
        names = ("SQLite", "PostgreSQL on a socket", "PostgreSQL with 5 ms more")
        for what, action in (("open a sample", _open), ("save an annotation", _save)):
            times = _measure(spaces, action)
            for name, found in zip(names, times, strict=True):
                yield Row(f"{what}, {name}", 1000 * found, unit="ms")
            yield Row(f"{what}: round trips", (times[2] - times[1]) / (2 * DELAY))


def _open_all(folder: Path, url: str, proxy: SocketProxy) -> Iterator[Workspace]:
    """Yield the workspace as a file, on the server, and on the server behind the proxy."""
    space, _ = filled(folder / "file", SAMPLES)
    yield space
    moved, _ = filled(folder / "moved", SAMPLES)
    schema = f"bench_{uuid4().hex}"
    moved.team.move_store(url, schema)
    moved.close()
    for address in (url, f"postgresql://{USER}@/{DATABASE}?host={proxy.folder}"):
        yield Workspace(folder / "moved", Settings(), PostgresqlDatabase.open(address, schema))


_Action = Callable[[AnnotationService, str, int], object]


def _measure(spaces: list[Workspace], action: _Action) -> list[float]:
    times: list[list[float]] = [[] for _ in spaces]
    # As the screen does, which asks for both once.
    sessions = [(space.annotate, space.people.local("bench").id) for space in spaces]
    for number in range(RUNS):
        for found, session in zip(times, sessions, strict=True):
            found.append(seconds(partial(action, *session, number)))
    return [median(found) for found in times]


def _key(number: int) -> SampleKey:
    return SampleKey("bench", f"sample-{SAMPLES - 1 - number:06}")


def _open(annotate: AnnotationService, person: str, number: int) -> object:
    return annotate.open(person, _key(number))


def _save(annotate: AnnotationService, person: str, number: int) -> object:
    new = claim(uuid4().hex, 5, 15 + uuid4().int % 100, label="")
    return annotate.add(person, _key(number), new, seconds=1)
