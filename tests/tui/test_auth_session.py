"""Who is let in, and whether they still may work; over real stores with accounts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.tui.screens.annotate_app import make_workspace
from tests.tui.team import ANA, LI, OWN, PASSWORD, add, make_team
from tui_annotate import workspace
from tui_annotate.domain.assignment_plan import AssignmentOptions
from tui_annotate.domain.assignment_rules import Gold
from tui_annotate.domain.errors import Conflict, NotAllowed, Throttled
from tui_annotate.domain.people import Actor, Permission, Role
from tui_annotate.tui import auth_session
from tui_annotate.tui.auth_session import SessionGuard, TokenFile
from tui_annotate.tui.session import ForcedIdentity
from tui_annotate.workspace import Workspace


@pytest.fixture
def team(tmp_path: Path) -> Iterator[Workspace]:
    """A workspace with Ana and Li."""
    with workspace.open(make_team(tmp_path / "work")) as space:
        yield space


def who(door: SessionGuard) -> str:
    """The name of whoever is in; nothing where nobody is."""
    return door.person.name if door.person else ""


def test_without_accounts_a_name_is_enough(tmp_path: Path) -> None:
    """Nothing is asked, nothing is locked, and nobody signs out."""
    with workspace.open(make_workspace(tmp_path / "work")) as space:
        door = SessionGuard(space, name="ana")
        door.enter()
        assert door.person == space.person("ana")
        assert (door.required, door.idle, door.workspace) == (False, 0, space)
        door.check()
        door.leave()


def test_who_is_unknown_has_to_sign_in(team: Workspace) -> None:
    """With accounts a name names nobody; a right password lets in, as oneself."""
    door = SessionGuard(team, name="Ana")
    door.enter()
    assert who(door) == ""
    assert "--as" in door.hint
    with pytest.raises(NotAllowed):
        door.sign_in(LI, "wrong")
    assert who(door) == ""
    door.sign_in(f" {LI.upper()} ", PASSWORD)
    assert (who(door), door.email, door.hint) == ("李娜", LI, "")
    account = team.team.accounts.find(LI)
    assert door.workspace.actor == Actor(account.person.id, Role.ANNOTATOR)
    assert door.idle == 30
    door.check()


def test_a_user_of_the_machine_may_be_known(
    team: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the system's word, not the environment's; in a shared account by nobody's."""
    monkeypatch.setattr(auth_session, "user_name", lambda: "ben")
    monkeypatch.setenv("USER", "ana")
    add(team, "Ben", "ben@example.org", unix="ben")
    shared = SessionGuard(team, own=False)
    shared.enter()
    assert who(shared) == ""
    door = SessionGuard(team)
    door.enter()
    assert (who(door), door.known) == ("Ben", True)


def test_a_key_lets_in_and_nothing_else_is_looked_at(team: Workspace) -> None:
    """Also where somebody else stayed signed in; an account that is closed is refused."""
    first = SessionGuard(team)
    first.sign_in(ANA, PASSWORD, stay=True)
    account = team.team.accounts.find(LI)
    door = SessionGuard(team, bound=ForcedIdentity(account.person.id), own=False)
    door.enter()
    assert door.person == account.person
    assert (door.known, door.email) == (True, LI)
    team.team.accounts.disable(LI)
    with pytest.raises(NotAllowed):
        SessionGuard(team, bound=ForcedIdentity(account.person.id)).enter()
    with pytest.raises(NotAllowed):
        SessionGuard(team, bound=ForcedIdentity("nobody")).enter()


def test_who_stays_signed_in_is_known_the_next_time(team: Workspace) -> None:
    """Until they sign out; the token is in a file of their own."""
    first = SessionGuard(team)
    first.sign_in(LI, PASSWORD, stay=True)
    first.leave()
    second = SessionGuard(team)
    second.enter()
    assert second.person == first.person
    assert second.email == LI
    assert not second.known
    second.sign_out()
    assert TokenFile.of(team.path).read() is None
    third = SessionGuard(team)
    third.enter()
    assert who(third) == ""


def test_who_does_not_stay_is_signed_out_by_leaving(team: Workspace) -> None:
    """No session is left behind that nobody could use."""
    door = SessionGuard(team)
    door.sign_in(LI, PASSWORD)
    assert len(team.team.accounts.signed_in()) == 1
    door.leave()
    assert team.team.accounts.signed_in() == ()
    assert TokenFile.of(team.path).read() is None


def test_a_token_that_is_no_good_any_more_is_forgotten(team: Workspace) -> None:
    """The sign-in page says so, with the address filled in."""
    first = SessionGuard(team)
    first.sign_in(LI, PASSWORD, stay=True)
    team.team.authenticate.sign_everybody_out()
    door = SessionGuard(team)
    door.enter()
    assert who(door) == ""
    assert door.email == LI
    assert door.hint
    assert TokenFile.of(team.path).read() is None


def test_a_token_that_others_can_read_is_refused_in_words(team: Workspace) -> None:
    """The password is asked for, and the next token is written anew."""
    first = SessionGuard(team)
    first.sign_in(LI, PASSWORD, stay=True)
    file = TokenFile.of(team.path)
    file.path.chmod(0o644)
    door = SessionGuard(team)
    door.enter()
    assert who(door) == ""
    assert str(file.path) in door.hint
    door.sign_in(LI, PASSWORD, stay=True)
    assert file.path.stat().st_mode & 0o777 == 0o600


def test_where_the_token_can_not_be_kept_work_begins_all_the_same(
    team: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is told, as the next start will ask."""
    (tmp_path / "full").touch()
    monkeypatch.setenv("TUI_ANNOTATE_STATE", str(tmp_path / "full"))
    door = SessionGuard(team)
    door.enter()
    door.sign_in(LI, PASSWORD, stay=True)
    assert who(door) == "李娜"
    assert door.hint


def test_an_invited_person_comes_with_a_code(team: Workspace) -> None:
    """It works once."""
    add(team, "Ben", "ben@example.org", invited=True)
    _, code = team.team.accounts.invite("ben@example.org")
    door = SessionGuard(team)
    with pytest.raises(NotAllowed):
        door.redeem("no such code", OWN)
    door.redeem(f" {code} ", OWN, stay=True)
    assert (who(door), door.email, door.must_change) == ("Ben", "ben@example.org", False)
    with pytest.raises(NotAllowed):
        SessionGuard(team).redeem(code, OWN)
    again = SessionGuard(team)
    again.enter()
    assert again.person == door.person


def test_a_password_of_somebody_else_is_to_be_changed(team: Workspace) -> None:
    """Until then nobody works; then the session goes on, and others of the person end."""
    team.team.accounts.reset_password(LI, "nine black herons")
    elsewhere, door = SessionGuard(team), SessionGuard(team)
    for each in (elsewhere, door):
        each.sign_in(LI, "nine black herons")
        assert each.must_change
    with pytest.raises(NotAllowed):
        door.change_password("wrong", OWN)
    door.change_password("nine black herons", OWN)
    assert not door.must_change
    door.check()
    with pytest.raises(NotAllowed):
        elsewhere.check()


def test_a_session_that_has_ended_stops_and_a_password_goes_on(team: Workspace) -> None:
    """With a session of its own, the old one left behind; who stayed stays."""
    door = SessionGuard(team)
    door.sign_in(LI, PASSWORD, stay=True)
    person, before = door.person, TokenFile.of(team.path).read()
    team.team.authenticate.sign_everybody_out()
    with pytest.raises(NotAllowed):
        door.check()
    with pytest.raises(NotAllowed):
        door.unlock("wrong")
    door.unlock(PASSWORD)
    door.check()
    assert door.person == person
    after = TokenFile.of(team.path).read()
    assert after
    assert after != before
    assert len(team.team.accounts.signed_in()) == 1


def test_nobody_else_goes_on_with_what_somebody_began(team: Workspace) -> None:
    """Another person is turned away, and their session is not left behind."""
    door = SessionGuard(team)
    door.sign_in(LI, PASSWORD)
    with pytest.raises(NotAllowed):
        door.sign_in(ANA, PASSWORD)
    assert [each.person for each in team.team.accounts.signed_in()] == [door.workspace.actor.person]


def test_another_role_is_another_start(team: Workspace) -> None:
    """What was opened for a role is not gone on with under another one."""
    with workspace.open(team.path) as space:
        door = SessionGuard(space)
        door.sign_in(LI, PASSWORD)
        by_key = SessionGuard(
            space, bound=ForcedIdentity(team.team.accounts.find(LI).person.id), own=False
        )
        by_key.enter()
        team.team.accounts.update(LI, role=Role.REVIEWER)
        with pytest.raises(NotAllowed):
            door.unlock(PASSWORD)
        with pytest.raises(NotAllowed):
            by_key.renew()
    assert team.team.accounts.signed_in() == ()


def test_whom_a_key_knows_goes_on_by_it(team: Workspace) -> None:
    """A session that was ended is begun anew, unless the account is closed."""
    account = team.team.accounts.find(LI)
    door = SessionGuard(team, bound=ForcedIdentity(account.person.id), own=False)
    door.enter()
    door.renew()
    team.team.authenticate.sign_everybody_out()
    door.renew()
    door.check()
    team.team.accounts.disable(LI)
    with pytest.raises(NotAllowed):
        door.renew()
    assert door.person == account.person


def test_whom_the_system_knew_and_knows_no_more_is_kept_out(
    team: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor is whoever has that user now let into the work of the one before."""
    monkeypatch.setattr(auth_session, "user_name", lambda: "ben")
    add(team, "Ben", "ben@example.org", unix="ben")
    door = SessionGuard(team)
    door.enter()
    team.team.accounts.disable("ben@example.org")
    with pytest.raises(NotAllowed):
        door.renew()
    assert who(door) == "Ben"


def test_too_many_tries_are_told_as_such_also_where_one_unlocks(team: Workspace) -> None:
    """The page has to count down."""
    door = SessionGuard(team)
    door.sign_in(LI, PASSWORD)
    refused: list[type[NotAllowed]] = []
    for _ in range(12):
        try:
            door.unlock("wrong")
        except NotAllowed as error:
            refused.append(type(error))
    assert Throttled in refused


def test_one_person_works_in_one_process(team: Workspace) -> None:
    """The second is told, takes over, and the first is stopped in words."""
    one, two = SessionGuard(team), SessionGuard(team)
    for each in (one, two):
        each.sign_in(LI, PASSWORD)
    one.check()
    found = two.find_other_session()
    assert found == two.elsewhere
    assert found
    two.take_over_session()
    two.check()
    with pytest.raises(Conflict) as stopped:
        one.check()
    assert stopped.value.hint
    one.take_over_session()
    one.check()
    one.leave()
    assert two.find_other_session() is None


def test_a_role_without_the_permission_is_refused_before_a_takeover(team: Workspace) -> None:
    """An admin may review; an annotator may not, whether or not another session is open."""
    SessionGuard(team).sign_in(LI, PASSWORD)
    for email, refused in ((LI, True), (ANA, False)):
        guard = SessionGuard(team, needs=Permission.REVIEW)
        guard.sign_in(email, PASSWORD)
        with pytest.raises(NotAllowed) if refused else nullcontext():
            assert guard.find_other_session() is None


def test_ones_own_work_is_printed_with_gold_checks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A sample that is missing there would be known as a gold sample."""
    with workspace.open(make_workspace(tmp_path / "work")) as space:
        kim, guard = space.person("kim").id, SessionGuard(space, name="ana")
        space.annotate.finish(kim, space.corpus.keys()[0], seconds=1)
        space.team.assignments.gold("films", Gold((), every=2), answers="kim")
        space.team.assignments.give("films", ["ana"], AssignmentOptions())
        guard.enter()
        assert guard.person
        while key := space.annotate.next_unfinished(guard.person.id, None):
            space.annotate.finish(guard.person.id, key, seconds=1)
        assert space.corpus.count_gold_checks() == 1
        guard.print_own(space)
    printed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    done = [each["id"] for each in printed if each["assignments"]]
    assert sorted(done) == ["a", "b", "c"]


def test_times_are_told_as_the_clocks_here_show_them() -> None:
    """Of another day with the day."""
    now = datetime.now(UTC)
    assert auth_session.format_clock_time(now.isoformat()) == now.astimezone().strftime("%H:%M")
    before = now - timedelta(days=2)
    assert auth_session.format_clock_time(before.isoformat()) == before.astimezone().strftime(
        "%d %b %H:%M"
    )


def test_a_client_is_what_sshd_says_else_a_user(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first word of SSH_CONNECTION is the address."""
    monkeypatch.delenv("SSH_CONNECTION", raising=False)
    assert auth_session.client_name() == f"user {auth_session.user_name() or 'unknown'}"
    monkeypatch.setenv("SSH_CONNECTION", "192.0.2.7 50000 192.0.2.1 22")
    assert auth_session.client_name() == "192.0.2.7"
