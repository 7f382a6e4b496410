"""Screen with a chart of a position study: one bar per position, and lists of wrong answers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen

from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.domain.line_text import cut, line_text
from tui_annotate.domain.samples import SampleKey
from tui_annotate.editor.glyphs import FOCUS_BAR
from tui_annotate.editor.screen_message import ScreenMessage, describe_error
from tui_annotate.tui.dialogs.help import HelpDialog
from tui_annotate.tui.dialogs.legend import LegendEntry
from tui_annotate.tui.key_queue import KeyOrPaste, free
from tui_annotate.tui.line_text import Run, fit
from tui_annotate.tui.list_actions import ListAction, bindings, help_groups, key_line
from tui_annotate.tui.row_widgets import FixedRows, RowList
from tui_annotate.tui.widgets.draft_line import DraftLine
from tui_annotate.tui.widgets.key_line import KeyLine, help_pair
from tui_annotate.tui.widgets.label_bar import LabelBar
from tui_annotate.tui.widgets.pane_title import PaneTitle

if TYPE_CHECKING:
    from tui_annotate.lab.position.evaluation import Evaluation, GroupBy, GroupKey
    from tui_annotate.lab.position.metric import PositionScore
    from tui_annotate.lab.position.stored_studies import PositionStudies
    from tui_annotate.storage.queue import QueueRow

SURE: Final = "█"
"""Character of a chart bar from 0 to the low end of the mean's interval."""
LIKELY: Final = "▓"
"""Character of a chart bar from the low end of the interval to the mean."""
UNLIKELY: Final = "░"
"""Character of a chart bar from the mean to the high end of the interval."""

_NAME_CELLS: Final = 14  # maximum width of a group column, in cells
_NUMBER_CELLS: Final = 5  # width of a number, in cells
_COUNT_CELLS: Final = 30


class ChartText(ScreenMessage):
    """Texts of the chart of a position study."""

    COUNTING = "counting…"
    TITLE = "POSITIONS {dataset}"
    AT = "at"
    COUNT_HEAD = "n"
    MEAN_HEAD = "mean"
    INTERVAL_HEAD = "95 %"
    FAIL_HEAD = "fail"
    NO_ANSWERS = "{bar}: no answers yet"
    BAR = "{bar}: {hits}/{n} correct, 95 % {low:.3f} to {high:.3f}"
    BAR_UNANSWERED = (
        "{bar}: {hits}/{n} correct, 95 % {low:.3f} to {high:.3f}, {unanswered} without an answer"
    )
    NO_FAILURES = "the selected group has no wrong answer"
    NO_FAILURES_ASSIGNED = "no sample with a wrong answer in the selected group is assigned to you"
    CORRECT = "{hits}/{n} correct, {mean:.3f}"
    REPEATED = "{count:,} repeated answers"
    FAILED = "FAIL: {bar}"
    YOUR_FAILED = "YOUR {mine} OF {count} FAILED ANSWERS: {bar}"
    NO_VERDICTS = "no human verdicts yet"
    AGREEMENT = "human agreement {agreed}/{judged}"
    AGREEMENT_KAPPA = "human agreement {agreed}/{judged}, kappa {kappa:.2f}"


def column_widths(found: Evaluation) -> tuple[int, ...]:
    """Return the width in cells of each column with a property of the groups."""
    columns = zip(*(where for where, _ in found.groups), strict=True)
    texts = [[_format_value(value) for value in column] for column in columns]
    return tuple(
        min(max(_NUMBER_CELLS, len(head), *(len(each) for each in column)), _NAME_CELLS)
        for head, column in zip(column_titles(found), texts, strict=True)
    )


def column_titles(found: Evaluation) -> tuple[str, ...]:
    """Return the title of each column with a property of the groups."""
    at = ChartText.AT.text()
    return tuple(at if by.value == "gold-position" else by.value for by in found.by)


def _format_value(value: int | str | None) -> str:
    return "-" if value is None else line_text(str(value))


def draw_bar(bar: PositionScore, cells: int) -> str:
    """Return a chart bar for a mean score and its interval; an empty text if either is missing."""
    if bar.mean is None or bar.interval is None:
        return ""
    low, mean, high = (
        round(share * cells) for share in (bar.interval[0], bar.mean, bar.interval[1])
    )
    return SURE * low + LIKELY * (mean - low) + UNLIKELY * (high - mean)


class BarHeads(FixedRows):
    """Line with the titles of the columns of a chart."""

    _found: Evaluation | None = None

    def show(self, found: Evaluation) -> None:
        self._found = found
        self.repaint()

    def paint(self, cells: int) -> list[list[Run]]:
        if self._found is None:
            return []
        quiet = self.palette.quiet
        columns = zip(column_titles(self._found), column_widths(self._found), strict=True)
        names = "".join(f"{fit(name, width)} " for name, width in columns)
        heads = (
            (ChartText.COUNT_HEAD, 5),
            (ChartText.MEAN_HEAD, 6),
            (ChartText.INTERVAL_HEAD, 9),
            (ChartText.FAIL_HEAD, 6),
        )
        counts = "".join(f"{head.text():>{width}} " for head, width in heads)
        scale = cells - len(names) - len(counts) - 2
        ends = f"0{' ' * max(scale - 2, 0)}1" if scale > 1 else ""
        return [[(f"  {names}{counts}{ends}", quiet)]]


class BarRows(RowList):
    """List of a chart's bars, one for each group of answers."""

    def __init__(self) -> None:
        super().__init__()
        self._groups: Sequence[tuple[GroupKey, PositionScore]] = ()
        self._widths: tuple[int, ...] = ()
        self._message = ChartText.COUNTING.text()

    def show(self, found: Evaluation, *, focused: int) -> None:
        """Show a bar for each group of answers, and select the bar with index `focused`."""
        self._groups = found.groups
        self._widths = column_widths(found)
        self._message = ""
        self.set_rows(len(found.groups), focused=focused)
        self.refresh()

    def say(self, words: str) -> None:
        """Show a message in place of the bars."""
        self._groups = ()
        self._message = words
        self.set_rows(1, focused=0)
        self.refresh()

    def runs_of_row(self, index: int, cells: int) -> Sequence[Run]:
        palette = self.palette
        if self._message:
            return [(f"  {cut(line_text(self._message), cells - 2)}", palette.quiet)]
        where, bar = self._groups[index]
        here = index == self.focused_row
        columns = zip(where, self._widths, strict=True)
        names = "".join(f"{fit(_format_value(value), width)} " for value, width in columns)
        counts = _format_counts(bar)
        width = cells - 2 - len(names) - len(counts)
        return [
            (FOCUS_BAR if here else " ", palette.accent),
            (f" {names}", palette.strong if here else palette.text),
            (counts, palette.text),
            (draw_bar(bar, max(width - 1, 0)), palette.accent),
        ]

    def clicked(self, index: int) -> None:
        if index < len(self._groups):
            self.post_message(self.Picked(index))


def _format_counts(bar: PositionScore) -> str:
    if bar.mean is None or bar.interval is None:
        return f"{bar.n:>5} {'':>6} {'':>9} {bar.fails:>6} "
    low, high = (f"{share:.2f}"[1 if share < 0.995 else 0 :] for share in bar.interval)
    return f"{bar.n:>5} {bar.mean:>6.3f} {f'{low}-{high}':>9} {bar.fails:>6} "


def name_bar(found: Evaluation, index: int) -> str:
    """Return the properties of a bar's group in words, such as `gold-position 4`."""
    where, _ = found.groups[index]
    both = zip(found.by, where, strict=True)
    return ", ".join(f"{by.value} {_format_value(value)}" for by, value in both)


def describe_bar(found: Evaluation, index: int) -> str:
    """Return the numbers of a bar in words for the line below the chart."""
    _, bar = found.groups[index]
    names = name_bar(found, index)
    if bar.mean is None or bar.interval is None:
        return ChartText.NO_ANSWERS.text(bar=names)
    low, high = bar.interval
    message = ChartText.BAR_UNANSWERED if bar.unanswered else ChartText.BAR
    return message.text(
        bar=names, hits=bar.hits, n=bar.n, low=low, high=high, unanswered=bar.unanswered
    )


ACTIONS: Final = (
    ListAction("move", {"down,j": "move(1)", "up,k": "move(-1)"}, "↑ ↓ k j",
               "select the previous or next bar", "Bars", short=("↑↓", "bar")),
    ListAction("edge", {"home": "move(-1000000)", "end": "move(1000000)"}, "Home End",
               "select the first or last bar", "Bars", at_once=True),
    ListAction("open", {"enter": "open"}, "Enter",
               "list the wrong answers in the bar's group of answers", "Bars",
               short=("Enter", "failing answers")),
    ListAction("again", {"r": "again"}, "r", "recompute the chart from the stored answers", "Bars",
               short=("r", "recount"), at_once=True),
    ListAction("queue", {"tab": "close('queue')"}, "Tab", "open the queue: a list of all samples",
               "Leave the chart", short=("Tab", "queue"), at_once=True),
    ListAction("back", {"escape": "close('')"}, "Esc", "return to the open sample",
               "Leave the chart", short=("Esc", "back"), at_once=True),
    ListAction("quit", {"q": "close('quit')"}, "q", "quit", "Leave the chart",
               short=("q", "quit"), at_once=True),
    ListAction("help", {"question_mark,f1": "help"}, at_once=True),
)  # fmt: skip
KEY_LINE: Final = ("move", "open", "again", "queue", "back", "quit")
WAITING: Final = frozenset(
    key for action in ACTIONS if not action.at_once for key in action.pressed
)
LEGEND: Final = (
    LegendEntry(((SURE, "accent"),), "part of a bar from 0 to the mean score's 95 % interval"),
    LegendEntry(
        ((LIKELY, "accent"),), "part of a bar from the 95 % interval's low end to the mean"
    ),
    LegendEntry(
        ((UNLIKELY, "accent"),), "part of a bar from the mean to the 95 % interval's high end"
    ),
    LegendEntry((("fail", "text"),), "number of wrong answers; human verdicts override the metric"),
)


class ChosenSample(NamedTuple):
    """A sample chosen in the chart, with the keys of all samples that were listed, in order."""

    key: SampleKey
    keys: tuple[SampleKey, ...]


class PositionsScreen(Screen[ChosenSample | str | None]):
    """Screen with a study's chart; its result is a sample, `queue`, `quit`, or None to return."""

    DEFAULT_CSS = "PositionsScreen { layout: vertical; }"
    AUTO_FOCUS: ClassVar[str | None] = ""
    BINDINGS: ClassVar[list[BindingType]] = bindings(ACTIONS)

    def __init__(
        self,
        positions: PositionStudies,
        person: str,
        *,
        dataset: str,
        where: GroupKey | None = None,
    ) -> None:
        """Create the screen with a dataset's chart; `where`: the group of answers to select."""
        super().__init__()
        self.where = where
        self._positions = positions
        self._person = person
        self._dataset = dataset
        self._found: Evaluation | None = None
        self.reading = False

    def compose(self) -> ComposeResult:
        yield PaneTitle()
        yield BarHeads()
        yield BarRows()
        yield DraftLine()
        yield LabelBar()
        yield KeyLine()

    def on_mount(self) -> None:
        self.query_one(KeyLine).show(key_line(ACTIONS, KEY_LINE), last=help_pair())
        self.query_one(PaneTitle).show(self._title, [], focused=True)
        self.query_one(BarRows).say(ChartText.COUNTING.text())
        self.action_again()

    @property
    def _title(self) -> str:
        return ChartText.TITLE.text(dataset=self._dataset)

    def holds(self, event: KeyOrPaste) -> bool:
        """Return whether a key (Enter, an arrow key, j or k) must wait until the chart is shown."""
        return self.reading and getattr(event, "key", "") in WAITING

    def action_again(self) -> None:
        """Count the answers again in a thread, unless it is still counting."""
        if not self.reading:
            self.reading = True
            self._read(lambda: partial(self._show_evaluation, self._positions.chart(self._dataset)))

    @work(thread=True)
    def _read(self, read: Callable[[], Callable[[], None]]) -> None:
        """Run a function in a thread; then call its result on the main thread."""
        done: Callable[[], None] = partial(self._show_error, None)
        try:
            done = read()
        except TuiAnnotateError as error:
            done = partial(self._show_error, error)
        finally:
            self.app.call_from_thread(done)

    def _show_evaluation(self, found: Evaluation) -> None:
        self.reading = False
        if self._is_closed:
            return
        self._found = found
        rows = self.query_one(BarRows)
        self.query_one(BarHeads).show(found)
        places = [where for where, _ in found.groups]
        rows.show(found, focused=places.index(self.where) if self.where in places else 0)
        self._show_counts()
        free(self)

    def _show_error(self, error: TuiAnnotateError | None) -> None:
        self.reading = False
        free(self)
        if error and not self._is_closed:
            self.query_one(DraftLine).show(describe_error(error), kind="error")

    @property
    def _is_closed(self) -> bool:
        return self not in self.app.screen_stack

    def _show_counts(self) -> None:
        found = self._found
        if found is None:
            return
        whole = found.all
        notes = []
        if whole.mean is not None:
            notes.append(ChartText.CORRECT.text(hits=whole.hits, n=whole.n, mean=whole.mean))
        if found.repeated:
            notes.append(ChartText.REPEATED.text(count=found.repeated))
        title = self.query_one(PaneTitle)
        title.show(self._title, notes, describe_agreement(found), focused=True)
        at = self.query_one(BarRows).focused_row
        self.where = found.groups[at][0]
        self.query_one(DraftLine).show(describe_bar(found, at), kind="hint")

    # keys

    def action_move(self, step: int) -> None:
        if self._found:
            rows = self.query_one(BarRows)
            rows.focus_row(rows.focused_row + step)
            self._show_counts()

    @on(BarRows.Picked)
    def _focus_clicked(self, message: BarRows.Picked) -> None:
        message.stop()
        self.query_one(BarRows).focus_row(message.index)
        self._show_counts()

    def action_open(self) -> None:
        """List the wrong answers of the selected bar, which are read in a thread."""
        if self._found and not self.reading:
            self.reading = True
            at = self.query_one(BarRows).focused_row
            where, _ = self._found.groups[at]
            title = name_bar(self._found, at)
            self._read(partial(self._read_failing, where, self._found.by, title))

    def _read_failing(
        self, where: GroupKey, by: tuple[GroupBy, ...], title: str
    ) -> Callable[[], None]:
        keys = self._positions.failing(self._dataset, where, by=by)
        mine = tuple(row.key for row in self._positions.page(self._person, keys))
        message = ChartText.FAILED if len(mine) == len(keys) else ChartText.YOUR_FAILED
        head = message.text(bar=title, mine=len(mine), count=len(keys))
        return partial(self._open_list, mine, head, among=len(keys))

    def _open_list(self, keys: tuple[SampleKey, ...], title: str, *, among: int) -> None:
        from tui_annotate.tui.screens.queue import QueueListing, QueueScreen

        self.reading = False
        if self._is_closed:
            return
        free(self)
        if not keys:
            message = ChartText.NO_FAILURES_ASSIGNED if among else ChartText.NO_FAILURES
            self.query_one(DraftLine).show(message.text(), kind="hint")
            return

        def page(
            search: str, states: Collection[State], *, offset: int, limit: int
        ) -> tuple[Sequence[QueueRow], int]:
            rows = self._positions.page(self._person, keys, search=search, states=states)
            return rows[offset : offset + limit], len(rows)

        def chosen(key: SampleKey | None) -> None:
            if key is not None:
                self.dismiss(ChosenSample(key, keys))

        self.app.push_screen(QueueScreen(page, listing=QueueListing(title=title)), chosen)

    def action_help(self) -> None:
        self.app.push_screen(HelpDialog(help_groups(ACTIONS), legend=LEGEND))

    def action_close(self, where: str) -> None:
        """Close the chart; `where` is what the screen does next: `queue`, `quit` or "" (return)."""
        self.dismiss(where or None)


def describe_agreement(found: Evaluation) -> str:
    """Return how often the metric and people agree, in words."""
    people = found.people
    if people is None or not people.judged:
        return ChartText.NO_VERDICTS.text()
    message = ChartText.AGREEMENT if people.kappa is None else ChartText.AGREEMENT_KAPPA
    return message.text(
        agreed=people.both + people.neither, judged=people.judged, kappa=people.kappa
    )
