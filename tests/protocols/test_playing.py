"""Whether the log of a browser says that a sound was played to the end."""

import pytest

from rankme.protocols import playing
from rankme.protocols.playing import PlayableFile, logs_by_place, unplayed

FILE = PlayableFile(0, 10.0)


def said(**log: object) -> bool:
    """Whether this log is enough."""
    times = {"files": [{"place": 0, "events": [], "played": [], "ended": False} | log]}
    return not unplayed([FILE], logs_by_place(times["files"]))


@pytest.mark.parametrize(
    "played",
    [[[0, 10]], [[0, 9.6]], [[0, 4], [4, 10]], [[5, 10], [0, 6]], [[0, 100]], [[-5, 10.2]]],
)
def test_all_of_it_was_played(played: list[list[float]]):
    assert said(ended=True, played=played)
    assert not said(ended=False, played=played)


@pytest.mark.parametrize(
    "played",
    [
        *([], [[0, 5]], [[9, 10]], [[0, 4], [0, 4], [0, 4]], [[10, 0]], [[0, None]], [["0", "10"]]),
        *(None, "all", [[0]], [[0, float("nan")]], [[0, float("inf")]], [[True, 10]], {"0": 10}),
    ],
)
def test_a_part_or_nonsense_is_not_all_of_it(played: object):
    assert not said(ended=True, played=played)


def test_a_file_that_did_not_load_need_not_be_played():
    assert said(events=[["error", 100, 0]])
    assert not said(events=["error"]) and not said(events="error")


def test_a_length_that_is_not_known_is_not_compared():
    times = {"files": [{"place": None, "ended": True}]}
    assert unplayed([PlayableFile(None, None)], logs_by_place(times["files"])) == []
    assert unplayed([FILE], logs_by_place(times["files"])) == [FILE]


@pytest.mark.parametrize(
    "files", [None, {}, "x", [], [1], [{}], [{"place": True}], [{"place": [0]}]]
)
def test_times_without_a_log_are_ignored(files: object):
    assert unplayed([FILE], logs_by_place(files)) == [FILE]


def pieces(number: int) -> list[list[float]]:
    """All of the file, in so many pieces."""
    return [[10 * at / number, 10 * (at + 1) / number] for at in range(number)]


def test_a_log_of_more_spans_than_a_page_sends_says_nothing():
    assert said(ended=True, played=pieces(playing.MOST_SPANS))
    assert not said(ended=True, played=pieces(playing.MOST_SPANS + 1))
