"""What may stand beside one another on the same words, of one person's annotations of a sample."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.errors import Conflict
from tui_annotate.domain.labels import JOINER, LabelTree


def check_beside(annotation: Annotation, others: Iterable[Annotation], labels: LabelTree) -> None:
    """An annotation against the person's others on the sample.

    Raises:
        Conflict: one with the same claim and the same label is there, or one of two labels on the
            same claim must stand alone.
    """
    for other in _on_same(annotation, others):
        shared = set(other.labels) & set(annotation.labels)
        if _alike(annotation, other):
            raise Conflict(
                f"this claim has the label {_names(shared)} already"
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


def beside(annotation: Annotation, others: Iterable[Annotation]) -> bool:
    """Whether another annotation says of the same words what this one says."""
    return any(_alike(annotation, other) for other in _on_same(annotation, others))


def _on_same(annotation: Annotation, others: Iterable[Annotation]) -> Iterator[Annotation]:
    subject = _subject(annotation)
    return (one for one in others if one.id != annotation.id and _subject(one) == subject)


def _alike(annotation: Annotation, other: Annotation) -> bool:
    """Whether they share a label, or neither has one."""
    both = {*annotation.labels, *other.labels}
    return not both or not set(annotation.labels).isdisjoint(other.labels)


def _subject(annotation: Annotation) -> tuple[object, ...]:
    """What an annotation is about: its claim; where it has none, its evidence."""
    return annotation.claim or annotation.evidence


def _names(paths: Iterable[tuple[str, ...]]) -> str:
    return ", ".join(sorted(repr(JOINER.join(path)) for path in paths))
