"""Probes: trained on a model's states, kept as JSON; nothing in such a file can run.

A probe belongs to one model: it knows the hash of what decides that model's states.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tui_annotate.domain.errors import InvalidInput, NotFound, Unavailable
from tui_annotate.plugins.models.language import INSTALL, LanguageModel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tui_annotate.methods.probing import Figures

FORMAT: Final = "tui-annotate-probe/1"
AUTO: Final = 0
"""The layer that is meant where none is named: the best one on what is learnt from."""

_LARGEST: Final = 2**24
"""Bytes of a file: a state has some thousands of numbers."""
_FOLDS: Final = 5
_HALF: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What tells from a state whether a model knows the answer.

    Attributes:
        folder, model: where the model was, and the hash of it.
        layer: whose states it reads, from 1.
        weights, bias: of the logistic function.
        trained: how: counts, seed, figures by layer.
    """

    folder: str
    model: str
    layer: int
    weights: tuple[float, ...]
    bias: float
    trained: Mapping[str, Any] = field(default_factory=dict)

    def chance(self, states: NDArray[np.float32]) -> float:
        """How sure it is that an answer is known, in [0, 1].

        Args:
            states: (layers, size).
        """
        import numpy as np

        from tui_annotate.methods.probing import chances

        state = states[self.layer - 1 : self.layer].astype(np.float64)
        return float(chances(state, np.array(self.weights), bias=self.bias)[0])

    def write(self, path: Path) -> None:
        """Writes its file, which appears as a whole."""
        from tui_annotate.plugins.files.targets import output

        with output(path) as target:
            json.dump({"format": FORMAT, **asdict(self)}, target)
            target.write("\n")


def read(path: Path) -> Probe:
    """The probe of a file.

    Raises:
        NotFound: there is no such file.
        InvalidInput: it holds no probe.
    """
    if not path.is_file():
        raise NotFound(f"there is no file {path}", "make one: tui-annotate score train-probe")
    if path.stat().st_size > _LARGEST:
        raise InvalidInput(f"{path} is too large for a probe", "name the file of train-probe")
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
            f"{path} holds no probe: {error}", "make one: tui-annotate score train-probe"
        ) from error


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trained:
    """A probe, and what is known of it.

    Attributes:
        learnt, apart: how many questions it learnt from, and was tried on.
        layers: by layer, figures of the questions kept apart.
    """

    probe: Probe
    learnt: int
    apart: int
    layers: Mapping[int, Figures]


def train(
    questions: Sequence[str],
    known: Sequence[bool],
    *,
    model: str,
    layer: int = AUTO,
    seed: int = 0,
    told: Callable[[int], None] = lambda _: None,
) -> Trained:
    """A probe on a local model, from questions whose answers it knows or does not.

    The layer is chosen by cross-validation on what is learnt from; the figures are those of
    questions that no layer has seen.

    Args:
        model: its folder.
        layer: from 1; `AUTO` tries all.
        told: is given how many questions were looked at.

    Raises:
        InvalidInput: there is no such layer, or too few questions of a kind.
        Unavailable: libraries or model are missing.
    """
    import numpy as np

    from tui_annotate.methods.probing import parted

    truth = np.array(known, np.bool_)
    learnt, apart = parted(truth, seed=seed)
    local = LanguageModel(model)
    if not 0 <= layer <= local.layers:
        raise InvalidInput(f"there is no layer {layer}", f"1 to {local.layers}, or auto")
    states = np.empty((len(questions), local.layers, local.size), np.float32)
    for place, question in enumerate(questions):
        states[place] = local.states(question)
        told(place + 1)
    wanted = range(1, local.layers + 1) if layer == AUTO else [layer]
    fitted = {each: _fitted(states[learnt, each - 1], truth[learnt], seed) for each in wanted}
    best = max(wanted, key=lambda each: fitted[each].score)
    by_layer = {
        each: _figures(fitted[each], states[apart, each - 1], truth[apart]) for each in wanted
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
            "learnt": len(learnt),
            "apart": len(apart),
            "seed": seed,
            "layers": {str(each): asdict(found) for each, found in by_layer.items()},
        },
    )
    return Trained(probe=probe, learnt=len(learnt), apart=len(apart), layers=by_layer)


@dataclass(frozen=True, slots=True)
class _Fitted:
    weights: NDArray[np.float64]
    bias: float
    score: float


def _figures(fitted: _Fitted, states: NDArray[np.float32], known: NDArray[np.bool_]) -> Figures:
    import numpy as np

    from tui_annotate.methods.probing import chances, figures

    sure = chances(states.astype(np.float64), fitted.weights, bias=fitted.bias)
    return figures(known, sure > _HALF)


def _fitted(states: NDArray[np.float32], known: NDArray[np.bool_], seed: int) -> _Fitted:
    """A logistic regression on states of one scale, and how well it does in cross-validation."""
    try:
        from sklearn.linear_model import LogisticRegression
        from sklearn.model_selection import StratifiedKFold, cross_val_score
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler
    except ImportError as error:
        raise Unavailable(f"probes are trained by scikit-learn: {error}", INSTALL) from error
    import numpy as np

    pipeline = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    folds = min(_FOLDS, int(known.sum()), int((~known).sum()))
    parts = StratifiedKFold(folds, shuffle=True, random_state=seed)
    score = float(np.mean(cross_val_score(pipeline, states.astype(np.float64), known, cv=parts)))
    pipeline.fit(states.astype(np.float64), known)
    scaler, regression = pipeline[0], pipeline[1]
    weights = regression.coef_[0] / scaler.scale_
    bias = float(regression.intercept_[0] - weights @ scaler.mean_)
    return _Fitted(weights, bias, score)
