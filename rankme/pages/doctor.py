"""What anybody's table of ratings can claim: a page without login, which keeps nothing."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from rankme.actions.rate_limits import ALL_EXAMINATIONS, EXAMINATIONS, take
from rankme.doctor.examination import ADVICE, Examination, examine, reading_of
from rankme.forms.doctor import TableForm
from rankme.importing import LIMITS, ImportRefused, InvalidColumns, Reading
from rankme.importing.problems import grouped
from rankme.networks import network_of
from rankme.scratch import new_folder

# The request has at most a megabyte (`evalsite/bodies.py`), but workbooks and Parquet are packed.
STRANGERS = replace(
    LIMITS,
    total_bytes=16 * 1024**2,
    file_bytes=16 * 1024**2,
    workbook_bytes=32 * 1024**2,
    files=20,
    rows=20_000,
    items=10_000,
    systems=100,
    listed_problems=100,
    reader_memory=1024**3,
    reader_seconds=30,
)
MOST_JUDGEMENTS = 20_000


@require_http_methods(["GET", "HEAD", "POST"])
def examine_table(request: HttpRequest) -> HttpResponse:
    """Say what an uploaded table can claim; the upload is deleted before the answer is sent."""
    form = TableForm(request.POST or None, request.FILES or None)
    if request.method != "POST":
        return render(request, "doctor.html", {"form": TableForm()})
    if not form.is_valid():
        return render(request, "doctor.html", {"form": form}, status=422)
    if not (take(EXAMINATIONS, network_of(request)) and take(ALL_EXAMINATIONS)):
        form.add_error(None, _("Too many tables at once. Wait a minute and send it again."))
        return render(request, "doctor.html", {"form": form}, status=429)
    try:
        found = _examined(form.cleaned_data["table"], reading_of(form.cleaned_data["columns"]))
    except InvalidColumns as error:
        form.add_error("columns", _(str(error)))
        return render(request, "doctor.html", {"form": form}, status=422)
    except ImportRefused as refused:
        problems = [{"message": group.text} for group in grouped(refused.problems)]
        context = {"form": form, "problems": [*problems, {"message": _(ADVICE)}]}
        return render(request, "doctor.html", context, status=422)
    return render(request, "doctor.html", {"form": TableForm(), "found": found})


def _examined(upload: UploadedFile[Any], reading: Reading) -> Examination:
    folder = new_folder("table")
    try:
        path = folder / "table"
        path.write_bytes(upload.read())
        return examine(
            path,
            name=upload.name or "",
            reading=reading,
            limits=STRANGERS,
            most_judgements=MOST_JUDGEMENTS,
            niceness=10,  # raters' pages come first
        )
    finally:
        shutil.rmtree(folder, ignore_errors=True)
