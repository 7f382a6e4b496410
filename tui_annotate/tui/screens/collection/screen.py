"""The collection screen: a tree of reports, documents or sentences with their progress.

A thread reads rows when they are unfolded. Keys that move between rows wait for the thread.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen

from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.domain.samples import Sample, SampleKey, SampleKind
from tui_annotate.editor.glyphs import CHOSEN, OPENS_MORE
from tui_annotate.editor.screen_message import describe_error
from tui_annotate.tui.dialogs.help import HelpDialog
from tui_annotate.tui.dialogs.legend import LegendEntry
from tui_annotate.tui.key_queue import KeyOrPaste, free
from tui_annotate.tui.list_actions import ListAction, bindings, help_groups, key_line
from tui_annotate.tui.screens.collection import rows as tree_rows
from tui_annotate.tui.screens.collection.rows import (
    OPEN,
    UNFOLDED,
    CollectionMessage,
    CollectionTree,
    Path,
    TreeRow,
    TreeRows,
    describe_counts,
)
from tui_annotate.tui.widgets.draft_line import DraftLine
from tui_annotate.tui.widgets.key_line import KeyLine, help_pair
from tui_annotate.tui.widgets.label_bar import LabelBar
from tui_annotate.tui.widgets.pane_title import PaneTitle

if TYPE_CHECKING:
    from tui_annotate.services.annotate import AnnotationService

MODES: Final = (SampleKind.REPORT, SampleKind.DOCUMENT, SampleKind.CITATION)
NAMES: Final = {
    SampleKind.REPORT: CollectionMessage.REPORTS,
    SampleKind.DOCUMENT: CollectionMessage.DOCUMENTS,
    SampleKind.CITATION: CollectionMessage.CITATIONS,
}
COUNTED: Final = NAMES | {SampleKind.CITATION: CollectionMessage.SENTENCES}


ACTIONS: Final = (
    ListAction("move", {"down,j": "move(1)", "up,k": "move(-1)"}, "↑ ↓ k j", "one row"),
    ListAction("turn", {"pagedown,space,ctrl+d": "turn(1)", "pageup,ctrl+u": "turn(-1)"},
               "PgUp PgDn Space", "one page"),
    ListAction("edge", {"home": "edge(-1)", "end": "edge(1)"}, "Home End", "first and last"),
    ListAction("unfold", {"right,l": "unfold"}, "→ l",
               "unfold the row, or go to the first row below it", short=("← →", "fold")),
    ListAction("fold", {"left,h": "fold"}, "← h", "fold the row, or go to the parent row"),
    ListAction("open", {"enter": "act"}, "Enter", "open the sample, or fold or unfold the row",
               short=("Enter", "open")),
    ListAction("incomplete", {"J,n": "incomplete"}, "J n", "open the next incomplete item",
               short=("J", "next to do"), at_once=True),
    ListAction("mode", {str(at): f"mode({at - 1})" for at in range(1, len(MODES) + 1)}, "1 2 3",
               "reports, documents, citations", "Choosing", short=("1-3", "mode"), at_once=True),
    ListAction("queue", {"tab": "close('queue')"}, "Tab", "the queue: all samples in a list",
               "Choosing", short=("Tab", "queue"), at_once=True),
    ListAction("back", {"escape,T": "close('')"}, "Esc", "go back to the open sample", "Choosing",
               short=("Esc", "back"), at_once=True),
    ListAction("quit", {"q": "close('quit')"}, "q", "quit", "Choosing", short=("q", "quit"),
               at_once=True),
    ListAction("help", {"question_mark,f1": "help"}),
)  # fmt: skip

KEY_LINE: Final = ("open", "unfold", "incomplete", "mode", "queue", "back", "quit")
AT_ONCE: Final = frozenset(key for action in ACTIONS if action.at_once for key in action.pressed)

LEGEND: Final = (
    LegendEntry(
        ((CHOSEN, "good"),),
        "complete: annotated, rated or commented; a sentence: all its citations are complete",
    ),
    LegendEntry(((OPEN, "accent"),), "not complete"),
    LegendEntry(
        ((f"{OPENS_MORE} ", "key"), (UNFOLDED, "key")),
        "closed group (rows hidden) and open group (rows shown)",
    ),
    LegendEntry((("3/12", "text"),), "3 of 12 reports, documents or citations are complete"),
)


class CollectionScreen(Screen[SampleKey | str | None]):
    """Screen with the tree of a collection; its result is a sample, `queue`, `quit`, or None."""

    DEFAULT_CSS = "CollectionScreen { layout: vertical; }"
    AUTO_FOCUS: ClassVar[str | None] = ""
    BINDINGS: ClassVar[list[BindingType]] = bindings(ACTIONS)

    def __init__(self, annotate: AnnotationService, person: str, current: Sample) -> None:
        super().__init__()
        self._annotate = annotate
        self._person = person
        self._current = current
        self._kind = current.kind
        self._trees = {mode: CollectionTree() for mode in MODES}
        self._modes: tuple[SampleKind, ...] = ()
        self._rows: tuple[TreeRow, ...] = ()
        self._list = TreeRows()
        self.reading = True  # rows are being read
        self._seeking = False  # the next incomplete item is searched for (key J)
        for mode, tree in self._trees.items():
            # The trees of other kinds have no row for the open sample: focus its report there.
            length = 3 if mode is current.kind and mode is not SampleKind.REPORT else 2
            tree.focused = tree_rows.path_of(current.meta, current.id, current.group)[:length]
            tree.unfolded = {tree.focused[:at] for at in range(1, len(tree.focused))}

    def compose(self) -> ComposeResult:
        yield PaneTitle()
        yield self._list
        yield DraftLine()
        yield LabelBar()
        yield KeyLine()

    def on_mount(self) -> None:
        self.query_one(KeyLine).show(key_line(ACTIONS, KEY_LINE), last=help_pair())
        self.reading = False
        self._show()
        self._read()

    def holds(self, event: KeyOrPaste) -> bool:
        """Return whether a key must wait until rows of the tree are loaded or an item is found."""
        at_once = isinstance(event, events.Key) and event.key in AT_ONCE
        return self._seeking or (self.reading and not at_once)

    @property
    def _tree(self) -> CollectionTree:
        return self._trees[self._kind]

    @property
    def _is_closed(self) -> bool:
        return self not in self.app.screen_stack

    # reading

    def _read(self) -> None:
        """Start to read the rows below one unfolded row, if they were not read yet."""
        if self.reading:
            return
        path = () if () not in self._tree.below else self._tree.unread()
        if path is not None:
            self.reading = True
            self._run_in_thread(partial(self._read_below, self._kind, path))

    @work(thread=True)
    def _run_in_thread(self, read: Callable[[], Callable[[], None]]) -> None:
        """Call `read` in a thread, and call the function that it returns in the screen's thread."""
        done: Callable[[], None] = partial(self._show_error, None)
        try:
            done = read()
        except TuiAnnotateError as error:
            done = partial(self._show_error, error)
        finally:
            self.app.call_from_thread(done)

    def _read_below(self, kind: SampleKind, path: Path) -> Callable[[], None]:
        """Read the child rows of a row of the collection tree; return a function that adds them."""
        annotate = self._annotate
        who = self._person
        dataset = self._current.dataset
        self._modes = self._modes or annotate.items.kinds(dataset)
        if not path:
            rows = tree_rows.branch_rows(path, annotate.items.topics(who, dataset, kind))
        elif len(path) == 1:
            runs = annotate.items.runs(who, dataset, kind, topic=path[0])
            rows = tree_rows.branch_rows(path, runs)
        else:
            leaves = annotate.leaves(who, dataset, kind, topic=path[0], run=path[1])
            rows = tree_rows.leaf_rows(path, leaves)
        return partial(self._add_rows, kind, path, rows)

    def _add_rows(self, kind: SampleKind, path: Path, rows: tuple[TreeRow, ...]) -> None:
        self.reading = False
        if self._is_closed:
            return
        self._trees[kind].below[path] = rows
        self._show()
        self._read()
        free(self)

    def _show_error(self, error: TuiAnnotateError | None) -> None:
        self.reading = self._seeking = False
        free(self)
        if error and not self._is_closed:
            self.query_one(DraftLine).show(describe_error(error), kind="error")

    # showing

    def _show(self) -> None:
        tree = self._tree
        self._rows = tree.rows()
        # The focused row, else its nearest visible ancestor, which comes last among the ancestors.
        rows = enumerate(self._rows)
        shown = (at for at, row in rows if row.path == tree.focused[: len(row.path)])
        focused = max(shown, default=0)
        signs = [self._fold_sign(row) for row in self._rows]
        is_read = () in tree.below
        empty = CollectionMessage.NO_ITEMS if is_read else CollectionMessage.LOADING
        self._list.show(self._rows, signs, focused=focused, empty=empty.text())
        self._show_status()

    def _fold_sign(self, row: TreeRow) -> str:
        if not self._has_rows_below(row):
            return " "
        return UNFOLDED if row.path in self._tree.unfolded else OPENS_MORE

    def _has_rows_below(self, row: TreeRow) -> bool:
        return tree_rows.has_rows_below(row, reports=self._kind is SampleKind.REPORT)

    def _show_status(self) -> None:
        topics = self._tree.below.get((), ())
        done = sum(row.done for row in topics)
        total = sum(row.total for row in topics)
        title = self.query_one(PaneTitle)
        items = COUNTED[self._kind].text()
        progress = CollectionMessage.PROGRESS.text(done=done, total=total, items=items)
        name = CollectionMessage.TITLE.text(dataset=self._current.dataset)
        title.show(name, [progress if topics else ""], focused=True)
        options = [
            (str(at), NAMES[mode].text(), False, mode is self._kind, -1)
            for at, mode in enumerate(MODES, 1)
            if mode in self._modes
        ]
        self.query_one(LabelBar).show(options)
        words = ""
        if row := self._focused:
            words = " · ".join(filter(None, [*row.path, describe_counts(row), row.text]))
        self.query_one(DraftLine).show(words, kind="hint")

    @property
    def _focused(self) -> TreeRow | None:
        at = self._list.focused_row
        return self._rows[at] if 0 <= at < len(self._rows) else None

    # keys

    def action_move(self, step: int) -> None:
        """Focus the row `step` rows below, or above if it is negative."""
        if self._rows:
            self._list.focus_row(self._list.focused_row + step)
            self._tree.focused = self._rows[self._list.focused_row].path
            self._show_status()

    def action_turn(self, pages: int) -> None:
        """Move by pages; one row of the previous page stays visible."""
        self.action_move(pages * max(self._list.window.height - 1, 1))

    def action_edge(self, edge: int) -> None:
        """Focus the first row (-1) or the last one (1)."""
        self.action_move(edge * len(self._rows))

    def action_unfold(self) -> None:
        """Show the rows below the focused row, or go to the first of them."""
        row = self._focused
        if row is None or not self._has_rows_below(row):
            return
        if row.path in self._tree.unfolded:
            self.action_move(1)
        else:
            self._tree.unfolded.add(row.path)
            self._show()
            self._read()

    def action_fold(self) -> None:
        """Hide the rows below the focused row, or go to its parent row."""
        row = self._focused
        if row is None:
            return
        if row.path in self._tree.unfolded:
            self._tree.unfolded.discard(row.path)
        elif len(row.path) > 1:
            self._tree.focused = row.path[:-1]
        self._show()

    def action_act(self) -> None:
        """Open the sample of the focused row; a row without one is unfolded or folded."""
        row = self._focused
        if row is None:
            return
        if key := tree_rows.sample_to_open(row):
            self.dismiss(key)
        elif row.path in self._tree.unfolded:
            self.action_fold()
        else:
            self.action_unfold()

    @on(TreeRows.Picked)
    def _on_row_clicked(self, message: TreeRows.Picked) -> None:
        message.stop()
        self.action_move(message.index - self._list.focused_row)
        self.action_act()

    def action_mode(self, number: int) -> None:
        """Show the tree of a kind of item, by its index in `MODES`."""
        mode = MODES[number]
        if mode is not self._kind and mode in (self._modes or MODES):  # any, if not read yet
            self._kind = mode
            self._show()
            self._read()

    def on_label_bar_picked(self, message: LabelBar.Picked) -> None:
        message.stop()
        self.action_mode(int(message.digit) - 1)

    def action_incomplete(self) -> None:
        """Open the next incomplete item of the tree's kind, after the sample opened before."""
        self._seeking = True
        kind = self._kind

        def find() -> Callable[[], None]:
            key = self._annotate.next_incomplete(self._person, kind, self._current.key)
            return partial(self._open_found, key)

        self._run_in_thread(find)

    def _open_found(self, key: SampleKey | None) -> None:
        self._seeking = False
        if self._is_closed:
            return
        free(self)
        if key is None:
            message = CollectionMessage.ALL_ANNOTATED.text(items=NAMES[self._kind].text())
            self.query_one(DraftLine).show(message, kind="hint")
        else:
            self.dismiss(key)

    def action_help(self) -> None:
        self.app.push_screen(
            HelpDialog(help_groups(ACTIONS), legend=LEGEND, title=CollectionMessage.HELP_TITLE)
        )

    def action_close(self, wish: str) -> None:
        """Close the screen with the result `wish`; empty goes back to the open sample."""
        self.dismiss(wish or None)
