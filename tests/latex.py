"""Checks of LaTeX: with a TeX where there is one, and what can be seen without one."""

import re
import shutil
import subprocess

import pytest

from tests.live import PATIENCE


def compiled(engine: str, text: str, folder) -> str:
    """Compile a document and return the log, in which every error is one of TeX's lines."""
    if shutil.which(engine) is None:
        pytest.skip(f"NO {engine} HERE: that the LaTeX of reports compiles is not tested "
                    "(apt install texlive-latex-recommended).")  # fmt: skip
    (folder / "report.tex").write_text(text, encoding="utf-8")
    command = [engine, "-interaction=nonstopmode", "-halt-on-error", "report.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=PATIENCE)
    log = (folder / "report.log").read_text(encoding="utf-8", errors="replace")
    assert done.returncode == 0, log[-1500:]
    assert (folder / "report.pdf").read_bytes().startswith(b"%PDF")
    return log


def assert_well_formed(text: str) -> None:
    """What LaTeX would refuse, without LaTeX: cells, braces, environments, special characters."""
    table = "\n".join(line for line in text.split("\n") if not line.startswith("%"))
    (name,) = re.findall(r"\\begin\{(\w+)\}", table)
    assert table.count(rf"\end{{{name}}}") == 1
    assert table.count(r"\toprule") == table.count(r"\bottomrule") == 1
    bare = re.sub(r"\\[\\{}&%$#_]", "", table)
    assert bare.count("{") == bare.count("}")
    assert bare.count("$") % 2 == 0
    outside_maths = re.sub(r"\$[^$]*\$", "", bare)
    assert not re.search(r"[#_^%~]", outside_maths.replace(r"\#", ""))
    (columns,) = re.findall(r"\\begin\{\w+\}\{((?:[^{}]|\{[^{}]*\})*)\}", table)
    width = len(re.sub(r"\{[^{}]*\}", "", columns))
    for line in table.split("\n"):
        if line.endswith(r"\\"):
            spans = [int(number) for number in re.findall(r"\\multicolumn\{(\d+)\}", line)]
            cells = len(re.split(r"(?<!\\)&", line)) + sum(spans) - len(spans)
            assert cells == width, line
