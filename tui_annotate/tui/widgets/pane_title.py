"""The title above a text: a horizontal rule with a title and notes."""

from __future__ import annotations

from collections.abc import Sequence

from tui_annotate.domain.line_text import cut, line_text, text_width
from tui_annotate.tui.line_text import Run, clip, runs_width
from tui_annotate.tui.row_widgets import FixedRows

_LEAST_TITLE = 24  # minimum cells of a title before notes are dropped
_LEAST_NOTE = 12  # minimum cells of a cut note
_SIDES = len("─  ")  # cells around a note
_JOINT = " · "


class PaneTitle(FixedRows):
    """A horizontal rule with a text's title and notes, heavier if the text has the focus."""

    _title = ""
    _right = ""
    _extra = ""
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
        """Replace the title above a text, and the short texts (`notes`) after the title.

        If space is short, a long title is cut first. Then `extra`, which follows the notes, is
        dropped as a whole; then the note at the right edge; then the notes, the last note first.
        """
        cleaned = tuple(part for part in map(line_text, notes) if part)
        new = (line_text(title), cleaned, line_text(right_info), line_text(extra), focused)
        if new != (self._title, self._notes, self._right, self._extra, self._focused):
            self._title, self._notes, self._right, self._extra, self._focused = new
            self.repaint()

    def paint(self, cells: int) -> list[list[Run]]:
        palette = self.palette
        dash = "━" if self._focused else "─"
        rule = palette.rule_focused if self._focused else palette.rule
        title = palette.title_focused if self._focused else palette.title
        info = palette.text if self._focused else palette.quiet
        if not self._title:
            return [[(dash * cells, rule)]]
        title_cells, notes, right_info = self._fit_parts(cells - _SIDES)
        left: list[Run] = [(dash, rule), (f" {cut(self._title, title_cells)} ", title)]
        if notes:
            left += [(dash, rule), (f" {notes} ", info)]
        right: list[Run] = [(f" {right_info} ", info), (dash, rule)] if right_info else []
        left = clip(left, cells - runs_width(right))
        between = cells - runs_width(left) - runs_width(right)
        return [[*left, (dash * between, rule), *right]]

    def _fit_parts(self, cells: int) -> tuple[int, str, str]:
        """Return the title's width, as many joined notes as fit, and the note at the right edge."""
        least = min(text_width(self._title), _LEAST_TITLE)
        whole = _JOINT.join(self._notes)
        for right in (self._right, ""):
            right_cells = text_width(right) + _SIDES + 1 if right else 0
            left_cells = cells - least - right_cells - _SIDES
            if left_cells >= text_width(whole):
                break
        joined = _join_notes(self._notes, left_cells)
        with_extra = _JOINT.join(filter(None, [*self._notes, self._extra]))
        if text_width(with_extra) <= left_cells:
            joined = with_extra
        return cells - right_cells - (text_width(joined) + _SIDES if joined else 0), joined, right


def _join_notes(notes: Sequence[str], cells: int) -> str:
    """Join as many notes as fit in `cells` terminal cells; the last one may be cut."""
    joined = ""
    for note in notes:
        joint = _JOINT if joined else ""
        left = cells - text_width(joined) - text_width(joint)
        if left < min(text_width(note), _LEAST_NOTE):
            break
        joined += joint + cut(note, left)
        if text_width(note) > left:
            break
    return joined
