"""Which judge is asked: options first, then the settings of the workspace."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tui_annotate.plugins import registry
from tui_annotate.settings import Settings

if TYPE_CHECKING:
    from tui_annotate.plugins.judges import Judge, ReplyCache
    from tui_annotate.workspace import Workspace

PROMPTS = "prompts"
NO_ENDPOINT = "http://localhost"
"""The name of the endpoint where no request is sent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeConfig:
    """The judge to ask as `llm:MODEL`, and its settings.

    Attributes:
        language: of the prompts; empty: that of each question.
        folders: of a user's prompts, the first one first.
    """

    judge: str
    base_url: str
    language: str = ""
    folders: tuple[Path, ...] = ()
    concurrency: int = 4

    def load(self, replies: ReplyCache | None) -> Judge:
        """Load the judge, which keeps its replies in `replies`; None for memory only."""
        return registry.load_judge(
            self.judge, base_url=self.base_url, replies=replies, concurrency=self.concurrency
        )


def choose_judge(
    settings: Settings, *, model: str = "", base_url: str = "", **others: Any
) -> JudgeConfig:
    """Choose the judge: options take precedence over settings."""
    named = model or settings.judge_model
    return JudgeConfig(judge=f"llm:{named}", base_url=base_url or settings.judge_url, **others)


def load_named_judge(
    space: Workspace, model: str, *, base_url: str, concurrency: int = 4, unasked: bool = False
) -> Judge:
    """Load the judge of options and settings; its replies are stored in the workspace.

    `unasked`: no request will be sent, so that no address is needed.

    Raises:
        InvalidInput, Unavailable: model or address is missing; its library is missing.
    """
    nowhere = NO_ENDPOINT if unasked and not space.settings.judge_url else ""
    config = choose_judge(
        space.settings, model=model, base_url=base_url or nowhere, concurrency=concurrency
    )
    return config.load(space.machines.replies)


def prompt_folders(space: Workspace, chosen: Path | None) -> tuple[Path, ...]:
    """Return the folders of a user's own prompts: a named one, then that of the workspace."""
    own = space.path / PROMPTS
    return (chosen, own) if chosen else (own,)
