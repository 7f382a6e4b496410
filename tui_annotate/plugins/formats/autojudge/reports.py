"""Reads system-written reports in three citation styles, and makes ids of their samples."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.records import FIELD_REFUSED
from tui_annotate.plugins.json_records import Doubt
from tui_annotate.plugins.record_validation import LONGEST_TEXT, describe_value, parse_identifier
from tui_annotate.plugins.traits import OWN, FormatTraits, RecordTrait, carry_plainly

FORMAT: Final = "autojudge"
"""Name of the format; also used as annotator id for judgements without a user name."""
OWN_META: Final = frozenset(
    {"topic_id", "team_id", "run_id", "sentence_idx", "docid", "url", "urls", "runs", "sentences"}
)

TRAITS: Final = FormatTraits(
    title="reports with their citations, and judgements of reports",
    carried=carry_plainly(
        RecordTrait.OVERLAP, RecordTrait.TEXTS, RecordTrait.UNCLAIMED, RecordTrait.OPINION,
        RecordTrait.KIND, RecordTrait.TITLE, RecordTrait.DATASET,
        annotator="name", empty="on request", meta=OWN, group=OWN, request=OWN,
    ),
)  # fmt: skip


class Topic(NamedTuple):
    """Topic that systems write reports on; `place` is its index among all topics, from 0."""

    place: int
    id: str
    title: str = ""
    problem: str = ""
    background: str = ""


def run_report_id(topic: str, run: str) -> str:
    """Return the sample id of a system's report on a topic; `run` is the system, or TEAM/system."""
    return f"r|{topic}|{run}"


def document_id(topic: str, document: str) -> str:
    """Return the id of the sample in which a document is judged for a topic."""
    return f"d|{topic}|{document}"


def sentence_id(topic: str, run: str, place: int) -> str:
    """Return the id that all citations of a report's sentence share; `place`: its index, from 0."""
    return f"{topic}|{run}|{place}"


def citation_id(sentence: str, document: str | None) -> str:
    """Return the sample id of a citation: a sentence and one cited document, or None for none."""
    return f"c|{sentence}" if document is None else f"c|{sentence}|{document}"


TITLE_SEPARATOR: Final = "\n\n"
_CITATION_STYLES: Final = {
    "ids": "document ids",
    "map": "a map with confidences",
    "places": "numbers",
}


class ReportDocument(NamedTuple):
    """Document that a system's report cites."""

    text: str
    title: str | None = None
    url: str | None = None

    @property
    def whole(self) -> str:
        """Text that annotators read and that offsets refer to: the title, if any, then the text."""
        return f"{self.title}{TITLE_SEPARATOR}{self.text}" if self.title else self.text


class CitedSentence(NamedTuple):
    """A sentence of a report, with the ids of the documents that it cites."""

    text: str
    citations: tuple[str, ...] = ()


class ReportRun(NamedTuple):
    """Name of the run that made a report, and of the team that submitted it."""

    run: str
    team: str


@dataclass(frozen=True, slots=True)
class RunReport:
    """One system's report on a topic; documents that it cites may be missing."""

    topic: str
    run: ReportRun
    sentences: tuple[CitedSentence, ...]
    documents: Mapping[str, ReportDocument] = field(default_factory=dict)

    def cited_ids(self) -> list[str]:
        """Return the ids of the documents that a report cites, each once, in order of citation."""
        return list(dict.fromkeys(key for one in self.sentences for key in one.citations))

    def as_json(self) -> dict[str, Any]:
        """Return the report as it is stored and exported; `unpack_report` reads it."""
        return {
            "team_id": self.run.team,
            "run_id": self.run.run,
            "topic_id": self.topic,
            "sentences": [sentence_to_json(one) for one in self.sentences],
            "documents": {key: page_to_json(key, one) for key, one in self.documents.items()},
        }


def sentence_to_json(sentence: CitedSentence) -> dict[str, Any]:
    """Return a sentence for JSON, without `citations` if it has none."""
    cited_ids = {"citations": list(sentence.citations)} if sentence.citations else {}
    return {"text": sentence.text, **cited_ids}


def page_to_json(key: str, read_page: ReportDocument) -> dict[str, Any]:
    """Return a cited document for JSON; an unknown title or URL is null."""
    return {"id": key, "text": read_page.text, "title": read_page.title, "url": read_page.url}


def pack_report(report: RunReport) -> str:
    """Write a report as one line of JSON; equal reports give equal lines."""
    return json.dumps(report.as_json(), ensure_ascii=False)


def unpack_report(line: str) -> RunReport:
    """Read a line of `pack_report`."""
    value = json.loads(line)
    run = ReportRun(value["run_id"], value["team_id"])
    sentences = (
        CitedSentence(one["text"], tuple(one.get("citations", ()))) for one in value["sentences"]
    )
    documents = {
        key: ReportDocument(one["text"], one["title"], one["url"])
        for key, one in value["documents"].items()
    }
    return RunReport(value["topic_id"], run, tuple(sentences), documents)


def read_run_report(value: Mapping[str, Any]) -> tuple[RunReport, list[Doubt]]:
    """Parse a system's report; return the report, and doubts about its citations and documents.

    A citation by a number that `references` does not have is refused by itself, and so are the
    citations of a sentence that have an unknown form, or an invalid id.
    """
    about = object_of(value, "metadata")
    key = next((name for name in ("responses", "answer") if value.get(name) is not None), None)
    if key is None:
        raise InvalidInput(
            "the report has neither 'responses' nor 'answer'", "add the report's sentences"
        )
    doubts: list[Doubt] = []
    sentences = _read_sentences(value[key], value.get("references"), name=key, doubts=doubts)
    documents, skipped = read_pages(value.get("documents"))
    run = ReportRun(*_read_names(about, "run_id", "team_id", of="metadata"))
    return RunReport(_read_topic_id(about), run, sentences, documents), [*doubts, *skipped]


def read_exported_report(line: Mapping[str, Any], *, of: str = "") -> RunReport:
    """Parse the report in an exported JSON object; `of` is the object's name in errors."""
    value = object_of(line, "report", of=of)
    if not isinstance(value.get("sentences"), list):
        raise bad_field(value, "sentences", "a list", of="report")
    doubts: list[Doubt] = []
    sentences = _read_sentences(value["sentences"], None, name="sentences", doubts=doubts)
    documents, skipped = read_pages(value.get("documents"))
    for doubt in (*doubts, *skipped):
        raise doubt if isinstance(doubt, InvalidInput) else InvalidInput(doubt)
    run, team, topic = _read_names(value, "run_id", "team_id", "topic_id", of="report")
    return RunReport(topic, ReportRun(run, team), sentences, documents)


def _read_names(fields: Mapping[str, Any], *names: str, of: str) -> list[str]:
    return [parse_identifier(text_of(fields, name, of=of), what=name) for name in names]


def _read_topic_id(about: Mapping[str, Any]) -> str:
    narrative = about.get("narrative_id")
    other = None if narrative is None else parse_identifier(narrative, what="narrative_id")
    if about.get("topic_id") is None:
        if other is None:
            raise InvalidInput("'metadata' has neither 'topic_id' nor 'narrative_id'")
        return other
    (topic,) = _read_names(about, "topic_id", of="metadata")
    if other not in (None, topic):
        raise InvalidInput(
            f"'topic_id' is {topic!r}, but 'narrative_id' is {other!r}", "use one id in both fields"
        )
    return topic


def _read_sentences(
    value: Any, references: Any, *, name: str, doubts: list[Doubt]
) -> tuple[CitedSentence, ...]:
    if not isinstance(value, list):
        raise InvalidInput(f"{name!r} is {describe_value(value)}, not a list")
    texts = []
    cited_ids = []
    for place, each in enumerate(value):
        if not isinstance(each, dict):
            message = f"sentence {place} of {name!r} is {describe_value(each)}, not a JSON object"
            raise InvalidInput(message, 'write {"text": "..."}')
        if not isinstance(each.get("text"), str):
            error = bad_field(each, "text")
            raise InvalidInput(f"sentence {place} of {name!r}: {error.message}", error.hint)
        texts.append(each["text"])
        cited_ids.append(each.get("citations"))
    return tuple(map(CitedSentence, texts, _read_citations(cited_ids, references, doubts=doubts)))


def _read_citations(
    cited_ids: Sequence[Any], references: Any, *, doubts: list[Doubt]
) -> list[tuple[str, ...]]:
    """Return the ids of the documents that each sentence cites.

    Add an error for a wrong number, and for the citations of a sentence that cannot be read; the
    sentence has none then.
    """
    first: tuple[int, str] | None = None
    readable = list[Any]()
    for place, value in enumerate(cited_ids):
        try:
            style = _citation_style(value, place)
        except InvalidInput as error:
            doubts.append(error)
            readable.append(None)
            continue
        readable.append(value)
        if style and first and style != first[1]:
            one = _CITATION_STYLES[first[1]]
            other = _CITATION_STYLES[style]
            message = f"citations are {one} in sentence {first[0]}, but {other} in sentence {place}"
            raise InvalidInput(message, "use one citation style in the whole report")
        if style and not first:
            first = (place, style)
    if first is None:
        return [()] * len(readable)
    listed: list[str] = []
    if first[1] == "places" and references is not None:
        if not isinstance(references, list) or {*map(type, references)} - {str}:
            raise InvalidInput("'references' is not a list of document ids")
        listed = references
    if first[1] == "places":
        doubts += [
            _wrong_number(number, place, len(listed))
            for place, value in enumerate(readable)
            for number in value or ()
            if not 0 <= number < len(listed)
        ]
    found: list[tuple[str, ...]] = []
    for place, value in enumerate(readable):
        try:
            found.append(_cited_ids(value or (), listed))
        except InvalidInput as error:
            doubts.append(_unreadable(place, error.message, error.hint))
            found.append(())
    return found


def _unreadable(place: int, reason: str, hint: str) -> InvalidInput:
    """Return the error for the citations of a sentence, without which the report is read."""
    message = f"the citations of sentence {place} are not imported: {reason}"
    return InvalidInput(message, hint, code=FIELD_REFUSED)


def _wrong_number(number: int, place: int, count: int) -> InvalidInput:
    """Return the error for a citation by a number that a report's `count` references lack."""
    there = f"numbers from 0 to {count - 1}" if count else "no references"
    return InvalidInput(
        f"citation {number} of sentence {place}: the report has {there}",
        "cite a document by its position in 'references', counted from 0, or by its id",
        code=FIELD_REFUSED,
    )


def _citation_style(value: Any, place: int) -> str:
    """Return the citation style of a report's sentence; empty without citations.

    Raises:
        InvalidInput: the citations have an unknown form.
    """
    if isinstance(value, dict):
        if all(_is_number(each) for each in value.values()):
            return "map" if value else ""
    elif isinstance(value, list):
        if all(isinstance(each, str) for each in value):
            return "ids" if value else ""
        if all(isinstance(each, int) and not isinstance(each, bool) for each in value):
            return "places"
    elif value is None:
        return ""
    raise _unreadable(
        place,
        f"they are {describe_value(value)} of an unknown form",
        "write a list of ids, such as [\"doc-1\"], a list of positions in 'references', such as"
        ' [0], or an object of ids and confidences, such as {"doc-1": 0.9}',
    )


def _is_number(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)


def _cited_ids(value: Any, references: Sequence[str]) -> tuple[str, ...]:
    """Return the ids of cited documents in order; the ids of a map by descending confidence."""
    if isinstance(value, dict):
        found = sorted(value, key=lambda key: -value[key])
    elif value and isinstance(value[0], str):
        found = list(value)
    else:
        found = [references[each] for each in value if 0 <= each < len(references)]
    return tuple(parse_identifier(each, what="id of a cited document") for each in found)


def read_pages(value: Any) -> tuple[dict[str, ReportDocument], list[str]]:
    """Read the documents of a report by id; return the errors of those that are skipped, too.

    Raises:
        InvalidInput: the value is neither a JSON object nor null.
    """
    if value is None:
        return {}, []
    if not isinstance(value, dict):
        raise InvalidInput(f"'documents' is {describe_value(value)}, not a JSON object")
    found = {}
    doubts = []
    for key, each in value.items():
        try:
            found[parse_identifier(key, what="id of a document")] = read_page(each)
        except InvalidInput as error:
            doubts.append(f"document {key[:60]!r} is skipped: {error.message}")
    return found, doubts


def read_page(value: Any) -> ReportDocument:
    """Parse a document of a report; raise InvalidInput if its text or a field is invalid."""
    if not isinstance(value, dict):
        raise InvalidInput(f"the document is {describe_value(value)}, not a JSON object")
    for name, kind in (("text", str), ("title", str | None), ("url", str | None)):
        if not isinstance(value.get(name), kind):
            error = bad_field(value, name)
            raise InvalidInput(f"its {error.message}", error.hint)
    made = ReportDocument(value["text"], value.get("title") or None, value.get("url"))
    if not made.whole.strip():
        raise InvalidInput("the document has no text")
    if (length := len(made.whole)) > LONGEST_TEXT:
        raise InvalidInput(
            f"the document has {length:,} characters; the maximum is {LONGEST_TEXT:,}"
        )
    return made


def text_of(fields: Mapping[str, Any], name: str, *, of: str = "") -> str:
    """Return a required text in a field; raise InvalidInput if it is missing or no text."""
    value = fields.get(name)
    if not isinstance(value, str):
        raise bad_field(fields, name, of=of)
    return value


def object_of(fields: Mapping[str, Any], name: str, *, of: str = "") -> dict[str, Any]:
    """Return a required object in a field; raise InvalidInput if it is missing or no object."""
    value = fields.get(name)
    if not isinstance(value, dict):
        raise bad_field(fields, name, "a JSON object", of=of)
    return value


def bad_field(
    fields: Mapping[str, Any], name: str, kind: str = "text", *, of: str = ""
) -> InvalidInput:
    """Return the error of a field that is missing or not of a kind; `of` names its object."""
    if name not in fields:
        return InvalidInput(f"{name!r} is missing{f' in {of!r}' if of else ''}", "add the field")
    value = fields[name]
    hint = ""
    if kind == "text" and isinstance(value, int | float):
        hint = "put the value in quotes"
    elif value is None:
        hint = "add a value to the field"
    return InvalidInput(f"{name!r} is {describe_value(value)}, not {kind}", hint)
