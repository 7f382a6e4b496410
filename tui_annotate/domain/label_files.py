"""Parses a label set file, `labels.yaml`; errors name the file, the line and the wrong value.

Three forms are valid: a list of strings and one-key maps (`- Unwanted: [Intrinsic, Extrinsic]`);
the same list under `labels:`, next to `titles:`; and the full form, whose items are maps with
`name` and any of `description`, `key`, `color`, `evidence`, `note`, `exclusive`, `retired`,
`split`, `children`.
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

WRITE = "write one label on each line of the file, for example: - Unsupported"

_NAME = re.compile(r"[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]{1,100}")
_HEX = re.compile(r"#[0-9a-f]{6}")
_KEYS = {
    "name",
    "description",
    "key",
    "color",
    "evidence",
    "note",
    "exclusive",
    "retired",
    "split",
    "children",
}


def parse_labels(text: str, *, name: str = "labels.yaml") -> LabelTree:
    """Parse the text of a label set file; `name` is the file's name, for error messages.

    Raises:
        InvalidLabels: the message has the file, the line if known, and the wrong value.
    """
    return _parse_tree(text, _load_yaml(text, name), name)


def parse_stored_labels(text: str) -> LabelTree:
    """Parse a label set from the workspace; drop colors that only older versions allowed."""
    return _parse_tree(
        text, _drop_colors(_load_yaml(text, "the stored label set")), "the stored label set"
    )


def _drop_colors(data: Any) -> Any:
    """Remove invalid colors from label set data; such labels get the next free color."""
    if isinstance(data, list):
        return [_drop_colors(item) for item in data]
    if not isinstance(data, dict):
        return data
    kept = {key: _drop_colors(value) for key, value in data.items()}
    color = kept.get("color")
    if "name" in kept and not (isinstance(color, str) and _is_color(color.lower())):
        kept.pop("color", None)  # without a name, "color" is a label
    return kept


def _load_yaml(text: str, name: str) -> Any:
    if len(text) > LONGEST_FILE:
        raise InvalidLabels(
            f"{name} is larger than {LONGEST_FILE} characters",
            "check that the file is a label set",
        )
    try:
        return yaml.load(text, Loader=_StrictLoader)  # noqa: S506  _StrictLoader is a SafeLoader
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        problem = str(getattr(error, "problem", None) or error).splitlines()[0]
        raise InvalidLabels(f"{name}{line}: {problem}", "fix the file") from error
    except RecursionError as error:
        raise InvalidLabels(f"{name}: labels are nested too deeply", "fix the file") from error


def _parse_tree(text: str, data: Any, name: str) -> LabelTree:
    titles = ("Source", "Summary")
    if isinstance(data, dict):
        titles = _parse_titles(data.get("titles", list(titles)), name)
        unknown = set(data) - {"titles", "labels"}
        if unknown:
            raise InvalidLabels(
                f"{name}: unknown key {min(map(str, unknown))!r}",
                "known keys of a label set file: titles, labels",
            )
        data = data.get("labels")
    if not isinstance(data, list) or not data:
        raise InvalidLabels(f"{name} does not contain a list of labels", WRITE)
    roots = tuple(_parse_label(item, Label(path=()), name) for item in data)
    tree = LabelTree(roots, hashlib.sha256(text.encode("utf-8", "replace")).hexdigest(), *titles)
    _check_duplicates(tree, name)
    _check_splits(tree, name)
    return tree


def _parse_titles(value: Any, name: str) -> tuple[str, str]:
    if (
        not isinstance(value, list)
        or len(value) != 2  # one for each side
        or not all(isinstance(title, str) and _NAME.fullmatch(title) for title in value)
    ):
        raise InvalidLabels(f"{name}: titles is {value!r}", "write titles: [Source, Summary]")
    return value[0], value[1]


@dataclass(frozen=True, slots=True)
class _Item:
    """The YAML map of one label in a label set file, with methods that parse its fields."""

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
            raise self.error(field, f"write text after {field}:")
        return value

    def color(self) -> str:
        if "color" in self.fields and self.fields["color"] is None:
            raise InvalidLabels(
                f"{self.name}: color of {JOINER.join(self.path)!r} is empty",
                "write '#rrggbb' in quotes, as # begins a comment, or remove the line",
            )
        value = self.text("color").lower()
        if value and not _is_color(value):
            raise self.error("color", f"write {', '.join(COLORS)}, or a color '#rrggbb' in quotes")
        return value

    def digit(self) -> str:
        value = str(self.fields.get("key") or "")
        if value and (len(value) != 1 or value not in "123456789"):
            raise InvalidLabels(
                f"{self.name}: key of {JOINER.join(self.path)!r} is {value!r}",
                "write a digit from 1 to 9 as the key, because letter keys are commands",
            )
        return value

    def need(self, field: str, default: Requirement) -> Requirement:
        value = self.fields.get(field)
        if value is None:
            return default
        if value not in list(Requirement):
            raise self.error(field, f"write required, optional or none after {field}:")
        return Requirement(value)

    def flag(self, field: str, *, default: bool) -> bool:
        value = self.fields.get(field, default)
        if not isinstance(value, bool):
            raise self.error(field, f"write true or false after {field}:")
        return value

    def retired(self, parent: Label) -> bool:
        own = self.flag("retired", default=parent.retired)
        if parent.retired and not own:
            raise InvalidLabels(
                f"{self.name}: label {JOINER.join(self.path)!r} has retired: false, but its parent"
                " is retired",
                "remove retired: false; all labels below a retired label are retired",
            )
        return own

    def split(self) -> tuple[LabelPath, ...]:
        value = self.fields.get("split") or []
        if not isinstance(value, list) or not all(isinstance(whole, str) for whole in value):
            raise self.error(
                "split", "list the new labels, such as split: [Parent.New, Parent.Other]"
            )
        if value and self.fields.get("children"):
            raise InvalidLabels(
                f"{self.name}: label {JOINER.join(self.path)!r} has both the field 'split' and"
                " child labels",
                "remove the field 'split' of this label, and add it to the child labels instead",
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
            "known keys: " + ", ".join(sorted(_KEYS)),
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
            f"{name}: children of {JOINER.join(path)!r} is not a list",
            "write a list of labels after children:",
        )
    return replace(rules, children=tuple(_parse_label(child, rules, name) for child in children))


def _check_name(value: Any, name: str) -> str:
    if not isinstance(value, str) or not _NAME.fullmatch(value) or value != value.strip():
        raise InvalidLabels(
            f"{name}: {value!r} is not a valid label name",
            "write 1 to 100 characters without control characters; put a number in quotes",
        )
    if JOINER in value:
        raise InvalidLabels(
            f"{name}: label name {value!r} contains {JOINER!r}",
            f"remove {JOINER!r}, which separates the names of a label path",
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
                    f"{name}: label {whole!r} is split into {JOINER.join(path)!r}, which is not"
                    " another label of this file",
                    "known labels: " + ", ".join(JOINER.join(other.path) for other in tree.walk()),
                )
            if label.split.count(path) > 1:
                raise InvalidLabels(
                    f"{name}: the field 'split' of label {whole!r} contains"
                    f" {JOINER.join(path)!r} twice",
                    "remove one of the two entries",
                )


def _check_duplicates(tree: LabelTree, name: str) -> None:
    seen: set[LabelPath] = set()
    for label in tree.walk():
        if label.path in seen:
            raise InvalidLabels(
                f"{name}: label {JOINER.join(label.path)!r} occurs twice", "rename one"
            )
        seen.add(label.path)
    keys = [label.key for label in tree.leaves() if label.key and label.offered]
    for key in keys:
        if keys.count(key) > 1:
            raise InvalidLabels(
                f"{name}: two labels have the key {key!r}", "give one of the labels a different key"
            )


class _StrictLoader(yaml.SafeLoader):
    """A YAML loader that rejects repeated keys, and aliases, as these can expand without limit."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()  # type: ignore[no-untyped-call]
            raise yaml.composer.ComposerError(
                None, None, "YAML aliases (*name) are not allowed", event.start_mark
            )
        node: yaml.Node | None = super().compose_node(parent, index)
        return node

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002  PyYAML's signature
        seen: set[str] = set()
        for key, _ in node.value:
            if key.value in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"key {key.value!r} occurs twice", key.start_mark
                )
            seen.add(key.value)
        return super().construct_mapping(node, deep=deep)
