"""The log: replay, undo, redo, and what the chain of hashes shows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.domain.errors import Conflict
from tui_annotate.domain.history import (
    DISCARD,
    IMPORT,
    READ,
    REDO,
    UNDO,
    Change,
    Event,
    LoggedAction,
    PendingEvent,
    StreamState,
    chain_event,
    find_redo_target,
    find_undo_target,
    hash_event,
    replay,
)

Stream = tuple[str, str, str]
HERE: Stream = ("ana", "d", "1")


@dataclass
class Book:
    """A log in memory, written as the store writes it."""

    events: list[Event] = field(default_factory=list)

    def stream(self, stream: Stream = HERE) -> list[Event]:
        """The events of one stream."""
        return [event for event in self.events if event.stream == stream]

    def state(self, stream: Stream = HERE) -> StreamState:
        """What replaying a stream gives."""
        return replay(self.stream(stream))

    def write(self, action: PendingEvent, stream: Stream = HERE, *, seconds: float = 0.0) -> Event:
        """Appends an action behind its stream."""
        before = self.stream(stream)
        event = Event(f"e{len(self.events)}", 0, *stream, action, at="now", seconds=seconds)
        placed = chain_event(event, seq=len(before) + 1, prev=before[-1].hash if before else "")
        self.state(stream).applied(action)
        self.events.append(placed)
        return placed

    def put(self, name: str, note: str | None, stream: Stream = HERE, verb: str = "edit") -> Event:
        """Gives an annotation another content; None removes it."""
        old = self.state(stream).annotations.get(name)
        new = None if note is None else {"note": note}
        return self.write(PendingEvent(verb, Change({name: old}), Change({name: new})), stream)

    def deeds(self) -> Iterable[LoggedAction]:
        """Newest first, as the store gives them."""
        return (
            LoggedAction(event.id, event.action.verb, event.action.undoes, event.stream)
            for event in reversed(self.events)
        )

    def undo(self) -> bool:
        """One press of u; False where nothing is left."""
        return self._reverse(find_undo_target(self.deeds()), UNDO)

    def redo(self) -> bool:
        """One press of U."""
        return self._reverse(find_redo_target(self.deeds()), REDO)

    def _reverse(self, target: LoggedAction | None, verb: str) -> bool:
        if target is None:
            return False
        event = next(event for event in self.events if event.id == target.id)
        self.write(event.action.inverse(event.id, verb=verb), event.stream)
        return True


steps = st.lists(
    st.tuples(
        st.sampled_from(["a", "b"]),
        st.none() | st.sampled_from(["x", "y"]),
        st.sampled_from([HERE, ("ana", "d", "2")]),
    ),
    max_size=12,
)


def done(some: list[tuple[str, str | None, Stream]]) -> Book:
    """A book with these steps in it."""
    book = Book()
    for name, note, stream in some:
        book.put(name, note, stream)
    return book


@given(steps)
def test_the_inverse_of_an_action_takes_it_back(some: list[tuple[str, str | None, Stream]]) -> None:
    """replay(log + inverse) == replay(log without the action)."""
    book = done(some)
    before = book.state()
    event = book.put("a", "new")
    book.write(event.action.inverse(event.id))
    assert book.state() == before


@given(steps, st.lists(st.booleans(), max_size=20))
def test_undo_and_redo_walk_the_same_line(
    some: list[tuple[str, str | None, Stream]], presses: list[bool]
) -> None:
    """However u and U alternate, the state is that of the steps that stand."""
    book = done(some)
    standing = len(some)
    for back in presses:
        if back:
            assert book.undo() == (standing > 0)
            standing -= standing > 0
        else:
            assert book.redo() == (standing < len(some))
            standing += standing < len(some)
    expected = done(some[:standing])
    for stream in (HERE, ("ana", "d", "2")):
        assert book.state(stream).annotations == expected.state(stream).annotations


@given(steps)
def test_undoing_everything_leaves_nothing(some: list[tuple[str, str | None, Stream]]) -> None:
    """There is no limit, over samples too, and then there is nothing left to undo."""
    book = done(some)
    while book.undo():
        pass
    assert book.state() == StreamState() == book.state(("ana", "d", "2"))
    assert find_undo_target(book.deeds()) is None


def test_a_new_deed_ends_redo() -> None:
    """What was undone before it can not be done again."""
    book = Book()
    book.put("a", "x")
    book.undo()
    assert find_redo_target(book.deeds()) is not None
    book.put("b", "y")
    assert find_redo_target(book.deeds()) is None


def test_reading_and_imports_are_nobodys_deeds() -> None:
    """Time and imported work are neither undone nor do they end redo."""
    book = Book()
    book.put("a", "x")
    book.put("i", "from a file", verb=IMPORT)
    book.undo()
    book.write(PendingEvent(READ, Change(), Change()), seconds=5)
    assert set(book.state().annotations) == {"i"}
    assert book.redo()
    assert not book.redo()
    assert set(book.state().annotations) == {"i", "a"}
    assert book.state().seconds == 5


def test_what_was_discarded_is_beyond_undo_and_redo() -> None:
    """Undo passes over a sample that was taken out, and goes on behind it."""
    book = Book()
    book.put("old", "x", ("ana", "d", "2"))
    book.put("a", "x")
    book.put("a", "y")
    book.undo()
    book.put("a", None, verb=DISCARD)
    assert find_redo_target(book.deeds()) is None
    assert book.undo()
    assert book.state(("ana", "d", "2")) == StreamState()
    assert find_undo_target(book.deeds()) is None


def test_an_undo_in_a_discarded_stream_does_not_end_redo_elsewhere() -> None:
    """Deeds of a stream that is gone count for nothing."""
    book = Book()
    book.put("a", "x", ("ana", "d", "2"))
    book.undo()
    book.put("b", "x")
    book.put("b", None, verb=DISCARD)
    assert book.redo()
    assert book.state(("ana", "d", "2")).annotations == {"a": {"note": "x"}}


def test_a_stale_action_is_refused() -> None:
    """What an action found before it must still stand."""
    book = Book()
    book.put("a", "x")
    stale = PendingEvent("edit", Change({"a": {"note": "old"}}), Change({"a": {"note": "new"}}))
    with pytest.raises(Conflict, match="'edit'"):
        book.state().applied(stale)
    moved = PendingEvent("done", Change({}, {"state": "draft"}), Change({}, {"state": "done"}))
    with pytest.raises(Conflict):
        book.state().applied(moved)


def test_an_altered_event_breaks_the_chain() -> None:
    """Content, place and predecessor are all under the hash."""
    book = Book()
    book.put("a", "x")
    book.put("a", "y")
    first, second = book.events
    forged = replace(
        first, action=PendingEvent("edit", Change({"a": None}), Change({"a": {"note": "z"}}))
    )
    for altered in (
        [forged, second],
        [second],
        [second, first],
        [replace(first, at="then"), second],
    ):
        with pytest.raises(Conflict):
            replay(altered)


@given(st.text(st.characters(categories=None)))
def test_any_text_has_a_digest(text: str) -> None:
    """Also one with a lone surrogate, as a file can bring it."""
    action = PendingEvent("add", Change({"a": None}), Change({"a": {"note": text}}))
    event = Event("e", 1, *HERE, action, at="now")
    assert hash_event(event) == hash_event(replace(event))
    assert len(hash_event(event)) == 64


@pytest.mark.parametrize(
    "other",
    [
        {"id": "x"}, {"seq": 7}, {"person": "x"}, {"dataset": "x"}, {"sample": "x"}, {"at": "x"},
        {"seconds": 7.0}, {"versions": {"labels": "x"}}, {"app": "x"}, {"prev": "x"},
        {"action": PendingEvent("edit", Change(), Change())},
        {"action": PendingEvent("add", Change({}, {"state": "new"}), Change())},
        {"action": PendingEvent("add", Change(), Change({"a": None}))},
        {"action": PendingEvent("add", Change(), Change(), undoes="x")},
        {"action": PendingEvent("add", Change(), Change(), batch="x")},
    ],
    ids=lambda other: next(iter(other)),
)  # fmt: skip
def test_every_part_of_an_event_is_in_its_digest(other: dict[str, Any]) -> None:
    """None can be altered unnoticed, neither the time of work nor which version wrote it."""
    event = Event("e", 1, *HERE, PendingEvent("add", Change(), Change()), at="now")
    assert hash_event(replace(event, **other)) != hash_event(event)


def test_a_change_survives_json() -> None:
    """As it is stored, it comes back."""
    change = Change({"a": None, "b": {"note": "x"}}, {"state": "done"})
    assert Change.from_json(change.as_json()) == change
