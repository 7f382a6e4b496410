"""Lines in: bounded, strict, each fault with its place."""

from __future__ import annotations

import errno
import gzip
import io
import json
import os
import random
from contextlib import suppress
from encodings.aliases import aliases
from pathlib import Path

import pytest
import zstandard

from tests.helpers.errors import has_code
from tests.plugins.record_reader import file, read
from tui_annotate.domain.errors import InvalidInput, InvalidRecord, NotFound, TuiAnnotateError
from tui_annotate.plugins.files import packing, streams
from tui_annotate.plugins.files.json_values import read_json_values
from tui_annotate.plugins.files.streams import read_lines
from tui_annotate.plugins.protocols import ReadMeter


def test_lines_keep_their_text_and_endings(tmp_path: Path) -> None:
    """Lines are cut at line feeds alone, and nothing of them is altered."""
    text = "a\r\nb\u2028c\rd\n\x00e"
    path = file(tmp_path, "a.txt", text)
    assert [line.text for line in read_lines(path)] == ["a\r\n", "b\u2028c\rd\n", "\x00e"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-32", "gb18030"])
def test_other_encodings_are_read_when_named(tmp_path: Path, encoding: str) -> None:
    """A file in a named encoding gives the text that was written, without its mark."""
    path = file(tmp_path, "a.txt", "桥 one\ntwo 🌉\n".encode(encoding))
    assert "".join(line.text for line in read_lines(path, encoding=encoding)) == "桥 one\ntwo 🌉\n"


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    """The mark at the start of a UTF-8 file is accepted and not part of the text."""
    path = file(tmp_path, "a.txt", b"\xef\xbb\xbfone\n")
    assert [line.text for line in read_lines(path)] == ["one\n"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
@pytest.mark.parametrize("order", ["le", "be"])
def test_a_byte_order_mark_names_the_encoding(tmp_path: Path, encoding: str, order: str) -> None:
    """A file that starts with the mark of UTF-16 or UTF-32 is read as such, also compressed."""
    content = "\ufeff桥 one\ntwo 🌉\n".encode(f"{encoding}-{order}")
    for raw in (content, gzip.compress(content)):
        path = file(tmp_path, "a.txt", raw)
        assert "".join(line.text for line in read_lines(path)) == "桥 one\ntwo 🌉\n"


@pytest.mark.parametrize("name", ["https://example.org/a.csv", "https:/example.org/a.csv"])
def test_an_address_is_no_file(name: str) -> None:
    """The hint says how to download the file."""
    with pytest.raises(NotFound) as caught:
        list(read_lines(Path(name)))
    assert "'https://example.org/a.csv'" in caught.value.hint


def test_a_wrong_byte_has_its_place_and_costs_its_line(tmp_path: Path) -> None:
    """Line and byte of the first wrong byte are told; the other lines are read."""
    path = file(tmp_path, "a.txt", b"good\nab\xffc\xfe\nalso\n")
    found = list(read_lines(path))
    assert [(line.number, line.bad) for line in found] == [(1, 0), (2, 3), (3, 0)]
    assert found[2].text == "also\n"


def test_a_wrong_unit_of_a_wide_encoding_has_its_byte(tmp_path: Path) -> None:
    """Half of a surrogate pair in UTF-16 is refused with its byte in the file."""
    many = "a" * (2**17 - 1) + "\U0001f600b"  # the pair lies over the end of what is read at once
    for before, byte in (("ab", 5), (many, 2**18 + 5)):
        content = before.encode("utf-16-le") + b"\x00\xd8" + "c".encode("utf-16-le")
        path = file(tmp_path, "a.txt", content)
        with pytest.raises(InvalidRecord, match=f"{byte}"):
            list(read_lines(path, encoding="utf-16-le"))


@pytest.mark.parametrize("encoding", ["no-such", "hex", "rot13"])
def test_an_unknown_encoding_is_told(tmp_path: Path, encoding: str) -> None:
    """What is no encoding of text is refused by name."""
    path = file(tmp_path, "a.txt", "one")
    with pytest.raises(InvalidInput, match=f"'{encoding}'"):
        list(read_lines(path, encoding=encoding))


@pytest.mark.parametrize("encoding", sorted(set(aliases.values())))
def test_no_encoding_breaks_a_file(tmp_path: Path, encoding: str) -> None:
    """Whatever the bytes are and whatever they are said to be, they are text or refused."""
    for raw in (b"", b'{"a": 1}\n', bytes(range(256)), b'[1,\xff\xfe"\\x\\N{a}"]\n'):
        path = file(tmp_path, "a.json", raw)
        for text in (
            read_lines(path, encoding=encoding),
            read_json_values(path, encoding=encoding),
        ):
            with suppress(TuiAnnotateError):
                list(text)


def test_a_wide_encoding_without_its_mark_is_told(tmp_path: Path) -> None:
    """The first byte is wrong where UTF-16 was named and no mark says in which order bytes are."""
    path = file(tmp_path, "a.csv", b"source,summary\n")
    with pytest.raises(InvalidRecord, match=r"1.*utf-16"):
        list(read_lines(path, encoding="utf-16"))


def test_gzip_is_known_by_its_content(tmp_path: Path) -> None:
    """A packed file is unpacked whatever it is called."""
    path = file(tmp_path, "a.txt", gzip.compress(b"one\ntwo\n") + gzip.compress(b"three\n"))
    assert [line.text for line in read_lines(path)] == ["one\n", "two\n", "three\n"]


def test_a_truncated_gzip_file_is_told(tmp_path: Path) -> None:
    """A packed file without its end gives what is there, then says that it is cut short."""
    packed = gzip.compress(os.urandom(1000).hex().encode() + b"\n")
    path = file(tmp_path, "a.gz", packed[:-10])
    with pytest.raises(InvalidRecord, check=has_code("cut-short")):
        list(read_lines(path))


def test_a_damaged_gzip_file_is_told(tmp_path: Path) -> None:
    """A packed file with flipped bits is refused."""
    packed = bytearray(gzip.compress(os.urandom(1000).hex().encode()))
    packed[200] ^= 0xFF
    path = file(tmp_path, "a.gz", bytes(packed))
    with pytest.raises(InvalidRecord, check=has_code("damaged")):
        list(read_lines(path))


def test_a_gzip_bomb_is_refused_early(tmp_path: Path) -> None:
    """What unpacks to hundreds of times its size is left early, not followed to its end."""
    path = tmp_path / "bomb.gz"
    with gzip.open(path, "wb") as packed:
        for _ in range(200):
            packed.write((b"a" * 1023 + b"\n") * 2**10)
    given: list[int] = []
    with pytest.raises(InvalidRecord, check=has_code("bomb")):
        given.extend(len(line.text) for line in read_lines(path))
    seen = sum(given)
    assert seen <= max(packing.BOMB_FLOOR, packing.BOMB_RATIO * path.stat().st_size) < 2**27


def test_zstd_is_read_frame_after_frame(tmp_path: Path) -> None:
    """Several frames are one text, as `cat a.zst b.zst` makes them; large ones come in pieces."""
    long = "".join(f"{number} 桥\n" for number in range(200_000))
    packed = zstandard.compress(long.encode()) + zstandard.compress(b"") + zstandard.compress(b"e")
    path = file(tmp_path, "a.txt", packed)
    assert "".join(line.text for line in read_lines(path)) == f"{long}e"


@pytest.mark.parametrize("cut", [5, 40, -1])
def test_zstd_that_is_cut_is_told(tmp_path: Path, cut: int) -> None:
    """A file that ends inside a frame is not taken for its beginning."""
    packed = zstandard.compress(random.Random(7).randbytes(100).hex().encode() * 2)
    with pytest.raises(InvalidRecord, check=has_code("cut-short")):
        list(read_lines(file(tmp_path, "a.zst", packed[:cut])))


def test_zstd_that_is_damaged_is_told(tmp_path: Path) -> None:
    """Bytes that are no frame, also behind one, are refused."""
    packed = zstandard.compress(b"one\n") + b"two\n"
    with pytest.raises(InvalidRecord, check=has_code("damaged")):
        list(read_lines(file(tmp_path, "a.zst", packed)))


def test_a_zstd_bomb_is_refused_early(tmp_path: Path) -> None:
    """As one of gzip; a frame that would need more memory than usual is refused as well."""
    path = tmp_path / "bomb.zst"
    with path.open("wb") as raw, zstandard.ZstdCompressor().stream_writer(raw) as packed:
        for _ in range(200):
            packed.write((b"a" * 1023 + b"\n") * 2**10)
    given: list[int] = []
    with pytest.raises(InvalidRecord, check=has_code("bomb")):
        given.extend(len(line.text) for line in read_lines(path))
    assert sum(given) < 2**27
    wide = zstandard.ZstdCompressionParameters(window_log=28)
    frame = zstandard.ZstdCompressor(compression_params=wide).compressobj()
    # A frame whose length is known when it begins takes a window no wider than itself.
    raw_bytes = frame.compress(b"a\n") + frame.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
    raw_bytes += frame.flush()
    with pytest.raises(InvalidRecord, check=has_code("damaged")):
        list(read_lines(file(tmp_path, "wide.zst", raw_bytes)))


def test_an_endless_line_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line beyond the cap is refused with its number, never held in memory."""
    monkeypatch.setattr(streams, "LONGEST_LINE", 1000)
    path = file(tmp_path, "a.txt", "ok\n" + "x" * 5000)
    with pytest.raises(InvalidRecord, match=r"a\.txt.*2:"):
        list(read_lines(path))


def test_what_is_no_file_is_told(tmp_path: Path) -> None:
    """A folder, nothing, and a pipe are refused, each in its own words."""
    with pytest.raises(InvalidInput, match="is a folder, not a file"):
        list(read_lines(tmp_path))
    with pytest.raises(NotFound):
        list(read_lines(tmp_path / "none"))
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(InvalidInput, check=has_code("not-a-file")):
        list(read_lines(pipe))


def test_a_file_that_may_not_be_read_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A missing permission is told as such."""
    path = file(tmp_path, "a.txt", "one")

    def refused(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refused)
    with pytest.raises(InvalidInput):
        list(read_lines(path))


def test_the_meter_counts_bytes_on_disk(tmp_path: Path) -> None:
    """At the end of a packed file the meter stands at its packed size."""
    path = file(tmp_path, "a.gz", gzip.compress(b"one\n" * 1000))
    meter = ReadMeter(path.stat().st_size)
    list(read_lines(path, meter=meter))
    assert meter.done == meter.total


class _FailingFile(io.FileIO):
    """A file on a damaged disk, of which only the first part can be read."""

    def read(self, _size: int | None = -1, /) -> bytes:
        if self.tell() >= 4096:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return super().read(4096) or b""


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.json"])
def test_a_file_on_a_damaged_disk_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """The error is a problem of the file, and costs none of the other files."""
    row = {"source": "The mill was built.", "summary": "It was built."}
    lines = [json.dumps(row)] * 300
    if name == "a.csv":
        lines = ["source,summary"] + [",".join(row.values())] * 300
    text = "\n".join(lines) if name != "a.json" else f"[{', '.join(lines)}]"
    path = file(tmp_path, name, text)
    monkeypatch.setattr(streams, "_open_file", _FailingFile)
    records, problems = read(path)
    assert len(records) < 300
    assert [(each.where, each.refused) for each in problems] == [(str(path), True)]
    assert os.strerror(errno.EIO) in problems[0].message
