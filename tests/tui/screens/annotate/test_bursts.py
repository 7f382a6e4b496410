"""Keys drawn by chance: in one burst they do what they do slowly, or the rest is dropped."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random
from typing import Final

import pytest

from tests.tui.screens.bursts import at_once, dropped, seen, stored
from tests.tui.screens.work import Person, at_work, make
from tui_annotate import workspace
from tui_annotate.domain.samples import SampleKey
from tui_annotate.workspace import Workspace

SEEDS: Final = 100 if os.environ.get("TUI_ANNOTATE_TORTURE") else 4
BURSTS: Final = 4
SAMPLES: Final = tuple(SampleKey("films", name) for name in "abc")
KEYS: Final = (
    *"111222335604mmmmtheexaauuuUUnnqrsvv",
    *["enter"] * 7, *["escape"] * 3, *["down"] * 4, *["space"] * 3, *["full_stop"] * 3,
    "slash", "slash", "tab", "up", "right", "backspace", "backspace", "exclamation_mark",
    "greater_than_sign", "paste:was",
)  # fmt: skip


def _state(person: Person, space: Workspace) -> tuple[object, ...]:
    """All that is stored of a person, and what they see."""
    assert person.screen.session is not None
    return stored(space, person.screen.session.person.id, SAMPLES), seen(person)


@pytest.mark.parametrize("seed", range(SEEDS))
async def test_a_burst_is_as_good_as_the_same_keys(tmp_path: Path, seed: int) -> None:
    """What is stored, shown and in hand is the same; where keys were dropped, as after a few."""
    random = Random(seed)
    folders = [make(tmp_path / name) for name in ("slow", "fast")]
    async with at_work(folders[0]) as slow, at_work(folders[1]) as fast:
        with workspace.open(folders[0]) as slowly, workspace.open(folders[1]) as at_a_stroke:
            for _ in range(BURSTS):
                keys = random.choices(KEYS, k=random.randint(2, 9))
                states = [_state(slow, slowly)]
                for key in keys:
                    await at_once(slow, key)
                    states.append(_state(slow, slowly))
                await at_once(fast, " ".join(keys))
                told = f"{keys}: {slow.line()!r}, {fast.line()!r}"
                if dropped(fast):
                    assert _state(fast, at_a_stroke) in states, told
                    return
                assert _state(fast, at_a_stroke) == states[-1], told
                if slow.screen.saver.closed:
                    return
