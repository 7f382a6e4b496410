"""Sound files of every form that is read: as we write them, and as other programs do."""

from __future__ import annotations

import io
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import openpyxl

from tests.fuzz import foreign
from tests.fuzz.mutations import Files
from tests.helpers.position_rows import lookup, placed
from tests.plugins.formats.laws import examples, write
from tests.plugins.strategies import DUMP, NATIVE
from tui_annotate.domain.records import Record
from tui_annotate.settings import WORKSPACE_TEMPLATE

_CHUNKS = [
    (0, "It opened.", "source", 0, 0, 0), (1, "It cost 12. 🌉", "source", 0, 11, 1),
    (2, "It cost 15.", "summary", 0, 0, 0), (3, "A.", "source", 1, 0, 0),
    (4, "B.", "summary", 1, 0, 0),
]  # fmt: skip
_USERS = [("ab12", "ana", "ana@example.org", "$argon2id$x"), ("7", "ben", "ben@example.org", "")]


@cache
def seeds(name: str) -> tuple[Files, ...]:
    """The sound files of a form, or of another reader; the names begin as that form's do."""
    return tuple(_SEEDS[name]())


def _one(name: str, *contents: Any) -> Iterator[Files]:
    for each in contents:
        text = each if isinstance(each, str | bytes) else json.dumps(each, ensure_ascii=False)
        yield {name: text.encode() if isinstance(text, str) else text}


def _lines(*rows: Any) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _work() -> list[Record]:
    """Work with all that a record can have, each sample under a name of its own."""
    there = [one for found in examples("ana").values() for one in found]
    return [
        replace(one, sample=replace(one.sample, id=str(place), dataset="d"))
        for place, one in enumerate(there)
    ]


def _written(form: str) -> Iterator[Files]:
    """What the exporter of a form writes: of some work at a time, so that files stay small."""
    work = _work()
    for start in range(0, len(work), 4):
        with TemporaryDirectory() as folder:
            place = Path(folder, "out")
            write(work[start : start + 4], form, place)
            if place.is_file():
                yield {"a.json": place.read_bytes()}
            else:
                inside = sorted(each for each in place.rglob("*") if each.is_file())
                yield {str(each.relative_to(place)): each.read_bytes() for each in inside}


def _native() -> Iterator[Files]:
    yield from _one("a.jsonl", _lines(NATIVE, NATIVE | {"id": "2"}))
    yield from _written("native")


def _mercury() -> Iterator[Files]:
    yield from _one("a.json", [DUMP, DUMP | {"sample_id": 1}], {"samples": [DUMP]})
    yield from _written("mercury")


def _faithbench() -> Iterator[Files]:
    yield from _one("a.json", {"samples": [foreign.RELEASED]})
    yield from _written("faithbench")


def _ragtruth() -> Iterator[Files]:
    sources, responses = _lines(*foreign.SOURCES), _lines(*foreign.RESPONSES)
    yield {"source_info.jsonl": sources.encode(), "response.jsonl": responses.encode()}
    yield from _written("ragtruth")


def _labelstudio() -> Iterator[Files]:
    yield from _one("a.json", [foreign.TASK], [foreign.JOINED])
    yield from _written("labelstudio")


def _doccano() -> Iterator[Files]:
    yield from _one("a.jsonl", _lines(*foreign.LINES), *foreign.LINES)
    users = {f"{name}.jsonl": _lines(*foreign.LINES).encode() for name in ("ana", "unknown")}
    yield users
    target = io.BytesIO()
    with ZipFile(target, "w", ZIP_DEFLATED) as archive:
        for name, lines in users.items():
            archive.writestr(ZipInfo(name), lines, ZIP_DEFLATED)  # at the same time always
    yield {"a.zip": target.getvalue()}
    yield from _written("doccano")


def _brat() -> Iterator[Files]:
    text, standoff = foreign.TEXT.encode(), foreign.STANDOFF.encode()
    yield {"ana/b.txt": text, "ana/b.ann": standoff, "ben/b.txt": text, "ben/b.ann": b""}
    yield {"b.txt": text, "b.ann": standoff}
    yield from _written("brat")


def _autojudge() -> Iterator[Files]:
    topics, page = _lines(*foreign.TOPICS).encode(), _lines(foreign.PAGE).encode()
    reports = _lines(*foreign.REPORTS).encode()
    yield {"topics.jsonl": topics, "documents.jsonl": page, "runs.jsonl": reports}
    yield from _one("a.jsonl", _lines(*foreign.JUDGEMENTS))
    named = {"a.jsonl": reports, "b.jsonl": _lines(*foreign.JUDGEMENTS).encode()}
    yield {"topics.jsonl": topics, **named}


def _open_qa() -> Iterator[Files]:
    said = {"human_verdicts": [{"person": "ana", "verdict": "Correct", "comment": "yes"}]}
    questions = (placed(1), placed(0, "A sea star.") | said, placed(2, name="谁？"))
    yield from _one("a.jsonl", _lines(*questions), _lines(lookup(1), lookup(0, "value-1")))
    yield from _one("a.json", [placed(0), lookup(1)])


def _pairs() -> Iterator[Files]:
    yield from _one("a.csv", *foreign.TABLES)
    yield from _one("a.jsonl", _lines(foreign.ROW, foreign.ROW))
    yield from _one("a.json", [foreign.ROW, foreign.ROW])
    yield from _one("a.parquet", *map(_parquet, ("snappy", "zstd", "none")))
    arrow, state = _arrow(), json.dumps({"_data_files": [{"filename": "a.arrow"}]}).encode()
    yield {"state.json": state, "a.arrow": arrow}
    splits = b'{"splits": ["train"]}'
    yield {"dataset_dict.json": splits, "train/state.json": state, "train/a.arrow": arrow}
    yield {"data/train-00000-of-00001.parquet": _parquet("snappy")}
    yield from _workbook()


def _workbook() -> Iterator[Files]:
    target = io.BytesIO()
    book = openpyxl.Workbook()
    for sheet in (book.active, book.create_sheet("two")):
        sheet.append([*foreign.ROW])
        sheet.append([str(value) for value in foreign.ROW.values()])
    book.save(target)
    yield {"a.xlsx": target.getvalue()}


def _rag() -> Iterator[Files]:
    yield from _one("a.jsonl", _lines(*foreign.QUESTIONS), *map(_lines, foreign.QUESTIONS))
    yield from _one("a.json", foreign.QUESTIONS)
    yield from _written("rag")


def _generations() -> Iterator[Files]:
    yield from _one("a.jsonl", _lines(*foreign.ANSWERS), *map(_lines, foreign.ANSWERS))
    yield from _one("a.json", foreign.ANSWERS)
    yield from _written("generations")


def _frame() -> Any:
    import pyarrow as pa

    rows = [
        {
            "source": f"A {n}. 🌉", "summary": "B.", "n": n, "f": n / 3,
            "b": b"\xff", "l": [{"a": None}],
            "t": datetime(2026, 1, 2, tzinfo=UTC), "x": Decimal("1.50"), "e": None, "k": ["x"],
        }
        for n in range(3)
    ]  # fmt: skip
    table = pa.Table.from_pylist(rows)
    place = table.schema.get_field_index("summary")
    return table.set_column(place, "summary", table["summary"].dictionary_encode())


def _parquet(packed: str) -> bytes:
    from pyarrow import parquet

    target = io.BytesIO()
    parquet.write_table(_frame(), target, compression=packed)
    return target.getvalue()


def _arrow() -> bytes:
    from pyarrow import ipc

    target = io.BytesIO()
    table = _frame()
    with ipc.new_stream(target, table.schema) as stream:
        stream.write_table(table, max_chunksize=2)
    return target.getvalue()


def _database(tables: dict[str, list[tuple[Any, ...]]]) -> bytes:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("PRAGMA page_size = 1024")
        for declared, rows in tables.items():
            connection.execute(f"CREATE TABLE {declared}")
            table = declared.partition(" ")[0]
            for row in rows:
                connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)
        connection.commit()
        return connection.serialize()


def _mercury_database() -> Iterator[Files]:
    spans = '{"source": [19, 21], "summary": [8, 10]}'
    annotations = [
        (1, 0, spans, "ab12", '["X", "X.Y"]', "n"),
        (2, 1, '{"summary": [0, 1]}', "7", "X", None),
    ]
    users = {"users (user_id, user_name, email, hashed_password)": _USERS}
    tables: dict[str, list[tuple[Any, ...]]] = {
        "chunks (chunk_id, text, text_type, sample_id, char_offset, chunk_offset)": _CHUNKS,
        "annotations (annot_id, sample_id, annot_spans, annotator, label, note)": annotations,
        "sample_meta (sample_id, json_meta)": [(0, '{"model": "toy"}')],
        "comments (comment_id, user_id, annot_id, parent_id, text)": [(1, "7", 1, None, "hm")],
    }
    yield {"a.sqlite": _database(tables)}
    in_chunks = dict(tables)
    in_chunks.pop("annotations (annot_id, sample_id, annot_spans, annotator, label, note)")
    named = "annotations (annot_id, sample_id, text_spans, annotator, label, note)"
    in_chunks[named] = [(1, 0, '{"source": [8, 10, 1], "summary": [8, 10, 2]}', "7", "X", "")]
    yield {"a.sqlite": _database(in_chunks), "users.sqlite": _database(users)}


_SETTINGS = "\n".join(line.removeprefix("# ") for line in WORKSPACE_TEMPLATE.splitlines()[2:])

_SEEDS: dict[str, Callable[[], Iterator[Files]]] = {
    "native": _native,
    "mercury": _mercury,
    "mercury-db": _mercury_database,
    "faithbench": _faithbench,
    "ragtruth": _ragtruth,
    "labelstudio": _labelstudio,
    "doccano": _doccano,
    "brat": _brat,
    "w3c": lambda: _written("w3c"),
    "autojudge": _autojudge,
    "open-qa": _open_qa,
    "rag": _rag,
    "generations": _generations,
    "pairs": _pairs,
    "csv": lambda: _one("a.csv", *foreign.TABLES),
    "tsv": lambda: _one("a.tsv", foreign.TABLES[2]),
    "jsonl": lambda: _one("a.jsonl", _lines(foreign.ROW, foreign.ROW)),
    "json": lambda: _one("a.json", [foreign.ROW, foreign.ROW]),
    "xlsx": _workbook,
    "folder": lambda: iter(
        [{"a.csv": foreign.TABLES[0].encode(), "b.jsonl": _lines(foreign.ROW).encode()}]
    ),
    "users": lambda: _one("a.csv", *foreign.USERS),
    "mercury-users": lambda: iter(
        [{"a.sqlite": _database({"users (user_id, user_name, email, hashed_password)": _USERS})}]
    ),
    "labels": lambda: _one("labels.yaml", *foreign.LABELS),
    "settings": lambda: _one("tui-annotate.toml", _SETTINGS),
}
