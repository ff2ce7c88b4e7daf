"""TUNA's XML with its pictures becomes items with an image field."""

import json
from pathlib import Path
from xml.etree import ElementTree
from zipfile import ZipFile

import pytest

from rankme.demonstration.material import MATERIAL
from rankme.importing import read_material
from rankme.importing.media import svg
from tests.importing.uploads import refusal, write_zip

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


def test_a_trial_becomes_an_item_with_its_pictures_in_their_places(tmp_path: Path) -> None:
    with read_material(write_zip(tmp_path / "tuna.zip", FILES)) as material:
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
    ("files", "message"),
    [
        ({"S/s1t1.xml": TRIAL.replace("fan.svg", "s1t1.xml")}, "is not among the files"),
        ({"images/fan.svg": SVG[:-2] + ' id="a"><use href="#a"/></svg>'}, "contains itself"),
    ],
)
def test_files_other_than_pictures_are_refused(
    tmp_path: Path, files: dict[str, str], message: str
) -> None:
    found = refusal(write_zip(tmp_path / "tuna.zip", FILES | files))
    assert message in found[0].message
