"""Labels that change under an open screen: told, taken over, nothing typed is lost."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from tests.tui.screens.annotate_app import LABELS, Person, make_workspace, open_app
from tui_annotate import workspace
from tui_annotate.domain.annotations import Annotation, LabelPath, anchor_to_json
from tui_annotate.domain.samples import SampleKey
from tui_annotate.editor.messages import MessageCode, StatusMessage
from tui_annotate.services.relabel import LabelChangeService
from tui_annotate.storage.labels.store import GuidanceKind
from tui_annotate.tui.dialogs.news import NewsDialog
from tui_annotate.tui.screens.sample import rows
from tui_annotate.tui.store_thread import StoreJob
from tui_annotate.tui.widgets.header_bar import SaveState

INTRINSIC: LabelPath = ("Unwanted", "Intrinsic")
EXTRINSIC: LabelPath = ("Unwanted", "Extrinsic")
OTHER = LABELS.replace("- Benign\n", "- Odd\n")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace of three samples."""
    return make_workspace(tmp_path / "work")


def relabel(folder: Path, labels: str) -> None:
    """Another process puts another label set in force."""
    with workspace.open(folder) as space:
        space.team.guidance.keep(GuidanceKind.LABELS, labels)
    (folder / "labels.yaml").write_text(labels, "utf-8")


def admin(folder: Path, change: Callable[[LabelChangeService], object]) -> None:
    """Another process changes the labels, with all work under them."""
    with workspace.open(folder) as space:
        change(space.team.relabel)


def stored(folder: Path) -> list[Annotation]:
    """What the store holds."""
    with workspace.open(folder) as space:
        assert [finding for finding in space.check() if finding.state == "error"] == []
        return [owned.annotation for _, owned in space.annotations()]


@contextmanager
def answers_wait(person: Person) -> Iterator[None]:
    """The store answers nothing that is asked of it in here before the end of it."""
    pressed = Event()
    wait = StoreJob(lambda: pressed.wait(60), lambda _: None, lambda _: None)
    person.screen.saver.send(wait)
    try:
        yield
    finally:
        pressed.set()


async def in_one_breath(person: Person, keys: str) -> None:
    """The store answers none of these keys before the last of them was pressed."""
    with answers_wait(person):
        await person.pilot.press(*keys.split())
    await person.settled()


def bar(person: Person) -> list[str]:
    """What the digits are."""
    return [option.text for option in person.draft.options()]


async def test_a_save_under_old_labels_is_told_and_the_next_key_saves(folder: Path) -> None:
    """The claim, its evidence and its note come back; the bar has the new labels at once."""
    async with open_app(folder) as person:
        await person.press("down space v m h i enter")
        claim, evidence = person.draft.claim, list(person.draft.evidence)
        relabel(folder, OTHER)
        await person.press("3")
        assert person.draft.save_failed
        assert person.said().kind == "error"
        assert "Benign" in person.line()
        assert "Odd" in person.line()
        assert person.screen.saves.state is SaveState.NOT_SAVED
        assert SaveState.NOT_SAVED.text() in person.shown()
        assert "Odd" in person.shown()
        assert bar(person)[2] == "Odd"
        assert (person.draft.claim, person.draft.evidence) == (claim, evidence)
        await person.press("3")
        (saved,) = person.annotations
        assert (saved.labels, saved.claim, saved.note) == ((("Odd",),), claim, "hi")
        assert saved.evidence == tuple(evidence)


async def test_what_is_pressed_behind_a_save_that_is_refused_is_not_done(folder: Path) -> None:
    """The first claim is in hand, what is behind it is dropped; nothing opens or is saved."""
    async with open_app(folder) as person:
        for labels, behind in ((OTHER, "down 2"), (LABELS, "M x"), (OTHER, "G b")):
            await person.press("home")
            first = person.draft.claim
            relabel(folder, labels)
            await in_one_breath(person, f"1 {behind}")
            assert person.draft.save_failed, behind
            assert person.said().kind == "error"
            assert "Benign" in person.line()
            assert "Odd" in person.line()
            assert (person.app.screen, person.draft.writing) == (person.screen, None), behind
            assert (person.draft.claim, person.draft.saves.refused) == (first, ())
            await person.press("1")
            assert [(known.claim, known.labels) for known in person.annotations] == [
                (first, (INTRINSIC,))
            ]
            assert len(stored(folder)) == 1, behind
            await person.press("x")


async def test_words_selected_behind_a_save_that_is_refused_stay_in_hand(folder: Path) -> None:
    """They are saved first, then what was refused comes back; no note line was opened."""
    async with open_app(folder) as person:
        await person.press("down")
        relabel(folder, OTHER)
        await in_one_breath(person, "1 down v m h i")
        assert len(person.draft.saves.refused) == 1
        assert person.said().kind == "error"
        assert "Intrinsic" in person.line()
        assert "Benign" in person.line()
        assert (person.draft.writing, person.draft.note) == (None, "")
        await person.press("3")
        (known,) = person.annotations
        assert (known.labels, known.note) == ((("Odd",),), "")
        await person.press("1")
        assert [one.labels for one in person.annotations] == [(INTRINSIC,), (("Odd",),)]
        assert not person.draft.saves.refused


async def test_what_was_refused_survives_the_end_of_the_program(folder: Path) -> None:
    """A refused annotation waits behind other work, and the program is quit: both come back."""
    async with open_app(folder) as person:
        await person.press("down")
        refused = person.draft.claim
        relabel(folder, OTHER)
        await in_one_breath(person, "1 down v m h i")
        assert len(person.draft.saves.refused) == 1
        selected = person.draft.claim
        assert selected != refused
        await person.press("ctrl+q")
    async with open_app(folder) as person:
        assert person.draft.claim == selected
        assert len(person.draft.saves.refused) == 1
        await person.press("escape 3")  # closes the news of the changed labels
        assert person.draft.claim == refused
        await person.press("ctrl+q")
    async with open_app(folder) as person:
        assert person.draft.claim == refused
        await person.press("1")
        assert [one.labels for one in person.annotations] == [(INTRINSIC,), (("Odd",),)]


async def test_a_refused_annotation_alone_is_in_the_draft_after_a_restart(folder: Path) -> None:
    """The message asks to save it again; Enter does not complete the sample without it."""
    async with open_app(folder) as person:
        await person.press("down")
        refused = person.draft.claim
        relabel(folder, OTHER)
        await in_one_breath(person, "1 down v m h i")
        await person.press("backspace")
        assert person.draft.selection is None
        await person.press("ctrl+q")
    async with open_app(folder) as person:
        assert person.draft.claim == refused
        assert person.said().code is MessageCode.NOT_SAVED_TRY_AGAIN
        await person.press("escape 1")
        assert [one.claim for one in person.annotations] == [refused]


FILMS_A = SampleKey("films", "a")


def kept_unsaved(folder: Path) -> list[dict[str, Any]]:
    """Return the unsaved annotations that are stored with the position in sample a."""
    with workspace.open(folder) as space:
        place = space.annotate.people.place(space.person("ana").id, FILMS_A)
    unsaved: list[dict[str, Any]] = place.get("unsaved", [])
    return unsaved


async def test_a_refusal_is_stored_at_once(folder: Path) -> None:
    """No key follows it, and the process may be killed."""
    async with open_app(folder) as person:
        await person.press("down")
        claim = person.draft.claim
        relabel(folder, OTHER)
        await person.press("1")
        assert person.draft.save_failed
        (item,) = kept_unsaved(folder)
        assert item["annotation"]["claim"] == [anchor_to_json(each) for each in claim]


async def test_a_save_that_ends_after_the_screen_is_no_unsaved_work(folder: Path) -> None:
    """The terminal closes while the store is busy: the annotation is stored, and nothing waits."""
    async with open_app(folder) as person:
        with answers_wait(person):
            await person.pilot.press("1")
            assert len(person.draft.saves.sent) == 1
            person.screen.quit()
    assert len(stored(folder)) == 1
    assert kept_unsaved(folder) == []


async def test_two_claims_that_are_refused_both_come_back(folder: Path) -> None:
    """A click waits for no save, so two can be on their way; the second comes after the first."""
    async with open_app(folder) as person:
        row, line = next(
            (at, line) for at, line in enumerate(person.shown().splitlines()) if "Extrinsic" in line
        )
        relabel(folder, OTHER)
        with answers_wait(person):
            await person.pilot.press("1", "down")
            await person.pilot.click(offset=(line.index("Extrinsic"), row))
            assert len(person.draft.saves.sent) == 2
        await person.settled()
        first = person.draft.claim
        await person.press("1")
        second = person.draft.claim
        assert first != second
        await person.press("2")
        assert [(known.claim, known.labels) for known in person.annotations] == [
            (first, (INTRINSIC,)),
            (second, (EXTRINSIC,)),
        ]
        assert not person.draft.saves.refused


async def test_a_note_that_is_being_typed_is_not_torn_away(folder: Path) -> None:
    """Opened from the palette, which waits for no save: it goes on, and the refused one waits."""
    async with open_app(folder) as person:
        claim = person.draft.claim
        relabel(folder, OTHER)
        with answers_wait(person):
            await person.pilot.press("1")
            person.screen.do("comment.write")
            await person.pilot.press("h", "i")
        await person.settled()
        assert len(person.draft.saves.refused) == 1
        assert person.said().kind == "error"
        assert "Intrinsic" in person.line()
        assert "Benign" in person.line()
        assert "hi" in person.shown()
        await person.press("! enter")
        assert person.screen.open_sample is not None
        assert person.screen.open_sample.assignment.comment == "hi!"
        await person.press("enter 1")
        assert [(known.claim, known.labels) for known in person.annotations] == [
            (claim, (INTRINSIC,))
        ]


async def test_who_chose_another_sample_meanwhile_stays_with_what_was_refused(
    folder: Path,
) -> None:
    """The list opened from the palette leads nowhere while a claim is not saved."""
    async with open_app(folder) as person:
        claim = person.draft.claim
        relabel(folder, OTHER)
        with answers_wait(person):
            await person.pilot.press("1")
            person.screen.do("sample.go")
            await person.pilot.press("b")
        await person.settled()
        await person.press("enter")
        assert person.draft.sample.id == "a"
        assert person.draft.save_failed
        assert person.said().kind == "warning"
        await person.press("1")
        assert [known.claim for known in person.annotations] == [claim]


async def test_done_under_old_labels_is_told_and_the_next_enter_is_done(folder: Path) -> None:
    """The sample stays until it was seen under the labels of now."""
    async with open_app(folder) as person:
        await person.press("down down down")
        relabel(folder, OTHER)
        await person.press("enter")
        assert person.said().code is MessageCode.CHANGED_LOOK_AGAIN
        changed = person.said().fields["changed"]
        assert isinstance(changed, StatusMessage)
        assert changed.code is MessageCode.LABELS_CHANGED
        assert "Benign" in person.line()
        assert "Odd" in person.line()
        assert person.screen.open_sample is not None
        assert person.screen.open_sample.sample.id == "a"
        await person.press("enter")
        assert person.screen.open_sample.sample.id == "b"


async def test_other_labels_on_screen_must_be_seen_before_a_digit(folder: Path) -> None:
    """A digit may mean another label than the one that its user saw."""
    async with open_app(folder) as person:
        opened = person.screen.guard.opens_at
        person.screen.reload()
        await person.settled()
        assert person.screen.guard.opens_at == opened
        relabel(folder, OTHER)
        person.screen.reload()
        await person.settled()
        assert person.screen.guard.opens_at > opened


async def test_a_sample_that_is_opened_has_the_labels_of_now(folder: Path) -> None:
    """Nothing is refused where nothing was seen before."""
    async with open_app(folder) as person:
        relabel(folder, OTHER)
        await person.press("greater_than_sign")
        assert bar(person)[2] == "Odd"
        await person.press("3")
        assert [known.labels for known in person.annotations] == [(("Odd",),)]


# by the commands of admins


async def test_a_rename_is_told_by_both_names(folder: Path) -> None:
    """Work that is there has the new name, the claim in hand is saved under it by the same key."""
    async with open_app(folder) as person:
        await person.press("1 down v m o k enter")
        admin(folder, lambda labels: labels.rename("Unwanted.Intrinsic", "Made up"))
        await person.press("1")
        assert person.draft.save_failed
        assert person.said().kind == "error"
        assert "Intrinsic" in person.line()
        assert "Made up" in person.line()
        assert [known.labels for known in person.annotations] == [(("Unwanted", "Made up"),)]
        await person.press("1")
    assert [(known.labels, known.note) for known in stored(folder)] == [
        ((("Unwanted", "Made up"),), ""),
        ((("Unwanted", "Made up"),), "ok"),
    ]


async def test_an_edit_that_a_merge_overtook_is_saved_by_the_next_enter(folder: Path) -> None:
    """What was typed is there, the label is the one that stands for both."""
    async with open_app(folder) as person:
        await person.press("1 a e 3 m w h y enter")
        admin(folder, lambda labels: labels.merge(["Unwanted.Intrinsic"], "Unwanted.Extrinsic"))
        await person.press("enter")
        assert person.draft.save_failed
        assert person.said().kind == "error"
        assert "Intrinsic" in person.line()
        assert "Extrinsic" in person.line()
        assert "Enter" in person.line()
        assert (person.draft.labels, person.draft.note) == ([EXTRINSIC, ("Benign",)], "why")
        await person.press("enter")
    (known,) = stored(folder)
    assert (known.labels, known.note) == ((EXTRINSIC, ("Benign",)), "why")


async def test_deleting_what_was_renamed_is_told_and_the_next_x_deletes(folder: Path) -> None:
    """It is another version now, which was not seen."""
    async with open_app(folder) as person:
        await person.press("1 a")
        admin(folder, lambda labels: labels.rename("Unwanted.Intrinsic", "Made up"))
        await person.press("x")
        assert person.said().code is MessageCode.CHANGED_LOOK_AGAIN
        assert "Intrinsic" in person.line()
        assert "Made up" in person.line()
        await person.press("x")
        assert person.annotations == ()


async def test_a_retired_label_stays_where_it_is_and_is_not_offered(folder: Path) -> None:
    """In the list and by its colour; not on the bar; its annotation can still get a note."""
    async with open_app(folder, size=(140, 40)) as person:
        await person.press("3 down")
        admin(folder, lambda labels: labels.retire("Benign"))
        await person.press("3")
        assert person.draft.save_failed
        assert person.said().kind == "error"
        assert "Benign" in person.line()
        assert "Benign" not in bar(person)
        assert re.search(r"Benign \(\w+\)", person.shown())
        await person.press("backspace a m o k enter")
        assert [(known.labels, known.note) for known in person.annotations] == [
            ((("Benign",),), "ok")
        ]


async def test_a_split_leads_through_what_is_to_be_labelled_anew(folder: Path) -> None:
    """The finished sample is reopened and says why; c and a digit each, Enter, and it is done."""
    async with open_app(folder, size=(140, 40)) as person:
        await person.press("1 down 1 down 3 down enter")
        assert person.screen.open_sample is not None
        assert person.screen.open_sample.sample.id == "b"
        admin(folder, lambda labels: labels.split("Unwanted.Intrinsic", ["Number", "Name"]))
        await person.press("less_than_sign")
        assert person.screen.open_sample.assignment.state == "reopened"
        assert person.said().kind == "warning"
        assert "Intrinsic" in person.line()
        assert "Number" in person.line()
        assert "Name" in person.line()
        assert " c " in person.line()
        report = rows.describe_split(person.draft)
        assert "2" in report
        assert report in person.shown()
        assert re.search(r"Number \w+ Name\?", person.shown())
        assert "Intrinsic" not in bar(person)
        await person.press("c")
        assert rows.bar(person.draft)[1:] == ("Intrinsic:", False)
        await person.press("2 c 1")
        assert person.draft.just_saved
        assert "Number" in person.line()
        assert rows.describe_split(person.draft) == ""
        await person.press("up down enter")
        assert person.screen.open_sample.sample.id == "b"
    assert [known.labels[0][-1] for known in stored(folder)] == ["Name", "Number", "Benign"]


async def test_a_change_that_was_taken_back_has_changed_nothing(folder: Path) -> None:
    """Labels are called as before, so the next key saves."""
    async with open_app(folder) as person:
        await person.press("1 down")
        admin(folder, lambda labels: labels.rename("Unwanted.Intrinsic", "Made up"))
        admin(folder, lambda labels: labels.undo())
        await person.press("1")
        assert [known.labels for known in person.annotations] == [(INTRINSIC,), (INTRINSIC,)]


async def test_a_label_file_that_is_not_in_force_is_told_at_the_start(folder: Path) -> None:
    """With the command that says more, and not whose work it is about."""
    async with open_app(folder) as person:
        await person.press("3")
    (folder / "labels.yaml").write_text(OTHER, "utf-8")
    async with open_app(folder) as person:
        assert person.line().endswith("labels apply labels.yaml --dry-run")
        assert "Benign" not in person.line()
        assert bar(person)[2] == "Benign"
        await person.press("down")
        assert "labels.yaml" not in person.line()


async def test_the_list_of_labels_offers_what_may_be_given(folder: Path) -> None:
    """Of an annotation that is edited, also what it has."""
    async with open_app(folder) as person:
        await person.press("3 down")
    admin(folder, lambda labels: labels.retire("Benign"))
    async with open_app(folder) as person:
        assert isinstance(person.app.screen, NewsDialog)
        await person.press("escape down 0")
        assert "Benign" not in person.shown()
        await person.press("escape a e 0")
        assert "Benign" in person.shown()
        assert "retired" in person.shown()
        await person.press("escape e")
