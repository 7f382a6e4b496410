"""What people said of reports, documents and citations as lines, each with what it is about."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, TextIO

from tui_annotate.domain.annotations import REJECTED, Annotation
from tui_annotate.domain.assignments import Assignment
from tui_annotate.domain.items import NOT_RATED
from tui_annotate.domain.people import Person
from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import Kind, Sample, SampleKey, Side
from tui_annotate.plugins.admission import Seen
from tui_annotate.plugins.formats.autojudge.marked import count_lost, marked, placed
from tui_annotate.plugins.formats.autojudge.names import ABOUT, FORMAT, OWN_META
from tui_annotate.plugins.formats.autojudge.parts import (
    is_item,
    page_of,
    report_key,
    report_of_sample,
)
from tui_annotate.plugins.formats.autojudge.reports import (
    RunReport,
    packed,
    page_to_json,
    unpacked,
)
from tui_annotate.plugins.losses import Tally, finished
from tui_annotate.plugins.protocols import ExportOptions, Report
from tui_annotate.plugins.traits import Trait

_OF_SUCH: Final = "annotations of such samples"


@dataclass(slots=True)
class _Work:
    """What one person did with an item."""

    assignment: Assignment
    annotations: list[Annotation] = field(default_factory=list)

    @property
    def said(self) -> bool:
        """Whether they marked, rated or commented it."""
        return bool(self.annotations or self.assignment.rating or self.assignment.comment.strip())


class Writer:
    """Writes a line for each item that somebody said something of, and each who did.

    Args:
        reports: what the reports that come by are kept in, where nobody gives them by key.
    """

    def __init__(self, options: ExportOptions, reports: Seen) -> None:
        self.report = Report()
        self._tally = Tally(ABOUT, self.report, own=FORMAT)
        self._options = options
        self._reports = reports
        self._usernames: dict[str, str] = {}
        self._last: tuple[SampleKey, RunReport] | None = None

    def write(self, record: Record, target: TextIO) -> None:
        """Writes what was said of one sample."""
        for _, line in self.lines(record):
            target.write(json.dumps(line, ensure_ascii=False))
            target.write("\n")

    def lines(self, record: Record) -> Iterator[tuple[str, dict[str, Any]]]:
        """The id of each person who said something of a sample, and the line of it.

        Counts what has no place in them.
        """
        sample = record.sample
        if not is_item(sample):
            self._leave(record, "samples that are no report, document or citation")
            return
        if sample.kind is Kind.REPORT and self._options.sample is None:
            self._reports.first(json.dumps(sample.key), packed(report_of_sample(sample)))
        works = {name: work for name, work in _works(record).items() if self._is_wanted(work)}
        about = self._about(sample) if works else {}
        if about is None:
            self._leave(record, "citations whose report is not there")
            return
        self._count(record)
        self.report.records += bool(works)
        people = {person.id: person for person in record.people}
        for name, work in sorted(works.items()):
            self.report.annotations += sum(bool(placed(sample, one)) for one in work.annotations)
            username = self._username(people.get(name) or Person(name, name))
            yield name, self._line(sample, work, username) | about

    def _is_wanted(self, work: _Work) -> bool:
        return work.said or self._options.unrated

    def _leave(self, record: Record, why: str) -> None:
        self.report.lose(why)
        self.report.lose(_OF_SUCH, len(record.annotations))

    def _line(self, sample: Sample, work: _Work, username: str) -> dict[str, Any]:
        """A line but for what it is about: keys and order are the format's."""
        meta, offsets = sample.meta, self._options.offsets
        topic = meta["topic_id"]
        of = {
            Kind.REPORT: ("run_id", "team_id"),
            Kind.DOCUMENT: ("docid",),
        }.get(sample.kind, ())
        side = Side.SUMMARY if sample.kind is Kind.REPORT else Side.SOURCE
        line = {
            "dataset": sample.dataset,
            "request_id": topic,
            **{name: meta[name] for name in of},
            "topic_id": topic,
            "username": username,
            "rating": work.assignment.rating or NOT_RATED,
            "comment": work.assignment.comment.strip(),
            "spans": marked(sample, work.annotations, side, offsets=offsets),
        }
        if sample.kind is Kind.CITATION:
            line["report_spans"] = marked(sample, work.annotations, Side.SUMMARY, offsets=offsets)
        return line

    def _about(self, sample: Sample) -> dict[str, Any] | None:
        """What a line is about, in full; None for a citation whose report nobody has."""
        meta = sample.meta
        if sample.kind is Kind.REPORT:
            return {"report": report_of_sample(sample).as_json()}
        if sample.kind is Kind.DOCUMENT:
            page = page_of(sample.document(Side.SOURCE), meta.get("url"))
            return {"document": page_to_json(meta["docid"], page)}
        report, place, key = self._report_of(sample), meta["sentence_idx"], meta["docid"]
        if report is None or not 0 <= place < len(report.sentences):
            return None
        sentence, page_there = report.sentences[place], report.documents.get(key)
        return {
            "citation": {
                "report": report.as_json(),
                "sentence_idx": place,
                "sentence": {"text": sentence.text, "citations": list(sentence.citations)},
                "docid": key,
                "document": page_to_json(key, page_there) if page_there else None,
            }
        }

    def _report_of(self, sample: Sample) -> RunReport | None:
        """The report that a citation is of; the last one is remembered, as many are of one."""
        key = report_key(sample)
        if self._last is None or self._last[0] != key:
            found = self._found(key)
            if found is None:
                return None
            self._last = key, found
        return self._last[1]

    def _found(self, key: SampleKey) -> RunReport | None:
        if self._options.sample is None:
            line = self._reports.word(json.dumps(key))
            return None if line is None else unpacked(line)
        sample = self._options.sample(key)
        return report_of_sample(sample) if sample is not None and is_item(sample) else None

    def _username(self, person: Person) -> str:
        """What somebody is called in lines: by name; by id where another one has the name."""
        found = self._usernames.get(person.id)
        if found is None:
            taken = {FORMAT, "", *self._usernames.values()}
            found = person.id if person.name in taken else person.name
            while found in taken and person.id != FORMAT:
                found += "+"
            found = "" if person.id == FORMAT else found
            self._usernames[person.id] = found
            self.report.lose("ids of annotators", found not in ("", person.id))
        return found

    def _count(self, record: Record) -> None:
        self._tally.count(record)
        sample, lose = record.sample, self.report.lose
        lose(Trait.META.value, len(sample.meta.keys() - OWN_META))
        lose(Trait.GROUP.value, bool(sample.group) and sample.kind is not Kind.CITATION)
        lose(Trait.REQUEST.value, bool(sample.request.question))
        count_lost(self.report, sample, [owned.annotation for owned in record.annotations])
        if not self._options.unrated:
            works = _works(record)
            quiet = [name for name in finished(record) if not works[name].said]
            lose(Trait.EMPTY.value, len(quiet))


def _works(record: Record) -> dict[str, _Work]:
    """What each person did who did anything: what review refused is nobody's."""
    found = {
        work.person: _Work(work) for work in record.assignments if work != Assignment(work.person)
    }
    for owned in record.annotations:
        if owned.annotation.origin != REJECTED:
            work = found.setdefault(owned.person, _Work(Assignment(owned.person)))
            work.annotations.append(owned.annotation)
    return found
