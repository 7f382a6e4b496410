"""Comments that were imported with a sample from Mercury's database, as read-only text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tui_annotate.domain.samples import IMPORTED_COMMENTS
from tui_annotate.editor.screen_message import ScreenMessage
from tui_annotate.editor.state import Draft
from tui_annotate.tui.screens.sample.feature import Feature, FeatureHost, TextPage

if TYPE_CHECKING:
    from tui_annotate.tui.screens.sample.shown_sample import ShownSample
    from tui_annotate.tui.session import AnnotatorSession


class CommentText(ScreenMessage):
    """Texts of the page with imported comments."""

    TITLE = "Imported comments"
    OF_PERSON = "Person {number}, {time}: {text}"
    OWN = "{time}: {text}"


class ImportedComments(Feature):
    """Part of the screen that shows imported comments on the annotations of a sample.

    An annotator sees only the annotator's own comments, because those of other people reveal their
    work. In review (`everyone`), all comments are shown, with numbers in place of names.
    """

    def __init__(self, host: FeatureHost, *, everyone: bool = False) -> None:
        super().__init__(host)
        self._everyone = everyone
        self._own_ids: set[str] = set()

    def opened(self, session: AnnotatorSession, open_sample: ShownSample) -> None:
        """Read under which ids the annotator's own comments were imported."""
        if open_sample.sample.meta.get(IMPORTED_COMMENTS) and not self._everyone:
            self._own_ids = session.annotate.people.merged_ids(session.person.id)

    def pages(self, draft: Draft, open_sample: ShownSample) -> Sequence[TextPage]:
        """Return one page with the visible comments in stored order; none without comments."""
        del draft
        listed = open_sample.sample.meta.get(IMPORTED_COMMENTS)
        rows: list[Any] = listed if isinstance(listed, list) else []
        rows = [row for row in rows if isinstance(row, dict) and isinstance(row.get("text"), str)]
        people = list(dict.fromkeys(str(row.get("user_id")) for row in rows))
        texts = []
        for row in rows:
            person = str(row.get("user_id"))
            minute = str(row.get("comment_time", ""))[:16]
            number = people.index(person) + 1
            time = minute.replace("T", " ")
            if self._everyone:
                message = CommentText.OF_PERSON
            elif person in self._own_ids:
                message = CommentText.OWN
            else:
                continue
            texts.append(message.text(number=number, time=time, text=row["text"]))
        return [TextPage(CommentText.TITLE.text(), "\n\n".join(texts))] if texts else ()
