"""Base class of the message catalogues of the screens, apart from the draft line's messages."""

from __future__ import annotations

from enum import Enum


class ScreenMessage(Enum):
    """Base of a catalogue: each member's value is an English text with named fields in braces.

    Handlers of a screen name a member and its fields. A change of wording is one edit in the
    catalogue.
    """

    def text(self, **fields: object) -> str:
        """Return the English text with its fields filled in."""
        return str(self.value).format(**fields)
