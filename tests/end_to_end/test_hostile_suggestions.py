"""A machine whose words attack the terminal: maker, labels, quotes and ten thousand characters."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.end_to_end import hostile
from tests.end_to_end import screen_states as states
from tests.end_to_end.terminal_grammar import foreign
from tests.end_to_end.terminal_walk import Step, walk
from tests.end_to_end.test_hostile import LOOKS, annotate
from tests.helpers.effort import full_except
from tests.helpers.terminal import Terminal
from tests.tui.screens.proposals import Says, suggest
from tui_annotate import workspace
from tui_annotate.domain.samples import SampleKey

ENTER = "\r"
WHY = (hostile.name(0) * 99)[:10_000]
MAKER = f"judge:{hostile.SIGNS[0]} {hostile.SIGNS[2]}"
WALK: tuple[Step, ...] = (
    ("c", "y accepts"),
    ("g", "▸ Suggestion"),
    ("\x1b[6~\x1b[F\x1b[H", "▸ Suggestion"),
    ("q", "y accepts"),
    ("e", "Editing ~"),
    ("e", "y accepts"),
    ("x", "Why reject it?"),
    ("1", "Rejected"),
    ("c", "y accepts"),
    ("y", "The label set has no label"),
    ("e2" + ENTER, "saved"),
    ("u", states.UNDONE),
    ("u", states.UNDONE),
    ("Y", "2 hidden"),
    ("Y", "2 suggestions"),
)


@pytest.mark.parametrize("look", full_except(["80x24", "140x40"], "140x40"))
def test_suggestions_let_nothing_through(tmp_path: Path, look: str) -> None:
    """Their words show pictures in place of sequences, in every place that tells of them."""
    folder = hostile.make(tmp_path)
    key = SampleKey(hostile.DATASET, hostile.FIRST)
    with workspace.open(folder) as space:
        sample = space.corpus.sample(key).sample
        words = [document.text for document in sample.documents][-1]
    said = (
        Says(words[:40].strip(), (hostile.name(1), hostile.name(2)), [(1, hostile.TOWER)], WHY),
        Says(words[60:110].strip(), (hostile.name(5),), why=f'" · x {WHY}', score=None),
    )
    suggest(folder, *said, sample=key.id, dataset=key.dataset, maker=MAKER)
    columns, rows, env = LOOKS[look]
    with Terminal(annotate(folder), env=env, columns=columns, rows=rows) as terminal:
        states.wait_for_sample(terminal, "2 suggestions")
        pictures = walk(terminal, WALK)
        states.quit_app(terminal)
    assert pictures > 5
    assert foreign(bytes(terminal.raw), columns=columns, rows=rows) == []
