"""Names that columns usually have, by their roles."""

from __future__ import annotations

import re

from .columns import column_name
from .headings import CRITERION_WORDS, OUTPUT_WORDS

# The likelier name comes first; names are compared in lower case with "_" for blanks and hyphens.
NAMES: dict[str, tuple[str, ...]] = {
    "output": OUTPUT_WORDS,
    "system": (
        "system", "system_name", "system_id", "systemid", "sys", "model", "model_name", "model_id",
        "modelid", "generator", "engine", "llm", "method", "approach", "submission", "team",
    ),
    "input": (
        "input", "prompt", "source", "src", "question", "instruction", "query", "mr",
        "meaning_representation", "input_text", "source_text", "source_sentence", "user",
        "article", "document", "triples", "messages", "conversation", "dialogue", "data",
        "request", "input_data", "source_data", "inputs", "prompts",
    ),
    "reference": (
        "reference", "ref", "references", "gold", "target", "ground_truth", "human_reference",
        "expected", "expected_output", "reference_text", "gold_answer", "label",
    ),
    "context": ("context", "passage", "background", "history", "dialogue_history", "title"),
    "highlight": ("highlight",),
    "document": ("document", "document_id", "document_name", "doc", "doc_id", "docid", "doc_name"),
    "segment": (
        "segment", "segment_id", "segment_number", "seg", "seg_id", "segid", "sentence_number",
        "sentence_id", "turn", "turn_id", "turn_number",
    ),
    "item": (
        "item", "item_id", "itemid", "example_id", "example", "sample_id", "instance_id",
        "instance", "prompt_id", "question_id", "qid", "segment_id", "seg_id", "sentence_id",
        "input_id", "source_id", "doc_id", "document_id", "uid", "key", "id", "nr", "no", "number",
        "idx", "index", "row",
    ),
}  # fmt: skip
KNOWN_NAMES = {name for names in NAMES.values() for name in names}
# They tell a header from a title.
KNOWN_HEADINGS = {*KNOWN_NAMES, *CRITERION_WORDS, "rater", "annotator", "worker", "winner"}
# Texts that may be objects in JSON, which stay whole.
DOCUMENTS_IN_JSON = {*NAMES["input"], *NAMES["context"], *NAMES["reference"], "output"}


def plain_name(name: str) -> str:
    """The name with "_" for blanks and hyphens, without what is in parentheses."""
    plain = re.sub(r"\([^()]*\)", " ", column_name(name)) if "(" in name else column_name(name)
    return re.sub(r"[\s\-./:]+", "_", plain.strip()).strip("_")
