"""Samples whose stored texts another program changed: they are passed over, and named."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from tui_annotate.domain.errors import Damaged
from tui_annotate.tui.draft.messages import MessageCode, StatusMessage, combine_messages
from tui_annotate.tui.draft.words import WARNING
from tui_annotate.tui.screens.sample.feature import FoundSample

if TYPE_CHECKING:
    from tui_annotate.domain.samples import SampleKey
    from tui_annotate.services.annotate import OpenSample

NAMED: Final = 3
"""Maximum number of damaged samples that a message names."""

_log = logging.getLogger(__name__)


def open_undamaged(
    find: Callable[[Sequence[SampleKey]], SampleKey | None],
    open_key: Callable[[SampleKey], OpenSample],
) -> FoundSample:
    """Open the first sample whose texts are those that were imported.

    Args:
        find: returns the next sample to try, for the damaged ones found so far; None to stop.
    """
    damaged: list[SampleKey] = []
    while (key := find(damaged)) and key not in damaged:
        try:
            return FoundSample(open_key(key), tuple(damaged))
        except Damaged as error:
            _log.warning("%s", error.message)
            damaged.append(key)
    return FoundSample(None, tuple(damaged))


def name_damaged(message: StatusMessage, damaged: Sequence[SampleKey]) -> StatusMessage:
    """Return a message that also names the damaged samples; unchanged if there are none."""
    if not damaged:
        return message
    samples = ", ".join(key.id for key in damaged[:NAMED])
    if len(damaged) > NAMED:
        samples = f"{samples} and {len(damaged) - NAMED} more"
    code = MessageCode.DAMAGED if len(damaged) == 1 else MessageCode.SEVERAL_DAMAGED
    return combine_messages(message, StatusMessage(code, {"samples": samples}), WARNING)
