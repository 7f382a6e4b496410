"""The numbers of printed lines, whatever the words around them are."""

from __future__ import annotations

import re


def printed_numbers(text: str) -> list[list[str]]:
    """The numbers of each line, in order and as they are written, with their decimals."""
    return [re.findall(r"\d+(?:[.,]\d+)*", line) for line in text.splitlines()]
