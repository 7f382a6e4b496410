"""Questions to the reviewers: asked by a command, and carried wherever work goes."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command
from tests.helpers.folder_cache import build_once
from tests.helpers.stores import claim
from tests.plugins.sync.table_server import KEY, FakeTable, serving_table
from tui_annotate import workspace as workspaces
from tui_annotate.domain.comments import REVIEWERS, PersonComment
from tui_annotate.domain.errors import Conflict, InvalidInput, NotAllowed, NotFound
from tui_annotate.domain.people import Actor, Role
from tui_annotate.domain.samples import SampleKey
from tui_annotate.services.authentication.account_management import NewAccount
from tui_annotate.workspace import Workspace, bundles

BRIDGE, TEA = SampleKey("pairs", "bridge"), SampleKey("pairs", "tea")
FIRST, SECOND = "ana-first", "ana-second"


@pytest.fixture
def home(filled: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace in which ana made two annotations of one sample, and ben one."""
    del filled
    monkeypatch.setenv("TUI_ANNOTATE_WORKSPACE", str(tmp_path))

    def build(folder: Path) -> None:
        with workspaces.open(folder) as space:
            for who, name, start in (
                ("ana", FIRST, 0),
                ("ana", SECOND, 4),
                ("ben", "ben-first", 0),
            ):
                made = claim(name, start, start + 10, label="Benign")
                space.annotate.add(space.person(who).id, BRIDGE, made, seconds=1)

    return build_once(tmp_path, "annotations with questions", build)


def talks(space: Workspace | Path) -> list[tuple[str, str, list[str]]]:
    """The annotation, what it was about, and the texts of all threads."""
    if isinstance(space, Path):
        with workspaces.open(space) as opened:
            return talks(opened)
    threads = space.team.comments.list_threads()
    return [(one.annotation, one.about, [each.text for each in one.remarks]) for one in threads]


QUOTE = 'Benign: "bridge cos"'


def ask(command: Command, *words: str) -> Any:
    """Ana asks by a command."""
    return command("messages", "questions", "ask", *words, "--as", "ana", "--json")


def test_a_question_is_asked_by_a_command(filled: Command, home: Path) -> None:
    """About a sample, or an own annotation that is named by its id or by its words."""
    assert ask(filled, "bridge", "All?").json["annotation"] == ""
    by_quote = ask(filled, "pairs/bridge", "Too long?", "--quote", "bridge cos").json
    assert (by_quote["annotation"], by_quote["quote"]) == (SECOND, "bridge cos")
    assert by_quote["labels"] == [["Benign"]]
    by_id = ask(filled, "bridge", "Again.", "--annotation", "ana-s").json
    assert [each["text"] for each in by_id["messages"]] == ["Too long?", "Again."]
    printed = filled("messages", "questions", "list").out
    assert QUOTE in printed
    assert talks(home) == [("", "", ["All?"]), (SECOND, QUOTE, ["Too long?", "Again."])]


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("bridge", "Q", "--annotation", "ben-first"), NotFound),
        (("bridge", "Q", "--quote", "nowhere"), NotFound),
        (("tea", "Q", "--quote", "bridge"), NotFound),
        (("bridge", "Q", "--quote", "bridge"), InvalidInput),
        (("bridge", "Q", "--annotation", "ana"), InvalidInput),
        (("bridge", "Q", "--annotation", "ana", "--quote", "b"), InvalidInput),
        (("bridge", "Q", "--quote", ""), InvalidInput),
        (("bridge", "Q", "--quote", " "), InvalidInput),
        (("bridge", "Q", "--annotation", ""), InvalidInput),
        (("bridge", "Q", "--annotation", " "), InvalidInput),
        (("bridge", " "), InvalidInput),
        (("none", "Q"), NotFound),
    ],
)
def test_what_cannot_be_asked_about(
    filled: Command, home: Path, words: tuple[str, ...], error: type[Exception]
) -> None:
    """Another's annotation, none, one of several, or nothing at all; nothing is stored."""
    done = ask(filled, *words)
    assert isinstance(done.error, error)
    assert talks(home) == []


def _remove(space: Workspace) -> None:
    space.annotate.remove(space.person("ana").id, BRIDGE, SECOND, version=1, seconds=1)


def _undo(space: Workspace) -> None:
    space.annotate.undo(space.person("ana").id)


def _relabel(space: Workspace) -> None:
    made = claim(SECOND, 4, 20, label="Questionable")
    space.annotate.edit(space.person("ana").id, BRIDGE, made, seconds=1)


@pytest.mark.parametrize("change", [_remove, _undo, _relabel])
def test_a_question_says_what_it_was_about(filled: Command, home: Path, change: Any) -> None:
    """However its annotation is deleted, undone or changed since; the thread goes on."""
    ask(filled, "bridge", "Why?", "--annotation", SECOND)
    with workspaces.open(home) as space:
        change(space)
        thread = space.team.comments.list_threads()[0]
        space.team.comments.reply(thread.id, "So.")
        space.team.comments.write(thread.person, BRIDGE, "Thanks.", annotation=SECOND)
        assert talks(space) == [(SECOND, QUOTE, ["Why?", "So.", "Thanks."])]


def test_a_question_outlives_its_sample(filled: Command, home: Path) -> None:
    """Where the texts are replaced or the dataset is deleted; a reply still reaches ana."""
    ask(filled, "bridge", "Why?", "--annotation", SECOND)
    other = {"id": "bridge", "source": "Other.", "summary": "Texts."}
    (home / "other.jsonl").write_text(json.dumps(other) + "\n", "utf-8")
    replaced = filled(
        "datasets", "replace", "pairs", "other.jsonl", "--id-column", "id", "--delete-annotations",
    )  # fmt: skip
    assert replaced.code == 0, replaced.err
    assert talks(home) == [(SECOND, QUOTE, ["Why?"])]
    assert filled("datasets", "delete", "pairs", "--delete-annotations", "--yes").code == 0
    (thread,) = filled("messages", "questions", "list", "--json").json
    assert filled("messages", "questions", "reply", thread["id"], "So.").code == 0
    assert talks(home) == [(SECOND, QUOTE, ["Why?", "So."])]
    assert QUOTE in filled("messages", "questions", "list").out


def _reply(folder: Path, text: str) -> None:
    with workspaces.open(folder) as space:
        space.team.comments.reply(space.team.comments.list_threads()[0].id, text)


def test_the_native_format_carries_questions(filled: Command, home: Path, tmp_path: Path) -> None:
    """They come in once, by their ids; other formats count what they lose."""
    ask(filled, "bridge", "Why?", "--annotation", SECOND)
    _reply(home, "So.")
    assert filled("export", "--to", "native", "-o", "all.jsonl").code == 0
    filled("init", "other")
    for _ in range(2):
        done = filled("ingest", "-w", "other", "--embedder", "none", "all.jsonl")
        assert done.code == 0, done.err
    assert talks(tmp_path / "other") == [(SECOND, QUOTE, ["Why?", "So."])]
    assert filled("convert", "all.jsonl", "again.jsonl", "--to", "native").code == 0
    converted, exported = (
        json.loads((home / name).read_text("utf-8").partition("\n")[0])["questions"]
        for name in ("again.jsonl", "all.jsonl")
    )
    assert converted == exported
    lost = filled("export", "--to", "csv", "-o", "all.csv", "--json").json["lost"]
    assert lost["questions to the reviewers, and replies"] == 2


def test_a_known_question_is_not_overwritten(filled: Command, home: Path) -> None:
    """A file with another text under the same id is a warning, and the rest comes in."""
    ask(filled, "bridge", "Why?")
    text = filled("export", "--to", "native").out.replace('"Why?"', '"Forged?"')
    (home / "forged.jsonl").write_text(text, "utf-8")
    done = filled("ingest", "forged.jsonl", "--embedder", "none")
    assert "another message" in done.err
    assert talks(home) == [("", "", ["Why?"])]


def test_pseudonyms_hide_who_asked(filled: Command, home: Path) -> None:
    """Authors, readers and annotations have the pseudonyms of the other fields."""
    ask(filled, "bridge", "Why?", "--annotation", SECOND)
    _reply(home, "So.")
    with workspaces.open(home) as space:
        ana = space.person("ana").id
    done = filled("export", "--to", "native", "--pseudonymize")
    assert done.code == 0, done.err
    text = done.out
    assert ana not in text
    line = json.loads(text.partition("\n")[0])
    question, reply = line["questions"]
    own = {each["id"]: each["person"] for each in line["annotations"]}
    assert own[question["annotation"]] == question["author"] == reply["reader"]


def test_an_export_of_one_person_has_their_questions_alone(filled: Command, home: Path) -> None:
    """By --person, by --layer, and for an annotator who exports; no reply names a reviewer."""
    ask(filled, "bridge", "Of ana?")
    filled("messages", "questions", "ask", "bridge", "Of ben?", "--as", "ben")
    for words in (("--person", "ana"), ("--layer", "ana")):
        text = filled("export", "--to", "native", *words).out
        assert "Of ana?" in text
        assert "Of ben?" not in text
    with workspaces.open(home) as space:
        rea = space.person("rea").id
        reviewer = space.acting(Actor(rea, Role.REVIEWER))
        for thread in reviewer.team.comments.list_threads():
            reviewer.team.comments.reply(thread.id, "To you.")
        mine = space.acting(Actor(space.person("ana").id, Role.ANNOTATOR))
        mine.export(home / "mine.jsonl")
    text = (home / "mine.jsonl").read_text("utf-8")
    assert [each in text for each in ("Of ana?", "To you.", "Of ben?", rea)] == [
        True,
        True,
        False,
        False,
    ]


def test_a_bundle_carries_questions_out_and_home(filled: Command, home: Path) -> None:
    """With the replies of home; what was asked meanwhile comes back, replies only from home."""
    ask(filled, "bridge", "Why?", "--annotation", SECOND)
    filled("messages", "questions", "ask", "bridge", "Of ben?", "--as", "ben")
    _reply(home, "So.")
    file = home / "ana.bundle"
    assert filled("sync", "bundles", "create", "--person", "ana", "-o", str(file)).code == 0
    working, _ = bundles.open_bundle(file)
    assert talks(working) == [(SECOND, QUOTE, ["Why?", "So."])]
    with workspaces.open(working) as space:
        ana = space.person("ana").id
        space.team.comments.write(ana, BRIDGE, "And?", annotation=SECOND)
        space.team.comments.write(ana, TEA, "Here?")
        forged = space.team.comments.list_threads()[-1]
        space.team.comments.reply(forged.id, "Forged.")
    bundles.write_back(file, working)
    refused = filled("sync", "bundles", "create", "--person", "ana", "-o", str(file))
    assert isinstance(refused.error, Conflict)  # its questions are not merged yet
    done = filled("sync", "bundles", "merge", str(file), "--json")
    assert (done.code, done.json["questions"]) == (0, 2)
    assert talks(home) == [
        (SECOND, QUOTE, ["Why?", "So.", "And?"]),
        ("", "", ["Of ben?"]),
        ("", "", ["Here?"]),
    ]
    assert filled("sync", "bundles", "merge", str(file), "--json").json["questions"] == 0


def _machine(filled: Command, home: Path) -> Path:
    """A copy of the workspace on another machine."""
    target = home / "machine"
    with workspaces.open(home) as space:
        store = space.path / "store.sqlite"
        filled("init", "machine")
        with (
            closing(sqlite3.connect(store)) as here,
            closing(sqlite3.connect(target / "store.sqlite")) as there,
        ):
            here.backup(there)
    return target


def test_both_sides_of_a_folder_keep_all_that_was_said(filled: Command, home: Path) -> None:
    """Two threads about the same annotation become one; two replies are both kept."""
    there = _machine(filled, home)
    (home / "shared").mkdir()
    for folder, text in ((home, "here"), (there, "there")):
        with workspaces.open(folder) as space:
            ana = space.person("ana").id
            thread = space.team.comments.write(ana, BRIDGE, f"Asked {text}", annotation=SECOND)
            space.team.comments.reply(thread.id, f"Replied {text}")
    for _ in range(2):
        for folder in (home, there):
            for verb in ("push", "pull"):
                words = ("sync", verb, str(home / "shared"), "--as", "ana", "-w", str(folder))
                assert filled(*words).code == 0
    found = talks(home)
    assert found == talks(there)
    ((annotation, about, texts),) = found
    assert (annotation, about) == (SECOND, QUOTE)
    assert sorted(texts) == ["Asked here", "Asked there", "Replied here", "Replied there"]


def test_replies_come_by_the_file_of_who_replied(filled: Command, home: Path) -> None:
    """A reviewer on another machine collects the questions, and pushes the replies."""
    there = _machine(filled, home)
    (home / "shared").mkdir()
    ask(filled, "bridge", "Why?")
    assert filled("sync", "push", "shared", "--as", "ana").code == 0
    assert filled("sync", "pull", "--all", "shared", "-w", str(there)).code == 0
    _reply(there, "So.")
    assert filled("sync", "push", "shared", "--as", "rea", "-w", str(there)).code == 0
    assert filled("sync", "pull", "shared", "--as", "ben", "--json").json[0]["questions"] == 0
    assert filled("sync", "pull", "shared", "--as", "ana", "--json").json[0]["questions"] == 1
    assert talks(home) == [("", "", ["Why?", "So."])]


def test_no_file_puts_a_message_into_the_thread_of_another(filled: Command, home: Path) -> None:
    """It is a thread of its own, whichever thread it names."""
    filled("messages", "questions", "ask", "bridge", "Of ben?", "--as", "ben")
    there = _machine(filled, home)
    (home / "shared").mkdir()
    with workspaces.open(there) as space:
        comments, ana = space.team.comments, space.person("ana").id
        thread = comments.list_threads()[0].id
        forged = PersonComment("f", BRIDGE, ana, REVIEWERS, thread, "Of ana.", "2999")
        comments.store.add(forged)
    assert filled("sync", "push", "shared", "--as", "ana", "-w", str(there)).code == 0
    assert filled("sync", "pull", "--all", "shared").code == 0
    assert talks(home) == [("", "", ["Of ben?"]), ("", "", ["Of ana."])]


def test_with_accounts_no_file_brings_a_reply(filled: Command, home: Path) -> None:
    """Anyone could have written it; questions come in, and wait for a reviewer."""
    there = _machine(filled, home)
    (home / "shared").mkdir()
    with workspaces.open(there) as space:
        thread = space.team.comments.write(space.person("ana").id, BRIDGE, "Why?")
        space.team.comments.reply(thread.id, "Forged.")
    assert filled("sync", "push", "shared", "--as", "ana", "-w", str(there)).code == 0
    with workspaces.open(home) as space:
        new = NewAccount("root", "root@example.org", Role.ADMIN, password="lamps over water")
        space.team.accounts.add(new)
    assert filled("sync", "pull", "--all", "shared").code == 0
    assert talks(home) == [("", "", ["Why?"])]


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeTable]:
    """A shared table."""
    with serving_table() as fake:
        monkeypatch.setenv("TUI_ANNOTATE_SYNC_URL", fake.url)
        monkeypatch.setenv("TUI_ANNOTATE_SYNC_KEY", KEY)
        yield fake


def test_rows_of_a_table_carry_questions(filled: Command, home: Path, table: FakeTable) -> None:
    """Also about a sample without work, and again when nothing else changed."""
    there = _machine(filled, home)

    def sync(verb: str, folder: Path) -> None:
        done = filled("sync", verb, "--as", "ana", "-w", str(folder))
        assert done.code == 0, done.err

    ask(filled, "tea", "Is this tea?")
    sync("push", home)
    sync("pull", there)
    assert talks(there) == [("", "", ["Is this tea?"])]
    ask(filled, "bridge", "Why?", "--annotation", SECOND)
    sync("push", home)
    rows = len(table.rows)
    sync("push", home)
    assert len(table.rows) == rows
    sync("pull", there)
    assert talks(there) == talks(home)
    _reply(there, "It is.")
    sync("push", there)
    sync("pull", home)
    assert talks(there) == talks(home)
    assert talks(home)[0] == ("", "", ["Is this tea?", "It is."])


def test_a_merge_of_people_joins_their_questions(filled: Command, home: Path) -> None:
    """The owner reads and continues them; after an unmerge each has what they wrote."""
    ask(filled, "tea", "Of ana?")
    text = filled("export", "--to", "native").out.replace('"ana"', '"annie"')
    with workspaces.open(home) as space:
        ana = space.person("ana").id
    filled("init", "other")
    (home / "other.jsonl").write_text(text.replace(ana, "other-id"), "utf-8")
    filled("ingest", "-w", "other", "--embedder", "none", "other.jsonl")
    other = home / "other"
    with workspaces.open(other) as space:
        annie, owner = space.people.person("other-id"), space.person("olga")
        space.team.person_merges.merge(annie, owner)
        mine = space.acting(Actor(owner.id, Role.ANNOTATOR))
        (thread,) = mine.team.comments.list_threads()
        space.team.comments.reply(thread.id, "To olga.")
        mine.team.comments.write(owner.id, TEA, "Thanks.")
        (thread,) = mine.team.comments.list_threads()
        assert [each.text for each in thread.remarks] == ["Of ana?", "To olga.", "Thanks."]
        assert [each.text for each in mine.team.comments.store.replies(owner.id)] == ["To olga."]
        space.team.person_merges.undo(annie)
        assert [texts for _, _, texts in talks(mine)] == [["Thanks."]]
        assert [texts for _, _, texts in talks(space)] == [["Of ana?", "To olga."], ["Thanks."]]


def test_the_record_of_changes_covers_questions(filled: Command, home: Path) -> None:
    """A text that another program changed, or a question that it removed, is found."""
    ask(filled, "tea", "Why?")
    filled("audit", "head")
    assert filled("audit", "verify").code == 0
    with closing(sqlite3.connect(home / "store.sqlite")) as store, store:
        store.execute("UPDATE remarks SET text = 'Altered'")
    altered = filled("audit", "verify", "--json")
    assert altered.code != 0
    assert "remarks" in altered.out
    with closing(sqlite3.connect(home / "store.sqlite")) as store, store:
        store.execute("DELETE FROM remarks")
    assert filled("audit", "verify").code != 0


def test_snapshots_and_backups_carry_questions(filled: Command, home: Path) -> None:
    """In a file of their own, as a snapshot must replay equal after more was said."""
    ask(filled, "bridge", "Why?", "--annotation", SECOND)
    assert filled("audit", "snapshots", "create", "paper").code == 0
    lines = (home / "frozen" / "paper" / "questions.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(each)["quote"] for each in lines] == ["bridge cos"]
    ask(filled, "bridge", "More?", "--annotation", SECOND)
    assert filled("audit", "snapshots", "replay", "paper").code == 0
    assert filled("backup", "create", str(home / "kept")).code == 0
    assert filled("backup", "restore", str(home / "kept"), str(home / "restored")).code == 0
    assert talks(home / "restored") == talks(home)


def test_no_question_tests_a_hidden_first_reading(tmp_path: Path) -> None:
    """Or an answer of the program would tell which words were marked the first time."""
    from tests.helpers import blind_states

    blind_states.build(tmp_path / "study")
    with workspaces.open(tmp_path / "study") as space:
        ana, key = space.person("ana").id, SampleKey("again", "half")
        comments = space.team.comments
        for refused in (
            lambda: comments.write(ana, key, "Mine?", annotation="any"),
            lambda: comments.write(ana, key, "Mine?"),
            lambda: comments.find_annotation(ana, key, quote="bridge"),
        ):
            with pytest.raises(NotAllowed):
                refused()
