"""FaithBench's table: a sample's worst and best verdict, pooled over annotators; written only."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from typing import Final, TextIO

from tui_annotate.domain.records import Record
from tui_annotate.plugins.losses import Tally, finished
from tui_annotate.plugins.protocols import ExportOptions, Report
from tui_annotate.plugins.traits import About, Trait, plainly

COLUMNS: Final = ("source", "summary", "LLM", "worst-label", "best-label")
VERDICTS: Final = ("Consistent", "Benign", "Questionable", "Unwanted")
"""The best first: nothing found, then the top labels."""

_MODELS = ("summarizer", "model")
_FORMULA = frozenset("=+-@\t\r\n\0＝＋－＠")


class FaithBenchTable:
    """A row a sample: an annotator's verdict is the worst that they marked.

    Whoever is done and marked nothing found it consistent.
    """

    name = "faithbench-csv"
    about = About(
        title="FaithBench's table of verdicts",
        layered=True,
        carried=plainly(Trait.OVERLAP, empty="Consistent", texts="yes"),
    )

    def write(self, records: Iterable[Record], target: TextIO, options: ExportOptions) -> Report:
        """See `Exporter.write`; the spans behind the verdicts are counted as lost."""
        report = Report()
        tally = Tally(self.about, report)
        writer = csv.writer(_Lines(target))
        writer.writerow(COLUMNS)
        for record in records:
            pair = tally.pair(record)
            if pair is None or not tally.read(record):
                continue
            tally.count(record)
            verdicts = _verdicts(record, report)
            if not verdicts:
                report.lose("samples without a verdict")
                continue
            report.records += 1
            report.annotations += len(record.annotations)
            report.lose("spans behind the verdicts", len(record.annotations))
            model = next((record.sample.meta[n] for n in _MODELS if n in record.sample.meta), "")
            cells = [pair[0].text, pair[1].text, str(model)]
            if options.formula_safe:
                unsafe = [place for place, cell in enumerate(cells) if cell[:1] in _FORMULA]
                report.lose(
                    "cells with a quote before them, as they look like formulas", len(unsafe)
                )
                cells = [f"'{cell}" if at in unsafe else cell for at, cell in enumerate(cells)]
            writer.writerow([*cells, VERDICTS[max(verdicts)], VERDICTS[min(verdicts)]])
        return report


class _Lines:
    r"""Ends rows with \n; Python's writer, told to do so itself, leaves a lone \r unquoted."""

    def __init__(self, target: TextIO) -> None:
        self._target = target

    def write(self, row: str) -> int:
        """One row with its ending."""
        return self._target.write(row.removesuffix("\r\n") + "\n")


def _verdicts(record: Record, report: Report) -> list[int]:
    """The place of each annotator's verdict among all; none for whoever gave none of them."""
    tops: dict[str, set[str]] = {person: set() for person in finished(record)}
    for owned in record.annotations:
        paths = owned.annotation.labels
        tops.setdefault(owned.person, set()).update(path[0] for path in paths)
        if not paths:
            tops[owned.person].add("")
    marked = set().union(*tops.values()) if tops else set()
    report.lose("labels that are no verdict", len(marked - set(VERDICTS)))
    known = [{VERDICTS.index(top) for top in of if top in VERDICTS} for of in tops.values()]
    places = zip(tops.values(), known, strict=True)
    return [max(found) if found else 0 for all_, found in places if found or not all_]
