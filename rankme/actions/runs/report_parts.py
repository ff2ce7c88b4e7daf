"""The finished parts of a report as rows, so that a worker that takes it over continues there."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar

from django.db import transaction
from pydantic import TypeAdapter, ValidationError

from analysis.signature import VERSION
from rankme.actions import jobs
from rankme.models import AnalysisRun, RunPart
from rankme.models.jobs import Job

Result = TypeVar("Result")


class StoredParts:
    """Stores each part of a run's report once; see `analysis.report.checkpoints.Parts`.

    `job` is the row whose worker computes: the run itself, or the one that makes its files again.
    What another version of the statistics has stored is not used.
    """

    def __init__(self, run: AnalysisRun, *, job: Job) -> None:
        self.run = run
        self.job = job
        self.stored = {name: bytes(content) for name, content in run.parts.values_list(*COLUMNS)}

    def __call__(self, name: str, result_type: Any, compute: Callable[[], Result]) -> Result:
        if result_type is None:
            return compute()
        name = f"{VERSION} {name}"
        if name in self.stored:
            try:
                kept: Result = decoded(result_type, self.stored[name])
                return kept
            except ValidationError:  # the code has changed since, but not its version
                RunPart.objects.filter(run=self.run, name=name).delete()
        # Read back even when it is new, so that both ways give the same report.
        result: Result = decoded(result_type, self._store(name, encoded(result_type, compute())))
        return result

    def _store(self, name: str, content: bytes) -> bytes:
        part = RunPart(run=self.run, name=name, content=content)
        with transaction.atomic():
            # A worker that was presumed dead may have stored it meanwhile, with the same numbers.
            RunPart.objects.bulk_create([part], ignore_conflicts=True)
            jobs.confirm(self.job)
        jobs.checkpoint(self.job)
        self.stored[name] = content
        return content


COLUMNS = ("name", "content")


@lru_cache(maxsize=32)
def _adapter(result_type: Any) -> TypeAdapter[Any]:
    return TypeAdapter(result_type)


def encoded(result_type: Any, value: Any) -> bytes:
    if result_type is bytes:
        return bytes(value)
    return json.dumps(_adapter(result_type).dump_python(value)).encode()


def decoded(result_type: Any, content: bytes) -> Any:
    return (
        content
        if result_type is bytes
        else _adapter(result_type).validate_python(json.loads(content))
    )
