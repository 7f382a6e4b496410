"""Binding keys: what sshd will let in is what was bound, and nothing else."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from tests.helpers.ssh_keys import KEYS, account
from tests.helpers.stores import new_database
from tui_annotate.domain.errors import Conflict, InvalidInput, NotAllowed, NotFound
from tui_annotate.domain.people import OPERATOR, Actor, Person, Role
from tui_annotate.domain.ssh_keys import parse_entry
from tui_annotate.services.ssh_keys import SshKeyService
from tui_annotate.storage.people.accounts import SshKeyStore

SESSION = ("/opt/a b/python", "-I", "-m", "tui_annotate", "ssh", "session")


@pytest.fixture
def bind(tmp_path: Path) -> SshKeyService:
    """Keys of ana and ben, none bound yet."""
    database = new_database(tmp_path)
    people = {name: account(database, name) for name in ("ana", "ben")}

    def find(who: str) -> Person:
        if who not in people:
            raise NotFound(f"{who!r} is no account", "")
        return people[who]

    return SshKeyService(SshKeyStore(database), find, OPERATOR)


def test_a_line_begins_its_owners_session_alone(bind: SshKeyService) -> None:
    """Restricted, with a terminal, and the person's id and the folder as words of one command."""
    bound = bind.add("ana", KEYS[0], where="ana.pub")
    (line,) = bind.lines(SESSION, folder='/srv/it\'s "here" $HOME')
    entry = parse_entry(line)
    assert entry is not None
    assert entry.key == KEYS[0] == bound.line
    assert set(entry.options) == {"restrict", "pty", "command"}
    words = ["anaana", "-w", '/srv/it\'s "here" $HOME']
    assert shlex.split(entry.options["command"]) == [*SESSION, *words]
    assert line.endswith(" ana")


def test_the_key_of_another_is_refused(bind: SshKeyService) -> None:
    """It is told that somebody has it, not who; the same owner may bind it again."""
    bind.add("ana", KEYS[0], where="ana.pub")
    bind.add("ana", KEYS[0] + " other comment", where="ana.pub")
    with pytest.raises(Conflict) as raised:
        bind.add("ben", KEYS[0], where="ben.pub")
    assert "ana" not in raised.value.message
    assert len(bind.list_keys()) == 1


def test_nothing_is_bound_to_nobody(bind: SshKeyService) -> None:
    """An unknown person, a file that holds no key, and a key that is not bound, are refused."""
    with pytest.raises(NotFound, match="'li'"):
        bind.add("li", KEYS[0], where="li.pub")
    with pytest.raises(InvalidInput, match=r"li\.pub"):
        bind.add("ana", "", where="li.pub")
    with pytest.raises(NotFound, match="SHA256:x"):
        bind.remove("SHA256:x")
    assert bind.list_keys() == ()


def test_the_file_follows_the_bound_keys(bind: SshKeyService) -> None:
    """Written after a key was removed, its line is gone and those of others are there."""
    first = bind.add("ana", KEYS[0], where="ana.pub")
    bind.add("ben", KEYS[1], where="ben.pub")
    others = "ssh-rsa AAAA admin\n"
    text = bind.written(others, SESSION, folder="/srv/a", where="f")
    assert text.startswith(others)
    bind.remove(first.fingerprint)
    text = bind.written(text, SESSION, folder="/srv/a", where="f")
    assert KEYS[0] not in text
    assert KEYS[1] in text
    assert text.startswith(others)


def test_a_folder_that_no_line_can_hold_is_refused(bind: SshKeyService) -> None:
    """A line break in its name would begin another line."""
    bind.add("ana", KEYS[0], where="ana.pub")
    with pytest.raises(InvalidInput, match="authorized_keys"):
        bind.written("", SESSION, folder="/srv/a\nssh-ed25519 AAAA", where="f")


@pytest.mark.parametrize("role", [Role.ANNOTATOR, Role.REVIEWER])
def test_keys_are_an_admins(bind: SshKeyService, role: Role) -> None:
    """Whoever may not manage a workspace neither sees nor changes who comes with which key."""
    theirs = replace(bind, actor=Actor("benben", role))
    for deed in (
        lambda: theirs.add("ben", KEYS[0], where="ben.pub"),
        theirs.list_keys,
        lambda: theirs.remove("SHA256:x"),
        lambda: theirs.lines(SESSION, folder="/srv/a"),
    ):
        with pytest.raises(NotAllowed, match="manage"):
            deed()
    assert replace(bind, actor=Actor("anaana", Role.ADMIN)).list_keys() == ()
