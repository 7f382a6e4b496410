"""Two copies of a stream brought together: nothing is lost, and the newest stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.effort import example_limit
from tui_annotate.domain.annotations import Anchor, Annotation, annotation_to_json
from tui_annotate.domain.history import (
    JOIN,
    READ,
    Change,
    Event,
    LoggedAction,
    Payload,
    PendingEvent,
    StreamState,
    chain_event,
    find_undo_target,
    replay,
)
from tui_annotate.domain.samples import SampleKey, Side
from tui_annotate.domain.spans import Span
from tui_annotate.domain.stream_merge import (
    StreamCopy,
    describe_state,
    merge_streams,
    original_hash,
)
from tui_annotate.domain.stream_validation import find_chain_problem
from tui_annotate.domain.suggestions import AnswerKind, SuggestionAnswer, answer_to_json

KEY = SampleKey("d", "s")
NAMES = count()


def payload(name: str, note: str = "", *, number: int = 1) -> dict[str, object]:
    """An annotation of the first ten signs."""
    claim = (Anchor(Side.SUMMARY, 0, Span(0, 10)),)
    return annotation_to_json(Annotation(name, claim, (), (("Fine",),), note, number=number))


def went_on(told: Sequence[Event], verb: str, after: Change, *, at: int) -> tuple[Event, ...]:
    """A stream with one deed more."""
    state = replay(told)
    before = Change(
        {name: state.annotations.get(name) for name in after.annotations},
        {name: state.assignment[name] for name in after.assignment},
        {name: state.suggestions.get(name) for name in after.suggestions},
    )
    event = Event(
        id=f"e{next(NAMES)}", seq=0, person="p", dataset="d", sample="s",
        action=PendingEvent(verb, before, after), at=f"2026-01-01T00:00:00.{at:06}Z", seconds=1.0,
    )  # fmt: skip
    return (*told, chain_event(event, seq=len(told) + 1, prev=told[-1].hash if told else ""))


def acts(told: Sequence[Event]) -> set[str]:
    """What was done by hand in a stream."""
    return {original_hash(event) for event in told if event.action.verb != JOIN}


def stands(told: Sequence[Event]) -> tuple[object, ...]:
    """What a stream comes to, time aside."""
    state = replay(told)
    return dict(state.annotations), dict(state.assignment), dict(state.suggestions)


def refusal(reason: str) -> dict[str, object]:
    """An answer to a suggestion."""
    return answer_to_json(SuggestionAnswer(answer=AnswerKind.REFUSED, maker="m", reason=reason))


def deed(told: tuple[Event, ...], choice: int, *, at: int) -> tuple[Event, ...]:
    """One of the things that people do."""
    name = f"a{choice % 3}"
    if choice < 3:
        return went_on(told, "add", Change({name: payload(name, f"at {at}")}), at=at)
    if choice < 6:
        return went_on(told, "remove", Change({name: None}), at=at)
    if choice < 8:
        return went_on(told, "rate", Change({}, {"rating": ("Bad", "Perfect")[choice % 2]}), at=at)
    if choice > 8:
        answer = {f"s{choice % 2}": refusal(f"at {at}")}
        return went_on(told, "refuse", Change({}, {}, answer), at=at)
    return went_on(told, READ, Change(), at=at)


STEPS = st.lists(st.tuples(st.sampled_from("abcxyz"), st.integers(0, 10)), min_size=1, max_size=14)
PAIRS = {"x": ("a", "b"), "y": ("b", "c"), "z": ("a", "c")}


@settings(max_examples=example_limit(60))
@given(STEPS)
def test_copies_that_met_hold_the_same(steps: list[tuple[str, int]]) -> None:
    """Whatever was done where, and whenever copies met: at the end all have all, and agree."""
    copies: dict[str, tuple[Event, ...]] = {"a": (), "b": (), "c": ()}
    for at, (who, choice) in enumerate(steps):
        if who in PAIRS:
            here, there = PAIRS[who]
            copies[here] += merge_streams(copies[here], copies[there]).events
        else:
            copies[who] = deed(copies[who], choice, at=at)
    done = set[str]().union(*map(acts, copies.values()))
    for here, there in (("a", "b"), ("a", "c"), ("b", "a"), ("c", "a")):
        copies[here] += merge_streams(copies[here], copies[there]).events
    assert acts(copies["a"]) == acts(copies["b"]) == acts(copies["c"]) == done
    assert stands(copies["a"]) == stands(copies["b"]) == stands(copies["c"])


@given(STEPS, STEPS)
def test_twice_is_as_good_as_once(one: list[tuple[str, int]], two: list[tuple[str, int]]) -> None:
    """Bringing the same copy again adds nothing, and what stood stays in the log."""
    here: tuple[Event, ...] = ()
    for at, (_, choice) in enumerate(one):
        here = deed(here, choice, at=2 * at)
    there = here[: len(here) // 2]
    for at, (_, choice) in enumerate(two):
        there = deed(there, choice, at=2 * at + 1)
    merge = merge_streams(here, there)
    joined = here + merge.events
    assert joined[: len(here)] == here
    assert acts(joined) == acts(here) | acts(there)
    assert merge_streams(joined, there).events == ()
    assert merge_streams(joined, here).events == ()
    replay(joined)


def test_a_missing_tail_is_appended_as_it_is() -> None:
    """What simply goes on keeps its ids and hashes, and is no fork."""
    here = deed((), 0, at=1)
    there = deed(deed(here, 6, at=2), 4, at=3)
    merge = merge_streams(here, there)
    assert merge.events == there[1:]
    assert merge.fork is None


@pytest.mark.parametrize("newer", ["here", "there"])
def test_the_newest_stands_and_the_other_is_told(newer: str) -> None:
    """Of two ways on from one point the newest stands; the fork holds both as they were."""
    known = deed((), 0, at=1)
    late, early = 9, 5
    here = deed(known, 6, at=late if newer == "here" else early)
    there = deed(known, 7, at=late if newer == "there" else early)
    merge = merge_streams(here, there)
    assert merge.fork is not None
    assert merge.fork.there_wins == (newer == "there")
    assert merge.fork.here.assignment["rating"] == "Bad"
    assert merge.fork.there.assignment["rating"] == "Perfect"
    after = replay((*here, *merge.events))
    assert after.assignment["rating"] == ("Bad" if newer == "here" else "Perfect")


def test_the_same_work_twice_is_no_fork() -> None:
    """Where both sides came to the same, there is nothing to tell."""
    here, there = (went_on((), "rate", Change({}, {"rating": "Bad"}), at=at) for at in (1, 2))
    merge = merge_streams(here, there)
    assert merge.fork is None
    assert acts((*here, *merge.events)) == acts(here) | acts(there)


def test_time_alone_is_no_fork() -> None:
    """Somebody who only read on one side loses nothing to the other, and their seconds count."""
    known = deed((), 0, at=1)
    here, there = deed(known, 8, at=7), deed(known, 6, at=2)
    merge = merge_streams(here, there)
    after = replay((*here, *merge.events))
    assert merge.fork is None
    assert after.assignment["rating"] == "Bad"
    assert after.seconds == 3.0


def test_a_number_that_is_taken_gives_way() -> None:
    """Copies carry the number that the annotation has here, and come only once."""
    there = went_on((), "add", Change({"a": payload("a", number=7)}), at=1)
    there = went_on(there, "edit", Change({"a": payload("a", "more", number=7)}), at=2)

    def own(payload: Payload) -> Payload:
        return {**payload, "number": 12}

    merge = merge_streams((), there, own=own)
    assert replay(merge.events).annotations["a"]["number"] == 12
    assert merge_streams(merge.events, there, own=own).events == ()


def test_undo_does_not_reach_behind_a_join() -> None:
    """What was brought together is not taken apart by one key."""
    known = deed((), 0, at=1)
    here, there = deed(known, 6, at=5), deed(known, 7, at=4)
    joined = (*here, *merge_streams(here, there).events)
    deeds = [LoggedAction(e.id, e.action.verb, e.action.undoes, e.stream) for e in reversed(joined)]
    assert joined[-1].action.verb == JOIN
    assert find_undo_target(deeds) is None


def test_an_undo_of_the_other_side_still_names_what_it_took_back() -> None:
    """Copies of a deed and of its undo point at one another."""
    there = deed((), 6, at=3)
    inverse = there[0].action.inverse(there[0].id)
    event = replace(there[0], id="undo", action=inverse, at="2026-01-01T00:00:01.000000Z")
    there = (*there, chain_event(event, seq=2, prev=there[0].hash))
    here = deed((), 0, at=1)
    joined = (*here, *merge_streams(here, there).events)
    copies = [each for each in joined if each.action.verb in {"rate", "undo"}]
    assert copies[1].action.undoes == copies[0].id != there[0].id


def copy_of(told: tuple[Event, ...]) -> StreamCopy:
    """A copy as it comes from elsewhere."""
    return StreamCopy("p", KEY, "texts", told)


def altered(told: tuple[Event, ...], **values: object) -> tuple[Event, ...]:
    """A chain whose last event says something else, with hashes that fit."""
    last = replace(told[-1], **values)  # type: ignore[arg-type]
    return (*told[:-1], chain_event(last, seq=last.seq, prev=last.prev))


def _answering(name: str, answer: dict[str, object]) -> PendingEvent:
    return PendingEvent("refuse", Change({}, {}, {name: None}), Change({}, {}, {name: answer}))


def test_what_was_made_here_is_sound() -> None:
    """A stream as people make it passes."""
    report = deed(deed(deed((), 0, at=1), 6, at=2), 9, at=3)
    assert find_chain_problem(copy_of(report)) == ""


@pytest.mark.parametrize(
    "values",
    [
        {"at": "\x1b[31mnow"},
        {"seconds": float("nan")},
        {"seconds": -1.0},
        {"person": "q"},
        {"action": PendingEvent("zap", Change(), Change())},
        {"action": PendingEvent("rate", Change(), Change({}, {"state": "x"}))},
        {"action": PendingEvent("add", Change(), Change({"b": {"id": "c"}}))},
        {"action": PendingEvent("add", Change(), Change({"b": {"id": "b", "claim": 3}}))},
        {"action": _answering("s", {"answer": "so"})},
        {"action": _answering("", refusal("no"))},
        {"action": _answering("s", refusal("\ud800"))},
    ],
)
def test_what_nobody_makes_is_refused(values: dict[str, object]) -> None:
    """A chain of sound hashes around nonsense is still nonsense."""
    assert find_chain_problem(copy_of(deed((), 0, at=1))) == ""
    assert find_chain_problem(copy_of(altered(deed((), 0, at=1), **values)))


def test_a_chain_that_was_cut_or_altered_is_refused() -> None:
    """No event may be missing before another, and none be changed."""
    report = deed(deed((), 0, at=1), 6, at=2)
    missing = find_chain_problem(copy_of(report[1:]))
    assert "1" in missing
    altered_copy = find_chain_problem(
        copy_of((report[0], replace(report[1], at="2026-01-01T00:00:09Z")))
    )
    assert altered_copy
    assert altered_copy != missing


def test_an_empty_stream_takes_all() -> None:
    """Where nothing was done yet, the other copy is the stream."""
    there = deed((), 0, at=1)
    assert merge_streams((), there).events == there
    assert merge_streams(there, ()).events == ()
    assert replay(()) == StreamState()


def test_answers_are_told_in_words() -> None:
    """How many of which kind; nothing of them where there are none."""
    report = describe_state(replay(deed(deed(deed((), 0, at=1), 9, at=2), 10, at=3)))
    assert report == "new, 1 annotation (Fine), suggestions: 2 refused"
    assert describe_state(StreamState()) == "new, 0 annotations"
