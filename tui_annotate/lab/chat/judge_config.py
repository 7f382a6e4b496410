"""Choice of the judge model: command options take precedence over workspace settings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tui_annotate.domain.endpoint_trust import EndpointTrust
from tui_annotate.domain.workspace_files import PROMPTS
from tui_annotate.lab.chat.reply_cache import open_replies
from tui_annotate.plugins import registry
from tui_annotate.plugins.judges import JudgeOptions
from tui_annotate.settings import Settings

if TYPE_CHECKING:
    from tui_annotate.lab.chat.judge_choice import JudgeChoice
    from tui_annotate.plugins.judges import Judge, ReplyCache
    from tui_annotate.workspace import Workspace

NO_ENDPOINT = "http://localhost"
"""Address of the model endpoint for estimates of cost, which send no request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeConfig:
    """The judge model of a command, its endpoint, its prompts and the number of requests at a time.

    Attributes:
        language: language of the prompts, "en" or "zh"; empty: the language of each question.
        trust: the endpoints that may receive texts; None if the user named `base_url`.
    """

    judge: str
    base_url: str
    language: str = ""
    folders: tuple[Path, ...] = ()
    concurrency: int = 4
    timeout: float | None = None
    max_retries: int | None = None
    trust: EndpointTrust | None = None

    def load(self, replies: ReplyCache | None) -> Judge:
        """Load the LLM judge; if `replies` is None, the judge keeps its replies in memory."""
        options = JudgeOptions(
            base_url=self.base_url,
            replies=replies,
            concurrency=self.concurrency,
            timeout=self.timeout,
            max_retries=self.max_retries,
            trust=self.trust,
        )
        return registry.load_judge(self.judge, options)


def choose_judge(
    settings: Settings,
    chosen: JudgeChoice,
    *,
    folders: tuple[Path, ...] = (),
    unasked: bool = False,
) -> JudgeConfig:
    """Choose the judge model; options take precedence over settings.

    Args:
        folders: folders with prompts, in place of the chosen one.
        unasked: the caller sends no request, so no endpoint address is required.
    """
    named = chosen.base_url
    if unasked and not (named or settings.judge_url):
        named = NO_ENDPOINT
    return JudgeConfig(
        judge=f"llm:{chosen.model or settings.judge_model}",
        base_url=named or settings.judge_url,
        language=chosen.language,
        folders=folders or ((chosen.prompts,) if chosen.prompts else ()),
        concurrency=chosen.concurrency,
        timeout=chosen.timeout,
        max_retries=chosen.max_retries,
        trust=settings.endpoints.naming(named),
    )


def load_named_judge(space: Workspace, chosen: JudgeChoice, *, unasked: bool = False) -> Judge:
    """Load the judge that options and settings name; the workspace stores its replies.

    On a terminal, the user is asked whether to trust an address that only the settings name.

    Args:
        unasked: the caller sends no request, so no endpoint address is required.

    Raises:
        InvalidInput: the model or the address is missing.
        NotAllowed: only the settings name the address, and the user does not trust it.
        Unavailable: a required library is not installed.
    """
    config = choose_judge(space.settings, chosen, unasked=unasked)
    if not unasked and config.trust is not None:
        from tui_annotate.cli.endpoint_trust import require_trust

        require_trust(config.trust, config.base_url)
    from tui_annotate.lab.chat.command_options import note_continuation

    replies = open_replies(space.machines.replies, no_cache=chosen.no_cache)
    note_continuation(replies)
    return config.load(replies)


def prompt_folders(space: Workspace, chosen: Path | None) -> tuple[Path, ...]:
    """Return the folders of a user's prompts: the chosen one before that of the workspace."""
    own = space.path / PROMPTS
    return (chosen, own) if chosen else (own,)
