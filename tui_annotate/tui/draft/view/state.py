"""The state of a viewed sample: whose annotations are shown, and which is in focus.

Only values and questions about them; what keys do is in `key_handlers`, texts are in `words`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assignments import Assignment
from tui_annotate.domain.labels import MOST_OPTIONS
from tui_annotate.domain.records import OwnedAnnotation
from tui_annotate.tui.draft.state import Draft, Option, letter
from tui_annotate.tui.keys.actions import VIEWING
from tui_annotate.tui.line_text import cut, line_text


@dataclass
class ViewDraft(Draft):
    """One sample of a file on screen; `annotations` are those that are shown.

    Attributes:
        all_annotations: all annotations of the sample with their annotators, in reading order.
        assignments: what the file says of people's work on the sample.
        names: of people by id, each of them another.
        file_people: ids of the people of the file, by name; None where the bar is too short.
        chosen: whose annotations are shown; empty for all people's.
        before: the annotation in focus last; it is preferred where several overlap.
    """

    all_annotations: tuple[OwnedAnnotation, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    file_people: tuple[str, ...] | None = None
    chosen: str = ""
    before: str = ""

    def __post_init__(self) -> None:
        self.show(self.chosen)

    @property
    def state(self) -> str:
        """Always the same keys act."""
        return VIEWING

    def show(self, person: str) -> None:
        """Show only one person's annotations; all people's for an empty id."""
        self.chosen = person
        self.annotations = tuple(
            owned.annotation for owned in self.all_annotations if person in ("", owned.person)
        )
        if self.focused_annotation is None:
            self.focused = ""

    @cached_property
    def _owners(self) -> dict[str, tuple[str, int]]:
        """By annotation, whose it is, and its place among all."""
        return {one.annotation.id: (one.person, at) for at, one in enumerate(self.all_annotations)}

    def owner(self, annotation: Annotation) -> str:
        """The name of whose an annotation is."""
        person = self._owners[annotation.id][0]
        return self.names.get(person, person)

    def letter(self, annotation_id: str) -> str:
        """Its letter, which does not depend on whose annotations are shown."""
        return letter(self._owners[annotation_id][1]) if annotation_id in self._owners else ""

    @property
    def people(self) -> tuple[str, ...]:
        """Ids of all who did anything on the sample, by name."""
        there = {one.person for one in self.all_annotations} | {
            one.person for one in self.assignments
        }
        return tuple(sorted(there, key=lambda person: (self.names.get(person, person), person)))

    def count(self, person: str) -> int:
        """How many annotations a person made on the sample."""
        return sum(owned.person == person for owned in self.all_annotations)

    @property
    def bar(self) -> tuple[str, ...]:
        """Ids of the people that the digits choose, 1 for the first."""
        return (self.people if self.file_people is None else self.file_people)[:MOST_OPTIONS]

    def options(self, cells: int = 200) -> tuple[Option, ...]:
        """The bar: people, each with their number of annotations, in so many cells each."""
        return tuple(
            Option(str(at), self._describe_person(person, cells), (), chosen=person == self.chosen)
            for at, person in enumerate(self.bar, 1)
        )

    def _describe_person(self, person: str, cells: int) -> str:
        count = str(self.count(person) or "–")
        name = line_text(self.names.get(person, person))
        return f"{cut(name, max(cells - len(count) - 1, 1))} {count}"

    def annotation_at_cursor(self) -> Annotation | None:
        """The annotation under the active cursor: the one focused last, else the shortest.

        None while something is selected, as the selection has the focus then.
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
        """The evidence of the focused annotation."""
        annotation = self.focused_annotation
        return annotation.evidence if annotation else ()
