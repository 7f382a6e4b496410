"""The result type of diagnostic checks of a workspace or a terminal."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DiagnosticFinding:
    """One result of a diagnostic check, and what to do about it, if anything.

    Attributes:
        what: what was checked, for example `store`.
        state: `ok`, `doubt` or `wrong`.
    """

    what: str
    state: str
    says: str
    mend: str = ""
