"""Beside ours, in one run: the libraries alone, on the texts of 100,000 generated answers.

Ours reads the answers from a store, scores them, normalises the scores and stores two runs. Beside
it stand the calls of the libraries that this can not do without, on the same texts: jieba and spaCy
for unigram scores, the static vectors of wordllama's table for similarity. Then the first page of
the queue there, with what was said and without. Seconds are processor time, as in `measured`. Needs
the extra `score`; where it is missing, it says so, without rows.
"""

from __future__ import annotations

import gc
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import thread_time

from benchmarks.report import Row
from benchmarks.workspaces import chinese, prose

QUESTIONS = 20_000
ANSWERS = 5
"""Of each question."""
FEWER = 2_000
"""Questions with which the memory for all of them is compared."""
MOST = 1.3
"""How often the processor time of the libraries alone ours may take, for both scorers together."""
_NEEDED = ("jieba", "spacy", "wordllama")
_AT_ONCE = 1_000
"""Texts of which the library makes vectors in one call."""
_PAGES = 200


def rows() -> list[Row]:
    """The ratio of both, by scorer and together; answers a second; memory, and how it grows."""
    lacking = [name for name in _NEEDED if not find_spec(name)]
    if lacking:
        sys.stderr.write(f"left out, there is no {', no '.join(lacking)} ... ")
        return []
    with TemporaryDirectory() as name:
        folder = Path(name)
        _make(folder / "all", QUESTIONS)
        _make(folder / "few", FEWER)
        found: list[Row] = []
        total = {"ours": 0.0, "plain": 0.0}
        for scorer in ("unigram", "similarity"):
            ours, most = _child("ours", scorer, folder / "all")
            plain, _ = _child("plain", scorer, folder / "all")
            _, least = _child("ours", scorer, folder / "few")
            total["ours"], total["plain"] = total["ours"] + ours, total["plain"] + plain
            rate = QUESTIONS * ANSWERS / ours
            found += [
                Row(f"{scorer}: answers scored", rate, unit="a second"),
                Row(f"{scorer}: beside the library alone", ours / plain, unit="times"),
                Row(f"{scorer}: most memory", most, unit="MB"),
                Row(f"{scorer}: memory beside a tenth of the answers", most / least, 1.2, "times"),
            ]
        both = total["ours"] / total["plain"]
        found.append(Row("both: beside the libraries alone", both, MOST, "times"))
        bare, scored = _child("page", "", folder / "all")
        return [
            *found,
            Row("the queue's first page without scores", 1000 * bare, unit="ms"),
            Row("the same with scores: beside it without", scored / bare, unit="times"),
        ]


def _make(folder: Path, questions: int) -> None:
    """A workspace of answers, half of them Chinese, and the same texts in a file."""
    from tui_annotate.workspace import create

    folder.mkdir()
    path = folder / "set.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for number in range(questions):
            file.write(json.dumps(_question(number), ensure_ascii=False) + "\n")
    with create(folder / "work") as space:
        assert space.ingest(path, embedder="none").added == questions * ANSWERS


def _question(number: int) -> dict[str, object]:
    drawn = random.Random(number)
    lengths = enumerate(_lengths(drawn))
    parts = [_text(number % 2, length, number * 10 + place) for place, length in lengths]
    generation = [{"text": part, "type": "normal"} for part in parts[1:]]
    return {"question": f"{number}?", "answer": parts[0], "generation": generation}


def _lengths(drawn: random.Random) -> list[int]:
    """Characters of the right answer and of the others; as many as in Dreamcatcher's file.

    There an answer of a model has 127 Chinese characters in the mean.
    """
    return [drawn.randint(5, 20), *(drawn.randint(40, 215) for _ in range(ANSWERS))]


def _text(han: int, length: int, seed: int) -> str:
    return (chinese(length * 3, seed) if han else prose(length, seed))[:length]


def _child(what: str, scorer: str, folder: Path) -> tuple[float, float]:
    """Both figures that `_main` prints, in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.bench_scores", what, scorer, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}\n{done.stderr}")
    one, other = done.stdout.split()
    return float(one), float(other)


def _ours(scorer: str, folder: Path) -> Callable[[], None]:
    import tui_annotate
    from tui_annotate.lab.score.scoring import ScoreOptions
    from tui_annotate.plugins import registry
    from tui_annotate.plugins.scoring import ScorerOptions

    space = tui_annotate.open(folder / "work")
    options = ScorerOptions(embedder=lambda: registry.load_embedder("static"), with_question=False)
    asked = ScoreOptions(dataset="set", scorer=scorer, options=options)

    def run() -> None:
        space.machines.scoring.run(asked)

    return run


def _plain(scorer: str, folder: Path) -> Callable[[], None]:
    texts = list(_texts(folder / "set.jsonl"))
    return (lambda: _words(texts)) if scorer == "unigram" else (lambda: _vectors(texts))


def _texts(path: Path) -> Iterator[tuple[bool, list[str]]]:
    """By question: whether it is Chinese, the right answer, the others."""
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file):
            row = json.loads(line)
            yield bool(number % 2), [row["answer"], *(each["text"] for each in row["generation"])]


def _words(texts: Sequence[tuple[bool, list[str]]]) -> None:
    """What the formulas need of the libraries, each call once."""
    import jieba
    import spacy
    from jieba.analyse import extract_tags

    cut = spacy.blank("en").tokenizer
    for han, (answer, *others) in texts:
        if han:
            list(jieba.cut(answer))
            extract_tags(answer, topK=20)
            for text in others:
                extract_tags(text, topK=100)
            continue
        for text in (answer, *others):
            [(token.lower_, token.is_stop) for token in cut(text)]


def _vectors(texts: Sequence[tuple[bool, list[str]]]) -> None:
    """All vectors, and nothing of them."""
    from tui_annotate.plugins import registry

    flat = [text for _, some in texts for text in some]
    embedder = registry.load_embedder("static")
    for start in range(0, len(flat), _AT_ONCE):
        embedder.embed(flat[start : start + _AT_ONCE])


def _page(folder: Path) -> tuple[float, float]:
    """The seconds of a first page of the queue, and of one with scores; medians, in turn."""
    import tui_annotate

    with tui_annotate.open(folder / "work") as space:
        person = space.people.local("bench").id
        scores = space.machines.scores
        taken: tuple[list[float], list[float]] = ([], [])
        for _ in range(_PAGES):
            began = thread_time()
            rows = space.annotate.queue(person).rows
            read = thread_time()
            said = scores.summarise([row.key for row in rows])
            taken[1].append(thread_time() - began)
            taken[0].append(read - began)
            assert len(said.of) == len(rows)
    return median(taken[0]), median(taken[1])


def _main(what: str, scorer: str, folder: str) -> None:
    """Prints seconds and megabytes of what is done; of a page, the seconds without and with."""
    import re

    if what == "page":
        print(*_page(Path(folder)))
        return
    deed = {"ours": _ours, "plain": _plain}[what](scorer, Path(folder))
    gc.freeze()  # as the command does
    began = _processor_time()
    deed()
    seconds = _processor_time() - began
    found = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text("ascii"))
    assert found
    print(seconds, int(found[1]) / 1024)


def _processor_time() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


if __name__ == "__main__":
    _main(*sys.argv[1:])
