"""What a team should not send: each file gets a clear error or is read as text, and none is lost.

A file is stored as it came, whatever is in it; only its check reads it, in a worker's child.
"""

import hashlib
import io
import re
import zipfile

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from rankme.actions.shared_task import checks, uploads
from rankme.models import SystemUpload
from tests.shared_tasks.tasks import at, make_task, make_team, member_of, secret_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_uploads")]
LINES = ["The first.", "A second one.", "Some third.", "The last."]
DOUBLED = '<!DOCTYPE d [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>'
READS_FILE = '<!DOCTYPE d [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
WORKBOOK = (
    '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r='
    '"http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>'
    '<sheet name="a" sheetId="1" r:id="r1"/></sheets></workbook>'
)


def segments(texts: list[str], before: str = "", encoding: str = "utf-8") -> bytes:
    lines = "".join(f'<seg id="{n}">{text}</seg>' for n, text in enumerate(texts, start=1))
    hyp = f'<hyp system="A">{lines}</hyp>'
    return f"{before}<dataset><doc>{hyp}</doc></dataset>".encode(encoding)


def packed(**files: bytes) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "/"), content)
    return target.getvalue()


def table(texts: list[str]) -> bytes:
    rows = (f"item-{number},{text}" for number, text in enumerate(texts))
    return "\n".join(["item,output", *rows, ""]).encode()


def bomb() -> bytes:
    """A workbook of a sheet that is a thousand times as large as its file."""
    sheet = b"<worksheet><sheetData>" + b"<row/>" * 50_000_000
    return packed(**{"xl/workbook.xml": WORKBOOK.encode(), "xl/worksheets/sheet1.xml": sheet})


def sent_by_page(name: str, content: bytes) -> SystemUpload:
    team = make_team(make_task())
    fields = {"track": team.task.tracks.get().pk, "system": team.systems.get().pk}
    file = SimpleUploadedFile(name, content)
    answer = member_of(team).post(at("team-upload"), fields | {"file": file})
    assert answer.status_code == 302
    upload = SystemUpload.objects.get()
    with default_storage.open(upload.stored) as stored:
        assert stored.read() == content, "the file is kept as it came"
    assert upload.sha256 == hashlib.sha256(content).hexdigest()
    return upload


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("bomb.xlsx", bomb, "workbook is too large"),
        (
            "nested.xlsx",
            lambda: packed(**{"a.zip": packed(b=b"x" * 99)}),
            "Archives within archives",
        ),
        ("not-a-workbook.xlsx", lambda: b"PK\3\4 and nothing else", "damaged|cannot be read"),
        ("a.parquet", lambda: b"PAR1" + bytes(99) + b"PAR1", "not recognised|damaged"),
        ("entities.xml", lambda: segments(["&b;"] * 4, DOUBLED), "declares entities"),
        ("file.xml", lambda: segments(["&a;"] * 4, READS_FILE), "declares entities"),
        ("wide.xml", lambda: segments(LINES, DOUBLED, "utf-16"), "not UTF-8"),
        ("open.xml", lambda: b"<dataset><doc><hyp>", "XML is damaged"),
        ("latin.txt", lambda: "Größe\nb\nc\nd\n".encode("latin-1"), "not UTF-8"),
        ("wide.txt", lambda: "\n".join(LINES).encode("utf-16"), "not UTF-8"),
        ("packed.txt", lambda: packed(**{"a.txt": b"One.\n"}), "not UTF-8|outputs, but"),
        ("nul.txt", lambda: b"a\0b\nc\nd\ne\n", "cannot be stored"),
        ("nul.csv", lambda: table(["a\0b", "c", "d", "e"]), "cannot be stored|NUL|null"),
        ("nul.xml", lambda: segments(["a\0b", "c", "d", "e"]), "XML is damaged"),
        ("twice.csv", lambda: table(LINES) + b"item-0,Again.\n", r"already has .* \(on line 2\)"),
        ("long.txt", lambda: b"x" * 3_000_000 + b"\nb\nc\nd\n", "longer than 100,000 characters"),
    ],
)
def test_a_file_that_cannot_be_read_gets_a_clear_error(name, content, words):
    upload = sent_by_page(name, content())
    assert checks.execute(upload.check_job.pk, "worker")
    row = SystemUpload.objects.get().check_job
    assert row.is_valid is False, (row.error, row.problems)
    found = " ".join(each["message"] for each in row.problems)
    assert re.search(words, found, re.IGNORECASE), found
    assert "Traceback" not in found


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("../../../etc/passwd.csv", "passwd.csv"),
        ("..\\..\\windows.csv", "windows.csv"),
        ("a\nb\r.csv", "ab.csv"),
        ("=cmd|' /C calc'!A0.csv", "C calc'!A0.csv"),
        ("\u202egpj.csv", "gpj.csv"),
        ("x" * 400 + ".csv", None),
        ("..", "outputs"),
    ],
)
def test_a_name_from_elsewhere_is_only_a_name(name, expected):
    team = make_team(make_task())
    file = io.BytesIO(table(LINES))
    upload = uploads.take_upload(
        team.task.tracks.get(),
        team.systems.get(),
        SimpleUploadedFile("o.csv", file.getvalue()),
        name=name,
        by=team.members.get(),
    )
    assert upload.stored.startswith(f"{uploads.FOLDER}/")
    assert "." not in upload.stored
    assert upload.file_name == expected or len(upload.file_name) == 200
    page = member_of(team).get(at("team"))
    assert page.status_code == 200


def test_formulas_are_text():
    upload = sent_by_page("o.csv", table(["=1+1", "=HYPERLINK(A1)", "@SUM(A1)", "+1"]))
    assert checks.execute(upload.check_job.pk, "worker")
    row = SystemUpload.objects.get().check_job
    assert (row.is_valid, row.problems) == (True, [])


def test_markup_in_names_and_problems_stays_text():
    team = make_team(make_task())
    client = member_of(team)
    content = table(LINES).replace(b"item-3", b"<script>x</script>")
    fields = {"track": team.task.tracks.get().pk, "system": team.systems.get().pk}
    file = SimpleUploadedFile("<img src=x onerror=y>.csv", content)
    client.post(at("team-upload"), fields | {"file": file})
    assert checks.execute(SystemUpload.objects.get().check_job.pk, "worker")
    page = client.get(at("team")).content.decode()
    assert "&lt;script&gt;x" in page
    assert "<script>x" not in page and "<img src=x" not in page


@pytest.mark.parametrize("door", ["page", "api"])
def test_a_file_over_the_limit_is_refused_with_the_limit_and_leaves_nothing(door):
    team = make_team(make_task())
    track, system = team.task.tracks.get().pk, team.systems.get().pk
    content = bytes(65 * 1024**2)
    if door == "page":
        fields = {"track": track, "system": system, "file": SimpleUploadedFile("o.txt", content)}
        page = member_of(team).post(at("team-upload"), fields, follow=True)
        said = page.content.decode()
    else:
        said = (
            Client(headers={"authorization": f"Bearer {secret_of(team)}"})
            .put(f"/api/v1/team/files/{track}/{system}/o.txt", content)
            .content.decode()
        )
    assert "larger than 64 MB" in said
    assert not SystemUpload.objects.exists()
    assert not default_storage.exists(uploads.FOLDER)


def test_what_is_far_over_the_limit_is_not_even_read():
    client = member_of(make_team(make_task()))
    answer = client.generic("POST", at("team-upload"), b"x", CONTENT_LENGTH=str(200 * 1024**2))
    assert answer.status_code == 413
