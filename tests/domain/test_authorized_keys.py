"""Lines of `authorized_keys`: what was bound is what sshd reads, and others keep theirs."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.domain.test_ssh_keys import ED25519
from tui_annotate.domain.authorized_keys import authorized_line, parse_entry, with_lines
from tui_annotate.domain.errors import Conflict, InvalidInput

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)
PATHS = st.text(
    st.characters(exclude_categories=["Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"]), min_size=1
)


@given(PATHS, NAMES)
def test_sshd_reads_the_command_that_was_bound(path: str, name: str) -> None:
    """Whatever folder and person are called: one line, one command, one key."""
    command = shlex.join(["python", "-I", "-m", "tui_annotate", "session", "p", "-w", path])
    line = authorized_line(ED25519, command=command, name=name)
    assert line.splitlines() == [line]
    entry = parse_entry(line)
    assert entry is not None
    assert entry.key == ED25519
    assert entry.options == {"restrict": "", "pty": "", "command": command}
    assert shlex.split(entry.options["command"])[-1] == path


@pytest.mark.parametrize("command", ["a\nb", "a\x1b", "a\\", "\u202ea", "a\udc80"])
def test_a_command_that_can_not_be_quoted_is_refused(command: str) -> None:
    """Control characters, and a backslash in front of the quotation mark that ends it."""
    with pytest.raises(InvalidInput, match="can not stand in authorized_keys"):
        authorized_line(ED25519, command=command, name="ana")


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
MINE = authorized_line(ED25519[:-1] + "C", command="session ana", name="ana")
NEXT = authorized_line(ED25519[:-1] + "D", command="session ben", name="ben")


def test_our_lines_are_replaced_and_those_of_others_stay() -> None:
    """Written twice, changed, emptied: what stands around them is as it was, to the byte."""
    first = with_lines(OTHERS, [MINE], of="/srv/a")
    assert first.startswith(f"{OTHERS}\n# tui-annotate begins: /srv/a\n{MINE}\n")
    assert with_lines(first, [MINE], of="/srv/a") == first
    more = first + "# behind\n"
    both = with_lines(more, [MINE, NEXT], of="/srv/a")
    assert both.count(NEXT) == 1
    assert with_lines(both, [], of="/srv/a") == f"{OTHERS}\n# behind\n"
    assert with_lines("", [], of="/srv/a") == ""


def test_two_workspaces_share_a_file() -> None:
    """Each replaces its own lines alone."""
    text = with_lines(with_lines("", [MINE], of="/a"), [NEXT], of="/b")
    assert with_lines(text, [], of="/a") == with_lines("", [NEXT], of="/b")


@pytest.mark.parametrize("of", ["/a", "/b"])
def test_a_key_that_sshd_would_find_elsewhere_is_refused(of: str) -> None:
    """In front of our lines, behind them, or in those of another workspace."""
    plain = f"{ED25519[:-1]}C ana@desk\n"
    for text in (plain + with_lines("", [NEXT], of="/a"), with_lines("", [MINE], of="/c") + plain):
        with pytest.raises(Conflict, match="sshd would take that line"):
            with_lines(text, [MINE], of=of)


@pytest.mark.parametrize("lost", ["begins", "ends"])
def test_damaged_marks_are_refused(lost: str) -> None:
    """A beginning without an end, or the reverse, is told with its line."""
    text = with_lines("", [MINE], of="/a")
    damaged = "\n".join(line for line in text.split("\n") if f"# tui-annotate {lost}" not in line)
    with pytest.raises(Conflict, match="counterpart"):
        with_lines(damaged, [MINE], of="/a")
