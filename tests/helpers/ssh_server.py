"""A real sshd on loopback for tests: its own keys, its own configuration, its own port.

It is started as root, for root, and ended by its own process alone.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

import pytest

from tests.helpers.ssh_keys import generated
from tests.helpers.terminal import PATIENCE, Terminal, readable

SSHD: Final = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
SEPARATION: Final = Path("/run/sshd")  # sshd of Debian will not start without it
USER: Final = "root"

needs_sshd = (
    pytest.mark.skipif(
        SSHD is None or shutil.which("ssh") is None, reason="no sshd on this machine"
    ),
    pytest.mark.skipif(os.geteuid() != 0, reason="not root, who alone can start sshd"),
)


def separate() -> None:
    """Makes the folder that sshd of Debian needs, where no service has made it; skips else."""
    if not SEPARATION.is_dir():
        if os.geteuid() != 0:
            pytest.skip("not root, who alone can start sshd")
        SEPARATION.mkdir(mode=0o755, exist_ok=True)


class Server:
    """A running sshd; `authorized` is the file that says which key may do what.

    Attributes:
        port: on 127.0.0.1.
        program, config: what runs, and the file of its settings.
        log: what sshd told.
    """

    def __init__(self, folder: Path, settings: str) -> None:
        """`settings` stands at the end of its configuration."""
        self.authorized = folder / "authorized_keys"
        self.log = folder / "sshd.log"
        self.port = _free_port()
        host_key = generated(folder, "host")
        home = folder / "home"
        home.mkdir()
        self._known = folder / "known_hosts"
        kind, blob = host_key.with_suffix(".pub").read_text("utf-8").split()[:2]
        self._known.write_text(f"[127.0.0.1]:{self.port} {kind} {blob}\n", "utf-8")
        self.config = folder / "sshd_config"
        lines = (
            f"Port {self.port}",
            "ListenAddress 127.0.0.1",
            f"HostKey {host_key}",
            f"PidFile {folder / 'sshd.pid'}",
            f"AuthorizedKeysFile {self.authorized}",
            "UsePAM no",
            "StrictModes no",  # folders of tests lie below one that everybody may write to
            f"Subsystem sftp {shutil.which('sh')}",  # whatever it is, it must not be begun
            f"SetEnv HOME={home}",
        )
        self.config.write_text("\n".join(lines) + f"\n{settings}", "utf-8")
        separate()
        self.program = SSHD or ""
        self._process = subprocess.Popen(
            [self.program, "-D", "-f", str(self.config), "-E", str(self.log)]
        )
        self._wait()

    def _wait(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(0.02)
            assert self._process.returncode is None, self.log.read_text("utf-8")
            assert time.monotonic() < deadline, "sshd does not listen"

    def command(self, key: Path, *options: str, program: str = "ssh") -> list[str]:
        """The words with which somebody reaches it; the port is an option of ssh's own form."""
        port = f"Port={self.port}"
        settled = (
            *("IdentitiesOnly=yes", "IdentityAgent=none", "BatchMode=yes", port),
            *(f"UserKnownHostsFile={self._known}", "GlobalKnownHostsFile=/dev/null"),
            *("ControlMaster=no", "LogLevel=ERROR"),
        )
        return [
            program,
            *("-F", "/dev/null", "-i", str(key)),
            *(word for each in settled for word in ("-o", each)),
            *options,
        ]

    def run(
        self, key: Path, *words: str, options: Sequence[str] = (), env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """`ssh` with a command, without a terminal, to its end."""
        return subprocess.run(
            [*self.command(key, *options), f"{USER}@127.0.0.1", *words],
            env={**os.environ, **(env or {})},
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=PATIENCE,
        )

    def terminal(self, key: Path, *options: str, env: dict[str, str] | None = None) -> Terminal:
        """`ssh` in a terminal, as a person types it."""
        command = [*self.command(key, *options), f"{USER}@127.0.0.1"]
        return Terminal(command, env=env, columns=100, rows=30)

    def processes(self) -> list[int]:
        """The ids of everything that it began and that still runs."""
        parents = {}
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text("utf-8", "replace").rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(stat.parent.name)] = int(fields[1])
        found, new = [], [self._process.pid]
        while new:
            new = [child for child, parent in parents.items() if parent in new]
            found += new
        return found

    def wait_until_nobody_is_in(self) -> None:
        """Until everything that it began has ended."""
        while running := self.processes():
            with suppress(ProcessLookupError):
                ended = os.pidfd_open(running[-1])
                try:
                    assert readable(ended, PATIENCE), "somebody is still in"
                finally:
                    os.close(ended)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
