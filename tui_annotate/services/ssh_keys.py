"""Links SSH keys to users, so that the SSH server can identify a user by the key."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tui_annotate.domain.errors import Conflict, NotFound
from tui_annotate.domain.keyword_names import check_keywords
from tui_annotate.domain.people import Actor, Permission, Person, require_permission
from tui_annotate.domain.ssh_keys import (
    check_authorized_keys,
    format_authorized_key,
    parse_key,
    replace_lines,
)
from tui_annotate.domain.terminal_text import make_line_visible
from tui_annotate.storage.people.accounts import OwnedSshKey, SshKeyStore


@check_keywords
@dataclass(frozen=True, slots=True)
class SshKeyService:
    """Lets admins manage the SSH keys of users with accounts.

    Raises:
        NotAllowed: every method, if the current user is not an admin.
    """

    keys: SshKeyStore
    find: Callable[[str], Person]
    actor: Actor

    def add(self, person: str, text: str, *, where: str) -> OwnedSshKey:
        """Link an SSH key to a user, who is given by name, address or id.

        `where` is the file that contained the key, for messages.

        Raises:
            InvalidInput: the file contains no supported key.
            NotFound: no account matches, or several do.
            Conflict: the key is bound to another user.
        """
        require_permission(self.actor, Permission.MANAGE)
        key = parse_key(text, where)
        owner = self.find(person)
        if self.keys.add(key, owner.id) != owner.id:
            raise Conflict(
                f"the key {key.fingerprint} is bound to another user",
                f"first remove the key: tui-annotate users ssh keys delete {key.fingerprint}",
            )
        return next(bound for bound in self.list_keys() if bound.fingerprint == key.fingerprint)

    def list_keys(self) -> tuple[OwnedSshKey, ...]:
        """Return the keys of all users; NotAllowed unless the user may manage the workspace."""
        require_permission(self.actor, Permission.MANAGE)
        return self.keys.all()

    def remove(self, fingerprint: str) -> None:
        """Remove an SSH key of a user; it works until the file `authorized_keys` is updated.

        Raises:
            NotFound: the key is not bound to a user.
        """
        require_permission(self.actor, Permission.MANAGE)
        if not self.keys.remove(fingerprint):
            raise NotFound(
                f"no key {fingerprint!r} is bound to a user",
                "list all keys with: tui-annotate users ssh keys list",
            )

    def lines(self, session: Sequence[str], *, folder: str) -> list[str]:
        """Return the lines of an `authorized_keys` file that let users start the program.

        The user's id is appended to the command `session`.

        Raises:
            InvalidInput: an argument of the command cannot be written in such a line.
        """
        return [
            format_authorized_key(
                bound.line,
                command=shlex.join([*session, bound.person.id, "-w", folder]),
                name=bound.person.name,
            )
            for bound in self.list_keys()
        ]

    def written(self, text: str, session: Sequence[str], *, folder: str, where: str) -> str:
        """Return the text of an `authorized_keys` file, with tui-annotate's lines updated.

        `where`: the file, for messages.

        Raises:
            InvalidInput: same as for `lines`; or the text is that of a file of another kind.
            Conflict: lines of the program are among foreign lines, or the markers are damaged.
        """
        check_authorized_keys(text, where=where)
        return replace_lines(text, self.lines(session, folder=folder), of=make_line_visible(folder))
