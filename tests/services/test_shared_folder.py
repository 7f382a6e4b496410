"""A shared folder: whatever lies there, nothing breaks and nothing is lost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.domain.test_stream_merge import copy_of, deed
from tui_annotate.domain.comments import PersonComment
from tui_annotate.domain.errors import Conflict, InvalidRecord, NotFound, Unavailable
from tui_annotate.domain.people import Person
from tui_annotate.domain.records import Problem
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.stream_merge import StreamCopy
from tui_annotate.plugins.sync import stream_lines
from tui_annotate.services.sync import shared_folder
from tui_annotate.services.sync.shared_folder import FolderPushResult, SharedFolder
from tui_annotate.storage.log.stream_merge import DIFFERENT_TEXTS, StreamMergeReport

ANA = Person("p", "Ana Müller/../x")


def opened(folder: Path, *copies: StreamCopy) -> SharedFolder:
    """A folder, as a workspace with these streams has it."""
    store: Any = SimpleNamespace(
        copies=lambda _: copies, hidden=lambda _: set(), questions=lambda *_, **__: []
    )
    return SharedFolder(store, folder)


def push(folder: Path, person: Person, *copies: StreamCopy) -> FolderPushResult:
    """Pushes streams to a person's file."""
    return opened(folder, *copies).push(person)


def test_a_name_makes_no_path(tmp_path: Path) -> None:
    """Whatever somebody is called, their file lies in the folder."""
    target = opened(tmp_path)
    push(tmp_path, ANA, copy_of(deed((), 0, at=1)))
    (file,) = tmp_path.iterdir()
    assert file.name.startswith("ana-m-ller-x-")
    assert target.file(Person("p", "Another name")) == file


def test_a_namesake_is_known_by_what_the_file_says(tmp_path: Path) -> None:
    """By name and id, whatever the file is called; one that can not be read is nobody's."""
    target = opened(tmp_path)
    for id_, name in (("p", "Ana"), ("q", "Ana"), ("r", "Ben")):
        push(tmp_path, Person(id_, name))
    renamed = target.file(Person("q", "Ana"))
    assert [each.where for each in target.find_same_names(Person("p", "Ana"))] == [str(renamed)]
    renamed = renamed.rename(renamed.with_name(renamed.name.replace("ana", "somebody")))
    (tmp_path / "ana-0123456789abcdef.jsonl").mkdir()
    (tmp_path / "ana-0123456789abcdee.jsonl").write_text('"x"\n', "utf-8")
    assert [each.where for each in target.find_same_names(Person("p", "Ana"))] == [str(renamed)]
    assert target.find_same_names(Person("p", "Li")) == []


def test_what_another_machine_brought_is_kept(tmp_path: Path) -> None:
    """A push that knows less than the file takes nothing out of it."""
    long = deed(deed((), 0, at=1), 6, at=2)
    target = opened(tmp_path)
    assert push(tmp_path, ANA, copy_of(long)).events == 2
    assert push(tmp_path, ANA, copy_of(long[:1])).events == 0
    (kept,) = stream_lines.read(target.file(ANA))[1]
    assert isinstance(kept, StreamCopy)
    assert kept.events == long


def test_a_fork_waits_for_a_pull(tmp_path: Path) -> None:
    """What was done otherwise on both sides is not settled unseen."""
    known = deed((), 0, at=1)
    push(tmp_path, ANA, copy_of(deed(known, 6, at=2)))
    pushed = push(tmp_path, ANA, copy_of(deed(known, 7, at=3)))
    assert (pushed.events, pushed.waiting) == (0, (copy_of(known).key,))


def test_work_on_other_texts_is_refused_as_a_pull_would_refuse_it(tmp_path: Path) -> None:
    """A pull cannot help: it does not wait, whether or not both sides changed it."""
    known = deed((), 0, at=1)
    push(tmp_path, ANA, copy_of(deed(known, 6, at=2)))
    for events in (deed(known, 7, at=3), deed(deed(known, 6, at=2), 7, at=3)):
        mine = replace(copy_of(events), texts="other texts")
        pushed = push(tmp_path, ANA, mine)
        assert pushed == FolderPushResult(refused=((mine.key, DIFFERENT_TEXTS),))


def test_two_that_write_at_once_lose_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that changed since it was read is read again; one that always does is told."""
    sums = iter(["", "changed", "changed", "changed"])
    monkeypatch.setattr(shared_folder, "_digest", lambda _: next(sums))
    first = deed((), 0, at=1)
    assert push(tmp_path, ANA, copy_of(first)).events == 1
    endless = iter(range(100))
    monkeypatch.setattr(shared_folder, "_digest", lambda _: str(next(endless)))
    with pytest.raises(Conflict):
        push(tmp_path, ANA, copy_of(deed(first, 6, at=2)))


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    """A file, or nothing."""
    with pytest.raises(NotFound):
        opened(tmp_path / "gone")


def test_what_is_removed_is_counted(tmp_path: Path) -> None:
    """One's own file goes; without one there is nothing to do."""
    target = opened(tmp_path)
    push(tmp_path, ANA, copy_of(deed((), 0, at=1)))
    assert (target.remove(ANA), target.remove(ANA)) == (1, 0)


@pytest.mark.parametrize("damaged", [0, 1])
def test_a_damaged_file_can_be_removed(tmp_path: Path, damaged: int) -> None:
    """Only what can be read is counted."""
    target = opened(tmp_path)
    work = copy_of(deed((), 0, at=1))
    push(tmp_path, ANA, work, replace(work, key=SampleKey("d", "other")))
    file = target.file(ANA)
    lines = file.read_text("utf-8").splitlines(keepends=True)
    lines[damaged] = "{damaged\n"
    file.write_text("".join(lines), "utf-8")
    assert target.remove(ANA) == damaged  # without the first line, it is unknown whose work it is
    assert not file.exists()


def test_a_file_of_somebody_else_is_not_removed(tmp_path: Path) -> None:
    """It was only renamed."""
    target = opened(tmp_path)
    push(tmp_path, Person("q", "Ben"))
    file = target.file(Person("q", "Ben")).rename(target.file(ANA))
    with pytest.raises(InvalidRecord):
        target.remove(ANA)
    assert file.exists()


def folder_for_pull(folder: Path, merge: Any, problems: list[Problem]) -> SharedFolder:
    """A folder, as a workspace with the dataset `d` has it, which merges work by `merge`."""

    def merge_questions(done: StreamMergeReport, comments: list[PersonComment]) -> None:
        done.questions += len(comments)

    store: Any = SimpleNamespace(
        datasets=lambda: {"d"}, merge=merge, merge_questions=merge_questions
    )
    return SharedFolder(store, folder, problems.append)


def test_an_error_of_the_workspace_is_no_error_of_a_file(tmp_path: Path) -> None:
    """A full disk ends the pull of all; a file that cannot be read, and it alone, is skipped."""

    def merge(person: Person, copies: Any) -> StreamMergeReport:
        found = list(copies)
        if person.id == ANA.id:
            raise Unavailable("the disk is full")
        return StreamMergeReport(person, streams=len(found))

    work = replace(copy_of(deed((), 0, at=1)), key=SampleKey("d", "1"))
    push(tmp_path, Person("q", "Ben"))
    (tmp_path / "c-0123456789abcdef.jsonl").write_text("x", "utf-8")
    problems: list[Problem] = []
    target = folder_for_pull(tmp_path, merge, problems)
    assert [done.person.name for done in target.pull_all()] == ["Ben"]
    assert ["c-0123456789abcdef" in each.where for each in problems] == [True]
    push(tmp_path, ANA, work)
    with pytest.raises(Unavailable, match="the disk is full"):
        target.pull_all()
    with pytest.raises(Unavailable, match="the disk is full"):
        target.pull(ANA)


def test_replies_on_samples_of_other_workspaces_are_left_out(tmp_path: Path) -> None:
    """As work on them is."""
    replies = [
        PersonComment(str(at), key, "q", ANA.id, "", "Yes.", f"2026-04-0{at}")
        for at, key in enumerate((SampleKey("d", "1"), SampleKey("elsewhere", "1")), 1)
    ]
    store: Any = SimpleNamespace(
        copies=lambda _: (), hidden=lambda _: set(), questions=lambda *_, **__: replies
    )
    SharedFolder(store, tmp_path).push(Person("q", "Ben"))
    target = folder_for_pull(tmp_path, lambda person, _: StreamMergeReport(person), [])
    assert target.pull(ANA).questions == 1
