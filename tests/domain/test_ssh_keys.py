"""Public keys are read as OpenSSH reads them, and anything that is not plainly one is refused."""

from __future__ import annotations

import base64
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.errors import has_code
from tui_annotate.domain.errors import Conflict, InvalidInput
from tui_annotate.domain.ssh_keys import (
    PublicKey,
    format_authorized_key,
    parse_entry,
    parse_key,
    replace_lines,
)

# Made for this test; whatever unlocks them was thrown away.
ED25519 = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + "A" * 42 + "B"
needs_ssh_keygen = pytest.mark.skipif(
    shutil.which("ssh-keygen") is None, reason="no ssh-keygen on this machine"
)


def blob(*fields: bytes) -> str:
    """Strings behind their lengths, in base64."""
    return base64.b64encode(b"".join(len(f).to_bytes(4, "big") + f for f in fields)).decode()


def rsa(bits: int, exponent: int = 65537) -> str:
    """A line with a number of so many bits where an RSA modulus stands."""
    modulus = ((1 << (bits - 1)) | 1).to_bytes(bits // 8 + 1, "big")
    return f"ssh-rsa {blob(b'ssh-rsa', exponent.to_bytes(3, 'big'), modulus)}"


POINT = b"\x04" + bytes(range(64))
HELD = blob(b"sk-ssh-ed25519@openssh.com", bytes(32), b"ssh:")
HELD_POINT = blob(b"sk-ecdsa-sha2-nistp256@openssh.com", b"nistp256", POINT, b"ssh:lab")
CURVE = blob(b"ecdsa-sha2-nistp256", b"nistp256", POINT)


@pytest.mark.parametrize(
    "line",
    [
        ED25519,
        rsa(2048),
        f"ecdsa-sha2-nistp256 {CURVE}",
        f"sk-ssh-ed25519@openssh.com {HELD}",
        f"sk-ecdsa-sha2-nistp256@openssh.com {HELD_POINT}",
    ],
)
def test_a_key_is_read_with_its_comment(line: str) -> None:
    """Comments of the file and blank lines are passed over, the key's own comment is kept."""
    key = parse_key(f"# mine\n\n{line}  ana@desk\tand more \n")
    assert key.line == line
    assert key.comment == "ana@desk\u2409and more"
    assert parse_key(line).comment == ""


@needs_ssh_keygen
@pytest.mark.parametrize(
    "how",
    [
        ["-t", "ed25519"],
        ["-t", "rsa", "-b", "2048"],
        *(["-t", "ecdsa", "-b", n] for n in ("256", "384", "521")),
    ],
    ids=" ".join,
)
def test_the_fingerprint_is_openssh_s(how: list[str], tmp_path: Path) -> None:
    """`ssh-keygen -l` prints the same for every kind that it makes."""
    file = tmp_path / "key"
    subprocess.run(["ssh-keygen", *how, "-N", "", "-q", "-C", "a b", "-f", str(file)], check=True)
    public = file.with_suffix(".pub")
    report = subprocess.run(
        ["ssh-keygen", "-l", "-f", str(public)], capture_output=True, text=True, check=True
    )
    key = parse_key(public.read_text("utf-8"))
    assert report.stdout.split()[1] == key.fingerprint
    with pytest.raises(InvalidInput, check=has_code("private-key")):
        parse_key(file.read_text("utf-8"))


REFUSED = {
    "private": ("-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n", "private key"),
    "putty": ("PuTTY-User-Key-File-3: ssh-ed25519\n", "private key"),
    "other form": ("---- BEGIN SSH2 PUBLIC KEY ----\nAAAA\n", "not in OpenSSH format"),
    "nothing": ("# only words\n", "no key"),
    "two": (f"{ED25519}\n{ED25519}\n", "2 keys"),
    "dsa": ("ssh-dss AAAAB3NzaC1kc3MAAACB", "DSA"),
    "certificate": (f"ssh-ed25519-cert-v01@openssh.com {HELD}", "certificate"),
    "options": (f'command="/bin/sh" {ED25519}', "not a key type"),
    "more options": (f"no-pty {ED25519}", "not a key type"),
    "short rsa": (rsa(1024), "1024 bits"),
    "even exponent": (rsa(2048, 65536), "not a valid key of type ssh-rsa"),
    "huge rsa": (rsa(32768), "not a valid key of type ssh-rsa"),
    "another key's name": (
        ED25519.replace("ssh-ed25519", "ssh-rsa"),
        "not a valid key of type ssh-rsa",
    ),
    "negative numbers": (
        f"ssh-rsa {blob(b'ssh-rsa', bytes([255]), bytes([255]))}",
        "not a valid key of type ssh-rsa",
    ),
    "short": (
        f"ssh-ed25519 {blob(b'ssh-ed25519', bytes(31))}",
        "not a valid key of type ssh-ed25519",
    ),
    "with a tail": (
        f"ssh-ed25519 {blob(b'ssh-ed25519', bytes(32), b'')}",
        "not a valid key of type ssh-ed25519",
    ),
    "compressed point": (
        f"ecdsa-sha2-nistp256 {blob(b'ecdsa-sha2-nistp256', b'nistp256', bytes([2]) * 33)}",
        "not a valid key of type ecdsa",
    ),
    "other application": (
        f"sk-ssh-ed25519@openssh.com {blob(b'sk-ssh-ed25519@openssh.com', bytes(32), b'web')}",
        "not a valid key of type sk-ssh",
    ),
    "cut": (ED25519[:-6], "truncated or damaged"),
    "no base64": ("ssh-ed25519 AAAA*AAAA", "truncated or damaged"),
    "bare": ("ssh-ed25519", "not a valid key of type ssh-ed25519"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_plain_key_is_refused(case: str) -> None:
    """Each with its reason, and without the text itself in it."""
    text, reason = REFUSED[case]
    with pytest.raises(InvalidInput, match=reason) as raised:
        parse_key(text, "ana.pub")
    assert "ana.pub" in raised.value.message
    assert raised.value.hint
    assert "AAAAC3" not in raised.value.message


@given(st.binary(max_size=80), st.sampled_from(["ssh-ed25519", "ssh-rsa", "ecdsa-sha2-nistp256"]))
def test_no_bytes_break_the_reader(raw: bytes, kind: str) -> None:
    """Whatever stands where a key should: a key or a refusal, nothing else."""
    try:
        key = parse_key(f"{kind} {base64.b64encode(raw).decode()}")
    except InvalidInput:
        return
    assert base64.b64decode(key.blob) == raw


def test_one_key_has_one_spelling() -> None:
    """Bits behind the end, which base64 has room for, make no other key of it."""
    spare = CURVE.removesuffix("=")
    other = chr(ord(spare[-1]) + 1)
    key = parse_key(f"ecdsa-sha2-nistp256 {spare[:-1]}{other}=")
    assert key == PublicKey("ecdsa-sha2-nistp256", CURVE)


NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)
PATHS = st.text(
    st.characters(exclude_categories=["Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"]), min_size=1
)


@given(PATHS, NAMES)
def test_sshd_reads_the_command_that_was_bound(path: str, name: str) -> None:
    """Whatever folder and person are called: one line, one command, one key."""
    command = shlex.join(["python", "-I", "-m", "tui_annotate", "ssh", "session", "p", "-w", path])
    line = format_authorized_key(ED25519, command=command, name=name)
    assert line.splitlines() == [line]
    entry = parse_entry(line)
    assert entry is not None
    assert entry.key == ED25519
    assert entry.options == {"restrict": "", "pty": "", "command": command}
    assert shlex.split(entry.options["command"])[-1] == path


@pytest.mark.parametrize("command", ["a\nb", "a\x1b", "a\\", "\u202ea", "a\udc80"])
def test_a_command_that_can_not_be_quoted_is_refused(command: str) -> None:
    """Control characters, and a backslash in front of the quotation mark that ends it."""
    with pytest.raises(InvalidInput, check=has_code("command-unquotable")):
        format_authorized_key(ED25519, command=command, name="ana")


def test_lines_of_others_are_understood() -> None:
    """Comments, lines without options, options with blanks, and what is no key at all."""
    assert parse_entry("  # ours") is None
    assert parse_entry("") is None
    plain = parse_entry(f"{ED25519} ana@desk")
    assert plain is not None
    assert (plain.options, plain.key) == ({}, ED25519)
    forced = parse_entry(f'No-Pty,from="a, b",command="say \\"x y\\"" {ED25519} me')
    assert forced is not None
    assert forced.options == {"no-pty": "", "from": "a, b", "command": 'say "x y"'}
    assert forced.key == ED25519
    odd = parse_entry("nonsense of some kind")
    assert odd is not None
    assert odd.key == ""


OTHERS = f'# an admin\n\nfrom="10.0.0.1" {ED25519} admin'
MINE = format_authorized_key(ED25519[:-1] + "C", command="session ana", name="ana")
NEXT = format_authorized_key(ED25519[:-1] + "D", command="session ben", name="ben")


def test_our_lines_are_replaced_and_those_of_others_stay() -> None:
    """Written twice, changed, emptied: what stands around them is as it was, to the byte."""
    first = replace_lines(OTHERS, [MINE], of="/srv/a")
    assert first.startswith(f"{OTHERS}\n# tui-annotate begins: /srv/a\n{MINE}\n")
    assert replace_lines(first, [MINE], of="/srv/a") == first
    more = first + "# behind\n"
    both = replace_lines(more, [MINE, NEXT], of="/srv/a")
    assert both.count(NEXT) == 1
    assert replace_lines(both, [], of="/srv/a") == f"{OTHERS}\n# behind\n"
    assert replace_lines("", [], of="/srv/a") == ""


def test_two_workspaces_share_a_file() -> None:
    """Each replaces its own lines alone."""
    text = replace_lines(replace_lines("", [MINE], of="/a"), [NEXT], of="/b")
    assert replace_lines(text, [], of="/a") == replace_lines("", [NEXT], of="/b")


@pytest.mark.parametrize("of", ["/a", "/b"])
def test_a_key_that_sshd_would_find_elsewhere_is_refused(of: str) -> None:
    """In front of our lines, behind them, or in those of another workspace."""
    plain = f"{ED25519[:-1]}C ana@desk\n"
    for text in (
        plain + replace_lines("", [NEXT], of="/a"),
        replace_lines("", [MINE], of="/c") + plain,
    ):
        with pytest.raises(Conflict):
            replace_lines(text, [MINE], of=of)


@pytest.mark.parametrize("lost", ["begins", "ends"])
def test_damaged_marks_are_refused(lost: str) -> None:
    """A beginning without an end, or the reverse, is told with its line."""
    text = replace_lines("", [MINE], of="/a")
    damaged = "\n".join(line for line in text.split("\n") if f"# tui-annotate {lost}" not in line)
    with pytest.raises(Conflict):
        replace_lines(damaged, [MINE], of="/a")
