"""Base class of the message catalogues of all screens, and a function that formats errors."""

from __future__ import annotations

from enum import Enum

from tui_annotate.domain.errors import TuiAnnotateError


class ScreenMessage(Enum):
    """Base of a catalogue: each member's value is an English text with named fields in braces.

    Handlers of a screen name a member and its fields. A change of wording is one edit in the
    catalogue.
    """

    def text(self, **fields: object) -> str:
        """Return the English text with its fields filled in."""
        return str(self.value).format(**fields)


def describe_error(error: TuiAnnotateError) -> str:
    """Format an error and its hint in one line."""
    return f"{error.message} · {error.hint}" if error.hint else error.message
