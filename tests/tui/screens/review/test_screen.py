"""The reviewing screen: rivals under the digits, one key a deed, and everything on the disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.stores import fill
from tests.tui.screens import annotate_app, review_app
from tests.tui.screens.review_app import (
    BENIGN,
    CHINESE,
    FIRST,
    INTRINSIC,
    SECOND,
    open_review,
    settled,
)
from tui_annotate import workspace
from tui_annotate.domain.adjudication import RejectionReason, ReviewAction
from tui_annotate.domain.annotations import ADJUDICATED, REJECTED, Annotation
from tui_annotate.domain.assignment_rules import Pool
from tui_annotate.domain.assignments import State
from tui_annotate.domain.people import SETTLED
from tui_annotate.domain.queue_orders import CONFLICTS
from tui_annotate.domain.samples import Side
from tui_annotate.editor.glyphs import REFUSED
from tui_annotate.editor.key_map import default_keys
from tui_annotate.editor.key_state import EDITING, REVIEWING
from tui_annotate.editor.messages import MessageCode
from tui_annotate.editor.review.messages import ReviewText
from tui_annotate.editor.review.questions import CONFIRMING, LEAVING, REFUSING, REOPENING, WHY
from tui_annotate.editor.review.words import describe_group_status
from tui_annotate.editor.words import WARNING
from tui_annotate.methods.adjudication import DifferenceKind, GroupDecision, GroupStatus
from tui_annotate.services.review.review_sample import ReviewRefusal
from tui_annotate.tui.app import AnnotateApp
from tui_annotate.tui.dialogs.help import HelpDialog
from tui_annotate.tui.dialogs.orders import OrderDialog, order_words
from tui_annotate.tui.dialogs.review_outcome import ReviewOutcomeDialog
from tui_annotate.tui.screens.queue import QueueScreen
from tui_annotate.tui.screens.review.rows import ReviewMessage, marks
from tui_annotate.tui.screens.review.screen import ReviewScreen


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The workspace with everybody's work."""
    return review_app.make(tmp_path / "work")


def found(folder: Path, origin: str = ADJUDICATED) -> list[Annotation]:
    """What was settled on the first sample, of one origin."""
    return [one for one in settled(folder) if one.origin == origin]


# looking


async def test_it_begins_with_the_most_conflicts_at_the_first(folder: Path) -> None:
    """The sample, the place and its rivals are there at each size; no name of an annotator is."""
    async with open_review(folder) as reviewer:
        assert reviewer.sample == "a"
        shown = reviewer.shown()
        assert "1/4" in shown
        differences = [DifferenceKind.LABEL, DifferenceKind.EXTENT, DifferenceKind.EVIDENCE]
        assert list(reviewer.group.differences) == [*differences, DifferenceKind.NOTE]
        assert reviewer.group.status is GroupStatus.CONFLICT
        assert describe_group_status(reviewer.review_draft, reviewer.group) in shown
        assert "1  Extrinsic" in shown or "2  Extrinsic" in shown or "3  Extrinsic" in shown
        assert "1-3" in reviewer.line()
        for name in ("ana", "ben"):
            assert name not in shown
        await reviewer.press("c")
        for size in ((80, 24), (140, 40)):
            await reviewer.pilot.resize_terminal(*size)
            await reviewer.settled()
            shown = reviewer.shown()
            assert "1  Intrinsic" in shown
            assert "M " in reviewer.line()
            assert " c " in shown.splitlines()[-1]
        assert "CANDIDATES" in shown
        assert '"Nobody was hurt on the set."' in shown
        assert "⇄" in shown


async def test_places_are_walked_by_keys_and_by_the_cursor(folder: Path) -> None:
    """The next conflict, the place before it, and the one under the cursor come into hand."""
    async with open_review(folder) as reviewer:
        for keys, at in (("c", 2), ("A", 1), ("a", 2), ("C", 0), ("end b", 3), ("home", 0)):
            await reviewer.press(keys)
            assert reviewer.review_draft.at == at, keys


# settling


async def test_one_key_takes_one_merges_and_one_refuses(folder: Path) -> None:
    """A digit chooses, y takes; M merges; x asks why, a digit answers; each is on the disk."""
    async with open_review(folder) as reviewer:
        wanted = next(
            at
            for at, candidate in enumerate(reviewer.review_draft.candidates, 1)
            if candidate.sources == ("li-1",)
        )
        await reviewer.press(f"{wanted} y")
        assert reviewer.saved == ("take", [(INTRINSIC,)])
        assert "Intrinsic · u " in reviewer.line()
        assert "✓" in reviewer.shown().splitlines()[0]
        await reviewer.press("c M")
        assert reviewer.saved == ("merge", [(INTRINSIC,)])
        await reviewer.press("c x")
        assert reviewer.question == REFUSING
        assert f"1  {WHY[RejectionReason.SLIP].text()}" in reviewer.shown()
        await reviewer.press("tab")  # means nothing while a reason is asked for
        assert reviewer.question == REFUSING
        await reviewer.press("2")
        assert reviewer.saved == ("reject", [])
        assert "4/4" in reviewer.shown()
        assert reviewer.review_draft.decision_on(reviewer.group) is GroupDecision.REJECTED
        assert describe_group_status(reviewer.review_draft, reviewer.group) in reviewer.shown()
        in_hand = [each for each in marks(reviewer.review_draft, Side.SUMMARY) if each.focused]
        assert [each.letter for each in in_hand] == [REFUSED]
    (refused,) = found(folder, REJECTED)
    taken, merged = sorted(found(folder), key=lambda one: one.claim)
    assert taken.settled
    assert merged.settled
    assert refused.settled
    assert (taken.settled.how, taken.settled.sources) == (ReviewAction.TAKEN, ("li-1",))
    assert merged.settled.how is ReviewAction.MERGED
    assert merged.claim[0].span.of(annotate_app.SUMMARY) == "Nobody was hurt on the set."
    assert (refused.settled.reason, refused.settled.sources) == (
        RejectionReason.GUIDELINE,
        ("li-4",),
    )


async def test_a_letter_begins_a_reason(folder: Path) -> None:
    """It is no command: `u` does not close the question, and `n` and `c` go nowhere."""
    async with open_review(folder) as reviewer:
        await reviewer.press("x u n c l e a r enter")
        assert reviewer.saved == ("reject", [])
        report = {one.settled.note for one in found(folder, REJECTED) if one.settled}
        assert report == {"unclear"}
        await reviewer.press("enter u escape")
        assert reviewer.review_draft.pending is None
        assert reviewer.sample == "a"
        await reviewer.press("enter 不 enter 1")
        assert reviewer.sample == "c"
    report = {one.settled.note for one in found(folder, REJECTED) if one.settled}
    assert report == {"unclear", "不"}


async def test_editing_is_as_annotators_do_it(folder: Path) -> None:
    """Labels by digit, the claim by selection, Enter saves; e leaves; the assist is there then."""
    async with open_review(folder) as reviewer:
        await reviewer.press("c c e")
        assert "Extrinsic" in reviewer.line()
        keys = reviewer.shown().splitlines()[-1]
        assert " Enter " in keys
        assert " e " in keys
        assert reviewer.review_draft.state is EDITING
        await reviewer.press("e")
        assert reviewer.review_draft.state is REVIEWING
        await reviewer.press("e x")
        assert reviewer.message
        assert "Enter" in reviewer.line()
        assert reviewer.review_draft.state is EDITING
        await reviewer.press("2 3 enter")
        assert reviewer.saved == ("edit", [(BENIGN,)])
        (one,) = found(folder)
        assert (one.labels, one.note) == ((BENIGN,), "nowhere")
        assert one.settled
        assert (one.settled.how, one.settled.sources) == (ReviewAction.EDITED, ("li-4",))
        await reviewer.press("e 3 1 enter")
    (one,) = found(folder)
    assert (one.labels, one.version) == ((INTRINSIC,), 2)


async def test_an_edit_that_is_refused_stays_in_hand(folder: Path) -> None:
    """What the label requires is missing: the reason is told, and Enter tries again."""
    async with open_review(folder) as reviewer:
        await reviewer.press("c c e 2 4 enter")
        assert reviewer.message.kind == WARNING
        assert settled(folder) == ()
        assert reviewer.review_draft.state is EDITING
        assert reviewer.review_draft.labels == [("Sourced",)]
        await reviewer.press("4 3 enter")
        assert reviewer.saved == ("edit", [(BENIGN,)])
    assert [one.labels for one in found(folder)] == [(BENIGN,)]


async def test_what_nobody_marked_is_added(folder: Path) -> None:
    """A selection, + and a label; it is a place of its own, and x takes it away."""
    async with open_review(folder) as reviewer:
        await reviewer.press("+")
        assert reviewer.message
        assert reviewer.review_draft.state is REVIEWING
        await reviewer.words("director")
        assert reviewer.line().startswith("+ ")
        assert '"director"' in reviewer.line()
        await reviewer.press("+ 3 enter")
        assert reviewer.saved == ("own", [(BENIGN,)])
        (own,) = found(folder)
        assert own.settled
        assert (own.settled.how, own.settled.sources) == (ReviewAction.OWN, ())
        assert own.claim[0].span.of(annotate_app.SUMMARY) == "director"
        await reviewer.press("a A")
        position = reviewer.review_draft.position
        assert position
        assert position.own
        assert position.own.id == own.id
        assert "Benign" in reviewer.line()
        await reviewer.press("x")
    assert settled(folder) == ()


# the end of a sample


async def test_enter_settles_and_goes_on(folder: Path) -> None:
    """Alone where nobody marked anything; then all is done.

    What is open is refused for one reason; what all agree on is taken; the next is there.
    """
    async with open_review(folder, sample="b") as reviewer:
        assert reviewer.review_draft.groups == ()
        assert "Enter" in reviewer.line()
        await reviewer.press("enter")
        assert reviewer.sample == "a"
        await reviewer.press("enter")
        assert reviewer.question == LEAVING
        assert reviewer.line().startswith("3 undecided (")
        await reviewer.press("backspace")
        assert reviewer.review_draft.pending is None
        await reviewer.press("enter 3")
        assert reviewer.question == CONFIRMING
        assert reviewer.line().startswith("No final comment yet, ")
        await reviewer.press("1")
        assert reviewer.sample == "c"
        assert reviewer.says(ReviewText.SAMPLE_SETTLED)
        assert reviewer.message.fields["sample"] == "a"
        assert "66%" in reviewer.shown()
        await reviewer.press("enter 1")
        assert reviewer.says(ReviewText.ALL_SETTLED)
    (taken,) = found(folder)
    assert taken.settled
    assert taken.settled.sources == ("ana-2", "ben-2", "li-2")
    assert len(found(folder, REJECTED)) == 6
    with workspace.open(folder) as space:
        states = [space.log.stream(SETTLED, key).assignment for key in (FIRST, SECOND, CHINESE)]
        assert [each.state for each in states] == [State.DONE] * 3


async def test_undo_goes_across_samples(folder: Path) -> None:
    """U brings the settled sample back, and each deed after the other; U goes forward."""
    async with open_review(folder) as reviewer:
        await reviewer.press("1 y enter 3 1")
        assert reviewer.sample == "c"
        await reviewer.press("u")
        assert (reviewer.sample, reviewer.progress) == ("a", State.DRAFT)
        assert reviewer.says(ReviewText.REVIEW_UNDONE_ELSEWHERE)
        assert (reviewer.message.fields["action"], reviewer.message.fields["sample"]) == (
            "done",
            FIRST,
        )
        await reviewer.press("u")
        assert reviewer.undone == "take"
        assert reviewer.review_draft.settled == ()
        await reviewer.press("u")
        assert reviewer.says(MessageCode.NOTHING_TO_UNDO)
        for _ in range(2):  # keys that come while one is on its way are dropped
            await reviewer.press("U")
        assert reviewer.progress == State.DONE
    with workspace.open(folder) as space:
        assert space.log.stream(SETTLED, FIRST).assignment.state is State.DONE


async def test_a_settled_sample_is_opened_again(folder: Path) -> None:
    """From the palette, for everyone, with a reason; or by whatever is done on it."""
    async with open_review(folder, sample="b") as reviewer:
        reviewer.screen.do("sample.reopen")
        assert reviewer.says(ReviewText.NOT_ADJUDICATED)
        await reviewer.press("enter less_than_sign")
        while reviewer.sample != "b":
            await reviewer.press("greater_than_sign")
        assert reviewer.progress == State.DONE
        reviewer.screen.do("sample.reopen")
        await reviewer.settled()
        assert reviewer.question == REOPENING
        assert ReviewText.WHOSE_WORK.text() in reviewer.line()
        await reviewer.press("9")
        assert reviewer.question == REOPENING
        await reviewer.press("1 enter")
        assert reviewer.says(ReviewText.REOPENING_NEEDS_WORDS)
        reviewer.screen.do("sample.reopen")
        await reviewer.press("1 n e w")
        await reviewer.press("enter")
        await reviewer.settled()
        assert reviewer.progress == State.REOPENED
        assert reviewer.says(ReviewText.REOPENED_ALL)
        assert ReviewMessage.REOPENED.text(count=2) in reviewer.shown()
    with workspace.open(folder) as space:
        ana = space.person("ana").id
        assert space.annotate.open(ana, SECOND).lock.reopened == "new"


async def test_one_annotators_work_is_opened_again(folder: Path) -> None:
    """The adjudication stays; after the change, the candidates' title names the annotator."""
    with workspace.open(folder) as space:
        review, rev = space.team.review, space.person("rev").id
        letters = {name: letter for letter, name in review.names(rev, FIRST).items()}
        seen = review.open(rev, FIRST).seen
        review.finish(
            rev, FIRST, rest=RejectionReason.SLIP, leave=["comments"], seen=seen, seconds=1
        )
    digit = sorted(letters.values()).index(letters["ben"]) + 2
    async with open_review(folder, sample="a") as reviewer:
        reviewer.screen.do("sample.reopen")
        await reviewer.press(f"{digit} w h y")
        await reviewer.press("enter")
        await reviewer.settled()
        assert reviewer.says(ReviewText.REOPENED_ONE)
        assert reviewer.progress == State.DONE
        assert len(reviewer.review_draft.people) == 2
    with workspace.open(folder) as space:
        ben = space.person("ben").id
        space.annotate.comment(ben, FIRST, "now I see", seconds=1)
        space.annotate.finish(ben, FIRST, seconds=1)
    async with open_review(folder, sample="a", size=(140, 40)) as reviewer:
        assert reviewer.review_draft.edited == (letters["ben"],)
        assert ReviewMessage.EDITED.text(people=letters["ben"]) in reviewer.shown()


async def test_a_chinese_sample_is_settled_alike(folder: Path) -> None:
    """Two extents in Chinese: nearly, and a digit chooses."""
    async with open_review(folder, sample="c") as reviewer:
        assert reviewer.group.status is GroupStatus.NEARLY
        assert list(reviewer.group.differences) == [DifferenceKind.EXTENT]
        assert describe_group_status(reviewer.review_draft, reviewer.group) in reviewer.shown()
        await reviewer.press("1 y enter")
        assert reviewer.sample == "a"
    (taken,) = settled(folder, CHINESE)
    assert taken.claim[0].span.of(annotate_app.CHINESE).endswith("一千五百万元")


# two at once, and who may


async def test_a_stale_deed_is_refused_and_shown_as_it_is(folder: Path) -> None:
    """Another reviewer was there meanwhile: told, nothing overwritten, then it goes on."""
    async with open_review(folder) as reviewer:
        with workspace.open(folder) as space:
            review, other = space.team.review, space.person("other").id
            seen = review.open(other, FIRST).seen
            review.take(other, FIRST, [("li-4",)], seen=seen, seconds=1)
        await reviewer.press("1 y")
        assert reviewer.message.kind == WARNING
        assert "✗" in reviewer.shown().splitlines()[0]
        assert len(reviewer.review_draft.settled) == 1
        await reviewer.press("1 y")
        assert reviewer.saved[0] == "take"
    assert len(found(folder)) == 2


async def test_ones_own_work_is_left_to_others(folder: Path) -> None:
    """Said in words at each deed; nothing is stored."""
    async with open_review(folder, sample="a", person="ana") as reviewer:
        why = reviewer.review_draft.blocked_reason
        assert why
        assert reviewer.line().startswith(why)
        await reviewer.press("1 y x enter e +")
        assert reviewer.message.kind == WARNING
        assert reviewer.message.text == why
    assert settled(folder) == ()


# around it


async def test_names_are_shown_only_when_asked(folder: Path) -> None:
    """W tells who A, B and C are, and hides them again; g shows notes by letter, the rest after."""
    async with open_review(folder) as reviewer:
        await reviewer.press("W")
        shown = reviewer.shown()
        assert all(name in shown for name in ("ana", "ben", "li"))
        await reviewer.press("W j")
        assert "ana" not in reviewer.shown()
        letter = next(
            person
            for group in reviewer.review_draft.groups
            for candidate in group.candidates
            if candidate.sources == ("ben-1",)
            for person in candidate.people
        )
        await reviewer.press("g")
        shown = reviewer.shown()
        assert f"{letter}: the set is a film's" in shown
        assert "ben" not in shown
        assert "Guidelines" in shown
        await reviewer.press("q")


async def test_help_queue_and_samples(folder: Path) -> None:
    """? has the keys of review, q its queue, > the next sample of it."""
    async with open_review(folder) as reviewer:
        await reviewer.press("question_mark")
        assert isinstance(reviewer.app.screen, HelpDialog)
        shown = reviewer.shown()
        keys = default_keys()
        assert keys.get("proposal.take").help in shown
        assert keys.get("half.next").help not in shown
        await reviewer.press("q greater_than_sign")
        assert reviewer.sample == "c"
        await reviewer.press("less_than_sign")
        assert reviewer.sample == "a"
        await reviewer.press("q")
        assert isinstance(reviewer.app.screen, QueueScreen)
        shown = reviewer.shown()
        assert "3 conflicts, 3 people" in shown
        await reviewer.press("down down enter")
        assert reviewer.sample == "b"


async def test_review_goes_where_people_contradict_a_machine(folder: Path) -> None:
    """In its queue, and from sample to sample; it goes back to the most conflicts."""
    review_app.say(folder, 0.1, 0.2, 0.7)  # people found b supported, the others not
    async with open_review(folder) as reviewer:
        await reviewer.press("q o")
        shown = reviewer.shown()
        assert isinstance(reviewer.app.screen, OrderDialog)
        assert order_words(CONFLICTS) in shown
        assert order_words("disagree:q") in shown
        await reviewer.press("down enter")
        shown = reviewer.shown()
        assert order_words("disagree:q") in shown.splitlines()[0]
        assert shown.splitlines()[2].startswith("▌ · b")
        assert "s same source" not in shown
        await reviewer.press("s question_mark")
        assert "sibling samples" not in reviewer.shown()
        await reviewer.press("q enter")
        assert reviewer.sample == "b"
        await reviewer.press("greater_than_sign")
        assert reviewer.sample == "c"
        await reviewer.press("q o up enter")
        assert "disagree" not in reviewer.shown()
        await reviewer.press("enter")
        assert reviewer.sample == "a"


@pytest.mark.parametrize("keys", ["enter 1 1 1", "x 1 enter 1 1 1"])
async def test_a_changed_sample_counts_once_it_is_adjudicated_again(
    folder: Path, keys: str
) -> None:
    """It counted as none before, so that no step of its review counts down."""
    with workspace.open(folder) as space:
        review, rev, ana = space.team.review, space.person("rev").id, space.person("ana").id
        for key in (FIRST, SECOND, review_app.CHINESE):
            seen, slip = review.open(rev, key).seen, RejectionReason.SLIP
            review.finish(rev, key, rest=slip, leave=["comments"], seen=seen, seconds=1)
        review.reopen_work(rev, FIRST, person=ana, reason="see rule 4")
        space.annotate.remove(ana, FIRST, "ana-3", version=1, seconds=1)
        space.annotate.finish(ana, FIRST, seconds=1)
    counts = []
    async with open_review(folder, sample="a", size=(120, 24)) as reviewer:
        await reviewer.press("q")
        about = reviewer.shown().splitlines()[-3]  # the line below the list of samples
        assert "changed since adjudication" in about
        assert "reopened" not in about
        await reviewer.press("enter")
        for pressed in ("", *keys.split()):
            await reviewer.press(pressed)
            assert reviewer.screen.open_sample
            counts.append(reviewer.screen.open_sample.finished)
    assert counts == sorted(counts)
    assert (counts[0], counts[-1]) == (2, 3)


async def test_incomplete_samples_end_the_queue_and_are_only_read(folder: Path) -> None:
    """A sample of which one of two people completed it has no keys of review."""
    with workspace.open(folder) as space:
        (key,) = fill(space.corpus, "1", dataset="pool")
        space.team.assignments.pool("pool", Pool(2, "ingested"))
        ana = space.person("ana").id
        assert space.annotate.next_unfinished(ana, None) == key
        space.annotate.finish(ana, key, seconds=1)
    async with open_review(folder, size=(120, 30)) as reviewer:
        await reviewer.press("q end")
        last = [line for line in reviewer.shown().splitlines() if line.startswith("▌")]
        assert "completed by 1 of 2" in last[0]
        await reviewer.press("enter")
        assert reviewer.sample == "1"
        assert reviewer.review_draft.blocked_reason == ReviewRefusal.WAITS
        await reviewer.press("enter")
        assert reviewer.message.text == ReviewRefusal.WAITS
    assert settled(folder, key) == ()


async def test_nothing_to_review_is_said(tmp_path: Path) -> None:
    """Where nobody is done with anything, it says what has to come first."""
    folder = annotate_app.make_workspace(tmp_path / "empty")
    app = AnnotateApp(
        lambda: workspace.open(folder), person="rev", look=annotate_app.LOOK, reviewing=True
    )
    async with app.run_test(size=(80, 24)) as pilot:
        reviewer = review_app.Reviewer(app, pilot)
        while ReviewScreen.no_sample.text()[:60] not in reviewer.shown():
            await pilot.pause(0.001)
        await pilot.press("q")


# afterwards


async def test_annotators_learn_how_theirs_was_settled(folder: Path) -> None:
    """L tells what became of each, and what was added; before it is settled, that it is not."""
    async with annotate_app.open_app(folder) as person:
        await person.press("L")
        assert person.draft.message.code is MessageCode.NO_LESSON_YET
    async with open_review(folder) as reviewer:
        at = next(
            at
            for at, candidate in enumerate(reviewer.review_draft.candidates, 1)
            if candidate.sources == ("li-1",)
        )
        await reviewer.press(f"{at} y c c x 1 enter 2 1")
    async with annotate_app.open_app(folder, size=(100, 30)) as person:
        await person.press("L")
        assert isinstance(person.app.screen, ReviewOutcomeDialog)
        shown = person.shown()
        assert 'Extrinsic "loved by families"' in shown
        assert 'Intrinsic "loved by families"' in shown
        assert WHY[RejectionReason.GUIDELINE].text() in shown
        marks_of_rows = [line.strip("│ ")[:1] for line in shown.splitlines()]
        assert [marks_of_rows.count(mark) for mark in "✗✓+"] == [2, 1, 1]
        for name in ("ben", "rev"):
            assert name not in shown.replace("been", "")
