"""Options that select an embedder; this module embeds nothing."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from tui_annotate.domain.endpoint_trust import EndpointTrust
from tui_annotate.domain.vector_sets import VectorSet
from tui_annotate.methods.segmentation import SEGMENTER
from tui_annotate.plugins import registry
from tui_annotate.plugins.protocols import Embedder, TokenEmbedder

NONE: Final = "none"
"""Option value for no embedder: matches are then found by a lexical search (words only)."""
AUTO: Final = "auto"
"""Option value for the workspace's embedder; in a new workspace, for the best available one."""
LAST: Final = "static"


EmbedderLoader = Callable[..., Embedder]


def allow_stored(_embedder: str) -> None:
    """Allow every embedder that a store names."""


@dataclass(frozen=True, slots=True)
class VectorOptions:
    """Requested embedder (a name, `name:model`, `auto` or `none`) with its options.

    Attributes:
        first: the embedder that `auto` means in a new workspace.
        prepared: a file with computed vectors, for `auto`.
        spare_url, spare_dimensions: defaults of an embedder with costs.
        timeout: seconds for a request to an endpoint; None for the default.
        max_retries: repetitions of a request after temporary failures; None for the default.
        trust: the endpoints that may receive texts; `base_url` may, because the user named it.
    """

    name: str = AUTO
    base_url: str = ""
    dimensions: int = 0
    first: str = AUTO
    prepared: Path | None = None
    spare_url: str = ""
    spare_dimensions: int = 0
    timeout: float | None = None
    max_retries: int | None = None
    trust: EndpointTrust = field(default_factory=EndpointTrust, compare=False)

    @classmethod
    def of(
        cls, embedder: str | VectorOptions, *, trust: EndpointTrust | None = None
    ) -> VectorOptions:
        """Return complete options of an embedder, given by name or options; or InvalidInput.

        `trust`: the endpoints that may receive texts if the embedder is given by name.
        """
        asked = (
            cls(embedder, trust=trust or EndpointTrust()) if isinstance(embedder, str) else embedder
        )
        name, first = map(registry.resolve_embedder_name, (asked.name, asked.first))
        for each in {name, first} - {AUTO, NONE}:
            registry.refuse_unknown("embedders", each)
        return replace(asked, name=name, first=first)

    def how(self, name: str, known: VectorSet | None) -> tuple[str, int]:
        """Return the base URL and the number of dimensions to use with an embedder."""
        base_url = self.base_url or (known.base_url if known else "")
        dimensions = self.dimensions or (known.asked_dimensions if known else 0)
        if known or not (self.spare_url or self.spare_dimensions) or not registry.has_cost(name):
            return base_url, dimensions
        return base_url or self.spare_url, dimensions or self.spare_dimensions

    def unnamed_url(self, name: str, known: VectorSet | None) -> str:
        """Return the URL that an embedder would send texts to if only the workspace names it.

        Empty if the user named a URL, or if the embedder sends no texts.
        """
        base_url, _ = self.how(name, known)
        kind = name.partition(":")[0]
        local = registry.is_built_in("embedders", kind) and not registry.has_cost(name)
        return "" if self.base_url or local else base_url

    def options(self, name: str) -> str:
        """Return an embedder's options in the form in which users type them in a command."""
        wanted = ["--embedder", name]
        wanted += ["--base-url", self.base_url] if self.base_url else []
        wanted += ["--dimensions", str(self.dimensions)] if self.dimensions else []
        return shlex.join(wanted)


def candidate_names(name: str) -> Iterator[str]:
    """Yield the names of the embedders to try, the best first."""
    yield from dict.fromkeys([registry.best_embedder(), LAST]) if name == AUTO else [name]


def set_of(
    embedder: Embedder, options: VectorOptions, *, table: str, known: VectorSet | None = None
) -> VectorSet:
    """Describe the vectors of an embedder; the workspace stores this description."""
    return VectorSet(
        embedder=options.name,
        label=embedder.label,
        version=embedder.version,
        segmenter=SEGMENTER,
        table=table,
        dimensions=embedder.dimensions or (known.dimensions if known else 0),
        token_dimensions=embedder.token_dimensions if isinstance(embedder, TokenEmbedder) else 0,
        instant=embedder.instant,
        base_url=options.base_url,
        asked_dimensions=options.dimensions,
    )
