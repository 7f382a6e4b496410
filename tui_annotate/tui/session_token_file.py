"""The file that keeps somebody signed in: one for each store, for its owner's eyes alone."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from tui_annotate.domain.errors import Unavailable
from tui_annotate.settings import state_folder

_LONGEST: Final = 4096  # bytes; a token has some dozens
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True, slots=True)
class StoredToken:
    """What resumes a session, a secret; and the address to ask the password for."""

    token: str
    email: str


@dataclass(frozen=True, slots=True)
class TokenFile:
    """Where a token is kept; it need not exist."""

    path: Path

    @classmethod
    def of(cls, workspace: Path) -> TokenFile:
        """The file of a workspace."""
        name = sha256(str(workspace.resolve()).encode("utf-8", "surrogateescape")).hexdigest()
        return cls(state_folder() / f"signed-in-{name[:16]}")

    def read(self) -> StoredToken | None:
        """What was kept; None where there is nothing.

        Raises:
            Unavailable: others can read the file, so it is not used; or it can not be read.
        """
        try:
            handle = os.open(self.path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._unusable(f"can not be read: {error.strerror}") from error
        with os.fdopen(handle, "rb") as file:
            facts = os.fstat(handle)
            if hasattr(os, "getuid") and (facts.st_uid != os.getuid() or facts.st_mode & _OTHERS):
                raise self._unusable("can be read by others")
            token, _, email = file.read(_LONGEST).decode("utf-8", "replace").partition("\n")
        return StoredToken(token.strip(), email.strip()) if token.strip() else None

    def keep(self, kept: StoredToken) -> None:
        """Writes the file anew, with mode 0600; it appears whole or not at all.

        Raises:
            Unavailable: it can not be written.
        """
        unfinished = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            unfinished.unlink(missing_ok=True)
            handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(f"{kept.token}\n{kept.email}\n")
            unfinished.replace(self.path)
        except OSError as error:
            raise Unavailable(
                f"you can not stay signed in, {error.strerror or error}: {self.path}",
                "you are signed in until you leave",
            ) from error

    def forget(self) -> None:
        """Takes the file away; one that can not be taken away is left."""
        with suppress(OSError):
            self.path.unlink(missing_ok=True)

    def _unusable(self, why: str) -> Unavailable:
        return Unavailable(
            f"what kept you signed in {why}, so it is not used: {self.path}",
            "it is written anew when you sign in",
        )
