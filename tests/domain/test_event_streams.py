"""Work on a sample as its events make it: new events, and the results of actions."""

from __future__ import annotations

from tui_annotate.domain.event_streams import SaveResult, build_stream
from tui_annotate.domain.history import Change, PendingEvent, StreamState, chain_event, new_event
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.version import VERSION

KEY = SampleKey("news", "1")
RATE = PendingEvent("rate", Change({}, {"rating": ""}), Change({}, {"rating": "good"}))
AT = "2026-01-02T03:04:05.000000Z"


def test_a_new_event_names_its_stream_and_the_program() -> None:
    """Its id is new each time unless it is given; number and hashes come later."""
    one = new_event(("ana", *KEY), RATE, at=AT)
    other = new_event(("ana", *KEY), RATE, at=AT)
    assert one.id != other.id
    assert (one.stream, one.seq, one.prev, one.hash) == (("ana", "news", "1"), 0, "", "")
    assert one.app == VERSION
    assert new_event(("ana", *KEY), RATE, at=AT, event_id="x").id == "x"


def test_a_stream_without_events_is_empty() -> None:
    """A person who did nothing has the initial state, and the next event is the first."""
    stream = build_stream("ana", KEY, sample_id=7, history=())
    assert (stream.seq, stream.head, stream.updated) == (0, "", "")
    assert stream.state.same(StreamState())


def test_a_result_has_the_work_after_the_action() -> None:
    """The assignment is that after the event, and no annotation was changed by a rating."""
    event = chain_event(new_event(("ana", *KEY), RATE, at=AT), seq=1, prev="")
    stream = build_stream("ana", KEY, sample_id=7, history=[event])
    saved = SaveResult.of(stream, "rate", undone="comment", passed=(KEY,))
    assert (saved.key, saved.assignment.rating, saved.assignment.updated) == (KEY, "good", AT)
    assert (saved.annotation, saved.annotations, saved.answers) == (None, (), {})
    assert (saved.undone, saved.passed, stream.name) == ("comment", (KEY,), event.stream)
