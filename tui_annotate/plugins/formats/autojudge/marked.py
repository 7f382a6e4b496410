"""The spans of annotations as lines have them: trimmed, each once, in order; what is lost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.items import PASSAGE, cut, sentence_of, sentences
from tui_annotate.domain.offsets import utf16_map
from tui_annotate.domain.samples import Kind, Sample, Side
from tui_annotate.domain.spans import Span
from tui_annotate.plugins.protocols import UTF16, Report


def marked(
    sample: Sample, annotations: Sequence[Annotation], side: Side, *, offsets: str
) -> list[dict[str, Any]]:
    """What is marked on one side of a sample, by place.

    Of a report, spans are cut at its sentences, and each says in which it is.
    """
    if not sample.side(side):
        return []
    text, found = sample.document(side).text, _spans(sample, annotations, side)
    within = sentences(sample) if sample.kind is Kind.REPORT else ()
    units = utf16_map(text) if offsets == UTF16 else None
    lines = []
    for span in found:
        start, end = span.start, span.end
        if units is not None:
            start, end = units.to_units(start), units.to_units(end)
        line: dict[str, Any] = {"start": start, "end": end, "text": span.of(text)}
        if sample.kind is Kind.REPORT:
            line["sentence_idx"] = sentence_of(span, within) or 0
        lines.append(line)
    return lines


def _spans(sample: Sample, annotations: Iterable[Annotation], side: Side) -> list[Span]:
    text = sample.document(side).text
    within = sentences(sample) if sample.kind is Kind.REPORT else ()
    all_of = (part for one in annotations for part in _of(one, side))
    return sorted({part for span in all_of for part in cut(span, within, text)})


def _of(annotation: Annotation, side: Side) -> list[Span]:
    """Its spans in the first document of a side: of an item, there is no other to mark."""
    return [span for on, index, span in annotation.anchors if on is side and index == 0]


def placed(sample: Sample, annotation: Annotation) -> list[Anchor]:
    """The anchors that lines of a sample have a place for: of a report, those in its own text."""
    sides = (Side.SUMMARY,) if sample.kind is Kind.REPORT else tuple(Side)
    return [anchor for anchor in annotation.anchors if anchor.side in sides and not anchor.index]


def count_lost(report: Report, sample: Sample, annotations: Sequence[Annotation]) -> None:
    """Counts what of annotations has no place in lines, beside what the format tells of itself."""
    labels = sum(path != PASSAGE for one in annotations for path in one.labels)
    report.lose("labels", labels)
    kept = [anchor for one in annotations for anchor in placed(sample, one)]
    away = sum(len(one.anchors) for one in annotations) - len(kept)
    report.lose("spans in documents of a report", away)
    report.lose("spans that are marked twice", len(kept) - len(set(kept)))
    within = sentences(sample) if sample.kind is Kind.REPORT else ()
    if within:
        text = sample.document(Side.SUMMARY).text if sample.side(Side.SUMMARY) else ""
        over = sum(cut(anchor.span, within, text) != (anchor.span,) for anchor in kept)
        report.lose("spans over several sentences", over)
