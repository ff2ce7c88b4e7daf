"""Outputs as the programs that ask language models for them write them, as flat rows.

The samples of lm-evaluation-harness, the answers of FastChat (MT-Bench), and the results of batches
of the OpenAI, Anthropic and Gemini APIs have the text somewhere inside a record.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Document = dict[str, Any]
DEEPEST = 8  # levels of lists and objects that are looked into
SPOKEN = ("text", "output_text", "message")  # not thoughts and calls of tools


def harness_sample(record: Document) -> Iterator[Document]:
    """Yield the row of a sample of lm-evaluation-harness (`--log_samples`), if it has a text.

    Samples of multiple choice have none, only how likely each choice is.
    """
    texts = [*_texts(record.get("filtered_resps")), *_texts(record["resps"])]
    if not texts:
        yield record
        return
    yield {
        "doc_id": record["doc_id"],
        "input": next(_texts(record.get("arguments")), ""),
        "output": texts[0],
        "reference": next(_texts(record.get("target")), ""),
    }


def fastchat_answer(record: Document) -> Iterator[Document]:
    """Yield a row for each turn of an answer; only several turns have a number."""
    choices, question = record["choices"], record.get("question_id")
    first = choices[0] if choices and isinstance(choices[0], dict) else {}
    turns = [turn for turn in first.get("turns") or () if isinstance(turn, str)]
    for number, turn in enumerate(turns, start=1):
        named = f"{question}.{number}" if len(turns) > 1 else question
        yield {"item": named, "system": record["model_id"], "output": turn}


def batch_result(record: Document) -> Iterator[Document]:
    """Yield the row of a request in a batch; none if it failed, so that its output is missing."""
    answer = record.get("response") or record.get("result") or {}
    answer = answer.get("body") or answer.get("message") or answer
    if not isinstance(answer, dict):
        return
    said = [answer.get(part) for part in ("choices", "output", "content", "candidates")]
    if not any(isinstance(part, list) for part in said):
        return
    yield {
        "item": record.get("custom_id") or record.get("key") or record.get("id"),
        "model": next(_texts([answer.get("model"), answer.get("modelVersion")]), ""),
        "output": "".join(_said(said)),
    }


def is_batch_result(record: Document) -> bool:
    """Tell whether the record answers a request; one that failed has an error."""
    if isinstance(record.get("result"), dict):
        return "custom_id" in record and isinstance(record["result"].get("type"), str)
    answer = record.get("response")
    if isinstance(answer, dict):
        return isinstance(answer.get("body"), dict) or isinstance(answer.get("candidates"), list)
    return "custom_id" in record and bool(record.get("error"))


def _texts(value: Any, levels: int = DEEPEST) -> Iterator[str]:
    """The texts in lists and objects, the first of each list first."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict) and levels:
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part, levels - 1)


def _said(value: Any, levels: int = DEEPEST) -> Iterator[str]:
    """The texts of a model, of the first choice."""
    if not levels:
        return
    if isinstance(value, list):
        for part in value:
            yield from _said(part, levels - 1)
    elif (
        isinstance(value, dict) and value.get("type", "text") in SPOKEN and not value.get("thought")
    ):
        if isinstance(value.get("text"), str):
            yield value["text"]
        elif value.get("index", 0) == 0:
            for name in ("message", "content", "parts"):
                found = value.get(name)
                yield from [found] if isinstance(found, str) else _said(found, levels - 1)
