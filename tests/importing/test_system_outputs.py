"""The file of one system: lines, tables and XML give the same texts, and faults are refused."""

import pytest

from rankme.importing import ImportRefused
from rankme.importing.system_outputs import Outputs, read_system_outputs

XML = (
    '<dataset id="d"><doc id="1"><src><p><seg id="1">in</seg></p></src><hyp system="Owls">'
    '<p><seg id="1">One &amp; all</seg></p><p><seg id="2">Two</seg></p></hyp></doc></dataset>'
)


def read(folder, label: str, content: str, keys=("a", "b")) -> list[str]:
    path = folder / "0"
    path.write_bytes(content.encode())
    return read_system_outputs(Outputs(path, label), keys)


@pytest.mark.parametrize(
    ("label", "content"),
    [
        ("Owls.txt", "One & all\nTwo\n"),
        ("Owls.txt", "\ufeffOne & all\r\nTwo"),
        ("Owls.xml", XML),
        ("Owls.csv", "item,system,output\nb,Owls,Two\na,Owls,One & all\n"),
    ],
)
def test_formats_give_the_same_texts(tmp_path, label: str, content: str):
    assert read(tmp_path, label, content) == ["One & all", "Two"]


@pytest.mark.parametrize(
    ("label", "content", "message"),
    [
        ("a.txt", "One\n", "has 1 outputs, but the track has 2"),
        ("a.xml", XML.replace("</hyp>", "</hyp><hyp/>"), "several systems"),
        ("a.xml", "<dataset>", "damaged"),
        ("a.xml", '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "entities"),
        ("a.csv", "item,system,output\na,Owls,One\n", 'no output for item "b"'),
        ("a.csv", "item,system,output\na,O,1\nb,O,2\nc,O,3\n", 'no item "c"'),
        ("a.csv", "item,system,output\na,O,1\nb,P,2\n", "several systems|output for"),
    ],
)
def test_faults_are_refused(tmp_path, label: str, content: str, message: str):
    with pytest.raises(ImportRefused, match=message):
        read(tmp_path, label, content)


@pytest.mark.parametrize("system", ["", "Owls,"])
def test_an_item_that_is_there_twice_is_named_with_both_lines(tmp_path, system: str):
    """Keys that are numbers are those of rows that are numbered, so nothing else would show it."""
    names = ("1", "2", "2")
    rows = "".join(f"{system}{name},Text {row}\n" for row, name in enumerate(names))
    head = f"{'system,' if system else ''}item,output\n"
    path = tmp_path / "0"
    path.write_text(head + rows)
    with pytest.raises(ImportRefused) as refused:
        read_system_outputs(Outputs(path, "a.csv"), ["1", "2", "3"])
    (problem,) = refused.value.problems
    assert (
        problem.line == 4 and "already has an output for this item (on line 3)" in problem.message
    )


def test_a_file_in_another_encoding_is_refused(tmp_path):
    path = tmp_path / "0"
    path.write_bytes("Café\n".encode("latin-1"))
    with pytest.raises(ImportRefused, match="not UTF-8"):
        read_system_outputs(Outputs(path, "a.txt"), ["a"])
