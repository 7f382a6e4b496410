"""Bundles: one person's texts and work in one file, to be annotated anywhere and brought home."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from tui_annotate.domain.errors import Conflict, InvalidInput, InvalidRecord, NotFound
from tui_annotate.domain.history import JOIN
from tui_annotate.domain.merging import StreamCopy, origin
from tui_annotate.domain.people import Person
from tui_annotate.domain.records import Problem
from tui_annotate.domain.samples import SampleKey
from tui_annotate.plugins.exchange import bundle_file, stream_lines
from tui_annotate.plugins.exchange.bundle_file import About
from tui_annotate.services.bundle.members import Members
from tui_annotate.storage.ranks import HANDED_OUT
from tui_annotate.storage.work.merging import Merged, MergeStore, Taken

if TYPE_CHECKING:
    from tui_annotate.storage.people.store import PeopleStore
    from tui_annotate.storage.shares.store import ShareStore

_ROOM: Final = 10_000
"""Numbers between the bundles of two people, so that those of their annotations seldom meet."""


@dataclass(frozen=True, slots=True)
class Packed:
    """What lies in a bundle: samples, those of them with work, documents with vectors."""

    samples: int
    streams: int
    vectors: int


@dataclass(frozen=True, slots=True)
class Bundles:
    """Makes the bundle of a person, and takes one back.

    Attributes:
        members: what of the workspace goes into it, as its person may see it.
        home: the random name of the workspace; made where it has none.
        last_number: the number of the annotation that came last.
    """

    members: Members
    people: PeopleStore
    shares: ShareStore
    merging: MergeStore
    home: Callable[[], str]
    last_number: Callable[[], int]

    def make(self, person: Person, target: Path, *, datasets: Collection[str] = ()) -> Packed:
        """Writes somebody's bundle; same store, same bytes.

        Args:
            datasets: these alone; empty for all.

        Raises:
            NotFound: there is no such dataset, or nothing of it is theirs.
            InvalidInput, Unavailable: the file can not be written.
            Conflict: there is a bundle already, with work that did not come home.
        """
        self._spare(target)
        copies = [
            copy
            for copy in self.merging.copies(person.id)
            if not datasets or copy.key.dataset in datasets
        ]
        wanted = self._theirs(person, datasets)
        for copy in copies:
            theirs = wanted.setdefault(copy.key.dataset, set())
            if theirs is not None:
                theirs.add(copy.key)
        with TemporaryDirectory(prefix="tui-annotate-") as place:
            folder = Path(place)
            samples, documents = self.members.samples(folder, wanted)
            if not samples:
                raise NotFound(
                    f"nothing is here for {person.name}", "see: tui-annotate assign show"
                )
            streams = _streams(folder, person, copies)
            vectors = self.members.vectors(folder, documents)
            self.members.suggestions(folder, wanted)
            bundle_file.describe(folder, self._about(person), self.members.guidance(wanted))
            bundle_file.pack(folder, target)
        return Packed(samples, streams, vectors)

    def _spare(self, target: Path) -> None:
        """Nothing is written over work that stands in a bundle alone."""
        if not target.is_file():
            return
        with TemporaryDirectory(prefix="tui-annotate-") as place, suppress(InvalidInput):
            about = bundle_file.unpack(target, Path(place))
            here = (event for copy in self.merging.copies(about.person) for event in copy.events)
            known = {origin(event) for event in here}
            for copy in stream_lines.read(Path(place) / bundle_file.STREAMS)[1]:
                if isinstance(copy, StreamCopy) and not known.issuperset(_deeds(copy)):
                    raise Conflict(
                        f"{target} holds work that did not come home",
                        f"first: tui-annotate bundle merge {target}; or name another file",
                    )

    def _theirs(
        self, person: Person, datasets: Collection[str]
    ) -> dict[str, set[SampleKey] | None]:
        """By dataset, which samples are somebody's; None for all of them."""
        found: dict[str, set[SampleKey] | None] = {}
        with self.shares.reading() as sharing:
            held = sharing.held(person=person.id)
            for name in datasets or self.members.datasets():
                rule = sharing.rule(sharing.dataset_row(name), HANDED_OUT)
                mine = {each.key for each in held if each.key.dataset == name}
                found[name] = None if rule is None else mine
        return found

    def _about(self, person: Person) -> About:
        ids = sorted(each.id for each in self.people.all())
        first = self.last_number() + _ROOM * ids.index(person.id)
        return About(person.id, person.name, self.home(), first)

    def merge(self, file: Path) -> Merged:
        """Brings the work of a bundle home; once more changes nothing.

        Raises:
            NotFound: there is no such file, or nobody here is the one whose it is.
            InvalidInput: it is no bundle, or is damaged.
            InvalidRecord: work in it is not sound, or somebody else's; then none of it is taken.
            Conflict: it was made from another workspace.
        """
        with TemporaryDirectory(prefix="tui-annotate-") as place:
            about = bundle_file.unpack(file, Path(place))
            if about.home != self.home():
                raise Conflict(
                    f"{file} was made from another workspace",
                    "name the one that it was made from with -w",
                )
            return self.take(file, Path(place), about)

    def take(self, file: Path, folder: Path, about: About) -> Merged:
        """As `merge`, of a bundle that was unpacked into a folder, wherever it was made.

        Args:
            file: what is named where something is wrong.
        """
        person = self.people.person(about.person)
        streams = folder / bundle_file.STREAMS
        for each in stream_lines.read(streams)[1]:
            if isinstance(each, Problem):
                line = each.where.rpartition(":")[2]
                where = f"{file}, {bundle_file.STREAMS}:{line}"
                raise InvalidRecord(each.message, f"nothing was taken; {each.hint}", where=where)
        owner, copies = stream_lines.read(streams)
        if owner.id != person.id:
            raise InvalidRecord(
                f"it is {person.name}'s bundle, and holds work of {owner.name}",
                "nothing was taken; ask for the file anew",
                where=str(file),
            )
        done = Merged(person)
        sound = (each for each in copies if isinstance(each, StreamCopy))
        for taken in self.merging.take(person, sound):
            done.take(taken)
        return done

    def write_back(self, file: Path, person: Person) -> int:
        """Puts somebody's work as it stands into their bundle; how many samples have some.

        What the file got meanwhile, as from a synchronised folder, is taken in first; what does not
        fit here stays in the file as it is. It is made anew beside itself, and takes its place when
        it is whole.

        Raises:
            NotFound, InvalidInput, Unavailable: it can not be read or written.
            InvalidRecord: as `take`.
            Conflict: it holds work on a sample that does not fit the work on it here.
        """
        with TemporaryDirectory(prefix="tui-annotate-") as place:
            folder = Path(place)
            about = bundle_file.unpack(file, folder)
            refused = self.take(file, folder, about).refused
            copies = list(self.merging.copies(person.id))
            left = _left_out(folder / bundle_file.STREAMS, refused)
            here = set(map(_name, copies))
            for each in refused:
                if _name(each) in here:
                    raise Conflict(
                        f"{file} holds other work on {each.key}: {each.refused}",
                        "rename that file, and ask for the bundle anew",
                    )
            _streams(folder, person, sorted([*copies, *left], key=_name))
            bundle_file.pack(folder, file)
        return len(copies)


def _deeds(copy: StreamCopy) -> set[str]:
    return {origin(event) for event in copy.events if event.action.verb != JOIN}


def _name(stream: StreamCopy | Taken) -> tuple[str, SampleKey]:
    return stream.person, stream.key


def _left_out(file: Path, refused: list[Taken]) -> list[StreamCopy]:
    """The streams of a file that were refused."""
    names = set(map(_name, refused))
    copies = stream_lines.read(file)[1] if names else ()
    return [one for one in copies if isinstance(one, StreamCopy) and _name(one) in names]


def _streams(folder: Path, person: Person, copies: list[StreamCopy]) -> int:
    with (folder / bundle_file.STREAMS).open("w", encoding="utf-8", newline="\n") as file:
        return stream_lines.write(person, copies, file)
