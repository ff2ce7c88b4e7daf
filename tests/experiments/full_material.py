"""Material for every preset in the size of its paper's experiment, which the package leaves out."""

import contextlib
import tarfile
import zipfile
from functools import cache
from pathlib import Path

from rankme.demonstration.material import MATERIAL, Material

ARCHIVE = Path(__file__).parents[1] / "data" / "full_material.tar.xz"
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
    with contextlib.ExitStack() as opened:
        for name, content in files_of(FOLDERS[preset]):
            name, *inside = name.split("/", 1)
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


def files_of(folder: str) -> list[tuple[str, bytes]]:
    """The files of a folder of the archive, by their paths in it."""
    within = f"{folder}/"
    return [
        (name.removeprefix(within), content)
        for name, content in everything()
        if name.startswith(within)
    ]


@cache
def everything() -> list[tuple[str, bytes]]:
    """What is in the archive, 8 MB: unpacked once for all presets."""
    with tarfile.open(ARCHIVE) as archive:
        return [(member.name, archive.extractfile(member).read()) for member in archive]
