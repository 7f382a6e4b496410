"""The decisions of reviewers on each sample, with the annotators as letters or by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tui_annotate.domain.adjudication import RejectionReason, ReviewAction
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assignments import State
from tui_annotate.domain.labels import JOINER
from tui_annotate.domain.samples import Sample
from tui_annotate.services.review.review_sample import SampleWork, read_letters
from tui_annotate.storage.log.event_log import EventLog

RATED: Final = "rated"
"""Name of the decision of a reviewer on the rating of a sample."""

FindName = Callable[[str], str]
"""Function that returns the name to show for a person's id."""


@dataclass(frozen=True, slots=True)
class ReviewDecision:
    """One decision of a reviewer: on an annotation, or on the rating of a sample.

    Attributes:
        decision: a value of `ReviewAction`, or `RATED`; the origin of an adjudicated annotation
            that was imported without the reviewer's action.
        spans: the spans of the annotation, the claim first; each with its text.
        rating: the adjudicated rating; empty if the reviewer accepted none of those that differ.
        reason, review_note: why the reviewer rejected annotations or accepted no rating; else
            empty.
        annotators: people whose annotations or ratings are the source of the decision: letters as
            on the reviewing screen, or names. A merged annotation names only people who had chosen
            its labels when the reviewer merged it or last edited it.
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
    settled = work.settled
    owners = _find_owners(log, work)
    # `work.letters` has only those who ever completed the sample; the source of a decision may also
    # belong to others, such as a person who was merged into another one.
    letters = read_letters(log, work.sample.key, others=set(owners.values()))
    names = {
        person: find_name(person) if find_name else letter for letter, person in letters.items()
    }
    for annotation in settled.annotations:
        sources = _credited_sources(work, annotation)
        annotators = {names[owners[source]] for source in sources if source in owners}
        yield _annotation_decision(
            work, annotation, annotators=sorted(annotators), find_name=find_name
        )
    if rating := settled.assignment.rating:
        assignments = [stream.assignment for stream in work.people.values()]
        annotators = {names[each.person] for each in assignments if each.rating == rating}
        yield _rating_decision(work, rating=rating, annotators=sorted(annotators))
    elif settled.assignment.state is State.DONE and (reason := work.changes.unrated):
        # The stored reason is a value of `RejectionReason`, or the reviewer's own words. Before
        # Python 3.12, `in` raises TypeError if an enum does not have the value; a tuple does not.
        if reason in tuple(RejectionReason):
            yield _rating_decision(work, reason=reason)
        else:
            yield _rating_decision(work, review_note=reason)


def _find_owners(log: EventLog, work: SampleWork) -> dict[str, str]:
    """Return the annotator of each source of a decision by the source's id, if it is known."""
    sources = [source for one in work.settled.annotations for source in _sources(one)]
    stored = {source: person for source, (person, _) in log.owners(sources).items()}
    # The source may have been deleted since; the log still has its annotator.
    known = {**work.changes.owners, **stored}
    return {source: known[source] for source in sources if source in known}


def _sources(annotation: Annotation) -> Sequence[str]:
    return annotation.settled.sources if annotation.settled else ()


def _credited_sources(work: SampleWork, annotation: Annotation) -> Sequence[str]:
    """Return the sources of a decision; of a merged annotation, those that had its labels."""
    sources = _sources(annotation)
    if annotation.settled is None or annotation.settled.how is not ReviewAction.MERGED:
        return sources
    labels = set(annotation.labels)
    return [
        source
        for source in sources
        if work.changes.find_labels(source, decision=annotation.id) == labels
    ]


def _annotation_decision(
    work: SampleWork,
    annotation: Annotation,
    *,
    annotators: Sequence[str],
    find_name: FindName | None,
) -> ReviewDecision:
    settled = annotation.settled
    return ReviewDecision(
        dataset=work.sample.key.dataset,
        sample=work.sample.key.id,
        state=work.settled.assignment.state,
        decision=settled.how.value if settled else annotation.origin,
        labels=tuple(map(JOINER.join, annotation.labels)),
        spans=tuple(_span_to_json(anchor, work.sample) for anchor in annotation.anchors),
        note=annotation.note,
        rating="",
        reason=settled.reason.value if settled else "",
        review_note=settled.note if settled else "",
        annotators=tuple(annotators),
        reviewer=find_name(settled.by) if find_name and settled and settled.by else None,
    )


def _rating_decision(
    work: SampleWork,
    *,
    rating: str = "",
    reason: str = "",
    review_note: str = "",
    annotators: Sequence[str] = (),
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
        annotators=tuple(annotators),
        reviewer=None,
    )


def _span_to_json(anchor: Anchor, sample: Sample) -> dict[str, Any]:
    document = sample.document(anchor.side, anchor.index)
    return {
        "side": anchor.side.value,
        "document": anchor.index,
        "document_key": document.key,
        "start": anchor.span.start,
        "end": anchor.span.end,
        "text": anchor.span.of(document.text),
    }
