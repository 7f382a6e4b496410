"""Suggestions as their rows have them, and as their labels are called by now."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Connection

from tui_annotate.domain.relabelling import Renames, renamed_payload
from tui_annotate.domain.suggestions import (
    Suggested,
    Suggestion,
    given_from_json,
    suggestion_from_json,
    suggestion_to_json,
)
from tui_annotate.storage.codec import from_json, to_json
from tui_annotate.storage.guidance import label_changes

_UNDER: Final = "label_set"


def payload(suggestion: Suggestion, *, label_set: str) -> str:
    """The column of a suggestion, which was made under a version of the label set."""
    return to_json({**suggestion_to_json(suggestion), _UNDER: label_set})


class Reader:
    """Reads the rows of one transaction; looks for changes of labels once a version."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._became: dict[tuple[str, str], Renames] = {}

    def suggestion(self, dataset: str, column: str) -> Suggestion:
        """A suggestion, under labels as they are called now where they were renamed."""
        value = from_json(column)
        version = value.get(_UNDER, "")
        where = (dataset, version)
        if where not in self._became:
            connection = self._connection
            renames = label_changes.became(connection, dataset, version) if version else {}
            self._became[where] = renames
        return suggestion_from_json(renamed_payload(value, self._became[where]))

    def suggested(self, dataset: str, column: str, *, answer: str | None, stands: int) -> Suggested:
        """A suggestion with an answer, as its column has it; None for no answer."""
        given = None if answer is None else given_from_json(from_json(answer))
        return Suggested.of(self.suggestion(dataset, column), given, stands=bool(stands))


def reading_order(each: Suggested) -> Any:
    """Sorts as annotations are: by the claim, then those without one; the surest first."""
    suggestion = each.suggestion
    anchors = suggestion.claim or suggestion.evidence
    return not suggestion.claim, anchors, -(suggestion.score or 0.0), suggestion.id
