"""Small sound files as other programs write them, with what ours never writes."""

from __future__ import annotations

from typing import Any, Final

from tui_annotate.plugins.joined_texts import SEPARATOR

SOURCE: Final = "It 🌉 opened.\nIt cost 12 million."
SUMMARY: Final = "It cost 15 million and was loved."
TEXT: Final = SOURCE + SEPARATOR + SUMMARY

_SPAN = {"start": 8, "end": 18, "text": "15 million", "labels": ["Unwanted.Intrinsic"]}
_CLAIM = {"id": "r1", "from_name": "claim", "to_name": "summary", "type": "labels", "value": _SPAN}
_PROOF = {
    "id": "r2", "from_name": "ev", "to_name": "source", "type": "labels",
    "value": {"start": 21, "end": 31, "text": "12 million", "labels": ["Evidence"]},
}  # fmt: skip
_NOTE = {
    "id": "r1",
    "to_name": "summary",
    "type": "textarea",
    "value": {"start": 8, "text": ["no"]},
}
_TOPIC = {
    "id": "r1", "to_name": "summary", "type": "taxonomy",
    "value": {"start": 8, "end": 18, "taxonomy": [["A", "B"]]},
}  # fmt: skip
_RATING = {"to_name": "summary", "type": "choices", "value": {"choices": ["good"]}}
_LINK = {
    "type": "relation", "from_id": "r1", "to_id": "r2", "direction": "left", "labels": ["evidence"],
}  # fmt: skip
_BEN = {"id": 4, "email": "ben@example.org", "first_name": "Ben", "last_name": "B"}
TASK: Final[dict[str, Any]] = {
    "id": 7,
    "data": {"source": SOURCE, "summary": SUMMARY, "topic": "bridges"},
    "annotations": [
        {"id": 1, "completed_by": 3, "lead_time": 41.5, "updated_at": "2026-01-02T09:01:00.5Z",
         "result": [_CLAIM, _NOTE, _PROOF, _TOPIC, _RATING, _LINK]},
        {"id": 2, "completed_by": _BEN, "was_cancelled": True, "result": []},
    ],
    "predictions": [{"model_version": "toy-1", "score": 0.5, "result": [_CLAIM]}],
}  # fmt: skip

_SHIFT: Final = len(SOURCE) + len(SEPARATOR)
JOINED: Final[dict[str, Any]] = {
    "data": {"text": TEXT},
    "annotations": [
        {"completed_by": 3, "result": [
            {"id": "r1", "to_name": "text", "type": "labels",
             "value": {"start": 8 + _SHIFT, "end": 18 + _SHIFT, "text": "15 million",
                       "labels": ["X"]}},
            {"id": "r2", "to_name": "text", "type": "labels",
             "value": {"start": 21, "end": 31, "text": "12 million", "labels": ["Evidence"]}},
            {"id": "r1", "to_name": "text", "type": "textarea", "value": {"start": 0, "text": "n"}},
            _LINK,
        ]},
    ],
}  # fmt: skip
"""A task of Label Studio with one text."""

LINES: Final[list[dict[str, Any]]] = [
    {
        "id": 7, "text": TEXT, "source_len": len(SOURCE), "sep_len": len(SEPARATOR),
        "topic": "bridges",
        "entities": [
            {"id": 10, "label": "Unwanted.Intrinsic", "start_offset": 59, "end_offset": 69},
            {"id": 11, "label": "Evidence", "start_offset": 20, "end_offset": 30},
        ],
        "relations": [{"id": 0, "from_id": 10, "to_id": 11, "type": "evidence"}],
    },
    {"id": 8, "text": TEXT, "Comments": ["hm"], "label": [[0, 2, "A.B"], [59, 69, "C"]]},
]  # fmt: skip
"""doccano's lines: with relations, and the plain form."""

STANDOFF: Final = f"""T1\tWrong {TEXT.index("15")} {TEXT.index("15") + 10}\t15 million
T2\tEvidence 5 12;13 20\topened. It cost
R1\tevidence Arg1:T1 Arg2:T2
#1\tAnnotatorNotes T1\t12, not 15
A1\tOrigin T1 human
*\tEquiv T1 T2
"""

SOURCES: Final[list[dict[str, Any]]] = [
    {"source_id": "s1", "task_type": "Summary", "source_info": SOURCE, "prompt": "Summarise."},
    {"source_id": "s2", "task_type": "QA", "source_info": {"question": "Who?", "open": [None, {}]}},
]
RESPONSES: Final[list[dict[str, Any]]] = [
    {
        "id": "0", "source_id": "s1", "model": "toy", "response": SUMMARY,
        "labels": [
            {"start": 8, "end": 18, "text": "15 million", "meta": "no", "label_type": "A.B"},
            {"start": 23, "end": 32, "text": "was loved", "label_type": "C", "implicit_true": True},
        ],
    },
    {"id": "1", "source_id": "s2", "labels": [], "response": "Ana.", "quality": "good"},
]  # fmt: skip
RELEASED: Final[dict[str, Any]] = {
    "sample_id": 1,
    "source": SOURCE,
    "summary": SUMMARY,
    "metadata": {"summarizer": "toy", "raw": [1]},
    "annotations": [
        {
            "annot_id": 3, "annotator_id": "a", "annotator_name": "ana", "label": ["X", "X.Y"],
            "note": None, "summary_span": "It", "summary_start": 0, "summary_end": 2,
            "source_span": None, "source_start": None, "source_end": None,
        }
    ],
}  # fmt: skip
TOPICS: Final[list[dict[str, Any]]] = [
    {"request_id": "1", "title": "Pools", "problem_statement": "What lives there?", "limit": 9},
    {"request_id": "2", "topic_id": "2", "title": "桥", "background": "Ich bin Lehrer."},
]
PAGE: Final[dict[str, Any]] = {"id": "d2", "title": "T", "text": "Crabs 🦀.", "url": None, "x": 1}
_ABOUT = {"team_id": "t", "run_id": "r", "topic_id": "1", "task": "rag"}
REPORTS: Final[list[dict[str, Any]]] = [
    {"metadata": _ABOUT, "documents": {"d1": {"id": "d1", "text": "It cost 12."}},
     "responses": [{"text": "It 🌉 opened.", "citations": ["d1", "d2", "d3"]}, {"text": "A."}]},
    {"metadata": _ABOUT | {"team_id": "u"}, "references": ["d2", "d1"],
     "answer": [{"text": "Crabs.", "citations": [1, 0, 7]}]},
    {"metadata": {"team_id": "t", "run_id": "s", "narrative_id": 2},
     "responses": [{"text": "桥。", "citations": {"d1": 0.5, "d2": 1}}, {"text": " "}]},
]  # fmt: skip
_PAGE = {"id": "d1", "text": "It cost 12.", "title": "A", "url": "u"}
_REPORT = {
    "team_id": "t", "run_id": "q", "topic_id": "1", "documents": {"d1": _PAGE},
    "sentences": [{"text": "It 🌉 opened.", "citations": ["d1", "d2"]}, {"text": "It cost."}],
}  # fmt: skip
_SAID = {
    "dataset": "d", "request_id": "1", "topic_id": "1", "username": "ana", "comment": "why?",
}  # fmt: skip
JUDGEMENTS: Final[list[dict[str, Any]]] = [
    {**_SAID, "run_id": "q", "team_id": "t", "rating": "So-so", "report": _REPORT,
     "spans": [{"start": 3, "end": 12, "text": "🌉 opened", "sentence_idx": 0}]},
    {**_SAID, "docid": "d1", "rating": "Not rated", "document": _PAGE,
     "spans": [{"start": 3, "end": 7, "text": "It c"}, {"start": 0, "end": 3, "text": "A"}]},
    {**_SAID, "rating": "Bad", "spans": [], "report_spans": [{"start": 0, "end": 2, "text": "It"}],
     "citation": {"report": _REPORT, "sentence_idx": 0, "docid": "d2", "document": None}},
]  # fmt: skip
ROW: Final[dict[str, Any]] = {
    "source": SOURCE, "summary": SUMMARY, "id": 7, "x": [[{"a": None}]], "group": "g",
}  # fmt: skip
TABLES: Final = (
    'source,summary,id,group,n\r\n"A, ""b""\n🌉",C.,1,g,=1\r\nD.,E.,2,,0\r\n',
    "source;summary\nA.;B.\n",
    "source\tsummary\tx\nA.\tB.\t\n",
)
_HEAD = "user_id,user_name,email,hashed_password"
USERS: Final = (
    f'{_HEAD}\nab,"ana, b",a@example.org,$x\n',
    f"{_HEAD},role,active,must_change,unix\na1,ana,a@example.org,$x,admin,1,0,ana\n'=b,b,c,d,,,,\n",
)
LABELS: Final = (
    "- Unwanted: [Intrinsic, Extrinsic]\n- Benign\n- Questionable\n",
    "titles: [Article, Answer]\nlabels:\n- A: [B]\n",
    """labels:
  - name: A
    evidence: required
    color: red
    children: [B, {name: C, key: 7, retired: true}]
  - {name: D, note: required, exclusive: true}
  - {name: E, split: [A]}
""",
)
QUESTIONS: Final[list[dict[str, Any]]] = [
    {"question": "How much?", "contexts": [SOURCE, "", "桥很美。"], "answer": SUMMARY,
     "ground_truth": "12 million", "id": "q1", "hits": [0.5]},
    {"user_input": "Who?", "retrieved_contexts": [SOURCE], "response": None, "reference": " "},
    {"id": 7, "question": "", "contexts": None, "answer": "Ana.", "response": None},
]  # fmt: skip
ANSWERS: Final[list[dict[str, Any]]] = [
    {"question": "How much?", "answer": SOURCE, "type": "money", "generation": [
        {"text": "Nobody knows.", "type": "uncertainty", "rm_score": 0.5},
        {"text": SUMMARY, "type": "normal", "probe_score": 0.5}, {"text": " ", "type": "normal"},
    ], "category": "all-right", "rank": [{"text": SUMMARY}]},
    {"question": "多少？", "answer": [12, "桥"], "generation": [{"text": "桥很美。"}]},
]  # fmt: skip
