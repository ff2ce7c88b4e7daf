"""Two probes for a load balancer: is the process alive, and can it serve raters?"""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from . import readiness


@require_safe
@never_cache
def alive(request: HttpRequest) -> HttpResponse:
    return HttpResponse("alive\n", content_type="text/plain")


@require_safe
@never_cache
def ready(request: HttpRequest) -> HttpResponse:
    trouble = readiness.first_trouble()
    if trouble:
        return HttpResponse(f"{trouble.what}\n", content_type="text/plain", status=503)
    return HttpResponse("ready\n", content_type="text/plain")
