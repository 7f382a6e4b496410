"""Parses lists of texts in cells of tables, as JSON, Python, pandas and NumPy write them."""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from typing import Any, Final

from tui_annotate.domain.errors import InvalidInput

_OPENING: Final = re.compile(r"\[\s*(?:[rRuU]?['\"]|\])")
"""Beginning of a list of texts; a text in brackets, such as `[1] The mill`, begins otherwise."""


def is_list_like(text: str) -> bool:
    """Return whether a text begins and ends like a list of quoted texts."""
    text = text.strip()
    return text.endswith("]") and bool(_OPENING.match(text))


def parse_text_list(value: Any) -> list[Any] | None:
    """Return the items of a list, or of a text that is a list of texts; None for another value.

    Raises:
        InvalidInput: the text is a list from which the program that wrote it left out items.
    """
    if isinstance(value, list):
        return value
    if not isinstance(value, str) or not is_list_like(value):
        return None
    try:
        found = json.loads(value.strip())
    except (ValueError, RecursionError):
        return _parse_python_list(value.strip())
    return found if all(isinstance(item, str) for item in found) else None


def _parse_python_list(text: str) -> list[str] | None:
    """Return the texts of a list that Python or NumPy printed.

    NumPy writes no commas. Python would join texts without a comma to one text, so that the tokens
    are read one by one.
    """
    items: list[str] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.STRING:
                item = ast.literal_eval(token.string)
                if not isinstance(item, str):
                    return None
                items.append(item)
            elif token.string == "...":
                raise InvalidInput(
                    "the list of texts is cut: '...' stands for texts that were not written",
                    "write the table again, with each list as JSON",
                    code="list-cut",
                )
            elif token.string.strip() and token.string not in {"[", "]", ","}:
                return None
    except (tokenize.TokenError, SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    return items
