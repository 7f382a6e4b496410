"""Questions with their right answer and generated ones, as the project Dreamcatcher has them.

An answer is the summary of its sample, the right one the source; rival ones are a group.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, TextIO

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.records import Problem, Record
from tui_annotate.plugins.admission import Seen, dataset_name, problem
from tui_annotate.plugins.files.json_values import json_values
from tui_annotate.plugins.formats.generations.names import ABOUT, FORMAT, PREFERENCES
from tui_annotate.plugins.formats.generations.reading import records
from tui_annotate.plugins.formats.generations.writing import rows
from tui_annotate.plugins.losses import Tally
from tui_annotate.plugins.protocols import ExportOptions, ImportOptions, Report


class GenerationsFormat:
    """A row a question, with all that models answered; scores and ranks in it."""

    name = FORMAT
    about = ABOUT

    def read(self, path: Path, options: ImportOptions) -> Iterator[Record | Problem]:
        """One record for each normal answer, in their order; see `Importer.read`.

        Args:
            path: JSON lines, or an array.
            options: for the dataset's name, the language, the encoding, the column of ids.
        """
        dataset = dataset_name(path, options.dataset)
        with closing(Seen()) as seen:
            for value in json_values(path, encoding=options.encoding, meter=options.meter):
                if isinstance(value, Problem):
                    yield value
                    continue
                where, number = value.where, value.number - 1
                try:
                    found, doubts = records(
                        value.value, options, dataset=dataset, number=number, where=where
                    )
                    group = found[0].sample.group
                    if (before := seen.first(group, where)) != where:
                        raise InvalidInput(f"id {group} was given at {before} already")
                    yield from found
                    yield from (Problem(where, doubt, refused=False) for doubt in doubts)
                except InvalidInput as error:
                    yield problem(where, error)

    def write(self, records: Iterable[Record], target: TextIO, options: ExportOptions) -> Report:
        """A line a question; see `Exporter.write`."""
        report = Report()
        tally = Tally(self.about, report, own=FORMAT)
        for row in rows(records, options, tally=tally, report=report):
            _line(target, row.fields)
        return report


class PreferencesFormat:
    """What a model is trained by: a question, and two or three answers, the best first."""

    name = "preferences"
    about = PREFERENCES

    def write(self, records: Iterable[Record], target: TextIO, options: ExportOptions) -> Report:
        """A line for each question with two answers to hold against one another at least.

        Raises:
            See `Exporter.write`.
        """
        report = Report()
        tally = Tally(self.about, report)
        for row in rows(records, options, tally=tally, report=report):
            if len(row.chosen) < 2:
                report.lose("questions without two answers to hold against one another")
                continue
            query = [{"role": "human", "text": row.fields["question"]}]
            texts = [each["text"] for each in row.chosen]
            _line(
                target,
                {"query": query, "preference": texts, "task": row.fields.get("category", "")},
            )
        return report


def _line(target: TextIO, row: dict[str, Any]) -> None:
    target.write(json.dumps(row, ensure_ascii=False))
    target.write("\n")
