"""The filters of an export: a value that names nothing of the store is refused, never empty."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.labels import JOINER
from tui_annotate.domain.nearest import meant
from tui_annotate.domain.records import RecordFilter

if TYPE_CHECKING:
    from tui_annotate.storage.corpus.store import CorpusStore
    from tui_annotate.storage.people.store import PeopleStore
    from tui_annotate.storage.work.store import AnnotationStore

_NAMED_ORIGINS = ("machine", "imported")


@dataclass(frozen=True, slots=True)
class Names:
    """What filters may name. Reads only.

    Attributes:
        labels: the paths of the label sets; those in use count as well.
    """

    corpus: CorpusStore
    people: PeopleStore
    annotations: AnnotationStore
    labels: Callable[[], Collection[LabelPath]]

    def checked(self, filters: RecordFilter) -> RecordFilter:
        """The filters as the stores take them: a label as its whole path, a time in UTC.

        Raises:
            InvalidInput: a value names nothing that is there; the hint lists what is.
        """
        if filters.dataset:
            _among("dataset", filters.dataset, [each.name for each in self.corpus.datasets()])
        if filters.person:
            people = self.people.seen()
            if filters.person not in {each.id for each in people}:
                _among("person", filters.person, [each.name for each in people])
        if filters.origin:
            _check_origin(filters.origin)
        if filters.state:
            _among("state", filters.state, [state.value for state in State])
        label = self._label(filters.label) if filters.label else ""
        return replace(filters, label=label, since=moment(filters.since))

    def _label(self, text: str) -> str:
        """The path that is meant; use is looked up only where the label sets do not settle it."""
        wanted = tuple(text.split(JOINER))
        paths = set(self.labels())
        if wanted in paths:
            return text
        paths |= self._in_use()
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

    def _in_use(self) -> set[LabelPath]:
        """Every label of an annotation, and what stands above it."""
        return {
            path[:depth]
            for _, path in self.annotations.labels_in_use()
            for depth in range(1, len(path) + 1)
        }


def moment(text: str) -> str:
    """A time as the store writes it: UTC, with microseconds; a time without zone is taken as UTC.

    Raises:
        InvalidInput: it is not ISO 8601.
    """
    if not text:
        return ""
    try:
        given = datetime.fromisoformat(text)
    except ValueError as error:
        raise InvalidInput(
            f"{text!r} is no time", "write 2026-01-31 or 2026-01-31T12:00"
        ) from error
    zoned = given if given.tzinfo else given.replace(tzinfo=UTC)
    return zoned.astimezone(UTC).isoformat(timespec="microseconds")


def _among(kind: str, value: str, there: Iterable[str]) -> None:
    known = sorted(set(there))
    if value not in known:
        there = f"known: {', '.join(known)}" if known else f"there is no {kind} yet"
        hint = meant(value, known) + there
        raise InvalidInput(f"no {kind} is named {value!r}", hint)


def _check_origin(origin: str) -> None:
    kind, colon, name = origin.partition(":")
    plain = origin in {"human", "adjudicated", "rejected", *_NAMED_ORIGINS}
    if not plain and not (kind in _NAMED_ORIGINS and colon and name):
        raise InvalidInput(
            f"{origin!r} is no origin",
            "known: human, adjudicated, rejected, imported, imported:FORMAT, machine, machine:NAME",
        )
