"""Two probes for a load balancer: is the process alive, and can it store judgements?"""

import shutil

from django.conf import settings
from django.db import Error, connection
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

FREE_DISK_AT_LEAST = 0.05


@require_safe
@never_cache
def alive(request: HttpRequest) -> HttpResponse:
    return HttpResponse("alive\n", content_type="text/plain")


@require_safe
@never_cache
def ready(request: HttpRequest) -> HttpResponse:
    problem = database_problem() or disk_problem()
    if problem:
        return HttpResponse(f"{problem}\n", content_type="text/plain", status=503)
    return HttpResponse("ready\n", content_type="text/plain")


def database_problem() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error:  # of any kind; `InterfaceError` is not a `DatabaseError`
        return "The database does not answer."
    return ""


def disk_problem() -> str:
    usage = shutil.disk_usage(settings.DATA_FOLDER)
    if usage.free / usage.total < FREE_DISK_AT_LEAST:
        return "The disk is nearly full."
    return ""
