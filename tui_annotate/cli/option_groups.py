"""Groups of command-line options: dataclasses whose fields are options.

A field of a dataclass for commands alone is `Annotated` with its option. For the options of a
Python function, `OptionGroup` names the option of each field, so that names and defaults are
declared once. An option that only the command has, such as `--columns`, is a field of a subclass.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from functools import cached_property, update_wrapper
from typing import Annotated, Any, get_args, get_origin, get_type_hints

_ANNOTATED: Any = Annotated  # type checkers know no types that are created at runtime


class OptionGroup:
    """Options of a command for fields of a dataclass, which has their names and defaults.

    It annotates the dataclass: `Annotated[SortOptions, OptionGroup(k=..., swap=...)]`. Fields
    without an option keep their default. An option is Typer's, for the type of the field, or
    `Annotated` with another type: a list for a tuple, an enumeration for its texts, None for the
    field's default.

    Args:
        inverted: names of the switches whose option turns them off.
        options: the option of each field, by the field's name, in the order of the help.
    """

    def __init__(self, *, inverted: tuple[str, ...] = (), **options: Any) -> None:
        self._inverted = inverted
        self._options = options

    def parameters(self, group: type) -> Iterator[tuple[str, Any, Any]]:
        """Yield the name, the default and the annotation of each option.

        Raises:
            TypeError: an option has no field.
        """
        types = get_type_hints(group)
        defaults = _find_defaults(group)
        if unknown := [name for name in self._options if name not in defaults]:
            raise TypeError(f"{group.__name__} has no field {unknown[0]!r}")
        for name, option in self._options.items():
            default = defaults[name]
            if get_origin(option) is not Annotated:
                default = not default if name in self._inverted else default
                yield name, default, _ANNOTATED[types[name], option]
                continue
            kind = get_args(option)[0]
            if type(None) in get_args(kind):
                default = None
            elif issubclass(kind, Enum):
                default = kind(default)
            yield name, default, option

    def build(self, group: type, values: Mapping[str, Any]) -> Any:
        """Create the dataclass from the values of the options."""
        defaults = _find_defaults(group)
        return group(**{name: self._convert(name, values[name], defaults) for name in values})

    def _convert(self, name: str, value: Any, defaults: Mapping[str, Any]) -> Any:
        if name in self._inverted:
            return not value
        if value is None:
            return defaults[name]
        kind = type(defaults[name])
        if kind is str and isinstance(value, Enum):
            return value.value
        return tuple(value) if kind is tuple else value


class GroupedCommand:
    """Wraps a command's function; Typer sees each option of its option groups as a parameter."""

    __name__: str

    def __init__(self, function: Callable[..., None]) -> None:
        update_wrapper(self, function, ("__module__", "__name__", "__qualname__", "__doc__"))
        self._function = function

    def __call__(self, **values: Any) -> None:
        for parameter in self._parameters:
            found = _find_group(parameter.annotation)
            if found is not None:
                group, options = found
                names = [name for name, _, _ in options.parameters(group)]
                given = {name: values.pop(name) for name in names}
                values[parameter.name] = options.build(group, given)
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
    found = _find_group(parameter.annotation)
    if found is None:
        return [parameter]
    group, options = found
    return [
        parameter.replace(name=name, default=default, annotation=annotation)
        for name, default, annotation in options.parameters(group)
    ]


def _find_group(annotation: Any) -> tuple[type, OptionGroup] | None:
    """Return the dataclass and the options of a group; None for another annotation."""
    if is_dataclass(annotation) and isinstance(annotation, type):
        return annotation, OptionGroup(**get_type_hints(annotation, include_extras=True))
    if get_origin(annotation) is Annotated:
        group, *extras = get_args(annotation)
        options = next((each for each in extras if isinstance(each, OptionGroup)), None)
        if options is not None:
            return group, options
    return None


def _find_defaults(group: type) -> dict[str, Any]:
    return {each.name: _default_of(each) for each in fields(group)}


def _default_of(field: Field[Any]) -> Any:
    if field.default_factory is not MISSING:
        return field.default_factory()
    return field.default
