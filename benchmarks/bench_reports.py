"""Reports of runs, read and stored: how many samples a second, and what a tenth of them takes.

50 topics, 40 runs, 30 sentences a report, 3 citations a sentence, against 5 topics: a collection of
any size takes the same memory, and the last sample of it as long as the first.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.collected import Size, written
from benchmarks.measured import measured
from benchmarks.report import Row

FEW, MANY = Size(topics=5), Size()
GROWTH = 1.4
"""Of memory and of time for a sample, for ten times as many samples."""


def rows() -> Iterator[Row]:
    """Rates, and growth of memory and time, of reading and of an ingest without vectors."""
    with TemporaryDirectory() as name:
        folders = {size: Path(name, str(size.topics)) for size in (FEW, MANY)}
        for size, folder in folders.items():
            written(folder, size)
        for what, store in {"read": "", "ingest": "store.sqlite"}.items():
            found = []
            for size, folder in folders.items():
                place = (folder / store,) if store else ()
                found.append(measured("collection", folder, *place))
                assert found[-1].count == size.samples
            few, many = found
            said = f"{MANY.samples:,} samples of reports, {what}"
            yield Row(said, many.rate, unit="a second")
            grown = f"{said}: memory ({many.megabytes:.0f} MB) against a tenth of it"
            yield Row(grown, many.megabytes / few.megabytes, GROWTH, "times")
            yield Row(f"{said}: time a sample", few.rate / many.rate, GROWTH, "times")
