"""Agreement measures work before review, and says how much of it was edited afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.helpers.stores import LABELS, claim
from tests.services.adjudicated_team import AdjudicatedTeam
from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.assignments import State
from tui_annotate.domain.label_changes import LackingWork
from tui_annotate.domain.people import second_reader
from tui_annotate.domain.samples import SampleKey
from tui_annotate.services.agreement import Agreement, AgreementOptions, AgreementService
from tui_annotate.services.agreement.compared_readings import LeftOutReason
from tui_annotate.services.agreement.output import as_json
from tui_annotate.services.export import ExportService
from tui_annotate.settings import load
from tui_annotate.storage.corpus.store import SegmentStore
from tui_annotate.storage.labels.store import GuidanceKind, LabelSets
from tui_annotate.storage.log.stream_merge import MergeStore
from tui_annotate.workspace import Workspace

REOPEN = LackingWork.REOPEN
SPAN = claim("x", 0, 10)


@pytest.fixture
def team(tmp_path: Path) -> Iterator[AdjudicatedTeam]:
    """Ana and Ben disagree on three samples."""
    made = AdjudicatedTeam.create(tmp_path)
    yield made
    made.database.close()


def report(team: AdjudicatedTeam, **asked: object) -> Agreement:
    on = team.annotating
    names = ExportService(on.corpus, on.people, on.store)
    segments = SegmentStore(team.database)
    stores = (on.corpus, on.people, on.guidance, segments, on.store)
    service = AgreementService(*stores, LabelSets(on.guidance).in_use, names.checked)
    return service.report(AgreementOptions(**asked))  # type: ignore[arg-type]


def value(found: Agreement, level: str, measure: str) -> object:
    return next(
        each.value
        for each in found.together.figures
        if (each.level, each.measure) == (level, measure)
    )


def copy_answer(team: AdjudicatedTeam) -> None:
    """Ben replaces his marks by those of Ana, after each sample was adjudicated."""
    for key in team.keys:
        (own,) = team.annotating.store.stream(team.ben, key).annotations
        team.annotating.remove(team.ben, key, own.id, version=own.version, seconds=1)
        team.completes(team.ben, key, claim(f"copied-{key.id}", 0, 10))


def test_copying_the_adjudicated_answer_changes_no_figure(team: AdjudicatedTeam) -> None:
    """By default; the work after review agrees perfectly, and both say which work they used."""
    before = report(team)
    for key in team.keys:
        team.adjudicate(key)
    team.allow_edits()
    copy_answer(team)
    found = report(team)
    assert (value(found, "sample", "percent"), value(found, "span", "f1_overlap")) == (0.0, 0.0)
    assert (found.together, found.left) == (before.together, before.left)
    edited = report(team, after_review=True)
    assert (value(edited, "sample", "percent"), value(edited, "span", "f1_overlap")) == (1.0, 1.0)
    for one, used in ((found, "before_review"), (edited, "after_review")):
        assert as_json(one)["work"] == {
            "used": used,
            "adjudicated_samples": 3,
            "edited_samples": 3,
            "edited_readings": 3,
        }


def test_a_reopened_reading_still_counts(team: AdjudicatedTeam) -> None:
    """Its state is that of the adjudication, not the one that the reviewer gave it."""
    key = team.keys[0]
    team.adjudicate(key)
    team.reopen(key, team.ben)
    assert team.annotating.store.stream(team.ben, key).assignment.state is State.REOPENED
    assert report(team).together.samples == 3
    assert report(team, after_review=True).together.samples == 2
    assert report(team).work.edited_samples == 0


@pytest.mark.parametrize("way", ["requirement", "split"])
def test_readings_that_a_label_change_reopens_still_count(
    tmp_path: Path, team: AdjudicatedTeam, way: str
) -> None:
    """Before and after the annotators complete them again; their work then is what counts."""
    for key in team.keys:
        team.adjudicate(key)
    before = report(team)
    (tmp_path / "tui-annotate.toml").write_text("")
    (tmp_path / "labels.yaml").write_text(LABELS)
    relabel = Workspace(tmp_path, load(tmp_path), team.database).team.relabel
    if way == "split":
        relabel.split("Fine", ["Good", "Better"])
    else:
        relabel.apply(
            LABELS.replace("- Fine", "- {name: Fine, note: required}"),
            name="l.yaml",
            lacking=REOPEN,
        )
    stores = [team.annotating.store.stream(team.ana, key) for key in team.keys]
    assert {each.assignment.state for each in stores} == {State.REOPENED}
    assert (report(team).together.samples, report(team).left) == (3, before.left)
    for stream in stores:
        (own,) = stream.annotations
        choice = (("Good",),) if way == "split" else own.labels
        changed = replace(own, labels=choice, note="why")
        team.annotating.edit(team.ana, stream.key, changed, seconds=1)
        team.annotating.finish(team.ana, stream.key, seconds=1)
    found = report(team)
    assert value(found, "sample", "percent") == value(before, "sample", "percent")
    assert (found.together.samples, found.left) == (3, before.left)
    assert (found.work.edited_samples, report(team, after_review=True).together.samples) == (3, 3)


def test_work_begun_after_the_adjudication_is_not_compared(team: AdjudicatedTeam) -> None:
    """A person who completed the sample afterwards had no work then."""
    team.adjudicate(team.keys[0])
    team.allow_edits()
    kim = team.annotating.people.local("kim").id
    team.completes(kim, team.keys[0], claim("kim", 0, 10))
    assert kim not in report(team).together.people
    assert kim in report(team, after_review=True).together.people


def test_renamed_labels_have_their_names_of_today(tmp_path: Path, team: AdjudicatedTeam) -> None:
    """Work that is read from the log agrees with the label set that is in use."""
    team.adjudicate(team.keys[0])
    team.allow_edits()
    team.annotating.comment(team.ana, team.keys[0], "later", seconds=1)
    (tmp_path / "tui-annotate.toml").write_text("")
    (tmp_path / "labels.yaml").write_text(LABELS)
    space = Workspace(tmp_path, load(tmp_path), team.database)
    space.team.relabel.rename("Fine", "Good")
    found = report(team)
    assert (found.labels, found.strangers) == (["Good", "Alone", "nothing"], [])


def test_versions_restrict_also_readings_without_annotations(team: AdjudicatedTeam) -> None:
    """These have the versions of the label set and the guidelines at their completion."""
    on, key = team.annotating, team.keys[0]
    first = on.guidance.version(GuidanceKind.LABELS)
    rules = on.guidance.keep(GuidanceKind.GUIDELINES, "Mark all errors.\n")
    kim, li = (on.people.local(name).id for name in ("kim", "li"))
    team.completes(kim, key)
    second = on.guidance.keep(GuidanceKind.LABELS, LABELS + "- More\n")
    fresh: Annotation = claim("li", 0, 10)
    team.completes(li, key, fresh)
    old = report(team, label_set=first[:10])
    assert set(old.together.people) == {team.ana, team.ben, kim}
    assert old.left.work == {LeftOutReason.OTHER_LABEL_SET: 1}
    new = report(team, label_set=second[:10], guidelines=rules[:8])
    assert new.together.people == ()
    assert new.left.work == {LeftOutReason.OTHER_LABEL_SET: 7}
    guided = report(team, guidelines=rules[:8])
    assert set(guided.together.people) == {kim, li}
    assert guided.left.work == {LeftOutReason.OTHER_GUIDELINES: 6}
    assert guided.guidelines == {rules: 2}


# readings of the same sample by the same person


@pytest.fixture
def twice(team: AdjudicatedTeam) -> tuple[AdjudicatedTeam, str]:
    """Ana read each sample twice, and marked other words the second time."""
    second = second_reader(team.annotating.people.person(team.ana)).id
    for key in team.keys:
        team.completes(second, key, claim(f"again-{key.id}", 22, 33, label="Alone"))
    return team, second


def oneself(found: Agreement) -> object:
    (measured,) = (
        each.value
        for each in found.oneself.figures
        if (each.level, each.measure) == ("span", "f1_overlap")
    )
    return measured


def replace_mark(team: AdjudicatedTeam, who: str, key: SampleKey, start: int, end: int) -> None:
    """Do what an annotator does who wants two readings to agree."""
    (own,) = team.annotating.store.stream(who, key).annotations
    label = "Alone" if start else "Fine"
    team.annotating.remove(who, key, own.id, version=own.version, seconds=1)
    team.completes(who, key, claim(f"fixed-{who}-{key.id}", start, end, label=label))


@pytest.mark.parametrize("edited", ["first", "second"])
def test_readings_that_were_made_alike_later_agree_no_better(
    twice: tuple[AdjudicatedTeam, str], edited: str
) -> None:
    """Each reading counts as it was when the person could not see the other one."""
    team, second = twice
    before = report(team)
    for key in team.keys:
        if edited == "first":
            replace_mark(team, team.ana, key, 22, 33)
        else:
            replace_mark(team, second, key, 0, 10)
    found = report(team)
    assert (oneself(before), oneself(found)) == (0.0, 0.0)
    assert (found.oneself, found.left) == (before.oneself, before.left)
    assert oneself(report(team, after_review=True)) == 1.0
    counts = {"readings": 3, "edited_first": 0, "edited_second": 0, "reopened_first": 0}
    assert as_json(before)["second_readings"] == counts
    assert as_json(found)["second_readings"] == {**counts, f"edited_{edited}": 3}


def test_an_edit_of_a_first_reading_changes_agreement_between_people(
    twice: tuple[AdjudicatedTeam, str],
) -> None:
    """A person's own second reading is no other person's work."""
    team, _ = twice
    assert value(report(team), "span", "f1_overlap") == 0.0
    for key in team.keys:
        replace_mark(team, team.ana, key, 22, 33)
    assert value(report(team), "span", "f1_overlap") == 1.0


@pytest.mark.parametrize("edited", ["first", "second"])
def test_a_reading_reopened_by_undo_still_counts(
    twice: tuple[AdjudicatedTeam, str], edited: str
) -> None:
    """It was complete when it was independent."""
    team, second = twice
    before = report(team)
    team.annotating.undo(team.ana if edited == "first" else second)
    assert report(team).oneself == before.oneself


def test_a_first_reading_completed_after_the_second_began_is_not_compared(
    team: AdjudicatedTeam,
) -> None:
    """The person knew the second reading."""
    kim = team.annotating.people.local("kim")
    second = second_reader(kim)
    team.annotating.people.keep(second)
    team.completes(second.id, team.keys[0], claim("again", 0, 10))
    team.completes(kim.id, team.keys[0], claim("first", 0, 10))
    found = report(team)
    assert found.oneself.samples == 0
    assert found.left.work == {LeftOutReason.SECOND_ALONE: 1}


def test_of_adjudicated_samples_the_earlier_time_counts(
    twice: tuple[AdjudicatedTeam, str],
) -> None:
    """Edits after the adjudication count neither as first nor as second reading."""
    team, second = twice
    replace_mark(team, second, team.keys[0], 0, 10)
    team.adjudicate(team.keys[0])
    team.allow_edits()
    replace_mark(team, team.ana, team.keys[0], 22, 33)
    assert oneself(report(team)) == 0.0
    assert value(report(team), "span", "f1_overlap") == 0.0


def test_second_readings_after_an_adjudication_are_no_edits(
    twice: tuple[AdjudicatedTeam, str],
) -> None:
    """They are no part of the review; edits of reviewed work are still counted."""
    team, second = twice
    team.adjudicate(team.keys[0])
    team.allow_edits()
    replace_mark(team, second, team.keys[0], 0, 10)
    assert team.review().count_later_work().edits == 0
    replace_mark(team, team.ana, team.keys[0], 22, 33)
    assert team.review().count_later_work().edits > 0


def test_copies_of_both_readings_are_ordered_by_their_times(
    tmp_path: Path, twice: tuple[AdjudicatedTeam, str]
) -> None:
    """A bundle brings the edited first reading before the second one."""
    team, _ = twice
    replace_mark(team, team.ana, team.keys[0], 22, 33)
    home = AdjudicatedTeam.create(tmp_path / "home", empty=True)
    look_up = lambda one: home.annotating.corpus.sample(one).sample  # noqa: E731
    labels = LabelSets(home.annotating.guidance).all_paths
    ana = team.annotating.people.person(team.ana)
    copies = MergeStore(team.database, look_up, labels).copies(ana.id)
    home.annotating.people.keep(ana)
    MergeStore(home.database, look_up, labels).merge(ana, copies)
    assert report(home).oneself.samples == 3
    assert oneself(report(home)) == 0.0
    assert report(home).repeated.edited_first == 1
    home.database.close()
