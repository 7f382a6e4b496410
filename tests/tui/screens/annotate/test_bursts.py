"""Keys drawn by chance: in one burst they do what they do slowly, or the rest is dropped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Final

import pytest

from tests.helpers.effort import by_effort
from tests.tui.screens.annotate_app import Person, make_workspace, open_app
from tests.tui.screens.bursts import at_once, dropped, seen, stored
from tests.tui.screens.collection_workspace import LABELS as COLLECTED
from tests.tui.screens.collection_workspace import Collection
from tests.tui.screens.proposals import SAID, Says, suggest
from tui_annotate import workspace
from tui_annotate.domain.samples import SampleKey
from tui_annotate.workspace import Workspace

SEEDS: Final = by_effort(push=1, full=4, torture=100)
BURSTS: Final = 4
_LATER: Final = 300  # pauses
SAMPLES: Final = tuple(SampleKey("films", name) for name in "abc")
KEYS: Final = (
    *"111222335604mmmmtheexaauuuUUnnqrsvv",
    *["enter"] * 7, *["escape"] * 3, *["down"] * 4, *["space"] * 3, *["full_stop"] * 3,
    "slash", "slash", "tab", "up", "right", "backspace", "backspace", "exclamation_mark",
    "greater_than_sign", "paste:was",
)  # fmt: skip


ITEMS: Final = (
    *"112234cccCddDTTTJJJauUmM**vqhix0",
    *["enter"] * 8, *["escape"] * 3, *["down"] * 4, *["space"] * 2, "up", "left", "right",
    "full_stop", "backspace", "greater_than_sign", "ctrl+o",
)  # fmt: skip
"""For reports, documents and citations; no Tab, which goes to what is lit behind a first frame."""
OFFERED: Final = (
    *"ccccccCyyyyyexxx1120uuUUaY!m",
    *["enter"] * 4, *["escape"] * 2, *["down"] * 2, *["space"] * 2, "full_stop", "tab",
    "backspace", "greater_than_sign", "less_than_sign", "paste:no",
)  # fmt: skip
"""Where a machine suggests something."""
ANSWERS: Final = (
    "c y c y c y enter enter",
    "c x 1 c x 2 c y u u u",
    "c y u y U e 3 enter",
    "c e 3 enter c e x 1 c y",
    "c x 0 n o enter c x enter u u",
    "c y m n o enter c y x u",
    "c Y c y Y c y",
    "c full_stop y c tab y escape y",
)
"""Bursts of somebody who knows what is suggested."""
REPORT: Final = "r|7|run1"
CITATION: Final = "c|7|run1|1|doc-a"
SHORT: Final = (
    (CITATION, "* 2 1 enter 1"),
    (CITATION, "* 2 u * 3 * 0 J *"),
    (CITATION, "M h i enter J 1"),
    (CITATION, "M h i enter M ! enter u M enter"),
    (CITATION, "c c 1 d 1"),
    (CITATION, "1 d d * 1 c"),
    (CITATION, "T 3 down enter 1"),
    (CITATION, "T J 1 T escape 1"),
    (CITATION, "q tab down enter 1"),
    (REPORT, "c c 1 d 1"),
    (REPORT, "T 2 right down down enter * 1"),
    (REPORT, "1 T J J T 1 enter"),
    (REPORT, "1 ctrl+o * 1 M h i enter enter"),
)
"""Bursts that people press, and where."""


def _state(person: Person, space: Workspace, keys: Sequence[SampleKey]) -> tuple[object, ...]:
    """All that is stored of a person, and what they see."""
    assert person.screen.session is not None
    return stored(space, person.screen.session.person.id, keys), seen(person)


async def _compared(
    folders: Sequence[Path],
    bursts: Iterable[Sequence[str]],
    *,
    sample: str = "a",
    keys: Sequence[SampleKey] = SAMPLES,
) -> None:
    """Of two people one presses slowly, the other in bursts; until something was dropped."""
    async with (
        open_app(folders[0], sample=sample) as slow,
        open_app(folders[1], sample=sample) as fast,
    ):
        with workspace.open(folders[0]) as slowly, workspace.open(folders[1]) as at_a_stroke:
            for burst in bursts:
                states = [_state(slow, slowly, keys)]
                for key in burst:
                    await at_once(slow, key)
                    states.append(_state(slow, slowly, keys))
                await at_once(fast, " ".join(burst))
                at_last = dropped(fast)
                came_to = states if at_last else states[-1:]
                for _ in range(_LATER):  # on a busy machine an answer may be behind the idle screen
                    if _state(fast, at_a_stroke, keys) in came_to:
                        break
                    await fast.pilot.pause(0.01)
                report = f"{burst}: {slow.line()!r}, {fast.line()!r}"
                assert _state(fast, at_a_stroke, keys) in came_to, report
                if at_last:
                    return
                if slow.screen.saver.closed:
                    return


def _drawn(random: Random, keys: Sequence[str]) -> Iterator[Sequence[str]]:
    for _ in range(BURSTS):
        yield random.choices(keys, k=random.randint(2, 9))


@pytest.mark.parametrize("seed", range(SEEDS))
async def test_a_burst_is_as_good_as_the_same_keys(tmp_path: Path, seed: int) -> None:
    """What is stored, shown and in hand is the same; where keys were dropped, as after a few."""
    folders = [make_workspace(tmp_path / name) for name in ("slow", "fast")]
    await _compared(folders, _drawn(Random(seed), KEYS))


def _suggested(folder: Path) -> list[Path]:
    """Three suggestions in the first sample, one in the second; a label of them wants a note."""
    folders = [make_workspace(folder / name) for name in ("slow", "fast")]
    for each in folders:
        suggest(each, *SAID, Says("thanked the town", ("Told",)))
        suggest(each, Says("It rained.", ("Benign",)), sample="b")
    return folders


@pytest.mark.parametrize("burst", ANSWERS)
async def test_answers_to_suggestions_are_as_good_in_one_burst(tmp_path: Path, burst: str) -> None:
    """Each is given to the suggestion that was in focus when its key was pressed."""
    await _compared(_suggested(tmp_path), [burst.split()])


@pytest.mark.parametrize("seed", range(SEEDS))
async def test_bursts_among_suggestions_are_as_good_as_the_same_keys(
    tmp_path: Path, seed: int
) -> None:
    """Also where keys are drawn by chance."""
    await _compared(_suggested(tmp_path), _drawn(Random(seed), OFFERED))


def _collections(folder: Path) -> tuple[list[Path], list[SampleKey]]:
    samples = list(Collection().samples())
    folders = [
        make_workspace(folder / name, labels=COLLECTED, samples=samples)
        for name in ("slow", "fast")
    ]
    return folders, [sample.key for sample in samples]


@pytest.mark.parametrize(("sample", "burst"), SHORT)
async def test_keys_of_a_collection_are_as_good_in_one_burst(
    tmp_path: Path, sample: str, burst: str
) -> None:
    """Ratings, notes on samples, the tree, and the ways from citation to citation."""
    folders, keys = _collections(tmp_path)
    await _compared(folders, [burst.split()], sample=sample, keys=keys)


@pytest.mark.parametrize("seed", range(SEEDS))
async def test_bursts_in_a_collection_are_as_good_as_the_same_keys(
    tmp_path: Path, seed: int
) -> None:
    """Also where keys are drawn by chance, from a report, a document or a citation on."""
    folders, keys = _collections(tmp_path)
    sample = (REPORT, "d|7|doc-b", CITATION)[seed % 3]
    await _compared(folders, _drawn(Random(seed), ITEMS), sample=sample, keys=keys)
