"""The annotating screen by keys, on a real workspace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.editor.draft_samples import typed_codes
from tests.tui.screens.annotate_app import CHINESE, SUMMARY, Person, make_workspace, open_app
from tui_annotate import workspace
from tui_annotate.domain.assignments import State
from tui_annotate.domain.samples import Match, SampleKey, Side
from tui_annotate.domain.spans import Span
from tui_annotate.editor.actions import ACTIONS, action_of
from tui_annotate.editor.effects import Blink, Effect
from tui_annotate.editor.key_state import READING
from tui_annotate.editor.messages import MessageCode
from tui_annotate.editor.state import ANNOTATION, Note
from tui_annotate.tui.screens.annotate import loader
from tui_annotate.tui.screens.sample.palette import FIRST_GROUPS, LAST_GROUPS, ActionProvider
from tui_annotate.tui.widgets.header_bar import SaveState


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace."""
    return make_workspace(tmp_path / "work")


def claims(person: Person) -> list[tuple[str, str, int]]:
    """(claim's text, last name of its label, pieces of evidence), in reading order."""
    text = person.draft.text(Side.SUMMARY)
    return [
        (known.claim[0].span.of(text), known.labels[0][-1], len(known.evidence))
        for known in person.annotations
    ]


# acceptance: keys for what is done most


@dataclass(frozen=True)
class Task:
    """An annotation that is made often: words to select by letters, or keys; and its costs."""

    start: str
    steps: Sequence[tuple[str, str] | str]
    made: Sequence[tuple[str, str, int]]
    most: int


TASKS = (
    Task("home", [("was", "loved"), "1"], [("was loved", "Intrinsic", 0)], 5),
    Task(
        "home down",
        [("15", "pounds"), "space 1"],
        [("15 million pounds", "Intrinsic", 1)],
        6,
    ),
    Task(
        "home",
        ["full_stop full_stop n space 2"],
        [(SUMMARY[: SUMMARY.index(" Nobody")], "Extrinsic", 1)],
        6,
    ),
    Task(
        "home",
        [("was", "loved"), "1", ("loved", "families"), "2"],
        [("was loved", "Intrinsic", 0), ("loved by families", "Extrinsic", 0)],
        10,
    ),
    Task(
        "home",
        [("was", "loved"), "1", ("was", "loved"), "2"],
        [("was loved", "Intrinsic", 0), ("was loved", "Extrinsic", 0)],
        10,
    ),
)


async def test_common_annotations_cost_few_keys(folder: Path) -> None:
    """Letters and digits: of two words, with a match, over sentences, two on the same words."""
    async with open_app(folder) as person:
        for task in TASKS:
            await person.press(task.start)
            person.count = 0
            for step in task.steps:
                await (person.press(step) if isinstance(step, str) else person.words(*step))
            assert claims(person) == list(task.made)
            assert person.count <= task.most, task
            if task.made[0][0].startswith("15"):
                budget = person.annotations[0].evidence[0].span.of(person.draft.text(Side.SOURCE))
                assert budget.startswith("Its budget was 12 million pounds")
            while person.annotations:
                await person.press("a x")


async def test_five_chinese_characters_with_match_1_cost_few_keys(folder: Path) -> None:
    """From the start of their sentence: at most 8."""
    async with open_app(folder, sample="c") as person:
        await person.press("down")
        person.count = 0
        wanted = "一千五百万"
        await person.press("f")
        assert person.draft.hints is not None
        ways = typed_codes(person.draft.hints)
        start = CHINESE.index(wanted)
        await person.press(" ".join(ways[Span(start, start + 1)]))
        await person.press(" ".join(ways[Span(start + 4, start + 5)]))
        assert person.draft.selection == Span(start, start + 5)
        await person.press("space 1")
        assert claims(person) == [(wanted, "Intrinsic", 1)]
        assert person.count <= 8


# the loop


async def test_each_side_lights_up_the_other(folder: Path) -> None:
    """From the first frame on; exact words of the source are evidence, selected by letters."""
    async with open_app(folder) as person:
        assert "1-6" in person.line()
        assert person.draft.segment(Side.SUMMARY) == 0
        assert person.draft.evidence == []
        assert person.draft.matches[Side.SOURCE][0].segment == 0
        await person.press("down")
        assert person.draft.matches[Side.SOURCE][0].segment == 2
        assert "12 million pounds" in person.shown()
        await person.press("tab")
        assert person.draft.matches[Side.SUMMARY][0].segment == 1
        await person.press("down down")
        assert person.draft.matches[Side.SUMMARY][0].segment == 2
        assert person.draft.matches[Side.SOURCE][0].segment == 2
        await person.press("tab")
        assert person.draft.matches[Side.SUMMARY] == ()
        await person.press("tab")
        await person.words("12", "pounds")
        await person.press("space")
        assert person.draft.state is READING
        await person.press("1")
        (known,) = person.annotations
        assert known.evidence[0].span.of(person.draft.text(Side.SOURCE)) == "12 million pounds"


async def test_saved_is_told_after_the_commit_and_survives_a_restart(folder: Path) -> None:
    """What the line calls saved is in the store, and the place is kept."""
    async with open_app(folder) as person:
        await person.press("down 1")
        assert person.draft.just_saved == person.annotations[0].id
        assert "Intrinsic" in person.line()
        assert f"✓ {SaveState.SAVED.text()}" in person.shown()
        await person.press("down")
    async with open_app(folder, sample="") as person:
        assert claims(person) == [("It cost 15 million pounds to make.", "Intrinsic", 0)]


async def test_undo_and_redo_go_over_samples(folder: Path) -> None:
    """The sample that an undo changes comes on screen, with its words."""
    async with open_app(folder) as person:
        await person.press("1 greater_than_sign 2")
        assert person.screen.open_sample is not None
        assert person.screen.open_sample.sample.id == "b"
        await person.press("u")
        assert claims(person) == []
        assert person.said().code is MessageCode.UNDONE
        assert "Extrinsic" in person.line()
        await person.press("backspace u")
        assert person.screen.open_sample.sample.id == "a"
        assert claims(person) == []
        assert person.said().code is MessageCode.UNDONE_ELSEWHERE
        assert person.said().fields["sample"] == SampleKey("films", "a")
        await person.press("U")
        assert [label for _, label, _ in claims(person)] == ["Intrinsic"]
        assert person.draft.focused == person.annotations[0].id
        assert person.said().code is MessageCode.REDONE
        await person.press("U")
        assert person.screen.open_sample.sample.id == "b"
        assert len(claims(person)) == 1
        await person.press("U")
        assert person.said().code is MessageCode.NOTHING_TO_REDO


async def test_an_edit_changes_labels_evidence_and_claim(folder: Path) -> None:
    """e, toggles, Space, Enter: a new version of the same annotation."""
    async with open_app(folder) as person:
        await person.press("1 e 2 1 space enter")
        (known,) = person.annotations
        assert known.version == 2
        assert known.labels == (("Unwanted", "Extrinsic"),)
        assert len(known.evidence) == 1
        await person.press("e")
        await person.words("was", "loved")
        await person.press("enter")
        assert claims(person) == [("was loved", "Extrinsic", 1)]
        await person.press("x")
        assert claims(person) == []
        assert person.said().code is MessageCode.ANNOTATION_DELETED
        assert person.said().fields["labels"] == "Extrinsic"
        await person.press("u")
        assert claims(person) == [("was loved", "Extrinsic", 1)]


async def test_samples_are_finished_by_one_key_each(folder: Path) -> None:
    """What was on screen counts as read; the end is told in words, and nothing is closed."""
    async with open_app(folder) as person:
        await person.press("enter")
        assert person.screen.open_sample is not None
        assert person.screen.open_sample.sample.id == "b"
        assert person.said().code is MessageCode.SAMPLE_ENDED
        assert person.said().fields == {
            "sample": "a",
            "state": State.DONE.display_name,
        }
        assert person.screen.open_sample.finished == 1
        await person.press("enter")
        assert person.said().code is MessageCode.SAMPLE_ENDED
        await person.press("enter")
        assert person.said().code is MessageCode.ALL_FINISHED
        assert "100%" in person.shown()
        await person.press("u")
        assert person.screen.open_sample.assignment.state == "new"


async def test_the_end_leads_back_to_skipped_samples(folder: Path) -> None:
    """They are not completed, and neither are flagged ones; each is counted apart."""
    async with open_app(folder, size=(140, 40)) as person:
        await person.press("s")
        assert " 0% · 1 skipped" in person.shown()
        await person.press("exclamation_mark 1 enter")
        assert person.said().code is MessageCode.BACK_TO_SKIPPED
        assert person.screen.open_sample is not None
        assert person.screen.open_sample.sample.id == "a"
        assert " 33% · 1 skipped, 1 flagged" in person.shown()
        await person.press("s")
        assert person.said().code is MessageCode.SET_ASIDE_LEFT
        assert person.screen.open_sample.sample.id == "a"
        await person.press("enter")
        assert person.said().code is MessageCode.SET_ASIDE_LEFT
        assert person.said().fields == {"sample": "a", "state": "completed", "count": "1 flagged"}
        assert " 66% · 1 flagged" in person.shown()
    async with open_app(folder, sample="", size=(140, 40)) as person:
        await person.press("u s q")
        assert "1/3 completed · »1 ⚑1" in person.shown()


async def test_a_start_opens_a_skipped_sample_if_no_other_is_left(folder: Path) -> None:
    """The sample that was open last is completed."""
    async with open_app(folder, sample="a") as person:
        await person.press("greater_than_sign s enter less_than_sign less_than_sign enter")
    async with open_app(folder, sample="") as person:
        assert person.screen.open_sample is not None
        assert person.screen.open_sample.sample.id == "b"
        await person.press("down")
    async with open_app(folder, sample="") as person:  # where it was closed, although skipped
        assert person.screen.open_sample is not None
        assert person.screen.open_sample.sample.id == "b"


async def test_a_flag_takes_a_reason(folder: Path) -> None:
    """By digit, in own words, or by their first letter, also one that is a command elsewhere."""
    async with open_app(folder) as person:
        await person.press("exclamation_mark")
        assert " 4  harmful    0  " in person.shown()
        await person.press("3 less_than_sign")
        assert person.screen.open_sample is not None
        assert person.screen.open_sample.assignment.state == "flagged"
        assert person.screen.open_sample.assignment.comment == "broken text"
        for keys, reason in (("0 o d d", "odd"), ("n u s t", "nust"), ("不 好", "不好")):
            await person.press(f"exclamation_mark {keys} enter less_than_sign")
            assert person.screen.open_sample.sample.id == "a"
            assert person.screen.open_sample.assignment.comment == reason


async def test_a_note_after_a_save(folder: Path) -> None:
    """m, text, Enter; the next note is suggested from it."""
    async with open_app(folder) as person:
        await person.press("1 m")
        assert person.draft.writing == Note(ANNOTATION, person.annotations[0].id)
        assert "A Intrinsic" in person.line()
        await person.press("w h y enter")
        assert person.annotations[0].note == "why"
        assert person.draft.just_saved == person.annotations[0].id
        assert "Intrinsic, with a note" in person.line()
        await person.press("down 2 m w tab enter")
        assert person.annotations[1].note == "why"
        await person.press("down m s o escape")
        assert [*person.draft.kept_notes.values()] == ["so"]
        assert person.said()
        await person.press("m enter")
        assert person.screen.open_sample is not None
        assert person.screen.open_sample.assignment.comment == "so"


async def test_finding_words_and_walking_the_hits(folder: Path) -> None:
    """/ text Enter n N, and Backspace ends it."""
    async with open_app(folder) as person:
        await person.press("slash T h e enter")
        assert sum(1 for _ in person.draft.search.hits) == 4
        assert '"The"' in person.line()
        await person.press("n n")
        assert person.draft.pointer.offset == SUMMARY.index("The director")
        await person.press("backspace")
        assert person.draft.search.hits == ()


async def test_own_former_evidence_has_a_mark_beside_the_same_source(folder: Path) -> None:
    """Under another summary of the text, in the gutter and among the matches; not where it is."""
    async with open_app(folder, size=(140, 40)) as person:
        await person.words("15", "million")
        await person.press("space 2")
        taken = person.annotations[0].evidence[0].span
        assert person.draft.former_evidence == {}
        await person.press("greater_than_sign")
        assert person.draft.former_evidence == {0: (taken,)}
        assert "Its" in next(row for row in person.shown().splitlines() if "°" in row)
        await person.press("greater_than_sign")
        assert person.draft.former_evidence == {}
    async with open_app(folder, size=(140, 40), sample="b") as person:
        assert person.draft.former_evidence == {0: (taken,)}
        start = person.draft.text(Side.SOURCE).index("It rained")
        assert not person.draft.is_former_evidence(Match(0, 3, Span(start, start + 9), 0.5, 1))
        assert person.draft.is_former_evidence(Match(0, 2, taken, 0.5, 1))


async def test_all_labels_by_typing(folder: Path) -> None:
    """0 opens the list; what is picked is saved."""
    async with open_app(folder) as person:
        await person.press("0 b e n enter")
        assert [label for _, label, _ in claims(person)] == ["Benign"]


async def test_the_palette_does_what_a_key_does(folder: Path) -> None:
    """: and words of an action; nothing else is offered."""
    async with open_app(folder) as person:
        await person.press("colon")
        await person.press("s k i p")
        await person.press("down enter")
        assert person.screen.open_sample is not None
        assert person.screen.open_sample.sample.id == "b"


async def test_the_queue_and_back(folder: Path) -> None:
    """Q lists all samples; Enter opens one; q there leaves the app."""
    async with open_app(folder) as person:
        await person.press("q down enter")
        assert person.screen.open_sample is not None
        assert person.screen.open_sample.sample.id == "b"
        await person.press("G c enter")
        assert person.screen.open_sample.sample.id == "c"


async def test_what_was_in_hand_is_there_again(folder: Path) -> None:
    """Leaving a sample keeps selection, evidence and place."""
    async with open_app(folder) as person:
        await person.press("down")
        await person.words("15", "pounds")
        await person.press("space greater_than_sign less_than_sign")
        assert "1-6 " in person.line()
        assert '"15 million pounds"' in person.line()
        assert "match 1" in person.line()
        assert len(person.draft.evidence) == 1


async def test_it_fits_every_terminal(folder: Path) -> None:
    """Every row is as wide as the screen, and the line is always there."""
    async with open_app(folder) as person:
        for size in ((80, 24), (100, 30), (140, 40), (60, 20)):
            await person.pilot.resize_terminal(*size)
            for keys in ("z", "z", "z", "tab", "f", "escape", "6", "escape", "tab"):
                await person.press(keys)
                rows = person.shown().splitlines()
                assert len(rows) == size[1], (size, keys)
                assert any("▸" in row or "·" in row for row in rows[-4:]), (size, keys)


async def test_the_position_is_stored_soon_after_a_movement(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A killed process stores nothing; an unchanged position is not stored again."""
    monkeypatch.setattr(loader, "PLACE_PAUSE", 0.0)
    async with open_app(folder) as person:
        await person.press("down down")
        with workspace.open(folder) as space:
            ana, key = space.person("ana").id, person.draft.sample.key
            place = space.annotate.people.place(ana, key)
            assert place["cursors"]["summary"][1] == person.draft.pointer.offset > 0
        sent: list[object] = []
        monkeypatch.setattr(person.screen.saver, "send", sent.append)
        person.screen.loader._on_place_due()
        assert sent == []


async def test_an_effect_without_a_handler_is_logged(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """By its class alone, because an effect may contain texts; others are not logged."""

    @dataclass(frozen=True)
    class Unknown(Effect):
        text: str

    async with open_app(folder) as person:
        person.screen.perform([Blink(), Unknown("secret")])
    assert caplog.messages == ["no handler for the effect Unknown"]


async def test_the_palette_begins_with_the_sample_and_ends_with_the_cursor(folder: Path) -> None:
    """All actions and themes are in it once, and what completes a sample is the first."""
    async with open_app(folder) as person:
        provider = ActionProvider(person.screen)
        listed = [hit async for hit in provider.discover()]
        texts = [str(hit.text) for hit in listed]
        groups = [str(hit.help).partition(" · ")[0] for hit in listed]
    assert texts[0] == action_of("sample.done").help
    assert len(set(texts)) == len(texts)
    first = groups.index("Select")
    assert set(groups[first:]) == set(LAST_GROUPS)
    assert not set(groups[:first]) & set(LAST_GROUPS)
    assert {action.group for action in ACTIONS} == {*FIRST_GROUPS, *LAST_GROUPS}
