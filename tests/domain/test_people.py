"""Names and times of people."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.domain.assignments import IDLE_CAP, State, worked
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import LONGEST_NAME, checked_name


@pytest.mark.parametrize("name", ["ana", " ana ", "李 明", "O'Neil-Ødegård", "x" * LONGEST_NAME])
def test_a_name_is_kept_without_its_edges(name: str) -> None:
    """What people are called is a name."""
    assert checked_name(name) == name.strip()


@pytest.mark.parametrize(
    "name", ["", "  ", "x" * (LONGEST_NAME + 1), "a\x1b[31m", "a\nb", "a\u2028b", "\ud800"]
)
def test_what_is_no_name_is_refused_with_its_value(name: str) -> None:
    """Empty, endless, or with controls in it."""
    with pytest.raises(InvalidInput) as caught:
        checked_name(name)
    assert repr(name) in caught.value.message


@given(st.floats(allow_nan=False))
def test_a_pause_is_no_work(gap: float) -> None:
    """Between two actions a minute counts at most, and nothing less than nothing."""
    assert worked(gap) == min(max(gap, 0), IDLE_CAP)
    assert isinstance(worked(gap), float)


def test_the_queue_passes_over_what_is_finished() -> None:
    """Done, skipped and flagged are finished; nothing else is."""
    assert {state for state in State if state.finished} == {
        State.DONE,
        State.SKIPPED,
        State.FLAGGED,
    }
