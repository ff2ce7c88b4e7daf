"""What scripts and assistants need before a launch: the file's schema, its check, and a try."""

from __future__ import annotations

from functools import cache
from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from rankme.actions.campaign import tryouts
from rankme.actions.campaign.campaigns import definition_of
from rankme.api.campaign_shapes import DefinitionSerializer
from rankme.api.outline import outline
from rankme.api.parsers import CampaignFileParser, StrictJSONParser
from rankme.api.shared_shapes import ProblemSerializer
from rankme.api.view import View, operation
from rankme.errors import InvalidDefinition
from rankme.permissions import Permission, get_campaign, user_of
from rankme.protocols.definition import Definition
from rankme.protocols.files import definition_from_document, definition_from_yaml
from rankme.queries.words import current_words, missing_texts, words_file

DEFINITION_SENT = {
    "application/json": DefinitionSerializer,
    "application/yaml": OpenApiTypes.STR,
}


def given_definition(view: View) -> Definition:
    """The definition that a request sends as `DEFINITION_SENT` says."""
    if isinstance(view.request.data, str):
        return definition_from_yaml(view.request.data)
    return definition_from_document(view.read(DefinitionSerializer)["definition"])


def yaml_answer(text: str) -> HttpResponse:
    return HttpResponse(text, content_type="application/yaml; charset=utf-8")


class CheckedSerializer(serializers.Serializer[Any]):
    """What is wrong with a campaign file, or what its raters will see."""

    valid = serializers.BooleanField()
    problems = ProblemSerializer(many=True, help_text="Every one, with its place.")
    untranslated = serializers.IntegerField(
        help_text="Texts of raters' pages that the file's language lacks; they are in English."
    )
    outline = serializers.DictField(
        allow_null=True, help_text="What raters see, page by page, as text."
    )


class TryoutSerializer(serializers.Serializer[Any]):
    """A try of a draft with simulated raters. It is kept for an hour; the record has none of it."""

    status = serializers.CharField(help_text="`none`, `working`, `done` or `failed`.")
    done = serializers.IntegerField(required=False)
    of = serializers.IntegerField(required=False)
    error = serializers.CharField(required=False)
    pages = serializers.ListField(
        child=serializers.CharField(), help_text="Of monitor, raters, quality, items and report."
    )


class DefinitionSchemaView(View):
    @operation(
        "definitions_schema",
        "The JSON schema of a campaign file",
        needs=Permission.SEE,
        gives=OpenApiTypes.OBJECT,
    )
    def get(self, request: Request) -> Response:
        return Response(_schema())


@cache
def _schema() -> dict[str, Any]:
    return Definition.model_json_schema()


class DefinitionCheckView(View):
    parser_classes = [StrictJSONParser, CampaignFileParser]

    @operation(
        "definitions_check",
        "Check a campaign file and store nothing",
        needs=Permission.SEE,
        request=DEFINITION_SENT,
        gives=CheckedSerializer,
    )
    def post(self, request: Request) -> object:
        try:
            definition = given_definition(self)
        except InvalidDefinition as refused:
            none = {"untranslated": 0, "outline": None}
            return {"valid": False, "problems": refused.problems} | none
        return {
            "valid": True,
            "problems": [],
            "untranslated": len(missing_texts(definition)),
            "outline": outline(definition),
        }


class OutlineView(View):
    @operation(
        "campaigns_outline",
        "What raters of this campaign see, page by page, as text",
        needs=Permission.SEE,
        gives=OpenApiTypes.OBJECT,
    )
    def get(self, request: Request, code: str) -> Response:
        return Response(outline(definition_of(get_campaign(request, code))))


class WordsView(View):
    @operation(
        "campaigns_words",
        "The site's texts for raters as YAML, to be filled in for another language",
        needs=Permission.SEE,
        responses={
            (200, "application/yaml"): OpenApiResponse(
                OpenApiTypes.STR, description="A part of a campaign file."
            )
        },
    )
    def get(self, request: Request, code: str) -> HttpResponse:
        definition = definition_of(get_campaign(request, code))
        text = words_file(definition.language, current_words(definition.language, definition))
        return yaml_answer(text)


class TryoutView(View):
    @operation(
        "tryout_read", "The newest try of a draft", needs=Permission.EDIT, gives=TryoutSerializer
    )
    def get(self, request: Request, code: str) -> object:
        return _state(get_campaign(request, code).code)

    @operation(
        "tryout_start",
        "Try a draft with simulated raters: a worker plays it to its report and stores nothing",
        needs=Permission.EDIT,
        gives=TryoutSerializer,
        status=202,
    )
    def post(self, request: Request, code: str) -> object:
        campaign = get_campaign(request, code)
        tryouts.start_tryout(campaign, by=user_of(request))
        return _state(campaign.code)

    @operation("tryout_delete", "Throw a try away", needs=Permission.EDIT)
    def delete(self, request: Request, code: str) -> None:
        tryouts.throw_away(get_campaign(request, code).code)


def _state(code: str) -> dict[str, Any]:
    state = tryouts.tryout_state(code)
    pages = [path for path in state.pop("paths", ()) if path.endswith("/")]
    return {"status": "none"} | state | {"pages": pages}
