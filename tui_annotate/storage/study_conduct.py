"""Counts of how the work of a study was made: what the method paragraph of a snapshot states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, text

from tui_annotate.domain.people import SETTLED, Permission, require_permission
from tui_annotate.domain.repeated_readings import RepeatedReadingCounts, count_repeated
from tui_annotate.domain.stream_merge import COPIED
from tui_annotate.storage.assignments.gold_results import read_checks
from tui_annotate.storage.database import Store
from tui_annotate.storage.log.held_work import list_held_work
from tui_annotate.storage.log.repeated_readings import read_repeated
from tui_annotate.storage.people.presence import TAKEOVERS
from tui_annotate.storage.statements import gold_condition, practice_condition

_READINGS: Final = text(
    "SELECT count(*), count(*) FILTER (WHERE r.gold), count(*) FILTER (WHERE r.practice),"  # noqa: S608  constants
    " count(*) FILTER (WHERE r.again), count(*) FILTER (WHERE NOT r.account) FROM (SELECT"
    # Each reading counts once: a second reading of a check of accuracy is a second reading.
    f"   o.kind <> 'again' AND NOT {practice_condition('w')} AND {gold_condition('w')} AS gold,"
    f"   o.kind <> 'again' AND {practice_condition('w')} AS practice,"
    "   o.kind = 'again' AS again,"
    "   o.kind = 'account' OR EXISTS (SELECT 1 FROM people f"
    "     WHERE f.id || '~2' = o.id AND f.kind = 'account') AS account"
    " FROM assignments w JOIN people o ON o.id = w.person"
    " WHERE w.state = 'done' AND w.person <> :settled) r"
)
_IMPORTS: Final = text(
    "SELECT count(*), count(DISTINCT person) FROM"
    " (SELECT DISTINCT person, dataset, sample FROM events"
    "  WHERE verb = 'import' AND person <> :settled) r"
)
_IMPORTED_ANNOTATIONS: Final = text(
    "SELECT count(*) FROM annotations WHERE origin LIKE 'imported%' AND person <> :settled"
)
_COPIES: Final = text(
    "SELECT count(*) FROM (SELECT DISTINCT person, dataset, sample FROM events"  # noqa: S608  constants
    f" WHERE json_extract(versions, '$.{COPIED}') IS NOT NULL AND person <> :settled) r"
)
_READERS: Final = text(
    "SELECT count(DISTINCT w.person) FROM assignments w JOIN accounts c ON c.person = w.person"
    " WHERE w.state = 'done' AND c.role <> 'annotator'"
)
_TAKEOVERS: Final = text(
    "SELECT coalesce(sum(CAST(json_extract(value, '$') AS BIGINT)), 0), count(*) FROM preferences"
    " WHERE name = :name"
)


_COMPLETE_CHECKS: Final = text(
    "SELECT d.name, w.person, s.external FROM assignments w JOIN samples s ON s.id = w.sample_id"  # noqa: S608  constants
    " JOIN datasets d ON d.id = s.dataset_id"
    f" WHERE w.state = 'done' AND {gold_condition('w')}"
)


_NONE_REPEATED: Final = RepeatedReadingCounts()


@dataclass(frozen=True, slots=True)
class StudyConduct:
    """How the completed readings of a workspace were made, as far as the store records it.

    Attributes:
        accounts: number of accounts in this store; a shared store of accounts is not counted.
        checks: gold checks that were completed; `edited_checks` of them were edited afterwards, and
            `incomplete_checks` belong to readings that are no longer complete.
        readings: completed readings, of which `gold` check accuracy with known answers, `practice`
            are practice, `second` are second readings, and `local` are by people without accounts.
        privileged: people with the role of a reviewer or admin who completed readings.
        imported: readings with imported work, by `importers` people.
        copied: readings with actions that are marked as copies from another workspace.
        takeovers: how often a person's open session was replaced by another, of `taken` people.
        held: readings that were completed elsewhere while the person's work was paused or their
            practice was not finished, of `held_people` people.
        repeated: second readings, and how many readings were edited when the other was known.
    """

    accounts: int
    readings: int
    gold: int
    practice: int
    second: int
    local: int
    privileged: int
    imported: int
    importers: int
    imported_annotations: int
    copied: int
    takeovers: int
    taken: int
    checks: int
    edited_checks: int
    held: int = 0
    held_people: int = 0
    repeated: RepeatedReadingCounts = _NONE_REPEATED
    incomplete_checks: int = 0


class StudyConductStore(Store):
    """Access to the counts; NotAllowed for people who may not see the work of all."""

    def count(self) -> StudyConduct:
        """Return the counts for the whole workspace; NotAllowed if the actor may not report."""
        require_permission(self._actor, Permission.REPORT)
        with self._database.reading() as connection:
            return _count(connection)


def _count(connection: Connection) -> StudyConduct:
    scope = {"settled": SETTLED}
    readings, gold, practice, second, local = connection.execute(_READINGS, scope).one()
    imported, importers = connection.execute(_IMPORTS, scope).one()
    checks = read_checks(connection)
    complete = {tuple(row) for row in connection.execute(_COMPLETE_CHECKS)}
    held = list_held_work(connection)
    takeovers, taken = connection.execute(_TAKEOVERS, {"name": TAKEOVERS}).one()
    return StudyConduct(
        accounts=connection.execute(text("SELECT count(*) FROM accounts")).scalar_one(),
        readings=readings,
        gold=gold,
        practice=practice,
        second=second,
        local=local,
        privileged=connection.execute(_READERS).scalar_one(),
        imported=imported,
        importers=importers,
        imported_annotations=connection.execute(_IMPORTED_ANNOTATIONS, scope).scalar_one(),
        copied=connection.execute(_COPIES, scope).scalar_one(),
        takeovers=takeovers,
        taken=taken,
        checks=len(checks),
        edited_checks=sum(each.later_edits > 0 for each in checks),
        incomplete_checks=sum(
            (each.dataset, each.person, each.sample) not in complete for each in checks
        ),
        held=sum(map(len, held.values())),
        held_people=len(held),
        repeated=count_repeated(read_repeated(connection).values()),
    )
