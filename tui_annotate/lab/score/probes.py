"""Probes: classifiers of a model's hidden states, stored as JSON files without code.

A probe belongs to one model: its file contains the hash of the model. Source: the probe of the
project Dreamcatcher, trained on questions that a model always answers right or always wrong, 70 %
of them for training.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tui_annotate.domain.errors import InvalidInput, NotFound, Unavailable
from tui_annotate.domain.strict_json import encode_strict, parse_unique
from tui_annotate.lab.score.language_models import BATCH, INSTALL, LanguageModel

Numbers = NDArray[np.float64]
Truths = NDArray[np.bool_]

TRAINING_SHARE: Final = 0.7
MIN_CASES: Final = 4
"""Minimum number of questions of each class to train a probe: one of them is held out."""


@dataclass(frozen=True, slots=True)
class ProbeMetrics:
    """Metrics of a classifier's predictions on held-out questions, in [0, 1]; None if undefined."""

    accuracy: float | None
    precision: float | None
    recall: float | None
    specificity: float | None


def split_cases(known: Truths, *, seed: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Split questions into training and held-out ones, each with both classes.

    Raises:
        InvalidInput: a class has fewer than four questions.
    """
    kinds = {"known": np.flatnonzero(known), "not known": np.flatnonzero(~known)}
    chance = np.random.default_rng(seed)
    training = []
    held_out = []
    for kind, places in kinds.items():
        if len(places) < MIN_CASES:
            raise InvalidInput(
                f"too few questions whose answer is {kind} to the model: {len(places)}",
                f"add questions: at least {MIN_CASES} of each class, ideally some hundreds",
            )
        mixed = chance.permutation(places)
        cut = min(round(len(places) * TRAINING_SHARE), len(places) - 1)
        training.append(mixed[:cut])
        held_out.append(mixed[cut:])
    return np.sort(np.concatenate(training)), np.sort(np.concatenate(held_out))


def measure_probe(known: Truths, predicted: Truths) -> ProbeMetrics:
    """Measure predictions; a metric is None if no question belongs to its denominator."""
    right = known == predicted
    return ProbeMetrics(
        accuracy=_share(right, np.ones_like(known)),
        precision=_share(right, predicted),
        recall=_share(right, known),
        specificity=_share(right, ~known),
    )


def _share(right: Truths, among: Truths) -> float | None:
    count = int(among.sum())
    return float(right[among].sum() / count) if count else None


def predict_chances(states: Numbers, weights: Numbers, *, bias: float) -> Numbers:
    """Compute from a model's states (n, m) the probabilities (n,) that it knows n answers."""
    sums = np.clip(states @ weights + bias, -700, 700)
    found: Numbers = 1 / (1 + np.exp(-sums))
    return found


FORMAT: Final = "tui-annotate-probe/1"
AUTO: Final = 0
"""Layer number that stands for the model layer with the best results in training."""

_MAX_BYTES: Final = 2**24
"""Maximum size, in bytes, of a file with a trained classifier."""
_FOLDS: Final = 5
_READ_AHEAD: Final = 4 * BATCH
"""Number of questions that are sorted by length into batches for the model."""
_THRESHOLD: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """Linear classifier of hidden states that predicts whether a model knows the answer.

    Attributes:
        layer: layer whose hidden states the probe reads, from 1.
    """

    folder: str
    model: str
    layer: int
    weights: tuple[float, ...]
    bias: float
    trained: Mapping[str, Any] = field(default_factory=dict)

    def chance(self, states: NDArray[np.float32]) -> float:
        """Return the probability that the model knows the answer, from its states (layers, m)."""
        state = states[self.layer - 1 : self.layer].astype(np.float64)
        return float(predict_chances(state, np.array(self.weights), bias=self.bias)[0])

    def write(self, path: Path) -> None:
        """Write the classifier to a JSON file in one step; NaN in training results become null.

        Raises:
            InvalidInput: a weight is NaN or infinite.
        """
        from tui_annotate.plugins.files.targets import open_output

        if not all(map(_is_number, (*self.weights, self.bias))):
            raise InvalidInput(
                "the training gave weights that are NaN or infinite, so no probe was written",
                "train the probe on a different set of questions",
            )
        with open_output(path) as target:
            target.write(f"{encode_strict({'format': FORMAT, **asdict(self)})[0]}\n")


def read_probe(path: Path) -> Probe:
    """Read a trained probe from a JSON file; raise InvalidInput if the file is not one."""
    if not path.is_file():
        raise NotFound(
            f"probe file {path} does not exist",
            "train a probe with: tui-annotate lab scores train-probe",
        )
    if path.stat().st_size > _MAX_BYTES:
        raise InvalidInput(
            f"file {path} is too large for a probe file",
            "pass a file that `lab scores train-probe` wrote",
            code="too-large",
        )
    try:
        value: Any = parse_unique(path.read_text("utf-8"))
        if value.pop("format") != FORMAT:
            raise ValueError(f"the format of the file is not {FORMAT}")
        if not all(isinstance(value[name], str) for name in ("folder", "model")):
            raise ValueError("the model of the probe is missing")
        weights = value["weights"]
        bias = value["bias"]
        layer = value["layer"]
        sound = isinstance(weights, list) and weights and all(map(_is_number, (*weights, bias)))
        if not sound or isinstance(layer, bool) or not isinstance(layer, int) or layer < 1:
            raise ValueError("the layer, a weight or the bias is not a valid number")
        return Probe(**value | {"weights": tuple(map(float, weights)), "bias": float(bias)})
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(
            f"{path} contains no probe: {error}",
            "train a probe with: tui-annotate lab scores train-probe",
            code="not-a-probe",
        ) from error


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainedProbe:
    """Trained classifier with its metrics by layer, and counts of questions."""

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
    """Train a classifier (probe) of whether a local model knows the answer to a question.

    Cross-validation on the training part chooses the layer. The metrics are those of the held-out
    part. `layer`: from 1; `AUTO` tries all layers.

    Raises:
        InvalidInput: the layer does not exist, or a class has too few questions.
        Unavailable: the libraries or the model are missing.
    """
    truth = np.array(known, np.bool_)
    training, held_out = split_cases(truth, seed=seed)
    local = LanguageModel(model)
    if not 0 <= layer <= local.layers:
        raise InvalidInput(
            f"layer {layer} does not exist", f"choose a layer from 1 to {local.layers}, or auto"
        )
    states = np.empty((len(questions), local.layers, local.size), np.float32)
    for first in range(0, len(questions), _READ_AHEAD):
        some = questions[first : first + _READ_AHEAD]
        states[first : first + len(some)] = local.states(some)
        on_progress(first + len(some))
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
        raise Unavailable(f"training a probe needs scikit-learn: {error}", INSTALL) from error
    pipeline = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    folds = min(_FOLDS, int(known.sum()), int((~known).sum()))
    parts = StratifiedKFold(folds, shuffle=True, random_state=seed)
    score = float(np.mean(cross_val_score(pipeline, states.astype(np.float64), known, cv=parts)))
    pipeline.fit(states.astype(np.float64), known)
    scaler = pipeline[0]
    regression = pipeline[1]
    weights = regression.coef_[0] / scaler.scale_
    bias = float(regression.intercept_[0] - weights @ scaler.mean_)
    return _Fit(weights, bias, score)
