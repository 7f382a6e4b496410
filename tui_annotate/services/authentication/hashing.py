"""Password hashes (argon2id, through passlib), tokens and codes; a hash takes about 20 ms."""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
import warnings
from collections.abc import Iterable
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
"""Maximum memory (KiB), passes and lanes of an imported argon2id password hash."""


def is_hash(text: str) -> bool:
    """Return whether a text is an argon2id hash that can be verified in reasonable time."""
    cost = _parse_cost(text)
    return cost is not None and all(
        0 < value <= most for value, most in zip(cost, _MAX_COST, strict=True)
    )


def _password_bytes(password: str) -> bytes:
    return password.encode("utf-8", "surrogatepass")


_Cost = tuple[int, int, int]
"""Cost of an argon2id password hash: memory in KiB, passes, lanes."""


def _parse_cost(known: str) -> _Cost | None:
    found = _HASH_PATTERN.fullmatch(known)
    return (int(found[1]), int(found[2]), int(found[3])) if found else None


def _unusable_hash(cost: _Cost) -> str:
    """Return a well-formed password hash that matches no known password."""
    salt = base64.b64encode(bytes(16)).decode().rstrip("=")
    digest = base64.b64encode(bytes(32)).decode().rstrip("=")
    memory, time, parallelism = cost
    return f"$argon2id$v=19$m={memory},t={time},p={parallelism}${salt}${digest}"


@dataclass(frozen=True)
class Argon2Hasher:
    """Hashes passwords with argon2id; `time` in passes, `memory` in KiB, `parallelism` in lanes."""

    time: int = 2
    memory: int = 19456
    parallelism: int = 1

    def hash(self, password: str) -> str:
        """Return the hash of a password in NFC, with a random salt and the costs in use."""
        return str(self._argon2.hash(_password_bytes(normalise_password(password))))

    def verify(self, password: str, known: str, *, stored: Iterable[str] = ()) -> bool:
        """Return whether a password matches a hash; an empty hash matches no password.

        Computes a hash for each cost in the settings and in `stored`, so that the time is the same
        for each account, and for none.
        """
        parsed = map(_parse_cost, (known, *stored))
        costs = {self._cost, *(cost for cost in parsed if cost is not None)}
        # Other programs do not normalise to NFC.
        typed = dict.fromkeys((normalise_password(password), password))
        return any(self._matches(each, known, costs=costs) for each in typed)

    def _matches(self, password: str, known: str, *, costs: Iterable[_Cost]) -> bool:
        own = _parse_cost(known)
        right = False
        for cost in costs:  # no early return: the time must not depend on the password
            against = known if cost == own else _unusable_hash(cost)
            matches = bool(self._argon2.verify(_password_bytes(password), against))
            if cost == own:
                right = matches
        return right

    def is_weaker(self, known: str) -> bool:
        """Return whether a password hash is cheaper to attack than the current settings require."""
        cost = _parse_cost(known)
        return cost is None or any(
            value < least for value, least in zip(cost, self._cost, strict=True)
        )

    @property
    def _cost(self) -> _Cost:
        return self.memory, self.time, self.parallelism

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
    """Return a random invitation code for a user: 125 bits, in groups that can be read aloud."""
    groups = (
        "".join(secrets.choice(_CODE_ALPHABET) for _ in range(_CODE_GROUP_SIZE))
        for _ in range(_CODE_GROUPS)
    )
    return "-".join(groups)


def hash_token(token: str) -> str:
    """Return the SHA-256 under which a session token is stored, in hex."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def hash_code(code: str) -> str:
    """Return the hash under which an invitation code is stored; ignores case, blanks and dashes."""
    return hash_token("".join(code.split()).replace("-", "").upper())
