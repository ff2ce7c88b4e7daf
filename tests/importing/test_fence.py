"""Files of a kilobyte that ask for more memory than there is, and readers that die."""

import contextlib
import io
import os
import resource
import signal
import time
from dataclasses import replace
from itertools import product
from pathlib import Path

import psutil
import pyarrow as pa
import pytest
from pyarrow import ipc, parquet

from rankme.importing import LIMITS, ImportRefused, read_judgement_material, read_material
from rankme.importing.fence import read_in_child
from rankme.importing.problems import FileProblem
from tests.importing.workbooks import workbook, zipped
from tests.live import wait_for

pytestmark = pytest.mark.slow

# Less than a site gives a reader: these files would fill that, too, and all of it takes seconds.
LITTLE = replace(LIMITS, reader_memory=2**28)
# The largest child so far may have been another test's.
MOST_MEMORY = LIMITS.reader_memory + 2**30
HEADER = ("system", "item", "output")


def opendocument(columns: int, rows: int) -> bytes:
    """An ods of one cell that is repeated."""
    space = "urn:oasis:names:tc:opendocument:xmlns"
    content = (
        f'<office:document-content xmlns:office="{space}:office:1.0" '
        f'xmlns:table="{space}:table:1.0" xmlns:text="{space}:text:1.0"><office:body>'
        f'<office:spreadsheet><table:table table:name="S"><table:table-row '
        f'table:number-rows-repeated="{rows}"><table:table-cell office:value-type="string" '
        f'table:number-columns-repeated="{columns}"><text:p>x</text:p></table:table-cell>'
        "</table:table-row></table:table></office:spreadsheet></office:body>"
        "</office:document-content>"
    )
    mimetype = "application/vnd.oasis.opendocument.spreadsheet"
    manifest = (
        f'<manifest:manifest xmlns:manifest="{space}:manifest:1.0"><manifest:file-entry '
        f'manifest:full-path="/" manifest:media-type="{mimetype}"/></manifest:manifest>'
    )
    return zipped({"mimetype": mimetype, "content.xml": content, "META-INF/manifest.xml": manifest})


def repeated_text(characters: int, rows: int) -> bytes:
    """A Parquet file whose one long text is stored once, and meant in every row."""
    text = pa.DictionaryArray.from_arrays([0] * rows, ["x" * characters])
    columns = {"system": ["a"] * rows, "item": list(map(str, range(rows))), "output": text}
    written = io.BytesIO()
    parquet.write_table(pa.table(columns), written, compression="zstd")
    return written.getvalue()


def arrow(table: pa.Table, **options: object) -> bytes:
    written = io.BytesIO()
    with ipc.new_file(written, table.schema, options=ipc.IpcWriteOptions(**options)) as file:
        file.write_table(table)
    return written.getvalue()


def empty_columns(rows: int) -> bytes:
    return arrow(pa.table({name: pa.nulls(rows) for name in HEADER}))


def packed_text(characters: int) -> bytes:
    row = {"system": ["a"], "item": ["1"], "output": ["x" * characters]}
    return arrow(pa.table(row), compression="zstd")


HOSTILE = {
    "wide.xlsx": lambda: workbook(("A1", "system"), ("XFD1048576", "x")),
    "far.xlsx": lambda: workbook(("A1", "system"), ("XFD20000", "x")),
    "repeated.ods": lambda: opendocument(16_000, 2_000),
    "repeated.parquet": lambda: repeated_text(1_000_000, 1_000),
    "empty.arrow": lambda: empty_columns(20_000_000),
    "packed.arrow": lambda: packed_text(150_000_000),
}


@pytest.mark.parametrize(
    ("read", "name"),
    [*product([read_material], HOSTILE), (read_judgement_material, "wide.xlsx")],
)
def test_a_file_that_would_take_all_memory_is_refused_in_words(tmp_path: Path, name: str, read):
    path = tmp_path / name
    path.write_bytes(HOSTILE[name]())
    assert path.stat().st_size < 100_000
    with pytest.raises(ImportRefused) as refused:
        read(path, limits=LITTLE)
    assert all(problem.message.endswith(".") for problem in refused.value.problems)
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 < MOST_MEMORY


def in_child(read, **limits: int) -> object:
    return read_in_child(read, replace(LIMITS, **limits))


def test_a_child_returns_its_result_and_reports_progress():
    told: list[tuple[int, int]] = []

    def read(progress):
        progress(1, 2)
        return {"child": os.getpid()}

    found = read_in_child(read, LIMITS, lambda *part: told.append(part))
    assert found["child"] != os.getpid()
    assert told == [(1, 2)]


def test_a_refusal_keeps_its_problems():
    def read(progress):
        refused = ImportRefused([FileProblem("Wrong.", file="a.csv", line=3, column="item")], 7)
        refused.n_items = 4
        raise refused

    with pytest.raises(ImportRefused) as refused:
        in_child(read)
    assert [str(each) for each in refused.value.problems] == ["a.csv, line 3, column item: Wrong."]
    assert (refused.value.count, refused.value.n_items) == (7, 4)


def test_an_error_says_where_it_was_raised():
    def read(progress):
        raise KeyError("x")

    with pytest.raises(KeyError) as error:
        in_child(read)
    assert "test_fence.py" in error.value.__notes__[0]


@pytest.mark.parametrize("number", [signal.SIGABRT, signal.SIGKILL, signal.SIGSEGV])
def test_a_reader_that_dies_is_a_refusal(number):
    with pytest.raises(ImportRefused, match="more than 2 GB of memory"):
        in_child(lambda progress: os.kill(os.getpid(), number))


def test_a_reader_without_memory_is_a_refusal():
    with pytest.raises(ImportRefused, match=r"more than 0\.25 GB of memory"):
        in_child(lambda progress: bytearray(2**29), reader_memory=2**28)


def test_a_reader_that_recurses_too_deeply_is_a_refusal():
    def read(progress):
        return read(progress)

    with pytest.raises(ImportRefused, match="is damaged"):
        in_child(read)


def test_a_reader_ends_with_its_worker():
    """Killed, the worker cannot end it, and the reader may not look up for minutes."""
    receiving, sending = os.pipe()
    worker = os.fork()
    if not worker:

        def read(progress):
            os.write(sending, str(os.getpid()).encode())
            time.sleep(1_000)

        in_child(read)
    reader = int(os.read(receiving, 20))
    os.kill(worker, signal.SIGKILL)
    os.waitpid(worker, 0)
    wait_for(lambda: not psutil.pid_exists(reader) or is_zombie(reader), "the reader to end")


def is_zombie(process: int) -> bool:
    with contextlib.suppress(psutil.NoSuchProcess):
        return psutil.Process(process).status() == psutil.STATUS_ZOMBIE
    return True


def test_a_reader_without_end_is_a_refusal():
    def read(progress):
        while True:
            pass

    with pytest.raises(ImportRefused, match="took longer than"):
        in_child(read, reader_seconds=1)


def test_a_reader_opens_few_files():
    def read(progress):
        return [open("/dev/null", "rb") for _ in range(10_000)]

    with pytest.raises(OSError, match="Too many open files"):
        in_child(read)


def test_a_reader_ends_with_its_caller():
    """The job was cancelled: its heartbeat raises."""
    children: list[int] = []

    def read(progress):
        progress(os.getpid(), 0)
        time.sleep(1_000)

    def cancelled(child: int, _: int) -> None:
        children.append(child)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        read_in_child(read, LIMITS, cancelled)
    assert not Path(f"/proc/{children[0]}").exists()
