"""Comments that were imported with a sample from Mercury's database, as read-only text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from tui_annotate.domain.samples import Sample
from tui_annotate.tui.draft.state import Draft
from tui_annotate.tui.screens.sample.feature import Feature, FeatureHost, TextPage

if TYPE_CHECKING:
    from tui_annotate.services.annotate import OpenSample

_COLUMN: Final = "mercury_comments"
_NO_PERSON: Final = ""
_MINUTE: Final = 16  # characters of a time in ISO 8601 up to its minute


class ImportedComments(Feature):
    """Part of the screen that shows imported comments on the annotations of a sample.

    An annotator sees only the annotator's own comments, because those of other people reveal their
    work. In review (`everyone`), all comments are shown, with numbers in place of names.
    """

    def __init__(self, host: FeatureHost, *, everyone: bool = False) -> None:
        super().__init__(host)
        self._everyone = everyone

    def pages(self, draft: Draft, open_sample: OpenSample) -> Sequence[TextPage]:
        del draft
        rows = _list_comments(open_sample.sample)
        numbers = {author: n for n, author in enumerate(dict.fromkeys(map(_author, rows)), 1)}
        if not self._everyone:
            own = self._own_ids(open_sample)
            rows = [row for row in rows if _author(row) in own]
        texts = [
            f"{f'Person {numbers[_author(row)]}, ' if self._everyone else ''}"
            f"{_minute(row)}: {row['text']}"
            for row in rows
        ]
        return [TextPage("Imported comments", "\n\n".join(texts))] if texts else ()

    def _own_ids(self, open_sample: OpenSample) -> set[str]:
        """Return the user's id, and the ids in files of people whose work the user took over."""
        originals = [one.imported or {} for one in open_sample.annotations]
        ids = {str(original.get("annotator") or _NO_PERSON) for original in originals}
        session = self.host.session
        return (ids | {session.person.id if session else _NO_PERSON}) - {_NO_PERSON}


def _author(row: Mapping[str, Any]) -> str:
    return str(row.get("user_id") or _NO_PERSON)


def _minute(row: Mapping[str, Any]) -> str:
    return str(row.get("comment_time", ""))[:_MINUTE].replace("T", " ")


def _list_comments(sample: Sample) -> list[Mapping[str, Any]]:
    rows = sample.meta.get(_COLUMN)
    listed = rows if isinstance(rows, list | tuple) else ()
    return [row for row in listed if isinstance(row, Mapping) and isinstance(row.get("text"), str)]
