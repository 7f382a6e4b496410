"""One person at one sample, as the parts of a screen on samples of a workspace share it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui_annotate.services.annotate import OpenSample
    from tui_annotate.tui.draft.state import Draft
    from tui_annotate.tui.session import AnnotatorSession


@dataclass(frozen=True, slots=True)
class SampleSession:
    """The open sample, its draft, and who works on it.

    The screen replaces it as a whole, so that the store's thread never sees the person of one
    sample next to the draft of another.

    Attributes:
        desk: the sample as the store returned it last.
        draft: the same with all that is not saved.
        listening_since: from when on keys are meant for what is on screen; None while the sample
            is not painted yet.
        begun: something was done on the sample since it was opened.
    """

    session: AnnotatorSession
    desk: OpenSample
    draft: Draft
    listening_since: float | None = None
    begun: bool = False
