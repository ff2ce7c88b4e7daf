"""Unknown fields are errors, and a request cannot set fields that it may not set."""

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

import pytest
from django.apps import apps
from django.contrib.auth import get_user_model
from rest_framework import serializers

from rankme import api
from rankme.api.view import Strict
from rankme.models import Campaign
from tests.api.conftest import client_of
from tests.campaigns import make_campaign, make_owner
from tests.runs import rated_campaign

pytestmark = pytest.mark.django_db

TAKEN_IN = {"CredentialsSerializer", "DefinitionSerializer", "NewCampaignSerializer"}


def columns() -> list[str]:
    """Every name of a table or column in the database."""
    models = [*apps.get_app_config("rankme").get_models(), get_user_model()]
    return sorted({name for model in models for name in _names(model)})


def _names(model) -> list[str]:
    return [each for field in model._meta.fields for each in (field.name, field.attname)]


def addresses(code: str) -> list[tuple[str, str, dict]]:
    return [
        ("POST", "/api/v1/campaigns/", {"preset": "e2e-quality", "language": "en"}),
        ("PUT", f"/api/v1/campaigns/{code}/", {}),
        ("POST", f"/api/v1/campaigns/{code}/analysis-runs/", {"options": {}}),
        ("POST", f"/api/v1/campaigns/{code}/pause/", {}),
        ("POST", f"/api/v1/campaigns/{code}/launch/", {}),
        (
            "POST",
            "/api/v1/token/",
            {"username": "olga", "password": "x", "role": "viewer", "calls_per_minute": 1},
        ),
    ]


def test_no_column_is_set_by_naming_it(olga):
    campaign = make_campaign()
    sven = make_owner("sven")
    tried = 0
    for method, address, wanted in addresses(campaign.code):
        names = set(columns()) - {"definition", "title", "options", *wanted}
        answer = getattr(olga, method.lower())(address, wanted | dict.fromkeys(names, sven.pk))
        assert answer.status_code == 400, address
        places = {problem["place"] for problem in answer.json()["error"]["problems"]}
        assert names <= places, (address, names - places)
        tried += len(names)
    assert tried > 400
    assert Campaign.objects.get().owner.get_username() == "olga"


def _modules_of_shapes() -> list[ModuleType]:
    names = [found.name for found in iter_modules(api.__path__)]
    return [import_module(f"rankme.api.{name}") for name in names if name.endswith("_shapes")]


def test_every_shape_that_is_taken_in_is_strict():
    """What only goes out is read by nobody; each serializer is used by `View.read`, or gives."""
    taken = [
        each
        for shapes in _modules_of_shapes()
        for each in vars(shapes).values()
        if isinstance(each, type)
        and issubclass(each, serializers.Serializer)
        and each.__module__ == shapes.__name__
        and ("New" in each.__name__ or each.__name__ in TAKEN_IN)
    ]
    assert {each.__name__ for each in taken} >= TAKEN_IN
    assert all(issubclass(each, Strict) for each in taken), taken


def test_no_shape_takes_a_text_for_a_number():
    numbers = (serializers.IntegerField, serializers.FloatField)
    tried = 0
    for shapes in _modules_of_shapes():
        for shape in vars(shapes).values():
            if not (isinstance(shape, type) and issubclass(shape, Strict) and shape is not Strict):
                continue
            for name, field in shape().fields.items():
                if isinstance(field, numbers) and not field.read_only:
                    sent = shape(data={name: "7"})
                    assert not sent.is_valid()
                    assert "not a text" in str(sent.errors[name]), (shape, name)
                    tried += 1
    assert tried > 15


def test_a_run_has_the_seed_and_state_that_the_site_gave_it():
    campaign = rated_campaign(raters=1, items=4)
    body = {"options": {}, "state": "done", "result": {}, "data_sha256": "0" * 64}
    answer = client_of("olga").post(f"/api/v1/campaigns/{campaign.code}/analysis-runs/", body)
    assert answer.status_code == 400
    assert not campaign.analysis_runs.exists()
