"""Sharing while annotating: nothing is lost, whatever comes when, and nobody waits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import Queue
from threading import Event

import pytest

from tui_annotate.domain.errors import Unavailable
from tui_annotate.domain.people import Person
from tui_annotate.storage.log.stream_merge import StreamMergeReport
from tui_annotate.tui import work_sharing
from tui_annotate.tui.work_sharing import BackgroundSync, SyncState, SyncUpdate, WorkExchange

SOON = 20.0
ANA = Person("ana", "Ana")


class Place:
    """A shared place: what was saved, what was sent, and what is to happen on the way."""

    def __init__(self) -> None:
        self.saved = 0
        self.sent = 0
        self.unsent = ""
        self.pulls = 0
        self.waiting: list[int] = []
        self.errors: list[Exception] = []
        self.during: Callable[[], object] = lambda: None
        self.told: Queue[SyncUpdate] = Queue()

    def pull(self) -> StreamMergeReport:
        """Counts."""
        self.pulls += 1
        return StreamMergeReport(ANA)

    def push(self) -> tuple[int, str]:
        """What was saved when it began is sent."""
        saved = self.saved
        self.during()
        if self.errors:
            raise self.errors.pop(0)
        self.sent = saved
        return self.waiting.pop(0) if self.waiting else 0, self.unsent

    def until(self, state: SyncState) -> SyncUpdate:
        """The next word of a state."""
        while (report := self.told.get(timeout=SOON)).state is not state:
            pass
        return report


@contextmanager
def syncing_with(
    place: Place, *, online: bool = True, quiet: float = 0.0
) -> Iterator[BackgroundSync]:
    """A syncer that does not wait, unless it is told to."""
    syncer = BackgroundSync(
        WorkExchange(place.pull, place.push), place.told.put, online=online, quiet=quiet, longest=60
    )
    syncer.start()
    try:
        yield syncer
    finally:
        place.during = lambda: None
        syncer.close()


def test_the_start_pulls_and_sends_what_is_left_from_before() -> None:
    """What was done without a network goes at once."""
    place = Place()
    place.saved = 3
    with syncing_with(place):
        assert place.told.get(timeout=SOON).state is SyncState.IDLE
        assert place.told.get(timeout=SOON).state is SyncState.SYNCING
        assert place.told.get(timeout=SOON).state is SyncState.SUCCESS
    assert (place.pulls, place.sent) == (1, 3)


def test_a_change_is_pending_then_sent() -> None:
    """All states in their order."""
    place = Place()
    with syncing_with(place) as syncer:
        place.until(SyncState.SUCCESS)
        place.saved = 1
        syncer.changed()
        report = [place.told.get(timeout=SOON).state for _ in range(3)]
        assert report == [SyncState.PENDING, SyncState.SYNCING, SyncState.SUCCESS]
    assert place.sent == 1


def test_a_change_during_a_push_goes_with_the_next() -> None:
    """It comes after what is sent was read, and is not taken for sent."""
    place = Place()
    with syncing_with(place) as syncer:
        place.until(SyncState.SUCCESS)
        begun, go_on = Event(), Event()
        first = [True]

        def during() -> None:
            if first:
                first.clear()
                begun.set()
                assert go_on.wait(SOON)

        place.during, place.saved = during, 1
        syncer.changed()
        assert begun.wait(SOON)
        place.saved = 2
        syncer.changed()
        go_on.set()
        place.until(SyncState.SUCCESS)
    assert place.sent == 2


def test_nobody_waits_for_a_network() -> None:
    """While a push hangs, telling of a change comes back at once."""
    place = Place()
    with syncing_with(place) as syncer:
        place.until(SyncState.SUCCESS)
        begun, go_on = Event(), Event()

        def during() -> None:
            begun.set()
            assert go_on.wait(SOON)

        place.during = during
        syncer.changed()
        assert begun.wait(SOON)
        syncer.changed()
        syncer.go(online=False)
        assert not go_on.is_set()
        go_on.set()
        place.until(SyncState.OFFLINE)


def test_offline_keeps_all_for_later() -> None:
    """Nothing is sent or taken before somebody goes online; then both at once."""
    place = Place()
    with syncing_with(place, online=False) as syncer:
        assert place.told.get(timeout=SOON).state is SyncState.OFFLINE
        place.saved = 1
        syncer.changed()
        assert (place.pulls, place.sent) == (0, 0)
        syncer.go(online=True)
        place.until(SyncState.SUCCESS)
    assert (place.pulls, place.sent) == (1, 1)


def test_what_fails_is_told_and_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error keeps what is to be sent; the next try sends it."""
    monkeypatch.setattr(work_sharing, "_RETRY", 0.0)
    place = Place()
    place.saved = 1
    place.errors = [Unavailable("no network", "later"), ValueError("a bug")]
    with syncing_with(place):
        assert place.until(SyncState.ERROR).problem == "no network · later"
        assert "ValueError" in place.until(SyncState.ERROR).problem
        place.until(SyncState.SUCCESS)
    assert place.sent == 1


def test_what_another_machine_changed_is_pulled_before_it_is_pushed() -> None:
    """A push that finds rows newer than ours pulls, and pushes again."""
    place = Place()
    place.waiting = [2]
    with syncing_with(place):
        place.until(SyncState.SUCCESS)
    assert place.pulls == 2


def test_what_no_row_can_tell_is_told_and_the_rest_is_sent() -> None:
    """It is a word, and neither an error nor a reason to try again."""
    place = Place()
    place.saved, place.unsent = 2, "films/a: no line"
    with syncing_with(place):
        assert place.until(SyncState.SUCCESS).problem == "films/a: no line"
    assert place.sent == 2


def test_leaving_sends_what_waits_for_its_moment() -> None:
    """Who leaves in the five seconds after a change loses nothing."""
    place = Place()
    with syncing_with(place, quiet=3600) as syncer:
        place.until(SyncState.SUCCESS)
        place.saved = 1
        syncer.changed()
        place.until(SyncState.PENDING)
    assert place.sent == 1


def test_a_push_waits_for_quiet_but_not_for_ever() -> None:
    """Five seconds after the last change, thirty after the first."""
    now = [100.0]
    place = Place()
    syncer = BackgroundSync(
        WorkExchange(place.pull, place.push), place.told.put, clock=lambda: now[0]
    )
    due = []
    for step in range(12):
        now[0] = 100.0 + 4 * step
        syncer.changed()
        due.append(syncer._due - 100)
    assert due == [5, 9, 13, 17, 21, 25, 29, 30, 30, 30, 30, 30]
