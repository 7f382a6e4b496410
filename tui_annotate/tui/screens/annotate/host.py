"""What the parts of a screen on samples of a workspace may use of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from tui_annotate.tui.draft.messages import NO_MESSAGE, StatusMessage
from tui_annotate.tui.screens.sample.feature import Feature, FeatureHost
from tui_annotate.tui.screens.sample.host import SampleHost

if TYPE_CHECKING:
    from textual.message import Message

    from tui_annotate.domain.samples import SampleKey, Side
    from tui_annotate.services.annotate import OpenSample
    from tui_annotate.tui.draft.state import Draft
    from tui_annotate.tui.saving import Saver
    from tui_annotate.tui.session import AnnotatorSession
    from tui_annotate.tui.widgets.document_pane import DocumentPane
    from tui_annotate.tui.widgets.note_input import NoteInput


@dataclass(frozen=True, slots=True)
class SampleSession:
    """One person at one sample.

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


class SampleOpener(Protocol):
    """What saves and keys use of the loader."""

    last_label: tuple[str, ...]
    """The label that was given last, for the next draft."""

    def open(self, key: SampleKey) -> OpenSample:
        """Open a sample, with what features need of it. In the store's thread."""

    def leaving_place(self) -> Callable[[], None]:
        """Return what stores the place alone; to be called in the store's thread."""

    def listen(self, since: float | None = None) -> None:
        """From a time on, or from now, keys are meant for what is on screen."""


class WorkspaceHost(FeatureHost, SampleHost, Protocol):
    """What keys, dialogs, loading and saving use of the screen."""

    current: SampleSession | None
    """The sample on screen; None before the first one."""

    awaiting_sample: bool
    """Another sample is coming, so nothing is painted that it covers at once."""

    @property
    def features(self) -> tuple[Feature, ...]:
        """Parts that can be left out."""

    def load_features(self) -> None:
        """Make the features, once, before the first sample. In the store's thread."""

    @property
    def loader(self) -> SampleOpener:
        """From sample to sample."""

    @property
    def saver(self) -> Saver:
        """The thread of the store."""

    @property
    def note_input(self) -> NoteInput:
        """The widget that notes are written in."""

    def pane(self, side: Side) -> DocumentPane:
        """Return the pane of a side."""

    def begin(
        self, session: AnnotatorSession, desk: OpenSample, message: StatusMessage = NO_MESSAGE
    ) -> None:
        """Show a sample, where its annotator left it."""

    def load_documents(self, draft: Draft) -> None:
        """Put another draft's documents on screen."""

    # Textual's

    @property
    def is_current(self) -> bool:
        """Whether nothing lies over the screen."""

    def post_message(self, message: Message) -> bool:
        """Queue a message for the screen."""
