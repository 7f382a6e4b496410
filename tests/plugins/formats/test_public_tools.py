"""Public tools read what we write, and find the same values in it; nothing goes to a network."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from pyld import jsonld

from tests.plugins.formats.hostile import CROWD, crowded, several
from tests.plugins.formats.laws import write
from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import Side
from tui_annotate.plugins.formats.tabular import COLUMNS, REVIEWS, review_rows, span_rows

Rows = list[dict[str, Any]]
PLACES = ("summary_start", "summary_end", "source_start", "source_end")
TEXTS = ("summary_text", "source_text", "note", "label_path", "annotator_name")
FEW = settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))


def _told(found: Rows) -> list[tuple[Any, ...]]:
    """Offsets and texts of rows, where nothing and an empty text are one."""
    return [tuple(row.get(name) or None for name in (*PLACES, *TEXTS)) for row in found]


def _expected(records: list[Record]) -> list[tuple[Any, ...]]:
    return [
        tuple(row.get(name) or None for name in (*PLACES, *TEXTS))
        for record in records
        for row in span_rows(record)
    ]


# ---------------------------------------------------------------- frames
def _pandas(path: Path) -> Rows:
    frame = pd.read_parquet(path)
    rows: Rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return rows


def _polars(path: Path) -> Rows:
    return pl.read_parquet(path).to_dicts()


@pytest.mark.parametrize("reader", [_pandas, _polars])
@FEW
@given(records=several())
def test_frames_have_the_same_cells(reader: Any, records: list[Record]) -> None:
    """Offsets and texts of both tables, whatever people wrote."""
    with TemporaryDirectory() as folder:
        place = Path(folder) / "out"
        write(records, "parquet", place)
        assert _told(reader(place / "annotations.parquet")) == _expected(records)
        found = reader(place / "reviews.parquet")
    report = [row for record in records for row in review_rows(record)]
    assert [(row["annotator"], row["state"] or "", row["annotations"]) for row in found] == [
        (row["annotator"], row["state"], row["annotations"]) for row in report
    ]


def test_columns_keep_their_types(tmp_path: Path) -> None:
    """Offsets are integers, times are moments in UTC, names are categories."""
    write([crowded(5)], "parquet", tmp_path / "out")
    path = tmp_path / "out" / "annotations.parquet"
    schema = pl.read_parquet_schema(path)
    assert list(schema) == list(COLUMNS)
    assert {schema[name] for name in PLACES} == {pl.Int32}
    assert schema["created"] == pl.Datetime("us", "UTC")
    frame = pd.read_parquet(path)
    assert str(frame["label_path"].dtype) == "category"
    assert str(frame["created"].dt.tz) == "UTC"
    assert len(frame) == CROWD


def test_pandas_reads_the_workbook(tmp_path: Path) -> None:
    """Both sheets with their columns, a row for each pair of spans."""
    record = crowded(6)
    write([record], "xlsx", tmp_path / "a.xlsx")
    sheets = pd.read_excel(tmp_path / "a.xlsx", sheet_name=None, dtype=object)
    assert list(sheets) == ["annotations", "reviews"]
    assert set(sheets["annotations"].columns) >= set(COLUMNS)
    assert set(sheets["reviews"].columns) >= set(REVIEWS)
    cells = sheets["annotations"][list(PLACES)].to_numpy().tolist()
    found = [tuple(cell or None for cell in row) for row in cells]
    assert found == [row[: len(PLACES)] for row in _expected([record])]


# ---------------------------------------------------------------- datasets
_LOADED = """
import json, sys
import datasets
kind, path, cache = sys.argv[1:]
found = datasets.load_dataset(kind, data_files=path, cache_dir=cache, split="train")
print(json.dumps({"columns": found.column_names, "rows": found.to_list()}, default=str))
"""


def _loaded(kind: str, path: Path, cache: Path) -> dict[str, Any]:
    """In a process of its own: whether it may go online is settled when it is imported."""
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(cache)}
    done = subprocess.run(
        [sys.executable, "-c", _LOADED, kind, str(path), str(cache)],
        env=os.environ | offline,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    loaded: dict[str, Any] = json.loads(done.stdout)
    return loaded


def test_datasets_loads_parquet(tmp_path: Path) -> None:
    """The table of annotations, from a file, without a network."""
    record = crowded(7)
    write([record], "parquet", tmp_path / "out")
    found = _loaded("parquet", tmp_path / "out" / "annotations.parquet", tmp_path / "cache")
    assert found["columns"] == list(COLUMNS)
    assert _told(found["rows"]) == _expected([record])


@pytest.mark.parametrize("name", ["native", "doccano"])
def test_datasets_loads_json_lines(name: str, tmp_path: Path) -> None:
    """Texts as they are, and the number of spans."""
    record = crowded(8)
    write([record], name, tmp_path / "a.jsonl")
    (row,) = _loaded("json", tmp_path / "a.jsonl", tmp_path / "cache")["rows"]
    texts = [document.text for document in record.sample.documents]
    if name == "native":
        assert [document["text"] for document in row["documents"]] == texts
        assert len(row["annotations"]) == CROWD
    else:
        assert row["text"].startswith(texts[0])
        assert row["text"].endswith(texts[1])
        quotes = Counter(
            row["text"][one["start_offset"] : one["end_offset"]]
            for one in row["entities"]
            if one["label"] != "Evidence"
        )
        claims = [owned.annotation.claim[0].span.of(texts[1]) for owned in record.annotations]
        assert quotes == Counter(claims)


# ---------------------------------------------------------------- JSON-LD
_OA, _AS = "http://www.w3.org/ns/oa#", "http://www.w3.org/ns/activitystreams#"
_DC, _DCTERMS = "http://purl.org/dc/elements/1.1/", "http://purl.org/dc/terms/"
_FOAF, _XSD = "http://xmlns.com/foaf/0.1/", "http://www.w3.org/2001/XMLSchema#"
_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_LINK = {"@type": "@id"}
CONTEXT: dict[str, Any] = {
    "id": "@id",
    "type": "@type",
    **{
        name: _OA + name
        for name in (
            "Annotation", "SpecificResource", "TextualBody", "TextPositionSelector",
            "TextQuoteSelector", "classifying", "commenting", "linking", "highlighting",
            "assessing", "exact", "prefix", "suffix",
        )
    },
    "AnnotationCollection": _AS + "OrderedCollection",
    "AnnotationPage": _AS + "OrderedCollectionPage",
    "Person": _FOAF + "Person",
    "name": _FOAF + "name",
    "label": "http://www.w3.org/2000/01/rdf-schema#label",
    "motivation": {"@id": _OA + "motivatedBy", "@type": "@vocab"},
    "purpose": {"@id": _OA + "hasPurpose", "@type": "@vocab"},
    "creator": {"@id": _DCTERMS + "creator", **_LINK},
    "created": {"@id": _DCTERMS + "created", "@type": _XSD + "dateTime"},
    "modified": {"@id": _DCTERMS + "modified", "@type": _XSD + "dateTime"},
    "body": {"@id": _OA + "hasBody", **_LINK},
    "target": {"@id": _OA + "hasTarget", **_LINK},
    "source": {"@id": _OA + "hasSource", **_LINK},
    "selector": {"@id": _OA + "hasSelector", **_LINK},
    "start": {"@id": _OA + "start", "@type": _XSD + "nonNegativeInteger"},
    "end": {"@id": _OA + "end", "@type": _XSD + "nonNegativeInteger"},
    "value": _RDF + "value",
    "format": _DC + "format",
    "language": _DC + "language",
    "total": {"@id": _AS + "totalItems", "@type": _XSD + "nonNegativeInteger"},
    "first": {"@id": _AS + "first", **_LINK},
    "items": {"@id": _AS + "items", "@type": "@id", "@container": "@list"},
    "partOf": {"@id": _AS + "partOf", **_LINK},
    "startIndex": {"@id": _AS + "startIndex", "@type": _XSD + "nonNegativeInteger"},
}  # fmt: skip
"""The terms that we use, with the IRIs that the vocabulary of the model gives them."""


def _context(url: str, _options: Any) -> dict[str, Any]:
    assert url == "http://www.w3.org/ns/anno.jsonld"
    document = {"@context": CONTEXT}
    return {"contextUrl": None, "documentUrl": url, "document": document,
            "contentType": "application/ld+json"}  # fmt: skip


def _expanded(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = jsonld.expand(
        json.loads(path.read_text("utf-8")), {"documentLoader": _context}
    )
    return found


def _nodes(value: Any, kind: str) -> list[dict[str, Any]]:
    """All nodes of a type, at any depth."""
    if isinstance(value, list):
        return [node for each in value for node in _nodes(each, kind)]
    if not isinstance(value, dict):
        return []
    here = [value] if kind in value.get("@type", []) else []
    return here + [node for each in value.values() for node in _nodes(each, kind)]


def _values(node: dict[str, Any], *names: str) -> tuple[Any, ...]:
    return tuple(node[_OA + name][0]["@value"] for name in names)


@FEW
@given(records=several().filter(bool))
def test_a_processor_of_json_ld_understands_every_term(records: list[Record]) -> None:
    """No key is dropped as unknown; positions and quotes are those of the spans."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.jsonld"
        write(records, "w3c", path)
        plain = json.loads(path.read_text("utf-8"))
        found = _expanded(path)
    spans = [
        (span.start, span.end, span.of(record.sample.document(side).text))
        for record in records
        for owned in record.annotations
        for side, _, span in owned.annotation.anchors
    ]
    assert len(found) == len(records)
    places = [_values(one, "start", "end") for one in _nodes(found, _OA + "TextPositionSelector")]
    quotes = [_values(one, "exact")[0] for one in _nodes(found, _OA + "TextQuoteSelector")]
    assert sorted(places) == sorted(span[:2] for span in spans)
    assert Counter(quotes) == Counter(span[2] for span in spans)
    for collection, report in zip(plain, found, strict=True):
        assert _keys({**collection, "@context": None}) == _keys(report)


def _keys(value: Any) -> set[str]:
    """The last names of all keys that are not the processor's own, at any depth but in JSON."""
    if isinstance(value, list):
        return {key for each in value for key in _keys(each)}
    if not isinstance(value, dict) or value.get("@type") == "@json":
        return set()
    names = {key: _NAMES.get(key, _short(key)) for key in value if not key.startswith("@")}
    below = {key for name, each in value.items() if name != "tui:meta" for key in _keys(each)}
    return {name for name in names.values() if name not in ("id", "type")} | below


def _short(key: str) -> str:
    return key.replace("urn:tui-annotate:", "tui:")


_NAMES = {
    (term if isinstance(term, str) else term["@id"]): name
    for name, term in CONTEXT.items()
    if name not in ("id", "type")
}


def test_both_texts_are_nodes_of_their_own(tmp_path: Path) -> None:
    """What an annotation is about is the IRI of a text that stands in the file."""
    record = crowded(9)
    write([record], "w3c", tmp_path / "a.jsonld")
    (found,) = _expanded(tmp_path / "a.jsonld")
    texts = {
        node["@id"]: node[_RDF + "value"][0]["@value"]
        for node in found["urn:tui-annotate:documents"][0]["@list"]
    }
    assert set(texts.values()) == {record.sample.document(side).text for side in Side}
    targets = _nodes(found, _OA + "SpecificResource")
    assert len(targets) == 2 * CROWD
    assert {one[_OA + "hasSource"][0]["@id"] for one in targets} == set(texts)
