"""Reads text files safely, also compressed; reports wrong bytes; rejects zip bombs."""

from __future__ import annotations

import codecs
import errno
import io
import os
import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from tui_annotate.domain.errors import InvalidInput, InvalidRecord, NotFound
from tui_annotate.plugins.files import packing
from tui_annotate.plugins.files.foreign import LONGEST_HEAD, refuse_foreign
from tui_annotate.plugins.protocols import ReadMeter

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

LONGEST_LINE = 64 * 2**20
"""Maximum length of one line of a file, or of one value of a JSON array, in bytes."""
_CHUNK = 2**18
_PACKED = 2**16
"""Bytes to read ahead from a compressed file; few, so that a zip bomb is found early."""
_NO_CHARSETS = {"idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape"}
"""Python codecs that users cannot choose as the encoding of a text file."""
_WIDE = (
    ("utf-32-be", 4, {0, 1, 2}),
    ("utf-32-le", 4, {1, 2, 3}),
    ("utf-16-be", 2, {0}),
    ("utf-16-le", 2, {1}),
)
"""Encodings with the number of bytes of a character, and which of them are NUL in Latin text."""
_INSPECTED = 128
_FEWEST_WIDE = 8
_WIDE_TEXT = re.compile(
    "[\t\r\n -~\u2010-\u2027\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uff00-\uffef]"
)
"""Characters of Chinese and Japanese texts, with those of ASCII and punctuation."""
_SEPARATORS = re.compile('[\t\r\n ,.:{"\u3001\u3002\uff0c]')
"""Characters that a text or table has; in UTF-16, bytes of them are control characters."""
_WIDE_SHARE = 0.9
"""Minimum fraction of such characters in a text with the right order of bytes."""
_NUL_SHARE = 0.7
"""Minimum fraction of high bytes that are NUL: a header may have characters of other scripts."""
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_UTF32_MARKS = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)


class TextLine(NamedTuple):
    """A line with its ending; `bad` is the 1-based number of its first invalid byte, or 0."""

    number: int
    text: str
    bad: int


def read_lines(
    path: Path, *, encoding: str = "utf-8", meter: ReadMeter | None = None
) -> Iterator[TextLine]:
    r"""Yield the lines of a file, split only at \n, in constant memory.

    A line with a wrong byte is yielded too, so that the next lines can be read. Its bytes above 127
    become lone surrogates.

    Raises:
        NotFound, InvalidInput: the file cannot be opened; see `open_bytes`.
        InvalidRecord: a line is too long, or a compressed file is damaged or a bomb.
    """
    number = 0
    with _open_data(path, encoding=encoding, meter=meter) as (file, charset):
        while raw := file.readline(LONGEST_LINE + 1):
            number += 1
            if len(raw) > LONGEST_LINE:
                raise InvalidRecord(
                    f"the line is longer than {LONGEST_LINE:,} bytes",
                    "check that the file is a text file with lines",
                    where=f"{path}:{number}",
                )
            try:
                line = TextLine(number, raw.decode(charset), 0)
            except UnicodeDecodeError as error:
                line = TextLine(number, raw.decode("ascii", "surrogateescape"), error.start + 1)
            yield line


def read_chunks(
    path: Path, *, encoding: str = "utf-8", meter: ReadMeter | None = None
) -> Generator[str, None, None]:
    """Yield the text of a file in pieces of bounded size; invalid bytes become lone surrogates.

    Raises:
        NotFound, InvalidInput: the file cannot be opened; see `open_bytes`.
        InvalidRecord: a compressed file is damaged or a bomb, or a wrong byte has no surrogate.
    """
    with _open_data(path, encoding=encoding, meter=meter) as (file, charset):
        decoder = codecs.getincrementaldecoder(charset)("surrogateescape")
        try:
            while raw := file.read(_CHUNK):
                yield decoder.decode(raw)
            yield decoder.decode(b"", final=True)
        except UnicodeDecodeError as error:  # surrogates exist only for bytes from 128
            raise InvalidRecord(
                f"the file is not valid {encoding}: {error.reason}",
                "name the file's encoding with --encoding",
                where=str(path),
            ) from error


@contextmanager
def _open_data(
    path: Path, *, encoding: str, meter: ReadMeter | None
) -> Iterator[tuple[io.BufferedReader[Any], str]]:
    """Open a file as `open_bytes` does; raise InvalidInput if it holds no data, see `foreign`."""
    with open_bytes(path, encoding=encoding, meter=meter) as (file, charset):
        refuse_foreign(path, file.peek(LONGEST_HEAD)[:LONGEST_HEAD])
        yield file, charset


@contextmanager
def open_bytes(
    path: Path, *, encoding: str = "utf-8", meter: ReadMeter | None = None
) -> Iterator[tuple[io.BufferedReader[Any], str]]:
    r"""Open a file; return its uncompressed bytes without byte order mark, and their encoding.

    A byte order mark of UTF-16 or UTF-32 is preferred to UTF-8.
    Bytes of an encoding in which \n has more than one byte are converted to UTF-8.

    Raises:
        NotFound: the file does not exist.
        InvalidInput: the path is a folder or a device, or the encoding is unknown, or is another
            one by the file's first bytes.
        InvalidRecord: a compressed file is damaged, or the disk fails.
        InvalidInput: the file cannot be read.
    """
    charset = _check_encoding(encoding)
    with _open_file(path) as raw:
        metered = _MeteredFile(raw, meter or ReadMeter(), path)
        reader: io.BufferedReader[Any] = io.BufferedReader(metered, _PACKED)
        if kind := packing.detect_packing(reader.peek(packing.LONGEST_MAGIC)):
            unpacked = packing.UnpackedStream(kind, reader, read=lambda: metered.count, path=path)
            reader = io.BufferedReader(unpacked, _CHUNK)
        if charset == "utf-8":
            charset = _skip_mark(reader)
        if charset == "utf-8" and (wide := _guess_wide_encoding(reader.peek(_INSPECTED))):
            raise InvalidInput(
                f"{path} seems to be {wide} without a byte order mark",
                f"name the file's encoding: --encoding {wide}",
                code="encoding-wide",
            )
        if len("\n".encode(charset)) > 1:
            reader = io.BufferedReader(_TranscodedFile(reader, charset, path), _CHUNK)
            charset = "utf-8"
        yield reader, charset


def _check_encoding(encoding: str) -> str:
    try:
        "\n".encode(encoding)
        name = codecs.lookup(encoding).name
        if name in _NO_CHARSETS:
            raise LookupError(name)
    except (LookupError, ValueError) as error:
        raise InvalidInput(
            f"unknown encoding {encoding!r}", "use an encoding such as utf-8 or gb18030"
        ) from error
    return "utf-8" if name == "utf-8-sig" else name


def follow_links(path: Path) -> list[Path]:
    """Return a symbolic link and what it leads to, step by step; [] for another path.

    The last path is no link, or has been reached before: the links are a loop.
    """
    found = [path]
    while found[-1].is_symlink():
        target = found[-1].parent / os.readlink(found[-1])  # noqa: PTH115  keeps a target as it is
        following = Path(os.path.normpath(target))
        is_loop = following in found
        found.append(following)
        if is_loop:
            break
    return found if len(found) > 1 else []


def hint_for_missing(path: Path) -> str:
    """Return what to do about a file that does not exist, or a link that leads to none."""
    if links := follow_links(path):
        chain = " -> ".join(map(str, links))
        last = links[-1]
        if last in links[:-1]:
            return f"replace the link, which leads back to itself: {chain}"
        return f"replace the link, whose target {last} does not exist: {chain}"
    if found := re.match(r"(https?):/+(.*)", str(path)):
        return f"download the file first, for example: curl -LO '{found[1]}://{found[2]}'"
    return "check the file's path"


def _open_file(path: Path) -> BinaryIO:
    try:
        if path.is_dir():
            raise InvalidInput(
                f"{path} is a folder, not a file", "pass the path of a file in this folder"
            )
        if path.exists() and not path.is_file():
            raise InvalidInput(
                f"{path} is not a regular file",
                "save the content to a regular file first",
                code="not-a-file",
            )
        return path.open("rb", buffering=0)
    except FileNotFoundError as error:
        raise NotFound(f"there is no file {path}", hint_for_missing(path)) from error
    except (OSError, ValueError) as error:
        if getattr(error, "errno", None) == errno.ELOOP:
            raise NotFound(f"{path} is a loop of links", hint_for_missing(path)) from error
        raise InvalidInput(f"{path} cannot be read: {error}", "check its permissions") from error


def _skip_mark(reader: io.BufferedReader[Any]) -> str:
    """Skip the byte order mark of UTF-8; return the encoding detected from a file's first bytes."""
    head = reader.peek(4)[:4]
    if head[:3] == codecs.BOM_UTF8:
        reader.read(3)
    if head in _UTF32_MARKS:
        return "utf-32"
    return "utf-16" if head[:2] in _UTF16_MARKS else "utf-8"


def _guess_wide_encoding(head: bytes) -> str:
    """Return UTF-16 or UTF-32 with its byte order; empty if neither.

    The high bytes of Latin characters are NUL: the first ones in the big-endian order. Other texts
    are decoded in each encoding, and their characters show which is right.
    """
    head = head[:_INSPECTED]
    if len(head) < _FEWEST_WIDE:
        return ""
    for encoding, width, high in _WIDE:
        columns = [head[start::width] for start in range(width)]
        nul = [column.count(0) / len(column) for column in columns]
        if all(
            share >= _NUL_SHARE if place in high else not share for place, share in enumerate(nul)
        ):
            return encoding
    return _guess_chinese_encoding(head)


def _guess_chinese_encoding(head: bytes) -> str:
    """Return the wide encoding in which nearly all characters are Chinese or ASCII; else "".

    Bytes that are valid UTF-8 without NUL are UTF-8.
    """
    if 0 not in head and _is_utf8_start(head):
        return ""
    shares: dict[str, float] = {}
    for encoding, width, _ in _WIDE:
        text = head[: len(head) // width * width].decode(encoding, "replace")
        if _SEPARATORS.search(text):
            shares[encoding] = len(_WIDE_TEXT.findall(text)) / len(text)
    best = max(shares, key=shares.__getitem__, default="")
    return best if best and shares[best] >= _WIDE_SHARE else ""


def _is_utf8_start(head: bytes) -> bool:
    """Return whether bytes are the start of UTF-8, also if the last character is cut."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return True


class _MeteredFile(io.RawIOBase):
    def __init__(self, raw: BinaryIO, meter: ReadMeter, path: Path) -> None:
        self._raw = raw
        self._meter = meter
        self._path = path
        self.count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        try:
            data = self._raw.read(len(memoryview(buffer)))
        except OSError as error:  # a damaged disk, or a network drive that is gone
            raise InvalidRecord(
                f"the file cannot be read further: {error.strerror}",
                "copy the file to another disk",
                where=str(self._path),
            ) from error
        memoryview(buffer)[: len(data)] = data
        self.count += len(data)
        self._meter.done += len(data)
        return len(data)


class _TranscodedFile(io.RawIOBase):
    def __init__(self, source: io.BufferedReader[Any], encoding: str, path: Path) -> None:
        self._source = source
        self._decoder = codecs.getincrementaldecoder(encoding)("strict")
        self._encoding = encoding
        self._path = path
        self._read = 0
        self._pending = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        while not self._pending:
            raw = self._source.read(_CHUNK)
            try:
                text = self._decoder.decode(raw, final=not raw)
            except UnicodeError as error:
                number = self._find_wrong_byte(error, raw)
                raise InvalidRecord(
                    f"byte {number} of the file is not valid {self._encoding}",
                    "name the file's encoding with --encoding",
                    where=str(self._path),
                ) from error
            self._read += len(raw)
            self._pending = text.encode()
            if not raw:
                break
        size = len(memoryview(buffer))
        data = self._pending[:size]
        self._pending = self._pending[size:]
        memoryview(buffer)[: len(data)] = data
        return len(data)

    def _find_wrong_byte(self, error: UnicodeError, raw: bytes) -> int:
        if not isinstance(error, UnicodeDecodeError):
            return 1
        return max(self._read - len(error.object) + len(raw), 0) + error.start + 1
