"""Labels that an admin changes while people are at work: nothing that was typed is lost."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.end_to_end import example
from tests.end_to_end import screen_states as states
from tests.helpers.terminal import ROOT, environment, program
from tui_annotate import workspace
from tui_annotate.domain.annotations import Annotation

ROUNDS: Final = 6
MOST_KEYS: Final = 40


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace with the example data."""
    return example.make(tmp_path / "work")


def labels(folder: Path, *command: str) -> None:
    """An admin's command, in a process of its own."""
    line = program("labels", *command, "-w", str(folder))
    done = subprocess.run(
        line, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def is_answered(screen: str) -> bool:
    """Whether the app has said what became of a save: stored, or in conflict."""
    return states.CAN_UNDO in screen or states.CONFLICT in screen


def stored(folder: Path) -> list[Annotation]:
    """What the store holds, after a look at all of it."""
    with workspace.open(folder) as space:
        assert example.find_store_errors(space) == []
        return [owned.annotation for _, owned in space.annotations()]


def test_a_renamed_label_is_told_to_both_who_are_at_work(folder: Path) -> None:
    """Each one's next save is a conflict that keeps claim and note; the key after it saves."""
    with (
        example.annotate(folder) as one,
        example.annotate(folder, "--sample", "moss-1", name="ben") as two,
    ):
        for terminal in (one, two):
            states.wait_for_sample(terminal)
            terminal.press("vm")
            terminal.wait("Note for")
            terminal.press("typed before" + states.ENTER)
            terminal.wait("with a note")
        labels(folder, "rename", "Unwanted.Intrinsic", "Invented")
        for terminal in (one, two):
            terminal.press("1")
            terminal.wait(f"Intrinsic was renamed to Invented · {states.CONFLICT}")
            terminal.wait(states.NOT_SAVED)
        assert stored(folder) == []
        for terminal in (one, two):
            terminal.press("1")
            states.wait_for_saved(terminal, "Invented")
            states.quit_app(terminal)
    assert [(known.labels, known.note) for known in stored(folder)] == [
        ((("Unwanted", "Invented"),), "typed before")
    ] * 2


def test_a_split_reopens_finished_work_and_leads_through_it(folder: Path) -> None:
    """Also where the app is open on another sample; merged and retired labels go by the way."""
    with example.annotate(folder, columns=120, rows=40) as one:
        states.wait_for_sample(one)
        one.press("1")
        states.wait_for_saved(one, "Intrinsic")
        one.press("j3")
        states.wait_for_saved(one, "Benign")
        one.press("s")
        one.wait("skipped · u undo")
        labels(folder, "merge", "Unwanted.Extrinsic", "Unwanted.Intrinsic")
        labels(folder, "retire", "Benign")
        labels(folder, "split", "Unwanted.Intrinsic", "Number", "Name")
        one.press("<")
        one.wait("Reopened: Intrinsic was split into Number and Name")
        for words in ("1 to relabel", "Number or Name?", "Benign (retired)"):
            one.wait(words)
        one.press("c")
        one.wait("press 1-2")
        one.press("2")
        states.wait_for_saved(one, "Name")
        states.quit_app(one)
    assert [known.labels for known in stored(folder)] == [(("Unwanted", "Name"),), (("Benign",),)]


def test_whatever_is_renamed_meanwhile_every_claim_is_saved_in_the_end(folder: Path) -> None:
    """Labels change again and again under somebody who goes on: as many claims as were shown."""
    luck = random.Random(11)
    names = ["Intrinsic", *(f"Name{number}" for number in range(ROUNDS))]
    with example.annotate(folder) as one:
        states.wait_for_sample(one)
        for number in range(ROUNDS):
            labels(folder, "rename", f"Unwanted.{names[number]}", names[number + 1])
            one.press("w" * luck.randint(1, 4) + "v1")
            for _ in range(MOST_KEYS):
                screen = one.wait(is_answered)
                if states.saved(names[number + 1]) in screen:
                    break
                one.press("1")
                one.wait(lambda screen: states.CONFLICT not in screen)
            one.press("h")
            states.wait_for_ready(one)
        states.quit_app(one)
    known = stored(folder)
    assert len(known) == ROUNDS
    assert {each.labels for each in known} == {(("Unwanted", names[-1]),)}
