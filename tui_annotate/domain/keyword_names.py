"""Keywords of public functions: earlier names work with a warning, unknown names are refused."""

from __future__ import annotations

import inspect
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

    Python's own TypeError suggests no name before Python 3.13. Methods that take any keyword check
    keywords themselves.
    """
    for name, method in [*vars(cls).items()]:
        plain = isinstance(method, FunctionType) and not hasattr(method, "__wrapped__")
        if plain and not name.startswith("_"):
            setattr(cls, name, _check_calls(method, {}))
    return cls


def check_field_names(**names: str) -> Callable[[_C], _C]:
    """Return a decorator of a dataclass, which does the same for its creation.

    Args:
        names: the present name of a field by the earlier one.
    """

    def decorate(cls: _C) -> _C:
        create = cls.__init__  # type: ignore[misc]  # the method of this very class
        setattr(cls, "__init__", _check_calls(create, names, called=cls.__name__))  # noqa: B010
        return cls

    return decorate


def _check_calls(
    function: Callable[_P, _R], earlier: Mapping[str, str], *, called: str = ""
) -> Callable[_P, _R]:
    code = inspect.unwrap(function).__code__
    takes_any = bool(code.co_flags & inspect.CO_VARKEYWORDS)
    if takes_any and not earlier:
        return function
    count = code.co_argcount + code.co_kwonlyargcount
    known = frozenset(code.co_varnames[code.co_posonlyargcount : count]) - {"self"}
    name = called or function.__name__

    @wraps(function)
    def checked(*args: _P.args, **keywords: _P.kwargs) -> _R:
        if not keywords.keys() <= known:
            _replace(keywords, earlier, () if takes_any else known, called=name)
        return function(*args, **keywords)

    return checked


def _replace(
    keywords: dict[str, Any], earlier: Mapping[str, str], known: Collection[str], *, called: str
) -> None:
    """Replace earlier names in place; `known` is empty for a function that takes any keyword."""
    for name in [each for each in keywords if each not in known]:
        present = earlier.get(name)
        if present is None:
            if not known:
                continue
            hint = f"{suggest_word(name, known)}keywords: {', '.join(sorted(known))}"
            raise InvalidArgument(f"{called} has no keyword {name!r}", hint)
        if present in keywords:
            raise InvalidArgument(
                f"{called} was given {name!r} and {present!r}, which are the same keyword",
                f"give only {present!r}",
            )
        warnings.warn(
            f"the keyword {name!r} of {called} is called {present!r} now; the earlier name works"
            " until version 1.0",
            DeprecationWarning,
            stacklevel=3,
        )
        keywords[present] = keywords.pop(name)
