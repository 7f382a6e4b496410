"""What stands around a text elsewhere: a little of it is shown quietly, no key ever goes there."""

from __future__ import annotations

from typing import Final, NamedTuple

from tui_annotate.tui.lines import shown, wrapped

FRAME_LINES: Final = 2
"""Lines that are shown at most of what stands before a text, and of what stands after it."""

_FRAME_CHARACTERS = 500


class Around(NamedTuple):
    """What stands before a text and after it: a paragraph each, or none; as it came, or wrapped."""

    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()

    def wrapped(self, cells: int) -> Around:
        """The last lines before and the first ones after, made harmless."""
        before = [piece for part in self.before if part for piece in wrapped(_last(part), cells)]
        after = [piece for part in self.after if part for piece in wrapped(shown(part), cells)]
        return Around(tuple(before[-FRAME_LINES:]), tuple(after[:FRAME_LINES]))


def _last(text: str) -> str:
    """The end of a text as it may be shown in one line."""
    return shown(text[-_FRAME_CHARACTERS:])
