"""The state of a sample in the viewer: shown annotators and focused annotation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assignments import Assignment
from tui_annotate.domain.labels import MOST_OPTIONS
from tui_annotate.domain.line_text import cut, line_text
from tui_annotate.domain.records import OwnedAnnotation
from tui_annotate.editor.key_state import VIEWING, KeyState
from tui_annotate.editor.state import Draft, LabelOption, letter


@dataclass
class ViewDraft(Draft):
    """One sample of a file in the read-only viewer; `annotations` are the shown annotations.

    Attributes:
        file_people: ids of all people in the file, sorted by name; None if too many for the bar.
        chosen: id of the person whose annotations are shown; empty for all.
        before: id of the last focused annotation, which is preferred if several overlap.
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
    def state(self) -> KeyState:
        """What the reader does: always `VIEWING`."""
        return VIEWING

    def show(self, person: str) -> None:
        """Show only one person's annotations, or all annotations for an empty id."""
        self.chosen = person
        self.annotations = tuple(
            owned.annotation for owned in self.all_annotations if person in ("", owned.person)
        )
        if self.focused_annotation is None:
            self.enable_digits()

    @cached_property
    def _owners(self) -> dict[str, tuple[str, int]]:
        return {one.annotation.id: (one.person, at) for at, one in enumerate(self.all_annotations)}

    def owner(self, annotation: Annotation) -> str:
        """Return the name of the annotator of an annotation; the id if there is no name."""
        person = self._owners[annotation.id][0]
        return self.names.get(person, person)

    def letter(self, annotation_id: str) -> str:
        """Return an annotation's letter on screen, the same whichever annotators are shown."""
        return letter(self._owners[annotation_id][1]) if annotation_id in self._owners else ""

    @property
    def people(self) -> tuple[str, ...]:
        """Ids of all people with an annotation of the sample or an assignment, sorted by name."""
        found = {one.person for one in self.all_annotations}
        found |= {one.person for one in self.assignments}
        return tuple(sorted(found, key=lambda person: (self.names.get(person, person), person)))

    def count(self, person: str) -> int:
        """Return the number of a person's annotations of the sample, also if they are not shown."""
        return sum(owned.person == person for owned in self.all_annotations)

    @property
    def bar(self) -> tuple[str, ...]:
        """Ids of the annotators that the digit keys choose, in the order of the digits from 1."""
        return (self.people if self.file_people is None else self.file_people)[:MOST_OPTIONS]

    def options(self, cells: int = 200) -> tuple[LabelOption, ...]:
        """Return the label bar's options: digit, name, number of annotations, in `cells` cells."""
        return tuple(
            LabelOption(
                str(at), self._describe_person(person, cells), (), chosen=person == self.chosen
            )
            for at, person in enumerate(self.bar, 1)
        )

    def _describe_person(self, person: str, cells: int) -> str:
        count = str(self.count(person) or "–")
        name = line_text(self.names.get(person, person))
        return f"{cut(name, max(cells - len(count) - 1, 1))} {count}"

    def annotation_at_cursor(self) -> Annotation | None:
        """Return the annotation under the cursor: the last focused one, else the shortest.

        None while text is selected, because the selection has the focus then.
        """
        pointer = self.pointer
        if pointer.selection:
            return None
        # Sorted so that the last focused annotation comes first, then the shortest.
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
        """The evidence of the annotation in focus; empty for none."""
        annotation = self.focused_annotation
        return annotation.evidence if annotation else ()
