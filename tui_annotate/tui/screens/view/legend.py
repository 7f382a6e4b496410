"""What the marks of a file that is looked at mean; imported when somebody asks."""

from __future__ import annotations

from typing import Final

from tui_annotate.tui.dialogs.help import LEGEND as ALL
from tui_annotate.tui.dialogs.help import Mark
from tui_annotate.tui.palette import CHOSEN, FORMER, OPENS_MORE, STATE_GLYPHS

_NOT_HERE: Final = {
    CHOSEN,
    f"{CHOSEN}2",
    FORMER,
    OPENS_MORE,
    "A",
    *STATE_GLYPHS.values(),
}
_OTHERS: Final = tuple(mark for mark in ALL if mark.pieces[0][0].strip() not in _NOT_HERE)

LEGEND: Final[tuple[Mark, ...]] = (
    Mark((("A ", "label 0"), ("text", "underlined")), "an annotation, in the colour of its label"),
    Mark(((f"{CHOSEN} ", "text"), ("text", "evidence")), "evidence of the annotation in hand"),
    *_OTHERS,
)
"""Those of looking, then those that mean the same as everywhere."""
