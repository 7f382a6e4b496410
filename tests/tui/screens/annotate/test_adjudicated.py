"""The annotating screen on an adjudicated sample: it says that the work is locked, and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.screens import review_app
from tests.tui.screens.annotate_app import Person, open_app
from tests.tui.screens.review_app import FIRST, SECOND
from tui_annotate import workspace
from tui_annotate.domain.adjudication import RejectionReason
from tui_annotate.domain.annotations import annotation_to_json
from tui_annotate.domain.assignments import State
from tui_annotate.domain.samples import SampleKey
from tui_annotate.editor.actions import ACTIONS
from tui_annotate.editor.messages import MessageCode, StatusMessage
from tui_annotate.tui.screens.sample.rows import SampleMessage

ELSEWHERE = {"talk.write", "account.password", "undo", "redo", "sample.done"}


def adjudicate(folder: Path) -> None:
    """A reviewer completes the adjudication of the first sample."""
    with workspace.open(folder) as space:
        review, who = space.team.review, space.person("rev").id
        seen = review.open(who, FIRST).seen
        review.finish(
            who, FIRST, rest=RejectionReason.SLIP, leave=["comments"], seen=seen, seconds=1
        )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three people completed the first sample, and it is adjudicated."""
    made = review_app.make(tmp_path / "work")
    adjudicate(made)
    return made


def says_locked(person: Person) -> bool:
    return person.said().code is MessageCode.LOCKED


async def test_opening_a_locked_sample_says_so(folder: Path) -> None:
    """The message, the header and the status line show it; no hint offers that a digit saves.

    Each key that would change the sample shows it, and prepares nothing; a question to the
    reviewers is still possible.
    """
    async with open_app(folder) as person:
        assert says_locked(person)
        header = person.screen.header()
        assert header is not None
        assert header.reading == SampleMessage.LOCKED.text()
        await person.press("down")
        assert person.line() == MessageCode.LOCKED.text()
        for action in ACTIONS:
            if person.draft.state not in action.changes or action.id in ELSEWHERE:
                continue
            person.screen.do(action.id, digit="1")
            assert says_locked(person), action.id
            draft = person.draft
            assert not any((draft.evidence, draft.pending, draft.writing, draft.saves.sent))
        await person.settled()
        assert says_locked(person)
        await person.press("u")
        await person.settled()
        assert person.draft.sample.id != "a" or "adjudicated" in person.line()


async def test_undo_passes_over_the_locked_sample_and_says_so(tmp_path: Path) -> None:
    """`u` undoes the last action on an open sample, and `U` redoes it."""
    folder = review_app.make(tmp_path / "work")
    with workspace.open(folder) as space:
        ana = space.person("ana").id
        space.annotate.comment(ana, SECOND, "still open", seconds=1)
        space.annotate.comment(ana, FIRST, "now locked", seconds=1)
    adjudicate(folder)
    async with open_app(folder) as person:
        await person.press("u")
        await person.settled()
        said = person.said()
        assert said.code is MessageCode.WITH_MORE
        more = said.fields["more"]
        assert isinstance(more, StatusMessage)
        assert more.code is MessageCode.LOCKED_STAYS
        assert more.fields["sample"] == FIRST.id
        assert person.draft.sample.id == SECOND.id
    with workspace.open(folder) as space:
        works = [space.log.stream(ana, key).assignment.comment for key in (FIRST, SECOND)]
        assert works == ["now locked", ""]


async def test_a_sample_that_is_adjudicated_meanwhile_is_locked(tmp_path: Path) -> None:
    """The store refuses the first key, and the screen then shows the lock."""
    folder = review_app.make(tmp_path / "work")
    async with open_app(folder) as person:
        adjudicate(folder)
        await person.press("s")
        await person.settled()
        assert "adjudicated" in person.line()
        await person.press("down")
        await person.press("s")
        await person.settled()
        assert says_locked(person)
    with workspace.open(folder) as space:
        ana = space.person("ana").id
        assert space.log.stream(ana, FIRST).assignment.state is State.DONE


async def test_the_reason_of_a_reopening_is_shown_until_the_sample_is_completed(
    folder: Path,
) -> None:
    """The annotator's queue leads to the sample; a key changes it again."""
    with workspace.open(folder) as space:
        ana, rea = space.person("ana").id, space.person("rev").id
        space.team.review.reopen_work(rea, FIRST, person=ana, reason="see rule 4")
    async with open_app(folder, sample="") as person:
        assert person.draft.sample.id == "a"
        said = person.said()
        assert (said.code, said.fields["reason"]) == (MessageCode.REOPENED_FOR, "see rule 4")
        await person.press("s")
        await person.settled()
    with workspace.open(folder) as space:
        assert space.log.stream(ana, FIRST).assignment.state is State.SKIPPED
        assert space.annotate.open(ana, FIRST).lock.locked
        assert not space.annotate.open(ana, SECOND).lock.locked


def adjudicate_second(folder: Path) -> None:
    with workspace.open(folder) as space:
        review, who = space.team.review, space.person("rev").id
        seen = review.open(who, SECOND).seen
        review.finish(who, SECOND, seen=seen, seconds=1)


def reopen_work(folder: Path, key: SampleKey) -> None:
    with workspace.open(folder) as space:
        ana, rea = space.person("ana").id, space.person("rev").id
        space.team.review.reopen_work(rea, key, person=ana, reason="see rule 4")


async def test_enter_on_a_locked_sample_leads_to_reopened_work(folder: Path) -> None:
    """The annotator had completed everything, and did not start the program again."""
    adjudicate_second(folder)
    async with open_app(folder) as person:
        await person.press("enter")
        await person.settled()
        assert person.said().code is MessageCode.LOCKED_AND_LAST
        reopen_work(folder, SECOND)
        await person.press("enter")
        await person.settled()
        assert person.draft.sample.key == SECOND
        assert person.said().fields["reason"] == "see rule 4"


async def test_a_message_names_the_sample_that_is_open_now(folder: Path) -> None:
    """It was not the completed sample that a reviewer reopened."""
    adjudicate_second(folder)
    for key in (FIRST, SECOND):
        reopen_work(folder, key)
    async with open_app(folder, sample="b") as person:
        await person.press("enter")
        await person.settled()
        assert person.draft.sample.key == FIRST
        said = person.said()
        assert said.code is MessageCode.WITH_MORE
        now = said.fields["more"]
        assert isinstance(now, StatusMessage)
        assert (now.code, now.fields["sample"]) == (MessageCode.NOW_SAMPLE, "a")
        assert now.text in person.line()


async def test_progress_leaves_out_locked_samples(tmp_path: Path) -> None:
    """Ana skipped a sample that others completed; the header and the queue reach the end."""
    folder = review_app.make(tmp_path / "work")
    with workspace.open(folder) as space:
        space.annotate.skip(space.person("ana").id, SECOND, seconds=1)
        space.annotate.finish(space.person("li").id, SECOND, seconds=1)
    adjudicate_second(folder)
    async with open_app(folder) as person:
        header = person.screen.header()
        assert header is not None
        assert (header.finished, header.total, header.locked) == (2, 3, 1)
        assert (header.percent, header.aside) == (100, "1 locked")
        await person.press("enter")
        await person.settled()
        assert person.said().code is MessageCode.ALL_BUT_LOCKED


async def test_what_was_refused_before_the_lock_does_not_prevent_leaving(tmp_path: Path) -> None:
    """The unsaved annotation is kept for a reopening; the message is that of the lock."""
    folder = review_app.make(tmp_path / "work")
    refused = review_app.said("refused", "It cost", review_app.INTRINSIC)
    unsaved = [{"annotation": annotation_to_json(refused), "new": True}]
    with workspace.open(folder) as space:
        ana = space.person("ana").id
        space.annotate.people.keep_place(ana, FIRST, {"unsaved": unsaved})
    adjudicate(folder)
    async with open_app(folder) as person:
        assert says_locked(person)
        assert not person.draft.saves.refused
        assert person.draft.selection is None
        await person.press(">")
        assert person.draft.sample.key != FIRST
    with workspace.open(folder) as space:
        (item,) = space.annotate.people.place(ana, FIRST)["unsaved"]
        assert item["annotation"]["id"] == "refused"
