"""Effects of a changed label set: renamed labels, and annotations that break the new rules."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import combinations

from tui_annotate.domain.annotations import Annotation, LabelPath
from tui_annotate.domain.history import Change, Payload
from tui_annotate.domain.labels import LabelTree, Requirement

Renames = Mapping[LabelPath, LabelPath]
"""New label paths by old label path; other labels stay unchanged."""

FormerNames = Sequence[tuple[LabelPath, LabelPath]]
"""Pairs of a former and the current path of labels that were renamed. A former path can belong to
several labels, one after the other, and can be the current path of yet another label."""


def find_labels_once_named(names: Iterable[str], former: FormerNames) -> frozenset[str]:
    """Return the top-level labels that have or once had one of some names; ignores case."""
    wanted = {name.casefold() for name in names}
    renamed = {new[0] for old, new in former if len(old) == 1 and old[0].casefold() in wanted}
    return frozenset(wanted | {name.casefold() for name in renamed})


class LackingWork(StrEnum):
    """What happens to completed samples with annotations that lack what a label requires now."""

    REOPEN = "reopen"
    KEEP = "keep"


def is_below(path: LabelPath, root: LabelPath) -> bool:
    """Return whether a label is `root` or one of its descendants."""
    return path[: len(root)] == root


def rename_subtree(
    paths: Iterable[LabelPath], old: LabelPath, new: LabelPath
) -> dict[LabelPath, LabelPath]:
    """Return the renames of a label and of all its descendants."""
    return {path: new + path[len(old) :] for path in paths if is_below(path, old)}


def rename_labels(labels: Iterable[LabelPath], renames: Renames) -> tuple[LabelPath, ...]:
    """Replace renamed labels by their new names, keep the order, and drop duplicates."""
    return tuple(dict.fromkeys(renames.get(path, path) for path in labels))


def rename_payload(payload: Payload, renames: Renames) -> Payload:
    """Return a stored annotation with renamed labels; the same object if no label changes."""
    before = [tuple(path) for path in payload["labels"]]
    after = rename_labels(before, renames)
    return {**payload, "labels": list(map(list, after))} if list(after) != before else payload


def rename_change(change: Change, renames: Renames) -> Change:
    """Return a change whose annotations have the new names of renamed labels."""
    annotations = {
        name: None if payload is None else rename_payload(payload, renames)
        for name, payload in change.annotations.items()
    }
    return Change(annotations, change.assignment, change.suggestions)


def find_broken_rules(annotation: Annotation, labels: LabelTree) -> Iterator[tuple[LabelPath, str]]:
    """Find the rules of a label set that an annotation breaks, as (label path, rule).

    Yields:
        The rule is "evidence" or "note" if the label does not allow that part, or "alone" if an
        exclusive label is combined with others.
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
    """Find the pairs of annotations that have the same claim and share a label.

    Annotations without claim are compared by their evidence.
    """
    by_claim: defaultdict[object, list[Annotation]] = defaultdict(list)
    for each in annotations:
        by_claim[each.claim or each.evidence].append(each)
    for same_claim in by_claim.values():
        for one, other in combinations(same_claim, 2):
            if set(one.labels) & set(other.labels):
                yield one, other


def is_stricter(old: LabelTree, new: LabelTree) -> bool:
    """Return whether annotations complete in the old label set can be invalid in the new one."""
    for label in old.walk():
        after = new.find(label.path)
        if after is None or (after.exclusive and not label.exclusive):
            return True
        if after.split and not label.split:
            return True
        for before, now in ((label.evidence, after.evidence), (label.note, after.note)):
            if now is not before and now is not Requirement.OPTIONAL:
                return True
    return False
