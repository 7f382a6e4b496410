"""Accounts and sessions from the command line; no password is an argument, or shown."""

from __future__ import annotations

import io
import os
import pwd
import re
import sqlite3
import stat
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from typer.testing import CliRunner

from tests.cli.conftest import Command, Result, numbers
from tests.helpers.folder_cache import build_once
from tests.helpers.terminal import Terminal, program
from tui_annotate import workspace as workspaces
from tui_annotate.cli.commands import app
from tui_annotate.domain.errors import Conflict, InvalidInput, NotAllowed

PASSWORD = "lamps over water"

Typed = Callable[..., Result]


@pytest.fixture
def typed(command: Command, monkeypatch: pytest.MonkeyPatch) -> Typed:
    """Runs a command with lines on standard input."""

    def ran(lines: str, *arguments: str) -> Result:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines.encode())))
        return command(*arguments)

    return ran


@pytest.fixture
def team(filled: Command, typed: Typed, tmp_path: Path) -> Typed:
    """A workspace with an admin and an annotator."""

    def build(folder: Path) -> None:
        del folder  # commands run in it
        assert filled("status").code == 0
        for name in ("ana", "ben"):
            account = ("--name", name, "--email", f"{name}@b.org")
            made = typed(f"{PASSWORD}\n", "users", "create", *account)
            assert made.code == 0
            assert ("ADMIN" in made.err) is (name == "ana")

    build_once(tmp_path, "two accounts", build)
    return typed


def sign_in(email: str, password: str) -> str:
    """Signs in to the workspace of the current folder; the id of the session."""
    with workspaces.open() as space:
        return space.team.authenticate.sign_in(email, password, client="here").session


def test_a_person_without_an_account_and_the_same_name_is_told(
    filled: Command, typed: Typed, tmp_path: Path
) -> None:
    """From `--as` or from a file; the hint makes both one person, so that it is told no more."""
    with workspaces.open(tmp_path) as space:
        ben = space.people.local("ben")
        space.people.imported("i1", "Ana B")
        space.people.imported("i2", "someone else")
    create = ("users", "create", "--email")
    made = typed(f"{PASSWORD}\n", *create, "ana@b.org", "--name", "ana b")
    assert "users merge i1 ana@b.org" in made.err
    assert "i2" not in made.err
    for name, address in (("i2", "a@b.org"), ("I2", "b@b.org")):  # the id of an imported person
        made = typed(f"{PASSWORD}\n", *create, address, "--name", name)
        assert f"users merge i2 {address}" in made.err
    made = typed(f"{PASSWORD}\n", *create, "ben@b.org", "--name", "b\N{CYRILLIC SMALL LETTER IE}n")
    assert f"users merge {ben.id} ben@b.org" in made.err
    assert filled("users", "merge", ben.id, "ben@b.org").code == 0
    made = typed(f"{PASSWORD}\n", *create, "bea@b.org", "--name", "bea")
    assert "merge" not in made.err
    renamed = filled("users", "edit", "bea@b.org", "--name", "Ana B")
    assert "users merge i1 bea@b.org" in renamed.err
    renamed = filled("users", "edit", "bea@b.org", "--name", "ben")
    assert ben.id not in renamed.err
    made = typed(
        "", *create, "c@b.org", "--name", "someone else", "--link-imported", "i2", "--invite"
    )
    assert "merge" not in made.err


def test_accounts_are_made_and_listed(team: Typed) -> None:
    """As a table and as JSON; neither holds a hash."""
    shown = team("", "users", "list")
    assert [line.split()[1:3] for line in shown.out.splitlines()] == [
        ["address", "role"], ["ana@b.org", "admin"], ["ben@b.org", "annotator"],
    ]  # fmt: skip
    found = team("", "users", "list", "--json")
    assert [(each["email"], each["role"], each["must_change_password"]) for each in found.json] == [
        ("ana@b.org", "admin", False), ("ben@b.org", "annotator", True),
    ]  # fmt: skip
    assert "argon2" not in shown.out + found.out


def test_a_password_is_one_line(team: Typed) -> None:
    """With blanks at its edges, whatever follows, however the line ends; nothing is no password."""
    assert team("  zebra violin  \r\nmore\n", "users", "reset-password", "ben").code == 0
    sign_in("ben@b.org", "  zebra violin  ")
    for lines, report in (("", []), ("\n", []), ("short\n", [5])):
        refused = team(lines, "users", "reset-password", "ben")
        assert isinstance(refused.error, InvalidInput)
        assert numbers(refused.error.message) == report
    assert "short" not in refused.err


def test_half_a_character_is_no_password(
    team: Typed, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor bytes of another encoding."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff\xff\n")))
    refused = command("users", "reset-password", "ben")
    assert type(refused.error) is InvalidInput
    assert "UTF-8" in refused.error.message
    assert team("", "users", "list").code == 0


def test_no_option_takes_a_password() -> None:
    """It would stand in the list of processes and in the shell's history."""
    for words in ("add", "update", "reset-password", "redeem", "invite"):
        shown = CliRunner().invoke(app, ["users", words, "--help"]).output
        options = [line.split()[0] for line in shown.splitlines() if line.startswith("  -")]
        assert not any("pass" in option or "code" in option for option in options)


def test_work_is_claimed(filled: Command, typed: Typed) -> None:
    """Who annotated without an account goes on as the same person."""
    with workspaces.open() as space:
        person = space.person("ana")
    made = typed(
        f"{PASSWORD}\n", "users", "create",
        "--name", "Ana", "--email", "a@b.org", "--link-imported", "ana",
        "--json",
    )  # fmt: skip
    assert made.json["id"] == person.id
    assert filled("users", "show", "Ana", "--json").json["annotations"] == 0


def test_an_invitation_is_redeemed(team: Typed) -> None:
    """The code is printed once, its owner chooses the password, and nothing is to be changed."""
    made = team("", "users", "create", "--name", "li", "--email", "li@b.org", "--invite")
    assert made.code == 0
    assert team("", "users", "list", "--json").json[-1]["has_password"] is False
    code = team("", "users", "invite", "li").out.strip()
    old = team(f"{made.out.splitlines()[1]}\nviolin in the rain\n", "users", "accept-invite")
    assert type(old.error) is NotAllowed
    redeemed = team(f"{code}\nviolin in the rain\n", "users", "accept-invite")
    assert " li " in redeemed.out
    assert "tui-annotate annotate" in redeemed.err
    sign_in("li@b.org", "violin in the rain")
    assert team(f"{code}\nviolin in the sun\n", "users", "accept-invite").code == 1


def test_accounts_are_changed(team: Typed) -> None:
    """One field at a time or several; nothing to change is a mistake."""
    assert team("", "users", "edit", "ben").code == 2
    changed = team("", "users", "edit", "ben", "--role", "reviewer", "--name", "B", "--json").json
    assert (changed["role"], changed["name"]) == ("reviewer", "B")
    me = pwd.getpwuid(os.geteuid()).pw_name
    bound = team("", "users", "edit", "B", "--unix-user", "bb")
    assert bound.out.startswith("B <ben@b.org> ")
    assert "reviewer" in bound.out
    assert (bound.err.count("\n"), "'bb'" in bound.err) == (1, True)
    assert team("", "users", "edit", "ana", "--unix-user", me).err == ""
    shown = team("", "users", "show", "B").out
    assert "\nunix user             bb\n" in shown
    assert f"\ncreated               {changed['created'][:19]}\n" in shown
    assert "disabled" in team("", "users", "disable", "B").out
    assert "disabled" in team("", "users", "list").out
    assert "disabled" not in team("", "users", "enable", "B").out
    last = team("", "users", "disable", "ana")
    assert type(last.error) is Conflict
    assert "--role admin" in last.error.hint


def test_deleting_says_what_it_does(team: Typed) -> None:
    """Disabled alone, with what is left to hand on; forgetting asks first, and nobody means no."""
    given = team("", "assignments", "create", "--dataset", "pairs", "--person", "ben")
    assert given.code == 0
    deleted = team("", "users", "delete", "ben")
    assert team("", "users", "show", "ben", "--json").json["active"] is False
    assert numbers(deleted.err) == [2]
    assert "tui-annotate assignments move ben NEW_PERSON" in deleted.err
    assert team("", "assignments", "move", "ben@b.org", "ana").code == 0
    assert team("", "users", "disable", "ben").err == ""
    asked = team("", "users", "delete", "ben", "--pseudonymize")
    assert (asked.code, "--yes" in asked.err) == (2, True)
    done = team("", "users", "delete", "ben", "--pseudonymize", "--yes", "--json").json
    assert (done["active"], done["has_password"], done["name"][:7]) == (False, False, "person ")
    assert "ben" not in team("", "users", "list").out


def test_a_deleted_user_has_no_imported_address(team: Typed, tmp_path: Path) -> None:
    """Exports have the imported address of a user's work until the user is deleted."""
    with workspaces.open(tmp_path) as space:
        space.people.imported("eva@example.org", "Eva")
    assert team("", "users", "merge", "eva@example.org", "ben").code == 0
    with workspaces.open(tmp_path) as space:
        ben = space.people.find_named("ben")[0].id
        assert space.people.imported_addresses() == {ben: "eva@example.org"}
    assert team("", "users", "delete", "ben", "--pseudonymize", "--yes").code == 0
    with workspaces.open(tmp_path) as space:
        assert space.people.imported_addresses() == {}


def _counts(line: str) -> list[int]:
    """How many were added, here, alike, refused."""
    return [int(each) for each in re.findall(r"\d+", line)]


def test_accounts_go_out_and_in(team: Typed, tmp_path: Path, filled: Command) -> None:
    """To a file of its owner's, with hashes, and into another store, where passwords work."""
    file = tmp_path / "people.csv"
    done = filled("users", "export", "-o", str(file))
    assert (done.code, numbers(done.err)) == (0, [2])
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert filled("users", "export").out == file.read_text("utf-8")
    filled("init", "other")
    taken = team("", "users", "import", str(file), "-w", "other")
    assert _counts(taken.out) == [2, 0, 0, 0]
    again = team("", "users", "import", str(file), "-w", "other", "--json").json
    assert (again["added"], len(again["matched"]), again["stored"]) == ([], 2, True)
    with workspaces.open("other") as space:
        space.team.authenticate.sign_in("ana@b.org", PASSWORD, client="here")
    team("violin in the rain\n", "users", "reset-password", "ben")
    joined = team("", "users", "import", str(file))
    assert _counts(joined.out) == [0, 2, 1, 0]
    assert joined.err.count("\n") == 1
    assert "ben@b.org" in joined.err
    sign_in("ben@b.org", "violin in the rain")


def test_hashes_are_not_for_a_terminal(team: Typed, tmp_path: Path) -> None:
    """A file is asked for; and a password that is typed there is never echoed."""
    assert team("", "users", "list").code == 0
    with Terminal(program("users", "export", "-w", str(tmp_path))) as shown:
        shown.wait("-o ")
    with Terminal(program("users", "reset-password", "ben", "-w", str(tmp_path))) as shown:
        for prompt in ("new password of ben:", "repeat the password:"):
            shown.wait(prompt)
            shown.press("violin in the rain\r")
        shown.wait("ben <ben@b.org>")
        assert b"violin" not in bytes(shown.raw)
    sign_in("ben@b.org", "violin in the rain")


def test_people_of_mercury_come_along(team: Typed, tmp_path: Path) -> None:
    """From a folder of databases; what is alike and what is not is told, and the exit code is 3."""
    folder = tmp_path / "mercury"
    folder.mkdir()
    made = PasswordHasher(time_cost=2, memory_cost=19456, parallelism=1).hash(PASSWORD)
    rows = {"a": [("c1", "Li", "li@b.org", made), ("x", "X", "nothing", made)]}
    rows["b"] = [("c2", "Li", "LI@b.org", made)]
    for name, values in rows.items():
        with closing(sqlite3.connect(folder / f"{name}.sqlite")) as connection, connection:
            connection.execute("CREATE TABLE users (user_id, user_name, email, hashed_password)")
            connection.executemany("INSERT INTO users VALUES (?, ?, ?, ?)", values)
    looked = team("", "users", "import", str(folder), "--dry-run")
    done = team("", "users", "import", str(folder))
    assert (looked.code, done.code) == (3, 3)
    assert _counts(looked.out) == _counts(done.out) == [1, 1, 0, 1]
    odd, _hint, twice, several, offer = done.err.splitlines()
    assert odd.startswith(f"{folder}/a.sqlite, row 2: ")
    assert "'nothing'" in odd
    assert twice.startswith(f"{folder}/b.sqlite, row 1: ")
    assert all(each in twice for each in ("li@b.org", "c1", "c2"))
    assert all(each in several for each in ("'Li'", "c1", "c2"))
    assert "users merge c2 c1" in offer
    assert team("", "users", "merge", "c2", "c1").code == 0
    assert sign_in("li@b.org", PASSWORD)
    assert team("", "users", "import", str(tmp_path / "no")).code == 2
    (tmp_path / "u.csv").write_text(f'user_id,user_name,email,hashed_password\nx,X,no,"{made}"\n')
    assert team("", "users", "import", str(tmp_path / "u.csv")).code == 2


def test_the_first_people_of_mercury_need_an_admin(filled: Command, tmp_path: Path) -> None:
    """Who that is has to be said."""
    file = tmp_path / "u.csv"
    made = PasswordHasher(1, 8, 1).hash(PASSWORD)
    head = "user_id,user_name,email,hashed_password"
    file.write_text(f'{head}\nc1,Li,li@b.org,"{made}"\n', "utf-8")
    refused = filled("users", "import", str(file))
    assert type(refused.error) is InvalidInput
    assert "--admin" in refused.error.hint
    assert filled("users", "import", str(file), "--admin", "li@b.org").code == 0
    assert sign_in("li@b.org", PASSWORD)
    with workspaces.open() as space:  # hashed anew, as strongly as the settings ask for
        assert "m=19456,t=2,p=1" in space.team.accounts.find("li@b.org").hash


PLAIN = "paper boats on tea"


def write_plain(file: Path, head: str, *lines: str) -> Path:
    """A CSV file of Mercury with plain passwords, as spreadsheets save it."""
    file.write_text("\ufeff" + "\r\n".join([head, *lines]) + "\r\n", "utf-8")
    return file


def everything(folder: Path) -> bytes:
    return b"".join(each.read_bytes() for each in folder.glob("store.sqlite*"))


def test_plain_passwords_of_mercury_are_hashed(filled: Command, tmp_path: Path) -> None:
    """They are stored and printed nowhere, and must be changed at the first sign-in."""
    made = PasswordHasher(time_cost=2, memory_cost=19456, parallelism=1).hash(PASSWORD)
    file = write_plain(
        tmp_path / "migrated.csv",
        "email,user_name,user_id,password",
        f"Li@b.org,Li,c1,{PLAIN}",
        "bo@b.org,Bo,c2,'=boats on tea",
        "zo@b.org,Zo,c3,",
        f'hal@b.org,Hal,c4,"{made}"',
        "kim@b.org,Kim,c5,$2b$12$abcdefghijklmnopqrstuv",
        f"LI@b.org,Li,c9,{PLAIN}",
        "weak@b.org,Uma,c6,pw",
    )
    done = filled("users", "import", str(file), "--admin", "li@b.org", "--verbose")
    assert (done.code, _counts(done.out)) == (3, [5, 1, 0, 1])
    assert f"{file}:6: " in done.err
    assert "users merge c9 c1" in done.err
    assert re.search("weak.*: weak@b.org;", done.err)
    assert "zo@b.org" in done.err
    for secret in (PLAIN, "boats on tea"):
        assert secret not in done.out + done.err
        with workspaces.open() as space:
            assert secret.encode() not in everything(space.path)
    with workspaces.open() as space:
        states = {
            each.person.id: (bool(each.hash), each.must_change)
            for each in space.team.accounts.all()
        }
        assert states == {
            "c1": (True, True), "c2": (True, True), "c3": (False, False), "c4": (True, False),
            "c6": (True, True),
        }  # fmt: skip
        signed = space.team.authenticate.sign_in("li@b.org", PLAIN, client="here")
        assert signed.must_change
        space.team.authenticate.sign_in("bo@b.org", "'=boats on tea", client="here")
        assert not space.team.authenticate.sign_in("hal@b.org", PASSWORD, client="x").must_change
    again = filled("users", "import", str(file), "--json").json
    assert [each["differs"] for each in again["matched"]] == [False] * 4 + [True, False]
    assert (again["added"], again["weak_passwords"]) == ([], [])


def test_users_that_mercury_deletes_are_disabled(team: Typed, tmp_path: Path) -> None:
    """The user tools of Mercury mark them in a column; their names stay with their work."""
    file = write_plain(
        tmp_path / "users.csv",
        "user_id,user_name,email,password,delete",
        f"c1,Li,li@b.org,{PLAIN},",
        f"c2,Bo,bo@b.org,{PLAIN},1",
        f"c3,Zo,zo@b.org,{PLAIN},TRUE",
        f"c4,Uma,uma@b.org,{PLAIN},False",
        f"c5,Odd,odd@b.org,{PLAIN},maybe",
    )
    done = team("", "users", "import", str(file))
    assert (done.code, _counts(done.out)) == (3, [4, 0, 0, 1])
    assert "'maybe'" in done.err
    with workspaces.open() as space:
        active = {each.email: each.active for each in space.team.accounts.all()}
    assert [active[f"{name}@b.org"] for name in ("li", "bo", "zo", "uma")] == [
        True, False, False, True,
    ]  # fmt: skip


def test_names_of_mercurys_first_versions_are_offered_as_one(
    filled: Command, tmp_path: Path
) -> None:
    """Each corpus has its own ids; without an address nobody gets an account."""
    folder = tmp_path / "batches"
    folder.mkdir()
    for name in ("a", "b"):
        with closing(sqlite3.connect(folder / f"{name}.sqlite")) as connection, connection:
            connection.execute("CREATE TABLE users (user_id, user_name)")
            rows = [(f"{name}1", "Kim"), (f"{name}2", name)]
            connection.executemany("INSERT INTO users VALUES (?, ?)", rows)
    looked = filled("users", "import", str(folder), "--dry-run", "--json").json
    done = filled("users", "import", str(folder), "--json").json
    assert looked == done | {"stored": False}
    assert [each["id"] for each in done["people"]] == ["a1", "a2", "b1", "b2"]
    assert [(each["name"], each["people"]) for each in done["same_names"]] == [
        ("Kim", ["a1", "b1"])
    ]
    (command,) = done["same_names"][0]["commands"]
    assert filled(*command.split()[1:]).code == 0
    with workspaces.open() as space:
        assert not space.team.members.required()
        assert space.people.merged_ids("a1") == {"a1", "b1"}


def test_the_first_account_is_announced_as_an_admins(filled: Command) -> None:
    """With the name, and how to make an annotator of this person; not if an admin was asked for."""
    words = ("users", "create", "--email", "li@b.org", "--name", "Li", "--invite")
    filled("init", "other")
    assert "ADMIN" not in filled(*words, "--role", "admin", "-w", "other").err
    made = filled(*words)
    assert re.search("Li <li@b.org> is an ADMIN", made.err)
    assert "users edit li@b.org --role annotator" in made.err
    more = filled("users", "create", "--email", "bo@b.org", "--name", "Bo", "--invite")
    assert "ADMIN" not in more.err


def test_doctor_warns_if_the_only_admin_annotates(team: Typed) -> None:
    """The first account may be an annotator's by accident; its hint ends the warning."""

    def check() -> dict[str, str]:
        found = team("", "doctor", "--json").json
        return next(each for each in found if each["check"] == "accounts")

    assert check()["state"] == "ok"
    team("", "assignments", "create", "--dataset", "pairs", "--person", "ana")
    doubt = check()
    assert doubt["state"] == "warning"
    assert "users edit ana@b.org --role annotator" in doubt["hint"]
    more = ("--name", "olga", "--email", "olga@b.org", "--role", "admin", "--invite")
    assert team("", "users", "create", *more).code == 0
    assert check()["state"] == "ok"


def test_doctor_names_the_only_admin(filled: Command) -> None:
    """An annotator who got the first account by accident has no work yet."""
    for name in ("ana", "bo"):
        words = ("users", "create", "--name", name, "--email", f"{name}@b.org", "--invite")
        assert filled(*words, *(["--role", "annotator"] if name == "bo" else [])).code == 0
    found = {each["check"]: each for each in filled("doctor", "--json").json}["accounts"]
    assert found["state"] == "ok"
    assert "the only admin is ana" in found["message"]
    assert "users list" in found["message"]


def test_names_that_cannot_be_told_apart_are_warned_of(team: Typed) -> None:
    """Several people may have one name; an invisible character is refused."""
    for number, name in enumerate(("ben", "b\u0435n", "Ben")):
        made = team("", "users", "create", "--name", name, "--email", f"{number}@b.org", "--invite")
        assert made.code == 0
        assert "ben <ben@b.org>" in made.err
        assert f"users edit {number}@b.org --name" in made.err
    assert "warning" not in team("", "users", "edit", "0@b.org", "--name", "Benno").err
    assert "ben@b.org" in team("", "users", "edit", "0@b.org", "--name", "BEN").err
    words = ("users", "create", "--name", "b\u200ben", "--email", "zero@b.org", "--invite")
    assert isinstance(team("", *words).error, InvalidInput)


def test_a_deleted_users_address_can_be_used_again(team: Typed) -> None:
    """The hint has the commands, and they work."""
    assert team("", "users", "delete", "ben").code == 0
    words = ("users", "create", "--name", "Benno", "--email", "ben@b.org", "--invite")
    refused = team("", *words)
    assert type(refused.error) is Conflict
    assert "users enable ben@b.org" in refused.error.hint
    assert team("", "users", "delete", "ben@b.org", "--pseudonymize", "--yes").code == 0
    assert team("", *words).code == 0


def test_sessions_are_listed_and_ended(team: Typed) -> None:
    """One by how its id begins, those of a person, all."""
    sessions = [sign_in("ana@b.org", PASSWORD) for _ in range(3)] + [sign_in("ben@b.org", PASSWORD)]
    shown = team("", "users", "sessions", "list")
    assert [line.split()[1] for line in shown.out.splitlines()[1:]] == ["ana"] * 3 + ["ben"]
    assert {each["id"] for each in team("", "users", "sessions", "list", "--json").json} == set(
        sessions
    )
    assert team("", "users", "sessions", "end", sessions[0][:8]).out.endswith(" 1\n")
    assert team("", "users", "sessions", "end", sessions[0][:8]).code == 2
    for words in ((), ("a", "--all"), ("--all",)):
        assert team("", "users", "sessions", "end", *words).code == 2
    assert team("", "users", "sessions", "end", "--person", "ana", "--json").json == {"ended": 2}
    assert team("", "users", "sessions", "end", "--all", "--yes", "--json").json == {"ended": 1}
    assert team("", "users", "sessions", "list", "--json").json == []


def test_with_accounts_a_name_says_nothing(team: Typed) -> None:
    """Neither --as, nor the login name: whoever works is signed in, or is the account of a user."""
    for words in ((), ("--as", "ben")):
        refused = team("", "datasets", "clear", "--mine", "--yes", *words)
        assert type(refused.error) is NotAllowed
        assert "tui-annotate users edit PERSON --unix-user NAME" in refused.error.hint


def test_somebody_elses_user_may_what_their_account_may(
    team: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At a shell, the owner of the store's file may all; others are who their user name says."""
    monkeypatch.setattr("os.geteuid", lambda: 65534)
    monkeypatch.setattr("pwd.getpwuid", lambda _: type("User", (), {"pw_name": "benjamin"}))
    stranger = team("", "status")
    assert type(stranger.error) is NotAllowed
    with workspaces.open() as space:
        space.team.accounts.update("ben", unix_user="benjamin")
    assert team("", "status").code == 0
    for words in (
        ("users", "list"),
        ("users", "sessions", "list"),
        ("datasets", "delete", "pairs", "--yes"),
    ):
        refused = team("", *words)
        assert type(refused.error) is NotAllowed
        assert "annotator" in refused.error.message
    assert team("", "datasets", "clear", "--mine", "--yes", "--json").json["person"] == "ben"
