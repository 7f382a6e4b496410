"""What the commands that write data files share: their options, and their report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypedDict

import typer

from tui_annotate.cli import output
from tui_annotate.cli.options import Offsets, flag, option
from tui_annotate.cli.report_parts import MessagePart, NotePart, Part
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.plugins.traits import RecordTrait

if TYPE_CHECKING:
    from tui_annotate.plugins.protocols import ExportReport

_ANSWERS_FORMAT: Final = "suggestions"
"""Name of the format that writes answers to suggestions, without other samples."""


class WrittenData(TypedDict):
    """What was written to a file.

    Attributes:
        answers: number of answers to suggestions, of `--to suggestions`.
        lost: numbers of the data that the format does not keep, by kind.
        adjudicated: number of reviewers' annotations among those that the format was given.
        left_out: numbers of annotators' samples that a format for training did not get, as they are
            not completed, by state.
    """

    file: Path | None
    format: str
    samples: int
    annotations: int
    answers: int
    lost: dict[str, int]
    adjudicated: int
    left_out: dict[str, int]


LayerOption = Annotated[
    str,
    option(
        "--layer",
        "LAYER",
        "Whose annotations to write for each sample: adjudicated (of reviewers), majority (made by "
        "more than half of the annotators), all (of every annotator, without adjudicated ones), or "
        "the name of one person. Default: all work; required by formats with one set of "
        "annotations for each sample.",
    ),
]
WrittenOffsetsOption = Annotated[
    Offsets,
    typer.Option(
        "--offsets", help="Unit of offsets in autojudge files; autojudge's own web page uses utf16."
    ),
]
UnratedOption = Annotated[
    bool, flag("--include-unrated", "Write samples without a rating to autojudge files too.")
]
BomOption = Annotated[
    bool,
    flag("--bom", "Begin CSV files with a byte order mark, so that Excel reads them as UTF-8."),
]
StrictOption = Annotated[
    bool, flag("--strict", "Exit with code 3 if the output format does not keep all data.")
]


def refuse_mixed_output(target: Path | None, *, as_json: bool) -> None:
    """Raise InvalidInput if `--json` and the data (`target` is None) both go to standard output."""
    if as_json and target is None:
        raise InvalidInput(
            "--json and the data would both go to standard output", "write the data to a file"
        )


def print_conversion(
    report: ExportReport,
    written: str,
    target: Path | None,
    *,
    as_json: bool = False,
    counts: Mapping[str, object],
    more_states: str,
    kept_in: str,
) -> None:
    """Print how much was written to a file, what was left out, and what its format does not keep.

    `written`: name of the format. `target`: None for standard output. `counts`: further fields of
    the JSON object. `more_states`: the option that also writes work that is not completed.
    `kept_in`: what still has the data that the format does not keep.
    """
    value: WrittenData = {
        "file": target,
        "format": written,
        "samples": report.records,
        "annotations": report.annotations,
        "answers": report.answers,
        "lost": dict(report.lost),
        "adjudicated": report.adjudicated,
        "left_out": dict(report.left_out),
    }
    output.show(
        {**value, **counts},
        _describe_conversion(report, written, target, more_states=more_states, kept_in=kept_in),
        as_json=as_json,
    )


def _describe_conversion(
    report: ExportReport, written: str, target: Path | None, *, more_states: str, kept_in: str
) -> Iterator[Part]:
    samples = output.many(report.records, "sample")
    where = f" to {target}" if target else ""
    written_work = output.many(report.annotations, "annotation")
    if report.answers:
        written_work = output.many(report.answers, "answer")
    if written == _ANSWERS_FORMAT and not report.answers:
        yield MessagePart(
            f"wrote nothing{where}: the selected samples have no answer to a suggestion",
            "import suggestions with tui-annotate suggestions import FILE --maker NAME; annotators"
            " answer them on the screen",
        )
    else:
        yield NotePart(f"wrote {written_work} of {samples}{where}")
    if 0 < report.adjudicated < report.annotations:
        yield MessagePart(
            f"{output.many(report.annotations - report.adjudicated, 'annotation')} by annotators,"
            f" {report.adjudicated:,} adjudicated by reviewers; to write only one kind, add"
            " --layer all (annotators) or --layer adjudicated"
        )
    if report.left_out:
        states = ", ".join(f"{count:,} {state}" for state, count in report.left_out.items())
        yield MessagePart(
            f"{written} is a format for training, so work that is not completed is left out"
            f" ({states}); to write it, too, add {more_states}"
        )
    lost = dict(report.lost)
    if unread := lost.pop(RecordTrait.UNREAD.value, 0):
        have = "has" if unread == 1 else "have"
        yield MessagePart(
            f"{output.many(unread, 'sample')} {have} no work that {written} keeps, and"
            f" {'is' if unread == 1 else 'are'} not in {target or 'the output'}"
        )
    if lost:
        yield MessagePart(
            f"{written} does not keep these data; {kept_in} still has them, and the format native"
            " keeps all:"
        )
        yield from (MessagePart(f"  {kind}: {count:,}") for kind, count in lost.items())
