"""TUNA's XML with its pictures becomes items with an image field."""

import json
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree
from zipfile import ZipFile

import pytest

from rankme.demonstration.material import MATERIAL
from rankme.importing import FileProblem, ImportRefused, Material, read_material
from rankme.importing.media import svg
from tests.importing.uploads import write_zip

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 40
SVG = '<svg xmlns="http://www.w3.org/2000/svg"/>'
TRIAL = """<?xml version="1.0" encoding="UTF-8"?>
<TRIAL CONDITION="-LOC" ID="s1t1">
  <DOMAIN>
    <ENTITY ID="13" TYPE="target" IMAGE="Chair.png">
      <ATTRIBUTE NAME="type" VALUE="chair" />
      <ATTRIBUTE NAME="x-dimension" VALUE="2" />
      <ATTRIBUTE NAME="y-dimension" VALUE="3" />
    </ENTITY>
    <ENTITY ID="14" TYPE="distractor" IMAGE="fan.svg">
      <ATTRIBUTE NAME="type" VALUE="fan" />
      <ATTRIBUTE NAME="x-dimension" VALUE="1" />
      <ATTRIBUTE NAME="y-dimension" VALUE="1" />
    </ENTITY>
  </DOMAIN>
  <WORD-STRING>
    the red
    chair
  </WORD-STRING>
</TRIAL>
"""
FILES = {"S/s1t1.xml": TRIAL, "images/chair.png": PNG, "images/fan.svg": SVG}


def read(tmp_path: Path, files: Mapping[str, str | bytes]) -> Material:
    return read_material(write_zip(tmp_path / "tuna.zip", files))


def problems(tmp_path: Path, files: Mapping[str, str | bytes]) -> tuple[FileProblem, ...]:
    with pytest.raises(ImportRefused) as refused:
        read(tmp_path, files)
    return refused.value.problems


def test_a_trial_becomes_an_item_with_its_pictures_in_their_places(tmp_path: Path) -> None:
    with read(tmp_path, FILES) as material:
        [item] = material.items()
        [output] = material.outputs()
    document = json.loads(item.input)
    assert (item.key, item.factors) == ("s1t1", {"entity_type": "furniture", "condition": "-LOC"})
    assert (document["columns"], document["rows"], document["target"]) == (2, 3, "13")
    chair, fan = document["images"]
    assert chair["src"].startswith("data:image/png;base64,")
    assert (chair["x"], chair["y"], chair["attributes"]) == (2, 3, {"type": "chair"})
    assert fan["svg"] == svg.clean(SVG.encode()).decode()
    assert (output.system, output.text) == ("S", "the red chair")


def test_our_own_demonstration_domains_are_read_whole() -> None:
    [path] = MATERIAL["tuna08-identification"].paths
    with ZipFile(path) as archive:
        trials = {
            tuple(name.removesuffix(".xml").split("/")): ElementTree.fromstring(archive.read(name))
            for name in archive.namelist()
            if name.endswith(".xml")
        }
    with read_material(path) as material:
        assert material.preview.format == "tuna"
        assert material.preview.is_complete
        texts = {(row.system, row.item_key): row.text for row in material.outputs()}
        inputs = {item.key: json.loads(item.input) for item in material.items()}
        kinds = {item.key: item.factors["entity_type"] for item in material.items()}
    assert texts == {where: trial.findtext("WORD-STRING") for where, trial in trials.items()}
    assert len(texts) == 24 * 12
    for (_, domain), trial in trials.items():
        [target] = trial.findall(".//ENTITY[@TYPE='target']")
        assert inputs[domain]["target"] == target.get("ID")
        assert len(inputs[domain]["images"]) == 7
        assert kinds[domain] == trial.get("ENTITY_TYPE")


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ('TYPE="distractor"', 'TYPE="target"', "has 2 targets"),
        ('ID="14"', 'ID="13"', "without an ID of their own"),
        ("fan.svg", "lamp.svg", 'The picture "lamp.svg" is not among the files'),
        ("fan.svg", "s1t1.xml", "is not among the files"),
        (' ID="s1t1"', "", "no ID"),
        ("</DOMAIN>", "", "This is not XML"),
        ("<TRIAL ", '<!DOCTYPE a [<!ENTITY b "bb">]><TRIAL ', "must not define entities"),
    ],
)
def test_faulty_trials_are_refused(tmp_path: Path, right: str, wrong: str, message: str) -> None:
    found = problems(tmp_path, FILES | {"S/s1t1.xml": TRIAL.replace(right, wrong)})
    assert message in found[0].message
    assert found[0].file == "tuna.zip/S/s1t1.xml"


def test_systems_must_agree_on_a_domain(tmp_path: Path) -> None:
    other = TRIAL.replace('VALUE="3"', 'VALUE="2"')
    found = problems(tmp_path, FILES | {"T/s1t1.xml": other})
    assert "differs from the one in tuna.zip/S/s1t1.xml" in found[0].message


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"plain text", "not a picture in"),
        (b'<!DOCTYPE x [<!ENTITY y "z">]><svg/>', "must not define entities"),
        (SVG[:-2].encode() + b' id="a"><use href="#a"/></svg>', "contains itself"),
    ],
)
def test_files_other_than_pictures_are_refused(tmp_path: Path, content: bytes, said: str) -> None:
    found = problems(tmp_path, FILES | {"images/fan.svg": content})
    assert said in found[0].message
