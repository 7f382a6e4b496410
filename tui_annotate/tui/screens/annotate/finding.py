"""Words that are typed, found in a text: lit while one types, walked to afterwards."""

from __future__ import annotations

import re
from typing import Final

from tui_annotate.domain.samples import Side
from tui_annotate.domain.spans import Span
from tui_annotate.tui.draft import lighting
from tui_annotate.tui.draft.quoting import quoted
from tui_annotate.tui.draft.state import Draft
from tui_annotate.tui.screens.annotate.contrast import AnnotateContrast

MOST: Final = 10_000
"""Hits that are shown at most."""


class AnnotateFinding(AnnotateContrast):
    """Finds in the text that the keys are in."""

    _query = ""

    def ask_text(self, draft: Draft) -> None:
        """Asks for words, with those that were found last."""
        from tui_annotate.tui.dialogs.find import FindDialog

        side = draft.side

        def search(query: str) -> str:
            draft.hits, draft.searched = hits_of(draft.text(side), query), (query, side)
            draft.hit = 0
            self.show_draft()
            return f"{len(draft.hits)} found" if query else ""

        def ended(query: str | None) -> None:
            draft.hits = ()
            if query and draft is self.draft:
                self._query = query
                name, hits = quoted(query, cells=24), hits_of(draft.text(side), query)
                self.perform(lighting.found(draft, name, hits))
            self.show_draft()

        name = draft.tree.summary_title if side is Side.SUMMARY else draft.tree.source_title
        dialog = FindDialog(self._query, search=search, title=f"Find in {name.lower()}")
        self.app.push_screen(dialog, ended)


def hits_of(text: str, query: str) -> tuple[Span, ...]:
    """Where a text holds the words as they stand, whatever their case, in order; none for none."""
    if not query:
        return ()
    found = re.compile(re.escape(query), re.IGNORECASE).finditer(text)
    return tuple(Span(*hit.span()) for hit, _ in zip(found, range(MOST), strict=False))
