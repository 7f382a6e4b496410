"""The screen on a bundle: unpacked beside it, and its work written back when the screen is left."""

from __future__ import annotations

import shlex
from pathlib import Path

from tui_annotate.cli import output, screen
from tui_annotate.cli.bundle import tell_apart
from tui_annotate.domain.errors import TuiAnnotateError


def annotate(file: Path, *, sample: str, order: str) -> int:
    """Opens the screen on a bundle, and gives the exit code.

    Raises:
        NotFound, InvalidInput, Conflict, Unavailable: the bundle can not be opened, or there is no
            terminal to draw on.
    """
    from tui_annotate.workspace import carrying

    screen.need_terminal("annotate")
    with output.progress("samples") as tell:
        folder, merged = carrying.unpacked(file, progress=tell)
    try:
        return screen.annotate(folder, name=merged.person.name, sample=sample, order=order)
    finally:
        tell_apart(merged)  # behind the screen, which would cover them
        _write_back(file, folder)


def _write_back(file: Path, folder: Path) -> None:
    """Also after an error: what was saved is in the folder, and comes to the file by the next try.

    What keeps it from the file is told, and hides no error of the screen.
    """
    from tui_annotate.workspace import carrying

    again = f"tui-annotate annotate {shlex.quote(str(file))}"
    try:
        count = carrying.write_back(file, folder)
    except TuiAnnotateError as error:
        output.complain(error)
        output.say(f"all work is in {folder}; to bring it to the file: {again}")
        return
    output.say(f"{file} has your work on {output.many(count, 'sample')}: send it back")
