"""Push and pull of one person's work: a shared table of PostgREST, or a plain folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

from tui_annotate.domain.assignments import Assignment
from tui_annotate.domain.errors import InvalidInput, NotFound, TuiAnnotateError
from tui_annotate.domain.history import Payload
from tui_annotate.domain.merging import Fork
from tui_annotate.domain.people import Person
from tui_annotate.domain.records import Record, RecordFilter
from tui_annotate.domain.samples import Sample, SampleKey
from tui_annotate.plugins.exchange.rows import AT_ONCE, Row
from tui_annotate.services.synchronise import deeds, payloads
from tui_annotate.services.synchronise.deeds import last_deed, moment, said, worked
from tui_annotate.storage.work.merging import Merged, MergeStore, Taken
from tui_annotate.storage.work.synced import Mark, SyncStore

if TYPE_CHECKING:
    from tui_annotate.plugins.exchange.table import Table
    from tui_annotate.storage.corpus.store import CorpusStore
    from tui_annotate.storage.work.store import AnnotationStore


@dataclass(slots=True)
class Pushed:
    """What a push did.

    Attributes:
        rows: how many were written.
        waiting: samples that were changed elsewhere since: they are pulled first.
        refused: samples that can not be told by a row, with the reason.
    """

    rows: int = 0
    waiting: list[SampleKey] = field(default_factory=list)
    refused: list[Taken] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Standing:
    """How far both sides are apart.

    Attributes:
        there: rows of this person; `to_push`, `to_pull`: samples that changed here, and there.
    """

    there: int
    to_push: int
    to_pull: int


@dataclass(frozen=True, slots=True)
class TableSync:
    """One person's rows in a table.

    Attributes:
        person: whose; their name is the rows' username.
    """

    corpus: CorpusStore
    log: AnnotationStore
    merging: MergeStore
    marks: SyncStore
    table: Table
    person: Person

    # out ---------------------------------------------------------------------------------------

    def push(self, *, whole: bool = False) -> Pushed:
        """Writes what was annotated and changed since; what is only looked at stays here.

        What is done while it runs is not lost: it counts as changed again.

        Args:
            whole: also rows that somebody removed; asks for the keys of all.

        Raises:
            NotAllowed, NotFound, Conflict, Unavailable: as `Table.upsert`; what was written before
                that is remembered.
        """
        marks, done = self.marks.marks(), Pushed()
        changed = self._changed(marks)
        if whole:
            known = self._times(self._own_rows())
            heads = self.marks.heads(marks)
            changed |= {key: heads[key] for key in marks if key in heads and key not in known}
        else:
            known = self._times(self._rows(changed, whole=False))
        waiting = list[tuple[Row, Mark]]()
        for key, head in changed.items():
            mark = marks.get(key, Mark("", "", ""))
            record = self._record(key)
            if record is None or not (mark.updated_at or self._said(record)):
                continue
            try:
                value = self._payload(record)
            except InvalidInput as error:
                done.refused.append(Taken(self.person.id, key, refused=error.message))
                continue
            digest = payloads.digest(value)
            if known.get(key, mark.updated_at) != mark.updated_at:
                done.waiting.append(key)
            elif digest == mark.digest and key in known:
                self.marks.keep({key: mark._replace(head=head)})
            else:
                row = Row(key.dataset, self.person.name, key.id, value)
                waiting.append((row, Mark(head, digest, "")))
        done.rows = self._send(waiting)
        return done

    def _send(self, waiting: list[tuple[Row, Mark]]) -> int:
        marks = {row.name: mark for row, mark in waiting}
        count = 0
        for stored in self.table.upsert([row for row, _ in waiting]):
            key = SampleKey(stored.dataset, stored.annotation_key)
            mark = marks[stored.name]._replace(updated_at=stored.updated_at)
            self.marks.keep({key: mark})
            count += 1
        return count

    def _changed(self, marks: dict[SampleKey, Mark]) -> dict[SampleKey, str]:
        """Samples with something new since they were sent, and the last event of each."""
        return {
            key: head
            for key, head in self.marks.heads(marks).items()
            if key not in marks or marks[key].head != head or not marks[key].digest
        }

    @staticmethod
    def _times(rows: Iterable[Row]) -> dict[SampleKey, str]:
        """When some rows were written, by their samples."""
        return {SampleKey(row.dataset, row.annotation_key): row.updated_at for row in rows}

    def _rows(self, keys: Iterable[SampleKey], *, whole: bool) -> Iterator[Row]:
        by_dataset: dict[str, list[str]] = {}
        for key in keys:
            by_dataset.setdefault(key.dataset, []).append(key.id)
        for dataset, ids in by_dataset.items():
            left = iter(ids)
            while some := list(islice(left, AT_ONCE)):
                yield from self.table.rows(
                    dataset=dataset, username=self.person.name, keys=some, payloads=whole
                )

    def _record(self, key: SampleKey) -> Record | None:
        """What the person did on a sample, also if it is nothing; None where it is gone."""
        mine = {"person": self.person.id, "practice": "with"}
        wanted = RecordFilter(dataset=key.dataset, sample=key.id, **mine)
        if found := next(self.corpus.records(wanted), None):
            return found
        sample, nothing = self._look_up(key), (Assignment(self.person.id),)
        return Record(sample, (), nothing, (self.person,)) if sample else None

    def _payload(self, record: Record) -> dict[str, Any]:
        key = record.sample.key
        at = last_deed(self.log.events(self.person.id, key))
        return payloads.payload(record, self._look_up, at=at, answers=self._answers(key))

    def _said(self, record: Record) -> bool:
        """Whether what somebody did is worth a row."""
        return said(record) or bool(self._answers(record.sample.key))

    def _answers(self, key: SampleKey) -> Mapping[str, Payload]:
        return self.log.state(self.person.id, key).suggestions

    def _look_up(self, key: SampleKey) -> Sample | None:
        try:
            return self.corpus.sample(key).sample
        except NotFound:
            return None

    # in ----------------------------------------------------------------------------------------

    def pull(self) -> Merged:
        """Takes what was changed there since; where both sides did something, the newest stands.

        The other is in the log, and both are told. What does not fit is left as it is.

        Raises:
            NotAllowed, NotFound, Unavailable: as `Table.rows`; what was taken before stays.
        """
        marks, done = self.marks.marks(), Merged(self.person)
        changed = []
        for row in self._own_rows():
            key = SampleKey(row.dataset, row.annotation_key)
            if key in marks and marks[key].updated_at == row.updated_at:
                done.known += 1
            else:
                changed.append(key)
        for row in self._rows(changed, whole=True):
            key = SampleKey(row.dataset, row.annotation_key)
            try:
                done.take(self._take(row, key, mark=marks.get(key)))
            except TuiAnnotateError as error:
                done.take(Taken(self.person.id, key, refused=error.message))
        return done

    def _own_rows(self) -> Iterator[Row]:
        """Keys and times of the person's rows, of datasets that are here."""
        here = self.merging.datasets()
        rows = self.table.rows(username=self.person.name, payloads=False)
        return (row for row in rows if row.dataset in here)

    def _take(self, row: Row, key: SampleKey, *, mark: Mark | None) -> Taken:
        """Brings one row here.

        Raises:
            NotFound, InvalidInput, Conflict: there is no such sample, or the row does not fit it.
        """
        told, _ = deeds.read_beside(row.payload.get(deeds.KEY))
        at = told or moment(row.updated_at)
        sample = self.corpus.sample(key).sample
        stream = self.log.stream(self.person.id, key)
        events = self.log.events(self.person.id, key)
        there = payloads.state(row.payload, sample, stream, at=at)
        nothing = Taken(self.person.id, key)
        if stream.state.alike(there):
            self._remember(key, row)
            return nothing
        since = mark.head if mark and mark.digest else ""
        untouched = bool(since) and not last_deed(events, since=since)
        here_at = last_deed(events)
        wins = untouched or not worked(stream) or at > here_at
        done = self.merging.become(
            self.person.id, key, lambda _: there, head=stream.head, at=at, stays=wins
        )
        if not done:
            return nothing  # something was done here meanwhile: the next pull looks again
        self._remember(key, row, given=wins)
        if untouched or not worked(stream):
            return Taken(self.person.id, key, events=1)
        fork = Fork(
            self.person.id,
            *key,
            here=stream.state,
            there=there,
            here_at=here_at,
            there_at=at,
            there_wins=wins,
        )
        return Taken(self.person.id, key, events=1, fork=fork)

    def _remember(self, key: SampleKey, row: Row, *, given: bool = True) -> None:
        """Notes that this side has what the row says; `given` False: and more that it lacks."""
        head = self.log.stream(self.person.id, key).head
        record = self._record(key) if given else None
        digest = ""
        with suppress(InvalidInput):  # what no row can tell is told by the next push
            digest = payloads.digest(self._payload(record)) if record else ""
        if self.log.stream(self.person.id, key).head != head:
            digest = ""  # something was done meanwhile, which the table lacks
        self.marks.keep({key: Mark(head, digest, row.updated_at)})

    # beside ------------------------------------------------------------------------------------

    def standing(self) -> Standing:
        """How far both sides are apart; nothing is changed.

        Raises:
            NotAllowed, NotFound, Unavailable: as `Table.rows`.
        """
        marks = self.marks.marks()
        there = self._times(self._own_rows())
        new = [key for key, at in there.items() if key not in marks or marks[key].updated_at != at]
        lost = marks.keys() & self.marks.heads(marks).keys() - there.keys()
        changed = {key for key in self._changed(marks) if self._worth(key, marks.get(key))}
        return Standing(len(there), len(changed | lost), len(new))

    def _worth(self, key: SampleKey, mark: Mark | None) -> bool:
        """Whether a push would send a changed sample, or say why it can not."""
        record = self._record(key)
        if record is None or not (mark or self._said(record)):
            return False
        try:
            return not mark or payloads.digest(self._payload(record)) != mark.digest
        except InvalidInput:
            return True

    def delete_mine(self, dataset: str) -> int:
        """Removes the person's rows of a dataset; the work here stays. How many there were.

        Raises:
            NotAllowed, NotFound, Unavailable: as `Table.delete`.
        """
        count = self.table.delete(dataset, self.person.name)
        self.marks.forget(dataset)
        return count

    def datasets(self) -> list[str]:
        """The datasets in which the table has rows of this person."""
        rows = self.table.rows(username=self.person.name, payloads=False)
        return sorted({row.dataset for row in rows})
