"""What the reader and the writer of RAGTruth must call the same."""

from __future__ import annotations

from typing import Final

from tui_annotate.domain.samples import fingerprint
from tui_annotate.plugins.traits import OWN, About, Place, Trait, plainly

FORMAT: Final = "ragtruth"
"""Also the id of the one person whose work it holds."""
SOURCES: Final = "source_info.jsonl"
RESPONSES: Final = "response.jsonl"
OF_SOURCES: Final = ("source_id", "task_type", "source", "source_info", "prompt")
OF_RESPONSES: Final = (
    "id", "source_id", "model", "temperature", "labels", "split", "quality", "response",
)  # fmt: skip
"""The columns of the two files, in their order."""
TAKEN: Final = frozenset({"id", "source_id", "source_info", "labels", "response"})
"""Columns that no meta may be called."""

ABOUT: Final = About(
    title="RAGTruth, two files of JSON lines",
    place=Place.FILES,
    files=(SOURCES, RESPONSES),
    layered=True,
    carried=plainly(
        Trait.OVERLAP,
        Trait.NOTE,
        Trait.EMPTY,
        Trait.TEXTS,
        Trait.BARE,
        Trait.META,
        Trait.GROUP,
        tree="joined",
        imported=OWN,
    ),
)


def own_source_id(text: str) -> str:
    """The source_id of a source without a group; read back it is none."""
    return f"text-{fingerprint(text)[:16]}"
