"""What a row of a collection's tree has in front of its name."""

from __future__ import annotations

from pathlib import Path

from tests.tui.screens.collected import LABELS, Collection
from tests.tui.screens.work import at_work, make
from tui_annotate.tui.palette import CHOSEN
from tui_annotate.tui.screens.collection.rows import OPEN

TOPICS = ("full", "void", "open")


async def test_a_topic_without_documents_is_not_ticked_as_done(tmp_path: Path) -> None:
    """Nor is it to do; one whose documents are done is ticked."""
    texts, sentences = {"a": ("", "Crabs hide.")}, [("One.", ("a",))]
    each = [
        Collection(texts, sentences, topic="full", run="x"),
        Collection(topic="void", run="y", texts={}),
        Collection(topic="open", run="z"),
    ]
    samples = [sample for one in each for sample in one.samples()]
    folder = make(tmp_path / "space", labels=LABELS, samples=samples)
    async with at_work(folder, sample="d|full|a") as person:
        await person.press("* 1 T")
        rows = person.shown().splitlines()
        signs = {name: next(row for row in rows if f" {name} " in row) for name in TOPICS}
        assert f"{CHOSEN} full" in signs["full"]
        assert f"{OPEN} open" in signs["open"]
        assert "0/0" in signs["void"]
        assert not {CHOSEN, OPEN} & set(signs["void"])
