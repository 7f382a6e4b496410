"""Files to records: all are read before the first is given, as ids depend on all."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Final

from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.records import Problem, Record
from tui_annotate.plugins.admission import Seen, dataset_name, described, problem
from tui_annotate.plugins.files.json_values import Value, json_values
from tui_annotate.plugins.formats.autojudge.judgements import Words, told
from tui_annotate.plugins.formats.autojudge.lines import (
    is_line,
    is_report,
    item_of,
    judged,
)
from tui_annotate.plugins.formats.autojudge.names import Topic
from tui_annotate.plugins.formats.autojudge.reports import report_of
from tui_annotate.plugins.formats.autojudge.samples import TopicSamples
from tui_annotate.plugins.formats.autojudge.shelf import Placed, Shelf
from tui_annotate.plugins.formats.autojudge.topics import Library, Topics
from tui_annotate.plugins.protocols import ImportOptions, Meter

_TOPICS: Final = 32
"""Bits of the place of a topic in its dataset; those above are the dataset's."""


def records(paths: Sequence[Path], options: ImportOptions) -> Iterator[Record | Problem]:
    """The samples of all files, topic by topic; what is wrong with a line comes before them.

    Topics and documents that no option names are looked for in a folder of runs.

    Raises:
        InvalidInput: there are reports, and no topics are named.
        NotFound, InvalidInput, Unavailable: a file can not be opened.
    """
    options = _with_files(paths, options)
    with ExitStack() as stack:
        rows, given = (stack.enter_context(closing(Seen())) for _ in range(2))
        topics = Topics(options.topics, options.only, encoding=options.encoding)
        yield from topics.read()
        library = Library(options.documents, rows, encoding=options.encoding)
        yield from library.read()
        shelf = stack.enter_context(closing(Shelf(library.completed)))
        gathering = _Gathering(shelf, topics, options=options)
        for path in paths:
            yield from gathering.take(path)
        yield from _once(gathering.given(), given)


def _with_files(paths: Sequence[Path], options: ImportOptions) -> ImportOptions:
    found = {
        name: next((file for path in paths if (file := path / f"{name}.jsonl").is_file()), None)
        for name in ("topics", "documents")
    }
    return replace(
        options,
        topics=options.topics or found["topics"],
        documents=options.documents or found["documents"],
    )


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
    """Takes reports and judgements of files to a shelf, and gives what is on it."""

    def __init__(self, shelf: Shelf, topics: Topics, *, options: ImportOptions) -> None:
        self._shelf = shelf
        self._topics = topics
        self._options = options
        self._datasets: dict[str, int] = {}
        self._topic_at: dict[int, tuple[str, Topic]] = {}
        self._bytes = Meter()

    def take(self, path: Path) -> Iterator[Problem]:
        """Keeps what is in a file or folder; tells what is wrong with a line.

        Raises:
            InvalidInput: there is a report, and no topics are named.
        """
        options = self._options
        for file in files(path, options.topics, options.documents):
            for value in json_values(file, encoding=options.encoding, meter=self._bytes):
                if isinstance(value, Problem):
                    yield value
                    continue
                line = is_line(value.value)
                if not line and options.topics is None and is_report(value.value):
                    raise InvalidInput(
                        f"{value.where} holds a report: its topic is needed",
                        "name the file of topics: --topics topics.jsonl",
                    )
                try:
                    yield from self._line(value) if line else self._report(value, path)
                except InvalidInput as error:
                    yield problem(value.where, error)

    def _report(self, value: Value, path: Path) -> Iterator[Problem]:
        if not isinstance(value.value, dict):
            raise InvalidInput(f"the report is {described(value.value)}, not an object")
        if not is_report(value.value):
            raise InvalidInput(
                "it is neither a report nor a line of judgements",
                "a report has 'metadata' and 'responses', a line 'rating', 'comment' and 'spans'",
            )
        report, doubts = report_of(value.value)
        place = self._place(dataset_name(path, self._options.dataset), report.topic)
        if place is None:
            return
        self._shelf.put(place, Placed(value.where, report))
        yield from (Problem(value.where, doubt, refused=False) for doubt in doubts)

    def _line(self, value: Value) -> Iterator[Problem]:
        found = judged(value.value)
        place = self._place(self._options.dataset or found.dataset, found.topic)
        if place is None:
            return
        if found.report is not None:
            self._shelf.put(place, Placed(value.where, found.report))
        for key, page in found.pages.items():
            self._shelf.put_page(place, key, page, where=value.where)
        words = Words(found.person, value.where, found.rating, found.comment, found.spans)
        self._shelf.put_words(place, found.item, words)
        yield from (Problem(value.where, doubt, refused=False) for doubt in found.doubts)

    def _place(self, dataset: str, topic: str) -> int | None:
        """Where a topic of a dataset stands among all; None where it is not wanted."""
        found = self._topics.find(topic)
        if found is None:
            return None
        number = self._datasets.setdefault(dataset, len(self._datasets))
        place = number << _TOPICS | found.place
        self._topic_at[place] = dataset, found
        return place

    def given(self) -> Iterator[Record | Problem]:
        """All samples of what was taken, with what was said of them."""
        number, count = 0, self._shelf.count()
        for place in self._shelf.places():
            dataset, topic = self._topic_at[place]
            shared = self._shelf.shared(place)
            samples = TopicSamples(dataset, topic, shared=shared, options=self._options)
            for placed in self._shelf.reports(place):
                yield from self._with_words(place, samples.of_report(placed))
                number += 1
                self._tell(number / count)
            for where, pages in self._shelf.pages(place):
                yield from samples.meet(where, pages)
            for where, held in self._shelf.all_pages(place):
                yield from self._with_words(place, samples.of_documents(where, held))

    def _with_words(
        self, place: int, items: Iterable[Record | Problem]
    ) -> Iterator[Record | Problem]:
        for item in items:
            said = []
            if self._shelf.judged and isinstance(item, Record):
                said = self._shelf.words(place, item_of(item.sample))
            if isinstance(item, Record) and said:
                yield from told(item, said, offsets=self._options.offsets)
            else:
                yield item

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
