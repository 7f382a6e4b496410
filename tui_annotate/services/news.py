"""News: what changed since a person was last here, told once when they begin."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from tui_annotate.domain.differences import Piece, line_pieces
from tui_annotate.domain.nouns import many
from tui_annotate.domain.people import reader
from tui_annotate.domain.remarks import Item
from tui_annotate.storage.clock import utc_now
from tui_annotate.storage.guidance.store import Edition, Guidance, GuidanceStore
from tui_annotate.storage.people.store import PeopleStore
from tui_annotate.storage.work.remarks import RemarkStore

_SEEN: Final = "news_seen"
_LINES: Final = 60
"""Changed lines that are shown; the guidelines themselves are one key away."""


@dataclass(frozen=True, slots=True)
class News:
    """What is told to a person once.

    Attributes:
        names: of people, by id.
        clock: gives this moment, ISO 8601.
    """

    guidance: GuidanceStore
    remarks: RemarkStore
    people: PeopleStore
    names: Callable[[], Mapping[str, str]]
    clock: Callable[[], str] = utc_now

    def of(self, person: str) -> list[Item]:
        """What is new for a person: notices, replies, changed guidelines and labels.

        Whoever comes for the first time is told the notices alone.
        """
        me = reader(person)
        since = str(self.people.preferences(me).get(_SEEN, ""))
        names = self.names()
        items = [
            Item(f"Notice from {names.get(each.author, 'the admin')}", _plain(each.text))
            for each in self.remarks.notices(since=since)
        ]
        if not since:
            return items
        for each in self.remarks.replies(me, since=since):
            who = names.get(each.author, "a reviewer")
            items.append(Item(f"{who} answered you about {each.sample}", _plain(each.text)))
        return [*items, *self._changed(since)]

    def saw(self, person: str) -> None:
        """Marks all that is new up to now as seen; the first time too."""
        self.people.keep_preference(reader(person), _SEEN, self.clock())

    def _changed(self, since: str) -> Iterator[Item]:
        for kind in (Guidance.GUIDELINES, Guidance.LABELS):
            scopes: dict[str, list[Edition]] = {}
            for each in self.guidance.editions(kind):
                scopes.setdefault(each.dataset, []).append(each)
            for dataset, editions in scopes.items():
                known = [each for each in editions if each.at <= since]
                last = editions[-1]
                if last.at > since and (not known or known[-1].version != last.version):
                    old = self.guidance.text(kind, known[-1].version) if known else ""
                    new = self.guidance.text(kind, last.version)
                    yield Item(_title(kind, dataset, known=bool(old)), _changed_lines(old, new))


def _title(kind: Guidance, dataset: str, *, known: bool) -> str:
    what = "guidelines" if kind is Guidance.GUIDELINES else "labels"
    where = f" of {dataset}" if dataset else ""
    return f"The {what}{where} {'changed' if known else 'are new'}"


def _changed_lines(old: str, new: str) -> tuple[Piece, ...]:
    lines = [piece for group in line_pieces(old, new, around=1) for piece in group]
    more = len(lines) - _LINES
    cut = [Piece(" ", f"... and {many(more, 'line')} more")] if more > 0 else []
    return (*lines[:_LINES], *cut)


def _plain(text: str) -> tuple[Piece, ...]:
    return tuple(Piece(" ", line) for line in text.splitlines())
