"""The version of the program, which every event of the log records."""

from __future__ import annotations

from typing import Final

VERSION: Final = "0.1.0"
