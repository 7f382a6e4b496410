"""Labels that change: the set and all work under it in one step, told before, and undone."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.helpers.folder_cache import build_once
from tests.helpers.stores import claim, fill, new_database
from tui_annotate.domain.adjudication import RejectionReason
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assignment_plan import AssignmentOptions
from tui_annotate.domain.assignment_rules import Gold, Practice
from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import (
    Conflict,
    InvalidInput,
    NotAllowed,
    NotReady,
    TuiAnnotateError,
    Unavailable,
)
from tui_annotate.domain.history import RELABEL, replay
from tui_annotate.domain.label_changes import LackingWork
from tui_annotate.domain.people import SETTLED, Actor, Person, PersonKind, Role
from tui_annotate.domain.records import OwnedAnnotation, Record
from tui_annotate.domain.samples import SampleKey, Side
from tui_annotate.domain.spans import Span
from tui_annotate.services.relabel import LabelChangeService, RelabelConflict, RelabelReport
from tui_annotate.settings import load
from tui_annotate.storage.log.label_set_change import LabelChangeStore
from tui_annotate.storage.sqlite_database import SqliteDatabase
from tui_annotate.workspace import Workspace

LABELS = """\
# ours
- name: Wrong   # bad
  children:
    - name: Bent
    # made up
    - Made
- {name: Odd, key: 3}
- {name: Fine, evidence: none}
- {name: Alone, exclusive: true}
"""
KEY, OTHER, THIRD = SampleKey("d", "1"), SampleKey("d", "2"), SampleKey("e", "1")


@pytest.fixture
def space(tmp_path: Path) -> Iterator[Workspace]:
    """A workspace of two datasets with our labels."""
    folder = build_once(tmp_path / "work", "labels in use", _build)
    with _open(folder, SqliteDatabase.open(folder / "store.sqlite")) as made:
        yield made


def _open(folder: Path, database: SqliteDatabase) -> Workspace:
    return Workspace(folder, load(folder), database)


def _build(folder: Path) -> None:
    folder.mkdir()
    (folder / "tui-annotate.toml").write_text("")
    (folder / "labels.yaml").write_text(LABELS)
    with _open(folder, new_database(folder)) as made:
        fill(made.corpus, "1", "2", "3")
        fill(made.corpus, "1", dataset="e")
        made.annotate.labels()


@pytest.fixture
def worked(tmp_path: Path) -> Iterator[Workspace]:
    """The same with work: ana finished a sample, bo drafts one, review settled one."""

    def build(folder: Path) -> None:
        _build(folder)
        with _open(folder, SqliteDatabase.open(folder / "store.sqlite")) as space:
            ana, bo = (space.person(name).id for name in ("ana", "bo"))
            put(space, ana, KEY, "a", "Odd")
            put(space, ana, KEY, "b", "Wrong.Bent", start=0, end=10)
            space.annotate.finish(ana, KEY, seconds=1)
            put(space, bo, KEY, "c", "Odd")
            put(space, ana, OTHER, "d", "Wrong.Made")
            put(space, bo, THIRD, "e", "Odd")
            space.annotate.finish(bo, THIRD, seconds=1)
            settled = replace(claim("s", label="Odd"), origin="adjudicated")
            import_one(space, OTHER, SETTLED, settled)

    folder = build_once(tmp_path / "work", "labels of work", build)
    with _open(folder, SqliteDatabase.open(folder / "store.sqlite")) as made:
        yield made


def put(space: Workspace, who: str, key: SampleKey, name: str, label: str, **more: object) -> None:
    """An annotation of somebody."""
    made = replace(claim(name, **more), labels=(tuple(label.split(".")),))  # type: ignore[arg-type]
    space.annotate.add(who, key, made, seconds=1)


def import_one(space: Workspace, key: SampleKey, who: str, *made: Annotation) -> None:
    """Work that came from elsewhere."""
    kind = PersonKind.SETTLED if who == SETTLED else PersonKind.IMPORTED
    found = space.corpus.sample(key).sample
    owned = tuple(OwnedAnnotation(who, one) for one in made)
    space.log.import_records([Record(found, people=(Person(who, who, kind),), annotations=owned)])


def labels_of(space: Workspace) -> dict[str, list[str]]:
    """The labels of all annotations, by id."""
    found = {}
    for record in space.records():
        for owned in record.annotations:
            one = owned.annotation
            found[one.id] = [".".join(path) for path in one.labels]
    return dict(sorted(found.items()))


def states(space: Workspace) -> dict[tuple[str, str], str]:
    """How far everybody is, by name and sample."""
    names = {person.id: person.name for person in space.people.all()}
    return {
        (names[each.person], str(record.sample.key)): each.state.value
        for record in space.records()
        for each in record.assignments
    }


def stored(space: Workspace) -> list[tuple[str, list[tuple[object, ...]]]]:
    """Every row of every table, and the file."""
    with sqlite3.connect(space.path / "store.sqlite") as connection:
        query = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
        names = [row[0] for row in connection.execute(query)]
        rows = [
            (name, connection.execute(f'SELECT * FROM "{name}" ORDER BY 1').fetchall())
            for name in names
        ]
    return [*rows, ((space.path / "labels.yaml").read_text(), [])]


def sound(space: Workspace) -> bool:
    """Whether the log follows from itself, and the tables from the log."""
    for who, key in space.log.streams():
        if not replay(space.log.events(who, key)).same(space.log.state(who, key)):
            return False
    return space.team.audit.verify().sound


def relabel(space: Workspace) -> LabelChangeService:
    """The service."""
    return space.team.relabel


CHANGES: dict[str, Callable[[LabelChangeService, bool], RelabelReport]] = {
    "rename": lambda service, dry: service.rename("Odd", "Strange", dry_run=dry),
    "parent": lambda service, dry: service.rename("Wrong", "Bad: very", dry_run=dry),
    "merge": lambda service, dry: service.merge(["Odd", "Wrong.Made"], "Wrong.Bent", dry_run=dry),
    "split": lambda service, dry: service.split("Odd", ["Queer", "Fine"], dry_run=dry),
    "retire": lambda service, dry: service.retire("Wrong", dry_run=dry),
    "apply": lambda service, dry: service.apply(LABELS + "- New\n", name="new.yaml", dry_run=dry),
    "waits": lambda service, dry: service.apply(
        LABELS.replace("key: 3", "split: [Fine, Alone]"), name="new.yaml", dry_run=dry
    ),
}
"""What can be done to the labels."""


@pytest.mark.parametrize("verb", CHANGES)
def test_what_would_be_changes_nothing_and_is_what_happens(worked: Workspace, verb: str) -> None:
    """Not a row, nor a byte of the file; then the same figures, and a sound log."""
    before = stored(worked)
    report = CHANGES[verb](relabel(worked), True)
    assert stored(worked) == before
    done = CHANGES[verb](relabel(worked), False)
    assert (report.applied, done.applied) == (False, True)
    assert replace(done, applied=False, file="") == report
    assert done.file == "written"
    assert sound(worked)
    assert worked.labels.version == done.after
    assert relabel(worked).text() == (worked.path / "labels.yaml").read_text()


@pytest.mark.parametrize("verb", CHANGES)
def test_a_change_is_taken_back_whole(worked: Workspace, verb: str) -> None:
    """Work, states and file are as they were; the log grew, and tells both."""
    labels, state, text = labels_of(worked), states(worked), relabel(worked).text()
    annotations = list(worked.annotations())
    CHANGES[verb](relabel(worked), False)
    before = stored(worked)
    report = relabel(worked).undo(dry_run=True)
    assert stored(worked) == before
    assert replace(relabel(worked).undo(), applied=False, file="") == report
    assert (labels_of(worked), states(worked)) == (labels, state)
    assert list(worked.annotations()) == annotations
    assert (worked.path / "labels.yaml").read_text() == relabel(worked).text() == text
    assert sound(worked)
    with pytest.raises(NotReady):
        relabel(worked).undo()


def test_another_name_goes_to_all_work_and_nothing_else_moves(worked: Workspace) -> None:
    """Of everybody, review and other datasets; finished work stays finished."""
    state = states(worked)
    report = relabel(worked).rename("Odd", "Strange")
    assert (report.annotations, report.samples, report.reopened) == (4, 4, 0)
    assert [(each.person, each.dataset, each.annotations) for each in report.counts] == [
        ("adjudicated", "d", 1), ("ana", "d", 1), ("bo", "d", 1), ("bo", "e", 1),
    ]  # fmt: skip
    assert labels_of(worked) == {
        "a": ["Strange"], "b": ["Wrong.Bent"], "c": ["Strange"], "d": ["Wrong.Made"],
        "e": ["Strange"], "s": ["Strange"],
    }  # fmt: skip
    assert states(worked) == state
    assert (worked.path / "labels.yaml").read_text() == LABELS.replace("Odd", "Strange")


def test_work_says_what_it_was_made_under_and_the_event_what_it_is_under(
    worked: Workspace,
) -> None:
    """An annotation keeps the version of its making; one event a stream, in one batch, by whom."""
    ana = worked.person("ana").id
    made = worked.labels.version
    admin = worked.acting(Actor("li", Role.ADMIN))
    report = relabel(admin).rename("Odd", "Strange")
    (one, _) = worked.log.stream(ana, KEY).annotations[::-1]
    assert (one.id, one.label_set, one.version) == ("a", made, 2)
    last = [worked.log.events(who, key)[-1] for who, key in worked.log.streams()]
    reported = [event for event in last if event.action.verb == RELABEL]
    assert len(reported) == report.samples
    assert len({event.action.batch for event in reported}) == 1
    assert {(event.versions["by"], event.versions["labels"]) for event in reported} == {
        ("li", report.after)
    }


def test_checks_keep_their_scores_under_other_names(space: Workspace) -> None:
    """Practice compares with the present answer, a recomputed check too: all have the new name."""
    kim, ana = (space.person(name).id for name in ("kim", "ana"))
    share = space.team.assignments
    for who, key in ((kim, KEY), (kim, THIRD)):
        put(space, who, key, f"k{key.dataset}", "Odd")
        space.annotate.finish(who, key, seconds=1)
    share.practice("e", ["ana"], gold="kim")
    share.gold("d", Gold(["1"], every=2), answers="kim")
    share.give("d", ["ana"], AssignmentOptions())
    put(space, ana, THIRD, "practised", "Odd")
    space.annotate.finish(ana, THIRD, seconds=1)
    relabel(space).rename("Odd", "Strange")
    while following := space.annotate.next_unfinished(ana, None):
        if following == KEY:
            put(space, ana, KEY, "checked", "Strange")
        space.annotate.finish(ana, following, seconds=1)
    relabel(space).rename("Strange", "Queer")
    figures = space.team.progress.figures()
    assert [each.score for each in figures.practice] == [1.0]
    assert [each.accuracy for each in figures.gold] == [1.0]
    assert share.recompute_gold("d").changed == 0
    relabel(space).undo()
    relabel(space).undo()
    figures = space.team.progress.figures()
    assert [(each.accuracy, each.older_answers) for each in figures.gold] == [(1.0, 0)]
    assert share.recompute_gold("d").changed == 0
    figures = space.team.progress.figures()
    assert [(each.accuracy, each.older_answers) for each in figures.gold] == [(1.0, 0)]


def test_practice_counts_a_merge_that_changed_no_present_annotation(space: Workspace) -> None:
    """A label of the first completion has the present name, also if it was deleted since."""
    kim, ana = (space.person(name).id for name in ("kim", "ana"))
    put(space, kim, KEY, "k", "Alone")
    space.annotate.finish(kim, KEY, seconds=1)
    passing = Practice(pass_score=80)
    space.team.assignments.practice("d", ["ana"], gold="kim", criteria=passing)
    put(space, ana, KEY, "a", "Odd")
    space.annotate.finish(ana, KEY, seconds=1)
    space.annotate.remove(ana, KEY, "a", version=1, seconds=1)
    for key in (KEY, OTHER, SampleKey("d", "3")):
        space.annotate.finish(ana, key, seconds=1)
    assert relabel(space).merge(["Odd"], "Alone").annotations == 0
    space.annotate.next_unfinished(ana, None)
    assert [each.score for each in space.team.progress.figures().practice] == [1.0]


def test_what_is_below_goes_along(worked: Workspace) -> None:
    """Children follow their parent's name; merging a parent takes them in."""
    relabel(worked).rename("Wrong", "Bad")
    assert labels_of(worked)["b"] == ["Bad.Bent"]
    relabel(worked).merge(["Bad"], "Fine")
    assert (labels_of(worked)["b"], labels_of(worked)["d"]) == (["Fine"], ["Fine"])
    assert [label.name for label in worked.labels.walk()] == ["Odd", "Fine", "Alone"]


def test_what_becomes_alike_stays_and_is_told(space: Workspace) -> None:
    """A label twice on an annotation is kept once; two annotations that say the same both stay."""
    ana = space.person("ana").id
    both = replace(claim("a"), labels=(("Odd",), ("Wrong", "Bent")))
    space.annotate.add(ana, KEY, both, seconds=1)
    put(space, ana, KEY, "b", "Wrong.Made")
    report = relabel(space).merge(["Odd", "Wrong.Made"], "Wrong.Bent")
    assert labels_of(space) == {"a": ["Wrong.Bent"], "b": ["Wrong.Bent"]}
    (place,) = report.of("alike")
    assert (place.person, place.sample, place.numbers) == ("ana", "1", (1, 2))
    assert (report.annotations, report.of("breaks")) == (2, [])


def test_rules_that_work_then_breaks_are_told(space: Workspace) -> None:
    """Evidence under a label that takes none, and company of one that must stand alone."""
    ana = space.person("ana").id
    evidence = (Anchor(Side.SOURCE, 0, Span(4, 10)),)
    made = replace(claim("a"), labels=(("Odd",), ("Wrong",)), evidence=evidence)
    space.annotate.add(ana, KEY, made, seconds=1)
    report = relabel(space).merge(["Odd"], "Fine", dry_run=True).of("breaks")
    assert [(place.label, place.detail) for place in report] == [("Fine", "evidence")]
    report = relabel(space).merge(["Odd"], "Alone", dry_run=True).of("breaks")
    assert [(place.label, place.detail) for place in report] == [("Alone", "alone")]


def test_split_work_waits_for_a_choice(worked: Workspace) -> None:
    """Annotations stay; samples that were finished are opened again, review's too."""
    ana = worked.person("ana").id
    reviewer = worked.log
    with reviewer.writing() as log:
        stream = log.stream(SETTLED, OTHER)
        assert stream.assignment.state is State.NEW
    labels = labels_of(worked)
    report = relabel(worked).split("Odd", ["Queer", "Vague"])
    assert (report.annotations, report.reopened) == (4, 3)
    assert labels_of(worked) == labels
    assert states(worked)["ana", "d/1"] == states(worked)["bo", "e/1"] == "reopened"
    assert worked.log.stream(SETTLED, OTHER).assignment.state is State.REOPENED
    assert states(worked)["bo", "d/1"] == "draft"
    with pytest.raises(Conflict):
        worked.annotate.finish(ana, KEY, seconds=1)
    held = next(one for one in worked.annotate.open(ana, KEY).annotations if one.id == "a")
    worked.annotate.edit(ana, KEY, replace(held, labels=(("Queer",),)), seconds=1)
    worked.annotate.finish(ana, KEY, seconds=1)
    undone = relabel(worked).undo()
    assert states(worked)["ana", "d/1"] == "done"
    assert states(worked)["bo", "e/1"] == "done"
    assert worked.log.stream(SETTLED, OTHER).assignment.state is State.NEW
    assert (undone.closed, undone.samples) == (2, 2)
    assert [place.label for place in undone.of("lost")] == ["Queer"]
    assert sound(worked)


def test_imports_are_opened_again_by_a_split(worked: Workspace) -> None:
    """They stand in the queue of whose they are, until a choice is made; what waits is told."""
    imported = replace(claim("i", label="Odd"), origin="imported:x")
    import_one(worked, SampleKey("d", "3"), "li", imported)
    report = relabel(worked).split("Odd", ["Queer", "Vague"])
    assert (report.annotations, report.reopened) == (5, 4)
    assert states(worked)["li", "d/3"] == "reopened"
    page = worked.queue.page("li", order="ingested", states=(State.REOPENED,))
    assert [str(row.key) for row in page.rows] == ["d/3"]
    assert relabel(worked).undo().closed == 4
    assert states(worked)["li", "d/3"] == "new"
    assert sound(worked)


@pytest.mark.parametrize("way", ["merge", "normalise"])
def test_what_waits_is_settled_for_all(worked: Workspace, way: str) -> None:
    """Work that the split opened is as far as before it, but for what somebody went on with."""
    bo = worked.person("bo").id
    before = states(worked)
    relabel(worked).split("Odd", ["Queer", "Vague"])
    opened = states(worked)
    worked.annotate.comment(bo, THIRD, "hm", seconds=1)
    report = (
        relabel(worked).merge(["Odd"], "Queer")
        if way == "merge"
        else relabel(worked).normalise({("Odd",): ("Queer",)})
    )
    assert (report.annotations, report.closed) == (4, 2)
    assert states(worked) == {**before, ("bo", "e/1"): "reopened"}
    assert all("Odd" not in labels for labels in labels_of(worked).values())
    assert sound(worked)
    undone = relabel(worked).undo()
    assert (undone.reopened, undone.closed) == (2, 0)
    assert states(worked) == opened
    assert sound(worked)


def test_annotators_are_told_what_waits_of_their_own(worked: Workspace) -> None:
    """Who may see all is told of all, by label and person; what is most first."""
    relabel(worked).split("Odd", ["Queer", "Vague"])
    ana = worked.person("ana").id
    for role, report in {
        Role.ANNOTATOR: [("ana", 1)],
        Role.REVIEWER: [("bo", 2), ("adjudicated", 1), ("ana", 1)],
    }.items():
        space = worked.acting(Actor(ana, role))
        found = space.status().waiting
        assert [(each.name, each.annotations) for each in found] == report
        assert {(each.label, each.choices) for each in found} == {("Odd", ("Queer", "Vague"))}
        (finding,) = (each for each in space.check() if each.check == "split labels")
        assert ("bo" in finding.message) == (role is Role.REVIEWER)


def test_what_waits_for_another_choice_stays_open(worked: Workspace) -> None:
    """A sample goes back once nothing on it waits."""
    relabel(worked).split("Odd", ["Queer", "Vague"])
    relabel(worked).split("Wrong.Bent", ["Bow", "Curve"])
    assert relabel(worked).normalise({("Odd",): ("Queer",)}).closed == 2
    assert states(worked)["ana", "d/1"] == "reopened"
    assert relabel(worked).merge(["Wrong.Bent"], "Wrong.Bow").closed == 1
    assert states(worked)["ana", "d/1"] == "done"


def test_who_worked_on_since_is_not_finished_by_an_undo(worked: Workspace) -> None:
    """A sample that was opened again and worked on stays open."""
    ana = worked.person("ana").id
    relabel(worked).split("Odd", ["Queer", "Vague"])
    worked.annotate.comment(ana, KEY, "hm", seconds=1)
    relabel(worked).undo()
    assert (states(worked)["ana", "d/1"], states(worked)["bo", "e/1"]) == ("reopened", "done")


def test_retired_labels_stay_on_old_work(worked: Workspace) -> None:
    """No event, no change of work; new work is refused them."""
    count = worked.team.audit.head().events
    report = relabel(worked).retire("Odd")
    assert (report.annotations, worked.team.audit.head().events) == (4, count)
    with pytest.raises(InvalidInput, match="'Odd'"):
        put(worked, worked.person("ana").id, OTHER, "x", "Odd", start=0, end=3)


def test_what_review_settled_goes_along(space: Workspace) -> None:
    """Another name leaves it settled, a split opens it, and no undo goes behind either."""
    ana, bo, li = (space.person(name).id for name in ("ana", "bo", "li"))
    for who in (ana, bo):
        put(space, who, KEY, f"of {who}", "Odd")
        space.annotate.finish(who, KEY, seconds=1)
    reviewer = space.acting(Actor(li, Role.REVIEWER))
    review = reviewer.team.review
    seen = review.open(li, KEY).seen
    review.finish(li, KEY, seen=seen, seconds=1)
    assert space.log.stream(SETTLED, KEY).assignment.state is State.DONE
    relabel(space).rename("Odd", "Strange")
    settled = space.log.stream(SETTLED, KEY)
    assert [one.labels for one in settled.annotations] == [(("Strange",),)]
    assert settled.assignment.state is State.DONE
    assert review.undo(li) is None
    relabel(space).split("Strange", ["Queer", "Vague"])
    assert space.log.stream(SETTLED, KEY).assignment.state is State.REOPENED
    relabel(space).undo()
    assert space.log.stream(SETTLED, KEY).assignment.state is State.DONE
    assert sound(space)


# one step, or nothing ----------------------------------------------------------------------------


def test_a_failure_in_the_middle_leaves_nothing(
    worked: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither when rows can not be written, nor when the file can not."""
    before = stored(worked)

    def broken(*_: object, **__: object) -> None:
        raise Unavailable("the disk is full", "free some space")

    for place in (
        "tui_annotate.storage.log.label_set_change.add_label_change",
        "tui_annotate.workspace.proposals.write_if_changed",
    ):
        with monkeypatch.context() as patched:
            patched.setattr(place, broken)
            with pytest.raises(Unavailable):
                relabel(worked).rename("Odd", "Strange")
        assert stored(worked) == before
    assert relabel(worked).rename("Odd", "Strange").annotations == 4


def test_work_of_the_meantime_is_taken_along(
    worked: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What people do between the look and the lock gets the new labels too."""
    bo = worked.person("bo").id
    service = relabel(worked)
    write = type(service).carry_out

    def later(self: LabelChangeService, made: object, **how: object) -> RelabelReport:
        put(worked, bo, OTHER, "f", "Odd")
        held = worked.annotate.open(bo, KEY).annotations[0]
        worked.annotate.remove(bo, KEY, held.id, version=held.version, seconds=1)
        return write(self, made, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(type(service), "carry_out", later)
    report = service.rename("Odd", "Strange")
    assert report.annotations == 4
    found = labels_of(worked)
    assert (found["f"], "c" in found) == (["Strange"], False)
    assert sound(worked)


def test_a_set_that_changed_meanwhile_is_a_conflict(
    worked: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two admins at once: the second looks again."""
    service = relabel(worked)
    write = type(service).carry_out

    def later(self: LabelChangeService, made: object, **how: object) -> RelabelReport:
        monkeypatch.setattr(type(service), "carry_out", write)
        relabel(worked).rename("Fine", "Good")
        return write(self, made, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(type(service), "carry_out", later)
    with pytest.raises(Conflict):
        service.rename("Odd", "Strange")
    assert labels_of(worked)["a"] == ["Odd"]


def test_only_admins_change_labels(worked: Workspace) -> None:
    """Others are refused before anything is looked at."""
    for role in (Role.ANNOTATOR, Role.REVIEWER):
        with pytest.raises(NotAllowed):
            _ = worked.acting(Actor("ana", role)).team.relabel
        actor, owners = Actor("ana", role), relabel(worked)
        store = LabelChangeStore(worked.log._database, actor=actor)
        service = replace(owners, store=store, actor=actor)
        for change in CHANGES.values():
            with pytest.raises(NotAllowed):
                change(service, True)
        with pytest.raises(NotAllowed):
            service.undo(dry_run=True)


# what people take back ---------------------------------------------------------------------------


def test_deeds_before_a_change_are_beyond_undo_where_it_touched(worked: Workspace) -> None:
    """Undo never takes a change of labels back, nor goes behind it."""
    ana = worked.person("ana").id
    relabel(worked).rename("Odd", "Strange")
    undone = worked.annotate.undo(ana)
    assert undone is not None
    assert undone.verb == "undo"
    assert labels_of(worked)["a"] == ["Strange"]
    assert "d" not in labels_of(worked)  # her deed on the sample that had no such label
    assert worked.annotate.undo(ana) is None
    assert worked.annotate.redo(ana) is not None
    assert sound(worked)


def test_what_undo_brings_back_has_the_new_labels(worked: Workspace) -> None:
    """Work that a change did not see, as it was removed, comes back under the names of now."""
    ana = worked.person("ana").id
    (held,) = worked.annotate.open(ana, OTHER).annotations
    worked.annotate.remove(ana, OTHER, held.id, version=held.version, seconds=1)
    relabel(worked).rename("Wrong.Made", "Invented")
    relabel(worked).merge(["Wrong.Invented"], "Wrong.Bent")
    assert worked.annotate.undo(ana) is not None
    assert labels_of(worked)["d"] == ["Wrong.Bent"]
    assert worked.annotate.undo(ana) is not None
    assert "d" not in labels_of(worked)
    assert worked.annotate.redo(ana) is not None
    assert labels_of(worked)["d"] == ["Wrong.Bent"]
    assert sound(worked)


def test_work_that_was_cleared_comes_back_under_the_new_labels(worked: Workspace) -> None:
    """A deed on several samples, before the change, is taken back as one."""
    ana = worked.person("ana").id
    assert worked.annotate.clear(ana).annotations == 3
    relabel(worked).rename("Odd", "Strange")
    worked.annotate.undo(ana)
    found = labels_of(worked)
    assert (found["a"], found["b"], found["d"]) == (["Strange"], ["Wrong.Bent"], ["Wrong.Made"])
    assert sound(worked)


def test_what_was_taken_back_meanwhile_changes_nothing_that_comes_back(worked: Workspace) -> None:
    """A change and its undoing cancel out for work that comes back later."""
    ana = worked.person("ana").id
    (held,) = worked.annotate.open(ana, OTHER).annotations
    worked.annotate.remove(ana, OTHER, held.id, version=held.version, seconds=1)
    relabel(worked).merge(["Wrong.Made"], "Wrong.Bent")
    relabel(worked).undo()
    worked.annotate.undo(ana)
    assert labels_of(worked)["d"] == ["Wrong.Made"]


def test_work_under_a_new_name_goes_back_with_it(worked: Workspace) -> None:
    """What was made or changed since a change of a name gets the old one too."""
    ana = worked.person("ana").id
    relabel(worked).rename("Odd", "Strange")
    put(worked, ana, OTHER, "n", "Strange", start=0, end=5)
    held = next(one for one in worked.annotate.open(ana, KEY).annotations if one.id == "a")
    worked.annotate.edit(ana, KEY, replace(held, note="why"), seconds=1)
    report = relabel(worked).undo()
    found = labels_of(worked)
    assert (found["a"], found["n"], report.annotations) == (["Odd"], ["Odd"], 5)
    assert (report.of("left"), report.of("lost")) == ([], [])
    assert sound(worked)


def test_what_was_changed_since_a_merge_stays_and_is_told(worked: Workspace) -> None:
    """Nobody knows what it would be now."""
    ana = worked.person("ana").id
    relabel(worked).merge(["Odd"], "Wrong.Made")
    held = next(one for one in worked.annotate.open(ana, KEY).annotations if one.id == "a")
    worked.annotate.edit(ana, KEY, replace(held, note="why"), seconds=1)
    report = relabel(worked).undo()
    assert [(place.sample, place.person) for place in report.of("left")] == [("1", "ana")]
    assert (labels_of(worked)["a"], labels_of(worked)["c"]) == (["Wrong.Made"], ["Odd"])


# sets of datasets, and the file ------------------------------------------------------------------


def test_a_dataset_may_have_a_set_of_its_own(worked: Workspace) -> None:
    """From then on changes of the workspace's set pass it by, and the other way round."""
    own = "- Odd\n- Plain\n"
    relabel(worked).apply(own, name="own.yaml", dataset="e")
    relabel(worked).rename("Odd", "Strange")
    assert (labels_of(worked)["a"], labels_of(worked)["e"]) == (["Strange"], ["Odd"])
    relabel(worked).rename("Odd", "Weird", dataset="e")
    assert (labels_of(worked)["a"], labels_of(worked)["e"]) == (["Strange"], ["Weird"])
    assert relabel(worked).text(dataset="e") == "- Weird\n- Plain\n"
    assert (worked.path / "labels.yaml").read_text() == LABELS.replace("Odd", "Strange")
    relabel(worked).undo(dataset="e")
    assert labels_of(worked)["e"] == ["Odd"]
    with pytest.raises(InvalidInput, match="'d'"):
        relabel(worked).rename("Odd", "X", dataset="d")


def test_a_dataset_goes_back_to_the_set_of_all(worked: Workspace) -> None:
    """When its own is taken back; news can tell of it."""
    relabel(worked).apply("- Odd\n- Plain\n", name="own.yaml", dataset="e")
    relabel(worked).undo(dataset="e")
    assert worked.annotate.labels("e").version == worked.labels.version
    found = [(each.dataset, each.change, each.undone) for each in relabel(worked).versions()]
    assert found == [
        ("", "", False), ("e", "apply own.yaml", True), ("e", found[2][1], False),
    ]  # fmt: skip
    assert found[2][1].endswith(" apply own.yaml")  # what was taken back
    relabel(worked).rename("Odd", "Strange")
    assert labels_of(worked)["e"] == ["Strange"]


def test_a_set_that_loses_labels_is_refused(worked: Workspace) -> None:
    """Also on trial; what would be lost is told by label, and nothing is changed."""
    text = "- {name: Wrong, children: [Bent]}\n- Fine\n"
    before = stored(worked)
    for dry in (True, False):
        with pytest.raises(RelabelConflict, match=r"less\.yaml.*5") as caught:
            relabel(worked).apply(text, name="less.yaml", dry_run=dry)
        report = {(each.label, each.becomes) for each in caught.value.report.counts}
        assert report == {("Odd", ""), ("Wrong.Made", "")}
    assert stored(worked) == before


def test_a_file_that_is_no_text_is_left(worked: Workspace) -> None:
    """It says something else; the set of another file is put in force all the same."""
    (worked.path / "labels.yaml").write_bytes(b"\xff")
    assert relabel(worked).apply(LABELS + "- New\n", name="new.yaml").file == "left"
    assert (worked.path / "labels.yaml").read_bytes() == b"\xff"


def test_a_file_that_waits_is_left_and_comes_in_when_it_fits(worked: Workspace) -> None:
    """Somebody writes another name into labels.yaml: once the work has it, the file is taken up."""
    file = worked.path / "labels.yaml"
    wanted = LABELS.replace("Odd", "Strange") + "- New\n"
    file.write_text(wanted)
    assert worked.labels.find(("Odd",))
    assert relabel(worked).rename("Odd", "Strange").file == "left"
    assert file.read_text() == wanted
    assert worked.labels.find(("New",))
    first, renamed, changed = (each.change for each in relabel(worked).versions())
    assert first == ""
    assert ("Odd" in renamed, "Strange" in renamed, "labels.yaml" in changed) == (True,) * 3


def test_an_undo_waits_for_a_file_that_is_not_in_force(worked: Workspace) -> None:
    """It would be lost, or come in again behind it."""
    relabel(worked).rename("Odd", "Strange")
    (worked.path / "labels.yaml").write_text("- Other\n")
    with pytest.raises(Conflict, match=r"labels\.yaml"):
        relabel(worked).undo()


def test_a_changed_file_is_in_force_before_a_change(worked: Workspace) -> None:
    """What it adds is there, also in what would be."""
    (worked.path / "labels.yaml").write_text(LABELS + "- Later\n")
    report = relabel(worked).rename("Later", "Now", dry_run=True)
    done = relabel(worked).rename("Later", "Now")
    assert (report.after, report.change) == (done.after, done.change)
    relabel(worked).undo()
    relabel(worked).undo()
    assert (worked.path / "labels.yaml").read_text() == LABELS


@pytest.mark.parametrize(
    ("change", "told", "hint"),
    [
        (lambda one: one.rename("Nope", "X"), "'Nope'", "Wrong"),
        (lambda one: one.rename("bent", "X"), "'bent'", r"Wrong\.Bent"),
        (lambda one: one.rename("Odd", "Fine"), "'Fine'", "labels merge"),
        (lambda one: one.rename("Odd", "Odd"), "'Odd'", "."),
        (lambda one: one.rename("Odd", "Wrong.Odd"), r"'Wrong\.Odd'", "."),
        (lambda one: one.rename("Odd", " x"), "' x'", "."),
        (lambda one: one.merge(["Odd"], "Odd"), "'Odd'", "."),
        (lambda one: one.merge(["Wrong"], "Wrong.Bent"), "'Wrong'", "."),
        (lambda one: one.split("Odd", ["X"]), "'Odd' .*X", "."),
        (lambda one: one.split("Odd", ["X", "X"]), "X", "."),
        (lambda one: one.split("Odd", ["Odd", "X"]), "Odd", "."),
        (lambda one: one.split("Wrong", ["X", "Y"]), "'Wrong'", "."),
        (lambda one: one.retire("Nope"), "'Nope'", "Wrong"),
        (lambda one: one.rename("Odd", "X", dataset="no"), "'no'", "datasets list"),
        (lambda one: one.apply("- A: {", name="f.yaml"), r"f\.yaml", "."),
        (lambda one: one.text("zz"), "'zz'", "labels history"),
    ],
)
def test_what_can_not_be_is_told_with_its_value(
    worked: Workspace, change: Callable[[LabelChangeService], object], told: str, hint: str
) -> None:
    """Nothing is changed, and it is said what to do."""
    before = stored(worked)
    with pytest.raises(TuiAnnotateError, match=told) as found:
        change(relabel(worked))
    assert re.search(hint, found.value.hint)
    assert stored(worked) == before


def test_labels_that_are_no_longer_given_are_nobodys_future(worked: Workspace) -> None:
    """Nothing is merged or split into one, and none is retired or split twice."""
    relabel(worked).retire("Odd")
    relabel(worked).split("Fine", ["Good", "Plain"])
    changes: list[Callable[[LabelChangeService], RelabelReport]] = [
        lambda one: one.merge(["Alone"], "Odd"),
        lambda one: one.split("Alone", ["Odd", "X"]),
        lambda one: one.retire("Odd"),
        lambda one: one.split("Fine", ["X", "Y"]),
        lambda one: one.merge(["Alone"], "Fine"),
    ]
    for change in changes:
        with pytest.raises(Conflict):
            change(relabel(worked))


def test_a_set_that_nobody_opened_yet_is_there(tmp_path: Path) -> None:
    """A file beside a new store is shown, and changed; it is the first version then."""
    (tmp_path / "tui-annotate.toml").write_text("")
    (tmp_path / "labels.yaml").write_text(LABELS)
    with Workspace(tmp_path, load(tmp_path), new_database(tmp_path)) as space:
        assert (relabel(space).text(), relabel(space).versions()) == (LABELS, [])
        assert relabel(space).apply("- A\n", name="x.yaml", dry_run=True).applied is False
        assert relabel(space).versions() == []
        assert relabel(space).apply("- A\n", name="x.yaml").file == "written"
        assert [each.change for each in relabel(space).versions()] == ["", "apply x.yaml"]


def test_one_label_at_least_is_left_to_give(space: Workspace) -> None:
    """The last one can not be retired."""
    relabel(space).apply("- A\n- {name: B, retired: true}\n", name="x", dry_run=False)
    with pytest.raises(Conflict, match="'A'"):
        relabel(space).retire("A")


def test_a_frozen_state_stays_what_it_was(worked: Workspace) -> None:
    """Labels change, and the log still gives the state that was kept; so it does of a new one."""
    worked.team.freeze.run("before")
    relabel(worked).rename("Odd", "Strange")
    relabel(worked).split("Fine", ["Good", "Plain"])
    worked.team.freeze.run("after")
    for name in ("before", "after"):
        assert worked.team.freeze.replay(name).same


def test_when_people_worked_is_not_when_labels_changed(worked: Workspace) -> None:
    """Samples count for the day on which they were finished."""
    ana = worked.person("ana").id
    before = worked.log.stream(ana, KEY).updated
    relabel(worked).rename("Odd", "Strange")
    assert worked.log.stream(ana, KEY).updated == before
    assert worked.log.stream(ana, KEY).annotations[-1].updated > before


REQUIRED = LABELS.replace("{name: Odd, key: 3}", "{name: Odd, key: 3, note: required}")


def test_what_lacks_a_required_part_is_listed_before_it_is_applied(worked: Workspace) -> None:
    """The dry run names each annotation; without a decision the change is refused."""
    put(worked, worked.person("bo").id, OTHER, "f", "Odd", note="has one", start=0, end=3)
    before = stored(worked)
    report = relabel(worked).apply(REQUIRED, name="x", dry_run=True)
    found = {(each.person, each.sample, each.label, each.detail) for each in report.of("lacks")}
    assert found == {
        ("ana", "1", "Odd", "note"),
        ("bo", "1", "Odd", "note"),
        ("adjudicated", "2", "Odd", "note"),
    }
    assert (report.annotations, report.reopened, len(report.of("lacks"))) == (4, 0, 4)
    with pytest.raises(RelabelConflict) as refused:
        relabel(worked).apply(REQUIRED, name="x")
    assert len(refused.value.report.of("lacks")) == 4
    assert stored(worked) == before


def test_what_lacks_a_required_part_is_opened_again(worked: Workspace) -> None:
    """Completed samples alone; a second application finds nothing new; undo completes them."""
    before = states(worked)
    report = relabel(worked).apply(REQUIRED, name="x", lacking=LackingWork.REOPEN)
    assert report.reopened == 3
    after = states(worked)
    changed = {who: state for who, state in after.items() if before[who] != state}
    assert changed == {
        ("ana", "d/1"): "reopened",
        ("bo", "e/1"): "reopened",
        ("adjudicated", "d/2"): "reopened",
    }
    assert sound(worked)
    ana = worked.person("ana").id
    with pytest.raises(Conflict):
        worked.annotate.finish(ana, KEY, seconds=1)
    relabel(worked).undo()
    assert states(worked) == before


def test_practice_is_not_opened_again_and_gold_samples_are(space: Workspace) -> None:
    """People stay in real work, and cannot tell gold samples by what stays complete."""
    kim, ana = (space.person(name).id for name in ("kim", "ana"))
    share = space.team.assignments
    for key in (KEY, THIRD):
        put(space, kim, key, f"k{key.dataset}", "Odd")
        space.annotate.finish(kim, key, seconds=1)
    share.practice("e", ["ana"], gold="kim")
    share.gold("d", Gold(["1"], every=2), answers="kim")
    share.give("d", ["ana"], AssignmentOptions())
    while one := space.annotate.next_unfinished(ana, None):
        put(space, ana, one, f"a{one}", "Odd")
        space.annotate.finish(ana, one, seconds=1)
    figures = space.team.progress.figures()
    tried = relabel(space).apply(REQUIRED, name="x", dry_run=True, lacking=LackingWork.REOPEN)
    counts = {(each.person, each.dataset): each for each in tried.missing_parts}
    assert {
        who: (each.samples, each.reopened, each.practice, each.gold) for who, each in counts.items()
    } == {
        ("ana", "d"): (3, 3, 0, 1),
        ("ana", "e"): (1, 0, 1, 0),
        ("kim", "d"): (1, 1, 0, 0),
        ("kim", "e"): (1, 0, 1, 0),
    }
    report = relabel(space).apply(REQUIRED, name="x", lacking=LackingWork.REOPEN)
    assert report.missing_parts == tried.missing_parts
    assert states(space)["ana", "d/2"] == "reopened"
    assert space.log.stream(ana, KEY).assignment.state is State.REOPENED
    assert space.log.stream(ana, THIRD).assignment.state is State.DONE
    following = space.annotate.next_unfinished(ana, None)
    assert following is not None
    assert following.dataset == "d"
    after = space.team.progress.figures()
    assert (after.gold, after.practice) == (figures.gold, figures.practice)
    split = relabel(space).split("Odd", ["Queer", "Fine"])
    assert space.log.stream(ana, THIRD).assignment.state is State.DONE
    assert split.reopened == 0
    assert sound(space)


def test_samples_without_a_rating_are_opened_again(worked: Workspace) -> None:
    """Also those in which nothing was found; rated ones stay; undo completes them."""
    ana, bo = (worked.person(name).id for name in ("ana", "bo"))
    nothing = SampleKey("d", "3")
    worked.annotate.finish(ana, nothing, seconds=1)
    worked.annotate.rate(bo, THIRD, "good", seconds=1)
    service = replace(relabel(worked), ratings=("good", "poor"))
    assert relabel(worked).apply(LABELS, name="x", reopen_unrated=True).reopened == 0  # no scale
    before = states(worked)
    tried = service.apply(LABELS, name="x", reopen_unrated=True, dry_run=True)
    assert {(each.person, each.part, each.samples) for each in tried.missing_parts} == {
        ("ana", "rating", 2)
    }
    assert states(worked) == before
    assert service.apply(LABELS, name="x", reopen_unrated=True).reopened == 2
    assert [states(worked)["ana", name] for name in ("d/1", "d/3")] == ["reopened"] * 2
    assert states(worked)["bo", "e/1"] == "done"
    assert service.apply(LABELS, name="x", reopen_unrated=True).reopened == 0
    service.undo()
    assert states(worked) == before
    assert sound(worked)


def test_locked_samples_without_a_rating_stay_complete(worked: Workspace) -> None:
    """They are counted; only on request do they open for every edit."""
    rea, review = worked.person("rea").id, worked.team.review
    review.finish(rea, KEY, rest=RejectionReason.SLIP, seen=review.open(rea, KEY).seen, seconds=1)
    service = replace(relabel(worked), ratings=("good", "poor"))
    tried = service.apply(LABELS, name="x", reopen_unrated=True, dry_run=True)
    counts = {(each.person, each.dataset): each for each in tried.missing_parts}
    assert {who: (each.reopened, each.locked) for who, each in counts.items()} == {
        ("ana", "d"): (0, 1),
        ("bo", "e"): (1, 0),
    }
    assert service.apply(LABELS, name="x", reopen_unrated=True).reopened == 1
    assert (states(worked)["ana", "d/1"], states(worked)["bo", "e/1"]) == ("done", "reopened")
    report = service.apply(LABELS, name="x", reopen_unrated=True, include_adjudicated=True)
    assert (report.reopened, states(worked)["ana", "d/1"]) == (1, "reopened")
    assert sound(worked)


def test_what_lacks_a_required_part_can_stay_and_is_counted(worked: Workspace) -> None:
    """States stay; doctor counts the annotations of completed samples."""
    before = states(worked)
    counted = [each for each in worked.check() if each.check == "required parts"]
    assert counted == []
    report = relabel(worked).apply(REQUIRED, name="x", lacking=LackingWork.KEEP)
    assert (report.reopened, states(worked)) == (0, before)
    (finding,) = [each for each in worked.check() if each.check == "required parts"]
    assert (finding.state, "note (2)" in finding.message) == ("warning", True)


def test_what_was_kept_can_be_opened_again_later(worked: Workspace) -> None:
    """The label set is the current one then, and work that is in progress stays so."""
    before = states(worked)
    relabel(worked).apply(REQUIRED, name="x", lacking=LackingWork.KEEP)
    put(worked, worked.person("kim").id, SampleKey("d", "3"), "k", "Odd")
    assert relabel(worked).apply(REQUIRED, name="x", lacking=LackingWork.KEEP).reopened == 0
    assert relabel(worked).apply(REQUIRED, name="x").reopened == 0
    tried = relabel(worked).apply(REQUIRED, name="x", lacking=LackingWork.REOPEN, dry_run=True)
    assert {each.person for each in tried.missing_parts} == {"ana", "bo"}
    report = relabel(worked).apply(REQUIRED, name="x", lacking=LackingWork.REOPEN)
    assert (tried.reopened, report.reopened) == (2, 2)
    after = {who: state for who, state in states(worked).items() if who in before}
    assert {who for who, state in after.items() if before[who] != state} == {
        ("ana", "d/1"),
        ("bo", "e/1"),
    }
    assert not [each for each in worked.check() if each.check == "required parts"]
    assert relabel(worked).apply(REQUIRED, name="x", lacking=LackingWork.REOPEN).reopened == 0
    relabel(worked).undo()
    assert {who: states(worked)[who] for who in before} == before
    assert sound(worked)


def test_what_an_adjudication_lacks_is_counted_as_the_reviewers(space: Workspace) -> None:
    """The annotators can do nothing about it, and the counts of their work leave it out."""
    for name in ("ana", "bo"):
        who = space.person(name).id
        put(space, who, KEY, f"of {name}", "Odd")
        space.annotate.finish(who, KEY, seconds=1)
    review, rev = space.team.review, space.person("rev").id
    review.finish(rev, KEY, seen=review.open(rev, KEY).seen, seconds=1)
    relabel(space).apply(REQUIRED, name="x", lacking=LackingWork.KEEP)
    found = {each.check: each for each in space.check() if each.check.startswith("required parts")}
    assert "note (1)" in found["required parts of adjudications"].message
    assert "note (2)" in found["required parts"].message
    assert "1 sample is locked, for example d/1" in found["required parts"].hint
    assert "review reopen" in found["required parts"].hint


def test_a_file_that_requires_more_waits_for_a_decision(worked: Workspace) -> None:
    """An edited labels.yaml is not put in use by itself."""
    (worked.path / "labels.yaml").write_text(REQUIRED)
    assert worked.annotate.labels().requires(("Odd",), "note") is False
    assert "Odd" in worked.team.proposals.refused()


def test_a_merge_into_a_label_with_rules_asks_as_well(space: Workspace) -> None:
    """Annotations get a requirement together with their new label."""
    (space.path / "labels.yaml").write_text(
        LABELS.replace("{name: Alone,", "{name: Told, note: required}\n- {name: Alone,")
    )
    ana = space.person("ana").id
    put(space, ana, KEY, "a", "Odd")
    space.annotate.finish(ana, KEY, seconds=1)
    with pytest.raises(RelabelConflict) as refused:
        relabel(space).merge(["Odd"], "Told")
    assert len(refused.value.report.of("lacks")) == 1
    done = relabel(space).merge(["Odd"], "Told", lacking=LackingWork.REOPEN)
    assert (done.reopened, states(space)) == (1, {("ana", "d/1"): "reopened"})
    assert labels_of(space) == {"a": ["Told"]}
    assert sound(space)


def test_completed_samples_without_a_rating_are_counted(worked: Workspace) -> None:
    """As soon as there is a scale; before that nothing is missing."""
    assert [each.message for each in worked.check() if each.check == "ratings"] == []
    with Workspace(
        worked.path, replace(worked.settings, ratings=("good", "bad")), worked.team.database
    ) as rated:
        rated.annotate.rate(rated.person("bo").id, THIRD, "good", seconds=1)
        rated.annotate.finish(rated.person("bo").id, THIRD, seconds=1)
        (finding,) = [each for each in rated.check() if each.check == "ratings"]
    assert finding.message.startswith("1 of 2 completed samples")
