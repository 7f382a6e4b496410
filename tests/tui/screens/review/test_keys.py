"""Keys of a reviewer that come faster than the store answers."""

from __future__ import annotations

from math import inf
from pathlib import Path

import pytest

from tests.tui.screens import review_app
from tests.tui.screens.bursts import at_once
from tests.tui.screens.review_app import Reviewer, open_review, settled
from tui_annotate.domain.errors import Unavailable
from tui_annotate.editor.messages import MessageCode
from tui_annotate.services.review import ReviewService
from tui_annotate.tui import frame_guard

EDIT = "1 e m paste:because_of_this enter enter full_stop plus 3 enter"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The workspace with everybody's work."""
    return review_app.make(tmp_path / "work")


def told(folder: Path) -> list[tuple[object, ...]]:
    """What review made of the first sample."""
    return [(one.claim, one.evidence, one.labels, one.note) for one in settled(folder)]


async def _pressed(folder: Path, keys: str) -> tuple[str, str]:
    async with open_review(folder) as reviewer:
        for key in keys.split():
            await at_once(reviewer, key)
        return reviewer.line(), reviewer.progress


@pytest.mark.parametrize("keys", [EDIT, "1 y c 1 y c x 2 c", "1 y u c 1 M U"])
async def test_a_burst_does_what_the_same_keys_do_slowly(tmp_path: Path, keys: str) -> None:
    """Each acts on what stands after the deed before it."""
    slowly, at_a_stroke = (review_app.make(tmp_path / name) for name in ("slowly", "at once"))
    line = await _pressed(slowly, keys)
    async with open_review(at_a_stroke) as reviewer:
        await at_once(reviewer, keys)
        assert (reviewer.line(), reviewer.progress) == line
    assert told(at_a_stroke) == told(slowly) != []


async def test_an_edit_and_an_own_one_in_one_burst_are_both_kept(folder: Path) -> None:
    """With the note that was pasted; nothing is taken and the sample is not settled."""
    async with open_review(folder) as reviewer:
        await at_once(reviewer, EDIT)
        assert reviewer.saved[0] == "own"
        assert reviewer.progress != "done"
    own, edited = sorted(one.note for one in settled(folder))
    assert (own, edited.endswith("because_of_this")) == ("", True)


@pytest.mark.parametrize(("deed", "keys"), [("take", "1 y enter 2 s"), ("edit", "1 e 2 enter c y")])
async def test_keys_behind_a_refused_deed_are_dropped(
    folder: Path, monkeypatch: pytest.MonkeyPatch, deed: str, keys: str
) -> None:
    """They neither settle the sample nor do anything to what comes back into hand."""

    def refused(*_: object, **__: object) -> None:
        raise Unavailable("it is not to be")

    monkeypatch.setattr(ReviewService, deed, refused)
    async with open_review(folder) as reviewer:
        await at_once(reviewer, keys)
        assert "it is not to be" in reviewer.line()
        assert reviewer.sample == "a"
        assert await _still_awake(reviewer)
    assert settled(folder) == ()


async def _still_awake(reviewer: Reviewer) -> bool:
    before = reviewer.review_draft.at
    await reviewer.press("escape e a" if reviewer.review_draft.editing else "a")
    return reviewer.review_draft.at != before


async def test_no_decision_is_made_before_the_frame_is_reported(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither accepted, rejected, merged, rated, adjudicated nor undone; movement works."""
    monkeypatch.setattr(frame_guard, "SETTLING_TIME", inf)
    async with open_review(folder) as reviewer:
        before = reviewer.progress
        for key in ("y", "x", "M", "plus", "asterisk", "m", "e", "enter", "u"):
            await reviewer.press(f"c {key}")
            assert reviewer.draft.message.code is MessageCode.TOO_SOON
        assert reviewer.review_draft.settled == ()
        assert reviewer.progress == before
