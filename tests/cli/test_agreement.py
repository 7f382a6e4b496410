"""The command agreement: a table, JSON or CSV of the same, and what is said beside it."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Command, numbers
from tests.cli.test_json import names
from tests.helpers.collection_samples import collection, key, report
from tests.helpers.stores import SEGMENTER, new
from tests.helpers.terminal import ROOT
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.people import Person, second_reader
from tui_annotate.domain.records import OwnedAnnotation, Record, RecordFilter
from tui_annotate.domain.samples import Document, Sample, SampleKind, Side
from tui_annotate.domain.spans import Span

ANA, BEN = Person("p1", "ana"), Person("p2", "ben\x1b[31m")


@pytest.fixture
def read(filled: Command, tmp_path: Path) -> Command:
    """A workspace whose two pairs ana and ben read, and ana once more; ben marked one alone."""
    import tui_annotate

    with tui_annotate.open(tmp_path) as space:
        for at, record in enumerate(list(space.corpus.records(RecordFilter()))):
            for person in (ANA, BEN, second_reader(ANA)):
                made = Annotation(
                    f"{person.id}{at}",
                    (Anchor(Side.SUMMARY, 0, Span(0, 10)),),
                    (Anchor(Side.SOURCE, 0, Span(0, 10)),),
                    (("Unwanted", "Intrinsic"),),
                )
                owned = () if person is BEN and at else (OwnedAnnotation(person.id, made),)
                assignments = (Assignment(person.id, State.DONE),)
                space.log.import_records([Record(record.sample, owned, assignments, (person,))])
    return filled


def test_a_table_for_people(read: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures on standard output within 80 columns; why one is missing on standard error."""
    monkeypatch.setenv("COLUMNS", "80")
    shown = read("agreement", "--pairs")
    assert shown.code == 0
    assert re.search(r"^.* 2 .*: ana, ben␛\[31m$", shown.out, re.MULTILINE)
    assert re.search(r"^.* 2 .*: ana$", shown.out, re.MULTILINE)
    assert re.search(r"^sample +share equal +\.500 +- +2 ", shown.out, re.MULTILINE)
    assert re.search(r"^ana, ben␛\[31m +2 +\.500 ", shown.out, re.MULTILINE)
    assert max(map(len, shown.out.splitlines())) <= 80
    reported = read("agreement", "--json").json
    missing = next(each for each in reported["together"]["measures"] if each["undefined"])
    assert missing["measure"] == "cohen_kappa"
    assert missing["level"] == "label"
    assert shown.err.startswith("Cohen's kappa and Fleiss' kappa of labels")
    assert " > ".join(reported["labels"]) in shown.err
    assert reported["bootstrap"]["draws"] not in numbers(shown.err)  # there are no intervals
    assert reported["together"]["clusters"] in numbers(shown.err)
    assert reported["together"]["few_clusters"] is True
    assert "nan" not in (shown.out + shown.err).lower()


def test_columns_and_missing_intervals_are_explained(read: Command) -> None:
    """Each table of pairs has a legend of its columns, and a `-` its reason, once."""
    shown = read("agreement", "--pairs", "--disagreements")
    lines = shown.out.splitlines()
    legends = {"people  n": "n:", "people  first": "first,"}
    for title, legend in legends.items():
        tables = [
            at for at, line in enumerate(lines) if re.sub(r"  +", "  ", line).startswith(title)
        ]
        assert tables
        for at in tables:
            after = next(line for line in lines[at:] if ": " in line)
            assert after.startswith(legend)
    assert shown.err.count('interval "-"') == 1
    assert shown.err.splitlines()[-1].startswith("docs/agreement.md ")
    assert "interval" not in read("agreement", "--json").err


def test_one_value_is_marked_to_be_quoted(read: Command) -> None:
    """The table marks alpha of sentences, as in JSON, with one sentence that states why."""
    reported = read("agreement", "--json").json["together"]["measures"]
    quoted = [(each["level"], each["measure"]) for each in reported if each["quoted"]]
    assert quoted == [("segment", "alpha_nominal")]
    lines = read("agreement", "--person", "ana", "--person", BEN.name).out.splitlines()
    marked = [line for line in lines if re.search(r" \* +[-.\d]+ ", line)]
    assert [line.split()[0] for line in marked[:1]] == ["sentence"]
    assert sum(line.startswith("* ") for line in lines) == len(marked)


def test_two_annotators_are_compared_by_samples(read: Command) -> None:
    """Units of two people are samples and sentences; of more people, pairs of readings."""
    reported = read("agreement", "--json").json["together"]["measures"]
    units = {(each["level"], each["measure"]): each["of"] for each in reported}
    assert units["sample", "percent"] == "samples"
    assert units["segment", "percent"] == "sentences"
    assert units["span", "f1_character"] == "samples with a span"


def test_disagreements_are_printed_by_pair_and_label(
    read: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a table within 80 columns, and in JSON only if asked for; not as CSV."""
    monkeypatch.setenv("COLUMNS", "80")
    shown = read("agreement", "--disagreements")
    line = re.search(
        r"^ana, ben␛\[31m +Unwanted\S+ +nothing +span +1 of 2 +pairs/tea$", shown.out, re.MULTILINE
    )
    assert line
    assert max(map(len, shown.out.splitlines())) <= 80
    assert "disagreements" not in read("agreement", "--json").json["together"]
    reported = read("agreement", "--disagreements", "--json").json
    assert reported["together"]["disagreements"] == [
        {
            "people": ["ana", BEN.name],
            "level": "span",
            "labels": ["Unwanted.Intrinsic", "nothing"],
            "count": 1,
            "of": 2,
            "samples": [{"dataset": "pairs", "sample": "tea"}],
        }
    ]
    assert reported["oneself"]["disagreements"] == []
    assert "no disagreements" in shown.out
    hidden = read("agreement", "--disagreements", "--pseudonymize").out
    assert "person-" in hidden
    assert "ana," not in hidden
    assert read("agreement", "--disagreements", "--csv").code == 2


def test_ratings_that_differ_are_disagreements(filled: Command, tmp_path: Path) -> None:
    """By the two ratings, out of the samples that both people rated."""
    import tui_annotate

    with tui_annotate.open(tmp_path) as space:
        for at, record in enumerate(list(space.corpus.records(RecordFilter()))):
            for person, word in ((ANA, "Bad"), (BEN, "Good" if at else "Bad")):
                work = Assignment(person.id, State.DONE, word)
                space.log.import_records([Record(record.sample, (), (work,), (person,))])
    (found,) = filled("agreement", "--disagreements", "--json").json["together"]["disagreements"]
    assert (found["level"], found["labels"], found["count"], found["of"]) == (
        "rating", ["Bad", "Good"], 1, 2,
    )  # fmt: skip


def test_json_has_documented_names(read: Command) -> None:
    """Each name of its shape stands in the manual; names of people are as they are."""
    manual = (ROOT / "docs" / "json.md").read_text("utf-8")
    reported = read("agreement", "--json", "--disagreements").json
    assert [name for name in names(reported) if not re.search(rf'[`"]{name}[`"]', manual)] == []
    assert reported["together"]["people"] == ["ana", BEN.name]
    assert reported["oneself"]["pairs"][0]["people"] == ["ana"]


def test_csv_has_a_row_for_each_measure(read: Command) -> None:
    """The same values as JSON, under the columns of the manual."""
    reported = read("agreement", "--json").json
    rows = list(csv.DictReader(io.StringIO(read("agreement", "--csv").out)))
    assert list(rows[0]) == ["level", "measure", "value", "low", "high", "n", "note"]
    measures = reported["together"]["measures"] + reported["oneself"]["measures"]
    assert len(rows) == len(measures)
    for row, measure in zip(rows, measures, strict=True):
        assert row["level"].removeprefix("oneself: ") == measure["level"]
        assert row["value"] == ("" if measure["value"] is None else str(measure["value"]))


def test_options_choose(read: Command) -> None:
    """Filters are those of export; label level, people and label set are the command's own."""
    reported = read("agreement", "--json", "--person", "ana", "--label-level", "1").json
    assert reported["filters"]["people"] == ["ana"]
    assert reported["labels"] == ["Unwanted", "nothing"]
    assert read("agreement", "--json", "--state", "draft").json["together"]["samples"] == 0
    assert read("agreement", "--person", "nobody").code == 2
    assert read("agreement", "--label-set", "feed").code == 2
    assert read("agreement", "--json", "--csv").code == 2


def test_ratings_have_figures_and_a_table_of_their_own(
    filled: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of one kind where it is asked for; words from a file are marked, and not drawn."""
    import tui_annotate

    with tui_annotate.open(tmp_path) as space:
        space.corpus.add([new(each) for each in collection()], segmenter=SEGMENTER)
        for each in collection():
            for person, word in ((ANA, "Bad"), (BEN, "So-so\x1b[31m")):
                work = Assignment(person.id, State.DONE, word)
                space.log.import_records([Record(each, (), (work,), (person,))])
    monkeypatch.setenv("COLUMNS", "80")
    shown = filled("agreement", "--kind", "report", "--pairs")
    assert shown.code == 0
    assert re.search(r"^rating +kappa, linear +\.000 ", shown.out, re.MULTILINE)
    assert re.search(r"^ana, ben␛\[31m +3 +\.000 +\.000 +\.000$", shown.out, re.MULTILINE)
    assert "Perfect > Mostly Good > So-so > Bad > So-so␛[31m" in shown.err
    assert max(map(len, shown.out.splitlines())) <= 80
    every = filled("agreement", "--json").json
    assert every["together"]["samples"] == len(collection())
    assert filled("agreement", "--json", "--kind", "pair").json["ratings"] == []


def test_each_scale_tells_its_order(
    filled: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where questions and reports were rated the levels say of which, in 80 columns."""
    import tui_annotate

    documents = (Document(Side.SOURCE, "Tea."),)
    question = Sample("q", "1", documents, kind=SampleKind.QUESTION)
    with tui_annotate.open(tmp_path) as space:
        for each, word in ((question, "Correct"), (report(), "Bad")):
            space.corpus.add([new(each)], segmenter=SEGMENTER)
            for person in (ANA, BEN):
                work = Assignment(person.id, State.DONE, word)
                space.log.import_records([Record(each, (), (work,), (person,))])
    monkeypatch.setenv("COLUMNS", "80")
    shown = filled("agreement", "--pairs")
    for level in ("items", "questions"):
        assert re.search(rf"^rating: {level} +share equal +1\.00 ", shown.out, re.MULTILINE)
    assert re.search(r"^ana, ben\S+ +2 +1\.00 +- +-$", shown.out, re.MULTILINE)
    assert re.search(r"\bquestions\b.* Correct > Incorrect > Unclear$", shown.err, re.MULTILINE)
    assert re.search(r"\bitems\b.* Perfect > ", shown.err)
    assert max(map(len, shown.out.splitlines())) <= 80


def test_items_are_counted_in_the_status(filled: Command, tmp_path: Path) -> None:
    """By dataset and kind, with who annotated how many."""
    import tui_annotate

    with tui_annotate.open(tmp_path) as space:
        assert "annotator" not in filled("status").out
        space.corpus.add([new(each) for each in collection()], segmenter=SEGMENTER)
        ana = space.people.local("ana").id
        space.annotate.rate(ana, key("d|1|da"), "Bad", seconds=0)
    shown = filled("status")
    assert re.search(r"^c +report +3 +- +0$", shown.out, re.MULTILINE)
    assert re.search(r"^c +document +4 +ana +1$", shown.out, re.MULTILINE)
    (reported,) = [each for each in filled("status", "--json").json["items"] if each["name"]]
    assert (reported["dataset"], reported["kind"], reported["annotated"]) == ("c", "document", 1)


def test_work_without_states_is_pointed_out(command: Command) -> None:
    """Of a dump that says nothing of who is done, the line to add is told."""
    assert command("init").code == 0
    dump = str(ROOT / "sample_data" / "gold.json")
    assert command("ingest", dump, "--embedder", "none").code == 0
    shown = command("agreement")
    assert "--state new" in shown.err
    alone = command("agreement", "--state", "new").err
    assert 49 in numbers(alone)
    assert "--state" not in alone


def test_nothing_to_compare_is_said(filled: Command) -> None:
    """Without two readings of a sample there is no figure; the exit code says so in each form."""
    shown = filled("agreement")
    assert (shown.code, shown.out) == (1, "")
    (said,) = shown.err.splitlines()
    assert numbers(said) == []
    table = filled("agreement", "--csv")
    assert (table.code, table.out) == (1, "level,measure,value,low,high,n,note\n")
    found = filled("agreement", "--json")
    assert (found.code, found.json["together"]["samples"]) == (1, 0)
