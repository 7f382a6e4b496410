"""Assigns samples to annotators; also sets up practice samples, second readings, and pools.

Only admins can use the service. With `dry_run`, every action is computed and reported but not
stored.
"""

from __future__ import annotations

import secrets
import shlex
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any

from tui_annotate.domain import assignment_plan
from tui_annotate.domain.assignment_plan import (
    AllocationItem,
    Assignee,
    AssignmentOptions,
    AssignmentOrder,
    AssignmentPlan,
)
from tui_annotate.domain.assignment_rules import (
    AssignmentCause,
    Escalation,
    Gold,
    Pool,
    Practice,
)
from tui_annotate.domain.did_you_mean import suggest_word
from tui_annotate.domain.errors import Conflict, InvalidInput, NotFound, NotReady
from tui_annotate.domain.gold_checks import is_recognisable
from tui_annotate.domain.keyword_names import check_keywords, earlier_keywords
from tui_annotate.domain.people import (
    SETTLED,
    Actor,
    Permission,
    Person,
    PersonKind,
    require_permission,
    second_reader,
)
from tui_annotate.domain.people_directory import ambiguous_person, match_people, unknown_person
from tui_annotate.domain.queue_orders import RANDOM
from tui_annotate.domain.samples import SampleKey
from tui_annotate.services.assignments.report import (
    AssignmentOverview,
    AssignmentRuleResult,
    GoldRuleResult,
    HandoutReport,
    RecomputedGold,
    ResumedWork,
    build_overview,
    report_handout,
    report_person,
)
from tui_annotate.storage.assignments.assignment_rows import AssignedRow
from tui_annotate.storage.assignments.store import (
    AssignableDataset,
    AssignmentStore,
    AssignmentTransaction,
    HeldSample,
    WithdrawalResult,
)
from tui_annotate.storage.log.annotation_store import discard_work
from tui_annotate.storage.log.event_log import EventLog
from tui_annotate.storage.people.store import PeopleStore

__all__ = [
    "AssignmentOverview",
    "AssignmentService",
    "GoldRuleResult",
    "HandoutReport",
    "WithdrawalResult",
]

_ANNOTATOR_KINDS = (PersonKind.LOCAL, PersonKind.ACCOUNT)


class _DryRun(Exception):
    """Rolls back the transaction of a dry run; see `AssignmentService._writing`."""


Allocate = Callable[[AssignableDataset], AssignmentPlan]


@dataclass(frozen=True, slots=True)
class _HandoutRequest:
    """A requested assignment.

    `second_gold`: the batch of each gold sample that a person reads a second time.
    """

    kind: AssignmentCause
    dataset: str
    people: Sequence[Person]
    allocate: Allocate
    request: Mapping[str, Any]
    score: str = ""
    with_gold: bool = False
    order: AssignmentOrder = AssignmentOrder.RANDOM
    second_gold: Mapping[tuple[str, SampleKey], int] = field(default_factory=dict)


@check_keywords
@dataclass(frozen=True)
class AssignmentService:
    """Assigns the samples of a workspace to annotators.

    Attributes:
        member: finds an account by name or address; None if the workspace has no accounts.
        create: add unknown users who are named as assignees; without it they are refused.

    Raises:
        NotAllowed: the current user is not an admin.
        NotFound: every method, if the dataset, sample or user does not exist, or several people
            have the name.
    """

    store: AssignmentStore
    people: PeopleStore
    member: Callable[[str], Person | None]
    actor: Actor
    disabled: Callable[[], Collection[str]] = tuple
    create: bool = True

    def __post_init__(self) -> None:
        require_permission(self.actor, Permission.MANAGE)

    def find_people(self, to: Sequence[str], *, dry_run: bool) -> list[Person]:
        """Return users by name; InvalidInput if none, NotFound if unknown, Conflict if disabled."""
        if not to:
            raise InvalidInput(
                "no annotator is named", "name annotators with --person NAME (repeatable)"
            )
        found = [self._find_assignee(name, keep=not dry_run) for name in to]
        return list({person.id: person for person in found}.values())

    @earlier_keywords(to="people")
    def give(
        self,
        dataset: str,
        people: Sequence[str],
        wish: AssignmentOptions,
        *,
        ids: Collection[str] = (),
        score: str = "",
        dry_run: bool = False,
    ) -> HandoutReport:
        """Assign a fraction of a dataset, or the samples with the given ids, to annotators.

        `score` is the field of the samples' `meta` to sort by.

        Raises:
            InvalidInput: no annotator is named, or no sample has a number in the score field.
            Conflict: the dataset is for practice.
        """
        annotators = self.find_people(people, dry_run=dry_run)
        request = _request_to_json(wish, annotators, score)
        if ids:
            request["ids"] = sorted(ids)

        def allocate(data: AssignableDataset) -> AssignmentPlan:
            options = wish if ids else _hide_order(wish, data)
            return assignment_plan.plan_assignment(
                _select_items(data, ids), _assignees(data, annotators), options
            )

        handout = _HandoutRequest(
            kind=AssignmentCause.GIVE,
            dataset=dataset,
            people=annotators,
            allocate=allocate,
            request=request,
            score=score,
            # Named samples may have ids in common from which gold samples would differ.
            with_gold=not ids,
            order=wish.order,
        )
        return self._hand_out(handout, dry_run=dry_run)

    @earlier_keywords(to="people", number="open")
    def top_up(
        self,
        dataset: str,
        people: Sequence[str],
        wish: AssignmentOptions,
        *,
        open: int,  # noqa: A002  the word of the command line
        score: str = "",
        dry_run: bool = False,
    ) -> HandoutReport:
        """Assign samples until each annotator has a given number of open samples.

        `people`: names; without any, all annotators who have samples of the dataset.

        Raises:
            InvalidInput: no annotator is named and none has samples, or as for `give`.
        """
        annotators = (
            self.find_people(people, dry_run=dry_run)
            if people
            else self._people_with_samples(dataset)
        )
        request = {**_request_to_json(wish, annotators, score), "open": open}

        def allocate(data: AssignableDataset) -> AssignmentPlan:
            return assignment_plan.plan_top_up(
                data.real_items, _assignees(data, annotators), _hide_order(wish, data), to=open
            )

        handout = _HandoutRequest(
            kind=AssignmentCause.TOP_UP,
            dataset=dataset,
            people=annotators,
            allocate=allocate,
            request=request,
            score=score,
            with_gold=True,
            order=wish.order,
        )
        return self._hand_out(handout, dry_run=dry_run)

    def _people_with_samples(self, dataset: str) -> list[Person]:
        with self.store.reading() as store:
            has = store.load_dataset(dataset).has
        people = [each for each in self._workers() if has.get(each.id)]
        if not people:
            raise InvalidInput(
                f"no annotator has samples of dataset {dataset!r}",
                "name annotators with --person NAME",
            )
        return people

    def _hand_out(self, handout: _HandoutRequest, *, dry_run: bool) -> HandoutReport:
        if dry_run:
            with self.store.reading() as store:
                return self._plan_handout(store, handout)[0]
        with self.store.writing(self.actor.person) as store:
            report, rows = self._plan_handout(store, handout)
            if not rows:
                return report
            for each in handout.people:
                if each.kind is PersonKind.AGAIN:
                    store.keep(each)
            number = store.apply(handout.kind, handout.dataset, rows=rows, request=handout.request)
        return replace(report, batch=number)

    def _plan_handout(
        self, store: AssignmentTransaction, handout: _HandoutRequest
    ) -> tuple[HandoutReport, list[AssignedRow]]:
        data = store.load_dataset(handout.dataset, score=handout.score)
        if handout.score and all(item.score is None for item in data.items):
            raise InvalidInput(
                f"no sample of dataset {handout.dataset!r} has a number in the meta field"
                f" {handout.score!r}",
                "give the name of a meta field; table columns become meta fields of the same name",
            )
        outcome = handout.allocate(data)
        people = [
            report_person(each, outcome.given[each.id], had=len(data.has.get(each.id, ())))
            for each in handout.people
        ]
        items = [item for own in outcome.given.values() for item in own]
        rows: list[AssignedRow] = []
        for who, own in outcome.given.items():
            mine = [
                AssignedRow(who, item.place, handout=handout.second_gold.get((who, item.key), 0))
                for item in own
            ]
            if handout.with_gold:
                mine = store.mix_gold(data.dataset_id, who, mine)
            rows += mine
        report = report_handout(people, items, short=outcome.short)
        has_gold = bool(data.secret) and handout.with_gold
        shuffled = has_gold and handout.order is not AssignmentOrder.RANDOM
        return replace(report, gold=len(rows) - len(items), shuffled=shuffled), rows

    @earlier_keywords(begun="include_started")
    def move(
        self,
        person: str,
        to: Sequence[str],
        *,
        include_started: bool = False,
        dry_run: bool = False,
    ) -> HandoutReport:
        """Move an annotator's open samples to other annotators, or back to the dataset's pool.

        Practice samples, second readings, finished and locked work stay. `include_started` also
        moves samples in progress.

        Raises:
            InvalidInput: no other annotator is named.
            Conflict: no annotator is named, and a dataset has no pool.
        """
        giver = self._find_giver(person)
        people = (
            [each for each in self.find_people(to, dry_run=dry_run) if each != giver] if to else []
        )
        if to and not people:
            raise InvalidInput(
                f"the samples are already assigned to {giver.name!r}",
                "name different people to receive the samples",
            )
        with self.store.reading() if dry_run else self.store.writing(self.actor.person) as store:
            unfinished = [
                each
                for each in store.held(person=giver.id)
                if not (each.finished or each.locked or each.allotted.practice or each.gold)
            ]
            held = [each for each in unfinished if include_started or not each.begun]
            in_progress = len(unfinished) - len(held)
            outcome = _plan_move(store, held, people)
            items = [item for own in outcome.given.values() for item in own]
            items = items if people else _held_items(store, held)
            number = 0
            if not dry_run and held:
                number = _write_move(store, held, outcome, giver=giver, people=people)
        reports = [report_person(each, outcome.given[each.id], had=0) for each in people]
        report = report_handout(reports, items, short=outcome.short)
        return replace(report, batch=number, in_progress=in_progress)

    @earlier_keywords(to="people")
    def repeat(
        self, dataset: str, people: Sequence[str], wish: AssignmentOptions, *, dry_run: bool = False
    ) -> HandoutReport:
        """Assign annotators some of their own samples again, for a second reading.

        Samples on which their annotators' work is locked are not assigned.
        Gold samples are among them: a sample that no second reading can have would be recognised,
        and so would gold samples if more of them were left than of the others.
        """
        annotators = (
            self.find_people(people, dry_run=dry_run)
            if people
            else self._people_with_samples(dataset)
        )
        seconds = [second_reader(each) for each in annotators]
        gold: dict[tuple[str, SampleKey], int] = {}
        with self.store.reading() as store:
            has = {each.id: {one.key for one in store.held(person=each.id)} for each in seconds}
            hides_outcomes = store.hides_outcomes(dataset)
            locked = {each.id: store.group_locked(each.id, dataset) for each in annotators}
            for each, second in zip(annotators, seconds, strict=True):
                held = store.held(person=each.id)
                gold |= {(second.id, one.key): one.handout for one in held if one.gold}

        def allocate(data: AssignableDataset) -> AssignmentPlan:
            given = {}
            # What is left must not depend on adjudications that their annotators cannot see.
            adjudicated = frozenset() if hides_outcomes else data.locked
            for each, second in zip(annotators, seconds, strict=True):
                gone = has[second.id] | adjudicated | locked[each.id]
                mine = data.has.get(each.id, frozenset()) - gone
                own = [item for item in data.items if item.key in mine]
                given[second.id] = assignment_plan.draw_second_readings(own, wish, person=each.id)
            return AssignmentPlan(given)

        request = {"to": [each.id for each in annotators], "share": wish.count, "seed": wish.seed}
        handout = _HandoutRequest(
            kind=AssignmentCause.REPEAT,
            dataset=dataset,
            people=seconds,
            allocate=allocate,
            request=request,
            second_gold=gold,
        )
        return self._hand_out(handout, dry_run=dry_run)

    @earlier_keywords(to="people")
    def practice(
        self,
        dataset: str,
        people: Sequence[str],
        *,
        gold: str = "",
        criteria: Practice | None = None,
        dry_run: bool = False,
    ) -> HandoutReport:
        """Assign a practice dataset with known answers; annotators do it before all other work.

        Args:
            gold: annotator or origin whose answers are correct; empty for adjudicated answers.
            criteria: the score to pass, the attempts, and who is held back; its person and origin
                are ignored. None for practice without a score to pass.

        Raises:
            NotFound, InvalidInput: same as for `give`.
            NotReady: there are no such answers.
            Conflict: the dataset is assigned for real work.
        """
        answers = self._find_answers(gold)
        rule = replace(criteria or Practice(), person=answers.person, origin=answers.origin)
        annotators = self.find_people(people, dry_run=dry_run) if people else self._workers()
        annotators = [each for each in annotators if each.id != rule.person]
        with self.store.reading() if dry_run else self.store.writing(self.actor.person) as store:
            data = store.load_dataset(dataset)
            if not store.known(data.dataset_id, rule):
                raise NotReady(
                    f"dataset {dataset!r} has no answers by {gold or SETTLED!r}",
                    "name whose annotations are correct: --gold NAME, or --gold imported",
                )
            reports = []
            for each in annotators:
                known = data.has.get(each.id, ())
                own = [item for item in data.items if item.key not in known]
                reports.append(report_person(each, own, had=len(data.items) - len(own)))
            number = 0
            if not dry_run:
                rows = [
                    AssignedRow(each.id, item.place, practice=True)
                    for each in annotators
                    for item in data.items
                ]
                ids = [each.id for each in annotators]
                number = store.set_practice(dataset, rule, rows=rows, to=ids)
        return replace(report_handout(reports, data.items, short=0), batch=number)

    def gold(
        self,
        dataset: str,
        rule: Gold,
        *,
        answers: str = "",
        dry_run: bool = False,
    ) -> GoldRuleResult:
        """Use samples with known answers to check the accuracy of annotators.

        From now on they are mixed into the samples that people are assigned or take from a pool.

        Args:
            rule: its samples are ids, or none for all samples that have answers; its person and
                origin are ignored.
            answers: annotator or origin whose answers are correct; empty for adjudicated answers.

        Raises:
            NotFound: the dataset or a sample does not exist.
            NotReady: a sample has no such answer, or no sample has one.
            Conflict: the dataset is for practice.
        """
        found = self._find_answers(answers)
        rule = replace(rule, person=found.person, origin=found.origin)
        with self._writing(dry_run=dry_run) as store:
            data = store.load_dataset(dataset)
            wanted = [item.key.id for item in _find_items(data, rule.samples)]
            known = set(store.answered(data.dataset_id, rule))
            samples = [name for name in wanted if name in known]
            lacking = [name for name in wanted if name not in known] if rule.samples else []
            if lacking or not samples:
                what = f"sample {lacking[0]!r}" if lacking else f"dataset {dataset!r}"
                raise NotReady(
                    f"{what} has no completed annotations of {answers or SETTLED!r}",
                    "name whose annotations are correct: --gold NAME, or --gold imported; if"
                    " nothing is wrong, complete or adjudicate the sample without annotations",
                )
            seed = rule.seed or secrets.token_hex(16)
            number = store.set_gold(dataset, replace(rule, samples=samples, seed=seed))
            checks = store.read_gold_checks(dataset)
        return GoldRuleResult(
            batch=0 if dry_run else number,
            samples=len(samples),
            recognizable=_is_gold_recognisable(data, samples),
            checks=len(checks),
            edited_later=sum(each.later_edits > 0 for each in checks),
        )

    def promote(
        self, dataset: str, samples: Sequence[str] = (), *, dry_run: bool = False
    ) -> GoldRuleResult:
        """Add adjudicated samples to the gold samples of a dataset that has some.

        Their known answer is the adjudication. People who annotated or adjudicated a sample do not
        get it as a gold sample. The work that exists stays real work.

        Args:
            samples: ids, or none for all adjudicated samples that are no gold samples yet.

        Raises:
            NotFound: the dataset or a sample does not exist.
            NotReady: the dataset has no gold samples, or no such sample is adjudicated.
        """
        with self._writing(dry_run=dry_run) as store:
            data = store.load_dataset(dataset)
            if not data.secret:
                raise NotReady(
                    f"dataset {dataset!r} has no gold samples yet",
                    f"set them with: tui-annotate assignments gold --dataset"
                    f" {shlex.quote(dataset)}",
                )
            wanted = [item.key.id for item in _find_items(data, samples)]
            known = set(store.answered(data.dataset_id, Gold((), person=SETTLED)))
            if lacking := [name for name in wanted if samples and name not in known]:
                raise NotReady(
                    f"sample {lacking[0]!r} is not adjudicated",
                    "adjudicate it first: tui-annotate review --sample"
                    f" {shlex.quote(f'{dataset}/{lacking[0]}')}",
                )
            new = [name for name in wanted if name in known and name not in data.gold]
            if not new:
                raise NotReady(
                    f"all adjudicated samples of dataset {dataset!r} are gold samples already",
                    "adjudicate more samples: tui-annotate review list",
                )
            number = store.promote(dataset, new)
        recognisable = _is_gold_recognisable(data, [*data.gold, *new])
        return GoldRuleResult(0 if dry_run else number, len(new), recognisable)

    def recompute_gold(self, dataset: str, *, dry_run: bool = False) -> RecomputedGold:
        """Compare a dataset's completed gold samples with the present answers, on purpose.

        Without it, a gold sample keeps the score by the answer of the time when it was completed.
        The work that is compared stays that of the first completion.

        Raises:
            NotReady: the dataset has no completed gold samples.
        """
        with self._writing(dry_run=dry_run) as store:
            store.dataset_row(dataset)
            before = store.read_gold_checks(dataset)
            if not before:
                raise NotReady(
                    f"dataset {dataset!r} has no completed gold samples",
                    "set gold samples: tui-annotate assignments gold --dataset NAME",
                )
            number = store.recompute_gold(dataset)
            after = store.read_gold_checks(dataset)
        changed = sum(old.score != new.score for old, new in zip(before, after, strict=True))
        return RecomputedGold(0 if dry_run else number, dataset, len(after), changed)

    def resume(self, person: str, *, dataset: str = "", retry: bool = False) -> ResumedWork:
        """End the pause of a person's work, in one dataset or in all.

        Only gold samples that the person completes for the first time from then on can pause the
        work again.

        Args:
            retry: give one more attempt at practice that the person failed, and end the pauses in
                these practice datasets only. The person does all practice samples again, without
                the earlier annotations.

        Raises:
            NotReady: the person's work is not paused, or with `retry`, no practice was failed.
        """
        found = self._find_giver(person)
        if retry:
            return self._retry_practice(found, dataset)
        with self.store.writing(self.actor.person) as store:
            ended = store.end_pauses(found.id, dataset)
        if not ended:
            raise NotReady(
                f"the work of {found.name!r} is not paused",
                "list pauses with: tui-annotate assignments list",
            )
        return ResumedWork(found.id, found.name, tuple(each.dataset for each in ended))

    def _retry_practice(self, found: Person, dataset: str) -> ResumedWork:
        with self.store.writing(self.actor.person) as store:
            given = store.give_attempt(found.id, dataset)
            ended = [each for name in given for each in store.end_pauses(found.id, name)]
            log = EventLog(store.connection)
            for samples in given.values():
                discard_work(log, found.id, samples, at=store.at)
        if not given:
            raise NotReady(
                f"{found.name!r} did not fail practice, or still has an attempt",
                "show results of practice with: tui-annotate status",
            )
        paused = tuple(each.dataset for each in ended)
        return ResumedWork(found.id, found.name, paused, tuple(given))

    def _find_answers(self, gold: str) -> Practice:
        if not gold or gold == SETTLED:
            return Practice(person=SETTLED)
        found = self._match_owners(gold, self.people.all())
        if len(found) > 1:
            raise ambiguous_person(gold, [each.id for each in found])
        return Practice(person=found[0].id) if found else Practice(origin=gold)

    def pool(self, dataset: str, pool: Pool, *, dry_run: bool = False) -> AssignmentRuleResult:
        """Set up a pool of samples, from which annotators receive one sample after the other.

        Raises:
            Conflict: the dataset is for practice.
        """
        with self._writing(dry_run=dry_run) as store:
            number = store.set_pool(dataset, pool)
            gold = store.rule(store.dataset_row(dataset), AssignmentCause.GOLD)
            shuffled = bool(gold) and not pool.order.startswith(RANDOM)
            waiting = store.count_waiting(dataset, pool)
            ruled = AssignmentRuleResult(number, waiting, shuffled=shuffled)
        return replace(ruled, batch=0) if dry_run else ruled

    def escalate(
        self,
        dataset: str,
        rule: Escalation | None = None,
        *,
        now: bool = False,
        dry_run: bool = False,
    ) -> AssignmentRuleResult:
        """Set the rule that assigns more annotators to samples on which annotators disagree.

        If `rule` is None, the current rule stays. `now` applies it to existing disagreements.

        Raises:
            NotFound: the dataset does not exist, or `now` is set and the dataset has no such rule.
        """
        with self._writing(dry_run=dry_run) as store:
            number = store.set_escalation(dataset, rule) if rule else 0
            added = 0
            waiting = 0
            if now:
                added, waiting = store.escalate_now(dataset, disabled=self.disabled)
        return AssignmentRuleResult(0 if dry_run else number, waiting, added)

    @contextmanager
    def _writing(self, *, dry_run: bool) -> Iterator[AssignmentTransaction]:
        """Open a transaction; for a dry run, roll back what the block wrote, so that it can count.

        The exception makes the store roll back, and is not raised to the caller.
        """
        with suppress(_DryRun), self.store.writing(self.actor.person) as store:
            yield store
            if dry_run:
                raise _DryRun

    @earlier_keywords(begun="include_started")
    def undo(self, number: int = 0, *, include_started: bool = False) -> WithdrawalResult:
        """Undo an assignment of samples, or a rule for assignments.

        Moved samples return to their former assignees, but not to people whose account is disabled
        or deleted.

        `include_started`: also withdraw samples in progress; finished work stays stored.

        Raises:
            NotFound: the assignment does not exist, or there is none to undo.
            Conflict: the assignment was already undone.
        """
        former = self._former_people()
        with self.store.writing(self.actor.person) as store:
            return store.undo(number, begun=include_started, former=former)

    def show(self, dataset: str = "") -> AssignmentOverview:
        """Return the assignments of all datasets, or of one dataset."""
        with self.store.reading() as store:
            found = build_overview(
                store, {each.id: each.name for each in self.people.all()}, dataset=dataset
            )
            if dataset and not found.batches:
                store.dataset_row(dataset)
        return found

    def _find_assignee(self, name: str, *, keep: bool) -> Person:
        if member := self.member(name):
            if member.id in self.disabled():
                raise Conflict(
                    f"the account of {name!r} is disabled",
                    "enable the account: tui-annotate users enable PERSON",
                )
            if keep:
                self.people.keep(member)
            return member
        if known := self._find_known(name):
            return known
        if not self.create:
            raise self._unknown_person(name, "To add a new person, pass --create")
        return (
            self.people.local(name)
            if keep
            else Person(f"new: {name}", self.people.check_new_local(name))
        )

    def _find_giver(self, name: str) -> Person:
        if known := self._find_known(name):
            return known
        with suppress(NotFound):
            if member := self.member(name):
                return member
        raise self._unknown_person(name, "list all people with: tui-annotate users list --all")

    def _unknown_person(self, name: str, advice: str) -> NotFound:
        return unknown_person(name, [each.name for each in self._workers()], advice=advice)

    def _find_known(self, name: str) -> Person | None:
        found = self._match_owners(name, self._annotators())
        if len(found) > 1:
            raise ambiguous_person(name, [each.id for each in found])
        return found[0] if found else None

    def _annotators(self) -> list[Person]:
        """Return the people who can get samples, and those who were merged into one of them."""
        kinds = (*_ANNOTATOR_KINDS, PersonKind.MERGED)
        known = [each for each in self.people.all() if each.kind in kinds]
        return [each for each in known if self.people.find_owner(each).kind in _ANNOTATOR_KINDS]

    def _match_owners(self, who: str, people: Sequence[Person]) -> list[Person]:
        """Return the people with an id or a name; merged ones mean the owners of their work."""
        return self.people.replace_merged(match_people(who, people))

    def _former_people(self) -> set[str]:
        """Return the ids of people whose account is disabled or deleted."""
        found = set(self.disabled())
        for each in self.people.all():
            if each.kind is PersonKind.ACCOUNT:
                try:
                    self.member(each.id)
                except NotFound:
                    found.add(each.id)
        return found

    def _workers(self) -> list[Person]:
        known = [each for each in self.people.all() if each.kind in _ANNOTATOR_KINDS]
        members = [each for each in known if each.kind is PersonKind.ACCOUNT]
        disabled = self.disabled()
        return [each for each in members or known if each.id not in disabled]


def _request_to_json(
    wish: AssignmentOptions, people: Sequence[Person], score: str
) -> dict[str, Any]:
    request: dict[str, Any] = {
        "to": [each.id for each in people],
        "share": wish.count,
        "overlap": wish.overlap,
        "order": wish.order.value,
        "seed": wish.seed,
    }
    if wish.order is AssignmentOrder.SCORE:
        request |= {"score": score, "descending": wish.descending}
    return request


def _assignees(data: AssignableDataset, people: Sequence[Person]) -> list[Assignee]:
    return [
        Assignee(each.id, data.has.get(each.id, frozenset()), data.open.get(each.id, 0))
        for each in people
    ]


def _hide_order(wish: AssignmentOptions, data: AssignableDataset) -> AssignmentOptions:
    """Return options with a secret random order if the dataset has gold samples.

    In any other order, the gold samples would be those that do not follow it.
    """
    if not data.secret:
        return wish
    seed = f"{data.secret} {wish.seed}"
    return replace(wish, order=AssignmentOrder.RANDOM, seed=seed)


def _is_gold_recognisable(data: AssignableDataset, samples: Collection[str]) -> bool:
    gold = set(samples)
    others = [item for item in data.items if item.key.id not in gold]
    coming = [item for item in others if not item.held] or others
    return is_recognisable(
        [item.place for item in data.items if item.key.id in gold], [item.place for item in coming]
    )


def _select_items(data: AssignableDataset, ids: Collection[str]) -> list[AllocationItem]:
    if not ids:
        return list(data.real_items)
    if known := sorted(data.gold.intersection(ids)):
        raise Conflict(
            f"sample {known[0]!r} of dataset {data.dataset!r} is a gold sample",
            "do not assign this sample: all annotators receive gold samples automatically",
        )
    return _find_items(data, ids)


def _find_items(data: AssignableDataset, ids: Collection[str]) -> list[AllocationItem]:
    if not ids:
        return list(data.items)
    items = {item.key.id: item for item in data.items}
    missing = sorted(set(ids) - items.keys())
    if missing:
        raise NotFound(
            f"dataset {data.dataset!r} has no sample {missing[0]!r}",
            f"{suggest_word(missing[0], items)}fix {len(missing)} unknown ids; list all samples:"
            " tui-annotate datasets show NAME",
        )
    return [items[each] for each in dict.fromkeys(ids)]


def _held_items(store: AssignmentTransaction, held: Sequence[HeldSample]) -> list[AllocationItem]:
    datasets = [store.load_dataset(name) for name in sorted({each.key.dataset for each in held})]
    known = {item.key: item for data in datasets for item in data.items}
    return [replace(known[each.key], place=at) for at, each in enumerate(held)]


def _plan_move(
    store: AssignmentTransaction, held: Sequence[HeldSample], people: Sequence[Person]
) -> AssignmentPlan:
    if not people:
        return AssignmentPlan({})
    find_assignees = [
        Assignee(each.id, frozenset(one.key for one in store.held(person=each.id)))
        for each in people
    ]
    items = _held_items(store, held)
    need = {item.key: 1 for item in items}
    return assignment_plan.distribute(items, find_assignees, need=need, together=True, seed="1")


def _write_move(
    store: AssignmentTransaction,
    held: Sequence[HeldSample],
    outcome: AssignmentPlan,
    *,
    giver: Person,
    people: Sequence[Person],
) -> int:
    if not people:
        store.return_to_pool(held)
        return 0
    by_key = {each.key: each for each in held}
    given = {
        who: [by_key[item.key] for item in sorted(own, key=lambda item: item.place)]
        for who, own in outcome.given.items()
    }
    if not any(given.values()):
        return 0
    return store.move(given, giver=giver, to=[each.id for each in people])
