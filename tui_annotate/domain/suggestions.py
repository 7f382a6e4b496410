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
_TEXT_FIELDS: Final = ("id", "maker", "run", "note")
_LIST_FIELDS: Final = ("claim", "evidence", "labels")
_ANSWER_FIELDS: Final = ("answer", "maker", "reason", "annotation")


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """An annotation that a machine proposes to annotators.

    Attributes:
        id: computed by `with_id` from sample, maker, spans and labels. Suggestions that differ only
            in note, score or run have the same id, so that a repeated suggestion is found again.
        maker: `judge:MODEL` or `import:NAME`.
        run: id of the machine's run that made the suggestion.
        note: the machine's reason; it never becomes the note of an annotation.
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

    The id is computed from the sample's key, the maker, the spans and the labels.
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


def suggestion_from_json(value: Any) -> Suggestion:
    """Parse what `suggestion_to_json` returns; InvalidInput names a missing or wrong value."""
    if not isinstance(value, Mapping):
        raise InvalidInput(f"a suggestion must be a JSON object, not {value!r:.50}", _HINT)
    missing = [name for name in _TEXT_FIELDS + _LIST_FIELDS + ("score",) if name not in value]
    if missing:
        raise InvalidInput(f"the suggestion lacks the field {missing[0]!r}", _HINT)
    for name in _TEXT_FIELDS:
        if not isinstance(value[name], str):
            raise InvalidInput(f"the field {name!r} of the suggestion must be text", _HINT)
    for name in _LIST_FIELDS:
        if not isinstance(value[name], list):
            raise InvalidInput(f"the field {name!r} of the suggestion must be a list", _HINT)
    for path in value["labels"]:
        if not _is_label_path(path):
            raise InvalidInput(
                f"the label {path!r} of the suggestion must be a list of names, from top level to"
                " sublabel",
                _HINT,
            )
    try:
        claim = tuple(anchor_from_json(anchor) for anchor in value["claim"])
        evidence = tuple(anchor_from_json(anchor) for anchor in value["evidence"])
        score = parse_score(value["score"])
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidInput(f"invalid suggestion: {error}", _HINT) from error
    return Suggestion(
        **{name: value[name] for name in _TEXT_FIELDS},
        claim=claim,
        evidence=evidence,
        labels=tuple(tuple(path) for path in value["labels"]),
        score=score,
    )


def _is_label_path(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(name, str) for name in value)


class AnswerKind(StrEnum):
    """What an annotator did with a suggestion."""

    ACCEPTED = "accepted"
    CHANGED = "changed"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestionAnswer:
    """A person's answer to a suggestion, as stored in the event log.

    Attributes:
        maker: who made the suggestion, so that the answer can be counted without it.
        reason: why the person refused the suggestion; empty for none.
        annotation: id of the annotation that the person accepted; empty if refused.
    """

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
    if not isinstance(value, Mapping):
        raise InvalidInput(
            f"an answer to a suggestion must be a JSON object, not {value!r:.50}", _HINT
        )
    for name in _ANSWER_FIELDS:
        if not isinstance(value.get(name), str):
            raise InvalidInput(
                f"the field {name!r} of an answer to a suggestion must be text", _HINT
            )
    if value["answer"] not in list(AnswerKind):
        raise InvalidInput(f"{value['answer']!r} is not an answer to a suggestion", _HINT)
    answer = AnswerKind(value["answer"])
    has_annotation = bool(value["annotation"])
    is_refused = answer is AnswerKind.REFUSED
    if has_annotation == is_refused:
        raise InvalidInput(
            "an accepted suggestion must name its annotation; a refused suggestion must name none",
            _HINT,
        )
    return SuggestionAnswer(
        answer=answer,
        maker=value["maker"],
        reason=value["reason"],
        annotation=value["annotation"],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestionStatus:
    """A suggestion together with one person's answer to it.

    Attributes:
        answer: None if the person did not answer.
        reason: why the person refused the suggestion; empty for none.
        annotation: id of the annotation that the person accepted; empty without one.
        annotation_exists: whether that annotation was not deleted since.
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
    def of(
        cls, suggestion: Suggestion, given: SuggestionAnswer | None, *, annotation_exists: bool
    ) -> Self:
        """Combine a suggestion and one person's answer to it."""
        if given is None:
            return cls(suggestion=suggestion)
        return cls(
            suggestion=suggestion,
            answer=given.answer,
            reason=given.reason,
            annotation=given.annotation,
            annotation_exists=annotation_exists,
        )


def take_suggestion(person: str, suggestion: Suggestion, changed: Annotation | None) -> Annotation:
    """Return the annotation that a person creates by accepting a suggestion.

    Args:
        person: id of the person.
        changed: the annotation as the person changed it before they accepted it; its id is
            replaced. None if they accepted the suggestion as it is.
    """
    name = accepted_annotation_id(person, suggestion.id)
    if changed is None:
        made = Annotation(name, suggestion.claim, suggestion.evidence, suggestion.labels)
    else:
        made = replace(changed, id=name)
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
