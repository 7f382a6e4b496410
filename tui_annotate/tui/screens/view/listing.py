"""The viewer's list of a file's samples, with filters for samples with and without annotations."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from tui_annotate.domain.assignments import State
from tui_annotate.domain.samples import SampleKey
from tui_annotate.editor.glyphs import STATE_GLYPHS
from tui_annotate.editor.screen_message import Plural, ScreenMessage
from tui_annotate.tui.dialogs.legend import LegendEntry
from tui_annotate.tui.screens.queue import QueueFilter, QueueListing, QueueMessage, QueueScreen
from tui_annotate.tui.widgets.queue_rows import QueueEntry

if TYPE_CHECKING:
    from tui_annotate.services.file_browser import FileBrowser

_MARKED = frozenset({State.DONE})
_BARE = frozenset({State.NEW})
"""States by which the viewer filters samples: with annotations, and without."""


class ListingMessage(ScreenMessage):
    """Texts of the viewer's list of samples."""

    TITLE = "SAMPLES"
    ANNOTATED = "annotated"
    ANNOTATED_BY = "annotated by {name}"
    NO_ANNOTATIONS = "no annotations"
    ANNOTATIONS_BY = Plural("{count:,} annotation by {people}", "{count:,} annotations by {people}")
    FILTER_HELP = "show all samples, or only samples with or without annotations"
    PEOPLE = Plural("{count:,} person", "{count:,} people")


_FILTERS: Final = (
    QueueFilter(QueueMessage.ALL),
    QueueFilter(ListingMessage.ANNOTATED, _MARKED),
    QueueFilter(ListingMessage.NO_ANNOTATIONS, _BARE),
)
_LEGEND: Final = (
    LegendEntry(((STATE_GLYPHS[State.DONE], "good"),), "sample with annotations"),
    LegendEntry(((STATE_GLYPHS[State.NEW], "accent"),), "sample without annotations"),
)


def view_list(
    browser: FileBrowser, *, position: int, current: SampleKey, person: str, name: str
) -> QueueScreen:
    """Create the list of a file's samples; `person` is whose annotations count, empty for all."""

    def page(
        search: str, states: Collection[State], *, offset: int, limit: int
    ) -> tuple[Sequence[QueueEntry], int]:
        marked = None if not states else states == _MARKED
        return browser.index.page(search, person=person, marked=marked, offset=offset, limit=limit)

    counted = ListingMessage.ANNOTATED_BY if person else ListingMessage.ANNOTATED
    listing = QueueListing(
        ListingMessage.TITLE.text(),
        _FILTERS,
        counted.text(name=name),
        _MARKED,
        describe=partial(_describe, name=name),
        filter_help=ListingMessage.FILTER_HELP.text(),
        legend=_LEGEND,
    )
    return QueueScreen(
        page,
        find=browser.index.find,
        position=position,
        current=current,
        leave=QueueMessage.QUIT,
        listing=listing,
    )


def _describe(entry: QueueEntry, *, name: str) -> str:
    count = entry.annotations
    workers = getattr(entry, "workers", 0)
    words = ListingMessage.NO_ANNOTATIONS.text()
    if count:
        people = name or ListingMessage.PEOPLE.text(count=workers)
        words = ListingMessage.ANNOTATIONS_BY.text(count=count, people=people)
    return " · ".join(part for part in (str(entry.key), words, entry.group) if part)
