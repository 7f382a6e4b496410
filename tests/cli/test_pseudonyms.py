"""Pseudonyms: `--pseudonymize` of export, convert and agreement, its key, and what is reported."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Command, numbers
from tests.plugins.strategies import DUMP
from tui_annotate import workspace as workspaces
from tui_annotate.domain.errors import InvalidInput, NotAllowed, NotReady
from tui_annotate.domain.people import Actor, Role
from tui_annotate.plugins.traits import RecordTrait
from tui_annotate.services.authentication.account_management import NewAccount

WORD = re.compile(r"person-[0-9a-z]{5}-[0-9a-z]{5}")
ANNOTATOR = json.loads(json.dumps(DUMP))["annotations"][0]["annotator"]


@pytest.fixture
def dump(tmp_path: Path) -> str:
    """A dump of one sample with one annotation, and a comment on it."""
    path = tmp_path / "dump.json"
    said = {"meta_mercury_comments": [{"user_id": "c1", "text": "?"}], "meta_model": "m"}
    path.write_text(json.dumps([DUMP | said]), "utf-8")
    return str(path)


@pytest.fixture
def worked(command: Command, dump: str) -> Command:
    """A workspace that holds it."""
    assert command("init").code == 0
    assert command("ingest", dump, "--embedder", "none").code == 0
    return command


def test_an_export_names_nobody_and_says_what_it_kept(worked: Command) -> None:
    """The key is made once and told; what may name people all the same is told each time."""
    first = worked("export", "--to", "native", "--pseudonymize")
    assert first.code == 0
    key = str(Path.cwd() / "pseudonyms.key")
    made, *report = first.err.splitlines()
    assert key in made
    assert [line for line in report if "mercury_comments" in line and numbers(line) == [2]]
    assert [line for line in report if " model" in line and "mercury_comments" not in line]
    assert [line for line in report if RecordTrait.IMPORTED in line and numbers(line) == [2]]
    assert f'"{ANNOTATOR}"' not in first.out
    again = worked("export", "--to", "native", "--pseudonymize")
    assert again.out == first.out
    assert again.err.splitlines() == report
    csv = worked("export", "--to", "csv", "--pseudonymize").out
    assert set(WORD.findall(csv)) == set(WORD.findall(first.out))


def test_people_and_their_words_are_listed(worked: Command) -> None:
    """So that whoever has the key finds somebody in what was published."""
    (one,) = worked("users", "pseudonyms", "list", "--json").json
    assert one["id"] == ANNOTATOR
    assert one["pseudonym"] in worked("export", "--to", "csv", "--pseudonymize").out
    assert one["pseudonym"] in worked("users", "pseudonyms", "list").out


def test_a_file_is_converted_by_the_same_key(worked: Command, dump: str) -> None:
    """With the key of a workspace a person has the word that they have there."""
    exported = worked("export", "--to", "csv", "--pseudonymize").out
    arguments = ("convert", dump, "-", "--to", "csv", "--pseudonymize")
    converted = worked(*arguments, "--pseudonym-key", "pseudonyms.key")
    assert set(WORD.findall(exported)) == set(WORD.findall(converted.out))
    other = worked(*arguments, "--pseudonym-key", "k")
    assert re.search(r" k\b", other.err.splitlines()[0])
    assert re.fullmatch(r"[0-9a-f]+\s*", Path("k").read_text())
    quiet = worked(*arguments, "--pseudonym-key", "k").err
    assert len(quiet.splitlines()) == len(other.err.splitlines()) - 1
    assert not set(WORD.findall(exported)) & set(WORD.findall(other.out))
    Path("k").chmod(0o644)
    loud = worked(*arguments, "--pseudonym-key", "k").err
    assert len(loud.splitlines()) > len(quiet.splitlines())
    assert "chmod" in loud


def test_convert_asks_for_a_key(command: Command, dump: str) -> None:
    """None is made where nobody would find it again; a key alone does nothing."""
    for more in (["--pseudonymize"], ["--pseudonym-key", "k"]):
        done = command("convert", dump, "-", "--to", "csv", *more)
        assert (done.code, done.out) == (2, "")
        assert type(done.error) is InvalidInput
        assert all(each in done.error.message for each in ("--pseudonymize", "--pseudonym-key"))
    assert not Path("k").exists()


def test_a_lost_key_is_told_and_made_anew_on_request(worked: Command) -> None:
    """Then everybody has another word; nothing is written before."""
    before = worked("export", "--to", "csv", "--pseudonymize").out
    Path("pseudonyms.key").unlink()
    lost = worked("export", "--to", "csv", "--pseudonymize", "-o", "out.csv")
    assert type(lost.error) is NotReady
    assert str(Path.cwd() / "pseudonyms.key") in lost.error.message
    assert "tui-annotate users pseudonyms new-key" in lost.error.hint
    assert not Path("out.csv").exists()
    assert worked("users", "pseudonyms", "new-key", "--yes").code == 0
    after = worked("export", "--to", "csv", "--pseudonymize").out
    assert not set(WORD.findall(before)) & set(WORD.findall(after))


def test_no_copy_holds_the_key(worked: Command, tmp_path: Path) -> None:
    """Not a backup, not a frozen state; a restored workspace asks for it."""
    worked("export", "--to", "csv", "--pseudonymize")
    key = (tmp_path / "pseudonyms.key").read_text().strip()
    assert worked("audit", "snapshots", "create", "paper").code == 0
    assert worked("backup", "create", "copy").code == 0
    files = [each for place in ("copy", "frozen") for each in Path(place).rglob("*")]
    raw = bytes.fromhex(key)
    for file in (each for each in files if each.is_file()):
        assert key.encode() not in file.read_bytes()
        assert raw not in file.read_bytes()
    assert worked("backup", "restore", "copy", "new").code == 0
    done = worked("export", "-w", "new", "--to", "csv", "--pseudonymize")
    assert type(done.error) is NotReady
    assert str(tmp_path / "new" / "pseudonyms.key") in done.error.message


def test_the_key_can_lie_elsewhere(worked: Command, tmp_path: Path) -> None:
    """Where the settings say, from the workspace's folder."""
    (tmp_path / "disk").mkdir()
    with (tmp_path / "tui-annotate.toml").open("a") as file:
        file.write('pseudonyms_key = "disk/names.key"\n')
    assert worked("export", "--to", "csv", "--pseudonymize").code == 0
    assert (tmp_path / "disk" / "names.key").exists()
    assert not (tmp_path / "pseudonyms.key").exists()


def test_agreement_names_nobody(worked: Command) -> None:
    """Neither the people who are compared nor those who were asked for."""
    plain = worked("agreement", "--json", "--state", "new", "--person", ANNOTATOR)
    assert plain.json["filters"]["people"] == [ANNOTATOR]
    hidden = worked(
        "agreement", "--json", "--state", "new", "--person", ANNOTATOR, "--pseudonymize"
    )
    (asked,) = hidden.json["filters"]["people"]
    assert WORD.fullmatch(asked)


def test_addresses_of_accounts_are_people(worked: Command, tmp_path: Path) -> None:
    """A column that holds somebody's address says the word for them; annotators make no key."""
    with workspaces.open(tmp_path) as space:
        new = NewAccount("li", "li@example.org", password="lamps over water")
        li = space.team.accounts.add(new).person.id
        with pytest.raises(NotAllowed):
            space.acting(Actor(li, Role.ANNOTATOR)).team.pseudonyms.names()
        names = space.team.pseudonyms.names()
        assert names.find_pseudonym("li@example.org") == names.find_pseudonym("li") == names.id(li)
        with pytest.raises(NotAllowed):
            space.acting(Actor(li, Role.REVIEWER)).team.pseudonyms.list_people()
    assert worked("status").code == 0
