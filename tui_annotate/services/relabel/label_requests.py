"""Checks requests against a label set: which labels are meant, and what is not possible."""

from __future__ import annotations

from collections.abc import Sequence

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.errors import Conflict, InvalidInput, NotFound
from tui_annotate.domain.label_changes import is_below
from tui_annotate.domain.labels import JOINER, Label, LabelTree


def find_label(tree: LabelTree, whole: str) -> Label:
    """Return the label with a dotted path.

    Raises:
        NotFound: the set has none there; says which ones end so, or which there are.
    """
    found = tree.find(tuple(whole.split(JOINER)))
    if found is not None:
        return found
    known = list(tree.walk())
    near = [label for label in known if label.name.casefold() == whole.casefold()]
    near = near or [
        label for label in known if format_path(label.path).casefold() == whole.casefold()
    ]
    hint = f"did you mean {_join_paths(near)}?" if near else f"the set has: {_join_paths(known)}"
    raise NotFound(f"there is no label {whole!r} in the set", hint)


def new_name(tree: LabelTree, old: Label, new: str) -> LabelPath:
    """Return the label under a new name, given alone or with its parents.

    Raises:
        InvalidInput: it has other parents, or is its name already.
        Conflict: a sibling has that name.
    """
    path = sibling_path(old, new)
    if path == old.path:
        raise InvalidInput(
            f"label {format_path(path)!r} is called so already", "choose another name"
        )
    if tree.find(path) is not None:
        raise Conflict(
            f"there is a label {format_path(path)!r} already",
            "tui-annotate labels merge makes one of both",
        )
    return path


def sibling_path(label: Label, name: str) -> LabelPath:
    """Return the path of a sibling of a label.

    Raises:
        InvalidInput: it has other parents.
    """
    *parents, last = name.split(JOINER)
    if parents and tuple(parents) != label.path[:-1]:
        raise InvalidInput(
            f"{name!r} does not stand beside {format_path(label.path)!r}",
            "a label stays below its parent: give its name alone",
        )
    return (*label.path[:-1], last)


def parse_merge(
    tree: LabelTree, old: Sequence[str], into: str
) -> tuple[tuple[LabelPath, ...], Label]:
    """Return the labels to merge, and the target.

    Raises:
        NotFound: the set lacks one of them.
        InvalidInput: one would become itself or its child.
        Conflict: the target is deprecated.
    """
    kept = find_label(tree, into)
    paths = tuple(dict.fromkeys(find_label(tree, whole).path for whole in old))
    for path in paths:
        if path == kept.path:
            raise InvalidInput(
                f"{format_path(path)!r} can not be merged into itself", "name another label"
            )
        if is_below(kept.path, path):
            raise InvalidInput(
                f"{format_path(kept.path)!r} is below {format_path(path)!r} and would go with it",
                "merge it the other way round, and rename what is left",
            )
    _require_offered(kept)
    return paths, kept


def parse_split(tree: LabelTree, old: Label, names: Sequence[str]) -> tuple[LabelPath, ...]:
    """Return the labels to split into: existing siblings, and new ones.

    Raises:
        InvalidInput: fewer than two, the label itself, or no siblings.
        Conflict: it can not be split, or one of them is deprecated.
    """
    whole = format_path(old.path)
    if old.split:
        into = " and ".join(map(format_path, old.split))
        raise Conflict(
            f"label {whole!r} was split into {into} already", "tui-annotate labels undo, then again"
        )
    if old.children:
        raise Conflict(
            f"label {whole!r} has labels below it: {_join_paths(old.children)}",
            "split one of these",
        )
    paths = [_resolve_part(tree, old, name) for name in names]
    once = tuple(dict.fromkeys(paths))
    if old.path in once:
        raise InvalidInput(
            f"{whole!r} can not be split into itself", "name the labels that come in its place"
        )
    if len(once) < 2:
        raise InvalidInput(
            f"{whole!r} would be split into {' '.join(map(format_path, once)) or 'nothing'}",
            "name two labels or more; to give it another name: tui-annotate labels rename",
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
    """Return a label to deprecate.

    Raises:
        NotFound: the set lacks it.
        Conflict: it is deprecated already, or none would be left.
    """
    label = find_label(tree, whole)
    if label.retired:
        raise Conflict(
            f"label {format_path(label.path)!r} is retired already", "nothing is to be done"
        )
    if all(is_below(each.path, label.path) for each in tree.offered()):
        raise Conflict(
            f"without {format_path(label.path)!r} no label would be left to give",
            "add another one to labels.yaml first",
        )
    return label


def format_path(path: LabelPath) -> str:
    """Return a path with dots."""
    return JOINER.join(path)


def _require_offered(label: Label) -> None:
    if not label.offered:
        why = "was split" if label.split else "is retired"
        raise Conflict(f"label {format_path(label.path)!r} {why}", "name one that is still given")


def _join_paths(labels: Sequence[Label]) -> str:
    return ", ".join(format_path(label.path) for label in labels)
