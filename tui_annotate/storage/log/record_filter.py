"""Selects annotations and assignments by person, label, origin, state and time."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    FromClause,
    and_,
    exists,
    literal_column,
    not_,
    select,
    true,
)

from tui_annotate.domain.annotations import ADJUDICATED, REJECTED, Annotation, annotation_from_json
from tui_annotate.domain.assignment_rules import AssignmentCause
from tui_annotate.domain.labels import JOINER
from tui_annotate.domain.people import SETTLED, Person, PersonKind
from tui_annotate.domain.records import OwnedAnnotation, RecordFilter
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.columns import (
    ALLOTMENTS,
    ANNOTATIONS,
    ASSIGNMENTS,
    DATASETS,
    HANDOUTS,
    SAMPLES,
)
from tui_annotate.storage.people.store import Merge, find_owner, read_merges
from tui_annotate.storage.second_readings import hidden_first_reading

_STANDING: Final = (
    select(
        ANNOTATIONS.c.person,
        ANNOTATIONS.c.payload,
        ASSIGNMENTS.c.state,
        DATASETS.c.name,
        SAMPLES.c.external,
    )
    .select_from(ANNOTATIONS)
    .join(SAMPLES, SAMPLES.c.id == ANNOTATIONS.c.sample_id)
    .join(DATASETS, DATASETS.c.id == SAMPLES.c.dataset_id)
    .join(
        ASSIGNMENTS,
        (ASSIGNMENTS.c.sample_id == ANNOTATIONS.c.sample_id)
        & (ASSIGNMENTS.c.person == ANNOTATIONS.c.person),
    )
    .order_by(ANNOTATIONS.c.sample_id, ANNOTATIONS.c.person, ANNOTATIONS.c.id)
    .execution_options(yield_per=500)
)


class RecordQuery:
    """A filter prepared for queries; it decides which annotations and assignments match.

    Annotations that adjudication rejected match only if the filter asks for their origin. A filter
    for adjudicated annotations also matches adjudicated samples without annotations; a filter for
    another origin, such as `human`, matches no adjudication. A merged person means the owner of the
    work.
    """

    def __init__(
        self,
        filters: RecordFilter,
        people: Mapping[str, Person],
        *,
        merges: Mapping[str, Merge],
        seen: Collection[str] | None = None,
    ) -> None:
        self._filters = filters
        # To an annotator, gold checks must look like all other work.
        self._hides_gold = seen is None and not filters.gold
        self._hides_first_readings = seen is not None
        self._label = tuple(filters.label.split(JOINER)) if filters.label else ()
        wanted = filters.person
        self.people = seen
        if wanted:
            found = [each for each in people.values() if wanted in (each.id, each.name)]
            own = {each.id for each in found if each.kind is not PersonKind.MERGED}
            named = own or {find_owner(merges, each.id) for each in found}
            self.people = named if seen is None else named & set(seen)
        self._settled = filters.origin in (ADJUDICATED, REJECTED)
        self.by_annotation = bool(self._label) or filters.origin not in ("", ADJUDICATED)
        self.narrow = bool(
            self.by_annotation or filters.origin or wanted or filters.state or filters.since
        )

    def annotation(self, annotation: Annotation) -> bool:
        """Return whether an annotation matches by origin, label and time; its person is ignored."""
        wanted = self._filters.origin
        origin = annotation.origin
        if not wanted and origin == REJECTED:
            return False
        if wanted and wanted not in (origin, origin.partition(":")[0]):
            return False
        label = self._label
        if label and not any(path[: len(label)] == label for path in annotation.labels):
            return False
        return annotation.updated >= self._filters.since

    def condition(self, table: FromClause) -> ColumnElement[bool]:
        """Return an SQL condition that selects rows of a table by person, as a filter specifies.

        Practice work and accuracy checks are excluded unless the filter includes them, or the
        reader sees only their own work.
        """
        mine = true() if self.people is None else table.c.person.in_(self.people)
        assigned = exists().where(
            ALLOTMENTS.c.person == table.c.person, ALLOTMENTS.c.sample_id == table.c.sample_id
        )
        kept: list[ColumnElement[bool]] = [mine]
        if not self._filters.practice:
            kept.append(not_(assigned.where(ALLOTMENTS.c.practice)))
        if self._hides_first_readings:
            kept.append(not_(literal_column(hidden_first_reading(str(table)))))
        if self._hides_gold:
            gold = HANDOUTS.c.kind == AssignmentCause.GOLD.value
            kept.append(not_(assigned.where(HANDOUTS.c.id == ALLOTMENTS.c.handout, gold)))
        return and_(*kept)

    def assignment(self, person: str, state: str, updated: str) -> bool:
        """Return whether the state of a person's work on a sample matches a filter."""
        fits = self.state(state) and updated >= self._filters.since
        is_adjudication = person == SETTLED
        return fits and (not self._filters.origin or is_adjudication == self._settled)

    def state(self, state: str) -> bool:
        """Return whether a stored state of an assignment matches."""
        return not self._filters.state or self._filters.state == state


def stream_annotations(
    connection: Connection,
    filters: RecordFilter,
    people: Mapping[str, Person],
    *,
    seen: Collection[str] | None = None,
) -> Iterator[OwnedAnnotation]:
    """Yield the annotations that match a filter, of the people with ids in `seen`, or of all."""
    record_query = RecordQuery(filters, people, merges=read_merges(connection), seen=seen)
    query = _STANDING
    if filters.dataset:
        query = query.where(DATASETS.c.name == filters.dataset)
    if filters.sample:
        query = query.where(SAMPLES.c.external == filters.sample)
    for person, payload, state, *key in connection.execute(
        query.where(record_query.condition(ANNOTATIONS))
    ):
        if record_query.state(state):
            annotation = annotation_from_json(json.loads(payload))
            if record_query.annotation(annotation):
                yield OwnedAnnotation(person, annotation, sample=SampleKey(*key))
