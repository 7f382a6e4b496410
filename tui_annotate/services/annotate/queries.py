"""Queries of an annotator: samples, queue, collections and own past work; never others' work."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.errors import Damaged, NotReady, WorkPaused
from tui_annotate.domain.label_changes import Renames
from tui_annotate.domain.labels import LabelTree
from tui_annotate.domain.practice_feedback import PracticeFeedback, compare_with_gold
from tui_annotate.domain.queue_orders import BY_SOURCE
from tui_annotate.domain.report_collections import (
    Item,
    Sentence,
    TreeLeaf,
    list_leaves,
    rating_scale,
    report_id,
    report_sentences,
)
from tui_annotate.domain.samples import Sample, SampleKey, SampleKind, Segment, SiblingSample, Side
from tui_annotate.domain.spans import Span
from tui_annotate.domain.suggestions import SuggestionStatus
from tui_annotate.domain.terminal_text import make_visible
from tui_annotate.domain.work_statistics import PracticeResult
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.items import ItemStore
from tui_annotate.storage.labels.store import GuidanceKind, GuidanceStore, LabelSets
from tui_annotate.storage.log.adjudications import WorkLock
from tui_annotate.storage.log.annotation_store import AnnotationStore
from tui_annotate.storage.people.store import PeopleStore
from tui_annotate.storage.queue import QueuePage, QueueStore

MOST_SIBLINGS: Final = 40


_UNLOCKED: Final = WorkLock()


@dataclass(frozen=True, slots=True)
class CitationContext:
    """The sentence of a report to which a citation belongs.

    Attributes:
        report: the report; None if the dataset does not contain it.
        sentence: index of the cited sentence in `sentences`.
        citations: the citations of the sentence, in order.
    """

    report: Sample | None
    sentence: int
    sentences: tuple[Sentence, ...]
    citations: tuple[SampleKey, ...]


@dataclass(eq=False, repr=False)  # generated methods would come first in help()
class SampleQueries:
    """Reads samples, queues and own work for the annotating screen and the Python API."""

    corpus: CorpusStore
    store: AnnotationStore
    people: PeopleStore
    line: QueueStore
    guidance: GuidanceStore
    items: ItemStore
    ratings: tuple[str, ...] = ()

    def open(self, person: str, key: SampleKey, *, order: str = BY_SOURCE) -> OpenSample:
        """Load a sample with all data that the annotation screen shows; writes nothing.

        Raises:
            NotFound: the sample does not exist.
            NotAllowed: the person's second reading of the sample is open, and this is the first.
            InvalidInput: the order does not exist.
        """
        standing = self.line.queue_status(person, key, order=order)  # may have to store the order
        with self.store.snapshot():
            stored = self.corpus.sample(key)
            with self.store.reading() as log:
                log.require_visible(person, key)
                work = log.stream(person, key)
                lock = log.work_lock(work)
                suggestions = log.suggestion_statuses(person, key)
            versions = self.guidance.versions_in_use(key.dataset)
            text = ""
            if version := versions[GuidanceKind.GUIDELINES]:
                text = self.guidance.text(GuidanceKind.GUIDELINES, version)
            return OpenSample(
                sample=stored.sample,
                segments=stored.segments,
                annotations=work.annotations,
                assignment=work.assignment,
                place=self.people.place(person, key),
                position=standing.position,
                total=standing.total,
                finished=standing.finished,
                labels=self._label_sets.of(versions[GuidanceKind.LABELS]),
                guidelines=text,
                practice=standing.practice,
                scale=rating_scale(stored.sample.kind, self.ratings),
                suggestions=suggestions,
                skipped=standing.skipped,
                flagged=standing.flagged,
                lock=lock,
                locked=standing.locked,
            )

    def labels(self, dataset: str = "") -> LabelTree:
        """Return the label set in use in a dataset; by default the workspace's label set.

        Raises:
            NotFound: the workspace has no label set.
        """
        return self._label_sets.in_use(dataset)

    def label_renames(self, dataset: str, version: str) -> Renames:
        """Return the labels of a dataset that were renamed, with their new names."""
        with self.store.reading() as log:
            return log.label_renames(dataset, version)

    @cached_property
    def _label_sets(self) -> LabelSets:
        return LabelSets(self.guidance)

    def start(self, person: str, *, order: str = BY_SOURCE, sample: str = "") -> SampleKey | None:
        """Return the sample to open first: a named one, else the last, else an unfinished one.

        If all samples are finished, it is one that the annotator skipped. `sample` is an id or
        dataset/id; `dataset/` means the first sample of the dataset.

        Raises:
            NotFound: no sample matches, or several do.
            WorkPaused: the annotator's work is paused.
        """
        self.require_not_paused(person)
        self.end_practice(person)
        self.require_not_paused(person)
        if sample.endswith("/"):
            return self._first_of_dataset(person, sample[:-1], order=order)
        if sample:
            return self.corpus.find(sample)
        last = self.people.last_place(person)
        if last and not self.line.contains(person, last, order=order):
            last = None
        state = self.store.stream(person, last).assignment.state if last else State.NEW
        if last and not state.finished and not self._is_locked(person, last):
            return last
        if following := self.next_unfinished(person, last, order=order):
            return following
        if last and state is State.SKIPPED and not self._is_locked(person, last):
            return last
        skipped = self.line.next_skipped(person, last, order=order)
        return skipped or last or self.line.first(person, order=order)

    def start_past(
        self, person: str, damaged: Sequence[SampleKey], *, order: str = BY_SOURCE
    ) -> SampleKey | None:
        """Return the sample to open first if those that `start` returned cannot be read."""
        last: SampleKey | None = damaged[-1]
        if last and not self.line.contains(person, last, order=order):
            last = None
        for find in (self.next_unfinished, self.next_skipped):
            if found := find(person, last, order=order, without=damaged):
                return found
        found = self.line.first(person, order=order)
        while found and found in damaged:
            found = self.line.neighbour(person, found, 1, order=order)
        return found

    def _first_of_dataset(self, person: str, dataset: str, *, order: str) -> SampleKey:
        for key in self.corpus.keys(dataset):
            if self.line.contains(person, key, order=order):
                return key
        raise NotReady(
            f"no sample of dataset {make_visible(dataset)!r} is assigned to you",
            "ask an admin to assign samples to you",
            code="nothing-assigned",
        )

    def feedback(self, person: str, key: SampleKey) -> PracticeFeedback | None:
        """Compare a person's work on a practice sample with the correct answers."""
        right = self.store.practice_answer(person, key)
        if right is None:
            return None
        work = self.store.stream(person, key)
        sample = self.corpus.sample(key).sample
        texts = {
            (side, index): document.text
            for side in Side
            for index, document in enumerate(sample.side(side))
        }
        return compare_with_gold(work.annotations, right, rated=work.assignment.rating, texts=texts)

    def next_unfinished(
        self,
        person: str,
        after: SampleKey | None,
        *,
        order: str = BY_SOURCE,
        without: Collection[SampleKey] = (),
    ) -> SampleKey | None:
        """Return the next unfinished sample; None if all are finished, or the work is paused.

        Locked samples are passed over, and samples of `without`, such as those whose texts are
        damaged. If the annotator just finished all practice samples, this stores the result of the
        practice.
        """
        self.end_practice(person)
        passed = [*without]
        found = self.line.next_unfinished(person, after, order=order, without=passed)
        # The queue cannot distinguish work that its annotator reopened, which is locked, from
        # work that a reviewer reopened.
        while found and self._is_locked(person, found):
            passed.append(found)
            found = self.line.next_unfinished(person, after, order=order, without=passed)
        return found

    def _is_locked(self, person: str, key: SampleKey) -> bool:
        with self.store.reading() as log:
            return log.is_locked(person, key)

    def end_practice(self, person: str) -> PracticeResult | None:
        """Store and return the result of practice after its last sample; None if it goes on."""
        return self.store.end_practice(person)

    def pause(self, person: str) -> WorkPaused | None:
        """Return why the annotator's work is paused, and whom to ask; None if it is not."""
        try:
            self.require_not_paused(person)
        except WorkPaused as error:
            return error
        return None

    def require_not_paused(self, person: str) -> None:
        """Raise WorkPaused if the annotator's work is paused because of a low accuracy."""
        with self.store.reading() as log:
            log.require_not_paused(person)

    def next_skipped(
        self,
        person: str,
        after: SampleKey | None,
        *,
        order: str = BY_SOURCE,
        without: Collection[SampleKey] = (),
    ) -> SampleKey | None:
        """Return the next sample that the annotator skipped; None if there is none.

        Samples of `without` are passed over, such as those whose texts are damaged.
        """
        return self.line.next_skipped(person, after, order=order, without=without)

    def neighbour(
        self, person: str, key: SampleKey, step: int, *, order: str = BY_SOURCE
    ) -> SampleKey | None:
        """Return the sample `step` positions later in the queue, earlier if negative; or None."""
        return self.line.neighbour(person, key, step, order=order)

    def queue(
        self,
        person: str,
        *,
        order: str = BY_SOURCE,
        search: str = "",
        states: Collection[State] = (),
        offset: int = 0,
        limit: int = 200,
    ) -> QueuePage:
        """Return samples of an annotator, in order; `search` filters by id or start of summary."""
        return self.line.page(
            person, order=order, search=search, states=states, offset=offset, limit=limit
        )

    def siblings(
        self, person: str, key: SampleKey, *, order: str = BY_SOURCE
    ) -> tuple[SiblingSample, ...]:
        """Return a sample and other samples of the same source or question."""
        rows = self.line.siblings(person, key, order=order)[:MOST_SIBLINGS]
        found = []
        for row in rows:
            try:
                documents = self.corpus.sample(row.key).sample.side(Side.SUMMARY)
                text = "\n".join(document.text for document in documents)
            except Damaged:
                text = row.summary_start  # of the import; opening the sample names the damage
            found.append(SiblingSample(row.key, row.state, row.annotations, text))
        return tuple(found)

    def find(self, text: str) -> SampleKey:
        """Return the sample with a given id, dataset/id, or unique start of an id.

        Raises:
            NotFound: no sample matches, or several do; the hint names some of them.
        """
        return self.corpus.find(text.strip())

    def former_evidence(self, person: str, sample: Sample) -> dict[str, tuple[Span, ...]]:
        """Return the evidence spans that an annotator chose in other samples, by document."""
        names = {document.sha256 for document in sample.side(Side.SOURCE)}
        return self.store.former_evidence(person, names, outside=sample.key)

    def leaves(
        self, person: str, dataset: str, kind: SampleKind, *, topic: str, run: str
    ) -> tuple[TreeLeaf, ...]:
        """Return the documents on a question, or the sentences of a report on the question."""
        if kind is SampleKind.REPORT:
            return ()
        of_run = run if kind is SampleKind.CITATION else ""
        items = self.items.items(person, dataset, kind, topic=topic, run=of_run)
        return list_leaves(kind, items, run)

    def next_incomplete(
        self, person: str, kind: SampleKind, after: SampleKey | None, *, dataset: str = ""
    ) -> SampleKey | None:
        """Return the next sample of a kind that an annotator has not annotated."""
        within = after.dataset if after else dataset
        found = self.items.next_open(person, within, kind, after=after.id if after else "")
        return SampleKey(within, found) if found is not None else None

    def around(self, person: str, key: SampleKey) -> CitationContext:
        """Return the context of a citation: the report and the sentence that contain the citation.

        A report whose own texts are damaged is left out, as the citation can be annotated without.

        Raises:
            NotFound: the sample does not exist.
        """
        sample = self.corpus.sample(key).sample
        report = None
        with suppress(Damaged):
            report = self.corpus.sample_or_none(SampleKey(sample.dataset, report_id(sample.group)))
        items = self._citations_of_report(person, sample)
        index = sample.group.rpartition("|")[2]
        return CitationContext(
            report=report,
            sentence=int(index) if index.isdecimal() else 0,
            sentences=report_sentences(report) if report else (),
            citations=tuple(one.key for one in items if one.group == sample.group),
        )

    def step(self, person: str, key: SampleKey, step: int) -> SampleKey | None:
        """Return the first citation in a later or earlier sentence of the same report.

        `step` counts the sentences with citations; a negative `step` goes back.

        Raises:
            NotFound: the sample does not exist.
        """
        sample = self.corpus.sample(key).sample
        found = list_leaves(SampleKind.CITATION, self._citations_of_report(person, sample))
        at = next((at for at, leaf in enumerate(found) if key in leaf.keys), -1) + step
        return found[at].keys[0] if 0 <= at < len(found) else None

    def _citations_of_report(self, person: str, sample: Sample) -> Sequence[Item]:
        if sample.kind is not SampleKind.CITATION:
            return ()
        topic = str(sample.meta.get("topic_id", ""))
        run = report_id(sample.group).removeprefix(f"r|{topic}|")
        return self.items.items(person, sample.dataset, SampleKind.CITATION, topic=topic, run=run)


@dataclass(frozen=True, slots=True)
class OpenSample:
    """A sample with all that the annotating screen shows.

    Attributes:
        finished: number of the annotator's samples that are completed, skipped or flagged.
        locked: number of the annotator's samples that were adjudicated before the annotator
            completed them; `finished`, `skipped` and `flagged` do not include them.
        lock: whether the sample is adjudicated, so that the annotator's work cannot be changed.
    """

    sample: Sample
    segments: tuple[tuple[Segment, ...], ...]
    annotations: tuple[Annotation, ...]
    assignment: Assignment
    place: Mapping[str, Any]
    position: int
    total: int
    finished: int
    labels: LabelTree
    guidelines: str
    practice: bool = False
    scale: tuple[str, ...] = ()
    suggestions: tuple[SuggestionStatus, ...] = ()
    skipped: int = 0
    flagged: int = 0
    lock: WorkLock = _UNLOCKED
    locked: int = 0

    @property
    def completed(self) -> int:
        """Number of the annotator's completed samples."""
        return self.finished - self.skipped - self.flagged

    @property
    def possible(self) -> int:
        """Number of the annotator's samples that are completed or can be completed."""
        return self.total - self.locked
