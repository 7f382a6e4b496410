"""The guard of unseen frames: which keys it refuses, by the times at which they were read."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import pytest

from tui_annotate.tui import frame_guard
from tui_annotate.tui.frame_guard import FrameGuard


class Reports:
    """The requests for reports that a guard made, and the terminal's answers."""

    def __init__(self) -> None:
        self.requested: list[Callable[[float], None]] = []

    def answer(self, time: float) -> None:
        """The terminal answers the last request; a report of an earlier frame is not passed on."""
        self.requested.pop()(time)
        self.requested.clear()


@pytest.fixture(autouse=True)
def real_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """The times of the program, which the other tests set to zero."""
    monkeypatch.setattr(frame_guard, "SETTLING_TIME", 0.25)
    monkeypatch.setattr(frame_guard, "UNREPORTED_TIME", 1.0)


def opened(*, is_multiplexed: bool = False, reports: bool = True) -> tuple[FrameGuard, Reports]:
    """A guard whose terminal has reported a first frame, if it reports at all."""
    found = Reports()
    guard = FrameGuard(found.requested.append, is_multiplexed=is_multiplexed)
    if reports:
        guard.restart(-20)
        found.answer(-19)
    return guard, found


def test_the_guard_is_open_a_quarter_second_after_the_report() -> None:
    """Until then, no key can be an answer to the frame, however long the line takes."""
    guard, reports = opened()
    guard.close()
    assert guard.is_closed(0.0)
    guard.draw(0.1)
    assert guard.is_closed(2.0)
    reports.answer(0.9)
    assert guard.opens_at == pytest.approx(1.15)
    assert guard.is_closed(1.14)
    assert not guard.is_closed(1.16)


def test_a_person_on_the_same_machine_loses_no_key() -> None:
    """The report takes milliseconds, so a key 300 ms after the frame is taken."""
    guard, reports = opened()
    guard.close()
    guard.draw(0.0)
    reports.answer(0.02)
    assert not guard.is_closed(0.3)


def test_without_reports_the_guard_opens_after_a_second() -> None:
    """The terminal, or Windows, sends none."""
    guard, _ = opened(reports=False)
    guard.close()
    guard.draw(5.0)
    assert guard.opens_at == 6.0


@pytest.mark.parametrize(("report", "opens"), [(0.01, 1.0), (2.0, 2.25)])
def test_the_report_of_a_multiplexer_does_not_shorten_the_second(
    report: float, opens: float
) -> None:
    """It says nothing of the line behind the multiplexer, but may be late itself."""
    guard, reports = opened(is_multiplexed=True)
    guard.close()
    guard.draw(0.0)
    reports.answer(report)
    assert guard.opens_at == opens


def test_no_time_opens_the_guard_before_the_report() -> None:
    """An outage of the connection may be of any length; keys of that time arrive at its end."""
    guard, reports = opened()
    guard.close()
    guard.draw(0.0)
    assert guard.is_closed(3600.0)
    reports.answer(3600.1)
    assert guard.is_closed(3600.3)
    assert not guard.is_closed(3600.36)


def test_further_refused_keys_do_not_begin_the_wait_anew() -> None:
    """The report of the message counts that the first of them asked for, however late it comes."""
    guard, reports = opened()
    guard.close()
    guard.draw(0.0)
    reports.answer(12.0)
    guard.refuse(12.1)
    guard.refuse(18.0)
    assert len(reports.requested) == 1
    assert guard.is_closed(24.0)
    reports.answer(24.1)
    assert guard.opens_at == pytest.approx(24.35)


def test_the_report_of_another_sample_does_not_open_the_guard() -> None:
    """Each sample has its own request; before its frame is drawn, the guard stays closed."""
    guard, reports = opened()
    guard.close()
    guard.draw(0.0)
    reports.answer(0.3)
    guard.close()
    assert guard.opens_at == inf
    guard.draw(1.0)
    assert guard.is_closed(1.5)


def test_a_refused_key_waits_for_the_message_to_be_seen() -> None:
    """The guard asks for a report of the frame with the message."""
    guard, reports = opened()
    guard.close()
    guard.draw(0.0)
    reports.answer(0.5)
    guard.refuse(0.6)
    assert guard.is_closed(0.9)
    reports.answer(1.1)
    assert guard.is_closed(1.3)
    assert not guard.is_closed(1.36)


@pytest.mark.parametrize("has_reports", [False, True])
def test_without_usable_reports_a_refused_key_begins_the_second_anew(*, has_reports: bool) -> None:
    """The Enter behind a refused digit would complete the sample without the annotation."""
    guard, reports = opened(is_multiplexed=True, reports=has_reports)
    guard.close()
    guard.draw(0.0)
    if has_reports:
        reports.answer(0.1)
    guard.refuse(0.85)
    assert guard.is_closed(1.6)
    assert guard.opens_at == pytest.approx(1.85)
    guard.refuse(1.6)
    assert guard.opens_at == pytest.approx(1.85)


@pytest.mark.parametrize("is_multiplexed", [False, True])
def test_what_is_typed_behind_a_refused_key_is_refused(*, is_multiplexed: bool) -> None:
    """It may be a note whose key was refused; movement alone does not keep the guard closed."""
    guard, reports = opened(is_multiplexed=is_multiplexed)
    guard.close()
    guard.draw(0.0)
    guard.note_key(0.5)
    reports.answer(0.9)
    assert not guard.is_closed(1.15)
    guard.refuse(0.95)
    if not is_multiplexed:
        reports.answer(0.96)
    for time in (1.15, 1.35, 1.55):
        guard.note_key(time)
        assert guard.is_closed(time)
    assert not guard.is_closed(1.96 if is_multiplexed else 1.81)


@pytest.mark.parametrize("is_multiplexed", [False, True])
def test_quick_keys_keep_the_guard_closed_for_a_second_at_most(*, is_multiplexed: bool) -> None:
    """After the message about the refused key was seen, further keys are meant."""
    guard, reports = opened(is_multiplexed=is_multiplexed)
    guard.close()
    guard.draw(0.0)
    reports.answer(0.02)
    guard.refuse(0.1)
    if not is_multiplexed:
        reports.answer(0.12)
    for number in range(1, 9):
        time = 0.1 + number * 0.1
        assert guard.is_closed(time)
        guard.refuse(time)
        guard.note_key(time)
    guard.note_key(1.05)
    assert guard.is_closed(1.09)
    assert not guard.is_closed(1.13)


def test_a_change_of_the_same_sample_is_no_other_sample() -> None:
    """The message on screen says what happened then."""
    guard, _ = opened()
    guard.close()
    shown = [guard.is_other_sample]
    guard.restart(1.0)
    assert [*shown, guard.is_other_sample] == [True, False]
    assert guard.is_closed(1.1)
