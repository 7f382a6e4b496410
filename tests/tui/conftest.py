"""What holds for tests of screens: one style sheet is parsed once, not for each app anew."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.css.types import CSSLocation


@pytest.fixture(autouse=True, scope="session")
def style_sheet_cache() -> Iterator[None]:
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
