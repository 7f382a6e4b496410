"""The text of a label set is changed where it says so: the set that was meant, comments kept."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.label_changes import is_below
from tui_annotate.domain.label_files import parse_labels
from tui_annotate.services.relabel import editing

FILE = """\
# what we look for
titles: [Source, Summary]
labels:
  - name: Unwanted   # must not be there
    description: |
      It says
      something else.

    # the two kinds
    children:
      - name: Intrinsic
        evidence: required
      # from nowhere
      - Extrinsic   # plain
      - {name: Odd, note: required}
  # harmless
  - Benign  # fine
  - Group: [A, B: [x, y], 'C d']   # tail
  - Deep:
      - P
      - Q
# the end
"""


def path(whole: str) -> LabelPath:
    """A path written with dots."""
    return tuple(whole.split("."))


def gone(before: str, after: str) -> list[str]:
    """The lines that are no longer there."""
    lines = after.splitlines()
    return [line.strip() for line in before.splitlines() if line not in lines]


def test_another_name_changes_that_name_alone() -> None:
    """What needs quotes gets them; all other bytes stay."""
    after = editing.rename(FILE, path("Unwanted"), "Not: so")
    assert after == FILE.replace("name: Unwanted", "name: 'Not: so'")
    assert parse_labels(after).find(("Not: so", "Intrinsic"))


@pytest.mark.parametrize(
    ("label", "lines"),
    [
        ("Unwanted", ["    retired: true"]),
        ("Unwanted.Intrinsic", ["        retired: true"]),
        ("Unwanted.Extrinsic", ["      - name: Extrinsic   # plain", "        retired: true"]),
        ("Unwanted.Odd", ["      - {name: Odd, retired: true, note: required}"]),
        ("Benign", ["  - name: Benign  # fine", "    retired: true"]),
        ("Group.B", ["  - Group: [A, {name: B, retired: true, children: [x, y]}, 'C d']   # tail"]),
        ("Deep", ["  - name: Deep", "    retired: true"]),
    ],
)
def test_a_label_is_retired_in_every_form(label: str, lines: list[str]) -> None:
    """A name becomes a map, a map gets a line; the comment stays on its line."""
    after = editing.retire(FILE, path(label))
    assert [line for line in after.splitlines() if line not in FILE.splitlines()] == lines
    closed = [each.path for each in parse_labels(after).walk() if each.retired]
    assert closed == [
        each.path for each in parse_labels(FILE).walk() if is_below(each.path, path(label))
    ]


def test_what_says_no_is_turned() -> None:
    """`retired: false` is changed, not doubled."""
    assert editing.retire("- {name: A, retired: false}\n- B", ("A",)) == (
        "- {name: A, retired: true}\n- B"
    )


def test_a_split_label_has_the_new_ones_beside_it() -> None:
    """They take its rules; a label that is there already is not made again."""
    after = editing.split(FILE, path("Unwanted.Intrinsic"), [path("Unwanted.Bent"), path("Benign")])
    assert (
        "        evidence: required\n      - {name: Bent, evidence: required}\n"
        "      # from nowhere\n"
    ) in after
    assert "        split: [Unwanted.Bent, Benign]\n" in after
    assert len(list(parse_labels(after).walk())) == len(list(parse_labels(FILE).walk())) + 1


def test_merged_labels_leave_and_comments_stay() -> None:
    """The lines of a label go, with their own comments; those between labels are kept."""
    after = editing.merge(FILE, [path("Unwanted.Extrinsic"), path("Group.A")], path("Benign"))
    assert gone(FILE, after) == [
        "- Extrinsic   # plain", "- Group: [A, B: [x, y], 'C d']   # tail",
    ]  # fmt: skip
    assert "# from nowhere" in after
    assert "  - Group: [B: [x, y], 'C d']   # tail\n" in after


def test_a_list_of_none_can_be_read() -> None:
    """When all children are merged, the parent has none."""
    after = editing.merge(FILE, [path("Deep.P"), path("Deep.Q")], path("Deep"))
    found = parse_labels(after).find(("Deep",))
    assert found is not None
    assert found.children == ()


def test_what_a_label_was_split_into_follows() -> None:
    """Other names, and labels that were merged, stand in the lists of split labels too."""
    text = "- {name: A, split: [P.X, P.Y]}\n- P: [X, Y, Z]\n"
    named = editing.rename(text, ("P",), "Q")
    assert named == "- {name: A, split: [Q.X, Q.Y]}\n- Q: [X, Y, Z]\n"
    assert editing.merge(text, [("P", "X"), ("P", "Y")], ("P", "Z")) == (
        "- {name: A, split: [P.Z]}\n- P: [Z]\n"
    )


def test_line_ends_of_windows_stay() -> None:
    """A new line ends as the others do."""
    text = "- A\r\n- name: B\r\n  key: 2\r\n"
    assert (
        editing.retire(text, ("A",)) == "- name: A\r\n  retired: true\r\n- name: B\r\n  key: 2\r\n"
    )
    assert editing.split(text, ("B",), [("C",), ("A",)]).endswith(
        "- name: B\r\n  split: [C, A]\r\n  key: 2\r\n- C\r\n"
    )
    assert editing.merge(text, [("B",)], ("A",)) == "- A\r\n"


# any label set, written in any of its forms --------------------------------------------------

NAMES = st.text(st.sampled_from("ab -:#,[]{}'\"&*!|>%@`?茶🙂é/=\\"), min_size=1, max_size=6).filter(
    lambda name: name == name.strip()
)


def flow(draw: st.DrawFn, depth: int) -> str:
    """A list in brackets."""
    names = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
    return "[" + ", ".join(inline(draw, name, depth) for name in names) + "]"


def inline(draw: st.DrawFn, name: str, depth: int) -> str:
    """A label in one line."""
    shown = editing.quote_scalar(name)
    form = draw(st.sampled_from(["plain", "map", "pair", "braced"]))
    if form == "plain" or depth > 1:
        return shown
    below = flow(draw, depth + 1)
    if form == "map":
        return f"{{name: {shown}, children: {below}, note: optional}}"
    return f"{{{shown}: {below}}}" if form == "braced" else f"{shown}: {below}"


def block(draw: st.DrawFn, indent: str, depth: int) -> str:
    """A list, a line or more a label, with comments."""
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    before = [draw(st.sampled_from(["", f"{indent}# said\n", "\n"])) for _ in names]
    made = [item(draw, indent, name=name, depth=depth) for name in names]
    return "".join(comment + each for comment, each in zip(before, made, strict=True))


def item(draw: st.DrawFn, indent: str, *, name: str, depth: int) -> str:
    """A label in lines of its own."""
    shown, tail = editing.quote_scalar(name), draw(st.sampled_from(["", "  # so"]))
    form = draw(st.sampled_from(["plain", "map", "key", "deep", "flow"]))
    if form == "plain" or depth > 1:
        return f"{indent}- {shown}{tail}\n"
    if form == "flow":
        return f"{indent}- {inline(draw, name, depth)}{tail}\n"
    if form == "key":
        return f"{indent}- {shown}:{tail}\n{block(draw, indent + '  ', depth + 1)}"
    if form == "deep":
        below = block(draw, indent + "    ", depth + 1)
        return f"{indent}- name: {shown}{tail}\n{indent}  children:\n{below}"
    return f"{indent}- note: required\n{indent}  name: {shown}{tail}\n"


@st.composite
def sets(draw: st.DrawFn) -> str:
    """The text of a label set, with comments."""
    if draw(st.booleans()):
        return block(draw, "", 0)
    return "titles: [A, B]  # two\nlabels:\n" + block(draw, "  ", 0)


@st.composite
def edits(draw: st.DrawFn) -> tuple[str, str, Sequence[LabelPath], str]:
    """A label set, what is done to it, to which labels, and a new name."""
    text = draw(sets())
    paths = [label.path for label in parse_labels(text).walk()]
    chosen = draw(st.lists(st.sampled_from(paths), min_size=1, max_size=3, unique=True))
    return text, draw(st.sampled_from(["rename", "retire", "split", "merge"])), chosen, draw(NAMES)


@given(edits())
@example(("- ':':\n  - ':'\n- '='\n", "merge", [(":",), (":", ":")], ":"))
def test_any_set_becomes_the_one_that_was_meant(
    found: tuple[str, str, Sequence[LabelPath], str],
) -> None:
    """Whatever form it is written in, and whatever the names: only what was asked for changes."""
    text, verb, (first, *others), name = found
    tree = parse_labels(text)
    paths = [label.path for label in tree.walk()]
    fresh = (*first[:-1], name)
    if verb == "rename" and fresh not in paths:
        after = editing.rename(text, first, name)
        expected = [fresh + each[len(first) :] if is_below(each, first) else each for each in paths]
    elif verb == "retire":
        after, expected = editing.retire(text, first), paths
        assert [each.path for each in parse_labels(after).walk() if each.retired] == [
            each for each in paths if is_below(each, first)
        ]
    elif verb == "split" and fresh not in paths and not (label := tree.find(first)).children:  # type: ignore[union-attr]
        after = editing.split(text, first, [fresh, *(each for each in others if each != first)])
        place = paths.index(first) + 1
        expected = [*paths[:place], fresh, *paths[place:]]
        assert label is not None
    elif verb == "merge" and not any(is_below(first, other) for other in others) and others:
        after = editing.merge(text, others, first)
        expected = [each for each in paths if not any(is_below(each, other) for other in others)]
    else:
        return
    assert [label.path for label in parse_labels(after).walk()] == expected
    if verb != "merge":
        assert after.count("# said") == text.count("# said")
