"""Review of work that attacks the terminal: nothing but drawing gets through, on any screen."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

import pytest

from tests.end_to_end import hostile
from tests.end_to_end import screen_states as states
from tests.end_to_end.terminal_grammar import LINES, foreign
from tests.end_to_end.terminal_walk import Step, walk
from tests.helpers.effort import full_except
from tests.helpers.terminal import Terminal, program
from tui_annotate import workspace
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.samples import SampleKey, Side
from tui_annotate.domain.spans import Span

PASTE: Final = "\x1b[200~" + "".join(hostile.TEXTS) + "\x1b[201~"
ENTER, ESCAPE = "\r", "\x1b"
KEY: Final = SampleKey(hostile.DATASET, hostile.FIRST)
REVIEWER: Final = f"Rev {hostile.SIGNS[0]}"
NAMES: Final = (hostile.PERSON, f"Ben {hostile.SIGNS[1]}", f"Li {hostile.SIGNS[2]}")
LOOKS: Final[dict[str, tuple[int, int, dict[str, str]]]] = {
    "80x24": (80, 24, {}),
    "140x40": (140, 40, {"COLORTERM": "truecolor"}),
    "no colours": (100, 30, {"NO_COLOR": "1"}),
}

REVIEW: Final[tuple[Step, ...]] = (
    ("1", "y accepts"),
    ("y", "Accepted "),
    ("c", states.review_position(2, 2)),
    ("W", "W hides the annotators"),
    ("W", "-W hides the annotators"),
    (":", states.PALETTE),
    (ESCAPE, f"-{states.PALETTE}"),
    ("g", "Request"),
    ("q", "-Guidelines"),
    ("x", "Why do you reject"),
    ("0", "Rejected because"),
    (PASTE + ENTER, "Rejected · u undo"),
)
EDIT: Final[tuple[Step, ...]] = (
    ("u", "Undid: rejection"),
    ("1e", "Editing a new"),
    ("m", "Note for"),
    (PASTE + ENTER, "-Note for"),
    (ENTER, "-Editing a new"),
    (".+", "Editing a new"),
    ("1" + ENTER, "Added "),
)
LESSON: Final[tuple[Step, ...]] = (
    ("L", "How this sample was adjudicated"),
    ("q", "-How this sample was adjudicated"),
)


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The hostile workspace with the work of three people of hostile names."""
    folder = hostile.make(tmp_path_factory.mktemp("hostile"))
    for name in {*NAMES, REVIEWER} - {hostile.PERSON}:
        hostile.add_person(folder, name)
    with workspace.open(folder) as space:
        leaves = [label.path for label in space.labels.leaves()]
        evidence = (Anchor(Side.SOURCE, 0, Span(0, 60)),)
        for at, name in enumerate(NAMES):
            person = space.person(name).id
            for number, (start, end) in enumerate(((0, 40 + 10 * at), (200, 230))):
                claim = (Anchor(Side.SUMMARY, 0, Span(start, end)),)
                space.annotate.add(
                    person,
                    KEY,
                    Annotation(
                        f"{at}-{number}",
                        claim,
                        evidence,
                        (leaves[at % len(leaves)],),
                        hostile.name(at),
                    ),
                    seconds=1,
                )
            space.annotate.finish(person, KEY, seconds=1)
    return folder


@pytest.fixture
def copied(reviewed: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(reviewed, tmp_path / reviewed.name))


@pytest.mark.parametrize("look", full_except(LOOKS, "140x40"))
def test_no_screen_of_review_lets_anything_but_drawing_through(copied: Path, look: str) -> None:
    """Texts, notes, labels, names, pasted reasons: all are pictures, at any size and colours."""
    columns, rows, env = LOOKS[look]
    command = program("review", "-w", str(copied), "--as", REVIEWER)
    with Terminal(command, env=env, columns=columns, rows=rows) as terminal:
        states.wait_for_sample(terminal, states.review_position(1, 2))
        pictures = walk(terminal, REVIEW) + walk(terminal, EDIT)
        terminal.press("c" + ENTER)
        terminal.wait("All samples are adjudicated")
        pictures += walk(terminal, (("q", "f filter"), ("?", "Keys here"), ("q", "-Keys here")))
        states.quit_app(terminal)
    assert pictures > 10
    assert foreign(bytes(terminal.raw), columns=columns, rows=rows) == []
    command = program(
        "annotate", "-w", str(copied), "--as", hostile.PERSON, "--sample", hostile.FIRST
    )
    with Terminal(command, env=env, columns=columns, rows=rows) as terminal:
        states.wait_for_sample(terminal, "your work is locked")
        assert walk(terminal, LESSON) > 0
        states.quit_app(terminal)
    assert foreign(bytes(terminal.raw), columns=columns, rows=rows) == []


def test_the_list_prints_words_alone(copied: Path) -> None:
    """Ids and datasets of any kind, as lines."""
    command = program("review", "list", "-w", str(copied))
    with Terminal(command, columns=120, rows=30) as terminal:
        terminal.wait("waiting for review: 1 of 1")
        assert terminal.end() == 0
    assert foreign(bytes(terminal.raw), columns=120, rows=30, allowed=LINES) == []
