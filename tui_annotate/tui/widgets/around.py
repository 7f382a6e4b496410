"""What stands around a text elsewhere: a little of it is shown quietly, no key ever goes there."""

from __future__ import annotations

from typing import Final, NamedTuple

from tui_annotate.tui.lines import shown, wrapped

FRAME_LINES: Final = 2
"""Lines that are shown at most of what stands before a text, and of what stands after it."""


class Around(NamedTuple):
    """What stands before a text and after it: a paragraph each, or none; as it came, or wrapped."""

    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()

    def wrapped(self, cells: int) -> Around:
        """The last lines before and the first ones after, made harmless."""
        most = (FRAME_LINES + 1) * max(cells, 2)  # characters; a line of it may be broken early
        ends = (shown(part[-most:]) for part in self.before if part)
        starts = (shown(part[:most]) for part in self.after if part)
        before = [piece for end in ends for piece in wrapped(end, cells)]
        after = [piece for start in starts for piece in wrapped(start, cells)]
        return Around(tuple(before[-FRAME_LINES:]), tuple(after[:FRAME_LINES]))
