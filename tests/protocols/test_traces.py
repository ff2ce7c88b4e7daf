"""Traces as a browser sends them: what is kept of them, and that nothing of them refuses."""

import json

import pytest

from rankme.protocols.exchange.sent_screen import SentScreen, read_sent
from rankme.protocols.exchange.traces import MOST, NAMES, read_trace

KEY = "7b8c0c9a-3a54-4f0e-9d11-0c8a5a3f7a10"
SCREEN = {"version": 1, "key": KEY, "assignment": 3, "trial": 0, "screen": 1, "answers": []}


@pytest.mark.parametrize("trace", [None, 7, "keys", [1, 2], {}, {"keys": "many"}, {"more": 1}])
def test_anything_but_a_trace_is_left_out(trace):
    assert read_trace(trace) is None


@pytest.mark.parametrize("value", [-1, MOST * 10, float("inf"), float("nan"), True, "4", None, [4]])
def test_a_number_out_of_bounds_is_left_out_and_the_others_stay(value):
    assert read_trace({"keys": value, "pasted": 12, "unknown": 3}) == {"pasted": 12.0}


def test_a_trace_has_at_most_two_kilobytes():
    largest = read_trace(dict.fromkeys(NAMES, MOST - 0.123456789))
    assert largest is not None and len(json.dumps(largest)) <= 2_000


@pytest.mark.parametrize("trace", [{"keys": 3}, "\x00", {"\x00": "\x00"}, 10**400, ["x"] * 5_000])
def test_an_answer_is_the_same_with_any_trace(trace):
    """Also its bytes, of which the record keeps the hash."""
    plain = read_sent(json.dumps(SCREEN).encode())
    traced = read_sent(json.dumps(SCREEN | {"trace": trace}).encode())
    assert isinstance(plain, SentScreen) and isinstance(traced, SentScreen)
    assert traced.payload == plain.payload
    assert "trace" not in traced.document
