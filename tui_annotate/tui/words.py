"""Lines of our own making whose pieces name a role instead of a style, for any theme."""

from __future__ import annotations

from collections.abc import Sequence

from rich.style import Style

from tui_annotate.tui.lines import Run, both_ends, clip, extent
from tui_annotate.tui.palette import Palette
from tui_annotate.tui.rows import FixedRows, RowList

Words = tuple[str, str]
"""A piece of a line: text that went through `lines.shown` (or is our own), and a palette's role.

Roles are the names of `Palette`'s styles, and "match 3", "glyph 3", "label 0", which are numbered.
"""


def styled(words: Sequence[Words], palette: Palette) -> list[Run]:
    """Pieces with roles as pieces with styles."""
    return [(text, role_style(role, palette)) for text, role in words]


def role_style(role: str, palette: Palette) -> Style:
    """The style of a role; an unknown one is a mistake of ours and raises AttributeError."""
    name, _, number = role.partition(" ")
    if name == "match":
        return palette.match(int(number))
    if name == "glyph":
        return palette.glyph(int(number))
    if name == "label":
        return palette.label(int(number))
    style: Style = getattr(palette, name)
    return style


class WordsLine(FixedRows):
    """One line of pieces with roles: a dialog's title, question or keys."""

    _left: tuple[Words, ...] = ()
    _right: tuple[Words, ...] = ()

    def show(self, left: Sequence[Words], right: Sequence[Words] = ()) -> None:
        """Shows other pieces, at the left and at the right edge."""
        if (tuple(left), tuple(right)) != (self._left, self._right):
            self._left, self._right = tuple(left), tuple(right)
            self.repaint()

    def paint(self, cells: int) -> list[list[Run]]:
        """Both ends; the right one gives way."""
        left, right = styled(self._left, self.palette), styled(self._right, self.palette)
        if extent(left) + extent(right) > cells:
            return [clip(left, cells)]
        return [both_ends(left, right, cells)]


class WordsList(RowList):
    """Lines of pieces with roles, to be scrolled."""

    _lines: tuple[tuple[Words, ...], ...] = ()

    def show(self, lines: Sequence[Sequence[Words]], *, focused: int = -1) -> None:
        """Shows other lines, from the top."""
        self._lines = tuple(tuple(line) for line in lines)
        self.scroll_to(y=0, animate=False, immediate=True)
        self.set_rows(len(self._lines), focused=focused)

    def runs_of_row(self, index: int, cells: int) -> Sequence[Run]:
        """A line, cut where it is too long."""
        return clip(styled(self._lines[index], self.palette), cells)
