"""The rule above a pane: its title, what is focused in it, and where one is."""

from __future__ import annotations

from tui_annotate.tui.lines import Run, clip, extent, shown
from tui_annotate.tui.rows import FixedRows


class PaneTitle(FixedRows):
    """A rule with a title and two notes; heavier where the pane has the keys."""

    _title = _left = _right = ""
    _focused = False

    def show(self, title: str, left_info: str = "", right_info: str = "", *, focused: bool) -> None:
        """Shows another title; the left note goes before the right one where cells are few."""
        new = (shown(title), shown(left_info), shown(right_info), focused)
        if new != (self._title, self._left, self._right, self._focused):
            self._title, self._left, self._right, self._focused = new
            self.repaint()

    def paint(self, cells: int) -> list[list[Run]]:
        """`── TITLE ── left ───────── right ──`."""
        palette = self.palette
        dash = "━" if self._focused else "─"
        rule = palette.rule_focused if self._focused else palette.rule
        title = palette.title_focused if self._focused else palette.title
        info = palette.text if self._focused else palette.quiet
        left: list[Run] = [(dash, rule), (f" {self._title} ", title)]
        if self._left:
            left += [(dash, rule), (f" {self._left} ", info)]
        right: list[Run] = [(f" {self._right} ", info), (dash, rule)] if self._right else []
        if extent(left) + extent(right) > cells:
            right = []
        left = clip(left, cells)
        between = cells - extent(left) - extent(right)
        return [[*left, (dash * between, rule), *right]]
