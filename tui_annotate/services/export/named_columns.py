"""Columns of samples that may name people: which are known, and what stands there instead."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from tui_annotate.domain.people import LONGEST_NAME

KNOWN: Final = (
    "annotated_by", "annotator", "annotator_email", "annotator_id", "annotator_ids",
    "annotator_name", "annotator_names", "annotators", "approved_by", "assigned_to", "assignee",
    "checked_by", "coder", "coder_id", "completed_by", "created_by", "creator", "email",
    "labeled_by", "labeler", "labelled_by", "labeller", "rater", "rater_id", "raters",
    "reviewed_by", "reviewer", "reviewer_id", "reviewer_name", "updated_by", "user_email",
    "user_id", "user_name", "username", "worker", "worker_id", "worker_ids", "workers",
)  # fmt: skip
"""Names of columns in which people are named, however they are spelt: `workerId`, `Worker-ID`."""

_PLAIN: Final = frozenset(name.replace("_", "") for name in KNOWN)
_OTHER: Final = re.compile(r"[^a-z0-9]")
_ADDRESS: Final = re.compile(r"\S+@\S+")
_OF_PEOPLE: Final = ("id", "email", "username", "name", "first_name", "last_name")
"""Of a column that tells of somebody in several words, those that name them, the best first."""


class Columns:
    """The columns of one sample.

    Args:
        meant: what stands for the person that a word means.

    Attributes:
        changed: names of columns in which somebody was named.
        kept: names of the others.
    """

    def __init__(self, meant: Callable[[str], str]) -> None:
        self._meant = meant
        self._found = 0
        self.changed: list[str] = []
        self.kept: list[str] = []

    def hidden(self, meta: Mapping[str, Any]) -> dict[str, Any]:
        """The columns, with what stands for people in those that are known, at any depth."""
        hidden = {}
        for name, value in meta.items():
            before = self._found
            hidden[name] = self._column(name, value)
            (self.kept if self._found == before else self.changed).append(name)
        return hidden

    def _column(self, name: str, value: Any) -> Any:
        plain = _OTHER.sub("", name.lower())
        if plain not in _PLAIN:
            return self._inside(value)
        # A column called `email` may as well hold what somebody wrote in one.
        mail = plain == "email" and not (isinstance(value, str) and _ADDRESS.fullmatch(value))
        return self._inside(value) if mail else self._person(value)

    def _inside(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            return {name: self._column(name, each) for name, each in value.items()}
        return [self._inside(each) for each in value] if isinstance(value, list) else value

    def _person(self, value: Any) -> Any:
        """What stands for whom a value names; a text that is too long for a name stays."""
        if isinstance(value, Mapping):
            words = [value[name] for name in _OF_PEOPLE if value.get(name)]
            return self._person(words[0]) if words else self._inside(value)
        if isinstance(value, list):
            return [self._person(each) for each in value]
        if isinstance(value, bool) or not isinstance(value, int | str):
            return value
        word = str(value)
        if not word.strip() or len(word) > LONGEST_NAME or "\n" in word:
            return value
        self._found += 1
        return self._meant(word)
