"""Questions of a position study on the screen: what answers, what fails, the chart of both."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.position_rows import lines, lookup, placed
from tests.tui.screens.annotate_app import Person, make_workspace, open_app
from tui_annotate import workspace
from tui_annotate.domain.assignment_plan import AssignmentOptions, AssignmentOrder
from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import Sample, SampleKey, Side
from tui_annotate.editor.messages import MessageCode
from tui_annotate.lab.position.feature import describe_gold, describe_metric, gold_answers
from tui_annotate.lab.position.screen import PositionsScreen, describe_agreement
from tui_annotate.plugins import registry
from tui_annotate.plugins.protocols import ImportOptions
from tui_annotate.tui.dialogs.help import HelpDialog
from tui_annotate.tui.screens.queue import QueueScreen

ROWS = [
    placed(0, "A sea star.", name="one?"),
    placed(2, "kelp", name="one?"),
    placed(2, "Sea-stars", name="two?"),
    placed(2, "gulls", name="three?"),
]


def samples(folder: Path, *rows: dict[str, Any]) -> list[Sample]:
    """The samples of some rows."""
    path = folder / "study.jsonl"
    path.write_text(lines(*rows), "utf-8")
    found = registry.load("importers", "open-qa").read(path, ImportOptions())
    return [record.sample for record in found if isinstance(record, Record)]


@pytest.fixture
def study(tmp_path: Path) -> list[Sample]:
    """One right answer at the start, three wrong ones at the end."""
    return samples(tmp_path, *ROWS)


@pytest.fixture
def folder(tmp_path: Path, study: list[Sample]) -> Path:
    """A workspace with the study."""
    return make_workspace(tmp_path / "space", samples=study)


def here(person: Person) -> SampleKey:
    """The sample on screen."""
    return person.draft.sample.key


async def test_the_passage_that_answers_is_told_and_found(
    folder: Path, study: list[Sample]
) -> None:
    """Its number and answer stand over the others; a key goes there; a star is beside the line."""
    async with open_app(folder, sample=study[1].id) as person:
        shown = person.shown()
        assert "SUMMARY: one?" in shown
        assert describe_metric(study[1]) in shown
        assert describe_metric(study[1]) != describe_metric(study[0])
        assert " 1/3 D0 ─ ★ 3/3: sea star" in shown
        assert "* verdict" in shown
        await person.press("=")
        assert f" 3/3 Gold ─ {describe_gold(study[1], 2)}" in person.shown()
        assert "★▶The sea star did it." in person.shown()


async def test_a_person_says_correct_where_the_metric_does_not(
    folder: Path, study: list[Sample]
) -> None:
    """The scale is that of questions; both verdicts stand over the answer."""
    async with open_app(folder, sample=study[2].id) as person:
        await person.press("*")
        assert "1  Correct    2  Incorrect    3  Unclear    0  " in person.shown()
        await person.press("1")
        assert f"{describe_metric(study[2])} · Correct" in person.shown()
        await person.press("g")
        assert gold_answers(study[2])[0] in person.shown()
        assert (
            describe_metric(study[2]) not in person.shown()
        )  # that it is the metric's says a heading


async def test_the_answers_of_a_bar_that_fail_are_walked(folder: Path, study: list[Sample]) -> None:
    """From the chart as a list, among themselves; the key to the queue leads back to the chart."""
    keys = [each.key for each in study]
    async with open_app(folder, sample=study[0].id) as person:
        await chart(person)
        assert "1/4 " in person.shown()
        assert "0.250" in person.shown()
        screen = chart_of(person)
        assert screen._found is not None
        assert not (screen._found.people and screen._found.people.judged)
        assert describe_agreement(screen._found) in person.shown()
        await person.press("enter")
        assert top(person) is PositionsScreen  # no answer of this bar fails
        await person.press("down enter")
        assert top(person) is QueueScreen
        assert "gold-position 2" in person.shown()
        await person.press("slash g u l l enter")
        assert "1 of 1" in person.shown()
        await person.press("backspace down enter")
        assert here(person) == keys[2]
        await person.press(">")
        assert here(person) == keys[3]
        await person.press(">")
        assert person.said().code is MessageCode.LAST_FAILING
        await person.press("< <")
        assert here(person) == keys[1]
        await person.press("<")
        assert person.said().code is MessageCode.FIRST_FAILING


async def test_what_is_done_leads_to_the_next_that_fails(folder: Path, study: list[Sample]) -> None:
    """Once none of them is left the queue goes on; the key to the queue leads to the chart."""
    keys = [each.key for each in study]
    async with open_app(folder, sample=study[0].id) as person:
        await chart(person)
        await person.press("end enter enter")
        assert here(person) == keys[1]
        await person.press("enter")
        assert here(person) == keys[2]
        await person.press("enter enter")
        assert here(person) == keys[0]
        await chart(person)
        await person.press("end enter down enter q")
        assert isinstance(person.app.screen, PositionsScreen)
        assert "gold-position 2: 0/3 " in person.shown()  # the bar that one came from
        await person.press("escape")
        assert here(person) == keys[2]


def top(person: Person) -> type:
    """What is over all else."""
    return type(person.app.screen)


def chart_of(person: Person) -> PositionsScreen:
    """The chart that is open."""
    assert isinstance(person.app.screen, PositionsScreen)
    return person.app.screen


async def chart(person: Person) -> None:
    """Opens the chart, as the palette does."""
    person.screen.do("positions.show")
    await person.settled()
    assert isinstance(person.app.screen, PositionsScreen)


async def test_the_chart_leads_to_the_queue_and_out(folder: Path, study: list[Sample]) -> None:
    """It says what its keys and signs are, counts anew, and tells when people disagree."""
    async with open_app(folder, sample=study[1].id) as person:
        await person.press("* 1")
        await chart(person)
        assert " 0/1" in person.shown()
        assert "gold-position 0: 1/1 " in person.shown()
        await person.press("question_mark")
        assert isinstance(person.app.screen, HelpDialog)
        await person.press("escape r down")
        assert re.search(r"gold-position 2: 0/3 .* 0\.000 .* 0\.561", person.shown())
        assert "0.000   .00-.56      2" in person.shown()  # one is right to people
        await person.press("up home end tab")
        assert isinstance(person.app.screen, QueueScreen)
        await person.press("escape")
        await chart(person)
        await person.pilot.click("BarRows", offset=(3, 1))
        await person.settled()
        assert "gold-position 2" in person.shown()
        await person.pilot.press("q")
        await person.pilot.pause()


async def test_bars_name_what_differs_and_what_has_no_answer(tmp_path: Path) -> None:
    """Models and sizes where there are several; rows without an answer fail, and are in no mean."""
    rows = [
        placed(0, "sea star", model="a-model-with-a-very-long-name"),
        placed(1, model="other", model_answer=None, model_error="too long"),
        lookup(1, "Value-1", count=4, model="other"),
    ]
    found = samples(tmp_path, *rows)
    async with open_app(
        make_workspace(tmp_path / "space", samples=found), sample=found[1].id
    ) as person:
        assert describe_metric(found[1])
        assert describe_metric(found[1]) in person.shown()
        await chart(person)
        shown = person.shown()
        assert re.search(r"model +task +documents", shown)
        assert "a-model-with-…" in shown
        await person.press("down")
        assert "model other, task kv, documents 4" in person.shown()
        await person.press("down")
        assert "task qa, documents 3, gold-position 1: " in person.shown()
        await person.press("enter enter")
        assert here(person) == found[1].key


async def test_pairs_are_one_text_with_the_value_marked(tmp_path: Path) -> None:
    """A thousand of them; the key goes to the value."""
    found = samples(tmp_path, lookup(700, "v-1", count=1000))
    async with open_app(
        make_workspace(tmp_path / "space", samples=found), sample=found[0].id
    ) as person:
        assert "★ 701/1000: Value-1" in person.shown()
        await person.press("=")
        assert '"key": "Value-1"' in person.shown()
        assert "★" in person.shown().split('"key": "Value-1"')[0].splitlines()[-1]


async def test_other_samples_know_no_position(tmp_path: Path, study: list[Sample]) -> None:
    """They say so, and look as they did; a gold passage without an answer is shown."""
    bare = replace(study[0], id="bare", meta={})
    lost = replace(study[1], id="lost", meta=dict(study[1].meta) | {"answers": []})
    strange = replace(study[1], id="odd", meta=dict(study[1].meta) | {"gold_position": 9})
    space = make_workspace(tmp_path / "space", samples=[bare, lost, strange])
    async with open_app(space, sample="bare") as person:
        for action, code in (
            ("gold.show", MessageCode.NO_GOLD_KNOWN),
            ("positions.show", MessageCode.NO_POSITION_STUDY),
        ):
            person.screen.do(action)
            await person.settled()
            assert person.said().code is code
        assert "★" not in person.shown()
        await person.press("> =")
        assert person.draft.pointers[Side.SOURCE].document == 2
        await person.press("> =")
        assert person.said().code is MessageCode.NO_GOLD_KNOWN


async def test_a_dataset_without_answers_can_be_charted(tmp_path: Path) -> None:
    """No mean, no bar; and one that is removed meanwhile is told."""
    found = samples(tmp_path, placed(0), placed(1))
    folder = make_workspace(tmp_path / "space", samples=found)
    async with open_app(folder, sample=found[0].id) as person:
        await chart(person)
        assert "gold-position 0: " in person.shown()
        await person.press("escape")
        with workspace.open(folder) as space:
            space.corpus.remove_dataset("study")
        await chart(person)
        assert "✗" in person.shown()
        assert "'study'" in person.shown()


async def test_what_fails_and_is_not_ones_own_is_counted_alone(
    folder: Path, study: list[Sample]
) -> None:
    """A dataset that is handed out: the list names and walks nobody else's samples."""
    with workspace.open(folder) as space:
        for name, some in (("ana", study[:2]), ("cat", study[2:])):
            space.people.local(name)
            ids = [each.id for each in some]
            space.team.assignments.give(
                "study", [name], AssignmentOptions(order=AssignmentOrder.INGESTED), ids=ids
            )
    async with open_app(folder, sample=study[0].id) as person:
        await chart(person)
        await person.press("down enter")
        assert re.search(r" YOUR 1 OF 3 FAILED ANSWERS: gold-position 2", person.shown())
        assert study[2].id not in person.shown()
        await person.press("enter >")
        assert here(person) == study[1].key
        assert person.said().code is MessageCode.LAST_FAILING
