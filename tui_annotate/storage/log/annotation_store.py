"""Access to annotations, assignments and other work of all people."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from sqlalchemy import case, func, select, text

from tui_annotate.domain.adjudication_history import AdjudicationHistory
from tui_annotate.domain.annotations import REJECTED, Annotation, LabelPath, annotation_from_json
from tui_annotate.domain.assignments import State
from tui_annotate.domain.checked_readings import CheckedReading
from tui_annotate.domain.event_streams import EventStream, build_stream
from tui_annotate.domain.history import (
    Change,
    Event,
    PendingEvent,
    StreamState,
    discard_action,
    new_event,
)
from tui_annotate.domain.label_changes import FormerNames
from tui_annotate.domain.people import (
    OPERATOR,
    SETTLED,
    Actor,
    Permission,
    Person,
    base_person,
    require_permission,
    visible_people,
)
from tui_annotate.domain.practice_feedback import PracticeAnswer
from tui_annotate.domain.records import OwnedAnnotation, Record, RecordFilter
from tui_annotate.domain.samples import SampleKey, SampleKind, Side
from tui_annotate.domain.spans import Span
from tui_annotate.domain.suggestions import SuggestionStatus
from tui_annotate.domain.work_statistics import PracticeResult
from tui_annotate.storage.adjudication_lock import checked_condition, list_gold_datasets
from tui_annotate.storage.assignments.escalation import Disabled, no_disabled_people
from tui_annotate.storage.assignments.gold_results import score_first_completion
from tui_annotate.storage.assignments.practice_rounds import find_ended_rounds, record_result
from tui_annotate.storage.assignments.store import find_practice_answer
from tui_annotate.storage.batches import split_batches
from tui_annotate.storage.clock import utc_now
from tui_annotate.storage.columns import ANNOTATIONS, DATASETS, EVENTS, PEOPLE, SAMPLES
from tui_annotate.storage.database import Database
from tui_annotate.storage.documents import read_segments, read_text
from tui_annotate.storage.items import KindCount, count_kinds
from tui_annotate.storage.log import record_filter
from tui_annotate.storage.log.adjudications import WorkLock, update_history
from tui_annotate.storage.log.event_log import EventLog, LogStore
from tui_annotate.storage.log.held_work import list_held_work
from tui_annotate.storage.log.repeated_readings import RepeatedReadings, read_repeated
from tui_annotate.storage.log.review_candidates import ReviewCandidate, list_candidates
from tui_annotate.storage.log.work_import import ImportCounts, WorkImport
from tui_annotate.storage.people.store import read_merges
from tui_annotate.storage.second_readings import has_open_second_reading, hidden_first_reading
from tui_annotate.storage.statements import practice_condition, seen_scope, text_list
from tui_annotate.storage.suggestions import SuggestionStore

_JOINED: Final = " … "
_CLAIMS: Final = text(
    "SELECT d.name, s.external, a.payload, u.sha256, u.text, u.boundaries"  # noqa: S608  constants
    " FROM annotations a JOIN samples s ON s.id = a.sample_id"
    " JOIN datasets d ON d.id = s.dataset_id"
    " JOIN sample_documents p ON p.sample_id = s.id AND p.side = 'summary'"
    " JOIN documents u ON u.id = p.document_id"
    f" WHERE a.person = :person AND NOT {hidden_first_reading('a')}"
    " ORDER BY a.updated DESC, a.id LIMIT :limit"
)
_LABELS_COLUMN: Final = case(
    # SQLite rejects NaN, which an imported record may have, as JSON; Python parses that payload.
    (func.json_valid(ANNOTATIONS.c.payload), func.json_extract(ANNOTATIONS.c.payload, "$.labels")),
    else_=ANNOTATIONS.c.payload,
)
_LABELS: Final = (
    select(DATASETS.c.name, PEOPLE.c.id, PEOPLE.c.name, _LABELS_COLUMN, func.count())
    .select_from(ANNOTATIONS)
    .join(SAMPLES, SAMPLES.c.id == ANNOTATIONS.c.sample_id)
    .join(DATASETS, DATASETS.c.id == SAMPLES.c.dataset_id)
    .join(PEOPLE, PEOPLE.c.id == ANNOTATIONS.c.person)
    .where(ANNOTATIONS.c.origin != REJECTED)
    .group_by(DATASETS.c.name, PEOPLE.c.id, _LABELS_COLUMN)
)
_SHOWN: Final = text(f"NOT {hidden_first_reading('annotations')}")
_UNRATED: Final = text(
    "SELECT s.kind, count(*), count(*) FILTER (WHERE w.rating = '') FROM assignments w"
    " JOIN samples s ON s.id = w.sample_id"
    " WHERE w.state = 'done' AND w.person <> :settled AND (:everybody OR w.person IN :seen)"
    " GROUP BY s.kind"
).bindparams(text_list("seen"))
_CHECKED_READINGS: Final = text(
    "SELECT d.name, s.external, w.person, s.kind, w.state, w.updated, w.annotations,"  # noqa: S608  constants
    f" {practice_condition('w')} AS practice, w.rating <> '' AS rated"
    " FROM assignments w JOIN samples s ON s.id = w.sample_id"
    " JOIN datasets d ON d.id = s.dataset_id"
    f" WHERE {checked_condition('w.person', 'w.sample_id')} AND :dataset IN ('', d.name)"
    " AND w.person <> :settled AND (:everybody OR w.person IN :seen) ORDER BY s.id, w.person"
).bindparams(text_list("seen"))
_BATCH: Final = 100
"""Maximum number of annotations and assignments that one transaction imports (about 40 ms)."""

_EVIDENCE: Final = text(
    "SELECT a.payload, (SELECT count(*) FROM sample_documents e WHERE e.sample_id = p.sample_id"  # noqa: S608
    "   AND e.side = p.side AND e.ordinal < p.ordinal)"
    " FROM documents u CROSS JOIN sample_documents p CROSS JOIN annotations a"
    " JOIN samples s ON s.id = p.sample_id JOIN datasets d ON d.id = s.dataset_id"
    " WHERE u.sha256 = :document AND p.document_id = u.id AND p.side = 'source'"
    " AND a.sample_id = p.sample_id AND a.person = :person"
    " AND NOT (d.name = :dataset AND s.external = :sample)"
    f" AND NOT {hidden_first_reading('a')}"
)
"""Query for a person's annotations on samples with a given source document.

CROSS JOIN makes SQLite join the tables in the written order, because a document belongs to few
samples, but a person has many annotations.
"""


class LabelCombination(NamedTuple):
    """Key under which annotations with the same dataset, person and labels are counted."""

    dataset: str
    person: str
    name: str
    labels: tuple[LabelPath, ...]


class AnnotationStore(LogStore):
    """The event log of all people, and the annotations and assignments derived from it.

    Raises:
        NotAllowed: every method, if the actor may not read or write the work.
        NotFound: every method with a key, if there is no such sample.
    """

    def __init__(
        self,
        database: Database,
        *,
        clock: Callable[[], str] = utc_now,
        actor: Actor = OPERATOR,
        disabled: Disabled = no_disabled_people,
    ) -> None:
        super().__init__(database, actor=actor, disabled=disabled)
        self._clock = clock

    @contextmanager
    def writing(self) -> Iterator[EventLog]:
        """Open a transaction that may append events; it has the write lock of the database."""
        with self._database.writing() as connection:
            yield EventLog(connection, self._actor, disabled=self._disabled, blind=True)

    @contextmanager
    def reading(self) -> Iterator[EventLog]:
        """Open a transaction that reads one state of the log, also while others write."""
        with self._database.reading() as connection:
            yield EventLog(connection, self._actor, blind=True)

    def require_visible(self, person: str, key: SampleKey) -> None:
        """Raise NotAllowed if a person must not see their first reading of a sample.

        It applies to all users of the program while the second reading is open.
        """
        with self.reading() as log:
            log.require_visible(person, key)

    def moment(self) -> int:
        """Return a counter that changes after each commit by any process."""
        return self._database.moment()

    def stream(self, person: str, key: SampleKey) -> EventStream:
        """Return a person's work on a sample, as its events give it."""
        with self.reading() as log:
            return log.stream(person, key)

    def state(self, person: str, key: SampleKey) -> StreamState:
        """Return a person's annotations and assignment on a sample."""
        return self.stream(person, key).state

    def events(self, person: str, key: SampleKey) -> tuple[Event, ...]:
        """Return a person's events on a sample in order."""
        with self.reading() as log:
            return tuple(log.events(person, key))

    def streams(self) -> Iterator[tuple[str, SampleKey]]:
        """Yield (person, sample) for all work in the event log, sorted, with removed samples."""
        columns = (EVENTS.c.person, EVENTS.c.dataset, EVENTS.c.sample)
        query = select(*columns).where(EVENTS.c.seq == 1).order_by(*columns)
        if (seen := visible_people(self._actor)) is not None:
            query = query.where(EVENTS.c.person.in_(seen))
        with self._database.reading() as connection:
            for person, dataset, sample in connection.execute(query):
                yield person, SampleKey(dataset, sample)

    def candidates(self) -> list[ReviewCandidate]:
        """Return the samples that are ready for review, in review, or that wait for annotators."""
        require_permission(self._actor, Permission.REVIEW)
        with self._database.reading() as connection:
            return list(list_candidates(connection))

    def kind_counts(self) -> list[KindCount]:
        """Return how many samples of each kind the visible people annotated, by dataset."""
        with self._database.reading() as connection:
            return count_kinds(connection, visible_people(self._actor))

    def practice_answer(self, person: str, key: SampleKey) -> PracticeAnswer | None:
        """Return the correct answer to a practice sample that the person completed, else None."""
        require_permission(self._actor, Permission.READ, person)
        with self._database.reading() as connection:
            work = EventLog(connection, self._actor).stream(person, key)
            # Not for a skipped sample: it can still be completed, with the answer in mind.
            done = work.assignment.state is State.DONE
            return find_practice_answer(connection, person, key) if done else None

    def end_practice(self, person: str) -> PracticeResult | None:
        """Store the result of practice if the person finished all its samples; return it.

        The score is that of the first completion of each sample: afterwards, the answer is shown.
        If the person has not passed and may try again, their work on the samples is discarded, and
        stays in the event log. None if no round of practice ended.
        """
        require_permission(self._actor, Permission.WRITE, person)
        if self._database.read_only:
            return None
        with self._database.reading() as connection:
            if not find_ended_rounds(connection, person):
                return None
        found = None
        with self._database.writing() as connection:
            log = EventLog(connection, self._actor, disabled=self._disabled)

            def score_sample(key: SampleKey) -> float:
                answer = find_practice_answer(connection, person, key)
                return score_first_completion(connection, person, key, answer=answer)

            for ended in find_ended_rounds(connection, person):
                found, again = record_result(
                    connection, person, ended, score_sample=score_sample, at=self._clock()
                )
                if again:
                    discard_work(log, person, ended.samples, at=self._clock())
        return found

    def adjudication_notice(self, person: str, key: SampleKey) -> AdjudicationNotice | None:
        """Return the adjudication of a sample, as a person who completed the sample may see it.

        It names no reviewer, and as sources only the person's own annotations. None before the
        sample is adjudicated, before the person completed the sample in each assigned reading, in a
        second reading, and in datasets with gold samples, which the outcomes would name.
        """
        require_permission(self._actor, Permission.READ, person)
        with self._database.reading() as connection:
            second = base_person(person) != person
            if second or key.dataset in list_gold_datasets(connection):
                return None
            if has_open_second_reading(connection, person, key):
                return None
            log = EventLog(connection)  # of an operator: only what the person may see is returned
            mine = log.stream(person, key)
            settled = log.stream(SETTLED, key)
        if settled.assignment.state is not State.DONE or mine.assignment.state is not State.DONE:
            return None
        own = {one.id for one in mine.annotations}
        made = tuple(_hide_others(one, own) for one in settled.annotations)
        return AdjudicationNotice(made, settled.assignment.rating, settled.assignment.comment)

    def work_lock(self, person: str, key: SampleKey) -> WorkLock:
        """Return whether a person's work on a sample is locked, or was reopened by a reviewer."""
        with self.reading() as log:
            return log.work_lock(log.stream(person, key))

    def former_label_names(self, dataset: str) -> FormerNames:
        """Return the former names of a dataset's renamed labels, with their current names."""
        with self.reading() as log:
            return log.former_label_names(dataset)

    def adjudications(self, known: AdjudicationHistory | None = None) -> AdjudicationHistory:
        """Return all adjudicated samples, with what happened to people's work afterwards.

        Annotators get only what happened to their own real work, on samples that they began;
        their calls read the whole history.

        The first call reads the log since the first adjudication. A call with the result of an
        earlier one as `known` reads only newer events, and changes and returns that result.
        """
        with self._database.reading() as connection:
            seen = visible_people(self._actor)
            if seen is not None or known is None:
                known = AdjudicationHistory()
            return update_history(connection, known, seen=seen)

    def checked_readings(self, dataset: str = "") -> list[CheckedReading]:
        """Return the readings of practice samples and of checks of accuracy, in a dataset or all.

        Annotators get only their own practice: to them, checks of accuracy look like other work.
        """
        seen = visible_people(self._actor)
        scope = {**seen_scope(seen), "dataset": dataset}
        with self._database.reading() as connection:
            rows = connection.execute(_CHECKED_READINGS, scope).all()
        return [
            CheckedReading(
                SampleKey(row.name, row.external),
                row.person,
                row.kind,
                row.state,
                row.updated,
                row.annotations,
                practice=bool(row.practice),
                rated=bool(row.rated),
            )
            for row in rows
            if seen is None or row.practice
        ]

    def repeated_readings(self) -> RepeatedReadings:
        """Return all second readings that were begun; annotators get only their own."""
        with self._database.reading() as connection:
            return read_repeated(connection, seen=visible_people(self._actor))

    def held_work(self) -> dict[str, int]:
        """Return how many readings people completed elsewhere while they were held back here.

        By the id of the person, see `held_work`; annotators get only their own.
        """
        with self._database.reading() as connection:
            held = list_held_work(connection, seen=visible_people(self._actor))
            return {person: len(readings) for person, readings in held.items()}

    def former_work(self, person: str, key: SampleKey, *, before: int) -> EventStream:
        """Return a person's work on a sample as it was at an earlier time.

        Labels that were renamed since have their current names.

        Args:
            before: number of the first event that does not count, for example
                `LaterWork.since` for the work when the sample was first adjudicated.
        """
        with self.reading() as log:
            history = list(log.events(person, key))[: before - 1]
            stream = build_stream(person, key, sample_id=0, history=history)
            if not history:
                return stream
            held = Change(stream.state.annotations)
            named = log.with_current_labels(history[-1], PendingEvent("", held, held))
            kept = {name: one for name, one in named.after.annotations.items() if one is not None}
            return replace(stream, state=replace(stream.state, annotations=kept))

    def completion_versions(
        self, person: str, key: SampleKey, *, before: int = 0
    ) -> Mapping[str, str]:
        """Return the versions of label set and guidelines under which a person completed a sample.

        The hashes have the names `labels` and `guidelines`. The result is empty if the work was
        imported, or never completed here.

        Args:
            before: number of the first event that does not count; 0 for none.
        """
        versions: Mapping[str, str] = {}
        for event in self.events(person, key)[: before - 1 if before else None]:
            if event.action.after.assignment.get("state") == State.DONE:
                versions = event.versions
        return versions

    def suggested(self, person: str, key: SampleKey) -> tuple[SuggestionStatus, ...]:
        """Return the suggestions on a sample, with a person's answers to them."""
        return SuggestionStore(self._database, actor=self._actor).of(person, key)

    def past_notes(self, person: str, *, limit: int = 200) -> tuple[str, ...]:
        """Return a person's distinct notes: the most frequent first, then the most recent."""
        require_permission(self._actor, Permission.READ, person)
        query = (
            select(ANNOTATIONS.c.note)
            .where(ANNOTATIONS.c.person == person, ANNOTATIONS.c.note != "", _SHOWN)
            .group_by(ANNOTATIONS.c.note)
            .order_by(func.count().desc(), func.max(ANNOTATIONS.c.updated).desc())
            .limit(limit)
        )
        with self._database.reading() as connection:
            return tuple(connection.execute(query).scalars())

    def former_evidence(
        self, person: str, documents: Collection[str], *, outside: SampleKey
    ) -> dict[str, tuple[Span, ...]]:
        """Return a person's distinct evidence spans by document, except in the sample `outside`."""
        require_permission(self._actor, Permission.READ, person)
        found: dict[str, set[Span]] = {}
        scope = {"person": person, "dataset": outside.dataset, "sample": outside.id}
        with self._database.reading() as connection:
            for name in documents:
                for payload, index in connection.execute(_EVIDENCE, {**scope, "document": name}):
                    for anchor in annotation_from_json(json.loads(payload)).evidence:
                        if anchor.side is Side.SOURCE and anchor.index == index:
                            found.setdefault(name, set()).add(anchor.span)
        return {name: tuple(sorted(spans)) for name, spans in found.items()}

    def own_claims(self, person: str, *, limit: int) -> tuple[OwnClaim, ...]:
        """Return a person's annotations that have a claim, the newest first."""
        require_permission(self._actor, Permission.READ, person)
        found = []
        with self._database.reading() as connection:
            rows = connection.execute(_CLAIMS, {"person": person, "limit": limit})
            for dataset, external, payload, name, content, boundaries in rows:
                annotation = annotation_from_json(json.loads(payload))
                if annotation.claim:
                    whole = read_text(connection, content, name)
                    claim = _JOINED.join(anchor.span.of(whole) for anchor in annotation.claim)
                    segments = read_segments(connection, boundaries, name, length=len(whole))
                    starts = [segment.start for segment in segments]
                    at = max(bisect_right(starts, annotation.claim[0].span.start) - 1, 0)
                    sample = SampleKey(dataset, external)
                    found.append(OwnClaim(sample, annotation, claim, (name, at)))
        return tuple(found)

    def standing(
        self, filters: RecordFilter, people: Mapping[str, Person]
    ) -> Iterator[OwnedAnnotation]:
        """Yield the current annotations that match a filter, without the texts of their samples."""
        with self._database.reading() as connection:
            yield from record_filter.stream_annotations(
                connection, filters, people, seen=visible_people(self._actor)
            )

    def count_unrated(self) -> dict[SampleKind, tuple[int, int]]:
        """Return the numbers of completed readings, and of those without a rating, by kind.

        An annotator gets the numbers of their own readings.
        """
        scope = seen_scope(visible_people(self._actor))
        with self._database.reading() as connection:
            rows = connection.execute(_UNRATED, scope).all()
        return {SampleKind(kind): (done, unrated) for kind, done, unrated in rows}

    def labels_in_use(self) -> dict[tuple[str, LabelPath], int]:
        """Return the number of annotations with each label, by dataset and label path, sorted."""
        found: Counter[tuple[str, LabelPath]] = Counter()
        for each, count in self.labellings().items():
            for path in each.labels:
                found[each.dataset, path] += count
        return dict(sorted(found.items()))

    def labellings(self, datasets: Collection[str] | None = None) -> Counter[LabelCombination]:
        """Count the annotations by label combination, in the given datasets or in all (None)."""
        found: Counter[LabelCombination] = Counter()
        seen = visible_people(self._actor)
        query = _LABELS if seen is None else _LABELS.where(ANNOTATIONS.c.person.in_(seen))
        if datasets is not None:
            query = query.where(DATASETS.c.name.in_(datasets))
        with self._database.reading() as connection:
            for dataset, person, name, labels, count in connection.execute(query):
                value = json.loads(labels)
                paths = value if isinstance(value, list) else value["labels"]
                found[LabelCombination(dataset, person, name, tuple(map(tuple, paths)))] += count
        return found

    def import_records(self, records: Sequence[Record]) -> ImportCounts:
        """Import people, annotations and assignments; their samples must already be stored.

        A repeated import adds nothing; annotations that were removed here stay removed. A later
        import replaces state, rating and comment until a person works on the sample here; from then
        on, differing values are reported as doubts. The import runs in short transactions, each all
        or nothing.

        Raises:
            NotFound: a sample is not stored.
            NotAllowed: the actor may not manage the workspace.
        """
        require_permission(self._actor, Permission.MANAGE)
        counts = ImportCounts()
        for batch in split_batches(
            records, _BATCH, weight=lambda each: len(each.annotations) + len(each.assignments)
        ):
            with self._database.writing() as connection:
                importing = WorkImport(connection, self._clock, counts, read_merges(connection))
                for record in batch:
                    importing.take(record)
        return counts


def discard_work(log: EventLog, person: str, samples: Iterable[SampleKey], *, at: str) -> None:
    """Discard a person's work on samples, for another attempt; the event log keeps the work."""
    for key in samples:
        stream = log.stream(person, key)
        if stream.seq:
            log.append(stream, new_event(stream.name, discard_action(stream.state), at=at))


class AdjudicationNotice(NamedTuple):
    """An adjudication as its annotator may see it; `annotations` include rejected ones."""

    annotations: tuple[Annotation, ...]
    rating: str
    comment: str


def _hide_others(one: Annotation, own: Collection[str]) -> Annotation:
    if one.settled is None:
        return one
    sources = tuple(name for name in one.settled.sources if name in own)
    return replace(one, settled=replace(one.settled, by="", sources=sources))


@dataclass(frozen=True, slots=True)
class OwnClaim:
    """An annotation, its claim's text, and where it begins (hash of the text, sentence index)."""

    sample: SampleKey
    annotation: Annotation
    claim: str
    place: tuple[str, int]
