"""Checks the types of arguments of Python functions, which a caller may ignore."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, Any, Final, get_type_hints

from tui_annotate.domain.errors import InvalidArgument
from tui_annotate.domain.terminal_text import make_line_visible

if TYPE_CHECKING:
    from pydantic import TypeAdapter

_SHOWN: Final = 80
_PLAIN: Final = (bool, float, int, str, float | None, int | None)
"""Types of fields that `check_fields` checks."""
_EXPECTED: Final = {
    "bool_type": "True or False",
    "callable_type": "a function",
    "float_type": "a number",
    "int_type": "a whole number",
    "sequence_str": "a list",
    "string_type": "a text",
    "Path": "a path",
    "Sequence": "a list",
}
"""What an argument must be, by the type of pydantic's error, or by the class that it names."""


def check_types(
    function: str, arguments: Mapping[str, Any], types: Mapping[str, Any]
) -> dict[str, Any]:
    """Return arguments by name, with arrays, columns and numbers of numpy and pandas as plain ones.

    Nothing else is converted: the text "4" is no number, and a text is no list of texts.

    Raises:
        InvalidArgument: an argument, or an item of a list, has another type than `types` states.
    """
    checked = {}
    for name, value in arguments.items():
        checked[name] = _as_plain(value)
        _check_type(f"{function}(): the argument {name}", checked[name], kind=types[name])
    return checked


def check_fields(options: Any) -> None:
    """Check the types of the texts, numbers and switches among the fields of a dataclass.

    Raises:
        InvalidArgument: a field has another type than its annotation states.
    """
    kind = type(options)
    hints = get_type_hints(kind)
    names = [each.name for each in fields(options) if hints[each.name] in _PLAIN]
    check_types(kind.__name__, {name: getattr(options, name) for name in names}, hints)


def _as_plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return _as_plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_as_plain(each) for each in value]
    return value


def _check_type(what: str, value: Any, *, kind: Any) -> None:
    from pydantic import ValidationError

    try:
        _type_adapter(kind).validate_python(value)
    except ValidationError as error:
        # A type such as `int | None` has an error for each of its parts, the first of which counts.
        first = error.errors(include_url=False)[0]
        at = "".join(f"[{step}]" for step in first["loc"] if isinstance(step, int))
        wrong = make_line_visible(repr(first["input"]))
        shown = wrong if len(wrong) <= _SHOWN else f"{wrong[: _SHOWN - 1]}…"
        wanted = first.get("ctx", {}).get("class", first["type"])
        expected = _EXPECTED.get(wanted, first["msg"])
        raise InvalidArgument(
            f"{what}{at} is {shown}, not {expected}", f"pass {expected}"
        ) from None


@cache
def _type_adapter(kind: Any) -> TypeAdapter[Any]:
    from pydantic import ConfigDict, TypeAdapter

    return TypeAdapter(kind, config=ConfigDict(strict=True, arbitrary_types_allowed=True))
