"""How many items of each kind there are, and who annotated how many of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, bindparam, text

from tui_annotate.domain.items import JUDGED, prefix
from tui_annotate.domain.people import SETTLED
from tui_annotate.storage.items import ANNOTATED, COUNT, id_range

_DATASETS: Final = text("SELECT id, name FROM datasets ORDER BY name")
_DONE_BY_KIND: Final = text(
    "SELECT s.dataset_id, s.kind, p.id, p.name, count(*)"  # noqa: S608  constants
    " FROM assignments a JOIN samples s ON s.id = a.sample_id JOIN people p ON p.id = a.person"
    f" WHERE {ANNOTATED} AND a.person <> :settled AND (:everybody OR a.person IN :seen)"
    " GROUP BY 1, 2, 3 ORDER BY 1, 2, p.name, p.id"
).bindparams(bindparam("seen", expanding=True))


@dataclass(frozen=True, slots=True)
class KindCount:
    """How many items of a kind a dataset has, and how many of them somebody annotated.

    Attributes:
        person: the id; empty where nobody did any. `name` is what people see.
    """

    dataset: str
    kind: str
    samples: int
    person: str = ""
    name: str = ""
    annotated: int = 0


def kind_counts(connection: Connection, seen: Sequence[str] | None) -> list[KindCount]:
    """By dataset, kind and name; of those alone who may be seen, None for everybody."""
    scope = {"settled": SETTLED, "everybody": seen is None, "seen": list(seen or ())}
    done: dict[tuple[int, str], list[Any]] = {}
    for row, kind, *who in connection.execute(_DONE_BY_KIND, scope):
        done.setdefault((row, kind), []).append(who)
    found = []
    for row, name in connection.execute(_DATASETS).all():
        for kind in JUDGED:
            within = {"dataset": row, **id_range(prefix(kind))}
            if samples := connection.execute(COUNT, within).scalar_one():
                people = done.get((row, kind.value), [("", "", 0)])
                found += [KindCount(name, kind.value, samples, *each) for each in people]
    return found
