"""Reports, documents and citations in review: ratings are settled, a document has the screen."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from tests.tui.screens.annotate_app import make_workspace
from tests.tui.screens.collection_workspace import LABELS, Collection
from tests.tui.screens.review_app import open_review
from tui_annotate import workspace
from tui_annotate.domain.adjudication import OpenKind
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assignments import State
from tui_annotate.domain.people import SETTLED
from tui_annotate.domain.report_collections import PASSAGE
from tui_annotate.domain.samples import SampleKey, Side
from tui_annotate.domain.spans import Span
from tui_annotate.editor.review.questions import CONFIRMING, LEAVING

REPORT, DOCUMENT = SampleKey("pools", "r|7|run1"), SampleKey("pools", "d|7|doc-b")
MARKS = {"ana": Span(7, 13), "ben": Span(7, 14)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two people rated a report otherwise, and marked a document."""
    made = make_workspace(tmp_path / "space", labels=LABELS, samples=list(Collection().samples()))
    with workspace.open(made) as space:
        for name, word in (("ana", "Bad"), ("ben", "Perfect")):
            person = space.person(name).id
            space.annotate.rate(person, REPORT, word, seconds=1)
            space.annotate.finish(person, REPORT, seconds=1)
            anchor = Anchor(Side.SOURCE, 0, MARKS[name])
            passage = Annotation(f"{name}-1", (), (anchor,), (PASSAGE,))
            space.annotate.add(person, DOCUMENT, passage, seconds=1)
            space.annotate.finish(person, DOCUMENT, seconds=1)
    return made


async def test_a_rating_that_people_gave_otherwise_is_settled_by_a_key(folder: Path) -> None:
    """Rival ratings stand in the title; without a choice Enter says which key makes one."""
    async with open_review(folder, sample=REPORT.id) as person:
        shown = person.shown()  # letters are dealt anew in each workspace
        assert "mussels. [doc-a]" in shown
        assert "* rating" in shown
        assert any(
            f"rated {one} Perfect, {other} Bad" in shown for one, other in permutations("ABC", 2)
        )
        await person.press("enter")
        assert person.question == LEAVING
        assert person.review_draft.has_rating_conflict
        assert "*" in person.line()
        await person.press("backspace * 4")
        assert person.saved == ("rate", [])
        assert person.review_draft.rating == "Bad"
        await person.press("u")
        assert person.undone == "rate"
        assert person.review_draft.rating == ""
        await person.press("* 4 enter")
    with workspace.open(folder) as space:
        assert space.log.stream(SETTLED, REPORT).assignment.rating == "Bad"


async def test_a_reason_for_a_conflict_does_not_leave_the_rating(folder: Path) -> None:
    """Enter asks for the rating after the conflict; a choice completes the sample with it."""
    with workspace.open(folder) as space:
        mark = Annotation("x", (Anchor(Side.SUMMARY, 0, Span(0, 4)),), (), (PASSAGE,))
        ana = space.person("ana").id
        space.annotate.add(ana, REPORT, mark, seconds=1)
        space.annotate.finish(ana, REPORT, seconds=1)
    async with open_review(folder, sample=REPORT.id) as person:
        await person.press("enter 1")
        assert person.question == LEAVING
        assert person.review_draft.asked_kind is OpenKind.RATING
        assert person.progress == State.NEW
        await person.press("backspace * 4 enter 1")
    with workspace.open(folder) as space:
        settled = space.log.stream(SETTLED, REPORT).assignment
        assert (settled.state, settled.rating) == (State.DONE, "Bad")


async def test_a_rating_that_changed_is_decided_again(folder: Path) -> None:
    """The queue and the header say it with the same mark, until Enter keeps it on purpose."""
    async with open_review(folder, sample=REPORT.id) as person:
        await person.press("* 4 enter")
    with workspace.open(folder) as space:
        space.corpus.allow_edits_after_adjudication(REPORT.dataset, allowed=True)
        ben = space.person("ben").id
        space.annotate.rate(ben, REPORT, "So-so", seconds=1)
        space.annotate.finish(ben, REPORT, seconds=1)
    async with open_review(folder, sample=REPORT.id, size=(100, 30)) as person:
        assert "↺ changed since adjudication" in person.shown()
        assert "✓ completed" not in person.shown()
        await person.press("q")
        row = next(line for line in person.shown().splitlines() if "changed since" in line)
        assert "↺" in row
        await person.press("escape enter")
        assert person.question == CONFIRMING
        assert person.review_draft.asked_kind is OpenKind.CHANGED
        await person.press("1")
    with workspace.open(folder) as space:
        rows = space.team.review.queue(space.person("rev").id)
        assert [row.settled for row in rows if row.key == REPORT] == [True]


async def test_no_rating_may_be_settled_with_a_reason(folder: Path) -> None:
    """As for a place with nothing taken."""
    async with open_review(folder, sample=REPORT.id) as person:
        await person.press("enter 1")
    with workspace.open(folder) as space:
        settled = space.log.stream(SETTLED, REPORT).assignment
        assert (settled.state, settled.rating) == (State.DONE, "")


async def test_a_document_alone_has_the_screen_in_review_too(folder: Path) -> None:
    """Its rival passages are marked in its text, and the cursor is there from the start."""
    async with open_review(folder, sample=DOCUMENT.id) as person:
        shown = person.shown()
        assert "A crab sheds its shell." in shown
        assert "━ DOCUMENT" in shown
        assert "group 1/1" in shown
        assert "SUMMARY" not in shown
        assert "SOURCE" not in shown
        assert person.app.sample_screen.pane(Side.SUMMARY).cursor_offset == MARKS["ana"].start


async def test_passages_of_a_document_are_taken_edited_and_added(folder: Path) -> None:
    """What stands is of the document's own side, with the extents that were on screen."""
    async with open_review(folder, sample=DOCUMENT.id) as person:
        await person.press("1 y")
        assert person.saved == ("take", [(PASSAGE,)])
        await person.press("home v +")
        await person.press("1 enter")
        assert person.saved == ("own", [(PASSAGE,)])
        await person.press("e m s h o r t enter enter enter")
    with workspace.open(folder) as space:
        made = space.log.stream(SETTLED, DOCUMENT).annotations
        text = space.corpus.sample(DOCUMENT).sample.document(Side.SOURCE).text
    found = {one.evidence[0].span.of(text): one.note for one in made}
    assert all(one.claim == () and one.evidence[0].side is Side.SOURCE for one in made)
    assert len(made) == 2
    assert found[text.split()[0]] == "short"


async def test_a_comment_is_settled_by_a_key(folder: Path) -> None:
    """It begins with what was said, if that is one thing; one press takes it back."""
    with workspace.open(folder) as space:
        space.annotate.comment(space.person("ana").id, REPORT, "too short", seconds=1)
    async with open_review(folder, sample=REPORT.id) as person:
        await person.press("m enter")
        assert person.saved == ("comment", [])
        await person.press("u")
        assert person.undone == "comment"
        await person.press("m enter * 4 enter")
    with workspace.open(folder) as space:
        assert space.log.stream(SETTLED, REPORT).assignment.comment == "too short"
