"""What a change of labels does or would do, in figures: by whom, where, which label."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.errors import Conflict
from tui_annotate.domain.labels import JOINER
from tui_annotate.services.relabel.tasks import Outcome
from tui_annotate.storage.work.relabelling import StreamName


@dataclass(frozen=True, slots=True)
class Count:
    """How many annotations.

    Attributes:
        person: a name.
        label, becomes: as they are written with dots; the same where the label stays. `becomes` is
            empty where it is lost, or comes off.
    """

    person: str
    dataset: str
    label: str
    becomes: str
    annotations: int


@dataclass(frozen=True, slots=True)
class Place:
    """Something to look at.

    Attributes:
        what: as of `tasks.Remark`.
        numbers: of the annotations, as exports with numbers have them.
    """

    what: str
    person: str
    dataset: str
    sample: str
    numbers: tuple[int, ...]
    label: str
    says: str


@dataclass(frozen=True, slots=True)
class Report:
    """A change, done or as it would be.

    Attributes:
        kind: the command's word.
        told: what was asked for, in words.
        dataset: whose set; empty for the workspace's.
        before, after: versions of that set.
        annotations: how many are concerned.
        samples: on how many pieces of work, of one person on one sample each.
        reopened: how many of these are to be looked at again; `closed` how many, opened by a change
            that is taken back, count as finished again.
        file: what became of `labels.yaml`: `written`, `left` as it says something else, or empty.
    """

    kind: str
    told: str
    dataset: str
    before: str
    after: str
    done: bool
    annotations: int
    samples: int
    reopened: int
    closed: int
    counts: tuple[Count, ...]
    places: tuple[Place, ...]
    file: str = ""

    def of(self, what: str) -> list[Place]:
        """The places of one kind."""
        return [place for place in self.places if place.what == what]

    def as_json(self) -> dict[str, Any]:
        """As `labels ... --json` prints it."""
        names = ("kind", "told", "dataset", "before", "after", "done", "annotations", "samples")
        return {
            **{name: getattr(self, name) for name in names},
            "reopened": self.reopened,
            "closed": self.closed,
            "file": self.file,
            "counts": [
                {name: getattr(each, name) for name in Count.__slots__} for each in self.counts
            ],
            "places": [
                {name: getattr(each, name) for name in Place.__slots__} for each in self.places
            ],
        }


class Refused(Conflict):
    """A change that must not be.

    Attributes:
        report: what it would do.
    """

    def __init__(self, message: str, hint: str, report: Report) -> None:
        super().__init__(message, hint)
        self.report = report


@dataclass(slots=True)
class Figures:
    """What outcomes come to.

    Attributes:
        names: of people, by id.
    """

    names: Mapping[str, str]
    counts: Counter[tuple[str, str, LabelPath, LabelPath]] = field(default_factory=Counter)
    places: list[Place] = field(default_factory=list)
    annotations: int = 0
    samples: int = 0
    reopened: int = 0
    closed: int = 0

    def take(self, outcomes: Iterable[tuple[StreamName, Outcome]]) -> None:
        """Counts what became of streams."""
        for (person, key), outcome in outcomes:
            name = self.names.get(person, person)
            self.annotations += outcome.annotations
            self.samples += bool(outcome.annotations or outcome.reopens or outcome.closes)
            self.reopened += outcome.reopens
            self.closed += outcome.closes
            for kind, count in outcome.kinds.items():
                self.counts[name, key.dataset, kind.old, kind.new] += count
            self.places += [
                Place(each.what, name, *key, each.numbers, JOINER.join(each.label), each.says)
                for each in outcome.remarks
            ]

    def report(self, **what: Any) -> Report:
        """All of it, in order; the arguments are the other fields of the report."""
        counts = sorted(self.counts.items())
        return Report(
            annotations=self.annotations,
            samples=self.samples,
            reopened=self.reopened,
            closed=self.closed,
            counts=tuple(
                Count(name, dataset, JOINER.join(old), JOINER.join(new), count)
                for (name, dataset, old, new), count in counts
            ),
            places=tuple(sorted(self.places, key=_order)),
            **what,
        )


def _order(place: Place) -> tuple[Any, ...]:
    return place.what, place.dataset, place.sample, place.person, place.numbers, place.label
