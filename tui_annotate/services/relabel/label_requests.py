"""Checks requested changes of a label set: finds the named labels, refuses impossible changes."""

from __future__ import annotations

from collections.abc import Sequence

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.errors import Conflict, InvalidInput
from tui_annotate.domain.label_changes import is_below
from tui_annotate.domain.labels import JOINER, Label, LabelTree


def find_label(tree: LabelTree, whole: str) -> Label:
    """Return the label that text names by its path with dots or unique name; or InvalidInput."""
    (path,) = tree.resolve([whole])
    return next(label for label in tree.walk() if label.path == path)


def new_name(tree: LabelTree, old: Label, new: str) -> LabelPath:
    """Return a renamed label's path; InvalidInput if moved or unchanged, Conflict if in use."""
    path = sibling_path(old, new)
    if path == old.path:
        raise InvalidInput(
            f"the label already has the name {format_path(path)!r}", "choose a new name"
        )
    if tree.find(path) is not None:
        raise Conflict(
            f"there is already a label {format_path(path)!r}",
            "to merge the two labels: tui-annotate labels merge",
        )
    return path


def sibling_path(label: Label, name: str) -> LabelPath:
    """Return the path of the sibling `name` of a label; InvalidInput if it has other parents."""
    *parents, last = name.split(JOINER)
    if parents and tuple(parents) != label.path[:-1]:
        raise InvalidInput(
            f"the label {name!r} has a different parent than {format_path(label.path)!r}",
            "give the new name without parents: a label stays below its parent",
        )
    return (*label.path[:-1], last)


def parse_merge(
    tree: LabelTree, old: Sequence[str], into: str
) -> tuple[tuple[LabelPath, ...], Label]:
    """Check a request to merge labels; return the labels' paths, and the target label.

    Raises:
        InvalidInput: a label is unknown, or would be merged into itself or into its child label.
        Conflict: the target is deprecated.
    """
    kept = find_label(tree, into)
    paths = tuple(dict.fromkeys(find_label(tree, whole).path for whole in old))
    for path in paths:
        if path == kept.path:
            raise InvalidInput(
                f"{format_path(path)!r} cannot be merged into itself",
                "name a different target label",
            )
        if is_below(kept.path, path):
            raise InvalidInput(
                f"the label {format_path(kept.path)!r} is below {format_path(path)!r} and would be"
                f" removed with {format_path(path)!r}",
                "merge the labels in the opposite direction, and then rename the merged label",
            )
    _require_offered(kept)
    return paths, kept


def parse_split(tree: LabelTree, old: Label, names: Sequence[str]) -> tuple[LabelPath, ...]:
    """Check a request to split a label; return the paths of the labels that replace it.

    Raises:
        InvalidInput: fewer than two labels, the split label itself, or labels with other parents.
        Conflict: the label cannot be split, or one of the new labels is deprecated.
    """
    whole = format_path(old.path)
    if old.split:
        into = " and ".join(map(format_path, old.split))
        raise Conflict(
            f"the label {whole!r} was already split into {into}",
            "undo the earlier split of this label with: tui-annotate labels undo",
        )
    if old.children:
        children = ", ".join(format_path(label.path) for label in old.children)
        raise Conflict(
            f"the label {whole!r} has child labels: {children}",
            "split one of the child labels",
        )
    paths = [_resolve_part(tree, old, name) for name in names]
    once = tuple(dict.fromkeys(paths))
    if old.path in once:
        raise InvalidInput(
            f"{whole!r} cannot be split into itself", "remove this label from the new labels"
        )
    if len(once) < 2:
        raise InvalidInput(
            f"the label {whole!r} cannot be split into only"
            f" {' '.join(map(format_path, once)) or 'nothing'}",
            "pass at least two new labels; to rename the label: tui-annotate labels rename",
        )
    return once


def _resolve_part(tree: LabelTree, old: Label, name: str) -> LabelPath:
    known = tree.find(tuple(name.split(JOINER)))
    path = known.path if known else sibling_path(old, name)
    label = tree.find(path)
    if label is not None:
        _require_offered(label)
    return path


def retire_label(tree: LabelTree, whole: str) -> Label:
    """Return the label to deprecate; InvalidInput if unknown, Conflict if that is impossible."""
    label = find_label(tree, whole)
    if label.retired:
        raise Conflict(f"the label {format_path(label.path)!r} is already retired", "nothing to do")
    if all(is_below(each.path, label.path) for each in tree.offered()):
        raise Conflict(
            f"without {format_path(label.path)!r}, annotators would have no label to choose",
            "add a new label to labels.yaml, then repeat this change",
        )
    return label


def format_path(path: LabelPath) -> str:
    return JOINER.join(path)


def _require_offered(label: Label) -> None:
    if not label.offered:
        why = "was split" if label.split else "is retired"
        raise Conflict(
            f"the label {format_path(label.path)!r} {why}", "name a label that is still in use"
        )
