"""What a look at a workspace or a terminal found; finds nothing itself."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DiagnosticFinding:
    """A check's result; `state` is "ok", "doubt" or "wrong", `mend` the fix, may be empty."""

    what: str
    state: str
    says: str
    mend: str = ""
