"""Groups of command-line options: dataclasses whose fields are options."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cached_property, update_wrapper
from typing import Any, get_type_hints


class GroupedCommand:
    """Wraps a command's function; Typer sees each option of its option groups as a parameter."""

    __name__: str

    def __init__(self, function: Callable[..., None]) -> None:
        update_wrapper(self, function, ("__module__", "__name__", "__qualname__", "__doc__"))
        self._function = function

    def __call__(self, **values: Any) -> None:
        for parameter in (each for each in self._parameters if is_dataclass(each.annotation)):
            options = {each.name: values.pop(each.name) for each in fields(parameter.annotation)}
            values[parameter.name] = parameter.annotation(**options)
        self._function(**values)

    @cached_property
    def _parameters(self) -> list[inspect.Parameter]:
        return list(inspect.signature(self._function, eval_str=True).parameters.values())

    @cached_property
    def __signature__(self) -> inspect.Signature:
        expanded = (option for each in self._parameters for option in _expand(each))
        return inspect.Signature(list(expanded))

    @cached_property
    def __annotations__(self) -> dict[str, Any]:  # type: ignore[override]
        return {each.name: each.annotation for each in self.__signature__.parameters.values()}


def _expand(parameter: inspect.Parameter) -> list[inspect.Parameter]:
    group = parameter.annotation
    if not is_dataclass(group):
        return [parameter]
    types = get_type_hints(group, include_extras=True)
    return [
        parameter.replace(name=each.name, default=each.default, annotation=types[each.name])
        for each in fields(group)
    ]
