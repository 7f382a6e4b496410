"""Runs and topics for the page of autojudge-annotate, and the judgements that the page returns.

A report leaves as the run that it is. Any other sample becomes a topic of its own, with one report
whose only sentence is the whole summary, so that the offsets of the page count in the summary.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from typing import Any, Final, NamedTuple, TextIO

from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.records import OwnedAnnotation, Problem, Record
from tui_annotate.domain.samples import Sample, SampleKey, SampleKind, Side
from tui_annotate.plugins.files.json_values import JsonValue
from tui_annotate.plugins.formats.autojudge.judgements import (
    PersonJudgement,
    convert_spans,
    describe_other_unit,
    parse_judgement,
)
from tui_annotate.plugins.formats.autojudge.reports import (
    FORMAT,
    CitedSentence,
    ReportDocument,
    ReportRun,
    RunReport,
)
from tui_annotate.plugins.formats.autojudge.writer import is_item, report_of_sample
from tui_annotate.plugins.incomplete_work import mark_incomplete
from tui_annotate.plugins.json_records import Doubt, make_row_id, problems_at, write_json_line
from tui_annotate.plugins.losses import LossCounter
from tui_annotate.plugins.protocols import (
    UTF16,
    ExportOptions,
    ExportReport,
    Folder,
    ImportOptions,
)
from tui_annotate.plugins.record_validation import (
    NameRegister,
    imported_person,
    make_problem,
    parse_document,
)
from tui_annotate.plugins.traits import FormatTarget, FormatTraits, Loss, RecordTrait, carry_plainly

TOPICS: Final = "topics.jsonl"
RUNS: Final = "runs/reports.jsonl"
"""Names of the output files; the page's program reads all files of a folder of runs."""
PAIR_TEAM: Final = "tui-annotate"
PAIR_RUN: Final = "summary"
"""Names of the team and the run of a sample that is no report, by which it is recognised again."""
_SOURCE: Final = "tui-source-"
"""Start of the ids of the documents of such a sample; the number of the source follows, from 1."""
_BREAKS_PAGE: Final = re.compile("</script|<!--", re.IGNORECASE)
_MODES: Final = ("report", "citation", "document")
"""Kinds of the page's lines about one sample, in the order in which their ratings count."""

_TRAITS: Final = FormatTraits(
    title="runs and topics for the page of autojudge-annotate",
    place=FormatTarget.FOLDER,
    carried=carry_plainly(
        RecordTrait.TEXTS, RecordTrait.UNREAD, request="title, problem, background",
        kind="reports",
    ),
)  # fmt: skip


class AutojudgePageFormat:
    """Exporter of the texts of any samples for annotators with a browser and nothing else."""

    name = "autojudge-page"
    about = _TRAITS

    def write(
        self, records: Iterable[Record], target: Folder, options: ExportOptions
    ) -> ExportReport:
        """Write a topic and a report for each sample, in order; work on the samples is not written.

        Documents and citations of a report are not samples of their own: the page makes them from
        the report.
        """
        del options
        with (
            closing(NameRegister()) as seen,
            target.file(TOPICS) as topics,
            target.file(RUNS) as runs,
        ):
            writer = _PageWriter(topics, runs, seen)
            for record in records:
                writer.write(record)
        return writer.report


class _PageWriter:
    def __init__(self, topics: TextIO, runs: TextIO, seen: NameRegister) -> None:
        self.report = ExportReport()
        self._losses = LossCounter(_TRAITS, self.report)
        self._topics = topics
        self._runs = runs
        self._seen = seen

    def write(self, record: Record) -> None:
        sample = record.sample
        if sample.kind in (SampleKind.DOCUMENT, SampleKind.CITATION):
            self.report.count_loss(Loss.ITEM_ANNOTATIONS.value, len(record.annotations))
            return
        if sample.kind is SampleKind.REPORT and is_item(sample):
            report = report_of_sample(sample)
        elif sample.side(Side.SUMMARY):
            report = _make_pair_report(sample)
        else:
            self._losses.count_excluded(record, Loss.NO_SUMMARY)
            return
        topic = _make_topic(sample, report)
        if any(_BREAKS_PAGE.search(text) for text in _list_texts(topic, report)):
            self._losses.count_excluded(record, Loss.PAGE_BREAKS)
            return
        key = f"run {json.dumps([report.topic, report.run.run])}"
        run = json.dumps(sample.key)
        if self._seen.remember(key, run) != run:
            self._losses.count_excluded(record, Loss.REPEATED_RUN)
            return
        self.report.records += 1
        self._losses.count_lost_annotations(record)
        if self._seen.recall(f"topic {report.topic}") is None:
            self._seen.remember(f"topic {report.topic}", "")
            write_json_line(self._topics, topic, self.report)
        write_json_line(self._runs, _run_to_json(report), self.report)


def _make_pair_report(sample: Sample) -> RunReport:
    documents = {
        f"{_SOURCE}{number}": ReportDocument(document.text)
        for number, document in enumerate(sample.side(Side.SOURCE), 1)
    }
    sentence = CitedSentence(sample.document(Side.SUMMARY).text, tuple(documents))
    return RunReport(sample.id, ReportRun(PAIR_RUN, PAIR_TEAM), (sentence,), documents)


def _make_topic(sample: Sample, report: RunReport) -> dict[str, Any]:
    request = sample.request
    texts = {"problem_statement": request.problem, "background": request.background}
    return {
        "request_id": report.topic,
        "title": request.title or request.question or report.topic,
        **{name: text for name, text in texts.items() if text},
    }


def _list_texts(topic: Mapping[str, Any], report: RunReport) -> Iterator[str]:
    yield from topic.values()
    yield from report.run
    for sentence in report.sentences:
        yield sentence.text
    for key, page in report.documents.items():
        yield from (key, page.text, page.title or "", page.url or "")


def _run_to_json(report: RunReport) -> dict[str, Any]:
    run, team = report.run
    value = report.as_json()
    return {
        "metadata": {"team_id": team, "run_id": run, "topic_id": report.topic},
        "responses": value["sentences"],
        "documents": value["documents"],
    }


def is_pair_line(value: Any) -> bool:
    """Return whether a line is a judgement of a sample that was exported as a pair."""
    if not isinstance(value, dict):
        return False
    if str(value.get("docid")).startswith(_SOURCE):
        return True
    cited = value.get("citation")
    report = cited.get("report") if isinstance(cited, dict) else value.get("report")
    return isinstance(report, dict) and report.get("team_id") == PAIR_TEAM


class _Texts(NamedTuple):
    """The texts of a sample as a line of the page has them; a page may be without sources."""

    sources: tuple[str, ...]
    summary: str


def _texts_of_report(report: RunReport) -> _Texts:
    sources = tuple(page.text for page in report.documents.values())
    return _Texts(sources, report.sentences[0].text if report.sentences else "")


def _has_texts(sample: Sample, report: RunReport) -> bool:
    """Return whether a report has the sample's summary, and its sources or none at all."""
    texts = _texts_of_report(report)
    sources = tuple(each.text for each in sample.side(Side.SOURCE))
    return texts.summary == sample.document(Side.SUMMARY).text and texts.sources in ((), sources)


class PairJudgements:
    """Judgements of pairs from the page, stored until all files are read; one sample for each."""

    def __init__(self, options: ImportOptions) -> None:
        self._options = options
        self._lines = NameRegister()
        self._count = 0

    def close(self) -> None:
        """Delete the temporary store of the lines."""
        self._lines.close()

    def add(self, value: JsonValue) -> Iterator[Problem]:
        """Store a line; raise InvalidInput for one that is invalid."""
        found = parse_judgement(value.value, value.where)
        key = json.dumps([self._options.dataset or found.dataset, found.topic])
        place = 0
        word = json.dumps([value.where, value.value])
        while self._lines.remember(f"{place} {key}", word) != word:
            place += 1
        if not place:
            self._lines.remember(f"#{self._count}", key)
            self._count += 1
        yield from problems_at(value.where, found.doubts)

    def records(self) -> Iterator[Record | Problem]:
        """Yield a record for each sample, with all people's judgements, after the last line."""
        for number in range(self._count):
            key = self._lines.recall(f"#{number}") or ""
            lines: list[tuple[str, dict[str, Any]]] = []
            while (word := self._lines.recall(f"{len(lines)} {key}")) is not None:
                where, line = json.loads(word)
                lines.append((where, line))
            try:
                yield from self._merge_lines(SampleKey(*json.loads(key)), lines)
            except InvalidInput as error:
                yield make_problem(lines[0][0], error)

    def _merge_lines(
        self, key: SampleKey, lines: list[tuple[str, dict[str, Any]]]
    ) -> Iterator[Record | Problem]:
        lines.sort(key=lambda line: _MODES.index(_mode_of(line[1])))
        sample = self._find_sample(key, lines)
        works: dict[str, Assignment] = {}
        rated_at: dict[str, str] = {}
        annotations: dict[str, OwnedAnnotation] = {}
        problems: list[Problem] = []
        refused: list[str] = []
        for where, line in lines:
            found = parse_judgement(line, where)
            if found.report is not None and not _has_texts(sample, found.report):
                yield make_problem(where, _make_text_error(found.judgement.person, key))
                continue
            judgement = found.judgement
            doubts: list[Doubt] = []
            for owned in self._read_annotations(sample, line, judgement, doubts=doubts):
                annotations.setdefault(owned.annotation.id, owned)
            before = works.get(judgement.person)
            if before is None:
                work = Assignment(judgement.person, State.DONE)
                before = replace(work, rating=judgement.rating, comment=judgement.comment)
            elif judgement.rating and before.rating and judgement.rating != before.rating:
                doubts.append(
                    f"the rating {judgement.rating!r} of {judgement.person!r} is ignored: the"
                    f" rating {before.rating!r} of {rated_at[judgement.person]} is kept"
                )
            comments = dict.fromkeys(filter(None, (before.comment, judgement.comment)))
            rating = before.rating or judgement.rating
            if judgement.rating:
                rated_at.setdefault(judgement.person, where)
            works[judgement.person] = replace(before, rating=rating, comment="\n".join(comments))
            problems += problems_at(where, doubts)
            is_refused = any(isinstance(doubt, InvalidInput) for doubt in doubts)
            if is_refused or judgement.is_incomplete:
                refused.append(judgement.person)
        if not works:  # each line is about other texts
            return
        people = tuple(imported_person(name) for name in works)
        owned_annotations = tuple(annotations.values())
        record = Record(sample, owned_annotations, tuple(works.values()), people, lines[0][0])
        yield mark_incomplete(record, refused, problems)
        yield from problems

    def _find_sample(self, key: SampleKey, lines: list[tuple[str, dict[str, Any]]]) -> Sample:
        """Return the stored sample; else the one with the texts of most lines."""
        stored = self._options.stored(key) if self._options.stored else None
        if stored is not None:
            return stored
        reports = [parse_judgement(line, where).report for where, line in lines]
        found = [_texts_of_report(report) for report in reports if report is not None]
        # A page without documents knows fewer texts, so it counts only if there is no other.
        counts = Counter([texts for texts in found if texts.sources] or found)
        if not counts:
            raise InvalidInput(
                f"the line judges only a document of the sample {key.id!r}, which is not stored",
                "import the line into the dataset that was exported: --dataset NAME",
            )
        ((texts, _),) = counts.most_common(1)
        return self._make_sample(key, texts)

    def _make_sample(self, key: SampleKey, texts: _Texts) -> Sample:
        sides = [*((Side.SOURCE, text) for text in texts.sources), (Side.SUMMARY, texts.summary)]
        documents = [
            parse_document(text, side=side, column=side.value, language=self._options.language)
            for side, text in sides
        ]
        return Sample(key.dataset, key.id, tuple(documents))

    def _read_annotations(
        self,
        sample: Sample,
        line: Mapping[str, Any],
        judgement: PersonJudgement,
        *,
        doubts: list[Doubt],
    ) -> Iterator[OwnedAnnotation]:
        cited = line.get("citation")
        docid = cited.get("docid") if isinstance(cited, dict) else line.get("docid")
        for name, spans in judgement.spans.items():
            side = Side.SOURCE if name == "document" else Side.SUMMARY
            index = _source_index(docid) if side is Side.SOURCE else 0
            if not spans:
                continue
            if not 0 <= index < len(sample.side(side)):
                doubts.append(
                    InvalidInput(f"the spans of the document {docid!r}, which is missing")
                )
                continue
            text = sample.document(side, index).text
            # The page counts as browsers do; nothing else writes these lines.
            stated = self._options.offsets or UTF16
            fitting, others, unit = convert_spans(text, spans, offsets=stated)
            if unit != stated:
                doubts.append(describe_other_unit(name, stated=stated, used=unit))
            doubts += [
                InvalidInput(f"span {start}:{end} of the {name}: its text is not {quote!r:.60}")
                for start, end, quote in others
            ]
            for span in fitting:
                trimmed = span.trim(text)
                if trimmed is None:
                    doubts.append(InvalidInput(f"a span of the {name} contains only white space"))
                    continue
                anchor = Anchor(side, index, trimmed)
                row = [judgement.person, side.value, index, trimmed.start, trimmed.end]
                yield OwnedAnnotation(
                    judgement.person,
                    Annotation(
                        make_row_id(sample.key, 0, row),
                        (anchor,) if side is Side.SUMMARY else (),
                        (anchor,) if side is Side.SOURCE else (),
                        origin=f"imported:{FORMAT}",
                    ),
                )


def _mode_of(line: Mapping[str, Any]) -> str:
    if "citation" in line:
        return "citation"
    return "document" if "docid" in line else "report"


def _source_index(docid: Any) -> int:
    number = str(docid).removeprefix(_SOURCE)
    return int(number) - 1 if number.isascii() and number.isdecimal() else -1


def _make_text_error(person: str, key: SampleKey) -> InvalidInput:
    return InvalidInput(
        f"{person!r} judged other texts than those of the sample {key.id!r}: the line is not"
        " imported",
        "ask the annotator to judge the sample in a page that is generated from these texts",
    )
