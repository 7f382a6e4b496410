"""All labels of a set, found by typing any part of a name or description."""

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
from tui_annotate.tui.dialogs.frame import Dialog, PickList
from tui_annotate.tui.line_input import LineInput
from tui_annotate.tui.lines import Run, clip, cut, fit, shown, width, wrapped
from tui_annotate.tui.palette import CHOSEN, FOCUS_BAR
from tui_annotate.tui.rows import FixedRows

_AROUND = 7  # rows of the box that hold no label and no description
_MOST_TOLD = 3  # rows of a description
_WIDEST = 92  # cells of the box
_FRAME = 4  # cells of the box beside its lines
_PATH_SHARE = 0.5  # of the cells, at most
_STEP = " › "


class _Labels(PickList):
    """The labels that were found."""

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
        self._labels, self._chosen, self._slots = tuple(labels), chosen, slots
        self.set_rows(max(len(labels), 1), focused=focused if labels else -1)

    def runs_of_row(self, index: int, cells: int) -> Sequence[Run]:
        palette = self.palette
        if not self._labels:
            return [("  no label with that in its name or description", palette.quiet)]
        label = self._labels[index]
        longest = max(width(_STEP.join(map(shown, other.path))) for other in self._labels)
        room = min(longest, int(cells * _PATH_SHARE))
        path = cut(_STEP.join(map(shown, label.path)), room)
        parents, step, name = path.rpartition(_STEP)
        color = (
            palette.label(self._slots[label.path]) if label.path in self._slots else palette.text
        )
        return clip(
            [
                (FOCUS_BAR if index == self.focused_row else " ", palette.accent),
                (f"{CHOSEN if label.path in self._chosen else ' '} ", palette.good),
                (parents + step, palette.quiet),
                (name, color + palette.letter),
                (fit("", room - width(path)) + "  ", palette.text),
                (closed(label) + shown(label.description), palette.quiet),
            ],
            cells,
        )

    def clicked(self, index: int) -> None:
        if self._labels:
            self.post_message(self.Picked(index))


class _Description(FixedRows):
    """All that is said of the focused label, as the list may cut it."""

    DEFAULT_CSS = "_Description { background: $surface; height: auto; margin-top: 1; }"

    _text = ""

    def show(self, text: str) -> None:
        self._text = shown(text)
        self.repaint()

    def paint(self, cells: int) -> list[list[Run]]:
        return [[(f" {piece}", self.palette.text)] for piece in _told(self._text, cells)]


def _told(text: str, cells: int) -> list[str]:
    return wrapped(text, cells - 2)[:_MOST_TOLD]


class LabelPicker(Dialog[tuple[LabelPath, ...]]):
    """Dismisses with the paths that were picked, in the order of the set.

    Enter takes the focused label; with `multiple`, Space marks, and Enter takes what is marked, or
    the focused label where nothing is and nothing was.

    What is no longer given is not there, unless it is marked.

    Args:
        chosen: labels that are marked at the start.
        slots: colour slots by path; a label without one is drawn plainly.
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
        Binding("space", "mark", "mark", show=False, priority=True),
    ]

    def __init__(
        self,
        tree: LabelTree,
        *,
        chosen: Collection[LabelPath] = (),
        multiple: bool = False,
        slots: Mapping[LabelPath, int] | None = None,
        title: str = "Labels",
    ) -> None:
        super().__init__(title)
        self._all = tuple(one for one in tree.walk() if one.offered or one.path in chosen)
        self._found = self._all
        self._chosen = set(chosen)
        self._before = frozenset(chosen)
        self._multiple = multiple
        self._slots = slots or {}

    def body(self) -> ComposeResult:
        """The input, and what it finds."""
        yield LineInput(
            placeholder="type any part of a name or description",
            spared=("space",) if self._multiple else (),
        )
        yield _Labels()
        yield _Description()

    def on_mount(self) -> None:
        """All labels; the first marked one is focused. The box keeps its height while typing."""
        cells = min(self.app.size.width, _WIDEST) - _FRAME
        told = [_told(shown(label.description), cells) for label in self._all if label.description]
        self.query_one(_Description).styles.height = rows = max(map(len, told), default=0)
        self.query_one(_Description).display = rows > 0
        more = rows + 1 if rows else 0
        self.query_one(Vertical).styles.height = len(self._all) + _AROUND + more
        self.query_one(LineInput).focus()
        marked = [place for place, label in enumerate(self._all) if label.path in self._chosen]
        self._list(marked[0] if marked else 0)

    def keys(self) -> Sequence[tuple[str, str]]:
        """Space is told only where it marks."""
        mark = [("Space", "mark")] if self._multiple else []
        return [("↑↓", "move"), *mark, ("Enter", "take"), ("Esc", "close")]

    def action_move(self, step: int) -> None:
        """Up and Down, by so many rows."""
        rows = self.query_one(_Labels)
        if self._found:
            rows.focus_row(rows.focused_row + step)
            self._describe()

    def action_mark(self) -> None:
        """Marks the focused label, or takes the mark off."""
        index = self.query_one(_Labels).focused_row
        if index >= 0:
            self._chosen ^= {self._found[index].path}
            self._list(index)

    def on_input_changed(self, event: LineInput.Changed) -> None:
        """Looks again."""
        event.stop()
        self._search(event.value)

    def on_input_submitted(self, event: LineInput.Submitted) -> None:
        """Enter."""
        event.stop()
        self._take(self.query_one(_Labels).focused_row)

    @on(PickList.Picked)
    def _clicked(self, message: PickList.Picked) -> None:
        """A click marks where several may be marked, else takes."""
        message.stop()
        if self._multiple:
            self.query_one(_Labels).focus_row(message.index)
            self.action_mark()
        else:
            self._take(message.index)

    def _search(self, text: str) -> None:
        self._found = found(self._all, text)
        self._list(0)

    def _take(self, index: int) -> None:
        if self._multiple and (self._chosen or self._before):
            self.dismiss(tuple(label.path for label in self._all if label.path in self._chosen))
        elif index >= 0:
            self.dismiss((self._found[index].path,))

    def _list(self, focused: int) -> None:
        self.query_one(_Labels).show(
            self._found, chosen=self._chosen, slots=self._slots, focused=focused
        )
        self._describe()
        self.tell_title(f"{len(self._found)} of {len(self._all)}")

    def _describe(self) -> None:
        row = self.query_one(_Labels).focused_row
        self.query_one(_Description).show(self._found[row].description if row >= 0 else "")


def closed(label: Label) -> str:
    """Why a label is no longer given, in front of its description; empty where it is."""
    return "" if label.offered else "split · " if label.split else "retired · "


def found(labels: Sequence[Label], text: str) -> tuple[Label, ...]:
    """The labels that hold `text`, whatever its case and width of letters, in the order of the set.

    Names that begin with it stand first, then paths that hold it, then descriptions; all labels for
    a blank text.
    """
    wanted = _folded(text.strip())
    ranked: list[tuple[int, Label]] = []
    for label in labels:
        path = _folded(".".join(label.path))
        if _folded(label.name).startswith(wanted):
            ranked.append((0, label))
        elif wanted in path:
            ranked.append((1, label))
        elif wanted in _folded(label.description):
            ranked.append((2, label))
    return tuple(label for _, label in sorted(ranked, key=lambda pair: pair[0]))


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
