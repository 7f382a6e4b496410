"""The list of all samples."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot

from tests.tui.stage import HOSTILE, Stage, run_stage
from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import NotFound, Unavailable
from tui_annotate.domain.samples import SampleKey, SiblingSample
from tui_annotate.domain.scores import ScoreSummaries, ScoreSummary
from tui_annotate.tui.screens.queue import FILTERS, QUEUE, QueueScores, QueueScreen
from tui_annotate.tui.widgets.queue_rows import PAGE, QueueList

_TOTAL = 100_000
_STATES = list(State)


@dataclass(frozen=True)
class _Row:
    key: SampleKey
    group: str
    state: State
    annotations: int
    summary_start: str


class _Store:
    """A hundred thousand rows that are made when they are asked for; counts what is asked."""

    def __init__(self, total: int = _TOTAL) -> None:
        self.total = total
        self.asked: list[tuple[str, int, int]] = []
        self.threads: set[str] = set()

    def page(
        self, search: str, states: Collection[State], *, offset: int, limit: int
    ) -> tuple[Sequence[_Row], int]:
        """Every sixth row has a given state; a search leaves ten rows."""
        self.threads.add(threading.current_thread().name)
        if limit > 1:
            self.asked.append((search, offset, limit))
        step = 6 // len(states) if states else 1
        total = (10 if search else self.total) // step
        first = _STATES.index(min(states, key=_STATES.index)) if states else 0
        numbers = range(offset, min(offset + limit, total))
        return [self._row(number * step + first, search) for number in numbers], total

    @staticmethod
    def _row(number: int, search: str) -> _Row:
        name = f"{search}{number:06}"
        return _Row(
            SampleKey("news", name), f"source-{number}", _STATES[number % 6], 3, "桥梁重新开放。"
        )


async def _settled(stage: Stage) -> None:
    """Waits until nothing is read any more."""
    await stage.workers.wait_for_complete()


async def _idle(stage: Stage, pilot: object) -> None:
    for _ in range(6):
        await _settled(stage)
        await pilot.pause()  # type: ignore[attr-defined]


async def _shown(stage: Stage, pilot: Pilot[object], words: str) -> None:
    """Waits until words stand on the screen; a page that opens may need more than a frame."""
    while words not in stage.text():
        await pilot.pause(0.01)


async def test_locked_samples_are_counted_apart() -> None:
    """They can not be completed any more."""
    screen = QueueScreen(_Store().page, listing=replace(QUEUE, locked=6))
    async with run_stage(screen=screen) as (stage, pilot):
        await _idle(stage, pilot)
        title = stage.lines()[0]
        assert title.startswith("━ QUEUE ━ 16666/99994 completed · »16,666 ⚑16,666 6 locked ━")


async def test_a_column_of_groups_is_shown_only_if_a_sample_has_a_group() -> None:
    """An empty column takes room and explains nothing."""

    def without_groups(
        search: str, states: Collection[State], *, offset: int, limit: int
    ) -> tuple[Sequence[_Row], int]:
        rows, total = _Store().page(search, states, offset=offset, limit=limit)
        return [replace(row, group="") for row in rows], total

    for page, shown in ((_Store().page, True), (without_groups, False)):
        async with run_stage(screen=QueueScreen(page), size=(120, 24)) as (stage, pilot):
            await _idle(stage, pilot)
            assert ("  group  " in stage.lines()[1]) is shown


async def test_help_explains_bars_and_verdicts_only_where_they_are_shown() -> None:
    """A workspace without scores has the order of the list, but neither bars nor verdicts."""
    machine = _Machine()
    empty = replace(machine.scores(), glances=lambda _: ScoreSummaries())
    for scores, shown in ((machine.scores(), True), (empty, False)):
        async with run_stage(screen=QueueScreen(_Store().page, scores=scores)) as (stage, pilot):
            await _idle(stage, pilot)
            await pilot.press("question_mark", "question_mark")
            await _shown(stage, pilot, "completed sample")
            await pilot.press("end")
            await pilot.pause()
            assert ("verdict" in stage.text()) is shown


async def test_rows_show_state_id_count_and_summary() -> None:
    """One line a sample; the focused one is told in full below."""
    store = _Store()
    async with run_stage(screen=QueueScreen(store.page)) as (stage, pilot):
        await _idle(stage, pilot)
        lines = [line.rstrip() for line in stage.lines()]
        assert lines[0].startswith("━ QUEUE ━ 16666/100000 completed · »16,666 ⚑16,666 ━")
        assert lines[0].endswith("all: 1 of 100000 ━")
        assert lines[1] == "    sample           annotations  summary"
        assert lines[2] == "▌ · 000000                     3  桥梁重新开放。"
        assert lines[4].startswith("  ✓ 000002")
        assert " · Sample news/000000: new, 3 annotations, source-0" in lines
        assert "1  ▸ all" in stage.text()


@pytest.mark.parametrize("total", [3, _TOTAL])
async def test_heads_are_over_their_columns(total: int) -> None:
    """At any width, with a scroll bar and without; groups have a column on wide screens."""
    store = _Store(total)
    async with run_stage(screen=QueueScreen(store.page)) as (stage, pilot):
        await _idle(stage, pilot)
        for width in (30, 60, 80, 99, 100, 140):
            await pilot.resize_terminal(width, 24)
            await pilot.pause()
            _, heads, row, *_ = stage.lines()
            assert all(cell_len(line) == width for line in stage.lines())
            assert heads.index("sample") == row.index("000000"), width
            assert ("annotations" in heads) == (width > 40), width
            if "annotations" in heads:
                assert heads[: row.index("3  ") + 1].endswith("annotations"), width
            assert ("group" in heads) == (width >= 100), width
            assert "group" not in heads or heads.index("group") == row.index("source-0"), width
            assert cell_len(heads[: heads.index("summ")]) == cell_len(row[: row.index("桥")]), width


async def test_only_what_is_seen_is_read() -> None:
    """To the end of a hundred thousand rows: two pages, off the screen's thread."""
    store = _Store()
    async with run_stage(screen=QueueScreen(store.page)) as (stage, pilot):
        await _idle(stage, pilot)
        await pilot.press("end")
        await _idle(stage, pilot)
        assert store.asked == [("", 0, PAGE), ("", _TOTAL - PAGE, PAGE)]
        assert "▌ ⚑" in stage.text() or "099999" in stage.text()
        assert threading.main_thread().name not in store.threads
        await pilot.press("enter")
        await pilot.pause()
        assert stage.results == [SampleKey("news", "099999")]


async def test_it_begins_where_one_is() -> None:
    """The position given is focused, and its page is the first that is read."""
    store = _Store()
    async with run_stage(screen=QueueScreen(store.page, position=50_123)) as (stage, pilot):
        await _idle(stage, pilot)
        assert "▌" in next(line for line in stage.lines() if "050122" in line)
        assert store.asked == [("", 50_000, PAGE)]


async def test_moving_crosses_pages() -> None:
    """Rows around the edge of a page come from both pages."""
    store = _Store()
    async with run_stage(screen=QueueScreen(store.page, position=PAGE)) as (stage, pilot):
        await _idle(stage, pilot)
        await pilot.press("j", "down", "pagedown", "k", "up")
        await _idle(stage, pilot)
        assert {offset for _, offset, _ in store.asked} == {0, PAGE}
        assert "…" not in stage.text().replace("go to", "")


async def test_holding_a_key_does_not_pile_up_reading() -> None:
    """While one page is on its way, no other is asked for."""
    gate = threading.Event()
    store = _Store()

    def slow(
        search: str, states: Collection[State], *, offset: int, limit: int
    ) -> tuple[Sequence[_Row], int]:
        if limit > 1 and offset:
            gate.wait(timeout=30)
        return store.page(search, states, offset=offset, limit=limit)

    async with run_stage(screen=QueueScreen(slow)) as (stage, pilot):
        await _idle(stage, pilot)
        await pilot.press(*["pagedown"] * 40)
        assert len(store.asked) == 1
        gate.set()
        await _idle(stage, pilot)
        assert len(store.asked) <= 4
        assert "▌" in stage.text()


async def test_filters_have_keys_and_can_be_clicked_and_go_round() -> None:
    """A filter starts at its first row; the bar shows which one it is; f comes round to all."""
    store = _Store()
    async with run_stage(screen=QueueScreen(store.page, position=500)) as (stage, pilot):
        await _idle(stage, pilot)
        for key, name in (("2", "open"), ("5", "completed ✓"), ("1", "all"), ("f", "open")):
            await pilot.press("end", key)
            await _idle(stage, pilot)
            assert f"▸ {name}" in stage.text(), key
            shown = name.removesuffix(" ✓")
            assert f"{shown}: 1 of " in stage.lines()[0], key
        await pilot.press("1")
        await pilot.click("LabelBar", offset=(20, 0))
        await _idle(stage, pilot)
        assert "▸ open" in stage.text()
        await pilot.press(*["f"] * 7)
        await _idle(stage, pilot)
        assert "▸ all" in stage.text()


async def test_search_reads_while_one_types_and_can_be_left() -> None:
    """Letters and digits are text; Enter gives the keys back; Escape takes the search off."""
    store = _Store()
    async with run_stage(screen=QueueScreen(store.page)) as (stage, pilot):
        await _idle(stage, pilot)
        await pilot.press("slash", "q", "5", "中")
        await _idle(stage, pilot)
        assert '"q5中", all: 1 of 10' in stage.lines()[0]
        await pilot.press("enter", "end", "enter")
        await pilot.pause()
        assert stage.results == [SampleKey("news", "q5中000009")]


async def test_escape_goes_back_to_the_sample_that_is_open() -> None:
    """It takes the search off first; Backspace, which may be held too long, does no more."""
    store, current = _Store(), SampleKey("news", "000003")
    async with run_stage(screen=QueueScreen(store.page, current=current)) as (stage, pilot):
        await _idle(stage, pilot)
        assert "Esc back" in stage.text()
        await pilot.press("slash", "x", "escape", "backspace")
        await _idle(stage, pilot)
        assert stage.results == []
        await pilot.press("escape")
        await pilot.pause()
        assert stage.results == [current]


async def test_where_no_sample_is_open_only_q_closes() -> None:
    """Escape takes the search off, and has nowhere to go back to."""
    store = _Store()
    async with run_stage(screen=QueueScreen(store.page)) as (stage, pilot):
        await _idle(stage, pilot)
        await pilot.press("slash", "x", "escape")
        await _idle(stage, pilot)
        assert "all: 1 of 100000" in stage.lines()[0]
        await pilot.press("slash", "backspace", "escape", "backspace")
        await pilot.pause()
        assert stage.results == []
        await pilot.press("q")
        await pilot.pause()
        assert stage.results == [None]


async def test_nothing_to_show_is_said() -> None:
    """An empty list speaks, and Enter does nothing."""
    store = _Store(0)
    async with run_stage(screen=QueueScreen(store.page)) as (stage, pilot):
        await _idle(stage, pilot)
        assert stage.screen.query_one(QueueList)._message
        assert not stage.screen.query_one(QueueList)._message.endswith("…")
        assert stage.screen.query_one(QueueList)._message in stage.text()
        await pilot.press("enter", "down", "end", "q")
        await pilot.pause()
        assert stage.results == [None]


async def test_a_click_opens() -> None:
    """A click on a row is Enter on it."""
    store = _Store()
    async with run_stage(screen=QueueScreen(store.page)) as (stage, pilot):
        await _idle(stage, pilot)
        await pilot.click("QueueList", offset=(10, 4))
        await pilot.pause()
        assert stage.results == [SampleKey("news", "000004")]


@pytest.mark.parametrize("key", ["g", "G"])
async def test_go_to_an_id(key: str) -> None:
    """What is found is opened; what is not is told in the dialog; G is the sample screen's key."""

    def find(text: str) -> SampleKey:
        if text != "7":
            raise NotFound(f"no sample {text!r}")
        return SampleKey("news", text)

    store = _Store()
    async with run_stage(screen=QueueScreen(store.page, find=find)) as (stage, pilot):
        await _idle(stage, pilot)
        await pilot.press(key, "8", "enter")
        await _idle(stage, pilot)
        assert "no sample '8'" in stage.text()
        await pilot.press("backspace", "7", "enter")
        await _idle(stage, pilot)
        assert stage.results == [SampleKey("news", "7")]


async def test_its_keys_are_told() -> None:
    """The last line offers the help, and ? gives it."""
    async with run_stage(screen=QueueScreen(_Store().page)) as (stage, pilot):
        await _idle(stage, pilot)
        assert stage.lines()[-1].endswith("? keys ")
        await pilot.press("question_mark")
        await _shown(stage, pilot, f"1-{len(FILTERS)} ")


async def test_a_store_that_fails_is_told() -> None:
    """The reason stands in the line above the filters."""

    def broken(*_: object, **__: object) -> tuple[Sequence[_Row], int]:
        raise Unavailable("the store can not be read", "run doctor")

    async with run_stage(screen=QueueScreen(broken)) as (stage, pilot):
        await _idle(stage, pilot)
        assert " ✗ the store can not be read · run doctor" in stage.text()


async def test_hostile_rows_are_harmless() -> None:
    """Ids, groups and summaries may hold anything."""
    row = _Row(SampleKey(HOSTILE, HOSTILE), HOSTILE, State.NEW, 1, HOSTILE)
    screen = QueueScreen(lambda *_, **__: ([row], 1))
    async with run_stage(screen=screen, size=(140, 24)) as (stage, pilot):
        await _idle(stage, pilot)
        assert "␛]52" in stage.text()


# what machines say ---------------------------------------------------------------------------


@dataclass
class _Machine:
    """Says something of every second sample; remembers in which order the queue is."""

    order: str = "by-source"
    said: int = 0

    def glances(self, keys: Sequence[SampleKey]) -> ScoreSummaries:
        """The value grows with the number."""
        self.said += len(keys)
        even = [key for key in keys if not int(key.id) % 2]
        of = {key: ScoreSummary((int(key.id) / _TOTAL, None), "wrong") for key in even}
        return ScoreSummaries(("unigram_overlap", "faithfulness"), True, of)

    def rivals(self, key: SampleKey) -> tuple[Sequence[SiblingSample], ScoreSummaries]:
        """Itself and one more."""
        names = (key, SampleKey("news", "other"))
        return [
            SiblingSample(each, State.NEW, 0, f"text of {each.id}") for each in names
        ], ScoreSummaries()

    def scores(self) -> QueueScores:
        """As the screen is given them."""
        orders = ("by-source", "worst:unigram_overlap")
        return QueueScores(
            self.glances, self.rivals, lambda: orders, lambda: self.order, self._reorder
        )

    def _reorder(self, order: str) -> None:
        self.order = order


async def test_bars_and_badges_stand_beside_the_rows() -> None:
    """Heads stand over their columns at any width; the row in hand is told in full."""
    screen = QueueScreen(_Store().page, scores=_Machine().scores(), position=88_001)
    async with run_stage(screen=screen) as (stage, pilot):
        await _idle(stage, pilot)
        for width in (60, 80, 99, 100, 119, 120, 140):
            await pilot.resize_terminal(width, 24)
            await pilot.pause()
            _, heads, *rows = stage.lines()
            assert all(cell_len(line) == width for line in rows)
            row = next(row for row in rows if "088000" in row)
            other = next(row for row in rows if "088001" in row)
            assert "█" in row
            assert "█" not in other
            head = "unig" if width >= 120 else "score"
            assert cell_len(heads[: heads.index(head)]) == cell_len(row[: row.index("█")]), width
            assert ("wrong" in row, ".88" in row) == (width >= 100, width >= 120), width
            summary = cell_len(row[: row.index("桥")])
            assert cell_len(other[: other.index("桥")]) == summary, width
            assert cell_len(heads[: heads.index("summ")]) == summary, width
            assert ": wrong · unigram_overlap .88 · Sample news/0" in stage.text(), width


async def test_another_order_is_read_at_once() -> None:
    """It begins at its first row, and the title names it; the same again reads nothing."""
    store, machine = _Store(), _Machine()
    screen = QueueScreen(store.page, scores=machine.scores(), position=500)
    async with run_stage(screen=screen) as (stage, pilot):
        await _idle(stage, pilot)
        await pilot.press("o")
        await _idle(stage, pilot)
        await pilot.press("enter")
        await _idle(stage, pilot)
        assert len(store.asked) == 1
        await pilot.press("o")
        await _idle(stage, pilot)
        await pilot.press("down", "enter")
        await _idle(stage, pilot)
        assert machine.order == "worst:unigram_overlap"
        assert store.asked[-1] == ("", 0, PAGE)
        assert " · unigram_overlap: worst first ━" in stage.lines()[0]


async def test_rivals_are_opened_from_the_list() -> None:
    """What is chosen there is opened; closing them stays in the list."""
    screen = QueueScreen(_Store().page, scores=_Machine().scores())
    async with run_stage(screen=screen) as (stage, pilot):
        await _idle(stage, pilot)
        await pilot.press("s")
        await _idle(stage, pilot)
        assert "text of 000000" in stage.text()
        await pilot.press("q", "s")
        await _idle(stage, pilot)
        await pilot.press("down", "enter")
        await _idle(stage, pilot)
        assert stage.results == [SampleKey("news", "other")]


async def test_its_keys_are_told_with_those_of_machines() -> None:
    """On the line and in the help; a list without machines does nothing with them."""
    screen = QueueScreen(_Store().page, scores=_Machine().scores())
    async with run_stage(screen=screen) as (stage, pilot):
        await _idle(stage, pilot)
        assert "o sort  s same source  q back" in stage.lines()[-1]
        await pilot.press("question_mark")
        await _shown(stage, pilot, "different order")
    async with run_stage(screen=QueueScreen(_Store().page)) as (stage, pilot):
        await _idle(stage, pilot)
        await pilot.press("o", "s", "question_mark")
        await _shown(stage, pilot, f"1-{len(FILTERS)} ")
        assert "different order" not in stage.text()


async def test_what_was_said_of_rows_long_gone_is_given_up() -> None:
    """With the rows themselves; the list stays small however far one goes."""
    machine = _Machine()
    screen = QueueScreen(_Store().page, scores=machine.scores())
    async with run_stage(screen=screen) as (stage, pilot):
        await _idle(stage, pilot)
        for _ in range(30):
            screen.action_move(PAGE)
            await _idle(stage, pilot)
        assert machine.said >= 30 * PAGE
        assert len(screen.query_one(QueueList)._scores) <= 26 * PAGE // 2
