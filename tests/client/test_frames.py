"""Tables on their way to a site and back keep what they say."""

import pandas as pd
import pytest
from rankme_client.frames import BadFrame, csv_of, frame_of, long_of

WIDE = pd.DataFrame({"source": ["a", "b"], "gpt": ["x", "y"], "t5": ["v", "w"]})


def test_a_column_for_each_system_becomes_a_row_for_each_output():
    table = long_of(WIDE, systems=["gpt", "t5"], more=["source"])
    assert list(table.columns) == ["item", "system", "output", "source"]
    assert set(zip(table["item"], table["system"], table["output"], strict=True)) == {
        (0, "gpt", "x"), (1, "gpt", "y"), (0, "t5", "v"), (1, "t5", "w"),
    }  # fmt: skip


def test_own_names_of_columns_are_translated():
    frame = pd.DataFrame({"id": ["1"], "model": ["gpt"], "answer": ["x"]})
    table = long_of(frame, item="id", system="model", output="answer")
    assert table.to_dict("records") == [{"item": "1", "system": "gpt", "output": "x"}]


def test_a_missing_column_and_a_missing_output_are_named():
    with pytest.raises(BadFrame, match=r"no column “llama”\. The table has: item, source"):
        long_of(WIDE, systems=["llama"])
    gap = WIDE.assign(t5=["v", None])
    with pytest.raises(BadFrame, match="Item “1” has no output of “t5”"):
        long_of(gap, systems=["gpt", "t5"])
    with pytest.raises(BadFrame, match="no rows"):
        csv_of(WIDE[:0])


def test_names_that_look_like_numbers_or_gaps_stay_names():
    text = b"rater,item,system,criterion,value,late\nr1,007,NA,'=x,3.5,\nr2,1e3,None,a,,true\n"
    frame = frame_of(text)
    assert list(frame["item"]) == ["007", "1e3"]
    assert list(frame["system"]) == ["NA", "None"]
    assert list(frame["criterion"]) == ["=x", "a"]
    assert frame["value"].isna().tolist() == [False, True]
