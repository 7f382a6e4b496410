"""Progress reaches its end where an adjudication locked samples before they were completed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.helpers.stores import claim
from tests.services.adjudicated_team import AdjudicatedTeam
from tests.services.test_progress import figures, of
from tui_annotate.domain.assignment_plan import AssignmentOptions
from tui_annotate.domain.assignment_rules import Pool
from tui_annotate.domain.assignments import State
from tui_annotate.domain.people import OPERATOR
from tui_annotate.domain.samples import SampleKey
from tui_annotate.services.annotate import OpenSample
from tui_annotate.services.assignments import AssignmentService
from tui_annotate.services.assignments.report import AssignmentStatus
from tui_annotate.storage.assignments.store import AssignmentStore

ORDER: Final = "ingested"


@pytest.fixture
def team(tmp_path: Path) -> Iterator[AdjudicatedTeam]:
    """Three samples that Ana and Ben completed, and Kim, who works on them too."""
    made = AdjudicatedTeam.create(tmp_path)
    made.annotating.people.local("kim")
    yield made
    made.database.close()


def kim_of(team: AdjudicatedTeam) -> str:
    return team.annotating.people.local("kim").id


def assign(team: AdjudicatedTeam) -> AssignmentService:
    return AssignmentService(
        AssignmentStore(team.database), team.annotating.people, lambda _: None, OPERATOR
    )


def adjudicate(team: AdjudicatedTeam, key: SampleKey) -> None:
    """Rea adjudicates without Kim, which an admin allows if Kim was assigned the sample."""
    if team.review().open(team.rea, key).refused:
        team.review().allow(team.rea, key, reason="kim is late")
    team.adjudicate(key)


def share(team: AdjudicatedTeam) -> None:
    """Without assignments, everyone has all samples."""


def give(team: AdjudicatedTeam) -> None:
    assign(team).give("d", ["kim"], AssignmentOptions(overlap=3))


def pool(team: AdjudicatedTeam) -> None:
    assign(team).pool("d", Pool(overlap=3, order="ingested"))


def header(team: AdjudicatedTeam, key: SampleKey) -> OpenSample:
    return team.annotating.open(kim_of(team), key, order=ORDER)


def listed(team: AdjudicatedTeam) -> AssignmentStatus:
    (row,) = [row for row in assign(team).show().progress if row.person == kim_of(team)]
    return row


def leave_new(team: AdjudicatedTeam, key: SampleKey) -> None:
    """Kim does nothing."""


def begin(team: AdjudicatedTeam, key: SampleKey) -> None:
    team.annotating.add(kim_of(team), key, claim(f"kim-{key.id}", 0, 4), seconds=1)


def skip(team: AdjudicatedTeam, key: SampleKey) -> None:
    team.annotating.skip(kim_of(team), key, seconds=1)


def flag(team: AdjudicatedTeam, key: SampleKey) -> None:
    team.annotating.flag(kim_of(team), key, reason="odd", seconds=1)


def reopen(team: AdjudicatedTeam, key: SampleKey) -> None:
    """Kim completed it, and began to change it."""
    team.annotating.finish(kim_of(team), key, seconds=1)
    begin(team, key)


@pytest.mark.parametrize("work", [leave_new, begin, skip, flag, reopen])
@pytest.mark.parametrize("assigned", [share, give, pool])
def test_progress_leaves_out_what_is_locked(
    team: AdjudicatedTeam,
    assigned: Callable[[AdjudicatedTeam], None],
    work: Callable[[AdjudicatedTeam, SampleKey], None],
) -> None:
    """Header, status and assignments agree, and the queue has nothing left."""
    assigned(team)
    on, kim = team.annotating, kim_of(team)
    first, *others = team.keys
    if assigned is pool and work is not leave_new:
        assert on.next_unfinished(kim, None, order=ORDER) == first
    work(team, first)
    adjudicate(team, first)
    for key in others:
        assert on.next_unfinished(kim, None, order=ORDER) == key
        on.finish(kim, key, seconds=1)
    assert on.next_unfinished(kim, None, order=ORDER) is None
    assert on.line.next_skipped(kim, None, order=ORDER) is None
    shown = header(team, others[-1])
    taken = 0 if assigned is pool and work is leave_new else 1
    assert (shown.completed, shown.possible, shown.locked) == (2, 2, taken)
    assert (shown.skipped, shown.flagged, shown.finished) == (0, 0, 2)
    found = of(figures(team.database), "kim")
    assert (found.completed, found.skipped, found.flagged, found.in_progress) == (2, 0, 0, 0)
    assert (found.locked, found.remaining) == (taken, 0)
    if assigned is not share:
        row = listed(team)
        assert (row.in_progress, row.open) == (0, 0)
        assert row.samples == row.finished + row.locked == 2 + taken


def test_the_header_knows_the_newest_locks(team: AdjudicatedTeam) -> None:
    """Its counts are kept between samples, and follow every change."""
    on, kim = team.annotating, kim_of(team)
    assert header(team, team.keys[0]).locked == 0
    team.adjudicate(team.keys[0])
    assert header(team, team.keys[0]).locked == 1
    on.finish(kim, team.keys[1], seconds=1)
    assert header(team, team.keys[0]).locked == 1
    team.adjudicate(team.keys[1])
    assert header(team, team.keys[0]).locked == 1
    team.allow_edits()
    assert header(team, team.keys[0]).locked == 0
    team.allow_edits(allowed=False)
    assert header(team, team.keys[0]).locked == 1
    team.review().undo(team.rea)
    team.review().undo(team.rea)
    assert header(team, team.keys[0]).locked == 0


def test_reopened_work_is_open_again(team: AdjudicatedTeam) -> None:
    """Until it is completed, or the sample is adjudicated again."""
    on, kim = team.annotating, kim_of(team)
    begin(team, team.keys[0])
    team.adjudicate(team.keys[0])
    assert header(team, team.keys[0]).locked == 1
    team.reopen(team.keys[0], kim)
    assert header(team, team.keys[0]).locked == 0
    assert of(figures(team.database), "kim").locked == 0
    assert on.next_unfinished(kim, None, order=ORDER) == team.keys[0]
    team.review().allow(team.rea, team.keys[0], reason="kim is late")
    team.adjudicate(team.keys[0])
    assert header(team, team.keys[0]).locked == 1
    assert on.next_unfinished(kim, None, order=ORDER) == team.keys[1]
    assert on.store.stream(kim, team.keys[0]).assignment.state is State.REOPENED


def test_locked_samples_are_not_moved(team: AdjudicatedTeam) -> None:
    """No one else could work on them; nor do they count as somebody's load."""
    give(team)
    adjudicate(team, team.keys[0])
    moved = assign(team).move(kim_of(team), ["li"], include_started=True)
    assert (moved.samples, moved.in_progress) == (2, 0)
    assert (listed(team).samples, listed(team).locked, listed(team).open) == (1, 1, 0)


def test_a_pool_needs_no_one_for_locked_samples(team: AdjudicatedTeam) -> None:
    """Neither its rule nor the forecast waits for people."""
    pool(team)
    for key in team.keys:
        adjudicate(team, key)
    (ahead,) = figures(team.database).forecast
    assert ahead.remaining == 0
    (rule,) = assign(team).show().rules
    assert rule.waiting == 0
