"""Commands in processes forked from one that has imported everything: for tests that start many.

Each is a process of its own, with real arguments, environment, folder, files 0 to 2 and exit code.
It is not what Python does at its start: PYTHON* and the locale are those of the server, but for
what PYTHONPATH adds, and no terminal is its own, so no screen opens this way. Nor does it find an
import that is missing: a test that uses it has some commands run by the real entry point too.
"""

from __future__ import annotations

import gc
import os
import pkgutil
import selectors
import signal
import socket
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NoReturn

ROOT = Path(__file__).parents[2]


@contextmanager
def warm() -> Iterator[Path]:
    """A folder for PATH with `tui-annotate` in it; the server ends with the block, or with us."""
    with TemporaryDirectory() as name:  # of a short name, as addresses of sockets must be
        address, folder = f"{name}/server", Path(name, "bin")
        client = folder / "tui-annotate"
        folder.mkdir()
        line = (
            f'exec "{sys.executable}" -S -I "{ROOT}/tests/helpers/fork_client.py" "{address}" "$@"'
        )
        client.write_text(f"#!/bin/sh\n{line}\n", "utf-8")
        client.chmod(0o755)
        with subprocess.Popen(
            [sys.executable, "-m", "tests.helpers.fork_server", address],
            cwd=ROOT,
            env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "OMP_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as server:
            assert server.stdout is not None
            assert server.stdout.readline() == b"ready\n"
            yield folder
            server.communicate()  # its stdin ends, and with it the server


def serve(address: str) -> None:
    """The server: forks for each client, tells it the exit code, ends with stdin."""
    _preload()
    ended, signalled = socket.socketpair()
    signalled.setblocking(False)
    signal.set_wakeup_fd(signalled.fileno())
    signal.signal(signal.SIGCHLD, lambda *_: None)
    waiting: dict[int, socket.socket] = {}
    with socket.socket(socket.AF_UNIX) as door, selectors.DefaultSelector() as selector:
        door.bind(address)
        door.listen(64)
        for each in (door, ended, sys.stdin):
            selector.register(each, selectors.EVENT_READ)
        print("ready", flush=True)  # noqa: T201
        while True:
            ready = {key.fileobj for key, _ in selector.select()}
            if sys.stdin in ready:
                return
            if ended in ready:
                ended.recv(1 << 12)
                _tell(waiting)
            if door in ready:
                line, _ = door.accept()
                child = os.fork()
                if not child:
                    _become(line)
                waiting[child] = line


def _preload() -> None:
    """What commands load later, but for the screen; the word pieces too, which take longest."""
    import alembic.command
    import lancedb  # its threads begin anew in a fork

    import tui_annotate
    from tui_annotate.cli.commands import program
    from tui_annotate.plugins.embedders.static import StaticEmbedder

    del alembic, lancedb
    warnings.filterwarnings("ignore", "lancedb fork support", RuntimeWarning)
    for module in pkgutil.walk_packages(tui_annotate.__path__, "tui_annotate."):
        draws = module.name.startswith("tui_annotate.tui") or module.name.endswith(
            ("screen", ".feature")
        )
        if not draws and "__main__" not in module.name:
            with suppress(ImportError):
                import_module(module.name)
    program()
    StaticEmbedder()
    gc.freeze()


def _tell(waiting: dict[int, socket.socket]) -> None:
    """Gives the exit codes of those that ended to those who wait for them."""
    for child in list(waiting):
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            with waiting.pop(child) as line, suppress(BrokenPipeError):
                line.sendall(str(os.waitstatus_to_exitcode(status) & 0xFF).encode())


def _become(line: socket.socket) -> NoReturn:
    """In a fork: is the process that stands at the other end of the line, until it leaves."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    _, files, *_ = socket.recv_fds(line, 1, 3)
    whole = b"".join(iter(lambda: line.recv(1 << 16), b""))
    folder, count, *parts = whole.decode("utf-8", "surrogateescape").split("\0")
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(part.partition("=")[::2] for part in parts[int(count) :])
    sys.path += filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    sys.stdin, sys.stdout = open(0), open(1, "w")  # noqa: SIM115  as Python opens them
    sys.stderr = open(2, "w", buffering=1)  # noqa: SIM115
    sys.argv = ["tui-annotate", *parts[: int(count)]]
    from tui_annotate.__main__ import main

    main()
    raise AssertionError("it leaves with an exit code")


if __name__ == "__main__":
    serve(sys.argv[1])
