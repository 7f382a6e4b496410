"""Label sets: the tree, its rules, and what an annotation still lacks under them.

How a set is written down and read stands in `domain.label_files`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from tui_annotate.domain.annotations import Annotation, LabelPath
from tui_annotate.domain.errors import Conflict, InvalidLabels

JOINER = "."
MOST_OPTIONS = 9

COLORS = ("orange", "cyan", "green", "yellow", "blue", "red", "magenta")
"""Names that a label may ask a colour by; who asks for none gets the next one in this order."""


class Requirement(StrEnum):
    """Whether a label asks for a thing. `none` refuses it."""

    REQUIRED = "required"
    OPTIONAL = "optional"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Label:
    """One node of the tree; rules that it does not state come from its parent.

    Attributes:
        path: names from the root.
        key: the digit "1" to "9", or empty.
        color: of `COLORS` or "#rrggbb"; empty for the next free one.
        exclusive: no other label on the same claim.
        retired: deprecated, with all below.
        split: the labels to choose from instead; may be empty.
    """

    path: LabelPath
    description: str = ""
    key: str = ""
    color: str = ""
    evidence: Requirement = Requirement.OPTIONAL
    note: Requirement = Requirement.OPTIONAL
    exclusive: bool = False
    children: tuple[Label, ...] = ()
    retired: bool = False
    split: tuple[LabelPath, ...] = ()

    @property
    def name(self) -> str:
        """The last name of the path."""
        return self.path[-1]

    @property
    def offered(self) -> bool:
        """Whether new work may get it: neither retired nor split."""
        return not (self.retired or self.split)

    @property
    def choices(self) -> tuple[Label, ...]:
        """The children that new work may get, in the order of the file."""
        return tuple(child for child in self.children if child.offered)

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

    def means(self, other: LabelTree) -> bool:
        """Whether nothing but colours and titles differs: every digit does the same in both."""
        mine, its = ([*map(_without_appearance, tree.walk())] for tree in (self, other))
        return mine == its

    def walk(self) -> Iterator[Label]:
        """All labels in the order of the file, parents before children."""
        for root in self.roots:
            yield from root.walk()

    def leaves(self) -> tuple[Label, ...]:
        """The labels without children, in the order of the file; also those no longer given."""
        return tuple(label for label in self.walk() if not label.children)

    def offered(self) -> tuple[Label, ...]:
        """The labels that new work may get, in the order of the file, parents before children."""
        return tuple(label for label in self.walk() if label.offered)

    def find(self, path: LabelPath) -> Label | None:
        """The label at a path; None where the set has none there."""
        return next((label for label in self.walk() if label.path == path), None)

    def bar(self) -> tuple[tuple[str, Label], ...]:
        """(digit, label) as the bar shows them; labels that ask for a digit get it.

        All leaves and then their parents where nine digits hold the leaves, else the roots; of
        these, what new work may get. A parent without such a child counts as a leaf.
        """
        offered = self.offered()
        leaves = [label for label in offered if not label.choices]
        if len(leaves) <= MOST_OPTIONS:
            return number_labels([*leaves, *(label for label in offered if label.choices)])
        return number_labels(self.roots)

    def split(self, paths: Iterable[LabelPath]) -> tuple[Label, ...]:
        """Those of an annotation's labels that were split, in its own order."""
        found = map(self.find, paths)
        return tuple(label for label in found if label and label.split)

    def parts(self, label: Label) -> tuple[Label, ...]:
        """What may be given in the place of a label that was split; a part split again gives its.

        Empty where nothing that came of it is given any more.
        """
        seen = {label.path}

        def below(one: Label) -> Iterator[Label]:
            for path in one.split:
                part = self.find(path)
                if part and path not in seen:
                    seen.add(path)
                    yield part
                    yield from below(part)

        return tuple(part for part in below(label) if part.offered)

    def lacks(self, annotation: Annotation) -> tuple[str, ...]:
        """What the annotation's labels ask for and it has not: of "label", "evidence", "note".

        A label that was split is none: one of those that came of it is to be chosen.
        """
        labels = [found for path in annotation.labels if (found := self.find(path))]
        waits = not annotation.labels or any(label.split for label in labels)
        lacking = ["label"] if waits else []
        if not annotation.evidence and any(
            label.evidence is Requirement.REQUIRED for label in labels
        ):
            lacking.append("evidence")
        if not annotation.note and any(label.note is Requirement.REQUIRED for label in labels):
            lacking.append("note")
        return tuple(lacking)

    def check(self, annotation: Annotation, *, held: Collection[LabelPath] = ()) -> None:
        """Check new work against the rules, but for missing parts (see `lacks`).

        `held`: labels before the edit, which may stay although deprecated.

        Raises:
            InvalidLabels: a label is unknown or deprecated, refuses evidence or a note, or is
                exclusive and not alone.
        """
        for path in annotation.labels:
            name, label = JOINER.join(path), self.find(path)
            if label is None:
                raise InvalidLabels(
                    f"no label {name!r} in the set",
                    "the set has: " + ", ".join(JOINER.join(known.path) for known in self.walk()),
                )
            if path not in held:
                _check_offered(label)
            if label.exclusive and len(annotation.labels) > 1:
                raise InvalidLabels(f"{name!r} must stand alone", "take the other labels off first")
            if annotation.evidence and label.evidence is Requirement.NONE:
                raise InvalidLabels(f"{name!r} takes no evidence", "give the evidence back first")
            if annotation.note and label.note is Requirement.NONE:
                raise InvalidLabels(f"{name!r} takes no note", "empty the note first")


def _check_offered(label: Label) -> None:
    name = JOINER.join(label.path)
    if label.split:
        raise InvalidLabels(
            f"label {name!r} was split",
            "choose one of " + ", ".join(JOINER.join(path) for path in label.split),
        )
    if label.retired:
        raise InvalidLabels(f"label {name!r} is retired", "choose another label")


def _without_appearance(label: Label) -> Label:
    """A label by itself, as far as it has a meaning."""
    return replace(label, color="", children=())


def number_labels(labels: Sequence[Label]) -> tuple[tuple[str, Label], ...]:
    """(digit, label) for up to nine labels shown together, in order of the digit.

    Labels that are no longer given get none. Those that ask for a digit get it; the others fill
    what is free, in their own order.
    """
    shown = [label for label in labels if label.offered][:MOST_OPTIONS]
    wanted = {label.key: label for label in reversed(shown) if label.key}
    free = (digit for digit in "123456789" if digit not in wanted)
    given = [
        (label.key if wanted.get(label.key) is label else next(free), label) for label in shown
    ]
    return tuple(sorted(given, key=lambda pair: pair[0]))


def check_overlap(annotation: Annotation, others: Iterable[Annotation], labels: LabelTree) -> None:
    """Check an annotation against the person's others on the sample.

    Raises:
        Conflict: the same claim has the same label, or one of its labels is exclusive.
    """
    for other in _on_subject(annotation, others):
        same = {*other.labels} & {*annotation.labels}
        shared = sorted(repr(JOINER.join(path)) for path in same)
        if _has_common_label(annotation, other):
            raise Conflict(
                f"this claim has the label {', '.join(shared)} already"
                if shared
                else "this claim is marked already",
                "edit that annotation, or choose another label",
            )
        for path in (*other.labels, *annotation.labels):
            label = labels.find(path)
            if label is not None and label.exclusive:
                raise Conflict(
                    f"{JOINER.join(path)!r} must stand alone on a claim",
                    "edit the annotation that is there",
                )


def is_duplicate(annotation: Annotation, others: Iterable[Annotation]) -> bool:
    """Whether another annotation says of the same words what this one says."""
    return any(_has_common_label(annotation, other) for other in _on_subject(annotation, others))


def _on_subject(annotation: Annotation, others: Iterable[Annotation]) -> Iterator[Annotation]:
    subject = _subject(annotation)
    return (one for one in others if one.id != annotation.id and _subject(one) == subject)


def _has_common_label(annotation: Annotation, other: Annotation) -> bool:
    both = {*annotation.labels, *other.labels}
    return not both or not set(annotation.labels).isdisjoint(other.labels)


def _subject(annotation: Annotation) -> tuple[object, ...]:
    """What an annotation is about: its claim; where it has none, its evidence."""
    return annotation.claim or annotation.evidence
