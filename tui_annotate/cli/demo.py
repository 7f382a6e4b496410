"""A workspace with example data, for `init --demo`."""

from __future__ import annotations

import shlex
import shutil
import sys
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer

from tui_annotate.cli import output, screen
from tui_annotate.cli.match import match_as_json, matches_table
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.errors import Conflict, InvalidInput, NotFound
from tui_annotate.domain.samples import SampleKey, Side
from tui_annotate.domain.spans import Span
from tui_annotate.settings import login_name, person_name

if TYPE_CHECKING:
    from tui_annotate.domain.samples import Sample
    from tui_annotate.workspace import Workspace

DATASET = "demo"
EXAMPLES = "sample_data"
PAIRS = "pairs.jsonl"
GUIDELINES = "guidelines.md"
VECTORS = "vectors.parquet"
SHOWN = 3  # number of matches printed for each selection
_IDS = uuid.UUID("6b1f3f0a-9a57-4a8e-8f0e-6a3f6f0d9a11")


@dataclass(frozen=True, slots=True)
class Selection:
    """Words of a summary to select, and to annotate with their `evidence` if `label` is given."""

    sample: str
    words: str
    label: tuple[str, ...] = ()
    evidence: str = ""
    note: str = ""


SELECTIONS = (
    Selection(
        "bridge-1",
        "15 million pounds",
        ("Unwanted", "Intrinsic"),
        "12 million pounds",
        "12, not 15",
    ),
    Selection("typhoon-2", "最大风力为33级", ("Unwanted", "Intrinsic"), note="the unit is wrong"),
    Selection("bridge-3", "driving a 1936 fire engine across it"),
)


DEFAULT_FOLDER: Final = Path("demo")


def run_demo(folder: Path, *, data: Path | None = None, name: str = "") -> None:
    """Create a workspace with example data, and open it on the screen.

    An existing workspace of this kind keeps its annotations. If standard output is not a terminal,
    print the matches of three selections, add two annotations, export them, and print the names of
    the files instead.

    Args:
        data: folder that contains other example data; None for the program's examples.
        name: name of the annotator; empty for the login name.
    """
    name = name or login_name()
    with _open_demo(folder, data or find_example_data()) as space:
        path = space.path
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            _print_all_steps(space, name)
            return
    code = screen.annotate(path, name=name, remembered=False)
    _print_annotate_command(path, name)
    raise typer.Exit(code)


def find_example_data() -> Path:
    """Return the folder of example data, of the installed package or of a clone."""
    package = Path(__file__).parents[1]
    installed = package / EXAMPLES
    clone = package.parent / EXAMPLES
    return installed if installed.is_dir() else clone


def _open_demo(folder: Path, data: Path) -> Workspace:
    from tui_annotate import workspace as workspaces
    from tui_annotate.plugins.protocols import ImportOptions
    from tui_annotate.services.ingest import VectorOptions
    from tui_annotate.settings import WORKSPACE_FILE, require_own_workspace

    pairs = data / PAIRS
    if not pairs.is_file():
        hint = f"pass a folder that contains {PAIRS} with --data"
        raise NotFound(f"example data not found: {pairs}", hint)
    if folder == DEFAULT_FOLDER:
        require_own_workspace(folder.absolute(), by_option=False)
    exists = (folder / WORKSPACE_FILE).exists()
    space = workspaces.open(folder) if exists else workspaces.create(folder)
    guidelines = data / GUIDELINES
    if guidelines.is_file() and not (space.path / GUIDELINES).exists():
        (space.path / GUIDELINES).write_text(guidelines.read_text("utf-8"), "utf-8")
    columns = ImportOptions(dataset=DATASET, id_column="id", group_column="group")
    file = data / VECTORS
    vectors = VectorOptions(
        first=space.settings.embedder, prepared=file if file.is_file() else None
    )
    with output.show_progress("records") as progress:
        report = space.ingest(
            pairs, format="pairs", options=columns, embedder=vectors, progress=progress
        )
    if report.refused or report.files_refused:
        space.close()
        refused = next(each for each in report.problems if each.refused)
        raise InvalidInput(f"the example data is damaged: {refused}", refused.hint)
    for note in report.notes:
        output.print_message(note)
    output.print_note(
        f"{output.many(report.added, 'sample')} added, {report.known:,} already known"
    )
    return space


def _print_all_steps(space: Workspace, name: str) -> None:
    person = space.person(name)
    for number, selection in enumerate(SELECTIONS, 1):
        _print_matches(space, selection, number)
    added = _annotate_once(space, person.id)
    target = space.path / "annotations.json"
    report = space.export(target, format="mercury", dataset=DATASET)
    output.print_line("")
    annotations = output.many(added, "annotation")
    output.print_line(f"{annotations} added by {person.name}; total: {report.annotations}")
    files = {"labels": space.path / "labels.yaml", "annotations": target}
    output.print_facts(
        {name: str(path) for name, path in ({"workspace": space.path} | files).items()}
    )
    _print_annotate_command(space.path, name)


def _print_annotate_command(folder: Path, name: str) -> None:
    back = f"{_program_name()} annotate -w {shlex.quote(str(folder))}"
    if name != person_name(folder):
        back += f" --as {shlex.quote(name)}"
    output.print_line(f"annotate with: {back}")


def _program_name() -> str:
    called = Path(sys.argv[0])
    if not called.is_file() or called.suffix == ".py":
        return f"{shlex.quote(sys.executable)} -m tui_annotate"
    found = shutil.which(called.name)
    is_on_path = found is not None and Path(found).samefile(called)
    return called.name if is_on_path else shlex.quote(str(called))


def _print_matches(space: Workspace, selection: Selection, number: int) -> None:
    key = SampleKey(DATASET, selection.sample)
    span = _find_span(space.corpus.sample(key).sample.document(Side.SUMMARY).text, selection.words)
    found = space.match(key, side=Side.SUMMARY, span=span, top=SHOWN)
    output.print_line(f"{number}. {selection.sample}: {selection.words}   ({found.signals})")
    rows = [match_as_json(match, found.sample, Side.SOURCE) for match in found.matches]
    output.print_parts([matches_table(rows)])
    output.print_line("")


def _find_span(text: str, words: str) -> Span:
    start = text.find(words)
    if start < 0:
        raise NotFound(
            f"the example data lacks {words!r}",
            "use the example data of this version of the program",
        )
    return Span(start, start + len(words))


def _annotate_once(space: Workspace, person: str) -> int:
    mark = f"demo:{person}"
    if space.corpus.setting(mark):
        return 0
    added = sum(_annotate(space, person, each) for each in SELECTIONS if each.label)
    space.corpus.set_setting(mark, "annotated")
    return added


def _annotate(space: Workspace, person: str, selection: Selection) -> bool:
    key = SampleKey(DATASET, selection.sample)
    sample = space.annotate.open(person, key).sample
    annotation = Annotation(
        str(uuid.uuid5(_IDS, f"{person}/{selection.sample}")),
        claim=_make_anchors(sample, Side.SUMMARY, selection.words),
        evidence=_make_anchors(sample, Side.SOURCE, selection.evidence),
        labels=(selection.label,),
        note=selection.note,
    )
    try:
        space.annotate.add(person, key, annotation, seconds=0)
    except Conflict:
        return False  # the annotation exists, or the user has marked the same words
    return True


def _make_anchors(sample: Sample, side: Side, words: str) -> tuple[Anchor, ...]:
    return (Anchor(side, 0, _find_span(sample.document(side).text, words)),) if words else ()
