"""What a change of the label set makes of the labels of annotations, and which rules break."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations

from tui_annotate.domain.annotations import Annotation, LabelPath
from tui_annotate.domain.history import Change, Payload
from tui_annotate.domain.labels import LabelTree, Requirement

Renames = Mapping[LabelPath, LabelPath]
"""What becomes of labels, by whole path; those that are not named stay."""


def is_below(path: LabelPath, root: LabelPath) -> bool:
    """Whether a label is another one, or stands below it."""
    return path[: len(root)] == root


def rename_subtree(
    paths: Iterable[LabelPath], old: LabelPath, new: LabelPath
) -> dict[LabelPath, LabelPath]:
    """Renames of a label and of all below it, which go along."""
    return {path: new + path[len(old) :] for path in paths if is_below(path, old)}


def rename_labels(labels: Iterable[LabelPath], renames: Renames) -> tuple[LabelPath, ...]:
    """Labels as they are afterwards, each once, where it first stands."""
    return tuple(dict.fromkeys(renames.get(path, path) for path in labels))


def rename_payload(payload: Payload, renames: Renames) -> Payload:
    """An annotation of the log under other labels; itself where none of its labels changes."""
    before = [tuple(path) for path in payload["labels"]]
    after = rename_labels(before, renames)
    return {**payload, "labels": list(map(list, after))} if list(after) != before else payload


def rename_change(change: Change, renames: Renames) -> Change:
    """The touched parts of a stream under other labels."""
    annotations = {
        name: None if payload is None else rename_payload(payload, renames)
        for name, payload in change.annotations.items()
    }
    return Change(annotations, change.assignment, change.suggestions)


def find_broken_rules(annotation: Annotation, labels: LabelTree) -> Iterator[tuple[LabelPath, str]]:
    """The rules that an annotation breaks: of which label, and of what.

    Yields:
        "evidence" or "note", which the label does not take, or "alone", which it must stand.
    """
    for path in annotation.labels:
        label = labels.find(path)
        if label is None:
            continue
        if annotation.evidence and label.evidence is Requirement.NONE:
            yield path, "evidence"
        if annotation.note and label.note is Requirement.NONE:
            yield path, "note"
        if label.exclusive and len(annotation.labels) > 1:
            yield path, "alone"


def find_duplicate_pairs(
    annotations: Iterable[Annotation],
) -> Iterator[tuple[Annotation, Annotation]]:
    """Pairs, of one person on one sample, that say the same label of the same claim."""
    by_claim: defaultdict[object, list[Annotation]] = defaultdict(list)
    for each in annotations:
        by_claim[each.claim or each.evidence].append(each)
    for same_claim in by_claim.values():
        for one, other in combinations(same_claim, 2):
            if set(one.labels) & set(other.labels):
                yield one, other


def is_stricter(old: LabelTree, new: LabelTree) -> bool:
    """Whether work that kept all rules of a label set may break one of another.

    That needs a label that is gone, was split, takes no evidence or note any more, or must stand
    alone now.
    """
    for label in old.walk():
        after = new.find(label.path)
        if after is None or (after.exclusive and not label.exclusive):
            return True
        if after.split and not label.split:
            return True
        for before, now in ((label.evidence, after.evidence), (label.note, after.note)):
            if now is Requirement.NONE and before is not Requirement.NONE:
                return True
    return False
