"""Public keys of SSH as OpenSSH writes them, read strictly.

Private keys, certificates, weak keys and options are refused; a key is never shown in a message.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.visible import visible_line

LEAST_RSA_BITS: Final = 2048
MOST_RSA_BITS: Final = 16384
LONGEST: Final = 20_000
"""Bytes of a key file that are read; the longest key that is taken has 3 kB."""

_ED25519_BYTES: Final = 32
_POINTS: Final = {"nistp256": 65, "nistp384": 97, "nistp521": 133}
"""Bytes of an uncompressed point by its curve."""

_PRIVATE: Final = re.compile(r"PRIVATE KEY|PuTTY-User-Key-File|SSH PRIVATE KEY")
_OTHER_FORM: Final = re.compile(r"---- BEGIN SSH2 PUBLIC KEY|-----BEGIN [A-Z ]*PUBLIC KEY")
_MAKE: Final = "make another: ssh-keygen -t ed25519"
_PUB: Final = "give the file that ends in .pub, as ssh-keygen writes it"


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A key that was read.

    Attributes:
        kind: as `ssh-ed25519`.
        blob: the key itself, in base64.
        comment: what stood behind it; harmless, often a name and a machine.
    """

    kind: str
    blob: str
    comment: str = ""

    @property
    def line(self) -> str:
        """The key without its comment, as OpenSSH writes it."""
        return f"{self.kind} {self.blob}"

    @property
    def fingerprint(self) -> str:
        """SHA256 over the key, as `ssh-keygen -l` prints it."""
        digest = hashlib.sha256(base64.b64decode(self.blob)).digest()
        return "SHA256:" + base64.b64encode(digest).decode().rstrip("=")


def parse_key(text: str, where: str = "this file") -> PublicKey:
    """The one public key of a text; empty lines and lines of comment are passed over.

    Args:
        where: what a message calls the text.

    Raises:
        InvalidInput: there is no key in it, or several, or one that is not taken.
    """
    if _PRIVATE.search(text):
        raise InvalidInput(
            f"{where} holds a private key, which never leaves its owner's machine", _PUB
        )
    if _OTHER_FORM.search(text):
        raise InvalidInput(
            f"{where} holds a key in another form than OpenSSH's",
            "write it anew: ssh-keygen -i -f FILE",
        )
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")]
    if len(lines) != 1:
        many = f"{len(lines)} keys" if lines else "no key"
        raise InvalidInput(f"{where} holds {many}", f"one is bound at a time; {_PUB}")
    return _key(lines[0], where)


def _key(line: str, where: str) -> PublicKey:
    kind, _, rest = line.partition(" ")
    blob, _, comment = rest.strip().partition(" ")
    if "-cert-v01@" in kind:
        raise InvalidInput(f"{where} holds a certificate ({kind})", "bind the key itself")
    if kind == "ssh-dss":
        raise InvalidInput(f"{where} holds a DSA key, which is weak", _MAKE)
    reader = _READERS.get(kind)
    if reader is None:
        raise InvalidInput(
            f"{where} begins with {visible_line(kind[:40])!r}, which is no kind of key",
            f"a key stands alone, without options, and is one of {', '.join(_READERS)}",
        )
    try:
        raw = base64.b64decode(blob, validate=True)
        fields = _fields(raw)
    except (binascii.Error, ValueError) as error:
        raise InvalidInput(f"the key in {where} is cut or damaged", _PUB) from error
    if not fields or fields[0] != kind.encode() or not reader(fields[1:]):
        raise InvalidInput(f"the key in {where} is not the {kind} that it says it is", _PUB)
    bits = int.from_bytes(fields[-1], "big").bit_length()
    if kind == "ssh-rsa" and bits < LEAST_RSA_BITS:
        raise InvalidInput(
            f"{where} holds an RSA key of {bits} bits; {LEAST_RSA_BITS} are the least", _MAKE
        )
    whole = base64.b64encode(raw).decode()  # one spelling a key
    return PublicKey(kind, whole, visible_line(comment.strip()))


def _fields(raw: bytes) -> list[bytes]:
    """The strings of a blob, each behind its length in four bytes.

    Raises:
        ValueError: a length goes beyond the end.
    """
    fields, at = [], 0
    while at < len(raw):
        size = int.from_bytes(raw[at : at + 4], "big")
        if at + 4 + size > len(raw):
            raise ValueError(at)
        fields.append(raw[at + 4 : at + 4 + size])
        at += 4 + size
    return fields


def _is_ed25519(fields: list[bytes]) -> bool:
    return len(fields) == 1 and len(fields[0]) == _ED25519_BYTES


def _is_point(fields: list[bytes], curve: str) -> bool:
    return (
        len(fields) == 2
        and fields[0] == curve.encode()
        and len(fields[1]) == _POINTS[curve]
        and fields[1][0] == 4
    )


def _is_rsa(fields: list[bytes]) -> bool:
    if len(fields) != 2 or not all(each and each[0] < 0x80 for each in fields):
        return False
    exponent, modulus = (int.from_bytes(each, "big") for each in fields)
    odd = exponent % 2 == 1 and modulus % 2 == 1
    return modulus.bit_length() <= MOST_RSA_BITS and exponent >= 3 and odd


def _is_held(plain: Callable[[list[bytes]], bool]) -> Callable[[list[bytes]], bool]:
    """Of a security key: the key and, behind it, the application that it is for."""
    return lambda fields: plain(fields[:-1]) and fields[-1].startswith(b"ssh:")


_READERS: Final[Mapping[str, Callable[[list[bytes]], bool]]] = {
    "ssh-ed25519": _is_ed25519,
    "sk-ssh-ed25519@openssh.com": _is_held(_is_ed25519),
    "ecdsa-sha2-nistp256": partial(_is_point, curve="nistp256"),
    "ecdsa-sha2-nistp384": partial(_is_point, curve="nistp384"),
    "ecdsa-sha2-nistp521": partial(_is_point, curve="nistp521"),
    "sk-ecdsa-sha2-nistp256@openssh.com": _is_held(partial(_is_point, curve="nistp256")),
    "ssh-rsa": _is_rsa,
}


def begins_with_key(line: str) -> bool:
    """Whether a line of `authorized_keys` has no options in front of its key."""
    kind = line.partition(" ")[0]
    return kind in _READERS or kind == "ssh-dss" or "-cert-v01@" in kind
