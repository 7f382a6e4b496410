"""guidelines, remarks, notice: what people are told, and what they say."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tui_annotate import workspace as workspaces
from tui_annotate.plugins.traits import RecordTrait


@pytest.fixture
def guided(filled: Command, tmp_path: Path) -> Command:
    """A workspace with two versions of its guidelines."""
    (tmp_path / "a.md").write_text("Mark it.\nTake evidence.\n")
    (tmp_path / "b.md").write_text("Mark all of it.\nTake evidence.\n")
    for name in ("a.md", "b.md"):
        assert filled("guidelines", "apply", name).code == 0
    return filled


def test_versions_are_listed_and_shown(guided: Command, tmp_path: Path) -> None:
    """The oldest first, each whole by the start of its hash; the file says what is in force."""
    versions = guided("guidelines", "list", "--json").json
    assert [each["in_force"] for each in versions] == [False, True]
    assert guided("guidelines", "show").out == "Mark all of it.\nTake evidence.\n"
    old = versions[0]["version"][:8]
    assert guided("guidelines", "show", old).out == "Mark it.\nTake evidence.\n"
    assert "(all)" in guided("guidelines", "list").out
    assert (tmp_path / "guidelines.md").read_text() == "Mark all of it.\nTake evidence.\n"


def test_differences(guided: Command) -> None:
    """By lines with marks, by words in brackets where there is no colour."""
    assert guided("guidelines", "diff").out.splitlines() == [
        "- Mark it.",
        "+ Mark all of it.",
        "  Take evidence.",
    ]
    shown = guided("guidelines", "diff", "--words").out
    assert shown == "Mark{+ all of+} it.\nTake evidence.\n\n"
    old, new = (each["version"] for each in guided("guidelines", "list", "--json").json)
    assert guided("guidelines", "diff", new, old).out.splitlines()[0] == "- Mark all of it."


def test_a_dataset_has_its_own(guided: Command, tmp_path: Path) -> None:
    """Applied to it alone, and told again without a change."""
    (tmp_path / "own.md").write_text("Only dates.\n")
    shown = guided("guidelines", "apply", "own.md", "--dataset", "pairs")
    version = guided("guidelines", "list", "--dataset", "pairs", "--json").json[-1]["version"]
    assert all(report in shown.out for report in ("pairs", version[:8]))
    assert guided("guidelines", "show", "--dataset", "pairs").out == "Only dates.\n"
    assert guided("guidelines", "show").out == "Mark all of it.\nTake evidence.\n"
    again = guided("guidelines", "apply", "own.md", "--dataset", "pairs")
    assert (again.code, again.err, version[:8] in again.out) == (0, "", True)
    assert guided("guidelines", "apply", "own.md", "--dataset", "none").code == 2
    (tmp_path / "empty.md").touch()
    assert guided("guidelines", "apply", "empty.md").code == 2


def test_annotations_name_their_version(guided: Command, tmp_path: Path) -> None:
    """Native and CSV name it with each annotation; Mercury's form tells that it can not."""
    from tests.helpers.stores import claim

    with workspaces.open(tmp_path) as space:
        key = space.corpus.keys()[0]
        space.annotate.add(space.person("ana").id, key, claim("a", label=""), seconds=0)
    version = guided("guidelines", "list", "--json").json[-1]["version"]
    for name in ("native", "csv"):
        assert version in guided("export", "--to", name).out
    assert f" {RecordTrait.VERSION}: " in guided("export", "--to", "mercury").err


def test_remarks(filled: Command, tmp_path: Path) -> None:
    """What an annotator wrote is listed, answered once, and a notice is among it."""
    nothing = filled("messages", "questions", "list")
    assert (nothing.code, nothing.out, nothing.err.count("\n")) == (0, "", 1)
    with workspaces.open(tmp_path) as space:
        ana, key = space.person("ana").id, space.corpus.keys()[0]
        space.team.comments.write(ana, key, "Is\x1b[31m a date\na number?")
    shown = filled("messages", "questions", "list")
    head = shown.out.splitlines()[0]
    assert "pairs/bridge" in head
    assert "\x1b" not in shown.out
    (talk,) = filled("messages", "questions", "list", "--json", "--sample", "bridge").json
    assert (talk["unanswered"], talk["messages"][0]["name"]) == (True, "ana")
    replied = filled("messages", "questions", "reply", talk["id"][:8], "It is.").out
    assert all(report in replied for report in ("ana", "pairs/bridge"))
    assert filled("messages", "questions", "list", "--unanswered").out == ""
    assert head.startswith(filled("messages", "questions", "list").out.splitlines()[0] + ",")
    assert filled("messages", "announcements", "create", "Thank you.").code == 0
    assert "  admin, " in filled("messages", "questions", "list").out
    shown = filled("messages", "announcements", "list")
    assert shown.out.splitlines()[1] == "    Thank you."
    (notice,) = filled("messages", "announcements", "list", "--json").json
    assert (notice["name"], notice["text"]) == ("admin", "Thank you.")
    with workspaces.open(tmp_path) as space:
        assert [[line.text for line in item.lines] for item in space.team.news.of(ana)] == [
            ["Thank you."]
        ]
