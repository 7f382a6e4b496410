"""What reports, documents and citations look like, held to stored pictures as other screens are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.end_to_end.test_screens import NARROW, STORED, UPDATE, WIDE, Story, drawn
from tests.tui.screens.annotate_app import make_workspace, open_app
from tests.tui.screens.collection_workspace import LABELS, Collection

REPORT, DOCUMENT, CITATION = "r|7|run1", "d|7|doc-b", "c|7|run1|1|doc-b"
STORIES = {
    "report-80": Story(NARROW, ("c c c * 2",), REPORT),
    "report-140": Story(WIDE, ("j 1 j",), REPORT),
    "document-80": Story(NARROW, ("j . 1 * 4",), DOCUMENT),
    "citation-80": Story(NARROW, ("*",), CITATION),
    "citation-140": Story(WIDE, ("space 1",), CITATION),
    "collection-80": Story(NARROW, ("* 1 T",), CITATION),
}


@pytest.mark.parametrize("name", STORIES)
async def test_an_item_looks_as_it_was_reviewed(tmp_path: Path, name: str) -> None:
    """Each cell has the character and the style of the stored picture."""
    story, stored = STORIES[name], STORED / f"{name}.txt"
    both = [Collection(), Collection(topic="8", run="other")]
    samples = [sample for each in both for sample in each.samples()]
    folder = make_workspace(tmp_path / "work", labels=LABELS, samples=samples)
    async with open_app(folder, size=story.size, sample=story.sample) as person:
        for step in story.steps:
            await person.press(step)
        found = drawn(person.app.screen._compositor.render_strips())
    if UPDATE:
        stored.write_text(found, "utf-8")
    assert found.splitlines() == stored.read_text("utf-8").splitlines()
