"""The decisions of reviewers on each sample, with the annotators as letters or by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tui_annotate.domain.adjudication import RejectionReason, ReviewAction
from tui_annotate.domain.annotations import Anchor, Annotation, LabelPath
from tui_annotate.domain.assignments import State
from tui_annotate.domain.labels import JOINER
from tui_annotate.domain.samples import Sample
from tui_annotate.services.review.review_sample import SampleWork, read_letters
from tui_annotate.storage.log.event_log import EventLog

RATED: Final = "rated"
"""Name of the decision of a reviewer on the rating of a sample."""

FindName = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class ReviewDecision:
    """One decision of a reviewer: on an annotation, or on the rating of a sample.

    Attributes:
        decision: a value of `ReviewAction`, or `RATED`.
        spans: the spans of the annotation, the claim first; each with its text.
        rating: the adjudicated rating; empty if the reviewer accepted none of those that differ.
        reason, review_note: why the reviewer rejected annotations or accepted no rating; else
            empty.
        annotators: people whose annotations or ratings are the source of the decision: letters as
            on the reviewing screen, or names. A merged annotation names only people who chose its
            labels.
        reviewer: name of the reviewer; None without names, and for a rating.
    """

    dataset: str
    sample: str
    state: State
    decision: str
    labels: tuple[str, ...]
    spans: tuple[Mapping[str, Any], ...]
    note: str
    rating: str
    reason: str
    review_note: str
    annotators: tuple[str, ...]
    reviewer: str | None


def list_decisions(
    log: EventLog, work: SampleWork, find_name: FindName | None
) -> Iterator[ReviewDecision]:
    """Yield the decisions of reviewers on a sample: on annotations, then on the rating."""
    key = work.sample.key
    settled = work.settled
    stored = log.owners([name for one in settled.annotations for name in _sources(one)])
    # An annotation may have been deleted since; the log still knows whose it was.
    owners = {**work.changes.owners, **{name: person for name, (person, _) in stored.items()}}
    used = {owners[name] for one in settled.annotations for name in _sources(one) if name in owners}
    letters = read_letters(log, key, others=used)
    words = {who: find_name(who) if find_name else letter for letter, who in letters.items()}
    chosen = {
        each.id: set(each.labels) for stream in work.people.values() for each in stream.annotations
    }
    for one in settled.annotations:
        credited = [name for name in _sources(one) if _chose_labels(chosen.get(name), one)]
        people = {words[owners[name]] for name in credited if name in owners}
        yield _annotation_decision(work, one, people=sorted(people), find_name=find_name)
    if rating := settled.assignment.rating:
        given = [each.assignment for each in work.people.values()]
        people = {words[each.person] for each in given if each.rating == rating}
        yield _rating_decision(work, rating=rating, people=sorted(people))
    elif settled.assignment.state is State.DONE and (reason := work.changes.unrated):
        if reason in tuple(RejectionReason):
            yield _rating_decision(work, reason=reason)
        else:
            yield _rating_decision(work, review_note=reason)


def _rating_decision(
    work: SampleWork,
    *,
    rating: str = "",
    reason: str = "",
    review_note: str = "",
    people: Sequence[str] = (),
) -> ReviewDecision:
    return ReviewDecision(
        dataset=work.sample.key.dataset,
        sample=work.sample.key.id,
        state=work.settled.assignment.state,
        decision=RATED,
        labels=(),
        spans=(),
        note="",
        rating=rating,
        reason=reason,
        review_note=review_note,
        annotators=tuple(people),
        reviewer=None,
    )


def _sources(one: Annotation) -> Sequence[str]:
    return one.settled.sources if one.settled else ()


def _chose_labels(chosen: set[LabelPath] | None, result: Annotation) -> bool:
    """Return whether a source of a merged annotation has its labels; True for other decisions.

    `chosen` are the labels of the source; None if it was deleted or is not complete.
    """
    if result.settled is None or result.settled.how is not ReviewAction.MERGED or chosen is None:
        return True
    return chosen == set(result.labels)


def _annotation_decision(
    work: SampleWork, one: Annotation, *, people: Sequence[str], find_name: FindName | None
) -> ReviewDecision:
    settled = one.settled
    return ReviewDecision(
        dataset=work.sample.key.dataset,
        sample=work.sample.key.id,
        state=work.settled.assignment.state,
        decision=settled.how.value if settled else one.origin,
        labels=tuple(map(JOINER.join, one.labels)),
        spans=tuple(_span_to_json(anchor, work.sample) for anchor in one.anchors),
        note=one.note,
        rating="",
        reason=settled.reason.value if settled else "",
        review_note=settled.note if settled else "",
        annotators=tuple(people),
        reviewer=find_name(settled.by) if find_name and settled and settled.by else None,
    )


def _span_to_json(anchor: Anchor, sample: Sample) -> dict[str, Any]:
    text = anchor.span.of(sample.document(anchor.side, anchor.index).text)
    place = {"side": anchor.side.value, "document": anchor.index}
    return {**place, "start": anchor.span.start, "end": anchor.span.end, "text": text}
