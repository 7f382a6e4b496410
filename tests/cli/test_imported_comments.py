"""Imported comments of other people leave by no way that gives out one person's work."""

from __future__ import annotations

import io
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from zipfile import ZipFile, is_zipfile

import pytest

from tests.cli.conftest import Command
from tests.plugins.sync.table_server import KEY, FakeTable, serving_table
from tests.tui.screens.annotate.test_imported_comments import MINE, OTHER, REMARK, SAID, fill
from tests.tui.screens.annotate_app import open_app
from tui_annotate import workspace
from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.domain.people import Actor, Role
from tui_annotate.domain.samples import IMPORTED_COMMENTS
from tui_annotate.plugins import registry
from tui_annotate.plugins.protocols import ExportOptions
from tui_annotate.workspace.bundles import open_bundle, open_bundles

FOREIGN = (OTHER, REMARK, "cd34")
"""Texts and ids that only comments of other people have."""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A workspace of ana, into whom the author of one of three comments was merged."""
    fill(tmp_path / "home", SAID, owner="ana")
    with workspace.open(tmp_path / "home") as space:
        space.annotate.finish(space.person("ana").id, next(space.samples()).key, seconds=1)
    return tmp_path / "home"


def written(target: Path) -> str:
    """All bytes of a file or folder; of a zip, the bytes of its members."""
    files = [target] if target.is_file() else [each for each in target.rglob("*") if each.is_file()]
    found = []
    for file in files:
        if is_zipfile(file):
            with ZipFile(file) as archive:
                found += [archive.read(name) for name in archive.namelist()]
        found.append(file.read_bytes())
    return b"\n".join(found).decode("utf-8", "replace")


def assert_only_own(text: str) -> None:
    assert [each for each in FOREIGN if each in text] == []


def exports(space: workspace.Workspace, *, person: str = "") -> Iterator[tuple[str, str]]:
    """The text that each format writes which can write a pair of texts."""
    for name in registry.plugin_names("exporters"):
        for layer in ("", "ana"):
            target = space.path.parent / f"{name}{layer}-{len(list(space.path.parent.iterdir()))}"
            try:
                space.export(target, format=name, options=ExportOptions(layer=layer), person=person)
            except TuiAnnotateError:
                continue
            yield f"{name} {layer}", written(target)


@pytest.mark.parametrize("way", ["person", "annotator", "reviewer"])
def test_every_format_writes_one_persons_comments(way: str, home: Path) -> None:
    """The owner of the files, an annotator and a reviewer export the work of one person."""
    with workspace.open(home) as space:
        person = space.person("ana").id
        role = Role.ANNOTATOR if way == "annotator" else Role.REVIEWER
        asked = space if way == "person" else space.acting(Actor(person, role))
        found = dict(exports(asked, person="" if way == "annotator" else "ana"))
        for text in found.values():
            assert_only_own(text)
        assert len(found) > 20
        assert all(MINE in found[f"{name} "] for name in ("native", "csv", "mercury"))
        whole = dict(exports(space))
        assert OTHER in whole["native "]
        for text in (whole[name] for name in whole if name.endswith(" ana")):
            assert_only_own(text)


def test_reports_and_python_have_one_persons_comments(home: Path, command: Command) -> None:
    """A filter for a person holds in the report, in JSON of the command line and in Python."""
    made = command("report", "-w", str(home), "--person", "ana", "--all-samples", "-o", "r.html")
    assert made.code == 0, made.err
    assert_only_own(written(Path("r.html")))
    with workspace.open(home) as space:
        for sample in space.samples(person="ana"):
            assert [each["text"] for each in sample.meta[IMPORTED_COMMENTS]] == [MINE]
        (everyone,) = space.samples()
        assert everyone.meta[IMPORTED_COMMENTS] == SAID


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeTable]:
    with serving_table() as running:
        monkeypatch.setenv("TUI_ANNOTATE_SYNC_URL", running.url)
        monkeypatch.setenv("TUI_ANNOTATE_SYNC_KEY", KEY)
        yield running


def test_a_sync_sends_one_persons_comments(home: Path, command: Command, table: FakeTable) -> None:
    """Others can read the rows and files, also of a workspace without accounts."""
    folder = home.parent / "shared"
    folder.mkdir()
    for target in ((), (str(folder),)):
        sent = command("sync", "push", "-w", str(home), "--as", "ana", *target)
        assert sent.code == 0, sent.err
    rows = command("sync", "pull", "--dataset", "films", "-o", "-").out
    assert MINE in rows
    assert_only_own(rows)
    assert_only_own(written(folder))
    assert table.rows


def make_bundle(home: Path) -> Path:
    file = home.parent / "ana.bundle"
    with workspace.open(home) as space:
        ana = space.person("ana")
        open_bundles(space, ana).make(ana, file)
    return file


def work_folder(home: Path) -> Path:
    return open_bundle(make_bundle(home))[0]


def old_work_folder(home: Path) -> Path:
    """A working folder of an earlier version, whose bundles had the comments of all people."""
    folder = work_folder(home)
    with closing(sqlite3.connect(folder / "store.sqlite")) as store, store:
        store.execute("UPDATE samples SET meta = ?", (json.dumps({IMPORTED_COMMENTS: SAID}),))
    return folder


def folder_of_old_bundle(home: Path) -> Path:
    """The working folder of a bundle of an earlier version."""
    file = make_bundle(home)
    with ZipFile(file) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    line = json.loads(members["samples.jsonl"])
    line["meta"] = {IMPORTED_COMMENTS: SAID}
    members["samples.jsonl"] = json.dumps(line).encode() + b"\n"
    packed = io.BytesIO()
    with ZipFile(packed, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    file.write_bytes(packed.getvalue())
    return open_bundle(file)[0]


@pytest.mark.parametrize("make", [work_folder, old_work_folder, folder_of_old_bundle])
async def test_a_bundle_gives_its_owners_comments(
    make: Callable[[Path], Path], home: Path, table: FakeTable, command: Command
) -> None:
    """They are on the screen and in exports, also under the id of a merged person."""
    folder = make(home)
    with workspace.open(folder) as space:
        found = dict(exports(space))
        for text in found.values():
            assert_only_own(text)
        assert MINE in found["native "]
        key = next(space.samples()).key
        for sample in (space.corpus.sample(key).sample, *space.corpus.samples(key.dataset)):
            assert [each["text"] for each in sample.meta[IMPORTED_COMMENTS]] == [MINE]
        space.annotate.comment(space.person("ana").id, key, "Read again.", seconds=1)
    assert command("sync", "push", "-w", str(folder), "--as", "ana").code == 0
    assert_only_own(command("sync", "pull", "--dataset", "films", "-o", "-").out)
    assert table.rows
    async with open_app(folder) as person:
        await person.press("g")
        shown = [person.shown()]
        for _ in range(3):
            await person.press("tab")
            shown.append(person.shown())
        assert MINE in "\n".join(shown)
        assert_only_own("\n".join(shown))
