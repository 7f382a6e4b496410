"""The queue screen: a list of samples with their states; only visible rows are read.

A thread reads one page at a time. The page that was requested last is read first, so that holding
a key down never piles up requests.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar, Final, NamedTuple, Protocol

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message
from textual.screen import Screen

from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.domain.line_text import cut, line_text
from tui_annotate.domain.samples import SampleKey, SiblingSample
from tui_annotate.domain.scores import ScoreSummaries
from tui_annotate.editor.glyphs import CURRENT_CHOICE, STATE_GLYPHS, STATE_NAMES
from tui_annotate.editor.screen_message import ScreenMessage, describe_error
from tui_annotate.tui.dialogs.help import HelpDialog
from tui_annotate.tui.dialogs.jump import JumpDialog
from tui_annotate.tui.dialogs.legend import STATE_MARKS, LegendEntry
from tui_annotate.tui.dialogs.orders import OrderDialog, order_words
from tui_annotate.tui.key_queue import KeyOrPaste, free, is_text
from tui_annotate.tui.line_input import LineInput
from tui_annotate.tui.list_actions import ListAction, bindings, help_groups, key_line
from tui_annotate.tui.score_cells import BARS, ScoreCells
from tui_annotate.tui.widgets.draft_line import DraftLine
from tui_annotate.tui.widgets.key_line import KeyLine, help_pair
from tui_annotate.tui.widgets.label_bar import LabelBar
from tui_annotate.tui.widgets.pane_title import PaneTitle
from tui_annotate.tui.widgets.queue_rows import (
    PAGE,
    GroupColumn,
    QueueEntry,
    QueueHeads,
    QueueList,
    describe_entry,
)


class QueueMessage(ScreenMessage):
    """Texts of the list of samples."""

    SEARCH_HINT = "Search: part of an id or of a summary"
    SHOWN = "{filter}: {row} of {total}"
    SHOWN_OF_SEARCH = '"{search}", {filter}: {row} of {total}'
    COUNTED = "{count}/{total} {counted}"
    LOCKED = "{count:,} locked"
    TITLE = "QUEUE"
    SHOW = "Show:"
    ALL = "all"
    OPEN = "open"
    BACK = "back"
    QUIT = "quit"


class QueueFilter(NamedTuple):
    """A filter of the list: its name, the states to show (none: all), and their glyph if any."""

    name: ScreenMessage
    states: frozenset[State] = frozenset()
    glyph: str = ""

    @property
    def label(self) -> str:
        """Text of the filter on the bar of options."""
        name = self.name.text()
        return f"{name} {self.glyph}" if self.glyph else name


FILTERS: tuple[QueueFilter, ...] = (
    QueueFilter(QueueMessage.ALL),
    QueueFilter(QueueMessage.OPEN, frozenset({State.NEW, State.DRAFT, State.REOPENED})),
    *(QueueFilter(STATE_NAMES[state], frozenset({state}), STATE_GLYPHS[state]) for state in State),
)
"""Filters of the queue, in the order of their digits."""

ACTIONS: Final = (
    ListAction("move", {"down,j": "move(1)", "up,k": "move(-1)"}, "↑ ↓ k j",
               "go to the next or previous sample", short=("↑↓", "move")),
    ListAction("turn", {"pagedown,space,ctrl+d": "turn(1)", "pageup,ctrl+u": "turn(-1)"},
               "PgUp PgDn Space", "move by a page"),
    ListAction("edge", {"home": "edge(-1)", "end": "edge(1)"}, "Home End",
               "go to the first or last sample"),
    ListAction("open", {"enter": "open"}, "Enter", "open the sample", short=("Enter", "open")),
    ListAction("jump", {"g,G": "jump"}, "g", "open a sample by its id", short=("g", "go to")),
    ListAction("filter", {str(at): f"filter({at - 1})" for at in range(1, len(FILTERS) + 1)},
               f"1-{len(FILTERS)}", "show only some samples; open: new, in progress, reopened",
               "Choosing"),
    ListAction("next-filter", {"f": "next_filter"}, "f", "use the next filter", "Choosing",
               short=("f", "filter")),
    ListAction("search", {"slash": "search"}, "/",
               "search ids and summaries; Enter keeps the search, Esc clears it", "Choosing",
               short=("/", "search")),
    ListAction("back", {"escape": "back"}, "Esc", "go back to the open sample", "Choosing",
               short=("Esc", "back")),
    ListAction("clear", {"backspace": "unsearch"}),
    ListAction("close", {"q": "close"}, "q", "close the queue, or quit", "Choosing",
               short=("q", "back")),
    ListAction("order", {"o": "order"}, "o", "choose a different order, for example by a score",
               "Order and sources", short=("o", "sort"), when=lambda screen: screen.has_scores),
    ListAction("siblings", {"s": "rivals"}, "s",
               "show sibling samples, which have the same source", "Order and siblings",
               short=("s", "same source"), when=lambda screen: screen.has_siblings),
    ListAction("help", {"question_mark": "help"}),
)  # fmt: skip

KEY_LINE: Final = ("move", "open", "search", "next-filter", "jump", "back", "close")
SCORED_KEY_LINE: Final = (
    "open", "search", "order", "siblings", "back", "close", "next-filter", "move", "jump",
)  # fmt: skip
"""Key line of a list with scores; the last keys are shown where there is room."""

SCORE_LEGEND: Final = LegendEntry(
    ((BARS, "accent"),), "score of the sample: a full bar means that the source supports it"
)
VERDICT_LEGEND: Final = LegendEntry(
    (("r w u", "disabled"),), "a program's verdict on the sample: right, wrong, undecided"
)


@dataclass(frozen=True, slots=True)
class QueueListing:
    """Content of a list of samples.

    Attributes:
        title: title of the list; empty for that of the queue.
        counted: name of the samples that count as progress; empty for completed samples.
        counts_aside: whether skipped and flagged samples are counted, too.
        locked: number of samples that can no longer be completed; progress leaves them out.
        filter_help: what the digit keys do, for the help; empty for the usual words.
    """

    title: str = ""
    filters: tuple[QueueFilter, ...] = FILTERS
    counted: str = ""
    counted_states: frozenset[State] = frozenset({State.DONE})
    counts_aside: bool = False
    locked: int = 0
    describe: Callable[[QueueEntry], str] = describe_entry
    group: GroupColumn = field(default_factory=GroupColumn)
    filter_help: str = ""
    legend: tuple[LegendEntry, ...] = STATE_MARKS


QUEUE = QueueListing(counts_aside=True)

_SEARCH_CELLS = 24  # maximum cells of the search text in the title


class PageSource(Protocol):
    """Function that reads up to `limit` rows of a list of samples; called in a thread."""

    def __call__(
        self, search: str, states: Collection[State], *, offset: int, limit: int
    ) -> tuple[Sequence[QueueEntry], int]:
        """Return rows of the matching samples, and their number; no `states` mean all states."""


class PageRequest(NamedTuple):
    """A request for rows of a sample list: search text, filter, order, and first focused row."""

    search: str
    filter: int
    focused: int
    order: str = ""


@dataclass(frozen=True, slots=True)
class QueueScores:
    """Functions with which a list of samples shows scores, and sorts the samples by them.

    The functions that read data (`glances`, `siblings`, `orders`) are called in a thread.
    """

    glances: Callable[[Sequence[SampleKey]], ScoreSummaries]
    siblings: Callable[[SampleKey], tuple[Sequence[SiblingSample], ScoreSummaries]] | None
    orders: Callable[[], Sequence[str]]
    order: Callable[[], str]
    reorder: Callable[[str], None]


class QueueScreen(Screen[SampleKey | None]):
    """Screen with a list of samples; its result is the key of the sample to open.

    The result is None if the user closes the list with q.

    Args:
        find: returns the sample key for a typed id ("go to"); raises NotFound.
        position: number of the row that is focused first, from 1; 0 for the first row.
        current: the open sample, to which Escape goes back; None if no sample is open.
    """

    DEFAULT_CSS = """
    QueueScreen { layout: vertical; }
    QueueScreen LineInput { display: none; &, &:focus { padding: 0 3; } }
    QueueScreen.-searching LineInput { display: block; }
    QueueScreen.-searching DraftLine { display: none; }
    """
    AUTO_FOCUS: ClassVar[str | None] = ""  # the hidden input must not get the keys
    BINDINGS: ClassVar[list[BindingType]] = bindings(ACTIONS)

    def __init__(
        self,
        page: PageSource,
        *,
        find: Callable[[str], SampleKey] | None = None,
        position: int = 0,
        current: SampleKey | None = None,
        leave: ScreenMessage = QueueMessage.BACK,
        listing: QueueListing = QUEUE,
        scores: QueueScores | None = None,
    ) -> None:
        super().__init__()
        self._page = page
        self._listing = listing
        self._scores = scores
        self._leave = leave
        self._current = current
        self._find = find
        self._rows = QueueList(listing.group)
        self._wanted = PageRequest("", 0, max(position - 1, 0), self.order)
        self._held: PageRequest | None = None
        self._awaited = True
        self._reading = False
        self._total = 0
        self._progress = ""
        self._aside = ""

    @property
    def order(self) -> str:
        """The order of the list, by its id; empty for a list without scores."""
        return self._scores.order() if self._scores else ""

    @property
    def has_scores(self) -> bool:
        """Whether the list shows scores, and can be sorted by them."""
        return self._scores is not None

    @property
    def has_siblings(self) -> bool:
        """Whether the list can show other summaries of the same source."""
        return self._scores is not None and self._scores.siblings is not None

    def _actions(self) -> list[ListAction]:
        """Return the actions of this list, with its own words for the filters and for leaving."""
        return [self._in_own_words(action) for action in ACTIONS if action.when(self)]

    def _in_own_words(self, action: ListAction) -> ListAction:
        listing = self._listing
        if action.id == "close":
            return replace(action, short=("q", self._leave.text()))
        if action.id == "filter":
            keys = f"1-{len(listing.filters)}"
            return replace(action, keys=keys, help=listing.filter_help or action.help)
        return action

    def compose(self) -> ComposeResult:
        yield PaneTitle()
        yield QueueHeads(self._listing.group)
        yield self._rows
        yield DraftLine()
        yield LineInput(placeholder=QueueMessage.SEARCH_HINT.text())
        filters = LabelBar()
        filters.chosen_glyph = CURRENT_CHOICE  # a tick is the mark of completed samples
        yield filters
        yield KeyLine()

    def on_mount(self) -> None:
        """Start to read the focused page, and to count the samples."""
        usual = SCORED_KEY_LINE if self._scores else KEY_LINE
        order = [name for name in usual if name != "back" or self._current]
        self.query_one(KeyLine).show(key_line(self._actions(), order), last=help_pair())
        self._show_status()
        self._read()
        self._count()

    def _show_status(self) -> None:
        filters = self._listing.filters
        listed = self._rows
        row = listed.focused_row + 1 if self._total else 0
        search = cut(line_text(self._wanted.search), _SEARCH_CELLS)
        message = QueueMessage.SHOWN_OF_SEARCH if search else QueueMessage.SHOWN
        name = filters[self._wanted.filter].name.text()
        where = message.text(search=search, filter=name, row=row, total=self._total)
        title = self.query_one(PaneTitle)
        order = order_words(self.order) if ":" in self.order else ""  # by a score, or random
        notes = [self._progress, order or self._aside]
        title.show(self._listing.title or QueueMessage.TITLE.text(), notes, where, focused=True)
        options = [
            (str(digit), each.label, False, digit == self._wanted.filter + 1, -1)
            for digit, each in enumerate(filters, 1)
        ]
        self.query_one(LabelBar).show(options, title=QueueMessage.SHOW.text())
        words = ""
        if entry := self._focused:
            parts = (listed.describe_scores(entry), self._listing.describe(entry))
            words = " · ".join(filter(None, parts))
        self.query_one(DraftLine).show(words, kind="hint")

    @property
    def _focused(self) -> QueueEntry | None:
        return self._rows.entry(self._rows.focused_row) if self._total else None

    # reading rows

    def holds(self, event: KeyOrPaste) -> bool:
        """Return whether a key must wait for the first rows; typed text never waits."""
        return self._awaited and not is_text(self.focused, event)

    def _read(self) -> None:
        """Start to load the rows that the list needs, unless other rows are being loaded."""
        if self._reading or not self.is_mounted:
            return
        if self._wanted != self._held:
            offset: int | None = self._wanted.focused - self._wanted.focused % PAGE
        else:
            offset = self._rows.missing() if self._total else None
        if offset is not None:
            self._reading = True
            self._read_page(self._wanted, offset)

    @work(thread=True)
    def _read_page(self, request: PageRequest, offset: int) -> None:
        try:
            states = self._listing.filters[request.filter].states
            rows, total = self._page(request.search, states, offset=offset, limit=PAGE)
            keys = [row.key for row in rows]
            scores = self._scores.glances(keys) if self._scores else ScoreSummaries()
            done = partial(self._show_page, request, rows, scores, offset=offset, total=total)
        except TuiAnnotateError as error:
            done = partial(self._show_error, error)
        self.app.call_from_thread(done)

    def _show_page(
        self,
        request: PageRequest,
        rows: Sequence[QueueEntry],
        scores: ScoreSummaries,
        *,
        offset: int,
        total: int,
    ) -> None:
        """Show loaded rows of the list; drop them if other rows were requested meanwhile."""
        self._reading = False
        if request == self._wanted == self._held and total == self._total:
            self._rows.take(rows, offset=offset)  # further rows of the list on screen
        elif request == self._wanted:
            self._held = request
            self._total = total
            self._awaited = False
            self._rows.restart(rows, offset=offset, total=total, focused=request.focused)
        self._rows.set_scores(scores)
        self.query_one(QueueHeads).set_columns(ScoreCells.of(scores), groups=self._rows.has_groups)
        self._show_status()
        self._read()
        free(self)

    @work(thread=True)
    def _count(self) -> None:
        """Count completed and set-aside samples for the title, in a thread."""
        try:
            self._progress = QueueMessage.COUNTED.text(
                count=self._count_samples(self._listing.counted_states),
                total=self._count_samples() - self._listing.locked,
                counted=self._listing.counted or STATE_NAMES[State.DONE].text(),
            )
            if self._listing.counts_aside:
                states = (State.SKIPPED, State.FLAGGED)
                aside = {state: self._count_samples(frozenset({state})) for state in states}
                counts = [
                    f"{STATE_GLYPHS[state]}{count:,}" for state, count in aside.items() if count
                ]
                if self._listing.locked:
                    counts.append(QueueMessage.LOCKED.text(count=self._listing.locked))
                self._aside = " ".join(counts)
            done = self._show_status
        except TuiAnnotateError as error:
            done = partial(self._show_error, error)
        self.app.call_from_thread(done)

    def _count_samples(self, states: Collection[State] = frozenset()) -> int:
        """Return the number of samples in some states, by default of all; called in a thread."""
        _, count = self._page("", states, offset=0, limit=1)
        return count

    def _show_error(self, error: TuiAnnotateError) -> None:
        self._reading = self._awaited = False
        free(self)
        self.query_one(DraftLine).show(describe_error(error), kind="error")

    @on(QueueList.Moved)
    def _on_rows_moved(self) -> None:
        self._read()

    # keys

    def action_move(self, step: int) -> None:
        """Focus the row `step` rows below, or above if it is negative."""
        if self._total:
            self._rows.focus_row(self._rows.focused_row + step)
            self._show_status()

    def action_turn(self, pages: int) -> None:
        """Move by pages; one row of the previous page stays visible."""
        self.action_move(pages * max(self._rows.window.height - 1, 1))

    def action_edge(self, edge: int) -> None:
        """Focus the first row (-1) or the last one (1)."""
        self.action_move(edge * self._total)

    def action_open(self) -> None:
        if entry := self._focused:
            self.dismiss(entry.key)

    def action_filter(self, number: int) -> None:
        """Use a filter by its index; other indexes and the current one are ignored."""
        if number != self._wanted.filter and number < len(self._listing.filters):
            self._request(self._wanted.search, number)

    def action_next_filter(self) -> None:
        self.action_filter((self._wanted.filter + 1) % len(self._listing.filters))

    def action_search(self) -> None:
        self.add_class("-searching")
        self.query_one(LineInput).focus()

    def action_help(self) -> None:
        marks = self._listing.legend
        cells = self._rows.score_cells
        if cells.names:
            marks = (*marks, SCORE_LEGEND)
        if cells.labelled:
            marks = (*marks, VERDICT_LEGEND)
        self.app.push_screen(HelpDialog(help_groups(self._actions()), legend=marks))

    def action_jump(self) -> None:
        """Ask for an id, and close the list with its sample."""
        if self._find is not None:
            self.app.push_screen(JumpDialog(self._find), self._open_sample)

    def _open_sample(self, key: SampleKey | None) -> None:
        if key is not None:
            self.dismiss(key)

    def action_order(self) -> None:
        """Ask for another order of the samples."""
        if self._scores is not None:
            dialog = OrderDialog(self._scores.orders, used=self.order)
            self.app.push_screen(dialog, self._use_order)

    def _use_order(self, order: str | None) -> None:
        if order and order != self.order and self._scores is not None:
            self._scores.reorder(order)
            self._request(self._wanted.search, self._wanted.filter)

    def action_rivals(self) -> None:
        """Show other summaries of the focused sample's source."""
        entry = self._focused
        if entry and self._scores and self._scores.siblings:
            from tui_annotate.tui.dialogs.siblings import SiblingsDialog

            find = partial(self._scores.siblings, entry.key)
            self.app.push_screen(SiblingsDialog(find, current=entry.key), self._open_sample)

    def action_close(self) -> None:
        self.dismiss(None)

    def action_unsearch(self) -> None:
        """Clear the search text and close the search input (Backspace).

        The list stays open, because a user may hold Backspace down longer than necessary.
        """
        self.query_one(LineInput).value = ""
        self._end_search()

    def action_back(self) -> None:
        """Clear the search text; without a search, go back to the open sample."""
        if self.has_class("-searching") or self._wanted.search or self._current is None:
            self.action_unsearch()
        else:
            self.dismiss(self._current)

    def _end_search(self) -> None:
        self.set_focus(None)
        self.remove_class("-searching")

    def on_input_changed(self, event: LineInput.Changed) -> None:
        """Search again at each change of the typed text."""
        event.stop()
        text = event.value.strip()
        if text != self._wanted.search:
            self._request(text, self._wanted.filter)

    def _request(self, search: str, number: int) -> None:
        """Ask for the first rows of a search and filter; keys wait until they are read."""
        self._wanted = PageRequest(search, number, 0, self.order)
        self._awaited = True
        self._show_status()
        self._read()

    @on(LineInput.Submitted)
    @on(LineInput.LeftEmpty)
    def _leave_input(self, message: Message) -> None:
        message.stop()
        self._end_search()

    def on_label_bar_picked(self, message: LabelBar.Picked) -> None:
        message.stop()
        self.action_filter(int(message.digit) - 1)

    @on(QueueList.Opened)
    def _on_row_opened(self, message: QueueList.Opened) -> None:
        message.stop()
        self.dismiss(message.key)
