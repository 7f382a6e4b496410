"""The queue over the annotating screen: its order, what machines say of it, rivals of a group."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from tui_annotate.domain.assignments import State
from tui_annotate.domain.glances import Glances
from tui_annotate.domain.orders import BY_SOURCE, INGESTED, ByScore, Sense, by_score
from tui_annotate.domain.samples import SampleKey
from tui_annotate.tui.draft import finishing
from tui_annotate.tui.draft.words import WARNING
from tui_annotate.tui.screens.annotate.readings import AnnotateReadings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tui_annotate.services.annotate import QueueRow
    from tui_annotate.tui.dialogs.siblings import Found
    from tui_annotate.tui.screens.queue_reading import Opinions
    from tui_annotate.tui.session import Session

_SENSES = (Sense.WORST, Sense.UNCERTAIN, Sense.BEST)  # as one would look for them


class AnnotateQueueing(AnnotateReadings):
    """From the queue to a sample and back."""

    def ask_queue(self, session: Session, what: str) -> bool:
        """Opens the queue, or the rivals of the sample; False where `what` is neither."""
        if what == "rivals":
            self._ask_rivals()
        elif what == "order":
            self._queue(session, ordering=True)
        elif what == "queue":
            self._open_queue(session)
        return what in ("rivals", "order", "queue")

    def _open_queue(self, session: Session) -> None:
        """Shows the queue."""
        self._queue(session)

    def _queue(self, session: Session, *, ordering: bool = False) -> None:
        """`ordering`: it begins with the choice of an order."""
        from tui_annotate.tui.screens.queue import QueueScreen

        self.keep_place()
        current = self.desk.sample.key if self.desk else None
        order = session.order
        screen = QueueScreen(
            self._page,
            find=session.annotate.find,
            position=self.desk.position if self.desk else 0,
            current=current,
            leave="quit",
            opinions=self._opinions(session),
        )
        self.app.push_screen(screen, lambda key: self._from_queue(key, current, order))
        if ordering:
            screen.call_later(screen.action_order)

    def _page(
        self, search: str, states: Collection[State], *, offset: int, limit: int
    ) -> tuple[Sequence[QueueRow], int]:
        """In a thread."""
        session = self.session
        if session is None:
            return (), 0
        found = session.annotate.queue(
            session.person.id,
            order=session.order,
            search=search,
            states=states,
            offset=offset,
            limit=limit,
        )
        return found.rows, found.total

    def _opinions(self, session: Session) -> Opinions | None:
        from tui_annotate.tui.screens.queue_reading import Opinions

        if session.machines is None:
            return None
        return Opinions(self._glances, self._rivals, self._orders, self._order, self._reorder)

    def _order(self) -> str:
        return self.session.order if self.session else ""

    def _reorder(self, order: str) -> None:
        if self.session:
            self.session = replace(self.session, order=order)

    def _glances(self, keys: Sequence[SampleKey]) -> Glances:
        """In a thread."""
        session = self.session
        if session is None or session.machines is None:
            return Glances()
        scored = by_score(session.order)
        return session.machines().scores.glances(keys, first=scored.score if scored else "")

    def _orders(self) -> Sequence[str]:
        """In a thread."""
        session = self.session
        if session is None or session.machines is None:
            return ()
        scores = session.machines().scores.orderable()
        scored = [str(ByScore(sense, score)) for sense in _SENSES for score in scores]
        return (BY_SOURCE, INGESTED, "random:1", *scored)

    def _rivals(self, key: SampleKey) -> Found:
        """The samples of a group that are in this person's line; in a thread."""
        session = self.session
        if session is None:
            return (), Glances()
        found = session.annotate.siblings(session.person.id, key, order=session.order)
        return found, self._glances([each.key for each in found])

    def _ask_rivals(self) -> None:
        """The rivals of the sample on screen."""
        from tui_annotate.tui.dialogs.siblings import SiblingsDialog

        if self.desk:
            current = self.desk.sample.key
            dialog = SiblingsDialog(partial(self._rivals, current), current=current)
            self.app.push_screen(dialog, partial(self._from_rivals, current))

    def _from_rivals(self, current: SampleKey, key: SampleKey | None) -> None:
        if key != current:
            self._go_to(key)

    def _from_queue(
        self, key: SampleKey | None, current: SampleKey | None, order: str = ""
    ) -> None:
        """Opens what was chosen; in another order, also what is open stands elsewhere."""
        if key is None:
            self.quit()
        elif key != current or order not in ("", self._order()):
            self._go_to(key)

    def _go_to(self, key: SampleKey | None) -> None:
        """Opens another sample, unless something is still to be saved."""
        if key is None or self.draft is None:
            return
        if problem := finishing.kept_back(self.draft):  # of a save refused while one chose
            self.tell(problem, WARNING)
        else:
            self.go(lambda: key, "")

    def quit(self) -> None:
        """Leaves the app; what was given to the store is done first."""
        raise NotImplementedError
