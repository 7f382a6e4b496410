"""What was done to label sets: told, and taken back as far as work stands as it was left."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import Conflict, NotFound
from tui_annotate.domain.label_files import stored_labels
from tui_annotate.domain.labels import LabelTree
from tui_annotate.domain.people import Verb, require
from tui_annotate.services.relabel.carrying import Asked, Carrying, Prepared
from tui_annotate.services.relabel.report import Report
from tui_annotate.services.relabel.tasks import Undoing
from tui_annotate.storage.guidance.label_changes import UNDO, LabelChange
from tui_annotate.storage.guidance.store import Edition, Guidance
from tui_annotate.storage.work.plans import Stream
from tui_annotate.storage.work.relabelling import Relabelling


@dataclass(frozen=True, slots=True)
class Version:
    """A change of a label set, or the first version of one.

    Attributes:
        dataset: whose set; empty for the workspace's.
        version: the hash of the set that was in force from then on.
        by: the name of who did it; empty for whoever owns the files.
        told: what was asked for, in words; empty for a first version.
        labels: how many the set has, those that are no longer given among them.
        in_force: whether it is the set there now.
        undone: whether it was taken back.
    """

    dataset: str
    version: str
    at: str
    by: str
    told: str
    labels: int
    in_force: bool
    undone: bool


@dataclass(frozen=True, slots=True)
class Past(Carrying):
    """The changes of label sets up to now."""

    def versions(self, dataset: str | None = None) -> list[Version]:
        """All that was done, the oldest first.

        Args:
            dataset: to one dataset's own set alone, empty for the workspace's; None for all.

        Raises:
            NotFound: there is no such dataset, and never was a set of its own.
        """
        with self.store.reading() as seen:
            changes = seen.changes()
            if dataset and all(one.dataset != dataset for one in changes):
                seen.moment(dataset)
        known: dict[tuple[str, str], Edition | None] = {
            (one.at, one.dataset): one for one in self.guidance.editions(Guidance.LABELS)
        }
        told = {(one.at, one.dataset): one for one in changes}
        places = sorted(known.keys() | told.keys())
        last = {place[1]: place for place in places if place in known}
        found = [
            self._version(place, known.get(place), told.get(place))
            for place in places
            if dataset in (None, place[1])
        ]
        now = {
            place[1]: self.guidance.version(Guidance.LABELS, dataset=place[1])
            for place in last.values()
        }
        return [
            replace(each, in_force=last.get(each.dataset) == (each.at, each.dataset))
            if each.version == now.get(each.dataset)
            else each
            for each in found
        ]

    def _version(
        self, place: tuple[str, str], edition: Edition | None, change: LabelChange | None
    ) -> Version:
        at, dataset = place
        by = edition.by if edition else change.by if change else ""
        version = edition.version if edition else change.after if change else ""
        return Version(
            dataset,
            version,
            at,
            self.names().get(by, by),
            change.request.told if change else "",
            len(list(stored_labels(self.in_force(version)).walk())),
            in_force=False,
            undone=bool(change and change.undone),
        )

    def text(self, version: str = "", *, dataset: str = "") -> str:
        """A version as it was given; without its name the one in force in the dataset.

        Args:
            version: the first characters of its hash.

        Raises:
            NotFound: there is none, or the characters fit several.
        """
        if not version:
            with self.store.reading() as seen:
                found = seen.moment(dataset).version or self.in_force_hash()
            return self.in_force(found) if found else self.file.text()
        known = self.guidance.versions(Guidance.LABELS)
        fitting = [name for name in known if name.startswith(version.lower())]
        if len(fitting) != 1:
            raise NotFound(
                f"{version!r} names {'several' if fitting else 'no'} versions of the label set",
                "see: tui-annotate labels list",
            )
        return self.guidance.text(Guidance.LABELS, fitting[0])

    def undo(self, *, dataset: str = "", dry: bool = False) -> Report:
        """Takes back the last change of a set that stands.

        Work that is still as the change left it goes back with the set; what was changed since
        stays, and is told. After a change of a name, work that got the new name since goes back
        too.

        Args:
            dataset: whose own set; empty for the workspace's.
            dry: nothing is changed.

        Raises:
            NotFound: nothing is left to take back, or there is no such dataset.
            Conflict: `labels.yaml` says something else than the set in force.
        """
        require(self.actor, Verb.MANAGE)
        if not dataset and self.file.pending():
            raise Conflict(
                "labels.yaml says something else than the set in force",
                "tui-annotate labels apply labels.yaml; or bring it back: "
                "tui-annotate labels show > labels.yaml",
            )
        with self.store.reading() as seen:
            made = self._taken_back(seen, self._last(seen, dataset))
        return self.report(made) if dry else self.carry_out(made)

    def _last(self, seen: Relabelling, dataset: str) -> LabelChange:
        seen.moment(dataset)
        standing = [one for one in seen.changes() if not one.undone and one.kind != UNDO]
        mine = [one for one in standing if one.dataset == dataset]
        if not mine:
            others = sorted({one.dataset for one in standing if one.dataset})
            more = f"of datasets there are: --dataset {others[0]}" if others and not dataset else ""
            where = f"the labels of {dataset}" if dataset else "the workspace's labels"
            raise NotFound(
                f"there is no change of {where} to take back",
                more or "see: tui-annotate labels list",
            )
        return mine[-1]

    def _taken_back(self, seen: Relabelling, last: LabelChange) -> Prepared:
        if seen.moment(last.dataset).version != last.after:
            raise Conflict(
                f"the set in force is not the one that {last.request.told!r} made",
                "see: tui-annotate labels list",
            )
        now, text = self.in_force(last.after), self.in_force(last.before)
        done = seen.batch(last.batch)
        back = {new: old for old, new in last.request.renames.items()}
        renames = back if last.kind == "rename" else {}

        def ask(_text: str, _tree: LabelTree, at: str) -> Asked:
            task = Undoing(
                lambda stream: done.get((stream.person, stream.key)),
                renames,
                stored_labels(now),
                stored_labels(text),
                at,
                self._later,
            )
            return Asked(UNDO, f"undo: {last.request.told}", text, task, renames)

        made = self.prepared(seen, ask, dataset=last.dataset)
        change = replace(made.change, after=last.before)
        return replace(made, change=change, undoes=last.id)

    def _before(self, stream: Stream) -> State | None:
        """How far work was that a change opened; None where somebody worked on it since."""
        with self.store.reading() as seen:
            state = seen.before((stream.person, stream.key))
        return State(state) if state else None

    def _later(self, stream: Stream, seq: int) -> bool:
        """Whether somebody worked on a stream after one of its events."""
        if stream.seq == seq:
            return False
        with self.store.reading() as seen:
            return seen.later((stream.person, stream.key), seq)
