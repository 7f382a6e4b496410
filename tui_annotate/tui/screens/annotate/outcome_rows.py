"""The rows of the dialog on the outcome of review; they name no person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui_annotate.domain.adjudication import ReviewAction
from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.report_collections import NOT_RATED
from tui_annotate.domain.samples import Sample
from tui_annotate.tui.dialogs.review_outcome import OutcomeRow
from tui_annotate.tui.draft.review.state import WHY
from tui_annotate.tui.draft.words import describe_labels, quote_text

if TYPE_CHECKING:
    from tui_annotate.services.review import AnnotationOutcome, SampleOutcome

_QUOTE = 48  # cells


def own_rows(lesson: SampleOutcome, sample: Sample) -> list[OutcomeRow]:
    """What became of the annotator's rating, then of each of their annotations."""
    rated = [_rating_row(lesson)] if lesson.rated or lesson.rating else []
    return rated + [_annotation_row(outcome, sample) for outcome in lesson.outcomes]


def added_rows(lesson: SampleOutcome, sample: Sample) -> list[OutcomeRow]:
    """Adjudicated annotations that this annotator did not make."""
    return [
        OutcomeRow(
            "text",
            _describe_annotation(one, sample),
            f"note: {one.note}" if one.note else "you did not mark it",
        )
        for one in lesson.added
    ]


def _rating_row(lesson: SampleOutcome) -> OutcomeRow:
    same = lesson.rated == lesson.rating
    settled = "settled so" if same else f"settled: {lesson.rating or NOT_RATED}"
    words = f"{settled}; {quote_text(lesson.comment, cells=_QUOTE)}" if lesson.comment else settled
    return OutcomeRow("good" if same else "warning", f"rating: {lesson.rated or NOT_RATED}", words)


def _annotation_row(outcome: AnnotationOutcome, sample: Sample) -> OutcomeRow:
    before = _describe_annotation(outcome.annotation, sample)
    if outcome.result is None:
        return OutcomeRow("warning", before, _describe_refusal(outcome.refusal))
    how = outcome.result.settled.how if outcome.result.settled else ReviewAction.TAKEN
    now = _describe_annotation(outcome.result, sample)
    if how is ReviewAction.TAKEN:
        return OutcomeRow("good", before, "taken as it is")
    word = "merged with what others marked" if how is ReviewAction.MERGED else "taken with changes"
    return OutcomeRow("accent", before, word if now == before else f"{word}: {now}")


def _describe_refusal(refusal: Annotation | None) -> str:
    settled = refusal.settled if refusal else None
    if settled is None:
        return "not taken: something else was taken in its place"
    reason = WHY.get(settled.reason, "")
    note = quote_text(settled.note, cells=_QUOTE) if settled.note else ""
    return "not taken: " + (", ".join(part for part in (reason, note) if part) or "no reason")


def _describe_annotation(one: Annotation, sample: Sample) -> str:
    anchors = one.claim or one.evidence
    texts = [
        quote_text(anchor.span.of(sample.document(anchor.side, anchor.index).text), cells=_QUOTE)
        for anchor in anchors
    ]
    return f"{describe_labels(one.labels)} {' … '.join(texts)}"
