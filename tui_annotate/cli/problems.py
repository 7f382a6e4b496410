"""Problems of records: the option `--problems`, the first ones in full, and totals by kind."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, TextIO

from tui_annotate.cli import output
from tui_annotate.cli.options import option
from tui_annotate.cli.report_parts import MessagePart, Part
from tui_annotate.domain.errors import InvalidInput, TuiAnnotateError, Unavailable
from tui_annotate.domain.records import Problem, count_kind
from tui_annotate.domain.strict_json import encode_strict
from tui_annotate.plugins.files.targets import open_output

ProblemsOption = Annotated[
    Path | None,
    option("--problems", "FILE", "File to write with all problems, one JSON object per line."),
]


SHOWN_PROBLEMS = 20
_LONGEST_LINE = 1_000_000  # bytes of the first line that are read of a file of problems


@contextmanager
def write_problems(file: Path | None, *others: Path | None) -> Iterator[Callable[[Problem], None]]:
    """Open the file of `--problems`, if any; return a function that writes a problem to it.

    The file appears when the import ends, also with an error that follows from its problems. Any
    other error leaves an existing file as it is. If the file cannot be written at the end, the
    command still prints its report, and then an error.

    Raises:
        InvalidInput: the file is one of `others`, the command's other files, or standard output; or
            it exists and is no file of problems: an import may read more files than its command
            names.
    """
    if file is None:
        yield lambda _: None
        return
    if file == Path("-") or file.absolute() in {other.absolute() for other in others if other}:
        message = f"--problems {file} is standard output, or another file of this command"
        raise InvalidInput(message, "write the problems to a file of their own")
    if file.is_file() and not _is_problem_file(file):
        raise InvalidInput(
            f"--problems {file} exists, and is not a file of problems",
            "name a new file, or delete this one",
        )
    lines = _ProblemLines()
    try:
        with open_output(file) as lines.target:
            try:
                yield lines.write
            except TuiAnnotateError as error:
                if not lines.count:
                    raise
                lines.failure = error  # raised once the file is complete
            lines.has_all = True
            if lines.lost is not None:
                raise lines.lost
    except Unavailable as error:
        if not lines.has_all:  # nothing was imported, or an error of the import itself
            raise
        output.defer_error(
            Unavailable(
                f"the list of problems is not written: {error.message}",
                "the rest of the command is done; to write the list, run the command again with"
                " another file for --problems",
            )
        )
    if lines.failure is not None:
        raise lines.failure


def _is_problem_file(file: Path) -> bool:
    """Return whether a file is empty, or begins with a problem as `_ProblemLines` writes it."""
    with file.open("rb") as lines:
        first = lines.readline(_LONGEST_LINE)
    try:
        value = json.loads(first) if first.strip() else {"where": "", "message": ""}
    except ValueError:
        return False
    return isinstance(value, dict) and {"where", "message"} <= value.keys()


@dataclass(slots=True)
class _ProblemLines:
    """Writer of problems as lines of JSON.

    Attributes:
        has_all: whether the import has ended, so that only the file can cause an error.
        failure: the error that ended the import after its problems.
        lost: why a line could not be written; the import goes on without further lines.
    """

    target: TextIO = field(default_factory=io.StringIO)
    count: int = 0
    has_all: bool = False
    failure: TuiAnnotateError | None = None
    lost: OSError | None = None

    def write(self, problem: Problem) -> None:
        """Write a problem as one line."""
        self.count += 1
        if self.lost is not None:
            return
        line, _ = encode_strict(asdict(problem) | {"hint": output.adapt_hint(problem.hint)})
        try:
            # The name of a file may be no UTF-8: its wrong bytes become JSON escapes (\udcff).
            self.target.write(line.encode(errors="backslashreplace").decode() + "\n")
        except OSError as error:
            self.lost = error


def describe_kinds(kinds: Mapping[str, int]) -> Iterator[Part]:
    """Describe how many problems there are of each kind, if there are more than are listed."""
    if sum(kinds.values()) > SHOWN_PROBLEMS:
        yield MessagePart("problems by kind:")
        for kind, count in sorted(kinds.items(), key=lambda item: -item[1]):
            yield MessagePart(f"  {count:,}: {kind}")


class ProblemPrinter:
    """Prints the first problems and counts the rest.

    Attributes:
        log: called with each problem.
    """

    def __init__(self) -> None:
        self._count = 0
        self.refused = 0
        self.spans_refused = 0
        self.kinds: dict[str, int] = {}
        self.log: Callable[[Problem], None] = lambda _: None

    def __call__(self, problem: Problem) -> None:
        """Count a problem of a conversion, and print it if it is one of the first."""
        self._count += 1
        self.refused += problem.refused
        self.spans_refused += problem.refuses_part
        count_kind(self.kinds, problem)
        self.log(problem)
        if self._count <= SHOWN_PROBLEMS:
            taken = "" if problem.refused else " (record kept)"
            output.print_problem(f"{problem}{taken}", problem.hint)

    def end(self) -> None:
        """Print how many problems were not shown, and their totals by kind."""
        if self._count > SHOWN_PROBLEMS:
            output.print_message(f"and {output.many(self._count - SHOWN_PROBLEMS, 'more problem')}")
        output.print_parts(describe_kinds(self.kinds))
