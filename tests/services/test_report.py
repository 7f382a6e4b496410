"""The page of a report: what is in it, for whom, and that it can be nothing but data."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.stores import LABELS, claim, fill
from tui_annotate import workspace as workspaces
from tui_annotate.domain.adjudication import Adjudication, RejectionReason, ReviewAction
from tui_annotate.domain.annotations import ADJUDICATED, REJECTED, Anchor, Annotation
from tui_annotate.domain.assignment_plan import AssignmentOptions
from tui_annotate.domain.assignment_rules import Gold
from tui_annotate.domain.errors import Conflict, InvalidInput, InvalidLabels, Unavailable
from tui_annotate.domain.labels import LabelTree
from tui_annotate.domain.people import SETTLED, Actor, Person, PersonKind, Role
from tui_annotate.domain.records import OwnedAnnotation, Record, RecordFilter
from tui_annotate.domain.samples import Document, Sample, SampleKey, Side
from tui_annotate.domain.spans import Span
from tui_annotate.domain.work_statistics import NoEndReason
from tui_annotate.services import report as reports
from tui_annotate.services.report import (
    ReportContents,
    ReportSubject,
    data_element,
    page_frame,
)
from tui_annotate.services.report.data import PageValues, agreement_data, work_data
from tui_annotate.workspace import Workspace

UNSAFE = re.compile("[<>&\u2028\u2029\u202a-\u202e\u2066-\u2069\x80-\x9f\ud800-\udfff]")


@pytest.fixture
def space(tmp_path: Path) -> Iterator[Workspace]:
    """Two datasets; ana and ben are done with a sample that they read alike, ben drafts another."""
    with workspaces.create(tmp_path / "w") as made:
        (made.path / "labels.yaml").write_text(LABELS, "utf-8")
        one, two = fill(made.corpus, "1", "2")
        fill(made.corpus, "3", dataset="e")
        ana, ben = made.person("ana").id, made.person("ben").id
        made.annotate.add(ana, one, claim("a1", note="by ana"), seconds=30)
        made.annotate.finish(ana, one, seconds=30)
        made.annotate.add(ben, one, claim("b1", note="by ben"), seconds=30)
        made.annotate.finish(ben, one, seconds=30)
        made.annotate.add(ben, two, claim("b2", label="Odd", note="odd"), seconds=30)
        yield made


def written(space: Workspace, subject: ReportSubject | None = None, **filters: str) -> str:
    """The page of a workspace with all samples."""
    target = space.path.parent / "report.html"
    space.team.report.run(target, RecordFilter(**filters), subject=subject, all_samples=True)
    return target.read_text("utf-8")


def data(text: str, name: str) -> list[Any]:
    """The values of a name that a page holds, in order."""
    pattern = rf'<script type="application/json" (?:id|class)="data-{name}">(.*?)</script>'
    return [json.loads(found) for found in re.findall(pattern, text, re.DOTALL)]


def notes(text: str) -> list[str]:
    """The notes of all annotations of a page."""
    return [each["note"] for one in data(text, "sample") for each in one["annotations"]]


def test_the_page_has_accuracy_on_gold_samples_for_admins(space: Workspace) -> None:
    """By name or pseudonym, and of the chosen dataset; the gold work itself is not on the page."""
    ana, (one, *_) = space.person("ana").id, space.corpus.keys("e")
    boss = space.person("boss").id
    space.annotate.finish(boss, one, seconds=1)
    fill(space.corpus, "4", "5", dataset="e")
    space.team.assignments.gold("e", Gold((), every=2), answers="boss")
    space.team.assignments.give("e", ["ana"], AssignmentOptions())
    while key := space.annotate.next_unfinished(ana, None):
        space.annotate.finish(ana, key, seconds=1)
    page = written(space)
    (figures,) = data(page, "figures")
    (found,) = figures["gold"]
    assert (found["name"], found["checks"], found["accuracy"]) == ("ana", 1, 1.0)
    assert [week["checks"] for week in found["weeks"]] == [1]
    (sample,) = [each for each in data(page, "sample") if each["id"] == "3"]
    assert [each["person"] for each in sample["work"]] == [boss]
    assert data(written(space, dataset="d"), "figures")[0]["gold"] == []
    assert data(written(space, person="boss"), "figures")[0]["gold"] == []
    target = space.path.parent / "hidden.html"
    space.team.report.run(target, hiding=space.team.pseudonyms.names())
    (hidden,) = data(target.read_text("utf-8"), "figures")[0]["gold"]
    assert hidden["name"] == space.team.pseudonyms.names().name(ana)
    reviewer = space.acting(Actor(boss, Role.REVIEWER))
    assert data(written(reviewer), "figures")[0]["gold"] == []


def settle(space: Workspace, reviewer: str) -> None:
    """What review made of the first sample: one annotation stands, one was refused."""
    sample = next(space.samples())
    kept = replace(
        claim("s1", note="kept"),
        origin=ADJUDICATED,
        settled=Adjudication(reviewer, ReviewAction.TAKEN, ("a1",)),
    )
    why = Adjudication(
        reviewer, ReviewAction.REJECTED, ("b1",), RejectionReason.SLIP, "a slip of the hand"
    )
    gone = replace(claim("s2", note="refused"), origin=REJECTED, settled=why)
    owned = (OwnedAnnotation(SETTLED, kept), OwnedAnnotation(SETTLED, gone))
    people = (Person(SETTLED, SETTLED, PersonKind.SETTLED),)
    space.log.import_records([Record(sample, owned, (), people)])


def test_the_same_store_gives_the_same_bytes(space: Workspace) -> None:
    """Nothing in it tells when it was made: figures are of the last day of work."""
    text = written(space)
    assert written(space) == text
    (day,) = [each["day"] for each in data(text, "figures")]
    last = [each["updated"] for one in data(text, "sample") for each in one["work"]]
    assert day == max(last)[:10]


def test_the_policy_names_the_one_script_and_the_one_style(space: Workspace) -> None:
    """By their hashes; all else is forbidden."""
    text = written(space)
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', text)
    report = {part.strip() for part in policy.split(";")}
    beyond = "base-uri 'none', form-action 'none', trusted-types 'none'"  # of `default-src`
    needed = f"default-src 'none', {beyond}, require-trusted-types-for 'script'"
    assert report >= set(needed.split(", "))
    for kind, tag in (("script-src", "script"), ("style-src", "style")):
        (inside,) = re.findall(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{kind} 'sha256-{digest}'" in report
    assert re.findall(r"(?:src|href)=\"(?!#)", text) == []


def test_the_script_makes_no_markup() -> None:
    """Of nothing: what others wrote reaches the page as text alone."""
    script = page_frame()[1]
    assert (
        re.search("innerHTML|outerHTML|insertAdjacentHTML|document.write|eval|Function", script)
        is None
    )
    assert script.count("<script>") == script.count("</script>") == 1
    assert "<!--" not in script


values = st.recursive(
    st.none() | st.integers() | st.text(st.characters(exclude_categories=[])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


def _inside(value: Any) -> str:
    report = data_element("sample", value)
    inside = report.removeprefix('<script type="application/json" class="data-sample">')
    return inside.removesuffix("</script>\n")


@given(values)
def test_data_is_nothing_but_data(value: Any) -> None:
    """Whatever stands in it, the element ends where it should, and gives the value back."""
    inside = _inside(value)
    assert UNSAFE.search(inside) is None
    assert json.loads(inside) == value
    assert html.unescape(inside) == inside


def test_no_sign_hides_or_turns_what_an_editor_shows() -> None:
    """All of them: a draw out of all of Unicode rarely holds the one that is forgotten."""
    signs = "".join(sign for sign in map(chr, range(0x10000)) if UNSAFE.match(sign))
    assert UNSAFE.search(_inside(signs)) is None


def test_a_text_stands_there_once(space: Workspace) -> None:
    """However many samples share it; samples name it by number."""
    text = written(space)
    texts = data(text, "text")
    assert len(texts) == len(set(texts)) == 4
    shown = [texts[each["text"]] for one in data(text, "sample") for each in one["documents"]]
    assert shown == [each.text for sample in space.samples() for each in sample.documents]


def test_what_people_did_is_there(space: Workspace) -> None:
    """Whose annotations, with what they say; how far everybody is; each person named once."""
    text = written(space, ReportSubject("news"))
    first, second, third = data(text, "sample")
    assert [each["labels"] for each in first["annotations"]] == [[["Fine"]], [["Fine"]]]
    assert first["annotations"][0]["claim"] == [[1, 16, 33]]
    assert [each["state"] for each in first["work"]] == ["done", "done"]
    assert second["work"][0]["state"] == "draft"
    assert third["annotations"] == third["work"] == []
    (head,) = data(text, "head")
    assert sorted(name for _, name in head["people"]) == ["ana", "ben"]
    assert (head["samples"], head["annotations"]) == (3, 3)
    assert head["title"] == "news"
    assert [each["path"] for each in head["labels"]] == [["Wrong"], ["Odd"], ["Fine"], ["Alone"]]


def test_a_place_names_its_document() -> None:
    """By its number among all of the sample, sources first, whatever its side."""
    sides = ((Side.SOURCE, "One."), (Side.SOURCE, "Two."), (Side.SUMMARY, "Three."))
    sample = Sample("d", "1", tuple(Document(*each) for each in sides))
    evidence = (Anchor(Side.SOURCE, 1, Span(0, 3)),)
    one = Annotation("a", (Anchor(Side.SUMMARY, 0, Span(0, 5)),), evidence)
    values = PageValues(ReportSubject())
    assert list(values.new_texts(sample)) == ["One.", "Two.", "Three."]
    (report,) = values.sample(Record(sample, (OwnedAnnotation("p", one),)))["annotations"]
    assert (report["claim"], report["evidence"]) == ([[2, 0, 5]], [[1, 0, 3]])


def test_labels_that_can_not_be_read_stop_no_report(space: Workspace) -> None:
    """The sides have their usual titles then; the labels in use are in the samples all the same."""

    def broken(dataset: str) -> LabelTree:
        raise InvalidLabels(f"{dataset}: no list")

    target = space.path.parent / "report.html"
    replace(space.team.report, labels=broken).run(target)
    (head,) = data(target.read_text("utf-8"), "head")
    assert head["labels"] == []
    assert head["datasets"]["e"] == {"source": "Source", "summary": "Summary"}


def test_filters_narrow_what_is_there(space: Workspace) -> None:
    """As those of exports do, in samples and in figures; the page says so."""
    mine = written(space, person="ana")
    assert notes(mine) == ["by ana"]
    (figures,) = data(mine, "figures")
    assert [each["name"] for each in figures["work"]] == ["ana"]
    assert ["ana" in each for each in data(mine, "head")[0]["filters"]] == [True]
    by_id = written(space, person=space.person("ana").id)
    assert (notes(by_id), data(by_id, "figures")) == (["by ana"], [figures])
    assert notes(written(space, label="Odd")) == ["odd"]
    assert notes(written(space, state="done")) == ["by ana", "by ben"]
    assert len(data(written(space, dataset="e"), "sample")) == 1
    assert list(data(written(space, dataset="e"), "head")[0]["datasets"]) == ["e"]
    with pytest.raises(InvalidInput, match="'nobody'"):
        written(space, person="nobody")


def test_figures_tell_how_far_people_are_and_agree(space: Workspace) -> None:
    """Of who is done; where nobody is, of work that came without a state."""
    (figures,) = data(written(space), "figures")
    assert [(each["name"], each["completed"]) for each in figures["work"]] == [
        ("ana", 1),
        ("ben", 1),
    ]
    assert sum(each["hours"] for each in figures["weeks"]) == pytest.approx(150 / 3600)
    agreement = figures["agreement"]
    assert (agreement["state"], agreement["together"]["samples"]) == ("done", 1)
    (pair,) = agreement["together"]["pairs"]
    assert (pair["people"], pair["f1_exact"]) == (["ana", "ben"], 1.0)
    assert figures["weeks"][0]["finished"] == 2  # empty ones before it are left out
    assert {each["end"]["reason"] for each in figures["work"]} == {NoEndReason.BEGAN_THAT_DAY}
    (alone,) = data(written(space, dataset="e"), "figures")
    assert (alone["agreement"]["state"], alone["agreement"]["together"]["samples"]) == ("new", 0)


def test_what_review_refused_is_there_where_it_is_asked_for(space: Workspace) -> None:
    """And what it settled always, with who did it and how."""
    settle(space, space.person("zoe").id)
    text = written(space)
    assert sorted(notes(text)) == ["by ana", "by ben", "kept", "odd"]
    assert "a slip of the hand" not in text
    (kept,) = (one for one in data(text, "sample")[0]["annotations"] if one["note"] == "kept")
    names = dict(data(text, "head")[0]["people"])
    assert (names[kept["settled"]["by"]], kept["settled"]["how"]) == ("zoe", "taken")
    refused = written(space, origin="rejected")
    assert notes(refused) == ["refused"]
    assert "a slip of the hand" in refused


def test_an_annotator_gets_their_own_work(space: Workspace) -> None:
    """Of others not even the name, nor in figures; to ask for them is in vain."""
    settle(space, space.person("zoe").id)
    ana = space.person("ana").id
    own = space.acting(Actor(ana, Role.ANNOTATOR))
    text = written(own)
    assert notes(text) == ["by ana"]
    for word in ("ben", "zoe", "kept", space.person("ben").id):
        assert f'"{word}"' not in text
    (figures,) = data(text, "figures")
    assert [each["name"] for each in figures["work"]] == ["ana"]
    assert figures["forecast"] == []
    assert figures["agreement"]["together"]["samples"] == 0
    with pytest.raises(InvalidInput, match="'ben'"):
        written(own, person="ben")
    assert notes(written(space.acting(Actor(ana, Role.REVIEWER)))) != ["by ana"]


def test_pseudonyms_stand_everywhere(space: Workspace) -> None:
    """In samples, in figures, in what the page says of its filters: no name and no id is left."""
    people = [space.person(name) for name in ("ana", "ben", "zoe")]
    settle(space, people[-1].id)
    names, target = space.team.pseudonyms.names(), space.path.parent / "report.html"
    filters = RecordFilter()
    for wanted in (filters, replace(filters, person="ben")):
        space.team.report.run(target, wanted, hiding=names)
        text = target.read_text("utf-8")
        for person in people:
            assert person.id not in text
            assert re.search(rf'"{person.name}"|person {person.name}', text) is None
    (said,) = data(text, "head")[0]["filters"]  # that there is one, and not whose
    assert not [person for person in people if person.name in said.split()]
    (figures,) = data(text, "figures")
    (word,) = {each["name"] for each in figures["work"]}
    assert word == names.name(people[1].id)
    assert (word in figures["agreement"]["together"]["pairs"][0]["people"]) is True
    assert word in {name for _, name in data(text, "head")[0]["people"]}


@pytest.mark.parametrize("told", ["yz", "zy"])
def test_who_is_hidden_stands_where_their_word_does(space: Workspace, told: str) -> None:
    """In the order of names or ids, a reader who knows these would know whose each row is."""
    words = dict(zip((space.person("ana").id, space.person("ben").id), told, strict=True))
    report, wanted = space.team.report, RecordFilter()
    found = work_data(report.figures(), wanted, ReportSubject(), name=words.__getitem__)
    assert [each["name"] for each in found["work"]] == ["y", "z"]
    agreement = agreement_data(lambda asked: report.agreement(asked, words.__getitem__), wanted)
    together = agreement["together"]
    assert together["people"] == ["y", "z"]
    assert [each["people"] for each in together["pairs"]] == [["y", "z"]]


def test_practice_is_there_where_it_is_asked_for(space: Workspace) -> None:
    """As in exports."""
    key = SampleKey("e", "3")
    space.annotate.add(space.person("ben").id, key, claim("b3", note="right"), seconds=1)
    space.team.assignments.practice("e", ["ana"], gold="ben")
    space.annotate.add(space.person("ana").id, key, claim("a3", note="practised"), seconds=1)
    assert "practised" not in notes(written(space))
    assert "practised" in notes(written(space, practice="with"))


def test_a_time_of_the_reading_is_no_time_of_the_file() -> None:
    """From the moment before it to the one behind it, both with it; others are told."""
    subject = ReportSubject("a.json", ("2026-01-02", "2026-01-04"))
    days = [f"2026-01-0{day}" for day in range(1, 6)]
    assert [subject.time(day) for day in days] == [days[0], "", "", "", days[4]]
    assert [ReportSubject("w").time(day) for day in days] == days


def test_a_time_that_a_file_does_not_tell_is_not_made_up(space: Workspace) -> None:
    """Of a file only its own times are told, and nothing of pace and end."""
    (one, *_) = data(written(space), "sample")
    report = one["annotations"][0]["created"]
    hour = ("2026-01-01T00:00:00.000000+00:00", "9999-01-01T00:00:00.000000+00:00")
    text = written(space, ReportSubject("f.jsonl", hour))
    assert report not in text
    (figures,) = data(text, "figures")
    assert (figures["weeks"], figures["forecast"], figures["day"]) == ([], [], "")
    early = written(space, ReportSubject("f.jsonl", ("2020-01-01T00", "2020-01-01T01")))
    assert report in early


def test_an_empty_workspace_has_a_page(tmp_path: Path) -> None:
    """Without samples."""
    with workspaces.create(tmp_path / "w") as made:
        text = written(made)
    assert data(text, "sample") == []
    assert data(text, "figures")[0]["work"] == []


def test_what_was_written_is_counted(space: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Samples, annotations, bytes; a page that browsers open slowly is called heavy."""
    target = space.path.parent / "report.html"
    made = space.team.report.run(target, all_samples=True)
    assert (made.samples, made.annotations, made.is_large) == (3, 3, False)
    assert made.files == (target,)
    assert made.bytes == target.stat().st_size
    monkeypatch.setattr(reports, "HEAVY", made.bytes - 1)
    assert made.is_large


def test_a_report_lists_what_was_worked_on(space: Workspace) -> None:
    """A sample is listed if it has annotations, or was completed, rated or commented on."""
    target, person = space.path.parent / "report.html", space.person("ana").id
    fill(space.corpus, "4", "5", dataset="e")
    space.annotate.finish(person, SampleKey("e", "4"), seconds=1)
    space.annotate.read(person, SampleKey("e", "5"), seconds=1)
    made = space.team.report.run(target)
    text = target.read_text("utf-8")
    assert [each["id"] for each in data(text, "sample")] == ["1", "2", "4"]
    assert made.samples == data(text, "head")[0]["samples"] == 3
    assert len(data(written(space), "sample")) == 5


# several pages ---------------------------------------------------------------------------------


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each sample fills a page."""
    monkeypatch.setattr(reports, "PAGE_BYTES", 1)


def several(space: Workspace, target: Path) -> list[str]:
    """The pages of a report of all samples."""
    made = space.team.report.run(target, all_samples=True)
    assert made.sizes == tuple(each.stat().st_size for each in made.files if each)
    return [each.read_text("utf-8") for each in made.files if each]


def test_a_large_report_has_several_pages(
    space: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each page is complete: its texts, all people and labels, the same statistics, all links."""
    (whole,) = several(space, tmp_path / "whole.html")
    monkeypatch.setattr(reports, "PAGE_BYTES", 1)
    pages = several(space, tmp_path / "my report.html")
    samples = [[each["id"] for each in data(page, "sample")] for page in pages]
    assert samples == [["1"], ["2"], ["3"]]
    for number, page in enumerate(pages, 1):
        (head,), (alone,) = data(page, "head"), data(whole, "head")
        files = ["my report.html", "my report-2.html", "my report-3.html"]
        assert head["pages"] == [{"file": file, "samples": 1} for file in files]
        assert (head["page"], head["samples"], head["annotations"]) == (number, 3, 3)
        for part in ("people", "used", "labels"):
            assert head[part] == alone[part]
        assert data(page, "figures") == data(whole, "figures")
        texts = data(page, "text")
        (one,) = data(page, "sample")
        assert [texts[each["text"]] for each in one["documents"]] == texts
    assert sorted(each.name for each in tmp_path.glob("my*")) == sorted(files)


@pytest.mark.usefixtures("small_pages")
def test_labels_are_counted_by_person_over_all_pages(space: Workspace, tmp_path: Path) -> None:
    """An annotation counts once for each of its labels."""
    ana, ben = space.person("ana").id, space.person("ben").id
    for page in several(space, tmp_path / "r.html"):
        (figures,) = data(page, "figures")
        counted = {(tuple(path), person): count for path, person, count in figures["labels"]}
        assert counted == {(("Fine",), ana): 1, (("Fine",), ben): 1, (("Odd",), ben): 1}


def test_pages_of_an_earlier_report_go(
    space: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A smaller report of the same name leaves none of its pages; other reports stay."""
    with monkeypatch.context() as patch:
        patch.setattr(reports, "PAGE_BYTES", 1)
        several(space, tmp_path / "r.html")
    several(space, tmp_path / "r-9.html")
    several(space, tmp_path / "r.html")
    assert sorted(each.name for each in tmp_path.glob("*.html")) == ["r-9.html", "r.html"]


@pytest.mark.parametrize("content", ["mine", "a report"])
def test_a_page_overwrites_no_other_file(
    space: Workspace, tmp_path: Path, content: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that is not the same page of a report is kept, and then nothing is written."""
    if content == "mine":
        (tmp_path / "r-2.html").write_text(content)
    else:
        several(space, tmp_path / "r-2.html")
    monkeypatch.setattr(reports, "PAGE_BYTES", 1)
    before = (tmp_path / "r-2.html").read_bytes()
    with pytest.raises(Conflict, match=r"r-2\.html"):
        several(space, tmp_path / "r.html")
    assert (tmp_path / "r-2.html").read_bytes() == before
    assert not (tmp_path / "r.html").exists()


@pytest.mark.usefixtures("small_pages")
def test_what_pages_can_not_link_to_is_one_page(
    space: Workspace, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Standard output, and compressed files."""
    writer = space.team.report
    assert len(writer.run(None, all_samples=True).sizes) == 1
    assert len(data(capfd.readouterr().out, "sample")) == 3
    assert writer.run(tmp_path / "r.html.gz", all_samples=True).files == (tmp_path / "r.html.gz",)


@pytest.mark.usefixtures("small_pages")
def test_a_failure_leaves_no_page(
    space: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If one page can not be written, no page of the report appears."""
    writes: list[str] = []

    def failing(_: object, text: str) -> None:
        writes.append(text)
        if len(writes) == 9:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(reports._PageFile, "write", failing)
    with pytest.raises(Unavailable):
        several(space, tmp_path / "r.html")
    assert list(tmp_path.glob("*.html")) == list(tmp_path.glob(".*.part")) == []


@pytest.mark.usefixtures("small_pages")
def test_the_contents_are_announced_before_a_page_is_written(
    space: Workspace, tmp_path: Path
) -> None:
    """Samples, pages and bytes, while there is no file yet; the frame of a page comes on top."""
    target = tmp_path / "r.html"
    told: list[tuple[int, list[int], int]] = []

    def announce(contents: ReportContents) -> None:
        assert not target.exists()
        told.append((contents.samples, contents.pages, contents.bytes))

    made = space.team.report.run(target, announce=announce)
    frame = sum(len(part.encode()) for part in page_frame())
    ((samples, pages, size),) = told
    assert (samples, pages) == (2, [1, 1])
    assert made.bytes - size == pytest.approx(2 * frame, rel=0.5)
