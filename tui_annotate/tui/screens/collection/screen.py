"""A collection as a tree: topics, runs, documents or sentences, with what is done of each.

Rows are read in a thread when they are unfolded; what moves among them waits for that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen

from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.domain.samples import Sample, SampleKey, SampleKind
from tui_annotate.tui.dialogs.help import HelpDialog
from tui_annotate.tui.dialogs.legend import LegendEntry
from tui_annotate.tui.key_queue import KeyOrPaste, free
from tui_annotate.tui.keys.key_map import HelpGroup
from tui_annotate.tui.palette import CHOSEN, OPENS_MORE
from tui_annotate.tui.screens.collection import rows as tree_rows
from tui_annotate.tui.screens.collection.rows import (
    OPEN,
    UNFOLDED,
    CollectionTree,
    Path,
    TreeRow,
    TreeRows,
    describe_counts,
)
from tui_annotate.tui.widgets.draft_line import DraftLine
from tui_annotate.tui.widgets.key_line import KeyLine
from tui_annotate.tui.widgets.label_bar import LabelBar
from tui_annotate.tui.widgets.pane_title import PaneTitle

if TYPE_CHECKING:
    from tui_annotate.services.annotate import AnnotationService

MODES: Final = (SampleKind.REPORT, SampleKind.DOCUMENT, SampleKind.CITATION)
NAMES: Final = {
    SampleKind.REPORT: "reports",
    SampleKind.DOCUMENT: "documents",
    SampleKind.CITATION: "citations",
}
COUNTED: Final = NAMES | {SampleKind.CITATION: "sentences"}


@dataclass(frozen=True, slots=True)
class TreeAction:
    """Keys that belong together: one row of the help.

    Attributes:
        calls: from keys, by Textual's names for them, to the method they call: `move(1)`.
        keys: as the help shows them; empty: not in the help.
        group: the heading in the help.
        line: place from the left, keys and name on the key line; None: not there.
        any_rows: means the same whatever rows are shown, so it does not wait for them.
    """

    calls: Mapping[str, str]
    keys: str = ""
    help: str = ""
    group: str = "Moving"
    line: tuple[int, str, str] | None = None
    any_rows: bool = False


ACTIONS: Final = (
    TreeAction({"down,j": "move(1)", "up,k": "move(-1)"}, "↑ ↓ k j", "one row"),
    TreeAction({"pagedown,space,ctrl+d": "turn(1)", "pageup,ctrl+u": "turn(-1)"},
               "PgUp PgDn Space", "one page"),
    TreeAction({"home": "edge(-1)", "end": "edge(1)"}, "Home End", "first and last"),
    TreeAction({"right,l": "unfold"}, "→ l", "unfold; into what is unfolded",
               line=(2, "← →", "fold")),
    TreeAction({"left,h": "fold"}, "← h", "fold; to the row above"),
    TreeAction({"enter": "act"}, "Enter", "unfold, or open what is there",
               line=(1, "Enter", "open")),
    TreeAction({"J,n": "incomplete"}, "J n", "open the next that is not done",
               line=(3, "J", "next to do"), any_rows=True),
    TreeAction({str(at): f"mode({at - 1})" for at in range(1, len(MODES) + 1)}, "1 2 3",
               "reports, documents, citations", "Choosing", line=(4, "1-3", "mode"),
               any_rows=True),
    TreeAction({"tab": "close('queue')"}, "Tab", "the queue: all samples in a list", "Choosing",
               line=(5, "Tab", "queue"), any_rows=True),
    TreeAction({"escape,T": "close('')"}, "Esc", "back to the sample that is open", "Choosing",
               line=(6, "Esc", "back"), any_rows=True),
    TreeAction({"q": "close('quit')"}, "q", "leave", "Choosing", line=(7, "q", "quit"),
               any_rows=True),
    TreeAction({"question_mark,f1": "help"}),
)  # fmt: skip
"""In the order of the help."""

KEY_LINE: Final = tuple(
    (keys, name) for _, keys, name in sorted(action.line for action in ACTIONS if action.line)
)
HELP: Final = tuple(
    HelpGroup(
        group,
        tuple((each.keys, each.help) for each in ACTIONS if each.keys and each.group == group),
    )
    for group in ("Moving", "Choosing")
)
ANY_ROWS: Final = frozenset(
    key for action in ACTIONS if action.any_rows for keys in action.calls for key in keys.split(",")
)
"""Keys that do not wait for the rows that are read."""

LEGEND: Final = (
    LegendEntry(((CHOSEN, "good"),), "done: marked, rated, commented; a sentence: all it cites"),
    LegendEntry(((OPEN, "accent"),), "something is left to do"),
    LegendEntry(((f"{OPENS_MORE} ", "key"), (UNFOLDED, "key")), "more below it: folded, unfolded"),
    LegendEntry((("3/12", "text"),), "done, and how many there are"),
)


class CollectionScreen(Screen[SampleKey | str | None]):
    """Dismisses with a sample to open; `queue` or `quit`; or None, which goes back.

    Args:
        current: the sample that is open; its row has the focus, and its kind is the first mode.
    """

    DEFAULT_CSS = "CollectionScreen { layout: vertical; }"
    AUTO_FOCUS: ClassVar[str | None] = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(keys, call, action.help, show=False)
        for action in ACTIONS
        for keys, call in action.calls.items()
    ]

    def __init__(self, annotate: AnnotationService, person: str, current: Sample) -> None:
        super().__init__()
        self._annotate, self._person, self._current = annotate, person, current
        self._kind = current.kind
        self._trees = {mode: CollectionTree() for mode in MODES}
        self._modes: tuple[SampleKind, ...] = ()
        self._rows: tuple[TreeRow, ...] = ()
        self._list = TreeRows()
        self.reading = True  # rows are on their way
        self._seeking = False  # it is looked for where `J` leads
        for mode, tree in self._trees.items():
            length = 3 if mode is current.kind and mode is not SampleKind.REPORT else 2
            tree.focused = tree_rows.path_of(current.meta, current.id, current.group)[:length]
            tree.unfolded = {tree.focused[:at] for at in range(1, len(tree.focused))}

    def compose(self) -> ComposeResult:
        """Title, rows, what is focused, modes, keys."""
        yield PaneTitle()
        yield self._list
        yield DraftLine()
        yield LabelBar()
        yield KeyLine()

    def on_mount(self) -> None:
        """Read the topics, and the rows above the sample that is open."""
        self.query_one(KeyLine).show(KEY_LINE)
        self.reading = False
        self._show()
        self._read()

    def holds(self, event: KeyOrPaste) -> bool:
        """Whether a key waits: for the rows that it is for, or for where the one before leads."""
        any_rows = isinstance(event, events.Key) and event.key in ANY_ROWS
        return self._seeking or (self.reading and not any_rows)

    @property
    def _tree(self) -> CollectionTree:
        return self._trees[self._kind]

    @property
    def _is_closed(self) -> bool:
        """Whether the screen was closed while rows were read."""
        return self not in self.app.screen_stack

    # reading

    def _read(self) -> None:
        """Reads what is wanted and was not read, one after the other."""
        if self.reading:
            return
        path = () if () not in self._tree.below else self._tree.unread()
        if path is not None:
            self.reading = True
            self._run_in_thread(partial(self._read_below, self._kind, path))

    @work(thread=True)
    def _run_in_thread(self, read: Callable[[], Callable[[], None]]) -> None:
        """Call in a thread, then call what it returned in the screen's own."""
        done: Callable[[], None] = partial(self._show_error, None)
        try:
            done = read()
        except TuiAnnotateError as error:
            done = partial(self._show_error, error)
        finally:
            self.app.call_from_thread(done)

    def _read_below(self, kind: SampleKind, path: Path) -> Callable[[], None]:
        """In a thread."""
        annotate, who, dataset = self._annotate, self._person, self._current.dataset
        self._modes = self._modes or annotate.items.modes(dataset)
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
            hint = f"; {error.hint}" if error.hint else ""
            self.query_one(DraftLine).show(f"{error.message}{hint}", kind="error")

    # showing

    def _show(self) -> None:
        """All rows anew, the focused one where it was."""
        tree = self._tree
        self._rows = tree.rows()
        rows = enumerate(self._rows)  # the focused row, else the nearest one above it that is shown
        focused = max(
            (at for at, row in rows if row.path == tree.focused[: len(row.path)]), default=0
        )
        signs = [self._fold_sign(row) for row in self._rows]
        empty = "no such item here for you" if () in tree.below else "reading…"
        self._list.show(self._rows, signs, focused=focused, empty=empty)
        self._show_status()

    def _fold_sign(self, row: TreeRow) -> str:
        if not self._has_rows_below(row):
            return " "
        return UNFOLDED if row.path in self._tree.unfolded else OPENS_MORE

    def _has_rows_below(self, row: TreeRow) -> bool:
        return tree_rows.has_rows_below(row, reports=self._kind is SampleKind.REPORT)

    def _show_status(self) -> None:
        """Title, modes, and the focused row in full."""
        topics = self._tree.below.get((), ())
        done, total = sum(row.done for row in topics), sum(row.total for row in topics)
        title = self.query_one(PaneTitle)
        what = f"{done}/{total} {COUNTED[self._kind]}" if topics else ""
        title.show(f"COLLECTION {self._current.dataset}", [what], focused=True)
        options = [
            (str(at), NAMES[mode], False, mode is self._kind, -1)
            for at, mode in enumerate(MODES, 1)
            if mode in self._modes
        ]
        self.query_one(LabelBar).show(options)
        row = self._focused
        words = " · ".join(filter(None, [*row.path, describe_counts(row), row.text])) if row else ""
        self.query_one(DraftLine).show(words, kind="hint")

    @property
    def _focused(self) -> TreeRow | None:
        at = self._list.focused_row
        return self._rows[at] if 0 <= at < len(self._rows) else None

    # keys

    def action_move(self, step: int) -> None:
        """Up and Down."""
        if self._rows:
            self._list.focus_row(self._list.focused_row + step)
            self._tree.focused = self._rows[self._list.focused_row].path
            self._show_status()

    def action_turn(self, pages: int) -> None:
        """A page, with one row of it kept."""
        self.action_move(pages * max(self._list.window.height - 1, 1))

    def action_edge(self, edge: int) -> None:
        """Home and End."""
        self.action_move(edge * len(self._rows))

    def action_unfold(self) -> None:
        """Right: shows what is below a row; once it is shown, goes there."""
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
        if key := tree_rows.sample_to_open(row):
            self.dismiss(key)
        elif row.path in self._tree.unfolded:
            self.action_fold()
        else:
            self.action_unfold()

    @on(TreeRows.Clicked)
    def _on_row_clicked(self, message: TreeRows.Clicked) -> None:
        message.stop()
        self.action_move(message.index - self._list.focused_row)
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
        self._seeking = True
        args = self._person, self._kind, self._current.key
        self._run_in_thread(
            lambda: partial(self._open_found, self._annotate.next_incomplete(*args))
        )

    def _open_found(self, key: SampleKey | None) -> None:
        self._seeking = False
        if self._is_closed:
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
