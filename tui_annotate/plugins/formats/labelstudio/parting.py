"""Tasks with one text that is a source, a separator and a summary, as if they had two."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from tui_annotate.domain.samples import Side
from tui_annotate.plugins.covered import Quoted, reading
from tui_annotate.plugins.joined import SEPARATOR, Joined, part
from tui_annotate.plugins.protocols import ImportOptions

_LENGTHS: Final = ("source_len", "sep_len")
_OF_REGIONS: Final = ("labels", "choices", "textarea", "taxonomy")
_PARTS: Final = ("annotations", "predictions")


@dataclass(frozen=True, slots=True)
class Parted:
    """A task with two texts.

    Attributes:
        options: that name the two.
        unit: how spans count now; empty where the task had two texts before.
        was: how spans counted in the one text.
    """

    fields: Mapping[str, Any]
    options: ImportOptions
    unit: str = ""
    was: str = ""


def parted(fields: Mapping[str, Any], options: ImportOptions, *, unit: str) -> Parted:
    """The task, parted where it has one text and that is certain; else as it is.

    It is where both options name one column, or where neither names one that is there and one text
    alone holds the separator once, or has its lengths beside it.

    Args:
        unit: what spans are counted in once they are read.

    Raises:
        InvalidInput: the text is not parted once, or a span does not fit, or is in both parts.
    """
    data = fields.get("data")
    column = _column(data, options) if isinstance(data, dict) else ""
    if not column or not isinstance(data, dict):
        return Parted(fields, options)
    joined = part(data[column], **{name: data.get(name) for name in _LENGTHS})
    names = {side: f"{column} ({side})" for side in Side}
    rest = {name: value for name, value in data.items() if name not in (column, *_LENGTHS)}
    texts = {names[Side.SOURCE]: joined.source, names[Side.SUMMARY]: joined.summary}
    moved, was = _moved(fields, joined, names, column=column)
    chosen = replace(options, source_column=names[Side.SOURCE], summary_column=names[Side.SUMMARY])
    return Parted({**fields, **moved, "data": texts | rest}, chosen, unit, was or unit)


def _column(data: Mapping[str, Any], options: ImportOptions) -> str:
    wanted = (options.source_column, options.summary_column)
    if wanted[0] == wanted[1]:
        return wanted[0] if isinstance(data.get(wanted[0]), str) else ""
    if any(name in data for name in wanted):
        return ""
    told = all(name in data for name in _LENGTHS)
    found = [
        name
        for name, value in data.items()
        if isinstance(value, str) and (value.count(SEPARATOR) == 1 or (told and name == "text"))
    ]
    return found[0] if len(found) == 1 else ""


def _moved(
    fields: Mapping[str, Any], joined: Joined, names: Mapping[Side, str], *, column: str
) -> tuple[dict[str, Any], str]:
    """Submissions and predictions with their regions in the two texts, and how they counted."""
    regions = list(_regions(fields))
    about = {item.get("to_name") for item, _ in regions if isinstance(item.get("to_name"), str)}
    name = column if len(about) > 1 else next(iter(about), column)
    mine = [(item, span) for item, span in regions if item.get("to_name") == name]
    read = reading(joined.text, [_quoted(span) for _, span in mine], unit="")
    places = {}
    for (item, _), span in zip(mine, read.spans, strict=True):
        anchor = joined.anchor(span, what=f"region {str(item.get('id'))[:40]!r}")
        value = item["value"] | {"start": anchor.span.start, "end": anchor.span.end}
        if item["type"] == "labels" and "text" in value:
            value["text"] = span.of(joined.text)
        places[id(item)] = {**item, "to_name": names[anchor.side], "value": value}
    moved = {
        kind: [
            {**one, "result": [places.get(id(item), item) for item in one["result"]]}
            if isinstance(one, dict) and isinstance(one.get("result"), list)
            else one
            for one in found
        ]
        for kind in _PARTS
        if isinstance(found := fields.get(kind), list)
    }
    return moved, read.unit


def _regions(fields: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """The items that are about a span, each with the one of its region that has the span.

    What else is wrong with a result is told by its reader.
    """
    for kind in _PARTS:
        found = fields.get(kind)
        for one in found if isinstance(found, list) else ():
            result = one.get("result") if isinstance(one, dict) else None
            items = result if isinstance(result, list) else []
            mine = [item for item in items if isinstance(item, dict) and _of_region(item)]
            spans = {str(item.get("id")): item for item in mine if item["type"] == "labels"}
            yield from ((item, spans.get(str(item.get("id")), item)) for item in mine)


def _of_region(item: Mapping[str, Any]) -> bool:
    value = item.get("value")
    return item.get("type") in _OF_REGIONS and isinstance(value, dict) and "start" in value


def _quoted(item: Mapping[str, Any]) -> Quoted:
    value = item["value"]
    quote = value.get("text") if item.get("type") == "labels" else None
    quote = quote if isinstance(quote, str) else None
    what = f"region {str(item.get('id'))[:40]!r}"
    return Quoted(value.get("start"), value.get("end"), quote, what)
