"""Password hashes (argon2id, through passlib), tokens and codes; a hash takes about 20 ms."""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from tui_annotate.domain.passwords import normalise_password

_CODE_ALPHABET: Final = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""Characters of invitation codes, without easily confused characters such as 0 and O."""
_HASH_PATTERN: Final = re.compile(
    r"\$argon2id\$v=19\$m=(\d{1,8}),t=(\d{1,3}),p=(\d{1,3})"
    r"\$[A-Za-z0-9+/]{11,86}\$[A-Za-z0-9+/]{16,86}"
)
_MAX_COST: Final = (4_194_304, 64, 64)
"""Maximum memory (KiB), passes and lanes of an imported argon2id hash."""


def is_hash(text: str) -> bool:
    """Return whether a text is an argon2id hash that can be verified in reasonable time."""
    found = _HASH_PATTERN.fullmatch(text)
    asked = tuple(map(int, found.groups())) if found else ()
    return bool(asked) and all(
        0 < value <= most for value, most in zip(asked, _MAX_COST, strict=True)
    )


def _password_bytes(password: str) -> bytes:
    """Return a typed password as bytes; text that is not valid UTF-8 is allowed."""
    return password.encode("utf-8", "surrogatepass")


@dataclass(frozen=True)
class Argon2Hasher:
    """Hashes passwords with argon2id; `time` in passes, `memory` in KiB, `parallelism` in lanes."""

    time: int = 2
    memory: int = 19456
    parallelism: int = 1

    def hash(self, password: str) -> str:
        """Hash a password with a new salt."""
        return str(self._argon2.hash(_password_bytes(normalise_password(password))))

    def verify(self, password: str, known: str) -> bool:
        """Return whether a password matches a hash.

        An empty hash (no account, or an account without a password) takes the same time.
        """
        against = known or self._unusable_hash
        right = bool(self._argon2.verify(_password_bytes(normalise_password(password)), against))
        if (
            not right and normalise_password(password) != password
        ):  # other programs do not normalise to NFC
            right = bool(self._argon2.verify(_password_bytes(password), against))
        return right and bool(known)

    def is_weaker(self, known: str) -> bool:
        """Return whether a hash is cheaper to attack than the current settings require."""
        found = _HASH_PATTERN.fullmatch(known)
        if found is None:
            return True
        memory, time, parallelism = map(int, found.groups())
        return memory < self.memory or time < self.time or parallelism < self.parallelism

    @cached_property
    def _unusable_hash(self) -> str:
        """Well-formed hash that matches no known password; created without hashing."""
        cost = f"m={self.memory},t={self.time},p={self.parallelism}"
        salt, digest = (base64.b64encode(bytes(size)).decode().rstrip("=") for size in (16, 32))
        return f"$argon2id$v=19${cost}${salt}${digest}"

    @cached_property
    def _argon2(self) -> Any:
        # passlib looks for `crypt` and for argon2's version in deprecated ways; these warnings
        # do not concern users, and must not stop a run that treats warnings as errors.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            from passlib.hash import argon2

            hasher: Any = argon2
            hasher.get_backend()
        return hasher.using(
            type="ID", rounds=self.time, memory_cost=self.memory, parallelism=self.parallelism
        )


_CODE_GROUPS: Final = 5
_CODE_GROUP_SIZE: Final = 5


def new_token() -> str:
    """Return a random session token: 256 bits as URL-safe text."""
    return secrets.token_urlsafe(32)


def new_code() -> str:
    """Return a random invitation code: 125 bits, in groups that can be read aloud."""
    groups = (
        "".join(secrets.choice(_CODE_ALPHABET) for _ in range(_CODE_GROUP_SIZE))
        for _ in range(_CODE_GROUPS)
    )
    return "-".join(groups)


def hash_token(token: str) -> str:
    """Return the hash under which a session token is stored."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def hash_code(code: str) -> str:
    """Return the hash under which an invitation code is stored; ignores case, blanks and dashes."""
    return hash_token("".join(code.split()).replace("-", "").upper())
