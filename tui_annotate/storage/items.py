"""Collections of system-written reports: topics with counts, and what to annotate next.

An item is a report, document or citation that annotators rate. Counts of a whole collection come
from its reports, of which there are few; an annotator's own work is looked up by annotator. So a
collection of 180,000 citations opens as fast as a small one. Item ids have the form of
`domain.report_collections.id_prefix`; the index on unique ids finds them by prefix.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, TextClause, text

from tui_annotate.domain.people import Permission, base_person, require_permission
from tui_annotate.domain.report_collections import (
    ID_SEPARATOR,
    RATED_KINDS,
    Item,
    TreeBranch,
    count_done_by_topic,
    id_prefix,
    list_branches,
    list_sentence_branches,
    make_item,
)
from tui_annotate.domain.samples import SampleKey, SampleKind
from tui_annotate.storage.adjudication_lock import locked_condition
from tui_annotate.storage.codec import from_json, request_from_json
from tui_annotate.storage.database import Store
from tui_annotate.storage.queue import is_practising
from tui_annotate.storage.queue_orders import HANDED_OUT
from tui_annotate.storage.statements import dataset_row, json_number, seen_scope, text_list

ANNOTATED: Final = "(a.annotations > 0 OR a.rating <> '' OR a.comment <> '')"
"""SQL condition: the assignment `a` has annotations, a rating or a sample comment."""
_IS_ASSIGNED: Final = text(
    "SELECT 1 FROM dataset_settings WHERE dataset_id = :row AND name = :setting"
)
_TOPIC: Final = "CASE WHEN json_valid(s.meta) THEN json_extract(s.meta, '$.topic_id') END"
_WITHIN: Final = "s.dataset_id = :dataset AND s.external >= :low AND s.external < :high"
_OURS: Final = (
    "(:whole OR EXISTS (SELECT 1 FROM allotments t"
    " WHERE t.person = :person AND t.sample_id = s.id AND (t.practice OR NOT :practising)))"
)
_ANY: Final = text(
    f"SELECT 1 FROM samples s WHERE {_WITHIN} AND s.kind = :kind LIMIT 1"  # noqa: S608  constants
)
_ITEMS: Final = text(
    f'SELECT s.external, s."group", s.summary, s.meta, coalesce({ANNOTATED}, false)'  # noqa: S608
    " FROM samples s LEFT JOIN assignments a ON a.person = :person AND a.sample_id = s.id"
    f" WHERE {_WITHIN} AND {_OURS} ORDER BY s.id"
)
_TOPICS: Final = text(
    "SELECT t.topic, t.row, o.request, t.reports FROM"  # noqa: S608  constants
    f" (SELECT {_TOPIC} AS topic, min(s.id) AS row, count(*) AS reports FROM samples s"
    f"  WHERE {_WITHIN} GROUP BY 1) t JOIN samples o ON o.id = t.row ORDER BY t.row"
)
"""Query for the topics in the order of import, with the request of each topic's first report."""
_SENTENCES: Final = text(
    f"SELECT {_TOPIC}, sum((SELECT count(*)"  # noqa: S608  constants
    "   FROM json_each(s.meta, '$.sentences') e WHERE CASE WHEN e.type = 'object'"
    f"     THEN {json_number('e.value', 'end')} > {json_number('e.value', 'start')} END))"
    f" FROM samples s WHERE {_WITHIN} AND json_valid(s.meta) GROUP BY 1"
)
"""Query for the number of report sentences of each topic.

It has a subquery for each report: with a join, SQLite would read a report's record once per
sentence.
"""
COUNT: Final = text(f"SELECT count(*) FROM samples s WHERE {_WITHIN}")  # noqa: S608  constants
_DONE: Final = text(
    f"SELECT {_TOPIC}, count(*)"  # noqa: S608  constants
    " FROM assignments a CROSS JOIN samples s"
    f" WHERE s.id = a.sample_id AND a.person = :person AND {ANNOTATED}"
    f" AND s.kind = :kind AND {_WITHIN} GROUP BY 1"
)
_COMPLETE: Final = text(
    'SELECT g.topic, g.name FROM (SELECT s."group" AS name, count(*) AS done,'  # noqa: S608
    f"  min({_TOPIC}) AS topic FROM assignments a CROSS JOIN samples s"
    f"  WHERE s.id = a.sample_id AND a.person = :person AND {ANNOTATED}"
    f"  AND s.kind = :kind AND {_WITHIN} GROUP BY 1) g"
    " WHERE g.done = (SELECT count(*) FROM samples o WHERE o.dataset_id = :dataset"
    "   AND o.external >= :citation || g.name AND o.external < :citation || g.name || :end"
    '   AND o."group" = g.name)'
)
"""Query for the report sentences of which one annotator has annotated all citations.

The id of a citation consists of `:citation`, its group, the separator and more. `:end` is the
character after the separator.

CROSS JOIN keeps SQLite to this join order, here and below: one annotator has fewer rows than a
collection.
"""


def _select_next(source: str, condition: str = "true") -> TextClause:
    return text(
        f"SELECT s.external FROM {source} LEFT JOIN assignments a"  # noqa: S608  constants
        " ON a.person = :person AND a.sample_id = s.id"
        f" WHERE {condition} AND s.dataset_id = :dataset AND s.kind = :kind"
        f" AND coalesce(NOT {ANNOTATED}, true) AND s.id > :after AND s.id <= :until"
        f" AND NOT {locked_condition('s.id', person=':person', state='a.state')}"
        " ORDER BY s.id LIMIT 1"
    )


_NEXT_OF_ALL: Final = _select_next("samples s")
_NEXT_ASSIGNED: Final = _select_next(
    "allotments t CROSS JOIN samples s",
    "t.person = :person AND s.id = t.sample_id AND (t.practice OR NOT :practising)",
)
"""Queries for the next report, document or citation that a person has not annotated."""
_ROW: Final = text("SELECT id FROM samples WHERE dataset_id = :dataset AND external = :sample")
_LAST: Final = 2**63 - 1
_DATASETS: Final = text("SELECT id, name FROM datasets ORDER BY name")
_DONE_BY_KIND: Final = text(
    "SELECT s.dataset_id, s.kind, p.id, p.name, count(*)"  # noqa: S608  constants
    " FROM assignments a JOIN samples s ON s.id = a.sample_id JOIN people p ON p.id = a.person"
    f" WHERE {ANNOTATED} AND a.person <> :settled AND (:everybody OR a.person IN :seen)"
    " GROUP BY 1, 2, 3 ORDER BY 1, 2, p.name, p.id"
).bindparams(text_list("seen"))


class _Topic(NamedTuple):
    name: str
    title: str
    reports: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _DatasetView:
    """A dataset in one transaction as one annotator sees it.

    Attributes:
        row: id of the dataset's row.
        whole: whether the annotator sees all samples, because none are assigned.
        practising: whether the annotator sees only samples for practice.
    """

    connection: Connection
    person: str
    name: str
    row: int
    whole: bool
    practising: bool

    def _execute(self, query: TextClause, **scope: Any) -> Any:
        known = {"person": self.person, "dataset": self.row, "practising": self.practising}
        return self.connection.execute(query, known | scope)

    def has(self, kind: SampleKind) -> bool:
        return (
            self._execute(_ANY, kind=kind.value, **id_prefix_range(id_prefix(kind))).first()
            is not None
        )

    def topics(self) -> list[_Topic]:
        rows = self._execute(_TOPICS, **id_prefix_range(id_prefix(SampleKind.REPORT)))
        return [
            _Topic(str(name), request_from_json(request).title, reports)
            for name, _, request, reports in rows
        ]

    def items(self, start: str, *, everything: bool = False) -> Iterator[Item]:
        """Yield the reports, documents and citations whose ids begin with `start`, in order."""
        scope = {"whole": self.whole or everything, **id_prefix_range(start)}
        for name, group, begins, meta, done in self._execute(_ITEMS, **scope):
            fields = from_json(meta) if meta else {}
            key = SampleKey(self.name, name)
            yield make_item(key, group=group, start=begins, meta=fields, done=bool(done))

    def under(
        self, kind: SampleKind, topic: str, run: str = "", *, everything: bool = False
    ) -> list[Item]:
        """Return a topic's reports, documents or citations, or those of one report generator."""
        # Only ids of citations continue after the report generator.
        within = (topic, run) if run and kind is SampleKind.CITATION else (topic,)
        start = id_prefix(kind, *within)
        found = self.items(start, everything=everything)
        return [one for one in found if one.topic == topic and run in ("", one.run)]

    def counts(self, kind: SampleKind, topics: Iterable[_Topic]) -> dict[str, tuple[int, int]]:
        """Return (annotated samples, all samples) for each topic, if no samples are assigned.

        Citations are counted by sentence: a sentence is annotated if all its citations are.
        """
        if kind is SampleKind.CITATION:
            done = Counter(topic for topic, _ in self.complete(id_prefix(kind)))
            rows = self._execute(_SENTENCES, **id_prefix_range(id_prefix(SampleKind.REPORT)))
            total = {str(topic): count for topic, count in rows if count}
        else:
            rows = self._execute(_DONE, kind=kind.value, **id_prefix_range(id_prefix(kind)))
            done = Counter({str(topic): count for topic, count in rows})
            reports = {topic.name: topic.reports for topic in topics}
            total = reports if kind is SampleKind.REPORT else self._count_documents(reports)
        return {name: (done[name], count) for name, count in total.items()}

    def complete(self, start: str) -> list[tuple[str, str]]:
        """Return the report sentences whose citations are all annotated, as (topic, group)."""
        kind = SampleKind.CITATION
        ids = {"citation": id_prefix(kind), "end": id_prefix_range(ID_SEPARATOR)["high"]}
        rows = self._execute(_COMPLETE, kind=kind.value, **ids, **id_prefix_range(start))
        return [(str(topic), group) for topic, group in rows]

    def _count_documents(self, topics: Iterable[str]) -> dict[str, int]:
        """Return the number of documents of each topic.

        The name of a topic may contain the separator of ids: the ids of the topic `a|b` begin as
        those of `a` do. Therefore longer names are counted first, and subtracted from shorter ones.
        """
        counts: dict[str, int] = {}
        for name in sorted(topics, key=len, reverse=True):
            prefix = id_prefix(SampleKind.DOCUMENT, name)
            with_nested = int(self._execute(COUNT, **id_prefix_range(prefix)).scalar_one())
            nested = sum(
                count
                for other, count in counts.items()
                if other.startswith(f"{name}{ID_SEPARATOR}")
            )
            counts[name] = with_nested - nested
        return counts

    def next_open(self, kind: SampleKind, after: str) -> str | None:
        """Return the id of the next report, document or citation without annotation, or None."""
        query = _NEXT_OF_ALL if self.whole else _NEXT_ASSIGNED
        row = self._execute(_ROW, sample=after).scalar() or 0
        for since, until in ((row, _LAST), (0, row)):
            bounds = {"kind": kind.value, "after": since, "until": until}
            found = self._execute(query, **bounds).scalar()
            if found is not None:
                return str(found)
        return None


class ItemStore(Store):
    """Access to reports, documents and citations, limited to the work that the actor may see.

    Raises:
        NotAllowed: every method, if the actor may not read this person's work.
        NotFound: every method, if the dataset does not exist.
    """

    @contextmanager
    def _open_dataset(self, person: str, dataset: str) -> Iterator[_DatasetView]:
        require_permission(self._actor, Permission.READ, person)
        with self._database.reading() as connection:
            row = dataset_row(connection, dataset)
            scope = {"row": row, "setting": HANDED_OUT}
            is_assigned = connection.execute(_IS_ASSIGNED, scope).scalar()
            practising = is_practising(connection, person)
            yield _DatasetView(
                connection=connection,
                person=person,
                name=dataset,
                row=row,
                whole=not (is_assigned or practising) and base_person(person) == person,
                practising=practising,
            )

    def kinds(self, dataset: str) -> tuple[SampleKind, ...]:
        """Return which of reports, documents and citations a dataset has."""
        with self._open_dataset(self._actor.person, dataset) as seen:
            return tuple(kind for kind in RATED_KINDS if seen.has(kind))

    def topics(self, person: str, dataset: str, kind: SampleKind) -> tuple[TreeBranch, ...]:
        """Return a dataset's topics of reports, with counts of annotated and all items."""
        with self._open_dataset(person, dataset) as seen:
            topics = seen.topics()
            if seen.whole:
                found = seen.counts(kind, topics)
            else:
                found = count_done_by_topic(kind, seen.items(id_prefix(kind)))
        return tuple(
            TreeBranch(topic.name, topic.title, *found[topic.name])
            for topic in topics
            if topic.name in found
        )

    def runs(
        self, person: str, dataset: str, kind: SampleKind, *, topic: str
    ) -> tuple[TreeBranch, ...]:
        """Return the systems that wrote reports on a topic, with the progress of annotation."""
        with self._open_dataset(person, dataset) as seen:
            reports = seen.under(SampleKind.REPORT, topic, everything=kind is not SampleKind.REPORT)
            if kind is SampleKind.CITATION and seen.whole:
                found = seen.complete(id_prefix(kind, topic))
                return list_sentence_branches(
                    reports, [group for name, group in found if name == topic]
                )
            return list_branches(kind, seen.under(kind, topic), reports)

    def items(
        self, person: str, dataset: str, kind: SampleKind, *, topic: str, run: str = ""
    ) -> list[Item]:
        """Return a topic's reports, documents or citations, or those of one report generator."""
        with self._open_dataset(person, dataset) as seen:
            return seen.under(kind, topic, run)

    def next_open(
        self, person: str, dataset: str, kind: SampleKind, *, after: str = ""
    ) -> str | None:
        """Return the id of a person's next item without work, if need be from the start; or None.

        The order is the order of import; `after` is the id of the current item.
        """
        with self._open_dataset(person, dataset) as seen:
            return seen.next_open(kind, after)


def id_prefix_range(start: str) -> dict[str, str]:
    """Return the range of ids with a prefix: from `low`, included, to `high`, excluded.

    The prefix is not empty, and its last character is not the last of Unicode.
    """
    return {"low": start, "high": start[:-1] + chr(ord(start[-1]) + 1)}


@dataclass(frozen=True, slots=True)
class KindCount:
    """Number of a dataset's samples of one kind, and how many of them a person annotated."""

    dataset: str
    kind: str
    samples: int
    person: str = ""
    name: str = ""
    annotated: int = 0


def count_kinds(connection: Connection, seen: Sequence[str] | None) -> list[KindCount]:
    """Count samples by dataset, kind and person, for people with ids in `seen` (None for all)."""
    done: dict[tuple[int, str], list[Any]] = {}
    for row, kind, *who in connection.execute(_DONE_BY_KIND, seen_scope(seen)):
        done.setdefault((row, kind), []).append(who)
    found = []
    for row, name in connection.execute(_DATASETS).all():
        for kind in RATED_KINDS:
            within = {"dataset": row, **id_prefix_range(id_prefix(kind))}
            if samples := connection.execute(COUNT, within).scalar_one():
                people = done.get((row, kind.value), [("", "", 0)])
                found += [KindCount(name, kind.value, samples, *each) for each in people]
    return found
