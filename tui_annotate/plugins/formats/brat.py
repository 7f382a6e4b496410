"""brat standoff format: one folder per annotator with a text and an annotation file per sample."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, TextIO

from tui_annotate.domain.annotations import Annotation, LabelPath
from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import InvalidInput, NotFound, Unavailable
from tui_annotate.domain.people import Person
from tui_annotate.domain.plural import format_count
from tui_annotate.domain.records import OwnedAnnotation, Problem, Record
from tui_annotate.domain.samples import Document, Sample, fingerprint
from tui_annotate.domain.spans import Span
from tui_annotate.plugins.files.json_values import EMPTY, read_json_values
from tui_annotate.plugins.files.streams import read_chunks, read_lines
from tui_annotate.plugins.incomplete_work import mark_incomplete
from tui_annotate.plugins.joined_texts import (
    EVIDENCE,
    JOINED_TRAITS,
    LINK,
    RELATIONS_UNCONNECTED,
    UNLABELLED,
    Entity,
    EntityBuilder,
    JoinedTexts,
    Relation,
    describe_left_out,
    join_texts,
    link_entities,
    split_text,
)
from tui_annotate.plugins.json_records import (
    Doubt,
    description_fields,
    keep_readable,
    make_row_id,
    problems_at,
    read_description,
    refuse_repeated,
    write_json_line,
)
from tui_annotate.plugins.losses import LossCounter
from tui_annotate.plugins.offset_units import CODE_POINTS, QuotedSpan, fit_offsets
from tui_annotate.plugins.protocols import ExportOptions, ExportReport, Folder, ImportOptions
from tui_annotate.plugins.record_validation import (
    LONGEST_TEXT,
    NameRegister,
    choose_dataset_name,
    describe_value,
    imported_person,
    make_problem,
    parse_identifier,
)
from tui_annotate.plugins.traits import (
    FormatTarget,
    FormatTraits,
    Loss,
    RecordTrait,
    carry_plainly,
)

FORMAT: Final = "brat"
_SAMPLES: Final = "samples.jsonl"
_PEOPLE: Final = "people.jsonl"
_LABELS: Final = "labels.jsonl"
"""Names of files with data that brat files cannot store, next to the annotators' folders."""

_TRAITS: Final = FormatTraits(
    title="brat standoff, one folder per annotator",
    place=FormatTarget.FOLDER,
    trains=True,
    carried=carry_plainly(
        *JOINED_TRAITS,
        fragments="fragments",
        link="relations",
        evidences="relations",
        tree="types",
        note="one line",
        annotator="folder",
        texts="joined",
        about=_SAMPLES,
    ),
)


class BratFormat:
    """Importer and exporter of brat standoff folders, with source and summary as one text.

    A span over several lines is stored as fragments.
    """

    name = FORMAT
    about = _TRAITS

    def read(self, path: Path, options: ImportOptions) -> Iterator[Record | Problem]:
        """Read samples from brat's folders, each followed by warnings; see `Importer.read`.

        Raises:
            NotFound, InvalidInput: the folder does not exist, or its list files are invalid.
        """
        if not path.exists():
            raise NotFound(f"there is no folder {path}")
        reader = _FolderReader(
            path,
            options,
            choose_dataset_name(path.resolve(), options.dataset, former=options.former_names),
        )
        reader.open()
        with closing(NameRegister()) as seen:
            for where, row in reader.samples():
                if isinstance(row, Problem):
                    yield row
                    continue
                try:
                    record = reader.record(row, where)
                    refuse_repeated(record, where, seen)
                    yield record
                    yield from problems_at(where, reader.doubts)
                except NotFound as error:
                    yield Problem(where, error.message, error.hint)
                except InvalidInput as error:
                    yield make_problem(where, error)
            yield from reader.describe_unread()

    def list_companions(self, path: Path, options: ImportOptions) -> list[Path]:
        """Return the files in the folders of annotators."""
        del options
        folders = [each for each in _list_paths(path) if each.is_dir()] if path.is_dir() else []
        return [file for folder in folders if _has_standoff(folder) for file in _list_paths(folder)]

    def write(
        self, records: Iterable[Record], target: Folder, options: ExportOptions
    ) -> ExportReport:
        del options
        with target.file(_SAMPLES) as samples:
            writer = _BratWriter(target, samples)
            for record in records:
                writer.write(record)
        writer.end()
        return writer.report


_ENTITY = re.compile(r"(\S+) (\d{1,9} \d{1,9}(?:;\d{1,9} \d{1,9})*)")
_RELATION = re.compile(r"(\S+) Arg1:(T\S+) Arg2:(T\S+)\s*")
_LINE_FEEDS = re.compile(r"\n+")
_LINE_ENDS = re.compile(r"[\r\n]+")
_NOTE = re.compile(r"AnnotatorNotes (T\S+)")
_STANDOFF = ".ann"
_TEXT = ".txt"
_EXAMPLES: Final = 3
"""Maximum number of names in a message about files that are not read."""
_LONE_NOTES: Final = "notes that belong to no entity"
_SAFE_NAME = re.compile(r"[\w-][\w. -]*")

Row = Mapping[str, Any]


def _list_stems(folder: Path, suffix: str = _STANDOFF) -> Iterator[str]:
    names = (path.name for path in _list_paths(folder))
    return (name.removesuffix(suffix) for name in names if name.endswith(suffix))


def _list_paths(folder: Path) -> Iterator[Path]:
    try:
        yield from folder.iterdir()
    except OSError as error:
        message = f"cannot read {folder}: {error.strerror}"
        raise Unavailable(message, "check the permissions of the folder") from error


def _has_standoff(folder: Path) -> bool:
    with suppress(Unavailable):
        return any(_list_stems(folder))
    return False


@dataclass(slots=True)
class _FolderReader:
    root: Path
    options: ImportOptions
    dataset: str
    doubts: list[Doubt] = field(default_factory=list)
    _refused: list[Person] = field(default_factory=list)
    _folders: list[tuple[Path, Person]] = field(default_factory=list)
    _types: dict[str, LabelPath] = field(default_factory=dict)
    _named: set[str] = field(default_factory=set)

    def open(self) -> None:
        """Read the label paths and find the annotators' folders; InvalidInput if one is wrong."""
        if not self.root.is_dir():
            raise InvalidInput(
                f"{self.root} is a file", "pass the folder that contains the .txt and .ann files"
            )
        for row in self._read_rows(_LABELS):
            path = row.get("label")
            if not path or not isinstance(path, list) or {*map(type, path)} != {str}:
                raise InvalidInput(
                    f"label {path!r} in {_LABELS} is not a list of names, from top level to"
                    " sublabel"
                )
            self._types[str(row.get("type"))] = tuple(path)
        people = {str(row.get("folder")): row for row in self._read_rows(_PEOPLE)}
        if any(_list_stems(self.root)):
            self._folders.append((self.root, imported_person(FORMAT)))
        for folder in sorted(each for each in _list_paths(self.root) if each.is_dir()):
            if any(_list_stems(folder)):
                row = people.get(folder.name, {"id": folder.name, "name": folder.name})
                key = parse_identifier(row.get("id"), what="annotator")
                self._folders.append((folder, imported_person(key, row.get("name"))))

    def samples(self) -> Iterator[tuple[str, Row | Problem]]:
        listed = self.root / _SAMPLES
        if listed.is_file():
            for value in read_json_values(listed):
                if isinstance(value, Problem):
                    yield value.where, value
                elif isinstance(value.value, dict):
                    yield value.where, value.value
                else:
                    yield value.where, Problem(value.where, "the line is not a JSON object")
            return
        stems = {stem for folder, _ in self._folders for stem in _list_stems(folder)}
        for stem in sorted(stems):
            yield str(self.root / stem), {"file": stem, "sample_id": stem}

    def record(self, row: Row, where: str) -> Record:
        self.doubts = []
        self._refused = []
        stem = row.get("file")
        if not isinstance(stem, str) or not _SAFE_NAME.fullmatch(stem):
            raise InvalidInput(f"'file' is {stem!r}, which is not a valid file name")
        self._named.add(stem)
        places = ((folder / f"{stem}.ann", person) for folder, person in self._folders)
        files = [(file, person) for file, person in places if file.is_file()]
        if not files:
            raise InvalidInput(f"no annotator's folder contains the file {stem}.ann")
        text, files = self._choose_text(files, row.get("sha256"))
        joined = split_text(text, source_len=row.get("source_len"), sep_len=row.get("sep_len"))
        sample = self._make_sample(row, joined)
        owned = tuple(
            OwnedAnnotation(person.id, one)
            for file, person in files
            for one in self._read_annotations(file, person, joined=joined, sample=sample)
        )
        named = {one.person for one in owned}
        people = tuple(person for _, person in files if person.id in named)
        about = read_description(row)
        record = Record(sample, owned, people=people, where=where, about=about)
        return mark_incomplete(record, self._refused, self.doubts)

    def describe_unread(self) -> Iterator[Problem]:
        """Yield warnings about files of the folders that are part of no sample.

        All samples must have been read.
        """
        inside = [each for each in _list_paths(self.root) if each.is_dir()]
        files = {
            (suffix, stem): folder / f"{stem}{suffix}"
            for folder in (self.root, *inside)
            for suffix in (_TEXT, _STANDOFF)
            for stem in _list_stems(folder, suffix)
            if stem not in self._named
        }
        texts = [
            path
            for (suffix, stem), path in files.items()
            if suffix == _TEXT and (_STANDOFF, stem) not in files
        ]
        unlisted = [path for (suffix, _), path in files.items() if suffix == _STANDOFF]
        nested = [
            each
            for folder in inside
            for each in _list_paths(folder)
            if each.is_dir() and _has_standoff(each)
        ]
        yield from self._describe_files(
            texts,
            ("text without an .ann file", "texts without an .ann file"),
            "create an empty .ann file next to each text",
        )
        yield from self._describe_files(
            unlisted,
            (f"file that {_SAMPLES} does not list", f"files that {_SAMPLES} does not list"),
            f"add the samples to {_SAMPLES}",
        )
        yield from self._describe_files(
            nested,
            ("folder inside the folder of an annotator", "folders inside folders of annotators"),
            "import each of these folders",
        )

    def _describe_files(
        self, paths: list[Path], names: tuple[str, str], hint: str
    ) -> Iterator[Problem]:
        if paths:
            found = sorted(str(path.relative_to(self.root)) for path in paths)
            shown = ", ".join(found[:_EXAMPLES])
            if len(found) > _EXAMPLES:
                shown += ", ..."
            message = f"skipped: {format_count(len(paths), *names)}: {shown}"
            yield Problem(str(self.root), message, hint, refused=False)

    def _choose_text(
        self, files: list[tuple[Path, Person]], sha256: Any
    ) -> tuple[str, list[tuple[Path, Person]]]:
        """Return the text that most annotators have, and their files; refuse the work of others.

        Raises:
            InvalidInput: no text can be read, or none has the hash that the list of samples names.
        """
        texts: dict[Path, str] = {}
        errors: list[InvalidInput] = []
        for file, _ in files:
            try:
                texts[file] = self._read_text(file.with_suffix(".txt"))
            except InvalidInput as error:
                errors.append(error)
        if not texts:
            raise errors[0]
        counts = Counter(texts.values())
        fitting = [text for text in counts if sha256 in (None, fingerprint(text))]
        if not fitting:
            name = next(iter(texts)).with_suffix(".txt").name
            message = f"{name} was changed after the export: its SHA-256 differs"
            raise InvalidInput(message, "restore the exported file")
        chosen = max(fitting, key=lambda text: counts[text])
        self._refused += [person for file, person in files if texts.get(file) != chosen]
        self.doubts += errors
        self.doubts += [
            InvalidInput(
                f"the annotations of {person.name}: their text"
                f" {file.with_suffix('.txt').name} differs from that of other annotators",
                "give all annotators the same text",
            )
            for file, person in files
            if texts.get(file, chosen) != chosen
        ]
        return chosen, [(file, person) for file, person in files if texts.get(file) == chosen]

    def _make_sample(self, row: Row, joined: JoinedTexts) -> Sample:
        group = row.get("group") or ""
        meta = row.get("meta") or {}
        if not isinstance(group, str) or "\0" in group or not isinstance(meta, dict):
            raise InvalidInput(
                f"the entry for {row.get('file')!r} has an invalid 'group'"
                f" ({describe_value(group)}) or 'meta' ({describe_value(meta)})",
                "'group' must be text without U+0000, 'meta' must be an object",
            )
        dataset = self.options.dataset or row.get("dataset") or self.dataset
        return Sample(
            parse_identifier(dataset, what="dataset"),
            parse_identifier(row.get("sample_id"), what="sample_id"),
            joined.documents(self.options.language),
            group=group,
            meta=meta,
        )

    def _read_annotations(
        self, file: Path, person: Person, *, joined: JoinedTexts, sample: Sample
    ) -> Iterator[Annotation]:
        # This program parts spans at line feeds alone; other programs also at carriage returns.
        ends = _LINE_FEEDS if self._is_own() else _LINE_ENDS
        lines = self._read_lines(file)
        offsets = self.options.offsets
        standoff = _Standoff(joined.text, lines, ends=ends, offsets=offsets)
        entities = standoff.entities()
        relations = standoff.relations()
        doubts: list[Doubt] = [*standoff.doubts]
        linked = link_entities(
            joined, entities, relations, left_out=standoff.left_out, doubts=doubts
        )
        for place, one in enumerate(linked):
            key = make_row_id(sample.key, place, [person.id, one.label])
            path = self._types.get(one.label, (one.label,))
            yield one.annotation(key, () if one.label == UNLABELLED else (path,), form=FORMAT)
        if any(isinstance(doubt, InvalidInput) for doubt in doubts):
            self._refused.append(person)
        self.doubts += [*doubts, *describe_left_out(standoff.left_out)]
        if standoff.unit != CODE_POINTS:
            self.doubts.append(
                f"the offsets of annotator {person.name} are counted in {standoff.unit}"
            )

    def _read_lines(self, file: Path) -> Iterator[str]:
        encoding = self.options.encoding
        for line in read_lines(file, encoding=encoding, meter=self.options.meter):
            if line.bad:
                self.doubts.append(
                    InvalidInput(
                        f"byte {line.bad} of {file.name}:{line.number} is not valid {encoding}",
                        "name the encoding of the files with --encoding",
                    )
                )
            else:
                text = line.text.removesuffix("\n")
                yield text if self._is_own() else text.removesuffix("\r")

    def _is_own(self) -> bool:
        return (self.root / _SAMPLES).is_file()

    def _read_text(self, file: Path) -> str:
        pieces = []
        length = 0
        for piece in read_chunks(file, encoding=self.options.encoding, meter=self.options.meter):
            pieces.append(piece)
            length += len(piece)
            if length > 2 * LONGEST_TEXT:
                raise InvalidInput(f"{file.name} is longer than {2 * LONGEST_TEXT:,} characters")
        text = "".join(pieces)
        fingerprint(text)  # refuses lone surrogates
        return text

    def _read_rows(self, name: str) -> Iterator[Row]:
        if not (self.root / name).is_file():
            return
        for value in read_json_values(self.root / name):
            if isinstance(value, Problem) and value.code == EMPTY:
                return
            if isinstance(value, Problem) or not isinstance(value.value, dict):
                raise InvalidInput(f"{value.where}: the line is not a valid JSON object")
            yield value.value


class _Standoff:
    """Annotations of one file; `doubts` are the errors of lines that are skipped, and warnings."""

    def __init__(
        self, text: str, lines: Iterable[str], *, ends: re.Pattern[str], offsets: str
    ) -> None:
        self._types: dict[str, str] = {}
        self._quoted: dict[str, list[QuotedSpan]] = {}
        self._relations: list[tuple[str, str, str]] = []
        self._notes: dict[str, list[str]] = {}
        self.left_out: Counter[str] = Counter()
        self.doubts: list[Doubt] = []
        keep_readable(self._parse_line, filter(None, lines), self.doubts)
        for key, notes in self._notes.items():
            if key not in self._quoted:
                self.left_out[_LONE_NOTES] += len(notes)
        flat = [quoted for each in self._quoted.values() for quoted in each]
        read = fit_offsets(text, flat, stated=offsets)
        self.doubts += read.doubts
        self.unit = read.unit if flat else CODE_POINTS
        spans = iter(read.spans)
        self._spans: dict[str, tuple[Span, ...]] = {}
        for key, each in self._quoted.items():
            found = [next(spans) for _ in each]
            parts = [span for span in found if span is not None]
            if len(parts) == len(found):  # a part of an entity would be another entity
                self._spans[key] = _merge_fragments(parts, text, ends)

    def entities(self) -> list[Entity]:
        return [
            Entity(self._types[key], spans, " ".join(self._notes.get(key, ())))
            for key, spans in self._spans.items()
        ]

    def relations(self) -> list[Relation]:
        """Return the relations by the positions of their entities; count all others."""
        places = {key: place for place, key in enumerate(self._spans)}
        found = []
        for kind, start, end in self._relations:
            if start not in places or end not in places or start == end:
                self.left_out[RELATIONS_UNCONNECTED] += 1
            else:
                found.append(Relation(kind, places[start], places[end]))
        return found

    def _parse_line(self, line: str) -> None:
        key, _, rest = line.partition("\t")
        if key.startswith("T"):
            self._parse_entity(key, rest)
        elif key.startswith("R"):
            found = _RELATION.fullmatch(rest)
            if found is None:
                raise InvalidInput(f"{line[:60]!r} is not a valid relation")
            self._relations.append((found[1], found[2], found[3]))
        elif key.startswith("#"):
            target, _, note = rest.partition("\t")
            if found := _NOTE.fullmatch(target):
                self._notes.setdefault(found[1], []).append(note)
            else:
                self.left_out[_LONE_NOTES] += 1
        else:
            self.left_out[f"lines of type {key[:1]!r}"] += 1

    def _parse_entity(self, key: str, rest: str) -> None:
        offsets, _, quote = rest.partition("\t")
        found = _ENTITY.fullmatch(offsets)
        if found is None or key in self._types:
            raise InvalidInput(f"entity {key} {offsets[:60]!r} is invalid or has a duplicate id")
        ends = [tuple(map(int, pair.split(" "))) for pair in found[2].split(";")]
        place = 0
        quoted = []
        for start, end in ends:
            length = max(end - start, 0)
            piece = quote[place : place + length] if len(ends) > 1 else quote
            quoted.append(QuotedSpan(start, end, piece, f"entity {key}"))
            place += length + 1
        if len(ends) > 1 and place - 1 != len(quote):
            raise InvalidInput(
                f"the offsets of entity {key} do not fit the length of its text {quote[:60]!r}"
            )
        self._types[key] = found[1]
        self._quoted[key] = quoted


def _merge_fragments(parts: list[Span], text: str, ends: re.Pattern[str]) -> tuple[Span, ...]:
    found: list[Span] = []
    for piece in parts:
        before = found[-1] if found else None
        if before and ends.fullmatch(text, before.end, piece.start):
            found[-1] = Span(before.start, piece.end)
        else:
            found.append(piece)
    return tuple(found)


_UNSAFE = re.compile(r"[^A-Za-z0-9-]+")
_LONGEST_NAME = 40


class _BratWriter:
    def __init__(self, target: Folder, samples: TextIO) -> None:
        self.report = ExportReport()
        self._losses = LossCounter(_TRAITS, self.report, own=FORMAT)
        self._target = target
        self._samples = samples
        self._people: dict[str, Person] = {}
        self._types = _UniqueNames({EVIDENCE, UNLABELLED})
        self._folders = _UniqueNames(set())

    def write(self, record: Record) -> None:
        by_person = _annotations_by_person(record)
        pair = self._losses.check_pair(record)
        joined = self._join_texts(pair, record) if pair else None
        if joined is None:
            return
        if not by_person:
            self.report.count_loss(RecordTrait.UNREAD.value)
            return
        self._losses.count(record)
        self.report.records += 1
        stem = f"{self.report.records:06}"
        people = {person.id: person for person in record.people}
        for name, found in by_person.items():
            person = people.get(name, Person(name, name))
            folder = self._folders.name((name,), person.name)
            self._people.setdefault(folder, person)
            with self._target.file(f"{folder}/{stem}.txt") as text:
                text.write(joined.text)
            with self._target.file(f"{folder}/{stem}.ann") as standoff:
                standoff.writelines(f"{line}\n" for line in self._standoff_lines(found, joined))
        row = _sample_row(record.sample, joined, stem) | description_fields(record)
        write_json_line(self._samples, row, self.report)

    def _join_texts(self, pair: tuple[Document, Document], record: Record) -> JoinedTexts | None:
        source, summary = pair
        with suppress(InvalidInput):
            joined = join_texts(source.text, summary.text)
            if not joined.text.startswith("\ufeff"):
                return joined
        self._losses.count_excluded(record, Loss.SEPARATOR_OR_MARK)
        return None

    def _standoff_lines(self, found: Iterable[Annotation], joined: JoinedTexts) -> Iterator[str]:
        builder = EntityBuilder(
            joined, lambda path: self._types.name(path, "_".join(path)), whole=True
        )
        for one in found:
            if _has_only_line_breaks(one, joined):
                self.report.count_loss(Loss.ONLY_LINE_BREAKS.value)
                continue
            self._count_line_breaks(one, joined)
            builder.add(one)
            self.report.annotations += 1
        text = joined.text
        for number, entity in enumerate(builder.entities, 1):
            spans = [part for span in entity.spans for part in _split_lines(span, text)]
            offsets = ";".join(f"{span.start} {span.end}" for span in spans)
            quote = " ".join(span.of(text) for span in spans)
            yield f"T{number}\t{entity.label} {offsets}\t{quote}"
        for number, relation in enumerate(builder.relations, 1):
            yield f"R{number}\t{relation.kind} Arg1:T{relation.start + 1} Arg2:T{relation.end + 1}"
        for number, entity in enumerate(builder.entities, 1):
            if entity.note:
                self.report.count_loss(Loss.NOTE_LINES.value, entity.note.count("\n"))
                note = entity.note.replace("\n", " ")
                yield f"#{number}\tAnnotatorNotes T{number}\t{note}"

    def _count_line_breaks(self, one: Annotation, joined: JoinedTexts) -> None:
        spans = [joined.span(anchor) for anchor in one.anchors]
        quotes = [span.of(joined.text) for span in spans]
        edges = sum(quote != quote.strip("\n") for quote in quotes)
        self.report.count_loss(Loss.EDGE_LINE_BREAKS.value, edges)
        heads = spans[: len(one.claim) or len(spans)]
        self.report.count_loss(
            Loss.JOINED_SPANS.value,
            _count_touching(heads, joined.text),
        )

    def end(self) -> None:
        with self._target.file(_PEOPLE) as file:
            for folder, person in self._people.items():
                write_json_line(file, {"folder": folder, "id": person.id, "name": person.name})
        types = self._types.given
        with self._target.file(_LABELS) as file:
            for path, name in types.items():
                write_json_line(file, {"type": name, "label": list(path)})
        with self._target.file("annotation.conf") as file:
            kinds = "\n".join([*types.values(), EVIDENCE, UNLABELLED])
            file.write(f"[entities]\n{kinds}\n[relations]\n")
            file.write(f"{LINK} Arg1:<ENTITY>, Arg2:<ENTITY>\n[events]\n[attributes]\n")


class _UniqueNames:
    def __init__(self, taken: set[str]) -> None:
        self.given: dict[tuple[str, ...], str] = {}
        self._taken = {name.lower() for name in taken}

    def name(self, key: tuple[str, ...], wish: str) -> str:
        if key not in self.given:
            plain = _UNSAFE.sub("_", wish).strip("_-")[:_LONGEST_NAME] or "X"
            name = plain
            number = 1
            while name.lower() in self._taken:
                number += 1
                name = f"{plain}-{number}"
            self._taken.add(name.lower())
            self.given[key] = name
        return self.given[key]


def _has_only_line_breaks(one: Annotation, joined: JoinedTexts) -> bool:
    """Return whether a span of an annotation has no characters that brat can store."""
    return any(not joined.span(anchor).of(joined.text).strip("\n") for anchor in one.anchors)


def _annotations_by_person(record: Record) -> dict[str, list[Annotation]]:
    found: dict[str, list[Annotation]] = {
        work.person: [] for work in record.assignments if work.state is not State.NEW
    }
    for owned in record.annotations:
        found.setdefault(owned.person, []).append(owned.annotation)
    return found


def _split_lines(span: Span, text: str) -> list[Span]:
    found = []
    start = span.start
    for piece in span.of(text).split("\n"):
        if piece:
            found.append(Span(start, start + len(piece)))
        start += len(piece) + 1
    return found


def _count_touching(spans: Iterable[Span], text: str) -> int:
    ordered = sorted(spans, key=lambda span: (span.start, span.end))
    return sum(
        one.end < other.start and not text[one.end : other.start].strip("\n")
        for one, other in pairwise(ordered)
    )


def _sample_row(sample: Sample, joined: JoinedTexts, stem: str) -> dict[str, Any]:
    return {
        "file": stem,
        "sample_id": sample.id,
        "dataset": sample.dataset,
        "group": sample.group,
        "meta": dict(sample.meta),
        **joined.lengths,
    }
