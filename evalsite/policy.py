"""The Content Security Policy, which most answers have as the settings say it."""

from __future__ import annotations

from functools import cache

from csp.constants import HEADER
from csp.middleware import CheckableLazyObject, CSPMiddleware
from csp.utils import build_policy
from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

# What a view or a template asks of the policy, on its response.
CHANGES = ("_csp_config", "_csp_update", "_csp_replace", "_csp_exempt")


@cache
def usual_policy() -> str:
    return build_policy()


class PolicyMiddleware(CSPMiddleware):
    """Build the usual policy once: it took a twentieth of the time of a submission."""

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        has_nonce = getattr(request, "_csp_nonce", None) is not None
        if has_nonce or settings.DEBUG or any(hasattr(response, name) for name in CHANGES):
            return super().process_response(request, response)
        response.headers.setdefault(HEADER, usual_policy())
        # A page that asks for a nonce after this would have one that no browser believes.
        late = CheckableLazyObject(self._csp_nonce_post_response)
        request.csp_nonce = late  # type: ignore[attr-defined]
        return response
