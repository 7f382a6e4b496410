"""The rule above a pane: its title, what is focused in it, and where one is."""

from __future__ import annotations

from collections.abc import Sequence

from tui_annotate.tui.line_text import Run, clip, cut, line_text, runs_width, width
from tui_annotate.tui.row_widgets import FixedRows

_LEAST_TITLE = 24  # cells that a title keeps before anything is left out for it
_LEAST_NOTE = 12  # cells in which a cut note still tells something
_SIDES = len("─  ")  # what stands around a note
_JOINT = " · "


class PaneTitle(FixedRows):
    """A rule with a title and notes; heavier where the pane has the keys."""

    _title = _right = _extra = ""
    _notes: tuple[str, ...] = ()
    _focused = False

    def show(
        self,
        title: str,
        notes: Sequence[str] = (),
        right_info: str = "",
        *,
        extra: str = "",
        focused: bool,
    ) -> None:
        """Shows another title.

        Where cells are few a long title is cut first; then `extra` goes, which stands behind the
        notes; then the note at the right edge; then the notes, from the last.
        """
        told = tuple(part for part in map(line_text, notes) if part)
        new = (line_text(title), told, line_text(right_info), line_text(extra), focused)
        if new != (self._title, self._notes, self._right, self._extra, self._focused):
            self._title, self._notes, self._right, self._extra, self._focused = new
            self.repaint()

    def paint(self, cells: int) -> list[list[Run]]:
        """`── TITLE ── notes ───────── right ──`."""
        palette = self.palette
        dash = "━" if self._focused else "─"
        rule = palette.rule_focused if self._focused else palette.rule
        title = palette.title_focused if self._focused else palette.title
        info = palette.text if self._focused else palette.quiet
        if not self._title:
            return [[(dash * cells, rule)]]
        room, notes, right_info = self._fit_parts(cells - _SIDES)
        left: list[Run] = [(dash, rule), (f" {cut(self._title, room)} ", title)]
        if notes:
            left += [(dash, rule), (f" {notes} ", info)]
        right: list[Run] = [(f" {right_info} ", info), (dash, rule)] if right_info else []
        left = clip(left, cells - runs_width(right))
        between = cells - runs_width(left) - runs_width(right)
        return [[*left, (dash * between, rule), *right]]

    def _fit_parts(self, cells: int) -> tuple[int, str, str]:
        """(cells of the title, notes, right note) of what is told in so many cells."""
        least = min(width(self._title), _LEAST_TITLE)
        whole = _JOINT.join(self._notes)
        for right in (self._right, ""):
            beside = width(right) + _SIDES + 1 if right else 0
            room = cells - least - beside - _SIDES
            if room >= width(whole):
                break
        told = _join_notes((*self._notes, self._extra) if self._extra else self._notes, room)
        return cells - beside - (width(told) + _SIDES if told else 0), told, right


def _join_notes(notes: Sequence[str], cells: int) -> str:
    """The notes as far as they go in, the last of them cut where enough of it is left."""
    told = ""
    for note in notes:
        room = cells - width(told) - (width(_JOINT) if told else 0)
        if room < min(width(note), _LEAST_NOTE):
            break
        told += f"{_JOINT if told else ''}{cut(note, room)}"
        if width(note) > room:
            break
    return told
