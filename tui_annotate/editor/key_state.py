"""The states of a screen that decide what its keys do."""

from __future__ import annotations

from enum import Flag, auto
from typing import Final

DIGITS: Final = "1234567890"


class KeyState(Flag):
    """What a person does on the screen of a sample. An action works in a union of such states.

    Attributes:
        READING: nothing is selected, and the summary has the focus.
        SELECTING: words of the summary are selected.
        SOURCE: the source has the focus.
        OPTION: a question waits for its answer.
        NOTE: a note is being written.
        EDITING: an annotation is being edited.
        REVIEWING: a reviewer reads, selects or looks at the source, and edits no annotation.
        VIEWING: a file is shown read-only.
    """

    READING = auto()
    SELECTING = auto()
    SOURCE = auto()
    OPTION = auto()
    NOTE = auto()
    EDITING = auto()
    REVIEWING = auto()
    VIEWING = auto()


READING, SELECTING, SOURCE, OPTION, NOTE, EDITING, REVIEWING, VIEWING = KeyState
NOWHERE: Final = KeyState(0)
ANNOTATING: Final = READING | SELECTING | SOURCE | EDITING
EVERYWHERE: Final = ANNOTATING | REVIEWING | VIEWING
