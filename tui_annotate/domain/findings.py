"""The result type of diagnostic checks of a workspace or a terminal."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DiagnosticFinding:
    what: str
    state: str
    says: str
    mend: str = ""
