"""The exporter `markdown`: a page that lists the annotations of each sample."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TextIO

from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import Sample
from tui_annotate.plugins.losses import LossCounter
from tui_annotate.plugins.protocols import ExportOptions, ExportReport
from tui_annotate.plugins.traits import FormatTraits, RecordTrait, carry_plainly


class MarkdownFormat:
    """Writes one heading for each sample and one list item for each annotation."""

    name = "markdown"
    about = FormatTraits(
        title="a Markdown page with a list of annotations for each sample",
        carried=carry_plainly(
            RecordTrait.OVERLAP,
            RecordTrait.FRAGMENTS,
            RecordTrait.LINK,
            RecordTrait.EVIDENCES,
            RecordTrait.TREE,
            RecordTrait.NOTE,
            RecordTrait.SEVERAL,
            RecordTrait.BARE,
            RecordTrait.UNCLAIMED,
            RecordTrait.DATASET,
        ),
    )

    def write(
        self, records: Iterable[Record], target: TextIO, options: ExportOptions
    ) -> ExportReport:
        """Write records in order; `LossCounter` counts what `about.carried` does not name."""
        report = ExportReport()
        losses = LossCounter(self.about, report)
        for record in records:
            target.write(f"## {record.sample.dataset}/{record.sample.id}\n\n")
            annotations = [owned.annotation for owned in record.annotations]
            target.writelines(_format_annotation(each, record.sample) for each in annotations)
            target.write("\n")
            losses.count(record)
            report.records += 1
            report.annotations += len(annotations)
        return report


def _format_annotation(annotation: Annotation, sample: Sample) -> str:
    labels = ", ".join(".".join(path) for path in annotation.labels) or "no label"
    claim, evidence = (_quote(each, sample) for each in (annotation.claim, annotation.evidence))
    note = f" {annotation.note}" if annotation.note else ""
    return " ".join(f"- **{labels}**: {claim or '-'} <- {evidence or '-'}{note}".split()) + "\n"


def _quote(anchors: Sequence[Anchor], sample: Sample) -> str:
    quotes = (one.span.of(sample.document(one.side, one.index).text) for one in anchors)
    return " ... ".join(f'"{quote}"' for quote in quotes)
