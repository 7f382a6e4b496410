"""The command `ingest`, which imports texts."""

from __future__ import annotations

import re
import shlex
import sys
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tui_annotate.cli import options, output
from tui_annotate.cli.endpoint_trust import require_trust
from tui_annotate.cli.help_format import CORE
from tui_annotate.cli.hints import ADD_LABELS
from tui_annotate.cli.option_groups import OptionGroup
from tui_annotate.cli.options import add_command, flag, open_workspace
from tui_annotate.cli.output import DONE_IN_PART
from tui_annotate.cli.problems import ProblemsOption, describe_kinds, write_problems
from tui_annotate.cli.report_parts import MessagePart, NotePart, Part, ResultPart
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import Permission, Person, PersonKind
from tui_annotate.domain.similar_names import name_skeleton
from tui_annotate.plugins.files.inputs import copy_standard_input, has_input
from tui_annotate.plugins.files.streams import hint_for_missing

if TYPE_CHECKING:
    from tui_annotate.domain.records import Problem
    from tui_annotate.plugins.protocols import EmbeddingCost
    from tui_annotate.services.ingest import IngestReport

SHOWN_PROBLEMS = 20
MAX_PLACES_OF_FILE = 3
"""Maximum number of positions in each file that are listed after a problem's first position."""
MAX_PLACES_WIDTH = 160
"""Maximum length, in characters, of a problem's message and positions together."""
_RECORD_POSITION = re.compile(r":\d+$|, (?:record|row|sample) \d+$")
"""End of the position of a record; other positions are of a whole file, folder or sheet."""
_ReadOptions = Annotated[
    options.ReadOptions,
    OptionGroup(
        dataset=options.DatasetOption,
        **options.COLUMN_OPTIONS,
        **options.COLLECTION_OPTIONS,
        offsets=options.OffsetsOption,
        everyone_read=options.EveryoneReadOption,
        spans_as=typer.Option(
            "--spans-as",
            help="What the spans of --span-column become. Labels of suggestions must be in the "
            "label set.",
        ),
        **options.TEXT_OPTIONS,
    ),
]
_DryOption = Annotated[
    bool,
    flag(
        "--dry-run",
        "Read all files, print what the import would add and what its vectors would cost, and store"
        " nothing.",
    ),
]
_MOST_SIMILAR = 10
"""Maximum number of notes about people with similar names."""
_SEVERAL_DATASETS = (
    "Each file is a dataset of its own. To import all files as one dataset, pass their folder, or "
    "--dataset NAME."
)


def register(app: typer.Typer) -> None:
    add_command(
        app,
        ingest,
        "ingest pairs.csv",
        "ingest --source-column article --summary-column answer data.jsonl.gz",
        "ingest --dry-run --strict pairs.csv",
        "ingest --embedder remote:m --base-url http://localhost:11434/v1 a.csv",
        "ingest runs --from autojudge --topics topics.jsonl",
        panel=CORE,
    )


def ingest(
    files: options.FilesArgument,
    *,
    format_name: options.FormatOption = "",
    given: _ReadOptions,
    about: options.DescriptionOptions,
    vectors: options.ChosenEmbedder,
    dry_run: _DryOption = False,
    problems: ProblemsOption = None,
    strict: Annotated[
        bool,
        flag(
            "--strict", "Store all records or none: one refused record or span prevents the import."
        ),
    ] = False,
    common: options.CommonOptions,
) -> None:
    """Import texts from files.

    A file has a record (row or JSON object) for each summary, with its source; the columns are
    found by their names and contents. Files of annotation tools are imported with their
    annotations. Importing a file again adds only what is new. After an interruption, the same
    command continues the import.

    Exit code: 0 if all is stored, 3 if some records or spans were refused, 2 if nothing is stored.
    """
    with (
        open_workspace(common.workspace, needs=Permission.MANAGE) as space,
        open_inputs(files) as paths,
        write_problems(problems, *files) as log,
    ):
        reading = options.import_options(
            given,
            files=paths,
            format_name=format_name,
            language=given.language or space.settings.language,
            about=about.description,
            **options.earlier_imports(space),
        )
        chosen = vectors.vector_options(space)
        if not dry_run:
            require_trust(chosen.trust, space.ingest_service.sets.unnamed_url(chosen))
        known = {each.id for each in space.people.all()}
        with output.show_progress("records") as progress:
            report = space.ingest(
                *paths,
                format=format_name,
                options=reading,
                strict=strict,
                dry_run=dry_run,
                progress=progress,
                problem=log,
                embedder=chosen,
            )
        report.notes += _describe_similar_names(
            space.people.all(), known, needs_account=space.team.members.required()
        )
    note = _SEVERAL_DATASETS if 1 < len(files) == report.added and not given.dataset else ""
    print_ingest(report, as_json=common.as_json, base_url=vectors.base_url, note=note)


def _describe_similar_names(
    people: Sequence[Person], known: Container[str], *, needs_account: bool
) -> list[str]:
    """Return notes about new people whose name is equal to another name, or looks like it.

    `needs_account`: the workspace has accounts, so that only a person with an account owns work.
    """
    alike: dict[str, list[Person]] = {}
    for person in people:
        if person.kind in (PersonKind.LOCAL, PersonKind.IMPORTED, PersonKind.ACCOUNT):
            alike.setdefault(name_skeleton(person.name), []).append(person)
    notes = []
    for same in alike.values():
        new = [each for each in same if each.id not in known]
        if not new or len(same) < 2:
            continue
        shown = ", ".join(f"{each.name!r} ({each.id})" for each in same)
        # The work of an imported person goes to one who was there before, best to a user.
        owner = min(same, key=lambda each: (each.kind is PersonKind.IMPORTED, each in new))
        commands = [
            f"tui-annotate users merge {shlex.quote(each.id)} {shlex.quote(owner.id)}"
            for each in new
            if each != owner
        ]
        if needs_account and owner.kind is not PersonKind.ACCOUNT:
            commands.insert(
                0,
                f"tui-annotate users create --name {shlex.quote(owner.name)} --email ADDRESS"
                f" --invite --link-imported {shlex.quote(owner.id)}",
            )
        notes.append(
            f"several people have the same or a similar name: {shown}; if they are one person,"
            f" run: {'; '.join(map(output.add_workspace, commands))}"
        )
    more = len(notes) - _MOST_SIMILAR
    if more > 0:
        notes[_MOST_SIMILAR:] = [
            f"and {more:,} more; list all people with: tui-annotate users list --all"
        ]
    return notes


@contextmanager
def open_inputs(files: Sequence[Path]) -> Iterator[list[Path]]:
    """Return the files to read; `-` becomes a copy of standard input; see `require_inputs`."""
    with copy_standard_input(files, sys.stdin.buffer) as paths:
        require_inputs(paths)
        yield paths


def require_inputs(paths: Sequence[Path]) -> None:
    """Raise InvalidInput if a file does not exist, or no file matches a pattern."""
    absent = [path for path in paths if not has_input(path)]
    if absent:
        hint = f"nothing was stored; {hint_for_missing(absent[0])}"
        raise InvalidInput(f"file not found: {', '.join(map(str, absent))}", hint)


def print_ingest(
    report: IngestReport, *, as_json: bool, base_url: str = "", note: str = ""
) -> None:
    """Print the result of an import, and exit with its exit code unless that is 0.

    `base_url`: endpoint that the user named, which a suggested command needs, too. `note`: a note
    before the result, unless it is printed as JSON.
    """
    if code := print_report(report, as_json=as_json, base_url=base_url, note=note):
        raise typer.Exit(code)


def print_report(
    report: IngestReport, *, as_json: bool = False, base_url: str = "", note: str = ""
) -> int:
    """Print the result of an import as `print_ingest` does; return its exit code."""
    text = chain([NotePart(note)] if note else (), _describe_import(report, base_url=base_url))
    output.show(_import_as_json(report), text, as_json=as_json)
    code: int = {"all": 0, "some": DONE_IN_PART, "none": 2}[report.outcome.value]
    return DONE_IN_PART if report.failed and not code else code


def _import_as_json(report: IngestReport) -> dict[str, Any]:
    fields = asdict(report)
    for problem in fields["problems"]:
        problem["hint"] = output.adapt_hint(problem["hint"])
    return {**fields, "outcome": report.outcome.value}


def _describe_import(report: IngestReport, *, base_url: str) -> Iterator[Part]:
    yield from _describe_problems(report)
    yield from map(MessagePart, report.notes)
    yield ResultPart(_summarise(report), always=report.dry_run or report.strict)
    yield describe_cost(report.cost, report.embedder)
    yield from describe_failed_texts(report, base_url=base_url)
    if report.annotations_with_unknown_labels:
        annotations = output.many(report.annotations_with_unknown_labels, "annotation")
        labels = output.many(report.unknown_labels, "label")
        datasets = report.datasets_with_unknown_labels
        dataset = f" --dataset {shlex.quote(datasets[0])}" if len(datasets) == 1 else ""
        yield MessagePart(
            f"warning: {annotations} with {labels} not in the label set",
            f"tui-annotate labels normalize --dry-run{dataset}; {ADD_LABELS}",
        )
    if report.embedder_note:
        yield NotePart(report.embedder_note)


def describe_failed_texts(report: IngestReport, *, base_url: str = "") -> Iterator[Part]:
    """Describe which sentences have no vector, as the embedder failed for them."""
    if not report.failed:
        return
    for each in report.failed_texts[:SHOWN_PROBLEMS]:
        document = f" {each.document}" if each.document else ""
        yield MessagePart(
            f"{each.dataset}/{each.sample}, {each.side}{document}, characters {each.start:,} to"
            f" {each.end:,}: {each.reason}"
        )
    more = report.failed - SHOWN_PROBLEMS
    if more > 0:
        listed = len(report.failed_texts)
        which = "them" if listed == report.failed else f"the first {listed:,}"
        yield MessagePart(f"and {more:,} more; list {which} with --json")
    # An endpoint that only the workspace names may receive no texts.
    endpoint = f" --base-url {shlex.quote(base_url)}" if base_url else ""
    yield MessagePart(
        f"warning: {output.many(report.failed, 'sentence')} without a vector: the embedder failed",
        f"compute the missing vectors with: tui-annotate lab vectors rebuild --missing{endpoint}",
    )


def _describe_problems(report: IngestReport) -> Iterator[Part]:
    alike: dict[tuple[str, str, bool], list[Problem]] = {}
    for problem in report.problems:
        alike.setdefault((problem.message, problem.hint, problem.refused), []).append(problem)
    shown = list(alike.values())[:SHOWN_PROBLEMS]
    hinted = ""
    whole = len(report.problems) == report.problem_count
    for same in shown:
        first = same[0]
        kept = not first.refused and _RECORD_POSITION.search(first.where)
        line = f"{first}{' (sample stored)' if kept else ''}"
        places = (each.where for each in same)
        line += _list_other_places(places, width=MAX_PLACES_WIDTH - len(line), listed=whole)
        yield MessagePart(line, first.hint if first.hint != hinted else "")
        hinted = first.hint
    more = report.problem_count - sum(map(len, shown))
    if more:
        yield MessagePart(f"and {more:,} more; write all to a file with --problems FILE")
    yield from describe_kinds(report.problem_kinds)


def _list_other_places(places: Iterable[str], *, width: int, listed: bool) -> str:
    """Return other positions of a repeated problem in brackets, or ""."""
    first, *others = dict.fromkeys(places)
    shown: list[str] = []
    counts: Counter[str] = Counter()
    last, _ = _split_place(first)
    for place in others:
        file, line = _split_place(place)
        short = line if file == last else place
        fits = sum(map(len, shown)) + 2 * len(shown) + len(short) <= width
        if not shown or (fits and counts[file] < MAX_PLACES_OF_FILE):
            shown.append(short)
            counts[file] += 1
            last = file
    if not shown:
        return ""
    more = len(others) - len(shown)
    others_shown = ", ".join(shown)
    if not more:
        return f" (also {others_shown})"
    hint = "; list all with --json" if listed else ""
    return f" (also {others_shown} and {more:,} more{hint})"


def _split_place(place: str) -> tuple[str, str]:
    found = re.fullmatch(r"(.*?)(:\d+|, (?:record|row|sheet) .+)", place, re.DOTALL)
    return (found[1], found[2].removeprefix(", ")) if found else ("", place)


def describe_cost(cost: EmbeddingCost | None, embedder: str) -> str | None:
    """Describe the estimated cost of embedding; None if texts were embedded instead."""
    if cost is None:
        return None
    return (
        f"nothing was sent to {embedder}; computing the vectors would need calls:"
        f" {cost.calls:,}; characters: {cost.characters:,}; tokens: about {cost.tokens:,}"
        " (estimate: 1 per 4 ASCII characters, 1 per other character)"
    )


def _summarise(report: IngestReport) -> str:
    if report.strict:
        refused = [output.many(report.files_refused, "file")] if report.files_refused else []
        refused += [output.many(report.refused, "record")] if report.refused else []
        refused += (
            [output.many(report.spans_refused, "span or field", "spans or fields")]
            if report.spans_refused
            else []
        )
        return f"nothing was stored (--strict): {' and '.join(refused)} refused"
    if report.dry_run:
        return f"dry run, nothing was stored; the import would {_describe_plan(report)}"
    line = _describe_counts(report)
    stored = report.added or report.known or report.replaced or report.deleted
    return f"{line} ({report.seconds:.1f} s)" if stored else line


def _describe_plan(report: IngestReport) -> str:
    """Describe what the import that a dry run tried would add and refuse."""

    def add(count: int, noun: str, *, known: int) -> str:
        stored = f" ({known:,} {'is' if known == 1 else 'are'} stored already)" if known else ""
        return f"add {output.many(count, noun)}{stored}"

    if not (report.added or report.known or report.replaced or report.deleted):
        problems = report.refused + report.files_refused
        found = output.many(problems, "problem") if problems else "no records found"
        return f"add no samples: {found}"
    refused = (
        (report.refused, "record", "records"),
        (report.files_refused, "file", "files"),
        (report.spans_refused, "span or field", "spans or fields"),
    )
    parts = [add(report.added, "sample", known=report.known)]
    if report.replaced:
        parts.append(f"replace {report.replaced:,}")
    if report.deleted:
        parts.append(f"delete {report.deleted:,}")
    if report.annotations or report.annotations_known:
        parts.append(add(report.annotations, "annotation", known=report.annotations_known))
    if report.suggestions:
        parts.append(add(report.suggestions, "suggestion", known=0))
    parts += [f"refuse {output.many(count, *nouns)}" for count, *nouns in refused if count]
    return " and ".join(parts)


def _describe_counts(report: IngestReport) -> str:
    """Describe what an import stored and refused, in clauses of one kind of object each."""
    samples = {
        "added": report.added,
        "already known": report.known,
        "replaced": report.replaced,
        "deleted": report.deleted,
    }
    if not any(samples.values()):
        # One problem can stand for a whole file, so its samples cannot be counted.
        problems = report.refused + report.files_refused
        found = f"because of {output.many(problems, 'problem')}" if problems else "no records found"
        return f"nothing was stored{' ' if problems else ': '}{found}"
    samples["refused"] = report.refused
    parts = [
        _join_counts("sample", samples),
        _join_counts("file", {"refused": report.files_refused}),
        _join_counts("span or field", {"refused": report.spans_refused}, more="spans or fields"),
        _join_counts("suggestion", {"added": report.suggestions}),
        _join_counts(
            "annotation",
            {"added": report.annotations, "already known": report.annotations_known},
        ),
    ]
    return "; ".join(filter(None, parts))


def _join_counts(noun: str, counts: Mapping[str, int], *, more: str = "") -> str:
    """Join counts that are not 0, such as `2 samples added, 1 refused`; "" if all are 0."""
    clauses: list[str] = []
    for what, count in counts.items():
        if count:
            number = f"{count:,}" if clauses else output.many(count, noun, more)
            clauses.append(f"{number} {what}")
    return ", ".join(clauses)
