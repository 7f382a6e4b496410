"""The list of a file's samples: all, those with annotations, those without any."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from tui_annotate.domain.assignments import State
from tui_annotate.domain.plural import format_count
from tui_annotate.domain.samples import SampleKey
from tui_annotate.tui.dialogs.legend import LegendEntry
from tui_annotate.tui.palette import STATE_GLYPHS
from tui_annotate.tui.screens.queue import QueueListing, QueueScreen, help_groups
from tui_annotate.tui.widgets.queue_rows import QueueEntry

if TYPE_CHECKING:
    from tui_annotate.services.file_browser import FileBrowser

_MARKED, _BARE = frozenset({State.DONE}), frozenset({State.NEW})
"""The states shown for samples with annotations and without; the list only knows states."""

_FILTERS: Final = (("all", frozenset[State]()), ("marked", _MARKED), ("nothing marked", _BARE))
_HELP: Final = help_groups(
    ("1-3", "all samples, those with annotations, those without"), ("f", "the next of these")
)
_LEGEND: Final = (
    LegendEntry(((STATE_GLYPHS[State.DONE], "good"),), "a sample with annotations"),
    LegendEntry(((STATE_GLYPHS[State.NEW], "accent"),), "a sample without any"),
)


def view_list(
    browser: FileBrowser, *, position: int, current: SampleKey, person: str, name: str
) -> QueueScreen:
    """The list of samples; annotations of all people count, or of one.

    Args:
        position: the row to begin on, from 1.
        person: whose annotations count, by id; empty for all people's.
        name: of this person.
    """

    def page(
        search: str, states: Collection[State], *, offset: int, limit: int
    ) -> tuple[Sequence[QueueEntry], int]:
        marked = None if not states else states == _MARKED
        return browser.index.page(search, person=person, marked=marked, offset=offset, limit=limit)

    counted = f"marked by {name}" if person else "marked"
    describe = partial(_describe, name=name)
    listing = QueueListing(
        "SAMPLES", _FILTERS, counted, _MARKED, describe, help=_HELP, legend=_LEGEND
    )
    find = browser.index.find
    return QueueScreen(
        page, find=find, position=position, current=current, leave="leave", listing=listing
    )


def _describe(entry: QueueEntry, *, name: str) -> str:
    count, workers = entry.annotations, getattr(entry, "workers", 0)
    who = f" by {name or format_count(workers, 'person', 'people')}"
    words = f"{format_count(count, 'annotation')}{who}" if count else "nothing marked"
    return " · ".join(part for part in (str(entry.key), words, entry.group) if part)
