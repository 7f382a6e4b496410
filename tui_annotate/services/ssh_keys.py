"""Binding SSH keys to people, so that sshd knows who comes; writes no file and starts no sshd."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tui_annotate.domain.errors import Conflict, NotFound
from tui_annotate.domain.people import Actor, Permission, Person, require_permission
from tui_annotate.domain.ssh_keys import format_authorized_key, parse_key, replace_lines
from tui_annotate.domain.terminal_text import make_line_visible
from tui_annotate.storage.people.accounts import OwnedSshKey, SshKeyStore


@dataclass(frozen=True, slots=True)
class SshKeyService:
    """Keys of people with accounts, for managers; `find` looks up a person.

    Raises:
        NotAllowed: every method, where the actor may not manage the workspace.
    """

    keys: SshKeyStore
    find: Callable[[str], Person]
    actor: Actor

    def add(self, person: str, text: str, *, where: str) -> OwnedSshKey:
        """Bind the key in the `text` of the file `where` to a person, by name, address or id.

        Raises:
            InvalidInput: the file holds no supported key.
            NotFound: no account, or several, match.
            Conflict: the key is bound to someone else.
        """
        require_permission(self.actor, Permission.MANAGE)
        key = parse_key(text, where)
        owner = self.find(person)
        if self.keys.add(key, owner.id) != owner.id:
            raise Conflict(
                f"the key {key.fingerprint} is somebody else's already",
                f"tui-annotate ssh key remove {key.fingerprint}",
            )
        return next(bound for bound in self.list_keys() if bound.fingerprint == key.fingerprint)

    def list_keys(self) -> tuple[OwnedSshKey, ...]:
        """Return all bound keys, by the owner's name."""
        require_permission(self.actor, Permission.MANAGE)
        return self.keys.all()

    def remove(self, fingerprint: str) -> None:
        """Unbind a key; it works until `authorized_keys` is updated.

        Raises:
            NotFound: it is bound to nobody.
        """
        require_permission(self.actor, Permission.MANAGE)
        if not self.keys.remove(fingerprint):
            raise NotFound(
                f"no key {fingerprint!r} is bound", "tui-annotate ssh key list shows all"
            )

    def lines(self, session: Sequence[str], *, folder: str) -> list[str]:
        """Return a line of `authorized_keys` for each key, only for its owner's session.

        The person's id is appended to the command `session`.

        Raises:
            InvalidInput: a word of the command is not possible in such a line.
        """
        return [
            format_authorized_key(
                bound.line,
                command=shlex.join([*session, bound.person.id, "-w", folder]),
                name=bound.person.name,
            )
            for bound in self.list_keys()
        ]

    def written(self, text: str, session: Sequence[str], *, folder: str) -> str:
        """Return the text of an `authorized_keys` with our lines updated; `text` may be empty.

        Raises:
            InvalidInput: as `lines`.
            Conflict: our keys are among foreign lines, or the marks are damaged.
        """
        return replace_lines(text, self.lines(session, folder=folder), of=make_line_visible(folder))
