"""What the keys of a collection's tree are, for its bar, its line of keys and its help."""

from __future__ import annotations

from typing import Final

from textual.binding import Binding

from tui_annotate.domain.samples import Kind
from tui_annotate.tui.dialogs.help import HelpGroup, Mark
from tui_annotate.tui.palette import CHOSEN, OPENS_MORE
from tui_annotate.tui.screens.collection.rows import OPEN, UNFOLDED

MODES: Final = (Kind.REPORT, Kind.DOCUMENT, Kind.CITATION)
NAMES: Final = {Kind.REPORT: "reports", Kind.DOCUMENT: "documents", Kind.CITATION: "citations"}
COUNTED: Final = NAMES | {Kind.CITATION: "sentences"}
KEYS: Final = (
    ("Enter", "open"),
    ("← →", "fold"),
    ("J", "next to do"),
    ("1-3", "mode"),
    ("Tab", "queue"),
    ("Esc", "back"),
    ("q", "quit"),
)
HELP: Final = (
    HelpGroup(
        "Moving",
        (
            ("↑ ↓ k j", "one row", ""),
            ("PgUp PgDn Space", "one page", ""),
            ("Home End", "first and last", ""),
            ("→ l", "unfold; into what is unfolded", ""),
            ("← h", "fold; to the row above", ""),
            ("Enter", "unfold, or open what is there", ""),
            ("J n", "open the next that is not done", ""),
        ),
    ),
    HelpGroup(
        "Choosing",
        (
            ("1 2 3", "reports, documents, citations", ""),
            ("Tab", "the queue: all samples in a list", ""),
            ("Esc", "back to the sample that is open", ""),
            ("q", "leave", ""),
        ),
    ),
)
LEGEND: Final = (
    Mark(((CHOSEN, "good"),), "done: marked, rated, commented; a sentence: all it cites"),
    Mark(((OPEN, "accent"),), "something is left to do"),
    Mark(((f"{OPENS_MORE} ", "key"), (UNFOLDED, "key")), "more below it: folded, unfolded"),
    Mark((("3/12", "text"),), "done, and how many there are"),
)

BINDINGS: Final[tuple[Binding, ...]] = (
    Binding("down,j", "move(1)", "next", show=False),
    Binding("up,k", "move(-1)", "previous", show=False),
    Binding("pagedown,space,ctrl+d", "turn(1)", "page down", show=False),
    Binding("pageup,ctrl+u", "turn(-1)", "page up", show=False),
    Binding("home", "edge(-1)", "first", show=False),
    Binding("end", "edge(1)", "last", show=False),
    Binding("right,l", "unfold", "unfold", show=False),
    Binding("left,h", "fold", "fold", show=False),
    Binding("enter", "act", "open", show=False),
    Binding("J,n", "incomplete", "next to do", show=False),
    *(Binding(str(at), f"mode({at - 1})", NAMES[kind]) for at, kind in enumerate(MODES, 1)),
    Binding("tab", "close('queue')", "queue", show=False),
    Binding("question_mark,f1", "help", "keys", show=False),
    Binding("escape,T", "close('')", "back", show=False),
    Binding("q", "close('quit')", "leave", show=False),
)
"""What each key does."""

ANY_ROWS: Final = frozenset({"escape", "T", "q", "tab", "1", "2", "3", "J", "n"})
"""Keys that mean the same whatever rows are shown, so that none waits for them to be read."""
