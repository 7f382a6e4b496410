"""Exchange of work between workspaces by bundle files, a shared table, or a shared folder."""

from __future__ import annotations

import hashlib
import json
import shlex
import shutil
import uuid
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tui_annotate.domain import people_directory
from tui_annotate.domain.annotations import Annotation, LabelPath, normalize_annotation
from tui_annotate.domain.errors import (
    Conflict,
    InvalidInput,
    InvalidLabels,
    NotFound,
    TuiAnnotateError,
    Unavailable,
)
from tui_annotate.domain.label_files import parse_labels
from tui_annotate.domain.people import (
    Actor,
    Permission,
    Person,
    PersonKind,
    Role,
    require_permission,
)
from tui_annotate.domain.progress import TaskProgress
from tui_annotate.domain.records import Problem
from tui_annotate.domain.workspace_files import LABELS
from tui_annotate.plugins.files.targets import replace_folder
from tui_annotate.plugins.sync import bundle_file, suggestion_lines, sync_key
from tui_annotate.plugins.sync.suggestion_lines import Line
from tui_annotate.plugins.sync.table import SharedTable
from tui_annotate.services.ingest import NONE, VectorOptions
from tui_annotate.services.sync import TableSync
from tui_annotate.services.sync.bundles import BundleService
from tui_annotate.services.sync.shared_folder import SharedFolder
from tui_annotate.settings import WORKSPACE_FILE, require_own_workspace
from tui_annotate.storage.assignments.store import AssignmentStore
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.labels.store import GuidanceKind, GuidanceStore, LabelSets
from tui_annotate.storage.log.annotation_store import AnnotationStore
from tui_annotate.storage.log.stream_merge import MergeStore, StreamMergeReport
from tui_annotate.storage.log.sync_heads import SyncStore
from tui_annotate.storage.people.store import BUNDLE_MERGES_SETTING, BUNDLE_SETTING
from tui_annotate.storage.suggestions import SuggestionStore
from tui_annotate.workspace import create
from tui_annotate.workspace import open as opened
from tui_annotate.workspace.workspace import Workspace

_SUGGESTIONS_SETTING: Final = "bundle-suggestions"
WORKING: Final = ".work"
"""Suffix of the folder in which the samples of a bundle file are annotated."""
_ATTEMPTS: Final = 2
_HOME_SETTING: Final = "home"
_NUMBER_SETTING: Final = "last_number"
_TEXTS_SETTING: Final = "bundle-texts"


def open_merge_store(space: Workspace, *, trusted: bool = False) -> MergeStore:
    """Return the store that merges work from other machines; `trusted`: with fewer checks."""
    corpus = CorpusStore(space.team.database)
    label_sets = LabelSets(space.guidance)

    def labels(dataset: str) -> Collection[LabelPath] | None:
        if trusted:
            return None
        with suppress(InvalidLabels):  # an unfinished edit must not stop the exchange of work
            space.team.proposals.take_up()  # stores a changed labels.yaml first
        return label_sets.all_paths(dataset)

    return MergeStore(
        space.team.database,
        lambda key: corpus.sample(key).sample,
        labels,
        actor=space.actor,
        disabled=space.team.members.disabled,
        has_accounts=space.team.members.required,
    )


def open_bundles(space: Workspace, person: Person, *, working: bool = False) -> BundleService:
    """Return the service for a person's bundle, a file that carries samples and annotations.

    Raises:
        NotAllowed: the person is not the current actor, who may not manage the workspace.
    """
    if person.id != space.actor.person:
        require_permission(space.actor, Permission.MANAGE)
    space.annotate.labels()  # stores a changed labels.yaml first
    database = space.team.database
    corpus = CorpusStore(database)

    def home() -> str:
        if (name := corpus.setting(_HOME_SETTING)) is None:
            name = uuid.uuid4().hex
            corpus.set_setting(_HOME_SETTING, name)
        return name

    annotations = AnnotationStore(database, disabled=space.team.members.disabled)
    return BundleService(
        corpus=CorpusStore(database, actor=Actor(person.id, Role.ANNOTATOR)),
        guidance=GuidanceStore(database),
        stores=lambda: space.vectors,
        suggestions=SuggestionStore(database),
        people=space.people,
        shares=AssignmentStore(database),
        # The home workspace checked the work in its bundle, which has only the label sets in use.
        merging=open_merge_store(space, trusted=working),
        home=home,
        last_number=lambda: int(corpus.setting(_NUMBER_SETTING) or 0),
        end_practice=annotations.end_practice,
    )


def open_table_sync(space: Workspace, table: SharedTable, person: Person) -> TableSync:
    """Return the service that synchronises a person's work with a shared table on a server.

    Raises:
        NotAllowed: the person is not the current actor.
    """
    database = space.team.database
    marks = SyncStore(database, target=table.identity, person=person.id, actor=space.actor)
    # Everyone who has the table's key reads its rows, so a row has only what its person may read.
    corpus = CorpusStore(database, actor=Actor(person.id, Role.ANNOTATOR))
    return TableSync(
        corpus=corpus,
        log=space.log,
        merging=open_merge_store(space),
        marks=marks,
        table=table,
        person=person,
    )


@dataclass
class PersonSync:
    """Sync of a person's work with the shared folder or table that environment variables name.

    Use an object in one thread only. Errors of the target are reported by each call, not earlier.

    Raises:
        TuiAnnotateError: by both methods, if the target cannot be reached, read or written.
    """

    space: Workspace
    person: Person

    def pull(self) -> StreamMergeReport:
        """Merge new work from the shared folder or table into this workspace."""
        if folder := sync_key.read_folder():
            damaged: list[Problem] = []
            merged = self._folder(folder, damaged.append).pull(self.person)
            merged.damaged += damaged
            return merged
        return self._table.pull()

    def push(self) -> tuple[int, str]:
        """Send new work to the shared folder or table.

        Returns the number of samples that must be pulled first, and why work cannot be sent, if so.
        """
        if folder := sync_key.read_folder():
            sent = self._folder(folder).push(self.person)
            waiting = len(sent.waiting)
            refused = [f"{key}: {why}" for key, why in sent.refused]
        else:
            pushed = self._table.push()
            waiting = len(pushed.waiting)
            refused = [f"{each.key}: {each.refused}" for each in pushed.refused]
        if not refused:
            return waiting, ""
        more = len(refused) - 1
        return waiting, f"{refused[0]} · {more:,} more" if more else refused[0]

    def _folder(
        self, folder: str, problem: Callable[[Problem], None] = lambda _: None
    ) -> SharedFolder:
        return open_folder_sync(self.space, folder, problem=problem)

    @cached_property
    def _table(self) -> TableSync:
        table = SharedTable(sync_key.read_address(), attempts=_ATTEMPTS)
        return open_table_sync(self.space, table, self.person)


def open_folder_sync(
    space: Workspace, folder: Path | str, *, problem: Callable[[Problem], None] = lambda _: None
) -> SharedFolder:
    """Return the service that synchronises a workspace with a shared folder.

    `problem` is called for each part of a file that is skipped.

    Raises:
        NotFound: the folder does not exist.
    """
    return SharedFolder(open_merge_store(space), Path(folder), problem)


def find_person(space: Workspace, who: str, *, create: bool = False) -> Person:
    """Find a person by name or id, or by e-mail address if the workspace has accounts.

    The names and ids of merged people mean the person who owns their work. `create`: add a person
    with an unknown name, in a workspace without accounts.

    Raises:
        NotFound: no person matches, or several people have the name.
    """
    if space.team.members.required():
        return space.team.accounts.find(who).person
    not_people = {PersonKind.AGAIN, PersonKind.SETTLED}
    everybody = [each for each in space.people.all() if each.kind not in not_people]
    named = people_directory.match_people(who, everybody)
    owners = {owner.id: owner for owner in map(space.people.find_owner, named)}
    if len(owners) > 1:
        raise people_directory.ambiguous_person(who, owners)
    if owners:
        return owners.popitem()[1]
    if create:
        return space.people.local(who)
    raise people_directory.unknown_person(
        who, [each.name for each in everybody], advice="To add a new person, pass --create"
    )


def read_header(file: Path | str) -> bundle_file.BundleHeader:
    """Return who owns a bundle; raise InvalidInput if the file is not a bundle."""
    with TemporaryDirectory(prefix="tui-annotate-") as place:
        return bundle_file.unpack(Path(file), Path(place))


def open_bundle(
    file: Path, *, progress: Callable[[TaskProgress], None] | None = None
) -> tuple[Path, StreamMergeReport]:
    """Merge a bundle file (samples with a person's work) into its working folder.

    The working folder is kept, so that no work is lost if the program ends. The bundle is merged at
    each opening, because the file may have been changed elsewhere.

    Raises:
        NotFound, InvalidInput, InvalidRecord, Unavailable: as `bundle_file.unpack` and
            `BundleService.take`.
        NotAllowed: the working folder belongs to another user.
    """
    folder = file.with_name(file.name + WORKING)
    require_own_workspace(folder, by_option=False)
    with TemporaryDirectory(prefix="tui-annotate-") as place:
        about = bundle_file.unpack(file, Path(place))
        is_new = not (folder / WORKSPACE_FILE).exists()
        if is_new:
            _create_working_folder(folder)
        try:
            with opened(folder) as space:
                _fill_working_folder(space, file, Path(place), about=about, progress=progress)
                take_suggestions(space, file, Path(place))
                bundles = open_bundles(space, about.owner, working=True)
                merged = bundles.take(file, Path(place), about)
        except TuiAnnotateError:
            if is_new:
                shutil.rmtree(folder, ignore_errors=True)
            raise
    return folder, merged


def write_back(file: Path, folder: Path) -> tuple[int, StreamMergeReport]:
    """Write the work in a bundle's working folder to the bundle; return the number of samples.

    Raises:
        NotFound, InvalidInput, Unavailable: the bundle cannot be read or written; the work remains
            in the folder.
        InvalidRecord, Conflict: the bundle is damaged or another one; nothing is overwritten.
    """
    about = read_header(file)
    with opened(folder) as space:
        _check_bundle(space, file, about)
        return open_bundles(space, about.owner, working=True).write_back(file, about.owner)


def _check_bundle(space: Workspace, file: Path, about: bundle_file.BundleHeader) -> str:
    whose = f"{about.home} {about.person}"
    if space.corpus.setting(BUNDLE_SETTING) not in (None, whose):
        raise Conflict(
            f"the folder {space.path} is the working folder of another bundle",
            f"rename the file {file.name}, or move the folder away if that bundle was merged",
        )
    return whose


def _create_working_folder(folder: Path) -> None:
    try:
        with replace_folder(folder) as part:
            create(part).close()
    except OSError as error:
        raise Unavailable(
            f"cannot create {folder}: {error.strerror}",
            "copy the bundle to a folder that you can write, and open the copy",
        ) from error


def _fill_working_folder(
    space: Workspace,
    file: Path,
    place: Path,
    *,
    about: bundle_file.BundleHeader,
    progress: Callable[[TaskProgress], None] | None,
) -> None:
    whose = _check_bundle(space, file, about)
    merged = json.dumps(about.merged)
    if merged != (space.corpus.setting(BUNDLE_MERGES_SETTING) or "[]"):
        space.corpus.set_setting(BUNDLE_MERGES_SETTING, merged)
    with (place / bundle_file.SAMPLES).open("rb") as samples:
        texts = hashlib.file_digest(samples, "sha256").hexdigest()
    filled = space.corpus.setting(_TEXTS_SETTING)
    if filled == texts:
        return
    guidance = _read_guidance(file, place)
    space.corpus.set_setting(BUNDLE_SETTING, whose)
    space.corpus.set_setting(_NUMBER_SETTING, str(about.first_number))
    space.people.keep(about.owner)
    vectors = place / bundle_file.VECTORS
    report = space.ingest(
        place / bundle_file.SAMPLES,
        format="native",
        embedder=VectorOptions(prepared=vectors) if vectors.exists() else VectorOptions(NONE),
        progress=progress,
    )
    if report.refused or report.files_refused:
        _, _, line = report.problems[0].where.rpartition(":")
        says = f"{bundle_file.SAMPLES}:{line}: {report.problems[0].message}"
        if filled:
            raise Conflict(
                f"the bundle {file} differs from its earlier version, which was unpacked to"
                f" {space.path}: {says}",
                f"move {space.path} away and open the file again; export unsent work of that folder"
                f" with: tui-annotate export -w {shlex.quote(str(space.path))} --to native",
            )
        raise bundle_file.damaged_bundle(file, says)
    if "" in guidance.labels:
        (space.path / LABELS).write_text(guidance.labels[""], "utf-8")
    for kind, texts_of in (
        (GuidanceKind.LABELS, guidance.labels),
        (GuidanceKind.GUIDELINES, guidance.guidelines),
    ):
        for dataset, text in sorted(texts_of.items()):
            try:
                space.guidance.keep(kind, text, dataset=dataset)
            except NotFound as error:
                raise bundle_file.damaged_bundle(file, error.message) from error
    space.corpus.set_setting(_TEXTS_SETTING, texts)


def _read_guidance(file: Path, place: Path) -> bundle_file.BundleGuidance:
    guidance = bundle_file.read_guidance(file, place)
    for text in guidance.labels.values():
        try:
            parse_labels(text, name=bundle_file.GUIDANCE)
        except InvalidLabels as error:
            raise bundle_file.damaged_bundle(file, error.message) from error
    return guidance


def take_suggestions(space: Workspace, file: Path, place: Path) -> None:
    """Replace the suggestions in a bundle's working folder if those in the bundle changed.

    Raises:
        InvalidInput: a suggestion is invalid or outside its texts; the folder is not changed.
    """
    member = place / bundle_file.SUGGESTIONS
    digest = hashlib.sha256(member.read_bytes()).hexdigest() if member.exists() else ""
    if (space.corpus.setting(_SUGGESTIONS_SETTING) or "") == digest:
        return
    found = suggestion_lines.read(member) if digest else ()
    lines = [_check_suggestion(space, file, each) for each in found]
    store = space.machines.suggestions
    for run in store.runs():
        store.forget(run=run.id)
    for _, mine in groupby(lines, key=lambda line: line[0].id):
        same = list(mine)
        store.add(same[0][0], [(key, suggestion) for _, key, suggestion in same], copied=True)
    space.corpus.set_setting(_SUGGESTIONS_SETTING, digest)


def _check_suggestion(space: Workspace, file: Path, line: Line | Problem) -> Line:
    if isinstance(line, Problem):
        raise bundle_file.damaged_bundle(file, line.message)
    run, key, one = line
    try:
        if (one.run, one.maker) != (run.id, run.maker) or not one.id:
            raise InvalidInput(
                "the suggestion belongs to a different run", "ask for a new copy of the bundle"
            )
        normalize_annotation(
            Annotation("x", one.claim, one.evidence), space.corpus.sample(key).sample
        )
    except TuiAnnotateError as error:
        says = f"suggestion {one.id}: {error.message}"
        raise bundle_file.damaged_bundle(file, says) from error
    return line
