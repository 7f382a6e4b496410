"""The label bar: options with the digit keys that choose them, and `0 more` for hidden options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from textual import events
from textual.geometry import Size
from textual.message import Message

from tui_annotate.domain.line_text import cut, line_text
from tui_annotate.editor.glyphs import CHOSEN, OPENS_MORE
from tui_annotate.tui.line_text import Run, runs_width
from tui_annotate.tui.row_widgets import FixedRows

Option = tuple[str, str, bool, bool, int]
"""An option: (digit key, text, if it opens more options, if it is chosen, colour slot or -1)."""

_MORE: Option = ("0", "more", False, False, -1)
_BLINK = 0.15  # seconds
_GAP = 3  # cells between options
MOST_ROWS: Final = 2
LONGEST: Final = 28
"""Maximum width of an option's text, and of the bar's title, in terminal cells."""


class _OptionSpot(NamedTuple):
    row: int
    start: int
    end: int
    digit: str


class LabelBar(FixedRows):
    """A bar of options with the digit keys that choose them, in one or more rows."""

    DEFAULT_CSS = "LabelBar { height: auto; max-height: 3; }"

    @dataclass
    class Picked(Message):
        """Message that an option of the label bar was clicked."""

        digit: str

    longest = LONGEST
    most_rows = MOST_ROWS
    chosen_glyph = CHOSEN
    _options: tuple[Option, ...] = ()
    _title = ""
    _digits_off = False
    _blinking = False
    _spots: tuple[_OptionSpot, ...] = ()
    _rows = -1  # number of rows in the last layout

    def show(self, options: Sequence[Option], *, title: str = "", digits_off: bool = False) -> None:
        """Replace the options after `title` (a label or question); `digits_off` dims the bar."""
        new = tuple(
            (digit, cut(line_text(text), self.longest), more, chosen, slot)
            for digit, text, more, chosen, slot in options
        )
        name = cut(line_text(title), LONGEST)
        if (new, name, digits_off) != (self._options, self._title, self._digits_off):
            self._options = new
            self._title = name
            self._digits_off = digits_off
            self.repaint(layout=self._count_rows() != self._rows)

    def _count_rows(self) -> int:
        """Return the number of rows that the options need, or 0 before the bar's width is known."""
        width = self.size.width
        return len(self._lay_out_options(width, self.most_rows)[0]) if width else 0

    def blink(self) -> None:
        """Show the label bar in reverse colours for 150 ms, to signal that a key had no effect."""
        if not self._blinking:
            self._blinking = True
            self.repaint()
            self.set_timer(_BLINK, self._end_blink)

    def _end_blink(self) -> None:
        self._blinking = False
        self.repaint()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002  Textual's signature
        """Return the rows of the options, and remember them for the next change."""
        self._rows = len(self._lay_out_options(width, self.most_rows)[0])
        return self._rows

    def paint(self, cells: int) -> list[list[Run]]:
        """Paint the options, and remember where each one is, for clicks."""
        painted, spots = self._lay_out_options(cells, self.size.height)
        self._spots = tuple(spots)
        if self._blinking:
            reverse = self.palette.cursor
            return [[(text, reverse) for text, _ in row] for row in painted]
        return painted

    def on_click(self, event: events.Click) -> None:
        """Post the digit of the clicked option; gaps and the title are ignored."""
        self.rows_of_runs()
        for spot in self._spots:
            if event.y == spot.row and spot.start <= event.x < spot.end:
                event.stop()
                self.post_message(self.Picked(spot.digit))

    def _lay_out_options(self, cells: int, rows: int) -> tuple[list[list[Run]], list[_OptionSpot]]:
        """Lay out as many options of the label bar as fit in `rows` rows.

        If not all options fit, the last one is the option with the digit 0, by default `0 more`.
        The gaps shrink before an option is dropped: a tick on one option must not hide another.
        """
        for gap in range(_GAP, 0, -1):
            everything = self._fit_options(self._options, cells, rows, gap=gap)
            if everything is not None:
                return everything
        last = [option for option in self._options if option[0] == "0"] or [_MORE]
        others = [option for option in self._options if option[0] != "0"]
        for count in range(len(others), -1, -1):
            placed = self._fit_options([*others[:count], *last], cells, rows)
            if placed is not None:
                return placed
        return [[]], []

    def _fit_options(
        self, options: Sequence[Option], cells: int, rows: int, *, gap: int = _GAP
    ) -> tuple[list[list[Run]], list[_OptionSpot]] | None:
        """Lay the options out in at most `rows` rows; return None if they do not fit."""
        palette = self.palette
        start: list[Run] = [(" ", palette.text)]
        if self._title:
            style = palette.disabled if self._digits_off else palette.title
            start.append((f"{self._title}  ", style))
        lines = [start]
        spots: list[_OptionSpot] = []
        for option in options:
            runs = self._render_option(option)
            if runs_width(lines[-1]) + runs_width(runs) > cells and len(lines[-1]) > 1:
                lines.append([(" ", palette.text)])
            place = runs_width(lines[-1])
            if len(lines) > rows or place + runs_width(runs) > cells:
                return None
            spots.append(_OptionSpot(len(lines) - 1, place, place + runs_width(runs), option[0]))
            lines[-1] += [*runs, (" " * gap, palette.text)]
        return lines, spots

    def _render_option(self, option: Option) -> list[Run]:
        digit, text, more, chosen, slot = option
        palette = self.palette
        tail = f" {OPENS_MORE}" if more else ""
        mark = f"{self.chosen_glyph} " if chosen else ""
        if self._digits_off:
            return [(f" {digit} ", palette.disabled), (f" {mark}{text}{tail}", palette.disabled)]
        cap = palette.key if slot < 0 else palette.label(slot) + palette.cap
        name = palette.strong + palette.chosen if chosen else palette.text
        return [
            (f" {digit} ", cap),
            (" ", palette.text),
            (f"{mark}{text}", name),
            (tail, palette.quiet),
        ]
