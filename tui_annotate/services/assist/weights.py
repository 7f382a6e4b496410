"""Weights of the assist's signals that a workspace stores instead of the built-in weights."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from tui_annotate.domain.errors import Damaged
from tui_annotate.domain.samples import Side

if TYPE_CHECKING:
    from tui_annotate.domain.vector_sets import VectorSet
    from tui_annotate.methods.matching import Calibrations
    from tui_annotate.plugins.protocols import Embedder
    from tui_annotate.services.assist.sample import SampleAssist
    from tui_annotate.storage.corpus.store import CorpusStore

DIRECTIONS: Final = {"summary_to_source": Side.SUMMARY, "source_to_summary": Side.SOURCE}
"""Side (summary or source) of the selected text, for each direction of the search for matches."""
SETTING: Final = "assist_weights"
"""Setting with a JSON list of all weights that were ever in use, the latest last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AssistWeights:
    """Weights and score curves that replace the built-in ones.

    Attributes:
        embedder: embedder for which the weights were fitted, as `describe_embedder` returns it.
        curves: objects with `direction`, `weights` (by signal name), `slope` and `offset`.
        by: id of the person who stored the weights; empty for the owner of the workspace's files.
    """

    embedder: str = ""
    curves: Sequence[Mapping[str, Any]] = ()
    at: str = ""
    by: str = ""

    @property
    def version(self) -> str:
        """Start of the SHA-256 of embedder and curves; empty for the built-in weights."""
        content = json.dumps([self.embedder, self.curves], sort_keys=True).encode()
        return hashlib.sha256(content).hexdigest()[:12] if self.curves else ""

    def calibrations(self, searched: Side) -> Calibrations:
        """Return the calibrations for searches in one side; the built-in ones if none is stored."""
        from tui_annotate.methods.matching import BUILT_IN, Calibration

        found = {**BUILT_IN}
        for curve in self.curves:
            match curve:
                case {"direction": str(way), "weights": dict(own), "slope": slope, "offset": shift}:
                    # A newer version of the program may store other directions and signals.
                    if DIRECTIONS.get(way) is searched.other and frozenset(own) in BUILT_IN:
                        found[frozenset(own)] = Calibration(own, slope, shift)
        return found


BUILT_IN_WEIGHTS: Final = AssistWeights()
_FIELDS: Final = {"embedder", "curves", "at", "by"}


def describe_embedder(made: Embedder | VectorSet | None) -> str:
    """Return the name and version of an embedder's model; `none` for the lexical ranking."""
    return f"{made.label} {made.version}" if made else "none"


def use_weights(ready: SampleAssist, weights: AssistWeights) -> SampleAssist:
    """Return a prepared sample whose matches are ranked with these weights."""
    if weights.version == ready.weights:
        return ready
    sides = {
        side: replace(index, calibrations=weights.calibrations(side))
        for side, index in ready.sides.items()
    }
    return replace(ready, sides=sides, weights=weights.version)


def stored_weights(corpus: CorpusStore) -> list[AssistWeights]:
    """Return all stored weights, oldest first, undos without version; Damaged if unreadable."""
    found = parse_entries(corpus.setting(SETTING))
    return [AssistWeights(**{name: each[name] for name in _FIELDS & each.keys()}) for each in found]


def parse_entries(stored: str | None) -> list[dict[str, Any]]:
    """Return the stored entries with all fields; Damaged if they are no list of JSON objects."""
    try:
        found = json.loads(stored or "[]")
    except ValueError:
        found = None
    if not isinstance(found, list) or not all(
        isinstance(each, dict) and isinstance(each.get("curves", []), list) for each in found
    ):
        raise Damaged(
            "the stored weights of the assist are damaged",
            "restore the built-in weights with: tui-annotate lab assist tune --undo",
        )
    return found


def choose_weights(
    stored: Sequence[AssistWeights], embedder: Embedder | VectorSet | None
) -> AssistWeights:
    """Return the last stored weights for an embedder; without any, the built-in ones."""
    name = describe_embedder(embedder)
    return next((each for each in reversed(stored) if each.embedder == name), BUILT_IN_WEIGHTS)


def weights_in_use(corpus: CorpusStore) -> AssistWeights:
    """Return the last stored weights for the embedder in use; Damaged as `stored_weights`."""
    return choose_weights(stored_weights(corpus), corpus.vector_set())
