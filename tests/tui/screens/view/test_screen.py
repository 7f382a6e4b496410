"""A file on the screen, as somebody presses keys: all of it can be seen, nothing changed."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.helpers import annotated_file as viewed
from tests.tui.screens import annotate_app
from tui_annotate.domain.errors import Unavailable
from tui_annotate.domain.samples import Side, Signals
from tui_annotate.editor.actions import ACTIONS
from tui_annotate.editor.key_map import default_keys
from tui_annotate.editor.key_state import READING
from tui_annotate.editor.messages import MessageCode, StatusMessage
from tui_annotate.editor.screen_message import ScreenMessage
from tui_annotate.editor.view.messages import ViewText
from tui_annotate.editor.view.state import ViewDraft
from tui_annotate.editor.view.words import build_pages, describe_annotation
from tui_annotate.tui.dialogs.help import HelpDialog
from tui_annotate.tui.dialogs.jump import JumpDialog
from tui_annotate.tui.dialogs.message import MessageDialog
from tui_annotate.tui.screens.queue import QueueScreen
from tui_annotate.tui.screens.view.rows import about_lines
from tui_annotate.tui.screens.view.screen import ViewScreen
from tui_annotate.tui.view_app import ViewApp
from tui_annotate.tui.widgets.label_bar import LabelBar
from tui_annotate.tui.widgets.note_input import NoteInput


@dataclass
class Reader:
    """Somebody who looks."""

    app: ViewApp
    pilot: Pilot[None]

    @property
    def screen(self) -> ViewScreen:
        """The screen of the file."""
        return self.app.sample_screen

    @property
    def draft(self) -> ViewDraft:
        """What is in hand."""
        assert self.screen.draft is not None
        return self.screen.draft

    def says(self, code: ScreenMessage) -> bool:
        """Whether this is what the draft line says."""
        return self.message.code is code

    @property
    def message(self) -> StatusMessage:
        """What the draft line says after a key."""
        return self.draft.message

    @property
    def focused(self) -> str:
        """The letter of the annotation in hand."""
        return self.draft.letter(self.draft.focused) if self.draft.focused else ""

    async def settled(self) -> None:
        """The screen is idle."""
        await self.pilot.pause()
        while self.screen.busy and self.app.is_running:
            await self.pilot.pause(0.001)
        await self.app.workers.wait_for_complete()
        while self.screen.comparison.comparing:
            await self.pilot.pause(0.001)
        await self.pilot.pause()

    async def press(self, keys: str) -> None:
        """Keys, parted by blanks."""
        for key in keys.split():
            await self.pilot.press(key)
        await self.settled()

    def shown(self) -> str:
        """The whole screen as plain text."""
        strips = self.app.screen._compositor.render_strips()
        return "\n".join("".join(part.text for part in strip).rstrip() for strip in strips)

    def line(self) -> str:
        """What the draft line says."""
        draft = self.screen.draft
        return self.screen.line(draft, 1000)[0] if draft else ""


@asynccontextmanager
async def looking(
    folder: Path, *records: dict[str, Any], size: tuple[int, int] = (80, 24), **how: Any
) -> AsyncIterator[Reader]:
    """The app on the file of `viewed`, or on other records, until the first sample is there."""
    with viewed.browsed(folder, *records) as browser:
        app = ViewApp(browser, look=annotate_app.LOOK, **how)
        async with app.run_test(size=size) as pilot:
            reader = Reader(app, pilot)
            while app.sample_screen.draft is None:
                await pilot.pause(0.001)
            await reader.settled()
            yield reader


async def test_all_is_told_at_every_size(tmp_path: Path) -> None:
    """Both texts, how many annotations by whom, people, keys, and that nothing is changed."""
    async with looking(tmp_path, words="1 doubt") as reader:
        assert reader.line() == "1 doubt"
        for size in ((80, 24), (140, 40)):
            await reader.pilot.resize_terminal(*size)
            await reader.settled()
            shown, header = reader.shown(), reader.screen.header()
            assert header
            assert header.reading
            for words in ("1/3", "first", header.reading, "4 annotations"):
                assert words in shown, size
            for words in ("2  ben 1", "0  ✓ ", " a ", " p "):
                assert words in shown, size
            assert "It cost 12 million" in shown
            assert ('Intrinsic · ana "15 million"' in shown) == (size[0] > 100)
            assert not reader.screen.query(NoteInput)


async def test_an_annotation_shows_its_claim_and_its_evidence(tmp_path: Path) -> None:
    """Walked to, or under the cursor: both sides light up, and the line says whose it is."""
    async with looking(tmp_path, size=(140, 40)) as reader:
        assert reader.focused == "A"
        await reader.press("a")
        assert reader.line().startswith('B Intrinsic · ana · "12, not 15" · 1 ')
        assert " · g " in reader.line()
        marks = [
            mark for mark in reader.screen.marks_of(reader.draft, Side.SUMMARY) if mark.focused
        ]
        assert [mark.span.of(viewed.SUMMARY) for mark in marks] == ["15 million"]
        (evidence,) = reader.screen.evidence_of(reader.draft)
        assert evidence.span.of(viewed.SOURCE) == "12 million"
        shown = reader.shown()
        focused = reader.draft.focused_annotation
        assert focused
        facts = [what for _, what in describe_annotation(reader.draft, focused)]
        for words in (*facts, "12, not 15", "2026-01-02 03:04 UTC", "Unwanted.Intrinsic"):
            assert words in shown
        await reader.press("down")
        assert reader.focused in "CD"
        await reader.press("A A down down")
        assert reader.focused == ""
        ((report, _),) = about_lines(reader.draft, 80)[0]
        assert report in reader.shown()


async def test_matches_light_up_by_words(tmp_path: Path) -> None:
    """As when one annotates, without vectors and without a word about them."""
    async with looking(tmp_path, size=(140, 40)) as reader:
        await reader.press("a")
        assert reader.draft.matches[Side.SOURCE]
        assert f"1/{len(reader.draft.matches[Side.SOURCE])}" in reader.shown()
        assert reader.screen.panes.by is Signals.WORDS
        assert reader.screen.panes.signals.text not in reader.shown()
        before = reader.draft.focused_ranks[Side.SOURCE]
        await reader.press("n")
        count = len(reader.draft.matches[Side.SOURCE])
        assert reader.draft.focused_ranks[Side.SOURCE] == before % count + 1
        await reader.press("i")
        assert reader.says(MessageCode.LACKING_MARKED)


async def test_one_persons_work_alone_also_in_the_next_sample(tmp_path: Path) -> None:
    """By digit, by p, by a click; the header says whose it is until everybody is back."""
    async with looking(tmp_path, size=(140, 40)) as reader:
        await reader.press("4")
        assert reader.draft.chosen == "adjudicated"
        await reader.press("0 p")
        assert reader.draft.chosen == "p1"
        assert (len(reader.draft.annotations), len(reader.draft.all_annotations)) == (2, 4)
        assert re.search(r"\b2\b.*\b4\b.*\bana\b", reader.shown())
        await reader.press(">")
        assert (reader.draft.sample.id, reader.draft.chosen) == ("second", "p1")
        assert "ana" in reader.shown().splitlines()[0]
        await reader.press("backspace")
        assert reader.draft.chosen == ""
        assert reader.draft.annotations == ()
        assert re.search(r"\bli\b", reader.line())
        reader.screen.post_message(LabelBar.Picked("1"))
        await reader.settled()
        assert reader.draft.chosen == "p1"


async def test_samples_are_walked_and_found(tmp_path: Path) -> None:
    """Next, previous, by id; the ends are told, and so is an id that leads nowhere."""
    async with looking(tmp_path, sample="third") as reader:
        assert reader.draft.sample.id == "third"
        await reader.press(">")
        assert reader.says(MessageCode.LAST_SAMPLE)
        await reader.press("< <")
        await reader.press("<")
        assert reader.says(MessageCode.FIRST_SAMPLE)
        await reader.press("G x enter")
        assert isinstance(reader.app.screen, JumpDialog)
        assert "✗" in reader.shown()
        await reader.press("backspace s e c enter")
        assert reader.draft.sample.id == "second"


async def test_words_are_found_in_a_text(tmp_path: Path) -> None:
    """What is typed lights up; Enter walks to it, Backspace ends it."""
    async with looking(tmp_path) as reader:
        await reader.press("/ m i l enter")
        hits = reader.draft.search.hits
        assert len(hits) == 1
        assert '"mil"' in reader.line()
        await reader.press("backspace")
        assert reader.draft.search.hits == ()
        await reader.press("tab / escape")
        assert reader.draft.side is Side.SOURCE


async def test_the_list_has_all_samples(tmp_path: Path) -> None:
    """With search, and those that are marked; Enter opens one, q leaves."""
    async with looking(tmp_path, size=(100, 30)) as reader:
        await reader.press("q")
        assert isinstance(reader.app.screen, QueueScreen)
        assert "━ 1/3 " in reader.shown()
        # A fourth person completed the sample without an annotation.
        assert "4 annotations by 3 people" in reader.shown()
        await reader.press("3")
        assert "1 of 2" in reader.shown()
        await reader.press("9 1 / t h i r enter")
        await reader.press("?")
        assert isinstance(reader.app.screen, HelpDialog)
        assert "1-3 " in reader.shown()
        await reader.press("q")
        await reader.press("enter")
        assert reader.draft.sample.id == "third"
        await reader.press("2 q")
        await reader.press("q")
        assert not reader.app.is_running


async def test_where_there_is_one_sample_q_leaves_at_once(tmp_path: Path) -> None:
    """A list of one would be in the way; the line of keys says so."""
    async with looking(tmp_path, viewed.RECORDS[2], size=(140, 40)) as reader:
        assert " q " in reader.shown().splitlines()[-1]
        await reader.press("q")
        assert not reader.app.is_running


async def test_keys_that_write_say_so(tmp_path: Path) -> None:
    """Each of them: a line that names what it does elsewhere; the file is as it was."""
    writing = [
        action
        for action in ACTIONS
        if action.id.split(".")[0] in {"label", "evidence", "note", "undo", "redo"}
        or action.id in {"annotation.edit", "annotation.delete", "sample.done", "sample.skip"}
        or action.id == "sample.flag"
    ]
    async with looking(tmp_path) as reader:
        before = (tmp_path / "work.jsonl").read_bytes()
        kept = reader.draft.all_annotations
        for action in writing:
            if READING not in action.states:
                continue
            for key in action.keys:
                await reader.pilot.press("exclamation_mark" if key == "!" else key)
                assert reader.says(ViewText.NOT_IN_A_FILE), key
                assert reader.message.fields["action"] == default_keys().get(action.id).help
                assert "? " in reader.line(), key
        await reader.settled()
        assert default_keys().get("sample.flag").help in reader.shown()
        assert reader.draft.all_annotations == kept
    assert (tmp_path / "work.jsonl").read_bytes() == before


async def test_all_about_it_and_the_keys_are_told(tmp_path: Path) -> None:
    """Pages of annotation, people, request, sample; the help; every action by its name."""
    async with looking(tmp_path, size=(140, 40)) as reader:
        await reader.press("a g")
        assert isinstance(reader.app.screen, MessageDialog)
        titles = [title for title, _ in build_pages(reader.draft)]
        assert len(titles) == 4
        assert f"▸ {'   '.join(titles)}" in reader.shown()
        await reader.press("tab")
        assert "odd text" in reader.shown()
        await reader.press("q ?")
        assert isinstance(reader.app.screen, HelpDialog)
        assert default_keys().get("person.next").help in reader.shown()
        await reader.press("q :")
        for letter in "person.next":
            await reader.pilot.press("full_stop" if letter == "." else letter)
        while default_keys().get("person.next").help not in reader.shown():
            await reader.pilot.pause(0.01)
        await reader.press("escape z")
        assert reader.screen.layout_name == "one"


async def test_documents_of_a_side_are_walked(tmp_path: Path) -> None:
    """An annotation whose evidence lies in another document brings that on screen."""
    documents = [
        {"side": "source", "key": "x", "text": "Nothing."},
        {"side": "source", "key": "y", "title": "The second", "text": viewed.SOURCE},
        {"side": "summary", "text": viewed.SUMMARY},
    ]
    one = viewed.said("a1", "p1", "15 million") | {"evidence": [["source", 1, 27, 38]]}
    record = viewed.sample("one", people=viewed.PEOPLE, annotations=[one]) | {
        "documents": documents
    }
    async with looking(tmp_path, record, size=(140, 40)) as reader:
        await reader.press("d")
        assert "1/2 x" in reader.shown()
        await reader.press("a")
        assert "2/2 The second" in reader.shown()
        assert re.search(r"\(\w+ 2\)", reader.shown())
        await reader.press("d")
        assert "1/2 x" in reader.shown()


async def test_people_of_one_name_are_told_apart(tmp_path: Path) -> None:
    """By their ids; of more than nine those of the sample stand in the bar."""
    people = [{"id": f"x{number}", "name": "ana"} for number in range(12)]
    said = [viewed.said(f"a{at}", f"x{at}", "15 million") for at in (3, 11)]
    everybody = [{"person": one["id"], "state": "done"} for one in people]
    records = (
        viewed.sample("one", people=people, annotations=said),
        viewed.sample("two", people=people, assignments=everybody),
    )
    async with looking(tmp_path, *records, size=(140, 40)) as reader:
        assert "1  ana (x11) 1    2  ana (x3) 1    0  ✓ " in reader.shown()
        await reader.press(">")
        assert "9  ana (x6) –" in reader.shown()


async def test_a_sample_that_can_not_be_read_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The screen stays where it was, and goes on."""
    async with looking(tmp_path) as reader:

        def fail(_: object) -> None:
            raise Unavailable("the disk is gone", "bring it back")

        with monkeypatch.context() as patched:
            patched.setattr(reader.screen.browser.index, "record", fail)
            await reader.press(">")
            assert reader.line() == "the disk is gone · bring it back"
        await reader.press(">")
        assert reader.draft.sample.id == "second"


async def test_a_refused_key_map_is_told(tmp_path: Path) -> None:
    """The keys as they are by default are in force then; changes that fit are."""
    async with looking(tmp_path, keys={"person.nxt": "P"}) as reader:
        assert "'person.nxt'" in reader.line()
    async with looking(tmp_path, keys={"person.next": "K"}) as reader:
        await reader.press("K")
        assert reader.draft.chosen == "p1"


async def test_a_text_without_a_summary_is_shown(tmp_path: Path) -> None:
    """What has one side alone is shown; evidence without a claim is walked to."""
    record = viewed.sample("one", people=viewed.PEOPLE)
    record["documents"] = record["documents"][:1]
    record["annotations"] = [
        {
            "id": "e", "person": "p1", "claim": [], "evidence": [["source", 0, 0, 10]],
            "labels": [], "origin": "human",
        }
    ]  # fmt: skip
    async with looking(tmp_path, json.loads(json.dumps(record))) as reader:
        assert "no text" in reader.shown()
        await reader.press("a")
        assert reader.focused == "A"
        assert reader.draft.annotations[0].labels == ()
        assert re.match(r"A .*\bana\b", reader.line())


async def test_the_palette_does_what_a_key_does(tmp_path: Path) -> None:
    """: and words of an action, or of a theme."""
    async with looking(tmp_path) as reader:
        await reader.press("colon s a m p l e full_stop n e x t")
        await reader.press("down enter")
        assert "2/3" in reader.shown()
        await reader.press("colon t h e m e space l i g h t")
        await reader.press("down enter")
        assert reader.app.theme == "light"
