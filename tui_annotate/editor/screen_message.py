"""Base class of the message catalogues of all screens, and a function that formats errors."""

from __future__ import annotations

from enum import Enum

from tui_annotate.domain.errors import TuiAnnotateError


class ScreenMessage(Enum):
    """Base of the lists of texts of a screen: each member's value is a text with named fields."""

    def text(self, **fields: object) -> str:
        return str(self.value).format(**fields)


def describe_error(error: TuiAnnotateError) -> str:
    return f"{error.message} · {error.hint}" if error.hint else error.message
