"""The report that a citation is of, and the ways through it; kept while somebody is in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tui_annotate.domain.items import report_id
from tui_annotate.domain.samples import Kind, SampleKey

if TYPE_CHECKING:
    from tui_annotate.domain.items import Leaf, Sentence
    from tui_annotate.domain.samples import Sample
    from tui_annotate.services.annotate import Annotate


@dataclass(frozen=True)
class Neighbours:
    """The report that a citation is of, as far as one has its citations.

    Attributes:
        id: the report's.
        report: itself, with its documents; None where the workspace has not got it.
        sentences: of the report.
        leaves: its sentences with their citations, in order.
    """

    id: str
    report: Sample | None
    sentences: tuple[Sentence, ...]
    leaves: tuple[Leaf, ...]

    def leaf(self, key: SampleKey) -> int:
        """Which of the sentences a citation is of; -1 where it is not one's own."""
        return next((at for at, leaf in enumerate(self.leaves) if key in leaf.keys), -1)

    def citations(self, key: SampleKey) -> tuple[SampleKey, ...]:
        """Those of the sentence that a citation is of, in order."""
        at = self.leaf(key)
        return self.leaves[at].keys if at >= 0 else ()

    def step(self, key: SampleKey, step: int) -> SampleKey | None:
        """The next or previous citation of the report; None behind its ends."""
        keys = [one for leaf in self.leaves for one in leaf.keys]
        at = keys.index(key) + step if key in keys else -1
        return keys[at] if 0 <= at < len(keys) else None

    def turn(self, key: SampleKey, step: int) -> SampleKey | None:
        """The next or previous citation of the same sentence, round and round."""
        keys = self.citations(key)
        return keys[(keys.index(key) + step) % len(keys)] if len(keys) > 1 else None


def neighbours(annotate: Annotate, person: str, sample: Sample) -> Neighbours:
    """What stands around a citation; in the store's thread."""
    around = annotate.around(person, sample.key)
    topic, name = str(sample.meta.get("topic_id", "")), report_id(sample.group)
    run = name.removeprefix(f"r|{topic}|")
    leaves = annotate.leaves(person, sample.dataset, Kind.CITATION, topic=topic, run=run)
    return Neighbours(name, around.report, around.sentences, leaves)
