"""Strict parser of OpenSSH public keys and of the lines of an `authorized_keys` file.

Private keys, certificates, weak keys and options are rejected; messages never quote a key.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from tui_annotate.domain.errors import Conflict, InvalidInput
from tui_annotate.domain.terminal_text import make_line_visible

LEAST_RSA_BITS: Final = 2048
MOST_RSA_BITS: Final = 16384
LONGEST: Final = 20_000
"""Maximum number of bytes read from a public key file; the longest valid key has 3 kB."""

_ED25519_BYTES: Final = 32
_POINTS: Final = {"nistp256": 65, "nistp384": 97, "nistp521": 133}

_PRIVATE: Final = re.compile(r"PRIVATE KEY|PuTTY-User-Key-File|SSH PRIVATE KEY")
_OTHER_FORM: Final = re.compile(r"---- BEGIN SSH2 PUBLIC KEY|-----BEGIN [A-Z ]*PUBLIC KEY")
_MAKE_HINT: Final = "create a new key: ssh-keygen -t ed25519"
_PUB_HINT: Final = "give the .pub file that ssh-keygen writes"


@dataclass(frozen=True, slots=True)
class PublicKey:
    """An SSH public key.

    Attributes:
        kind: algorithm, for example `ssh-ed25519`.
        blob: the key itself in Base64.
    """

    kind: str
    blob: str
    comment: str = ""

    @property
    def line(self) -> str:
        """The key as OpenSSH files write it, without its comment."""
        return f"{self.kind} {self.blob}"

    @property
    def fingerprint(self) -> str:
        """The key's SHA-256 fingerprint in the form that `ssh-keygen -l` prints."""
        digest = hashlib.sha256(base64.b64decode(self.blob)).digest()
        return "SHA256:" + base64.b64encode(digest).decode().rstrip("=")


def parse_key(text: str, where: str = "this file") -> PublicKey:
    """Parse the only public SSH key in a text, without blank lines, comments; or InvalidInput."""
    if _PRIVATE.search(text):
        raise InvalidInput(
            f"{where} contains a private key, which must stay on its owner's machine",
            _PUB_HINT,
            code="private-key",
        )
    if _OTHER_FORM.search(text):
        raise InvalidInput(
            f"{where} contains a key that is not in OpenSSH format",
            "convert the key: ssh-keygen -i -f FILE",
        )
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")]
    if len(lines) != 1:
        many = f"{len(lines)} keys" if lines else "no key"
        raise InvalidInput(f"{where} contains {many}", f"give exactly one public key; {_PUB_HINT}")
    return _parse_line(lines[0], where)


def _parse_line(line: str, where: str) -> PublicKey:
    kind, _, rest = line.partition(" ")
    blob, _, comment = rest.strip().partition(" ")
    if "-cert-v01@" in kind:
        raise InvalidInput(
            f"{where} contains a certificate ({kind}) instead of a key",
            "give the public key instead of its certificate",
        )
    if kind == "ssh-dss":
        raise InvalidInput(f"{where} contains a DSA key, which is weak", _MAKE_HINT)
    check = _CHECKS.get(kind)
    if check is None:
        raise InvalidInput(
            f"{where} begins with {make_line_visible(kind[:40])!r}, which is not a key type",
            f"give a key without options, of one of these types: {', '.join(_CHECKS)}",
        )
    try:
        raw = base64.b64decode(blob, validate=True)
        fields = _read_fields(raw)
    except (binascii.Error, ValueError) as error:
        raise InvalidInput(f"the key in {where} is truncated or damaged", _PUB_HINT) from error
    if not fields or fields[0] != kind.encode() or not check(fields[1:]):
        raise InvalidInput(f"the key in {where} is not a valid key of type {kind}", _PUB_HINT)
    bits = int.from_bytes(fields[-1], "big").bit_length()
    if kind == "ssh-rsa" and bits < LEAST_RSA_BITS:
        raise InvalidInput(
            f"{where} contains an RSA key of {bits} bits; the minimum is {LEAST_RSA_BITS}",
            _MAKE_HINT,
        )
    whole = base64.b64encode(raw).decode()  # canonical base64: equal keys compare equal
    return PublicKey(kind, whole, make_line_visible(comment.strip()))


def _read_fields(raw: bytes) -> list[bytes]:
    """Split a binary SSH key into parts, each after its length in four bytes; or ValueError."""
    fields = []
    at = 0
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


def _security_key(plain: Callable[[list[bytes]], bool]) -> Callable[[list[bytes]], bool]:
    """Return a function that checks an SSH key on a hardware token."""
    return lambda fields: plain(fields[:-1]) and fields[-1].startswith(b"ssh:")


_CHECKS: Final[Mapping[str, Callable[[list[bytes]], bool]]] = {
    "ssh-ed25519": _is_ed25519,
    "sk-ssh-ed25519@openssh.com": _security_key(_is_ed25519),
    "ecdsa-sha2-nistp256": partial(_is_point, curve="nistp256"),
    "ecdsa-sha2-nistp384": partial(_is_point, curve="nistp384"),
    "ecdsa-sha2-nistp521": partial(_is_point, curve="nistp521"),
    "sk-ecdsa-sha2-nistp256@openssh.com": _security_key(partial(_is_point, curve="nistp256")),
    "ssh-rsa": _is_rsa,
}


def _begins_with_key(line: str) -> bool:
    kind = line.partition(" ")[0]
    return kind in _CHECKS or kind == "ssh-dss" or "-cert-v01@" in kind


def format_authorized_key(key: str, *, command: str, name: str) -> str:
    """Return an `authorized_keys` line that allows one shell command only; or InvalidInput."""
    if command != make_line_visible(command) or command.endswith("\\"):
        raise InvalidInput(
            f"the command {command!r} cannot be written to authorized_keys",
            "choose a workspace folder whose name has only letters, digits, - and _",
            code="command-unquotable",
        )
    # OpenSSH has only one escape inside the quotes: that of the quotation mark.
    quoted = command.replace('"', '\\"')
    return f'restrict,pty,command="{quoted}" {key} {make_line_visible(name)}'


@dataclass(frozen=True, slots=True)
class AuthorizedKey:
    """A line of an `authorized_keys` file as sshd parses it; `key` is empty if unknown."""

    options: Mapping[str, str]
    key: str


def parse_entry(line: str) -> AuthorizedKey | None:
    """Parse a line of an `authorized_keys` file; None for a blank line and for a comment."""
    line = line.strip()
    if not line or line.startswith("#"):
        return None
    options: Mapping[str, str] = {}
    if not _begins_with_key(line):
        options, line = _parse_options(line)
    kind, _, rest = line.partition(" ")
    return AuthorizedKey(options, f"{kind} {rest.split(' ')[0]}" if _begins_with_key(line) else "")


def check_authorized_keys(text: str, *, where: str) -> None:
    """Check that a file has an ssh key, or nothing but comments and blank lines.

    Raises:
        InvalidInput: the lines are not those of an `authorized_keys` file.
    """
    lines = text.splitlines()
    entries = {
        number: entry for number, line in enumerate(lines, 1) if (entry := parse_entry(line))
    }
    if not entries or any(entry.key for entry in entries.values()):
        return
    first, last = min(entries), max(entries)
    named = f"line {first} is" if first == last else f"lines {first} to {last} are"
    shown = "a private key" if _PRIVATE.search(text) else repr(lines[first - 1].strip()[:40])
    raise InvalidInput(
        f"{where} is not an authorized_keys file: {named} no ssh key; line {first}: {shown}",
        "name the file authorized_keys of the user whose name people use for ssh; for a new file,"
        " name one that does not exist",
        code="no-authorized-keys",
    )


_OPTION: Final = re.compile(r'([A-Za-z0-9-]+)(?:="((?:\\"|[^"])*)")?')


def _parse_options(line: str) -> tuple[dict[str, str], str]:
    found: dict[str, str] = {}
    at = 0
    while option := _OPTION.match(line, at):
        found[option[1].lower()] = (option[2] or "").replace('\\"', '"')
        at = option.end()
        if line.startswith(",", at):
            at += 1
    return found, line[at:].strip()


def replace_lines(text: str, lines: Sequence[str], *, of: str) -> str:
    """Replace the lines of one workspace in the text of an `authorized_keys` file.

    `of`: the workspace's folder, named in the marker comments around its lines.

    Raises:
        Conflict: another line has one of the workspace's keys, and sshd could use that line, or the
            marker comments are damaged.
    """
    begin = f"# tui-annotate begins: {of}"
    end = f"# tui-annotate ends: {of}"
    there = text.removesuffix("\n").split("\n") if text else []
    marks = [at for at, line in enumerate(there) if line in (begin, end)]
    if [there[at] for at in marks] not in ([], [begin, end]):
        raise Conflict(
            f"line {marks[0] + 1} is a start mark or an end mark of tui-annotate, but the matching"
            " mark is missing",
            f"remove the lines that name {of}, and run the command again",
        )
    first = marks[0] if marks else len(there)
    last = marks[1] + 1 if marks else len(there)
    ours = {entry.key for entry in map(parse_entry, lines) if entry}
    for number, line in enumerate(there, 1):
        entry = None if first < number <= last else parse_entry(line)
        if entry and entry.key in ours:
            # sshd uses the first line with a key: a foreign line would bypass the forced command.
            raise Conflict(
                f"line {number} contains a user's key, and could bypass the key's forced command",
                f"remove line {number}, or remove the key from the workspace",
            )
    block = [begin, *lines, end] if lines else []
    whole = [*there[:first], *block, *there[last:]]
    return "".join(f"{line}\n" for line in whole)
