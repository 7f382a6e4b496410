"""Answered suggestions, for export only: positive and hard negative examples to train a machine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TextIO

from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.labels import JOINER
from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import Sample, Side
from tui_annotate.domain.suggestions import PersonAnswer, Suggestion
from tui_annotate.plugins.json_records import write_json_line
from tui_annotate.plugins.losses import LossCounter
from tui_annotate.plugins.protocols import ExportOptions, ExportReport
from tui_annotate.plugins.traits import FormatTraits, Loss, RecordTrait, carry_plainly


class AnsweredSuggestionsFormat:
    """Exporter of answered suggestions, one line for each suggestion and person."""

    name = "suggestions"
    about = FormatTraits(
        title="JSON lines of suggestions that people accepted, changed or rejected",
        carried=carry_plainly(RecordTrait.DATASET, RecordTrait.TEXTS),
    )

    def write(
        self, records: Iterable[Record], target: TextIO, options: ExportOptions
    ) -> ExportReport:
        """Write a line for each answer of the records' people; other work is counted as lost."""
        report = ExportReport()
        losses = LossCounter(self.about, report)
        for record in records:
            losses.count_lost_annotations(record)
            key = record.sample.key
            answers = options.answers([key]).get(key, ()) if options.answers else ()
            people = {person.id for person in record.people}
            before = report.answers
            for given in answers:
                if given.person not in people:
                    continue
                if given.suggestion is None:
                    report.count_loss(Loss.DELETED_SUGGESTIONS.value)
                    continue
                line = _answer_to_json(record.sample, given, given.suggestion)
                write_json_line(target, line, report)
                report.answers += 1
            report.records += report.answers > before
        return report


def _answer_to_json(sample: Sample, given: PersonAnswer, suggestion: Suggestion) -> dict[str, Any]:
    return {
        "dataset": sample.dataset,
        "sample": sample.id,
        "maker": suggestion.maker,
        "person": given.person,
        "answer": given.kind,
        "reason": given.reason,
        "claim": _anchors_to_json(sample, suggestion.claim),
        "evidence": _anchors_to_json(sample, suggestion.evidence),
        "labels": [JOINER.join(path) for path in suggestion.labels],
        "note": suggestion.note,
        "score": suggestion.score,
        "sources": [document.text for document in sample.side(Side.SOURCE)],
        "summary": "".join(document.text for document in sample.side(Side.SUMMARY)),
    }


def _anchors_to_json(sample: Sample, anchors: Sequence[Anchor]) -> list[dict[str, Any]]:
    found = []
    for anchor in anchors:
        quoted: dict[str, Any] = {
            "quote": anchor.span.of(sample.document(anchor.side, anchor.index).text),
            "start": anchor.span.start,
            "end": anchor.span.end,
        }
        if anchor.side is Side.SOURCE:
            quoted["document"] = anchor.index
        found.append(quoted)
    return found
