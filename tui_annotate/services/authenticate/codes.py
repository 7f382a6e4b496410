"""Secrets that are given out once: tokens of sessions, codes of invitations, and their hashes."""

from __future__ import annotations

import hashlib
import secrets
from typing import Final

_LETTERS: Final = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""What is easily told apart when it is read out or copied by hand."""
_GROUPS: Final = 5
_GROUP: Final = 5


def new_token() -> str:
    """256 random bits."""
    return secrets.token_urlsafe(32)


def new_code() -> str:
    """125 random bits, in groups that can be read out."""
    groups = ("".join(secrets.choice(_LETTERS) for _ in range(_GROUP)) for _ in range(_GROUPS))
    return "-".join(groups)


def token_hash(token: str) -> str:
    """What the store keeps of a token."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def code_hash(code: str) -> str:
    """What the store keeps of a code, however it was typed."""
    return token_hash("".join(code.split()).replace("-", "").upper())
