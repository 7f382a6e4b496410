"""Choice of a judge model by the options of a command or the arguments of a Python function."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeChoice:
    """A judge model with its endpoint, prompts and cached replies.

    Attributes:
        model, base_url: name and address of the model; the settings' if empty.
        language: language of the prompts, "en" or "zh"; empty: the language of each question.
        prompts: folder with the user's prompts, which precede those of a workspace.
        cache: file that caches the replies, instead of the user's cache.
        no_cache: neither use nor store cached replies.
        concurrency: maximum number of requests at a time.
        timeout: time limit of a request in seconds; None: the judge's own.
        max_retries: maximum number of repetitions of a request after temporary errors; None: the
            judge's own.
    """

    model: str = ""
    base_url: str = ""
    language: str = ""
    prompts: Path | None = None
    cache: Path | None = None
    no_cache: bool = False
    concurrency: int = 4
    timeout: float | None = None
    max_retries: int | None = None
