"""The filters of `export`: a value that names nothing of the workspace is refused, never empty."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.errors import InvalidInput, InvalidLabels, NotFound
from tui_annotate.domain.labels import JOINER

if TYPE_CHECKING:
    from tui_annotate.workspace import Workspace

NAMED_ORIGINS = ("machine", "imported")


def checked(
    space: Workspace, *, dataset: str = "", person: str = "", origin: str = "", label: str = ""
) -> dict[str, Any]:
    """The filters, as `Workspace.export` takes them; an empty one lets everything through.

    Args:
        label: a path joined by dots, or the last name of exactly one path.

    Raises:
        InvalidInput: a value names nothing that is there; the hint lists what is.
    """
    if dataset:
        _among("dataset", dataset, [each.name for each in space.corpus.datasets()])
    if person:
        people = space.people.all()
        if person not in {each.id for each in people}:
            _among("person", person, [each.name for each in people])
    if origin:
        _check_origin(origin)
    path = _label(space, label) if label else ""
    return {"dataset": dataset, "person": person, "origin": origin, "label": path}


def _among(kind: str, value: str, there: Iterable[str]) -> None:
    known = sorted(set(there))
    if value not in known:
        hint = f"there is: {', '.join(known)}" if known else f"there is no {kind} yet"
        raise InvalidInput(f"no {kind} is named {value!r}", hint)


def _check_origin(origin: str) -> None:
    kind, colon, name = origin.partition(":")
    plain = origin in {"human", "adjudicated", *NAMED_ORIGINS}
    if not plain and not (kind in NAMED_ORIGINS and colon and name):
        raise InvalidInput(
            f"{origin!r} is no origin",
            "write human, adjudicated, machine, machine:NAME, imported or imported:FORMAT",
        )


def _label(space: Workspace, text: str) -> str:
    """The path that is meant; annotations are read only where the label set does not settle it."""
    wanted = tuple(text.split(JOINER))
    paths = _of_the_set(space)
    if wanted in paths:
        return text
    paths |= _in_use(space)
    if wanted in paths:
        return text
    found = [path for path in paths if wanted == path[-1:]]
    if len(found) == 1:
        return JOINER.join(found[0])
    if found:
        meant = ", ".join(sorted(JOINER.join(path) for path in found))
        raise InvalidInput(f"{text!r} names several labels", f"write one of: {meant}")
    _among("label", text, [JOINER.join(path) for path in paths])
    return text


def _of_the_set(space: Workspace) -> set[LabelPath]:
    try:
        return {label.path for label in space.labels.walk()}
    except (InvalidLabels, NotFound):
        return set()


def _in_use(space: Workspace) -> set[LabelPath]:
    """Every label of an annotation, and what stands above it."""
    return {
        path[:depth]
        for _, owned in space.annotations()
        for path in owned.annotation.labels
        for depth in range(1, len(path) + 1)
    }
