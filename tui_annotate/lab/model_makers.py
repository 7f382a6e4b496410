"""Names of makers of scores, so that the scores of two models are never taken for those of one.

The newest run of a maker is in use. Two models with one maker would replace each other's scores.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from tui_annotate.domain.scores import ScoreRun

MODEL_PATH: Final = "model_path"
"""Parameter of a run of a plug-in with a hash of its model's path, or of a name that is no path."""
_MODEL_HASHES: Final = ("model", "probe_sha256", MODEL_PATH)
"""Parameters of a run that state which model computed its scores."""
_HASH_LENGTH: Final = 8


def hash_name(name: bytes) -> str:
    """Return a short hash that is a part of names and of parameters."""
    return hashlib.sha256(name).hexdigest()[:_HASH_LENGTH]


def name_apart(run: ScoreRun, earlier: Iterable[ScoreRun], *, scorer: str = "") -> ScoreRun:
    """Return a run with a maker that no other model has, so that both keep their scores.

    A model keeps the maker of its earlier runs. If another model has the maker, a hash of the
    model is added.

    Args:
        earlier: the runs of the dataset, the oldest first.
        scorer: name of the scorer, which earlier versions used for all embedders; or empty.
    """
    newest = {each.maker: each for each in earlier if each.kind is run.kind}
    known = [_embedder(run), *(value or "" for value in _hashes(run))]
    suffix = hash_name("\0".join(known).encode())
    apart = f"{run.maker}@{suffix}"
    names = [run.maker, apart]
    if scorer and run.embedder:
        names.append(scorer)
    # An equal model goes first: a run of an earlier version may be of any model.
    for is_same in (_is_same, _may_be_same):
        for name in names:
            if name in newest and is_same(run, newest[name]):
                return replace(run, maker=name)
    return replace(run, maker=apart if run.maker in newest else run.maker)


def _is_same(one: ScoreRun, other: ScoreRun) -> bool:
    return _embedder(one) == _embedder(other) and _hashes(one) == _hashes(other)


def _may_be_same(one: ScoreRun, other: ScoreRun) -> bool:
    """Return whether all that is known of both models is equal; earlier versions stored less."""
    if _embedder(one) != _embedder(other):
        return False
    pairs = zip(_hashes(one), _hashes(other), strict=True)
    return all(ours == theirs for ours, theirs in pairs if ours is not None and theirs is not None)


def _embedder(run: ScoreRun) -> str:
    """Return the embedder of a run; the scorer similarity adds how it compared other texts."""
    return run.embedder.partition(";")[0]


def _hashes(run: ScoreRun) -> list[str | None]:
    """Return what a run states about its model; None for what it does not state."""
    values = [run.parameters.get(name) for name in _MODEL_HASHES]
    return [None if value is None else str(value) for value in values]
