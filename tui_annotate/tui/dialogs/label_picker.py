"""Dialog to choose a label by typing any part of its name or description."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Mapping, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.labels import Label, LabelTree
from tui_annotate.domain.line_text import cut, line_text, text_width
from tui_annotate.editor.glyphs import CHOSEN, FOCUS_BAR
from tui_annotate.tui.dialogs.frame import Dialog, Keys
from tui_annotate.tui.dialogs.texts import DialogText, KeyName
from tui_annotate.tui.line_input import LineInput
from tui_annotate.tui.line_text import Run, clip, fit, wrap_line
from tui_annotate.tui.row_widgets import FixedRows, RowList

_OTHER_ROWS = 7  # rows of the box without labels and descriptions
_MOST_DESCRIPTION_ROWS = 3  # maximum rows of a description
_WIDEST = 92  # maximum cells of the box
_FRAME = 4  # cells of the frame of the box
_PATH_SHARE = 0.5  # maximum fraction of the cells for the path
_STEP = " › "


class _Labels(RowList):
    _labels: tuple[Label, ...] = ()
    _chosen: Collection[LabelPath] = ()
    _slots: Mapping[LabelPath, int] = {}

    def show(
        self,
        labels: Sequence[Label],
        *,
        chosen: Collection[LabelPath],
        slots: Mapping[LabelPath, int],
        focused: int,
    ) -> None:
        self._labels = tuple(labels)
        self._chosen = chosen
        self._slots = slots
        self.set_rows(max(len(labels), 1), focused=focused if labels else -1)

    def runs_of_row(self, index: int, cells: int) -> Sequence[Run]:
        palette = self.palette
        if not self._labels:
            return [(f"  {DialogText.NO_LABEL_FOUND.text()}", palette.quiet)]
        label = self._labels[index]
        longest = max(text_width(_STEP.join(map(line_text, other.path))) for other in self._labels)
        available = min(longest, int(cells * _PATH_SHARE))
        path = cut(_STEP.join(map(line_text, label.path)), available)
        parents, step, name = path.rpartition(_STEP)
        color = palette.label(self._slots[label.path])
        return clip(
            [
                (FOCUS_BAR if index == self.focused_row else " ", palette.accent),
                (f"{CHOSEN if label.path in self._chosen else ' '} ", palette.good),
                (parents + step, palette.quiet),
                (name, color + palette.letter),
                (fit("", available - text_width(path)) + "  ", palette.text),
                (describe_label(label), palette.quiet),
            ],
            cells,
        )

    def clicked(self, index: int) -> None:
        if self._labels:
            self.post_message(self.Picked(index))


class _Description(FixedRows):
    DEFAULT_CSS = "_Description { background: $surface; height: auto; margin-top: 1; }"

    _text = ""

    def show(self, text: str) -> None:
        self._text = line_text(text)
        self.repaint()

    def paint(self, cells: int) -> list[list[Run]]:
        return [
            [(f" {piece}", self.palette.text)] for piece in _wrap_description(self._text, cells)
        ]


def _wrap_description(text: str, cells: int) -> list[str]:
    return wrap_line(text, cells - 2)[:_MOST_DESCRIPTION_ROWS]


class LabelPicker(Dialog[LabelPath]):
    """A dialog that returns the path of the chosen label.

    Args:
        chosen: paths of labels shown as chosen; a retired label is listed only if it is one of
            them.
    """

    DEFAULT_CSS = """
    LabelPicker > Vertical { width: 92; max-height: 100%; }
    LabelPicker _Labels { height: 1fr; margin-top: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,ctrl+p", "move(-1)", "up", show=False),
        Binding("down,ctrl+n", "move(1)", "down", show=False),
        Binding("pageup", "move(-10)", "up a page", show=False),
        Binding("pagedown", "move(10)", "down a page", show=False),
    ]
    keys: Keys = (("↑↓", KeyName.MOVE), ("Enter", KeyName.CHOOSE), ("Esc", KeyName.CLOSE))

    def __init__(
        self, tree: LabelTree, *, chosen: Collection[LabelPath] = (), slots: Mapping[LabelPath, int]
    ) -> None:
        super().__init__(DialogText.LABELS.text())
        self._all = tuple(one for one in tree.walk() if one.offered or one.path in chosen)
        self._found = self._all
        self._chosen = chosen
        self._slots = slots

    def body(self) -> ComposeResult:
        yield LineInput(placeholder=DialogText.LABEL_HINT.text())
        yield _Labels()
        yield _Description()

    def on_mount(self) -> None:
        """Set a height that fits all labels and descriptions, and show the labels."""
        cells = min(self.app.size.width, _WIDEST) - _FRAME
        wrapped = [
            _wrap_description(line_text(label.description), cells)
            for label in self._all
            if label.description
        ]
        rows = max(map(len, wrapped), default=0)
        description = self.query_one(_Description)
        description.styles.height = rows
        description.display = rows > 0
        height = len(self._all) + _OTHER_ROWS
        if rows:
            height += rows + 1  # a blank row comes before the description
        self.query_one(Vertical).styles.height = height
        marked = [place for place, label in enumerate(self._all) if label.path in self._chosen]
        self._show_labels(marked[0] if marked else 0)

    def action_move(self, step: int) -> None:
        """Focus the label `step` rows below, or above if it is negative."""
        rows = self.query_one(_Labels)
        if self._found:
            rows.focus_row(rows.focused_row + step)
            self._show_description()

    def on_input_changed(self, event: LineInput.Changed) -> None:
        """Show the labels that contain the typed text, and focus the first one."""
        event.stop()
        self._found = find_labels(self._all, event.value)
        self._show_labels(0)

    def on_input_submitted(self, event: LineInput.Submitted) -> None:
        """Return the focused label; without one, keep the dialog open."""
        event.stop()
        self._pick(self.query_one(_Labels).focused_row)

    @on(RowList.Picked)
    def _pick_clicked(self, message: RowList.Picked) -> None:
        message.stop()
        self._pick(message.index)

    def _pick(self, index: int) -> None:
        if index >= 0:
            self.dismiss(self._found[index].path)

    def _show_labels(self, focused: int) -> None:
        self.query_one(_Labels).show(
            self._found, chosen=self._chosen, slots=self._slots, focused=focused
        )
        self._show_description()
        self.show_title(DialogText.LABELS_SHOWN.text(shown=len(self._found), count=len(self._all)))

    def _show_description(self) -> None:
        row = self.query_one(_Labels).focused_row
        self.query_one(_Description).show(self._found[row].description if row >= 0 else "")


def describe_label(label: Label) -> str:
    """Return a label's description, with the reason why new annotations cannot use the label."""
    description = line_text(label.description)
    if label.offered:
        return description
    closed = DialogText.SPLIT_LABEL if label.split else DialogText.RETIRED_LABEL
    return closed.text(description=description)


def find_labels(labels: Sequence[Label], text: str) -> tuple[Label, ...]:
    """Return the labels that contain `text`, ignoring case and width of letters.

    The order is: names that begin with the text, then paths that contain it, then descriptions that
    contain it, each in the order of the set. A blank text returns all labels.
    """
    wanted = _fold(text.strip())
    ranked: list[tuple[int, Label]] = []
    for label in labels:
        path = _fold(".".join(label.path))
        if _fold(label.name).startswith(wanted):
            ranked.append((0, label))
        elif wanted in path:
            ranked.append((1, label))
        elif wanted in _fold(label.description):
            ranked.append((2, label))
    return tuple(label for _, label in sorted(ranked, key=lambda pair: pair[0]))


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
