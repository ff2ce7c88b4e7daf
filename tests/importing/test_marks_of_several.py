"""Marked errors that come in several files, and with severities of their own."""

import json

import pytest

from rankme.actions.imports.judgement_imports import import_judgements
from rankme.importing import read_judgement_material
from rankme.models import Judgement
from rankme.protocols.files import stored_definition
from tests.campaigns import make_owner


def rating(severity: str, rater: str = "") -> str:
    error = {"start": 0, "end": 3, "category": "Accuracy", "severity": severity, "score": 0}
    cells = ["A", json.dumps({"errors": [error | {"is_source_error": False}]})]
    return "\t".join([*cells, *([rater] if rater else [])]) + "\n"


@pytest.fixture
def files(tmp_path):
    def write(**texts):
        for name, text in texts.items():
            (tmp_path / f"{name}.seg.rating").write_text(text)
        return sorted(tmp_path.iterdir())

    return write


def test_ratings_of_several_raters_come_in_together(files):
    paths = files(one=rating("major", "ada"), two=rating("minor", "ben"))
    with read_judgement_material(paths) as material:
        preview = material.preview
    assert (preview.n_raters, preview.n_items, preview.n_judgements) == (2, 1, 2)
    assert preview.criteria[0].severities == ("major", "minor")


def test_raters_without_a_name_are_called_like_their_files(files):
    paths = files(round1=rating("major"), round2=rating("minor"))
    with read_judgement_material(paths) as material:
        assert material.preview.n_raters == 2


@pytest.mark.django_db
def test_an_archive_keeps_the_severities_of_its_marks(files):
    (path,) = files(one=rating("Major") + rating("neutral"))
    campaign = import_judgements(make_owner(), path, title="Elsewhere")
    (criterion,) = stored_definition(campaign.definition).criteria
    assert criterion.options["severities"] == {"Major": "Major", "neutral": "neutral"}
    kept = [json.loads(text)["marks"] for text in Judgement.objects.values_list("text", flat=True)]
    assert sorted(mark["severity"] for marks in kept for mark in marks) == ["Major", "neutral"]


@pytest.mark.django_db
def test_marks_of_appraise_come_with_scores_and_languages(tmp_path):
    mark = """[{""start_i"": 0, ""end_i"": 3, ""severity"": ""major""}]"""
    path = tmp_path / "scores.csv"
    path.write_text(
        f'engdeu01,A,17,TGT,eng,deu,80,news.1,False,"{mark}",1.0,2.0\n'
        "engdeu01,B,17,TGT,eng,deu,95,news.1,False,[],3.0,4.0\n"
        "engces01,A,17,TGT,eng,ces,60,news.1,False,[],1.0,2.0\n"
    )
    campaign = import_judgements(make_owner(), path, title="Elsewhere")
    values = Judgement.objects.order_by("pk").values_list("criterion__name", "value")
    assert sorted(values) == [
        ("errors", 0.0), ("errors", 0.0), ("errors", 5.0),
        ("errors_score", 60.0), ("errors_score", 80.0), ("errors_score", 95.0),
    ]  # fmt: skip
    factors = dict(campaign.items.values_list("key", "factors"))
    assert factors == {
        "eng-deu/news.1/17": {"document": "news.1", "languages": "eng-deu"},
        "eng-ces/news.1/17": {"document": "news.1", "languages": "eng-ces"},
    }
