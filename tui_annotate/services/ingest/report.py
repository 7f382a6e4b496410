"""What ingest tells while it runs and at its end; values only."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from tui_annotate.domain.nouns import many
from tui_annotate.domain.progress import Progress
from tui_annotate.domain.records import Problem
from tui_annotate.plugins.protocols import Cost

if TYPE_CHECKING:
    from tui_annotate.storage.work.importing import ImportCounts

__all__ = ["KEPT_PROBLEMS", "IngestReport", "Outcome", "Progress"]

KEPT_PROBLEMS = 1000
"""Problems that a report holds; a file with more of them is told by number, and by a callback."""


_RUNS = (
    "documents that were here keep the names of the runs that they came with; to have these named"
    " too: tui-annotate dataset replace NAME, with all runs; no text and no work is altered by it"
)


class Outcome(StrEnum):
    """How much of the input is in the store at the end; new or known before."""

    ALL = "all"
    SOME = "some"
    NONE = "none"


@dataclass(slots=True)
class IngestReport:
    """What an ingest did.

    Attributes:
        added, known, replaced: samples that were new, were there with the same texts, got others.
        removed: samples taken out because the file has them no more (`replace` alone).
        known_documents: those of the known ones that are documents of a collection.
        refused: records left out; `doubts`: things worth a look in records that were taken.
        documents, segments: stored now; what was there is not counted.
        annotations: imported now; `annotations_known` were there, `annotations_removed` had been
            removed here and stay so.
        outside: annotations, in the datasets of those that were imported, with labels that the set
            in force there lacks; `outside_labels` how many labels these are, `outside_in` where.
        embedded: documents that got vectors now.
        embedder: the one in use; `none` where there are no vectors.
        problems: the first of them, refusals and doubts.
        notes: what else a person should know, one line each.
        better: how better vectors are had, one line; mostly empty.
        cost: of the vectors that a dry run found missing; None where they cost nothing.
        dry: nothing was stored because nothing was to be.
        strict: nothing was stored because something was refused.
    """

    added: int = 0
    known: int = 0
    known_documents: int = 0
    replaced: int = 0
    removed: int = 0
    refused: int = 0
    doubts: int = 0
    documents: int = 0
    segments: int = 0
    annotations: int = 0
    annotations_known: int = 0
    annotations_removed: int = 0
    outside: int = 0
    outside_labels: int = 0
    outside_in: list[str] = field(default_factory=list)
    embedded: int = 0
    embedder: str = ""
    seconds: float = 0.0
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    better: str = ""
    cost: Cost | None = None
    dry: bool = False
    strict: bool = False

    def tell_runs(self) -> None:
        """Notes what documents do not say of runs that came later, where there may be any."""
        if self.known_documents and self.added:
            self.notes.append(_RUNS)

    def count_work(self, counts: ImportCounts) -> None:
        """Counts annotations that came with records."""
        self.annotations += counts.added
        self.annotations_known += counts.known
        self.annotations_removed += counts.buried

    def tell_changed(self, count: int) -> None:
        """Notes on how many samples a state, rating or comment is another than it came before."""
        if count:
            where = many(count, "sample")
            self.notes.append(f"ratings, comments or states of an earlier import changed: {where}")

    @property
    def outcome(self) -> Outcome:
        """How much is in."""
        if self.strict or not self.added + self.known + self.replaced:
            return Outcome.NONE
        return Outcome.SOME if self.refused else Outcome.ALL

    def note_problem(self, problem: Problem) -> None:
        """Counts a problem, and keeps it while there are few."""
        if problem.refused:
            self.refused += 1
        else:
            self.doubts += 1
        if len(self.problems) < KEPT_PROBLEMS:
            self.problems.append(problem)
