"""No annotator sees an answer, or an own first reading, before their own work is complete.

The tests call every method, run every action of the screen and every command, in a study that has
samples in all states, and search what comes of it for words that the annotator must not see yet.
"""

from __future__ import annotations

import re
import sqlite3
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command, command
from tests.helpers import blind_states
from tests.helpers.blind_states import PRACTICE_VISIBLE, VISIBLE, restore
from tests.helpers.folder_cache import build_once
from tests.helpers.public_methods import (
    calls,
    outcome,
    plain_values,
    public_methods,
    unknown_parameters,
)
from tests.project.test_commands import commands
from tests.tui.screens.annotate_app import open_app
from tui_annotate import workspace as workspaces
from tui_annotate.domain.errors import NotAllowed
from tui_annotate.domain.people import Actor, Role, second_reader
from tui_annotate.domain.records import RecordFilter
from tui_annotate.domain.samples import SampleKey
from tui_annotate.editor.actions import ACTIONS
from tui_annotate.editor.messages import NO_MESSAGE
from tui_annotate.storage.labels.store import GuidanceKind
from tui_annotate.tui.screens.annotate.workspace_screen import WorkspaceScreen
from tui_annotate.tui.session import begin_second_reading
from tui_annotate.workspace import Workspace
from tui_annotate.workspace.bundles import open_bundles
from tui_annotate.workspace.members import WorkspaceMembers

__all__ = ["command"]

_SECRET = re.compile(r"secret-[a-z0-9]+(?:-[a-z0-9]+)*")


@pytest.fixture(params=["study", "practice"])
def scene(
    request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[tuple[Workspace, Mapping[str, str]]]:
    """Both studies, each with what ana may see of the markers."""
    practice = request.param == "practice"
    make = blind_states.build_practice if practice else blind_states.build
    folder = build_once(tmp_path / "w", f"blind-{request.param}", make)
    with workspaces.open(folder) as space:
        yield space, PRACTICE_VISIBLE if practice else VISIBLE


def given_values(space: Workspace) -> dict[str, list[Any]]:
    """Values for the parameters: ana, in both readings, and every sample, thread and event."""
    ana = space.person("ana")
    second = second_reader(ana)
    keys = list(space.corpus.keys())
    reader = space.acting(Actor(ana.id, Role.ANNOTATOR)).corpus
    threads = [thread.id for thread in space.team.comments.list_threads()]
    events = [
        event
        for person, key in space.log.streams()
        if person == ana.id
        for event in space.log.events(person, key)
    ]
    people = [ana.id, second.id]
    own: dict[str, list[Any]] = {
        # What a method is given, it may return: samples are as the annotator reads them.
        "sample": [reader.sample(key).sample for key in keys],
        "person": people,
        "person_id": people,
        "reviewer": people,
        "admin": people,
        "people": [{ana.id: ana, second.id: second}],
        "to": [["ana"]],
        "who": people,
        "key": keys,
        "keys": [keys],
        "damaged": [keys[:1]],
        "dataset": sorted({key.dataset for key in keys}),
        "filters": [RecordFilter(), RecordFilter(person="ana"), RecordFilter(gold="with")],
        "event": events,
        "stream": [],
        "says": [{}],
        "segments": [space.corpus.sample(keys[0]).segments],
        "name": [*(event.id for event in events), *_setting_names(space)],
        "talk": threads,
        "comments": [[]],
        "replies": [True],
        "start": threads,
        "version": [space.guidance.version(GuidanceKind.LABELS)],
        "target": [space.path / "out"],
        "problem": [str],
        "suggestion_id": ["x"],
        "outside": [keys[-1]],
    }
    return plain_values(space.corpus.sample(keys[0]).sample) | own


def _setting_names(space: Workspace) -> list[str]:
    with closing(sqlite3.connect(space.path / "store.sqlite")) as store:
        return [row[0] for row in store.execute("SELECT name FROM settings")]


def _read_texts(file: Path) -> str:
    """The bytes of a file as text, those of a packed file unpacked."""
    if zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as archive:
            return "".join(archive.read(each).decode("latin-1") for each in archive.namelist())
    if file.suffix == ".parquet":
        import pyarrow.parquet as pq

        return str(pq.read_table(file).to_pylist())
    return file.read_bytes().decode("latin-1")


def test_no_method_shows_what_comes_after_the_own_work(
    scene: tuple[Workspace, Mapping[str, str]],
) -> None:
    """Of all public methods that an annotator can reach, for all samples and both readings."""
    space, visible = scene
    ana = space.person("ana")
    given = given_values(space)
    mine = space.acting(Actor(ana.id, Role.ANNOTATOR))
    kept = space.path / "kept.sqlite"
    with (
        closing(sqlite3.connect(kept)) as target,
        closing(sqlite3.connect(mine.path / "store.sqlite")) as source,
    ):
        source.backup(target)
    leaks, unknown, shown = [], [], set()
    for path, method in public_methods(mine, "workspace", set()):
        unknown += unknown_parameters(method, given)
        before = space.log.moment()
        for call in calls(method, given):
            found = set(_SECRET.findall(outcome(call, given)))
            leaks += [(path, marker) for marker in found.difference(visible)]
            shown |= found
        if space.log.moment() != before:
            restore(space.path / "store.sqlite", kept)
    assert sorted(set(leaks)) == []
    assert unknown == []
    assert shown == set(visible)  # else the silence about all others would show nothing


_VARYING = re.compile(
    r"\d{4}-\d\d-\d\dT[\d:.+]+|[0-9a-f]{64}|[0-9a-f]{8}-[0-9a-f-]{27}|0x[0-9a-f]+"
    r"|(?:number|position|sample_id|arrival)'?[=:] ?\d+"
)
"""What differs between any two samples: times, hashes, ids, and the numbers of annotations."""


_NAMES_GOLD = re.compile(r"gold(?!=(?:''|'with'|\(\)))")
"""The word, apart from a filter that was given, and an empty list of results."""


def test_no_method_tells_checks_from_other_samples(tmp_path: Path) -> None:
    """Two samples that ana did alike give the same results, and no result has the word gold."""
    folder = build_once(tmp_path / "w", "blind-checks", blind_states.build_checks)
    kept = tmp_path / "kept.sqlite"
    with workspaces.open(folder) as space:
        ana = space.person("ana")
        mine = space.acting(Actor(ana.id, Role.ANNOTATOR))
        restore(kept, mine.path / "store.sqlite")
        base = given_values(space)
        named, different = set(), set()
        for path, method in public_methods(mine, "workspace", set()):
            results = []
            for name in ("a", "c"):
                key = SampleKey("news", name)
                events = [event for event in base["event"] if event.sample == name]
                sample = space.corpus.sample(key).sample
                own: dict[str, list[Any]] = {
                    "key": [key],
                    "keys": [[key]],
                    "damaged": [[key]],
                    "outside": [key],
                    "sample": [sample],
                    "person": [ana.id],
                    "event": events,
                    "name": [event.id for event in events] + _setting_names(space),
                }
                result = ""
                for call in calls(method, plain_values(sample) | base | own):
                    before = space.log.moment()
                    result += outcome(call, base | own)
                    if space.log.moment() != before:
                        restore(mine.path / "store.sqlite", kept)
                named |= {path} if _NAMES_GOLD.search(result) else set()
                plain = re.sub(r"\b[ac]\b", "S", _VARYING.sub("", result))
                results.append(sorted(re.findall(r"\w+", plain)))
            if results[0] != results[1]:
                different.add(path)
    assert sorted(named) == []
    in_random_order = (".neighbour", ".start_past")
    assert [path for path in sorted(different) if not path.endswith(in_random_order)] == []


def test_hidden_machines_leave_with_no_file_of_an_annotator(tmp_path: Path) -> None:
    """Neither with an export nor with a bundle; the admin's export has all, as does a shown one."""
    folder = build_once(tmp_path / "w", "blind-study", blind_states.build)
    with workspaces.open(folder) as space:
        ana = space.person("ana")
        mine = space.acting(Actor(ana.id, Role.ANNOTATOR))
        names = ("native", "csv", "json")

        def exported(acting: Workspace, name: str) -> str:
            target = tmp_path / f"out.{name}"
            acting.export(target, format=name, dataset="hidden")
            return target.read_text()

        for name in names:
            assert "secret-detector" not in exported(mine, name)
            assert "0.25" not in exported(mine, name)
            assert "own-h1" in exported(mine, name)
            assert "secret-detector-column" in exported(space, name)
        (record,) = mine.records(dataset="hidden")
        assert record.sample.meta == {"topic_id": "7"}
        bundle = tmp_path / "ana.bundle"
        open_bundles(space, ana).make(ana, bundle, datasets=["hidden"])
        with zipfile.ZipFile(bundle) as packed:
            texts = b"".join(packed.read(each) for each in packed.namelist())
        assert b"Only here." in texts
        assert b"secret-detector" not in texts
        space.machines.blind_datasets.show("hidden")
        assert "secret-detector-column" in exported(mine, "native")


def test_undo_leaves_hidden_first_readings_as_they_are(tmp_path: Path) -> None:
    """It passes over them, and the older actions on other samples can still be undone."""
    folder = build_once(tmp_path / "w", "blind-study", blind_states.build)
    names = ("half", "unread", "reopened", "returned", "undone")
    hidden = [SampleKey("again", name) for name in names]
    with workspaces.open(folder) as space:
        ana = space.person("ana").id
        before = [space.log.stream(ana, key) for key in hidden]
        undone = set()

        def undo_all() -> None:
            while done := space.annotate.undo(ana):
                undone.add(done.key)

        with pytest.raises(NotAllowed):
            undo_all()
        assert not undone.intersection(hidden)
        assert SampleKey("d", "begun-open") in undone
        assert [space.log.stream(ana, key) for key in hidden] == before


_STARTS = (
    "d/begun-settled",
    "again/half",
    *(
        pytest.param(start, marks=pytest.mark.full)
        for start in (
            "d/new-settled",
            "d/skipped-settled",
            "d/flagged-settled",
            "d/reopened-settled",
            "gold/g1",
        )
    ),
)
_LEAVES = {"app.quit", "work.print", "account.password", "account.leave"}


@pytest.mark.parametrize("start", _STARTS)
async def test_no_action_of_the_screen_shows_what_comes_after_the_own_work(
    start: str, tmp_path: Path
) -> None:
    """Also not to the owner of a workspace without accounts, who may read everything elsewhere."""
    folder = build_once(tmp_path / "w", "blind-study", blind_states.build)
    kept = tmp_path / "kept.sqlite"
    key = SampleKey(*start.split("/"))
    async with open_app(folder, sample="d/new-open") as person:
        session = person.screen.session
        assert session is not None
        if key.dataset == "again":
            session = begin_second_reading(session)
        restore(kept, folder / "store.sqlite")
        for action in ACTIONS:
            if action.id in _LEAVES:
                continue
            restore(folder / "store.sqlite", kept)
            opened = session.annotate.open(session.person.id, key, order=session.order)
            person.screen.begin(session, opened, NO_MESSAGE)
            await person.settled()
            person.screen.do(action.id)
            await person.settled()
            report = person.shown() + repr(person.screen.draft) + repr(person.screen.open_sample)
            found = set(_SECRET.findall(report)).difference(VISIBLE)
            assert (action.id, found) == (action.id, set())
            while not isinstance(person.app.screen, WorkspaceScreen):
                await person.pilot.press("escape")
                await person.settled()


async def test_the_outcome_is_shown_after_the_own_work(tmp_path: Path) -> None:
    """Or the silence of all other samples would show nothing."""
    folder = build_once(tmp_path / "w", "blind-study", blind_states.build)
    async with open_app(folder, sample="d/done-settled") as person:
        person.screen.do("lesson.show")
        await person.settled()
        assert "secret-answer-done" in person.shown()


_ARGUMENTS = (
    "export --gold",
    "export --include-gold --include-practice",
    "export --person ana --to csv",
    "export --origin adjudicated",
    "export --origin rejected",
    *(f"export --to {name} -o out.{name}" for name in ("faithbench", "parquet", "xlsx", "csv")),
    "report -o report.html",
    "status --flagged",
    "status --json",
    "agreement --json",
    "messages questions list --json",
    "suggestions list --json",
    "lab match --sample d/begun-settled --side summary --span 0:5 --json",
    "labels list --json",
    "datasets list --json",
    "review list --json",
    "review export --json",
    "audit snapshots create s",
    "backup create b",
    "audit verify --json",
    "sync push shared",
    "sync status shared",
    "sync pull shared",
    "messages questions ask again/half words --quote words",
    "messages questions ask d/begun-settled words --annotation rea",
    "sync bundles create --person ana -o ana.bundle",
    "doctor --json",
)


def test_no_command_shows_an_annotator_what_comes_after_the_own_work(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither printed nor written to a file, without arguments or with some that print much."""
    folder = build_once(tmp_path / "w", "blind-study", blind_states.build)
    with workspaces.open(folder) as space:
        ana = space.person("ana").id
    actor = Actor(ana, Role.ANNOTATOR)
    monkeypatch.setattr(WorkspaceMembers, "at_shell", lambda _: actor)
    monkeypatch.setenv("TUI_ANNOTATE_WORKSPACE", str(folder))
    (tmp_path / "shared").mkdir()
    shown = set()
    for words in [*commands(), *(each.split() for each in _ARGUMENTS)]:
        done = command(*words)
        found = set(_SECRET.findall(done.out + done.err))
        assert (words, found.difference(VISIBLE)) == (words, set())
        shown |= found
    for file in tmp_path.rglob("*"):
        if file.is_file() and folder not in file.parents:
            found = set(_SECRET.findall(_read_texts(file)))
            assert (file.name, found.difference(VISIBLE)) == (file.name, set())
    assert "secret-first-done" in shown
