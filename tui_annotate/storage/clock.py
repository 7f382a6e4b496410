"""The current time in the format that the store uses.

Code that must not read the clock gets the time as an argument.
"""

from __future__ import annotations

from datetime import UTC, datetime


def utc_now() -> str:
    """Return the current time: ISO 8601, UTC, with microseconds."""
    return datetime.now(UTC).isoformat(timespec="microseconds")
