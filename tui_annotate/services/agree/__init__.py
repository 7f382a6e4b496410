"""Agreement: how far people agree who read the same samples, and each with their former self.

Reads alone. What review settled is nobody's reading, and never counts here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Final

from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.label_files import stored_labels
from tui_annotate.domain.people import OPERATOR, Actor, Verb, may, reader, require
from tui_annotate.domain.records import Record, RecordFilter
from tui_annotate.domain.samples import Document, Kind, Sample, Segment, Side
from tui_annotate.services.agree.figures import Figure, all_figures
from tui_annotate.services.agree.order import Order, all_named
from tui_annotate.services.agree.pairs import PairFigures, pair_figures
from tui_annotate.services.agree.readings import Asked, Axis, Left, Reader, Reading
from tui_annotate.services.agree.tallies import Group, Summary, Tally
from tui_annotate.storage.guidance.store import Guidance

if TYPE_CHECKING:
    from tui_annotate.domain.labels import LabelTree
    from tui_annotate.storage.corpus.segments import SegmentStore
    from tui_annotate.storage.corpus.store import CorpusStore
    from tui_annotate.storage.guidance.store import GuidanceStore
    from tui_annotate.storage.people.store import PeopleStore

__all__ = ["Agree", "Agreement", "Asked", "Compared", "Figure", "Left", "PairFigures"]

_AT_ONCE: Final = 100
"""Samples whose sentences are fetched together."""


@dataclass(frozen=True, slots=True)
class Compared:
    """People who were compared, and what came of it.

    Attributes:
        samples: in which two or more were.
        people: whose readings they are, by id.
        stacked: spans that lie on another of the same person and label; each counts.
        pairs: each two of them; of readings of one person, the first and the second.
    """

    samples: int
    people: tuple[str, ...]
    stacked: int
    figures: tuple[Figure, ...]
    pairs: tuple[PairFigures, ...]


@dataclass(frozen=True, slots=True)
class Agreement:
    """What was found.

    Attributes:
        asked: as it was taken: labels and label sets in full.
        names: of all people here, by id; where two have the same, with their ids.
        labels: in the order that ordinal measures take, the worst first.
        strangers: of these, those that are in no label set that was looked at.
        scales: that samples were rated with, by name: their words, then others that were given.
        label_sets: under which readings were made, by version, with how many.
        together: people with one another.
        oneself: people with their own former readings.
        left: what did not count.
    """

    asked: Asked
    names: dict[str, str]
    labels: list[str]
    strangers: list[str]
    scales: dict[str, list[str]]
    label_sets: dict[str, int]
    together: Compared
    oneself: Compared
    left: Left


@dataclass(frozen=True, slots=True)
class Agree:
    """Compares the readings of a workspace.

    Attributes:
        labels: the label set of a dataset; `NotFound` where there is none.
        check: what makes filters those of the stores, and refuses what names nothing.
        actor: who asks; who may not report on all gets their own second readings alone.
        ratings: the workspace's words for samples, in their order; empty where it names none.
    """

    corpus: CorpusStore
    people: PeopleStore
    guidance: GuidanceStore
    segments: SegmentStore
    labels: Callable[[str], LabelTree]
    check: Callable[[RecordFilter], RecordFilter]
    actor: Actor = OPERATOR
    ratings: tuple[str, ...] = ()

    def report(self, asked: Asked | None = None) -> Agreement:
        """All figures of the work under some filters; it is read once, in pages.

        Raises:
            NotAllowed: this actor may not report on anybody, or not on those asked for.
            InvalidInput: a filter names nothing that is there.
        """
        only = "" if may(self.actor, Verb.REPORT) else self._oneself(asked or Asked())
        wanted = self._checked(asked or Asked())
        order = Order(self._trees(wanted), level=wanted.label_level)
        readers = Reader(wanted, order, only=only)
        chosen = frozenset(self._chosen(wanted))
        together, oneself = Tally(order, self.ratings), Tally(order, self.ratings)
        for record, summary in self._pages(wanted):
            readings = readers.readings(record)
            own = _by_oneself(readings, chosen)
            groups = [] if only else _groups(_first(readings), chosen)
            if own:
                oneself.add(own, summary())
            if groups:
                together.add(groups, summary())
            readers.left.add(_alone(readings, chosen, compared=bool(only or groups)))
        return self._made(wanted, readers, together=together, oneself=oneself, order=order)

    def _made(
        self, asked: Asked, readers: Reader, *, together: Tally, oneself: Tally, order: Order
    ) -> Agreement:
        labels = order.sorted({*together.labels(), *oneself.labels()})
        both, own = _compared(together), _compared(oneself)
        return Agreement(
            asked,
            self._names({*both.people, *own.people}),
            all_named(labels),
            all_named(order.sorted(order.strangers.intersection(labels))),
            _scales(together, oneself),
            dict(sorted(readers.label_sets.items())),
            both,
            own,
            readers.left,
        )

    # what is asked for -------------------------------------------------------------------------

    def _oneself(self, asked: Asked) -> str:
        """The actor's own id, whose readings alone may be looked at."""
        require(self.actor, Verb.REPORT, self.actor.person)
        own = self.people.person(self.actor.person)
        for person in asked.people:
            if person != own.name:
                require(self.actor, Verb.REPORT, person)
        return own.id

    def _checked(self, asked: Asked) -> Asked:
        plain = RecordFilter(
            dataset=asked.dataset,
            origin=asked.origin,
            state=asked.state,
            label=asked.label,
            since=asked.since,
        )
        checked = self.check(plain)
        for person in asked.people:
            self.check(RecordFilter(person=person))
        return replace(
            asked,
            label=checked.label,
            since=checked.since,
            label_set=self._version(asked.label_set),
        )

    def _version(self, start: str) -> str:
        if not start:
            return ""
        found = [each for each in self.guidance.versions(Guidance.LABELS) if each.startswith(start)]
        if len(found) != 1:
            raise InvalidInput(
                f"{start!r} names {'several' if found else 'no'} versions of the label set",
                f"there are: {', '.join(each[:12] for each in found) or 'none of that name'}",
            )
        return found[0]

    def _chosen(self, asked: Asked) -> Iterator[str]:
        for person in self.people.all():
            if {person.id, person.name} & set(asked.people):
                yield reader(person.id)

    def _trees(self, asked: Asked) -> Iterator[LabelTree]:
        """The label sets whose order counts: the one asked for, else those in force."""
        if asked.label_set:
            yield stored_labels(self.guidance.text(Guidance.LABELS, asked.label_set))
            return
        names = [each.name for each in self.corpus.datasets()]
        for name in [asked.dataset] if asked.dataset else names:
            with suppress(NotFound):
                yield self.labels(name)

    def _names(self, ids: Iterable[str]) -> dict[str, str]:
        names = {person.id: person.name for person in self.people.all()}
        found = {each: names.get(each, each) for each in sorted(ids)}
        times = Counter(found.values())
        return {
            each: name if times[name] == 1 else f"{name} ({each})" for each, name in found.items()
        }

    # what is read ------------------------------------------------------------------------------

    def _pages(self, asked: Asked) -> Iterator[tuple[Record, Callable[[], Summary]]]:
        """Records that somebody worked on, each with its summary, made at need."""
        records = self.corpus.records(RecordFilter(dataset=asked.dataset))
        worked = (
            record
            for record in records
            if record.assignments and asked.kind in ("", record.sample.kind)
        )
        while page := list(islice(worked, _AT_ONCE)):
            lengths = {
                document.sha256: len(document.text)
                for record in page
                for document in _read(record.sample)[:1]
                if len(record.assignments) > 1
            }
            segments = self.segments.of(lengths)
            for record in page:
                yield record, partial(_summary, record, segments)


def _summary(record: Record, segments: Mapping[str, tuple[Segment, ...]]) -> Summary:
    sample = record.sample
    cited = Axis(sample).text if sample.kind is Kind.CITATION else None
    for document in _read(sample)[:1]:
        text, found = document.text, segments.get(document.sha256, ())
        sentences = [each for each in found if text[each.start : each.end].strip()]
        return Summary(text, sentences, cited, sample.kind)
    return Summary("", (), cited, sample.kind)


def _read(sample: Sample) -> tuple[Document, ...]:
    """What people mark: the summary; where there is none, the source."""
    return sample.side(Side.SUMMARY) or sample.side(Side.SOURCE)


def _first(readings: Iterable[Reading]) -> list[Reading]:
    """Without second readings."""
    return [each for each in readings if reader(each.person) == each.person]


def _alone(readings: Sequence[Reading], chosen: frozenset[str], *, compared: bool) -> Left:
    """What of a sample has nothing beside it that it could be compared with."""
    first = {each.person for each in _first(readings)}
    second = sum(reader(each.person) not in first for each in readings)
    left = Left(work=Counter({"second reading, and the first does not count": second}))
    if not compared and (chosen & first if chosen else first):
        left.samples["read by one person"] = 1
    return left


def _groups(first: Sequence[Reading], chosen: frozenset[str]) -> list[Group]:
    """Who is compared in a sample: all; those asked for; or the one asked for with each other."""
    if len(chosen) == 1:
        own = [each for each in first if each.person in chosen]
        return [(one, other) for one in own for other in first if other is not one]
    group = [each for each in first if not chosen or each.person in chosen]
    return [group] if len(group) > 1 else []


def _by_oneself(readings: Sequence[Reading], chosen: frozenset[str]) -> list[Group]:
    """First and second readings of each person who read twice."""
    first = {each.person: each for each in _first(readings)}
    return [
        (first[reader(each.person)], each)
        for each in readings
        if each.person not in first
        and reader(each.person) in first
        and (not chosen or reader(each.person) in chosen)
    ]


def _scales(*tallies: Tally) -> dict[str, list[str]]:
    """Names of scales with their words, sorted by name."""
    found: dict[str, dict[str, None]] = {}
    for tally in tallies:
        for name, rated in tally.rated.items():
            found.setdefault(name, {}).update(dict.fromkeys(rated.words()))
    return {name: list(words) for name, words in sorted(found.items())}


def _compared(tally: Tally) -> Compared:
    return Compared(
        tally.samples,
        tuple(sorted(tally.people)),
        tally.stacked,
        tuple(all_figures(tally)),
        tuple(pair_figures(tally)),
    )
