"""Synchronises annotators' work through a shared folder, with one file for each annotator.

A push first adopts the additional events of the file, so that no work of another machine is lost.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from typing import Final, NamedTuple

from tui_annotate.domain.comments import PersonComment
from tui_annotate.domain.errors import (
    Conflict,
    InvalidInput,
    InvalidRecord,
    NotFound,
    TuiAnnotateError,
    Unavailable,
)
from tui_annotate.domain.people import Person, base_person
from tui_annotate.domain.records import Problem
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.stream_merge import StreamCopy, StreamName, merge_streams
from tui_annotate.plugins.files.targets import open_output
from tui_annotate.plugins.sync import stream_lines
from tui_annotate.storage.log.stream_merge import MergeStore, StreamMergeReport

_MAX_TRIES: Final = 5
_FILE_NAME: Final = re.compile(r".*-[0-9a-f]{16}\.jsonl")
_SAME_NAME_HINT: Final = (
    "annotators are matched by id, not by name; if both are the same person, start again"
    " on this machine with a bundle or a copy of the other machine's workspace"
)


class FolderPushResult(NamedTuple):
    """Result of a push to a shared folder: numbers sent, and samples that were not sent."""

    streams: int = 0
    events: int = 0
    waiting: tuple[SampleKey, ...] = ()
    refused: tuple[tuple[SampleKey, str], ...] = ()


@dataclass(frozen=True, slots=True)
class SharedFolder:
    """Synchronises the work of annotators with their files in a shared folder.

    `problem` is called for each skipped file, or events of a person on a sample.

    Raises:
        NotFound: the folder does not exist.
    """

    merging: MergeStore
    folder: Path
    problem: Callable[[Problem], None] = lambda _: None

    def __post_init__(self) -> None:
        if not self.folder.is_dir():
            raise NotFound(
                f"there is no folder {self.folder}",
                "create the folder, or check that it is mounted",
            )

    def file(self, person: Person) -> Path:
        """Return the annotator's file, which need not exist; a renamed annotator keeps the file."""
        ending = _file_ending(person)
        existing = [each for each in self._files() if each.name.endswith(ending)]
        name = re.sub(r"[^a-z0-9]+", "-", person.name.lower()).strip("-")[:40] or "person"
        return existing[0] if existing else self.folder / f"{name}{ending}"

    def push(self, person: Person) -> FolderPushResult:
        """Write all work of an annotator to the annotator's file in a shared folder.

        Raises:
            Conflict: another machine writes the same file again and again.
            InvalidRecord: the existing file is damaged; it is not overwritten.
            Unavailable: the file cannot be written.
        """
        hidden = self.merging.hidden(person.id)  # they are sent after the second reading
        shown = (copy for copy in self.merging.copies(person.id) if copy.key not in hidden)
        own, refused = _writable_copies(person, shown)
        for _ in range(_MAX_TRIES):
            file = self.file(person)
            before = _digest(file)
            there = _read_whole(file)
            known = _read_questions(file)
            here = self.merging.questions(person.id, written=True)
            own_questions = {each.id: each for each in here}
            questions = list({**own_questions, **known}.values())
            joined = [
                _join_copies(there.get(name), own.get(name)) for name in sorted({*there, *own})
            ]
            whole = [copy for copy, _ in joined]
            waiting = tuple(copy.key for copy, forked in joined if forked)
            new = [
                len(copy.events) - (len(there[copy.name].events) if copy.name in there else 0)
                for copy in whole
            ]
            if before and not any(new) and known.keys() >= own_questions.keys():
                return FolderPushResult(waiting=waiting, refused=refused)
            # Another machine may have changed the file since it was read: then read it again.
            if _digest(file) == before:
                with open_output(file) as target:
                    stream_lines.write(person, whole, target, questions=questions)
                return FolderPushResult(
                    streams=sum(map(bool, new)),
                    events=sum(new),
                    waiting=waiting,
                    refused=refused,
                )
        raise Conflict(f"another machine is writing the file {file}", "try again in a minute")

    def pull(self, person: Person) -> StreamMergeReport:
        """Merge the work in an annotator's file in a shared folder into the workspace.

        Raises:
            InvalidRecord: the file has another form.
        """
        file = self.file(person)
        done = self._merge_file(file) if file.exists() else StreamMergeReport(person)
        for each in self._files():
            # The replies of reviewers are in the reviewers' own files.
            if each != file:
                self._merge_replies(each, done)
        return done

    def _merge_replies(self, file: Path, done: StreamMergeReport) -> None:
        try:
            found = _read_questions(file).values()
        except TuiAnnotateError:
            return  # a file of another person, who sees the error
        replies = [each for each in found if base_person(each.reader) == done.person.id]
        if replies:
            self.merging.merge_questions(done, replies)

    def pull_all(self) -> list[StreamMergeReport]:
        """Merge the files of all annotators; report a file that cannot be merged, and skip it."""
        done = []
        for file in self._files():
            try:
                done.append(self._merge_file(file))
            except TuiAnnotateError as error:
                where = error.where if isinstance(error, InvalidRecord) else str(file)
                message = error.message.removeprefix(f"{where}: ")
                self.problem(Problem(where, message, error.hint))
        return done

    def find_same_names(self, person: Person) -> list[Problem]:
        """Return a warning for each other annotator with the same name as `person`.

        Raises:
            Unavailable: the folder cannot be read.
        """
        message = (
            f"the file belongs to a different annotator who has the same name, {person.name},"
            " but another id"
        )
        return [
            Problem(str(file), message, _SAME_NAME_HINT, refused=False)
            for file in self._files()
            if _is_namesake(file, person)
        ]

    def waiting(self, person: Person) -> tuple[int, int]:
        """Count a person's events only in the workspace, and those only in the shared folder."""
        here = {copy.name: copy for copy in self.merging.copies(person.id)}
        hidden = self.merging.hidden(person.id)
        to_send = {name: copy for name, copy in here.items() if copy.key not in hidden}
        known = self.merging.datasets()
        there: dict[StreamName, StreamCopy] = {}
        file = self.file(person)
        if file.exists():
            there = {
                copy.name: copy
                for copy in _read_file(file)[1]
                if isinstance(copy, StreamCopy) and copy.key.dataset in known
            }
        return _count_missing(to_send, there), _count_missing(there, here)

    def remove(self, person: Person) -> int:
        """Delete an annotator's file in the shared folder; count the samples with work in it."""
        file = self.file(person)
        if not file.exists():
            return 0
        count = len(_read_whole(file))
        try:
            file.unlink()
        except OSError as error:
            raise Unavailable(
                f"{file} cannot be deleted: {error.strerror}",
                "check the owner and the permissions of the file",
            ) from error
        return count

    def _files(self) -> list[Path]:
        try:
            return sorted(each for each in self.folder.iterdir() if _FILE_NAME.fullmatch(each.name))
        except OSError as error:
            raise Unavailable(
                f"{self.folder} cannot be read: {error.strerror}",
                "check that the shared folder is mounted",
            ) from error

    def _merge_file(self, file: Path) -> StreamMergeReport:
        person, copies = _read_file(file)
        known = self.merging.datasets()

        def sound() -> Iterator[StreamCopy]:
            for each in copies:
                if isinstance(each, Problem):
                    self.problem(each)
                elif each.key.dataset in known:  # other datasets belong to other workspaces
                    yield each

        done = self.merging.merge(person, sound())
        questions = list[PersonComment]()
        for each in stream_lines.read_questions(file):
            if isinstance(each, Problem):
                self.problem(each)
            elif each.sample and each.sample.dataset in known:
                questions.append(each)
        self.merging.merge_questions(done, questions)
        return done


def _read_questions(file: Path) -> dict[str, PersonComment]:
    found = stream_lines.read_questions(file) if file.exists() else ()
    return {each.id: each for each in found if isinstance(each, PersonComment)}


def _file_ending(person: Person) -> str:
    return f"-{hashlib.sha256(person.id.encode()).hexdigest()[:16]}.jsonl"


def _read_file(file: Path) -> tuple[Person, Iterator[StreamCopy | Problem]]:
    person, copies = stream_lines.read(file)
    if not file.name.endswith(_file_ending(person)):
        raise InvalidRecord(
            f"the file name does not match {person.name}, whose work the file contains",
            "change the file name back to the original name",
            where=str(file),
        )
    return person, copies


def _read_whole(file: Path) -> dict[StreamName, StreamCopy]:
    if not file.exists():
        return {}
    found: dict[StreamName, StreamCopy] = {}
    for each in _read_file(file)[1]:
        if isinstance(each, Problem):
            raise InvalidRecord(
                each.message,
                "fix or delete the file: the next sync push writes it again",
                where=each.where,
            )
        found[each.name] = each
    return found


def _is_namesake(file: Path, person: Person) -> bool:
    """Return whether a file belongs to another annotator of the same name."""
    try:
        owner = stream_lines.read(file)[0]
    except TuiAnnotateError:
        return False
    return owner.id != person.id and owner.name == person.name


def _writable_copies(
    person: Person, copies: Iterable[StreamCopy]
) -> tuple[dict[StreamName, StreamCopy], tuple[tuple[SampleKey, str], ...]]:
    own: dict[StreamName, StreamCopy] = {}
    refused = []
    for copy in copies:
        try:
            stream_lines.write(person, [copy], StringIO())
        except InvalidInput as error:
            refused.append((copy.key, error.message.removeprefix(f"{copy.key}: ")))
        else:
            own[copy.name] = copy
    return own, tuple(refused)


def _join_copies(there: StreamCopy | None, own: StreamCopy | None) -> tuple[StreamCopy, bool]:
    """Join the events of an annotator's shared file and the local events; check for conflicts."""
    if there is None or own is None:
        found = there or own
        if found is None:
            raise ValueError("neither the shared file nor the workspace has events of this sample")
        return found, False
    merge = merge_streams(there.events, own.events)
    if merge.fork is not None or there.texts != own.texts:
        return there, True
    return replace(there, events=there.events + merge.events), False


def _count_missing(
    one: Mapping[StreamName, StreamCopy], other: Mapping[StreamName, StreamCopy]
) -> int:
    return sum(
        len(copy.origins() - (other[name].origins() if name in other else set()))
        for name, copy in one.items()
    )


def _digest(file: Path) -> str:
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise Unavailable(
            f"{file} cannot be read: {error.strerror}", "check that the shared folder is mounted"
        ) from error
