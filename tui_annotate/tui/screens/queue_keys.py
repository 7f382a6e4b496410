"""What the keys of the queue are, for its bar, its line of keys and its help."""

from __future__ import annotations

from tui_annotate.domain.assignments import State
from tui_annotate.tui.dialogs.help import HelpGroup

FILTERS: tuple[tuple[str, frozenset[State]], ...] = (
    ("all", frozenset()),
    ("open", frozenset({State.NEW, State.DRAFT, State.REOPENED})),
    *((state.value, frozenset({state})) for state in State),
)
"""What the digits 1, 2, ... of the queue show; no states means all."""

KEYS: tuple[tuple[str, str], ...] = (
    ("↑↓", "move"),
    ("Enter", "open"),
    ("/", "search"),
    ("f", "filter"),
    ("g", "go to id"),
)
"""For the line of keys, the most useful first."""

HELP: tuple[HelpGroup, ...] = (
    HelpGroup(
        "Moving",
        (
            ("↑ ↓ k j", "one sample", ""),
            ("PgUp PgDn Space", "one page", ""),
            ("Home End", "first and last", ""),
            ("Enter", "open the sample", ""),
            ("g", "go to an id and open it", ""),
        ),
    ),
    HelpGroup(
        "Choosing",
        (
            (f"1-{len(FILTERS)}", "show samples of one state", ""),
            ("f", "the next state", ""),
            ("/", "search ids and summaries; Enter keeps the search, Esc takes it off", ""),
            ("q", "leave", ""),
        ),
    ),
)
