"""Dialog with statistics of work: progress, speed and forecast, hours by week, flags."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from tui_annotate.domain.assignments import State
from tui_annotate.domain.line_text import line_text
from tui_annotate.domain.work_statistics import begin_with_hours, describe_end, draw_bar
from tui_annotate.editor.glyphs import STATE_GLYPHS
from tui_annotate.tui.dialogs.frame import Keys
from tui_annotate.tui.dialogs.message import ScrollDialog
from tui_annotate.tui.dialogs.texts import DialogText, KeyName
from tui_annotate.tui.line_text import fit, wrap_line
from tui_annotate.tui.row_widgets import Words

if TYPE_CHECKING:
    from tui_annotate.domain.work_statistics import PersonWork, RemainingWork, WorkStatistics

_NAME = 14
_BAR = 10
_WEEK_BAR = 40
Line = list[Words]


class WorkStatisticsDialog(ScrollDialog):
    """A dialog with the statistics that the user may see: their own, or those of all people."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "again", "refresh", show=False),
        Binding("enter", "close", "close", show=False),
    ]

    keys: Keys = (("r", KeyName.REFRESH), *ScrollDialog.keys)

    def __init__(self, count: Callable[[], None]) -> None:
        """Create the dialog; `count` computes the statistics and calls `show_statistics`."""
        super().__init__(DialogText.STATISTICS.text())
        self._figures: WorkStatistics | None = None
        self._start_count = count

    def on_mount(self) -> None:
        self.action_again()

    def show_statistics(self, figures: WorkStatistics) -> None:
        """Show computed statistics; do nothing if the dialog was closed meanwhile."""
        if not self.is_attached:
            return
        title = DialogText.ALL_STATISTICS if figures.forecast else DialogText.MY_STATISTICS
        self.heading = title.text()
        self.show_title(DialogText.REFRESHED.text() if self._figures else "")
        self._figures = figures
        self.refill()

    def action_again(self) -> None:
        """Start to compute the statistics again."""
        self.show_title(DialogText.COUNTING.text())
        self._start_count()

    def lines(self, cells: int) -> list[Line]:
        """Return people by dataset, hours by week, and flagged samples."""
        figures = self._figures
        if figures is None:
            return []
        if not figures.work:
            return [[(DialogText.NO_WORK.text(), "quiet")]]
        return [*_render_people(figures), *_render_weeks(figures), *_render_flags(figures, cells)]


def _render_people(figures: WorkStatistics) -> Iterator[Line]:
    ahead = {each.dataset: each for each in figures.forecast}
    before = ""
    for work in figures.work:
        if work.dataset != before:
            if before:
                yield []
            before = work.dataset
            yield _render_heading(work.dataset, ahead.get(work.dataset), figures)
        yield _render_person(work, figures)


def _render_heading(dataset: str, ahead: RemainingWork | None, figures: WorkStatistics) -> Line:
    words: Line = [(fit(line_text(dataset), _NAME + _BAR + 1), "title_focused")]
    if ahead is None:
        return words
    end = describe_end(ahead.end, *figures.set_aside(dataset))
    if ahead.end.day:
        end = DialogText.ENDS.text(day=end)
    if ahead.remaining is not None:
        end = DialogText.READINGS_REMAINING.text(count=ahead.remaining, end=end)
    return [*words, (f" {end}", "text")]


def _render_person(work: PersonWork, figures: WorkStatistics) -> Line:
    whole = work.finished + (work.remaining or 0)
    share = fit(draw_bar(work.completed, whole, _BAR), _BAR)
    skipped = f"{STATE_GLYPHS[State.SKIPPED]}{work.skipped}" if work.skipped else ""
    flagged = f"{STATE_GLYPHS[State.FLAGGED]}{work.flagged}" if work.flagged else ""
    rate = work.samples_an_hour
    pace = "" if rate is None else DialogText.PACE.text(rate=rate)
    end = describe_end(work.end(figures.today), work.skipped, work.flagged)
    if work.locked:
        end = DialogText.LOCKED.text(end=end, count=work.locked)
    return [
        (f"{fit(line_text(work.name), _NAME)} ", "text"),
        (share, "accent"),
        (f" {f'{work.completed:,}/{whole:,}':>10} ", "text"),
        (f"{f'{skipped} {flagged}'.strip():>4} ", "warning"),
        (f"{work.hours:>7,.1f} h {pace:>8}  ", "text"),
        (end, "quiet"),
    ]


def _render_weeks(figures: WorkStatistics) -> Iterator[Line]:
    weeks = begin_with_hours(figures.weeks)
    if not weeks:
        return
    most = max(week.shown_hours for week in weeks)
    yield []
    yield [(DialogText.HOURS_BY_WEEK.text(), "title")]
    for week in weeks:
        drawn = draw_bar(week.shown_hours, most, _WEEK_BAR)
        yield [(f"{week.week} {week.hours:>8,.1f} h  ", "text"), (drawn, "accent")]


def _render_flags(figures: WorkStatistics, cells: int) -> Iterator[Line]:
    if not figures.flags:
        return
    yield []
    yield [(DialogText.FLAGGED.text(), "title")]
    for flag in figures.flags:
        who = line_text(figures.names.get(flag.person, flag.person))
        where = f"{line_text(flag.dataset)}/{line_text(flag.sample)}"
        reason = line_text(flag.reason) or DialogText.NO_REASON.text()
        words = DialogText.FLAG.text(sample=where, person=who, reason=reason)
        first, *rest = wrap_line(words, cells - 4)
        yield [(first, "text")]
        for part in rest:
            yield [(f"  {part}", "text")]
