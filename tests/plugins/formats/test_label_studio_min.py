"""Label Studio's flat export JSON-MIN: one task with the work of all its annotators."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.plugins.record_reader import read
from tui_annotate.domain.samples import Side
from tui_annotate.plugins.format_detection import detect

SOURCE, SUMMARY = "The mill was built in 1874.", "It is old. 🌉 The mill was built in 1871."


def _row(task: int, person: Any, regions: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    texts = {"source": SOURCE, "summary": SUMMARY, "topic": "mills"}
    own = {"annotator": person, "annotation_id": 9, "lead_time": 2.5}
    return {**texts, "id": task, "label": regions, **own, **more}


def test_rows_of_a_task_are_one_sample(tmp_path: Path) -> None:
    """Two people's rows need not be adjacent; spans are found in the text that fits."""
    old = {"start": 6, "end": 9, "text": "old", "labels": ["A", "B"]}
    year = {"start": 22, "end": 26, "text": "1874", "labels": ["A"]}
    late = {"start": 36, "end": 40, "text": "1871", "labels": ["A"]}
    bad = {"start": 4, "end": 4, "text": "", "labels": ["A"]}
    rows = [
        _row(1, 5, [old, bad], rating={"choices": ["good"]}),
        _row(2, "bea@example.org", [year]),
        _row(1, {"id": 6, "email": "cy@example.org"}, [late], topic="towns"),
    ]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(rows))
    assert detect(path) == "labelstudio"
    (first, second), problems = read(path, "labelstudio")
    found = [
        (owned.person, owned.annotation.claim[0].span.of(SUMMARY)) for owned in first.annotations
    ]
    assert found == [("labelstudio:5", "old"), ("cy@example.org", "1871")]
    assert first.annotations[0].annotation.labels == (("A",), ("B",))
    assert first.sample.meta == {"topic": "mills"}
    assert first.assignments[0].rating == "good"
    assert [owned.person for owned in second.annotations] == ["bea@example.org"]
    (evidence,) = (owned.annotation for owned in second.annotations)
    assert evidence.evidence[0].span.of(second.sample.document(Side.SOURCE).text) == "1874"
    assert [problem.refuses_part for problem in problems] == [True, False, False]


def test_other_texts_of_one_task_refuse_only_the_later_row(tmp_path: Path) -> None:
    """The first row's work is kept."""
    old = {"start": 6, "end": 9, "text": "old", "labels": ["A"]}
    path = tmp_path / "a.json"
    path.write_text(json.dumps([_row(1, 5, [old]), _row(1, 6, [old], summary="Another.")]))
    (record,), (problem,) = read(path, "labelstudio")
    assert len(record.annotations) == 1
    assert problem.refuses_part
