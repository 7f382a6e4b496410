"""What the first version wrote is read as it was: stores, logs, bundles, streams, files, keys.

`first_version/generator` wrote the files with the code of that version, and they stay as they are.
They are read through the command line, the public API and SQLite alone.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import tarfile
import tomllib
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import openpyxl
import pytest
import zstandard
from openpyxl.utils import get_column_letter

import tui_annotate
from tests.compatibility.outputs import (
    ADDED,
    DATASETS,
    EXPECTED,
    FORMATS,
    HERE,
    MORE,
    OF_ACCOUNTS,
    STORED,
    TOLD,
    TRIPS,
    Files,
    call,
    exported,
    exports,
    kept,
    told,
    without_added,
)
from tests.helpers.terminal import Terminal, program
from tui_annotate.domain.checked_readings import CHECK_READING, PRACTICE_READING
from tui_annotate.domain.errors import NotAllowed

RENAMED: Final[dict[str, str]] = {}
"""Today's ids of actions, by those that the first version stored, where they differ."""
VERBS: Final = frozenset({
    "accept", "add", "clear", "comment", "discard", "done", "edit", "flag", "import", "join",
    "merge", "own", "rate", "read", "redo", "refuse", "reject", "relabel", "remove", "reopen",
    "skip", "take", "undo",
})  # fmt: skip
"""All that the log can say; each is in the stored one."""


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The stored folders and bundles in a folder of the test, which is the current one."""
    with tarfile.open(STORED) as archive:
        archive.extractall(tmp_path, filter="data")
    for folder in ("workspace", "accounts", "backup"):
        (tmp_path / folder).chmod(0o700)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def workspace(stored: Path) -> Path:
    """The stored workspace."""
    return stored / "workspace"


def head() -> dict[str, Any]:
    """The head of the log as it was kept elsewhere."""
    found: dict[str, Any] = json.loads((HERE / "head.json").read_text("utf-8"))
    return found


def rows(workspace: Path, query: str) -> list[dict[str, Any]]:
    """Rows of the store, by their columns."""
    with closing(sqlite3.connect(workspace / "store.sqlite")) as store:
        store.row_factory = sqlite3.Row
        return [dict(row) for row in store.execute(query)]


def same(found: Files, expected: Files) -> None:
    """Holds files against one another, names first."""
    assert sorted(found) == sorted(expected)
    assert [name for name in found if found[name] != expected[name]] == []


def cells(files: Files) -> dict[str, list[tuple[str, str, Any, str]]]:
    """(sheet, coordinate, value, type) of each cell, by workbook.

    Args:
        files: the unpacked members of workbooks, each named `WORKBOOK/MEMBER`.
    """
    found = {}
    for workbook in sorted({name.partition("/")[0] for name in files}):
        packed = BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for name, content in files.items():
                if name.startswith(f"{workbook}/"):
                    archive.writestr(name.partition("/")[2], content)
        found[workbook] = [
            (sheet.title, f"{get_column_letter(at)}{row[0].row}", cell.value, cell.data_type)
            for sheet in openpyxl.load_workbook(packed)
            for row in sheet.iter_rows()
            for at, cell in enumerate(_without_added(row, sheet[1]), 1)
            if cell.value is not None
        ]
    return found


def _without_added(row: Sequence[Any], header: Sequence[Any]) -> list[Any]:
    """The cells of a row without those of a column that later versions added."""
    pairs = zip(row, header, strict=True)
    return [cell for cell, head_cell in pairs if head_cell.value != ADDED]


def more(name: str) -> Files:
    """A further output as it is kept."""
    return {"": (EXPECTED / "more" / name).read_bytes()}


def answered(name: str) -> Any:
    """The JSON of a command as it is kept, with the present names of fields."""
    kept_answer = json.loads((EXPECTED / "told" / f"{name}.json").read_text("utf-8"))
    return with_present_names(kept_answer, PRESENT_NAMES.get(name, {}))


PRESENT_NAMES: Final[dict[str, dict[str, str]]] = {
    "assignments": {
        "stands": "progress",
        "handouts": "batches",
        "begun": "in_progress",
        "drawn": "from_pool",
        "asked": "parameters",
    },
    "datasets": {"done": "completed"},
    "labels": {"told": "change"},
    "remarks": {"waiting": "unanswered", "remarks": "messages"},
    "review": {
        "nearly": "nearly_agreed",
        "kinds": "conflicts_by_kind",
        "own": "annotated_by_reviewer",
    },
    "runs": {"stands": "newest"},
    "status": {
        "done": "completed",
        "open": "in_progress",
        "by_words": "lexical_only",
        "ahead": "forecast",
        "first": "first_day",
    },
    "users": {
        "password": "has_password",
        "must_change": "must_change_password",
        "unix": "unix_user",
    },
}
"""Present names of fields of a command's JSON, by those of the first version, where they differ."""


def with_present_names(value: Any, names: dict[str, str]) -> Any:
    """JSON with other names of fields."""
    if isinstance(value, dict):
        return {
            names.get(name, name): with_present_names(each, names) for name, each in value.items()
        }
    return [with_present_names(each, names) for each in value] if isinstance(value, list) else value


PROSE: Final[dict[str, frozenset[str]]] = {
    "agreement": frozenset({"of", "note", "reason", "undefined"}),
    "assignments": frozenset({"rule"}),
}
"""Fields of a command's JSON that hold sentences for readers: their wording may change."""
CORRECTED: Final[dict[str, frozenset[str]]] = {
    "agreement": frozenset({"label_sets"}),
    "review": frozenset({"pending"}),
    "status": frozenset({"samples_an_hour", "annotations_an_hour"}),
    "suggestions report": frozenset({"low", "high"}),
}
"""Fields that were wrong in the first version, which counted second readings as people, answers on
one source as independent, no readings without annotations under a label set, and gave a pace after
a minute of work."""


def without_prose(name: str, value: Any) -> Any:
    """The JSON of a command without sentences for readers."""
    if isinstance(value, dict):
        prose = PROSE.get(name, frozenset()) | CORRECTED.get(name, frozenset())
        return {key: without_prose(name, each) for key, each in value.items() if key not in prose}
    if not isinstance(value, list):
        return value
    # The first version did not list samples that some of their annotators have not completed.
    listed = [each for each in value if name != "review" or each.get("ready", True)]
    # Nor did it count the readings of practice and of checks of accuracy that it left out.
    uncounted = (CHECK_READING, PRACTICE_READING)
    listed = [each for each in listed if name != "agreement" or _reason(each) not in uncounted]
    plain = [without_prose(name, each) for each in listed]
    # What is left out is sorted by its reason, which is such a sentence.
    return sorted(plain, key=json.dumps) if name == "agreement" else plain


def _reason(entry: Any) -> str:
    return entry.get("reason", "") if isinstance(entry, dict) else ""


# the log -----------------------------------------------------------------------------------------


def test_the_log_is_sound_and_ends_in_the_head_that_was_kept(workspace: Path) -> None:
    """Each event follows its predecessor, and replayed streams are what the tables say."""
    found = call("verify", "-w", workspace, "--against", HERE / "head.json")
    assert (found.code, found.json["sound"], found.json["contains"]) == (0, True, True)
    assert at_least(call("head", "-w", workspace).json, head())


def test_each_event_has_the_hash_that_its_columns_give(workspace: Path) -> None:
    """The columns, the JSON in them and what is hashed are those of the first version."""
    before: dict[tuple[str, ...], str] = {}
    found = rows(workspace, "SELECT * FROM events ORDER BY person, dataset, sample, seq")
    for row in found:
        stream = (row["person"], row["dataset"], row["sample"])
        assert row["prev"] == before.get(stream, "")
        before[stream] = row["hash"]
        assert _digest(row, stream) == row["hash"]
    assert {row["verb"] for row in found} == VERBS
    assert len(found) == head()["events"]


def _digest(row: dict[str, Any], stream: tuple[str, ...]) -> str:
    texts = ("id", "seq", "verb", "undoes", "batch", "at", "seconds", "app")
    parts = ("before", "after", "versions")
    content = {name: row[name] for name in texts} | {name: json.loads(row[name]) for name in parts}
    hashed = json.dumps({**content, "stream": stream}, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(f"{row['prev']}\n{hashed}".encode()).hexdigest()


def test_what_stands_is_what_replaying_the_log_gives(workspace: Path) -> None:
    """Annotations and states of each stream, held against the tables without our own code."""
    standing: dict[tuple[str, ...], dict[str, Any]] = {}
    states: dict[tuple[str, ...], dict[str, str]] = {}
    for row in rows(workspace, "SELECT * FROM events ORDER BY arrival"):
        stream = (row["person"], row["dataset"], row["sample"])
        after = json.loads(row["after"])
        standing.setdefault(stream, {}).update(after["annotations"])
        states.setdefault(stream, {}).update(after["assignment"])
    there = "datasets d JOIN samples s ON s.dataset_id = d.id"
    query = f"SELECT a.*, d.name, s.external FROM {there} JOIN %s a ON a.sample_id = s.id"
    seen = {row["id"]: json.loads(row["payload"]) for row in rows(workspace, query % "annotations")}
    replayed = {name: one for each in standing.values() for name, one in each.items() if one}
    assert seen == replayed
    for row in rows(workspace, query % "assignments"):
        state = {"state": "new", "rating": "", "comment": ""}
        state |= states[row["person"], row["name"], row["external"]]
        assert state == {name: row[name] for name in state}


def test_what_is_altered_is_seen(workspace: Path) -> None:
    """A single letter of an annotation: these tests would not pass on it."""
    with closing(sqlite3.connect(workspace / "store.sqlite")) as store:
        store.execute("UPDATE annotations SET payload = replace(payload, 'swapped', 'swopped')")
        store.commit()
    assert call("verify", "-w", workspace).code == 1
    with pytest.raises(AssertionError):
        same(
            exports(workspace, "native", place=workspace.parent),
            kept(EXPECTED / "native"),
        )


# outputs -----------------------------------------------------------------------------------------


def test_all_formats_and_datasets_are_here(workspace: Path) -> None:
    """Formats that come later are no matter; none of these may go."""
    with tui_annotate.open(workspace) as space:
        assert sorted({sample.dataset for sample in space.samples()}) == sorted(DATASETS)
    assert sorted(FORMATS) == sorted(
        each.name for each in EXPECTED.iterdir() if each.name not in {"more", "told"}
    )


@pytest.mark.parametrize("form", FORMATS)
def test_every_export_is_what_it_was(form: str, workspace: Path, tmp_path: Path) -> None:
    """Each dataset, to the byte; of workbooks each cell."""
    found, expected = exports(workspace, form, place=tmp_path), kept(EXPECTED / form)
    if form == "xlsx":
        assert cells(found) == cells(expected)
    else:
        same(found, expected)


@pytest.mark.parametrize("name", MORE)
def test_filters_layers_and_pseudonyms_give_what_they_gave(
    name: str, workspace: Path, tmp_path: Path
) -> None:
    """As the exports of whole datasets."""
    form, *arguments = MORE[name]
    same(exported(workspace, form, *arguments, place=tmp_path), more(name))


def test_the_python_api_writes_the_same(workspace: Path, tmp_path: Path) -> None:
    """`tui_annotate.open` on the stored folder, and all that it iterates over."""
    with tui_annotate.open(workspace) as space:
        for dataset in DATASETS:
            target = tmp_path / "api.jsonl"
            space.export(target, format="native", dataset=dataset)
            expected = (EXPECTED / "native" / dataset).read_bytes()
            assert without_added(target.read_bytes()) == expected
        assert len(list(space.samples())) == len((HERE / "native.jsonl").read_bytes().splitlines())


@pytest.mark.parametrize("name", TOLD)
def test_commands_tell_what_they_told(name: str, workspace: Path) -> None:
    """All fields that were there, with their values; there may be more by now."""
    found, kept_answer = (
        without_prose(name, each) for each in (told(workspace, name), answered(name))
    )
    assert at_least(found, kept_answer)


@pytest.mark.parametrize("name", OF_ACCOUNTS)
def test_accounts_and_keys_are_there(name: str, stored: Path) -> None:
    """As `TOLD`, of a workspace in which everybody signs in."""
    assert at_least(told(stored / "accounts", name), answered(name))


def at_least(found: Any, wanted: Any) -> bool:
    """Whether JSON says all that it said; objects may have further fields."""
    if isinstance(wanted, dict):
        return isinstance(found, dict) and all(
            name in found and at_least(found[name], value) for name, value in wanted.items()
        )
    if isinstance(wanted, list):
        return len(found) == len(wanted) and all(map(at_least, found, wanted))
    return bool(found == wanted)


# what came from elsewhere ------------------------------------------------------------------------


@pytest.mark.parametrize("name", TRIPS)
def test_work_of_elsewhere_comes_in_once(name: str, workspace: Path, tmp_path: Path) -> None:
    """A bundle and a shared folder: the same events and result, nothing the second time."""
    words, *arguments = TRIPS[name]
    done = call(words, *arguments, "-w", workspace)
    assert (done.code, at_least(done.json, answered(name))) == (0, True)
    news = ("--dataset", "news")
    same(exported(workspace, "native", *news, place=tmp_path), more(name))
    assert at_least(call("head", "-w", workspace).json, answered(f"{name}-head"))
    again = call(words, *arguments, "-w", workspace).json
    assert [each["events"] for each in (again if isinstance(again, list) else [again])] == [
        0 for _ in ([again] if isinstance(again, dict) else again)
    ]
    assert at_least(call("head", "-w", workspace).json, answered(f"{name}-head"))
    assert call("verify", "-w", workspace, "--against", HERE / "head.json").code == 0


def test_a_bundle_that_nobody_worked_on_adds_nothing(workspace: Path) -> None:
    """It is read, and belongs to this workspace."""
    done = call("merge", "new.bundle", "-w", workspace)
    assert (done.code, done.json["events"], done.json["refused"]) == (0, 0, [])


def test_a_push_leaves_the_shared_streams_as_they_are(stored: Path, workspace: Path) -> None:
    """What was sent is known as sent, and is written as it was."""
    before = kept(stored / "shared")
    push = (stored / "shared", "--as", "annotator-1")
    assert call("push", *push, "-w", workspace).json["samples"] == 0
    found = kept(stored / "shared")
    assert {name: without_added(content) for name, content in found.items()} == before


@pytest.mark.parametrize("name", ["native.jsonl", "native.jsonl.zst"])
def test_a_native_file_gives_the_same_work(name: str, tmp_path: Path) -> None:
    """Into an empty workspace and out again, to the byte; a packed one as well."""
    plain = (HERE / "native.jsonl").read_bytes()
    packed = (HERE / "native.jsonl.zst").read_bytes()
    assert zstandard.ZstdDecompressor().decompressobj().decompress(packed) == plain
    fresh = tmp_path / "fresh"
    call("init", fresh)
    done = call("ingest", HERE / name, "-w", fresh)
    assert (done.code, done.json["refused"]) == (0, 0)
    assert call("verify", "-w", fresh).code == 0
    found = [
        json.loads(line) for line in exported(fresh, "native", place=tmp_path)[""].splitlines()
    ]
    wanted = [json.loads(line) for line in plain.splitlines()]
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        assert _comparable(one) == _comparable(other)


def _comparable(line: dict[str, Any]) -> dict[str, Any]:
    """Kinds of people change as they come from a file; they stand on whichever line is first."""
    return {name: value for name, value in line.items() if name != "people"}


def test_a_backup_becomes_a_workspace_again(stored: Path, tmp_path: Path) -> None:
    """Restored, it has the log and the exports of the workspace, and its frozen states."""
    assert call("restore", stored / "backup", tmp_path / "again").code == 0
    again = tmp_path / "again"
    assert at_least(call("head", "-w", again).json, head())
    same(exports(again, "native", place=tmp_path), kept(EXPECTED / "native"))
    assert at_least(told(again, "frozen"), answered("frozen"))


@pytest.mark.parametrize(("name", "gone"), [("paper-1", 2), ("paper-2", 0)])
def test_frozen_states_are_made_again(name: str, gone: int, workspace: Path) -> None:
    """From the log alone, to the byte, but for samples that were taken out of the workspace."""
    done = call("replay", name, "-w", workspace)
    assert (done.code, done.json["lost"], done.json["same"]) == (int(gone > 0), [], not gone)
    assert done.json["samples"] - done.json["identical"] == gone


# settings ----------------------------------------------------------------------------------------


def test_each_key_does_what_it_was_bound_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """A person's file has a key for every action of every table; it is taken whole."""
    file = HERE / "config.toml"
    monkeypatch.setenv("TUI_ANNOTATE_CONFIG", str(file))
    chosen = tomllib.loads(file.read_text("utf-8"))["keys"]
    done = call("keys")
    assert done.code == 0, done.err
    found = {action["id"]: action["keys"] for action in done.json}
    wanted = {
        RENAMED.get(name, name): [keys] if isinstance(keys, str) else keys
        for name, keys in chosen.items()
    }
    assert {name: found.get(name) for name in wanted} == wanted
    assert {name.partition(".")[0] for name in chosen} >= {
        "annotation", "evidence", "gold", "names", "person", "proposal", "sample", "suggestion",
        "sync",
    }  # fmt: skip


def test_stored_keys_and_places_are_in_force_on_the_screen(workspace: Path) -> None:
    """It opens where the person was; keys of their own select a word, undo, and leave."""
    env = {"TUI_ANNOTATE_CONFIG": str(HERE / "config.toml"), "TUI_ANNOTATE_EMBEDDER": "none"}
    chosen = tomllib.loads((HERE / "config.toml").read_text("utf-8"))["keys"]
    select, undo, back = (chosen[name][0] for name in ("select.here", "undo", "app.back"))
    command = program("annotate", "-w", str(workspace), "--as", "annotator-2")
    query = "SELECT verb, sample FROM events ORDER BY arrival"
    before = rows(workspace, query)
    with Terminal(command, env=env, columns=140) as terminal:
        notice = "The guidelines say more about dates now."
        terminal.wait(notice)
        terminal.press("\r")
        terminal.wait(lambda screen: notice not in screen and "odd-1" in screen)
        terminal.press(select + "3")
        terminal.wait(lambda _: len(rows(workspace, query)) > len(before))
        terminal.press(undo)
        terminal.wait(lambda _: len(rows(workspace, query)) > len(before) + 1)
        terminal.press(back)
        terminal.press("\x11")
        assert terminal.end() == 0
    new = rows(workspace, query)[len(before) :]
    assert [row["verb"] for row in new if row["verb"] != "read"] == ["add", "undo"]
    assert new[0]["sample"] == "odd-1"


def test_every_setting_is_read(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files of the workspace and of a person, all keys of both."""
    monkeypatch.setenv("TUI_ANNOTATE_CONFIG", str(HERE / "config.toml"))
    monkeypatch.delenv("TUI_ANNOTATE_EMBEDDER")
    wanted = tomllib.loads((workspace / "tui-annotate.toml").read_text("utf-8"))
    people = wanted.pop("people")
    wanted |= {"people_store" if name == "store" else name: people[name] for name in people}
    with tui_annotate.open(workspace) as space:
        settings = space.settings
        found = {name: getattr(settings, name) for name in wanted}
        assert {**found, "ratings": list(found["ratings"])} == wanted
        assert settings.theme == "paper"
        assert "sample.done" in settings.keys


def test_a_password_of_then_signs_in(stored: Path) -> None:
    """The hash of the first version holds; a wrong one does not."""
    with tui_annotate.open(stored / "accounts") as space:
        signing: Callable[..., Any] = space.team.authenticate.sign_in
        signed = signing("annotator-1@example.org", "boats under bridges", client="here")
        assert signed.person.name == "annotator-1"
        with pytest.raises(NotAllowed):
            signing("annotator-1@example.org", "boats over bridges", client="here")


def test_what_people_chose_and_where_they_were_is_there(workspace: Path) -> None:
    """Themes, layouts and places, with the names under which they are stored."""
    with tui_annotate.open(workspace) as space:
        person = space.person("annotator-1").id
        chosen = space.annotate.people.preferences(person)
        assert {name: chosen[name] for name in ("theme", "layout", "sync", "suggestions")} == {
            "theme": "paper", "layout": "stacked", "sync": "offline", "suggestions": "hidden",
        }  # fmt: skip
        key = next(s.key for s in space.samples(dataset="news") if s.id == "mill-2")
        open_sample = space.annotate.open(person, key)
        assert (open_sample.place["claim"], open_sample.place["note"]) == ([4, 8], "half a note 半")
        assert open_sample.place["kept"] == [["annotation", "m-5", "a text for later"]]


@pytest.fixture(autouse=True)
def _nothing_is_written(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The stored files stay as they are, whatever a test does."""
    monkeypatch.setenv("TUI_ANNOTATE_EMBEDDER", "none")
    before = {file: file.stat().st_mtime_ns for file in HERE.rglob("*")}
    yield
    assert {file: file.stat().st_mtime_ns for file in HERE.rglob("*")} == before
