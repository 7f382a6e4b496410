"""tui-annotate: mark unsupported spans of a summary, in the terminal and from Python."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from tui_annotate.domain.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Unpack

    from tui_annotate.lab.judge.api import EvaluateApiOptions, GenerateApiOptions, SortApiOptions
    from tui_annotate.lab.judge.context_order import ContextOrderResult
    from tui_annotate.lab.judge.evaluation import EvaluationResult
    from tui_annotate.lab.judge.reference_answers import ReferenceAnswer
    from tui_annotate.lab.services import ResearchServices
    from tui_annotate.settings import SettingsFlags
    from tui_annotate.workspace import Workspace

__version__ = VERSION
__all__ = ["create", "evaluate", "generate", "open", "research", "sort"]


def open(path: Path | str | None = None, **flags: Unpack[SettingsFlags]) -> Workspace:  # noqa: A001  the API's word
    """Open a workspace; see `tui_annotate.workspace.open`."""
    from tui_annotate import workspace

    return workspace.open(path, **flags)


def create(path: Path | str) -> Workspace:
    """Create a workspace; see `tui_annotate.workspace.create`."""
    from tui_annotate import workspace

    return workspace.create(path)


def research(workspace: Workspace) -> ResearchServices:
    """Return the services of the research tools with their types: those of `workspace.machines`.

    The first access to a service raises InvalidInput if its plug-in is disabled, and Unavailable if
    a package that the service needs is missing.
    """
    return cast("ResearchServices", workspace.machines)


def sort(
    questions: Sequence[str], contexts: Sequence[Sequence[str]], **how: Unpack[SortApiOptions]
) -> list[ContextOrderResult]:
    """Order the context texts of each question by relevance, with an LLM judge."""
    from tui_annotate.lab.judge import api as judging

    return judging.sort(questions, contexts, **how)


def generate(
    questions: Sequence[str], contexts: Sequence[Sequence[str]], **how: Unpack[GenerateApiOptions]
) -> list[ReferenceAnswer]:
    """Generate a reference answer to each question from the question's context texts."""
    from tui_annotate.lab.judge import api as judging

    return judging.generate(questions, contexts, **how)


def evaluate(  # noqa: PLR0917  four lists, in the order of the project RagSGE
    questions: Sequence[str],
    contexts: Sequence[Sequence[str]],
    answers: Sequence[str | None] | None = None,
    ground_truths: Sequence[str | None] | None = None,
    **how: Unpack[EvaluateApiOptions],
) -> list[EvaluationResult]:
    """Compute four scores of answers and of their context texts, with an LLM judge."""
    from tui_annotate.lab.judge import api as judging

    return judging.evaluate(questions, contexts, answers, ground_truths, **how)
