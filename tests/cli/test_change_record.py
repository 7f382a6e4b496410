"""Changes by commands are recorded; the same changes by another program are named."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest

import tui_annotate
from tests.cli.conftest import PAIRS, Command
from tests.helpers.folder_cache import build_once
from tui_annotate.domain.change_record import RowChange
from tui_annotate.domain.people import Person
from tui_annotate.storage import change_record

Change = Callable[[Command, Path], None]


@pytest.fixture
def store(annotated: Command, tmp_path: Path) -> Path:
    """A workspace with work, people, assignments, weights and an imported person."""

    def build(folder: Path) -> None:
        create = ("assignments", "create", "--dataset", "pairs", "--create")
        assert annotated(*create, "--person", "ana", "--person", "bo").code == 0
        with tui_annotate.open(folder) as space:
            space.people.imported("i1", "gold")
            space.corpus.set_setting("assist_weights", "[]")
        described = annotated("datasets", "edit", "pairs", "--license", "CC0")
        assert described.code == 0

    return build_once(tmp_path, "record of changes", build) / "store.sqlite"


def run(words: str) -> Change:
    """A change by commands, separated by `;`."""

    def change(command: Command, folder: Path) -> None:
        del folder  # commands run in it
        for each in words.split(";"):
            done = command(*each.split())
            assert done.code == 0, done.err

    return change


def rename(command: Command, folder: Path) -> None:
    """A person gets another name, as from an account in another store."""
    del command
    with tui_annotate.open(folder) as space:
        ana = space.people.find_local("ana")
        assert ana is not None
        space.people.keep(Person(ana.id, "anna", ana.kind))


def exchange_names(command: Command, folder: Path) -> None:
    """Two people get each other's names."""
    del command
    with tui_annotate.open(folder) as space:
        ana, bo = space.people.find_local("ana"), space.people.find_local("bo")
        assert ana is not None
        assert bo is not None
        space.people.keep(Person(ana.id, "bo", ana.kind))
        space.people.keep(Person(bo.id, "ana", bo.kind))


def apply_weights(command: Command, folder: Path) -> None:
    """Weights are stored as `lab assist tune --apply` stores them."""
    del command
    with tui_annotate.open(folder) as space:
        space.corpus.set_setting("assist_weights", '[{"embedder": "none", "curves": []}]')


def write_labels(command: Command, folder: Path) -> None:
    """A label set of its own is applied to the dataset."""
    (folder / "more.yaml").write_text("- Wrong\n- Unwanted:\n  - Intrinsic\n", "utf-8")
    assert command("labels", "apply", "more.yaml", "--dataset", "pairs").code == 0


def write_file(command: Command, folder: Path, *words: str, **changed: str) -> None:
    """A file with one pair is read by a command."""
    file = folder / "more.jsonl"
    file.write_text(json.dumps(PAIRS[1] | changed), "utf-8")
    done = command(*words, str(file), "--id-column", "id", "--embedder", "none")
    assert done.code == 0, done.err


def add_sample(command: Command, folder: Path) -> None:
    """A sample is imported."""
    write_file(command, folder, "ingest", "--dataset", "pairs", id="new")


def replace_sample(command: Command, folder: Path) -> None:
    """A sample gets another text."""
    write_file(
        command,
        folder,
        "datasets",
        "replace",
        "pairs",
        "--delete-annotations",
        summary="茶厂去年关门。",
    )


LEGITIMATE: Final[dict[str, Change]] = {
    "rename": rename,
    "exchange of names": exchange_names,
    "merge": run("users merge gold ana"),
    "unmerge": run("users merge gold ana;users unmerge gold"),
    "weights": apply_weights,
    "labels of a dataset": write_labels,
    "renamed label": run("labels rename Unwanted.Intrinsic Contradicted"),
    "assignment": run("assignments create --dataset pairs --person cy --create"),
    "moved assignment": run("assignments move ana bo"),
    "undone assignment": run("assignments undo --include-started"),
    "license": run("datasets edit pairs --license MIT"),
    "new sample": add_sample,
    "other text": replace_sample,
    "deleted dataset": run("datasets delete pairs --delete-annotations --yes"),
    "saved work": run("datasets clear --mine --as reader --yes"),
}


@pytest.mark.parametrize("kind", LEGITIMATE)
def test_a_change_by_a_command_is_recorded(annotated: Command, store: Path, kind: str) -> None:
    """The workspace is unaltered, and continues both forms of an earlier head."""
    head = annotated("audit", "head", "--json").json
    LEGITIMATE[kind](annotated, store.parent)
    assert annotated("audit", "verify").code == 0
    for form in ("head", "full_head"):
        done = annotated("audit", "verify", "--against", head[form], "--json")
        assert (done.code, done.json["contains"]) == (0, True), done.out
    assert done.json["record_continues"] is True
    assert done.json["entries"] >= head["entries"]


ANA: Final = "(SELECT id FROM people WHERE name = 'ana')"
EDITS: Final[dict[str, tuple[str, str, str]]] = {
    "name": ("UPDATE people SET name = 'eve' WHERE name = 'ana'", "people", "eve"),
    "names": (
        "UPDATE people SET name = iif(name = 'ana', 'bo', 'ana') WHERE name IN ('ana', 'bo')",
        "people",
        "bo",
    ),
    "kind": ("UPDATE people SET kind = 'merged' WHERE id = 'i1'", "people", "gold"),
    "new person": ("INSERT INTO people VALUES ('x', 'eve', 'local', '')", "people", "eve"),
    "removed person": ("DELETE FROM people WHERE id = 'i1'", "people", ""),
    "account": (
        f"INSERT INTO accounts VALUES ({ANA}, 'a@b.org', 'admin', '', 1, 0, 0, '', '', '')",
        "accounts",
        "a@b.org",
    ),
    "weights": (
        "UPDATE settings SET value = '[{}]' WHERE name = 'assist_weights'",
        "settings",
        "",
    ),
    "removed weights": ("DELETE FROM settings WHERE name = 'assist_weights'", "settings", ""),
    "merges": ("INSERT INTO settings VALUES ('merged-people', '{}')", "settings", ""),
    "label set": ("UPDATE texts SET text = '- Fine' WHERE kind = 'labels'", "texts", ""),
    "label set in use": ("UPDATE datasets SET labels = 'x'", "datasets", "pairs"),
    "common label set": ("UPDATE settings SET value = '' WHERE name = 'labels'", "settings", ""),
    "edition": ("UPDATE editions SET by = 'x'", "editions", ""),
    "assignment": (
        "DELETE FROM allotments",
        "allotments",
        "",
    ),
    "practice": ("UPDATE allotments SET practice = 1", "allotments", "reader and pairs/bridge"),
    "handout": ("UPDATE handouts SET undone = '2026'", "handouts", ""),
    "license": (
        "UPDATE dataset_settings SET value = '{}' WHERE name = 'about'",
        "dataset_settings",
        "pairs: about",
    ),
    "metadata": (
        "UPDATE samples SET meta = '{}' WHERE external = 'bridge'",
        "samples",
        "pairs/bridge",
    ),
    "title": (
        "UPDATE sample_documents SET title = 'Advertisement' WHERE ordinal = 0",
        "sample_documents",
        "pairs/bridge",
    ),
    "id": ("UPDATE samples SET external = 'x' WHERE external = 'tea'", "samples", "pairs/x"),
}


def edit(store: Path, statement: str) -> None:
    """Changes the store as another program could."""
    with closing(sqlite3.connect(store)) as connection:
        connection.executescript(statement)


def faults(command: Command, *words: str) -> Any:
    """What `audit verify` finds, as JSON."""
    done = command("audit", "verify", *words, "--json")
    assert done.code == 1
    assert done.json["sound"] is False
    return done.json


@pytest.mark.parametrize("kind", EDITS)
def test_a_change_by_another_program_is_named(annotated: Command, store: Path, kind: str) -> None:
    """Table, row and name are found, without and with an earlier head; later commands keep it."""
    statement, table, name = EDITS[kind]
    head = annotated("audit", "head", "--json").json["full_head"]
    edit(store, statement)
    for words in ((), ("--against", head)):
        found = faults(annotated, *words)["rows"]
        assert (table, name) in {(each["table"], each["name"]) for each in found}
    assert f"table {table}" in annotated("audit", "verify").out
    assert annotated("doctor").code == 1


@pytest.fixture
def team(annotated: Command, store: Path) -> Path:
    """A workspace with a pool from which ana took a sample, a question and a reply."""

    def build(folder: Path) -> None:
        run(
            "assignments undo;"
            "assignments pool --dataset pairs --overlap 2;"
            "messages questions ask pairs/bridge why? --as reader"
        )(annotated, folder)
        with tui_annotate.open(folder) as space:
            assert space.annotate.start(space.people.local("ana").id) is not None

    build_once(store.parent, "record of changes in a team", build)
    return store


TEAM_EDITS: Final[dict[str, tuple[str, str, str]]] = {
    "rank": ("UPDATE allotments SET rank = rank + 7", "allotments.rank", "ana and pairs/bridge"),
    "queue": (
        (
            "UPDATE ranks SET value = value + 7 WHERE order_id IN"
            " (SELECT id FROM orders WHERE name LIKE 'share:%')"
        ),
        "ranks",
        "ana and pairs/bridge",
    ),
    "free slots": ("UPDATE pool SET room = 0", "pool", "pairs/tea"),
    "order of the pool": ("UPDATE pool SET value = 9 - value", "pool", "pairs/tea"),
    "removed from the pool": ("DELETE FROM pool", "pool", ""),
    "shared order": (
        "UPDATE orders SET until = 1000 WHERE name = 'by-source'",
        "orders",
        "by-source",
    ),
    "count of the pool": ("UPDATE pool_counts SET count = 0", "pool_counts", "pairs"),
    "question": ("UPDATE remarks SET text = 'no'", "remarks", "pairs/bridge"),
    "new question": (
        (
            "INSERT INTO remarks SELECT 'x', dataset, sample, author, reader, answers, text, at"
            " FROM remarks"
        ),
        "remarks",
        "pairs/bridge",
    ),
    "new texts": (
        (
            "INSERT INTO documents (sha256, language, segmenter, segments, boundaries, text)"
            " SELECT 'x', language, segmenter, segments, boundaries, text FROM documents LIMIT 1"
        ),
        "documents",
        "",
    ),
}


@pytest.mark.parametrize("kind", TEAM_EDITS)
def test_a_change_of_a_team_s_work_is_named(annotated: Command, team: Path, kind: str) -> None:
    """The order of people's work, pools and questions are covered like assignments."""
    statement, table, name = TEAM_EDITS[kind]
    assert annotated("audit", "verify").code == 0
    edit(team, statement)
    found = faults(annotated)["rows"]
    assert (table, name) in {(each["table"], each["name"]) for each in found}


def use_orders(command: Command, folder: Path) -> None:
    """Orders that did not exist are used, and one by a score, whose scores then change."""
    with tui_annotate.open(folder) as space:
        ana = space.people.local("ana").id
        for order in ("random:3", "ingested"):
            space.annotate.start(ana, order=order)
    for value in (0.25, 0.75):
        lines = [{"dataset": "pairs", "id": each["id"], "s": value} for each in PAIRS]
        text = "".join(f"{json.dumps(each)}\n" for each in lines)
        (folder / "scores.jsonl").write_text(text, "utf-8")
        read = ("lab", "scores", "import", "scores.jsonl", "--score", "s", "--dataset", "pairs")
        assert command(*read).code == 0
        with tui_annotate.open(folder) as space:
            space.annotate.start(ana, order="worst:s")
    add_sample(command, folder)


TEAM_CHANGES: Final[dict[str, Change]] = {
    "orders": use_orders,
    "reply": run("messages questions ask pairs/tea really? --as reader"),
    "pool of another order": run("assignments pool --dataset pairs --overlap 3 --order random"),
    "moved": run("assignments move ana bo"),
    "back to the pool": run("assignments move ana"),
    "more work": run("assignments top-up --open 2 --dataset pairs --person bo"),
    "undone pool": run("assignments undo"),
    "deleted dataset": run("datasets delete pairs --delete-annotations --yes"),
    "merge": run("users merge gold ana"),
    "new sample": add_sample,
    "other text": replace_sample,
}


@pytest.mark.parametrize("kind", TEAM_CHANGES)
def test_a_change_of_a_team_s_work_by_a_command(annotated: Command, team: Path, kind: str) -> None:
    """The workspace is unaltered."""
    head = annotated("audit", "head", "--json").json["full_head"]
    TEAM_CHANGES[kind](annotated, team.parent)
    done = annotated("audit", "verify", "--against", head)
    assert done.code == 0, done.out


def test_an_earlier_record_is_extended(
    command: Command, pairs: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its heads stay valid; from the next `audit head` on, the record covers all."""
    store = tmp_path / "store.sqlite"
    with monkeypatch.context() as patch:
        use_earlier_version(patch)
        assert command("init").code == 0
        assert command("ingest", str(pairs), "--dataset", "pairs", "--embedder", "none").code == 0
        assign = "assignments create --dataset pairs --create --person ana"
        assert command(*assign.split()).code == 0
        head = command("audit", "head", "--json").json["full_head"]
    added = "INSERT INTO remarks VALUES ('{}', 'pairs', 'tea', 'x', 'all', '', 'why', '2026')"
    edit(store, added.format("x"))
    assert command("audit", "verify", "--against", head).code == 0
    extended = command("audit", "head", "--json").json["full_head"]
    assert extended != head
    for each in (head, extended):
        assert command("audit", "verify", "--against", each).code == 0
    assert command("audit", "head", "--json").json["full_head"] == extended
    run("assignments move ana bo --create")(command, tmp_path)
    assert command("audit", "verify", "--against", head).code == 0
    edit(store, "UPDATE remarks SET text = 'no'")
    edit(store, added.format("y"))
    assert [each["table"] for each in faults(command)["rows"]] == ["remarks", "remarks"]


def test_a_record_that_lacks_orders_is_extended(
    command: Command, pairs: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The extension records the orders alone: an altered question stays a fault."""
    store = tmp_path / "store.sqlite"
    with monkeypatch.context() as patch:
        use_earlier_version(patch, 1)
        assert command("init").code == 0
        assert command("ingest", str(pairs), "--dataset", "pairs", "--embedder", "none").code == 0
        run("messages questions ask pairs/1 why? --as ana")(command, tmp_path)
        head = command("audit", "head", "--json").json["full_head"]
    assert command("audit", "verify", "--against", head).code == 0
    extended = command("audit", "head", "--json").json["full_head"]
    assert extended != head
    for each in (head, extended):
        assert command("audit", "verify", "--against", each).code == 0
    assert command("audit", "head", "--json").json["full_head"] == extended
    edit(store, "UPDATE orders SET until = 1000; UPDATE remarks SET text = 'no'")
    assert {each["table"] for each in faults(command)["rows"]} == {"orders", "remarks"}


def test_titles_of_documents_are_covered(annotated: Command, store: Path) -> None:
    """An import and a removal are recorded; a title that another program changes is named."""
    assert annotated("export", "--to", "native", "-o", "native.jsonl").code == 0
    titled = Path("native.jsonl").read_text("utf-8").replace('"title": ""', '"title": "News"')
    assert "News" in titled
    Path("titled.jsonl").write_text(titled.replace('"dataset": "pairs"', '"dataset": "titled"'))
    done = annotated("ingest", "titled.jsonl", "--dataset", "titled", "--embedder", "none")
    assert done.code == 0, done.err
    head = annotated("audit", "head", "--json").json["full_head"]
    for title, count in (("Advertisement", 4), ("", 4), ("News", 0)):
        edit(
            store,
            f"UPDATE sample_documents SET title = '{title}' WHERE title <> 'x' AND"
            " sample_id IN (SELECT s.id FROM samples s JOIN datasets d ON d.id = s.dataset_id"
            " WHERE d.name = 'titled')",
        )
        found = annotated("audit", "verify", "--against", head, "--json").json
        assert [each["table"] for each in found["rows"]] == ["sample_documents"] * count
    assert annotated("datasets", "delete", "titled", "--delete-annotations", "--yes").code == 0
    assert annotated("audit", "verify", "--against", head).code == 0


def test_old_and_new_name_are_told(annotated: Command, store: Path) -> None:
    """Short contents are in the record as they are."""
    edit(store, EDITS["name"][0])
    (found,) = faults(annotated)["rows"]
    assert (found["recorded"], found["found"]) == ("'ana','local'", "'eve','local'")


def merge_sentences(store: Path) -> None:
    """The first text becomes one sentence, which fits the text and its hash."""
    with closing(sqlite3.connect(store)) as connection:
        (content,) = connection.execute("SELECT text FROM documents WHERE id = 1").fetchone()
        row = (len(content.decode()).to_bytes(4, "little"),)
        connection.execute("UPDATE documents SET segments = 1, boundaries = ? WHERE id = 1", row)
        connection.commit()


def test_altered_sentences_are_named(annotated: Command, store: Path) -> None:
    """The hash of a text does not cover the boundaries of its sentences; the record does."""
    head = annotated("audit", "head", "--json").json
    merge_sentences(store)
    for words in ((), ("--against", head["full_head"]), ("--against", head["head"])):
        (found,) = faults(annotated, *words)["rows"]
        assert (found["table"], found["name"]) == ("documents", "sentences of pairs/bridge")
    advice = next(each for each in annotated("doctor", "--json").json if each["check"] == "record")
    assert advice["hint"].startswith("restore a backup")
    assert "export" not in advice["hint"]


def test_sentences_that_do_not_fit_are_imported_again(annotated: Command, store: Path) -> None:
    """Doctor's advice is followed; sentences as they were imported are no change."""
    head = annotated("audit", "head", "--json").json["full_head"]
    edit(store, "UPDATE documents SET boundaries = x'01000000' WHERE id = 1")
    assert faults(annotated)["altered_rows"] == 1
    found = next(each for each in annotated("doctor", "--json").json if each["state"] == "error")
    assert "ingest FILE" in found["hint"]
    done = annotated("ingest", "pairs.jsonl", "--dataset", "pairs", "--embedder", "none")
    assert (done.code, "1 sample" in done.err) == (0, True)
    assert annotated("audit", "verify", "--against", head).code == 0
    assert annotated("doctor").code == 0


def use_earlier_version(patch: pytest.MonkeyPatch, number: int = 0) -> None:
    """Let the program write what an earlier version wrote, whose record covers fewer tables."""
    earlier = tuple(each for each in change_record._COVERED if each.later <= number)
    later = frozenset(each.name for each in earlier if each.later)
    extent = RowChange(change_record._EXTENT, "", None, " ".join(sorted(later)))
    patch.setattr(change_record, "_COVERED", earlier)
    patch.setattr(change_record, "_LATER", later)
    patch.setattr(
        change_record, "_EXTENT_CHANGE", extent if later else RowChange("", "", None, None)
    )
    patch.setattr(change_record, "_EXTENT_NUMBER", number)


def test_a_record_that_lacks_sentences_stays_valid(
    command: Command, pairs: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """An earlier version did not record them: old texts are not compared, new ones are."""
    with monkeypatch.context() as patch:
        use_earlier_version(patch)
        assert command("init").code == 0
        assert command("ingest", str(pairs), "--embedder", "none").code == 0
        head = command("audit", "head", "--json").json["full_head"]
    assert command("audit", "verify", "--against", head).code == 0
    add_sample(command, tmp_path)
    assert command("ingest", str(pairs), "--embedder", "none").code == 0
    assert command("audit", "verify", "--against", head).code == 0
    assert command("datasets", "delete", "pairs", "--yes").code == 0
    assert command("audit", "verify", "--against", head).code == 0


def test_a_name_that_is_edited_with_its_record_is_found(annotated: Command, store: Path) -> None:
    """The chain has the hash of the recorded name, so neither of the two can be replaced."""
    recorded = "UPDATE settings SET value = replace(value, 'ana', 'eve')"
    edit(store, f"{EDITS['name'][0]}; {recorded} WHERE name LIKE 'recorded:people:%'")
    (found,) = faults(annotated)["rows"]
    assert (found["table"], found["name"]) == ("people", "eve")


def test_a_change_by_a_command_does_not_hide_an_edit(annotated: Command, store: Path) -> None:
    """The content before a recorded change must be the recorded one."""
    edit(store, EDITS["license"][0])
    run("datasets edit pairs --license MIT")(annotated, store.parent)
    found = faults(annotated)["rows"]
    assert [each["table"] for each in found] == ["dataset_settings"]


def test_an_altered_text_is_named(annotated: Command, store: Path) -> None:
    """The sample of the document is found, also if hash and digest were altered with it."""
    edit(store, "UPDATE documents SET text = CAST('It cost nothing.' AS BLOB) WHERE id = 1")
    assert "pairs/bridge" in faults(annotated)["texts"][0]
    edit(store, "UPDATE documents SET sha256 = 'x' WHERE id = 1")
    assert faults(annotated)["altered_texts"]


FORGET_RECORD: Final = "DELETE FROM settings WHERE name LIKE 'record%'; PRAGMA user_version = 0"
"""The store of a version without a record."""


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM settings WHERE name LIKE 'record:%'",
        "DELETE FROM settings WHERE name LIKE 'record%'",
        "DELETE FROM settings WHERE name LIKE 'record:%'; PRAGMA user_version = 0",
    ],
)
def test_a_removed_record_is_a_fault(annotated: Command, store: Path, statement: str) -> None:
    """No earlier version is blamed, and no later command starts a record that hides edits."""
    head = annotated("audit", "head", "--json").json["full_head"]
    edit(store, f"{statement}; {EDITS['name'][0]}")
    for _ in range(2):
        (found,) = faults(annotated)["rows"]
        assert (found["table"], found["key"]) == ("settings", "record:000000000001")
        assert faults(annotated, "--against", head)["record_continues"] is False
        shown = annotated("audit", "verify").out
        assert "record of changes was removed" in shown
        assert "earlier version" not in shown
        done = annotated("audit", "head")
        assert (done.code, "removed" in done.err) == (0, True)
        run("datasets edit pairs --license MIT")(annotated, store.parent)
    assert annotated("doctor").code == 1


@pytest.mark.parametrize("against", ["", " "])
def test_an_empty_head_is_refused(annotated: Command, against: str) -> None:
    """It would compare nothing: a script whose variable is empty must not pass."""
    done = annotated("audit", "verify", "--against", against)
    assert done.code == 2
    assert done.error is not None
    assert repr(against) in done.error.message


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM settings WHERE name = 'record:000000000003'",
        "UPDATE settings SET value = replace(value, 'pairs', 'pears') WHERE name LIKE 'record:%'",
    ],
)
def test_an_altered_record_is_named(annotated: Command, store: Path, statement: str) -> None:
    """A missing or changed entry breaks the chain."""
    edit(store, statement)
    (found,) = faults(annotated)["rows"]
    assert found["table"] == "settings"
    assert found["key"].startswith("record:")


def test_a_replaced_record_is_seen_against_a_full_head(annotated: Command, store: Path) -> None:
    """A record that was started again fits the tables, but not the head that was kept."""
    head = annotated("audit", "head", "--json").json
    edit(store, f"{FORGET_RECORD}; {EDITS['name'][0]}")
    assert annotated("audit", "verify").code == 0
    assert annotated("audit", "head").code == 0
    assert annotated("audit", "verify", "--against", head["head"]).code == 0
    found = faults(annotated, "--against", head["full_head"])
    assert (found["record_continues"], found["rows"]) == (False, [])


def test_the_record_of_an_earlier_store_starts_with_its_first_head(
    annotated: Command, store: Path
) -> None:
    """Until then no row is verified, and that is printed."""
    edit(store, FORGET_RECORD)
    assert annotated("audit", "verify", "--json").json["entries"] == 0
    assert "audit head" in annotated("audit", "verify").out
    rename(annotated, store.parent)
    assert annotated("audit", "verify", "--json").json["entries"] == 0
    assert annotated("audit", "head", "--json").json["entries"] == 1
    assert annotated("audit", "verify").code == 0
    edit(store, "UPDATE people SET name = 'eve' WHERE name = 'anna'")
    assert faults(annotated)["altered_rows"] == 1


def test_the_record_keeps_no_former_name_and_no_deleted_text(
    annotated: Command, store: Path, tmp_path: Path
) -> None:
    """Only the present name of a person is stored; the words of a deleted dataset are gone."""
    head = annotated("audit", "head", "--json").json["full_head"]
    with tui_annotate.open(tmp_path) as space:
        ana = space.people.find_local("ana")
        assert ana is not None
        space.people.keep(Person(ana.id, "Quillfeather", ana.kind))
        space.people.keep(Person(ana.id, "reader 7", ana.kind))
    assert annotated("datasets", "delete", "pairs", "--delete-annotations", "--yes").code == 0
    with closing(sqlite3.connect(store)) as connection:
        rows = connection.execute("SELECT value FROM settings WHERE name LIKE 'record%'").fetchall()
    kept = json.dumps(rows, ensure_ascii=False)
    assert "reader 7" in kept
    for gone in ("Quillfeather", "'ana'", "茶厂", "The bridge"):
        assert gone not in kept
    assert annotated("audit", "verify", "--against", head).code == 0
