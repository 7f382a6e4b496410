"""What machines propose to annotators, and what a person answers; nobody's work until taken."""

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
_HINT: Final = "docs/suggestions.md has the form"


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """An annotation that a machine proposes; make one with `with_id`.

    Attributes:
        id: a hash of its content, so that a repetition is the same.
        maker: `judge:MODEL` or `import:NAME`.
        note: the machine's reason.
        score: in [0, 1] or None.

    Raises:
        InvalidInput: it marks nothing, or its score is outside [0, 1].
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
            raise InvalidInput("a suggestion marks neither claim nor evidence", _HINT)
        try:
            parse_score(self.score)
        except ValueError as error:
            raise InvalidInput(str(error), _HINT) from error


def with_id(key: SampleKey, suggestion: Suggestion) -> Suggestion:
    """Return the suggestion with its id on a sample; anchors and labels unique and sorted."""
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
    """As JSON values, in fixed order; anchors as [side, index, start, end]."""
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
    """The inverse of `suggestion_to_json`.

    Raises:
        InvalidInput: a value is missing or has the wrong shape; the message names it.
    """
    try:
        words = {name: value[name] for name in ("id", "maker", "run", "note")}
        if not all(isinstance(word, str) for word in words.values()):
            raise TypeError("id, maker, run and note must be text")
        labels = tuple(tuple(path) for path in value["labels"])
        if not all(path and all(isinstance(each, str) for each in path) for path in labels):
            raise TypeError("its labels are no paths")
        return Suggestion(
            **words,
            claim=tuple(anchor_from_json(anchor) for anchor in value["claim"]),
            evidence=tuple(anchor_from_json(anchor) for anchor in value["evidence"]),
            labels=labels,
            score=parse_score(value["score"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidInput(f"not a suggestion: {error}", _HINT) from error


class AnswerKind(StrEnum):
    """What a person makes of a suggestion."""

    ACCEPTED = "accepted"
    CHANGED = "changed"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestionAnswer:
    """A person's answer to a suggestion, as logged; `annotation` is empty for a refusal."""

    answer: AnswerKind
    maker: str
    reason: str = ""
    annotation: str = ""


def answer_to_json(given: SuggestionAnswer) -> dict[str, Any]:
    """As JSON values, in fixed order."""
    return asdict(given) | {"answer": given.answer.value}


def answer_from_json(value: Any) -> SuggestionAnswer:
    """The inverse of `answer_to_json`.

    Raises:
        InvalidInput: it is none.
    """
    parts = ("answer", "maker", "reason", "annotation")
    words = [value.get(name) for name in parts] if isinstance(value, Mapping) else [None]
    if not all(isinstance(word, str) for word in words):
        raise InvalidInput(f"not an answer to a suggestion: {', '.join(parts)} must be text", _HINT)
    answer, maker, reason, annotation = map(str, words)
    if answer not in list(AnswerKind):
        raise InvalidInput(f"not an answer to a suggestion: {answer!r}", _HINT)
    if (answer == AnswerKind.REFUSED) == bool(annotation):
        raise InvalidInput("an annotation comes of what was accepted, and of that alone", _HINT)
    return SuggestionAnswer(
        answer=AnswerKind(answer), maker=maker, reason=reason, annotation=annotation
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestionStatus:
    """A suggestion with one person's answer; with `annotation_exists`."""

    suggestion: Suggestion
    answer: AnswerKind | None = None
    reason: str = ""
    annotation: str = ""
    annotation_exists: bool = False

    @property
    def open(self) -> bool:
        """Whether it waits for an answer; also where what was made of it was removed since."""
        return self.answer is None or not (
            self.annotation_exists or self.answer is AnswerKind.REFUSED
        )

    @classmethod
    def of(cls, suggestion: Suggestion, given: SuggestionAnswer | None, *, stands: bool) -> Self:
        """The suggestion with an answer; None for none."""
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
    """Return the person's annotation of a suggestion; `changed` is their edited version, if any.

    Its id is `accepted_annotation_id`; the machine's reason does not become a note.
    """
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
    """The id of what a person makes of a suggestion, the same in all copies of their stream."""
    return str(uuid.uuid5(_NAMESPACE, f"{person}\n{suggestion_id}"))


def edited_provenance(before: Annotation, after: Annotation) -> Provenance | None:
    """Where an annotation comes from after an edit: with other content, it was changed."""
    origin = before.suggested
    if origin is None or origin.changed or _content_of(before) == _content_of(after):
        return origin
    return replace(origin, changed=True)


def _content_of(one: Annotation | Suggestion) -> tuple[object, ...]:
    """What counts as the content; neither the machine's reason nor a person's note does."""
    return set(one.claim), set(one.evidence), set(one.labels)
