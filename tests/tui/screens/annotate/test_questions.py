"""Questions of a position study on the screen: what answers, what fails, the chart of both."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.position_rows import lines, lookup, placed
from tests.tui.screens.work import Person, at_work, make
from tui_annotate import workspace
from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import Sample, SampleKey, Side
from tui_annotate.domain.sharing import Sorting, Wish
from tui_annotate.plugins import registry
from tui_annotate.plugins.protocols import ImportOptions
from tui_annotate.tui.screens.positions.screen import PositionsScreen
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
    return make(tmp_path / "space", samples=study)


def here(person: Person) -> SampleKey:
    """The sample on screen."""
    return person.draft.sample.key


async def test_the_passage_that_answers_is_told_and_found(
    folder: Path, study: list[Sample]
) -> None:
    """Its number and answer stand over the others; a key goes there; a star is beside the line."""
    async with at_work(folder, sample=study[1].id) as person:
        shown = person.shown()
        assert "SUMMARY: one?" in shown
        assert "metric: incorrect" in shown
        assert "SOURCE 1/3 D0 ─ ★ 3/3: sea star" in shown
        assert "* verdict" in shown
        await person.press("=")
        assert "SOURCE 3/3 Gold ─ ★ here: sea star" in person.shown()
        assert "★▶The sea star did it." in person.shown()


async def test_a_person_says_correct_where_the_metric_does_not(
    folder: Path, study: list[Sample]
) -> None:
    """The scale is that of questions; both verdicts stand over the answer."""
    async with at_work(folder, sample=study[2].id) as person:
        await person.press("*")
        assert "1  Correct    2  Incorrect    3  Unclear    0  not rated" in person.shown()
        await person.press("1")
        assert "metric: incorrect · Correct" in person.shown()
        await person.press("g")
        assert "Gold answers" in person.shown()
        assert "metric: incorrect" not in person.shown()  # that it is the metric's says a heading


async def test_the_answers_of_a_bar_that_fail_are_walked(folder: Path, study: list[Sample]) -> None:
    """From the chart as a list, among themselves; the key to the queue leads back to the chart."""
    keys = [each.key for each in study]
    async with at_work(folder, sample=study[0].id) as person:
        await chart(person)
        assert "1/4 correct, 0.250" in person.shown()
        assert "nobody judged yet" in person.shown()
        await person.press("enter")
        assert "no answer of this bar fails" in person.shown()
        await person.press("down enter")
        assert "FAIL: gold-position 2" in person.shown()
        await person.press("slash g u l l enter")
        assert "/1" in person.shown()
        await person.press("backspace down enter")
        assert here(person) == keys[2]
        await person.press(">")
        assert here(person) == keys[3]
        await person.press(">")
        assert "the last of those that fail" in person.line()
        await person.press("< <")
        assert here(person) == keys[1]
        await person.press("<")
        assert "the first of those that fail" in person.line()


async def test_what_is_done_leads_to_the_next_that_fails(folder: Path, study: list[Sample]) -> None:
    """Once none of them is left the queue goes on; the key to the queue leads to the chart."""
    keys = [each.key for each in study]
    async with at_work(folder, sample=study[0].id) as person:
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
        assert "gold-position 2: 0/3 correct" in person.shown()  # the bar that one came from
        await person.press("escape")
        assert here(person) == keys[2]


async def chart(person: Person) -> None:
    """Opens the chart, as the palette does."""
    person.screen.do("positions.show")
    await person.settled()
    assert isinstance(person.app.screen, PositionsScreen)


async def test_the_chart_leads_to_the_queue_and_out(folder: Path, study: list[Sample]) -> None:
    """It says what its keys and signs are, counts anew, and tells when people disagree."""
    async with at_work(folder, sample=study[1].id) as person:
        await person.press("* 1")
        await chart(person)
        assert "people agree 0/1" in person.shown()
        assert "gold-position 0: 1/1 correct" in person.shown()
        await person.press("question_mark")
        assert "count anew" in person.shown()
        await person.press("escape r down")
        assert "gold-position 2: 0/3 correct, 95 % 0.000 to 0.561" in person.shown()
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
    async with at_work(make(tmp_path / "space", samples=found), sample=found[1].id) as person:
        assert "no answer" in person.shown()
        await chart(person)
        shown = person.shown()
        assert "model          task  documents at" in shown
        assert "a-model-with-…" in shown
        await person.press("down")
        assert "model other, task kv, documents 4" in person.shown()
        await person.press("down")
        assert "task qa, documents 3, gold-position 1: no answers yet" in person.shown()
        await person.press("enter enter")
        assert here(person) == found[1].key


async def test_pairs_are_one_text_with_the_value_marked(tmp_path: Path) -> None:
    """A thousand of them; the key goes to the value."""
    found = samples(tmp_path, lookup(700, "v-1", count=1000))
    async with at_work(make(tmp_path / "space", samples=found), sample=found[0].id) as person:
        assert "★ 701/1000: Value-1" in person.shown()
        await person.press("=")
        assert '"key": "Value-1"' in person.shown()
        assert "★" in person.shown().split('"key": "Value-1"')[0].splitlines()[-1]


async def test_other_samples_know_no_position(tmp_path: Path, study: list[Sample]) -> None:
    """They say so, and look as they did; a gold passage without an answer is shown."""
    bare = replace(study[0], id="bare", meta={})
    lost = replace(study[1], id="lost", meta=dict(study[1].meta) | {"answers": []})
    strange = replace(study[1], id="odd", meta=dict(study[1].meta) | {"gold_position": 9})
    space = make(tmp_path / "space", samples=[bare, lost, strange])
    async with at_work(space, sample="bare") as person:
        for action in ("gold.show", "positions.show"):
            person.screen.do(action)
            await person.settled()
            assert "nobody knows" in person.line()
        assert "★" not in person.shown()
        await person.press("> =")
        assert person.draft.pointers[Side.SOURCE].document == 2
        await person.press("> =")
        assert "nobody knows which passage" in person.line()


async def test_a_dataset_without_answers_can_be_charted(tmp_path: Path) -> None:
    """No mean, no bar; and one that is removed meanwhile is told."""
    found = samples(tmp_path, placed(0), placed(1))
    folder = make(tmp_path / "space", samples=found)
    async with at_work(folder, sample=found[0].id) as person:
        await chart(person)
        assert "gold-position 0: no answers yet" in person.shown()
        await person.press("escape")
        with workspace.open(folder) as space:
            space.corpus.remove_dataset("study")
        await chart(person)
        assert "has no questions with positions" in person.shown()


async def test_what_fails_and_is_not_ones_own_is_counted_alone(
    folder: Path, study: list[Sample]
) -> None:
    """A dataset that is handed out: the list names and walks nobody else's samples."""
    with workspace.open(folder) as space:
        for name, some in (("ana", study[:2]), ("cat", study[2:])):
            space.people.local(name)
            ids = [each.id for each in some]
            space.team.share.give("study", [name], Wish(sorting=Sorting.INGESTED), ids=ids)
    async with at_work(folder, sample=study[0].id) as person:
        await chart(person)
        await person.press("down enter")
        assert "YOURS, 1 OF 3 FAIL: gold-position 2" in person.shown()
        assert study[2].id not in person.shown()
        await person.press("enter >")
        assert here(person) == study[1].key
        assert "the last of those that fail" in person.line()
