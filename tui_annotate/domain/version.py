"""The version of the program, as every event of the log carries it."""

from __future__ import annotations

from typing import Final

VERSION: Final = "0.1.0"
