"""An open data set: a report's bundle with material, card, Croissant, Zenodo and citation files.

It is a bundle, so `python -m analysis report` recomputes it and `manage.py campaign replicate`
repeats it. Nothing in it names a person: `personal` looks through every text.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator, Mapping

import pyarrow
import pyarrow.parquet as parquet
from django.core.files.storage import default_storage
from django.utils.translation import gettext as _

from analysis.report.bundle import FIXED_DATE
from analysis.signature import VERSION
from analysis.table import arrow_of
from rankme.errors import RefusedAction
from rankme.exporting import bundle
from rankme.exporting.texts import asks_for_texts, texts_csv
from rankme.models import Invitation, MediaFile, Output

from . import methods
from .croissant import croissant
from .heds_questions import PERSON, Question
from .study import Study

LICENCES = ("CC-BY-4.0", "CC-BY-SA-4.0", "CC-BY-NC-4.0", "CC0-1.0")
LICENCE = Question("licence", "", "Licence of the data set", PERSON, LICENCES, "one")
CREATORS = Question("creators", "", "Creators of the data set (one per line: Family, Given)",
                    PERSON)  # fmt: skip
CONTENTS = Question("contents", "", "Publication of inputs, outputs and media", PERSON,
                    ("yes, their licence allows it", "no"), "one")  # fmt: skip
COMMENTS = Question("comments", "", "Texts that raters wrote", PERSON,
                    ("left out", "somebody has read them all, publish them"), "one")  # fmt: skip
PUBLIC = Question("public", "", "Mail addresses that may stay, separated by spaces", PERSON)
QUESTIONS = (LICENCE, CREATORS, CONTENTS, COMMENTS, PUBLIC)

MAIL = re.compile(rb"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")
WORDS = re.compile(rb"[^\s,;:\"'()<>\[\]{}|/=&?]{4,200}")
BINARY = (".pdf", ".parquet")
FOLDER, MATERIAL = "material", "material/outputs.jsonl"
MOST_BYTES = 200 * 1024 * 1024


def missing(study: Study) -> list[str]:
    """What has to be decided before there is a data set, in words."""
    own, found = study.confirmed, []
    ended = study.campaign.closed_at
    # Until then a bundle has no checks, and the card would tell raters which pages they are.
    if not study.campaign.is_over:
        found.append(_("the end of the campaign"))
    elif study.run is None or (ended and study.run.requested_at < ended):
        found.append(_("an analysis after the end of the campaign"))
    asked = [LICENCE, CREATORS, CONTENTS, *([COMMENTS] if asks_for_texts(study.campaign) else [])]
    return found + [question.label for question in asked if not own.get(question.number)]


def data_set(study: Study) -> bytes:
    """Write the zip.

    Raises
    ------
    RefusedAction : something is undecided, too large, or may name a person; it says where
    """
    if lacking := missing(study):
        raise RefusedAction(_("Not decided yet: %(what)s.") % {"what": "; ".join(lacking)})
    files = _files(study)
    if sum(map(len, files.values())) > MOST_BYTES:
        raise RefusedAction(_("The data set is larger than 200 MB."))
    if found := sorted(personal(study, files)):
        raise RefusedAction(
            _("The data set may name people: %(where)s.") % {"where": "; ".join(found[:20])}
        )
    files["croissant.json"] = json.dumps(
        croissant(study, description(study), creators(study), licence(study), files),
        indent=2,
        ensure_ascii=False,
    ).encode()
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, member in files.items():
            entry = zipfile.ZipInfo(name, FIXED_DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, member)
    return content.getvalue()


def _files(study: Study) -> dict[str, bytes]:
    assert study.run is not None
    with default_storage.open(bundle.path_of(study.run)) as stored, zipfile.ZipFile(stored) as own:
        files = {name: own.read(name) for name in own.namelist()}
    table = bundle.run_table(study.run)
    rows = arrow_of(table)
    kept = [name for name in rows.column_names if name != "late"]
    files["judgements.parquet"] = _parquet(rows.select(kept))
    if study.confirmed[CONTENTS.number].startswith("1"):
        files |= material(study)
    if study.confirmed.get(COMMENTS.number, "").startswith("2"):
        files["texts.csv"] = b"".join(texts_csv(study.campaign, "long"))
    files["README.md"] = card(study, files).encode()
    files[".zenodo.json"] = zenodo(study).encode()
    files["CITATION.cff"] = citation_file(study).encode()
    return files


def _parquet(table: pyarrow.Table) -> bytes:
    out = io.BytesIO()
    parquet.write_table(table, out)
    return out.getvalue()


def material(study: Study) -> dict[str, bytes]:
    """Inputs and outputs, as an upload that the site reads with its files, and as a table."""
    files = {}
    media = MediaFile.objects.filter(campaign=study.campaign)
    for file in media:
        with default_storage.open(file.stored) as stored:
            files[f"{FOLDER}/{file.path}"] = stored.read()
    outputs = Output.objects.filter(system__campaign=study.campaign).select_related(
        "item__media", "system", "media"
    )
    rows = []
    for output in outputs.order_by("item__position", "system__position").iterator():
        item = output.item
        row = {
            "system": output.system.name, "item": item.key, "output": output.text,
            "input": item.input, "reference": item.reference, "context": item.context,
            "input_file": item.media and item.media.path, "input_alt": item.alt,
            "output_file": output.media and output.media.path, "output_alt": output.alt,
        }  # fmt: skip
        row = {name: text for name, text in row.items() if text or name == "output"}
        rows.append(item.factors | row)
    lines = (f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    names = dict.fromkeys(name for row in rows for name in row)
    table = pyarrow.table({name: [row.get(name) for row in rows] for name in names})
    return files | {MATERIAL: "".join(lines).encode(), "outputs.parquet": _parquet(table)}


def is_media(file: str) -> bool:
    return file.startswith(f"{FOLDER}/") and file != MATERIAL


# --- Nobody is named ---------------------------------------------------------------------------


def personal(study: Study, files: Mapping[str, bytes]) -> Iterator[str]:
    """Yield each file with a mail address, an id of a panel, or a name of a link.

    Ids of fewer than four characters are not looked for: they would be found in every number.
    """
    raters = study.campaign.participants.values_list("external_id", "session_id")
    ids = {word.casefold().encode() for row in raters for word in row if len(word) >= 4}
    names = Invitation.objects.filter(campaign=study.campaign).exclude(name="")
    invited = [name.casefold().encode() for name in names.values_list("name", flat=True)]
    allowed = set(study.confirmed.get(PUBLIC.number, "").casefold().encode().split())
    for file, content in files.items():
        if is_media(file) or file.endswith(BINARY):
            continue
        lower = content.decode("utf-8", "replace").casefold().encode()
        if found := set(MAIL.findall(lower)) - allowed:
            yield _("%(file)s: the mail address %(mail)s") % {
                "file": file,
                "mail": min(found).decode(),
            }
        if ids & set(WORDS.findall(lower)):
            yield _("%(file)s: an id of a panel") % {"file": file}
        if any(re.search(rb"(?<!\w)" + re.escape(name) + rb"(?!\w)", lower) for name in invited):
            yield _("%(file)s: a name of a personal link") % {"file": file}


# --- Descriptions ------------------------------------------------------------------------------


def licence(study: Study) -> str:
    return LICENCES[int(study.confirmed[LICENCE.number].partition(":")[0]) - 1]


def creators(study: Study) -> list[str]:
    return [line.strip() for line in study.confirmed[CREATORS.number].splitlines() if line.strip()]


def description(study: Study) -> str:
    return study.definition.description.strip() or f"Human judgements: {study.definition.title}"


def card(study: Study, files: Mapping[str, bytes]) -> str:
    """A data card as hubs read it: metadata in YAML, then text."""
    assert study.counts is not None
    number = study.counts.judgements
    sizes = {1_000: "n<1K", 10_000: "1K<n<10K", 100_000: "10K<n<100K", 10**9: "100K<n<1M"}
    size = next(name for most, name in sizes.items() if number < most)
    title = json.dumps(study.definition.title, ensure_ascii=False)
    # Hubs know languages without regions; without quotes, YAML takes Norwegian for "false".
    spoken = [study.definition.language, study.definition.language_of_inputs]
    languages = json.dumps(list(dict.fromkeys(each.partition("-")[0] for each in spoken)))
    # The library `datasets` reads all tables of a data set in one format.
    outputs = "\n- config_name: outputs\n  data_files: outputs.parquet"
    listed = "\n".join(f"- `{name}`" for name in sorted(files) if not is_media(name))
    return f"""---
language: {languages}
license: {licence(study).lower()}
pretty_name: {title}
annotations_creators: [crowdsourced]
size_categories: ["{size}"]
tags: [human-evaluation]
configs:
- config_name: judgements
  default: true
  data_files: judgements.parquet{outputs if "outputs.parquet" in files else ""}
---

# {study.definition.title}

{description(study)}

## Files

{listed}

## Annotation process and annotators

{" ".join(each.text for each in methods.methods(study) if each.text)}

## Personal and sensitive information

Raters have generated labels. Ids of panels, names of personal links and mail addresses were looked
for in every text file and not found.

## Bias, risks, and limitations

{chr(10).join(f"- {each}" for each in methods.limitations(study))}

Recompute: `python -m analysis report DATA.zip`. Repeat with new raters:
`manage.py campaign replicate DATA.zip` (RankME {VERSION}).
"""


def zenodo(study: Study) -> str:
    return json.dumps(
        {
            "title": study.definition.title,
            "upload_type": "dataset",
            "description": description(study),
            "creators": [{"name": name} for name in creators(study)],
            "license": licence(study).lower(),
            "access_right": "open",
            "keywords": ["human evaluation", "natural language generation"],
        },
        indent=2,
        ensure_ascii=False,
    )


def citation_file(study: Study) -> str:
    lines = ["cff-version: 1.2.0", "message: If you use these data, please cite them."]
    lines += ["type: dataset", f"title: {json.dumps(study.definition.title, ensure_ascii=False)}"]
    lines += [f"license: {licence(study)}", "authors:"]
    for name in creators(study):
        family, _comma, given = name.partition(",")
        if given:
            lines.append(f"  - family-names: {json.dumps(family.strip(), ensure_ascii=False)}")
            lines.append(f"    given-names: {json.dumps(given.strip(), ensure_ascii=False)}")
        else:
            lines.append(f"  - name: {json.dumps(name, ensure_ascii=False)}")
    return "\n".join([*lines, ""])
