"""Uploads for the tests, written by the tests."""

import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from rankme.importing import FileProblem, ImportRefused, Material, read_material

ITEMS = "item,input,reference,domain\na,INPUT A,REF A,x\nb,INPUT B,REF B,y\n"
OUTPUTS = "system,item,output\nS,a,S of a\nS,b,S of b\nT,a,T of a\nT,b,T of b\n"

Content = str | bytes


def write(folder: Path, files: Mapping[str, Content]) -> Path:
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        data = content.encode() if isinstance(content, str) else content
        (folder / name).write_bytes(data)
    return folder


def write_zip(path: Path, files: Mapping[str, Content]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def read(folder: Path, files: Mapping[str, Content], **options: object) -> Material:
    return read_material(write(folder, files), **options)  # type: ignore[arg-type]


def problems_of(
    folder: Path, files: Mapping[str, Content], **options: object
) -> tuple[FileProblem, ...]:
    return refusal(write(folder, files), **options)


def refusal(path: Path, **options: object) -> tuple[FileProblem, ...]:
    with pytest.raises(ImportRefused) as refused:
        read_material(path, **options)  # type: ignore[arg-type]
    return refused.value.problems


def places(problems: tuple[FileProblem, ...]) -> list[tuple[str, int | None, str]]:
    return [(problem.file, problem.line, problem.column) for problem in problems]
