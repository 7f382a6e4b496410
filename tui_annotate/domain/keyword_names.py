"""Keywords of public functions: earlier names work with a warning, unknown names are refused."""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
import warnings
from collections.abc import Callable, Collection, Mapping
from functools import wraps
from types import FunctionType
from typing import Any, ParamSpec, TypeVar

from tui_annotate.domain.did_you_mean import suggest_word
from tui_annotate.domain.errors import InvalidArgument

_P = ParamSpec("_P")
_R = TypeVar("_R")
_C = TypeVar("_C", bound=type)


def earlier_keywords(**names: str) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Return a decorator of a function whose keywords had other names: `dry="dry_run"`.

    A call with an earlier name gives a DeprecationWarning, until version 1.0. A call with an
    unknown keyword raises InvalidArgument, which suggests a similar name.
    """

    def decorate(function: Callable[_P, _R]) -> Callable[_P, _R]:
        return _check_calls(function, names)

    return decorate


def check_keywords(cls: _C) -> _C:
    """Decorate a class, so that an unknown keyword of a public method raises InvalidArgument.

    Python's own TypeError suggests no name before Python 3.13. Methods that take any keyword are
    not changed, unless a dictionary type that their module has imported names the keywords.
    """
    for name, method in [*vars(cls).items()]:
        plain = isinstance(method, FunctionType) and not hasattr(method, "__wrapped__")
        if plain and not name.startswith("_"):
            setattr(cls, name, _check_calls(method, {}))
    return cls


def check_field_names(**names: str) -> Callable[[_C], _C]:
    """Return a decorator of a dataclass, which does the same for its creation and its fields.

    A field can be read by its earlier name, and replaced by `dataclasses.replace`, each with a
    DeprecationWarning.

    Args:
        names: the present name of a field by the earlier one.
    """

    def decorate(cls: _C) -> _C:
        create = cls.__init__  # type: ignore[misc]  # the method of this very class
        setattr(cls, "__init__", _check_calls(create, names, called=cls.__name__))  # noqa: B010
        for earlier, present in names.items():
            setattr(cls, earlier, _read_earlier_field(earlier, present, cls.__name__))
        return cls

    return decorate


def _read_earlier_field(earlier: str, present: str, called: str) -> property:
    def read(self: object) -> Any:
        warnings.warn(
            f"the field {earlier!r} of {called} is called {present!r} now; the earlier name works"
            " until version 1.0",
            DeprecationWarning,
            stacklevel=2,
        )
        return getattr(self, present)

    return property(read, doc=f"The field `{present}`, by its earlier name.")


def _check_calls(
    function: Callable[_P, _R], earlier: Mapping[str, str], *, called: str = ""
) -> Callable[_P, _R]:
    code = inspect.unwrap(function).__code__
    count = code.co_argcount + code.co_kwonlyargcount
    known = frozenset(code.co_varnames[code.co_posonlyargcount : count]) - {"self"}
    if code.co_flags & inspect.CO_VARKEYWORDS:
        others = _find_unpacked(function)
        if others is None:
            return function
        known |= others
    name = called or function.__name__

    @wraps(function)
    def checked(*args: _P.args, **keywords: _P.kwargs) -> _R:
        if not keywords.keys() <= known:
            caller = sys._getframe(1).f_globals.get("__name__")  # noqa: SLF001  no public name
            _replace(keywords, earlier, known, called=name, copies=caller == dataclasses.__name__)
        return function(*args, **keywords)

    return checked


def _find_unpacked(function: Any) -> frozenset[str] | None:
    """Return the keywords of a parameter such as `**filters: Unpack[RecordFilters]`, or None."""
    for annotation in function.__annotations__.values():
        if found := re.fullmatch(r"Unpack\[(\w+)\]", str(annotation)):
            return frozenset(function.__globals__[found[1]].__annotations__)
    return None


def _replace(
    keywords: dict[str, Any],
    earlier: Mapping[str, str],
    known: Collection[str],
    *,
    called: str,
    copies: bool,
) -> None:
    """Replace earlier names in the keywords of a call by the present ones.

    Args:
        copies: whether `dataclasses.replace` calls: it adds the value of each field whose present
            name is not among the changes.
    """
    for name in [each for each in keywords if each not in known]:
        present = earlier.get(name)
        if present is None:
            hint = f"{suggest_word(name, known)}keywords: {', '.join(sorted(known)) or 'none'}"
            raise InvalidArgument(f"{called} has no keyword {name!r}", hint)
        if present in keywords and not copies:
            raise InvalidArgument(
                f"{called} was given {name!r} and {present!r}, which are the same keyword",
                f"give only {present!r}",
            )
        warnings.warn(
            f"the keyword {name!r} of {called} is called {present!r} now; the earlier name works"
            " until version 1.0",
            DeprecationWarning,
            stacklevel=4 if copies else 3,
        )
        keywords[present] = keywords.pop(name)
