"""Undecided work is not dropped at the end of a review, and later changes of work are shown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Engine, event

from tests.helpers.stores import LABELS, claim
from tests.services.adjudicated_team import AdjudicatedTeam
from tui_annotate.domain.adjudication import OpenKind, RejectionReason, ReviewAction
from tui_annotate.domain.annotations import ADJUDICATED, REJECTED
from tui_annotate.domain.assignments import State
from tui_annotate.domain.comments import REVIEWERS, PersonComment
from tui_annotate.domain.errors import Conflict, InvalidInput
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.spans import Span
from tui_annotate.methods.adjudication import GroupStatus
from tui_annotate.services.review import QueuedSample, ReviewSample
from tui_annotate.services.review.review_sample import read_sample_work
from tui_annotate.storage.labels.store import GuidanceKind
from tui_annotate.storage.log.comments import CommentStore
from tui_annotate.storage.log.person_merge import PersonMergeStore


class Review:
    """A reviewer at one sample of a team whose dataset allows edits after adjudication."""

    def __init__(self, team: AdjudicatedTeam, key: SampleKey) -> None:
        self.team, self.key, self.service = team, key, team.review()
        team.allow_edits()

    def open(self) -> ReviewSample:
        return self.service.open(self.team.rea, self.key)

    def row(self) -> QueuedSample:
        """The sample as a fresh review queue has it."""
        rows = self.team.review().queue(self.team.rea)
        return next(row for row in rows if row.key == self.key)

    def take(self, *sources: str) -> None:
        seen = self.open().seen
        self.service.take(self.team.rea, self.key, [sources], seen=seen, seconds=1)

    def finish(self, *, rest: str = "", unrated: str = "", leave: tuple[str, ...] = ()) -> None:
        reason = RejectionReason(rest)
        self.service.finish(
            self.team.rea,
            self.key,
            rest=reason,
            unrated=unrated,
            leave=leave,
            seen=self.open().seen,
            seconds=1,
        )

    def refusal(self, **given: str) -> str:
        """Why the sample cannot be completed."""
        with pytest.raises(Conflict) as caught:
            self.finish(**given)  # type: ignore[arg-type]
        return caught.value.message

    def complete_again(self, who: str) -> None:
        self.team.annotating.finish(who, self.key, seconds=1)

    def exported(self) -> list[tuple[str, tuple[str, ...], str, str]]:
        """The decisions on the sample: decision, annotators, rating, reason."""
        return [
            (each.decision, each.annotators, each.rating, each.reason)
            for each in self.service.decisions()
            if each.sample == self.key.id
        ]

    def agrees(self) -> bool:
        """Whether the queue counts what the screen has open and changed."""
        now, row = self.open(), self.row()
        with self.team.annotating.store.reading() as log:
            count = read_sample_work(log, now.sample).count_open()
        return (row.changed, row.open_decisions) == (len(now.open.changed), count)


@pytest.fixture
def team(tmp_path: Path) -> Iterator[AdjudicatedTeam]:
    """Ana and Ben marked different words of each sample."""
    made = AdjudicatedTeam.create(tmp_path)
    yield made
    made.database.close()


@pytest.fixture
def review(team: AdjudicatedTeam) -> Review:
    return Review(team, team.keys[-1])


# nothing undecided is dropped


def test_a_reason_for_conflicts_is_none_for_the_rating(
    review: Review, team: AdjudicatedTeam
) -> None:
    """The refusal names the rating; a reason of its own completes the sample and is exported."""
    for who, word in ((team.ana, "good"), (team.ben, "poor")):
        team.annotating.rate(who, review.key, word, seconds=1)
        review.complete_again(who)
    assert "conflict" in review.refusal()
    message = review.refusal(rest="slip")
    assert "conflict" not in message
    assert "rating" in message
    letters = [layer.letter for layer in review.open().layers]
    assert all(f"{letter} " in message for letter in letters)
    assert all(word in message for word in ("good", "poor"))
    assert review.row().open_decisions == 3
    review.finish(rest="slip", unrated="ambiguous")
    assert review.exported()[-1] == ("rated", (), "", "ambiguous")
    assert review.row().open_decisions == 0


def test_own_words_for_no_rating_are_exported_too(review: Review, team: AdjudicatedTeam) -> None:
    """As a note of review; a rating that is chosen later has the row alone."""
    team.annotating.rate(team.ana, review.key, "good", seconds=1)
    review.complete_again(team.ana)
    review.finish(rest="slip", unrated="the scale does not fit")
    (last,) = [each for each in review.service.decisions() if each.decision == "rated"]
    assert (last.rating, last.reason, last.review_note) == ("", "", "the scale does not fit")
    seen = review.open().seen
    review.service.rate(team.rea, review.key, "good", seen=seen, seconds=1)
    assert [each.rating for each in review.service.decisions() if each.decision == "rated"] == [
        "good"
    ]


def test_a_comment_of_one_annotator_is_asked_for(review: Review, team: AdjudicatedTeam) -> None:
    """It is left on purpose, or a final comment is written; a comment of all is taken."""
    team.annotating.comment(team.ana, review.key, "odd text", seconds=1)
    review.complete_again(team.ana)
    assert "comment" in review.refusal(rest="slip")
    team.annotating.comment(team.ben, review.key, "odd text", seconds=1)
    review.complete_again(team.ben)
    review.finish(rest="slip")
    assert review.open().assignment.comment == "odd text"


def test_an_unanswered_question_is_asked_for(review: Review, team: AdjudicatedTeam) -> None:
    """Until it is answered, or left on purpose."""
    comments = CommentStore(team.database)
    at = "2026-01-01T00:00:00.000000Z"
    comments.add(PersonComment("q", review.key, team.ana, REVIEWERS, "", "what?", at))
    assert "unanswered question" in review.refusal(rest="slip")
    review.finish(rest="slip", leave=("questions",))
    assert review.open().assignment.state is State.DONE


def test_a_question_after_the_adjudication_is_counted(
    review: Review, team: AdjudicatedTeam
) -> None:
    """The sample stays adjudicated, but comes first among these until the question is answered."""
    database, first = team.database, team.keys[0]
    for key in team.keys:
        team.adjudicate(key)
    store, listed = CommentStore(database), team.review().queue(team.rea)
    assert (listed[0].key, listed[0].unanswered_questions) == (first, 0)
    words = ("please reopen", "again")
    for name, text, at in zip(("q1", "q2"), words, ("2026-01-01", "2026-01-02"), strict=True):
        # Two machines may each begin a thread about one sample; it is one conversation.
        store.add(PersonComment(name, review.key, team.ana, REVIEWERS, "", text, at))
    row, *others = team.review().queue(team.rea)
    assert (row.key, row.settled, row.open_decisions, row.unanswered_questions) == (
        review.key,
        True,
        0,
        1,
    )
    assert [each.unanswered_questions for each in others] == [0, 0]
    store.add(
        PersonComment("q3", review.key, team.rea, team.ana, "q1", "It is open.", "2026-01-03")
    )
    assert review.row().unanswered_questions == 0
    assert review.open().open.questions == 0


def test_all_that_is_open_is_named_at_once(review: Review, team: AdjudicatedTeam) -> None:
    """Also what can be left only on purpose; other words are no kinds."""
    team.annotating.rate(team.ana, review.key, "good", seconds=1)
    team.annotating.comment(team.ana, review.key, "odd text", seconds=1)
    review.complete_again(team.ana)
    message = review.refusal()
    assert all(word in message for word in ("conflict", "rating", "comment"))
    with pytest.raises(InvalidInput, match="conflicts"):
        review.finish(leave=(OpenKind.CONFLICTS.value,))


def test_what_the_labels_require_since_is_required_of_a_result(
    review: Review, team: AdjudicatedTeam
) -> None:
    """Whether an annotation is accepted, or was accepted before; its edit completes it."""
    review.take(f"ana-{review.key.id}")
    stricter = LABELS.replace("- Fine", "- {name: Fine, note: required}")
    stricter = stricter.replace("exclusive: true", "exclusive: true, note: required")
    team.annotating.guidance.keep(GuidanceKind.LABELS, stricter)
    with pytest.raises(Conflict) as caught:
        review.take(f"ben-{review.key.id}")
    assert caught.value.code == "lacks-parts"
    assert "note" in review.refusal(rest="slip")
    (made,) = review.open().annotations
    edited = replace(made, note="why")
    review.service.edit(team.rea, review.key, edited, seen=review.open().seen, seconds=1)
    review.finish(rest="slip")


# changes below an adjudication


def test_a_source_that_was_made_again(review: Review, team: AdjudicatedTeam) -> None:
    """The result stays visible with its annotator; the queue agrees; accepting links it again."""
    name = f"ana-{review.key.id}"
    review.take(name)
    review.finish(rest="slip")
    (letter,) = next(each[1] for each in review.exported() if each[0] == "taken")
    assert review.row().settled
    team.annotating.remove(team.ana, review.key, name, version=1, seconds=1)
    team.annotating.add(team.ana, review.key, claim("again", 0, 10), seconds=1)
    assert len(review.open().annotations) == 1  # while ana's work is open
    review.complete_again(team.ana)
    now, row = review.open(), review.row()
    assert now.open.changed == (letter,)
    assert (row.settled, row.changed) == (False, 1)
    assert review.agrees()
    assert review.service.to_adjudicate(team.rea)[0] in team.keys
    assert review.key in review.service.to_adjudicate(team.rea)
    assert review.service.list_changed() == [review.key]
    assert ("taken", (letter,), "", "") in review.exported()
    review.take("again")
    (made,) = review.open().annotations
    assert made.settled
    assert made.settled.sources == ("again",)
    review.finish(leave=("changed",))
    assert (review.row().settled, review.row().changed, review.row().open_decisions) == (True, 0, 0)
    assert review.agrees()


def test_a_deleted_source_leaves_the_result_until_it_is_decided(
    review: Review, team: AdjudicatedTeam
) -> None:
    """Completing needs the decision to keep it; then nothing is open."""
    name = f"ana-{review.key.id}"
    review.take(name)
    review.finish(rest="slip")
    team.annotating.remove(team.ana, review.key, name, version=1, seconds=1)
    review.complete_again(team.ana)
    assert review.row().open_decisions == 1
    assert "change" in review.refusal()
    review.finish(leave=("changed",))
    assert [one.origin for one in review.open().annotations] == [ADJUDICATED]
    assert review.row().settled


def test_an_edited_source_opens_its_group(review: Review, team: AdjudicatedTeam) -> None:
    """Also one that was rejected; accepting it replaces the result that was made from it."""
    ana = f"ana-{review.key.id}"
    review.take(ana)
    review.finish(rest="slip")
    stored = team.annotating.open(team.ana, review.key).annotations[0]
    longer = stored.claim[0]._replace(span=Span(0, 26))
    team.annotating.edit(team.ana, review.key, replace(stored, claim=(longer,)), seconds=1)
    review.complete_again(team.ana)
    assert review.agrees()
    assert review.row().open_decisions == 1  # the claims overlap now
    review.take(ana)
    results = review.open().annotations
    assert [one.claim[0].span.end for one in results] == [26]
    assert review.row().open_decisions == 0


@pytest.mark.parametrize("moved", [None, Span(40, 44)])
@pytest.mark.parametrize("accepted", [True, False])
def test_a_candidate_without_a_result_that_leaves_its_group_opens_it(
    review: Review, team: AdjudicatedTeam, moved: Span | None, *, accepted: bool
) -> None:
    """Deleted, or moved to other words: the rest of the group is asked for, until it is kept."""
    _mark_the_same_words(team, review.key)
    if accepted:
        review.take("ben-same")
    review.finish(rest="slip")
    assert review.row().open_decisions == 0
    stored = team.annotating.open(team.ana, review.key).annotations[0]
    if moved is None:
        team.annotating.remove(team.ana, review.key, stored.id, version=1, seconds=1)
    else:
        elsewhere = replace(stored, claim=(stored.claim[0]._replace(span=moved),))
        team.annotating.edit(team.ana, review.key, elsewhere, seconds=1)
    review.complete_again(team.ana)
    assert review.agrees()
    assert review.row().open_decisions == (1 if moved is None else 2)
    assert "change" in review.refusal(rest="slip")
    review.finish(rest="slip", leave=("changed",))
    assert review.row().open_decisions == 0
    assert review.agrees()


def _mark_the_same_words(team: AdjudicatedTeam, key: SampleKey) -> None:
    """Replace the work on a sample: both mark the same words, with different labels."""
    for who, name in ((team.ana, "ana"), (team.ben, "ben")):
        team.annotating.remove(who, key, f"{name}-{key.id}", version=1, seconds=1)
        label = {"ben": "Alone"}.get(name)
        made = claim(f"{name}-same", 0, 10, label=label) if label else claim(f"{name}-same", 0, 10)
        team.completes(who, key, made)


def test_a_net_change_of_nothing_is_none(review: Review, team: AdjudicatedTeam) -> None:
    """An annotator who opens the work again, and completes it as it was, changes nothing."""
    review.finish(rest="slip")
    added = claim("more", 38, 47)
    team.annotating.add(team.ana, review.key, added, seconds=1)
    team.annotating.undo(team.ana)
    review.complete_again(team.ana)
    assert review.open().open.changed == ()
    assert review.row().settled


def test_a_changed_rating_opens_the_adjudicated_one(review: Review, team: AdjudicatedTeam) -> None:
    """As a rating that was decided under other ratings; the same choice decides it again."""
    for who in (team.ana, team.ben):
        team.annotating.rate(who, review.key, "good", seconds=1)
        review.complete_again(who)
    review.finish(rest="slip")
    assert review.open().assignment.rating == "good"
    team.annotating.rate(team.ben, review.key, "poor", seconds=1)
    review.complete_again(team.ben)
    assert review.open().open.stale_rating
    assert review.row().open_decisions == 1
    assert "rating good" in review.refusal()
    assert review.agrees()
    seen = review.open().seen
    done = review.service.rate(team.rea, review.key, "poor", seen=seen, seconds=1)
    assert not done.open.stale_rating
    review.finish()
    assert review.row().settled


def test_a_new_annotator_opens_what_was_decided(review: Review, team: AdjudicatedTeam) -> None:
    """With another candidate, and without any."""
    review.take(f"ana-{review.key.id}")
    review.finish(rest="slip")
    team.completes(
        team.annotating.people.local("cem").id, review.key, claim("cem", 4, 12, label="Alone")
    )
    now = review.open()
    assert len(now.open.changed) == 1
    assert review.agrees()
    assert review.row().open_decisions == 2
    assert GroupStatus.CONFLICT in [group.status for group in now.groups]


def test_an_undo_does_not_decide_again(review: Review, team: AdjudicatedTeam) -> None:
    """A reviewer who undoes a removal has not looked at what changed before it."""
    name = f"ana-{review.key.id}"
    review.take(name)
    review.finish(rest="slip")
    stored = team.annotating.open(team.ana, review.key).annotations[0]
    team.annotating.edit(team.ana, review.key, replace(stored, note="hm"), seconds=1)
    review.complete_again(team.ana)
    (made,) = review.open().annotations
    review.service.remove(team.rea, review.key, made.id, seen=review.open().seen, seconds=1)
    review.service.undo(team.rea)
    assert name in review.open().open.stale
    assert review.row().state is State.DONE
    assert review.agrees()


def test_later_changes_are_open_before_the_first_completion_too(
    review: Review, team: AdjudicatedTeam
) -> None:
    """A candidate that changed after its acceptance is decided again."""
    name = f"ana-{review.key.id}"
    review.take(name)
    stored = team.annotating.open(team.ana, review.key).annotations[0]
    team.annotating.edit(team.ana, review.key, replace(stored, note="hm"), seconds=1)
    review.complete_again(team.ana)
    assert review.row().open_decisions == 2
    assert "change" in review.refusal(rest="slip")
    review.take(name)
    results = review.open().settled
    assert [one.settled.how for one in results if one.settled] == [ReviewAction.TAKEN]
    review.finish(rest="slip")
    assert [one.note for one in review.open().settled if one.origin != REJECTED] == ["hm"]


# letters


def test_changed_samples_are_found_with_one_query(review: Review, team: AdjudicatedTeam) -> None:
    """As many statements for three samples as for one, of which one was changed back."""
    statements: list[str] = []

    def record(*call: object) -> None:
        statements.append(str(call[2]))

    def count(changed: list[SampleKey]) -> int:
        statements.clear()
        assert review.service.list_changed() == changed
        return len(statements)

    for key in team.keys:
        team.adjudicate(key)
    event.listen(Engine, "before_cursor_execute", record)
    try:
        numbers = []
        for at, key in enumerate(team.keys, 1):
            team.annotating.comment(team.ana, key, "more", seconds=1)
            team.annotating.finish(team.ana, key, seconds=1)
            numbers.append(count(team.keys[:at]))
        assert numbers[2] == numbers[1]  # the first call also reads what is cached
        team.annotating.comment(team.ana, team.keys[0], "", seconds=1)
        assert count(team.keys[1:]) == numbers[1]
    finally:
        event.remove(Engine, "before_cursor_execute", record)


def test_no_letter_is_given_to_another_person(review: Review, team: AdjudicatedTeam) -> None:
    """Nor after a merge of people, which is no change of their work either."""
    review.take(f"ana-{review.key.id}")
    review.finish(rest="slip")
    names = review.service.names(team.rea, review.key)
    people = PersonMergeStore(team.database)
    ana, anna = team.annotating.people.person(team.ana), team.annotating.people.local("anna")
    team.annotating.people.keep(anna)
    people.merge(ana, anna)
    left = {letter: name for letter, name in names.items() if name != "ana"}
    now = review.service.names(team.rea, review.key)
    assert left.items() < now.items()
    assert sorted(now.values()) == ["anna", "ben"]
    assert {letter for letter, name in now.items() if name == "anna"}.isdisjoint(names)
    assert (review.row().changed, review.row().open_decisions) == (0, 0)
    people.undo(ana)
    assert review.service.names(team.rea, review.key) == names


def test_letters_stay_while_work_is_reopened(review: Review, team: AdjudicatedTeam) -> None:
    """Whoever completes the sample later gets an unused letter."""
    names = review.service.names(team.rea, review.key)
    layers = {layer.letter: [one.id for one in layer.annotations] for layer in review.open().layers}
    review.finish(rest="slip")
    team.reopen(review.key, team.ana)
    (left,) = review.open().layers
    assert layers[left.letter] == [one.id for one in left.annotations]
    team.completes(team.annotating.people.local("cem").id, review.key)
    now = review.service.names(team.rea, review.key)
    (unused,) = set("ABC").difference(names)
    assert now == {**names, unused: "cem"}
    review.complete_again(team.ana)
    assert review.service.names(team.rea, review.key) == now


# people who drop out


@pytest.mark.parametrize("way", ["skip", "flag"])
def test_a_person_who_drops_out_is_a_change(
    review: Review, team: AdjudicatedTeam, way: str
) -> None:
    """The accepted annotation of such a person is decided again, and stays until then."""
    review.take(f"ana-{review.key.id}")
    review.finish(rest="slip")
    (letter,) = next(each[1] for each in review.exported() if each[0] == "taken")
    team.reopen(review.key, team.ana)
    assert review.open().open.changed == ()
    assert review.service.list_changed() == []
    assert review.row().settled  # while ana may still complete it
    if way == "skip":
        team.annotating.skip(team.ana, review.key, seconds=1)
    else:
        team.annotating.flag(team.ana, review.key, reason="unclear", seconds=1)
    now = review.open()
    assert now.open.changed == (letter,)
    assert letter not in [layer.letter for layer in now.layers]
    assert (review.row().settled, review.row().changed, review.row().open_decisions) == (
        False,
        1,
        2,
    )
    assert review.agrees()
    assert review.service.list_changed() == [review.key]
    assert [one.origin for one in now.annotations] == [ADJUDICATED]
    review.finish(leave=("changed",))
    assert review.open().open.changed == ()
    assert (review.row().settled, review.row().changed, review.row().open_decisions) == (True, 0, 0)
    review.complete_again(team.ana)
    assert review.open().open.changed == (letter,)
    assert review.agrees()


def test_the_queue_that_is_kept_counts_a_person_who_drops_out(
    review: Review, team: AdjudicatedTeam
) -> None:
    """Not only a queue that is read anew: no completed work changes when the other one skips."""
    review.finish(rest="slip")
    team.reopen(review.key, team.ana)
    rows = [review.service.queue(team.rea)]
    team.annotating.skip(team.ana, review.key, seconds=1)
    rows.append(review.service.queue(team.rea))
    assert [next(row.changed for row in each if row.key == review.key) for each in rows] == [0, 1]


def test_a_person_who_never_completed_the_sample_is_no_change(
    review: Review, team: AdjudicatedTeam
) -> None:
    review.finish(rest="slip")
    cem = team.annotating.people.local("cem").id
    team.annotating.skip(cem, review.key, seconds=1)
    assert review.open().open.changed == ()
    assert review.row().settled
    assert review.service.list_changed() == []
