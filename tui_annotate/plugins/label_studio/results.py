"""Parses one Label Studio submission or prediction: labelled regions, notes and relations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.plural import format_count
from tui_annotate.domain.samples import Side
from tui_annotate.plugins.joined_texts import (
    EVIDENCE,
    SEPARATOR,
    JoinedTexts,
    count_lost_parts,
    group_linked,
    split_text,
)
from tui_annotate.plugins.json_records import (
    Doubt,
    check_object,
    join_label,
    keep_readable,
    parse_label,
)
from tui_annotate.plugins.offset_units import QuotedSpan, fit_offsets
from tui_annotate.plugins.protocols import ImportOptions
from tui_annotate.plugins.record_validation import describe_value
from tui_annotate.plugins.span_columns import number_as_text
from tui_annotate.plugins.traits import FormatTraits, RecordTrait, carry_all_but, carry_plainly

FORMAT: Final = "labelstudio"
MACHINE: Final = "machine:"
"""Prefix of a model's name in the model's id and in the origin of the model's predictions."""
UNIT: Final = "offset_unit"
"""Key in a Label Studio task whose value is the unit of offsets; only this program writes it."""
OF_TASK: Final = ("inner_id", "meta")
NOT_TAKEN: Final = ("project", "file_upload")
"""Fields of a Label Studio task that have no meaning outside the task's project."""
OF_DATA: Final = ("sample_id", "dataset", "group", "kind", "request", "meta", "about", UNIT)
"""Keys that are read from a Label Studio task's data, in addition to those of the two texts."""

ABOUT: Final = FormatTraits(
    title="Label Studio's tasks, a JSON list",
    carried=carry_all_but(
        RecordTrait.VERSION, RecordTrait.TRACE, RecordTrait.SETTLED, RecordTrait.SUGGESTED,
        RecordTrait.TITLE, RecordTrait.IMPORTED,
    ) | carry_plainly(fragments="relations", link="relations", tree="joined", origin="predictions"),
)  # fmt: skip


_LENGTHS: Final = ("source_len", "sep_len")
_REGION_TYPES: Final = ("labels", "choices", "textarea", "taxonomy")
_OFFSET_FIELDS: Final = frozenset({"start", "end", "startOffset", "endOffset", "globalOffsets"})
_REGION_FIELDS: Final = frozenset({*_OFFSET_FIELDS, "text", *_REGION_TYPES})
_RESULT_LISTS: Final = ("annotations", "predictions")


@dataclass(slots=True)
class Region:
    """Span with labels and notes; `item` is the unchanged item of type `labels`, else the first."""

    side: Side
    quoted: QuotedSpan
    item: dict[str, Any]
    labels: list[LabelPath] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass(slots=True)
class RegionGroup:
    """Spans that form one annotation; without a claim, `heads` contains the evidence."""

    heads: list[Region]
    evidence: list[Region] = field(default_factory=list)


class Result:
    """Parsed content of a Label Studio submission or prediction: regions, rating and comment."""

    def __init__(self, items: Any, sides: Mapping[str, Side]) -> None:
        if not isinstance(items, list):
            raise InvalidInput(f"'result' is {describe_value(items)}, not a list of objects")
        self.doubts: list[Doubt] = []
        checked = keep_readable(
            lambda item: check_object(item, what="result item"), items, self.doubts
        )
        self.regions: dict[str | int, Region] = {}  # a region without an id has a number
        self.rating = ""
        self.comment = ""
        self.left_out: Counter[str] = Counter()
        self._sides = sides
        self._relations = [item for item in checked if item.get("type") == "relation"]
        others = [item for item in checked if item.get("type") != "relation"]
        keep_readable(self._read_item, others, self.doubts)

    def _read_item(self, item: dict[str, Any]) -> None:
        kind = item.get("type")
        value = item.get("value")
        if not isinstance(value, dict):
            raise InvalidInput(
                f"the value of a result item is {describe_value(value)}, not a JSON object"
            )
        if kind not in _REGION_TYPES:
            if not _OFFSET_FIELDS.isdisjoint(value):
                # It marks a span: without it, "nothing marked" would be false.
                raise InvalidInput(
                    f"a region has the type {describe_value(kind)}, which is not read"
                )
            self.left_out[f"items of type {kind!r}"] += 1
        elif "start" not in value and kind != "labels":
            self._read_task_item(str(kind), item, value)
        else:
            self._read_region_item(str(kind), item, value)

    def _read_task_item(self, kind: str, item: Mapping[str, Any], value: Mapping[str, Any]) -> None:
        words = _read_words(value, "text" if kind == "textarea" else kind)
        if kind == "choices" and not self.rating and len(words) == 1:
            self.rating = words[0]
        elif kind == "textarea" and not self.comment:
            self.comment = "\n".join(words)
        else:
            name = item.get("from_name")
            named = f" {name!r}" if isinstance(name, str) and name else ""
            self.left_out[
                f"result items{named} of type {kind!r} that are about the whole task, not about a"
                " span"
            ] += 1

    def _read_region_item(self, kind: str, item: dict[str, Any], value: Mapping[str, Any]) -> None:
        name = item.get("to_name")
        key = item.get("id")
        side = self._sides.get(name) if isinstance(name, str) else None
        if side is None:
            raise InvalidInput(
                f"a result item is about {name!r}, which is none of the texts"
                f" {', '.join(self._sides)}",
                "name the source and the summary with --source-column and --summary-column",
            )
        notes = _read_words(value, "text") if kind == "textarea" else []
        meta = item.get("meta")
        if isinstance(meta, dict) and "text" in meta:  # the note that annotators write on a region
            notes += _read_words(meta, "text")
        labels = _read_taxonomy(value) if kind == "taxonomy" else []
        if kind in ("labels", "choices"):
            labels = [parse_label(word) for word in _read_words(value, kind)]
        for unread in value.keys() - _REGION_FIELDS:
            self.left_out[f"regions' field {unread!r}"] += 1
        if item.get("score") is not None:
            self.left_out["scores of regions"] += 1
        named = str(key) if isinstance(key, str | int) else len(self.regions)
        region = self._add_region(named, side, item)
        region.notes += [note for note in notes if note not in region.notes]
        region.labels += labels

    def _add_region(self, key: str | int, side: Side, item: dict[str, Any]) -> Region:
        name = f"region {key[:40]!r}" if isinstance(key, str) else "a region without an id"
        quoted = _make_quoted(item, f"{side} span of {name}")
        region = self.regions.setdefault(key, Region(side, quoted, item))
        if region.side is not side:
            raise InvalidInput(
                f"{name} has spans in both the source and the summary",
                "use a different region id in each text",
            )
        if item["type"] == "labels":
            region.item = item
            region.quoted = quoted
        return region

    def groups(self, placed: Container[int]) -> Iterator[RegionGroup]:
        """Yield annotations of the regions that have a span: their `id()` is in `placed`."""
        self.regions = {key: one for key, one in self.regions.items() if id(one) in placed}
        sides: dict[str | int, Side] = {key: one.side for key, one in self.regions.items()}
        groups = list(group_linked(sides, self._read_relations(), self.left_out))
        labels = {
            key: {join_label(path) for path in region_labels(one)}
            for key, one in self.regions.items()
        }
        notes = {key: "\n".join(one.notes) for key, one in self.regions.items()}
        count_lost_parts(groups, labels, notes, left_out=self.left_out)
        for heads, evidence in groups:
            yield RegionGroup(
                [self.regions[key] for key in heads], [self.regions[key] for key in evidence]
            )

    def _read_relations(self) -> Iterator[tuple[str | int, str | int, list[str]]]:
        for item in self._relations:
            start = str(item.get("from_id"))
            end = str(item.get("to_id"))
            if start not in self.regions or end not in self.regions or start == end:
                self.left_out["relations that do not connect two regions"] += 1
                continue
            labels = item.get("labels")
            if item.get("direction") == "left":
                start, end = end, start
            kinds = labels if isinstance(labels, list) else []
            yield start, end, [kind for kind in kinds if isinstance(kind, str)]


def region_labels(region: Region) -> tuple[LabelPath, ...]:
    """Return the distinct labels of a Label Studio region; omit `Evidence` if it marks evidence."""
    plain = (EVIDENCE,) if region.side is Side.SOURCE else ()
    return tuple(path for path in dict.fromkeys(region.labels) if path != plain)


def _read_words(value: Mapping[str, Any], key: str) -> list[str]:
    words = value.get(key, [])
    words = [words] if isinstance(words, str) else words
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise InvalidInput(
            f"{key!r} of a result item is {describe_value(words)}, not a list of texts"
        )
    return words


def _read_taxonomy(value: Mapping[str, Any]) -> list[LabelPath]:
    paths = value.get("taxonomy", [])
    if not isinstance(paths, list):
        raise InvalidInput(f"'taxonomy' is {describe_value(paths)}, not a list of label paths")
    for path in paths:
        if not isinstance(path, list) or not path or not all(isinstance(n, str) for n in path):
            raise InvalidInput(
                f"{path!r} in 'taxonomy' is not a list of names, from top level to sublabel"
            )
    return [tuple(path) for path in paths]


def list_unread_fields(fields: Mapping[str, Any]) -> Iterator[str]:
    """Yield descriptions of the task's fields with content that the import ignores."""
    if isinstance(drafts := fields.get("drafts"), list) and drafts:
        yield format_count(len(drafts), "unsubmitted draft")
    for name in NOT_TAKEN:
        if fields.get(name) not in (None, ""):
            yield f"{name!r} of the task"


@dataclass(frozen=True, slots=True)
class SplitTask:
    """Label Studio task with a source text and a summary text, which the file may have joined.

    Attributes:
        unit: unit of the offsets after the split; empty if unknown.
        was: unit of the offsets in the joined text.
        incomplete: 0-based positions of the submissions of which a region was refused.
    """

    fields: Mapping[str, Any]
    options: ImportOptions
    unit: str = ""
    was: str = ""
    doubts: tuple[Doubt, ...] = ()
    incomplete: frozenset[int] = frozenset()


def split_task(fields: Mapping[str, Any], options: ImportOptions, *, unit: str) -> SplitTask:
    """Split the text of a Label Studio task into source and summary if both are joined.

    A text is joined if both column options name the same column, or if exactly one text contains
    the separator once or is described by the lengths of its parts.

    Raises:
        InvalidInput: the text cannot be split.
    """
    data = fields.get("data")
    column = _joined_column(data, options) if isinstance(data, dict) else ""
    if not column or not isinstance(data, dict):
        return SplitTask(fields, options)
    joined = split_text(data[column], **{name: data.get(name) for name in _LENGTHS})
    names = {side: f"{column} ({side})" for side in Side}
    rest = {name: value for name, value in data.items() if name not in (column, *_LENGTHS)}
    texts = {names[Side.SOURCE]: joined.source, names[Side.SUMMARY]: joined.summary}
    places, was, doubts = _split_regions(
        fields, joined, names, column=column, offsets=options.offsets
    )
    chosen = replace(
        options,
        source_column=names[Side.SOURCE],
        summary_column=names[Side.SUMMARY],
        offsets="",  # the offsets are converted already
    )
    divided = {**fields, **_move_regions(fields, places), "data": texts | rest}
    incomplete = _find_incomplete(fields, places)
    return SplitTask(divided, chosen, unit, was or unit, tuple(doubts), incomplete)


def _joined_column(data: Mapping[str, Any], options: ImportOptions) -> str:
    wanted = (options.source_column, options.summary_column)
    if wanted[0] == wanted[1]:
        return wanted[0] if isinstance(data.get(wanted[0]), str) else ""
    if any(name in data for name in wanted):
        return ""
    has_lengths = all(name in data for name in _LENGTHS)
    found = [
        name
        for name, value in data.items()
        if isinstance(value, str)
        and (value.count(SEPARATOR) == 1 or (has_lengths and name == "text"))
    ]
    return found[0] if len(found) == 1 else ""


_Moved = Mapping[int, dict[str, Any] | None]
"""Maps the `id()` of a region's item to the item in the separate texts; None: it is refused."""


def _split_regions(
    fields: Mapping[str, Any],
    joined: JoinedTexts,
    names: Mapping[Side, str],
    *,
    column: str,
    offsets: str,
) -> tuple[_Moved, str, list[Doubt]]:
    """Return the moved items of a joined text, the unit of their offsets, and warnings."""
    regions = list(_list_region_items(fields))
    about = {item["to_name"] for item, _ in regions if isinstance(item.get("to_name"), str)}
    name = column if len(about) > 1 else next(iter(about), column)
    mine = [(item, span) for item, span in regions if item.get("to_name") == name]
    quoted = [_make_quoted(span, _name_region(span)) for _, span in mine]
    read = fit_offsets(joined.text, quoted, unit="", stated=offsets)
    doubts = list(dict.fromkeys(read.doubts))
    places: dict[int, dict[str, Any] | None] = {}
    for (item, _), span in zip(mine, read.spans, strict=True):
        places[id(item)] = None
        if span is None:
            continue
        try:
            anchor = joined.anchor(span, what=_name_region(item))
        except InvalidInput as error:
            doubts.append(error)
            continue
        value = item["value"] | {"start": anchor.span.start, "end": anchor.span.end}
        if item["type"] == "labels" and "text" in value:
            value["text"] = span.of(joined.text)
        places[id(item)] = {**item, "to_name": names[anchor.side], "value": value}
    return places, read.unit, doubts


def _move_regions(fields: Mapping[str, Any], places: _Moved) -> dict[str, list[Any]]:
    """Return the lists of submissions and predictions with moved items, without refused ones."""
    moved: dict[str, list[Any]] = {}
    for kind in _RESULT_LISTS:
        found = fields.get(kind)
        if isinstance(found, list):
            moved[kind] = [_move_items(one, places) for one in found]
    return moved


def _move_items(submission: Any, places: _Moved) -> Any:
    if not isinstance(submission, dict) or not isinstance(submission.get("result"), list):
        return submission
    kept = [item for item in submission["result"] if not _is_refused(item, places)]
    return {**submission, "result": [places.get(id(item), item) for item in kept]}


def _find_incomplete(fields: Mapping[str, Any], places: _Moved) -> frozenset[int]:
    """Return the positions of the submissions of which a region is refused."""
    found = fields.get("annotations")
    return frozenset(
        place
        for place, one in enumerate(found if isinstance(found, list) else ())
        if any(_is_refused(item, places) for item in _list_items(one))
    )


def _is_refused(item: Any, places: _Moved) -> bool:
    return id(item) in places and places[id(item)] is None


def _list_items(submission: Any) -> list[Any]:
    result = submission.get("result") if isinstance(submission, dict) else None
    return result if isinstance(result, list) else []


def _list_region_items(
    fields: Mapping[str, Any],
) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    for kind in _RESULT_LISTS:
        found = fields.get(kind)
        for one in found if isinstance(found, list) else ():
            items = _list_items(one)
            mine = [item for item in items if isinstance(item, dict) and _is_region_item(item)]
            spans = {str(item.get("id")): item for item in mine if item["type"] == "labels"}
            yield from ((item, spans.get(str(item.get("id")), item)) for item in mine)


def _is_region_item(item: Mapping[str, Any]) -> bool:
    value = item.get("value")
    return item.get("type") in _REGION_TYPES and isinstance(value, dict) and "start" in value


def _make_quoted(item: Mapping[str, Any], what: str) -> QuotedSpan:
    value = item["value"]
    quote = read_quote(value) if item.get("type") == "labels" else None
    return QuotedSpan(value.get("start"), value.get("end"), quote, what)


def read_quote(value: Mapping[str, Any]) -> str | None:
    """Return the text that a region of type `labels` quotes; a number is read as its text.

    Raises:
        InvalidInput: the quote is neither text nor a number.
    """
    quote = number_as_text(value.get("text"))
    if quote is not None and not isinstance(quote, str):
        raise InvalidInput(f"the quoted text of a region is {describe_value(quote)}, not text")
    return quote


def _name_region(item: Mapping[str, Any]) -> str:
    return f"region {str(item.get('id'))[:40]!r}"
