"""A collection of reports that attacks its terminal: ids, titles, addresses, texts, a comment."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.end_to_end import hostile
from tests.end_to_end import screen_states as states
from tests.end_to_end.terminal_grammar import foreign
from tests.end_to_end.terminal_walk import Step, walk
from tests.end_to_end.test_hostile import LOOKS, PASTE, annotate
from tests.helpers.effort import full_except
from tests.helpers.terminal import Terminal
from tests.tui.screens.annotate_app import make_workspace
from tests.tui.screens.collection_workspace import LABELS, Collection
from tui_annotate.domain.samples import Request

ENTER, ESCAPE, TAB = "\r", "\x1b", "\t"
NAMES = [f"{hostile.SIGNS[0]} {hostile.name(at)[:60]}".replace("|", "") for at in range(4)]
COLLECTION = Collection(
    texts={name: (hostile.text(at), f"{hostile.SOURCE} {at}") for at, name in enumerate(NAMES[:3])},
    sentences=[
        (hostile.sentence(0), tuple(NAMES)),
        (hostile.sentence(3), (NAMES[1],)),
        (hostile.sentence(5), ()),
    ],
    topic=f"7{hostile.SIGNS[1]}",
    run=f"run {hostile.SIGNS[2]}",
    dataset="set",
)
REPORT: tuple[Step, ...] = (
    ("c", "Citation 1/5"),
    ("c", "Citation 2/5"),
    ("cc", "is not available"),
    ("d", "cited here"),
    (TAB, "Space takes"),
    (TAB, states.READY),
    ("g", "Request"),
    (TAB + TAB, "▸ Documents"),
    ("q", "-Guidelines"),
    ("*", "Rate the report"),
    ("1", "Rated Perfect"),
    ("M", "Comment on the report"),
    (PASTE + ENTER, " saved · u"),
    ("u", states.UNDONE),
    ("u", "rating"),
    ("j1", states.saved("Passage")),
)
TREE: tuple[Step, ...] = (
    ("T", "reports"),
    ("2", "0/3 documents"),
    ("?", "Keys of the collection screen"),
    ("q", "-Keys of the collection screen"),
    ("3", "sentences"),
    ("", "team"),  # the run is read after its topic
    ("\x1b[B\x1b[C", "s0"),
    ("\x1b[B" + ENTER, "SENTENCE 1/3"),
)
CITATION: tuple[Step, ...] = (
    ("d", "2/4"),
    ("c", "3/4"),
    ("c", "4/4"),
    ("c", "SENTENCE 2/3"),
    ("C", "SENTENCE 1/3"),
    ("J", "SENTENCE 2/3"),
    ("c", "this sentence cites no document"),
    ("T", "COLLECTION"),
    ("2", "0/3 documents"),
    ("J", "DOCUMENT"),
    (".1", states.saved("Passage")),
    ("q", "COLLECTION"),
    (TAB, states.QUEUE),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The hostile collection."""
    asked = Request(*(hostile.text(at) for at in range(3)))
    samples = [replace(sample, request=asked) for sample in COLLECTION.samples()]
    made = make_workspace(tmp_path / "space", labels=LABELS, samples=samples)
    hostile.add_person(made, hostile.PERSON)
    return made


@pytest.mark.parametrize("look", full_except(LOOKS, "80x24"))
def test_reports_documents_and_citations_let_nothing_through(folder: Path, look: str) -> None:
    """Marks behind sentences, titles, the tree and its rows show pictures in place of sequences."""
    columns, rows, env = LOOKS[look]
    command = annotate(folder, "--order", "ingested", "--sample", COLLECTION.report().id)
    with Terminal(command, env=env, columns=columns, rows=rows) as terminal:
        states.wait_for_ready(terminal)
        pictures = 0
        for steps in (REPORT, TREE, CITATION):
            states.wait_for_keys(terminal)
            pictures += walk(terminal, steps)
        states.quit_app(terminal)
    assert pictures > 20
    assert foreign(bytes(terminal.raw), columns=columns, rows=rows) == []
