"""How a deed is done: new content under the rules in force, written as one action."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from tui_annotate.domain.annotations import Annotation, well_made
from tui_annotate.domain.beside import check_beside
from tui_annotate.domain.errors import Conflict
from tui_annotate.domain.labels import LabelTree
from tui_annotate.domain.offers import Offer, traced
from tui_annotate.domain.samples import SampleKey
from tui_annotate.services.annotate.collection import Collection
from tui_annotate.services.annotate.cutting import cut
from tui_annotate.services.annotate.desk import Saved
from tui_annotate.storage.clock import utc_now
from tui_annotate.storage.codec import storable
from tui_annotate.storage.guidance.store import Guidance
from tui_annotate.storage.work.ledger import Ledger, Prepare, new_id
from tui_annotate.storage.work.log import Log, Stream


@dataclass(frozen=True)
class Making(Collection):
    """What the deeds of annotators share.

    Attributes:
        clock: gives this moment, ISO 8601.
        new_id: gives a new id for an event.
    """

    clock: Callable[[], str] = utc_now
    new_id: Callable[[], str] = new_id

    @cached_property
    def _ledger(self) -> Ledger:
        return Ledger(self.store, self.guidance, self.clock, self.new_id)

    def _do(
        self, person: str, key: SampleKey, prepare: Prepare, *, seconds: float, about: str = ""
    ) -> Saved:
        return Saved.of(self._ledger.do(person, key, prepare, seconds=seconds, about=about))

    def _seen(self, key: SampleKey, label_set: str) -> LabelTree:
        """The label set in force, which is the one that somebody saw, but for its colours."""
        labels = self.labels(key.dataset)
        if label_set and not self._labels.same(label_set, labels):
            raise Conflict(
                "the labels changed since this sample was opened",
                "look at it under the labels as they are now, and do it again",
            )
        return labels

    def _parts(
        self, annotation: Annotation, stream: Stream, label_set: str, *, offer: Offer | None
    ) -> list[Annotation]:
        """New content under the rules in force, whose versions it carries; one or several.

        Args:
            label_set: the version that this person saw.
        """
        key = stream.key
        labels, sample = self._seen(key, label_set), self.corpus.sample(key).sample
        guidelines = self.guidance.version(Guidance.GUIDELINES, dataset=key.dataset)
        former = next((known for known in stream.annotations if known.id == annotation.id), None)
        storable(annotation.note, "note")
        found = []
        for part in cut(well_made(annotation, sample), sample, stream.annotations):
            made = traced(part, sample, offer=offer, former=former)
            labels.check(made, held=former.labels if former else ())
            check_beside(made, stream.annotations, labels)
            found.append(replace(made, label_set=labels.version, guidelines=guidelines))
        return found

    def _numbered(self, log: Log, made: Sequence[Annotation]) -> list[Annotation]:
        """Annotations as new ones of this moment."""
        now = self.clock()
        return [
            replace(one, version=1, number=number, created=now, updated=now)
            for one, number in zip(made, log.numbers([0] * len(made)), strict=True)
        ]
