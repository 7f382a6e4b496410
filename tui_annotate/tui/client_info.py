"""What this machine says of somebody: its user, where they come from, the time on its clocks."""

from __future__ import annotations

import os
from datetime import UTC, datetime


def user() -> str:
    """The name of the user of this process, from the system and not the environment; or nothing."""
    try:
        import pwd

        return pwd.getpwuid(os.getuid()).pw_name
    except (ImportError, KeyError):
        return ""


def client() -> str:
    """Where somebody comes from: the address that sshd tells, else the user of this machine."""
    address = os.environ.get("SSH_CONNECTION", "").partition(" ")[0]
    return address or f"user {user() or 'unknown'}"


def clock_time(moment: str) -> str:
    """A moment in ISO 8601 as clocks here show it: hour and minute, before today also the day."""
    then = datetime.fromisoformat(moment).astimezone()
    today = datetime.now(UTC).astimezone().date()
    return then.strftime("%H:%M") if then.date() == today else then.strftime("%d %b %H:%M")
