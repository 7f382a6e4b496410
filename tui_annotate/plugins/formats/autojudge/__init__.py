"""autojudge format: systems' reports on topics, the cited documents, and people's judgements.

A report becomes samples of three kinds: the report, each of its documents, and each pair of a
sentence and a document that the sentence cites. All files are read before the first sample is
yielded, because sample ids depend on all files. A run is one system's set of reports.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Final, TextIO

from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.records import Problem, Record
from tui_annotate.plugins.files.json_values import JsonValue, read_json_values
from tui_annotate.plugins.formats.autojudge.judgements import (
    add_judgements,
    is_line,
    is_report,
    item_identity,
    parse_judgement,
)
from tui_annotate.plugins.formats.autojudge.page import PairJudgements, is_pair_line
from tui_annotate.plugins.formats.autojudge.reports import FORMAT, TRAITS, Topic, read_run_report
from tui_annotate.plugins.formats.autojudge.samples import TopicSamples
from tui_annotate.plugins.formats.autojudge.spill_cache import SpillCache, StoredReport
from tui_annotate.plugins.formats.autojudge.topics import DocumentFile, Topics
from tui_annotate.plugins.formats.autojudge.writer import AutojudgeWriter
from tui_annotate.plugins.json_records import check_object, problems_at
from tui_annotate.plugins.protocols import ExportOptions, ExportReport, ImportOptions, ReadMeter
from tui_annotate.plugins.record_validation import NameRegister, choose_dataset_name, make_problem

_TOPIC_BITS: Final = 32
"""Number of low bits of a topic's number that hold its index in its dataset."""


def _find_companions(paths: Sequence[Path], options: ImportOptions) -> ImportOptions:
    def find(name: str) -> Path | None:
        return next((file for path in paths if (file := path / name).is_file()), None)

    return replace(
        options,
        topics=options.topics or find("topics.jsonl"),
        documents=options.documents or find("documents.jsonl"),
    )


def _list_files(path: Path, *others: Path | str | None) -> list[Path]:
    if not path.is_dir():
        return [path]
    left_out = {Path(other).resolve() for other in others if other is not None}
    there = (each for each in sorted(path.iterdir()) if each.is_file())
    found = [each for each in there if each.name[0] != "." and each.resolve() not in left_out]
    if not found:
        raise NotFound(
            f"the folder {path} contains no run files",
            "pass the folder that contains the run files",
        )
    return found


class _Collection:
    def __init__(
        self,
        cache: SpillCache,
        topics: Topics,
        *,
        pairs: PairJudgements,
        options: ImportOptions,
    ) -> None:
        self._cache = cache
        self._pairs = pairs
        self._topics = topics
        self._options = options
        self._datasets: dict[str, int] = {}
        self._topic_at: dict[int, tuple[str, Topic]] = {}
        self._bytes = ReadMeter()

    def read(self, path: Path) -> Iterator[Problem]:
        options = self._options
        for file in _list_files(path, options.topics, options.documents):
            for value in read_json_values(
                file,
                encoding=options.encoding,
                meter=self._bytes,
                parts=frozenset({"spans", "report_spans"}),
            ):
                if isinstance(value, Problem):
                    yield value
                    continue
                line = is_line(value.value)
                if not line and options.topics is None and is_report(value.value):
                    raise InvalidInput(
                        f"{value.where} contains a report, but no file of topics was given",
                        "pass the file of topics: --topics topics.jsonl",
                    )
                try:
                    if is_pair_line(value.value):
                        yield from self._pairs.add(value)
                        yield from problems_at(value.where, value.broken)
                        continue
                    yield from self._add_judgement(value) if line else self._add_report(value, path)
                    yield from problems_at(value.where, value.broken)
                except InvalidInput as error:
                    yield make_problem(value.where, error)

    def _add_report(self, value: JsonValue, path: Path) -> Iterator[Problem]:
        check_object(value.value, what="report")
        if not is_report(value.value):
            raise InvalidInput(
                "the record is neither a report nor a judgement",
                "a report has the fields 'metadata' and 'responses'; a judgement has the fields"
                " 'rating', 'comment' and 'spans'",
            )
        report, doubts = read_run_report(value.value)
        place = self._topic_place(
            choose_dataset_name(path, self._options.dataset, former=self._options.former_names),
            report.topic,
        )
        if place is None:
            return
        self._cache.put(place, StoredReport(value.where, report))
        yield from problems_at(value.where, doubts)

    def _add_judgement(self, value: JsonValue) -> Iterator[Problem]:
        found = parse_judgement(value.value, value.where)
        place = self._topic_place(self._options.dataset or found.dataset, found.topic)
        if place is None:
            return
        if found.report is not None:
            self._cache.put(place, StoredReport(value.where, found.report))
        for key, page in found.pages.items():
            self._cache.put_page(place, key, page, where=value.where)
        self._cache.put_judgement(place, found.item, found.judgement)
        yield from problems_at(value.where, found.doubts)

    def _topic_place(self, dataset: str, topic: str) -> int | None:
        found = self._topics.find(topic)
        if found is None:
            return None
        number = self._datasets.setdefault(dataset, len(self._datasets))
        place = number << _TOPIC_BITS | found.place
        self._topic_at[place] = dataset, found
        return place

    def records(self) -> Iterator[Record | Problem]:
        number = 0
        count = self._cache.count()
        for place in self._cache.places():
            dataset, topic = self._topic_at[place]
            shared = self._cache.shared(place)
            samples = TopicSamples(dataset, topic, shared=shared, options=self._options)
            for placed in self._cache.reports(place):
                yield from self._add_judgements(place, samples.of_report(placed))
                number += 1
                if self._options.meter is not None:  # all files are read: count yielded records
                    self._options.meter.done = round(self._bytes.done * number / count)
            for where, pages in self._cache.pages(place):
                yield from samples.see_documents(where, pages)
            for where, held in self._cache.all_pages(place):
                yield from self._add_judgements(place, samples.of_documents(where, held))

    def _add_judgements(
        self, place: int, items: Iterable[Record | Problem]
    ) -> Iterator[Record | Problem]:
        for item in items:
            found = []
            if self._cache.judged and isinstance(item, Record):
                found = self._cache.judgements(place, item_identity(item.sample))
            if isinstance(item, Record) and found:
                yield from add_judgements(item, found, offsets=self._options.offsets)
            else:
                yield item


def _refuse_repeated(
    items: Iterator[Record | Problem], seen: NameRegister
) -> Iterator[Record | Problem]:
    for number, item in enumerate(items):
        if isinstance(item, Record):
            mark = f"{number} {item.where}"
            before = seen.remember(json.dumps(item.sample.key), mark)
            if before != mark:
                at = before.partition(" ")[2]
                message = f"duplicate sample id {item.sample.key}: already used at {at}"
                yield Problem(
                    item.where, message, "remove the character | from the ids in the record"
                )
                continue
        yield item


class AutojudgeFormat:
    """Importer of reports and judgements, and exporter of judgements."""

    name = FORMAT
    about = TRAITS

    def read(self, path: Path, options: ImportOptions) -> Iterator[Record | Problem]:
        return self.read_all([path], options)

    def read_all(self, paths: Sequence[Path], options: ImportOptions) -> Iterator[Record | Problem]:
        """Read the samples of all files, topic by topic; warnings about lines come first."""
        options = _find_companions(paths, options)
        with closing(NameRegister()) as rows, closing(NameRegister()) as records:
            topics = Topics(options.topics, options.topic, encoding=options.encoding)
            yield from topics.read()
            library = DocumentFile(options.documents, rows, encoding=options.encoding)
            yield from library.read()
            with (
                closing(SpillCache(library.completed)) as cache,
                closing(PairJudgements(options)) as pairs,
            ):
                collection = _Collection(cache, topics, pairs=pairs, options=options)
                for path in paths:
                    yield from collection.read(path)
                items = chain(collection.records(), pairs.records())
                yield from _refuse_repeated(items, records)

    def write(
        self, records: Iterable[Record], target: TextIO, options: ExportOptions
    ) -> ExportReport:
        """Write a line for each judgement; without `options.sample`, reports precede citations."""
        with closing(NameRegister()) as reports:
            writer = AutojudgeWriter(options, reports)
            for record in records:
                writer.write(record, target)
        return writer.report
