"""Somebody who knows the app well: makes annotations in it by the fewest keys, each counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import tui_annotate
from benchmarks.planning import Goal, Keys, Planner
from tests.tui.screens.annotate_app import Person
from tui_annotate.domain.annotations import Annotation, LabelPath
from tui_annotate.domain.samples import Side
from tui_annotate.domain.spans import Span
from tui_annotate.editor.key_state import READING
from tui_annotate.tui.app import AnnotateApp
from tui_annotate.tui.text.cursor import TextCursor
from tui_annotate.tui.theme import TerminalLook

SIZE = (140, 40)


@dataclass(frozen=True, slots=True)
class Wanted:
    """An annotation that somebody made: spans of summary and source, and its labels."""

    claim: Span
    evidence: tuple[Span, ...]
    labels: tuple[LabelPath, ...]


@dataclass(slots=True)
class Counts:
    """Keys of each annotation that was made again, and why others were not."""

    keys: list[int] = field(default_factory=list)
    missed: Counter[str] = field(default_factory=Counter)


@asynccontextmanager
async def at_work(folder: Path, sample: str) -> AsyncIterator[Person]:
    """The app on a workspace with its own assist, once all is open."""
    app = AnnotateApp(
        lambda: tui_annotate.open(folder),
        person="ana",
        sample=sample,
        order="ingested",
        look=TerminalLook("dark", "256", native=False),
    )
    async with app.run_test(size=SIZE) as pilot:
        while app.sample_screen.draft is None:
            await pilot.pause(0.001)
        person = Person(app, pilot)
        await person.settled()
        yield person
        app.sample_screen.saver.close()


class Hand:
    """An expert's hand: one annotation, its keys counted."""

    def __init__(self, person: Person, *, exact: bool, rank: int = 0) -> None:
        """`exact`: evidence to the letter, else its sentences; `rank`: of a match that is taken."""
        self._person = person
        self._exact = exact
        self._rank = rank
        self._goals: list[Span] = []

    async def annotate(self, wanted: Wanted, counts: Counts) -> None:
        """Makes an annotation, and counts its keys where it is the wanted one."""
        person = self._person
        before = {known.id for known in person.annotations}
        person.count = 0
        why = await self._make(wanted)
        made = [known for known in person.annotations if known.id not in before]
        if not why and len(made) != 1:
            why = "the app refused it"
        if not why and not self._is(made[0], wanted):
            why = "another one was made"
        if why:
            counts.missed[why] += 1
            await self._drop()
        else:
            counts.keys.append(person.count)

    def _is(self, made: Annotation, wanted: Wanted) -> bool:
        """Whether it has the claim and the labels that were wanted, and the evidence gone for."""
        found = {anchor.span for anchor in made.evidence}
        evidence = len(found) == 1 if self._rank else found == set(self._goals)
        same = made.claim[0].span == wanted.claim and set(made.labels) == set(wanted.labels)
        return same and evidence

    async def _make(self, wanted: Wanted) -> str:
        """Presses the keys; gives why that was not possible."""
        self._goals = []
        person, draft = self._person, self._person.draft
        if not wanted.labels:
            return "without a label"
        keys = self._keys(Side.SUMMARY, Goal(wanted.claim, moved=draft.digits_off))
        if keys is None:
            return "no keys lead to its claim"
        await person.press(" ".join(keys))
        if self._rank:
            await person.press(" ".join([*["n"] * (self._rank - 1), "space"]))
        for span in wanted.evidence:
            if not await self._take(span):
                return "no keys lead to its evidence"
        first, *more = wanted.labels
        await self._label(first)
        if more:
            await person.press("e")
            for path in more:
                await self._label(path)
            await person.press("enter")
        return ""

    async def _label(self, path: LabelPath) -> None:
        option = next(each for each in self._person.draft.options() if each.path == path)
        await self._person.press(f"{option.digit} enter" if option.opens else option.digit)

    async def _take(self, span: Span) -> bool:
        """Takes evidence: a match where it is one, else from the source; says whether it could."""
        goals = [span] if self._exact else self._sentences(span)
        for goal in goals:
            if goal in self._goals:
                continue
            self._goals.append(goal)
            lit = self._lit(goal)
            by_source = await self._by_source(goal) if lit is None or len(lit) > 2 else None
            if by_source is not None and (lit is None or len(by_source) + 1 < len(lit)):
                await self._person.press(" ".join((*by_source, "space")))
            elif lit is not None:
                if by_source is not None:
                    await self._back()
                await self._person.press(" ".join(lit))
            else:
                await self._back()
                return False
        return True

    def _lit(self, goal: Span) -> Keys | None:
        """The keys that take a lit match, by the shorter way round; None where it is not lit."""
        draft = self._person.draft
        found = draft.matches[Side.SOURCE]
        for at, match in enumerate(found):
            anchor = draft.anchor_of(match)
            if anchor is not None and anchor.span == goal:
                here = next((n for n, each in enumerate(found) if each is draft.focused_match), 0)
                on, back = (at - here) % len(found), (here - at) % len(found)
                return (*(["n"] * on if on <= back else ["N"] * back), "space")
        return None

    async def _by_source(self, goal: Span) -> Keys | None:
        """The keys from the source's cursor to a span; the key to the source is pressed."""
        await self._person.press("tab")
        return self._keys(Side.SOURCE, Goal(goal))

    async def _back(self) -> None:
        """Back to the summary, as if one had never left: neither key is counted."""
        await self._person.press("tab")
        self._person.count -= 2

    def _sentences(self, span: Span) -> list[Span]:
        """The sentences of the source that a span covers by half, else the one it covers most."""
        draft = self._person.draft
        text = draft.text(Side.SOURCE)
        trimmed = [each.span.trim(text) for each in draft.sentences(Side.SOURCE)]
        shares = [(each.overlap(span), each) for each in trimmed if each is not None]
        half = [each for shared, each in shares if 2 * shared >= each.end - each.start]
        return half or [max(shares, key=lambda share: share[0])[1]]

    def _keys(self, side: Side, goal: Goal) -> Keys | None:
        pane, draft = self._person.screen.pane(side), self._person.draft
        cursor = TextCursor(draft.text(side), draft.sentences(side))
        cursor.place(pane.cursor_offset)
        return Planner(cursor, side, pane.words_on_screen()).shortest(goal)

    async def _drop(self) -> None:
        """Puts down whatever is still in hand."""
        draft = self._person.draft
        for _ in range(6):
            if draft.state is not READING or draft.evidence or draft.hints:
                await self._person.press("backspace")
