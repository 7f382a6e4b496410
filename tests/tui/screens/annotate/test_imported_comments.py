"""Comments that came from Mercury, where people annotate, review and export."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zipfile import ZipFile

import pytest

from tests.tui.screens import annotate_app, review_app
from tests.tui.screens.annotate_app import SUMMARY, make_workspace, open_app
from tests.tui.screens.review_app import open_review
from tui_annotate import workspace
from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.people import Actor, Person, PersonKind, Role
from tui_annotate.domain.records import OwnedAnnotation, Record, RecordFilter
from tui_annotate.domain.samples import IMPORTED_COMMENTS, Document, Sample, SampleKey, Side
from tui_annotate.storage.corpus.store import hash_texts
from tui_annotate.tui.screens.annotate.features.imported_comments import ImportedComments
from tui_annotate.workspace import Workspace
from tui_annotate.workspace.bundles import open_bundle, open_bundles

TIME = "2026-01-02T10:20:30"
KEY = SampleKey("films", "a")
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
    author = Person("ab12", "ana" if owner else "zoe", PersonKind.IMPORTED)
    row = {"annot_id": 1, "annotator": named}
    one: Annotation = replace(review_app.WORK["ana"][0], origin="imported:mercury", imported=row)
    work = (Assignment(author.id, State.DRAFT),)
    with workspace.open(folder) as space:
        record = Record(sample, (OwnedAnnotation(author.id, one),), work, (author,))
        space.log.import_records([record])
        if owner:
            found = author if owner == author.id else space.person(owner)
            space.team.person_merges.merge(author, found)


def listed(folder: Path) -> str:
    """The page of comments that ana reads, without a screen; empty for none."""
    with workspace.open(folder) as space:
        ana = space.person("ana")
        session: Any = SimpleNamespace(annotate=space.annotate, person=ana)
        sample: Any = space.annotate.open(ana.id, KEY)
        host: Any = None
        comments = ImportedComments(host)
        comments.opened(session, sample)
        return "\n".join(page.text for page in comments.pages(host, sample))


async def test_a_page_of_the_request_shows_the_comments(tmp_path: Path) -> None:
    """Under its title, with the time; those of other people would reveal their work."""
    fill(tmp_path / "work", ROWS, owner="ana")
    async with open_app(tmp_path / "work") as person:
        shown = await read_pages(person)
        assert "Imported comments" in shown
        assert listed(tmp_path / "work") in shown
        assert OTHER not in shown


@pytest.mark.parametrize("owner", ["ab12", "ana", ""])
def test_annotators_read_only_their_own_comments(owner: str, tmp_path: Path) -> None:
    """Merged people keep their comments; other people have none."""
    fill(tmp_path / "work", ROWS, owner=owner)
    own = f"{TIME[:10]} {TIME[11:16]}: {MINE}" if owner else ""
    assert listed(tmp_path / "work") == own


@pytest.mark.parametrize("rows", [None, "?", [3, {"text": 4}, {"user_id": "ab12"}]])
def test_other_values_are_no_comments(rows: object, tmp_path: Path) -> None:
    """The metadata column may hold any JSON value."""
    fill(tmp_path / "work", rows)
    assert listed(tmp_path / "work") == ""


@pytest.mark.parametrize("merged", [False, True])
def test_data_of_annotations_grants_no_comments(*, merged: bool, tmp_path: Path) -> None:
    """The file's data in an annotator's own annotation may name another person."""
    fill(tmp_path / "work", ROWS, owner="ana" if merged else "ab12", named="cd34")
    assert MINE in listed(tmp_path / "work")
    assert OTHER not in listed(tmp_path / "work")


async def test_reviewers_read_all_comments_without_names(tmp_path: Path) -> None:
    """Numbers distinguish the authors."""
    folder = review_app.make(tmp_path / "work")
    meta = json.dumps({"mercury_comments": ROWS})
    with closing(sqlite3.connect(folder / "store.sqlite")) as store, store:
        store.execute("UPDATE samples SET meta = ?", (meta,))
    async with open_review(folder) as reviewer:
        shown = await read_pages(reviewer)
        assert f"Person 1, {TIME[:10]} {TIME[11:16]}: {MINE}" in shown
        assert f"Person 2, {TIME[:10]} {TIME[11:16]}: {OTHER}" in shown
        assert "ab12" not in shown


REMARK = "The date is wrong."
SAID = [*ROWS, {"user_id": 7, "annot_id": 1, "text": REMARK, "comment_time": TIME}, "?"]


def write_export(space: Workspace, form: str) -> str:
    """Return the text that an export in a format writes; `html` means the report."""
    target = space.path.parent / f"out.{form}"
    if form == "html":
        space.team.report.run(target, RecordFilter(), all_samples=True)
    else:
        space.export(target, format=form)
    return target.read_text("utf-8")


@pytest.mark.parametrize("form", ["native", "csv", "jsonl", "mercury", "html"])
@pytest.mark.parametrize("role", Role)
def test_annotators_export_only_their_own_comments(form: str, role: Role, tmp_path: Path) -> None:
    """Reviewers and admins export the comments of all people."""
    fill(tmp_path / "work", SAID, owner="ana")
    with workspace.open(tmp_path / "work") as space:
        written = write_export(space.acting(Actor(space.person("ana").id, role)), form)
        assert MINE in written
        for text in (OTHER, REMARK, "cd34"):
            assert (text in written) is (role is not Role.ANNOTATOR)


def test_annotators_read_only_their_own_comments_from_python(tmp_path: Path) -> None:
    """Without comments of the annotator, the metadata column is absent."""
    fill(tmp_path / "work", SAID, owner="ana")
    with workspace.open(tmp_path / "work") as space:
        for name, rows in (("ana", ROWS[:1]), ("ben", None)):
            mine = space.acting(Actor(space.person(name).id, Role.ANNOTATOR))
            samples = [
                *mine.samples(),
                mine.corpus.sample(KEY).sample,
                *mine.corpus.samples(KEY.dataset),
            ]
            assert [each.meta.get(IMPORTED_COMMENTS) for each in samples] == [rows] * 3
            assert all(IMPORTED_COMMENTS in each.meta for each in samples) is bool(rows)
        assert [each.meta[IMPORTED_COMMENTS] for each in space.samples()] == [SAID]


@pytest.mark.parametrize("value", ["?", {"text": OTHER}, json.dumps(ROWS)])
def test_annotators_export_no_other_values(value: object, tmp_path: Path) -> None:
    """A text may contain the rows of other people, for example after an import of a table."""
    fill(tmp_path / "work", value, owner="ana")
    with workspace.open(tmp_path / "work") as space:
        mine = space.acting(Actor(space.person("ana").id, Role.ANNOTATOR))
        assert [each.meta for each in mine.samples()] == [{}]


def test_a_bundle_has_only_its_owners_comments(tmp_path: Path) -> None:
    """The same rule holds for a bundle that an admin makes; the texts stay the same."""
    fill(tmp_path / "work", SAID, owner="ana")
    file = tmp_path / "ana.bundle"
    with workspace.open(tmp_path / "work") as space:
        ana, admin = space.person("ana"), space.acting(Actor("root", Role.ADMIN))
        open_bundles(admin, ana).make(ana, file)
        at_home = hash_texts(space.corpus.sample(KEY).sample)
    with ZipFile(file) as archive:
        written = b"".join(archive.read(name) for name in archive.namelist()).decode()
    assert MINE in written
    for text in (OTHER, REMARK, "cd34"):
        assert text not in written
    folder, merged = open_bundle(file)
    assert not merged.refused
    with workspace.open(folder) as space:
        assert hash_texts(space.corpus.sample(KEY).sample) == at_home
