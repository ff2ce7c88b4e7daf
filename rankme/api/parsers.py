"""Parse requests: strict JSON, campaign files as text, and files as they are."""

from __future__ import annotations

from typing import IO, Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser, FileUploadParser

from rankme.actions.shared_task.uploads import plain_name
from rankme.untrusted.clean_text import read_document
from rankme.untrusted.strict_json import InvalidJson


def _read(stream: IO[bytes]) -> bytes:
    body = stream.read(settings.LARGEST_BODY + 1)
    if len(body) > settings.LARGEST_BODY:
        raise RequestDataTooBig
    return body


class StrictJSONParser(BaseParser):
    """One meaning per document, finite numbers, bounded depth, only text that can be stored."""

    media_type = "application/json"

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        try:
            return read_document(_read(stream))
        except InvalidJson as error:
            raise ParseError(str(error)) from error


class CampaignFileParser(BaseParser):
    """A campaign file in YAML: its text, for `definition_from_yaml`."""

    media_type = "application/yaml"

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        try:
            return _read(stream).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise ParseError("The file is not UTF-8.") from error


class NamedFileParser(FileUploadParser):
    """A body that is one file, whatever its type, and whose name the address says."""

    def get_filename(self, stream: Any, media_type: Any, parser_context: Any) -> str:
        return plain_name(parser_context["kwargs"]["name"])
