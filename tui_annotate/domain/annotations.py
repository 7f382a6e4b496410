"""Annotations (claim, evidence, labels, note), the checks of their spans, and their JSON form."""

from __future__ import annotations

import re
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
from tui_annotate.domain.plural import format_count
from tui_annotate.domain.provenance import Provenance, provenance_from_json, provenance_to_json
from tui_annotate.domain.samples import Sample, SampleKey, Side
from tui_annotate.domain.spans import Span

LabelPath = tuple[str, ...]

HUMAN = "human"
ADJUDICATED = "adjudicated"
REJECTED = "rejected"
"""Value of the field `origin` of an annotation that a reviewer rejected."""


class Anchor(NamedTuple):
    """The position of words in a sample: side, index of the document on the side, and span."""

    side: Side
    index: int  # type: ignore[assignment]  # hides tuple.index, which has no caller
    span: Span

    @classmethod
    def find(cls, sample: Sample, side: Side, quote: str, *, occurrence: int = 0) -> Anchor:
        """Return the position of a quoted text in the documents on one side of a sample.

        Args:
            quote: the exact words.
            occurrence: which occurrence is meant, from 1; 0 if there must be only one.

        Raises:
            InvalidInput: the quote is empty, does not occur, or occurs several times.
        """
        if not quote:
            raise InvalidInput("the quote is empty", "quote at least one character")
        overlapping = f"(?={re.escape(quote)})"
        found = [
            cls(side, index, Span(match.start(), match.start() + len(quote)))
            for index, document in enumerate(sample.side(side))
            for match in re.finditer(overlapping, document.text)
        ]
        where = f"the {side} of sample {sample.key}"
        if not found:
            raise InvalidInput(f"{where} does not contain {quote!r}", "quote the text exactly")
        if not 0 <= occurrence <= len(found) or (not occurrence and len(found) > 1):
            raise InvalidInput(
                f"{where} contains {quote!r} {format_count(len(found), 'time')}",
                f"quote more words, or pass an occurrence from 1 to {len(found)}",
                code="span-ambiguous",
            )
        return found[max(occurrence, 1) - 1]


@dataclass(frozen=True, slots=True)
class Annotation:
    """An annotation: one person's judgement of a claim, with evidence, labels and a note.

    Attributes:
        id: a UUID chosen by the creator, so that a repeated write has no effect.
        claim: anchors of the summary side; may be empty only if `evidence` is not.
        labels: label paths from the root of the label tree; imported annotations may have none.
        origin: `human`, `adjudicated`, `rejected`, `machine:NAME` or `imported:FORMAT`.
        version: 1 for a new annotation; each edit adds 1.
        number: a workspace-wide integer for formats that need one; 0 before the first save.
        label_set, guidelines: hashes of the label set and the guidelines in use at the save; empty
            if unknown or none.
        trace: matches displayed when the annotation was saved; None if unknown.
        `settled`: how reviewers adjudicated the annotation; None if they did not.
        suggested: the suggestion that the annotation was created from; None if there was none.
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
                "select a span of the summary or of the source",
            )

    @property
    def anchors(self) -> tuple[Anchor, ...]:
        return self.claim + self.evidence


def normalize_annotation(annotation: Annotation, sample: Sample) -> Annotation:
    """Return an annotation whose spans are sorted, unique and without white space at their ends.

    Raises:
        InvalidSpan: an anchor is outside its document, or covers only white space.
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
        if anchor.side != side:
            raise InvalidInput(
                f"a span of the {anchor.side} was given where a span of the {side} is required",
                "select claims in the summary and evidence in the source",
            )
        trimmed = anchor.span.trim(sample.document(side, anchor.index).text)
        if trimmed is None:
            raise InvalidSpan(f"the span {anchor.span} covers only white space", "select words")
        checked.add(Anchor(side, anchor.index, trimmed))
    return tuple(sorted(checked))


def has_same_content(one: Annotation, other: Annotation) -> bool:
    """Return whether all content of an annotation is also in another annotation.

    Both have the same claim and labels; evidence and note of `one` may be missing.
    """
    return (
        (one.claim, one.labels) == (other.claim, other.labels)
        and one.evidence in ((), other.evidence)
        and one.note in ("", other.note)
    )


def annotation_to_json(annotation: Annotation) -> dict[str, Any]:
    """Convert an annotation to JSON values; each span becomes [side, document index, start, end].

    Keys have a fixed order. `assist`, `settled` and `suggested` are present only if they have a
    value, so annotations from before these fields existed keep their bytes and hashes.
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
    """Parse what `annotation_to_json` returns, `id` and `claim` at least; or InvalidInput."""
    try:
        evidence = tuple([anchor_from_json(anchor) for anchor in value.get("evidence", ())])
        assist = value.get("assist")
        settled = value.get("settled")
        suggested = value.get("suggested")
        imported = value.get("imported")
        if imported is not None and not isinstance(imported, Mapping):
            raise TypeError(f"the imported fields are no object: {imported!r}")
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
            imported=imported,
            trace=None if assist is None else assist_trace_from_json(assist, spans=len(evidence)),
            settled=None if settled is None else adjudication_from_json(settled),
            suggested=None if suggested is None else provenance_from_json(suggested),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidInput(
            f"invalid annotation: {error}",
            "write annotations as described in docs/formats.md",
            code="annotation-json",
        ) from error


def anchor_to_json(anchor: Anchor) -> list[str | int]:
    """Return an anchor as the list [side, document index, start, end]; offsets in code points."""
    return [anchor.side.value, anchor.index, anchor.span.start, anchor.span.end]


def anchor_from_json(value: Any) -> Anchor:
    """Parse the position of words in a sample from the list [side, document index, start, end].

    Raises:
        InvalidSpan, KeyError, TypeError, ValueError: the value has another form.
    """
    side, index, start, end = value
    # One comparison: a generator expression here took half of an export's store time. JSON's `true`
    # is an instance of `int`, but no integer.
    if not (type(index) is type(start) is type(end) is int):
        raise TypeError(f"document index, start and end of the span {value!r} must be integers")
    return Anchor(_SIDES[side], index, Span(start, end))


_SIDES = {side.value: side for side in Side}


@dataclass(frozen=True, slots=True)
class PastAnnotation:
    """A person's earlier annotation whose text is similar to the claim that the person annotates.

    Attributes:
        score: similarity in (0, 1]; vector and lexical scores are not comparable.
    """

    sample: SampleKey
    id: str
    text: str
    labels: tuple[LabelPath, ...]
    note: str
    score: float
