"""A judgement table is read whole or refused with every fault and its line."""

import gzip
import io
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from analysis import Column, JudgementTable, TableError, read_table, write_table
from analysis.table import column_of, read_columns, write_columns
from tests.analysis.judged import rebuilt, simulated

HEADER = "rater,item,system,criterion,value,screen"


def read(text: str, **options):
    return read_table(io.BytesIO(text.encode()), **options)


def written(table: JudgementTable) -> bytes:
    file = io.BytesIO()
    write_table(table, file)
    return file.getvalue()


def problems(text: str) -> tuple[str, ...]:
    with pytest.raises(TableError) as refused:
        read(text)
    return refused.value.problems


def test_a_table_reads_its_columns_and_takes_others_as_factors():
    table = read(f"{HEADER},domain,time_ms,excluded,late\nr,i,s,c,-1.5,x,sport,200,0,1\n")
    assert table.system.labels == ("s",)
    assert table.value.tolist() == [-1.5]
    assert table.factors["domain"].labels == ("sport",)
    assert (table.time_ms[0], table.excluded[0], table.late[0]) == (200, False, True)


def test_writing_and_reading_a_table_gives_the_same_table():
    table = rebuilt(
        simulated(),
        value=np.random.default_rng(0).normal(size=360) / 3,
        time_ms=[float("nan"), *range(359)],
        late=[True] * 360,
        domain=['a "quoted", one\nin two lines'] * 360,
    )
    again = read_table(io.BytesIO(written(table)), as_given=True)
    assert again.sha256 == table.sha256
    assert again.value.tolist() == table.value.tolist()
    assert again.factors["domain"].labels == table.factors["domain"].labels


def test_columns_give_the_same_table_in_the_same_order():
    order = np.random.default_rng(2).permutation(360)
    table = rebuilt(
        simulated(),
        time_ms=[float("nan"), *range(359)],
        late=[True] * 360,
        domain=["=1+1"] * 360,
    ).rows(order)
    file = io.BytesIO()
    write_columns(table, file)
    again = read_columns(file.getvalue())
    for name in ("value", "time_ms", "late"):
        assert np.array_equal(getattr(again, name), getattr(table, name), equal_nan=True)
        assert getattr(again, name).dtype == getattr(table, name).dtype
        assert getattr(again, name).flags.writeable
    for column, own in ((again.screen, table.screen), *zip(
        again.factors.values(), table.factors.values(), strict=True)):  # fmt: skip
        assert column.labels == own.labels
        assert column.codes.tolist() == own.codes.tolist()
        assert column.codes.dtype == own.codes.dtype
    assert again.excluded is None
    assert again.sha256 == table.sha256


def test_gzip_parquet_and_bundle_hold_the_same_table():
    import pyarrow.csv
    import pyarrow.parquet

    table = simulated()
    plain = written(table)
    parquet, bundle = io.BytesIO(), io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.csv.read_csv(io.BytesIO(plain)), parquet)
    with zipfile.ZipFile(bundle, "w") as archive:
        archive.writestr("judgements.csv", plain)
    for content in (gzip.compress(plain), parquet.getvalue(), bundle.getvalue()):
        assert read_table(io.BytesIO(content)).sha256 == table.sha256


def test_standard_input_is_a_dash(monkeypatch):
    stdin = io.TextIOWrapper(io.BytesIO(written(simulated())))
    monkeypatch.setattr("sys.stdin", stdin)
    assert read_table("-").sha256 == simulated().sha256


def test_problems_have_lines():
    assert problems(
        f"{HEADER}\n"
        "r,i,s,c,abc,x\n"
        "r,,s,c,inf,y\n"
        "r,i\n"
        '"two\nlines",i,s,c,1,z\n'
        "r,i,s,c,nan,w\n"
        "r,i,s,c,,v\n"
        "r,i,s,c,1,u\n"
        "r,i,s,c,2,u\n"
    ) == (
        "Line 2: value is 'abc', not a finite number.",
        "Line 3: item is empty.",
        "Line 3: value is 'inf', not a finite number.",
        "Line 4: 2 cells, but the header has 6.",
        "Line 7: value is 'nan', not a finite number.",
        "Line 8: value is empty.",
        "Line 10 judges the same output as line 9.",
    )


def test_faults_of_optional_columns_are_said_too():
    assert problems(f"{HEADER},time_ms,late\nr,i,s,c,1,x,-5,maybe\n") == (
        "Line 2: time_ms is '-5', not a number of milliseconds.",
        "Line 2: late is 'maybe'; say 1 or 0.",
    )


def test_a_missing_or_doubled_column_is_named():
    assert "Missing column: criterion." in problems("rater,item,system,value\nr,i,s,1\n")[0]
    assert problems(f"{HEADER},value\nr,i,s,c,1,x,2\n") == ("Line 1: column value stands twice.",)


def test_without_screens_each_rater_saw_each_item_on_one():
    """The rule by which the site reads such files: one rule for both."""
    rows = "a,i,s,c,1\na,i,t,c,2\nb,i,s,c,3\na,j,s,c,4\n"
    table = read(f"rater,item,system,criterion,value\n{rows}")
    assert len(table.screen.labels) == 3
    assert table.screen.codes[0] == table.screen.codes[1] != table.screen.codes[3]
    again = problems(f"rater,item,system,criterion,value\n{rows}a,i,s,c,5\n")
    assert again == ("Line 6 judges the same output as line 2.",)


def test_other_files_are_refused_as_tables():
    assert "not UTF-8" in faults_of_bytes(b"\xff\xfe\n")
    assert "not UTF-8" in faults_of_bytes(f"{HEADER}\nr,i,s,c,1,".encode() + b"\xff\n")
    assert "not a bundle" in faults_of_bytes(b"PK\x03\x04nothing")
    assert "Parquet" in faults_of_bytes(b"PAR1nothing")
    packed = gzip.compress(HEADER.encode())
    for broken in (packed[:-1], packed[:12] + b"?" + packed[13:]):
        assert "cannot be decompressed" in faults_of_bytes(broken)
    assert "Missing column" in faults_of_bytes(b"")
    with pytest.raises(TableError, match="Cannot read /nowhere"):
        read_table("/nowhere")
    with pytest.raises(TableError, match="Unknown format 'xml'"):
        read(HEADER, format="xml")


def faults_of_bytes(content: bytes) -> str:
    with pytest.raises(TableError) as refused:
        read_table(io.BytesIO(content))
    return str(refused.value)


def test_a_table_made_in_python_is_checked_as_well():
    columns = {name: ["a", "a"] for name in ("rater", "item", "system", "criterion", "screen")}
    with pytest.raises(TableError) as refused:
        JudgementTable.from_columns({**columns, "value": [1, float("nan")]})
    assert refused.value.problems == (
        "Row 2: value is nan, not a finite number.",
        "Row 2 judges the same output as row 1.",
    )
    with pytest.raises(TableError, match="Column system has 1 rows, but value has 2"):
        JudgementTable.from_columns({**columns, "system": ["a"], "value": [1, 2]})


def test_a_table_without_rows_is_a_table():
    table = read(HEADER + "\n")
    assert len(table) == 0
    assert table.system.labels == ()
    assert len(table.sha256) == 64
    file = io.BytesIO()
    write_columns(table, file)
    assert len(read_columns(file.getvalue())) == 0


def test_the_hash_is_of_the_content_not_of_the_rows_order():
    table = simulated()
    order = np.random.default_rng(1).permutation(len(table))
    assert table.rows(order).sha256 == table.sha256
    assert rebuilt(table, value=table.value + (np.arange(len(table)) == 7)).sha256 != table.sha256
    assert rebuilt(table, excluded=np.zeros(len(table), bool)).sha256 == table.sha256
    assert rebuilt(table, excluded=np.arange(len(table)) == 0).sha256 != table.sha256


def test_leaving_rows_out_leaves_their_labels_out():
    table = simulated().without_raters(["rater0"])
    assert "rater0" not in table.rater.labels
    assert sorted(np.unique(table.rater.codes)) == list(range(7))
    with pytest.raises(TableError, match="no rater 'nobody'"):
        table.without_raters(["nobody"])
    with pytest.raises(TableError, match="no criterion 'taste'; the table has: quality"):
        table.for_criterion("taste")


def test_picking_all_rows_copies_nothing_and_still_drops_unused_labels():
    table = simulated()
    every_row = np.ones(len(table), dtype=bool)
    assert table.rows(every_row) is table
    more = Column(table.criterion.codes, (*table.criterion.labels, "taste"))
    assert replace(table, criterion=more).rows(every_row).criterion.labels == ("quality",)


def test_labels_are_sorted_as_python_sorts_them_and_are_distinct():
    labels = ["z", "\uffff", "😀", "é", "", "A", "z", "unused"]
    column = column_of(Column(np.array([6, 0, 1, 2, 3, 4, 5]), tuple(labels)))
    assert column.labels == tuple(sorted(set(labels) - {"unused"}))
    assert [column.labels[code] for code in column.codes] == [labels[6], *labels[:6]]
    assert column_of(labels[:7]).labels == column.labels


def test_excluded_rows_do_not_count():
    table = simulated()
    of_first = table.rater.codes == 0
    marked = rebuilt(table, excluded=of_first)
    assert len(marked.counted()) == len(table) - of_first.sum()
    assert table.counted() is table


def test_a_shared_text_counts_for_every_system_that_made_it():
    table = read(f'{HEADER}\nr,i,"A, B",c,1,x\nr,i,C,c,2,x\n', shared=",")
    assert table.system.labels == ("A", "B", "C")
    assert table.value.tolist() == [1, 1, 2]


def test_the_e2e_challenge_csv_is_known_by_its_header():
    table = read(
        "_unit_id,_id,_worker_id,check1,check2,quality1,quality2,mr,mr_id,sys1,sys2\n"
        '7,1,w1,ok,"added\nmissing",100,60,name[X],4,slug,tgen\n'
    )
    assert table.criterion.labels == ("coverage", "quality")
    assert table.for_criterion("coverage").value.tolist() == [0, 3]
    assert table.for_criterion("quality").value.tolist() == [100, 60]
    assert (table.item.labels, table.factors["unit"].labels) == (("4",), ("7",))


def test_a_broken_cell_of_an_e2e_csv_is_named_with_its_line():
    with pytest.raises(TableError, match='Line 2, check1: "perhaps" is not one of'):
        read("_worker_id,check1,mr,mr_id,sys1\nw1,perhaps,name[X],4,slug\n")


def test_the_paper_of_rankme_names_its_systems_teams():
    table = read(
        "_worker_id,inf1,inf2,naturalness1,naturalness2,mr,mr_id,ref1,ref2,team1,team2\n"
        "w1,100,60,90,80,name[X],1,A text.,Another.,slug,tgen\n"
    )
    assert table.criterion.labels == ("informativeness", "naturalness")
    assert table.system.labels == ("slug", "tgen")
    assert sorted(table.value) == [60, 80, 90, 100]


def test_a_screen_with_a_single_output_has_columns_without_a_number():
    table = read(
        "_worker_id,check_those_that_apply,quality,mr,ref,team\n"
        "w1,missing,6,name[X],A text.,slug\nw1,ok,5,name[Y],A text.,slug\n"
    )
    assert table.for_criterion("quality").value.tolist() == [6, 5]
    assert table.for_criterion("coverage").value.tolist() == [2, 0]
    assert table.item.labels == ("name[X]", "name[Y]")
    assert len(table.screen.labels) == 2


@pytest.mark.parametrize("row", ["w1,100,name[X]", "w1,100,name[X],1,slug,more"])
def test_a_row_of_ratings_with_a_cell_too_many_or_too_few_is_named(row):
    with pytest.raises(
        TableError, match="Line 2: the row and the header have different numbers of cells"
    ):
        read(f"_worker_id,quality1,mr,mr_id,sys1\n{row}\n")
