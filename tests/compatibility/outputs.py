"""Which outputs are kept of the stored files, how they are asked for, and what of them counts.

The one table of the command line's words that these tests use.
"""

from __future__ import annotations

import csv
import json
import re
import shutil
import zipfile
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any, Final

from tui_annotate.cli.main import run
from tui_annotate.methods.intervals import wilson_interval
from tui_annotate.plugins.files.sheets import LineFeedWriter

HERE: Final = Path(__file__).parent / "first_version"
EXPECTED: Final = HERE / "expected"
STORED: Final = HERE / "stored.tar.gz"
"""The folders: packed, as git keeps neither empty folders nor who may read a file."""

COMMANDS: Final[dict[str, tuple[str, ...]]] = {
    # The first version compared the work as it is, also after review.
    "agreement": ("agreement", "--json", "--after-review"),
    "announcements": ("messages", "announcements", "list", "--json"),
    "assignments": ("assignments", "list", "--json"),
    "backup": ("backup", "create"),
    "check": ("doctor", "--json"),
    "convert": ("convert",),
    "datasets": ("datasets", "list", "--json"),
    "export": ("export", "--to"),
    "frozen": ("audit", "snapshots", "list", "--json"),
    "guidelines": ("guidelines", "list", "--json"),
    "head": ("audit", "head", "--json", "--streams"),
    "ingest": ("ingest", "--embedder", "none", "--json"),
    "init": ("init",),
    "keys": ("annotate", "--list-keys", "--json"),
    "labels": ("labels", "history", "--json"),
    "make bundle": ("sync", "bundles", "create", "--json", "--person"),
    "merge": ("sync", "bundles", "merge", "--json"),
    "positions": ("lab", "position", "evaluate", "--json", "--dataset", "study"),
    "pseudonyms": ("users", "pseudonyms", "list", "--json"),
    "pull": ("sync", "pull", "--all", "--json"),
    "push": ("sync", "push", "--json"),
    "remarks": ("messages", "questions", "list", "--json"),
    "replay": ("audit", "snapshots", "replay", "--json"),
    "restore": ("backup", "restore"),
    "review": ("review", "list", "--json"),
    "runs": ("lab", "scores", "list", "--json"),
    "ssh keys": ("users", "ssh", "keys", "list", "--json"),
    "status": ("status", "--json", "--flagged", "--weeks", "520"),
    "suggestions": ("suggestions", "list", "--json"),
    "suggestions report": ("suggestions", "report", "--json"),
    "users": ("users", "list", "--json"),
    "verify": ("audit", "verify", "--json"),
}
"""The words of each command that the tests give; what is behind them is added."""

DATASETS: Final = (
    "answers", "kiln", "news", "open-set", "release", "reports", "study", "training", "truth",
)  # fmt: skip
FORMATS: Final = (
    "autojudge", "brat", "conll", "csv", "csv-tables", "doccano", "faithbench", "faithbench-csv",
    "generations", "labelstudio", "mercury", "native", "open-qa", "parquet", "preferences", "rag",
    "ragtruth", "w3c", "xlsx",
)  # fmt: skip
FOLDERS: Final = frozenset({"brat", "csv-tables", "parquet", "ragtruth"})
"""Formats whose target is a folder."""
LAYERED: Final = frozenset({"conll", "doccano", "faithbench-csv", "ragtruth"})
"""Formats that must be told whose work is written."""
TRAINING: Final = LAYERED | {"brat", "generations", "preferences"}
"""Formats that get completed work only; the first version wrote work of all states."""
MORE: Final[dict[str, tuple[str, ...]]] = {
    "adjudicated": ("native", "--dataset", "news", "--layer", "adjudicated"),
    "draft": ("native", "--dataset", "news", "--state", "draft"),
    "label": ("csv", "--label", "Unwanted"),
    "majority": ("native", "--dataset", "news", "--layer", "majority"),
    "person": ("native", "--dataset", "news", "--person", "annotator-2"),
    "pseudonyms": ("native", "--dataset", "news", "--pseudonymize"),
    "rejected": ("native", "--dataset", "news", "--origin", "rejected"),
    "since": ("native", "--dataset", "news", "--since", "2026-01-05T09:30"),
    "unrated": ("autojudge", "--dataset", "reports", "--offsets", "utf16", "--include-unrated"),
}
"""Further exports, by name."""
TOLD: Final = (
    "agreement", "assignments", "datasets", "frozen", "guidelines", "labels", "positions",
    "pseudonyms", "remarks", "review", "runs", "status", "suggestions", "suggestions report",
)  # fmt: skip
"""Commands whose JSON is kept."""
OF_ACCOUNTS: Final = ("ssh keys", "users")
"""The same of the workspace with accounts."""
TRIPS: Final[dict[str, tuple[str, ...]]] = {
    "returned": ("merge", "returned.bundle"),
    "pulled": ("pull", "shared"),
}
"""Ways in which work of elsewhere comes in, by the name of what is kept of them."""

Files = dict[str, bytes]
Normaliser = Callable[[Any], Any]


@dataclass(frozen=True)
class Ended:
    """What a command gave.

    Attributes:
        code: its exit code.
    """

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as JSON."""
        return json.loads(self.out)


def call(name: str, *arguments: str | Path) -> Ended:
    """Runs a command of the table in this process."""
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = run([*COMMANDS[name], *map(str, arguments)])
    return Ended(code, out.getvalue(), err.getvalue())


def exported(workspace: Path, form: str, *arguments: str, place: Path) -> Files:
    """An export as it is compared: by the names of its files."""
    target = place / "out"
    done = call("export", form, "-w", workspace, "-o", target, *arguments)
    assert done.code == 0, (done.code, done.err)
    found = _files(target, form)
    if target.is_dir():
        shutil.rmtree(target)
    else:
        target.unlink()
    return found


def exports(workspace: Path, form: str, *, place: Path) -> Files:
    """The exports of each dataset in a format."""
    layer = ("--layer", "all") if form in LAYERED else ()
    states = ("--state", "all") if form in TRAINING else ()
    found: Files = {}
    for dataset in DATASETS:
        made = exported(workspace, form, "--dataset", dataset, *layer, *states, place=place)
        found |= {f"{dataset}{name}": content for name, content in made.items()}
    return found


def kept(folder: Path) -> Files:
    """The files of a folder by their names."""
    return {name: file.read_bytes() for name, file in _walk(folder)}


def told(workspace: Path, name: str) -> Any:
    """What a command says of a workspace, without what differs from one day or place to another."""
    done = call(name, "-w", workspace)
    assert done.code == 0, (done.code, done.err)
    value = done.json
    if name == "remarks":  # the first version listed questions and announcements together
        value = {"talks": value, "notices": call("announcements", "-w", workspace).json}
    return _NORMAL.get(name, lambda value: value)(value)


def as_text(value: Any) -> bytes:
    """JSON as it is kept."""
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()


ADDED: Final = "edited_after_adjudication"
"""A field, and a column of tables, that later versions added."""
QUESTIONS: Final = re.compile(rb', ?"questions": ?\[\{[^\[\]]*\}\]')
"""A field of native lines and of the headers of shared files that later versions added."""


def without_added(content: bytes) -> bytes:
    """Content of a file as the first version wrote it, without what later versions added."""
    content = QUESTIONS.sub(b"", content)
    header = content.partition(b"\n")[0].decode("utf-8", "replace").split(",")
    if ADDED not in header:
        return content.replace(f', "{ADDED}": true'.encode(), b"")
    at = header.index(ADDED)
    target = StringIO(newline="")
    writer = LineFeedWriter(target)
    for row in csv.reader(StringIO(content.decode(), newline="")):
        writer.writerow([*row[:at], *row[at + 1 :]])
    return target.getvalue().encode()


def _files(target: Path, form: str) -> Files:
    inside = ((f"/{name}", file) for name, file in _walk(target))
    made: Files = {}
    for name, file in inside if target.is_dir() else [("", target)]:
        if form == "parquet":
            made[f"{name}.json"] = _table(file)
        elif form == "xlsx":
            made |= _members(file)
        else:
            made[name] = without_added(file.read_bytes())
    return made


def _walk(folder: Path) -> Iterator[tuple[str, Path]]:
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            yield file.relative_to(folder).as_posix(), file


def _table(file: Path) -> bytes:
    """Types and rows of a parquet file: its bytes tell the version of the library that wrote it."""
    import pyarrow.parquet as pq

    table = pq.read_table(file)
    table = table.drop_columns([ADDED]) if ADDED in table.column_names else table
    types = {field.name: str(field.type) for field in table.schema}
    rows = (json.dumps(row, ensure_ascii=False, default=str) for row in table.to_pylist())
    return "\n".join([json.dumps(types), *rows, ""]).encode()


def _members(file: Path) -> Files:
    """What a zip archive holds: how well it is packed depends on the version of zlib."""
    with zipfile.ZipFile(file) as archive:
        return {f"/{name}": archive.read(name) for name in archive.namelist()}


def _status(value: dict[str, Any]) -> dict[str, Any]:
    """Paces and ends are told from today, and weeks are charted up to it."""
    value.pop("workspace")
    for each in (*value["people"], *value["forecast"]):
        each.pop("completed_recently", None)
        each.pop("end", None)
    value["weeks"] = [week for week in value["weeks"] if week["hours"] or week["finished"]]
    return value


def _frozen(value: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A state's folder is told with the folder of the workspace."""
    return [{**each, "folder": Path(each["folder"]).name} for each in value]


def _positions(value: Any) -> Any:
    """The sums over both tasks that the first version printed; later ones have a table for each."""
    counted = ("n", "correct", "unanswered", "fail")
    sums: dict[int, dict[str, Any]] = {}
    for group in value["groups"]:
        own = sums.setdefault(group["gold-position"], dict.fromkeys(counted, 0))
        for name in counted:
            own[name] += group[name]
    for own in (*sums.values(), value["all"]):
        own["mean"] = own["correct"] / own["n"]
        own["low"], own["high"] = wilson_interval(own["correct"], own["n"])
    groups = [{"gold-position": at} | own for at, own in sorted(sums.items())]
    return value | {"by": ["gold-position"], "groups": groups}


_NORMAL: Final[dict[str, Normaliser]] = {
    "status": _status,
    "frozen": _frozen,
    "positions": _positions,
}
