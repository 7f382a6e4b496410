"""Placeholders of prompt templates, such as `{question}`: checks of a template, and its filling.

A name in braces is a placeholder; `{{name}}` is the text `{name}`. Other braces are text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Final

from tui_annotate.domain.did_you_mean import find_nearest
from tui_annotate.domain.errors import InvalidInput, InvalidRecord

OTHER_NAMES: Final[Mapping[str, str]] = {
    "user_input": "question",
    "retrieved_contexts": "contexts",
    "response": "answer",
    "formatted_kv_records": "kv",
}
"""Our name of a prompt's placeholder, by its name in RAGAS or in "Lost in the Middle"."""
_PLACEHOLDER: Final = re.compile(r"\{\{\s*([^\W\d]\w*)\s*\}\}|\{\s*([^\W\d]\w*)\s*\}")
"""Pattern for a name in double braces (group 1) or in single braces (group 2)."""


def find_placeholders(template: str) -> dict[str, int]:
    """Return the names of a prompt's placeholders as written, each with its first line."""
    found: dict[str, int] = {}
    for place in _PLACEHOLDER.finditer(template):
        if place[2]:
            found.setdefault(place[2], template.count("\n", 0, place.start()) + 1)
    return found


def check_placeholders(
    template: str,
    *,
    allowed: Collection[str],
    required: Collection[str] | None = None,
    file: Path | None = None,
    hint: str = "write each placeholder into the template, where the model must read its value",
) -> None:
    """Check that a prompt template has all required placeholders, and no unknown one.

    Args:
        required: our names of the placeholders that must occur; None for all that are allowed.

    Raises:
        InvalidInput: a placeholder is unknown or missing.
    """
    known = [*allowed, *(other for other, ours in OTHER_NAMES.items() if ours in allowed)]
    found = find_placeholders(template)
    for name, line in found.items():
        if name not in known:
            near = find_nearest(name, known)
            meant = f"did you mean {{{near}}}? " if near else ""
            text = f"; to send {{{name}}} as text, write {{{{{name}}}}}"
            raise _error(
                f"the template has the unknown placeholder {{{name}}}",
                f"{meant}use only {_join(sorted(known))}{text}",
                where=f"{file}:{line}" if file else "",
            )
    ours = {OTHER_NAMES.get(name, name) for name in found}
    if missing := sorted({*(allowed if required is None else required)} - ours):
        which = "placeholder" if len(missing) == 1 else "placeholders"
        raise _error(
            f"the template lacks the {which} {_join(missing)}", hint, where=str(file or "")
        )


def fill_placeholders(template: str, values: Mapping[str, str]) -> str:
    """Fill a template's placeholders, all of which have values; braces in values stay unchanged."""

    def replace(place: re.Match[str]) -> str:
        if place[1]:
            return f"{{{place[1]}}}"
        name = place[2]
        return values[name] if name in values else values[OTHER_NAMES[name]]

    return _PLACEHOLDER.sub(replace, template)


def _join(names: Collection[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in names)


def _error(message: str, hint: str, *, where: str) -> InvalidInput:
    return InvalidRecord(message, hint, where=where) if where else InvalidInput(message, hint)
