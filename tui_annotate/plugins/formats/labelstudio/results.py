"""The result of one submission or prediction: regions, what is told of each, and relations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.nouns import many
from tui_annotate.domain.samples import Side
from tui_annotate.plugins.admission import described
from tui_annotate.plugins.covered import Quoted
from tui_annotate.plugins.formats.labelstudio.names import EVIDENCE, NOT_TAKEN, PART
from tui_annotate.plugins.imported import label_path


@dataclass(slots=True)
class Region:
    """A span with what is told of it under its id.

    Attributes:
        item: its first item, as it came.
    """

    side: Side
    quoted: Quoted
    item: dict[str, Any]
    labels: list[LabelPath] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Group:
    """The regions of one annotation: a first one with further parts, and evidence."""

    heads: list[Region]
    evidence: list[Region] = field(default_factory=list)


class Result:
    """Reads a result.

    Args:
        sides: the side of the text that each name of an object tag means.

    Raises:
        InvalidInput: it is of the wrong shape, or an item is about another text.
    """

    def __init__(self, items: Any, sides: Mapping[str, Side]) -> None:
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            raise InvalidInput("'result' is no list of objects")
        self.regions: dict[str, Region] = {}
        self.rating = ""
        self.comment = ""
        self.left_out: Counter[str] = Counter()
        self._sides = sides
        self._relations = [item for item in items if item.get("type") == "relation"]
        for item in items:
            if item.get("type") != "relation":
                self._item(item)

    def _item(self, item: dict[str, Any]) -> None:
        kind, value = item.get("type"), item.get("value")
        if not isinstance(value, dict):
            raise InvalidInput(f"the value of an item is {described(value)}, not an object")
        if kind not in ("labels", "choices", "taxonomy", "textarea"):
            self.left_out[f"items of type {kind!r}"] += 1
        elif "start" not in value and kind != "labels":
            self._of_task(str(kind), value)
        else:
            self._of_region(str(kind), item, value)

    def _of_task(self, kind: str, value: Mapping[str, Any]) -> None:
        words = _words(value, "text" if kind == "textarea" else kind)
        if kind == "choices" and not self.rating and len(words) == 1:
            self.rating = words[0]
        elif kind == "textarea" and not self.comment:
            self.comment = "\n".join(words)
        else:
            self.left_out[f"{kind} of the whole task"] += 1

    def _of_region(self, kind: str, item: dict[str, Any], value: Mapping[str, Any]) -> None:
        name, key = item.get("to_name"), item.get("id")
        side = self._sides.get(name) if isinstance(name, str) else None
        if side is None:
            raise InvalidInput(
                f"an item is about {name!r}, which is neither {' nor '.join(self._sides)}",
                "name the texts with --source-column and --summary-column",
            )
        key = key if isinstance(key, str | int) else f"\0{len(self.regions)}"
        region = self._region(str(key), side, item)
        if kind == "textarea":
            region.notes += _words(value, "text")
        elif kind == "taxonomy":
            region.labels += _paths(value)
        else:
            region.labels += map(label_path, _words(value, kind))

    def _region(self, key: str, side: Side, item: dict[str, Any]) -> Region:
        """The region of an id; where it is, its item of labels says."""
        value = item["value"]
        quote = value.get("text") if item["type"] == "labels" else None
        what = f"{side} span of region {key[:40]!r}"
        quote = quote if isinstance(quote, str) else None
        quoted = Quoted(value.get("start"), value.get("end"), quote, what)
        region = self.regions.setdefault(key, Region(side, quoted, item))
        if region.side is not side:
            raise InvalidInput(f"region {key[:40]!r} is about both texts", "give each its own id")
        if item["type"] == "labels":
            region.item, region.quoted = item, quoted
        return region

    def groups(self) -> Iterator[Group]:
        """The annotations, in the order of their first regions."""
        parts: dict[str, list[str]] = {}
        links: dict[str, list[str]] = {}
        for start, end, labels in self._ends():
            one, other = self.regions[start], self.regions[end]
            if one.side is other.side and PART in labels:
                parts.setdefault(start, []).append(end)
            elif one.side is not other.side:
                claim = (start, end) if one.side is Side.SUMMARY else (end, start)
                links.setdefault(claim[0], []).append(claim[1])
            else:
                self.left_out["relations inside one text"] += 1
        taken = {end for ends in (*parts.values(), *links.values()) for end in ends}
        for key, region in self.regions.items():
            if key not in taken or (region.side is Side.SUMMARY and key in links):
                heads = [region, *(self.regions[end] for end in parts.get(key, ()))]
                ends = dict.fromkeys(links.get(key, ()))
                yield Group(heads, [self.regions[end] for end in ends])

    def _ends(self) -> Iterator[tuple[str, str, list[Any]]]:
        for item in self._relations:
            start, end = str(item.get("from_id")), str(item.get("to_id"))
            if start not in self.regions or end not in self.regions or start == end:
                self.left_out["relations of no two regions"] += 1
                continue
            labels = item.get("labels")
            if item.get("direction") == "left":
                start, end = end, start
            yield start, end, labels if isinstance(labels, list) else []


def own_labels(region: Region) -> tuple[LabelPath, ...]:
    """Its labels, each once; on the source, without the one that says that it is evidence."""
    plain = (EVIDENCE,) if region.side is Side.SOURCE else ()
    return tuple(path for path in dict.fromkeys(region.labels) if path != plain)


def _words(value: Mapping[str, Any], key: str) -> list[str]:
    words = value.get(key, [])
    words = [words] if isinstance(words, str) else words
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise InvalidInput(f"{key!r} of an item is {described(words)}, not a list of words")
    return words


def _paths(value: Mapping[str, Any]) -> list[LabelPath]:
    paths = value.get("taxonomy", [])
    if not isinstance(paths, list):
        raise InvalidInput(f"'taxonomy' is {described(paths)}, not a list of paths")
    for path in paths:
        if not isinstance(path, list) or not path or not all(isinstance(n, str) for n in path):
            raise InvalidInput(f"{path!r} is no path of a taxonomy")
    return [tuple(path) for path in paths]


def of_project(fields: Mapping[str, Any]) -> Iterator[str]:
    """What a task has and no record can hold: work never submitted, names of its project."""
    if isinstance(drafts := fields.get("drafts"), list) and drafts:
        yield f"{many(len(drafts), 'draft')}, which nobody submitted"
    for name in NOT_TAKEN:
        if fields.get(name) not in (None, ""):
            yield f"{name!r} of the task"
