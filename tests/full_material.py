"""Material for every preset in the size of its paper's experiment, which the package leaves out."""

from __future__ import annotations

import contextlib
import tarfile
import zipfile
from pathlib import Path

from rankme.demonstration.material import MATERIAL, Material

ARCHIVE = Path(__file__).parent / "data" / "full_material.tar.xz"
# The folder of a preset's files. What the others have is as large as that of the demonstration.
FOLDERS = {
    "direct-assessment": "lines",
    "e2e-coverage": "e2e",
    "e2e-elicitation": "places",
    "e2e-naturalness": "e2e",
    "e2e-quality": "e2e",
    "rotowire-facts": "games_by_sentence",
    "rotowire-ordering": "games_whole",
    "sr11-deep": "sentences_of_three",
    "sr11-shallow": "sentences",
    "tuna08-identification": "domains",
}


def full_material(preset: str, folder: Path) -> Material:
    """Unpack a preset's files into a folder."""
    small = MATERIAL[preset]
    if preset not in FOLDERS:
        return small
    paths: dict[Path, None] = {}
    zips: dict[Path, zipfile.ZipFile] = {}
    with tarfile.open(ARCHIVE) as archive, contextlib.ExitStack() as opened:
        for member in archive:
            place, name, *inside = member.name.split("/", 2)
            if place != FOLDERS[preset]:
                continue
            content = archive.extractfile(member).read()
            path = folder / name
            paths[path] = None
            if inside:  # of a zip
                if path not in zips:
                    made = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
                    zips[path] = opened.enter_context(made)
                zips[path].writestr(inside[0], content)
            else:
                path.write_bytes(content)
    return Material("e2e" if FOLDERS[preset] == "e2e" else small.format, tuple(paths))
