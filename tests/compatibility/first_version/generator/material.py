"""Texts and rows that the stored files are made of: invented, small, one form a reader."""

from __future__ import annotations

from typing import Any, Final

from tests.position_rows import lookup, placed, question
from tests.services.scripted_judge import contexts

MILL: Final = (
    "The mill was built in 1871. Its wheel is 9 metres wide. A flood took the old weir. "
    "The owner paid for a new one. Visitors come in summer."
)
FERRY: Final = "渡轮每天开两班。单程票价十二元。冬天停航一个月。船上可以带自行车。"
ODD: Final = (
    "A text with a NUL \0 and a flag 🇨🇭, a bell 🔔 and e\u0301.\nIts second line\tis short."
)

PAIRS: Final[tuple[dict[str, Any], ...]] = (
    {
        "id": "mill-1",
        "group": "mill",
        "source": MILL,
        "summary": "The mill dates from 1817. Its wheel is 9 metres wide. Nobody visits it.",
        "model": "model-a",
        "score": 0.25,
    },
    {
        "id": "mill-2",
        "group": "mill",
        "source": MILL,
        "summary": "A flood took the mill. The town paid for a new weir.",
        "model": "model-b",
        "score": 0.5,
    },
    {
        "id": "ferry-1",
        "group": "ferry",
        "source": FERRY,
        "summary": "渡轮每天开三班，票价十二元。冬天停航两个月。",
        "model": "model-a",
        "score": 0.75,
    },
    {
        "id": "odd-1",
        "group": "odd",
        "source": ODD,
        "summary": "The bell 🔔 rings twice; the flag 🇨🇭 and the \0 stay.",
        "model": "model-c",
        "score": None,
    },
    {
        "id": "plain-1",
        "group": "plain",
        "source": "Eels climb the ladder at night.",
        "summary": "Eels climb at night.",
        "model": "model-c",
        "score": 1.0,
    },
)
SCRAP: Final = (
    {"id": "s1", "source": "One stays.", "summary": "One went."},
    {"id": "s2", "source": "Two stay.", "summary": "Two went."},
)
LABELS: Final = """\
titles: [Source, Summary]
labels:
  - name: Unwanted
    description: 不应出现的说法
    children:
      - {name: Intrinsic, evidence: required}
      - Extrinsic
      - Invented
  - Benign
  - {name: Questionable, note: required}
  - {name: Garbled, exclusive: true, key: 9, color: red}
  - Number
"""
GUIDELINES: Final = (
    "# How to mark\n\nMark what the source does not say.\n",
    "# How to mark\n\nMark what the source does not say.\nDates count too. 日期也算。\n",
)


def mercury(sample: int, *annotations: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A sample of a dump."""
    return {
        "sample_id": sample,
        "source": "The kiln opened in 1932.\nIt cost 12 million pounds 🌉 and took six years.",
        "summary": "The 1932 kiln cost 15 million pounds and was loved.",
        "meta_model": "model-a",
        "annotations": list(annotations),
    } | more


def marked(number: int, sample: int, *, person: str = "aa11", **more: Any) -> dict[str, Any]:
    """An annotation of a dump."""
    names = {"aa11": "annotator-7", "bb22": "annotator-8"}
    return {
        "annot_id": number,
        "sample_id": sample,
        "annotator": person,
        "label": ["Unwanted", "Unwanted.Intrinsic"],
        "note": "12, not 15",
        "annotator_name": names[person],
        "summary_span": "15 million pounds",
        "summary_start": 19,
        "summary_end": 36,
        "source_span": "12 million pounds",
        "source_start": 33,
        "source_end": 50,
    } | more


_BARE: Final[dict[str, Any]] = {
    "summary_span": "was loved",
    "summary_start": 41,
    "summary_end": 50,
    "source_span": None,
    "source_start": None,
    "source_end": None,
}
DUMP: Final = (
    mercury(
        3,
        marked(7, 3, extra={"kept": [1, None, "两"]}),
        marked(8, 3, source_span="kiln", source_start=4, source_end=8),
        marked(9, 3, person="bb22", label=["Unwanted", "Unwanted.Instrinsic"], **_BARE),
    ),
    mercury(4, marked(11, 4, person="bb22", label=["Odd"], note=""), summary_extra="x"),
    mercury(5),
)
GOLD: Final = (mercury(1, marked(1, 1)), mercury(2, marked(2, 2, **_BARE)))

TOPICS: Final = (
    {"request_id": "1", "title": "Tide pools", "problem_statement": "What lives there?",
     "background": "I teach."},
    {"request_id": "2", "title": "潮池", "problem_statement": "那里有什么？"},
)  # fmt: skip
PAGES: Final = (
    {"id": "da", "title": "Stars", "text": "Sea stars open mussels and eat them."},
    {"id": "db", "title": "Crabs", "text": "Crabs hide under stones by day. 😀 They shed shells."},
    {"id": "dc", "title": "海葵", "text": "海葵会蜇人。它们住在岩石上。"},
)


def report(run: str, topic: str, *told: tuple[str, tuple[str, ...]]) -> dict[str, Any]:
    """A report of a run."""
    return {
        "metadata": {"team_id": "heron", "run_id": run, "topic_id": topic},
        "responses": [{"text": text, "citations": list(cited)} for text, cited in told],
    }


REPORTS: Final = (
    report("base", "1", ("Sea stars eat mussels.", ("da", "db")), ("😀 Crabs hide.", ("db",)),
           ("Nobody knows why.", ())),
    report("rerank", "1", ("Crabs shed their shells.", ("db", "gone"))),
    report("base", "2", ("海葵会蜇人。", ("dc",)), ("它们会游泳。", ())),
)  # fmt: skip
STUDY: Final = (
    *(placed(at, answer) for at, answer in enumerate(("The sea star.", "A gull.", "sea star"))),
    placed(1, "海星", name="谁？", answers=["海星"]),
    *(lookup(at, answer) for at, answer in ((0, "value-1"), (2, "no idea"))),
    question(),
)
QUESTIONS: Final = (
    {"question": "How much did it cost?", "contexts": contexts(3, 7, 0), "id": "q1",
     "answer": "15 million.", "ground_truth": "12 million.", "model": "toy"},
    {"user_input": "谁来了？", "retrieved_contexts": [*contexts(2, 5), ""], "id": "q2",
     "response": None, "reference": None},
)  # fmt: skip
ANSWERS: Final = (
    {"question": "Where do anemones live?", "answer": "in tide pools", "type": "nature",
     "generation": [
         {"text": "In tide pools.", "type": "normal", "rm_score": 2.5},
         {"text": "In the mountains, mostly.", "type": "normal", "rm_score": -1.0},
         {"text": "Pools at the shore.", "type": "normal", "rm_score": 0.5},
         {"text": "I do not know.", "type": "uncertainty", "rm_score": -3.0},
     ]},
    {"question": "几班？", "answer": ["两", "班"], "type": "ferry",
     "generation": [
         {"text": "两班。", "type": "normal", "rm_score": 1.0},
         {"text": "三班。", "type": "normal", "rm_score": -2.0},
     ]},
)  # fmt: skip
TRUTH: Final[dict[str, list[dict[str, Any]]]] = {
    "source_info.jsonl": [
        {"source_id": "1", "task_type": "Summary", "source": "CNN", "prompt": "p",
         "source_info": "The quay is 40 metres long."},
        {"source_id": "2", "task_type": "Data2txt", "source": "Yelp", "prompt": "p",
         "source_info": {"name": "Quay", "hours": {"Monday": "9-5"}}},
    ],
    "response.jsonl": [
        {"id": "10", "source_id": "1", "model": "model-a", "temperature": 0.7,
         "split": "train", "quality": "good", "response": "The quay is 50 metres long.",
         "labels": [{"start": 12, "end": 21, "text": "50 metres", "meta": "40",
                     "label_type": "Evident Conflict", "implicit_true": False,
                     "due_to_null": False}]},
        {"id": "11", "source_id": "2", "model": "model-b", "temperature": 1,
         "split": "test", "quality": "good", "response": "It opens at 9.", "labels": []},
    ],
}  # fmt: skip
FOUND: Final = (
    {"sample": "news/mill-1", "quote": "Nobody visits it.", "label": "Unwanted.Intrinsic",
     "evidence": ["Visitors come in summer."], "reason": "they do", "score": 0.9},
    {"sample": "news/mill-1", "quote": "9 metres", "label": "Benign", "score": 0.2},
    {"sample": "news/mill-2", "quote": "A flood took the mill.",
     "label": "Unwanted.Extrinsic", "maker": "detector-2"},
    {"sample": "news/mill-2", "quote": "The town paid", "maker": "detector-2"},
    {"sample": "news/plain-1", "quote": "Eels climb"},
)  # fmt: skip
