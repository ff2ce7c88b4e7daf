"""The skeleton of the overview paper: it compiles, and its numbers are those of the record."""

import re
import shutil
import subprocess

import pytest

from analysis.report.answer import answers_of
from analysis.report.layout.latex import escaped
from rankme.actions.shared_task.unsealing import unseal
from rankme.exporting.shared_task import overview, teams
from rankme.exporting.shared_task.results import results_of
from rankme.models import SharedTask, SystemCode, Team
from tests.latex import compiled
from tests.live import PATIENCE
from tests.shared_tasks.tasks import judged_task, unsealed

pytestmark = pytest.mark.django_db
WICKED = "Ünder_score & 100 % {Owls} #1 ~^\\"


@pytest.fixture(scope="module")
def unsealed_once(rows_of_the_module) -> SharedTask:
    made = judged_task("Owls", "Bees", "Cats", call=f"Describe {WICKED} in 名前.")
    Team.objects.filter(name="Owls").update(
        institution=WICKED, citation='@misc{owls, title={Of {\\"O}wls}, author={A B}, year=2026}'
    )
    Team.objects.filter(name="Bees").update(citation=WICKED)
    return unsealed(made)


@pytest.fixture
def task(unsealed_once) -> SharedTask:
    return SharedTask.objects.get(pk=unsealed_once.pk)


def test_it_says_in_names_what_the_frozen_report_says_in_codes(task):
    results = results_of(task)
    text = overview.as_latex(results)
    (answer,) = answers_of(results.tracks[0].report)
    names = {row.code: row.upload.system.name for row in SystemCode.objects.all()}
    said = re.sub(r"S\d\d", lambda found: names[found[0]], answer.headline)
    assert escaped(said) in text
    assert not re.search(r"\bS0\d\b", text)
    for each in answer.standings:
        assert f"{each.value:.3f}" in text
    assert "3 teams took part, and people judged 3 systems in 1 track." in text
    assert "3 teams sent 3 uploads." in text and "withdrew later" not in text
    assert "3 raters gave" in text
    assert "The analysis had been registered before the launch" in text
    # BibTeX stops at a second one, and acl.sty has its own.
    style = r"\bibliographystyle"
    assert text.count(style) == text.count(r"\AtBeginDocument{" + style) == 1


def test_what_was_not_fixed_before_the_names_is_said():
    made = judged_task("Owls", "Bees")
    told = unseal(made, by=made.owner, reason="The conference is tomorrow.")
    text = overview.as_latex(results_of(told))
    assert "The analysis had been registered" not in text
    assert "has no report after its close" in text
    assert r"\textbf{[Open: the track English has no report]}" in text


def test_what_only_people_know_is_open(task):
    text = overview.as_latex(results_of(task))
    for what in ("authors", "abstract", "discussion", "language proficiency"):
        assert rf"\textbf{{[Open: {what}]}}" in text


def test_without_names_it_has_codes_and_no_bibliography(task):
    SharedTask.objects.update(teams_named="never")
    text = overview.as_latex(results_of(SharedTask.objects.get()))
    assert "S01" in text and r"\bibliography{" not in text
    assert "Owls" not in text.replace("{Owls}", "").replace(escaped(WICKED), "")


@pytest.mark.slow
def test_it_compiles_with_wicked_names_and_every_citation_is_found(task, tmp_path):
    results = results_of(task)
    text = overview.as_latex(results)
    (tmp_path / "teams.bib").write_text(teams.as_bibtex(results))
    log = compiled("pdflatex", text, tmp_path)
    assert "Missing character" not in log
    if shutil.which("bibtex") is None:
        pytest.skip("NO bibtex HERE: that citations are found is not tested.")
    done = subprocess.run(
        ["bibtex", "report"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
        timeout=PATIENCE,
        text=True,
    )
    assert done.returncode == 0 and "error message" not in done.stdout, done.stdout
    compiled("pdflatex", text, tmp_path)
    log = compiled("pdflatex", text, tmp_path)
    assert "undefined" not in log
