"""A small study with practice, checks of accuracy and second readings, in a workspace."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.helpers.stores import claim
from tui_annotate import workspace as workspaces
from tui_annotate.domain.assignment_plan import AssignmentOptions
from tui_annotate.domain.assignment_rules import Gold, Practice
from tui_annotate.domain.errors import NotFound
from tui_annotate.domain.people import second_reader
from tui_annotate.domain.samples import SampleKey
from tui_annotate.workspace import Workspace

BRIDGE, TEA = SampleKey("pairs", "bridge"), SampleKey("pairs", "tea")
DRILL = SampleKey("drill", "d")


def _ingest(command: Callable[..., Any], folder: Path, dataset: str, *names: str) -> None:
    lines = [{"id": name, "source": f"One {name}.", "summary": "Two six."} for name in names]
    (folder / "more.jsonl").write_text("\n".join(map(json.dumps, lines)))
    on = ("--dataset", dataset, "--id-column", "id", "--embedder", "none")
    assert command("ingest", "more.jsonl", *on).code == 0


def _complete_all(space: Workspace, person: str) -> list[SampleKey]:
    """A person completes all that is assigned to them, in order."""
    done = []
    with suppress(NotFound):
        while (key := space.annotate.start(person)) and key not in done:
            space.annotate.finish(person, key, seconds=1)
            done.append(key)
    return done


def fill_study(command: Callable[..., Any], folder: Path) -> None:
    """Fill a workspace with the two pairs: Ana and Ben read, Kim has the known answers.

    Ana completed practice, all samples, one of them a check of her accuracy, and all of them a
    second time; Ben completed practice. Kim's answers are two more completed readings.
    """
    _ingest(command, folder, "pairs", "x0", "x1", "x2", "x3")
    _ingest(command, folder, "drill", "d")
    with workspaces.open(folder) as space:
        ana, ben, kim = (space.person(name) for name in ("ana", "ben", "kim"))
        for key in (BRIDGE, DRILL):
            space.annotate.add(kim.id, key, claim(key.id, 0, 3, label="Benign"), seconds=1)
            space.annotate.finish(kim.id, key, seconds=1)
        share = space.team.assignments
        once = Practice(pass_score=60, attempts=1)
        share.practice("drill", ["ana", "ben"], gold="kim", criteria=once)
        rule = Gold((BRIDGE.id,), every=2, threshold=50)
        share.gold("pairs", rule, answers="kim")
        share.give("pairs", ["ana", "ben"], AssignmentOptions(overlap=2))
        space.annotate.add(ana.id, DRILL, claim("right", 0, 3, label="Benign"), seconds=1)
        assert _complete_all(space, ana.id)
        space.annotate.add(ana.id, TEA, claim("late", 0, 2, label="Benign"), seconds=1)
        space.annotate.finish(ana.id, TEA, seconds=1)
        share.repeat("pairs", ["ana"], AssignmentOptions())
        _complete_all(space, second_reader(ana).id)
        space.team.apply_guidelines("Mark what is wrong.\n")
        space.annotate.add(ben.id, DRILL, claim("wrong", 4, 8, label="Benign"), seconds=1)
        space.annotate.finish(ben.id, DRILL, seconds=1)
