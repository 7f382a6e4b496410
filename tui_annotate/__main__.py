"""Entry point of `python -m tui_annotate` and of the command `tui-annotate`.

An SSH session starts in a clean process: with few environment variables, isolated from the current
folder, and without the terminal's stop signals. So no client input reaches a library.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Mapping
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

KEPT = frozenset(
    {
        *("HOME", "LOGNAME", "PATH", "TZ", "USER"),
        *("COLORTERM", "LANG", "NO_COLOR", "TERM"),
        *("SSH_CLIENT", "SSH_CONNECTION", "SSH_ORIGINAL_COMMAND", "SSH_TTY"),
    }
)
"""Environment variables that an SSH session keeps, in addition to those that begin with LC_."""


def main() -> None:
    _reopen_closed_streams()
    if sys.version_info < (3, 11):  # noqa: UP036  a clone has no installer check
        sys.exit("tui-annotate needs Python 3.11 or newer")
    if sys.argv[1:3] == ["ssh", "session"]:
        _begin_clean()
    sys.unraisablehook = _handle_unraisable
    try:
        from tui_annotate.cli.main import run
    except KeyboardInterrupt:  # during the import; `run` handles later ones
        sys.exit(130)
    sys.exit(run())


def _handle_unraisable(found: UnraisableHookArgs) -> None:
    """Repeat a ctrl+c that arrived where Python cannot raise it, instead of printing it."""
    if found.exc_type is KeyboardInterrupt:
        # A signal sent here would be raised in this function, where Python cannot raise it either.
        again = threading.Timer(0.05, os.kill, [os.getpid(), signal.SIGINT])
        again.daemon = True
        again.start()
    else:
        sys.__unraisablehook__(found)


def _reopen_closed_streams() -> None:
    """Open the null device in place of each closed standard stream, as git does.

    Otherwise the first file that the program opens would get the number of the stream, and Python
    has no stream to write to.
    """
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number, which is this one
            os.set_inheritable(number, True)  # noqa: FBT003  a parameter without a name
        if getattr(sys, name) is None:
            stream: IO[Any]
            if name == "stdout":
                # Late import: only this case needs it.
                from tui_annotate.plugins.files.standard_output import ClosedOutput

                stream = ClosedOutput(open(number, "wb", closefd=False), encoding="utf-8")  # noqa: SIM115
            else:
                stream = open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)


def clean(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that a session keeps, so that a client's cannot change the program."""
    return {
        name: value for name, value in environment.items() if name in KEPT or name.startswith("LC_")
    }


def _begin_clean() -> None:
    os.umask(0o077)
    for name in ("SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGQUIT"):
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    known = clean(os.environ)
    if not sys.flags.isolated:  # started by hand, or by a foreign authorized_keys line
        again = [sys.executable, "-I", "-m", "tui_annotate", *sys.argv[1:]]
        os.execve(sys.executable, again, known)  # noqa: S606  this program, without a shell
    for name in set(os.environ) - set(known):
        del os.environ[name]


if __name__ == "__main__":
    main()
