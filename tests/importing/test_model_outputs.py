"""Outputs as evaluation harnesses and batches of requests to language models write them."""

import json
from collections.abc import Callable

import pytest

from rankme.importing import ImportRefused
from tests.importing.uploads import read

TEXTS = ("One.", "Two: {}.", "Three.")


def openai(name: str, text: str, model: str) -> dict:
    message = {"role": "assistant", "content": text, "refusal": None}
    choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
    choices.append({"index": 1, "message": {"role": "assistant", "content": "Another choice."}})
    body = {"id": "c", "object": "chat.completion", "model": model, "choices": choices}
    return {
        "id": f"batch_req_{name}", "custom_id": name, "error": None,
        "response": {"status_code": 200, "request_id": "r", "body": body},
    }  # fmt: skip


def openai_responses(name: str, text: str, model: str) -> dict:
    said = {"type": "output_text", "text": text, "annotations": []}
    output = [
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Let me think."}]},
        {"type": "message", "role": "assistant", "content": [said]},
    ]
    body = {"object": "response", "model": model, "output": output}
    return {"custom_id": name, "response": {"status_code": 200, "body": body}, "error": None}


def anthropic(name: str, text: str, model: str) -> dict:
    half = len(text) // 2
    content = [
        {"type": "thinking", "thinking": "Let me think."},
        {"type": "text", "text": text[:half]},
        {"type": "text", "text": text[half:]},
    ]
    message = {"type": "message", "role": "assistant", "model": model, "content": content}
    return {"custom_id": name, "result": {"type": "succeeded", "message": message}}


def gemini(name: str, text: str, model: str) -> dict:
    parts = [{"text": "Let me think.", "thought": True}, {"text": text}]
    candidates = [{"content": {"parts": parts, "role": "model"}, "finishReason": "STOP"}]
    return {"key": name, "response": {"candidates": candidates, "modelVersion": model}}


def fastchat(name: str, text: str, model: str) -> dict:
    choices = [{"index": 0, "turns": [text]}]
    return {"question_id": name, "answer_id": "a", "model_id": model, "choices": choices}


WRITERS: dict[str, Callable[[str, str, str], dict]] = {
    each.__name__: each for each in (openai, openai_responses, anthropic, gemini, fastchat)
}


def lines(records: list[dict]) -> bytes:
    return "\n".join(map(json.dumps, records)).encode()


@pytest.mark.parametrize("writer", WRITERS)
def test_answers_of_language_models_are_outputs_of_the_models_named_in_them(writer, tmp_path):
    write = WRITERS[writer]
    files = {
        f"results_{model}.jsonl": lines(
            [write(f"q{n}", text, model) for n, text in enumerate(TEXTS)]
        )
        for model in ("m-1", "m-2")
    }
    with read(tmp_path, files) as material:
        assert [each.name for each in material.preview.systems] == ["m-1", "m-2"]
        assert (material.preview.n_items, material.preview.missing) == (3, 0)
        assert sorted({each.text for each in material.outputs()}) == sorted(TEXTS)


@pytest.mark.parametrize(
    "failed",
    [
        {"custom_id": "q1", "result": {"type": "errored", "error": {"type": "invalid_request"}}},
        {"custom_id": "q1", "response": None, "error": {"code": "batch_expired"}},
    ],
)
def test_the_output_of_a_request_that_failed_is_missing(failed, tmp_path):
    good = [anthropic(f"q{n}", text, "m-1") for n, text in enumerate(TEXTS)]
    other = [anthropic("q0", "One.", "m-2"), failed, anthropic("q2", "Three.", "m-2")]
    with read(tmp_path, {"one.jsonl": lines(good), "two.jsonl": lines(other)}) as material:
        assert {each.name: each.missing for each in material.preview.systems} == {
            "m-1": 0,
            "m-2": 1,
        }


def harness(number: int, text: str, arguments: object) -> dict:
    return {
        "doc_id": number, "doc": {"id": f"d{number}", "document": "A long one."}, "target": "Gold.",
        "arguments": arguments, "resps": [[f" {text} "]], "filtered_resps": [text],
        "metrics": ["rouge1"], "rouge1": 0.5, "doc_hash": "ab", "prompt_hash": "cd",
    }  # fmt: skip


@pytest.mark.parametrize(
    "arguments",
    [
        {"gen_args_0": {"arg_0": "Sum up.", "arg_1": {"until": ["\n"]}}},
        [["Sum up.", {"until": []}]],
    ],
)
def test_samples_of_the_harness_have_prompt_output_and_reference(arguments, tmp_path):
    samples = [harness(n, text, arguments) for n, text in enumerate(TEXTS)]
    files = {f"samples_{model}.jsonl": lines(samples) for model in ("m1", "m2")}
    with read(tmp_path, files) as material:
        assert [each.name for each in material.preview.systems] == ["samples_m1", "samples_m2"]
        (first, *_) = material.items()
        assert (first.input, first.reference) == ("Sum up.", "Gold.")
        assert {each.text for each in material.outputs()} == set(TEXTS)


def test_each_turn_of_an_answer_is_an_item(tmp_path):
    records = [
        {"question_id": 81, "model_id": model, "choices": [{"index": 0, "turns": ["One.", "Two."]}]}
        for model in ("m1", "m2")
    ]
    with read(tmp_path, {"answers.jsonl": lines(records)}) as material:
        assert [each.key for each in material.items()] == ["81.1", "81.2"]


@pytest.mark.parametrize(
    "odd",
    [
        {"model_id": "m1", "choices": []},
        {"model_id": "m1", "choices": [1]},
        {"doc_id": 1, "doc": {}, "resps": [[[[[[[[[["deep"]]]]]]]]]]},
        {"custom_id": "a", "response": {"body": {"choices": [{"message": None}]}}, "error": None},
        {"custom_id": "a", "result": {"type": "succeeded", "message": "text"}},
        {"key": "a", "response": {"candidates": [[[[[[[[["deep"]]]]]]]]]}},
    ],
)
def test_a_record_of_another_shape_loses_no_other_output(odd, tmp_path):
    """It has an empty output, or none, or the upload is refused in words."""
    good = fastchat("q0", "One.", "m1")
    for number, records in enumerate([[good, odd], [odd, good], [odd]]):
        try:
            with read(tmp_path / str(number), {"answers.jsonl": lines(records)}) as material:
                texts = [each.text for each in material.outputs()]
        except ImportRefused:
            continue
        assert "One." in texts or good not in records
