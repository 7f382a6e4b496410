"""Lost data is counted once, and each kind of data has a counter."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import pytest

from tests.plugins.formats.laws import base
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.plugins import losses
from tui_annotate.plugins.losses import LossCounter
from tui_annotate.plugins.protocols import ExportReport
from tui_annotate.plugins.traits import FormatTraits, RecordTrait, carry_all_but

_KNOWS_NO_STATES: Final = FormatTraits(
    title="a format", carried=carry_all_but(RecordTrait.UNREAD, RecordTrait.STATE)
)
_INCOMPLETE: Final = (State.DRAFT, State.SKIPPED, State.FLAGGED, State.REOPENED)


@pytest.mark.parametrize("state", [State.NEW, *_INCOMPLETE])
def test_a_sample_that_no_one_completed_is_not_written_and_not_read(state: State) -> None:
    """In a format of one annotator, any sample without annotations looks as if it was completed."""
    report = ExportReport()
    record = replace(base("ana"), annotations=(), assignments=(Assignment("ana", state),))
    assert not LossCounter(_KNOWS_NO_STATES, report).check_read(record)
    assert report.lost == {RecordTrait.UNREAD: 1}


@pytest.mark.parametrize("state", [State.NEW, *_INCOMPLETE])
def test_a_written_sample_without_annotations_loses_its_state(state: State) -> None:
    """A sample that was begun loses its state; it counts as not read only if no one began it."""
    report = ExportReport()
    record = replace(base("ana"), annotations=(), assignments=(Assignment("ana", state),))
    LossCounter(_KNOWS_NO_STATES, report).count(record)
    lost = RecordTrait.UNREAD if state is State.NEW else RecordTrait.STATE
    assert report.lost == {lost: 1}


def test_a_kind_of_data_without_a_counter_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new kind of data cannot be lost without being counted."""
    monkeypatch.delitem(losses._ANNOTATION_COUNTERS, RecordTrait.NOTE)
    counter = LossCounter(FormatTraits(title="a format", carried={}), ExportReport())
    with pytest.raises(KeyError):
        counter.count(base("ana"))
