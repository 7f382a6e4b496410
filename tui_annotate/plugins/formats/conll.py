"""CoNLL-U Plus, for export only: one word per line with its offsets and a span tag."""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Final, TextIO

from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import Sample, Side
from tui_annotate.domain.spans import Span
from tui_annotate.methods.tokenizer import tokenize
from tui_annotate.plugins.joined_texts import EVIDENCE, UNLABELLED
from tui_annotate.plugins.json_records import count_ambiguous_labels, join_label
from tui_annotate.plugins.losses import LossCounter
from tui_annotate.plugins.protocols import ExportOptions, ExportReport
from tui_annotate.plugins.traits import FormatTraits, Loss, RecordTrait, carry_plainly

OUTSIDE: Final = "O"
HEADER: Final = "# global.columns = ID FORM TUI:START TUI:END TUI:TAG\n"

_BLANK = re.compile(r"[\s\x00-\x1f\x7f-\x9f\ufeff]+")
_BREAKS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]")
"""Characters that are escaped in comments of a CoNLL file, such as line breaks."""

Tagged = tuple[Span, str]


class ConllFormat:
    """Exporter of CoNLL-U Plus; a word has one tag, so words that spans share are lost."""

    name = "conll"
    about = FormatTraits(
        title="CoNLL-U Plus, one token per line with a BIO tag",
        layered=True,
        trains=True,
        carried=carry_plainly(
            RecordTrait.EMPTY,
            RecordTrait.UNCLAIMED,
            RecordTrait.GROUP,
            RecordTrait.DATASET,
            RecordTrait.ABOUT,
            tree="joined",
            texts="sections",
        ),
    )

    def write(
        self, records: Iterable[Record], target: TextIO, options: ExportOptions
    ) -> ExportReport:
        del options
        report = ExportReport()
        losses = LossCounter(self.about, report)
        described: set[str] = set()
        target.write(HEADER)
        for record in records:
            if not losses.check_read(record):
                continue
            losses.count(record)
            report.records += 1
            report.annotations += len(record.annotations)
            spans = _collect_spans(record, report)
            sample = record.sample
            if sample.dataset not in described:
                described.add(sample.dataset)
                target.writelines(_comment_lines(asdict(record.about)))
            for side in Side:
                for index in range(len(sample.side(side))):
                    lines = _section_lines(sample, (side, index), spans, report=report)
                    target.writelines(lines)
        return report


def _collect_spans(record: Record, report: ExportReport) -> dict[tuple[Side, int], set[Tagged]]:
    found: dict[tuple[Side, int], set[Tagged]] = {}

    def mark(anchors: Iterable[Anchor], tag: str) -> None:
        for side, index, span in anchors:
            found.setdefault((side, index), set()).add((span, tag))

    for owned in record.annotations:
        one = owned.annotation
        mark(one.claim, _make_tag(one) or UNLABELLED)
        mark(one.evidence, (not one.claim and _make_tag(one)) or EVIDENCE)
        report.count_loss(Loss.DOT.value, count_ambiguous_labels(one.labels[:1]))
        blank = one.labels and join_label(one.labels[0]) != _make_tag(one)
        report.count_loss(Loss.WHITE_SPACE.value, bool(blank))
    return found


def _make_tag(one: Annotation) -> str:
    return _BLANK.sub("_", join_label(one.labels[0])) if one.labels else ""


def _section_lines(
    sample: Sample,
    place: tuple[Side, int],
    spans: dict[tuple[Side, int], set[Tagged]],
    *,
    report: ExportReport,
) -> Iterator[str]:
    side, index = place
    text = sample.document(side, index).text
    words = list(tokenize(text))
    about = {"dataset": sample.dataset, "sample_id": sample.id, "group": sample.group}
    about |= {"side": side.value, "document": str(index) if index else "", "text": text}
    yield from _comment_lines(about)
    tags = _assign_tags(words, spans.get(place, set()), report)
    for number, (word, tag) in enumerate(zip(words, tags, strict=True), 1):
        yield f"{number}\t{word.of(text)}\t{word.start}\t{word.end}\t{tag}\n"
    yield "\n"


def _comment_lines(values: Mapping[str, str]) -> Iterator[str]:
    return (f"# {name} = {_comment_value(value)}\n" for name, value in values.items() if value)


def _assign_tags(words: Sequence[Span], spans: Iterable[Tagged], report: ExportReport) -> list[str]:
    """Return one BIO tag (begin, inside, outside of a span) for each word of a text, in order.

    A word that spans share has the tag of the span that begins first, or of the longest one if
    several begin at the same offset. The other spans keep the words after it, and begin there.
    """
    tags = [OUTSIDE] * len(words)
    free = 0  # no word from here on has a tag, as spans are in the order of their starts
    for span, tag in sorted(spans, key=lambda one: (one[0].start, -one[0].end, one[1])):
        first = bisect_right(words, span.start, key=lambda word: word.end)
        last = bisect_left(words, span.end, first, key=lambda word: word.start)
        if first == last:
            report.count_loss(Loss.TOKENLESS.value)
            continue
        if last <= free:
            report.count_loss(Loss.COVERED_SPANS.value)
            continue
        cut = words[first].start < span.start or words[last - 1].end > span.end
        report.count_loss(Loss.CUT_TOKENS.value, cut)
        report.count_loss(Loss.SHARED_TOKENS.value, first < free)
        first = max(first, free)
        tags[first:last] = [f"B-{tag}", *[f"I-{tag}"] * (last - first - 1)]
        free = last
    return tags


def _comment_value(value: str) -> str:
    if _BREAKS.search(value) is None and value.strip() == value and not value.startswith('"'):
        return value
    quoted = json.dumps(value, ensure_ascii=False)
    return _BREAKS.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)
