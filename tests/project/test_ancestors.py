"""No class has more than two of our own classes above it, exceptions and protocols apart."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from typing import Protocol

import tui_annotate


def test_no_class_has_more_than_two_ancestors() -> None:
    """Parts are owned, not inherited."""
    deep = set()
    for module in pkgutil.walk_packages(tui_annotate.__path__, "tui_annotate."):
        if "migrations" in module.name or module.name.endswith("__main__"):
            continue
        for found in vars(importlib.import_module(module.name)).values():
            if not inspect.isclass(found) or not found.__module__.startswith("tui_annotate"):
                continue
            if issubclass(found, BaseException) or Protocol in found.__mro__:
                continue
            own = [one for one in found.__mro__[1:] if one.__module__.startswith("tui_annotate")]
            if len(own) > 2:
                deep.add(found.__name__)
    assert sorted(deep) == []
