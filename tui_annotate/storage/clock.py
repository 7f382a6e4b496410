"""The current time in the format that the database uses."""

from __future__ import annotations

from datetime import UTC, datetime


def utc_now() -> str:
    """Return the current time: ISO 8601, UTC, with microseconds."""
    return datetime.now(UTC).isoformat(timespec="microseconds")
