"""Reads files with any importer, and validates what third-party importers return.

Built-in importers validate their own records; tests enforce this.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from tui_annotate.domain.annotations import normalize_annotation
from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import InvalidInput, NotFound, TuiAnnotateError
from tui_annotate.domain.records import Problem, Record
from tui_annotate.domain.samples import Sample, Side
from tui_annotate.plugins import registry
from tui_annotate.plugins.implied_readings import complete_readings, list_annotators
from tui_annotate.plugins.protocols import (
    COLUMN_OPTIONS,
    CompanionImporter,
    ImportOptions,
    JointImporter,
    TableImporter,
)
from tui_annotate.plugins.record_validation import (
    COLUMNS_AMBIGUOUS,
    FORMAT_UNCERTAIN,
    NAME_NOT_UTF8,
    is_utf8,
    make_problem,
    parse_document,
    parse_identifier,
)
from tui_annotate.plugins.traits import get_traits


def read_guarded(
    name: str, options: ImportOptions, *paths: Path, prefixed: bool = False
) -> Iterator[Record | Problem]:
    """Yield the records and problems of files, in order, read by the named importer.

    `prefixed`: whether ids that are row numbers are preceded by the file's name.

    Raises:
        NotFound, InvalidInput, Unavailable: the importer or a file is unknown or unreadable, or
            the plug-in failed.
    """
    importer = registry.load("importers", name)
    traits = get_traits(importer)
    completes = options.everyone_read and not (traits and traits.delegates)
    joint = isinstance(importer, JointImporter)
    for group in [paths] if joint else [(path,) for path in paths]:
        if completes:
            unmetered = replace(options, meter=None)
            annotators = list_annotators(_read_group(name, unmetered, group, prefixed=prefixed))
            for item in _read_group(name, options, group, prefixed=prefixed):
                yield item if isinstance(item, Problem) else complete_readings(item, annotators)
        else:
            yield from _read_group(name, options, group, prefixed=prefixed)


def _read_group(
    name: str, options: ImportOptions, paths: Sequence[Path], *, prefixed: bool
) -> Iterator[Record | Problem]:
    importer = registry.load("importers", name)
    _check_named_columns(name, importer, options)
    with registry.guard_plugin("importers", name):
        if isinstance(importer, JointImporter):
            items = importer.read_all(paths, options)
        else:
            prefixes = [f"{path.name}/" if prefixed else options.row_prefix for path in paths]
            items = chain.from_iterable(
                importer.read(path, replace(options, row_prefix=prefix))
                for path, prefix in zip(paths, prefixes, strict=True)
            )
        if not registry.is_built_in("importers", name):
            items = map(_check_item, items)
        yield from map(_check_names, items)


def list_companions(name: str, options: ImportOptions, path: Path) -> list[Path]:
    """Return the files that an importer reads in addition to a path and to files directly in it.

    Raises:
        NotFound, InvalidInput, Unavailable: as `read_guarded`.
    """
    importer = registry.load("importers", name)
    named = [Path(file) for file in (options.topics, options.documents) if file is not None]
    with registry.guard_plugin("importers", name):
        if isinstance(importer, CompanionImporter):
            named += importer.list_companions(path, options)
    return named


def reads_jointly(name: str) -> bool:
    """Return whether the named importer reads several files together, such as runs of one topic."""
    return isinstance(registry.load("importers", name), JointImporter)


def refuses_one_file(error: InvalidInput, files: Sequence[Path]) -> bool:
    """Return whether an error refuses one of several input files, and not the whole import.

    Ambiguous columns are a question to the user, which comes before anything is stored.
    """
    return len(files) > 1 and error.code != COLUMNS_AMBIGUOUS


def make_file_problem(path: Path, error: InvalidInput | NotFound) -> Problem:
    """Return the error of one of several files as its Problem."""
    problem = replace(make_problem(str(path), error), whole_file=True)
    if error.code == FORMAT_UNCERTAIN:  # the options of its hint are wrong for the other files
        return replace(problem, hint=f"import this file alone; {problem.hint}")
    return problem


def choose_columns(name: str, options: ImportOptions, path: Path) -> None:
    """Choose the columns of all tables in a file; `name` is the importer that reads the file.

    Raises:
        NotFound, InvalidInput, Unavailable: as `read_guarded`, or the columns of a table are
            ambiguous, or the user names columns that the format does not have.
    """
    importer = registry.load("importers", name)
    _check_named_columns(name, importer, options)
    with registry.guard_plugin("importers", name):
        if isinstance(importer, TableImporter):
            importer.choose_columns(path, options)


def _check_named_columns(name: str, importer: object, options: ImportOptions) -> None:
    """Refuse columns that a built-in format would ignore, because its fields have fixed names."""
    if isinstance(importer, TableImporter) or not registry.is_built_in("importers", name):
        return
    for field, column in options.named_columns.items():
        if field not in COLUMN_OPTIONS.get(name, ()):
            option = f"--{field.replace('_', '-')}"
            raise InvalidInput(
                f"the format {name!r} does not use {option} {column!r}",
                f"omit {option}, or read the file as a table: --from pairs",
                code="column-unused",
            )


def _check_names(item: Record | Problem) -> Record | Problem:
    """Return a Problem for a record with a name that is not UTF-8, as names of files may be."""
    if isinstance(item, Problem):
        return item
    wrong = next((name for name in _list_names(item) if not is_utf8(name)), None)
    if wrong is None:
        return item
    return Problem(
        item.where,
        f"the name {wrong!r} is not UTF-8",
        "rename the file, or correct the program that wrote the name",
        code=NAME_NOT_UTF8,
    )


def _list_names(record: Record) -> Iterator[str]:
    """Yield all names in a record: of its dataset, sample, group, documents and people."""
    sample = record.sample
    yield from (sample.dataset, sample.id, sample.group)
    for document in sample.documents:
        yield from (document.key, document.title)
    for person in record.people:
        yield from (person.id, person.name)


def _check_item(item: Any) -> Record | Problem:
    if isinstance(item, Problem):
        return item
    if not isinstance(item, Record):
        kind = type(item).__name__
        raise TypeError(f"the importer yielded {kind}, neither a Record nor a Problem")
    try:
        _check_record(item)
    except TuiAnnotateError as error:
        return Problem(item.where or f"sample {item.sample.id!r}", error.message, error.hint)
    except (AttributeError, TypeError, ValueError) as error:  # a field of another type
        return Problem(
            str(item.where or "a record"),
            f"the importer yielded a record with a field of a wrong type: {error}",
            "report the error to the authors of the plug-in",
        )
    return item


def _check_record(record: Record) -> None:
    for name in _list_names(record):
        _require_text(name)
    _check_sample(record.sample)
    named = {parse_identifier(person.id, what="id of a person") for person in record.people}
    for owned in record.annotations:
        parse_identifier(owned.annotation.id, what="id of an annotation")
        normalize_annotation(owned.annotation, record.sample)
    for work in record.assignments:
        if not isinstance(work.state, State):
            raise InvalidInput(f"the state {work.state!r} is not one of the class State")
        if not math.isfinite(work.seconds) or work.seconds < 0:
            raise InvalidInput(f"the working time {work.seconds!r} is not a number of seconds")
    workers = (work.person for work in record.assignments)
    for key in (*(owned.person for owned in record.annotations), *workers):
        if key not in named:
            raise InvalidInput(
                f"person {key!r} is not in the record's `people`", "add the person to `people`"
            )


def _require_text(name: Any) -> None:
    if not isinstance(name, str):
        raise InvalidInput(f"the name {name!r} is not text")


def _check_sample(sample: Sample) -> None:
    parse_identifier(sample.dataset, what="dataset")
    parse_identifier(sample.id, what="id")
    for each in sample.documents:
        parse_document(
            each.text, side=each.side, column=f"{each.side} text", language=each.language
        )
    if not sample.documents or len(sample.side(Side.SUMMARY)) > 1:
        raise InvalidInput("the sample has no documents, or more than one summary")
    try:
        json.dumps(dict(sample.meta)).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"the field `meta` cannot be written as JSON: {error}") from error
