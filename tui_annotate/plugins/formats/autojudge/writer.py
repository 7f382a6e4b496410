"""Export of judgements: one line each, with the judged report, document or citation."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
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
    report_id,
    report_sentences,
    split_at_sentences,
)
from tui_annotate.domain.samples import Document, Sample, SampleKey, SampleKind, Side
from tui_annotate.domain.spans import Span
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
_WRITTEN_SIDES: Final = {
    SampleKind.REPORT: (Side.SUMMARY,),
    SampleKind.DOCUMENT: (Side.SOURCE,),
    SampleKind.CITATION: (Side.SOURCE, Side.SUMMARY),
}
"""Sides whose spans a line has: that of the field `spans`, then that of `report_spans`."""


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
            if work.has_content or self._options.include_unrated
        }
        if not works:
            if self._losses.check_read(record):
                completed = list_finished_people(record)
                self.report.count_loss(RecordTrait.EMPTY.value, len(completed))
                self._count_rejected(record)
            return
        about = self._describe_item(sample)
        if about is None:
            self._losses.count_excluded(record, Loss.NO_REPORT)
            return
        self._count_losses(record, works.values())
        self.report.records += 1
        people = {person.id: person for person in record.people}
        for name, work in sorted(works.items()):
            placed = [one for one in work.annotations if list(_list_written_anchors(sample, [one]))]
            self.report.annotations += len(placed)
            username = self._find_username(people.get(name) or Person(name, name))
            write_json_line(target, self._make_line(sample, work, username) | about, self.report)

    def _make_line(self, sample: Sample, work: _Work, username: str) -> dict[str, Any]:
        meta = sample.meta
        names = {SampleKind.REPORT: ("run_id", "team_id"), SampleKind.DOCUMENT: ("docid",)}
        main_side = _WRITTEN_SIDES[sample.kind][0]
        line = {
            "dataset": sample.dataset,
            "request_id": meta["topic_id"],
            **{name: meta[name] for name in names.get(sample.kind, ())},
            "topic_id": meta["topic_id"],
            "username": username,
            "rating": work.assignment.rating or NOT_RATED,
            "comment": work.assignment.comment.strip(),
            "spans": self._list_spans(sample, work.annotations, main_side),
        }
        if sample.kind is SampleKind.CITATION:
            line["report_spans"] = self._list_spans(sample, work.annotations, Side.SUMMARY)
        return line

    def _list_spans(
        self, sample: Sample, annotations: Iterable[Annotation], side: Side
    ) -> list[dict[str, Any]]:
        """Return a person's spans in one side of a sample, in order; in a report, one per sentence.

        A span that the person marked several times is returned once.
        """
        if not sample.side(side):
            return []
        text = sample.document(side).text
        sentences = _split_sentences(sample)
        spans = {
            span
            for anchor in _list_written_anchors(sample, annotations)
            if anchor.side is side
            for span in split_at_sentences(anchor.span, sentences, text)
        }
        to_units = utf16_map(text).to_units if self._options.offsets == UTF16 else int
        lines = []
        for span in sorted(spans):
            line: dict[str, Any] = {
                "start": to_units(span.start),
                "end": to_units(span.end),
                "text": span.of(text),
            }
            if sample.kind is SampleKind.REPORT:
                line["sentence_idx"] = find_sentence(span, sentences)
            lines.append(line)
        return lines

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
        key = SampleKey(sample.dataset, report_id(sample.group))
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

    def _find_username(self, person: Person) -> str:
        """Return the name under which a person is exported; empty for work without a named person.

        A person has the same name in all lines, and no two people have one name.
        """
        if person.id == FORMAT:
            return ""
        if person.id not in self._usernames:
            name = self._choose_username(person)
            self._usernames[person.id] = name
            self.report.count_loss(Loss.ANNOTATOR_IDS.value, name != person.id)
        return self._usernames[person.id]

    def _choose_username(self, person: Person) -> str:
        taken = {FORMAT, "", *self._usernames.values()}
        if person.name not in taken:
            return person.name
        name = person.id
        while name in taken:
            name += "+"
        return name

    def _count_losses(self, record: Record, works: Iterable[_Work]) -> None:
        """Count the losses of a record; `works` has the work of the people who get a line."""
        kept = [owned for owned in record.annotations if owned.annotation.origin != REJECTED]
        self._losses.count(replace(record, annotations=tuple(kept)))
        self._count_rejected(record)
        sample = record.sample
        lose = self.report.count_loss
        lose(RecordTrait.META.value, len(sample.meta.keys() - OWN_META))
        lose(RecordTrait.GROUP.value, bool(sample.group) and sample.kind is not SampleKind.CITATION)
        lose(RecordTrait.REQUEST.value, bool(sample.request.question))
        labels = [path for owned in kept for path in owned.annotation.labels]
        lose(Loss.LABELS.value, sum(path != PASSAGE for path in labels))
        for work in works:
            self._count_lost_spans(sample, work.annotations)
        if not self._options.include_unrated:
            all_works = _work_by_person(record)
            completed = list_finished_people(record)
            quiet = [name for name in completed if not all_works[name].has_content]
            lose(RecordTrait.EMPTY.value, len(quiet))

    def _count_rejected(self, record: Record) -> None:
        rejected = [one for one in record.annotations if one.annotation.origin == REJECTED]
        self.report.count_loss(Loss.ANNOTATIONS.value, len(rejected))

    def _count_lost_spans(self, sample: Sample, annotations: Sequence[Annotation]) -> None:
        """Count the spans of one person that a line does not have as they are."""
        written = list(_list_written_anchors(sample, annotations))
        others = sum(len(one.anchors) for one in annotations) - len(written)
        self.report.count_loss(Loss.DOCUMENT_SPANS.value, others)
        sentences = _split_sentences(sample)
        changed = 0
        parts: list[tuple[Side, Span]] = []
        for anchor in written:
            text = sample.document(anchor.side).text
            spans = split_at_sentences(anchor.span, sentences, text)
            changed += bool(sentences) and spans != (anchor.span,)
            parts += ((anchor.side, span) for span in spans)
        self.report.count_loss(Loss.DOUBLE_SPANS.value, len(parts) - len(set(parts)))
        self.report.count_loss(Loss.SPANS_OVER_SENTENCES.value, changed)


def _work_by_person(record: Record) -> dict[str, _Work]:
    found = {
        work.person: _Work(work) for work in record.assignments if work != Assignment(work.person)
    }
    for owned in record.annotations:
        if owned.annotation.origin != REJECTED:
            work = found.setdefault(owned.person, _Work(Assignment(owned.person)))
            work.annotations.append(owned.annotation)
    return found


def _list_written_anchors(sample: Sample, annotations: Iterable[Annotation]) -> Iterator[Anchor]:
    """Yield the anchors of annotations that a line can have: an item has one document per side."""
    sides = _WRITTEN_SIDES[sample.kind]
    for annotation in annotations:
        for anchor in annotation.anchors:
            if anchor.side in sides and anchor.index == 0:
                yield anchor


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
    if not isinstance(place, int) or isinstance(place, bool):
        return False
    # A citation without a document has the value None, not no value.
    return "docid" in sample.meta and isinstance(sample.meta["docid"], str | None)


def report_of_sample(sample: Sample) -> RunReport:
    """Return the report that a sample of the kind report was made from."""
    text = _join_summaries(sample)
    sentences = tuple(
        CitedSentence(text[start:end], citations)
        for start, end, citations in _split_sentences(sample)
    )
    run = ReportRun(sample.meta["run_id"], sample.meta["team_id"])
    listed = sample.meta.get("urls")
    urls = listed if isinstance(listed, dict) else {}
    sources = sample.side(Side.SOURCE)
    pages = {source.key: _page_of(source, urls.get(source.key)) for source in sources}
    return RunReport(sample.meta["topic_id"], run, sentences, pages)


def _join_summaries(sample: Sample) -> str:
    return "".join(document.text for document in sample.side(Side.SUMMARY))


def _split_sentences(sample: Sample) -> list[Sentence]:
    """Return the sentences of an exported report; empty for samples of another kind.

    A sentence ends before the white space in front of the next one: the sample does not store the
    end of a blank sentence. If the starts are not valid, the whole text is one sentence.
    """
    if sample.kind is not SampleKind.REPORT:
        return []
    text = _join_summaries(sample)
    sentences = report_sentences(sample)
    starts = [sentence.start for sentence in sentences]
    is_valid = starts[:1] == [0] and starts == sorted(starts) and starts[-1] <= len(text)
    if text and not is_valid:
        return [Sentence(0, len(text))]
    ends = [start - text[start - 1 : start].isspace() for start in starts[1:]] + [len(text)]
    return [
        Sentence(sentence.start, max(sentence.start, end), sentence.citations)
        for sentence, end in zip(sentences, ends, strict=False)
    ]


def _page_of(document: Document, url: Any) -> ReportDocument:
    title = f"{document.title}{TITLE_SEPARATOR}" if document.title else ""
    text = document.text.removeprefix(title)
    return ReportDocument(text, document.title or None, url if isinstance(url, str) else None)
