"""A shared folder: whatever lies there, nothing breaks and nothing is lost."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.domain.test_stream_merge import copy_of, deed
from tui_annotate.domain.errors import Conflict, NotFound
from tui_annotate.domain.people import Person
from tui_annotate.domain.stream_merge import StreamCopy
from tui_annotate.plugins.sync import stream_lines
from tui_annotate.services.sync import shared_folder
from tui_annotate.services.sync.shared_folder import FolderPushResult, SharedFolder

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
