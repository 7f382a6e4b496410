"""Bundles: one person's work in one file, out and home, and nothing that does not belong there."""

from __future__ import annotations

import io
import json
import os
import shlex
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.cli.conftest import Command, numbers
from tests.helpers.folder_cache import build_once
from tests.helpers.stores import claim
from tests.helpers.suggestions import suggest
from tui_annotate import workspace as workspaces
from tui_annotate.cli import screen
from tui_annotate.cli.bundles import annotate_bundle
from tui_annotate.domain.errors import Conflict, InvalidInput, NotAllowed, NotFound
from tui_annotate.domain.history import Event, chain_event
from tui_annotate.domain.people import Person
from tui_annotate.domain.records import Problem
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.stream_merge import StreamCopy
from tui_annotate.plugins.sync import stream_lines
from tui_annotate.settings import WORKSPACE_FILE
from tui_annotate.storage.log.audit import AuditStore
from tui_annotate.workspace import Workspace, bundles

BRIDGE = SampleKey("pairs", "bridge")
TEA = SampleKey("pairs", "tea")
PRACTICE = SampleKey("training", "p1")


@pytest.fixture
def home(command: Command, pairs: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with two samples; Ana has a note on one of them, Ben a secret on both."""
    monkeypatch.setenv("TUI_ANNOTATE_WORKSPACE", str(pairs.parent / "home"))

    def build(folder: Path) -> None:
        command("init", str(folder))
        ids = ("--id-column", "id", "--group-column", "group")
        assert command("ingest", str(pairs), *ids).code == 0
        with workspaces.open() as space:
            add(space, "Ana", BRIDGE, "anas note")
            for key in (BRIDGE, TEA):
                add(space, "Ben", key, "a secret of Ben")

    return build_once(pairs.parent / "home", "bundles", build)


def add(space: Workspace, name: str, key: SampleKey, note: str, *, start: int = 0) -> Person:
    """One annotation of somebody."""
    person = space.person(name)
    made = claim(f"{name}-{key.id}-{start}-{note}", start, start + 5, label="", note=note)
    space.annotate.add(person.id, key, made, seconds=1)
    return person


def notes(folder: Path, name: str, key: SampleKey) -> list[str]:
    """The notes of somebody on a sample."""
    with workspaces.open(folder) as space:
        stream = space.log.stream(space.person(name).id, key)
        return sorted(each.note for each in stream.annotations)


@pytest.fixture
def bundle(command: Command, home: Path) -> Path:
    """Ana's bundle."""

    def build(folder: Path) -> None:
        del folder  # commands run in it
        made = command("sync", "bundles", "create", "--person", "Ana", "-o", "ana.bundle")
        assert made.code == 0, made.err
        report = made.out.removeprefix("ana.bundle: ")
        assert (numbers(report), "Ana" in report) == ([2, 1], True)

    return build_once(home.parent, "a bundle", build) / "ana.bundle"


def worked_on(bundle: Path, note: str, *, key: SampleKey = TEA, start: int = 0) -> Path:
    """Opens a bundle as `annotate FILE` does, adds a note, and writes it back."""
    folder, came = bundles.open_bundle(bundle)
    person = came.person
    with workspaces.open(folder) as space:
        assert space.person(person.name).id == person.id
        add(space, person.name, key, note, start=start)
    bundles.write_back(bundle, folder)
    return folder


def test_the_printed_command_opens_the_bundle(command: Command, home: Path) -> None:
    """The command has no `-w`, which a bundle refuses, and the quoted name of the file."""
    done = command(
        "-w", str(home), "sync", "bundles", "create", "--person", "Ana", "-o", "a b.bundle"
    )
    words = shlex.split(done.err.partition("on another machine: ")[2])
    assert words == ["tui-annotate", "annotate", "a b.bundle"]
    opened = command(*words[1:])
    assert opened.error is not None
    assert "terminal" in opened.error.message  # of which there is none here
    add_work = (
        "-w",
        str(home),
        "sync",
        "bundles",
        "create",
        "--person",
        "Nil",
        "--create",
        "-o",
        "no/x",
    )
    assert command(*add_work).code == 2
    assert "Nil" not in command("-w", str(home), "users", "list", "--all").out


def test_nobody_elses_work_is_in_it(home: Path, bundle: Path) -> None:
    """Neither notes nor names nor ids of others leave with a bundle."""
    with workspaces.open(home) as space:
        ben = space.person("Ben").id
    with zipfile.ZipFile(bundle) as archive:
        everything = b"".join(archive.read(name) for name in archive.namelist())
    assert b"anas note" in everything
    assert b"secret" not in everything
    assert b'"Ben"' not in everything
    assert ben.encode() not in everything


def test_the_same_store_gives_the_same_bytes(command: Command, bundle: Path) -> None:
    """A bundle that is made twice is the same file."""
    command("sync", "bundles", "create", "--person", "Ana", "-o", "again.bundle")
    assert bundle.read_bytes() == bundle.with_name("again.bundle").read_bytes()


def test_work_goes_out_and_comes_home_once(command: Command, home: Path, bundle: Path) -> None:
    """What was done on a bundle is at home after a merge, and a second one changes nothing."""
    folder = worked_on(bundle, "done away")
    assert notes(folder, "Ana", BRIDGE) == ["anas note"]
    merged = command("sync", "bundles", "merge", str(bundle), "--json")
    assert merged.code == 0, merged.err
    assert (merged.json["samples"], merged.json["events"]) == (1, 1)
    assert notes(home, "Ana", TEA) == ["done away"]
    again = command("sync", "bundles", "merge", str(bundle), "--json").json
    assert (again["samples"], again["events"], again["known"]) == (0, 0, 2)
    with workspaces.open(home) as space:
        assert not list(AuditStore(space.team.database).find_faults())


def test_vectors_and_labels_come_along(home: Path, bundle: Path) -> None:
    """In the working folder the assist has the same vectors, and the same label set is in force."""
    folder, _ = bundles.open_bundle(bundle)
    with workspaces.open(home) as one, workspaces.open(folder) as other:
        assert one.labels.version == other.labels.version
        kept, taken = one.corpus.vector_set(), other.corpus.vector_set()
        assert kept is not None
        assert kept == taken
        assert one.vectors.size(kept.table) == other.vectors.size(kept.table)


@pytest.mark.parametrize("embedder", ["static", "neural:/etc", "neural:~/model"])
def test_a_bundle_brings_neither_an_endpoint_nor_a_path(
    command: Command, home: Path, embedder: str
) -> None:
    """Of the machine that made it; vectors of a model in a folder there are made anew here."""
    text = (home / WORKSPACE_FILE).read_text()
    (home / WORKSPACE_FILE).write_text(f'{text}\nbase_url = "http://evil.example/v1"\n')
    with workspaces.open(home) as space:
        kept = space.corpus.vector_set()
        assert kept is not None
        named = replace(kept, embedder=embedder, base_url="http://evil.example/v1")
        space.corpus.keep_vector_set(named)
    assert command("sync", "bundles", "create", "--person", "Ana", "-o", "ana.bundle").code == 0
    folder, _ = bundles.open_bundle(home.parent / "ana.bundle")
    with workspaces.open(folder) as space:
        taken = space.corpus.vector_set()
        assert taken is not None
        assert (taken.embedder, taken.base_url) == ("static", "")
        assert (space.settings.base_url, space.settings.judge_url) == ("", "")


def test_a_working_folder_of_another_user_is_refused(
    home: Path, bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It lies next to the bundle, where others may have put it."""
    folder, _ = bundles.open_bundle(bundle)
    owner = folder.stat().st_uid
    if owner == 0:
        os.chown(folder, 54_321, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    with pytest.raises(NotAllowed, match="belongs to") as refused:
        bundles.open_bundle(bundle)
    assert "-w" not in refused.value.hint.split()
    assert home.exists()


def test_work_on_both_sides_is_told_with_both_versions(
    command: Command, home: Path, bundle: Path
) -> None:
    """A conflict shows what stands and what is in the log; at home the newest stands."""
    with workspaces.open(home) as space:
        add(space, "Ana", BRIDGE, "at home", start=10)
    worked_on(bundle, "away", key=BRIDGE, start=6)
    merged = command("sync", "bundles", "merge", str(bundle))
    _, conflict, stands, other = merged.out.splitlines()
    assert "pairs/bridge" in conflict
    assert "(merged, " in stands
    assert "(present, " in other
    assert notes(home, "Ana", BRIDGE) == ["anas note", "away"]
    again = command("sync", "bundles", "merge", str(bundle))
    assert "pairs/bridge" not in again.out


def test_a_killed_session_loses_nothing(home: Path, bundle: Path, command: Command) -> None:
    """What is in the working folder alone comes to the file when it is opened again."""
    folder, _ = bundles.open_bundle(bundle)
    with workspaces.open(folder) as space:
        add(space, "Ana", TEA, "before the kill")
    folder, _ = bundles.open_bundle(bundle)
    bundles.write_back(bundle, folder)
    command("sync", "bundles", "merge", str(bundle))
    assert notes(home, "Ana", TEA) == ["before the kill"]


def test_the_screen_writes_back_whatever_happens(
    bundle: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """An error of the screen leaves the bundle with all that was saved."""

    def screen(folder: Path, *, name: str, sample: str, order: str) -> int:
        with workspaces.open(folder) as space:
            add(space, name, TEA, "saved")
        raise RuntimeError(sample + order)

    monkeypatch.setattr("tui_annotate.cli.screen.annotate", screen)
    monkeypatch.setattr("tui_annotate.cli.screen.need_terminal", lambda _: None)
    with pytest.raises(RuntimeError):
        annotate_bundle(bundle, sample="", order="")
    report = capfd.readouterr().err
    assert str(bundle) in report
    assert numbers(report) == [2]
    with zipfile.ZipFile(bundle) as archive:
        assert b"saved" in archive.read("streams.jsonl")


def test_two_copies_of_a_bundle_both_come_home(command: Command, home: Path, bundle: Path) -> None:
    """Worked on in two places, both are in the log, and the newest stands."""
    other = bundle.with_name("copy.bundle")
    other.write_bytes(bundle.read_bytes())
    worked_on(bundle, "first", start=0)
    worked_on(other, "second", start=3)
    command("sync", "bundles", "merge", str(bundle))
    merged = command("sync", "bundles", "merge", str(other), "--json").json
    assert [each["kept"] for each in merged["conflicts"]] == ["there"]
    assert notes(home, "Ana", TEA) == ["second"]
    assert command("sync", "bundles", "merge", str(bundle), "--json").json["events"] == 0


def test_labels_that_were_renamed_meanwhile_are_so_on_what_comes_home(
    command: Command, home: Path, bundle: Path
) -> None:
    """Work under the old name gets the new one, done before or after; it is no conflict."""
    folder, came = bundles.open_bundle(bundle)
    person = came.person
    with workspaces.open(folder) as space:
        for start in (0, 5):
            made = claim(f"l{start}", start, start + 4, label="Benign")
            space.annotate.add(person.id, TEA, made, seconds=1)
    bundles.write_back(bundle, folder)
    command("sync", "bundles", "merge", str(bundle))
    with workspaces.open(folder) as space:
        space.annotate.add(person.id, TEA, claim("l9", 9, 11, label="Benign"), seconds=1)
    bundles.write_back(bundle, folder)
    renamed = command("labels", "rename", "Benign", "Harmless")
    assert renamed.code == 0, renamed.err
    merged = command("sync", "bundles", "merge", str(bundle), "--json").json
    assert (merged["samples"], merged["conflicts"]) == (1, [])
    with workspaces.open(home) as space:
        stream = space.log.stream(person.id, TEA)
        assert {each.labels for each in stream.annotations} == {(("Harmless",),)}
        assert len(stream.annotations) == 3
        assert not list(AuditStore(space.team.database).find_faults())
    assert command("sync", "bundles", "merge", str(bundle), "--json").json["events"] == 0


def test_another_workspace_does_not_take_it(command: Command, pairs: Path, bundle: Path) -> None:
    """A bundle goes home, and nowhere else, also where samples have the same names."""
    command("init", "other")
    command("ingest", "-w", "other", "--id-column", "id", str(pairs))
    refused = command("sync", "bundles", "merge", str(bundle), "-w", "other")
    assert type(refused.error) is Conflict
    assert str(bundle) in refused.error.message
    assert "-w" in refused.error.hint


def rewritten(bundle: Path, change: Callable[[dict[str, bytes]], None]) -> Path:
    """A bundle with other members."""
    with zipfile.ZipFile(bundle) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    with zipfile.ZipFile(bundle, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return bundle


def smuggled(members: dict[str, bytes]) -> None:
    """Work of Ben under Ana's name on the first line."""
    head, *lines = members["streams.jsonl"].splitlines()
    ours = json.loads(lines[0])
    theirs = json.dumps({**ours, "person": "ben"}).encode()
    members["streams.jsonl"] = b"\n".join([head, *lines, theirs, b""])


def another_owner(members: dict[str, bytes]) -> None:
    """All streams are somebody else's, consistently."""
    head = {"format": "tui-annotate-streams/1", "person": {"id": "b", "name": "B"}}
    members["streams.jsonl"] = json.dumps(head).encode() + b"\n"


def altered(members: dict[str, bytes]) -> None:
    """A note that was changed behind the back of the chain."""
    members["streams.jsonl"] = members["streams.jsonl"].replace(b"anas note", b"anas nose")


def traversal(members: dict[str, bytes]) -> None:
    """A member that would lie elsewhere."""
    members["../../evil.txt"] = b"evil"


def bomb(members: dict[str, bytes]) -> None:
    """A member of a hundred megabytes of nothing."""
    members["samples.jsonl"] = b"\0" * (100 * 2**20)


def nested(members: dict[str, bytes]) -> None:
    """A line that would overflow a careless reader."""
    members["streams.jsonl"] += b"[" * 100_000 + b"\n"


def no_form(members: dict[str, bytes]) -> None:
    """A bundle of a form that nobody knows."""
    members["bundle.json"] = b'{"format": "tui-annotate-bundle/99"}'


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (smuggled, "Ana"),
        (another_owner, " B"),
        (altered, "pairs/bridge"),
        (traversal, "'../../evil.txt'"),
        (bomb, "samples.jsonl"),
        (nested, " 100 "),
        (no_form, "tui-annotate-bundle/99"),
        (lambda members: members.pop("guidance.json"), "guidance.json"),
        (lambda members: members.update({"bundle.json": b"\xff\x1b["}), "JSON"),
    ],
)
def test_what_is_not_as_it_was_is_refused_whole(
    change: Callable[[dict[str, bytes]], None],
    says: str,
    command: Command,
    home: Path,
    bundle: Path,
) -> None:
    """Nothing of such a file is taken, the error names it, and no folder is left behind."""
    worked_on(bundle, "done away")
    rewritten(bundle, change)
    before = sorted(bundle.parent.iterdir())
    refused = command("sync", "bundles", "merge", str(bundle))
    assert refused.error is not None
    assert "ana.bundle" in refused.error.message
    assert says in refused.error.message
    assert "\x1b" not in refused.err
    assert notes(home, "Ana", TEA) == []
    assert sorted(bundle.parent.iterdir()) == before


@pytest.mark.parametrize("content", [b"no zip at all", b"%PDF-1.7"])
def test_no_bundle_is_told(content: bytes, command: Command, home: Path) -> None:
    """Any other file is refused in words."""
    (home.parent / "x.bundle").write_bytes(content)
    refused = command("sync", "bundles", "merge", "x.bundle").error
    assert type(refused) is InvalidInput
    assert refused.message.startswith("x.bundle is not a bundle")
    assert type(command("sync", "bundles", "merge", "gone.bundle").error) is NotFound


def _set_byte(raw: bytes, offset: int) -> bytes:
    return raw[:offset] + bytes([raw[offset] ^ 1]) + raw[offset + 1 :]


def _packed_anew(change: Callable[[dict[str, bytes]], object], raw: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def _with_member(name: str, content: bytes, raw: bytes) -> bytes:
    return _packed_anew(lambda members: members.update({name: content}), raw)


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "end lost": lambda raw: raw[: len(raw) // 2],
    "begin of the zip alone": lambda raw: raw[:4],
    "begin lost": lambda raw: raw[100:],
    "an altered byte of a text": lambda raw: _set_byte(raw, 80),
    "an altered byte of the directory": lambda raw: _set_byte(raw, raw.index(b"PK\1\2") + 10),
    "an altered name": lambda raw: raw.replace(b"streams.jsonl", b"streams.json_"),
    "a lost member": partial(_packed_anew, lambda members: members.pop("streams.jsonl")),
    "an unknown member": partial(_with_member, "x", b""),
    "a header that is no JSON": partial(_with_member, "bundle.json", b'{"format": "tui'),
    "a header without values": partial(
        _with_member, "bundle.json", b'{"format": "tui-annotate-bundle/1"}'
    ),
    "streams cut in a line": partial(
        _packed_anew,
        lambda members: members.update({"streams.jsonl": members["streams.jsonl"][:-9]}),
    ),
    "no streams": partial(_with_member, "streams.jsonl", b""),
    "an altered event": partial(_packed_anew, altered),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_bundle_is_invalid_input(damage: str, command: Command, bundle: Path) -> None:
    """Each command that reads the file names it as a damaged bundle, and leaves nothing behind."""
    bundle.write_bytes(DAMAGES[damage](bundle.read_bytes()))
    before = sorted(bundle.parent.iterdir())
    merged = command("sync", "bundles", "merge", str(bundle))
    assert merged.code == 2
    assert merged.error is not None
    assert (str(bundle) in merged.error.message, "damaged bundle" in merged.error.message) == (
        True,
        True,
    )
    with pytest.raises(InvalidInput, match="damaged bundle"):
        bundles.open_bundle(bundle)
    assert sorted(bundle.parent.iterdir()) == before


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("samples.jsonl", b"{"),
        ("guidance.json", b"{"),
        ("guidance.json", b'{"labels": {"": "- {"}, "guidelines": {}}'),
        ("guidance.json", b'{"labels": {"gone": "- A"}, "guidelines": {}}'),
    ],
)
def test_a_bundle_with_damaged_texts_is_not_opened(name: str, content: bytes, bundle: Path) -> None:
    """Samples, label sets and guidelines are checked when a bundle is opened."""
    bundle.write_bytes(_with_member(name, content, bundle.read_bytes()))
    with pytest.raises(InvalidInput, match="damaged bundle"):
        bundles.open_bundle(bundle)
    assert not bundle.with_name(f"{bundle.name}.work").exists()


def test_who_nobody_knows_gets_no_bundle(command: Command, home: Path) -> None:
    """An unknown name is refused with the nearest known one; --create adds the person."""
    refused = command("sync", "bundles", "create", "--person", "Zoe", "-o", "z.bundle")
    assert type(refused.error) is NotFound
    assert "'Zoe'" in refused.error.message
    assert "--create" in refused.error.hint
    near = command("sync", "bundles", "create", "--person", "Anna", "-o", "z.bundle")
    assert near.error is not None
    assert near.error.hint.startswith("did you mean 'Ana'?")
    assert not (home.parent / "z.bundle").exists()
    new = command("sync", "bundles", "create", "--person", "Zoe", "-o", "z.bundle", "--create")
    assert new.code == 0


@pytest.mark.parametrize("same_name", [True, False])
def test_a_merged_person_means_the_owner_of_the_work(
    command: Command, home: Path, *, same_name: bool
) -> None:
    """By name and by id, also if both have the same name."""
    with workspaces.open(home) as space:
        space.people.imported("ana-1", "Ana" if same_name else "Anna")
        ana = space.person("Ana")
    assert command("users", "merge", "ana-1", ana.id).code == 0
    for who in ("Ana" if same_name else "Anna", "ana-1", "Ana", ana.id):
        made = command("sync", "bundles", "create", "--person", who, "-o", "a.bundle", "--json")
        assert (made.code, made.err) == (0, "")
        assert (made.json["person"], made.json["with_work"]) == ("Ana", 1)
        (home.parent / "a.bundle").unlink()


def test_a_handed_out_dataset_gives_what_is_theirs(command: Command, home: Path) -> None:
    """Of a dataset that was shared out only the person's own samples go along."""
    with workspaces.open(home) as space:
        space.person("Zed")
    share = ("--person", "Zed", "--count", "1", "--overlap", "3")
    given = command("assignments", "create", "--dataset", "pairs", *share)
    assert given.code == 0, given.err
    made = command("sync", "bundles", "create", "--person", "Zed", "-o", "z.bundle", "--json")
    assert made.json["samples"] == 1


def test_work_that_is_in_a_bundle_alone_is_not_written_over(
    command: Command, home: Path, bundle: Path
) -> None:
    """A new bundle takes the place of one whose work came home, and of no other."""
    bundle = bundle.rename(bundle.with_name("work of ana.bundle"))
    worked_on(bundle, "new")
    again = ("sync", "bundles", "create", "--person", "Ana", "-o", str(bundle))
    refused = command(*again)
    assert type(refused.error) is Conflict
    assert f"tui-annotate sync bundles merge {shlex.quote(str(bundle))};" in refused.error.hint
    command("sync", "bundles", "merge", str(bundle))
    assert command(*again).code == 0
    assert notes(home, "Ana", TEA) == ["new"]


def test_what_the_file_got_meanwhile_is_not_written_over(
    command: Command, home: Path, bundle: Path
) -> None:
    """A copy that was annotated elsewhere came into the file's place while the screen was open."""
    other = bundle.with_name("other")
    other.mkdir()
    elsewhere = Path(shutil.copy(bundle, other / bundle.name))
    folder, _ = bundles.open_bundle(bundle)
    worked_on(elsewhere, "elsewhere")
    with workspaces.open(folder) as space:
        add(space, "Ana", BRIDGE, "here", start=6)
    elsewhere.replace(bundle)
    bundles.write_back(bundle, folder)
    command("sync", "bundles", "merge", str(bundle))
    assert notes(home, "Ana", TEA) == ["elsewhere"]
    assert "here" in notes(home, "Ana", BRIDGE)


def test_another_bundle_in_the_place_of_the_file_stays_as_it_is(
    command: Command, bundle: Path
) -> None:
    """Leaving the screen writes nothing into what is somebody else's by now."""
    folder, _ = bundles.open_bundle(bundle)
    command("sync", "bundles", "create", "--person", "Ben", "-o", str(bundle))
    before = bundle.read_bytes()
    with pytest.raises(Conflict):
        bundles.write_back(bundle, folder)
    assert bundle.read_bytes() == before


def test_events_chained_anew_bring_no_time_that_is_none(command: Command, bundle: Path) -> None:
    """What could not be shown as a time is refused, also where the chain holds."""
    worked_on(bundle, "new")
    odd = "2026-99-99T99:99:99+00:00"
    rewritten(bundle, partial(chained_anew, lambda event: replace(event, at=odd)))
    merged = command("sync", "bundles", "merge", str(bundle))
    assert isinstance(merged.error, InvalidInput)
    assert f"'{odd}'" in merged.error.message


def test_an_event_takes_the_name_of_no_other(command: Command, home: Path, bundle: Path) -> None:
    """A stream that would is left out alone, and the rest is taken."""
    worked_on(bundle, "new")
    with workspaces.open(home) as space:
        ben = space.people.local("Ben").id
        taken = next(bundles.open_merge_store(space).copies(ben)).events[0].id
    rewritten(bundle, partial(chained_anew, lambda event: replace(event, id=taken)))
    merged = command("sync", "bundles", "merge", str(bundle))
    assert merged.code == 3
    assert "pairs/tea" in merged.err
    assert taken in merged.err
    assert notes(home, "Ana", TEA) == []


def chained_anew(change: Callable[[Event], Event], members: dict[str, bytes]) -> None:
    """All events are changed, in chains that hold."""
    with TemporaryDirectory() as place:
        file = Path(place) / "streams.jsonl"
        file.write_bytes(members["streams.jsonl"])
        owner, copies = stream_lines.read(file)
        report = io.StringIO()
        stream_lines.write(owner, [_anew(copy, change) for copy in copies], report)
    members["streams.jsonl"] = report.getvalue().encode()


def _anew(copy: StreamCopy | Problem, change: Callable[[Event], Event]) -> StreamCopy:
    assert isinstance(copy, StreamCopy)
    events: list[Event] = []
    for seq, event in enumerate(copy.events, start=1):
        prev = events[-1].hash if events else ""
        events.append(chain_event(change(event), seq=seq, prev=prev))
    return replace(copy, events=tuple(events))


def test_conflicts_with_a_newer_bundle_are_listed_when_the_screen_is_left(
    command: Command, bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both versions, as a merge at home lists them; the screen would cover them before."""
    away = bundle.parent / "away" / bundle.name
    away.parent.mkdir()
    shutil.copy(bundle, away)
    worked_on(away, "away", start=6)
    folder, came = bundles.open_bundle(bundle)
    with workspaces.open(folder) as space:
        add(space, came.person.name, TEA, "here", start=2)
    shutil.copy(away, bundle)
    shown: list[str] = []
    monkeypatch.setattr(screen, "need_terminal", shown.append)

    def left(*_: object, **__: object) -> int:
        shown.append("left")
        return 0

    monkeypatch.setattr(screen, "annotate", left)
    done = command("annotate", str(bundle))
    assert shown == ["annotate", "left"]
    conflict, stands, other = done.out.splitlines()
    assert "pairs/tea" in conflict
    assert "(present, " in stands
    assert "(merged, " in other
    assert command("annotate", str(bundle)).out == ""


def strays(members: dict[str, bytes]) -> None:
    """All of it once more, on a sample that is nowhere."""
    own = members["streams.jsonl"].splitlines()
    chained_anew(lambda event: replace(event, id=f"{event.id}-x", sample="ghost"), members)
    head, *lines = members["streams.jsonl"].splitlines()
    ghosts = [json.dumps({**json.loads(line), "sample": "ghost"}).encode() for line in lines]
    members["streams.jsonl"] = b"\n".join([head, *own[1:], *ghosts, b""])


def test_what_does_not_fit_stays_in_the_file_and_is_told_when_the_screen_is_left(
    command: Command, bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not the screen's to throw away: whose it is can only be known at home."""
    rewritten(bundle, strays)
    monkeypatch.setattr(screen, "need_terminal", lambda _: None)
    monkeypatch.setattr(screen, "annotate", lambda *_, **__: 0)
    for _ in range(2):
        assert "pairs/ghost" in command("annotate", str(bundle)).err
    merged = command("sync", "bundles", "merge", str(bundle))
    assert merged.code == 3
    assert "pairs/ghost" in merged.err


def test_a_bundle_with_other_texts_is_not_mixed_with_the_work_beside_it(
    command: Command, bundle: Path, pairs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is there stays, the file too, and the way on is told."""
    folder = worked_on(bundle, "first")
    command("sync", "bundles", "merge", str(bundle))
    report = [json.loads(line) for line in pairs.read_text().splitlines()]
    report = [{**each, "summary": each["summary"] + " More."} for each in report]
    pairs.write_text("\n".join(map(json.dumps, report)))
    ids = ("--id-column", "id", "--group-column", "group", "--delete-annotations")
    assert command("datasets", "replace", "pairs", str(pairs), *ids).code == 0
    assert command("sync", "bundles", "create", "--person", "Ana", "-o", "newer.bundle").code == 0
    bundle.with_name("newer.bundle").replace(bundle)
    before = bundle.read_bytes()
    monkeypatch.setattr(screen, "need_terminal", lambda _: None)
    refused = command("annotate", str(bundle))
    assert type(refused.error) is Conflict
    for each in (str(bundle), "samples.jsonl:1: ", "pairs/bridge"):
        assert each in refused.error.message
    assert f"tui-annotate export -w {folder} " in refused.error.hint
    assert (bundle.read_bytes(), notes(folder, "Ana", TEA)) == (before, ["first"])


def test_half_a_character_is_told_where_the_bundle_is_made(command: Command, home: Path) -> None:
    """What nobody could read again is not sent out."""
    with workspaces.open(home) as space:
        broken = replace(claim("broken", 0, 3, label=""), imported={"x": "\ud83d"})
        space.annotate.add(space.people.local("Ana").id, TEA, broken, seconds=1)
    made = command("sync", "bundles", "create", "--person", "Ana", "-o", "odd.bundle")
    assert isinstance(made.error, InvalidInput)
    assert "pairs/tea" in made.error.message
    assert "U+D83D" in made.error.message
    assert not home.with_name("odd.bundle").exists()


def test_a_pipe_is_no_bundle(command: Command, home: Path) -> None:
    """It would be waited for."""
    os.mkfifo(home.with_name("pipe"))
    refused = command("sync", "bundles", "merge", "pipe").error
    assert type(refused) is InvalidInput
    assert "pipe" in refused.message


def test_a_folder_of_another_bundle_is_not_mixed(command: Command, bundle: Path) -> None:
    """A working folder belongs to the person whose bundle made it."""
    bundles.open_bundle(bundle)
    command("sync", "bundles", "create", "--person", "Ben", "-o", str(bundle))
    with pytest.raises(Conflict):
        bundles.open_bundle(bundle)


def test_with_a_bundle_there_is_no_other_workspace(command: Command, bundle: Path) -> None:
    """A bundle says itself who works where."""
    refused = command("annotate", str(bundle), "--as", "Zoe")
    assert type(refused.error) is InvalidInput
    assert "--as" in refused.error.hint


def _annotated(event: Event, **values: object) -> Event:
    """An event whose annotations have other values."""
    action, found = event.action, event.action.after.annotations
    after = replace(
        action.after, annotations={k: {**(v or {}), **values} for k, v in found.items()}
    )
    return replace(event, action=replace(action, after=after))


FORGED: dict[str, Callable[[Event], Event]] = {
    "'Nowhere.Known'": lambda event: _annotated(event, labels=[["Nowhere", "Known"]]),
    "'machine:gpt'": lambda event: _annotated(event, origin="machine:gpt"),
    "2999-01-01": lambda event: replace(event, at="2999-01-01T00:00:00+00:00"),
    "1e+11": lambda event: replace(event, seconds=1e11),
    "0:4": lambda event: _annotated(event, claim=[["summary", 0, 0, 4]]),
}


def _forge(change: Callable[[Event], Event], event: Event) -> Event:
    """Change the event that is not known at home."""
    return change(event) if (event.sample, event.seq) == (BRIDGE.id, 2) else event


@pytest.mark.parametrize("named", FORGED)
def test_forged_work_is_refused_with_the_reason(
    named: str, command: Command, home: Path, bundle: Path
) -> None:
    """A chain that holds does not make work valid that no annotator can do in the workspace."""
    worked_on(bundle, "new")
    worked_on(bundle, "more", key=BRIDGE, start=6)
    with workspaces.open(home) as space:
        assert space.corpus.sample(BRIDGE).sample.documents[1].text[3] == " "
    rewritten(bundle, partial(chained_anew, partial(_forge, FORGED[named])))
    merged = command("sync", "bundles", "merge", str(bundle), "--json")
    assert merged.code == 3
    (refused,) = merged.json["refused"]
    assert SampleKey(refused["dataset"], refused["sample"]) == BRIDGE
    assert named in refused["reason"]
    assert (notes(home, "Ana", TEA), notes(home, "Ana", BRIDGE)) == (["new"], ["anas note"])
    assert named in command("sync", "bundles", "merge", str(bundle)).err


def test_work_from_before_a_label_change_is_opened(
    command: Command, home: Path, bundle: Path
) -> None:
    """A new bundle has only the current label set, but its working folder gets all earlier work."""
    folder, came = bundles.open_bundle(bundle)
    with workspaces.open(folder) as space:
        space.annotate.add(came.person.id, TEA, claim("b", 0, 4, label="Benign"), seconds=1)
    bundles.write_back(bundle, folder)
    assert command("sync", "bundles", "merge", str(bundle)).code == 0
    assert command("labels", "rename", "Benign", "Harmless").code == 0
    assert command("sync", "bundles", "create", "--person", "Ana", "-o", "new.bundle").code == 0
    folder, came = bundles.open_bundle(home.parent / "new.bundle")
    assert came.refused == []
    with workspaces.open(folder) as space:
        (one,) = space.log.stream(came.person.id, TEA).annotations
        assert one.labels == (("Harmless",),)


def test_refused_work_is_listed_once_when_the_screen_is_left(
    command: Command, bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Work that is refused at the opening, or that came while the screen was open, is listed."""
    away = bundle.parent / "away" / bundle.name
    away.parent.mkdir()
    shutil.copy(bundle, away)
    worked_on(away, "new")
    forge = FORGED["2999-01-01"]
    rewritten(away, partial(chained_anew, lambda one: forge(one) if one.sample == "tea" else one))
    monkeypatch.setattr(screen, "need_terminal", lambda _: None)
    monkeypatch.setattr(screen, "annotate", lambda *_, **__: shutil.copy(away, bundle) and 0)
    for _ in range(2):
        left = command("annotate", str(bundle)).err
        assert left.count("2999-01-01") == left.count("pairs/tea") == 1


@pytest.fixture
def practising(command: Command, bundle: Path) -> Path:
    """Ana's bundle, after which she was assigned practice with an answer of Ben."""
    row = {"id": "p1", "source": "The mill closed.", "summary": "The windmill closed."}
    bundle.with_name("training.jsonl").write_text(json.dumps(row) + "\n")
    done = command("ingest", "training.jsonl", "--id-column", "id", "--group-column", "id")
    assert done.code == 0, done.err
    with workspaces.open() as space:
        add(space, "Ben", PRACTICE, "answer")
    asked = ("--dataset", "training", "--person", "Ana", "--gold", "Ben")
    made = command("assignments", "practice", *asked, "--pass", "80", "--attempts", "1", "--hold")
    assert made.code == 0, made.err
    return bundle


def finish(folder: Path | None, key: SampleKey) -> None:
    """Ana completes a sample."""
    with workspaces.open(folder) as space:
        ana = space.person("Ana").id
        space.annotate.finish(ana, key, seconds=1)
        space.annotate.next_unfinished(ana, key)


def test_a_bundle_waits_for_practice_and_pauses(command: Command, practising: Path) -> None:
    """Nothing is written while the person must not work; practice samples stay here."""
    asked = ("sync", "bundles", "create", "--person", "Ana", "-o", "new.bundle")
    refused = command(*asked)
    assert (refused.code, "'Ana' has not finished practice" in refused.err) == (1, True)
    finish(None, PRACTICE)
    refused = command(*asked)
    assert (refused.code, "the work of 'Ana' is paused" in refused.err) == (1, True)
    assert "assignments resume Ana" in refused.err
    assert not practising.with_name("new.bundle").exists()
    assert command("assignments", "resume", "Ana").code == 0
    with workspaces.open() as space:
        suggest(space.team.database, TEA, spans=[(0, 3)], label="")
        suggest(space.team.database, PRACTICE, spans=[(0, 3)], label="")
    made = command(*asked, "--json")
    assert (made.json["samples"], made.json["practice_left_out"]) == (2, 1)
    with zipfile.ZipFile(practising.with_name("new.bundle")) as archive:
        assert all(b"windmill" not in archive.read(each) for each in archive.namelist())
        assert all(b"training" not in archive.read(each) for each in archive.namelist())
    assert "left out: 1 practice sample" in command(*asked).err
    _, opened = bundles.open_bundle(practising.with_name("new.bundle"))
    assert (opened.refused, opened.streams) == ([], 1)
    only = command(
        "sync", "bundles", "create", "--person", "Ana", "-o", "p.bundle", "--dataset", "training"
    )
    assert (only.code, "only practice samples" in only.err) == (1, True)


def test_a_merge_names_work_that_was_held_back(command: Command, practising: Path) -> None:
    """The work is stored, and counted in the merge, in `status` and in a snapshot."""
    folder, _ = bundles.open_bundle(practising)
    finish(folder, TEA)
    bundles.write_back(practising, folder)
    merged = command("sync", "bundles", "merge", str(practising))
    assert (merged.code, "1 reading of Ana completed elsewhere" in merged.out + merged.err) == (
        0,
        True,
    )
    merged = command("sync", "bundles", "merge", str(practising), "--json")
    assert (merged.json["known"], merged.json["completed_while_held_back"]) == (2, 1)
    with workspaces.open() as space:
        assert space.log.stream(space.person("Ana").id, TEA).assignment.state == "done"
    assert "practice was not finished: Ana: 1" in command("status").out
    (held,) = command("status", "--json").json["completed_while_held_back"]
    assert (held["name"], held["readings"]) == ("Ana", 1)
    assert command("audit", "snapshots", "create", "paper").code == 0
    (method,) = Path().glob("**/paper/method.md")
    assert "1 reading by 1 person" in " ".join(method.read_text().split())
