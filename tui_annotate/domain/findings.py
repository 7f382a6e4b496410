"""The result type of diagnostic checks of a workspace or a terminal."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DiagnosticFinding:
    """One result of a diagnostic check.

    Attributes:
        what: what was checked, for example `store`.
        state: `ok`, `doubt` or `wrong`.
        `says`: what was found.
        `mend`: what to do about it; empty if there is nothing to do.
    """

    what: str
    state: str
    says: str
    mend: str = ""
