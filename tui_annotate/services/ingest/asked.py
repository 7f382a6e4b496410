"""Which embedder is asked for, and which one is meant: the choice alone, nothing is embedded."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Protocol

from tui_annotate.domain.vector_sets import VectorSet
from tui_annotate.methods.segmentation import SEGMENTER
from tui_annotate.plugins import registry
from tui_annotate.plugins.protocols import Embedder, TokenEmbedder

NONE: Final = "none"
"""Words alone."""
AUTO: Final = "auto"
"""The workspace's own; in a new one the best that this machine has."""
LAST: Final = "static"
"""What is taken where nothing better can be had."""


class Load(Protocol):
    """What makes an embedder by name; `registry.load_embedder` is one."""

    def __call__(self, asked: str, *, base_url: str = "", dimensions: int = 0) -> Embedder:
        """The embedder; raises InvalidInput or Unavailable."""
        ...


@dataclass(frozen=True, slots=True)
class Asked:
    """An embedder as somebody asks for it.

    Attributes:
        name: a name, or a name, a colon and a model; or `auto` or `none`.
        base_url: of its endpoint, where it has one.
        dimensions: 0 for its own.
        first: what `auto` means in a new workspace; of an older one the embedder stays.
        prepared: a file of vectors made elsewhere, which an `auto` takes where they fit the texts.
        spare_url, spare_dimensions: of a costly embedder, where none are asked for or remembered.
    """

    name: str = AUTO
    base_url: str = ""
    dimensions: int = 0
    first: str = AUTO
    prepared: Path | None = None
    spare_url: str = ""
    spare_dimensions: int = 0

    @classmethod
    def of(cls, embedder: str | Asked) -> Asked:
        """What is asked for by a name alone, or in full; with a model's folder in full."""
        asked = embedder if isinstance(embedder, Asked) else cls(embedder)
        return replace(
            asked, name=registry.settled(asked.name), first=registry.settled(asked.first)
        )

    def how(self, name: str, known: VectorSet | None) -> tuple[str, int]:
        """Endpoint and dimensions: as asked for now, else as the last time, else the spare ones.

        Args:
            name: the embedder that is meant.
            known: its set, where it has one.
        """
        base_url = self.base_url or (known.base_url if known else "")
        dimensions = self.dimensions or (known.asked_dimensions if known else 0)
        if known or not (self.spare_url or self.spare_dimensions) or not registry.has_cost(name):
            return base_url, dimensions
        return base_url or self.spare_url, dimensions or self.spare_dimensions

    def options(self, name: str) -> str:
        """What asks for an embedder like this on a command line.

        Args:
            name: the embedder.
        """
        wanted = ["--embedder", name]
        wanted += ["--base-url", self.base_url] if self.base_url else []
        wanted += ["--dimensions", str(self.dimensions)] if self.dimensions else []
        return shlex.join(wanted)


def refuse_unknown(asked: Asked) -> None:
    """Before anything is changed, and before a change to it is proposed.

    Raises:
        InvalidInput: no embedder has the name.
    """
    for name in {asked.name, asked.first} - {AUTO, NONE}:
        registry.refuse_unknown("embedders", name)


def meant(name: str) -> Iterator[str]:
    """The names to try, the best first: of `auto` several, else the one."""
    yield from dict.fromkeys([registry.best_embedder(), LAST]) if name == AUTO else [name]


def set_of(
    embedder: Embedder, asked: Asked, *, table: str, known: VectorSet | None = None
) -> VectorSet:
    """What is remembered of an embedder and of how it was asked for.

    Args:
        known: the same set as it was, where it is there already.
    """
    return VectorSet(
        embedder=asked.name,
        label=embedder.label,
        version=embedder.version,
        segmenter=SEGMENTER,
        table=table,
        dimensions=embedder.dimensions or (known.dimensions if known else 0),
        token_dimensions=embedder.token_dimensions if isinstance(embedder, TokenEmbedder) else 0,
        instant=embedder.instant,
        base_url=asked.base_url,
        asked_dimensions=asked.dimensions,
    )
