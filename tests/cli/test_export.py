"""export: where it goes, and what is chosen."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Command, numbers


@pytest.mark.parametrize("name", ["mercury", "native", "csv"])
def test_export_writes_a_file_or_standard_output(
    annotated: Command, name: str, tmp_path: Path
) -> None:
    """A file and standard output get the same bytes, twice; talk goes to standard error."""
    target = tmp_path / "out"
    done = annotated("export", "--to", name, "-o", str(target))
    assert (done.code, done.out) == (0, "")
    assert numbers(done.err.splitlines()[0]) == [1, 2]
    assert "15 million pounds" in target.read_text("utf-8")
    again = annotated("export", "--to", name)
    assert again.out == target.read_text("utf-8")
    assert annotated("export", "--to", name, "-o", "-").out == again.out
    assert not Path("-").exists()


def test_export_filters(annotated: Command) -> None:
    """Filters leave out what does not fit; a filter that is none is refused."""
    out = ("export", "--to", "native")
    assert '"claim"' in annotated(*out, "--person", "reader", "--label", "Unwanted").out
    assert '"claim"' not in annotated(*out, "--label", "Benign").out
    assert '"claim"' not in annotated(*out, "--since", "2999-01-01").out
    assert annotated(*out, "--since", "yesterday").code == 2
    assert annotated(*out, "--state", "odd").code == 2
    assert annotated("export", "--to", "odd").code == 2


@pytest.mark.parametrize(
    ("option", "value", "there"),
    [
        ("--dataset", "nope", "pairs"),
        ("--person", "nope", "reader"),
        ("--label", "Nope", "Unwanted.Intrinsic"),
        ("--origin", "machine:", "machine:NAME"),
        ("--origin", "nope", "human"),
    ],
)
def test_a_filter_that_names_nothing_is_refused(
    annotated: Command, tmp_path: Path, option: str, value: str, there: str
) -> None:
    """The value and what there is are told, and nothing is written."""
    done = annotated("export", "--to", "native", option, value, "-o", str(tmp_path / "out"))
    assert done.code == 2
    assert repr(value) in done.err
    assert there in done.err
    assert not (tmp_path / "out").exists()


def test_a_label_is_named_by_its_last_name_or_by_use(annotated: Command, tmp_path: Path) -> None:
    """One last name is its path; a label in use is one, also where the label set lacks it."""
    out = ("export", "--to", "native", "--label")
    assert '"claim"' in annotated(*out, "Intrinsic").out
    (tmp_path / "labels.yaml").write_text("- Other\n", "utf-8")
    for label in ("Unwanted", "Unwanted.Intrinsic", "Intrinsic"):
        assert '"claim"' in annotated(*out, label).out


def test_a_summary_needs_a_file(annotated: Command, tmp_path: Path) -> None:
    """With --json the data must go to a file: both would be on standard output."""
    for words in (["export", "--to", "csv"], ["report", "html", "-o", "-"]):
        done = annotated(*words, "--json")
        assert (done.code, done.out) == (2, "")
        assert "--json" in done.err
    shown = annotated("export", "--to", "csv", "-o", "out.csv", "--json").json
    assert (shown["file"], shown["format"]) == ("out.csv", "csv")
    assert shown["annotations"] == 1
    assert (tmp_path / "out.csv").exists()
