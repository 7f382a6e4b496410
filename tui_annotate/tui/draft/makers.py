"""Which machine said something, and how sure it is, in words."""

from __future__ import annotations

from tui_annotate.domain.provenance import Provenance
from tui_annotate.domain.suggestions import Suggestion


def maker_words(one: Suggestion | Provenance) -> str:
    """Its name, with the score where it gives one."""
    return one.maker if one.score is None else f"{one.maker} {one.score:.2f}"


def origin_words(suggested: Provenance | None) -> str:
    """Whose suggestion an annotation was made from, and whether with changes; empty for none."""
    if suggested is None:
        return ""
    return f"{maker_words(suggested)}{', changed' if suggested.changed else ''}"
