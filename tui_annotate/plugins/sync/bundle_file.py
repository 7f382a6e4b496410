"""Reads and writes zips with an annotator's texts, work, labels, vectors and suggestions.

A bundle may come by mail from an untrusted source. Only members with known names are read, and no
member may unpack to more bytes than texts would.
"""

from __future__ import annotations

import errno
import json
import struct
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, Final
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo, is_zipfile

from tui_annotate.domain.errors import InvalidInput, NotFound, Unavailable
from tui_annotate.domain.people import Person, PersonKind, check_name
from tui_annotate.plugins.files.targets import NOTHING_CHANGED, check_target, replace_file
from tui_annotate.plugins.record_validation import parse_identifier

FORMAT: Final = "tui-annotate-bundle/1"
ABOUT = "bundle.json"
GUIDANCE = "guidance.json"
SAMPLES = "samples.jsonl"
STREAMS = "streams.jsonl"
VECTORS = "vectors.parquet"
SUGGESTIONS = "suggestions.jsonl"
_NEEDED: Final = (ABOUT, GUIDANCE, SAMPLES, STREAMS)
_MEMBERS: Final = (*_NEEDED, VECTORS, SUGGESTIONS)
_MINIMUM: Final = 64 * 2**20
_RATIO: Final = 300
"""Maximum ratio of unpacked to packed size of a file in a bundle."""
_LARGEST: Final = 2**40
_READ_SIZE: Final = 2**20
_ZIP_TIME: Final = (1980, 1, 1, 0, 0, 0)
_ENCRYPTED: Final = 1
_MAGIC: Final = b"PK\x03\x04"
_HINT: Final = "ask the sender for a new file"
_CHANGED: Final = "a part of the file is missing or altered"


def damaged_bundle(file: Path, reason: str) -> InvalidInput:
    """Return the error of a bundle that cannot be read, with the reason."""
    return InvalidInput(f"{file} is a damaged bundle: {reason}", _HINT, code="bundle-damaged")


@dataclass(frozen=True, slots=True)
class BundleHeader:
    """Header of a zip with an annotator's work; new annotations get numbers from `first_number`.

    `merged` has the ids of people who were merged into the annotator; older versions write none.
    """

    person: str
    name: str
    home: str
    first_number: int
    merged: tuple[str, ...] = ()

    @property
    def owner(self) -> Person:
        """The person whose work the bundle contains."""
        return Person(self.person, self.name, PersonKind.LOCAL)


@dataclass(frozen=True, slots=True)
class BundleGuidance:
    """Label sets and guidelines by dataset name; the empty name is the whole workspace."""

    labels: Mapping[str, str]
    guidelines: Mapping[str, str]


def write_header(folder: Path, about: BundleHeader, guidance: BundleGuidance) -> None:
    """Write the parts of a bundle that describe it: its header, label sets and guidelines."""
    value = {"format": FORMAT, **asdict(about)}
    (folder / ABOUT).write_text(json.dumps(value, sort_keys=True), "utf-8")
    value = {"labels": dict(guidance.labels), "guidelines": dict(guidance.guidelines)}
    (folder / GUIDANCE).write_text(json.dumps(value, sort_keys=True), "utf-8")


def pack(folder: Path, target: Path) -> None:
    """Pack the files in a folder into a zip, atomically; equal files give equal bytes.

    Raises:
        InvalidInput: the target is a folder, or the target's folder does not exist.
        Unavailable: the target cannot be written.
    """
    check_target(target)
    try:
        with replace_file(target) as raw, ZipFile(raw, "w", allowZip64=True) as archive:
            for name in _MEMBERS:
                if (folder / name).exists():
                    _add_member(archive, folder / name)
    except OSError as error:
        raise Unavailable(
            f"{target} cannot be written: {error.strerror}", NOTHING_CHANGED
        ) from error


def _add_member(archive: ZipFile, member: Path) -> None:
    about = ZipInfo(member.name, _ZIP_TIME)
    about.external_attr = 0o600 << 16
    # A member that packs better than texts would be rejected as a bomb, so it is stored unpacked.
    about.compress_type = ZIP_STORED if _packs_too_well(member) else ZIP_DEFLATED
    with member.open("rb") as plain, archive.open(about, "w", force_zip64=True) as packed:
        while chunk := plain.read(_READ_SIZE):
            packed.write(chunk)


def _packs_too_well(member: Path) -> bool:
    size = member.stat().st_size
    if size <= _MINIMUM:
        return False
    packer = zlib.compressobj()
    packed = 0
    with member.open("rb") as plain:
        while chunk := plain.read(_READ_SIZE):
            packed += len(packer.compress(chunk))
    packed += len(packer.flush())
    return size > packed * _RATIO // 2


def is_bundle(file: Path) -> bool:
    """Return whether a file is a bundle, or the rest of a damaged bundle, by its content.

    A file that is missing or empty is judged by the ending of its name.
    """
    with suppress(OSError, BadZipFile, ValueError):
        if file.is_file():
            with ZipFile(file) as archive:
                return ABOUT in archive.namelist()
    return file.suffix == ".bundle" and (not file.exists() or _starts_as_zip(file))


def _starts_as_zip(file: Path) -> bool:
    """Return whether a file is empty, or begins or ends like a zip."""
    if not file.is_file():
        return False
    with file.open("rb") as raw:
        begins = raw.read(len(_MAGIC))
    return begins == _MAGIC or not begins or is_zipfile(file)


def unpack(file: Path, folder: Path) -> BundleHeader:
    """Unpack a zip with an annotator's work into an empty folder; return its header.

    Raises:
        NotFound: the file does not exist.
        InvalidInput: the file is not a bundle, is damaged, has unknown members, or unpacks to far
            more bytes than texts would.
        Unavailable: the bundle cannot be unpacked, for example because the disk is full.
    """
    if file.exists() and not file.is_file():  # reading a pipe would block
        raise InvalidInput(f"{file} is a folder or a device, not a bundle", "pass a bundle file")
    try:
        with ZipFile(file) as archive:
            members = archive.infolist()
            _check_members(file, members)
            for member in members:
                with archive.open(member) as packed:
                    _copy_member(file, member, packed, target=folder / member.filename)
        return _read_header(file, folder)
    except FileNotFoundError as error:
        raise NotFound(f"there is no file {file}", "check the file's path") from error
    except (BadZipFile, zlib.error, EOFError, ValueError, RuntimeError, struct.error) as error:
        raise _broken_zip(file) from error
    except OSError as error:
        if error.errno == errno.EINVAL:  # an offset in the file points before its beginning
            raise _broken_zip(file) from error
        raise Unavailable(
            f"{file} cannot be unpacked: {error.strerror}",
            "free some space, or set TMPDIR to a different folder",
        ) from error


def _broken_zip(file: Path) -> InvalidInput:
    if _starts_as_zip(file):
        return damaged_bundle(file, _CHANGED)
    return InvalidInput(f"{file} is not a bundle", "check the file's path")


def _check_members(file: Path, members: list[ZipInfo]) -> None:
    names = [member.filename for member in members]
    if not set(names) & set(_MEMBERS):
        raise InvalidInput(
            f"{file} is not a bundle: it does not contain {ABOUT!r}", "check the file's path"
        )
    for member in members:
        if member.filename not in _MEMBERS or names.count(member.filename) > 1:
            raise damaged_bundle(file, f"it contains {member.filename!r}")
        if member.flag_bits & _ENCRYPTED or member.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise damaged_bundle(
                file, f"{member.filename} is encrypted or compressed by an unsupported method"
            )
    if lacking := [name for name in _NEEDED if name not in names]:
        raise damaged_bundle(file, f"the file does not contain {lacking[0]}")


def _copy_member(file: Path, member: ZipInfo, packed: IO[bytes], *, target: Path) -> None:
    most = max(_MINIMUM, _RATIO * member.compress_size)
    if member.compress_type == ZIP_STORED:
        most = max(member.compress_size, 1)
    with target.open("xb") as plain:
        size = 0
        while chunk := packed.read(_READ_SIZE):
            size += len(chunk)
            if size > most:
                raise InvalidInput(
                    f"{file} is a zip bomb: {member.filename} unpacks to far more than text would",
                    _HINT,
                )
            plain.write(chunk)


def _read_header(file: Path, folder: Path) -> BundleHeader:
    value = _read_json(file, folder / ABOUT)
    if value.get("format") != FORMAT:
        raise InvalidInput(
            f"{file} has the format {value.get('format')!r}, not {FORMAT!r}",
            "use the version of tui-annotate that made the bundle",
        )
    name, home, number = (value.get(each) for each in ("name", "home", "first_number"))
    if not all(isinstance(each, str) and each for each in (name, home)):
        raise damaged_bundle(file, "the file does not name its annotator and workspace")
    if type(number) is not int or not 0 <= number < _LARGEST:
        raise damaged_bundle(file, f"the file has the invalid first annotation number {number!r}")
    try:
        owner = parse_identifier(value.get("person"), what="id of a person")
        merged = value.get("merged", [])
        if not isinstance(merged, list):
            raise damaged_bundle(file, "the file has no valid list of merged people")
        ids = tuple(parse_identifier(each, what="id of a merged person") for each in merged)
        return BundleHeader(owner, check_name(str(name)), str(home), number, ids)
    except InvalidInput as error:
        raise damaged_bundle(file, error.message) from error


def read_guidance(file: Path, folder: Path) -> BundleGuidance:
    """Read label sets and guidelines from a bundle's folder; raise InvalidInput if damaged."""
    value = _read_json(file, folder / GUIDANCE)
    found = [value.get(name) for name in ("labels", "guidelines")]
    for each in found:
        if not isinstance(each, dict) or not all(isinstance(one, str) for one in each.values()):
            raise damaged_bundle(file, "the file has no valid label sets and guidelines")
    return BundleGuidance(*found)  # type: ignore[arg-type]  # checked right above


def _read_json(file: Path, member: Path) -> dict[str, Any]:
    try:
        value = json.loads(member.read_bytes())
    except (ValueError, RecursionError) as error:
        raise damaged_bundle(file, f"{member.name} is not JSON") from error
    if not isinstance(value, dict):
        raise damaged_bundle(file, f"{member.name} is not a JSON object")
    return value
