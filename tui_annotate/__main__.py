"""`python -m tui_annotate` and the command `tui-annotate`; decides nothing but how clean it starts.

What a client sends over ssh must reach no library: a session begins with few variables, isolated
from the folder it stands in, and with signals that no terminal can stop it by.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

KEPT = frozenset(
    {
        *("HOME", "LOGNAME", "PATH", "TZ", "USER"),
        *("COLORTERM", "LANG", "NO_COLOR", "TERM"),
        *("SSH_CLIENT", "SSH_CONNECTION", "SSH_ORIGINAL_COMMAND", "SSH_TTY"),
    }
)
"""What a session knows of its environment, beside LC_*."""


def main() -> None:
    """Runs the command line and leaves with its exit code."""
    if sys.version_info < (3, 11):  # noqa: UP036  from a clone, which no installer looked at
        sys.exit("tui-annotate needs Python 3.11 or newer")
    if sys.argv[1:2] == ["session"]:
        _begin_clean()
    try:
        from tui_annotate.cli.main import run
    except KeyboardInterrupt:  # as `run` answers it, once it is there
        sys.exit(130)
    sys.exit(run())


def clean(environment: Mapping[str, str]) -> dict[str, str]:
    """What of an environment a session knows; neither TEXTUAL_*, PYTHON* nor our own variables."""
    return {
        name: value for name, value in environment.items() if name in KEPT or name.startswith("LC_")
    }


def _begin_clean() -> None:
    import signal

    os.umask(0o077)
    for name in ("SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGQUIT"):
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    known = clean(os.environ)
    if not sys.flags.isolated:  # begun by hand, or by a line that is not ours
        again = [sys.executable, "-I", "-m", "tui_annotate", *sys.argv[1:]]
        os.execve(sys.executable, again, known)  # noqa: S606  itself, without a shell
    for name in set(os.environ) - set(known):
        del os.environ[name]


if __name__ == "__main__":
    main()
