"""The method paragraph of a snapshot: its counts, against counts of the test's own."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Command
from tests.helpers.stores import claim
from tests.helpers.study import BRIDGE, DRILL, fill_study
from tui_annotate import workspace as workspaces
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.labels.store import GuidanceKind


def method(command: Command, folder: Path, name: str = "paper") -> str:
    assert command("audit", "snapshots", "create", name).code == 0
    return (folder / "frozen" / name / "method.md").read_text()


def test_kinds_of_readings_are_apart(filled: Command, tmp_path: Path) -> None:
    """Practice, checks and second readings are in no count of samples, of skips or of overlap."""
    fill_study(filled, tmp_path)
    with workspaces.open(tmp_path) as space:
        ben = space.person("ben").id
        space.annotate.finish(ben, SampleKey("pairs", "x0"), seconds=1)
        space.annotate.skip(ben, BRIDGE, seconds=1)
    found = method(filled, tmp_path)
    assert "drill (1, for practice)" in found
    # Ana: 5 samples, 1 check, practice, 6 second readings; Ben: 1 sample, practice; kim: 2.
    assert "Completed readings of samples: 17, by 3 annotators" in found
    assert "Of these: practice 2; checks of the annotator's accuracy 1;" in found
    assert "second readings by the same annotator 6 (1 of samples with known answers)" in found
    assert "main readings 8" in found
    assert "completed them: 6 by 1, 1 by 2. Skipped readings: 0" in found
    assert "Of 17 completed readings, 1 (5.9%) checked" in found
    assert "2 (11.8%) were practice" in found
    assert "During a second reading (6)" in found


def test_versions_are_counted_by_reading(filled: Command, tmp_path: Path) -> None:
    """Each main reading has the versions in force when it was completed the last time."""
    fill_study(filled, tmp_path)
    with workspaces.open(tmp_path) as space:
        ben = space.person("ben").id
        for name in ("x0", "x1"):
            space.annotate.finish(ben, SampleKey("pairs", name), seconds=1)
        new = space.guidance.version(GuidanceKind.GUIDELINES)[:12]
        labels = space.guidance.version(GuidanceKind.LABELS)[:12]
    found = method(filled, tmp_path)
    assert f"label set {labels} (8); guidelines none or unknown (6), {new} (2)." in found


def test_accuracy_and_practice_have_results(filled: Command, tmp_path: Path) -> None:
    """Scores are ranges over annotators; alerts and pauses are counted, also if there are none."""
    fill_study(filled, tmp_path)
    with workspaces.open(tmp_path) as space:
        space.annotate.start(space.person("ben").id)  # ends the round of practice
    found = method(filled, tmp_path)
    assert (
        "2 annotators completed the practice in drill in 2 attempts (the rule allows 1 each)"
        in found
    )
    assert "a score of 0% to 100% (mean of annotators 50%)" in found
    assert "1 reached the 60% that were needed" in found
    assert "In pairs, 1 check of 1 annotator had an accuracy of 0%." in found
    assert "0 of these annotators are at present below the 50%" in found
    assert "No work was paused because of a low accuracy." in found


def test_checks_that_are_skipped_later_are_explained(filled: Command, tmp_path: Path) -> None:
    """They keep their score, and are in no count of completed readings."""
    fill_study(filled, tmp_path)
    assert "no longer complete" not in method(filled, tmp_path, "before")
    with workspaces.open(tmp_path) as space:
        space.annotate.skip(space.person("ana").id, BRIDGE, seconds=1)
    found = method(filled, tmp_path)
    assert "0 (0.0%) checked the annotators' accuracy" in found
    assert "of 1 gold check, 1 was edited" in found
    assert "The checks include 1 whose reading is no longer complete (reopened, skipped" in found
    assert "In pairs, 1 check of 1 annotator had an accuracy of" in found


def test_further_attempts_at_practice_are_described(filled: Command, tmp_path: Path) -> None:
    """The rule's attempts, not those that occurred; and what was completed without passing."""
    fill_study(filled, tmp_path)
    with workspaces.open(tmp_path) as space:
        ben = space.person("ben").id
        space.annotate.start(ben)  # ends the round of practice, which Ben fails
        space.annotate.finish(ben, SampleKey("pairs", "x0"), seconds=1)
    failed = method(filled, tmp_path, "failed")
    assert "further attempt" not in failed
    assert "1 completed reading of other samples, by 1 annotator, was first" in failed
    assert filled("assignments", "resume", "ben", "--retry").code == 0
    with workspaces.open(tmp_path) as space:
        space.annotate.add(ben, DRILL, claim("again", 0, 3, label="Benign"), seconds=1)
        space.annotate.finish(ben, DRILL, seconds=1)
        space.annotate.start(ben)
        space.annotate.finish(ben, SampleKey("pairs", "x1"), seconds=1)
    found = method(filled, tmp_path)
    assert "in 3 attempts (the rule allows 1 each)" in found
    assert "2 reached the 60% that were needed." in found
    assert "An admin gave 1 annotator who had not passed 1 further attempt." in found
    assert "1 completed reading of other samples, by 1 annotator, was first" in found


def test_what_there_is_not_is_not_described(filled: Command, tmp_path: Path) -> None:
    """No sentence on second readings, practice or accuracy, and none was suggested."""
    with workspaces.open(tmp_path) as space:
        space.annotate.finish(space.person("ana").id, BRIDGE, seconds=1)
    found = method(filled, tmp_path)
    assert "No machine made suggestions to annotators." in found
    for words in ("second reading (", "Of these:", "accuracy of", "completed the practice"):
        assert words not in found


def test_suggestions_are_described(filled: Command, tmp_path: Path) -> None:
    """Whether they are shown, all answers, and how many annotations began as suggestions."""
    lines = [
        {"sample": "bridge", "quote": "15 million pounds", "label": "Benign"},
        {"sample": "bridge", "quote": "loved", "label": "Benign"},
    ]
    (tmp_path / "found.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert filled("suggestions", "import", "found.jsonl", "--maker", "import:alpha").code == 0
    with workspaces.open(tmp_path) as space:
        for name in ("ana", "ben"):
            who = space.person(name).id
            one, two = (each.suggestion for each in space.annotate.store.suggested(who, BRIDGE))
            space.annotate.accept(who, BRIDGE, one.id, seconds=1)
            if name == "ben":
                space.annotate.refuse(who, BRIDGE, two.id, seconds=1)
                space.annotate.add(who, BRIDGE, claim("own", 0, 3, label="Benign"), seconds=1)
            space.annotate.finish(who, BRIDGE, seconds=1)
    found = method(filled, tmp_path)
    assert "Suggestions of machines in pairs: 2 of import:alpha. They are shown to" in found
    assert "answered suggestions 3 times: 2 accepted, 0 accepted with changes, 1 refused" in found
    assert "Of 3 annotations in completed readings, 2 began as suggestions" in found
    assert filled("suggestions", "hide", "--dataset", "pairs").code == 0
    assert "They are hidden from annotators" in method(filled, tmp_path, "second")
