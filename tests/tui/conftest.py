"""What holds for tests of screens: one style sheet is parsed once, not for each app anew."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pytest
from textual import _wait
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.css.types import CSSLocation

_LOOK: Final = 0.004  # seconds


@pytest.fixture(autouse=True, scope="session")
def style_sheets_are_parsed_once() -> Iterator[None]:
    """Textual keeps rules for an app; each test has one of its own, a fifth of which is parsing."""
    kept: dict[tuple[object, ...], list[RuleSet]] = {}
    parse = Stylesheet._parse_rules

    def parsed(
        self: Stylesheet,
        css: str,
        read_from: CSSLocation,
        is_default_rules: bool = False,
        tie_breaker: int = 0,
        scope: str = "",
    ) -> list[RuleSet]:
        variables = frozenset(self._variables.items())
        key = (css, read_from, is_default_rules, tie_breaker, scope, variables)
        if key not in kept:
            kept[key] = parse(self, css, read_from, is_default_rules, tie_breaker, scope)
        return kept[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "_parse_rules", parsed)
        yield


@pytest.fixture(autouse=True, scope="session")
def idleness_is_seen_sooner() -> Iterator[None]:
    """Textual looks 20 ms long whether anything is done, several times a key; 4 ms do."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_wait, "SLEEP_GRANULARITY", _LOOK)
        patch.setattr(_wait, "SLEEP_IDLE", _LOOK / 20)
        yield
