"""FaithBench's release: word for word there and back, and made of what came as a dump."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.plugins.formats.laws import write
from tests.plugins.record_reader import file, read

SOURCE = "The bridge opened in 1932.\nIt cost 12 million pounds 🌉 and took six years."
SUMMARY = "The 1932 bridge cost 15 million pounds and was loved."
SAMPLE: dict[str, Any] = {
    "sample_id": 0,
    "source": SOURCE,
    "summary": SUMMARY,
    "annotations": [
        {"annot_id": 2, "annotator_id": "bb22", "annotator_name": "Bo",
         "label": ["Unwanted", "Unwanted.Extrinsic"], "note": "", "summary_span": "was loved",
         "summary_start": 43, "summary_end": 52, "source_span": None, "source_start": None,
         "source_end": None},
        {"annot_id": 1, "annotator_id": "aa11", "annotator_name": "Alice",
         "label": ["Unwanted", "Unwanted.Instrinsic"], "note": "12, not 15",
         "summary_span": "15 million pounds", "summary_start": 21, "summary_end": 38,
         "source_span": "12 million pounds", "source_start": 35, "source_end": 52},
    ],
    "metadata": {"summarizer": "toy-1", "true_nli": None, "raw_sample_id": 15},
}  # fmt: skip


def _dumped(sample: dict[str, Any]) -> dict[str, Any]:
    """The same sample as Mercury would have dumped it."""
    rows = []
    for row in sample["annotations"]:
        report = {key: value for key, value in row.items() if value is not None}
        report |= {"annotator": report.pop("annotator_id"), "sample_id": sample["sample_id"]}
        rows.append(report)
    meta = {f"meta_{name}": value for name, value in sample["metadata"].items()}
    texts = {key: sample[key] for key in ("sample_id", "source", "summary")}
    return texts | {"annotations": rows} | meta


def test_a_release_goes_out_word_for_word(tmp_path: Path) -> None:
    """Order, nulls, old spellings and metadata survive; either reader takes it."""
    second = SAMPLE | {"sample_id": 7, "annotations": []}
    path = file(tmp_path, "release.json", json.dumps({"samples": [SAMPLE, second]}, indent=1))
    for reader in ("", "faithbench"):
        records, problems = read(path, reader)
        report = write(records, "faithbench", tmp_path / f"out{reader}.json")
        text = (tmp_path / f"out{reader}.json").read_text("utf-8")
        assert json.dumps(json.loads(text)) == json.dumps({"samples": [SAMPLE, second]})
        assert (report.records, report.annotations, report.lost) == (2, 2, {})
        assert problems == []


def test_a_dump_becomes_a_release(tmp_path: Path) -> None:
    """Keys, their order, nulls, numbers and the order of annotations are the release's own."""
    records, _ = read(file(tmp_path, "dump.json", json.dumps([_dumped(SAMPLE)])))
    write(records, "faithbench", tmp_path / "out.json")
    text = (tmp_path / "out.json").read_text("utf-8")
    assert json.dumps(json.loads(text)) == json.dumps({"samples": [SAMPLE]})


def test_a_release_becomes_a_dump(tmp_path: Path) -> None:
    """And the way back, numbers and order kept."""
    records, _ = read(file(tmp_path, "release.json", json.dumps({"samples": [SAMPLE]})))
    write(records, "mercury", tmp_path / "out.json")
    assert json.loads((tmp_path / "out.json").read_text("utf-8")) == [_dumped(SAMPLE)]


def test_odd_labels_and_notes_survive_the_other_form(tmp_path: Path) -> None:
    """A child without its parent, a mixture, none at all, and a null are no mistakes of ours."""
    odd = [["Unwanted.Extrinsic", "Questionable"], [], ["Benign", "Benign"]]
    first = SAMPLE["annotations"][1]
    rows = [first | {"annot_id": at, "label": label} for at, label in enumerate(odd, 1)]
    rows.append(first | {"annot_id": 4, "note": None})
    sample = SAMPLE | {"annotations": rows}
    records, _ = read(file(tmp_path, "release.json", json.dumps({"samples": [sample]})))
    write(records, "mercury", tmp_path / "dump.json")
    dump = json.loads((tmp_path / "dump.json").read_text("utf-8"))
    assert [row["label"] for row in dump[0]["annotations"]] == [*odd, first["label"]]
    assert dump[0]["annotations"][3]["note"] is None
    back, _ = read(tmp_path / "dump.json")
    write(back, "faithbench", tmp_path / "out.json")
    assert json.loads((tmp_path / "out.json").read_text("utf-8")) == {"samples": [sample]}


def test_no_records_are_an_empty_release(tmp_path: Path) -> None:
    """It is JSON all the same."""
    write([], "faithbench", tmp_path / "out.json")
    assert (tmp_path / "out.json").read_text() == '{"samples": []}\n'
