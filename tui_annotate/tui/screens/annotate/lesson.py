"""A lesson of review in words, as its dialog tells it: nobody's name is in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.items import NOT_RATED
from tui_annotate.domain.samples import Sample
from tui_annotate.domain.settlements import How
from tui_annotate.tui.dialogs.lesson import Told
from tui_annotate.tui.draft.judging.state import WHY
from tui_annotate.tui.draft.quoting import quoted
from tui_annotate.tui.draft.words import labels_words

if TYPE_CHECKING:
    from tui_annotate.services.review import Lesson, Outcome

_QUOTE = 48  # cells


def own(lesson: Lesson, sample: Sample) -> list[Told]:
    """What became of each of one's own, the rating first."""
    rated = [_rating(lesson)] if lesson.rated or lesson.rating else []
    return rated + [_outcome(outcome, sample) for outcome in lesson.outcomes]


def added(lesson: Lesson, sample: Sample) -> list[Told]:
    """What stands and one did not mark."""
    told = []
    for one in lesson.added:
        note = f"note: {one.note}" if one.note else "you did not mark it"
        told.append(Told("text", _said(one, sample), note))
    return told


def _rating(lesson: Lesson) -> Told:
    same = lesson.rated == lesson.rating
    settled = "settled so" if same else f"settled: {lesson.rating or NOT_RATED}"
    words = f"{settled}; {quoted(lesson.comment, cells=_QUOTE)}" if lesson.comment else settled
    return Told("good" if same else "warning", f"rating: {lesson.rated or NOT_RATED}", words)


def _outcome(outcome: Outcome, sample: Sample) -> Told:
    said = _said(outcome.annotation, sample)
    if outcome.result is None:
        return Told("warning", said, _refused(outcome.refusal))
    how = outcome.result.settled.how if outcome.result.settled else How.TAKEN
    now = _said(outcome.result, sample)
    if how is How.TAKEN:
        return Told("good", said, "taken as it is")
    word = "merged with what others marked" if how is How.MERGED else "taken with changes"
    return Told("accent", said, word if now == said else f"{word}: {now}")


def _refused(refusal: Annotation | None) -> str:
    settled = refusal.settled if refusal else None
    if settled is None:
        return "not taken: something else was taken in its place"
    reason = WHY.get(settled.reason, "")
    note = quoted(settled.note, cells=_QUOTE) if settled.note else ""
    return "not taken: " + (", ".join(part for part in (reason, note) if part) or "no reason")


def _said(one: Annotation, sample: Sample) -> str:
    anchors = one.claim or one.evidence
    texts = [
        quoted(anchor.span.of(sample.document(anchor.side, anchor.index).text), cells=_QUOTE)
        for anchor in anchors
    ]
    return f"{labels_words(one.labels)} {' … '.join(texts)}"
