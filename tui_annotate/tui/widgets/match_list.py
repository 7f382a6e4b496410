"""The list of matches with rank, strength, score, position and text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from textual.message import Message

from tui_annotate.domain.line_text import cut, line_text, text_width
from tui_annotate.editor.glyphs import CHOSEN, FOCUS_BAR, FORMER, STRENGTH_GLYPHS
from tui_annotate.editor.screen_message import ScreenMessage
from tui_annotate.tui.line_text import Run, clip, fit
from tui_annotate.tui.row_widgets import RowList
from tui_annotate.tui.score_cells import format_score


class MatchListText(ScreenMessage):
    """Texts of the list of matches."""

    NOTHING = "no matching sentence found"


_WIDE = 34  # minimum cells of a list that shows positions


@dataclass(frozen=True, slots=True)
class MatchRow:
    """The values of a match that a row of the match list shows.

    Attributes:
        score: similarity score in [0, 1].
        strength: strength class, 0 to 5.
        position: line or sentence, as "l.118" or "s12".
        taken: whether the match is evidence of the draft.
        former: whether the match was evidence in another sample.
    """

    rank: int
    score: float
    strength: int
    position: str
    text: str
    taken: bool = False
    former: bool = False


class MatchList(RowList):
    """A list of matches, best first, and a line with the status of the search."""

    @dataclass
    class Picked(Message):
        """Message that a match of the list was clicked."""

        rank: int

    _rows: tuple[MatchRow, ...] = ()
    _rank = 0
    _status = ""
    _searching = False

    def show(
        self, rows: Sequence[MatchRow], *, focused: int, status: str, searching: bool = False
    ) -> None:
        """Replace the matches.

        Args:
            status: names the signals in use, or why one is not available.
            searching: whether there may be matches later.
        """
        new = tuple(
            replace(row, position=line_text(row.position), text=line_text(row.text)) for row in rows
        )
        before = (self._rows, self._rank, self._status, self._searching)
        if (new, focused, line_text(status), searching) == before:
            return
        self._rows = new
        self._searching = searching
        self._rank = focused
        self._status = line_text(status)
        ranks = [row.rank for row in new]
        count = len(new) if searching else max(len(new), 1)  # a line shows that nothing was found
        if self._status:
            count += 1
        self.set_rows(count, focused=ranks.index(focused) if focused in ranks else -1)

    def runs_of_row(self, index: int, cells: int) -> Sequence[Run]:
        """Return a row: a match, or the status of the search in the last row."""
        palette = self.palette
        if index < len(self._rows):
            return self._render_match(self._rows[index], cells)
        text = self._status
        if not (self._rows or self._searching) and index == 0:
            text = MatchListText.NOTHING.text()
        return [(cut(f"   {text}", cells), palette.quiet)]

    def clicked(self, index: int) -> None:
        """Post the rank of the clicked match; the status line is ignored."""
        if index < len(self._rows):
            self.post_message(self.Picked(self._rows[index].rank))

    def _render_match(self, row: MatchRow, cells: int) -> list[Run]:
        palette = self.palette
        bar = FOCUS_BAR if row.rank == self._rank else " "
        mark = ("   ", palette.quiet)
        if row.taken:
            mark = (f" {CHOSEN} ", palette.good)
        elif row.former:
            mark = (f" {FORMER} ", palette.quiet)
        runs: list[Run] = [
            (bar, palette.accent),
            (f"{row.rank} ", palette.strong),
            (f"{STRENGTH_GLYPHS[row.strength]} ", palette.glyph(row.strength)),
            (f" {format_score(row.score)} ", palette.match(row.strength)),
            mark,
        ]
        if cells >= _WIDE:
            place = max(text_width(other.position) for other in self._rows)
            runs.append((f"{fit(row.position, place)} ", palette.quiet))
        runs.append((row.text, palette.strong if row.taken else palette.text))
        return clip(runs, cells)
