"""The rows of the dialog that shows the outcome of review; no row contains a person's name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui_annotate.domain.adjudication import ReviewAction
from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.comments import quote_annotation
from tui_annotate.domain.report_collections import NOT_RATED
from tui_annotate.domain.samples import Sample
from tui_annotate.editor.review.questions import describe_reason
from tui_annotate.editor.screen_message import ScreenMessage
from tui_annotate.editor.words import describe_labels, quote_text
from tui_annotate.tui.dialogs.review_outcome import OutcomeRow

if TYPE_CHECKING:
    from tui_annotate.domain.comments import CommentThread
    from tui_annotate.services.review import AnnotationOutcome, SampleOutcome

_QUOTE = 48  # cells


class OutcomeMessage(ScreenMessage):
    """Texts of the outcome of review, for one annotation, a rating or an asked question."""

    RATING = "rating: {rating}"
    SAME_RATING = "adjudicated: the same"
    OTHER_RATING = "adjudicated: {rating}"
    RATING_WITH_COMMENT = "{outcome}; {comment}"
    ACCEPTED = "accepted unchanged"
    MERGED = "merged with other annotations"
    MERGED_INTO = "merged with other annotations: {result}"
    MERGED_OTHER_LABEL = "not accepted: its words were merged into {result}"
    CHANGED = "accepted with changes"
    CHANGED_INTO = "accepted with changes: {result}"
    REPLACED = "not accepted: another annotation was accepted instead"
    REFUSED = "not accepted: {reason}"
    NO_REASON = "no reason"
    ADDED = "you did not make this annotation"
    ADDED_WITH_NOTE = "note: {note}"
    ASKED_GONE = "{gone}: {before}"
    ASKED_CHANGED = "{now} (when the question was asked: {before})"


def own_rows(lesson: SampleOutcome, sample: Sample) -> list[OutcomeRow]:
    """Return rows that show how the annotator's rating and annotations were adjudicated."""
    rated = [_rating_row(lesson)] if lesson.rated or lesson.rating else []
    return rated + [_annotation_row(outcome, sample) for outcome in lesson.outcomes]


def added_rows(lesson: SampleOutcome, sample: Sample) -> list[OutcomeRow]:
    """Return rows of the annotations that reviewers added to those of the annotator."""
    return [
        OutcomeRow("text", describe_annotation(one, sample), _describe_added(one))
        for one in lesson.added
    ]


def _describe_added(one: Annotation) -> str:
    if one.note:
        return OutcomeMessage.ADDED_WITH_NOTE.text(note=one.note)
    return OutcomeMessage.ADDED.text()


def _rating_row(lesson: SampleOutcome) -> OutcomeRow:
    same = lesson.rated == lesson.rating
    message = OutcomeMessage.SAME_RATING if same else OutcomeMessage.OTHER_RATING
    outcome = message.text(rating=lesson.rating or NOT_RATED)
    if lesson.comment:
        comment = quote_text(lesson.comment, cells=_QUOTE)
        outcome = OutcomeMessage.RATING_WITH_COMMENT.text(outcome=outcome, comment=comment)
    rating = OutcomeMessage.RATING.text(rating=lesson.rated or NOT_RATED)
    return OutcomeRow("good" if same else "warning", rating, outcome)


def _annotation_row(outcome: AnnotationOutcome, sample: Sample) -> OutcomeRow:
    before = describe_annotation(outcome.annotation, sample)
    if outcome.result is None:
        return OutcomeRow("warning", before, _describe_refusal(outcome.refusal))
    how = outcome.result.settled.how if outcome.result.settled else ReviewAction.TAKEN
    now = describe_annotation(outcome.result, sample)
    if how is ReviewAction.TAKEN:
        return OutcomeRow("good", before, OutcomeMessage.ACCEPTED.text())
    if how is ReviewAction.MERGED and set(outcome.annotation.labels) != set(outcome.result.labels):
        return OutcomeRow("warning", before, OutcomeMessage.MERGED_OTHER_LABEL.text(result=now))
    if how is ReviewAction.MERGED:
        message = OutcomeMessage.MERGED if now == before else OutcomeMessage.MERGED_INTO
    else:
        message = OutcomeMessage.CHANGED if now == before else OutcomeMessage.CHANGED_INTO
    return OutcomeRow("accent", before, message.text(result=now))


def _describe_refusal(refusal: Annotation | None) -> str:
    settled = refusal.settled if refusal else None
    if settled is None:
        return OutcomeMessage.REPLACED.text()
    reason = describe_reason(settled.reason)
    note = quote_text(settled.note, cells=_QUOTE) if settled.note else ""
    given = ", ".join(part for part in (reason, note) if part)
    return OutcomeMessage.REFUSED.text(reason=given or OutcomeMessage.NO_REASON.text())


def describe_asked_annotation(
    thread: CommentThread, now: Annotation | None, sample: Sample, *, gone: str
) -> str:
    """Return what a thread is about: its annotation `now`, and as it was if it was changed.

    `gone` describes a thread whose annotation does not exist now.
    """
    before = thread.about
    if now is None:
        return OutcomeMessage.ASKED_GONE.text(gone=gone, before=before) if before else gone
    described = describe_annotation(now, sample)
    quoted = thread.quoted
    quote = quote_annotation(now, lambda side, index: sample.document(side, index).text)
    if not before or (quoted.quote, quoted.labels) == (quote, now.labels):
        return described
    return OutcomeMessage.ASKED_CHANGED.text(now=described, before=before)


def describe_annotation(one: Annotation, sample: Sample) -> str:
    """Return the labels of an annotation with the start of its claim, else of its evidence."""
    anchors = one.claim or one.evidence
    texts = [
        quote_text(anchor.span.of(sample.document(anchor.side, anchor.index).text), cells=_QUOTE)
        for anchor in anchors
    ]
    return f"{describe_labels(one.labels)} {' … '.join(texts)}"
