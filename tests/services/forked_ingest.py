"""An ingest in a process that is killed: forked from one that has imported all, soon at work."""

from __future__ import annotations

import multiprocessing
import os
import select
import signal
import sys
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

from tests.services import ingest_stores as ingesting

PATIENCE = 30  # seconds, after which a process is one that is left over
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(
    ["tests.services.ingest_stores", "alembic.command", "tui_annotate.storage.tables", "lancedb"]
)


class Forked:
    """An ingest with processes of its own; a rebuild without files."""

    def __init__(
        self, folder: Path, *files: Path, workers: int = 2, embedder: str = "static"
    ) -> None:
        folder.mkdir(exist_ok=True)
        self._errors = folder.parent / "errors.txt"
        begun, ours = FORKS.Pipe(duplex=False)
        arguments = (str(folder), str(workers), embedder, *map(str, files))
        self._process: BaseProcess = FORKS.Process(
            target=_forked, args=(str(self._errors), ours, arguments)
        )
        self._process.start()
        ours.close()
        assert begun.recv_bytes()

    def finished(self) -> None:
        """Waits until it ended as it should."""
        self._process.join()
        assert self._process.exitcode == 0, self._errors.read_text("utf-8")

    def killed(self, *, after: float) -> bool:
        """Kills the main process alone after some seconds; False where it had ended before."""
        self._process.join(after)
        if self._process.exitcode is None:
            self._process.kill()
        self._process.join()
        wait_until_gone(self._process.pid or 0)
        if self._process.exitcode != -signal.SIGKILL:
            self.finished()
            return False
        return True


def _forked(errors: str, begun: Connection, arguments: tuple[str, ...]) -> None:
    os.setsid()
    sys.stderr = Path(errors).open("w", 1, "utf-8")  # noqa: SIM115  open until the process ends
    begun.send_bytes(b"begun")
    ingesting.main(*arguments)


def _alive(group: int) -> dict[int, str]:
    """The processes of a group that are still running, and their command lines."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            command = (folder / "cmdline").read_text()
        except OSError:
            continue
        if int(fields[2]) == group and fields[0] not in "ZX":
            found[int(folder.name)] = command
    return found


def wait_until_gone(group: int) -> None:
    """Waits until no process of a group runs any more."""
    while alive := _alive(group):
        for number, command in alive.items():
            with suppress(ProcessLookupError):
                process = os.pidfd_open(number)
                try:
                    assert select.select([process], [], [], PATIENCE)[0], command
                finally:
                    os.close(process)
