"""A workspace in which everything that is not our own text tries to take over the terminal."""

from __future__ import annotations

import json
import re
import uuid
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Any, Final

from tui_annotate import workspace
from tui_annotate.domain.people import Person
from tui_annotate.plugins.protocols import ImportOptions
from tui_annotate.storage.people.store import add_person as add_stored_person
from tui_annotate.storage.sqlite_database import SqliteDatabase

SEQUENCES: Final = (
    "\x1b]52;c;UFdORUQ=\x07",  # the clipboard
    "\x1b]0;PWNED\x07",  # the title
    "\x1b]8;;http://pwned.example/\x1b\\link\x1b]8;;\x1b\\",
    "\x1b]52;c;never ended",
    "\x1bP+q544e\x1b\\",  # DCS: what the terminal is
    "\x1b_Ga=T,f=24;AAAA\x1b\\",  # APC: a picture
    "\x1b^private\x1b\\\x1bXstring\x1b\\",
    "\x1b[6n\x1b[c\x1b[>0q",  # questions whose answers come as keys
    "\x1b[2J\x1b[3J\x1b[?1049l\x1b[999;999H\x1b[8;5;53m",
    "\x1bc\x1b#8\x1b(0",  # reset, test picture, other letters
    "\x9b6n\x9d0;PWNED\x9c\x90q\x9c\x9fG\x9c\x85",  # the same in single C1 characters
    "\x0e\x0f\x08\x08\x07\x0b\x0c\x05\x00\x7f",
)
"""Of C0 and C1 controls: refused in names, so these stand in texts, titles, notes."""

SIGNS: Final = (
    "\u202egnirts\u202c \u2066isolate\u2069",
    "\u200f\u061c\u200b\ufeff\u00ad\U000e0041\u2060",
    "[red]markup[/red] [@click=app.quit]x[/] [link=http://pwned.example]y[/link]",
    "\\[bold]$[/] %s {0} &lt;b&gt;",
)
"""What names may hold too: bidi overrides, invisible characters, markup."""

TOWER: Final = "n\u0303" + "\u0301" * 10_000 + "o"
PASTE_TRICK: Final = "\x1b[201~q:\x1b[200~"
"""Ends a paste early, types keys, and goes on as if nothing had been."""

TEXTS: Final = (*SEQUENCES, *SIGNS, "\u2028new\u2029line\r\n\ttab", PASTE_TRICK)
PERSON: Final = f"Ana {SIGNS[0]} {SIGNS[2]}"[:90]
DATASET: Final = f"set {SIGNS[0]}{SIGNS[2]}\x9b6n"
FIRST: Final = f"id {SIGNS[1]}{SIGNS[0]}\x9d0;PWNED\x9c"
HUGE: Final = "huge-line"
LONE: Final = "\ud83d"
"""Half of a character, as a broken writer leaves it; it must be refused by place."""

WRONG: Final[tuple[dict[str, Any], ...]] = (
    {"id": "\x1bc"},
    {"id": "half", "group": LONE},
    {"id": "nil", "group": "\0"},
    {"id": "lone", "documents": [{"side": "source", "text": f"\x1b[2J{LONE}"}]},
    {"id": "side", "documents": [{"side": "\x1bc", "text": "words"}]},
    {"id": "kind", "kind": "\x9b6n"},
    {"format": "\x1b]0;PWNED\x07"},
)
"""What is wrong with records that must be refused, each by its line, while the others come in."""


def sentence(number: int) -> str:
    """A sentence that begins with one of the texts, and goes on with two more."""
    first, second, third = (TEXTS[(number + step) % len(TEXTS)] for step in (0, 5, 9))
    return f"{first} The cost was {number} {second} pounds, they said {third} again."


SOURCE: Final = " ".join(sentence(number) for number in range(len(TEXTS)))
SUMMARY: Final = " ".join(sentence(number) for number in range(0, len(TEXTS), 3))
LINE: Final = ("The cost was high " + "".join(TEXTS[:12]).replace("\n", " ") + ". ") * 5000


def text(number: int) -> str:
    """Words for a title or a note: one of the texts in front, all the others behind."""
    return "".join(chain(TEXTS[number % len(TEXTS) :], TEXTS[: number % len(TEXTS)]))


def name(number: int) -> str:
    """Words for a group or a key, which hold no NUL."""
    return text(number).replace("\0", "")


def samples() -> list[dict[str, Any]]:
    """The records of the file that is ingested, in the native form."""
    person = {"id": f"p {SIGNS[0]}", "name": text(3), "kind": "imported"}
    annotation = {
        "id": str(uuid.UUID(int=7)),
        "person": person["id"],
        "claim": [["summary", 0, 0, 12]],
        "labels": [[text(4), text(5)]],
        "note": text(6),
        "origin": "human",
    }
    hostile = {
        "dataset": DATASET,
        "id": FIRST,
        "group": name(7),
        "request": {"title": text(8), "problem": text(9), "background": "", "question": text(10)},
        "meta": {text(11): text(12)},
        "documents": [
            {"side": "source", "key": name(13), "title": text(1), "text": SOURCE},
            {
                "side": "source",
                "key": name(2),
                "title": text(14),
                "text": f"{TOWER} {SOURCE[::-1]}",
            },
            {"side": "summary", "key": "", "title": "", "text": SUMMARY},
        ],
        "annotations": [annotation],
        "assignments": [{"person": person["id"], "state": "flagged", "comment": text(8)}],
        "people": [person],
    }
    huge = {
        "dataset": DATASET,
        "id": HUGE,
        "documents": [
            {"side": "source", "text": LINE},
            {"side": "summary", "text": f"{TOWER} {SUMMARY}"},
        ],
    }
    return [{"format": "tui-annotate/1", **each} for each in (hostile, huge)]


def labels() -> str:
    """A label set with signs in names and titles, and anything in descriptions."""
    roots = [
        {
            "name": f"Unwanted {SIGNS[0]}",
            "description": text(0),
            "children": [
                {"name": f"Intrinsic {SIGNS[2]}".replace(".", ":"), "description": text(1)},
                {"name": f"Extrinsic {SIGNS[1]}", "description": text(2), "evidence": "required"},
            ],
        },
        {"name": f"Benign {SIGNS[3]}", "description": text(3), "note": "required"},
    ]
    titles = [f"Source {SIGNS[0]}", f"Summary {SIGNS[1]}"]
    plain = json.dumps({"titles": titles, "labels": roots}, ensure_ascii=False)
    return re.sub(r"[^ -~]", lambda found: f"\\U{ord(found[0]):08X}", plain)


def add_person(folder: Path, name: str) -> None:
    """Store a person under a name that earlier versions accepted, with invisible characters."""
    with (
        closing(SqliteDatabase.open(folder / "store.sqlite")) as database,
        database.writing() as connection,
    ):
        add_stored_person(connection, Person(uuid.uuid4().hex, name))


def make(parent: Path) -> Path:
    """The workspace, in a folder of a hostile name, with two samples and no vectors."""
    folder = parent / f"work {SIGNS[0]}\x1b]0;PWNED\x07\x9b6n".replace("/", "|")
    pairs = parent / f"\x1b[2Jpairs {SIGNS[0]}.jsonl".replace("/", "|")
    lines = [json.dumps(each) for each in samples()]
    lines += [json.dumps(samples()[1] | wrong) for wrong in WRONG]
    pairs.write_text("\n".join([*lines, text(3).replace("\n", " ")]) + "\n", "utf-8")
    folder.mkdir(mode=0o700)
    (folder / "labels.yaml").write_text(labels(), "utf-8")
    (folder / "guidelines.md").write_text(f"# Read this\n\n{text(5)}\n\n{TOWER}\n", "utf-8")
    with workspace.create(folder) as space:
        report = space.ingest(pairs, options=ImportOptions(), embedder="none")
        assert (report.added, report.refused) == (2, len(WRONG) + 1)
    add_person(folder, PERSON)
    return folder
