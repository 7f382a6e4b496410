"""The page of a report in a real browser: read, walked, filtered, and safe against what it shows.

Chromium is started once; nothing is downloaded, and only what was started here is ended.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import pytest

from tui_annotate.domain.records import RecordFilter
from tui_annotate.services import report as reports
from tui_annotate.services.report import ReportSubject
from tui_annotate.workspace.ephemeral import open_ephemeral

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page, Request

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
SECONDS: Final = 15_000.0
"""Milliseconds after which a step that did not come about fails."""

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine")

AT: Final = "2026-01-01T09:00:00.000000+00:00"
HOSTILE: Final = (
    "<script>window.hacked = 1</script></script><script>alert(1)</script>"
    '<img src=x onerror="window.hacked=2"><svg onload=alert(3)> <!--<script> ]]> &lt;b&gt;'
    '<a href="javascript:alert(4)">a</a>'
    " \u2028\u2029 \x1b]52;c;aGk=\x07\x1b[31m \u202egnp.exe\u202c"
    " \u2066isolate\u2069 {{7*7}} ${alert(5)} ' \" ` \\ \r\n \u0000 😀 zero\u200bwidth"
)
BAD: Final = "../<i>#/&%"
WORD: Final = "pneumono" * 2_500
BRIDGE: Final = ("😀 The bridge cost 12 million. It opened in 1932.", "😀 It cost 15 million then.")


def annotation(person: str, name: str, labels: list[list[str]], **more: Any) -> dict[str, Any]:
    """An annotation of the native form."""
    return {"person": person, "id": name, "labels": labels, "created": AT, "updated": AT, **more}


def sample(dataset: str, name: str, texts: tuple[str, str], **more: Any) -> dict[str, Any]:
    """A line of the native form."""
    source, summary = texts
    documents = [{"side": "source", "text": source}, {"side": "summary", "text": summary}]
    people = [{"id": each, "name": each, "kind": "local"} for each in ("ana", "ben")]
    people.append({"id": "eve", "name": HOSTILE.replace("\x00", "")[:90], "kind": "imported"})
    line = {"format": "tui-annotate/1", "dataset": dataset, "id": name, "documents": documents}
    return {**line, "people": people, **more}


def samples() -> Iterator[dict[str, Any]]:
    """Two that people worked on, one that is hostile in every part, one that is large, many."""
    intrinsic, benign = [["Unwanted", "Intrinsic"]], [["Benign"]]
    first = annotation(
        "ana", "a1", intrinsic, claim=[["summary", 0, 5, 20]],
        evidence=[["source", 0, 13, 28], ["source", 0, 33, 47]], note="see the sum",
    )  # fmt: skip
    second = annotation("ben", "b1", benign, claim=[["summary", 0, 10, 25]])
    done = [{"person": each, "state": "done", "updated": AT} for each in ("ana", "ben")]
    yield sample("news", "bridge", BRIDGE, annotations=[first, second], assignments=done)
    flagged = {"person": "ben", "state": "flagged", "comment": "which year?", "updated": AT}
    tea = annotation("ben", "b2", benign, claim=[["summary", 0, 0, 2]])
    texts = ("茶厂去年加工一千八百吨。", "茶厂去年加工两千吨。")
    yield sample("news", "tea", texts, annotations=[tea], assignments=[flagged])
    bad = annotation(
        "eve", "e1", [[HOSTILE[:80], WORD]], claim=[["summary", 0, 0, 40]],
        evidence=[["source", 0, 5, 60]], note=HOSTILE,
    )  # fmt: skip
    yield sample(
        f"zz<b>{HOSTILE[:40]}", BAD, (HOSTILE + WORD, HOSTILE), annotations=[bad],
        meta={HOSTILE: [HOSTILE, {WORD: 1}], "__proto__": {"hacked": 1}}, group=HOSTILE[:100],
        request={"question": HOSTILE},
        assignments=[{"person": "eve", "state": "done", "comment": HOSTILE, "rating": WORD}],
    )  # fmt: skip
    yield sample("one-large", "mega", ("All is well, they say. " * 45_000 + WORD, "All is well."))
    for number in range(120):
        yield sample("of-many", str(number), (f"The source {number}.", f"The summary {number}."))


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Where the page of these samples lies."""
    folder = tmp_path_factory.mktemp("report")
    lines = "".join(f"{json.dumps(each)}\n" for each in samples())
    (folder / "in.jsonl").write_text(lines, "utf-8")
    target = folder / "report.html"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TUI_ANNOTATE_CONFIG", str(folder / "config.toml"))
        (folder / "config.toml").touch()
        with open_ephemeral(folder / "in.jsonl") as (space, read):
            assert read.refused == 0
            subject = ReportSubject(f"{HOSTILE}.html")
            space.team.report.run(target, RecordFilter(), subject=subject, all_samples=True)
            patch.setattr(reports, "PAGE_BYTES", 1)
            space.team.report.run(folder / "a #1%.html", RecordFilter(label="Benign"))
    return target.as_uri()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for all tests of this module."""
    from playwright.sync_api import sync_playwright

    # As root, in a container, chromium has no sandbox of its own.
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=flags, timeout=60_000)
        yield started
        started.close()


@dataclass
class Reader:
    """Somebody who reads the page.

    Attributes:
        violations: what a page must never do: dialogs, errors, requests beyond the page itself.
    """

    page: Page
    violations: list[str] = field(default_factory=list)

    def watch(self, address: str) -> None:
        """Record violations from now on."""

        def refuse(dialog: Dialog) -> None:
            self.violations.append(dialog.message)
            dialog.dismiss()

        def request(asked: Request) -> None:
            if not asked.url.startswith(address):
                self.violations.append(asked.url)

        self.page.on("dialog", refuse)
        self.page.on("request", request)
        self.page.on("console", lambda told: self.violations.append(told.text))
        self.page.on("pageerror", lambda error: self.violations.append(str(error)))
        self.page.on("popup", lambda popup: self.violations.append(popup.url))

    def highlighted(self, side: str = "") -> list[str]:
        """The words that are lit, of one side or of both."""
        marks = self.page.locator(f"#texts {f'.{side}' if side else ''} mark.lit")
        return [str(each) for each in marks.all_text_contents()]

    def listed(self) -> list[str]:
        """The ids in the list."""
        return [str(each) for each in self.page.locator("#list a bdi").all_text_contents()]

    def name(self) -> str:
        """The id of the sample that is shown."""
        return str(self.page.locator("#name").text_content())

    def go(self, name: str) -> None:
        """Opens a sample by its address."""
        route = "name => { location.hash = routeOf(samples.find(each => each.id === name)); }"
        self.page.evaluate(route, name)
        self.page.get_by_role("heading", name=name, exact=True).wait_for()

    def expect(self, read: Callable[[], object], wanted: object) -> None:
        """Waits until what is read from the page is this: it draws behind the event of a change."""
        deadline = time.monotonic() + SECONDS / 1000
        while (found := read()) != wanted:
            assert time.monotonic() < deadline, (found, wanted)
            self.page.wait_for_timeout(10)

    def highlighted_text(self, side: str = "") -> str:
        """The highlighted words as one text."""
        return "".join(self.highlighted(side))

    def count(self, words: str) -> None:
        """Waits until the page says how many samples fit."""
        self.page.get_by_role("status").filter(has_text=re.compile(f"^{words}$")).wait_for()

    def choose(self, name: str, words: str) -> None:
        """Sets a filter by what its label and its option say."""
        box = self.page.get_by_role("combobox", name=name, exact=True)
        option = box.locator("option").filter(has_text=words).first
        box.select_option(value=option.get_attribute("value"))


Opened = Callable[..., Reader]


@pytest.fixture
def opened(browser: Browser, address: str) -> Iterator[Opened]:
    """Opens the page at a hash; at the end there must be no violation."""
    contexts, readers = [], []

    def read(hash_: str = "", **options: Any) -> Reader:
        size = {"width": options.pop("width", 1280), "height": 900}
        context = browser.new_context(viewport=size, **options)  # type: ignore[arg-type]
        context.set_default_timeout(SECONDS)
        contexts.append(context)
        reader = Reader(context.new_page())
        readers.append(reader)
        reader.watch(address)
        reader.page.goto(f"{address}{hash_}")
        return reader

    yield read
    for reader in readers:
        assert reader.page.evaluate("window.hacked") is None
        assert reader.violations == []
    for context in contexts:
        context.close()


def test_a_sample_is_chosen_from_the_list_and_walked_from(opened: Opened) -> None:
    """By clicks on the list and on real buttons; the address names the sample."""
    reader = opened()
    page = reader.page
    reader.expect(reader.name, "bridge")
    page.get_by_role("link", name="tea").click()
    reader.expect(reader.name, "tea")
    assert page.url.endswith("#/news/tea")
    source = page.get_by_role("region", name="Source", exact=True)
    assert source.text_content() == "茶厂去年加工一千八百吨。"
    assert page.get_by_role("heading", name="tea").evaluate("e => e === document.activeElement")
    page.get_by_role("button", name="Previous sample").click()
    reader.expect(reader.name, "bridge")
    assert page.get_by_role("button", name="Previous sample").is_disabled()
    page.go_back()
    reader.expect(reader.name, "tea")


def test_an_address_leads_to_its_sample(opened: Opened) -> None:
    """With whatever is in its name; a filter that hides it gives way; figures have one too."""
    reader = opened("#/news/tea")
    reader.expect(reader.name, "tea")
    link = reader.page.get_by_role("link", name="Link to this sample")
    assert link.get_attribute("href") == "#/news/tea"
    reader.choose("Dataset", "of-many")
    reader.expect(reader.name, "0")
    reader.go("bridge")
    assert reader.page.get_by_role("combobox", name="Dataset").input_value() == ""
    assert opened("#/figures").page.get_by_role("heading", name="Agreement").is_visible()


def test_claim_and_evidence_light_one_another(opened: Opened) -> None:
    """By pointing, by clicks and by keys, from either text and from the list."""
    reader = opened()
    page = reader.page
    page.locator(".source mark").first.hover()
    reader.expect(partial(reader.highlighted_text, "summary"), "cost 15 million")
    reader.expect(partial(reader.highlighted, "source"), ["cost 12 million", "opened in 1932"])
    page.get_by_role("heading", name="Annotations", exact=True).hover()
    reader.expect(reader.highlighted, [])
    pick = page.get_by_role("button", name="1 Unwanted.Intrinsic by ana")
    pick.click()
    page.get_by_role("heading", name="Annotations", exact=True).hover()
    reader.expect(partial(reader.highlighted_text, "summary"), "cost 15 million")
    assert pick.get_attribute("aria-pressed") == "true"
    page.keyboard.press("Escape")
    pick.blur()
    reader.expect(reader.highlighted, [])
    page.get_by_role("button", name="2 Benign by ben").focus()
    reader.expect(reader.highlighted_text, "15 million then")
    page.locator(".source mark").first.focus()
    page.keyboard.press("Enter")
    page.get_by_role("searchbox").focus()
    reader.expect(partial(reader.highlighted_text, "summary"), "cost 15 million")


def test_a_quoted_passage_leads_to_its_place(opened: Opened) -> None:
    """In its text, lit, where the keyboard goes on from there; on a phone it is brought there."""
    reader = opened(width=390)
    quote = reader.page.get_by_role("button", name="opened in 1932")
    reader.page.locator("#annotations").get_by_text("opened in 1932").click()
    mark = reader.page.locator(".source mark").nth(1)
    assert mark.evaluate("each => each === document.activeElement")
    box = mark.bounding_box()
    assert box is not None
    assert 0 <= box["y"] < 900
    reader.expect(partial(reader.highlighted, "source"), ["cost 12 million", "opened in 1932"])
    assert quote.count() == 2  # the passage, and what quotes it


def test_overlapping_spans_are_all_there(opened: Opened) -> None:
    """Where two lie on one place each click takes the next; numbers say where each begins."""
    reader = opened()
    marks = reader.page.locator(".summary mark")
    assert marks.all_text_contents() == ["cost ", "15 million", " then"]
    covering = "marks => marks.map(mark => mark.dataset.covering)"
    assert marks.evaluate_all(covering) == ["1", "1 2", "2"]
    numbers = "marks => marks.map(mark => mark.dataset.numbers || '')"
    assert marks.evaluate_all(numbers) == ["1", "2", ""]
    for wanted in ("cost 15 million", "15 million then", ""):
        marks.nth(1).click()
        reader.page.get_by_role("heading", name="Annotations", exact=True).hover()
        reader.expect(partial(reader.highlighted_text, "summary"), wanted)


def test_what_is_known_of_an_annotation_is_told(opened: Opened) -> None:
    """Label, person, quotes, note, origin, time; who read the sample and how far they are."""
    page = opened().page
    first = page.locator("#annotations li").first.inner_text()
    for words in (
        "Unwanted.Intrinsic by ana", "“cost 15 million”", "“cost 12 million”", "“opened in 1932”",
        "see the sum", "2026-01-01 09:00 UTC",
    ):  # fmt: skip
        assert words in first
    rows = page.locator("#work tbody tr").all_inner_texts()
    assert [row.split()[:2] for row in rows] == [["ana", "done"], ["ben", "done"]]


def test_namesakes_are_told_apart(opened: Opened) -> None:
    """Two people of one name have their ids beside it; whose name is theirs alone has it alone."""
    two = "for (const id of ['li-1', 'li-2']) names.set(id, 'Li'); namesakes.set('Li', 2);"
    report = opened().page.evaluate(
        f"() => {{ {two} return ['li-1', 'li-2', 'ana'].map(nameOf); }}"
    )
    assert report == ["Li (li-1)", "Li (li-2)", "ana"]


def test_every_filter_narrows(opened: Opened) -> None:
    """By dataset, annotator, label with what is below it, state, and words; they can be cleared."""
    reader = opened()
    clear = reader.page.get_by_role("button", name="Clear filters")
    for name, words, listed in (
        ("Dataset", "news", ["bridge", "tea"]),
        ("Annotator", "ana", ["bridge"]),
        ("Label", "Unwanted (", ["bridge"]),
        ("Label", "Benign", ["bridge", "tea"]),
        ("State", "flagged", ["tea"]),
    ):
        reader.choose(name, words)
        reader.expect(reader.listed, listed)
        clear.click()
        reader.count("124 samples")
    reader.choose("Annotator", "ana")
    assert reader.page.locator("#annotations li[data-number]").count() == 1
    assert "1 annotation is hidden" in reader.page.locator("#annotations").inner_text()
    reader.choose("State", "flagged")
    reader.expect(reader.listed, [])
    reader.expect(reader.name, "No sample")
    reader.count("0 of 124 samples")


def test_search_finds_words(opened: Opened) -> None:
    """In texts, notes, comments and names, in either case; what was typed is no pattern."""
    reader = opened()
    for words, name in (
        ("OPENED in", "bridge"),
        ("which year", "tea"),
        ("see the sum", "bridge"),
        ("茶厂", "tea"),
        ("summary 77.", "77"),
        ("[31m", BAD),
    ):
        reader.page.get_by_role("searchbox", name="Search").fill(words)
        reader.page.get_by_role("heading", name=name, exact=True).wait_for()
        reader.count("1 of 124 samples")
        reader.expect(reader.listed, [name])


def test_found_words_are_marked_in_the_text(opened: Opened) -> None:
    """Also where they lie under several marks."""
    reader = opened()
    reader.page.get_by_role("searchbox").fill("cost 15 million then")
    reader.count("1 of 124 samples")
    hits = "Array.from(CSS.highlights.get('hits'), each => each.toString())"
    assert reader.page.evaluate(hits) == ["cost 15 million then"]


def test_keys_walk(opened: Opened) -> None:
    """Samples and annotations; none of it while somebody types, or has switched keys off."""
    reader = opened()
    page = reader.page
    page.keyboard.press("n")
    reader.expect(partial(reader.highlighted_text, "summary"), "cost 15 million")
    page.keyboard.press("n")
    reader.expect(partial(reader.highlighted_text, "summary"), "15 million then")
    page.keyboard.press("p")
    reader.expect(partial(reader.highlighted_text, "summary"), "cost 15 million")
    page.keyboard.press("j")
    page.get_by_role("heading", name="tea").wait_for()
    page.keyboard.press("k")
    page.get_by_role("heading", name="bridge").wait_for()
    page.keyboard.press("/")
    page.keyboard.type("jj")
    assert page.get_by_role("searchbox").input_value() == "jj"
    page.get_by_role("searchbox").fill("")
    page.get_by_role("group").filter(has_text="Keys").locator("summary").last.click()
    page.get_by_label("Enable the keys").uncheck()
    page.keyboard.press("j")
    reader.expect(reader.name, "bridge")


def test_a_long_list_is_shown_in_parts(opened: Opened) -> None:
    """A hundred at a time; the part with the sample that is shown comes by itself."""
    reader = opened()
    reader.expect(lambda: len(reader.listed()), 100)
    later = reader.page.get_by_role("button", name="Next page of the list")
    later.click()
    reader.expect(lambda: len(reader.listed()), 24)
    assert later.is_disabled()
    reader.go("1")
    reader.expect(lambda: len(reader.listed()), 100)


def test_hostile_texts_are_only_shown(opened: Opened) -> None:
    """Nothing of them runs, asks for anything or hides: controls are pictures, length is kept."""
    reader = opened()
    reader.go(BAD)
    text = str(reader.page.locator(".summary .text").text_content())
    assert text.startswith("<script>window.hacked = 1</script></script><script>alert(1)")
    assert "\u241b]52;c;aGk=\u2407" in text
    assert re.search("[\u2028\u2029\u202e\u2066\u200b\x00-\x09\x1b]", text) is None
    assert len(text.encode("utf-16-le")) == len(HOSTILE.replace("\r", "").encode("utf-16-le"))
    tags = "new Set(Array.from(document.body.querySelectorAll('*'), each => each.localName))"
    found = set(reader.page.evaluate(f"Array.from({tags})"))
    assert not found & {"img", "svg", "iframe", "i", "b"}
    assert reader.page.locator("body script:not([type])").count() == 1
    assert reader.page.evaluate("({}).hacked") is None
    for name in ("Statistics", "Samples"):
        reader.page.get_by_role("link", name=name, exact=True).click()


def test_the_policy_stops_what_would_run_all_the_same(opened: Opened) -> None:
    """Also where markup got in by a fault of ours: no script, no picture, no address."""
    reader = opened()
    refused = reader.page.evaluate(
        """async () => {
            const refused = [];
            document.addEventListener("securitypolicyviolation",
                (event) => refused.push(event.effectiveDirective));
            try { document.body.innerHTML = "<b>"; } catch { refused.push("markup"); }
            const image = document.createElement("img");
            image.src = "https://example.org/x.png";
            document.body.append(image);
            await fetch("https://example.org/").catch(() => refused.push("fetch"));
            const wanted = ["markup", "fetch", "img-src", "connect-src"];
            while (!wanted.every((each) => refused.includes(each)))
                await new Promise(requestAnimationFrame);
            return refused;
        }"""
    )
    reader.violations.clear()  # the browser tells of each refusal
    assert {"markup", "fetch", "img-src", "connect-src"} <= set(refused)


def test_a_text_of_a_megabyte_is_read(opened: Opened) -> None:
    """As a whole, with words that no line holds."""
    reader = opened("#/one-large/mega")
    assert len(str(reader.page.locator(".source .text").text_content())) > 1_000_000
    assert reader.page.evaluate("document.documentElement.scrollWidth") == 1280


@pytest.mark.parametrize("name", ["bridge", BAD, "mega"])
def test_on_a_phone_nothing_scrolls_sideways(opened: Opened, name: str) -> None:
    """At 390 px, and the texts stand one under the other; the figures too."""
    reader = opened(width=390)
    reader.go(name)
    reader.page.locator("details").evaluate_all("all => all.forEach(each => each.open = true)")
    assert reader.page.evaluate("document.documentElement.scrollWidth") == 390
    texts = reader.page.locator("#texts .text")
    boxes = texts.evaluate_all("all => all.map(each => each.getBoundingClientRect().toJSON())")
    assert boxes[0]["bottom"] <= boxes[1]["top"]
    reader.page.get_by_role("link", name="Statistics").click()
    assert reader.page.evaluate("document.documentElement.scrollWidth") == 390


def test_on_a_phone_comments_are_in_sight(opened: Opened) -> None:
    """Who read a sample stands line by line, each word under its column's name."""
    reader = opened(width=390)
    for name, words in (("tea", "which year?"), (BAD, "isolate")):
        reader.go(name)
        box = reader.page.locator("#work .scroll")
        assert box.evaluate("each => each.scrollWidth <= each.clientWidth")
        comment = reader.page.locator("#work td", has_text=words)
        shown = comment.bounding_box()
        assert shown is not None
        assert 0 <= shown["x"] < shown["x"] + shown["width"] <= 390
        assert comment.get_attribute("data-title") == "comment"


def test_an_address_that_names_nothing_shows_the_first_sample(opened: Opened) -> None:
    """Whatever stands behind the hash; later ones change nothing."""
    for hash_ in ("#nothing", "#/nothing", "#"):
        page = opened(hash_).page
        assert page.locator("#name").inner_text() == "bridge"
    reader = opened("#/news/tea")
    reader.page.evaluate("location.hash = '#nothing'")
    assert reader.page.locator("#name").inner_text() == "tea"


CONTRASTS: Final = """() => {
    const channels = (text) => text.match(/[\\d.]+/g).map(Number);
    const light = ([r, g, b]) => {
        const [x, y, z] = [r, g, b].map((c) => c / 255).map(
            (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
        return 0.2126 * x + 0.7152 * y + 0.0722 * z;
    };
    const ground = (element) => {
        for (let each = element; each; each = each.parentElement) {
            const found = channels(getComputedStyle(each).backgroundColor);
            if (found.length < 4 || found[3] > 0) return found;
        }
        return [255, 255, 255];
    };
    const poor = [];
    for (const element of document.body.querySelectorAll("*")) {
        const words = Array.from(element.childNodes).some(
            (node) => node.nodeType === 3 && node.data.trim());
        if (!words || !element.checkVisibility() || element.localName === "script") continue;
        const one = light(channels(getComputedStyle(element).color));
        const other = light(ground(element));
        const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
        if (ratio < 4.5) poor.push([element.outerHTML.slice(0, 80), ratio]);
    }
    return poor;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("hash_", ["", "#/figures"])
def test_every_word_can_be_read_on_its_ground(opened: Opened, scheme: str, hash_: str) -> None:
    """Contrast is 4.5 at least by computed colours, lit and unlit, on light ground and on dark."""
    reader = opened(hash_, color_scheme=scheme)
    if not hash_:
        reader.page.keyboard.press("n")
    assert reader.page.evaluate(CONTRASTS) == []
    dark = "getComputedStyle(document.body).backgroundColor"
    assert (reader.page.evaluate(dark) == "rgb(255, 255, 255)") == (scheme == "light")


def test_figures_tell_of_work_labels_and_agreement(opened: Opened) -> None:
    """As tables with a name each."""
    page = opened().page
    page.get_by_role("link", name="Statistics").click()
    work = page.get_by_role("table", name="Annotations, and samples by state").inner_text()
    assert re.search(r"ana\s+news\s+1\s+0\s+1", work)
    labels = page.get_by_role("table", name="Annotations by label and annotator").inner_text()
    assert re.search(r"Benign\s+2\s+0\s+0\s+2", labels)
    title = "Agreement between annotators: 1 sample"
    agreement = page.get_by_role("table", name=title).inner_text()
    assert re.search(r"span\s+f1 overlap\s+1\.000", agreement)


def test_printed_it_is_whole(opened: Opened) -> None:
    """Without filters and buttons, with all of the texts."""
    reader = opened()
    reader.go(BAD)
    page = reader.page
    page.emulate_media(media="print")
    assert page.get_by_role("searchbox").count() == 0
    text = page.locator(".source .text")
    assert text.evaluate("each => each.scrollHeight - each.clientHeight") == 0


def test_what_can_be_used_has_a_name(opened: Opened) -> None:
    """Every control, for those who hear the page; headings follow one another."""
    page = opened().page
    page.locator("details").evaluate_all("all => all.forEach(each => each.open = true)")
    roles = ("button", "combobox", "searchbox", "link", "region", "table", "checkbox", "heading")
    for role in roles:
        every = page.get_by_role(role)  # type: ignore[arg-type]
        named = page.get_by_role(role, name=re.compile(r"\S"))  # type: ignore[arg-type]
        assert every.count() == named.count() > 0
    level = "all => all.map(each => Number(each.localName[1]))"
    levels = page.get_by_role("heading").evaluate_all(level)
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_pages_lead_to_one_another(opened: Opened, address: str) -> None:
    """Of a large report each page has links to all pages, the same people and the same figures."""
    reader = opened()
    page, folder = reader.page, address.rpartition("/")[0]
    page.goto(f"{folder}/a%20%231%25.html")
    pages = page.get_by_role("navigation", name="Pages of this report")
    assert pages.get_by_role("link").all_text_contents() == ["Page 1", "Page 2"]
    assert reader.name() == "bridge"
    counted = page.locator("#about").inner_text()
    figures = page.locator("#figures-view").text_content()
    pages.get_by_role("link", name="Page 2").click()
    page.get_by_role("heading", name="tea", exact=True).wait_for()
    assert page.locator("#about").inner_text() == counted
    assert page.locator("#figures-view").text_content() == figures
    assert pages.locator("[aria-current]").all_text_contents() == ["Page 2"]
    pages.get_by_role("link", name="Page 1").click()
    page.get_by_role("heading", name="bridge", exact=True).wait_for()
    reader.violations = [each for each in reader.violations if not each.startswith(folder)]


def test_a_report_of_one_page_has_no_links_to_pages(opened: Opened) -> None:
    """A report with one page names no pages."""
    assert opened().page.locator("#pages").is_hidden()
