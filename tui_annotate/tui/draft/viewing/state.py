"""What somebody has in hand who looks at a file: whose annotations are shown, and which is lit.

Values and questions about them only; what keys do is in `deeds`, words in `words`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assignments import Assignment
from tui_annotate.domain.labels import MOST_OPTIONS
from tui_annotate.domain.records import Owned
from tui_annotate.domain.samples import Side
from tui_annotate.tui.draft.counting import letter
from tui_annotate.tui.draft.state import Draft, Option
from tui_annotate.tui.keys.view import VIEWING
from tui_annotate.tui.lines import cut, shown


@dataclass
class Viewing(Draft):
    """One sample of a file on screen; `annotations` are those that are shown.

    Attributes:
        everybody: all annotations of the sample with whose they are, in reading order.
        assignments: what the file says of people's work on the sample.
        names: of people by id, each of them another.
        crew: ids of the people of the file, by name; None where the bar has no room for them.
        chosen: whose annotations are shown; empty for everybody's.
        before: the annotation that was lit last; it is preferred where several lie on one place.
    """

    everybody: tuple[Owned, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    crew: tuple[str, ...] | None = None
    chosen: str = ""
    before: str = ""

    def __post_init__(self) -> None:
        self.show(self.chosen)

    @property
    def state(self) -> str:
        """Always the same keys act."""
        return VIEWING

    def show(self, person: str) -> None:
        """Shows one person's annotations alone; everybody's for an empty id."""
        self.chosen = person
        self.annotations = tuple(
            owned.annotation for owned in self.everybody if person in ("", owned.person)
        )
        if self.focused_annotation is None:
            self.focused = ""

    @cached_property
    def _owners(self) -> dict[str, tuple[str, int]]:
        """By annotation, whose it is, and its place among all."""
        return {one.annotation.id: (one.person, at) for at, one in enumerate(self.everybody)}

    def owner(self, annotation: Annotation) -> str:
        """The name of whose an annotation is."""
        person = self._owners[annotation.id][0]
        return self.names.get(person, person)

    def letter(self, annotation_id: str) -> str:
        """Its letter stays, whoever else is shown."""
        return letter(self._owners[annotation_id][1]) if annotation_id in self._owners else ""

    @property
    def people(self) -> tuple[str, ...]:
        """Ids of whoever did anything on the sample, by name."""
        there = {one.person for one in self.everybody} | {one.person for one in self.assignments}
        return tuple(sorted(there, key=lambda person: (self.names.get(person, person), person)))

    def count(self, person: str) -> int:
        """How many annotations somebody made on the sample."""
        return sum(owned.person == person for owned in self.everybody)

    @property
    def bar(self) -> tuple[str, ...]:
        """Ids of the people that the digits choose, 1 for the first."""
        return (self.people if self.crew is None else self.crew)[:MOST_OPTIONS]

    def options(self, cells: int = 200) -> tuple[Option, ...]:
        """The bar: people, each with their number of annotations, in so many cells each."""
        return tuple(
            Option(str(at), self._told(person, cells), (), chosen=person == self.chosen)
            for at, person in enumerate(self.bar, 1)
        )

    def _told(self, person: str, cells: int) -> str:
        count = str(self.count(person) or "–")
        name = shown(self.names.get(person, person))
        return f"{cut(name, max(cells - len(count) - 1, 1))} {count}"

    def here_lies(self) -> Annotation | None:
        """The annotation under the cursor of the side in hand: the one lit last, else the shortest.

        None while something is selected, as that is what one looks at then.
        """
        pointer = self.pointer
        if pointer.selection:
            return None
        found = [
            (one.id != self.before, len(anchor.span), at)
            for at, one in enumerate(self.annotations)
            for anchor in one.anchors
            if (anchor.side, anchor.index) == (self.side, pointer.document)
            and anchor.span.start <= pointer.offset < anchor.span.end
        ]
        return self.annotations[min(found)[2]] if found else None

    @property
    def shown_evidence(self) -> Sequence[Anchor]:
        """The evidence of the annotation in hand."""
        annotation = self.focused_annotation
        return annotation.evidence if annotation else ()

    def places(self, side: Side) -> int:
        """How many places of a side the annotation in hand has."""
        annotation = self.focused_annotation
        return sum(anchor.side is side for anchor in annotation.anchors) if annotation else 0
