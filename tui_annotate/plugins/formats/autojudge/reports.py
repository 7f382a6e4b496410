"""Reports of runs in the one form that all else uses, whichever of three ways they cite in; ids."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.plugins.record_validation import LONGEST_TEXT, describe_value, parse_identifier
from tui_annotate.plugins.traits import OWN, FormatTraits, RecordTrait, carry_plainly

FORMAT: Final = "autojudge"
"""Also the id of whoever did work that names nobody."""
OWN_META: Final = frozenset(
    {"topic_id", "team_id", "run_id", "sentence_idx", "docid", "url", "urls", "runs", "sentences"}
)
"""What the reader puts into the meta of samples."""

TRAITS: Final = FormatTraits(
    title="reports of runs with their citations, and judgements of them",
    carried=carry_plainly(
        RecordTrait.OVERLAP, RecordTrait.TEXTS, RecordTrait.UNCLAIMED, RecordTrait.OPINION,
        RecordTrait.KIND, RecordTrait.TITLE, RecordTrait.DATASET,
        annotator="name", empty="on request", meta=OWN, group=OWN, request=OWN,
    ),
)  # fmt: skip


class Topic(NamedTuple):
    """What was asked; `place` is the topic's among all, from 0."""

    place: int
    id: str
    title: str = ""
    problem: str = ""
    background: str = ""


def report_id(topic: str, run: str) -> str:
    """The id of a report; `run` as samples name it."""
    return f"r|{topic}|{run}"


def document_id(topic: str, document: str) -> str:
    """The id of a document of a topic."""
    return f"d|{topic}|{document}"


def sentence_id(topic: str, run: str, place: int) -> str:
    """What the citations of a sentence share: their group."""
    return f"{topic}|{run}|{place}"


def citation_id(sentence: str, document: str | None) -> str:
    """The id of a sentence, named as `sentence_id` does, with a document that it cites or none."""
    return f"c|{sentence}" if document is None else f"c|{sentence}|{document}"


TITLE_SEPARATOR: Final = "\n\n"
"""Between a document's title and its text."""
_CITATION_STYLES: Final = {
    "ids": "document ids",
    "map": "a map with confidences",
    "places": "numbers",
}


class ReportDocument(NamedTuple):
    """A document as a report has it; title and url are None where they are not given."""

    text: str
    title: str | None = None
    url: str | None = None

    @property
    def whole(self) -> str:
        """The text that is read and that offsets count in: the title, if any, stands before it."""
        return f"{self.title}{TITLE_SEPARATOR}{self.text}" if self.title else self.text


class CitedSentence(NamedTuple):
    """A sentence, and the ids of the documents that it cites, as the report orders them."""

    text: str
    citations: tuple[str, ...] = ()


class ReportRun(NamedTuple):
    """Whose report it is."""

    run: str
    team: str


@dataclass(frozen=True, slots=True)
class RunReport:
    """One run's report on one topic; cited `documents` by id, in order, may be missing."""

    topic: str
    run: ReportRun
    sentences: tuple[CitedSentence, ...]
    documents: Mapping[str, ReportDocument] = field(default_factory=dict)

    def cited_ids(self) -> list[str]:
        """The ids that it cites, each once, in order."""
        return list(dict.fromkeys(key for one in self.sentences for key in one.citations))

    def as_json(self) -> dict[str, Any]:
        """The report as it stands in exported lines: keys and order are the format's."""
        return {
            "team_id": self.run.team,
            "run_id": self.run.run,
            "topic_id": self.topic,
            "sentences": [sentence_to_json(one) for one in self.sentences],
            "documents": {key: page_to_json(key, one) for key, one in self.documents.items()},
        }


def sentence_to_json(sentence: CitedSentence) -> dict[str, Any]:
    """A sentence of a report; without a citation there is no list."""
    cited_ids = {"citations": list(sentence.citations)} if sentence.citations else {}
    return {"text": sentence.text, **cited_ids}


def page_to_json(key: str, read_page: ReportDocument) -> dict[str, Any]:
    """A document of a report."""
    return {"id": key, "text": read_page.text, "title": read_page.title, "url": read_page.url}


def pack_report(report: RunReport) -> str:
    """The report as one line, which `unpack_report` reads."""
    return json.dumps(report.as_json(), ensure_ascii=False)


def unpack_report(line: str) -> RunReport:
    """What `pack_report` wrote."""
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


def read_run_report(value: Mapping[str, Any]) -> tuple[RunReport, list[str]]:
    """A report as a system wrote it, and doubts about its documents."""
    about = object_of(value, "metadata")
    key = next((name for name in ("responses", "answer") if value.get(name) is not None), None)
    if key is None:
        raise InvalidInput("there is neither 'responses' nor 'answer'", "a report has sentences")
    sentences = _read_sentences(value[key], value.get("references"), name=key)
    documents, doubts = read_pages(value.get("documents"))
    run = ReportRun(*_read_names(about, "run_id", "team_id", of="metadata"))
    return RunReport(_read_topic_id(about), run, sentences, documents), doubts


def read_exported_report(line: Mapping[str, Any], *, of: str = "") -> RunReport:
    """The report in an exported line, or in its field `of`."""
    value = object_of(line, "report", of=of)
    if not isinstance(value.get("sentences"), list):
        raise bad_field(value, "sentences", "a list", of="report")
    sentences = _read_sentences(value["sentences"], None, name="sentences")
    documents, doubts = read_pages(value.get("documents"))
    if doubts:
        raise InvalidInput(doubts[0])
    run, team, topic = _read_names(value, "run_id", "team_id", "topic_id", of="report")
    return RunReport(topic, ReportRun(run, team), sentences, documents)


def _read_names(fields: Mapping[str, Any], *names: str, of: str) -> list[str]:
    return [parse_identifier(text_of(fields, name, of=of), what=name) for name in names]


def _read_topic_id(about: Mapping[str, Any]) -> str:
    narrative = about.get("narrative_id")
    other = None if narrative is None else parse_identifier(narrative, what="narrative_id")
    if about.get("topic_id") is None:
        if other is None:
            raise InvalidInput("there is neither 'topic_id' nor 'narrative_id' in 'metadata'")
        return other
    (topic,) = _read_names(about, "topic_id", of="metadata")
    if other not in (None, topic):
        raise InvalidInput(
            f"'topic_id' is {topic!r} and 'narrative_id' is {other!r}", "they must be the same"
        )
    return topic


def _read_sentences(value: Any, references: Any, *, name: str) -> tuple[CitedSentence, ...]:
    if not isinstance(value, list):
        raise InvalidInput(f"{name!r} is {describe_value(value)}, not a list")
    texts, cited_ids = [], []
    for place, each in enumerate(value):
        if not isinstance(each, dict):
            message = f"sentence {place} of {name!r} is {describe_value(each)}, not an object"
            raise InvalidInput(message, 'write {"text": "..."}')
        if not isinstance(each.get("text"), str):
            error = bad_field(each, "text")
            raise InvalidInput(f"sentence {place} of {name!r}: {error.message}", error.hint)
        texts.append(each["text"])
        cited_ids.append(each.get("citations"))
    return tuple(map(CitedSentence, texts, _read_citations(cited_ids, references)))


def _read_citations(cited_ids: Sequence[Any], references: Any) -> list[tuple[str, ...]]:
    first: tuple[int, str] | None = None
    for place, value in enumerate(cited_ids):
        style = _citation_style(value, place)
        if style and first and style != first[1]:
            one, other = _CITATION_STYLES[first[1]], _CITATION_STYLES[style]
            message = f"sentence {first[0]} by {one}, sentence {place} by {other}"
            raise InvalidInput(message, "cite in one way in all of a report")
        first = first or ((place, style) if style else None)
    if first is None:
        return [()] * len(cited_ids)
    listed: list[str] = []
    if first[1] == "places" and references is not None:
        if not isinstance(references, list) or {*map(type, references)} - {str}:
            raise InvalidInput("'references' is no list of document ids")
        listed = references
    return [_cited_ids(value or (), listed) for value in cited_ids]


def _citation_style(value: Any, place: int) -> str:
    """How a sentence cites: a key of `_CITATION_STYLES`; empty where it cites nothing."""
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
    raise InvalidInput(
        f"the citations of sentence {place} are neither ids, numbers, nor ids with confidences",
        'write ["doc-1"], [0] with \'references\', or {"doc-1": 0.9}',
    )


def _is_number(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)


def _cited_ids(value: Any, references: Sequence[str]) -> tuple[str, ...]:
    """Ids in their order; of a map the surest first; numbers outside of `references` name none."""
    if isinstance(value, dict):
        found = sorted(value, key=lambda key: -value[key])
    elif value and isinstance(value[0], str):
        found = list(value)
    else:
        found = [references[each] for each in value if 0 <= each < len(references)]
    return tuple(parse_identifier(each, what="id of a cited document") for each in found)


def read_pages(value: Any) -> tuple[dict[str, ReportDocument], list[str]]:
    """The documents of a report by id, and what is wrong with those that are left out."""
    if value is None:
        return {}, []
    if not isinstance(value, dict):
        raise InvalidInput(f"'documents' is {describe_value(value)}, not an object")
    found, doubts = {}, []
    for key, each in value.items():
        try:
            found[parse_identifier(key, what="id of a document")] = read_page(each)
        except InvalidInput as error:
            doubts.append(f"document {key[:60]!r} is not available: {error.message}")
    return found, doubts


def read_page(value: Any) -> ReportDocument:
    """A document; InvalidInput where it has no text, too much of it, or a field of a wrong kind."""
    if not isinstance(value, dict):
        raise InvalidInput(f"it is {describe_value(value)}, not an object")
    for name, kind in (("text", str), ("title", str | None), ("url", str | None)):
        if not isinstance(value.get(name), kind):
            error = bad_field(value, name)
            raise InvalidInput(f"its {error.message}", error.hint)
    made = ReportDocument(value["text"], value.get("title") or None, value.get("url"))
    if not made.whole.strip():
        raise InvalidInput("it has no text")
    if (length := len(made.whole)) > LONGEST_TEXT:
        raise InvalidInput(f"it holds {length:,} characters, more than {LONGEST_TEXT:,}")
    return made


def text_of(fields: Mapping[str, Any], name: str, *, of: str = "") -> str:
    """A text that must be there; InvalidInput, as `bad_field` makes it, where it is none."""
    value = fields.get(name)
    if not isinstance(value, str):
        raise bad_field(fields, name, of=of)
    return value


def object_of(fields: Mapping[str, Any], name: str, *, of: str = "") -> dict[str, Any]:
    """An object that must be there; else as `text_of`."""
    value = fields.get(name)
    if not isinstance(value, dict):
        raise bad_field(fields, name, "an object", of=of)
    return value


def bad_field(
    fields: Mapping[str, Any], name: str, kind: str = "text", *, of: str = ""
) -> InvalidInput:
    """The error of a field of `of` that is missing, or of another kind than it must be."""
    if name not in fields:
        return InvalidInput(f"{name!r} is missing{f' in {of!r}' if of else ''}", "add it")
    value = fields[name]
    quoted = kind == "text" and isinstance(value, int | float)
    hint = "quote it" if quoted else "give it a value" if value is None else ""
    return InvalidInput(f"{name!r} is {describe_value(value)}, not {kind}", hint)
