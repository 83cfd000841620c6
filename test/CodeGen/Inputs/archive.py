"""Archives of saved modules: as Python reads them, names that are refused, failures that lose nothing."""

import os
import pathlib
import struct
import sys
import zipfile

from _rgnn import write_archive

folder = pathlib.Path(sys.argv[1])
path = folder / "a b%c.rgnn"
entries = [("manifest.json", b"{}"), ("empty", b""), ("code/x86-64_v3/f.so", bytes(range(256)) * 41), ("A9.-_", b"1")]


def read(path):
    """The entries, after all that Python checks, CRC included, and the alignment of their data."""
    archive, found = zipfile.ZipFile(path), []
    assert archive.testzip() is None
    for info in archive.infolist():
        assert info.compress_type == zipfile.ZIP_STORED and info.flag_bits == 0
        header = path.read_bytes()[info.header_offset : info.header_offset + 30]
        name, extra = struct.unpack("<HH", header[26:30])
        assert (info.header_offset + 30 + name + extra) % 64 == 0, info
        found.append((info.filename, archive.read(info)))
    return found


def refused(kind, path, entries):
    try:
        write_archive(path, entries)
    except kind as error:
        assert type(error) is kind, error
        return str(error)
    raise AssertionError(f"written: {path}")


write_archive(path, entries)
assert read(path) == entries
first = path.read_bytes()
write_archive(str(path), entries[::-1])
assert read(path) == entries[::-1]
write_archive(path, entries)
assert path.read_bytes() == first
write_archive(path, [])
assert read(path) == []
os.chdir(folder)
write_archive("here.rgnn", entries)
assert read(pathlib.Path("here.rgnn")) == entries

# More entries than the field of two bytes counts.
many = [(f"f{number}", b"") for number in range(1 << 16)]
write_archive(path, many)
assert len(zipfile.ZipFile(path).infolist()) == len(many)

# Names, and failures: the file stays as it is, and nothing beside it.
write_archive(path, entries)
names = ("", "/a", "a/", "a//b", ".", "a/..", "../a", "a b", "a\\b", "é", "a\0", "a:b", "a" * (1 << 16))
for name in names:
    assert "expected a relative name of letters" in refused(ValueError, path, [("b", b""), (name, b"")])
assert "got 'a' again" in refused(ValueError, path, [("a", b""), ("b", b""), ("a", b"")])
assert "No such file" in refused(FileNotFoundError, folder / "none" / "a.rgnn", entries)
assert "Is a directory" in refused(IsADirectoryError, folder, entries)
refused(TypeError, path, [("a", "text")])
assert path.read_bytes() == first
assert sorted(os.listdir(folder)) == sorted([path.name, "here.rgnn"])
