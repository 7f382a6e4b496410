"""Standard output that was closed when the program started: data for it are an error."""

from __future__ import annotations

import io
import sys

from tui_annotate.domain.errors import Unavailable


class ClosedOutput(io.TextIOWrapper):
    """Writer to the null device in place of a closed standard output."""


def require_standard_output() -> None:
    """Raise Unavailable if standard output was closed when the program started."""
    if isinstance(sys.stdout, ClosedOutput):
        raise Unavailable(
            "standard output cannot be written: it is closed",
            "write to a file, or run the command without >&-",
        )
