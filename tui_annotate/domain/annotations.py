"""Annotations: a claim, its evidence, its labels and a note; and the rules of a valid one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from tui_annotate.domain.adjudication import (
    Adjudication,
    adjudication_from_json,
    adjudication_to_json,
)
from tui_annotate.domain.assist_traces import (
    AssistTrace,
    assist_trace_from_json,
    assist_trace_to_json,
)
from tui_annotate.domain.errors import InvalidInput, InvalidSpan
from tui_annotate.domain.provenance import Provenance, provenance_from_json, provenance_to_json
from tui_annotate.domain.samples import Sample, SampleKey, Side
from tui_annotate.domain.spans import Span

LabelPath = tuple[str, ...]

HUMAN = "human"
ADJUDICATED = "adjudicated"
REJECTED = "rejected"
"""What review refused: kept with the reason, and left out wherever it is not asked for."""


class Anchor(NamedTuple):
    """A span of one document of a sample: side, the document's index on that side, extent."""

    side: Side
    index: int  # type: ignore[assignment]  # hides tuple.index, which nobody looks for
    span: Span


@dataclass(frozen=True, slots=True)
class Annotation:
    """One judgement of one person.

    Attributes:
        id: a uuid that the maker chooses, so that a repeated write is harmless.
        claim: anchors of the summary side; may be empty where evidence is not.
        evidence: anchors of the source side.
        labels: paths from the root of the label tree; several, or none in imported work.
        origin: `human`, `adjudicated`, `rejected`, `machine:NAME` or `imported:FORMAT`.
        version: 1 when made, one more with each edit.
        number: a workspace-wide integer for formats that want one; 0 until it is stored.
        label_set, guidelines: hashes of those it was made under; empty where unknown or none.
        created, updated: ISO 8601, UTC, microseconds; empty where unknown.
        imported: the original record, as long as nobody edited the annotation.
        trace: what the assist showed when it was saved; None where nobody knows.
        settled: how review came to it; None for all that is not review's.
        suggested: the suggestion that it was made from; None for all that nobody proposed.
    """

    id: str
    claim: tuple[Anchor, ...]
    evidence: tuple[Anchor, ...] = ()
    labels: tuple[LabelPath, ...] = ()
    note: str = ""
    origin: str = HUMAN
    version: int = 1
    number: int = 0
    label_set: str = ""
    guidelines: str = ""
    created: str = ""
    updated: str = ""
    imported: Mapping[str, Any] | None = None
    trace: AssistTrace | None = None
    settled: Adjudication | None = None
    suggested: Provenance | None = None

    def __post_init__(self) -> None:
        if not self.claim and not self.evidence:
            raise InvalidInput(
                f"annotation {self.id} has neither claim nor evidence",
                "select a span on one side at least",
            )

    @property
    def anchors(self) -> tuple[Anchor, ...]:
        """Claim anchors, then evidence anchors."""
        return self.claim + self.evidence


def normalize_annotation(annotation: Annotation, sample: Sample) -> Annotation:
    """The annotation as new work is stored: spans trimmed, anchors in reading order, once each.

    Raises:
        InvalidSpan: an anchor is outside its document, or covers white space alone.
        InvalidInput: a claim is not on the summary side, or evidence not on the source side.
        NotFound: an anchor names a document that the sample does not have.
    """
    return replace(
        annotation,
        claim=_check_anchors(annotation.claim, sample, Side.SUMMARY),
        evidence=_check_anchors(annotation.evidence, sample, Side.SOURCE),
        note=annotation.note.strip(),
    )


def _check_anchors(anchors: tuple[Anchor, ...], sample: Sample, side: Side) -> tuple[Anchor, ...]:
    checked: set[Anchor] = set()
    for anchor in anchors:
        if anchor.side is not side:
            raise InvalidInput(
                f"a span of the {anchor.side} side can not stand for the {side} side",
                "claims lie in the summary, evidence in the source",
            )
        trimmed = anchor.span.trim(sample.document(side, anchor.index).text)
        if trimmed is None:
            raise InvalidSpan(f"{anchor.span} covers white space alone", "select some words")
        checked.add(Anchor(side, anchor.index, trimmed))
    return tuple(sorted(checked))


def annotation_to_json(annotation: Annotation) -> dict[str, Any]:
    """The annotation as JSON values; anchors as [side, index, start, end]; keys in fixed order.

    `assist`, `settled` and `suggested` are there only where there is such a thing: work of before
    stays as it was, to the byte.
    """
    value = {
        "id": annotation.id,
        "number": annotation.number,
        "labels": [list(path) for path in annotation.labels],
        "claim": [anchor_to_json(anchor) for anchor in annotation.claim],
        "evidence": [anchor_to_json(anchor) for anchor in annotation.evidence],
        "note": annotation.note,
        "origin": annotation.origin,
        "version": annotation.version,
        "label_set": annotation.label_set,
        "guidelines": annotation.guidelines,
        "created": annotation.created,
        "updated": annotation.updated,
        "imported": dict(annotation.imported) if annotation.imported is not None else None,
    }
    if annotation.trace is not None:
        value["assist"] = assist_trace_to_json(annotation.trace)
    if annotation.settled is not None:
        value["settled"] = adjudication_to_json(annotation.settled)
    if annotation.suggested is not None:
        value["suggested"] = provenance_to_json(annotation.suggested)
    return value


def annotation_from_json(value: Mapping[str, Any]) -> Annotation:
    """The inverse of `annotation_to_json`; only `id` and `claim` must be there.

    Raises:
        InvalidInput: a value is missing or has the wrong shape; the message names it.
    """
    try:
        evidence = tuple([anchor_from_json(anchor) for anchor in value.get("evidence", ())])
        assist, settled, suggested = map(value.get, ("assist", "settled", "suggested"))
        return Annotation(
            id=value["id"],
            claim=tuple([anchor_from_json(anchor) for anchor in value["claim"]]),
            evidence=evidence,
            labels=tuple([tuple(path) for path in value.get("labels", ())]),
            note=value.get("note", ""),
            origin=value.get("origin", HUMAN),
            version=value.get("version", 1),
            number=value.get("number", 0),
            label_set=value.get("label_set", ""),
            guidelines=value.get("guidelines", ""),
            created=value.get("created", ""),
            updated=value.get("updated", ""),
            imported=value.get("imported"),
            trace=None if assist is None else assist_trace_from_json(assist, spans=len(evidence)),
            settled=None if settled is None else adjudication_from_json(settled),
            suggested=None if suggested is None else provenance_from_json(suggested),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidInput(
            f"not an annotation: {error}", "docs/formats.md has the form", code="annotation-json"
        ) from error


def anchor_to_json(anchor: Anchor) -> list[str | int]:
    """As [side, index, start, end]."""
    return [anchor.side.value, anchor.index, anchor.span.start, anchor.span.end]


def anchor_from_json(value: Any) -> Anchor:
    """The inverse of `anchor_to_json`.

    Raises:
        InvalidSpan, KeyError, TypeError, ValueError: it is none.
    """
    side, index, start, end = value
    # Written out: half of an export's time in the store was spent in a generator here.
    if not (isinstance(index, int) and isinstance(start, int) and isinstance(end, int)):
        raise TypeError(f"anchor {value!r} holds something that is no integer")
    return Anchor(_SIDES[side], index, Span(start, end))


_SIDES = {side.value: side for side in Side}


@dataclass(frozen=True, slots=True)
class PastAnnotation:
    """A former annotation of the same person.

    Attributes:
        text: of several spans, joined by an ellipsis.
        score: similarity in (0, 1]; one by vectors can not be compared with one by words.
    """

    sample: SampleKey
    id: str
    text: str
    labels: tuple[LabelPath, ...]
    note: str
    score: float
