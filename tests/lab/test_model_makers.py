"""Makers of scores: no two models share one, and each keeps its own."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest

from tui_annotate.domain.scores import RunKind, ScoreRun
from tui_annotate.lab.model_makers import MODEL_PATH, name_apart

MAKER = "rv:q/m"


def run_of(model: str | None, *, maker: str = MAKER, parameter: str = MODEL_PATH) -> ScoreRun:
    """A run of a model; None for an earlier version, which stated no model."""
    stated = {} if model is None else {parameter: model}
    return ScoreRun(id="", kind=RunKind.SCORE, maker=maker, dataset="d", parameters=stated)


def name_in_order(models: Iterable[str | None]) -> list[str]:
    """The makers of runs of these models, one after another."""
    runs: list[ScoreRun] = []
    for model in models:
        runs.append(name_apart(run_of(model), runs))
    return [run.maker for run in runs]


def test_three_models_of_one_name_have_three_makers() -> None:
    """Also if one is a name and the others are folders; a repeated run keeps its maker."""
    x, y, again, name, y_again, name_again, x_again = name_in_order(
        ["x", "y", "x", "name", "y", "name", "x"]
    )
    assert x == again == x_again == MAKER
    assert (y_again, name_again) == (y, name)
    assert len({x, y, name}) == 3
    assert all(re.fullmatch(f"{MAKER}@[0-9a-f]{{8}}", each) for each in (y, name))


def test_a_run_of_an_earlier_version_may_be_of_any_model() -> None:
    """The first model takes its maker, the next one has its own."""
    old, first, second, again = name_in_order([None, "x", "y", "x"])
    assert (old, first, again) == (MAKER, MAKER, MAKER)
    assert second != MAKER


def test_an_equal_model_goes_before_an_unknown_one() -> None:
    """A run that states nothing does not take the maker of a model away."""
    apart = name_apart(run_of("y"), [run_of("x")])
    assert apart.maker != MAKER
    assert name_apart(run_of("y"), [run_of("x"), apart, run_of(None)]).maker == apart.maker


@pytest.mark.parametrize("parameter", ["model", "probe_sha256", MODEL_PATH])
def test_an_empty_value_is_known(parameter: str) -> None:
    """Only a missing parameter is unknown."""
    earlier = [run_of("x", parameter=parameter)]
    assert name_apart(run_of("", parameter=parameter), earlier).maker != MAKER
