"""A data set's description as Croissant 1.1 with its vocabulary for responsible AI (RAI 1.0)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from django.conf import settings

from . import methods, phrases
from .study import Study, from_to

# The context of Croissant 1.1, in which names of terms are those of schema.org.
CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "prov": "http://www.w3.org/ns/prov#",
    "sc": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "description": {"@container": "@language"},
    "name": {"@container": "@language"},
    **{
        name: f"cr:{name}"
        for name in (
            "annotation", "arrayShape", "citeAs", "column", "containedIn", "equivalentProperty",
            "extract", "field", "fileObject", "fileProperty", "fileSet", "format", "includes",
            "isArray", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path",
            "recordSet", "references", "regex", "repeated", "replace", "samplingRate",
            "separator", "source", "subField", "transform",
        )
    },
}  # fmt: skip
TYPES = {
    "csv": "text/csv", "json": "application/json", "parquet": "application/x-parquet",
    "md": "text/markdown", "jsonl": "application/jsonlines", "yaml": "application/yaml",
}  # fmt: skip
COLUMNS = {
    "rater": ("sc:Text", "the generated label of the rater"),
    "item": ("sc:Text", "the input"),
    "system": ("sc:Text", "the system whose output was judged"),
    "criterion": ("sc:Text", "what was judged"),
    "screen": ("sc:Text", "outputs with the same screen were seen together"),
    "value": ("sc:Float", "the answer as a number"),
}


def croissant(
    study: Study,
    description: str,
    creators: Sequence[str],
    licence: str,
    files: Mapping[str, bytes],
) -> dict[str, Any]:
    """Describe the files, the judgements as records, and how they came to be."""
    run = study.run
    assert run is not None
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": [
            "http://mlcommons.org/croissant/1.1",
            "http://mlcommons.org/croissant/RAI/1.0",
        ],
        "name": study.definition.title,
        "description": description,
        "license": f"https://spdx.org/licenses/{licence}.html",
        "url": study.public_report or settings.SITE_URL,
        "creator": [{"@type": "sc:Person", "name": name} for name in creators],
        "datePublished": run.requested_at.date().isoformat(),
        "version": "1.0.0",
        "citeAs": f"{'; '.join(creators)}: {study.definition.title}",
        "distribution": [_file(name, content) for name, content in files.items()],
        "recordSet": [_records()],
        **_responsible(study),
    }


def _file(name: str, content: bytes) -> dict[str, str]:
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": name,
        "encodingFormat": TYPES.get(name.rpartition(".")[2], "application/octet-stream"),
        "sha256": hashlib.sha256(content).hexdigest(),
    }


def _records() -> dict[str, Any]:
    """One record a judgement; each value is attributed to the label of its rater."""
    fields = [
        {
            "@type": "cr:Field",
            "@id": f"judgements/{name}",
            "name": name,
            "description": words,
            "dataType": kind,
            "source": {
                "fileObject": {"@id": "judgements.csv"},
                "extract": {"column": name},
            },
        }
        for name, (kind, words) in COLUMNS.items()
    ]
    by_name = {field["name"]: field for field in fields}
    by_name["rater"]["dataType"] = ["sc:Text", "prov:Person"]
    by_name["rater"]["equivalentProperty"] = "prov:wasAttributedTo"
    return {
        "@type": "cr:RecordSet",
        "@id": "judgements",
        "name": "judgements",
        "description": "One record for each value that a rater gave an output on a criterion.",
        "field": fields,
    }


def _responsible(study: Study) -> dict[str, Any]:
    """Answer the vocabulary for responsible AI from the record; no rater has demographics."""
    said = {each.item: each.text for each in methods.methods(study)}
    assert study.counts is not None
    dates = [] if study.dates is None else [f"{day:%Y-%m-%d}" for day in study.dates]
    found = {
        "dataCollection": said["source of the raters"] or "Judgements were imported.",
        "dataCollectionType": ["Experiments"],
        "dataCollectionTimeframe": dates,
        "dataAnnotationProtocol": f"{said['task']} {said['training']}".strip(),
        "dataAnnotationPlatform": ["RankME"],
        "dataAnnotationAnalysis": [text for text in (said["agreement"], said["analysis"]) if text],
        "annotationsPerItem": from_to(study.counts.raters),
        "annotatorDemographics": study.characteristics,
        "machineAnnotationTools": [],
        "dataPreprocessingProtocol": [phrases.quality(study)],
        "dataLimitations": methods.limitations(study),
        "dataUseCases": ["Analysis and replication of this human evaluation."],
        "personalSensitiveInformation": ["None: raters have generated labels."],
        "dataReleaseMaintenancePlan": "The files of this release do not change.",
    }
    return {f"rai:{name}": value for name, value in found.items() if value}
