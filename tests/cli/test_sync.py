"""Work shared by a table and by a folder: nothing lost, nobody else's taken, each conflict told."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli.conftest import Command, numbers
from tests.helpers.folder_cache import build_once
from tests.helpers.stores import claim
from tests.plugins.sync.table_server import KEY, FakeTable, refusal, serving_table
from tui_annotate import workspace as workspaces
from tui_annotate.domain.errors import InvalidInput, NotAllowed, NotFound
from tui_annotate.domain.records import OwnedAnnotation, Record
from tui_annotate.domain.samples import SampleKey
from tui_annotate.plugins import registry
from tui_annotate.plugins.protocols import ExportOptions, ImportOptions
from tui_annotate.services.authentication.account_management import NewAccount
from tui_annotate.storage.log.audit import AuditStore

ROOT = Path(__file__).parents[2]
COLLECTION = ROOT / "sample_data" / "autojudge"
BRIDGE, TEA = SampleKey("pairs", "bridge"), SampleKey("pairs", "tea")


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeTable]:
    """A table, and where it is in the environment."""
    with serving_table() as running:
        monkeypatch.setenv("TUI_ANNOTATE_SYNC_URL", running.url)
        monkeypatch.setenv("TUI_ANNOTATE_SYNC_KEY", KEY)
        yield running


@pytest.fixture
def machines(command: Command, pairs: Path) -> Path:
    """Two workspaces, `one` and `two`, of one person on two machines; the same samples in both."""

    def build(folder: Path) -> None:
        for name in ("one", "two"):
            command("init", name)
            ids = ("--id-column", "id", "--group-column", "group", "--embedder", "none")
            assert command("ingest", "-w", name, *ids, str(pairs)).code == 0
            with workspaces.open(folder / name) as space:
                options = ImportOptions(
                    dataset="c",
                    topics=COLLECTION / "topics.jsonl",
                    documents=COLLECTION / "documents.jsonl",
                )
                runs = COLLECTION / "runs"
                space.ingest(runs, format="autojudge", options=options, embedder="none")

    return build_once(pairs.parent, "two machines", build)


def add(folder: Path, note: str, *, key: SampleKey = BRIDGE, start: int = 0) -> None:
    """A note of the one who works here."""
    with workspaces.open(folder) as space:
        made = claim(f"{folder.name}-{note}", start, start + 5, label="", note=note)
        space.annotate.add(space.person().id, key, made, seconds=1)


def notes(folder: Path, key: SampleKey = BRIDGE) -> list[str]:
    """Their notes on a sample; the log must hold together."""
    with workspaces.open(folder) as space:
        assert not list(AuditStore(space.team.database).find_faults())
        stream = space.log.stream(space.person().id, key)
        return sorted(each.note for each in stream.annotations)


def first(folder: Path, kind: str) -> SampleKey:
    """A sample of a kind of the collection."""
    with workspaces.open(folder) as space:
        return next(each.key for each in space.samples(dataset="c") if each.kind == kind)


# by a table --------------------------------------------------------------------------------------


def test_work_goes_out_and_comes_in_on_another_machine(
    command: Command, machines: Path, fake: FakeTable
) -> None:
    """What was annotated on one machine stands on the other after push and pull, and once."""
    add(machines / "one", "first")
    pushed = command("sync", "push", "-w", "one", "--json")
    assert pushed.code == 0, pushed.err
    assert pushed.json["samples"] == 1
    assert list(fake.rows) == [("pairs", "reader", "bridge")]
    assert command("sync", "push", "-w", "one", "--json").json["samples"] == 0
    pulled = command("sync", "pull", "-w", "two", "--json")
    assert pulled.code == 0, pulled.err
    assert (pulled.json[0]["samples"], pulled.json[0]["conflicts"]) == (1, [])
    assert notes(machines / "two") == ["first"]
    assert command("sync", "pull", "-w", "two", "--json").json[0]["samples"] == 0
    assert command("sync", "push", "-w", "two", "--json").json["samples"] == 0


def test_what_is_only_looked_at_stays_here(
    command: Command, machines: Path, fake: FakeTable
) -> None:
    """Time on a sample is no work on it."""
    key = first(machines / "one", "report")
    with workspaces.open(machines / "one") as space:
        space.annotate.read(space.person().id, key, seconds=20)
    assert command("sync", "push", "-w", "one", "--json").json["samples"] == 0
    assert fake.rows == {}


@pytest.mark.parametrize("kind", ["report", "document", "citation"])
def test_judgements_travel_as_their_lines(
    kind: str, command: Command, machines: Path, fake: FakeTable
) -> None:
    """Rating, comment and passages come out on the other side; a taken back rating too."""
    key = first(machines / "one", kind)
    with workspaces.open(machines / "one") as space:
        person = space.person().id
        space.annotate.rate(person, key, "So-so", seconds=1)
        space.annotate.comment(person, key, "hm 😀", seconds=1)
    assert command("sync", "push", "-w", "one").code == 0
    payload = fake.rows["c", "reader", key.id]["payload"]
    assert (payload["rating"], payload["comment"]) == ("So-so", "hm 😀")
    assert payload["username"] == "reader"
    command("sync", "pull", "-w", "two")
    with workspaces.open(machines / "two") as space:
        report = space.log.stream(space.person().id, key).assignment
        assert (report.rating, report.comment) == ("So-so", "hm 😀")
    with workspaces.open(machines / "one") as space:
        space.annotate.rate(space.person().id, key, "", seconds=1)
    assert command("sync", "push", "-w", "one", "--json").json["samples"] == 1
    assert fake.rows["c", "reader", key.id]["payload"]["rating"] == "Not rated"
    command("sync", "pull", "-w", "two")
    with workspaces.open(machines / "two") as space:
        assert space.log.stream(space.person().id, key).assignment.rating == ""


def test_what_no_row_can_tell_is_told_and_the_rest_goes(
    command: Command, machines: Path, fake: FakeTable
) -> None:
    """A sample of strangers that does not say what it is of stands in nobody's way."""
    stray = first(machines / "one", "citation")
    with workspaces.open(machines / "one") as space:
        record = next(space.records(dataset="c", sample=stray.id))
        sample = replace(record.sample, id="stray", meta={})
        file = machines / "stray.jsonl"
        with file.open("w", encoding="utf-8") as target:
            registry.load("exporters", "native").write([Record(sample)], target, ExportOptions())
        space.ingest(file, format="native", embedder="none")
        space.annotate.rate(space.person().id, sample.key, "Bad", seconds=1)
    add(machines / "one", "first")
    pushed = command("sync", "push", "-w", "one", "--json")
    assert (pushed.code, pushed.json["samples"]) == (3, 1)
    assert pushed.json["refused"][0]["sample"] == "stray"
    report = command("sync", "push", "-w", "one").err
    assert all(each in report for each in ("c/stray", pushed.json["refused"][0]["reason"]))
    fake.put("c", "reader", "stray", {"rating": "So-so"}, at="2001-01-01T00:00:00+00:00")
    assert command("sync", "pull", "-w", "one").code == 0


def test_passages_that_a_page_marked_come_in_where_they_stand(
    command: Command, machines: Path, fake: FakeTable
) -> None:
    """Offsets count as the quote shows; what quotes something else is refused, and told."""
    key = first(machines / "one", "document")
    with workspaces.open(machines / "one") as space:
        text = space.corpus.sample(key).sample.documents[0].text
    span = {"start": 0, "end": 9, "text": text[:9]}
    fake.put("c", "reader", key.id, {"rating": "Bad", "comment": "", "spans": [span]})
    other = first(machines / "one", "report")
    fake.put("c", "reader", other.id, {"rating": "Bad", "spans": [{**span, "text": "elsewhere"}]})
    pulled = command("sync", "pull", "-w", "one", "--json")
    assert pulled.code == 3
    assert pulled.json[0]["samples"] == 1
    (refused,) = pulled.json[0]["refused"]
    assert (refused["dataset"], refused["sample"], refused["reason"] != "") == ("c", other.id, True)
    with workspaces.open(machines / "one") as space:
        (mark,) = space.log.stream(space.person().id, key).annotations
        assert mark.evidence[0].span.of(text) == text[:9].strip()
    assert command("sync", "push", "-w", "one", "--json").json["samples"] == 0


@pytest.mark.parametrize("newer", ["here", "there"])
def test_a_conflict_is_listed_with_both_and_the_newest_stands(
    newer: str, command: Command, machines: Path, fake: FakeTable
) -> None:
    """The other version is in the log, and the table gets what stands."""
    add(machines / "one", "one")
    command("sync", "push", "-w", "one")
    row = fake.rows["pairs", "reader", "bridge"]
    later = fake.start.isoformat()
    row["payload"]["worked"]["at"] = "2001-01-01T00:00:00+00:00" if newer == "here" else later
    add(machines / "two", "two", start=6)
    waiting = command("sync", "push", "-w", "two", "--json")
    assert (waiting.code, waiting.json["waiting"]) == (3, ["pairs/bridge"])
    pulled = command("sync", "pull", "-w", "two", "--json")
    (conflict,) = pulled.json[0]["conflicts"]
    assert conflict["kept"] == newer
    assert [each["note"] for each in conflict["here"]["annotations"]] == ["two"]
    assert [each["note"] for each in conflict["there"]["annotations"]] == ["one"]
    assert notes(machines / "two") == (["two"] if newer == "here" else ["one"])
    with workspaces.open(machines / "two") as space:
        events = space.log.events(space.person().id, BRIDGE)
        report = json.dumps([each.action.after.as_json() for each in events])
    assert '"note": "one"' in report
    assert '"note": "two"' in report
    sent = command("sync", "push", "-w", "two", "--json").json["samples"]
    assert sent == (1 if newer == "here" else 0)
    assert command("sync", "pull", "-w", "two", "--json").json[0]["conflicts"] == []


def test_what_is_done_during_a_push_is_pushed_next(
    command: Command, machines: Path, fake: FakeTable
) -> None:
    """A change while rows are on their way is not taken for sent."""
    add(machines / "one", "before")
    once: list[str] = []

    def meanwhile(method: str) -> None:
        if method == "POST" and not once:
            once.append(method)
            add(machines / "one", "meanwhile", start=6)

    fake.before = meanwhile
    assert command("sync", "push", "-w", "one", "--json").json["samples"] == 1
    assert command("sync", "push", "-w", "one", "--json").json["samples"] == 1
    payload = fake.rows["pairs", "reader", "bridge"]["payload"]
    assert sorted(each["note"] for each in payload["annotations"]) == ["before", "meanwhile"]


def test_what_is_taken_back_is_sent_too(command: Command, machines: Path, fake: FakeTable) -> None:
    """A sample with nothing left on it has a row that says so."""
    add(machines / "one", "first")
    command("sync", "push", "-w", "one")
    with workspaces.open(machines / "one") as space:
        space.annotate.undo(space.person().id)
    assert command("sync", "push", "-w", "one", "--json").json["samples"] == 1
    assert fake.rows["pairs", "reader", "bridge"]["payload"]["annotations"] == []
    command("sync", "pull", "-w", "two")
    assert notes(machines / "two") == []


def test_rows_that_somebody_removed_come_back(
    command: Command, machines: Path, fake: FakeTable
) -> None:
    """What is in the log is out of reach of whoever has the key."""
    add(machines / "one", "first")
    command("sync", "push", "-w", "one")
    fake.rows.clear()
    assert command("sync", "push", "-w", "one", "--json").json["samples"] == 1
    assert list(fake.rows) == [("pairs", "reader", "bridge")]


def test_a_push_that_breaks_is_gone_on_with(
    command: Command, machines: Path, fake: FakeTable
) -> None:
    """An error changes nothing here, and the next push sends what is missing."""
    add(machines / "one", "first")
    fake.script.extend([refusal(401, "JWT expired")])
    broken = command("sync", "push", "-w", "one")
    assert broken.code == 1
    assert "JWT expired" in broken.err
    assert KEY not in broken.err
    assert notes(machines / "one") == ["first"]
    assert command("sync", "push", "-w", "one", "--json").json["samples"] == 1
    stored = (machines / "one" / "store.sqlite").read_bytes()
    assert KEY.encode() not in stored


def test_nobody_elses_rows_are_taken(command: Command, machines: Path, fake: FakeTable) -> None:
    """A pull reads the rows of one person alone."""
    add(machines / "one", "first")
    command("sync", "push", "-w", "one")
    fake.put("pairs", "ben", "tea", fake.rows["pairs", "reader", "bridge"]["payload"])
    command("sync", "pull", "-w", "two")
    assert notes(machines / "two", TEA) == []
    asked = [query for method, query in fake.asked if method == "GET"]
    assert {query["username"] for query in asked} == {"eq.reader"}


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"format": "tui-annotate/1"},
        {"format": "tui-annotate/1", "dataset": "pairs", "id": "bridge", "documents": []},
        {"spans": "x"},
    ],
)
def test_a_row_that_says_nothing_sound_is_left(
    payload: object, command: Command, machines: Path, fake: FakeTable
) -> None:
    """It is told with its sample, and what stands here stands."""
    add(machines / "one", "first")
    fake.put("pairs", "reader", "bridge", payload)
    fake.put("pairs", "reader", "gone", payload)
    pulled = command("sync", "pull", "-w", "one")
    assert pulled.code == 3
    assert "pairs/bridge" in pulled.err
    assert "pairs/gone" in pulled.err
    assert notes(machines / "one") == ["first"]


def test_what_is_of_other_workspaces_is_left_to_them(
    command: Command, machines: Path, fake: FakeTable
) -> None:
    """Rows of datasets that are not here are no mistake."""
    fake.put("elsewhere", "reader", "k", {})
    pulled = command("sync", "pull", "-w", "one", "--json")
    assert (pulled.code, pulled.json[0]["refused"]) == (0, [])
    assert command("sync", "status", "-w", "one", "--json").json["samples_to_pull"] == 0
    assert notes(machines / "one") == []


def test_status_tells_how_far_both_sides_are(
    command: Command, machines: Path, fake: FakeTable
) -> None:
    """What is to go, what is to come; it changes nothing."""
    assert fake.rows == {}
    add(machines / "one", "first")
    report = command("sync", "status", "-w", "one", "--json").json
    assert (report["rows"], report["samples_to_push"], report["samples_to_pull"]) == (0, 1, 0)
    command("sync", "push", "-w", "one")
    report = command("sync", "status", "-w", "one", "--json").json
    assert (report["rows"], report["samples_to_push"], report["samples_to_pull"]) == (1, 0, 0)
    report = command("sync", "status", "-w", "two", "--json").json
    assert (report["rows"], report["samples_to_push"], report["samples_to_pull"]) == (1, 0, 1)
    lines = command("sync", "status", "-w", "two").out.splitlines()
    assert sorted(number for line in lines for number in numbers(line)) == [0, 1, 1]


@pytest.mark.usefixtures("fake")
@pytest.mark.parametrize("edited", ["there", "here"])
def test_a_change_of_one_side_is_no_conflict_without_an_earlier_sync(
    edited: str, command: Command, machines: Path
) -> None:
    """A copied workspace knows by the actions in the row which side continues the other."""
    add(machines / "one", "one")
    shutil.copytree(machines / "one", machines / "three")
    if edited == "here":
        add(machines / "three", "three", start=10)
    else:
        add(machines / "one", "more", start=10)
    command("sync", "push", "-w", "one")
    pulled = command("sync", "pull", "-w", "three", "--json").json[0]
    assert pulled["conflicts"] == []
    assert notes(machines / "three") == (["one", "three"] if edited == "here" else ["more", "one"])
    sent = command("sync", "push", "-w", "three", "--json").json["samples"]
    assert sent == (1 if edited == "here" else 0)


@pytest.mark.usefixtures("fake")
def test_imported_work_that_was_not_touched_is_no_conflict(
    command: Command, machines: Path
) -> None:
    """Both sides imported the same file; one of them worked on."""
    for name in ("one", "two"):
        with workspaces.open(machines / name) as space:
            person = space.person()
            sample = space.corpus.sample(BRIDGE).sample
            made = replace(claim("i", 0, 5, label="", note="imported"), origin="imported:x")
            owned = (OwnedAnnotation(person.id, made),)
            space.log.import_records([Record(sample, owned, (), (person,))])
    add(machines / "one", "more", start=10)
    command("sync", "push", "-w", "one")
    assert command("sync", "pull", "-w", "two", "--json").json[0]["conflicts"] == []
    assert notes(machines / "two") == ["imported", "more"]


def test_delete_mine_asks_and_removes_ones_own_rows(
    command: Command, machines: Path, fake: FakeTable
) -> None:
    """Rows of others stay, and so does the work here, which a push brings back."""
    add(machines / "one", "first")
    command("sync", "push", "-w", "one")
    fake.put("pairs", "ben", "tea", {})
    asked = command("sync", "delete", "--mine", "-w", "one")
    assert (asked.code, len(fake.rows)) == (2, 2)
    assert type(asked.error) is InvalidInput
    assert "--yes" in asked.error.hint
    assert command("sync", "delete", "--mine", "-w", "one", "--yes", "--json").json["deleted"] == 1
    assert list(fake.rows) == [("pairs", "ben", "tea")]
    assert notes(machines / "one") == ["first"]
    assert command("sync", "push", "-w", "one", "--json").json["samples"] == 1


def test_rows_are_written_without_a_workspace(command: Command, fake: FakeTable) -> None:
    """The row's own values stand over those of the payload; all pages are there."""
    fake.cap = 2
    wrong = {"dataset": "WRONG", "rating": "Perfect", "username": "bob", "spans": []}
    for number in range(5):
        fake.put("ds 1", "alice", f"r|1101|run{number}", wrong)
    fake.put("other", "alice", "k", wrong)
    written = command("sync", "pull", "-o", "rows.jsonl", "--dataset", "ds 1")
    assert written.code == 0, written.err
    lines = [json.loads(line) for line in Path("rows.jsonl").read_text("utf-8").splitlines()]
    assert len(lines) == 5
    row = fake.rows["ds 1", "alice", "r|1101|run0"]
    assert lines[0] == {
        "dataset": "ds 1",
        "rating": "Perfect",
        "username": "alice",
        "spans": [],
        "annotation_key": "r|1101|run0",
        "created_at": row["created_at"],
        "updated_at": row["updated_at"],
    }
    assert list(lines[0])[:4] == list(wrong)


@pytest.mark.parametrize("option", [("share",), ("--all",), ("--as", "ana")], ids="-".join)
def test_what_counts_for_nothing_beside_a_file_is_refused(
    option: tuple[str, ...], command: Command, fake: FakeTable
) -> None:
    """The rows of the table are not taken for those of a folder, or of one person."""
    fake.put("ds", "alice", "k", {})
    refused = command("sync", "pull", "-o", "rows.jsonl", *option)
    assert (refused.code, refused.out) == (2, "")
    assert type(refused.error) is InvalidInput
    name = "DIR" if option == ("share",) else option[0]
    assert all(each in refused.error.message for each in (name, "-o"))
    assert name in refused.error.hint
    assert not fake.asked
    assert not Path("rows.jsonl").exists()


def test_a_table_without_rows_writes_no_file(command: Command, fake: FakeTable) -> None:
    """It says so, and is no error."""
    empty = command("sync", "pull", "-o", "rows.jsonl")
    assert (empty.code, empty.out, empty.err.count("\n")) == (0, "", 1)
    assert not Path("rows.jsonl").exists()
    assert fake.asked


def test_a_pull_that_breaks_writes_nothing(command: Command, fake: FakeTable) -> None:
    """Half a table is no table."""
    fake.cap = 1
    for number in range(3):
        fake.put("d", "a", f"k{number}", {})

    def broken(_: str) -> None:
        if len(fake.asked) == 2:
            fake.script.append(refusal(401, "expired"))

    fake.before = broken
    assert command("sync", "pull", "-o", "rows.jsonl").code == 1
    assert not Path("rows.jsonl").exists()


def test_without_an_address_the_hint_says_what_to_set(command: Command, machines: Path) -> None:
    """Nothing is guessed."""
    del machines
    refused = command("sync", "push", "-w", "one")
    assert refused.code == 2
    assert "TUI_ANNOTATE_SYNC_URL" in refused.err


def test_init_sql_prints_both_policies(command: Command) -> None:
    """Open, with its price beside it, or strict."""
    opened, strict = (
        command("sync", "table-sql").out,
        command("sync", "table-sql", "--per-person").out,
    )
    assert "primary key (dataset, username, annotation_key)" in opened
    assert "using (true)" in opened
    remarks = [line for line in opened.splitlines() if line.startswith("--")]
    assert any(line not in strict for line in remarks)
    assert "using (true)" not in strict
    assert "request.jwt.claims" in strict
    assert command("sync", "table-sql", "--json").json == {"sql": opened}


@pytest.mark.parametrize(
    ("named", "value"),
    [("'Nowhere'", {"labels": [["Nowhere"]]}), ("'machine:gpt'", {"origin": "machine:gpt"})],
)
def test_a_row_with_work_that_no_annotator_can_do_is_refused(
    named: str, value: dict[str, object], command: Command, machines: Path, fake: FakeTable
) -> None:
    """Rows obey the rules for own work: label set, origin, time; the reason is reported."""
    add(machines / "one", "first")
    add(machines / "one", "second", key=TEA)
    command("sync", "push", "-w", "one")
    fake.rows["pairs", "reader", "bridge"]["payload"]["annotations"][0].update(value)
    fake.rows["pairs", "reader", "tea"]["payload"]["worked"]["at"] = "2999-01-01T00:00:00+00:00"
    pulled = command("sync", "pull", "-w", "two", "--json")
    assert pulled.code == 3
    reasons = {each["sample"]: each["reason"] for each in pulled.json[0]["refused"]}
    assert (named in reasons["bridge"], "2999" in reasons["tea"]) == (True, True)
    assert notes(machines / "two") == notes(machines / "two", TEA) == []


# by a folder -------------------------------------------------------------------------------------


@pytest.fixture
def shared(command: Command, machines: Path) -> Path:
    """A folder; the machine `three` began as a bundle of the first: it is the same person."""
    from tui_annotate.workspace import bundles

    def build(folder: Path) -> None:
        add(folder / "one", "first")
        command("sync", "bundles", "create", "-w", "one", "--person", "reader", "-o", "r.bundle")
        opened, _ = bundles.open_bundle(folder / "r.bundle")
        opened.rename(folder / "three")
        (folder / "share").mkdir()

    return build_once(machines, "three machines", build)


def test_two_machines_meet_in_a_folder(command: Command, shared: Path) -> None:
    """Both come to the same; a conflict is listed with both; twice changes nothing."""
    add(shared / "one", "home", start=6)
    add(shared / "three", "away", start=12)
    assert command("sync", "push", "-w", "one", "share").code == 0
    waiting = command("sync", "push", "-w", "three", "share")
    assert waiting.code == 3
    assert "pairs/bridge" in waiting.err
    assert "tui-annotate sync pull" in waiting.err
    pulled = command("sync", "pull", "-w", "three", "share").out
    _, conflict, stands, other = pulled.splitlines()
    assert "pairs/bridge" in conflict
    assert "(present, " in stands
    assert "(merged, " in other
    assert command("sync", "push", "-w", "three", "share").code == 0
    command("sync", "pull", "-w", "one", "share")
    assert notes(shared / "one") == notes(shared / "three") == ["away", "first"]
    again = command("sync", "pull", "-w", "one", "share", "--json").json[0]
    assert (again["events"], again["conflicts"]) == (0, [])
    assert command("sync", "push", "-w", "one", "share", "--json").json["samples"] == 0
    report = command("sync", "status", "-w", "one", "share", "--json").json
    assert (report["events_to_push"], report["events_to_pull"]) == (0, 0)


def test_an_admin_gathers_the_files_of_all(command: Command, shared: Path) -> None:
    """Work of several people comes in at once, each under their own name."""
    with workspaces.open(shared / "two") as space:
        ben = space.people.local("ben")
        space.annotate.add(ben.id, TEA, claim("x", 0, 4, label="", note="bens"), seconds=1)
    command("sync", "push", "-w", "one", "share")
    command("sync", "push", "-w", "two", "--as", "ben", "share")
    command("init", "four")
    ids = ("--id-column", "id", "--group-column", "group", "--embedder", "none")
    command("ingest", "-w", "four", *ids, "pairs.jsonl")
    pulled = command("sync", "pull", "-w", "four", "--all", "share", "--json").json
    assert sorted(each["person"] for each in pulled) == ["ben", "reader"]
    with workspaces.open(shared / "four") as space:
        found = {owned.annotation.note for _, owned in space.annotations()}
    assert found == {"first", "bens"}


@pytest.fixture
def accounts(shared: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same, with accounts of ana, an admin, and ben in `one`; the files are this user's."""
    monkeypatch.setattr("pwd.getpwuid", lambda _: type("User", (), {"pw_name": "owner"}))
    with workspaces.open(shared / "one") as space:
        for name in ("ana", "ben"):
            space.team.accounts.add(NewAccount(name, f"{name}@example.org"))
    return shared


@pytest.mark.parametrize("who", ["ana", "ben"])
def test_the_owner_of_the_files_is_whom_an_account_says(
    who: str, command: Command, accounts: Path
) -> None:
    """Admin or not; the hint of the refusal is true, and a name makes nobody somebody else."""
    places = ("-w", "one", "share")
    refused = command("sync", "push", *places)
    assert type(refused.error) is NotAllowed
    assert "tui-annotate users edit PERSON --unix-user NAME" in refused.error.hint
    assert command("users", "edit", who, "--unix-user", "owner", "-w", "one").code == 0
    with workspaces.open(accounts / "one") as space:
        made = claim("mine", 0, 4, label="", note="mine")
        space.annotate.add(space.person().id, TEA, made, seconds=1)
    pushed = command("sync", "push", *places, "--json")
    assert (pushed.code, pushed.json["person"], pushed.json["samples"]) == (0, who, 1)
    assert command("sync", "pull", *places, "--json").json[0]["person"] == who
    assert command("sync", "status", *places, "--json").json["person"] == who
    named = command("sync", "push", *places, "--as", "ben" if who == "ana" else "ana")
    assert type(named.error) is NotAllowed
    assert all(each in named.error.hint for each in ("--as", f" {who}"))
    assert command("users", "list", "-w", "one").code == 0
    removed = command("sync", "delete", "--mine", *places, "--yes", "--json")
    assert (removed.json["person"], removed.json["deleted"]) == (who, 1)


def test_who_gathers_need_be_nobody(
    command: Command, accounts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The owner of the files takes in everybody's work without an account; others as admins."""
    assert command("sync", "push", "-w", "three", "share", "--as", "reader").code == 0
    everybody = ("sync", "pull", "-w", "one", "--all", "share")
    pulled = command(*everybody, "--json")
    assert (pulled.code, [each["person"] for each in pulled.json]) == (0, ["reader"]), pulled.err
    assert command("users", "edit", "ben", "--unix-user", "owner", "-w", "one").code == 0
    with workspaces.open(accounts / "one") as space:
        before = len(space.people.all())
    monkeypatch.setattr("os.geteuid", lambda: 65534)
    refused = command(*everybody)
    assert type(refused.error) is NotAllowed
    assert "annotator" in refused.error.message
    with workspaces.open(accounts / "one") as space:
        assert len(space.people.all()) == before


def test_work_of_the_same_name_under_another_id_is_told(command: Command, shared: Path) -> None:
    """It is a note, once, and no failure; whoever is matched by id, or by no name, reads none."""
    assert command("sync", "push", "-w", "one", "share").err == ""
    (file,) = (shared / "share").iterdir()
    (shared / "share" / "a-0123456789abcdef.jsonl").write_text("x", "utf-8")
    for words in (("pull",), ("status",), ("push",), ("pull", "--json")):
        noted = command("sync", *words, "-w", "two", "share")
        assert noted.code == 0
        assert (noted.error, noted.err.count("\n")) == (None, 1)
        assert all(each in noted.err for each in (f"share/{file.name}", "another id"))
    assert "another id" in command("sync", "push", "-w", "one", "share").err
    assert "another id" not in command("sync", "status", "-w", "two", "--as", "ben", "share").err


def test_what_was_altered_in_the_folder_is_left_out(command: Command, shared: Path) -> None:
    """A stream whose chain does not hold is told and left out; a push does not write over it."""
    command("sync", "push", "-w", "one", "share")
    (file,) = (shared / "share").iterdir()
    file.write_text(file.read_text("utf-8").replace("first", "worst"), "utf-8")
    pulled = command("sync", "pull", "-w", "three", "share")
    assert "pairs/bridge" in pulled.err
    assert pulled.code == 3
    assert notes(shared / "three") == ["first"]
    add(shared / "one", "more", start=6)
    refused = command("sync", "push", "-w", "one", "share")
    assert refused.code == 2
    assert "worst" in file.read_text("utf-8")


def test_work_with_an_unknown_label_is_left_out(command: Command, shared: Path) -> None:
    """A folder's streams obey the rules for own work, also where a workspace began as a bundle."""
    (shared / "one" / "labels.yaml").write_text("- Nowhere\n", "utf-8")
    with workspaces.open(shared / "one") as space:
        made = claim("odd", 0, 3, label="Nowhere")
        space.annotate.add(space.person("reader").id, TEA, made, seconds=1)
    command("sync", "push", "-w", "one", "share")
    pulled = command("sync", "pull", "-w", "three", "share")
    assert pulled.code == 3
    assert all(each in pulled.err for each in ("pairs/tea", "'Nowhere'"))
    assert notes(shared / "three", TEA) == []
    (shared / "three" / "labels.yaml").write_text("- Nowhere\n", "utf-8")
    assert command("sync", "pull", "-w", "three", "share").code == 0
    assert notes(shared / "three", TEA) == [""]


def test_an_odd_file_keeps_nobody_elses_from_an_admin(command: Command, shared: Path) -> None:
    """Whatever lies in the folder under such a name is told, once, and left out."""
    command("sync", "push", "-w", "one", "share")
    (shared / "share" / "a-0123456789abcdef.jsonl").mkdir()
    (shared / "share" / "b-0123456789abcdef.jsonl").write_text("x", "utf-8")
    pulled = command("sync", "pull", "-w", "three", "share", "--all", "--json")
    assert [each["known"] for each in pulled.json] == [1]
    assert "a-0123456789abcdef.jsonl" in pulled.err
    assert len(pulled.err.splitlines()) == 2
    assert pulled.code == 3
    assert pulled.err.count("b-0123456789abcdef.jsonl") == 1


def test_half_a_character_holds_one_stream_back(command: Command, shared: Path) -> None:
    """What nobody could read again is told and stays here; the rest goes."""
    with workspaces.open(shared / "one") as space:
        broken = replace(claim("broken", 0, 3, label=""), imported={"x": "\ud83d"})
        space.annotate.add(space.person("reader").id, TEA, broken, seconds=1)
    pushed = command("sync", "push", "-w", "one", "share")
    assert pushed.code == 3
    assert all(each in pushed.err for each in ("pairs/tea", "U+D83D"))
    assert numbers(pushed.out) == [1]
    command("sync", "pull", "-w", "three", "share")
    assert notes(shared / "three") == ["first"]


def test_a_file_under_another_name_is_refused(command: Command, shared: Path) -> None:
    """Nobody's file passes for somebody else's."""
    command("sync", "push", "-w", "one", "share")
    (file,) = (shared / "share").iterdir()
    file.rename(file.with_name("ben-0123456789abcdef.jsonl"))
    pulled = command("sync", "pull", "-w", "three", "share", "--all", "--json")
    assert (pulled.code, pulled.json) == (3, [])
    assert "ben-0123456789abcdef.jsonl" in pulled.err


def test_delete_mine_removes_ones_own_file(command: Command, shared: Path) -> None:
    """The work in the workspace stays."""
    command("sync", "push", "-w", "one", "share")
    removed = command("sync", "delete", "--mine", "-w", "one", "share", "--yes", "--json")
    assert removed.json["deleted"] == 1
    assert list((shared / "share").iterdir()) == []
    assert notes(shared / "one") == ["first"]


def test_a_folder_that_is_not_there_is_told(command: Command, shared: Path) -> None:
    """A drive that is not mounted is no empty folder."""
    del shared
    refused = command("sync", "push", "-w", "one", "nowhere")
    assert type(refused.error) is NotFound
    assert "nowhere" in refused.error.message
