"""Annotators of a file who marked nothing in a sample, and FaithBench's published table."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.plugins.formats.laws import base
from tests.plugins.record_reader import file, write
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.people import SETTLED, Person, PersonKind
from tui_annotate.domain.records import OwnedAnnotation, Problem, Record
from tui_annotate.plugins import registry
from tui_annotate.plugins.formats.mercury.dump import MercuryFormat
from tui_annotate.plugins.implied_readings import complete_readings, list_annotators
from tui_annotate.plugins.protocols import ImportOptions
from tui_annotate.plugins.reader_guard import read_guarded

SHARED = Path(os.environ.get("TUI_ANNOTATE_SHARED", Path(__file__).parents[2].parent / "shared"))
_EVERYONE = ImportOptions(everyone_read=True)


def _batch(*annotators: str, unmarked: int = 1) -> str:
    """FaithBench's release of a sample for each annotator, and of samples without annotations."""
    texts = {"source": "A bridge.", "summary": "A tower."}
    rows = [
        {"annotator_id": name, "annotator_name": name.upper(), "label": ["Unwanted"], "note": "",
         "summary_span": "tower", "summary_start": 2, "summary_end": 7}
        for name in annotators
    ]  # fmt: skip
    marked: list[list[dict[str, Any]]] = [[row] for row in rows]
    samples = [
        {"sample_id": number, **texts, "annotations": mine}
        for number, mine in enumerate([*marked, *[[] for _ in range(unmarked)]])
    ]
    return json.dumps({"samples": samples})


def _records(items: Iterable[Record | Problem]) -> list[Record]:
    return [item for item in items if isinstance(item, Record)]


def _done(record: Record) -> list[str]:
    return sorted(work.person for work in record.assignments if work.state is State.DONE)


@pytest.mark.parametrize("delegates", [False, True])
def test_a_format_that_delegates_completes_no_sample_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, delegates: bool
) -> None:
    """The readers to which it delegates know which annotators a file has."""

    class Outside(MercuryFormat):
        about = replace(MercuryFormat.about, delegates=delegates)

    monkeypatch.setattr(registry, "load", lambda *_: Outside())
    path = file(tmp_path, "one.json", _batch("ana"))
    found = _records(read_guarded("mercury", _EVERYONE, path))
    assert [_done(each) for each in found] == ([[], []] if delegates else [["ana"], ["ana"]])


def test_annotators_complete_all_samples_of_their_file(tmp_path: Path) -> None:
    """The annotators of a file complete its samples, also those before their first annotation."""
    first = file(tmp_path, "one.json", _batch("ana", "ben"))
    second = file(tmp_path, "two.json", _batch("li"))
    found = _records(read_guarded("faithbench", _EVERYONE, first, second))
    both = ["ana", "ben"]
    assert [_done(each) for each in found] == [both, both, both, ["li"], ["li"]]
    assert [sorted(person.name for person in each.people) for each in found[2:4]] == [
        ["ANA", "BEN"],
        ["LI"],
    ]
    in_folder = _records(read_guarded("folder", _EVERYONE, tmp_path))
    assert [_done(each) for each in in_folder] == [both, both, both, ["li"], ["li"]]
    plain = _records(read_guarded("faithbench", ImportOptions(), first, second))
    assert [_done(each) for each in plain] == [[]] * 5


def test_other_states_are_kept() -> None:
    """A sample that an annotator skipped stays skipped; an assigned, unread sample is completed."""
    people = [Person(name, name, PersonKind.IMPORTED) for name in ("ana", "ben")]
    record = replace(
        base("ana"),
        assignments=(Assignment("ana", State.SKIPPED), Assignment("ben", State.NEW, seconds=42)),
        people=tuple(people),
    )
    found = complete_readings(record, {person.id: person for person in people})
    assert {work.person: work.state for work in found.assignments} == {
        "ana": State.SKIPPED,
        "ben": State.DONE,
    }
    assert sum(work.seconds for work in found.assignments) == 42


def test_reviews_and_second_readings_name_no_annotators() -> None:
    """An adjudication, a second reading and a person without work are not annotators of a file."""
    (owned,) = base("ana").annotations
    names = {"ana": PersonKind.IMPORTED, SETTLED: PersonKind.SETTLED, "ana~2": PersonKind.AGAIN}
    record = replace(
        base("ana"),
        annotations=tuple(OwnedAnnotation(name, owned.annotation) for name in names),
        people=tuple(
            Person(name, name, kind) for name, kind in {**names, "li": PersonKind.LOCAL}.items()
        ),
    )
    assert list(list_annotators([record])) == ["ana"]


def test_published_table_of_faithbench() -> None:
    """271 of 300 rows equal the published table; the other rows are all in batch 10."""
    folder = SHARED / "data" / "faithbench"
    if not folder.is_dir():
        pytest.skip("real data: no folder TUI_ANNOTATE_SHARED with FaithBench")
    with (folder / "FaithBench_rows.csv").open(encoding="utf-8", newline="") as table:
        published = {
            tuple(row.values())[:2]: tuple(row.values())[2:] for row in csv.DictReader(table)
        }
    others: list[int] = []
    for batch in (2, 4, 6, 8, 10, 12):
        records = _records(
            read_guarded("faithbench", _EVERYONE, folder / f"release_batch_{batch}.json")
        )
        text, _ = write(records, "faithbench-csv", formula_safe=False)
        rows = [tuple(row) for row in csv.reader(text.splitlines(keepends=True))][1:]
        others += [
            batch for *texts, _, worst, best in rows if published[tuple(texts)][1:] != (worst, best)
        ]
    assert others == [10] * 29
