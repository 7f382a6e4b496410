"""What pip installs is whole: data files, command, licence; and the pins fit the bounds."""

from __future__ import annotations

import email
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import tui_annotate
from tui_annotate.cli.demo import EXAMPLES, GUIDELINES, PAIRS, VECTORS
from tui_annotate.domain.label_files import parse_labels

ROOT = Path(__file__).parents[2]
DEMO = (PAIRS, GUIDELINES, VECTORS)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def requirements() -> list[Requirement]:
    """The packages that the project names, with those of its extras."""
    extras = PROJECT["optional-dependencies"].values()
    named = [*PROJECT["dependencies"], *(each for extra in extras for each in extra)]
    return [Requirement(each) for each in named]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel that pip would install."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (path,) = folder.glob("*.whl")
    return zipfile.ZipFile(path)


def test_the_wheel_holds_every_file_of_the_package(wheel: zipfile.ZipFile) -> None:
    """Modules, migrations, style sheets, default labels and example data; tests are not."""
    packed = {name for name in wheel.namelist() if name.startswith("tui_annotate/")}
    there = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "tui_annotate").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert packed - there == {f"tui_annotate/{EXAMPLES}/{name}" for name in DEMO}
    assert there <= packed
    assert {"tui_annotate/labels.yaml", "tui_annotate/tui/app.tcss"} <= packed
    assert "tui_annotate/py.typed" in packed
    assert any("migrations/versions" in name for name in packed)
    assert not [name for name in wheel.namelist() if name.startswith(("tests/", "benchmarks/"))]


def test_the_wheel_gives_the_command_and_the_licence(wheel: zipfile.ZipFile) -> None:
    """The entry point is there, and Apache-2.0 as a whole."""
    names = {Path(name).name: name for name in wheel.namelist() if ".dist-info/" in name}
    assert (
        "tui-annotate = tui_annotate.__main__:main"
        in wheel.read(names["entry_points.txt"]).decode()
    )
    assert "Apache License" in wheel.read(names["LICENSE"]).decode()


def test_the_wheel_names_its_maintainers_and_addresses(wheel: zipfile.ZipFile) -> None:
    """An index shows who maintains the package, and where its pages, changes and issues are."""
    (name,) = [each for each in wheel.namelist() if each.endswith(".dist-info/METADATA")]
    about = email.message_from_bytes(wheel.read(name))
    assert about["Author"] == "tui-annotate maintainers"
    urls = dict(each.split(", ") for each in about.get_all("Project-URL", []))
    assert set(urls) == {"Homepage", "Documentation", "Changelog", "Issues"}
    assert all(url.startswith("https://") for url in urls.values())


def test_the_version_is_told_once() -> None:
    """The package and its metadata say the same version, and the changelog knows it."""
    assert PROJECT["version"] == tui_annotate.__version__
    assert f"## {PROJECT['version']}" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_every_dependency_is_pinned_for_make() -> None:
    """Each package that the project names, extras too, has an exact pin in constraints.txt."""
    pins = {
        line.partition("==")[0].lower().replace("_", "-")
        for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines()
        if "==" in line
    }
    wanted = {canonicalize_name(each.name) for each in requirements()}
    assert wanted - pins == set()


def test_the_pins_fit_the_bounds() -> None:
    """Each pin is a version that pip accepts for a user, too."""
    pinned = [
        Requirement(line)
        for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines()
        if "==" in line
    ]
    pins = [(canonicalize_name(each.name), str(each.specifier)[2:]) for each in pinned]
    outside = [
        (name, pin)
        for wanted in requirements()
        for name, pin in pins
        if name == canonicalize_name(wanted.name) and pin not in wanted.specifier
    ]
    assert outside == []


def test_dependencies_whose_major_versions_break_have_an_upper_bound() -> None:
    """No user gets a major version that is known to break its callers; decision 7 names them."""
    bounded = {
        canonicalize_name(each.name)
        for each in requirements()
        if any(part.operator == "<" for part in each.specifier)
    }
    page = (ROOT / "docs/decisions/0007-pinned-and-minimum-versions.md").read_text("utf-8")
    breaking = {"alembic", "httpx2", "lancedb", "numpy", "openai", "sentence-transformers"}
    breaking |= {"label-studio-sdk", "spacy", "sqlalchemy", "sqlmodel", "textual", "typer"}
    breaking |= {"xlsxwriter"}
    assert breaking - bounded == set()
    named = {name.removesuffix("-sdk").replace("label-", "label ") for name in breaking}
    assert [name for name in named if name not in page.lower()] == []


def test_every_dependency_is_used() -> None:
    """Each package that the project installs is named somewhere in its code."""
    modules = {"argon2-cffi": "argon2", "pyyaml": "yaml"}
    code = "\n".join(path.read_text("utf-8") for path in (ROOT / "tui_annotate").rglob("*.py"))
    packages = [re.split(r"[<>=!;\[ ]", name)[0].lower() for name in PROJECT["dependencies"]]
    unused = [each for each in packages if not re.search(rf"\b{modules.get(each, each)}\b", code)]
    assert unused == []


def test_the_default_labels_are_a_label_set() -> None:
    """The labels that a new workspace gets can be read, and the root shows the same file."""
    text = (ROOT / "tui_annotate" / "labels.yaml").read_text("utf-8")
    leaves = [label.path[-1] for label in parse_labels(text).leaves()]
    assert leaves == ["Intrinsic", "Extrinsic", "Benign", "Questionable"]
    assert (ROOT / "labels.yaml").read_text("utf-8") == text
