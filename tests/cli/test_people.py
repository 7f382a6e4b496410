"""The commands `people`, and the work that `--as` continues."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

import tui_annotate
from tests.cli.conftest import CLAIM, PAIRS, Command
from tui_annotate.domain.errors import Conflict, InvalidInput, NotFound
from tui_annotate.domain.people import PersonKind
from tui_annotate.domain.samples import SampleKey, SampleKind

COLLECTION = Path(__file__).parents[2] / "sample_data" / "autojudge"
KEY = SampleKey("pairs", "bridge")


def imported(filled: Command, tmp_path: Path, *people: str) -> Command:
    """The workspace with one imported annotation of each person (id or id:name)."""
    for number, each in enumerate(people):
        file = tmp_path / "theirs.jsonl"
        file.write_text(_native(*each.partition(":")[::2], number), "utf-8")
        done = filled("ingest", str(file), "--embedder", "none")
        assert done.code == 0, done.err
    return filled


def _native(person: str, name: str, number: int) -> str:
    documents = [{"side": side, "text": PAIRS[0][side]} for side in ("source", "summary")]
    annotation = {
        "id": f"{person}-{number}",
        "claim": [["summary", 0, CLAIM, CLAIM + 17 - number]],
        "labels": [["Unwanted"]],
    }
    record = {
        "format": "tui-annotate/1",
        "dataset": KEY.dataset,
        "id": KEY.id,
        "documents": documents,
        "people": [{"id": person, "name": name or person}],
        "annotations": [annotation | {"person": person}],
        "assignments": [],
    }
    return json.dumps(record) + "\n"


def owners(command: Command) -> dict[str, int]:
    """The number of exported annotations by person's name."""
    out = command("export", "--to", "jsonl").out
    rows = [json.loads(line) for line in out.splitlines()]
    names = [row["annotator_name"] for row in rows if row["annotation_id"]]
    return {name: names.count(name) for name in names}


def test_merge_and_unmerge_by_command(filled: Command, tmp_path: Path) -> None:
    """The list, the status and exports have the work under the owner, until it is undone."""
    command = imported(filled, tmp_path, "ab12:Ana")
    with tui_annotate.open(tmp_path) as space:
        ana = space.person("ana").id
    done = command("users", "merge", "Ana", "ana", "--json")
    assert done.code == 0, done.err
    assert done.json == {
        "person": "ab12",
        "owner": ana,
        "samples": 1,
        "annotations": 1,
        "same": 0,
        "differences": [],
    }
    assert owners(command) == {"ana": 1}
    listed = {each["id"]: each for each in command("users", "list", "--all", "--json").json}
    assert (listed["ab12"]["kind"], listed["ab12"]["annotations"]) == ("merged", 0)
    assert "Ana" not in command("status").out
    undone = command("users", "unmerge", "Ana", "--json").json
    assert (undone["person"], undone["owner"], undone["annotations"]) == ("ab12", "ab12", 1)
    assert owners(command) == {"Ana": 1}
    assert command("audit", "verify").code == 0
    assert type(command("users", "unmerge", "Ana").error) is NotFound


def test_an_ambiguous_name_is_refused(filled: Command, tmp_path: Path) -> None:
    """The hint names the ids; an id decides, and the name then means the other person."""
    command = imported(filled, tmp_path, "ab12:ana", "cd34:ana")
    done = command("users", "merge", "ana", "ana")
    assert (done.code, type(done.error)) == (2, NotFound)
    assert done.error
    assert all(each in done.error.hint for each in ("ab12", "cd34"))
    done = command("users", "merge", "ab12", "ana")  # could be either of two people
    assert type(done.error) is NotFound
    assert "ab12, cd34" in done.err
    assert command("users", "merge", "ab12", "ab12").code == 0
    assert command("users", "merge", "cd34", "ana").code == 0
    assert owners(command) == {"ana": 2}
    again = command("users", "merge", "ab12", "ab12")
    assert (again.code, type(again.error)) == (1, Conflict)


def test_a_merged_id_means_the_owner_in_every_command(filled: Command, tmp_path: Path) -> None:
    """The id and the name of a merged person select the work of the owner."""
    command = imported(filled, tmp_path, "ab12:Ana", "cd34:Cem")
    with tui_annotate.open(tmp_path) as space:
        ben = space.person("ben").id
    assert command("users", "merge", "ab12", "ben").code == 0

    for option in ("--person", "--layer"):
        texts = set()
        for who in ("ab12", "Ana", "ben"):
            done = command("export", "--to", "csv", "--json", "-o", f"{who}.csv", option, who)
            assert (done.code, done.json["annotations"]) == (0, 1), (option, who, done.err)
            texts.add((tmp_path / f"{who}.csv").read_text("utf-8"))
        assert len(texts) == 1, option
    assign = ("assignments", "create", "--dataset", "pairs", "--person")
    assert command(*assign, "ab12").code == 0
    pairs = [("--person", who, "--person", "cd34", "--json") for who in ("ab12", "ben")]
    first, second = (command("agreement", *each) for each in pairs)
    assert first.json | {"filters": {}} == second.json | {"filters": {}}
    assert command("users", "merge", "cd34", "ab12", "--json").json["owner"] == ben


def test_a_different_value_ends_with_done_in_part(filled: Command, tmp_path: Path) -> None:
    """The owner's comment stays, and the message names both."""
    command = imported(filled, tmp_path, "ab12:Ana")
    with tui_annotate.open(tmp_path) as space:
        for name, text in (
            (space.people.person("ab12").id, "one"),
            (space.person("ana").id, "two"),
        ):
            space.annotate.comment(name, KEY, text, seconds=1)
    done = command("users", "merge", "Ana", "ana")
    assert done.code == 3
    assert all(word in done.err for word in ("pairs/bridge", "'one'", "'two'"))


def test_imported_work_can_belong_to_an_account(filled: Command, tmp_path: Path) -> None:
    """After the account exists, the owner is named by the address."""
    command = imported(filled, tmp_path, "ab12:Ana")
    add = ("users", "create", "--name", "Zoe", "--email", "z@example.org", "--invite")
    assert command(*add).code == 0
    assert command("users", "merge", "ab12", "z@example.org").code == 0
    assert owners(command) == {"Zoe": 1}


def test_a_new_name_is_announced(filled: Command) -> None:
    """Once, by a command that acts for a person, in a workspace that has other people."""
    with tui_annotate.open(".") as space:
        space.person("zoe")
    Path("shared").mkdir()
    push = ("sync", "push", "shared", "--as", "ana")
    first, second = filled(*push), filled(*push)
    assert (first.code, second.code) == (0, 0)
    assert "'ana'" in first.err
    assert "'ana'" not in second.err


def test_a_merged_name_is_not_new(filled: Command, tmp_path: Path) -> None:
    """`--as` with the name of a merged person works as the owner."""
    command = imported(filled, tmp_path, "ab12:Ana")
    with tui_annotate.open(tmp_path) as space:
        owner = space.person("zoe")
    assert command("users", "merge", "Ana", "zoe").code == 0
    with tui_annotate.open(tmp_path) as space:
        assert space.person("Ana") == owner
        assert space.team.members.new_name("Ana") == ""
        kinds = [each.kind for each in space.people.all()]
        assert sorted(kinds) == [PersonKind.LOCAL, PersonKind.MERGED]


def test_an_own_export_read_back_is_no_second_person(command: Command) -> None:
    """The second export has the same lines, also in a format without ids of people and states."""
    topics = ("--topics", str(COLLECTION / "topics.jsonl"))
    documents = ("--documents", str(COLLECTION / "documents.jsonl"))
    runs = ("--from", "autojudge", "--dataset", "c", "--embedder", "none", *topics)
    assert command("init").code == 0
    assert command("ingest", str(COLLECTION / "runs"), *documents, *runs).code == 0
    with tui_annotate.open(".") as space:
        ana = space.person("ana").id
        for each in list(space.samples())[:9]:
            if each.kind == SampleKind.CITATION:
                space.annotate.rate(ana, each.key, "So-so", seconds=1)
            else:
                space.annotate.comment(ana, each.key, "one", seconds=1)
    export = ("export", "--to", "autojudge", "-o")
    assert command(*export, "first.jsonl").code == 0
    assert command("ingest", "first.jsonl", *runs).code == 0
    assert command(*export, "second.jsonl").code == 0
    assert Path("first.jsonl").read_bytes() == Path("second.jsonl").read_bytes()
    assert [each["id"] for each in command("users", "list", "--all", "--json").json] == [ana]


def test_sync_carries_merged_work(filled: Command, tmp_path: Path) -> None:
    """A workspace that has the work under the merged person refuses it until it merges too."""
    command = imported(filled, tmp_path, "ab12:Ana")
    other = tmp_path / "other"
    shutil.copytree(tmp_path, other, ignore=shutil.ignore_patterns("other"))
    (tmp_path / "shared").mkdir()
    with tui_annotate.open(tmp_path) as space:
        space.person("ana")
    assert command("users", "merge", "Ana", "ana").code == 0
    assert command("sync", "push", "--as", "ana", "shared").code == 0
    pull = ("sync", "pull", "-w", str(other), "--all", "shared")
    refused = command(*pull)
    assert refused.code == 3
    assert "users merge" in refused.out + refused.err
    with tui_annotate.open(other) as space, tui_annotate.open(tmp_path) as home:
        space.people.keep(home.person("ana"))
    assert command("users", "merge", "-w", str(other), "Ana", "ana").code == 0
    assert command(*pull).code == 0
    assert owners(command) == {"ana": 1}
    assert command("audit", "verify", "-w", str(other)).code == 0


def test_an_id_given_as_a_name_is_no_new_name(filled: Command, tmp_path: Path) -> None:
    """That of a local person means the person, that of another one is refused with a way out."""
    command = imported(filled, tmp_path, "ab12:Ana")
    refused = command("sync", "status", "--as", "ab12", str(tmp_path))
    assert isinstance(refused.error, InvalidInput)
    assert "'Ana'" in refused.error.message
    assert "users merge ab12 ab12" in refused.error.hint
    assert "new annotator" not in refused.err
    with tui_annotate.open(tmp_path) as space:
        ben = space.person("ben")
        assert space.person(ben.id) == ben
        assert [each.name for each in space.people.all()] == ["Ana", "ben"]
    assert command("users", "merge", "ab12", "ab12").code == 0
    with tui_annotate.open(tmp_path) as space:
        assert space.person("ab12").name == space.person("Ana").name == "Ana"


def test_imported_names_that_are_alike_are_named_with_a_command(
    filled: Command, tmp_path: Path
) -> None:
    """A person of a file next to a person of another file, or to a local person."""
    with tui_annotate.open(tmp_path) as space:
        ann = space.person("ann").id
    for number, people in enumerate([["ben", "eve"], ["Ben", "\u0430nn", "dan"], ["Ben"]]):
        rows = [
            {"source": f"Mill {number}.", "summary": "It was built.", "who": who, "spans": [[0, 2]]}
            for who in people
        ]
        path = tmp_path / f"rows{number}.jsonl"
        path.write_text("\n".join(map(json.dumps, rows)))
        words = ["--span-column", "spans", "--person-column", "who", "--json"]
        done = filled("ingest", str(path), *words)
        assert done.code == 0
        merges = {
            tuple(shlex.split(found))
            for note in done.json["notes"]
            for found in re.findall("users merge ([^;]+)", note)
        }
        assert merges == [set(), {("Ben", "ben"), ("\u0430nn", ann)}, set()][number]
    assert filled("users", "merge", "Ben", "ben").code == 0


def test_names_that_look_like_another_name_are_refused(filled: Command, tmp_path: Path) -> None:
    """A second person of this name would get half of the work, or see that of the first one."""
    with tui_annotate.open(tmp_path) as space:
        space.person("ben")
    for name in ("b\u0435n", "be\u200bn", "Ben", "\u200bben"):
        refused = filled("sync", "status", "--as", name, str(tmp_path))
        assert isinstance(refused.error, InvalidInput)
        assert "ben" in refused.error.hint
        for words in (["--create"], ["--create", "--dry-run"]):
            given = filled("assignments", "create", "--dataset", "pairs", "--person", name, *words)
            assert given.code == 2
    with tui_annotate.open(tmp_path) as space:
        assert [each.name for each in space.people.all()] == ["ben"]
        assert space.person("\u674e\u5a1c").name == "\u674e\u5a1c"


@pytest.mark.parametrize(
    ("name", "warned"),
    [("GOLD", True), ("gold", True), ("IMP-1", True), ("imp", True), ("im", False), ("li", False)],
)
def test_a_new_person_who_may_be_an_imported_one_is_warned(
    annotated: Command, tmp_path: Path, name: str, warned: bool
) -> None:
    """The warning has the command that joins both; the same person gets it once."""
    with tui_annotate.open(tmp_path) as space:
        space.people.imported("imp-1", "gold")
    ask = ("messages", "questions", "ask", "pairs/bridge", "why?", "--as", name)
    done = annotated(*ask)
    assert done.code == 0
    assert ("warning" in done.err) is warned
    assert (f"tui-annotate users merge imp-1 {name}" in done.err) is warned
    assert "warning" not in annotated(*ask).err
    if warned:
        assert annotated("users", "merge", "imp-1", name).code == 0


@pytest.mark.parametrize("name", ["READER", "r\u0435ader"])
def test_a_name_that_looks_like_another_is_refused(annotated: Command, name: str) -> None:
    """In another case, or with a letter of another alphabet: no second person is made."""
    done = annotated("messages", "questions", "ask", "pairs/bridge", "why?", "--as", name)
    assert (done.code, done.error and done.error.code) == (2, "name-similar")
