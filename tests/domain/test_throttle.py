"""How long a guesser waits."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.domain.throttle import (
    ACCOUNT,
    CLIENT,
    OWN_PAIR,
    PAIR,
    FailureCount,
    ThrottleRule,
    longest_wait,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)
RULES = [PAIR, OWN_PAIR, CLIENT, ACCOUNT]
SMALL = ThrottleRule(free=2, first=3, cap=10, fade=60)


@pytest.mark.parametrize(
    ("failures", "seconds"), [(0, 0), (2, 0), (3, 3), (4, 6), (5, 10), (9, 10)]
)
def test_each_failure_beyond_the_free_ones_doubles_the_wait(failures: int, seconds: float) -> None:
    """Up to the cap."""
    assert SMALL.delay(failures) == seconds


@pytest.mark.parametrize("rule", RULES)
@given(failures=st.integers(0, 10_000))
def test_the_wait_grows_and_is_capped(rule: ThrottleRule, failures: int) -> None:
    """Whatever the number of failures."""
    assert 0 <= rule.delay(failures) <= rule.delay(failures + 1) <= rule.cap


def test_nobody_is_locked_out_for_long() -> None:
    """Strangers cost an owner ten seconds, a room full of mistakes two minutes."""
    assert (ACCOUNT.cap, CLIENT.cap) == (10, 120)


def test_failures_add_up_and_fade() -> None:
    """One is forgotten with each period since the last."""
    tally = FailureCount()
    for _ in range(3):
        tally = tally.failed(NOW, SMALL)
    assert (tally.failures, tally.wait(NOW, SMALL)) == (3, 3)
    assert tally.wait(NOW + timedelta(seconds=3), SMALL) == 0
    assert tally.failed(NOW + timedelta(seconds=59), SMALL).failures == 4
    assert tally.failed(NOW + timedelta(seconds=121), SMALL).failures == 2
    assert tally.failed(NOW + timedelta(days=1), SMALL).failures == 1
    assert tally.failed(NOW - timedelta(days=1), SMALL).failures == 4


def test_an_attempt_that_was_right_is_forgiven() -> None:
    """As if it had not been, and nobody waits for it."""
    twice = FailureCount().failed(NOW, SMALL).failed(NOW, SMALL)
    third = twice.failed(NOW, SMALL).forgive()
    assert (third.failures, third.wait(NOW, SMALL)) == (2, 0)
    assert FailureCount().forgive().failures == 0


def test_a_clock_that_was_wrong_locks_nobody_out() -> None:
    """However far ahead the time was noted, the cap is the longest wait."""
    tally = FailureCount().failed(NOW + timedelta(days=365), SMALL)
    for _ in range(5):
        tally = tally.failed(NOW + timedelta(days=365), SMALL)
    assert tally.wait(NOW, SMALL) == SMALL.cap


@pytest.mark.parametrize("rule", RULES)
def test_failures_are_counted_no_further_than_they_matter(rule: ThrottleRule) -> None:
    """So that an attack, however long, is forgotten in the same time."""
    tally = FailureCount()
    for _ in range(1000):
        tally = tally.failed(NOW, rule)
    assert tally.failures == rule.most
    assert rule.delay(rule.most) == rule.cap
    assert rule.most * rule.fade < timedelta(hours=12).total_seconds()


def test_the_wait_is_told_in_whole_seconds() -> None:
    """The longest of several, rounded up; nothing for nobody."""
    assert longest_wait([0.0, 1.2, 0.4]) == 2
    assert longest_wait([]) == longest_wait([0.0]) == 0
