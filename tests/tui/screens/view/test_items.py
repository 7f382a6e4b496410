"""Reports and documents of a file that is looked at."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.tui.screens.collection_workspace import Collection
from tests.tui.screens.view.test_screen import looking
from tui_annotate.domain.report_collections import PASSAGE
from tui_annotate.domain.samples import Sample

SAMPLES = {sample.id: sample for sample in Collection().samples()}


def record(sample: Sample, *marks: list[list[Any]]) -> dict[str, Any]:
    """A sample in the native form, with ana's marks as evidence alone."""
    return {
        "format": "tui-annotate/1",
        "dataset": sample.dataset,
        "id": sample.id,
        "kind": sample.kind.value,
        "meta": dict(sample.meta),
        "documents": [
            {"side": one.side.value, "key": one.key, "title": one.title, "text": one.text}
            for one in sample.documents
        ],
        "annotations": [
            {"id": f"m{at}", "person": "ana", "claim": [], "evidence": mark,
             "labels": [list(PASSAGE)]}
            for at, mark in enumerate(marks)
        ],
        "people": [{"id": "ana", "name": "ana"}],
    }  # fmt: skip


async def test_a_document_alone_is_read_with_its_marks(tmp_path: Path) -> None:
    """It has the screen, and the marks are walked as those of a claim."""
    document = record(SAMPLES["d|7|doc-b"], [["source", 0, 7, 13]])
    async with looking(tmp_path, document, size=(140, 40)) as reader:
        shown = reader.shown()
        assert "A crab sheds its shell." in shown
        assert "DOCUMENT Crabs" in shown
        assert not any(words in shown for words in ("SOURCE", "SUMMARY", "hidden"))
        await reader.press("a")
        assert reader.focused == "A"
        assert "A crab" in reader.shown()


async def test_a_report_has_its_citations_behind_the_sentences(tmp_path: Path) -> None:
    """As on the screen of annotators."""
    async with looking(tmp_path, record(SAMPLES["r|7|run1"])) as reader:
        assert "Sea stars eat mussels. [doc-a] Crabs hide." in reader.shown()
