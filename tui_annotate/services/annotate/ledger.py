"""Writes actions to the log, each in a transaction that looks for conflicts; reverses them."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from tui_annotate.domain import deeds
from tui_annotate.domain.assignments import worked
from tui_annotate.domain.history import (
    REDO,
    UNDO,
    Action,
    Deed,
    Event,
    redo_target,
    undo_target,
)
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.version import VERSION
from tui_annotate.services.annotate.desk import Saved
from tui_annotate.storage.annotations import AnnotationStore
from tui_annotate.storage.guidance import Guidance, GuidanceStore
from tui_annotate.storage.log import Log, Stream, utc_now

Prepare = Callable[[Log, Stream], Action]
"""Looks at a stream inside the transaction, and says what is to be done, or raises."""


def new_id() -> str:
    """A new name for an event or a batch."""
    return str(uuid.uuid4())


@dataclass(frozen=True, slots=True)
class Ledger:
    """The log of one workspace, as the deeds of annotators use it.

    Attributes:
        clock: gives this moment, ISO 8601.
        new_id: gives a new id for an event.
    """

    store: AnnotationStore
    guidance: GuidanceStore
    clock: Callable[[], str] = utc_now
    new_id: Callable[[], str] = new_id

    def do(
        self, person: str, key: SampleKey, prepare: Prepare, *, seconds: float, about: str = ""
    ) -> Saved:
        """One action on one sample.

        Args:
            seconds: since the person's last action; counted up to a minute.
            about: the id of the annotation that is touched; empty for none.
        """
        with self.store.writing() as log:
            stream = log.stream(person, key)
            action = prepare(log, stream)
            after = self._write(log, stream, action, seconds=seconds)
        return _saved(after, action.verb, about=about)

    def clear(self, person: str, wanted: Callable[[SampleKey], bool]) -> int:
        """Removes a person's annotations of the wanted samples as one; says how many."""
        batch, count = self.new_id(), 0
        with self.store.writing() as log:
            for key in filter(wanted, log.annotated(person)):
                stream = log.stream(person, key)
                self._write(log, stream, deeds.clear(stream.state, batch=batch))
                count += len(stream.state.annotations)
        return count

    def undo(self, person: str) -> Saved | None:
        """Takes back the last deed that stands."""
        return self._reverse(person, UNDO, undo_target)

    def redo(self, person: str) -> Saved | None:
        """Takes back the last undo that stands, unless something was done since."""
        return self._reverse(person, REDO, redo_target)

    def _reverse(
        self, person: str, verb: str, find: Callable[[Iterable[Deed]], Deed | None]
    ) -> Saved | None:
        with self.store.writing() as log:
            target = find(log.deeds(person))
            if target is None:
                return None
            event = log.event(target.id)
            mates = log.batch(event)
            batch = self.new_id() if len(mates) > 1 else ""
            for mate in reversed(mates):
                stream = log.stream(person, SampleKey(mate.dataset, mate.sample))
                action = mate.action.inverse(mate.id, verb=verb, batch=batch)
                after = self._write(log, stream, action)
            taken_back = log.event(event.action.undoes) if verb == REDO else event
        touched = list(action.after.annotations)
        about = touched[0] if len(touched) == 1 else ""
        return replace(_saved(after, verb, about=about), undone=taken_back.action.verb)

    def _write(self, log: Log, stream: Stream, action: Action, *, seconds: float = 0.0) -> Stream:
        versions = {
            kind.value: self.guidance.version(kind, dataset=stream.key.dataset) for kind in Guidance
        }
        event = Event(
            id=self.new_id(),
            seq=0,
            person=stream.person,
            dataset=stream.key.dataset,
            sample=stream.key.id,
            action=action,
            at=self.clock(),
            seconds=worked(seconds),
            versions={name: version for name, version in versions.items() if version},
            app=VERSION,
        )
        return log.append(stream, event)


def _saved(stream: Stream, verb: str, *, about: str = "") -> Saved:
    annotations = stream.annotations
    touched = next((known for known in annotations if known.id == about), None)
    return Saved(stream.key, verb, touched, annotations, stream.assignment)
