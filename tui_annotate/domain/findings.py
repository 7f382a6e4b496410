"""The result type of diagnostic checks of a workspace or a terminal."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DiagnosticFinding:
    """The result of one diagnostic check.

    Attributes:
        what: what was checked.
        state: "ok", "doubt" or "wrong".
        `says`: the result as text.
        `mend`: how to fix the problem; may be empty.
    """

    what: str
    state: str
    says: str
    mend: str = ""
