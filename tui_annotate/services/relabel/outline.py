"""Where each label stands in the text of a label set, to the character; the text is sound."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import yaml

from tui_annotate.domain.annotations import LabelPath


@dataclass(frozen=True, slots=True)
class Item:
    """A label in the text.

    Attributes:
        node: all of it: a name, a map with `name`, or a one-key map from a name to a list.
        name: the name alone.
        fields: the values of a map with `name`, by key; empty for the other forms.
        children: what a one-key map leads to; None for the other forms.
        list: the list that it stands in; `place` is where, from 0.
    """

    path: LabelPath
    node: yaml.Node
    name: yaml.Node
    fields: Mapping[str, yaml.Node]
    children: yaml.Node | None
    list: yaml.SequenceNode
    place: int


def outline(text: str) -> dict[LabelPath, Item]:
    """The labels of a sound label set in the order of the file, by path."""
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    if isinstance(root, yaml.MappingNode):
        root = _fields(root)["labels"]
    return {item.path: item for item in _items(root, ())}


def end_of(node: yaml.Node, text: str) -> int:
    """Where a value ends: before blanks and comments, which YAML counts to some of them."""
    if isinstance(node, yaml.ScalarNode):
        end = int(node.end_mark.index)
        return len(text[:end].rstrip()) if node.style in ("|", ">") else end
    if not isinstance(node, yaml.CollectionNode) or node.flow_style or not node.value:
        return int(node.end_mark.index)
    last = node.value[-1]
    if isinstance(last, tuple):
        key, value = last
        return max(end_of(key, text), end_of(value, text))
    return end_of(last, text)


def _fields(node: yaml.MappingNode) -> dict[str, yaml.Node]:
    return {key.value: value for key, value in node.value}


def _items(node: yaml.Node | None, parent: LabelPath) -> Iterator[Item]:
    if not isinstance(node, yaml.SequenceNode):
        return  # null: no children
    for place, each in enumerate(node.value):
        fields: dict[str, yaml.Node] = {}
        name, children, below = each, None, None
        if isinstance(each, yaml.MappingNode):
            fields = _fields(each)
            if "name" in fields:
                name, below = fields["name"], fields.get("children")
            else:
                fields, ((name, children),) = {}, each.value
                below = children
        path = (*parent, name.value)
        yield Item(path, each, name, fields, children, node, place)
        yield from _items(below, path)
