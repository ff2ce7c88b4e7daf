"""Documents in uploads: two columns, long or wide, with every fault in its place."""

import json

import pytest

from rankme.importing import columns_from_roles
from rankme.importing.tabular.headings import InvalidColumns
from tests.importing.uploads import places, problems_of, read

SEGMENTS = {"news": 3, "letter": 2}
SYSTEMS = ("Alder", "Beech")


def rows(**names):
    """One row for each output, in no order; `names` are other names of columns."""
    found = [
        {"system": system, "document": document, "segment": number, "input": f"{document} {number}"}
        | {"output": f"{system} on {document} {number}"}
        for system in SYSTEMS
        for document, count in SEGMENTS.items()
        for number in range(count, 0, -1)
    ]
    return [{names.get(name, name): cell for name, cell in row.items()} for row in found]


def as_csv(table):
    lines = [",".join(table[0]), *(",".join(str(cell) for cell in row.values()) for row in table)]
    return "\n".join(lines) + "\n"


def as_lines(table):
    return "\n".join(json.dumps(row) for row in table) + "\n"


def wide():
    return [
        {"doc": document, "seg": number, "source": f"{document} {number}"}
        | {system: f"{system} on {document} {number}" for system in SYSTEMS}
        for document, count in SEGMENTS.items()
        for number in range(1, count + 1)
    ]


def places_of(material):
    return {item.key: (item.factors["document"], item.factors["segment"]) for item in material}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("long.csv", as_csv(rows())),
        ("long.jsonl", as_lines(rows())),
        ("long.json", json.dumps(rows())),
        ("other-names.csv", as_csv(rows(document="doc_id", segment="seg_id", system="model"))),
        ("wide.csv", as_csv(wide())),
    ],
)
def test_two_columns_make_documents(tmp_path, name, text):
    with read(tmp_path, {name: text}) as material:
        found = places_of(material.items())
        assert set(found.values()) == {
            (document, str(number))
            for document, count in SEGMENTS.items()
            for number in range(1, count + 1)
        }
        assert all(key == f"{document}/{number}" for key, (document, number) in found.items())
        assert material.preview.n_outputs == 10
        (table,) = material.preview.tables
        assert {"document", "segment"} <= set(table.roles)


def test_an_item_column_names_the_segments(tmp_path):
    table = [row | {"item": f"{row['document'][0]}{row['segment']}"} for row in rows()]
    with read(tmp_path, {"outputs.csv": as_csv(table)}) as material:
        assert places_of(material.items())["n3"] == ("news", "3")


def test_numbers_may_run_through_all_documents(tmp_path):
    """Each document's segments are counted from 1, as the page shows them."""
    table = [row | {"segment": row["segment"] + 100} for row in rows()]
    with read(tmp_path, {"outputs.csv": as_csv(table)}) as material:
        assert set(places_of(material.items()).values()) >= {("news", "1"), ("news", "3")}


def test_documents_come_from_a_file_of_items(tmp_path):
    items = [
        {"item": f"{row['document']}{row['segment']}"}
        | {name: row[name] for name in ("document", "segment", "input")}
        for row in rows()
        if row["system"] == "Alder"
    ]
    outputs = [
        {"system": row["system"], "item": f"{row['document']}{row['segment']}"}
        | {"output": row["output"]}
        for row in rows()
    ]
    files = {"items.csv": as_csv(items), "outputs.csv": as_csv(outputs)}
    with read(tmp_path, files) as material:
        assert places_of(material.items())["letter2"] == ("letter", "2")


def test_other_columns_of_that_name_stay_factors(tmp_path):
    """Without numbered segments a document is a property of the item, as before."""
    table = [row | {"item": f"{row['document']}{row['segment']}"} for row in rows()]
    for row in table:
        del row["segment"]
    with read(tmp_path, {"outputs.csv": as_csv(table)}) as material:
        assert {tuple(item.factors.items()) for item in material.items()} == {
            (("document", "news"),),
            (("document", "letter"),),
        }


def broken(**changes):
    """The table with some cells of its first row (Alder, news, 3) changed."""
    first, *others = rows()
    return [first | changes, *others]


@pytest.mark.parametrize(
    ("table", "line", "column", "message"),
    [
        (broken(segment="three"), 2, "segment", "whole number"),
        (broken(segment="-1"), 2, "segment", "whole number"),
        (broken(document=" "), 2, "document", "no name"),
        (rows()[1:], 6, "output", "“Alder” has no output for segment 3 of document “news”"),
        ([row for row in rows() if row["segment"] != 2 or row["document"] != "news"], 2, "segment",
         "no segment 2"),
        ([row | {"item": f"{row['document']}{row['segment']}"} for row in rows()]
         + [rows()[0] | {"item": "another"}], 12, "segment", "already has a segment 3 (line 2)"),
        ([row | {"item": row["document"]} for row in rows()], 3, "segment",
         "is segment 3 of document “news” elsewhere"),
    ],
)  # fmt: skip
def test_faults_have_their_line_and_column(tmp_path, table, line, column, message):
    found = problems_of(tmp_path, {"outputs.csv": as_csv(table)})
    assert (line, column) in [place[-2:] for place in places(found)], [str(each) for each in found]
    assert any(message.replace("“Alder”", '"Alder"') in problem.message for problem in found)


def test_an_item_outside_every_document_is_refused(tmp_path):
    items = "item,document,segment,input\na,news,1,x\nb,news,2,y\n"
    other = "item,input\nc,z\n"
    outputs = "system,item,output\nAlder,a,A\nAlder,b,B\nAlder,c,C\n"
    files = {"items.csv": items, "more.csv": other, "outputs.csv": outputs}
    (problem,) = problems_of(tmp_path, files)
    assert (problem.file, problem.line, problem.column) == ("more.csv", 2, "document")


def test_a_document_needs_both_columns():
    with pytest.raises(InvalidColumns, match="which its segments"):
        columns_from_roles([("doc", "document"), ("text", "output")])
