"""What admins do with accounts; nobody else does, and no work is lost by it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.helpers.stores import annotate, claim, fill, new_database
from tests.services.account_stores import HERE, PASSWORD, Doors
from tui_annotate.domain.accounts import Account
from tui_annotate.domain.assignment_plan import AssignmentOptions
from tui_annotate.domain.errors import Conflict, InvalidInput, NotAllowed, NotFound
from tui_annotate.domain.people import OPERATOR, Actor, Person, PersonKind, Role, second_reader
from tui_annotate.domain.records import Problem, RecordFilter
from tui_annotate.plugins.account_files import UserRow
from tui_annotate.services.assignments import AssignmentService
from tui_annotate.services.authentication.account_management import (
    AccountService,
    NewAccount,
    register,
)
from tui_annotate.storage.assignments.store import AssignmentStore
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.people.store import PeopleStore

HASH = "$argon2id$v=19$m=8,t=1,p=1$MTIzNDU2Nzg5MDEyMzQ1Ng$MTIzNDU2Nzg5MDEyMzQ1Ng"
OTHER = HASH.replace("MTIz", "NTY3")


@pytest.fixture
def doors(tmp_path: Path) -> Iterator[Doors]:
    """An empty store."""
    database = new_database(tmp_path)
    yield Doors(database)
    database.close()


# making ----------------------------------------------------------------------------------------


def test_the_first_account_is_an_admins(doors: Doors) -> None:
    """And its password its owner's; those after it are annotators' with one to be changed."""
    with pytest.raises(InvalidInput, match=Role.ANNOTATOR):
        doors.add("ben", Role.ANNOTATOR)
    assert not doors.authenticate.required()
    doors.add("ana")
    doors.add("ben")
    ana, ben = doors.accounts().all()
    assert (ana.role, ana.must_change) == (Role.ADMIN, False)
    assert (ben.role, ben.must_change) == (Role.ANNOTATOR, True)
    assert ben.person.kind is PersonKind.ACCOUNT
    assert ben.created <= ben.changed


def test_what_is_ones_own_is_nobody_elses(doors: Doors) -> None:
    """An address in whatever case, a user of the machine, a person; a name may be another's too."""
    accounts = doors.accounts()
    doors.add("ana")
    accounts.add(NewAccount("ana", "other@example.org", unix_user="ana"))
    with pytest.raises(Conflict):
        accounts.add(NewAccount("ben", "ANA@example.org"))
    with pytest.raises(Conflict, match="'ana'"):
        accounts.add(NewAccount("ben", "ben@example.org", unix_user="ana"))
    doors.add("li")
    with pytest.raises(Conflict):
        accounts.update("li", email="ana@example.org")
    with pytest.raises(Conflict, match="'ana'"):
        accounts.update("li", unix_user="ana", name="changed")
    assert accounts.find("li@example.org").person.name == "li"
    accounts.update("other@example.org", unix_user="")
    assert accounts.update("li", unix_user="ana").unix == "ana"
    assert len(accounts.all()) == 3


def test_values_are_checked_before_anything_is_stored(doors: Doors) -> None:
    """Name, address, user and password."""
    for new in (
        NewAccount("", "ana@example.org", password=PASSWORD),
        NewAccount("ana", "ana", password=PASSWORD),
        NewAccount("ana", "ana@example.org", unix_user="a b", password=PASSWORD),
        NewAccount("ana", "ana@example.org", password="ana@example.org"),
        NewAccount("ana", "ana@example.org", password="password1"),
    ):
        with pytest.raises(InvalidInput):
            doors.accounts().add(new)
    assert doors.accounts().all() == ()
    assert doors.people.all() == ()
    assert PASSWORD not in repr(NewAccount("ana", "ana@example.org", password=PASSWORD))


def test_claiming_takes_the_work_along(doors: Doors) -> None:
    """Who worked without an account keeps their id, by name or id, and may be imported."""
    (key,) = fill(CorpusStore(doors.database), "1")
    local = doors.people.local("ana")
    foreign = doors.people.imported("ab12", "bo")
    annotate(doors.database).add(local.id, key, claim("a"), seconds=1)
    accounts = doors.accounts()
    made = accounts.add(NewAccount("Ana", "ana@example.org", link_imported="ana"))
    assert made.person.id == local.id
    assert (
        accounts.add(NewAccount("Bo", "bo@example.org", link_imported="ab12")).person.id
        == foreign.id
    )
    (record,) = CorpusStore(doors.database).records(RecordFilter(person="Ana"))
    assert [owned.annotation.id for owned in record.annotations] == ["a"]
    assert record.people == (Person(local.id, "Ana", PersonKind.ACCOUNT),)


def test_only_people_without_an_account_are_claimed(doors: Doors) -> None:
    """One of them, and neither a second reading nor nobody."""
    ana = Person(doors.add("ana"), "ana")
    doors.people.keep(second_reader(ana))
    for number in "12":
        doors.people.imported(f"bo{number}", "bo")
    for who, report in (
        ("ana", "unknown person without an account"),
        ("bo", "several people"),
        ("x", "unknown person without an account"),
    ):
        with pytest.raises(NotFound, match=report):
            doors.accounts().find_claimable_person(who)
    with pytest.raises(NotFound):
        doors.accounts().find_claimable_person(second_reader(ana).id)


def test_an_account_is_meant_by_address_id_or_name(doors: Doors) -> None:
    """A name that several have is not enough."""
    ana = doors.add("ana")
    doors.accounts().add(NewAccount("ana", "other@example.org"))
    find = doors.accounts().find
    assert find("ANA@example.org").person.id == find(ana).person.id == ana
    with pytest.raises(NotFound, match="'ana'") as caught:
        find("ana")
    assert "other@example.org" in caught.value.hint
    with pytest.raises(NotFound, match="'ben'"):
        find("ben")


# changing --------------------------------------------------------------------------------------


def test_there_is_always_an_admin(doors: Doors) -> None:
    """The last active one is neither demoted, disabled, deleted nor forgotten."""
    accounts = doors.accounts()
    ana, ben = doors.add("ana"), doors.add("ben")
    calls: tuple[Callable[[], Account], ...] = (
        lambda: accounts.update(ana, role=Role.REVIEWER),
        lambda: accounts.disable(ana),
        lambda: accounts.delete(ana, pseudonymize=True),
    )
    for call in calls:
        with pytest.raises(Conflict):
            call()
    accounts.update(ben, role=Role.ADMIN)
    assert accounts.disable(ana).active is False
    with pytest.raises(Conflict):
        accounts.update(ben, role=Role.ANNOTATOR)
    assert accounts.enable(ana).active


def test_an_invitation_is_for_who_may_come_in(doors: Doors) -> None:
    """Not for a disabled account."""
    doors.add("ana")
    doors.add("ben")
    doors.accounts().disable("ben")
    with pytest.raises(Conflict, match=r"ben@example\.org"):
        doors.accounts().invite("ben")


def test_deleting_a_person_deletes_no_work(doors: Doors) -> None:
    """They come in no more; forgotten, a word that says nothing stands for them in exports too."""
    doors.add("ana")
    ben = doors.add("ben")
    (key,) = fill(CorpusStore(doors.database), "1")
    annotate(doors.database).add(ben, key, claim("b"), seconds=1)
    doors.authenticate.by_key(ben, client=HERE)
    share = AssignmentService(
        AssignmentStore(doors.database), PeopleStore(doors.database), lambda _: None, OPERATOR
    )
    share.repeat("d", ["ben"], AssignmentOptions("all"))
    assert doors.accounts().delete("ben").person.name == "ben"
    with pytest.raises(NotAllowed):
        doors.authenticate.sign_in("ben@example.org", PASSWORD, client=HERE)
    forgotten = doors.accounts().delete("ben", pseudonymize=True)
    (record,) = CorpusStore(doors.database).records(RecordFilter())
    assert [owned.annotation.id for owned in record.annotations] == ["b"]
    assert [person.name for person in record.people] == [forgotten.person.name]
    with doors.database.reading() as connection:
        tables = ("people", "accounts", "sessions", "invites", "ssh_keys", "handouts")
        rows = [connection.exec_driver_sql(f"SELECT * FROM {each}").all() for each in tables]
    assert "ben" not in repr(rows)
    assert HERE not in repr(rows)
    assert doors.accounts().delete(ben, pseudonymize=True).email == forgotten.email


def test_nobody_but_admins_manages(doors: Doors) -> None:
    """Every public method refuses an annotator and a reviewer, also about themselves."""
    doors.add("ana")
    ben = doors.add("ben")
    given = {
        "who": ben, "new": NewAccount("x", "x@example.org"), "password": PASSWORD, "accounts": [],
        "name": "x", "email": "x@example.org",
    }  # fmt: skip
    for role in (Role.ANNOTATOR, Role.REVIEWER):
        accounts = doors.accounts(Actor(ben, role))
        for name, method in inspect.getmembers(accounts, inspect.ismethod):
            if name.startswith("_"):
                continue
            wanted = inspect.signature(method).parameters.items()
            values = {key: given[key] for key, each in wanted if each.default is each.empty}
            with pytest.raises(NotAllowed, match=f"{role}"):
                method(**values)
    assert isinstance(doors.accounts(), AccountService)


# from elsewhere --------------------------------------------------------------------------------


def row(person: str, email: str, *, password: str = HASH, where: str = "a") -> UserRow:
    """Somebody in a file."""
    return UserRow(where, person, person.title(), email, password)


def test_people_keep_their_ids_and_passwords(doors: Doors) -> None:
    """And the work that came under their ids before."""
    accounts = doors.accounts()
    doors.people.imported("ab12", "somebody")
    made = doors.hasher.hash(PASSWORD)
    found = register(
        accounts, [row("ab12", "ana@example.org", password=made)], admin="Ana@example.org"
    )
    assert [each.person.id for each in found.added] == ["ab12"]
    assert doors.people.all() == (Person("ab12", "Ab12", PersonKind.ACCOUNT),)
    signed = doors.authenticate.sign_in("ana@example.org", PASSWORD, client=HERE)
    assert (signed.actor, signed.must_change) == (Actor("ab12", Role.ADMIN), False)


def test_one_address_is_one_person(doors: Doors) -> None:
    """The first row counts, and what is there counts before all rows; others are told."""
    ana = doors.add("ana")
    rows = [
        row("b1", "ben@example.org", where="one"),
        row("b1", "BEN@example.org", where="two"),
        row("b2", "ben@example.org", where="three"),
        row("b1", "ben@example.org", password=OTHER, where="four"),
        row("a2", "ana@example.org", where="five"),
    ]
    found = register(doors.accounts(), rows)
    assert [each.person.id for each in found.added] == ["b1"]
    assert [(each.where, each.kept, each.differs) for each in found.matched] == [
        ("two", "b1", False), ("three", "b1", True), ("four", "b1", True), ("five", ana, True),
    ]  # fmt: skip
    assert {each.email for each in doors.accounts().all()} == {"ana@example.org", "ben@example.org"}
    again_found = register(doors.accounts(), rows)
    assert (again_found.added, len(again_found.matched)) == ([], 5)


def test_rows_of_one_name_are_one_person_if_the_admin_says_so(doors: Doors) -> None:
    """The first row is the account; the ids of others can be merged into it, by commands."""
    doors.add("ana")
    rows = [
        UserRow("one", "b1", "Ben", "ben@one.org", HASH),
        UserRow("two", "b2", "Ben", "ben@two.org", OTHER),
        UserRow("three", "c1", "Cy", "cy@one.org", HASH),
    ]
    apart = register(doors.accounts(), rows, dry_run=True)
    assert [each.person.id for each in apart.added] == ["b1", "b2", "c1"]
    joined = register(doors.accounts(), rows, join_same_names=True)
    assert [each.person.id for each in joined.added] == ["b1", "c1"]
    assert [(each.where, each.kept, each.kept_email) for each in joined.matched] == [
        ("two", "b1", "ben@one.org")
    ]
    assert [[each.id for each in same.others] for same in joined.same_names] == [["b2"]]
    assert Person("b2", "Ben", PersonKind.IMPORTED) in doors.people.all()


def test_bad_rows_are_told_and_good_ones_kept(doors: Doors) -> None:
    """Each with its place; an id that is somebody else's as well."""
    doors.add("ana")
    rows: list[UserRow | Problem] = [
        row("b1", "ben@example.org"),
        Problem("p", "no text"),
        row("b1", "other@example.org", where="id"),
        row("", "x@example.org", where="empty"),
        row("adjudicated", "x@example.org", where="review"),
        row("b1~2", "x@example.org", where="again"),
        row("c1", "nothing", where="address"),
        row("c1", "x@example.org", password="$2b$12$x", where="hash"),
        UserRow("role", "c1", "C", "x@example.org", HASH, role="boss"),
        UserRow("name", "c1", "\x1b", "x@example.org", HASH),
    ]
    found = register(doors.accounts(), rows)
    assert [each.where for each in found.problems] == [
        "p", "id", "empty", "review", "again", "address", "hash", "role", "name",
    ]  # fmt: skip
    assert [each.email for each in found.added] == ["ben@example.org"]


def test_somebody_has_to_be_an_admin(doors: Doors) -> None:
    """Where nobody is one so far, one row is named; nothing is stored before."""
    rows = [row("b1", "ben@example.org")]
    with pytest.raises(InvalidInput) as caught:
        register(doors.accounts(), rows)
    assert "--admin" in caught.value.hint
    for admin in ("li@example.org", "x"):
        with pytest.raises(InvalidInput):
            register(doors.accounts(), rows, admin=admin)
    assert doors.accounts().all() == ()
    looked = register(doors.accounts(), rows, admin="ben@example.org", dry_run=True)
    assert [each.role for each in looked.added] == [Role.ADMIN]
    assert doors.accounts().all() == ()
    register(doors.accounts(), rows, admin="ben@example.org")
    with pytest.raises(InvalidInput, match=r"'x@example\.org'"):
        register(doors.accounts(), [row("c1", "li@example.org")], admin="x@example.org")
    assert register(doors.accounts(), []).added == []


def test_what_can_not_be_stored_whole_is_not_stored_at_all(doors: Doors) -> None:
    """A user of the machine that two accounts name: neither comes in."""
    doors.add("ana")
    twice = [
        UserRow("a", each, each, f"{each}@example.org", HASH, unix="ben") for each in ("b1", "c1")
    ]
    with pytest.raises(Conflict, match="'ben'"):
        register(doors.accounts(), twice)
    assert len(doors.accounts().all()) == 1
    assert {person.id for person in doors.people.all()} & {"b1", "c1"} == set()


def test_an_account_comes_in_as_it_went_out(doors: Doors) -> None:
    """Role, state, user, the password that is to be changed."""
    doors.add("ana")
    kept = UserRow(
        "a", "b1", "B", "b@example.org", "", role="reviewer", active=False, must_change=True,
        unix="bb",
    )  # fmt: skip
    register(doors.accounts(), [kept])
    found = doors.accounts().find("b1")
    person = Person("b1", "B", PersonKind.ACCOUNT)
    assert found == Account(
        person, "b@example.org", Role.REVIEWER, "", active=False, must_change=True, epoch=0,
        unix="bb", created=found.created, changed=found.changed,
    )  # fmt: skip
