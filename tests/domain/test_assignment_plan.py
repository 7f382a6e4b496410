"""Sharing: nobody twice on a sample, overlap as asked or told, even loads, the same each time."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.domain.assignment_plan import (
    Allocation,
    AllocationItem,
    Assignee,
    AssignmentOptions,
    AssignmentOrder,
    AssignmentPlan,
    distribute,
    draw_second_readings,
    order_items,
    plan_assignment,
    plan_top_up,
    share_size,
)
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.samples import SampleKey

PEOPLE = ["ana", "ben", "li", "kim", "zoe"]

wishes = st.builds(
    AssignmentOptions,
    st.sampled_from(["all", "50%", "3", "1"]),
    st.integers(1, 3),
    st.sampled_from(AssignmentOrder),
    st.booleans(),
    st.sampled_from("12"),
)


@st.composite
def rooms(draw: st.DrawFn, *, fresh: bool = False) -> tuple[list[AllocationItem], list[Assignee]]:
    """Some samples over few sources, some people, and what they have already."""
    count = draw(st.integers(0, 24))
    people = PEOPLE[: draw(st.integers(1, len(PEOPLE)))]
    keys = [SampleKey("d", str(number)) for number in range(count)]
    has = {
        person: frozenset()
        if fresh or not keys
        else draw(st.frozensets(st.sampled_from(keys), max_size=6))
        for person in people
    }
    held = Counter(key for own in has.values() for key in own)
    scores = st.one_of(st.none(), st.floats(-5, 5))
    items = [
        AllocationItem(key, at, draw(st.sampled_from("abc")), 9, draw(scores), held[key])
        for at, key in enumerate(keys)
    ]
    takers = [Assignee(person, has[person], draw(st.integers(0, 5))) for person in people]
    return items, takers


def loads(outcome: AssignmentPlan) -> list[int]:
    """How many samples each person got."""
    return [len(own) for own in outcome.given.values()]


@given(rooms(), wishes)
def test_nobody_gets_a_sample_twice_or_one_that_they_have(
    room: tuple[list[AllocationItem], list[Assignee]], wish: AssignmentOptions
) -> None:
    """Whatever is asked for."""
    items, takers = room
    for outcome in (plan_assignment(items, takers, wish), plan_top_up(items, takers, wish, to=4)):
        for taker in takers:
            got = [item.key for item in outcome.given[taker.person]]
            assert len(got) == len(set(got))
            assert not set(got) & set(taker.has)


@given(rooms(), wishes)
def test_the_overlap_is_exact_or_what_lacks_is_told(
    room: tuple[list[AllocationItem], list[Assignee]], wish: AssignmentOptions
) -> None:
    """Every sample that was picked has as many people as asked, but for the places told."""
    items, takers = room
    outcome = plan_assignment(items, takers, wish)
    got = Counter(item.key for own in outcome.given.values() for item in own)
    lacking = [item for item in order_items(items, wish) if item.held < wish.overlap]
    picked = lacking[: share_size(wish.count, len(items))]
    assert set(got) <= {item.key for item in picked}
    after = [item.held + got[item.key] for item in picked]
    assert all(people <= wish.overlap for people in after)
    assert outcome.short == sum(wish.overlap - people for people in after)
    for item in picked:
        free = sum(item.key not in taker.has for taker in takers)
        assert got[item.key] == min(wish.overlap - item.held, free)


@given(rooms(fresh=True), wishes)
def test_loads_differ_by_one_at_most(
    room: tuple[list[AllocationItem], list[Assignee]], wish: AssignmentOptions
) -> None:
    """Where nobody has anything yet."""
    counts = loads(plan_assignment(*room, wish))
    assert max(counts) - min(counts) <= 1


@given(rooms(), wishes)
def test_no_single_sample_passed_on_would_make_it_more_even(
    room: tuple[list[AllocationItem], list[Assignee]], wish: AssignmentOptions
) -> None:
    """Where people have some already, loads are as even as that allows."""
    items, takers = room
    given_to = plan_assignment(items, takers, wish).given
    has = {taker.person: set(taker.has) for taker in takers}
    for own in given_to.values():
        for taker, other in given_to.items():
            if len(own) - len(other) >= 2:
                others = {item.key for item in other} | has[taker]
                assert all(item.key in others for item in own)


def test_evenness_goes_over_a_third_person() -> None:
    """What one can not give to the other goes round by somebody else."""
    items = [AllocationItem(SampleKey("d", str(at)), at) for at in range(4)]
    taken = frozenset(item.key for item in items[:3])
    hands = Allocation([Assignee("ana"), Assignee("ben", taken), Assignee("li")])
    for item in items[:3]:
        assert hands.take(item, ["ben", "ana"], count=1) == 1
    assert hands.take(items[3], ["li"], count=1) == 1
    hands.level()
    assert sorted(len(own) for own in hands.given.values()) == [1, 1, 2]
    assert items[3].key in hands.given["ben"]


@given(rooms(), wishes, st.randoms(use_true_random=False))
def test_the_same_seed_gives_the_same(
    room: tuple[list[AllocationItem], list[Assignee]], wish: AssignmentOptions, draw: object
) -> None:
    """Also when people and samples are named in another order."""
    items, takers = room
    shuffled, others = items[:], takers[:]
    draw.shuffle(shuffled)  # type: ignore[attr-defined]
    draw.shuffle(others)  # type: ignore[attr-defined]
    assert plan_assignment(items, takers, wish) == plan_assignment(shuffled, others, wish)
    assert plan_top_up(items, takers, wish, to=3) == plan_top_up(shuffled, others, wish, to=3)


def test_another_seed_gives_another_order_and_each_person_their_own() -> None:
    """With the order `random`."""
    items = [AllocationItem(SampleKey("d", str(at)), at) for at in range(20)]
    takers = [Assignee("ana"), Assignee("ben")]
    wish = AssignmentOptions(overlap=2, order=AssignmentOrder.RANDOM)
    first, second = (
        plan_assignment(items, takers, replace(wish, seed=seed)).given for seed in "12"
    )
    assert first["ana"] != second["ana"]
    assert first["ana"] != first["ben"]
    assert set(first["ana"]) == set(first["ben"]) == set(items)


def test_a_source_stays_with_the_same_person() -> None:
    """Two people, four sources of five summaries: two sources each, one after the other."""
    items = [AllocationItem(SampleKey("d", str(at)), at, "abcd"[at % 4]) for at in range(20)]
    outcome = plan_assignment(items, [Assignee("ana"), Assignee("ben")], AssignmentOptions())
    for own in outcome.given.values():
        sources = [item.source for item in own]
        assert sources == sorted(sources)
        assert len(set(sources)) == 2


@given(rooms(), st.booleans())
def test_by_score_the_samples_without_one_come_last(
    room: tuple[list[AllocationItem], list[Assignee]], descending: bool
) -> None:
    """Up or down."""
    items, _ = room
    found = [
        item.score
        for item in order_items(
            items, AssignmentOptions(order=AssignmentOrder.SCORE, descending=descending)
        )
    ]
    scores = [score for score in found if score is not None]
    assert scores == sorted(scores, reverse=descending)
    assert found[len(scores) :] == [None] * (len(found) - len(scores))


@given(rooms(), wishes, st.integers(0, 6))
def test_a_top_up_brings_each_to_the_number_or_tells_what_lacks(
    room: tuple[list[AllocationItem], list[Assignee]], wish: AssignmentOptions, to: int
) -> None:
    """And never gives a sample to more people than the overlap says."""
    items, takers = room
    outcome = plan_top_up(items, takers, wish, to=to)
    lacks = sum(max(to - taker.open - len(outcome.given[taker.person]), 0) for taker in takers)
    assert outcome.short == lacks
    assert all(len(outcome.given[each.person]) <= max(to - each.open, 0) for each in takers)
    got = Counter(item.key for own in outcome.given.values() for item in own)
    for item in items:
        assert got[item.key] <= max(wish.overlap - item.held, 0)


def test_who_lacks_most_is_brought_up_first() -> None:
    """Where there is too little for all; whoever comes first by name, that does not help them."""
    items = [AllocationItem(SampleKey("d", str(at)), at) for at in range(3)]
    outcome = plan_top_up(
        items, [Assignee("ana", open=2), Assignee("ben", open=1)], AssignmentOptions(), to=4
    )
    assert outcome == AssignmentPlan({"ana": (), "ben": tuple(items)}, 2)


@given(rooms(), st.sampled_from(["1", "2"]))
def test_a_second_reading_is_drawn_from_ones_own(
    room: tuple[list[AllocationItem], list[Assignee]], seed: str
) -> None:
    """As many as asked, none twice, the same each time."""
    items, _ = room
    wish = AssignmentOptions("50%", seed=seed)
    drawn = draw_second_readings(items, wish, person="ana")
    assert len(set(drawn)) == len(drawn) == share_size("50%", len(items))
    assert set(drawn) <= set(items)
    assert drawn == draw_second_readings(items[::-1], wish, person="ana")


def test_passing_on_needs_one_person_a_sample() -> None:
    """Work of somebody absent goes to those who do not have it."""
    items = [AllocationItem(SampleKey("d", str(at)), at) for at in range(4)]
    need = {item.key: 1 for item in items}
    takers = [Assignee("ana", frozenset([items[0].key])), Assignee("ben")]
    outcome = distribute(items, takers, need=need, together=False, seed="1")
    assert sorted(loads(outcome)) == [2, 2]
    assert items[0] in outcome.given["ben"]
    assert distribute(items, [], need=need, together=False, seed="1") == AssignmentPlan({}, 4)


@pytest.mark.parametrize(
    ("share", "total", "found"),
    [
        ("all", 7, 7), ("3", 7, 3), ("9", 7, 7), ("30%", 10, 3), ("1%", 10, 1), ("12.5%", 8, 1),
        ("29%", 5, 1), ("30%", 5, 2),
    ],
)  # fmt: skip
def test_a_share_is_a_number_a_part_or_all(share: str, total: int, found: int) -> None:
    """Never more than there is; a part is rounded, half of one up, and never nothing."""
    assert share_size(share, total) == found


@pytest.mark.parametrize("share", ["", "0", "0%", "-3", "1.5", "101%", "half", "٣"])
def test_other_shares_are_refused(share: str) -> None:
    """As misuse."""
    with pytest.raises(InvalidInput):
        AssignmentOptions(share)


def test_an_overlap_is_at_least_one() -> None:
    """None makes no sense."""
    with pytest.raises(InvalidInput):
        AssignmentOptions(overlap=0)
