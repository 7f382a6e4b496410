"""Edits the YAML text of a label set; comments, order and layout stay as they are.

The edited text is parsed again and must give the intended label set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import yaml

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.errors import InvalidLabels
from tui_annotate.domain.label_changes import is_below
from tui_annotate.domain.label_files import parse_labels
from tui_annotate.domain.labels import JOINER, LabelTree

_INHERITED_RULES: Final = ("evidence", "note", "exclusive")

Edit = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class _Text:
    text: str
    items: Mapping[LabelPath, OutlineItem]

    def end(self, node: yaml.Node) -> int:
        return find_end(node, self.text)

    def line_end(self, at: int) -> int:
        found = self.text.find("\n", at)
        end = len(self.text) if found < 0 else found
        return end - 1 if self.text[at:end].endswith("\r") else end


def rename(text: str, old: LabelPath, name: str) -> str:
    """Rename a label in the text of a label set, also where other labels refer to it."""
    new = (*old[:-1], name)

    def edits(at: _Text) -> Iterator[Edit]:
        node = at.items[old].name
        yield node.start_mark.index, at.end(node), quote_scalar(name)

    def renamed(path: LabelPath) -> LabelPath:
        return new + path[len(old) :] if is_below(path, old) else path

    return _apply_edits(text, edits, split=renamed)


def retire(text: str, path: LabelPath) -> str:
    """Mark a label as retired in the text of a label set."""
    return _apply_edits(text, lambda at: _field_edits(at, at.items[path], "retired", value="true"))


def split(text: str, old: LabelPath, parts: Sequence[LabelPath]) -> str:
    """Mark a label as split in the text of a label set, and add the new labels."""

    def edits(at: _Text) -> Iterator[Edit]:
        item = at.items[old]
        yield from _field_edits(at, item, "split", value=_flow_list(parts))
        fresh = [path[-1] for path in parts if path not in at.items]
        if fresh:
            yield _sibling_edit(at, item, fresh)

    return _apply_edits(text, edits)


def merge(text: str, old: Sequence[LabelPath], into: LabelPath) -> str:
    """Remove labels from the text of a label set, and replace references to them by `into`."""

    def edits(at: _Text) -> Iterator[Edit]:
        tops = [
            path
            for path in old
            if not any(path != other and is_below(path, other) for other in old)
        ]
        lists = {id(at.items[path].list): at.items[path].list for path in tops}
        for found in lists.values():
            gone = {at.items[path].place for path in tops if at.items[path].list is found}
            yield from _removal_edits(at, found, gone)

    def instead(path: LabelPath) -> LabelPath:
        return into if any(is_below(path, each) for each in old) else path

    return _apply_edits(text, edits, split=instead, gone=old)


def _apply_edits(
    text: str,
    edits: Callable[[_Text], Iterable[Edit]],
    *,
    split: Callable[[LabelPath], LabelPath] = lambda path: path,
    gone: Sequence[LabelPath] = (),
) -> str:
    at = _Text(text, parse_outline(text))
    found = list(edits(at))
    for path, item in at.items.items():
        value = item.fields.get("split")
        if not isinstance(value, yaml.SequenceNode) or any(is_below(path, each) for each in gone):
            continue
        before = [tuple(node.value.split(JOINER)) for node in value.value]
        after = list(dict.fromkeys(split(each) for each in before))
        if after != before:
            found.append((value.start_mark.index, at.end(value), _flow_list(after)))
    # Apply edits from the end, so that offsets stay valid; edits at one offset keep their order.
    found.sort(key=lambda edit: edit[:2])
    while found:
        start, end, instead = found.pop()
        text = text[:start] + instead + text[end:]
    return text


def parse_label_set(text: str, paths: Iterable[LabelPath]) -> LabelTree:
    """Parse an edited label set; InvalidLabels unless it has exactly the labels `paths`."""
    tree = parse_labels(text, name="the changed label set")
    if {label.path for label in tree.walk()} != set(paths):
        raise InvalidLabels(
            "this label set cannot be edited by a command: its YAML has an unusual layout",
            "write each label as a list item with the key 'name'; see docs/labels.md",
        )
    return tree


def _field_edits(at: _Text, item: OutlineItem, field: str, *, value: str) -> Iterator[Edit]:
    start = item.node.start_mark.index
    end = at.end(item.node)
    name = at.end(item.name)
    line = _new_line(at, item, f"{field}: {value}")
    if field in item.fields:
        known = item.fields[field]
        yield known.start_mark.index, at.end(known), value
    elif item.list.flow_style or getattr(item.node, "flow_style", False):
        yield from _inline_field_edits(at, item, f"{field}: {value}")
    elif item.fields:
        yield at.line_end(name), at.line_end(name), line
    elif item.children is None:
        yield start, start, "name: "
        yield at.line_end(end), at.line_end(end), line
    else:
        yield start, start, "name: "
        yield name, at.text.index(":", name) + 1, line + _new_line(at, item, "children:")


def _inline_field_edits(at: _Text, item: OutlineItem, field: str) -> Iterator[Edit]:
    start = item.node.start_mark.index
    end = at.end(item.node)
    name = at.end(item.name)
    if item.fields:
        yield name, name, f", {field}"
        return
    braced = item.children is not None and at.text[start] == "{"
    inner = item.name.start_mark.index if braced else start
    if item.children is None:
        yield start, start, "{name: "
        yield end, end, f", {field}}}"
        return
    colon = at.text.index(":", name) + 1
    yield inner, inner, "name: " if braced else "{name: "
    yield name, colon, f", {field}, children:"
    if not braced:
        yield end, end, "}"


def _new_line(at: _Text, item: OutlineItem, field: str) -> str:
    return f"{_newline(at)}{' ' * item.node.start_mark.column}{field}"


def _newline(at: _Text) -> str:
    return "\r\n" if "\r\n" in at.text else "\n"


def _sibling_edit(at: _Text, item: OutlineItem, names: Sequence[str]) -> Edit:
    rules = {name: item.fields[name] for name in _INHERITED_RULES if name in item.fields}
    inherited = "".join(
        f", {name}: {at.text[node.start_mark.index : at.end(node)]}" for name, node in rules.items()
    )
    made = [
        f"{{name: {quote_scalar(name)}{inherited}}}" if inherited else quote_scalar(name)
        for name in names
    ]
    if item.list.flow_style:
        end = at.end(item.node)
        return end, end, "".join(f", {each}" for each in made)
    end = at.line_end(at.end(item.node))
    dash = f"{_newline(at)}{' ' * item.list.start_mark.column}- "
    return end, end, "".join(dash + each for each in made)


def _removal_edits(at: _Text, found: yaml.SequenceNode, gone: set[int]) -> Iterator[Edit]:
    nodes = found.value
    if len(gone) == len(nodes):
        # A block list on lines of its own would need a deeper indentation than its parent.
        yield found.start_mark.index, at.end(found), "[]" if found.flow_style else " []"
        return
    for place in gone:
        node = nodes[place]
        if not found.flow_style:
            start = at.text.rfind("\n", 0, node.start_mark.index) + 1
            end = at.line_end(at.end(node))
            yield start, min(end + len(_newline(at)), len(at.text)), ""
        elif all(each in gone for each in range(place + 1)):
            yield node.start_mark.index, nodes[place + 1].start_mark.index, ""
        else:
            yield at.end(nodes[place - 1]), at.end(node), ""


def _flow_list(paths: Iterable[LabelPath]) -> str:
    return "[" + ", ".join(quote_scalar(JOINER.join(path)) for path in paths) + "]"


def quote_scalar(value: str) -> str:
    """Return a name as YAML: plain if YAML reads it as the same text, else in single quotes."""
    quoted = "'" + value.replace("'", "''") + "'"
    try:
        plain = yaml.safe_load(f"[{{name: {value}, x: [{value}, 1]}}]")
        block = yaml.safe_load(f"- {value}\n- name: {value}\n  x: 1\n- {value}:\n  - 1\n")
    except yaml.YAMLError:
        return quoted
    inline = plain == [{"name": value, "x": [value, 1]}]
    return value if inline and block == [value, {"name": value, "x": 1}, {value: [1]}] else quoted


@dataclass(frozen=True, slots=True)
class OutlineItem:
    """Position of a label in the YAML text of a label set, as parsed YAML nodes."""

    path: LabelPath
    node: yaml.Node
    name: yaml.Node
    fields: Mapping[str, yaml.Node]
    children: yaml.Node | None
    list: yaml.SequenceNode
    place: int


def parse_outline(text: str) -> dict[LabelPath, OutlineItem]:
    """Return where each label is in the text of a valid label set, by label path."""
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    if isinstance(root, yaml.MappingNode):
        root = _fields(root)["labels"]
    return {item.path: item for item in _outline_items(root, ())}


def find_end(node: yaml.Node, text: str) -> int:
    """Return the offset at which a YAML value ends in a text, before blanks and comments."""
    if isinstance(node, yaml.ScalarNode):
        end = int(node.end_mark.index)
        return len(text[:end].rstrip()) if node.style in ("|", ">") else end
    if not isinstance(node, yaml.CollectionNode) or node.flow_style or not node.value:
        return int(node.end_mark.index)
    last = node.value[-1]
    if isinstance(last, tuple):
        key, value = last
        return max(find_end(key, text), find_end(value, text))
    return find_end(last, text)


def _fields(node: yaml.MappingNode) -> dict[str, yaml.Node]:
    return {key.value: value for key, value in node.value}


def _outline_items(node: yaml.Node | None, parent: LabelPath) -> Iterator[OutlineItem]:
    if not isinstance(node, yaml.SequenceNode):
        return  # null: no children
    for place, each in enumerate(node.value):
        fields: dict[str, yaml.Node] = {}
        name: yaml.Node = each
        children: yaml.Node | None = None  # only of the short form `- Name: [...]`
        below: yaml.Node | None = None
        if isinstance(each, yaml.MappingNode):
            fields = _fields(each)
            if "name" in fields:
                name = fields["name"]
                below = fields.get("children")
            else:
                fields = {}
                ((name, children),) = each.value
                below = children
        path = (*parent, name.value)
        yield OutlineItem(
            path=path,
            node=each,
            name=name,
            fields=fields,
            children=children,
            list=node,
            place=place,
        )
        yield from _outline_items(below, path)
