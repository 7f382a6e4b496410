"""What stands next to an item, read while the keys rest; shown only if nothing was written since.

Reading ahead writes nothing, so it is no visit; it is begun for items of a collection alone.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from tui_annotate.domain.items import JUDGED
from tui_annotate.domain.samples import SampleKey
from tui_annotate.tui.draft.state import Draft
from tui_annotate.tui.saving import Job
from tui_annotate.tui.screens.annotate.contexts import AnnotateContexts

if TYPE_CHECKING:
    from tui_annotate.services.annotate import Desk
    from tui_annotate.tui.session import Session

PAUSE: Final = 0.1  # seconds without a key until something is read ahead
STEPS: Final = (1, -1)


@dataclass(frozen=True, slots=True)
class Ahead:
    """Samples that may come next, as one person finds them at one moment of the store.

    Attributes:
        session: whose they are, in which order.
        here: the sample that they were read at.
        ways: the sample so many places further on; None behind the ends.
    """

    session: Session
    here: SampleKey
    moment: int
    ways: Mapping[int, SampleKey | None]
    desks: Mapping[SampleKey, Desk]


class AnnotateAhead(AnnotateContexts):
    """Opens what was read ahead, else what the store has.

    Attributes:
        ahead: what was read ahead last; None before the keys rested.
        walks: one goes from item to item here; reviewers go by what waits for them.
    """

    walks: ClassVar[bool] = True

    def __init__(self) -> None:
        super().__init__()
        self.ahead: Ahead | None = None
        self._touched = 0.0
        self._awaiting = False

    def arrived(self) -> None:
        """Also: what may come next is read, once the keys rest."""
        super().arrived()
        self._await_rest()

    def spend(self) -> None:
        """Also: what was done may have made what was read ahead an old one."""
        super().spend()
        self._await_rest()

    def at_hand(self, way: SampleKey | int) -> Desk | None:
        """What was read ahead and still stands, so that no thread is to be waited for.

        Args:
            way: a sample, or so many places further on.
        """
        ahead, draft = self._still(), self.draft
        if ahead is None or draft is None or ahead.here != draft.sample.key or self.saver.waiting:
            return None
        key = ahead.ways.get(way) if isinstance(way, int) else way
        return ahead.desks.get(key) if key else None

    # in the store's thread

    def _opened(self, key: SampleKey) -> Desk:
        ahead = self._still()
        return (ahead and ahead.desks.get(key)) or super()._opened(key)

    def beside(self, session: Session, key: SampleKey, step: int) -> SampleKey | None:
        """The sample so many places further on; None behind the ends."""
        ahead = self._still()
        if ahead and ahead.here == key and step in ahead.ways:
            return ahead.ways[step]
        return session.annotate.neighbour(session.person.id, key, step, order=session.order)

    def _still(self) -> Ahead | None:
        """What was read ahead, if the store is as it was then and the person is the same."""
        ahead = self.ahead
        if ahead is None or ahead.session is not self.session:
            return None
        return ahead if ahead.moment == ahead.session.annotate.moment() else None

    # reading ahead

    def next_items(self, draft: Draft) -> tuple[SampleKey, ...]:
        """What keys lead to from here, beside the next and previous sample."""
        raise NotImplementedError

    def _await_rest(self) -> None:
        self._touched = time.monotonic()
        if not self._awaiting:  # one pause for all keys of a run
            self._awaiting = True
            self._wait(PAUSE)

    def _wait(self, seconds: float) -> None:
        asyncio.get_running_loop().call_later(seconds, self.call_later, self._rested_well)

    def _rested_well(self) -> None:
        left = self._touched + PAUSE - time.monotonic()
        self._awaiting = left > 0 or self.saver.waiting > 0
        if self._awaiting:
            self._wait(left if left > 0 else PAUSE)
        elif self.draft and self.session and self.is_current:
            self._read_ahead(self.draft, self.session)

    def _read_ahead(self, draft: Draft, session: Session) -> None:
        if draft.sample.kind not in JUDGED or not self.walks:
            return
        here, keys, annotate = draft.sample.key, self.next_items(draft), session.annotate
        who, order = session.person.id, session.order

        def call() -> Ahead | None:
            moment, held = annotate.moment(), self.ahead
            if held and (held.session, held.here, held.moment) == (session, here, moment):
                return held
            ways = {step: annotate.neighbour(who, here, step, order=order) for step in STEPS}
            desks: dict[SampleKey, Desk] = {}
            for key in dict.fromkeys([*keys, *filter(None, ways.values())]):
                if self.saver.waiting > 1:
                    return None  # somebody waits for the store
                desks[key] = annotate.open(who, key, order=order)
            return Ahead(session, here, moment, ways, desks)

        def done(found: Ahead | None) -> None:
            self.ahead = found
            if found is None:
                self._await_rest()

        self.saver.send(Job(call, done, lambda _: None))
