"""The fixtures of commands and services, for the tests of the research tools."""

from __future__ import annotations

from tests.cli.conftest import annotated, command, filled, json_faults, pairs
from tests.services.conftest import database

__all__ = ["annotated", "command", "database", "filled", "json_faults", "pairs"]
