"""Counts of a study's readings by what they were for, and of answers to machines' suggestions.

A reading is one person's work on one sample. Adjudications are no readings.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum, unique
from typing import Final

from sqlalchemy import Connection, text

from tui_annotate.domain.people import SETTLED, Permission, PersonKind, require_permission
from tui_annotate.storage.blind_datasets import hidden_datasets
from tui_annotate.storage.database import Store
from tui_annotate.storage.statements import gold_condition, json_is_true, practice_condition
from tui_annotate.storage.suggestion_use import PASSED_READINGS, UNDONE_ACCEPTANCES


@unique
class ReadingKind(StrEnum):
    """What a reading was for; a second reading of a check of accuracy is a second reading."""

    MAIN = "main"
    PRACTICE = "practice"
    CHECK = "check"
    SECOND = "second"


# A second reading of a sample with known answers has the cause of its first reading.
_KIND: Final = (
    f"CASE WHEN o.kind = '{PersonKind.AGAIN}' THEN '{ReadingKind.SECOND}'"
    f" WHEN {practice_condition('w')} THEN '{ReadingKind.PRACTICE}'"
    f" WHEN {gold_condition('w')} THEN '{ReadingKind.CHECK}'"
    f" ELSE '{ReadingKind.MAIN}' END"
)
_READINGS: Final = (
    " FROM assignments w JOIN people o ON o.id = w.person"
    " JOIN samples s ON s.id = w.sample_id JOIN datasets d ON d.id = s.dataset_id"
    " WHERE w.person <> :settled"
)
_COUNTS: Final = text(
    f"SELECT d.name, w.person, {_KIND} AS kind, {gold_condition('w')} AS checked, w.state, count(*)"
    f"{_READINGS} GROUP BY 1, 2, 3, 4, 5"
)
_OVERLAPS: Final = text(
    "SELECT readings, count(*) FROM (SELECT count(*) AS readings"  # noqa: S608  constants
    f"{_READINGS} AND w.state = 'done' AND {_KIND} = '{ReadingKind.MAIN}'"
    " GROUP BY w.sample_id) r GROUP BY 1 ORDER BY 1"
)
_VERSIONS: Final = text(
    # Imported work has no event that completed it here, so no versions.
    "SELECT d.name, coalesce(json_extract(e.versions, '$.labels'), ''),"  # noqa: S608  constants
    " coalesce(json_extract(e.versions, '$.guidelines'), ''), count(*)"
    " FROM assignments w JOIN people o ON o.id = w.person"
    " JOIN samples s ON s.id = w.sample_id JOIN datasets d ON d.id = s.dataset_id"
    " LEFT JOIN events e ON e.person = w.person AND e.dataset = d.name AND e.sample = s.external"
    "   AND e.seq = (SELECT max(x.seq) FROM events x WHERE x.person = w.person"
    "     AND x.dataset = d.name AND x.sample = s.external AND (x.verb = 'done'"
    "       OR (x.verb IN ('undo', 'redo') AND json_valid(x.after)"
    "         AND json_extract(x.after, '$.assignment.state') = 'done')))"
    f" WHERE w.person <> :settled AND w.state = 'done' AND {_KIND} = '{ReadingKind.MAIN}'"
    " GROUP BY 1, 2, 3 ORDER BY 1, 4 DESC, 2, 3"
)
_SUGGESTED: Final = text(
    "SELECT d.name, g.maker, count(*) FROM suggestions g"
    " JOIN runs r ON r.number = g.run AND r.finished <> ''"
    " JOIN samples s ON s.id = g.sample_id JOIN datasets d ON d.id = s.dataset_id"
    " GROUP BY 1, 2 ORDER BY 1, 2"
)
_ANSWERS: Final = text(
    "SELECT d.name, json_extract(a.payload, '$.answer'), count(*) FROM answers a"
    " JOIN samples s ON s.id = a.sample_id JOIN datasets d ON d.id = s.dataset_id"
    " WHERE a.person <> :settled GROUP BY 1, 2"
)
_ANNOTATIONS: Final = text(
    # SQLite rejects NaN, which an imported annotation may have, as JSON.
    "SELECT d.name, CASE WHEN json_valid(a.payload)"
    "   THEN coalesce(json_extract(a.payload, '$.suggested.maker'), '') ELSE '' END, count(*)"
    " FROM annotations a JOIN assignments w"
    "   ON w.person = a.person AND w.sample_id = a.sample_id AND w.state = 'done'"
    " JOIN samples s ON s.id = a.sample_id JOIN datasets d ON d.id = s.dataset_id"
    " WHERE a.person <> :settled GROUP BY 1, 2 ORDER BY 1, 2"
)
_PASSED: Final = text(
    f"SELECT d.name, count(*) FROM ({PASSED_READINGS}) a"  # noqa: S608  constants
    " JOIN samples s ON s.id = a.sample_id JOIN datasets d ON d.id = s.dataset_id GROUP BY 1"
)
_UNDONE: Final = text(
    f"SELECT d.name, count(*) FROM ({UNDONE_ACCEPTANCES}) a"  # noqa: S608  constants
    " JOIN samples s ON s.id = a.sample_id JOIN datasets d ON d.id = s.dataset_id"
    " WHERE a.state = 'done' GROUP BY 1"
)
_PAUSES: Final = text(
    "SELECT count(*), count(*) FILTER (WHERE undone <> '') FROM handouts"  # noqa: S608  constants
    f" WHERE kind = 'pause' AND NOT {json_is_true('request', 'practice')}"
)


@dataclass(frozen=True, slots=True)
class ReadingCount:
    """Number of a person's readings in a dataset of one kind and state.

    Attributes:
        checked: whether the samples have known answers for the person, also in second readings.
    """

    dataset: str
    person: str
    kind: ReadingKind
    checked: bool
    state: str
    count: int


@dataclass(frozen=True, slots=True)
class VersionCount:
    """Number of completed main readings by the versions in force at their last completion.

    Attributes:
        labels, guidelines: hashes; empty if there was none, or the work was imported.
    """

    dataset: str
    labels: str
    guidelines: str
    readings: int


@dataclass(frozen=True, slots=True)
class SuggestionUse:
    """How a dataset's suggestions of machines were used.

    Attributes:
        hidden: whether the dataset hides suggestions from annotators at present.
        suggestions: stored suggestions, by maker.
        answers: annotators' answers, by kind (`accepted`, `changed`, `refused`).
        annotations: annotations in completed readings, by the maker of the suggestion that they
            began as; the empty name is for all others.
        passed: completed readings in which a suggestion has no answer; 0 if `hidden`.
        undone: acceptances in completed readings that were undone, without a later answer.
    """

    dataset: str
    hidden: bool
    suggestions: dict[str, int]
    answers: dict[str, int]
    annotations: dict[str, int]
    passed: int = 0
    undone: int = 0


@dataclass(frozen=True, slots=True)
class StudyWork:
    """Counts of all readings of a workspace.

    Attributes:
        overlaps: samples by the number of annotators with a completed main reading.
        uses: the datasets with suggestions or with answers to suggestions.
        pauses: how often work was paused because of a low accuracy, of which `ended` have ended.
    """

    readings: tuple[ReadingCount, ...]
    overlaps: dict[int, int]
    versions: tuple[VersionCount, ...]
    uses: tuple[SuggestionUse, ...]
    pauses: int
    ended: int

    def count(self, *kinds: ReadingKind, state: str = "done") -> int:
        """Return the number of readings of some kinds in a state."""
        return sum(
            each.count for each in self.readings if each.kind in kinds and each.state == state
        )


class StudyWorkStore(Store):
    """Access to the counts; NotAllowed for people who may not see the work of all."""

    def count(self) -> StudyWork:
        """Return the counts for the whole workspace; NotAllowed if the actor may not report."""
        require_permission(self._actor, Permission.REPORT)
        with self._database.reading() as connection:
            return _count(connection)


def _count(connection: Connection) -> StudyWork:
    scope = {"settled": SETTLED}
    readings = tuple(
        ReadingCount(dataset, person, ReadingKind(kind), bool(checked), state, count)
        for dataset, person, kind, checked, state, count in connection.execute(_COUNTS, scope)
    )
    overlaps = {row[0]: row[1] for row in connection.execute(_OVERLAPS, scope)}
    versions = tuple(VersionCount(*row) for row in connection.execute(_VERSIONS, scope))
    pauses, ended = connection.execute(_PAUSES).one()
    return StudyWork(readings, overlaps, versions, _read_uses(connection), pauses, ended)


def _read_uses(connection: Connection) -> tuple[SuggestionUse, ...]:
    scope = {"settled": SETTLED}
    hidden = hidden_datasets(connection)
    uses: dict[str, SuggestionUse] = {}
    for dataset, maker, count in connection.execute(_SUGGESTED):
        use = uses.setdefault(dataset, SuggestionUse(dataset, dataset in hidden, {}, {}, {}))
        use.suggestions[maker] = count
    for dataset, kind, count in connection.execute(_ANSWERS, scope):
        use = uses.setdefault(dataset, SuggestionUse(dataset, dataset in hidden, {}, {}, {}))
        use.answers[kind] = count
    annotations: dict[str, dict[str, int]] = {}
    for dataset, maker, count in connection.execute(_ANNOTATIONS, scope):
        annotations.setdefault(dataset, {})[maker] = count
    for dataset, makers in annotations.items():
        # Imported work keeps the suggestion that it began as, but not the answer.
        if any(makers) or dataset in uses:
            use = uses.setdefault(dataset, SuggestionUse(dataset, dataset in hidden, {}, {}, {}))
            use.annotations.update(makers)
    passed = {name: count for name, count in connection.execute(_PASSED) if name not in hidden}
    undone = {row[0]: row[1] for row in connection.execute(_UNDONE)}
    return tuple(
        replace(uses[name], passed=passed.get(name, 0), undone=undone.get(name, 0))
        for name in sorted(uses)
    )
