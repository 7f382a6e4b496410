"""Workspaces for benchmarks: made of invented text of a wanted length, the same each time."""

from __future__ import annotations

import json
import random
from pathlib import Path

import tui_annotate

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


def workspace_of(folder: Path, *, samples: int = 1, length: int = 200_000) -> None:
    """A workspace with some samples, each with a source of `length` characters of its own."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    pairs = folder.with_suffix(".jsonl")
    with pairs.open("w", encoding="utf-8") as file:
        for seed in range(samples):
            pair = {"source": prose(length, seed), "summary": prose(600, seed + samples)}
            file.write(json.dumps(pair) + "\n")
    with tui_annotate.create(folder) as workspace:
        workspace.ingest(pairs)
