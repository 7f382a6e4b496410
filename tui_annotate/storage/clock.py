"""This moment, as the store writes moments; what must not read a clock is given one."""

from __future__ import annotations

from datetime import UTC, datetime


def utc_now() -> str:
    """This moment, ISO 8601, UTC, microseconds."""
    return datetime.now(UTC).isoformat(timespec="microseconds")
