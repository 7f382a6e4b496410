"""Warns of stored suggestions that contradict newer results of their maker."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from typing import TYPE_CHECKING

from tui_annotate.cli import output

if TYPE_CHECKING:
    from tui_annotate.services.suggestions import EarlierSuggestions


def print_earlier_suggestions(earlier: Iterable[EarlierSuggestions]) -> None:
    """Print a warning for each maker, with the command that deletes its suggestions."""
    for each in earlier:
        stored = output.many(each.count, "earlier suggestion")
        options = f"--maker {shlex.quote(each.maker)} --dataset {shlex.quote(each.dataset)}"
        output.print_problem(
            f"warning: {each.maker} already had {stored} that its new lists of suggestions do not"
            " contain: they stay, and count in comparisons",
            "to replace them, delete all suggestions of the maker, then repeat this command:"
            f" tui-annotate suggestions delete {options}",
        )
