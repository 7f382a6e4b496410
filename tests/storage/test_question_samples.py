"""Questions without their passages: the answer, and what people say as far as one may see it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.position_rows import lines, placed
from tui_annotate import workspace as workspaces
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assignment_plan import AssignmentOptions, AssignmentOrder
from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import NotAllowed
from tui_annotate.domain.people import Actor, Role, second_reader
from tui_annotate.domain.samples import SampleKey, Side
from tui_annotate.domain.spans import Span
from tui_annotate.storage.question_samples import QuestionStore
from tui_annotate.workspace import Workspace


@pytest.fixture
def space(tmp_path: Path) -> Iterator[Workspace]:
    """A study of two answers, of which ana and ben rate the first; and a dataset of pairs."""
    (tmp_path / "study.jsonl").write_text(
        lines(placed(0, "A sea star."), placed(1, " ", name="b?")), "utf-8"
    )
    (tmp_path / "pairs.jsonl").write_text(lines({"source": "A.", "summary": "B."}), "utf-8")
    with workspaces.create(tmp_path / "space") as made:
        for name in ("study", "pairs"):
            made.ingest(tmp_path / f"{name}.jsonl", embedder="none")
        first = made.corpus.keys("study")[0]
        for name, word in (("ana", "Correct"), ("ben", "Unclear")):
            made.annotate.rate(made.people.local(name).id, first, word, seconds=1.0)
        yield made


def store(space: Workspace, who: str = "") -> QuestionStore:
    """What somebody sees; the operator where nobody is named."""
    if not who:
        return QuestionStore(space._database)
    actor = Actor(space.people.local(who).id, Role.ANNOTATOR)
    return QuestionStore(space._database, actor=actor)


def test_questions_come_with_answer_and_ratings(space: Workspace) -> None:
    """In the order in which they came; an answer that is blank is none."""
    first, second = store(space).questions("study")
    assert first.answer == "A sea star."
    assert first.meta["gold_position"] == 0
    assert sorted(work.rating for work in first.work) == ["Correct", "Unclear"]
    assert (second.answer, second.work) == (None, ())
    assert list(store(space).questions("pairs")) == []


def test_an_annotator_sees_no_rating_of_others(space: Workspace) -> None:
    """Their own stands there, and nobody else's queue."""
    first, _ = store(space, "ana").questions("study")
    assert [work.rating for work in first.work] == ["Correct"]
    ben = space.people.local("ben").id
    with pytest.raises(NotAllowed):
        store(space, "ana").entries(ben, "study")


def test_datasets_are_those_with_places(space: Workspace) -> None:
    """Pairs have none."""
    assert store(space).datasets() == ["study"]


def test_entries_are_those_of_a_queue(space: Workspace) -> None:
    """State and start of the text, by key, as they came; narrowed by words and states."""
    ana = space.people.local("ana").id
    keys = space.corpus.keys("study")
    entries = store(space).entries(ana, "study")
    assert tuple(entries) == keys
    assert [entries[key].state for key in keys] == [State.DRAFT, State.NEW]
    positions = space.machines.positions
    everything = [*keys, SampleKey("study", "gone")]
    assert [row.key for row in positions.page(ana, everything)] == list(keys)
    assert [row.key for row in positions.page(ana, keys, search="SEA STAR")] == [keys[0]]
    assert [row.key for row in positions.page(ana, keys, states={State.NEW})] == [keys[1]]
    assert positions.page(ana, ()) == []
    space.annotate.finish(ana, keys[0], seconds=1.0)
    assert positions.next_open(ana, keys) == keys[1]
    assert positions.next_open(ana, keys[:1]) is None


def test_entries_of_what_is_handed_out_are_ones_own(space: Workspace) -> None:
    """To each their share; to a second reading only what is read again."""
    first, second = space.corpus.keys("study")
    wish = AssignmentOptions(order=AssignmentOrder.INGESTED)
    for name, key in (("ana", first), ("cat", second)):
        space.team.assignments.give("study", [name], wish, ids=[key.id])
    for name, key in (("ana", first), ("cat", second)):
        person = space.people.local(name).id
        assert list(store(space).entries(person, "study")) == [key]
    again_ana = second_reader(space.people.local("ana"))
    assert list(store(space).entries(again_ana.id, "study")) == []


def test_entries_begin_with_practice(space: Workspace, tmp_path: Path) -> None:
    """Before it is done nothing else is walked, so nothing else is listed."""
    (tmp_path / "try.jsonl").write_text(lines(placed(1, "kelp", name="c?")), "utf-8")
    space.ingest(tmp_path / "try.jsonl", embedder="none")
    (key,) = space.corpus.keys("try")
    claim = (Anchor(Side.SUMMARY, 0, Span(0, 4)),)
    known = Annotation(id="k", claim=claim, labels=(("Benign",),))
    space.annotate.add(space.people.local("ben").id, key, known, seconds=1.0)
    space.team.assignments.practice("try", ["ana"], gold="ben")
    ana = space.people.local("ana").id
    assert len(store(space).entries(ana, "try")) == 1
    assert list(store(space).entries(ana, "study")) == []
