"""Whose work a reviewer can reopen from the screen."""

from __future__ import annotations

from tests.editor.review.draft_samples import TWO, judging
from tui_annotate.domain.assignments import State
from tui_annotate.editor.review.messages import ReviewText
from tui_annotate.editor.review.press import press
from tui_annotate.editor.review.questions import REOPENING


def test_only_work_that_other_samples_lock_can_be_reopened_before_the_adjudication() -> None:
    """In a dataset with gold samples; the option for everyone comes with the adjudication."""
    on = judging(TWO)
    press(on, "sample.reopen")
    assert not on.options()
    assert on.message.code is ReviewText.NOT_ADJUDICATED
    on.locked_people = ("B",)
    assert list(on.reopenable) == ["B"]
    press(on, "sample.reopen")
    assert on.pending is not None
    assert on.pending.kind == REOPENING
    assert len(on.options()) == 1
    press(on, "option.choose", digit="1")
    assert on.reopening == "B"
    on.progress = State.DONE
    assert list(on.reopenable) == ["", "A", "B"]
