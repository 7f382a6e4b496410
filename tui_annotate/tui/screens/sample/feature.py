"""Interfaces between the screen of a sample and the optional parts that extend the screen.

The screen owns an ordered tuple of such parts, the features. Features do not depend on one another,
and the screen does not depend on a particular feature: it calls the hooks below in the order of the
tuple.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, TypeVar

from tui_annotate.domain.samples import Side
from tui_annotate.domain.spans import Span
from tui_annotate.editor.effects import Effect, Effects
from tui_annotate.editor.messages import AnyMessage, Kind, StatusMessage
from tui_annotate.editor.state import Citation, Draft
from tui_annotate.editor.words import HINT
from tui_annotate.tui.screens.sample.rows import Title
from tui_annotate.tui.widgets.document_pane import AnnotationMark

if TYPE_CHECKING:
    from textual.app import App
    from textual.screen import Screen

    from tui_annotate.domain.errors import TuiAnnotateError
    from tui_annotate.domain.samples import Sample, SampleKey
    from tui_annotate.domain.work_statistics import PracticeResult
    from tui_annotate.editor.key_lines import Names
    from tui_annotate.services.annotate import OpenSample, SaveResult
    from tui_annotate.tui.screens.sample.panes import PaneController
    from tui_annotate.tui.screens.sample.shown_sample import ShownSample
    from tui_annotate.tui.session import AnnotatorSession

Found = TypeVar("Found")

KeyHandler = Callable[[Draft], Effects]
"""Function that runs a key's action on the open sample and returns effects for the screen."""


class TextPage(NamedTuple):
    """A page next to the request; `first` puts it before the request, `shown` shows it at once."""

    title: str
    text: str
    first: bool = False
    shown: bool = False


class FoundSample(NamedTuple):
    """The result of a search for a sample to open.

    Attributes:
        open_sample: the first sample that could be read; None if there is none.
        damaged: samples that were found before it, but cannot be read.
    """

    open_sample: ShownSample | None
    damaged: tuple[SampleKey, ...] = ()


class FinishedSample(NamedTuple):
    """The result of finishing a sample.

    Attributes:
        next: the next sample; None if all are finished.
        feedback: for a practice sample, the annotator's work compared with the correct one.
        second_readings: number of samples to read a second time, if all are finished.
        damaged: samples that came before the next one in the queue, but cannot be read.
        practice: the result of practice, if this was its last sample.
        paused: why there is no next sample although some are left; None if work is not paused.
    """

    saved: SaveResult
    next: ShownSample | None
    feedback: Any = None
    second_readings: int = 0
    damaged: tuple[SampleKey, ...] = ()
    paused: TuiAnnotateError | None = None
    practice: PracticeResult | None = None


class FeatureHost(Protocol):
    """The methods of the sample screen that its optional parts (features) may use."""

    @property
    def app(self) -> App[Any]:
        """The app, for timers and for calls from other threads."""

    @property
    def draft(self) -> Draft | None:
        """The open sample with all unsaved work; None before the first sample."""

    def show_draft(self) -> None:
        """Update every widget of the screen from the open sample and its unsaved work."""

    def perform(self, effects: Sequence[Effect]) -> None:
        """Apply the effects of a user action, such as cursor moves, then update the screen."""

    def follow(self) -> None:
        """Record the cursor positions in summary and source, and update the matches."""

    def open_dialog(self, dialog: Screen[Any], closed: Callable[[Any], None] | None = None) -> None:
        """Show a dialog on top of the screen; `closed` gets its result."""

    def run_in_thread(self, group: str, call: Callable[[], None]) -> None:
        """Call a function in a thread, and cancel the earlier call with the same group name."""

    @property
    def session(self) -> AnnotatorSession | None:
        """The session of the annotator at work; None before the first sample."""

    @property
    def open_sample(self) -> ShownSample | None:
        """The open sample as the store returned it last; None before the first sample."""

    @property
    def panes(self) -> PaneController:
        """The controller of the summary and the source on screen."""

    @property
    def busy(self) -> bool:
        """Whether a job is running for which key presses must wait, such as opening a sample."""

    def show_message(self, message: AnyMessage, kind: Kind = HINT, **fields: object) -> None:
        """Show a message in the status line; `fields` are the values of its fields."""

    def forget_keys(self, before: float | None = None) -> None:
        """Drop the waiting key presses from before a given time, by default before now."""

    def read(self, call: Callable[[], Found], show: Callable[[Found], None]) -> None:
        """Read data of the open sample, then show the data; keys wait until the data is read."""

    def submit(
        self,
        call: Callable[[], Found],
        done: Callable[[Found], None] | None = None,
        failed: Callable[[TuiAnnotateError], None] | None = None,
    ) -> None:
        """Call a function in the thread that accesses the store; keys are handled meanwhile."""

    def share_stored(self) -> None:
        """Send what was stored by `submit` to a shared folder or table, if one is used."""

    def send_change(
        self,
        call: Callable[[float], SaveResult],
        done: Callable[[SaveResult], None],
        failed: Callable[[TuiAnnotateError], None],
    ) -> None:
        """Send a change of the open sample to the store."""

    def not_saved(self) -> None:
        """Show that the store refused a save, and drop the keys pressed since."""

    def reload_draft(self, draft: Draft, then: Callable[[StatusMessage], None]) -> None:
        """Read the sample again, then call `then` with a message about changed labels, if any."""

    def show_error(self, error: TuiAnnotateError) -> None:
        """Show why the store refused a request."""

    def remember(self, what: str, value: str) -> None:
        """Store a view setting for the person."""

    def go(
        self,
        find: Callable[[], SampleKey | None],
        none: AnyMessage,
        *,
        after: Callable[[SampleKey], SampleKey | None] | None = None,
        prefetched: SampleKey | int | None = None,
    ) -> None:
        """Call `find` in the store's thread, and open the sample that it returns.

        If that sample is damaged, open the one that `after` returns for it.
        """

    def go_to(self, key: SampleKey | None) -> None:
        """Go to a sample, unless unsaved work must be saved first."""

    def open_queue(self) -> None:
        """Show the list of samples."""

    def switch_session(
        self,
        session: AnnotatorSession,
        find: Callable[[], FoundSample],
        *,
        words: AnyMessage,
        none: AnyMessage,
    ) -> None:
        """Show another annotator's sample, which `find` returns in the store's thread.

        `words` is shown with the sample; `none` if `find` returns no sample.
        """

    def keep_place(self) -> None:
        """Store the position of the open sample with all unsaved work."""

    def quit(self) -> None:
        """Store position and working time, and close the screen."""


class Feature:
    """Base of optional parts of the screen of a sample; methods do nothing unless overridden.

    Attributes:
        key_handlers: handlers of actions in `editor/actions.py`, by action id.
        preload: modules that the feature imports on a key; the screen imports them in a thread
            after the first sample is shown, so that no key waits for an import.
    """

    key_handlers: Mapping[str, KeyHandler] = MappingProxyType({})
    preload: ClassVar[tuple[str, ...]] = ()

    def __init__(self, host: FeatureHost) -> None:
        self.host = host

    # in the store's thread

    def opened(self, session: AnnotatorSession, open_sample: ShownSample) -> None:
        """Read what this part of the screen needs for a sample that is being opened."""

    def next_sample(self, session: AnnotatorSession, sample: Sample) -> SampleKey | None:
        """Return the sample to open after the user has finished `sample`.

        None means no preference: if no other feature returns a sample, the next sample of the queue
        is opened. Called in the store's thread.
        """

    # the sample on screen

    def drafted(self, draft: Draft, open_sample: ShownSample) -> None:
        """Prepare this part of the screen for an opened sample, before the sample is shown."""

    def loaded(self, draft: Draft) -> None:
        """Prepare this part of the screen for an opened sample, after the texts are shown."""

    def begun(self, session: AnnotatorSession, open_sample: ShownSample, *, first: bool) -> None:
        """React to a newly shown sample; `first` means the first since the app was started."""

    def saved(self, draft: Draft, saved: SaveResult, open_sample: OpenSample) -> OpenSample:
        """Return the open sample after a save, as this part of the screen updates it."""
        del draft, saved
        return open_sample

    def reloaded(self, draft: Draft, open_sample: ShownSample) -> None:
        """Update this part of the screen after the open sample was read from the store again."""

    def finished(self, result: FinishedSample, go_on: Callable[[], None]) -> bool:
        """Show a dialog after a finished sample, then call `go_on`; return False for no dialog."""
        del result, go_on
        return False

    def upcoming(self, draft: Draft) -> Sequence[SampleKey] | None:
        """Return samples that the next key press may open, so that they are read in advance."""

    def ready(self, sample: Sample) -> bool:
        """Return whether a sample that was read in advance can be shown without further reading."""
        del sample
        return True

    # keys and mouse

    def handle(self, effect: Effect, session: AnnotatorSession, draft: Draft) -> bool:
        """Apply the effect of a user action to this feature; return False for other effects."""
        del effect, session, draft
        return False

    def citation_clicked(self, draft: Draft, offset: int, cell: int) -> bool:
        """Handle a click on a citation mark of the summary; return False to ignore the click.

        `offset` is that of the character before the marks; `cell` counts in the marks.
        """
        del draft, offset, cell
        return False

    # what is shown

    def before_drawing(self, draft: Draft) -> None:
        """Start work that depends on the selection, such as a search; called before each redraw."""

    def title(self, draft: Draft, side: Side, title: Title) -> Title:
        """Return the title of the summary or source, as this part of the screen changes it."""
        del draft, side
        return title

    def marks(self, draft: Draft, side: Side) -> Sequence[AnnotationMark]:
        """Return further highlights for the document displayed as summary or as source."""
        del draft, side
        return ()

    def line(self, draft: Draft, cells: int) -> tuple[str, Kind] | None:
        """Return a text and its kind for the status line; None for the default text."""

    def key_line(self, draft: Draft) -> Names | None:
        """Return the actions whose keys the key line lists; None for the default actions."""

    def pages(self, draft: Draft, open_sample: ShownSample) -> Sequence[TextPage]:
        """Return texts about the sample, for the dialog that shows the sample's request."""
        del draft, open_sample
        return ()

    def citations(self, draft: Draft) -> Sequence[Citation] | None:
        """Return the citations to show after summary sentences; None for the usual citations."""

    def focused_citation(self, draft: Draft) -> tuple[int, Span] | None:
        """Return where the mark of the focused citation is shown; None if none is in focus.

        The first value is the offset of the character before the marks, the second the span of this
        mark in the text of all marks there.
        """

    def surroundings(self, draft: Draft, side: Side) -> tuple[str, str] | None:
        """Return the text before and after a displayed excerpt; None if there is no excerpt."""


FeatureOrder = tuple[Callable[[FeatureHost], Feature] | str, ...]
"""Optional parts of the screen in the order of their calls, for example to build a title.

A string is the name of a plug-in in the group `features`. Plug-ins that are not named come last.
"""
