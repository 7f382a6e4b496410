"""Files of runs to records: all are read before the first is given, as ids depend on all."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.records import Problem, Record
from tui_annotate.plugins.admission import Seen, dataset_name, described, problem
from tui_annotate.plugins.files.json_values import Value, json_values
from tui_annotate.plugins.formats.autojudge.names import Topic
from tui_annotate.plugins.formats.autojudge.reports import RunReport, report_of
from tui_annotate.plugins.formats.autojudge.samples import TopicSamples
from tui_annotate.plugins.formats.autojudge.shelf import Shelf
from tui_annotate.plugins.formats.autojudge.topics import Library, Topics
from tui_annotate.plugins.protocols import ImportOptions, Meter


def records(paths: Sequence[Path], options: ImportOptions) -> Iterator[Record | Problem]:
    """The samples of all files, topic by topic; what is wrong with a line comes before them.

    Raises:
        InvalidInput: no topics are named.
        NotFound, InvalidInput, Unavailable: a file can not be opened.
    """
    if options.topics is None:
        raise InvalidInput("reports need their topics", "name them with --topics TOPICS.jsonl")
    with ExitStack() as stack:
        shelf = stack.enter_context(closing(Shelf()))
        rows, given = (stack.enter_context(closing(Seen())) for _ in range(2))
        topics = Topics(options.topics, options.only, encoding=options.encoding)
        yield from topics.read()
        library = None
        if options.documents is not None:
            library = Library(options.documents, rows, encoding=options.encoding)
            yield from library.read()
        gathering = _Gathering(shelf, topics, library, options=options)
        for path in paths:
            yield from gathering.take(path)
        yield from _once(gathering.given(dataset_name(paths[0], options.dataset)), given)


def files(path: Path, *others: Path | None) -> list[Path]:
    """The files of runs: the one named, or those right in a folder, by name.

    Args:
        others: what is no run, wherever it stands.

    Raises:
        NotFound: the folder has none.
    """
    if not path.is_dir():
        return [path]
    left_out = {other.resolve() for other in others if other is not None}
    there = (each for each in sorted(path.iterdir()) if each.is_file())
    found = [each for each in there if each.name[0] != "." and each.resolve() not in left_out]
    if not found:
        raise NotFound(f"there are no files of runs in {path}", "name the folder that holds them")
    return found


class _Gathering:
    """Takes reports of files to a shelf, and gives what is on it."""

    def __init__(
        self, shelf: Shelf, topics: Topics, library: Library | None, *, options: ImportOptions
    ) -> None:
        self._shelf = shelf
        self._topics = topics
        self._library = library
        self._options = options
        self._topic_at: dict[int, Topic] = {}
        self._bytes = Meter()

    def take(self, path: Path) -> Iterator[Problem]:
        """Keeps the reports of a file or folder; tells what is wrong with a line."""
        options = self._options
        for file in files(path, options.topics, options.documents):
            for value in json_values(file, encoding=options.encoding, meter=self._bytes):
                if isinstance(value, Problem):
                    yield value
                    continue
                try:
                    yield from self._take(value)
                except InvalidInput as error:
                    yield problem(value.where, error)

    def _take(self, value: Value) -> Iterator[Problem]:
        if not isinstance(value.value, dict):
            raise InvalidInput(f"the report is {described(value.value)}, not an object")
        report, doubts = report_of(value.value)
        topic = self._topics.find(report.topic)
        if topic is None:
            return
        self._topic_at[topic.place] = topic
        before = self._shelf.put(topic.place, value.where, self._with_documents(report))
        if before != value.where:
            raise InvalidInput(f"the report was given at {before} already")
        yield from (Problem(value.where, doubt, refused=False) for doubt in doubts)

    def _with_documents(self, report: RunReport) -> RunReport:
        """The report with those of its cited documents that stand in a file of their own."""
        if self._library is None:
            return report
        missing = (key for key in report.cited() if key not in report.documents)
        found = {key: page for key in missing if (page := self._library.find(key))}
        return replace(report, documents={**report.documents, **found})

    def given(self, dataset: str) -> Iterator[Record | Problem]:
        """All samples of what was taken."""
        number = 0
        for place in self._shelf.places():
            topic = TopicSamples(
                dataset,
                self._topic_at[place],
                shared=self._shelf.shared(place),
                language=self._options.language,
            )
            for placed in self._shelf.reports(place):
                yield from topic.of_report(placed)
                number += 1
                self._tell(number / self._shelf.count)
            yield from topic.of_documents()

    def _tell(self, share: float) -> None:
        """Tells of bytes as their reports are given, not as they are gathered."""
        if self._options.meter is not None:
            self._options.meter.done = round(self._bytes.done * share)


def _once(items: Iterator[Record | Problem], seen: Seen) -> Iterator[Record | Problem]:
    """The items, but for samples whose ids others have, which `|` in a name can lead to."""
    for number, item in enumerate(items):
        if isinstance(item, Record):
            mark = f"{number} {item.where}"
            before = seen.first(json.dumps(item.sample.key), mark)
            if before != mark:
                at = before.partition(" ")[2]
                message = f"{item.sample.key} is another sample's id, of {at}"
                yield Problem(item.where, message, "take the | out of its names")
                continue
        yield item
