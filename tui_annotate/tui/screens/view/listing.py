"""The list of a file's samples: all, those with annotations, those without any."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from tui_annotate.domain.assignments import State
from tui_annotate.domain.nouns import many
from tui_annotate.domain.samples import SampleKey
from tui_annotate.tui.dialogs.help import Mark
from tui_annotate.tui.palette import STATE_GLYPHS
from tui_annotate.tui.screens.queue import QueueScreen
from tui_annotate.tui.screens.queue_keys import Listing, help_of
from tui_annotate.tui.widgets.queue_rows import QueueEntry

if TYPE_CHECKING:
    from tui_annotate.services.browse import Browse

_MARKED, _BARE = frozenset({State.DONE}), frozenset({State.NEW})
"""What stands for samples with annotations and without; the list knows states alone."""

_FILTERS: Final = (("all", frozenset[State]()), ("marked", _MARKED), ("nothing marked", _BARE))
_HELP: Final = help_of(
    ("1-3", "all samples, those with annotations, those without"), ("f", "the next of these")
)
_LEGEND: Final = (
    Mark(((STATE_GLYPHS[State.DONE], "good"),), "a sample with annotations"),
    Mark(((STATE_GLYPHS[State.NEW], "accent"),), "a sample without any"),
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A sample as a row of the list."""

    key: SampleKey
    group: str
    state: State
    annotations: int
    summary_start: str
    workers: int


def view_list(
    browse: Browse, *, position: int, current: SampleKey, person: str, name: str
) -> QueueScreen:
    """The list; what is marked is everybody's doing, or one person's.

    Args:
        position: the row to begin on, from 1.
        current: the sample that is open.
        person: whose annotations count; empty for everybody's.
        name: of this person.
    """

    def page(
        search: str, states: Collection[State], *, offset: int, limit: int
    ) -> tuple[Sequence[QueueEntry], int]:
        marked = None if not states else states == _MARKED
        rows, total = browse.page(search, person=person, marked=marked, offset=offset, limit=limit)
        entries = [
            Entry(
                row.key,
                row.group,
                State.DONE if row.annotations else State.NEW,
                row.annotations,
                row.summary_start,
                row.workers,
            )
            for row in rows
        ]
        return entries, total

    counted = f"marked by {name}" if person else "marked"
    told = partial(_told, name=name)
    listing = Listing("SAMPLES", _FILTERS, counted, _MARKED, told, help=_HELP, legend=_LEGEND)
    return QueueScreen(
        page,
        find=browse.find,
        position=position,
        current=current,
        leave="leave",
        listing=listing,
    )


def _told(entry: QueueEntry, *, name: str) -> str:
    count, workers = entry.annotations, getattr(entry, "workers", 0)
    who = f" by {name or many(workers, 'person', 'people')}"
    said = f"{many(count, 'annotation')}{who}" if count else "nothing marked"
    return " · ".join(part for part in (str(entry.key), said, entry.group) if part)
