"""Campaign files made to exhaust the site: every entry refuses them while it is still reading."""

import pytest
import yaml
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse

from rankme.errors import InvalidDefinition
from rankme.forms.definition import read_form
from rankme.models import Campaign
from rankme.untrusted import strict_yaml
from tests.campaigns import make_owner

LOADERS = [yaml.SafeLoader, *([yaml.CSafeLoader] if yaml.__with_libyaml__ else [])]
HOSTILE = {
    "open brackets": ("[" * 300_000, "nested more than 32 deep"),
    "open dashes": ("- " * 300_000, "nested more than 32 deep"),
    "brackets on lines": ("[\n" * 200_000, "nested more than 32 deep"),
    "unknown settings": ("".join(f"k{n}: 1\n" for n in range(60_000)), "20,000 values"),
    "a flat list": ("[" + "1," * 200_000 + "]", "20,000 values"),
    "documents": ("---\n" * 200_000, "20,000 values"),
    "directives": ("%TAG !a! b\n" * 80_000, "begin with %"),
    "directives later": ("a: 1\n...\n" + "%TAG !a! b\n" * 80_000, "begin with %"),
    "a number to the base of 60": ("a: 1" + ":1" * 400_000, "too long"),
    "a long number": ("a: " + "9" * 900_000, "too long"),
    "an alias": ("a: &a [1]\nb: *a", "Aliases"),
    "too much text": ("a: " + "x" * strict_yaml.LARGEST_FILE, "1,000,000 characters"),
}


@pytest.fixture(params=LOADERS, ids=lambda loader: loader.__name__)
def loader(request, monkeypatch):
    monkeypatch.setattr(strict_yaml, "Loader", request.param)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused(loader, name):
    text, reason = HOSTILE[name]
    with pytest.raises(InvalidDefinition, match=reason):
        strict_yaml.parse(text)


def test_only_the_beginning_of_a_flood_is_read(loader, monkeypatch):
    read = []

    def counting(text, Loader):  # PyYAML's name
        for event in original(text, Loader=Loader):
            read.append(event)
            yield event

    original = yaml.parse
    monkeypatch.setattr(yaml, "parse", counting)
    for text in ("[" * 300_000, "".join(f"k{n}: 1\n" for n in range(60_000))):
        read.clear()
        with pytest.raises(InvalidDefinition):
            strict_yaml.parse(text)
        assert len(read) <= strict_yaml.MOST_EVENTS + 2


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["open brackets", "unknown settings"])
def test_page_interface_and_command_refuse_a_hostile_file(client, tmp_path, name):
    text, reason = HOSTILE[name]
    client.force_login(make_owner())
    page = reverse("rankme:campaign-load")
    for sent in ({"text": text}, {"file": SimpleUploadedFile("c.yaml", text.encode())}):
        answer = client.post(page, sent)
        assert answer.status_code == 422
        assert reason in answer.content.decode()
    answer = client.generic("POST", "/api/v1/campaigns/", text, "application/yaml")
    assert answer.status_code == 400
    assert reason in answer.json()["error"]["problems"][0]["message"]
    path = tmp_path / "campaign.yaml"
    path.write_text(text)
    with pytest.raises(CommandError, match=reason):
        call_command("campaign", "load", str(path))
    assert not Campaign.objects.exists()


def test_a_form_field_in_yaml_has_the_same_bounds():
    document = read_form({"analysis.options": "[" * 300_000})
    assert isinstance(document["analysis"]["options"], str)


@pytest.mark.django_db
def test_a_definition_in_json_may_have_as_many_values_as_a_file(client):
    client.force_login(make_owner())
    definition = {f"k{number}": 1 for number in range(60_000)}
    sent = {"definition": definition}
    answer = client.post("/api/v1/campaigns/", sent, content_type="application/json")
    assert answer.status_code == 400
    (problem,) = answer.json()["error"]["problems"]
    assert "more than 20,000 values" in problem["message"]


def test_a_key_that_appears_twice_is_refused_with_both_lines(loader):
    text = "title: One\ntexts:\n  consent: a\n  consent: b\ntitle: Two\n"
    with pytest.raises(InvalidDefinition) as refused:
        strict_yaml.parse(text)
    assert [str(problem) for problem in refused.value.problems] == [
        "line 4: The key “consent” appears twice: it is already on line 3.",
        "line 5: The key “title” appears twice: it is already on line 1.",
    ]


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("title: Rating: fluency", "in quotation marks"),
        ("texts:\n\tconsent: x", "spaces, not tabs"),
        ("criteria: [a, b", "brackets and quotation marks"),
        ('title: "x', "never closed"),
        ("a: \x00", "control character"),
        ("when: 2026-13-45", "cannot be read"),
    ],
)
def test_usual_mistakes_come_with_advice(loader, text, advice):
    with pytest.raises(InvalidDefinition) as refused:
        strict_yaml.parse(text)
    assert advice in str(refused.value)
    assert "\n" not in str(refused.value)
