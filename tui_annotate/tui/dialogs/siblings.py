"""The rivals of a group, whole texts one below the other, with what machines say of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.domain.glances import Glances
from tui_annotate.domain.nouns import many
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.siblings import Sibling
from tui_annotate.tui.dialogs.asked import AskedDialog
from tui_annotate.tui.dialogs.frame import CLOSING, PickList
from tui_annotate.tui.dialogs.message import SCROLLING
from tui_annotate.tui.glance_cells import bar, digits
from tui_annotate.tui.lines import Run, both_ends, clip, cut, paragraphs, shown, wrapped
from tui_annotate.tui.palette import FOCUS_BAR, STATE_GLYPHS

Found = tuple[Sequence[Sibling], Glances]
_MOVING = {"down,j", "up,k"}
_INDENT = 3


class _Rivals(PickList):
    """A head and its text, rival after rival; a click on either picks."""

    _found: Found = ((), Glances())
    _current: SampleKey | None = None
    _lines: tuple[tuple[int, str | None], ...] = ()
    _words = ""
    focused = 0  # which of them

    def tell(self, words: str) -> None:
        self._words = shown(words)
        self.set_rows(1)

    def show(self, found: Found, current: SampleKey) -> None:
        self._found, self._current = found, current
        keys = [each.key for each in found[0]]
        self.focused = keys.index(current) if current in keys else 0
        self.lay_out()

    def lay_out(self) -> None:
        """For the width there is; the one in hand stays in view."""
        rivals, cells = self._found[0], self.window.width
        if not rivals or not cells:
            return
        lines: list[tuple[int, str | None]] = []
        for at, each in enumerate(rivals):
            lines.append((at, None))
            texts = [part for line in paragraphs(each.text) for part in wrapped(line, cells - 4)]
            lines += [(at, text) for text in texts]
        self._lines = tuple(lines)
        self.set_rows(len(lines))
        self.move(0)

    def move(self, step: int) -> None:
        """From rival to rival; the head goes to the top where the text would not be seen."""
        rivals = self._found[0]
        if rivals:
            self.focused = max(0, min(self.focused + step, len(rivals) - 1))
            mine = [at for at, line in enumerate(self._lines) if line[0] == self.focused]
            self.focus_row(mine[0])
            self.refresh()  # the text of the one in hand stands out, that of the last no more
            if mine[-1] not in self.seen:
                self.scroll_to(y=mine[0], animate=False, immediate=True)

    def runs_of_row(self, index: int, cells: int) -> Sequence[Run]:
        palette = self.palette
        if not self._lines:
            return [(cut(f"  {self._words}", cells), palette.quiet)]
        at, text = self._lines[index]
        if text is not None:
            style = palette.text if at == self.focused else palette.quiet
            return [(cut(f"{' ' * _INDENT}{text}", cells), style)]
        return self._head(self._found[0][at], index == self.focused_row, cells)

    def _head(self, each: Sibling, focused: bool, cells: int) -> list[Run]:  # noqa: FBT001  a row's own
        palette, said = self.palette, self._found[1]
        here = "  here" if each.key == self._current else ""
        count = f"  {many(each.annotations, 'annotation')}" if each.annotations else ""
        left: list[Run] = [
            (FOCUS_BAR if focused else " ", palette.accent),
            (f"{STATE_GLYPHS[each.state]} ", palette.good if each.state.finished else palette.text),
            (cut(shown(each.key.id), cells // 2), palette.strong),
            (f"{count}{here}", palette.key),
        ]
        glance = said.of.get(each.key)
        right: list[Run] = []
        for value in glance.values if glance else ():
            right += [(f" {bar(value)}", palette.accent), (digits(value), palette.quiet)]
        if glance and glance.label:
            right.append((f" {glance.label}", palette.asleep))
        return clip(both_ends(left, right, cells), cells)

    def clicked(self, index: int) -> None:
        if self._lines:
            self.post_message(self.Picked(self._lines[index][0]))

    def on_resize(self) -> None:
        """Wraps anew."""
        self.lay_out()


class SiblingsDialog(AskedDialog[SampleKey, Found]):
    """Dismisses with the sample to open.

    Args:
        find: gives the rivals, and what machines say of them; called in a thread.
        current: the one from which it was asked for.
    """

    DEFAULT_CSS = """
    SiblingsDialog > Vertical { width: 100%; max-width: 124; height: 100%; }
    SiblingsDialog _Rivals { height: 1fr; max-height: 100%; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *CLOSING,
        *(each for each in SCROLLING if isinstance(each, Binding) and each.key not in _MOVING),
        Binding("down,j,tab", "move(1)", "next", show=False),
        Binding("up,k,shift+tab", "move(-1)", "previous", show=False),
        Binding("enter", "open", "open", show=False),
    ]

    def __init__(self, find: Callable[[], Found], *, current: SampleKey) -> None:
        super().__init__("Rivals of a group", find)
        self._current = current
        self._rivals: Sequence[Sibling] = ()

    def body(self) -> ComposeResult:
        """The rivals."""
        yield _Rivals()

    def on_mount(self) -> None:
        """Says that they are read."""
        self.query_one(_Rivals).tell("reading the group ...")

    def keys(self) -> Sequence[tuple[str, str]]:
        """Enter opens."""
        return [("↑↓", "rival"), ("PgUp PgDn", "scroll"), ("Enter", "open"), ("q", "close")]

    def refused(self, error: TuiAnnotateError) -> None:
        """Why there is nothing to read."""
        self.query_one(_Rivals).tell(f"✗ {error.message}")

    def arrived(self, found: Found) -> None:
        """All of them, from the one that it was asked for."""
        self._rivals, said = found
        if not self._rivals:
            self.query_one(_Rivals).tell("this sample is alone: it belongs to no group")
            return
        self.tell_title(" · ".join([f"{len(self._rivals)} of yours", *said.names]))
        self.query_one(_Rivals).show(found, self._current)

    def action_move(self, step: int) -> None:
        """Up and Down."""
        self.query_one(_Rivals).move(step)

    def action_scroll_page(self, pages: int) -> None:
        """One page, with one line of it kept."""
        listed = self.query_one(_Rivals)
        listed.scroll_relative(y=pages * max(listed.window.height - 1, 1), animate=False)

    def action_scroll_edge(self, edge: int) -> None:
        """Home and End."""
        listed = self.query_one(_Rivals)
        listed.scroll_to(y=0 if edge < 0 else listed.max_scroll_y, animate=False)

    def action_open(self) -> None:
        """Enter."""
        if self._rivals:
            self.dismiss(self._rivals[self.query_one(_Rivals).focused].key)

    @on(PickList.Picked)
    def _clicked(self, message: PickList.Picked) -> None:
        """A click opens."""
        message.stop()
        self.dismiss(self._rivals[message.index].key)
