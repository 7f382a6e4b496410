"""Synchronises annotators' work through a shared folder, with one file for each annotator.

A push keeps the events that only the file has, and adds those that only the workspace has. Two
machines that write the same file at the same time can overwrite each other's events; these stay
in the workspace that sent them, and its next push sends them again.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
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
from tui_annotate.domain.history import Event
from tui_annotate.domain.people import Person, base_person
from tui_annotate.domain.records import Problem
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.stream_merge import StreamCopy, StreamName, merge_streams
from tui_annotate.plugins.files.targets import open_output
from tui_annotate.plugins.sync import stream_lines
from tui_annotate.storage.log.stream_merge import (
    DIFFERENT_TEXTS,
    MergeStore,
    StreamMergeReport,
)

_MAX_TRIES: Final = 5
_FILE_NAME: Final = re.compile(r".*-[0-9a-f]{16}\.jsonl")
_SAME_NAME_HINT: Final = (
    "annotators are matched by id, not by name; if both are the same person, start again"
    " on this machine with a bundle or a copy of the other machine's workspace"
)

_Refusals = tuple[tuple[SampleKey, str], ...]
"""Samples whose work cannot be sent, with the reason."""


class _FileChanged(Exception):
    """Another machine changed a shared file between reading and writing it."""


class _UnreadableFile(Exception):
    """A shared file cannot be read; errors of the workspace's own store are of other classes."""

    def __init__(self, error: TuiAnnotateError) -> None:
        super().__init__(error.message)
        self.error = error


class FolderPushResult(NamedTuple):
    """Result of a push to a shared folder.

    Attributes:
        streams, events: number of samples with sent events, and of these events.
        waiting: samples that were not sent, as another machine changed them too: pull them first.
        refused: samples that cannot be sent, with the reason.
    """

    streams: int = 0
    events: int = 0
    waiting: tuple[SampleKey, ...] = ()
    refused: _Refusals = ()


class PendingEvents(NamedTuple):
    """Number of events that only the workspace has, and of those that only the folder has."""

    to_push: int
    to_pull: int


@dataclass(frozen=True, slots=True)
class SharedFolder:
    """Synchronises the work of annotators with their files in a shared folder.

    `problem` is called for each part of a file that is skipped: an invalid line or question, and in
    `pull_all` also a whole file.

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
        """Add an annotator's new work to the annotator's file in the shared folder.

        Work on a sample that another machine changed too stays as it is in the file.

        Raises:
            Conflict: another machine writes the same file again and again.
            InvalidRecord: the existing file is damaged; it is not overwritten.
            Unavailable: the file cannot be written.
        """
        hidden = self.merging.hidden(person.id)  # they are sent after the second reading
        shown = (copy for copy in self.merging.copies(person.id) if copy.key not in hidden)
        own, refused = _writable_copies(shown)
        for _ in range(_MAX_TRIES):
            try:
                return self._push_once(person, own, refused)
            except _FileChanged:
                continue
        file = self.file(person)
        raise Conflict(f"another machine is writing the file {file}", "try again in a minute")

    def _push_once(
        self, person: Person, own: Mapping[StreamName, StreamCopy], refused: _Refusals
    ) -> FolderPushResult:
        file = self.file(person)
        before = _digest(file)
        there = _read_whole(file)
        work = _merge_work(there, own)
        refused += work.refused
        known_questions = _read_questions(file)
        written = self.merging.questions(person.id, written=True)
        own_questions = {each.id: each for each in written}
        has_new_questions = bool(own_questions.keys() - known_questions.keys())
        if before and not any(work.new_events) and not has_new_questions:
            return FolderPushResult(waiting=work.waiting, refused=refused)
        questions = list({**own_questions, **known_questions}.values())
        with open_output(file) as target:
            stream_lines.write(person, work.copies, target, questions=questions)
            # Compare as late as possible: the new file replaces the old one right after this.
            if _digest(file) != before:
                raise _FileChanged
        return FolderPushResult(
            streams=sum(count > 0 for count in work.new_events),
            events=sum(work.new_events),
            waiting=work.waiting,
            refused=refused,
        )

    def pull(self, person: Person) -> StreamMergeReport:
        """Merge the work in an annotator's file, and the replies to the annotator in other files.

        Raises:
            InvalidRecord: the annotator's file has another form.
            Unavailable: the annotator's file or the folder cannot be read.
        """
        file = self.file(person)
        done = StreamMergeReport(person)
        if file.exists():
            try:
                done = self._merge_file(file)
            except _UnreadableFile as unreadable:
                raise unreadable.error from None
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
        known = self.merging.datasets()
        replies = [
            each
            for each in found
            if base_person(each.reader) == done.person.id and _is_known(each, known)
        ]
        if replies:
            self.merging.merge_questions(done, replies)

    def pull_all(self) -> list[StreamMergeReport]:
        """Merge the files of all annotators; report a file that cannot be read, and skip it.

        Raises:
            TuiAnnotateError: the folder cannot be read, or the workspace cannot be written. Earlier
            files stay merged.
        """
        done = []
        for file in self._files():
            try:
                done.append(self._merge_file(file))
            except _UnreadableFile as unreadable:
                error = unreadable.error
                where = error.where if isinstance(error, InvalidRecord) else str(file)
                message = error.message.removeprefix(f"{where}: ")
                self.problem(Problem(where, message, error.hint))
        return done

    def find_same_names(self, person: Person) -> list[Problem]:
        """Return a warning for each file of another annotator with the same name as `person`.

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

    def count_pending(self, person: Person) -> PendingEvents:
        """Count a person's events that only the workspace has, and those that only the file has.

        Events on samples of datasets that the workspace does not have are not counted.
        """
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
        return PendingEvents(
            to_push=_count_missing(to_send, there), to_pull=_count_missing(there, here)
        )

    def remove(self, person: Person) -> int:
        """Delete an annotator's file in the shared folder; return the number of samples in it.

        A file that is damaged is deleted too; only samples that can be read are counted.

        Raises:
            InvalidRecord: the file contains the work of another annotator.
            Unavailable: the file cannot be deleted.
        """
        file = self.file(person)
        if not file.exists():
            return 0
        count = _count_readable(file)
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
        with _reading():
            person, copies = _read_file(file)
        known = self.merging.datasets()
        done = self.merging.merge(person, self._known_copies(copies, known))
        with _reading():
            found = stream_lines.read_questions(file)
        questions = list[PersonComment]()
        for each in found:
            if isinstance(each, Problem):
                self.problem(each)
            elif _is_known(each, known):
                questions.append(each)
        self.merging.merge_questions(done, questions)
        return done

    def _known_copies(
        self, copies: Iterator[StreamCopy | Problem], known: Collection[str]
    ) -> Iterator[StreamCopy]:
        """Yield the valid copies on samples of known datasets; others belong to other workspaces.

        Invalid lines of the file are reported. The store merges the copies while they are read.
        """
        with _reading():
            for each in copies:
                if isinstance(each, Problem):
                    self.problem(each)
                elif each.key.dataset in known:
                    yield each


@contextmanager
def _reading() -> Iterator[None]:
    """Raise the errors of reading a shared file as `_UnreadableFile`."""
    try:
        yield
    except TuiAnnotateError as error:
        raise _UnreadableFile(error) from error


def _is_known(comment: PersonComment, datasets: Collection[str]) -> bool:
    """Return whether a message is about a sample of one of some datasets."""
    return comment.sample is not None and comment.sample.dataset in datasets


def _read_questions(file: Path) -> dict[str, PersonComment]:
    found = stream_lines.read_questions(file) if file.exists() else ()
    return {each.id: each for each in found if isinstance(each, PersonComment)}


def _file_ending(person: Person) -> str:
    return f"-{hashlib.sha256(person.id.encode()).hexdigest()[:16]}.jsonl"


def _read_file(file: Path) -> tuple[Person, Iterator[StreamCopy | Problem]]:
    """Read the annotator of a shared file, and the work in it; invalid lines are Problems.

    Raises:
        InvalidRecord: the file has another form, or it has the name of another annotator's file.
        NotFound, InvalidInput, Unavailable: the file cannot be opened.
    """
    person, copies = stream_lines.read(file)
    _require_own_name(file, person)
    return person, copies


def _require_own_name(file: Path, person: Person) -> None:
    if not file.name.endswith(_file_ending(person)):
        raise InvalidRecord(
            f"the file name does not match {person.name}, whose work the file contains",
            "change the file name back to the original name",
            where=str(file),
        )


def _read_whole(file: Path) -> dict[StreamName, StreamCopy]:
    """Read all work in a shared file that will be written again; InvalidRecord if it is damaged."""
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


def _count_readable(file: Path) -> int:
    """Count the samples in a shared file that can be read, which may be damaged.

    Raises:
        InvalidRecord: the file contains the work of another annotator.
    """
    try:
        person, copies = stream_lines.read(file)
    except TuiAnnotateError:
        return 0
    _require_own_name(file, person)
    count = 0
    with suppress(TuiAnnotateError):
        for each in copies:
            count += isinstance(each, StreamCopy)
    return count


def _is_namesake(file: Path, person: Person) -> bool:
    """Return whether a file belongs to another annotator of the same name."""
    try:
        owner = stream_lines.read(file)[0]
    except TuiAnnotateError:
        return False
    return owner.id != person.id and owner.name == person.name


def _writable_copies(
    copies: Iterable[StreamCopy],
) -> tuple[dict[StreamName, StreamCopy], _Refusals]:
    """Return the copies that can be written to a file and read again, and those that cannot."""
    own: dict[StreamName, StreamCopy] = {}
    refused: list[tuple[SampleKey, str]] = []
    for copy in copies:
        try:
            stream_lines.check_writable(copy)
        except InvalidInput as error:
            refused.append((copy.key, error.message.removeprefix(f"{copy.key}: ")))
        else:
            own[copy.name] = copy
    return own, tuple(refused)


class _MergedWork(NamedTuple):
    """The work of a shared file with that of the workspace, to be written to the file.

    Attributes:
        new_events: for each copy, the number of events that the file does not have yet.
        waiting: samples that both changed in different ways; the copy of the file stays.
        refused: samples with different texts, and the reason; the copy of the file stays.
    """

    copies: list[StreamCopy]
    new_events: list[int]
    waiting: tuple[SampleKey, ...]
    refused: _Refusals


def _merge_work(
    there: Mapping[StreamName, StreamCopy], own: Mapping[StreamName, StreamCopy]
) -> _MergedWork:
    copies: list[StreamCopy] = []
    new_events: list[int] = []
    waiting: list[SampleKey] = []
    refused: list[tuple[SampleKey, str]] = []
    for name in sorted({*there, *own}):
        in_file = there.get(name)
        here = own.get(name)
        if in_file is None:
            copies.append(own[name])
            new_events.append(len(own[name].events))
            continue
        added: tuple[Event, ...] = ()
        if here is not None and here.texts != in_file.texts:
            refused.append((in_file.key, DIFFERENT_TEXTS))
        elif here is not None:
            merge = merge_streams(in_file.events, here.events)
            if merge.fork is not None:
                waiting.append(in_file.key)
            else:
                added = merge.events
        copies.append(replace(in_file, events=in_file.events + added))
        new_events.append(len(added))
    return _MergedWork(copies, new_events, tuple(waiting), tuple(refused))


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
