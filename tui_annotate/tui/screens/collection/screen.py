"""A collection as a tree: topics, runs, documents or sentences, with what is done of each.

Rows are read in a thread when they are unfolded; what moves among them waits for that.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen

from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.domain.samples import Kind, Sample, SampleKey
from tui_annotate.tui.dialogs.help import HelpDialog
from tui_annotate.tui.palette import OPENS_MORE
from tui_annotate.tui.screens.collection import folding
from tui_annotate.tui.screens.collection.folding import Path, Row, Tree
from tui_annotate.tui.screens.collection.keys import (
    ANY_ROWS,
    BINDINGS,
    COUNTED,
    HELP,
    KEYS,
    LEGEND,
    MODES,
    NAMES,
)
from tui_annotate.tui.screens.collection.rows import UNFOLDED, TreeRows, counted
from tui_annotate.tui.turns import Pressed, free
from tui_annotate.tui.widgets.draft_line import DraftLine
from tui_annotate.tui.widgets.key_line import KeyLine
from tui_annotate.tui.widgets.label_bar import LabelBar
from tui_annotate.tui.widgets.pane_title import PaneTitle

if TYPE_CHECKING:
    from tui_annotate.services.annotate import Annotate


class CollectionScreen(Screen[SampleKey | str | None]):
    """Dismisses with a sample to open; `queue` or `quit`; or None, which goes back.

    Args:
        kind: the mode to begin in.
        current: the sample that is open; its row has the focus.
    """

    DEFAULT_CSS = "CollectionScreen { layout: vertical; }"
    AUTO_FOCUS: ClassVar[str | None] = ""
    BINDINGS: ClassVar[list[BindingType]] = [*BINDINGS]

    def __init__(self, annotate: Annotate, person: str, *, kind: Kind, current: Sample) -> None:
        super().__init__()
        self._annotate, self._person, self._current = annotate, person, current
        self._dataset, self._kind = current.dataset, kind
        self._trees = {mode: Tree() for mode in MODES}
        self._modes: tuple[Kind, ...] = ()
        self._rows: tuple[Row, ...] = ()
        self.reading = True  # rows are on their way
        self._leading = False  # it is looked for where `J` leads
        for mode, tree in self._trees.items():
            tree.focused = folding.path_of(current.meta, current.id, current.group)
            tree.focused = tree.focused[: 2 if mode is Kind.REPORT else 3 if mode is kind else 2]
            tree.unfolded = {tree.focused[:length] for length in range(1, len(tree.focused))}

    def compose(self) -> ComposeResult:
        """Title, rows, what is focused, modes, keys."""
        yield PaneTitle()
        yield TreeRows()
        yield DraftLine()
        yield LabelBar()
        yield KeyLine()

    def on_mount(self) -> None:
        """Reads the topics, and what stands above the sample that is open."""
        self.query_one(KeyLine).show(KEYS)
        self.reading = False
        self._show()
        self._read()

    def holds(self, event: Pressed) -> bool:
        """Whether a key waits: for the rows that it is for, or for where the one before leads."""
        any_rows = isinstance(event, events.Key) and event.key in ANY_ROWS
        return self._leading or (self.reading and not any_rows)

    @property
    def _tree(self) -> Tree:
        return self._trees[self._kind]

    @property
    def _gone(self) -> bool:
        """Whether somebody left while rows were read."""
        return self not in self.app.screen_stack

    # reading

    def _read(self) -> None:
        """Reads what is wanted and was not read, one after the other."""
        if self.reading:
            return
        path = () if () not in self._tree.below else self._tree.unread()
        if path is not None:
            self.reading = True
            self._read_below(self._kind, path)

    @work(thread=True)
    def _read_below(self, kind: Kind, path: Path) -> None:
        done = partial(self._refuse, None)
        try:
            self._modes = self._modes or self._annotate.modes(self._dataset)
            done = partial(self._arrived, kind, path, self._rows_below(kind, path))
        except TuiAnnotateError as error:
            done = partial(self._refuse, error)
        finally:
            self.app.call_from_thread(done)

    def _rows_below(self, kind: Kind, path: Path) -> tuple[Row, ...]:
        """In a thread."""
        annotate, who, dataset = self._annotate, self._person, self._dataset
        if not path:
            return folding.of_branches(path, annotate.topics(who, dataset, kind))
        if len(path) == 1:
            return folding.of_branches(path, annotate.runs(who, dataset, kind, topic=path[0]))
        topic, run = path
        return folding.of_leaves(path, annotate.leaves(who, dataset, kind, topic=topic, run=run))

    def _arrived(self, kind: Kind, path: Path, rows: tuple[Row, ...]) -> None:
        self.reading = False
        if self._gone:
            return
        self._trees[kind].below[path] = rows
        self._show()
        self._read()
        free(self)

    def _refuse(self, error: TuiAnnotateError | None) -> None:
        self.reading = self._leading = False
        free(self)
        if error and not self._gone:
            hint = f"; {error.hint}" if error.hint else ""
            self.query_one(DraftLine).show(f"{error.message}{hint}", kind="error")

    # showing

    def _show(self) -> None:
        """All rows anew, the focused one where it was."""
        tree = self._tree
        self._rows = tree.rows()
        found = [at for at, row in enumerate(self._rows) if row.path == tree.focused]
        above = [
            at for at, row in enumerate(self._rows) if row.path == tree.focused[: len(row.path)]
        ]
        focused = (found or above or [0])[-1]
        signs = [self._sign(row) for row in self._rows]
        empty = "no such item here for you" if () in tree.below else "reading…"
        self.query_one(TreeRows).show(self._rows, signs, focused=focused, empty=empty)
        self._tell()

    def _sign(self, row: Row) -> str:
        if not folding.folds(row, reports=self._kind is Kind.REPORT):
            return " "
        return UNFOLDED if row.path in self._tree.unfolded else OPENS_MORE

    def _tell(self) -> None:
        """Title, modes, and the focused row in full."""
        topics = self._tree.below.get((), ())
        done, total = sum(row.done for row in topics), sum(row.total for row in topics)
        title = self.query_one(PaneTitle)
        what = f"{done}/{total} {COUNTED[self._kind]}" if topics else ""
        title.show(f"COLLECTION {self._dataset}", [what], focused=True)
        self.query_one(LabelBar).show(
            [
                (str(at), NAMES[mode], False, mode is self._kind, -1)
                for at, mode in enumerate(MODES, 1)
                if mode in self._modes
            ]
        )
        row = self._focused
        words = " · ".join(filter(None, [*row.path, counted(row), row.text])) if row else ""
        self.query_one(DraftLine).show(words, kind="hint")

    @property
    def _focused(self) -> Row | None:
        at = self.query_one(TreeRows).focused_row
        return self._rows[at] if 0 <= at < len(self._rows) else None

    # keys

    def action_move(self, step: int) -> None:
        """Up and Down."""
        rows = self.query_one(TreeRows)
        if self._rows:
            rows.focus_row(rows.focused_row + step)
            self._tree.focused = self._rows[rows.focused_row].path
            self._tell()

    def action_turn(self, pages: int) -> None:
        """A page, with one row of it kept."""
        self.action_move(pages * max(self.query_one(TreeRows).window.height - 1, 1))

    def action_edge(self, edge: int) -> None:
        """Home and End."""
        self.action_move(edge * len(self._rows))

    def action_unfold(self) -> None:
        """Right: shows what is below a row; once it is shown, goes there."""
        row = self._focused
        if row is None or not folding.folds(row, reports=self._kind is Kind.REPORT):
            return
        if row.path in self._tree.unfolded:
            self.action_move(1)
        else:
            self._tree.unfolded.add(row.path)
            self._show()
            self._read()

    def action_fold(self) -> None:
        """Left: hides what is below a row; where nothing is, goes to the row above."""
        row = self._focused
        if row is None:
            return
        if row.path in self._tree.unfolded:
            self._tree.unfolded.discard(row.path)
        elif len(row.path) > 1:
            self._tree.focused = row.path[:-1]
        self._show()

    def action_act(self) -> None:
        """Enter: opens a sample; on a branch folds and unfolds."""
        row = self._focused
        if row is None:
            return
        if key := folding.opens(row):
            self.dismiss(key)
        elif row.path in self._tree.unfolded:
            self.action_fold()
        else:
            self.action_unfold()

    @on(TreeRows.Clicked)
    def _clicked(self, message: TreeRows.Clicked) -> None:
        message.stop()
        self.action_move(message.index - self.query_one(TreeRows).focused_row)
        self.action_act()

    def action_mode(self, number: int) -> None:
        """A digit; `number` counts from 0."""
        mode = MODES[number]
        if mode is not self._kind and mode in (self._modes or MODES):  # not read yet: any
            self._kind = mode
            self._show()
            self._read()

    def on_label_bar_picked(self, message: LabelBar.Picked) -> None:
        """A mode was clicked."""
        message.stop()
        self.action_mode(int(message.digit) - 1)

    def action_incomplete(self) -> None:
        """The next item of this mode that is not done, from the one that is open on."""
        self._leading = True
        self._look_for_incomplete()

    @work(thread=True)
    def _look_for_incomplete(self) -> None:
        done = partial(self._refuse, None)
        try:
            after = self._current.key
            found = self._annotate.next_incomplete(self._person, self._kind, after)
            done = partial(self._found, found)
        except TuiAnnotateError as error:
            done = partial(self._refuse, error)
        finally:
            self.app.call_from_thread(done)

    def _found(self, key: SampleKey | None) -> None:
        self._leading = False
        if self._gone:
            return
        free(self)
        if key is None:
            words = f"all {NAMES[self._kind]} are annotated"
            self.query_one(DraftLine).show(words, kind="hint")
        else:
            self.dismiss(key)

    def action_help(self) -> None:
        """All keys of the tree."""
        self.app.push_screen(HelpDialog(HELP, legend=LEGEND, title="Keys in the collection"))

    def action_close(self, wish: str) -> None:
        """Without a sample."""
        self.dismiss(wish or None)
