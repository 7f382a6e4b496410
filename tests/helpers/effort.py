"""How much a run of the tests tries: hypothesis profiles, and parameters of full runs alone.

`make test` and `make test-slow` run with the profile `push`; `make test-full` with `full`, and it
deselects nothing. `make torture` repeats the tests that kill and damage many times more.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Final

import pytest
from _pytest.mark import ParameterSet
from hypothesis import HealthCheck, settings

PUSH, FULL = "push", "full"
PUSH_EXAMPLES: Final = 20
TORTURE: Final = bool(os.environ.get("TUI_ANNOTATE_TORTURE"))


def register_profiles() -> None:
    """Make both profiles known, and load `push`; --hypothesis-profile chooses another."""
    # No test depends on how fast a machine is, nor on how quickly examples are drawn.
    untimed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.register_profile(PUSH, untimed, max_examples=PUSH_EXAMPLES)
    settings.register_profile(FULL, untimed, max_examples=100)
    settings.load_profile(PUSH)


def example_limit(full: int, *, push: int = PUSH_EXAMPLES) -> int:
    """`max_examples` of one test: `full` in a full run, at most `push` in others."""
    return full if settings.get_current_profile_name() == FULL else min(full, push)


def by_effort(*, push: int, full: int, torture: int) -> int:
    """The number for this run, of kills, sessions or characters, where each of them takes long."""
    return torture if TORTURE else example_limit(full, push=push)


def full_except(names: Iterable[str], *always: str) -> list[str | ParameterSet]:
    """Parameters of a test, of which all but `always` are run by full runs alone."""
    return [
        name if name in always else pytest.param(name, marks=pytest.mark.full) for name in names
    ]
