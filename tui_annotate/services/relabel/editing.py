"""Changes the text of a label set where it says so, and nowhere else: comments and order stay.

What comes out is read again, and must be the set that was meant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import yaml

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.errors import InvalidLabels
from tui_annotate.domain.label_files import parse_labels
from tui_annotate.domain.labels import JOINER, LabelTree
from tui_annotate.domain.relabelling import below
from tui_annotate.services.relabel.outline import Item, end_of, outline

_COPIED: Final = ("evidence", "note", "exclusive")
"""Rules that the labels that come of another one take from it."""

Edit = tuple[int, int, str]
"""From where to where the text is replaced, and by what."""


@dataclass(frozen=True, slots=True)
class _Text:
    """A sound label set."""

    text: str
    items: Mapping[LabelPath, Item]

    def end(self, node: yaml.Node) -> int:
        return end_of(node, self.text)

    def line_end(self, at: int) -> int:
        found = self.text.find("\n", at)
        end = len(self.text) if found < 0 else found
        return end - 1 if self.text[at:end].endswith("\r") else end

    def line_start(self, at: int) -> int:
        return self.text.rfind("\n", 0, at) + 1


def rename(text: str, old: LabelPath, name: str) -> str:
    """A label set with another name for a label; what is below it goes along."""
    new = (*old[:-1], name)
    return _changed(
        text,
        lambda at: _renaming(at, old, name),
        split=lambda path: new + path[len(old) :] if below(path, old) else path,
    )


def retire(text: str, path: LabelPath) -> str:
    """A label set in which a label stays for old work alone."""
    return _changed(text, lambda at: _setting(at, at.items[path], "retired", value="true"))


def split(text: str, old: LabelPath, parts: Sequence[LabelPath]) -> str:
    """A label set in which others stand in for a label; those that it lacks come beside it."""

    def edits(at: _Text) -> Iterator[Edit]:
        item = at.items[old]
        yield from _setting(at, item, "split", value=_flow(parts))
        fresh = [path[-1] for path in parts if path not in at.items]
        if fresh:
            yield _beside(at, item, fresh)

    return _changed(text, edits)


def merge(text: str, old: Sequence[LabelPath], into: LabelPath) -> str:
    """A label set without some labels and what is below them; one stands for all."""

    def edits(at: _Text) -> Iterator[Edit]:
        tops = [path for path in old if not any(_inside(path, other) for other in old)]
        lists = {id(at.items[path].list): at.items[path].list for path in tops}
        for found in lists.values():
            gone = {at.items[path].place for path in tops if at.items[path].list is found}
            yield from _removing(at, found, gone)

    def instead(path: LabelPath) -> LabelPath:
        return into if any(below(path, each) for each in old) else path

    return _changed(text, edits, split=instead, gone=old)


def _inside(path: LabelPath, other: LabelPath) -> bool:
    return path != other and below(path, other)


def _changed(
    text: str,
    edits: Callable[[_Text], Iterable[Edit]],
    *,
    split: Callable[[LabelPath], LabelPath] = lambda path: path,
    gone: Sequence[LabelPath] = (),
) -> str:
    """The text with edits, and with the lists of split labels brought up to them."""
    at = _Text(text, outline(text))
    found = list(edits(at))
    for path, item in at.items.items():
        value = item.fields.get("split")
        if not isinstance(value, yaml.SequenceNode) or any(below(path, each) for each in gone):
            continue
        before = [tuple(node.value.split(JOINER)) for node in value.value]
        after = list(dict.fromkeys(split(each) for each in before))
        if after != before:
            found.append((value.start_mark.index, at.end(value), _flow(after)))
    # From the end, so that places hold; what comes to one place keeps its order.
    found.sort(key=lambda edit: edit[:2])
    while found:
        start, end, instead = found.pop()
        text = text[:start] + instead + text[end:]
    return text


def checked(text: str, paths: Iterable[LabelPath]) -> LabelTree:
    """The label set that a text was changed to.

    Args:
        paths: the labels that it is to have.

    Raises:
        InvalidLabels: it has others, or is none: it was written in a way that is beyond us.
    """
    tree = parse_labels(text, name="the changed label set")
    if {label.path for label in tree.walk()} != set(paths):
        raise InvalidLabels(
            "this label set can not be changed here: it is written in an unusual way",
            "write its labels as lists of maps with name; see docs/labels.md",
        )
    return tree


def _renaming(at: _Text, path: LabelPath, name: str) -> Iterator[Edit]:
    node = at.items[path].name
    yield node.start_mark.index, at.end(node), scalar(name)


def _setting(at: _Text, item: Item, field: str, *, value: str) -> Iterator[Edit]:
    """Gives a label a field, whichever way it is written."""
    start, end = item.node.start_mark.index, at.end(item.node)
    name = at.end(item.name)
    if field in item.fields:
        known = item.fields[field]
        yield known.start_mark.index, at.end(known), value
    elif item.list.flow_style or getattr(item.node, "flow_style", False):
        yield from _setting_inline(at, item, f"{field}: {value}")
    elif item.fields:
        line = at.line_end(name)
        yield line, line, _line(at, item, f"{field}: {value}")
    elif item.children is None:
        line = at.line_end(end)
        yield start, start, "name: "
        yield line, line, _line(at, item, f"{field}: {value}")
    else:
        colon = at.text.index(":", name) + 1
        yield start, start, "name: "
        yield name, colon, _line(at, item, f"{field}: {value}") + _line(at, item, "children:")


def _setting_inline(at: _Text, item: Item, told: str) -> Iterator[Edit]:
    start, end, name = item.node.start_mark.index, at.end(item.node), at.end(item.name)
    if item.fields:
        yield name, name, f", {told}"
        return
    braced = item.children is not None and at.text[start] == "{"
    inner = item.name.start_mark.index if braced else start
    if item.children is None:
        yield start, start, "{name: "
        yield end, end, f", {told}}}"
        return
    colon = at.text.index(":", name) + 1
    yield inner, inner, "name: " if braced else "{name: "
    yield name, colon, f", {told}, children:"
    if not braced:
        yield end, end, "}"


def _line(at: _Text, item: Item, told: str) -> str:
    """A new line of a label's map."""
    return f"{_newline(at)}{' ' * item.node.start_mark.column}{told}"


def _newline(at: _Text) -> str:
    return "\r\n" if "\r\n" in at.text else "\n"


def _beside(at: _Text, item: Item, names: Sequence[str]) -> Edit:
    """New labels behind one, with its rules."""
    rules = {name: item.fields[name] for name in _COPIED if name in item.fields}
    told = "".join(
        f", {name}: {at.text[node.start_mark.index : at.end(node)]}" for name, node in rules.items()
    )
    made = [f"{{name: {scalar(name)}{told}}}" if told else scalar(name) for name in names]
    if item.list.flow_style:
        end = at.end(item.node)
        return end, end, "".join(f", {each}" for each in made)
    end = at.line_end(at.end(item.node))
    dash = f"{_newline(at)}{' ' * item.list.start_mark.column}- "
    return end, end, "".join(dash + each for each in made)


def _removing(at: _Text, found: yaml.SequenceNode, gone: set[int]) -> Iterator[Edit]:
    """Takes items of a list out; a list of none is written as one."""
    nodes = found.value
    if len(gone) == len(nodes):
        # In lines of its own it has to stand deeper than what it belongs to.
        yield found.start_mark.index, at.end(found), "[]" if found.flow_style else " []"
        return
    for place in gone:
        node = nodes[place]
        if not found.flow_style:
            start = at.line_start(node.start_mark.index)
            yield start, min(at.line_end(at.end(node)) + _break(at, node), len(at.text)), ""
        elif all(each in gone for each in range(place + 1)):
            yield node.start_mark.index, nodes[place + 1].start_mark.index, ""
        else:
            yield at.end(nodes[place - 1]), at.end(node), ""


def _break(at: _Text, node: yaml.Node) -> int:
    return len(_newline(at)) if at.line_end(at.end(node)) < len(at.text) else 0


def _flow(paths: Iterable[LabelPath]) -> str:
    return "[" + ", ".join(scalar(JOINER.join(path)) for path in paths) + "]"


def scalar(value: str) -> str:
    """A text as YAML takes it anywhere: as it is where that is safe, else in quotes."""
    quoted = "'" + value.replace("'", "''") + "'"
    try:
        plain = yaml.safe_load(f"[{{name: {value}, x: [{value}, 1]}}]")
        block = yaml.safe_load(f"- {value}\n- name: {value}\n  x: 1\n- {value}:\n  - 1\n")
    except yaml.YAMLError:
        return quoted
    inline = plain == [{"name": value, "x": [value, 1]}]
    return value if inline and block == [value, {"name": value, "x": 1}, {value: [1]}] else quoted
