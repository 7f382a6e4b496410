"""Deeds: what each verb does to a stream, and what it refuses."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tui_annotate.domain import event_builders
from tui_annotate.domain.annotations import Anchor, Annotation, annotation_from_json
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.errors import Conflict, InvalidInput, NotFound
from tui_annotate.domain.history import Change, PendingEvent, StreamState
from tui_annotate.domain.label_files import parse_labels
from tui_annotate.domain.labels import check_overlap, is_duplicate
from tui_annotate.domain.samples import Document, Sample, Side
from tui_annotate.domain.spans import Span
from tui_annotate.domain.suggestions import (
    AnswerKind,
    Suggestion,
    answer_from_json,
    take_suggestion,
)

LABELS = parse_labels(
    "- {name: Wrong, evidence: required}\n- {name: Odd, note: required}\n- Fine\n"
    "- {name: Alone, exclusive: true}\n"
)
SUMMARY = "It cost 15 million pounds and was loved by everybody who ever crossed it on a day off."
SAMPLE = Sample("d", "1", (Document(Side.SOURCE, "It cost 12."), Document(Side.SUMMARY, SUMMARY)))


def note(name: str = "a", start: int = 8, label: str = "Fine", *, end: int = 25) -> Annotation:
    """An annotation of a part of the summary."""
    labels = ((label,),) if label else ()
    return Annotation(name, (Anchor(Side.SUMMARY, 0, Span(start, end)),), labels=labels)


def state(*annotations: Annotation, word: str = "new") -> StreamState:
    """A stream with these annotations in a state."""
    begun = StreamState(assignment={"state": word, "rating": "", "comment": ""})
    for annotation in annotations:
        begun = begun.applied(event_builders.add(begun, annotation))
    return StreamState(begun.annotations, {**begun.assignment, "state": word})


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("new", State.DRAFT),
        ("draft", State.DRAFT),
        ("reopened", State.REOPENED),
        ("done", State.REOPENED),
        ("skipped", State.REOPENED),
        ("flagged", State.REOPENED),
    ],
)
def test_work_begins_a_sample_or_reopens_it(before: str, after: State) -> None:
    """Adding, editing, removing and clearing all do; the inverse gives the old state back."""
    stands = state(note("b"), word=before)
    read = annotation_from_json(stands.annotations["b"])
    for action in (
        event_builders.add(stands, note("a")),
        event_builders.edit(stands, replace(read, note="x"), at="now"),
        event_builders.remove(stands, "b", version=1),
        event_builders.clear(stands, batch="all"),
    ):
        done = stands.applied(action)
        assert done.assignment["state"] == after
        assert done.applied(action.inverse("e")) == stands


def test_an_id_is_taken_once() -> None:
    """A second annotation with the same id is refused."""
    with pytest.raises(Conflict):
        event_builders.add(state(note("a")), note("a", 0))


def test_an_edit_is_the_next_version_of_the_same_thing() -> None:
    """Number, origin and birth stay; the time is new; the imported record no longer fits."""
    born = replace(note(), number=7, origin="imported:x", created="then", imported={"raw": 1})
    stands = state(born)
    other = replace(born, note="x", number=0, origin="human", created="")
    action = event_builders.edit(stands, other, at="now")
    made = annotation_from_json(stands.applied(action).annotations["a"])
    assert made == replace(born, note="x", version=2, updated="now", imported=None)


def test_only_the_version_that_was_read_can_be_changed() -> None:
    """Another version, or the same number made at another time, is a conflict."""
    stands = state(replace(note(), updated="then"))
    for wrong in (replace(note(), version=2), replace(note(), updated="before")):
        with pytest.raises(Conflict):
            event_builders.edit(stands, wrong, at="now")
    with pytest.raises(Conflict):
        event_builders.remove(stands, "a", version=2)
    assert event_builders.edit(stands, note(), at="now").verb == "edit"


def test_what_is_not_there_is_not_found() -> None:
    """Neither edit nor remove makes something up."""
    with pytest.raises(NotFound):
        event_builders.edit(state(), note(), at="now")
    with pytest.raises(NotFound):
        event_builders.remove(state(), "a", version=1)


@pytest.mark.parametrize("label", ["Fine", ""])
def test_the_same_claim_with_the_same_label_is_refused(label: str) -> None:
    """Once is enough, with a label or still without one."""
    with pytest.raises(Conflict) as caught:
        check_overlap(note("a", label=label), [note("b", label=label)], LABELS)
    assert caught.value.hint


def test_an_exclusive_label_stands_alone_on_its_claim() -> None:
    """Whichever of the two comes first."""
    for new, old in (("Alone", "Fine"), ("Fine", "Alone")):
        with pytest.raises(Conflict, match="'Alone'"):
            check_overlap(note("a", label=new), [note("b", label=old)], LABELS)


def test_other_claims_other_labels_and_itself_are_no_conflict() -> None:
    """Overlaps are welcome, and so is a second label on the same claim."""
    others = [note("a"), note("b", 9), note("c", label="Odd"), note("d", label="gone")]
    check_overlap(note("a"), others, LABELS)


def test_without_a_claim_the_evidence_is_what_it_is_about() -> None:
    """Two annotations of the source alone are twins when their evidence is the same."""
    evidence = (Anchor(Side.SOURCE, 0, Span(0, 2)),)
    twin = Annotation("b", (), evidence, (("Fine",),))
    with pytest.raises(Conflict):
        check_overlap(replace(twin, id="a"), [twin], LABELS)


def test_a_sample_with_nothing_found_can_be_finished() -> None:
    """Done says that it was read."""
    action = event_builders.finish(state(), SAMPLE, LABELS)
    assert state().applied(action).assignment["state"] == "done"


def test_a_draft_blocks_done_and_says_what_is_missing_where() -> None:
    """The first draft in reading order is quoted, what it lacks is named, the rest are counted."""
    drafts = state(note("b", 30, "Odd", end=35), note("a", 8, "Wrong"), note("c", 0, "", end=2))
    with pytest.raises(Conflict) as caught:
        event_builders.finish(drafts, SAMPLE, LABELS)
    assert "'It'" in caught.value.message
    assert "2" in caught.value.message
    with pytest.raises(Conflict) as caught:
        event_builders.finish(state(note("a", 8, "Wrong")), SAMPLE, LABELS)
    assert "'15 million pounds'" in caught.value.message
    assert caught.value.hint


def test_a_long_quote_is_cut() -> None:
    """A message stays a line."""
    with pytest.raises(Conflict) as caught:
        event_builders.finish(state(note("a", 0, "Odd", end=80)), SAMPLE, LABELS)
    assert "…'" in caught.value.message
    assert len(caught.value.message) < 70


def test_an_assignment_changes_in_the_named_parts_alone() -> None:
    """And back again."""
    stands = state()
    action = event_builders.assign(stands, "skip", {"state": "skipped", "comment": "empty"})
    done = stands.applied(action)
    assert done.assignment == {"state": "skipped", "rating": "", "comment": "empty"}
    assert done.applied(action.inverse("e")) == stands


def test_a_rating_is_a_word_of_the_scale() -> None:
    """Any word where there is no scale."""
    assert event_builders.check_rating("poor", ("good", "poor")) == "poor"
    assert event_builders.check_rating("anything", ()) == "anything"
    with pytest.raises(InvalidInput, match="'fair'"):
        event_builders.check_rating("fair", ("good", "poor"))


# ratings and comments ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "word", "after"),
    [("new", "Bad", "draft"), ("new", "", "new"), ("done", "Bad", "done"), ("draft", "", "draft")],
)
def test_an_opinion_begins_a_sample_and_reopens_none(before: str, word: str, after: str) -> None:
    """The inverse gives back what stood, the state with it."""
    stands = state(word=before)
    action = event_builders.rate_or_comment(stands, "rate", {"rating": word})
    then = stands.applied(action)
    assert (then.assignment["rating"], then.assignment["state"]) == (word, after)
    assert then.applied(action.inverse("e")) == stands


def test_review_settles_words_with_what_else_it_does() -> None:
    """On what was finished they reopen it, unless it is finished with them."""
    stands = state(word="done")
    opened = stands.applied(event_builders.settle(stands, "rate", {}, words={"rating": "Bad"}))
    assert (opened.assignment["rating"], opened.assignment["state"]) == ("Bad", "reopened")
    done = opened.applied(
        event_builders.settle(opened, "done", {}, words={"comment": "hm"}, done=True)
    )
    assert done.assignment == {"state": "done", "rating": "Bad", "comment": "hm"}


@pytest.mark.parametrize(
    ("work", "begun"),
    [
        (Assignment("p"), False),
        (Assignment("p", seconds=9.0), False),
        (Assignment("p", rating="Bad"), True),
        (Assignment("p", comment="hm"), True),
        (Assignment("p", State.SKIPPED), True),
    ],
)
def test_time_alone_begins_nothing(work: Assignment, *, begun: bool) -> None:
    """Whatever else an assignment tells of does."""
    assert work.begun is begun


def test_several_are_added_or_edited_as_one() -> None:
    """Each under an id that is free."""
    stands = state(note("a"))
    read = annotation_from_json(stands.annotations["a"])
    action = event_builders.edit(stands, replace(read, note="x"), note("b"), note("c"), at="now")
    then = stands.applied(action)
    assert sorted(then.annotations) == ["a", "b", "c"]
    assert then.applied(action.inverse("e")).annotations == stands.annotations
    with pytest.raises(Conflict):
        event_builders.edit(then, replace(read, version=2), note("b"), at="now")


def test_what_others_say_is_beside_it_where_they_say_the_same() -> None:
    """The same words under a label in common; itself is not beside itself."""
    assert is_duplicate(note("a"), [note("b")])
    assert not is_duplicate(note("a"), [note("a")])
    assert not is_duplicate(note("a"), [note("b", label="Odd"), note("c", 9)])
    assert is_duplicate(note("a", label=""), [note("b", label="")])


CLAIM = (Anchor(Side.SUMMARY, 0, Span(3, 9)),)
ONE = Suggestion(id="s", maker="m", run="r", claim=CLAIM)
FRESH = StreamState()


def _taken() -> StreamState:
    return FRESH.applied(event_builders.accept(FRESH, ONE, take_suggestion("ana", ONE, None)))


def _answer(state: StreamState) -> AnswerKind:
    return answer_from_json(state.suggestions["s"]).answer


def test_taking_is_a_deed_that_can_be_taken_back() -> None:
    """An annotation and an answer, both gone with the inverse."""
    action = event_builders.accept(FRESH, ONE, take_suggestion("ana", ONE, None))
    state = FRESH.applied(action)
    assert (action.verb, _answer(state)) == ("accept", AnswerKind.ACCEPTED)
    assert state.suggestions["s"]["annotation"] in state.annotations
    assert state.applied(action.inverse("e")).same(FRESH)


def test_refusing_leaves_a_finished_sample_finished() -> None:
    """It begins what is new, and reopens nothing."""
    done = FRESH.applied(event_builders.assign(FRESH, "done", {"state": "done"}))
    assert done.applied(event_builders.refuse(done, ONE, reason="")).assignment["state"] == "done"
    assert (
        FRESH.applied(event_builders.refuse(FRESH, ONE, reason="")).assignment["state"] == "draft"
    )


def test_what_stands_is_not_answered_anew() -> None:
    """Neither taken twice, nor refused; nor refused twice for the same reason."""
    state = _taken()
    with pytest.raises(Conflict):
        event_builders.accept(state, ONE, take_suggestion("ana", ONE, None))
    with pytest.raises(Conflict):
        event_builders.refuse(state, ONE, reason="")
    refused = FRESH.applied(event_builders.refuse(FRESH, ONE, reason="no"))
    with pytest.raises(Conflict):
        event_builders.refuse(refused, ONE, reason="no")
    assert (
        _answer(refused.applied(event_builders.refuse(refused, ONE, reason="yes")))
        is AnswerKind.REFUSED
    )


def test_an_edit_of_the_content_changes_the_answer_once() -> None:
    """A note does not; what was changed already stays so; other annotations are nobody's answer."""
    state = _taken()
    (name,) = state.annotations
    made = take_suggestion("ana", ONE, None)
    noted = event_builders.edit(state, replace(made, note="so"), at="t")
    assert event_builders.edit_annotation(state, noted) == noted
    other = event_builders.edit(state, replace(made, labels=(("L",),)), at="t")
    changed = state.applied(event_builders.edit_annotation(state, other))
    assert _answer(changed) is AnswerKind.CHANGED
    assert changed.annotations[name]["suggested"]["changed"]
    again = event_builders.edit(changed, replace(made, version=2), at="t")
    assert event_builders.edit_annotation(changed, again) == again
    plain = event_builders.edit(
        FRESH.applied(event_builders.add(FRESH, Annotation("a", CLAIM))),
        Annotation("a", CLAIM),
        at="t",
    )
    assert event_builders.edit_annotation(state, plain) == plain


def test_an_edit_of_a_copy_is_no_answer() -> None:
    """What an import made of the same suggestion under another id leaves the answer as it is."""
    state = _taken()
    copy = replace(take_suggestion("ana", ONE, None), id="copy")
    both = state.applied(event_builders.add(state, copy))
    edit = event_builders.edit(both, replace(copy, labels=(("L",),)), at="t")
    assert event_builders.edit_annotation(both, edit) == edit


def test_changes_without_answers_are_told_as_before() -> None:
    """So events from before there were suggestions keep their hashes."""
    assert Change().as_json() == {"annotations": {}, "assignment": {}}
    report = Change({}, {}, {"s": None}).as_json()
    assert report["suggestions"] == {"s": None}
    assert Change.from_json(report) == Change({}, {}, {"s": None})
    assert Change.from_json(Change().as_json()) == Change()


def test_a_stale_answer_is_refused() -> None:
    """As any other action on what stands no longer so."""
    stale = PendingEvent("refuse", Change({}, {}, {"s": None}), Change({}, {}, {"s": {"x": 1}}))
    with pytest.raises(Conflict):
        _taken().applied(stale)
