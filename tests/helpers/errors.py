"""Conditions on errors, for `pytest.raises(..., check=...)`."""

from __future__ import annotations

from collections.abc import Callable

from tui_annotate.domain.errors import TuiAnnotateError


def has_code(code: str) -> Callable[[TuiAnnotateError], bool]:
    """Whether an error has this code."""
    return lambda error: error.code == code
