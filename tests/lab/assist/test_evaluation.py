"""The figures of the assist: counted by hand on small texts, held to floors on real ones."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.helpers.ranking_figures import RankingFigures, compute_figures
from tests.helpers.sample_vectors import embed_sample
from tests.services.ingest_stores import Words
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.errors import InvalidInput, Unavailable
from tui_annotate.domain.people import Person
from tui_annotate.domain.provenance import Provenance
from tui_annotate.domain.records import OwnedAnnotation, Record
from tui_annotate.domain.samples import Document, Sample, Side
from tui_annotate.domain.spans import Span
from tui_annotate.lab.assist.evaluation import collect_choices, evaluate
from tui_annotate.methods.evaluation import FIGURES, KINDS
from tui_annotate.methods.segmentation import SEGMENTER, guess_language
from tui_annotate.plugins import registry
from tui_annotate.plugins.protocols import Embedder, ExportOptions
from tui_annotate.services.assist.sample import prepare_sample

ROOT = Path(__file__).parents[3]
SHARED = Path(os.environ.get("TUI_ANNOTATE_SHARED", ROOT.parent / "shared"))
GOLD = ROOT / "sample_data" / "gold.json"
SOURCE = "The bridge reopened on Saturday. The work cost 12 million pounds. Nobody came. "
SUMMARY = "It cost 15 million pounds. Many came on Saturday. "
VECTORS = find_spec("wordllama") is not None
COMPARED = ["static"] if VECTORS else []
evaluating = import_module("tui_annotate.lab.assist.evaluation")
needs_vectors = pytest.mark.skipif(not VECTORS, reason="wordllama has no wheel for this platform")


def evaluate_records(
    records: Iterable[Record], *, min_segments: int = 1, embedder: Embedder | None = None
) -> dict[str, RankingFigures]:
    """By direction, how high the segments stand that people chose."""
    asked = collect_choices(records, least=min_segments)
    ranks = evaluating._rank_queries(asked, embedder, lambda *_: None, weights=())
    return {direction: compute_figures(found.all) for direction, found in ranks.items()}


def pair(claim: str, evidence: str, *, number: int = 1) -> OwnedAnnotation:
    """An annotation whose spans are the first places of some parts."""
    start, other = SUMMARY.index(claim), SOURCE.index(evidence)
    return OwnedAnnotation(
        "ana",
        Annotation(
            str(number),
            (Anchor(Side.SUMMARY, 0, Span(start, start + len(claim))),),
            (Anchor(Side.SOURCE, 0, Span(other, other + len(evidence))),),
        ),
    )


def record(*annotations: OwnedAnnotation, identity: str = "1") -> Record:
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
    alone = OwnedAnnotation("ana", Annotation("1", (Anchor(Side.SUMMARY, 0, Span(0, 5)),)))
    blank = pair("15 million", ". ")
    blank = OwnedAnnotation(
        "ana",
        Annotation("2", blank.annotation.claim, (Anchor(Side.SOURCE, 0, Span(32, 33)),)),
    )
    found = evaluate_records([record(alone, blank)])
    assert [figures.queries for figures in found.values()] == [0, 0]


class Constant:
    """An embedder for which all texts are alike."""

    name = "constant"
    label = "constant"
    instant = True
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


def sources(path: Path, *, number: int) -> Path:
    """A dump of some sources, each of its own; a claim with evidence in each."""
    samples = []
    for at in range(number):
        source = SOURCE.replace("Nobody", f"Group {at}")
        annotation = MERCURY | {"sample_id": at}
        samples.append(
            {"sample_id": at, "source": source, "summary": SUMMARY, "annotations": [annotation]}
        )
    path.write_text(json.dumps(samples), "utf-8")
    return path


def test_order_of_files_and_records_does_not_matter(tmp_path: Path) -> None:
    """Every figure, interval and difference is the same, to the last digit."""
    samples = json.loads(GOLD.read_text("utf-8"))
    halves = []
    for name, part in (("a", samples[::2]), ("b", samples[1::2])):
        halves.append(tmp_path / name)
        halves[-1].write_text(json.dumps(part[::-1], ensure_ascii=False), "utf-8")
    whole = evaluate([GOLD], embedder="none", compare=COMPARED)
    mixed = evaluate(halves[::-1], embedder="none", compare=COMPARED)
    assert mixed == whole


def test_slices_part_the_queries() -> None:
    """Of each pair, and over languages, counts add up and means are those of the parts."""
    found = evaluate([GOLD], embedder="none")
    for direction, slices in found["slices"].items():
        whole = found[direction]
        assert slices["zh"]["queries"] >= 20
        assert slices["no_shared_word"]["queries"] > 0
        languages = tuple(name for name in slices if len(name) == 2)
        for names in (*KINDS, languages):
            parts = [slices[name] for name in names]
            assert sum(part["queries"] for part in parts) == whole["queries"]
            for figure in FIGURES:
                total = sum(part["queries"] * part[figure] for part in parts)
                assert total == pytest.approx(whole["queries"] * whole[figure])


def test_intervals_hold_their_figures() -> None:
    """In order, within [0, 1], and around what was measured."""
    found = evaluate([GOLD], embedder="none")
    for direction, intervals in found["intervals"].items():
        assert found["sources"][direction] >= 3
        for figure, (low, high) in intervals.items():
            assert 0 <= low < found[direction][figure] < high <= 1


def test_few_sources_have_no_interval(tmp_path: Path) -> None:
    """With two there is none, for the whole, its slices and differences; with three there is."""
    few = evaluate([sources(tmp_path / "a", number=2)], embedder="none", compare=COMPARED)
    assert few["intervals"] == {"summary_to_source": None, "source_to_summary": None}
    for report in few["differences"]:
        assert report["summary_to_source"]["mrr"]["interval"] is None
        assert report["summary_to_source"]["mrr"]["excludes_zero"] is False
    more = evaluate([sources(tmp_path / "b", number=3)], embedder="none")
    assert more["intervals"]["summary_to_source"]["mrr"] is not None
    assert more["sources"]["summary_to_source"] == 3


def test_nothing_to_measure_is_no_error(tmp_path: Path) -> None:
    """What is undefined is None, not zero."""
    found = evaluate([dump(tmp_path / "a.json")], embedder="none")
    assert found["summary_to_source"]["mrr"] is None
    assert found["screen"]["summary_to_source"]["recall_at_5"] is None
    assert found["summary_to_source"]["queries"] == found["sources"]["summary_to_source"] == 0
    assert found["slices"]["source_to_summary"]["en"]["queries"] == 0


@cache
def figures_of_gold() -> dict[str, RankingFigures]:
    """The figures of the gold pairs, where each query has its sample prepared for it alone."""
    ranks = {
        way: [
            each.rank(
                (match.document, match.span)
                for match in prepare_sample(
                    each.sample, each.segments, embed_sample(each.sample, each.segments, Words())
                ).match(each.selected, top=None)
            )
            for each in own
        ]
        for way, own in collect_choices(evaluating._read_records([GOLD])).items()
    }
    return {way: compute_figures(own) for way, own in ranks.items()}


@pytest.mark.parametrize("at_once", [1, 10, 10**6])
def test_each_document_is_embedded_once(monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    """However many samples share it, and however large the batches are; ranks stay the same."""
    monkeypatch.setattr(evaluating, "_BATCH_SEGMENTS", at_once)
    records = [*evaluating._read_records([GOLD])]
    counted = Words()
    found = evaluate_records(records, embedder=counted)
    asked = [each for own in collect_choices(records).values() for each in own]
    documents = {
        document.sha256: cut
        for each in asked
        for document, cut in zip(each.sample.documents, each.segments, strict=True)
    }
    assert sum(counted.calls) == sum(map(len, documents.values()))
    assert found == figures_of_gold()


def test_an_embedder_less_itself_is_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Differences and their intervals are zero, also in slices; another differs for sure."""
    known: dict[str, Embedder] = {"one": Words(), "two": Words(), "odd": Constant()}
    monkeypatch.setattr(registry, "load_embedder", known.__getitem__)
    found = evaluate([GOLD], embedder="one", compare=["two", "odd", "one"])
    same, other = found["differences"]
    assert len(found["compared"]) == 2
    assert other["against"] == found["embedder"]
    for report in (same["summary_to_source"], same["slices"]["source_to_summary"]["zh"]):
        for figure in FIGURES:
            nothing = {"difference": 0.0, "interval": [0.0, 0.0], "excludes_zero": False}
            assert report[figure] == nothing
    for direction in ("summary_to_source", "source_to_summary"):
        report = other[direction]["mrr"]
        own = found["compared"][1][direction]["mrr"] - found[direction]["mrr"]
        assert report["difference"] == pytest.approx(own)
        assert report["interval"][0] <= report["difference"] <= report["interval"][1]
        assert report["excludes_zero"] is (report["interval"][0] > 0 or report["interval"][1] < 0)


def test_how_far_each_model_is_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """From nothing to all of the texts, for each embedder in turn; words alone make none."""
    monkeypatch.setattr(evaluating, "_BATCH_SEGMENTS", 20)
    known: dict[str, Embedder] = {"one": Words(), "odd": Constant()}
    monkeypatch.setattr(registry, "load_embedder", known.__getitem__)
    report: list[tuple[str, int, float]] = []
    evaluate(
        [GOLD], embedder="one", compare=["odd", "none"], progress=lambda *each: report.append(each)
    )
    for model in ("words", Constant.label):
        steps = [(texts, share) for label, texts, share in report if label == model]
        assert steps == sorted(steps)
        assert (steps[0], steps[-1][1]) == ((0, 0.0), 1.0)
        assert len(steps) > 3
    assert {label for label, *_ in report} == {"words", Constant.label}


@needs_vectors
def test_what_is_compared_stands_alone_as_it_does_beside_others() -> None:
    """The same figures and intervals, whichever embedder is named first."""
    both = evaluate([GOLD], embedder="static", compare=["none"])
    alone = evaluate([GOLD], embedder="none")
    (report,) = both["compared"]
    assert report == {name: alone[name] for name in report}


def test_a_refused_record_is_told(tmp_path: Path) -> None:
    """Figures over part of a file would pass for those of the whole."""
    file = tmp_path / "a.json"
    file.write_text('[{"sample_id": 0, "source": 5, "summary": "b", "annotations": []}]', "utf-8")
    with pytest.raises(InvalidInput, match="5"):
        evaluate([file], embedder="none")


def test_an_embedder_that_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Asked for by name it is an error; otherwise words do."""
    real = registry.load_embedder

    def load(name: str) -> Embedder:
        if name == "static":
            raise Unavailable("no static vectors here")
        return real(name)

    monkeypatch.setattr(registry, "load_embedder", load)
    file = dump(tmp_path / "a.json", MERCURY)
    assert evaluate([file])["embedder"] == "none"
    with pytest.raises(Unavailable):
        evaluate([file], embedder="static")
    with pytest.raises(InvalidInput, match="unheard-of"):
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


def test_the_screen_shows_less_than_is_ranked() -> None:
    """The first five sentences of at least the lowest strength, as the search returns them."""
    found = evaluate([GOLD], embedder="none")
    asked = collect_choices(evaluating._read_records([GOLD]))
    for direction, own in asked.items():
        shown = [
            prepare_sample(each.sample, each.segments).match(each.selected, top=5) for each in own
        ]
        ranks = [
            each.rank((match.document, match.span) for match in matches)
            for each, matches in zip(own, shown, strict=True)
        ]
        screen = found["screen"][direction]
        expected = compute_figures(ranks)
        assert {name: screen[name] for name in FIGURES} == pytest.approx(
            {name: getattr(expected, name) for name in FIGURES}
        )
        assert screen["blank"] == sum(not matches for matches in shown)
        assert screen["recall_at_5"] < found[direction]["recall_at_5"]
        low, high = screen["intervals"]["recall_at_5"]
        assert low < screen["recall_at_5"] < high


def test_the_screen_hides_some_hits_on_the_real_data() -> None:
    """A sentence among the best five of all may have too low a score to be displayed."""
    files = sorted((SHARED / "data" / "faithbench").glob("batch_*_annotation.json"))
    if not files:
        pytest.skip("real data: no folder TUI_ANNOTATE_SHARED with FaithBench")
    found = evaluate(files, embedder="none")
    whole, screen = found["summary_to_source"], found["screen"]["summary_to_source"]
    assert (whole["queries"], found["clusters"]["summary_to_source"]) == (425, 27)
    assert round(whole["recall_at_5"], 3) == 0.969
    assert round(screen["recall_at_5"], 3) == 0.922


def test_work_from_suggestions_is_counted_and_can_be_excluded(tmp_path: Path) -> None:
    """A pair that one person chose without a machine is independent of it."""
    accepted = Provenance(suggestion="s", maker="judge:m")
    texts = (Document(Side.SOURCE, SOURCE), Document(Side.SUMMARY, SUMMARY))
    claims = pair("15 million", "12 million"), pair("Many came", "Nobody came", number=2)
    places = [replace(each.annotation, suggested=accepted) for each in claims]
    people = tuple(Person(name, name) for name in ("ana", "ben"))
    work = (
        OwnedAnnotation("ana", places[0]),
        OwnedAnnotation("ana", places[1]),
        OwnedAnnotation("ben", replace(places[1], id="3", suggested=None)),
    )
    done = tuple(Assignment(each.id, State.DONE) for each in people)
    record = Record(Sample("d", "1", texts), work, done, people)
    file = tmp_path / "native.jsonl"
    with file.open("w", encoding="utf-8") as target:
        registry.load("exporters", "native").write([record], target, ExportOptions())
    found = evaluate([file], embedder="none")
    assert found["suggested"] == {"summary_to_source": 1, "source_to_summary": 1}
    slices = found["slices"]["summary_to_source"]
    assert [slices[name]["queries"] for name in ("suggested_work", "other_work")] == [1, 1]
    without = evaluate([file], embedder="none", without_suggested_work=True)
    assert without["summary_to_source"]["queries"] == 1
    assert without["suggested"] == found["suggested"]


def test_the_former_name_of_the_function_works() -> None:
    """Programs import it from the services; a name that never was there is an AttributeError."""
    former = import_module("tui_annotate.services.assist.evaluation")
    assert former.evaluate is evaluate
    assert not hasattr(former, "evaluation")
