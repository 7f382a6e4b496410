"""Finds annotations whose labels are not in the label set, and proposes replacements.

A rule is proposed only if exactly one label of the set fits: a difference in case, width or blanks;
a missing parent; a typo. All other labels are listed for a decision by the admin.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from tui_annotate.domain.annotations import REJECTED, Annotation, LabelPath
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.event_streams import EventStream
from tui_annotate.domain.labels import JOINER, Label, LabelTree
from tui_annotate.services.relabel.label_requests import find_label, format_path

MENDED: Final = ("outside", "parent", "split")

_MAX_EXAMPLES: Final = 3
_LETTERS_PER_TYPO: Final = 5
"""Number of letters that a label name must have for each tolerated typo."""


@dataclass(slots=True)
class IrregularLabels:
    """Annotations whose labels conflict with the label set in the same way.

    Attributes:
        kind: `outside` the label set, a `split` label without a choice, a `parent` without a child,
            several `tops`, or `none`.
        label: label path with dots; several paths are joined by a plus.
    """

    kind: str
    label: str
    path: LabelPath = ()
    people: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)

    @property
    def annotations(self) -> int:
        return self.people.total()


@dataclass(frozen=True, slots=True)
class LabelReplacement:
    """Rule that replaces a label, requested by an admin (`asked`) or proposed by the program."""

    old: LabelPath
    new: LabelPath
    reason: str


def find_irregularities(streams: Iterable[EventStream], labels: LabelTree) -> list[IrregularLabels]:
    """Find labels of annotations that conflict with the label set; sort by kind, then frequency."""
    odd: dict[tuple[str, tuple[LabelPath, ...]], IrregularLabels] = {}
    for stream in streams:
        for one in stream.annotations:
            if one.origin == REJECTED:
                continue
            for what, paths in _find_oddities(one, labels):
                label = " + ".join(map(format_path, paths))
                place = odd.setdefault(
                    (what, paths), IrregularLabels(what, label, paths[0] if paths else ())
                )
                place.people[stream.person] += 1
                if len(place.examples) < _MAX_EXAMPLES and str(stream.key) not in place.examples:
                    place.examples.append(str(stream.key))
    return sorted(odd.values(), key=lambda each: (each.kind, -each.annotations, each.label))


def _find_oddities(
    one: Annotation, labels: LabelTree
) -> Iterable[tuple[str, tuple[LabelPath, ...]]]:
    if not one.labels:
        yield "none", ()
    for path in one.labels:
        label = labels.find(path)
        if label is None:
            yield "outside", (path,)
        elif label.split:
            yield "split", (path,)
        elif label.choices:
            yield "parent", (path,)
    if len({path[0] for path in one.labels}) > 1:
        yield "tops", tuple(sorted(one.labels))


def propose_replacements(
    odd: Iterable[IrregularLabels], labels: LabelTree
) -> list[LabelReplacement]:
    """Propose replacements for labels that are not in the label set but resemble one label."""
    made = [_propose_rule(each.path, labels) for each in odd if each.kind == "outside"]
    return [rule for rule in made if rule is not None]


def _propose_rule(path: LabelPath, labels: LabelTree) -> LabelReplacement | None:
    known = {label.path: _fold_path(label.path) for label in labels.walk() if not label.split}
    own = _fold_path(path)
    fitting = {
        "letters": [other for other, folded in known.items() if folded == own],
        "parent": [other for other, folded in known.items() if folded[-len(own) :] == own],
        "spelling": [other for other, folded in known.items() if _is_typo(own, folded)],
    }
    for why, others in fitting.items():
        if len(others) == 1:
            return LabelReplacement(path, others[0], why)
        if others:
            return None
    return None


def _fold_path(path: LabelPath) -> tuple[str, ...]:
    whole = unicodedata.normalize("NFKC", JOINER.join(path)).casefold()
    return tuple(re.sub(r"[\W_]+", "", name) or name for name in whole.split(JOINER))


def _is_typo(one: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether two label paths differ only by typos in one name."""
    if len(one) != len(other):
        return False
    differing = [(a, b) for a, b in zip(one, other, strict=True) if a != b]
    if len(differing) != 1:
        return False
    ((a, b),) = differing
    return edit_distance(a, b) <= min(max(len(a), len(b)) // _LETTERS_PER_TYPO, 2)


def edit_distance(one: str, other: str) -> int:
    """Return the edit distance of two words; a swap of adjacent letters counts as one edit."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, start=1):
        above = row
        older = before
        row = [at]
        for place, wanted in enumerate(other, start=1):
            replaced = above[place - 1] if letter == wanted else above[place - 1] + 1
            cost = min(above[place] + 1, row[-1] + 1, replaced)
            turned = at > 1 and place > 1 and letter == other[place - 2] and wanted == one[at - 2]
            row.append(min(cost, older[place - 2] + 1) if turned else cost)
        before = above
    return row[-1]


def parse_rules(
    asked: Iterable[str], odd: Sequence[IrregularLabels], labels: LabelTree
) -> dict[LabelPath, LabelReplacement | None]:
    """Parse a user's rules that replace labels (FROM=TO); FROM alone keeps the label.

    Raises:
        InvalidInput: the text is not a rule; FROM is in the label set or unused; or FROM was split
        and TO is not one of its parts, or no label of the label set.
    """
    made: dict[LabelPath, LabelReplacement | None] = {}
    for text in asked:
        old, new = _parse_rule(text, odd, labels)
        for path in old:
            made[path] = LabelReplacement(path, new, "asked") if new else None
    return made


def _parse_rule(
    text: str, odd: Sequence[IrregularLabels], labels: LabelTree
) -> tuple[list[LabelPath], LabelPath]:
    usable = {each.path: each.label for each in odd if each.kind in MENDED}
    places = [match.start() for match in re.finditer("=", text)]
    if not places:
        raise InvalidInput(
            f"{text!r} is not a label replacement",
            "write FROM=TO to replace the label FROM by TO, or FROM= to keep FROM",
        )
    for place in places:
        whole = text[:place].strip()
        old = [path for path, label in usable.items() if label == whole]
        if old:
            to = text[place + 1 :].strip()
            return old, _resolve_target(to, labels, instead=old[0]) if to else ()
    whole = text[: places[0]].strip()
    if labels.find(tuple(whole.split(JOINER))) is not None:
        raise InvalidInput(
            f"{whole!r} is a label of the label set",
            "change the label with tui-annotate labels rename, or tui-annotate labels merge",
        )
    there = ", ".join(usable.values()) or "none"
    raise InvalidInput(f"no annotation has the label {whole!r}", f"labels to fix: {there}")


def _resolve_target(whole: str, labels: LabelTree, *, instead: LabelPath) -> LabelPath:
    label = find_label(labels, whole)
    old = labels.find(instead)
    if label.split:
        raise InvalidInput(f"the label {whole!r} was split", _one_of(labels.parts(label)))
    if old and old.split and label not in labels.parts(old):
        raise InvalidInput(
            f"{whole!r} is not one of the labels that {format_path(instead)!r} was split into",
            f"{_one_of(labels.parts(old))};"
            f" to replace {format_path(instead)!r} by any other label: tui-annotate labels merge",
        )
    return label.path


def _one_of(labels: Iterable[Label]) -> str:
    return "name one of these labels: " + ", ".join(format_path(label.path) for label in labels)


def read_rule_lines(text: str) -> list[str]:
    """Return the rules in a file that replace labels, without comments and empty lines."""
    stripped = (line.strip() for line in text.lstrip("\ufeff").splitlines())
    return [line for line in stripped if line and not line.startswith("#")]


def choose_rules(
    proposals: Iterable[LabelReplacement], asked: Mapping[LabelPath, LabelReplacement | None]
) -> list[LabelReplacement]:
    """Combine proposed and requested rules that replace labels; requested ones take precedence."""
    kept = {rule.old: rule for rule in proposals if rule.old not in asked}
    return [*kept.values(), *(rule for rule in asked.values() if rule is not None)]
