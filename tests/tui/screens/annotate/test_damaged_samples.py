"""Samples whose stored texts another program changed: they are named, and the others open."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.tui.screens.annotate_app import Person, make_workspace, open_app
from tests.tui.screens.collection_workspace import LABELS, Collection
from tui_annotate import workspace
from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import Damaged
from tui_annotate.domain.samples import Document, Sample, SampleKey, Side
from tui_annotate.editor.messages import NO_MESSAGE, LineText, MessageCode
from tui_annotate.services.annotate import OpenSample
from tui_annotate.tui.screens.annotate.damaged_samples import name_damaged, open_undamaged
from tui_annotate.tui.screens.annotate.loader import SampleSource


def make_samples(folder: Path, names: str = "abcdef") -> Path:
    """A workspace of samples that have no text in common."""
    samples = [
        Sample(
            "d",
            name,
            (
                Document(Side.SOURCE, f"The {name} was seen at noon. It rained."),
                Document(Side.SUMMARY, f"The {name} came. Nobody saw it."),
            ),
        )
        for name in names
    ]
    return make_workspace(folder, samples=samples)


def damage(folder: Path, names: Sequence[str], *, side: str = "source") -> None:
    """Change the texts of samples as another program could."""
    with closing(sqlite3.connect(folder / "store.sqlite")) as store:
        for name in names:
            found = store.execute(
                "UPDATE documents SET text = CAST('It was changed.' AS BLOB) WHERE id IN"
                " (SELECT p.document_id FROM sample_documents p"
                " JOIN samples s ON s.id = p.sample_id WHERE s.external = ? AND p.side = ?)",
                (name, side),
            )
            assert found.rowcount > 0
        store.commit()


def named(person: Person) -> object:
    """The samples that the message names as damaged; None if it names none."""
    message = person.said()
    while message.code is MessageCode.WITH_MORE:
        more = message.fields["more"]
        assert isinstance(more, type(message))
        message = more
    damaged = message.code in (MessageCode.DAMAGED, MessageCode.SEVERAL_DAMAGED)
    return message.fields["samples"] if damaged else None


async def test_a_damaged_sample_is_named_before_the_guidelines(tmp_path: Path) -> None:
    """The warning has the line to itself, and the next key shows the guidelines' key."""
    folder = make_samples(tmp_path / "space")
    with workspace.open(folder) as space:
        space.team.apply_guidelines("Mark all of it.\n")
    damage(folder, "a")
    async with open_app(folder, sample="", name="ben") as ben:
        assert named(ben) == "a"
        await ben.press("j")
        assert LineText.GUIDELINES_KEY.text() in ben.shown()


async def test_next_and_previous_go_past_damaged_samples(tmp_path: Path) -> None:
    """Both keys open the sample on the other side, and name those between, whichever text it is."""
    folder = make_samples(tmp_path / "space")
    damage(folder, "bd", side="source")
    damage(folder, "c", side="summary")
    async with open_app(folder) as person:
        await person.press(">")
        assert (person.draft.sample.id, named(person)) == ("e", "b, c, d")
        await person.press("<")
        assert (person.draft.sample.id, named(person)) == ("a", "d, c, b")


async def test_no_readable_sample_that_way(tmp_path: Path) -> None:
    """At the ends, the sample on screen stays, usable, and the damaged ones are named."""
    folder = make_samples(tmp_path / "space")
    damage(folder, "abf")
    async with open_app(folder, sample="e") as person:
        for start, bad, key in (("e", "f", ">"), ("c", "ab", "<")):
            while person.draft.sample.id != start:
                await person.press("<")
            await person.press(key)
            assert person.draft.sample.id == start
            assert named(person) == ", ".join(sorted(bad, reverse=key == "<"))
            assert not person.screen.busy
            await person.press("1")
            assert len(person.annotations) == 1


async def test_an_ended_sample_leads_past_damaged_ones(tmp_path: Path) -> None:
    """The sample is ended once, and the next readable one opens."""
    folder = make_samples(tmp_path / "space")
    damage(folder, "bc")
    async with open_app(folder) as person:
        for key in ("enter", "s"):
            await person.press(key)
            assert (person.draft.sample.id, named(person)) == ("d", "b, c"), key
            await person.press("u")
            assert person.draft.sample.id == "a"
            await person.press(f"right {key}")
            assert person.draft.sample.id == "d"
            open_sample = person.screen.open_sample
            assert open_sample
            assert open_sample.finished == 1, key
            await person.press("u right")


async def test_the_last_readable_sample_is_ended(tmp_path: Path) -> None:
    """The message says that it is completed, and which samples are left."""
    folder = make_samples(tmp_path / "space", "abc")
    damage(folder, "bc")
    async with open_app(folder) as person:
        await person.press("enter")
        assert (person.draft.sample.id, named(person)) == ("a", "b, c")
        first = person.said().fields["first"]
        assert getattr(first, "code", None) is MessageCode.SAMPLE_ENDED
        open_sample = person.screen.open_sample
        assert open_sample
        assert open_sample.assignment.state is State.DONE
        await person.press("> <")
        assert not person.screen.busy


async def test_skipped_samples_are_offered_past_damaged_ones(tmp_path: Path) -> None:
    """A damaged skipped sample does not hide the next skipped one."""
    folder = make_samples(tmp_path / "space", "abc")
    with workspace.open(folder) as space:
        who = space.person("ana").id
        for name in "ab":
            space.annotate.skip(who, SampleKey("d", name), seconds=1)
    damage(folder, "a")
    async with open_app(folder, sample="c") as person:
        await person.press("enter")
        assert (person.draft.sample.id, named(person)) == ("b", "a")


async def test_the_app_starts_past_damaged_samples(tmp_path: Path) -> None:
    """The sample of the last session, and others behind it, may be damaged by now."""
    folder = make_samples(tmp_path / "space")
    async with open_app(folder, sample="b") as person:
        await person.press(">")
    damage(folder, "cd")
    async with open_app(folder, sample="") as person:
        assert (person.draft.sample.id, named(person)) == ("e", "c, d")


@pytest.mark.parametrize("done", ["", "abef"])
def test_the_start_when_all_else_is_done(tmp_path: Path, done: str) -> None:
    """Where no unfinished sample is readable, a finished one opens."""
    folder = make_samples(tmp_path / "space")
    with workspace.open(folder) as space:
        who = space.person("ana").id
        for name in done:
            space.annotate.finish(who, SampleKey("d", name), seconds=1)
    damage(folder, "cd")
    with workspace.open(folder) as space:
        session: Any = SimpleNamespace(
            annotate=space.annotate, person=space.person("ana"), order="ingested"
        )
        found = SampleSource().first(session, "c")
    assert found.open_sample
    assert found.open_sample.sample.id == ("a" if done else "e")
    assert name_damaged(NO_MESSAGE, found.damaged).fields["samples"] == "c, d"


def test_many_damaged_samples_are_counted() -> None:
    """The message stays short."""
    keys = [SampleKey("d", name) for name in "bcdef"]
    assert name_damaged(NO_MESSAGE, keys).fields["samples"] == "b, c, d and 2 more"


def test_thousands_of_damaged_samples_are_one_line_of_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """With their number and the first names, as the message has them."""
    keys = [SampleKey("d", str(number)) for number in range(2000)]
    left = iter(keys)

    def fail(key: SampleKey) -> OpenSample:
        raise Damaged(f"sample {key} is damaged")

    found = open_undamaged(lambda _: next(left, None), fail)
    assert (found.open_sample, list(found.damaged)) == (None, keys)
    (line,) = caplog.messages
    assert line == "2,000 damaged samples passed over: d/0, d/1, d/2 and 1,997 more"
    message = name_damaged(NO_MESSAGE, found.damaged)
    assert message.fields["samples"] == "0, 1, 2 and 1,997 more"


async def test_a_damaged_sample_of_the_queue_list(tmp_path: Path) -> None:
    """The sample on screen stays when a damaged one is chosen, and any other one can be."""
    folder = make_samples(tmp_path / "space")
    damage(folder, "b")
    async with open_app(folder) as person:
        await person.press("q down enter")
        assert (person.draft.sample.id, named(person)) == ("a", "b")
        await person.press("q down down enter")
        assert (person.draft.sample.id, named(person)) == ("c", None)


async def test_an_undo_in_a_damaged_sample_is_named(tmp_path: Path) -> None:
    """What was undone is said, although its sample cannot be shown."""
    folder = make_samples(tmp_path / "space")
    async with open_app(folder) as person:
        await person.press("enter")
        damage(folder, "a")
        await person.press("u")
        assert (person.draft.sample.id, named(person)) == ("b", "a")
        first = person.said().fields["first"]
        assert getattr(first, "code", None) is MessageCode.UNDONE_ELSEWHERE
        await person.press("1")
        assert len(person.annotations) == 1
    with workspace.open(folder) as space:
        work = space.annotate.store.stream(space.person("ana").id, SampleKey("d", "a"))
        assert work.assignment.state is not State.DONE


async def test_other_citations_of_a_damaged_report(tmp_path: Path) -> None:
    """Citations of sound documents open, though their report shares the damaged document."""
    samples = list(Collection().samples())
    folder = make_workspace(tmp_path / "space", labels=LABELS, samples=samples)
    damage(folder, ["c|7|run1|0|doc-a"])
    async with open_app(folder, sample="c|7|run1|1|doc-b") as person:
        assert person.draft.sample.id == "c|7|run1|1|doc-b"
        await person.press("C")
        assert person.draft.sample.id == "c|7|run1|1|doc-b"
        assert "doc-a" in str(named(person))
        await person.press("J")
        assert person.draft.sample.id not in {"c|7|run1|0|doc-a", "c|7|run1|1|doc-a"}
