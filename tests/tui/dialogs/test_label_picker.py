"""All labels, found by typing."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.tui.stage import run_stage
from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.label_files import parse_labels
from tui_annotate.domain.labels import LabelTree
from tui_annotate.tui.dialogs.label_picker import LabelPicker, find_labels

_TREE = parse_labels(
    """
    - name: Unwanted
      description: should not be there
      children:
        - {name: Intrinsic, description: contradicts the source}
        - {name: Extrinsic, description: neither here nor there 无依据}
    - name: 良性
      description: true and harmless
    - name: Questionable
      description: "[bold]one can not tell"
    """
)
_INTRINSIC, _EXTRINSIC = ("Unwanted", "Intrinsic"), ("Unwanted", "Extrinsic")
_LABELS = tuple(_TREE.walk())


def _names(text: str) -> list[str]:
    return [label.name for label in find_labels(_LABELS, text)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", ["Unwanted", "Intrinsic", "Extrinsic", "良性", "Questionable"]),
        ("  ", ["Unwanted", "Intrinsic", "Extrinsic", "良性", "Questionable"]),
        ("EX", ["Extrinsic"]),
        ("trins", ["Intrinsic", "Extrinsic"]),
        ("良", ["良性"]),
        ("依据", ["Extrinsic"]),
        ("ｑｕｅｓ", ["Questionable"]),
        ("un", ["Unwanted", "Intrinsic", "Extrinsic"]),
        ("nowhere", []),
    ],
)
def test_labels_are_found_by_any_part(text: str, names: list[str]) -> None:
    """Of a name, a path or a description, whatever the case and width of the letters."""
    assert _names(text) == names


def test_names_that_begin_with_it_come_first() -> None:
    """Then paths, then descriptions, each in the order of the set."""
    assert _names("t")[0] == "Unwanted"
    assert _names("e")[0] == "Extrinsic"


def picker(tree: LabelTree, *, chosen: Sequence[LabelPath] = ()) -> LabelPicker:
    """All labels in one colour."""
    return LabelPicker(tree, chosen=chosen, slots={label.path: 0 for label in tree.walk()})


async def test_enter_takes_the_focused_label() -> None:
    """Paths and descriptions are listed under each other; Down moves."""
    async with run_stage(screen=picker(_TREE)) as (stage, pilot):
        assert "Unwanted › Intrinsic  contradicts the source" in stage.text()
        assert "良性                  true and harmless" in stage.text()
        await pilot.press("down", "enter")
        await pilot.pause()
        assert stage.results == [_INTRINSIC]


async def test_typing_narrows_the_list() -> None:
    """Chinese too; the first that is left is focused."""
    async with run_stage(screen=picker(_TREE)) as (stage, pilot):
        await pilot.press("down", "down", "依", "据")
        await pilot.pause()
        assert "1 of 5" in stage.text()
        assert "良性" not in stage.text()
        await pilot.press("enter")
        await pilot.pause()
        assert stage.results == [_EXTRINSIC]


async def test_nothing_found_can_not_be_taken() -> None:
    """Enter waits until something is there."""
    async with run_stage(screen=picker(_TREE)) as (stage, pilot):
        await pilot.press("z", "z", "enter", "down", "up")
        await pilot.pause()
        assert not any(label.name in stage.text() for label in _TREE.walk())
        assert stage.results == []


async def test_labels_of_the_draft_are_marked() -> None:
    """The first of them is focused."""
    async with run_stage(screen=picker(_TREE, chosen=[_EXTRINSIC])) as (stage, _):
        assert "▌✓ Unwanted › Extrinsic" in stage.text()


async def test_space_is_text_where_one_is_taken() -> None:
    """A name with a blank can be searched."""
    async with run_stage(screen=picker(_TREE)) as (stage, pilot):
        await pilot.press(*"one", "space", *"can")
        await pilot.pause()
        assert "1 of 5" in stage.text()
        assert "[bold]one can not tell" in stage.text()


async def test_a_click_takes() -> None:
    """As Enter does."""
    async with run_stage(screen=picker(_TREE)) as (stage, pilot):
        await pilot.click("_Labels", offset=(10, 2))
        await pilot.pause()
        assert stage.results == [_EXTRINSIC]


async def test_a_long_set_scrolls() -> None:
    """The focused label is in the window wherever one goes, at 80x24."""
    tree = parse_labels("\n".join(f"- label {number}" for number in range(200)))
    async with run_stage(screen=picker(tree)) as (stage, pilot):
        await pilot.press(*["pagedown"] * 10)
        await pilot.pause()
        assert "label 100 " in stage.text()
        assert "Esc close" in stage.text()
        await pilot.press("enter")
        await pilot.pause()
        assert stage.results == [("label 100",)]
