"""Every tool's form of error spans is read and written, and nothing is lost on the way."""

import contextlib
import csv
import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.errors import TableError
from analysis.spans.files import READERS, WRITERS, form_of, read_spans, read_text, write_spans
from analysis.spans.model import Mark, MarkedOutput, SpanTable
from analysis.spans.own import fingerprint
from tests.analysis.marked import TEXTS, every_kind, everything, mark


def by_key(table: SpanTable) -> dict:
    return {each.key: each for each in table.outputs}


def through(table: SpanTable, form: str, folder) -> SpanTable:
    """What is read back after writing; the content says which form it is."""
    paths = write_spans(table, form, folder / "x.seg.rating")
    assert {form_of(path.read_text("utf-8")) for path in paths} == {form.partition("-")[0]}
    return read_spans(*paths)


@pytest.mark.parametrize("form", WRITERS)
def test_nothing_is_lost(form, tmp_path):
    table = everything()
    assert by_key(through(table, form, tmp_path)) == by_key(table)


@pytest.mark.parametrize("form", WRITERS)
@pytest.mark.parametrize("name", TEXTS)
def test_every_mark_of_one_character_comes_back(form, name, tmp_path):
    """Each tool's unit and rule for ends, at every place of every text."""
    text = TEXTS[name]
    marks = tuple(mark(text, place, place + 1) for place in range(len(text)))
    table = SpanTable((MarkedOutput("r", "s", "1", marks, text),))
    assert through(table, form, tmp_path).outputs == table.outputs


LETTERS = st.sampled_from("ab \t\r\n\\<v>/'\"=é\u0301👍\u200d🏽กำب\u2028\0")


@st.composite
def marked_outputs(draw) -> MarkedOutput:
    text = "".join(draw(st.lists(LETTERS, min_size=1, max_size=12)))
    places = st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))
    marks = tuple(
        mark(text, *sorted(place), category=draw(st.sampled_from(["", "A/B", "C"])))
        for place in draw(st.lists(places, max_size=4))
    )
    return MarkedOutput("r", "s", "1", marks, text, score=draw(st.none() | st.floats(0, 100)))


@pytest.mark.parametrize("form", WRITERS)
@settings(max_examples=60, deadline=None)
@given(each=marked_outputs())
def test_any_text_comes_back(form, each):
    written = WRITERS[form](SpanTable((each,)))
    content = written if isinstance(written, str) else written[0]
    assert read_text(content).outputs == (each,)


def test_a_chain_of_forms_loses_nothing(tmp_path):
    table = everything()
    carried = table
    for form in ("json", "google", "pearmut", "csv", "mtme", "factgenie", "mtme-standalone"):
        carried = through(carried, form, tmp_path)
    assert {key: each.marks for key, each in by_key(carried).items()} == {
        key: each.marks for key, each in by_key(table).items()
    }


@pytest.mark.parametrize("form", [form for form in WRITERS if form not in ("mtme", "json", "csv")])
def test_a_form_with_texts_needs_them(form):
    table = SpanTable((MarkedOutput("r", "s", "1", (Mark(0, 3, severity="minor"),)),))
    with pytest.raises(TableError, match=r"System s, item 1: the text is not known"):
        WRITERS[form](table)


# --- each tool's own files -------------------------------------------------------------------

WALKED = "The dog walked home 👍 today."
PLACE = (8, 14)


def google(target: str, *cells: str) -> str:
    names = ["system", "doc", "doc_id", "seg_id", "rater", "source", "target"]
    names += ["category", "severity", "comment"]
    row = ["s", "d", "1", "1", "r", "Der Hund", target, "Style/Awkward", "Minor", "", *cells]
    return "\t".join(names) + "\n" + "\t".join(row) + "\n"


def pearmut(start: int, end: int, text: str = WALKED) -> str:
    span = {"start_i": start, "end_i": end, "severity": "minor", "category": None}
    item = {"item_id": "1", "src": "Der Hund", "tgt": {"s": text}}
    annotation = [{"s": {"score": 70, "error_spans": [span], "textfield": None}}]
    entry = {"annotation": annotation, "item": [item], "user_id": "r", "item_i": 0}
    return json.dumps(entry)


def factgenie(start: int, text: str, output: str | None = WALKED) -> str:
    record = {
        "annotations": [{"type": 1, "text": text, "start": start, "reason": "why"}],
        "flags": [{"label": "fully correct", "value": False}],
        "metadata": {
            "annotator_id": "r",
            "annotation_span_categories": [
                {"name": "Incorrect", "color": "red"},
                {"name": "Misleading", "color": "blue"},
            ],
        },
        "dataset": "dogs",
        "split": "test",
        "setup_id": "s",
        "example_idx": 7,
    }
    return json.dumps(record | ({} if output is None else {"output": output}))


def mtme(start: int, end: int) -> str:
    error = {
        "start": start,
        "end": end,
        "category": "Style/Awkward",
        "severity": "minor",
        "score": 1.0,
        "is_source_error": False,
    }
    return f"s\tNone\ns\t{json.dumps({'errors': [error]})}\tr\n"


def only_mark(content: str) -> Mark:
    (each,) = read_text(content).outputs
    assert (each.rater, each.system) == ("r", "s")
    (found,) = each.marks
    return found


def test_pearmut_ends_are_inclusive():
    found = only_mark(pearmut(8, 13))
    assert (found.start, found.end, found.text) == (8, 14, "walked")


def test_pearmut_counts_utf16_units_without_line_feeds():
    found = only_mark(pearmut(23, 27))
    assert (found.start, found.end, found.text) == (22, 27, "today")
    assert only_mark(pearmut(20, 21)).text == only_mark(pearmut(20, 20)).text == "👍"
    assert only_mark(pearmut(2, 3, "a\nb\ncd")).text == "cd"
    assert only_mark(pearmut(2, 3, "a\r\nbc")).text == "bc"


def test_pearmut_marks_what_is_missing_after_the_last_character():
    missing = only_mark(pearmut(29, 29))
    assert missing.missing and missing.start is None
    assert only_mark(pearmut(30, 30)).extra == {"token": 1}
    with pytest.raises(TableError, match=r"end_i: there is no mark from 28 to 29 in 29"):
        read_text(pearmut(28, 29))


def test_mtme_ends_are_exclusive_code_points():
    found = only_mark(mtme(22, 27))
    assert (found.start, found.end) == (22, 27)
    standalone = {
        "source": "Der Hund",
        "hypothesis": WALKED,
        "errors": [{"start": 22, "end": 27, "severity": "minor", "is_source_error": False}],
        "segment_id": 1,
        "system_id": "s",
        "rater_id": "r",
    }
    assert only_mark(json.dumps(standalone)).text == "today"


def test_lines_of_a_rating_file_are_segments():
    table = read_text(mtme(8, 14) + 't\t{"errors": []}\n')
    assert [each.key for each in table.outputs] == [("r", "s", "2"), ("rater", "t", "1")]
    assert table.outputs[0].output is None


def test_factgenie_ends_follow_from_the_text():
    found = only_mark(factgenie(8, "walked"))
    assert (found.start, found.end, found.category, found.note) == (8, 14, "Misleading", "why")


def test_factgenie_starts_are_of_browsers_or_of_python():
    assert (only_mark(factgenie(23, "today"))).start == 22
    assert (only_mark(factgenie(22, "today"))).start == 22
    with pytest.raises(TableError, match="the text from 21 to 26 is ' toda', but the mark says"):
        read_text(factgenie(21, "today"))
    old = only_mark(factgenie(23, "today", output=None))
    assert (old.start, old.end) == (23, 28)


def test_google_marks_are_between_tags():
    found = only_mark(google("The dog <v>walked</v> home."))
    assert (found.start, found.end, found.text) == (*PLACE, "walked")
    assert only_mark(google("The dog <v></v>walked home.")).length == 0
    assert only_mark(google("The dog walked home.")).start is None


def test_a_google_tag_that_is_never_closed_marks_the_rest():
    table = read_text(google("The dog <v>walked"))
    assert table.outputs[0].marks[0].text == "walked"
    assert table.notes == ("A <v> without </v> marks the rest of its text (line 2).",)


def test_two_places_of_one_google_row_are_one_error():
    table = read_text(google("<v>The</v> dog <v>walked</v>."))
    first, second = table.outputs[0].marks
    assert (first.text, second.text, second.continues) == ("The", "walked", True)
    assert table.marks == 1


def test_foreign_content_comes_back_through_its_own_form(tmp_path):
    for form, content in (
        ("pearmut", pearmut(20, 21)),
        ("factgenie", factgenie(23, "today")),
        ("google", google("The dog <v>walked</v>.").replace("\t\n", "\tsome remark\n")),
        ("mtme", mtme(8, 14)),
    ):
        table = read_text(content)
        assert table.form == form
        assert through(table, form, tmp_path).outputs == table.outputs
    assert table.outputs[0].marks[0].extra == {"score": 1.0}


def test_pearmut_keeps_the_newest_answer_and_no_practice():
    first, later = json.loads(pearmut(8, 13)), json.loads(pearmut(4, 6))
    other = {**first, "user_id": "q"}
    practice = {**first, "item_i": "welcome_0"}
    table = read_text("\n".join(map(json.dumps, [first, other, later, practice])))
    assert [(each.rater, each.marks[0].text) for each in table.outputs] == [
        ("r", "dog"),
        ("q", "walked"),
    ]
    assert len(table.notes) == 2
    reset = {"user_id": "q", "annotation": "RESET", "item_i": 0}
    table = read_text(json.dumps({"campaign": [first, other, reset]}))
    assert [each.rater for each in table.outputs] == ["r"]


def test_pearmut_says_when_a_span_was_marked():
    entry = json.loads(pearmut(8, 13))
    action = {"action": "create_span", "index": 0, "model": "s", "start_i": 8, "end_i": 13}
    entry["actions"] = [{"time": 5.5, "action": "load"}, {**action, "time": 7.25}]
    table = read_text(json.dumps(entry))
    assert table.outputs[0].marks[0].time == "7.25"
    again = read_text(WRITERS["pearmut"](table))
    assert again.outputs == table.outputs
    written = json.loads(WRITERS["pearmut"](table))
    assert sorted(written["actions"], key=lambda each: each["time"]) == entry["actions"]


# --- Appraise ---------------------------------------------------------------------------------


def appraise(item=17, marks=(), score=80, end=9.0, **other) -> str:
    """A row as `ExportSystemScoresToCSV` writes it; it has no headings."""
    row = {
        "rater": "engdeu01", "system": "A", "item": item, "type": "TGT", "source": "eng",
        "target": "deu", "score": score, "document": "news.1", "whole": False,
        "marks": json.dumps(list(marks)), "start": 1.0, "end": end,
    } | other  # fmt: skip
    file = io.StringIO()
    csv.writer(file).writerow(row.values())
    return file.getvalue()


def appraise_mark(start, end, severity="minor", **other) -> dict:
    return {"start_i": start, "end_i": end, "severity": severity, "error_type": None} | other


def test_appraise_ends_are_inclusive_and_items_have_their_languages_and_document():
    (found,) = read_text(appraise(marks=[appraise_mark(8, 13)])).outputs
    assert (found.rater, found.system, found.item) == ("engdeu01", "A", "eng-deu/news.1/17")
    assert (found.document, found.score, found.output) == ("news.1", 80.0, None)
    assert found.marks == (Mark(8, 14, severity="minor"),)


def test_appraise_marks_what_is_missing_and_names_kinds_of_errors():
    missing = appraise_mark("missing", "missing", "major", error_type=["Accuracy", "Omission"])
    (found,) = read_text(appraise(marks=[missing])).outputs
    (only,) = found.marks
    assert (only.start, only.end, only.missing) == (None, None, True)
    assert (only.severity, only.category) == ("major", "Accuracy/Omission")


def test_appraise_checks_tutorials_and_fillers_are_left_out():
    rows = [
        appraise(marks=[appraise_mark(0, 3)]),
        appraise(18, type="BAD", document="news.1#bad4"),
        appraise(19, whole=True),
        appraise(1000001, system="ende-tutorial1", document="ende-tutorial1"),
        appraise(17, document="news.1#dup"),
        appraise(20, document="news.2#incomplete"),
    ]
    table = read_text("".join(rows))
    assert [each.item for each in table.outputs] == ["eng-deu/news.1/17"]
    assert table.notes[0].startswith("Rows left out: 5 (")


def test_appraise_keeps_a_later_answer_wherever_its_row_is():
    rows = [appraise(score=70, end=20.0), appraise(score=50, end=10.0)]
    for order in (rows, rows[::-1]):
        table = read_text("".join(order))
        assert [each.score for each in table.outputs] == [70.0]
        assert table.notes == ("Answers replaced by a later one of the same rater: 1.",)


def test_appraise_segments_of_two_documents_or_languages_are_different_items():
    rows = [appraise(), appraise(target="ces"), appraise(document="news.2", target="ces")]
    table = read_text("".join(rows))
    names = [each.item for each in table.outputs]
    assert names == ["eng-deu/news.1/17", "eng-ces/news.1/17", "eng-ces/news.2/17"]
    assert [each.extra["languages"] for each in table.outputs] == ["eng-deu", "eng-ces", "eng-ces"]


def test_appraise_marks_without_a_severity_do_not_count():
    table = read_text(appraise(marks=[appraise_mark(0, 3, "undecided"), appraise_mark(5, 6)]))
    assert [mark.start for mark in table.outputs[0].marks] == [5]
    assert table.notes == ("Marks left out for want of a severity, as Appraise does: 1.",)


def test_appraise_has_no_scores_where_raters_gave_none():
    rows = [appraise(score=0, marks=[appraise_mark(0, 3)]), appraise(18, score=0)]
    assert {each.score for each in read_text("".join(rows)).outputs} == {None}
    assert [each.score for each in read_text(rows[0] + appraise(18)).outputs] == [0.0, 80.0]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (appraise(marks=[appraise_mark(5, 2)]), "Line 2, marks[0], end_i: there is no mark"),
        (appraise(marks=[appraise_mark("x", 2)]), "Line 2, marks[0], start_i: 'x' is not a whole"),
        (appraise(marks=["x"]), "Line 2, marks[0]: 'x' is not an object"),
        (appraise(marks=[appraise_mark(0, 2, error_type=5)]), "error_type: '5' is not a list"),
        (appraise(score="high"), "Line 2, score: 'high' is not a finite number"),
        (appraise(system=" "), "Line 2, system: the name is empty"),
        ("engdeu01,A,17\r\n", "Line 2: 3 cells, not 12 or 14"),
        (appraise().replace("[]", "[1"), "Line 2, column 3: this is not JSON"),
    ],
)
def test_a_wrong_row_of_appraise_is_refused_with_its_line(row, problem):
    with pytest.raises(TableError) as refused:
        read_text(appraise(1) + row)
    assert problem in str(refused.value)


def test_several_raters_of_a_segment_need_several_rating_files(tmp_path):
    paths = write_spans(everything(), "mtme", tmp_path / "en-de.seg.rating")
    assert [path.name for path in paths] == ["en-de.1.seg.rating", "en-de.2.seg.rating"]
    lines = paths[0].read_text().splitlines()
    assert len(lines) == len(TEXTS) ** 2
    assert lines[1] == "system arabic\tNone"


# --- what is wrong ---------------------------------------------------------------------------

OURS = {"rater": "r", "system": "s", "item": "1", "output": WALKED, "marks": []}


def ours(**parts: object) -> str:
    return json.dumps(OURS | parts)


def with_mark(**parts: object) -> str:
    return ours(marks=[{"start": 8, "end": 14, "text": "walked", "severity": "minor", **parts}])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "Line 1: this is in none of the forms"),
        ("a,b\n1,2\n", "Line 1: this is in none of the forms"),
        ('{"a": 1}', "Line 1: this is in none of the forms"),
        ("[]", "none of the forms"),
        ('{"marks": [}', "Line 1, column 12: this is not JSON"),
        (ours() + "\n{,}", "Line 2, column 2: this is not JSON"),
        (ours() + "\n" + ours(), "Line 2: rater 'r' judges system 's' on item '1' again, as in l"),
        (ours(rater=""), "Line 1, rater: the name is empty"),
        (ours(system=None), "Line 1, system: this is missing"),
        (ours(score="good"), "Line 1, score: 'good' is not a number"),
        (ours(sha256="0" * 64), "Line 1, sha256: the output is not the one that was marked"),
        (ours(marks={}), "Line 1, marks: '{}' is not a list"),
        (with_mark(start=7), r"Line 1, marks\[0\], start: the text from 7 to 14 is ' walked'"),
        (with_mark(end=99), r"marks\[0\], start: the mark ends at 99, but the text has 28"),
        (with_mark(start=-1), "cannot be from -1 to 14"),
        (with_mark(end=None), "both a start and an end, or neither"),
        (with_mark(start="8"), "start: '8' is not a whole number"),
        (with_mark(start=True), "start: 'True' is not a whole number"),
        (with_mark(side="top"), "side: 'top' is neither output nor source"),
        (with_mark(start=10**30), "is too large"),
        (ours(output="\ud83d"), "Line 1: a text has half a character"),
        ('{"marks": ' + "[" * 100_000, "nested too deeply"),
        ('{"marks": [], "score": NaN}', "NaN is not a number"),
        ('{"marks": [], "score": 1e999}', "1e999 is too large"),
        (ours(extra={"a": ["\ud800"]}), "Line 1: a text has half a character"),
        ("rater,system,item,start,end,extra\nr,s,1,0,1,[\n", "Line 2, extra: this is not a JSON"),
        ("rater,system,item,start,end,extra\nr,s,1,0,1,NaN\n", "not a JSON object"),
        ("system\tdoc\ttarget\tseverity\nx\n", "Line 1: there is no column seg_id or globalSegId"),
        (google("a <v>b</v> c</v>"), "Line 2, target: </v> without <v> at character 5"),
        (google("a <v>b <v>c</v>"), "Line 2, target: <v> within <v> at character 4"),
        (google("a", "surplus"), "Line 2: 11 cells, but the header has 10"),
        (google("a") + google("b").split("\n")[1], "Line 3, target: the text 'b' is not that of l"),
        ("s\tNone\t\t\tx\n", "Line 1: 5 cells, not a system, a rating and a rater"),
        ('s\t{"errors": [\t', "Line 1, column 13: this is not JSON"),
        ("rater,system,item,start\nr,s,1,0\n", "none of the forms"),
        ("rater,system,start,end\nr,s,0,1\n", "Line 1: missing column: item"),
        ("rater,system,item,start,end\nr,s,1,x,3\n", "Line 2, start: 'x' is not a whole number"),
        ("rater,system,item,start,end\nr,s,1\n", "Line 2: the row has not as many cells"),
        ("rater,system,item,start,end\n,s,1,0,3\n", "Line 2, rater: this is missing"),
        (
            'rater,system,item,start,end,output\nr,s,1,0,3,"a\nb c"\nr,s,1,0,9,"a\nb c"\n',
            "Line 4, start: the mark ends at 9, but the text has 5",
        ),
        (
            "rater,system,item,start,end,output\nr,s,1,0,1,abc\nr,s,1,0,1,abd\n",
            "Line 3, output: 'abd' is not what line 2 says: 'abc'",
        ),
        ("rater,system,item,start,end\n", "no marked output"),
    ],
)
def test_unreadable_input_is_refused_with_its_place(content, message):
    with pytest.raises(TableError, match=message):
        read_text(content)


def test_all_faults_are_said_up_to_a_bound():
    rows = "".join(f"r,s,{number},x,y\n" for number in range(5_000))
    with pytest.raises(TableError) as refusal:
        read_text(f"rater,system,item,start,end\n{rows}")
    assert len(refusal.value.problems) == 1000
    assert len(str(refusal.value).splitlines()) == 21


@pytest.mark.parametrize("form", READERS)
@settings(max_examples=40, deadline=None)
@given(content=st.text(max_size=80) | st.text(alphabet='{}[]":,\t\n<v>/1e\\nul', max_size=80))
def test_no_content_breaks_a_reader(form, content):
    with contextlib.suppress(TableError):
        read_text(content, form)


@settings(max_examples=150, deadline=None)
@given(data=st.data(), form=st.sampled_from(sorted(WRITERS)))
def test_a_damaged_file_is_read_or_refused(data, form):
    text = TEXTS["emoji"]
    written = WRITERS[form](SpanTable((MarkedOutput("r", "s", "1", every_kind(text), text),)))
    content = written if isinstance(written, str) else written[0]
    place = data.draw(st.integers(0, len(content) - 1))
    letter = data.draw(st.sampled_from([*'{}[]":,\t\n<9x-\\ ', ""]))
    with contextlib.suppress(TableError):
        table = read_text(content[:place] + letter + content[place + 1 :])
        assert fingerprint(table)
        for write in WRITERS.values():
            with contextlib.suppress(TableError):
                write(table)


def test_text_that_is_not_utf8_is_refused_with_its_place(tmp_path):
    (tmp_path / "x.tsv").write_bytes(b"system\ttarget\nab\xffc\n")
    with pytest.raises(TableError, match="Line 2, byte 3: this is not UTF-8"):
        read_spans(tmp_path / "x.tsv")
    with pytest.raises(TableError, match="Cannot read"):
        read_spans(tmp_path / "y.tsv")


def test_files_are_read_together_unless_they_judge_the_same(tmp_path):
    (tmp_path / "1.json").write_text(ours())
    (tmp_path / "2.json").write_text(ours(rater="q"))
    table = read_spans(tmp_path / "1.json", tmp_path / "2.json")
    assert [each.rater for each in table.outputs] == ["r", "q"]
    with pytest.raises(TableError, match="File 2: rater 'r' judges system 's' on item '1' again"):
        read_spans(tmp_path / "1.json", tmp_path / "1.json")
