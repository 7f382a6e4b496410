"""A proxy between a program and a database server that can cut, delay or swallow what passes."""

from __future__ import annotations

import shutil
import socket
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Self

_NAME = ".s.PGSQL.5432"
_COMMIT = b"\x0bCOMMIT\x00"


class SocketProxy:
    """Listens at a socket of its own, and passes everything to the server at another one.

    Attributes:
        folder: the folder of the proxy's socket.
        delay: seconds that pass before bytes of the client or the server are passed on.
        cut_before_commit: whether the next COMMIT and everything after it never reaches the server.
        cut_after_commit: whether the answer to the next COMMIT never reaches the client.
        stays_away: whether new connections are refused after that.
    """

    def __init__(self, server: Path) -> None:
        self._server = str(server / _NAME)
        self.folder = Path(tempfile.mkdtemp(prefix="proxy-", dir="/tmp"))
        self.delay = 0.0
        self.cut_before_commit = False
        self.cut_after_commit = False
        self.stays_away = False
        self._awaited: socket.socket | None = None
        self._open: list[socket.socket] = []
        self._listener: socket.socket | None = None
        self.restart()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def restart(self) -> None:
        """Accept connections."""
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.folder / _NAME))
        self._listener.listen()
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def stop(self) -> None:
        """Close all connections, and refuse new ones."""
        if self._listener is not None:
            self._listener.close()
            self._listener = None
            (self.folder / _NAME).unlink()
        self.cut()

    def cut(self) -> None:
        """Close all connections."""
        for each in self._open:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        self._open.clear()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(self._server)
            self._open += [client, server]
            for source, target, is_client in ((client, server, True), (server, client, False)):
                passing = (source, target, is_client)
                threading.Thread(target=self._pass, args=passing, daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket, is_client: bool) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                time.sleep(self.delay)
                if is_client and _COMMIT in data and self.cut_before_commit:
                    self.cut_before_commit = False
                    self.cut()
                elif is_client and _COMMIT in data and self.cut_after_commit:
                    self.cut_after_commit = False
                    self._awaited = target
                    target.sendall(data)
                elif source is self._awaited:  # the answer to COMMIT
                    self._awaited = None
                    self.stop() if self.stays_away else self.cut()
                else:
                    target.sendall(data)
