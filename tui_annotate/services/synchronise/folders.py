"""Push and pull through a folder that people share: event streams, one file a person."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tui_annotate.domain.errors import InvalidRecord, TuiAnnotateError
from tui_annotate.domain.history import JOIN
from tui_annotate.domain.merging import StreamCopy, origin
from tui_annotate.domain.people import Person
from tui_annotate.domain.records import Problem
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.work.merging import Merged, MergeStore

if TYPE_CHECKING:
    from tui_annotate.plugins.exchange.folder import FolderTarget, Pushed

_APART: Final = (
    "people are matched by id; if that is you, begin here anew: with a bundle from the other "
    "machine, or a copy of its workspace"
)
StreamName = tuple[str, SampleKey]


@dataclass(frozen=True, slots=True)
class FolderSync:
    """The files of a folder.

    Attributes:
        problem: told of what is wrong with a stream, which is left out.
    """

    merging: MergeStore
    folder: FolderTarget
    problem: Callable[[Problem], None] = lambda _: None

    def push(self, person: Person) -> Pushed:
        """Brings somebody's work to their file.

        Raises:
            Conflict, InvalidRecord, Unavailable: as `FolderTarget.push`.
        """
        return self.folder.push(person, self.merging.copies(person.id))

    def pull(self, person: Person) -> Merged:
        """Brings somebody's file here; nothing where there is none yet.

        Raises:
            InvalidRecord: it is no such file.
        """
        file = self.folder.file(person)
        return self._taken(file) if file.exists() else Merged(person)

    def pull_all(self) -> list[Merged]:
        """Brings everybody's files here; one that can not be read is told, and left out."""
        done = []
        for file in self.folder.files():
            try:
                done.append(self._taken(file))
            except TuiAnnotateError as error:
                where = error.where if isinstance(error, InvalidRecord) else str(file)
                told = error.message.removeprefix(f"{where}: ")
                self.problem(Problem(where, told, error.hint))
        return done

    def namesakes(self, person: Person) -> list[Problem]:
        """A doubt for each file with work of somebody of the same name, which stays where it is.

        Raises:
            Unavailable: the folder can not be read.
        """
        told = f"it holds work of somebody called {person.name} under another id"
        return [
            Problem(str(file), told, _APART, refused=False)
            for file in self.folder.namesakes(person)
        ]

    def waiting(self, person: Person) -> tuple[int, int]:
        """How many events this side has more than the file, and the file more than this side."""
        here = {(copy.person, copy.key): copy for copy in self.merging.copies(person.id)}
        known, there = self.merging.datasets(), dict[StreamName, StreamCopy]()
        file = self.folder.file(person)
        if file.exists():
            copies = self.folder.pull(file)[1]
            there = {
                (copy.person, copy.key): copy
                for copy in copies
                if isinstance(copy, StreamCopy) and copy.key.dataset in known
            }
        return _more(here, there), _more(there, here)

    def _taken(self, file: Path) -> Merged:
        person, copies = self.folder.pull(file)
        done, here = Merged(person), self.merging.datasets()
        for taken in self.merging.take(person, self._sound(copies, here)):
            done.take(taken)
        return done

    def _sound(
        self, copies: Iterator[StreamCopy | Problem], here: Container[str]
    ) -> Iterator[StreamCopy]:
        """Those of datasets that are here; work in others is another workspace's to take."""
        for each in copies:
            if isinstance(each, Problem):
                self.problem(each)
            elif each.key.dataset in here:
                yield each


def _more(one: Mapping[StreamName, StreamCopy], other: Mapping[StreamName, StreamCopy]) -> int:
    """How many events the first have that the others lack."""
    return sum(
        len(_known(copy) - (_known(other[name]) if name in other else set()))
        for name, copy in one.items()
    )


def _known(copy: StreamCopy) -> set[str]:
    return {origin(event) for event in copy.events if event.action.verb != JOIN}
