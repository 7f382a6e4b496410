"""Samples whose stored texts another program changed: they are passed over, and named."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from tui_annotate.domain.errors import Damaged
from tui_annotate.domain.plural import format_count
from tui_annotate.editor.messages import MessageCode, StatusMessage, combine_messages
from tui_annotate.editor.words import WARNING, with_more
from tui_annotate.tui.screens.sample.feature import FoundSample

if TYPE_CHECKING:
    from tui_annotate.domain.samples import SampleKey
    from tui_annotate.tui.screens.sample.shown_sample import ShownSample

NAMED: Final = 3
"""Maximum number of damaged samples that a message or a line of the log names."""

_log = logging.getLogger(__name__)


def open_undamaged(
    find: Callable[[Sequence[SampleKey]], SampleKey | None],
    open_key: Callable[[SampleKey], ShownSample],
) -> FoundSample:
    """Open the first sample whose texts are those that were imported.

    Args:
        find: returns the next sample to try, for the damaged ones found so far; None to stop.
    """
    damaged: list[SampleKey] = []
    open_sample = None
    while open_sample is None and (key := find(damaged)) and key not in damaged:
        try:
            open_sample = open_key(key)
        except Damaged:
            damaged.append(key)
    if damaged:
        count = format_count(len(damaged), "damaged sample")
        _log.warning("%s passed over: %s", count, _join_names(damaged))
    return FoundSample(open_sample, tuple(damaged))


def name_damaged(message: StatusMessage, damaged: Sequence[SampleKey]) -> StatusMessage:
    """Return a message that also names the damaged samples; unchanged if there are none."""
    if not damaged:
        return message
    samples = _join_names([key.id for key in damaged])
    code = MessageCode.DAMAGED if len(damaged) == 1 else MessageCode.SEVERAL_DAMAGED
    return combine_messages(message, StatusMessage(code, {"samples": samples}), WARNING)


def _join_names(samples: Sequence[object]) -> str:
    return with_more(", ".join(map(str, samples[:NAMED])), samples, NAMED)
