"""Members of workspaces: who acts, who works, and one store of people for several workspaces."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from tests.helpers.stores import LABELS, claim, fill
from tui_annotate import workspace as workspaces
from tui_annotate.domain.assignment_plan import AssignmentOptions
from tui_annotate.domain.assignment_rules import DisagreementRule, Escalation
from tui_annotate.domain.errors import NotAllowed, NotFound
from tui_annotate.domain.people import OPERATOR, Actor, PersonKind, Role
from tui_annotate.domain.records import RecordFilter
from tui_annotate.services.authentication.account_management import NewAccount
from tui_annotate.settings import WORKSPACE_FILE
from tui_annotate.workspace import Workspace

PASSWORD = "lamps over water"


def made(folder: Path, *, people: str = "") -> Workspace:
    """A new workspace, with a store of people elsewhere if it is named."""
    workspaces.create(folder).close()
    (folder / WORKSPACE_FILE).write_text(f'[people]\nstore = "{people}"\n', "utf-8")
    (folder / "labels.yaml").write_text(LABELS, "utf-8")
    return workspaces.open(folder)


def add(space: Workspace, name: str, role: Role | None = None) -> str:
    """Makes an account; the person's id."""
    space.team.members.create_people_store()
    new = NewAccount(name, f"{name}@example.org", role, password=PASSWORD)
    return space.team.accounts.add(new).person.id


def test_without_accounts_a_name_is_enough(tmp_path: Path) -> None:
    """And whoever can open the files acts as their owner."""
    with made(tmp_path / "w") as space:
        assert space.person("ana").kind is PersonKind.LOCAL
        assert space.team.members.at_shell() == OPERATOR == space.actor


def test_with_accounts_everybody_is_somebody(tmp_path: Path) -> None:
    """A name says nothing, the owner of the files as well; who acts works."""
    with made(tmp_path / "w") as space:
        ana = add(space, "ana")
        for name in ("ana", ""):
            with pytest.raises(NotAllowed):
                space.person(name)
        mine = space.acting(Actor(ana, Role.ADMIN))
        assert mine.person().id == mine.person("ben").id == ana
        assert (space.actor, mine.actor.person) == (OPERATOR, ana)


def test_at_a_shell_the_owner_of_the_store_may_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root as well; others are who their user name says, whatever their environment claims."""
    with made(tmp_path / "w") as space:
        monkeypatch.setenv("LOGNAME", "ana")
        monkeypatch.setattr("os.geteuid", lambda: 65534)
        monkeypatch.setattr("pwd.getpwuid", lambda _: type("User", (), {"pw_name": "benjamin"}))
        assert space.team.members.at_shell() == OPERATOR
        add(space, "ana")
        ben = add(space, "ben")
        space.team.accounts.update("ana", unix_user="ana")
        with pytest.raises(NotAllowed):
            space.team.members.at_shell()
        space.team.accounts.update("ben", unix_user="benjamin")
        assert space.team.members.at_shell() == Actor(ben, Role.ANNOTATOR)
        assert space.team.accounts.signed_in() == ()
        monkeypatch.setattr("os.geteuid", lambda: 0)
        assert space.team.members.at_shell() == OPERATOR


def test_the_owner_of_the_store_is_whom_an_account_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root as well, with all rights; nobody else, and nobody by a name or a closed account."""
    with made(tmp_path / "w", people="../people.sqlite") as space:
        add(space, "ana")
        ben = add(space, "ben")
        space.team.accounts.update("ben", unix_user="benjamin")
        users = {0: "root", 7: "benjamin"}
        monkeypatch.setattr("pwd.getpwuid", lambda user: type("User", (), {"pw_name": users[user]}))
        for user in (0, 65534):  # an account names neither; the machine does not know the second
            monkeypatch.setattr("os.geteuid", lambda user=user: user)
            with pytest.raises(NotAllowed):
                space.person()
        with pytest.raises(NotAllowed):
            space.team.members.at_shell()
        monkeypatch.setattr("os.geteuid", lambda: 7)
        assert (space.person().id, space.actor) == (ben, OPERATOR)
        for name in ("ana", "ben"):
            with pytest.raises(NotAllowed) as refused:
                space.person(name)
            assert "--as" in refused.value.hint
            assert "ben" in refused.value.hint.split()
        space.team.accounts.update("ben", unix_user="root")
        monkeypatch.setattr("os.geteuid", lambda: 0)
        assert (space.person().id, space.team.members.at_shell()) == (ben, OPERATOR)
        space.team.accounts.disable("ben")
        with pytest.raises(NotAllowed):
            space.person()


def test_several_workspaces_share_one_store_of_people(tmp_path: Path) -> None:
    """Sessions and passwords are one; work, and who has any, is each workspace's."""
    one, two = (made(tmp_path / name, people="../people.sqlite") for name in ("one", "two"))
    ana = add(one, "ana")
    people = tmp_path / "people.sqlite"
    assert stat.S_IMODE(people.stat().st_mode) == 0o600
    assert two.team.authenticate.required()
    assert two.people.all() == ()
    signed = two.team.authenticate.sign_in("ana@example.org", PASSWORD, client="x")
    assert [person.id for person in two.people.all()] == [ana]
    assert one.team.authenticate.resume(signed.token, client="x").session == signed.session
    (key,) = fill(two.corpus, "1")
    mine = two.acting(signed.actor)
    mine.annotate.add(ana, key, claim("a"), seconds=1)
    one.team.authenticate.sign_everybody_out()
    with pytest.raises(NotAllowed):
        two.team.authenticate.check(signed.session)
    one.close()
    two.close()


def test_a_forgotten_person_is_forgotten_in_each_workspace(tmp_path: Path) -> None:
    """Where the command is given; given again, the same word stands for them."""
    one, two = (made(tmp_path / name, people="../people.sqlite") for name in ("one", "two"))
    add(one, "ana")
    ben = add(one, "ben")
    two.team.authenticate.sign_in("ben@example.org", PASSWORD, client="x")
    word = one.team.accounts.delete("ben", pseudonymize=True).person.name
    assert one.people.person(ben).name == word != two.people.person(ben).name == "ben"
    two.team.accounts.delete(ben, pseudonymize=True)
    assert two.people.person(ben).name == word
    one.close()
    two.close()


def test_a_store_of_people_that_is_not_there_opens_nothing(tmp_path: Path) -> None:
    """An unmounted file system lets nobody in; only `create_people_store` makes a store."""
    with made(tmp_path / "w", people="../people.sqlite") as space:
        for call in (
            lambda: space.team.authenticate,
            lambda: space.team.accounts,
            space.person,
        ):
            with pytest.raises(NotFound):
                call()
        assert not (tmp_path / "people.sqlite").exists()
        with pytest.raises(NotAllowed):
            space.acting(Actor("x", Role.REVIEWER)).team.members.create_people_store()
        add(space, "ana")
        assert space.team.authenticate.required()


def test_an_annotators_export_holds_their_own_work(tmp_path: Path) -> None:
    """Records, figures, and the original record of a file are those that they may see."""
    with made(tmp_path / "w") as space:
        add(space, "root")
        ana, ben = add(space, "ana"), add(space, "ben")
        (key,) = fill(space.corpus, "1")
        for person in (ana, ben):
            own = space.acting(Actor(person, Role.ANNOTATOR))
            own.annotate.add(person, key, claim(f"of {person}"), seconds=1)
        mine, theirs = (space.acting(Actor(ana, role)) for role in (Role.ANNOTATOR, Role.REVIEWER))
        for reader, people in ((mine, {ana}), (theirs, {ana, ben})):
            (record,) = reader.records()
            assert {owned.person for owned in record.annotations} == people
            assert {person.id for person in record.people} == people
            assert reader.status().annotations == len(people)
            assert {each.person for each in reader.status().progress} == people
        found = mine.corpus.records(RecordFilter(person=ben))
        assert [record.annotations for record in found] == []
        with pytest.raises(NotAllowed):
            theirs.annotate.add(ben, key, claim("not theirs", 0, 3), seconds=1)


def test_whose_account_is_closed_elsewhere_gets_no_third_reading(tmp_path: Path) -> None:
    """Escalation asks the store of people that is shared; finishing adds the one who is left."""
    with made(tmp_path / "w", people="../people.sqlite") as space:
        ids = {name: add(space, name) for name in ("ana", "ben", "li", "mo")}
        keys = fill(space.corpus, "1", "2", "3")
        share = space.team.assignments
        share.give("d", ["ana", "ben"], AssignmentOptions("all", overlap=2), ids={"1"})
        share.give("d", ["li"], AssignmentOptions("all"), ids={"2"})
        share.give("d", ["mo"], AssignmentOptions("all", overlap=2), ids={"2", "3"})
        share.escalate("d", Escalation(DisagreementRule.DIFFER))
        space.team.accounts.disable("li")
        ana, ben = (space.acting(Actor(ids[name], Role.ANNOTATOR)) for name in ("ana", "ben"))
        ana.annotate.add(ids["ana"], keys[0], claim("a"), seconds=0)
        ana.annotate.finish(ids["ana"], keys[0], seconds=0)
        ben.annotate.finish(ids["ben"], keys[0], seconds=0)
        open_ones = {each.name: each.open for each in share.show().progress}
    assert (open_ones["li"], open_ones["mo"]) == (1, 3)
