"""Formats of packages that are installed beside the app, as pip brings them, without a network."""

from __future__ import annotations

import json
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.packages import App, install_packages

ROOT = Path(__file__).parents[2]
SECTION = re.compile(r"### A format of your own\n(.*?)\n## ", re.DOTALL)
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)
LINES = "1|It cost 12 million.|It cost 15 million.\n2|A.|B.|C.\n3|🌉 = bridge|Bridge.\n"

ODD = '''
"""Formats that do not do as they should, each in its own way."""

from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.records import OwnedAnnotation, Record
from tui_annotate.domain.samples import Document, Sample, Side
from tui_annotate.domain.spans import Span
from tui_annotate.plugins.protocols import ExportReport


class Silent:
    name = "silent"

    def read(self, path, options):
        documents = (Document(Side.SOURCE, "A."), Document(Side.SUMMARY, "B."))
        far = Annotation("a1", (Anchor(Side.SUMMARY, 0, Span(0, 9)),))
        yield Record(Sample("d", "sound", documents), where="one")
        yield Record(Sample("d", "far", documents), (OwnedAnnotation("ana", far),), where="two")
        yield Record(Sample("d", "blank", (Document(Side.SOURCE, " "),)), where="three")

    def write(self, records, target, options):
        report = ExportReport()
        for record in records:
            target.write(f"{record.sample.id}\\n")
            report.records += 1
        return report


class Unmade:
    def __init__(self):
        raise ZeroDivisionError("no luck")


class Breaking(Silent):
    name = "breaking"

    def read(self, path, options):
        yield next(super().read(path, options))
        raise KeyError("lost")

    def write(self, records, target, options):
        target.write("half")
        raise KeyError("lost")


class Vague(Silent):
    name = "vague"

    def read(self, path, options):
        yield {"source": "A."}

    def write(self, records, target, options):
        return None


class Pretender(Silent):
    name = "mercury"
'''
NAMES = {
    "silent": "odd_formats:Silent",
    "unmade": "odd_formats:Unmade",
    "breaking": "odd_formats:Breaking",
    "vague": "odd_formats:Vague",
    "mercury": "odd_formats:Pretender",
    "gone": "odd_formats:NoSuchThing",
}


def _from_the_docs(folder: Path) -> Path:
    """The package of the guide, as somebody writes it who follows it."""
    section = SECTION.search((ROOT / "docs" / "formats.md").read_text("utf-8"))
    assert section
    blocks = dict(reversed(BLOCK.findall(section[1])))
    package = folder / "annotate-pipes"
    package.mkdir()
    (package / "pyproject.toml").write_text(blocks["toml"], "utf-8")
    (package / "annotate_pipes.py").write_text(blocks["python"], "utf-8")
    return package


def _odd(folder: Path) -> Path:
    package = folder / "odd-formats"
    package.mkdir()
    points = "\n".join(f'{name} = "{target}"' for name, target in NAMES.items())
    about = f"""
        [build-system]
        requires = ["hatchling"]
        build-backend = "hatchling.build"
        [project]
        name = "odd-formats"
        version = "1"
        [tool.hatch.build.targets.wheel]
        only-include = ["odd_formats.py"]
        [project.entry-points."tui_annotate.importers"]
        {textwrap.indent(points, " " * 8).strip()}
        [project.entry-points."tui_annotate.exporters"]
        {textwrap.indent(points, " " * 8).strip()}
    """
    (package / "pyproject.toml").write_text(textwrap.dedent(about), "utf-8")
    (package / "odd_formats.py").write_text(ODD, "utf-8")
    return package


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with both packages installed."""
    folder = tmp_path_factory.mktemp("packages")
    install_packages([_from_the_docs(folder), _odd(folder)], folder / "site")
    return folder / "site"


@pytest.fixture
def real(site: Path, tmp_path: Path) -> App:
    """The app as it is started, and a file of lines."""
    (tmp_path / "lines.txt").write_text(LINES, "utf-8")
    return App(site, tmp_path, sys.executable, "-m", "tui_annotate")


@pytest.fixture
def app(site: Path, tmp_path: Path, warm_folder: Path) -> App:
    """The same, started quickly."""
    (tmp_path / "lines.txt").write_text(LINES, "utf-8")
    return App(site, tmp_path, str(warm_folder / "tui-annotate"))


def _native(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.split("\n") if line]


def test_a_package_that_follows_the_guide_adds_a_format(real: App) -> None:
    """It is listed, read, written and converted both ways; its losses and problems are told."""
    listed = {row["name"]: row for row in json.loads(real("datasets", "formats", "--json").stdout)}
    assert listed["pipes"]["reads"]
    assert listed["pipes"]["writes"]
    assert listed["pipes"]["carried"] == {
        "separate source texts": "yes", "samples not read": "yes",
    }  # fmt: skip
    assert "id|source|summary, a line each" in real("datasets", "formats", "pipes").stdout
    done = real("convert", "lines.txt", "out.jsonl", "--from", "pipes", "--to", "native", code=3)
    assert "lines.txt:2: " in done.stderr
    rows = _native((real.folder / "out.jsonl").read_text("utf-8"))
    assert [(row["dataset"], row["id"]) for row in rows] == [("lines", "1"), ("lines", "3")]
    back = real("convert", "out.jsonl", "-", "--to", "pipes")
    assert back.stdout == "".join(LINES.splitlines(keepends=True)[::2])


def test_its_work_goes_through_a_workspace(app: App) -> None:
    """In by its reader, out by its writer, packed by the file's name; it is never guessed."""
    app("init", ".")
    app("ingest", "lines.txt", code=2)
    app("ingest", "lines.txt", "--from", "pipes", code=3)
    assert "2" in app("status").stdout
    app("export", "--to", "pipes", "-o", "again.txt.gz")
    app("convert", "again.txt.gz", "out.jsonl", "--from", "pipes", "--to", "native")
    assert [row["id"] for row in _native((app.folder / "out.jsonl").read_text("utf-8"))] == [
        "1",
        "3",
    ]


def test_a_format_may_say_nothing_of_itself(app: App) -> None:
    """It is listed so, and works; what its reader gives is looked at, and refused by its name."""
    listed = {row["name"]: row for row in json.loads(app("datasets", "formats", "--json").stdout)}
    assert listed["silent"]["carried"] is None
    done = app("convert", "lines.txt", "-", "--from", "silent", "--to", "silent", code=3)
    assert done.stdout == "sound\n"
    assert "two: the span 0:9 " in done.stderr
    assert "'source text'" in done.stderr
    app("init", ".")
    done = app("ingest", "lines.txt", "--from", "silent", "--json", code=3)
    assert (json.loads(done.stdout)["added"], json.loads(done.stdout)["refused"]) == (1, 2)


def test_one_that_breaks_stops_nothing_else(app: App) -> None:
    """The others are listed; asked for, it is told by its name, and leaves no file behind."""
    listed = app("datasets", "formats", "--json")
    names = {row["name"] for row in json.loads(listed.stdout)}
    assert {"pipes", "silent", "native"} <= names
    assert not {"unmade", "gone"} & names
    for name, report in (
        ("unmade", "the plug-in 'unmade' failed: ZeroDivisionError: no luck"),
        ("gone", "the plug-in 'gone' failed: AttributeError"),
        ("breaking", "the plug-in 'breaking' failed: KeyError: 'lost'"),
        ("vague", "the plug-in 'vague' failed: TypeError: the importer yielded dict, neither"),
    ):
        done = app("convert", "lines.txt", "out.jsonl", "--from", name, "--to", "native", code=1)
        assert report in done.stderr
    for name, report in (
        ("breaking", "the plug-in 'breaking' failed: KeyError: 'lost'"),
        ("vague", "the plug-in 'vague' returned None, not an ExportReport"),
    ):
        done = app("convert", "lines.txt", "out.x", "--from", "silent", "--to", name, code=1)
        assert report in done.stderr
    assert sorted(path.name for path in app.folder.iterdir()) == ["lines.txt"]


def test_no_package_takes_a_built_in_name(app: App) -> None:
    """`mercury` stays the app's own; a warning says whose was left out."""
    done = app("datasets", "formats", "mercury")
    assert "Mercury" in done.stdout
    assert "'mercury'" in done.stderr
    assert "odd-formats" in done.stderr
