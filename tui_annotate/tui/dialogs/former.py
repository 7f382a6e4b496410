"""Labelled like this before: one's own former annotations, nearest first, to take a note from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.domain.former import Former
from tui_annotate.tui.dialogs.frame import CLOSING, Dialog, PickList
from tui_annotate.tui.lines import Run, both_ends, clip, cut, shown, width
from tui_annotate.tui.palette import FOCUS_BAR, NOTED
from tui_annotate.tui.turns import Pressed, free

_FEWEST = 2  # rows in which words stand where nothing is found
_AROUND = 6  # rows of the box that hold no annotation
_LABEL_SHARE, _PLACE_SHARE = 0.3, 0.25  # of the cells, at most
_INDENT = "      "
_CLOSING = frozenset({"q", "backspace", "escape", "ctrl+q", "ctrl+c"})


class _Formers(PickList):
    """Two lines an annotation where it has a note, else one."""

    _formers: tuple[Former, ...] = ()
    _slots: Mapping[LabelPath, int] = {}
    _lines: tuple[tuple[int, bool], ...] = ()
    _words: tuple[str, str] = ("looking through your annotations ...", "")
    focused = 0  # which of them

    def tell(self, words: str, hint: str = "") -> None:
        self._words = (shown(words), shown(hint))
        self.set_rows(2)

    def show(self, formers: Sequence[Former], slots: Mapping[LabelPath, int]) -> None:
        self._formers, self._slots = tuple(formers), slots
        self._lines = tuple(
            (at, note)
            for at, former in enumerate(self._formers)
            for note in ((False, True) if former.note else (False,))
        )
        self.set_rows(len(self._lines), focused=0)

    def move(self, step: int) -> None:
        """The focus goes from annotation to annotation."""
        if self._formers:
            self.focused = max(0, min(self.focused + step, len(self._formers) - 1))
            self.focus_row(self._lines.index((self.focused, False)))

    def runs_of_row(self, index: int, cells: int) -> Sequence[Run]:
        palette = self.palette
        if not self._formers:
            return [(cut(f"  {self._words[index]}", cells), palette.quiet)]
        at, note = self._lines[index]
        former = self._formers[at]
        if note:
            return [(cut(f"{_INDENT}{NOTED} {shown(former.note)}", cells), palette.text)]
        slot = self._slots.get(former.labels[0]) if former.labels else None
        names = ", ".join(path[-1] for path in former.labels if path) or "no label"
        left: list[Run] = [
            (FOCUS_BAR if index == self.focused_row else " ", palette.accent),
            (f"{former.score:.2f} ", palette.quiet),
            (
                cut(shown(names), int(cells * _LABEL_SHARE)),
                palette.text if slot is None else palette.label(slot) + palette.letter,
            ),
        ]
        place = cut(shown(str(former.sample.id)), int(cells * _PLACE_SHARE))
        right: list[Run] = [(f" {place} ", palette.quiet)]
        room = cells - sum(width(text) for text, _ in (*left, *right))
        left.append((f' "{cut(shown(former.text), room - 3)}"', palette.text))
        return clip(both_ends(left, right, cells), cells)

    def clicked(self, index: int) -> None:
        if self._formers:
            self.post_message(self.Picked(self._lines[index][0]))


class FormerDialog(Dialog[Former]):
    """Dismisses with the annotation that was taken.

    Args:
        find: gives them, the nearest first; called in a thread. What it raises of our own errors is
            shown with its hint.
        slots: colour slots by path; a label without one is drawn plainly.
    """

    DEFAULT_CSS = """
    FormerDialog > Vertical { width: 100; max-height: 90%; }
    FormerDialog _Formers { height: 1fr; margin-top: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *CLOSING,
        Binding("down,j,R", "move(1)", "down", show=False),
        Binding("up,k", "move(-1)", "up", show=False),
        Binding("enter", "take", "take", show=False),
    ]

    def __init__(
        self, find: Callable[[], Sequence[Former]], *, slots: Mapping[LabelPath, int]
    ) -> None:
        super().__init__("Labelled like this before")
        self._find = find
        self._slots = slots
        self._found: tuple[Former, ...] = ()
        self._looking = True

    def body(self) -> ComposeResult:
        """The annotations."""
        yield _Formers()

    def on_mount(self) -> None:
        """Looks for them."""
        self.query_one(Vertical).styles.height = _FEWEST + _AROUND
        self.query_one(_Formers).tell("looking through your annotations ...")
        self._look()

    def keys(self) -> Sequence[tuple[str, str]]:
        """Enter takes the note, and then r the label; nothing is to be taken where none is."""
        close = [("q", "close")]
        if not self._found:
            return close
        return [("↑↓", "move"), ("Enter", "take note"), ("r", "then takes its label"), *close]

    def holds(self, event: Pressed) -> bool:
        """Also: until there is something to choose from; what closes does not wait for that."""
        closing = isinstance(event, events.Key) and event.key in _CLOSING
        return (self._looking and not closing) or super().holds(event)

    @work(thread=True)
    def _look(self) -> None:
        try:
            found = tuple(self._find())
        except TuiAnnotateError as error:
            self.app.call_from_thread(self._refuse, error)
        else:
            self.app.call_from_thread(self._arrived, found)

    def _refuse(self, error: TuiAnnotateError) -> None:
        if self.is_attached:  # it may have been closed meanwhile
            self._looked()
            self.query_one(_Formers).tell(f"✗ {error.message}", error.hint)

    def _looked(self) -> None:
        self._looking = False
        free(self)

    def _arrived(self, found: tuple[Former, ...]) -> None:
        if not self.is_attached:
            return
        self._looked()
        self._found = found
        listed = self.query_one(_Formers)
        if not found:
            listed.tell("nothing of yours is like this yet")
            return
        lines = sum(2 if former.note else 1 for former in found)
        self.query_one(Vertical).styles.height = max(lines, _FEWEST) + _AROUND
        listed.show(found, self._slots)
        self.tell_title(f"{len(found)} of yours")
        self.tell_keys()

    def action_move(self, step: int) -> None:
        """Up and Down."""
        self.query_one(_Formers).move(step)

    def action_take(self) -> None:
        """Enter."""
        if self._found:
            self.dismiss(self._found[self.query_one(_Formers).focused])

    @on(PickList.Picked)
    def _clicked(self, message: PickList.Picked) -> None:
        """A click takes."""
        message.stop()
        self.dismiss(self._found[message.index])
