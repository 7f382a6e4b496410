"""Label sets: the tree, its rules, and what an annotation still lacks under them.

How a set is written down and read stands in `domain.label_files`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tui_annotate.domain.annotations import Annotation, LabelPath
from tui_annotate.domain.errors import InvalidLabels

JOINER = "."
MOST_OPTIONS = 9

COLORS = ("orange", "cyan", "green", "yellow", "blue", "red", "magenta")
"""Names that a label may ask a colour by; who asks for none gets the next one in this order."""


class Need(StrEnum):
    """Whether a label asks for a thing. `none` refuses it."""

    REQUIRED = "required"
    OPTIONAL = "optional"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Label:
    """One node of the tree; rules that it does not state itself come from its parent.

    Attributes:
        path: names from the root.
        key: the digit that it asks for on the bar, "1" to "9"; empty for the next free one.
        color: one of `COLORS` or "#rrggbb", in lower case; empty for the next one that is free.
        exclusive: no other label may stand on the same claim.
    """

    path: LabelPath
    description: str = ""
    key: str = ""
    color: str = ""
    evidence: Need = Need.OPTIONAL
    note: Need = Need.OPTIONAL
    exclusive: bool = False
    children: tuple[Label, ...] = ()

    @property
    def name(self) -> str:
        """The last name of the path."""
        return self.path[-1]

    def walk(self) -> Iterator[Label]:
        """This label, then all below it, in the order of the file."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True, slots=True)
class LabelTree:
    """A label set. `version` is the SHA-256 of the file's text: the identity of the set."""

    roots: tuple[Label, ...]
    version: str
    source_title: str = "Source"
    summary_title: str = "Summary"

    def walk(self) -> Iterator[Label]:
        """All labels in the order of the file, parents before children."""
        for root in self.roots:
            yield from root.walk()

    def leaves(self) -> tuple[Label, ...]:
        """The labels without children, in the order of the file."""
        return tuple(label for label in self.walk() if not label.children)

    def find(self, path: LabelPath) -> Label | None:
        """The label at a path; None where the set has none there."""
        return next((label for label in self.walk() if label.path == path), None)

    def bar(self) -> tuple[tuple[str, Label], ...]:
        """(digit, label) as the bar shows them; labels that ask for a digit get it.

        All leaves and then their parents where nine digits hold the leaves, else the roots.
        """
        leaves = self.leaves()
        if len(leaves) <= MOST_OPTIONS:
            parents = [label for label in self.walk() if label.children]
            return _numbered([*leaves, *parents][:MOST_OPTIONS])
        return _numbered(self.roots[:MOST_OPTIONS])

    def lacks(self, annotation: Annotation) -> tuple[str, ...]:
        """What the annotation's labels ask for and it has not: of "label", "evidence", "note"."""
        labels = [found for path in annotation.labels if (found := self.find(path))]
        lacking = [] if annotation.labels else ["label"]
        if not annotation.evidence and any(label.evidence is Need.REQUIRED for label in labels):
            lacking.append("evidence")
        if not annotation.note and any(label.note is Need.REQUIRED for label in labels):
            lacking.append("note")
        return tuple(lacking)

    def check(self, annotation: Annotation) -> None:
        """New work against the rules; what it merely lacks yet is no error (see `lacks`).

        Raises:
            InvalidLabels: a label is not in the set, refuses evidence or a note that is there, or
                is exclusive and not alone.
        """
        for path in annotation.labels:
            label = self.find(path)
            if label is None:
                raise InvalidLabels(
                    f"no label {JOINER.join(path)!r} in the set",
                    "the set has: " + ", ".join(JOINER.join(known.path) for known in self.walk()),
                )
            if label.exclusive and len(annotation.labels) > 1:
                raise InvalidLabels(
                    f"{JOINER.join(path)!r} must stand alone", "take the other labels off first"
                )
            if annotation.evidence and label.evidence is Need.NONE:
                raise InvalidLabels(
                    f"{JOINER.join(path)!r} takes no evidence", "give the evidence back first"
                )
            if annotation.note and label.note is Need.NONE:
                raise InvalidLabels(f"{JOINER.join(path)!r} takes no note", "empty the note first")


def numbered(labels: Sequence[Label]) -> tuple[tuple[str, Label], ...]:
    """(digit, label) for up to nine labels shown together, in order of the digit.

    Labels that ask for a digit get it; the others fill what is free, in their own order.
    """
    return _numbered(labels[:MOST_OPTIONS])


def _numbered(labels: Sequence[Label]) -> tuple[tuple[str, Label], ...]:
    wanted = {label.key: label for label in reversed(labels) if label.key}
    free = (digit for digit in "123456789" if digit not in wanted)
    given = [
        (label.key if wanted.get(label.key) is label else next(free), label) for label in labels
    ]
    return tuple(sorted(given))
