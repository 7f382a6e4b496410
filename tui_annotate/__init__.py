"""tui-annotate: mark unsupported spans of a summary, in the terminal and from Python."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tui_annotate.domain.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Unpack

    from tui_annotate.services.judge import Evaluated, Generated, Sorted
    from tui_annotate.workspace import Workspace
    from tui_annotate.workspace.judging import Evaluating, Generating, Sorting

__version__ = VERSION
__all__ = ["create", "evaluate", "generate", "open", "sort"]


def open(path: Path | str | None = None, **flags: Any) -> Workspace:  # noqa: A001  the API's word
    """Opens a workspace; see `tui_annotate.workspace.open`."""
    from tui_annotate import workspace

    return workspace.open(path, **flags)


def create(path: Path | str) -> Workspace:
    """Makes a workspace; see `tui_annotate.workspace.create`."""
    from tui_annotate import workspace

    return workspace.create(path)


def sort(
    questions: Sequence[str], contexts: Sequence[Sequence[str]], **how: Unpack[Sorting]
) -> list[Sorted]:
    """A judge's order of each question's contexts; see `tui_annotate.workspace.judging.sort`."""
    from tui_annotate.workspace import judging

    return judging.sort(questions, contexts, **how)


def generate(
    questions: Sequence[str], contexts: Sequence[Sequence[str]], **how: Unpack[Generating]
) -> list[Generated]:
    """Reference answers from all contexts; see `tui_annotate.workspace.judging.generate`."""
    from tui_annotate.workspace import judging

    return judging.generate(questions, contexts, **how)


def evaluate(  # noqa: PLR0917  four lists, in the order that the project RagSGE has them
    questions: Sequence[str],
    contexts: Sequence[Sequence[str]],
    answers: Sequence[str | None] | None = None,
    ground_truths: Sequence[str | None] | None = None,
    **how: Unpack[Evaluating],
) -> list[Evaluated]:
    """Four scores of answers and contexts; see `tui_annotate.workspace.judging.evaluate`."""
    from tui_annotate.workspace import judging

    return judging.evaluate(questions, contexts, answers, ground_truths, **how)
