"""Reports, documents and citations on the annotating screen."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.tui.screens.annotate_app import Person, make_workspace, open_app
from tests.tui.screens.collection_workspace import LABELS, Collection
from tui_annotate import workspace
from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.assignments import Assignment
from tui_annotate.domain.samples import SampleKey, SampleKind, Side
from tui_annotate.domain.spans import Span
from tui_annotate.editor import citations
from tui_annotate.editor.messages import MessageCode
from tui_annotate.tui.screens.collection.screen import CollectionScreen
from tui_annotate.tui.screens.queue import QueueScreen
from tui_annotate.tui.screens.sample import item_rows
from tui_annotate.tui.text.painter import GUTTER
from tui_annotate.tui.widgets.header_bar import SaveState
from tui_annotate.tui.widgets.pane_title import PaneTitle

REPORT, DOCUMENT = "r|7|run1", "d|7|doc-b"
FIRST = "c|7|run1|0|doc-a"
SENTENCE = [f"c|7|run1|1|{name}" for name in ("doc-a", "doc-b", "lost")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace with two small reports."""
    both = [Collection(), Collection(topic="8", run="other")]
    samples = [sample for each in both for sample in each.samples()]
    return make_workspace(tmp_path / "space", labels=LABELS, samples=samples)


def stored(person: Person) -> tuple[list[tuple[Anchor, ...]], Assignment]:
    """What the store has of the sample on screen: anchors of annotations, and the assignment."""
    session = person.screen.session
    assert session
    open_sample = session.annotate.open(session.person.id, SampleKey("pools", here(person)))
    return [one.anchors for one in open_sample.annotations], open_sample.assignment


def here(person: Person) -> str:
    """The id of the sample on screen."""
    return person.draft.sample.id


async def go_to(person: Person, sample: str) -> None:
    """Opens a sample by its id, typed into the dialog."""
    names = {"|": "vertical_line", "-": "minus"}
    if here(person) != sample:
        await person.press("G " + " ".join(names.get(each, each) for each in sample) + " enter")
    assert here(person) == sample


# reports


async def test_citations_hang_behind_their_sentences_and_are_no_text(folder: Path) -> None:
    """A passage is stored with the offsets of the text alone, cut at the sentences."""
    async with open_app(folder, sample=REPORT) as person:
        assert "mussels. [doc-a] Crabs hide. [doc-a] [doc-b] [lost]" in person.shown()
        await person.words("stars", "Crabs")
        await person.press("1")
        text = person.draft.sample.document(Side.SUMMARY).text
        assert "[" not in text
        assert [one.claim[0].span.of(text) for one in person.annotations] == [
            "stars eat mussels.",
            "Crabs",
        ]
        marks, _ = stored(person)
        assert marks == [
            (Anchor(Side.SUMMARY, 0, Span(4, 22)),),
            (Anchor(Side.SUMMARY, 0, Span(23, 28)),),
        ]


async def test_a_key_walks_the_citations_and_opens_their_documents(folder: Path) -> None:
    """Title and address are told, or that there is no text; the title says what is cited here."""
    async with open_app(folder, sample=REPORT) as person:
        await person.press("c")
        for words in ("[doc-a]", "Tab", "Pools", "https://example.org/doc-a"):
            assert words in person.line()
        await person.press("c c")
        assert person.draft.pointers[Side.SOURCE].document == 1
        assert citations.CitationText.CITED_HERE.text() in person.shown()
        assert citations.CitationText.NOT_CITED_HERE.text() not in person.shown()
        await person.press("c")
        assert "[lost]" in person.line()
        assert person.said().kind == "warning"
        await person.press("d")
        assert citations.CitationText.NOT_CITED_HERE.text() in person.shown()


async def test_the_mark_of_the_citation_in_hand_stands_out(folder: Path) -> None:
    """By bold and underlined letters, not by colour alone; every character stays in its cell."""
    async with open_app(folder, sample=REPORT) as person:
        pane = person.screen.pane(Side.SUMMARY)

        def painted() -> tuple[str, list[str]]:
            strips = [pane.render_line(y) for y in range(pane.size.height)]
            report = [
                part.text
                for strip in strips
                for part in strip
                if part.style and part.style.underline and part.style.bold
            ]
            return "\n".join(strip.text[GUTTER:] for strip in strips), report

        before, plain = painted()
        assert plain == []
        await person.press("c c c")
        after, marked = painted()
        assert marked == ["[doc-b]"]
        assert after == before
        await person.press("home")
        assert painted()[1] == []


async def test_a_click_on_a_mark_opens_its_document(folder: Path) -> None:
    """The one that was clicked, of several behind one sentence; a word beside it is a word."""
    async with open_app(folder, sample=REPORT, size=(140, 40)) as person:
        row, line = next(
            (at, line) for at, line in enumerate(person.shown().splitlines()) if "[lost]" in line
        )
        for mark, words in (("[doc-b]", "3/5"), ("[lost]", "4/5")):
            await person.pilot.click(offset=(line.index(mark) + 2, row))
            await person.settled()
            assert words in person.line()
            assert mark in person.line()
        await person.pilot.click(offset=(line.index("hide") + 1, row))
        await person.settled()
        assert not person.said()
        assert person.draft.pointers[Side.SUMMARY].offset == 30


async def test_the_overlay_has_the_request_and_the_documents(folder: Path) -> None:
    """One key, a page each."""
    async with open_app(folder, sample=REPORT) as person:
        await person.press("g")
        assert "What lives in tide pools?" in person.shown()
        await person.press("g g")
        assert "https://example.org/doc-a" in person.shown()
        listed = citations.format_listing(person.draft.sample, {}).split("\n\n")
        (lost,) = (entry for entry in listed if entry.startswith("# lost\n"))
        assert "lost" in person.shown()
        assert lost.splitlines()[1] in person.shown()


# documents


async def test_a_document_has_the_screen_to_itself(folder: Path) -> None:
    """Its passage is marked with the keys of a claim, and stored as evidence alone."""
    async with open_app(folder, sample=DOCUMENT) as person:
        for size in ((80, 24), (140, 40), (40, 12)):
            await person.pilot.resize_terminal(*size)
            await person.settled()
            shown = person.shown()
            assert "DOCUMENT Crabs" in shown, size
            assert not any(word in shown for word in ("SOURCE", "hidden", "no evidence")), size
            await person.words("sheds", "shell")
            await person.press("1")
            (mark,) = person.annotations
            assert mark.claim[0].span.of(person.draft.text(Side.SUMMARY)) == "sheds its shell"
            await person.press("z")
            assert person.draft.tree.source_title.upper() not in person.shown(), size
            text = person.draft.text(Side.SUMMARY)
            ((anchor,),), _ = stored(person)
            assert (anchor.side, anchor.span.of(text)) == (Side.SOURCE, "sheds its shell")
            await person.press("a x z")


async def test_a_passage_of_a_document_can_be_edited_deleted_and_brought_back(folder: Path) -> None:
    """Under the same keys as any other annotation, across a restart."""
    async with open_app(folder, sample=DOCUMENT) as person:
        await person.press("j 1 a e l v enter")
        await person.press("a m")
        await person.press("w h y enter")
    async with open_app(folder, sample=DOCUMENT) as person:
        assert [each.note for each in person.annotations] == ["why"]
        await person.press("a x")
        assert not person.annotations
        await person.press("u")
        assert [one.note for one in person.annotations] == ["why"]
        ((anchor,),), _ = stored(person)
        assert anchor.side is Side.SOURCE


# citations


async def test_a_sentence_stands_in_its_report_with_its_documents_as_tabs(folder: Path) -> None:
    """What is before and after it is seen, and is nobody's text."""
    async with open_app(folder, sample=SENTENCE[0]) as person:
        shown = person.shown()
        assert " 2/4 run1" in shown
        assert "Sea stars eat mussels." in shown.split("SOURCE")[0]
        assert "😀 Anemones sting. The end." in shown
        assert " 1/3 Pools" in shown
        assert person.draft.text(Side.SUMMARY) == "Crabs hide."
        found = []
        for _ in range(3):
            await person.press("d")
            found.append(here(person))
        assert found == [*SENTENCE[1:], SENTENCE[0]]


async def test_citations_are_walked_through_the_whole_report(folder: Path) -> None:
    """Sentence by sentence, each with all it cites; at the ends that is told."""
    ids = [sample.id for sample in Collection().samples() if sample.kind is SampleKind.CITATION]
    async with open_app(folder, sample=ids[0]) as person:
        found = [here(person)]
        for _ in ids[1:]:
            await person.press("c")
            found.append(here(person))
        assert found == ids
        assert item_rows.ItemMessage.NO_CITATION.text() in person.shown()
        await person.press("c")
        assert person.said().code is MessageCode.LAST_CITATION
        await person.press("C")
        assert here(person) == ids[-2]


async def test_both_sides_are_marked_and_what_another_document_holds_is_told(folder: Path) -> None:
    """Spans of the sentence and of the document; no text of a document, better evidence named."""
    async with open_app(folder, sample=SENTENCE[1]) as person:
        await person.press("space 1")
        (mark,) = person.annotations
        assert {anchor.side for anchor in mark.anchors} == set(Side)
        await person.press("d")
        assert item_rows.ItemMessage.NO_TEXT.text() in person.shown()
        assert re.search(r": doc-[ab]\b", person.shown())
        assert " 0." not in person.shown()


async def test_a_passage_that_is_selected_goes_with_the_digit(folder: Path) -> None:
    """With the words that were selected before; without any it stands alone, undone and redone."""
    async with open_app(folder, sample=SENTENCE[0]) as person:
        await person.press("home v tab home . 1")
        assert f"✓ {SaveState.SAVED.text()}" in person.shown()
        whole = person.draft.text(Side.SOURCE)
        ((claim, evidence),), _ = stored(person)
        assert claim.span.of(person.draft.text(Side.SUMMARY)) == "Crabs"
        assert evidence.side is Side.SOURCE
        await person.press("tab end b v 1")
        last = next(each for each in stored(person)[0] if len(each) == 1)
        assert last[0].side is Side.SOURCE
        assert last[0].span.of(whole) == "noon"
        await person.press("u")
        assert len(stored(person)[0]) == 1
        assert person.draft.selection == last[0].span
        await person.press("U")
        assert last in stored(person)[0]
        assert person.draft.side is Side.SUMMARY
        await person.press("u 1")
        assert last in stored(person)[0]


async def test_a_report_without_texts_says_that_of_what_a_sentence_cites(tmp_path: Path) -> None:
    """Not that the sentence cites something else."""
    report = Collection(texts={}).report()
    folder = make_workspace(tmp_path / "space", labels=LABELS, samples=[report])
    async with open_app(folder, sample=REPORT) as person:
        assert citations.CitationText.CITED_TEXT_MISSING.text() in person.shown()
        assert citations.CitationText.NOT_CITED_HERE.text() not in person.shown()
        assert person.screen.query_one("#source-title", PaneTitle)._right == ""
        assert person.line().count("1") == 2  # the digit and the sentence
        assert "," not in person.line()  # nor that there is no evidence


async def test_a_mouse_between_the_frame_and_the_sentence_stays_in_the_sentence(
    folder: Path,
) -> None:
    """A click on what stands around a text goes to its nearest line."""
    async with open_app(folder, sample=SENTENCE[0]) as person:
        pane = person.screen.pane(Side.SUMMARY)
        for row, offset in ((0, 3), (1, 3), (2, 3)):
            await person.pilot.click(pane, offset=(4 + 3, row))
            await person.settled()
            assert pane.cursor_offset == offset


# rating, comment


async def test_rating_and_comment_are_one_key_each_and_undone_by_one(folder: Path) -> None:
    """Saved at once, shown in the title, taken back in order; 0 takes a rating back."""
    async with open_app(folder, sample=REPORT) as person:
        for sample in (DOCUMENT, FIRST, REPORT):
            await go_to(person, sample)
            await person.press("*")
            bar = "1  Perfect    2  Mostly Good    3  So-so    4  Bad    0  "
            assert bar in person.shown(), sample
            await person.press("2")
            assert person.said().kind == "saved"
            assert "Mostly Good" in person.line()
            assert stored(person)[1].rating == "Mostly Good"
            await person.press("j M h i enter")
            assert " ✎ " in person.shown(), sample
            assert stored(person)[1].comment == "hi"
            await person.press("u u")
            _, assignment = stored(person)
            assert (assignment.rating, assignment.comment) == ("", "")
        await person.press("U")
        assert person.draft.rating == "Mostly Good"
        await person.press("* 0")
        assert person.said().kind == "saved"
        assert stored(person)[1].rating == ""


async def test_what_came_from_elsewhere_is_shown_on_the_sample_that_is_open(folder: Path) -> None:
    """A rating as well as a comment, and the next key begins from it."""
    async with open_app(folder, sample=REPORT, size=(120, 40)) as person:
        with workspace.open(folder) as elsewhere:
            who, key = elsewhere.people.local("ana"), SampleKey("pools", REPORT)
            elsewhere.annotate.rate(who.id, key, "Bad", seconds=1)
            elsewhere.annotate.comment(who.id, key, "too short", seconds=1)
        person.screen.reload()
        await person.settled()
        assert "Bad · ✎" in person.shown()
        await person.press("* 2")
        assert "Mostly Good · ✎" in person.shown()


async def test_pairs_have_a_scale_where_the_workspace_names_one(tmp_path: Path) -> None:
    """Its words are shown as text, whatever they contain."""
    folder = make_workspace(tmp_path / "space")
    with (folder / "tui-annotate.toml").open("a", encoding="utf-8") as file:
        file.write('\nratings = ["好", "[bold]x\\u001b"]\n')
    async with open_app(folder) as person:
        await person.press("*")
        assert "1  好" in person.shown()
        await person.press("2")
        assert person.draft.rating == "[bold]x\x1b"
        assert "\x1b" not in person.shown()


# the way


async def test_done_and_next_to_do_follow_the_collection(folder: Path) -> None:
    """What is judged in no way is to do, whatever was finished."""
    async with open_app(folder, sample=SENTENCE[0]) as person:
        await person.press("* 1 enter")
        assert here(person) == SENTENCE[1]
        await person.press("J")
        assert here(person) == SENTENCE[2]
        await person.press("C C J")
        assert here(person) == SENTENCE[1]


async def test_the_last_to_do_is_told(tmp_path: Path) -> None:
    """No other is looked for in vain."""
    one = Collection(sentences=[("One.", ())], texts={})
    folder = make_workspace(tmp_path / "space", labels=LABELS, samples=list(one.samples()))
    async with open_app(folder, sample="r|7|run1") as person:
        await person.press("J")
        assert person.said().code is MessageCode.ALL_OTHERS_ANNOTATED
        assert person.said().fields["items"] == f"{SampleKind.REPORT}s"


async def test_the_tree_counts_what_is_done_and_opens_what_is_chosen(folder: Path) -> None:
    """Modes by digits; a sentence is done with its last citation; Enter opens what is left."""
    async with open_app(folder, sample=SENTENCE[0]) as person:
        await person.press("* 1 T")
        assert isinstance(person.app.screen, CollectionScreen)
        assert "0/8 " in person.shown()
        assert "s1  Crabs hide." in person.shown()
        assert "1/3" in person.shown()
        await person.press("enter")
        assert here(person) == SENTENCE[1]
        await person.press("* 2 c * 3 q")
        assert "1/8 " in person.shown()
        await person.press("2")
        assert "0/6 " in person.shown()
        await person.press("right down enter")
        assert here(person).startswith("d|7|")
        await person.press("T 1 enter")
        assert person.draft.sample.kind is SampleKind.REPORT


async def test_the_tree_leads_back_to_the_queue_and_on(folder: Path) -> None:
    """Esc to the sample, Tab to the list, J to what is to do."""
    async with open_app(folder, sample=SENTENCE[0]) as person:
        await person.press("T escape")
        assert here(person) == SENTENCE[0]
        await person.press("T tab")
        assert isinstance(person.app.screen, QueueScreen)
        await person.press("escape")
        await person.press("T 2 J")
        assert here(person).startswith("d|")


async def test_who_leaves_the_tree_before_it_is_read_is_not_held_up(folder: Path) -> None:
    """What comes afterwards is for nobody."""
    async with open_app(folder, sample=SENTENCE[0]) as person:
        for last in ("escape", "tab"):
            await person.pilot.press("T", "3", last)
            await person.settled()
            await person.press("T escape")
        await person.pilot.press("T", "J", "J", "escape")
        await person.settled()
        assert person.app.return_code in (None, 0)


async def test_pairs_are_of_no_collection(tmp_path: Path) -> None:
    """The keys say so, and nothing opens."""
    async with open_app(make_workspace(tmp_path / "space")) as person:
        await person.press("T")
        assert person.said().code is MessageCode.NO_COLLECTION
        await person.press("J")
        assert person.said().code is MessageCode.NO_COLLECTION_ITEM
        await person.press("q")
        assert isinstance(person.app.screen, QueueScreen)


async def test_the_keys_and_marks_of_these_kinds_are_told(folder: Path) -> None:
    """In the help, and in the line of keys."""
    async with open_app(folder, sample=REPORT, size=(100, 60)) as person:
        assert "* rate" in person.shown()
        await person.press("?")
        for words in ("rate the sample", "comment", "the reports"):
            assert words in person.shown()
        await person.press("?")
        assert "[id]" in person.shown()


# what else must hold


async def test_nobody_sees_what_others_said_of_an_item(folder: Path) -> None:
    """Neither in titles, nor in the tree, nor in what is next to do."""
    with workspace.open(folder) as space:
        other = space.person("ben").id
        for name in (REPORT, DOCUMENT, FIRST, *SENTENCE):
            key = SampleKey("pools", name)
            space.annotate.rate(other, key, "Bad", seconds=1)
            space.annotate.comment(other, key, "secret words", seconds=1)
    async with open_app(folder, sample=REPORT) as person:
        assert "Bad" not in person.shown()
        await person.press("g g g g")
        assert "secret" not in person.shown()
        await person.press("q T")
        assert "0/2 " in person.shown()
        await person.press("3")
        assert "0/8 " in person.shown()
        await person.press("1 J")
        assert here(person) == "r|8|other"


async def test_a_window_that_is_too_small_saves_nothing(folder: Path) -> None:
    """It says so; larger again, the screen is as it was."""
    async with open_app(folder, sample=REPORT) as person:
        for sample in (REPORT, DOCUMENT, FIRST):
            await go_to(person, sample)
            await person.pilot.resize_terminal(24, 6)
            await person.settled()
            assert person.screen.too_small, sample
            assert "{} x {}".format(*person.screen.minimum_size) in person.shown()
            await person.press("1 * 1")
            assert stored(person)[1].rating == ""
            assert not person.annotations
            await person.pilot.resize_terminal(80, 24)
            await person.press("* 1")
            assert "Perfect" in person.line()
            assert stored(person)[1].rating == "Perfect"


async def test_a_document_of_a_megabyte_and_chinese_are_marked_like_any_other(
    tmp_path: Path,
) -> None:
    """At its end too; a mark behind a Chinese sentence takes no character of it."""
    long = "Crabs hide in cracks. " * 50_000
    cited = ("文献甲的很长的编号和名称", "b")
    collection = Collection(
        texts={"b": ("长文", long)}, sentences=[("螃蟹躲在石缝里。", cited), ("完。", ("b",))]
    )
    folder = make_workspace(tmp_path / "space", labels=LABELS, samples=list(collection.samples()))
    async with open_app(folder, sample="d|7|b") as person:
        await person.press("end . 1")
        ((anchor,),), _ = stored(person)
        assert anchor.span.of(f"长文\n\n{long}") == "Crabs hide in cracks."
        await person.press("T 1 enter")
        assert "螃蟹躲在石缝里。 [文献甲的…] [b] 完。 [b]" in person.shown()
        await person.press(". 1")
        text = person.draft.text(Side.SUMMARY)
        assert person.annotations[0].claim[0].span.of(text) == "螃蟹躲在石缝里。"
