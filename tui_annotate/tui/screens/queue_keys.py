"""What the keys of the queue are, for its bar, its line of keys and its help."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from textual.binding import Binding

from tui_annotate.domain.assignments import State
from tui_annotate.tui.dialogs.help import STATES, HelpGroup, Mark
from tui_annotate.tui.glance_cells import BARS
from tui_annotate.tui.palette import STATE_GLYPHS
from tui_annotate.tui.widgets.queue_rows import Group, QueueEntry, in_full

FILTERS: tuple[tuple[str, frozenset[State]], ...] = (
    ("all", frozenset()),
    ("open", frozenset({State.NEW, State.DRAFT, State.REOPENED})),
    *((f"{state.value} {STATE_GLYPHS[state]}", frozenset({state})) for state in State),
)
"""What the digits 1, 2, ... of the queue show; no states means all."""

BINDINGS: tuple[Binding, ...] = (
    Binding("down,j", "move(1)", "next", show=False),
    Binding("up,k", "move(-1)", "previous", show=False),
    Binding("pagedown,space,ctrl+d", "turn(1)", "page down", show=False),
    Binding("pageup,ctrl+u", "turn(-1)", "page up", show=False),
    Binding("home", "edge(-1)", "first", show=False),
    Binding("end", "edge(1)", "last", show=False),
    Binding("enter", "open", "open", show=False),
    Binding("slash", "search", "search", show=False),
    Binding("f", "next_filter", "next filter", show=False),
    *(
        Binding(str(digit), f"filter({digit - 1})", name, show=False)
        for digit, (name, _) in enumerate(FILTERS, 1)
    ),
    Binding("o", "order", "another order", show=False),
    Binding("s", "rivals", "the rivals of its group", show=False),
    Binding("g,G", "jump", "go to an id", show=False),
    Binding("question_mark", "help", "keys", show=False),
    Binding("q", "close", "back", show=False),
    Binding("backspace", "unsearch", "take the search off", show=False),
    Binding("escape", "back", "take the search off, or go back", show=False),
)
"""What each key does."""

KEYS: tuple[tuple[str, str], ...] = (
    ("↑↓", "move"),
    ("Enter", "open"),
    ("/", "search"),
    ("f", "filter"),
    ("g", "go to id"),
)
"""For the line of keys, the most useful first."""


ORDERED: tuple[tuple[str, str], ...] = (
    ("Enter", "open"),
    ("/", "search"),
    ("f", "filter"),
    ("o", "order"),
    ("s", "rivals"),
)
"""In their place where machines may say something of the samples."""


def help_of(*choosing: tuple[str, str]) -> tuple[HelpGroup, ...]:
    """The keys of a list of samples; `choosing`: those that choose what it shows, in words."""
    moving = (
        ("↑ ↓ k j", "one sample", ""),
        ("PgUp PgDn Space", "one page", ""),
        ("Home End", "first and last", ""),
        ("Enter", "open the sample", ""),
        ("g", "go to an id and open it", ""),
    )
    leaving = (
        ("/", "search ids and summaries; Enter keeps the search, Esc takes it off", ""),
        ("Esc", "back to the sample that is open", ""),
        ("q", "leave", ""),
    )
    own = tuple((keys, words, "") for keys, words in choosing)
    return HelpGroup("Moving", moving), HelpGroup("Choosing", (*own, *leaving))


MACHINES = HelpGroup(
    "Machines",
    (
        ("o", "another order: as they came, or by a score", ""),
        ("s", "the rival texts of the sample's group, one below the other", ""),
    ),
)
"""The keys of a list of which machines may say something."""

SAID: tuple[Mark, ...] = (
    Mark(((BARS, "accent"),), "scores: a full bar is well supported"),
    Mark((("r w u", "asleep"),), "a machine's label: right, wrong, undecided"),
)
"""What such a list draws beside its samples."""

HELP: tuple[HelpGroup, ...] = help_of(
    (f"1-{len(FILTERS)}", "show samples of one state"), ("f", "the next state")
)


@dataclass(frozen=True, slots=True)
class Listing:
    """What a list of samples is of.

    Attributes:
        filters: what the digits show: a name, and the states; no states means all.
        counted: a word for those in the states `of`, which are counted once.
        told: a row in words.
        group: the column of groups, on a wide screen.
    """

    title: str = "QUEUE"
    filters: tuple[tuple[str, frozenset[State]], ...] = FILTERS
    counted: str = "finished"
    of: frozenset[State] = frozenset(state for state in State if state.finished)
    told: Callable[[QueueEntry], str] = in_full
    group: Group = field(default_factory=Group)
    help: tuple[HelpGroup, ...] = HELP
    legend: tuple[Mark, ...] = STATES


QUEUE = Listing()
"""That of annotators."""
