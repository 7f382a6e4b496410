"""The open sample of the annotating and the reviewing screen, as the parts of the screen use it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from tui_annotate.editor.state import Draft
    from tui_annotate.tui.screens.sample.feature import Feature
    from tui_annotate.tui.screens.sample.shown_sample import ShownSample
    from tui_annotate.tui.session import AnnotatorSession


@dataclass(frozen=True, slots=True)
class SampleSession:
    """The open sample, its unsaved work, and the session of its annotator.

    The screen replaces this object as a whole, so that the store's thread never combines the
    annotator of one sample with the draft of another sample.

    Attributes:
        open_sample: the sample as the store returned it last.
        listening_since: time from which keys are meant for the sample; None until it is painted.
        begun: whether the annotator has acted on the sample since it was opened.
    """

    session: AnnotatorSession
    open_sample: ShownSample
    draft: Draft
    listening_since: float | None = None
    begun: bool = False


class SessionHost(Protocol):
    """What loader, saving and dialogs all need of their screen."""

    current: SampleSession | None

    @property
    def draft(self) -> Draft | None: ...
    @property
    def session(self) -> AnnotatorSession | None: ...
    @property
    def open_sample(self) -> ShownSample | None: ...
    @property
    def features(self) -> tuple[Feature, ...]: ...
