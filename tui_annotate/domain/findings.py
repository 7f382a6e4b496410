"""The result type of diagnostic checks of a workspace or a terminal."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DiagnosticFinding:
    """One result of a diagnostic check, and what to do about it, if anything.

    Attributes:
        check: what was checked, for example `store`.
        state: `ok`, `warning` or `error`.
    """

    check: str
    state: str
    message: str
    hint: str = ""
