"""What admins do with work: dealt out evenly, told before it is done, refused to all others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.helpers.stores import annotate, claim, fill, new_database
from tui_annotate.domain.assignment_plan import AssignmentOptions, AssignmentOrder
from tui_annotate.domain.assignment_rules import DisagreementRule, Escalation, Pool
from tui_annotate.domain.errors import Conflict, InvalidInput, NotAllowed, NotFound, NotReady
from tui_annotate.domain.people import OPERATOR, Actor, Person, PersonKind, Role, second_reader
from tui_annotate.domain.samples import SampleKey
from tui_annotate.services.assignments import AssignmentService
from tui_annotate.services.assignments.report import AssignmentRuleResult
from tui_annotate.storage.assignments.store import AssignmentStore
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.people.store import PeopleStore
from tui_annotate.storage.queue import QueueStore
from tui_annotate.storage.sqlite_database import SqliteDatabase


@pytest.fixture
def database(tmp_path: Path) -> Iterator[SqliteDatabase]:
    """A store with ten samples of a dataset `d`."""
    made = new_database(tmp_path)
    fill(CorpusStore(made), *map(str, range(10)))
    yield made
    made.close()


def open_to_all(name: str) -> None:
    """People need no accounts."""
    del name


def service(
    database: SqliteDatabase,
    *,
    member: Callable[[str], Person | None] = open_to_all,
    actor: Actor = OPERATOR,
) -> AssignmentService:
    """The service over a store."""
    return AssignmentService(AssignmentStore(database), PeopleStore(database), member, actor)


def keys(database: SqliteDatabase, person: str) -> list[SampleKey]:
    """What somebody sees."""
    return [row.key for row in QueueStore(database).page(person, order="ingested").rows]


def person(database: SqliteDatabase, name: str) -> str:
    """The id of a name."""
    return PeopleStore(database).local(name).id


@pytest.mark.parametrize("role", [Role.ANNOTATOR, Role.REVIEWER])
def test_only_admins_hand_out(database: SqliteDatabase, role: Role) -> None:
    """Others are refused before anything is read."""
    with pytest.raises(NotAllowed):
        service(database, actor=Actor("ana", role))
    assert service(database, actor=Actor("ana", Role.ADMIN)).show().batches == ()


def test_a_dry_run_tells_the_same_and_writes_nothing(database: SqliteDatabase) -> None:
    """Also for people who are new."""
    share = service(database)
    wish = AssignmentOptions("6", 1, AssignmentOrder.RANDOM, seed="3")
    asked = share.give("d", ["ana", "ben"], wish, dry_run=True)
    assert share.show().batches == ()
    assert PeopleStore(database).all() == ()
    person(database, "ana"), person(database, "ben")
    report = share.give("d", ["ana", "ben"], wish, dry_run=True)
    done = share.give("d", ["ana", "ben"], wish)
    assert (asked.batch, report.batch, done.batch) == (0, 0, 1)
    assert report.people == done.people
    assert [each.samples for each in asked.people] == [each.samples for each in done.people]
    assert [each.samples for each in done.people] == [3, 3]


def test_where_people_need_accounts_names_are_theirs(database: SqliteDatabase) -> None:
    """Whoever never was here is kept here; who has none gets nothing, and may still give."""
    members = {"ana@example.org": Person("a1", "ana", PersonKind.ACCOUNT)}

    def member(name: str) -> Person:
        if name not in members:
            raise NotFound("no account")
        return members[name]

    service(database).give("d", ["li"], AssignmentOptions("2"))
    share = service(database, member=member)
    with pytest.raises(NotFound):
        share.give("d", ["li"], AssignmentOptions())
    share.give("d", ["ana@example.org"], AssignmentOptions("3"), dry_run=True)
    assert [each.name for each in PeopleStore(database).all()] == ["li"]
    share.move("li", ["ana@example.org"])
    assert len(keys(database, "a1")) == 2
    members["ben@example.org"] = Person("b1", "ben", PersonKind.ACCOUNT)
    assert share.move("ana@example.org", ["ben@example.org"], dry_run=True).samples == 2
    with pytest.raises(NotFound) as caught:
        share.move("nobody", ["ana@example.org"])
    assert "tui-annotate users list --all" in caught.value.hint


def test_whose_account_is_disabled_gets_no_work(database: SqliteDatabase) -> None:
    """By name they are refused; where nobody is named, they are left out; theirs can be moved."""
    members = {name: Person(name, name, PersonKind.ACCOUNT) for name in ("ana", "ben")}
    service(database, member=members.get).give("d", ["ana", "ben"], AssignmentOptions("4"))
    stores = (AssignmentStore(database), PeopleStore(database))
    share = AssignmentService(*stores, members.get, OPERATOR, lambda: {"ben"})
    with pytest.raises(Conflict, match="'ben'"):
        share.give("d", ["ana", "ben"], AssignmentOptions())
    report = share.top_up("d", [], AssignmentOptions(), open=5)
    assert [each.name for each in report.people] == ["ana"]
    share.move("ben", ["ana"])
    assert keys(database, "ben") == []


@pytest.mark.parametrize("gone", ["disabled", "deleted"])
def test_undo_gives_no_work_to_people_who_left(database: SqliteDatabase, gone: str) -> None:
    """Their samples are not returned to them, and are counted."""
    members = {name: Person(name, name, PersonKind.ACCOUNT) for name in ("ana", "ben")}

    def member(name: str) -> Person:
        if name not in members:
            raise NotFound("no account")
        return members[name]

    share = service(database, member=member)
    share.give("d", ["ben"], AssignmentOptions("4"))
    share.move("ben", ["ana"])
    stores = (AssignmentStore(database), PeopleStore(database))
    disabled = {"ben"} if gone == "disabled" else set()
    if gone == "deleted":
        del members["ben"]
    undone = AssignmentService(*stores, member, OPERATOR, lambda: disabled).undo()
    assert (undone.withdrawn, undone.unreturned) == (4, 4)
    with AssignmentStore(database).reading() as store:
        assert (store.held(person="ben"), store.held(person="ana")) == ([], [])


def test_completed_samples_are_not_in_progress(database: SqliteDatabase) -> None:
    """Undo and move count them apart."""
    share = service(database)
    share.give("d", ["ana"], AssignmentOptions("3"))
    ana, own = person(database, "ana"), keys(database, person(database, "ana"))
    work = annotate(database)
    work.finish(ana, own[0], seconds=1)
    work.add(ana, own[1], claim("a"), seconds=1)
    undone = share.undo()
    assert (undone.withdrawn, undone.kept, undone.completed) == (1, 2, 1)
    report = share.move("ana", ["ben"])
    assert (report.samples, report.in_progress) == (0, 1)


def test_a_second_reading_of_nothing_makes_no_person(database: SqliteDatabase) -> None:
    """Neither where nobody has anything of the samples, nor where it is only asked for."""
    share = service(database)
    share.repeat("d", ["ana"], AssignmentOptions("all"))
    share.give("d", ["ana"], AssignmentOptions("2"))
    share.repeat("d", ["ana"], AssignmentOptions("all"), dry_run=True)
    assert [each.name for each in PeopleStore(database).all()] == ["ana"]
    assert share.repeat("d", ["ana"], AssignmentOptions("all")).samples == 2
    assert len(PeopleStore(database).all()) == 2


def test_handouts_name_people_as_they_are_called_now(database: SqliteDatabase) -> None:
    """Who is given another name, or none that says anything, is nowhere under the old one."""
    share, people = service(database), PeopleStore(database)
    annotate(database).add(person(database, "ben"), SampleKey("d", "9"), claim("b"), seconds=0)
    share.practice("d", ["ana"], gold="ben")
    share.undo()
    share.give("d", ["ana"], AssignmentOptions("2"))
    share.repeat("d", ["ana"], AssignmentOptions("all"))
    share.move("ana", ["ben"])
    for name in ("ana", "ben"):
        people.keep(Person(person(database, name), f"new {name}"))
    shown = share.show()
    asked = [each.parameters for each in shown.batches]
    assert [each["to"] for each in asked] == [["new ana"], ["new ana"], ["new ana"], ["new ben"]]
    assert (asked[0]["gold"], asked[3]["from"]) == ("new ben", "new ana")
    names = {each.name for each in shown.progress}
    assert len([name for name in names if name.startswith("new ana ")]) == 1  # as second reader


def test_ids_are_handed_out_as_they_are_named(database: SqliteDatabase) -> None:
    """An id that is not there is refused, and nobody gets anything."""
    share = service(database)
    with pytest.raises(NotFound, match="99"):
        share.give("d", ["ana"], AssignmentOptions(), ids=["3", "99"])
    share.give("d", ["ana"], AssignmentOptions(order=AssignmentOrder.INGESTED), ids=["7", "3"])
    assert keys(database, person(database, "ana")) == [SampleKey("d", "3"), SampleKey("d", "7")]


def test_the_next_share_is_of_what_nobody_has_yet(database: SqliteDatabase) -> None:
    """Twice 40 %, then what is left; then nothing is left to get."""
    share = service(database)
    for name, wanted in (("ana", 4), ("ben", 4), ("li", 2)):
        assert share.give("d", [name], AssignmentOptions("40%")).samples == wanted
    assert share.give("d", ["zoe"], AssignmentOptions("40%")).batch == 0
    found = [key for name in ("ana", "ben", "li") for key in keys(database, person(database, name))]
    assert sorted(found) == sorted(CorpusStore(database).keys())


def test_a_top_up_goes_to_whoever_works_there(database: SqliteDatabase) -> None:
    """Up to the number of open ones each, and says what lacks."""
    share, annotating = service(database), annotate(database)
    with pytest.raises(InvalidInput, match="'d'"):
        share.top_up("d", [], AssignmentOptions(), open=3)
    share.give("d", ["ana", "ben"], AssignmentOptions("4"))
    ana = person(database, "ana")
    for key in keys(database, ana):
        annotating.skip(ana, key, seconds=0)
    report = share.top_up("d", [], AssignmentOptions(), open=5)
    assert {each.name: each.samples for each in report.people} == {"ana": 5, "ben": 1}
    assert report.unassigned == 2


def test_an_absent_persons_work_goes_to_others(database: SqliteDatabase) -> None:
    """What is finished or begun stays, unless begun work is asked for."""
    share, annotating = service(database), annotate(database)
    share.give("d", ["ana"], AssignmentOptions())
    ana = person(database, "ana")
    annotating.skip(ana, SampleKey("d", "0"), seconds=0)
    annotating.add(ana, SampleKey("d", "1"), claim("a"), seconds=0)
    report = share.move("ana", ["ben", "li"], dry_run=True)
    assert sorted(each.samples for each in report.people) == [4, 4]
    share.move("ana", ["ben", "li"])
    assert keys(database, ana) == [SampleKey("d", "0"), SampleKey("d", "1")]
    assert share.move("ana", ["ben"], include_started=True).samples == 1
    assert keys(database, ana) == [SampleKey("d", "0")]
    with pytest.raises(NotFound):
        share.move("nobody", ["ben"])


def test_without_others_work_goes_back_to_the_pool(database: SqliteDatabase) -> None:
    """Of a dataset without a pool that is refused."""
    share, queue = service(database), QueueStore(database)
    share.give("d", ["ana"], AssignmentOptions("2"))
    with pytest.raises(Conflict):
        share.move("ana", [])
    share.undo()
    share.pool("d", Pool(1, "ingested"))
    with pytest.raises(InvalidInput, match="'ana'"):
        share.move("ana", ["ana"])
    ana = person(database, "ana")
    key = queue.next_unfinished(ana, None, order="ingested")
    assert share.move("ana", []).samples == 1
    ben = person(database, "ben")
    assert queue.next_unfinished(ben, None, order="ingested") == key


def test_a_second_reading_is_of_ones_own_and_grows(database: SqliteDatabase) -> None:
    """Asked for twice, nothing comes a third time."""
    share = service(database)
    share.give("d", ["ana"], AssignmentOptions("6"))
    ana = PeopleStore(database).local("ana")
    share.repeat("d", ["ana"], AssignmentOptions("3", order=AssignmentOrder.RANDOM), dry_run=True)
    assert keys(database, second_reader(ana).id) == []
    share.repeat("d", ["ana"], AssignmentOptions("3", order=AssignmentOrder.RANDOM))
    first = keys(database, second_reader(ana).id)
    share.repeat("d", ["ana"], AssignmentOptions("all", order=AssignmentOrder.RANDOM))
    second = keys(database, second_reader(ana).id)
    assert second[:3] == first
    assert sorted(second) == sorted(keys(database, ana.id))
    assert {each.kind for each in PeopleStore(database).all()} == {
        PersonKind.LOCAL,
        PersonKind.AGAIN,
    }


def test_practice_comes_before_all_else(database: SqliteDatabase) -> None:
    """Until it is finished nothing else is there; the answers must be."""
    share, annotating, queue = service(database), annotate(database), QueueStore(database)
    fill(CorpusStore(database), "p1", "p2", dataset="p")
    with pytest.raises(NotReady, match=r"'p'.*'kim'"):
        share.practice("p", ["ana"], gold="kim")
    kim = person(database, "kim")
    annotating.add(kim, SampleKey("p", "p1"), claim("k"), seconds=0)
    annotating.add(kim, SampleKey("d", "9"), claim("k9"), seconds=0)
    share.give("d", ["ana"], AssignmentOptions("1"))
    with pytest.raises(Conflict):
        share.practice("d", ["ana"], gold="kim")
    share.practice("p", ["ana"], gold="kim")
    with pytest.raises(Conflict):
        share.give("p", ["ben"], AssignmentOptions(overlap=3))
    ana = person(database, "ana")
    for name in ("p1", "p2"):
        assert [key.dataset for key in keys(database, ana)] == ["p", "p"]
        key = queue.next_unfinished(ana, None, order="ingested")
        assert key == SampleKey("p", name)
        annotating.skip(ana, key, seconds=0)
    assert [key.dataset for key in keys(database, ana)] == ["p", "p", "d"]
    assert queue.next_unfinished(ana, key, order="ingested") == SampleKey("d", "0")


def test_scores_are_numbers_of_meta(database: SqliteDatabase) -> None:
    """A field that no sample has is refused."""
    with pytest.raises(InvalidInput, match=r"'d'.*'perplexity'"):
        service(database).give(
            "d", ["ana"], AssignmentOptions(order=AssignmentOrder.SCORE), score="perplexity"
        )


def test_what_is_shown_counts_what_people_do(database: SqliteDatabase) -> None:
    """By dataset and person; rules with what waits; handouts."""
    share, annotating = service(database), annotate(database)
    share.give("d", ["ana"], AssignmentOptions("3", order=AssignmentOrder.INGESTED))
    ana = person(database, "ana")
    annotating.skip(ana, SampleKey("d", "0"), seconds=0)
    annotating.add(ana, SampleKey("d", "1"), claim("a"), seconds=0)
    share.pool("d", Pool(1, "ingested"))
    share.escalate("d", Escalation(DisagreementRule.LABEL))
    shown = share.show()
    (row,) = shown.progress
    assert (row.samples, row.finished, row.in_progress, row.open) == (3, 1, 1, 1)
    assert [(each.rule.split(":")[0], each.waiting) for each in shown.rules] == [
        ("escalate", 0),
        ("pool", 7),
    ]
    assert [each.kind for each in shown.batches] == ["give", "pool", "escalate"]
    share.undo()
    assert len(share.show().rules) == 1
    share.undo(2)
    assert share.show().rules == ()
    with pytest.raises(NotFound, match="'nothing'"):
        share.show("nothing")


def test_rules_are_tried_without_being_made(database: SqliteDatabase) -> None:
    """A dry run counts what the rule would do, and leaves neither rule, handout nor work."""
    share, annotating = service(database), annotate(database)
    share.give("d", ["ana", "ben"], AssignmentOptions("2", 2, AssignmentOrder.INGESTED))
    share.give("d", ["li"], AssignmentOptions("1"), ids=["9"])
    annotating.add(person(database, "ana"), SampleKey("d", "0"), claim("a"), seconds=0)
    for name in ("ana", "ben"):
        annotating.finish(person(database, name), SampleKey("d", "0"), seconds=0)
    rule = Escalation(DisagreementRule.DIFFER)
    before = share.show(), keys(database, "li")
    assert share.pool("d", Pool(2, "ingested"), dry_run=True) == AssignmentRuleResult(0, 8)
    assert share.escalate("d", rule, now=True, dry_run=True) == AssignmentRuleResult(0, 0, added=1)
    assert (share.show(), keys(database, "li")) == before
    assert share.escalate("d", rule, now=True) == AssignmentRuleResult(3, 0, added=1)


def test_one_begins_in_ones_own_line(database: SqliteDatabase) -> None:
    """Not where one was, where that went to somebody else; with nothing of one's own, nowhere."""
    share, annotating = service(database), annotate(database)
    share.give("d", ["ana"], AssignmentOptions("2", order=AssignmentOrder.INGESTED))
    ana, first = person(database, "ana"), SampleKey("d", "0")
    annotating.people.keep_place(ana, first, {})
    assert annotating.start(ana) == first
    annotating.skip(ana, SampleKey("d", "1"), seconds=0)
    share.move("ana", ["ben"])
    assert annotating.start(ana) == SampleKey("d", "1")
    assert annotating.next_unfinished(ana, first) is None
    with pytest.raises(NotFound):
        annotating.open(ana, first)
    assert annotating.start(person(database, "li")) is None


def test_one_begins_a_dataset_at_ones_own_first_sample(database: SqliteDatabase) -> None:
    """Wherever one was; who has none of it is told so."""
    share, annotating = service(database), annotate(database)
    share.give("d", ["ana"], AssignmentOptions("4", order=AssignmentOrder.INGESTED))
    share.give("d", ["ben"], AssignmentOptions("all", order=AssignmentOrder.INGESTED))
    ben = person(database, "ben")
    annotating.people.keep_place(ben, SampleKey("d", "7"), {})
    assert annotating.start(ben, sample="d/") == SampleKey("d", "4")
    with pytest.raises(NotReady, match="'d'"):
        annotating.start(person(database, "li"), sample="d/")
