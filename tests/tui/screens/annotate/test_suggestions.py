"""What machines suggest, on the annotating screen: seen, accepted, changed, refused, undone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.suggestions import run
from tests.tui.screens.annotate_app import SOURCE, SUMMARY, Person, make_workspace, open_app
from tests.tui.screens.proposals import MAKER, Says, suggest
from tui_annotate import workspace
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.errors import Conflict, TuiAnnotateError, Unavailable
from tui_annotate.domain.samples import Document, Sample, SampleKey, SampleKind, Side
from tui_annotate.domain.spans import Span
from tui_annotate.domain.suggestions import AnswerKind, Suggestion, with_id
from tui_annotate.editor.glyphs import SUGGESTED
from tui_annotate.editor.messages import MessageCode, StatusMessage
from tui_annotate.services.annotate import AnnotationService
from tui_annotate.tui.dialogs.message import MessageDialog
from tui_annotate.tui.screens.sample import rows
from tui_annotate.tui.widgets.annotation_list import AnnotationList

WIDE = (140, 40)
KEY = SampleKey("films", "a")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace in which a machine suggests two things of the first sample."""
    made = make_workspace(tmp_path / "work")
    suggest(made)
    return made


def answers(folder: Path) -> list[tuple[AnswerKind | None, str]]:
    """What ana answered, as the store has it, in reading order."""
    with workspace.open(folder) as space:
        found = space.annotate.store.suggested(space.person("ana").id, KEY)
        return [(each.answer, each.reason) for each in found]


def gutter(person: Person, side: Side) -> list[str]:
    """The signs left of the lines that are seen."""
    pane = person.screen.pane(side)
    return [
        "".join(segment.text for segment in pane.render_line(y))[:4]
        for y in range(min(pane.size.height, pane.text_layout.lines))
    ]


async def test_opening_a_sample_says_how_many_are_open(folder: Path) -> None:
    """In the line, over the text, beside it and in the list; other samples say nothing."""
    async with open_app(folder, size=WIDE) as person:
        assert len(person.draft.offered) == 2
        assert "2 " in person.line()
        assert " c " in person.line()
        assert " y " in person.line()
        assert " Y " in person.line()
        shown = person.shown()
        report = rows.describe_open_suggestions(person.draft)
        assert "2" in report
        assert report in shown
        assert "judge:tiny 0.83" in shown
        assert any(SUGGESTED in signs for signs in gutter(person, Side.SUMMARY))
        assert not any(SUGGESTED in signs for signs in gutter(person, Side.SOURCE))
        await person.press("greater_than_sign")
        assert rows.describe_open_suggestions(person.draft) == ""
        assert "judge:tiny" not in person.shown()
        # What was looked at is remembered on coming back, so that one Enter completes the sample.
        await person.press("less_than_sign c c greater_than_sign less_than_sign down enter")
        assert person.draft.sample.id == "b"


async def test_the_evidence_of_the_one_in_focus_is_marked(folder: Path) -> None:
    """It is in sight with its sign; the whole reason is a key away."""
    async with open_app(folder, size=WIDE) as person:
        await person.press("c")
        assert person.line().startswith("y ")
        assert 'Intrinsic: "15 million pounds", evidence' in person.line()
        assert any(SUGGESTED in signs for signs in gutter(person, Side.SOURCE))
        assert "~ The source says 12 million." in person.shown()
        await person.press("g")
        assert isinstance(person.app.screen, MessageDialog)
        assert "The source says 12 million." in person.shown()
        await person.press("escape c")
        assert not any(SUGGESTED in signs for signs in gutter(person, Side.SOURCE))


async def test_y_makes_it_ones_own_and_u_opens_it_again(folder: Path) -> None:
    """The store tells where it comes from; undo and redo hold in any sample."""
    async with open_app(folder) as person:
        await person.press("c")
        last = person.shown().splitlines()[-1]
        assert "y accept" in last
        assert "x reject" in last
        await person.press("y")
        (made,) = person.annotations
        assert made.origin == "human"
        assert made.suggested is not None
        assert (made.suggested.maker, made.suggested.changed) == ("judge:tiny", False)
        assert person.draft.just_saved == made.id
        assert "Intrinsic" in person.line()
        assert " u " in person.line()
        assert [one.labels for one in person.draft.offered] == [(("Benign",),)]
        assert answers(folder) == [(AnswerKind.ACCEPTED, ""), (None, "")]
        await person.press("u")
        assert not person.annotations
        assert len(person.draft.offered) == 2
        assert person.draft.focused_suggestion == person.draft.offered[0]
        assert not person.draft.open
        assert answers(folder) == [(None, ""), (None, "")]
        await person.press("U")
        assert len(person.annotations) == 1
        assert len(person.draft.offered) == 1
        await person.press("greater_than_sign u")
        assert person.draft.sample.id == "a"
        assert len(person.draft.offered) == 2
        assert person.said().code is MessageCode.WITH_MORE
        first = person.said().fields["first"]
        assert isinstance(first, StatusMessage)
        assert first.code is MessageCode.UNDONE_ELSEWHERE
        await person.press("c y x")  # what was made of it is deleted: the machine's word stands
        assert [*person.annotations] == []
        assert len(person.draft.offered) == 2


async def test_changes_are_saved_as_such(folder: Path) -> None:
    """Another label; the list says that it was changed."""
    async with open_app(folder, size=WIDE) as person:
        await person.press("c e 1 2 enter")
        (made,) = person.annotations
        assert made.labels == (("Unwanted", "Extrinsic"),)
        assert made.suggested is not None
        assert made.suggested.changed
        assert answers(folder)[0] == (AnswerKind.CHANGED, "")
        await person.press("down a")
        assert "judge:tiny 0.83, " in person.line()


async def test_a_refusal_has_its_reason(folder: Path) -> None:
    """By digit or in own words; undo opens it again."""
    async with open_app(folder) as person:
        await person.press("c x")
        assert "1-4 choose reason" in person.shown().splitlines()[-1]
        await person.press("1")
        assert person.said().kind == "saved"
        assert "Intrinsic" in person.line()
        assert "judge:tiny" in person.line()
        assert " u " in person.line()
        assert " c " in person.line()
        assert answers(folder)[0] == (AnswerKind.REFUSED, "supported")
        await person.press("c x 0")
        await person.press("n o enter")
        assert answers(folder) == [(AnswerKind.REFUSED, "supported"), (AnswerKind.REFUSED, "no")]
        assert not person.draft.offered
        await person.press("u u")
        assert answers(folder) == [(None, ""), (None, "")]
        assert len(person.draft.offered) == 2


async def test_hiding_is_remembered(folder: Path) -> None:
    """For this person, on each sample and at the next start."""
    async with open_app(folder, size=WIDE) as person:
        await person.press("Y")
        report = rows.describe_open_suggestions(person.draft)
        assert person.draft.suggestions_hidden
        assert "2" in report
        assert report in person.shown()
        assert SUGGESTED not in "".join(gutter(person, Side.SUMMARY))
        assert "judge:tiny" not in person.shown()
        await person.press("down down down enter")
        assert person.draft.sample.id == "b"
    async with open_app(folder) as person:
        assert person.line() != ""
        assert not person.draft.offered
        assert not person.said()
        await person.press("c")
        assert not person.draft.focused
        await person.press("Y")
        assert len(person.draft.offered) == 2
        assert "2 " in person.line()
        assert " c " in person.line()


@pytest.mark.parametrize("practice", [False, True])
async def test_where_the_admin_wants_blind_work_nothing_is_shown(
    tmp_path: Path, *, practice: bool
) -> None:
    """No sign, no word, no count, no key; for practice neither."""
    folder = make_workspace(tmp_path / "work")
    suggest(folder, hidden=not practice)
    if practice:
        with workspace.open(folder) as space:
            space.person("ana")
            right = Annotation("k", (Anchor(Side.SUMMARY, 0, Span(0, 8)),), labels=(("Benign",),))
            space.annotate.add(space.person("kim").id, KEY, right, seconds=0)
            space.team.assignments.practice("films", ["ana"], gold="kim")
    async with open_app(folder, size=WIDE) as person:
        assert person.draft.suggestions == ()
        assert rows.describe_open_suggestions(person.draft) == ""
        assert "judge:tiny" not in person.shown()
        assert SUGGESTED not in "".join(gutter(person, Side.SUMMARY))
        await person.press("c")
        assert not person.draft.focused
        assert person.said()


async def test_a_click_in_the_list_brings_one_into_focus(folder: Path) -> None:
    """Behind one's own annotations; a click beyond both does nothing."""
    async with open_app(folder, size=WIDE) as person:
        await person.press("1")
        person.screen.on_annotation_list_picked(AnnotationList.Picked(2))
        assert person.draft.focused == person.draft.offered[1].id
        person.screen.on_annotation_list_picked(AnnotationList.Picked(9))
        assert person.draft.focused == person.draft.offered[1].id


async def test_evidence_in_another_document_brings_it_on_screen(tmp_path: Path) -> None:
    """The tab of the source side is the one that it lies in."""
    documents = (
        Document(Side.SOURCE, SOURCE, title="one"),
        Document(Side.SOURCE, "Nothing here. Nobody counted pounds.", title="two"),
        Document(Side.SUMMARY, SUMMARY),
    )
    folder = make_workspace(tmp_path / "work", samples=[Sample("films", "a", documents)])
    suggest(folder, Says("15 million pounds", evidence=[(1, "Nobody counted pounds.")]))
    async with open_app(folder, size=WIDE) as person:
        assert "1/2 one" in person.shown()
        await person.press("c")
        assert "2/2 two" in person.shown()
        assert any(SUGGESTED in signs for signs in gutter(person, Side.SOURCE))


async def test_a_document_alone_takes_suggestions_on_its_own_side(tmp_path: Path) -> None:
    """What is stored as evidence of nothing is a claim on the screen, and goes back as it was."""
    sample = Sample("films", "a", (Document(Side.SOURCE, SOURCE),), kind=SampleKind.DOCUMENT)
    folder = make_workspace(tmp_path / "work", samples=[sample])
    marked = (Anchor(Side.SOURCE, 0, Span(0, 8)),)
    with workspace.open(folder) as space:
        one = Suggestion(
            id="", maker=MAKER, run="r", claim=(), evidence=marked, labels=(("Passage",),)
        )
        space.machines.suggestions.add(run(dataset="films"), [(KEY, with_id(KEY, one))])
    async with open_app(folder) as person:
        await person.press("c y")
        (made,) = person.annotations
        assert made.claim == (Anchor(Side.SUMMARY, 0, Span(0, 8)),)
    with workspace.open(folder) as space:
        assert space.annotate.open(space.person("ana").id, KEY).annotations[0].evidence == marked


def refusing(error: TuiAnnotateError) -> Callable[..., Any]:
    """A deed that the store refuses."""

    def deed(*_: Any, **__: Any) -> Any:
        raise error

    return deed


async def test_what_the_store_refuses_is_open_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An acceptance, changes, a refusal: each is in hand as it was, and the reason is told."""
    full = refusing(Unavailable("the disk is full"))
    async with open_app(folder) as person:
        with monkeypatch.context() as patched:
            patched.setattr(AnnotationService, "accept", full)
            patched.setattr(AnnotationService, "refuse", full)
            await person.press("c y")
            assert person.said().kind == "error"
            assert "the disk is full" in person.line()
            assert person.draft.focused_suggestion is not None
            await person.press("e 3 enter")
            assert person.draft.editing
            assert ("Benign",) in person.draft.labels
            await person.press("e x 1")
            assert person.said().kind == "error"
            assert "the disk is full" in person.line()
            assert person.draft.focused_suggestion is not None
        await person.press("y")
        assert len(person.annotations) == 1


async def test_after_a_conflict_what_stands_is_read_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after one of a save: what another window did is on screen, and the reason is told."""
    async with open_app(folder) as person:
        with monkeypatch.context() as patched:
            patched.setattr(
                AnnotationService, "accept", refusing(Conflict("taken already", "look"))
            )
            with workspace.open(folder) as space:
                other = Annotation(
                    "o", (Anchor(Side.SUMMARY, 0, Span(0, 8)),), labels=(("Benign",),)
                )
                space.annotate.add(space.person("ana").id, KEY, other, seconds=0)
            await person.press("c y")
            assert person.said().kind == "error"
            assert "taken already · look" in person.line()
            assert len(person.annotations) == 1
