"""Colour slots of labels: what the set asks for, else by place."""

from __future__ import annotations

from tests.editor.draft_samples import draft
from tui_annotate.domain.labels import COLORS
from tui_annotate.tui.label_colors import label_slot


def _slots(labels: str) -> list[int]:
    made = draft(labels)
    return [label_slot(made.tree, label.path) for label in made.tree.walk()]


def test_labels_that_ask_for_no_colour_are_coloured_by_place() -> None:
    """Leaves are counted; a parent has the colour of its first leaf."""
    assert _slots("- A\n- B: [C, D]\n- E") == [0, 1, 1, 2, 3]


def test_a_label_has_the_colour_that_it_asks_for() -> None:
    """By name or by the nearest; the others keep off it."""
    red, blue = COLORS.index("red"), COLORS.index("blue")
    assert _slots("- A\n- {name: B, color: red}\n- {name: C, color: '#0080d0'}\n- D") == [
        0,
        red,
        blue,
        1,
    ]


def test_a_parent_keeps_its_colour_where_a_child_has_another() -> None:
    """Children without a colour have their parent's."""
    red, green = COLORS.index("red"), COLORS.index("green")
    labels = "- {name: A, color: red, children: [{name: B, color: green}, C]}\n- D"
    assert _slots(labels) == [red, green, red, 0]


def test_a_label_that_the_set_does_not_hold_has_the_first_colour() -> None:
    """Old annotations may carry one."""
    assert label_slot(draft("- A\n- B").tree, ("Gone",)) == 0


def test_colours_are_those_of_the_label_set_in_force() -> None:
    """Another order of the labels gives other colours."""
    assert label_slot(draft("- A\n- B\n").tree, ("B",)) == 1
    assert label_slot(draft("- B\n- A\n").tree, ("B",)) == 0
