"""Dialog with the annotator's similar past annotations, to reuse a note."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Vertical

from tui_annotate.domain.annotations import LabelPath, PastAnnotation
from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.domain.line_text import cut, line_text
from tui_annotate.editor.glyphs import FOCUS_BAR, NOTED
from tui_annotate.editor.screen_message import error_texts
from tui_annotate.tui.dialogs.frame import Keys
from tui_annotate.tui.dialogs.item_list import ItemDialog
from tui_annotate.tui.dialogs.texts import DialogText, KeyName
from tui_annotate.tui.line_text import Run, align_both_ends, clip, runs_width

_FEWEST = 2  # minimum rows, for a text if no annotation is found
_OTHER_ROWS = 6  # rows of the box without annotations
# Maximum fractions of a row's cells.
_LABEL_SHARE = 0.3
_SAMPLE_SHARE = 0.25
_INDENT = "      "


class PastAnnotationDialog(ItemDialog[PastAnnotation, Sequence[PastAnnotation]]):
    """A dialog that returns the chosen past annotation; `find` is called in a thread."""

    DEFAULT_CSS = """
    PastAnnotationDialog > Vertical { width: 100; max-height: 90%; }
    PastAnnotationDialog ItemList { height: 1fr; margin-top: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("R", "move(1)", "down", show=False)]
    waiting = DialogText.PAST_LOADING
    keys: Keys = (("q", KeyName.CLOSE),)

    def __init__(
        self, find: Callable[[], Sequence[PastAnnotation]], *, slots: Mapping[LabelPath, int]
    ) -> None:
        super().__init__(DialogText.PAST_TITLE.text(), find)
        self._slots = slots

    def details(self, item: PastAnnotation, cells: int) -> Sequence[str]:
        """Return the note of an annotation as one row, if it has one."""
        del cells
        return [f"{_INDENT}{NOTED} {line_text(item.note)}"] if item.note else []

    def head(self, item: PastAnnotation, cells: int, *, focused: bool) -> Sequence[Run]:
        """Return the first row: score, labels, start of the claim, and sample."""
        palette = self.rows.palette
        slot = self._slots.get(item.labels[0]) if item.labels else None
        names = ", ".join(path[-1] for path in item.labels if path) or DialogText.NO_LABEL.text()
        style = palette.text if slot is None else palette.label(slot) + palette.letter
        left: list[Run] = [
            (FOCUS_BAR if focused else " ", palette.accent),
            (f"{item.score:.2f} ", palette.quiet),
            (cut(line_text(names), int(cells * _LABEL_SHARE)), style),
        ]
        sample = cut(line_text(str(item.sample.id)), int(cells * _SAMPLE_SHARE))
        right: list[Run] = [(f" {sample} ", palette.quiet)]
        available = cells - runs_width([*left, *right])
        left.append((f' "{cut(line_text(item.text), available - 3)}"', palette.text))
        return clip(align_both_ends(left, right, cells), cells)

    def on_mount(self) -> None:
        """Begin with a low box, which grows when annotations are found."""
        self.query_one(Vertical).styles.height = _FEWEST + _OTHER_ROWS

    def refused(self, error: TuiAnnotateError) -> None:
        """Show the error with its hint, such as a missing library."""
        message, hint = error_texts(error)
        self.rows.show_text(f"✗ {message}", hint)

    def show_items(self, found: Sequence[PastAnnotation]) -> None:
        """Show the annotations, most similar first, and fit the height of the box."""
        if not found:
            self.rows.show_text(DialogText.NO_PAST.text())
            return
        self.rows.show(found)
        self.query_one(Vertical).styles.height = max(self.rows.count, _FEWEST) + _OTHER_ROWS
        self.show_title(DialogText.COUNT_OF_YOURS.text(count=len(found)))
        self.show_keys((("↑↓", KeyName.MOVE), ("Enter", KeyName.COPY_NOTE), *self.keys))
