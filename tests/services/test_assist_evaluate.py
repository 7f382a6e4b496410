"""The figures of the assist: counted by hand on small texts, held to floors on real ones."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.errors import InvalidInput, NotFound, Unavailable
from tui_annotate.domain.records import Owned, Record
from tui_annotate.domain.samples import Document, Sample, Side
from tui_annotate.domain.spans import Span
from tui_annotate.methods.segmentation import SEGMENTER, guess_language
from tui_annotate.plugins import registry
from tui_annotate.services.assist import evaluate, evaluate_records

ROOT = Path(__file__).parents[2]
SHARED = Path(os.environ.get("TUI_ANNOTATE_SHARED", ROOT.parent / "shared"))
GOLD = ROOT / "sample_data" / "gold.json"
SOURCE = "The bridge reopened on Saturday. The work cost 12 million pounds. Nobody came. "
SUMMARY = "It cost 15 million pounds. Many came on Saturday. "
needs_vectors = pytest.mark.skipif(
    find_spec("wordllama") is None, reason="wordllama has no wheel for this platform"
)


def pair(claim: str, evidence: str, *, number: int = 1) -> Owned:
    """An annotation whose spans are the first places of some parts."""
    start, other = SUMMARY.index(claim), SOURCE.index(evidence)
    return Owned(
        "ana",
        Annotation(
            str(number),
            (Anchor(Side.SUMMARY, 0, Span(start, start + len(claim))),),
            (Anchor(Side.SOURCE, 0, Span(other, other + len(evidence))),),
        ),
    )


def record(*annotations: Owned, identity: str = "1") -> Record:
    """A record with the two texts."""
    documents = (Document(Side.SOURCE, SOURCE), Document(Side.SUMMARY, SUMMARY))
    return Record(Sample("set", identity, documents), annotations)


def test_figures_by_hand() -> None:
    """One query found first, one found second: the means of 1 and 1/2."""
    found = evaluate_records(
        [record(pair("15 million pounds", "12 million"), pair("Many came", "reopened", number=2))]
    )["summary_to_source"]
    assert found.queries == 2
    assert found.recall_at_1 == 0.5
    assert found.recall_at_3 == found.recall_at_5 == 1.0
    assert found.mrr == pytest.approx((1 + 1 / 2) / 2)


def test_a_query_counts_once() -> None:
    """Not again for another person, other white space, or the same texts under another id."""
    found = evaluate_records(
        [
            record(pair("15 million", "12 million"), pair(" 15 million", "12 million ", number=2)),
            record(pair("15 million", "12 million"), identity="2"),
        ]
    )
    assert [figures.queries for figures in found.values()] == [1, 1]


def test_short_texts_do_not_count() -> None:
    """The bound is on the searched text's segments that hold more than white space."""
    records = [record(pair("15 million", "12 million"))]
    assert evaluate_records(records, min_segments=3)["summary_to_source"].queries == 1
    assert evaluate_records(records, min_segments=3)["source_to_summary"].queries == 0
    assert evaluate_records(records, min_segments=4)["summary_to_source"].queries == 0


def test_one_sided_annotations_are_no_queries() -> None:
    """A claim without evidence, or a span of white space, has nothing to be found."""
    alone = Owned("ana", Annotation("1", (Anchor(Side.SUMMARY, 0, Span(0, 5)),)))
    blank = pair("15 million", ". ")
    blank = Owned(
        "ana",
        Annotation("2", blank.annotation.claim, (Anchor(Side.SOURCE, 0, Span(32, 33)),)),
    )
    found = evaluate_records([record(alone, blank)])
    assert [figures.queries for figures in found.values()] == [0, 0]


class Constant:
    """An embedder for which all texts are alike."""

    name = "constant"
    version = "1"
    dimensions = 2

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The same unit row for each."""
        return np.tile(np.array([1, 0], np.float32), (len(texts), 1))


def test_vectors_that_say_nothing_change_no_order() -> None:
    """The same is added to every score."""
    records = [record(pair("15 million pounds", "12 million"))]
    assert evaluate_records(records, embedder=Constant()) == evaluate_records(records)


def test_a_side_without_a_document_is_no_error() -> None:
    """There is nothing to rank."""
    lonely = Record(Sample("set", "1", (Document(Side.SUMMARY, SUMMARY),)))
    found = evaluate_records([lonely], embedder=Constant())
    assert [figures.queries for figures in found.values()] == [0, 0]


def dump(path: Path, *annotations: dict[str, Any]) -> Path:
    """A Mercury dump with one sample."""
    sample = {"sample_id": 0, "source": SOURCE, "summary": SUMMARY, "annotations": annotations}
    path.write_text(json.dumps([sample]), "utf-8")
    return path


MERCURY = {
    "annot_id": 1,
    "sample_id": 0,
    "annotator": "a1",
    "annotator_name": "Ana",
    "label": ["Unwanted"],
    "note": "",
    "summary_span": "15 million pounds",
    "summary_start": 8,
    "summary_end": 25,
    "source_span": "12 million pounds",
    "source_start": 47,
    "source_end": 64,
}


def test_dumps_are_taken_together(tmp_path: Path) -> None:
    """The same file twice has the queries of one; what ranked is named."""
    file = dump(tmp_path / "a.json", MERCURY)
    found = evaluate([file, file], embedder="none")
    assert found["summary_to_source"] == {
        "queries": 1,
        "recall_at_1": 1.0,
        "recall_at_3": 1.0,
        "recall_at_5": 1.0,
        "mrr": 1.0,
    }
    assert found["segmenter"] == SEGMENTER
    assert found["embedder"] == "none"
    assert json.loads(json.dumps(found)) == found


def test_a_refused_record_is_told(tmp_path: Path) -> None:
    """Figures over part of a file would pass for those of the whole."""
    file = tmp_path / "a.json"
    file.write_text('[{"sample_id": 0, "source": 5, "summary": "b", "annotations": []}]', "utf-8")
    with pytest.raises(InvalidInput, match="5"):
        evaluate([file], embedder="none")


def test_an_embedder_that_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Asked for by name it is an error; otherwise words do."""
    real = registry.load

    def load(kind: Any, name: str) -> Any:
        if kind == "embedders" and name == "static":
            raise Unavailable("no static vectors here")
        return real(kind, name)

    monkeypatch.setattr(registry, "load", load)
    file = dump(tmp_path / "a.json", MERCURY)
    assert evaluate([file])["embedder"] == "none"
    with pytest.raises(Unavailable):
        evaluate([file], embedder="static")
    with pytest.raises(NotFound):
        evaluate([file], embedder="unheard-of")


# real texts -------------------------------------------------------------------------------------


def floors(found: dict[str, float], first: float, fifth: float, mrr: float) -> None:
    """Recall at 1 and 5 and the mean reciprocal rank are at least these."""
    assert found["recall_at_1"] >= first
    assert found["recall_at_5"] >= fifth
    assert found["mrr"] >= mrr


def gold(language: str, path: Path) -> Path:
    """The gold pairs of one language as a dump of their own."""
    samples = json.loads(GOLD.read_text("utf-8"))
    path.write_text(
        json.dumps([each for each in samples if guess_language(each["source"]) == language]),
        "utf-8",
    )
    return path


@needs_vectors
def test_english_gold_pairs_are_found(tmp_path: Path) -> None:
    """Claims that were written to share few words with their evidence; measured .50, .75, .61."""
    found = evaluate([gold("en", tmp_path / "en.json")])
    assert found["summary_to_source"]["queries"] >= 60
    floors(found["summary_to_source"], 0.48, 0.72, 0.59)
    floors(found["source_to_summary"], 0.77, 0.95, 0.84)


def test_chinese_gold_pairs_are_found(tmp_path: Path) -> None:
    """By words alone; measured .80, .95, .86."""
    found = evaluate([gold("zh", tmp_path / "zh.json")])
    assert found["summary_to_source"]["queries"] >= 20
    floors(found["summary_to_source"], 0.75, 0.9, 0.82)
    floors(found["source_to_summary"], 0.8, 0.98, 0.88)


@needs_vectors
def test_what_real_annotators_chose_is_found() -> None:
    """The promise of docs/performance.md, on real Mercury exports."""
    files = sorted((SHARED / "data" / "faithbench").glob("batch_*_annotation.json"))
    if not files:
        pytest.skip("real data: no folder TUI_ANNOTATE_SHARED with dumps")
    found = evaluate(files, min_segments=8)["summary_to_source"]
    assert found["queries"] > 200
    floors(found, 0.70, 0.93, 0.80)
