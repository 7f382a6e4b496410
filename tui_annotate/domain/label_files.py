"""Reads a label set, a `labels.yaml`; refuses what it does not know, and says where.

Three forms are read: a list of strings and one-key maps (`- Unwanted: [Intrinsic, Extrinsic]`),
the same list under `labels:` next to `titles:`, and our own, whose items are maps with `name` and
any of `description`, `key`, `color`, `evidence`, `note`, `exclusive`, `retired`, `split`,
`children`.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace
from typing import Any

import yaml

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.errors import InvalidLabels
from tui_annotate.domain.labels import COLORS, JOINER, Label, LabelTree, Requirement

LONGEST_FILE = 1_000_000

WRITE = "write labels into it, one a line, for example: - Unsupported"
"""The hint where there are no labels."""

_NAME = re.compile(r"[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]{1,100}")
_HEX = re.compile(r"#[0-9a-f]{6}")
_KEYS = {
    "name", "description", "key", "color", "evidence", "note", "exclusive", "retired", "split",
    "children",
}  # fmt: skip


def parse_labels(text: str, *, name: str = "labels.yaml") -> LabelTree:
    """Read a label set; `name` is the file's, for messages.

    Raises:
        InvalidLabels: with the file, the line where known, and the value that is wrong.
    """
    return _parse_tree(text, _load_yaml(text, name), name)


def parse_stored_labels(text: str) -> LabelTree:
    """Read a label set of the store: it opens also where it has colours that are invalid now."""
    return _parse_tree(
        text, _drop_colors(_load_yaml(text, "the stored label set")), "the stored label set"
    )


def _drop_colors(data: Any) -> Any:
    """The same without the colours that are none (any more): a label has one by its place then."""
    if isinstance(data, list):
        return [_drop_colors(item) for item in data]
    if not isinstance(data, dict):
        return data
    kept = {key: _drop_colors(value) for key, value in data.items()}
    color = kept.get("color")
    if "name" in kept and not (isinstance(color, str) and _is_color(color.lower())):
        kept.pop("color", None)  # without a name it is a label called so
    return kept


def _load_yaml(text: str, name: str) -> Any:
    if len(text) > LONGEST_FILE:
        raise InvalidLabels(
            f"{name} is larger than {LONGEST_FILE} characters", "is it a label set?"
        )
    try:
        return yaml.load(text, Loader=_StrictLoader)  # noqa: S506  _StrictLoader is a SafeLoader
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        problem = str(getattr(error, "problem", None) or error).splitlines()[0]
        raise InvalidLabels(f"{name}{line}: {problem}", "mend the file") from error
    except RecursionError as error:
        raise InvalidLabels(f"{name}: nested too deeply", "mend the file") from error


def _parse_tree(text: str, data: Any, name: str) -> LabelTree:
    titles = ("Source", "Summary")
    if isinstance(data, dict):
        titles = _parse_titles(data.get("titles", list(titles)), name)
        unknown = set(data) - {"titles", "labels"}
        if unknown:
            raise InvalidLabels(
                f"{name}: unknown key {min(map(str, unknown))!r}", "known: titles, labels"
            )
        data = data.get("labels")
    if not isinstance(data, list) or not data:
        raise InvalidLabels(f"{name} holds no list of labels", WRITE)
    roots = tuple(_parse_label(item, Label(path=()), name) for item in data)
    tree = LabelTree(roots, hashlib.sha256(text.encode("utf-8", "replace")).hexdigest(), *titles)
    _check_duplicates(tree, name)
    _check_splits(tree, name)
    return tree


def _parse_titles(value: Any, name: str) -> tuple[str, str]:
    if (
        not isinstance(value, list)
        or len(value) != 2  # one a side
        or not all(isinstance(title, str) and _NAME.fullmatch(title) for title in value)
    ):
        raise InvalidLabels(f"{name}: titles is {value!r}", "write titles: [Source, Summary]")
    return value[0], value[1]


@dataclass(frozen=True, slots=True)
class _Item:
    """The map of one label in the file `name`; reads its fields, and refuses wrong values."""

    fields: dict[str, Any]
    path: LabelPath
    name: str

    def error(self, field: str, hint: str) -> InvalidLabels:
        value = self.fields[field]
        return InvalidLabels(
            f"{self.name}: {field} of {JOINER.join(self.path)!r} is {value!r}", hint
        )

    def text(self, field: str) -> str:
        value = self.fields.get(field) or ""
        if not isinstance(value, str):
            raise self.error(field, "write text")
        return value

    def color(self) -> str:
        if "color" in self.fields and self.fields["color"] is None:
            raise InvalidLabels(
                f"{self.name}: color of {JOINER.join(self.path)!r} is empty",
                "a # begins a comment: write '#rrggbb' in quotes; or take the line out",
            )
        value = self.text("color").lower()
        if value and not _is_color(value):
            raise self.error("color", f"one of {', '.join(COLORS)}, or '#rrggbb' in quotes")
        return value

    def digit(self) -> str:
        value = str(self.fields.get("key") or "")
        if value and (len(value) != 1 or value not in "123456789"):
            raise InvalidLabels(
                f"{self.name}: key of {JOINER.join(self.path)!r} is {value!r}",
                "a key is a digit from 1 to 9; letters are commands",
            )
        return value

    def need(self, field: str, default: Requirement) -> Requirement:
        value = self.fields.get(field)
        if value is None:
            return default
        if value not in list(Requirement):
            raise self.error(field, "one of required, optional, none")
        return Requirement(value)

    def flag(self, field: str, *, default: bool) -> bool:
        value = self.fields.get(field, default)
        if not isinstance(value, bool):
            raise self.error(field, "true or false")
        return value

    def retired(self, parent: Label) -> bool:
        own = self.flag("retired", default=parent.retired)
        if parent.retired and not own:
            raise InvalidLabels(
                f"{self.name}: {JOINER.join(self.path)!r} is not retired, what is above it is",
                "what is below a retired label is retired too",
            )
        return own

    def split(self) -> tuple[LabelPath, ...]:
        value = self.fields.get("split") or []
        if not isinstance(value, list) or not all(isinstance(whole, str) for whole in value):
            raise self.error(
                "split", "write the labels that came of it: split: [Parent.New, Parent.Other]"
            )
        if value and self.fields.get("children"):
            raise InvalidLabels(
                f"{self.name}: {JOINER.join(self.path)!r} is split and has children",
                "split its children",
            )
        return tuple(tuple(whole.split(JOINER)) for whole in value)


def _parse_label(item: Any, parent: Label, name: str) -> Label:
    if isinstance(item, dict) and "name" not in item and len(item) == 1:
        ((title, children),) = item.items()
        item = {"name": title, "children": children}
    if not isinstance(item, dict):
        item = {"name": item}
    unknown = set(item) - _KEYS
    if unknown:
        raise InvalidLabels(
            f"{name}: unknown key {min(map(str, unknown))!r} at label {item.get('name')!r}",
            "known: " + ", ".join(sorted(_KEYS)),
        )
    path = (*parent.path, _check_name(item["name"], name))
    own = _Item(item, path, name)
    rules = Label(
        path,
        description=own.text("description"),
        key=own.digit(),
        color=own.color() or parent.color,
        evidence=own.need("evidence", parent.evidence),
        note=own.need("note", parent.note),
        exclusive=own.flag("exclusive", default=parent.exclusive),
        retired=own.retired(parent),
        split=own.split(),
    )
    children = item.get("children") or []
    if not isinstance(children, list):
        raise InvalidLabels(
            f"{name}: children of {JOINER.join(path)!r} are no list", "write a list"
        )
    return replace(rules, children=tuple(_parse_label(child, rules, name) for child in children))


def _check_name(value: Any, name: str) -> str:
    if not isinstance(value, str) or not _NAME.fullmatch(value) or value != value.strip():
        raise InvalidLabels(
            f"{name}: {value!r} is not a label's name",
            "1 to 100 characters in quotes if need be, no control characters",
        )
    if JOINER in value:
        raise InvalidLabels(
            f"{name}: label {value!r} holds {JOINER!r}", f"{JOINER!r} parts the names of a path"
        )
    return value


def _is_color(value: str) -> bool:
    return value in COLORS or bool(_HEX.fullmatch(value))


def _check_splits(tree: LabelTree, name: str) -> None:
    known = {label.path for label in tree.walk()}
    for label in tree.walk():
        for path in label.split:
            whole = JOINER.join(label.path)
            if path not in known or path == label.path:
                raise InvalidLabels(
                    f"{name}: {whole!r} is split into {JOINER.join(path)!r}, no other label here",
                    "known: " + ", ".join(JOINER.join(other.path) for other in tree.walk()),
                )
            if label.split.count(path) > 1:
                raise InvalidLabels(
                    f"{name}: {whole!r} is split into {JOINER.join(path)!r} twice", "remove one"
                )


def _check_duplicates(tree: LabelTree, name: str) -> None:
    seen: set[LabelPath] = set()
    for label in tree.walk():
        if label.path in seen:
            raise InvalidLabels(
                f"{name}: label {JOINER.join(label.path)!r} stands there twice", "remove one"
            )
        seen.add(label.path)
    keys = [label.key for label in tree.leaves() if label.key and label.offered]
    for key in keys:
        if keys.count(key) > 1:
            raise InvalidLabels(f"{name}: two labels ask for key {key!r}", "one digit, one label")


class _StrictLoader(yaml.SafeLoader):
    """Refuses aliases (a small file could grow without bound) and keys that are there twice."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()  # type: ignore[no-untyped-call]
            raise yaml.composer.ComposerError(
                None, None, "aliases (*name) are not allowed", event.start_mark
            )
        node: yaml.Node | None = super().compose_node(parent, index)
        return node

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002  PyYAML's signature
        seen: set[str] = set()
        for key, _ in node.value:
            if key.value in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"key {key.value!r} is there twice", key.start_mark
                )
            seen.add(key.value)
        return super().construct_mapping(node, deep=deep)
