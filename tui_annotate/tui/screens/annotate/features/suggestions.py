"""Part of the annotating screen that counts suggestions and stores the annotator's answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.errors import Conflict, TuiAnnotateError
from tui_annotate.domain.suggestions import Suggestion, SuggestionStatus
from tui_annotate.editor import single_document, suggestion_actions
from tui_annotate.editor.effects import Accept, Decline, Effect, Open, Page
from tui_annotate.editor.messages import (
    NO_MESSAGE,
    Kind,
    LineText,
    MessageCode,
    StatusMessage,
    add_state,
)
from tui_annotate.editor.screen_message import describe_error
from tui_annotate.editor.state import Draft
from tui_annotate.tui.screens.sample.feature import Feature, FeatureHost, TextPage

if TYPE_CHECKING:
    from tui_annotate.domain.samples import Sample
    from tui_annotate.services.annotate import OpenSample, SaveResult
    from tui_annotate.tui.screens.sample.shown_sample import ShownSample
    from tui_annotate.tui.session import AnnotatorSession

HIDDEN: Final = "hidden"
SHOWN: Final = "shown"


class Suggestions(Feature):
    """Part of the screen that shows suggestions for a sample and stores the annotator's answers."""

    def __init__(self, host: FeatureHost) -> None:
        super().__init__(host)
        self.hiding = False

    # the open suggestions

    def drafted(self, draft: Draft, open_sample: ShownSample) -> None:
        """Add the suggestions that wait for an answer to the new draft."""
        draft.suggestions = _open_suggestions(open_sample.sample, open_sample.suggestions)
        draft.suggestions_hidden = self.hiding

    def begun(self, session: AnnotatorSession, open_sample: ShownSample, *, first: bool) -> None:
        """Add the number of open suggestions to the message about the opened sample."""
        del session, open_sample, first
        draft = self.host.draft
        if draft is None:
            return
        if many := suggestion_actions.describe_open_suggestions(draft):
            shown = draft.message
            draft.message = add_state(shown, many, sample=draft.sample.id, kind=shown.kind)
            self.host.show_draft()

    def reloaded(self, draft: Draft, open_sample: ShownSample) -> None:
        draft.suggestions = _open_suggestions(open_sample.sample, open_sample.suggestions)

    def saved(self, draft: Draft, saved: SaveResult, open_sample: OpenSample) -> OpenSample:
        """Update the answers to suggestions from a save."""
        if not open_sample.suggestions:
            return open_sample
        now = tuple(_apply_answer(each, saved) for each in open_sample.suggestions)
        draft.suggestions = _open_suggestions(open_sample.sample, now)
        return replace(open_sample, suggestions=now)

    def line(self, draft: Draft, cells: int) -> tuple[str, Kind] | None:
        """Return the line about the suggestion in focus or being answered; None without one."""
        return suggestion_actions.describe_line(draft, cells)

    def pages(self, draft: Draft, open_sample: ShownSample) -> Sequence[TextPage]:
        """Return a page about the focused suggestion, to show first; empty if none is focused."""
        del open_sample
        about = suggestion_actions.describe_suggestion(draft)
        return [TextPage(LineText.SUGGESTION_PAGE.text(), about, first=True)] if about else ()

    def hide(self, *, hiding: bool) -> None:
        """Hide or show suggestions, in the open sample and in those that are opened later."""
        self.hiding = hiding
        if draft := self.host.draft:
            draft.suggestions_hidden = hiding

    # answers to suggestions

    def handle(self, effect: Effect, session: AnnotatorSession, draft: Draft) -> bool:
        """Store an answer to a suggestion, or hide or show all; return False for other effects."""
        open_sample = self.host.open_sample
        if open_sample is None:
            return False
        match effect:
            case Accept(one, annotation, changed):
                made = annotation if changed else None
                self._accept(session, open_sample, draft, one=one, made=made)
            case Decline(one, reason):
                self._decline(session, open_sample, draft, one=one, reason=reason)
            case Open(Page.SUGGESTIONS, step):
                self.hide(hiding=not step)
                self.host.remember("suggestions", SHOWN if step else HIDDEN)
            case _:
                return False
        return True

    def _accept(
        self,
        session: AnnotatorSession,
        open_sample: ShownSample,
        draft: Draft,
        *,
        one: Suggestion,
        made: Annotation | None,
    ) -> None:
        annotate = session.annotate
        who = session.person.id
        key = open_sample.sample.key
        exchange = partial(single_document.exchange_sides, open_sample.sample)
        changed = exchange(made) if made else None
        version = draft.tree.version

        def call(seconds: float) -> SaveResult:
            return annotate.accept(
                who, key, one.id, changed=changed, label_set=version, seconds=seconds
            )

        def done(saved: SaveResult) -> None:
            own = saved.annotation and exchange(saved.annotation)
            known = single_document.exchange_all_sides(open_sample.sample, saved.annotations)
            effects = suggestion_actions.apply_accepted(draft, one, own, annotations=known)
            self.host.perform(effects)
            self.host.keep_place()

        self.host.send_change(call, done, partial(self._reopen_refused, draft, one))

    def _decline(
        self,
        session: AnnotatorSession,
        open_sample: ShownSample,
        draft: Draft,
        *,
        one: Suggestion,
        reason: str,
    ) -> None:
        annotate = session.annotate
        who = session.person.id
        key = open_sample.sample.key

        def call(seconds: float) -> SaveResult:
            return annotate.refuse(who, key, one.id, reason=reason, seconds=seconds)

        def done(saved: SaveResult) -> None:
            del saved
            suggestion_actions.apply_declined(draft, one)
            self.host.perform([])

        self.host.send_change(call, done, partial(self._reopen_refused, draft, one))

    def _reopen_refused(self, draft: Draft, one: Suggestion, error: TuiAnnotateError) -> None:
        self.host.not_saved()

        def back(changed: StatusMessage) -> None:
            self.host.forget_keys()
            message: StatusMessage | str = describe_error(error)
            if changed:
                message = StatusMessage(MessageCode.CHANGED_LOOK_AGAIN, {"changed": changed})
            effects = suggestion_actions.reopen_suggestion(draft, one, message)
            if draft is self.host.draft:
                self.host.perform(effects)

        if isinstance(error, Conflict):
            self.host.reload_draft(draft, back)
        else:
            back(NO_MESSAGE)


def _apply_answer(each: SuggestionStatus, saved: SaveResult) -> SuggestionStatus:
    """Return a suggestion's state after a save, with the answer that is stored now."""
    given = saved.answers.get(each.suggestion.id)
    is_stored = given is not None and any(one.id == given.annotation for one in saved.annotations)
    return SuggestionStatus.of(each.suggestion, given, annotation_exists=is_stored)


def _open_suggestions(sample: Sample, found: Sequence[SuggestionStatus]) -> tuple[Suggestion, ...]:
    """Return the suggestions that wait for an answer, in the order of their claims."""
    exchange = partial(single_document.exchange_sides, sample)
    waiting = [exchange(each.suggestion) for each in found if each.open]
    return tuple(sorted(waiting, key=lambda one: one.claim or one.evidence))
