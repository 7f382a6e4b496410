"""Review: what several people said is settled, told apart from what they did, and taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.effort import example_limit
from tests.helpers.errors import has_code
from tests.helpers.folder_cache import build_once
from tests.helpers.stores import LABELS, annotate, claim, fill, new_database
from tui_annotate.domain.adjudication import RejectionReason, ReviewAction
from tui_annotate.domain.annotations import ADJUDICATED, REJECTED, Anchor, Annotation
from tui_annotate.domain.assignment_plan import AssignmentOptions
from tui_annotate.domain.assignment_rules import DisagreementRule, Escalation, Pool
from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import Conflict, InvalidInput, NotAllowed, NotFound, NotReady
from tui_annotate.domain.history import ALLOW, replay
from tui_annotate.domain.people import (
    OPERATOR,
    SETTLED,
    Actor,
    Person,
    PersonKind,
    Role,
    second_reader,
)
from tui_annotate.domain.records import OwnedAnnotation, RecordFilter
from tui_annotate.domain.samples import SampleKey, Side
from tui_annotate.domain.spans import Span
from tui_annotate.domain.stream_merge import StreamCopy
from tui_annotate.domain.stream_validation import find_chain_problem
from tui_annotate.methods.adjudication import CandidateGroup, DifferenceKind, GroupStatus
from tui_annotate.services.annotate import AnnotationService
from tui_annotate.services.assignments import AssignmentService
from tui_annotate.services.review import ReviewResult, ReviewSample, ReviewService
from tui_annotate.services.review.review_sample import ReviewRefusal, assign_letters
from tui_annotate.storage.assignments.store import AssignmentStore
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.integrity import inspect_store
from tui_annotate.storage.labels.store import GuidanceKind, GuidanceStore
from tui_annotate.storage.log.annotation_store import AnnotationStore
from tui_annotate.storage.people.store import PeopleStore
from tui_annotate.storage.scores.store import ScoreStore
from tui_annotate.storage.sqlite_database import SqliteDatabase

SPLIT = "- Good\n- Better\n"
EVIDENCE = (Anchor(Side.SOURCE, 0, Span(27, 53)),)


NAMES = ("ana", "ben", "li", "rev")


@dataclass
class Team:
    """Three annotators and a reviewer on one store, with three samples."""

    database: SqliteDatabase
    annotating: AnnotationService
    keys: list[SampleKey]
    reviewer: str
    people: dict[str, str]

    def review(self, *, actor: Actor = OPERATOR, own_allowed: bool = False) -> ReviewService:
        """The service, as somebody has it."""
        annotating = self.annotating
        stores = (annotating.corpus, annotating.store, annotating.people, annotating.guidance)
        return ReviewService(*stores, actor, own_allowed)

    def bound(self, actor: Actor) -> ReviewService:
        """The service over stores that know who acts, as a workspace with accounts has it."""
        database = self.database
        stores = (
            CorpusStore(database, actor=actor),
            AnnotationStore(database, actor=actor),
            PeopleStore(database, actor=actor),
            GuidanceStore(database),
        )
        return ReviewService(*stores, actor)

    def says(self, name: str, *annotations: Annotation, sample: int = 0) -> None:
        """One of them marks these, and is done."""
        who, key = self.people[name], self.keys[sample]
        for annotation in annotations:
            self.annotating.add(who, key, annotation, seconds=1)
        self.annotating.finish(who, key, seconds=1)

    def open(self, *, sample: int = 0) -> ReviewSample:
        """A sample on the reviewer's desk."""
        return self.review().open(self.reviewer, self.keys[sample])

    def state_is_what_the_log_tells(self) -> None:
        """Replaying every stream gives its state."""
        for person, key in self.annotating.store.streams():
            report = replay(self.annotating.store.events(person, key))
            assert report.same(self.annotating.store.state(person, key))


@pytest.fixture
def team(tmp_path: Path) -> Iterator[Team]:
    """Nobody has done anything yet."""

    def build(folder: Path) -> None:
        with closing(new_database(folder)) as database:
            annotating = annotate(database)
            fill(annotating.corpus, "1", "2", "3")
            for name in NAMES:
                annotating.people.local(name)

    build_once(tmp_path, "review", build)
    database = SqliteDatabase.open(tmp_path / "store.sqlite")
    annotating = annotate(database, labels="")
    keys = annotating.corpus.keys()
    names = {name: annotating.people.local(name).id for name in NAMES}
    yield Team(database, annotating, list(keys), names.pop("rev"), names)
    database.close()


@pytest.fixture
def candidates(team: Team) -> Team:
    """One agreed by all, one with two labels, one that only one marked."""
    for name, label in (("ana", "Fine"), ("ben", "Fine"), ("li", "Alone")):
        own = [
            claim(f"{name}-1", 0, 10, note=name),
            claim(f"{name}-2", 16, 33, label=label),
        ]
        if name == "li":
            own.append(replace(claim("li-3", 38, 47), evidence=EVIDENCE))
        team.says(name, *own)
    return team


def of(open_sample: ReviewSample, source: str) -> CandidateGroup:
    """The group that an annotation is in."""
    return next(group for group in open_sample.groups if source in group.sources)


def made(judged: ReviewResult | ReviewSample, origin: str = ADJUDICATED) -> list[Annotation]:
    """What was settled, of one origin."""
    return [one for one in judged.settled if one.origin == origin]


def hows(annotations: Sequence[Annotation]) -> list[ReviewAction]:
    """How each of them came to be."""
    return [one.settled.how for one in annotations if one.settled]


# looking


def test_a_desk_shows_all_who_are_done_without_their_names(candidates: Team) -> None:
    """Letters stand for people, and nothing on the desk tells who they are."""
    open_sample = candidates.open()
    assert [layer.letter for layer in open_sample.layers] == ["A", "B", "C"]
    assert sorted(len(layer.annotations) for layer in open_sample.layers) == [2, 2, 3]
    assert [group.status for group in open_sample.groups] == [
        GroupStatus.AGREED,
        GroupStatus.CONFLICT,
        GroupStatus.CONFLICT,
    ]
    report = repr(open_sample.groups) + repr(open_sample.assignment)
    for layer in open_sample.layers:
        report += repr(replace(layer, annotations=()))
    for name, who in candidates.people.items():
        assert who not in report
        assert f"'{name}'" not in report.replace(f"note='{name}'", "")
    names = candidates.review().names(candidates.reviewer, candidates.keys[0])
    assert sorted(names.values()) == ["ana", "ben", "li"]
    letter = next(letter for letter, name in names.items() if name == "li")
    (layer,) = [layer for layer in open_sample.layers if layer.letter == letter]
    assert {one.id for one in layer.annotations} == {"li-1", "li-2", "li-3"}


def test_an_unknown_argument_is_no_silence(candidates: Team) -> None:
    """An action takes `seen` and `seconds`, and refuses what it does not know."""
    opened = candidates.open()
    who, unknown = candidates.reviewer, {"bogus": 1}
    with pytest.raises(TypeError, match="'bogus'"):
        candidates.review().comment(
            who,
            opened.sample.key,
            "x",
            seen=opened.seen,
            seconds=1,
            **unknown,
        )


def test_letters_do_not_tell_the_order_of_completion(team: Team) -> None:
    """Over many samples, each letter stands for the first, the second and the third person."""
    keys = fill(team.annotating.corpus, *(f"x{number}" for number in range(30)))
    people = ("ana", "ben", "li")
    found = {letter: set[str]() for letter in "ABC"}
    for key in keys:
        before: dict[str, str] = {}
        for name in people:
            team.annotating.finish(team.people[name], key, seconds=1)
            names = team.review().names(team.reviewer, key)
            assert before.items() <= names.items()
            before = names
        for letter, name in before.items():
            found[letter].add(name)
    assert found == {letter: set(people) for letter in "ABC"}


def test_each_further_three_people_have_the_next_three_letters() -> None:
    people = [f"p{number}" for number in range(7)]
    orders = set()
    for number in range(20):
        letters = assign_letters(SampleKey("news", str(number)), people, others=["other"])
        assert set(list(letters.values())[:3]) == set(people[:3])
        assert set(list(letters)[:6]) == set("ABCDEF")
        assert list(letters)[6] in "GHI"
        assert letters["J"] == "other"
        orders.add(tuple(list(letters.values())[3:6]))
    assert len(orders) > 3
    assert assign_letters(SampleKey("news", "1"), [], others=["other"]) == {"A": "other"}


def test_who_is_not_done_is_not_on_the_desk(candidates: Team) -> None:
    """Nor a second reading; work that is taken up again leaves it."""
    candidates.annotating.remove(
        candidates.people["li"], candidates.keys[0], "li-3", version=1, seconds=1
    )  # reopens it
    second = second_reader(Person(candidates.people["ana"], "ana"))
    candidates.annotating.people.keep(second)
    candidates.annotating.add(second.id, candidates.keys[0], claim("again", 0, 5), seconds=1)
    candidates.annotating.finish(second.id, candidates.keys[0], seconds=1)
    assert len(candidates.open().layers) == 2


def test_opening_writes_nothing(candidates: Team) -> None:
    """Neither an event nor a person."""
    before = list(candidates.annotating.store.streams())
    candidates.open()
    assert list(candidates.annotating.store.streams()) == before
    assert SETTLED not in {person.id for person in candidates.annotating.people.all()}


# settling


def test_all_ways_of_settling(candidates: Team) -> None:
    """Taken, refused with its reason, own; what all agree on is taken with the end."""
    review, who, key = candidates.review(), candidates.reviewer, candidates.keys[0]
    open_sample = candidates.open()
    pair = of(open_sample, "ana-2")
    assert [rival.sources for rival in pair.proposal] == [("ana-2", "ben-2")]
    judged = review.take(
        who, key, [rival.sources for rival in pair.proposal], seen=open_sample.seen, seconds=2
    )
    judged = review.reject(
        who, key, [("li-3",)], reason=RejectionReason.SLIP, seen=judged.seen, seconds=2
    )
    own = claim("own", 34, 37, note="look")
    judged = review.own(who, key, own, seen=judged.seen, seconds=2)
    judged = review.finish(who, key, seen=judged.seen, seconds=2)

    assert judged.assignment.state is State.DONE
    assert hows(made(judged)) == [ReviewAction.TAKEN, ReviewAction.TAKEN, ReviewAction.OWN]
    agreed, taken, mine = made(judged)
    assert agreed.settled
    assert agreed.settled.sources == ("ana-1", "ben-1", "li-1")
    assert taken.settled
    assert (taken.settled.by, taken.settled.sources) == (who, ("ana-2", "ben-2"))
    assert (mine.id, mine.note) == ("own", "look")
    (refused,) = made(judged, REJECTED)
    assert refused.settled
    assert (refused.settled.reason, refused.settled.sources) == (RejectionReason.SLIP, ("li-3",))
    assert (refused.claim, refused.evidence) == (claim("x", 38, 47).claim, EVIDENCE)
    assert judged.assignment.seconds == 8
    candidates.state_is_what_the_log_tells()


def test_what_people_did_stays_as_it_was(candidates: Team) -> None:
    """To the byte, whatever review does."""
    store, key = candidates.annotating.store, candidates.keys[0]
    before = {who: store.stream(who, key) for who in candidates.people.values()}
    review, who = candidates.review(), candidates.reviewer
    seen = candidates.open().seen
    seen = review.reject(
        who, key, [("li-2",)], reason=RejectionReason.GUIDELINE, seen=seen, seconds=1
    ).seen
    review.finish(who, key, rest=RejectionReason.AMBIGUOUS, seen=seen, seconds=1)
    assert {who: store.stream(who, key) for who in candidates.people.values()} == before


def test_each_event_says_who_did_it_and_under_which_rules(candidates: Team) -> None:
    """The stream is nobody's, its events are the reviewer's."""
    review, key = candidates.review(), candidates.keys[0]
    review.finish(
        candidates.reviewer, key, rest=RejectionReason.SLIP, seen=candidates.open().seen, seconds=1
    )
    (event,) = candidates.annotating.store.events(SETTLED, key)
    assert event.versions["by"] == candidates.reviewer
    assert event.versions["labels"] == candidates.annotating.labels().version
    nobody = next(one for one in candidates.annotating.people.all() if one.id == SETTLED)
    assert nobody.kind is PersonKind.SETTLED


def test_merging(team: Team) -> None:
    """All words and all evidence of both, under the label of one; what was made of either goes."""
    source = (Anchor(Side.SOURCE, 0, Span(0, 10)),)
    team.says("ana", replace(claim("a", 0, 10, note="one"), evidence=source))
    team.says("ben", replace(claim("b", 4, 15, label="Odd", note="two"), evidence=EVIDENCE))
    review, who, key = team.review(), team.reviewer, team.keys[0]
    judged = review.take(who, key, [("a",)], seen=team.open().seen, seconds=1)
    judged = review.merge(
        who, key, [("a",), ("b",)], labels=(("Odd",),), seen=judged.seen, seconds=1
    )
    (merged,) = made(judged)
    assert merged.claim == claim("x", 0, 15).claim
    assert merged.evidence == source + EVIDENCE
    assert (merged.labels, merged.note) == ((("Odd",),), "one / two")
    assert merged.settled
    assert (merged.settled.how, merged.settled.sources) == (ReviewAction.MERGED, ("a", "b"))
    (decision,) = review.decisions(find_name=str)
    assert decision.annotators == (team.people["ben"],)  # ana chose another label
    with pytest.raises(InvalidInput, check=has_code("not-mergeable")):
        review.merge(who, key, [("a",), ("b",)], labels=(("Alone",),), seen=judged.seen, seconds=1)
    with pytest.raises(InvalidInput, check=has_code("not-mergeable")):
        review.merge(who, key, [("a",)], labels=(("Fine",),), seen=judged.seen, seconds=1)
    team.state_is_what_the_log_tells()


def test_a_merge_credits_whoever_had_its_labels_at_that_time(team: Team) -> None:
    """Deleting an annotation or changing its label afterwards gives and takes no credit."""
    team.says("ana", claim("a", 0, 10))
    team.says("ben", claim("b", 4, 15, label="Odd", note="n"))
    team.says("li", claim("c", 2, 12, label="Odd", note="n"))
    review, key = team.review(), team.keys[0]
    sources = [("a",), ("b",), ("c",)]
    labels = (("Odd",),)
    review.merge(team.reviewer, key, sources, labels=labels, seen=team.open().seen, seconds=1)

    def credited() -> set[str]:
        (decision,) = review.decisions(find_name=str)
        return {name for name, who in team.people.items() if who in decision.annotators}

    assert credited() == {"ben", "li"}
    annotating, people = team.annotating, team.people
    annotating.remove(people["ana"], key, "a", version=1, seconds=1)
    annotating.remove(people["ben"], key, "b", version=1, seconds=1)
    assert credited() == {"ben", "li"}
    for name in ("ana", "ben"):
        annotating.finish(people[name], key, seconds=1)
    assert credited() == {"ben", "li"}
    relabelled = claim("c", 2, 12, label="Fine")
    annotating.edit(people["li"], key, relabelled, seconds=1)
    assert credited() == {"ben", "li"}
    review.undo(team.reviewer)
    review.redo(team.reviewer)
    assert credited() == {"ben", "li"}


def test_a_reviewer_can_name_a_label_by_text(candidates: Team) -> None:
    """The adjudicated annotation has the label's path; an unknown name is refused."""
    review, who, key = candidates.review(), candidates.reviewer, candidates.keys[0]
    names: Any = ["Fine"]
    given = replace(claim("made", 16, 30), labels=names)
    seen = candidates.open().seen
    judged = review.edit(who, key, given, sources=("li-2",), seen=seen, seconds=1)
    (one,) = made(judged)
    assert one.labels == (("Fine",),)
    names = ["Fime"]
    with pytest.raises(InvalidInput, match="'Fime'"):
        review.edit(who, key, replace(one, labels=names), seen=judged.seen, seconds=1)


def test_editing(candidates: Team) -> None:
    """A rival with changes, then that with changes; the label's rules hold at once."""
    review, who, key = candidates.review(), candidates.reviewer, candidates.keys[0]
    first = claim("made", 16, 30, note="shorter")
    judged = review.edit(who, key, first, sources=("li-2",), seen=candidates.open().seen, seconds=1)
    (one,) = made(judged)
    assert one.settled
    assert (one.settled.how, one.settled.sources, one.version) == (
        ReviewAction.EDITED,
        ("li-2",),
        1,
    )
    again_ = replace(one, labels=(("Odd",),))
    judged = review.edit(who, key, again_, seen=judged.seen, seconds=1)
    (two,) = made(judged)
    assert (two.version, two.number, two.settled, two.labels) == (
        2, one.number, one.settled, (("Odd",),),
    )  # fmt: skip
    with pytest.raises(Conflict):
        review.edit(who, key, replace(two, labels=(("Wrong",),)), seen=judged.seen, seconds=1)
    with pytest.raises(InvalidInput, match="'Nope'"):
        review.edit(who, key, replace(two, labels=(("Nope",),)), seen=judged.seen, seconds=1)
    judged = review.remove(who, key, "made", seen=judged.seen, seconds=1)
    assert judged.settled == ()
    with pytest.raises(Conflict, match="made"):
        review.remove(who, key, "made", seen=judged.seen, seconds=1)
    candidates.state_is_what_the_log_tells()


def test_a_change_of_mind(candidates: Team) -> None:
    """What was taken can be refused, and what was refused taken; one of the two stands."""
    review, who, key = candidates.review(), candidates.reviewer, candidates.keys[0]
    judged = review.take(who, key, [("li-2",)], seen=candidates.open().seen, seconds=1)
    judged = review.reject(who, key, [("li-2",)], note="no", seen=judged.seen, seconds=1)
    assert (made(judged), len(made(judged, REJECTED))) == ([], 1)
    judged = review.take(who, key, [("li-2",)], seen=judged.seen, seconds=1)
    assert (hows(made(judged)), made(judged, REJECTED)) == ([ReviewAction.TAKEN], [])
    with pytest.raises(Conflict):
        review.take(who, key, [("li-2",)], seen=judged.seen, seconds=1)
    with pytest.raises(Conflict, match="'Alone'"):
        review.take(who, key, [("ana-2", "ben-2")], seen=judged.seen, seconds=1)
    with pytest.raises(InvalidInput, check=has_code("reason-missing")):
        review.reject(who, key, [("li-2",)], note=" ", seen=judged.seen, seconds=1)
    with pytest.raises(Conflict, match="ana-2"):
        review.take(who, key, [("ana-2",)], seen=judged.seen, seconds=1)
    with pytest.raises(Conflict):
        review.take(who, key, [], seen=judged.seen, seconds=1)
    candidates.state_is_what_the_log_tells()


def test_open_places_hold_the_end_back(candidates: Team) -> None:
    """Unless it is said why nothing of them is taken; each is then refused with that reason."""
    review, who, key = candidates.review(), candidates.reviewer, candidates.keys[0]
    open_sample = candidates.open()
    with pytest.raises(Conflict, match="2"):
        review.finish(who, key, seen=open_sample.seen, seconds=1)
    judged = review.finish(
        who, key, rest=RejectionReason.AMBIGUOUS, seen=open_sample.seen, seconds=1
    )
    assert hows(made(judged)) == [ReviewAction.TAKEN]
    report = {
        one.settled.sources: one.settled.reason for one in made(judged, REJECTED) if one.settled
    }
    assert report == {
        ("ana-2", "ben-2"): RejectionReason.AMBIGUOUS,
        ("li-2",): RejectionReason.AMBIGUOUS,
        ("li-3",): RejectionReason.AMBIGUOUS,
    }


def test_nothing_is_wrong_here(team: Team) -> None:
    """A sample in which nobody marked anything is settled with nothing found."""
    team.says("ana")
    team.says("ben")
    judged = team.review().finish(team.reviewer, team.keys[0], seen=team.open().seen, seconds=1)
    assert (judged.assignment.state, judged.settled) == (State.DONE, ())


def test_reopening(candidates: Team) -> None:
    """A settled sample is open again, with all that was settled."""
    review, who, key = candidates.review(), candidates.reviewer, candidates.keys[0]
    seen = candidates.open().seen
    with pytest.raises(Conflict):
        review.reopen(who, key, seen=seen, seconds=1)
    done = review.finish(who, key, rest=RejectionReason.SLIP, seen=seen, seconds=1)
    opened = review.reopen(who, key, seen=done.seen, seconds=1)
    assert opened.assignment.state is State.REOPENED
    assert opened.settled == done.settled
    assert [row.settled for row in review.queue(who)] == [False]


# undo


def test_nothing_is_settled_under_a_label_that_was_split(candidates: Team) -> None:
    """Neither taken nor finished; an edit that chooses a part of it is."""
    review, who, key = candidates.review(), candidates.reviewer, candidates.keys[0]
    seen = review.take(who, key, [("ana-2", "ben-2")], seen=candidates.open().seen, seconds=1).seen
    candidates.annotating.guidance.keep(
        GuidanceKind.LABELS,
        LABELS.replace("- Fine", "- {name: Fine, split: [Good, Better]}") + SPLIT,
    )
    seen = candidates.open().seen
    with pytest.raises(Conflict, match="Fine"):
        review.take(who, key, [("ana-1", "ben-1", "li-1")], seen=seen, seconds=1)
    with pytest.raises(Conflict, match="Fine"):
        review.finish(who, key, rest=RejectionReason.SLIP, seen=seen, seconds=1)
    (made,) = candidates.open().annotations
    judged = review.edit(who, key, replace(made, labels=(("Good",),)), seen=seen, seconds=1)
    assert [one.labels for one in judged.settled] == [(("Good",),)]


def test_a_deed_under_labels_that_changed_is_a_conflict(candidates: Team) -> None:
    """Also where the change touches nothing of the sample: its labels were seen otherwise."""
    review, who, key = candidates.review(), candidates.reviewer, candidates.keys[0]
    seen = candidates.open().seen
    candidates.annotating.guidance.keep(GuidanceKind.LABELS, f"{LABELS}- New\n")
    with pytest.raises(Conflict):
        review.take(who, key, [("li-2",)], seen=seen, seconds=1)
    open_sample = candidates.open()
    assert open_sample.labels.find(("New",)) is not None
    assert review.take(who, key, [("li-2",)], seen=open_sample.seen, seconds=1).verb == "take"


def test_another_colour_is_no_conflict(candidates: Team) -> None:
    """Every rival means the same; what is made names the set in force."""
    seen = candidates.open().seen
    colourful = LABELS.replace("- Fine", "- {name: Fine, color: red}")
    candidates.annotating.guidance.keep(GuidanceKind.LABELS, colourful)
    judged = candidates.review().take(
        candidates.reviewer, candidates.keys[0], [("li-2",)], seen=seen, seconds=1
    )
    open_sample = candidates.open()
    assert [one.label_set for one in judged.settled] == [open_sample.labels.version]
    assert judged.seen == open_sample.seen


STEPS: dict[str, Callable[[ReviewService, str, SampleKey, str], object]] = {
    "take": lambda review, who, key, seen: review.take(
        who, key, [("ana-2", "ben-2")], seen=seen, seconds=1
    ),
    "take other": lambda review, who, key, seen: review.take(
        who, key, [("li-3",)], seen=seen, seconds=1
    ),
    "merge": lambda review, who, key, seen: review.merge(
        who, key, [("ana-2", "ben-2"), ("li-2",)], labels=(("Fine",),), seen=seen, seconds=1
    ),
    "edit": lambda review, who, key, seen: review.edit(
        who, key, claim(f"e{seen}", 16, 20), sources=("li-2",), seen=seen, seconds=1
    ),
    "own": lambda review, who, key, seen: review.own(
        who, key, claim(f"o{seen}", 34, 37), seen=seen, seconds=1
    ),
    "reject": lambda review, who, key, seen: review.reject(
        who, key, [("li-2",), ("li-3",)], reason=RejectionReason.SLIP, seen=seen, seconds=1
    ),
    "finish": lambda review, who, key, seen: review.finish(
        who, key, rest=RejectionReason.AMBIGUOUS, seen=seen, seconds=1
    ),
    "reopen": lambda review, who, key, seen: review.reopen(who, key, seen=seen, seconds=1),
    "undo": lambda review, who, _key, _seen: review.undo(who),
    "redo": lambda review, who, _key, _seen: review.redo(who),
}


@settings(
    max_examples=example_limit(25),
)
@given(st.lists(st.sampled_from(sorted(STEPS)), max_size=10))
def test_whatever_is_done_the_log_tells_it(candidates: Team, steps: list[str]) -> None:
    """After any actions, also refused ones, replaying gives the state; undoing all gives none."""
    review, who, key = candidates.review(), candidates.reviewer, candidates.keys[0]
    for step in steps:
        with suppress(Conflict):
            STEPS[step](review, who, key, candidates.open().seen)
    candidates.state_is_what_the_log_tells()
    while review.undo(who):
        pass
    assert candidates.open().settled == ()
    candidates.state_is_what_the_log_tells()


def test_undo_and_redo_take_back_one_by_one(candidates: Team) -> None:
    """Down to nothing and up again, with the state that the log tells at each step."""
    review, who, key = candidates.review(), candidates.reviewer, candidates.keys[0]
    store = candidates.annotating.store
    states = [store.state(SETTLED, key).annotations]
    seen = candidates.open().seen
    steps: list[Callable[[str], ReviewResult]] = [
        lambda seen: review.take(who, key, [("ana-2", "ben-2")], seen=seen, seconds=1),
        lambda seen: review.reject(
            who, key, [("li-3",)], reason=RejectionReason.SLIP, seen=seen, seconds=1
        ),
        lambda seen: review.finish(who, key, seen=seen, seconds=1),
    ]
    for deed in steps:
        seen = deed(seen).seen
        states.append(store.state(SETTLED, key).annotations)
    for wanted in reversed(states[:-1]):
        done = review.undo(who)
        assert done
        assert store.state(SETTLED, key).annotations == wanted
        candidates.state_is_what_the_log_tells()
    assert review.undo(who) is None
    assert store.state(SETTLED, key).assignment["state"] == State.NEW
    for wanted in states[1:]:
        assert review.redo(who)
        assert store.state(SETTLED, key).annotations == wanted
    assert review.redo(who) is None
    assert store.state(SETTLED, key).assignment["state"] == State.DONE
    candidates.state_is_what_the_log_tells()


def test_everybody_undoes_what_they_did_themselves(candidates: Team) -> None:
    """Two reviewers at two samples do not undo each other's actions."""
    candidates.says("ana", sample=1)
    candidates.says("ben", sample=1)
    review, who = candidates.review(), candidates.reviewer
    other = candidates.annotating.people.local("other").id
    review.finish(
        who, candidates.keys[0], rest=RejectionReason.SLIP, seen=candidates.open().seen, seconds=1
    )
    review.finish(other, candidates.keys[1], seen=candidates.open(sample=1).seen, seconds=1)
    done = review.undo(who)
    assert done
    assert done.stream.key == candidates.keys[0]
    assert review.undo(who) is None
    assert [row.settled for row in review.queue(who)] == [False, True]
    assert review.redo(other) is None


def test_what_was_taken_out_of_the_corpus_is_beyond_undo(candidates: Team) -> None:
    """Settled work goes with its dataset; the log still tells it, and replays."""
    review, who, key = candidates.review(), candidates.reviewer, candidates.keys[0]
    review.finish(who, key, rest=RejectionReason.SLIP, seen=candidates.open().seen, seconds=1)
    candidates.annotating.corpus.remove_dataset("d", delete_annotations=True)
    assert review.undo(who) is None
    assert review.queue(who) == []
    (_, *others) = candidates.annotating.store.events(SETTLED, key)
    assert [event.action.verb for event in others] == ["discard"]
    assert {each.state for each in inspect_store(candidates.database)} == {"ok"}


# two at once


def test_time_on_a_sample_makes_nothing_stale(candidates: Team) -> None:
    """Neither a reviewer's nor an annotator's who only looks."""
    review, who, key = candidates.review(), candidates.reviewer, candidates.keys[0]
    seen = candidates.open().seen
    review.read(who, key, seconds=9)
    candidates.annotating.read(candidates.people["ana"], key, seconds=9)
    assert review.take(who, key, [("li-2",)], seen=seen, seconds=1).assignment.seconds == 10


def test_a_stale_deed_is_refused(candidates: Team) -> None:
    """Whether another reviewer or an annotator was there since, nothing is overwritten."""
    review, who, key = candidates.review(), candidates.reviewer, candidates.keys[0]
    other = candidates.annotating.people.local("other").id
    seen = candidates.open().seen
    review.take(other, key, [("li-2",)], seen=seen, seconds=1)
    with pytest.raises(Conflict):
        review.reject(who, key, [("li-2",)], reason=RejectionReason.SLIP, seen=seen, seconds=1)
    seen = candidates.open().seen
    candidates.annotating.add(candidates.people["ana"], key, claim("late", 34, 37), seconds=1)
    with pytest.raises(Conflict):
        review.finish(who, key, rest=RejectionReason.SLIP, seen=seen, seconds=1)
    assert len(candidates.open().layers) == 2


# who may


def test_nobody_settles_what_they_annotated(candidates: Team) -> None:
    """Refused in words, unless the workspace allows it; also after a second reading alone."""
    ana, key = candidates.people["ana"], candidates.keys[0]
    open_sample = candidates.review().open(ana, key)
    assert open_sample.refused == ReviewRefusal.OWN_WORK
    with pytest.raises(NotAllowed):
        candidates.review().finish(
            ana, key, rest=RejectionReason.SLIP, seen=open_sample.seen, seconds=1
        )
    assert candidates.review().next(ana) is None
    allowed = candidates.review(own_allowed=True)
    assert allowed.next(ana) == key
    assert allowed.open(ana, key).refused == ""
    kim = candidates.annotating.people.local("kim")
    second = second_reader(kim)
    candidates.annotating.people.keep(second)
    assert candidates.review().open(kim.id, key).refused == ""
    candidates.annotating.finish(second.id, key, seconds=1)
    assert candidates.review().open(kim.id, key).refused == open_sample.refused
    allowed.finish(ana, key, rest=RejectionReason.SLIP, seen=open_sample.seen, seconds=1)


def test_a_sample_that_nobody_finished_is_not_settled(team: Team) -> None:
    """There is nothing to agree on yet."""
    open_sample = team.open()
    assert open_sample.refused == ReviewRefusal.NOT_DONE
    with pytest.raises(NotAllowed):
        team.review().finish(team.reviewer, team.keys[0], seen=open_sample.seen, seconds=1)


def test_annotators_never_reach_review(candidates: Team) -> None:
    """Not one of its reads or actions; and reviewers act in their own name alone."""
    key, who = candidates.keys[0], candidates.people["ana"]
    review = candidates.review(actor=Actor(who, Role.ANNOTATOR))
    with pytest.raises(NotAllowed):
        review.open(who, key)
    with pytest.raises(NotAllowed):
        review.names(who, key)
    with pytest.raises(NotAllowed):
        review.queue(who)
    with pytest.raises(NotAllowed):
        review.take(who, key, [("li-2",)], seen="", seconds=1)
    with pytest.raises(NotAllowed):
        review.read(who, key, seconds=1)
    with pytest.raises(NotAllowed):
        review.undo(who)
    with pytest.raises(NotAllowed):
        review.redo(who)


def test_reviewers_settle_in_their_own_name(candidates: Team) -> None:
    """Over stores that narrow what is seen to who acts; and in nobody else's."""
    key, who = candidates.keys[0], candidates.reviewer
    review = candidates.bound(Actor(who, Role.REVIEWER))
    assert [row.key for row in review.queue(who)] == [key]
    open_sample = review.open(who, key)
    assert len(open_sample.layers) == 3
    assert sorted(review.names(who, key).values()) == ["ana", "ben", "li"]
    judged = review.take(who, key, [("li-2",)], seen=open_sample.seen, seconds=1)
    review.finish(who, key, rest=RejectionReason.SLIP, seen=judged.seen, seconds=1)
    assert review.undo(who)
    assert review.redo(who)
    with pytest.raises(NotAllowed, match="in the name of another"):
        review.open(candidates.people["ana"], key)


# the queue


def test_the_queue_has_conflicts_first(candidates: Team) -> None:
    """A sample waits once two are done; the most conflicts first, what is settled last."""
    candidates.says("ana", claim("x", 0, 5), sample=1)
    assert [row.key for row in candidates.review().queue(candidates.reviewer)] == [
        candidates.keys[0]
    ]
    candidates.says("ben", claim("y", 0, 5), sample=1)
    candidates.says("ana", claim("v", 0, 5), sample=2)
    candidates.says("ben", claim("w", 0, 8), sample=2)
    review = candidates.review()
    rows = review.queue(candidates.reviewer)
    assert [row.key.id for row in rows] == ["1", "3", "2"]
    assert [(row.agreed, row.nearly_agreed, row.conflicts) for row in rows] == [
        (1, 0, 2), (0, 1, 0), (1, 0, 0),
    ]  # fmt: skip
    assert dict(rows[0].conflicts_by_kind) == {
        DifferenceKind.LABEL: 1,
        DifferenceKind.ONLY_SOME: 1,
        DifferenceKind.NOTE: 1,
    }
    assert [row.annotators for row in rows] == [3, 2, 2]
    first = candidates.keys[0]
    assert review.next(candidates.reviewer) == first
    assert review.neighbour(candidates.reviewer, first, 1) == candidates.keys[2]
    assert review.neighbour(candidates.reviewer, first, -1) is None
    review.finish(
        candidates.reviewer,
        first,
        rest=RejectionReason.SLIP,
        seen=candidates.open().seen,
        seconds=1,
    )
    assert [row.key.id for row in review.queue(candidates.reviewer)] == ["3", "2", "1"]
    open_sample = candidates.open(sample=1)
    assert (open_sample.position, open_sample.total, open_sample.finished) == (3, 3, 1)
    assert [candidates.open(sample=each).position for each in (0, 2, 1)] == [1, 2, 3]
    with pytest.raises(NotFound, match="'none'"):
        review.queue(candidates.reviewer, dataset="none")


def test_the_queue_follows_what_annotators_do(candidates: Team) -> None:
    """What was counted once is counted anew where anything changed."""
    review = candidates.review()
    assert review.queue(candidates.reviewer)[0].conflicts == 2
    li, key = candidates.people["li"], candidates.keys[0]
    candidates.annotating.remove(li, key, "li-3", version=1, seconds=1)
    candidates.annotating.finish(li, key, seconds=1)
    assert review.queue(candidates.reviewer)[0].conflicts == 1


def test_many_samples_are_counted_as_few_are(team: Team) -> None:
    """Read at one go or one by one, the figures are the same."""
    keys = fill(team.annotating.corpus, *(f"m{number}" for number in range(25)))
    for number, key in enumerate(keys):
        for name, end in (("ana", 10), ("ben", 10 + number % 2 * 3)):
            one = claim(f"{name}-{key.id}", 0, end, label="Fine", note=name)
            team.annotating.add(team.people[name], key, one, seconds=1)
            team.annotating.finish(team.people[name], key, seconds=1)
    review = team.review()
    many = review.queue(team.reviewer)
    assert len(many) == 25
    few = team.review()
    few._update_counts([one for one in team.annotating.store.candidates() if one.key in keys[:5]])
    for key in keys[:5]:
        assert few._counts_by_sample[key] == review._counts_by_sample[key]
    assert {row.nearly_agreed for row in many} == {0, 1}


def test_who_is_given_a_sample_alone_is_enough(team: Team) -> None:
    """Where one person was to annotate it and is done, it waits; practice never does."""
    ana = team.people["ana"]
    with team.database.writing() as connection:
        run = connection.exec_driver_sql
        run("INSERT INTO handouts VALUES (1, '', '', 'share', '', '{}', '')")
        for sample, practice in ((1, 0), (2, 1)):
            run(
                "INSERT INTO allotments (person, sample_id, rank, handout, practice)"
                f" VALUES ('{ana}', {sample}, 1, 1, {practice})"
            )
    for sample in (0, 1, 2):
        team.says("ana", sample=sample)
    team.says("ben", sample=1)
    assert [row.key for row in team.review().queue(team.reviewer)] == [team.keys[0]]


def assigning(team: Team) -> AssignmentService:
    """The service that assigns the samples of the team."""
    store = AssignmentStore(team.database)
    return AssignmentService(store, team.annotating.people, lambda _: None, OPERATOR)


def ready(team: Team) -> list[str]:
    """The ids of the samples that are ready for review."""
    return [row.key.id for row in team.review().queue(team.reviewer)]


def incomplete(team: Team) -> list[tuple[str, int, int]]:
    """The samples that wait for annotators: id, people who completed it, people who did not."""
    rows = team.review().incomplete(team.reviewer)
    return [(row.key.id, row.annotators, row.pending) for row in rows]


def test_a_pool_sample_waits_for_as_many_people_as_the_overlap(team: Team) -> None:
    """One person's completed work is not ready, even if nobody else took the sample yet."""
    assigning(team).pool("d", Pool(2, "ingested"))
    for name in ("ana", "ben"):
        assert team.annotating.next_unfinished(team.people[name], None) == team.keys[0]
        before = (ready(team), incomplete(team))
        team.says(name)
        assert before == (([], []) if name == "ana" else ([], [("1", 1, 1)]))
    assert (ready(team), incomplete(team)) == (["1"], [])


def test_an_escalated_sample_waits_for_the_third_person(team: Team) -> None:
    """Two differing people are not enough once a third one has the sample."""
    share = assigning(team)
    share.give("d", ["ana", "ben"], AssignmentOptions(overlap=2), ids=["1"])
    share.give("d", ["li"], AssignmentOptions(), ids=["2"])
    share.escalate("d", Escalation(DisagreementRule.DIFFER))
    team.says("ana", claim("a", 0, 5))
    team.says("ben")
    assert (ready(team), incomplete(team)) == ([], [("1", 2, 1)])
    assert team.open().refused == ReviewRefusal.WAITS
    assert team.open().pending == 1
    team.says("li", claim("l", 0, 5))
    assert (ready(team), incomplete(team)) == (["1"], [])
    assert team.open().refused == ""


def test_a_person_who_skipped_a_sample_is_not_awaited(team: Team) -> None:
    """Of three assignees two are enough if the third skipped; of two assignees one is not."""
    share = assigning(team)
    share.give("d", ["ana", "ben", "li"], AssignmentOptions(overlap=3), ids=["1"])
    share.give("d", ["ana", "li"], AssignmentOptions(overlap=2), ids=["2"])
    for sample in (0, 1):
        team.annotating.skip(team.people["li"], team.keys[sample], seconds=1)
        team.says("ana", sample=sample)
    assert (ready(team), incomplete(team)) == ([], [("1", 1, 2), ("2", 1, 1)])
    team.says("ben")
    assert ready(team) == ["1"]


def test_a_second_reading_is_not_awaited(team: Team) -> None:
    """The only assignee's completed sample is ready, whether or not it will be read again."""
    share = assigning(team)
    share.give("d", ["ana"], AssignmentOptions(), ids=["1"])
    team.says("ana")
    share.repeat("d", ["ana"], AssignmentOptions(count="all"))
    assert (ready(team), incomplete(team)) == (["1"], [])


def test_practice_samples_are_never_in_review(team: Team) -> None:
    """Neither in the list, because of known answers of two people, nor opened by name."""
    for name in ("li", "ben"):
        team.says(name, claim(name, 0, 5))
    assert ready(team) == ["1"]
    assigning(team).practice("d", ["ana"], gold="li")
    team.says("ana", claim("ana", 0, 5))
    assert (ready(team), incomplete(team)) == ([], [])
    assert team.open().refused == ReviewRefusal.PRACTICE
    with pytest.raises(NotAllowed):
        team.review().finish(team.reviewer, team.keys[0], seen=team.open().seen, seconds=1)
    with pytest.raises(NotReady):
        team.review().allow(team.reviewer, team.keys[0], reason="no time")


def test_waiting_samples_are_adjudicated_only_if_an_admin_allows_it(team: Team) -> None:
    """The event has the admin and the reason, and no undo removes it."""
    assigning(team).pool("d", Pool(2, "ingested"))
    team.annotating.next_unfinished(team.people["ana"], None)
    team.says("ana", claim("a", 0, 5))
    review, who, key = team.review(), team.reviewer, team.keys[0]
    with pytest.raises(NotAllowed):
        review.finish(who, key, seen=team.open().seen, seconds=1)
    with pytest.raises(NotAllowed):
        team.bound(Actor(who, Role.REVIEWER)).allow(who, key, reason="no time")
    assert review.next(who) is None
    team.bound(Actor(who, Role.ADMIN)).allow(who, key, reason=" no time ")
    (event,) = team.annotating.store.events(SETTLED, key)
    assert (event.action.verb, event.versions["by"]) == (ALLOW, who)
    assert event.versions["reason"] == "no time"
    assert find_chain_problem(StreamCopy(SETTLED, key, "", (event,))) == ""
    assert review.undo(who) is None
    assert review.next(who) == key
    review.finish(who, key, seen=team.open().seen, seconds=1)
    assert team.open().assignment.state is State.DONE
    team.state_is_what_the_log_tells()


def test_imported_work_counts_where_it_marked_something(team: Team) -> None:
    """A dump does not say who was done; who marked nothing in it is not known to have looked."""
    key = team.keys[0]
    record = next(iter(team.annotating.corpus.records(RecordFilter(sample=key.id))))
    people = tuple(Person(name, name, PersonKind.IMPORTED) for name in ("p", "q"))
    owned = tuple(
        OwnedAnnotation(name, replace(claim(f"{name}1", 0, 5), origin="imported:mercury"))
        for name in "pq"
    )
    team.annotating.store.import_records([replace(record, annotations=owned, people=people)])
    assert [row.annotators for row in team.review().queue(team.reviewer)] == [2]
    assert team.open().groups[0].status is GroupStatus.AGREED


# afterwards


def test_a_lesson_tells_what_became_of_ones_own(candidates: Team) -> None:
    """Each own annotation, and what was added; nothing before it is settled."""
    review, who, key = candidates.review(), candidates.reviewer, candidates.keys[0]
    li, ana = candidates.people["li"], candidates.people["ana"]
    assert review.adjudication_notice(li, key) is None
    judged = review.take(who, key, [("ana-2", "ben-2")], seen=candidates.open().seen, seconds=1)
    judged = review.reject(
        who, key, [("li-3",)], reason=RejectionReason.SLIP, seen=judged.seen, seconds=1
    )
    review.finish(who, key, seen=judged.seen, seconds=1)
    lesson = review.adjudication_notice(li, key)
    assert lesson
    agreed, overruled, refused = lesson.outcomes
    assert agreed.result
    assert hows([agreed.result]) == [ReviewAction.TAKEN]
    assert (overruled.result, overruled.refusal) == (None, None)
    assert refused.refusal
    assert refused.refusal.settled
    assert refused.refusal.settled.reason is RejectionReason.SLIP
    assert [one.labels for one in lesson.added] == [(("Fine",),)]
    assert review.adjudication_notice(candidates.reviewer, key) is None
    other = review.adjudication_notice(ana, key)
    assert other
    assert [bool(outcome.result) for outcome in other.outcomes] == [True, True]
    assert other.added == ()


def test_a_lesson_is_ones_own(candidates: Team) -> None:
    """An annotator gets theirs, and nobody else's."""
    key = candidates.keys[0]
    candidates.review().finish(
        candidates.reviewer, key, rest=RejectionReason.SLIP, seen=candidates.open().seen, seconds=1
    )
    ana = candidates.people["ana"]
    review = candidates.bound(Actor(ana, Role.ANNOTATOR))
    lesson = review.adjudication_notice(ana, key)
    assert lesson
    report = repr(lesson)
    assert candidates.reviewer not in report
    assert "ben-" not in report
    assert "li-" not in report
    with pytest.raises(NotAllowed):
        review.adjudication_notice(candidates.people["ben"], key)
    with pytest.raises(NotAllowed):
        review.open(ana, key)


def test_who_may_not_review_learns_nothing_of_people_and_machines(team: Team) -> None:
    """Annotators have no such order: it would tell what others found."""
    annotator = team.bound(Actor(team.people["ana"], Role.ANNOTATOR))
    with pytest.raises(NotAllowed):
        annotator.sort_against({team.keys[0]: 0.5})
    with pytest.raises(NotAllowed):
        ScoreStore(team.database, actor=annotator.actor).support("q")


def test_settled_work_counts_before_what_people_say(team: Team) -> None:
    """Where the machine says nothing, nothing is against it; and it is as before when asked."""
    team.says("ana", claim("a"))
    for name in ("ben", "li"):
        team.says(name)
    for name in ("ana", "ben"):
        team.says(name, sample=1)
    review, (key, _, absent) = team.review(), team.keys

    def against() -> list[float | None]:
        review.sort_against({key: 1.0, absent: 1.0})
        return [row.against for row in review.queue(team.reviewer)]

    assert against() == [0.0, None]  # most found nothing
    seen = review.open(team.reviewer, key).seen
    seen = review.take(team.reviewer, key, [("a",)], seen=seen, seconds=1).seen
    review.finish(team.reviewer, key, seen=seen, seconds=1)
    assert against() == [1.0, None]
    review.sort_against(None)
    assert [row.against for row in review.queue(team.reviewer)] == [None, None]
