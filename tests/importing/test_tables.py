"""Tables as people have them: any names of columns, any usual file, and what is made of them."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rankme.importing import ImportRefused, Material, Reading, columns_from_roles, read_material
from rankme.importing.tabular.headings import InvalidColumns
from tests.importing.uploads import places, problems_of, refusal, write, write_zip

if TYPE_CHECKING:  # it takes a second, and every process of a run imports the modules of tests
    import pandas as pd

PROMPTS = [f"Question {number}: what is left of it?" for number in range(30)]
SYSTEMS = ("gpt-large", "llama", "human")
MISSING = {("human", 0), ("human", 1)}


def long_table() -> pd.DataFrame:
    import pandas as pd

    rows = [
        {"model": system, "prompt": prompt, "response": f"{system} answers – “{number}”"}
        for system in SYSTEMS
        for number, prompt in enumerate(PROMPTS)
        if (system, number) not in MISSING
    ]
    return pd.DataFrame(rows)


def wide_table(prefix: str = "") -> pd.DataFrame:
    import pandas as pd

    rows = [
        {"id": number, "prompt": prompt}
        | {
            f"{prefix}{system}": (
                None if (system, number) in MISSING else f"{system} answers – “{number}”"
            )
            for system in SYSTEMS
        }
        for number, prompt in enumerate(PROMPTS)
    ]
    return pd.DataFrame(rows)


def with_own_names() -> pd.DataFrame:
    names = {"model": "system", "prompt": "input", "response": "output"}
    numbers = long_table()["prompt"].map({text: number for number, text in enumerate(PROMPTS)})
    return long_table().rename(columns=names).assign(item=numbers)


def as_bytes(write: Callable[[io.BytesIO], object]) -> bytes:
    file = io.BytesIO()
    write(file)
    return file.getvalue()


ORDINARY_FILES = {
    "excel.xlsx": lambda: as_bytes(lambda f: long_table().to_excel(f, index=False)),
    "own-names.xlsx": lambda: as_bytes(lambda f: with_own_names().to_excel(f, index=False)),
    "with-index.xlsx": lambda: as_bytes(lambda f: wide_table("output_").to_excel(f)),
    "comma.csv": lambda: long_table().to_csv(index=False).encode(),
    "pandas-index.csv": lambda: long_table().to_csv().encode(),
    "semicolon.csv": lambda: long_table().to_csv(index=False, sep=";").encode("utf-8-sig"),
    "bars.csv": lambda: long_table().to_csv(index=False, sep="|").encode(),
    "western.csv": lambda: long_table().to_csv(index=False).encode("cp1252"),
    "utf16.csv": lambda: long_table().to_csv(index=False, sep="\t").encode("utf-16"),
    "utf16-unmarked.tsv": lambda: long_table().to_csv(index=False, sep="\t").encode("utf-16-le"),
    "lines.jsonl": lambda: long_table().to_json(orient="records", lines=True).encode(),
    "array.json": lambda: long_table().to_json(orient="records", indent=2).encode(),
    "in-an-object.json": lambda: (
        b'{"data": ' + long_table().to_json(orient="records").encode() + b"}\n"
    ),
    "data.parquet": lambda: as_bytes(lambda f: long_table().to_parquet(f)),
    "data.feather": lambda: as_bytes(
        lambda f: long_table().to_feather(f, compression="uncompressed")
    ),
    "wide.csv": lambda: wide_table().to_csv(index=False).encode(),
    "wide-suffix.csv": lambda: (
        wide_table()
        .rename(columns={name: f"{name} response" for name in SYSTEMS})
        .to_csv()
        .encode()
    ),
}


@pytest.mark.parametrize("name", ORDINARY_FILES)
def test_ordinary_files_come_in_without_a_correction(tmp_path: Path, name: str) -> None:
    with read_one(tmp_path, name, ORDINARY_FILES[name]()) as material:
        preview = material.preview
        assert preview.format == "long"
        assert [system.name for system in preview.systems] == list(SYSTEMS)
        assert (preview.n_items, preview.n_outputs, preview.missing) == (30, 88, 2)
        assert [item.input for item in material.items()][:2] == PROMPTS[:2]
        assert {row.text for row in material.outputs()} >= {"llama answers – “7”"}


def test_a_note_names_another_encoding(tmp_path: Path) -> None:
    with read_one(tmp_path, "a.csv", ORDINARY_FILES["western.csv"]()) as material:
        assert any("Windows-1252" in note for note in material.preview.notes)


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1252", "Müller sagte: „Das ist schön“ – naïve façade, déjà vu"),
        ("cp1250", "Příliš žluťoučký kůň úpěl ďábelské ódy, včera večer přišel domů"),
        ("cp1251", "Съешь же ещё этих мягких французских булок"),
        ("cp932", "これは日本語の文章です。文字コードを調べます。"),
        ("gb18030", "这是一个中文句子，用于测试编码。"),
        ("cp949", "이것은 한국어 문장입니다. 그리고 시험입니다."),
        ("cp1256", "هذه جملة عربية طويلة للاختبار"),
    ],
)
def test_usual_encodings_are_found(tmp_path: Path, encoding: str, text: str) -> None:
    content = f'system,item,output\nS,a,"{text}"\n'.encode(encoding)
    with read_one(tmp_path, "a.csv", content) as material:
        assert [row.text for row in material.outputs()] == [text]


def test_the_encoding_can_be_given(tmp_path: Path) -> None:
    content = "system,item,output\nS,a,\u0161koda\n".encode("cp1250")
    with read_one(tmp_path, "a.csv", content, reading=Reading(encoding="cp1250")) as material:
        assert [row.text for row in material.outputs()] == ["škoda"]
    with pytest.raises(InvalidColumns):
        Reading(encoding="rot13")


def test_files_without_a_column_for_the_system_are_named_like_it(tmp_path: Path) -> None:
    files = {
        f"{system}.csv": "id,question,answer\n1,Why?,So\n2,How?,Thus\n" for system in ("A", "B")
    }
    with read_material(write(tmp_path / "up", files)) as material:
        assert [system.name for system in material.preview.systems] == ["A", "B"]
        assert [item.key for item in material.items()] == ["1", "2"]
        assert any("the file's name does" in note for note in material.preview.notes)


def test_columns_of_an_items_file_can_have_other_names(tmp_path: Path) -> None:
    files = {
        "answers.csv": "model,id,answer\nA,1,So\nA,2,Thus\n",
        "questions.csv": "id,question,level\n1,Why?,hard\n2,How?,easy\n",
    }
    with read_material(write(tmp_path / "up", files)) as material:
        items = list(material.items())
    assert [(item.key, item.input, item.factors) for item in items] == [
        ("1", "Why?", {"level": "hard"}),
        ("2", "How?", {"level": "easy"}),
    ]


def test_inputs_in_the_file_of_outputs_are_the_items(tmp_path: Path) -> None:
    content = "system,item,input,output,level\n" + "".join(
        f"{system},{item},Input {item},x,{'hard' if item % 2 else 'easy'}\n"
        for system in "AB"
        for item in range(4)
    )
    with read_one(tmp_path, "a.csv", content.encode()) as material:
        items = list(material.items())
    assert [item.input for item in items] == ["Input 0", "Input 1", "Input 2", "Input 3"]
    assert [item.factors for item in items[:2]] == [{"level": "easy"}, {"level": "hard"}]


def test_long_inputs_that_name_items_become_short_names(tmp_path: Path) -> None:
    import pandas as pd

    prompts = ["word " * 1_000 + end for end in ("one", "two")]
    content = pd.DataFrame(
        [{"model": m, "prompt": p, "response": "x"} for m in "AB" for p in prompts]
    ).to_csv(index=False)
    with read_one(tmp_path, "a.csv", content.encode()) as material:
        items = list(material.items())
    assert [item.input for item in items] == prompts
    assert len({item.key for item in items}) == 2
    assert all(len(item.key) < 250 for item in items)


def test_rows_without_a_name_are_numbered_within_their_system(tmp_path: Path) -> None:
    content = "model,response\n" + "".join(f"{m},{m} says {n}\n" for m in "AB" for n in range(3))
    with read_one(tmp_path, "a.csv", content.encode()) as material:
        assert [(row.system, row.item_key) for row in material.outputs()][2:4] == [
            ("A", "3"),
            ("B", "1"),
        ]


def test_the_organiser_corrects_what_a_column_is(tmp_path: Path) -> None:
    content = b"alpha,beta,gamma,delta\nx,1,first,9\ny,1,second,9\n"
    given = columns_from_roles(
        [("alpha", "system"), ("beta", "item"), ("gamma", "output"), ("delta", "leave out")]
    )
    with read_one(tmp_path, "a.csv", content, reading=Reading(columns=(given,))) as material:
        assert [(row.system, row.text) for row in material.outputs()] == [
            ("x", "first"),
            ("y", "second"),
        ]
        (table,) = material.preview.tables
    assert table.names == ("alpha", "beta", "gamma", "delta")
    assert table.roles == ("system", "item", "output", "leave out")
    assert table.rows == (("x", "1", "first", "9"), ("y", "1", "second", "9"))


def test_a_refused_table_still_shows_its_columns(tmp_path: Path) -> None:
    with pytest.raises(ImportRefused) as refused:
        read_one(tmp_path, "a.csv", b"alpha,beta\n1,2\n3,4\n")
    (table,) = refused.value.tables
    assert (table.names, table.roles) == (("alpha", "beta"), ("leave out", "leave out"))


@pytest.mark.parametrize(
    ("roles", "message"),
    [
        (["system", "system", "output"], "Two columns are the system"),
        (["system", "output", "output"], "cannot name it too"),
        (["system", "leave out", "leave out"], "names the items"),
        (["boss", "item", "output"], "no role"),
    ],
)
def test_columns_that_make_no_sense_are_refused(roles: list[str], message: str) -> None:
    with pytest.raises(InvalidColumns, match=message):
        columns_from_roles(list(zip("abc", roles, strict=True)))


# --- files ---


def test_only_one_sheet_of_a_workbook_is_read_and_the_others_are_named(tmp_path: Path) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    book.active.title = "Empty"
    book.create_sheet("Data").append(["system", "item", "output"])
    book["Data"].append(["A", 1, "x"])
    book.create_sheet("Notes").append(["nothing"])
    path = tmp_path / "a.xlsx"
    book.save(path)
    with read_material(path) as material:
        assert [row.item_key for row in material.outputs()] == ["1"]
        assert any("Not read: Notes" in note for note in material.preview.notes)
    book["Data"].append(["A", 1, "again"])
    book.save(path)
    (problem,) = refusal(path)
    assert (problem.file, problem.line) == ("a.xlsx, sheet Data", 3)


@pytest.mark.parametrize("saved", ["01:08:00", "01:11:34", "01:15:58", "01:16:00", "01:23:58"])
def test_a_workbook_is_not_taken_for_a_text_by_the_time_in_it(tmp_path: Path, saved: str) -> None:
    """Its archive begins with the time: at the first of these a tab, at others a line end."""
    hours, minutes, seconds = map(int, saved.split(":"))
    packed_time = hours << 11 | minutes << 5 | seconds // 2
    content = bytearray(ORDINARY_FILES["excel.xlsx"]())
    content[10:12] = packed_time.to_bytes(2, "little")
    with read_one(tmp_path, "a.xlsx", bytes(content)) as material:
        assert material.preview.format == "long"


def test_a_formula_counts_as_its_last_value_and_is_never_run(tmp_path: Path) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    book.active.append(["system", "item", "output"])
    book.active.append(["A", "i", "=1+1"])
    path = tmp_path / "a.xlsx"
    book.save(path)
    with read_material(path) as material:
        assert [row.text for row in material.outputs()] == [""], "nobody had it computed yet"


def test_numbers_dates_and_empty_cells_of_a_workbook_become_their_texts(tmp_path: Path) -> None:
    import pandas as pd

    frame = pd.DataFrame(
        {
            "system": ["A", "A", "B"],
            "item": [1, 2, 1],
            "output": [1.5, None, pd.Timestamp("2026-01-02")],
        }
    )
    content = as_bytes(lambda file: frame.to_excel(file, index=False))
    with read_one(tmp_path, "a.xlsx", content) as material:
        assert [row.text for row in material.outputs()] == ["1.5", "", "2026-01-02"]


def test_opendocument_sheets_are_read(tmp_path: Path) -> None:
    with read_material(write_zip(tmp_path / "a.ods", opendocument())) as material:
        assert [(row.system, row.text) for row in material.outputs()] == [("A", "x"), ("B", "y")]


def test_a_workbook_in_a_zip_is_read(tmp_path: Path) -> None:
    content = ORDINARY_FILES["excel.xlsx"]()
    with read_material(write_zip(tmp_path / "up.zip", {"in/a.xlsx": content})) as material:
        assert material.preview.n_outputs == 88


def test_a_workbook_that_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    from rankme.importing.limits import Limits

    path = tmp_path / "a.xlsx"
    path.write_bytes(ORDINARY_FILES["excel.xlsx"]())
    with pytest.raises(ImportRefused, match="too large"):
        read_material(path, limits=Limits(workbook_bytes=1_000))


def test_a_folder_of_hugging_face_needs_no_tidying(tmp_path: Path) -> None:
    files = {
        "data/train-00000-of-00001.parquet": ORDINARY_FILES["data.parquet"](),
        "dataset_info.json": b'{"features": {"model": 1}}',
        "README.md": b"---\nlicense: mit\n---\n# Data, and more\n",
    }
    with read_material(write_zip(tmp_path / "set.zip", files)) as material:
        assert material.preview.n_outputs == 88


def test_a_fault_in_an_array_has_its_line(tmp_path: Path) -> None:
    rows = [{"model": "A", "prompt": f"p{n}", "response": "x"} for n in range(3)]
    text = "[\n" + ",\n".join(map(json.dumps, rows)) + ",\n{oops}\n]"
    assert places(problems_of(tmp_path / "up", {"a.json": text})) == [("a.json", 5, "")]


def test_a_damaged_parquet_file_is_refused_in_words(tmp_path: Path) -> None:
    content = ORDINARY_FILES["data.parquet"]()
    found = problems_of(tmp_path / "up", {"a.parquet": content[:500] + content[600:]})
    assert found[0].file == "a.parquet"


def test_a_plain_text_with_commas_is_not_a_table(tmp_path: Path) -> None:
    text = "One, two\nThree, four\nFive, six\n"
    assert "not recognised" in problems_of(tmp_path / "up", {"system.txt": text})[0].message


def read_one(folder: Path, name: str, content: bytes, **options: object) -> Material:
    path = folder / name
    path.write_bytes(content)
    return read_material(path, **options)  # type: ignore[arg-type]


def opendocument() -> dict[str, str | bytes]:
    rows = [("system", "item", "output"), ("A", "1", "x"), ("B", "1", "y")]
    cells = "".join(
        "<table:table-row>"
        + "".join(
            f'<table:table-cell office:value-type="string"><text:p>{cell}</text:p>'
            "</table:table-cell>"
            for cell in row
        )
        + "</table:table-row>"
        for row in rows
    )
    names = "".join(
        f' xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for name in ("office", "table", "text", "manifest")
    )
    return {
        "mimetype": "application/vnd.oasis.opendocument.spreadsheet",
        "META-INF/manifest.xml": f"<manifest:manifest{names}><manifest:file-entry "
        'manifest:full-path="/" manifest:media-type='
        '"application/vnd.oasis.opendocument.spreadsheet"/></manifest:manifest>',
        "content.xml": f"<office:document-content{names}><office:body><office:spreadsheet>"
        f'<table:table table:name="S">{cells}</table:table></office:spreadsheet></office:body>'
        "</office:document-content>",
    }


def test_a_description_is_used_for_the_file_that_it_fits_best(tmp_path: Path) -> None:
    files = {"a.csv": "key,text\n1,Why?\n", "b.csv": "key,text,who\n1,Because.,A\n"}
    items = columns_from_roles([("key", "item"), ("text", "input")])
    outputs = columns_from_roles([("key", "item"), ("text", "output"), ("who", "system")])
    for described in ((items, outputs), (outputs, items)):
        folder = write(tmp_path / "upload", files)
        with read_material(folder, reading=Reading(described)) as material:
            assert [item.input for item in material.items()] == ["Why?"]
            assert [row.text for row in material.outputs()] == ["Because."]
