"""A label set out of labels as they were given: no rules, colours where a set that is known has."""

from __future__ import annotations

from collections import Counter
from typing import Final

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.labels import Label, LabelTree

_DEEPEST: Final = 20
"""Names of a path; a longer one is no label, and is shown without a place of its own."""


def tree_of(given: Counter[LabelPath], known: LabelTree) -> LabelTree:
    """All labels that were given, with those above them.

    Args:
        given: by how often; those that `known` has not come behind its own, the commonest first.
        known: gives order, colours and the names of the two sides.
    """
    ranks = {label.path: at for at, label in enumerate(known.walk())}
    named = [path for path in given if 0 < len(path) <= _DEEPEST]
    order = sorted(named, key=lambda path: (ranks.get(path, len(ranks)), -given[path]))
    children: dict[LabelPath, dict[LabelPath, None]] = {}
    for path in order:
        for length in range(1, len(path) + 1):
            children.setdefault(path[: length - 1], {})[path[:length]] = None
    colors = {label.path: label.color for label in known.walk()}

    def built(path: LabelPath) -> Label:
        below = tuple(built(child) for child in children.get(path, ()))
        return Label(path, color=colors.get(path, ""), children=below)

    roots = tuple(built(path) for path in children.get((), ()))
    return LabelTree(roots, "", known.source_title, known.summary_title)
