"""The tree of a collection: its rows, what is unfolded, and how they are painted."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.screens.annotate_app import make_workspace, open_app
from tests.tui.screens.collection_workspace import LABELS, Collection
from tui_annotate.domain.report_collections import TreeBranch, TreeLeaf
from tui_annotate.domain.samples import SampleKey
from tui_annotate.editor.glyphs import CHOSEN
from tui_annotate.tui.screens.collection import rows as tree_rows
from tui_annotate.tui.screens.collection.rows import OPEN, CollectionTree, TreeRow

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
def test_a_sample_knows_its_place(name: str, path: tree_rows.Path) -> None:
    """Whatever strokes stand in topic and run."""
    sample = SAMPLES[name]
    assert tree_rows.path_of(sample.meta, sample.id, sample.group) == path


def test_what_is_unfolded_is_shown_and_what_is_missing_is_asked_for() -> None:
    """From the top down; nothing is asked for below a row that is not there."""
    tree = CollectionTree(unfolded={("7",), ("7", "run1"), ("gone", "run1")})
    assert tree.rows() == ()
    assert tree.unread() is None
    tree.below[()] = tree_rows.branch_rows((), [TreeBranch("7", "Pools", 1, 2)])
    assert tree.unread() == ("7",)
    tree.below["7",] = tree_rows.branch_rows(("7",), [TreeBranch("run1", "team", 0, 1)])
    assert tree.unread() == ("7", "run1")
    tree.below["7", "run1"] = tree_rows.leaf_rows(
        ("7", "run1"), [TreeLeaf("s0", "Stars", KEYS, (True, False, False))]
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
    (row,) = tree_rows.leaf_rows((), [TreeLeaf("s0", "", KEYS, ticks)])
    assert tree_rows.sample_to_open(row) == KEYS[opened]
    assert row.complete == all(ticks)


def test_a_run_is_the_item_among_reports_alone() -> None:
    """There it opens; elsewhere it folds."""
    (report,) = tree_rows.branch_rows(("7",), [TreeBranch("run1", "team", 1, 1, KEYS[0])])
    assert tree_rows.sample_to_open(report) == KEYS[0]
    assert not tree_rows.has_rows_below(report, reports=True)
    (run,) = tree_rows.branch_rows(("7",), [TreeBranch("run1", "team", 0, 9)])
    assert tree_rows.sample_to_open(run) is None
    assert tree_rows.has_rows_below(run, reports=False)
    assert tree_rows.has_rows_below(TreeRow(("7",), "", 0, 1), reports=True)


TOPICS = ("full", "void", "open")


async def test_a_topic_without_documents_is_not_ticked_as_done(tmp_path: Path) -> None:
    """Nor is it to do; one whose documents are done is ticked."""
    texts, sentences = {"a": ("", "Crabs hide.")}, [("One.", ("a",))]
    each = [
        Collection(texts, sentences, topic="full", run="x"),
        Collection(topic="void", run="y", texts={}),
        Collection(topic="open", run="z"),
    ]
    samples = [sample for one in each for sample in one.samples()]
    folder = make_workspace(tmp_path / "space", labels=LABELS, samples=samples)
    async with open_app(folder, sample="d|full|a") as person:
        await person.press("* 1 T")
        rows = person.shown().splitlines()
        signs = {name: next(row for row in rows if f" {name} " in row) for name in TOPICS}
        assert f"{CHOSEN} full" in signs["full"]
        assert f"{OPEN} open" in signs["open"]
        assert "0/0" in signs["void"]
        assert not {CHOSEN, OPEN} & set(signs["void"])
