"""Writes the stored files of the first version: run with version 0.1.0 of November 2026, once.

    python -m tests.compatibility.write_files    # in a clone of that version, these files beside

What it wrote is kept as it is: later versions read it. Run again with a later version, it would say
what that one writes. Ids and times are fixed, but for the salts of hashed passwords.
"""

# ruff: noqa: I001, PLR0915 - one import must come before all others; what people do is a list
from __future__ import annotations

import tests.compatibility.fixed_sources  # noqa: F401 - first: the others keep the clock they find

import gzip
import io
import json
import os
import random
import shutil
import sqlite3
import sys
import tarfile
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import zstandard

from tests.compatibility import material
from tests.compatibility.outputs import (
    EXPECTED,
    FORMATS,
    HERE,
    MORE,
    OF_ACCOUNTS,
    STORED,
    TOLD,
    TRIPS,
    Files,
    as_text,
    call,
    exported,
    exports,
    told,
)
from tests.key_files import KEYS
from tests.plugins.chat_server import chatting
from tests.services.scripted_judge import Script
from tui_annotate import workspace as workspaces
from tui_annotate.cli.main import run
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.offers import Offer
from tui_annotate.domain.people import Actor, Role
from tui_annotate.domain.samples import SampleKey, Side
from tui_annotate.domain.settlements import Reason
from tui_annotate.domain.spans import Span
from tui_annotate.services.authenticate.managing import NewAccount
from tui_annotate.tui.keys.view import ALL_ACTIONS
from tui_annotate.workspace import Workspace, carrying

HOME: Final = Path("workspace")
ONE, TWO, THREE, FOUR, REVIEWER, GUEST = (
    "annotator-1", "annotator-2", "annotator-3", "annotator-4", "reviewer-1", "annotator-5",
)  # fmt: skip
MILL, FLOOD, FERRY, ODD, PLAIN = (SampleKey("news", each["id"]) for each in material.PAIRS)
INTRINSIC, EXTRINSIC, BENIGN = ("Unwanted", "Intrinsic"), ("Unwanted", "Extrinsic"), ("Benign",)
ALPHABET: Final = "".join(
    map(chr, (*range(0xE0, 0xF7), *range(0x3B1, 0x3CA), *range(0x430, 0x482)))
)
"""Keys that no action has by itself."""


def did(*arguments: str | Path, code: int = 0, typed: str = "") -> None:
    """Runs a command, which must end so."""
    before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(typed.encode()), "utf-8")
    try:
        ended = run([str(each) for each in arguments])
    finally:
        sys.stdin = before
    assert ended == code, (arguments, ended)


def rows(name: str, values: Iterable[Any]) -> str:
    """A file of JSON lines."""
    lines = "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_text(lines, "utf-8")
    return name


def listed(name: str, value: Any) -> str:
    """A file with one JSON value."""
    Path(name).write_text(json.dumps(value, ensure_ascii=False), "utf-8")
    return name


def mark(
    space: Workspace,
    key: SampleKey,
    name: str,
    words: str | tuple[str, ...],
    *labels: tuple[str, ...],
    evidence: str = "",
    note: str = "",
) -> Annotation:
    """An annotation of words of the summary, as the screen makes it."""
    sample = space.corpus.sample(key).sample

    def anchor(side: Side, part: str) -> Anchor:
        index = next(at for at, one in enumerate(sample.side(side)) if part in one.text)
        start = sample.side(side)[index].text.index(part)
        return Anchor(side, index, Span(start, start + len(part)))

    claims = (words,) if isinstance(words, str) else words
    claim = tuple(anchor(Side.SUMMARY, part) for part in claims if part)
    found = (anchor(Side.SOURCE, evidence),) if evidence else ()
    return Annotation(name, claim, found, labels, note)


def fill() -> None:
    """All datasets, each by its own reader."""
    did("init", HOME)
    (HOME / "labels.yaml").write_text(material.LABELS, "utf-8")
    ingest = ("ingest", "--embedder", "none", "-w", HOME, "--dataset")
    pairs = rows("pairs.jsonl", material.PAIRS)
    did(*ingest, "news", "--id-column", "id", "--group-column", "group", pairs)
    did(*ingest, "scrap", "--id-column", "id", rows("scrap.jsonl", material.SCRAP))
    did(*ingest, "kiln", "--from", "mercury", listed("dump.json", material.DUMP))
    did(*ingest, "training", "--from", "mercury", listed("gold.json", material.GOLD))
    did("convert", "dump.json", "release.json", "--from", "mercury", "--to", "faithbench")
    did(*ingest, "release", "--from", "faithbench", "release.json")
    rows("runs/all.jsonl", material.REPORTS)
    about = ("--topics", rows("topics.jsonl", material.TOPICS))
    pages = ("--documents", rows("pages.jsonl", material.PAGES))
    did(*ingest, "reports", "--from", "autojudge", *about, *pages, "runs")
    did(*ingest, "study", "--from", "open-qa", rows("study.jsonl", material.STUDY))
    did(*ingest, "open-set", "--from", "rag", rows("rag.jsonl", material.QUESTIONS))
    did(*ingest, "answers", "--from", "generations", rows("answers.jsonl", material.ANSWERS))
    for name, values in material.TRUTH.items():
        rows(f"truth/{name}", values)
    did(*ingest, "truth", "--from", "ragtruth", "truth")


def guide() -> None:
    """Two versions of the guidelines, and one of a dataset."""
    for number, text in enumerate(material.GUIDELINES):
        Path(f"g{number}.md").write_text(text, "utf-8")
        did("guidelines", "apply", "-w", HOME, f"g{number}.md")
    did("guidelines", "apply", "-w", HOME, "--dataset", "reports", "g0.md")


def measure() -> None:
    """Scores, a ranking, what judges say, suggestions."""
    did("score", "-w", HOME, "--dataset", "news", "--scorer", "unigram")
    did("score", "import", "-w", HOME, "--dataset", "answers", "--columns", "all")
    did("score", "-w", HOME, "--dataset", "answers", "--scorer", "unigram")
    did("rank", "-w", HOME, "--dataset", "answers", "--ranker", "length", "--short-diff", "5")
    numbers = rows(
        "q.jsonl", ({"id": each["id"], "q": each["score"] or 0} for each in material.PAIRS)
    )
    did("score", "import", "-w", HOME, "--dataset", "news", "--name", "q", "--low", numbers)
    with chatting(Script()) as chat:
        asked = ("-w", HOME, "--dataset", "open-set", "--model", "toy", "--base-url", chat.url)
        did("judge", "sort", *asked)
        did("judge", "generate", *asked)
        metrics = ("--metric", "faithfulness", "--metric", "context_precision")
        did("judge", "evaluate", *metrics, *asked)
    found = rows("found.jsonl", material.FOUND)
    did("suggestions", "import", "-w", HOME, "--maker", "detector-1", found)
    below = ("--score", "source_overlap", "--below", "0.9", "--label", "Unwanted.Extrinsic")
    did("suggestions", "from-scores", "-w", HOME, "--dataset", "news", *below)


def offered(space: Workspace, key: SampleKey, one: Annotation) -> Offer:
    """What the assist shows for a claim, by words; two of it looked at."""
    anchor = one.claim[0]
    found = space.match(key, side=Side.SUMMARY, span=anchor.span, top=5)
    return Offer(matches=found.matches, looked=frozenset({1, 2}))


def annotate(space: Workspace) -> None:
    """Three people at work: every deed of annotators."""
    work = space.annotate
    one, two, three = (space.person(name).id for name in (ONE, TWO, THREE))
    first = mark(space, MILL, "m-1", "1817", INTRINSIC, evidence="1871", note="swapped")
    work.add(one, MILL, first, seconds=12.5, offer=offered(space, MILL, first))
    second = mark(space, MILL, "m-2", ("Nobody", "it."), EXTRINSIC, BENIGN)
    saved = work.add(one, MILL, second, seconds=3)
    changed = replace(saved.annotation or second, note="two spans 两处", labels=(EXTRINSIC,))
    work.edit(one, MILL, changed, seconds=4, offer=offered(space, MILL, second))
    work.add(one, MILL, mark(space, MILL, "m-3", "9 metres", BENIGN), seconds=1)
    work.remove(one, MILL, "m-3", version=1, seconds=1)
    work.undo(one)
    work.redo(one)
    work.undo(one)
    work.rate(one, MILL, "good", seconds=2)
    work.comment(one, MILL, "a comment 🔔 评论", seconds=2)
    work.finish(one, MILL, seconds=2)
    work.add(one, FLOOD, mark(space, FLOOD, "m-4", "A flood took the mill.", BENIGN), seconds=9)
    work.finish(one, FLOOD, seconds=1)
    work.add(one, FLOOD, mark(space, FLOOD, "m-5", "town", INTRINSIC, evidence="owner"), seconds=1)
    work.skip(one, ODD, reason="odd", seconds=5)
    work.flag(one, PLAIN, reason="too short", seconds=6)
    work.read(one, FERRY, seconds=33)
    work.add(
        two, MILL, mark(space, MILL, "n-1", "from 1817", INTRINSIC, evidence="1871"), seconds=8
    )
    work.finish(two, MILL, seconds=1)
    work.add(two, FERRY, mark(space, FERRY, "n-2", "三班", INTRINSIC, evidence="两班"), seconds=8)
    work.add(
        two,
        FERRY,
        mark(space, FERRY, "n-3", "", BENIGN, evidence="自行车", note="only here"),
        seconds=8,
    )
    work.finish(two, FERRY, seconds=1)
    work.add(two, ODD, mark(space, ODD, "n-4", "\0 stay", BENIGN, evidence="NUL \0"), seconds=8)
    work.add(two, ODD, mark(space, ODD, "n-5", "🔔", ("Garbled",), evidence="🔔"), seconds=8)
    work.finish(two, PLAIN, seconds=3)
    work.add(three, MILL, mark(space, MILL, "o-1", "1817", INTRINSIC, evidence="1871"), seconds=8)
    work.add(three, MILL, mark(space, MILL, "o-2", "wheel", ("Number",)), seconds=2)
    work.rate(three, MILL, "bad", seconds=1)
    work.finish(three, MILL, seconds=1)
    for name in ("s1", "s2"):
        key = SampleKey("scrap", name)
        work.add(three, key, mark(space, key, f"p-{name}", "went", BENIGN), seconds=2)
    work.rate(three, SampleKey("scrap", "s2"), "bad", seconds=1)
    work.clear(three, dataset="scrap", words=True)
    work.undo(three)


def answer(space: Workspace) -> None:
    """Suggestions are taken, taken with changes, refused, taken back."""
    work, two = space.annotate, space.person(TWO).id
    given = [each.suggestion for each in work.suggested(two, FLOOD)]
    known = {(each.maker, each.labels): each.id for each in given}
    mine = [each for each in given if each.maker == "detector-2"]
    work.accept(two, FLOOD, mine[0].id, seconds=4)
    changed = mark(space, FLOOD, "x", "town paid for a new weir", INTRINSIC, evidence="owner paid")
    work.accept(two, FLOOD, mine[1].id, changed=changed, seconds=4)
    assert known
    for each in work.suggested(two, PLAIN):
        work.refuse(two, PLAIN, each.suggestion.id, reason="not so", seconds=4)
    names = [each.suggestion.id for each in work.suggested(two, MILL)]
    work.refuse(two, MILL, names[0], seconds=1)
    work.undo(two)
    saved = work.accept(two, MILL, names[0], seconds=1)
    if saved.annotation:
        edited = replace(saved.annotation, note="seen again")
        work.edit(two, MILL, edited, seconds=1)
    for key in (FLOOD, MILL):
        work.finish(two, key, seconds=2)


def judge_collection(space: Workspace) -> None:
    """Reports, documents, citations, questions and answers are rated, marked and talked of."""
    work, one, two = space.annotate, space.person(ONE).id, space.person(TWO).id
    for number, sample in enumerate(list(space.samples(dataset="reports"))):
        scale = work.open(one, sample.key).scale
        for who in (one, two)[: 1 + number % 2]:
            work.rate(who, sample.key, scale[number % len(scale)], seconds=3)
        side = sample.side(Side.SUMMARY) or sample.side(Side.SOURCE)
        words = side[0].text.split(" ")[0].strip(".")
        if number % 3 == 0 and sample.side(Side.SUMMARY):
            made = mark(space, sample.key, f"r-{number}", words, ("Passage",))
            work.add(one, sample.key, made, seconds=2)
        elif number % 3 == 0:
            made = mark(space, sample.key, f"r-{number}", "", ("Passage",), evidence=words)
            work.add(one, sample.key, made, seconds=2)
        if number % 4 == 0:
            work.comment(two, sample.key, f"第 {number} 😀", seconds=2)
            work.finish(two, sample.key, seconds=1)
    for dataset in ("study", "answers"):
        for number, sample in enumerate(list(space.samples(dataset=dataset))):
            scale = work.open(one, sample.key).scale or ("right", "wrong")
            work.rate(one, sample.key, scale[number % len(scale)], seconds=2)
            if number % 2:
                work.rate(two, sample.key, scale[0], seconds=2)
                work.finish(two, sample.key, seconds=2)


def review(space: Workspace) -> None:
    """Every deed of reviewers, on a sample that three people finished."""
    open_sample, who = space.team.review, space.person(REVIEWER).id
    seen = open_sample.open(who, MILL)
    rivals = {one.sources[0]: one for group in seen.groups for one in group.rivals}
    state = seen.seen
    same = next(one for one in rivals.values() if "m-1" in one.sources)
    state = open_sample.take(who, MILL, [same.sources], seen=state, seconds=4).seen
    other = next(one for one in rivals.values() if "n-1" in one.sources)
    state = open_sample.merge(
        who, MILL, [same.sources, other.sources], labels=same.labels, seen=state, seconds=4
    ).seen
    spare = next(one for one in rivals.values() if "o-2" in one.sources)
    state = open_sample.reject(
        who, MILL, [spare.sources], reason=Reason.GUIDELINE, note="see 2", seen=state, seconds=4
    ).seen
    own = mark(space, MILL, "v-1", "dates", BENIGN, note="own")
    state = open_sample.own(who, MILL, own, seen=state, seconds=4).seen
    two = next(one for one in rivals.values() if "m-2" in one.sources)
    edited = mark(space, MILL, "v-2", "Nobody", EXTRINSIC, note="cut")
    state = open_sample.edit(who, MILL, edited, sources=two.sources, seen=state, seconds=4).seen
    state = open_sample.remove(who, MILL, "v-1", seen=state, seconds=1).seen
    open_sample.undo(who)
    open_sample.redo(who)
    open_sample.undo(who)
    state = open_sample.open(who, MILL).seen
    state = open_sample.rate(who, MILL, "good", seen=state, seconds=1).seen
    state = open_sample.comment(who, MILL, "settled 已定", seen=state, seconds=1).seen
    state = open_sample.finish(who, MILL, rest=Reason.AMBIGUOUS, seen=state, seconds=1).seen
    state = open_sample.reopen(who, MILL, seen=state, seconds=1).seen
    open_sample.finish(who, MILL, rest=Reason.SLIP, note="slip", seen=state, seconds=1)
    open_sample.read(who, FERRY, seconds=40)


def talk(space: Workspace) -> None:
    """Talks with reviewers, notices, and what people chose."""
    one, two, reviewer = (space.person(name).id for name in (ONE, TWO, REVIEWER))
    said = space.team.remarks.write(one, MILL, "Is 1817 a slip? 吗")
    acting = space.acting(Actor(reviewer, Role.REVIEWER))
    acting.team.remarks.reply(said.id, "It is.")
    space.team.remarks.write(two, FERRY, "Two months?")
    space.team.remarks.notice("The guidelines say more about dates now.")
    keep = space.annotate.keep_preference
    for name, value in (
        ("theme", "paper"), ("layout", "stacked"), ("sync", "offline"), ("suggestions", "hidden"),
    ):  # fmt: skip
        keep(one, name, value)
    keep(two, "theme", "dark")
    place = {
        "cursors": {"source": [0, 24], "summary": [0, 3]},
        "claim": [4, 8],
        "evidence": [[0, 22, 26]],
        "note": "half a note 半",
        "kept": [["annotation", "m-5", "a text for later"]],
        "visited": [0, 1],
        "regarded": [],
    }
    space.annotate.keep_place(one, FLOOD, place)
    space.annotate.keep_place(two, ODD, place | {"claim": None, "evidence": [], "kept": []})


def share() -> None:
    """Work is handed out: shares, a pool, practice, a second reading, a third reader."""
    give = ("assign", "give", "-w", HOME, "--dataset", "news")
    did(*give, "--to", ONE, "--to", TWO, "--overlap", "2")
    did(*give, "--to", THREE, "--share", "2", "--order", "random", "--seed", "7", "--overlap", "3")
    did(
        "assign", "pool", "-w", HOME, "--dataset", "open-set", "--overlap", "2", "--order", "random"
    )
    did(
        "assign",
        "practice",
        "-w",
        HOME,
        "--dataset",
        "training",
        "--gold",
        "imported",
        "--to",
        FOUR,
    )
    did("assign", "escalate", "-w", HOME, "--dataset", "news", "--when", "label")
    did("assign", "give", "-w", HOME, "--dataset", "study", "--to", FOUR, "--share", "50%")
    did("assign", "move", "-w", HOME, "--from", FOUR, "--to", THREE)
    did("assign", "give", "-w", HOME, "--dataset", "answers", "--to", FOUR)
    did("assign", "undo", "-w", HOME)
    did("assign", "repeat", "-w", HOME, "--dataset", "news", "--to", ONE, "--share", "all")


def later_work(space: Workspace) -> None:
    """What depends on what was handed out: a draw, practice, a second reading, a third reader."""
    work = space.annotate
    three, four = space.person(THREE), space.person(FOUR)
    for person in (three, four):
        key = work.start(person.id, order="ingested")
        assert key is not None
        work.finish(person.id, key, seconds=2)
    for key in [SampleKey("training", "1"), SampleKey("training", "2")]:
        own = mark(space, key, f"g-{key.id}", "loved", EXTRINSIC)
        work.add(four.id, key, own, seconds=2)
        work.finish(four.id, key, seconds=2)
    one = space.person(ONE)
    again = f"{one.id}~2"
    for key in (MILL, FLOOD):
        own = mark(space, key, f"h-{key.id}", "mill", BENIGN)
        work.add(again, key, own, seconds=2)
        work.finish(again, key, seconds=2)


def change_labels() -> None:
    """Labels are renamed, merged, split, retired; one change is taken back; odd ones are mended."""
    did("labels", "rename", "-w", HOME, "Benign", "Harmless")
    did("labels", "merge", "-w", HOME, "Unwanted.Invented", "Unwanted.Extrinsic")
    did("labels", "split", "-w", HOME, "Number", "Count", "Date")
    did("labels", "retire", "-w", HOME, "Garbled")
    did("labels", "rename", "-w", HOME, "Questionable", "Doubtful")
    did("labels", "undo", "-w", HOME)
    mend = ("labels", "normalise", "-w", HOME, "--dataset", "kiln", "--yes")
    did(*mend, "--rule", "Unwanted.Instrinsic=Unwanted.Intrinsic", "--rule", "Odd=")
    Path("own.yaml").write_text("- Passage\n- {name: Broken, note: required}\n", "utf-8")
    did("labels", "apply", "-w", HOME, "--dataset", "reports", "own.yaml")


def discard() -> None:
    """Samples get other texts, with all work on them gone."""
    changed = [{**each, "summary": f"{each['summary']} Again."} for each in material.SCRAP]
    file = rows("scrap-2.jsonl", changed)
    did("dataset", "replace", "-w", HOME, "scrap", file, "--id-column", "id", "--with-annotations",
        "--embedder", "none")  # fmt: skip
    did("dataset", "remove", "-w", HOME, "scrap", "--with-annotations", "--yes")


def away(file: Path, who: str, name: str, *, start: str = "mill", key: SampleKey = FLOOD) -> Path:
    """A bundle is worked on, as where it was sent to; its working folder."""
    folder, came = carrying.unpacked(file)
    with workspaces.open(folder) as space:
        assert came.person.name == who
        made = mark(space, key, name, start, ("Harmless",), note="away 在外")
        space.annotate.add(came.person.id, key, made, seconds=3)
        space.annotate.comment(came.person.id, key, f"said away by {who}", seconds=3)
    carrying.write_back(file, folder)
    return folder


def join() -> None:
    """Work that was done in two places at once comes home: one of them stands."""
    file = Path("two.bundle")
    did("bundle", "make", "-w", HOME, "--for", TWO, "-o", file)
    with workspaces.open(HOME) as space:
        two = space.person(TWO).id
        one = mark(space, FLOOD, "at-home", "weir", ("Harmless",))
        space.annotate.add(two, FLOOD, one, seconds=3)
    away(file, TWO, "away-2")
    did("bundle", "merge", "-w", HOME, file)


def travel() -> None:
    """A bundle that was never opened, one that comes back, and a folder that people share."""
    did("bundle", "make", "-w", HOME, "--for", ONE, "-o", "new.bundle")
    shutil.copy("new.bundle", "returned.bundle")
    away(Path("returned.bundle"), ONE, "away-1")
    did("bundle", "make", "-w", HOME, "--for", THREE, "-o", "three.bundle")
    shared = Path("shared")
    shared.mkdir()
    for who in (ONE, TWO):
        did("sync", "push", "-w", HOME, "--dir", shared, "--as", who)
    elsewhere = away(Path("three.bundle"), THREE, "away-3", start="9 metres", key=MILL)
    did("sync", "push", "-w", elsewhere, "--dir", shared, "--as", THREE)


def keys() -> str:
    """A person's own file: a theme, and a key of their own for each action that can have one."""
    mine = [action for action in ALL_ACTIONS if not action.fixed]
    lines = ["# written by hand", 'theme = "paper"', "", "[keys]"]
    for place, action in enumerate(mine):
        own = [ALPHABET[place], *action.keys[:1]] if place % 3 else ALPHABET[place]
        lines.append(f"{json.dumps(action.id)} = {json.dumps(own, ensure_ascii=False)}")
    return "\n".join(lines) + "\n"


SETTINGS: Final = """\
embedder = "none"
base_url = "http://localhost:11434/v1"
dimensions = 256
judge_model = "toy"
judge_url = "http://localhost:11434/v1"
order = "random:7"
language = "en"
workers = 1
ratings = ["good", "fair", "bad"]
pseudonyms_key = "pseudonyms.key"
reviewers_settle_own = true

[people]
expire_minutes = 1440
idle_minutes = 0
argon2_time = 3
argon2_memory = 19457
argon2_parallelism = 2
"""


def members() -> None:
    """A workspace of its own with accounts: passwords, a code, a key, roles, claimed work."""
    did("init", "accounts")
    pairs = ("--dataset", "news", "--id-column", "id", "--embedder", "none", "pairs.jsonl")
    did("ingest", "-w", "accounts", *pairs)
    with workspaces.open("accounts") as space:
        one = space.person(ONE).id
        space.annotate.add(one, MILL, mark(space, MILL, "k-1", "1817", INTRINSIC), seconds=2)
    add = ("users", "add", "-w", "accounts")
    did(*add, "--name", "admin-1", "--email", "admin-1@example.org", typed="lamps over water\n")
    did(*add, "--name", ONE, "--email", "annotator-1@example.org", "--claim", ONE, "--unix", "one",
        typed="boats under bridges\n")  # fmt: skip
    did(*add, "--name", REVIEWER, "--email", "reviewer-1@example.org", "--role", "reviewer",
        "--invite")  # fmt: skip
    with workspaces.open("accounts") as space:
        new = NewAccount(GUEST, "annotator-5@example.org", password="stairs without end")
        space.team.accounts.add(new)
        signed = space.team.authenticate.sign_in(
            "annotator-1@example.org", "boats under bridges", client="here"
        )
        acting = space.acting(signed.actor)
        acting.annotate.finish(signed.person.id, PLAIN, seconds=3)
    did("users", "disable", "-w", "accounts", "annotator-5@example.org")
    Path("one.pub").write_text(KEYS[0] + " key-1\n", "utf-8")
    did("ssh", "key", "add", "-w", "accounts", "annotator-1@example.org", "one.pub")


def make() -> None:
    """All of it, in the current folder."""
    fill()
    guide()
    measure()
    with workspaces.open(HOME) as space:
        annotate(space)
        answer(space)
        judge_collection(space)
        review(space)
        talk(space)
    did("freeze", "paper-1", "-w", HOME)
    share()
    with workspaces.open(HOME) as space:
        later_work(space)
    change_labels()
    discard()
    join()
    did("suggestions", "hide", "-w", HOME, "--dataset", "truth")
    (HOME / "tui-annotate.toml").write_text(SETTINGS, "utf-8")
    did("freeze", "paper-2", "-w", HOME)
    did("pseudonyms", "new-key", "-w", HOME, "--yes")
    travel()
    members()
    did("backup", "backup", "-w", HOME)


def outputs() -> Files:
    """All that later versions must give for the stored files."""
    found: Files = {}
    place = Path("place")
    place.mkdir()
    for form in FORMATS:
        made = exports(HOME, form, place=place)
        found |= {f"{form}/{name}": content for name, content in made.items()}
    for name, (form, *arguments) in MORE.items():
        for end, content in exported(HOME, form, *arguments, place=place).items():
            found[f"more/{name}{end}"] = content
    for name in TOLD:
        found[f"told/{name}.json"] = as_text(told(HOME, name))
    for name in OF_ACCOUNTS:
        found[f"told/{name}.json"] = as_text(told(Path("accounts"), name))
    for name, (words, *more) in TRIPS.items():
        shutil.copytree(HOME, name)
        done = call(words, *more, "-w", name)
        assert done.code == 0, done.err
        found[f"told/{name}.json"] = as_text(done.json)
        made = exported(Path(name), "native", "--dataset", "news", place=place)
        found[f"more/{name}"] = made[""]
        found[f"told/{name}-head.json"] = call("head", "-w", name).out.encode()
    return found


def pack(target: Path, *names: str) -> None:
    """Folders and files in one, which tells neither times nor owners."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name in names:
            archive.add(name, filter=_plain)
    with target.open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as squeezed:
        squeezed.write(packed.getvalue())


def _plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.mtime, member.uid, member.gid, member.uname, member.gname = 0, 0, 0, "", ""
    return member


def main() -> None:
    """Writes the files beside this module; those of before go."""
    random.seed(16)
    with TemporaryDirectory() as home, TemporaryDirectory() as folder:
        os.environ |= {
            "HOME": home, "LOGNAME": "reader", "TUI_ANNOTATE_STATE": home,
            "TUI_ANNOTATE_CONFIG": f"{home}/config.toml", "TUI_ANNOTATE_EMBEDDER": "none",
        }  # fmt: skip
        os.chdir(folder)
        make()
        for store in Path().glob("*/store.sqlite"):
            with closing(sqlite3.connect(store)) as connection:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        assert not [*Path().rglob("*-wal")]
        names = ("workspace", "accounts", "backup", "shared", "new.bundle", "returned.bundle")
        shutil.rmtree(HERE, ignore_errors=True)
        HERE.mkdir()
        pack(STORED, *names)
        (HERE / "config.toml").write_text(keys(), "utf-8")
        (HERE / "head.json").write_text(call("head", "-w", HOME).out, "utf-8")
        native = exported(HOME, "native", "--with-practice", place=Path())[""]
        (HERE / "native.jsonl").write_bytes(native)
        packed = zstandard.ZstdCompressor().compress(native)
        (HERE / "native.jsonl.zst").write_bytes(packed)
        for name, content in outputs().items():
            (EXPECTED / name).parent.mkdir(parents=True, exist_ok=True)
            (EXPECTED / name).write_bytes(content)


if __name__ == "__main__":
    main()
