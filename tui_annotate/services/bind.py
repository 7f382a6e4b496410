"""Binding SSH keys to people, so that sshd knows who comes; writes no file and starts no sshd."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tui_annotate.domain.authorized_keys import authorized_line, with_lines
from tui_annotate.domain.errors import Conflict, NotFound
from tui_annotate.domain.people import Actor, Person, Verb, require
from tui_annotate.domain.ssh_keys import parse_key
from tui_annotate.domain.visible import visible_line
from tui_annotate.storage.people.keys import BoundKey, KeyStore


@dataclass(frozen=True, slots=True)
class Bind:
    """Keys of people with accounts, for those who may manage a workspace.

    Attributes:
        find: the person with an account whom a name, an address or an id means.
    """

    keys: KeyStore
    find: Callable[[str], Person]
    actor: Actor

    def add(self, person: str, text: str, *, where: str) -> BoundKey:
        """Binds the key of a file to a person; bound already, it stays so.

        Args:
            person: name, address or id.
            text: what the file holds.
            where: what a message calls the file.

        Raises:
            InvalidInput: the file holds no key that is taken.
            NotFound: nobody with an account is meant, or several are.
            NotAllowed: as every method of this class, for whoever may not manage the workspace.
            Conflict: the key is bound to somebody else.
        """
        require(self.actor, Verb.MANAGE)
        key = parse_key(text, where)
        owner = self.find(person)
        if self.keys.add(key, owner.id) != owner.id:
            raise Conflict(
                f"the key {key.fingerprint} is somebody else's already",
                f"tui-annotate ssh key remove {key.fingerprint}",
            )
        return next(bound for bound in self.listed() if bound.fingerprint == key.fingerprint)

    def listed(self) -> tuple[BoundKey, ...]:
        """Every bound key, by its owner's name."""
        require(self.actor, Verb.MANAGE)
        return self.keys.all()

    def remove(self, fingerprint: str) -> None:
        """Unbinds a key; who comes with it is let in until `authorized_keys` is written anew.

        Raises:
            NotFound: it is bound to nobody.
        """
        require(self.actor, Verb.MANAGE)
        if not self.keys.remove(fingerprint):
            raise NotFound(
                f"no key {fingerprint!r} is bound", "tui-annotate ssh key list shows all"
            )

    def lines(self, session: Sequence[str], *, folder: str) -> list[str]:
        """A line of `authorized_keys` for each key, which can begin its owner's session alone.

        Args:
            session: the words of a command to which the person's id is added.
            folder: the workspace's.

        Raises:
            InvalidInput: a word of the command can not stand in such a line.
        """
        return [
            authorized_line(
                bound.line,
                command=shlex.join([*session, bound.person.id, "-w", folder]),
                name=bound.person.name,
            )
            for bound in self.listed()
        ]

    def written(self, text: str, session: Sequence[str], *, folder: str) -> str:
        """The text of an `authorized_keys` with our lines as they are to be now.

        Args:
            text: what the file holds so far; empty where there is none.
            session, folder: as for `lines`.

        Raises:
            InvalidInput: as `lines`.
            Conflict: it has one of our keys among the lines of others, or damaged marks.
        """
        return with_lines(text, self.lines(session, folder=folder), of=visible_line(folder))
