"""What is wrong with a field of a JSON object, said so that one can mend it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.plugins.admission import described


def unfit(
    fields: Mapping[str, Any], name: str, kind: str = "text", *, of: str = ""
) -> InvalidInput:
    """The error of a field that is missing, or that is of another kind than it must be.

    Args:
        of: what holds it, where that is not all of the line.
    """
    if name not in fields:
        return InvalidInput(f"{name!r} is missing{f' in {of!r}' if of else ''}", "add it")
    value = fields[name]
    quoted = kind == "text" and isinstance(value, int | float)
    hint = "quote it" if quoted else "give it a value" if value is None else ""
    return InvalidInput(f"{name!r} is {described(value)}, not {kind}", hint)
