"""The key of the pseudonyms: a file of its own, made once; another one is never taken unnoticed."""

from __future__ import annotations

import hmac
import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tui_annotate.domain.errors import Conflict, InvalidInput, NotFound, Unavailable
from tui_annotate.services.export.pseudonyms import KEY_BYTES

BEGIN_ANEW: Final = "tui-annotate pseudonyms new-key"


def _nothing() -> str | None:
    return None


def _forget(mark: str) -> None:
    del mark


@dataclass(slots=True)
class Keys:
    """The key in a file, for its owner alone.

    Attributes:
        remembered: gives the mark of the key that was used before; None where there was none.
        remember: keeps the mark of a key; it tells nothing of the key.
        made: whether the file was made by this object.
    """

    path: Path
    remembered: Callable[[], str | None] = _nothing
    remember: Callable[[str], None] = _forget
    made: bool = False

    def current(self) -> bytes:
        """The key; made at the first use.

        Raises:
            NotFound: there was one, and the file is not there.
            Conflict: the file holds another one than was used before.
            InvalidInput: the file holds no key.
            Unavailable: the file can not be read or written.
        """
        before, key = self.remembered(), self._read()
        if key is None and before is not None:
            raise NotFound(
                f"the key of the pseudonyms is not at {self.path}",
                f"put it back; or give everybody another word from now on: {BEGIN_ANEW}",
            )
        if key is None:
            key = self._make()
        if before is None:
            self.remember(mark(key))
        elif before != mark(key):
            raise Conflict(
                f"{self.path} holds another key than the pseudonyms were made with",
                f"put that one back; or give everybody another word from now on: {BEGIN_ANEW}",
            )
        return key

    def renew(self) -> None:
        """Puts a new key in the place of the one that is there, or was.

        Raises:
            Unavailable: the file can not be written.
        """
        try:
            self.path.unlink(missing_ok=True)
        except OSError as error:
            raise self._unavailable(error, "written") from error
        self.remember(mark(self._make()))

    def open_to_others(self) -> bool:
        """Whether anybody but the file's owner may read it."""
        return self.path.exists() and bool(self.path.stat().st_mode & 0o077)

    def _read(self) -> bytes | None:
        try:
            text = self.path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._unavailable(error, "read") from error
        try:
            key = bytes.fromhex(text.decode("ascii"))
        except ValueError:
            key = b""
        if len(key) != KEY_BYTES:
            raise InvalidInput(
                f"{self.path} holds no key of pseudonyms", f"one is {2 * KEY_BYTES} hex digits"
            )
        return key

    def _make(self) -> bytes:
        key = secrets.token_bytes(KEY_BYTES)
        try:
            # Another process may make one at this moment: then that one is in force.
            place = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            return self._read() or self._make()
        except OSError as error:
            raise self._unavailable(error, "written") from error
        with os.fdopen(place, "wb") as file:
            file.write(f"{key.hex()}\n".encode())
            file.flush()
            os.fsync(file.fileno())
        self.made = True
        return key

    def _unavailable(self, error: OSError, what: str) -> Unavailable:
        return Unavailable(
            f"{self.path} can not be {what}: {error.strerror}",
            "it holds the key of the pseudonyms, for whoever owns the workspace",
        )


def mark(key: bytes) -> str:
    """What tells a key from others and nothing of it."""
    return hmac.digest(key, b"mark", "sha256")[:8].hex()
