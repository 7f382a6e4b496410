"""Comments that came from Mercury, where people annotate and review."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from tests.tui.screens import annotate_app, review_app
from tests.tui.screens.annotate_app import SUMMARY, make_workspace, open_app
from tests.tui.screens.review_app import open_review
from tui_annotate import workspace
from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.people import Person, PersonKind
from tui_annotate.domain.records import OwnedAnnotation, Record
from tui_annotate.domain.samples import Document, Sample, Side

TIME = "2026-01-02T10:20:30"
MINE, OTHER = "Why not Benign?", "Because of the budget."
ROWS = [
    {"user_id": "ab12", "annot_id": 1, "text": MINE, "comment_time": TIME},
    {"user_id": "cd34", "annot_id": 1, "text": OTHER, "comment_time": TIME},
]


async def read_pages(person: annotate_app.Person) -> str:
    """Show the pages of the request, and return the text of all."""
    await person.press("g")
    found = [person.shown()]
    for _ in range(3):
        await person.press("tab")
        found.append(person.shown())
    return "\n".join(found)


def fill(folder: Path, rows: object, *, owner: str = "ab12", named: str = "ab12") -> None:
    """A sample with comments and the imported work of a person, which belongs to the owner.

    `named`: the annotator in the file's data of the work.
    """
    texts = (Document(Side.SOURCE, annotate_app.SOURCE), Document(Side.SUMMARY, SUMMARY))
    sample = Sample("films", "a", texts, meta={"mercury_comments": rows})
    make_workspace(folder, samples=[sample])
    somebody = Person("ab12", "ana" if owner else "zoe", PersonKind.IMPORTED)
    row = {"annot_id": 1, "annotator": named}
    one: Annotation = replace(review_app.WORK["ana"][0], origin="imported:mercury", imported=row)
    work = (Assignment(somebody.id, State.DRAFT),)
    with workspace.open(folder) as space:
        record = Record(sample, (OwnedAnnotation(somebody.id, one),), work, (somebody,))
        space.log.import_records([record])
        if owner:
            found = somebody if owner == somebody.id else space.person(owner)
            space.team.person_merges.merge(somebody, found)


@pytest.mark.parametrize("owner", ["ab12", "ana", ""])
async def test_annotators_read_only_their_own_comments(owner: str, tmp_path: Path) -> None:
    """Those of other people would reveal their work; merged people keep their comments."""
    fill(tmp_path / "work", ROWS, owner=owner)
    async with open_app(tmp_path / "work") as person:
        shown = await read_pages(person)
        assert (f"{TIME[:10]} {TIME[11:16]}: {MINE}" in shown) is bool(owner)
        assert OTHER not in shown


@pytest.mark.parametrize("rows", [None, "?", [3, {"text": 4}, {"user_id": "ab12"}]])
async def test_other_values_are_no_comments(rows: object, tmp_path: Path) -> None:
    """The metadata column may hold any JSON value."""
    fill(tmp_path / "work", rows)
    async with open_app(tmp_path / "work") as person:
        assert "Imported comments" not in await read_pages(person)


@pytest.mark.parametrize("merged", [False, True])
async def test_data_of_annotations_grants_no_comments(*, merged: bool, tmp_path: Path) -> None:
    """The file's data in an annotator's own annotation may name another person."""
    fill(tmp_path / "work", ROWS, owner="ana" if merged else "ab12", named="cd34")
    async with open_app(tmp_path / "work") as person:
        shown = await read_pages(person)
        assert MINE in shown
        assert OTHER not in shown


async def test_reviewers_read_all_comments_without_names(tmp_path: Path) -> None:
    """Numbers tell the authors apart."""
    folder = review_app.make(tmp_path / "work")
    meta = json.dumps({"mercury_comments": ROWS})
    with closing(sqlite3.connect(folder / "store.sqlite")) as store, store:
        store.execute("UPDATE samples SET meta = ?", (meta,))
    async with open_review(folder) as reviewer:
        shown = await read_pages(reviewer)
        assert f"Person 1, {TIME[:10]} {TIME[11:16]}: {MINE}" in shown
        assert f"Person 2, {TIME[:10]} {TIME[11:16]}: {OTHER}" in shown
        assert "ab12" not in shown
