"""Writes and merges bundles: files with an annotator's samples and work, for another machine."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from tui_annotate.domain.comments import REVIEWERS, PersonComment, hide_reviewer
from tui_annotate.domain.errors import Conflict, InvalidInput, InvalidRecord, NotReady, Unavailable
from tui_annotate.domain.people import Person
from tui_annotate.domain.records import Problem, Record, RecordFilter
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.stream_merge import StreamCopy, original_hash
from tui_annotate.plugins import registry
from tui_annotate.plugins.protocols import ExportOptions
from tui_annotate.plugins.record_validation import make_problem
from tui_annotate.plugins.sync import bundle_file, stream_lines, suggestion_lines
from tui_annotate.plugins.sync.bundle_file import BundleHeader
from tui_annotate.storage.labels.store import GuidanceKind, GuidanceStore
from tui_annotate.storage.log.stream_merge import MergeStore, StreamMergeReport
from tui_annotate.storage.queue_orders import HANDED_OUT

if TYPE_CHECKING:
    from tui_annotate.domain.vector_sets import VectorSet
    from tui_annotate.methods.late_interaction import TokenBank
    from tui_annotate.storage.assignments.store import AssignmentStore
    from tui_annotate.storage.corpus.store import CorpusStore
    from tui_annotate.storage.people.store import PeopleStore
    from tui_annotate.storage.suggestions import SuggestionStore
    from tui_annotate.storage.vectors.store import VectorStore
    from tui_annotate.storage.vectors.vector_file import VectorFileContent

Wanted = Mapping[str, set[SampleKey] | None]
"""Samples that a bundle contains, by dataset; None means all samples of the dataset."""


_NUMBERS_PER_PERSON: Final = 10_000
"""Size of the range of annotation numbers that each annotator has, so that numbers differ."""


@dataclass(frozen=True, slots=True)
class BundleContents:
    """Numbers of what a bundle contains; `practice`: practice samples that were left out."""

    samples: int
    streams: int
    vectors: int
    practice: int = 0


@dataclass(frozen=True, slots=True)
class BundleService:
    """Writes and merges the bundle of an annotator, a file with samples and work."""

    corpus: CorpusStore
    guidance: GuidanceStore
    stores: Callable[[], VectorStore]
    suggestions: SuggestionStore
    people: PeopleStore
    shares: AssignmentStore
    merging: MergeStore
    home: Callable[[], str]
    last_number: Callable[[], int]
    end_practice: Callable[[str], object]
    """Function that stores the result of a person's practice, if it has ended."""

    def make(
        self, person: Person, target: Path, *, datasets: Collection[str] = ()
    ) -> BundleContents:
        """Write a bundle: a file with an annotator's samples and work, for another machine.

        It contains no practice samples, because only this workspace can compare them with the right
        answers.

        Raises:
            NotReady: the annotator's work is paused, or their practice is not finished.
            NotFound: the dataset does not exist, or none of its samples is the annotator's.
            InvalidInput, Unavailable: the file cannot be written.
            Conflict: the existing bundle has work that was not merged.
        """
        self._check_target(target)
        self.end_practice(person.id)
        self.merging.require_not_held_back(person)
        practice = self._practice_samples(person, datasets)
        # Nothing of hidden samples, or the person would read them a second time as the first.
        without = self.merging.hidden(person.id) | practice
        copies = [
            copy
            for copy in self.merging.copies(person.id)
            if (not datasets or copy.key.dataset in datasets) and copy.key not in without
        ]
        wanted = self._samples_of(person, datasets)
        for copy in copies:
            theirs = wanted.setdefault(copy.key.dataset, set())
            if theirs is not None:
                theirs.add(copy.key)
        with TemporaryDirectory(prefix="tui-annotate-") as place:
            folder = Path(place)
            samples, documents = self._write_samples(folder, wanted, without=without)
            if not samples and practice:
                raise NotReady(
                    f"{person.name} has only practice samples, and a bundle contains none",
                    "assign other samples: tui-annotate assignments create --help",
                )
            if not samples:
                raise NotReady(
                    f"no samples are assigned to {person.name}",
                    "list all assignments with: tui-annotate assignments list",
                )
            streams = self._write_streams(
                folder, person, copies, datasets=list(wanted), without=without
            )
            vectors = self._write_vectors(folder, documents)
            self._write_suggestions(folder, wanted, without=without)
            ids = sorted(each.id for each in self.people.all())
            first = self.last_number() + _NUMBERS_PER_PERSON * ids.index(person.id)
            merged = tuple(sorted(self.people.merged_ids(person.id) - {person.id}))
            header = BundleHeader(person.id, person.name, self.home(), first, merged)
            guidance = bundle_file.BundleGuidance(
                labels=self._guidance_texts(GuidanceKind.LABELS, wanted),
                guidelines=self._guidance_texts(GuidanceKind.GUIDELINES, wanted),
            )
            bundle_file.write_header(folder, header, guidance)
            bundle_file.pack(folder, target)
        return BundleContents(samples, streams, vectors, len(practice))

    def _check_target(self, target: Path) -> None:
        if not target.is_file():
            return
        with TemporaryDirectory(prefix="tui-annotate-") as place, suppress(InvalidInput):
            about = bundle_file.unpack(target, Path(place))
            here = (event for copy in self.merging.copies(about.person) for event in copy.events)
            known = {original_hash(event) for event in here}
            streams = Path(place) / bundle_file.STREAMS
            stored = {each.id for each in self.merging.questions(about.person)}
            asked = {
                each.id
                for each in stream_lines.read_questions(streams)
                if isinstance(each, PersonComment) and each.reader == REVIEWERS
            }
            is_unmerged = not stored >= asked or any(
                isinstance(copy, StreamCopy) and not known.issuperset(copy.origins())
                for copy in stream_lines.read(streams)[1]
            )
            if is_unmerged:
                command = f"tui-annotate sync bundles merge {shlex.quote(str(target))}"
                raise Conflict(
                    f"the bundle {target} has work that was not merged yet",
                    f"first run: {command}; or name a different file",
                )

    def _samples_of(
        self, person: Person, datasets: Collection[str]
    ) -> dict[str, set[SampleKey] | None]:
        found: dict[str, set[SampleKey] | None] = {}
        with self.shares.reading() as sharing:
            held = sharing.held(person=person.id)
            for name in datasets or (each.name for each in self.corpus.datasets()):
                rule = sharing.rule(sharing.dataset_row(name), HANDED_OUT)
                mine = {each.key for each in held if each.key.dataset == name}
                found[name] = None if rule is None else mine
        return found

    def _practice_samples(self, person: Person, datasets: Collection[str]) -> set[SampleKey]:
        with self.shares.reading() as sharing:
            return {
                each.key
                for each in sharing.held(person=person.id)
                if each.allotted.practice and (not datasets or each.key.dataset in datasets)
            }

    def merge(self, file: Path) -> StreamMergeReport:
        """Merge the work in a bundle file into the workspace.

        Raises:
            NotFound: the file does not exist, or its annotator is unknown.
            InvalidInput: the file is not a bundle, or is damaged.
            InvalidRecord: its work is invalid, or another annotator's; then none of it is merged.
            Conflict: the bundle was made from another workspace.
        """
        with TemporaryDirectory(prefix="tui-annotate-") as place:
            about = bundle_file.unpack(file, Path(place))
            if about.home != self.home():
                raise Conflict(
                    f"the bundle {file} was made from another workspace",
                    "name the workspace that the bundle was made from: -w FOLDER",
                )
            # Only the owner of the bundle can have written in it, so it brings no replies.
            return self.take(file, Path(place), about, replies=False)

    def take(
        self, file: Path, folder: Path, about: BundleHeader, *, replies: bool = True
    ) -> StreamMergeReport:
        """Merge the work in an unpacked bundle file into the workspace.

        `replies`: whether replies to the annotator's questions are merged as well.
        """
        person = self.people.person(about.person)
        streams = folder / bundle_file.STREAMS
        try:
            copies = stream_lines.read(streams)[1]
        except InvalidRecord as error:
            raise _damaged_streams(file, make_problem("", error)) from error
        for each in copies:
            if isinstance(each, Problem):
                raise _damaged_streams(file, each)
        owner, copies = stream_lines.read(streams)
        if owner.id != person.id:
            raise InvalidRecord(
                f"the bundle belongs to {person.name}, but contains work of {owner.name}",
                "nothing was merged; ask the sender for a new file",
                where=str(file),
            )
        asked = stream_lines.read_questions(streams)
        for question in asked:
            if isinstance(question, Problem):
                raise _damaged_streams(file, question)
        sound = (each for each in copies if isinstance(each, StreamCopy))
        done = self.merging.merge(person, sound)
        questions = [each for each in asked if isinstance(each, PersonComment)]
        self.merging.merge_questions(done, questions, replies=replies)
        return done

    def write_back(self, file: Path, person: Person) -> tuple[int, StreamMergeReport]:
        """Write an annotator's work to a bundle file; return the number of samples with work.

        Newer work in the file, for example from a synchronised folder, is merged first; work that
        does not fit stays in the file. The file is replaced atomically.

        Raises:
            NotFound, InvalidInput, Unavailable, InvalidRecord: same as for `merge`, or the file
                cannot be written.
            Conflict: work in the file conflicts with the work here.
        """
        with TemporaryDirectory(prefix="tui-annotate-") as place:
            folder = Path(place)
            about = bundle_file.unpack(file, folder)
            merged = self.take(file, folder, about)
            refused = merged.refused
            copies = list(self.merging.copies(person.id))
            names = {(each.person, each.key) for each in refused}
            there = stream_lines.read(folder / bundle_file.STREAMS)[1] if names else ()
            left = [one for one in there if isinstance(one, StreamCopy) and one.name in names]
            here = {copy.name for copy in copies}
            for each in refused:
                if (each.person, each.key) in here:
                    raise Conflict(
                        f"the bundle {file} has conflicting work on {each.key}: {each.refused}",
                        "rename the file, and ask an admin for a new bundle",
                    )
            kept = sorted([*copies, *left], key=lambda copy: copy.name)
            self._write_streams(folder, person, kept)
            bundle_file.pack(folder, file)
        return len(copies), merged

    def _write_streams(
        self,
        folder: Path,
        person: Person,
        copies: list[StreamCopy],
        *,
        datasets: Collection[str] = (),
        without: Collection[SampleKey] = (),
    ) -> int:
        """Write events and questions, the latter of `datasets` (empty: all), not of `without`."""
        questions = [
            hide_reviewer(each)
            for each in self.merging.questions(person.id)
            if each.sample not in without
            and (not datasets or (each.sample and each.sample.dataset in datasets))
        ]
        with (folder / bundle_file.STREAMS).open("w", encoding="utf-8", newline="\n") as file:
            return stream_lines.write(person, copies, file, questions=questions)

    def _write_samples(
        self, folder: Path, wanted: Wanted, *, without: Collection[SampleKey]
    ) -> tuple[int, dict[str, SampleKey]]:
        native = registry.load("exporters", "native")
        found: dict[str, SampleKey] = {}
        with (folder / bundle_file.SAMPLES).open("w", encoding="utf-8", newline="\n") as file:
            records = self._records_without_work(wanted, found, without=without)
            report = native.write(records, file, ExportOptions())
        return report.records, found

    def _records_without_work(
        self, wanted: Wanted, found: dict[str, SampleKey], *, without: Collection[SampleKey]
    ) -> Iterator[Record]:
        for dataset in sorted(wanted):
            theirs = wanted[dataset]
            for record in self.corpus.records(RecordFilter(dataset=dataset)):
                sample = record.sample
                if sample.key not in without and (theirs is None or sample.key in theirs):
                    for document in sample.documents:
                        found.setdefault(document.sha256, sample.key)
                    yield Record(replace(sample, imported=None))

    def _write_suggestions(
        self, folder: Path, wanted: Wanted, *, without: Collection[SampleKey]
    ) -> None:
        """Write the suggestions of a bundle, if any, as older versions refuse an empty file."""

        def theirs(key: SampleKey) -> bool:
            mine = wanted.get(key.dataset, set())
            return key not in without and (mine is None or key in mine)

        target = folder / bundle_file.SUGGESTIONS
        with target.open("w", encoding="utf-8", newline="\n") as file:
            count = suggestion_lines.write(self.suggestions.bundled(theirs), file)
        if not count:
            target.unlink()

    def _guidance_texts(self, kind: GuidanceKind, wanted: Wanted) -> dict[str, str]:
        common = self.guidance.version(kind)
        versions = {name: self.guidance.version(kind, dataset=name) for name in wanted}
        own = {name: version for name, version in versions.items() if version != common}
        return {
            name: self.guidance.text(kind, version)
            for name, version in {"": common, **own}.items()
            if version
        }

    def _write_vectors(self, folder: Path, documents: Mapping[str, SampleKey]) -> int:
        kept = self.corpus.vector_set()
        if kept is None or not documents:
            return 0
        from tui_annotate.storage.vectors import vector_file

        with suppress(Unavailable):
            found = self._collect_vectors(kept, documents)
            if found.documents:
                vector_file.write(folder / bundle_file.VECTORS, found)
            return len(found.documents)
        return 0

    def _collect_vectors(
        self, kept: VectorSet, documents: Mapping[str, SampleKey]
    ) -> VectorFileContent:
        import numpy as np

        from tui_annotate.storage.vectors.vector_file import SegmentVectors, VectorFileContent

        store = self.stores()
        hashes = list(documents)
        vectors = store.fetch(kept.table, hashes)
        tokens = store.fetch_tokens(kept.table, hashes) if kept.token_dimensions else {}
        size = kept.token_dimensions if tokens else 0
        axes = store.fetch_axes(kept.table) if size else np.zeros((kept.dimensions, 0), np.float32)
        made: dict[str, SegmentVectors] = {}
        for name, matrix in vectors.items():
            stored = self.corpus.sample(documents[name])
            place = [each.sha256 for each in stored.sample.documents].index(name)
            segments = stored.segments[place]
            bank = tokens[name] if name in tokens else _no_tokens(len(segments), size)
            made[name] = SegmentVectors(segments, matrix.astype(np.float16), bank)
        return VectorFileContent(replace(kept, token_dimensions=size), axes, made)


def _damaged_streams(file: Path, problem: Problem) -> InvalidRecord:
    where = f"{file}, {bundle_file.STREAMS}:{problem.where.rpartition(':')[2]}"
    message = f"damaged bundle: {problem.message}"
    return InvalidRecord(message, f"nothing was merged; {problem.hint}", where=where)


def _no_tokens(segments: int, size: int) -> TokenBank:
    import numpy as np

    from tui_annotate.methods.late_interaction import TokenBank

    none = np.zeros(0, np.int32)
    return TokenBank(np.zeros((0, size), np.int8), np.zeros(segments + 1, np.int64), none, none)
