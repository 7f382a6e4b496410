"""Export of judgements: one line each, with the judged report, document or citation."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TextIO

from tui_annotate.domain.annotations import REJECTED, Anchor, Annotation
from tui_annotate.domain.assignments import Assignment
from tui_annotate.domain.offsets import utf16_map
from tui_annotate.domain.people import Person
from tui_annotate.domain.records import Record
from tui_annotate.domain.report_collections import (
    NOT_RATED,
    PASSAGE,
    Sentence,
    find_sentence,
    report_sentences,
    split_at_sentences,
)
from tui_annotate.domain.samples import Document, Sample, SampleKey, SampleKind, Side
from tui_annotate.plugins.formats.autojudge.reports import (
    FORMAT,
    OWN_META,
    TITLE_SEPARATOR,
    TRAITS,
    CitedSentence,
    ReportDocument,
    ReportRun,
    RunReport,
    pack_report,
    page_to_json,
    report_id,
    unpack_report,
)
from tui_annotate.plugins.json_records import write_json_line
from tui_annotate.plugins.losses import LossCounter, list_finished_people
from tui_annotate.plugins.protocols import UTF16, ExportOptions, ExportReport
from tui_annotate.plugins.record_validation import NameRegister
from tui_annotate.plugins.traits import Loss, RecordTrait

_NEEDED_META: Final = {
    SampleKind.REPORT: ("topic_id", "run_id", "team_id"),
    SampleKind.DOCUMENT: ("topic_id", "docid"),
    SampleKind.CITATION: ("topic_id",),
}


@dataclass(slots=True)
class _Work:
    assignment: Assignment
    annotations: list[Annotation] = field(default_factory=list)

    @property
    def has_content(self) -> bool:
        return bool(self.annotations or self.assignment.rating or self.assignment.comment.strip())


class AutojudgeWriter:
    """Writes a line for each person's judgement of a report, document or citation."""

    def __init__(self, options: ExportOptions, reports: NameRegister) -> None:
        self.report = ExportReport()
        self._losses = LossCounter(TRAITS, self.report, own=FORMAT)
        self._options = options
        self._reports = reports
        self._usernames: dict[str, str] = {}
        self._last_report: tuple[SampleKey, RunReport] | None = None

    def write(self, record: Record, target: TextIO) -> None:
        """Write a line for each person who judged a sample; other kinds of samples are losses."""
        sample = record.sample
        if not is_item(sample):
            self._losses.count_excluded(record, Loss.OTHER_KINDS)
            return
        if sample.kind is SampleKind.REPORT and self._options.sample is None:
            self._reports.remember(json.dumps(sample.key), pack_report(report_of_sample(sample)))
        works = {
            name: work
            for name, work in _work_by_person(record).items()
            if work.has_content or self._options.unrated
        }
        if not works:
            if self._losses.check_read(record):
                completed = list_finished_people(record)
                self.report.count_loss(RecordTrait.EMPTY.value, len(completed))
            return
        about = self._describe_item(sample)
        if about is None:
            self._losses.count_excluded(record, Loss.NO_REPORT)
            return
        self._count_losses(record)
        self.report.records += 1
        people = {person.id: person for person in record.people}
        for name, work in sorted(works.items()):
            placed = [one for one in work.annotations if _written_anchors(sample, one)]
            self.report.annotations += len(placed)
            username = self._username(people.get(name) or Person(name, name))
            write_json_line(target, self._make_line(sample, work, username) | about, self.report)

    def _make_line(self, sample: Sample, work: _Work, username: str) -> dict[str, Any]:
        meta = sample.meta
        offsets = self._options.offsets
        topic = meta["topic_id"]
        kinds = {SampleKind.REPORT: ("run_id", "team_id"), SampleKind.DOCUMENT: ("docid",)}
        side = Side.SUMMARY if sample.kind is SampleKind.REPORT else Side.SOURCE
        line = {
            "dataset": sample.dataset,
            "request_id": topic,
            **{name: meta[name] for name in kinds.get(sample.kind, ())},
            "topic_id": topic,
            "username": username,
            "rating": work.assignment.rating or NOT_RATED,
            "comment": work.assignment.comment.strip(),
            "spans": _marked_spans(sample, work.annotations, side, offsets=offsets),
        }
        if sample.kind is SampleKind.CITATION:
            spans = _marked_spans(sample, work.annotations, Side.SUMMARY, offsets=offsets)
            line["report_spans"] = spans
        return line

    def _describe_item(self, sample: Sample) -> dict[str, Any] | None:
        meta = sample.meta
        if sample.kind is SampleKind.REPORT:
            return {"report": report_of_sample(sample).as_json()}
        if sample.kind is SampleKind.DOCUMENT:
            page = _page_of(sample.document(Side.SOURCE), meta.get("url"))
            return {"document": page_to_json(meta["docid"], page)}
        report = self._find_report(sample)
        place = meta["sentence_idx"]
        key = meta["docid"]
        if report is None or not 0 <= place < len(report.sentences):
            return None
        sentence = report.sentences[place]
        page_there = report.documents.get(key)
        return {
            "citation": {
                "report": report.as_json(),
                "sentence_idx": place,
                "sentence": {"text": sentence.text, "citations": list(sentence.citations)},
                "docid": key,
                "document": page_to_json(key, page_there) if page_there else None,
            }
        }

    def _find_report(self, sample: Sample) -> RunReport | None:
        topic = sample.meta["topic_id"]
        run = sample.group.removeprefix(f"{topic}|").rpartition("|")[0]
        key = SampleKey(sample.dataset, report_id(topic, run))
        if self._last_report is not None:
            last_key, report = self._last_report
            if last_key == key:
                return report
        loaded = self._load_report(key)
        if loaded is not None:
            self._last_report = key, loaded
        return loaded

    def _load_report(self, key: SampleKey) -> RunReport | None:
        if self._options.sample is None:
            line = self._reports.recall(json.dumps(key))
            return None if line is None else unpack_report(line)
        sample = self._options.sample(key)
        return report_of_sample(sample) if sample is not None and is_item(sample) else None

    def _username(self, person: Person) -> str:
        """Return the name under which a person is exported; the id if the name is in use."""
        found = self._usernames.get(person.id)
        if found is None:
            taken = {FORMAT, "", *self._usernames.values()}
            found = person.id if person.name in taken else person.name
            while found in taken and person.id != FORMAT:
                found += "+"
            found = "" if person.id == FORMAT else found
            self._usernames[person.id] = found
            self.report.count_loss(Loss.ANNOTATOR_IDS.value, found not in ("", person.id))
        return found

    def _count_losses(self, record: Record) -> None:
        self._losses.count(record)
        sample = record.sample
        lose = self.report.count_loss
        lose(RecordTrait.META.value, len(sample.meta.keys() - OWN_META))
        lose(RecordTrait.GROUP.value, bool(sample.group) and sample.kind is not SampleKind.CITATION)
        lose(RecordTrait.REQUEST.value, bool(sample.request.question))
        annotations = [owned.annotation for owned in record.annotations]
        lose(Loss.LABELS.value, sum(path != PASSAGE for one in annotations for path in one.labels))
        written = [anchor for one in annotations for anchor in _written_anchors(sample, one)]
        others = sum(len(one.anchors) for one in annotations) - len(written)
        lose(Loss.DOCUMENT_SPANS.value, others)
        lose(Loss.DOUBLE_SPANS.value, len(written) - len(set(written)))
        if within := _sentences(sample):
            text = sample.document(Side.SUMMARY).text if sample.side(Side.SUMMARY) else ""
            over = sum(
                split_at_sentences(anchor.span, within, text) != (anchor.span,)
                for anchor in written
            )
            lose(Loss.SPANS_OVER_SENTENCES.value, over)
        if not self._options.unrated:
            works = _work_by_person(record)
            quiet = [name for name in list_finished_people(record) if not works[name].has_content]
            lose(RecordTrait.EMPTY.value, len(quiet))


def _work_by_person(record: Record) -> dict[str, _Work]:
    found = {
        work.person: _Work(work) for work in record.assignments if work != Assignment(work.person)
    }
    for owned in record.annotations:
        if owned.annotation.origin != REJECTED:
            work = found.setdefault(owned.person, _Work(Assignment(owned.person)))
            work.annotations.append(owned.annotation)
    return found


def _marked_spans(
    sample: Sample, annotations: Sequence[Annotation], side: Side, *, offsets: str
) -> list[dict[str, Any]]:
    """Return annotators' spans in one side of a sample, in order; in a report, one per sentence."""
    if not sample.side(side):
        return []
    text = sample.document(side).text
    within = _sentences(sample)
    # An item has only the first document of each side.
    marks = (
        span for one in annotations for on, index, span in one.anchors if on is side and not index
    )
    to_units = utf16_map(text).to_units if offsets == UTF16 else int
    lines = []
    for span in sorted({part for mark in marks for part in split_at_sentences(mark, within, text)}):
        line: dict[str, Any] = {"start": to_units(span.start), "end": to_units(span.end)}
        line["text"] = span.of(text)
        if sample.kind is SampleKind.REPORT:
            line["sentence_idx"] = find_sentence(span, within) or 0
        lines.append(line)
    return lines


def _sentences(sample: Sample) -> Sequence[Sentence]:
    return report_sentences(sample) if sample.kind is SampleKind.REPORT else ()


def _written_anchors(sample: Sample, annotation: Annotation) -> list[Anchor]:
    sides = (Side.SUMMARY,) if sample.kind is SampleKind.REPORT else tuple(Side)
    return [anchor for anchor in annotation.anchors if anchor.side in sides and not anchor.index]


def is_item(sample: Sample) -> bool:
    """Return whether a sample is a report, document or citation with the metadata of one."""
    needed = _NEEDED_META.get(sample.kind)
    if needed is None or not all(isinstance(sample.meta.get(name), str) for name in needed):
        return False
    if sample.kind is SampleKind.DOCUMENT:
        return bool(sample.side(Side.SOURCE))
    if sample.kind is SampleKind.REPORT:
        return True
    place = sample.meta.get("sentence_idx")
    counted = isinstance(place, int) and not isinstance(place, bool)
    return counted and isinstance(sample.meta.get("docid", 0), str | None)


def report_of_sample(sample: Sample) -> RunReport:
    """Return the report that a sample of the kind report was made from."""
    text = "".join(document.text for document in sample.side(Side.SUMMARY))
    found = report_sentences(sample)
    starts = [sentence.start for sentence in found]
    if text and (starts != sorted(starts) or starts[:1] != [0] or starts[-1] > len(text)):
        made: tuple[CitedSentence, ...] = (CitedSentence(text),)  # no valid sentence boundaries
    else:
        ends = [*(start - 1 for start in starts[1:]), len(text)][: len(starts)]
        made = tuple(
            CitedSentence(text[start : max(start, end)], each.citations)
            for start, end, each in zip(starts, ends, found, strict=True)
        )
    run = ReportRun(sample.meta["run_id"], sample.meta["team_id"])
    listed = sample.meta.get("urls")
    urls = listed if isinstance(listed, dict) else {}
    sources = sample.side(Side.SOURCE)
    pages = {source.key: _page_of(source, urls.get(source.key)) for source in sources}
    return RunReport(sample.meta["topic_id"], run, made, pages)


def _page_of(document: Document, url: Any) -> ReportDocument:
    title = f"{document.title}{TITLE_SEPARATOR}" if document.title else ""
    text = document.text.removeprefix(title)
    return ReportDocument(text, document.title or None, url if isinstance(url, str) else None)
