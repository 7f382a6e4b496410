"""Options of a comparison between annotators, as of the command `agreement`."""

from __future__ import annotations

from dataclasses import dataclass

from tui_annotate.domain.assignments import State
from tui_annotate.domain.keyword_names import check_field_names


@check_field_names()
@dataclass(frozen=True, slots=True)
class AgreementOptions:
    """Filters of an agreement comparison; an empty value excludes nothing.

    Attributes:
        people: annotators to compare with one another; a single one is compared with all others.
        label_level: number of levels of a label's path that are compared; 0 for all.
        label_set, guidelines: first characters of the hash of a version.
        after_review: whether to compare the work as it is now; by default it is compared as it was
            when its sample was first adjudicated.
        without_suggested_work: whether to exclude readings in which the annotator answered a
            machine's suggestion.
    """

    dataset: str = ""
    people: tuple[str, ...] = ()
    origin: str = ""
    state: str = State.DONE.value
    label: str = ""
    label_level: int = 0
    label_set: str = ""
    since: str = ""
    kind: str = ""
    guidelines: str = ""
    after_review: bool = False
    without_suggested_work: bool = False
