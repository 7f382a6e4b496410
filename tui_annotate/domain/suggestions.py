"""Suggestions: annotations that models propose, and the annotators' answers to them."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any, Final, Self

from tui_annotate.domain.annotations import (
    Anchor,
    Annotation,
    LabelPath,
    anchor_from_json,
    anchor_to_json,
)
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.provenance import Provenance, parse_score
from tui_annotate.domain.samples import SampleKey

_NAMESPACE: Final = uuid.UUID("3c0a52d4-2f63-5a3e-8d1c-5f1b8f1f7f60")
_HINT: Final = "write suggestions as described in docs/suggestions.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """An annotation that a machine proposes to annotators.

    Attributes:
        id: hash of the content, so that a repeated suggestion has the same id.
        maker: `judge:MODEL` or `import:NAME`.
        score: the machine's score in [0, 1], or None.

    Raises:
        InvalidInput: the suggestion marks nothing, or its score is outside [0, 1].
    """

    id: str
    maker: str
    run: str
    claim: tuple[Anchor, ...]
    evidence: tuple[Anchor, ...] = ()
    labels: tuple[LabelPath, ...] = ()
    note: str = ""
    score: float | None = None

    def __post_init__(self) -> None:
        if not self.claim and not self.evidence:
            raise InvalidInput("the suggestion has neither claim nor evidence", _HINT)
        try:
            parse_score(self.score)
        except ValueError as error:
            raise InvalidInput(str(error), _HINT) from error


def with_id(key: SampleKey, suggestion: Suggestion) -> Suggestion:
    """Return a suggestion with unique, sorted spans and labels, and with an id made of its content.

    The id is computed from the sample's key, the maker and the content.
    """
    tidy = replace(
        suggestion,
        claim=tuple(sorted(set(suggestion.claim))),
        evidence=tuple(sorted(set(suggestion.evidence))),
        labels=tuple(sorted(set(suggestion.labels))),
    )
    value = suggestion_to_json(tidy)
    content = [*key, *(value[name] for name in ("maker", "claim", "evidence", "labels"))]
    return replace(tidy, id=str(uuid.uuid5(_NAMESPACE, json.dumps(content))))


def suggestion_to_json(suggestion: Suggestion) -> dict[str, Any]:
    """Convert a suggestion to JSON values; each span becomes [side, document index, start, end]."""
    return {
        "id": suggestion.id,
        "maker": suggestion.maker,
        "run": suggestion.run,
        "claim": [anchor_to_json(anchor) for anchor in suggestion.claim],
        "evidence": [anchor_to_json(anchor) for anchor in suggestion.evidence],
        "labels": [list(path) for path in suggestion.labels],
        "note": suggestion.note,
        "score": suggestion.score,
    }


def suggestion_from_json(value: Mapping[str, Any]) -> Suggestion:
    """Parse what `suggestion_to_json` returns; InvalidInput names a missing or wrong value."""
    try:
        words = {name: value[name] for name in ("id", "maker", "run", "note")}
        if not all(isinstance(word, str) for word in words.values()):
            raise TypeError("the fields id, maker, run and note of the suggestion must be text")
        labels = tuple(tuple(path) for path in value["labels"])
        if not all(path and all(isinstance(each, str) for each in path) for path in labels):
            raise TypeError(
                "each label of the suggestion must be a list of names, from top level to sublabel"
            )
        return Suggestion(
            **words,
            claim=tuple(anchor_from_json(anchor) for anchor in value["claim"]),
            evidence=tuple(anchor_from_json(anchor) for anchor in value["evidence"]),
            labels=labels,
            score=parse_score(value["score"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidInput(f"invalid suggestion: {error}", _HINT) from error


class AnswerKind(StrEnum):
    """What an annotator did with a suggestion."""

    ACCEPTED = "accepted"
    CHANGED = "changed"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestionAnswer:
    """A person's answer to a suggestion, as stored in the event log."""

    answer: AnswerKind
    maker: str
    reason: str = ""
    annotation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonAnswer:
    """A person's answer to a suggestion, for exports.

    Attributes:
        kind: a value of `AnswerKind`; `removed` if the accepted annotation was deleted later.
        suggestion: None if the suggestion was deleted.
    """

    person: str
    kind: str
    reason: str
    suggestion: Suggestion | None


REMOVED: Final = "removed"
"""Kind of an accepted suggestion whose annotation was deleted later."""
UNDONE: Final = "undone"
"""Kind of an acceptance that the person undid, without a later answer to the suggestion."""


def answer_to_json(given: SuggestionAnswer) -> dict[str, Any]:
    """Convert an answer to the JSON object that the event log stores."""
    return asdict(given) | {"answer": given.answer.value}


def answer_from_json(value: Any) -> SuggestionAnswer:
    """Parse what `answer_to_json` returns; InvalidInput for another form."""
    parts = ("answer", "maker", "reason", "annotation")
    words = [value.get(name) for name in parts] if isinstance(value, Mapping) else [None]
    if not all(isinstance(word, str) for word in words):
        raise InvalidInput(
            f"invalid answer to a suggestion: {', '.join(parts)} must be text", _HINT
        )
    answer, maker, reason, annotation = map(str, words)
    if answer not in list(AnswerKind):
        raise InvalidInput(f"{answer!r} is not an answer to a suggestion", _HINT)
    if (answer == AnswerKind.REFUSED) == bool(annotation):
        raise InvalidInput(
            "an accepted suggestion must name its annotation; a refused suggestion must name none",
            _HINT,
        )
    return SuggestionAnswer(
        answer=AnswerKind(answer), maker=maker, reason=reason, annotation=annotation
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestionStatus:
    """A suggestion together with one person's answer to it.

    Attributes:
        answer: None if the person did not answer.
    """

    suggestion: Suggestion
    answer: AnswerKind | None = None
    reason: str = ""
    annotation: str = ""
    annotation_exists: bool = False

    @property
    def open(self) -> bool:
        """Whether the suggestion has no answer, or its annotation was removed after acceptance."""
        return self.answer is None or not (
            self.annotation_exists or self.answer is AnswerKind.REFUSED
        )

    @classmethod
    def of(cls, suggestion: Suggestion, given: SuggestionAnswer | None, *, stands: bool) -> Self:
        """Combine a suggestion and one person's answer to it."""
        if given is None:
            return cls(suggestion=suggestion)
        return cls(
            suggestion=suggestion,
            answer=given.answer,
            reason=given.reason,
            annotation=given.annotation,
            annotation_exists=stands,
        )


def take_suggestion(person: str, suggestion: Suggestion, changed: Annotation | None) -> Annotation:
    """Return the annotation that a person creates by accepting a suggestion."""
    name = accepted_annotation_id(person, suggestion.id)
    whole = Annotation(name, suggestion.claim, suggestion.evidence, suggestion.labels)
    made = replace(changed, id=name) if changed else whole
    provenance = Provenance(
        suggestion=suggestion.id,
        maker=suggestion.maker,
        score=suggestion.score,
        changed=_content_of(made) != _content_of(suggestion),
    )
    return replace(made, suggested=provenance)


def accepted_annotation_id(person: str, suggestion_id: str) -> str:
    """Return the id of the annotation that a person creates when they accept a suggestion."""
    return str(uuid.uuid5(_NAMESPACE, f"{person}\n{suggestion_id}"))


def edited_provenance(before: Annotation, after: Annotation) -> Provenance | None:
    """Return the suggestion that an edited annotation came from, and whether the two differ."""
    origin = before.suggested
    if origin is None or origin.changed or _content_of(before) == _content_of(after):
        return origin
    return replace(origin, changed=True)


def _content_of(one: Annotation | Suggestion) -> tuple[object, ...]:
    return set(one.claim), set(one.evidence), set(one.labels)
