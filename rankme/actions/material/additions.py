"""Material for a launched campaign: new items and new systems; what raters may have seen stays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from rankme.actions.rows.bulk_insert import copy_rows
from rankme.errors import RefusedAction
from rankme.importing import Material
from rankme.importing.characters import folded
from rankme.importing.spooling.rows import ItemRow, OutputRow
from rankme.models import Campaign, Output

from .material_rows import copy_items, copy_systems, file_of
from .media import store_media

MOST_NAMED = 3


@dataclass
class Additions:
    """The new part of an upload, and the size of the part that the campaign already has."""

    items: list[ItemRow] = field(default_factory=list)
    systems: list[str] = field(default_factory=list)
    outputs: list[OutputRow] = field(default_factory=list)
    same_outputs: int = 0

    @property
    def sentence(self) -> str:
        found = {
            "items": len(self.items),
            "systems": len(self.systems),
            "outputs": len(self.outputs),
            "same": self.same_outputs,
        }
        return (
            _(
                "New items: %(items)s, new systems: %(systems)s, new outputs: %(outputs)s. "
                "Outputs that are already there (%(same)s) stay as they are. Raters see nothing "
                "new until you extend the plan."
            )
            % found
        )


def additions_in(campaign: Campaign, material: Material) -> Additions:
    """Compare an upload with a launched campaign's material.

    Raises
    ------
    RefusedAction : it would change what is there, or add nothing
    """
    found = Additions()
    facts = campaign.items.values_list("key", "input", "media__sha256")
    items = {key: (text, digest or "") for key, text, digest in facts}
    digests = {media.number: media.sha256 for media in material.media()}
    systems = {folded(name) for name in campaign.systems.values_list("name", flat=True)}
    found.systems = [
        system.name for system in material.preview.systems if folded(system.name) not in systems
    ]
    found.items = [item for item in material.items() if item.key not in items]
    changed = [
        item.key
        for item in material.items()
        if item.key in items and not _is_same(item, items[item.key], digests)
    ]
    _refuse_changes(changed, _("These items have a different input now"))
    _compare_outputs(campaign, material.outputs(), found, (set(items), systems), digests)
    if not found.items and not found.systems:
        raise RefusedAction(_("This upload has no new items and no new systems."))
    return found


def _is_same(item: ItemRow, known: tuple[str, str], digests: Mapping[int, str]) -> bool:
    """A later upload may leave out the inputs that are there."""
    text, digest = known
    has_same_text = item.input in ("", text)
    return has_same_text and (item.media is None or digests[item.media] == digest)


def _compare_outputs(
    campaign: Campaign,
    rows: Iterable[OutputRow],
    found: Additions,
    known: tuple[set[str], set[str]],
    digests: Mapping[int, str],
) -> None:
    items, systems = known
    shown = Output.objects.filter(item__campaign=campaign).values_list(
        "item__key", "system__name", "text", "media__sha256"
    )
    texts = {(item, folded(system)): (text, digest or "") for item, system, text, digest in shown}
    changed, missing = [], []
    for row in rows:
        cell = (row.item_key, folded(row.system))
        if row.item_key not in items or cell[1] not in systems:
            found.outputs.append(row)
        elif cell not in texts:
            missing.append(f"{row.system}/{row.item_key}")
        elif texts[cell] != (row.text, "" if row.media is None else digests[row.media]):
            changed.append(f"{row.system}/{row.item_key}")
        else:
            found.same_outputs += 1
    _refuse_changes(changed, _("These outputs have a different text now"))
    _refuse_changes(missing, _("These outputs were missing when the plan was drawn"))


def _refuse_changes(names: list[str], what: str) -> None:
    if not names:
        return
    listed = ", ".join(name[:60] for name in names[:MOST_NAMED])
    raise RefusedAction(
        _(
            "%(what)s: %(names)s (%(number)s in all). After the launch an upload can only add new "
            "items and new systems."
        )
        % {"what": what, "names": listed, "number": len(names)}
    )


def store_additions(
    campaign: Campaign, found: Additions, material: Material, stored: list[str]
) -> None:
    """Add the new rows after those that are there, with their files."""
    needed = {item.media for item in found.items} | {row.media for row in found.outputs}
    media = store_media(campaign, (row for row in material.media() if row.number in needed), stored)
    items = dict(campaign.items.values_list("key", "id"))
    systems = {folded(name): pk for name, pk in campaign.systems.values_list("name", "id")}
    new_items = copy_items(campaign, found.items, len(found.items), media, first=len(items))
    new_systems = copy_systems(campaign, found.systems, first=len(systems))
    items |= dict(zip((item.key for item in found.items), new_items, strict=True))
    systems |= dict(zip(map(folded, found.systems), new_systems, strict=True))
    copy_rows(
        "rankme_output",
        (
            {
                "item_id": items[row.item_key],
                "system_id": systems[folded(row.system)],
                "text": row.text,
                **file_of(row, media),
            }
            for row in found.outputs
        ),
    )  # fmt: skip
