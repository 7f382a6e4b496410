"""Handed-out work as the store has it: what there is to share, handouts, rules, what is undone."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, select, text

from tui_annotate.domain.errors import Conflict, NotFound
from tui_annotate.domain.handouts import HandoutKind, Practice
from tui_annotate.domain.orders import by_score
from tui_annotate.domain.people import Person
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.sharing import Item
from tui_annotate.storage.clock import utc_now
from tui_annotate.storage.codec import from_json
from tui_annotate.storage.columns import DATASETS, HANDOUTS
from tui_annotate.storage.database import Database
from tui_annotate.storage.people.store import keep_person
from tui_annotate.storage.ranks import HANDED_OUT
from tui_annotate.storage.scores.orders import line_of
from tui_annotate.storage.shares import allotments, practice
from tui_annotate.storage.shares.allotments import Allotted
from tui_annotate.storage.statements import worked_on

_ITEMS: Final = text(
    "SELECT s.id, s.external, s.source, s.meta,"
    "  (SELECT coalesce(sum(length(CAST(u.text AS TEXT))), 0) FROM sample_documents p"
    "   JOIN documents u ON u.id = p.document_id WHERE p.sample_id = s.id AND p.side = 'summary')"
    " FROM samples s WHERE s.dataset_id = :dataset ORDER BY s.id"
)
_HAS: Final = text(
    "SELECT a.sample_id, a.person, coalesce(w.finished, 0), a.practice"
    " FROM samples s JOIN allotments a ON a.sample_id = s.id"
    " JOIN people p ON p.id = a.person AND p.kind <> 'again'"
    " LEFT JOIN assignments w ON w.person = a.person AND w.sample_id = a.sample_id"
    " WHERE s.dataset_id = :dataset"
)
_BEGUN: Final = text(
    "SELECT w.sample_id, w.person, w.finished, 0 FROM samples s"  # noqa: S608  constants
    " JOIN assignments w ON w.sample_id = s.id"
    " JOIN people p ON p.id = w.person AND p.kind IN ('local', 'account')"
    f" WHERE s.dataset_id = :dataset AND {worked_on('w')}"
)
_OF: Final = text(
    "SELECT a.person, a.sample_id, a.practice, a.handout, d.name, s.external,"  # noqa: S608  constants
    f"  coalesce(w.finished, 0), coalesce({worked_on('w')}, 0)"
    " FROM allotments a JOIN samples s ON s.id = a.sample_id"
    " JOIN datasets d ON d.id = s.dataset_id"
    " LEFT JOIN assignments w ON w.person = a.person AND w.sample_id = a.sample_id"
    " WHERE (:person = '' OR a.person = :person) AND (:handout = 0 OR a.handout = :handout)"
    " ORDER BY a.rank"
)


@dataclass(frozen=True, slots=True)
class Held:
    """A sample that somebody has, and how far they are with it."""

    allotted: Allotted
    handout: int
    key: SampleKey
    finished: bool
    begun: bool


@dataclass(frozen=True, slots=True)
class Room:
    """A dataset as sharing needs it.

    Attributes:
        items: its samples; the place of each is its row.
        has: by person, what they have; second readings apart.
        open: by person, how many of these they have not finished.
    """

    dataset: str
    dataset_id: int
    items: tuple[Item, ...]
    has: Mapping[str, frozenset[SampleKey]]
    open: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Handout:
    """A handout that was made; `undone` is empty while it holds."""

    id: int
    at: str
    by: str
    kind: HandoutKind
    dataset: str
    request: Mapping[str, Any]
    undone: str


class ShareStore:
    """Handouts of a workspace, each in one transaction."""

    def __init__(self, database: Database, *, clock: Callable[[], str] = utc_now) -> None:
        self._database = database
        self._clock = clock

    @contextmanager
    def reading(self) -> Iterator[Sharing]:
        """What there is, at one moment."""
        with self._database.reading() as connection:
            yield Sharing(connection, "", "")

    @contextmanager
    def writing(self, by: str) -> Iterator[Sharing]:
        """What there is, with the write lock; kept only if nothing is raised.

        Args:
            by: the id of whoever hands out; empty for the owner of the store.
        """
        with self._database.writing() as connection:
            yield Sharing(connection, by, self._clock())


@dataclass(frozen=True, slots=True)
class Sharing:
    """Handed-out work as one transaction sees it."""

    connection: Connection
    by: str
    at: str

    # looking -----------------------------------------------------------------------------------

    def room(self, dataset: str, *, score: str = "") -> Room:
        """A dataset, what of it people have, and what they began without being given it.

        Args:
            score: a field of the samples' `meta` to sort by, or an order by what a machine says;
                empty for none.

        Raises:
            NotFound: there is no such dataset.
            InvalidInput: no machine said anything under that name.
        """
        dataset_id = self.dataset_row(dataset)
        scope = {"dataset": dataset_id}
        rows = self.connection.execute(_ITEMS, scope).all()
        keys = {row[0]: SampleKey(dataset, row[1]) for row in rows}
        handed = allotments.setting(self.connection, dataset_id, HANDED_OUT)
        held = self.connection.execute(_BEGUN if handed is None else _HAS, scope).all()
        has: defaultdict[str, set[SampleKey]] = defaultdict(set)
        still_open: defaultdict[str, int] = defaultdict(int)
        people: defaultdict[int, int] = defaultdict(int)
        for sample_id, person, finished, _ in held:
            has[person].add(keys[sample_id])
            still_open[person] += not finished
            people[sample_id] += 1
        items = tuple(
            Item(keys[row[0]], row[0], row[2], row[4], value, people[row[0]])
            for row, value in zip(rows, self._scores(dataset_id, rows, score), strict=True)
        )
        own = {person: frozenset(mine) for person, mine in has.items()}
        return Room(dataset, dataset_id, items, own, still_open)

    def _scores(self, dataset_id: int, rows: Sequence[Any], score: str) -> list[float | None]:
        """What sorts each of some samples, the smallest first; None stands last."""
        if order := by_score(score):
            line = line_of(self.connection, order, dataset_id)
            return [line.get(row[0]) for row in rows]
        return [_score(row[3], score) for row in rows]

    def dataset_row(self, dataset: str) -> int:
        """The row of a dataset.

        Raises:
            NotFound: there is none of that name.
        """
        query = select(DATASETS.c.id).where(DATASETS.c.name == dataset)
        found = self.connection.execute(query).scalar()
        if found is None:
            raise NotFound(f"there is no dataset {dataset!r}", "see: tui-annotate dataset list")
        return int(found)

    def held(self, *, person: str = "", handout: int = 0) -> list[Held]:
        """What somebody has, or what a handout holds, as people walk it."""
        rows = self.connection.execute(_OF, {"person": person, "handout": handout}).all()
        return [
            Held(
                Allotted(row[0], row[1], bool(row[2])),
                row[3],
                SampleKey(row[4], row[5]),
                bool(row[6]),
                bool(row[7]),
            )
            for row in rows
        ]

    def handouts(self) -> list[Handout]:
        """All that were made, as they came; what was found begun is none."""
        query = select(HANDOUTS).where(HANDOUTS.c.kind != HandoutKind.FOUND.value)
        rows = self.connection.execute(query.order_by(HANDOUTS.c.id))
        return [_handout(row) for row in rows]

    def rule(self, dataset_id: int, name: str) -> Any:
        """A rule of a dataset, by its kind of handout, as JSON; None where it has none."""
        return allotments.setting(self.connection, dataset_id, name)

    def known(self, dataset_id: int, rule: Practice) -> int:
        """How many annotations of a dataset a rule of practice takes as right."""
        return len(practice.known(self.connection, rule, dataset_id=dataset_id))

    # handing out -------------------------------------------------------------------------------

    def keep(self, person: Person) -> None:
        """Stores a person who is not there yet."""
        keep_person(self.connection, person)

    def apply(
        self,
        kind: HandoutKind,
        dataset: str,
        *,
        rows: Sequence[Allotted],
        request: Mapping[str, Any],
    ) -> int:
        """Hands out samples as one; the number of the handout.

        Args:
            dataset: where they are from; empty for several. What is moved is handed out already,
                and a second reading takes nothing from anybody.

        Raises:
            NotFound: there is no such dataset.
            Conflict: the dataset is for practice, and this is not, or the other way round.
        """
        if kind not in (HandoutKind.MOVE, HandoutKind.REPEAT):
            self._begin(self.dataset_row(dataset), kind)
        number = self.handout(kind, dataset, request)
        allotments.allot(self.connection, rows, handout=number)
        return number

    def handout(self, kind: HandoutKind, dataset: str, request: Mapping[str, Any]) -> int:
        """Writes down that work is handed out; the row's number."""
        return allotments.handout(
            self.connection, kind, dataset=dataset, by=self.by, at=self.at, request=request
        )

    def _begin(self, dataset_id: int, kind: HandoutKind) -> None:
        practised = self.rule(dataset_id, HandoutKind.PRACTICE) is not None
        wanted = kind is HandoutKind.PRACTICE
        if practised and not wanted:
            raise Conflict("the dataset is for practice", "take one of real work")
        if wanted and not practised and self.rule(dataset_id, HANDED_OUT) is not None:
            raise Conflict(
                "the dataset is handed out for real work", "practice needs a dataset of its own"
            )
        allotments.hand_out(self.connection, dataset_id, by=self.by, at=self.at)


def _handout(row: Any) -> Handout:
    request = from_json(row.request)
    kind = HandoutKind(row.kind)
    return Handout(row.id, row.at, row.by, kind, row.dataset, request, row.undone)


def _score(meta: str, field: str) -> float | None:
    """A number of a sample's `meta`; None where it has none."""
    value = json.loads(meta).get(field) if field and meta else None
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        return None
    return float(value)
