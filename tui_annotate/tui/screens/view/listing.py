"""The viewer's list of a file's samples, with filters for samples with and without annotations."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, cast

from tui_annotate.domain.assignments import State
from tui_annotate.domain.samples import SampleKey
from tui_annotate.editor.glyphs import STATE_GLYPHS
from tui_annotate.editor.screen_message import Plural, ScreenMessage
from tui_annotate.tui.dialogs.legend import LegendEntry
from tui_annotate.tui.screens.queue import QueueFilter, QueueListing, QueueMessage, QueueScreen
from tui_annotate.tui.widgets.queue_rows import QueueEntry

if TYPE_CHECKING:
    from tui_annotate.services.file_browser import FileBrowser
    from tui_annotate.storage.corpus.file_index import IndexedSample

# The samples of a file have two states, see `IndexedSample.state`.
_ANNOTATED: Final = frozenset({State.DONE})
"""States of the filter for samples with annotations."""
_NOT_ANNOTATED: Final = frozenset({State.NEW})
"""States of the filter for samples without annotations."""


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
    QueueFilter(ListingMessage.ANNOTATED, _ANNOTATED),
    QueueFilter(ListingMessage.NO_ANNOTATIONS, _NOT_ANNOTATED),
)
_LEGEND: Final = (
    LegendEntry(((STATE_GLYPHS[State.DONE], "good"),), "sample with annotations"),
    LegendEntry(((STATE_GLYPHS[State.NEW], "accent"),), "sample without annotations"),
)


def create_list_screen(
    browser: FileBrowser, *, position: int, current: SampleKey, person: str, name: str
) -> QueueScreen:
    """Create the list of a file's samples.

    Args:
        position, current: position from 1 and key of the sample that the viewer shows.
        person: id of the annotator whose annotations are counted; empty for all annotators.
        name: display name of `person`; empty for all annotators.
    """

    def page(
        search: str, states: Collection[State], *, offset: int, limit: int
    ) -> tuple[Sequence[QueueEntry], int]:
        marked = states == _ANNOTATED if states else None
        return browser.index.page(search, person=person, marked=marked, offset=offset, limit=limit)

    counted = ListingMessage.ANNOTATED_BY if person else ListingMessage.ANNOTATED
    listing = QueueListing(
        title=ListingMessage.TITLE.text(),
        filters=_FILTERS,
        counted=counted.text(name=name),
        counted_states=_ANNOTATED,
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
    return " · ".join(
        part for part in (str(entry.key), _describe_work(entry, name=name), entry.group) if part
    )


def _describe_work(entry: QueueEntry, *, name: str) -> str:
    if not entry.annotations:
        return ListingMessage.NO_ANNOTATIONS.text()
    annotators = cast("IndexedSample", entry).annotators  # all rows are from the file's index
    people = name or ListingMessage.PEOPLE.text(count=annotators)
    return ListingMessage.ANNOTATIONS_BY.text(count=entry.annotations, people=people)
