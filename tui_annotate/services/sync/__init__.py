"""Synchronises one annotator's work with a shared table on a PostgREST server: push and pull."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.errors import InvalidInput, NotAllowed, TuiAnnotateError
from tui_annotate.domain.errors import NotFound as NotFound
from tui_annotate.domain.history import Payload
from tui_annotate.domain.people import Person
from tui_annotate.domain.records import Record, RecordFilter
from tui_annotate.domain.samples import Sample as Sample
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.stream_merge import Fork
from tui_annotate.plugins.sync.table import AT_ONCE, SyncRow
from tui_annotate.services.sync import payloads
from tui_annotate.services.sync.payloads import (
    WORK_KEY,
    has_judgements,
    has_work,
    last_action_time,
    parse_row_time,
    read_work,
)
from tui_annotate.storage.log.stream_merge import MergedStream, MergeStore, StreamMergeReport
from tui_annotate.storage.log.sync_heads import SyncedHead, SyncStore

if TYPE_CHECKING:
    from tui_annotate.plugins.sync.table import SharedTable
    from tui_annotate.storage.corpus.store import CorpusStore
    from tui_annotate.storage.log.annotation_store import AnnotationStore


@dataclass(slots=True)
class PushResult:
    """Result of sending work to a shared table; `waiting` samples must be received first."""

    rows: int = 0
    waiting: list[SampleKey] = field(default_factory=list)
    refused: list[MergedStream] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SyncStatus:
    """Numbers of samples in a shared table (`there`), to send to it, and to receive from it."""

    there: int
    to_push: int
    to_pull: int


@dataclass(frozen=True, slots=True)
class TableSync:
    """Synchronises one annotator's work with the rows of a shared table."""

    corpus: CorpusStore
    log: AnnotationStore
    merging: MergeStore
    marks: SyncStore
    table: SharedTable
    person: Person

    def push(self, *, whole: bool = False) -> PushResult:
        """Send an annotator's changed work to a shared table.

        `whole` also restores rows that were deleted in the table; it lists all keys.

        Raises:
            NotAllowed, NotFound, Conflict, Unavailable: same as for `SharedTable.upsert`; rows sent
            before stay recorded as sent.
        """
        marks = self.marks.marks()
        done = PushResult()
        changed = self._changed_heads(marks)
        if whole:
            known = self._update_times(self._list_own_rows())
            heads = self.marks.heads(marks)
            changed |= {key: heads[key] for key in marks if key in heads and key not in known}
        else:
            known = self._update_times(self._fetch_rows(changed, whole=False))
        waiting = list[tuple[SyncRow, SyncedHead]]()
        for key, head in changed.items():
            mark = marks.get(key, SyncedHead("", "", ""))
            if self._is_hidden(key):
                continue  # it is sent after the second reading
            record = self._find_record(key)
            if record is None or not (mark.updated_at or self._is_worth_a_row(record)):
                continue
            try:
                value = self._make_payload(record)
            except InvalidInput as error:
                done.refused.append(MergedStream(self.person.id, key, refused=error.message))
                continue
            digest = payloads.hash_payload(value)
            if known.get(key, mark.updated_at) != mark.updated_at:
                done.waiting.append(key)
            elif digest == mark.digest and key in known:
                self.marks.keep({key: mark._replace(head=head)})
            else:
                row = SyncRow(key.dataset, self.person.name, key.id, value)
                waiting.append((row, SyncedHead(head, digest, "")))
        done.rows = self._send(waiting)
        return done

    def _send(self, waiting: list[tuple[SyncRow, SyncedHead]]) -> int:
        marks = {row.name: mark for row, mark in waiting}
        count = 0
        for stored in self.table.upsert([row for row, _ in waiting]):
            key = SampleKey(stored.dataset, stored.annotation_key)
            mark = marks[stored.name]._replace(updated_at=stored.updated_at)
            self.marks.keep({key: mark})
            count += 1
        return count

    def _changed_heads(self, marks: dict[SampleKey, SyncedHead]) -> dict[SampleKey, str]:
        # A question is no event, so it changes no head; it may be all that the person did.
        questions = self.merging.questions(self.person.id)
        asked = self.corpus.known([each.sample for each in questions if each.sample])
        heads = dict.fromkeys(asked, "") | self.marks.heads({*marks, *asked})
        changed = {}
        for key, head in heads.items():
            mark = marks.get(key)
            has_events = mark is None or mark.head != head or not mark.digest
            if has_events or (key in asked and self._would_send(key, marks[key])):
                changed[key] = head
        return changed

    @staticmethod
    def _update_times(rows: Iterable[SyncRow]) -> dict[SampleKey, str]:
        return {SampleKey(row.dataset, row.annotation_key): row.updated_at for row in rows}

    def _fetch_rows(self, keys: Iterable[SampleKey], *, whole: bool) -> Iterator[SyncRow]:
        by_dataset: dict[str, list[str]] = {}
        for key in keys:
            by_dataset.setdefault(key.dataset, []).append(key.id)
        for dataset, ids in by_dataset.items():
            left = iter(ids)
            while some := list(islice(left, AT_ONCE)):
                yield from self.table.rows(
                    dataset=dataset, username=self.person.name, keys=some, payloads=whole
                )

    def _find_record(self, key: SampleKey) -> Record | None:
        mine = {"person": self.person.id, "practice": "with", "gold": "with"}
        wanted = RecordFilter(dataset=key.dataset, sample=key.id, **mine)
        if found := next(self.corpus.records(wanted), None):
            return found
        sample = self.corpus.sample_or_none(key)
        if sample is None:
            return None
        return Record(
            sample=sample,
            assignments=(Assignment(self.person.id),),
            people=(self.person,),
        )

    def _make_payload(self, record: Record) -> dict[str, Any]:
        key = record.sample.key
        events = self.log.events(self.person.id, key)
        return payloads.build_payload(
            record,
            self.corpus.sample_or_none,
            at=last_action_time(events),
            answers=self._answers(key),
            actions=payloads.action_names(events),
            questions=self.merging.questions(self.person.id, sample=key),
        )

    def _is_worth_a_row(self, record: Record) -> bool:
        key = record.sample.key
        done = has_judgements(record) or bool(self._answers(key))
        return done or bool(self.merging.questions(self.person.id, sample=key))

    def _answers(self, key: SampleKey) -> Mapping[str, Payload]:
        return self.log.state(self.person.id, key).suggestions

    def pull(self) -> StreamMergeReport:
        """Receive an annotator's changes from a shared table; in a conflict, the newer wins.

        Raises:
            NotAllowed, NotFound, Unavailable: same as for `SharedTable.rows`; rows received before
                stay merged.
        """
        marks = self.marks.marks()
        done = StreamMergeReport(self.person)
        changed = []
        for row in self._list_own_rows():
            key = SampleKey(row.dataset, row.annotation_key)
            if key in marks and marks[key].updated_at == row.updated_at:
                done.known += 1
            else:
                changed.append(key)
        try:
            for row in self._fetch_rows(changed, whole=True):
                key = SampleKey(row.dataset, row.annotation_key)
                try:
                    done.take(self._take_row(row, key, mark=marks.get(key)))
                except TuiAnnotateError as error:
                    done.take(MergedStream(self.person.id, key, refused=error.message))
        finally:
            self.merging.pause_after_merge(done)  # rows received before an error stay merged
        done.held = self.merging.count_held(self.person.id)
        return done

    def _list_own_rows(self) -> Iterator[SyncRow]:
        here = self.merging.datasets()
        rows = self.table.rows(username=self.person.name, payloads=False)
        return (row for row in rows if row.dataset in here)

    def _take_row(self, row: SyncRow, key: SampleKey, *, mark: SyncedHead | None) -> MergedStream:
        worked_at, _ = read_work(row.payload.get(WORK_KEY))
        at = worked_at or parse_row_time(row.updated_at)
        sample = self.corpus.sample(key).sample
        asked = StreamMergeReport(self.person)
        self.merging.merge_questions(asked, payloads.read_questions(row.payload, key))
        stream = self.log.stream(self.person.id, key)
        events = self.log.events(self.person.id, key)
        there = payloads.parse_payload(row.payload, sample, stream, at=at)
        nothing = MergedStream(self.person.id, key)
        if stream.state.alike(there):
            self._remember_row(key, row)
            return nothing
        ours = payloads.action_names(events)
        theirs = payloads.read_actions(row.payload.get(WORK_KEY))
        if theirs and theirs[-1] in ours:
            self._remember_row(key, row, given=False)  # an earlier state of the work here
            return nothing
        since = mark.head if mark and mark.digest else ""
        untouched = bool(since) and not last_action_time(events, since=since)
        contained = bool(ours) and ours[-1] in theirs
        if contained or payloads.is_only_imported(events):
            untouched = True
        here_at = last_action_time(events)
        # Local work that was not touched since the last sync yields; else the newer side wins.
        wins = untouched or not has_work(stream) or at > here_at
        done = self.merging.apply_state(
            self.person.id, key, lambda _: there, head=stream.head, at=at, stays=wins
        )
        if not done:
            return nothing  # the local work changed meanwhile: the next pull retries
        self._remember_row(key, row, given=wins)
        was_finished = stream.assignment.state.finished
        finished = State(there.assignment["state"]).finished and not was_finished
        taken = MergedStream(self.person.id, key, events=1, finished=finished)
        if untouched or not has_work(stream):
            return taken
        fork = Fork(
            person=self.person.id,
            dataset=key.dataset,
            sample=key.id,
            here=stream.state,
            there=there,
            here_at=here_at,
            there_at=at,
            there_wins=wins,
        )
        return replace(taken, fork=fork)

    def _remember_row(self, key: SampleKey, row: SyncRow, *, given: bool = True) -> None:
        head = self.log.stream(self.person.id, key).head
        record = self._find_record(key) if given else None
        digest = ""
        with suppress(InvalidInput):  # the next push reports work that no row can store
            digest = payloads.hash_payload(self._make_payload(record)) if record else ""
        if self.log.stream(self.person.id, key).head != head:
            digest = ""  # the local work changed meanwhile, so the row is outdated
        self.marks.keep({key: SyncedHead(head, digest, row.updated_at)})

    def compare(self) -> SyncStatus:
        """Count what a push would send and a pull would receive; changes nothing."""
        marks = self.marks.marks()
        there = self._update_times(self._list_own_rows())
        new = [key for key, at in there.items() if key not in marks or marks[key].updated_at != at]
        lost = marks.keys() & self.marks.heads(marks).keys() - there.keys()
        changed = {
            key for key in self._changed_heads(marks) if self._would_send(key, marks.get(key))
        }
        return SyncStatus(len(there), len(changed | lost), len(new))

    def _is_hidden(self, key: SampleKey) -> bool:
        """Return whether the person must not see this work before a second reading is complete."""
        try:
            self.log.require_visible(self.person.id, key)
        except NotAllowed:
            return True
        return False

    def _would_send(self, key: SampleKey, mark: SyncedHead | None) -> bool:
        if self._is_hidden(key):
            return False
        record = self._find_record(key)
        if record is None or not (mark or self._is_worth_a_row(record)):
            return False
        try:
            return not mark or payloads.hash_payload(self._make_payload(record)) != mark.digest
        except InvalidInput:
            return True

    def delete_mine(self, dataset: str) -> int:
        """Delete the annotator's rows of a dataset from a shared table; return their number."""
        count = self.table.delete(dataset, self.person.name)
        self.marks.forget(dataset)
        return count

    def datasets(self) -> list[str]:
        """Return the datasets of the annotator's rows in the shared table, sorted."""
        rows = self.table.rows(username=self.person.name, payloads=False)
        return sorted({row.dataset for row in rows})
