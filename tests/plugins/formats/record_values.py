"""What records say as plain values, and what each word of a report takes from it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.records import OwnedAnnotation, Record
from tui_annotate.plugins.formats.ragtruth import RESERVED_COLUMNS, SOURCE_COLUMNS
from tui_annotate.plugins.traits import RecordTrait

Said = dict[str, Any]


def views(records: Iterable[Record], name: str, told: Collection[str] = ()) -> list[Said]:
    """What records say, in their order, but for what a report of a format tells as lost.

    Raises:
        KeyError: it tells of something that no law here knows.
    """
    return [view(record, name, told) for record in records]


def view(record: Record, name: str, told: Collection[str] = ()) -> Said:
    """What a record says; annotations as a multiset, so that two records can be compared."""
    said = _said(record, name=name)
    unknown = set(told) - set(LOSSES) - LEFT_OUT
    if unknown:
        raise KeyError(f"no law for {sorted(unknown)}")
    for word, loss in LOSSES.items():
        if word in told:
            loss(said)
    rows, names = said.pop("annotations"), said.pop("names")
    said.pop("line ends")
    people = {row["person"] or "" for row in rows}
    plain = Counter(json.dumps(row, sort_keys=True) for row in rows)
    return said | {"annotations": plain, "people": {name: names.get(name) for name in people}}


def _said(record: Record, *, name: str) -> Said:
    sample, works = record.sample, record.assignments
    annotated = {owned.person for owned in record.annotations}
    empty = {w.person for w in works if w.state is State.DONE} - annotated
    return {
        "dataset": sample.dataset,
        "id": sample.id,
        "texts": [document.text for document in sample.documents],
        "titles": [(document.key, document.title) for document in sample.documents],
        "meta": dict(sample.meta),
        "original": _original(sample.imported),
        "group": sample.group,
        "request": sample.request,
        "kind": sample.kind,
        "about": record.about,
        "names": {person.id: person.name for person in record.people},
        "empty": sorted(empty),
        "states": sorted(
            (work.person, work.state.value)
            for work in works
            if work.state is not State.NEW and work.person not in empty
        ),
        "opinions": sorted((w.person, w.rating, w.comment) for w in works if w.rating or w.comment),
        "times": sorted(_times(work, name) for work in works if work.seconds or _acted(work, name)),
        "annotations": [_row(owned, own=f"imported:{name}") for owned in record.annotations],
        "line ends": {
            document.side.value: {at for at, sign in enumerate(document.text) if sign == "\n"}
            for document in sample.documents
        },
    }


def _times(work: Assignment, name: str) -> tuple[str, float, str]:
    return work.person, work.seconds, work.updated if _acted(work, name) else ""


def _acted(work: Assignment, name: str) -> bool:
    """Whether its time is that of a deed.

    Of what is new, and of a form's own nobody, it is when the sample came in.
    """
    return bool(work.updated) and work.state is not State.NEW and work.person != name


def _original(imported: Mapping[str, Any] | None) -> Any:
    """What only the record as it was read tells; the examples of the laws have it."""
    return (imported or {}).get("confidence")


def _row(owned: OwnedAnnotation, *, own: str) -> Said:
    one = owned.annotation
    return {
        "person": owned.person,
        "claim": _spans(one.claim),
        "evidence": _spans(one.evidence),
        "labels": sorted(one.labels),
        "note": one.note,
        "origin": "human" if one.origin == own else one.origin,
        "times": (one.created, one.updated),
        "version": (one.version, one.label_set, one.guidelines),
        "trace": repr(one.trace),
        "settled": repr(one.settled),
        "suggested": repr(one.suggested),
        "original": _original(one.imported),
    }


def _spans(anchors: Iterable[Anchor]) -> list[Any]:
    return [[a.side.value, a.index, a.span.start, a.span.end] for a in anchors]


# ---------------------------------------------------------------- what words take away
Loss = Callable[[Said], None]


def _without(name: str) -> Loss:
    return lambda said: said.update({name: None})


def _rows_without(name: str) -> Loss:
    return _each(lambda row: [row | {name: None}])


def _each(change: Callable[[Said], Iterable[Said]]) -> Loss:
    """What takes rows, and gives others for each."""

    def loss(said: Said) -> None:
        said["annotations"] = [new for row in said["annotations"] for new in change(row)]

    return loss


def _apart(name: str) -> Loss:
    """Rows with one of several things each."""
    return _each(lambda row: [row | {name: [each]} for each in row[name]] or [row])


def _all(*losses: Loss) -> Loss:
    def loss(said: Said) -> None:
        for each in losses:
            each(said)

    return loss


def _nobody(said: Said) -> None:
    """Everybody is one person."""
    said["names"] = {}
    said["empty"] = bool(said["empty"])
    said["states"] = sorted({state for _, state in said["states"]})
    _rows_without("person")(said)


def _joined(row: Said) -> Iterator[Said]:
    """Labels as words parted at dots, which say no more where a name ended."""
    words = {".".join(path) for path in row["labels"]}
    heads = {word[:at] for word in words for at in range(len(word) + 1) if f"{word}."[at] == "."}
    yield row | {"labels": sorted(heads)}


def _lowest(row: Said) -> Iterator[Said]:
    """Labels without those that stand above another one."""
    paths = row["labels"]
    above = {path[:depth] for path in paths for depth in range(1, len(path))}
    yield row | {"labels": [path for path in paths if path not in above]}


def _columns(*names: str) -> Loss:
    def loss(said: Said) -> None:
        said["meta"] = {key: value for key, value in said["meta"].items() if key not in names}

    return loss


def _inside(said: Said) -> None:
    """Spans as the places in them that are no line ends; claims of several as one. Done once."""
    ends: Mapping[str, set[int]] | None = said["line ends"]
    if ends is None:
        return
    said["line ends"] = None

    def places(spans: list[Any]) -> list[int]:
        found = {at for side, _, start, end in spans for at in set(range(start, end)) - ends[side]}
        return sorted(found)

    for row in said["annotations"]:
        claimed = bool(row["claim"])
        row["claim"] = places(row["claim"])
        evidence = row["evidence"]
        row["evidence"] = (
            sorted({tuple(places([span])) for span in evidence}) if claimed else places(evidence)
        )


def _with_more_than_line_ends(said: Said) -> None:
    ends: Mapping[str, set[int]] = said["line ends"]
    said["annotations"] = [
        row
        for row in said["annotations"]
        if all(set(range(s, e)) - ends[side] for side, _, s, e in row["claim"] + row["evidence"])
    ]


_PROOF, _UNLABELLED = "Evidence", "Unlabelled"
LOSSES: Mapping[str, Loss] = {
    "annotations that contain only line breaks": _with_more_than_line_ends,
    "line breaks at the start or end of spans": _inside,
    "claim spans that became one span, because only line breaks separate them": _inside,
    RecordTrait.UNCLAIMED: _each(lambda row: [row] if row["claim"] else []),
    RecordTrait.LINK: _each(lambda row: [row | {"evidence": []}] if row["claim"] else [row]),
    RecordTrait.FRAGMENTS: _apart("claim"),
    RecordTrait.EVIDENCES: _apart("evidence"),
    RecordTrait.SEVERAL: _apart("labels"),
    "the label Evidence, if the annotation has no claim": _each(
        lambda row: [row | {"labels": [p for p in row["labels"] if row["claim"] or p != (_PROOF,)]}]
    ),
    "labels named Unlabelled": _each(
        lambda row: [row | {"labels": [p for p in row["labels"] if p != (_UNLABELLED,)]}]
    ),
    "parent labels, if the same annotation also has the child label": _each(_lowest),
    "labels with a dot in a name": _each(_joined),
    RecordTrait.NOTE: _rows_without("note"),
    "line breaks in notes": _each(lambda row: [row | {"note": row["note"].replace("\n", " ")}]),
    RecordTrait.ORIGIN: _rows_without("origin"),
    RecordTrait.VERSION: _rows_without("version"),
    RecordTrait.TRACE: _rows_without("trace"),
    RecordTrait.SETTLED: _rows_without("settled"),
    RecordTrait.SUGGESTED: _rows_without("suggested"),
    RecordTrait.TIME: _all(_rows_without("times"), _without("times")),
    RecordTrait.ANNOTATOR: _nobody,
    RecordTrait.EMPTY: _without("empty"),
    RecordTrait.STATE: _without("states"),
    RecordTrait.OPINION: _without("opinions"),
    RecordTrait.META: _without("meta"),
    "metadata columns whose name RAGTruth reserves": _columns(*RESERVED_COLUMNS),
    "columns whose values differ between samples with the same source": _columns(*SOURCE_COLUMNS),
    RecordTrait.GROUP: _without("group"),
    RecordTrait.REQUEST: _without("request"),
    RecordTrait.KIND: _without("kind"),
    RecordTrait.TITLE: _without("titles"),
    RecordTrait.DATASET: _without("dataset"),
    RecordTrait.ABOUT: _without("about"),
    RecordTrait.IMPORTED: _all(_without("original"), _rows_without("original")),
    "sample ids that were renamed": _without("id"),
    "sample ids that were replaced by numbers": _all(_without("id"), _columns("id")),
}
"""In the order in which they are taken away: what makes other rows comes first."""

LEFT_OUT = frozenset(
    {
        RecordTrait.UNREAD.value,
        "samples whose annotations have no claim",
        "samples whose texts contain the separator of source and summary",
        (
            "samples whose texts contain the separator of source and summary or begin with a byte"
            " order mark"
        ),
    }
)
"""Words for whole samples that are not written."""
IN_THEM = "annotations of excluded samples"
