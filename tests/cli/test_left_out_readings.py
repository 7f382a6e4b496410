"""Readings of practice and checks of accuracy are left out of comparisons, and counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.cli.conftest import Command
from tests.helpers.study import BRIDGE, fill_study
from tui_annotate import workspace as workspaces
from tui_annotate.domain.checked_readings import CHECK_READING, PRACTICE_READING
from tui_annotate.domain.people import Actor, Role
from tui_annotate.storage.log.annotation_store import AnnotationStore


def _left_out(shown: Any) -> dict[str, int]:
    return {each["reason"]: each["count"] for each in shown["left_out"]}


def test_readings_without_annotations_have_versions(filled: Command, tmp_path: Path) -> None:
    """Those in force when they were completed; imported readings have none."""
    with workspaces.open(tmp_path) as space:
        for name, text in (("ana", "Mark errors.\n"), ("ben", "Mark all errors.\n")):
            space.team.apply_guidelines(text)
            space.annotate.finish(space.person(name).id, BRIDGE, seconds=1)
    report = filled("agreement", "--json").json
    assert [each["readings"] for each in report["guidelines"]] == [1, 1]
    assert [each["readings"] for each in report["label_sets"]] == [2]
    assert report["several_versions"] == {"label_sets": 0, "guidelines": 0}
    assert filled("agreement").err.count("(1 reading)") == 2


def test_agreement_counts_them(filled: Command, tmp_path: Path) -> None:
    """By reason, in text and JSON, as far as the filters select their work."""
    fill_study(filled, tmp_path)
    both = _left_out(filled("agreement", "--json").json)
    # Ana's check and her second reading of it; practice of Ana and of Ben.
    assert (both[CHECK_READING], both[PRACTICE_READING]) == (2, 2)
    text = filled("agreement", "--dataset", "pairs").err
    assert f"excluded: 2 readings: {CHECK_READING}" in text
    assert PRACTICE_READING not in text
    drill = _left_out(filled("agreement", "--dataset", "drill", "--json").json)
    assert (CHECK_READING in drill, drill[PRACTICE_READING]) == (False, 2)
    for other in (("--since", "2999-01-01"), ("--kind", "citation"), ("--state", "skipped")):
        found = _left_out(filled("agreement", *other, "--json").json)
        assert not {CHECK_READING, PRACTICE_READING} & set(found)
    people = ("--person", "ben", "--person", "kim")
    named = _left_out(filled("agreement", *people, "--json").json)
    assert (CHECK_READING in named, named[PRACTICE_READING]) == (False, 1)


def test_comparisons_of_scores_count_them(filled: Command, tmp_path: Path) -> None:
    """And state how many judged samples have how many readings; second readings never count."""
    fill_study(filled, tmp_path)
    with workspaces.open(tmp_path) as space:
        space.annotate.finish(space.person("li").id, BRIDGE, seconds=1)
    assert filled("lab", "scores", "compute", "--scorer", "unigram", "--dataset", "pairs").code == 0
    on = ("lab", "scores", "compare", "--dataset", "pairs")
    shown = filled(*on, "--json").json
    assert _left_out(shown)[CHECK_READING] == 1
    assert shown["readings"] == [
        {"readings": 1, "samples": 5},
        {"readings": 2, "samples": 1},
    ]
    text = filled(*on).err
    assert f"excluded: 1 reading: {CHECK_READING}" in text
    assert "judged samples by number of readings: 5 with 1, 1 with 2" in text
    against = _left_out(filled(*on, "--against", "kim", "--json").json)
    assert CHECK_READING not in against


def test_annotators_learn_of_no_check(filled: Command, tmp_path: Path) -> None:
    """To them, checks of accuracy look like other work; practice is known to them."""
    fill_study(filled, tmp_path)
    with workspaces.open(tmp_path) as space:
        ana = space.person("ana").id
        store = AnnotationStore(space.team.database, actor=Actor(ana, Role.ANNOTATOR))
        found = store.checked_readings()
    assert [(each.person, each.reason) for each in found] == [(ana, PRACTICE_READING)]
