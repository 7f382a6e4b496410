"""Label Studio's own converter reads the tasks that we write.

It brings thirty packages and 250 MB, so it is no part of the extra `dev`: pip install '.[studio]'.
"""

from __future__ import annotations

import json
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.plugins import record_reader
from tests.plugins.formats.hostile import CROWD, crowded
from tests.plugins.formats.laws import write
from tests.plugins.formats.test_label_studio_tables import record_of, work
from tui_annotate.domain.samples import Side

CONFIGURATION = """<View>
  <Relations><Relation value="evidence"/><Relation value="part"/></Relations>
  <Labels name="claim" toName="summary">
    <Label value="Unwanted.x"/><Label value="幻觉.x"/><Label value="a/b.x"/>
  </Labels>
  <Labels name="ev" toName="source"><Label value="Evidence"/></Labels>
  <Text name="source" value="$source"/><Text name="summary" value="$summary"/>
  <TextArea name="note" toName="summary" perRegion="true"/>
  <Choices name="rating" toName="summary"><Choice value="good"/></Choices>
  <TextArea name="comment" toName="summary"/>
</View>"""


@pytest.mark.skipif(not find_spec("label_studio_sdk"), reason="no label-studio-sdk installed")
def test_its_converter_finds_every_region(tmp_path: Path) -> None:
    """A result for each who submitted; claims with label, place and words, and evidence."""
    record = crowded(11)
    write([record], "labelstudio", tmp_path / "tasks.json")
    converter = import_module("label_studio_sdk.converter").Converter(
        CONFIGURATION, str(tmp_path), download_resources=False
    )
    found = list(converter.iter_from_json_file(str(tmp_path / "tasks.json")))
    assert {one["completed_by"]["id"] for one in found} == {person.id for person in record.people}
    summary = record.sample.document(Side.SUMMARY).text
    expected = sorted(
        (anchor.span.start, anchor.span.end, anchor.span.of(summary), ".".join(path))
        for owned in record.annotations
        for anchor in owned.annotation.claim
        for path in owned.annotation.labels
    )
    claims = [each for one in found for each in one["output"].get("claim", ())]
    assert len(claims) == CROWD
    assert expected == sorted(
        (each["start"], each["end"], each["text"], label)
        for each in claims
        for label in each["labels"]
    )
    assert sum(len(one["output"].get("ev", ())) for one in found) == CROWD
    converter.convert_to_json(str(tmp_path / "tasks.json"), str(tmp_path / "out"), is_dir=False)
    assert json.loads(next((tmp_path / "out").glob("*.json")).read_text("utf-8"))


@pytest.mark.skipif(not find_spec("label_studio_sdk"), reason="no label-studio-sdk installed")
@pytest.mark.parametrize("kind", ["csv", "tsv", "json"])
def test_its_flat_exports_of_our_tasks_read_back_equal(tmp_path: Path, kind: str) -> None:
    """The tables and JSON-MIN that Label Studio's converter makes of our export."""
    text, _ = record_reader.write([record_of(1), record_of(2)], "labelstudio")
    path = record_reader.file(tmp_path, "tasks.json", text)
    configuration = CONFIGURATION.replace('"good"', '"good"/><Choice value="bad"')
    converter = import_module("label_studio_sdk.converter").Converter(
        configuration, str(tmp_path), download_resources=False
    )
    flat = tmp_path / "out" / "result.json"
    if kind == "json":
        converter.convert_to_json_min(str(path), str(flat.parent), is_dir=False)
    else:
        flat = tmp_path / f"a.{kind}"
        separator = "\t" if kind == "tsv" else ","
        written = tmp_path / "result.csv"
        converter.convert_to_csv(str(path), str(tmp_path), is_dir=False, sep=separator)
        written.rename(flat)
    expected, _ = record_reader.read(path)
    found, problems = record_reader.read(flat)
    assert problems == []
    assert [one.sample for one in found] == [one.sample for one in expected]
    assert [work(one) for one in found] == [work(one) for one in expected]
    assert [{*one.assignments} for one in found] == [{*one.assignments} for one in expected]
    assert [{*one.people} for one in found] == [{*one.people} for one in expected]
