"""Report of an import: numbers of samples and annotations, problems and notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from tui_annotate.domain.records import Problem, count_kind
from tui_annotate.plugins.protocols import EmbeddingCost
from tui_annotate.services.ingest.embed_job import FailedSentence

if TYPE_CHECKING:
    from tui_annotate.storage.corpus.store import CorpusStore

KEPT_PROBLEMS = 1000


class IngestOutcome(StrEnum):
    """Whether all, some or none of the imported samples, with all spans, are stored by now."""

    ALL = "all"
    SOME = "some"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedText:
    """A sentence without a vector, as the embedder failed for it.

    Attributes:
        document: key of the document among those of its side; may be empty.
        start, end: position of the sentence in the document, in code points.
    """

    dataset: str
    sample: str
    side: str
    document: str
    start: int
    end: int
    reason: str


_STORED_COUNTS: Final = (
    "added", "replaced", "deleted", "documents", "segments", "annotations", "suggestions",
    "embedded",
)  # fmt: skip
"""Fields of `IngestReport` that count what an import stores."""


@dataclass(slots=True)
class IngestReport:
    """Numbers of imported samples, problems and notes that result from an import.

    Attributes:
        known: number of samples that were already stored with the same texts.
        files_refused: number of whole files that were skipped; they count as no samples.
        warnings: number of problems that refuse neither a file nor a record.
        spans_refused: number of spans and annotations that their samples were imported without.
        known_documents: number of `known` samples that are documents of collections.
        annotations_deleted_earlier: number of annotations that are not imported again, as users
            deleted them.
        problem_kinds: number of problems of each kind.
        annotations_with_unknown_labels: number of annotations with labels outside the label set.
        unknown_labels: number of different labels of these annotations.
        datasets_with_unknown_labels: names of the datasets of these annotations.
        failed: number of sentences without a vector, as the embedder failed for them; a later run
            computes them.
        failed_texts: the first of these sentences.
        embedder_note: why the embedder was chosen and how to choose another; empty if a user chose
            it.
        cost: cost of the vectors that a dry run found missing; None if they are free.
        dry_run: whether records were only checked.
        strict: whether nothing was stored because a record was refused.
    """

    added: int = 0
    known: int = 0
    known_documents: int = 0
    replaced: int = 0
    deleted: int = 0
    refused: int = 0
    files_refused: int = 0
    warnings: int = 0
    spans_refused: int = 0
    documents: int = 0
    segments: int = 0
    annotations: int = 0
    annotations_known: int = 0
    annotations_deleted_earlier: int = 0
    suggestions: int = 0
    annotations_with_unknown_labels: int = 0
    unknown_labels: int = 0
    datasets_with_unknown_labels: list[str] = field(default_factory=list)
    embedded: int = 0
    embedder: str = ""
    failed: int = 0
    failed_texts: list[FailedText] = field(default_factory=list)
    seconds: float = 0.0
    problems: list[Problem] = field(default_factory=list)
    problem_kinds: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    embedder_note: str = ""
    cost: EmbeddingCost | None = None
    dry_run: bool = False
    strict: bool = False

    def refuse_all(self) -> None:
        """Record that nothing was stored: counts of what was to be stored become 0."""
        self.strict = True
        for name in _STORED_COUNTS:
            setattr(self, name, 0)

    @property
    def outcome(self) -> IngestOutcome:
        """Which of the samples and spans are stored by now, also from earlier imports."""
        if self.strict or not self.added + self.known + self.replaced:
            return IngestOutcome.NONE
        return IngestOutcome.SOME if self.is_partial else IngestOutcome.ALL

    @property
    def is_partial(self) -> bool:
        """Whether a file, a record, a span or a field was refused."""
        return self.refused + self.files_refused + self.spans_refused > 0

    @property
    def problem_count(self) -> int:
        return self.refused + self.files_refused + self.warnings

    def note_failed(self, failed: Sequence[FailedSentence], corpus: CorpusStore) -> None:
        """Count sentences for which the embedder failed, and name the first ones."""
        self.failed += len(failed)
        shown = failed[:KEPT_PROBLEMS]
        uses = corpus.locate_documents({each.document for each in shown})
        for each in shown:
            key, side, document = uses[each.document]
            self.failed_texts.append(
                FailedText(
                    dataset=key.dataset,
                    sample=key.id,
                    side=side.value,
                    document=document,
                    start=each.segment.start,
                    end=each.segment.end,
                    reason=each.reason,
                )
            )

    def note_problem(self, problem: Problem) -> None:
        """Count a problem, in total and by kind; only the first problems are kept."""
        if problem.whole_file:
            self.files_refused += 1
        elif problem.refused:
            self.refused += 1
        else:
            self.warnings += 1
            if problem.refuses_part:
                self.spans_refused += 1
        count_kind(self.problem_kinds, problem)
        if len(self.problems) < KEPT_PROBLEMS:
            self.problems.append(problem)
