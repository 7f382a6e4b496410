"""A draft as the values that widgets show."""

from __future__ import annotations

from tests.editor.draft_samples import draft, keys, light
from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.samples import Side
from tui_annotate.editor import notes
from tui_annotate.editor.key_map import default_keys
from tui_annotate.tui.screens.sample import rows
from tui_annotate.tui.screens.sample.signals import SignalsStatus


def test_what_ranks_poorly_is_told_unless_there_is_a_conflict_to_tell() -> None:
    """Why there are no vectors is known after a while, a conflict is not; neither is lost."""
    made = draft()
    poor, rich = SignalsStatus("words only: why", limited=True), SignalsStatus("words + model")
    conflict = "15 ≠ 12"
    assert rows.title(made, Side.SOURCE, signals=poor)[1:] == (
        ("match 1/2 · 0.90", poor.text), "sentence 1/4", "",
    )  # fmt: skip
    for signals in (poor, rich):
        found = rows.title(made, Side.SOURCE, signals=signals, conflict=conflict)
        assert (found.notes[1:], found.extra) == ((conflict,), signals.text)
    assert rows.title(made, Side.SOURCE, signals=rich).extra == rich.text


def test_the_number_of_a_document_is_never_cut() -> None:
    """However long the side's name is, and the document's key behind it."""
    made = draft(
        f"titles: [{'Original report ' * 6}, Summary]\nlabels: [One]", sources=("A. B.", "B. A.")
    )
    assert rows.title(made, Side.SOURCE, signals=SignalsStatus()).name == "ORIGINAL REPORT… 1/2 0"


def test_the_key_line_follows_the_question() -> None:
    """What a digit, Space, Enter mean depends on what is asked, and on whether anything is lit."""
    lines = {}
    for pressed in ("", "8", "4", "!"):
        made = draft()
        keys(made, pressed)
        lines[pressed] = dict(rows.key_pairs(default_keys(), made))
    assert "Space" in lines[""]
    assert [*lines["8"]] == ["1-2", "Enter", "Backspace"]
    assert lines["4"]["Space"] != lines[""]["Space"]
    assert "0" in lines["!"]
    made = draft()
    light(made)
    keys(made, "4")
    assert "Space" not in dict(rows.key_pairs(default_keys(), made))


def test_the_key_line_promises_to_keep_only_what_is_kept() -> None:
    """Esc keeps the text of a note; a reason in own words it drops."""
    names: list[object] = []
    for pressed in ("m", "! 0"):
        made = draft()
        keys(made, pressed)
        names.append(dict(rows.key_pairs(default_keys(), made))["Esc"])
        notes.keep_note_text(made, "some words")
        names.append("some words" in made.kept_notes.values())
    assert names == ["keep for later", True, "cancel", False]


def test_long_names_to_choose_of_leave_room_for_the_annotation() -> None:
    """What is missing never takes the row."""
    parts = [f"part {number} with a long name" for number in range(4)]
    lines = "".join(f"- {name}\n" for name in parts)
    on = draft(f"- {{name: Old, split: [{', '.join(parts)}]}}\n{lines}")
    on.annotations = (Annotation("x", on.claim, (), (("Old",),)),)
    (row,) = rows.annotation_rows(on)
    assert row.labels == "Old (split)"
    assert row.draft_reason == "part 0 with a long name, pa…"
