"""Functions that an import calls while it runs."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from tui_annotate.domain.progress import TaskProgress, replies_from
from tui_annotate.domain.records import Problem
from tui_annotate.services.ingest.embed_job import EmbeddingProgress


@dataclass(frozen=True, slots=True)
class IngestCallbacks:
    """Functions to which an ingest reports its progress and the problems in files."""

    progress: Callable[[TaskProgress], None] | None = None
    problem: Callable[[Problem], None] | None = None

    def time_embedding(self) -> EmbeddingProgress:
        """Return a function that reports the progress of vectors, with the time from now on."""
        began = time.monotonic()

        def report(documents: int, share: float, host: str) -> None:
            if self.progress is not None:
                self.progress(
                    TaskProgress(
                        "vectors",
                        documents,
                        share=share,
                        seconds=time.monotonic() - began,
                        waiting=replies_from(host),
                    )
                )

        return report
