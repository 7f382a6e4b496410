"""Probes: trained on a model's states, kept as JSON; nothing in such a file can run.

A probe belongs to one model: it knows the hash of what decides that model's states. Source: the
probe of the project Dreamcatcher, of questions that a model always answers right, and such that it
always answers wrong, 70 of 100 to learn from.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tui_annotate.domain.errors import InvalidInput, NotFound, Unavailable
from tui_annotate.lab.score.language_models import INSTALL, LanguageModel

Numbers = NDArray[np.float64]
Truths = NDArray[np.bool_]

TRAINING_SHARE: Final = 0.7
MIN_CASES: Final = 4
"""Cases of each kind that a probe needs: three to learn from, and one kept apart."""


@dataclass(frozen=True, slots=True)
class ProbeMetrics:
    """Metrics of "known" on held-out cases, in [0, 1]; None where a denominator is 0."""

    accuracy: float | None
    precision: float | None
    recall: float | None
    specificity: float | None


def split_cases(known: Truths, *, seed: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Split case indices into training and held-out ones, sorted, stratified, one of a kind each.

    Raises:
        InvalidInput: there are fewer than four of a kind.
    """
    kinds = {"known": np.flatnonzero(known), "not known": np.flatnonzero(~known)}
    chance = np.random.default_rng(seed)
    training, held_out = [], []
    for kind, places in kinds.items():
        if len(places) < MIN_CASES:
            raise InvalidInput(
                f"of what is {kind} there are {len(places)} questions",
                f"a probe needs {MIN_CASES} of each kind, and some hundreds to be of use",
            )
        mixed = chance.permutation(places)
        cut = min(round(len(places) * TRAINING_SHARE), len(places) - 1)
        training.append(mixed[:cut])
        held_out.append(mixed[cut:])
    return np.sort(np.concatenate(training)), np.sort(np.concatenate(held_out))


def measure_probe(known: Truths, predicted: Truths) -> ProbeMetrics:
    """Compute the metrics of predictions."""
    right = known == predicted
    return ProbeMetrics(
        _share(right, np.ones_like(known)),
        _share(right, predicted),
        _share(right, known),
        _share(right, ~known),
    )


def _share(right: Truths, among: Truths) -> float | None:
    count = int(among.sum())
    return float(right[among].sum() / count) if count else None


def predict_chances(states: Numbers, weights: Numbers, *, bias: float) -> Numbers:
    """Return (cases,), the probability that each is known, of (cases, size) and (size,)."""
    sums = np.clip(states @ weights + bias, -700, 700)
    found: Numbers = 1 / (1 + np.exp(-sums))
    return found


FORMAT: Final = "tui-annotate-probe/1"
AUTO: Final = 0
"""The layer that is meant where none is named: the best one on what is learnt from."""

_MAX_BYTES: Final = 2**24
"""Bytes of a file: a state has some thousands of numbers."""
_FOLDS: Final = 5
_THRESHOLD: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """A classifier of hidden states: does the model know the answer?

    Attributes:
        layer: whose states it reads, from 1.
        trained: how: counts, seed, figures by layer.
    """

    folder: str
    model: str
    layer: int
    weights: tuple[float, ...]
    bias: float
    trained: Mapping[str, Any] = field(default_factory=dict)

    def chance(self, states: NDArray[np.float32]) -> float:
        """Return the probability that the answer is known. `states`: (layers, size)."""
        state = states[self.layer - 1 : self.layer].astype(np.float64)
        return float(predict_chances(state, np.array(self.weights), bias=self.bias)[0])

    def write(self, path: Path) -> None:
        """Write the probe to a file, atomically."""
        from tui_annotate.plugins.files.targets import open_output

        with open_output(path) as target:
            json.dump({"format": FORMAT, **asdict(self)}, target)
            target.write("\n")


def read_probe(path: Path) -> Probe:
    """Read the probe of a file; InvalidInput if it holds none."""
    if not path.is_file():
        raise NotFound(f"there is no file {path}", "make one: tui-annotate score train-probe")
    if path.stat().st_size > _MAX_BYTES:
        raise InvalidInput(
            f"{path} is too large for a probe", "name the file of train-probe", code="too-large"
        )
    try:
        value: Any = json.loads(path.read_text("utf-8"))
        if value.pop("format") != FORMAT:
            raise ValueError(f"its format is not {FORMAT}")
        if not all(isinstance(value[name], str) for name in ("folder", "model")):
            raise ValueError("it does not say of which model it is")
        weights, bias, layer = value["weights"], value["bias"], value["layer"]
        sound = isinstance(weights, list) and weights and all(map(_is_number, (*weights, bias)))
        if not sound or isinstance(layer, bool) or not isinstance(layer, int) or layer < 1:
            raise ValueError("its numbers are none")
        return Probe(**value | {"weights": tuple(map(float, weights)), "bias": float(bias)})
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(
            f"{path} holds no probe: {error}",
            "make one: tui-annotate score train-probe",
            code="not-a-probe",
        ) from error


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainedProbe:
    """A probe with its metrics, and the numbers of training and held-out questions."""

    probe: Probe
    training: int
    held_out: int
    layers: Mapping[int, ProbeMetrics]


def train(
    questions: Sequence[str],
    known: Sequence[bool],
    *,
    model: str,
    layer: int = AUTO,
    seed: int = 0,
    on_progress: Callable[[int], None] = lambda _: None,
) -> TrainedProbe:
    """Train a probe on a local model, from known and unknown questions.

    Cross-validation on the training part chooses the layer; the metrics are of the held-out part.
    `layer`: from 1; `AUTO` tries all.

    Raises:
        InvalidInput: there is no such layer, or too few questions of a kind.
        Unavailable: libraries or model are missing.
    """
    truth = np.array(known, np.bool_)
    training, held_out = split_cases(truth, seed=seed)
    local = LanguageModel(model)
    if not 0 <= layer <= local.layers:
        raise InvalidInput(f"there is no layer {layer}", f"1 to {local.layers}, or auto")
    states = np.empty((len(questions), local.layers, local.size), np.float32)
    for place, question in enumerate(questions):
        states[place] = local.states(question)
        on_progress(place + 1)
    wanted = range(1, local.layers + 1) if layer == AUTO else [layer]
    fitted = {each: _fit(states[training, each - 1], truth[training], seed) for each in wanted}
    best = max(wanted, key=lambda each: fitted[each].score)
    by_layer = {
        each: _measure_layer(fitted[each], states[held_out, each - 1], truth[held_out])
        for each in wanted
    }
    probe = Probe(
        folder=str(local.folder),
        model=local.sha256,
        layer=best,
        weights=tuple(fitted[best].weights.tolist()),
        bias=fitted[best].bias,
        trained={
            "questions": len(questions),
            "known": int(truth.sum()),
            "learnt": len(training),
            "apart": len(held_out),
            "seed": seed,
            "layers": {str(each): asdict(found) for each, found in by_layer.items()},
        },
    )
    return TrainedProbe(
        probe=probe, training=len(training), held_out=len(held_out), layers=by_layer
    )


@dataclass(frozen=True, slots=True)
class _Fit:
    weights: Numbers
    bias: float
    score: float


def _measure_layer(fitted: _Fit, states: NDArray[np.float32], known: Truths) -> ProbeMetrics:
    sure = predict_chances(states.astype(np.float64), fitted.weights, bias=fitted.bias)
    return measure_probe(known, sure > _THRESHOLD)


def _fit(states: NDArray[np.float32], known: Truths, seed: int) -> _Fit:
    try:
        from sklearn.linear_model import LogisticRegression
        from sklearn.model_selection import StratifiedKFold, cross_val_score
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler
    except ImportError as error:
        raise Unavailable(f"probes are trained by scikit-learn: {error}", INSTALL) from error
    pipeline = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    folds = min(_FOLDS, int(known.sum()), int((~known).sum()))
    parts = StratifiedKFold(folds, shuffle=True, random_state=seed)
    score = float(np.mean(cross_val_score(pipeline, states.astype(np.float64), known, cv=parts)))
    pipeline.fit(states.astype(np.float64), known)
    scaler, regression = pipeline[0], pipeline[1]
    weights = regression.coef_[0] / scaler.scale_
    bias = float(regression.intercept_[0] - weights @ scaler.mean_)
    return _Fit(weights, bias, score)
