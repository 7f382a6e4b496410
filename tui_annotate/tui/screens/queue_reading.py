"""Reads the rows of the queue in a thread: one page at a time, and the last that is wanted first.

What comes into the window meanwhile is read afterwards, so holding a key never piles up work.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from textual import on, work
from textual.screen import Screen

from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.domain.glances import Glances
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.siblings import Sibling
from tui_annotate.tui.glance_cells import GlanceCells
from tui_annotate.tui.screens.queue_keys import Listing
from tui_annotate.tui.turns import Pressed, free, is_text
from tui_annotate.tui.widgets.draft_line import DraftLine
from tui_annotate.tui.widgets.queue_rows import PAGE, QueueEntry, QueueHeads, QueueRows


class Page(Protocol):
    """Reads rows; called in a thread."""

    def __call__(
        self, search: str, states: Collection[State], *, offset: int, limit: int
    ) -> tuple[Sequence[QueueEntry], int]:
        """Up to `limit` rows from `offset` on, and how many there are in all; no states: all."""


class Asked(NamedTuple):
    """What is asked of the page reader, apart from the offset."""

    search: str
    filter: int
    focused: int
    order: str = ""


class _Read(NamedTuple):
    """A page as it was read."""

    asked: Asked
    offset: int
    rows: Sequence[QueueEntry]
    total: int
    said: Glances


@dataclass(frozen=True, slots=True)
class Opinions:
    """What machines have to do with a list; all but `order` and `reorder` are called in a thread.

    Attributes:
        glances: what they say of some samples.
        rivals: the samples of a sample's group, with what they say of these; None where nobody
            reads these side by side.
        orders: the names of the orders to choose from, that by the source first.
        order: gives the one in use.
        reorder: takes another into use.
    """

    glances: Callable[[Sequence[SampleKey]], Glances]
    rivals: Callable[[SampleKey], tuple[Sequence[Sibling], Glances]] | None
    orders: Callable[[], Sequence[str]]
    order: Callable[[], str]
    reorder: Callable[[str], None]


class QueueReading(Screen[SampleKey | None]):
    """The pages of a list, with what machines say of them, and how many are finished."""

    def __init__(
        self, page: Page, *, listing: Listing, position: int, opinions: Opinions | None
    ) -> None:
        super().__init__()
        self._page, self._listing, self._opinions = page, listing, opinions
        self._wanted = Asked("", 0, max(position - 1, 0), self.order)
        self._held: Asked | None = None
        self._awaited, self._reading = True, False
        self._total = 0
        self._progress = ""

    @property
    def order(self) -> str:
        """The order in use; empty where there is none to choose."""
        return self._opinions.order() if self._opinions else ""

    def _tell(self) -> None:
        """Title, filters, and the focused row in full."""
        raise NotImplementedError

    def holds(self, event: Pressed) -> bool:
        """Whether a key waits: it is not for rows that others come in the place of."""
        return self._awaited and not is_text(self.focused, event)

    def _read(self) -> None:
        """Reads what is wanted or missing, unless a page is on its way: then that is done first."""
        if self._reading or not self.is_mounted:
            return
        rows = self.query_one(QueueRows)
        if self._wanted != self._held:
            offset: int | None = self._wanted.focused - self._wanted.focused % PAGE
        else:
            offset = rows.missing() if self._total else None
        if offset is not None:
            self._reading = True
            self._read_page(self._wanted, offset)

    @work(thread=True)
    def _read_page(self, asked: Asked, offset: int) -> None:
        try:
            rows, total = self._page(
                asked.search, self._listing.filters[asked.filter][1], offset=offset, limit=PAGE
            )
            keys = [row.key for row in rows]
            said = self._opinions.glances(keys) if self._opinions else Glances()
        except TuiAnnotateError as error:
            self.app.call_from_thread(self._refuse, error)
        else:
            self.app.call_from_thread(self._arrived, _Read(asked, offset, rows, total, said))

    def _arrived(self, page: _Read) -> None:
        """A page came; it is dropped where something else is wanted by now."""
        self._reading = False
        listed = self.query_one(QueueRows)
        if page.asked == self._wanted == self._held and page.total == self._total:
            listed.take(page.rows, offset=page.offset)
        elif page.asked == self._wanted:
            self._held, self._total = page.asked, page.total
            self._awaited = False
            focused = page.asked.focused
            listed.restart(page.rows, offset=page.offset, total=page.total, focused=focused)
        listed.know(page.said)
        self.query_one(QueueHeads).know(GlanceCells.of(page.said))
        self._tell()
        self._read()
        free(self)

    @work(thread=True)
    def _count(self) -> None:
        try:
            finished = self._page("", self._listing.of, offset=0, limit=1)[1]
            total = self._page("", frozenset(), offset=0, limit=1)[1]
        except TuiAnnotateError as error:
            self.app.call_from_thread(self._refuse, error)
        else:
            self.app.call_from_thread(self._counted, finished, total)

    def _counted(self, finished: int, total: int) -> None:
        self._progress = f"{finished}/{total} {self._listing.counted}"
        self._tell()

    def _refuse(self, error: TuiAnnotateError) -> None:
        self._reading = self._awaited = False
        free(self)
        hint = f"; {error.hint}" if error.hint else ""
        self.query_one(DraftLine).show(f"{error.message}{hint}", kind="error")

    @on(QueueRows.Moved)
    def _moved(self) -> None:
        self._read()
