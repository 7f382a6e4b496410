"""The option `--problems`, and the totals of problems by kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from tui_annotate.cli import output
from tui_annotate.cli.options import option
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.records import Problem
from tui_annotate.plugins.files.targets import open_output
from tui_annotate.plugins.json_records import write_json_line

ProblemsOption = Annotated[
    Path | None,
    option("--problems", "FILE", "File to write with all problems, one JSON object per line."),
]


@contextmanager
def write_problems(file: Path | None, *others: Path | None) -> Iterator[Callable[[Problem], None]]:
    """Open the file of `--problems`, if any; return a function that writes a problem to it.

    The file is complete even if the import fails.

    Raises:
        InvalidInput: the file is one of `others`, the command's other files, or standard output.
    """
    if file is None:
        yield lambda _: None
        return
    if file == Path("-") or file.absolute() in {other.absolute() for other in others if other}:
        message = f"--problems {file} is standard output, or another file of this command"
        raise InvalidInput(message, "write the problems to a file of their own")
    stack = ExitStack()
    target = stack.enter_context(open_output(file))

    def write(problem: Problem) -> None:
        write_json_line(target, asdict(problem) | {"hint": output.adapt_hint(problem.hint)})

    try:
        yield write
    finally:
        stack.close()


def print_kinds(kinds: Mapping[str, int]) -> None:
    """Print how many problems there are of each of several kinds, the most frequent first."""
    if sum(kinds.values()) > 1:
        output.print_message("problems by kind:")
        for kind, count in sorted(kinds.items(), key=lambda item: -item[1]):
            output.print_message(f"  {count:,}: {kind}")
