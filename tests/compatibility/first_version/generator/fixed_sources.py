"""Puts a clock that counts and seeded numbers in the place of this machine's, once imported.

It must be imported before anything of the package but its clock: others keep the clock they find.
"""

from __future__ import annotations

import random
import secrets
import uuid
from datetime import UTC, datetime, timedelta
from typing import Final

from tui_annotate.storage import clock

STEP: Final = timedelta(seconds=7, microseconds=250_001)

_NUMBERS: Final = random.Random(16)
_NOW: Final = [datetime(2026, 1, 5, 9, tzinfo=UTC)]


def now() -> datetime:
    """The next moment."""
    _NOW[0] += STEP
    return _NOW[0]


def _moment() -> str:
    return now().isoformat(timespec="microseconds")


def _uuid() -> uuid.UUID:
    return uuid.UUID(int=_NUMBERS.getrandbits(128), version=4)


def _bytes(nbytes: int | None = None) -> bytes:
    return _NUMBERS.randbytes(nbytes or 32)


def _token(nbytes: int | None = None) -> str:
    return _bytes(nbytes).hex()


clock.utc_now = _moment
uuid.uuid4 = _uuid
secrets.token_bytes = _bytes
secrets.token_hex = _token
secrets.token_urlsafe = _token
