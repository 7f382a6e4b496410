"""Samples without a source, or without a summary, pass through everything that a pair does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import tui_annotate
from tests.helpers.collection_samples import DATASET, collection, key
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assignment_plan import AssignmentOptions, AssignmentOrder
from tui_annotate.domain.errors import Conflict
from tui_annotate.domain.people import Actor, Role, second_reader
from tui_annotate.domain.records import Record
from tui_annotate.domain.report_collections import PASSAGE
from tui_annotate.domain.samples import Sample, SampleKey, SampleKind, Side, Signals
from tui_annotate.domain.spans import Span
from tui_annotate.plugins import registry
from tui_annotate.plugins.protocols import ExportOptions
from tui_annotate.services.file_browser import FileBrowser
from tui_annotate.storage.corpus.file_index import FileIndex
from tui_annotate.workspace import Workspace

ITEMS = [key(name) for name in ("r|1|run1", "d|1|da", "c|1|run1|0|da", "c|1|run1|2")]


@pytest.fixture
def space(tmp_path: Path) -> Iterator[Workspace]:
    """A workspace with a collection and its vectors."""
    with tui_annotate.create(tmp_path / "work") as made:
        records = [Record(each) for each in collection()]
        assert made.ingest_service.run(records, embedder="static").refused == 0
        yield made


def sides(sample: Sample) -> list[Side]:
    """Those that there are documents on."""
    return [side for side in Side if sample.side(side)]


def marked(space: Workspace, name: str, where: SampleKey) -> None:
    """Somebody marks a word on each side, rates, comments, and is done."""
    person = space.people.local(name).id
    open_sample = space.annotate.open(person, where)
    for side in sides(open_sample.sample):
        anchor = (Anchor(side, 0, Span(0, 3)),)
        claim, evidence = (anchor, ()) if side is Side.SUMMARY else ((), anchor)
        made = Annotation(f"{name} {where.id} {side}", claim, evidence, (PASSAGE,))
        space.annotate.add(person, where, made, seconds=1)
    space.annotate.rate(person, where, open_sample.scale[0], seconds=1)
    space.annotate.comment(person, where, "hm", seconds=1)
    space.annotate.finish(person, where, seconds=1)


def test_the_assist_finds_nothing_where_there_is_nothing(space: Workspace) -> None:
    """By words and by meaning; where there is another side, it finds as ever."""
    for where in (key("d|1|da"), key("c|1|run1|2")):
        (side,) = sides(space.corpus.sample(where).sample)
        for by in Signals:
            assert space.match(where, side=side, span=Span(0, 9), by=by).matches == ()
    cited = space.match(ITEMS[2], side=Side.SUMMARY, span=Span(0, 22))
    assert cited.matches


def test_practice_second_readings_and_shares_take_items(space: Workspace) -> None:
    """Handed out, read twice, and taken back as pairs are."""
    ana = space.people.local("ana")
    share = space.team.assignments
    share.give(
        DATASET, ["ana", "ben"], AssignmentOptions("all", 2, AssignmentOrder.RANDOM, seed="1")
    )
    assert space.annotate.queue(ana.id).total == len(collection())
    for where in ITEMS:
        marked(space, "ana", where)
    done = share.repeat(
        DATASET, ["ana"], AssignmentOptions("100%", 1, AssignmentOrder.RANDOM, seed="1")
    )
    assert sum(each.samples for each in done.people) == len(collection())
    twice = second_reader(ana).id
    for kind in space.annotate.items.kinds(DATASET):
        first_time = space.annotate.items.topics(ana.id, DATASET, kind)
        assert sum(topic.done for topic in first_time) > 0
        fresh = tuple(replace(topic, done=0) for topic in first_time)
        assert space.annotate.items.topics(twice, DATASET, kind) == fresh
    first = space.annotate.next_unfinished(twice, None)
    assert first is not None
    assert space.annotate.open(twice, first).assignment.rating == ""


def test_every_figure_is_told(space: Workspace, tmp_path: Path) -> None:
    """Status, progress, report, assist, agreement, audit, frozen states."""
    for where in ITEMS:
        for name in ("ana", "ben"):
            marked(space, name, where)
    assert space.status().completed == 2 * len(ITEMS)
    assert {each.state for each in space.check()} == {"ok"}
    assert space.team.progress.figures().work
    rated = {
        each.measure: each.value
        for each in space.team.agreement.report().together.figures
        if each.level == "rating"
    }
    assert rated["percent"] == 1
    assert json.dumps(space.assist_report())
    frozen = space.team.freeze.run("one")
    assert space.team.freeze.replay(frozen.name).same
    assert space.team.audit.verify().sound
    space.team.report.run(tmp_path / "report.html")
    assert "hm" in (tmp_path / "report.html").read_text("utf-8")


def test_every_format_writes_them(space: Workspace, tmp_path: Path) -> None:
    """Or counts what it can not carry."""
    for where in ITEMS:
        marked(space, "ana", where)
    for name in registry.plugin_names("exporters"):
        target = tmp_path / f"out-{name}"
        report = space.export(target, format=name, options=ExportOptions(layer="ana"))
        assert report.records == len(collection()) or report.lost, name


def test_native_records_come_back_as_they_were(space: Workspace, tmp_path: Path) -> None:
    """With ratings, comments and marks, to the last field; the labels of the dataset too."""
    for where in ITEMS:
        marked(space, "ana", where)
    target = tmp_path / "all.jsonl"
    space.export(target)
    with tui_annotate.create(tmp_path / "other") as other:
        assert other.ingest(target, embedder="none").refused == 0
        pairs = zip(other.records(), space.records(), strict=True)
        assert all(one == replace(each, people=one.people) for one, each in pairs)
        assert other.annotate.labels(DATASET) == space.annotate.labels(DATASET)


def test_a_file_of_them_can_be_looked_at(space: Workspace) -> None:
    """Without a workspace."""
    gathered = FileIndex()
    try:
        assert gathered.add(space.records()) == []
        browser = FileBrowser(gathered, space.labels)
        opened = [browser.open(where) for where in ITEMS]
        assert [len(each.segments) for each in opened] == [3, 1, 2, 1]
    finally:
        gathered.close()


def test_labels_of_items_change_as_those_of_pairs(space: Workspace) -> None:
    """Renamed in their dataset, with the work."""
    for where in ITEMS:
        marked(space, "ana", where)
    space.team.relabel.rename("Passage", "Support", dataset=DATASET)
    labels = {path for _, owned in space.annotations() for path in owned.annotation.labels}
    assert labels == {("Support",)}
    assert space.labels.find(PASSAGE) is None


def test_the_workspaces_labels_change_beside_them(space: Workspace) -> None:
    """Their marks are under a set of their own, and stand in nobody's way."""
    marked(space, "ana", ITEMS[0])
    (space.path / "labels.yaml").write_text("- Other\n", "utf-8")
    assert space.team.proposals.refused() == ""
    assert [label.name for label in space.labels.walk()] == ["Other"]
    assert space.annotate.labels(DATASET).find(PASSAGE)


def test_other_labels_are_put_beside_the_one(space: Workspace) -> None:
    """For that dataset; marks that were made keep theirs."""
    marked(space, "ana", ITEMS[0])
    space.team.relabel.apply("- Passage\n- Support\n", name="x.yaml", dataset=DATASET)
    open_sample = space.annotate.open(space.people.local("ben").id, ITEMS[0])
    assert [label.name for _, label in open_sample.labels.bar()] == ["Passage", "Support"]
    with pytest.raises(Conflict, match=r"x\.yaml.*Passage"):
        space.team.relabel.apply("- Support\n", name="x.yaml", dataset=DATASET)


def test_a_new_account_in_a_collection_sees_nobodys_work(space: Workspace, tmp_path: Path) -> None:
    """Neither marks, ratings and comments of items, nor that there are any: tree, queue, files."""
    for where in ITEMS:
        marked(space, "ana", where)
    ben = space.people.local("ben").id
    mine = space.acting(Actor(ben, Role.ANNOTATOR))
    for where in ITEMS:
        open_sample = mine.annotate.open(ben, where)
        assert (
            open_sample.annotations,
            open_sample.assignment.rating,
            open_sample.assignment.comment,
        ) == ((), "", "")
        assert open_sample.finished == 0
    for kind in (SampleKind.REPORT, SampleKind.DOCUMENT, SampleKind.CITATION):
        assert _done(mine, ben, kind) == 0 < _done(space, space.people.local("ana").id, kind)
    for name in ("native", "autojudge"):
        target = tmp_path / name
        mine.export(target, format=name)
        assert "hm" not in target.read_text("utf-8")
        space.export(target, format=name)
        assert '"hm"' in target.read_text("utf-8")


def _done(space: Workspace, person: str, kind: SampleKind) -> int:
    """Items that a tree's topics count as done."""
    return sum(topic.done for topic in space.annotate.items.topics(person, DATASET, kind))
