"""Collections of reports, documents and citations: their tree, and the way through their items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tui_annotate.domain.errors import NotFound
from tui_annotate.domain.items import (
    Branch,
    Item,
    Leaf,
    Sentence,
    leaves,
    report_id,
    sentences,
)
from tui_annotate.domain.samples import Kind, Sample, SampleKey
from tui_annotate.services.annotate.looking import Looking


@dataclass(frozen=True, slots=True)
class Around:
    """What stands around a citation.

    Attributes:
        report: that its sentence is of; None where the workspace has not got it.
        sentence: the sentence's index in it.
        sentences: of the report, in order.
        citations: of the sentence, in order; those of them that this person has.
    """

    report: Sample | None
    sentence: int
    sentences: tuple[Sentence, ...]
    citations: tuple[SampleKey, ...]


@dataclass(frozen=True)
class Collection(Looking):
    """What annotators see of a collection; of others' work nothing."""

    def modes(self, dataset: str) -> tuple[Kind, ...]:
        """The kinds of items that a dataset has: reports, documents, citations, in that order."""
        return self.items.modes(dataset)

    def topics(self, person: str, dataset: str, kind: Kind) -> tuple[Branch, ...]:
        """Topics as they came, with how much of each this person has done.

        That counts reports, documents, or sentences all of whose citations are annotated. Whoever
        was given samples of the dataset sees and counts these alone, here and below.
        """
        return self.items.topics(person, dataset, kind)

    def runs(self, person: str, dataset: str, kind: Kind, *, topic: str) -> tuple[Branch, ...]:
        """The runs of a topic as they came, counted likewise; of reports each is itself an item."""
        return self.items.runs(person, dataset, kind, topic=topic)

    def leaves(
        self, person: str, dataset: str, kind: Kind, *, topic: str, run: str
    ) -> tuple[Leaf, ...]:
        """The documents of a run by their ids, or its sentences in their order; none of reports."""
        if kind is Kind.REPORT:
            return ()
        of_run = run if kind is Kind.CITATION else ""
        items = self.items.items(person, dataset, kind, topic=topic, run=of_run)
        return leaves(kind, items, run)

    def next_incomplete(
        self, person: str, kind: Kind, after: SampleKey | None, *, dataset: str = ""
    ) -> SampleKey | None:
        """The next item of a kind that this person did not annotate; from the top at the end.

        Args:
            after: None for the top; of another kind, where it stands counts.
            dataset: needed where `after` is None.

        Returns:
            None where nothing is left; `after` itself where it alone is.
        """
        within = after.dataset if after else dataset
        found = self.items.next_open(person, within, kind, after=after.id if after else "")
        return SampleKey(within, found) if found is not None else None

    def around(self, person: str, key: SampleKey) -> Around:
        """What stands around a citation.

        Raises:
            NotFound: there is no such sample.
        """
        sample = self.corpus.sample(key).sample
        report = self._report(sample)
        mine = [one for one in self._beside(person, sample) if one.group == sample.group]
        index = sample.group.rpartition("|")[2]
        return Around(
            report,
            int(index) if index.isdecimal() else 0,
            sentences(report) if report else (),
            tuple(one.key for one in mine),
        )

    def step(self, person: str, key: SampleKey, step: int) -> SampleKey | None:
        """The first citation of a sentence further on in the report, back where negative.

        Args:
            step: counts the sentences that this person has; a citation that they have not got
                stands before the first.

        Returns:
            None behind the ends of the report.

        Raises:
            NotFound: there is no such sample.
        """
        sample = self.corpus.sample(key).sample
        found = leaves(Kind.CITATION, self._beside(person, sample))
        at = next((at for at, leaf in enumerate(found) if key in leaf.keys), -1) + step
        return found[at].keys[0] if 0 <= at < len(found) else None

    def _beside(self, person: str, sample: Sample) -> Sequence[Item]:
        """The citations of the report that a citation is of."""
        if sample.kind is not Kind.CITATION:
            return ()
        topic = str(sample.meta.get("topic_id", ""))
        run = report_id(sample.group).removeprefix(f"r|{topic}|")
        return self.items.items(person, sample.dataset, Kind.CITATION, topic=topic, run=run)

    def _report(self, sample: Sample) -> Sample | None:
        try:
            return self.corpus.sample(SampleKey(sample.dataset, report_id(sample.group))).sample
        except NotFound:
            return None
