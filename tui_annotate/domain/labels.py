"""Label sets: the tree of a `labels.yaml`, its rules, and what an annotation still lacks.

Three forms are read: a list of strings and one-key maps (`- Unwanted: [Intrinsic, Extrinsic]`),
the same list under `labels:` beside `titles:`, and our own, whose items are maps with `name` and
any of `description`, `key`, `color`, `evidence`, `note`, `exclusive`, `children`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import yaml

from tui_annotate.domain.annotations import Annotation, LabelPath
from tui_annotate.domain.errors import InvalidLabels

JOINER = "."
LONGEST_FILE = 1_000_000
MOST_OPTIONS = 9

_NAME = re.compile(r"[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]{1,100}")
_KEYS = {"name", "description", "key", "color", "evidence", "note", "exclusive", "children"}


class Need(StrEnum):
    """Whether a label asks for a thing. `none` refuses it."""

    REQUIRED = "required"
    OPTIONAL = "optional"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Label:
    """One node of the tree; rules that it does not state itself come from its parent.

    Attributes:
        path: names from the root.
        key: the digit that it asks for on the bar, "1" to "9"; empty for the next free one.
        color: a name or "#rrggbb"; empty for the next colour of the palette.
        exclusive: no other label may stand on the same claim.
    """

    path: LabelPath
    description: str = ""
    key: str = ""
    color: str = ""
    evidence: Need = Need.OPTIONAL
    note: Need = Need.OPTIONAL
    exclusive: bool = False
    children: tuple[Label, ...] = ()

    @property
    def name(self) -> str:
        """The last name of the path."""
        return self.path[-1]

    def walk(self) -> Iterator[Label]:
        """This label, then all below it, in the order of the file."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True, slots=True)
class LabelTree:
    """A label set. `version` is the SHA-256 of the file's text: the identity of the set."""

    roots: tuple[Label, ...]
    version: str
    source_title: str = "Source"
    summary_title: str = "Summary"

    def walk(self) -> Iterator[Label]:
        """All labels in the order of the file, parents before children."""
        for root in self.roots:
            yield from root.walk()

    def leaves(self) -> tuple[Label, ...]:
        """The labels without children, in the order of the file."""
        return tuple(label for label in self.walk() if not label.children)

    def find(self, path: LabelPath) -> Label | None:
        """The label at a path; None where the set has none there."""
        return next((label for label in self.walk() if label.path == path), None)

    def bar(self) -> tuple[tuple[str, Label], ...]:
        """(digit, label) as the bar shows them; labels that ask for a digit get it.

        All leaves and then their parents where nine digits hold the leaves, else the roots.
        """
        leaves = self.leaves()
        if len(leaves) <= MOST_OPTIONS:
            parents = [label for label in self.walk() if label.children]
            return _numbered([*leaves, *parents][:MOST_OPTIONS])
        return _numbered(self.roots[:MOST_OPTIONS])

    def lacks(self, annotation: Annotation) -> tuple[str, ...]:
        """What the annotation's labels ask for and it has not: of "label", "evidence", "note"."""
        labels = [found for path in annotation.labels if (found := self.find(path))]
        lacking = [] if annotation.labels else ["label"]
        if not annotation.evidence and any(label.evidence is Need.REQUIRED for label in labels):
            lacking.append("evidence")
        if not annotation.note and any(label.note is Need.REQUIRED for label in labels):
            lacking.append("note")
        return tuple(lacking)

    def check(self, annotation: Annotation) -> None:
        """New work against the rules; what it merely lacks yet is no error (see `lacks`).

        Raises:
            InvalidLabels: a label is not in the set, refuses evidence or a note that is there, or
                is exclusive and not alone.
        """
        for path in annotation.labels:
            label = self.find(path)
            if label is None:
                raise InvalidLabels(
                    f"no label {JOINER.join(path)!r} in the set",
                    "the set has: " + ", ".join(JOINER.join(known.path) for known in self.walk()),
                )
            if label.exclusive and len(annotation.labels) > 1:
                raise InvalidLabels(
                    f"{JOINER.join(path)!r} must stand alone", "take the other labels off first"
                )
            if annotation.evidence and label.evidence is Need.NONE:
                raise InvalidLabels(
                    f"{JOINER.join(path)!r} takes no evidence", "give the evidence back first"
                )
            if annotation.note and label.note is Need.NONE:
                raise InvalidLabels(f"{JOINER.join(path)!r} takes no note", "empty the note first")


def numbered(labels: Sequence[Label]) -> tuple[tuple[str, Label], ...]:
    """(digit, label) for up to nine labels shown together, in order of the digit.

    Labels that ask for a digit get it; the others fill what is free, in their own order.
    """
    return _numbered(labels[:MOST_OPTIONS])


def _numbered(labels: Sequence[Label]) -> tuple[tuple[str, Label], ...]:
    wanted = {label.key: label for label in reversed(labels) if label.key}
    free = (digit for digit in "123456789" if digit not in wanted)
    given = [
        (label.key if wanted.get(label.key) is label else next(free), label) for label in labels
    ]
    return tuple(sorted(given))


def parse_labels(text: str, *, name: str = "labels.yaml") -> LabelTree:
    """Reads a label set.

    Args:
        name: the file's name, for messages.

    Raises:
        InvalidLabels: with the file, the line where known, and the value that is wrong.
    """
    if len(text) > LONGEST_FILE:
        raise InvalidLabels(
            f"{name} is larger than {LONGEST_FILE} characters", "is it a label set?"
        )
    try:
        node = yaml.compose(text, Loader=_StrictLoader)
        data = yaml.load(text, Loader=_StrictLoader)  # noqa: S506  _StrictLoader is a SafeLoader
    except yaml.YAMLError as error:
        raise InvalidLabels(f"{name}{_line(error)}: {_problem(error)}", "mend the file") from error
    except RecursionError as error:
        raise InvalidLabels(f"{name}: nested too deeply", "mend the file") from error
    titles = ("Source", "Summary")
    if isinstance(data, dict):
        titles = _titles(data.get("titles", list(titles)), name)
        unknown = set(data) - {"titles", "labels"}
        if unknown:
            raise InvalidLabels(
                f"{name}: unknown key {min(map(str, unknown))!r}", "known: titles, labels"
            )
        data = data.get("labels")
    if not isinstance(data, list) or not data or node is None:
        raise InvalidLabels(f"{name} holds no list of labels", "see the default set for the form")
    roots = tuple(_label(item, Label(path=()), name) for item in data)
    tree = LabelTree(roots, hashlib.sha256(text.encode("utf-8", "replace")).hexdigest(), *titles)
    _refuse_twins(tree, name)
    return tree


def _titles(value: Any, name: str) -> tuple[str, str]:
    if (
        not isinstance(value, list)
        or len(value) != 2  # one a side
        or not all(isinstance(title, str) and _NAME.fullmatch(title) for title in value)
    ):
        raise InvalidLabels(f"{name}: titles is {value!r}", "write titles: [Source, Summary]")
    return value[0], value[1]


def _label(item: Any, parent: Label, name: str) -> Label:
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
    path = (*parent.path, _name(item["name"], name))
    rules = Label(
        path,
        description=_text(item, "description", path=path, name=name),
        key=_digit(item, path, name),
        color=_text(item, "color", path=path, name=name) or parent.color,
        evidence=_need(item, "evidence", parent.evidence, path=path, name=name),
        note=_need(item, "note", parent.note, path=path, name=name),
        exclusive=_flag(item, "exclusive", default=parent.exclusive, path=path, name=name),
    )
    children = item.get("children") or []
    if not isinstance(children, list):
        raise InvalidLabels(
            f"{name}: children of {JOINER.join(path)!r} are no list", "write a list"
        )
    return Label(
        path,
        rules.description,
        rules.key,
        rules.color,
        rules.evidence,
        rules.note,
        rules.exclusive,
        tuple(_label(child, rules, name) for child in children),
    )


def _name(value: Any, name: str) -> str:
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


def _text(item: dict[str, Any], field: str, *, path: LabelPath, name: str) -> str:
    value = item.get(field) or ""
    if not isinstance(value, str):
        raise InvalidLabels(f"{name}: {field} of {JOINER.join(path)!r} is {value!r}", "write text")
    return value


def _digit(item: dict[str, Any], path: LabelPath, name: str) -> str:
    value = str(item.get("key") or "")
    if value and (len(value) != 1 or value not in "123456789"):
        raise InvalidLabels(
            f"{name}: key of {JOINER.join(path)!r} is {value!r}",
            "a key is a digit from 1 to 9; letters are commands",
        )
    return value


def _need(item: dict[str, Any], field: str, default: Need, *, path: LabelPath, name: str) -> Need:
    value = item.get(field)
    if value is None:
        return default
    if value not in list(Need):
        raise InvalidLabels(
            f"{name}: {field} of {JOINER.join(path)!r} is {value!r}",
            "one of required, optional, none",
        )
    return Need(value)


def _flag(item: dict[str, Any], field: str, *, default: bool, path: LabelPath, name: str) -> bool:
    value = item.get(field, default)
    if not isinstance(value, bool):
        raise InvalidLabels(
            f"{name}: {field} of {JOINER.join(path)!r} is {value!r}", "true or false"
        )
    return value


def _refuse_twins(tree: LabelTree, name: str) -> None:
    seen: set[LabelPath] = set()
    for label in tree.walk():
        if label.path in seen:
            raise InvalidLabels(
                f"{name}: label {JOINER.join(label.path)!r} stands there twice", "remove one"
            )
        seen.add(label.path)
    keys = [label.key for label in tree.leaves() if label.key]
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


def _line(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    return f":{mark.line + 1}" if mark else ""


def _problem(error: yaml.YAMLError) -> str:
    return str(getattr(error, "problem", None) or error).splitlines()[0]
