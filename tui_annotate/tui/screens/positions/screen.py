"""The chart of a dataset by position: a bar for each place, and from a bar the answers that fail.

Counting is a thread's work; keys that need bars wait for it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen

from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.domain.samples import SampleKey
from tui_annotate.tui.dialogs.help import HelpDialog, HelpGroup, Mark
from tui_annotate.tui.screens.positions.rows import (
    LIKELY,
    SURE,
    UNLIKELY,
    BarHeads,
    BarRows,
    in_words,
    named,
)
from tui_annotate.tui.turns import Pressed, free
from tui_annotate.tui.widgets.draft_line import DraftLine
from tui_annotate.tui.widgets.key_line import KeyLine
from tui_annotate.tui.widgets.label_bar import LabelBar
from tui_annotate.tui.widgets.pane_title import PaneTitle

if TYPE_CHECKING:
    from tui_annotate.services.position.evaluating import Evaluation, Place
    from tui_annotate.services.position.stored import Positions
    from tui_annotate.storage.queue import QueueRow

KEYS: Final = (
    ("↑↓", "bar"),
    ("Enter", "answers that fail"),
    ("r", "count anew"),
    ("Tab", "queue"),
    ("Esc", "back"),
    ("q", "quit"),
)
HELP: Final = (
    HelpGroup(
        "Bars",
        (
            ("↑ ↓ k j", "one bar", ""),
            ("Home End", "first and last", ""),
            ("Enter", "the answers of the bar that fail, as a list", ""),
            ("r", "count anew", ""),
        ),
    ),
    HelpGroup(
        "Leaving",
        (
            ("Tab", "the queue: all samples in a list", ""),
            ("Esc", "back to the sample that is open", ""),
            ("q", "leave", ""),
        ),
    ),
)
LEGEND: Final = (
    Mark(((SURE, "accent"),), "up to the low end of the 95 % interval"),
    Mark(((LIKELY, "accent"),), "from there to the mean"),
    Mark(((UNLIKELY, "accent"),), "from the mean to the high end"),
    Mark((("fail", "text"),), "wrong to people, where they said; else to the metric; no answer"),
)


_NONE_FAILS: Final = "no answer of this bar fails"


class Chosen(NamedTuple):
    """A sample to open, and those among which it is walked."""

    key: SampleKey
    keys: tuple[SampleKey, ...]


class PositionsScreen(Screen[Chosen | str | None]):
    """Dismisses with what was chosen; `queue` or `quit`; or None, which goes back.

    Attributes:
        where: what the bar in focus is of; None before anything is counted.
    """

    DEFAULT_CSS = "PositionsScreen { layout: vertical; }"
    AUTO_FOCUS: ClassVar[str | None] = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "next", show=False),
        Binding("up,k", "move(-1)", "previous", show=False),
        Binding("home", "move(-1000000)", "first", show=False),
        Binding("end", "move(1000000)", "last", show=False),
        Binding("enter", "open", "answers that fail", show=False),
        Binding("r", "again", "count anew", show=False),
        Binding("tab", "close('queue')", "queue", show=False),
        Binding("question_mark,f1", "help", "keys", show=False),
        Binding("escape", "close('')", "back", show=False),
        Binding("q", "close('quit')", "leave", show=False),
    ]

    def __init__(
        self, positions: Positions, person: str, *, dataset: str, where: Place | None = None
    ) -> None:
        """`where`: the bar that has the focus at first; the first one where there is none such."""
        super().__init__()
        self.where = where
        self._positions, self._person, self._dataset = positions, person, dataset
        self._found: Evaluation | None = None
        self.reading = False

    def compose(self) -> ComposeResult:
        """Title, heads, bars, the focused one in words, agreement, keys."""
        yield PaneTitle()
        yield BarHeads()
        yield BarRows()
        yield DraftLine()
        yield LabelBar()
        yield KeyLine()

    def on_mount(self) -> None:
        """Counts."""
        self.query_one(KeyLine).show(KEYS)
        self.query_one(PaneTitle).show(f"POSITIONS {self._dataset}", [], focused=True)
        self.query_one(BarRows).say("counting…")
        self.action_again()

    def holds(self, event: Pressed) -> bool:
        """Whether a key waits: Enter and moves are for bars."""
        return self.reading and getattr(event, "key", "") in {"enter", "down", "up", "j", "k"}

    def action_again(self) -> None:
        """The key r."""
        if not self.reading:
            self.reading = True
            self._count()

    @work(thread=True)
    def _count(self) -> None:
        done = partial(self._refuse, None)
        try:
            done = partial(self._counted, self._positions.chart(self._dataset))
        except TuiAnnotateError as error:
            done = partial(self._refuse, error)
        finally:
            self.app.call_from_thread(done)

    def _counted(self, found: Evaluation) -> None:
        self.reading = False
        if self._gone:
            return
        self._found = found
        rows = self.query_one(BarRows)
        self.query_one(BarHeads).show(found)
        places = [where for where, _ in found.groups]
        rows.show(found, focused=places.index(self.where) if self.where in places else 0)
        self._tell()
        free(self)

    def _refuse(self, error: TuiAnnotateError | None) -> None:
        self.reading = False
        free(self)
        if error and not self._gone:
            hint = f"; {error.hint}" if error.hint else ""
            self.query_one(DraftLine).show(f"{error.message}{hint}", kind="error")

    @property
    def _gone(self) -> bool:
        return self not in self.app.screen_stack

    def _tell(self) -> None:
        """Title with all together and what people say; the focused bar in words."""
        found = self._found
        if found is None:
            return
        whole = found.all
        notes = [] if whole.mean is None else [f"{whole.hits}/{whole.n} correct, {whole.mean:.3f}"]
        title = self.query_one(PaneTitle)
        title.show(f"POSITIONS {self._dataset}", notes, _agreement(found), focused=True)
        at = self.query_one(BarRows).focused_row
        self.where = found.groups[at][0]
        self.query_one(DraftLine).show(in_words(found, at), kind="hint")

    # keys

    def action_move(self, step: int) -> None:
        """Up and Down, Home and End."""
        if self._found:
            rows = self.query_one(BarRows)
            rows.focus_row(rows.focused_row + step)
            self._tell()

    @on(BarRows.Clicked)
    def _clicked(self, message: BarRows.Clicked) -> None:
        message.stop()
        self.query_one(BarRows).focus_row(message.index)
        self._tell()

    def action_open(self) -> None:
        """Enter: the answers of the bar that fail."""
        if self._found and not self.reading:
            self.reading = True
            at = self.query_one(BarRows).focused_row
            where, _ = self._found.groups[at]
            self._read_failing(where, self._found.by, named(self._found, at))

    @work(thread=True)
    def _read_failing(self, where: Any, by: Any, title: str) -> None:
        done = partial(self._refuse, None)
        try:
            keys = self._positions.failing(self._dataset, where, by=by)
            mine = tuple(row.key for row in self._positions.page(self._person, keys))
            told = "FAIL" if len(mine) == len(keys) else f"YOURS, {len(mine)} OF {len(keys)} FAIL"
            done = partial(self._list, mine, f"{told}: {title}", among=len(keys))
        except TuiAnnotateError as error:
            done = partial(self._refuse, error)
        finally:
            self.app.call_from_thread(done)

    def _list(self, keys: tuple[SampleKey, ...], title: str, *, among: int) -> None:
        from tui_annotate.tui.screens.queue import QueueScreen
        from tui_annotate.tui.screens.queue_keys import Listing

        self.reading = False
        if self._gone:
            return
        free(self)
        if not keys:
            words = "none of those that fail here is yours" if among else _NONE_FAILS
            self.query_one(DraftLine).show(words, kind="hint")
            return

        def page(
            search: str, states: Collection[State], *, offset: int, limit: int
        ) -> tuple[Sequence[QueueRow], int]:
            rows = self._positions.page(self._person, keys, search=search, states=states)
            return rows[offset : offset + limit], len(rows)

        def chosen(key: SampleKey | None) -> None:
            if key is not None:
                self.dismiss(Chosen(key, keys))

        self.app.push_screen(QueueScreen(page, listing=Listing(title=title)), chosen)

    def action_help(self) -> None:
        """All keys, and what the signs of a bar mean."""
        self.app.push_screen(HelpDialog(HELP, legend=LEGEND))

    def action_close(self, where: str) -> None:
        """Goes back, to the queue, or leaves."""
        self.dismiss(where or None)


def _agreement(found: Evaluation) -> str:
    people = found.people
    if people is None or not people.judged:
        return "nobody judged yet"
    kappa = "" if people.kappa is None else f", kappa {people.kappa:.2f}"
    return f"people agree {people.both + people.neither}/{people.judged}{kappa}"
