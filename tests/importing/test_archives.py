"""Archives from strangers: counted while they stream, never unpacked, forged ones refused."""

import io
import os
import re
import stat
import struct
import zipfile
from pathlib import Path

import pytest

from rankme.importing import ImportRefused, Limits, read_material
from rankme.importing.files import SourceFile
from rankme.importing.problems import Problems, StopFile
from rankme.importing.sources import Sources, text_lines
from tests.importing.uploads import OUTPUTS, refusal, write_zip

MB = 1024**2


def test_a_bomb_of_zeros_is_refused_by_its_ratio(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("outputs.csv", OUTPUTS + "x" * (60 * MB))
    assert path.stat().st_size < MB
    assert "suspiciously small" in refusal(path)[0].message


def test_a_bomb_that_lies_about_its_size_is_stopped_while_it_streams(tmp_path: Path) -> None:
    path = tmp_path / "liar.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("outputs.csv", OUTPUTS + "x" * (60 * MB))
    content = bytearray(path.read_bytes())
    directory = content.rfind(b"PK\x01\x02")
    content[directory + 24 : directory + 28] = struct.pack("<L", len(OUTPUTS))
    path.write_bytes(content)
    assert "damaged" in refusal(path)[0].message


def test_the_bytes_of_all_files_together_are_limited(tmp_path: Path) -> None:
    noise = os.urandom(700_000).hex()
    files = {f"{n}.tsv": f"MR\toutput\n{n}\t{noise}\n" for n in range(3)}
    path = write_zip(tmp_path / "large.zip", files)
    limits = Limits(total_bytes=4 * MB, text=10 * MB)
    assert "Together the files are larger than 4 MB" in refusal(path, limits=limits)[0].message
    limits = Limits(file_bytes=MB, text=10 * MB)
    assert "larger than 1 MB" in refusal(path, limits=limits)[0].message


def test_members_that_share_their_bytes_are_refused(tmp_path: Path) -> None:
    """The kernel of every zip of Fifield's kind (2019): many entries, one body."""
    path = write_zip(tmp_path / "overlap.zip", {"a.tsv": "MR\toutput\nx\ty\n", "b.tsv": "z"})
    content = bytearray(path.read_bytes())
    second = content.rfind(b"PK\x01\x02")
    content[second + 42 : second + 46] = struct.pack("<L", 0)
    path.write_bytes(content)
    with zipfile.ZipFile(path) as archive:
        assert [member.header_offset for member in archive.infolist()] == [0, 0]
    assert "its files overlap" in refusal(path)[0].message


def test_an_archive_in_an_archive_is_refused(tmp_path: Path) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("outputs.csv", OUTPUTS)
    path = write_zip(tmp_path / "nested.zip", {"inner.zip": inner.getvalue()})
    assert "Archives within archives" in refusal(path)[0].message


def test_too_many_members_are_refused_before_the_directory_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_zip(tmp_path / "many.zip", {f"{n}.tsv": "" for n in range(60)})
    monkeypatch.setattr(zipfile, "ZipFile", None)
    assert "more than 50 files" in refusal(path, limits=Limits(files=50))[0].message


@pytest.mark.parametrize(
    "name",
    [
        "../../outputs.csv",
        "/etc/outputs.csv",
        "C:\\windows\\outputs.csv",
        "a/../../outputs.csv",
        "..\\..\\outputs.csv",
        "\\\\server\\share\\outputs.csv",
        "con/outputs.csv",
        "./outputs.csv",
    ],
)
def test_a_members_name_is_a_label_and_never_a_path(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    path = write_zip(tmp_path / "slip.zip", {name: OUTPUTS})
    before = set(tmp_path.rglob("*"))
    with read_material(path) as material:
        [file] = material.preview.files
        assert re.fullmatch(r"slip\.zip/(\w+/)?outputs\.csv", file.label)
        new = {found.name for found in set(tmp_path.rglob("*")) - before if found.is_file()}
        assert new == {"spool.sqlite"}


@pytest.mark.parametrize("name", ["a/..", "x\u202ecsv.exe", "tab\there.tsv", " "])
def test_invalid_member_names_are_refused(tmp_path: Path, name: str) -> None:
    path = write_zip(tmp_path / "odd.zip", {name: OUTPUTS})
    assert "not a valid file name" in refusal(path)[0].message


def test_links_are_not_followed(tmp_path: Path) -> None:
    path = tmp_path / "link.zip"
    link = zipfile.ZipInfo("outputs.csv")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(link, "/etc/passwd")
    assert "must not contain links" in refusal(path)[0].message


def test_links_in_a_folder_are_not_followed(tmp_path: Path) -> None:
    folder = tmp_path / "up"
    folder.mkdir()
    (tmp_path / "secret.csv").write_text(OUTPUTS)
    (folder / "outputs.csv").symlink_to(tmp_path / "secret.csv")
    assert "no files" in refusal(folder)[0].message


def test_encrypted_and_oddly_packed_members_are_refused(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "secret.zip", {"outputs.csv": OUTPUTS})
    content = bytearray(path.read_bytes())
    content[content.rfind(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(content)
    assert "encrypted" in refusal(path)[0].message
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("outputs.csv", OUTPUTS)
    assert "compression that is not supported" in refusal(path)[0].message


@pytest.mark.parametrize("cut", [5, 40, -30, -10])
def test_a_torn_archive_is_refused(tmp_path: Path, cut: int) -> None:
    path = write_zip(tmp_path / "torn.zip", {"outputs.csv": OUTPUTS * 50})
    path.write_bytes(path.read_bytes()[:cut])
    assert "damaged" in refusal(path)[0].message


@pytest.mark.parametrize("text", [b"S of a", b"far into the file"])
def test_a_flipped_bit_is_noticed(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "flipped.zip"
    rows = "".join(f"U,{n},{'x' * 90}\n" for n in range(1_000))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("outputs.csv", f"{OUTPUTS}{rows}V,a,far into the file\n")
    content = bytearray(path.read_bytes())
    content[content.index(text)] ^= 2
    path.write_bytes(content)
    assert "damaged" in refusal(path)[0].message


def test_zip64_directories_are_refused(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "zip64.zip", {"outputs.csv": OUTPUTS})
    content = path.read_bytes()
    end = content.rfind(b"PK\x05\x06")
    locator = b"PK\x06\x07" + struct.pack("<LQL", 0, 0, 1)
    path.write_bytes(content[:end] + locator + content[end:])
    assert "Zip64" in refusal(path)[0].message


def test_a_stream_that_outgrows_its_size_is_stopped() -> None:
    """Whatever a file claims, bytes are counted as they come."""
    content = (b"system," * 99 + b"system\n") * (MB // 20)
    for limits, message in (
        (Limits(), "suspiciously small"),
        (Limits(packing_ratio=10**9, file_bytes=2 * MB), "larger than is allowed"),
        (Limits(packing_ratio=10**9, total_bytes=2 * MB), "larger than is allowed"),
    ):
        problems = Problems(10)
        file = SourceFile("a.csv", 10, 10, lambda: io.BytesIO(content))
        sources = Sources([file], limits, problems)
        with pytest.raises(StopFile):
            for _ in text_lines(sources, file):
                pass
        assert sources.bytes_read < min(limits.file_bytes, limits.total_bytes, 20 * MB) + MB
        with pytest.raises(ImportRefused, match=message):
            problems.refuse_if_any()


def test_a_damaged_workbook_is_refused_in_words(tmp_path: Path) -> None:
    write_zip(tmp_path / "data.xlsx", {"xl/workbook.xml": "<x/>", "[Content_Types].xml": "<x/>"})
    (problem,) = refusal(tmp_path / "data.xlsx")
    assert problem.file == "data.xlsx" and "The workbook cannot be read" in problem.message
