"""Requests for reports of frames, of which a connection may lose some."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from textual.pilot import Pilot

from tests.helpers.terminal import PATIENCE
from tui_annotate.tui import restricted_app
from tui_annotate.tui.restricted_app import RestrictedApp
from tui_annotate.tui.terminal_driver import FrameReported, _report_column
from tui_annotate.tui.theme import detect


@contextmanager
def _record_requests(app: RestrictedApp) -> Iterator[list[int]]:
    """The numbers of the requests that the terminal gets; it answers none of them itself."""
    found: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(restricted_app, "_REPORT_PATIENCE", 0.001)
        patch.setattr(RestrictedApp, "is_headless", False)
        patch.setattr(app._driver, "request_report", found.append, raising=False)
        yield found


async def _wait_for(requests: list[int], number: int, pilot: Pilot[None]) -> None:
    for _ in range(round(PATIENCE / 0.01)):
        if len(requests) >= number:
            return
        await pilot.pause(0.01)
    raise AssertionError(requests)


async def test_a_lost_report_is_requested_until_it_comes() -> None:
    """The answer to any of these requests says that the frame has arrived."""
    app, times = RestrictedApp(detect({})), list[float]()
    async with app.run_test() as pilot:
        with _record_requests(app) as requests:
            app.report_frame(lambda: True, times.append)
            await _wait_for(requests, 1, pilot)
            app.post_message(FrameReported(_report_column(requests[0])))
            await pilot.pause()
            requests.clear()

            app.report_frame(lambda: True, times.append)
            await _wait_for(requests, 3, pilot)
            assert len(set(requests)) == len(times) == 1
            app.post_message(FrameReported(_report_column(requests[0])))
            await pilot.pause()
            assert len(times) == 2
            number = len(requests)
            await pilot.pause(0.02)
            assert len(requests) == number


async def test_a_terminal_without_reports_is_asked_once_for_each() -> None:
    """It would answer no further request either."""
    app = RestrictedApp(detect({}))
    async with app.run_test() as pilot:
        with _record_requests(app) as requests:
            app.report_frame(lambda: True, lambda _: None)
            await _wait_for(requests, 1, pilot)
            await pilot.pause(0.02)
            assert len(requests) == 1
