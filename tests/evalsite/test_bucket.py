"""Files in a bucket on a real server: read in part, and never waited for long."""

import contextlib
import random
import signal
import tempfile
import zipfile
from collections.abc import Iterator

import pytest
from botocore.exceptions import BotoCoreError, ReadTimeoutError
from django.core.files.base import ContentFile, File
from django.core.files.storage import default_storage
from django.test import RequestFactory

from evalsite import bucket
from evalsite.error_pages import server_error
from evalsite.operation import readiness
from rankme.database_errors import is_temporary
from rankme.exporting import bundle
from tests.evalsite.bucket import BucketServer, files_in, running_bucket
from tests.live import PATIENCE

CONTENT = bytes(range(256)) * 4000


@pytest.fixture(scope="module")
def server() -> Iterator[BucketServer]:
    with running_bucket() as running:
        yield running


@pytest.fixture
def stored(server) -> Iterator[str]:
    """A file of a million bytes."""
    with files_in(server.address):
        yield default_storage.save("reports/whole.bin", ContentFile(CONTENT))


@pytest.fixture
def read_bytes(monkeypatch) -> Iterator[list[int]]:
    """How much each request has delivered to a file that was opened."""
    found: list[int] = []
    original = bucket.Content.readinto

    def readinto(content, buffer) -> int:
        found.append(original(content, buffer))
        return found[-1]

    monkeypatch.setattr(bucket.Content, "readinto", readinto)
    return found


def test_a_file_is_read_whole_and_in_part(stored, read_bytes):
    with default_storage.open(stored) as file:
        assert file.read() == CONTENT
        assert file.size == len(CONTENT)
    read_bytes.clear()
    with default_storage.open(stored) as file:
        file.seek(-1000, 2)
        assert file.read() == CONTENT[-1000:]
        file.seek(500_000)
        assert file.read(10) == CONTENT[500_000:500_010]
    assert sum(read_bytes) <= 1000 + bucket.BUFFER_BYTES, "the file was read whole"


def test_a_file_that_is_not_there_is_not_an_outage(stored):
    with pytest.raises(FileNotFoundError):
        default_storage.open("reports/none.bin")


def test_a_file_is_sent_as_every_service_takes_it(stored):
    """Others refuse Amazon's checksums: Backblaze (github.com/boto/s3transfer/issues/327) and
    Storj (github.com/storj/gateway-st/issues/89).
    """
    sent = []
    events = default_storage.connection.meta.client.meta.events
    events.register("before-send.s3.PutObject", lambda request, **_: sent.append(request.headers))
    default_storage.save("reports/other.bin", ContentFile(CONTENT))
    (headers,) = sent
    assert int(headers["Content-Length"]) == len(CONTENT)
    assert not [name for name in headers if "checksum" in name.lower() or "trailer" in name.lower()]


@contextlib.contextmanager
def stopped(process) -> Iterator[None]:
    process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        process.send_signal(signal.SIGCONT)


def test_a_bucket_that_hangs_is_given_up(server, monkeypatch):
    """boto3 itself would wait for five minutes."""
    monkeypatch.setattr(bucket.LIMITS, "read_timeout", 0.5)
    assert bucket.LIMITS.connect_timeout <= 2
    with files_in(server.address), stopped(server.process), pytest.raises(BotoCoreError):
        default_storage.exists("reports/whole.bin")


@pytest.mark.django_db
def test_a_site_with_a_bucket_needs_no_folder(server, client, settings, tmp_path, monkeypatch):
    monkeypatch.setattr(readiness, "SECONDS_FOR_THE_STORAGE", PATIENCE)
    settings.DATA_FOLDER = tmp_path / "none"
    with files_in(server.address):
        assert client.get("/readyz/").content == b"ready\n"
        assert default_storage.listdir(readiness.FOLDER) == ([], [])


@pytest.mark.django_db
def test_a_bucket_that_hangs_is_not_ready_and_does_not_hold_up_the_probe(
    server, client, monkeypatch
):
    monkeypatch.setattr(readiness, "SECONDS_FOR_THE_STORAGE", 0.5)
    with files_in(server.address):
        with stopped(server.process):
            for _ in range(2):
                answer = client.get("/readyz/")
                assert (answer.status_code, answer.text) == (
                    503,
                    "The storage of files does not answer.\n",
                )
        readiness.tries[0].result(PATIENCE)
        monkeypatch.setattr(readiness, "SECONDS_FOR_THE_STORAGE", PATIENCE)
        assert client.get("/readyz/").status_code == 200


def test_the_files_of_a_bundle_arrive_whole_also_in_several_parts(stored):
    large = random.Random(1).randbytes(20_000_000)
    with tempfile.TemporaryFile() as content:
        with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as made:
            made.writestr("judgements.csv", large)
            made.writestr("report.json", b"{}")
        bundle.store_files(content, "reports/1")
        default_storage.save("reports/1.zip", File(content))
    with default_storage.open("reports/1.zip") as file:
        assert zipfile.ZipFile(file).read("judgements.csv") == large
    for name, expected in {"judgements.csv": large, "report.json": b"{}"}.items():
        with default_storage.open(f"reports/1/{name}") as file:
            assert file.read() == expected


def test_a_bucket_that_stops_in_the_middle_of_a_bundle_is_not_a_damaged_file(stored, monkeypatch):
    """zipfile says "not a zip file" whatever went wrong while it looked for the table of files."""

    def readinto(content, buffer) -> int:
        raise ReadTimeoutError(endpoint_url="http://bucket")

    monkeypatch.setattr(bucket.Content, "readinto", readinto)
    monkeypatch.setattr(bundle, "path_of", lambda run: run)
    with pytest.raises(ReadTimeoutError) as trouble:
        bundle.read_packed(stored, "report.json")
    assert is_temporary(trouble.value)


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/r/none/", "/api/v1/campaigns/none/"])
def test_a_bucket_that_refuses_is_503_and_not_500(path):
    """As a page that meets it: the error is one that passes."""
    with files_in("http://127.0.0.1:9"):
        try:
            default_storage.exists("reports/whole.bin")
        except BotoCoreError:
            answer = server_error(RequestFactory().get(path))
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
