"""What a look at a workspace or a terminal found; finds nothing itself."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        what: its name.
        state: "ok", "doubt" (works, but less than it could) or "wrong".
        says: what was found.
        mend: the line that mends it; empty where there is nothing to mend.
    """

    what: str
    state: str
    says: str
    mend: str = ""
