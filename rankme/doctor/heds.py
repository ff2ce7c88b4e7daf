"""Which questions of the Human Evaluation Datasheet (HEDS 3.0) a table of ratings can answer.

Shimorina & Belz (2022); form of December 2024 (nlp-heds.github.io). The words are our own.
"""

from __future__ import annotations

ANSWERED = {
    "3.1.1": "outputs judged per system",
    "3.2.1": "number of raters",
    "4.3.4": "values that were used",
    "4.3.10": "method for effects and significance",
    "4.3.11.1": "method for agreement between raters",
    "4.3.11.2": "agreement between raters",
}
NEVER_IN_A_TABLE = {
    "1": "paper, resources, and who completes the sheet",
    "2": "input, output, task and languages of the systems",
    "3.1.2": "how outputs were selected",
    "3.1.3": "whether a power analysis chose the size, and its code",
    "3.2.2": "whether raters are experts, paid, known to the authors, or the authors",
    "3.2.3": "how raters were recruited",
    "3.2.4": "training and practice",
    "3.2.5": "other characteristics of raters",
    "3.3.1": "preregistration",
    "3.3.2": "medium of the collection",
    "3.3.3": "quality assurance: checks, and what followed from them",
    "3.3.4": "what raters saw, and where it can be seen",
    "3.3.5": "how free raters were in when and how fast they worked",
    "3.3.6": "whether raters could ask and comment",
    "3.3.7–3.3.8": "the conditions in which raters worked, and how these varied",
    "4.1–4.2": "kind of quality, frame of reference, and mode of each criterion",
    "4.3.1–4.3.3": "name, definition and size of the scale, as raters saw them",
    "4.3.5–4.3.8": "how the scale was presented, and the exact question",
    "4.3.9": "how answers became scores",
    "4.3.12": "how far raters agree with themselves, unless outputs were judged again",
    "5": "ethics approval, personal data and impact",
}
