"""Labels that change under a reviewer: told, taken over, an edit in hand is not lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tui.screens.review_app import BENIGN, EXTRINSIC, Reviewer, make, open_review, settled
from tui_annotate import workspace
from tui_annotate.editor.messages import MessageCode
from tui_annotate.editor.words import WARNING
from tui_annotate.services.relabel import LabelChangeService

MADE_UP = ("Unwanted", "Made up")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three people are done."""
    return make(tmp_path / "work")


def admin(folder: Path, change: Callable[[LabelChangeService], object]) -> None:
    """Another process changes the labels, with all work under them."""
    with workspace.open(folder) as space:
        change(space.team.relabel)


def rename(labels: LabelChangeService) -> None:
    """Another name for a label that all rivals have."""
    labels.rename("Unwanted.Intrinsic", "Made up")


def _named(reviewer: Reviewer, *labels: str) -> bool:
    """Whether the message names labels."""
    return all(label in reviewer.message.text for label in labels)


async def test_a_deed_under_old_labels_is_told_and_the_next_one_is_done(folder: Path) -> None:
    """The rivals have the new name at once; nothing was stored before they were seen so."""
    async with open_review(folder) as reviewer:
        admin(folder, rename)
        await reviewer.press("2 y")
        assert reviewer.says(MessageCode.LABELS_CHANGED)
        assert _named(reviewer, "Intrinsic", "Made up")
        assert "Made up" in reviewer.shown()
        assert settled(folder) == ()
        await reviewer.press("2 y")
        assert reviewer.saved[0] == "take"
    assert len(settled(folder)) == 1


async def test_a_change_that_touches_nothing_here_is_told_too(folder: Path) -> None:
    """What the reviewer chose from was another set."""
    async with open_review(folder) as reviewer:
        admin(folder, lambda labels: labels.retire("Benign"))
        await reviewer.press("1 y")
        assert reviewer.says(MessageCode.LABELS_CHANGED)
        assert _named(reviewer, "Benign")
        await reviewer.press("1 y")
        assert reviewer.saved[0] == "take"


async def test_an_edit_in_hand_is_saved_by_the_next_enter(folder: Path) -> None:
    """Its labels are called as they are now, its note is there; it is still of the same rival."""
    async with open_review(folder) as reviewer:
        await reviewer.press("a A 1 e 3 m w h y enter")
        before = set(reviewer.review_draft.labels)
        admin(folder, rename)
        await reviewer.press("enter")
        assert reviewer.message.kind == WARNING
        assert _named(reviewer, "Intrinsic", "Made up")
        assert BENIGN in reviewer.review_draft.labels
        assert len(reviewer.review_draft.labels) == len(before)
        await reviewer.press("enter")
    (made,) = settled(folder)
    assert BENIGN in made.labels
    assert made.note.endswith("why")
    assert made.settled is not None
    assert made.settled.sources


async def test_an_edit_of_rivals_that_became_one_is_of_both(folder: Path) -> None:
    """A merge made two rivals alike: what was typed is saved as made of all who say so."""
    async with open_review(folder) as reviewer:
        found = [candidate.labels for candidate in reviewer.review_draft.candidates]
        assert (EXTRINSIC,) in found
        await reviewer.press(f"{found.index((EXTRINSIC,)) + 1} e m w h y enter")
        admin(folder, lambda labels: labels.merge(["Unwanted.Extrinsic"], "Unwanted.Intrinsic"))
        await reviewer.press("enter")
        assert reviewer.message.kind == WARNING
        assert settled(folder) == ()
        await reviewer.press("enter")
    (made,) = settled(folder)
    assert made.note == "hatedwhy"
    assert made.settled is not None
    assert made.settled.sources == ("ana-1", "li-1")
