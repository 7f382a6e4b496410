"""Workspaces for benchmarks: made of invented text of a wanted length, the same each time."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import tui_annotate
from tui_annotate.plugins.protocols import Embedder, ImportOptions
from tui_annotate.services.ingest import IngestFiles

WORDS = [
    "harbour",
    "council",
    "bridge",
    "record",
    "evening",
    "report",
    "minister",
    "window",
    "garden",
    "number",
    "station",
    "village",
    "market",
    "winter",
    "signal",
    "engine",
    "factory",
    "teacher",
    "morning",
    "letter",
    "railway",
]
SIGNS = "桥梁将于六月重新开放市长说报告指出裂缝最早于二年三月被发现工程师认为费用会继续上升"
FIRST = "Benchmarkbeginning"
"""The first word of every source: what a benchmark waits for on the screen."""


def prose(length: int, seed: int = 0) -> str:
    """English-like sentences in paragraphs, about `length` characters, beginning with `FIRST`."""
    source = random.Random(seed)
    parts, written = [FIRST], len(FIRST)
    while written < length:
        words = source.choices(WORDS, k=source.randint(6, 22))
        ending = ".\n\n" if source.random() < 0.1 else ". "
        parts.append(" ".join(words).capitalize() + ending)
        written += len(parts[-1])
    return " ".join(parts[:2]) + "".join(parts[2:])


def chinese(size: int, seed: int = 0) -> str:
    """Chinese-like sentences in paragraphs, about `size` bytes, beginning with `FIRST`."""
    luck = random.Random(seed)
    parts, written = [FIRST], len(FIRST)
    while written < size:
        signs = "".join(luck.choices(SIGNS, k=luck.randint(8, 40)))
        parts.append(signs + "。" + "\n\n" * (luck.random() < 0.1))
        written += len(parts[-1].encode())
    return "".join(parts)


def workspace_of(folder: Path, *, samples: int = 1, length: int = 200_000) -> None:
    """A workspace with some samples, each with a source of `length` characters of its own."""
    pairs = (
        {"source": prose(length, seed), "summary": prose(600, seed + samples)}
        for seed in range(samples)
    )
    workspace_from(folder, pairs)


def workspace_from(
    folder: Path,
    records: Iterable[Mapping[str, str]],
    *,
    id_column: str = "",
    embedder: Embedder | None = None,
) -> None:
    """A workspace with these records; without a column of ids, their rows are their ids.

    Args:
        embedder: that makes the vectors; default: the static one.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    pairs = folder.with_suffix(".jsonl")
    with pairs.open("w", encoding="utf-8") as file:
        for record in records:
            file.write(json.dumps(record) + "\n")
    files = IngestFiles([pairs], options=ImportOptions(id_column=id_column))
    with tui_annotate.create(folder) as workspace:
        ingest = workspace.ingest_service
        if embedder is not None:
            ingest = replace(ingest, load=lambda *_, **__: embedder)
        ingest.run(files, embedder=embedder.name if embedder else "static")
