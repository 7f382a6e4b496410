"""Looking at samples as a reviewer: side by side, without names; the queue; and what was learnt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tui_annotate.domain.annotations import REJECTED, Annotation
from tui_annotate.domain.errors import NotAllowed, NotFound
from tui_annotate.domain.items import rated_apart, scale
from tui_annotate.domain.people import (
    OPERATOR,
    Actor,
    Person,
    PersonKind,
    Verb,
    again,
    require,
)
from tui_annotate.domain.records import RecordFilter
from tui_annotate.domain.samples import SampleKey
from tui_annotate.methods.adjudication import Difference, Group, Standing, groups
from tui_annotate.methods.verdicts import supported
from tui_annotate.services.review.desk import Lesson, Outcome, ReviewDesk, Waiting
from tui_annotate.services.review.work import Work, lettered, work
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.guidance.label_sets import LabelSets
from tui_annotate.storage.guidance.store import Guidance, GuidanceStore
from tui_annotate.storage.people.store import PeopleStore
from tui_annotate.storage.work.log import Log
from tui_annotate.storage.work.reviewing import Candidate
from tui_annotate.storage.work.store import AnnotationStore

_FEW = 20
"""Samples that are read one by one; of more, all that there are, at a quarter of the time each."""

_Heads = tuple[tuple[str, str], ...]
_Standings = Counter[Standing]
_Differences = Counter[Difference]


@dataclass(frozen=True)
class Looking:
    """What reviewers see, and annotators afterwards; writes nothing to the log.

    Attributes:
        actor: who acts; what is not theirs to do is refused.
        own_allowed: reviewers may settle samples that they annotated.
        ratings: the workspace's words for samples, in their order; empty where it names none.
    """

    corpus: CorpusStore
    store: AnnotationStore
    people: PeopleStore
    guidance: GuidanceStore
    actor: Actor = OPERATOR
    own_allowed: bool = False
    ratings: tuple[str, ...] = ()

    # one sample --------------------------------------------------------------------------------

    def open(self, reviewer: str, key: SampleKey) -> ReviewDesk:
        """A sample with all that the screen shows of it. Writes nothing.

        Raises:
            NotFound: there is no such sample.
            NotAllowed: who acts is no reviewer.
        """
        self.check_reviewer(reviewer)
        stored = self.corpus.sample(key)
        with self.store.reading() as log:
            now = work(log, stored.sample)
            refused = self.refusal(log, reviewer, now)
        line, labels = self.queue(reviewer), self.label_sets.in_force(key.dataset)
        guidelines = self.guidance.version(Guidance.GUIDELINES, dataset=key.dataset)
        at = next((at for at, row in enumerate(line, 1) if row.key == key), 0)
        return ReviewDesk(
            stored.sample,
            stored.segments,
            now.layers,
            now.groups,
            now.standing,
            now.settled.assignment,
            line[at - 1].pending if at else 0,
            at,
            len(line),
            sum(row.settled for row in line),
            labels,
            self.guidance.text(Guidance.GUIDELINES, guidelines) if guidelines else "",
            refused,
            now.seen_under(labels.version),
            scale(stored.sample.kind, self.ratings),
        )

    def names(self, reviewer: str, key: SampleKey) -> dict[str, str]:
        """Whose layer is whose: by letter, the person's name."""
        self.check_reviewer(reviewer)
        with self.store.reading() as log:
            people = lettered(key, log.finished(key))
        return {letter: self.people.person(person).name for letter, person in people.items()}

    def find(self, text: str) -> SampleKey:
        """The sample that is meant: an id, dataset/id, or the start of one id alone.

        Raises:
            NotFound: none, or several; the hint names some.
        """
        return self.corpus.find(text.strip())

    # the queue ---------------------------------------------------------------------------------

    def queue(self, reviewer: str, *, dataset: str = "") -> list[Waiting]:
        """Samples of review: what waits first, of that the most conflicts, then as they came.

        After `sort_against` those come first, settled or not, where people contradict the machine
        most. A sample waits once two people are done with it, or all who were to annotate it.

        Raises:
            NotFound: there is no such dataset.
        """
        self.check_reviewer(reviewer)
        if dataset and not self.guidance.knows(dataset):
            raise NotFound(f"there is no dataset {dataset!r}", "see: tui-annotate dataset list")
        there = [one for one in self.store.candidates() if dataset in ("", one.key.dataset)]
        self._count(there)
        rows = [self._waiting(one, reviewer) for one in there]
        usual = sorted(rows, key=lambda row: (row.settled, -row.conflicts, -row.nearly))
        return sorted(usual, key=lambda row: 1.0 if row.against is None else -row.against)

    def sort_against(self, says: Mapping[SampleKey, float] | None) -> None:
        """From now on review begins where people contradict a machine most; None: as before.

        What is settled counts for what people found; else what most of those who are done say.

        Args:
            says: by sample, how well supported the machine finds it, in [0, 1].

        Raises:
            NotAllowed: who acts may not review.
        """
        require(self.actor, Verb.REVIEW)
        self._against.clear()
        for dataset in sorted({key.dataset for key in says or ()}):
            for record in self.corpus.records(RecordFilter(dataset=dataset)):
                found, said = supported(record), (says or {}).get(record.sample.key)
                if found is not None and said is not None:
                    self._against[record.sample.key] = abs(found - said)

    def next(self, reviewer: str, after: SampleKey | None = None) -> SampleKey | None:
        """The first sample of the queue that this reviewer can settle; None where there is none.

        Args:
            after: left out; it is given where it alone is left.
        """
        wanted = [row.key for row in self.queue(reviewer) if self._open_to(row)]
        others = [key for key in wanted if key != after]
        return next(iter(others or wanted), None)

    def neighbour(self, reviewer: str, key: SampleKey, step: int) -> SampleKey | None:
        """The sample `step` places further on in the queue; None behind its ends."""
        keys = [row.key for row in self.queue(reviewer)]
        at = keys.index(key) + step if key in keys else 0
        return keys[at] if 0 <= at < len(keys) else None

    def _open_to(self, row: Waiting) -> bool:
        return not row.settled and bool(row.annotators) and (self.own_allowed or not row.own)

    def _waiting(self, one: Candidate, reviewer: str) -> Waiting:
        annotations, standings, kinds, rated = self._counted[one.key][1:]
        return Waiting(
            one.key,
            one.group,
            one.summary,
            len(one.finished),
            annotations,
            len(one.pending),
            one.state,
            standings[Standing.AGREED],
            standings[Standing.NEARLY],
            standings[Standing.CONFLICT] + rated,
            tuple((kind, kinds[kind]) for kind in Difference if kinds[kind]),
            reviewer in one.workers,
            self._against.get(one.key),
        )

    def _count(self, there: Sequence[Candidate]) -> None:
        """Counts what changed since it was last counted; nothing else is read."""
        known = self._counted
        changed = [one for one in there if known.get(one.key, (None,))[0] != one.finished]
        for one, found, ratings in self._grouped(changed):
            known[one.key] = (one.finished, *_counts(found), rated_apart(ratings))

    def _grouped(
        self, wanted: Sequence[Candidate]
    ) -> Iterator[tuple[Candidate, Sequence[Group], Collection[str]]]:
        """Samples with what was said of them, and rated; many at once where they are many."""
        if len(wanted) <= _FEW:
            with self.store.reading() as log:
                for one in wanted:
                    now = work(log, self.corpus.sample(one.key).sample)
                    yield one, now.groups, now.ratings.values()
            return
        by_key = {one.key: one for one in wanted}
        for record in self.corpus.records(RecordFilter()):
            if counted := by_key.get(record.sample.key):
                said: dict[str, list[Annotation]] = {who: [] for who, _ in counted.finished}
                for owned in record.annotations:
                    if owned.person in said:
                        said[owned.person].append(owned.annotation)
                rated = {each.person: each.rating for each in record.assignments}
                yield counted, groups(record.sample, said), [rated.get(who, "") for who in said]

    @cached_property
    def _against(self) -> dict[SampleKey, float]:
        return {}

    @cached_property
    def _counted(self) -> dict[SampleKey, tuple[_Heads, int, _Standings, _Differences, bool]]:
        return {}

    # afterwards --------------------------------------------------------------------------------

    def lesson(self, person: str, key: SampleKey) -> Lesson | None:
        """How a sample was settled, for one of its annotators.

        Returns:
            None as long as it is not settled, or where they did nothing on it.

        Raises:
            NotAllowed: it is not theirs.
            NotFound: there is no such sample.
        """
        require(self.actor, Verb.READ, person)
        learnt = self.store.lesson(person, key)
        if learnt is None:
            return None
        settled, own_work = learnt.annotations, self.store.stream(person, key)
        outcomes = []
        used: set[str] = set()
        for annotation in own_work.annotations:
            mine = {annotation.id}
            of_it = [one for one in settled if one.settled and mine & set(one.settled.sources)]
            result = next((one for one in of_it if one.origin != REJECTED), None)
            refusal = next((one for one in of_it if one.origin == REJECTED), None)
            outcomes.append(Outcome(annotation, result, refusal))
            used.update(one.id for one in of_it)
        added = tuple(one for one in settled if one.origin != REJECTED and one.id not in used)
        rated = own_work.assignment.rating
        return Lesson(key, tuple(outcomes), added, rated, learnt.rating, learnt.comment)

    # how ---------------------------------------------------------------------------------------

    @cached_property
    def label_sets(self) -> LabelSets:
        """The label sets in force."""
        return LabelSets(self.guidance)

    def check_reviewer(self, reviewer: str) -> None:
        """Refuses who may not review, and who would do it in another's name.

        Raises:
            NotAllowed: one of the two.
        """
        require(self.actor, Verb.REVIEW)
        if self.actor != OPERATOR and reviewer != self.actor.person:
            raise NotAllowed("nobody reviews in another's name", "sign in as that person")

    def refusal(self, log: Log, reviewer: str, now: Work) -> str:
        """Why a reviewer can not settle a sample; empty where they can."""
        if not now.people:
            return "nobody is done with this sample yet"
        second = again(Person(reviewer, reviewer, PersonKind.LOCAL)).id
        streams = [log.stream(name, now.sample.key) for name in (reviewer, second)]
        mine = any(one.annotations or one.assignment.begun for one in streams)
        if mine and not self.own_allowed:
            return "you annotated this sample yourself: somebody else settles it"
        return ""


def _counts(found: Sequence[Group]) -> tuple[int, _Standings, _Differences]:
    """Annotations, and groups by how they stand and by what people differ in."""
    return (
        sum(len(group.sources) for group in found),
        Counter(group.standing for group in found),
        Counter(kind for group in found for kind in group.differences),
    )
