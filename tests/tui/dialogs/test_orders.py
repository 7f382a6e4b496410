"""Choosing the order of the queue."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest

from tests.tui.dialogs.test_past_annotations import settled
from tests.tui.stage import HOSTILE, run_stage
from tui_annotate.domain.errors import Unavailable
from tui_annotate.tui.dialogs.orders import OrderDialog, order_words

ORDERS = ("by-source", "ingested", "random:1", "worst:q", "uncertain:q")


async def test_the_order_in_use_is_marked_and_in_hand() -> None:
    """All are told in words."""
    async with run_stage(screen=OrderDialog(lambda: ORDERS, used="worst:q")) as (stage, pilot):
        await settled(stage, pilot)
        rows = [line.strip("│ ") for line in stage.text().splitlines()]
        assert f"▌✓ {order_words('worst:q')}" in rows
        assert len(set(map(order_words, ORDERS))) == len(ORDERS)
        for order in ("ingested", "random:1", "uncertain:q"):
            assert order_words(order) in rows


@pytest.mark.parametrize(
    ("keys", "wanted"),
    [(["enter"], "by-source"), (["down", "o", "enter"], "random:1"), (["j"] * 9, "uncertain:q")],
)
async def test_enter_chooses(keys: Sequence[str], wanted: str) -> None:
    """The focus stops at the ends."""
    async with run_stage(screen=OrderDialog(lambda: ORDERS, used="by-source")) as (stage, pilot):
        await settled(stage, pilot)
        await pilot.press(*keys, "enter")
        await pilot.pause()
        assert stage.results[0] == wanted


async def test_an_order_that_is_no_more_can_be_kept() -> None:
    """It is the first, whether its score is there or not; a click chooses as Enter does."""
    used = f"best:{HOSTILE}"
    async with run_stage(screen=OrderDialog(lambda: ORDERS, used=used)) as (stage, pilot):
        await settled(stage, pilot)
        assert "▌✓ ␛]52" in stage.text()
        await pilot.click("ItemList", offset=(5, 0))
        await pilot.pause()
        assert stage.results == [used]


async def test_a_refusal_is_told() -> None:
    """Nothing can be chosen then."""

    def refused() -> Sequence[str]:
        raise Unavailable("no store", "see doctor")

    async with run_stage(screen=OrderDialog(refused, used="ingested")) as (stage, pilot):
        await settled(stage, pilot)
        assert "✗ no store" in stage.text()
        await pilot.click("ItemList", offset=(5, 0))
        await pilot.press("enter", "down", "q")
        await pilot.pause()
        assert stage.results == [None]


async def test_it_may_be_closed_before_the_answer() -> None:
    """An answer to nobody is dropped."""
    gate = threading.Event()

    def slow() -> Sequence[str]:
        gate.wait(timeout=30)
        return ORDERS

    async with run_stage(screen=OrderDialog(slow, used="ingested")) as (stage, pilot):
        await pilot.pause()
        await pilot.press("q")
        await pilot.pause()
        assert stage.results == [None]
        gate.set()
        await settled(stage, pilot)


def test_every_order_has_words() -> None:
    """A score's name may hold a colon."""
    assert order_words("best:a:b") == "a:b: best first"
    assert order_words("by-source").startswith("by source")
