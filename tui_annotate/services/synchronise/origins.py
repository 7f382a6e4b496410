"""Which annotations were made of a suggestion, told beside a line that knows their spans alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tui_annotate.domain.annotations import (
    Annotation,
    anchor_to_json,
    annotation_from_json,
    annotation_to_json,
    well_made,
)
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.history import Payload, StreamState
from tui_annotate.domain.items import PASSAGE
from tui_annotate.domain.provenance import provenance_to_json
from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import Sample
from tui_annotate.plugins.admission import identifier

KEY: Final = "suggested"
_HINT: Final = "it is left as it is in the table"


def told(record: Record) -> list[dict[str, Any]]:
    """Id, anchors and provenance of each annotation that was made of a suggestion, by id."""
    made = (owned.annotation for owned in record.annotations)
    found = [(one, one.suggested) for one in made if one.suggested is not None]
    return [
        {
            "id": one.id,
            "claim": [anchor_to_json(anchor) for anchor in one.claim],
            "evidence": [anchor_to_json(anchor) for anchor in one.evidence],
            "suggested": provenance_to_json(suggested),
        }
        for one, suggested in sorted(found, key=lambda each: each[0].id)
    ]


def read(value: Any, sample: Sample, state: StreamState, *, at: str) -> dict[str, Payload]:
    """The annotations that `told` told, by id: as they stand here, where they are the same.

    Args:
        value: what stands under `KEY`.
        at: when the row was written.

    Raises:
        InvalidInput, InvalidSpan, NotFound: it is no such list, or does not fit the sample.
    """
    if not isinstance(value, list):
        raise InvalidInput(f"its {KEY!r} is no list", _HINT)
    found = (_annotation(each, sample, at=at) for each in value)
    return {one.id: _standing(one, state) for one in found}


def _annotation(value: Any, sample: Sample, *, at: str) -> Annotation:
    if not isinstance(value, Mapping):
        raise InvalidInput(f"its {KEY!r} holds what is no annotation", _HINT)
    plain = {name: value.get(name) or () for name in ("claim", "evidence")}
    plain["id"] = identifier(value.get("id"), what="id of an annotation")
    own = {KEY: value.get(KEY), "labels": [PASSAGE], "created": at, "updated": at}
    annotation = well_made(annotation_from_json({**plain, **own}), sample)
    if annotation.suggested is None:
        raise InvalidInput(f"its annotation {annotation.id!r} lacks where it is from", _HINT)
    return annotation


def _standing(annotation: Annotation, state: StreamState) -> Payload:
    here = state.annotations.get(annotation.id)
    told_ = annotation_to_json(annotation)
    same = here is not None and all(here.get(name) == told_[name] for name in _SAME)
    return here if here is not None and same else told_


_SAME: Final = ("claim", "evidence", "suggested")
