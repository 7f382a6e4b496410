"""The queue of review: what waits, most conflicts first, or where people contradict a machine."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from tui_annotate.domain.assignments import State
from tui_annotate.domain.glances import Glances
from tui_annotate.domain.nouns import many
from tui_annotate.domain.orders import CONFLICTS, DISAGREE, contradicted
from tui_annotate.domain.samples import SampleKey
from tui_annotate.tui.screens.review.talks import ReviewTalks

_WAITS = 30  # cells of what waits, in the list of samples

if TYPE_CHECKING:
    from tui_annotate.services.review import Waiting
    from tui_annotate.storage.queue import QueueRow
    from tui_annotate.tui.session import Session
    from tui_annotate.workspace.machines import Machines


class ReviewQueueing(ReviewTalks):
    """From the queue to a sample and back."""

    def __init__(self, leave: Callable[[], None]) -> None:
        super().__init__(leave)
        self._review_order = self._sorted_by = CONFLICTS

    def _open_queue(self, session: Session) -> None:
        from tui_annotate.tui.screens.queue import QueueScreen
        from tui_annotate.tui.screens.queue_keys import Listing
        from tui_annotate.tui.screens.queue_reading import Opinions
        from tui_annotate.tui.widgets.queue_rows import Group

        def page(
            search: str, states: Collection[State], *, offset: int, limit: int
        ) -> tuple[Sequence[QueueRow], int]:
            self._sort()
            found = [
                row
                for row in self._review().queue(session.person.id)
                if _fits(row, search.casefold(), states)
            ]
            return [_entry(row) for row in found[offset : offset + limit]], len(found)

        current = self.desk.sample.key if self.desk else None
        opinions = None
        if session.machines is not None:
            order = lambda: self._review_order  # noqa: E731  a value that changes
            opinions = Opinions(self._said, None, self._to_choose, order, self._resort)
        screen = QueueScreen(
            page,
            find=session.annotate.find,
            current=current,
            leave="quit",
            listing=Listing("REVIEW", group=Group("what waits", _WAITS)),
            opinions=opinions,
        )
        self.app.push_screen(screen, lambda key: self._from_queue(key, current))

    def _machines(self) -> Machines | None:
        return self.session.machines() if self.session and self.session.machines else None

    def _resort(self, order: str) -> None:
        self._review_order = order

    def _sort(self) -> None:
        """In a thread: takes the order that was chosen into use, also for the walk in review."""
        order, machines = self._review_order, self._machines()
        if order != self._sorted_by and machines is not None:
            score = contradicted(order)
            self._review().sort_against(machines.scores.support(score) if score else None)
            self._sorted_by = order

    def _said(self, keys: Sequence[SampleKey]) -> Glances:
        """In a thread."""
        machines = self._machines()
        score = contradicted(self._review_order)
        return machines.scores.glances(keys, first=score) if machines else Glances()

    def _to_choose(self) -> Sequence[str]:
        """In a thread."""
        machines = self._machines()
        scores = machines.scores.orderable() if machines else ()
        return (CONFLICTS, *(f"{DISAGREE}{score}" for score in scores))


def _fits(row: Waiting, search: str, states: Collection[State]) -> bool:
    texts = (*row.key, row.group, row.summary)
    return (not states or row.state in states) and any(search in text.casefold() for text in texts)


def _entry(row: Waiting) -> QueueRow:
    """A row of the queue, with what waits in the place of the group."""
    from tui_annotate.storage.queue import QueueRow

    told = [f"{row.against:.2f} against the machine"] if row.against is not None else []
    told += [many(row.conflicts, "conflict")]
    told += [f"{row.nearly} nearly"] if row.nearly else []
    told += [many(row.annotators, "person", "people")]
    told += ["your own work"] if row.own else []
    words = ", ".join(told)
    return QueueRow(row.key, words, row.state, row.annotations, row.summary, "")
