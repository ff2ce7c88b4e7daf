"""A bundle as the start of a new campaign that repeats its study with new raters."""

from __future__ import annotations

import json
from pathlib import Path

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.report.bundle import Bundle
from analysis.report.stored import read_report
from rankme.actions.audit import note
from rankme.errors import RefusedAction
from rankme.exporting.paper.earlier import EARLIER, as_csv, study_from
from rankme.models import Campaign
from rankme.protocols.definition import Definition, MaterialSpec, TableSpec
from rankme.protocols.files import definition_from_yaml

from .campaigns import create_campaign
from .duplicates import LONGEST_TITLE
from .paper import confirm_answers

CAMPAIGN, MATERIAL, OUTPUTS = "campaign.yaml", "material/", "material/outputs.jsonl"
ROLES = (
    *("system", "item", "output", "input", "reference", "context", "document", "segment"),
    *("input_file", "input_alt", "output_file", "output_alt"),
)


@transaction.atomic
def replicate(bundle: Bundle, *, by: User, title: str = "") -> Campaign:
    """Make a draft with a bundle's plan, texts, checks and scores.

    It gets a seed of its own. Bundles have no completion codes and no accepted answers to entry
    questions; a bundle from before the end of its campaign has no checks either.

    Raises
    ------
    RefusedAction : the bundle has no campaign file
    """
    if CAMPAIGN not in bundle.files:
        raise RefusedAction(_("The bundle has no campaign file, so its study cannot be repeated."))
    definition = definition_from_yaml(bundle.files[CAMPAIGN].decode())
    tables = _columns(bundle.files.get(OUTPUTS, b""))
    copy = create_campaign(by, _definition(definition, title, tables))
    report = read_report(bundle.report)
    confirm_answers(copy, {EARLIER: as_csv(study_from(report))}, by=by)
    note(copy, by, gettext_noop("replicates a study"), signature=report.signature)
    return copy


def _definition(definition: Definition, title: str, material: MaterialSpec | None) -> Definition:
    named = title or _("Replication of %(title)s") % {"title": definition.title}
    changed = {"title": named[:LONGEST_TITLE], "seed": None, "material": material}
    return definition.model_copy(update=changed)


def _columns(outputs: bytes) -> MaterialSpec | None:
    """Say what each column of a bundle's outputs is, so that the reader need not guess."""
    names = sorted({name for line in outputs.splitlines() for name in json.loads(line)})
    if not names:
        return None
    roles = {name: name for name in names if name in ROLES}
    factors = [name for name in names if name not in ROLES]
    return MaterialSpec(tables=[TableSpec(layout="long", columns=roles, factors=factors)])


def write_material(bundle: Bundle, folder: Path) -> list[Path]:
    """Write the bundle's inputs and outputs as an upload; nothing where it has none."""
    written = []
    for name, content in bundle.files.items():
        if name.startswith(MATERIAL):
            path = (folder / name.removeprefix(MATERIAL)).resolve()
            if not path.is_relative_to(folder.resolve()):
                raise RefusedAction(_("The bundle names a file outside itself."))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            written.append(path)
    return written
