"""What machines suggest, as a bundle brings it to the folder in which it is annotated."""

from __future__ import annotations

import hashlib
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tui_annotate.domain.annotations import Annotation, well_made
from tui_annotate.domain.errors import InvalidInput, TuiAnnotateError
from tui_annotate.domain.records import Problem
from tui_annotate.plugins.exchange import bundle_file, suggestion_lines
from tui_annotate.plugins.exchange.suggestion_lines import Line

if TYPE_CHECKING:
    from tui_annotate.workspace.wiring import Workspace

_TAKEN: Final = "bundle-suggestions"
_NONE: Final = ""


def take(space: Workspace, file: Path, place: Path) -> None:
    """Makes the suggestions of a working folder those of its bundle; the same again is known.

    Args:
        file: what is named where something is wrong.
        place: where the bundle was unpacked.

    Raises:
        InvalidInput: what it holds is no suggestion, or does not stand in the texts; then the
            folder keeps what it had.
    """
    member = place / bundle_file.SUGGESTIONS
    digest = hashlib.sha256(member.read_bytes()).hexdigest() if member.exists() else _NONE
    if (space.corpus.setting(_TAKEN) or _NONE) == digest:
        return
    told = suggestion_lines.read(member) if digest != _NONE else ()
    lines = [_checked(space, file, each) for each in told]
    store = space.machines.suggestions
    for run in store.runs():
        store.forget(run=run.id)
    for _, mine in groupby(lines, key=lambda line: line[0].id):
        same = list(mine)
        store.add(same[0][0], [(key, suggestion) for _, key, suggestion in same], copied=True)
    space.corpus.set_setting(_TAKEN, digest)


def _checked(space: Workspace, file: Path, line: Line | Problem) -> Line:
    """A line whose suggestion stands in the texts that are here.

    Raises:
        InvalidInput: it does not, or is none.
    """
    if isinstance(line, Problem):
        raise InvalidInput(f"{file} is damaged: {line.message}", "ask for the file anew")
    run, key, one = line
    try:
        if (one.run, one.maker) != (run.id, run.maker) or not one.id:
            raise InvalidInput("it is of another run", "ask for the file anew")
        well_made(Annotation("x", one.claim, one.evidence), space.corpus.sample(key).sample)
    except TuiAnnotateError as error:
        told = f"{file} is damaged: suggestion {one.id}: {error.message}"
        raise InvalidInput(told, "ask for the file anew") from error
    return line
