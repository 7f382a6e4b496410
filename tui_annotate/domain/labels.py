"""Label sets: the tree of labels, and the rules that annotations must follow.

`domain.label_files` parses the files of label sets.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from tui_annotate.domain.annotations import Annotation, LabelPath
from tui_annotate.domain.did_you_mean import suggest_word
from tui_annotate.domain.errors import Conflict, InvalidInput, InvalidLabels

JOINER = "."
MOST_OPTIONS = 9

COLORS = ("orange", "cyan", "green", "yellow", "blue", "red", "magenta")
"""Color names of labels; a label without a color gets the next one in this order."""


class Requirement(StrEnum):
    """Whether a label requires, allows or forbids (`none`) evidence or a note."""

    REQUIRED = "required"
    OPTIONAL = "optional"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Label:
    """A label: one node of the label tree; rules that are not set come from its parent.

    Attributes:
        key: the digit "1" to "9" that assigns the label, or empty.
        color: one of `COLORS` or "#rrggbb"; empty for the next free color.
        exclusive: whether the label forbids other labels on the same claim.
        retired: whether the label and all its descendants are deprecated.
        split: the labels that replace this label; may be empty.
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
        return self.path[-1]

    @property
    def offered(self) -> bool:
        """Whether new annotations can use the label: not if it is deprecated or was divided."""
        return not (self.retired or self.split)

    @property
    def choices(self) -> tuple[Label, ...]:
        """The child labels that new annotations can use, in file order."""
        return tuple(child for child in self.children if child.offered)

    def walk(self) -> Iterator[Label]:
        """Yield the label and then its descendants, parents before children."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True, slots=True)
class LabelTree:
    """A label set; `version` is the SHA-256 of the file's text and identifies the set."""

    roots: tuple[Label, ...]
    version: str
    source_title: str = "Source"
    summary_title: str = "Summary"

    def __hash__(self) -> int:
        return hash(self.version)  # that of all labels is slow

    def means(self, other: LabelTree) -> bool:
        """Return whether two label sets have equal labels and rules; ignores color and title."""
        mine = [_without_appearance(label) for label in self.walk()]
        its = [_without_appearance(label) for label in other.walk()]
        return mine == its

    def walk(self) -> Iterator[Label]:
        """Yield all labels in file order, parents before children, deprecated ones included."""
        for root in self.roots:
            yield from root.walk()

    def leaves(self) -> tuple[Label, ...]:
        """Return the labels without child labels in file order, deprecated ones included."""
        return tuple(label for label in self.walk() if not label.children)

    def offered(self) -> tuple[Label, ...]:
        """Return the labels that new annotations can use, in file order, parents first."""
        return tuple(label for label in self.walk() if label.offered)

    def resolve(self, labels: Iterable[LabelPath | str]) -> tuple[LabelPath, ...]:
        """Return label paths; a label that is given as text is a name or a path with dots.

        Raises:
            InvalidInput: as `resolve_label`; or several texts can be several labels or one path.
        """
        paths = [label.path for label in self.walk()]
        given = (labels,) if isinstance(labels, str) else tuple(labels)
        if len(given) > 1 and given in paths:
            raise InvalidInput(
                f"{given!r} is ambiguous: {len(given)} labels, or the path of one nested label",
                f"for one label, write: labels=({given!r},)",
                code="labels-ambiguous",
            )
        return tuple(resolve_label(one, paths) if isinstance(one, str) else one for one in given)

    def find(self, path: LabelPath) -> Label | None:
        """Return the label with this path at any level; None if there is none."""
        return next((label for label in self.walk() if label.path == path), None)

    def bar(self) -> tuple[tuple[str, Label], ...]:
        """Return the (digit, label) pairs of the label bar below the texts, for up to nine labels.

        If at most nine leaves exist: the leaves, then their parents. Otherwise: the root labels. A
        parent without a usable child counts as a leaf. A label with a `key` gets that digit.
        """
        offered = self.offered()
        leaves = [label for label in offered if not label.choices]
        if len(leaves) <= MOST_OPTIONS:
            return number_labels([*leaves, *(label for label in offered if label.choices)])
        return number_labels(self.roots)

    def split(self, paths: Iterable[LabelPath]) -> tuple[Label, ...]:
        """Return those of the given labels that were split into other labels."""
        found = map(self.find, paths)
        return tuple(label for label in found if label and label.split)

    def parts(self, label: Label) -> tuple[Label, ...]:
        """Return the usable labels that replace a split label; empty if all are deprecated."""
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
        """Return what an annotation still needs to be complete: any of "label", "evidence", "note".

        A split label counts as a missing label, because one of its replacements must be chosen.
        """
        labels = [found for path in annotation.labels if (found := self.find(path))]
        waits = not annotation.labels or any(label.split for label in labels)
        lacking = ["label"] if waits else []
        for part, given in (("evidence", annotation.evidence), ("note", annotation.note)):
            if not given and any(self.requires(label.path, part) for label in labels):
                lacking.append(part)
        return tuple(lacking)

    def requires(self, path: LabelPath, part: str) -> bool:
        """Return whether a label requires a part of its annotations: "evidence" or "note".

        False for an unknown label. KeyError for another part.
        """
        label = self.find(path)
        if label is None:
            return False
        return {"evidence": label.evidence, "note": label.note}[part] is Requirement.REQUIRED

    def check(self, annotation: Annotation, *, held: Collection[LabelPath] = ()) -> None:
        """Check that an annotation breaks no rule of the label set.

        Missing evidence, labels and notes are no error here (see `lacks`). `held`: labels before
        the edit, which may stay even if deprecated.

        Raises:
            InvalidLabels: a label is unknown or deprecated, forbids the annotation's evidence or
                note, or is exclusive and combined with others.
        """
        for path in annotation.labels:
            name = JOINER.join(path)
            label = self.find(path)
            if label is None:
                raise InvalidLabels(
                    f"the label set has no label {name!r}",
                    "labels of the set: "
                    + ", ".join(JOINER.join(known.path) for known in self.walk()),
                    code="label-not-in-set",
                )
            if path not in held:
                _check_offered(label)
            if label.exclusive and len(annotation.labels) > 1:
                raise InvalidLabels(
                    f"label {name!r} cannot be combined with other labels",
                    f"remove all labels except {name!r} from the annotation",
                    code="label-exclusive",
                )
            if annotation.evidence and label.evidence is Requirement.NONE:
                raise InvalidLabels(
                    f"label {name!r} does not allow evidence",
                    "remove the annotation's evidence",
                    code="label-without-evidence",
                )
            if annotation.note and label.note is Requirement.NONE:
                raise InvalidLabels(
                    f"label {name!r} does not allow a note",
                    "delete the annotation's note",
                    code="label-without-note",
                )


def resolve_label(text: str, paths: Collection[LabelPath]) -> LabelPath:
    """Return the path of the label with this name or dotted path; else InvalidInput."""
    wanted = tuple(text.split(JOINER))
    found = [wanted] if wanted in paths else [path for path in paths if path[-1:] == wanted]
    listed = ", ".join(sorted(map(JOINER.join, found or paths)))
    if len(found) > 1:
        raise InvalidInput(
            f"several labels are named {text!r}",
            f"write the full path: {listed}",
            code="label-ambiguous",
        )
    if not found:
        near = suggest_word(text, [*map(JOINER.join, paths), *(path[-1] for path in paths)])
        hint = f"{near}known: {listed}" if listed else "the workspace has no label yet"
        raise InvalidInput(f"unknown label {text!r}", hint, code="label-unknown")
    return found[0]


def _check_offered(label: Label) -> None:
    name = JOINER.join(label.path)
    if label.split:
        raise InvalidLabels(
            f"label {name!r} was split",
            "choose one of the new labels: " + ", ".join(JOINER.join(path) for path in label.split),
            code="label-split",
        )
    if label.retired:
        raise InvalidLabels(
            f"label {name!r} is deprecated", "choose a different label", code="label-retired"
        )


def _without_appearance(label: Label) -> Label:
    return replace(label, color="", children=())


def number_labels(labels: Sequence[Label]) -> tuple[tuple[str, Label], ...]:
    """Give digits to up to nine labels that are shown together, as (digit, label) pairs by digit.

    Deprecated labels get no digit. A label with a `key` gets that digit; the other labels get the
    free digits in their given order.
    """
    shown = [label for label in labels if label.offered][:MOST_OPTIONS]
    wanted = {label.key: label for label in reversed(shown) if label.key}
    free = (digit for digit in "123456789" if digit not in wanted)
    given = [
        (label.key if wanted.get(label.key) is label else next(free), label) for label in shown
    ]
    return tuple(sorted(given, key=lambda pair: pair[0]))


def check_overlap(annotation: Annotation, others: Iterable[Annotation], labels: LabelTree) -> None:
    """Raise Conflict for a common or exclusive label on the same claim of the same person."""
    for other in _on_subject(annotation, others):
        same = {*other.labels} & {*annotation.labels}
        shared = sorted(repr(JOINER.join(path)) for path in same)
        if _has_common_label(annotation, other):
            raise Conflict(
                f"this claim already has the label {', '.join(shared)}"
                if shared
                else "this claim already has an annotation",
                "edit the existing annotation, or choose a different label",
                code="claim-annotated",
            )
        for path in (*other.labels, *annotation.labels):
            label = labels.find(path)
            if label is not None and label.exclusive:
                raise Conflict(
                    f"label {JOINER.join(path)!r} must be the only label of a claim",
                    "edit the existing annotation",
                    code="claim-label-exclusive",
                )


def is_duplicate(annotation: Annotation, others: Iterable[Annotation]) -> bool:
    """Return whether another annotation has the same claim and shares a label."""
    return any(_has_common_label(annotation, other) for other in _on_subject(annotation, others))


def _on_subject(annotation: Annotation, others: Iterable[Annotation]) -> Iterator[Annotation]:
    subject = _subject(annotation)
    return (one for one in others if one.id != annotation.id and _subject(one) == subject)


def _has_common_label(annotation: Annotation, other: Annotation) -> bool:
    both = {*annotation.labels, *other.labels}
    return not both or not set(annotation.labels).isdisjoint(other.labels)


def _subject(annotation: Annotation) -> tuple[object, ...]:
    return annotation.claim or annotation.evidence
