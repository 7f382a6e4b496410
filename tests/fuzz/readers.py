"""What every reader promises of any file: things that can be kept, or one error of ours."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.fuzz.choices import Choices
from tests.fuzz.mutations import Files, changed
from tests.fuzz.seeds import seeds
from tests.plugins.record_reader import write
from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.domain.label_files import parse_labels
from tui_annotate.domain.records import Problem, Record
from tui_annotate.plugins import registry
from tui_annotate.plugins.account_files import UserRow, find_databases, read_mercury, read_users
from tui_annotate.plugins.format_detection import detect
from tui_annotate.plugins.protocols import ImportOptions, ReadMeter
from tui_annotate.settings import load

LONGEST = 20
"""Seconds of the processor, which no file of these sizes takes; nothing else on it counts."""

_OPTIONS = (
    ImportOptions(),
    ImportOptions(dataset="d", id_column="id", group_column="group"),
    ImportOptions(encoding="gb18030", language="zh"),
    ImportOptions(encoding="utf-16", source_column="summary", summary_column="source"),
)

Reader = Callable[[Path, Choices], object]


def made(name: str, data: bytes) -> tuple[dict[str, bytes], Choices]:
    """The files that some bytes stand for: those bytes alone, or a sound file with changes."""
    choices = Choices(data)
    there = _any(choices) if name == "detect" else seeds(name)
    sound = choices.of(there)
    if choices.below(8) == 7:
        first = min(sound)
        return {**sound, first: choices.rest()}, choices
    return changed(sound, choices), choices


def _any(choices: Choices) -> tuple[Files, ...]:
    return seeds(choices.of(registry.plugin_names("importers")))


def survives(name: str, data: bytes) -> dict[str, bytes]:
    """Gives a reader the files that some bytes stand for, which it should survive; those files.

    Raises:
        AssertionError, or whatever a reader should not: it does not keep its promise.
    """
    files, choices = made(name, data)
    with TemporaryDirectory() as folder, in_time():
        place = placed(files, Path(folder))
        with contextually(files):
            try:
                READERS[name](place, choices)
            except TuiAnnotateError as error:
                _printable(error.message)
                _printable(error.hint)
    return files


def placed(files: Files, folder: Path) -> Path:
    """The files in a folder: it, or the one file."""
    for name, content in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    first = folder / min(files)
    return first if len(files) == 1 and "/" not in min(files) else folder


@contextmanager
def contextually(files: Files) -> Iterator[None]:
    """Says with an error which files led to it."""
    try:
        yield
    except TuiAnnotateError:
        raise
    except BaseException as error:
        for name, content in files.items():
            error.add_note(f"{name}: {content[:300]!r}")
        raise


@contextmanager
def in_time() -> Iterator[None]:
    """Ends with TimeoutError what takes the processor too long."""

    def late(*_: Any) -> None:
        raise TimeoutError(f"it took more than {LONGEST} seconds of the processor")

    before = signal.signal(signal.SIGVTALRM, late)
    signal.setitimer(signal.ITIMER_VIRTUAL, LONGEST)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _printable(text: str) -> None:
    text.encode()


def _import(importer: str) -> Reader:
    def read(place: Path, choices: Choices) -> None:
        options = replace(choices.of(_OPTIONS), meter=ReadMeter())
        records = []
        for item in registry.load("importers", importer).read(place, options):
            if isinstance(item, Problem):
                _printable(f"{item}{item.hint}")
                assert "\n" not in str(item), "a problem is one line"
            else:
                assert isinstance(item, Record)
                records.append(item)
        keys = [record.sample.key for record in records]
        assert len(set(keys)) == len(keys), "a sample is given once"
        if records:
            _kept(records)

    return read


def _kept(records: list[Record]) -> None:
    """The native form holds each record, and its reader, which checks all, gives the same again."""
    text, _ = write(records, "native")
    with TemporaryDirectory() as folder:
        file = Path(folder, "a.jsonl")
        file.write_text(text, "utf-8")
        found = list(registry.load("importers", "native").read(file, ImportOptions()))
    report = [str(item) for item in found if not isinstance(item, Record)]
    assert report == [], f"the native reader refuses: {report[0][:300]}"
    again, _ = write([item for item in found if isinstance(item, Record)], "native")
    assert _said(again) == _said(text), "what was read is not what was kept"


def _said(text: str) -> list[str]:
    """The lines of native records, comparable also where a number is none, or people are moved."""
    rows = [json.loads(line) for line in text.split("\n") if line]
    for row in rows:
        row.setdefault("people", []).sort(key=lambda person: str(person["id"]))
    return [json.dumps(row) for row in rows]


def _detect(place: Path, _: Choices) -> None:
    assert detect(place) in registry.plugin_names("importers")


def _labels(place: Path, _: Choices) -> None:
    text = place.read_bytes().decode("utf-8", "replace")
    tree = parse_labels(text)
    paths = [label.path for label in tree.leaves()]
    assert len(set(paths)) == len(paths)


def _settings(place: Path, _: Choices) -> None:
    environment = {"TUI_ANNOTATE_CONFIG": str(place.with_name("none"))}
    load(place.parent, environment=environment)
    load(environment={"TUI_ANNOTATE_CONFIG": str(place)})


def _users(place: Path, _: Choices) -> None:
    for item in read_users(place):
        assert isinstance(item, UserRow | Problem)
        _printable(str(item))


def _mercury_users(place: Path, _: Choices) -> None:
    for file in find_databases([place]):
        for item in read_mercury(file):
            assert isinstance(item, UserRow | Problem)


READERS: Mapping[str, Reader] = {
    **{name: _import(name) for name in registry.plugin_names("importers")},
    "detect": _detect,
    "labels": _labels,
    "settings": _settings,
    "users": _users,
    "mercury-users": _mercury_users,
}
"""All that read files of strangers, by name."""


def shown(files: Files) -> str:
    """Files as they can be read by people."""
    return json.dumps({name: repr(content) for name, content in files.items()}, indent=1)
