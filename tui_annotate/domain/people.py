"""Persons: who an annotation, an event or an assignment belongs to."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from tui_annotate.domain.errors import InvalidInput

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
LONGEST_NAME = 100


class PersonKind(StrEnum):
    """Where a person comes from: named on this machine, read from a file, or signed in."""

    LOCAL = "local"
    IMPORTED = "imported"
    ACCOUNT = "account"


@dataclass(frozen=True, slots=True)
class Person:
    """`id` never changes and is unique in a store; `name` is what people see and need not be."""

    id: str
    name: str
    kind: PersonKind = PersonKind.LOCAL


def checked_name(name: str) -> str:
    """A person's name without white space at its edges.

    Raises:
        InvalidInput: it is empty, longer than 100 code points, or holds a control character.
    """
    trimmed = name.strip()
    if not trimmed or len(trimmed) > LONGEST_NAME or _CONTROL.search(trimmed):
        raise InvalidInput(
            f"{name!r} is not a name",
            f"give 1 to {LONGEST_NAME} characters without control characters",
        )
    return trimmed
