"""Looking at samples, the queue and one's own former work; of others nobody sees anything here."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import NotFound
from tui_annotate.domain.items import scale
from tui_annotate.domain.labels import LabelTree
from tui_annotate.domain.orders import BY_SOURCE
from tui_annotate.domain.people import Person
from tui_annotate.domain.practising import Feedback, feedback
from tui_annotate.domain.relabelling import Renames
from tui_annotate.domain.samples import Sample, SampleKey, Side
from tui_annotate.domain.siblings import Sibling
from tui_annotate.domain.spans import Span
from tui_annotate.domain.visible import visible
from tui_annotate.services.annotate.desk import Desk
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.guidance.label_sets import LabelSets
from tui_annotate.storage.guidance.store import Guidance, GuidanceStore
from tui_annotate.storage.items import ItemStore
from tui_annotate.storage.people.store import PeopleStore
from tui_annotate.storage.queue import QueuePage, QueueStore
from tui_annotate.storage.work.store import AnnotationStore

MOST_SIBLINGS: Final = 40
"""Samples of a group that are looked at side by side."""


@dataclass(frozen=True)
class Looking:
    """What annotators see and what is remembered of them; writes nothing to the log.

    Attributes:
        ratings: the words of the workspace that samples are rated with; empty where it names none.
    """

    corpus: CorpusStore
    store: AnnotationStore
    people: PeopleStore
    line: QueueStore
    guidance: GuidanceStore
    items: ItemStore
    ratings: tuple[str, ...] = ()

    def open(self, person: str, key: SampleKey, *, order: str = BY_SOURCE) -> Desk:
        """A sample with all that the screen shows of it. Writes nothing.

        Raises:
            NotFound: there is no such sample.
            InvalidInput: there is no such order.
        """
        stored = self.corpus.sample(key)
        stream = self.store.stream(person, key)
        standing = self.line.standing(person, key, order=order)
        guidelines = self.guidance.version(Guidance.GUIDELINES, dataset=key.dataset)
        return Desk(
            stored.sample,
            stored.segments,
            stream.annotations,
            stream.assignment,
            self.people.place(person, key),
            standing.position,
            standing.total,
            standing.finished,
            self.labels(key.dataset),
            self.guidance.text(Guidance.GUIDELINES, guidelines) if guidelines else "",
            standing.practice,
            scale(stored.sample.kind, self.ratings),
            self.store.suggested(person, key),
        )

    def moment(self) -> int:
        """A number that is another once anything was committed since, by whomever.

        As long as it is the same, whatever was read here stands. It costs next to nothing.
        """
        return self.store.moment()

    def labels(self, dataset: str = "") -> LabelTree:
        """The label set in force in a dataset; the workspace's where it has none of its own.

        Raises:
            NotFound: the workspace has no label set.
        """
        return self._labels.in_force(dataset)

    def became(self, dataset: str, version: str) -> Renames:
        """What labels of a former version are called now in a dataset, where that is otherwise."""
        with self.store.reading() as log:
            return log.became(dataset, version)

    @cached_property
    def _labels(self) -> LabelSets:
        return LabelSets(self.guidance)

    def start(self, person: str, *, order: str = BY_SOURCE, sample: str = "") -> SampleKey | None:
        """Where to begin: the sample that is named, else where this person was.

        Where that is finished, or not theirs any more, it is the next one that is not finished;
        with all finished, where they were, or the first.

        Args:
            sample: an id, or dataset/id; a dataset with a stroke alone means their first of it.

        Returns:
            None where there is nothing at all for them.

        Raises:
            NotFound: `sample` names none, or more than one, or a dataset without any of theirs.
        """
        if sample.endswith("/"):
            return self._first_of(person, sample[:-1], order=order)
        if sample:
            return self.corpus.find(sample)
        last = self.people.last_place(person)
        if last and not self.line.holds(person, last, order=order):
            last = None
        if last and not self.store.stream(person, last).assignment.state.finished:
            return last
        following = self.line.next_unfinished(person, last, order=order)
        return following or last or self.line.first(person, order=order)

    def _first_of(self, person: str, dataset: str, *, order: str) -> SampleKey:
        for key in self.corpus.keys(dataset):
            if self.line.holds(person, key, order=order):
                return key
        raise NotFound(
            f"no sample of {visible(dataset)!r} is yours", "ask whoever hands the samples out"
        )

    def feedback(self, person: str, key: SampleKey) -> Feedback | None:
        """A sample that somebody did for practice beside what is right; None for all others."""
        right = self.store.gold(person, key)
        if right is None:
            return None
        work = self.store.stream(person, key)
        return feedback(work.annotations, right, rated=work.assignment.rating)

    def open_again(self, person: Person) -> int:
        """How many samples somebody is still to read a second time."""
        return self.line.open_again(person)

    def next_unfinished(
        self, person: str, after: SampleKey | None, *, order: str = BY_SOURCE
    ) -> SampleKey | None:
        """The next sample that this person has not finished; goes on from the top at the end.

        Returns:
            None when all are finished; `after` itself when it alone is not.
        """
        return self.line.next_unfinished(person, after, order=order)

    def neighbour(
        self, person: str, key: SampleKey, step: int, *, order: str = BY_SOURCE
    ) -> SampleKey | None:
        """The sample `step` places further on, back where negative; None behind the ends."""
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
        """Rows of the queue; `search` looks in id, group, dataset and the summary's start."""
        return self.line.page(
            person, order=order, search=search, states=states, offset=offset, limit=limit
        )

    def siblings(
        self, person: str, key: SampleKey, *, order: str = BY_SOURCE
    ) -> tuple[Sibling, ...]:
        """The samples of a sample's group that are in this person's line, as they came.

        Returns:
            None of them where the sample belongs to no group; else it is one of them. No more than
            `MOST_SIBLINGS`.
        """
        rows = self.line.siblings(person, key, order=order)[:MOST_SIBLINGS]
        found = []
        for row in rows:
            documents = self.corpus.sample(row.key).sample.side(Side.SUMMARY)
            text = "\n".join(document.text for document in documents)
            found.append(Sibling(row.key, row.state, row.annotations, text))
        return tuple(found)

    def find(self, text: str) -> SampleKey:
        """The sample that is meant: an id, dataset/id, or the start of one id alone.

        Raises:
            NotFound: none, or several; the hint names some.
        """
        return self.corpus.find(text.strip())

    def past_notes(self, person: str, *, limit: int = 200) -> tuple[str, ...]:
        """A person's own notes, once each: the most frequent first, then the most recent."""
        return self.store.past_notes(person, limit=limit)

    def former_evidence(self, person: str, sample: Sample) -> dict[str, tuple[Span, ...]]:
        """Where this person took evidence in the sample's sources while they were at other samples.

        Returns:
            By the document's hash, spans in order; documents without any are absent.
        """
        names = {document.sha256 for document in sample.side(Side.SOURCE)}
        return self.store.former_evidence(person, names, outside=sample.key)

    # remembering -------------------------------------------------------------------------------

    def keep_place(self, person: str, key: SampleKey, place: Mapping[str, Any]) -> None:
        """Remembers where a person is in a sample; JSON values that the screen understands."""
        self.people.keep_place(person, key, place)

    def preferences(self, person: str) -> dict[str, Any]:
        """What a person chose, by name."""
        return self.people.preferences(person)

    def keep_preference(self, person: str, name: str, value: Any) -> None:
        """Remembers a choice; a JSON value."""
        self.people.keep_preference(person, name, value)
