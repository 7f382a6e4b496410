"""A row of any file of pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Row:
    """The named fields of a record; `name` is how it is called where it has no id."""

    name: str
    where: str
    fields: dict[str, Any]
