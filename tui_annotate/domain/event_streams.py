"""One person's work on one sample as its events make it, and the result of an action on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from tui_annotate.domain.annotations import Annotation, annotation_from_json
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.history import Event, StreamState, last_action_time, replay
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.suggestions import SuggestionAnswer, answer_from_json


@dataclass(frozen=True, slots=True)
class EventStream:
    """One person's work on one sample: the current state, and the position of the next event.

    Attributes:
        sample_id: number of the sample's row in the store; 0 if the sample was removed.
        seq, head: number and hash of the last event; 0 and empty before the first.
        updated: as of `domain.history.last_action_time`; empty before the first event.
    """

    person: str
    key: SampleKey
    sample_id: int
    state: StreamState
    seq: int = 0
    head: str = ""
    updated: str = ""

    @property
    def name(self) -> tuple[str, str, str]:
        """The ids of the person, the dataset and the sample, as in `Event.stream`."""
        return self.person, self.key.dataset, self.key.id

    @property
    def annotations(self) -> tuple[Annotation, ...]:
        """Current annotations: those with a claim in reading order, then those without a claim."""
        values = map(annotation_from_json, self.state.annotations.values())
        return tuple(sorted(values, key=_reading_order_key))

    @property
    def answers(self) -> Mapping[str, SuggestionAnswer]:
        """The person's answers to suggestions, by the suggestion's id."""
        return {name: answer_from_json(each) for name, each in self.state.suggestions.items()}

    @property
    def assignment(self) -> Assignment:
        """The person's state, rating, sample comment and working time."""
        parts = self.state.assignment
        return Assignment(
            self.person,
            State(parts["state"]),
            parts["rating"],
            parts["comment"],
            self.state.seconds,
            self.updated,
        )


def build_stream(
    person: str, key: SampleKey, *, sample_id: int, history: Sequence[Event]
) -> EventStream:
    """Compute a person's work on a sample from all its events; Conflict if they do not fit."""
    if not history:
        return EventStream(person, key, sample_id, StreamState())
    return EventStream(
        person,
        key,
        sample_id,
        replay(history),
        seq=history[-1].seq,
        head=history[-1].hash,
        updated=last_action_time(history),
    )


def _reading_order_key(annotation: Annotation) -> Any:
    anchors = annotation.claim or annotation.evidence
    return not annotation.claim, anchors, annotation.number, annotation.id


@dataclass(frozen=True, slots=True)
class SaveResult:
    """A person's work on a sample after an action that is committed.

    Attributes:
        verb: type of the event that the action stored.
        annotation: the one annotation that the action added or changed; None for none or several.
        annotations: all annotations of the person, as of `EventStream.annotations`.
        answers: as of `EventStream.answers`.
        undone: verb of the action that was undone or redone; empty otherwise.
        passed: adjudicated samples with newer actions, which an undo or redo left as they are, the
            newest first.
    """

    stream: EventStream
    verb: str
    annotation: Annotation | None
    annotations: tuple[Annotation, ...]
    answers: Mapping[str, SuggestionAnswer] = field(default_factory=dict)
    undone: str = ""
    passed: tuple[SampleKey, ...] = ()

    @property
    def key(self) -> SampleKey:
        """The sample."""
        return self.stream.key

    @property
    def assignment(self) -> Assignment:
        """The person's state, rating, sample comment and working time after the action."""
        return self.stream.assignment

    @classmethod
    def of(
        cls,
        stream: EventStream,
        verb: str,
        *,
        about: str = "",
        undone: str = "",
        passed: tuple[SampleKey, ...] = (),
    ) -> Self:
        """Read the result from the stream after an action; `about` is the id of `annotation`."""
        annotations = stream.annotations
        return cls(
            stream,
            verb,
            annotation=next((each for each in annotations if each.id == about), None),
            annotations=annotations,
            answers=stream.answers,
            undone=undone,
            passed=passed,
        )
