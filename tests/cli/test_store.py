"""store move, store show and init --store: the same work in SQLite and in PostgreSQL."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

import tui_annotate
from tests.cli.conftest import Command
from tests.helpers.errors import has_code
from tests.helpers.postgresql_server import PostgresqlServer
from tests.helpers.stores import claim
from tui_annotate.domain.errors import (
    Conflict,
    Damaged,
    InvalidInput,
    NotAllowed,
    NotFound,
    Unavailable,
)
from tui_annotate.settings import WORKSPACE_FILE
from tui_annotate.storage.columns import SETTINGS

FORMATS = ("native", "mercury", "csv")


@pytest.fixture
def schema(postgresql: PostgresqlServer) -> Iterator[str]:
    """The name of a schema, which is removed with what it was renamed to."""
    name = f"test_{uuid4().hex}"
    yield name
    for each in postgresql.schemas():
        if each.startswith(name[:41]):
            postgresql.drop_store(each)


def exports(command: Command, folder: str = ".") -> list[str]:
    """All that a workspace holds, in three formats."""
    return [command("export", "-w", folder, "--to", each).out for each in FORMATS]


def test_a_store_is_moved_and_moved_back(
    annotated: Command, postgresql: PostgresqlServer, schema: str, tmp_path: Path
) -> None:
    """Heads and exports stay equal; the old stores remain; what comes between comes along."""
    before, head = exports(annotated), annotated("audit", "head", "--json").json["head"]
    moved = annotated("store", "move", postgresql.url, "--schema", schema, "--json").json
    assert moved["head"] == head
    assert Path(moved["kept"]).read_bytes()[:6] == b"SQLite"
    assert not (tmp_path / "store.sqlite").exists()
    shown = annotated("store", "show", "--json").json
    assert (shown["kind"], shown["store"]) == ("postgresql", f"{postgresql.url} (schema {schema})")
    assert exports(annotated) == before
    assert annotated("audit", "head", "--json").json["head"] == head
    checked = {each["check"]: each["state"] for each in annotated("doctor", "--json").json}
    assert (checked["store"], checked["log"]) == ("ok", "ok")
    with tui_annotate.open(tmp_path) as space:
        space.annotate.add(
            space.person().id, space.corpus.keys()[1], claim("b" * 8, 0, 4, label=""), seconds=1
        )
    later, head = exports(annotated), annotated("audit", "head", "--json").json["head"]
    assert later != before
    moved = annotated("store", "move", "sqlite", "--json").json
    assert moved["head"] == head
    assert "_moved_" in moved["kept"]
    assert exports(annotated) == later
    assert annotated("audit", "verify").code == 0
    assert annotated("store", "show", "--json").json["kind"] == "sqlite"
    # The numbers of new rows continue after the copied ones.
    assert annotated("store", "move", postgresql.url, "--schema", schema).code == 0
    with tui_annotate.open(tmp_path) as space:
        space.annotate.add(
            space.person().id, space.corpus.keys()[1], claim("c" * 8, 5, 9, label=""), seconds=1
        )
    assert annotated("audit", "verify").code == 0


def test_an_open_workspace_cannot_write_to_a_store_that_was_moved(
    annotated: Command, postgresql: PostgresqlServer, schema: str, tmp_path: Path
) -> None:
    """Nothing is lost in a store that no export reads; both ways."""
    for target in (postgresql.url, "sqlite"):
        with tui_annotate.open(tmp_path) as space:
            person, key = space.person().id, space.corpus.keys()[1]
            options = [] if target == "sqlite" else ["--schema", schema]
            assert annotated("store", "move", target, *options).code == 0
            new = claim(f"{target[:6]}-late", 0, 4, label="")
            with pytest.raises((Unavailable, Damaged), match="moved"):
                space.annotate.add(person, key, new, seconds=1)


def test_a_failed_move_changes_nothing(
    annotated: Command, postgresql: PostgresqlServer, schema: str, tmp_path: Path
) -> None:
    """A text that PostgreSQL does not store, a schema in use, a server that is not there."""
    before = exports(annotated)
    with tui_annotate.open(tmp_path) as space, space.team.database.writing() as connection:
        connection.execute(SETTINGS.insert().values(name="odd", value="a\0b"))
    result = annotated("store", "move", postgresql.url, "--schema", schema)
    assert isinstance(result.error, InvalidInput)
    assert "column value of row 'odd'" in result.err
    assert schema not in postgresql.schemas()
    with tui_annotate.open(tmp_path) as space, space.team.database.writing() as connection:
        connection.execute(SETTINGS.delete().where(SETTINGS.c.name == "odd"))
    assert annotated("init", "other", "--store", postgresql.url, "--schema", schema).code == 0
    result = annotated("store", "move", postgresql.url, "--schema", schema)
    assert isinstance(result.error, Conflict)
    result = annotated("store", "move", "postgresql://annotate@/x?host=/nowhere")
    assert isinstance(result.error, Unavailable)
    result = annotated("store", "move", "sqlite")
    assert isinstance(result.error, Conflict)
    assert exports(annotated) == before
    assert (tmp_path / "store.sqlite").exists()


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("mysql://a@b/c", "begins with mysql://"),
        ("postgresql://a:secret@b/c", "has a password"),
        ("postgresql://a@b/c?hostaddr=10.0.0.1", "parameter 'hostaddr'"),
        ("postgresql://a@b/c?host=db.example.org", "names no folder of a socket"),
        ("postgresql://a@/c?host=/a,/b", "names no folder of a socket"),
        ("not a url", "cannot be read"),
    ],
)
def test_an_unsuitable_url_is_refused(filled: Command, url: str, message: str) -> None:
    """Before anything is connected to; a password is not displayed."""
    for arguments in (("store", "move", url), ("init", "new", "--store", url)):
        result = filled(*arguments)
        assert isinstance(result.error, InvalidInput)
        assert message in result.err
        assert "secret" not in result.err


def test_a_second_machine_uses_the_same_store(
    annotated: Command, postgresql: PostgresqlServer, schema: str, tmp_path: Path
) -> None:
    """With the stored label set; a store is never used by mistake."""
    labels = tmp_path / "labels.yaml"
    labels.write_text(labels.read_text("utf-8") + "  - Odd\n", "utf-8")
    assert annotated("labels", "show").code == 0
    assert annotated("store", "move", postgresql.url, "--schema", schema).code == 0
    options = ("--store", postgresql.url, "--schema", schema)
    refused = annotated("init", "second", *options)
    assert isinstance(refused.error, Conflict)
    assert "--existing" in refused.err
    assert annotated("init", "second", *options, "--existing").code == 0
    assert (tmp_path / "second" / "labels.yaml").read_text("utf-8") == labels.read_text("utf-8")
    assert exports(annotated, "second") == exports(annotated)
    missing = annotated("init", "third", *options[:-1], f"{schema}_x", "--existing")
    assert isinstance(missing.error, NotFound)
    assert not (tmp_path / "third" / WORKSPACE_FILE).exists()


def test_an_old_copy_of_the_labels_does_not_undo_a_change(
    annotated: Command, postgresql: PostgresqlServer, schema: str, tmp_path: Path
) -> None:
    """A machine whose labels.yaml is an earlier version uses the stored one; a new text counts."""
    assert annotated("store", "move", postgresql.url, "--schema", schema).code == 0
    options = ("--store", postgresql.url, "--schema", schema, "--existing")
    assert annotated("init", "second", *options).code == 0
    first, second = tmp_path, tmp_path / "second"
    for changed, other, label in ((first, second, "Odd"), (second, first, "Even")):
        file = changed / "labels.yaml"
        file.write_text(file.read_text("utf-8") + f"  - {label}\n", "utf-8")
        for folder in (changed, other, changed):
            with tui_annotate.open(folder) as space:
                names = {each.name for each in space.labels.walk()}
            assert label in names


def test_a_server_that_only_the_workspace_names_is_not_connected_to(
    annotated: Command,
    postgresql: PostgresqlServer,
    schema: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """Until the user trusts it: a planted folder could collect texts and passwords."""
    assert annotated("store", "move", postgresql.url, "--schema", schema).code == 0
    monkeypatch.setenv("TUI_ANNOTATE_CONFIG", str(tmp_path / "new.toml"))
    refused = annotated("status")
    assert isinstance(refused.error, NotAllowed)
    assert has_code("store-untrusted")(refused.error)
    command = refused.err.partition("if you trust it: tui-annotate ")[2].split()
    assert annotated(*command).code == 0
    assert annotated("status").code == 0


def test_backups_and_snapshots_of_a_store_in_postgresql(
    annotated: Command, postgresql: PostgresqlServer, schema: str, tmp_path: Path
) -> None:
    """A backup is restored as a workspace with a file; a snapshot is replayed."""
    assert annotated("store", "move", postgresql.url, "--schema", schema).code == 0
    before = exports(annotated)
    assert annotated("backup", "create", "saved").code == 0
    assert not list((tmp_path / "saved").glob("store.sqlite-*"))
    assert annotated("audit", "snapshots", "create", "one").code == 0
    assert annotated("audit", "snapshots", "replay", "one").code == 0
    assert annotated("backup", "restore", "saved", "restored").code == 0
    assert exports(annotated, "restored") == before
    assert annotated("store", "show", "-w", "restored", "--json").json["kind"] == "sqlite"
    shutil.rmtree("restored")


def test_a_new_store_in_postgresql_is_filled_and_exported(
    command: Command, pairs: Path, postgresql: PostgresqlServer, schema: str
) -> None:
    """By the same commands as a file, a second time without changes; the exports are equal."""
    options = ("--store", postgresql.url, "--schema", schema)
    assert command("init", "server", *options).code == 0
    assert command("init", "file").code == 0
    for folder in ("server", "file"):
        for added in (2, 0):
            arguments = ("--id-column", "id", "--embedder", "none", "--json")
            result = command("ingest", str(pairs), "-w", folder, *arguments)
            assert result.json["added"] == added
    assert exports(command, "server") == exports(command, "file")


def test_labels_of_a_folder_do_not_replace_those_of_an_existing_store(
    annotated: Command, postgresql: PostgresqlServer, schema: str, tmp_path: Path
) -> None:
    """What other machines use is not changed by a file that an earlier attempt left."""
    assert annotated("store", "move", postgresql.url, "--schema", schema).code == 0
    (tmp_path / "second").mkdir()
    (tmp_path / "second" / "labels.yaml").write_text("- Odd\n", "utf-8")
    options = ("--store", postgresql.url, "--schema", schema, "--existing")
    refused = annotated("init", "second", *options)
    assert isinstance(refused.error, Conflict)
    assert "labels.yaml" in refused.err
    with tui_annotate.open(tmp_path) as space:
        assert "Odd" not in {each.name for each in space.labels.walk()}


def test_options_of_a_store_need_a_url(filled: Command, postgresql: PostgresqlServer) -> None:
    """And a workspace keeps its store."""
    assert isinstance(filled("init", "new", "--schema", "x").error, InvalidInput)
    assert isinstance(filled("init", "new", "--existing").error, InvalidInput)
    assert isinstance(filled("init", "--demo", "--store", postgresql.url).error, InvalidInput)
    refused = filled("init", "--store", postgresql.url)
    assert isinstance(refused.error, InvalidInput)
    assert "store move" in refused.err


def test_the_json_of_a_store_has_no_password(
    filled: Command, postgresql: PostgresqlServer, schema: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the environment has is not displayed."""
    monkeypatch.setenv("PGPASSWORD", "secret-word")
    assert filled("store", "move", postgresql.url, "--schema", schema).code == 0
    for arguments in (("store", "show", "--json"), ("status", "--json"), ("doctor", "--json")):
        assert "secret-word" not in json.dumps(filled(*arguments).json)
