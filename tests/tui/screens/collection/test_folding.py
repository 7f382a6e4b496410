"""The rows of a collection's tree, as far as they were read."""

from __future__ import annotations

import pytest

from tests.tui.screens.collected import Collection
from tui_annotate.domain.items import Branch, Leaf
from tui_annotate.domain.samples import SampleKey
from tui_annotate.tui.screens.collection import folding
from tui_annotate.tui.screens.collection.folding import Row, Tree

KEYS = tuple(SampleKey("pools", name) for name in "abc")
SAMPLES = {sample.id: sample for sample in Collection(topic="a|b", run="team/run|x").samples()}


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("r|a|b|team/run|x", ("a|b", "team/run|x")),
        ("c|a|b|team/run|x|1|doc-a", ("a|b", "team/run|x", "s1")),
        ("c|a|b|team/run|x|3", ("a|b", "team/run|x", "s3")),
        ("d|a|b|doc-a", ("a|b", "team/run|x", "doc-a")),
    ],
)
def test_a_sample_knows_its_place(name: str, path: folding.Path) -> None:
    """Whatever strokes stand in topic and run."""
    sample = SAMPLES[name]
    assert folding.path_of(sample.meta, sample.id, sample.group) == path


def test_what_is_unfolded_is_shown_and_what_is_missing_is_asked_for() -> None:
    """From the top down; nothing is asked for below a row that is not there."""
    tree = Tree(unfolded={("7",), ("7", "run1"), ("gone", "run1")})
    assert tree.rows() == ()
    assert tree.unread() is None
    tree.below[()] = folding.of_branches((), [Branch("7", "Pools", 1, 2)])
    assert tree.unread() == ("7",)
    tree.below["7",] = folding.of_branches(("7",), [Branch("run1", "team", 0, 1)])
    assert tree.unread() == ("7", "run1")
    tree.below["7", "run1"] = folding.of_leaves(
        ("7", "run1"), [Leaf("s0", "Stars", KEYS, (True, False, False))]
    )
    assert tree.unread() is None
    assert [row.path[-1] for row in tree.rows()] == ["7", "run1", "s0"]
    tree.unfolded.discard(("7",))
    assert [row.path[-1] for row in tree.rows()] == ["7"]


@pytest.mark.parametrize(
    ("ticks", "opened"),
    [((True, False, False), 1), ((True, True, True), 0), ((False, True, True), 0)],
)
def test_a_sentence_opens_at_what_is_left_of_it(ticks: tuple[bool, ...], opened: int) -> None:
    """At its first citation where nothing is left."""
    (row,) = folding.of_leaves((), [Leaf("s0", "", KEYS, ticks)])
    assert folding.opens(row) == KEYS[opened]
    assert row.complete == all(ticks)


def test_a_run_is_the_item_among_reports_alone() -> None:
    """There it opens; elsewhere it folds."""
    (report,) = folding.of_branches(("7",), [Branch("run1", "team", 1, 1, KEYS[0])])
    assert folding.opens(report) == KEYS[0]
    assert not folding.folds(report, reports=True)
    (run,) = folding.of_branches(("7",), [Branch("run1", "team", 0, 9)])
    assert folding.opens(run) is None
    assert folding.folds(run, reports=False)
    assert folding.folds(Row(("7",), "", 0, 1), reports=True)
