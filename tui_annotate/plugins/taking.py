"""What an importer gives, one by one; what a stranger's gives is looked at, as its reader may not.

Built-in readers check what they give themselves, and are held to it by the tests.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from tui_annotate.domain.annotations import well_made
from tui_annotate.domain.errors import InvalidInput, TuiAnnotateError
from tui_annotate.domain.records import Problem, Record
from tui_annotate.domain.samples import Sample, Side
from tui_annotate.plugins import registry
from tui_annotate.plugins.admission import document, identifier
from tui_annotate.plugins.protocols import ImportOptions, Together


def taken(name: str, options: ImportOptions, *paths: Path) -> Iterator[Record | Problem]:
    """The records and problems of files in their order, by the importer of a name.

    Raises:
        NotFound, InvalidInput: there is no such importer, or the file can not be opened.
        Unavailable: so too; or a stranger's importer broke.
    """
    importer = registry.load("importers", name)
    with registry.guarded("importers", name):
        if isinstance(importer, Together):
            items = importer.read_all(paths, options)
        else:
            items = chain.from_iterable(importer.read(path, options) for path in paths)
        yield from items if registry.is_ours("importers", name) else map(_looked_at, items)


def _looked_at(item: Any) -> Record | Problem:
    """The item where it can be kept; else what is wrong with it.

    Raises:
        TypeError: it is neither a record nor a problem.
    """
    if isinstance(item, Problem):
        return item
    if not isinstance(item, Record):
        raise TypeError(f"it gave {type(item).__name__}, neither a Record nor a Problem")
    try:
        _check(item)
    except TuiAnnotateError as error:
        return Problem(item.where or f"sample {item.sample.id!r}", error.message, error.hint)
    return item


def _check(record: Record) -> None:
    _check_sample(record.sample)
    named = {identifier(person.id, what="id of a person") for person in record.people}
    for owned in record.annotations:
        identifier(owned.annotation.id, what="id of an annotation")
        well_made(owned.annotation, record.sample)
    for key in [*(owned.person for owned in record.annotations), *_workers(record)]:
        if key not in named:
            raise InvalidInput(f"person {key!r} is described nowhere", "list them in people")


def _workers(record: Record) -> list[str]:
    return [assignment.person for assignment in record.assignments]


def _check_sample(sample: Sample) -> None:
    identifier(sample.dataset, what="dataset")
    identifier(sample.id, what="id")
    for each in sample.documents:
        document(each.text, side=each.side, column=f"{each.side} text", language=each.language)
    if not sample.documents or len(sample.side(Side.SUMMARY)) > 1:
        raise InvalidInput("the sample has no documents, or several summaries")
    try:
        json.dumps(dict(sample.meta)).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"the meta is no JSON: {error}") from error
