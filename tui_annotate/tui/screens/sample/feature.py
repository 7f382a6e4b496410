"""What a part of the screen can add to it: the contract of features, and what they get from it.

The screen owns an ordered tuple of features. No feature knows another one, and the screen knows
none of them by name: it calls the hooks below, in the order of the tuple.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, TypeVar

from tui_annotate.domain.samples import Side
from tui_annotate.domain.spans import Span
from tui_annotate.tui.draft.effects import Effect, Effects
from tui_annotate.tui.draft.messages import AnyMessage, Kind, StatusMessage
from tui_annotate.tui.draft.state import Citation, Draft
from tui_annotate.tui.draft.words import HINT
from tui_annotate.tui.screens.sample.rows import Title
from tui_annotate.tui.widgets.document_pane import AnnotationMark

if TYPE_CHECKING:
    from textual.app import App
    from textual.screen import Screen

    from tui_annotate.domain.errors import TuiAnnotateError
    from tui_annotate.domain.samples import Sample, SampleKey
    from tui_annotate.services.annotate import OpenSample, SaveResult
    from tui_annotate.tui.keys.key_lines import Names
    from tui_annotate.tui.screens.sample.panes import PaneController
    from tui_annotate.tui.session import AnnotatorSession

Found = TypeVar("Found")

KeyHandler = Callable[[Draft], Effects]
"""What a key does to the draft: changes it, and returns what the screen is to do."""


class TextPage(NamedTuple):
    """A page about a sample, for the dialog that shows its request.

    Attributes:
        first: it comes before the request and the guidelines, and is shown first.
        shown: it is shown first, whatever its position.
    """

    title: str
    text: str
    first: bool = False
    shown: bool = False


class FinishedSample(NamedTuple):
    """What came of finishing a sample.

    Attributes:
        saved: the answer of the store.
        next: the sample to go on with; None where all are finished.
        feedback: of a practice sample, one's annotations compared with what is right.
        second_readings: samples that are to be read a second time, where all are finished.
    """

    saved: SaveResult
    next: OpenSample | None
    feedback: Any = None
    second_readings: int = 0


class FeatureHost(Protocol):
    """What a feature may use of the screen that it belongs to."""

    @property
    def app(self) -> App[Any]:
        """The running app."""

    @property
    def draft(self) -> Draft | None:
        """The sample on screen with all that is not saved yet."""

    def show_draft(self) -> None:
        """Bring every widget in line with the draft."""

    def perform(self, effects: Sequence[Effect]) -> None:
        """Do what the draft asks for, in order, and show the draft."""

    def follow(self) -> None:
        """Tell the draft where the cursors are, and update matches."""

    def open_dialog(self, dialog: Screen[Any], closed: Callable[[Any], None] | None = None) -> None:
        """Open a dialog or another screen; `closed` gets its result."""

    def run_in_thread(self, group: str, call: Callable[[], None]) -> None:
        """Run a call in a thread, in place of the one of its group before it."""

    @property
    def session(self) -> AnnotatorSession | None:
        """The annotator and the services; None before the first sample."""

    @property
    def open_sample(self) -> OpenSample | None:
        """The sample on screen as the store returned it."""

    @property
    def panes(self) -> PaneController:
        """Cursors, documents and matches."""

    @property
    def busy(self) -> bool:
        """Whether a job that leads to another sample or state is running; keys wait for it."""

    def show_message(self, message: AnyMessage, kind: Kind = HINT, **fields: object) -> None:
        """Show a message in the draft line until the next key; as `Draft.say`."""

    def forget_keys(self, before: float | None = None) -> None:
        """Drop keys that were pressed before a time, or until now."""

    def read(self, call: Callable[[], Found], show: Callable[[Found], None]) -> None:
        """Read something of this sample from the store, then show it; keys wait until then."""

    def submit(
        self,
        call: Callable[[], Found],
        done: Callable[[Found], None] | None = None,
        failed: Callable[[TuiAnnotateError], None] | None = None,
    ) -> None:
        """Run a call in the store's thread; keys do not wait for it."""

    def send_change(
        self,
        call: Callable[[float], SaveResult],
        done: Callable[[SaveResult], None],
        failed: Callable[[TuiAnnotateError], None],
    ) -> None:
        """Send a change of this sample to the store; `call` gets the seconds that it took.

        The answer is taken over before `done` is called, if the same draft is still on screen.
        """

    def not_saved(self) -> None:
        """Show that the store refused a save, and drop the keys behind it."""

    def reload_draft(self, draft: Draft, then: Callable[[StatusMessage], None]) -> None:
        """Read the sample again; `then` gets how its labels changed, if they did."""

    def show_error(self, error: TuiAnnotateError) -> None:
        """Show why the store refused something."""

    def remember(self, what: str, value: str) -> None:
        """Store a preference of this person."""

    def go(
        self,
        find: Callable[[], SampleKey | None],
        none: AnyMessage,
        *,
        prefetched: SampleKey | int | None = None,
    ) -> None:
        """Leave for the sample that `find` returns in the store's thread."""

    def go_to(self, key: SampleKey | None) -> None:
        """Leave for a sample, unless something is still to be saved."""

    def open_queue(self) -> None:
        """Open the list of samples."""

    def switch_session(
        self,
        session: AnnotatorSession,
        open_desk: Callable[[], OpenSample | None],
        *,
        words: AnyMessage,
        none: AnyMessage,
    ) -> None:
        """Leave for the sample that `open_desk` returns, as another person."""

    def keep_place(self) -> None:
        """Store where the annotator is in this sample."""

    def quit(self) -> None:
        """Leave the app; what was given to the store is done first."""


class Feature:
    """A part of the screen that can be left out. All hooks do nothing unless they are overridden.

    Attributes:
        key_handlers: what actions of `tui/keys/actions.py` do, by action id.
        preload: modules that it imports when a key asks for them; the screen imports them in a
            thread once the first sample is shown, so that no key waits for an import.
    """

    key_handlers: Mapping[str, KeyHandler] = MappingProxyType({})
    preload: ClassVar[tuple[str, ...]] = ()

    def __init__(self, host: FeatureHost) -> None:
        self.host = host

    # in the store's thread

    def opened(self, session: AnnotatorSession, open_sample: OpenSample) -> None:
        """Read what the feature needs of a sample that is opened; runs in the store's thread."""

    def next_sample(self, session: AnnotatorSession, sample: Sample) -> SampleKey | None:
        """Return what comes after a finished sample; None for no opinion. In the store's thread."""

    # the sample on screen

    def drafted(self, draft: Draft, open_sample: OpenSample) -> None:
        """Complete the draft of a sample before it is shown."""

    def loaded(self, draft: Draft) -> None:
        """The documents of a sample are on screen."""

    def begun(self, session: AnnotatorSession, open_sample: OpenSample, *, first: bool) -> None:
        """The sample is shown; `first`: it is the first one since the app began."""

    def saved(self, draft: Draft, saved: SaveResult, open_sample: OpenSample) -> OpenSample:
        """Take over the answer of the store to a save; return the sample as it is then."""
        del draft, saved
        return open_sample

    def reloaded(self, draft: Draft, open_sample: OpenSample) -> None:
        """The sample was read again, after a conflict or a change from elsewhere."""

    def finished(self, result: FinishedSample, go_on: Callable[[], None]) -> bool:
        """Show something after a sample is finished, then call `go_on`; False to show nothing."""
        del result, go_on
        return False

    def upcoming(self, draft: Draft) -> Sequence[SampleKey] | None:
        """Return samples that keys lead to from here, to be prefetched; None to prefetch none."""

    def ready(self, sample: Sample) -> bool:
        """Return whether a prefetched sample can be shown without reading anything more."""
        del sample
        return True

    # keys and mouse

    def handle(self, effect: Effect, session: AnnotatorSession, draft: Draft) -> bool:
        """Do what an effect asks for; False where it asks for nothing of this feature."""
        del effect, session, draft
        return False

    def citation_clicked(self, draft: Draft, offset: int, cell: int) -> bool:
        """A mark behind an offset of the summary was clicked; False where it means nothing."""
        del draft, offset, cell
        return False

    # what is shown

    def before_drawing(self, draft: Draft) -> None:
        """The draft is about to be shown: start what depends on the selection."""

    def title(self, draft: Draft, side: Side, title: Title) -> Title:
        """Return the title of a text; `title` is as the features before left it."""
        del draft, side
        return title

    def marks(self, draft: Draft, side: Side) -> Sequence[AnnotationMark]:
        """Return additional marks on the document of a side that is on screen."""
        del draft, side
        return ()

    def line(self, draft: Draft, cells: int) -> tuple[str, Kind] | None:
        """Return the draft line in place of the usual one; None to leave it."""

    def key_line(self, draft: Draft) -> Names | None:
        """Return the actions of the key line in place of the usual ones; None to leave them."""

    def pages(self, draft: Draft, open_sample: OpenSample) -> Sequence[TextPage]:
        """Return pages about the sample."""
        del draft, open_sample
        return ()

    def citations(self, draft: Draft) -> Sequence[Citation] | None:
        """Return what is marked behind sentences of the summary; None for the draft's own."""

    def focused_citation(self, draft: Draft) -> tuple[int, Span] | None:
        """Return the citation in focus: the offset that it follows, and its extent there."""

    def surroundings(self, draft: Draft, side: Side) -> tuple[str, str] | None:
        """Return the text before and after that of a side, where it is part of a longer one."""


FeatureOrder = tuple[Callable[[FeatureHost], Feature] | str, ...]
"""Features in the order in which they add to titles and pages, which is visible.

A name is that of a plug-in of the group `features`; those that are not named come last.
"""
